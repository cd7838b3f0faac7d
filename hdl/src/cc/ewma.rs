//! Moving average of the utilisation: U = (1 - tau/T) U + tau/T u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: s_valid, update, u_hop, share, u_old; cycle [`LATENCY_CYCLES`]:
//!                     m_valid, u
//! # Latency and rate  [`LATENCY_CYCLES`]; one update per cycle
//! # Number formats    u_hop, u_old, u | UQ21.36 | U = 1 is 25/1024
//!                     share           | cc_share.rs | of the way from the nearer of U and u'
//!                     from + share (to - from), the product truncated towards where it comes from: between
//!                     U and u', so it cannot overflow. What is cut off the share is below 2^-24 of
//!                     it, so of U, whatever U was before
//! # Reset             synchronous, high: nothing under way; u is 0 unless m_valid
//! # Twins             sim/models/src/golden/cc/ewma.rs, tests/cc/cc_blocks.rs

use crate::cc::share::Share;
use crate::util::{delay::Delay, mul_pipe::MulPipe};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from u' to U.
pub const LATENCY_CYCLES: usize = 7;

/// Moving average of the utilisation.
#[block]
pub struct CcEwma {
    /// An update is offered.
    pub s_valid: Signal<In, Bit>,
    /// `u_hop` counts; else U stays.
    pub update: Signal<In, Bit>,
    /// u' of the path, UQ21.36.
    pub u_hop: Signal<In, Bits<57>>,
    /// Share of the way.
    pub share: Signal<In, Share>,
    /// U before, UQ21.36.
    pub u_old: Signal<In, Bits<57>>,
    /// An update is done.
    pub m_valid: Signal<Out, Bit>,
    /// U after, UQ21.36.
    pub u: Signal<Out, Bits<57>>,
    change_mul: MulPipe<57, 32, 89>,
    from_delay: Delay<Bits<57>, 6>,
    fall_1: Unreset<Bits<57>>,
    rise_1: Unreset<Bits<57>>,
    falls_1: Unreset<Bit>,
    share_1: Unreset<Share>,
    distance_2: Unreset<Bits<57>>,
    part_2: Unreset<Bits<32>>,
    fine_2: Unreset<Bits<5>>,
    lowers_2: Unreset<Bits<5>>,
    valid_1: Reg<Bits<6>>,
    valid_7: Reg<Bit>,
    u_7: Reg<Bits<57>>,
    is_turned: Signal<Local, Bit>,
    fine_later: Signal<Local, Bits<5>>,
    lowers_later: Signal<Local, Bits<5>>,
    change: Signal<Local, Bits<57>>,
    change_twice: Signal<Local, Bits<58>>,
    from_twice: Signal<Local, Bits<58>>,
    sum: Signal<Local, Bits<58>>,
    valid_later: Signal<Local, Bits<6>>,
    #[value(1)]
    carry: Constant<Bits<58>>,
    #[value(1)]
    flag_bit: Constant<Bits<5>>,
    #[value(1)]
    valid_bit: Constant<Bits<6>>,
}

impl Logic for CcEwma {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_valid.next = self.valid_7.val();
        self.u.next = self.u_7.val();
        comment!("1: distance both ways; where the way begins waits until 6.");
        self.fall_1.next = self.u_old.val() - self.u_hop.val();
        self.rise_1.next = self.u_hop.val() - self.u_old.val();
        self.falls_1.next = self.u_hop.val() < self.u_old.val();
        self.is_turned.next = self.update.val() && self.share.val().turned;
        self.share_1.next = self.share.val();
        if !self.update.val() {
            self.share_1.next = 0.into();
        }
        self.from_delay.d.next = self.u_old.val();
        if self.is_turned.val() {
            self.from_delay.d.next = self.u_hop.val();
        }
        comment!("2: distance; its direction waits until 6.");
        self.distance_2.next = self.rise_1.val();
        if self.falls_1.val() {
            self.distance_2.next = self.fall_1.val();
        }
        self.part_2.next = self.share_1.val().part;
        self.fine_later.next = self.fine_2.val() << 1;
        self.fine_2.next = self.fine_later.val();
        if self.share_1.val().fine {
            self.fine_2.next = self.fine_later.val() | self.flag_bit.val();
        }
        self.lowers_later.next = self.lowers_2.val() << 1;
        self.lowers_2.next = self.lowers_later.val();
        if self.falls_1.val() ^ self.share_1.val().turned {
            self.lowers_2.next = self.lowers_later.val() | self.flag_bit.val();
        }
        comment!(
            "6: the way to go; 7: from where it begins, minus it as plus its complement and 1."
        );
        self.change_mul.a.next = self.distance_2.val();
        self.change_mul.b.next = self.part_2.val();
        self.change.next = self.change_mul.p.val().get_bits::<57>(32);
        if self.fine_2.val().get_bit(4) {
            self.change.next = bit_cast::<57, 49>(self.change_mul.p.val().get_bits::<49>(40));
        }
        self.change_twice.next = bit_cast::<58, 57>(self.change.val()) << 1;
        self.from_twice.next = bit_cast::<58, 57>(self.from_delay.q.val()) << 1;
        if self.lowers_2.val().get_bit(4) {
            self.change_twice.next = !(bit_cast::<58, 57>(self.change.val()) << 1);
            self.from_twice.next =
                (bit_cast::<58, 57>(self.from_delay.q.val()) << 1) | self.carry.val();
        }
        self.sum.next = self.from_twice.val() + self.change_twice.val();
        self.valid_later.next = self.valid_1.val() << 1;
        self.valid_1.next = self.valid_later.val();
        if self.s_valid.val() {
            self.valid_1.next = self.valid_later.val() | self.valid_bit.val();
        }
        self.valid_7.next = self.valid_1.val().get_bit(5);
        self.u_7.next = 0.into();
        if self.valid_1.val().get_bit(5) {
            self.u_7.next = self.sum.val().get_bits::<57>(1);
        }
    }
}
