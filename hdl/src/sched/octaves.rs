//! The due flows, in queues by their periods, and which of the heads has the earliest deadline.
//!
//! # Interface timing  cycle 0: s_push; cycle 3: m_valid, m_flow, m_queue, if it goes first. The
//!                     user pops every 4 cycles at most
//! # Rules             A queue holds two octaves of the period, in bytes of the line. The deadline
//!                     is the moment of the push plus the longest period of the queue
//! # Shape             2^FB flows, AW = FB + 3, IB = FB + 1; each flow once in a queue at most
//! # Number formats    deadline | UQ20.0 | units of 2^9 bytes of the line, modulo 2^20
//! # Reset             synchronous, high: all queues empty
//! # Twins             sim/models/src/golden/sched/octaves.rs

use crate::sched::due_time::FIRST_OCTAVE;
use crate::sched::octave::{Entry, Head, Octave};
use crate::util::ram::Ram;
use crate::{block, kernel, Unreset};
use rust_hdl_core::prelude::*;

/// Queues.
pub const QUEUES: usize = 8;
/// Logarithm of the deadlines' unit, bytes.
const UNIT_LOG2: u64 = 9;

/// Whether one head is earlier than another; not if they are alike.
#[block(comb)]
pub struct Earlier<const FB: usize> {
    /// One.
    pub a: Signal<In, Head<FB>>,
    /// The other.
    pub b: Signal<In, Head<FB>>,
    /// It is earlier.
    pub m: Signal<Out, Bit>,
    ahead: Signal<Local, Bits<20>>,
}

impl<const FB: usize> Logic for Earlier<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ahead.next = self.b.val().deadline - self.a.val().deadline;
        self.m.next = self.b.val().valid & (!self.a.val().valid | self.ahead.val().get_bit(19));
    }
}

/// The earliest of four heads, each held against each other; the first of those that are alike.
#[block(comb)]
pub struct Earliest<const FB: usize> {
    /// The heads.
    pub heads: [Signal<In, Head<FB>>; 4],
    /// The earliest.
    pub m: Signal<Out, Head<FB>>,
    one_zero: Earlier<FB>,
    two_zero: Earlier<FB>,
    three_zero: Earlier<FB>,
    two_one: Earlier<FB>,
    three_one: Earlier<FB>,
    three_two: Earlier<FB>,
}

impl<const FB: usize> Logic for Earliest<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.one_zero.a.next = self.heads[0].val();
        self.one_zero.b.next = self.heads[1].val();
        self.two_zero.a.next = self.heads[0].val();
        self.two_zero.b.next = self.heads[2].val();
        self.three_zero.a.next = self.heads[0].val();
        self.three_zero.b.next = self.heads[3].val();
        self.two_one.a.next = self.heads[1].val();
        self.two_one.b.next = self.heads[2].val();
        self.three_one.a.next = self.heads[1].val();
        self.three_one.b.next = self.heads[3].val();
        self.three_two.a.next = self.heads[2].val();
        self.three_two.b.next = self.heads[3].val();
        self.m.next = self.heads[3].val();
        if !(self.one_zero.m.val() | self.two_zero.m.val() | self.three_zero.m.val()) {
            self.m.next = self.heads[0].val();
        } else if self.one_zero.m.val() & !(self.two_one.m.val() | self.three_one.m.val()) {
            self.m.next = self.heads[1].val();
        } else if self.two_zero.m.val() & self.two_one.m.val() & !self.three_two.m.val() {
            self.m.next = self.heads[2].val();
        }
    }
}

/// The queues of `2^FB` flows.
#[block(check(AW == FB + 3))]
pub struct Octaves<const FB: usize, const AW: usize, const IB: usize> {
    /// A flow is due.
    pub s_push: Signal<In, Bit>,
    /// The flow.
    pub s_push_flow: Signal<In, Bits<FB>>,
    /// Its queue.
    pub s_push_queue: Signal<In, Bits<3>>,
    /// The line's time.
    pub s_time: Signal<In, Bits<20>>,
    /// A flow goes next.
    pub m_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_flow: Signal<Out, Bits<FB>>,
    /// Its queue.
    pub m_queue: Signal<Out, Bits<3>>,
    /// It goes.
    pub s_pop: Signal<In, Bit>,
    queues: [Octave<FB, AW, IB>; QUEUES],
    memory: Ram<AW, Entry<FB>>,
    first: Earliest<FB>,
    second: Earliest<FB>,
    last: Earlier<FB>,
    four: [Unreset<Head<FB>>; 2],
    best: Unreset<Head<FB>>,
    entry: Signal<Local, Entry<FB>>,
    period: Signal<Local, Bits<20>>,
    write: Signal<Local, Bits<AW>>,
    read: Signal<Local, Bits<AW>>,
    stores: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    #[init(core::array::from_fn(|i| Constant::new((i as u64).into())))]
    number: [Constant<Bits<3>>; QUEUES],
    #[init(core::array::from_fn(|i| {
        Constant::new((1_u64 << (FIRST_OCTAVE + 2 - UNIT_LOG2 + 2 * i as u64)).into())
    }))]
    periods: [Constant<Bits<20>>; QUEUES],
}

#[kernel]
impl<const FB: usize, const AW: usize, const IB: usize> Logic for Octaves<FB, AW, IB> {
    fn update(&mut self) {
        self.pushes();
        self.fetched();
        self.chosen();
    }

    /// What comes to an empty queue is its head at once, else it goes to the memory.
    fn pushes(&mut self) {
        self.period.next = 0.into();
        for i in 0..QUEUES {
            if self.s_push_queue.val() == self.number[i].val() {
                self.period.next = self.periods[i].val();
            }
        }
        self.entry.next.flow = self.s_push_flow.val();
        self.entry.next.deadline = self.s_time.val() + self.period.val();
        self.stores.next = false;
        self.write.next = 0.into();
        for i in 0..QUEUES {
            self.queues[i].s_push.next = false;
            self.queues[i].s_entry.next = self.entry.val();
            if self.s_push_queue.val() == self.number[i].val() {
                self.queues[i].s_push.next = self.s_push.val();
                self.stores.next = self.queues[i].m_stores.val();
                self.write.next = self.queues[i].m_write.val();
            }
        }
        self.memory.write_enable.next = self.stores.val();
        self.memory.write_address.next = self.write.val();
        self.memory.write_data.next = self.entry.val();
    }

    /// A queue with room before the memory reads it, the fastest first.
    fn fetched(&mut self) {
        self.fetches.next = false;
        self.read.next = 0.into();
        for i in 0..QUEUES {
            self.queues[i].s_word.next = self.memory.read_data.val();
            self.queues[i].s_fetch.next = self.queues[i].m_wants.val() & !self.fetches.val();
            if self.queues[i].m_wants.val() & !self.fetches.val() {
                self.read.next = self.queues[i].m_read.val();
                self.fetches.next = true;
            }
        }
        self.memory.read_enable.next = self.fetches.val();
        self.memory.read_address.next = self.read.val();
    }

    /// The earliest of four in one cycle, of all in the next.
    fn chosen(&mut self) {
        for i in 0..QUEUES {
            self.queues[i].s_number.next = self.number[i].val();
            self.queues[i].s_pop.next =
                self.s_pop.val() & (self.best.val().queue == self.number[i].val());
        }
        for i in 0..4 {
            self.first.heads[i].next = self.queues[i].m_head.val();
            self.second.heads[i].next = self.queues[i + 4].m_head.val();
        }
        self.four[0].next = self.first.m.val();
        self.four[1].next = self.second.m.val();
        self.last.a.next = self.four[0].val();
        self.last.b.next = self.four[1].val();
        self.best.next = self.four[0].val();
        if self.last.m.val() {
            self.best.next = self.four[1].val();
        }
        self.m_valid.next = self.best.val().valid;
        self.m_flow.next = self.best.val().flow;
        self.m_queue.next = self.best.val().queue;
    }
}
