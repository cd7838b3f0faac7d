//! Twin of `hdl/src/host/write_mux.rs`: commands of responder, completer and completion ring for the
//! write engine.

use crate::golden::util::rr_merge::Turn;
use crate::golden::util::skid::Skid;
use crate::golden::util::stream_route::StreamRoute;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{AxisWords, ReadyPort, TreadyPort, WriteCommand, WriteDone};

/// What an engine's tag has above a port's: responder 0, completer 10, completion ring 11.
const PORT_BITS: [u128; 3] = [0, 0b10 << 126, 0b11 << 126];
/// The bit that tells the responder from the others, and the one that tells these apart.
const OTHERS_BIT: u128 = 1 << 127;
const RING_BIT: u128 = 1 << 126;

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
        pub s_c_cmd: WriteCommand,
        pub s_c_data: AxisWords,
        pub m_c_done: ReadyPort,
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
        pub s_c_cmd: ReadyPort,
        pub s_c_data: TreadyPort,
        pub m_c_done: WriteDone,
        pub m_cmd: WriteCommand,
        pub m_data: AxisWords,
        pub s_done: ReadyPort,
    }
}

/// The mux.
#[derive(Clone, Debug, Default)]
pub struct WriteMux {
    cmds: [Skid<WriteCommand>; 3],
    beats: [Skid<AxisWords>; 3],
    /// Whose command is taken at the next edge.
    turn: Turn,
    /// The port whose frame moves.
    moving: Option<usize>,
    cmd: WriteCommand,
    beat: AxisWords,
    reports: StreamRoute<(u128, bool)>,
    others: StreamRoute<(u128, bool)>,
}

impl WriteMux {
    /// Commands in their queues; `moved` is the port whose beat has just left.
    fn take_commands(&mut self, i: &WriteMuxIn, moved: Option<usize>) {
        let m_ready = i.m_cmd.ready;
        let is_free = (m_ready || !self.cmd.valid) && self.moving.is_none();
        self.cmd.valid &= !m_ready;
        // A command waits for a beat beside the one that has just moved.
        let can = [0, 1, 2].map(|p| {
            let beats = &self.beats[p];
            let beat_count = [beats.m_valid(), !beats.s_ready()].map(usize::from);
            let has_begun = beat_count.iter().sum::<usize>() > usize::from(moved == Some(p));
            self.cmds[p].m_valid() && (self.cmds[p].m_data().bytes == 0 || has_begun)
        });
        let taken = self.turn.taken();
        if let Some(port) = taken {
            let cmd = self.cmds[port].m_data();
            self.cmd = WriteCommand { valid: true, tag: cmd.tag | PORT_BITS[port], ..cmd };
            self.moving = (cmd.bytes > 0).then_some(port);
        }
        self.turn.step(is_free, &can);
        for (port, s) in [i.s_a_cmd, i.s_b_cmd, i.s_c_cmd].into_iter().enumerate() {
            self.cmds[port].step(false, s.valid.then_some(s), taken == Some(port));
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

    /// Reports go back by the bits above their tags.
    fn report(&mut self, i: &WriteMuxIn) {
        let (tag, error) = self.reports.m_data();
        let other =
            self.reports.valids()[1].then_some(((tag & !RING_BIT, error), tag & RING_BIT != 0));
        let b_ready = self.others.s_ready();
        let item = (i.s_done.tag & !OTHERS_BIT, i.s_done.error);
        let come = i.s_done.valid.then_some((item, i.s_done.tag & OTHERS_BIT != 0));
        self.reports.step(i.reset, come, [i.m_a_done.ready, b_ready]);
        self.others.step(i.reset, other, [i.m_b_done.ready, i.m_c_done.ready]);
    }
}

impl Golden for WriteMux {
    type In = WriteMuxIn;
    type Out = WriteMuxOut;

    fn step(&mut self, i: &WriteMuxIn) -> WriteMuxOut {
        self.report(i);
        if i.reset {
            *self = Self::default();
        } else {
            let moved = self.move_beat(i.m_data.tready);
            self.take_commands(i, moved);
            for (port, s) in [i.s_a_data, i.s_b_data, i.s_c_data].iter().enumerate() {
                self.beats[port].step(false, s.tvalid.then_some(*s), moved == Some(port));
            }
        }
        let cmd = |port: usize| ReadyPort { ready: self.cmds[port].s_ready() };
        let data = |port: usize| TreadyPort { tready: self.beats[port].s_ready() };
        let done = |valid, (tag, error)| WriteDone { valid, tag, error };
        let [a_done, _] = self.reports.valids();
        let [b_done, c_done] = self.others.valids();
        WriteMuxOut {
            s_a_cmd: cmd(0),
            s_a_data: data(0),
            m_a_done: done(a_done, self.reports.m_data()),
            s_b_cmd: cmd(1),
            s_b_data: data(1),
            m_b_done: done(b_done, self.others.m_data()),
            s_c_cmd: cmd(2),
            s_c_data: data(2),
            m_c_done: done(c_done, self.others.m_data()),
            m_cmd: self.cmd,
            m_data: self.beat,
            s_done: ReadyPort { ready: self.reports.s_ready() },
        }
    }
}
