//! Program of the serial schedule: what `cc_unit_serial` does with an ACK or a flow command, step by step.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2: MeasureInflight, ComputeWind, NewAck
//! # Interface timing  cycle 0: address; cycle [`LATENCY_CYCLES`]: row
//! # Latency and rate  [`LATENCY_CYCLES`]; one row per cycle
//! # Number formats    cc_hop.rs, cc_ewma.rs, cc_wind.rs: every product, shift and cut is theirs
//! # Rows              [`ProgramRow`]
//! # Sections          what takes a different time on different ways waits for a timer, whose value
//!                     is the longest way; so how long an ACK takes follows from its kind and hops
//! # Reset             none
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::{block, row};
use rust_hdl_core::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Cycles from an address to its row.
pub const LATENCY_CYCLES: usize = 1;

const ROWS: usize = 512;
const MOVE: u32 = 0;
const STEP: u32 = 1;
const JUMP: u32 = 2;
const NOTE: u32 = 3;

/// Where a word comes from: memory, parameters (`cc_serial_params`), the event (`cc_serial_event`), or
/// arithmetic (`cc_serial_math`).
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    /// A word of the flow.
    Word(u32),
    /// A word of the hop.
    Hop(u32),
    Given(u32),
}
use Origin::{Given, Hop, Word};

const T: Origin = Given(0);
const INV_T: Origin = Given(1);
const QUEUE_GAIN_HIGH: Origin = Given(2);
const QUEUE_GAIN_LOW: Origin = Given(3);
const UTIL_GAIN: Origin = Given(4);
const TARGET: Origin = Given(5);
const U_ONE: Origin = Given(6);
const MAX_STAGE: Origin = Given(7);
const W_AI_HIGH: Origin = Given(8);
const W_AI_LOW: Origin = Given(9);
const W_INIT: Origin = Given(10);
const W_MIN_HIGH: Origin = Given(11);
const W_MIN_LOW: Origin = Given(12);
const RATE_GAIN: Origin = Given(13);
const RATE_MIN: Origin = Given(14);
const RATE_MAX: Origin = Given(15);
const LINE: Origin = Given(16);
const NEW_TIME: Origin = Given(17);
const NEW_SENT: Origin = Given(18);
const NEW_QUEUE: Origin = Given(19);
const NEW_KEY: Origin = Given(20);
const ACK_PSN: Origin = Given(21);
const SND_NXT: Origin = Given(22);
const COMMAND_WINDOW: Origin = Given(23);
const COMMAND_RATE: Origin = Given(24);
const COMMAND_ADAPTS: Origin = Given(25);
const QUEUE_MAX: Origin = Given(26);
const SUM_HIGH: Origin = Given(32);
const SUM_LOW: Origin = Given(33);
const LOW: Origin = Given(34);
const START: Origin = Given(35);
const FALL: Origin = Given(36);
const ALL_ONES: Origin = Given(37);
const HIGH_ONES: Origin = Given(38);
const SLACK_UNITS: Origin = Given(39);
const ONE_STAGE: Origin = Given(40);
const ZERO: Origin = Given(48);

/// Words of a hop: its record, and one that the arithmetic uses (`HALF` of five hops).
const TIME: u32 = 0;
const SENT: u32 = 1;
const QUEUE: u32 = 2;
const HALF_HIGH: u32 = 3;
const HALF_LOW: u32 = 7;
const WORST_HIGH: u32 = 11;
const WORST_LOW: u32 = 15;
const WORST_TAU: u32 = 19;
/// Words of a flow.
const KEY: u32 = 20;
/// The word that says whether the flow exists and adapts; cleared after reset.
pub const ADAPTS: u64 = 21;
const LAST_PSN: u32 = 22;
const INC_STAGE: u32 = 23;
const W_HIGH: u32 = 24;
const W_LOW: u32 = 25;
const WC_HIGH: u32 = 26;
const WC_LOW: u32 = 27;
const U_HIGH: u32 = 28;
const U_LOW: u32 = 29;
const TAU: u32 = 30;
const UNITS: u32 = 31;
/// Behind the hops its place is that of the rate.
const RATE: u32 = TAU;

/// Where a word goes.
#[derive(Clone, Copy, PartialEq)]
enum To {
    /// Halves of the addend; `Alone` clears the other half.
    AddendHigh,
    AddendLow,
    AddendHighAlone,
    AddendLowAlone,
    SumHigh,
    SumLow,
    SumHighAlone,
    SumLowAlone,
    Factor,
    Word(u32),
    Hop(u32),
    /// Field of the result.
    Result(u32),
}

impl To {
    fn is_math(self) -> bool {
        !matches!(self, Self::Word(_) | Self::Hop(_) | Self::Result(_))
    }

    /// [5:3] 1 addend, 2 sum, 3 factor, 4 memory, 5 result; of addend and sum [0] high half, [1] low
    /// half, [2] the other half is cleared.
    fn code(self) -> u32 {
        match self {
            Self::AddendHigh => 1 << 3 | 1,
            Self::AddendLow => 1 << 3 | 2,
            Self::AddendHighAlone => 1 << 3 | 5,
            Self::AddendLowAlone => 1 << 3 | 6,
            Self::SumHigh => 2 << 3 | 1,
            Self::SumLow => 2 << 3 | 2,
            Self::SumHighAlone => 2 << 3 | 5,
            Self::SumLowAlone => 2 << 3 | 6,
            Self::Factor => 3 << 3,
            Self::Word(word) => 4 << 3 | word << 6,
            Self::Hop(word) => 4 << 3 | word << 6 | 1 << 11,
            Self::Result(field) => 5 << 3 | field,
        }
    }
}

/// What the arithmetic does in a cycle (`cc_serial_math`).
#[derive(Clone, Copy)]
enum Act {
    Multiply = 1,
    Shift = 2,
    ShiftByte = 3,
    Normalise = 4,
    ShiftExponent = 5,
    Add = 6,
    /// Addend less sum.
    Subtract = 7,
    Clear = 8,
    Segment = 9,
}

/// What a jump depends on.
#[derive(Clone, Copy, PartialEq)]
enum If {
    Always = 0,
    IsNegative = 1,
    IsZero = 2,
    /// The addend was less than the sum, or an addition had a carry.
    IsLess = 3,
    IsWide = 4,
    CommandAdapts = 5,
    HasTelemetry = 6,
    IsUsable = 7,
    ChecksPsn = 8,
    ChecksTime = 9,
    ChecksBytes = 10,
    HasRate = 11,
    ByUse = 12,
    BySojourn = 13,
    Is40Gbps = 14,
    IsLastHop = 15,
    IsCommand = 16,
    IsOffered = 17,
    ResultWaits = 18,
    IsTime = 19,
    IsBad = 20,
    ByTime = 21,
    Full = 24,
    First = 25,
    Some = 26,
    Scales = 30,
    Falls = 31,
}

const FULL: u32 = 0;
const FIRST: u32 = 1;
const SOME: u32 = 2;
const BAD_TIME: u32 = 3;
const BAD_BYTES: u32 = 4;
const BAD_QUEUE: u32 = 5;
const SCALES: u32 = 6;
const FALLS: u32 = 7;

/// What happens to the exponent.
#[derive(Clone, Copy)]
enum Exponent {
    Zero = 1,
    Multi = 2,
    Code = 3,
    OfUse = 4,
    AddCode = 5,
    LessCode = 6,
}

const NEXT_HOP: u32 = 1 << 3;
const CLEAR: u32 = 1 << 4;
const TIMER: u32 = 1 << 9;
const DONE: u32 = 1 << 23;
const SHOW: u32 = 1 << 24;
const NEVER_SENT: u32 = 1 << 25;
const BAD: u32 = 1 << 26;
const IS_WORST: u32 = 1 << 27;

/// Rows under construction.
#[derive(Default)]
struct Program {
    rows: Vec<u32>,
    labels: BTreeMap<&'static str, usize>,
    jumps: Vec<(usize, &'static str)>,
    /// What was moved in the row before.
    last: Option<To>,
}

impl Program {
    fn label(&mut self, name: &'static str) {
        assert!(self.labels.insert(name, self.rows.len()).is_none(), "{name} is there twice");
    }

    fn nothing(&mut self) {
        self.rows.push(MOVE | 48 << 4);
        self.last = None;
    }

    /// A word arrives a cycle later than the row says: who needs it waits.
    fn wait_for(&mut self, needs: impl Fn(To) -> bool) {
        if self.last.is_some_and(needs) {
            self.nothing();
        }
    }

    fn row(&mut self, row: u32) {
        self.wait_for(To::is_math);
        self.rows.push(row);
        self.last = None;
    }

    fn copy(&mut self, from: Origin, to: To) {
        self.wait_for(|last| match (last, from) {
            (To::Word(a), Word(b)) | (To::Hop(a), Hop(b)) => a == b,
            (To::Word(_), Hop(_)) | (To::Hop(_), Word(_)) => true,
            (To::SumHigh | To::SumLow | To::SumHighAlone | To::SumLowAlone | To::Factor, _) => {
                [SUM_HIGH, SUM_LOW, LOW].contains(&from)
            }
            _ => false,
        });
        let source = match from {
            Word(word) => 1 << 3 | word << 4,
            Hop(word) => 1 << 3 | word << 4 | 1 << 10,
            Given(index) => index << 4,
        };
        self.rows.push(MOVE | source | to.code() << 11);
        self.last = Some(to);
    }

    fn addend(&mut self, high: Origin, low: Origin) {
        self.copy(high, To::AddendHigh);
        self.copy(low, To::AddendLow);
    }

    fn sum(&mut self, high: Origin, low: Origin) {
        self.copy(high, To::SumHigh);
        self.copy(low, To::SumLow);
    }

    fn store(&mut self, high: u32, low: u32) {
        self.copy(SUM_HIGH, To::Word(high));
        self.copy(SUM_LOW, To::Word(low));
    }

    fn act(&mut self, act: Act) {
        self.steps(act, 1);
    }

    fn steps(&mut self, act: Act, cycles: u32) {
        assert!((1..=64).contains(&cycles));
        self.row(STEP | (cycles - 1) << 3 | (act as u32) << 9);
    }

    fn shift(&mut self, bits: u32) {
        if bits >= 8 {
            self.steps(Act::ShiftByte, bits / 8);
        }
        if !bits.is_multiple_of(8) {
            self.steps(Act::Shift, bits % 8);
        }
    }

    /// Sum and factor become addend times factor of so many bits.
    fn multiply(&mut self, bits: u32) {
        self.act(Act::Clear);
        self.steps(Act::Multiply, bits);
    }

    fn jump(&mut self, condition: If, value: bool, to: &'static str) {
        self.row(JUMP | (condition as u32) << 12 | u32::from(value) << 17);
        self.jumps.push((self.rows.len() - 1, to));
    }

    fn goto(&mut self, to: &'static str) {
        self.jump(If::Always, true, to);
    }

    fn note(&mut self, bits: u32) {
        self.row(NOTE | bits);
    }

    fn flag(&mut self, flag: u32) {
        self.note(1 << 5 | flag << 6);
    }

    fn exponent(&mut self, what: Exponent) {
        self.note((what as u32) << 20);
    }

    /// Waits while `condition` is not `value`.
    fn wait(&mut self, condition: If, value: bool) {
        self.wait_for(To::is_math);
        let here = self.rows.len() as u32;
        self.row(JUMP | here << 3 | (condition as u32) << 12 | u32::from(!value) << 17);
    }

    fn wait_for_time(&mut self) {
        self.wait(If::IsTime, true);
    }

    /// Behind the normalising of the sum: the factor becomes the mantissa of 1/sum.
    fn mantissa(&mut self) {
        self.act(Act::Segment);
        self.nothing();
        self.copy(FALL, To::AddendLowAlone);
        self.steps(Act::Multiply, 13);
        self.copy(START, To::AddendLowAlone);
        self.act(Act::Subtract);
        self.copy(SUM_LOW, To::Factor);
    }

    fn decide(&mut self) {
        self.label("idle");
        self.wait(If::IsOffered, true);
        let idle = self.rows.len() - 1;
        self.rows[idle] |= 1 << 18;
        self.note(TIMER | CLEAR);
        self.jump(If::IsCommand, true, "command");
        self.jump(If::HasTelemetry, false, "drop");
        self.copy(Word(ADAPTS as u32), To::SumLowAlone);
        self.jump(If::IsZero, true, "drop");
        self.jump(If::ChecksPsn, false, "sent");
        self.copy(SND_NXT, To::AddendHighAlone);
        self.copy(ACK_PSN, To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsZero, true, "never sent");
        self.jump(If::IsNegative, true, "never sent");
        self.label("sent");
        self.copy(Word(KEY), To::SumHighAlone);
        self.jump(If::IsNegative, false, "not due");
        self.jump(If::ByTime, true, "by time");
        self.copy(ACK_PSN, To::AddendHighAlone);
        self.copy(Word(LAST_PSN), To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsZero, true, "not due");
        self.jump(If::IsNegative, true, "not due");
        self.goto("due");
        self.label("by time");
        self.copy(SND_NXT, To::AddendHighAlone);
        self.copy(ACK_PSN, To::SumHighAlone);
        self.act(Act::Subtract);
        self.copy(SUM_HIGH, To::Word(HALF_HIGH));
        self.copy(Word(LAST_PSN), To::AddendHighAlone);
        self.copy(ACK_PSN, To::SumHighAlone);
        self.act(Act::Subtract);
        self.copy(Word(HALF_HIGH), To::AddendHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "not due");
        self.label("due");
        self.flag(FULL);
        self.label("not due");
        self.jump(If::IsUsable, false, "hold");
        self.copy(NEW_KEY, To::AddendHighAlone);
        self.copy(Word(KEY), To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsZero, true, "update");
        self.flag(FULL);
        self.flag(FIRST);
        self.wait_for_time();
        self.label("first");
        self.store_record();
        self.jump(If::IsLastHop, true, "stored");
        self.note(NEXT_HOP);
        self.goto("first");
        self.label("stored");
        self.copy(NEW_KEY, To::Word(KEY));
        self.goto("keep");
        self.label("hold");
        self.wait_for_time();
        self.label("keep");
        self.addend(Word(W_HIGH), Word(W_LOW));
        self.act(Act::Clear);
        self.act(Act::Add);
        self.goto("clamp");
    }

    fn store_record(&mut self) {
        self.copy(NEW_TIME, To::Hop(TIME));
        self.copy(NEW_SENT, To::Hop(SENT));
        self.copy(NEW_QUEUE, To::Hop(QUEUE));
    }

    /// tau, what was sent, and what no honest network says.
    fn check_hop(&mut self) {
        self.label("update");
        self.wait_for_time();
        self.label("hop");
        self.note(TIMER);
        self.copy(NEW_TIME, To::AddendHighAlone);
        self.copy(Hop(TIME), To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsNegative, false, "tau");
        self.jump(If::ChecksTime, false, "tau");
        self.flag(BAD_TIME);
        self.label("tau");
        self.shift(40);
        self.copy(SUM_LOW, To::Word(TAU));
        self.copy(NEW_QUEUE, To::AddendLowAlone);
        self.copy(QUEUE_MAX, To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "units");
        self.jump(If::IsZero, true, "units");
        self.flag(BAD_QUEUE);
        self.label("units");
        self.copy(NEW_SENT, To::AddendHighAlone);
        self.copy(ZERO, To::SumHighAlone);
        self.jump(If::ByUse, true, "in use");
        self.copy(Hop(SENT), To::SumHighAlone);
        self.label("in use");
        self.act(Act::Subtract);
        self.copy(SUM_HIGH, To::Word(UNITS));
        self.jump(If::ChecksBytes, false, "queue");
        self.copy(Word(TAU), To::AddendLowAlone);
        self.copy(LINE, To::Factor);
        self.multiply(9);
        self.shift(1);
        self.exponent(Exponent::Multi);
        self.steps(Act::ShiftExponent, 7);
        self.copy(SLACK_UNITS, To::AddendLowAlone);
        self.act(Act::Add);
        self.copy(SUM_LOW, To::AddendLowAlone);
        self.copy(Word(UNITS), To::SumHighAlone);
        self.shift(44);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "queue");
        self.flag(BAD_BYTES);
    }

    /// u' of the hop, and whether it is the worst one.
    fn measure_hop(&mut self) {
        self.label("queue");
        self.jump(If::HasRate, false, "next");
        self.copy(Word(TAU), To::SumLowAlone);
        self.jump(If::IsZero, true, "next");
        self.copy(Hop(QUEUE), To::Factor);
        self.copy(NEW_QUEUE, To::AddendLowAlone);
        self.copy(Hop(QUEUE), To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "queued");
        self.copy(NEW_QUEUE, To::Factor);
        self.label("queued");
        self.addend(QUEUE_GAIN_HIGH, QUEUE_GAIN_LOW);
        self.multiply(17);
        self.store(HALF_HIGH, HALF_LOW);
        self.jump(If::ByUse, true, "of use");
        self.copy(Word(TAU), To::SumLowAlone);
        self.copy(ZERO, To::Factor);
        self.exponent(Exponent::Zero);
        self.steps(Act::Normalise, 9);
        self.mantissa();
        self.jump(If::BySojourn, false, "rate");
        self.exponent(Exponent::AddCode);
        self.goto("rate");
        self.label("of use");
        self.copy(UTIL_GAIN, To::Factor);
        self.exponent(Exponent::OfUse);
        self.jump(If::BySojourn, true, "rate");
        self.exponent(Exponent::LessCode);
        self.label("rate");
        self.copy(Word(UNITS), To::AddendHighAlone);
        self.multiply(22);
        self.steps(Act::ShiftExponent, 10);
        self.shift(8);
        self.addend(Word(HALF_HIGH), Word(HALF_LOW));
        self.act(Act::Add);
        self.jump(If::BySojourn, true, "over rate");
        self.jump(If::Is40Gbps, true, "40 Gb/s");
        self.exponent(Exponent::Code);
        self.steps(Act::ShiftExponent, 4);
        self.goto("over rate");
        self.label("40 Gb/s");
        self.shift(1);
        self.addend(SUM_HIGH, SUM_LOW);
        self.shift(2);
        self.act(Act::Add);
        self.label("over rate");
        self.store(HALF_HIGH, HALF_LOW);
        self.jump(If::Some, false, "worst");
        self.addend(Word(WORST_HIGH), Word(WORST_LOW));
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "next");
        self.label("worst");
        self.note(1 << 5 | SOME << 6 | IS_WORST);
        self.copy(Word(HALF_HIGH), To::Word(WORST_HIGH));
        self.copy(Word(HALF_LOW), To::Word(WORST_LOW));
        self.copy(Word(TAU), To::Word(WORST_TAU));
        self.label("next");
        self.store_record();
        self.wait_for_time();
        self.jump(If::IsLastHop, true, "judge");
        self.note(NEXT_HOP);
        self.goto("hop");
    }

    fn average(&mut self) {
        self.label("judge");
        self.jump(If::IsBad, true, "bad");
        self.note(TIMER);
        self.jump(If::Some, false, "wind");
        self.copy(T, To::AddendLowAlone);
        self.copy(Word(WORST_TAU), To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "all");
        self.copy(SUM_LOW, To::Word(TAU));
        self.copy(SUM_LOW, To::AddendLowAlone);
        self.copy(Word(WORST_TAU), To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "part");
        // The rest of T, from u' to U.
        self.copy(Word(TAU), To::AddendLowAlone);
        self.copy(Word(U_HIGH), To::Word(HALF_HIGH));
        self.copy(Word(U_LOW), To::Word(HALF_LOW));
        self.copy(Word(WORST_HIGH), To::Word(U_HIGH));
        self.copy(Word(WORST_LOW), To::Word(U_LOW));
        self.copy(Word(HALF_HIGH), To::Word(WORST_HIGH));
        self.copy(Word(HALF_LOW), To::Word(WORST_LOW));
        self.goto("share");
        self.label("all");
        self.copy(Word(WORST_HIGH), To::Word(U_HIGH));
        self.copy(Word(WORST_LOW), To::Word(U_LOW));
        self.goto("wind");
        self.label("part");
        self.copy(Word(WORST_TAU), To::AddendLowAlone);
        self.label("share");
        self.copy(INV_T, To::Factor);
        self.multiply(32);
        self.copy(SUM_LOW, To::Word(UNITS));
        self.jump(If::IsZero, true, "way");
        self.shift(8);
        self.label("way");
        self.addend(Word(WORST_HIGH), Word(WORST_LOW));
        self.sum(Word(U_HIGH), Word(U_LOW));
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "distance");
        self.flag(FALLS);
        self.addend(Word(U_HIGH), Word(U_LOW));
        self.sum(Word(WORST_HIGH), Word(WORST_LOW));
        self.act(Act::Subtract);
        self.label("distance");
        self.addend(SUM_HIGH, SUM_LOW);
        self.copy(Word(UNITS), To::SumLowAlone);
        self.jump(If::IsZero, true, "fine");
        self.multiply(32);
        self.goto("go");
        self.label("fine");
        self.multiply(32);
        self.shift(8);
        self.label("go");
        self.addend(Word(U_HIGH), Word(U_LOW));
        self.jump(If::Falls, true, "falls");
        self.act(Act::Add);
        self.goto("moved");
        self.label("falls");
        self.act(Act::Subtract);
        self.label("moved");
        self.store(U_HIGH, U_LOW);
    }

    fn window(&mut self) {
        self.label("wind");
        self.addend(Word(U_HIGH), Word(U_LOW));
        self.copy(TARGET, To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "scale");
        self.copy(Word(INC_STAGE), To::AddendHighAlone);
        self.copy(MAX_STAGE, To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "scale");
        self.addend(Word(WC_HIGH), Word(WC_LOW));
        self.goto("step");
        self.label("scale");
        self.flag(SCALES);
        self.sum(Word(U_HIGH), Word(U_LOW));
        self.copy(ZERO, To::Factor);
        self.jump(If::IsZero, true, "top");
        self.exponent(Exponent::Zero);
        self.steps(Act::Normalise, 14);
        self.mantissa();
        self.copy(TARGET, To::AddendLowAlone);
        self.multiply(22);
        self.copy(SUM_LOW, To::Factor);
        self.addend(Word(WC_HIGH), Word(WC_LOW));
        self.multiply(32);
        self.steps(Act::ShiftExponent, 13);
        self.jump(If::IsWide, true, "top");
        self.addend(SUM_LOW, LOW);
        self.goto("step");
        self.label("top");
        self.addend(ALL_ONES, HIGH_ONES);
        self.label("step");
        // W_ai may change at any time: when it is read depends on nothing but the hops.
        self.wait_for_time();
        self.sum(W_AI_HIGH, W_AI_LOW);
        self.act(Act::Add);
    }

    fn clamp(&mut self) {
        self.label("clamp");
        self.note(TIMER);
        self.jump(If::IsLess, true, "most");
        self.store(HALF_HIGH, HALF_LOW);
        self.copy(W_INIT, To::AddendHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "most");
        self.addend(Word(HALF_HIGH), Word(HALF_LOW));
        self.sum(W_MIN_HIGH, W_MIN_LOW);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "least");
        self.copy(Word(HALF_HIGH), To::Word(W_HIGH));
        self.copy(Word(HALF_LOW), To::Word(W_LOW));
        self.goto("pace");
        self.label("most");
        self.copy(W_INIT, To::Word(W_HIGH));
        self.copy(ZERO, To::Word(W_LOW));
        self.goto("pace");
        self.label("least");
        self.copy(W_MIN_HIGH, To::Word(W_HIGH));
        self.copy(W_MIN_LOW, To::Word(W_LOW));
        self.label("pace");
        self.addend(Word(W_HIGH), Word(W_LOW));
        self.copy(RATE_GAIN, To::Factor);
        self.multiply(32);
        self.shift(14);
        self.copy(SUM_LOW, To::Word(RATE));
        self.copy(RATE_MAX, To::AddendLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "fast");
        self.copy(Word(RATE), To::AddendLowAlone);
        self.copy(RATE_MIN, To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "slow");
        self.goto("state");
        self.label("fast");
        self.copy(RATE_MAX, To::Word(RATE));
        self.goto("state");
        self.label("slow");
        self.copy(RATE_MIN, To::Word(RATE));
    }

    fn state(&mut self) {
        self.label("state");
        self.jump(If::IsCommand, true, "begin");
        self.jump(If::Full, false, "show");
        self.copy(SND_NXT, To::Word(LAST_PSN));
        self.jump(If::First, true, "show");
        self.jump(If::IsUsable, false, "show");
        self.copy(Word(W_HIGH), To::Word(WC_HIGH));
        self.copy(Word(W_LOW), To::Word(WC_LOW));
        self.jump(If::Scales, true, "scaled");
        self.copy(Word(INC_STAGE), To::AddendHighAlone);
        self.copy(ONE_STAGE, To::SumHighAlone);
        self.act(Act::Add);
        self.copy(SUM_HIGH, To::Word(INC_STAGE));
        self.goto("show");
        self.label("scaled");
        self.copy(ZERO, To::Word(INC_STAGE));
        self.goto("show");
        self.label("begin");
        self.copy(COMMAND_ADAPTS, To::Word(ADAPTS as u32));
        self.copy(ZERO, To::Word(KEY));
        self.copy(ZERO, To::Word(LAST_PSN));
        self.copy(ZERO, To::Word(INC_STAGE));
        self.copy(ZERO, To::Word(U_HIGH));
        self.copy(U_ONE, To::Word(U_LOW));
        self.copy(Word(W_HIGH), To::Word(WC_HIGH));
        self.copy(Word(W_LOW), To::Word(WC_LOW));
        self.jump(If::CommandAdapts, true, "show");
        self.copy(COMMAND_WINDOW, To::Word(W_HIGH));
        self.copy(COMMAND_RATE, To::Word(RATE));
        self.label("show");
        self.wait_for_time();
        self.wait(If::ResultWaits, false);
        let fields = [W_HIGH, RATE, U_HIGH, U_LOW, WC_HIGH, WC_LOW, LAST_PSN, INC_STAGE];
        for (field, word) in (0..).zip(fields) {
            self.copy(Word(word), To::Result(field));
        }
        self.note(SHOW | DONE);
        // A cycle without a look: in that of `ready` the event is still offered.
        self.goto("idle");
    }

    /// The ways on which nothing is shown, and how a command begins.
    fn ends(&mut self) {
        self.label("command");
        self.copy(COMMAND_WINDOW, To::AddendHighAlone);
        self.act(Act::Clear);
        self.act(Act::Add);
        self.goto("clamp");
        self.label("drop");
        self.wait_for_time();
        self.note(DONE);
        self.goto("idle");
        self.label("never sent");
        self.wait_for_time();
        self.note(DONE | NEVER_SENT);
        self.goto("idle");
        self.label("bad");
        self.note(DONE | BAD);
        self.goto("idle");
    }

    /// Cycles from a row to the next wait for the timer, on the longest way; that wait not counted.
    fn longest(&self, at: usize) -> u32 {
        let row = self.rows[at];
        let target = (row >> 3 & 0x1ff) as usize;
        match row & 7 {
            JUMP if target == at => 0,
            JUMP if row >> 12 & 0x1f == If::Always as u32 => 1 + self.longest(target),
            JUMP => 1 + self.longest(target).max(self.longest(at + 1)),
            NOTE if row & TIMER != 0 => 0,
            STEP => 1 + (row >> 3 & 0x3f) + self.longest(at + 1),
            _ => 1 + self.longest(at + 1),
        }
    }

    fn finish(mut self) -> Vec<u32> {
        assert!(self.rows.len() <= ROWS, "{} rows", self.rows.len());
        for (at, name) in std::mem::take(&mut self.jumps) {
            self.rows[at] |= (self.labels[name] as u32) << 3;
        }
        for at in 0..self.rows.len() {
            if self.rows[at] & (7 | TIMER) == NOTE | TIMER {
                self.rows[at] |= self.longest(at + 1) << 10;
            }
        }
        self.rows
    }
}

/// The rows.
fn program() -> Vec<u32> {
    let mut program = Program::default();
    program.decide();
    program.check_hop();
    program.measure_hop();
    program.average();
    program.window();
    program.clamp();
    program.state();
    program.ends();
    program.finish()
}

/// A row of the program: what `op` it is, and what the others say of that one.
#[row(32)]
pub struct ProgramRow {
    pub op: Bits<3>,
    // 0 move
    pub from_memory: Bit,
    pub source: Bits<6>,
    #[at(4)]
    pub word: Bits<5>,
    #[at(10)]
    pub of_hop: Bit,
    pub to: Bits<6>,
    pub to_word: Bits<5>,
    pub to_hop: Bit,
    // 1 step: cycles - 1, act of cc_serial_math
    #[at(3)]
    pub cycles: Bits<6>,
    pub act: Bits<4>,
    // 2 jump; `waits` for an event
    #[at(3)]
    pub target: Bits<9>,
    pub condition: Bits<5>,
    pub value: Bit,
    pub waits: Bit,
    // 3 note
    #[at(3)]
    pub next_hop: Bit,
    pub clears: Bit,
    pub sets_flag: Bit,
    pub flag: Bits<3>,
    pub sets_timer: Bit,
    pub timer: Bits<10>,
    pub exponent: Bits<3>,
    pub done: Bit,
    pub shows: Bit,
    pub never_sent: Bit,
    pub is_bad: Bit,
    pub worst: Bit,
}

/// Block ROM of the program, registered output.
#[block(no_reset)]
pub struct CcProgram {
    /// Row.
    pub address: Signal<In, Bits<9>>,
    /// It, one cycle later.
    pub row: Signal<Out, ProgramRow>,
}

impl Logic for CcProgram {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let mut text = String::from(
            "// The rows are listed in hdl/src/cc/serial/program.rs.\n\
             (* rom_style = \"block\" *)\nreg [31:0] rom [0:511];\n\ninitial begin\n",
        );
        let rows = program();
        for at in 0..ROWS {
            let row = rows.get(at).copied().unwrap_or(0);
            let _ = writeln!(text, "    rom[{at}] = 32'd{row};");
        }
        text += "end\n\nalways @(posedge clock) row <= rom[address];\n";
        Verilog::Custom(text)
    }
}
