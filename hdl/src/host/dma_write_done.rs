//! Collects the AXI4 write responses of each command and reports them in order.
//!
//! # Interface timing  m_done_valid two cycles after the command's last response was taken, until
//!                     m_done_ready; a command without bursts waits for those before it only
//! # Latency and rate  one command every 4 + bursts cycles
//! # Shape             T bits of tag, opaque. Eight commands wait
//! # Reset             synchronous, high: idle, bready = 1, m_done_* = 0; the tag shows the command
//!                     that is being collected
//! # Twins             sim/src/golden/host/dma_write.rs, tests/dma_write.rs

use crate::util::{fifo::Fifo, skid::Skid};
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Response collector with tags of `T` bits.
#[derive(LogicBlock)]
pub struct DmaWriteDone<const T: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    pub m_done_valid: Signal<Out, Bit>,
    /// The report is taken.
    pub m_done_ready: Signal<In, Bit>,
    /// Tag of the command.
    pub m_done_tag: Signal<Out, Bits<T>>,
    /// One of its bursts failed.
    pub m_done_error: Signal<Out, Bit>,
    tags: Fifo<T, 3, 4>,
    counts: Fifo<5, 3, 4>,
    responses: Skid<1>,
    busy: DFF<Bit>,
    done: DFF<Bit>,
    left: DFF<Bits<5>>,
    tag: DFF<Bits<T>>,
    error: DFF<Bit>,
    start: Signal<Local, Bit>,
    collect: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    none_left: Constant<Bits<5>>,
}

impl<const T: usize> Default for DmaWriteDone<T> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_ready: Default::default(),
            s_tag: Default::default(),
            s_bursts: Default::default(),
            m_axi_bresp: Default::default(),
            m_axi_bvalid: Default::default(),
            m_axi_bready: Default::default(),
            m_done_valid: Default::default(),
            m_done_ready: Default::default(),
            m_done_tag: Default::default(),
            m_done_error: Default::default(),
            tags: Default::default(),
            counts: Default::default(),
            responses: Default::default(),
            busy: Default::default(),
            done: Default::default(),
            left: Default::default(),
            tag: Default::default(),
            error: Default::default(),
            start: Default::default(),
            collect: Default::default(),
            complete: Default::default(),
            none_left: Constant::new(0.into()),
        }
    }
}

impl<const T: usize> Logic for DmaWriteDone<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, done, left, tag, error);
        self.tags.clock.next = self.clock.val();
        self.tags.reset.next = self.reset.val();
        self.counts.clock.next = self.clock.val();
        self.counts.reset.next = self.reset.val();
        self.responses.clock.next = self.clock.val();
        self.responses.reset.next = self.reset.val();
        self.tags.s_valid.next = self.s_valid.val();
        self.tags.s_data.next = self.s_tag.val();
        self.counts.s_valid.next = self.s_valid.val();
        self.counts.s_data.next = self.s_bursts.val();
        self.s_ready.next = self.counts.s_ready.val();
        self.responses.s_valid.next = self.m_axi_bvalid.val();
        self.responses.s_data.next = self.m_axi_bresp.val().get_bits::<1>(1);
        self.m_axi_bready.next = self.responses.s_ready.val();
        self.m_done_valid.next = self.done.q.val();
        self.m_done_tag.next = self.tag.q.val();
        self.m_done_error.next = self.error.q.val();
        self.complete.next = self.left.q.val() == self.none_left.val();
        self.start.next = self.counts.m_valid.val() & !self.busy.q.val();
        self.collect.next = self.busy.q.val() & !self.complete.val() & self.responses.m_valid.val();
        self.counts.m_ready.next = self.start.val();
        self.tags.m_ready.next = self.start.val();
        self.responses.m_ready.next = self.collect.val();
        if self.start.val() {
            self.busy.d.next = true;
            self.left.d.next = self.counts.m_data.val();
            self.tag.d.next = self.tags.m_data.val();
            self.error.d.next = false;
        }
        if self.collect.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.error.d.next = self.error.q.val() | self.responses.m_data.val().any();
        }
        if self.busy.q.val() & self.complete.val() {
            self.done.d.next = true;
        }
        if self.done.q.val() & self.m_done_ready.val() {
            self.done.d.next = false;
            self.busy.d.next = false;
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.done.d.next = false;
            self.tag.d.next = 0.into();
            self.error.d.next = false;
        }
    }
}
