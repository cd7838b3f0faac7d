//! Register map pages, and the host side blocks against their golden twins.

use nic_sim::regmap::{self, Map};

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
        rdma_nic::assert_matches_golden(block, 1..=2, 60_000, &[]);
    }
}

#[test]
fn csr_breaks_are_caught() {
    rdma_nic::assert_catches("axil_port", "awready_next = 1'b1", "awready_next = 1'b0", 2_000);
    rdma_nic::assert_catches("csr", "counting_next = 1'b0", "counting_next = 1'b1", 5_000);
    rdma_nic::assert_catches("table_window", "< flow_count", "<= flow_count", 100_000);
    rdma_nic::assert_catches("table_window", "if (cc_part == last_part)", "if (1'b1)", 20_000);
    rdma_nic::assert_catches("completion_queue", "s_requester_signalled |", "1'b1 |", 5_000);
    rdma_nic::assert_catches("event_counters", "fresh_next = 1'b0", "fresh_next = 1'b1", 2_000);
}
