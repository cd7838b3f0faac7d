//! Ports and links: packets wait, leave in order, and arrive.
//!
//! There are two ways to run them. [`Fast`] works out when a packet leaves as soon as it is queued, so
//! a hop is one event: the packet's arrival at the far end. [`Plain`] has another event for each
//! departure, which is what a reader expects. Both give the same, packet by packet.

mod buffer;
mod fast;
mod plain;

use super::events::Events;
use super::histogram::Histogram;
use super::topology::{Link, Topology};
use super::wire::LINKS_MAX;
pub use buffer::{Buffers, Sharing};
pub use fast::Fast;
pub use plain::Plain;

/// Bit of [`Slot::length`]: the packet goes back to the sender, and gets no telemetry.
pub const ANSWER: u8 = 0x80;

/// What a port knows of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// When it came.
    pub arrived_ps: u64,
    /// When its first bit leaves.
    pub start_ps: u64,
    /// The packet itself.
    pub packet: u32,
    /// Bytes on this link.
    pub bytes: u16,
    /// Index of this link on the way.
    pub at: u8,
    /// Links of the way, and [`ANSWER`].
    pub length: u8,
    /// The way.
    pub links: [u16; LINKS_MAX],
}

impl Slot {
    /// The packet goes back to the sender.
    pub fn is_answer(&self) -> bool {
        self.length & ANSWER != 0
    }

    /// The link that it takes next.
    pub fn next_link(&self) -> Option<usize> {
        let next = self.at + 1;
        (next < self.length & !ANSWER).then(|| usize::from(self.links[usize::from(next)]))
    }

    /// The link by which it came to this port; none at its host.
    fn ingress(&self) -> Option<usize> {
        self.at.checked_sub(1).map(|at| usize::from(self.links[usize::from(at)]))
    }
}

/// What a port's telemetry could tell of a packet that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When.
    pub start_ps: u64,
    /// Bytes that the port had sent before it.
    pub sent_bytes: u64,
    /// Bytes that waited, without it.
    pub queue_bytes: u64,
}

/// Ports and links of a network, by index of the link.
pub trait Lines {
    /// `first_id` is the first of the event ids that [`Lines::id_count`] gives it.
    fn new(topology: &Topology, sharing: Sharing, first_id: usize) -> Self;

    /// Event ids that it needs beside one for each link.
    fn id_count(topology: &Topology) -> usize;

    /// A packet comes to the port of `link`.
    fn push(&mut self, now_ps: u64, link: usize, slot: Slot, events: &mut Events);

    /// The event of `link`: its first packet has arrived at the far end. The event is set anew or
    /// cancelled.
    fn pop(&mut self, now_ps: u64, link: usize, events: &mut Events) -> (Slot, Departure);

    /// One of its own events.
    fn own_event(&mut self, now_ps: u64, id: usize, events: &mut Events);

    /// The far end of `link` lets nothing more come, or again.
    fn gate(&mut self, now_ps: u64, link: usize, is_closed: bool, events: &mut Events);

    /// Whether the switch has room for a packet that came by the link `ingress`; it is counted.
    fn admit(&mut self, now_ps: u64, ingress: usize, bytes: u64, events: &mut Events) -> bool;

    /// Neighbours to be paused or released since the last call: their link, and whether it closes.
    fn take_gates(&mut self) -> Option<(usize, bool)>;

    /// How long queues were until `now_ps`.
    fn meters(&mut self, now_ps: u64) -> &mut Meters;

    /// Queue over time of this port is kept.
    fn watch(&mut self, link: usize);
}

/// Length of a queue as it changes.
#[derive(Clone, Debug, Default)]
struct Level {
    bytes: u64,
    since_ps: u64,
    /// Index of the histogram; none for ports that are not measured.
    class: Option<u8>,
    is_watched: bool,
}

impl Level {
    fn new(link: &Link, topology: &Topology) -> Self {
        let class = topology.switch(link.from).map(|_| link.class);
        Self { class, ..Self::default() }
    }

    #[inline]
    fn change(&mut self, at_ps: u64, bytes: u64, meters: &mut Meters) {
        if let Some(class) = self.class {
            let class = &mut meters.classes[usize::from(class)];
            class.histogram.add(self.bytes, at_ps - self.since_ps);
            if bytes > class.peak_bytes {
                class.peak_bytes = bytes;
            }
            if self.is_watched {
                meters.watched.push((at_ps, bytes));
            }
        }
        (self.bytes, self.since_ps) = (bytes, at_ps);
    }
}

/// Queues of a kind of ports.
#[derive(Clone, Debug, Default)]
pub struct ClassMeter {
    /// Its ports.
    pub port_count: u64,
    /// How long they were how long.
    pub histogram: Histogram,
    /// The longest.
    pub peak_bytes: u64,
}

/// What was measured of all queues.
#[derive(Clone, Debug)]
pub struct Meters {
    /// By class.
    pub classes: Vec<ClassMeter>,
    /// Time and length of the watched queue, at each change.
    pub watched: Vec<(u64, u64)>,
}

impl Meters {
    fn new(topology: &Topology) -> Self {
        let mut classes = vec![ClassMeter::default(); topology.classes.len()];
        for link in &topology.links {
            classes[usize::from(link.class)].port_count += 1;
        }
        Self { classes, watched: vec![] }
    }
}
