//! Tx pipe against its golden twin.

use rdma_nic::assert_matches_golden;

#[test]
fn tx_pipe_matches_golden() {
    assert_matches_golden("tx_pipe", 1..8, 60_000, &[]);
}
