//! Telemetry records of every flow, and the hop with the largest u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  phase 0..=4: hop is record i, the stored one is read; phase 3..=7: it is stored
//!                     if `store`; phase 4 two slots later ([`LATENCY_CYCLES`] from phase 0): worst_*;
//!                     from phase 6 two slots later on, a slot long: bad
//! # Latency and rate  [`LATENCY_CYCLES`]; one hop per cycle, five a slot
//! # Number formats    worst_u UQ21.36, worst_share cc_share.rs: of the first usable hop unless another's
//!                     u' is larger
//! # Shape             F = 2^FB flows; 2^HB = 8 F records in block RAM, HB = FB + 3
//! # Reset             synchronous, high: no hop under way; records are random after power-up and
//!                     count only if the flow's state says so
//! # Twins             part of sim/models/src/golden/cc/unit.rs, tests/cc/cc_unit.rs

use crate::cc::{hop::CcHop, share::Share};
use crate::rows::{CcCheck, CcUtilGain};
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the first record to the worst hop.
pub const LATENCY_CYCLES: usize = 20;

/// Records of `2^FB` flows and u' of the path of one.
#[block(check(HB == FB + 3))]
pub struct CcRecords<const FB: usize, const HB: usize> {
    /// T in ns.
    pub cfg_t_ns: Signal<In, Bits<20>>,
    /// 1/T per ns, UQ0.40.
    pub cfg_inv_t: Signal<In, Bits<32>>,
    /// 0.625/T per ns, UQ0.40.
    pub cfg_queue_gain: Signal<In, Bits<32>>,
    /// What one unit of utilisation is: mantissa [21:0], exponent [26:22]; 0: hops count
    /// bytes. [27]: hops tell sojourn times.
    pub cfg_util_gain: Signal<In, CcUtilGain>,
    /// What is checked; see `cc_hop`.
    pub cfg_check: Signal<In, CcCheck>,
    /// Cycle of the slot.
    pub phase: Signal<In, Bits<3>>,
    /// Flow of this slot.
    pub flow: Signal<In, Bits<FB>>,
    /// Records that count, 0..=5.
    pub hops: Signal<In, Bits<3>>,
    /// Record of this phase.
    pub hop: Signal<In, Bits<64>>,
    /// From phase 3 on: the records replace the stored ones.
    pub store: Signal<In, Bit>,
    /// A hop carries information.
    pub worst_valid: Signal<Out, Bit>,
    /// Its u', UQ21.36.
    pub worst_u: Signal<Out, Bits<57>>,
    /// Its share of the way.
    pub worst_share: Signal<Out, Share>,
    /// Its index; 7 without valid.
    pub worst_hop: Signal<Out, Bits<3>>,
    /// What no honest network says of any of the hops: time, bytes, queue.
    pub bad: Signal<Out, Bits<3>>,
    stored: Ram<HB, Bits<64>>,
    one_hop: CcHop,
    old_2: Unreset<Bits<64>>,
    new_1: Unreset<Bits<64>>,
    new_2: Unreset<Bits<64>>,
    new_3: Unreset<Bits<64>>,
    counted_2: Reg<Bit>,
    bad_hops: Reg<Bits<3>>,
    bad_1: Reg<Bits<3>>,
    bad_2: Reg<Bits<3>>,
    most_valid: Reg<Bit>,
    most_u: Reg<Bits<57>>,
    most_share: Reg<Share>,
    #[reset(7)]
    most_hop: Reg<Bits<3>>,
    flow_wide: Signal<Local, Bits<HB>>,
    flow_base: Signal<Local, Bits<HB>>,
    place: Signal<Local, Bits<3>>,
    is_worse: Signal<Local, Bit>,
    #[value(1)]
    one: Constant<Bits<3>>,
    #[value(2)]
    two: Constant<Bits<3>>,
    #[value(3)]
    three: Constant<Bits<3>>,
    #[value(4)]
    four: Constant<Bits<3>>,
    #[value(5)]
    five: Constant<Bits<3>>,
    #[value(6)]
    six: Constant<Bits<3>>,
    #[value(7)]
    seven: Constant<Bits<3>>,
    #[value(3)]
    first_write: Constant<Bits<3>>,
    #[value(7)]
    no_hop: Constant<Bits<3>>,
}

impl<const FB: usize, const HB: usize> Logic for CcRecords<FB, HB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The stored record through two registers, the new one beside it.");
        self.flow_wide.next = bit_cast::<HB, FB>(self.flow.val());
        self.flow_base.next = self.flow_wide.val() << 3;
        self.stored.read_enable.next = true;
        self.stored.read_address.next = self.flow_base.val() | bit_cast::<HB, 3>(self.phase.val());
        self.old_2.next = self.stored.read_data.val();
        self.new_1.next = self.hop.val();
        self.new_2.next = self.new_1.val();
        self.new_3.next = self.new_2.val();
        self.place.next = self.phase.val() - 3;
        self.stored.write_address.next = self.flow_base.val() | bit_cast::<HB, 3>(self.place.val());
        self.stored.write_data.next = self.new_3.val();
        self.stored.write_enable.next =
            self.store.val() && (self.phase.val() >= self.first_write.val());
        comment!("Which records are counted.");
        self.counted_2.next = false;
        match self.phase.val().index() {
            1 => {
                self.counted_2.next = self.hops.val().any();
            }
            2 => {
                self.counted_2.next = self.hops.val() > self.one.val();
            }
            3 => {
                self.counted_2.next = self.hops.val() > self.two.val();
            }
            4 => {
                self.counted_2.next = self.hops.val() > self.three.val();
            }
            5 => {
                self.counted_2.next = self.hops.val() > self.four.val();
            }
            _ => {}
        }
        self.one_hop.cfg_t_ns.next = self.cfg_t_ns.val();
        self.one_hop.cfg_inv_t.next = self.cfg_inv_t.val();
        self.one_hop.cfg_queue_gain.next = self.cfg_queue_gain.val();
        self.one_hop.cfg_util_gain.next = self.cfg_util_gain.val();
        self.one_hop.cfg_check.next = self.cfg_check.val();
        self.one_hop.s_valid.next = self.counted_2.val();
        self.one_hop.old_hop.next = self.old_2.val().into();
        self.one_hop.new_hop.next = self.new_2.val().into();
        comment!("What is wrong with any hop; of the first it leaves cc_hop in phase 6.");
        self.bad_hops.next = self.bad_hops.val() | self.one_hop.bad.val();
        if self.phase.val() == self.six.val() {
            self.bad_hops.next = self.one_hop.bad.val();
        }
        if self.phase.val() == self.five.val() {
            self.bad_1.next = self.bad_hops.val();
            self.bad_2.next = self.bad_1.val();
        }
        self.bad.next = self.bad_2.val();
        comment!("The largest u'; its first hop leaves cc_hop in phase 7.");
        self.is_worse.next = !self.most_valid.val() || (self.one_hop.u.val() > self.most_u.val());
        if (self.phase.val() == self.seven.val())
            || (self.one_hop.m_valid.val() && self.is_worse.val())
        {
            self.most_valid.next = self.one_hop.m_valid.val();
            self.most_u.next = self.one_hop.u.val();
            self.most_share.next = self.one_hop.share.val();
            self.most_hop.next = self.no_hop.val();
            if self.one_hop.m_valid.val() {
                self.most_hop.next = self.phase.val() + 1;
            }
        }
        self.worst_valid.next = self.most_valid.val();
        self.worst_u.next = self.most_u.val();
        self.worst_share.next = self.most_share.val();
        self.worst_hop.next = self.most_hop.val();
    }
}
