//! Twin of `hdl/src/host/read_mux.rs`: two users of the read engine.

use super::dma_read::StreamBeat;
use crate::golden::transport::requester::{ReadPorts, ReadyPort};
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::skid::Skid;
use crate::ports;
use crate::ports::Golden;

/// Frames that may be on their way.
const FRAMES: usize = 16;

ports! {
    /// Stream of the read engine.
    pub struct ReadData {
        pub tdata: u64,
        pub tkeep: u8,
        pub tlast: bool,
        pub tuser: bool,
        pub tvalid: bool,
    }
}
ports! {
    /// Stream of work requests, whole beats only.
    pub struct WrData {
        pub tdata: u64,
        pub tlast: bool,
        pub tuser: bool,
        pub tvalid: bool,
    }
}
ports! {
    /// Ready of an AXI4-Stream.
    pub struct StreamReady {
        pub tready: bool,
    }
}
ports! {
    /// Inputs.
    pub struct ReadMuxIn {
        pub reset: bool,
        pub s_pkt: ReadPorts,
        pub s_wr: ReadPorts,
        pub m_cmd: ReadyPort,
        pub s_axis: ReadData,
        pub m_pkt: StreamReady,
        pub m_wr: StreamReady,
    }
}
ports! {
    /// Outputs.
    pub struct ReadMuxOut {
        pub s_pkt: ReadyPort,
        pub s_wr: ReadyPort,
        pub m_cmd: ReadPorts,
        pub s_axis: StreamReady,
        pub m_pkt: ReadData,
        pub m_wr: WrData,
    }
}

/// Who has asked for a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum User {
    #[default]
    Packet,
    WorkRequest,
}

/// The mux.
#[derive(Clone, Debug)]
pub struct ReadMux {
    turn: User,
    command: ReadPorts,
    owners: LutFifo<User>,
    beats: Skid<StreamBeat>,
}

impl Default for ReadMux {
    fn default() -> Self {
        let (turn, command, beats) = Default::default();
        Self { turn, command, owners: LutFifo::new(FRAMES), beats }
    }
}

impl ReadMux {
    /// Whether a command of `user` is taken at the coming edge.
    fn ready(&self, user: User) -> bool {
        !self.command.valid && self.owners.s_ready() && self.turn == user
    }

    fn stands(&self, user: User) -> bool {
        self.beats.m_valid() && self.owners.m_valid() && self.owners.m_data() == user
    }

    fn outputs(&self) -> ReadMuxOut {
        let StreamBeat { data, keep, last, error } = self.beats.m_data();
        let tvalid = self.stands(User::Packet);
        let wr = self.stands(User::WorkRequest);
        ReadMuxOut {
            s_pkt: ReadyPort { ready: self.ready(User::Packet) },
            s_wr: ReadyPort { ready: self.ready(User::WorkRequest) },
            m_cmd: self.command,
            s_axis: StreamReady { tready: self.beats.s_ready() },
            m_pkt: ReadData { tdata: data, tkeep: keep, tlast: last, tuser: error, tvalid },
            m_wr: WrData { tdata: data, tlast: last, tuser: error, tvalid: wr },
        }
    }
}

impl Golden for ReadMux {
    type In = ReadMuxIn;
    type Out = ReadMuxOut;

    fn step(&mut self, i: &ReadMuxIn) -> ReadMuxOut {
        if i.reset {
            *self = Self::default();
            return self.outputs();
        }
        let (mine, other, other_user) = match self.turn {
            User::Packet => (i.s_pkt, i.s_wr, User::WorkRequest),
            User::WorkRequest => (i.s_wr, i.s_pkt, User::Packet),
        };
        let taken = (self.ready(self.turn) && mine.valid).then_some(mine);
        let owner = taken.filter(|c| c.bytes > 0).map(|_| self.turn);
        let goes = self.stands(User::Packet) && i.m_pkt.tready
            || self.stands(User::WorkRequest) && i.m_wr.tready;
        self.owners.step(false, owner, goes && self.beats.m_data().last);
        let s = &i.s_axis;
        let beat = StreamBeat { data: s.tdata, keep: s.tkeep, last: s.tlast, error: s.tuser };
        self.beats.step(false, s.tvalid.then_some(beat), goes);
        if other.valid && (taken.is_some() || !mine.valid) {
            self.turn = other_user;
        }
        if self.command.valid && i.m_cmd.ready {
            self.command.valid = false;
        }
        self.command = taken.unwrap_or(self.command);
        self.outputs()
    }
}
