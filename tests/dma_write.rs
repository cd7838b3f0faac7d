//! dma_write: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::assert_matches_golden;

#[test]
fn dma_write_matches_golden() {
    assert_matches_golden("dma_write", 0..4, 50_000, &["m_axi_awsize", "m_axi_awburst"]);
}
