//! dma_read: Verilog against golden model, and the scoreboard of the bench.

use nic_harness::lockstep::Stepper;
use nic_harness::verilator::Source;
use nic_hdl::emit::emit;
use nic_hdl::host::dma::read::DmaRead as Hdl;
use nic_models::golden::host::axi::{ReadSlave, FIXED_READ};
use nic_models::golden::host::dma::read::{DmaRead, DmaReadIn};
use nic_models::streams::{ReadCommand, TreadyPort};
use nic_sim::env::axi_mem::AxiMem;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{
    assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step, verilog_of,
};

#[test]
fn dma_read_matches_golden() {
    assert_matches_golden("dma_read", 0..4, 50_000, &FIXED_READ);
}

/// Runs commands back to back on a memory without stalls; cycles from the first to the last R
/// beat, and the frames.
fn stream(commands: &[(u64, u16)], latency_cycles: u64) -> (u64, Vec<(Vec<u8>, bool)>) {
    let (_, source) = bench_and_verilog("dma_read");
    let mut engine = lock_step(DmaRead::new(8), &source, 1);
    let mut memory = memory().without_stalls(latency_cycles);
    let frame_count = commands.iter().filter(|c| c.1 > 0).count();
    let (mut frames, mut partial) = (Vec::new(), Vec::new());
    let mut out = *engine.last_out();
    let (mut sent, mut first_cycle, mut last_cycle) = (0, None, 0);
    for cycle in 0..100_000 {
        let (s_cmd_addr, s_cmd_bytes) = commands.get(sent).copied().unwrap_or((0, 0));
        let pins = DmaReadIn {
            reset: false,
            s_cmd: ReadCommand {
                valid: sent < commands.len(),
                addr: s_cmd_addr,
                bytes: s_cmd_bytes,
            },
            m_axi: memory.drive_read(&out.m_axi),
            m_axis: TreadyPort { tready: true },
        };
        if pins.m_axi.rvalid && out.m_axi.rready {
            first_cycle = first_cycle.or(Some(cycle));
            last_cycle = cycle;
        }
        sent += usize::from(pins.s_cmd.valid && out.s_cmd.ready);
        if out.m_axis.tvalid {
            let byte_count = out.m_axis.tkeep.count_ones() as usize;
            partial.extend(&out.m_axis.tdata.bytes()[..byte_count]);
            if out.m_axis.tlast {
                frames.push((std::mem::take(&mut partial), out.m_axis.tuser));
            }
        }
        if frames.len() == frame_count && sent == commands.len() {
            assert!(memory.violations().is_empty(), "{:?}", memory.violations());
            return (last_cycle - first_cycle.expect("it read") + 1, frames);
        }
        out = engine.step(&pins).expect("equal");
    }
    panic!("{} of {frame_count} frames", frames.len());
}

/// 256 KB in which byte `at` is a mix of its address; the beat at 0x2_0100 fails.
fn memory() -> AxiMem {
    let mut memory = AxiMem::new(8, 1);
    let bytes: Vec<u8> = (0..0x4_0000).map(byte).collect();
    memory.store(0, &bytes);
    memory.fail_in(0x2_0100..0x2_0101);
    memory
}

fn byte(at: u64) -> u8 {
    (at ^ at >> 8 ^ at >> 13) as u8
}

#[test]
fn dma_read_streams_with_at_most_one_idle_cycle_a_command() {
    let aligned: Vec<_> = (0..16).map(|n| (4096 * n, 4096)).collect();
    let (cycles, _) = stream(&aligned, 40);
    assert!((16 * 512..=16 * 513).contains(&cycles), "{cycles} cycles");
    // An odd address has one beat more on the bus than in the stream: not one gap.
    let odd: Vec<_> = (0..16).map(|n| (1024 * n + 3, 1024)).collect();
    assert_eq!(stream(&odd, 40).0, 16 * 129);
}

#[test]
fn dma_read_gives_exactly_the_bytes_at_any_offset_and_length() {
    let commands: Vec<(u64, u16)> = (0..8)
        .flat_map(|offset| (0..=24).map(move |bytes| (0x2000 - 16 + offset, bytes)))
        .collect();
    let (_, frames) = stream(&commands, 3);
    let with_bytes = commands.iter().filter(|c| c.1 > 0);
    let expected: Vec<_> = with_bytes
        .map(|&(addr, bytes)| ((addr..addr + u64::from(bytes)).map(byte).collect(), false))
        .collect();
    assert_eq!(frames, expected);
}

#[test]
fn dma_read_marks_the_frame_whose_memory_failed() {
    let commands = [(0x2_0000, 64), (0x2_00f0, 64), (0x2_0140, 8), (0x1_f900, 4096), (0x100, 1)];
    let (_, frames) = stream(&commands, 10);
    let errors: Vec<_> = frames.iter().map(|(bytes, error)| (bytes.len(), *error)).collect();
    assert_eq!(errors, [(64, false), (64, true), (8, false), (4096, true), (1, false)]);
}

#[test]
fn dma_read_breaks_are_caught() {
    let breaks = [
        ("bus_beats_less != stream_beats_less", "1'b1"),
        ("flush | (at_end & extra)", "flush | at_end"),
        ("rotated_error | had_failed", "rotated_error"),
        // The error of a command stays for the next one.
        ("failed & !rotated_first", "failed"),
        ("bufferable = 4'd3", "bufferable = 4'd2"),
    ];
    assert_catches("dma_read", 100_000, &breaks);
}

/// Random pins, commands of all lengths: other widths than the catalogue's.
fn check_width(source: &Source, beat_bytes: usize) {
    let mut engine = lock_step(DmaRead::new(beat_bytes), source, 1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mask = u64::MAX >> (64 - 8 * beat_bytes);
    for _ in 0..40_000 {
        let pins = DmaReadIn {
            reset: rng.gen_ratio(1, 5000),
            s_cmd: ReadCommand {
                valid: rng.gen_ratio(1, 4),
                addr: rng.gen(),
                bytes: rng.gen_range(0..=4096) >> rng.gen_range(0..12),
            },
            m_axi: ReadSlave {
                arready: rng.gen(),
                rid: rng.gen_range(0..2),
                rdata: (rng.gen::<u64>() & mask).into(),
                rresp: rng.gen_range(0..64) / 62 * 2,
                rlast: rng.gen(),
                rvalid: !rng.gen_ratio(1, 8),
            },
            m_axis: TreadyPort { tready: !rng.gen_ratio(1, 8) },
        };
        engine.step(&pins).expect("equal");
    }
}

#[test]
fn dma_read_matches_golden_at_8_and_32_bits() {
    let source = verilog_of(emit("dma_read_8", Hdl::<8, 16, 1>::default(), &gbe()));
    check_width(&source, 1);
    let source = verilog_of(emit("dma_read_32", Hdl::<32, 64, 4>::default(), &gbe()));
    check_width(&source, 4);
}
