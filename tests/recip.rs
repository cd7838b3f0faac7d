//! recip: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn recip_matches_golden() {
    assert_matches_golden("recip", 0..4, 50_000, &[]);
}
