//! Rx pipe against its golden twin.

#[test]
fn rx_pipe_matches_golden() {
    rdma_nic::assert_matches_golden("rx_pipe", 1..=4, 100_000, &[]);
}
