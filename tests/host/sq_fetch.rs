//! sq_fetch: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn sq_fetch_matches_golden() {
    let fixed = ["m_cmd_bytes", "s_axis_tready"];
    assert_matches_golden("sq_fetch", 0..4, 60_000, &fixed);
}

#[test]
fn sq_fetch_breaks_are_caught() {
    let breaks = [
        // A flow that a failed fetch has stopped goes on.
        ("new_stop = 1'b1", "new_stop = 1'b0"),
        // More than the send queue holds.
        ("(in_more != depth)", "1'b1"),
        // A beat goes past those that wait.
        ("passes = takes & (!(|beats_count))", "passes = takes"),
    ];
    assert_catches("sq_fetch", 200_000, &breaks);
}
