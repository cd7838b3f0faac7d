//! The plain way: an event when a packet leaves its port, another when it arrives.

use super::{Buffers, Departure, Level, Lines, Meters, Sharing, Slot};
use crate::fabric::events::Events;
use crate::fabric::topology::Topology;
use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
struct Port {
    ps_per_byte: u64,
    delay_ps: u64,
    waiting: VecDeque<Slot>,
    on_wire: VecDeque<(Slot, Departure)>,
    /// When the link has carried what it has taken.
    free_ps: u64,
    sent_bytes: u64,
    is_closed: bool,
    level: Level,
}

/// Ports and links, an event for each departure.
#[derive(Clone, Debug)]
pub struct Plain {
    ports: Vec<Port>,
    buffers: Buffers,
    meters: Meters,
    first_id: usize,
}

impl Plain {
    /// When the next packet leaves.
    fn plan(&mut self, now_ps: u64, link: usize, events: &mut Events) {
        let port = &self.ports[link];
        let id = self.first_id + link;
        match port.waiting.front().filter(|_| !port.is_closed) {
            None => events.cancel(id),
            // What a NIC sends is told ahead of its time.
            Some(head) => events.set(id, now_ps.max(port.free_ps).max(head.arrived_ps)),
        }
    }

    fn arrival_ps(port: &Port) -> Option<u64> {
        let (slot, departure) = port.on_wire.front()?;
        let wire_ps = u64::from(slot.bytes) * port.ps_per_byte;
        Some(departure.start_ps + wire_ps + port.delay_ps)
    }
}

impl Lines for Plain {
    fn new(topology: &Topology, sharing: Sharing, first_id: usize) -> Self {
        let port = |link: &crate::fabric::topology::Link| Port {
            ps_per_byte: link.ps_per_byte(),
            delay_ps: link.delay_ps,
            level: Level::new(link, topology),
            ..Port::default()
        };
        Self {
            ports: topology.links.iter().map(port).collect(),
            buffers: Buffers::new(topology, sharing),
            meters: Meters::new(topology),
            first_id,
        }
    }

    fn id_count(topology: &Topology) -> usize {
        topology.links.len()
    }

    fn push(&mut self, now_ps: u64, link: usize, slot: Slot, events: &mut Events) {
        let port = &mut self.ports[link];
        let bytes = port.level.bytes + u64::from(slot.bytes);
        port.level.change(now_ps, bytes, &mut self.meters);
        port.waiting.push_back(Slot { arrived_ps: now_ps, ..slot });
        if port.waiting.len() == 1 {
            self.plan(now_ps, link, events);
        }
    }

    fn pop(&mut self, _: u64, link: usize, events: &mut Events) -> (Slot, Departure) {
        let port = &mut self.ports[link];
        let first = port.on_wire.pop_front().expect("a packet has arrived");
        match Self::arrival_ps(port) {
            Some(at_ps) => events.set(link, at_ps),
            None => events.cancel(link),
        }
        first
    }

    fn own_event(&mut self, now_ps: u64, id: usize, events: &mut Events) {
        let link = id - self.first_id;
        let port = &mut self.ports[link];
        let slot = port.waiting.pop_front().expect("a packet leaves");
        let bytes = u64::from(slot.bytes);
        let queue_bytes = port.level.bytes - bytes;
        port.level.change(now_ps, queue_bytes, &mut self.meters);
        let departure = Departure { start_ps: now_ps, sent_bytes: port.sent_bytes, queue_bytes };
        port.sent_bytes += bytes;
        port.free_ps = now_ps + bytes * port.ps_per_byte;
        port.on_wire.push_back((slot, departure));
        if port.on_wire.len() == 1 {
            events.set(link, port.free_ps + port.delay_ps);
        }
        self.plan(now_ps, link, events);
        if let Some(ingress) = slot.ingress() {
            self.buffers.remove(ingress, bytes);
            self.buffers.release(self.buffers.switch(ingress));
        }
    }

    fn gate(&mut self, now_ps: u64, link: usize, is_closed: bool, events: &mut Events) {
        self.ports[link].is_closed = is_closed;
        self.plan(now_ps, link, events);
    }

    fn admit(&mut self, _: u64, ingress: usize, bytes: u64, _: &mut Events) -> bool {
        self.buffers.add(ingress, bytes)
    }

    fn take_gates(&mut self) -> Option<(usize, bool)> {
        self.buffers.take_gates()
    }

    fn meters(&mut self, now_ps: u64) -> &mut Meters {
        for port in &mut self.ports {
            port.level.change(now_ps, port.level.bytes, &mut self.meters);
        }
        &mut self.meters
    }

    fn watch(&mut self, link: usize) {
        self.ports[link].level.is_watched = true;
    }
}
