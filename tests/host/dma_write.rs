//! dma_write: Verilog against golden model, and the scoreboard of the bench.

use nic_harness::lockstep::Stepper;
use nic_harness::verilator::Source;
use nic_hdl::emit::{by_name, emit};
use nic_hdl::host::dma::write::DmaWrite as Hdl;
use nic_models::golden::host::axi::{WriteSlave, FIXED_WRITE};
use nic_models::golden::host::dma::write::{DmaWrite, DmaWriteIn};
use nic_models::streams::{AxisEvent, ReadyPort, WriteCommand};
use nic_sim::env::axi_mem::AxiMem;
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{
    assert_catches, assert_matches_golden, assert_runs_catch, gbe, hundred, lock_step, verilog_of,
    Runs,
};

#[test]
fn dma_write_matches_golden() {
    assert_matches_golden("dma_write", 0..4, 50_000, &FIXED_WRITE);
    Runs::of_block("dma_write", &hundred(), 0..4, 50_000).assert_match_golden(&FIXED_WRITE);
}

/// Runs commands back to back on a memory without stalls; cycles from the first to the last W
/// beat, and the memory.
fn stream(commands: &[(u64, u16)], latency_cycles: u64) -> (u64, AxiMem) {
    stream_of(&gbe(), commands, latency_cycles)
}

/// Likewise in the sizes of `config`.
fn stream_of(config: &NicConfig, commands: &[(u64, u16)], latency_cycles: u64) -> (u64, AxiMem) {
    let source = verilog_of(by_name("dma_write", config));
    let mut engine = lock_step(DmaWrite::<u128>::new(config), &source, 1);
    let mut memory = AxiMem::new(config.data_bytes(), 1).without_stalls(latency_cycles);
    let mut out = *engine.last_out();
    let (mut sent, mut done_count, mut beat) = (0, 0, 0_u64);
    let (mut first_cycle, mut last_cycle) = (None, 0);
    for cycle in 0..100_000 {
        let (addr, bytes) = commands.get(sent).copied().unwrap_or((0, 0));
        let pins = DmaWriteIn {
            reset: false,
            s_cmd: WriteCommand { valid: sent < commands.len(), addr, bytes, tag: sent as u128 },
            s_axis: AxisEvent { tdata: beat.into(), tvalid: true },
            m_axi: memory.drive_write(&out.m_axi),
            m_done: ReadyPort { ready: true },
        };
        if out.m_axi.wvalid && pins.m_axi.wready {
            first_cycle = first_cycle.or(Some(cycle));
            last_cycle = cycle;
        }
        sent += usize::from(pins.s_cmd.valid && out.s_cmd.ready);
        beat += u64::from(out.s_axis.tready);
        if out.m_done.valid {
            assert_eq!((out.m_done.tag, out.m_done.error), (done_count as u128, false));
            done_count += 1;
        }
        if done_count == commands.len() {
            assert!(memory.violations().is_empty(), "{:?}", memory.violations());
            return (last_cycle - first_cycle.expect("it wrote") + 1, memory);
        }
        out = engine.step(&pins).expect("equal");
    }
    panic!("{done_count} of {} commands done", commands.len());
}

#[test]
fn dma_write_streams_one_beat_a_cycle() {
    let aligned: Vec<_> = (0..32).map(|n| (0x10_0000 + 4096 * n, 4096)).collect();
    let (cycles, memory) = stream(&aligned, 40);
    assert_eq!(cycles, 32 * 512, "not one gap");
    assert_eq!(memory.written_ranges(), vec![0x10_0000..0x12_0000]);
    // Each command of 1024 bytes at an odd address has 129 beats on the bus.
    let odd: Vec<_> = (0..32).map(|n| (0x20_0003 + 1024 * n, 1024)).collect();
    let (cycles, memory) = stream(&odd, 40);
    assert_eq!(cycles, 32 * 129);
    assert_eq!(memory.written_ranges(), vec![0x20_0003..0x20_8003]);
}

/// 100 Gb/s into memory that answers after 2 us at 250 MHz: a beat a cycle, but for one in a
/// hundred; and a command in two cycles.
#[test]
fn dma_write_of_512_bits_hides_the_latency_of_its_memory() {
    let kib: Vec<_> = (0..128).map(|n| (0x10_0000 + 1024 * n, 1024)).collect();
    let odd: Vec<_> = (0..128).map(|n| (0x10_0003 + 1024 * n, 1024)).collect();
    let lines: Vec<_> = (0..128).map(|n| (0x10_0000 + 64 * n, 64)).collect();
    for (name, commands, line_cycles) in [
        ("1024 bytes", kib, 128 * 16),
        ("1024 bytes at an odd address", odd, 128 * 17),
        ("64 bytes", lines, 128 * 2),
    ] {
        let (cycles, memory) = stream_of(&hundred(), &commands, 500);
        println!("{name}: {} commands in {cycles} cycles", commands.len());
        assert!(line_cycles * 100 >= cycles * 99, "{name}: {cycles} cycles");
        let (first, last) = (commands[0], commands[commands.len() - 1]);
        assert_eq!(memory.written_ranges(), vec![first.0..last.0 + u64::from(last.1)]);
    }
}

#[test]
fn dma_write_touches_no_byte_beside_any_offset_and_length() {
    let mut commands = Vec::new();
    let mut expected = Vec::new();
    for offset in 0..8 {
        for bytes in 1..=24 {
            let addr = 0x1000 * (1 + commands.len() as u64) - 16 + offset;
            commands.push((addr, bytes));
            expected.push(addr..addr + u64::from(bytes));
        }
    }
    let (_, memory) = stream(&commands, 3);
    assert_eq!(memory.written_ranges(), expected);
}

#[test]
fn dma_write_reports_empty_commands_after_those_before_them() {
    let commands = [(0x1000, 4096), (7, 0), (9, 0), (0x3fff, 2), (1, 0)];
    let (_, memory) = stream(&commands, 200);
    assert_eq!(memory.written_ranges(), vec![0x1000..0x2000, 0x3fff..0x4001]);
}

#[test]
fn dma_write_breaks_are_caught() {
    let breaks = [
        ("rotated_strobe_next = all_lanes", "rotated_strobe_next = 8'h7f"),
        ("index == last_index", "index > last_index"),
        ("m_axi_awprot = 3'd0", "m_axi_awprot = 3'd2"),
        ("bus_beats_less != stream_beats_less", "1'b0"),
        ("failed | responses_m_data", "responses_m_data"),
    ];
    assert_catches("dma_write", 200_000, &breaks);
    let wide = [
        ("first_strobe & end_strobe", "first_strobe"),
        ("shifted[1023:512]", "{shifted[1023:520], 8'd0}"),
    ];
    assert_runs_catch(&[Runs::of_block("dma_write", &hundred(), [1], 50_000)], &wide);
}

/// Random pins, commands of all lengths: other widths than the catalogue's.
fn check_width(source: &Source, data_bits: usize) {
    let config = NicConfig { data_bits, ..gbe() };
    let mut engine = lock_step(DmaWrite::<u128>::new(&config), source, 1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mask = u64::MAX >> (64 - data_bits);
    for _ in 0..40_000 {
        let pins = DmaWriteIn {
            reset: rng.gen_ratio(1, 5000),
            s_cmd: WriteCommand {
                valid: rng.gen_ratio(1, 4),
                addr: rng.gen(),
                bytes: rng.gen_range(0..=4096) >> rng.gen_range(0..12),
                tag: rng.gen(),
            },
            s_axis: AxisEvent {
                tdata: (rng.gen::<u64>() & mask).into(),
                tvalid: !rng.gen_ratio(1, 8),
            },
            m_axi: WriteSlave {
                awready: rng.gen(),
                wready: !rng.gen_ratio(1, 8),
                bid: rng.gen_range(0..2),
                bresp: rng.gen_range(0..4),
                bvalid: rng.gen(),
            },
            m_done: ReadyPort { ready: rng.gen() },
        };
        engine.step(&pins).expect("equal");
    }
}

#[test]
fn dma_write_matches_golden_at_8_and_32_bits() {
    let source = verilog_of(emit("dma_write_8", Hdl::<8, 16, 1, 128, 3, 4, 0>::default(), &gbe()));
    check_width(&source, 8);
    let source =
        verilog_of(emit("dma_write_32", Hdl::<32, 64, 4, 128, 3, 4, 0>::default(), &gbe()));
    check_width(&source, 32);
}
