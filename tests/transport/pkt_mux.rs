//! pkt_mux: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn pkt_mux_matches_golden() {
    assert_matches_golden("pkt_mux", 0..4, 50_000, &[]);
}

#[test]
fn pkt_mux_breaks_are_caught() {
    assert_catches("pkt_mux", "load_data & s_data_read_valid", "load_data", 20_000);
    assert_catches("pkt_mux", "load_reply & s_reply_read_valid", "load_reply", 20_000);
    assert_catches("pkt_mux", "(!reply_next | !s_reply_pkt_valid)", "1'b1", 20_000);
    assert_catches("pkt_mux", "extra_waits & !is_extra", "extra_waits", 20_000);
    assert_catches("pkt_mux", "is_window_next = !s_probe_valid", "is_window_next = 1'b0", 20_000);
    assert_catches("pkt_mux", "take_pkt & is_window", "take_pkt & is_probe", 20_000);
    assert_catches("pkt_mux", "is_probe | is_window", "is_probe", 20_000);
    assert_catches("pkt_mux", "imm_next = s_window_bytes", "imm_next = imm", 20_000);
    assert_catches("pkt_mux", "window = 8'd196", "window = 8'd197", 20_000);
    assert_catches("pkt_mux", "!s_reply_pkt_valid))", "1'b1))", 20_000);
    assert_catches("pkt_mux", "sent_valid = pkt_full & !is_extra", "sent_valid = pkt_full", 20_000);
    assert_catches("pkt_mux", "probe = 8'd194", "probe = 8'd195", 20_000);
    assert_catches("pkt_mux", "(m_read_ready | !read_full)", "1'b1", 20_000);
    assert_catches("pkt_mux", "mark_next = s_reply_pkt_mark", "mark_next = 4'd0", 20_000);
    assert_catches("pkt_mux", "take_pkt <= pkt_full & m_pkt_ready", "take_pkt <= pkt_full", 20_000);
}
