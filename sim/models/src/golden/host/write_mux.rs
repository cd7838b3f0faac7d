//! Twin of `hdl/src/host/write_mux.rs`: commands of responder and completer for the write engine.

use crate::golden::util::skid::Skid;
use crate::golden::util::stream_route::StreamRoute;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{AxisWords, ReadyPort, TreadyPort, WriteCommand, WriteDone};

ports! {
    /// Inputs.
    pub struct WriteMuxIn {
        pub reset: bool,
        pub s_a_cmd: WriteCommand,
        pub s_a_data: AxisWords,
        pub m_a_done: ReadyPort,
        pub s_b_cmd: WriteCommand,
        pub s_b_data: AxisWords,
        pub m_b_done: ReadyPort,
        pub m_cmd: ReadyPort,
        pub m_data: TreadyPort,
        pub s_done: WriteDone,
    }
}
ports! {
    /// Outputs.
    pub struct WriteMuxOut {
        pub s_a_cmd: ReadyPort,
        pub s_a_data: TreadyPort,
        pub m_a_done: WriteDone,
        pub s_b_cmd: ReadyPort,
        pub s_b_data: TreadyPort,
        pub m_b_done: WriteDone,
        pub m_cmd: WriteCommand,
        pub m_data: AxisWords,
        pub s_done: ReadyPort,
    }
}

/// The mux.
#[derive(Clone, Debug)]
pub struct WriteMux {
    /// Bits of a port's tag; the engine's has the port above them.
    tag_bits: u32,
    beats: [Skid<AxisWords>; 2],
    /// The port whose command is taken at the next edge.
    taking: Option<usize>,
    b_next: bool,
    /// The port whose frame moves.
    moving: Option<usize>,
    cmd: WriteCommand,
    beat: AxisWords,
    reports: StreamRoute<(u128, bool)>,
}

impl WriteMux {
    /// A mux whose ports have tags of `tag_bits`.
    pub fn new(tag_bits: u32) -> Self {
        let (beats, taking, b_next, moving, cmd, beat, reports) = Default::default();
        Self { tag_bits, beats, taking, b_next, moving, cmd, beat, reports }
    }

    /// Commands whose frame, if they have one, has begun to come.
    fn can_start(&self, i: &WriteMuxIn) -> [bool; 2] {
        let cmds = [i.s_a_cmd, i.s_b_cmd];
        [0, 1].map(|p| cmds[p].valid && (cmds[p].bytes == 0 || self.beats[p].m_valid()))
    }

    fn take_commands(&mut self, i: &WriteMuxIn, can: [bool; 2], is_between_frames: bool) {
        let is_free = i.m_cmd.ready || !self.cmd.valid;
        self.cmd.valid &= !i.m_cmd.ready;
        if let Some(port) = self.taking.take() {
            let cmd = [i.s_a_cmd, i.s_b_cmd][port];
            self.cmd =
                WriteCommand { valid: true, tag: cmd.tag | (port as u128) << self.tag_bits, ..cmd };
            self.moving = (cmd.bytes > 0).then_some(port);
        } else if is_free && is_between_frames {
            self.taking = match can {
                [true, true] => Some(usize::from(self.b_next)),
                [true, false] => Some(0),
                [false, true] => Some(1),
                [false, false] => None,
            };
            self.b_next = self.taking.map_or(self.b_next, |port| port == 0);
        }
    }

    /// Moves a beat of the frame under way; the port that it was taken from.
    fn move_beat(&mut self, m_ready: bool) -> Option<usize> {
        let is_free = m_ready || !self.beat.tvalid;
        self.beat.tvalid &= !m_ready;
        let port = self.moving.filter(|port| is_free && self.beats[*port].m_valid())?;
        let AxisWords { tdata, tlast, .. } = self.beats[port].m_data();
        self.beat = AxisWords { tvalid: true, tdata, tlast };
        if tlast {
            self.moving = None;
        }
        Some(port)
    }
}

impl Golden for WriteMux {
    type In = WriteMuxIn;
    type Out = WriteMuxOut;

    fn step(&mut self, i: &WriteMuxIn) -> WriteMuxOut {
        if i.reset {
            *self = Self::new(self.tag_bits);
        } else {
            let is_between_frames = self.moving.is_none();
            let can = self.can_start(i);
            let moved = self.move_beat(i.m_data.tready);
            self.take_commands(i, can, is_between_frames);
            for (port, s) in [i.s_a_data, i.s_b_data].iter().enumerate() {
                self.beats[port].step(false, s.tvalid.then_some(*s), moved == Some(port));
            }
        }
        let tag = i.s_done.tag & ((1 << self.tag_bits) - 1);
        let item = ((tag, i.s_done.error), i.s_done.tag >> self.tag_bits != 0);
        let readies = [i.m_a_done.ready, i.m_b_done.ready];
        self.reports.step(i.reset, i.s_done.valid.then_some(item), readies);
        let [a_done, b_done] = self.reports.valids();
        let (tag, error) = self.reports.m_data();
        WriteMuxOut {
            s_a_cmd: ReadyPort { ready: self.taking == Some(0) },
            s_a_data: TreadyPort { tready: self.beats[0].s_ready() },
            m_a_done: WriteDone { valid: a_done, tag, error },
            s_b_cmd: ReadyPort { ready: self.taking == Some(1) },
            s_b_data: TreadyPort { tready: self.beats[1].s_ready() },
            m_b_done: WriteDone { valid: b_done, tag, error },
            m_cmd: self.cmd,
            m_data: self.beat,
            s_done: ReadyPort { ready: self.reports.s_ready() },
        }
    }
}

impl Default for WriteMux {
    /// The mux of responder and completer.
    fn default() -> Self {
        Self::new(127)
    }
}
