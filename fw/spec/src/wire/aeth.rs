//! ACK extended transport header (InfiniBand, volume 1, section 9.3.5 and 9.7.5.2).

use super::{packet, Result};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Syndrome.
    pub const SYNDROME: Field = 0..1;
    /// Message sequence number.
    pub const MSN: Field = 1..4;
}

/// Bytes of the header.
pub const HEADER_BYTES: usize = 4;

/// Syndromes.
pub mod syndrome {
    /// ACK without end-to-end flow control credits.
    pub const ACK: u8 = 0x1f;
    /// Receiver not ready; bits 4:0 are the timer code.
    pub const RNR_NAK: u8 = 0x20;
    /// PSN sequence error.
    pub const NAK_SEQUENCE: u8 = 0x60;
    /// Invalid request.
    pub const NAK_INVALID_REQUEST: u8 = 0x61;
    /// Remote access error.
    pub const NAK_REMOTE_ACCESS: u8 = 0x62;
    /// Remote operational error.
    pub const NAK_REMOTE_OPERATION: u8 = 0x63;
    /// Kind of a syndrome: its bits 6:5.
    pub const KIND_MASK: u8 = 0x60;
}

packet! {
    /// View of a header.
    {
        /// Syndrome: [`syndrome`].
        syndrome, set_syndrome: u8 = field::SYNDROME;
        /// Message sequence number, 24 bits.
        msn, set_msn: u32 = field::MSN;
    }
}

/// A header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Syndrome: [`syndrome`].
    pub syndrome: u8,
    /// Message sequence number, 24 bits.
    pub msn: u32,
}

impl Repr {
    /// Reads the header.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        Ok(Self { syndrome: packet.syndrome(), msn: packet.msn() })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER_BYTES
    }

    /// Writes the header.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        packet.set_syndrome(self.syndrome);
        packet.set_msn(self.msn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;

    #[test]
    fn aeth_parses_captured_header() {
        // NAK of tests/data/rxe/nak_bad_range_read.pcap, record 1.
        let captured = [0x62, 0, 0, 0];
        let repr = Repr::parse(&Packet::new_checked(&captured).unwrap()).unwrap();
        assert_eq!(repr, Repr { syndrome: syndrome::NAK_REMOTE_ACCESS, msn: 0 });
        let packet = Packet::new_checked([0x1f, 1, 2, 3]).unwrap();
        assert_eq!((packet.syndrome(), packet.msn()), (syndrome::ACK, 0x010203));
        let mut bytes = [0xff; 4];
        Repr { syndrome: 0x1f, msn: 0x010203 }.emit(&mut Packet::new_unchecked(&mut bytes));
        assert_eq!(bytes, [0x1f, 1, 2, 3]);
        assert_eq!(Packet::new_checked(&captured[..3]), Err(WireError::Truncated));
    }
}
