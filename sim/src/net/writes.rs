//! NICs that write to and read from each other through the switch, and the proof that every byte
//! landed and every operation completed once: memory is held against the message-level reference.

mod error;
mod expected;

pub use error::RunError;

use super::history::History;
use super::switch::{
    Faults, Format, Stamping, Switch, SwitchCounters, DIRECT_DSCP, INT_PORT, UTILISATION_FULL,
};
use super::{ip, mac, Ack, Network, NetworkBus};
use crate::engine::Paces;
use crate::env::station::{sub_seed, BusError, Manners, NicEngine, Station};
use nic_driver::rings::{Ring, Work};
use nic_driver::{
    CcMode, Completion, CompletionKind, Error, MrRow, Nic, Qp, QpConfig, Read, Status, Write,
};
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::regs::EVENTS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A run is given up after this many cycles without a completion.
const STUCK_CYCLES: u64 = 3_000_000;
/// Cycles between two looks at the completion queues.
const POLL_CYCLES: u64 = 500;
/// Cycles behind the last completion in which none may come twice.
const SETTLE_CYCLES: u64 = 20_000;
/// log2 of the entries of submission rings, and of the completion ring: small, so that they wrap
/// often and fill up.
const SQ_LOG2: u8 = 3;
const CQ_LOG2: u8 = 5;
/// Where they are.
const SQ_BASE: u64 = 0x10_0000;
const CQ_BASE: u64 = 0x20_0000;
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
    /// Rate code of the ports of a switch that frames pass first, which stamps natively; none if absent.
    pub first_rate_code: Option<u8>,
    /// What goes wrong on the way.
    pub faults: Faults,
    /// Opcode that does not get through the switch.
    pub cut_opcode: Option<u8>,
    /// PSNs from one packet that leaves room for telemetry to the next one; 0: none does, 255: once a
    /// round trip.
    pub telemetry_every: u8,
    /// Cycles from one probe of a queue pair to the next one at least; 0: no probes.
    pub probe_cycles: u32,
    /// Who computes the windows, and what is echoed.
    pub cc_mode: CcMode,
    /// Queue pairs of each NIC.
    pub qp_count: u32,
    /// Messages of each queue pair.
    pub message_count: u32,
    /// Only the first NIC has messages.
    pub one_way: bool,
    /// Shortest and longest message, bytes.
    pub message_bytes: (u32, u32),
    /// Share of the messages that are READs, the others being WRITEs.
    pub read_percent: u32,
    /// Share of the WRITEs that carry immediate data.
    pub immediate_percent: u32,
    /// Queue pairs that post through submission rings, the others do so by registers. If there are
    /// any, all completions go to a ring.
    pub ring_qp_count: u32,
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
    /// Behaviour of memory, streams and register bus.
    pub manners: Manners,
    /// Seed of everything random.
    pub seed: u64,
}

/// What one NIC did.
#[derive(Clone, Debug, Default)]
pub struct NicReport {
    /// Event counters by name.
    pub counters: Vec<(&'static str, u32)>,
    /// Completions of work requests, with success.
    pub completions: u32,
    /// Completions with another status.
    pub failures: u32,
    /// Completions that came twice, not in the order of their posts, or for nothing.
    pub completions_wrong: u32,
    /// WRITEs with immediate received.
    pub received: u32,
    /// READs among the messages.
    pub reads: u32,
    /// Bytes of messages that landed in this NIC's memory as the reference has them.
    pub bytes_verified: u64,
    /// Bytes of the regions, whole, that differ from the reference.
    pub bytes_wrong: u64,
    /// Bytes written outside the region.
    pub bytes_stray: u64,
    /// Beats sent.
    pub tx_beats: u64,
    /// Window and rate of the first flow when the run ended, bytes and UQ8.24 bytes a cycle: of its READ
    /// responses if the plan has nothing but READs.
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
    /// ACKs among them.
    pub acks: BTreeMap<Ack, u64>,
    /// What happened from the first post until nothing did any more.
    pub history: Option<History>,
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

/// A message of the plan: which way it goes, where it stands and where it goes. A WRITE stands at an
/// address of ours and goes to an offset in the peer's region, a READ the other way round.
#[derive(Clone, Copy, Debug)]
struct Message {
    is_read: bool,
    immediate: Option<u32>,
    local: u64,
    remote_offset: u64,
    length_bytes: u32,
}

struct Host {
    nic: Nic<NetworkBus>,
    qps: Vec<Qp>,
    /// Queue pairs from this one on have a submission ring.
    first_ring_qp: usize,
    messages: Vec<Vec<Message>>,
    posted: Vec<usize>,
    completed: Vec<usize>,
    /// Immediate data and lengths, as they came.
    received: Vec<Vec<(u32, u32)>>,
    rng: ChaCha8Rng,
    report: NicReport,
}

fn rkey(station: usize) -> u32 {
    0x0000_0300 + ((station as u32) << 8) + 0x5a
}

/// Runs the plan with two NICs.
pub fn run(
    plan: &Plan,
    engines: [NicEngine; 2],
    progress: impl FnMut(u64),
) -> Result<Report, RunError> {
    run_watched(plan, engines, None, progress)
}

/// Runs the plan with two NICs, and reports what happens over time if their flows can be seen.
pub fn run_watched(
    plan: &Plan,
    engines: [NicEngine; 2],
    paces: Option<[Paces; 2]>,
    mut progress: impl FnMut(u64),
) -> Result<Report, RunError> {
    let mut stations = Vec::new();
    for (at, engine) in engines.into_iter().enumerate() {
        let seed = sub_seed(plan.seed, at as u64);
        let mut station = Station::new(engine, plan.manners, seed)?;
        if plan.manners == Manners::Stalling {
            station.stall_everything(seed);
        }
        stations.push(station);
    }
    let seed = sub_seed(plan.seed, 100);
    let mut switch = Switch::new(&[mac(0), mac(1)], plan.link_gbps, plan.faults, seed);
    if let Some(stamping) = plan.stamping {
        switch.stamp(stamping);
    }
    if let Some(opcode) = plan.cut_opcode {
        switch.cut_opcode(opcode);
    }
    let mut network = Network::new(stations, switch, plan.clock_hz);
    network.first_switch = plan.first_rate_code.map(|code| first_switch(plan, code));
    let network = Rc::new(RefCell::new(network));
    let mut hosts = Vec::new();
    for at in 0..2 {
        hosts.push(set_up(plan, &network, at)?);
    }
    let qp_flows = hosts[0].qps.iter().map(|qp| usize::from(qp.flow_index));
    let flow_count = hosts[0].nic.sizes().flow_count as usize;
    network.borrow_mut().history =
        paces.map(|paces| History::new(paces, qp_flows.collect(), flow_count));
    let start_ns = network.borrow().now_ns();
    let end_ns = exchange(plan, &network, &mut hosts, &mut progress)?;
    for host in &mut hosts {
        host.report.flow0 = Some(host.nic.cc_state()?);
        for (name, _) in EVENTS {
            host.report.counters.push((name, host.nic.counter(name)?));
        }
    }
    check_received(&mut hosts);
    let images = expected::images(plan, &network.borrow(), &hosts);
    for (at, image) in images.iter().enumerate() {
        expected::verify(&network.borrow(), &mut hosts, at, image);
    }
    let mut network = network.borrow_mut();
    let history = network.history.take();
    Ok(Report {
        nics: hosts.into_iter().map(|h| h.report).collect(),
        switch: network.switch.counters,
        cycles: network.cycle(),
        busy_ns: end_ns - start_ns,
        frames: network.frames,
        acks: network.acks.clone(),
        history,
    })
}

/// The switch that frames pass first.
fn first_switch(plan: &Plan, rate_code: u8) -> Switch {
    let rate_gbps = 25.0 * f64::from(1 << rate_code);
    let seed = sub_seed(plan.seed, 101);
    let mut switch = Switch::new(&[mac(0), mac(1)], rate_gbps, Faults::default(), seed);
    if let Some(stamping) = plan.stamping {
        let switch_id = stamping.switch_id ^ 0x13c;
        switch.stamp(Stamping { rate_code, switch_id, ..stamping });
    }
    switch
}

/// Room for a message, at any place in 64 bytes.
fn slot_bytes(plan: &Plan) -> u64 {
    u64::from(plan.message_bytes.1).next_multiple_of(64) + 64
}

fn region_bytes(plan: &Plan) -> u64 {
    slot_bytes(plan) * u64::from(plan.qp_count) * u64::from(plan.message_count)
}

impl Plan {
    /// The first queue pair that has a submission ring.
    fn first_ring_qp(&self) -> u32 {
        self.qp_count.saturating_sub(self.ring_qp_count)
    }
}

fn set_up(plan: &Plan, network: &Rc<RefCell<Network>>, at: usize) -> Result<Host, Error<BusError>> {
    let mut nic = Nic::probe(NetworkBus { network: network.clone(), station: at })?;
    nic.set_address(mac(at), ip(at))?;
    if let Some(stamping) = plan.stamping {
        use nic_spec::wire::telemetry::Form;
        let format = match stamping.format {
            Format::Native(Form::Paper) => 1,
            Format::Native(Form::Authors) => 2,
            Format::IntMd { .. } => 3,
            Format::Ioam => 4,
            Format::Ifa => 5,
            // A format whose header switches insert: none does, and echoes have the paper's form.
            Format::Direct { .. } => 4,
        };
        nic.set_telemetry(format, stamping.dscp, DIRECT_DSCP)?;
        let by_port = stamping.format == Format::IntMd { by_port: true };
        nic.set_telemetry_source(stamping.is_transit, by_port)?;
        nic.set_telemetry_every(plan.telemetry_every)?;
        if plan.cc_mode != CcMode::Sender {
            nic.set_cc_mode(plan.cc_mode)?;
        }
        if plan.probe_cycles > 0 {
            nic.set_probe_cycles(plan.probe_cycles)?;
        }
        nic.set_telemetry_stack(INT_PORT, false, false, [stamping.rate_code; 8])?;
    }
    let is_int = plan.stamping.is_some_and(|s| matches!(s.format, Format::IntMd { .. }));
    let utilisation_full = is_int.then_some(UTILISATION_FULL);
    let cc = CcConfig { utilisation_full, ..plan.cc };
    let cc = CcParams::derive(&cc).map_err(|_| Error::Argument("cc parameters"))?;
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
    if plan.ring_qp_count > 0 {
        nic.open_cq(Ring { address: CQ_BASE, log2: CQ_LOG2 })?;
    }
    let (mut qps, mut messages) = (Vec::new(), Vec::new());
    for qp in 0..plan.qp_count {
        qps.push(nic.create_qp(&qp_config(plan, at, qp))?);
        messages.push(draw_messages(plan, network, at, qp, &mut rng));
    }
    match plan.read_percent {
        100 => nic.watch_cc_of_responses(&qps[0])?,
        _ => nic.watch_cc(&qps[0])?,
    }
    let (posted, completed) = (vec![0; qps.len()], vec![0; qps.len()]);
    let received = vec![Vec::new(); qps.len()];
    let first_ring_qp = plan.first_ring_qp() as usize;
    let reads = messages.iter().flatten().filter(|m: &&Message| m.is_read).count() as u32;
    let report = NicReport { reads, ..NicReport::default() };
    Ok(Host { nic, qps, first_ring_qp, messages, posted, completed, received, rng, report })
}

fn qp_config(plan: &Plan, at: usize, qp: u32) -> QpConfig {
    QpConfig {
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
        rq_psn: first_psn(1 - at),
        sq_psn: first_psn(at),
        window_bytes: plan.window_bytes,
        rate_uq8_24: 8 << 24,
        sq_log2: if qp < plan.first_ring_qp() { 0 } else { SQ_LOG2 },
        sq_address: SQ_BASE + u64::from(qp) * 0x1000,
        ..QpConfig::default()
    }
}

/// Messages of queue pair `qp` of station `at`; their bytes are stored where they stand.
fn draw_messages(
    plan: &Plan,
    network: &Rc<RefCell<Network>>,
    at: usize,
    qp: u32,
    rng: &mut ChaCha8Rng,
) -> Vec<Message> {
    let slot_bytes = slot_bytes(plan);
    let mut queue = Vec::new();
    let message_count = if plan.one_way && at > 0 { 0 } else { plan.message_count };
    for number in 0..message_count {
        let slot = u64::from(qp * plan.message_count + number) * slot_bytes;
        let length_bytes = rng.gen_range(plan.message_bytes.0..=plan.message_bytes.1);
        let offset = slot + rng.gen_range(0..64);
        let remote_offset = slot + rng.gen_range(0..64);
        let bytes: Vec<u8> = (0..length_bytes).map(|_| rng.gen()).collect();
        let is_read = rng.gen_range(0..100) < plan.read_percent;
        let may_carry = !is_read && plan.immediate_percent > 0;
        let is_immediate = may_carry && rng.gen_range(0..100) < plan.immediate_percent;
        let immediate = is_immediate.then(|| rng.gen());
        let local = if is_read { LANDING_BASE } else { SOURCE_BASE } + offset;
        let (source_at, source) =
            if is_read { (1 - at, READ_BASE + remote_offset) } else { (at, local) };
        network.borrow_mut().stations[source_at].memory.store(source, &bytes);
        queue.push(Message { is_read, immediate, local, remote_offset, length_bytes });
    }
    queue
}

/// PSNs wrap early in the run.
fn first_psn(station: usize) -> u32 {
    0xff_fff0 + 7 * station as u32
}

/// Posts and polls until every message is complete; the time of the last completion.
fn exchange(
    plan: &Plan,
    network: &Rc<RefCell<Network>>,
    hosts: &mut [Host],
    progress: &mut impl FnMut(u64),
) -> Result<f64, RunError> {
    let messages = hosts.iter().flat_map(|h| h.messages.iter().flatten());
    let immediates = messages.filter(|m| m.immediate.is_some()).count() as u32;
    let sides = if plan.one_way { 1 } else { 2 };
    let total = sides * plan.qp_count * plan.message_count + immediates;
    let (mut done, mut last_cycle) = (0, network.borrow().cycle());
    while done < total {
        for (at, host) in hosts.iter_mut().enumerate() {
            post(host, 1 - at)?;
        }
        for _ in 0..POLL_CYCLES {
            network.borrow_mut().tick()?;
        }
        for host in hosts.iter_mut() {
            let count = host.poll()?;
            if count > 0 {
                last_cycle = network.borrow().cycle();
            }
            done += count;
        }
        progress(u64::from(done));
        let cycle = network.borrow().cycle();
        if cycle - last_cycle > STUCK_CYCLES {
            return Err(RunError::Stuck { cycle, outstanding: total - done });
        }
    }
    let end_ns = network.borrow().now_ns();
    for _ in 0..SETTLE_CYCLES {
        network.borrow_mut().tick()?;
    }
    for host in hosts.iter_mut() {
        host.poll()?;
    }
    Ok(end_ns)
}

/// Posts as much as there is room for; to a ring in batches of random length.
fn post(host: &mut Host, peer: usize) -> Result<(), RunError> {
    for at in 0..host.qps.len() {
        let (nic, qp) = (&mut host.nic, &mut host.qps[at]);
        loop {
            let queue = &host.messages[at][host.posted[at]..];
            let longest = if at < host.first_ring_qp { 1 } else { 1 << SQ_LOG2 };
            let count = host.rng.gen_range(1..=longest).min(queue.len());
            let batch: Vec<Work> = queue[..count].iter().map(|m| m.work(peer)).collect();
            let result = match batch[..] {
                [] => break,
                _ if at >= host.first_ring_qp => nic.submit(qp, &batch),
                [Work::Write(write), ..] => nic.post_write(qp, &write),
                [Work::Read(read), ..] => nic.post_read(qp, &read),
            };
            match result {
                Ok(_) => host.posted[at] += count,
                Err(Error::SendQueueFull | Error::Refused) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

impl Message {
    fn work(&self, peer: usize) -> Work {
        let (local_address, length_bytes) = (self.local, self.length_bytes);
        if self.is_read {
            let (remote_va, rkey) = (READ_VA + self.remote_offset, rkey(peer) + READ_REGION);
            return Work::Read(Read {
                local_address,
                length_bytes,
                remote_va,
                rkey,
                unsignalled: false,
            });
        }
        let (remote_va, rkey) = (REGION_VA + self.remote_offset, rkey(peer));
        let immediate = self.immediate;
        let unsignalled = false;
        Work::Write(Write { local_address, length_bytes, remote_va, rkey, immediate, unsignalled })
    }
}

impl Host {
    /// Books all completions that are there; how many.
    fn poll(&mut self) -> Result<u32, RunError> {
        let mut count = 0;
        loop {
            let next = if self.has_ring() { self.nic.poll_cq()? } else { self.nic.poll()? };
            let Some(completion) = next else { return Ok(count) };
            self.complete(&completion);
            count += 1;
        }
    }

    fn has_ring(&self) -> bool {
        self.first_ring_qp < self.qps.len()
    }

    /// Books a completion: those of a queue pair come in the order of its posts, each once.
    fn complete(&mut self, completion: &Completion) {
        let at = self.qps.iter().position(|qp| qp.flow_index == completion.flow_index);
        let is_ok = completion.status == Status::Ok;
        self.report.failures += u32::from(!is_ok);
        if let (CompletionKind::Received, Some(at)) = (completion.kind, at) {
            self.report.received += 1;
            self.received[at].push((completion.immediate, completion.byte_count));
            return;
        }
        self.report.completions += u32::from(is_ok);
        let message = at.and_then(|at| {
            self.qps[at].complete(completion);
            let next = self.completed[at];
            self.completed[at] += 1;
            let message = self.messages[at].get(next).filter(|_| next < self.posted[at])?;
            (completion.wr_id == next as u32).then_some(message)
        });
        let is_ours = completion.kind == CompletionKind::Requester;
        let right = message.is_some_and(|m| is_ours && m.length_bytes == completion.byte_count);
        self.report.completions_wrong += u32::from(!right);
    }
}

/// Every WRITE with immediate was received once, in order.
fn check_received(hosts: &mut [Host]) {
    for at in 0..2 {
        for qp in 0..hosts[at].qps.len() {
            let sent = hosts[1 - at].messages[qp].iter();
            let sent = sent.filter_map(|m| Some((m.immediate?, m.length_bytes)));
            let right = sent.eq(hosts[at].received[qp].iter().copied());
            hosts[at].report.completions_wrong += u32::from(!right);
        }
    }
}
