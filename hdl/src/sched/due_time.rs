//! In which queue a flow belongs, and when its credit will cover its work.
//!
//! # Source            queue: two octaves of the period in bytes of the line, len x line / rate.
//!                     Time: rest / rate, by the rate's first six bits and a table of
//!                     reciprocals, rounded up by at most 1/32
//! # Interface timing  cycle 0: s_rate, s_len, s_at; cycle 4: m_queue, s_rest; cycle 8: m_time
//! # Latency and rate  [`LATENCY_CYCLES`] from s_rest; one a cycle. No valid
//! # Number formats    rate | UQ8.24  | bytes a cycle
//!                     line | UQ8.8   | bytes a cycle
//!                     rest | UQ17.16 | bytes
//!                     time | UQ16.0  | units of 16 cycles, modulo 2^16; at most [`HORIZON_UNITS`]
//!                          |         | from now: who is due later is looked at again
//! # Reset             synchronous, high: the product's stages 0
//! # Twins             `wait_units` of sim/models/src/golden/sched/scheduler.rs, `queue` of
//!                     sim/models/src/golden/sched/octaves.rs

use crate::sched::log2::Log2;
use crate::util::{delay::Delay, mul_pipe::MulPipe};
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// Cycles from what a flow lacks to the time.
pub const LATENCY_CYCLES: usize = 4;
/// Longest wait that is written down.
pub const HORIZON_UNITS: u64 = (1 << 15) - (1 << 8);
/// A period of less than 2^(this + 2) bytes of the line is in the first queue.
pub const FIRST_OCTAVE: u64 = 11;

/// Reciprocals of 32 to 63, 2^12 of them, rounded up.
#[block(comb)]
pub struct WaitTable {
    /// The five bits behind the highest.
    pub index: Signal<In, Bits<5>>,
    /// Reciprocal.
    pub reciprocal: Signal<Out, Bits<8>>,
}

impl Logic for WaitTable {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let mut text = String::from("always @(*) begin\n    case (index)\n");
        for i in 0..32_u64 {
            let reciprocal = (1_u64 << 12).div_ceil(32 + i);
            let _ = writeln!(text, "        5'd{i}: reciprocal = 8'd{reciprocal};");
        }
        Verilog::Custom(text + "    endcase\nend\n")
    }
}

/// Queue and time.
#[block]
pub struct DueTime {
    /// Rate from now on.
    pub s_rate: Signal<In, Bits<32>>,
    /// Bytes of the work.
    pub s_len: Signal<In, Bits<14>>,
    /// Now, in units.
    pub s_at: Signal<In, Bits<16>>,
    /// Logarithm of the line's rate, in 2^-8 bytes a cycle.
    pub s_line_log2: Signal<In, Bits<4>>,
    /// Queue.
    pub m_queue: Signal<Out, Bits<3>>,
    /// What the credit lacks, and one byte more.
    pub s_rest: Signal<In, Bits<33>>,
    /// When it will not.
    pub m_time: Signal<Out, Bits<16>>,
    rate_log2: Log2<32, 5>,
    len_log2: Log2<14, 4>,
    reciprocals: WaitTable,
    product: MulPipe<15, 8, 23>,
    times: Delay<Bits<16>, 7>,
    exponents: Delay<Bits<5>, 4>,
    rate_1: Unreset<Bits<32>>,
    rate_log2_1: Unreset<Bits<5>>,
    len_log2_1: Unreset<Bits<4>>,
    mantissa_2: Unreset<Bits<5>>,
    above_2: Unreset<Bits<6>>,
    below_2: Unreset<Bits<6>>,
    reciprocal_3: Unreset<Bits<8>>,
    reciprocal_4: Unreset<Bits<8>>,
    octave_3: Unreset<Bits<6>>,
    is_first_3: Unreset<Bit>,
    queue_4: Unreset<Bits<3>>,
    exponent_6: Unreset<Bits<5>>,
    coarse_6: Unreset<Bits<36>>,
    fine_7: Unreset<Bits<36>>,
    time_8: Unreset<Bits<16>>,
    rate_wide: Signal<Local, Bits<37>>,
    rate_up: Signal<Local, Bits<37>>,
    rate_down: Signal<Local, Bits<37>>,
    len_part: Signal<Local, Bits<6>>,
    line_part: Signal<Local, Bits<6>>,
    sum: Signal<Local, Bits<6>>,
    high: Signal<Local, Bits<2>>,
    bytes: Signal<Local, Bits<15>>,
    exponent_5: Signal<Local, Bits<5>>,
    exponent_high: Signal<Local, Bits<2>>,
    exponent_low: Signal<Local, Bits<3>>,
    product_wide: Signal<Local, Bits<36>>,
    product_up: Signal<Local, Bits<36>>,
    units: Signal<Local, Bits<16>>,
    #[value(HORIZON_UNITS)]
    horizon_wide: Constant<Bits<36>>,
    #[value(HORIZON_UNITS)]
    horizon: Constant<Bits<16>>,
    #[value(24 - 8 - FIRST_OCTAVE)]
    offset: Constant<Bits<6>>,
}

impl Logic for DueTime {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("1: logarithms.");
        self.rate_log2.x.next = self.s_rate.val();
        self.len_log2.x.next = self.s_len.val();
        self.rate_1.next = self.s_rate.val();
        self.rate_log2_1.next = self.rate_log2.m.val();
        self.len_log2_1.next = self.len_log2.m.val();
        comment!("2: the rate's five bits behind the highest, and both sides of the period.");
        self.rate_wide.next = bit_cast::<37, 32>(self.rate_1.val());
        self.rate_up.next = self.rate_wide.val() << 5;
        self.rate_down.next = self.rate_up.val() >> self.rate_log2_1.val();
        self.mantissa_2.next = self.rate_down.val().get_bits::<5>(0);
        self.len_part.next = bit_cast::<6, 4>(self.len_log2_1.val());
        self.line_part.next = bit_cast::<6, 4>(self.s_line_log2.val());
        self.sum.next = self.len_part.val() + self.line_part.val();
        self.above_2.next = self.sum.val() + self.offset.val();
        self.below_2.next = bit_cast::<6, 5>(self.rate_log2_1.val());
        comment!("3: the octave.");
        self.reciprocals.index.next = self.mantissa_2.val();
        self.reciprocal_3.next = self.reciprocals.reciprocal.val();
        self.octave_3.next = self.above_2.val() - self.below_2.val();
        self.is_first_3.next = self.above_2.val() < self.below_2.val();
        comment!("4: the queue.");
        self.reciprocal_4.next = self.reciprocal_3.val();
        self.high.next = self.octave_3.val().get_bits::<2>(4);
        self.queue_4.next = self.octave_3.val().get_bits::<3>(1);
        if self.is_first_3.val() {
            self.queue_4.next = 0.into();
        } else if self.high.val().any() {
            self.queue_4.next = 7.into();
        }
        self.m_queue.next = self.queue_4.val();
        comment!("5: whole bytes times the reciprocal.");
        self.bytes.next = self.s_rest.val().get_bits::<15>(16);
        self.product.a.next = self.bytes.val();
        self.product.b.next = self.reciprocal_4.val();
        self.exponents.d.next = self.rate_log2_1.val();
        self.exponent_5.next = self.exponents.q.val();
        comment!("6 and 7: down by the rate's exponent.");
        self.product_wide.next = bit_cast::<36, 23>(self.product.p.val());
        self.product_up.next = self.product_wide.val() << 13;
        self.exponent_high.next = self.exponent_5.val().get_bits::<2>(3);
        match self.exponent_high.val().index() {
            1 => self.coarse_6.next = self.product_up.val() >> 8,
            2 => self.coarse_6.next = self.product_up.val() >> 16,
            3 => self.coarse_6.next = self.product_up.val() >> 24,
            _ => self.coarse_6.next = self.product_up.val(),
        }
        self.exponent_6.next = self.exponent_5.val();
        self.exponent_low.next = self.exponent_6.val().get_bits::<3>(0);
        self.fine_7.next = self.coarse_6.val() >> self.exponent_low.val();
        comment!("8: from now on, behind the cycle that has begun.");
        self.units.next = bit_cast::<16, 36>(self.fine_7.val());
        if self.fine_7.val() > self.horizon_wide.val() {
            self.units.next = self.horizon.val();
        }
        self.times.d.next = self.s_at.val();
        self.time_8.next = self.times.q.val() + self.units.val();
        self.m_time.next = self.time_8.val();
    }
}
