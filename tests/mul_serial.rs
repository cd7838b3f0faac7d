//! mul_serial: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn mul_serial_matches_golden() {
    assert_matches_golden("mul_serial", 0..4, 50_000, &[]);
}
