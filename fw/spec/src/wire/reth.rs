//! RDMA extended transport header (InfiniBand, volume 1, section 9.3.3).

use super::{packet, Result};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Remote virtual address.
    pub const VA: Field = 0..8;
    /// Remote key.
    pub const RKEY: Field = 8..12;
    /// Length of the whole operation.
    pub const DMA_LEN: Field = 12..16;
}

/// Bytes of the header.
pub const HEADER_BYTES: usize = 16;

packet! {
    /// View of a header.
    {
        /// Remote virtual address.
        va, set_va: u64 = field::VA;
        /// Remote key.
        rkey, set_rkey: u32 = field::RKEY;
        /// Bytes of the whole operation.
        dma_len, set_dma_len: u32 = field::DMA_LEN;
    }
}

/// A header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Remote virtual address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Bytes of the whole operation.
    pub dma_len: u32,
}

impl Repr {
    /// Reads the header.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        Ok(Self { va: packet.va(), rkey: packet.rkey(), dma_len: packet.dma_len() })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER_BYTES
    }

    /// Writes the header.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        packet.set_va(self.va);
        packet.set_rkey(self.rkey);
        packet.set_dma_len(self.dma_len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;

    #[test]
    fn reth_parses_captured_header() {
        // READ request of tests/data/rxe/nak_bad_range_read.pcap, record 0.
        let captured =
            [0, 0, 0x7f, 0x2e, 0xf7, 0x7c, 0x2f, 0x9c, 0, 0, 0x1a, 0x4d, 0, 0, 0x0b, 0xb8];
        let repr = Repr::parse(&Packet::new_checked(&captured).unwrap()).unwrap();
        assert_eq!(repr, Repr { va: 0x7f2e_f77c_2f9c, rkey: 0x1a4d, dma_len: 3000 });
        let mut bytes = [0xff; 16];
        repr.emit(&mut Packet::new_unchecked(&mut bytes));
        assert_eq!(bytes, captured);
        assert_eq!(Packet::new_checked(&captured[..15]), Err(WireError::Truncated));
    }
}
