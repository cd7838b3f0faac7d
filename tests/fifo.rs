//! fifo: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn fifo_matches_golden() {
    assert_matches_golden("fifo", 0..4, 50_000, &[]);
}
