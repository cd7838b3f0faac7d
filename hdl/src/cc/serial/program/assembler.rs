//! Puts the program together: a row an operation, labels, waits for words under way, timers.

use super::operands::*;
use std::collections::BTreeMap;

/// Rows of the memory.
pub const ROWS: usize = 512;
const MOVE: u32 = 0;
const STEP: u32 = 1;
const JUMP: u32 = 2;
const NOTE: u32 = 3;

/// Rows under construction.
#[derive(Default)]
pub struct Program {
    rows: Vec<u32>,
    labels: BTreeMap<&'static str, usize>,
    jumps: Vec<(usize, &'static str)>,
    /// What was moved in the row before.
    last: Option<To>,
}

impl Program {
    pub fn label(&mut self, name: &'static str) {
        assert!(self.labels.insert(name, self.rows.len()).is_none(), "{name} is there twice");
    }

    pub fn nothing(&mut self) {
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

    pub fn copy(&mut self, from: Origin, to: To) {
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

    pub fn addend(&mut self, high: Origin, low: Origin) {
        self.copy(high, To::AddendHigh);
        self.copy(low, To::AddendLow);
    }

    pub fn sum(&mut self, high: Origin, low: Origin) {
        self.copy(high, To::SumHigh);
        self.copy(low, To::SumLow);
    }

    pub fn store(&mut self, high: u32, low: u32) {
        self.copy(SUM_HIGH, To::Word(high));
        self.copy(SUM_LOW, To::Word(low));
    }

    pub fn act(&mut self, act: Act) {
        self.steps(act, 1);
    }

    pub fn steps(&mut self, act: Act, cycles: u32) {
        assert!((1..=64).contains(&cycles));
        self.row(STEP | (cycles - 1) << 3 | (act as u32) << 9);
    }

    pub fn shift(&mut self, bits: u32) {
        if bits >= 8 {
            self.steps(Act::ShiftByte, bits / 8);
        }
        if !bits.is_multiple_of(8) {
            self.steps(Act::Shift, bits % 8);
        }
    }

    /// Sum and factor become addend times factor of so many bits.
    pub fn multiply(&mut self, bits: u32) {
        self.act(Act::Clear);
        self.steps(Act::Multiply, bits);
    }

    pub fn jump(&mut self, condition: If, value: bool, to: &'static str) {
        self.row(JUMP | (condition as u32) << 12 | u32::from(value) << 17);
        self.jumps.push((self.rows.len() - 1, to));
    }

    pub fn goto(&mut self, to: &'static str) {
        self.jump(If::Always, true, to);
    }

    pub fn note(&mut self, bits: u32) {
        self.row(NOTE | bits);
    }

    pub fn flag(&mut self, flag: u32) {
        self.note(1 << 5 | flag << 6);
    }

    pub fn exponent(&mut self, what: Exponent) {
        self.note((what as u32) << 20);
    }

    /// Waits while `condition` is not `value`.
    pub fn wait(&mut self, condition: If, value: bool) {
        self.wait_for(To::is_math);
        let here = self.rows.len() as u32;
        self.row(JUMP | here << 3 | (condition as u32) << 12 | u32::from(!value) << 17);
    }

    pub fn wait_for_event(&mut self) {
        self.wait(If::IsOffered, true);
        *self.rows.last_mut().expect("it waits") |= 1 << 18;
    }

    pub fn wait_for_time(&mut self) {
        self.wait(If::IsTime, true);
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

    pub fn finish(mut self) -> Vec<u32> {
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
