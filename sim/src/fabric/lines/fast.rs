//! The fast way: when a packet leaves is worked out when it is queued, so a hop is one event.
//!
//! A port keeps its packets in a ring from their coming until they arrive at the far end. What was so
//! in between is recovered later, by pointers that only go forward: `left` for packets that have left,
//! `counted` for those that the telemetry of the first packet sees. The counters of a switch's buffer
//! are therefore upper bounds; a switch is settled exactly only when such a bound says that a packet
//! might be too much. While it pauses a neighbour it is settled at each departure, by an event of its
//! own. A port that is paused takes back the times of what has not left.

use super::{Buffers, Departure, Level, Lines, Meters, Sharing, Slot};
use crate::fabric::events::{Events, NEVER_PS};
use crate::fabric::topology::{Link, Topology};
use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
struct Port {
    ps_per_byte: u64,
    delay_ps: u64,
    ring: VecDeque<Slot>,
    /// When the link has carried all that is in the ring.
    free_ps: u64,
    /// Packets of the ring whose bytes have been counted in `in_bytes`.
    counted: usize,
    in_bytes: u64,
    sent_bytes: u64,
    /// Packets of the ring that have left, as far as is known.
    left: usize,
    is_closed: bool,
    level: Level,
}

impl Port {
    fn arrival_ps(&self, slot: &Slot) -> u64 {
        slot.start_ps + u64::from(slot.bytes) * self.ps_per_byte + self.delay_ps
    }

    /// Packets that leave before `until_ps` have left.
    #[inline]
    fn settle(&mut self, until_ps: u64, buffers: &mut Buffers, meters: &mut Meters) {
        while let Some(slot) = self.ring.get(self.left) {
            if slot.start_ps >= until_ps {
                return;
            }
            let bytes = u64::from(slot.bytes);
            self.level.change(slot.start_ps, self.level.bytes - bytes, meters);
            if let Some(ingress) = slot.ingress() {
                buffers.remove(ingress, bytes);
            }
            self.left += 1;
        }
    }
}

/// Ports and links, an event a hop.
#[derive(Clone, Debug)]
pub struct Fast {
    ports: Vec<Port>,
    buffers: Buffers,
    meters: Meters,
    first_id: usize,
    /// Ports of each switch, and the switch of each port.
    ports_of: Vec<Vec<u16>>,
    switch_of: Vec<Option<u16>>,
}

impl Fast {
    /// All that leaves a switch before `until_ps` has left.
    fn settle_switch(&mut self, switch: usize, until_ps: u64) {
        for port in &self.ports_of[switch] {
            let port = &mut self.ports[usize::from(*port)];
            port.settle(until_ps, &mut self.buffers, &mut self.meters);
        }
    }

    /// When the next packet leaves a switch that pauses a neighbour.
    fn plan_switch(&mut self, switch: usize, events: &mut Events) {
        let id = self.first_id + switch;
        if !self.buffers.has_paused(switch) {
            events.cancel(id);
            return;
        }
        let next = |port: &u16| {
            let port = &self.ports[usize::from(*port)];
            port.ring.get(port.left).map(|slot| slot.start_ps)
        };
        let first_ps = self.ports_of[switch].iter().filter_map(next).min();
        match first_ps.filter(|at_ps| *at_ps != NEVER_PS) {
            Some(at_ps) => events.set(id, at_ps),
            None => events.cancel(id),
        }
    }

    /// After a change of what a port plans.
    #[inline]
    fn replan(&mut self, link: usize, events: &mut Events) {
        if let Some(switch) = self.switch_of[link].map(usize::from) {
            if self.buffers.has_paused(switch) {
                self.plan_switch(switch, events);
            }
        }
    }
}

impl Lines for Fast {
    fn new(topology: &Topology, sharing: Sharing, first_id: usize) -> Self {
        let port = |link: &Link| Port {
            ps_per_byte: link.ps_per_byte(),
            delay_ps: link.delay_ps,
            level: Level::new(link, topology),
            ..Port::default()
        };
        let mut ports_of = vec![vec![]; topology.switch_count];
        let switch = |link: &Link| topology.switch(link.from).map(|at| at as u16);
        let switch_of: Vec<_> = topology.links.iter().map(switch).collect();
        for (link, switch) in switch_of.iter().enumerate() {
            if let Some(switch) = switch {
                ports_of[usize::from(*switch)].push(link as u16);
            }
        }
        Self {
            ports: topology.links.iter().map(port).collect(),
            buffers: Buffers::new(topology, sharing),
            meters: Meters::new(topology),
            first_id,
            ports_of,
            switch_of,
        }
    }

    fn id_count(topology: &Topology) -> usize {
        topology.switch_count
    }

    #[inline]
    fn push(&mut self, now_ps: u64, link: usize, mut slot: Slot, events: &mut Events) {
        let port = &mut self.ports[link];
        port.settle(now_ps, &mut self.buffers, &mut self.meters);
        let bytes = u64::from(slot.bytes);
        port.level.change(now_ps, port.level.bytes + bytes, &mut self.meters);
        slot.arrived_ps = now_ps;
        slot.start_ps = NEVER_PS;
        if !port.is_closed {
            slot.start_ps = now_ps.max(port.free_ps);
            port.free_ps = slot.start_ps + bytes * port.ps_per_byte;
            if port.ring.is_empty() {
                events.set(link, port.free_ps + port.delay_ps);
            }
        }
        port.ring.push_back(slot);
        self.replan(link, events);
    }

    #[inline]
    fn pop(&mut self, now_ps: u64, link: usize, events: &mut Events) -> (Slot, Departure) {
        let port = &mut self.ports[link];
        port.settle(now_ps, &mut self.buffers, &mut self.meters);
        let head = port.ring[0];
        while let Some(slot) = port.ring.get(port.counted) {
            if slot.arrived_ps > head.start_ps {
                break;
            }
            port.in_bytes += u64::from(slot.bytes);
            port.counted += 1;
        }
        let sent_bytes = port.sent_bytes;
        port.sent_bytes += u64::from(head.bytes);
        let queue_bytes = port.in_bytes - port.sent_bytes;
        port.ring.pop_front();
        (port.counted, port.left) = (port.counted - 1, port.left - 1);
        match port.ring.front().filter(|next| next.start_ps != NEVER_PS) {
            Some(next) => events.set(link, port.arrival_ps(next)),
            None => events.cancel(link),
        }
        (head, Departure { start_ps: head.start_ps, sent_bytes, queue_bytes })
    }

    fn own_event(&mut self, now_ps: u64, id: usize, events: &mut Events) {
        let switch = id - self.first_id;
        // What leaves now has left: all that comes now has come.
        self.settle_switch(switch, now_ps + 1);
        self.buffers.release(switch);
        self.plan_switch(switch, events);
    }

    fn gate(&mut self, now_ps: u64, link: usize, is_closed: bool, events: &mut Events) {
        let port = &mut self.ports[link];
        port.settle(now_ps, &mut self.buffers, &mut self.meters);
        let waits = port.left;
        port.is_closed = is_closed;
        if is_closed {
            let last = waits.checked_sub(1).map(|at| port.ring[at]);
            let end = |slot: Slot| slot.start_ps + u64::from(slot.bytes) * port.ps_per_byte;
            port.free_ps = last.map_or(port.free_ps.min(now_ps), end);
            port.ring.range_mut(waits..).for_each(|slot| slot.start_ps = NEVER_PS);
            if waits == 0 {
                events.cancel(link);
            }
        } else {
            let mut start_ps = now_ps.max(port.free_ps);
            for slot in port.ring.range_mut(waits..) {
                slot.start_ps = start_ps;
                start_ps += u64::from(slot.bytes) * port.ps_per_byte;
            }
            port.free_ps = start_ps;
            if let Some(head) = port.ring.front().filter(|_| waits == 0) {
                events.set(link, port.arrival_ps(head));
            }
        }
        self.replan(link, events);
    }

    #[inline]
    fn admit(&mut self, now_ps: u64, ingress: usize, bytes: u64, events: &mut Events) -> bool {
        if self.buffers.add_with_ease(ingress, bytes) {
            return true;
        }
        let switch = self.buffers.switch(ingress);
        self.settle_switch(switch, now_ps);
        let is_taken = self.buffers.add(ingress, bytes);
        if self.buffers.has_paused(switch) {
            self.plan_switch(switch, events);
        }
        is_taken
    }

    #[inline]
    fn take_gates(&mut self) -> Option<(usize, bool)> {
        self.buffers.take_gates()
    }

    fn meters(&mut self, now_ps: u64) -> &mut Meters {
        for port in &mut self.ports {
            port.settle(now_ps + 1, &mut self.buffers, &mut self.meters);
            port.level.change(now_ps.max(port.level.since_ps), port.level.bytes, &mut self.meters);
        }
        &mut self.meters
    }

    fn watch(&mut self, link: usize) {
        self.ports[link].level.is_watched = true;
    }
}
