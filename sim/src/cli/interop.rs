//! `nic interop`: a Linux guest with Soft-RoCE as the NIC's peer.

use super::{config, CliError, Progress, Table};
use crate::engine::EngineKind;
use crate::interop::cases::{self, Action, Case, Outcome};
use crate::interop::guest::{Guest, Image};
use crate::interop::lab::Lab;
use crate::interop::wire::Wire;
use crate::interop::InteropError;
use crate::net::switch::Faults;
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
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
    config(&arguments.preset)?;
    std::fs::create_dir_all(&arguments.out).map_err(|e| {
        CliError::Usage(format!("{}: cannot make the folder: {e}", arguments.out.display()))
    })?;
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
    let mut cycles = 0;
    let mut result = Ok(());
    for image in &images {
        result = guest(arguments, image, &cases, &mut table, &mut cycles, || {
            done.fetch_add(1, Ordering::Relaxed);
        });
        if result.is_err() {
            break;
        }
    }
    drop(bar);
    if done.load(Ordering::Relaxed) > 0 {
        print!("{table}");
    }
    result?;
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

/// Runs all cases with one guest.
fn guest(
    arguments: &Arguments,
    image: &Image,
    cases: &[Case],
    table: &mut Table,
    cycles: &mut u64,
    mut progress: impl FnMut(),
) -> Result<(), CliError> {
    let capture = arguments.out.join(format!("{}.pcap", image.version));
    let at_guest = |e: InteropError| {
        CliError::Failed(format!("guest {} (capture {}): {e}", image.version, capture.display()))
    };
    let config = config(&arguments.preset)?;
    let source = super::nic_source(&config, arguments.verilog.as_deref(), arguments.engine)?;
    let engine = arguments.engine.nic(&config, &source, arguments.seed);
    let engine = engine.map_err(CliError::failed)?;
    let start = || -> Result<Lab, InteropError> {
        let wire = Wire::new(&capture, arguments.seed)?;
        let guest = Guest::start(image, cases::GUEST.mac, cases::GUEST_IP, cases::GUEST_MTU)?;
        let mut lab = Lab::new(engine, guest, wire, cases::LOCAL, arguments.seed)?;
        cases::greet(&mut lab)?;
        Ok(lab)
    };
    let mut lab = start().map_err(at_guest)?;
    for (number, case) in cases.iter().enumerate() {
        let began = Instant::now();
        let outcome = cases::run(&mut lab, case, number as u32, arguments.seed);
        lab.wire.flush().map_err(at_guest)?;
        let outcome = outcome.map_err(at_guest)?;
        table.row(row(image, case, &outcome, began.elapsed().as_secs_f64()));
        progress();
    }
    *cycles += lab.nic.bus().cycle();
    Ok(())
}

fn row(image: &Image, case: &Case, outcome: &Outcome, seconds: f64) -> [String; 17] {
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
