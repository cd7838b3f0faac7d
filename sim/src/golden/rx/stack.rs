//! What the rx pipe makes of a telemetry stack: records in the native layout and a path.
//!
//! Records stand in the order of the packet, the newest hop first, at most five of them. The path
//! is a hash of all nodes and interfaces in that order. A stack that does not tell about every hop
//! of the path, or that has a value which a switch could not provide, is not usable: `hops` is 6
//! and the path 0.

use super::rx_pipe::TelPorts;
use nic_spec::wire::int_md;

/// Bits that the path is turned by before each word.
const PATH_TURN: u32 = 5;

/// Units of the network's telemetry.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Queues are counted in bytes, else in cells.
    pub queue_in_bytes: bool,
    /// Rate codes by the low three bits of the egress interface.
    pub rates: u32,
}

fn fold(path: u16, word: u32) -> u16 {
    let turned = (path << PATH_TURN | path >> (12 - PATH_TURN)) & 0xfff;
    turned ^ ((word ^ word >> 12 ^ word >> 24) & 0xfff) as u16
}

fn record(hop: &int_md::Hop, units: Units) -> u64 {
    let rate = u64::from(units.rates >> (3 * (hop.interfaces & 7)) & 7);
    let occupancy = u64::from(hop.queue & 0xff_ffff);
    let queue = if units.queue_in_bytes { occupancy >> 6 } else { occupancy };
    rate | (hop.time & 0xff_ffff) << 3
        | u64::from(hop.utilisation).min(0xf_ffff) << 27
        | queue.min(0x1_ffff) << 47
}

/// Telemetry of a packet with this stack.
pub fn telemetry(stack: &int_md::Stack, units: Units) -> TelPorts {
    let mut tel = TelPorts { valid: true, hops: 6, ..TelPorts::default() };
    let has_interfaces = stack.layout().is_ok_and(|(_, layout)| layout.interfaces.is_some());
    let (mut count, mut path, mut is_usable) = (0, 0, stack.is_whole());
    for hop in stack.hops() {
        if let Some(place) = tel.hop.get_mut(count) {
            *place = record(&hop, units);
        }
        count += 1;
        is_usable &= !hop.is_invalid();
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
