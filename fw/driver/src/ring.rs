//! Where a ring is, and how far the driver is in it.

use nic_spec::rows::{Completion, Row};

/// A ring in host memory that its owner gives to the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// Address on the NIC's AXI4 master: a multiple of the entry's size.
    pub address: u64,
    /// log2 of its entries, 1..=15.
    pub log2: u8,
}

impl Ring {
    /// Bytes of a submission ring.
    pub fn submission_bytes(&self) -> usize {
        core::mem::size_of::<Row>() << self.log2
    }

    /// Bytes of a completion ring.
    pub fn completion_bytes(&self) -> usize {
        (Completion::RING_BYTES as usize) << self.log2
    }

    /// Whether the NIC can use it.
    pub(crate) fn is_good(&self, entry_bytes: u64) -> bool {
        (1..=15).contains(&self.log2) && self.address.is_multiple_of(entry_bytes)
    }
}

/// The completion ring as the driver sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletionRing {
    pub(crate) ring: Ring,
    /// Entries read, and as much of it as the NIC knows, modulo 2^16.
    pub(crate) read_count: u16,
    pub(crate) told_count: u16,
}
