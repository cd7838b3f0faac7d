//! Packets of the network as the frames that NICs send and understand.

use super::setup::PAIRS;
use crate::fabric::cc::Records;
use crate::fabric::flow::{Kind, Packet};
use crate::fabric::random;
use crate::net::switch::wire_bytes;
use crate::net::{ip, mac};
use nic_models::reference::rc::DEFAULT_PKEY;
use nic_spec::wire::aeth::{self, syndrome};
use nic_spec::wire::bth::{self, opcode};
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::{self, Form, Hop};
use nic_spec::wire::{ethernet, ipv4, reth};

/// Data that a switch writes its records into, and ACKs that bring them back.
pub const DATA_DSCP: u8 = 0x13;
/// See [`DATA_DSCP`].
pub const ECHO_DSCP: u8 = 0x17;
/// Telemetry with room for the records from the beginning.
const FORM: Form = Form::Authors;
/// Key of the region of each host that others write to.
pub const RKEY: u32 = 0x5a;

/// Where a flow's bytes go, in that region.
pub fn address(flow: u32) -> u64 {
    u64::from(flow) << 32
}

/// What a flow carries at `offset`.
pub fn payload(flow: u32, offset: u64, byte_count: usize) -> Vec<u8> {
    let word = |at: u64| random::hash(&[flow.into(), at]).to_le_bytes();
    let words = offset / 8..(offset + byte_count as u64).div_ceil(8);
    let skip = (offset % 8) as usize;
    words.flat_map(word).skip(skip).take(byte_count).collect()
}

/// A flow, as its frames have it.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// Its index.
    pub flow: u32,
    /// Host that sends the frame, and host that it is for.
    pub from: u16,
    /// See `from`.
    pub to: u16,
    /// Queue pair that the frame is for.
    pub qpn: u32,
    /// Bytes of the flow, and of a full packet.
    pub bytes: u64,
    /// See `bytes`.
    pub payload_bytes: u64,
}

impl Stream {
    fn emit(&self, dscp: u8, repr: FrameRepr<'_>) -> Vec<u8> {
        let (from, to) = (usize::from(self.from), usize::from(self.to));
        let repr = FrameRepr {
            ethernet: ethernet::Repr { dst: mac(to), src: mac(from), ..Default::default() },
            ip: ipv4::Repr {
                dscp,
                dont_fragment: true,
                ttl: 64,
                src: ip(from),
                dst: ip(to),
                ..Default::default()
            },
            udp_src_port: 0xc000 | (self.qpn & 0x3fff) as u16,
            bth: bth::Repr { pkey: DEFAULT_PKEY, qpn: self.qpn, ..repr.bth },
            ..repr
        };
        let mut frame = vec![0; repr.buffer_len().max(ethernet::FRAME_BYTES_MIN)];
        repr.emit(&mut frame);
        frame
    }

    fn packet_count(&self) -> u64 {
        self.bytes.div_ceil(self.payload_bytes)
    }

    /// Packet `psn` of the WRITE that the flow is.
    pub fn data(&self, psn: u32) -> Vec<u8> {
        let offset = u64::from(psn) * self.payload_bytes;
        let length = self.payload_bytes.min(self.bytes - offset);
        let payload = payload(self.flow, offset, length as usize);
        let (is_first, is_last) = (psn == 0, u64::from(psn) + 1 == self.packet_count());
        let opcode = match (is_first, is_last) {
            (true, true) => opcode::WRITE_ONLY,
            (true, false) => opcode::WRITE_FIRST,
            (false, true) => opcode::WRITE_LAST,
            (false, false) => opcode::WRITE_MIDDLE,
        };
        let reth = reth::Repr { va: address(self.flow), rkey: RKEY, dma_len: self.bytes as u32 };
        let repr = FrameRepr {
            telemetry: Some((FORM, telemetry::Repr::default())),
            bth: bth::Repr { opcode, psn, ack_req: true, ..Default::default() },
            reth: is_first.then_some(reth),
            payload: &payload,
            ..Default::default()
        };
        self.emit(DATA_DSCP, repr)
    }

    /// An ACK, which echoes the records of the packet, or a NAK, which doesn't.
    pub fn answer(&self, packet: &Packet) -> Vec<u8> {
        let is_ack = packet.kind == Kind::Ack;
        let is_all = is_ack && u64::from(packet.psn) + 1 == self.packet_count();
        let syndrome = if is_ack { syndrome::ACK } else { syndrome::NAK_SEQUENCE };
        let echo = || (FORM, telemetry_of(&packet.records()));
        let repr = FrameRepr {
            telemetry: is_ack.then(echo),
            bth: bth::Repr { opcode: opcode::ACKNOWLEDGE, psn: packet.psn, ..Default::default() },
            aeth: Some(aeth::Repr { syndrome, msn: is_all.into() }),
            ..Default::default()
        };
        self.emit(if is_ack { ECHO_DSCP } else { 0 }, repr)
    }
}

fn telemetry_of(records: &Records) -> telemetry::Repr {
    let hops = records.hops.map(Hop::from_word);
    telemetry::Repr::new(0, &hops[..usize::from(records.count)])
}

fn parse(frame: &[u8]) -> Result<FrameRepr<'_>, String> {
    // The DSCP says whether there is telemetry: version and IHL, then the DSCP's byte.
    let dscp = frame.get(15).map_or(0, |byte| byte >> 2);
    let form = [DATA_DSCP, ECHO_DSCP].contains(&dscp).then_some(FORM);
    FrameRepr::parse(frame, form).map_err(|e| e.to_string())
}

/// A data frame with what the switches on its way have written.
pub fn stamped(frame: &[u8], records: &Records) -> Vec<u8> {
    let repr = parse(frame).expect("it was parsed when it was sent");
    let telemetry = repr.telemetry.map(|(form, _)| (form, telemetry_of(records)));
    let mut stamped = frame.to_vec();
    FrameRepr { telemetry, ..repr }.emit(&mut stamped);
    stamped
}

/// What a NIC's frame is: the index of its flow, and a packet whose flow is not yet known.
///
/// # Errors
/// A sentence about a frame that no host here understands.
pub fn read(frame: &[u8], payload_bytes: u64) -> Result<(u32, Packet), String> {
    let repr = parse(frame)?;
    let (flow, psn) = (repr.bth.qpn / PAIRS, repr.bth.psn);
    let mut packet =
        Packet { psn, bytes: wire_bytes(frame) as u16, kind: Kind::Data, ..Packet::default() };
    match (repr.bth.opcode, repr.aeth.map(|aeth| aeth.syndrome)) {
        (opcode::WRITE_FIRST..=opcode::WRITE_ONLY, _) => {
            let wanted = payload(flow, u64::from(psn) * payload_bytes, repr.payload.len());
            if repr.payload != wanted {
                return Err(format!("packet {psn} of flow {flow} has other bytes than it should"));
            }
        }
        (opcode::ACKNOWLEDGE, Some(syndrome::ACK)) => packet.kind = Kind::Ack,
        (opcode::ACKNOWLEDGE, Some(syndrome::NAK_SEQUENCE)) => packet.kind = Kind::Nak,
        (opcode, syndrome) => {
            return Err(format!("opcode {opcode:#x} with syndrome {syndrome:x?} of flow {flow}"))
        }
    }
    if let Some((_, echo)) = repr.telemetry.filter(|_| packet.kind != Kind::Data) {
        let words = echo.hops.map(Hop::to_word);
        packet.hops.copy_from_slice(&words[..5]);
        packet.hop_count = echo.hop_count as u8;
    }
    Ok((flow, packet))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_the_same_wherever_it_is_cut() {
        let whole = payload(3, 0, 100);
        assert_eq!(payload(3, 13, 50), whole[13..63]);
        assert_ne!(payload(4, 0, 100), whole);
    }

    #[test]
    fn frames_have_the_sizes_that_the_profile_says() {
        let stream = Stream { flow: 5, from: 1, to: 0, qpn: 320, bytes: 2500, payload_bytes: 1024 };
        // 14 + 20 + 8 + 42 + 12 + 16 + 1024 + 4 + 24.
        assert_eq!(wire_bytes(&stream.data(0)), 1164);
        assert_eq!(wire_bytes(&stream.data(1)), 1148);
        let mut packet = Packet { psn: 2, kind: Kind::Ack, hop_count: 1, ..Packet::default() };
        packet.hops[0] = Hop { rate_code: 2, ts_ns: 7, tx_units: 8, queue_units: 9 }.to_word();
        let ack = stream.answer(&packet);
        assert_eq!(wire_bytes(&ack), 128);
        let (flow, heard) = read(&ack, 1024).unwrap();
        assert_eq!((flow, heard.psn, heard.kind), (5, 2, Kind::Ack));
        assert_eq!(heard.records(), packet.records());
        let nak = stream.answer(&Packet { kind: Kind::Nak, ..packet });
        let (_, heard) = read(&nak, 1024).unwrap();
        assert_eq!((heard.kind, heard.hop_count), (Kind::Nak, 0));
    }

    #[test]
    fn frames_bring_what_switches_have_written() {
        let stream = Stream { flow: 5, from: 1, to: 0, qpn: 320, bytes: 2500, payload_bytes: 1024 };
        let frame = stream.data(2);
        let (flow, packet) = read(&frame, 1024).unwrap();
        assert_eq!((flow, packet.psn, packet.kind), (5, 2, Kind::Data));
        let records = Records { hops: [7, 0, 0, 0, 0], count: 1, path: 0 };
        let stamped = stamped(&frame, &records);
        let (_, telemetry) = parse(&stamped).unwrap().telemetry.unwrap();
        assert_eq!((telemetry.hop_count, telemetry.hops[0].to_word()), (1, 7));
        let mut harmed = frame;
        let at = harmed.len() - 6;
        harmed[at] ^= 1;
        assert!(read(&harmed, 1024).is_err());
    }
}
