//! Rows on their way to the requester: fetched work requests, and what software commits.
//!
//! # Source            ARCHITECTURE.md, Rings
//! # Interface timing  cycle 0: first beat of a work request; cycle 5: m_cfg_valid. hint is valid
//!                     from its first beat until it leaves
//! # Latency and rate  [`LATENCY_CYCLES`]; one work request every 8 cycles. A work request that has
//!                     come goes before a committed row; a queue pair row waits until no fetch is
//!                     under way, and is answered when what has retired before it has been counted
//! # Reset             synchronous, high: nothing under way
//! # Twins             sim/src/golden/host/sq_fetch.rs, tests/sq_fetch.rs

use super::sq_book::SqOp;
use crate::Module;
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from the first beat of a work request to the row.
pub const LATENCY_CYCLES: usize = 6;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum RowsState {
    Wait,
    Fill,
    Came,
    Failed,
    Report,
    Drop,
    Look,
    Offer,
    Quiet,
    NewQp,
    Ack,
    Gap,
}

/// Rows of `2^FB` flows; `OW = FB + 16`.
#[derive(LogicBlock)]
pub struct SqRows<const FB: usize, const OW: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A committed row waits for the requester.
    pub s_cfg_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_cfg_ready: Signal<Out, Bit>,
    /// Its table.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Its index.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, Bits<512>>,
    /// A row for the requester.
    pub m_cfg_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_ready: Signal<In, Bit>,
    /// Its table.
    pub m_cfg_table: Signal<Out, Bits<2>>,
    /// Its index.
    pub m_cfg_index: Signal<Out, Bits<16>>,
    /// The row, words 0 to 10. What follows in a queue pair row is the ring's: 0 here.
    pub m_cfg_row: Signal<Out, Bits<512>>,
    /// A beat of a work request: error, last, data from the top. It is taken while a row fills,
    /// and where nothing is at hand and there is an order.
    pub beat_valid: Signal<In, Bit>,
    /// A work request is being put together.
    pub fills: Signal<Out, Bit>,
    /// The beat.
    pub beat: Signal<In, Bits<66>>,
    /// Who has asked for it: flow, index from the top.
    pub order_valid: Signal<In, Bit>,
    /// It is done with.
    pub order_ready: Signal<Out, Bit>,
    /// Flow and index.
    pub order: Signal<In, Bits<OW>>,
    /// A work request for this flow is coming.
    pub hint_valid: Signal<Out, Bit>,
    /// Nothing is at hand.
    pub waits: Signal<Out, Bit>,
    /// Nothing is at hand and none has come, but a work request is committed: its flow is being
    /// looked up.
    pub looks: Signal<In, Bit>,
    /// Operation on the flow's books.
    pub row_valid: Signal<Out, Bit>,
    /// Which.
    pub row_op: Signal<Out, SqOp>,
    /// Flow index.
    pub row_flow: Signal<Out, Bits<FB>>,
    /// Done.
    pub row_done: Signal<In, Bit>,
    /// With it: the flow has a ring.
    pub row_has_ring: Signal<In, Bit>,
    /// With it: a fetch of the flow had failed before.
    pub row_stopped: Signal<In, Bit>,
    /// No more fetches.
    pub hold: Signal<Out, Bit>,
    /// Held, and no fetch is under way.
    pub drained: Signal<In, Bit>,
    /// A fetched work request has left.
    pub slot_free: Signal<Out, Bit>,
    /// Nothing has retired that is not counted.
    pub is_quiet: Signal<In, Bit>,
    /// A work request could not be read.
    pub m_cqe_valid: Signal<Out, Bit>,
    /// Taken.
    pub m_cqe_ready: Signal<In, Bit>,
    /// Flow index.
    pub m_cqe_flow: Signal<Out, Bits<16>>,
    /// Index of the work request.
    pub m_cqe_wr_id: Signal<Out, Bits<32>>,
    /// A work request could not be read.
    pub event_failed: Signal<Out, Bit>,
    /// A committed work request was dropped: its queue pair has a ring.
    pub event_refused: Signal<Out, Bit>,
    state: DFF<RowsState>,
    row: DFF<Bits<320>>,
    word_10: DFF<Bits<32>>,
    row_table: DFF<Bits<2>>,
    index: DFF<Bits<16>>,
    is_fetched: DFF<Bit>,
    guards: DFF<Bit>,
    holds: DFF<Bit>,
    cqe_valid: DFF<Bit>,
    cqe_flow: DFF<Bits<16>>,
    cqe_index: DFF<Bits<16>>,
    failed: DFF<Bit>,
    refused: DFF<Bit>,
    is_qp: Signal<Local, Bit>,
    beat_data: Signal<Local, Bits<64>>,
    beat_wide: Signal<Local, Bits<320>>,
    order_index: Signal<Local, Bits<16>>,
    order_flow: Signal<Local, Bits<FB>>,
    qp_table: Constant<Bits<2>>,
    wr_table: Constant<Bits<2>>,
}

impl<const FB: usize, const OW: usize> Default for SqRows<FB, OW> {
    fn default() -> Self {
        assert_eq!(OW, FB + 16);
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_cfg_valid: Default::default(),
            s_cfg_ready: Default::default(),
            cfg_table: Default::default(),
            cfg_index: Default::default(),
            cfg_row: Default::default(),
            m_cfg_valid: Default::default(),
            m_cfg_ready: Default::default(),
            m_cfg_table: Default::default(),
            m_cfg_index: Default::default(),
            m_cfg_row: Default::default(),
            beat_valid: Default::default(),
            fills: Default::default(),
            beat: Default::default(),
            order_valid: Default::default(),
            order_ready: Default::default(),
            order: Default::default(),
            hint_valid: Default::default(),
            waits: Default::default(),
            looks: Default::default(),
            row_valid: Default::default(),
            row_op: Default::default(),
            row_flow: Default::default(),
            row_done: Default::default(),
            row_has_ring: Default::default(),
            row_stopped: Default::default(),
            hold: Default::default(),
            drained: Default::default(),
            slot_free: Default::default(),
            is_quiet: Default::default(),
            m_cqe_valid: Default::default(),
            m_cqe_ready: Default::default(),
            m_cqe_flow: Default::default(),
            m_cqe_wr_id: Default::default(),
            event_failed: Default::default(),
            event_refused: Default::default(),
            state: Default::default(),
            row: Default::default(),
            word_10: Default::default(),
            row_table: Default::default(),
            index: Default::default(),
            is_fetched: Default::default(),
            guards: Default::default(),
            holds: Default::default(),
            cqe_valid: Default::default(),
            cqe_flow: Default::default(),
            cqe_index: Default::default(),
            failed: Default::default(),
            refused: Default::default(),
            is_qp: Default::default(),
            beat_data: Default::default(),
            beat_wide: Default::default(),
            order_index: Default::default(),
            order_flow: Default::default(),
            qp_table: Constant::new((Table::Qp as u64).to_bits()),
            wr_table: Constant::new((Table::Wr as u64).to_bits()),
        }
    }
}

impl<const FB: usize, const OW: usize> Logic for SqRows<FB, OW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, row, word_10, row_table, index, is_fetched, guards, holds,
            cqe_valid, cqe_flow, cqe_index, failed, refused
        );
        self.m_cfg_valid.next = self.state.q.val() == RowsState::Offer;
        self.m_cfg_table.next = self.row_table.q.val();
        self.m_cfg_index.next = self.index.q.val();
        self.m_cfg_row.next = bit_cast::<512, 320>(self.row.q.val())
            | (bit_cast::<512, 32>(self.word_10.q.val()) << 320);
        self.s_cfg_ready.next = self.state.q.val() == RowsState::Ack;
        self.fills.next = self.state.q.val() == RowsState::Fill;
        self.hint_valid.next = self.is_fetched.q.val()
            & ((self.state.q.val() == RowsState::Fill)
                | (self.state.q.val() == RowsState::Came)
                | (self.state.q.val() == RowsState::Offer));
        self.slot_free.next = self.state.q.val() == RowsState::Drop;
        self.order_ready.next = self.state.q.val() == RowsState::Drop;
        self.hold.next = self.holds.q.val();
        self.m_cqe_valid.next = self.cqe_valid.q.val();
        self.m_cqe_flow.next = self.cqe_flow.q.val();
        self.m_cqe_wr_id.next = bit_cast::<32, 16>(self.cqe_index.q.val());
        self.event_failed.next = self.failed.q.val();
        self.event_refused.next = self.refused.q.val();
        self.is_qp.next = self.cfg_table.val() == self.qp_table.val();
        comment!("operation on the books");
        self.waits.next = self.state.q.val() == RowsState::Wait;
        self.row_valid.next = (self.state.q.val() == RowsState::Came)
            | (self.state.q.val() == RowsState::Failed)
            | (self.state.q.val() == RowsState::Look)
            | (self.state.q.val() == RowsState::NewQp);
        self.row_op.next = SqOp::Came;
        if self.state.q.val() == RowsState::Failed {
            self.row_op.next = SqOp::Failed;
        } else if self.state.q.val() == RowsState::Look {
            self.row_op.next = SqOp::Look;
        } else if self.state.q.val() == RowsState::NewQp {
            self.row_op.next = SqOp::NewQp;
        }
        self.row_flow.next = bit_cast::<FB, 16>(self.index.q.val());
        self.holds.d.next =
            self.s_cfg_valid.val() & self.is_qp.val() & (self.state.q.val() != RowsState::Ack);
        self.beat_data.next = self.beat.val().get_bits::<64>(0);
        self.beat_wide.next = bit_cast::<320, 64>(self.beat_data.val());
        self.order_index.next = self.order.val().get_bits::<16>(0);
        self.order_flow.next = self.order.val().get_bits::<FB>(16);
        self.failed.d.next = false;
        self.refused.d.next = false;
        if self.m_cqe_ready.val() {
            self.cqe_valid.d.next = false;
        }
        match self.state.q.val() {
            RowsState::Wait => {
                comment!("Behind a failed fetch each one is looked at until all of them are in.");
                if !self.order_valid.val() {
                    self.guards.d.next = false;
                }
                self.is_fetched.d.next = false;
                self.row_table.d.next = self.cfg_table.val();
                self.index.d.next = self.cfg_index.val();
                self.row.d.next = self.cfg_row.val().get_bits::<320>(0);
                self.word_10.d.next = self.cfg_row.val().get_bits::<32>(320);
                if self.order_valid.val() & self.beat_valid.val() {
                    self.is_fetched.d.next = true;
                    self.row.d.next = self.beat_wide.val() << 256;
                    self.word_10.d.next = 0.into();
                    self.row_table.d.next = self.wr_table.val();
                    self.index.d.next = bit_cast::<16, FB>(self.order_flow.val());
                    self.state.d.next = RowsState::Fill;
                } else if self.looks.val() {
                    self.state.d.next = RowsState::Look;
                } else if self.s_cfg_valid.val() & self.drained.val() {
                    self.state.d.next = RowsState::Offer;
                }
            }
            RowsState::Fill => {
                if self.beat_valid.val() {
                    self.row.d.next = (self.row.q.val() >> 64) | (self.beat_wide.val() << 256);
                    if self.beat.val().get_bit(64) {
                        self.state.d.next = RowsState::Offer;
                        if self.beat.val().get_bit(65) {
                            self.state.d.next = RowsState::Failed;
                        } else if self.guards.q.val() {
                            self.state.d.next = RowsState::Came;
                        }
                    }
                }
            }
            RowsState::Came => {
                if self.row_done.val() {
                    self.state.d.next = RowsState::Offer;
                    if self.row_stopped.val() {
                        self.state.d.next = RowsState::Drop;
                    }
                }
            }
            RowsState::Failed => {
                if self.row_done.val() {
                    self.failed.d.next = true;
                    self.state.d.next = RowsState::Report;
                    if self.row_stopped.val() {
                        self.state.d.next = RowsState::Drop;
                    }
                }
            }
            RowsState::Report => {
                self.guards.d.next = true;
                if !self.cqe_valid.q.val() {
                    self.cqe_valid.d.next = true;
                    self.cqe_flow.d.next = self.index.q.val();
                    self.cqe_index.d.next = self.order_index.val();
                    self.state.d.next = RowsState::Drop;
                }
            }
            RowsState::Drop => {
                self.state.d.next = RowsState::Wait;
            }
            RowsState::Look => {
                if self.row_done.val() {
                    self.refused.d.next = self.row_has_ring.val();
                    self.state.d.next = RowsState::Offer;
                    if self.row_has_ring.val() {
                        self.state.d.next = RowsState::Ack;
                    }
                }
            }
            RowsState::Offer => {
                if self.m_cfg_ready.val() {
                    self.state.d.next = RowsState::Ack;
                    if self.is_fetched.q.val() {
                        self.state.d.next = RowsState::Drop;
                    } else if self.is_qp.val() {
                        self.state.d.next = RowsState::Quiet;
                    }
                }
            }
            RowsState::Quiet => {
                if self.is_quiet.val() {
                    self.state.d.next = RowsState::NewQp;
                }
            }
            RowsState::NewQp => {
                if self.row_done.val() {
                    self.state.d.next = RowsState::Ack;
                }
            }
            RowsState::Ack => {
                self.state.d.next = RowsState::Gap;
            }
            RowsState::Gap => {
                comment!("The row that was taken still stands in the cycle of Ack.");
                self.state.d.next = RowsState::Wait;
            }
        }
        if self.reset.val() {
            self.state.d.next = RowsState::Wait;
            self.row.d.next = 0.into();
            self.word_10.d.next = 0.into();
            self.row_table.d.next = 0.into();
            self.index.d.next = 0.into();
            self.is_fetched.d.next = false;
            self.guards.d.next = false;
            self.holds.d.next = false;
            self.cqe_valid.d.next = false;
            self.cqe_flow.d.next = 0.into();
            self.cqe_index.d.next = 0.into();
            self.failed.d.next = false;
            self.refused.d.next = false;
        }
    }
}
