//! Serial unsigned multiplier: shift and add, one bit of `a` a cycle.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, s_a, s_b taken; cycle A + 1: m_valid, m_p,
//!                     until m_ready; s_ready the cycle after that
//! # Latency and rate  A + 1; one product every A + 3 cycles
//! # Shape             P = A + B; A <= 127
//! # Reset             synchronous, high: idle, s_ready = 1, m_p = 0. While m_valid is low m_p
//!                     shows the product of the bits of `a` done so far
//! # Twins             sim/src/golden/util/mul.rs, tests/mul_serial.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// `A` x `B` -> `P = A + B` bits.
#[derive(LogicBlock)]
pub struct MulSerial<const A: usize, const B: usize, const P: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    idle: DFF<Bit>,
    done: DFF<Bit>,
    bits_left: DFF<Bits<7>>,
    a: DFF<Bits<A>>,
    b: DFF<Bits<B>>,
    sum: DFF<Bits<P>>,
    doubled: Signal<Local, Bits<P>>,
    addend: Signal<Local, Bits<P>>,
    a_bits: Constant<Bits<7>>,
    one_left: Constant<Bits<7>>,
    top_bit: Constant<Bits<7>>,
}

impl<const A: usize, const B: usize, const P: usize> MulSerial<A, B, P> {
    /// Cycles from the factors to the product.
    pub const LATENCY_CYCLES: usize = A + 1;
}

impl<const A: usize, const B: usize, const P: usize> Default for MulSerial<A, B, P> {
    fn default() -> Self {
        assert!(P == A + B && A >= 2 && A <= 127, "P = A + B, A in 2..=127");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_ready: Default::default(),
            s_a: Default::default(),
            s_b: Default::default(),
            m_valid: Default::default(),
            m_ready: Default::default(),
            m_p: Default::default(),
            idle: Default::default(),
            done: Default::default(),
            bits_left: Default::default(),
            a: Default::default(),
            b: Default::default(),
            sum: Default::default(),
            doubled: Default::default(),
            addend: Default::default(),
            a_bits: Constant::new((A as u64).into()),
            one_left: Constant::new(1.into()),
            top_bit: Constant::new((A as u64 - 1).into()),
        }
    }
}

impl<const A: usize, const B: usize, const P: usize> Logic for MulSerial<A, B, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, idle, done, bits_left, a, b, sum);
        self.s_ready.next = self.idle.q.val();
        self.m_valid.next = self.done.q.val();
        self.m_p.next = self.sum.q.val();
        self.doubled.next = self.sum.q.val() << 1;
        self.addend.next = 0.into();
        if self.a.q.val().get_bit(self.top_bit.val().index()) {
            self.addend.next = bit_cast::<P, B>(self.b.q.val());
        }
        if self.idle.q.val() {
            if self.s_valid.val() {
                self.idle.d.next = false;
                self.a.d.next = self.s_a.val();
                self.b.d.next = self.s_b.val();
                self.sum.d.next = 0.into();
                self.bits_left.d.next = self.a_bits.val();
            }
        } else if self.done.q.val() {
            self.done.d.next = !self.m_ready.val();
            self.idle.d.next = self.m_ready.val();
        } else {
            comment!("One bit of a, most significant first.");
            self.sum.d.next = self.doubled.val() + self.addend.val();
            self.a.d.next = self.a.q.val() << 1;
            self.bits_left.d.next = self.bits_left.q.val() - 1;
            self.done.d.next = self.bits_left.q.val() == self.one_left.val();
        }
        if self.reset.val() {
            self.idle.d.next = true;
            self.done.d.next = false;
            self.sum.d.next = 0.into();
        }
    }
}
