//! Immediate data extended transport header (InfiniBand, volume 1, section 9.3.6).

use super::{packet, Result};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Immediate data.
    pub const IMM: Field = 0..4;
}

/// Bytes of the header.
pub const HEADER_BYTES: usize = 4;

packet! {
    /// View of a header.
    {
        /// Immediate data, read as a big-endian number.
        imm, set_imm: u32 = field::IMM;
    }
}

/// A header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Immediate data, read as a big-endian number.
    pub imm: u32,
}

impl Repr {
    /// Reads the header.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        Ok(Self { imm: packet.imm() })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER_BYTES
    }

    /// Writes the header.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        packet.set_imm(self.imm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immdt_parses_captured_header() {
        // SEND only with immediate of tests/data/rxe/send_imm_atomic.pcap, record 6.
        let repr = Repr::parse(&Packet::new_unchecked([0x11, 0x22, 0x33, 0x44])).unwrap();
        assert_eq!(repr.imm, 0x1122_3344);
        let mut bytes = [0; 4];
        repr.emit(&mut Packet::new_unchecked(&mut bytes));
        assert_eq!(bytes, [0x11, 0x22, 0x33, 0x44]);
    }
}
