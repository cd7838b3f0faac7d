//! The run: events in the order of time, packets from link to link. What hosts do is in `hosts.rs`, and
//! what those do that are whole NICs in `cycle`.

use super::acks::Kept;
use super::cc::{self, Control, Feedback, Limits, CLOCK_HZ};
use super::cycle::{Guests, Setup};
use super::events::{Events, IDS_MAX, NEVER_PS, TIME_PS_MAX};
use super::flow::{Flow, Host, Packet};
use super::lines::{Departure, Fast, Lines, Plain, Sharing, Slot, ANSWER};
use super::random;
use super::results::{Counters, Results};
use super::scenario::Scenario;
use super::stamp::Stamps;
use super::topology::Topology;
use super::traffic::{self, Demand};
use super::wire::Wire;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Flows must end so long after the last one has started.
const END_PS: u64 = 20_000_000_000_000;

/// CPU time of this thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuClock {
    cpu_ns: Option<u64>,
    wall: Instant,
}

impl CpuClock {
    /// What Linux has counted for this thread.
    fn cpu_ns() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    pub(super) fn start() -> Self {
        Self { cpu_ns: Self::cpu_ns(), wall: Instant::now() }
    }

    /// Seconds since; where nobody counts CPU time, those of the clock on the wall.
    pub(super) fn seconds(&self) -> f64 {
        match self.cpu_ns.zip(Self::cpu_ns()) {
            Some((begin, end)) if end > begin => (end - begin) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Progress is told each time that so many bits of the number of events are 0.
const PROGRESS_MASK: u64 = 0xffff;

/// A scenario that has been looked at whole: it will run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What was asked for.
    pub scenario: Scenario,
    /// The network.
    pub topology: Topology,
    /// All flows, by time.
    pub demands: Vec<Demand>,
    /// Sizes and manners.
    pub wire: Wire,
    /// Congestion control of all hosts.
    pub control: Control,
    /// Base round-trip time, ns.
    pub t_ns: u32,
    /// Hosts that are whole NICs, if there are any.
    pub cycle: Option<Setup>,
    stamps: Stamps,
    first_ids: FirstIds,
}

impl Plan {
    /// # Errors
    /// A sentence that says what cannot be run.
    pub fn new(scenario: &Scenario) -> Result<Self, String> {
        scenario.check()?;
        let topology = Topology::new(&scenario.topology)?;
        let demands = traffic::demands(scenario)?;
        let is_hpcc = cc::has_telemetry(&scenario.cc);
        let feedback = scenario.cc.feedback;
        if feedback != Feedback::Sender && !is_hpcc {
            return Err("cc.feedback goes with algorithm hpcc".into());
        }
        let echoes = match feedback {
            Feedback::Sender => None,
            Feedback::Receiver => Some(0),
            Feedback::WorstHop => Some(1),
        };
        let wire = Wire::new(&scenario.wire, is_hpcc, echoes);
        // As the authors count it: a full payload there, nothing back.
        let round_trip_ns = topology.longest_round_trip_ps(wire.payload_bytes, 0) / 1000;
        let t_ns = scenario.cc.t_ns.unwrap_or(round_trip_ns as u32);
        let cycle = Setup::new(scenario, &topology, &demands, &wire)?;
        let line_bps = f64::from(topology.host_gbps()) * 1e9;
        let limits = Limits {
            line_bps,
            rate_min_bps: scenario.cc.rate_min_mbps * 1e6,
            t_ns: t_ns.into(),
            window_bytes: line_bps * f64::from(t_ns) / 8e9,
            payload_bytes: wire.payload_bytes as f64,
            clock_hz: cycle.as_ref().map_or(CLOCK_HZ, |setup| setup.clock.hz()),
        };
        let control = Control::new(&scenario.cc, limits, wire.telemetry)?;
        let stamps = Stamps::new(scenario, &topology, wire.telemetry)?;
        let first_ids = FirstIds::new(&topology);
        let own_count = Fast::id_count(&topology).max(Plain::id_count(&topology));
        if first_ids.own + own_count > IDS_MAX {
            let (hosts, links) = (topology.host_count, topology.links.len());
            return Err(format!("topology: {hosts} hosts with {links} links are too many to run"));
        }
        let last_ps = demands.last().map_or(0, |demand| demand.start_ps);
        if last_ps + END_PS >= TIME_PS_MAX {
            return Err("a flow starts later than 261 s".into());
        }
        let scenario = scenario.clone();
        Ok(Self { scenario, topology, demands, wire, control, t_ns, cycle, stamps, first_ids })
    }

    /// Flows that the results are about, with their indices.
    pub fn counted(&self) -> impl Iterator<Item = (usize, &Demand)> {
        self.demands.iter().enumerate().filter(|(_, demand)| demand.is_counted)
    }

    /// The port at which all flows meet, where that is one.
    pub fn meeting_port(&self) -> Option<usize> {
        let first = self.demands.first()?;
        let is_one = self.demands.iter().all(|demand| demand.dst == first.dst);
        let way = self.topology.way(first.src.into(), first.dst.into(), 0);
        is_one.then(|| way.iter().last()).flatten()
    }

    /// Runs it, until all flows that count have ended. `done` counts flows that have ended.
    ///
    /// # Errors
    /// A sentence about a flow that does not end, or a NIC that fails.
    pub fn run(&self, watch: &Watch, done: &AtomicU64) -> Result<Results, String> {
        match self.scenario.plain {
            true => Simulation::<Plain>::new(self, watch)?.run(done),
            false => Simulation::<Fast>::new(self, watch)?.run(done),
        }
    }
}

/// What a run keeps beside what it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// The queue of this link's port over time.
    pub link: Option<usize>,
    /// So many ACKs of the first hosts, in the order in which they come; and behind them, if not 0, all
    /// ACKs of golden cycle hosts.
    pub acks: usize,
}

/// Where the ids of events begin; those of the links begin with 0. At the same time packets arrive
/// before hosts send, and before anything leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstIds {
    pub(super) host: usize,
    start: usize,
    pub(super) watchdog: usize,
    gate: usize,
    own: usize,
}

impl FirstIds {
    fn new(topology: &Topology) -> Self {
        let (links, hosts) = (topology.links.len(), topology.host_count);
        let host = links;
        let start = host + hosts;
        let watchdog = start + 1;
        let gate = watchdog + hosts;
        Self { host, start, watchdog, gate, own: gate + links }
    }
}

/// State of a run.
pub(super) struct Simulation<'a, L> {
    pub(super) plan: &'a Plan,
    pub(super) events: Events,
    pub(super) lines: L,
    pub(super) stamps: Stamps,
    pub(super) hosts: Vec<Host>,
    /// Flows that run, or whose last packets are still about; and free places among them.
    pub(super) flows: Vec<Flow>,
    pub(super) idle_flows: Vec<u32>,
    pub(super) packets: Vec<Packet>,
    pub(super) idle_packets: Vec<u32>,
    pub(super) counters: Counters,
    /// When flows have ended, after their start; 0: not yet.
    pub(super) took_ps: Vec<u64>,
    /// Packets that have arrived by each link, where some are lost.
    arrived: Vec<u64>,
    /// Pauses and releases on their way to the port that they are for.
    gates: Vec<std::collections::VecDeque<(u64, bool)>>,
    closed_ps: Vec<Option<u64>>,
    next_demand: usize,
    /// Flows that count and have not ended.
    pub(super) counted_left: usize,
    /// ACKs that are kept, and how many at most.
    pub(super) acks: Vec<Kept>,
    pub(super) acks_max: usize,
    /// Hosts that are whole NICs, and the end of the window that the network is in.
    pub(super) guests: Guests,
    pub(super) until_ps: u64,
}

impl<'a, L: Lines> Simulation<'a, L> {
    fn new(plan: &'a Plan, watch: &Watch) -> Result<Self, String> {
        let topology = &plan.topology;
        let switches = &plan.scenario.switches;
        let sharing = Sharing {
            buffer_bytes: switches.buffer_bytes,
            is_pfc: switches.pfc,
            alpha: switches.pfc_alpha,
            hosts_obey: plan.scenario.hosts.pfc,
        };
        let mut lines = L::new(topology, sharing, plan.first_ids.own);
        if let Some(link) = watch.link {
            lines.watch(link);
        }
        let host = Host { timer_ps: NEVER_PS, ..Host::default() };
        let link_count = topology.links.len();
        Ok(Self {
            plan,
            events: Events::new(plan.first_ids.own + L::id_count(topology)),
            lines,
            stamps: plan.stamps.clone(),
            hosts: vec![host; topology.host_count],
            flows: vec![],
            idle_flows: vec![],
            packets: vec![],
            idle_packets: vec![],
            counters: Counters::default(),
            took_ps: vec![0; plan.demands.len()],
            arrived: vec![0; link_count],
            gates: vec![Default::default(); link_count],
            closed_ps: vec![None; link_count],
            next_demand: 0,
            counted_left: plan.counted().count(),
            acks: Vec::with_capacity(watch.acks),
            acks_max: watch.acks,
            guests: Guests::new(plan, watch)?,
            until_ps: plan.cycle.as_ref().map_or(NEVER_PS, |setup| setup.window_ps),
        })
    }

    fn run(mut self, done: &AtomicU64) -> Result<Results, String> {
        let begin = CpuClock::start();
        let ids = self.plan.first_ids;
        let demands = &self.plan.demands;
        let last_ps = demands.last().map_or(0, |demand| demand.start_ps);
        if let Some(first) = demands.first() {
            self.events.set(ids.start, first.start_ps);
        }
        let mut now_ps = 0;
        loop {
            let next = self.events.first().filter(|(at_ps, _)| *at_ps < self.until_ps);
            let Some((at_ps, id)) = next else {
                if self.guests.is_empty() || self.counted_left == 0 {
                    break;
                }
                if self.until_ps > last_ps + END_PS {
                    return Err(self.stuck());
                }
                self.next_window()?;
                done.store(self.counters.flows_ended, Ordering::Relaxed);
                continue;
            };
            // A link's own event is set or cancelled with its next packet.
            if id >= ids.host {
                self.events.cancel(id);
            }
            if self.counted_left == 0 {
                break;
            }
            now_ps = at_ps;
            self.counters.events += 1;
            if self.counters.events & PROGRESS_MASK == 0 {
                done.store(self.counters.flows_ended, Ordering::Relaxed);
            }
            if id < ids.host {
                self.arrive(now_ps, id);
            } else if id < ids.start {
                self.host_timer(now_ps, id - ids.host);
            } else if id == ids.start {
                self.start_flow(now_ps);
            } else if id < ids.gate {
                if now_ps > last_ps + END_PS {
                    return Err(self.stuck());
                }
                self.watchdog(now_ps, id - ids.watchdog);
            } else if id < ids.own {
                self.gate(now_ps, id - ids.gate);
            } else {
                self.lines.own_event(now_ps, id, &mut self.events);
            }
            self.send_gates(now_ps);
        }
        if self.counted_left > 0 {
            return Err(self.stuck());
        }
        let took_ps = self.took_ps;
        let last = self.guests.end(|flow| took_ps[flow as usize] > 0, self.plan)?;
        let cpu_s = begin.seconds() + last.cpu_s;
        self.counters.timeouts += last.timeouts;
        self.acks.extend(last.acks);
        for closed_ps in self.closed_ps.iter().flatten() {
            self.counters.pause_ps += now_ps - closed_ps;
        }
        let meters = self.lines.meters(now_ps).clone();
        let (counters, acks, nic_cycles) = (self.counters, self.acks, last.cycles);
        Ok(Results { took_ps, counters, meters, end_ps: now_ps, cpu_s, nic_cycles, acks })
    }

    /// Which flow has not ended.
    fn stuck(&self) -> String {
        let is_left = |(at, _): &(usize, &Demand)| self.took_ps[*at] == 0;
        let (at, demand) = self.plan.counted().find(is_left).expect("a flow has not ended");
        let seconds = END_PS / 1_000_000_000_000;
        format!(
            "flow {at} from host {} to host {} has not ended {seconds} s after the last one has \
             started",
            demand.src, demand.dst
        )
    }

    /// The next flow starts.
    fn start_flow(&mut self, now_ps: u64) {
        let at = self.next_demand;
        self.next_demand += 1;
        if let Some(next) = self.plan.demands.get(self.next_demand) {
            self.events.set(self.plan.first_ids.start, next.start_ps);
        }
        let flow = self.new_flow(now_ps, at);
        let src = usize::from(flow.src);
        let index = match self.idle_flows.pop() {
            Some(index) => {
                self.flows[index as usize] = flow;
                index
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        self.flow_placed(index);
        // A NIC has its own software.
        if !self.is_nic(src as u16) {
            self.hosts[src].flows.push(index);
            self.kick(now_ps, src, now_ps);
        }
    }

    /// The first packet of a link has come to its end.
    #[inline]
    fn arrive(&mut self, now_ps: u64, link: usize) {
        let (slot, departure) = self.lines.pop(now_ps, link, &mut self.events);
        if self.plan.scenario.switches.loss_ppm > 0 && self.is_lost(link) {
            self.counters.lost += 1;
            self.drop_packet(slot.packet);
            return;
        }
        // A host's own port stamps nothing.
        if slot.at > 0 {
            self.stamp(link, &slot, &departure);
        }
        match slot.next_link() {
            Some(next) => self.forward(now_ps, link, next, slot),
            None => self.deliver(now_ps, slot),
        }
    }

    /// What the port of `link` has written into a packet that left.
    #[inline]
    fn stamp(&mut self, link: usize, slot: &Slot, departure: &Departure) {
        if slot.is_answer() {
            self.stamps.pass(link, slot.bytes, departure);
            return;
        }
        let record = self.stamps.record(link, slot.bytes, departure);
        if let Some(record) = record {
            let packet = &mut self.packets[slot.packet as usize];
            packet.hops[usize::from(slot.at) - 1] = record;
        }
        if self.stamps.may_mark(link, departure) {
            let packet = &mut self.packets[slot.packet as usize];
            let demand = self.flows[packet.flow as usize].demand;
            packet.is_marked |= self.stamps.is_marked(link, demand, packet.psn, departure);
        }
    }

    #[inline]
    fn forward(&mut self, now_ps: u64, from: usize, to: usize, slot: Slot) {
        let mut slot = Slot { at: slot.at + 1, ..slot };
        // What the next port adds counts when the packet waits there, too.
        if slot.length & ANSWER == 0 {
            slot.bytes += self.plan.wire.growth_bytes(usize::from(slot.at) - 1);
        }
        if !self.lines.admit(now_ps, from, slot.bytes.into(), &mut self.events) {
            self.counters.drops += 1;
            self.drop_packet(slot.packet);
            return;
        }
        self.lines.push(now_ps, to, slot, &mut self.events);
    }

    fn is_lost(&mut self, link: usize) -> bool {
        self.arrived[link] += 1;
        let scenario = &self.plan.scenario;
        let chance = random::share(&[scenario.seed, 1, link as u64, self.arrived[link]]);
        chance * 1e6 < scenario.switches.loss_ppm.into()
    }

    /// Pauses and releases that a switch has decided on go to the other end of their link. They take its
    /// delay, and no room on it.
    #[inline]
    fn send_gates(&mut self, now_ps: u64) {
        while let Some((link, is_closed)) = self.lines.take_gates() {
            let at_ps = now_ps + self.plan.topology.links[link].delay_ps;
            self.gates[link].push_back((at_ps, is_closed));
            if self.gates[link].len() == 1 {
                self.events.set(self.plan.first_ids.gate + link, at_ps);
            }
        }
    }

    /// A pause or release has come to the port of `link`.
    fn gate(&mut self, now_ps: u64, link: usize) {
        let (_, is_closed) = self.gates[link].pop_front().expect("it was on its way");
        if let Some((at_ps, _)) = self.gates[link].front() {
            self.events.set(self.plan.first_ids.gate + link, *at_ps);
        }
        let node = usize::from(self.plan.topology.links[link].from);
        if node < self.hosts.len() && !self.plan.scenario.hosts.pfc {
            return;
        }
        if is_closed {
            self.counters.pauses += 1;
            self.closed_ps[link] = Some(now_ps);
        } else if let Some(closed_ps) = self.closed_ps[link].take() {
            self.counters.pause_ps += now_ps - closed_ps;
        }
        if self.guests.gate(now_ps, node, is_closed) {
            return;
        }
        match self.hosts.get_mut(node) {
            Some(host) => {
                host.is_paused = is_closed;
                if !is_closed {
                    self.kick(now_ps, node, now_ps);
                }
            }
            None => self.lines.gate(now_ps, link, is_closed, &mut self.events),
        }
    }

    /// A packet is no more.
    pub(super) fn drop_packet(&mut self, packet: u32) {
        let index = self.packets[packet as usize].flow;
        self.guests.forget(packet);
        self.idle_packets.push(packet);
        let flow = &mut self.flows[index as usize];
        flow.in_network -= 1;
        if flow.in_network == 0 && flow.is_done() {
            self.idle_flows.push(index);
        }
    }

    /// A place for a packet of `flow`.
    pub(super) fn new_packet(&mut self, packet: Packet) -> u32 {
        self.flows[packet.flow as usize].in_network += 1;
        match self.idle_packets.pop() {
            Some(index) => {
                self.packets[index as usize] = packet;
                index
            }
            None => {
                self.packets.push(packet);
                self.packets.len() as u32 - 1
            }
        }
    }

    pub(super) fn ids(&self) -> FirstIds {
        self.plan.first_ids
    }
}
