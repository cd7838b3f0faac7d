//! `nic replay`: one side of a captured conversation, played by the NIC.

use super::error::CliError;
use super::files;
use super::preset::{nic_config, nic_source};
use super::progress::Progress;
use super::table::Table;
use crate::engine::EngineKind;
use crate::env::station::{Manners, Station};
use crate::pcap::{self, Record};
use crate::replay::conversation::{ip_text, Conversation, Packet, Pair, Region, Role};
use crate::replay::{requester, responder, Memory, ReplayError, Reply};
use clap::{Args, ValueEnum};
use nic_spec::config::NicConfig;
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use serde::Deserialize;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Part that the NIC plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoleArgument {
    Responder,
    Requester,
}

/// Arguments of `nic replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Capture to replay: a pcap or pcapng file of Ethernet frames
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
    /// Part that the NIC plays
    #[arg(long, value_enum)]
    role: RoleArgument,
    /// Configuration
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// What runs the NIC
    #[arg(long, value_enum, default_value_t = EngineKind::Both)]
    engine: EngineKind,
    /// IPv4 address of the host to play, where the capture has several
    #[arg(long, value_name = "IP")]
    host: Option<Ipv4Addr>,
    /// Queue pairs and memory regions, instead of those inferred from the capture
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// Verilog that stands in for the emitted one; same ports
    #[arg(long, value_name = "FILE")]
    verilog: Option<PathBuf>,
    /// Seed of the X-initialisation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the frames that the NIC sent
    #[arg(long, value_name = "REPLY.pcap")]
    out: Option<PathBuf>,
    /// Writes the content of every memory region (responder)
    #[arg(long, value_name = "DIR")]
    memory: Option<PathBuf>,
}

/// The TOML file of `--config`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    #[serde(default)]
    qp: Vec<QpEntry>,
    #[serde(default)]
    region: Vec<RegionEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QpEntry {
    qpn: u32,
    remote_qpn: u32,
    first_psn: u32,
    mtu_bytes: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionEntry {
    rkey: u32,
    va: u64,
    length_bytes: u64,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let config = nic_config(&arguments.preset)?;
    if arguments.verilog.is_some() && !arguments.engine.has_rtl() {
        let text = "--verilog contradicts --engine golden: choose --engine rtl or both";
        return Err(CliError::Usage(text.into()));
    }
    if arguments.memory.is_some() && arguments.role == RoleArgument::Requester {
        let text = "--memory needs --role responder: a requester has no regions";
        return Err(CliError::Usage(text.into()));
    }
    let records = pcap::read(&arguments.capture).map_err(CliError::usage)?;
    files::check_output("--out", arguments.out.as_deref())?;
    files::make_folder("--memory", arguments.memory.as_deref())?;
    let conversation = conversation(arguments, &records, &config)?;
    let station = station(arguments, &config)?;
    match arguments.role {
        RoleArgument::Responder => play_responder(arguments, &records, &conversation, station),
        RoleArgument::Requester => play_requester(arguments, &records, &conversation, station),
    }
}

fn at_capture(arguments: &Arguments, error: ReplayError) -> CliError {
    let text = format!("{}: {error}", arguments.capture.display());
    match error {
        ReplayError::Infer(_) | ReplayError::Unsupported { .. } | ReplayError::Gap { .. } => {
            CliError::Usage(text)
        }
        _ => CliError::Failed(text),
    }
}

fn conversation(
    arguments: &Arguments,
    records: &[Record],
    config: &NicConfig,
) -> Result<Conversation, CliError> {
    let role = match arguments.role {
        RoleArgument::Responder => Role::Responder,
        RoleArgument::Requester => Role::Requester,
    };
    let host = arguments.host.map(u32::from);
    let infer = |error| at_capture(arguments, ReplayError::Infer(error));
    let mut conversation = Conversation::infer(records, role, host, config).map_err(infer)?;
    if let Some(path) = &arguments.config {
        configure(&mut conversation, path)?;
        let at_file = |e| CliError::Usage(format!("{}: {e}", path.display()));
        conversation.check_rows(config).map_err(at_file)?;
    }
    Ok(conversation)
}

/// Takes queue pairs and regions from a file.
fn configure(conversation: &mut Conversation, path: &Path) -> Result<(), CliError> {
    let fail = |text: String| CliError::Usage(format!("{}: {text}", path.display()));
    let file: ConfigFile = files::read_toml(path)?;
    for entry in &file.qp {
        let mtu_ok = [256, 512, 1024, 2048, 4096].contains(&entry.mtu_bytes);
        if !mtu_ok || (entry.qpn | entry.remote_qpn | entry.first_psn) >> 24 != 0 {
            return Err(fail(format!(
                "qp {:#x}: mtu_bytes is 256, 512, 1024, 2048 or 4096; QPNs and PSNs have 24 bits",
                entry.qpn
            )));
        }
        let known = conversation.pairs.iter_mut().find(|p| p.qpn == entry.qpn);
        let Some(pair) = known else {
            return Err(fail(format!("qp {:#x}: the capture has no packet of it", entry.qpn)));
        };
        let (remote_qpn, first_psn) = (entry.remote_qpn, entry.first_psn);
        *pair = Pair { remote_qpn, first_psn, mtu_bytes: entry.mtu_bytes, ..pair.clone() };
    }
    if !file.region.is_empty() {
        let region =
            |e: &RegionEntry| Region { rkey: e.rkey, va: e.va, length_bytes: e.length_bytes };
        conversation.regions = file.region.iter().map(region).collect();
    }
    Ok(())
}

fn station(arguments: &Arguments, config: &NicConfig) -> Result<Station, CliError> {
    let source = nic_source(config, arguments.verilog.as_deref(), arguments.engine)?;
    let engine = arguments.engine.nic(config, &source, arguments.seed).map_err(CliError::failed)?;
    Station::new(engine, Manners::Prompt, arguments.seed).map_err(CliError::failed)
}

fn play_responder(
    arguments: &Arguments,
    records: &[Record],
    conversation: &Conversation,
    station: Station,
) -> Result<(), CliError> {
    let bar = Progress::new("frames", records.len() as u64);
    let count = bar.counter();
    let progress = |at: usize| count.store(at as u64, Ordering::Relaxed);
    let result = responder::run(conversation, records, station, progress);
    drop(bar);
    let outcome = result.map_err(|e| at_capture(arguments, e))?;
    println!("{} as responder {}", arguments.capture.display(), ip_text(conversation.local.ip));
    let [ours, expected, real] = outcome.sequence_naks();
    let mut table = Table::new(["", "NIC", "reference", "real host"]);
    let count_of = |code: u8, all: &mut dyn Iterator<Item = &Packet>| {
        all.filter(|p| p.syndrome.is_some_and(|s| s & syndrome::KIND_MASK == code)).count()
    };
    let reference = |code: u8| {
        let all = outcome.reference.iter();
        all.filter(|a| a.syndrome & syndrome::KIND_MASK == code).count().to_string()
    };
    let sent = || outcome.replies.iter().filter_map(|r| r.packet.as_ref());
    let received = outcome.fed + outcome.lost_later;
    let fed = outcome.fed.to_string();
    table.row(["frames in".into(), fed.clone(), fed, received.to_string()]);
    let out = [outcome.replies.len(), outcome.reference.len(), outcome.real.len()];
    let out = out.map(|count| count.to_string());
    table.row(["frames out".into(), out[0].clone(), out[1].clone(), out[2].clone()]);
    for (name, code) in [("ACK", 0), ("RNR NAK", 0x20), ("NAK", 0x60)] {
        let counts = [count_of(code, &mut sent()), count_of(code, &mut outcome.real.iter())];
        let [ours, real] = counts.map(|count| count.to_string());
        table.row([name.into(), ours, reference(code), real]);
    }
    table.row(["sequence NAK at PSN".into(), list(&ours), list(&expected), list(&real)]);
    print!("{table}");
    responder_details(&outcome);
    write_replies(arguments, &outcome.replies)?;
    if let Some(dir) = &arguments.memory {
        write_memory(dir, &outcome.memory)?;
    }
    finish(arguments, outcome.is_good(), outcome.cycles)
}

fn responder_details(outcome: &responder::Outcome) {
    if outcome.lost_later > 0 {
        println!("left out, lost behind the capture point: {} frames", outcome.lost_later);
    }
    if outcome.unsupported > 0 {
        println!(
            "SEND and atomic requests, answered by NAK 0x61: {} (the QP is in error then)",
            outcome.unsupported
        );
    }
    let (differing, compared) = outcome.read_bytes();
    if compared > 0 {
        println!("bytes read: {compared} beside the real host's, {differing} differ");
    }
    for m in &outcome.memory {
        let verdict = if m.is_equal() { "equal to the reference" } else { "DIFFER" };
        println!("region rkey {:#x} va {:#x}: {} bytes {verdict}", m.rkey, m.va, m.found.len());
    }
    if outcome.stray_bytes > 0 {
        println!("BYTES WRITTEN OUTSIDE EVERY REGION: {}", outcome.stray_bytes);
    }
    for (record, what) in &outcome.wrong {
        println!("WRONG ANSWER to record {}: {what}", record + 1);
    }
    print_counters(&outcome.counters);
}

fn play_requester(
    arguments: &Arguments,
    records: &[Record],
    conversation: &Conversation,
    station: Station,
) -> Result<(), CliError> {
    let bar = Progress::new("frames", records.len() as u64);
    let count = bar.counter();
    let progress = |at: usize| count.store(at as u64, Ordering::Relaxed);
    let result = requester::run(conversation, records, station, progress);
    drop(bar);
    let outcome = result.map_err(|e| at_capture(arguments, e))?;
    println!("{} as requester {}", arguments.capture.display(), ip_text(conversation.local.ip));
    let mut table = Table::new(["", "NIC", "real host"]);
    table.row(["answers in".into(), outcome.fed.to_string(), String::new()]);
    let kind = |packets: &mut dyn Iterator<Item = &Packet>| {
        let (mut first_last, mut all) = (0, 0);
        for p in packets.filter(|p| p.is_request()) {
            all += 1;
            let ends = !matches!(p.opcode, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE);
            first_last += usize::from(ends);
        }
        (all, first_last)
    };
    let ours = kind(&mut outcome.replies.iter().filter_map(|r| r.packet.as_ref()));
    let real = kind(&mut outcome.real.iter());
    table.row(["data packets out".into(), ours.0.to_string(), real.0.to_string()]);
    table.row(["ends of messages out".into(), ours.1.to_string(), real.1.to_string()]);
    print!("{table}");
    println!("messages posted: {}", outcome.posted);
    if outcome.reads_compared > 0 {
        let (all, wrong) = (outcome.reads_compared, outcome.reads_wrong);
        println!("READs held against the real responder's bytes: {all}, wrong: {wrong}");
    }
    for (status, count) in &outcome.completed {
        println!("completions {status}: {count}");
    }
    for (nak, at) in &outcome.resumed {
        match at {
            Some(psn) => println!("NAK at PSN {nak}: went back to {psn}"),
            None => println!("NAK AT PSN {nak}: DID NOT GO BACK"),
        }
    }
    for (qpn, psn, what) in &outcome.differing {
        println!("DIFFERS: qpn {qpn:#x} PSN {psn}: {what}");
    }
    for (qpn, psn) in &outcome.missing {
        println!("NEVER SENT: qpn {qpn:#x} PSN {psn}");
    }
    print_counters(&outcome.counters);
    write_replies(arguments, &outcome.replies)?;
    finish(arguments, outcome.is_good(), outcome.cycles)
}

fn list(psns: &[u32]) -> String {
    let all: Vec<_> = psns.iter().map(u32::to_string).collect();
    if all.is_empty() {
        "-".into()
    } else {
        all.join(" ")
    }
}

fn print_counters(counters: &[(&'static str, u32)]) {
    let all: Vec<_> = counters.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!("counters: {}", all.join(", "));
}

fn finish(arguments: &Arguments, is_good: bool, cycles: u64) -> Result<(), CliError> {
    match arguments.engine {
        EngineKind::Both => println!("{cycles} cycles in lock-step, 0 mismatches"),
        EngineKind::Golden => println!("{cycles} cycles of the golden model"),
        EngineKind::Rtl => println!("{cycles} cycles of the Verilated NIC"),
    }
    if is_good {
        return Ok(());
    }
    let text = format!("{}: the NIC did not keep to its part", arguments.capture.display());
    Err(CliError::Failed(text))
}

fn write_replies(arguments: &Arguments, replies: &[Reply]) -> Result<(), CliError> {
    let Some(path) = &arguments.out else { return Ok(()) };
    let clock_hz = nic_config(&arguments.preset)?.clock_hz;
    let record = |r: &Reply| Record {
        time_ns: (u128::from(r.cycle) * 1_000_000_000 / u128::from(clock_hz)) as u64,
        data: r.frame.clone(),
    };
    let records: Vec<_> = replies.iter().map(record).collect();
    pcap::write(path, &records).map_err(CliError::usage)
}

fn write_memory(dir: &Path, regions: &[Memory]) -> Result<(), CliError> {
    regions.iter().try_for_each(|region| {
        let name = format!("rkey_{:08x}.bin", region.rkey);
        files::write("--memory", &dir.join(name), &region.found)
    })
}
