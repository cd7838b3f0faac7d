//! dma_read: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::assert_matches_golden;

#[test]
fn dma_read_matches_golden() {
    assert_matches_golden("dma_read", 0..4, 50_000, &["m_axi_arsize", "m_axi_arburst"]);
}
