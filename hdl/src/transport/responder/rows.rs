//! Table rows on their way into the responder: between requests, once nothing old is under way.
//!
//! # Source            hdl/transport.md
//! # Interface timing  with a step a row that stands closes the intake; it waits until no request
//!                     is in a stage, no command in flight and no READ stands at m_job. Then it
//!                     goes on to the READ responses, a flow's answers are cleared, and the row is
//!                     written in the cycle of s_cfg_ready
//! # Reset             synchronous, high: the intake is closed until the tables are clear
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::streams::Offer;
use crate::{block, Reg, Unreset};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum RespRowsState {
    /// The tables are cleared.
    Scrub,
    /// Requests are taken.
    Open,
    /// The row waits until nothing is under way.
    Drain,
    /// It goes on to the READ responses.
    Pass,
    /// The flow's answers are forgotten.
    Clear,
    /// The row is written.
    Write,
}

/// Rows for the responder.
#[block]
pub struct RespRows {
    /// The tables are clear.
    pub tables_ready: Signal<In, Bit>,
    /// The stages move on.
    pub step: Signal<In, Bit>,
    /// No request is in a stage, and no command in flight.
    pub is_idle: Signal<In, Bit>,
    /// A READ stands at m_job.
    pub job_waits: Signal<In, Bit>,
    /// The flow's answers are forgotten.
    pub cleared: Signal<In, Bit>,
    /// A table row is offered.
    pub s_cfg: Offer<In>,
    /// 0 queue pair, 1 memory region.
    pub cfg_table: Signal<In, Bits<2>>,
    /// The row is offered to the READ responses.
    pub m_cfg: Offer<Out>,
    /// Requests may be taken.
    pub is_open: Signal<Out, Bit>,
    /// The row goes to the queue pairs.
    pub qp_write: Signal<Out, Bit>,
    /// The row goes to the memory regions.
    pub region_write: Signal<Out, Bit>,
    #[reset(RespRowsState::Scrub)]
    state: Reg<RespRowsState>,
    is_qp: Unreset<Bit>,
    is_region: Unreset<Bit>,
    #[init(Constant::new((Table::Qp as u64).to_bits()))]
    qp_table: Constant<Bits<2>>,
    #[init(Constant::new((Table::Mr as u64).to_bits()))]
    region_table: Constant<Bits<2>>,
}

impl Logic for RespRows {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_qp.next = self.cfg_table.val() == self.qp_table.val();
        self.is_region.next = self.cfg_table.val() == self.region_table.val();
        self.is_open.next = self.state.val() == RespRowsState::Open;
        self.s_cfg.ready.next = self.state.val() == RespRowsState::Write;
        self.qp_write.next = (self.state.val() == RespRowsState::Write) & self.is_qp.val();
        self.region_write.next = (self.state.val() == RespRowsState::Write) & self.is_region.val();
        self.m_cfg.valid.next = self.state.val() == RespRowsState::Pass;
        match self.state.val() {
            RespRowsState::Scrub => {
                if self.tables_ready.val() {
                    self.state.next = RespRowsState::Open;
                }
            }
            RespRowsState::Open => {
                if self.step.val() & self.s_cfg.valid.val() {
                    self.state.next = RespRowsState::Drain;
                }
            }
            RespRowsState::Drain => {
                if self.is_idle.val() & !self.job_waits.val() {
                    self.state.next = RespRowsState::Write;
                    if self.is_qp.val() | self.is_region.val() {
                        self.state.next = RespRowsState::Pass;
                    }
                }
            }
            RespRowsState::Pass => {
                if self.m_cfg.ready.val() {
                    self.state.next = RespRowsState::Write;
                    if self.is_qp.val() {
                        self.state.next = RespRowsState::Clear;
                    }
                }
            }
            RespRowsState::Clear => {
                if self.cleared.val() {
                    self.state.next = RespRowsState::Write;
                }
            }
            RespRowsState::Write => {
                self.state.next = RespRowsState::Open;
            }
        }
    }
}
