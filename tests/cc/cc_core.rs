//! cc_core: Verilog against golden model, in every schedule.

use nic_spec::NicConfig;
use rdma_nic::{assert_catches, assert_matches_golden, cu, gbe, hundred, Runs};

#[test]
fn cc_core_matches_golden() {
    assert_matches_golden("cc_core", 0..4, 60_000, &[]);
}

#[test]
fn cc_core_matches_golden_with_4_and_1024_flows() {
    for flow_count in [4, 1024] {
        let config = NicConfig { flow_count, ..gbe() };
        Runs::of_block("cc_core", &config, [0], 60_000).reports();
    }
}

#[test]
fn cc_core_of_other_schedules_matches_golden() {
    // Which checks there are depends on the seed.
    let checks = ["psn", "time", "bytes", "queue"].map(|check| format!("event_cc_{check}"));
    let of_hundred = [1024, 64, 4].map(|flow_count| NicConfig { flow_count, ..hundred() });
    let of_cu = [8, 4].map(|flow_count| NicConfig { flow_count, ..cu() });
    for config in of_hundred.iter().chain(&of_cu) {
        let runs = Runs::of_block("cc_core", config, [3], 60_000);
        runs.assert_match_golden(&checks.each_ref().map(String::as_str));
    }
}

#[test]
fn cc_core_breaks_are_caught() {
    let breaks = [
        // A write goes to the next register; an access that is not in the map succeeds.
        ("8'd17:", "8'd18:"),
        ("error_next = 1'b1", "error_next = 1'b0"),
        // W_ai goes past the count of active flows.
        (".cfg_w_ai(active_w_ai)", ".cfg_w_ai(registers_cfg_cc_w_ai)"),
    ];
    assert_catches("cc_core", 60_000, &breaks);
}
