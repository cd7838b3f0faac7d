//! u' of one hop, from its telemetry records in two ACKs.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: valid, old_hop, new_hop; cycle [`CHECK_CYCLES`]: bad; cycle
//!                     [`LATENCY_CYCLES`]: m_valid, u, share
//! # Latency and rate  [`LATENCY_CYCLES`]; one hop per cycle (five side by side for one ACK a cycle)
//! # Number formats    record     | rate code [2:0], time ns [26:3], sent/128 [46:27], queue/80 [63:47]
//!                     tau        | UQ24.0  | ns, difference mod 2^24; 0: hop skipped
//!                     sent       | UQ20.0  | 128 bytes, difference mod 2^20; or utilisation
//!                     queue      | UQ17.0  | 80 bytes, the smaller of both records
//!                     share      | cc_share.rs
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
//! # Reset             synchronous, high: nothing under way, outputs 0; u and share are 0 unless
//!                     m_valid, bad is 0 unless the records are of a counted hop
//! # Twins             sim/models/src/golden/cc/hop.rs, tests/cc/cc_blocks.rs

use crate::cc::share::{CcShare, Share};
use crate::rows::{CcCheck, CcUtilGain};
use crate::util::{delay::Delay, mul_pipe::MulPipe, recip::Recip};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the records to u'.
pub const LATENCY_CYCLES: usize = 13;
/// A frame of 9216 bytes in units of 128, and what the counts leave out of their last unit.
const SLACK_UNITS: u64 = 74;

/// Cycles from the records to what is wrong with them.
pub const CHECK_CYCLES: usize = 4;

/// What a hop says of itself.
#[row]
pub struct HopRecord {
    /// Code of the link's rate.
    pub rate: Bits<3>,
    /// Time, ns.
    pub time_ns: Bits<24>,
    /// Bytes sent, in units of 128.
    pub sent: Bits<20>,
    /// Queue length, in units of 64 bytes.
    pub queue: Bits<17>,
}

/// Utilisation of a hop.
#[block]
pub struct CcHop {
    /// T in ns.
    pub cfg_t_ns: Signal<In, Bits<20>>,
    /// 1/T per ns, UQ0.40.
    pub cfg_inv_t: Signal<In, Bits<32>>,
    /// 0.625/T per ns, UQ0.40.
    pub cfg_queue_gain: Signal<In, Bits<32>>,
    /// What one unit of utilisation is: mantissa [21:0], exponent [26:22]; 0: hops count
    /// bytes. [27]: hops tell sojourn times.
    pub cfg_util_gain: Signal<In, CcUtilGain>,
    /// Time \[1\] and bytes \[2\] are checked; log2 of multi \[5:3\]; largest queue \[22:6\].
    pub cfg_check: Signal<In, CcCheck>,
    /// The records are of a counted hop.
    pub s_valid: Signal<In, Bit>,
    /// Record of the ACK before.
    pub old_hop: Signal<In, HopRecord>,
    /// Record of this ACK.
    pub new_hop: Signal<In, HopRecord>,
    /// The hop carries information.
    pub m_valid: Signal<Out, Bit>,
    /// u', UQ21.36.
    pub u: Signal<Out, Bits<57>>,
    /// Share of the way that the average goes to u'.
    pub share: Signal<Out, Share>,
    /// What no honest network says: time, bytes, queue.
    pub bad: Signal<Out, Bits<3>>,
    recip: Recip<24>,
    sent_mul: MulPipe<20, 22, 42>,
    queue_mul: MulPipe<17, 32, 49>,
    share_of_tau: CcShare,
    sent_delay: Delay<Bits<20>, 6>,
    queue_delay: Delay<Bits<17>, 8>,
    exponent_delay: Delay<Bits<5>, 3>,
    early_code: Delay<Bits<3>, 6>,
    code_delay: Delay<Bits<3>, 4>,
    share_delay: Delay<Share, 5>,
    valid_1: Reg<Bit>,
    tau_1: Unreset<Bits<24>>,
    sent_1: Unreset<Bits<20>>,
    queue_1: Unreset<Bits<17>>,
    code_1: Unreset<Bits<3>>,
    deep_1: Reg<Bit>,
    back_2: Reg<Bit>,
    counts_2: Reg<Bit>,
    deep_2: Reg<Bit>,
    line_2: Unreset<Bits<29>>,
    excess_2: Unreset<Bits<20>>,
    code_2: Unreset<Bits<3>>,
    back_3: Reg<Bit>,
    counts_3: Reg<Bit>,
    deep_3: Reg<Bit>,
    most_3: Unreset<Bits<27>>,
    above_3: Unreset<Bits<27>>,
    back_4: Reg<Bit>,
    much_4: Reg<Bit>,
    deep_4: Reg<Bit>,
    usable_2: Reg<Bits<11>>,
    fine_11: Unreset<Bits<56>>,
    coarse_11: Unreset<Bits<2>>,
    sum_12: Unreset<Bits<57>>,
    shift_12: Unreset<Bits<3>>,
    is_40_12: Unreset<Bit>,
    valid_13: Reg<Bit>,
    u_13: Reg<Bits<57>>,
    share_13: Reg<Share>,
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
    usable_later: Signal<Local, Bits<11>>,
    product: Signal<Local, Bits<56>>,
    sent: Signal<Local, Bits<56>>,
    fine: Signal<Local, Bits<3>>,
    sent_term: Signal<Local, Bits<57>>,
    queue_term: Signal<Local, Bits<57>>,
    whole: Signal<Local, Bits<57>>,
    eighth: Signal<Local, Bits<57>>,
    #[value(5)]
    no_rate_5: Constant<Bits<3>>,
    #[value(6)]
    no_rate_6: Constant<Bits<3>>,
    #[value(7)]
    no_rate_7: Constant<Bits<3>>,
    by_use: Signal<Local, Bit>,
    by_time: Signal<Local, Bit>,
    exponent: Signal<Local, Bits<5>>,
    rate_shift: Signal<Local, Bits<5>>,
    #[value(1)]
    usable_bit: Constant<Bits<11>>,
    #[init(Constant::new(SLACK_UNITS.to_bits()))]
    slack_units: Constant<Bits<21>>,
    #[init(Constant::new(((1_u64 << 27) - 1).to_bits()))]
    no_limit: Constant<Bits<27>>,
}

#[kernel]
impl CcHop {
    fn update(&mut self) {
        self.m_valid.next = self.valid_13.val();
        self.u.next = self.u_13.val();
        self.share.next = self.share_13.val();
        self.differences();
        self.hostile();
        self.rates();
        self.utilisation();
        self.result();
    }

    /// 1: what has changed since the last ACK.
    fn differences(&mut self) {
        self.old_tau.next = self.old_hop.val().time_ns;
        self.new_tau.next = self.new_hop.val().time_ns;
        self.old_sent.next = self.old_hop.val().sent;
        self.new_sent.next = self.new_hop.val().sent;
        self.old_queue.next = self.old_hop.val().queue;
        self.new_queue.next = self.new_hop.val().queue;
        self.valid_1.next = self.s_valid.val();
        self.tau_1.next = self.new_tau.val() - self.old_tau.val();
        self.by_use.next = self.cfg_util_gain.val().mantissa.get_bit(21);
        self.by_time.next = self.cfg_util_gain.val().sojourn;
        self.sent_1.next = self.new_sent.val() - self.old_sent.val();
        if self.by_use.val() {
            self.sent_1.next = self.new_sent.val();
        }
        self.queue_1.next = self.new_queue.val();
        if self.old_queue.val() < self.new_queue.val() {
            self.queue_1.next = self.old_queue.val();
        }
        self.code_1.next = self.new_hop.val().rate;
    }

    /// 1..4: what no honest network says. 28 Gb/s for each 25, 28 = 32 - 4.
    fn hostile(&mut self) {
        self.queue_max.next = self.cfg_check.val().queue_max;
        self.deep_1.next = self.s_valid.val() && (self.new_queue.val() > self.queue_max.val());
        self.back_2.next =
            self.valid_1.val() && self.tau_1.val().get_bit(23) && self.cfg_check.val().time;
        self.counts_2.next = self.valid_1.val() && self.cfg_check.val().bytes;
        self.deep_2.next = self.deep_1.val();
        self.tau_32.next = bit_cast::<29, 24>(self.tau_1.val()) << 5;
        self.tau_4.next = bit_cast::<29, 24>(self.tau_1.val()) << 2;
        self.line_2.next = self.tau_32.val() - self.tau_4.val();
        self.over.next = bit_cast::<21, 20>(self.sent_1.val()) - self.slack_units.val();
        self.excess_2.next = 0.into();
        if !self.over.val().get_bit(20) {
            self.excess_2.next = self.over.val().get_bits::<20>(0);
        }
        self.code_2.next = self.code_1.val();
        self.back_3.next = self.back_2.val();
        self.counts_3.next = self.counts_2.val();
        self.deep_3.next = self.deep_2.val();
        self.multi.next = self.cfg_check.val().multi;
        self.above.next = bit_cast::<27, 20>(self.excess_2.val());
        self.above_3.next = self.above.val() << self.multi.val();
        match self.code_2.val().index() {
            0 => {
                self.most_3.next = bit_cast::<27, 19>(self.line_2.val().get_bits::<19>(10));
            }
            2 => {
                self.most_3.next = bit_cast::<27, 21>(self.line_2.val().get_bits::<21>(8));
            }
            3 => {
                self.most_3.next = bit_cast::<27, 22>(self.line_2.val().get_bits::<22>(7));
            }
            4 => {
                self.most_3.next = bit_cast::<27, 23>(self.line_2.val().get_bits::<23>(6));
            }
            5 => {
                self.most_3.next = self.no_limit.val();
            }
            6 => {
                self.most_3.next = self.no_limit.val();
            }
            _ => {
                self.most_3.next = bit_cast::<27, 20>(self.line_2.val().get_bits::<20>(9));
            }
        }
        self.back_4.next = self.back_3.val();
        self.much_4.next = self.counts_3.val() && (self.above_3.val() > self.most_3.val());
        self.deep_4.next = self.deep_3.val();
        self.flags.next = 0.into();
        self.flags.next = self.flags.val().replace_bit(0, self.back_4.val());
        self.flags.next = self.flags.val().replace_bit(1, self.much_4.val());
        self.flags.next = self.flags.val().replace_bit(2, self.deep_4.val());
        self.bad.next = self.flags.val();
    }

    /// 2: a hop without time or rate carries no information; the flag waits until 12.
    fn rates(&mut self) {
        self.usable.next = self.valid_1.val()
            && self.tau_1.val().any()
            && (self.code_1.val() != self.no_rate_5.val())
            && (self.code_1.val() != self.no_rate_6.val())
            && !((self.by_use.val() || self.by_time.val())
                && (self.code_1.val() == self.no_rate_7.val()));
        self.usable_later.next = self.usable_2.val() << 1;
        self.usable_2.next = self.usable_later.val();
        if self.usable.val() {
            self.usable_2.next = self.usable_later.val() | self.usable_bit.val();
        }
        comment!("1..7: 1/tau; 7..10: sent/tau before its exponent; 9..11: queue/T; 1..7: tau/T.");
        self.recip.x.next = self.tau_1.val();
        self.sent_delay.d.next = self.sent_1.val();
        self.queue_delay.d.next = self.queue_1.val();
        self.early_code.d.next = self.code_1.val();
        self.code_delay.d.next = self.early_code.q.val();
        self.share_of_tau.cfg_t_ns.next = self.cfg_t_ns.val();
        self.share_of_tau.cfg_inv_t.next = self.cfg_inv_t.val();
        self.share_of_tau.tau_ns.next = self.tau_1.val();
        self.share_delay.d.next = self.share_of_tau.share.val();
        self.sent_mul.a.next = self.sent_delay.q.val();
        self.sent_mul.b.next = self.recip.mantissa.val();
        self.exponent.next = self.recip.exponent.val().get_bits::<5>(0);
        if self.by_use.val() {
            self.sent_mul.b.next = self.cfg_util_gain.val().mantissa;
            self.exponent.next = self.cfg_util_gain.val().exponent;
        }
    }

    /// Utilisation: that part of the link's rate, in units of 25 Gb/s times 2^code.
    fn utilisation(&mut self) {
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
    }

    /// 11, 12: the exponent, by bits, then by bytes; the queue's part.
    fn result(&mut self) {
        self.product.next = bit_cast::<56, 42>(self.sent_mul.p.val());
        self.sent.next = self.product.val() << 14;
        self.fine.next = self.exponent_delay.q.val().get_bits::<3>(0);
        self.fine_11.next = self.sent.val() >> self.fine.val();
        self.coarse_11.next = self.exponent_delay.q.val().get_bits::<2>(3);
        match self.coarse_11.val().index() {
            0 => {
                self.sent_term.next = bit_cast::<57, 56>(self.fine_11.val());
            }
            1 => {
                self.sent_term.next = bit_cast::<57, 56>(self.fine_11.val()) >> 8;
            }
            2 => {
                self.sent_term.next = bit_cast::<57, 56>(self.fine_11.val()) >> 16;
            }
            _ => {
                self.sent_term.next = bit_cast::<57, 56>(self.fine_11.val()) >> 24;
            }
        }
        comment!("12: u' on a link of 25 Gb/s.");
        self.queue_term.next = bit_cast::<57, 45>(self.queue_mul.p.val().get_bits::<45>(4));
        self.sum_12.next = self.sent_term.val() + self.queue_term.val();
        comment!("13: over the link's rate; 40 Gb/s is 1/2 + 1/8.");
        self.is_40_12.next = self.code_delay.q.val() == self.no_rate_7.val();
        self.shift_12.next = self.code_delay.q.val();
        if self.code_delay.q.val() == self.no_rate_7.val() {
            self.shift_12.next = 1.into();
        }
        self.whole.next = self.sum_12.val() >> self.shift_12.val();
        self.eighth.next = 0.into();
        if self.is_40_12.val() {
            self.eighth.next = self.sum_12.val() >> 3;
        }
        self.valid_13.next = self.usable_2.val().get_bit(10);
        self.u_13.next = 0.into();
        self.share_13.next = 0.into();
        if self.usable_2.val().get_bit(10) {
            self.u_13.next = self.whole.val() + self.eighth.val();
            self.share_13.next = self.share_delay.q.val();
        }
    }
}
