//! The cores that stand alone: Verilog against golden model, and what their pages show.

use nic_sim::bench::{self, Options};
use nic_spec::NicConfig;
use rdma_nic::{assert_catches, assert_matches_golden, gbe};

#[test]
fn cc_core_matches_golden() {
    assert_matches_golden("cc_core", 0..4, 60_000, &[]);
}

#[test]
fn cc_core_matches_golden_with_4_and_1024_flows() {
    for flow_count in [4, 1024] {
        let config = NicConfig { flow_count, ..gbe() };
        let bench = bench::by_name("cc_core", &config).expect("the bench exists");
        let source = bench.emitted().unwrap_or_else(|e| panic!("{flow_count} flows: {e}"));
        let run = bench.run(&source, &Options::new(0, 60_000));
        run.unwrap_or_else(|failure| panic!("{flow_count} flows: {failure}"));
    }
}

#[test]
fn cc_core_breaks_are_caught() {
    // A write goes to the next register; an access that is not in the map succeeds.
    assert_catches("cc_core", "8'd17:", "8'd18:", 60_000);
    assert_catches("cc_core", "error_next = 1'b1", "error_next = 1'b0", 60_000);
}
