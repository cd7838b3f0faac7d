//! What hosts do: this NIC at event level. A host paces its flows and sends what their windows allow;
//! receivers acknowledge, and ask for what is missing (go-back-N).

use super::acks::{Kept, HOSTS_KEPT};
use super::cc::{Feedback, HpccState, News, State};
use super::engine::Simulation;
use super::events::NEVER_PS;
use super::flow::{AtReceiver, Flow, Kind, Packet, NO_PACKET};
use super::lines::{Lines, Slot, ANSWER};
use super::random;
use super::wire::{Acks, Pacing};

/// Credit that a flow gathers while others have the line, bytes (hdl/sched.md, rule 1).
const CREDIT_BYTES: f64 = 65_536.0;

impl<L: Lines> Simulation<'_, L> {
    /// A flow before its first packet.
    pub(super) fn new_flow(&self, now_ps: u64, demand: usize) -> Flow {
        let plan = self.plan;
        let wanted = &plan.demands[demand];
        let (src, dst) = (usize::from(wanted.src), usize::from(wanted.dst));
        let (state, pace) = plan.control.start(now_ps);
        let key = |direction| random::hash(&[plan.scenario.seed, demand as u64, direction]);
        let is_there = plan.scenario.cc.feedback != Feedback::Sender;
        let hpcc = plan.control.hpcc().filter(|_| is_there);
        let at_receiver = |state: HpccState| AtReceiver { state, named_hop: None, hop: None };
        Flow {
            demand: demand as u32,
            src: wanted.src,
            dst: wanted.dst,
            way: plan.topology.way(src, dst, key(0)),
            back: plan.topology.way(dst, src, key(1)),
            bytes: wanted.bytes,
            packet_count: wanted.bytes.div_ceil(plan.wire.payload_bytes) as u32,
            next_psn: 0,
            new_psn: 0,
            acked_psn: 0,
            // A NIC may send something of a flow that has ended: its place stays its own.
            in_network: [wanted.src, wanted.dst].into_iter().any(|host| self.is_nic(host)).into(),
            due_ps: now_ps,
            pace,
            progress_ps: now_ps,
            state,
            at_receiver: hpcc.map(|hpcc| Box::new(at_receiver(hpcc.state()))),
            expected_psn: 0,
            has_nak: false,
            waiting_ack: NO_PACKET,
            active_in: 0,
        }
    }

    pub(super) fn host_timer(&mut self, now_ps: u64, host: usize) {
        // A timer that was moved to an earlier time has been replaced, so this one is due.
        self.hosts[host].timer_ps = NEVER_PS;
        self.transmit(now_ps, host);
    }

    /// Something of the host may be sent at `at_ps`, if its link is free.
    #[inline]
    pub(super) fn kick(&mut self, now_ps: u64, index: usize, at_ps: u64) {
        let host = &mut self.hosts[index];
        let at_ps = now_ps.max(host.busy_ps).max(at_ps);
        if at_ps >= host.timer_ps {
            return;
        }
        if at_ps == now_ps {
            host.timer_ps = NEVER_PS;
            self.events.cancel(self.ids().host + index);
            self.transmit(now_ps, index);
        } else {
            self.set_timer(index, at_ps);
        }
    }

    #[inline]
    fn set_timer(&mut self, index: usize, at_ps: u64) {
        self.hosts[index].timer_ps = at_ps;
        self.events.set(self.ids().host + index, at_ps);
    }

    /// The host's link is free: what waits longest there, ahead of data what answers others.
    fn transmit(&mut self, now_ps: u64, index: usize) {
        let host = &mut self.hosts[index];
        if host.is_paused {
            return;
        }
        let packet = match host.answers.pop_front() {
            Some(packet) => {
                let flow = self.packets[packet as usize].flow as usize;
                if self.flows[flow].waiting_ack == packet {
                    self.flows[flow].waiting_ack = NO_PACKET;
                }
                packet
            }
            None => match self.choose(now_ps, index) {
                Some(flow) => self.data_packet(now_ps, flow),
                None => return,
            },
        };
        self.make_frame(packet);
        let wire_ps = self.put_on_link(now_ps, packet);
        let host = &mut self.hosts[index];
        host.busy_ps = now_ps + wire_ps;
        let wire = &self.plan.wire;
        let is_open = |flow: &u32| self.flows[*flow as usize].is_open(wire);
        if !host.answers.is_empty() || host.flows.iter().any(is_open) {
            let at_ps = host.busy_ps;
            self.set_timer(index, at_ps);
        }
    }

    /// A packet begins its way; the time that its first link takes.
    pub(super) fn put_on_link(&mut self, now_ps: u64, packet: u32) -> u64 {
        let what = &self.packets[packet as usize];
        let flow = &self.flows[what.flow as usize];
        let is_data = what.kind == Kind::Data;
        let (way, flag) = if is_data { (&flow.way, 0) } else { (&flow.back, ANSWER) };
        let (link, bytes) = (usize::from(way.links[0]), what.bytes);
        let slot =
            Slot { packet, bytes, length: way.length | flag, links: way.links, ..Slot::default() };
        self.lines.push(now_ps, link, slot, &mut self.events);
        u64::from(bytes) * self.plan.topology.links[link].ps_per_byte()
    }

    /// The flow that sends now. If one may only later, the timer is set.
    #[inline]
    fn choose(&mut self, now_ps: u64, index: usize) -> Option<u32> {
        let wire = &self.plan.wire;
        let host = &mut self.hosts[index];
        let count = host.flows.len();
        let (mut chosen, mut soon_ps, mut first_deadline) = (None, NEVER_PS, f64::INFINITY);
        for step in 1..=count {
            let at = host.turn + step;
            let at = if at >= count { at - count } else { at };
            let flow = &self.flows[host.flows[at] as usize];
            if !flow.is_open(wire) {
                continue;
            }
            if flow.due_ps > now_ps {
                soon_ps = soon_ps.min(flow.due_ps);
                continue;
            }
            if wire.pacing == Pacing::Ns3 {
                chosen = Some(at);
                break;
            }
            // Earliest deadline first: when it became due, and its period.
            let bytes = wire.paced_bytes(flow.bytes, flow.next_psn);
            let deadline = flow.due_ps as f64 + bytes * flow.pace.ps_per_byte;
            if deadline < first_deadline {
                (chosen, first_deadline) = (Some(at), deadline);
            }
        }
        match chosen {
            Some(at) => {
                host.turn = at;
                Some(host.flows[at])
            }
            None => {
                if soon_ps != NEVER_PS {
                    self.set_timer(index, soon_ps);
                }
                None
            }
        }
    }

    /// The next packet of a flow.
    fn data_packet(&mut self, now_ps: u64, index: u32) -> u32 {
        let plan = self.plan;
        let flow = &mut self.flows[index as usize];
        let psn = flow.next_psn;
        if flow.next_psn == flow.acked_psn {
            flow.progress_ps = now_ps;
        }
        flow.next_psn += 1;
        let bytes = plan.wire.data_bytes(flow.bytes, psn);
        let from_ps = match plan.wire.pacing {
            Pacing::Ns3 => now_ps,
            // What came late is made up for, up to the credit that a flow may have.
            Pacing::Nic => {
                let credit_ps = (CREDIT_BYTES * flow.pace.ps_per_byte) as u64;
                flow.due_ps.max(now_ps.saturating_sub(credit_ps))
            }
        };
        let paced_bytes = plan.wire.paced_bytes(flow.bytes, psn);
        flow.due_ps = from_ps + (paced_bytes * flow.pace.ps_per_byte) as u64;
        self.counters.packets += 1;
        if psn < flow.new_psn {
            self.counters.retransmitted += 1;
        }
        flow.new_psn = flow.new_psn.max(flow.next_psn);
        let host = usize::from(flow.src);
        let packet = Packet {
            flow: index,
            psn,
            bytes: bytes as u16,
            sent_ps: now_ps,
            hop_count: flow.way.length - 1,
            ..Packet::default()
        };
        self.watch_losses(host, now_ps + plan.wire.timeout_ps);
        self.new_packet(packet)
    }

    #[inline]
    fn watch_losses(&mut self, host: usize, at_ps: u64) {
        if !self.hosts[host].is_watching {
            self.hosts[host].is_watching = true;
            self.events.set(self.ids().watchdog + host, at_ps);
        }
    }

    /// Flows of the host that have waited too long for an answer go back.
    pub(super) fn watchdog(&mut self, now_ps: u64, host: usize) {
        let timeout_ps = self.plan.wire.timeout_ps;
        let mut next_ps = NEVER_PS;
        for at in 0..self.hosts[host].flows.len() {
            let flow = &mut self.flows[self.hosts[host].flows[at] as usize];
            if flow.next_psn == flow.acked_psn {
                continue;
            }
            if now_ps >= flow.progress_ps + timeout_ps {
                flow.next_psn = flow.acked_psn;
                flow.progress_ps = now_ps;
                self.counters.timeouts += 1;
            }
            next_ps = next_ps.min(flow.progress_ps + timeout_ps);
        }
        self.hosts[host].is_watching = next_ps != NEVER_PS;
        if next_ps != NEVER_PS {
            self.events.set(self.ids().watchdog + host, next_ps);
        }
        self.kick(now_ps, host, now_ps);
    }

    /// A packet is at the end of its way.
    #[inline]
    pub(super) fn deliver(&mut self, now_ps: u64, slot: Slot) {
        if !self.guests.is_empty() && self.deliver_to_nic(now_ps, slot.packet) {
            return;
        }
        match self.packets[slot.packet as usize].kind {
            Kind::Data => self.received(now_ps, slot.packet),
            Kind::Window => self.window_came(now_ps, slot.packet),
            Kind::Ack | Kind::Nak => self.answered(now_ps, slot.packet),
        }
    }

    /// The receiver of data turns the packet into its answer, in its place.
    fn received(&mut self, now_ps: u64, index: u32) {
        let packet = &mut self.packets[index as usize];
        let flow = &mut self.flows[packet.flow as usize];
        let (host, psn) = (usize::from(flow.dst), packet.psn);
        packet.kind = Kind::Ack;
        if psn == flow.expected_psn {
            flow.expected_psn += 1;
            flow.has_nak = false;
        } else if psn < flow.expected_psn {
            packet.psn = flow.expected_psn - 1;
        } else if !flow.has_nak {
            flow.has_nak = true;
            (packet.kind, packet.psn) = (Kind::Nak, flow.expected_psn);
        } else {
            // One NAK a gap.
            self.drop_packet(index);
            return;
        }
        if flow.at_receiver.is_some() {
            self.received_telemetry(now_ps, index);
        }
        let packet = &mut self.packets[index as usize];
        packet.bytes = self.plan.wire.ack_bytes[usize::from(packet.hop_count)] as u16;
        self.answer(host, index);
        self.kick(now_ps, host, now_ps);
    }

    /// Puts an answer to those that wait, in the place of an older ACK of its flow if ACKs coalesce.
    fn answer(&mut self, host: usize, index: u32) {
        let packet = self.packets[index as usize];
        let flow = &mut self.flows[packet.flow as usize];
        if self.plan.wire.acks == Acks::Coalesced && packet.kind == Kind::Ack {
            if flow.waiting_ack != NO_PACKET {
                let waiting = &mut self.packets[flow.waiting_ack as usize];
                *waiting = Packet { is_marked: waiting.is_marked | packet.is_marked, ..packet };
                self.drop_packet(index);
                return;
            }
            flow.waiting_ack = index;
        }
        self.hosts[host].answers.push_back(index);
    }

    /// Congestion control at the receiver: a window for the sender, or the hop whose record goes back.
    fn received_telemetry(&mut self, now_ps: u64, index: u32) {
        let hpcc = self.plan.control.hpcc().expect("only HPCC has a receiver's part");
        let packet = self.packets[index as usize];
        let flow = &mut self.flows[packet.flow as usize];
        let host = usize::from(flow.dst);
        let at_receiver = flow.at_receiver.as_mut().expect("it was looked at");
        let found = hpcc.received(&mut at_receiver.state, now_ps, &packet.records());
        if self.plan.scenario.cc.feedback == Feedback::Receiver {
            self.packets[index as usize].hop_count = 0;
            if let Some(window_bytes) = found.window_bytes {
                let bytes = self.plan.wire.ack_bytes[0] as u16;
                let window = Packet {
                    flow: packet.flow,
                    psn: window_bytes,
                    bytes,
                    kind: Kind::Window,
                    ..Packet::default()
                };
                let window = self.new_packet(window);
                self.hosts[host].answers.push_back(window);
            }
            return;
        }
        if let Some(hop) = found.worst_hop {
            // Two hops that take turns change nothing.
            if at_receiver.named_hop == Some(hop) {
                at_receiver.hop = Some(hop);
            }
            at_receiver.named_hop = Some(hop);
        }
        let hop = at_receiver.hop;
        let packet = &mut self.packets[index as usize];
        match hop.map(usize::from) {
            Some(hop) => {
                packet.hops[0] = packet.hops[hop];
                (packet.hop_count, packet.path) = (1, hop as u8 + 1);
            }
            None => packet.hop_count = 0,
        }
    }

    /// The sender learns the window that its receiver has computed.
    fn window_came(&mut self, now_ps: u64, index: u32) {
        let packet = self.packets[index as usize];
        let flow = packet.flow as usize;
        if !self.flows[flow].is_done() {
            let hpcc = self.plan.control.hpcc().expect("only HPCC has windows of a receiver");
            let pace = hpcc.pace_of_window(packet.psn);
            self.change_pace(now_ps, flow, pace);
            self.kick_flow(now_ps, flow);
        }
        self.drop_packet(index);
    }

    /// The sender takes an ACK or a NAK.
    fn answered(&mut self, now_ps: u64, index: u32) {
        let packet = self.packets[index as usize];
        let at = packet.flow as usize;
        let wire = &self.plan.wire;
        let flow = &mut self.flows[at];
        if flow.is_done() {
            self.drop_packet(index);
            return;
        }
        let was_open = flow.is_open(wire);
        let acked_psn = packet.psn + u32::from(packet.kind == Kind::Ack);
        if acked_psn > flow.acked_psn {
            flow.acked_psn = acked_psn;
            flow.progress_ps = now_ps;
        }
        if packet.kind == Kind::Nak {
            flow.next_psn = flow.acked_psn;
            self.counters.naks += 1;
        }
        flow.next_psn = flow.next_psn.max(flow.acked_psn);
        if flow.is_done() {
            self.end_flow(now_ps, packet.flow);
            self.drop_packet(index);
            return;
        }
        self.congestion_news(now_ps, &packet);
        let flow = &mut self.flows[at];
        if wire.pacing == Pacing::Nic && !was_open {
            // With a closed window credit grows to one packet at most.
            flow.due_ps = flow.due_ps.max(now_ps);
        }
        self.kick_flow(now_ps, at);
        self.drop_packet(index);
    }

    fn congestion_news(&mut self, now_ps: u64, packet: &Packet) {
        let scenario = &self.plan.scenario;
        if scenario.cc.feedback == Feedback::Receiver {
            return;
        }
        let at = packet.flow as usize;
        let flow = &mut self.flows[at];
        let news = News {
            now_ps,
            sent_ps: packet.sent_ps,
            psn: packet.psn - u32::from(packet.kind == Kind::Nak && packet.psn > 0),
            next_psn: flow.next_psn,
            is_marked: packet.is_marked,
            records: packet.records(),
        };
        let pace = match (scenario.cc.active_window_ns, self.plan.control.hpcc()) {
            (Some(window_ns), Some(hpcc)) => {
                let host = &mut self.hosts[usize::from(flow.src)];
                let count = host.count_active(flow, now_ps, (window_ns * 1e3) as u64);
                match &mut flow.state {
                    State::Hpcc(state) => hpcc.shared_by(count).acked(state, &news),
                    _ => None,
                }
            }
            _ => self.plan.control.acked(&mut flow.state, &news),
        };
        if self.acks.len() < self.acks_max && flow.src < HOSTS_KEPT {
            let News { now_ps: at_ps, psn, next_psn, records, .. } = news;
            self.acks.push(Kept { at_ps, flow: flow.demand, psn, next_psn, records, pace });
        }
        if let Some(pace) = pace {
            self.change_pace(now_ps, at, pace);
        }
    }

    /// A new pace also counts for the packet that waits for its time.
    #[inline]
    fn change_pace(&mut self, now_ps: u64, at: usize, pace: super::cc::Pace) {
        let wire = &self.plan.wire;
        let flow = &mut self.flows[at];
        let before = std::mem::replace(&mut flow.pace, pace).ps_per_byte;
        let due_ps = match wire.pacing {
            // The time of the last packet, at the new rate.
            Pacing::Ns3 => {
                let last = flow.next_psn.saturating_sub(1);
                let bytes = wire.data_bytes(flow.bytes, last) as f64;
                flow.due_ps as f64 + bytes * (pace.ps_per_byte - before)
            }
            // Credit until now was earned at the old rate; the rest is earned at the new one.
            Pacing::Nic if flow.due_ps > now_ps => {
                let rest_ps = (flow.due_ps - now_ps) as f64;
                now_ps as f64 + rest_ps * pace.ps_per_byte / before
            }
            Pacing::Nic => flow.due_ps as f64,
        };
        flow.due_ps = due_ps.max(0.0) as u64;
    }

    #[inline]
    fn kick_flow(&mut self, now_ps: u64, at: usize) {
        let flow = &self.flows[at];
        if flow.is_open(&self.plan.wire) {
            let (host, due_ps) = (usize::from(flow.src), flow.due_ps);
            self.kick(now_ps, host, due_ps);
        }
    }

    fn end_flow(&mut self, now_ps: u64, index: u32) {
        self.book_end(now_ps, index as usize);
        let host = &mut self.hosts[usize::from(self.flows[index as usize].src)];
        let at = host.flows.iter().position(|flow| *flow == index).expect("it ran here");
        host.flows.remove(at);
        // The turn stays with the flow that had it.
        host.turn = host.turn.saturating_sub(usize::from(host.turn >= at));
    }

    pub(super) fn book_end(&mut self, now_ps: u64, at: usize) {
        let demand = self.flows[at].demand as usize;
        self.took_ps[demand] = now_ps - self.plan.demands[demand].start_ps;
        self.counters.flows_ended += 1;
        if self.plan.demands[demand].is_counted {
            self.counted_left -= 1;
            self.counters.last_end_ps = self.counters.last_end_ps.max(now_ps);
        }
    }
}
