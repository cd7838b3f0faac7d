//! Collects the AXI4 write responses of each command and reports them in order.
//!
//! # Interface timing  m_done_valid two cycles after the command's last response was taken, until
//!                     m_done_ready; a command without bursts waits for those before it only
//! # Latency and rate  one command every 1 + bursts cycles
//! # Shape             T bits of tag, opaque. `2^D` tags wait; `D1 = D + 1`
//! # Reset             synchronous, high: idle, bready = 1, m_done_* = 0; tag and error hold their
//!                     last value while m_done_valid is low
//! # Twins             sim/models/src/golden/host/dma/write.rs, tests/host/dma_write.rs

use crate::streams::{Word, WriteDone};
use crate::util::{fifo::Fifo, skid::Skid};
use crate::{block, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Response collector of `2^D` commands with tags of `T` bits.
#[block]
pub struct DmaWriteDone<const T: usize, const D: usize, const D1: usize> {
    /// Tag of a command that is taken.
    pub s_tag: Word<In, Bits<T>>,
    /// Responses to expect for it; comes behind its tag, and is taken at once.
    pub s_bursts: Word<In, Bits<5>>,
    /// Response; bit 1 means error.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// A response is offered.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// It will be taken.
    pub m_axi_bready: Signal<Out, Bit>,
    /// A command is done.
    pub m_done: WriteDone<Out, T>,
    tags: Fifo<Bits<T>, D, D1>,
    counts: Fifo<Bits<5>, D, D1>,
    responses: Skid<Bits<1>>,
    came: Reg<Bits<5>>,
    failed: Reg<Bit>,
    done: Reg<Bit>,
    tag: Reg<Bits<T>>,
    error: Reg<Bit>,
    is_whole: Signal<Local, Bit>,
    collect: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl<const T: usize, const D: usize, const D1: usize> Logic for DmaWriteDone<T, D, D1> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.s_tag, &mut self.tags.s);
        Wire::join(&mut self.s_bursts, &mut self.counts.s);
        self.responses.s.valid.next = self.m_axi_bvalid.val();
        self.responses.s.data.next = self.m_axi_bresp.val().get_bits::<1>(1);
        self.m_axi_bready.next = self.responses.s.ready.val();
        self.m_done.valid.next = self.done.val();
        self.m_done.tag.next = self.tag.val();
        self.m_done.error.next = self.error.val();
        comment!(
            "The oldest command collects its responses; when it has all, the next one begins."
        );
        self.is_whole.next = self.came.val() == self.counts.m.data.val();
        self.collect.next =
            self.counts.m.valid.val() & !self.is_whole.val() & self.responses.m.valid.val();
        self.ends.next = self.counts.m.valid.val()
            & self.is_whole.val()
            & (self.m_done.ready.val() | !self.done.val());
        self.counts.m.ready.next = self.ends.val();
        self.tags.m.ready.next = self.ends.val();
        self.responses.m.ready.next = self.collect.val();
        if self.collect.val() {
            self.came.next = self.came.val() + 1;
            self.failed.next = self.failed.val() | self.responses.m.data.val().any();
        }
        if self.m_done.ready.val() {
            self.done.next = false;
        }
        if self.ends.val() {
            self.done.next = true;
            self.tag.next = self.tags.m.data.val();
            self.error.next = self.failed.val();
            self.came.next = 0.into();
            self.failed.next = false;
        }
    }
}
