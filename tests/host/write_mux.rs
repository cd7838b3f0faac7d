//! write_mux: Verilog against golden model, and the scoreboard of the bench.

use nic_harness::lockstep::Stepper;
use nic_models::golden::host::write_mux::{WriteMux, WriteMuxIn};
use nic_models::streams::{AxisWords, ReadyPort, TreadyPort, WriteCommand};
use rdma_nic::{
    assert_catches, assert_matches_golden, assert_runs_catch, bench_and_verilog, hundred,
    lock_step, Runs,
};

#[test]
fn write_mux_matches_golden() {
    assert_matches_golden("write_mux", 0..4, 100_000, &[]);
    Runs::of_block("write_mux", &hundred(), 0..4, 100_000).assert_match_golden(&[]);
}

/// Frames of both ports may share a buffer: a command whose frame is not there yet must not hold
/// up the other port, whose frame may be the one in front.
#[test]
fn write_mux_never_waits_for_a_frame_that_has_not_come() {
    let (_, source) = bench_and_verilog("write_mux");
    let mut engine = lock_step(WriteMux::default(), &source, 1);
    let cmd = |tag| WriteCommand { valid: true, addr: 0x1000, bytes: 8, tag };
    let idle = WriteMuxIn {
        m_cmd: ReadyPort { ready: true },
        m_data: TreadyPort { tready: true },
        ..WriteMuxIn::default()
    };
    // Port a goes first, but has no data.
    let without = WriteMuxIn { s_a_cmd: cmd(1), s_b_cmd: cmd(2), ..idle };
    for _ in 0..20 {
        let out = engine.step(&without).expect("equal");
        assert!(!out.m_cmd.valid && !out.s_a_cmd.ready && !out.s_b_cmd.ready);
    }
    let beat = AxisWords { tvalid: true, tdata: 7.into(), tlast: true };
    let mut out = engine.step(&WriteMuxIn { s_b_data: beat, ..without }).expect("equal");
    for _ in 0..5 {
        if out.m_cmd.valid {
            break;
        }
        out = engine.step(&without).expect("equal");
    }
    assert_eq!(out.m_cmd.tag, 2 | 1 << 127, "port b");
}

#[test]
fn write_mux_breaks_are_caught() {
    let breaks = [
        ("s_a_cmd_valid & (a_data_m_valid | (s_a_cmd_bytes == no_bytes))", "s_a_cmd_valid"),
        ("from_b_next = 1'b1", "from_b_next = 1'b0"),
    ];
    assert_catches("write_mux", 20_000, &breaks);
    let wide = [("beat_last_next = head[512]", "beat_last_next = 1'b0")];
    assert_runs_catch(&[Runs::of_block("write_mux", &hundred(), [1], 20_000)], &wide);
}
