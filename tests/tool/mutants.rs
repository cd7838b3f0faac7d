//! Deliberate mistakes in the emitted Verilog of every block: the benches must notice most of them.
//! Each one that they do not notice has its reason in tests/data/mutant-survivors.md. Without
//! `NIC_MUTANTS_ALL` one in 32 of those of seed 1 is tried.

use nic_harness::bench::{Bench, Failure, Options, Report};
use nic_harness::mutate::campaign::{run, Outcome, Plan, Verdict};
use nic_harness::mutate::{mutants, Mistake, Mistaken, Mutant};
use nic_harness::parallel::side_by_side;
use nic_harness::verilator::{Flavour, Source};
use nic_sim::bench;
use nic_sim::cli::Table;
use nic_spec::config::NicConfig;
use rdma_nic::bench_and_verilog;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub const PLAN: Plan = Plan {
    seed: 1,
    per_root: 0.2244,
    per_module_min: 3,
    run_count: 12,
    cycles: 40_000,
    short_count: 8,
    short_cycles: 500,
};

/// Share of the mutants that must be caught.
const CAUGHT_PERCENT_MIN: usize = 90;

fn survivors_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/mutant-survivors.md")
}

/// A row of the committed table.
pub struct Row {
    /// The first seed that has the mutant.
    pub seed: u64,
    /// Why it survives.
    pub reason: String,
}

/// The rows of the committed table, by mutant.
pub fn known_survivors() -> BTreeMap<String, Row> {
    let text = std::fs::read_to_string(survivors_path()).expect("the table is committed");
    let mut seed = 0;
    let mut known = BTreeMap::new();
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("## Seed ") {
            seed = number.parse().expect("a section is of a seed");
        }
        let row = line.strip_prefix("- ").and_then(|row| row.rsplit_once(" -- "));
        if let Some((mutant, reason)) = row {
            let row = Row { seed, reason: reason.trim().to_string() };
            let before = known.insert(mutant.trim().to_string(), row);
            assert!(before.is_none(), "{mutant}: two rows");
        }
    }
    known
}

/// One in 32 of the mutants, by their names: the same ones every time.
pub fn is_of_the_sample(id: &str) -> bool {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    id.bytes().fold(0x811c_9dc5, hash) >> 27 == 0
}

/// Whether `NIC_MUTANT_ONLY` is empty, or one of its lines is part of the name.
pub fn is_named(id: &str) -> bool {
    let only = std::env::var("NIC_MUTANT_ONLY").unwrap_or_default();
    only.is_empty() || only.lines().any(|part| id.contains(part))
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

/// The designs that are mutated, with their benches.
pub fn designs() -> Vec<(Bench, Source)> {
    let mut config = NicConfig::preset("gbe").expect("preset");
    // Timers of 4.096 us x 2^n must run out in short runs.
    config.clock_hz = 25_000_000;
    // A build of the whole NIC takes as long as 50 of its blocks, and its top has no logic.
    let mut benches: Vec<Bench> = bench::benches(&config)
        .into_iter()
        .filter(|b| !["nic", "requester"].contains(&b.name()))
        .collect();
    let hundred = NicConfig { flow_count: 64, ..NicConfig::preset("hundred").expect("preset") };
    benches.extend(bench::by_name("cc_unit_wide", &hundred));
    // Where there are bursts.
    let bursts = NicConfig { clock_hz: config.clock_hz, ..hundred };
    benches.extend(bench::by_name("requester", &bursts));
    let cu = NicConfig::preset("cu").expect("preset");
    benches.extend(bench::by_name("cc_unit_serial", &cu));
    let with_verilog = |bench| bench::verilog(&bench).map(|verilog| (bench, verilog));
    let designs: Result<Vec<_>, String> = benches.into_iter().map(with_verilog).collect();
    designs.expect("all benches are emitted")
}

#[test]
fn mutants_are_caught_or_explained() {
    // `NIC_MUTANT_SEED` tries other mutants; `NIC_MUTANT_ONLY` runs those whose name contains one
    // of its lines.
    let seed = std::env::var("NIC_MUTANT_SEED").ok().and_then(|n| n.parse().ok());
    let plan = Plan { seed: seed.unwrap_or(PLAN.seed), ..PLAN };
    println!("seed {}", plan.seed);
    let only = std::env::var("NIC_MUTANT_ONLY").unwrap_or_default();
    let all = std::env::var_os("NIC_MUTANTS_ALL").is_some() || seed.is_some() || !only.is_empty();
    let is_tried = |id: &str| all || is_of_the_sample(id);
    let is_wanted = |id: &str| is_tried(id) && is_named(id);
    let wanted = |m: &Mutant| is_wanted(&m.id());
    let verdicts = run(&designs(), &plan, &wanted).expect("all benches are green");
    print_counts(&verdicts);
    let is_survivor = |v: &&Verdict| v.outcome == Outcome::Survived;
    let survivors: Vec<String> =
        verdicts.iter().filter(is_survivor).map(|v| v.mutant.id()).collect();
    let caught = verdicts.len() - survivors.len();
    println!("{caught} of {} mutants caught", verdicts.len());

    let known = known_survivors();
    let unexplained: Vec<&String> = survivors.iter().filter(|s| !known.contains_key(*s)).collect();
    let is_stale =
        |id: &String, row: &Row| row.seed == plan.seed && is_wanted(id) && !survivors.contains(id);
    let stale: Vec<&String> =
        known.iter().filter(|(id, row)| is_stale(id, row)).map(|(id, _)| id).collect();
    for survivor in &unexplained {
        println!("- {survivor} -- ");
    }
    for survivor in survivors.iter().filter(|s| known.contains_key(*s)) {
        println!("known: {survivor}");
    }
    for row in &stale {
        println!("stale: {row}");
    }
    if !only.is_empty() {
        return;
    }
    let count_min = if all { 200 } else { 10 };
    assert!(verdicts.len() >= count_min, "{} mutants are too few", verdicts.len());
    let percent = 100 * caught / verdicts.len();
    assert!(!all || percent >= CAUGHT_PERCENT_MIN, "{percent} % caught");
    if !known.values().any(|row| row.seed == plan.seed) {
        println!("mutant-survivors.md has no section of this seed");
        return;
    }
    assert!(unexplained.is_empty(), "survivors without a reason in mutant-survivors.md");
    assert!(stale.is_empty(), "rows of mutant-survivors.md that do not survive");
}

/// A mistake that is chosen in a model of many is the same as in a model of its own.
#[test]
fn mutants_fail_alike_in_one_model() {
    let (bench, source) = bench_and_verilog("ack_gen");
    let mutants: Vec<Mutant> = mutants(&source.text, 1).into_iter().take(24).collect();
    let mistakes: Vec<Mistake> = mutants.iter().map(Mutant::mistake).collect();
    let mistaken = Mistaken::new(&source, &mistakes);
    let options = Options { failure_dir: None, flavour: Flavour::Quick, ..Options::new(1, 20_000) };
    let results = side_by_side(&mutants, |at, _| {
        let cause = |run: Result<Report, Box<Failure>>| run.err().map(|f| (f.cycle, f.cause));
        let alone = mistaken.alone(at);
        alone.check().ok()?;
        Some((cause(mistaken.run(&bench, at, &options)), cause(bench.run(&alone, &options))))
    });
    let compared: Vec<_> = results.into_iter().flatten().collect();
    assert!(compared.iter().filter(|(_, alone)| alone.is_some()).count() > 10, "{compared:?}");
    for (n, (together, alone)) in compared.iter().enumerate() {
        assert_eq!(together, alone, "{}", mutants[n].id());
    }
}
