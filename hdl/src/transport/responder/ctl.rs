//! Order of events in the responder: one request at a time, table rows in between.
//!
//! # Source            hdl/transport.md
//! # Interface timing  cycle 0: s_req; cycle 7: commit; cycle 8: m_cmd, events, s_req_ready. A row
//!                     waits until no command is in flight and no READ stands at m_job; then it
//!                     goes on to the READ responses, and a flow's answers are cleared
//! # Latency and rate  [`LATENCY_CYCLES`]; one request every 8 cycles
//! # Number formats    commands in flight | 0..=64; WRITEs with immediate in flight | 0..=16
//! # Reset             synchronous, high: s_req_ready = 0 until the tables are clear
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::streams::{Offer, WriteCommand};
use crate::transport::responder::check;
use crate::{block, Reg, Unreset};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

/// Cycles from a request to its command.
pub const LATENCY_CYCLES: usize = 8;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum RespState {
    Scrub,
    Idle,
    Check,
    Commit,
    Drain,
    Pass,
    Clear,
    Write,
}

/// Control of the responder.
#[block]
pub struct RespCtl {
    /// A request is offered.
    pub s_req_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_req_ready: Signal<Out, Bit>,
    /// A table row is offered.
    pub s_cfg: Offer<In>,
    /// 0 queue pair, 1 memory region.
    pub cfg_table: Signal<In, Bits<2>>,
    /// The row goes to the queue pairs.
    pub qp_write: Signal<Out, Bit>,
    /// The row goes to the memory regions.
    pub region_write: Signal<Out, Bit>,
    /// The row is offered to the READ responses.
    pub m_cfg: Offer<Out>,
    /// A READ stands at m_job.
    pub job_waits: Signal<In, Bit>,
    /// The flow's answers are forgotten.
    pub cleared: Signal<In, Bit>,
    /// The tables are clear.
    pub tables_ready: Signal<In, Bit>,
    /// There is room for an order to the payload mover.
    pub order_ready: Signal<In, Bit>,
    /// The verdict holds.
    pub commit: Signal<Out, Bit>,
    /// Verdicts, see `resp_check`.
    pub no_qp: Signal<In, Bit>,
    /// Behind the expected PSN.
    pub duplicate: Signal<In, Bit>,
    /// Ahead of it.
    pub ahead: Signal<In, Bit>,
    /// Invalid request.
    pub invalid: Signal<In, Bit>,
    /// No right to write there.
    pub access: Signal<In, Bit>,
    /// No completion room.
    pub not_ready: Signal<In, Bit>,
    /// Accepted, and makes a completion.
    pub accept_imm: Signal<In, Bit>,
    /// A command goes to the DMA.
    pub has_cmd: Signal<In, Bit>,
    /// Its address.
    pub cmd_addr: Signal<In, Bits<64>>,
    /// Its bytes.
    pub cmd_bytes: Signal<In, Bits<13>>,
    /// Its tag.
    pub cmd_tag: Signal<In, Bits<127>>,
    /// A command has been dealt with.
    pub retired: Signal<In, Bit>,
    /// It made a completion.
    pub retired_imm: Signal<In, Bit>,
    /// No more completions may be promised.
    pub imm_full: Signal<Out, Bit>,
    /// Command to the DMA.
    pub m_cmd: WriteCommand<Out, 127>,
    /// Request behind the expected PSN.
    pub event_resp_duplicate: Signal<Out, Bit>,
    /// Request ahead of it.
    pub event_resp_out_of_sequence: Signal<Out, Bit>,
    /// Request that is malformed or not supported.
    pub event_resp_nak_invalid: Signal<Out, Bit>,
    /// Request without the right to write there.
    pub event_resp_nak_access: Signal<Out, Bit>,
    /// Request without completion room.
    pub event_resp_rnr: Signal<Out, Bit>,
    /// Request without a queue pair in working order.
    pub event_resp_no_qp: Signal<Out, Bit>,
    #[reset(RespState::Scrub)]
    state: Reg<RespState>,
    step: Unreset<Bits<3>>,
    in_flight: Reg<Bits<7>>,
    imm_in_flight: Reg<Bits<5>>,
    is_qp: Unreset<Bit>,
    is_region: Unreset<Bit>,
    cmd_valid: Reg<Bit>,
    addr: Reg<Bits<64>>,
    bytes: Reg<Bits<13>>,
    tag: Reg<Bits<127>>,
    e_duplicate: Reg<Bit>,
    e_ahead: Reg<Bit>,
    e_invalid: Reg<Bit>,
    e_access: Reg<Bit>,
    e_not_ready: Reg<Bit>,
    e_no_qp: Reg<Bit>,
    issues: Signal<Local, Bit>,
    issues_imm: Signal<Local, Bit>,
    #[init(Constant::new((Table::Qp as u64).to_bits()))]
    qp_table: Constant<Bits<2>>,
    #[init(Constant::new((Table::Mr as u64).to_bits()))]
    region_table: Constant<Bits<2>>,
    #[init(Constant::new((check::LATENCY_CYCLES as u64 - 1).to_bits()))]
    last_step: Constant<Bits<3>>,
}

impl Logic for RespCtl {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_req_ready.next = self.state.val() == RespState::Idle;
        self.s_cfg.ready.next = self.state.val() == RespState::Write;
        self.is_qp.next = self.cfg_table.val() == self.qp_table.val();
        self.is_region.next = self.cfg_table.val() == self.region_table.val();
        self.qp_write.next = (self.state.val() == RespState::Write) & self.is_qp.val();
        self.region_write.next = (self.state.val() == RespState::Write) & self.is_region.val();
        self.m_cfg.valid.next = self.state.val() == RespState::Pass;
        self.commit.next = self.state.val() == RespState::Commit;
        self.imm_full.next = self.imm_in_flight.val().get_bit(4);
        self.m_cmd.valid.next = self.cmd_valid.val();
        self.m_cmd.addr.next = self.addr.val();
        self.m_cmd.bytes.next = self.bytes.val();
        self.m_cmd.tag.next = self.tag.val();
        self.event_resp_duplicate.next = self.e_duplicate.val();
        self.event_resp_out_of_sequence.next = self.e_ahead.val();
        self.event_resp_nak_invalid.next = self.e_invalid.val();
        self.event_resp_nak_access.next = self.e_access.val();
        self.event_resp_rnr.next = self.e_not_ready.val();
        self.event_resp_no_qp.next = self.e_no_qp.val();
        self.e_duplicate.next = false;
        self.e_ahead.next = false;
        self.e_invalid.next = false;
        self.e_access.next = false;
        self.e_not_ready.next = false;
        self.e_no_qp.next = false;
        self.issues.next = false;
        self.issues_imm.next = false;
        if self.m_cmd.ready.val() {
            self.cmd_valid.next = false;
        }
        match self.state.val() {
            RespState::Scrub => {
                if self.tables_ready.val() {
                    self.state.next = RespState::Idle;
                }
            }
            RespState::Idle => {
                self.step.next = 1.into();
                if self.s_req_valid.val() {
                    self.state.next = RespState::Check;
                } else if self.s_cfg.valid.val() {
                    self.state.next = RespState::Drain;
                }
            }
            RespState::Check => {
                comment!("The last step waits for room for the command and for the order.");
                if self.step.val() != self.last_step.val() {
                    self.step.next = self.step.val() + 1;
                } else if (self.m_cmd.ready.val() | !self.cmd_valid.val())
                    & self.order_ready.val()
                    & !self.in_flight.val().get_bit(6)
                {
                    self.state.next = RespState::Commit;
                }
            }
            RespState::Commit => {
                self.issues.next = self.has_cmd.val();
                self.issues_imm.next = self.accept_imm.val();
                if self.has_cmd.val() {
                    self.cmd_valid.next = true;
                    self.addr.next = self.cmd_addr.val();
                    self.bytes.next = self.cmd_bytes.val();
                    self.tag.next = self.cmd_tag.val();
                }
                self.e_duplicate.next = self.duplicate.val();
                self.e_ahead.next = self.ahead.val();
                self.e_invalid.next = self.invalid.val();
                self.e_access.next = self.access.val();
                self.e_not_ready.next = self.not_ready.val();
                self.e_no_qp.next = self.no_qp.val();
                self.state.next = RespState::Idle;
                if self.s_cfg.valid.val() {
                    self.state.next = RespState::Drain;
                }
            }
            RespState::Drain => {
                if !self.in_flight.val().any() & !self.job_waits.val() {
                    self.state.next = RespState::Write;
                    if self.is_qp.val() | self.is_region.val() {
                        self.state.next = RespState::Pass;
                    }
                }
            }
            RespState::Pass => {
                if self.m_cfg.ready.val() {
                    self.state.next = RespState::Write;
                    if self.is_qp.val() {
                        self.state.next = RespState::Clear;
                    }
                }
            }
            RespState::Clear => {
                if self.cleared.val() {
                    self.state.next = RespState::Write;
                }
            }
            RespState::Write => {
                self.state.next = RespState::Idle;
            }
        }
        if self.issues.val() & !self.retired.val() {
            self.in_flight.next = self.in_flight.val() + 1;
        } else if self.retired.val() & !self.issues.val() {
            self.in_flight.next = self.in_flight.val() - 1;
        }
        if self.issues_imm.val() & !self.retired_imm.val() {
            self.imm_in_flight.next = self.imm_in_flight.val() + 1;
        } else if self.retired_imm.val() & !self.issues_imm.val() {
            self.imm_in_flight.next = self.imm_in_flight.val() - 1;
        }
    }
}
