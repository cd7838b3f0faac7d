//! write_mux: Verilog against golden model, and the scoreboard of the bench.

use nic_harness::lockstep::Stepper;
use nic_models::golden::host::write_mux::{WriteMux, WriteMuxIn};
use nic_models::ports::Golden;
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

/// Frames of two ports may share a buffer: a command whose frame is not there yet must not hold up
/// the other port, whose frame may be the one in front.
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
    // Port a goes first, but has no data, and neither has b.
    let without = WriteMuxIn { s_a_cmd: cmd(1), s_b_cmd: cmd(2), s_c_cmd: cmd(3), ..idle };
    for _ in 0..20 {
        let out = engine.step(&without).expect("equal");
        let readies = [out.s_a_cmd.ready, out.s_b_cmd.ready, out.s_c_cmd.ready];
        assert!(!out.m_cmd.valid && readies == [false; 3]);
    }
    let beat = AxisWords { tvalid: true, tdata: 7.into(), tlast: true };
    let mut out = engine.step(&WriteMuxIn { s_c_data: beat, ..without }).expect("equal");
    for _ in 0..5 {
        if out.m_cmd.valid {
            break;
        }
        out = engine.step(&without).expect("equal");
    }
    assert_eq!(out.m_cmd.tag, 3 | 0b11 << 126, "port c");
}

/// All that is sent without a pause leaves in the time that the header says.
#[test]
fn write_mux_takes_a_command_every_other_cycle() {
    let mut mux = WriteMux::default();
    let mut i = WriteMuxIn { reset: true, ..WriteMuxIn::default() };
    mux.step(&i);
    let cmd = |bytes| WriteCommand { valid: true, addr: 0x1000, bytes, tag: 1 };
    let beat = AxisWords { tvalid: true, tdata: 7.into(), tlast: true };
    i = WriteMuxIn {
        m_cmd: ReadyPort { ready: true },
        m_data: TreadyPort { tready: true },
        s_a_cmd: cmd(8),
        s_a_data: beat,
        s_b_cmd: cmd(0),
        s_c_cmd: cmd(8),
        s_c_data: beat,
        ..WriteMuxIn::default()
    };
    let taken = |mux: &mut WriteMux, i: &WriteMuxIn| -> usize {
        (0..600).filter(|_| mux.step(i).m_cmd.valid).count()
    };
    assert!(taken(&mut mux, &i).abs_diff(300) <= 2, "of three ports one every 2 cycles");
    (i.s_b_cmd.valid, i.s_c_cmd.valid) = (false, false);
    assert!(taken(&mut mux, &i).abs_diff(200) <= 2, "of one whose frames have a beat every 3");
}

#[test]
fn write_mux_breaks_are_caught() {
    let breaks = [
        // A command does not wait for its frame.
        ("offers[0] & (begun[0] | (!(|one_cmd[76:64])))", "offers[0]"),
        // A beat that moves counts for the next command.
        ("data_2_m_valid & (!(moved & from[2]))", "data_2_m_valid"),
        ("from_next = turn_take", "from_next = 3'd1"),
        // A command starts in the middle of a frame.
        ("(moved & is_last)", "moved"),
        // The ring's are the completer's.
        ("s_c_cmd_tag} | ring_bits", "s_c_cmd_tag} | completer_bits"),
        ("others_s_data = others_s_data | ring_bit", "others_s_data = others_s_data"),
        ("others_s_data = others_s_data | other_error_bit", "others_s_data = others_s_data"),
    ];
    assert_catches("write_mux", 20_000, &breaks);
    let wide = [("is_last = head[512]", "is_last = 1'b0")];
    assert_runs_catch(&[Runs::of_block("write_mux", &hundred(), [1], 20_000)], &wide);
}
