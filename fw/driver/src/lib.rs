//! Driver of the NIC: no allocation, generic over a [`Bus`].
#![no_std]

/// 32-bit register access; addresses are byte offsets into the CSR space.
pub trait Bus {
    /// Error of one access.
    type Error: core::fmt::Debug;
    /// Reads the register at `address_bytes` (a multiple of 4).
    fn read32(&mut self, address_bytes: u32) -> Result<u32, Self::Error>;
    /// Writes the register at `address_bytes` (a multiple of 4).
    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), Self::Error>;
}
