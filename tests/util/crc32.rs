//! crc32: Verilog against golden model and against published check values.

use nic_harness::lockstep::{Dut, LockStep, Stepper};
use nic_harness::verilator::Flavour;
use nic_hdl::emit::emit;
use nic_hdl::util::crc32::{advance, rewind, Crc32 as Hdl};
use nic_models::golden::util::crc32::{crc32, Crc32, Crc32In, Crc32Out};
use nic_models::ports;
use nic_models::ports::Wide;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{
    assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step, verilog_of,
};

#[test]
fn crc32_matches_golden() {
    assert_matches_golden("crc32", 0..4, 50_000, &[]);
}

fn engine() -> LockStep<Crc32> {
    lock_step(Crc32::new(8, 1), &bench_and_verilog("crc32").1, 1)
}

/// Sends a frame without gaps.
fn send(engine: &mut LockStep<Crc32>, seed: u32, frame: &[u8], skip: usize) -> Vec<u32> {
    let mut crcs = Vec::new();
    let beat_count = (skip + frame.len()).div_ceil(8);
    for beat in 0..beat_count {
        let mut pins = Crc32In { cfg_seed: seed, s_valid: true, ..Crc32In::default() };
        for lane in 0..8 {
            let byte = (8 * beat + lane).checked_sub(skip).and_then(|at| frame.get(at));
            pins.s_keep |= u8::from(byte.is_some()) << lane;
            // What is not kept must not matter.
            pins.s_data |= u64::from(byte.copied().unwrap_or(0xa5)) << (8 * lane);
        }
        pins.s_last = beat + 1 == beat_count;
        let out = engine.step(&pins).expect("equal");
        crcs.extend(out.m_valid.then_some(out.m_crc));
    }
    crcs
}

fn drain(engine: &mut LockStep<Crc32>, seed: u32) -> Vec<u32> {
    let idle = Crc32In { cfg_seed: seed, ..Crc32In::default() };
    let outs = (0..Hdl::<64, 8, 1>::LATENCY_CYCLES).map(|_| engine.step(&idle).expect("equal"));
    outs.filter(|out| out.m_valid).map(|out| out.m_crc).collect()
}

/// Check values of CRC-32/ISO-HDLC as published in catalogues of CRC algorithms.
const KNOWN: [(&[u8], u32); 5] = [
    (b"123456789", 0xcbf4_3926),
    (b"a", 0xe8b7_be43),
    (b"abc", 0x3524_41c2),
    (b"The quick brown fox jumps over the lazy dog", 0x414f_a339),
    (&[0; 32], 0x190a_55ad),
];

#[test]
fn crc32_gives_published_values_back_to_back() {
    let mut engine = engine();
    let mut crcs = Vec::new();
    for _ in 0..3 {
        for (frame, _) in KNOWN {
            crcs.extend(send(&mut engine, u32::MAX, frame, 0));
        }
    }
    crcs.extend(drain(&mut engine, u32::MAX));
    let expected: Vec<u32> = (0..3).flat_map(|_| KNOWN.map(|(_, crc)| crc)).collect();
    assert_eq!(crcs, expected);
}

#[test]
fn crc32_undoes_skipped_bytes_by_its_seed() {
    for skip in 0..8 {
        let seed = rewind(u32::MAX, skip);
        let mut engine = engine();
        let mut crcs = send(&mut engine, seed, b"123456789", skip);
        crcs.extend(drain(&mut engine, seed));
        assert_eq!(crcs, [0xcbf4_3926], "skip {skip}");
    }
    // The RoCE ICRC starts with eight bytes of ones.
    let after_ones = (0..8).fold(u32::MAX, |s, _| advance(s, 0xff));
    let mut engine = engine();
    let mut crcs = send(&mut engine, after_ones, b"xyz", 0);
    crcs.extend(drain(&mut engine, after_ones));
    assert_eq!(crcs, [crc32(b"\xff\xff\xff\xff\xff\xff\xff\xffxyz")]);
}

ports! {
    struct WideIn {
        pub reset: bool, pub cfg_seed: u32, pub s_valid: bool, pub s_data: Wide<8>,
        pub s_keep: u64, pub s_last: bool,
    }
}

/// Published values at another width: one frame after the other, without gaps.
fn check_width(
    name: &str,
    source: &nic_harness::verilator::Source,
    beat_bytes: usize,
    latency: usize,
) {
    let model = source.model(Flavour::Fast).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut dut = Dut::<WideIn, Crc32Out>::new(&model, 1).expect("starts");
    dut.reset().expect("resets");
    let mut crcs = Vec::new();
    let mut take = |out: Crc32Out| crcs.extend(out.m_valid.then_some(out.m_crc));
    for (frame, _) in KNOWN {
        let chunks = frame.chunks(beat_bytes);
        let last = chunks.len() - 1;
        for (i, bytes) in chunks.enumerate() {
            let mut pins = WideIn { cfg_seed: u32::MAX, s_valid: true, ..WideIn::default() };
            for (lane, byte) in bytes.iter().enumerate() {
                pins.s_data.0[lane / 8] |= u64::from(*byte) << (8 * (lane % 8));
                pins.s_keep |= 1 << lane;
            }
            pins.s_last = i == last;
            take(dut.step(&pins).expect("registers"));
        }
    }
    let idle = WideIn { cfg_seed: u32::MAX, ..WideIn::default() };
    (0..latency).for_each(|_| take(dut.step(&idle).expect("registers")));
    assert_eq!(crcs, KNOWN.map(|(_, crc)| crc), "{name}");
}

#[test]
fn crc32_gives_published_values_at_8_32_and_512_bits() {
    let source = verilog_of(emit("crc32_8", Hdl::<8, 1, 1>::default(), &gbe()));
    check_width("crc32_8", &source, 1, Hdl::<8, 1, 1>::LATENCY_CYCLES);
    let source = verilog_of(emit("crc32_32", Hdl::<32, 4, 1>::default(), &gbe()));
    check_width("crc32_32", &source, 4, Hdl::<32, 4, 1>::LATENCY_CYCLES);
    let source = verilog_of(emit("crc32_512", Hdl::<512, 64, 1>::default(), &gbe()));
    check_width("crc32_512", &source, 64, Hdl::<512, 64, 1>::LATENCY_CYCLES);
}

/// Frames that are multiples of 2, 4 or 8 bytes get their CRC sooner; other lengths count up to
/// the next multiple, with zeros.
#[test]
fn crc32_of_coarse_frames_matches_golden() {
    let [two, four, eight] = [
        emit("crc32_2", Hdl::<64, 8, 2>::default(), &gbe()),
        emit("crc32_4", Hdl::<64, 8, 4>::default(), &gbe()),
        emit("crc32_8", Hdl::<64, 8, 8>::default(), &gbe()),
    ];
    for (grain, latency, design) in [(2, 4, two), (4, 3, four), (8, 2, eight)] {
        let mut golden = Crc32::new(8, grain);
        assert_eq!(golden.latency_cycles(), latency);
        // "12345678" and "9" with zeros up to the multiple.
        golden.step(false, u32::MAX, Some((b"12345678", 0xff, false)));
        golden.step(false, u32::MAX, Some((b"9.......", 0x01, true)));
        (1..latency).for_each(|_| golden.step(false, u32::MAX, None));
        let mut message = b"123456789".to_vec();
        message.resize(message.len().next_multiple_of(grain), 0);
        assert_eq!((golden.m_valid(), golden.m_crc()), (true, crc32(&message)));

        let mut engine = lock_step(Crc32::new(8, grain), &verilog_of(design), grain as u64);
        let mut rng = ChaCha8Rng::seed_from_u64(grain as u64);
        for _ in 0..20_000 {
            let s_last = rng.gen_ratio(1, 4);
            let s_keep = if s_last { 0xff >> rng.gen_range(0..8) } else { 0xff };
            let (s_valid, s_data) = (rng.gen_ratio(7, 8), rng.gen());
            let reset = rng.gen_ratio(1, 2000);
            let pins = Crc32In { reset, cfg_seed: u32::MAX, s_valid, s_data, s_keep, s_last };
            engine.step(&pins).unwrap_or_else(|e| panic!("grain {grain}: {e}"));
        }
    }
}

#[test]
fn crc32_rewind_undoes_zero_bytes() {
    let after = (0..5).fold(0x1234_5678, |s, _| advance(s, 0));
    assert_eq!(rewind(after, 5), 0x1234_5678);
}

#[test]
fn crc32_breaks_are_caught() {
    let breaks = [("32'h64428d55", "32'h64428d54"), ("first_1 ? cfg_seed : state", "state")];
    assert_catches("crc32", 2000, &breaks);
}
