//! Twin of `transport/pkt_mux`: packets of requester and `read_reply`, with their read commands.

use crate::ports;
use crate::ports::Golden;
use nic_spec::config::NicConfig;

ports! {
    /// Packet of the requester.
    pub struct DataPkt {
        pub valid: bool,
        pub flow: u16,
        pub opcode: u8,
        pub psn: u32,
        pub ack_req: bool,
        pub solicited: bool,
        pub payload_bytes: u16,
        pub va: u64,
        pub rkey: u32,
        pub dma_len: u32,
        pub imm: u32,
    }
}
ports! {
    /// READ response.
    pub struct ReplyPkt {
        pub valid: bool,
        pub flow: u16,
        pub opcode: u8,
        pub psn: u32,
        pub payload_bytes: u16,
        pub syndrome: u8,
        pub msn: u32,
    }
}
ports! {
    /// Packet for the tx pipe.
    pub struct MuxedPkt {
        pub valid: bool,
        pub flow: u16,
        pub opcode: u8,
        pub psn: u32,
        pub ack_req: bool,
        pub solicited: bool,
        pub payload_bytes: u16,
        pub va: u64,
        pub rkey: u32,
        pub dma_len: u32,
        pub imm: u32,
        pub syndrome: u8,
        pub msn: u32,
    }
}
ports! {
    /// Read command.
    pub struct ReadCmd {
        pub valid: bool,
        pub addr: u64,
        pub bytes: u16,
    }
}
ports! {
    /// Inputs.
    pub struct PktMuxIn {
        pub reset: bool,
        pub s_data_pkt: DataPkt,
        pub s_data_read: ReadCmd,
        pub s_reply_pkt: ReplyPkt,
        pub s_reply_read: ReadCmd,
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
        pub m_pkt: MuxedPkt,
        pub m_read: ReadCmd,
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
    pkt: MuxedPkt,
    read: ReadCmd,
}

impl PktMux {
    /// A mux for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flow_count: config.flow_count as u16,
            loaded: None,
            reply_next: false,
            pkt: MuxedPkt::default(),
            read: ReadCmd::default(),
        }
    }

    fn load(&mut self, is_reply: bool, i: &PktMuxIn) {
        if is_reply {
            let p = &i.s_reply_pkt;
            self.pkt = MuxedPkt {
                valid: true,
                flow: p.flow + self.flow_count,
                opcode: p.opcode,
                psn: p.psn,
                payload_bytes: p.payload_bytes,
                syndrome: p.syndrome,
                msn: p.msn,
                ..MuxedPkt::default()
            };
        } else {
            let p = &i.s_data_pkt;
            self.pkt = MuxedPkt {
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
                ..MuxedPkt::default()
            };
        }
        let read_ready = self.pkt.payload_bytes > 0;
        if read_ready {
            self.read = if is_reply { i.s_reply_read } else { i.s_data_read };
            self.read.valid = true;
        }
        self.loaded = Some(Loaded { is_reply, pkt_ready: false, read_ready });
        self.reply_next = !is_reply;
    }

    /// The half whose packet goes next.
    fn choose(&self, i: &PktMuxIn) -> Option<bool> {
        let [data_reads, reply_reads] =
            [i.s_data_pkt.payload_bytes > 0, i.s_reply_pkt.payload_bytes > 0];
        let data = i.s_data_pkt.valid && (!data_reads || i.s_data_read.valid);
        let reply = i.s_reply_pkt.valid && (!reply_reads || i.s_reply_read.valid);
        match (data, reply) {
            (true, true) => Some(self.reply_next),
            _ => (data || reply).then_some(reply),
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
            (self.pkt, self.read) = (MuxedPkt::default(), ReadCmd::default());
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
