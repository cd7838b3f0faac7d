//! responder: Verilog against golden model.

use rdma_nic::assert_matches_golden;

#[test]
fn responder_matches_golden() {
    assert_matches_golden("responder", 0..4, 100_000, &["m_cqe_status", "m_cqe_wr_id"]);
}
