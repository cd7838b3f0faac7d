//! Shared buffers of the switches, and when they pause their neighbours (PFC).
//!
//! A packet counts at the switch and at the link by which it came, from its arrival until it leaves.
//! A neighbour is paused when its link holds more than a share (alpha) of what is left of the buffer,
//! and released when that is no longer so by two packets. What comes until a pause is obeyed has room of
//! its own (headroom); what a host sends beyond that which obeys none is dropped.

use crate::fabric::topology::{Link, Topology};
use std::collections::VecDeque;

/// What a link must be below its threshold by before its neighbour is released.
const RELEASE_BYTES: u64 = 3_000;
/// Headroom beside what is on the link meanwhile: two of the largest packets.
const HEADROOM_BYTES: u64 = 9_000;
/// alpha has so many fraction bits.
const ALPHA_BITS: u32 = 16;
/// alpha of fast links is at most this.
const ALPHA_MAX: f64 = 0.5;

/// How the ports of a switch share its buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// Bytes of the buffer.
    pub buffer_bytes: u64,
    /// Neighbours are paused.
    pub is_pfc: bool,
    /// Threshold on hosts' links as a share of the buffer that is left.
    pub alpha: f64,
    /// Hosts stop when they are paused.
    pub hosts_obey: bool,
}

/// Buffers of all switches.
#[derive(Clone, Debug)]
pub struct Buffers {
    sharing: Sharing,
    /// Bytes in each switch; where departures are settled late, at least as many.
    used_bytes: Vec<u64>,
    /// Of these, by the link by which they came.
    held_bytes: Vec<u64>,
    alpha_uq0_16: Vec<u64>,
    is_paused: Vec<bool>,
    /// What a link may hold while its neighbour is paused that does not obey.
    limit_bytes: Vec<u64>,
    /// Room for what such a neighbour sends until a pause would be obeyed; none of others.
    headroom_bytes: Vec<Option<u64>>,
    /// Paused links of each switch.
    paused_count: Vec<u32>,
    /// Switch that a link leads to; none if that is a host.
    switch_of: Vec<Option<u16>>,
    /// Links that lead to each switch.
    ingresses: Vec<Vec<u16>>,
    gates: VecDeque<(usize, bool)>,
}

impl Buffers {
    pub(super) fn new(topology: &Topology, sharing: Sharing) -> Self {
        let link_count = topology.links.len();
        let mut ingresses = vec![vec![]; topology.switch_count];
        for (at, link) in topology.links.iter().enumerate() {
            if let Some(switch) = topology.switch(link.to) {
                ingresses[switch].push(at as u16);
            }
        }
        let host_gbps = f64::from(topology.host_gbps());
        let alpha = |gbps: u32| {
            let alpha = sharing.alpha * (f64::from(gbps) / host_gbps).max(1.0);
            (alpha.min(ALPHA_MAX.max(sharing.alpha)) * f64::from(1 << ALPHA_BITS)) as u64
        };
        let headroom_bytes = |link: &Link| {
            let is_deaf = topology.switch(link.from).is_none() && !sharing.hosts_obey;
            is_deaf.then(|| 2 * link.delay_ps / link.ps_per_byte() + HEADROOM_BYTES)
        };
        let switches =
            topology.links.iter().map(|link| topology.switch(link.to).map(|at| at as u16));
        Self {
            sharing,
            used_bytes: vec![0; topology.switch_count],
            held_bytes: vec![0; link_count],
            alpha_uq0_16: topology.links.iter().map(|link| alpha(link.gbps)).collect(),
            is_paused: vec![false; link_count],
            limit_bytes: vec![u64::MAX; link_count],
            headroom_bytes: topology.links.iter().map(headroom_bytes).collect(),
            paused_count: vec![0; topology.switch_count],
            switch_of: switches.collect(),
            ingresses,
            gates: VecDeque::new(),
        }
    }

    /// The switch behind a link.
    #[inline]
    pub(super) fn switch(&self, ingress: usize) -> usize {
        usize::from(self.switch_of[ingress].expect("the link leads to a switch"))
    }

    /// Whether neighbours of a switch are paused.
    #[inline]
    pub(super) fn has_paused(&self, switch: usize) -> bool {
        self.paused_count[switch] > 0
    }

    /// What a link may hold of a switch in which `used_bytes` are.
    #[inline]
    fn threshold_bytes(&self, ingress: usize, used_bytes: u64) -> u64 {
        let left = self.sharing.buffer_bytes.saturating_sub(used_bytes);
        (left * self.alpha_uq0_16[ingress]) >> ALPHA_BITS
    }

    /// Takes a packet that causes neither a drop nor a pause, as far as the counters know; `false`: it
    /// might, and was not taken.
    #[inline]
    pub(super) fn add_with_ease(&mut self, ingress: usize, bytes: u64) -> bool {
        let switch = self.switch(ingress);
        let (used, held) = (self.used_bytes[switch] + bytes, self.held_bytes[ingress] + bytes);
        let is_above = self.sharing.is_pfc && held > self.threshold_bytes(ingress, used);
        let bytes_max = self.limit_bytes[ingress];
        if used > self.sharing.buffer_bytes || is_above || held > bytes_max {
            return false;
        }
        (self.used_bytes[switch], self.held_bytes[ingress]) = (used, held);
        true
    }

    /// Takes a packet; `false`: there is no room. The counters must be exact.
    #[inline]
    pub(super) fn add(&mut self, ingress: usize, bytes: u64) -> bool {
        let switch = self.switch(ingress);
        let (used, held) = (self.used_bytes[switch] + bytes, self.held_bytes[ingress] + bytes);
        if used > self.sharing.buffer_bytes {
            return false;
        }
        let is_above = self.sharing.is_pfc && held > self.threshold_bytes(ingress, used);
        if is_above && !self.is_paused[ingress] {
            self.is_paused[ingress] = true;
            self.paused_count[switch] += 1;
            self.gates.push_back((ingress, true));
            if let Some(headroom) = self.headroom_bytes[ingress] {
                self.limit_bytes[ingress] = held + headroom;
            }
        }
        if held > self.limit_bytes[ingress] {
            return false;
        }
        (self.used_bytes[switch], self.held_bytes[ingress]) = (used, held);
        true
    }

    /// A packet has left.
    #[inline]
    pub(super) fn remove(&mut self, ingress: usize, bytes: u64) {
        let switch = self.switch(ingress);
        self.used_bytes[switch] -= bytes;
        self.held_bytes[ingress] -= bytes;
    }

    /// Releases neighbours of a switch where that is due; the counters must be exact.
    pub(super) fn release(&mut self, switch: usize) {
        if self.paused_count[switch] == 0 {
            return;
        }
        let used = self.used_bytes[switch];
        for at in 0..self.ingresses[switch].len() {
            let ingress = usize::from(self.ingresses[switch][at]);
            let held = self.held_bytes[ingress];
            let is_low = held == 0 || held + RELEASE_BYTES <= self.threshold_bytes(ingress, used);
            if self.is_paused[ingress] && is_low {
                self.is_paused[ingress] = false;
                self.limit_bytes[ingress] = u64::MAX;
                self.paused_count[switch] -= 1;
                self.gates.push_back((ingress, false));
            }
        }
    }

    pub(super) fn take_gates(&mut self) -> Option<(usize, bool)> {
        self.gates.pop_front()
    }
}
