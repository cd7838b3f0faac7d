//! The peer sends requests; the rows say what comes back and what memory holds.
//!
//! A function of rows is a table, so its length is that of the table.

mod read;

use crate::conformance::frames::*;
use nic_driver::{Nic, QpConfig};
use nic_models::reference::rc::responder::{Abilities, Responder};
use nic_models::reference::rc::{admit, Answer, Class, Memory, Region, Request, DEFAULT_PKEY};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use nic_spec::wire::aeth::syndrome::*;
use nic_spec::wire::bth::opcode::*;
use nic_spec::wire::roce::FrameRepr;
use std::ops::Range;

/// READs of a queue pair that may be without an answer.
const READS_MAX: usize = 16;

/// Packets of the peer, back to back, the answers that they bring, and the event that counts each.
#[derive(Clone)]
struct Step {
    packets: Vec<Packet>,
    answers: Vec<Answer>,
    events: Vec<&'static str>,
}

/// One situation.
#[derive(Clone)]
struct Row {
    name: &'static str,
    first_psn: u32,
    qp: QpConfig,
    steps: Vec<Step>,
    /// What the regions hold at first.
    stored: fn(usize) -> u8,
    /// Bytes of the open region that change.
    memory: Vec<(Range<usize>, u8)>,
}

impl Row {
    fn new(name: &'static str) -> Self {
        let (steps, memory) = (Vec::new(), Vec::new());
        Self { name, first_psn: PSN, qp: qp_config(PSN), steps, stored: |_| 0, memory }
    }

    fn first_psn(self, psn: u32) -> Self {
        Self { first_psn: psn, qp: QpConfig { rq_psn: psn, ..self.qp }, ..self }
    }

    fn qp(self, change: impl FnOnce(&mut QpConfig)) -> Self {
        let mut qp = self.qp;
        change(&mut qp);
        Self { qp, ..self }
    }

    fn step(self, packet: Packet, event: &'static str, answers: Vec<Answer>) -> Self {
        self.burst(&[(packet, event)], answers)
    }

    /// Packets back to back, each with its event. An ACK may be left out where a later answer says
    /// what it says.
    fn burst(mut self, packets: &[(Packet, &'static str)], answers: Vec<Answer>) -> Self {
        let (packets, events) = packets.iter().cloned().unzip();
        self.steps.push(Step { packets, answers, events });
        self
    }

    /// Taken, no answer due.
    fn taken(self, packet: Packet) -> Self {
        self.step(packet, "resp_accepted", vec![])
    }

    /// Taken and acknowledged with this MSN.
    fn acked(self, packet: Packet, msn: u32) -> Self {
        let answer = Answer::acknowledge(packet.psn, ACK, msn);
        self.step(packet, "resp_accepted", vec![answer])
    }

    /// Dropped without an answer.
    fn silent(self, packet: Packet, event: &'static str) -> Self {
        self.step(packet, event, vec![])
    }

    /// Refused at its own PSN.
    fn refused(self, packet: Packet, syndrome: u8, msn: u32) -> Self {
        let event = match syndrome {
            NAK_INVALID_REQUEST => "resp_nak_invalid",
            NAK_REMOTE_ACCESS => "resp_nak_access",
            _ => unreachable!("{syndrome:#x}"),
        };
        let answer = Answer::acknowledge(packet.psn, syndrome, msn);
        self.step(packet, event, vec![answer])
    }

    /// Ahead of the expected PSN: the NAK that names that one.
    fn gap(self, packet: Packet, expected_psn: u32, msn: u32) -> Self {
        let answer = Answer::acknowledge(expected_psn, NAK_SEQUENCE, msn);
        self.step(packet, "resp_out_of_sequence", vec![answer])
    }

    /// Seen before: the ACK of what was last taken.
    fn again(self, packet: Packet, last_psn: u32, msn: u32) -> Self {
        let answer = Answer::acknowledge(last_psn, ACK, msn);
        self.step(packet, "resp_duplicate", vec![answer])
    }

    fn memory(mut self, range: Range<usize>, fill: u8) -> Self {
        self.memory.push((range, fill));
        self
    }

    /// The same with the wrap of the PSN behind its first packet.
    fn over_wrap(&self) -> Self {
        let mut row = self.clone().first_psn(over_wrap(self.first_psn));
        row.name = format!("{}, over the wrap", self.name).leak();
        for step in &mut row.steps {
            step.packets.iter_mut().for_each(|p| p.psn = over_wrap(p.psn));
            step.answers.iter_mut().for_each(|a| a.psn = over_wrap(a.psn));
        }
        row
    }

    fn stored_bytes(&self) -> Vec<u8> {
        (0..REGION_BYTES as usize).map(self.stored).collect()
    }

    fn memory_bytes(&self) -> Vec<u8> {
        let mut bytes = self.stored_bytes();
        for (range, fill) in &self.memory {
            bytes[range.clone()].fill(*fill);
        }
        bytes
    }
}

/// The packets of a WRITE of 3 packets to the front of the region: 256, 256 and 88 bytes.
fn write3(psn: u32, fill: u8) -> [Packet; 3] {
    [
        Packet::new(WRITE_FIRST, psn).reth(VA, RKEY, 600).payload(fill, 256),
        Packet::new(WRITE_MIDDLE, psn + 1).payload(fill, 256),
        Packet::new(WRITE_LAST, psn + 2).payload(fill, 88).ack_req(),
    ]
}

/// A WRITE of one packet to `VA + at`.
fn only(psn: u32, at: u64, fill: u8, len: usize) -> Packet {
    let packet = Packet::new(WRITE_ONLY, psn).payload(fill, len).ack_req();
    packet.reth(VA + at, RKEY, len as u32)
}

fn sequence_rows() -> Vec<Row> {
    let [a, b, c] = write3(PSN, 1);
    let [d, e, f] = write3(PSN, 9);
    let next = only(PSN + 3, 1000, 2, 10);
    vec![
        Row::new("write only").acked(only(PSN, 0, 1, 5), 1).memory(0..5, 1),
        Row::new("write of three packets")
            .taken(a.clone())
            .taken(b.clone())
            .acked(c.clone(), 1)
            .memory(0..600, 1),
        Row::new("no AckReq, no ACK")
            .taken(Packet { ack_req: false, ..only(PSN, 0, 1, 5) })
            .memory(0..5, 1),
        Row::new("AckReq in the middle")
            .taken(a.clone())
            .acked(b.clone().ack_req(), 0)
            .acked(c.clone(), 1)
            .memory(0..600, 1),
        Row::new("lost first")
            .gap(b.clone(), PSN, 0)
            .silent(c.clone(), "resp_out_of_sequence")
            .taken(a.clone())
            .taken(b.clone())
            .acked(c.clone(), 1)
            .memory(0..600, 1),
        Row::new("lost middle")
            .taken(a.clone())
            .gap(c.clone(), PSN + 1, 0)
            .taken(b.clone())
            .acked(c.clone(), 1)
            .memory(0..600, 1),
        Row::new("lost last")
            .taken(a.clone())
            .taken(b.clone())
            .gap(next.clone(), PSN + 2, 0)
            .acked(c.clone(), 1)
            .acked(next.clone(), 2)
            .memory(0..600, 1)
            .memory(1000..1010, 2),
        Row::new("one NAK a gap, a new one for a new gap")
            .gap(b.clone(), PSN, 0)
            .silent(b.clone(), "resp_out_of_sequence")
            .silent(c.clone(), "resp_out_of_sequence")
            .taken(a.clone())
            .gap(c.clone(), PSN + 1, 0)
            .memory(0..256, 1),
        Row::new("duplicate of a whole message")
            .taken(a.clone())
            .taken(b.clone())
            .acked(c.clone(), 1)
            .again(d, PSN + 2, 1)
            .again(e, PSN + 2, 1)
            .again(f, PSN + 2, 1)
            .memory(0..600, 1),
        Row::new("duplicate in the middle of a message")
            .taken(a.clone())
            .taken(b.clone())
            .again(a.clone(), PSN + 1, 0)
            .acked(c.clone(), 1)
            .memory(0..600, 1),
        Row::new("duplicate after a gap was told of")
            .taken(a.clone())
            .gap(c.clone(), PSN + 1, 0)
            .again(a.clone(), PSN, 0)
            .taken(b.clone())
            .acked(c.clone(), 1)
            .memory(0..600, 1),
        Row::new("reordered by 1")
            .gap(only(PSN + 1, 100, 2, 10), PSN, 0)
            .acked(only(PSN, 0, 1, 10), 1)
            .acked(only(PSN + 1, 100, 2, 10), 2)
            .memory(0..10, 1)
            .memory(100..110, 2),
        (1..=7)
            .fold(Row::new("reordered by 7"), |row, i| match i {
                1 => row.gap(only(PSN + i, 0, 7, 4), PSN, 0),
                _ => row.silent(only(PSN + i, 0, 7, 4), "resp_out_of_sequence"),
            })
            .acked(only(PSN, 8, 1, 4), 1)
            .gap(only(PSN + 2, 0, 7, 4), PSN + 1, 1)
            .memory(8..12, 1),
        Row::new("PSN wraps inside a message")
            .first_psn(0xff_ffff)
            .taken(Packet { psn: 0xff_ffff, ..a.clone() })
            .taken(Packet { psn: 0, ..b.clone() })
            .acked(Packet { psn: 1, ..c.clone() }, 1)
            .again(Packet { psn: 0xff_ffff, ..a.clone() }, 1, 1)
            .gap(only(3, 0, 7, 4), 2, 1)
            .memory(0..600, 1),
        Row::new("duplicate of a WRITE is not checked again")
            .acked(only(PSN, 0, 1, 4), 1)
            .again(only(PSN, 0, 7, 4).reth(VA, 0x0300, 4), PSN, 1)
            .again(only(PSN, 0, 7, 4).reth(VA, CLOSED_RKEY, 4), PSN, 1)
            .again(only(PSN, 0, 7, 4).reth(VA, OTHER_RKEY, 4), PSN, 1)
            .memory(0..4, 1),
        Row::new("PSN half the space ahead is a gap, behind is a duplicate")
            .acked(only(PSN, 0, 1, 4), 1)
            .gap(only(PSN + 1 + 0x7f_ffff, 0, 7, 4), PSN + 1, 1)
            .again(only(PSN + 1 + 0x80_0000, 0, 7, 4), PSN, 1)
            .memory(0..4, 1),
        Row::new("write with immediate")
            .acked(only(PSN, 0, 1, 4).imm(0xcafe).with_opcode(WRITE_ONLY_IMM), 1)
            .memory(0..4, 1),
        Row::new("write of nothing").acked(only(PSN, 0, 1, 0), 1),
        Row::new("write of nothing needs no region")
            .acked(only(PSN, 0, 1, 0).reth(0xdead, 0x9900, 0), 1),
        Row::new("write to the last byte of a region")
            .acked(only(PSN, REGION_BYTES - 1, 1, 1), 1)
            .memory(4095..4096, 1),
    ]
}

fn refused_rows() -> Vec<Row> {
    let [a, b, c] = write3(PSN, 1);
    let invalid = NAK_INVALID_REQUEST;
    let access = NAK_REMOTE_ACCESS;
    let dead = only(PSN, 0, 7, 4);
    vec![
        Row::new("first after first")
            .taken(a.clone())
            .refused(Packet { psn: PSN + 1, ..a.clone() }, invalid, 0)
            .silent(Packet { psn: PSN + 1, ..dead.clone() }, "resp_no_qp")
            .memory(0..256, 1),
        Row::new("only after first")
            .taken(a.clone())
            .refused(only(PSN + 1, 0, 7, 4), invalid, 0)
            .memory(0..256, 1),
        Row::new("middle without first").refused(Packet { psn: PSN, ..b.clone() }, invalid, 0),
        Row::new("last without first").refused(Packet { psn: PSN, ..c.clone() }, invalid, 0),
        Row::new("first shorter than the MTU").refused(
            Packet::new(WRITE_FIRST, PSN).reth(VA, RKEY, 600).payload(1, 252),
            invalid,
            0,
        ),
        Row::new("middle shorter than the MTU")
            .taken(a.clone())
            .refused(Packet { payload: vec![1; 255], ..b.clone() }, invalid, 0)
            .memory(0..256, 1),
        Row::new("first longer than the MTU").refused(
            Packet::new(WRITE_FIRST, PSN).reth(VA, RKEY, 600).payload(1, 260),
            invalid,
            0,
        ),
        Row::new("last longer than the message")
            .taken(a.clone())
            .taken(b.clone())
            .refused(Packet { payload: vec![1; 89], ..c.clone() }, invalid, 0)
            .memory(0..512, 1),
        Row::new("last shorter than the message")
            .taken(a.clone())
            .taken(b.clone())
            .refused(Packet { payload: vec![1; 87], ..c.clone() }, invalid, 0)
            .memory(0..512, 1),
        Row::new("last that comes too early")
            .taken(a.clone())
            .refused(Packet { psn: PSN + 1, ..c.clone() }, invalid, 0)
            .memory(0..256, 1),
        Row::new("middle where the last is due")
            .taken(a.clone())
            .taken(b.clone())
            .refused(Packet { psn: PSN + 2, ..b.clone() }, invalid, 0)
            .memory(0..512, 1),
        Row::new("only of another length than it says").refused(
            only(PSN, 0, 1, 8).reth(VA, RKEY, 9),
            invalid,
            0,
        ),
        Row::new("message above 2^31 bytes").refused(
            Packet::new(WRITE_FIRST, PSN).reth(VA, RKEY, (1 << 31) + 1).payload(1, 256),
            invalid,
            0,
        ),
        Row::new("SEND is not supported").refused(
            Packet::new(SEND_ONLY, PSN).payload(1, 4),
            invalid,
            0,
        ),
        Row::new("atomics are not supported").refused(
            Packet::new(FETCH_ADD, PSN).payload(0, 28),
            invalid,
            0,
        ),
        Row::new("queue pair without remote write").qp(|qp| qp.remote_write = false).refused(
            dead.clone(),
            invalid,
            0,
        ),
        Row::new("rkey of no region").refused(dead.clone().reth(VA, 0x0300, 4), access, 0),
        Row::new("rkey with the wrong key").refused(dead.clone().reth(VA, RKEY + 1, 4), access, 0),
        Row::new("region without remote write").refused(
            dead.clone().reth(VA, CLOSED_RKEY, 4),
            access,
            0,
        ),
        Row::new("range begins before the region").refused(
            dead.clone().reth(VA - 1, RKEY, 4),
            access,
            0,
        ),
        Row::new("range ends behind the region").refused(
            dead.clone().reth(VA + REGION_BYTES - 3, RKEY, 4),
            access,
            0,
        ),
        Row::new("address wraps").refused(dead.clone().reth(u64::MAX - 1, RKEY, 4), access, 0),
        Row::new("message ends behind the region: not a byte of it lands").refused(
            Packet::new(WRITE_FIRST, PSN).reth(VA + 3600, RKEY, 600).payload(1, 256),
            access,
            0,
        ),
    ]
}

fn dropped_rows() -> Vec<Row> {
    let packet = only(PSN, 0, 7, 4);
    let drop = |name, spoilt, event| {
        Row::new(name)
            .silent(packet.clone().spoilt(spoilt), event)
            .acked(only(PSN, 16, 1, 4), 1)
            .memory(16..20, 1)
    };
    vec![
        drop("bad ICRC", Spoilt::Icrc, "rx_drop_icrc"),
        drop("bad pkey", Spoilt::Pkey, "rx_drop_pkey"),
        drop("transport version that is not 0", Spoilt::Version, "rx_drop_version"),
        drop("wrong QPN", Spoilt::Qpn, "resp_no_qp"),
        drop("packet of another host", Spoilt::SourceAddress, "resp_no_qp"),
        drop("bad IPv4 checksum", Spoilt::IpChecksum, "rx_drop_ip_checksum"),
        drop("truncated frame", Spoilt::Truncated, "rx_drop_truncated"),
        Row::new("opcode of another service")
            .silent(Packet::new(0x2a, PSN).payload(7, 4), "rx_drop_opcode")
            .acked(only(PSN, 16, 1, 4), 1)
            .memory(16..20, 1),
        Row::new("opcode that is not assigned")
            .silent(Packet::new(0x1f, PSN).payload(7, 4), "rx_drop_opcode")
            .acked(only(PSN, 16, 1, 4), 1)
            .memory(16..20, 1),
        Row::new("a telemetry response takes no PSN and is not answered")
            .silent(Packet::new(0xc0, PSN), "feedback_dropped")
            .acked(only(PSN, 16, 1, 4), 1)
            .silent(Packet::new(0xc0, PSN + 9).ack_req(), "feedback_dropped")
            .silent(Packet::new(0xc0, PSN).spoilt(Spoilt::Qpn), "feedback_dropped")
            .silent(Packet::new(0xc0, PSN).spoilt(Spoilt::SourceAddress), "feedback_dropped")
            .acked(only(PSN + 1, 32, 2, 4), 2)
            .memory(16..20, 1)
            .memory(32..36, 2),
        Row::new("a direct telemetry response takes no PSN and is not answered")
            .silent(Packet::new(0xc1, PSN), "feedback_dropped")
            .acked(only(PSN, 16, 1, 4), 1)
            .silent(Packet::new(0xc1, PSN + 9).ack_req(), "feedback_dropped")
            .silent(Packet::new(0xc1, PSN).spoilt(Spoilt::Qpn), "feedback_dropped")
            .silent(Packet::new(0xc1, PSN).spoilt(Spoilt::SourceAddress), "feedback_dropped")
            .acked(only(PSN + 1, 32, 2, 4), 2)
            .memory(16..20, 1)
            .memory(32..36, 2),
        Row::new("a probe without telemetry takes no PSN and is not answered, nor is an answer")
            .silent(Packet::new(0xc2, PSN), "feedback_dropped")
            .silent(Packet::new(0xc3, PSN), "feedback_dropped")
            .acked(only(PSN, 16, 1, 4), 1)
            .silent(Packet::new(0xc2, PSN + 9).ack_req(), "feedback_dropped")
            .silent(Packet::new(0xc3, PSN + 9).ack_req(), "feedback_dropped")
            .silent(Packet::new(0xc2, PSN).spoilt(Spoilt::Qpn), "feedback_dropped")
            .silent(Packet::new(0xc2, PSN).spoilt(Spoilt::SourceAddress), "feedback_dropped")
            .acked(only(PSN + 1, 32, 2, 4), 2)
            .memory(16..20, 1)
            .memory(32..36, 2),
        Row::new("a window takes no PSN and is not answered")
            .silent(Packet::new(0xc4, PSN).imm(5000), "feedback_dropped")
            .acked(only(PSN, 16, 1, 4), 1)
            .silent(Packet::new(0xc4, PSN + 9).imm(5000).ack_req(), "feedback_dropped")
            .silent(Packet::new(0xc4, PSN).imm(5000).spoilt(Spoilt::Qpn), "feedback_dropped")
            .silent(
                Packet::new(0xc4, PSN).imm(5000).spoilt(Spoilt::SourceAddress),
                "feedback_dropped",
            )
            .silent(Packet::new(0xc4, PSN).imm(5000).payload(7, 4), "rx_drop_length")
            .silent(Packet::new(0xc4, PSN), "rx_drop_length")
            .acked(only(PSN + 1, 32, 2, 4), 2)
            .memory(16..20, 1)
            .memory(32..36, 2),
        Row::new("telemetry response with payload")
            .silent(Packet::new(0xc0, PSN).payload(7, 4), "rx_drop_length")
            .silent(Packet::new(0xc1, PSN).payload(7, 4), "rx_drop_length")
            .silent(Packet::new(0xc2, PSN).payload(7, 4), "rx_drop_length")
            .silent(Packet::new(0xc3, PSN).payload(7, 4), "rx_drop_length")
            .acked(only(PSN, 16, 1, 4), 1)
            .memory(16..20, 1),
        Row::new("other codes of manufacturers")
            .silent(Packet::new(0xbf, PSN), "rx_drop_opcode")
            .silent(Packet::new(0xc5, PSN), "rx_drop_opcode")
            .silent(Packet::new(0xff, PSN), "rx_drop_opcode")
            .acked(only(PSN, 16, 1, 4), 1)
            .memory(16..20, 1),
    ]
}

fn rows() -> Vec<Row> {
    let tables = [sequence_rows(), refused_rows(), dropped_rows(), read::rows()];
    let rows: Vec<Row> = tables.into_iter().flatten().collect();
    let wraps: Vec<Row> = rows.iter().filter(|r| r.first_psn == PSN).map(Row::over_wrap).collect();
    [rows, wraps].concat()
}

/// Whether `sent` is what is due, but for ACKs that are merged into a later answer.
fn is_answered(sent: &[Answer], due: &[Answer]) -> bool {
    let Some((first, later)) = due.split_first() else { return sent.is_empty() };
    let may_merge = first.opcode == ACKNOWLEDGE && first.class() == Class::Ack && !later.is_empty();
    (sent.first() == Some(first) && is_answered(&sent[1..], later))
        || (may_merge && is_answered(sent, later))
}

/// Opcode, PSN, syndrome, MSN and payload bytes of each.
fn listed(answers: &[Answer]) -> Vec<(u8, u32, u8, u32, usize)> {
    answers.iter().map(|a| (a.opcode, a.psn, a.syndrome, a.msn, a.payload.len())).collect()
}

/// The reference: of a frame it gets what the wire layer lets through to this connection.
fn run_reference(row: &Row) {
    let (write, read) = (row.qp.remote_write, row.qp.remote_read);
    let abilities = Abilities { write, read, send: false, atomic: false };
    let mut responder = Responder::new(MTU, row.first_psn, abilities);
    let region = |is_open| Region {
        va: VA,
        bytes: row.stored_bytes(),
        remote_write: is_open,
        remote_read: is_open,
        remote_atomic: false,
    };
    let regions =
        [(RKEY, region(true)), (CLOSED_RKEY, region(false)), (OTHER_RKEY, region(true))].into();
    let mut memory = Memory { regions };
    for (at, step) in row.steps.iter().enumerate() {
        responder.read_resources = Some(READS_MAX);
        let mut answers = Vec::new();
        for packet in &step.packets {
            let frame = packet.frame();
            let repr = admit(&frame, DEFAULT_PKEY);
            let is_ours = |r: &FrameRepr<'_>| r.bth.qpn == QPN && r.ip.src == PEER_IP;
            let is_known = |r: &FrameRepr<'_>| {
                is_request(r.bth.opcode) || (0xc0..=0xc3).contains(&r.bth.opcode)
            };
            let request = repr.filter(is_ours).filter(is_known);
            let outcome = request.map(|r| responder.request(&mut memory, &Request::from(&r)));
            answers.extend(outcome.map(|o| o.answers).unwrap_or_default());
        }
        let place = format!("reference: {}, step {at}", row.name);
        assert_eq!(listed(&answers), listed(&step.answers), "{place}");
        assert!(answers == step.answers, "{place}: payload");
    }
    assert!(memory.regions[&RKEY].bytes == row.memory_bytes(), "reference: {}: memory", row.name);
}

fn run_nic(nic: &mut Nic<Station>, row: &Row, engine: &str) {
    nic.bus().memory.store(HOST, &row.stored_bytes());
    nic.bus().memory.store(CLOSED_HOST, &row.stored_bytes());
    nic.bus().memory.store(OTHER_HOST, &row.stored_bytes());
    nic.create_qp(&row.qp).unwrap();
    sent(nic);
    for (at, step) in row.steps.iter().enumerate() {
        let place = format!("{engine}: {}, step {at}", row.name);
        let before: Vec<u32> = step.events.iter().map(|e| nic.counter(e).unwrap()).collect();
        step.packets.iter().for_each(|p| nic.bus().deliver(p.frame(), false));
        settle(nic);
        let frames = sent(nic);
        let answer = |f: &Vec<u8>| {
            let repr = FrameRepr::parse(f, None).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert_eq!((repr.bth.qpn, repr.ip.dst), (PEER_QPN, PEER_IP), "{place}");
            Answer::from(&repr)
        };
        let answers: Vec<Answer> = frames.iter().map(answer).collect();
        let (all, due) = (listed(&answers), listed(&step.answers));
        assert!(is_answered(&answers, &step.answers), "{place}: {all:x?}, due {due:x?}");
        for (event, before) in step.events.iter().zip(before) {
            let count = step.events.iter().filter(|e| *e == event).count() as u32;
            assert_eq!(nic.counter(event).unwrap(), before + count, "{place}: {event}");
        }
    }
    let bytes = nic.bus().memory.load(HOST, REGION_BYTES as usize);
    assert!(bytes == row.memory_bytes(), "{engine}: {}: memory", row.name);
    for (host, name) in [(CLOSED_HOST, "closed"), (OTHER_HOST, "other")] {
        let bytes = nic.bus().memory.load(host, REGION_BYTES as usize);
        assert!(bytes == row.stored_bytes(), "{engine}: {}: {name} region", row.name);
    }
    while nic.poll().unwrap().is_some() {}
}

#[test]
fn responder_reference_follows_the_table() {
    rows().iter().for_each(run_reference);
}

#[test]
fn responder_golden_follows_the_table() {
    let mut nic = nic(EngineKind::Golden);
    rows().iter().for_each(|row| run_nic(&mut nic, row, "golden"));
}

#[test]
fn responder_verilog_follows_the_table() {
    let mut nic = nic(EngineKind::Both);
    rows().iter().for_each(|row| run_nic(&mut nic, row, "Verilog"));
}
