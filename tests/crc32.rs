//! crc32: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn crc32_matches_golden() {
    assert_matches_golden("crc32", 0..4, 50_000, &[]);
}
