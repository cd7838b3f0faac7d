//! Rows on their way to the requester: fetched work requests, and what software commits.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: first beat of a work request; cycle 5: m_cfg_valid. hint is valid
//!                     from its first beat until it leaves
//! # Latency and rate  [`LATENCY_CYCLES`]; one work request every 8 cycles. A work request that has
//!                     come goes before a committed row; a queue pair row waits until no fetch is
//!                     under way, and is answered when what has retired before it has been counted
//! # Reset             synchronous, high: nothing under way
//! # Twins             sim/models/src/golden/host/sq/fetch.rs, tests/host/sq_fetch.rs

use crate::host::sq::book::SqOp;
use crate::streams::{CommittedRow, ConfigRow, Doorbell, LostRequest, Offer};
use crate::{block, kernel, row, Reg, Regs};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

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

/// A beat of a work request.
#[row]
pub struct BeatRow {
    pub data: Bits<64>, // Bytes
    pub last: Bit,      // It is the last one
    pub error: Bit,     // The memory reported an error
}

/// Rows of `2^FB` flows; `OW = FB + 16`.
#[block(check(OW == FB + 16))]
pub struct SqRows<const FB: usize, const OW: usize> {
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
    /// The beat.
    pub beat: Signal<In, BeatRow>,
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
    beat_data: Signal<Local, Bits<64>>,
    beat_wide: Signal<Local, Bits<320>>,
    order_index: Signal<Local, Bits<16>>,
    order_flow: Signal<Local, Bits<FB>>,
    #[init(Constant::new((Table::Qp as u64).to_bits()))]
    qp_table: Constant<Bits<2>>,
    #[init(Constant::new((Table::Wr as u64).to_bits()))]
    wr_table: Constant<Bits<2>>,
}

#[kernel]
impl<const FB: usize, const OW: usize> SqRows<FB, OW> {
    fn update(&mut self) {
        self.outputs();
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
        self.beat_data.next = self.beat.val().data;
        self.beat_wide.next = bit_cast::<320, 64>(self.beat_data.val());
        self.order_index.next = self.order.val().get_bits::<16>(0);
        self.order_flow.next = self.order.val().get_bits::<FB>(16);
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
                    self.row.next = self.beat_wide.val() << 256;
                    self.word_10.next = 0.into();
                    self.row_table.next = self.wr_table.val();
                    self.index.next = bit_cast::<16, FB>(self.order_flow.val());
                    self.state.next = RowsState::Fill;
                } else if self.looks.val() {
                    self.state.next = RowsState::Look;
                } else if self.s_cfg.valid.val() & self.drained.val() {
                    self.state.next = RowsState::Offer;
                }
            }
            RowsState::Fill => {
                if self.beat_valid.val() {
                    self.row.next = (self.row.val() >> 64) | (self.beat_wide.val() << 256);
                    if self.beat.val().last {
                        self.state.next = RowsState::Offer;
                        if self.beat.val().error {
                            self.state.next = RowsState::Failed;
                        } else if self.guards.val() {
                            self.state.next = RowsState::Came;
                        }
                    }
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
