//! The times at which flows will be due, and who is due now: all are looked at in turn, L a cycle.
//!
//! # Interface timing  cycle 0: s_write; from cycle 3 on at the earliest: m_valid, m_flow, until
//!                     s_taken. A row that is written while it is read is looked at in the next
//!                     pass
//! # Latency and rate  a pass takes 2^RB cycles, and 4 more and one a flow for each row in which
//!                     somebody is due
//! # Shape             2^FB flows in L = 2^LB lanes; 2^RB rows, at least 32: who was found is
//!                     written again before it is looked at again
//! # Number formats    time | UQ16.0 | units of 2^4 cycles, modulo 2^16
//! # Reset             synchronous, high; the rows are cleared before s_clean
//! # Twins             sim/models/src/golden/sched/scan.rs

use crate::sched::log2::Lowest;
use crate::util::ram::Ram;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// When a flow is due.
#[row]
pub struct DueRow {
    /// It will be.
    pub waits: Bit,
    /// When.
    pub time: Bits<16>,
}

/// The times of every L-th flow.
#[block(mealy, no_reset)]
pub struct Lane<const RB: usize> {
    /// Store `s_due`.
    pub s_write: Signal<In, Bit>,
    /// In this row.
    pub s_write_row: Signal<In, Bits<RB>>,
    /// When its flow is due.
    pub s_due: Signal<In, DueRow>,
    /// The row that is looked at.
    pub s_row: Signal<In, Bits<RB>>,
    /// Two cycles later: now, in units.
    pub s_now: Signal<In, Bits<16>>,
    /// Its flow is due.
    pub m_due: Signal<Out, Bit>,
    times: Ram<RB, DueRow>,
    word: Unreset<DueRow>,
    fresh_1: Unreset<Bit>,
    fresh_2: Unreset<Bit>,
    past: Signal<Local, Bits<16>>,
}

impl<const RB: usize> Logic for Lane<RB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.times.write_enable.next = self.s_write.val();
        self.times.write_address.next = self.s_write_row.val();
        self.times.write_data.next = self.s_due.val();
        self.times.read_enable.next = true;
        self.times.read_address.next = self.s_row.val();
        self.fresh_1.next = self.s_write.val() & (self.s_write_row.val() == self.s_row.val());
        self.fresh_2.next = self.fresh_1.val();
        self.word.next = self.times.read_data.val();
        self.past.next = self.s_now.val() - self.word.val().time;
        self.m_due.next =
            self.word.val().waits & !self.past.val().get_bit(15) & !self.fresh_2.val();
    }
}

/// The times of `2^FB` flows.
#[block(check(L == 1 << LB && LB >= 1 && (RB == FB - LB || RB == 5)))]
pub struct Scan<const FB: usize, const L: usize, const LB: usize, const RB: usize> {
    /// The rows are clear.
    pub s_clean: Signal<In, Bit>,
    /// The row to clear.
    pub s_clear: Signal<In, Bits<RB>>,
    /// The time.
    pub s_now: Signal<In, Bits<20>>,
    /// A flow is due.
    pub m_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_flow: Signal<Out, Bits<FB>>,
    /// It is told.
    pub s_taken: Signal<In, Bit>,
    /// What a flow waits for is written down.
    pub s_write: Signal<In, Bit>,
    /// The flow.
    pub s_write_flow: Signal<In, Bits<FB>>,
    /// When it is due.
    pub s_due: Signal<In, DueRow>,
    lanes: [Lane<RB>; L],
    lowest: Lowest<L, LB>,
    index: Reg<Bits<RB>>,
    read_valid: Reg<Bit>,
    read_row: Unreset<Bits<RB>>,
    word_valid: Reg<Bit>,
    word_row: Unreset<Bits<RB>>,
    hits: Reg<Bits<L>>,
    hits_row: Unreset<Bits<RB>>,
    is_found: Signal<Local, Bit>,
    now: Signal<Local, Bits<16>>,
    is_due: Signal<Local, Bits<L>>,
    write_row: Signal<Local, Bits<RB>>,
    write_shifted: Signal<Local, Bits<FB>>,
    write_lane: Signal<Local, Bits<LB>>,
    less: Signal<Local, Bits<L>>,
    row_flow: Signal<Local, Bits<FB>>,
    row_shifted: Signal<Local, Bits<FB>>,
    cleared: Signal<Local, DueRow>,
    #[value(LB as u64)]
    lane_bits: Constant<Bits<4>>,
    #[init(core::array::from_fn(|i| Constant::new((i as u64).into())))]
    number: [Constant<Bits<LB>>; L],
}

#[kernel]
impl<const FB: usize, const L: usize, const LB: usize, const RB: usize> Logic
    for Scan<FB, L, LB, RB>
{
    fn update(&mut self) {
        self.writes();
        self.looks();
        self.found();
    }

    /// One lane is written; before s_clean all are cleared.
    fn writes(&mut self) {
        self.write_shifted.next = self.s_write_flow.val() >> self.lane_bits.val();
        self.write_row.next = bit_cast::<RB, FB>(self.write_shifted.val());
        self.write_lane.next = self.s_write_flow.val().get_bits::<LB>(0);
        self.cleared.next.waits = false;
        self.cleared.next.time = 0.into();
        for i in 0..L {
            self.lanes[i].s_write.next =
                self.s_write.val() & (self.write_lane.val() == self.number[i].val());
            self.lanes[i].s_write_row.next = self.write_row.val();
            self.lanes[i].s_due.next = self.s_due.val();
            if !self.s_clean.val() {
                self.lanes[i].s_write.next = true;
                self.lanes[i].s_write_row.next = self.s_clear.val();
                self.lanes[i].s_due.next = self.cleared.val();
            }
        }
    }

    /// A row a cycle, through two registers, until somebody is due.
    fn looks(&mut self) {
        self.is_found.next = self.hits.val().any();
        self.now.next = self.s_now.val().get_bits::<16>(4);
        self.is_due.next = 0.into();
        for i in 0..L {
            self.lanes[i].s_row.next = self.index.val();
            self.lanes[i].s_now.next = self.now.val();
            if self.word_valid.val() & self.lanes[i].m_due.val() {
                self.is_due.next = self.is_due.val().replace_bit(i, true);
            }
        }
        self.read_valid.next = self.s_clean.val();
        self.read_row.next = self.index.val();
        self.word_valid.next = self.read_valid.val();
        self.word_row.next = self.read_row.val();
        self.index.next = self.index.val() + 1;
    }

    /// Who is due is told; what was on its way meanwhile is read again.
    fn found(&mut self) {
        self.lowest.x.next = self.hits.val();
        self.row_flow.next = bit_cast::<FB, RB>(self.hits_row.val());
        self.row_shifted.next = self.row_flow.val() << self.lane_bits.val();
        self.m_valid.next = self.is_found.val();
        self.m_flow.next = self.row_shifted.val() | bit_cast::<FB, LB>(self.lowest.m.val());
        self.less.next = self.hits.val() - 1;
        if self.is_found.val() {
            self.read_valid.next = false;
            self.word_valid.next = false;
            self.index.next = self.index.val();
            if self.s_taken.val() {
                self.hits.next = self.hits.val() & self.less.val();
            }
        } else {
            self.hits.next = self.is_due.val();
            self.hits_row.next = self.word_row.val();
            if self.is_due.val().any() {
                self.index.next = self.word_row.val() + 1;
            } else if !self.s_clean.val() {
                self.index.next = 0.into();
            }
        }
    }
}
