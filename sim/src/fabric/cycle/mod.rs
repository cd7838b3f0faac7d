//! Hosts that are whole NICs, cycle by cycle, in a network whose other hosts are at event level.
//!
//! ```text
//!     network: events              frames, pauses              host 0: NIC, memory, software
//!   links, switches, hosts  ------------------------------>    host 5: ..
//!      at event level       <------------------------------      a thread each
//!                              frames, flows that have ended
//! ```
//!
//! Both sides advance in windows. What a NIC sends comes to its switch not before the delay of its link
//! is over. So the network can run a window ahead of the NICs, and then they run at the same time:
//!
//! ```text
//!   network   |  1  |     |  2  |     |  3  |          a window is the delay less the lag
//!   NICs             |  1  |     |  2  |               in each the NICs are behind by the lag
//! ```
//!
//! The *lag* is the time of the longest frame. When the network has carried a frame's last bit to a
//! host, the NIC has not yet come to the time of its first bit. So beats of a frame come while its bits
//! do, and the last one with the last bit.
//!
//! Between the hosts there are real frames ([`frames`]). In the network each is a [`Packet`] like any
//! other, that can wait and be lost; records that switches write into it get into the frame at its
//! end. A host at event level that talks to a NIC makes frames of its packets, and packets of the NIC's
//! frames.

mod frames;
mod host;
mod setup;

use super::engine::{Plan, Simulation, Watch};
use super::flow::Kind;
use super::lines::Lines;
use crate::bench::emitted;
use crate::env::station::{sub_seed, Manners, Station};
use crate::net::switch::wire_bytes;
use frames::Stream;
use host::{Host, Last, Told, Window};
use nic_harness::verilator::Source;
pub use setup::Setup;
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::JoinHandle;

/// The network's end of a cycle host.
#[derive(Debug)]
struct Guest {
    index: u16,
    to_host: Sender<Window>,
    from_host: Receiver<Told>,
    thread: JoinHandle<Result<Last, String>>,
    arrivals: VecDeque<(u64, Vec<u8>)>,
    gates: VecDeque<(u64, bool)>,
}

/// The cycle hosts of a run.
#[derive(Debug, Default)]
pub(super) struct Guests {
    guests: Vec<Guest>,
    /// By host.
    of_host: Vec<Option<usize>>,
    /// Frames on their way, by their packet.
    frames: BTreeMap<u32, Vec<u8>>,
    /// Places of the flows that have started, by flow of the run.
    places: BTreeMap<u32, u32>,
    window_ps: u64,
    lag_ps: u64,
}

impl Guests {
    /// Starts the threads, each of which makes its NIC ready.
    ///
    /// # Errors
    /// A sentence about Verilog that cannot be built.
    pub(super) fn new(plan: &Plan, watch: &Watch) -> Result<Self, String> {
        let Some(setup) = &plan.cycle else { return Ok(Self::default()) };
        let source = match &setup.verilog {
            Some(given) => given.clone(),
            None if setup.engine.has_rtl() => emitted("nic", &setup.config)?,
            None => Source::new("nic", ""),
        };
        let (window_ps, lag_ps) = (setup.window_ps, setup.lag_ps);
        let of_host = vec![None; plan.topology.host_count];
        let mut guests = Self { window_ps, lag_ps, of_host, ..Self::default() };
        for (index, pairs) in &setup.hosts {
            let seed = sub_seed(plan.scenario.seed, (*index).into());
            let nic = match watch.acks > 0 {
                true => setup.engine.nic_with_decisions(&setup.config, &source, seed),
                false => {
                    setup.engine.nic(&setup.config, &source, seed).map(|e| (e, <_>::default()))
                }
            };
            let (engine, decisions) = nic.map_err(|e| e.to_string())?;
            let station = Station::new(engine, Manners::Prompt, seed).map_err(|e| e.to_string())?;
            let (to_host, from_network) = channel();
            let (to_network, from_host) = channel();
            let uplink = plan.topology.uplink((*index).into());
            let host = Host {
                index: *index,
                station,
                decisions: (watch.acks > 0).then_some(decisions),
                pairs: pairs.clone(),
                clock: setup.clock,
                ps_per_byte: plan.topology.links[uplink].ps_per_byte(),
                hpcc: plan.control.hpcc().expect("it was looked at").clone(),
                payload_bytes: plan.wire.payload_bytes,
                timeout_ps: plan.wire.timeout_ps,
                from_network,
                to_network,
            };
            guests.of_host[usize::from(*index)] = Some(guests.guests.len());
            let thread = std::thread::spawn(move || host::run(host));
            let (arrivals, gates) = <_>::default();
            let index = *index;
            guests.guests.push(Guest { index, to_host, from_host, thread, arrivals, gates });
        }
        // What they tell before the first window is that they are ready.
        for at in 0..guests.guests.len() {
            guests.wait(at)?;
        }
        Ok(guests)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.guests.is_empty()
    }

    /// What a host has done; or why it has stopped.
    fn wait(&mut self, at: usize) -> Result<Told, String> {
        match self.guests[at].from_host.recv() {
            Ok(told) => Ok(told),
            Err(_) => Err(self.guests.remove(at).last().expect_err("it has stopped early")),
        }
    }

    /// The packet is no more.
    pub(super) fn forget(&mut self, packet: u32) {
        if !self.is_empty() {
            self.frames.remove(&packet);
        }
    }

    /// A pause or release for a host; whether it is a cycle host.
    pub(super) fn gate(&mut self, now_ps: u64, host: usize, is_closed: bool) -> bool {
        let Some(at) = self.of_host.get(host).copied().flatten() else { return false };
        self.guests[at].gates.push_back((now_ps, is_closed));
        true
    }

    /// Ends all hosts. `has_ended`: whether a flow has.
    ///
    /// # Errors
    /// A sentence about what has gone wrong, bytes that landed somewhere else for example.
    pub(super) fn end(self, has_ended: impl Fn(u32) -> bool, plan: &Plan) -> Result<Last, String> {
        let mut all = Last::default();
        for guest in self.guests {
            let is_here = |flow: &u32| plan.demands[*flow as usize].dst == guest.index;
            let flows = 0..plan.demands.len() as u32;
            let arrived = flows.filter(|flow| has_ended(*flow)).filter(is_here).collect();
            // One that has stopped says why at once.
            let _ = guest.to_host.send(Window::End(arrived));
            let last = guest.last()?;
            all.cycles += last.cycles;
            all.timeouts += last.timeouts;
            all.cpu_s += last.cpu_s;
            all.acks.extend(last.acks);
        }
        Ok(all)
    }
}

impl Guest {
    fn last(self) -> Result<Last, String> {
        drop((self.to_host, self.from_host));
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl<L: Lines> Simulation<'_, L> {
    /// All events of the window are done: the NICs run up to its end, less the lag, and what they have
    /// sent is on its way.
    pub(super) fn next_window(&mut self) -> Result<(), String> {
        let until_ps = self.until_ps - self.guests.lag_ps;
        for guest in &mut self.guests.guests {
            let arrivals = std::mem::take(&mut guest.arrivals);
            let gates = std::mem::take(&mut guest.gates);
            // One that has stopped is met below.
            let _ = guest.to_host.send(Window::Run { until_ps, arrivals, gates });
        }
        for at in 0..self.guests.guests.len() {
            let host = self.guests.guests[at].index;
            let told = self.guests.wait(at)?;
            for (at_ps, frame) in told.frames {
                self.nic_sent(at_ps, host, frame).map_err(|e| format!("host {host}: {e}"))?;
            }
            for (at_ps, flow) in told.ended {
                let place = self.guests.places[&flow] as usize;
                self.flows[place].acked_psn = self.flows[place].packet_count;
                self.book_end(at_ps, place);
            }
        }
        self.until_ps += self.guests.window_ps;
        Ok(())
    }

    /// A flow with a NIC at one of its ends has started, and has this place.
    pub(super) fn flow_placed(&mut self, place: u32) {
        let flow = &self.flows[place as usize];
        let ends = [flow.src, flow.dst];
        if ends.into_iter().any(|host| self.is_nic(host)) {
            self.guests.places.insert(flow.demand, place);
        }
    }

    pub(super) fn is_nic(&self, host: u16) -> bool {
        self.plan.cycle.as_ref().is_some_and(|setup| setup.has(host))
    }

    /// A NIC's frame begins to leave.
    fn nic_sent(&mut self, at_ps: u64, host: u16, frame: Vec<u8>) -> Result<(), String> {
        let (demand, mut packet) = frames::read(&frame, self.plan.wire.payload_bytes)?;
        let place = self.guests.places.get(&demand).copied();
        let place = place.ok_or_else(|| format!("a frame of flow {demand}, which doesn't run"))?;
        let flow = &mut self.flows[place as usize];
        let is_data = packet.kind == Kind::Data;
        if host != if is_data { flow.src } else { flow.dst } {
            return Err(format!("a frame of flow {demand}, which is not its own"));
        }
        (packet.flow, packet.sent_ps) = (place, at_ps);
        if is_data {
            packet.hop_count = flow.way.length - 1;
            self.counters.packets += 1;
            self.counters.retransmitted += u64::from(packet.psn < flow.new_psn);
            flow.new_psn = flow.new_psn.max(packet.psn + 1);
        }
        let packet = self.new_packet(packet);
        self.guests.frames.insert(packet, frame);
        let topology = &self.plan.topology;
        let delay_ps = topology.links[topology.uplink(host.into())].delay_ps;
        let arrival_ps = at_ps + self.put_on_link(at_ps, packet) + delay_ps;
        assert!(arrival_ps >= self.until_ps, "a frame of host {host} is late for the network");
        Ok(())
    }

    /// A host at event level sends a packet: to a NIC as a frame.
    pub(super) fn make_frame(&mut self, index: u32) {
        let Some(setup) = &self.plan.cycle else { return };
        let packet = &mut self.packets[index as usize];
        let flow = &self.flows[packet.flow as usize];
        let is_data = packet.kind == Kind::Data;
        let ends = [flow.src, flow.dst];
        let [from, to] = if is_data { ends } else { [ends[1], ends[0]] };
        if !setup.has(to) {
            return;
        }
        let stream = Stream {
            flow: flow.demand,
            from,
            to,
            qpn: setup.qpns[flow.demand as usize][usize::from(is_data)],
            bytes: flow.bytes,
            payload_bytes: self.plan.wire.payload_bytes,
        };
        let frame = if is_data { stream.data(packet.psn) } else { stream.answer(packet) };
        packet.bytes = wire_bytes(&frame) as u16;
        self.guests.frames.insert(index, frame);
    }

    /// A packet is at the end of its way; whether that is a NIC, which gets its frame.
    pub(super) fn deliver_to_nic(&mut self, now_ps: u64, index: u32) -> bool {
        let packet = &self.packets[index as usize];
        let flow = &self.flows[packet.flow as usize];
        let is_data = packet.kind == Kind::Data;
        let host = usize::from(if is_data { flow.dst } else { flow.src });
        let frame = self.guests.frames.remove(&index);
        let Some(at) = self.guests.of_host[host] else { return false };
        let frame = frame.expect("what goes to a NIC is a frame");
        let frame = if is_data { frames::stamped(&frame, &packet.records()) } else { frame };
        self.counters.naks += u64::from(packet.kind == Kind::Nak);
        self.guests.guests[at].arrivals.push_back((now_ps, frame));
        self.drop_packet(index);
        true
    }
}
