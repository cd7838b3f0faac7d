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

/// What is taken at the next edge.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Taking {
    is_reply: bool,
    with_read: bool,
}

/// The mux.
#[derive(Clone, Debug)]
pub struct PktMux {
    flow_count: u16,
    taking: Option<Taking>,
    reply_next: bool,
    pkt: MuxedPkt,
    read: ReadCmd,
}

impl PktMux {
    /// A mux for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flow_count: config.flow_count as u16,
            taking: None,
            reply_next: false,
            pkt: MuxedPkt::default(),
            read: ReadCmd::default(),
        }
    }

    fn load(&mut self, taking: Taking, i: &PktMuxIn) {
        if taking.is_reply {
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
        if taking.with_read {
            self.read = if taking.is_reply { i.s_reply_read } else { i.s_data_read };
            self.read.valid = true;
        }
    }

    fn choose(&self, i: &PktMuxIn) -> Option<Taking> {
        let reads = [i.s_data_pkt.payload_bytes > 0, i.s_reply_pkt.payload_bytes > 0];
        let data = i.s_data_pkt.valid && (!reads[0] || i.s_data_read.valid);
        let reply = i.s_reply_pkt.valid && (!reads[1] || i.s_reply_read.valid);
        let is_reply = if data && reply { self.reply_next } else { reply };
        (data || reply).then_some(Taking { is_reply, with_read: reads[usize::from(is_reply)] })
    }
}

impl Golden for PktMux {
    type In = PktMuxIn;
    type Out = PktMuxOut;

    fn step(&mut self, i: &PktMuxIn) -> PktMuxOut {
        self.pkt.valid &= !i.m_pkt_ready;
        self.read.valid &= !i.m_read_ready;
        if i.reset {
            (self.taking, self.reply_next) = (None, false);
            (self.pkt, self.read) = (MuxedPkt::default(), ReadCmd::default());
        } else if let Some(taking) = self.taking.take() {
            self.load(taking, i);
        } else if !self.pkt.valid && !self.read.valid {
            self.taking = self.choose(i);
            self.reply_next = self.taking.map_or(self.reply_next, |t| !t.is_reply);
        }
        let takes = |is_reply| self.taking.filter(|t| t.is_reply == is_reply);
        let reads = |is_reply| takes(is_reply).is_some_and(|t| t.with_read);
        PktMuxOut {
            s_data_pkt_ready: takes(false).is_some(),
            s_data_read_ready: reads(false),
            s_reply_pkt_ready: takes(true).is_some(),
            s_reply_read_ready: reads(true),
            m_pkt: self.pkt,
            m_read: self.read,
        }
    }
}
