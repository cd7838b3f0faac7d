//! mul_pipe: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn mul_pipe_matches_golden() {
    assert_matches_golden("mul_pipe", 0..4, 50_000, &[]);
}
