//! Twin of `hdl/src/transport/pkt_mux.rs`: packets of requester and `read_reply`, with their read
//! commands, probes and windows.

use crate::ports;
use crate::ports::Golden;
use crate::streams::{AnyPacket, Packet, Probe, ReadCommand, ReadyPort, Reply, Window};
use nic_spec::config::NicConfig;
use nic_spec::wire::bth::opcode;

ports! {
    /// Inputs.
    pub struct PktMuxIn {
        pub reset: bool,
        pub s_probe: Probe,
        pub s_window: Window,
        pub s_data_pkt: Packet,
        pub s_data_read: ReadCommand,
        pub s_reply_pkt: Reply,
        pub s_reply_read: ReadCommand,
        pub m_pkt: ReadyPort,
        pub m_read: ReadyPort,
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
        pub m_pkt: AnyPacket,
        /// A packet that is no probe and no window stands at `m_pkt`.
        pub sent_valid: bool,
        pub m_read: ReadCommand,
    }
}

/// Where a packet comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    Data,
    Reply,
    Probe,
    Window,
}

/// A packet between the edge that loads it and the one after the tx pipe has taken it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Loaded {
    from: Origin,
    /// Who has sent it sees the ready of its packet.
    pkt_ready: bool,
    /// And that of its read command.
    read_ready: bool,
}

/// The mux.
#[derive(Clone, Debug)]
pub struct PktMux {
    flow_count: u16,
    loaded: Option<Loaded>,
    reply_next: bool,
    /// The packet before was a probe or a window.
    was_extra: bool,
    pkt: AnyPacket,
    read: ReadCommand,
}

impl PktMux {
    /// A mux for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flow_count: config.flow_count as u16,
            loaded: None,
            reply_next: false,
            was_extra: false,
            pkt: AnyPacket::default(),
            read: ReadCommand::default(),
        }
    }

    fn load(&mut self, from: Origin, i: &PktMuxIn) {
        self.was_extra = matches!(from, Origin::Probe | Origin::Window);
        let is_reply = from == Origin::Reply;
        if self.was_extra {
            let is_window = from == Origin::Window;
            let (flow, opcode, psn) = match is_window {
                true => (i.s_window.flow, opcode::TELEMETRY_WINDOW, i.s_window.psn),
                false => (i.s_probe.flow, opcode::TELEMETRY_PROBE, i.s_probe.psn),
            };
            // The rest means nothing of a packet with this opcode; what a probe has in the place of a
            // window is whatever the window's sink shows.
            self.pkt = AnyPacket {
                valid: true,
                flow,
                opcode,
                psn,
                ack_req: false,
                solicited: false,
                payload_bytes: 0,
                imm: i.s_window.bytes,
                bare: is_window,
                ..self.pkt
            };
            self.loaded = Some(Loaded { from, pkt_ready: false, read_ready: false });
            return;
        }
        if is_reply {
            let p = &i.s_reply_pkt;
            self.pkt = AnyPacket {
                valid: true,
                flow: p.flow + self.flow_count,
                opcode: p.opcode,
                psn: p.psn,
                payload_bytes: p.payload_bytes,
                syndrome: p.syndrome,
                msn: p.msn,
                mark: p.mark,
                ..AnyPacket::default()
            };
        } else {
            let p = &i.s_data_pkt;
            self.pkt = AnyPacket {
                valid: true,
                flow: p.flow,
                opcode: p.opcode,
                psn: p.psn,
                ack_req: p.ack_req,
                solicited: p.solicited,
                payload_bytes: p.payload_bytes,
                va: p.va,
                rkey: p.rkey,
                dma_len: p.dma_len,
                imm: p.imm,
                mark: p.mark,
                bare: p.bare,
                ..AnyPacket::default()
            };
        }
        let read_ready = self.pkt.payload_bytes > 0;
        if read_ready {
            self.read = if is_reply { i.s_reply_read } else { i.s_data_read };
        }
        let stands = if is_reply { i.s_reply_read.valid } else { i.s_data_read.valid };
        assert_eq!(stands, read_ready, "a packet with payload comes with its read command");
        self.loaded = Some(Loaded { from, pkt_ready: false, read_ready });
        self.reply_next = !is_reply;
    }

    /// Whose packet goes next.
    fn choose(&self, i: &PktMuxIn) -> Option<Origin> {
        let (data, reply) = (i.s_data_pkt.valid, i.s_reply_pkt.valid);
        let reply_goes = reply && (!data || self.reply_next);
        let extra = if i.s_probe.valid { Origin::Probe } else { Origin::Window };
        match (i.s_probe.valid || i.s_window.valid, data || reply) {
            (true, waits) if !(self.was_extra && waits) => Some(extra),
            (_, true) => Some(if reply_goes { Origin::Reply } else { Origin::Data }),
            (_, false) => None,
        }
    }
}

impl Golden for PktMux {
    type In = PktMuxIn;
    type Out = PktMuxOut;

    fn step(&mut self, i: &PktMuxIn) -> PktMuxOut {
        let was_full = self.pkt.valid;
        self.pkt.valid &= !i.m_pkt.ready;
        self.read.valid &= !i.m_read.ready;
        if i.reset {
            (self.loaded, self.reply_next, self.was_extra) = (None, false, false);
            (self.pkt, self.read) = (AnyPacket::default(), ReadCommand::default());
        } else if let Some(loaded) = &mut self.loaded {
            loaded.read_ready = false;
            if loaded.pkt_ready {
                self.loaded = None;
            } else {
                loaded.pkt_ready = was_full && i.m_pkt.ready;
            }
        } else if let Some(from) = self.choose(i).filter(|_| !self.read.valid) {
            self.load(from, i);
        }
        let of = |from| self.loaded.filter(|l| l.from == from);
        let (data, reply) = (of(Origin::Data), of(Origin::Reply));
        let (probe, window) = (of(Origin::Probe), of(Origin::Window));
        PktMuxOut {
            s_probe: ReadyPort { ready: probe.is_some_and(|l| l.pkt_ready) },
            s_window: ReadyPort { ready: window.is_some_and(|l| l.pkt_ready) },
            s_data_pkt: ReadyPort { ready: data.is_some_and(|l| l.pkt_ready) },
            s_data_read: ReadyPort { ready: data.is_some_and(|l| l.read_ready) },
            s_reply_pkt: ReadyPort { ready: reply.is_some_and(|l| l.pkt_ready) },
            s_reply_read: ReadyPort { ready: reply.is_some_and(|l| l.read_ready) },
            m_pkt: self.pkt,
            sent_valid: self.pkt.valid && !self.was_extra,
            m_read: self.read,
        }
    }
}
