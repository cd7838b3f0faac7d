//! Register map pages, and the host side blocks against their golden twins.

use nic_sim::regmap::{self, Map};
use rdma_nic::{assert_catches, assert_matches_golden};

fn committed(name: &str) -> String {
    let path = format!("{}/fw/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn csr_pages_are_what_the_spec_says() {
    let advice = "stale: run scripts/regmap";
    assert_eq!(
        committed("registers.md"),
        regmap::markdown(&Map::nic()),
        "fw/registers.md {advice}"
    );
    assert_eq!(committed("nic_regs.h"), regmap::c_header(&Map::nic()), "fw/nic_regs.h {advice}");
    assert_eq!(committed("nic.rdl"), regmap::system_rdl(&Map::nic()), "fw/nic.rdl {advice}");
}

const BLOCKS: [&str; 7] = [
    "axil_port",
    "csr",
    "csr_regs",
    "table_window",
    "event_counters",
    "completion_queue",
    "registers",
];

#[test]
fn csr_blocks_match_golden() {
    for block in BLOCKS {
        assert_matches_golden(block, 1..=2, 60_000, &[]);
    }
}

#[test]
fn csr_breaks_are_caught() {
    let window = [("< flow_count", "<= flow_count"), ("if (cc_part == last_part)", "if (1'b1)")];
    assert_catches("axil_port", 2_000, &[("awready_next = 1'b1", "awready_next = 1'b0")]);
    assert_catches("csr", 5_000, &[("counting_next = 1'b0", "counting_next = 1'b1")]);
    assert_catches("table_window", 100_000, &window);
    assert_catches("completion_queue", 5_000, &[("s_requester_signalled |", "1'b1 |")]);
    assert_catches("event_counters", 2_000, &[("fresh_next = 1'b0", "fresh_next = 1'b1")]);
}
