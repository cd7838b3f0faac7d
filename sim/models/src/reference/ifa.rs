//! IFA 2.0 read field by field, as draft-kumar-ippm-ifa and HPCC's hop in a local name space tell it.

/// What a hop tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Local name space and device.
    pub device: u32,
    /// Rate of the egress interface, Gb/s.
    pub gbps: u32,
    /// Egress and ingress interface.
    pub interfaces: (u16, u16),
    /// When the packet left, ns.
    pub egress_ns: u64,
    /// Bytes sent.
    pub tx_bytes: u32,
    /// Cells in the queue.
    pub queue: u32,
}

/// Every hop of the path, the newest first, from the bytes behind IPv4; `None` if they do not tell
/// about every hop what congestion control needs.
pub fn hops(packet: &[u8]) -> Option<Vec<Hop>> {
    let bits = |bytes: &[u8], from: usize, count: usize| {
        (from..from + count)
            .fold(0, |value, bit| value << 1 | u32::from(bytes[bit / 8] >> (7 - bit % 8) & 1))
    };
    let header = packet.get(..4)?;
    let metadata = packet.get(12..16)?;
    let (version, name_space, words_max) =
        (bits(header, 0, 4), bits(header, 4, 4), bits(header, 24, 8));
    let (hop_limit, words) = (bits(metadata, 16, 8), bits(metadata, 24, 8));
    if version != 2 || name_space != 0xf || hop_limit == 0 || words >= words_max || words % 8 != 0 {
        return None;
    }
    let stack = packet.get(16..16 + 4 * words as usize)?;
    let told = |bytes: &[u8], from: usize, count: usize| {
        let value = bits(bytes, from, count);
        (u64::from(value) != (1 << count) - 1).then_some(value)
    };
    let hops = stack.chunks(32).map(|hop| {
        let gbps = [10, 25, 40, 50, 100, 200, 400];
        let gbps = gbps.get(bits(hop, 32, 4) as usize).copied().filter(|gbps| *gbps > 10)?;
        let interfaces = told(hop, 64, 32)?;
        let seconds = u64::from(bits(hop, 44, 20));
        let ns = u64::from(told(hop, 96, 32)?) + u64::from(told(hop, 128, 32)?);
        Some(Hop {
            device: bits(hop, 0, 4) << 20 | told(hop, 4, 20)?,
            gbps,
            interfaces: ((interfaces >> 16) as u16, interfaces as u16),
            egress_ns: seconds * 1_000_000_000 + ns,
            tx_bytes: told(hop, 160, 32)?,
            queue: told(hop, 208, 16)?,
        })
    });
    hops.collect()
}
