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
        ("owners_s_data = OWNER_WORK_REQUEST", "owners_s_data = OWNER_PACKET"),
        // A packet does not wait for inline payload before it, or that waits for a work request.
        ("order_m_valid & !order_m_data", "order_m_valid"),
        ("order_m_data & !is_spent", "!stands & order_m_data & !is_spent"),
        // A packet finds no place in the order.
        ("!pkt_is_inline & owners_s_ready & order_s_ready", "!pkt_is_inline & owners_s_ready"),
        // A command that stands at the source gives way to another.
        ("(goes | !pkt_valid)", "1'b1"),
        // A packet is bad by a beat that is not its last.
        ("m_pkt_tuser = beats_m_data[73] & is_last", "m_pkt_tuser = beats_m_data[73]"),
        // Inline payload ends a byte too soon, or begins with the second beat again.
        ("- 25'd1;", "- 25'd2;"),
        ("inline_part + 2'd1", "2'd1"),
    ];
    assert_catches("read_mux", 500_000, &breaks);
    let wide = [("beats_m_data[511:0]", "{1'b0, beats_m_data[510:0]}")];
    assert_runs_catch(&[Runs::of_block("read_mux", &hundred(), [1], 5000)], &wide);
}
