//! A host that is a whole NIC: host memory, the MAC, and the software that posts the host's flows. It
//! runs in a thread of its own, and meets the network at the end of each window.

use super::frames::{self, address, payload};
use super::setup::{Clock, Pair, PAIRS};
use crate::engine::{Decision, Decisions};
use crate::env::station::{BusError, Station};
use crate::fabric::acks::Kept;
use crate::fabric::cc::{Hpcc, Records};
use crate::fabric::engine::CpuClock;
use crate::fabric::wire::OVERHEAD_BYTES;
use crate::net::switch::wire_bytes;
use crate::net::{ip, mac};
use nic_driver::rings::{HostMemory, Ring, Work};
use nic_driver::{Bus, Error, MrRow, Nic, Qp, QpConfig, Status, Write};
use nic_harness::lockstep::StepError;
use nic_spec::cc_params::CcParams;
use nic_spec::regs::config_offset;
use nic_spec::rows::QpRow;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::mpsc::{Receiver, Sender};

/// Longest register access in cycles.
const ACCESS_CYCLES_MAX: u64 = 1000;
/// Cycles of a timeout of exponent 0: 4.096 us of the preset's clock.
const TIMEOUT_CYCLES: u64 = 512;
/// log2 of the entries of the completion ring and of submission rings.
const CQ_LOG2: u8 = 7;
const SQ_LOG2: u8 = 1;
/// Where things stand in host memory: what others write, what this host sends, rings.
const TARGET_BASE: u64 = 1 << 56;
const SOURCE_BASE: u64 = 1 << 57;
const CQ_BASE: u64 = 1 << 58;
const SQ_BASE: u64 = CQ_BASE + (1 << 20);

/// What the network gives a host.
#[derive(Debug)]
pub enum Window {
    /// Frames by the time at which their last bit arrives, pauses and releases, both in order; and the
    /// end of the window.
    Run { until_ps: u64, arrivals: VecDeque<(u64, Vec<u8>)>, gates: VecDeque<(u64, bool)> },
    /// All is over. These flows have arrived here.
    End(Vec<u32>),
}

/// What a host has done in a window.
#[derive(Debug, Default)]
pub struct Told {
    /// Frames by the time at which they began to leave.
    pub frames: Vec<(u64, Vec<u8>)>,
    /// Flows that have completed, and when software saw that.
    pub ended: Vec<(u64, u32)>,
}

/// What a host tells at the very end.
#[derive(Clone, Debug, Default)]
pub struct Last {
    /// Cycles that it has run.
    pub cycles: u64,
    /// ACKs that its congestion control took, where they are wanted.
    pub acks: Vec<Kept>,
    /// Timeouts of its queue pairs.
    pub timeouts: u64,
    /// CPU time, seconds.
    pub cpu_s: f64,
}

/// A host before its first cycle.
#[derive(Debug)]
pub struct Host {
    pub index: u16,
    pub station: Station,
    pub decisions: Option<Decisions>,
    pub pairs: Vec<Pair>,
    pub clock: Clock,
    /// Of its link.
    pub ps_per_byte: u64,
    pub hpcc: Hpcc,
    pub payload_bytes: u64,
    pub timeout_ps: u64,
    pub from_network: Receiver<Window>,
    pub to_network: Sender<Told>,
}

/// Why the software stops.
#[derive(Debug)]
enum Halt {
    /// The run is over.
    Over,
    /// The NIC has failed.
    Bus(BusError),
    /// A flow has.
    Flow(u32, Status),
}

impl From<StepError> for Halt {
    fn from(error: StepError) -> Self {
        Self::Bus(BusError::Step(error))
    }
}

impl std::fmt::Display for Halt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Over => f.write_str("the run is over"),
            Self::Bus(error) => error.fmt(f),
            Self::Flow(flow, status) => write!(f, "flow {flow} has ended with {status:?}"),
        }
    }
}

/// Runs the host to the end of the run.
///
/// # Errors
/// A sentence about what has failed, its host first.
pub fn run(host: Host) -> Result<Last, String> {
    let (cpu, index) = (CpuClock::start(), host.index);
    let text = |e: Error<Halt>| match e {
        Error::Bus(halt) => format!("host {index}: {halt}"),
        other => format!("host {index}: {other}"),
    };
    let (pairs, config) = (host.pairs.clone(), config(&host)?);
    let mut nic = Nic::probe(Port::new(host)).map_err(text)?;
    let mut qps = set_up(&mut nic, &pairs, &config).map_err(text)?;
    nic.bus().begin();
    match work(&mut nic, &pairs, &mut qps) {
        Err(Error::Bus(Halt::Over)) => {}
        Err(error) => return Err(text(error)),
        Ok(never) => match never {},
    }
    let timeouts = nic.counter("reqr_timeout").map_err(text)?.into();
    let port = nic.bus();
    port.check_bytes().map_err(|e| format!("host {index}: {e}"))?;
    Ok(Last { cycles: port.cycle(), acks: port.kept(), timeouts, cpu_s: cpu.seconds() })
}

/// What all queue pairs of a host have in common.
struct Config {
    index: u16,
    cc: CcParams,
    qp: QpRow,
    line: u32,
}

fn config(host: &Host) -> Result<Config, String> {
    let cc = CcParams::derive(host.hpcc.config()).map_err(|e| format!("cc: {e}"))?;
    let timeout_cycles = host.clock.cycle(host.timeout_ps);
    let exponent = timeout_cycles.div_ceil(TIMEOUT_CYCLES).next_power_of_two().ilog2().max(1);
    // Bytes a cycle, UQ8.8, and what the wire has beside a frame.
    let rate = (1_000_000_000_000 << 8) / (host.ps_per_byte * host.clock.hz());
    let qp = QpRow {
        telemetry: true,
        remote_write: true,
        mtu_code: (host.payload_bytes.ilog2() - 8) as u8,
        timeout_exponent: exponent as u8,
        retry_limit: 7,
        // An ACK for each packet: each brings telemetry back.
        ack_interval_log2: 0,
        window_bytes: cc.w_init,
        rate_uq8_24: cc.rate_max,
        sq_log2: SQ_LOG2,
        ..QpRow::default()
    };
    Ok(Config { index: host.index, cc, qp, line: (OVERHEAD_BYTES << 16 | rate) as u32 })
}

/// All that can be done before the first flow starts; the queue pairs in the order of `pairs`.
fn set_up(nic: &mut Nic<Port>, pairs: &[Pair], config: &Config) -> Result<Vec<Qp>, Error<Halt>> {
    let index = usize::from(config.index);
    nic.set_address(mac(index), ip(index))?;
    nic.set_telemetry(2, frames::DATA_DSCP, frames::ECHO_DSCP)?;
    nic.set_telemetry_every(1)?;
    nic.set_cc_params(&config.cc)?;
    nic.bus().write32(config_offset::line.into(), config.line).map_err(Error::Bus)?;
    nic.create_mr(&MrRow {
        remote_write: true,
        rkey: frames::RKEY,
        length_bytes: TARGET_BASE,
        host_address: TARGET_BASE,
        ..MrRow::default()
    })?;
    nic.open_cq(Ring { address: CQ_BASE, log2: CQ_LOG2 })?;
    let mut qps = vec![];
    for pair in pairs {
        let (flow, demand) = (pair.flow, pair.demand);
        let is_source = demand.src == config.index;
        let peer = usize::from(if is_source { demand.dst } else { demand.src });
        if is_source {
            let bytes = payload(flow, 0, demand.bytes as usize);
            nic.bus().host.station.memory.store(SOURCE_BASE + address(flow), &bytes);
        }
        let row = pair.qpn % PAIRS;
        qps.push(nic.create_qp(&QpConfig {
            qpn: pair.qpn,
            remote_qpn: pair.remote_qpn,
            remote_ip: ip(peer),
            remote_mac: mac(peer),
            udp_source_port: 0xc000 | (pair.qpn & 0x3fff) as u16,
            sq_address: SQ_BASE + u64::from(row) * 0x1000,
            ..config.qp
        })?);
    }
    Ok(qps)
}

/// Posts each flow of this host at its time, and books completions.
fn work(nic: &mut Nic<Port>, pairs: &[Pair], qps: &mut [Qp]) -> Result<Infallible, Error<Halt>> {
    let index = nic.bus().host.index;
    let mut to_post: VecDeque<usize> =
        (0..pairs.len()).filter(|at| pairs[*at].demand.src == index).collect();
    loop {
        let now_ps = nic.bus().now_ps();
        let is_due = |at: &usize| pairs[*at].demand.start_ps <= now_ps;
        while let Some(at) = to_post.front().copied().filter(is_due) {
            to_post.pop_front();
            let pair = &pairs[at];
            let write = Write {
                local_address: SOURCE_BASE + address(pair.flow),
                length_bytes: pair.demand.bytes as u32,
                remote_va: address(pair.flow),
                rkey: frames::RKEY,
                ..Write::default()
            };
            nic.submit(&mut qps[at], &[Work::Write(write)])?;
        }
        // A cycle goes by.
        if let Some(completion) = nic.poll_cq()? {
            let qp = qps.iter().position(|qp| qp.flow_index == completion.flow_index);
            let flow = pairs[qp.expect("no other queue pair was made")].flow;
            if completion.status != Status::Ok {
                return Err(Error::Bus(Halt::Flow(flow, completion.status)));
            }
            let now_ps = nic.bus().now_ps();
            nic.bus().told.ended.push((now_ps, flow));
        }
    }
}

/// The NIC behind its registers, between the network's windows.
struct Port {
    host: Host,
    /// The cycle at time 0; until then there is no network.
    begin_cycle: Option<u64>,
    until_ps: u64,
    arrivals: VecDeque<(u64, Vec<u8>)>,
    gates: VecDeque<(u64, bool)>,
    is_paused: bool,
    /// When the link has carried what the MAC has taken.
    free_ps: u64,
    told: Told,
    /// The network is not waited for any more; the flows that have arrived here.
    is_over: bool,
    arrived: Vec<u32>,
}

impl Port {
    fn new(host: Host) -> Self {
        Self {
            host,
            begin_cycle: None,
            until_ps: 0,
            arrivals: VecDeque::new(),
            gates: VecDeque::new(),
            is_paused: false,
            free_ps: 0,
            told: Told::default(),
            is_over: false,
            arrived: vec![],
        }
    }

    /// The next cycle begins time 0.
    fn begin(&mut self) {
        self.begin_cycle = Some(self.host.station.cycle());
    }

    fn cycle(&self) -> u64 {
        self.begin_cycle.map_or(0, |begin| self.host.station.cycle() - begin)
    }

    fn now_ps(&self) -> u64 {
        self.host.clock.ps(self.cycle())
    }

    /// One cycle; the answer to a register access that is under way, once it is there.
    fn tick(&mut self, is_access: bool) -> Result<Option<(u32, bool)>, Halt> {
        if let Some(begin) = self.begin_cycle {
            while self.now_ps() >= self.until_ps {
                self.meet_network();
            }
            self.receive();
            self.hold_mac();
            let answer = self.step(is_access)?;
            self.send(begin);
            return Ok(answer);
        }
        self.step(is_access)
    }

    fn step(&mut self, is_access: bool) -> Result<Option<(u32, bool)>, Halt> {
        match is_access {
            true => Ok(self.host.station.tick_access()?),
            false => Ok(self.host.station.tick().map(|()| None)?),
        }
    }

    /// Frames begin in time for their last beat to come when their last bit has arrived.
    fn receive(&mut self) {
        let cycle = self.cycle();
        while let Some((at_ps, frame)) = self.arrivals.front() {
            let beats = self.host.station.beats(frame.len());
            let last_cycle = self.host.clock.cycle(*at_ps);
            if last_cycle + 1 > cycle + beats {
                return;
            }
            assert!(
                last_cycle + 1 == cycle + beats,
                "a frame is late for host {}",
                self.host.index
            );
            let (_, frame) = self.arrivals.pop_front().expect("it was looked at");
            self.host.station.deliver(frame, false);
        }
    }

    /// The MAC takes a frame if the link is free by the next cycle, and not paused.
    fn hold_mac(&mut self) {
        let now_ps = self.now_ps();
        while let Some((_, is_closed)) = self.gates.front().filter(|(at_ps, _)| *at_ps <= now_ps) {
            self.is_paused = *is_closed;
            self.gates.pop_front();
        }
        let is_free = self.free_ps <= self.host.clock.ps(self.cycle() + 1);
        self.host.station.hold_tx(self.is_paused || !is_free);
    }

    /// Frames leave from their first beat on: the link is slower than the NIC, so it waits for nothing.
    fn send(&mut self, begin_cycle: u64) {
        while let Some((last_cycle, frame)) = self.host.station.sent.pop_front() {
            let beats = self.host.station.beats(frame.bytes.len());
            let at_ps = self.host.clock.ps(last_cycle + 1 - beats - begin_cycle);
            let wire_ps = wire_bytes(&frame.bytes) * self.host.ps_per_byte;
            self.free_ps = self.free_ps.max(at_ps) + wire_ps;
            self.told.frames.push((at_ps, frame.bytes));
        }
    }

    /// The window has ended: tells the network, and waits for the next one.
    fn meet_network(&mut self) {
        let told = std::mem::take(&mut self.told);
        match self.host.to_network.send(told).ok().and_then(|()| self.host.from_network.recv().ok())
        {
            Some(Window::Run { until_ps, arrivals, gates }) => {
                self.until_ps = until_ps;
                self.arrivals.extend(arrivals);
                self.gates.extend(gates);
                return;
            }
            Some(Window::End(arrived)) => self.arrived = arrived,
            // Something else has failed.
            None => {}
        }
        (self.is_over, self.until_ps) = (true, u64::MAX);
    }

    /// ACKs in the order in which congestion control took them. What it decided stands beside them,
    /// each decision at the first ACK of its flow that has none; so only their order counts.
    fn kept(&self) -> Vec<Kept> {
        let mut flows = [0; PAIRS as usize];
        let rows = self.host.pairs.iter().map(|pair| (pair.qpn % PAIRS, pair.flow));
        rows.for_each(|(row, flow)| flows[row as usize] = flow);
        let mut acks: Vec<Kept> = vec![];
        let mut open: BTreeMap<u32, VecDeque<usize>> = BTreeMap::new();
        let decisions = self.host.decisions.as_ref().map_or(vec![], Decisions::take);
        for decision in decisions {
            match decision {
                Decision::Ack(ack) if u32::from(ack.flow) < PAIRS => {
                    let tel = ack.tel;
                    let records = Records { hops: tel.hop, count: tel.hops, path: tel.path };
                    let (psn, next_psn) = (ack.psn, ack.snd_nxt);
                    let flow = flows[usize::from(ack.flow)];
                    open.entry(flow).or_default().push_back(acks.len());
                    acks.push(Kept { at_ps: 0, flow, psn, next_psn, records, pace: None });
                }
                Decision::Pace(flow, pace) if (flow as u32) < PAIRS => {
                    let pace = self.host.hpcc.golden_pace(pace.window_bytes, pace.rate_uq8_24);
                    let ack = open.entry(flows[flow]).or_default().pop_front();
                    if let Some(ack) = ack {
                        acks[ack].pace = Some(pace);
                    }
                }
                // READ responses have no flows here.
                _ => {}
            }
        }
        acks
    }

    /// What has arrived is what was sent.
    fn check_bytes(&self) -> Result<(), String> {
        for pair in self.host.pairs.iter().filter(|pair| self.arrived.contains(&pair.flow)) {
            let byte_count = pair.demand.bytes as usize;
            let bytes = self.host.station.memory.load(TARGET_BASE + address(pair.flow), byte_count);
            if bytes != payload(pair.flow, 0, byte_count) {
                return Err(format!("flow {} has landed with other bytes", pair.flow));
            }
        }
        Ok(())
    }

    fn access(&mut self, address_bytes: u32, value: Option<u32>) -> Result<u32, Halt> {
        self.host.station.begin_access(address_bytes, value);
        for _ in 0..ACCESS_CYCLES_MAX {
            match self.tick(true)? {
                Some((data, false)) => return Ok(data),
                Some((_, true)) => return Err(Halt::Bus(BusError::Refused(address_bytes))),
                None => {}
            }
        }
        Err(Halt::Bus(BusError::Timeout(address_bytes)))
    }
}

impl Bus for Port {
    type Error = Halt;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, Halt> {
        self.access(address_bytes, None)
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), Halt> {
        self.access(address_bytes, Some(value)).map(|_| ())
    }
}

impl HostMemory for Port {
    /// Takes a cycle, so that time passes for software that polls memory; here it learns of the end.
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), Halt> {
        self.tick(false)?;
        if self.is_over {
            return Err(Halt::Over);
        }
        self.host.station.memory.load_words(address, words);
        Ok(())
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), Halt> {
        self.host.station.memory.store_words(address, words);
        Ok(())
    }
}
