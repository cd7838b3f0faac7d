//! `nic fabric`: networks of hundreds of hosts at event level.

use super::error::CliError;
use super::files;
use super::preset::nic_source;
use super::progress::Progress;
use super::table::Table;
use crate::bench;
use crate::fabric::acks;
use crate::fabric::cc::{is_golden, Algorithm, Feedback};
use crate::fabric::engine::Watch;
use crate::fabric::output::{self, Files};
use crate::fabric::scenario::{Engine, Incast, Kind, Poisson, TopologySpec};
use crate::fabric::wire::{Acks, Headers, Pacing, Profile, Telemetry};
use crate::fabric::{plots, suite, Plan, Results, Scenario};
use clap::{ArgAction, Args, Subcommand};
use nic_harness::lockstep::Dut;
use nic_harness::parallel::side_by_side;
use nic_harness::verilator::Flavour;
use nic_models::golden::cc::unit::{CcUnitIn, CcUnitOut};
use nic_spec::NicConfig;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of `nic fabric`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Hosts that all send to one at once, around one switch
    Incast(IncastArguments),
    /// Flows at random between the hosts of the HPCC paper's FatTree
    Fattree(FattreeArguments),
    /// What a TOML file describes
    Run(RunArguments),
    /// All of them, a folder each, and a report
    Suite(SuiteArguments),
}

#[derive(Debug, Args)]
struct IncastArguments {
    /// Hosts that send
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4095))]
    senders: u32,
    /// Bytes of each
    #[arg(long, default_value_t = 5_000_000)]
    bytes: u64,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct FattreeArguments {
    /// Sizes of flows: lines of bytes and per cent
    #[arg(long, value_name = "FILE")]
    cdf: PathBuf,
    /// Payload as a share of the hosts' links
    #[arg(long, default_value_t = 0.5)]
    load: f64,
    /// Time in which flows start that count, ms
    #[arg(long, default_value_t = 20.0)]
    ms: f64,
    /// Flows also start for so long before and after, uncounted, so that those which count meet a
    /// network that is neither filling nor emptying, ms
    #[arg(long, default_value_t = 10.0)]
    margin_ms: f64,
    /// Hosts
    #[arg(long, default_value_t = 320)]
    hosts: u32,
    /// Bursts of 60 to 1, 500 KB each, at random: payload as a share of the hosts' links
    #[arg(long)]
    burst_load: Option<f64>,
    /// One burst of 60 to 1, 500 KB each, at this time, ms
    #[arg(long, conflicts_with = "burst_load")]
    burst_ms: Option<f64>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct RunArguments {
    /// Scenario
    #[arg(value_name = "SCENARIO.toml")]
    scenario: PathBuf,
    /// Folder for what it finds
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Verilog of the hosts that are whole NICs, in the place of the emitted one; same ports
    #[arg(long, value_name = "FILE")]
    verilog: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct SuiteArguments {
    /// Runs of the FatTree as long as the published curves need: an hour instead of minutes
    #[arg(long)]
    full: bool,
    /// Folder for what it finds
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// What all networks have in common; a scenario file has the same, and more.
#[derive(Debug, Args)]
struct Common {
    /// Folder for what it finds
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Congestion control
    #[arg(long, value_enum, default_value_t = Algorithm::Hpcc)]
    cc: Algorithm,
    /// Arithmetic of HPCC
    #[arg(long, value_enum, default_value_t = Engine::Golden)]
    engine: Engine,
    /// Sizes and manners on the wire
    #[arg(long, value_enum, default_value_t = Profile::Ns3)]
    profile: Profile,
    /// Headers, where they are not the profile's
    #[arg(long, value_enum)]
    headers: Option<Headers>,
    /// Payload of a packet, where it is not the profile's
    #[arg(long, value_parser = clap::value_parser!(u32).range(256..=4096))]
    payload_bytes: Option<u32>,
    /// Format of the telemetry
    #[arg(long, value_enum)]
    telemetry: Option<Telemetry>,
    /// ACKs, where they are not the profile's
    #[arg(long, value_enum)]
    acks: Option<Acks>,
    /// Choice of flows, where it is not the profile's
    #[arg(long, value_enum)]
    pacing: Option<Pacing>,
    /// Who computes the windows of HPCC, and from what
    #[arg(long, value_enum, default_value_t = Feedback::Sender)]
    feedback: Feedback,
    /// Target utilisation of HPCC
    #[arg(long, default_value_t = 0.95)]
    eta: f64,
    /// Additive steps of HPCC before a multiplicative one
    #[arg(long, default_value_t = 0)]
    max_stage: u8,
    /// Additive increase of HPCC as a rate
    #[arg(long, default_value_t = 50.0)]
    w_ai_mbps: f64,
    /// W_ai is divided by the flows of a host that were active in so many ns
    #[arg(long)]
    active_window_ns: Option<f64>,
    /// DCQCN, TIMELY and line rate without a window
    #[arg(long)]
    no_window: bool,
    /// Switches pause nobody (no PFC)
    #[arg(long)]
    no_pfc: bool,
    /// Whether hosts stop for pauses
    #[arg(long, default_value_t = true, action = ArgAction::Set, value_name = "BOOL")]
    host_pfc: bool,
    /// Packets lost on each link, parts per million
    #[arg(long, default_value_t = 0)]
    loss_ppm: u32,
    /// So many ACKs of the first 32 hosts go through the Verilated congestion control unit afterwards,
    /// and each window and rate must be the host's
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    check_acks: usize,
    /// An event for each departure: slower, the same result
    #[arg(long)]
    plain: bool,
    /// Seed of flows, ways and chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Common {
    fn scenario(&self, topology: TopologySpec) -> Scenario {
        let mut scenario = Scenario::new(topology);
        (scenario.seed, scenario.plain) = (self.seed, self.plain);
        let cc = &mut scenario.cc;
        (cc.algorithm, cc.engine, cc.feedback) = (self.cc, self.engine, self.feedback);
        (cc.eta, cc.max_stage, cc.w_ai_mbps) = (self.eta, self.max_stage, self.w_ai_mbps);
        (cc.active_window_ns, cc.window) = (self.active_window_ns, !self.no_window);
        let wire = &mut scenario.wire;
        (wire.profile, wire.headers, wire.telemetry) = (self.profile, self.headers, self.telemetry);
        (wire.payload_bytes, wire.acks, wire.pacing) = (self.payload_bytes, self.acks, self.pacing);
        scenario.switches.pfc = !self.no_pfc;
        scenario.switches.loss_ppm = self.loss_ppm;
        scenario.hosts.pfc = self.host_pfc;
        scenario
    }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    match &arguments.what {
        What::Incast(incast) => {
            let hosts = incast.senders + 1;
            let mut scenario = incast.common.scenario(TopologySpec::new(Kind::Star, hosts));
            let (senders, bytes) = (incast.senders, incast.bytes);
            scenario.incast = Some(Incast { senders, bytes, load: None, start_ns: 0 });
            let title = format!("{senders} to 1, {bytes} bytes each");
            one(plan(&scenario)?, &title, &incast.common.out, incast.common.check_acks)
        }
        What::Fattree(tree) => {
            let topology = TopologySpec::new(Kind::FatTree, tree.hosts);
            let mut scenario = tree.common.scenario(topology);
            // The file with the parameters stands elsewhere.
            let cdf = std::path::absolute(&tree.cdf).unwrap_or_else(|_| tree.cdf.clone());
            scenario.poisson =
                Some(Poisson { cdf, load: tree.load, ms: tree.ms, margin_ms: tree.margin_ms });
            if tree.burst_load.is_some() || tree.burst_ms.is_some() {
                let start_ns = (tree.burst_ms.unwrap_or(0.0) * 1e6) as u64;
                let bursts = Incast::of_the_paper(tree.burst_load);
                scenario.incast = Some(Incast { start_ns, ..bursts });
            }
            let title = format!("FatTree, {}, load {}", stem(&tree.cdf), tree.load);
            one(plan(&scenario)?, &title, &tree.common.out, tree.common.check_acks)
        }
        What::Suite(suite) => all(suite),
        What::Run(run) => {
            let mut scenario: Scenario = files::read_toml(&run.scenario)?;
            if let Some(poisson) = &mut scenario.poisson {
                // A path in a scenario begins where the scenario is.
                let folder = run.scenario.parent().unwrap_or(Path::new(""));
                poisson.cdf = folder.join(&poisson.cdf);
            }
            let at_scenario = |e| CliError::Usage(format!("{}: {e}", run.scenario.display()));
            let mut plan = Plan::new(&scenario).map_err(at_scenario)?;
            if let Some(file) = &run.verilog {
                let runs_it = plan.cycle.as_mut().filter(|setup| setup.engine.has_rtl());
                let setup = runs_it.ok_or_else(|| {
                    let text = "--verilog needs [hosts] with cycle and cycle_engine rtl or both";
                    at_scenario(text.into())
                })?;
                setup.verilog = Some(nic_source(&setup.config, Some(file), setup.engine)?);
            }
            one(plan, &stem(&run.scenario), &run.out, 0)
        }
    }
}

/// A scenario of the command line that will run.
fn plan(scenario: &Scenario) -> Result<Plan, CliError> {
    Plan::new(scenario).map_err(CliError::Usage)
}

/// The name of a file without its ending.
fn stem(path: &Path) -> String {
    path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
}

/// Runs a plan, writes what it has found, prints the summary.
fn one(plan: Plan, title: &str, out: &Path, acks: usize) -> Result<(), CliError> {
    check_acks(&plan.scenario, acks)?;
    files::make_folder("--out", Some(out))?;
    files::check_output("--out", Some(&out.join("summary.csv")))?;
    let bar = Progress::new("flows", plan.demands.len() as u64);
    let watch = Watch { link: plan.meeting_port(), acks };
    let results = plan.run(&watch, &bar.counter());
    drop(bar);
    let results = results.map_err(CliError::Failed)?;
    let mut all = output::tables(&plan, &results, &about());
    all.extend(plots::charts(&plan, &results, title));
    write(out, &all)?;
    let completions = results.completions(&plan);
    let mut table = Table::new(["", "value"]);
    for (name, value) in output::summary(&plan, &results, &completions) {
        table.row([name, value]);
    }
    print!("{title}\n{table}{} -> {}\n", speed(&results), out.display());
    match acks {
        0 => Ok(()),
        _ => play_acks(&plan, &results),
    }
}

/// Whether a run's ACKs can be played to the hardware.
fn check_acks(scenario: &Scenario, acks: usize) -> Result<(), CliError> {
    let cc = &scenario.cc;
    let is_whole = cc.feedback == Feedback::Sender && cc.active_window_ns.is_none();
    match acks == 0 || is_whole && is_golden(cc) {
        true => Ok(()),
        false => Err(CliError::Usage(
            "--check-acks compares with the hardware's integers: choose --cc hpcc, --engine golden, \
             --feedback sender, and no --active-window-ns"
                .into(),
        )),
    }
}

/// The ACKs that were kept, through the Verilated unit of the preset `hundred`.
fn play_acks(plan: &Plan, results: &Results) -> Result<(), CliError> {
    let config = NicConfig::preset("hundred").map_err(CliError::failed)?;
    let source = bench::emitted("cc_unit_wide", &config).map_err(CliError::Failed)?;
    let model = source.model(Flavour::Fast).map_err(CliError::failed)?;
    let mut unit =
        Dut::<CcUnitIn, CcUnitOut>::new(&model, plan.scenario.seed).map_err(CliError::failed)?;
    let hpcc = plan.control.hpcc().expect("it was looked at");
    let bar = Progress::new("ACKs", results.acks.len() as u64);
    let counter = bar.counter();
    let done = || _ = counter.fetch_add(1, Ordering::Relaxed);
    let played = acks::play(&mut unit, hpcc, config.flow_count, &results.acks, done);
    drop(bar);
    let played = played.map_err(CliError::failed)?;
    println!(
        "{} ACKs of {} flows through the Verilated cc_unit_wide in {} cycles: {} windows and rates, \
         all equal",
        played.acks, played.flows, played.cycles, played.equal
    );
    Ok(())
}

/// All points side by side, each in its folder, then the report.
fn all(arguments: &SuiteArguments) -> Result<(), CliError> {
    let out = &arguments.out;
    files::make_folder("--out", Some(out))?;
    for (name, content) in suite::SIZES {
        files::write("--out", &out.join(name), content)?;
    }
    let points = suite::points(arguments.full, out);
    let plans: Vec<Plan> = points
        .iter()
        .map(|point| Plan::new(&point.scenario).map_err(|e| format!("{}: {e}", point.name)))
        .collect::<Result<_, _>>()
        .map_err(CliError::Failed)?;
    let total = plans.iter().map(|plan| plan.demands.len() as u64).sum();
    let bar = Progress::new("flows", total);
    let done = bar.counter();
    let run = |at: usize, plan: &Plan| {
        let point = &points[at];
        let folder = out.join(&point.name);
        files::make_folder("--out", Some(&folder))?;
        let results = plan.run(&point.watch(plan), &AtomicU64::new(0)).map_err(CliError::Failed)?;
        let mut found = output::tables(plan, &results, &about());
        found.extend(plots::charts(plan, &results, &point.name));
        write(&folder, &found)?;
        done.fetch_add(plan.demands.len() as u64, Ordering::Relaxed);
        Ok(suite::Outcome::new(&point.name, plan, &results))
    };
    let outcomes = side_by_side(&plans, run).into_iter().collect::<Result<Vec<_>, CliError>>();
    drop(bar);
    let outcomes = outcomes?;
    write(out, &suite::report(&outcomes, arguments.full, &about()))?;
    println!("{} runs -> {}", outcomes.len(), out.join("report.md").display());
    let failures = suite::failures(&outcomes);
    match failures.is_empty() {
        true => Ok(()),
        false => Err(CliError::Failed(format!("HPCC with {}", failures.join("; ")))),
    }
}

fn speed(results: &Results) -> String {
    let (packets, cpu_s) = (results.counters.packets as f64, results.cpu_s.max(1e-9));
    format!("{:.2} M packets/s", packets / cpu_s / 1e6)
}

fn write(out: &Path, all: &Files) -> Result<(), CliError> {
    all.iter().try_for_each(|(name, content)| files::write("--out", &out.join(name), content))
}

/// The command, and the commit of the sources that it was built from, as far as they still stand there.
fn about() -> String {
    let sources = env!("CARGO_MANIFEST_DIR");
    let git = Command::new("git").args(["-C", sources, "describe", "--always", "--dirty"]).output();
    let commit = git.ok().filter(|output| output.status.success());
    let commit = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    let version = concat!("version ", env!("CARGO_PKG_VERSION"));
    let source = commit.map_or(version.into(), |commit| format!("{version}, commit {commit}"));
    format!("{}\n{source}", super::command_line())
}
