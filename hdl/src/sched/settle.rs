//! What a flow's credit is after an operation, and whether it covers the flow's work.
//!
//! # Source            credit = min(credit + rate x elapsed, max(credit, limit)); a flow earns with
//!                     work and an open window, also if the work comes [`GAP_CYCLES`] late
//! # Interface timing  cycle 0: s_*; cycle 4: m_*
//! # Latency and rate  [`LATENCY_CYCLES`]; one a cycle. No valid: the user delays its own
//! # Number formats    rate    | UQ8.24  | bytes a cycle
//!                     elapsed | UQ20.0  | cycles
//!                     credit  | UQ17.16 | bytes; the product is cut to 16 bits of fraction, so an
//!                             |         | operation loses less than 2^-16 bytes
//!                     limit   | UQ17.0  | [`CREDIT_CAP_BYTES`] while the flow earns, else its work
//! # Reset             synchronous, high: the product's stages 0
//! # Twins             `finish` of sim/models/src/golden/sched/scheduler.rs

use crate::util::mul_pipe::MulPipe;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a flow's state to its credit.
pub const LATENCY_CYCLES: usize = 4;
/// Credit of a flow that has work and an open window is at most this.
pub const CREDIT_CAP_BYTES: u64 = 1 << 16;
/// Work that comes within so many cycles of a flow's last operation counts as if it had been there.
pub const GAP_CYCLES: u64 = 128;

/// Settles a credit.
#[block]
pub struct Settle {
    /// Rate up to now.
    pub s_rate: Signal<In, Bits<32>>,
    /// Cycles since the credit was settled.
    pub s_elapsed: Signal<In, Bits<20>>,
    /// Credit then, less what is paid now.
    pub s_credit: Signal<In, Bits<33>>,
    /// The flow had work and an open window.
    pub s_earns: Signal<In, Bit>,
    /// It had an open window, and gets work now.
    pub s_rearms: Signal<In, Bit>,
    /// Bytes of its work.
    pub s_len: Signal<In, Bits<14>>,
    /// Credit now.
    pub m_credit: Signal<Out, Bits<33>>,
    /// It covers the work.
    pub m_covers: Signal<Out, Bit>,
    /// What it lacks, if it does not, and one byte more: without its fraction, rounded up.
    pub m_rest: Signal<Out, Bits<33>>,
    product: MulPipe<32, 20, 52>,
    limit_1: Unreset<Bits<17>>,
    len_1: Unreset<Bits<14>>,
    credit_1: Unreset<Bits<33>>,
    credit_2: Unreset<Bits<33>>,
    credit_3: Unreset<Bits<33>>,
    limit_2: Unreset<Bits<33>>,
    room_2: Unreset<Bits<34>>,
    room_3: Unreset<Bits<33>>,
    need_2: Unreset<Bits<34>>,
    need_3: Unreset<Bits<33>>,
    above_3: Unreset<Bits<33>>,
    full_3: Unreset<Bits<33>>,
    full_4: Unreset<Bits<33>>,
    sum_4: Unreset<Bits<33>>,
    rest_4: Unreset<Bits<33>>,
    is_full_4: Unreset<Bit>,
    covers_4: Unreset<Bit>,
    follows: Signal<Local, Bit>,
    len_wide: Signal<Local, Bits<33>>,
    limit_wide: Signal<Local, Bits<33>>,
    len: Signal<Local, Bits<33>>,
    limit: Signal<Local, Bits<33>>,
    earned: Signal<Local, Bits<44>>,
    gain: Signal<Local, Bits<33>>,
    room: Signal<Local, Bits<44>>,
    need: Signal<Local, Bits<44>>,
    #[value(CREDIT_CAP_BYTES)]
    cap: Constant<Bits<17>>,
    #[value(GAP_CYCLES)]
    gap: Constant<Bits<20>>,
    #[value(1 << 16)]
    one_byte: Constant<Bits<33>>,
}

impl Logic for Settle {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("1: the limit.");
        self.product.a.next = self.s_rate.val();
        self.product.b.next = self.s_elapsed.val();
        self.credit_1.next = self.s_credit.val();
        self.len_1.next = self.s_len.val();
        self.limit_1.next = bit_cast::<17, 14>(self.s_len.val());
        self.follows.next = self.s_rearms.val() & (self.s_elapsed.val() < self.gap.val());
        if self.s_earns.val() | self.follows.val() {
            self.limit_1.next = self.cap.val();
        }
        comment!("2: how far credit is from limit and work.");
        self.len_wide.next = bit_cast::<33, 14>(self.len_1.val());
        self.len.next = self.len_wide.val() << 16;
        self.limit_wide.next = bit_cast::<33, 17>(self.limit_1.val());
        self.limit.next = self.limit_wide.val() << 16;
        self.credit_2.next = self.credit_1.val();
        self.limit_2.next = self.limit.val();
        self.room_2.next =
            bit_cast::<34, 33>(self.limit.val()) - bit_cast::<34, 33>(self.credit_1.val());
        self.need_2.next =
            bit_cast::<34, 33>(self.len.val()) - bit_cast::<34, 33>(self.credit_1.val());
        comment!("3: not less than nothing.");
        self.credit_3.next = self.credit_2.val();
        self.room_3.next = self.room_2.val().get_bits::<33>(0);
        self.full_3.next = self.limit_2.val();
        if self.room_2.val().get_bit(33) {
            self.room_3.next = 0.into();
            self.full_3.next = self.credit_2.val();
        }
        self.need_3.next = self.need_2.val().get_bits::<33>(0);
        if self.need_2.val().get_bit(33) {
            self.need_3.next = 0.into();
        }
        self.above_3.next = self.need_2.val().get_bits::<33>(0) + self.one_byte.val();
        comment!("4: sum and comparisons side by side.");
        self.earned.next = self.product.p.val().get_bits::<44>(8);
        self.gain.next = bit_cast::<33, 44>(self.earned.val());
        self.room.next = bit_cast::<44, 33>(self.room_3.val());
        self.need.next = bit_cast::<44, 33>(self.need_3.val());
        self.is_full_4.next = self.earned.val() >= self.room.val();
        self.covers_4.next = self.earned.val() >= self.need.val();
        self.sum_4.next = self.credit_3.val() + self.gain.val();
        self.rest_4.next = self.above_3.val() - self.gain.val();
        self.full_4.next = self.full_3.val();
        self.m_credit.next = self.sum_4.val();
        if self.is_full_4.val() {
            self.m_credit.next = self.full_4.val();
        }
        comment!("The limit is never below the work.");
        self.m_covers.next = self.is_full_4.val() | self.covers_4.val();
        self.m_rest.next = self.rest_4.val();
    }
}
