//! Chooses the next frame, and takes what it is made of: the packet's fields and its queue pair's
//! row.
//!
//! # Interface timing  cycle 0: choice, in a cycle without go; with go, from cycle 1 on, the sink
//!                     takes the item, which is at m_ in the cycle after, to the next go. go comes
//!                     every other cycle while there is room behind
//! # Latency and rate  2 or 3 cycles; one item every 2 cycles
//! # Order             data, ACK, telemetry response, host take turns among those that wait; a row
//!                     for the table goes first
//! # Reset             synchronous, high: no item, IPv4 id 0; rows are as they were
//! # Twins             sim/models/src/golden/tx/header.rs, tests/tx/tx_pipe.rs

use crate::streams::{Ack, AnyPacket, CommittedRow, FeedbackPacket, Offer};
use crate::util::ram::Ram;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Whom a flow's packets go to.
#[row]
pub struct PeerRow {
    pub mac: Bits<48>,  // MAC address
    pub ip: Bits<32>,   // IPv4 address
    pub port: Bits<16>, // UDP source port
    pub qpn: Bits<24>,  // The peer's QPN
    pub dscp: Bits<6>,  // DSCP of packets without telemetry
    pub telemetry: Bit, // Packets carry telemetry
}

/// What a packet says.
#[row]
pub struct PacketFields {
    pub kind: Bits<2>,           // 0 data, 1 ACK, 2 host frame, 3 telemetry response
    pub mark: Bits<4>,           // Mark of a data packet
    pub id: Bits<16>,            // IPv4 id
    pub opcode: Bits<8>,         // BTH operation code
    pub psn: Bits<24>,           // PSN
    pub ack_req: Bit,            // It asks for an ACK
    pub solicited: Bit,          // It asks for an event
    pub pad: Bits<2>,            // Bytes that make its payload whole words
    pub payload_words: Bits<11>, // Payload in words of four bytes
    pub va: Bits<64>,            // RETH: address
    pub rkey: Bits<32>,          // RETH: key
    pub dma_len: Bits<32>,       // RETH: length
    pub word: Bits<32>,          // ImmDt or AETH
    pub wants_tel: Bit,          // It may have telemetry
    pub hops: Bits<3>,           // Records that it echoes
    pub path: Bits<12>,          // XOR of the switches' identifiers
}

/// Chooses frames; `FB` = log2 of the flow count, `GB` = FB + 1.
#[block(mealy, check(GB == FB + 1))]
pub struct TxChoice<const FB: usize, const GB: usize> {
    /// The receiver of data computes its window: ACKs go without telemetry.
    pub cfg_by_time: Signal<In, Bit>,
    /// A table row; rows of other tables are taken and ignored.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A packet of the requester, or a READ response.
    pub s_pkt: AnyPacket<In, GB>,
    /// An ACK or NAK.
    pub s_ack: Ack<In, FB>,
    /// A telemetry response.
    pub s_feedback: FeedbackPacket<In, FB>,
    /// A host frame waits.
    pub s_host_valid: Signal<In, Bit>,
    /// The host frame has been taken.
    pub host_done: Signal<In, Bit>,
    /// There is room behind the stages before the next cycle.
    pub room: Signal<In, Bit>,
    /// All stages move.
    pub go: Signal<Out, Bit>,
    /// An item.
    pub m_valid: Signal<Out, Bit>,
    /// Whom it goes to.
    pub m_peer: Signal<Out, PeerRow>,
    /// What it says.
    pub m_fields: Signal<Out, PacketFields>,
    /// Its flow, if it is a data packet.
    pub m_flow: Signal<Out, Bits<GB>>,
    /// The records that it echoes; 0 where there is none.
    pub m_hop: [Signal<Out, Bits<64>>; 5],
    rows: Ram<FB, PeerRow>,
    moves: Reg<Bit>,
    stores: Reg<Bit>,
    chosen: Reg<Bit>,
    #[reset(2)]
    kind: Reg<Bits<2>>,
    host_busy: Reg<Bit>,
    id: Reg<Bits<16>>,
    valid: Reg<Bit>,
    peer: Unreset<PeerRow>,
    fields: Unreset<PacketFields>,
    flow: Unreset<Bits<GB>>,
    hop: [Unreset<Bits<64>>; 5],
    want_host: Signal<Local, Bit>,
    choice: Signal<Local, Bits<2>>,
    found: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    up: Signal<Local, Bits<13>>,
    payload_low: Signal<Local, Bits<2>>,
    minus_pad: Signal<Local, Bits<2>>,
    #[value(0)]
    no_bytes: Constant<Bits<2>>,
}

#[kernel]
impl<const FB: usize, const GB: usize> TxChoice<FB, GB> {
    fn update(&mut self) {
        self.go.next = self.moves.val();
        self.m_valid.next = self.valid.val();
        self.m_peer.next = self.peer.val();
        self.m_fields.next = self.fields.val();
        self.m_flow.next = self.flow.val();
        self.takes.next = self.moves.val() & self.chosen.val();
        self.s_cfg.ready.next = self.stores.val();
        self.s_pkt.ready.next = self.takes.val() & (self.kind.val() == 0);
        self.s_ack.ready.next = self.takes.val() & (self.kind.val() == 1);
        self.s_feedback.ready.next = self.takes.val() & (self.kind.val() == 3);
        self.choice();
        self.row();
        self.steps();
        self.fields();
        self.echo();
    }

    /// The next kind that waits, behind the last one.
    fn choice(&mut self) {
        self.want_host.next = self.s_host_valid.val() & !self.host_busy.val();
        self.found.next = self.s_pkt.valid.val()
            | self.s_ack.valid.val()
            | self.s_feedback.valid.val()
            | self.want_host.val();
        self.choice.next = 0.into();
        match self.kind.val().index() {
            0 => {
                if self.s_ack.valid.val() {
                    self.choice.next = 1.into();
                } else if self.s_feedback.valid.val() {
                    self.choice.next = 3.into();
                } else if self.want_host.val() {
                    self.choice.next = 2.into();
                }
            }
            1 => {
                if self.s_feedback.valid.val() {
                    self.choice.next = 3.into();
                } else if self.want_host.val() {
                    self.choice.next = 2.into();
                } else if !self.s_pkt.valid.val() {
                    self.choice.next = 1.into();
                }
            }
            3 => {
                if self.want_host.val() {
                    self.choice.next = 2.into();
                } else if !self.s_pkt.valid.val() {
                    self.choice.next = 3.into();
                    if self.s_ack.valid.val() {
                        self.choice.next = 1.into();
                    }
                }
            }
            _ => {
                if !self.s_pkt.valid.val() {
                    self.choice.next = 2.into();
                    if self.s_ack.valid.val() {
                        self.choice.next = 1.into();
                    } else if self.s_feedback.valid.val() {
                        self.choice.next = 3.into();
                    }
                }
            }
        }
    }

    /// Row: MAC, IP, port, QPN, DSCP, telemetry.
    fn row(&mut self) {
        self.rows.read_enable.next = !self.chosen.val();
        self.rows.read_address.next = self.s_pkt.flow.val().get_bits::<FB>(0);
        if self.choice.val() == 1 {
            self.rows.read_address.next = self.s_ack.flow.val();
        } else if self.choice.val() == 3 {
            self.rows.read_address.next = self.s_feedback.flow.val();
        }
        self.rows.write_enable.next = self.stores.val() & (self.cfg.table.val() == 0);
        self.rows.write_address.next = self.cfg.index.val().get_bits::<FB>(0);
        self.rows.write_data.next.mac = self.cfg.row.val().qp_remote_mac;
        self.rows.write_data.next.ip = self.cfg.row.val().qp_remote_ip;
        self.rows.write_data.next.port = self.cfg.row.val().qp_udp_source_port;
        self.rows.write_data.next.qpn = self.cfg.row.val().qp_remote_qpn;
        self.rows.write_data.next.dscp = self.cfg.row.val().qp_dscp;
        self.rows.write_data.next.telemetry = self.cfg.row.val().qp_telemetry;
    }

    /// Choice, then go.
    fn steps(&mut self) {
        self.moves.next = !self.moves.val() & self.room.val();
        self.looks.next = !self.moves.val() & !self.chosen.val() & !self.stores.val();
        self.stores.next = self.looks.val() & self.s_cfg.valid.val();
        if self.host_done.val() {
            self.host_busy.next = false;
        }
        if self.looks.val() & !self.s_cfg.valid.val() & self.found.val() {
            self.chosen.next = true;
            self.kind.next = self.choice.val();
            if self.choice.val() == 2 {
                self.host_busy.next = true;
            }
        }
        if self.moves.val() {
            self.chosen.next = false;
            self.valid.next = self.chosen.val();
            if self.chosen.val() & (self.kind.val() != 2) {
                self.id.next = self.id.val() + 1;
            }
        }
    }

    /// What the item says.
    fn fields(&mut self) {
        self.up.next = self.s_pkt.payload_bytes.val() + 3;
        self.payload_low.next = self.s_pkt.payload_bytes.val().get_bits::<2>(0);
        self.minus_pad.next = self.no_bytes.val() - self.payload_low.val();
        if self.moves.val() {
            self.peer.next = self.rows.read_data.val();
            self.flow.next = self.s_pkt.flow.val();
            self.fields.next.kind = self.kind.val();
            self.fields.next.mark = self.s_pkt.mark.val();
            self.fields.next.id = self.id.val();
            self.fields.next.opcode = self.s_pkt.opcode.val();
            self.fields.next.psn = self.s_pkt.psn.val();
            self.fields.next.ack_req = self.s_pkt.ack_req.val();
            self.fields.next.solicited = self.s_pkt.solicited.val();
            self.fields.next.pad = self.minus_pad.val();
            self.fields.next.payload_words = self.up.val().get_bits::<11>(2);
            self.fields.next.va = self.s_pkt.va.val();
            self.fields.next.rkey = self.s_pkt.rkey.val();
            self.fields.next.dma_len = self.s_pkt.dma_len.val();
            self.fields.next.word = self.s_pkt.imm.val();
            comment!("AETH; ImmDt of a WRITE or a window.");
            if (self.s_pkt.opcode.val() > 12) & !self.s_pkt.opcode.val().get_bit(7) {
                self.fields.next.word = (bit_cast::<32, 8>(self.s_pkt.syndrome.val()) << 24)
                    | bit_cast::<32, 24>(self.s_pkt.msn.val());
            }
            self.fields.next.wants_tel = !self.s_pkt.bare.val();
            self.fields.next.hops = 0.into();
            self.fields.next.path = 0.into();
            if self.kind.val().get_bit(0) {
                self.fields.next.opcode = 17.into();
                self.fields.next.psn = self.s_ack.psn.val();
                self.fields.next.ack_req = false;
                self.fields.next.solicited = false;
                self.fields.next.pad = 0.into();
                self.fields.next.payload_words = 0.into();
                self.fields.next.word = (bit_cast::<32, 8>(self.s_ack.syndrome.val()) << 24)
                    | bit_cast::<32, 24>(self.s_ack.msn.val());
                comment!("Who computes windows itself echoes nothing of data.");
                self.fields.next.wants_tel = self.s_ack.tel.valid.val() & !self.cfg_by_time.val();
                self.fields.next.hops = self.s_ack.tel.hops.val();
                self.fields.next.path = self.s_ack.tel.path.val();
                if self.kind.val().get_bit(1) {
                    self.fields.next.opcode = 192.into();
                    if self.s_feedback.answer.val() {
                        self.fields.next.opcode = 195.into();
                    }
                    self.fields.next.psn = self.s_feedback.psn.val();
                    self.fields.next.wants_tel = self.s_feedback.tel.valid.val();
                    self.fields.next.hops = self.s_feedback.tel.hops.val();
                    self.fields.next.path = self.s_feedback.tel.path.val();
                }
            }
        }
    }

    /// The records that it echoes.
    fn echo(&mut self) {
        for i in 0..5 {
            self.m_hop[i].next = self.hop[i].val();
            if self.moves.val() {
                self.hop[i].next = 0.into();
                if self.kind.val().get_bit(0) {
                    self.hop[i].next = self.s_ack.tel.hop[i].val();
                    if self.kind.val().get_bit(1) {
                        self.hop[i].next = self.s_feedback.tel.hop[i].val();
                    }
                }
            }
        }
    }
}
