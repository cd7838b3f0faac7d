//! sched_core: Verilog against golden model, in both sizes.

use nic_spec::NicConfig;
use rdma_nic::{assert_catches, assert_matches_golden, gbe, hundred, Runs};

#[test]
fn sched_core_matches_golden() {
    assert_matches_golden("sched_core", 0..4, 60_000, &[]);
}

#[test]
fn sched_core_matches_golden_at_other_sizes() {
    for flow_count in [4, 512, 2048] {
        let config = NicConfig { flow_count, ..gbe() };
        Runs::of_block("sched_core", &config, [0], 60_000).reports();
    }
    let config = NicConfig { flow_count: 2048, ..hundred() };
    Runs::of_block("sched_core", &config, [0, 3], 60_000).assert_match_golden(&[]);
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
