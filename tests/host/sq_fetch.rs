//! sq_fetch: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn sq_fetch_matches_golden() {
    let fixed = ["m_cmd_bytes", "s_axis_tready"];
    assert_matches_golden("sq_fetch", 0..4, 60_000, &fixed);
}

#[test]
fn sq_fetch_breaks_are_caught() {
    // A flow that a failed fetch has stopped goes on.
    assert_catches("sq_fetch", "new_stop = 1'b1", "new_stop = 1'b0", 60_000);
    // More than the send queue holds.
    assert_catches("sq_fetch", "(in_more != depth)", "1'b1", 200_000);
    // A beat goes past those that wait.
    assert_catches("sq_fetch", "passes = takes & (!(|beats_count))", "passes = takes", 20_000);
}
