//! pkt_mux: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden, hundred, Runs};

#[test]
fn pkt_mux_matches_golden() {
    assert_matches_golden("pkt_mux", 0..4, 50_000, &[]);
}

#[test]
fn pkt_mux_of_hundred_matches_golden() {
    Runs::of_block("pkt_mux", &hundred(), 0..2, 50_000).assert_match_golden(&[]);
}

#[test]
fn pkt_mux_breaks_are_caught() {
    let breaks = [
        ("load_data & s_data_read_valid", "load_data"),
        ("load_reply & s_reply_read_valid", "load_reply"),
        ("(!reply_next | !s_reply_pkt_valid)", "1'b1"),
        ("was_extra & half_waits", "1'b0"),
        ("take_window <= load_extra & !s_probe_valid", "take_window <= load_extra"),
        ("[215:184] = s_window_bytes", "[215:184] = s_data_pkt_imm"),
        ("window = 8'd196", "window = 8'd197"),
        ("probe = 8'd194", "probe = 8'd195"),
        ("m_pkt_valid & !head[1]", "m_pkt_valid"),
        ("(m_read_ready | !read_valid)", "1'b1"),
        ("[251:248] = s_reply_pkt_mark", "[251:248] = s_data_pkt_mark"),
        ("s_data_pkt_bare & load_data", "s_data_pkt_bare"),
        ("is_full <= bytes >= bytes_max", "is_full <= bytes > bytes_max"),
        ("(bytes + more_bytes) - less_bytes", "bytes + more_bytes"),
        ("(bytes + more_bytes) - less_bytes", "bytes - less_bytes"),
        ("free & s_end_valid", "free & s_end_valid & !half_waits"),
    ];
    assert_catches("pkt_mux", 20_000, &breaks);
}
