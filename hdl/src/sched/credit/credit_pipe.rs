//! Credit of a flow at its visit: what it had, and what its rate earned it since.
//!
//! # Interface timing  cycle 0: s_*; cycle [`LATENCY_CYCLES`]: m_*
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit per cycle, no valid: the user delays its own
//! # Number formats    signal        | format  | unit
//!                     s_rate        | UQ8.24  | bytes a cycle
//!                     s_now, s_seen | UQ22.0  | cycles, modulo 2^22; elapsed time counts for at
//!                                   |         | most [`ELAPSED_MAX_CYCLES`]
//!                     credits       | UQ17.24 | bytes, with an offset of 64 KiB: bit 40 is set
//!                                   |         | from zero on; saturate below 64 KiB of credit,
//!                                   |         | nothing else is ever rounded
//!                     s_phase       | UQ0.12  | packets: first credit of a flow not s_started
//!                     m_levels      | 8 bits  | bit k: credit >= LEVEL_QUARTERS[k] / 4 packets
//!                     m_held_quarters | UQ16.2 | bytes: 7/4 packets
//!                     m_may_owe     | 1 bit   | the flow owes at most 32 KiB: it pays for a packet
//! # Reset             synchronous, high: all zero
//! # Twins             `credit_at` of sim/models/src/golden/sched/scheduler.rs

use crate::util::mul_pipe::MulPipe;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a flow's state to its credit.
pub const LATENCY_CYCLES: usize = 6;
/// Time since the last visit counts for at most this many cycles.
pub const ELAPSED_MAX_CYCLES: u32 = (1 << 12) - 1;
/// Credit that reaches each level, in quarters of the packet.
pub const LEVEL_QUARTERS: [u64; 8] = [4, 5, 6, 7, 8, 9, 10, 16];
/// Credit 0 as it is stored.
pub const CREDIT_ZERO: u64 = 1 << 40;

/// Pipeline from the state of a flow to its credit and levels.
#[block]
pub struct CreditPipe {
    /// Rate, UQ8.24 bytes a cycle.
    pub s_rate: Signal<In, Bits<32>>,
    /// Window, bytes.
    pub s_window_bytes: Signal<In, Bits<32>>,
    /// Bytes in flight.
    pub s_inflight_bytes: Signal<In, Bits<32>>,
    /// Bytes of the packet that waits.
    pub s_len_bytes: Signal<In, Bits<14>>,
    /// Credit after the last visit.
    pub s_credit: Signal<In, Bits<41>>,
    /// Time of the last visit.
    pub s_seen: Signal<In, Bits<22>>,
    /// Time of this visit.
    pub s_now: Signal<In, Bits<22>>,
    /// The flow had a visit since it was created.
    pub s_started: Signal<In, Bit>,
    /// First credit, UQ0.12 packets.
    pub s_phase: Signal<In, Bits<12>>,
    /// The window lets the flow send.
    pub m_is_open: Signal<Out, Bit>,
    /// Credit to keep when nothing is sent: one packet at most while closed.
    pub m_kept_credit: Signal<Out, Bits<41>>,
    /// Credit that a packet leaves, if the flow may send it.
    pub m_spent_credit: Signal<Out, Bits<41>>,
    /// Levels reached.
    pub m_levels: Signal<Out, Bits<8>>,
    /// A packet may be sent before there is credit for it.
    pub m_may_owe: Signal<Out, Bit>,
    /// Seven quarters of the packet, in quarters of a byte: level 3.
    pub m_held_quarters: Signal<Out, Bits<18>>,
    product: MulPipe<32, 12, 44>,
    factor_1: Unreset<Bits<32>>,
    cycles_1: Unreset<Bits<12>>,
    credit_1: Unreset<Bits<41>>,
    len_1: Unreset<Bits<14>>,
    open_1: Unreset<Bit>,
    credit_2: Unreset<Bits<41>>,
    len_2: Unreset<Bits<14>>,
    open_2: Unreset<Bit>,
    credit_3: Unreset<Bits<41>>,
    len_3: Unreset<Bits<14>>,
    open_3: Unreset<Bit>,
    sum_4: Unreset<Bits<45>>,
    len_4: Unreset<Bits<14>>,
    open_4: Unreset<Bit>,
    credit_5: Unreset<Bits<41>>,
    len_5: Unreset<Bits<14>>,
    held_6: Reg<Bits<18>>,
    open_5: Unreset<Bit>,
    quarters_5: [Unreset<Bits<18>>; 8],
    kept_6: Reg<Bits<41>>,
    spent_6: Reg<Bits<41>>,
    levels_6: Reg<Bits<8>>,
    may_owe_6: Reg<Bit>,
    open_6: Reg<Bit>,
    elapsed: Signal<Local, Bits<22>>,
    over: Signal<Local, Bits<10>>,
    len_scaled: Signal<Local, Bits<32>>,
    credit_wide: Signal<Local, Bits<45>>,
    product_wide: Signal<Local, Bits<45>>,
    carry: Signal<Local, Bits<4>>,
    len_x1: Signal<Local, Bits<18>>,
    len_x2: Signal<Local, Bits<18>>,
    len_x4: Signal<Local, Bits<18>>,
    len_x8: Signal<Local, Bits<18>>,
    credit_quarters: Signal<Local, Bits<18>>,
    credit_whole: Signal<Local, Bits<17>>,
    len_whole: Signal<Local, Bits<17>>,
    excess: Signal<Local, Bits<17>>,
    excess_wide: Signal<Local, Bits<41>>,
    excess_part: Signal<Local, Bits<41>>,
    fraction: Signal<Local, Bits<24>>,
    closed_wide: Signal<Local, Bits<41>>,
    levels: Signal<Local, Bits<8>>,
    #[init(core::array::from_fn(|k| Constant::new((1_u64 << k).into())))]
    level_bit: [Constant<Bits<8>>; 8],
    #[value(0)]
    none: Constant<Bits<32>>,
    #[value((1_u64 << 41) - 1)]
    credit_max: Constant<Bits<41>>,
    #[value(CREDIT_ZERO)]
    credit_zero: Constant<Bits<41>>,
}

impl Logic for CreditPipe {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_is_open.next = self.open_6.val();
        self.m_kept_credit.next = self.kept_6.val();
        self.m_spent_credit.next = self.spent_6.val();
        self.m_levels.next = self.levels_6.val();
        self.m_may_owe.next = self.may_owe_6.val();
        self.m_held_quarters.next = self.held_6.val();
        comment!("Stage 1: elapsed cycles, saturated; a new flow gets a share of its packet.");
        self.elapsed.next = self.s_now.val() - self.s_seen.val();
        self.over.next = self.elapsed.val().get_bits::<10>(12);
        self.cycles_1.next = self.elapsed.val().get_bits::<12>(0);
        if self.over.val().any() {
            self.cycles_1.next = 0xfff.into();
        }
        self.factor_1.next = self.s_rate.val();
        self.len_scaled.next = bit_cast::<32, 14>(self.s_len_bytes.val());
        if !self.s_started.val() {
            self.factor_1.next = self.len_scaled.val() << 12;
            self.cycles_1.next = self.s_phase.val();
        }
        self.credit_1.next = self.s_credit.val();
        self.len_1.next = self.s_len_bytes.val();
        comment!("With nothing in flight one packet may always go.");
        self.open_1.next = (self.s_inflight_bytes.val() < self.s_window_bytes.val())
            | (self.s_inflight_bytes.val() == self.none.val());
        comment!("Stages 2 and 3: product.");
        self.product.a.next = self.factor_1.val();
        self.product.b.next = self.cycles_1.val();
        self.credit_2.next = self.credit_1.val();
        self.len_2.next = self.len_1.val();
        self.open_2.next = self.open_1.val();
        self.credit_3.next = self.credit_2.val();
        self.len_3.next = self.len_2.val();
        self.open_3.next = self.open_2.val();
        comment!("Stage 4: sum.");
        self.credit_wide.next = bit_cast::<45, 41>(self.credit_3.val());
        self.product_wide.next = bit_cast::<45, 44>(self.product.p.val());
        self.sum_4.next = self.credit_wide.val() + self.product_wide.val();
        self.len_4.next = self.len_3.val();
        self.open_4.next = self.open_3.val();
        comment!("Stage 5: saturate; quarters of the packet for each level.");
        self.carry.next = self.sum_4.val().get_bits::<4>(41);
        self.credit_5.next = self.sum_4.val().get_bits::<41>(0);
        if self.carry.val().any() {
            self.credit_5.next = self.credit_max.val();
        }
        self.len_x1.next = bit_cast::<18, 14>(self.len_4.val());
        self.len_x2.next = self.len_x1.val() << 1;
        self.len_x4.next = self.len_x1.val() << 2;
        self.len_x8.next = self.len_x1.val() << 3;
        self.quarters_5[0].next = self.len_x4.val();
        self.quarters_5[1].next = self.len_x4.val() + self.len_x1.val();
        self.quarters_5[2].next = self.len_x4.val() + self.len_x2.val();
        self.quarters_5[3].next = self.len_x8.val() - self.len_x1.val();
        self.quarters_5[4].next = self.len_x8.val();
        self.quarters_5[5].next = self.len_x8.val() + self.len_x1.val();
        self.quarters_5[6].next = self.len_x8.val() + self.len_x2.val();
        self.quarters_5[7].next = self.len_x1.val() << 4;
        self.len_5.next = self.len_4.val();
        self.open_5.next = self.open_4.val();
        comment!("Stage 6: levels reached, the credit kept and what a packet would leave.");
        self.credit_quarters.next = self.credit_5.val().get_bits::<18>(22);
        self.levels.next = 0.into();
        for i in 0..8 {
            if self.credit_5.val().get_bit(40)
                & (self.credit_quarters.val() >= self.quarters_5[i].val())
            {
                self.levels.next = self.levels.val() | self.level_bit[i].val();
            }
        }
        self.levels_6.next = self.levels.val();
        self.may_owe_6.next = self.credit_5.val().get_bit(40) | self.credit_5.val().get_bit(39);
        self.credit_whole.next = self.credit_5.val().get_bits::<17>(24);
        self.len_whole.next = bit_cast::<17, 14>(self.len_5.val());
        self.excess.next = self.credit_whole.val() - self.len_whole.val();
        self.excess_wide.next = bit_cast::<41, 17>(self.excess.val());
        self.excess_part.next = self.excess_wide.val() << 24;
        self.fraction.next = self.credit_5.val().get_bits::<24>(0);
        self.spent_6.next = self.excess_part.val() | bit_cast::<41, 24>(self.fraction.val());
        self.closed_wide.next = bit_cast::<41, 14>(self.len_5.val());
        self.kept_6.next = self.credit_5.val();
        if !self.open_5.val() & self.levels.val().get_bit(0) {
            self.kept_6.next = (self.closed_wide.val() << 24) | self.credit_zero.val();
        }
        self.open_6.next = self.open_5.val();
        self.held_6.next = self.quarters_5[3].val();
    }
}
