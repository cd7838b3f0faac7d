//! Ethernet II header with an optional IEEE 802.1Q tag.

use super::{get_be, put_be, Result};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Destination address.
    pub const DST: Field = 0..6;
    /// Source address.
    pub const SRC: Field = 6..12;
    /// EtherType, or the tag protocol identifier of a tagged frame.
    pub const ETHERTYPE: Field = 12..14;
    /// Tag control information of a tagged frame.
    pub const TCI: Field = 14..16;
    /// EtherType of a tagged frame.
    pub const TAGGED_ETHERTYPE: Field = 16..18;
}

/// EtherType of IPv4.
pub const ETHERTYPE_IPV4: u16 = 0x0800;
/// Tag protocol identifier of an 802.1Q tag.
pub const TPID_8021Q: u16 = 0x8100;
/// Bytes of an untagged header.
pub const HEADER_BYTES: usize = 14;
/// Bytes of a header with an 802.1Q tag.
pub const TAGGED_HEADER_BYTES: usize = 18;
/// Smallest frame without FCS; shorter contents are padded to it.
pub const FRAME_BYTES_MIN: usize = 60;

/// View of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// A view without a length check.
    pub const fn new_unchecked(buffer: T) -> Self {
        Self { buffer }
    }

    /// A view over at least a whole header, tag included.
    pub fn new_checked(buffer: T) -> Result<Self> {
        let packet = Self::new_unchecked(buffer);
        packet.check_len()?;
        Ok(packet)
    }

    /// Fails if an accessor could panic.
    pub fn check_len(&self) -> Result<()> {
        super::check_len(self.buffer.as_ref(), HEADER_BYTES)?;
        super::check_len(self.buffer.as_ref(), self.header_len())
    }

    /// Destination address.
    pub fn dst(&self) -> u64 {
        get_be(self.buffer.as_ref(), field::DST)
    }

    /// Source address.
    pub fn src(&self) -> u64 {
        get_be(self.buffer.as_ref(), field::SRC)
    }

    /// Whether the frame carries an 802.1Q tag.
    pub fn is_tagged(&self) -> bool {
        get_be(self.buffer.as_ref(), field::ETHERTYPE) == u64::from(TPID_8021Q)
    }

    /// Tag control information: priority in bits 15:13, VLAN in bits 11:0.
    pub fn vlan_tci(&self) -> Option<u16> {
        self.is_tagged().then(|| get_be(self.buffer.as_ref(), field::TCI) as u16)
    }

    /// EtherType of what the frame carries, behind the tag if there is one.
    pub fn ethertype(&self) -> u16 {
        let at = if self.is_tagged() { field::TAGGED_ETHERTYPE } else { field::ETHERTYPE };
        get_be(self.buffer.as_ref(), at) as u16
    }

    /// Bytes in front of the payload: 14 or 18.
    pub fn header_len(&self) -> usize {
        if self.is_tagged() {
            TAGGED_HEADER_BYTES
        } else {
            HEADER_BYTES
        }
    }

    /// What follows the header, padding included.
    pub fn payload(&self) -> &[u8] {
        &self.buffer.as_ref()[self.header_len()..]
    }
}

/// A header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Destination address, 48 bits.
    pub dst: u64,
    /// Source address, 48 bits.
    pub src: u64,
    /// Tag control information if the frame is tagged.
    pub vlan_tci: Option<u16>,
    /// EtherType of the payload.
    pub ethertype: u16,
}

impl Repr {
    /// Reads the header.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        Ok(Self {
            dst: packet.dst(),
            src: packet.src(),
            vlan_tci: packet.vlan_tci(),
            ethertype: packet.ethertype(),
        })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        match self.vlan_tci {
            Some(_) => TAGGED_HEADER_BYTES,
            None => HEADER_BYTES,
        }
    }

    /// Writes the header to the front of `buffer`.
    pub fn emit(&self, buffer: &mut [u8]) {
        put_be(buffer, field::DST, self.dst);
        put_be(buffer, field::SRC, self.src);
        match self.vlan_tci {
            Some(tci) => {
                put_be(buffer, field::ETHERTYPE, TPID_8021Q.into());
                put_be(buffer, field::TCI, tci.into());
                put_be(buffer, field::TAGGED_ETHERTYPE, self.ethertype.into());
            }
            None => put_be(buffer, field::ETHERTYPE, self.ethertype.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;

    const TAGGED: [u8; 18] =
        [0x52, 0x54, 0, 0, 0, 2, 0x52, 0x54, 0, 0, 0, 1, 0x81, 0x00, 0xa0, 0x2a, 0x08, 0x00];

    #[test]
    fn ethernet_parses_tagged_literal() {
        let repr = Repr::parse(&Packet::new_unchecked(&TAGGED)).unwrap();
        let expected = Repr {
            dst: 0x5254_0000_0002,
            src: 0x5254_0000_0001,
            vlan_tci: Some(0xa02a),
            ethertype: ETHERTYPE_IPV4,
        };
        assert_eq!(repr, expected);
        let mut bytes = [0; 18];
        repr.emit(&mut bytes);
        assert_eq!(bytes, TAGGED);
    }

    #[test]
    fn ethernet_refuses_short_buffers() {
        assert_eq!(Packet::new_checked(&TAGGED[..13]).unwrap_err(), WireError::Truncated);
        assert_eq!(Packet::new_checked(&TAGGED[..17]).unwrap_err(), WireError::Truncated);
    }
}
