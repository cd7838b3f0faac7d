//! Twin of `transport/pkt_mux`: packets of requester and `read_reply`, with their read commands.

use super::read_reply::ReplyPorts;
use super::requester::{PktPorts, ReadPorts};
use crate::golden::tx::tx_pipe::TxPktPorts;
use crate::ports;
use crate::ports::Golden;
use nic_spec::config::NicConfig;

ports! {
    /// Inputs.
    pub struct PktMuxIn {
        pub reset: bool,
        pub s_data_pkt: PktPorts,
        pub s_data_read: ReadPorts,
        pub s_reply_pkt: ReplyPorts,
        pub s_reply_read: ReadPorts,
        pub m_pkt_ready: bool,
        pub m_read_ready: bool,
    }
}
ports! {
    /// Outputs.
    pub struct PktMuxOut {
        pub s_data_pkt_ready: bool,
        pub s_data_read_ready: bool,
        pub s_reply_pkt_ready: bool,
        pub s_reply_read_ready: bool,
        pub m_pkt: TxPktPorts,
        pub m_read: ReadPorts,
    }
}

/// A packet between the edge that loads it and the one after the tx pipe has taken it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Loaded {
    is_reply: bool,
    /// Its half sees the ready of its packet.
    pkt_ready: bool,
    /// Its half sees the ready of its read command.
    read_ready: bool,
}

/// The mux.
#[derive(Clone, Debug)]
pub struct PktMux {
    flow_count: u16,
    loaded: Option<Loaded>,
    reply_next: bool,
    pkt: TxPktPorts,
    read: ReadPorts,
}

impl PktMux {
    /// A mux for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flow_count: config.flow_count as u16,
            loaded: None,
            reply_next: false,
            pkt: TxPktPorts::default(),
            read: ReadPorts::default(),
        }
    }

    fn load(&mut self, is_reply: bool, i: &PktMuxIn) {
        if is_reply {
            let p = &i.s_reply_pkt;
            self.pkt = TxPktPorts {
                valid: true,
                flow: p.flow + self.flow_count,
                opcode: p.opcode,
                psn: p.psn,
                payload_bytes: p.payload_bytes,
                syndrome: p.syndrome,
                msn: p.msn,
                mark: p.mark,
                ..TxPktPorts::default()
            };
        } else {
            let p = &i.s_data_pkt;
            self.pkt = TxPktPorts {
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
                ..TxPktPorts::default()
            };
        }
        let read_ready = self.pkt.payload_bytes > 0;
        if read_ready {
            self.read = if is_reply { i.s_reply_read } else { i.s_data_read };
        }
        let stands = if is_reply { i.s_reply_read.valid } else { i.s_data_read.valid };
        assert_eq!(stands, read_ready, "a packet with payload comes with its read command");
        self.loaded = Some(Loaded { is_reply, pkt_ready: false, read_ready });
        self.reply_next = !is_reply;
    }

    /// The half whose packet goes next.
    fn choose(&self, i: &PktMuxIn) -> Option<bool> {
        match (i.s_data_pkt.valid, i.s_reply_pkt.valid) {
            (true, true) => Some(self.reply_next),
            (data, reply) => (data || reply).then_some(reply),
        }
    }
}

impl Golden for PktMux {
    type In = PktMuxIn;
    type Out = PktMuxOut;

    fn step(&mut self, i: &PktMuxIn) -> PktMuxOut {
        let was_full = self.pkt.valid;
        self.pkt.valid &= !i.m_pkt_ready;
        self.read.valid &= !i.m_read_ready;
        if i.reset {
            (self.loaded, self.reply_next) = (None, false);
            (self.pkt, self.read) = (TxPktPorts::default(), ReadPorts::default());
        } else if let Some(loaded) = &mut self.loaded {
            loaded.read_ready = false;
            if loaded.pkt_ready {
                self.loaded = None;
            } else {
                loaded.pkt_ready = was_full && i.m_pkt_ready;
            }
        } else if let Some(is_reply) = self.choose(i).filter(|_| !self.read.valid) {
            self.load(is_reply, i);
        }
        let of = |is_reply| self.loaded.filter(|l| l.is_reply == is_reply);
        let (data, reply) = (of(false), of(true));
        PktMuxOut {
            s_data_pkt_ready: data.is_some_and(|l| l.pkt_ready),
            s_data_read_ready: data.is_some_and(|l| l.read_ready),
            s_reply_pkt_ready: reply.is_some_and(|l| l.pkt_ready),
            s_reply_read_ready: reply.is_some_and(|l| l.read_ready),
            m_pkt: self.pkt,
            m_read: self.read,
        }
    }
}
