//! Deliberate mistakes in the emitted Verilog of every block: the benches must notice most of them.
//! Each one that they do not notice has its reason in tests/data/mutant-survivors.md.

use nic_sim::bench::{self, Bench};
use nic_sim::cli::Table;
use nic_sim::mutate::campaign::{run, Outcome, Plan, Verdict};
use nic_spec::config::NicConfig;
use std::collections::BTreeMap;
use std::path::PathBuf;

const PLAN: Plan = Plan {
    seed: 1,
    mutant_count: 220,
    per_module_min: 3,
    run_count: 2,
    cycles: 20_000,
    short_count: 8,
    short_cycles: 500,
};

/// Share of the mutants that must be caught. The goal is 90.
const CAUGHT_PERCENT_MIN: usize = 80;

fn survivors_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/mutant-survivors.md")
}

/// Mutant to reason, from the rows of the committed table.
fn known_survivors() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(survivors_path()).unwrap_or_default();
    let row = |line: &str| {
        let (mutant, reason) = line.strip_prefix("- ")?.rsplit_once(" -- ")?;
        Some((mutant.trim().to_string(), reason.trim().to_string()))
    };
    text.lines().filter_map(row).collect()
}

fn print_counts(verdicts: &[Verdict]) {
    let mut table = Table::new(["module", "bench", "mutants", "caught", "survived"]);
    let mut by_module: BTreeMap<&str, Vec<&Verdict>> = BTreeMap::new();
    for verdict in verdicts {
        by_module.entry(&verdict.mutant.module).or_default().push(verdict);
    }
    for (module, verdicts) in by_module {
        let survived = verdicts.iter().filter(|v| v.outcome == Outcome::Survived).count();
        let numbers = [verdicts.len(), verdicts.len() - survived, survived];
        let [total, caught, survived] = numbers.map(|n| n.to_string());
        table.row([module.into(), verdicts[0].block.into(), total, caught, survived]);
    }
    println!("{table}");
}

#[test]
fn mutants_are_caught_or_explained() {
    println!("seed {}", PLAN.seed);
    let config = NicConfig::preset("gbe").expect("preset");
    // A build of the whole NIC takes as long as 50 of its blocks, and its top has no logic.
    let benches: Vec<Bench> =
        bench::benches(&config).into_iter().filter(|b| b.name() != "nic").collect();
    let verdicts = run(&benches, &PLAN).expect("all benches are green");
    print_counts(&verdicts);
    let is_survivor = |v: &&Verdict| v.outcome == Outcome::Survived;
    let survivors: Vec<String> =
        verdicts.iter().filter(is_survivor).map(|v| v.mutant.id()).collect();
    let caught = verdicts.len() - survivors.len();
    println!("{caught} of {} mutants caught", verdicts.len());

    let known = known_survivors();
    let unexplained: Vec<&String> = survivors.iter().filter(|s| !known.contains_key(*s)).collect();
    let stale: Vec<&String> = known.keys().filter(|k| !survivors.contains(k)).collect();
    for survivor in &unexplained {
        println!("- {survivor} -- ");
    }
    for row in &stale {
        println!("stale: {row}");
    }
    assert!(verdicts.len() >= 200, "{} mutants are too few", verdicts.len());
    let percent = 100 * caught / verdicts.len();
    assert!(percent >= CAUGHT_PERCENT_MIN, "{percent} % caught");
    assert!(unexplained.is_empty(), "survivors without a reason in mutant-survivors.md");
}
