//! stream_route: Verilog against golden model.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn stream_route_matches_golden() {
    assert_matches_golden("stream_route", 0..4, 50_000, &[]);
}

#[test]
fn stream_route_breaks_are_caught() {
    let breaks = [("m_b_ready | !b_full", "1'b1"), ("a_full <= !s_data[WIDTH]", "a_full <= 1'b1")];
    assert_catches("stream_route", 2000, &breaks);
}
