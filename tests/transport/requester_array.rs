//! Requesters side by side against their golden twin.

use rdma_nic::{assert_runs_catch, hundred, Runs};

#[test]
fn requester_array_matches_golden() {
    Runs::of_block("requester_array", &hundred(), 1..5, 60_000).assert_match_golden(&[]);
}
