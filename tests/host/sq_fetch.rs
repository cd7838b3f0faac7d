//! sq_fetch: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden, assert_runs_catch, hundred, Runs};

#[test]
fn sq_fetch_matches_golden() {
    let fixed = ["s_axis_tready"];
    assert_matches_golden("sq_fetch", 0..4, 60_000, &fixed);
    Runs::of_block("sq_fetch", &hundred(), 0..4, 60_000).assert_match_golden(&fixed);
}

#[test]
fn sq_fetch_breaks_are_caught() {
    let breaks = [
        // A flow that a failed fetch has stopped goes on.
        ("new_stop = 1'b1", "new_stop = 1'b0"),
        // More than the send queue holds.
        ("& keeps_one;", "& 1'b1;"),
        ("& keeps_credit;", "& 1'b1;"),
        // A row is read before the operation ahead has written it.
        ("is_own = executes & (flow == exec_flow)", "is_own = 1'b0"),
        ("is_own & !are_credits", "1'b0"),
        ("(is_done & (flow == book_flow))", "1'b0"),
        // A credit goes on with the row of before the credit ahead, or forgets it.
        ("if (follows) begin", "if (1'b0) begin"),
        ("followed <= follows", "followed <= 1'b0"),
        // A fetch begins before the one ahead has taken its slot.
        ("slots_before = 4'd6", "slots_before = 4'd7"),
        ("slots_last = 4'd7", "slots_last = 4'd15"),
        // Or while its command may stand.
        ("(m_cmd_ready | ", "(1'b1 | "),
        // A beat goes past those that wait.
        ("passes = rows_takes & (!(|beats_count))", "passes = rows_takes"),
        // The last beat of a work request is the one before.
        ("last_part = 4'd7", "last_part = 4'd6"),
        // A beat that memory refused counts.
        ("if (beat[64])", "if (1'b0)"),
    ];
    assert_catches("sq_fetch", 200_000, &breaks);
    let wide = [
        // A read goes on into the next group, so around the ring too.
        ("to_group_end = group_rest + 9'd1", "to_group_end = group_less + 9'd1"),
        // A read is longer than the ring.
        (" & (~(all_ones << log2))", ""),
        // More than the send queue has room for, or than was told.
        ("has_credit <= free >= group", "has_credit <= free > group"),
        ("free >= group_but_one", "free > group_but_one"),
        // One that the queue pair before had posted counts as room.
        ("is_whole <= free == depth", "is_whole <= 1'b0"),
        ("kept = group + to_group_end", "kept = to_group_end"),
        ("depth_next = least_depth << 2", "depth_next = least_depth << 3"),
        ("if (is_few & (told < to_group_end))", "if (1'b0)"),
        // The work requests of a read are one.
        ("is_more = next_count != order_count", "is_more = 1'b0"),
        // The one that could not be read is named by the first of its read.
        ("order[15:0] + {13'd0, count}", "order[15:0]"),
        // A read takes no more slots than one work request.
        ("slots_more = {6'd0, book_count}", "slots_more = 9'd1"),
        // A beat is not taken as the one before it leaves.
        ("|\n        follows;", "|\n        1'b0;"),
    ];
    assert_runs_catch(&[Runs::of_block("sq_fetch", &hundred(), 1..5, 60_000)], &wide);
}
