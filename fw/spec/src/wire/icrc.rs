//! Invariant CRC of RoCEv2 (InfiniBand annex A17): CRC-32 of the packet with the fields that
//! change on the way replaced by ones, behind eight bytes of ones that stand for the local route
//! header. It travels least significant byte first.
//!
//! Switches may insert telemetry between UDP and BTH. The ICRC is the one of the packet as it
//! would be without: telemetry skipped, the two length fields reduced.

use super::{bth, ipv4, put_be, udp};

/// Bytes of the ICRC.
pub const BYTES: usize = 4;

/// Register value of a CRC-32 that runs over a packet followed by its own CRC.
pub const RESIDUE: u32 = 0xdebb_20e3;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
};

/// CRC-32 of IEEE 802.3, byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc32 {
    /// The shift register, not inverted.
    pub register: u32,
}

impl Default for Crc32 {
    fn default() -> Self {
        Self { register: !0 }
    }
}

impl Crc32 {
    /// Feeds one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        let index = (self.register ^ u32::from(byte)) & 0xff;
        self.register = self.register >> 8 ^ TABLE[index as usize];
    }

    /// Feeds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.byte(byte));
    }

    /// The CRC of what was fed.
    pub fn value(&self) -> u32 {
        !self.register
    }
}

/// ICRC of the packet with this IPv4 header, this UDP header and, as `transport`, everything from
/// the BTH to the pad bytes. The lengths that go into it follow from `transport`: what the headers
/// say (with telemetry they say more) does not matter.
pub fn icrc(ip: &[u8; ipv4::HEADER_BYTES], udp: &[u8; udp::HEADER_BYTES], transport: &[u8]) -> u32 {
    let mut ip = *ip;
    let mut udp = *udp;
    let udp_len = udp::HEADER_BYTES + transport.len() + BYTES;
    ip[ipv4::field::TOS].fill(0xff);
    ip[ipv4::field::TTL].fill(0xff);
    ip[ipv4::field::CHECKSUM].fill(0xff);
    put_be(&mut ip, ipv4::field::TOTAL_LEN, (ipv4::HEADER_BYTES + udp_len) as u64);
    put_be(&mut udp, udp::field::LEN, udp_len as u64);
    udp[udp::field::CHECKSUM].fill(0xff);
    let mut crc = Crc32::default();
    crc.update(&[0xff; 8]);
    crc.update(&ip);
    crc.update(&udp);
    for (index, &byte) in transport.iter().enumerate() {
        crc.byte(if bth::field::RESERVED.contains(&index) { 0xff } else { byte });
    }
    crc.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icrc_matches_captured_ack() {
        // tests/data/rxe/write_multi.pcap, record 5: ICRC a0 b7 77 83.
        let ip = [
            0x45, 0x00, 0x00, 0x30, 0x3b, 0xe6, 0x40, 0x00, 0x40, 0x11, 0xea, 0xd4, 0x0a, 0x00,
            0x00, 0x02, 0x0a, 0x00, 0x00, 0x01,
        ];
        let udp = [0xc1, 0x21, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00];
        let transport = [
            0x11, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00, 0x01, 0x04, 0x1f, 0x00,
            0x00, 0x01,
        ];
        assert_eq!(icrc(&ip, &udp, &transport), 0x8377_b7a0);
    }

    #[test]
    fn icrc_ignores_what_routers_change() {
        let (mut ip, mut udp, mut transport) = ([0x11; 20], [0x22; 8], [0x33; 12]);
        let before = icrc(&ip, &udp, &transport);
        (ip[1], ip[2], ip[3], ip[8], ip[10], ip[11]) = (1, 2, 3, 4, 5, 6);
        (udp[4], udp[5], udp[6], udp[7], transport[4]) = (1, 2, 3, 4, 5);
        assert_eq!(icrc(&ip, &udp, &transport), before);
        ip[4] ^= 1;
        assert_ne!(icrc(&ip, &udp, &transport), before);
    }

    #[test]
    fn crc32_check_value_and_residue() {
        // The check value that every CRC catalogue gives for "123456789".
        let mut crc = Crc32::default();
        crc.update(b"123456789");
        assert_eq!(crc.value(), 0xcbf4_3926);
        let value = crc.value();
        crc.update(&value.to_le_bytes());
        assert_eq!(crc.register, RESIDUE);
    }
}
