//! sq_fetch: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden, assert_runs_catch, hundred, Runs};

#[test]
fn sq_fetch_matches_golden() {
    let fixed = ["m_cmd_bytes", "s_axis_tready"];
    assert_matches_golden("sq_fetch", 0..4, 60_000, &fixed);
    Runs::of_block("sq_fetch", &hundred(), 0..4, 60_000).assert_match_golden(&fixed);
}

#[test]
fn sq_fetch_breaks_are_caught() {
    let breaks = [
        // A flow that a failed fetch has stopped goes on.
        ("new_stop = 1'b1", "new_stop = 1'b0"),
        // More than the send queue holds.
        ("(in_more != depth)", "1'b1"),
        // A row is read before the operation ahead has written it.
        ("(executes & (flow == exec_flow))", "1'b0"),
        ("(is_done & (flow == book_flow))", "1'b0"),
        // A fetch begins before the one ahead has taken its slot.
        ("slots_last = 4'd7", "slots_last = 4'd15"),
        // Or while its command may stand.
        ("(m_cmd_ready | ", "(1'b1 | "),
        // A beat goes past those that wait.
        ("passes = takes & (!(|beats_count))", "passes = takes"),
    ];
    assert_catches("sq_fetch", 200_000, &breaks);
    // The one beat of a work request is not its last.
    let wide = [("if (beat[320])", "if (1'b0)")];
    assert_runs_catch(&[Runs::of_block("sq_fetch", &hundred(), [1], 20_000)], &wide);
}
