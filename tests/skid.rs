//! skid: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn skid_matches_golden() {
    assert_matches_golden("skid", 0..4, 50_000, &[]);
}
