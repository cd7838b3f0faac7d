//! read_mux: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn read_mux_matches_golden() {
    assert_matches_golden("read_mux", 0..4, 40_000, &[]);
}

#[test]
fn read_mux_breaks_are_caught() {
    assert_catches("read_mux", "s_wr_ready = free & is_wr_turn", "s_wr_ready = free", 5_000);
}
