//! Ends of the completer's orders: completions, and errors of the flows.
//!
//! # Interface timing  cycle 0: s_valid; cycle 1: s_ready; cycle 3: m_cqe_valid, or the
//!                     flow on its way to m_fail. A row: cycle 0: s_cfg_valid and idle; cycle 2:
//!                     s_cfg_ready
//! # Rules             While a flow's row is offered no error of it goes to m_fail: it is about the
//!                     queue pair of before, and the requester may have the new one already
//! # Latency and rate  one end every 2 cycles; it waits for room for its completion, never
//!                     for m_fail: F flows may stand there, and each comes once
//! # Number formats    errors | 2 bits a flow | 0 none, 1 its requester was told, 2 completions are
//!                     flushed
//! # Reset             synchronous, high: the flows' errors are cleared within F cycles; all data 0
//! # Twins             sim/models/src/golden/transport/completer.rs, tests/transport/completer.rs

use crate::streams::{Flow, RequesterCompletion, Word};
use crate::util::{fifo::Fifo, ram::Ram};
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// What the block is doing.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum State {
    /// Errors are cleared after reset.
    Scrub,
    /// Nothing.
    Idle,
    /// An end is taken, and its flow's error read.
    Take,
    /// It has its consequence.
    Act,
    /// A row is taken.
    Forget,
}

/// An order that has not ended.
#[row]
pub struct Pending {
    pub flow: Bits<16>,     // Flow
    pub wr_id: Bits<32>,    // Id of the work request
    pub byte_len: Bits<32>, // Bytes of its message
    pub status: Bits<8>,    // How it ended
    pub signalled: Bit,     // Software wants a completion also when it is good
    pub land: Bit,          // Payload lands; else it is a completion
}

/// Ends of orders; `FC = FB + 1`.
#[block]
pub struct CompleterEnd<const FB: usize, const FC: usize> {
    /// No order waits for its end or is being taken.
    pub idle: Signal<In, Bit>,
    /// An order ends.
    pub s: Word<In, Pending>,
    /// Host memory refused its bytes.
    pub error: Signal<In, Bit>,
    /// A queue pair row.
    pub s_cfg: Flow<In, FB>,
    /// A completion stands.
    pub m_cqe: RequesterCompletion<Out>,
    /// Bytes of a READ could not be written.
    pub m_fail: Flow<Out, FB>,
    errors: Ram<FB, Bits<2>>,
    fails: Fifo<Bits<FB>, FB, FC>,
    #[reset(State::Scrub)]
    state: Reg<State>,
    scrub: Reg<Bits<FB>>,
    flow: Unreset<Bits<FB>>,
    order: Unreset<Pending>,
    failed: Unreset<Bit>,
    cqe_full: Reg<Bit>,
    status: Reg<Bits<8>>,
    cqe_flow: Reg<Bits<FB>>,
    wr_id: Reg<Bits<32>>,
    byte_len: Reg<Bits<32>>,
    signalled: Reg<Bit>,
    after: Signal<Local, State>,
    held: Signal<Local, Bits<2>>,
    is_land: Signal<Local, Bit>,
    is_good: Signal<Local, Bit>,
    is_replaced: Signal<Local, Bit>,
    #[init(Constant::new(0u64.to_bits()))]
    good: Constant<Bits<2>>,
    #[init(Constant::new(1u64.to_bits()))]
    told: Constant<Bits<2>>,
    #[init(Constant::new(2u64.to_bits()))]
    flushing: Constant<Bits<2>>,
    #[init(Constant::new(5u64.to_bits()))]
    host_error: Constant<Bits<8>>,
    #[init(Constant::new(6u64.to_bits()))]
    flushed: Constant<Bits<8>>,
}

impl<const FB: usize, const FC: usize> Logic for CompleterEnd<FB, FC> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.state.val() == State::Take;
        self.s_cfg.ready.next = self.state.val() == State::Forget;
        self.m_cqe.valid.next = self.cqe_full.val();
        self.m_cqe.status.next = self.status.val();
        self.m_cqe.flow.next = bit_cast::<16, FB>(self.cqe_flow.val());
        self.m_cqe.wr_id.next = self.wr_id.val();
        self.m_cqe.byte_len.next = self.byte_len.val();
        self.m_cqe.signalled.next = self.signalled.val();
        self.m_fail.valid.next = self.fails.m.valid.val();
        self.m_fail.flow.next = self.fails.m.data.val();
        self.fails.m.ready.next = self.m_fail.ready.val();
        self.fails.s.valid.next = false;
        self.fails.s.data.next = self.flow.val();
        self.errors.read_enable.next = self.state.val() == State::Take;
        self.errors.read_address.next = self.s.data.val().flow.get_bits::<FB>(0);
        self.errors.write_enable.next = false;
        self.errors.write_address.next = self.flow.val();
        self.errors.write_data.next = self.good.val();
        self.held.next = self.errors.read_data.val();
        self.is_land.next = self.order.val().land;
        self.is_good.next = self.held.val() == self.good.val();
        self.is_replaced.next = self.s_cfg.valid.val() & (self.s_cfg.flow.val() == self.flow.val());
        if self.m_cqe.ready.val() {
            self.cqe_full.next = false;
        }
        self.after.next = State::Idle;
        if self.s.valid.val() {
            self.after.next = State::Take;
        }
        match self.state.val() {
            State::Scrub => {
                self.errors.write_enable.next = true;
                self.errors.write_address.next = self.scrub.val();
                self.scrub.next = self.scrub.val() + 1;
                if self.scrub.val().all() {
                    self.state.next = State::Idle;
                }
            }
            State::Idle => {
                if self.s.valid.val() {
                    self.state.next = State::Take;
                } else if self.s_cfg.valid.val() & self.idle.val() {
                    self.flow.next = self.s_cfg.flow.val();
                    self.state.next = State::Forget;
                }
            }
            State::Take => {
                self.order.next = self.s.data.val();
                self.flow.next = self.s.data.val().flow.get_bits::<FB>(0);
                self.failed.next = self.error.val();
                self.state.next = State::Act;
            }
            State::Act => {
                if self.is_land.val() {
                    self.state.next = self.after.val();
                    if self.failed.val() & self.is_good.val() {
                        self.errors.write_enable.next = true;
                        self.errors.write_data.next = self.told.val();
                        comment!(
                            "Not so if the queue pair is being set up anew: it has its own fate."
                        );
                        self.fails.s.valid.next = !self.is_replaced.val();
                    }
                } else if self.m_cqe.ready.val() | !self.cqe_full.val() {
                    self.state.next = self.after.val();
                    self.cqe_full.next = true;
                    self.cqe_flow.next = self.flow.val();
                    self.wr_id.next = self.order.val().wr_id;
                    self.byte_len.next = self.order.val().byte_len;
                    self.status.next = self.order.val().status;
                    self.signalled.next = self.order.val().signalled;
                    if self.held.val() == self.told.val() {
                        self.status.next = self.host_error.val();
                        self.errors.write_enable.next = true;
                        self.errors.write_data.next = self.flushing.val();
                    } else if !self.is_good.val() {
                        self.status.next = self.flushed.val();
                    }
                }
            }
            State::Forget => {
                self.errors.write_enable.next = true;
                self.state.next = State::Idle;
            }
        }
    }
}
