//! pkt_mux: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn pkt_mux_matches_golden() {
    assert_matches_golden("pkt_mux", 0..4, 50_000, &[]);
}

#[test]
fn pkt_mux_breaks_are_caught() {
    let breaks = [
        ("load_data & s_data_read_valid", "load_data"),
        ("load_reply & s_reply_read_valid", "load_reply"),
        ("(!reply_next | !s_reply_pkt_valid)", "1'b1"),
        ("extra_waits & !is_extra", "extra_waits"),
        ("is_window_next = !s_probe_valid", "is_window_next = 1'b0"),
        ("take_pkt & is_window", "take_pkt & is_probe"),
        ("is_probe | is_window", "is_probe"),
        ("imm_next = s_window_bytes", "imm_next = imm"),
        ("window = 8'd196", "window = 8'd197"),
        ("!s_reply_pkt_valid))", "1'b1))"),
        ("sent_valid = pkt_full & !is_extra", "sent_valid = pkt_full"),
        ("probe = 8'd194", "probe = 8'd195"),
        ("(m_read_ready | !read_full)", "1'b1"),
        ("mark_next = s_reply_pkt_mark", "mark_next = 4'd0"),
        ("take_pkt <= pkt_full & m_pkt_ready", "take_pkt <= pkt_full"),
    ];
    assert_catches("pkt_mux", 20_000, &breaks);
}
