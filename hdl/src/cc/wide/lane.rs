//! One of five lanes of the telemetry records: the record of a hop of every flow, and its u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: read, flow, hop; cycle 2: counted; cycle 4: store, store_flow; cycle
//!                     [`CHECK_CYCLES`]: bad; cycle [`LATENCY_CYCLES`]: m_valid, u, share
//! # Latency and rate  [`LATENCY_CYCLES`]; one ACK per cycle
//! # Number formats    cc_hop.rs
//! # Shape             F = 2^FB records in block RAM
//! # Collision         the user never reads a flow's record in the cycle in which it is stored
//! # Reset             synchronous, high: no hop under way; records are random after power-up and
//!                     count only if the flow's state says so
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::cc::hop::{self, CcHop};
use crate::cc::share::Share;
use crate::rows::{CcCheck, CcUtilGain};
use crate::util::ram::Ram;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a record to u'.
pub const LATENCY_CYCLES: usize = 15;
/// Cycles from a record to what is wrong with it.
pub const CHECK_CYCLES: usize = 6;
const _: () = assert!(CHECK_CYCLES == 2 + hop::CHECK_CYCLES);
const _: () = assert!(LATENCY_CYCLES == 2 + hop::LATENCY_CYCLES);

/// A hop of `2^FB` flows.
#[block]
pub struct CcLane<const FB: usize> {
    /// T in ns.
    pub cfg_t_ns: Signal<In, Bits<20>>,
    /// 1/T per ns, UQ0.40.
    pub cfg_inv_t: Signal<In, Bits<32>>,
    /// 0.625/T per ns, UQ0.40.
    pub cfg_queue_gain: Signal<In, Bits<32>>,
    /// What one unit of utilisation is: mantissa [21:0], exponent [26:22]; 0: hops count
    /// bytes. [27]: hops tell sojourn times. At rest from 5 cycles before the first record on.
    pub cfg_util_gain: Signal<In, CcUtilGain>,
    /// The same, for the next lane.
    pub m_util_gain: Signal<Out, CcUtilGain>,
    /// Time \[1\] and bytes \[2\] are checked; log2 of multi \[5:3\]; largest queue \[22:6\].
    pub cfg_check: Signal<In, CcCheck>,
    /// An ACK starts.
    pub read: Signal<In, Bit>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Its record of this hop.
    pub hop: Signal<In, Bits<64>>,
    /// Cycle 2: the ACK has a record of this hop.
    pub counted: Signal<In, Bit>,
    /// Cycle 4: the record replaces the stored one.
    pub store: Signal<In, Bit>,
    /// Cycle 4: its flow.
    pub store_flow: Signal<In, Bits<FB>>,
    /// The hop carries information.
    pub m_valid: Signal<Out, Bit>,
    /// u', UQ21.36.
    pub u: Signal<Out, Bits<57>>,
    /// Share of the way that the average goes to u'.
    pub share: Signal<Out, Share>,
    /// What no honest network says: time, bytes, queue.
    pub bad: Signal<Out, Bits<3>>,
    stored: Ram<FB, Bits<64>>,
    one_hop: CcHop,
    util_gain: Unreset<CcUtilGain>,
    old_2: Unreset<Bits<64>>,
    new_1: Unreset<Bits<64>>,
    new_2: Unreset<Bits<64>>,
    new_3: Unreset<Bits<64>>,
    new_4: Unreset<Bits<64>>,
}

impl<const FB: usize> Logic for CcLane<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The stored record through two registers, the new one beside it.");
        self.stored.read_enable.next = self.read.val();
        self.stored.read_address.next = self.flow.val();
        self.old_2.next = self.stored.read_data.val();
        self.new_1.next = self.hop.val();
        self.new_2.next = self.new_1.val();
        self.new_3.next = self.new_2.val();
        self.new_4.next = self.new_3.val();
        self.stored.write_enable.next = self.store.val();
        self.stored.write_address.next = self.store_flow.val();
        self.stored.write_data.next = self.new_4.val();
        self.one_hop.cfg_t_ns.next = self.cfg_t_ns.val();
        self.one_hop.cfg_inv_t.next = self.cfg_inv_t.val();
        self.one_hop.cfg_queue_gain.next = self.cfg_queue_gain.val();
        comment!("From lane to lane: one register for all five would choose operands all over the unit, and five");
        comment!("that are loaded alike are one after synthesis.");
        self.util_gain.next = self.cfg_util_gain.val();
        self.m_util_gain.next = self.util_gain.val();
        self.one_hop.cfg_util_gain.next = self.util_gain.val();
        self.one_hop.cfg_check.next = self.cfg_check.val();
        self.one_hop.s_valid.next = self.counted.val();
        self.one_hop.old_hop.next = self.old_2.val().into();
        self.one_hop.new_hop.next = self.new_2.val().into();
        self.m_valid.next = self.one_hop.m_valid.val();
        self.u.next = self.one_hop.u.val();
        self.share.next = self.one_hop.share.val();
        self.bad.next = self.one_hop.bad.val();
    }
}
