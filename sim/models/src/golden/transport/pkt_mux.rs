//! Twin of `hdl/src/transport/pkt_mux.rs`: packets of requester and `read_reply`, with their read
//! commands, probes, windows and ends of READs.

use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{
    AnyPacket, Packet, PayloadSource, Probe, ReadCommand, ReadJobEnd, ReadyPort, Reply, Window,
};
use nic_spec::config::NicConfig;
use nic_spec::wire::bth::opcode;

ports! {
    /// Inputs.
    pub struct PktMuxIn {
        pub reset: bool,
        pub s_probe: Probe,
        pub s_window: Window,
        pub s_data_pkt: Packet,
        pub s_data_read: PayloadSource,
        pub s_reply_pkt: Reply,
        pub s_reply_read: ReadCommand,
        pub s_end: ReadJobEnd,
        pub m_pkt: ReadyPort,
        pub m_read: ReadyPort,
        pub m_end: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct PktMuxOut {
        pub s_probe: ReadyPort,
        pub s_window: ReadyPort,
        pub s_data_pkt: ReadyPort,
        pub s_data_read: ReadyPort,
        pub s_reply_pkt: ReadyPort,
        pub s_reply_read: ReadyPort,
        pub s_end: ReadyPort,
        pub m_pkt: AnyPacket,
        /// A packet that is no probe and no window stands at `m_pkt`.
        pub sent_valid: bool,
        pub m_read: PayloadSource,
        pub m_end: ReadJobEnd,
    }
}

/// Packets that wait for the tx pipe beside a datapath of 8 bytes, and beside a wider one.
const WAITING: [usize; 2] = [16, 128];
/// Beats of payload that wait for it when no packet comes any more.
const WAITING_BEATS: u32 = 512;

/// Where an item comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    End,
    Probe,
    Window,
    Data,
    Reply,
}

/// What waits for the tx pipe: a packet, or the end of READs, in the place of immediate data.
#[derive(Clone, Copy, Debug, Default)]
struct Item {
    is_end: bool,
    is_extra: bool,
    packet: AnyPacket,
}

/// The mux.
#[derive(Clone, Debug)]
pub struct PktMux {
    flow_count: u16,
    /// Who sees its readies, and whether a read command goes with the packet.
    taken: Option<(Origin, bool)>,
    reply_next: bool,
    /// The packet before was a probe or a window.
    was_extra: bool,
    waiting: LutFifo<Item>,
    /// Bytes of payload that wait, and when no packet comes any more.
    bytes: u32,
    bytes_max: u32,
    is_full: bool,
    read: PayloadSource,
}

impl PktMux {
    /// A mux for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        let beat_bytes = config.data_bytes();
        Self {
            flow_count: config.flow_count as u16,
            taken: None,
            reply_next: false,
            was_extra: false,
            waiting: LutFifo::new(WAITING[usize::from(beat_bytes > 8)]),
            bytes: 0,
            bytes_max: WAITING_BEATS * beat_bytes as u32,
            is_full: false,
            read: PayloadSource::default(),
        }
    }

    /// Whose turn it is.
    fn choose(&self, i: &PktMuxIn) -> Option<Origin> {
        let (data, reply) = (i.s_data_pkt.valid, i.s_reply_pkt.valid);
        let reply_goes = reply && (!data || self.reply_next);
        let extra = if i.s_probe.valid { Origin::Probe } else { Origin::Window };
        match (i.s_probe.valid || i.s_window.valid, data || reply) {
            _ if i.s_end.valid => Some(Origin::End),
            (true, waits) if !(self.was_extra && waits) => Some(extra),
            (_, true) => Some(if reply_goes { Origin::Reply } else { Origin::Data }),
            (_, false) => None,
        }
    }

    /// What waits then. A field that the packet has no use for is that of the sink that has it.
    fn item(&self, from: Origin, i: &PktMuxIn) -> Item {
        let (p, r) = (&i.s_data_pkt, &i.s_reply_pkt);
        let is_data = from == Origin::Data;
        let data = AnyPacket {
            valid: true,
            flow: p.flow,
            opcode: p.opcode,
            psn: p.psn,
            ack_req: p.ack_req && is_data,
            solicited: p.solicited && is_data,
            payload_bytes: p.payload_bytes,
            va: p.va,
            rkey: p.rkey,
            dma_len: p.dma_len,
            imm: p.imm,
            syndrome: r.syndrome,
            msn: r.msn,
            mark: p.mark,
            bare: p.bare && is_data,
        };
        let packet = match from {
            Origin::Data => data,
            Origin::Reply => AnyPacket {
                flow: r.flow + self.flow_count,
                opcode: r.opcode,
                psn: r.psn,
                payload_bytes: r.payload_bytes,
                mark: r.mark,
                ..data
            },
            Origin::Probe => AnyPacket {
                flow: i.s_probe.flow,
                opcode: opcode::TELEMETRY_PROBE,
                psn: i.s_probe.psn,
                payload_bytes: 0,
                imm: i.s_window.bytes,
                ..data
            },
            Origin::Window => AnyPacket {
                flow: i.s_window.flow,
                opcode: opcode::TELEMETRY_WINDOW,
                psn: i.s_window.psn,
                payload_bytes: 0,
                imm: i.s_window.bytes,
                bare: true,
                ..data
            },
            Origin::End => AnyPacket { flow: i.s_end.flow, imm: end_word(&i.s_end), ..data },
        };
        let is_extra = matches!(from, Origin::Probe | Origin::Window);
        Item { is_end: from == Origin::End, is_extra, packet }
    }

    /// The edge at which `from` is chosen.
    fn take(&mut self, from: Origin, i: &PktMuxIn) {
        let read = match from {
            Origin::Data => i.s_data_read,
            Origin::Reply => {
                let ReadCommand { valid, addr, bytes } = i.s_reply_read;
                PayloadSource { valid, addr, bytes, is_inline: false, ..self.read }
            }
            _ => PayloadSource::default(),
        };
        if matches!(from, Origin::Data | Origin::Reply) {
            let bytes = self.item(from, i).packet.payload_bytes;
            assert_eq!(read.valid, bytes > 0, "a packet with payload comes with its read command");
            self.reply_next = from == Origin::Data;
            self.was_extra = false;
        } else {
            self.was_extra |= from != Origin::End;
        }
        if read.valid {
            self.read = read;
        }
        self.taken = Some((from, read.valid));
    }
}

/// An end as it waits: jobs, reads, error, cleared, from bit 0.
fn end_word(end: &ReadJobEnd) -> u32 {
    u32::from(end.jobs)
        | u32::from(end.reads) << 5
        | u32::from(end.error) << 10
        | u32::from(end.cleared) << 11
}

impl Golden for PktMux {
    type In = PktMuxIn;
    type Out = PktMuxOut;

    fn step(&mut self, i: &PktMuxIn) -> PktMuxOut {
        let Item { is_end, packet, .. } = self.waiting.m_data();
        let is_free = self.taken.is_none()
            && !self.is_full
            && self.waiting.s_ready()
            && (i.m_read.ready || !self.read.valid);
        let from = self.choose(i).filter(|_| is_free && !i.reset);
        let leaves = if is_end { i.m_end.ready } else { i.m_pkt.ready };
        let item = from.map(|from| self.item(from, i));
        self.is_full = self.bytes >= self.bytes_max;
        if self.waiting.m_valid() && !is_end && leaves {
            self.bytes -= u32::from(packet.payload_bytes);
        }
        self.bytes += item.filter(|i| !i.is_end).map_or(0, |i| u32::from(i.packet.payload_bytes));
        self.waiting.step(i.reset, item, leaves);
        self.read.valid &= !i.m_read.ready;
        self.taken = None;
        if i.reset {
            (self.reply_next, self.was_extra) = (false, false);
            (self.bytes, self.is_full) = (0, false);
            self.read = PayloadSource::default();
        }
        if let Some(from) = from {
            self.take(from, i);
        }
        self.pins()
    }
}

impl PktMux {
    fn pins(&self) -> PktMuxOut {
        let of = |origin| self.taken.filter(|t| t.0 == origin);
        let ready = |origin| ReadyPort { ready: of(origin).is_some() };
        let with_read = |origin| ReadyPort { ready: of(origin).is_some_and(|t| t.1) };
        let Item { is_end, is_extra, packet } = self.waiting.m_data();
        let (stands, end) = (self.waiting.m_valid(), packet.imm);
        PktMuxOut {
            s_probe: ready(Origin::Probe),
            s_window: ready(Origin::Window),
            s_data_pkt: ready(Origin::Data),
            s_data_read: with_read(Origin::Data),
            s_reply_pkt: ready(Origin::Reply),
            s_reply_read: with_read(Origin::Reply),
            s_end: ready(Origin::End),
            m_pkt: AnyPacket { valid: stands && !is_end, ..packet },
            sent_valid: stands && !is_end && !is_extra,
            m_read: self.read,
            m_end: ReadJobEnd {
                valid: stands && is_end,
                flow: packet.flow % self.flow_count,
                jobs: (end & 0x1f) as u8,
                reads: (end >> 5 & 0x1f) as u8,
                error: end >> 10 & 1 != 0,
                cleared: end >> 11 & 1 != 0,
            },
        }
    }
}
