//! work_mux: Verilog against golden model.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn work_mux_matches_golden() {
    assert_matches_golden("work_mux", 0..4, 50_000, &[]);
}

#[test]
fn work_mux_breaks_are_caught() {
    let breaks = [("if (mux_m_is_b)", "if (!mux_m_is_b)")];
    assert_catches("work_mux", 2000, &breaks);
}
