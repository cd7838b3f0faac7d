//! dma_read: Verilog against golden model, the scoreboard of the bench, and how many cycles it
//! takes.

use nic_harness::lockstep::Stepper;
use nic_harness::verilator::Source;
use nic_hdl::emit::{by_name, emit};
use nic_hdl::host::dma::read::DmaRead as Hdl;
use nic_models::golden::host::axi::{ReadSlave, FIXED_READ};
use nic_models::golden::host::dma::read::{DmaRead, DmaReadIn};
use nic_models::streams::{ReadCommand, TreadyPort};
use nic_sim::env::axi_mem::AxiMem;
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{
    assert_catches, assert_matches_golden, assert_runs_catch, gbe, hundred, lock_step, verilog_of,
    Runs,
};

#[test]
fn dma_read_matches_golden() {
    assert_matches_golden("dma_read", 0..4, 50_000, &FIXED_READ);
}

/// With a landing buffer `m_axi_rready` is no more than a promise.
#[test]
fn dma_read_matches_golden_at_512_bits() {
    let still = [&FIXED_READ[..], &["m_axi_rready"]].concat();
    Runs::of_block("dma_read", &hundred(), 0..4, 50_000).assert_match_golden(&still);
}

/// What a run of commands has taken, and what came of it.
struct Streamed {
    /// From the first to the last R beat.
    cycles: u64,
    /// Bytes of each command, and whether memory has failed.
    frames: Vec<(Vec<u8>, bool)>,
    /// Largest number of bursts on their way.
    reads: usize,
}

/// Runs commands back to back on a memory without stalls.
fn stream(commands: &[(u64, u16)], latency_cycles: u64) -> Streamed {
    stream_of(&gbe(), 128, commands, latency_cycles)
}

/// Likewise in the sizes of `config`, with so many bursts at a time at most.
fn stream_of(
    config: &NicConfig,
    cfg_reads_max: u8,
    commands: &[(u64, u16)],
    latency_cycles: u64,
) -> Streamed {
    let source = verilog_of(by_name("dma_read", config));
    let mut engine = lock_step(DmaRead::new(config), &source, 1);
    let mut memory = memory(config).without_stalls(latency_cycles);
    let (mut on_their_way, mut reads) = (0, 0);
    let frame_count = commands.iter().filter(|c| c.1 > 0).count();
    let (mut frames, mut partial) = (Vec::new(), Vec::new());
    let mut out = *engine.last_out();
    let (mut sent, mut first_cycle, mut last_cycle) = (0, None, 0);
    for cycle in 0..100_000 {
        let (s_cmd_addr, s_cmd_bytes) = commands.get(sent).copied().unwrap_or((0, 0));
        let pins = DmaReadIn {
            reset: false,
            cfg_reads_max,
            s_cmd: ReadCommand {
                valid: sent < commands.len(),
                addr: s_cmd_addr,
                bytes: s_cmd_bytes,
            },
            m_axi: memory.drive_read(&out.m_axi),
            m_axis: TreadyPort { tready: true },
        };
        on_their_way += usize::from(pins.m_axi.arready && out.m_axi.arvalid);
        reads = reads.max(on_their_way);
        on_their_way -= usize::from(pins.m_axi.rvalid && pins.m_axi.rlast && out.m_axi.rready);
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
            let cycles = last_cycle - first_cycle.expect("it read") + 1;
            return Streamed { cycles, frames, reads };
        }
        out = engine.step(&pins).expect("equal");
    }
    panic!("{} of {frame_count} frames", frames.len());
}

/// 256 KB in which byte `at` is a mix of its address; the beat at 0x2_0100 fails.
fn memory(config: &NicConfig) -> AxiMem {
    let mut memory = AxiMem::new(config.data_bytes(), 1);
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
    let Streamed { cycles, .. } = stream(&aligned, 40);
    assert!((16 * 512..=16 * 513).contains(&cycles), "{cycles} cycles");
    // An odd address has one beat more on the bus than in the stream: not one gap.
    let odd: Vec<_> = (0..16).map(|n| (1024 * n + 3, 1024)).collect();
    assert_eq!(stream(&odd, 40).cycles, 16 * 129);
}

/// Cycles of memory behind PCI Express: 2 us at 250 MHz.
const FAR_CYCLES: u64 = 500;

/// 100 Gb/s from memory that answers after 2 us: a beat a cycle, but for one in a hundred.
#[test]
fn dma_read_of_512_bits_hides_the_latency_of_its_memory() {
    let kib: Vec<_> = (0..128).map(|n| (1024 * n, 1024)).collect();
    let odd: Vec<_> = (0..128).map(|n| (1024 * n + 13, 1024)).collect();
    let pages: Vec<_> = (0..31).map(|n| (4096 * n + 64 * 5, 4096)).collect();
    let lines: Vec<_> = (0..512).map(|n| (64 * n, 64)).collect();
    for (name, commands, beats, line_beats) in [
        ("1024 bytes", kib, 128 * 16, 128 * 16),
        ("1024 bytes at an odd address", odd, 128 * 17, 128 * 17),
        ("4096 bytes", pages, 31 * 64, 31 * 64),
        ("64 bytes", lines, 512, 512 * 4),
    ] {
        let Streamed { cycles, frames, reads } = stream_of(&hundred(), 128, &commands, FAR_CYCLES);
        println!("{name}: {beats} beats in {cycles} cycles, {reads} bursts at a time");
        assert!(line_beats * 100 >= cycles * 99, "{name}: {cycles} cycles");
        for ((addr, bytes), (frame, error)) in commands.iter().zip(frames) {
            let expected: Vec<u8> = (*addr..addr + u64::from(*bytes)).map(byte).collect();
            assert!(frame == expected && !error, "{name}: {addr:#x}");
        }
    }
}

/// A bridge that allows fewer reads is never asked for more, and gets as many.
#[test]
fn dma_read_has_as_many_bursts_on_their_way_as_it_may() {
    let lines: Vec<_> = (0..150).map(|n| (64 * n, 64)).collect();
    for (reads_max, expected) in [(0, 1), (1, 1), (32, 32), (128, 128)] {
        let Streamed { reads, .. } = stream_of(&hundred(), reads_max, &lines, FAR_CYCLES);
        assert_eq!(reads, expected, "of {reads_max}");
    }
    let Streamed { reads, .. } = stream_of(&gbe(), 3, &lines, 200);
    assert_eq!(reads, 3, "gbe");
}

#[test]
fn dma_read_gives_exactly_the_bytes_at_any_offset_and_length() {
    let commands: Vec<(u64, u16)> = (0..8)
        .flat_map(|offset| (0..=24).map(move |bytes| (0x2000 - 16 + offset, bytes)))
        .collect();
    let Streamed { frames, .. } = stream(&commands, 3);
    let with_bytes = commands.iter().filter(|c| c.1 > 0);
    let expected: Vec<_> = with_bytes
        .map(|&(addr, bytes)| ((addr..addr + u64::from(bytes)).map(byte).collect(), false))
        .collect();
    assert_eq!(frames, expected);
}

#[test]
fn dma_read_of_512_bits_gives_exactly_the_bytes() {
    let lengths = [1, 2, 63, 64, 65, 127, 128, 129, 191];
    let commands: Vec<(u64, u16)> =
        (0..64).flat_map(|offset| lengths.map(|bytes| (0x2000 - 64 + offset, bytes))).collect();
    let Streamed { frames, .. } = stream_of(&hundred(), 128, &commands, 3);
    for ((addr, bytes), (frame, error)) in commands.iter().zip(frames) {
        let expected: Vec<u8> = (*addr..addr + u64::from(*bytes)).map(byte).collect();
        assert!(frame == expected && !error, "{bytes} bytes from {addr:#x}");
    }
}

#[test]
fn dma_read_marks_the_frame_whose_memory_failed() {
    let commands = [(0x2_0000, 64), (0x2_00f0, 64), (0x2_0140, 8), (0x1_f900, 4096), (0x100, 1)];
    let Streamed { frames, .. } = stream(&commands, 10);
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
        ("reads_now >= cfg_reads_max", "reads_now > cfg_reads_max"),
    ];
    assert_catches("dma_read", 100_000, &breaks);
    let wide = [
        // A burst is asked for although the buffer is promised to others.
        ("room >= window", "room >= 11'd1"),
        ("taken + left", "taken"),
        ("reads_now = reads - 8'd1", "reads_now = reads"),
        ("shifted[511:0]", "{shifted[511:8], 8'd0}"),
    ];
    assert_runs_catch(&[Runs::of_block("dma_read", &hundred(), 1..=2, 50_000)], &wide);
}

/// Random pins, commands of all lengths: other widths than the catalogue's.
fn check_width(source: &Source, data_bits: usize) {
    let mut engine = lock_step(DmaRead::new(&NicConfig { data_bits, ..gbe() }), source, 1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mask = u64::MAX >> (64 - data_bits);
    for _ in 0..40_000 {
        let pins = DmaReadIn {
            reset: rng.gen_ratio(1, 5000),
            cfg_reads_max: 16,
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
    let source = verilog_of(emit("dma_read_8", Hdl::<8, 9, 16, 1, 3, 4, 0>::default(), &gbe()));
    check_width(&source, 8);
    let source = verilog_of(emit("dma_read_32", Hdl::<32, 33, 64, 4, 3, 4, 0>::default(), &gbe()));
    check_width(&source, 32);
}
