//! Runs mutants of all benches' Verilog and counts which ones the benches catch.

use super::mistaken::Mistaken;
use super::mutant::{Kind, Mutant};
use super::scan::mutants;
use crate::bench::{Bench, Failure, Options, Report};
use crate::parallel::side_by_side;
use crate::verilator::{Error, Flavour, Source};
use std::collections::BTreeMap;

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Decides which mutants are taken.
    pub seed: u64,
    /// Mutants tried in a module: so many times the root of how many it has. No module's number
    /// depends on another module.
    pub per_root: f64,
    /// Least number for each module.
    pub per_module_min: usize,
    /// Runs of [`Plan::cycles`] cycles that a mutant must survive, from as many seeds; the last one
    /// is as long as the bench needs, if that is more.
    pub run_count: u64,
    /// Cycles of each of them.
    pub cycles: u64,
    /// Runs before them of [`Plan::short_cycles`] cycles: many start states and resets.
    pub short_count: u64,
    /// Cycles of each of them.
    pub short_cycles: u64,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A bench went red; the text says how.
    Caught(String),
    /// All runs were green.
    Survived,
}

/// One mutant and its outcome.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Bench that ran it.
    pub block: &'static str,
    /// The mistake.
    pub mutant: Mutant,
    /// Whether it was noticed.
    pub outcome: Outcome,
}

/// A module to mutate, and the smallest design with a bench around it.
struct Task<'a> {
    bench: &'a Bench,
    source: &'a Source,
    mutants: Vec<Mutant>,
    quota: usize,
}

/// Mutates every module once, in the smallest design with a bench that contains it; of the mutants that the plan
/// takes, only those that are `wanted` are run. An error is a bench that is red, or cannot be run,
/// without any mutant.
pub fn run(
    designs: &[(Bench, Source)],
    plan: &Plan,
    wanted: &(dyn Fn(&Mutant) -> bool + Sync),
) -> Result<Vec<Verdict>, String> {
    let mut tasks = tasks(designs, plan);
    // Long ones first, so that the last worker is not alone for long.
    tasks.sort_by_key(|task| std::cmp::Reverse(task.source.text.len() * task.quota));
    let results = side_by_side(&tasks, |_, task| task.run(plan, wanted));
    let mut verdicts: Vec<Verdict> =
        results.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    verdicts.sort_by_key(|v| (v.mutant.module.clone(), v.mutant.line, v.mutant.id()));
    Ok(verdicts)
}

fn tasks<'a>(designs: &'a [(Bench, Source)], plan: &Plan) -> Vec<Task<'a>> {
    let mut smallest: BTreeMap<String, (usize, Vec<Mutant>)> = BTreeMap::new();
    for (at, (_, source)) in designs.iter().enumerate() {
        let mut by_module: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
        for mutant in mutants(&source.text, plan.seed) {
            by_module.entry(mutant.module.clone()).or_default().push(mutant);
        }
        for (module, found) in by_module {
            let is_smaller = |(other, _): &(usize, Vec<Mutant>)| {
                source.text.len() < designs[*other].1.text.len()
            };
            let family = family(&module);
            if smallest.get(family).is_none_or(is_smaller) {
                smallest.insert(family.to_string(), (at, found));
            }
        }
    }
    let task = |(at, found): (usize, Vec<Mutant>)| {
        let share = plan.per_root * (found.len() as f64).sqrt();
        let quota = (share.round() as usize).max(plan.per_module_min).min(found.len());
        let (bench, source) = &designs[at];
        Task { bench, source, mutants: by_turns(found), quota }
    };
    smallest.into_values().map(task).collect()
}

/// The mutants of these names, each with the smallest design that contains it.
pub fn named<'a>(
    designs: &'a [(Bench, Source)],
    plan: &Plan,
    is_named: &dyn Fn(&str) -> bool,
) -> Vec<(&'a Source, Mutant)> {
    let of_task = |task: Task<'a>| {
        let found: Vec<Mutant> = task.mutants.into_iter().filter(|m| is_named(&m.id())).collect();
        found.into_iter().map(move |mutant| (task.source, mutant))
    };
    tasks(designs, plan).into_iter().flat_map(of_task).collect()
}

/// `ram` of `ram_6_14`: modules that differ in size only are mutated once.
fn family(module: &str) -> &str {
    let name = module.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    // Digits that are no size belong to the name: `crc32`.
    if module[name.len()..].starts_with('_') {
        name
    } else {
        let sizes = module[name.len()..].find('_').unwrap_or(module.len() - name.len());
        &module[..name.len() + sizes]
    }
}

/// The kinds in turn, each in its own order: no kind crowds out the others.
fn by_turns(found: Vec<Mutant>) -> Vec<Mutant> {
    let of_kind = |kind: Kind| found.iter().filter(move |m| m.kind == kind).enumerate();
    let mut turns: Vec<(usize, Kind, &Mutant)> = Kind::ALL
        .into_iter()
        .flat_map(|kind| of_kind(kind).map(move |(turn, m)| (turn, kind, m)))
        .collect();
    turns.sort_by_key(|(turn, kind, _)| (*turn, *kind));
    turns.into_iter().map(|(_, _, mutant)| mutant.clone()).collect()
}

impl Task<'_> {
    fn run(
        &self,
        plan: &Plan,
        wanted: &(dyn Fn(&Mutant) -> bool + Sync),
    ) -> Result<Vec<Verdict>, String> {
        let block = self.bench.name();
        let verdict = |mutant: &Mutant, outcome| Verdict { block, mutant: mutant.clone(), outcome };
        let (mut verdicts, mut runnable, mut tried) = (Vec::new(), Vec::new(), 0);
        for mutant in &self.mutants {
            if tried >= self.quota {
                break;
            }
            if wanted(mutant) {
                let text = mutant.apply(&self.source.text);
                match (Source { text, ..self.source.clone() }).check() {
                    Ok(()) => runnable.push(mutant),
                    Err(Error::Verilog(text)) if text.contains("Latch inferred") => {
                        verdicts.push(verdict(mutant, Outcome::Caught(text)));
                    }
                    // Not a mutant, because it is no Verilog.
                    Err(Error::Verilog(_)) => continue,
                    Err(error) => return Err(error.to_string()),
                }
            }
            tried += 1;
        }
        if runnable.is_empty() {
            return Ok(verdicts);
        }
        let mistakes: Vec<_> = runnable.iter().map(|mutant| mutant.mistake()).collect();
        let mistaken = Mistaken::new(self.source, &mistakes);
        let right = self.outcome(plan, &|options| mistaken.run_right(self.bench, options));
        if let Outcome::Caught(how) = right {
            return Err(format!("{block} is red without a mutant: {how}"));
        }
        for (at, mutant) in runnable.into_iter().enumerate() {
            let outcome = self.outcome(plan, &|options| mistaken.run(self.bench, at, options));
            verdicts.push(verdict(mutant, outcome));
        }
        Ok(verdicts)
    }

    fn outcome(
        &self,
        plan: &Plan,
        run: &dyn Fn(&Options) -> Result<Report, Box<Failure>>,
    ) -> Outcome {
        for number in 0..plan.short_count + plan.run_count {
            let is_last = number + 1 == plan.short_count + plan.run_count;
            let cycles = match number {
                _ if number < plan.short_count => plan.short_cycles,
                _ if is_last => plan.cycles.max(self.bench.telling_cycles()),
                _ => plan.cycles,
            };
            let mut options = Options::new(plan.seed + number, cycles);
            (options.flavour, options.failure_dir) = (Flavour::Fast, None);
            if let Err(failure) = run(&options) {
                return Outcome::Caught(failure.to_string());
            }
        }
        Outcome::Survived
    }
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn sizes_are_no_part_of_a_module_name() {
        let names = ["ram_6_14", "ram", "crc32", "crc32_8", "fifo_128_3_4", "skid_1"];
        assert_eq!(names.map(family), ["ram", "ram", "crc32", "crc32", "fifo", "skid"]);
    }
}
