//! Control of the serial schedule: goes through the program, row by row.
//!
//! # Source            cc_program.rs
//! # Interface timing  the row of cycle 0 says act, set_exponent and source in cycle 0; the word arrives in
//!                     cycle 1 with to and write_word
//! # Latency and rate  one row per cycle; a step stays for as many cycles as its row says
//! # Reset             synchronous, high, and while `rests`: the program stands at its first row, where
//!                     it waits for an event
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::cc::serial::program::{CcProgram, ProgramRow};
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Program counter, jumps, timer, flags.
#[block]
pub struct CcSerialControl {
    /// Nothing starts yet.
    pub rests: Signal<In, Bit>,
    /// An ACK is offered.
    pub s_ack_valid: Signal<In, Bit>,
    /// A flow command is offered.
    pub s_flow_valid: Signal<In, Bit>,
    /// A result has not been taken yet.
    pub result_waits: Signal<In, Bit>,
    /// PSNs are times.
    pub by_time: Signal<In, Bit>,
    /// Conditions of the arithmetic.
    pub of_math: Signal<In, Bits<4>>,
    /// Conditions of the event.
    pub of_event: Signal<In, Bits<11>>,
    /// It is a command that is carried out.
    pub is_command: Signal<Out, Bit>,
    /// Hop.
    pub hop: Signal<Out, Bits<3>>,
    /// What the arithmetic does.
    pub act: Signal<Out, Bits<4>>,
    /// What becomes of the exponent.
    pub set_exponent: Signal<Out, Bits<3>>,
    /// Word that is asked for.
    pub source: Signal<Out, Bits<6>>,
    /// It is one of memory.
    pub reads: Signal<Out, Bit>,
    /// Which one.
    pub read_word: Signal<Out, Bits<5>>,
    /// The word that arrives is one of memory.
    pub reads_1: Signal<Out, Bit>,
    /// Where it goes.
    pub to: Signal<Out, Bits<6>>,
    /// Which word of memory it becomes.
    pub write_word: Signal<Out, Bits<5>>,
    /// The event has been carried out.
    pub done: Signal<Out, Bit>,
    /// Its result is complete.
    pub shows: Signal<Out, Bit>,
    /// The ACK was of a PSN that was never sent.
    pub never_sent: Signal<Out, Bit>,
    /// A hop is bad.
    pub is_bad: Signal<Out, Bit>,
    /// Hop with the largest u' so far; 7: none.
    pub worst_hop: Signal<Out, Bits<3>>,
    /// Full update, first records, some hop tells something, bad time, bytes, queue, scaled
    /// step, U falls.
    pub flags: Signal<Out, Bits<8>>,
    rows: CcProgram,
    at: Unreset<Bits<9>>,
    steps: Unreset<Bits<6>>,
    hop_now: Unreset<Bits<3>>,
    worst_now: Unreset<Bits<3>>,
    timer: Unreset<Bits<10>>,
    flags_now: Unreset<Bits<8>>,
    command: Unreset<Bit>,
    reads_now: Unreset<Bit>,
    to_now: Unreset<Bits<6>>,
    word_now: Unreset<Bits<5>>,
    row: Signal<Local, ProgramRow>,
    op: Signal<Local, Bits<3>>,
    next: Signal<Local, Bits<9>>,
    behind: Signal<Local, Bits<9>>,
    conditions: Signal<Local, Bits<32>>,
    own: Signal<Local, Bits<6>>,
    is_true: Signal<Local, Bit>,
    condition: Signal<Local, Bits<5>>,
    count: Signal<Local, Bits<6>>,
    is_move: Signal<Local, Bit>,
    is_step: Signal<Local, Bit>,
    is_jump: Signal<Local, Bit>,
    is_note: Signal<Local, Bit>,
    hop_row: Signal<Local, Bits<5>>,
    offered: Signal<Local, Bit>,
    bad_bits: Signal<Local, Bits<3>>,
    #[value(0)]
    op_move: Constant<Bits<3>>,
    #[value(1)]
    op_step: Constant<Bits<3>>,
    #[value(2)]
    op_jump: Constant<Bits<3>>,
    #[value(3)]
    op_note: Constant<Bits<3>>,
    #[value(1)]
    always_true: Constant<Bits<32>>,
    #[value(1)]
    one_flag: Constant<Bits<8>>,
    #[value(7)]
    no_hop: Constant<Bits<3>>,
}

impl Logic for CcSerialControl {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_command.next = self.command.val();
        self.hop.next = self.hop_now.val();
        self.flags.next = self.flags_now.val();
        self.worst_hop.next = self.worst_now.val();
        self.reads_1.next = self.reads_now.val();
        self.to.next = self.to_now.val();
        self.write_word.next = self.word_now.val();
        comment!("The row.");
        self.row.next = self.rows.row.val();
        self.op.next = self.row.val().op;
        self.is_move.next = self.op.val() == self.op_move.val();
        self.is_step.next = self.op.val() == self.op_step.val();
        self.is_jump.next = self.op.val() == self.op_jump.val();
        self.is_note.next = self.op.val() == self.op_note.val();
        comment!("A move: the word arrives in the next cycle.");
        self.source.next = self.row.val().source;
        self.reads.next = self.is_move.val() && self.row.val().from_memory;
        self.hop_row.next = bit_cast::<5, 3>(self.hop_now.val()) << 2;
        self.read_word.next = self.row.val().word;
        if self.row.val().of_hop {
            self.read_word.next =
                self.hop_row.val() | bit_cast::<5, 2>(self.row.val().word.get_bits::<2>(0));
        }
        self.reads_now.next = self.is_move.val() && self.row.val().from_memory;
        self.to_now.next = 0.into();
        if self.is_move.val() {
            self.to_now.next = self.row.val().to;
        }
        self.word_now.next = self.row.val().to_word;
        if self.row.val().to_hop {
            self.word_now.next =
                self.hop_row.val() | bit_cast::<5, 2>(self.row.val().to_word.get_bits::<2>(0));
        }
        comment!("A step.");
        self.behind.next = self.at.val() + 1;
        self.next.next = self.behind.val();
        self.act.next = 0.into();
        self.count.next = self.row.val().cycles;
        self.steps.next = 0.into();
        if self.is_step.val() {
            self.act.next = self.row.val().act;
            if self.steps.val() != self.count.val() {
                self.next.next = self.at.val();
                self.steps.next = self.steps.val() + 1;
            }
        }
        comment!("A jump.");
        self.offered.next = self.s_ack_valid.val() || self.s_flow_valid.val();
        self.bad_bits.next = self.flags_now.val().get_bits::<3>(3);
        self.own.next = 0.into();
        self.own.next = self.own.val().replace_bit(0, self.command.val());
        self.own.next = self.own.val().replace_bit(1, self.offered.val());
        self.own.next = self.own.val().replace_bit(2, self.result_waits.val());
        self.own.next = self.own.val().replace_bit(3, !self.timer.val().any());
        self.own.next = self.own.val().replace_bit(4, self.bad_bits.val().any());
        self.own.next = self.own.val().replace_bit(5, self.by_time.val());
        self.conditions.next = self.always_true.val()
            | (bit_cast::<32, 4>(self.of_math.val()) << 1)
            | (bit_cast::<32, 11>(self.of_event.val()) << 5)
            | (bit_cast::<32, 6>(self.own.val()) << 16)
            | (bit_cast::<32, 8>(self.flags_now.val()) << 24);
        self.condition.next = self.row.val().condition;
        self.is_true.next = self.conditions.val().get_bit(self.condition.val().index());
        if self.is_jump.val() {
            if self.is_true.val() == self.row.val().value {
                self.next.next = self.row.val().target;
            }
            if self.row.val().waits {
                self.command.next = self.s_flow_valid.val();
            }
        }
        comment!("A note.");
        self.timer.next = self.timer.val();
        if self.timer.val().any() {
            self.timer.next = self.timer.val() - 1;
        }
        self.set_exponent.next = 0.into();
        self.done.next = self.is_note.val() && self.row.val().done;
        self.shows.next = self.is_note.val() && self.row.val().shows;
        self.never_sent.next = self.is_note.val() && self.row.val().never_sent;
        self.is_bad.next = self.is_note.val() && self.row.val().is_bad;
        if self.is_note.val() {
            self.set_exponent.next = self.row.val().exponent;
            if self.row.val().next_hop {
                self.hop_now.next = self.hop_now.val() + 1;
            }
            if self.row.val().clears {
                self.hop_now.next = 0.into();
                self.worst_now.next = self.no_hop.val();
                self.flags_now.next = 0.into();
            }
            if self.row.val().sets_flag {
                self.flags_now.next =
                    self.flags_now.val() | (self.one_flag.val() << self.row.val().flag);
            }
            if self.row.val().worst {
                self.worst_now.next = self.hop_now.val();
            }
            if self.row.val().sets_timer {
                self.timer.next = self.row.val().timer;
            }
        }
        if self.reset.val() || self.rests.val() {
            self.next.next = 0.into();
            self.steps.next = 0.into();
            self.to_now.next = 0.into();
        }
        self.rows.address.next = self.next.val();
        self.at.next = self.next.val();
    }
}
