//! frame_fifo: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn frame_fifo_matches_golden() {
    assert_matches_golden("frame_fifo", 0..4, 50_000, &[]);
}
