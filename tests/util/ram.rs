//! ram: Verilog against golden model. It has no reset, so every word is written first.

use nic_harness::lockstep::{Dut, Stepper};
use nic_harness::verilator::Flavour;
use nic_models::golden::util::ram::{Ram, RamIn, RamOut};
use nic_models::ports::Golden;
use nic_spec::config::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn first_difference(change: impl Fn(String) -> String, seed: u64, cycles: u64) -> Option<u64> {
    println!("ram: seed {seed}, {cycles} cycles");
    let config = NicConfig::preset("gbe").expect("preset");
    let mut source = nic_sim::bench::emitted("ram", &config).expect("emits");
    source.text = change(source.text);
    let model = source.model(Flavour::Fast).expect("builds");
    let mut dut = Dut::<RamIn, RamOut>::new(&model, seed).expect("starts");
    let mut golden = Ram::new(512, 32);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for address in 0..=512_u16 {
        let pins = RamIn {
            write_enable: true,
            write_address: address % 512,
            write_data: u64::from(rng.gen::<u32>()),
            read_enable: address == 512,
            read_address: 3,
        };
        golden.step(&pins);
        dut.step(&pins).expect("steps");
    }
    (0..cycles).find(|_| {
        let write_address = rng.gen_range(0..512);
        let near = rng.gen_ratio(1, 4);
        let pins = RamIn {
            write_enable: rng.gen(),
            write_address,
            write_data: u64::from(rng.gen::<u32>()),
            read_enable: !rng.gen_ratio(1, 3),
            read_address: if near { write_address } else { rng.gen_range(0..512) },
        };
        golden.step(&pins) != dut.step(&pins).expect("steps")
    })
}

#[test]
fn ram_matches_golden() {
    for seed in 0..3 {
        assert_eq!(first_difference(|text| text, seed, 20_000), None);
    }
}

/// The highest five bits stand in LUT RAM.
fn narrow(text: String) -> String {
    text.replace("parameter NARROW = 0", "parameter NARROW = 5")
}

#[test]
fn ram_of_two_memories_matches_golden() {
    for seed in 0..3 {
        assert_eq!(first_difference(narrow, seed, 20_000), None);
    }
}

#[test]
fn ram_shows_a_collision() {
    for bits in ["[WIDE-1:0]", "[WIDTH-1:WIDE]"] {
        let breaks = [
            (format!("read_data{bits} <= ~write_data"), format!("read_data{bits} <= write_data")),
            (format!("if (read_enable) read_data{bits}"), format!("read_data{bits}")),
        ];
        for (from, to) in breaks {
            let planted = |text: String| {
                assert!(text.contains(&from), "the Verilog has no {from:?}");
                narrow(text).replace(&from, &to)
            };
            assert!(first_difference(planted, 1, 1000).is_some(), "{from}");
        }
    }
}
