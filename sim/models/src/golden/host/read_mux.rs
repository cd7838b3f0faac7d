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

/// Who has asked for a frame that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum User {
    #[default]
    Packet,
    WorkRequest,
}

/// Where the payload of a packet comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Payload {
    #[default]
    Memory,
    /// Its work request.
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
    /// Frames that are read.
    owners: LutFifo<User>,
    beats: Skid<StreamBeat>,
    /// Frames of packets.
    order: LutFifo<Payload>,
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
            order: LutFifo::new(2 * config.read_commands()),
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
            let valid = valid && !is_inline && self.order.s_ready();
            command = ReadCommand { valid, addr, bytes };
        }
        ReadCommand { valid: command.valid && self.owners.s_ready(), ..command }
    }

    /// The inline payload that takes its place among the packets.
    fn inline(&self) -> Option<PayloadSource> {
        let packet = self.packet;
        let goes = !self.is_work_request_turn && packet.valid && packet.is_inline;
        (goes && self.order.s_ready() && self.inlines.s_ready()).then_some(packet)
    }

    /// Whose the beat is that was read.
    fn reader(&self) -> Option<User> {
        (self.owners.m_valid() && self.beats.m_valid()).then(|| self.owners.m_data())
    }

    /// Where the next beat of a packet comes from, if it stands.
    fn payload(&self) -> Option<Payload> {
        let payload = self.order.m_valid().then(|| self.order.m_data())?;
        let stands = match payload {
            Payload::Memory => self.reader() == Some(User::Packet),
            Payload::Inline => !self.is_spent,
        };
        stands.then_some(payload)
    }

    /// The beat of the packet whose turn it is.
    fn packet_beat(&self) -> StreamBeat {
        let read = self.beats.m_data();
        if self.payload() != Some(Payload::Inline) {
            return StreamBeat { error: read.error && read.last, ..read };
        }
        let source = self.inlines.m_data();
        let payload = source.inline_bytes();
        let (width, left) = (self.config.data_bytes(), usize::from(source.bytes) - self.gone);
        let end = payload.len().min(self.gone + width);
        let data = Data::of(&payload[self.gone..end]);
        StreamBeat { data, keep: keep(left.min(width)), last: left <= width, error: false }
    }

    fn outputs(&self) -> ReadMuxOut {
        let packet = self.packet_beat();
        let read = self.beats.m_data();
        ReadMuxOut {
            s_pkt: ReadyPort { ready: !self.packet.valid },
            s_wr: ReadyPort { ready: !self.work_request.valid },
            m_cmd: self.command(),
            s_axis: TreadyPort { tready: self.beats.s_ready() },
            m_pkt: AxisUser {
                tdata: packet.data,
                tkeep: packet.keep,
                tlast: packet.last,
                tuser: packet.error,
                tvalid: self.payload().is_some(),
            },
            m_wr: AxisWordsUser {
                tdata: read.data,
                tlast: read.last,
                tuser: read.error,
                tvalid: self.reader() == Some(User::WorkRequest),
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
        let owner = (reads && command.bytes > 0).then_some(owner);
        let leaves = reads || inline.is_some();
        let payload = match owner {
            Some(User::Packet) => Some(Payload::Memory),
            _ => inline.map(|_| Payload::Inline),
        };
        let (read, packet) = (self.beats.m_data(), self.packet_beat());
        let sent = self.payload().filter(|_| i.m_pkt.tready);
        let is_for_wr = self.reader() == Some(User::WorkRequest) && i.m_wr.tready;
        let is_read = is_for_wr || sent == Some(Payload::Memory);
        let is_inline = sent == Some(Payload::Inline);
        self.gone += if is_inline { self.config.data_bytes() } else { 0 };
        self.gone *= usize::from(!(is_inline && packet.last));
        self.owners.step(false, owner, is_read && read.last);
        self.order.step(false, payload, sent.is_some() && packet.last);
        self.inlines.step(false, inline, self.is_spent);
        self.is_spent = is_inline && packet.last;
        let s = &i.s_axis;
        let came = StreamBeat { data: s.tdata, keep: s.tkeep, last: s.tlast, error: s.tuser };
        self.beats.step(false, s.tvalid.then_some(came), is_read);
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
