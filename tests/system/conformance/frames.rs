//! Packets of the peer, and the NIC in its surroundings.

use crate::nic::source;
use nic_driver::{MrRow, Nic, QpConfig};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_spec::wire::icrc::icrc;
use nic_spec::wire::{aeth, bth, ethernet, ipv4, reth, roce::FrameRepr};
use rdma_nic::preset;

pub const LOCAL_MAC: u64 = 0x0200_0000_0001;
pub const LOCAL_IP: u32 = 0x0a00_0001;
pub const PEER_MAC: u64 = 0x0200_0000_0002;
pub const PEER_IP: u32 = 0x0a00_0002;
/// Our queue pair, and the peer's.
pub const QPN: u32 = 0x11;
pub const PEER_QPN: u32 = 0x22;
/// First PSN in either direction, unless a row begins elsewhere.
pub const PSN: u32 = 100;
pub const MTU: usize = 256;
/// A region that may be written and read, one that may be neither, and another open one at the same
/// addresses.
pub const RKEY: u32 = 0x100;
pub const CLOSED_RKEY: u32 = 0x201;
pub const OTHER_RKEY: u32 = 0x402;
pub const VA: u64 = 0x10_0000;
pub const REGION_BYTES: u64 = 4096;
/// Where the regions are in host memory.
pub const HOST: u64 = 0x1_0000_0000;
pub const CLOSED_HOST: u64 = 0x2_0000_0000;
pub const OTHER_HOST: u64 = 0x5_0000_0000;

/// From [`PSN`] to the last PSN of all: the next packet is behind the wrap.
pub const TO_WRAP: u32 = 0xff_ffff - PSN;

/// ICRC bytes behind `frame`, which has no 802.1Q tag and no telemetry.
pub fn icrc_of(frame: &[u8]) -> [u8; 4] {
    let (ip, udp) = (frame[14..34].try_into(), frame[34..42].try_into());
    icrc(ip.expect("20"), udp.expect("8"), &frame[42..]).to_le_bytes()
}

/// `psn` as far behind [`PSN`] as before, in a row that begins at the last PSN of all.
pub fn over_wrap(psn: u32) -> u32 {
    psn.wrapping_add(TO_WRAP) & 0xff_ffff
}

/// What is wrong with a packet below the transport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spoilt {
    #[default]
    No,
    Icrc,
    Pkey,
    Version,
    Qpn,
    SourceAddress,
    IpChecksum,
    Truncated,
}

/// A packet of the peer.
#[derive(Clone, Debug, Default)]
pub struct Packet {
    pub opcode: u8,
    pub psn: u32,
    pub ack_req: bool,
    pub reth: Option<reth::Repr>,
    pub aeth: Option<aeth::Repr>,
    pub imm: Option<u32>,
    pub payload: Vec<u8>,
    pub spoilt: Spoilt,
}

impl Packet {
    pub fn new(opcode: u8, psn: u32) -> Self {
        Self { opcode, psn, ..Self::default() }
    }

    /// `len` bytes, all `fill`.
    pub fn payload(self, fill: u8, len: usize) -> Self {
        Self { payload: vec![fill; len], ..self }
    }

    pub fn reth(self, va: u64, rkey: u32, dma_len: u32) -> Self {
        Self { reth: Some(reth::Repr { va, rkey, dma_len }), ..self }
    }

    pub fn aeth(self, syndrome: u8, msn: u32) -> Self {
        Self { aeth: Some(aeth::Repr { syndrome, msn }), ..self }
    }

    pub fn with_opcode(self, opcode: u8) -> Self {
        Self { opcode, ..self }
    }

    pub fn ack_req(self) -> Self {
        Self { ack_req: true, ..self }
    }

    pub fn imm(self, imm: u32) -> Self {
        Self { imm: Some(imm), ..self }
    }

    pub fn spoilt(self, spoilt: Spoilt) -> Self {
        Self { spoilt, ..self }
    }

    /// The Ethernet frame.
    pub fn frame(&self) -> Vec<u8> {
        let is = |s| self.spoilt == s;
        let repr = FrameRepr {
            ethernet: ethernet::Repr { dst: LOCAL_MAC, src: PEER_MAC, ..Default::default() },
            ip: ipv4::Repr {
                src: if is(Spoilt::SourceAddress) { PEER_IP + 1 } else { PEER_IP },
                dst: LOCAL_IP,
                ttl: 64,
                ..Default::default()
            },
            udp_src_port: 0xc000,
            bth: bth::Repr {
                opcode: self.opcode,
                pkey: if is(Spoilt::Pkey) { 0x1234 } else { 0xffff },
                qpn: if is(Spoilt::Qpn) { QPN + 1 } else { QPN },
                psn: self.psn & 0xff_ffff,
                ack_req: self.ack_req,
                ..Default::default()
            },
            reth: self.reth,
            aeth: self.aeth,
            imm: self.imm,
            payload: &self.payload,
            ..Default::default()
        };
        let mut frame = vec![0; repr.buffer_len()];
        repr.emit(&mut frame);
        match self.spoilt {
            Spoilt::Version => {
                let end = frame.len() - 4;
                frame[43] |= 1;
                let (head, trailer) = frame.split_at_mut(end);
                trailer.copy_from_slice(&icrc_of(head));
            }
            Spoilt::Icrc => *frame.last_mut().expect("not empty") ^= 1,
            Spoilt::IpChecksum => frame[24] ^= 1,
            Spoilt::Truncated => frame.truncate(frame.len() - 3),
            _ => {}
        }
        frame
    }
}

/// A NIC with both regions open, and what its Verilog is.
pub fn nic(engine: EngineKind) -> Nic<Station> {
    let config = preset();
    let engine = engine.nic(&config, &source(engine, &config), 1).unwrap_or_else(|e| panic!("{e}"));
    let station = Station::new(engine, Manners::Prompt, 1).unwrap_or_else(|e| panic!("{e}"));
    let mut nic = Nic::probe(station).unwrap();
    nic.set_address(LOCAL_MAC, LOCAL_IP).unwrap();
    let regions =
        [(RKEY, HOST, true), (CLOSED_RKEY, CLOSED_HOST, false), (OTHER_RKEY, OTHER_HOST, true)];
    for (rkey, host_address, open) in regions {
        nic.create_mr(&MrRow {
            valid: true,
            remote_write: open,
            remote_read: open,
            rkey,
            va: VA,
            length_bytes: REGION_BYTES,
            host_address,
        })
        .unwrap();
    }
    nic
}

/// The queue pair of a row.
pub fn qp_config(rq_psn: u32) -> QpConfig {
    QpConfig {
        remote_write: true,
        remote_read: true,
        mtu_code: 0,
        qpn: QPN,
        remote_qpn: PEER_QPN,
        remote_ip: PEER_IP,
        remote_mac: PEER_MAC,
        udp_source_port: 0xc000,
        rq_psn,
        sq_psn: PSN,
        window_bytes: 1 << 20,
        rate_uq8_24: 8 << 24,
        timeout_exponent: 1,
        retry_limit: 2,
        ..QpConfig::default()
    }
}

/// Runs until nothing has moved for a while.
pub fn settle(nic: &mut Nic<Station>) {
    nic.bus().run(256).unwrap_or_else(|e| panic!("{e}"));
    let deadline = nic.bus().cycle() + 100_000;
    while nic.bus().undelivered() > 0 || nic.bus().quiet_cycles() < 256 {
        nic.bus().tick().unwrap_or_else(|e| panic!("{e}"));
        assert!(nic.bus().cycle() < deadline, "the NIC does not come to rest");
    }
}

/// Frames that the NIC has sent since the last call.
pub fn sent(nic: &mut Nic<Station>) -> Vec<Vec<u8>> {
    nic.bus().sent.drain(..).map(|(_, frame)| frame.bytes).collect()
}
