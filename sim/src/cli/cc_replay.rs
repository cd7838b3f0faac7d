//! `nic cc-replay`: an ACK trace through the congestion control unit, beside the f64 reference.

use super::error::CliError;
use super::files::{self, number};
use super::preset::config;
use super::progress::Progress;
use super::table::Table;
use crate::bench;
use crate::board::cc::{Board, BoardError};
use crate::board::{AccessError, LineError};
use crate::replay::cc_trace::{
    against_trace, free_running, resynchronised, states, Errors, Mode, State, Trace,
};
use clap::{Args, ValueEnum};
use nic_harness::lockstep::{GoldenOnly, LockStep, Stepper};
use nic_harness::verilator::{Flavour, Source};
use nic_models::golden::cc::serial::unit::CcUnitSerial;
use nic_models::golden::cc::unit::{CcUnit, CcUnitIn, CcUnitOut};
use nic_models::golden::cc::wide::unit::CcUnitWide;
use nic_models::ports::Golden;
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::config::{CcSchedule, NicConfig};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Who computes the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// HPCC++ in f64, as the draft writes it
    Reference,
    /// The golden model of the unit
    Golden,
    /// The Verilog, every output compared with the golden model in every cycle
    Rtl,
    /// A board at a serial port (boards/alchitry-cu), every answer compared with the golden model,
    /// bit by bit
    Board,
}

/// Arguments of `nic cc-replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// ACK trace in CSV: columns `ack_seq`, `snd_nxt`, `nhop`, `h0`..`h4` (hop words in hex),
    /// and where there are `win` (to compare with), `path` and `now_ns`
    acks: PathBuf,
    /// Who computes the states
    #[arg(long, value_enum, default_value_t = Engine::Golden)]
    engine: Engine,
    /// Who computes the window
    #[arg(long, value_enum, default_value_t = Mode::Sender)]
    mode: Mode,
    /// Base round-trip time T in ns
    #[arg(long)]
    t_ns: u32,
    /// First and largest window in bytes
    #[arg(long)]
    w_init_bytes: u32,
    /// Additive increase in bytes
    #[arg(long, value_parser = number(0.0, 4_194_303.0))]
    w_ai_bytes: f64,
    /// Target utilisation
    #[arg(long, default_value_t = 0.95, value_parser = number(0.05, 1.0))]
    eta: f64,
    /// Additive steps before a multiplicative one
    #[arg(long, default_value_t = 5)]
    max_stage: u8,
    /// Rate of the port in Gb/s
    #[arg(long, value_parser = number(0.001, 10_000.0))]
    line_rate_gbps: f64,
    /// Smallest pacing rate in Mb/s; the smallest window is this rate times T
    #[arg(long, value_parser = number(0.001, 10_000_000.0))]
    rate_min_mbps: f64,
    /// Telemetry units are 128 x multi bytes sent and 80 x multi bytes queued
    #[arg(long, default_value_t = 1)]
    multi: u32,
    /// Ignore telemetry that no honest network gives, as the NIC does after reset
    #[arg(long)]
    checks: bool,
    /// Core clock in MHz, which scales the rate's unit only; 250 unless given, a board's own
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    clock_mhz: Option<u64>,
    /// Configuration whose flow count the unit has; gbe unless given, a board's is cu
    #[arg(long)]
    preset: Option<String>,
    /// Serial port of the board
    #[arg(long, value_name = "TTY")]
    port: Option<String>,
    /// Flow that gets the ACKs
    #[arg(long, default_value_t = 0)]
    flow: u16,
    /// Seed of the start state of the Verilog
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Verilog that stands in for the emitted one; same ports
    #[arg(long, value_name = "FILE")]
    verilog: Option<PathBuf>,
    /// Writes the trace with the states beside it
    #[arg(long, value_name = "STATE.csv")]
    out: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    if arguments.verilog.is_some() && arguments.engine != Engine::Rtl {
        return Err(CliError::Usage("--verilog needs --engine rtl".into()));
    }
    let is_board = arguments.engine == Engine::Board;
    if arguments.port.is_some() != is_board {
        let text = "--engine board and --port TTY go together: /dev/ttyUSB1, for example";
        return Err(CliError::Usage(text.into()));
    }
    let preset = arguments.preset.as_deref().unwrap_or(if is_board { "cu" } else { "gbe" });
    let sizes = config(preset)?;
    if is_board && sizes.cc_schedule() != CcSchedule::BitPerCycle {
        return Err(CliError::Usage(format!("--preset {preset}: boards have the core of cu")));
    }
    let clock_hz = match (arguments.clock_mhz.map(|mhz| mhz * 1_000_000), is_board) {
        (Some(hz), true) if hz != sizes.clock_hz => {
            let mhz = sizes.clock_hz / 1_000_000;
            return Err(CliError::Usage(format!("--clock-mhz: the board's clock has {mhz} MHz")));
        }
        (given, true) => given.unwrap_or(sizes.clock_hz),
        (given, false) => given.unwrap_or(250_000_000),
    };
    if usize::from(arguments.flow) >= sizes.flow_count {
        let (flow, count) = (arguments.flow, sizes.flow_count);
        return Err(CliError::Usage(format!("--flow {flow}: {} has flows 0..{count}", sizes.name)));
    }
    let (config, params) = parameters(arguments, clock_hz)?;
    files::check_output("--out", arguments.out.as_deref())?;
    let trace = Trace::read(&arguments.acks).map_err(CliError::Usage)?;
    let trace = match arguments.mode {
        Mode::Sender => trace,
        Mode::Receiver => {
            let at = arguments.acks.display();
            trace.received().map_err(|e| CliError::Usage(format!("{at}: {e}")))?
        }
    };
    let progress = Progress::new("ACKs", 2 * trace.acks.len() as u64);
    let counter = progress.counter();
    let done = || {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    let reference = trace.run_reference(&config, done);
    let on_unit = |unit: &mut Unit| {
        let cfg = CcUnit::cfg(params);
        let states = trace.run_unit(unit, &config, cfg, arguments.flow, done);
        states.map_err(CliError::failed)
    };
    let states = match arguments.engine {
        Engine::Reference => reference.clone(),
        Engine::Board => {
            let run = BoardRun { sizes: &sizes, config: &config, params, trace: &trace };
            run.states(arguments, &counter)?
        }
        Engine::Golden | Engine::Rtl => match sizes.cc_schedule() {
            CcSchedule::BitPerCycle => {
                let golden = CcUnitSerial::new(&sizes);
                on_unit(&mut *engine(arguments, &sizes, "cc_unit_serial", golden)?)?
            }
            CcSchedule::HopPerCycle => {
                let golden = CcUnit::new(&sizes);
                on_unit(&mut *engine(arguments, &sizes, "cc_unit", golden)?)?
            }
            CcSchedule::AckPerCycle => {
                let golden = CcUnitWide::new(&sizes);
                on_unit(&mut *engine(arguments, &sizes, "cc_unit_wide", golden)?)?
            }
        },
    };
    drop(progress);
    if let Some(path) = &arguments.out {
        trace.write(path, &states).map_err(|e| files::cannot_write("--out", path, &e))?;
    }
    report(arguments, &config, &trace, &states, &reference)
}

/// The parameters, with the option's name in the error.
fn parameters(a: &Arguments, clock_hz: u64) -> Result<(CcConfig, CcParams), CliError> {
    let config = CcConfig {
        t_ns: a.t_ns,
        eta: a.eta,
        max_stage: a.max_stage,
        w_ai_bytes: a.w_ai_bytes,
        w_init_bytes: a.w_init_bytes,
        line_rate_bps: a.line_rate_gbps * 1e9,
        rate_min_bps: a.rate_min_mbps * 1e6,
        utilisation_full: None,
        sojourn_unit_ns: None,
        checks: a.checks,
        queue_max_bytes: f64::INFINITY,
        queue_unit_bytes: 80.0,
        time_unit_ns: 1.0,
        active_window_ns: None,
        multi: a.multi,
        clock_hz,
    };
    let params = CcParams::derive(&config).map_err(|e| {
        let option = |field: &str| {
            let field = field.replace("rate_bps", "rate_gbps").replace("min_bps", "min_mbps");
            field.replace("clock_hz", "clock_mhz").replace('_', "-")
        };
        let range = e.range.replace("line_rate_bps", "--line-rate-gbps");
        CliError::Usage(format!("--{} must be {range}", option(e.field)))
    })?;
    Ok((config, params))
}

type Unit = dyn Stepper<In = CcUnitIn, Out = CcUnitOut>;

/// The golden model, alone or beside the Verilog of `block`.
fn engine<G>(
    arguments: &Arguments,
    sizes: &NicConfig,
    block: &str,
    golden: G,
) -> Result<Box<Unit>, CliError>
where
    G: Golden<In = CcUnitIn, Out = CcUnitOut> + 'static,
{
    if arguments.engine == Engine::Golden {
        return Ok(Box::new(GoldenOnly(golden)));
    }
    let model = source(arguments, sizes, block)?.model(Flavour::Fast).map_err(CliError::failed)?;
    let unit = LockStep::new(golden, &[model], arguments.seed).map_err(CliError::failed)?;
    Ok(Box::new(unit))
}

fn source(arguments: &Arguments, sizes: &NicConfig, block: &str) -> Result<Source, CliError> {
    let emitted = bench::emitted(block, sizes).map_err(CliError::Failed)?;
    let Some(path) = &arguments.verilog else { return Ok(emitted) };
    let at_file = |e| CliError::Usage(format!("--verilog {}: {e}", path.display()));
    let given = Source::read(block, path).map_err(CliError::usage)?;
    let model = given.model(Flavour::Fast).map_err(at_file)?;
    let expected = emitted.model(Flavour::Fast).map_err(CliError::failed)?;
    model.check_same_ports(&expected).map_err(at_file)?;
    Ok(given)
}

/// A trace on a board.
struct BoardRun<'a> {
    sizes: &'a NicConfig,
    config: &'a CcConfig,
    params: CcParams,
    trace: &'a Trace,
}

impl BoardRun<'_> {
    /// The board's states, each answer compared with the golden model's; says how fast it went.
    fn states(&self, arguments: &Arguments, progress: &AtomicU64) -> Result<Vec<State>, CliError> {
        let port = arguments.port.as_deref().expect("asked for above");
        let failed = |e: BoardError| match e {
            BoardError::Access(AccessError::Line(LineError::Open(_))) => {
                CliError::Usage(format!("--port {port}: {e}"))
            }
            e => CliError::Failed(format!("{port}: {e}")),
        };
        let mut board = Board::open(port, self.sizes).map_err(failed)?;
        let mut unit = GoldenOnly(CcUnitSerial::new(self.sizes));
        let cfg = CcUnit::cfg(self.params);
        let golden = self.trace.answers(&mut unit, self.config, cfg, arguments.flow, || {});
        let golden = golden.map_err(CliError::failed)?;
        let (create, acks) = self.trace.events(self.config, arguments.flow);
        let before = progress.load(Ordering::Relaxed);
        let done = |row: usize| progress.store(before + row as u64, Ordering::Relaxed);
        let begin = Instant::now();
        let cfg = self.trace.cfg(cfg);
        let run = board.run(&cfg, &create, &acks, &golden, done).map_err(failed)?;
        let per_second = acks.len() as f64 / begin.elapsed().as_secs_f64();
        println!(
            "{port}: {} answers equal the golden model's in every bit; {per_second:.0} ACKs a \
             second, {} restarts after faults of the line",
            golden.len(),
            run.restarts
        );
        Ok(states(self.config, &golden))
    }
}

/// Prints the error statistics.
fn report(
    arguments: &Arguments,
    config: &CcConfig,
    trace: &Trace,
    states: &[State],
    reference: &[State],
) -> Result<(), CliError> {
    let full = states.iter().filter(|s| s.outcome.full).count();
    let (lines, updates) = match trace.mode {
        Mode::Sender => ("ACKs", "full updates"),
        Mode::Receiver => ("packets", "windows sent"),
    };
    println!("{}: {} {lines}, {full} {updates}", arguments.acks.display(), states.len());
    let mut table = Table::new([
        "W compared with",
        "rows",
        "above 0.1 % and 16 B",
        "above 1 %",
        "max rel.",
        "mean rel.",
        "max bytes",
        "other incStage",
        "other lastUpdate",
    ]);
    let mut add = |label: &str, e: &Errors| {
        table.row([
            label.into(),
            e.rows.to_string(),
            e.rows_above_bound.to_string(),
            e.rows_above_percent.to_string(),
            format!("{:.2e}", e.relative_max),
            format!("{:.2e}", e.relative_mean),
            format!("{:.2}", e.bytes_max),
            e.rows_other_stage.to_string(),
            e.rows_other_psn.to_string(),
        ]);
    };
    let stepped = resynchronised(trace, config, states);
    if arguments.engine != Engine::Reference {
        add("reference, from the same state", &stepped);
        add("reference, free running", &free_running(states, reference));
    }
    // A trace's window is a sender's.
    let traced = against_trace(trace, states).filter(|_| trace.mode == Mode::Sender);
    if let Some(errors) = &traced {
        add("the trace's win, free running", errors);
    }
    print!("{table}");
    if let Some(errors) = &traced {
        println!("{:.2} % of rows within 1 % of win", 100.0 * errors.share_within_percent());
    }
    if arguments.engine == Engine::Rtl {
        println!("golden and Verilog are equal in every output of every cycle");
    }
    match stepped.rows_above_bound {
        0 => Ok(()),
        rows => Err(CliError::Failed(format!("{rows} rows above 0.1 % and 16 bytes"))),
    }
}
