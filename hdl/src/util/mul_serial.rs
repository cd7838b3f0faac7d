//! Serial unsigned multiplier: shift and add, one bit of `a` a cycle.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, s_a, s_b taken; cycle A + 1: m_valid, m_p,
//!                     until m_ready; s_ready the cycle after that
//! # Latency and rate  A + 1; one product every A + 3 cycles
//! # Shape             P = A + B; A <= 127
//! # Reset             synchronous, high: idle, s_ready = 1, m_p = 0. While m_valid is low m_p
//!                     shows the product of the bits of `a` done so far
//! # Twins             sim/models/src/golden/util/mul.rs, tests/util/mul_serial.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// `A` x `B` -> `P = A + B` bits.
#[block(check(P == A + B && A >= 2 && A <= 127))]
pub struct MulSerial<const A: usize, const B: usize, const P: usize> {
    /// Factors are offered.
    pub s_valid: Signal<In, Bit>,
    /// They will be taken.
    pub s_ready: Signal<Out, Bit>,
    /// Factor.
    pub s_a: Signal<In, Bits<A>>,
    /// Factor.
    pub s_b: Signal<In, Bits<B>>,
    /// The product stands.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// Product.
    pub m_p: Signal<Out, Bits<P>>,
    #[reset(true)]
    idle: Reg<Bit>,
    done: Reg<Bit>,
    bits_left: Unreset<Bits<7>>,
    a: Unreset<Bits<A>>,
    b: Unreset<Bits<B>>,
    sum: Reg<Bits<P>>,
    doubled: Signal<Local, Bits<P>>,
    addend: Signal<Local, Bits<P>>,
    #[value(A as u64)]
    a_bits: Constant<Bits<7>>,
    #[value(1)]
    one_left: Constant<Bits<7>>,
    #[value(A as u64 - 1)]
    top_bit: Constant<Bits<7>>,
}

impl<const A: usize, const B: usize, const P: usize> MulSerial<A, B, P> {
    /// Cycles from the factors to the product.
    pub const LATENCY_CYCLES: usize = A + 1;
}

impl<const A: usize, const B: usize, const P: usize> Logic for MulSerial<A, B, P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_ready.next = self.idle.val();
        self.m_valid.next = self.done.val();
        self.m_p.next = self.sum.val();
        self.doubled.next = self.sum.val() << 1;
        self.addend.next = 0.into();
        if self.a.val().get_bit(self.top_bit.val().index()) {
            self.addend.next = bit_cast::<P, B>(self.b.val());
        }
        if self.idle.val() {
            if self.s_valid.val() {
                self.idle.next = false;
                self.a.next = self.s_a.val();
                self.b.next = self.s_b.val();
                self.sum.next = 0.into();
                self.bits_left.next = self.a_bits.val();
            }
        } else if self.done.val() {
            self.done.next = !self.m_ready.val();
            self.idle.next = self.m_ready.val();
        } else {
            comment!("One bit of a, most significant first.");
            self.sum.next = self.doubled.val() + self.addend.val();
            self.a.next = self.a.val() << 1;
            self.bits_left.next = self.bits_left.val() - 1;
            self.done.next = self.bits_left.val() == self.one_left.val();
        }
    }
}
