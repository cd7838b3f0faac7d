//! What the rx pipe makes of a telemetry stack: records in the native layout and a path.
//!
//! Records stand in the order of the packet, the newest hop first, at most five of them. The path
//! is a hash of all nodes and interfaces in that order. A stack that does not tell about every hop
//! of the path, or that has a value which a switch could not provide, is not usable: `hops` is 6
//! and the path 0.

use crate::streams::Telemetry;
use nic_spec::wire::{ifa, int_md, ioam};

/// Bits that the path is turned by before each word.
const PATH_TURN: u32 = 5;

/// Units of the network's telemetry.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Queues are counted in bytes, else in cells.
    pub queue_in_bytes: bool,
    /// IOAM's fractions of a second are binary, else ns.
    pub time_is_binary: bool,
    /// Rate codes by the low three bits of the egress interface.
    pub rates: u32,
}

/// What a hop comes to.
struct Told {
    record: u64,
    node: u32,
    interfaces: u32,
    is_invalid: bool,
}

fn fold(path: u16, word: u32) -> u16 {
    let turned = (path << PATH_TURN | path >> (12 - PATH_TURN)) & 0xfff;
    turned ^ ((word ^ word >> 12 ^ word >> 24) & 0xfff) as u16
}

impl Units {
    fn record(self, interfaces: u32, time: u64, sent: u32, queue: u32) -> u64 {
        let rate = u64::from(self.rates >> (3 * (interfaces & 7)) & 7);
        let queue = u64::from(if self.queue_in_bytes { queue >> 6 } else { queue });
        rate | (time & 0xff_ffff) << 3 | u64::from(sent) << 27 | queue.min(0x1_ffff) << 47
    }
}

/// Telemetry of a packet with INT-MD.
pub fn int_md(stack: &int_md::Stack, units: Units) -> Telemetry {
    let has_interfaces = stack.layout().is_ok_and(|(_, layout)| layout.interfaces.is_some());
    let hops = stack.hops().map(|hop| {
        let sent = hop.utilisation.min(0xf_ffff);
        Told {
            record: units.record(hop.interfaces, hop.time, sent, hop.queue & 0xff_ffff),
            node: hop.node,
            interfaces: hop.interfaces,
            is_invalid: hop.is_invalid(),
        }
    });
    telemetry(hops, has_interfaces, stack.is_whole())
}

/// Telemetry of a packet with an IOAM trace. Without seconds, ns would be wrong once a second.
pub fn ioam(trace: &ioam::Trace, units: Units) -> Telemetry {
    let layout = trace.layout().ok().map(|(_, layout)| layout);
    let has_time = layout.is_some_and(|l| units.time_is_binary || l.seconds.is_some());
    let has_interfaces = layout.is_some_and(|l| l.interfaces.is_some());
    let nodes = trace.nodes().filter(|_| has_time).map(|node| {
        let ns = u64::from(node.seconds) * 1_000_000_000 + u64::from(node.fraction);
        let time = if units.time_is_binary { u64::from(node.fraction >> 2) } else { ns };
        Told {
            record: units.record(node.interfaces, time, node.tx_bytes >> 7 & 0xf_ffff, node.queue),
            node: node.node,
            interfaces: node.interfaces,
            is_invalid: node.is_invalid(),
        }
    });
    telemetry(nodes, has_interfaces, has_time && trace.is_whole())
}

/// Telemetry of a packet with IFA, whose hops tell their links' rates.
pub fn ifa(stack: &ifa::Stack, units: Units) -> Telemetry {
    let hops = stack.hops().map(|hop| {
        let sent = hop.tx_bytes >> 7 & 0xf_ffff;
        let rates = Units { rates: hop.rate_code().unwrap_or(0).into(), ..units };
        Told {
            record: rates.record(0, hop.egress_ns(), sent, hop.queue.into()),
            node: hop.device,
            interfaces: hop.interfaces,
            is_invalid: hop.is_invalid() || hop.rate_code().is_none(),
        }
    });
    telemetry(hops, true, stack.is_whole())
}

fn telemetry(hops: impl Iterator<Item = Told>, has_interfaces: bool, is_whole: bool) -> Telemetry {
    let mut tel = Telemetry { valid: true, hops: 6, ..Telemetry::default() };
    let (mut count, mut path, mut is_usable) = (0, 0, is_whole);
    for hop in hops {
        if let Some(place) = tel.hop.get_mut(count) {
            *place = hop.record;
        }
        count += 1;
        is_usable &= !hop.is_invalid;
        path = fold(path, hop.node);
        if has_interfaces {
            path = fold(path, hop.interfaces);
        }
    }
    if is_usable && count <= tel.hop.len() {
        (tel.hops, tel.path) = (count as u8, path);
    }
    tel
}
