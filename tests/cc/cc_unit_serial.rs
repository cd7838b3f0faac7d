//! cc_unit_serial: Verilog against golden model, and the claims of its header.

use crate::driver::{cfg_of, parameters, port, Driver};
use nic_harness::verilator::Source;
use nic_hdl::cc::serial::unit::{
    latency_cycles, COMMAND_CYCLES, DROP_CYCLES, HOLD_CYCLES, STORE_CYCLES,
};
use nic_models::golden::cc::serial::unit::CcUnitSerial;
use nic_models::golden::cc::unit::OP_CREATE;
use nic_models::streams::{AckTelemetry, FlowCommand};
use nic_sim::bench;
use nic_sim::bench::cc::acks::RandomAcks;
use nic_spec::cc_params::CcConfig;
use nic_spec::NicConfig;
use rdma_nic::{assert_runs_catch, cu, lock_step, Runs};

fn emitted() -> Source {
    bench::emitted("cc_unit_serial", &cu()).unwrap_or_else(|e| panic!("{e}"))
}

fn broken(whole: &Source, from: &str, to: &str) -> Source {
    assert!(whole.text.contains(from), "the Verilog has no {from:?}");
    let mut broken = whole.clone();
    broken.text = broken.text.replacen(from, to, 1);
    broken
}

#[test]
fn cc_unit_serial_matches_golden() {
    for (flow_count, seeds) in [(8, 0..6), (4, 0..4)] {
        let config = NicConfig { flow_count, ..cu() };
        Runs::of_block("cc_unit_serial", &config, seeds, 400_000).assert_match_golden(&[]);
    }
}

#[test]
fn cc_unit_serial_breaks_are_caught() {
    let breaks = [
        // Arithmetic: a borrow, the last bit of a product, a byte too far, a bit of the segment.
        ("less_next = !total[65]", "less_next = total[63]"),
        ("after = total[65:2]", "after = {1'b0, total[64:2]}"),
        ("bits_9 = now[63:9]", "bits_9 = now[63:9] | {47'd0, now[7:0]}"),
        ("segment_next = factor[31:23]", "segment_next = factor[30:22]"),
        ("low[22:10]", "{low[22:11], 1'b0}"),
        ("factor & high_half", "factor"),
        ("exponent + wide_code", "exponent"),
        // The event: a path that differs in some bits, a rate that is none, a hop too few, more than five.
        ("{20'd0, s_ack_tel_path} << 16", "{20'd0, s_ack_tel_path & 12'hfc0} << 16"),
        ("(code_1 != code_5) && ", ""),
        ("next_hop == s_ack_tel_hops", "hop + 3'd2 == s_ack_tel_hops"),
        ("s_ack_tel_hops < hops_above", "s_ack_tel_hops <= hops_above"),
        // The worst hop is the one behind it, or that of the ACK before.
        ("worst_now_next = hop_now", "worst_now_next = hop_now + 3'd1"),
        ("worst_now_next = no_hop", "worst_now_next = worst_now"),
        // Order and ends: an ACK first, the word of another hop, events, what waits is overwritten.
        ("command_next = s_flow_valid", "command_next = s_flow_valid && !s_ack_valid"),
        ("hop_row = {2'd0, hop_now} << 2", "hop_row = {2'd0, hop_now & 3'd3} << 2"),
        ("e_bytes <= is_bad && flags[4] && !flags[3]", "e_bytes <= is_bad && flags[4]"),
        ("own[2] = result_waits", "own[2] = 1'b0"),
        // W_ai in two halves of different times.
        ("{22'd0, w_ai_low} << 22", "cfg_w_ai << 22"),
        // A way is longer than its time.
        ("timer_next = row[19:10]", "timer_next = {1'b0, row[18:10]} >> 1"),
    ];
    assert_runs_catch(&[Runs::of_block("cc_unit_serial", &cu(), 1..25, 400_000)], &breaks);
}

/// The window after a path has been idle for T, in lock-step: U is 0, and Wc eta/U is beyond all bounds.
fn window_of_idle_path(source: &Source) -> u32 {
    let config = CcConfig { max_stage: 0, ..port() };
    let mut unit = lock_step(CcUnitSerial::new(&cu()), source, 2);
    let mut driver = Driver::new(&mut unit, cfg_of(&config), 8);
    let mut ack = AckTelemetry { valid: true, flow: 2, psn: 7, snd_nxt: 9, ..Default::default() };
    (ack.tel.valid, ack.tel.hops) = (true, 1);
    driver.ack(ack);
    ack.tel.hop[0] = u64::from(config.t_ns) << 3;
    driver.ack(ack);
    driver.idle(2);
    let last = driver.answers.last().expect("it answers").1;
    assert_eq!(last.u, 0);
    last.window_bytes
}

#[test]
fn cc_unit_serial_opens_the_window_of_an_idle_path() {
    let whole = emitted();
    assert_eq!(window_of_idle_path(&whole), 162_500);
    // Wc eta/U is 2^32 - 2^-16 then, so W_ai makes a carry.
    let broken = broken(&whole, "less_next = total[65]", "less_next = 1'b0");
    std::panic::catch_unwind(|| window_of_idle_path(&broken)).expect_err("the carry is needed");
}

/// An ACK of a flow that was never created is dropped, whatever memory held before.
fn drop_of_no_flow(source: &Source) {
    let mut unit = lock_step(CcUnitSerial::new(&cu()), source, 3);
    let mut driver = Driver::new(&mut unit, parameters(), 4);
    let mut peers = RandomAcks::new(3, 8);
    for flow in 4..8 {
        let mut ack = peers.ack_of(flow);
        ack.tel.valid = true;
        let begin = driver.cycle;
        assert_eq!((driver.ack(ack) - begin) as usize, DROP_CYCLES);
    }
    assert!(driver.answers.is_empty());
}

#[test]
fn cc_unit_serial_has_no_flow_after_reset() {
    let whole = emitted();
    drop_of_no_flow(&whole);
    let broken = broken(&whole, "memory_write_data = 32'd0", "memory_write_data = 32'd1");
    std::panic::catch_unwind(|| drop_of_no_flow(&broken)).expect_err("flows must be cleared");
}

#[test]
fn cc_unit_serial_keeps_its_latency() {
    let mut unit = lock_step(CcUnitSerial::new(&cu()), &emitted(), 1);
    let mut driver = Driver::new(&mut unit, parameters(), 8);
    let mut peers = RandomAcks::new(1, 8);
    let mut ack = peers.ack_of(3);
    (ack.tel.valid, ack.tel.path) = (true, 0);
    let mut timed = |ack: AckTelemetry| {
        let begin = driver.cycle;
        let taken = driver.ack(ack) - begin;
        let answered = driver.answers.last().is_some_and(|(cycle, _)| *cycle == begin + taken);
        (taken as usize, answered)
    };
    for hops in 1..=5 {
        ack.tel.hops = hops;
        ack.tel.path += 1;
        let first = HOLD_CYCLES + STORE_CYCLES * usize::from(hops);
        // The one behind it begins in the next cycle.
        assert_eq!(timed(ack), (first, true));
        for spread in [0_u64, 1, 1 << 23, 0xff_ffff] {
            ack.tel.hop = ack.tel.hop.map(|hop| hop ^ spread << 3 ^ spread << 40);
            assert_eq!(timed(ack), (latency_cycles(hops.into()), true));
        }
    }
    ack.tel.hops = 6;
    assert_eq!(timed(ack), (HOLD_CYCLES, true));
    ack.tel.valid = false;
    assert_eq!(timed(ack), (DROP_CYCLES, false));
    let command =
        FlowCommand { valid: true, flow: 1, op: OP_CREATE, window_bytes: 5, ..Default::default() };
    let begin = driver.cycle;
    while !driver.step(None, Some(command)).1 {}
    assert_eq!((driver.cycle - 1 - begin) as usize, COMMAND_CYCLES);
}
