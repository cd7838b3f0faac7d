//! Whether a flow has got its share: bytes of the window beside what its rate asks for.
//!
//! # Interface timing  cycle 0: s_*; cycle [`LATENCY_CYCLES`]: m_*
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit per cycle, no valid: the user delays its own
//! # Number formats    s_rate          | UQ8.24 | bytes a cycle; rate x window is cut to bytes
//!                     s_recent_bytes  | UQ26.0 | bytes in the window
//!                     m_must_send     | 1 bit  | recent + len <= asked + turned x len
//!                     m_is_bunched    | 1 bit  | turned >= 2 and len < 2048
//! # Reset             synchronous, high: the product is zero, nothing else
//! # Twins             `Visit` of sim/models/src/golden/sched/scheduler.rs

use crate::util::mul_pipe::MulPipe;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a flow's state to its share.
pub const LATENCY_CYCLES: usize = 6;
/// 1 ms at 125 MHz.
pub const WINDOW_CYCLES: u32 = 125_000;
/// A flow that may send at least so many packets in a window is not remembered.
pub const KEPT_PACKETS_MAX: u32 = 256;
/// Bytes that the line carries in a cycle.
pub const BEAT_BYTES: u64 = 8;

/// Pipeline from rate and bytes in the window to the share.
#[block]
pub struct SharePipe {
    /// Rate, UQ8.24 bytes a cycle.
    pub s_rate: Signal<In, Bits<32>>,
    /// Bytes of the packet that waits.
    pub s_len_bytes: Signal<In, Bits<14>>,
    /// Bytes in the window.
    pub s_recent_bytes: Signal<In, Bits<26>>,
    /// Packets in the window whose turn has been.
    pub s_turned: Signal<In, Bits<3>>,
    /// The flow has not got more than it asks for.
    pub m_is_within: Signal<Out, Bit>,
    /// Without this packet it gets less, once those have left whose turn has been.
    pub m_must_send: Signal<Out, Bit>,
    /// Two of its packets are about to leave, and it is short.
    pub m_is_bunched: Signal<Out, Bit>,
    /// It sends few packets in a window, and is remembered.
    pub m_is_kept: Signal<Out, Bit>,
    /// Bytes of the packet.
    pub m_len_bytes: Signal<Out, Bits<14>>,
    /// Its beats.
    pub m_beats: Signal<Out, Bits<12>>,
    product: MulPipe<32, 17, 49>,
    rate_1: Unreset<Bits<32>>,
    len_1: Unreset<Bits<14>>,
    recent_1: Unreset<Bits<26>>,
    turned_1: Unreset<Bits<3>>,
    turned_len_2: Unreset<Bits<17>>,
    four_2: Unreset<Bit>,
    turned_len_3: Unreset<Bits<17>>,
    turned_len_4: Unreset<Bits<17>>,
    len_2: Unreset<Bits<14>>,
    recent_2: Unreset<Bits<26>>,
    len_3: Unreset<Bits<14>>,
    recent_3: Unreset<Bits<26>>,
    asked_4: Unreset<Bits<26>>,
    len_4: Unreset<Bits<14>>,
    recent_4: Unreset<Bits<26>>,
    asked_5: Unreset<Bits<26>>,
    len_5: Unreset<Bits<14>>,
    recent_5: Unreset<Bits<26>>,
    after_5: Unreset<Bits<26>>,
    limit_5: Unreset<Bits<26>>,
    rounded_5: Unreset<Bits<15>>,
    within_6: Unreset<Bit>,
    must_6: Unreset<Bit>,
    bunched_2: Unreset<Bit>,
    bunched_3: Unreset<Bit>,
    bunched_4: Unreset<Bit>,
    bunched_5: Unreset<Bit>,
    bunched_6: Unreset<Bit>,
    is_several: Signal<Local, Bit>,
    long_part: Signal<Local, Bits<3>>,
    kept_6: Unreset<Bit>,
    len_6: Unreset<Bits<14>>,
    beats_6: Unreset<Bits<12>>,
    asked: Signal<Local, Bits<25>>,
    len_wide: Signal<Local, Bits<26>>,
    len_1_wide: Signal<Local, Bits<17>>,
    len_2_wide: Signal<Local, Bits<17>>,
    one_len: Signal<Local, Bits<17>>,
    two_len: Signal<Local, Bits<17>>,
    four_len: Signal<Local, Bits<17>>,
    turned_wide: Signal<Local, Bits<26>>,
    packets: Signal<Local, Bits<18>>,
    len_packets: Signal<Local, Bits<18>>,
    is_kept: Signal<Local, Bit>,
    len_15: Signal<Local, Bits<15>>,
    #[value(u64::from(WINDOW_CYCLES))]
    window: Constant<Bits<17>>,
    #[value(BEAT_BYTES - 1)]
    round_up: Constant<Bits<15>>,
}

impl Logic for SharePipe {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_is_within.next = self.within_6.val();
        self.m_must_send.next = self.must_6.val();
        self.m_is_kept.next = self.kept_6.val();
        self.m_is_bunched.next = self.bunched_6.val();
        self.m_len_bytes.next = self.len_6.val();
        self.m_beats.next = self.beats_6.val();
        comment!("Stages 1 to 3: rate x window.");
        self.rate_1.next = self.s_rate.val();
        self.len_1.next = self.s_len_bytes.val();
        self.recent_1.next = self.s_recent_bytes.val();
        self.product.a.next = self.rate_1.val();
        self.product.b.next = self.window.val();
        self.len_2.next = self.len_1.val();
        self.recent_2.next = self.recent_1.val();
        self.len_3.next = self.len_2.val();
        self.recent_3.next = self.recent_2.val();
        comment!("Bytes of the packets whose turn has been, if they are as long as this one.");
        self.turned_1.next = self.s_turned.val();
        self.len_1_wide.next = bit_cast::<17, 14>(self.len_1.val());
        self.one_len.next = 0.into();
        self.two_len.next = 0.into();
        if self.turned_1.val().get_bit(0) {
            self.one_len.next = self.len_1_wide.val();
        }
        if self.turned_1.val().get_bit(1) {
            self.two_len.next = self.len_1_wide.val() << 1;
        }
        self.turned_len_2.next = self.one_len.val() + self.two_len.val();
        self.is_several.next = self.turned_1.val().get_bit(1) | self.turned_1.val().get_bit(2);
        self.long_part.next = self.len_1.val().get_bits::<3>(11);
        self.bunched_2.next = self.is_several.val() & !self.long_part.val().any();
        self.bunched_3.next = self.bunched_2.val();
        self.bunched_4.next = self.bunched_3.val();
        self.bunched_5.next = self.bunched_4.val();
        self.bunched_6.next = self.bunched_5.val();
        self.four_2.next = self.turned_1.val().get_bit(2);
        self.len_2_wide.next = bit_cast::<17, 14>(self.len_2.val());
        self.four_len.next = 0.into();
        if self.four_2.val() {
            self.four_len.next = self.len_2_wide.val() << 2;
        }
        self.turned_len_3.next = self.turned_len_2.val() + self.four_len.val();
        self.turned_len_4.next = self.turned_len_3.val();
        comment!("Stages 4 and 5: whole bytes; bytes in the window with this packet.");
        self.asked.next = self.product.p.val().get_bits::<25>(24);
        self.asked_4.next = bit_cast::<26, 25>(self.asked.val());
        self.len_4.next = self.len_3.val();
        self.recent_4.next = self.recent_3.val();
        self.len_wide.next = bit_cast::<26, 14>(self.len_4.val());
        self.after_5.next = self.recent_4.val() + self.len_wide.val();
        self.turned_wide.next = bit_cast::<26, 17>(self.turned_len_4.val());
        self.limit_5.next = self.asked_4.val() + self.turned_wide.val();
        self.asked_5.next = self.asked_4.val();
        self.recent_5.next = self.recent_4.val();
        self.len_5.next = self.len_4.val();
        self.len_15.next = bit_cast::<15, 14>(self.len_4.val());
        self.rounded_5.next = self.len_15.val() + self.round_up.val();
        comment!("Stage 6: compare.");
        self.packets.next = self.asked_5.val().get_bits::<18>(8);
        self.len_packets.next = bit_cast::<18, 14>(self.len_5.val());
        self.is_kept.next = self.packets.val() < self.len_packets.val();
        self.kept_6.next = self.is_kept.val();
        self.within_6.next = !self.is_kept.val() | (self.recent_5.val() <= self.asked_5.val());
        self.must_6.next = self.after_5.val() <= self.limit_5.val();
        self.len_6.next = self.len_5.val();
        self.beats_6.next = self.rounded_5.val().get_bits::<12>(3);
    }
}
