//! Which packets of a flow leave room for telemetry.
//!
//! If any do, a packet does if it is the one that did last, sent again; else if so many PSNs behind that one as
//! is asked for or, once a round trip, if that one is acknowledged.
//!
//! # Source            HPCC++ drafts (telemetry for each packet, each N-th one, or once a round trip)
//! # Interface timing  part of `requester`, free running: cycle 0: PSNs; cycle 2: bare, asks
//! # Number formats    every | UQ8.0 | PSNs; 0 none, 1 each packet, 255 once a round trip
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Subscription of telemetry.
#[block(no_reset)]
pub struct RequesterStamp {
    /// PSNs from one packet with telemetry to the next one.
    pub cfg_tel_every: Signal<In, Bits<8>>,
    /// The queue pair's packets leave room for telemetry.
    pub is_on: Signal<In, Bit>,
    /// Oldest unacknowledged PSN.
    pub una: Signal<In, Bits<24>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// PSN of the last packet that left room for it.
    pub stamped: Signal<In, Bits<24>>,
    /// The next packet goes without.
    pub bare: Signal<Out, Bit>,
    /// It does not, others do: an ACK is to bring its telemetry back.
    pub asks: Signal<Out, Bit>,
    since: Unreset<Bits<24>>,
    acked: Unreset<Bits<24>>,
    is_bare: Unreset<Bit>,
    is_asking: Unreset<Bit>,
    is_due: Signal<Local, Bit>,
}

impl Logic for RequesterStamp {
    #[hdl_gen]
    fn update(&mut self) {
        self.since.next = self.nxt.val() - self.stamped.val();
        self.acked.next = self.una.val() - self.stamped.val();
        self.is_due.next = self.since.val().get_bits::<16>(8).any()
            | (self.since.val().get_bits::<8>(0) >= self.cfg_tel_every.val());
        if self.cfg_tel_every.val() == 255 {
            self.is_due.next = self.acked.val().any() & !self.acked.val().get_bit(23);
        }
        if !self.since.val().any() {
            self.is_due.next = true;
        }
        if self.cfg_tel_every.val() == 0 {
            self.is_due.next = false;
        }
        self.is_bare.next = self.is_on.val() & !self.is_due.val();
        self.is_asking.next = self.is_on.val() & self.is_due.val() & (self.cfg_tel_every.val() > 1);
        self.bare.next = self.is_bare.val();
        self.asks.next = self.is_asking.val();
    }
}
