//! read_reply: Verilog against golden model, and golden model against the standard's rules.

use rdma_nic::assert_matches_golden;

/// Outputs that are there for the streams' sake.
const STILL: &[&str] = &[
    "m_pkt_ack_req",
    "m_pkt_solicited",
    "m_pkt_va",
    "m_pkt_rkey",
    "m_pkt_dma_len",
    "m_pkt_imm",
    "m_work_inflight_bytes",
];

#[test]
fn read_reply_matches_golden() {
    assert_matches_golden("read_reply", 0..4, 200_000, STILL);
}
