//! The promise of the scheduler, as a test that any scheduler can be put to.
//!
//! While the rates of all flows together are at most 95 % of the line, what a flow that has work
//! and an open window has sent differs from the integral of its rate, over any interval and however
//! often rates change, by at most 1.5 times (its arm + the longest one); up to 100 %, by at most
//! twice that. The error does not grow with time, a window that opens again adds at most one arm,
//! and when all windows open at once it holds again 1 ms later. One case at 100 % is wider when it
//! lasts long (`load.rs`, `LONG`).
//!
//! `cargo test --test sched promise -- --nocapture` prints a table of all cases; `PROMISE_MS=100`
//! makes each of them so long, `PROMISE_SEED=2` draws them anew, `PROMISE_ONLY=Hot` takes those of
//! that name.

mod flaw;
mod history;
mod line;
mod load;
mod measure;
mod vectors;

use flaw::{Flaw, Flawed};
use history::History;
use line::Requester;
use load::{Asks, Case, Lens, Line, Rates, Windows, MS_CYCLES};
use measure::Report;
use nic_harness::lockstep::{GoldenOnly, LockStep, Stepper};
use nic_harness::verilator::Flavour;
use nic_models::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use nic_sim::bench::emitted;
use nic_spec::NicConfig;

/// Any scheduler: a golden model, or one in lock-step with its Verilog.
type Engine = dyn Stepper<In = SchedulerIn, Out = SchedulerOut>;

const DRIFT_PERCENT_MAX: f64 = 0.1;

const MOVING: [Rates; 5] =
    [Rates::Within30, Rates::Reshuffled, Rates::Half, Rates::Hot, Rates::OctavesMove];

/// All cases of one size, in the order of the table.
pub fn cases(flow_count: usize) -> Vec<Case> {
    let set = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let ms = set("PROMISE_MS").unwrap_or(12);
    let seed = set("PROMISE_SEED").unwrap_or(1);
    let mut cases = Vec::new();
    for load_percent in [95, 100] {
        let case = |rates| Case { seed, ..Case::new(flow_count, rates, load_percent, ms) };
        cases.extend((0..vectors::COUNT).map(|index| case(Rates::Vector(index))));
        for lens in [Lens::Equal, Lens::Mixed, Lens::Wide] {
            let rates = [Rates::Octaves].into_iter().chain(MOVING);
            cases.extend(rates.map(|rates| Case { lens, ..case(rates) }));
        }
        let few = [Rates::Octaves, Rates::Within30, Rates::Half, Rates::Hot];
        for windows in [Windows::CloseAtRandom, Windows::OpenTogether, Windows::OpenTogetherButOne]
        {
            cases.extend(few.map(|rates| Case { windows, ..case(rates) }));
        }
        cases.extend(few.map(|rates| Case { asks: Asks::WithPauses, ..case(rates) }));
        let (windows, asks, lens) = (Windows::CloseAtRandom, Asks::WithPauses, Lens::Mixed);
        cases.push(Case { windows, asks, lens, ..case(Rates::Reshuffled) });
        let (line, lens) = (Line::MAC_100G, Lens::Arms);
        let rates = [Rates::Octaves].into_iter().chain(MOVING);
        cases.extend(rates.map(|rates| Case { line, lens, ..case(rates) }));
    }
    cases
}

/// Puts a scheduler to a case, from its reset on.
pub fn run(case: &Case, engine: &mut Engine) -> Report {
    measure::measure(case, &history(case, engine))
}

fn history(case: &Case, engine: &mut Engine) -> History {
    let mut requester = Requester::new(case);
    let mut out = engine.reset().unwrap_or_else(|e| panic!("{e}"));
    for cycle in 0..case.cycles {
        let inputs = requester.next(cycle, &out);
        out = engine.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
    }
    requester.history.end = case.cycles;
    requester.history
}

impl Report {
    /// What of the promise was not kept.
    pub fn violations(&self) -> Vec<String> {
        let most = self.deviation_max;
        let mut broken = Vec::new();
        let mut check = |is_kept: bool, what: String| {
            if !is_kept {
                broken.push(format!("{} at {} %: {what}", self.name, self.load_percent));
            }
        };
        let (flow, (from, to)) = (self.flow, self.interval);
        let deviation = format!("{:.2} units, flow {flow}, cycles {from} to {to}", self.deviation);
        // Where all windows open at once there is too much to send, which a full line never makes up.
        let is_full = self.load_percent == 100 && self.settling > 0.0;
        check(self.deviation <= most || is_full, deviation);
        check(self.across <= most, format!("{:.2} units across spans", self.across));
        let drift = self.drift_percent;
        check(drift.abs() <= DRIFT_PERCENT_MAX, format!("the sum drifts by {drift:.3} %"));
        let blocked = self.blocked_grants;
        check(blocked == 0, format!("{blocked} grants while the window was closed"));
        broken
    }

    /// A row of the table.
    fn row(&self) -> String {
        // What was not measured, or is nothing.
        let or_none = |text: String, is_some: bool| if is_some { text } else { "-".into() };
        let drift = self.drift_percent;
        format!(
            "| {} | {} | {:.2} | {} | {} | {} | {} | {} | {} | {:.1} | {} |",
            self.name,
            self.load_percent,
            self.deviation,
            self.flow,
            or_none(format!("{:.2}", self.across), self.across > 0.0),
            or_none(format!("{:.2}", self.settling), self.settling > 0.0),
            or_none(format!("{drift:+.3}"), drift.abs() >= 0.0005),
            self.wait_cycles,
            self.wait_flow,
            100.0 * self.utilisation,
            self.blocked_grants,
        )
    }
}

const HEAD: &str = "\
| case | % | worst | flow | across | settling | drift % | wait | flow | line % | blocked |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// Runs and prints all `cases`, each on an engine of its own; what was not kept.
fn table(cases: &[Case], engine: impl Fn(&Case) -> Box<Engine>) -> Vec<String> {
    println!("\n{} flows, seed {}\n\n{HEAD}", cases[0].flow_count, cases[0].seed);
    let only = std::env::var("PROMISE_ONLY").unwrap_or_default();
    let mut broken = Vec::new();
    for case in cases.iter().filter(|case| case.name().contains(&only)) {
        let report = run(case, &mut *engine(case));
        println!("{}", report.row());
        broken.extend(report.violations());
    }
    broken
}

fn keeps(cases: &[Case], engine: impl Fn(&Case) -> Box<Engine>) {
    let broken = table(cases, engine);
    assert!(broken.is_empty(), "not kept in {} places:\n{}", broken.len(), broken.join("\n"));
}

fn config(flow_count: usize) -> NicConfig {
    NicConfig { flow_count, ..NicConfig::preset("gbe").expect("preset") }
}

fn golden(case: &Case) -> Box<Engine> {
    Box::new(GoldenOnly(Scheduler::new(&config(case.flow_count))))
}

#[test]
fn scheduler_keeps_its_promise_to_4_and_64_flows() {
    keeps(&cases(4), golden);
    keeps(&cases(64), golden);
}

#[test]
fn scheduler_keeps_its_promise_to_128_flows() {
    keeps(&cases(128), golden);
}

/// Many flows take long: every fifth case, or all if their length is given.
fn sample(flow_count: usize) -> Vec<Case> {
    let step = if std::env::var_os("PROMISE_MS").is_some() { 1 } else { 5 };
    cases(flow_count).into_iter().step_by(step).collect()
}

#[test]
fn scheduler_keeps_its_promise_to_1024_flows() {
    keeps(&sample(1024), golden);
}

#[test]
fn scheduler_keeps_its_promise_to_2048_flows() {
    keeps(&sample(2048), golden);
}

/// The golden model and the Verilog.
fn lock_step(case: &Case) -> Box<Engine> {
    let config = config(case.flow_count);
    let model = emitted("scheduler", &config).expect("emits").model(Flavour::Fast);
    let model = model.expect("builds");
    Box::new(LockStep::new(Scheduler::new(&config), &[model], case.seed).expect("ports"))
}

/// Few cases of each kind, golden model and Verilog in lock-step.
#[test]
fn scheduler_verilog_keeps_its_promise_to_64_flows() {
    let few = cases(64).into_iter().filter(|case| {
        matches!(case.rates, Rates::Hot | Rates::OctavesMove) && case.load_percent == 100
    });
    let few: Vec<Case> = few.map(|case| Case { cycles: 8 * MS_CYCLES, ..case }).collect();
    keeps(&few, lock_step);
}

/// Four times the line, most of it for three flows: others fall behind, but nobody waits longer than
/// a period, its deadline, and an arm of each flow in each queue.
#[test]
fn scheduler_overloaded_lets_every_flow_through() {
    let case = Case::new(64, Rates::Octaves, 400, 24);
    let history = history(&case, &mut *lock_step(&case));
    // The slowest flows have 1/256 byte a cycle, so they are in the queue of 2^21 to 2^23 bytes.
    let bound = 1082 * 256 + (1 << 23) / 8 + 8 * 64 * 136;
    for (flow, events) in history.flows.iter().enumerate() {
        let sent = events.sent.iter().map(|arm| arm.granted).chain([history.end]);
        let waits = sent.scan(0, |last, cycle| Some(cycle - core::mem::replace(last, cycle)));
        let longest = waits.max().unwrap_or(history.end);
        assert!(longest <= bound, "flow {flow} waited {longest} cycles");
    }
    let sent: usize = history.flows.iter().map(|flow| flow.sent.len()).sum();
    assert!(sent as u64 * 136 > history.end * 97 / 100, "the line stays full");
}

/// The same cases are kept without the flaw, see above.
#[test]
fn promise_test_finds_flaws() {
    let still = Case::new(64, Rates::Vector(0), 95, 30);
    let moving = Case::new(64, Rates::Half, 95, 10);
    let hot = Case::new(64, Rates::Hot, 95, 10);
    let octaves = Case::new(64, Rates::Octaves, 95, 10);
    let windows = Case { windows: Windows::CloseAtRandom, ..moving.clone() };
    for (flaw, case, what) in [
        (Flaw::SkipsGrants, &still, "drifts"),
        (Flaw::DelaysGrants, &hot, "units, flow 3"),
        (Flaw::SwapsRates, &octaves, "units, flow"),
        (Flaw::IgnoresWindows, &windows, "while the window was closed"),
    ] {
        assert_eq!(run(case, &mut *golden(case)).violations(), [] as [String; 0]);
        let report = run(case, &mut Flawed::new(golden(case), case.flow_count, flaw));
        println!("{flaw:?}\n{HEAD}\n{}", report.row());
        let found = report.violations();
        assert!(found.iter().any(|v| v.contains(what)), "{flaw:?} is not found: {found:?}");
    }
}
