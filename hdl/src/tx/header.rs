//! Chooses the next frame and works out what its headers need: addresses, lengths, checksum.
//!
//! # Source            RFC 791 (IPv4), RFC 768 (UDP), InfiniBand annex A17 (RoCEv2)
//! # Interface timing  cycle 0: choice; an item stands at m_item from cycle [`LATENCY_CYCLES`] on
//!                     (host: cycle 1); it is taken in a cycle with m_ready high; the sink's ready
//!                     is high in the cycle after, when its fields have been copied
//!                     m_ip_plain: 1 cycle later than the item, m_ip_len, m_udp_len, m_udp_plain:
//!                     2 cycles later, m_checksum: [`CHECKSUM_CYCLES`] later; both stay until 4 cycles
//!                     behind the cycle in which it is taken
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every 5 cycles, beside the frame before
//! # Order             data, ACK, telemetry response, host take turns among those that wait
//! # Number formats    lengths in bytes, 16 bits; tel_bytes 0, 2 + 8 hops, 42, 16, 12, or 8
//! # Reset             synchronous, high: no item, IPv4 id 0; rows are as they were
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::streams::{CommittedRow, Flow, FrameHeader, Offer};
use crate::util::ram::Ram;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the choice of a frame other than the host's to its item.
pub const LATENCY_CYCLES: usize = 3;

/// Cycles from an item to its checksum.
pub const CHECKSUM_CYCLES: usize = 4;

/// States of the header builder.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum HeaderState {
    /// A queue pair row or the next frame is chosen.
    Pick,
    /// The row is stored.
    Store,
    /// The flow's row goes to registers, then what follows from it.
    Work,
    /// The item waits for the sequencer.
    Offer,
    /// The sequencer has copied it.
    Done,
}

/// Whom a flow's packets go to.
#[row]
struct PeerRow {
    mac: Bits<48>,  // MAC address
    ip: Bits<32>,   // IPv4 address
    port: Bits<16>, // UDP source port
    qpn: Bits<24>,  // The peer's QPN
    dscp: Bits<6>,  // DSCP of packets without telemetry
    telemetry: Bit, // Packets carry telemetry
}

/// Header builder; `FB` = log2 of the flow count.
#[block]
pub struct TxHeader<const FB: usize> {
    /// Our address.
    pub cfg_local_ip: Signal<In, Bits<32>>,
    /// Time to live.
    pub cfg_ttl: Signal<In, Bits<8>>,
    /// Form of telemetry in data packets, as m_form.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// Form of telemetry in ACKs and telemetry responses: 0 none, 1 paper, 2 authors' 42 bytes.
    pub cfg_tel_echo: Signal<In, Bits<2>>,
    /// DSCP of data with telemetry.
    pub cfg_tel_dscp: Signal<In, Bits<6>>,
    /// DSCP of ACKs with telemetry and of telemetry responses.
    pub cfg_tel_echo_dscp: Signal<In, Bits<6>>,
    /// The receiver of data computes its window: ACKs go without telemetry.
    pub cfg_by_time: Signal<In, Bit>,
    /// A table row; rows of other tables are taken and ignored.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A data packet waits.
    pub s_pkt_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_pkt_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_pkt_flow: Signal<In, Bits<FB>>,
    /// It goes without telemetry.
    pub s_pkt_bare: Signal<In, Bit>,
    /// Its BTH operation code.
    pub s_pkt_opcode: Signal<In, Bits<8>>,
    /// Its payload, 0..=4096.
    pub s_pkt_payload_bytes: Signal<In, Bits<13>>,
    /// An ACK waits.
    pub s_ack: Flow<In, FB>,
    /// It echoes telemetry.
    pub s_ack_tel_valid: Signal<In, Bit>,
    /// Records of it.
    pub s_ack_tel_hops: Signal<In, Bits<3>>,
    /// A telemetry response waits.
    pub s_feedback: Flow<In, FB>,
    /// It has telemetry.
    pub s_feedback_tel_valid: Signal<In, Bit>,
    /// Records of it.
    pub s_feedback_tel_hops: Signal<In, Bits<3>>,
    /// A host frame waits.
    pub s_host_valid: Signal<In, Bit>,
    /// The host frame is on its way.
    pub host_done: Signal<In, Bit>,
    /// The item is taken.
    pub m_ready: Signal<In, Bit>,
    /// An item stands here.
    pub m_valid: Signal<Out, Bit>,
    /// 0 data, 1 ACK, 2 host frame, 3 telemetry response.
    pub m_kind: Signal<Out, Bits<2>>,
    /// What its headers say.
    pub m: FrameHeader<Out>,
    rows: Ram<FB, PeerRow>,
    #[reset(HeaderState::Pick)]
    state: Reg<HeaderState>,
    #[reset(2)]
    kind: Reg<Bits<2>>,
    host_busy: Reg<Bit>,
    count: Reg<Bits<2>>,
    id: Reg<Bits<16>>,
    row: Unreset<PeerRow>,
    form: Unreset<Bits<3>>,
    tel_bytes: Unreset<Bits<16>>,
    marks_dscp: Unreset<Bit>,
    dscp: Unreset<Bits<6>>,
    fixed: Unreset<Bits<16>>,
    padded: Unreset<Bits<16>>,
    udp_plain: Unreset<Bits<16>>,
    ip_plain: Unreset<Bits<16>>,
    udp_len: Unreset<Bits<16>>,
    ip_len: Unreset<Bits<16>>,
    sum_source: Unreset<Bits<20>>,
    sum_addresses: Unreset<Bits<20>>,
    sum_id: Unreset<Bits<20>>,
    sum_fixed: Unreset<Bits<20>>,
    sum_rest: Unreset<Bits<20>>,
    sum_plain: Unreset<Bits<20>>,
    sum_length: Unreset<Bits<16>>,
    sum: Unreset<Bits<20>>,
    folded: Unreset<Bits<17>>,
    folded_again: Unreset<Bits<16>>,
    want_host: Signal<Local, Bit>,
    choice: Signal<Local, Bits<2>>,
    found: Signal<Local, Bit>,
    up: Signal<Local, Bits<13>>,
    echo_valid: Signal<Local, Bit>,
    echo_hops: Signal<Local, Bits<3>>,
    hop_bytes: Signal<Local, Bits<16>>,
    sum_tel: Signal<Local, Bits<16>>,
    target: Signal<Local, Bits<20>>,
    new_dscp: Signal<Local, Bits<6>>,
    tos: Signal<Local, Bits<20>>,
    ttl_protocol: Signal<Local, Bits<20>>,
    ttl_high: Signal<Local, Bits<20>>,
    carry: Signal<Local, Bits<16>>,
    not_sum: Signal<Local, Bits<16>>,
    #[value(0x8500)]
    version_flags: Constant<Bits<20>>,
    #[value(0x1ffc)]
    words: Constant<Bits<13>>,
}

#[kernel]
impl<const FB: usize> TxHeader<FB> {
    fn update(&mut self) {
        self.s_cfg.ready.next = self.state.val() == HeaderState::Store;
        self.s_pkt_ready.next = (self.state.val() == HeaderState::Done) & (self.kind.val() == 0);
        self.s_ack.ready.next = (self.state.val() == HeaderState::Done) & (self.kind.val() == 1);
        self.s_feedback.ready.next =
            (self.state.val() == HeaderState::Done) & (self.kind.val() == 3);
        self.m_valid.next = self.state.val() == HeaderState::Offer;
        self.m_kind.next = self.kind.val();
        self.m.form.next = self.form.val();
        self.m.mac.next = self.row.val().mac;
        self.m.ip.next = self.row.val().ip;
        self.m.port.next = self.row.val().port;
        self.m.qpn.next = self.row.val().qpn;
        self.m.dscp.next = self.dscp.val();
        self.m.dscp_plain.next = self.row.val().dscp;
        self.m.id.next = self.id.val();
        self.m.ip_len.next = self.ip_len.val();
        self.m.udp_len.next = self.udp_len.val();
        self.m.ip_plain.next = self.ip_plain.val();
        self.m.udp_plain.next = self.udp_plain.val();
        self.not_sum.next = !self.folded_again.val();
        self.m.checksum.next = self.not_sum.val();

        self.choice();
        self.row();
        self.lengths();
        self.checksum();
    }

    /// The next kind that waits, behind the last one.
    fn choice(&mut self) {
        self.want_host.next = self.s_host_valid.val() & !self.host_busy.val();
        self.found.next = self.s_pkt_valid.val()
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
                } else if !self.s_pkt_valid.val() {
                    self.choice.next = 1.into();
                }
            }
            3 => {
                if self.want_host.val() {
                    self.choice.next = 2.into();
                } else if !self.s_pkt_valid.val() {
                    self.choice.next = 3.into();
                    if self.s_ack.valid.val() {
                        self.choice.next = 1.into();
                    }
                }
            }
            _ => {
                if !self.s_pkt_valid.val() {
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
        self.rows.read_enable.next = self.state.val() == HeaderState::Pick;
        self.rows.read_address.next = self.s_pkt_flow.val();
        if self.choice.val() == 1 {
            self.rows.read_address.next = self.s_ack.flow.val();
        } else if self.choice.val() == 3 {
            self.rows.read_address.next = self.s_feedback.flow.val();
        }
        self.row.next = self.rows.read_data.val();
        self.rows.write_enable.next =
            (self.state.val() == HeaderState::Store) & (self.cfg.table.val() == 0);
        self.rows.write_address.next = self.cfg.index.val().get_bits::<FB>(0);
        self.rows.write_data.next.mac = self.cfg.row.val().qp_remote_mac;
        self.rows.write_data.next.ip = self.cfg.row.val().qp_remote_ip;
        self.rows.write_data.next.port = self.cfg.row.val().qp_udp_source_port;
        self.rows.write_data.next.qpn = self.cfg.row.val().qp_remote_qpn;
        self.rows.write_data.next.dscp = self.cfg.row.val().qp_dscp;
        self.rows.write_data.next.telemetry = self.cfg.row.val().qp_telemetry;

        comment!("Telemetry and DSCP.");
        self.marks_dscp.next = (self.cfg_tel_data.val() == 1)
            | (self.cfg_tel_data.val() == 2)
            | (self.cfg_tel_data.val() == 3)
            | (self.cfg_tel_data.val() == 4);
        comment!("Who computes windows itself echoes nothing of data.");
        self.echo_valid.next = self.s_ack_tel_valid.val() & !self.cfg_by_time.val();
        self.echo_hops.next = self.s_ack_tel_hops.val();
        if self.kind.val() == 3 {
            self.echo_valid.next = self.s_feedback_tel_valid.val();
            self.echo_hops.next = self.s_feedback_tel_hops.val();
        }
        self.hop_bytes.next = bit_cast::<16, 3>(self.echo_hops.val()) << 3;
        self.form.next = 0.into();
        self.tel_bytes.next = 0.into();
        self.new_dscp.next = self.row.val().dscp;
        if self.kind.val().get_bit(0) {
            if self.echo_valid.val() & self.cfg_tel_echo.val().any() {
                self.form.next = bit_cast::<3, 2>(self.cfg_tel_echo.val());
                self.tel_bytes.next = self.hop_bytes.val() + 2;
                self.new_dscp.next = self.cfg_tel_echo_dscp.val();
            }
        } else if self.row.val().telemetry & !self.s_pkt_bare.val() {
            self.form.next = self.cfg_tel_data.val();
            match self.cfg_tel_data.val().index() {
                1 => self.tel_bytes.next = 2.into(),
                3 => self.tel_bytes.next = 16.into(),
                4 => self.tel_bytes.next = 12.into(),
                5 => self.tel_bytes.next = 8.into(),
                6 => self.tel_bytes.next = 16.into(),
                _ => {}
            }
            if self.marks_dscp.val() {
                self.new_dscp.next = self.cfg_tel_dscp.val();
            }
        }
        self.dscp.next = self.new_dscp.val();
    }

    /// UDP header, BTH and ICRC, then RETH, ImmDt or AETH, then padded payload.
    fn lengths(&mut self) {
        self.up.next = self.s_pkt_payload_bytes.val() + 3;
        self.fixed.next = 28.into();
        self.padded.next = 0.into();
        if self.kind.val() == 0 {
            self.padded.next = bit_cast::<16, 13>(self.up.val() & self.words.val());
            self.fixed.next = 24.into();
            match self.s_pkt_opcode.val().index() {
                6 => {
                    self.fixed.next = 40.into();
                }
                9 => {
                    self.fixed.next = 28.into();
                }
                12 => {
                    self.fixed.next = 40.into();
                }
                13 => {
                    self.fixed.next = 28.into();
                }
                15 => {
                    self.fixed.next = 28.into();
                }
                16 => {
                    self.fixed.next = 28.into();
                }
                10 => {
                    self.fixed.next = 40.into();
                }
                11 => {
                    self.fixed.next = 44.into();
                }
                196 => {
                    self.fixed.next = 28.into();
                }
                _ => {}
            }
        } else if self.kind.val() == 3 {
            self.fixed.next = 24.into();
        }
        self.udp_plain.next = self.fixed.val() + self.padded.val();
        self.ip_plain.next = self.udp_plain.val() + 20;
        self.udp_len.next = self.udp_plain.val() + self.tel_bytes.val();
        if self.form.val() == 2 {
            self.udp_len.next = self.udp_plain.val() + 42;
        }
        self.ip_len.next = self.udp_len.val() + 20;
    }

    /// One's complement sum of the IPv4 header; its length is UDP's and 20.
    fn checksum(&mut self) {
        self.sum_source.next = bit_cast::<20, 16>(self.cfg_local_ip.val().get_bits::<16>(16))
            + bit_cast::<20, 16>(self.cfg_local_ip.val().get_bits::<16>(0));
        self.target.next = bit_cast::<20, 16>(self.row.val().ip.get_bits::<16>(16))
            + bit_cast::<20, 16>(self.row.val().ip.get_bits::<16>(0));
        self.sum_addresses.next = self.sum_source.val() + self.target.val();
        self.sum_id.next = bit_cast::<20, 16>(self.id.val()) + 20;
        self.tos.next = (bit_cast::<20, 6>(self.new_dscp.val()) << 2) | self.version_flags.val();
        self.ttl_high.next = bit_cast::<20, 8>(self.cfg_ttl.val()) << 8;
        self.ttl_protocol.next = self.ttl_high.val() | 17;
        self.sum_fixed.next = self.sum_id.val() + self.ttl_protocol.val();
        self.sum_rest.next = self.tos.val() + self.sum_fixed.val();
        self.sum_plain.next = self.sum_addresses.val() + self.sum_rest.val();
        comment!("Beside IFA's 8 bytes, its protocol is 253 and not 17.");
        self.sum_tel.next = self.tel_bytes.val();
        match self.form.val().index() {
            2 => self.sum_tel.next = 42.into(),
            5 => self.sum_tel.next = 244.into(),
            _ => {}
        }
        self.sum_length.next = self.udp_plain.val() + self.sum_tel.val();
        self.sum.next = self.sum_plain.val() + bit_cast::<20, 16>(self.sum_length.val());
        self.folded.next = bit_cast::<17, 16>(self.sum.val().get_bits::<16>(0))
            + bit_cast::<17, 4>(self.sum.val().get_bits::<4>(16));
        self.carry.next = bit_cast::<16, 1>(self.folded.val().get_bits::<1>(16));
        self.folded_again.next = self.folded.val().get_bits::<16>(0) + self.carry.val();

        if self.host_done.val() {
            self.host_busy.next = false;
        }
        match self.state.val() {
            HeaderState::Pick => {
                self.count.next = 0.into();
                if self.s_cfg.valid.val() {
                    self.state.next = HeaderState::Store;
                } else if self.found.val() {
                    self.kind.next = self.choice.val();
                    self.state.next = HeaderState::Work;
                    if self.choice.val() == 2 {
                        self.state.next = HeaderState::Offer;
                    }
                }
            }
            HeaderState::Store => {
                self.state.next = HeaderState::Pick;
            }
            HeaderState::Work => {
                self.count.next = self.count.val() + 1;
                if self.count.val() == 1 {
                    self.state.next = HeaderState::Offer;
                }
            }
            HeaderState::Offer => {
                if self.m_ready.val() {
                    self.state.next = HeaderState::Done;
                    if self.kind.val() == 2 {
                        self.host_busy.next = true;
                    }
                }
            }
            HeaderState::Done => {
                self.state.next = HeaderState::Pick;
                if self.kind.val() != 2 {
                    self.id.next = self.id.val() + 1;
                }
            }
        }
    }
}
