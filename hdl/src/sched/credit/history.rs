//! The packets of the last window, oldest first, and the ages of two of them: the oldest, and the
//! oldest whose flow has not had its turn since.
//!
//! # Interface timing  cycle 0: s_push, s_expire or s_turn; cycle [`LATENCY_CYCLES`]: m_* of the
//!                     changed list. s_time moves: m_* one cycle later
//! # Latency and rate  [`LATENCY_CYCLES`]; one change in [`LATENCY_CYCLES`] cycles
//! # Shape             2^AW - 1 packets of flows of FB bits, EW = FB + 32
//! # Number formats    ages | UQ18.0 | cycles of s_time, modulo 2^18
//! # Reset             synchronous, high: empty
//! # Twins             `entries` of sim/models/src/golden/sched/calendar.rs

use crate::sched::credit::share_pipe::WINDOW_CYCLES;
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a change of the list to what it says.
pub const LATENCY_CYCLES: usize = 5;
/// Packets that are so many cycles too old are dropped whatever happens.
pub const OVERDUE_CYCLES: u32 = 4096;

/// List of packets.
#[block(new(window_cycles: u32), check(window_cycles + OVERDUE_CYCLES < 1 << 18, EW == FB + 32))]
pub struct History<const AW: usize, const FB: usize, const EW: usize> {
    /// A packet is granted; only while m_is_full is low.
    pub s_push: Signal<In, Bit>,
    /// Its flow.
    pub s_push_flow: Signal<In, Bits<FB>>,
    /// Its bytes.
    pub s_push_len_bytes: Signal<In, Bits<14>>,
    /// Its time.
    pub s_push_stamp: Signal<In, Bits<18>>,
    /// The oldest packet goes.
    pub s_expire: Signal<In, Bit>,
    /// The next turn is over.
    pub s_turn: Signal<In, Bit>,
    /// Now.
    pub s_time: Signal<In, Bits<18>>,
    /// Age at which a flow's turn comes.
    pub s_turn_age: Signal<In, Bits<18>>,
    /// No room.
    pub m_is_full: Signal<Out, Bit>,
    /// The oldest packet's turn has been, and it is a window old.
    pub m_is_expired: Signal<Out, Bit>,
    /// The oldest packet is much too old.
    pub m_is_overdue: Signal<Out, Bit>,
    /// Its flow.
    pub m_oldest_flow: Signal<Out, Bits<FB>>,
    /// Its bytes.
    pub m_oldest_len_bytes: Signal<Out, Bits<14>>,
    /// A turn has come.
    pub m_is_due: Signal<Out, Bit>,
    /// Its flow.
    pub m_due_flow: Signal<Out, Bits<FB>>,
    ram: Ram<AW, Bits<EW>>,
    head: Reg<Bits<AW>>,
    next: Reg<Bits<AW>>,
    tail: Reg<Bits<AW>>,
    reads_next: Reg<Bit>,
    oldest: Unreset<Bits<EW>>,
    due: Unreset<Bits<EW>>,
    is_full: Reg<Bit>,
    is_old: Reg<Bit>,
    is_overdue: Reg<Bit>,
    is_due: Reg<Bit>,
    after_tail: Signal<Local, Bits<AW>>,
    oldest_stamp: Signal<Local, Bits<18>>,
    due_stamp: Signal<Local, Bits<18>>,
    oldest_age: Signal<Local, Bits<18>>,
    due_age: Signal<Local, Bits<18>>,
    flow_part: Signal<Local, Bits<EW>>,
    len_wide: Signal<Local, Bits<EW>>,
    len_part: Signal<Local, Bits<EW>>,
    #[value(u64::from(window_cycles))]
    window: Constant<Bits<18>>,
    #[value(u64::from(window_cycles + OVERDUE_CYCLES))]
    overdue: Constant<Bits<18>>,
}

impl<const AW: usize, const FB: usize, const EW: usize> Default for History<AW, FB, EW> {
    fn default() -> Self {
        Self::new(WINDOW_CYCLES)
    }
}

impl<const AW: usize, const FB: usize, const EW: usize> Logic for History<AW, FB, EW> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The list {flow, bytes, time}.");
        self.flow_part.next = bit_cast::<EW, FB>(self.s_push_flow.val());
        self.len_wide.next = bit_cast::<EW, 14>(self.s_push_len_bytes.val());
        self.len_part.next = self.len_wide.val() << 18;
        self.ram.write_enable.next = self.s_push.val();
        self.ram.write_address.next = self.tail.val();
        self.ram.write_data.next = (self.flow_part.val() << 32)
            | self.len_part.val()
            | bit_cast::<EW, 18>(self.s_push_stamp.val());
        self.after_tail.next = self.tail.val() + 1;
        if self.s_push.val() {
            self.tail.next = self.after_tail.val();
        }
        self.is_full.next = self.after_tail.val() == self.head.val();
        if self.s_expire.val() {
            self.head.next = self.head.val() + 1;
        }
        if self.s_turn.val() {
            self.next.next = self.next.val() + 1;
        }
        comment!("Both packets are read in turn, again and again.");
        self.reads_next.next = !self.reads_next.val();
        self.ram.read_enable.next = true;
        self.ram.read_address.next = self.head.val();
        if self.reads_next.val() {
            self.ram.read_address.next = self.next.val();
            self.oldest.next = self.ram.read_data.val();
        } else {
            self.due.next = self.ram.read_data.val();
        }
        comment!("Ages.");
        self.oldest_stamp.next = self.oldest.val().get_bits::<18>(0);
        self.oldest_age.next = self.s_time.val() - self.oldest_stamp.val();
        self.is_old.next = self.oldest_age.val() >= self.window.val();
        self.is_overdue.next = self.oldest_age.val() >= self.overdue.val();
        self.due_stamp.next = self.due.val().get_bits::<18>(0);
        self.due_age.next = self.s_time.val() - self.due_stamp.val();
        self.is_due.next = self.due_age.val() >= self.s_turn_age.val();
        self.m_is_full.next = self.is_full.val();
        self.m_is_expired.next = self.is_old.val() & (self.next.val() != self.head.val());
        self.m_is_overdue.next = self.is_overdue.val();
        self.m_oldest_flow.next = self.oldest.val().get_bits::<FB>(32);
        self.m_oldest_len_bytes.next = self.oldest.val().get_bits::<14>(18);
        self.m_is_due.next = self.is_due.val() & (self.next.val() != self.tail.val());
        self.m_due_flow.next = self.due.val().get_bits::<FB>(32);
    }
}
