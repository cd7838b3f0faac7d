//! `nic fabric`: figures of the HPCC paper and its authors' simulator, the two ways to run a network,
//! hosts that are whole NICs, and the tool around it.

mod acks;
mod cli;
mod cycle;
mod incast;
mod order;
mod suite;
mod ways;

use nic_sim::fabric::engine::Watch;
use nic_sim::fabric::{Plan, Results, Scenario};

/// A scenario as a file has it.
fn scenario(text: &str) -> Scenario {
    toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(scenario: &Scenario, watched: Option<usize>) -> (Plan, Results) {
    let plan = Plan::new(scenario).expect("it can be run");
    let watch = Watch { link: watched, ..Watch::default() };
    let results = plan.run(&watch, &Default::default()).expect("all flows end");
    (plan, results)
}
