//! Collects the AXI4 write responses of each command and reports them in order.
//!
//! # Interface timing  m_done_valid two cycles after the command's last response was taken, until
//!                     m_done_ready; a command without bursts waits for those before it only
//! # Latency and rate  one command every 4 + bursts cycles
//! # Shape             T bits of tag, opaque. Eight commands wait
//! # Reset             synchronous, high: idle, bready = 1, m_done_* = 0; the tag shows the command
//!                     that is being collected
//! # Twins             sim/models/src/golden/host/dma/write.rs, tests/host/dma_write.rs

use crate::streams::WriteDone;
use crate::util::{fifo::Fifo, skid::Skid};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Response collector with tags of `T` bits.
#[block]
pub struct DmaWriteDone<const T: usize> {
    /// A command has been cut into bursts.
    pub s_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_ready: Signal<Out, Bit>,
    /// Tag of the command.
    pub s_tag: Signal<In, Bits<T>>,
    /// Responses to expect.
    pub s_bursts: Signal<In, Bits<5>>,
    /// Response; bit 1 means error.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// A response is offered.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// It will be taken.
    pub m_axi_bready: Signal<Out, Bit>,
    /// A command is done.
    pub m_done: WriteDone<Out, T>,
    tags: Fifo<Bits<T>, 3, 4>,
    counts: Fifo<Bits<5>, 3, 4>,
    responses: Skid<Bits<1>>,
    busy: Reg<Bit>,
    done: Reg<Bit>,
    left: Unreset<Bits<5>>,
    tag: Reg<Bits<T>>,
    error: Reg<Bit>,
    start: Signal<Local, Bit>,
    collect: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    #[value(0)]
    none_left: Constant<Bits<5>>,
}

impl<const T: usize> Logic for DmaWriteDone<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.tags.s.valid.next = self.s_valid.val();
        self.tags.s.data.next = self.s_tag.val();
        self.counts.s.valid.next = self.s_valid.val();
        self.counts.s.data.next = self.s_bursts.val();
        self.s_ready.next = self.counts.s.ready.val();
        self.responses.s.valid.next = self.m_axi_bvalid.val();
        self.responses.s.data.next = self.m_axi_bresp.val().get_bits::<1>(1);
        self.m_axi_bready.next = self.responses.s.ready.val();
        self.m_done.valid.next = self.done.val();
        self.m_done.tag.next = self.tag.val();
        self.m_done.error.next = self.error.val();
        self.complete.next = self.left.val() == self.none_left.val();
        self.start.next = self.counts.m.valid.val() & !self.busy.val();
        self.collect.next = self.busy.val() & !self.complete.val() & self.responses.m.valid.val();
        self.counts.m.ready.next = self.start.val();
        self.tags.m.ready.next = self.start.val();
        self.responses.m.ready.next = self.collect.val();
        if self.start.val() {
            self.busy.next = true;
            self.left.next = self.counts.m.data.val();
            self.tag.next = self.tags.m.data.val();
            self.error.next = false;
        }
        if self.collect.val() {
            self.left.next = self.left.val() - 1;
            self.error.next = self.error.val() | self.responses.m.data.val().any();
        }
        if self.busy.val() & self.complete.val() {
            self.done.next = true;
        }
        if self.done.val() & self.m_done.ready.val() {
            self.done.next = false;
            self.busy.next = false;
        }
    }
}
