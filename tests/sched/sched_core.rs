//! sched_core: Verilog against golden model, in both sizes.

use nic_spec::NicConfig;
use rdma_nic::{assert_catches, assert_matches_golden, gbe, hundred, Runs};

#[test]
fn sched_core_matches_golden() {
    assert_matches_golden("sched_core", 0..4, 60_000, &[]);
}

#[test]
fn sched_core_matches_golden_with_4_and_1024_flows() {
    for flow_count in [4, 1024] {
        let config = NicConfig { flow_count, ..gbe() };
        Runs::of_block("sched_core", &config, [0], 60_000).reports();
    }
}

#[test]
fn sched_core_of_hundred_matches_golden() {
    for flow_count in [1024, 64] {
        let config = NicConfig { flow_count, ..hundred() };
        Runs::of_block("sched_core", &config, [0, 3], 60_000).assert_match_golden(&[]);
    }
}

#[test]
fn sched_core_breaks_are_caught() {
    let breaks = [
        // A second command overwrites one that waits; a command of the registers loses its window.
        ("commanded && is_command && port_m_write", "1'b0"),
        ("= registers_cfg_flow_window;", "= 32'd0;"),
    ];
    assert_catches("sched_core", 60_000, &breaks);
}
