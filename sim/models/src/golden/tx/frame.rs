//! A frame that the tx pipe makes: its bytes, by the wire formats of the spec, and the sizes of its
//! parts.

use super::data_header::DataHeader;
use super::ports::TxPipeIn;
use crate::insert;
use crate::streams::{Ack, AnyPacket};
use nic_spec::rows::QpRow;
use nic_spec::wire::bth::{self, opcode};
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::{self, Form, Hop};
use nic_spec::wire::{aeth, ethernet, ifa, int_md, ioam, ipv4, reth, udp};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Data,
    Ack,
    Feedback,
    Host,
}

/// A frame that is being sent.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub kind: Kind,
    pub qp: QpRow,
    pub ident: u16,
    pub pkt: AnyPacket,
    /// ACK or telemetry response.
    pub echo: Ack,
    /// The telemetry response answers a probe.
    pub is_answer: bool,
    /// Telemetry that it carries.
    pub telemetry: Option<DataHeader>,
}

impl Frame {
    /// The form of its telemetry, if that is a native one.
    fn form(&self) -> Option<Form> {
        match self.telemetry {
            Some(DataHeader::Native(form)) => Some(form),
            _ => None,
        }
    }

    /// It is an ACK or a telemetry response.
    pub fn is_echo(&self) -> bool {
        matches!(self.kind, Kind::Ack | Kind::Feedback)
    }

    fn opcode(&self) -> u8 {
        match self.kind {
            Kind::Ack => opcode::ACKNOWLEDGE,
            Kind::Feedback if self.is_answer => opcode::PROBE_RESPONSE,
            Kind::Feedback => opcode::TELEMETRY_RESPONSE,
            Kind::Data | Kind::Host => self.pkt.opcode,
        }
    }

    /// Bytes of its payload.
    pub fn payload_bytes(&self) -> usize {
        if self.kind == Kind::Data {
            self.pkt.payload_bytes.into()
        } else {
            0
        }
    }

    /// Bytes of its parts in front of the payload: Ethernet to telemetry, BTH and what follows.
    pub fn part_bytes(&self) -> (usize, usize) {
        let code = self.opcode();
        let reth_bytes = if opcode::has_reth(code) { reth::HEADER_BYTES } else { 0 };
        let has_word = opcode::has_immdt(code) || opcode::has_aeth(code);
        let back_bytes =
            bth::HEADER_BYTES + reth_bytes + if has_word { aeth::HEADER_BYTES } else { 0 };
        let telemetry_bytes = match self.telemetry {
            Some(DataHeader::Native(Form::Paper)) if self.is_echo() => {
                2 + 8 * u32::from(self.echo.tel.hops)
            }
            Some(header) => header.len_bytes(),
            None => 0,
        };
        let plain_bytes = ethernet::HEADER_BYTES + ipv4::HEADER_BYTES + udp::HEADER_BYTES;
        (plain_bytes + telemetry_bytes as usize, back_bytes)
    }

    /// All its bytes.
    pub fn bytes(&self, payload: &[u8], i: &TxPipeIn) -> Vec<u8> {
        let form = self.form();
        let is_echo = self.is_echo();
        let (pkt, echo, code) = (&self.pkt, &self.echo, self.opcode());
        let tel_dscp = if is_echo { i.cfg_tel_echo_dscp } else { i.cfg_tel_dscp };
        let mut records = telemetry::Repr::default();
        if is_echo {
            (records.hop_count, records.path) = (echo.tel.hops.into(), echo.tel.path);
            for (hop, word) in records.hops.iter_mut().zip(echo.tel.hop) {
                *hop = Hop::from_word(word);
            }
        }
        let (syndrome, msn) = match is_echo {
            true => (echo.syndrome, echo.msn),
            false => (pkt.syndrome, pkt.msn),
        };
        let repr = FrameRepr {
            ethernet: ethernet::Repr {
                dst: self.qp.remote_mac,
                src: i.cfg_local_mac,
                ..ethernet::Repr::default()
            },
            ip: ipv4::Repr {
                dscp: if form.is_some() { tel_dscp } else { self.qp.dscp },
                ident: self.ident,
                dont_fragment: true,
                ttl: i.cfg_ttl,
                src: i.cfg_local_ip,
                dst: self.qp.remote_ip,
                ..ipv4::Repr::default()
            },
            udp_src_port: self.qp.udp_source_port,
            telemetry: form.map(|form| (form, records)),
            bth: bth::Repr {
                opcode: code,
                solicited: !is_echo && pkt.solicited,
                pkey: i.cfg_pkey,
                qpn: self.qp.remote_qpn,
                ack_req: !is_echo && pkt.ack_req,
                psn: if is_echo { echo.psn } else { pkt.psn },
                ..bth::Repr::default()
            },
            reth: opcode::has_reth(code).then_some(reth::Repr {
                va: pkt.va,
                rkey: pkt.rkey,
                dma_len: pkt.dma_len,
            }),
            aeth: opcode::has_aeth(code).then_some(aeth::Repr { syndrome, msn }),
            imm: opcode::has_immdt(code).then_some(pkt.imm),
            payload,
        };
        let mut bytes = vec![0; repr.buffer_len()];
        repr.emit(&mut bytes);
        match self.telemetry {
            Some(DataHeader::IntMd { by_port }) => with_int(&bytes, self.qp.dscp, by_port, i),
            Some(DataHeader::Ioam) => {
                let mut trace = [0; ioam::HEADERS_BYTES];
                ioam::Headers::hpcc(i.cfg_tel_time_binary).emit(0, &mut trace);
                insert::telemetry(&bytes, &trace, i.cfg_tel_dscp, None)
            }
            Some(DataHeader::Ifa) => {
                let header = ifa::Header { flags: ifa::flag::INBAND, ..ifa::Header::default() };
                insert::ifa(&bytes, header, &[0, 0, ifa::HOP_LIMIT, 0])
            }
            Some(DataHeader::Native(_)) | None => bytes,
        }
    }
}

/// The plain frame with INT-MD as its source writes it: nothing pushed, what marks it kept in the shim.
fn with_int(plain: &[u8], dscp: u8, by_port: bool, i: &TxPipeIn) -> Vec<u8> {
    let (headers, dscp, port) = match by_port {
        false => {
            (int_md::Headers::hpcc(int_md::NPT_DSCP, u16::from(dscp) << 2), i.cfg_tel_dscp, None)
        }
        true => {
            let headers = int_md::Headers::hpcc(int_md::NPT_PORT, udp::PORT_ROCE);
            (headers, dscp, Some(i.cfg_tel_port))
        }
    };
    let mut telemetry = [0; int_md::HEADERS_BYTES];
    headers.emit(0, &mut telemetry);
    insert::telemetry(plain, &telemetry, dscp, port)
}
