//! Moving average of the utilisation: U = (1 - tau/T) U + tau/T u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: s_valid, update, u_hop, tau_ns, u_old; cycle [`LATENCY_CYCLES`]:
//!                     m_valid, u
//! # Latency and rate  [`LATENCY_CYCLES`]; one update per cycle
//! # Number formats    u_hop, u_old, u | UQ21.36 | U = 1 is 25/1024
//!                     tau             | UQ24.0  | ns; counts as T above T
//!                     1/T             | UQ0.40  | rounded to nearest: error 2^-41
//!                     share           | UQ0.32, UQ0.40 below 2^-8 | of the way from the nearer of U and u': tau/T
//!                     up to a half, then 1 - tau/T; 0 from tau = T on, and without update
//!                     from + share (to - from), the product truncated towards where it comes from: between
//!                     U and u', so it cannot overflow. What is cut off the share is below 2^-24 of
//!                     it, so of U, whatever U was before
//! # Reset             synchronous, high: nothing under way; u is 0 unless m_valid
//! # Twins             sim/models/src/golden/cc/ewma.rs, tests/cc/cc_blocks.rs

use crate::util::{delay::Delay, mul_pipe::MulPipe};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from u' to U.
pub const LATENCY_CYCLES: usize = 11;

/// Moving average of the utilisation.
#[block]
pub struct CcEwma {
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
    share_mul: MulPipe<20, 32, 52>,
    change_mul: MulPipe<57, 32, 89>,
    distance_delay: Delay<Bits<57>, 3>,
    from_delay: Delay<Bits<57>, 9>,
    fall_1: Unreset<Bits<57>>,
    rise_1: Unreset<Bits<57>>,
    falls_1: Unreset<Bit>,
    turned_1: Unreset<Bit>,
    part_1: Unreset<Bits<20>>,
    lowers_2: Unreset<Bits<9>>,
    distance_2: Unreset<Bits<57>>,
    share_5: Unreset<Bits<32>>,
    is_fine_5: Unreset<Bits<5>>,
    higher_10: Unreset<Bits<57>>,
    lower_10: Unreset<Bits<57>>,
    valid_1: Reg<Bits<10>>,
    valid_11: Reg<Bit>,
    u_11: Reg<Bits<57>>,
    t_wide: Signal<Local, Bits<25>>,
    tau_wide: Signal<Local, Bits<25>>,
    tau_twice: Signal<Local, Bits<25>>,
    rest: Signal<Local, Bits<25>>,
    is_turned: Signal<Local, Bit>,
    lowers_later: Signal<Local, Bits<9>>,
    share: Signal<Local, Bits<52>>,
    is_fine_later: Signal<Local, Bits<5>>,
    change: Signal<Local, Bits<57>>,
    valid_later: Signal<Local, Bits<10>>,
    #[value(1)]
    lowers_bit: Constant<Bits<9>>,
    #[value(1)]
    is_fine_bit: Constant<Bits<5>>,
    #[value(1)]
    valid_bit: Constant<Bits<10>>,
}

impl Logic for CcEwma {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_valid.next = self.valid_11.val();
        self.u.next = self.u_11.val();
        comment!("1: distance both ways; above T/2 the way is the rest of T, from u'.");
        self.fall_1.next = self.u_old.val() - self.u_hop.val();
        self.rise_1.next = self.u_hop.val() - self.u_old.val();
        self.falls_1.next = self.u_hop.val() < self.u_old.val();
        self.t_wide.next = bit_cast::<25, 20>(self.cfg_t_ns.val());
        self.tau_wide.next = bit_cast::<25, 24>(self.tau_ns.val());
        self.rest.next = self.t_wide.val() - self.tau_wide.val();
        self.tau_twice.next = self.tau_wide.val() << 1;
        self.is_turned.next = self.update.val() & (self.tau_twice.val() > self.t_wide.val());
        self.turned_1.next = self.is_turned.val();
        self.from_delay.d.next = self.u_old.val();
        self.part_1.next = 0.into();
        if self.is_turned.val() {
            self.from_delay.d.next = self.u_hop.val();
            if !self.rest.val().get_bit(24) {
                self.part_1.next = self.rest.val().get_bits::<20>(0);
            }
        } else if self.update.val() {
            self.part_1.next = self.tau_ns.val().get_bits::<20>(0);
        }
        comment!("2: distance; its direction waits until 10.");
        self.lowers_later.next = self.lowers_2.val() << 1;
        self.lowers_2.next = self.lowers_later.val();
        if self.falls_1.val() ^ self.turned_1.val() {
            self.lowers_2.next = self.lowers_later.val() | self.lowers_bit.val();
        }
        self.distance_2.next = self.rise_1.val();
        if self.falls_1.val() {
            self.distance_2.next = self.fall_1.val();
        }
        self.distance_delay.d.next = self.distance_2.val();
        comment!("1..5: the share of the way, eight bits finer while it is below 2^-8.");
        self.share_mul.a.next = self.part_1.val();
        self.share_mul.b.next = self.cfg_inv_t.val();
        self.share.next = self.share_mul.p.val();
        self.is_fine_later.next = self.is_fine_5.val() << 1;
        self.share_5.next = self.share.val().get_bits::<32>(8);
        self.is_fine_5.next = self.is_fine_later.val();
        if !self.share.val().get_bits::<20>(32).any() {
            self.share_5.next = self.share.val().get_bits::<32>(0);
            self.is_fine_5.next = self.is_fine_later.val() | self.is_fine_bit.val();
        }
        comment!("5..9: the way to go; 10, 11: from where it begins.");
        self.change_mul.a.next = self.distance_delay.q.val();
        self.change_mul.b.next = self.share_5.val();
        self.change.next = self.change_mul.p.val().get_bits::<57>(32);
        if self.is_fine_5.val().get_bit(4) {
            self.change.next = bit_cast::<57, 49>(self.change_mul.p.val().get_bits::<49>(40));
        }
        self.higher_10.next = self.from_delay.q.val() + self.change.val();
        self.lower_10.next = self.from_delay.q.val() - self.change.val();
        self.valid_later.next = self.valid_1.val() << 1;
        self.valid_1.next = self.valid_later.val();
        if self.s_valid.val() {
            self.valid_1.next = self.valid_later.val() | self.valid_bit.val();
        }
        self.valid_11.next = self.valid_1.val().get_bit(9);
        self.u_11.next = 0.into();
        if self.valid_1.val().get_bit(9) {
            self.u_11.next = self.higher_10.val();
            if self.lowers_2.val().get_bit(8) {
                self.u_11.next = self.lower_10.val();
            }
        }
    }
}
