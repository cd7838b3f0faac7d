//! NICs that write to and read from each other through the switch, and the proof that every byte
//! landed and every operation completed once.

use super::switch::{Faults, Stamping, Switch, SwitchCounters};
use super::{Network, NetworkBus};
use crate::env::station::{sub_seed, BusError, Manners, NicEngine, Station};
use crate::lockstep::StepError;
use nic_driver::{Completion, Error, MrRow, Nic, Qp, QpConfig, Read, Status, Write};
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::regs::EVENTS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A run is given up after this many cycles without a completion.
const STUCK_CYCLES: u64 = 3_000_000;
/// Cycles between two looks at the completion queues.
const POLL_CYCLES: u64 = 500;
/// Where messages stand in host memory, and where the peer's writes land.
const SOURCE_BASE: u64 = 0x1_0000_0000;
const TARGET_BASE: u64 = 0x8_0000_0000;
/// What the peer reads, and where what is read from the peer lands.
const READ_BASE: u64 = 0x10_0000_0000;
const LANDING_BASE: u64 = 0x18_0000_0000;
/// Virtual address of the regions that are written and that are read.
const REGION_VA: u64 = 0x7f00_0000_0000;
const READ_VA: u64 = 0x6e00_0000_0000;
/// Index of the region that is read, as its rkey's.
const READ_REGION: u32 = 0x20_00;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Clock of the cores, Hz.
    pub clock_hz: u64,
    /// Rate of the switch ports, Gb/s.
    pub link_gbps: f64,
    /// Telemetry on the wire.
    pub stamping: Option<Stamping>,
    /// What goes wrong on the way.
    pub faults: Faults,
    /// Queue pairs of each NIC.
    pub qp_count: u32,
    /// Messages of each queue pair.
    pub message_count: u32,
    /// Shortest and longest message, bytes.
    pub message_bytes: (u32, u32),
    /// Share of the messages that are READs, the others being WRITEs.
    pub read_percent: u32,
    /// READs that a queue pair may have outstanding.
    pub read_limit: u8,
    /// Path MTU code: 256 << code bytes.
    pub mtu_code: u8,
    /// Initial window, bytes.
    pub window_bytes: u32,
    /// Congestion control, where telemetry is on.
    pub cc: CcConfig,
    /// Retransmission timeout exponent.
    pub timeout_exponent: u8,
    /// Behaviour of memory and host stream.
    pub manners: Manners,
    /// Seed of everything random.
    pub seed: u64,
}

/// What one NIC did.
#[derive(Clone, Debug, Default)]
pub struct NicReport {
    /// Event counters by name.
    pub counters: Vec<(&'static str, u32)>,
    /// Completions with success.
    pub completions: u32,
    /// Completions with another status.
    pub failures: u32,
    /// Completions that came twice, not in the order of their posts, or for nothing.
    pub completions_wrong: u32,
    /// READs among the messages.
    pub reads: u32,
    /// Bytes that landed in this NIC's memory as its peer wrote them, or as it read them.
    pub bytes_verified: u64,
    /// Bytes that did not.
    pub bytes_wrong: u64,
    /// Bytes written outside the region.
    pub bytes_stray: u64,
    /// Beats sent.
    pub tx_beats: u64,
    /// Window and rate of the first flow when the run ended: bytes, UQ8.24 bytes a cycle.
    pub flow0: Option<(u32, u32)>,
}

impl NicReport {
    /// Value of an event counter.
    pub fn counter(&self, name: &str) -> u32 {
        self.counters.iter().find(|(n, _)| *n == name).map_or(0, |(_, count)| *count)
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// One a NIC.
    pub nics: Vec<NicReport>,
    /// The switch.
    pub switch: SwitchCounters,
    /// Cycles run.
    pub cycles: u64,
    /// Time in ns from the first post to the last completion.
    pub busy_ns: f64,
    /// Frames that the NICs sent.
    pub frames: u64,
}

impl Report {
    /// Payload verified per time, Gb/s, both directions together.
    pub fn goodput_gbps(&self) -> f64 {
        let bytes: u64 = self.nics.iter().map(|n| n.bytes_verified).sum();
        bytes as f64 * 8.0 / self.busy_ns
    }

    /// Whether every byte landed where it should and nowhere else, and every message completed
    /// once.
    pub fn is_good(&self) -> bool {
        let good = |n: &NicReport| {
            let bytes = n.bytes_wrong == 0 && n.bytes_stray == 0;
            bytes && n.failures == 0 && n.completions_wrong == 0
        };
        self.nics.iter().all(good)
    }
}

/// Why a run ends early.
#[derive(Debug)]
pub enum RunError {
    /// The engine failed: a mismatch, mostly.
    Step(StepError),
    /// The driver failed.
    Driver(Error<BusError>),
    /// Nothing completes any more.
    Stuck {
        /// When, in cycles.
        cycle: u64,
        /// Messages outstanding.
        outstanding: u32,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(e) => e.fmt(f),
            Self::Driver(e) => e.fmt(f),
            Self::Stuck { cycle, outstanding } => {
                write!(f, "no completion for {STUCK_CYCLES} cycles at cycle {cycle}: ")?;
                write!(f, "{outstanding} messages are outstanding")
            }
        }
    }
}

impl std::error::Error for RunError {}

impl From<StepError> for RunError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl From<Error<BusError>> for RunError {
    fn from(error: Error<BusError>) -> Self {
        match error {
            Error::Bus(BusError::Step(e)) => Self::Step(e),
            other => Self::Driver(other),
        }
    }
}

/// A message of the plan: which way it goes, where it stands and where it goes. A WRITE stands at an
/// address of ours and goes to an offset in the peer's region, a READ the other way round.
#[derive(Clone, Copy, Debug)]
struct Message {
    is_read: bool,
    local: u64,
    remote_offset: u64,
    length_bytes: u32,
}

struct Host {
    nic: Nic<NetworkBus>,
    qps: Vec<Qp>,
    messages: Vec<Vec<Message>>,
    posted: Vec<usize>,
    completed: Vec<usize>,
    report: NicReport,
}

/// MAC of a station.
fn mac(station: usize) -> u64 {
    0x0200_0000_0001 + station as u64
}

/// IPv4 address of a station.
fn ip(station: usize) -> u32 {
    0x0a00_0001 + station as u32
}

fn rkey(station: usize) -> u32 {
    0x0000_0300 + ((station as u32) << 8) + 0x5a
}

/// Runs the plan with two NICs.
pub fn run(
    plan: &Plan,
    engines: [NicEngine; 2],
    mut progress: impl FnMut(u64),
) -> Result<Report, RunError> {
    let mut stations = Vec::new();
    for (at, engine) in engines.into_iter().enumerate() {
        stations.push(Station::new(engine, plan.manners, sub_seed(plan.seed, at as u64))?);
    }
    let seed = sub_seed(plan.seed, 100);
    let mut switch = Switch::new(&[mac(0), mac(1)], plan.link_gbps, plan.faults, seed);
    if let Some(stamping) = plan.stamping {
        switch.stamp(stamping);
    }
    let network = Rc::new(RefCell::new(Network::new(stations, switch, plan.clock_hz)));
    let mut hosts = Vec::new();
    for at in 0..2 {
        hosts.push(set_up(plan, &network, at)?);
    }
    let start_ns = network.borrow().now_ns();
    let end_ns = exchange(plan, &network, &mut hosts, &mut progress)?;
    for host in &mut hosts {
        host.report.flow0 = Some(host.nic.cc_state()?);
        for (name, _) in EVENTS {
            host.report.counters.push((name, host.nic.counter(name)?));
        }
    }
    let region_bytes = region_bytes(plan);
    for at in 0..2 {
        verify(&network.borrow(), &mut hosts, at, region_bytes);
    }
    let network = network.borrow();
    Ok(Report {
        nics: hosts.into_iter().map(|h| h.report).collect(),
        switch: network.switch.counters,
        cycles: network.cycle(),
        busy_ns: end_ns - start_ns,
        frames: network.frames,
    })
}

fn region_bytes(plan: &Plan) -> u64 {
    let slot = u64::from(plan.message_bytes.1).next_multiple_of(64) + 64;
    slot * u64::from(plan.qp_count) * u64::from(plan.message_count)
}

fn set_up(plan: &Plan, network: &Rc<RefCell<Network>>, at: usize) -> Result<Host, Error<BusError>> {
    let mut nic = Nic::probe(NetworkBus { network: network.clone(), station: at })?;
    nic.set_address(mac(at), ip(at))?;
    if let Some(stamping) = plan.stamping {
        let format = match stamping.form {
            nic_spec::wire::telemetry::Form::Paper => 1,
            nic_spec::wire::telemetry::Form::Authors => 2,
        };
        nic.set_telemetry(format, stamping.dscp, 0x17)?;
    }
    let cc = CcParams::derive(&plan.cc).map_err(|_| Error::Argument("cc parameters"))?;
    nic.set_cc_params(&cc)?;
    nic.create_mr(&MrRow {
        remote_write: true,
        rkey: rkey(at),
        va: REGION_VA,
        length_bytes: region_bytes(plan),
        host_address: TARGET_BASE,
        ..MrRow::default()
    })?;
    nic.create_mr(&MrRow {
        remote_read: true,
        rkey: rkey(at) + READ_REGION,
        va: READ_VA,
        length_bytes: region_bytes(plan),
        host_address: READ_BASE,
        ..MrRow::default()
    })?;
    let mut rng = ChaCha8Rng::seed_from_u64(sub_seed(plan.seed, 10 + at as u64));
    let (mut qps, mut messages) = (Vec::new(), Vec::new());
    let mut slot = 0;
    let slot_bytes = u64::from(plan.message_bytes.1).next_multiple_of(64) + 64;
    for qp in 0..plan.qp_count {
        qps.push(nic.create_qp(&QpConfig {
            telemetry: plan.stamping.is_some(),
            remote_write: true,
            remote_read: true,
            read_limit: plan.read_limit,
            rnr_retry_limit: 7,
            mtu_code: plan.mtu_code,
            timeout_exponent: plan.timeout_exponent,
            retry_limit: 7,
            ack_interval_log2: if plan.stamping.is_some() { 0 } else { 4 },
            qpn: 0x100 + qp,
            remote_qpn: 0x100 + qp,
            remote_ip: ip(1 - at),
            remote_mac: mac(1 - at),
            udp_source_port: 0xc000 + qp as u16,
            // PSNs wrap early in the run.
            rq_psn: 0xff_fff0 + 7 * (1 - at as u32),
            sq_psn: 0xff_fff0 + 7 * at as u32,
            window_bytes: plan.window_bytes,
            rate_uq8_24: 8 << 24,
            ..QpConfig::default()
        })?);
        let mut queue = Vec::new();
        for _ in 0..plan.message_count {
            let length_bytes = rng.gen_range(plan.message_bytes.0..=plan.message_bytes.1);
            let offset = slot * slot_bytes + rng.gen_range(0..64);
            let remote_offset = slot * slot_bytes + rng.gen_range(0..64);
            let bytes: Vec<u8> = (0..length_bytes).map(|_| rng.gen()).collect();
            let is_read = rng.gen_range(0..100) < plan.read_percent;
            let local = if is_read { LANDING_BASE } else { SOURCE_BASE } + offset;
            let (source_at, source) =
                if is_read { (1 - at, READ_BASE + remote_offset) } else { (at, local) };
            network.borrow_mut().stations[source_at].memory.store(source, &bytes);
            queue.push(Message { is_read, local, remote_offset, length_bytes });
            slot += 1;
        }
        messages.push(queue);
    }
    nic.watch_cc(&qps[0])?;
    let (posted, completed) = (vec![0; qps.len()], vec![0; qps.len()]);
    let reads = messages.iter().flatten().filter(|m: &&Message| m.is_read).count() as u32;
    let report = NicReport { reads, ..NicReport::default() };
    Ok(Host { nic, qps, messages, posted, completed, report })
}

/// Posts and polls until every message is complete; the time of the last completion.
fn exchange(
    plan: &Plan,
    network: &Rc<RefCell<Network>>,
    hosts: &mut [Host],
    progress: &mut impl FnMut(u64),
) -> Result<f64, RunError> {
    let total = 2 * plan.qp_count * plan.message_count;
    let (mut done, mut last_cycle) = (0, network.borrow().cycle());
    while done < total {
        for (at, host) in hosts.iter_mut().enumerate() {
            post(host, 1 - at)?;
        }
        for _ in 0..POLL_CYCLES {
            network.borrow_mut().tick()?;
        }
        for host in hosts.iter_mut() {
            while let Some(completion) = host.nic.poll()? {
                host.complete(&completion);
                done += 1;
                last_cycle = network.borrow().cycle();
            }
        }
        progress(u64::from(done));
        let cycle = network.borrow().cycle();
        if cycle - last_cycle > STUCK_CYCLES {
            return Err(RunError::Stuck { cycle, outstanding: total - done });
        }
    }
    let end_ns = network.borrow().now_ns();
    Ok(end_ns)
}

fn post(host: &mut Host, peer: usize) -> Result<(), RunError> {
    for qp in 0..host.qps.len() {
        while let Some(message) = host.messages[qp].get(host.posted[qp]) {
            let (local_address, length_bytes) = (message.local, message.length_bytes);
            let result = if message.is_read {
                let remote_va = READ_VA + message.remote_offset;
                let rkey = rkey(peer) + READ_REGION;
                let read =
                    Read { local_address, length_bytes, remote_va, rkey, unsignalled: false };
                host.nic.post_read(&mut host.qps[qp], &read)
            } else {
                let (remote_va, rkey) = (REGION_VA + message.remote_offset, rkey(peer));
                let write =
                    Write { local_address, length_bytes, remote_va, rkey, ..Write::default() };
                host.nic.post_write(&mut host.qps[qp], &write)
            };
            match result {
                Ok(_) => host.posted[qp] += 1,
                Err(Error::SendQueueFull | Error::Refused) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

impl Host {
    /// Books a completion: those of a queue pair come in the order of its posts, each once.
    fn complete(&mut self, completion: &Completion) {
        match completion.status {
            Status::Ok => self.report.completions += 1,
            _ => self.report.failures += 1,
        }
        let at = self.qps.iter().position(|qp| qp.flow_index == completion.flow_index);
        let message = at.and_then(|at| {
            self.qps[at].complete(completion);
            let next = self.completed[at];
            self.completed[at] += 1;
            let message = self.messages[at].get(next).filter(|_| next < self.posted[at])?;
            (completion.wr_id == next as u32).then_some(message)
        });
        let right = message.is_some_and(|m| m.length_bytes == completion.byte_count);
        self.report.completions_wrong += u32::from(!right);
    }
}

/// Holds what landed at station `at` against where it came from: the peer's WRITEs, our READs.
fn verify(network: &Network, hosts: &mut [Host], at: usize, region_bytes: u64) {
    let (here, there) = (&network.stations[at].memory, &network.stations[1 - at].memory);
    let written = hosts[1 - at].messages.iter().flatten().filter(|m| !m.is_read);
    let written = written.map(|m| (m.local, TARGET_BASE + m.remote_offset, m.length_bytes));
    let read = hosts[at].messages.iter().flatten().filter(|m| m.is_read);
    let read = read.map(|m| (READ_BASE + m.remote_offset, m.local, m.length_bytes));
    let (mut verified, mut wrong) = (0, 0);
    for (source, target, length) in written.chain(read) {
        let sent = there.load(source, length as usize);
        let landed = here.load(target, length as usize);
        let equal = sent.iter().zip(&landed).filter(|(a, b)| a == b).count() as u64;
        verified += equal;
        wrong += u64::from(length) - equal;
    }
    let regions = [TARGET_BASE, LANDING_BASE].map(|base| base..base + region_bytes);
    let outside = |r: &std::ops::Range<u64>| {
        let inside = |region: &std::ops::Range<u64>| {
            r.end.min(region.end).saturating_sub(r.start.max(region.start))
        };
        r.end - r.start - regions.iter().map(inside).sum::<u64>()
    };
    let report = &mut hosts[at].report;
    report.bytes_verified = verified;
    report.bytes_wrong = wrong;
    report.bytes_stray = here.written_ranges().iter().map(outside).sum();
    report.tx_beats = network.stations[at].tx_beats();
}
