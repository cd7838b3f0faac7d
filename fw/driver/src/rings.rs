//! Rings in host memory: work requests and completions without a register access for each.

use crate::ring::CompletionRing;
pub use crate::ring::Ring;
use crate::{check_length, Bus, Error, Nic, Qp, Read, Write, COMMIT_POLLS_MAX};
use nic_spec::regs;
use nic_spec::rows::{Completion, Row, WrRow};

/// Memory that the host and the NIC share. Words are little-endian; an address is the one that the
/// NIC's AXI4 master uses.
pub trait HostMemory: Bus {
    /// Reads words, the first one first. What the NIC wrote before a word that is seen here is seen
    /// by the next call.
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), Self::Error>;
    /// Writes words. The NIC sees them before a register write that follows.
    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), Self::Error>;
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// RDMA WRITE.
    Write(Write),
    /// RDMA READ.
    Read(Read),
}

/// State of rings and interrupt, and what went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostStatus {
    /// The register `HOST_STATUS`.
    pub word: u32,
}

impl HostStatus {
    fn bit(self, name: &str) -> bool {
        let field = regs::HOST_STATUS_FIELDS.iter().find(|f| f.name == name);
        field.is_some_and(|f| self.word >> f.lsb & 1 == 1)
    }

    /// A completion has raised the interrupt.
    pub fn is_pending(self) -> bool {
        self.bit("pending")
    }

    /// The completion ring is on, or not yet off.
    pub fn is_cq_on(self) -> bool {
        self.bit("cq_on")
    }

    /// Completions wait on the NIC for room in the ring.
    pub fn is_cq_full(self) -> bool {
        self.bit("cq_full")
    }

    /// The QP index of a doorbell that was refused.
    pub fn refused_doorbell(self) -> Option<u16> {
        self.bit("doorbell_refused").then_some((self.word >> 16) as u16)
    }

    /// A work request could not be read: see the completion of its QP.
    pub fn has_sq_error(self) -> bool {
        self.bit("sq_error")
    }

    /// The completion ring could not be written, and stands still: close and open it again.
    pub fn has_cq_error(self) -> bool {
        self.bit("cq_error")
    }

    /// The consumer index was refused.
    pub fn has_refused_index(self) -> bool {
        self.bit("consumer_refused")
    }
}

impl<B: HostMemory> Nic<B> {
    /// Opens the completion ring; until then completions wait for [`Nic::poll`]. The memory is the
    /// NIC's until [`Nic::close_cq`].
    pub fn open_cq(&mut self, ring: Ring) -> Result<(), Error<B::Error>> {
        if !ring.is_good(Completion::RING_BYTES) {
            return Err(Error::Argument("cq: log2 is 1..=15, the address a multiple of 16"));
        }
        // No phase of an earlier use may be left.
        for entry in 0..1_u64 << ring.log2 {
            let address = ring.address + entry * Completion::RING_BYTES;
            self.bus.store(address, &[0; 4]).map_err(Error::Bus)?;
        }
        self.write(regs::config_offset::cq_base_lo, ring.address as u32)?;
        self.write(regs::config_offset::cq_base_hi, (ring.address >> 32) as u32)?;
        self.write(regs::config_offset::cq_log2, ring.log2.into())?;
        self.cq = Some(CompletionRing { ring, read_count: 0, told_count: 0 });
        Ok(())
    }

    /// Closes the completion ring, once what is on its way has landed. The ring can be read until
    /// the next [`Nic::open_cq`]; what the NIC has not written is written to that, or waits for
    /// [`Nic::poll`].
    pub fn close_cq(&mut self) -> Result<(), Error<B::Error>> {
        self.write(regs::config_offset::cq_log2, 0)?;
        for _ in 0..COMMIT_POLLS_MAX {
            if !self.host_status()?.is_cq_on() {
                return Ok(());
            }
        }
        Err(Error::Timeout)
    }

    /// Takes the oldest completion from the ring; give it to [`Qp::complete`] of its queue pair.
    pub fn poll_cq(&mut self) -> Result<Option<Completion>, Error<B::Error>> {
        let Some(mut cq) = self.cq else {
            return Err(Error::Argument("poll_cq: no completion ring is open"));
        };
        let size = 1_u64 << cq.ring.log2;
        let place = u64::from(cq.read_count) % size;
        let phase = (u64::from(cq.read_count) / size).is_multiple_of(2);
        let address = cq.ring.address + place * Completion::RING_BYTES;
        let mut words = [0; 4];
        // The phase first: behind it the rest of the entry is there.
        self.bus.load(address + 12, &mut words[3..]).map_err(Error::Bus)?;
        if !Completion::has_phase(&words, phase) {
            return Ok(None);
        }
        self.bus.load(address, &mut words).map_err(Error::Bus)?;
        cq.read_count = cq.read_count.wrapping_add(1);
        self.cq = Some(cq);
        if u64::from(cq.read_count.wrapping_sub(cq.told_count)) * 4 >= size {
            self.tell_consumer(0)?;
        }
        Ok(Some(Completion::from_words(words)))
    }

    /// Asks for an interrupt once there is a completion that [`Nic::poll_cq`] has not returned; one
    /// that is there already counts.
    pub fn arm_cq(&mut self) -> Result<(), Error<B::Error>> {
        self.tell_consumer(1 << 16)
    }

    fn tell_consumer(&mut self, arm: u32) -> Result<(), Error<B::Error>> {
        let mut count = 0;
        if let Some(cq) = &mut self.cq {
            cq.told_count = cq.read_count;
            count = cq.read_count;
        }
        self.write(regs::CQ_CONSUMER, u32::from(count) | arm)
    }

    /// Writes work requests to the submission ring of `qp` and rings the doorbell once; the id that
    /// the completion of the first will carry, the others count up. All of them, or none.
    pub fn submit(&mut self, qp: &mut Qp, work: &[Work]) -> Result<u32, Error<B::Error>> {
        let Some(ring) = qp.ring else {
            return Err(Error::Argument("submit: the QP has no submission ring"));
        };
        let room = (1_u32 << ring.log2).saturating_sub(qp.outstanding_count());
        if work.len() > room as usize {
            return Err(Error::SendQueueFull);
        }
        let rows = || work.iter().copied().map(Work::to_row);
        rows().try_for_each(|row| check_length(&row))?;
        let first_id = qp.posted_count;
        let mut count = first_id;
        for row in rows() {
            let place = u64::from(count) % (1 << ring.log2);
            let address = ring.address + place * core::mem::size_of::<Row>() as u64;
            let words = WrRow { wr_id: count, ..row }.to_row();
            self.bus.store(address, &words).map_err(Error::Bus)?;
            count = count.wrapping_add(1);
        }
        self.write(regs::DOORBELL, u32::from(qp.flow_index) | count << 16)?;
        qp.posted_count = count;
        Ok(first_id)
    }

    /// Chooses what raises the interrupt line: completions that [`Nic::arm_cq`] asks for, errors.
    pub fn enable_interrupts(
        &mut self,
        completions: bool,
        errors: bool,
    ) -> Result<(), Error<B::Error>> {
        let value = u32::from(completions) | u32::from(errors) << 1;
        self.write(regs::config_offset::irq_enable, value)
    }

    /// State of rings and interrupt.
    pub fn host_status(&mut self) -> Result<HostStatus, Error<B::Error>> {
        Ok(HostStatus { word: self.read(regs::HOST_STATUS)? })
    }

    /// Clears what `status` reports: the pending interrupt and errors.
    pub fn clear_status(&mut self, status: HostStatus) -> Result<(), Error<B::Error>> {
        self.write(regs::HOST_CLEAR, status.word & 0xf1)
    }
}

impl Work {
    fn to_row(self) -> WrRow {
        match self {
            Self::Write(write) => write.to_row(),
            Self::Read(read) => read.to_row(),
        }
    }
}
