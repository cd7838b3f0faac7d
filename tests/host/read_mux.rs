//! read_mux: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn read_mux_matches_golden() {
    assert_matches_golden("read_mux", 0..4, 40_000, &[]);
}

#[test]
fn read_mux_breaks_are_caught() {
    // Data goes to the wrong user.
    assert_catches("read_mux", "owners_s_data = wr_owner", "owners_s_data = pkt_owner", 5_000);
    // A command that stands at the source gives way to another.
    assert_catches("read_mux", "(goes | !pkt_valid)", "1'b1", 5_000);
}
