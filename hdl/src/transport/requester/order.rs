//! Orders of the requester for the completer: one register.
//!
//! # Interface timing  part of `requester`: filled in Order, Retire, Advance, FailEmit and Flush, and only
//!                     when empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::Order;
use crate::transport::requester::state::State;
use crate::{block, Regs, Wire};
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
    pub m_order: Order<Out, FB>,
    order: Order<Regs, FB>,
}

impl<const FB: usize> Logic for RequesterOrder<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.order, &mut self.m_order);
        self.order_busy.next = self.order.valid.val();
        if self.m_order.ready.val() {
            self.order.valid.next = false;
        }
        if !self.order.valid.val() {
            if ((self.state.val() == State::Retire) & self.covered.val())
                | ((self.state.val() == State::Advance) & self.last_response.val())
                | (self.state.val() == State::FailEmit)
                | (self.state.val() == State::Flush)
            {
                self.order.valid.next = true;
                self.order.flow.next = self.flow.val();
                self.order.op.next = 0.into();
                self.order.status.next = 0.into();
                self.order.wr_id.next = self.wr_id.val();
                self.order.byte_len.next = self.len.val();
                self.order.signalled.next = self.signalled.val();
                if self.state.val() == State::FailEmit {
                    self.order.status.next = self.status.val();
                } else if self.state.val() == State::Flush {
                    self.order.status.next = 6.into();
                    self.order.wr_id.next = self.cfg_wr_id.val();
                    self.order.byte_len.next = self.cfg_len.val();
                    self.order.signalled.next = self.cfg_signalled.val();
                }
            }
        }
        if (self.state.val() == State::Order) & !self.order.valid.val() {
            self.order.valid.next = true;
            self.order.flow.next = self.flow.val();
            self.order.bytes.next = self.payload_bytes.val();
            self.order.op.next = 2.into();
            if self.lands.val() {
                self.order.op.next = 1.into();
                self.order.addr.next = self.address.val();
            }
        }
    }
}
