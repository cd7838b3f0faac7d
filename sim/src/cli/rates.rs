//! `nic rates`: what the whole NIC carries, and how long single things take in it.

use super::error::CliError;
use super::files;
use super::preset::{nic_config, nic_source};
use super::progress::Progress;
use super::table::Table;
use crate::engine::EngineKind;
use crate::net::latency::{self, MEASURES};
use crate::net::rates::{line_gbps, Rate, CASES, MEMORY_NS};
use crate::net::switch::WIRE_OVERHEAD_BYTES;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `nic rates`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// What runs the NICs; latencies are of the golden model, which equals it in each cycle
    #[arg(long, value_enum, default_value_t = EngineKind::Golden)]
    engine: EngineKind,
    /// Only the cases and latencies whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    case: String,
    /// Seed of the X-initialisation, the losses and the data
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the figures as CSV, too
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let config = nic_config(&arguments.preset)?;
    files::check_output("--out", arguments.out.as_deref())?;
    let cases: Vec<_> = CASES.iter().filter(|c| c.name.contains(&arguments.case)).collect();
    let measures: Vec<_> = MEASURES.iter().filter(|m| m.0.contains(&arguments.case)).collect();
    if cases.is_empty() && measures.is_empty() {
        let measures = MEASURES.iter().map(|m| m.0);
        let names: Vec<&str> = CASES.iter().map(|c| c.name).chain(measures).collect();
        return Err(CliError::Usage(format!("--case: part of one of: {}", names.join("; "))));
    }
    let source = nic_source(&config, None, arguments.engine)?;
    let bar = Progress::new("cases", (cases.len() + measures.len()) as u64);
    let count = bar.counter();
    let mut rates: Vec<(&str, Rate)> = vec![];
    for case in cases {
        let engine = |seed| arguments.engine.nic(&config, &source, seed).map_err(CliError::failed);
        let engines = [engine(arguments.seed)?, engine(arguments.seed.wrapping_add(1))?];
        let plan = case.plan(&config, arguments.seed);
        let rate = case.run(&plan, engines);
        let rate = rate.map_err(|e| CliError::Failed(format!("{}: {e}", case.name)))?;
        rates.push((case.name, rate));
        count.fetch_add(1, Ordering::Relaxed);
    }
    let mut latencies: Vec<(&str, [u64; 2])> = vec![];
    for (name, measure) in measures {
        let cycles = latency::cycles(&config, *measure).map_err(CliError::Failed)?;
        latencies.push((name, cycles));
        count.fetch_add(1, Ordering::Relaxed);
    }
    drop(bar);
    println!(
        "{} at {} MHz, line {} Gb/s, {WIRE_OVERHEAD_BYTES} bytes beside a frame, memory {MEMORY_NS} ns",
        arguments.preset,
        config.clock_hz as f64 / 1e6,
        line_gbps(&config)
    );
    let mut table =
        Table::new(["a NIC sends", "payload Gb/s", "messages M/s", "frames M/s", "of the line %"]);
    let mut csv = String::from("case,payload_gbps,messages_mps,frames_mps,line_share\n");
    let has_rates = !rates.is_empty();
    for (name, r) in rates {
        let share = format!("{:.1}", 100.0 * r.line_share);
        let (payload, messages) =
            (format!("{:.3}", r.payload_gbps), format!("{:.3}", r.messages_mps));
        table.row([name.into(), payload, messages, format!("{:.3}", r.frames_mps), share]);
        let _ = writeln!(
            csv,
            "\"{name}\",{:.6},{:.6},{:.6},{:.6}",
            r.payload_gbps, r.messages_mps, r.frames_mps, r.line_share
        );
    }
    if has_rates {
        print!("{table}");
    }
    let mut table = Table::new(["takes, host memory's latency left out", "cycles", "ns"]);
    for (name, [least, most]) in &latencies {
        let ns = |cycles: &u64| *cycles as f64 * 1e9 / config.clock_hz as f64;
        let (low, high) = (ns(least), ns(most));
        table.row([(*name).into(), format!("{least} to {most}"), format!("{low:.0} to {high:.0}")]);
    }
    if !latencies.is_empty() {
        print!("{table}");
    }
    match &arguments.out {
        Some(path) => files::write("--out", path, csv),
        None => Ok(()),
    }
}
