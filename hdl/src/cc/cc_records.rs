//! Telemetry records of every flow, and the hop with the largest u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  phase 0..=4: hop is record i, the stored one is read; phase 3..=7: it is stored
//!                     if `store`; phase 7 two slots later ([`LATENCY_CYCLES`] from phase 0): worst_*;
//!                     from phase 6 three slots later on, a slot long: bad
//! # Latency and rate  [`LATENCY_CYCLES`]; one hop per cycle, five a slot
//! # Number formats    worst_u UQ21.36, worst_tau_ns UQ24.0: of the first usable hop unless another's
//!                     u' is larger
//! # Shape             F = 2^FB flows; 2^HB = 8 F records in block RAM, HB = FB + 3
//! # Reset             synchronous, high: no hop under way; records are random after power-up and
//!                     count only if the flow's state says so
//! # Twins             part of sim/src/golden/cc/cc_unit.rs, tests/cc_unit.rs

use super::cc_hop::CcHop;
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from the first record to the worst hop.
pub const LATENCY_CYCLES: usize = 23;

/// Records of `2^FB` flows and u' of the path of one.
#[derive(LogicBlock)]
pub struct CcRecords<const FB: usize, const HB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// 0.625/T per ns, UQ0.40.
    pub cfg_queue_gain: Signal<In, Bits<32>>,
    /// What one unit of utilisation is: mantissa [21:0], exponent [26:22]; 0: hops count
    /// bytes. [27]: hops tell sojourn times.
    pub cfg_util_gain: Signal<In, Bits<28>>,
    /// What is checked; see `cc_hop`.
    pub cfg_check: Signal<In, Bits<23>>,
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
    /// Its tau.
    pub worst_tau_ns: Signal<Out, Bits<24>>,
    /// Its index; 7 without valid.
    pub worst_hop: Signal<Out, Bits<3>>,
    /// What no honest network says of any of the hops: time, bytes, queue.
    pub bad: Signal<Out, Bits<3>>,
    stored: Ram<HB, 64>,
    one_hop: CcHop,
    old_2: DFF<Bits<64>>,
    new_1: DFF<Bits<64>>,
    new_2: DFF<Bits<64>>,
    new_3: DFF<Bits<64>>,
    counted_2: DFF<Bit>,
    bad_hops: DFF<Bits<3>>,
    bad_1: DFF<Bits<3>>,
    bad_2: DFF<Bits<3>>,
    bad_3: DFF<Bits<3>>,
    most_valid: DFF<Bit>,
    most_u: DFF<Bits<57>>,
    most_tau: DFF<Bits<24>>,
    most_hop: DFF<Bits<3>>,
    flow_wide: Signal<Local, Bits<HB>>,
    flow_base: Signal<Local, Bits<HB>>,
    place: Signal<Local, Bits<3>>,
    is_worse: Signal<Local, Bit>,
    one: Constant<Bits<3>>,
    two: Constant<Bits<3>>,
    three: Constant<Bits<3>>,
    four: Constant<Bits<3>>,
    five: Constant<Bits<3>>,
    six: Constant<Bits<3>>,
    first_write: Constant<Bits<3>>,
    no_hop: Constant<Bits<3>>,
}

impl<const FB: usize, const HB: usize> Default for CcRecords<FB, HB> {
    fn default() -> Self {
        assert!(HB == FB + 3, "HB = FB + 3");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_queue_gain: Default::default(),
            cfg_util_gain: Default::default(),
            cfg_check: Default::default(),
            phase: Default::default(),
            flow: Default::default(),
            hops: Default::default(),
            hop: Default::default(),
            store: Default::default(),
            worst_valid: Default::default(),
            worst_u: Default::default(),
            worst_tau_ns: Default::default(),
            worst_hop: Default::default(),
            bad: Default::default(),
            stored: Default::default(),
            one_hop: Default::default(),
            old_2: Default::default(),
            new_1: Default::default(),
            new_2: Default::default(),
            new_3: Default::default(),
            counted_2: Default::default(),
            bad_hops: Default::default(),
            bad_1: Default::default(),
            bad_2: Default::default(),
            bad_3: Default::default(),
            most_valid: Default::default(),
            most_u: Default::default(),
            most_tau: Default::default(),
            most_hop: Default::default(),
            flow_wide: Default::default(),
            flow_base: Default::default(),
            place: Default::default(),
            is_worse: Default::default(),
            one: Constant::new(1.into()),
            two: Constant::new(2.into()),
            three: Constant::new(3.into()),
            four: Constant::new(4.into()),
            five: Constant::new(5.into()),
            six: Constant::new(6.into()),
            first_write: Constant::new(3.into()),
            no_hop: Constant::new(7.into()),
        }
    }
}

impl<const FB: usize, const HB: usize> Logic for CcRecords<FB, HB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, old_2, new_1, new_2, new_3, counted_2, bad_hops, bad_1, bad_2, bad_3,
            most_valid, most_u, most_tau, most_hop
        );
        self.stored.clock.next = self.clock.val();
        self.one_hop.clock.next = self.clock.val();
        self.one_hop.reset.next = self.reset.val();
        comment!("The stored record through two registers, the new one beside it.");
        self.flow_wide.next = bit_cast::<HB, FB>(self.flow.val());
        self.flow_base.next = self.flow_wide.val() << 3;
        self.stored.read_enable.next = true;
        self.stored.read_address.next = self.flow_base.val() | bit_cast::<HB, 3>(self.phase.val());
        self.old_2.d.next = self.stored.read_data.val();
        self.new_1.d.next = self.hop.val();
        self.new_2.d.next = self.new_1.q.val();
        self.new_3.d.next = self.new_2.q.val();
        self.place.next = self.phase.val() - 3;
        self.stored.write_address.next = self.flow_base.val() | bit_cast::<HB, 3>(self.place.val());
        self.stored.write_data.next = self.new_3.q.val();
        self.stored.write_enable.next =
            self.store.val() && (self.phase.val() >= self.first_write.val());
        comment!("Which records are counted.");
        self.counted_2.d.next = false;
        match self.phase.val().index() {
            1 => {
                self.counted_2.d.next = self.hops.val().any();
            }
            2 => {
                self.counted_2.d.next = self.hops.val() > self.one.val();
            }
            3 => {
                self.counted_2.d.next = self.hops.val() > self.two.val();
            }
            4 => {
                self.counted_2.d.next = self.hops.val() > self.three.val();
            }
            5 => {
                self.counted_2.d.next = self.hops.val() > self.four.val();
            }
            _ => {}
        }
        self.one_hop.cfg_queue_gain.next = self.cfg_queue_gain.val();
        self.one_hop.cfg_util_gain.next = self.cfg_util_gain.val();
        self.one_hop.cfg_check.next = self.cfg_check.val();
        self.one_hop.s_valid.next = self.counted_2.q.val();
        self.one_hop.old_hop.next = self.old_2.q.val();
        self.one_hop.new_hop.next = self.new_2.q.val();
        comment!("What is wrong with any hop; of the first it leaves cc_hop in phase 6.");
        self.bad_hops.d.next = self.bad_hops.q.val() | self.one_hop.bad.val();
        if self.phase.val() == self.six.val() {
            self.bad_hops.d.next = self.one_hop.bad.val();
        }
        if self.phase.val() == self.five.val() {
            self.bad_1.d.next = self.bad_hops.q.val();
            self.bad_2.d.next = self.bad_1.q.val();
            self.bad_3.d.next = self.bad_2.q.val();
        }
        self.bad.next = self.bad_3.q.val();
        comment!("The largest u'; its first hop leaves cc_hop in phase 2.");
        self.is_worse.next =
            !self.most_valid.q.val() || (self.one_hop.u.val() > self.most_u.q.val());
        if (self.phase.val() == self.two.val())
            || (self.one_hop.m_valid.val() && self.is_worse.val())
        {
            self.most_valid.d.next = self.one_hop.m_valid.val();
            self.most_u.d.next = self.one_hop.u.val();
            self.most_tau.d.next = self.one_hop.tau_ns.val();
            self.most_hop.d.next = self.no_hop.val();
            if self.one_hop.m_valid.val() {
                self.most_hop.d.next = self.phase.val() - 2;
            }
        }
        self.worst_valid.next = self.most_valid.q.val();
        self.worst_u.next = self.most_u.q.val();
        self.worst_tau_ns.next = self.most_tau.q.val();
        self.worst_hop.next = self.most_hop.q.val();
        if self.reset.val() {
            self.counted_2.d.next = false;
            self.bad_hops.d.next = 0.into();
            self.bad_1.d.next = 0.into();
            self.bad_2.d.next = 0.into();
            self.bad_3.d.next = 0.into();
            self.most_valid.d.next = false;
            self.most_u.d.next = 0.into();
            self.most_tau.d.next = 0.into();
            self.most_hop.d.next = 7.into();
        }
    }
}
