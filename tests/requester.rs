//! Requester against its golden twin.

use rdma_nic::assert_matches_golden;

#[test]
fn requester_matches_golden() {
    assert_matches_golden("requester", 1..5, 60_000, &["m_cqe_kind", "m_cqe_imm"]);
}
