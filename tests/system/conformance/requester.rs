//! We post work requests; the rows say what leaves, what the peer's answers do, and how the work
//! requests end.
//!
//! A function of rows is a table, so its length is that of the table.

mod read;

use crate::conformance::frames::*;
use nic_driver::{Nic, Qp, QpConfig, Read, Status, Write};
use nic_models::reference::rc::requester::{self, Limits, Requester, Work};
use nic_models::reference::rc::{admit, Answer, DEFAULT_PKEY};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use nic_spec::wire::aeth::syndrome::*;
use nic_spec::wire::bth::opcode::*;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::NicConfig;
use rdma_nic::preset;
use std::ops::Range;

/// Bytes that we send, in host memory.
const SOURCE: u64 = 0x3_0000_0000;
/// Where what we read lands: so many bytes for each work request.
const LANDING: u64 = 0x4_0000_0000;
const LANDING_BYTES: usize = 4096;
/// Work requests of a row, at most.
const POSTS_MAX: usize = 4;
/// No row has so many packets without an answer.
const PACKETS_MAX: usize = 64;
/// All that can be wrong below the transport.
const SPOILT: [Spoilt; 7] = [
    Spoilt::Icrc,
    Spoilt::Pkey,
    Spoilt::Version,
    Spoilt::Qpn,
    Spoilt::SourceAddress,
    Spoilt::IpChecksum,
    Spoilt::Truncated,
];
/// Cycles of a timeout of exponent 4 (65.536 us), with one round of the timer scan.
fn timeout_cycles() -> u64 {
    let NicConfig { clock_hz, flow_count, .. } = preset();
    clock_hz * 65_536 / 1_000_000_000 + flow_count as u64 * 32 + 600
}

/// What happens.
#[derive(Clone, Debug)]
enum Act {
    /// A WRITE of so many bytes is posted.
    Post(usize),
    /// A WRITE with immediate is posted.
    PostImmediate(usize),
    /// A READ of so many bytes is posted: the last ones of the peer's region.
    Read(usize),
    /// The peer sends packets, back to back.
    Peer(Vec<Packet>),
    /// So it does, and something is missing: if nothing is sent again at once, time passes until a
    /// timer has run out.
    Gap(Vec<Packet>),
    /// Time passes until a timer has run out.
    Timer,
    /// From now on host memory refuses what is read.
    MemoryFails,
}

/// A packet: opcode, PSN, payload bytes, or of a READ request the bytes that it asks for.
type Sent = (u8, u32, usize);

/// An act, the packets that leave after it, and the work requests that end.
#[derive(Clone)]
struct Step {
    act: Act,
    /// `None`: any requests for the rest of a READ.
    sent: Option<Vec<Sent>>,
    ended: Vec<Status>,
}

/// One situation.
#[derive(Clone)]
struct Row {
    name: &'static str,
    qp: QpConfig,
    steps: Vec<Step>,
    /// Bytes that land: number of the work request, place in the message, value.
    landed: Vec<(usize, Range<usize>, u8)>,
}

impl Row {
    fn new(name: &'static str) -> Self {
        let qp = QpConfig { timeout_exponent: 4, rnr_retry_limit: 7, ..qp_config(PSN) };
        Self { name, qp, steps: Vec::new(), landed: Vec::new() }
    }

    fn qp(self, change: impl FnOnce(&mut QpConfig)) -> Self {
        let mut qp = self.qp;
        change(&mut qp);
        Self { qp, ..self }
    }

    fn step(mut self, act: Act, sent: &[Sent], ended: &[Status]) -> Self {
        self.steps.push(Step { act, sent: Some(sent.to_vec()), ended: ended.to_vec() });
        self
    }

    fn landed(mut self, work: usize, range: Range<usize>, fill: u8) -> Self {
        self.landed.push((work, range, fill));
        self
    }

    /// The same with the wrap of the PSN behind its first packet.
    fn over_wrap(&self) -> Self {
        let mut row = self.clone().qp(|qp| qp.sq_psn = over_wrap(qp.sq_psn));
        row.name = format!("{}, over the wrap", self.name).leak();
        for step in &mut row.steps {
            if let Act::Peer(packets) | Act::Gap(packets) = &mut step.act {
                packets.iter_mut().for_each(|p| p.psn = over_wrap(p.psn));
            }
            step.sent.iter_mut().flatten().for_each(|s| s.1 = over_wrap(s.1));
        }
        row
    }

    fn landed_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; POSTS_MAX * LANDING_BYTES];
        for (work, range, fill) in &self.landed {
            bytes[work * LANDING_BYTES..][range.clone()].fill(*fill);
        }
        bytes
    }

    /// A WRITE of 600 bytes: three packets from `psn` on.
    fn post3(self, psn: u32) -> Self {
        self.step(Act::Post(600), &write3(psn), &[])
    }

    /// The peer's ACK or NAK.
    fn answer(self, psn: u32, syndrome: u8, sent: &[Sent], ended: &[Status]) -> Self {
        self.step(Act::Peer(vec![answer(psn, syndrome)]), sent, ended)
    }

    /// An answer that does nothing.
    fn ignored(self, psn: u32, syndrome: u8) -> Self {
        self.answer(psn, syndrome, &[], &[])
    }

    fn timer(self, sent: &[Sent], ended: &[Status]) -> Self {
        self.step(Act::Timer, sent, ended)
    }
}

fn answer(psn: u32, syndrome: u8) -> Packet {
    Packet::new(ACKNOWLEDGE, psn).aeth(syndrome, 1)
}

fn write3(psn: u32) -> [Sent; 3] {
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
            .step(Act::Peer(vec![answer(PSN + 2, ACK).spoilt(Spoilt::SourceAddress)]), &[], &[])
            .step(Act::Peer(vec![answer(PSN + 2, ACK).spoilt(Spoilt::Qpn)]), &[], &[])
            .step(Act::Peer(vec![answer(PSN + 2, ACK).spoilt(Spoilt::Icrc)]), &[], &[])
            .answer(PSN + 2, ACK, &[], &[ok]),
        SPOILT
            .iter()
            .fold(
                Row::new("ACKs and NAKs that are wrong below the transport").post3(PSN),
                |row, s| {
                    let packets = [(PSN + 2, ACK), (PSN, NAK_SEQUENCE), (PSN, NAK_REMOTE_ACCESS)];
                    let packets = packets.map(|(psn, syndrome)| answer(psn, syndrome).spoilt(*s));
                    row.step(Act::Peer(packets.to_vec()), &[], &[])
                },
            )
            .answer(PSN + 2, ACK, &[], &[ok]),
        Row::new("ACKs reordered by 1").post3(PSN).ignored(PSN + 1, ACK).ignored(PSN, ACK).answer(
            PSN + 2,
            ACK,
            &[],
            &[ok],
        ),
        (0..7)
            .fold(
                Row::new("ACKs reordered by 7").post3(PSN).post3(PSN + 3).post3(PSN + 6).answer(
                    PSN + 7,
                    ACK,
                    &[],
                    &[ok, ok],
                ),
                |row, n| row.ignored(PSN + n, ACK),
            )
            .answer(PSN + 8, ACK, &[], &[ok]),
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
        Row::new("RNR NAKs run out, the rest is flushed")
            .qp(|qp| qp.rnr_retry_limit = 1)
            .post3(PSN)
            .post3(PSN + 3)
            .answer(PSN, RNR_NAK | 4, &[], &[])
            .timer(&[write3(PSN), write3(PSN + 3)].concat(), &[])
            .answer(PSN, RNR_NAK | 4, &[], &[Status::RnrRetryExceeded, Status::Flushed])
            .ignored(PSN + 5, ACK),
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
    let tables = [answered_rows(), resent_rows(), failed_rows(), read::rows()];
    let rows: Vec<Row> = tables.into_iter().flatten().collect();
    let wraps: Vec<Row> = rows.iter().filter(|r| r.qp.sq_psn == PSN).map(Row::over_wrap).collect();
    [rows, wraps].concat()
}

fn source_bytes() -> Vec<u8> {
    (0..1024_u32).map(|i| ((i * 7) >> 2) as u8).collect()
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
        LocalMemory => Status::LocalDma,
    }
}

/// Virtual address and length of a READ of `len` bytes.
fn read_range(len: usize) -> (u64, u32) {
    (VA + REGION_BYTES - len as u64, len as u32)
}

/// What a request sends, or asks for: then it must reach to the region's end.
fn sent_bytes(opcode: u8, payload: usize, reth: Option<(u64, u32)>, place: &str) -> usize {
    let Some((va, len)) = reth.filter(|_| opcode == READ_REQUEST) else { return payload };
    assert_eq!((va, payload), (read_range(len as usize).0, 0), "{place}: range of a READ");
    len as usize
}

/// Whether a step did what is due.
fn check_step(step: &Step, sent: &[Sent], ended: &[Status], place: &str) {
    assert_eq!(ended, step.ended, "{place}: completions");
    match &step.sent {
        Some(due) => assert_eq!(sent, due, "{place}: packets"),
        None => assert!(sent.iter().all(|s| s.0 == READ_REQUEST), "{place}: {sent:?}"),
    }
}

/// The reference requester, and what it has done.
struct Reference {
    requester: Requester,
    waits: bool,
    posts: u32,
    sent: Vec<Sent>,
    ended: Vec<Status>,
    landed: Vec<u8>,
}

impl Reference {
    fn post(&mut self, work: Work) {
        self.requester.post(Work { wr_id: self.posts, rkey: RKEY, signalled: true, ..work });
        self.posts += 1;
    }

    /// Takes a frame, if the wire layer lets it through to this connection.
    fn frame(&mut self, frame: &[u8]) {
        let is_ours = |r: &FrameRepr<'_>| r.bth.qpn == QPN && r.ip.src == PEER_IP;
        let ours = admit(frame, DEFAULT_PKEY).filter(is_ours);
        let said = ours.map(|r| Answer::from(&r)).filter(|a| a.syndrome >> 5 != 2);
        let effect = said.map(|a| self.requester.answer(&a));
        self.waits |= matches!(effect, Some(requester::Effect::Waits(..)));
    }

    fn timer(&mut self) {
        if self.waits {
            self.waits = false;
        } else {
            self.requester.timeout();
        }
    }

    /// Sends what may be sent, and books what has ended and landed.
    fn settle(&mut self, place: &str) {
        while !self.waits && self.sent.len() < PACKETS_MAX {
            let Some(r) = self.requester.send() else { break };
            let reth = r.remote.map(|r| (r.va, r.length_bytes));
            self.sent.push((r.opcode, r.psn, sent_bytes(r.opcode, r.payload.len(), reth, place)));
        }
        let ended = self.requester.completions.drain(..);
        self.ended.extend(ended.map(|c| reference_status(c.status)));
        for part in self.requester.landings.drain(..) {
            let at = part.wr_id as usize * LANDING_BYTES + part.offset as usize;
            self.landed[at..at + part.bytes.len()].copy_from_slice(&part.bytes);
        }
    }

    fn act(&mut self, act: &Act, place: &str) {
        match act {
            Act::Post(len) | Act::PostImmediate(len) => {
                let imm = matches!(act, Act::PostImmediate(_)).then_some(0xcafe);
                let bytes = source_bytes()[..*len].to_vec();
                self.post(Work { bytes, va: VA, imm, ..Work::default() });
            }
            Act::Read(len) => {
                let (va, len) = read_range(*len);
                self.post(Work { read_bytes: Some(len), va, ..Work::default() });
            }
            Act::Peer(packets) | Act::Gap(packets) => {
                packets.iter().for_each(|p| self.frame(&p.frame()));
                self.settle(place);
                if matches!(act, Act::Gap(_)) && self.sent.is_empty() {
                    self.timer();
                }
            }
            Act::Timer => self.timer(),
            Act::MemoryFails => self.requester.memory_fails = true,
        }
        self.settle(place);
    }
}

fn run_reference(row: &Row) {
    let limits = Limits {
        ack_interval: 1,
        retry: row.qp.retry_limit.into(),
        rnr_retry: (row.qp.rnr_retry_limit < 7).then_some(row.qp.rnr_retry_limit.into()),
        reads: u32::from(row.qp.read_limit.max(1)),
    };
    let mut reference = Reference {
        requester: Requester::new(MTU, row.qp.sq_psn, limits),
        waits: false,
        posts: 0,
        sent: Vec::new(),
        ended: Vec::new(),
        landed: vec![0; POSTS_MAX * LANDING_BYTES],
    };
    for (at, step) in row.steps.iter().enumerate() {
        let place = format!("reference: {}, step {at}", row.name);
        reference.act(&step.act, &place);
        check_step(step, &reference.sent, &reference.ended, &place);
        reference.sent.clear();
        reference.ended.clear();
    }
    assert!(reference.landed == row.landed_bytes(), "reference: {}: memory", row.name);
}

/// Runs until something is sent or a timer has run out.
fn wait_for_timer(nic: &mut Nic<Station>) {
    let end = nic.bus().cycle() + timeout_cycles();
    while nic.bus().cycle() < end && nic.bus().sent.is_empty() {
        nic.bus().tick().unwrap_or_else(|e| panic!("{e}"));
    }
    settle(nic);
}

/// The NIC with a queue pair, and first PSN, and length if it is a WRITE, of what was posted.
struct Device<'a> {
    nic: &'a mut Nic<Station>,
    qp: Qp,
    posts: Vec<(u32, Option<usize>)>,
    next_psn: u32,
}

impl Device<'_> {
    fn book(&mut self, len: usize, is_write: bool) {
        self.posts.push((self.next_psn, is_write.then_some(len)));
        self.next_psn = (self.next_psn + len.div_ceil(MTU).max(1) as u32) & 0xff_ffff;
    }

    fn act(&mut self, act: &Act) {
        let landing = LANDING + (self.posts.len() * LANDING_BYTES) as u64;
        let nic = &mut *self.nic;
        match act {
            Act::Post(len) | Act::PostImmediate(len) => {
                let immediate = matches!(act, Act::PostImmediate(_)).then_some(0xcafe);
                let length_bytes = *len as u32;
                let write = Write { local_address: SOURCE, length_bytes, ..Write::default() };
                let write = Write { remote_va: VA, rkey: RKEY, immediate, ..write };
                nic.post_write(&mut self.qp, &write).unwrap();
                self.book(*len, true);
            }
            Act::Read(len) => {
                let (remote_va, length_bytes) = read_range(*len);
                let read = Read { local_address: landing, length_bytes, ..Read::default() };
                let read = Read { remote_va, rkey: RKEY, ..read };
                nic.post_read(&mut self.qp, &read).unwrap();
                self.book(*len, false);
            }
            Act::Peer(packets) | Act::Gap(packets) => {
                packets.iter().for_each(|p| nic.bus().deliver(p.frame(), false));
            }
            Act::Timer => wait_for_timer(nic),
            Act::MemoryFails => {
                nic.bus().memory.fail_in(LANDING..LANDING + (POSTS_MAX * LANDING_BYTES) as u64);
            }
        }
        settle(self.nic);
        if matches!(act, Act::Gap(_)) && self.nic.bus().sent.is_empty() {
            wait_for_timer(self.nic);
        }
    }

    /// Checks a frame's payload, and says what it is.
    fn sent(&self, frame: &[u8], place: &str) -> Sent {
        let r = FrameRepr::parse(frame, None).unwrap_or_else(|e| panic!("{place}: {e}"));
        let psn = r.bth.psn;
        let index = |first: u32| (psn.wrapping_sub(first) & 0xff_ffff) as usize;
        let post = self.posts.iter().min_by_key(|(first, _)| index(*first)).expect("posted");
        if let (first, Some(len)) = *post {
            let is_right = source_bytes()[..len][index(first) * MTU..].starts_with(r.payload);
            assert!(is_right, "{place}: payload of PSN {psn}");
        }
        let reth = r.reth.map(|r| (r.va, r.dma_len));
        (r.bth.opcode, psn, sent_bytes(r.bth.opcode, r.payload.len(), reth, place))
    }
}

fn run_nic(nic: &mut Nic<Station>, row: &Row, engine: &str) {
    nic.bus().memory.clear_failures();
    nic.bus().memory.store(SOURCE, &source_bytes());
    nic.bus().memory.store(LANDING, &[0; POSTS_MAX * LANDING_BYTES]);
    let qp = nic.create_qp(&row.qp).unwrap();
    sent(nic);
    let mut device = Device { nic, qp, posts: Vec::new(), next_psn: row.qp.sq_psn };
    for (at, step) in row.steps.iter().enumerate() {
        let place = format!("{engine}: {}, step {at}", row.name);
        device.act(&step.act);
        let frames = sent(device.nic);
        let packets: Vec<Sent> = frames.iter().map(|f| device.sent(f, &place)).collect();
        let mut ended = Vec::new();
        while let Some(completion) = device.nic.poll().unwrap() {
            device.qp.complete(&completion);
            ended.push(completion.status);
        }
        check_step(step, &packets, &ended, &place);
    }
    let bytes = device.nic.bus().memory.load(LANDING, POSTS_MAX * LANDING_BYTES);
    assert!(bytes == row.landed_bytes(), "{engine}: {}: memory", row.name);
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
