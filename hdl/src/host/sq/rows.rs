//! Rows on their way to the requester: fetched work requests, and what software commits.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: last beat of a work request; cycle 1: m_cfg_valid. hint is valid
//!                     from its first beat until it leaves
//! # Latency and rate  [`latency_cycles`]; one work request every 3 cycles and its beats. A work request that has
//!                     come goes before a committed row; a queue pair row waits until no fetch is
//!                     under way, and is answered when what has retired before it has been counted
//! # Shape             a beat brings `P` bits of the 320 that are of use, `B = P + 2`
//! # Reset             synchronous, high: nothing under way
//! # Twins             sim/models/src/golden/host/sq/fetch.rs, tests/host/sq_fetch.rs

use crate::host::sq::book::SqOp;
use crate::streams::{CommittedRow, ConfigRow, Doorbell, LostRequest, Offer};
use crate::{block, kernel, Reg, Regs};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

/// Bits of a work request that are of use.
pub const WR_BITS: usize = 320;

/// Cycles from the first beat of a work request to the row, with `P` bits a beat.
pub const fn latency_cycles(part_bits: usize) -> usize {
    WR_BITS / part_bits
}

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
#[block(check(OW == FB + 16, B == P + 2, WR_BITS.is_multiple_of(P)))]
pub struct SqRows<const P: usize, const B: usize, const FB: usize, const OW: usize> {
    /// A committed row waits for the requester.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A row for the requester.
    pub m_cfg: ConfigRow<Out>,
    /// A beat of a work request. It is taken while a row fills,
    /// and where nothing is at hand and there is an order.
    pub beat_valid: Signal<In, Bit>,
    /// A work request is being put together.
    pub fills: Signal<Out, Bit>,
    /// The beat: error, last, data from high to low.
    pub beat: Signal<In, Bits<B>>,
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
    pub m_cqe: LostRequest<Out>,
    /// A work request could not be read.
    pub event_failed: Signal<Out, Bit>,
    /// A committed work request was dropped: its queue pair has a ring.
    pub event_refused: Signal<Out, Bit>,
    #[reset(RowsState::Wait)]
    state: Reg<RowsState>,
    row: Reg<Bits<320>>,
    word_10: Reg<Bits<32>>,
    row_table: Reg<Bits<2>>,
    index: Reg<Bits<16>>,
    is_fetched: Reg<Bit>,
    guards: Reg<Bit>,
    holds: Reg<Bit>,
    cqe: Doorbell<Regs>,
    failed: Reg<Bit>,
    refused: Reg<Bit>,
    is_qp: Signal<Local, Bit>,
    part: Signal<Local, Bits<320>>,
    part_placed: Signal<Local, Bits<320>>,
    row_moved: Signal<Local, Bits<320>>,
    filled: Signal<Local, RowsState>,
    order_index: Signal<Local, Bits<16>>,
    order_flow: Signal<Local, Bits<FB>>,
    #[value(P as u64)]
    part_bits: Constant<Bits<10>>,
    #[value((WR_BITS - P) as u64)]
    part_at: Constant<Bits<10>>,
    #[value(P as u64)]
    last_at: Constant<Bits<10>>,
    #[value(P as u64 + 1)]
    error_at: Constant<Bits<10>>,
    #[init(Constant::new((Table::Qp as u64).to_bits()))]
    qp_table: Constant<Bits<2>>,
    #[init(Constant::new((Table::Wr as u64).to_bits()))]
    wr_table: Constant<Bits<2>>,
}

#[kernel]
impl<const P: usize, const B: usize, const FB: usize, const OW: usize> SqRows<P, B, FB, OW> {
    fn update(&mut self) {
        self.outputs();
        self.parts();
        self.steps();
    }

    fn outputs(&mut self) {
        self.m_cfg.valid.next = self.state.val() == RowsState::Offer;
        self.m_cfg.table.next = self.row_table.val();
        self.m_cfg.index.next = self.index.val();
        self.m_cfg.row.next =
            bit_cast::<512, 320>(self.row.val()) | (bit_cast::<512, 32>(self.word_10.val()) << 320);
        self.s_cfg.ready.next = self.state.val() == RowsState::Ack;
        self.fills.next = self.state.val() == RowsState::Fill;
        self.hint_valid.next = self.is_fetched.val()
            & ((self.state.val() == RowsState::Fill)
                | (self.state.val() == RowsState::Came)
                | (self.state.val() == RowsState::Offer));
        self.slot_free.next = self.state.val() == RowsState::Drop;
        self.order_ready.next = self.state.val() == RowsState::Drop;
        self.hold.next = self.holds.val();
        self.m_cqe.valid.next = self.cqe.valid.val();
        self.m_cqe.flow.next = self.cqe.flow.val();
        self.m_cqe.wr_id.next = bit_cast::<32, 16>(self.cqe.index.val());
        self.event_failed.next = self.failed.val();
        self.event_refused.next = self.refused.val();
        self.is_qp.next = self.cfg.table.val() == self.qp_table.val();
        comment!("operation on the books");
        self.waits.next = self.state.val() == RowsState::Wait;
        self.row_valid.next = (self.state.val() == RowsState::Came)
            | (self.state.val() == RowsState::Failed)
            | (self.state.val() == RowsState::Look)
            | (self.state.val() == RowsState::NewQp);
        self.row_op.next = SqOp::Came;
        if self.state.val() == RowsState::Failed {
            self.row_op.next = SqOp::Failed;
        } else if self.state.val() == RowsState::Look {
            self.row_op.next = SqOp::Look;
        } else if self.state.val() == RowsState::NewQp {
            self.row_op.next = SqOp::NewQp;
        }
        self.row_flow.next = bit_cast::<FB, 16>(self.index.val());
        self.holds.next =
            self.s_cfg.valid.val() & self.is_qp.val() & (self.state.val() != RowsState::Ack);
        self.order_index.next = self.order.val().get_bits::<16>(0);
        self.order_flow.next = self.order.val().get_bits::<FB>(16);
    }

    /// A beat that is taken moves into the row from the top; the last one fills it.
    fn parts(&mut self) {
        self.part.next = bit_cast::<320, P>(self.beat.val().get_bits::<P>(0));
        self.part_placed.next = self.part.val() << self.part_at.val();
        self.row_moved.next = self.row.val() >> self.part_bits.val();
        self.filled.next = RowsState::Fill;
        if self.beat.val().get_bit(self.last_at.val().index()) {
            self.filled.next = RowsState::Offer;
            if self.beat.val().get_bit(self.error_at.val().index()) {
                self.filled.next = RowsState::Failed;
            } else if self.guards.val() {
                self.filled.next = RowsState::Came;
            }
        }
    }

    fn steps(&mut self) {
        self.failed.next = false;
        self.refused.next = false;
        if self.m_cqe.ready.val() {
            self.cqe.valid.next = false;
        }
        match self.state.val() {
            RowsState::Wait => {
                comment!("Behind a failed fetch each one is looked at until all of them are in.");
                if !self.order_valid.val() {
                    self.guards.next = false;
                }
                self.is_fetched.next = false;
                self.row_table.next = self.cfg.table.val();
                self.index.next = self.cfg.index.val();
                self.row.next = self.cfg.row.val().wr_words;
                self.word_10.next = self.cfg.row.val().qp_limits;
                if self.order_valid.val() & self.beat_valid.val() {
                    self.is_fetched.next = true;
                    self.row.next = self.part_placed.val();
                    self.word_10.next = 0.into();
                    self.row_table.next = self.wr_table.val();
                    self.index.next = bit_cast::<16, FB>(self.order_flow.val());
                    self.state.next = self.filled.val();
                } else if self.looks.val() {
                    self.state.next = RowsState::Look;
                } else if self.s_cfg.valid.val() & self.drained.val() {
                    self.state.next = RowsState::Offer;
                }
            }
            RowsState::Fill => {
                if self.beat_valid.val() {
                    self.row.next = self.row_moved.val() | self.part_placed.val();
                    self.state.next = self.filled.val();
                }
            }
            RowsState::Came => {
                if self.row_done.val() {
                    self.state.next = RowsState::Offer;
                    if self.row_stopped.val() {
                        self.state.next = RowsState::Drop;
                    }
                }
            }
            RowsState::Failed => {
                if self.row_done.val() {
                    self.failed.next = true;
                    self.state.next = RowsState::Report;
                    if self.row_stopped.val() {
                        self.state.next = RowsState::Drop;
                    }
                }
            }
            RowsState::Report => {
                self.guards.next = true;
                if !self.cqe.valid.val() {
                    self.cqe.valid.next = true;
                    self.cqe.flow.next = self.index.val();
                    self.cqe.index.next = self.order_index.val();
                    self.state.next = RowsState::Drop;
                }
            }
            RowsState::Drop => {
                self.state.next = RowsState::Wait;
            }
            RowsState::Look => {
                if self.row_done.val() {
                    self.refused.next = self.row_has_ring.val();
                    self.state.next = RowsState::Offer;
                    if self.row_has_ring.val() {
                        self.state.next = RowsState::Ack;
                    }
                }
            }
            RowsState::Offer => {
                if self.m_cfg.ready.val() {
                    self.state.next = RowsState::Ack;
                    if self.is_fetched.val() {
                        self.state.next = RowsState::Drop;
                    } else if self.is_qp.val() {
                        self.state.next = RowsState::Quiet;
                    }
                }
            }
            RowsState::Quiet => {
                if self.is_quiet.val() {
                    self.state.next = RowsState::NewQp;
                }
            }
            RowsState::NewQp => {
                if self.row_done.val() {
                    self.state.next = RowsState::Ack;
                }
            }
            RowsState::Ack => {
                self.state.next = RowsState::Gap;
            }
            RowsState::Gap => {
                comment!("The row that was taken still stands in the cycle of Ack.");
                self.state.next = RowsState::Wait;
            }
        }
    }
}
