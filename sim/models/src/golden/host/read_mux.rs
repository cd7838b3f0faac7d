//! Twin of `hdl/src/host/read_mux.rs`: two users of the read engine.

use super::dma::read::StreamBeat;
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::skid::Skid;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{AxisUser, AxisWordsUser, ReadCommand, ReadyPort, TreadyPort};
use nic_spec::NicConfig;

ports! {
    /// Inputs.
    pub struct ReadMuxIn {
        pub reset: bool,
        pub s_pkt: ReadCommand,
        pub s_wr: ReadCommand,
        pub m_cmd: ReadyPort,
        pub s_axis: AxisUser,
        pub m_pkt: TreadyPort,
        pub m_wr: TreadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct ReadMuxOut {
        pub s_pkt: ReadyPort,
        pub s_wr: ReadyPort,
        pub m_cmd: ReadCommand,
        pub s_axis: TreadyPort,
        pub m_pkt: AxisUser,
        pub m_wr: AxisWordsUser,
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
    config: NicConfig,
    turn: User,
    packet: ReadCommand,
    work_request: ReadCommand,
    owners: LutFifo<User>,
    beats: Skid<StreamBeat>,
}

impl ReadMux {
    /// The mux of a NIC of these sizes: more frames may be on their way than `dma_read` has
    /// commands.
    pub fn new(config: &NicConfig) -> Self {
        let (turn, packet, work_request, beats) = Default::default();
        let owners = LutFifo::new(2 * config.read_commands());
        Self { config: config.clone(), turn, packet, work_request, owners, beats }
    }

    /// The command that stands at the source.
    fn command(&self) -> ReadCommand {
        let command = match self.turn {
            User::Packet => self.packet,
            User::WorkRequest => self.work_request,
        };
        ReadCommand { valid: command.valid && self.owners.s_ready(), ..command }
    }

    fn stands(&self, user: User) -> bool {
        self.beats.m_valid() && self.owners.m_valid() && self.owners.m_data() == user
    }

    fn outputs(&self) -> ReadMuxOut {
        let StreamBeat { data, keep, last, error } = self.beats.m_data();
        let tvalid = self.stands(User::Packet);
        let wr = self.stands(User::WorkRequest);
        ReadMuxOut {
            s_pkt: ReadyPort { ready: !self.packet.valid },
            s_wr: ReadyPort { ready: !self.work_request.valid },
            m_cmd: self.command(),
            s_axis: TreadyPort { tready: self.beats.s_ready() },
            m_pkt: AxisUser { tdata: data, tkeep: keep, tlast: last, tuser: error, tvalid },
            m_wr: AxisWordsUser { tdata: data, tlast: last, tuser: error, tvalid: wr },
        }
    }
}

impl Golden for ReadMux {
    type In = ReadMuxIn;
    type Out = ReadMuxOut;

    fn step(&mut self, i: &ReadMuxIn) -> ReadMuxOut {
        if i.reset {
            *self = Self::new(&self.config);
            return self.outputs();
        }
        let command = self.command();
        let stood = match self.turn {
            User::Packet => self.packet.valid,
            User::WorkRequest => self.work_request.valid,
        };
        let leaves = command.valid && i.m_cmd.ready;
        let owner = (leaves && command.bytes > 0).then_some(self.turn);
        let goes = self.stands(User::Packet) && i.m_pkt.tready
            || self.stands(User::WorkRequest) && i.m_wr.tready;
        self.owners.step(false, owner, goes && self.beats.m_data().last);
        let s = &i.s_axis;
        let beat = StreamBeat { data: s.tdata, keep: s.tkeep, last: s.tlast, error: s.tuser };
        self.beats.step(false, s.tvalid.then_some(beat), goes);
        // A place is free again in the cycle behind that in which it was left.
        for (user, place, s) in [
            (User::Packet, &mut self.packet, i.s_pkt),
            (User::WorkRequest, &mut self.work_request, i.s_wr),
        ] {
            if place.valid {
                place.valid = !(leaves && self.turn == user);
            } else if s.valid {
                *place = s;
            }
        }
        let (other, other_user) = match self.turn {
            User::Packet => (self.work_request, User::WorkRequest),
            User::WorkRequest => (self.packet, User::Packet),
        };
        // What has stood keeps its turn until it leaves; what has just come has none to keep.
        if other.valid && (leaves || !stood) {
            self.turn = other_user;
        }
        self.outputs()
    }
}
