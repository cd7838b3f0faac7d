//! Twin of `hdl/src/util/frame_fifo.rs`: whole frames, one beat a cycle, never a gap inside a
//! frame; a frame that is opened leaves as it comes.

use crate::ports;
use crate::ports::{Data, Golden};
use crate::streams::{Axis, AxisUser, TreadyPort};
use std::collections::VecDeque;

/// One beat of any payload record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beat<T> {
    /// Data and keep.
    pub data: T,
    /// Last beat of the frame.
    pub last: bool,
}

/// Frame FIFO of any beat payload; other twins compose it through its methods.
#[derive(Clone, Debug)]
pub struct FrameFifo<T> {
    depth_beats: usize,
    drop_when_full: bool,
    /// Beats of the frame that is being written.
    open: Vec<Beat<T>>,
    /// Beats of complete frames.
    committed: VecDeque<Beat<T>>,
    stage: Option<Beat<T>>,
    head: Beat<T>,
    head_valid: bool,
    discard: bool,
    /// The frame at the sink leaves as it comes.
    is_open: bool,
    event_bad: bool,
    event_overflow: bool,
}

impl<T: Copy + Default> FrameFifo<T> {
    /// A buffer of `depth_beats` (`2^AW`); `drop_when_full` as `cfg_drop_when_full`.
    pub fn new(depth_beats: usize, drop_when_full: bool) -> Self {
        Self {
            depth_beats,
            drop_when_full,
            open: Vec::with_capacity(depth_beats),
            committed: VecDeque::with_capacity(depth_beats),
            stage: None,
            head: Beat::default(),
            head_valid: false,
            discard: false,
            is_open: false,
            event_bad: false,
            event_overflow: false,
        }
    }

    fn is_full(&self) -> bool {
        self.open.len() + self.committed.len() == self.depth_beats
    }

    /// `s_axis_tready`.
    pub fn s_ready(&self) -> bool {
        self.drop_when_full || self.discard || !self.is_full()
    }

    /// `m_axis_tvalid`.
    pub fn m_valid(&self) -> bool {
        self.head_valid
    }

    /// The beat at the source: the last one while `m_valid` is low.
    pub fn m_beat(&self) -> Beat<T> {
        self.head
    }

    /// `event_bad` of this cycle.
    pub fn event_bad(&self) -> bool {
        self.event_bad
    }

    /// `event_overflow` of this cycle.
    pub fn event_overflow(&self) -> bool {
        self.event_overflow
    }

    /// One clock edge. `s` is the offered beat and whether its frame is bad (`tuser`).
    pub fn step(&mut self, reset: bool, s: Option<(Beat<T>, bool)>, m_ready: bool) {
        self.step_open(reset, s, false, m_ready);
    }

    /// As [`FrameFifo::step`]; `open` is `s_open`.
    pub fn step_open(
        &mut self,
        reset: bool,
        s: Option<(Beat<T>, bool)>,
        open: bool,
        m_ready: bool,
    ) {
        if reset {
            *self = Self::new(self.depth_beats, self.drop_when_full);
            return;
        }
        let taken = if self.s_ready() { s } else { None };
        let was_full = self.is_full();
        // A frame that fills the whole buffer can never be completed.
        let oversize = was_full && self.committed.is_empty() && !self.drop_when_full;
        self.read(m_ready);
        self.event_bad = false;
        self.event_overflow = false;
        if oversize {
            self.open.clear();
            self.discard = true;
        }
        self.is_open |= open;
        if let Some((beat, bad)) = taken {
            self.write(beat, bad, was_full);
        } else if self.is_open {
            self.show(0);
        }
    }

    /// All beats of the frame at the sink may leave; the last `fresh_count` come just now.
    fn show(&mut self, fresh_count: usize) {
        let can_pass = self.stage.is_none() && self.open.len() > fresh_count;
        self.committed.extend(self.open.drain(..));
        if can_pass {
            self.stage = self.committed.pop_front();
        }
    }

    fn read(&mut self, m_ready: bool) {
        if m_ready {
            self.head_valid = false;
        }
        if !self.head_valid {
            if let Some(beat) = self.stage.take() {
                self.head = beat;
                self.head_valid = true;
            }
        }
        if self.stage.is_none() {
            self.stage = self.committed.pop_front();
        }
    }

    fn write(&mut self, beat: Beat<T>, bad: bool, was_full: bool) {
        let was_open = self.is_open;
        self.is_open &= !beat.last;
        if self.discard || was_full {
            self.open.clear();
            self.event_overflow = beat.last;
            self.discard = !beat.last;
            return;
        }
        self.open.push(beat);
        self.event_bad = beat.last && bad && !was_open;
        if self.event_bad {
            self.open.clear();
        } else if beat.last || was_open {
            self.show(1);
        }
    }
}

ports! {
    /// Inputs of the block.
    pub struct FrameFifoIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Drop instead of back-pressure; constant in use.
        pub cfg_drop_when_full: bool,
        /// Frames; tuser: bad.
        pub s_axis: AxisUser,
        /// The frame at the sink may leave before its last beat.
        pub s_open: bool,
        /// The beat at the source is taken.
        pub m_axis: TreadyPort,
    }
}
ports! {
    /// Outputs of the block.
    pub struct FrameFifoOut {
        /// The offered beat will be taken.
        pub s_axis: TreadyPort,
        /// Whole frames.
        pub m_axis: Axis,
        /// A frame was dropped for tuser.
        pub event_bad: bool,
        /// A frame was dropped for lack of room.
        pub event_overflow: bool,
    }
}

impl Golden for FrameFifo<(Data, u64)> {
    type In = FrameFifoIn;
    type Out = FrameFifoOut;
    fn step(&mut self, i: &FrameFifoIn) -> FrameFifoOut {
        self.drop_when_full = i.cfg_drop_when_full;
        let beat = Beat { data: (i.s_axis.tdata, i.s_axis.tkeep), last: i.s_axis.tlast };
        let offer = i.s_axis.tvalid.then_some((beat, i.s_axis.tuser));
        self.step_open(i.reset, offer, i.s_open, i.m_axis.tready);
        FrameFifoOut {
            s_axis: TreadyPort { tready: self.s_ready() },
            m_axis: Axis {
                tdata: self.head.data.0,
                tkeep: self.head.data.1,
                tvalid: self.head_valid,
                tlast: self.head.last,
            },
            event_bad: self.event_bad,
            event_overflow: self.event_overflow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(data: u64, last: bool) -> Beat<u64> {
        Beat { data, last }
    }

    #[test]
    fn frame_fifo_shows_nothing_before_the_last_good_beat() {
        let mut fifo = FrameFifo::<u64>::new(8, false);
        fifo.step(false, Some((beat(1, false), false)), true);
        (0..9).for_each(|_| fifo.step(false, None, true));
        assert!(!fifo.m_valid());
        fifo.step(false, Some((beat(2, true), false)), true);
        assert!(!fifo.m_valid());
        fifo.step(false, None, true);
        assert_eq!((fifo.m_valid(), fifo.m_beat()), (true, beat(1, false)));
        fifo.step(false, None, true);
        assert_eq!((fifo.m_valid(), fifo.m_beat()), (true, beat(2, true)));
    }

    #[test]
    fn frame_fifo_lets_an_open_frame_leave_as_it_comes() {
        let mut fifo = FrameFifo::<u64>::new(8, false);
        (1..4).for_each(|n| fifo.step(false, Some((beat(n, false), false)), true));
        assert!(!fifo.m_valid());
        fifo.step_open(false, None, true, true);
        fifo.step(false, Some((beat(4, false), false)), true);
        assert_eq!((fifo.m_valid(), fifo.m_beat()), (true, beat(1, false)));
        fifo.step(false, Some((beat(5, true), true)), true);
        for n in 3..6 {
            fifo.step(false, Some((beat(9, false), false)), true);
            assert_eq!((fifo.m_valid(), fifo.m_beat()), (true, beat(n, n == 5)));
        }
        (0..3).for_each(|_| fifo.step(false, None, true));
        assert!(!fifo.m_valid(), "the next frame is not open");
    }

    #[test]
    fn frame_fifo_rolls_back_bad_and_oversize_frames() {
        let mut fifo = FrameFifo::<u64>::new(8, false);
        fifo.step(false, Some((beat(1, true), true)), true);
        assert!(fifo.event_bad());
        let mut sent = 0;
        let mut overflow_count = 0;
        while sent < 20 {
            sent += u32::from(fifo.s_ready());
            fifo.step(false, Some((beat(2, sent == 20), false)), true);
            overflow_count += u32::from(fifo.event_overflow());
        }
        assert_eq!(overflow_count, 1);
        fifo.step(false, Some((beat(3, true), false)), true);
        (0..2).for_each(|_| fifo.step(false, None, true));
        assert_eq!((fifo.m_valid(), fifo.m_beat()), (true, beat(3, true)));
    }
}
