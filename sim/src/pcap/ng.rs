//! pcapng, which Wireshark and dumpcap write by default (draft-ietf-opsawg-pcapng): sections of
//! either byte order, several interfaces, time stamps of any resolution. What is neither a packet
//! nor an interface is passed over.

use super::record::{ErrorKind, Record, LINKTYPE_ETHERNET, RECORD_BYTES_MAX};

/// Type of the block that begins a section; the same in both byte orders.
pub const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
/// Of old programs, instead of the enhanced one.
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Type and length in front of a block's body, length behind it.
const FRAMING_BYTES: usize = 12;
const OPTION_TIME_RESOLUTION: u16 = 9;
const OPTION_TIME_OFFSET: u16 = 14;

/// Where a packet was captured.
#[derive(Clone, Copy)]
struct Interface {
    link_type: u32,
    /// Most bytes kept of a packet; 0: all.
    snap_bytes: usize,
    /// Units of a time stamp in a second: 10 or 2, to this power.
    unit: (u8, u32),
    offset_s: i64,
}

impl Interface {
    fn time_ns(&self, stamp: u64) -> u64 {
        let (base, power) = self.unit;
        let scaled = u128::from(stamp) * 1_000_000_000;
        // Where a second's units are more than there are numbers, all stamps are at its beginning.
        let ns = u128::from(base).checked_pow(power).map_or(0, |units| scaled / units) as i128;
        let ns = ns + i128::from(self.offset_s) * 1_000_000_000;
        u64::try_from(ns.max(0)).unwrap_or(u64::MAX)
    }
}

/// Numbers in the byte order of a section; `None` behind the end.
#[derive(Clone, Copy)]
struct Order {
    is_big_endian: bool,
}

impl Order {
    fn half(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
        let number = if self.is_big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
        Some(number(bytes))
    }

    fn word(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        let number = if self.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
        Some(number(bytes))
    }

    /// Two words of a 64-bit number; time stamps have the high one first in either order.
    fn long(self, bytes: &[u8], high_at: usize, low_at: usize) -> Option<u64> {
        Some(u64::from(self.word(bytes, high_at)?) << 32 | u64::from(self.word(bytes, low_at)?))
    }
}

/// Reads all records of a capture in memory, which begins with a section.
pub fn parse(bytes: &[u8]) -> Result<Vec<Record>, ErrorKind> {
    let mut order = Order { is_big_endian: false };
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut records: Vec<Record> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let damaged = |what| ErrorKind::Block(at, what);
        let rest = &bytes[at..];
        if order.word(rest, 0) == Some(SECTION) {
            order = section_order(rest).map_err(damaged)?;
            interfaces.clear();
        }
        let number = records.len() + 1;
        let (kind, body) = block(order, rest).map_err(|what| match order.word(rest, 0) {
            Some(OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET) if what == ENDS => {
                ErrorKind::Truncated(number)
            }
            _ => damaged(what),
        })?;
        match kind {
            INTERFACE => interfaces.push(interface(order, body).ok_or(damaged(SHORT))?),
            SIMPLE_PACKET => {
                let time_ns = records.last().map_or(0, |record| record.time_ns);
                let packet = simple(order, body, &interfaces).ok_or(damaged(SHORT))?;
                records.push(packet.record(number, &interfaces, |_| time_ns)?);
            }
            ENHANCED_PACKET | OBSOLETE_PACKET => {
                let (packet, stamp) = stamped(order, kind, body).ok_or(damaged(SHORT))?;
                records.push(packet.record(number, &interfaces, |from| from.time_ns(stamp))?);
            }
            _ => {}
        }
        at += body.len() + FRAMING_BYTES;
    }
    Ok(records)
}

const ENDS: &str = "the file ends inside it";
const SHORT: &str = "it is too short for what it should hold";

fn section_order(block: &[u8]) -> Result<Order, &'static str> {
    let little = Order { is_big_endian: false };
    let magic = little.word(block, 8).ok_or(ENDS)?;
    let order = Order { is_big_endian: magic.swap_bytes() == BYTE_ORDER };
    if magic != BYTE_ORDER && !order.is_big_endian {
        return Err("its byte order is unknown");
    }
    match order.half(block, 12).ok_or(ENDS)? {
        1 => Ok(order),
        _ => Err("it is of another version than 1"),
    }
}

/// Type and body of the first block.
fn block(order: Order, rest: &[u8]) -> Result<(u32, &[u8]), &'static str> {
    let kind = order.word(rest, 0).ok_or(ENDS)?;
    let length = order.word(rest, 4).ok_or(ENDS)? as usize;
    if length < FRAMING_BYTES || !length.is_multiple_of(4) {
        return Err("its length is impossible");
    }
    let whole = rest.get(..length).ok_or(ENDS)?;
    if order.word(whole, length - 4) != Some(length as u32) {
        return Err("its two lengths differ");
    }
    Ok((kind, &whole[8..length - 4]))
}

fn interface(order: Order, body: &[u8]) -> Option<Interface> {
    let (link_type, snap_bytes) = (order.half(body, 0)?.into(), order.word(body, 4)? as usize);
    let mut interface = Interface { link_type, snap_bytes, unit: (10, 6), offset_s: 0 };
    let mut options = &body[8..];
    while !options.is_empty() {
        let (code, length) = (order.half(options, 0)?, usize::from(order.half(options, 2)?));
        let value = options.get(4..4 + length)?;
        match (code, value) {
            (0, _) => break,
            (OPTION_TIME_RESOLUTION, [power]) => {
                let base = if power & 0x80 != 0 { 2 } else { 10 };
                interface.unit = (base, u32::from(power & 0x7f));
            }
            (OPTION_TIME_OFFSET, _) => {
                let (high, low) = if order.is_big_endian { (0, 4) } else { (4, 0) };
                interface.offset_s = order.long(value, high, low)? as i64;
            }
            _ => {}
        }
        options = options.get(4 + length.next_multiple_of(4)..)?;
    }
    Some(interface)
}

/// A packet as its block has it.
struct Packet<'a> {
    interface: usize,
    captured: usize,
    original: usize,
    /// The packet, then pad and options.
    data: &'a [u8],
}

fn simple<'a>(order: Order, body: &'a [u8], interfaces: &[Interface]) -> Option<Packet<'a>> {
    let original = order.word(body, 0)? as usize;
    let snap_bytes = interfaces.first().map_or(0, |i| i.snap_bytes);
    let captured = if snap_bytes == 0 { original } else { original.min(snap_bytes) };
    let data = &body[4..];
    (captured <= data.len()).then_some(Packet { interface: 0, captured, original, data })
}

/// A packet with its time stamp.
fn stamped(order: Order, kind: u32, body: &[u8]) -> Option<(Packet<'_>, u64)> {
    let interface = match kind {
        ENHANCED_PACKET => order.word(body, 0)? as usize,
        _ => order.half(body, 0)?.into(),
    };
    let stamp = order.long(body, 4, 8)?;
    let (captured, original) = (order.word(body, 12)? as usize, order.word(body, 16)? as usize);
    let data = &body[20..];
    (captured <= data.len()).then_some((Packet { interface, captured, original, data }, stamp))
}

impl Packet<'_> {
    fn record(
        &self,
        number: usize,
        interfaces: &[Interface],
        time_ns: impl Fn(&Interface) -> u64,
    ) -> Result<Record, ErrorKind> {
        let Self { captured, original, .. } = *self;
        let unknown = ErrorKind::NoInterface(number, self.interface);
        let interface = interfaces.get(self.interface).ok_or(unknown)?;
        if interface.link_type != LINKTYPE_ETHERNET {
            return Err(ErrorKind::PacketLinkType(number, interface.link_type));
        }
        if captured > RECORD_BYTES_MAX {
            return Err(ErrorKind::RecordLength(number, captured));
        }
        if captured < original {
            return Err(ErrorKind::Snapped(number, captured, original));
        }
        Ok(Record { time_ns: time_ns(interface), data: self.data[..captured].into() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, Error};
    use super::*;

    /// What Wireshark writes: a section with a comment, an interface (Ethernet, 10^-9 s), a packet
    /// of five bytes at 1.000000002 s, and statistics.
    #[rustfmt::skip]
    const LITTLE_ENDIAN: [u8; 152] = [
        0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // length of the section: not told
        1, 0, 2, 0, b'h', b'i', 0, 0, 0, 0, 0, 0, 40, 0, 0, 0,
        1, 0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, // snap length 262144
        9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0,
        6, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xca, 0x9a, 0x3b,
        5, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0,
        0, 0, 0, 0, 44, 0, 0, 0,
        5, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        4, 0, 8, 0, 3, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0, 0, // three packets dropped
    ];
    const INTERFACE_AT: usize = 40;
    const PACKET_AT: usize = 72;

    /// Big-endian: interfaces of cooked frames and of Ethernet (2^-10 s from 1 s on), a packet
    /// of the latter at 1.5 s, then a section with an interface and a simple packet.
    #[rustfmt::skip]
    const BIG_ENDIAN: [u8; 192] = [
        0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28, 0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28,
        0, 0, 0, 1, 0, 0, 0, 20, 0, 113, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20,
        0, 0, 0, 1, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0,
        0, 9, 0, 1, 0x8a, 0, 0, 0, 0, 14, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 40,
        0, 0, 0, 6, 0, 0, 0, 36, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0,
        0, 0, 0, 2, 0, 0, 0, 2, 0xab, 0xcd, 0, 0, 0, 0, 0, 36,
        0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28, 0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28,
        0, 0, 0, 1, 0, 0, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20,
        0, 0, 0, 3, 0, 0, 0, 20, 0, 0, 0, 3, 7, 8,
        9, 0, 0, 0, 0, 20,
    ];

    #[test]
    fn pcapng_reads_both_byte_orders() {
        let record = |time_ns, data: &[u8]| Record { time_ns, data: data.into() };
        assert_eq!(parse(&LITTLE_ENDIAN).unwrap(), [record(1_000_000_002, &[1, 2, 3, 4, 5])]);
        let both = [record(1_500_000_000, &[0xab, 0xcd]), record(1_500_000_000, &[7, 8, 9])];
        assert_eq!(parse(&BIG_ENDIAN).unwrap(), both);
    }

    /// [`LITTLE_ENDIAN`] with other bytes somewhere.
    fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut all = LITTLE_ENDIAN.to_vec();
        all[at..at + bytes.len()].copy_from_slice(bytes);
        all
    }

    #[test]
    fn pcapng_reads_time_stamps_of_any_resolution() {
        // 10^-6 s, 2^-30 s, and what nobody can tell from 0.
        for (resolution, time_ns) in
            [(6, 1_000_000_002_000), (0x80 + 30, 931_322_576), (60, 0), (0x7f, 0), (0xff, 0)]
        {
            let records = parse(&changed(INTERFACE_AT + 20, &[resolution])).unwrap();
            assert_eq!(records[0].time_ns, time_ns, "{resolution:#x}");
        }
        // Without the option: microseconds; an obsolete packet has its interface in 16 bits.
        let mut bytes = changed(INTERFACE_AT + 16, &[2, 0]);
        assert_eq!(parse(&bytes).unwrap()[0].time_ns, 1_000_000_002_000);
        (bytes[PACKET_AT], bytes[PACKET_AT + 10]) = (2, 77);
        assert_eq!(parse(&bytes).unwrap()[0].data, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn pcapng_errors_name_file_and_record_or_block() {
        let text = |bytes: &[u8]| {
            let kind = parse(bytes).unwrap_err();
            Error { path: "x.pcapng".into(), kind }.to_string()
        };
        let at = |at: usize, bytes: &[u8]| text(&changed(at, bytes));
        assert!(text(&LITTLE_ENDIAN[..100]).starts_with("x.pcapng: record 1: the file ends"));
        let cut = text(&LITTLE_ENDIAN[..60]);
        assert!(cut.starts_with("x.pcapng: block at byte 40: the file ends"), "{cut}");
        assert!(at(8, &[0]).contains("block at byte 0: its byte order is unknown"));
        assert!(at(12, &[2]).contains("another version"));
        assert!(at(INTERFACE_AT + 4, &[8]).contains("block at byte 40: its length is impossible"));
        assert!(at(INTERFACE_AT + 28, &[36]).contains("its two lengths differ"));
        assert!(at(INTERFACE_AT + 8, &[113]).contains("record 1: link type 113"));
        assert!(at(INTERFACE_AT + 18, &[200]).contains("block at byte 40: it is too short"));
        assert!(at(PACKET_AT + 8, &[1]).contains("record 1: interface 1 is described nowhere"));
        assert!(at(PACKET_AT + 20, &[99]).contains("block at byte 72: it is too short"));
        assert!(at(PACKET_AT + 24, &[9]).contains("record 1: only 5 of 9 bytes"));
        // No prefix and no changed byte makes it panic.
        for end in 4..LITTLE_ENDIAN.len() {
            let _ = parse(&LITTLE_ENDIAN[..end]);
            (0..=0xff).for_each(|byte| drop(parse(&changed(end, &[byte]))));
            let mut big = BIG_ENDIAN;
            (0..=0xff).for_each(|byte| {
                big[end] = byte;
                drop(parse(&big));
            });
        }
    }
}
