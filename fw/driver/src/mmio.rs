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

impl core::fmt::Display for OutsideMemory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:#x} is outside the memory that the driver was given", self.0)
    }
}

impl core::error::Error for OutsideMemory {}

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
        if !offset.is_multiple_of(4) || end.is_none_or(|end| end > self.byte_count) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rings::{Ring, Work};
    use crate::{CompletionKind, Error, Nic, QpConfig, Status, Write};
    use nic_spec::regs;

    /// Where the NIC sees the memory.
    const ADDRESS: u64 = 0x1_0000_0000;

    #[test]
    fn mapped_host_carries_rings_and_stays_in_its_memory() {
        let (mut space, mut memory) = ([0_u32; 0x4000], [0xffff_ffff_u32; 256]);
        let register = |offset: u16| usize::from(offset / 4);
        space[register(regs::ID)] = regs::ID_VALUE;
        space[register(regs::VERSION)] = regs::VERSION_VALUE;
        space[register(regs::SIZES)] = 6 << 4 | 6 << 8 | 3 << 12;
        let (space_at, memory_at) = (space.as_mut_ptr(), memory.as_mut_ptr());
        // SAFETY: both arrays outlive the host, and nothing else touches them while it works.
        let host = unsafe { MappedHost::new(Mmio::new(space_at), memory_at, ADDRESS, 1024) };
        let mut nic = Nic::probe(host).expect("it reads as a NIC");
        nic.open_cq(Ring { address: ADDRESS, log2: 2 }).expect("opened");
        assert_eq!(nic.poll_cq().expect("polled"), None);
        let (sq_log2, sq_address) = (2, ADDRESS + 256);
        let config = QpConfig { qpn: 7, sq_log2, sq_address, ..QpConfig::default() };
        let mut qp = nic.create_qp(&config).expect("created");
        let write = Write { local_address: 0x55, length_bytes: 9, ..Write::default() };
        nic.submit(&mut qp, &[Work::Write(write); 3]).expect("submitted");
        // The NIC completes the second: wr_id 1, status 6, phase 1.
        let entry = [1, 0, 9, 7 << 16 | 1 << 15 | 6];
        nic.bus().store(ADDRESS, &entry).expect("inside");
        let completion = nic.poll_cq().expect("polled").expect("one is there");
        assert_eq!(
            (completion.status, completion.kind),
            (Status::Flushed, CompletionKind::Requester)
        );
        qp.complete(&completion);
        assert_eq!(qp.outstanding_count(), 1);
        // A ring of four frees its entries one by one.
        assert_eq!(nic.bus().read32(regs::CQ_CONSUMER.into()), Ok(1));
        assert_eq!(nic.bus().read32(regs::DOORBELL.into()), Ok(7 | 3 << 16));
        let beyond = Ring { address: ADDRESS + 1024 - 32, log2: 2 };
        assert_eq!(nic.open_cq(beyond), Err(Error::Bus(OutsideMemory(ADDRESS + 1024))));
        assert_eq!(nic.bus().load(ADDRESS - 4, &mut [0]), Err(OutsideMemory(ADDRESS - 4)));
        assert_eq!(memory[64..69], [4, 0, 0x55, 0, 9], "first work request");
        assert_eq!(memory[64 + 32 + 1], 2, "id of the third");
        assert_eq!(memory[64 + 48], 0xffff_ffff, "the fourth place is free");
    }
}
