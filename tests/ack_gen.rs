//! ack_gen: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn ack_gen_matches_golden() {
    assert_matches_golden("ack_gen", 0..4, 50_000, &["m_cqe_status", "m_cqe_wr_id"]);
}
