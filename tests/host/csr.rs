//! Register map pages, and the host side blocks against their golden twins.

use nic_driver::Bus;
use nic_harness::bench::Options;
use nic_harness::verilator::Source;
use nic_models::golden::cc::cc_core::{CcCore, CcCoreIn};
use nic_models::golden::sched::sched_core::{SchedCore, SchedCoreIn};
use nic_models::ports::Golden;
use nic_models::streams::{back, AxiLite};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_sim::regmap::{self, Map};
use nic_spec::NicConfig;
use rdma_nic::{
    assert_catches, assert_matches_golden, assert_runs_catch, bench_and_verilog, cu, gbe, hundred,
    Runs,
};

fn committed(name: &str) -> String {
    let path = format!("{}/fw/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn csr_pages_are_what_the_spec_says() {
    let map = Map::nic(&gbe());
    for (name, page) in [
        ("registers.md", regmap::markdown(&map)),
        ("nic_regs.h", regmap::c_header(&map)),
        ("nic.rdl", regmap::system_rdl(&map)),
    ] {
        assert!(committed(name) == page, "fw/{name} is stale: run scripts/regmap");
    }
}

#[test]
fn csr_registers_have_a_place_of_their_own() {
    for map in [Map::nic(&gbe()), Map::cc_core(&gbe()), Map::sched_core(&gbe())] {
        let mut offsets = map.offsets();
        let count = offsets.len();
        offsets.sort_unstable();
        offsets.dedup();
        assert_eq!(offsets.len(), count, "two registers at one offset");
    }
}

/// The words that a read of `map` differs in.
fn differing(map: &Map, mut read: impl FnMut(u16) -> u32) -> Vec<String> {
    let values = map.reset_values();
    assert!(values.len() > 4, "the map has registers");
    let differing = values.into_iter().filter_map(|(offset, value)| {
        let found = read(offset);
        (found != value).then(|| format!("{offset:#05x}: {found:#x}, not {value:#x}"))
    });
    differing.collect()
}

#[test]
fn csr_registers_of_the_nic_begin_as_the_map_says() {
    let source = Source::new("nic", "");
    let engine = EngineKind::Golden.nic(&gbe(), &source, 1).expect("the golden model");
    let mut station = Station::new(engine, Manners::Prompt, 1).expect("a reset");
    // Counters and tables are cleared after reset.
    station.run(2_000).expect("cycles");
    let read = |offset| station.read32(u32::from(offset)).expect("every register answers");
    assert_eq!(differing(&Map::nic(&gbe()), read), [""; 0]);
}

/// Reads a register of a core.
fn read_core(step: &mut impl FnMut(AxiLite) -> back::AxiLite, offset: u16) -> u32 {
    let mut bus = AxiLite { araddr: offset, arvalid: true, rready: true, ..Default::default() };
    let mut slave = step(AxiLite::default());
    for _ in 0..100 {
        let is_taken = slave.arready;
        slave = step(bus);
        bus.arvalid &= !is_taken;
        if slave.rvalid {
            assert_eq!(slave.rresp, 0, "{offset:#05x} is refused");
            let rdata = slave.rdata;
            step(bus);
            return rdata;
        }
    }
    panic!("{offset:#05x} does not answer");
}

#[test]
fn csr_registers_of_the_cores_begin_as_the_map_says() {
    let of_flows = |flow_count| NicConfig { flow_count, ..gbe() };
    for config in [gbe(), of_flows(256), hundred(), cu()] {
        let mut core = CcCore::new(&config);
        core.step(&CcCoreIn { reset: true, ..Default::default() });
        let mut step = |s_axil| core.step(&CcCoreIn { s_axil, ..Default::default() }).s_axil;
        let found = differing(&Map::cc_core(&config), |offset| read_core(&mut step, offset));
        assert_eq!(found, [""; 0], "CC core of {}", config.name);
    }
    for config in [gbe(), of_flows(256), hundred()] {
        let mut core = SchedCore::new(&config);
        core.step(&SchedCoreIn { reset: true, ..Default::default() });
        let mut step = |s_axil| core.step(&SchedCoreIn { s_axil, ..Default::default() }).s_axil;
        let found = differing(&Map::sched_core(&config), |offset| read_core(&mut step, offset));
        assert_eq!(found, [""; 0], "scheduler core of {}", config.name);
    }
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
    let window = [
        ("new_index < qp_count", "new_index <= qp_count"),
        // Queue pairs that gave their places away may be made.
        ("qp_count = flow_count >> 2", "qp_count = flow_count >> 1"),
        ("if (cc_part == last_part)", "if (1'b1)"),
    ];
    let port = [
        ("awready_next = 1'b1", "awready_next = 1'b0"),
        // The protection of an access says nothing here.
        ("if (s_axil_arvalid)", "if (s_axil_arvalid & !s_axil_arprot[1])"),
    ];
    assert_catches("axil_port", 2_000, &port);
    assert_catches("csr", 5_000, &[("counting_next = 1'b0", "counting_next = 1'b1")]);
    assert_catches("table_window", 100_000, &window);
    assert_catches("completion_queue", 5_000, &[("s_requester_signalled |", "1'b1 |")]);
    assert_catches("event_counters", 2_000, &[("fresh_next = 1'b0", "fresh_next = 1'b1")]);
}

/// In the deep queue of `hundred` too, each seed comes to one of the limits.
#[test]
fn deep_completion_queue_keeps_its_limits() {
    Runs::of_block("completion_queue", &hundred(), 0..4, 90_000).assert_match_golden(&[]);
    let limits = [
        ("full = 16'h8000", "full = 16'h7fff"),
        ("wr_limit = 16'h3fc0", "wr_limit = 16'h3fc1"),
        ("responder_limit = 16'h3fe0", "responder_limit = 16'h3fe1"),
    ];
    assert_runs_catch(&[Runs::of_block("completion_queue", &hundred(), 1..4, 90_000)], &limits);
}

/// A counter whose register has another name than the twin says would start at 0 unnoticed.
#[test]
fn event_counters_report_a_start_register_that_is_missing() {
    let (bench, mut source) = bench_and_verilog("event_counters");
    source.text = source.text.replace("fresh", "new_row");
    let report = bench.run(&source, &Options::new(1, 100)).expect("only a name has changed");
    assert_eq!(report.missing_registers, ["fresh"]);
}
