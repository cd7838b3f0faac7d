//! write_mux: Verilog against golden model, and the scoreboard of the bench.

use nic_harness::lockstep::Stepper;
use nic_hdl::host::write_mux::LATENCY_CYCLES;
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
    for cycle in 0..20 {
        let out = engine.step(&without).expect("equal");
        // Behind the edge of cycle 0 there is room for one more of each port.
        let readies = [out.s_a_cmd.ready, out.s_b_cmd.ready, out.s_c_cmd.ready];
        assert_eq!(readies, [cycle == 0; 3], "two commands of each port wait inside");
        assert!(!out.m_cmd.valid);
    }
    let beat = AxisWords { tvalid: true, tdata: 7.into(), tlast: true };
    let mut out = engine.step(&WriteMuxIn { s_c_data: beat, ..without }).expect("equal");
    for _ in 0..5 {
        if out.m_cmd.valid {
            break;
        }
        out = engine.step(&idle).expect("equal");
    }
    assert_eq!(out.m_cmd.tag, 3 | 0b11 << 126, "port c");
}

/// A command whose data stands leaves as late as the header says, and so does one without bytes.
#[test]
fn write_mux_latency_is_what_the_header_says() {
    let (_, source) = bench_and_verilog("write_mux");
    for bytes in [0, 8] {
        let mut engine = lock_step(WriteMux::default(), &source, 1);
        let idle = WriteMuxIn { m_cmd: ReadyPort { ready: true }, ..WriteMuxIn::default() };
        let beat = AxisWords { tvalid: bytes > 0, tdata: 7.into(), tlast: true };
        engine.step(&WriteMuxIn { s_a_data: beat, ..idle }).expect("equal");
        let s_a_cmd = WriteCommand { valid: true, addr: 0x1000, bytes, tag: 1 };
        let mut out = engine.step(&WriteMuxIn { s_a_cmd, ..idle }).expect("equal");
        for _ in 1..LATENCY_CYCLES {
            assert!(!out.m_cmd.valid);
            out = engine.step(&idle).expect("equal");
        }
        assert!(out.m_cmd.valid, "{bytes} bytes");
    }
}

/// Frames of a beat of one port, with so many cycles between beats: each has its own data, and none
/// leaves for a beat that belongs to the one before.
#[test]
fn write_mux_never_takes_the_beat_that_leaves_for_the_next_frame() {
    let (_, source) = bench_and_verilog("write_mux");
    for gap in 0..8 {
        let mut engine = lock_step(WriteMux::default(), &source, 1);
        let s_a_cmd = WriteCommand { valid: true, addr: 0x1000, bytes: 8, tag: 1 };
        let (mut beats, mut cmd_count, mut data_count) = (0, 0, 0);
        for cycle in 0..100 {
            let tvalid = cycle % (gap + 1) == 0;
            let out = engine.step(&WriteMuxIn {
                s_a_cmd,
                s_a_data: AxisWords { tvalid, tdata: 7.into(), tlast: true },
                m_cmd: ReadyPort { ready: true },
                m_data: TreadyPort { tready: true },
                ..WriteMuxIn::default()
            });
            let out = out.expect("equal");
            beats += usize::from(tvalid);
            cmd_count += usize::from(out.m_cmd.valid);
            data_count += usize::from(out.m_data.tvalid);
            assert!(cmd_count <= beats && data_count <= cmd_count && cmd_count <= data_count + 1);
        }
        assert!(data_count > 10, "with {gap} cycles between beats");
    }
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
    assert!(taken(&mut mux, &i).abs_diff(300) <= 2, "of one whose frames have a beat likewise");
}

#[test]
fn write_mux_breaks_are_caught() {
    let breaks = [
        // A command does not wait for its frame.
        ("waiting_0_m_valid & (begun[0] | (!(|one_cmd[76:64])))", "waiting_0_m_valid"),
        // A beat that moves counts for the next command.
        ("data_2_m_valid & (!leaves | !data_2_s_ready)", "data_2_m_valid"),
        // A command is taken that finds no room, and lost.
        ("s_b_cmd_ready = waiting_1_s_ready", "s_b_cmd_ready = 1'b1"),
        // A command that has started stays, and starts once more.
        ("waiting_0_m_ready = turn_take[0]", "waiting_0_m_ready = 1'b0"),
        ("from_next = turn_take", "from_next = 3'd1"),
        // A command starts in the middle of a frame.
        ("(moved & is_last)", "moved"),
        // The ring's are the completer's.
        ("s_c_cmd_tag} | ring_bits", "s_c_cmd_tag} | completer_bits"),
        ("others_s_data = others_s_data | ring_bit", "others_s_data = others_s_data"),
        ("others_s_data = others_s_data | other_error_bit", "others_s_data = others_s_data"),
    ];
    assert_catches("write_mux", 20_000, &breaks);
    let wide = [
        ("is_last = head[512]", "is_last = 1'b0"),
        // A command waits until the beat behind the one that moves has moved up.
        ("data_0_m_valid & (!leaves | !data_0_s_ready)", "data_0_m_valid & !leaves"),
    ];
    assert_runs_catch(&[Runs::of_block("write_mux", &hundred(), [1], 20_000)], &wide);
}
