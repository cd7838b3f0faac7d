//! Moving average of the utilisation: U = (1 - tau/T) U + tau/T u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: s_valid, update, u_hop, tau_ns, u_old; cycle [`LATENCY_CYCLES`]:
//!                     m_valid, u
//! # Latency and rate  [`LATENCY_CYCLES`]; one update per cycle
//! # Number formats    u_hop, u_old, u | UQ21.36 | U = 1 is 25/1024
//!                     tau             | UQ24.0  | ns; counts as T above T
//!                     1/T             | UQ0.40  | rounded to nearest: error 2^-41
//!                     tau/T           | UQ1.32  | exactly 1 from tau = T on, exactly 0 without update
//!                     U + tau/T (u' - U), the product truncated towards U: between U and u', so it
//!                     cannot overflow
//! # Reset             synchronous, high: nothing under way; u is 0 unless m_valid
//! # Twins             sim/src/golden/cc/cc_ewma.rs, tests/cc_blocks.rs

use super::delay::Delay;
use crate::util::mul_pipe::MulPipe;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from u' to U.
pub const LATENCY_CYCLES: usize = 11;

/// Moving average of the utilisation.
#[derive(LogicBlock)]
pub struct CcEwma {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// T in ns.
    pub cfg_t_ns: Signal<In, Bits<20>>,
    /// 1/T per ns, UQ0.40.
    pub cfg_inv_t: Signal<In, Bits<32>>,
    /// An update is offered.
    pub s_valid: Signal<In, Bit>,
    /// `u_hop` counts; else U stays.
    pub update: Signal<In, Bit>,
    /// u' of the path, UQ21.36.
    pub u_hop: Signal<In, Bits<57>>,
    /// Its tau.
    pub tau_ns: Signal<In, Bits<24>>,
    /// U before, UQ21.36.
    pub u_old: Signal<In, Bits<57>>,
    /// An update is done.
    pub m_valid: Signal<Out, Bit>,
    /// U after, UQ21.36.
    pub u: Signal<Out, Bits<57>>,
    weight_mul: MulPipe<20, 32, 52>,
    change_mul: MulPipe<57, 33, 90>,
    distance_delay: Delay<57, 3>,
    old_delay: Delay<57, 9>,
    fall_1: DFF<Bits<57>>,
    rise_1: DFF<Bits<57>>,
    reached_1: DFF<Bit>,
    reached_2: DFF<Bit>,
    reached_3: DFF<Bit>,
    reached_4: DFF<Bit>,
    tau_1: DFF<Bits<20>>,
    falls_1: DFF<Bits<10>>,
    distance_2: DFF<Bits<57>>,
    weight_5: DFF<Bits<33>>,
    higher_10: DFF<Bits<57>>,
    lower_10: DFF<Bits<57>>,
    valid_1: DFF<Bits<10>>,
    valid_11: DFF<Bit>,
    u_11: DFF<Bits<57>>,
    t_wide: Signal<Local, Bits<24>>,
    falls_later: Signal<Local, Bits<10>>,
    change: Signal<Local, Bits<57>>,
    valid_later: Signal<Local, Bits<10>>,
    falls_bit: Constant<Bits<10>>,
    valid_bit: Constant<Bits<10>>,
    one: Constant<Bits<33>>,
}

impl Default for CcEwma {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_t_ns: Default::default(),
            cfg_inv_t: Default::default(),
            s_valid: Default::default(),
            update: Default::default(),
            u_hop: Default::default(),
            tau_ns: Default::default(),
            u_old: Default::default(),
            m_valid: Default::default(),
            u: Default::default(),
            weight_mul: Default::default(),
            change_mul: Default::default(),
            distance_delay: Default::default(),
            old_delay: Default::default(),
            fall_1: Default::default(),
            rise_1: Default::default(),
            reached_1: Default::default(),
            reached_2: Default::default(),
            reached_3: Default::default(),
            reached_4: Default::default(),
            tau_1: Default::default(),
            falls_1: Default::default(),
            distance_2: Default::default(),
            weight_5: Default::default(),
            higher_10: Default::default(),
            lower_10: Default::default(),
            valid_1: Default::default(),
            valid_11: Default::default(),
            u_11: Default::default(),
            t_wide: Default::default(),
            falls_later: Default::default(),
            change: Default::default(),
            valid_later: Default::default(),
            falls_bit: Constant::new(1.into()),
            valid_bit: Constant::new(1.into()),
            one: Constant::new((1_u64 << 32).into()),
        }
    }
}

impl Logic for CcEwma {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, fall_1, rise_1, reached_1, reached_2, reached_3, reached_4, tau_1,
            falls_1, distance_2, weight_5, higher_10, lower_10, valid_1, valid_11, u_11
        );
        self.weight_mul.clock.next = self.clock.val();
        self.weight_mul.reset.next = self.reset.val();
        self.change_mul.clock.next = self.clock.val();
        self.change_mul.reset.next = self.reset.val();
        self.distance_delay.clock.next = self.clock.val();
        self.distance_delay.reset.next = self.reset.val();
        self.old_delay.clock.next = self.clock.val();
        self.old_delay.reset.next = self.reset.val();
        self.m_valid.next = self.valid_11.q.val();
        self.u.next = self.u_11.q.val();
        comment!("1: distance both ways, and tau against T.");
        self.fall_1.d.next = self.u_old.val() - self.u_hop.val();
        self.rise_1.d.next = self.u_hop.val() - self.u_old.val();
        self.t_wide.next = bit_cast::<24, 20>(self.cfg_t_ns.val());
        self.reached_1.d.next = self.update.val() && (self.tau_ns.val() >= self.t_wide.val());
        self.tau_1.d.next = 0.into();
        if self.update.val() {
            self.tau_1.d.next = self.tau_ns.val().get_bits::<20>(0);
        }
        comment!("2: distance; its direction waits until 10.");
        self.falls_later.next = self.falls_1.q.val() << 1;
        self.falls_1.d.next = self.falls_later.val();
        if self.u_hop.val() < self.u_old.val() {
            self.falls_1.d.next = self.falls_later.val() | self.falls_bit.val();
        }
        self.distance_2.d.next = self.rise_1.q.val();
        if self.falls_1.q.val().get_bit(0) {
            self.distance_2.d.next = self.fall_1.q.val();
        }
        self.distance_delay.d.next = self.distance_2.q.val();
        comment!("1..5: tau/T.");
        self.weight_mul.a.next = self.tau_1.q.val();
        self.weight_mul.b.next = self.cfg_inv_t.val();
        self.reached_2.d.next = self.reached_1.q.val();
        self.reached_3.d.next = self.reached_2.q.val();
        self.reached_4.d.next = self.reached_3.q.val();
        self.weight_5.d.next = bit_cast::<33, 32>(self.weight_mul.p.val().get_bits::<32>(8));
        if self.reached_4.q.val() {
            self.weight_5.d.next = self.one.val();
        }
        comment!("5..9: the way to go; 10, 11: from the old U.");
        self.change_mul.a.next = self.distance_delay.q.val();
        self.change_mul.b.next = self.weight_5.q.val();
        self.old_delay.d.next = self.u_old.val();
        self.change.next = self.change_mul.p.val().get_bits::<57>(32);
        self.higher_10.d.next = self.old_delay.q.val() + self.change.val();
        self.lower_10.d.next = self.old_delay.q.val() - self.change.val();
        self.valid_later.next = self.valid_1.q.val() << 1;
        self.valid_1.d.next = self.valid_later.val();
        if self.s_valid.val() {
            self.valid_1.d.next = self.valid_later.val() | self.valid_bit.val();
        }
        self.valid_11.d.next = self.valid_1.q.val().get_bit(9);
        self.u_11.d.next = 0.into();
        if self.valid_1.q.val().get_bit(9) {
            self.u_11.d.next = self.higher_10.q.val();
            if self.falls_1.q.val().get_bit(9) {
                self.u_11.d.next = self.lower_10.q.val();
            }
        }
        if self.reset.val() {
            self.valid_1.d.next = 0.into();
            self.valid_11.d.next = false;
            self.u_11.d.next = 0.into();
        }
    }
}
