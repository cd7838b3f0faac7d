//! The serial line's blocks: Verilog against golden model, and both against the standard.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_models::golden::host::uart::{
    UartDeframer, UartDeframerIn, UartFramer, UartFramerIn, UartRx, UartRxIn, UartTx, UartTxIn,
};
use nic_sim::bench::uart::STEP;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, lock_step};

/// RFC 1662: `123456789` with its check sequence, 0x906e, and a flag.
const FRAME: &[u8] = b"123456789\x6e\x90\x7e";

#[test]
fn uart_blocks_match_golden() {
    for block in ["uart_rx", "uart_tx", "uart_deframer", "uart_framer"] {
        assert_matches_golden(block, 0..4, 50_000, &[]);
    }
}

#[test]
fn uart_rx_finds_the_bytes_that_tx_sends() {
    let (tx, rx) = (bench_and_verilog("uart_tx").1, bench_and_verilog("uart_rx").1);
    let mut tx = lock_step(UartTx::new(STEP), &tx, 1);
    let mut rx = lock_step(UartRx::new(STEP), &rx, 2);
    let (mut next, mut found, mut cycles) = (0u8, vec![], 0u64);
    let mut ready = true;
    while found.len() < 256 {
        let out = tx.step(&UartTxIn { s_valid: true, s_data: next, reset: false }).expect("equal");
        next = next.wrapping_add(u8::from(ready));
        ready = out.s_ready;
        let got = rx.step(&UartRxIn { line: out.line, reset: false }).expect("equal");
        assert!(!got.event_broken);
        found.extend(got.m_valid.then_some(got.m_data));
        cycles += 1;
    }
    assert_eq!(found, (0..=255).collect::<Vec<u8>>());
    // 10 bits of 5 1/3 cycles, and one.
    assert!(cycles <= 256 * 55 + 60, "{cycles} cycles");
}

fn deframe(engine: &mut LockStep<UartDeframer>, line: &[u8]) -> Vec<u16> {
    let mut items = vec![];
    for byte in line {
        let mut pins = UartDeframerIn { s_valid: true, s_data: *byte, m_ready: true, reset: false };
        let out = engine.step(&pins).expect("equal");
        items.extend(out.m_valid.then_some(out.m_data));
        pins.s_valid = false;
        engine.step(&pins).expect("equal");
    }
    items
}

#[test]
fn uart_deframer_takes_the_standards_frame_and_finds_the_next_after_a_fault() {
    let source = bench_and_verilog("uart_deframer").1;
    let mut engine = lock_step(UartDeframer::default(), &source, 1);
    let content: Vec<u16> = b"123456789".iter().map(|b| u16::from(*b)).collect();
    let whole = [&content[..], &[0x300]].concat();
    assert_eq!(deframe(&mut engine, FRAME), whole);
    // Flags side by side are one; escapes are undone.
    assert_eq!(deframe(&mut engine, b"\x7e\x7e\x7d\x111\x7e")[..], [0x100], "too short");
    let escaped = [b"\x7d\x11", &FRAME[1..]].concat();
    assert_eq!(deframe(&mut engine, &escaped), whole);
    // Each broken byte costs the frame that it is in, or with the flag that one and the next.
    for at in 0..FRAME.len() {
        let mut broken = [FRAME, FRAME, FRAME].concat();
        broken[at] ^= 4;
        let items = deframe(&mut engine, &broken);
        assert!(items.ends_with(&whole), "byte {at}");
        let ends: Vec<_> = items.iter().filter(|i| *i & 0x100 != 0).collect();
        let lost = if at == FRAME.len() - 1 { 2 } else { 3 };
        assert_eq!(ends.len(), lost, "byte {at}");
        assert_eq!(*ends[0], 0x100, "byte {at}");
    }
}

#[test]
fn uart_framer_makes_the_standards_frame() {
    let source = bench_and_verilog("uart_framer").1;
    let mut engine = lock_step(UartFramer::default(), &source, 1);
    let mut line = vec![];
    let items = b"123456789".iter().map(|b| u16::from(*b)).chain([0x100]);
    for item in items.chain([0x7e, 0x7d, 0x100]) {
        let mut pins = UartFramerIn { s_valid: true, s_data: item, m_ready: true, reset: false };
        loop {
            let out = engine.step(&pins).expect("equal");
            pins.s_valid = false;
            line.extend(out.m_valid.then_some(out.m_data));
            if out.s_ready {
                break;
            }
        }
    }
    assert_eq!(&line[..FRAME.len()], FRAME);
    assert_eq!(&line[FRAME.len()..][..4], b"\x7d\x5e\x7d\x5d");
    assert_eq!(line.last(), Some(&0x7e));
}

#[test]
fn uart_breaks_are_caught() {
    let half = ("half_bit = 16'h8000", "half_bit = 16'h0000");
    assert_catches("uart_rx", 2000, &[half, ("broken_next = !level", "broken_next = 1'b0")]);
    assert_catches("uart_tx", 2000, &[("bits_left == one", "bits_left == all")]);
    let deframer = [("good = 16'hf0b8", "good = 16'h0000"), ("!escaped", "escaped")];
    assert_catches("uart_deframer", 2000, &deframer);
    assert_catches("uart_framer", 2000, &[("inverse[15:8]", "inverse[7:0]")]);
}
