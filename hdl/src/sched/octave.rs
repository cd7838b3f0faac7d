//! One queue of due flows: its head, the one behind it, and where the others are in the memory that
//! the queues share.
//!
//! # Interface timing  cycle 0: s_push; cycle 1: m_head, if the queue was empty. m_wants, until
//!                     s_fetch: the memory is read at m_read; s_word a cycle later, m_head after
//!                     that
//! # Shape             2^FB flows, each once at most; IB = FB + 1
//! # Reset             synchronous, high: empty
//! # Twins             sim/models/src/golden/sched/octaves.rs

use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// A due flow in its queue.
#[row]
pub struct Entry<const FB: usize> {
    /// The flow.
    pub flow: Bits<FB>,
    /// When it is to go, units of the line's time.
    pub deadline: Bits<20>,
}

/// The head of a queue, if it has one.
#[row]
pub struct Head<const FB: usize> {
    /// There is one.
    pub valid: Bit,
    /// The queue.
    pub queue: Bits<3>,
    /// Its flow.
    pub flow: Bits<FB>,
    /// Its deadline.
    pub deadline: Bits<20>,
}

/// A queue.
#[block(mealy, check(IB == FB + 1 && AW == FB + 3))]
pub struct Octave<const FB: usize, const AW: usize, const IB: usize> {
    /// Which.
    pub s_number: Signal<In, Bits<3>>,
    /// A flow comes.
    pub s_push: Signal<In, Bit>,
    /// It.
    pub s_entry: Signal<In, Entry<FB>>,
    /// The head goes.
    pub s_pop: Signal<In, Bit>,
    /// The memory is read for this queue.
    pub s_fetch: Signal<In, Bit>,
    /// What it read.
    pub s_word: Signal<In, Entry<FB>>,
    /// The head.
    pub m_head: Signal<Out, Head<FB>>,
    /// There is room before the memory, and flows wait in it.
    pub m_wants: Signal<Out, Bit>,
    /// What comes goes to the memory.
    pub m_stores: Signal<Out, Bit>,
    /// Where.
    pub m_write: Signal<Out, Bits<AW>>,
    /// Where the next one is.
    pub m_read: Signal<Out, Bits<AW>>,
    valid: Reg<Bit>,
    fetching: Reg<Bit>,
    head: Unreset<Entry<FB>>,
    second_valid: Reg<Bit>,
    second: Unreset<Entry<FB>>,
    write: Reg<Bits<IB>>,
    read: Reg<Bits<IB>>,
    stored: Reg<Bit>,
    lacks: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    coming: Signal<Local, Entry<FB>>,
    stays: Signal<Local, Bit>,
    next_read: Signal<Local, Bits<IB>>,
    number: Signal<Local, Bits<AW>>,
    write_index: Signal<Local, Bits<FB>>,
    read_index: Signal<Local, Bits<FB>>,
    write_wide: Signal<Local, Bits<AW>>,
    read_wide: Signal<Local, Bits<AW>>,
    write_up: Signal<Local, Bits<AW>>,
    read_up: Signal<Local, Bits<AW>>,
    stores: Signal<Local, Bit>,
}

impl<const FB: usize, const AW: usize, const IB: usize> Logic for Octave<FB, AW, IB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.lacks.next = !(self.valid.val() & self.second_valid.val()) & !self.fetching.val();
        self.stores.next = self.s_push.val() & (self.stored.val() | !self.lacks.val());
        self.m_wants.next = self.lacks.val() & self.stored.val();
        self.m_stores.next = self.stores.val();
        comment!("Places in the memory are the queues' in turn.");
        self.number.next = bit_cast::<AW, 3>(self.s_number.val());
        self.write_index.next = bit_cast::<FB, IB>(self.write.val());
        self.write_wide.next = bit_cast::<AW, FB>(self.write_index.val());
        self.write_up.next = self.write_wide.val() << 3;
        self.m_write.next = self.write_up.val() | self.number.val();
        self.read_index.next = bit_cast::<FB, IB>(self.read.val());
        self.read_wide.next = bit_cast::<AW, FB>(self.read_index.val());
        self.read_up.next = self.read_wide.val() << 3;
        self.m_read.next = self.read_up.val() | self.number.val();
        self.m_head.next.valid = self.valid.val();
        self.m_head.next.queue = self.s_number.val();
        self.m_head.next.flow = self.head.val().flow;
        self.m_head.next.deadline = self.head.val().deadline;
        self.next_read.next = self.read.val() + 1;
        self.fetching.next = self.s_fetch.val();
        if self.s_fetch.val() {
            self.read.next = self.next_read.val();
            self.stored.next = self.write.val() != self.next_read.val();
        }
        if self.stores.val() {
            self.write.next = self.write.val() + 1;
            self.stored.next = true;
        }
        comment!("What leaves the memory, or finds it empty, goes to the first free place.");
        self.comes.next = self.fetching.val() | (self.s_push.val() & !self.stores.val());
        self.coming.next = self.s_entry.val();
        if self.fetching.val() {
            self.coming.next = self.s_word.val();
        }
        self.stays.next = self.valid.val() & !self.s_pop.val();
        self.valid.next = self.stays.val() | self.second_valid.val() | self.comes.val();
        self.second_valid.next = (self.stays.val() & (self.second_valid.val() | self.comes.val()))
            | (self.second_valid.val() & self.comes.val());
        if !self.stays.val() {
            self.head.next = self.second.val();
            if !self.second_valid.val() {
                self.head.next = self.coming.val();
            }
        }
        if !self.second_valid.val() | !self.stays.val() {
            self.second.next = self.coming.val();
        }
    }
}
