//! `nic interop`: a Linux guest with Soft-RoCE as the NIC's peer.

use super::error::CliError;
use super::files;
use super::preset::{nic_config, nic_source};
use super::progress::Progress;
use super::table::Table;
use crate::engine::EngineKind;
use crate::env::station::NicEngine;
use crate::interop::cases::{self, Action, Case, Outcome};
use crate::interop::guest::{Guest, Image};
use crate::interop::lab::Lab;
use crate::interop::wire::Wire;
use crate::interop::InteropError;
use crate::net::switch::Faults;
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Arguments of `nic interop`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Guest that scripts/guest/build made; give it several times for several kernels
    #[arg(long, value_name = "DIR", required = true)]
    guest: Vec<PathBuf>,
    /// Configuration
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// What runs the NIC
    #[arg(long, value_enum, default_value_t = EngineKind::Both)]
    engine: EngineKind,
    /// Verilog that stands in for the emitted one; same ports
    #[arg(long, value_name = "FILE")]
    verilog: Option<PathBuf>,
    /// Seed of the X-initialisation, the faults and the messages
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A few cases only
    #[arg(long)]
    quick: bool,
    /// Where the captures go, one a guest
    #[arg(long, value_name = "DIR", default_value = "build/interop")]
    out: PathBuf,
}

/// Columns of the table.
const COLUMNS: usize = 17;

/// A percent of the frames, either way.
fn faulty() -> Faults {
    Faults { loss_ppm: 10_000, duplicate_ppm: 10_000, ..Faults::default() }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    if arguments.verilog.is_some() && !arguments.engine.has_rtl() {
        let text = "--verilog contradicts --engine golden: choose --engine rtl or both";
        return Err(CliError::Usage(text.into()));
    }
    let images: Result<Vec<Image>, _> = arguments.guest.iter().map(|d| Image::open(d)).collect();
    let images = images.map_err(CliError::usage)?;
    files::make_folder("--out", Some(&arguments.out))?;
    let cases = if arguments.quick { quick() } else { full() };
    let mut table = Table::new([
        "kernel",
        "MTU",
        "QPs x depth",
        "sizes",
        "wire",
        "write in",
        "read in",
        "write out",
        "read out",
        "frames",
        "ICRC ok",
        "lost",
        "twice",
        "resent",
        "timeouts",
        "kcycles",
        "s",
    ]);
    let bar = Progress::new("cases", (cases.len() * images.len()) as u64);
    let done = bar.counter();
    let config = nic_config(&arguments.preset)?;
    let source = nic_source(&config, arguments.verilog.as_deref(), arguments.engine)?;
    let mut engines = Vec::new();
    for _ in &images {
        let engine = arguments.engine.nic(&config, &source, arguments.seed);
        engines.push(engine.map_err(CliError::failed)?);
    }
    let runs: Vec<Run> = std::thread::scope(|scope| {
        let start = |(image, engine)| {
            let (cases, done) = (&cases, &done);
            scope.spawn(move || guest(arguments, image, engine, cases, done))
        };
        let threads: Vec<_> = images.iter().zip(engines).map(start).collect();
        threads.into_iter().map(|t| t.join().expect("a panic ends the run")).collect()
    });
    drop(bar);
    runs.iter().flat_map(|run| &run.rows).for_each(|row| table.row(row.clone()));
    if done.load(Ordering::Relaxed) > 0 {
        print!("{table}");
    }
    let cycles = runs.iter().map(|run| run.cycles).sum();
    runs.into_iter().try_for_each(|run| run.result)?;
    println!("{}", summary(arguments.engine, cycles));
    Ok(())
}

/// Cases of every kind that end within a minute.
fn quick() -> Vec<Case> {
    let case = |mtu_bytes, qp_count, message_bytes: &[u32], faults| Case {
        mtu_bytes,
        qp_count,
        depth: if qp_count > 1 { 2 } else { 1 },
        message_bytes: message_bytes.to_vec(),
        faults,
    };
    let clean = Faults::default();
    vec![
        case(1024, 1, &[1, 1025, 65_536], clean),
        case(4096, 4, &[4096, 100_000], clean),
        case(256, 1, &[257, 20_000], clean),
        case(1024, 4, &[1, 3000, 100_000], faulty()),
    ]
}

/// Every MTU: lengths around packet borders up to 1 MiB on one queue pair, four at once both ways,
/// and the same on a wire with faults.
fn full() -> Vec<Case> {
    let mut cases = Vec::new();
    for mtu_bytes in [256, 512, 1024, 2048, 4096] {
        let mtu = mtu_bytes;
        let borders = vec![1, 2, 3, 4, mtu - 1, mtu, mtu + 1, 2 * mtu, 5 * mtu + 3, 65_537];
        let one = [&borders[..], &[1 << 20]].concat();
        let four = vec![1, mtu, 3 * mtu + 1, 65_536, 200_001];
        for faults in [Faults::default(), faulty()] {
            let case = |qp_count: usize, message_bytes: &[u32]| Case {
                mtu_bytes,
                qp_count,
                depth: if qp_count > 1 { 2 } else { 1 },
                message_bytes: message_bytes.to_vec(),
                faults,
            };
            cases.push(case(1, &one));
            cases.push(case(4, &four));
        }
    }
    cases
}

/// What came of the cases with one guest.
struct Run {
    rows: Vec<[String; COLUMNS]>,
    cycles: u64,
    result: Result<(), CliError>,
}

/// Runs all cases with one guest, up to the first that fails.
fn guest(
    arguments: &Arguments,
    image: &Image,
    engine: NicEngine,
    cases: &[Case],
    done: &AtomicU64,
) -> Run {
    let capture = arguments.out.join(format!("{}.pcap", image.version));
    let mut run = Run { rows: Vec::new(), cycles: 0, result: Ok(()) };
    let all = || -> Result<(), InteropError> {
        let wire = Wire::new(&capture, arguments.seed)?;
        let guest = Guest::start(image, cases::GUEST.mac, cases::GUEST_IP, cases::GUEST_MTU)?;
        let mut lab = Lab::new(engine, guest, wire, cases::LOCAL, arguments.seed)?;
        cases::greet(&mut lab)?;
        for (number, case) in cases.iter().enumerate() {
            let began = Instant::now();
            let outcome = cases::run(&mut lab, case, number as u32, arguments.seed);
            lab.wire.flush()?;
            run.rows.push(row(image, case, &outcome?, began.elapsed().as_secs_f64()));
            run.cycles = lab.nic.bus().cycle();
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let result = all();
    run.result = result.map_err(|e| {
        CliError::Failed(format!("guest {} (capture {}): {e}", image.version, capture.display()))
    });
    run
}

fn row(image: &Image, case: &Case, outcome: &Outcome, seconds: f64) -> [String; COLUMNS] {
    let messages = |action: Action| match outcome.messages[action as usize] {
        0 => "-".to_string(),
        count => count.to_string(),
    };
    let smallest = case.message_bytes.iter().min().unwrap_or(&0);
    let largest = case.message_bytes.iter().max().unwrap_or(&0);
    let wire = if case.faults == Faults::default() { "clean" } else { "1 % lost, 1 % twice" };
    [
        image.version.clone(),
        case.mtu_bytes.to_string(),
        format!("{} x {}", case.qp_count, case.depth),
        format!("{smallest}..{largest}"),
        wire.to_string(),
        messages(Action::GuestWrite),
        messages(Action::GuestRead),
        messages(Action::NicWrite),
        messages(Action::NicRead),
        outcome.wire.frames.iter().sum::<u64>().to_string(),
        outcome.wire.roce_good.to_string(),
        outcome.wire.lost.to_string(),
        outcome.wire.duplicated.to_string(),
        outcome.event("reqr_retransmit_packet").to_string(),
        outcome.event("reqr_timeout").to_string(),
        (outcome.cycles / 1000).to_string(),
        format!("{seconds:.1}"),
    ]
}

fn summary(engine: EngineKind, cycles: u64) -> String {
    let cycles = match engine {
        EngineKind::Both => format!("{cycles} cycles in lock-step, 0 mismatches"),
        EngineKind::Golden => format!("{cycles} cycles of the golden model"),
        EngineKind::Rtl => format!("{cycles} cycles of the Verilated NIC"),
    };
    format!("ARP, ping, data at both ends and every ICRC checked; {cycles}")
}
