//! We post work requests; the rows say what leaves, what the peer's answers do, and how the work
//! requests end.

use crate::frames::*;
use nic_driver::{Nic, QpConfig, Status, Write};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use nic_sim::reference::rc::requester::{self, Limits, Requester, Work};
use nic_sim::reference::rc::Answer;
use nic_spec::wire::aeth::syndrome::*;
use nic_spec::wire::bth::opcode::*;
use nic_spec::wire::roce::FrameRepr;

/// Bytes that we send, in host memory.
const SOURCE: u64 = 0x3_0000_0000;
/// No row has so many packets without an answer.
const PACKETS_MAX: usize = 64;
/// Cycles of a timeout of exponent 4, at 125 MHz, with one round of the timer scan.
const TIMEOUT_CYCLES: u64 = 8192 + 64 * 32 + 600;

/// What happens.
#[derive(Clone, Debug)]
enum Act {
    /// A WRITE of so many bytes is posted.
    Post(usize),
    /// A WRITE with immediate is posted.
    PostImmediate(usize),
    /// The peer sends a packet.
    Peer(Packet),
    /// Time passes until a timer has run out.
    Timer,
}

/// An act, the packets that leave after it (opcode, PSN, payload bytes), and the work requests
/// that end.
struct Step {
    act: Act,
    sent: Vec<(u8, u32, usize)>,
    ended: Vec<Status>,
}

/// One situation.
struct Row {
    name: &'static str,
    qp: QpConfig,
    steps: Vec<Step>,
}

impl Row {
    fn new(name: &'static str) -> Self {
        let qp = QpConfig { timeout_exponent: 4, rnr_retry_limit: 7, ..qp_config(PSN) };
        Self { name, qp, steps: Vec::new() }
    }

    fn qp(self, change: impl FnOnce(&mut QpConfig)) -> Self {
        let mut qp = self.qp;
        change(&mut qp);
        Self { qp, ..self }
    }

    fn step(mut self, act: Act, sent: &[(u8, u32, usize)], ended: &[Status]) -> Self {
        self.steps.push(Step { act, sent: sent.to_vec(), ended: ended.to_vec() });
        self
    }

    /// A WRITE of 600 bytes: three packets from `psn` on.
    fn post3(self, psn: u32) -> Self {
        self.step(Act::Post(600), &write3(psn), &[])
    }

    /// The peer's ACK or NAK.
    fn answer(self, psn: u32, syndrome: u8, sent: &[(u8, u32, usize)], ended: &[Status]) -> Self {
        self.step(Act::Peer(answer(psn, syndrome)), sent, ended)
    }

    /// An answer that does nothing.
    fn ignored(self, psn: u32, syndrome: u8) -> Self {
        self.answer(psn, syndrome, &[], &[])
    }

    fn timer(self, sent: &[(u8, u32, usize)], ended: &[Status]) -> Self {
        self.step(Act::Timer, sent, ended)
    }
}

fn answer(psn: u32, syndrome: u8) -> Packet {
    Packet::new(ACKNOWLEDGE, psn).aeth(syndrome, 1)
}

fn write3(psn: u32) -> [(u8, u32, usize); 3] {
    let psn = |i| (psn + i) & 0xff_ffff;
    [(WRITE_FIRST, psn(0), 256), (WRITE_MIDDLE, psn(1), 256), (WRITE_LAST, psn(2), 88)]
}

fn answered_rows() -> Vec<Row> {
    let ok = Status::Ok;
    vec![
        Row::new("ACK of the last packet").post3(PSN).answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("ACK with credits is an ACK").post3(PSN).answer(PSN + 2, 0x0a, &[], &[ok]),
        Row::new("ACK of each packet").post3(PSN).ignored(PSN, ACK).ignored(PSN + 1, ACK).answer(
            PSN + 2,
            ACK,
            &[],
            &[ok],
        ),
        Row::new("one ACK for two messages").post3(PSN).post3(PSN + 3).answer(
            PSN + 5,
            ACK,
            &[],
            &[ok, ok],
        ),
        Row::new("ACK in the second message ends the first")
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN + 3, ACK, &[], &[ok])
            .answer(PSN + 5, ACK, &[], &[ok]),
        Row::new("write of nothing").step(Act::Post(0), &[(WRITE_ONLY, PSN, 0)], &[]).answer(
            PSN,
            ACK,
            &[],
            &[ok],
        ),
        Row::new("write with immediate")
            .step(
                Act::PostImmediate(300),
                &[(WRITE_FIRST, PSN, 256), (WRITE_LAST_IMM, PSN + 1, 44)],
                &[],
            )
            .answer(PSN + 1, ACK, &[], &[ok]),
        Row::new("duplicate ACK")
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN + 2, ACK, &[], &[ok])
            .ignored(PSN + 2, ACK)
            .ignored(PSN, ACK)
            .answer(PSN + 5, ACK, &[], &[ok]),
        Row::new("ghost ACK: of a PSN that was never sent")
            .post3(PSN)
            .ignored(PSN + 3, ACK)
            .ignored(PSN + 0x10_0000, ACK)
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("ghost ACK with nothing outstanding").ignored(PSN, ACK).post3(PSN).answer(
            PSN + 2,
            ACK,
            &[],
            &[ok],
        ),
        Row::new("ghost NAK").post3(PSN).ignored(PSN + 3, NAK_SEQUENCE).ignored(PSN - 1, 0x62),
        Row::new("ACK of another host is not ours")
            .post3(PSN)
            .step(Act::Peer(answer(PSN + 2, ACK).spoilt(Spoilt::SourceAddress)), &[], &[])
            .step(Act::Peer(answer(PSN + 2, ACK).spoilt(Spoilt::Qpn)), &[], &[])
            .step(Act::Peer(answer(PSN + 2, ACK).spoilt(Spoilt::Icrc)), &[], &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("reserved syndromes say nothing")
            .post3(PSN)
            .ignored(PSN + 2, 0x40)
            .ignored(PSN + 2, 0x5f)
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("PSN wraps inside a message")
            .qp(|qp| qp.sq_psn = 0xff_ffff)
            .post3(0xff_ffff)
            .answer(0xff_ffff, ACK, &[], &[])
            .answer(0, NAK_SEQUENCE, &write3(0xff_ffff)[1..], &[])
            .answer(1, ACK, &[], &[ok]),
    ]
}

fn resent_rows() -> Vec<Row> {
    let ok = Status::Ok;
    vec![
        Row::new("sequence NAK of the first packet")
            .post3(PSN)
            .answer(PSN, NAK_SEQUENCE, &write3(PSN), &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("sequence NAK of a middle packet")
            .post3(PSN)
            .answer(PSN + 1, NAK_SEQUENCE, &write3(PSN)[1..], &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("sequence NAK acknowledges the message before it")
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN + 4, NAK_SEQUENCE, &write3(PSN + 3)[1..], &[ok])
            .answer(PSN + 5, ACK, &[], &[ok]),
        Row::new("lost ACK: the timer resends what is not acknowledged")
            .post3(PSN)
            .answer(PSN, ACK, &[], &[])
            .timer(&write3(PSN)[1..], &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("retries without progress run out")
            .post3(PSN)
            .timer(&write3(PSN), &[])
            .timer(&write3(PSN), &[])
            .timer(&[], &[Status::RetryExceeded]),
        Row::new("progress gives all retries back")
            .post3(PSN)
            .timer(&write3(PSN), &[])
            .timer(&write3(PSN), &[])
            .answer(PSN, ACK, &[], &[])
            .timer(&write3(PSN)[1..], &[])
            .timer(&write3(PSN)[1..], &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("NAKs without progress run out, the rest is flushed")
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN, NAK_SEQUENCE, &[write3(PSN), write3(PSN + 3)].concat(), &[])
            .answer(PSN, NAK_SEQUENCE, &[write3(PSN), write3(PSN + 3)].concat(), &[])
            .answer(PSN, NAK_SEQUENCE, &[], &[Status::RetryExceeded, Status::Flushed]),
        Row::new("no retries allowed")
            .qp(|qp| qp.retry_limit = 0)
            .post3(PSN)
            .timer(&[], &[Status::RetryExceeded]),
        Row::new("RNR NAK: waits, then resends")
            .post3(PSN)
            .answer(PSN, RNR_NAK | 4, &[], &[])
            .timer(&write3(PSN), &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("RNR NAK in the middle of a message")
            .post3(PSN)
            .answer(PSN + 2, RNR_NAK | 4, &[], &[])
            .timer(&write3(PSN)[2..], &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
    ]
}

fn failed_rows() -> Vec<Row> {
    let fatal = |name, syndrome, status| {
        Row::new(name)
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN + 1, syndrome, &[], &[status, Status::Flushed])
            .ignored(PSN + 5, ACK)
            .step(Act::Post(10), &[], &[Status::Flushed])
    };
    vec![
        fatal("NAK: invalid request", NAK_INVALID_REQUEST, Status::RemoteInvalidRequest),
        fatal("NAK: remote access error", NAK_REMOTE_ACCESS, Status::RemoteAccess),
        fatal("NAK: remote operational error", NAK_REMOTE_OPERATION, Status::RemoteOperation),
        Row::new("fatal NAK of the second message ends the first well")
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN + 3, NAK_REMOTE_ACCESS, &[], &[Status::Ok, Status::RemoteAccess]),
    ]
}

fn rows() -> Vec<Row> {
    [answered_rows(), resent_rows(), failed_rows()].into_iter().flatten().collect()
}

fn source_bytes() -> Vec<u8> {
    (0..1024_u32).map(|i| (i * 7 >> 2) as u8).collect()
}

fn reference_status(status: requester::Status) -> Status {
    use requester::Status::*;
    match status {
        Ok => Status::Ok,
        RetryExceeded => Status::RetryExceeded,
        RemoteAccess => Status::RemoteAccess,
        RemoteInvalidRequest => Status::RemoteInvalidRequest,
        RemoteOperation => Status::RemoteOperation,
        Flushed => Status::Flushed,
        RnrExceeded => Status::RnrRetryExceeded,
        BadResponse => Status::BadResponse,
    }
}

/// The reference: it is fed what the wire layer lets through to this connection.
fn run_reference(row: &Row) {
    let limits = Limits {
        ack_interval: 1,
        retry: row.qp.retry_limit.into(),
        rnr_retry: (row.qp.rnr_retry_limit < 7).then_some(row.qp.rnr_retry_limit.into()),
        reads: u32::from(row.qp.read_limit.max(1)),
    };
    let mut requester = Requester::new(MTU, row.qp.sq_psn, limits);
    let (mut waits, mut wr_id) = (false, 0);
    for (at, step) in row.steps.iter().enumerate() {
        let place = format!("reference: {}, step {at}", row.name);
        match &step.act {
            Act::Post(len) | Act::PostImmediate(len) => {
                let imm = matches!(step.act, Act::PostImmediate(_)).then_some(0xcafe);
                let bytes = source_bytes()[..*len].to_vec();
                let work = Work { wr_id, bytes, va: VA, rkey: RKEY, imm, ..Work::default() };
                requester.post(Work { signalled: true, ..work });
                wr_id += 1;
            }
            Act::Peer(packet) => {
                let frame = packet.frame();
                let repr = FrameRepr::parse(&frame, None).ok();
                let ours = repr.filter(|r| r.bth.qpn == QPN && r.ip.src == PEER_IP);
                let said = ours.map(|r| Answer::from(&r)).filter(|a| a.syndrome >> 5 != 2);
                let effect = said.map(|a| requester.answer(&a));
                waits |= matches!(effect, Some(requester::Effect::Waits(..)));
            }
            Act::Timer if waits => waits = false,
            Act::Timer => {
                requester.timeout();
            }
        }
        let mut sent = Vec::new();
        while let Some(r) = (!waits && sent.len() < PACKETS_MAX).then(|| requester.send()).flatten()
        {
            sent.push((r.opcode, r.psn, r.payload.len()));
        }
        let ended = requester.completions.drain(..).map(|c| reference_status(c.status));
        assert_eq!((sent, ended.collect()), (step.sent.clone(), step.ended.clone()), "{place}");
    }
}

fn run_nic(nic: &mut Nic<Station>, row: &Row, engine: &str) {
    nic.bus().memory.store(SOURCE, &source_bytes());
    let mut qp = nic.create_qp(&row.qp).unwrap();
    sent(nic);
    for (at, step) in row.steps.iter().enumerate() {
        let place = format!("{engine}: {}, step {at}", row.name);
        match &step.act {
            Act::Post(len) | Act::PostImmediate(len) => {
                let immediate = matches!(step.act, Act::PostImmediate(_)).then_some(0xcafe);
                let length_bytes = *len as u32;
                let write = Write { local_address: SOURCE, length_bytes, ..Write::default() };
                let write = Write { remote_va: VA, rkey: RKEY, immediate, ..write };
                nic.post_write(&mut qp, &write).unwrap();
            }
            Act::Peer(packet) => nic.bus().deliver(packet.frame(), false),
            Act::Timer => {
                let end = nic.bus().cycle() + TIMEOUT_CYCLES;
                while nic.bus().cycle() < end && nic.bus().sent.is_empty() {
                    nic.bus().tick().unwrap_or_else(|e| panic!("{e}"));
                }
            }
        }
        settle(nic);
        let packets: Vec<(u8, u32, usize)> = sent(nic)
            .iter()
            .map(|f| {
                let r = FrameRepr::parse(f, None).unwrap_or_else(|e| panic!("{place}: {e}"));
                let start =
                    ((r.bth.psn.wrapping_sub(row.qp.sq_psn) & 0xff_ffff) % 3) as usize * MTU;
                let is_right = source_bytes()[start..].starts_with(r.payload);
                assert!(is_right, "{place}: payload of PSN {}", r.bth.psn);
                (r.bth.opcode, r.bth.psn, r.payload.len())
            })
            .collect();
        let mut ended = Vec::new();
        while let Some(completion) = nic.poll().unwrap() {
            qp.complete(&completion);
            ended.push(completion.status);
        }
        assert_eq!((packets, ended), (step.sent.clone(), step.ended.clone()), "{place}");
    }
}

#[test]
fn requester_reference_follows_the_table() {
    rows().iter().for_each(run_reference);
}

#[test]
fn requester_golden_follows_the_table() {
    let mut nic = nic(EngineKind::Golden);
    rows().iter().for_each(|row| run_nic(&mut nic, row, "golden"));
}

#[test]
fn requester_verilog_follows_the_table() {
    let mut nic = nic(EngineKind::Both);
    rows().iter().for_each(|row| run_nic(&mut nic, row, "Verilog"));
}
