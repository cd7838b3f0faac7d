//! Twin of `hdl/src/host/read_mux.rs`: two users of the read engine.

use super::dma::read::StreamBeat;
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::skid::Skid;
use crate::ports;
use crate::ports::{keep, Data, Golden};
use crate::streams::{AxisUser, AxisWordsUser, PayloadSource, ReadCommand, ReadyPort, TreadyPort};
use nic_spec::NicConfig;

ports! {
    /// Inputs.
    pub struct ReadMuxIn {
        pub reset: bool,
        pub s_pkt: PayloadSource,
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
    /// A packet whose payload came in its work request.
    Inline,
}

/// Packets with inline payload whose turn has not come: beside 64 bits, and beside more.
const INLINES: [usize; 2] = [16, 128];

/// The mux.
#[derive(Clone, Debug)]
pub struct ReadMux {
    config: NicConfig,
    is_work_request_turn: bool,
    packet: PayloadSource,
    work_request: ReadCommand,
    owners: LutFifo<User>,
    beats: Skid<StreamBeat>,
    inlines: LutFifo<PayloadSource>,
    /// Bytes of the inline payload at hand that have gone.
    gone: usize,
    /// All of them have gone in the last cycle.
    is_spent: bool,
}

impl ReadMux {
    /// The mux of a NIC of these sizes: more frames may be on their way than `dma_read` has
    /// commands.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            config: config.clone(),
            is_work_request_turn: false,
            packet: PayloadSource::default(),
            work_request: ReadCommand::default(),
            owners: LutFifo::new(2 * config.read_commands()),
            beats: Skid::default(),
            inlines: LutFifo::new(INLINES[usize::from(config.data_bits > 64)]),
            gone: 0,
            is_spent: false,
        }
    }

    /// The command that stands at the source.
    fn command(&self) -> ReadCommand {
        let mut command = self.work_request;
        if !self.is_work_request_turn {
            let PayloadSource { valid, addr, bytes, is_inline, .. } = self.packet;
            command = ReadCommand { valid: valid && !is_inline, addr, bytes };
        }
        ReadCommand { valid: command.valid && self.owners.s_ready(), ..command }
    }

    /// The inline payload that takes its place among the frames.
    fn inline(&self) -> Option<PayloadSource> {
        let packet = self.packet;
        let goes = !self.is_work_request_turn && packet.valid && packet.is_inline;
        (goes && self.owners.s_ready() && self.inlines.s_ready()).then_some(packet)
    }

    /// The beat of the frame whose turn it is, and whose it is.
    fn beat(&self) -> (Option<User>, StreamBeat) {
        let owner = self.owners.m_valid().then(|| self.owners.m_data());
        if owner != Some(User::Inline) {
            return (owner.filter(|_| self.beats.m_valid()), self.beats.m_data());
        }
        if self.is_spent {
            return (None, self.beats.m_data());
        }
        let source = self.inlines.m_data();
        let payload = source.inline_bytes();
        let (width, left) = (self.config.data_bytes(), usize::from(source.bytes) - self.gone);
        let end = payload.len().min(self.gone + width);
        let data = Data::of(&payload[self.gone..end]);
        let beat =
            StreamBeat { data, keep: keep(left.min(width)), last: left <= width, error: false };
        (owner, beat)
    }

    fn outputs(&self) -> ReadMuxOut {
        let (owner, beat) = self.beat();
        let tvalid = matches!(owner, Some(User::Packet | User::Inline));
        let tuser = beat.error && beat.last;
        let StreamBeat { data, keep, last, .. } = beat;
        let read = self.beats.m_data();
        ReadMuxOut {
            s_pkt: ReadyPort { ready: !self.packet.valid },
            s_wr: ReadyPort { ready: !self.work_request.valid },
            m_cmd: self.command(),
            s_axis: TreadyPort { tready: self.beats.s_ready() },
            m_pkt: AxisUser { tdata: data, tkeep: keep, tlast: last, tuser, tvalid },
            m_wr: AxisWordsUser {
                tdata: read.data,
                tlast: last,
                tuser: read.error,
                tvalid: owner == Some(User::WorkRequest),
            },
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
        let (command, inline) = (self.command(), self.inline());
        let is_wr = self.is_work_request_turn;
        let stood = if is_wr { self.work_request.valid } else { self.packet.valid };
        let reads = command.valid && i.m_cmd.ready;
        let owner = if is_wr { User::WorkRequest } else { User::Packet };
        let owner = match inline {
            Some(_) => Some(User::Inline),
            None => (reads && command.bytes > 0).then_some(owner),
        };
        let leaves = reads || inline.is_some();
        let (user, beat) = self.beat();
        let tready = match user {
            Some(User::WorkRequest) => i.m_wr.tready,
            _ => i.m_pkt.tready,
        };
        let goes = user.filter(|_| tready);
        let is_inline = goes == Some(User::Inline);
        self.gone += if is_inline { self.config.data_bytes() } else { 0 };
        self.gone *= usize::from(!(is_inline && beat.last));
        self.owners.step(false, owner, goes.is_some() && beat.last);
        self.inlines.step(false, inline, self.is_spent);
        self.is_spent = is_inline && beat.last;
        let s = &i.s_axis;
        let came = StreamBeat { data: s.tdata, keep: s.tkeep, last: s.tlast, error: s.tuser };
        self.beats.step(false, s.tvalid.then_some(came), goes.is_some() && !is_inline);
        // A place is free again in the cycle behind that in which it was left.
        if self.packet.valid {
            self.packet.valid = is_wr || !leaves;
        } else if i.s_pkt.valid {
            self.packet = i.s_pkt;
        }
        if self.work_request.valid {
            self.work_request.valid = !is_wr || !leaves;
        } else if i.s_wr.valid {
            self.work_request = i.s_wr;
        }
        let other_valid = if is_wr { self.packet.valid } else { self.work_request.valid };
        // What has stood keeps its turn until it leaves; what has just come has none to keep.
        if other_valid && (leaves || !stood) {
            self.is_work_request_turn = !is_wr;
        }
        self.outputs()
    }
}
