//! Orders of the requester for the completer: one register.
//!
//! # Interface timing  part of `requester`: filled in Order, Retire, Advance, FailEmit and Flush, and only
//!                     when empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::State;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Output register; `FB` = log2 of the flow count.
#[block]
pub struct RequesterOrder<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Completion status of a failed work request.
    pub status: Signal<In, Bits<8>>,
    /// The payload at hand lands; else it is dropped.
    pub lands: Signal<In, Bit>,
    /// Its bytes.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// Their local address.
    pub address: Signal<In, Bits<64>>,
    /// It ends the READ.
    pub last_response: Signal<In, Bit>,
    /// The head ends in Retire.
    pub covered: Signal<In, Bit>,
    /// Bytes of the work request.
    pub len: Signal<In, Bits<32>>,
    /// Its id.
    pub wr_id: Signal<In, Bits<32>>,
    /// It wants a completion on success.
    pub signalled: Signal<In, Bit>,
    /// Work request row: id.
    pub cfg_wr_id: Signal<In, Bits<32>>,
    /// Work request row: bytes.
    pub cfg_len: Signal<In, Bits<32>>,
    /// Work request row: signalled.
    pub cfg_signalled: Signal<In, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<Out, Bit>,
    /// An order for the completer.
    pub m_order_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_order_ready: Signal<In, Bit>,
    /// 0: a work request has ended, 1: the payload at hand lands, 2: it is dropped.
    pub m_order_op: Signal<Out, Bits<2>>,
    /// Flow.
    pub m_order_flow: Signal<Out, Bits<FB>>,
    /// Local address where the payload lands.
    pub m_order_addr: Signal<Out, Bits<64>>,
    /// Bytes of the payload.
    pub m_order_bytes: Signal<Out, Bits<13>>,
    /// How the work request ended.
    pub m_order_status: Signal<Out, Bits<8>>,
    /// Its id.
    pub m_order_wr_id: Signal<Out, Bits<32>>,
    /// Bytes of its message.
    pub m_order_byte_len: Signal<Out, Bits<32>>,
    /// It wants a completion on success.
    pub m_order_signalled: Signal<Out, Bit>,
    order_valid: Reg<Bit>,
    order_op: Reg<Bits<2>>,
    order_addr: Reg<Bits<64>>,
    order_bytes: Reg<Bits<13>>,
    order_status: Reg<Bits<8>>,
    order_flow: Reg<Bits<FB>>,
    order_wr_id: Reg<Bits<32>>,
    order_byte_len: Reg<Bits<32>>,
    order_signalled: Reg<Bit>,
}

impl<const FB: usize> Logic for RequesterOrder<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_order_valid.next = self.order_valid.val();
        self.m_order_op.next = self.order_op.val();
        self.m_order_addr.next = self.order_addr.val();
        self.m_order_bytes.next = self.order_bytes.val();
        self.m_order_status.next = self.order_status.val();
        self.m_order_flow.next = self.order_flow.val();
        self.m_order_wr_id.next = self.order_wr_id.val();
        self.m_order_byte_len.next = self.order_byte_len.val();
        self.m_order_signalled.next = self.order_signalled.val();
        self.order_busy.next = self.order_valid.val();
        if self.m_order_ready.val() {
            self.order_valid.next = false;
        }
        if !self.order_valid.val() {
            if ((self.state.val() == State::Retire) & self.covered.val())
                | ((self.state.val() == State::Advance) & self.last_response.val())
                | (self.state.val() == State::FailEmit)
                | (self.state.val() == State::Flush)
            {
                self.order_valid.next = true;
                self.order_flow.next = self.flow.val();
                self.order_op.next = 0.into();
                self.order_status.next = 0.into();
                self.order_wr_id.next = self.wr_id.val();
                self.order_byte_len.next = self.len.val();
                self.order_signalled.next = self.signalled.val();
                if self.state.val() == State::FailEmit {
                    self.order_status.next = self.status.val();
                } else if self.state.val() == State::Flush {
                    self.order_status.next = 6.into();
                    self.order_wr_id.next = self.cfg_wr_id.val();
                    self.order_byte_len.next = self.cfg_len.val();
                    self.order_signalled.next = self.cfg_signalled.val();
                }
            }
        }
        if (self.state.val() == State::Order) & !self.order_valid.val() {
            self.order_valid.next = true;
            self.order_flow.next = self.flow.val();
            self.order_bytes.next = self.payload_bytes.val();
            self.order_op.next = 2.into();
            if self.lands.val() {
                self.order_op.next = 1.into();
                self.order_addr.next = self.address.val();
            }
        }
    }
}
