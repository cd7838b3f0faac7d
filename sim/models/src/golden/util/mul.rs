//! Twins of `hdl/src/util/mul_pipe.rs` and `hdl/src/util/mul_serial.rs`.

use crate::ports;
use crate::ports::Golden;
use std::collections::VecDeque;

/// Pipelined multiplier: products leave `latency_cycles` after their factors.
#[derive(Clone, Debug)]
pub struct MulPipe {
    latency_cycles: usize,
    in_flight: VecDeque<u128>,
}

impl MulPipe {
    /// Multiplier of `a_bits` x `b_bits`; parts have at most 17 bits, then pairs are added.
    pub fn new(a_bits: usize, b_bits: usize) -> Self {
        let mut terms = a_bits.div_ceil(17) * b_bits.div_ceil(17);
        let mut latency_cycles = 1;
        while terms > 1 {
            terms = terms.div_ceil(2);
            latency_cycles += 1;
        }
        Self { latency_cycles, in_flight: vec![0; latency_cycles - 1].into() }
    }

    /// One clock edge; returns `p` after it.
    pub fn step(&mut self, reset: bool, a: u64, b: u64) -> u128 {
        if reset {
            self.in_flight.iter_mut().for_each(|p| *p = 0);
            return 0;
        }
        self.in_flight.push_back(u128::from(a) * u128::from(b));
        self.in_flight.pop_front().expect("one was pushed")
    }

    /// Cycles from the factors to the product.
    pub fn latency_cycles(&self) -> usize {
        self.latency_cycles
    }
}

ports! {
    /// Inputs of [`MulPipe`].
    pub struct MulPipeIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Factor.
        pub a: u64,
        /// Factor.
        pub b: u64,
    }
}
ports! {
    /// Output of [`MulPipe`].
    pub struct MulPipeOut {
        /// Product.
        pub p: u128,
    }
}

impl Golden for MulPipe {
    type In = MulPipeIn;
    type Out = MulPipeOut;
    fn step(&mut self, i: &MulPipeIn) -> MulPipeOut {
        MulPipeOut { p: MulPipe::step(self, i.reset, i.a, i.b) }
    }
}

/// Serial multiplier: one bit of `a` a cycle, most significant first.
#[derive(Clone, Debug)]
pub struct MulSerial {
    a_bits: u32,
    state: Serial,
    a: u64,
    b: u64,
    p: u128,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Serial {
    Idle,
    Busy { bits_left: u32 },
    Done,
}

impl MulSerial {
    /// Multiplier whose `a` has `a_bits` bits.
    pub fn new(a_bits: u32) -> Self {
        Self { a_bits, state: Serial::Idle, a: 0, b: 0, p: 0 }
    }
}

ports! {
    /// Inputs of [`MulSerial`].
    pub struct MulSerialIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Factors are offered.
        pub s_valid: bool,
        /// Factor.
        pub s_a: u64,
        /// Factor.
        pub s_b: u64,
        /// The product is taken.
        pub m_ready: bool,
    }
}
ports! {
    /// Outputs of [`MulSerial`].
    pub struct MulSerialOut {
        /// The factors will be taken.
        pub s_ready: bool,
        /// The product stands.
        pub m_valid: bool,
        /// Product, of the bits done so far while `m_valid` is low.
        pub m_p: u128,
    }
}

impl Golden for MulSerial {
    type In = MulSerialIn;
    type Out = MulSerialOut;
    fn step(&mut self, i: &MulSerialIn) -> MulSerialOut {
        self.state = match self.state {
            Serial::Idle if i.s_valid => {
                (self.a, self.b, self.p) = (i.s_a, i.s_b, 0);
                Serial::Busy { bits_left: self.a_bits }
            }
            Serial::Busy { bits_left } => {
                self.p = u128::from(self.a >> (bits_left - 1)) * u128::from(self.b);
                match bits_left {
                    1 => Serial::Done,
                    _ => Serial::Busy { bits_left: bits_left - 1 },
                }
            }
            Serial::Done if i.m_ready => Serial::Idle,
            same => same,
        };
        if i.reset {
            *self = Self::new(self.a_bits);
        }
        MulSerialOut {
            s_ready: self.state == Serial::Idle,
            m_valid: self.state == Serial::Done,
            m_p: self.p,
        }
    }
}
