//! `nic net`: two NICs that write to and read from each other through a switch.

use super::error::CliError;
use super::files;
use super::preset::{nic_config, nic_source};
use super::progress::Progress;
use super::table::Table;
use crate::engine::EngineKind;
use crate::env::station::Manners;
use crate::net::figure;
use crate::net::history::{rate_gbps, History};
use crate::net::switch::{rate_code, Faults, Format, Stamping};
use crate::net::writes::{self, Plan, Report, Software};
use clap::Args;
use nic_driver::CcMode;
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::wire::telemetry::Form;
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Bytes of all messages of a NIC at most.
const MESSAGES_BYTES_MAX: u64 = 1 << 28;

/// Arguments of `nic net`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Scenario
    #[arg(value_name = "SCENARIO.toml")]
    scenario: PathBuf,
    /// Configuration
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// What runs the NICs
    #[arg(long, value_enum, default_value_t = EngineKind::Both)]
    engine: EngineKind,
    /// Verilog that stands in for the emitted one; same ports
    #[arg(long, value_name = "FILE")]
    verilog: Option<PathBuf>,
    /// Seed of the X-initialisation, the faults and the data
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the table as Markdown, too
    #[arg(long, value_name = "FILE.md")]
    out: Option<PathBuf>,
    /// Draws window, rate and queue over time; what is drawn stands in a .csv beside it
    #[arg(long, value_name = "FILE.svg")]
    figure: Option<PathBuf>,
}

/// A scenario file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    /// Rate of the links, Gb/s; 25 is rate code 0 of the telemetry.
    link_gbps: f64,
    /// "none", "paper", "authors", "int-md" (marked by DSCP), "int-md-port", "ioam", "ifa",
    /// "direct": the switch answers data packets itself, "probe": data carry none, probes carry the
    /// paper's.
    telemetry: String,
    /// Who begins INT-MD, IOAM and IFA: "switch", "nic".
    #[serde(default = "default_source")]
    telemetry_source: String,
    /// PSNs from one packet with a telemetry header to the next one of its queue pair;
    /// 255: once a round trip.
    #[serde(default = "default_every")]
    telemetry_every: u8,
    /// With "direct": data packets for one that the switch answers.
    #[serde(default)]
    direct_every: Option<u32>,
    /// With "probe": time from one probe of a queue pair to the next one at least, ns; T if absent.
    #[serde(default)]
    probe_ns: Option<u32>,
    /// Who computes the windows of WRITEs: "sender", "receiver"; or "worst_hop": the sender, from
    /// the record of the most loaded hop alone.
    #[serde(default = "default_cc_mode")]
    cc_mode: String,
    /// DSCP of stamped packets.
    #[serde(default = "default_dscp")]
    dscp: u8,
    #[serde(default)]
    loss_ppm: u32,
    #[serde(default)]
    duplicate_ppm: u32,
    #[serde(default)]
    corrupt_ppm: u32,
    #[serde(default)]
    reorder_ppm: u32,
    qp_count: u32,
    message_count: u32,
    message_bytes_min: u32,
    message_bytes_max: u32,
    /// Share of the messages that are READs.
    #[serde(default)]
    read_percent: u32,
    /// Share of the WRITEs that carry immediate data.
    #[serde(default)]
    immediate_percent: u32,
    /// WRITEs of at most 24 bytes bring them in their work requests.
    #[serde(default)]
    inline: bool,
    /// Queue pairs that post through rings in host memory; with any, completions do, too.
    #[serde(default)]
    ring_qp_count: u32,
    /// READs that a queue pair may have outstanding.
    #[serde(default = "default_read_limit")]
    read_limit: u8,
    mtu_bytes: u32,
    /// Random stalls of memory and streams.
    #[serde(default)]
    stalls: bool,
    /// Base round-trip time of the congestion control, ns.
    t_ns: u32,
    #[serde(default = "default_timeout")]
    timeout_exponent: u8,
}

fn default_every() -> u8 {
    1
}

fn default_cc_mode() -> String {
    "sender".into()
}

fn default_source() -> String {
    "switch".into()
}

fn default_dscp() -> u8 {
    0x13
}

fn default_read_limit() -> u8 {
    16
}

fn default_timeout() -> u8 {
    4
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let config = nic_config(&arguments.preset)?;
    if arguments.verilog.is_some() && !arguments.engine.has_rtl() {
        let text = "--verilog contradicts --engine golden: choose --engine rtl or both";
        return Err(CliError::Usage(text.into()));
    }
    let scenario = read(arguments)?;
    files::check_output("--out", arguments.out.as_deref())?;
    let plan = plan(&scenario, arguments, config.data_bytes() as f64)?;
    let figure = arguments.figure.as_deref().map(|path| Figure::open(path, arguments.engine));
    let figure = figure.transpose()?;
    let source = nic_source(&config, arguments.verilog.as_deref(), arguments.engine)?;
    let engine =
        |seed| arguments.engine.nic_with_paces(&config, &source, seed).map_err(CliError::failed);
    let (a, b) = (engine(arguments.seed)?, engine(arguments.seed.wrapping_add(1))?);
    let (engines, paces) = ([a.0, b.0], figure.is_some().then_some([a.1, b.1]));
    let total = 2 * u64::from(plan.qp_count * plan.message_count);
    let bar = Progress::new("messages", total);
    let count = bar.counter();
    let progress = |done| count.store(done, Ordering::Relaxed);
    let result = writes::run_watched(&plan, engines, paces, progress);
    drop(bar);
    let at_scenario =
        |e: String| CliError::Failed(format!("{}: {e}", arguments.scenario.display()));
    let report = result.map_err(|e| at_scenario(e.to_string()))?;
    let table = table(&report, &plan, arguments.engine);
    print!("{table}");
    if let Some(path) = &arguments.out {
        let text = format!("```\n{table}```\n");
        files::write("--out", path, text)?;
    }
    if let (Some(figure), Some(history)) = (figure, &report.history) {
        figure.write(history, &plan, report.busy_ns)?;
    }
    if report.is_good() {
        return Ok(());
    }
    Err(at_scenario("bytes or completions are missing or wrong".into()))
}

/// The files of a figure.
struct Figure {
    svg: PathBuf,
    csv: PathBuf,
}

impl Figure {
    /// Looks at the files, before the run that fills them.
    fn open(path: &Path, engine: EngineKind) -> Result<Self, CliError> {
        if !engine.has_golden() {
            let text = "--figure shows the golden model's flows: choose --engine golden or both";
            return Err(CliError::Usage(text.into()));
        }
        if path.extension().is_none_or(|extension| extension != "svg") {
            let text = format!("--figure {}: the name must end in .svg", path.display());
            return Err(CliError::Usage(text));
        }
        let figure = Self { svg: path.into(), csv: path.with_extension("csv") };
        files::check_output("--figure", Some(&figure.svg))?;
        files::check_output("--figure", Some(&figure.csv))?;
        Ok(figure)
    }

    fn write(&self, history: &History, plan: &Plan, end_ns: f64) -> Result<(), CliError> {
        files::write("--figure", &self.svg, figure::svg(history, plan, end_ns))?;
        let mut csv = vec![];
        history.write_csv(&mut csv, plan.clock_hz).map_err(CliError::failed)?;
        files::write("--figure", &self.csv, csv)
    }
}

fn read(arguments: &Arguments) -> Result<Scenario, CliError> {
    let path = &arguments.scenario;
    let fail = |text: String| CliError::Usage(format!("{}: {text}", path.display()));
    let scenario: Scenario = files::read_toml(path)?;
    scenario.check().map_err(fail)?;
    Ok(scenario)
}

impl Scenario {
    /// Whether it can be run; the sentence names the field.
    fn check(&self) -> Result<(), String> {
        self.check_numbers()?;
        self.check_combinations()
    }

    fn check_numbers(&self) -> Result<(), String> {
        let ppm = 1e6;
        let ranges: [(&str, f64, RangeInclusive<f64>); 18] = [
            ("link_gbps", self.link_gbps, 1.0..=1000.0),
            ("telemetry_every", self.telemetry_every.into(), 1.0..=255.0),
            ("dscp", self.dscp.into(), 0.0..=63.0),
            ("loss_ppm", self.loss_ppm.into(), 0.0..=ppm),
            ("duplicate_ppm", self.duplicate_ppm.into(), 0.0..=ppm),
            ("corrupt_ppm", self.corrupt_ppm.into(), 0.0..=ppm),
            ("reorder_ppm", self.reorder_ppm.into(), 0.0..=ppm),
            ("qp_count", self.qp_count.into(), 1.0..=64.0),
            ("message_count", self.message_count.into(), 1.0..=10_000.0),
            ("message_bytes_max", self.message_bytes_max.into(), 0.0..=1_048_576.0),
            (
                "message_bytes_min",
                self.message_bytes_min.into(),
                0.0..=self.message_bytes_max.into(),
            ),
            ("read_percent", self.read_percent.into(), 0.0..=100.0),
            ("immediate_percent", self.immediate_percent.into(), 0.0..=100.0),
            ("ring_qp_count", self.ring_qp_count.into(), 0.0..=self.qp_count.into()),
            ("read_limit", self.read_limit.into(), 1.0..=16.0),
            ("t_ns", self.t_ns.into(), 257.0..=1_048_575.0),
            ("timeout_exponent", self.timeout_exponent.into(), 1.0..=31.0),
            ("probe_ns", self.probe_ns.map_or(100.0, f64::from), 100.0..=1_000_000.0),
        ];
        for (field, value, range) in ranges {
            if !range.contains(&value) {
                let (start, end) = range.into_inner();
                return Err(format!("{field} is {value}; it must be in {start}..={end}"));
            }
        }
        let bytes =
            u64::from(self.qp_count * self.message_count) * u64::from(self.message_bytes_max);
        if bytes > MESSAGES_BYTES_MAX {
            return Err(format!(
                "qp_count x message_count x message_bytes_max is {bytes} bytes; it must be at most \
                 {MESSAGES_BYTES_MAX}, as the messages are kept in memory"
            ));
        }
        Ok(())
    }

    fn check_combinations(&self) -> Result<(), String> {
        let s = self;
        for (ok, text) in [
            (
                matches!(
                    &*s.telemetry,
                    "none"
                        | "paper"
                        | "authors"
                        | "int-md"
                        | "int-md-port"
                        | "ioam"
                        | "ifa"
                        | "direct"
                        | "probe"
                ),
                "telemetry: none, paper, authors, int-md, int-md-port, ioam, ifa, direct, probe",
            ),
            (
                s.telemetry_source == "switch"
                    || s.telemetry_source == "nic"
                        && matches!(&*s.telemetry, "int-md" | "int-md-port" | "ioam" | "ifa"),
                "telemetry_source: switch, or with int-md, int-md-port, ioam and ifa nic",
            ),
            (
                s.direct_every.is_none_or(|every| every > 0 && s.telemetry == "direct"),
                "direct_every must be at least 1, and goes with telemetry direct",
            ),
            (s.probe_ns.is_none() || s.telemetry == "probe", "probe_ns goes with telemetry probe"),
            (
                s.cc_mode == "sender"
                    || matches!(&*s.cc_mode, "receiver" | "worst_hop")
                        && !matches!(&*s.telemetry, "none" | "direct" | "probe"),
                "cc_mode: sender, or with telemetry in data receiver or worst_hop",
            ),
            (
                s.cc_mode != "worst_hop" || s.telemetry != "authors",
                "cc_mode worst_hop needs a path ID in echoes, which telemetry authors has not",
            ),
            ([256, 512, 1024, 2048, 4096].contains(&s.mtu_bytes), "mtu_bytes: 256, 512, .., 4096"),
        ] {
            if !ok {
                return Err(text.into());
            }
        }
        Ok(())
    }
}

fn plan(s: &Scenario, arguments: &Arguments, beat_bytes: f64) -> Result<Plan, CliError> {
    // The simulated core runs as fast as the link needs: one beat a cycle is line rate.
    let clock_hz = (s.link_gbps * 1e9 / 8.0 / beat_bytes) as u64;
    let format = match &*s.telemetry {
        "paper" | "probe" => Some(Format::Native(Form::Paper)),
        "authors" => Some(Format::Native(Form::Authors)),
        "int-md" => Some(Format::IntMd { by_port: false }),
        "int-md-port" => Some(Format::IntMd { by_port: true }),
        "ioam" => Some(Format::Ioam),
        "ifa" => Some(Format::Ifa),
        "direct" => Some(Format::Direct { every: s.direct_every.unwrap_or(1) }),
        _ => None,
    };
    let line = CcConfig::for_line(s.link_gbps * 1e9, 2 * s.qp_count, clock_hz);
    let w_init = s.link_gbps / 8.0 * f64::from(s.t_ns);
    let cc = CcConfig {
        t_ns: s.t_ns,
        w_init_bytes: w_init as u32,
        w_ai_bytes: w_init * (1.0 - line.eta) / f64::from(2 * s.qp_count),
        ..line
    };
    CcParams::derive(&cc).map_err(|e| {
        let at = arguments.scenario.display();
        CliError::Usage(format!("{at}: link_gbps and t_ns don't go together: {e}"))
    })?;
    let is_probed = s.telemetry == "probe";
    let probe_cycles = u64::from(s.probe_ns.unwrap_or(s.t_ns)) * clock_hz / 1_000_000_000;
    Ok(Plan {
        clock_hz,
        link_gbps: s.link_gbps,
        mac_gbps: None,
        stamping: format.map(|format| Stamping {
            format,
            dscp: s.dscp,
            rate_code: rate_code(s.link_gbps),
            switch_id: 0x2a5,
            is_transit: s.telemetry_source == "nic",
        }),
        faults: Faults {
            loss_ppm: s.loss_ppm,
            duplicate_ppm: s.duplicate_ppm,
            corrupt_ppm: s.corrupt_ppm,
            reorder_ppm: s.reorder_ppm,
        },
        first_rate_code: None,
        cut_opcode: None,
        telemetry_every: if is_probed { 0 } else { s.telemetry_every },
        probe_cycles: if is_probed { probe_cycles as u32 } else { 0 },
        cc_mode: match &*s.cc_mode {
            "receiver" => CcMode::Receiver,
            "worst_hop" => CcMode::WorstHop,
            _ => CcMode::Sender,
        },
        qp_count: s.qp_count,
        message_count: s.message_count,
        one_way: false,
        message_bytes: (s.message_bytes_min, s.message_bytes_max),
        read_percent: s.read_percent,
        immediate_percent: s.immediate_percent,
        has_inline: s.inline,
        ring_qp_count: s.ring_qp_count,
        read_limit: s.read_limit,
        mtu_code: (s.mtu_bytes.ilog2() - 8) as u8,
        window_bytes: w_init as u32,
        cc,
        timeout_exponent: s.timeout_exponent,
        software: Software::default(),
        manners: if s.stalls { Manners::Stalling } else { Manners::Prompt },
        seed: arguments.seed,
    })
}

fn table(report: &Report, plan: &Plan, engine: EngineKind) -> String {
    let mut table = Table::new(["", "NIC 1", "NIC 2"]);
    let [a, b] = &report.nics[..] else { return String::new() };
    let mut row = |name: &str, one: String, two: String| table.row([name.into(), one, two]);
    // Probes and windows leave as data do.
    let data = |nic: &writes::NicReport| {
        let extra = nic.counter("probe_sent") + nic.counter("window_sent");
        (nic.counter("tx_data") - extra).to_string()
    };
    for (name, event) in [
        ("request packets in", "rx_req"),
        ("ACK packets in", "rx_ack"),
        ("READ responses in", "rx_response"),
        ("ACKs and NAKs out", "tx_ack"),
        ("telemetry responses out", "tx_feedback"),
        ("telemetry responses and windows in", "rx_feedback"),
        ("telemetry responses and windows used", "feedback_accepted"),
        ("windows out", "window_sent"),
        ("sequence NAKs received", "reqr_nak_sequence"),
        ("retransmission timeouts", "reqr_timeout"),
        ("packets retransmitted", "reqr_retransmit_packet"),
        ("ICRC errors dropped", "rx_drop_icrc"),
    ] {
        row(name, a.counter(event).to_string(), b.counter(event).to_string());
    }
    row("data packets out", data(a), data(b));
    row("messages completed", a.completions.to_string(), b.completions.to_string());
    row("READs among them", a.reads.to_string(), b.reads.to_string());
    if plan.immediate_percent > 0 {
        row("immediates received", a.received.to_string(), b.received.to_string());
    }
    row("bytes landed and verified", a.bytes_verified.to_string(), b.bytes_verified.to_string());
    row("bytes wrong", a.bytes_wrong.to_string(), b.bytes_wrong.to_string());
    row("bytes outside the region", a.bytes_stray.to_string(), b.bytes_stray.to_string());
    let flow = |n: &writes::NicReport| match n.flow0 {
        Some((window, rate)) => {
            (window.to_string(), format!("{:.2}", rate_gbps(rate, plan.clock_hz)))
        }
        None => ("-".into(), "-".into()),
    };
    row("window of the first QP at the end, bytes", flow(a).0, flow(b).0);
    row("rate of the first QP at the end, Gb/s", flow(a).1, flow(b).1);
    let s = &report.switch;
    let compared = match engine {
        EngineKind::Both => format!("{} cycles compared on each NIC, 0 mismatches", report.cycles),
        EngineKind::Golden => format!("{} cycles of the golden model", report.cycles),
        EngineKind::Rtl => format!("{} cycles of the Verilated NIC", report.cycles),
    };
    let stamped = match plan.telemetry_every {
        1 => String::new(),
        _ => format!("{} stamped, ", s.stamped),
    };
    format!(
        "{table}{compared}\n\
         switch: {} frames forwarded, {} lost, {} duplicated, {} corrupted, {} overtaken, \
         {stamped}longest queue {} bytes\n\
         goodput {:.2} Gb/s both ways together, on links of {} Gb/s\n",
        s.forwarded,
        s.lost,
        s.duplicated,
        s.corrupted,
        s.reordered,
        s.queue_bytes_max,
        report.goodput_gbps(),
        plan.link_gbps
    )
}
