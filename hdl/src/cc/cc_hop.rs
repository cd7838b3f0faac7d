//! u' of one hop, from its telemetry records in two ACKs.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: valid, old_hop, new_hop; cycle [`CHECK_CYCLES`]: bad; cycle
//!                     [`LATENCY_CYCLES`]: m_valid, u, tau_ns
//! # Latency and rate  [`LATENCY_CYCLES`]; one hop per cycle (five side by side for one ACK a cycle)
//! # Number formats    record     | rate code [2:0], time ns [26:3], sent/128 [46:27], queue/80 [63:47]
//!                     tau        | UQ24.0  | ns, difference mod 2^24; 0: hop skipped
//!                     sent       | UQ20.0  | 128 bytes, difference mod 2^20; or utilisation
//!                     queue      | UQ17.0  | 80 bytes, the smaller of both records
//!                     1/tau      | UQ0.22  | mantissa, relative error below 2^-18
//!                     sent/tau   | UQ20.36 | exact range, truncated; or utilisation x util_gain x
//!                                            2^code: that part of the link's rate
//!                     queue_gain | UQ0.40  | 0.625/T: a queue unit is 0.625 of a sent unit
//!                     queue/T    | UQ9.36  | truncated
//!                     u          | UQ21.36 | their sum over the link's rate in 25 Gb/s: U = 1 is
//!                                            25/1024; cannot overflow (2^20 + 2^9 < 2^21)
//!                     Rate codes 0..=4 are 25 x 2^code Gb/s, 7 is 40 Gb/s (x 5/8), 5 and 6 name no
//!                     rate: hop skipped, as is 7 with utilisation or sojourn times
//!                     sojourn    | UQ17.0 | in the place of queue; over T, not over the link's rate:
//!                                  queue_gain is 25/1024 x unit/T, and sent/tau is divided first
//! # Checks            bad[0]: tau is 2^23 or more: time goes back. bad[1]: (sent - 74) 2^multi is
//!                     more than tau 28/1024 2^code, of 40 Gb/s 56/1024: the link's rate and 12 %, of
//!                     40 Gb/s 40 %, a frame of 9216 bytes, and two units. bad[2]: the new queue is
//!                     longer than may be. They do not change m_valid
//! # Reset             synchronous, high: nothing under way, outputs 0; u and tau_ns are 0 unless
//!                     m_valid, bad is 0 unless the records are of a counted hop
//! # Twins             sim/src/golden/cc/cc_hop.rs, tests/cc_blocks.rs

use super::delay::Delay;
use crate::util::mul_pipe::MulPipe;
use crate::util::recip::Recip;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from the records to u'.
pub const LATENCY_CYCLES: usize = 16;
/// A frame of 9216 bytes in units of 128, and what the counts leave out of their last unit.
const SLACK_UNITS: u64 = 74;

/// Cycles from the records to what is wrong with them.
pub const CHECK_CYCLES: usize = 4;

/// Utilisation of a hop.
#[derive(LogicBlock)]
pub struct CcHop {
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
    /// Time \[1\] and bytes \[2\] are checked; log2 of multi \[5:3\]; largest queue \[22:6\].
    pub cfg_check: Signal<In, Bits<23>>,
    /// The records are of a counted hop.
    pub s_valid: Signal<In, Bit>,
    /// Record of the ACK before.
    pub old_hop: Signal<In, Bits<64>>,
    /// Record of this ACK.
    pub new_hop: Signal<In, Bits<64>>,
    /// The hop carries information.
    pub m_valid: Signal<Out, Bit>,
    /// u', UQ21.36.
    pub u: Signal<Out, Bits<57>>,
    /// Time between the records, ns.
    pub tau_ns: Signal<Out, Bits<24>>,
    /// What no honest network says: time, bytes, queue.
    pub bad: Signal<Out, Bits<3>>,
    recip: Recip<24>,
    sent_mul: MulPipe<20, 22, 42>,
    queue_mul: MulPipe<17, 32, 49>,
    sent_delay: Delay<20, 7>,
    queue_delay: Delay<17, 10>,
    exponent_delay: Delay<5, 3>,
    early_code: Delay<3, 7>,
    code_delay: Delay<3, 6>,
    tau_delay: Delay<24, 14>,
    valid_1: DFF<Bit>,
    tau_1: DFF<Bits<24>>,
    sent_1: DFF<Bits<20>>,
    queue_1: DFF<Bits<17>>,
    code_1: DFF<Bits<3>>,
    deep_1: DFF<Bit>,
    back_2: DFF<Bit>,
    counts_2: DFF<Bit>,
    deep_2: DFF<Bit>,
    line_2: DFF<Bits<29>>,
    excess_2: DFF<Bits<20>>,
    code_2: DFF<Bits<3>>,
    back_3: DFF<Bit>,
    counts_3: DFF<Bit>,
    deep_3: DFF<Bit>,
    most_3: DFF<Bits<27>>,
    above_3: DFF<Bits<27>>,
    back_4: DFF<Bit>,
    much_4: DFF<Bit>,
    deep_4: DFF<Bit>,
    usable_2: DFF<Bits<14>>,
    coarse_12: DFF<Bits<56>>,
    fine_12: DFF<Bits<3>>,
    sent_13: DFF<Bits<56>>,
    sum_14: DFF<Bits<57>>,
    whole_15: DFF<Bits<57>>,
    eighth_15: DFF<Bits<57>>,
    valid_16: DFF<Bit>,
    u_16: DFF<Bits<57>>,
    tau_16: DFF<Bits<24>>,
    old_tau: Signal<Local, Bits<24>>,
    new_tau: Signal<Local, Bits<24>>,
    old_sent: Signal<Local, Bits<20>>,
    new_sent: Signal<Local, Bits<20>>,
    old_queue: Signal<Local, Bits<17>>,
    new_queue: Signal<Local, Bits<17>>,
    queue_max: Signal<Local, Bits<17>>,
    tau_32: Signal<Local, Bits<29>>,
    tau_4: Signal<Local, Bits<29>>,
    over: Signal<Local, Bits<21>>,
    above: Signal<Local, Bits<27>>,
    multi: Signal<Local, Bits<3>>,
    flags: Signal<Local, Bits<3>>,
    usable: Signal<Local, Bit>,
    usable_later: Signal<Local, Bits<14>>,
    product: Signal<Local, Bits<56>>,
    sent: Signal<Local, Bits<56>>,
    coarse: Signal<Local, Bits<2>>,
    sent_term: Signal<Local, Bits<57>>,
    queue_term: Signal<Local, Bits<57>>,
    u_sum: Signal<Local, Bits<57>>,
    no_rate_5: Constant<Bits<3>>,
    no_rate_6: Constant<Bits<3>>,
    no_rate_7: Constant<Bits<3>>,
    by_use: Signal<Local, Bit>,
    by_time: Signal<Local, Bit>,
    exponent: Signal<Local, Bits<5>>,
    rate_shift: Signal<Local, Bits<5>>,
    usable_bit: Constant<Bits<14>>,
    slack_units: Constant<Bits<21>>,
    no_limit: Constant<Bits<27>>,
}

impl Default for CcHop {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_queue_gain: Default::default(),
            cfg_util_gain: Default::default(),
            cfg_check: Default::default(),
            s_valid: Default::default(),
            old_hop: Default::default(),
            new_hop: Default::default(),
            m_valid: Default::default(),
            u: Default::default(),
            tau_ns: Default::default(),
            bad: Default::default(),
            recip: Default::default(),
            sent_mul: Default::default(),
            queue_mul: Default::default(),
            sent_delay: Default::default(),
            queue_delay: Default::default(),
            exponent_delay: Default::default(),
            early_code: Default::default(),
            code_delay: Default::default(),
            tau_delay: Default::default(),
            valid_1: Default::default(),
            tau_1: Default::default(),
            sent_1: Default::default(),
            queue_1: Default::default(),
            code_1: Default::default(),
            deep_1: Default::default(),
            back_2: Default::default(),
            counts_2: Default::default(),
            deep_2: Default::default(),
            line_2: Default::default(),
            excess_2: Default::default(),
            code_2: Default::default(),
            back_3: Default::default(),
            counts_3: Default::default(),
            deep_3: Default::default(),
            most_3: Default::default(),
            above_3: Default::default(),
            back_4: Default::default(),
            much_4: Default::default(),
            deep_4: Default::default(),
            usable_2: Default::default(),
            coarse_12: Default::default(),
            fine_12: Default::default(),
            sent_13: Default::default(),
            sum_14: Default::default(),
            whole_15: Default::default(),
            eighth_15: Default::default(),
            valid_16: Default::default(),
            u_16: Default::default(),
            tau_16: Default::default(),
            old_tau: Default::default(),
            new_tau: Default::default(),
            old_sent: Default::default(),
            new_sent: Default::default(),
            old_queue: Default::default(),
            new_queue: Default::default(),
            queue_max: Default::default(),
            tau_32: Default::default(),
            tau_4: Default::default(),
            over: Default::default(),
            above: Default::default(),
            multi: Default::default(),
            flags: Default::default(),
            usable: Default::default(),
            usable_later: Default::default(),
            product: Default::default(),
            sent: Default::default(),
            coarse: Default::default(),
            sent_term: Default::default(),
            queue_term: Default::default(),
            u_sum: Default::default(),
            no_rate_5: Constant::new(5.into()),
            no_rate_6: Constant::new(6.into()),
            no_rate_7: Constant::new(7.into()),
            by_use: Default::default(),
            by_time: Default::default(),
            exponent: Default::default(),
            rate_shift: Default::default(),
            usable_bit: Constant::new(1.into()),
            slack_units: Constant::new(SLACK_UNITS.to_bits()),
            no_limit: Constant::new(((1_u64 << 27) - 1).to_bits()),
        }
    }
}

impl Logic for CcHop {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, valid_1, tau_1, sent_1, queue_1, code_1, deep_1, back_2, counts_2, deep_2,
            line_2, excess_2, code_2, back_3, counts_3, deep_3, most_3, above_3, back_4, much_4,
            deep_4, usable_2, coarse_12, fine_12, sent_13, sum_14, whole_15, eighth_15, valid_16,
            u_16, tau_16
        );
        self.recip.clock.next = self.clock.val();
        self.recip.reset.next = self.reset.val();
        self.sent_mul.clock.next = self.clock.val();
        self.sent_mul.reset.next = self.reset.val();
        self.queue_mul.clock.next = self.clock.val();
        self.queue_mul.reset.next = self.reset.val();
        self.sent_delay.clock.next = self.clock.val();
        self.sent_delay.reset.next = self.reset.val();
        self.queue_delay.clock.next = self.clock.val();
        self.queue_delay.reset.next = self.reset.val();
        self.exponent_delay.clock.next = self.clock.val();
        self.exponent_delay.reset.next = self.reset.val();
        self.early_code.clock.next = self.clock.val();
        self.early_code.reset.next = self.reset.val();
        self.code_delay.clock.next = self.clock.val();
        self.code_delay.reset.next = self.reset.val();
        self.tau_delay.clock.next = self.clock.val();
        self.tau_delay.reset.next = self.reset.val();
        self.m_valid.next = self.valid_16.q.val();
        self.u.next = self.u_16.q.val();
        self.tau_ns.next = self.tau_16.q.val();
        comment!("1: what has changed since the last ACK.");
        self.old_tau.next = self.old_hop.val().get_bits::<24>(3);
        self.new_tau.next = self.new_hop.val().get_bits::<24>(3);
        self.old_sent.next = self.old_hop.val().get_bits::<20>(27);
        self.new_sent.next = self.new_hop.val().get_bits::<20>(27);
        self.old_queue.next = self.old_hop.val().get_bits::<17>(47);
        self.new_queue.next = self.new_hop.val().get_bits::<17>(47);
        self.valid_1.d.next = self.s_valid.val();
        self.tau_1.d.next = self.new_tau.val() - self.old_tau.val();
        self.by_use.next = self.cfg_util_gain.val().get_bit(21);
        self.by_time.next = self.cfg_util_gain.val().get_bit(27);
        self.sent_1.d.next = self.new_sent.val() - self.old_sent.val();
        if self.by_use.val() {
            self.sent_1.d.next = self.new_sent.val();
        }
        self.queue_1.d.next = self.new_queue.val();
        if self.old_queue.val() < self.new_queue.val() {
            self.queue_1.d.next = self.old_queue.val();
        }
        self.code_1.d.next = self.new_hop.val().get_bits::<3>(0);
        comment!("1..4: what no honest network says. 28 Gb/s for each 25, 28 = 32 - 4.");
        self.queue_max.next = self.cfg_check.val().get_bits::<17>(6);
        self.deep_1.d.next = self.s_valid.val() && (self.new_queue.val() > self.queue_max.val());
        self.back_2.d.next = self.valid_1.q.val()
            && self.tau_1.q.val().get_bit(23)
            && self.cfg_check.val().get_bit(1);
        self.counts_2.d.next = self.valid_1.q.val() && self.cfg_check.val().get_bit(2);
        self.deep_2.d.next = self.deep_1.q.val();
        self.tau_32.next = bit_cast::<29, 24>(self.tau_1.q.val()) << 5;
        self.tau_4.next = bit_cast::<29, 24>(self.tau_1.q.val()) << 2;
        self.line_2.d.next = self.tau_32.val() - self.tau_4.val();
        self.over.next = bit_cast::<21, 20>(self.sent_1.q.val()) - self.slack_units.val();
        self.excess_2.d.next = 0.into();
        if !self.over.val().get_bit(20) {
            self.excess_2.d.next = self.over.val().get_bits::<20>(0);
        }
        self.code_2.d.next = self.code_1.q.val();
        self.back_3.d.next = self.back_2.q.val();
        self.counts_3.d.next = self.counts_2.q.val();
        self.deep_3.d.next = self.deep_2.q.val();
        self.multi.next = self.cfg_check.val().get_bits::<3>(3);
        self.above.next = bit_cast::<27, 20>(self.excess_2.q.val());
        self.above_3.d.next = self.above.val() << self.multi.val();
        match self.code_2.q.val().index() {
            0 => {
                self.most_3.d.next = bit_cast::<27, 19>(self.line_2.q.val().get_bits::<19>(10));
            }
            2 => {
                self.most_3.d.next = bit_cast::<27, 21>(self.line_2.q.val().get_bits::<21>(8));
            }
            3 => {
                self.most_3.d.next = bit_cast::<27, 22>(self.line_2.q.val().get_bits::<22>(7));
            }
            4 => {
                self.most_3.d.next = bit_cast::<27, 23>(self.line_2.q.val().get_bits::<23>(6));
            }
            5 => {
                self.most_3.d.next = self.no_limit.val();
            }
            6 => {
                self.most_3.d.next = self.no_limit.val();
            }
            _ => {
                self.most_3.d.next = bit_cast::<27, 20>(self.line_2.q.val().get_bits::<20>(9));
            }
        }
        self.back_4.d.next = self.back_3.q.val();
        self.much_4.d.next = self.counts_3.q.val() && (self.above_3.q.val() > self.most_3.q.val());
        self.deep_4.d.next = self.deep_3.q.val();
        self.flags.next = 0.into();
        self.flags.next = self.flags.val().replace_bit(0, self.back_4.q.val());
        self.flags.next = self.flags.val().replace_bit(1, self.much_4.q.val());
        self.flags.next = self.flags.val().replace_bit(2, self.deep_4.q.val());
        self.bad.next = self.flags.val();
        comment!("2: a hop without time or rate carries no information; the flag waits until 15.");
        self.usable.next = self.valid_1.q.val()
            && self.tau_1.q.val().any()
            && (self.code_1.q.val() != self.no_rate_5.val())
            && (self.code_1.q.val() != self.no_rate_6.val())
            && !((self.by_use.val() || self.by_time.val())
                && (self.code_1.q.val() == self.no_rate_7.val()));
        self.usable_later.next = self.usable_2.q.val() << 1;
        self.usable_2.d.next = self.usable_later.val();
        if self.usable.val() {
            self.usable_2.d.next = self.usable_later.val() | self.usable_bit.val();
        }
        comment!("1..8: 1/tau; 8..11: sent/tau before its exponent; 11..13: queue/T.");
        self.recip.x.next = self.tau_1.q.val();
        self.sent_delay.d.next = self.sent_1.q.val();
        self.queue_delay.d.next = self.queue_1.q.val();
        self.early_code.d.next = self.code_1.q.val();
        self.code_delay.d.next = self.early_code.q.val();
        self.tau_delay.d.next = self.tau_1.q.val();
        self.sent_mul.a.next = self.sent_delay.q.val();
        self.sent_mul.b.next = self.recip.mantissa.val();
        self.exponent.next = self.recip.exponent.val().get_bits::<5>(0);
        if self.by_use.val() {
            self.sent_mul.b.next = self.cfg_util_gain.val().get_bits::<22>(0);
            self.exponent.next = self.cfg_util_gain.val().get_bits::<5>(22);
        }
        comment!("Utilisation: that part of the link's rate, in units of 25 Gb/s times 2^code.");
        comment!("With a sojourn time, which 2^code does not divide, 2^code is out of it already.");
        self.rate_shift.next = bit_cast::<5, 3>(self.early_code.q.val());
        self.exponent_delay.d.next = self.exponent.val();
        if self.by_use.val() && !self.by_time.val() {
            self.exponent_delay.d.next = self.exponent.val() - self.rate_shift.val();
        } else if self.by_time.val() && !self.by_use.val() {
            self.exponent_delay.d.next = self.exponent.val() + self.rate_shift.val();
        }
        if self.by_time.val() {
            self.code_delay.d.next = 0.into();
        }
        self.queue_mul.a.next = self.queue_delay.q.val();
        self.queue_mul.b.next = self.cfg_queue_gain.val();
        comment!("12, 13: the exponent, by bytes, then by bits.");
        self.product.next = bit_cast::<56, 42>(self.sent_mul.p.val());
        self.sent.next = self.product.val() << 14;
        self.coarse.next = self.exponent_delay.q.val().get_bits::<2>(3);
        self.fine_12.d.next = self.exponent_delay.q.val().get_bits::<3>(0);
        match self.coarse.val().index() {
            0 => {
                self.coarse_12.d.next = self.sent.val();
            }
            1 => {
                self.coarse_12.d.next = self.sent.val() >> 8;
            }
            2 => {
                self.coarse_12.d.next = self.sent.val() >> 16;
            }
            _ => {
                self.coarse_12.d.next = self.sent.val() >> 24;
            }
        }
        self.sent_13.d.next = self.coarse_12.q.val() >> self.fine_12.q.val();
        comment!("14: u' on a link of 25 Gb/s.");
        self.sent_term.next = bit_cast::<57, 56>(self.sent_13.q.val());
        self.queue_term.next = bit_cast::<57, 45>(self.queue_mul.p.val().get_bits::<45>(4));
        self.sum_14.d.next = self.sent_term.val() + self.queue_term.val();
        comment!("15, 16: over the link's rate; 40 Gb/s is 1/2 + 1/8.");
        self.eighth_15.d.next = 0.into();
        match self.code_delay.q.val().index() {
            0 => {
                self.whole_15.d.next = self.sum_14.q.val();
            }
            1 => {
                self.whole_15.d.next = self.sum_14.q.val() >> 1;
            }
            2 => {
                self.whole_15.d.next = self.sum_14.q.val() >> 2;
            }
            3 => {
                self.whole_15.d.next = self.sum_14.q.val() >> 3;
            }
            4 => {
                self.whole_15.d.next = self.sum_14.q.val() >> 4;
            }
            _ => {
                self.whole_15.d.next = self.sum_14.q.val() >> 1;
                self.eighth_15.d.next = self.sum_14.q.val() >> 3;
            }
        }
        self.u_sum.next = self.whole_15.q.val() + self.eighth_15.q.val();
        self.valid_16.d.next = self.usable_2.q.val().get_bit(13);
        self.u_16.d.next = 0.into();
        self.tau_16.d.next = 0.into();
        if self.usable_2.q.val().get_bit(13) {
            self.u_16.d.next = self.u_sum.val();
            self.tau_16.d.next = self.tau_delay.q.val();
        }
        if self.reset.val() {
            self.valid_1.d.next = false;
            self.deep_1.d.next = false;
            self.back_2.d.next = false;
            self.counts_2.d.next = false;
            self.deep_2.d.next = false;
            self.back_3.d.next = false;
            self.counts_3.d.next = false;
            self.deep_3.d.next = false;
            self.back_4.d.next = false;
            self.much_4.d.next = false;
            self.deep_4.d.next = false;
            self.usable_2.d.next = 0.into();
            self.valid_16.d.next = false;
            self.u_16.d.next = 0.into();
            self.tau_16.d.next = 0.into();
        }
    }
}
