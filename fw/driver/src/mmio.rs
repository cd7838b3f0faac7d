//! The bus of a mapped BAR: volatile 32-bit accesses.

use crate::Bus;
use core::convert::Infallible;

/// A mapped register space.
#[derive(Debug)]
pub struct Mmio {
    base: *mut u32,
}

impl Mmio {
    /// Takes over the registers mapped at `base`.
    ///
    /// # Safety
    /// `base` must be 4-byte aligned and stay mapped, uncached, for all 64 KiB of the register
    /// space for as long as this value lives, and nothing else may access it meanwhile.
    pub unsafe fn new(base: *mut u32) -> Self {
        Self { base }
    }
}

impl Bus for Mmio {
    type Error = Infallible;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, Infallible> {
        // SAFETY: `new` demands 64 KiB of mapped registers, and the mask keeps inside them.
        Ok(unsafe { self.base.add((address_bytes & 0xffff) as usize / 4).read_volatile() })
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), Infallible> {
        // SAFETY: as for reading.
        unsafe { self.base.add((address_bytes & 0xffff) as usize / 4).write_volatile(value) };
        Ok(())
    }
}
