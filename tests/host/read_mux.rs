//! read_mux: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden, assert_runs_catch, hundred, Runs};

#[test]
fn read_mux_matches_golden() {
    assert_matches_golden("read_mux", 0..4, 40_000, &[]);
    Runs::of_block("read_mux", &hundred(), 0..4, 40_000).assert_match_golden(&[]);
}

#[test]
fn read_mux_breaks_are_caught() {
    let breaks = [
        // Data goes to the wrong user.
        ("owners_s_data = wr_owner", "owners_s_data = pkt_owner"),
        // A command that stands at the source gives way to another.
        ("(goes | !pkt_valid)", "1'b1"),
    ];
    assert_catches("read_mux", 5000, &breaks);
    let wide = [("beats_m_data[511:0]", "{1'b0, beats_m_data[510:0]}")];
    assert_runs_catch(&[Runs::of_block("read_mux", &hundred(), [1], 5000)], &wide);
}
