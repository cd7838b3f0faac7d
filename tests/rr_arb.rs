//! rr_arb: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn rr_arb_matches_golden() {
    assert_matches_golden("rr_arb", 0..4, 50_000, &[]);
}
