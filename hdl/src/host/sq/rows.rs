//! Rows on their way to the requester: fetched work requests, and what software commits.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: last beat of a work request; cycle 1: m_cfg_valid. hint is valid
//!                     from its first beat until it leaves
//! # Latency and rate  [`latency_cycles`]; of a read of work requests of a beat each one every 2
//!                     cycles and 2 more, else one every 3 cycles and its beats. A work request that
//!                     has come goes before a committed row; a queue pair row waits until no fetch
//!                     is under way, and is answered when what has retired before it has been
//!                     counted
//! # Shape             a beat brings `W` bits, `B = W + 1`; `OW = FB + 16 + NB`
//! # Reset             synchronous, high: nothing under way
//! # Twins             sim/models/src/golden/host/sq/fetch.rs, tests/host/sq_fetch.rs

use crate::host::sq::book::SqOp;
use crate::streams::{CommittedRow, ConfigRow, Doorbell, LostRequest, Offer};
use crate::{block, kernel, Reg, Regs};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

/// Bits of a work request.
pub const WR_BITS: usize = 512;

/// Cycles from the first beat of a work request to the row, with so many bits a beat.
pub const fn latency_cycles(data_bits: usize) -> usize {
    WR_BITS / data_bits
}

/// Beats of `2^entries_log2` work requests, log2.
pub const fn beats_log2(entries_log2: usize, data_bits: usize) -> usize {
    entries_log2 + (WR_BITS / data_bits).ilog2() as usize
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

/// Rows of `2^FB` flows; `OW = FB + 16 + NB`.
#[block(mealy, check(OW == FB + 16 + NB, B == W + 1, WR_BITS.is_multiple_of(W)))]
pub struct SqRows<const W: usize, const B: usize, const NB: usize, const FB: usize, const OW: usize>
{
    /// A committed row waits for the requester.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A row for the requester.
    pub m_cfg: ConfigRow<Out>,
    /// A beat of a work request.
    pub beat_valid: Signal<In, Bit>,
    /// It is taken while a row fills, where nothing is at hand and there is an order, and as the row
    /// before it of the same order leaves.
    pub takes: Signal<Out, Bit>,
    /// The beat: error, data from high to low.
    pub beat: Signal<In, Bits<B>>,
    /// Who has asked for it: flow, index from the top.
    pub order_valid: Signal<In, Bit>,
    /// It is done with.
    pub order_ready: Signal<Out, Bit>,
    /// How many, flow, index of the first.
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
    /// What the order is for has left.
    pub slots_free: Signal<Out, Bit>,
    /// So many.
    pub slots_count: Signal<Out, Bits<NB>>,
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
    row: Reg<Bits<512>>,
    row_table: Reg<Bits<2>>,
    index: Reg<Bits<16>>,
    part_count: Reg<Bits<4>>,
    count: Reg<Bits<NB>>,
    is_fetched: Reg<Bit>,
    guards: Reg<Bit>,
    holds: Reg<Bit>,
    cqe: Doorbell<Regs>,
    failed: Reg<Bit>,
    refused: Reg<Bit>,
    is_qp: Signal<Local, Bit>,
    is_more: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    left: Signal<Local, RowsState>,
    loads: Signal<Local, Bit>,
    part: Signal<Local, Bits<512>>,
    part_placed: Signal<Local, Bits<512>>,
    row_moved: Signal<Local, Bits<512>>,
    filled: Signal<Local, RowsState>,
    order_index: Signal<Local, Bits<16>>,
    order_flow: Signal<Local, Bits<FB>>,
    order_count: Signal<Local, Bits<NB>>,
    next_count: Signal<Local, Bits<NB>>,
    #[value(W as u64)]
    part_bits: Constant<Bits<10>>,
    #[value((WR_BITS - W) as u64)]
    part_at: Constant<Bits<10>>,
    #[value((WR_BITS / W - 1) as u64)]
    last_part: Constant<Bits<4>>,
    #[value(W as u64)]
    error_at: Constant<Bits<10>>,
    #[value(16 + FB as u64)]
    count_at: Constant<Bits<6>>,
    #[init(Constant::new((Table::Qp as u64).to_bits()))]
    qp_table: Constant<Bits<2>>,
    #[init(Constant::new((Table::Wr as u64).to_bits()))]
    wr_table: Constant<Bits<2>>,
}

#[kernel]
impl<const W: usize, const B: usize, const NB: usize, const FB: usize, const OW: usize>
    SqRows<W, B, NB, FB, OW>
{
    fn update(&mut self) {
        self.outputs();
        self.orders();
        self.parts();
        self.steps();
        self.load();
    }

    fn outputs(&mut self) {
        self.m_cfg.valid.next = self.state.val() == RowsState::Offer;
        self.m_cfg.table.next = self.row_table.val();
        self.m_cfg.index.next = self.index.val();
        self.m_cfg.row.next = self.row.val();
        self.s_cfg.ready.next = self.state.val() == RowsState::Ack;
        self.hint_valid.next = self.is_fetched.val()
            & ((self.state.val() == RowsState::Fill)
                | (self.state.val() == RowsState::Came)
                | (self.state.val() == RowsState::Offer));
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
    }

    /// The order at hand, and whether a work request of it is left beside this one.
    fn orders(&mut self) {
        self.order_index.next =
            self.order.val().get_bits::<16>(0) + bit_cast::<16, NB>(self.count.val());
        self.order_flow.next = self.order.val().get_bits::<FB>(16);
        self.order_count.next = self.order.val().get_bits::<NB>(self.count_at.val().index());
        self.next_count.next = self.count.val() + 1;
        self.is_more.next = self.next_count.val() != self.order_count.val();
        self.left.next = RowsState::Drop;
        if self.is_more.val() {
            self.left.next = RowsState::Wait;
        }
        self.slots_free.next = self.state.val() == RowsState::Drop;
        self.slots_count.next = self.order_count.val();
        self.order_ready.next = self.state.val() == RowsState::Drop;
        self.follows.next = (self.state.val() == RowsState::Offer)
            & self.is_fetched.val()
            & self.m_cfg.ready.val()
            & self.is_more.val();
        self.takes.next = (self.state.val() == RowsState::Fill)
            | ((self.state.val() == RowsState::Wait) & self.order_valid.val())
            | self.follows.val();
        self.loads.next = self.takes.val() & self.beat_valid.val();
    }

    /// A beat that is taken moves into the row from the top; the last one fills it.
    fn parts(&mut self) {
        self.part.next = bit_cast::<512, W>(self.beat.val().get_bits::<W>(0));
        self.part_placed.next = self.part.val() << self.part_at.val();
        self.row_moved.next = self.row.val() >> self.part_bits.val();
        self.filled.next = RowsState::Fill;
        if self.part_count.val() == self.last_part.val() {
            self.filled.next = RowsState::Offer;
            if self.beat.val().get_bit(self.error_at.val().index()) {
                self.filled.next = RowsState::Failed;
            } else if self.guards.val() {
                self.filled.next = RowsState::Came;
            }
        }
    }

    fn steps(&mut self) {
        self.ends.next = false;
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
                if self.looks.val() {
                    self.state.next = RowsState::Look;
                } else if self.s_cfg.valid.val() & self.drained.val() {
                    self.state.next = RowsState::Offer;
                }
            }
            RowsState::Fill => {}
            RowsState::Came => {
                if self.row_done.val() {
                    self.state.next = RowsState::Offer;
                    if self.row_stopped.val() {
                        self.ends.next = true;
                    }
                }
            }
            RowsState::Failed => {
                if self.row_done.val() {
                    self.failed.next = true;
                    self.state.next = RowsState::Report;
                    if self.row_stopped.val() {
                        self.ends.next = true;
                    }
                }
            }
            RowsState::Report => {
                self.guards.next = true;
                if !self.cqe.valid.val() {
                    self.cqe.valid.next = true;
                    self.cqe.flow.next = self.index.val();
                    self.cqe.index.next = self.order_index.val();
                    self.ends.next = true;
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
                        self.ends.next = true;
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

    /// A work request is done with; a beat is taken.
    fn load(&mut self) {
        if self.ends.val() {
            self.state.next = self.left.val();
            self.count.next = self.next_count.val();
        }
        if self.state.val() == RowsState::Drop {
            self.count.next = 0.into();
        }
        if self.loads.val() {
            self.is_fetched.next = true;
            self.row_table.next = self.wr_table.val();
            self.index.next = bit_cast::<16, FB>(self.order_flow.val());
            self.row.next = self.row_moved.val() | self.part_placed.val();
            self.state.next = self.filled.val();
            self.part_count.next = self.part_count.val() + 1;
            if self.part_count.val() == self.last_part.val() {
                self.part_count.next = 0.into();
            }
        }
    }
}
