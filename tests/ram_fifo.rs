//! ram_fifo: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn ram_fifo_matches_golden() {
    assert_matches_golden("ram_fifo", 0..4, 50_000, &[]);
}
