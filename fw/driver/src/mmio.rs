//! A mapped BAR, and memory that is shared with the NIC: volatile 32-bit accesses.

use crate::rings::HostMemory;
use crate::Bus;
use core::convert::Infallible;
use core::sync::atomic::{fence, Ordering};

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

/// Mapped registers and a piece of memory that the NIC reaches, for rings and buffers.
#[derive(Debug)]
pub struct MappedHost {
    registers: Mmio,
    memory: *mut u32,
    address: u64,
    byte_count: u64,
}

/// An access outside the memory that was given; the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideMemory(pub u64);

impl MappedHost {
    /// Takes over `byte_count` bytes at `memory`, which the NIC's AXI4 master reaches at `address`.
    ///
    /// # Safety
    /// `memory` must be 4-byte aligned and stay mapped, coherent with the NIC, for as long as this
    /// value lives, and only the NIC and this value may access the rings in it.
    pub unsafe fn new(registers: Mmio, memory: *mut u32, address: u64, byte_count: u64) -> Self {
        Self { registers, memory, address, byte_count }
    }

    /// First word of `word_count` words at `address`.
    fn words(&self, address: u64, word_count: usize) -> Result<*mut u32, OutsideMemory> {
        let offset = address.wrapping_sub(self.address);
        let end = offset.checked_add(4 * word_count as u64);
        if offset % 4 != 0 || end.is_none_or(|end| end > self.byte_count) {
            return Err(OutsideMemory(address));
        }
        Ok(self.memory.wrapping_add((offset / 4) as usize))
    }
}

impl Bus for MappedHost {
    type Error = OutsideMemory;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, OutsideMemory> {
        let Ok(value) = self.registers.read32(address_bytes);
        Ok(value)
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), OutsideMemory> {
        // What was stored before must be there when the NIC hears of it.
        fence(Ordering::SeqCst);
        let Ok(()) = self.registers.write32(address_bytes, value);
        Ok(())
    }
}

impl HostMemory for MappedHost {
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), OutsideMemory> {
        let from = self.words(address, words.len())?;
        fence(Ordering::SeqCst);
        for (n, word) in words.iter_mut().enumerate() {
            // SAFETY: `words` has checked that they lie in the memory that `new` was given.
            *word = u32::from_le(unsafe { from.add(n).read_volatile() });
        }
        Ok(())
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), OutsideMemory> {
        let to = self.words(address, words.len())?;
        for (n, word) in words.iter().enumerate() {
            // SAFETY: as for loading.
            unsafe { to.add(n).write_volatile(word.to_le()) };
        }
        Ok(())
    }
}
