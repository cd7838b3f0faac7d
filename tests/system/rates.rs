//! `nic rates`: the figures are of the hardware, and of what it is given.

use nic_sim::bench;
use nic_sim::engine::EngineKind;
use nic_sim::net::rates::{Case, Rate, CASES};
use nic_sim::net::writes::Software;
use nic_spec::NicConfig;

fn case(name: &str) -> &'static Case {
    CASES.iter().find(|case| case.name == name).expect("a case of the table")
}

/// Runs a case with so many messages of each queue pair, and memory that answers after so many cycles.
fn run(case: &Case, engine: EngineKind, message_count: u32, memory_cycles: u64) -> Rate {
    run_preset("gbe", case, engine, message_count, memory_cycles)
}

fn run_preset(
    preset: &str,
    case: &Case,
    engine: EngineKind,
    message_count: u32,
    memory_cycles: u64,
) -> Rate {
    let config = NicConfig::preset(preset).expect("preset");
    let source = bench::emitted("nic", &config).expect("it is emitted");
    let engines = [1, 2].map(|seed| engine.nic(&config, &source, seed).expect("it builds"));
    let mut plan = case.plan(&config, 1);
    plan.message_count = message_count;
    plan.software = Software { memory_cycles: Some(memory_cycles), ..plan.software };
    case.run(&plan, engines).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

#[test]
fn rates_of_golden_and_verilated_nics_are_the_same() {
    let case = case("64-byte WRITEs both ways");
    let [golden, rtl] = [EngineKind::Golden, EngineKind::Rtl].map(|e| run(case, e, 16, 187));
    assert_eq!(format!("{golden:?}"), format!("{rtl:?}"));
}

#[test]
fn rates_fill_the_line_with_large_packets_alone() {
    let large = run(case("WRITE both ways, MTU 4096"), EngineKind::Golden, 16, 187);
    println!("{large:?}");
    assert!((0.99..=1.01).contains(&large.line_share), "{large:?}");
    // With 24 bytes beside a frame, 132 of headers and telemetry, and an ACK of 128 for each packet.
    assert!((7.4..7.55).contains(&large.payload_gbps), "{large:?}");
    let small = run(case("64-byte WRITEs both ways"), EngineKind::Golden, 16, 187);
    assert!((0.88..0.95).contains(&small.line_share), "the transport's cycles count: {small:?}");
}

#[test]
fn rates_of_hundred_fill_its_line_with_packets_of_256_bytes() {
    let case = case("WRITE both ways, MTU 256");
    let rate = run_preset("hundred", case, EngineKind::Golden, 60, 375);
    assert!(rate.line_share >= 0.97, "{rate:?}");
}

#[test]
fn rates_of_a_queue_pair_grow_with_its_send_queue() {
    let (case, config) =
        (case("one QP, 64-byte WRITEs"), NicConfig::preset("hundred").expect("preset"));
    let mps = |sq_scale| {
        let source = bench::emitted("nic", &config).expect("it is emitted");
        let nic = |seed| EngineKind::Golden.nic(&config, &source, seed).expect("golden");
        let engines = [1, 2].map(nic);
        let mut plan = case.plan(&config, 1);
        (plan.message_count, plan.software.sq_scale) = (4000, sq_scale);
        plan.software.memory_cycles = Some(1000);
        case.run(&plan, engines).unwrap_or_else(|e| panic!("{sq_scale}: {e}")).messages_mps
    };
    let [shallow, deep, deeper] = [0, 1, 2].map(mps);
    println!("{shallow} {deep} {deeper}");
    assert!(deep > 1.8 * shallow && deeper > 1.8 * deep, "{shallow} {deep} {deeper}");
}

#[test]
fn rates_fall_with_slow_memory() {
    let case = case("one QP, WRITE, MTU 1024");
    let [near, far] = [187, 2000].map(|cycles| run(case, EngineKind::Golden, 200, cycles));
    assert!(far.payload_gbps < 0.8 * near.payload_gbps, "{near:?} {far:?}");
}
