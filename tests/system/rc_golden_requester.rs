//! The golden requester against the message-level reference: every packet, every completion, and
//! the bytes at both ends of a bad link.

use nic_models::golden::transport::requester::{
    order, Requester as GoldenRequester, RequesterIn, RequesterOut, ValidPort,
};
use nic_models::ports::{Golden, Wide};
use nic_models::reference::rc::requester::{Completion, Landing, Limits, Requester, Status, Work};
use nic_models::reference::rc::responder::{Abilities, Responder};
use nic_models::reference::rc::{psn_add, psn_distance, Answer, Memory, Region, Remote, Request};
use nic_models::streams::{self, Flow, PayloadSource, ReadyPort};
use nic_spec::rows::{Operation, QpRow, Row, Table, WrRow, INLINE_BYTES_MAX};
use nic_spec::wire::bth::opcode::{has_immdt, has_reth, WRITE_FIRST, WRITE_MIDDLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

const MTU: usize = 256;
const QPN: u32 = 0x1205;
const FLOW: u16 = 5;
const PEER_IP: u32 = 0x0a00_0002;
const RKEY: u32 = 0x311;
/// Of the region that is read.
const READ_RKEY: u32 = 0x411;
const VA: u64 = 0x7f00_1234_5000;
const HOST_ADDRESS: u64 = 0x4_0000;
const REGION_BYTES: usize = 20_000;
const WORKS: u32 = 20;
/// Retries of the golden model; its limit is not reached.
const RETRIES: u8 = 7;

struct Lab {
    rng: ChaCha8Rng,
    golden: GoldenRequester,
    out: RequesterOut,
    /// Takes the same work and the same answers.
    reference: Requester,
    /// What each PSN stands for.
    packets: Vec<Request>,
    first_psn: u32,
    source: Vec<u8>,
    works: VecDeque<WrRow>,
    rows_left: usize,
    grants: VecDeque<u16>,
    /// Packets, and payloads that were read: they come independently, in the same order.
    sent: VecDeque<(Request, bool)>,
    read: VecDeque<Vec<u8>>,
    responder: Responder,
    memory: Memory,
    requests: VecDeque<Request>,
    answers: VecDeque<Answer>,
    /// Payloads of READ responses that wait for their orders.
    payloads: VecDeque<Vec<u8>>,
    landings: Vec<Landing>,
    completions: Vec<Completion>,
    packet_count: usize,
    /// One answer in this many is lost.
    answer_loss_1_in: u32,
    /// One READ response in this many is spoilt.
    spoils_1_in: u32,
    /// One request in this many finds no receive buffer.
    rnr_1_in: u32,
}

/// Limits of a connection.
#[derive(Clone, Copy)]
struct Kind {
    /// One work request in two is a READ.
    has_reads: bool,
    rnr_retry_limit: u8,
}

const WRITES: Kind = Kind { has_reads: false, rnr_retry_limit: 7 };
const READS: Kind = Kind { has_reads: true, rnr_retry_limit: 7 };

fn region(remote_write: bool) -> Memory {
    let written =
        Region { va: VA, bytes: vec![0; REGION_BYTES], remote_write, ..Region::default() };
    let bytes = (0..REGION_BYTES).map(|n| (n * 7 + n / 256) as u8).collect();
    let read = Region { va: VA, bytes, remote_read: true, ..Region::default() };
    Memory { regions: [(RKEY, written), (READ_RKEY, read)].into() }
}

fn status(code: u8) -> Status {
    use Status::*;
    let all = [Ok, RetryExceeded, RemoteAccess, RemoteInvalidRequest, RemoteOperation];
    all.into_iter()
        .chain([Flushed, Flushed, RnrExceeded, BadResponse])
        .nth(code.into())
        .expect("a status")
}

impl Lab {
    fn new(seed: u64, kind: Kind) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let first_psn = if rng.gen() { 0xff_fff0 } else { rng.gen_range(0..0x100_0000) };
        let read_limit = rng.gen_range(1..=5_u8);
        let limit = kind.rnr_retry_limit;
        let rnr_retry = (limit < 7).then_some(limit.into());
        let limits =
            Limits { ack_interval: 4, retry: 100_000, rnr_retry, reads: read_limit.into() };
        let abilities = Abilities { write: true, read: true, send: false, atomic: false };
        let source = (0..REGION_BYTES).map(|_| rng.gen()).collect();
        let mut lab = Self {
            rng,
            golden: GoldenRequester::new(&rdma_nic::gbe()),
            out: RequesterOut::default(),
            reference: Requester::new(MTU, first_psn, limits),
            packets: Vec::new(),
            first_psn,
            source,
            works: VecDeque::new(),
            rows_left: 8,
            grants: VecDeque::new(),
            sent: VecDeque::new(),
            read: VecDeque::new(),
            responder: Responder::new(MTU, first_psn, abilities),
            memory: region(true),
            requests: VecDeque::new(),
            answers: VecDeque::new(),
            payloads: VecDeque::new(),
            landings: Vec::new(),
            completions: Vec::new(),
            packet_count: 0,
            answer_loss_1_in: 10,
            spoils_1_in: u32::MAX,
            rnr_1_in: 30,
        };
        lab.responder.rnr_timer = 1;
        lab.out = lab.golden.step(&RequesterIn { reset: true, ..RequesterIn::default() });
        (0..300).for_each(|_| lab.clock(RequesterIn::default()));
        lab.make_works(kind);
        let qp = QpRow {
            valid: true,
            timeout_exponent: 3,
            retry_limit: RETRIES,
            rnr_retry_limit: kind.rnr_retry_limit,
            read_limit,
            ack_interval_log2: 2,
            qpn: QPN,
            remote_qpn: 0x77,
            remote_ip: PEER_IP,
            sq_psn: first_psn,
            ..QpRow::default()
        };
        lab.write_row(Table::Qp, qp.to_row());
        lab
    }

    fn clock(&mut self, inputs: RequesterIn) {
        self.out = self.golden.step(&inputs);
    }

    fn row_inputs(table: Table, row: Row) -> RequesterIn {
        let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
        RequesterIn {
            s_cfg: ValidPort { valid: true },
            cfg_table: table as u8,
            cfg_index: FLOW,
            cfg_row: Wide(core::array::from_fn(word)),
            ..RequesterIn::default()
        }
    }

    fn write_row(&mut self, table: Table, row: Row) {
        let inputs = Self::row_inputs(table, row);
        while !self.out.s_cfg.ready {
            self.clock(inputs);
        }
        self.clock(inputs);
    }

    /// Work requests for both, and the packets that they must become.
    fn make_works(&mut self, kind: Kind) {
        let mut at = 0;
        for wr_id in 0..WORKS {
            let lengths = [0, 1, MTU, self.rng.gen_range(2..30), self.rng.gen_range(0..1000)];
            let length = lengths[self.rng.gen_range(0..5)];
            let (signalled, solicited) = (self.rng.gen_ratio(3, 4), self.rng.gen());
            let imm = self.rng.gen::<bool>().then(|| self.rng.gen());
            let va = VA + at as u64;
            let is_read = kind.has_reads && self.rng.gen();
            let work = Work { wr_id, va, signalled, solicited, ..Work::default() };
            let work = if is_read {
                Work { read_bytes: Some(length as u32), rkey: READ_RKEY, ..work }
            } else {
                Work { bytes: self.source[at..at + length].to_vec(), rkey: RKEY, imm, ..work }
            };
            let mut payload = [0; INLINE_BYTES_MAX];
            let inline = !is_read && length <= payload.len() && self.rng.gen();
            if inline {
                payload[..length].copy_from_slice(&work.bytes);
            }
            let word = |n: usize| u64::from_le_bytes(payload[n..n + 8].try_into().expect("8"));
            self.works.push_back(WrRow {
                operation: match imm {
                    _ if is_read => Operation::Read,
                    Some(_) => Operation::WriteImmediate,
                    None => Operation::Write,
                },
                signalled,
                solicited,
                wr_id,
                local_address: HOST_ADDRESS + at as u64,
                length_bytes: length as u32,
                rkey: work.rkey,
                remote_va: va,
                immediate: imm.unwrap_or(0),
                inline,
                inline_0: word(0),
                inline_8: word(8),
                inline_16: word(16),
            });
            self.reference.post(work);
            at += length;
        }
        let packet = |n| self.reference.packet(psn_add(self.first_psn, n));
        self.packets = (0..).map_while(packet).collect();
    }

    /// Compares a packet of the golden model with what its PSN stands for.
    fn take_packet(&mut self) {
        let p = self.out.m_pkt;
        let (has_reth, has_imm) = (has_reth(p.opcode), has_immdt(p.opcode));
        let index = psn_distance(p.psn, self.first_psn) as usize;
        let due = self.packets.get(index).expect("a PSN that stands for something").clone();
        let remote = Remote { va: p.va, rkey: p.rkey, length_bytes: p.dma_len };
        assert_eq!((p.opcode, u32::from(p.payload_bytes)), (due.opcode, due.payload.len() as u32));
        assert_eq!(has_reth.then_some(remote), due.remote);
        assert_eq!(has_imm.then_some(p.imm), due.imm);
        assert_eq!(p.solicited, due.solicited);
        let is_last = !matches!(p.opcode, WRITE_FIRST | WRITE_MIDDLE);
        assert_eq!(p.ack_req, is_last || p.psn % 4 == 3);
        self.packet_count += 1;
        while psn_distance(p.psn, self.reference.send_psn()) >= 0 {
            if self.reference.send().is_none() {
                break;
            }
        }
        assert!(psn_distance(p.psn, self.reference.send_psn()) < 0, "may not be sent yet");
        let request = Request { ack_req: p.ack_req, payload: Vec::new(), ..due };
        self.sent.push_back((request, p.payload_bytes > 0));
    }

    /// Sends the packets that are complete.
    fn join(&mut self) {
        while let Some((request, has_payload)) = self.sent.front() {
            let request = request.clone();
            let payload = if *has_payload { self.read.pop_front() } else { Some(Vec::new()) };
            let Some(payload) = payload else { return };
            self.sent.pop_front();
            self.pass(Request { payload, ..request });
        }
    }

    /// The link takes a request.
    fn pass(&mut self, request: Request) {
        let copies = [0, 1, 1, 1, 1, 1, 1, 1, 1, 2][self.rng.gen_range(0..10)];
        (0..copies).for_each(|_| self.requests.push_back(request.clone()));
        if self.requests.len() > 1 && self.rng.gen_ratio(1, 20) {
            self.requests.swap(0, 1);
        }
    }

    fn step(&mut self) {
        let ready = |rng: &mut ChaCha8Rng| ReadyPort { ready: rng.gen_ratio(3, 4) };
        let mut i = RequesterIn::default();
        if let Some(work) = self.works.front().filter(|_| self.rows_left > 0) {
            i = Self::row_inputs(Table::Wr, work.to_row());
            if self.out.s_cfg.ready {
                self.works.pop_front();
                self.rows_left -= 1;
            }
        }
        let rng = &mut self.rng;
        (i.m_pkt, i.m_read, i.m_work) = (ready(rng), ready(rng), ready(rng));
        (i.m_cc, i.m_order) = (ready(rng), ready(rng));
        if let (Some(flow), true) = (self.grants.front(), rng.gen_ratio(1, 4)) {
            i.s_grant = Flow { valid: true, flow: *flow };
        }
        if let Some(answer) = self.answers.front() {
            i.s_ack = streams::Answer {
                valid: true,
                qpn: QPN,
                psn: answer.psn,
                syndrome: answer.syndrome,
                msn: answer.msn,
                src_ip: PEER_IP,
                opcode: answer.opcode,
                payload_bytes: answer.payload.len() as u16,
                ..streams::Answer::default()
            };
        }
        self.take(&i);
        self.clock(i);
    }

    /// Takes what this cycle's transfers bring.
    fn take(&mut self, i: &RequesterIn) {
        let out = self.out;
        if i.s_grant.valid && out.s_grant.ready {
            self.grants.pop_front();
        }
        if i.s_ack.valid && out.s_ack.ready {
            let answer = self.answers.pop_front().expect("offered");
            self.reference.answer(&answer);
        }
        if out.m_work.valid && i.m_work.ready && out.m_work.frame_count > 0 {
            self.grants.push_back(out.m_work.flow);
        }
        if out.m_pkt.valid && i.m_pkt.ready {
            self.take_packet();
        }
        if out.m_read.valid && i.m_read.ready {
            let PayloadSource { addr, bytes, is_inline, .. } = out.m_read;
            let inline = out.m_read.inline_bytes();
            let at = addr.wrapping_sub(HOST_ADDRESS) as usize;
            let source = if is_inline { &inline[..] } else { &self.source[at..] };
            let bytes = source[..usize::from(bytes)].to_vec();
            self.read.push_back(bytes);
        }
        self.join();
        if out.m_order.valid && i.m_order.ready {
            self.take_order();
        }
        self.far_end();
    }

    /// Takes an order for the completer.
    fn take_order(&mut self) {
        let order = self.out.m_order;
        match order.op {
            order::COMPLETION if order.signalled || order.status != 0 => {
                let (wr_id, status) = (order.wr_id, status(order.status));
                self.completions.push(Completion { wr_id, status });
            }
            order::COMPLETION => {}
            op => {
                let bytes = self.payloads.pop_front().expect("a payload");
                assert_eq!(usize::from(order.bytes), bytes.len());
                if op == order::LAND {
                    let offset = (order.addr - HOST_ADDRESS) as u32;
                    self.landings.push(Landing { wr_id: 0, offset, bytes });
                }
            }
        }
    }

    fn far_end(&mut self) {
        if !self.rng.gen_ratio(1, 20) {
            return;
        }
        let Some(request) = self.requests.pop_front() else { return };
        let is_ready = !self.rng.gen_ratio(1, self.rnr_1_in);
        self.responder.receive_buffers = if is_ready { None } else { Some(0) };
        for mut answer in self.responder.request(&mut self.memory, &request).answers {
            if self.rng.gen_ratio(1, self.answer_loss_1_in) {
                continue;
            }
            if answer.is_read_response() && self.rng.gen_ratio(1, self.spoils_1_in) {
                match self.rng.gen_range(0..3) {
                    0 => answer.payload.push(0),
                    1 => answer.opcode = 0x0d + (answer.opcode - 0x0d + 2) % 4,
                    _ => answer.syndrome = 0x62,
                }
            }
            let copies = 1 + usize::from(self.rng.gen_ratio(1, 20));
            for _ in 0..copies {
                if !answer.payload.is_empty() {
                    self.payloads.push_back(answer.payload.clone());
                }
                self.answers.push_back(answer.clone());
            }
        }
    }

    fn run(&mut self, seed: u64) {
        let mut last = 0;
        for cycle in 0..3_000_000 {
            self.step();
            // Eight at a time: the next ones when the first are done.
            let open = self.reference.open_count();
            let posted = WORKS as usize - self.works.len();
            let done = WORKS as usize - open;
            self.rows_left = (8 + done).saturating_sub(posted).min(4);
            if !self.reference.is_idle() {
                last = cycle;
            }
            if cycle > last + 3000 {
                return;
            }
        }
        panic!("seed {seed}: stuck");
    }
}

/// What the reference landed, by host address.
fn due_landings(lab: &Lab, starts: &[u64]) -> Vec<Landing> {
    let place = |l: &Landing| {
        let offset = (starts[l.wr_id as usize] - HOST_ADDRESS) as u32 + l.offset;
        Landing { wr_id: 0, offset, bytes: l.bytes.clone() }
    };
    // An empty landing needs no order.
    lab.reference.landings.iter().filter(|l| !l.bytes.is_empty()).map(place).collect()
}

/// Runs a lab until everything is done; packets that were sent again.
fn assert_all_done(seed: u64, kind: Kind) -> usize {
    let mut lab = Lab::new(seed, kind);
    let starts: Vec<_> = lab.works.iter().map(|w| w.local_address).collect();
    let works = lab.works.clone();
    lab.run(seed);
    let due: Vec<_> = lab.reference.completions.iter().copied().collect();
    assert_eq!(lab.completions, due, "seed {seed}");
    assert!(due.iter().all(|c| c.status == Status::Ok), "seed {seed}");
    assert_eq!(lab.landings, due_landings(&lab, &starts), "seed {seed}: bytes read");
    assert!(lab.payloads.is_empty(), "seed {seed}: an order for each payload");
    let bytes = &lab.memory.regions[&RKEY].bytes;
    for wr in works.iter().filter(|wr| wr.operation != Operation::Read) {
        let at = (wr.local_address - HOST_ADDRESS) as usize;
        let place = at..at + wr.length_bytes as usize;
        assert!(bytes[place.clone()] == lab.source[place], "seed {seed}: memory");
    }
    let once = works.iter().map(|wr| match wr.operation {
        Operation::Read => 1,
        _ => (wr.length_bytes as usize).div_ceil(MTU).max(1),
    });
    lab.packet_count - once.sum::<usize>()
}

#[test]
fn rc_golden_requester_is_what_the_reference_says() {
    let resent: usize = (0..60).map(|seed| assert_all_done(seed, WRITES)).sum();
    println!("{resent} packets sent again");
    assert!(resent > 500);
}

#[test]
fn rc_golden_requester_reads_what_the_reference_says() {
    let resent: usize = (200..300).map(|seed| assert_all_done(seed, READS)).sum();
    println!("{resent} packets sent again");
    assert!(resent > 500);
}

/// Runs a lab that ends in an error.
fn assert_ends(seed: u64, kind: Kind, status: Status, spoil: impl FnOnce(&mut Lab)) {
    let mut lab = Lab::new(seed, kind);
    let starts: Vec<_> = lab.works.iter().map(|w| w.local_address).collect();
    spoil(&mut lab);
    lab.run(seed);
    let due: Vec<_> = lab.reference.completions.iter().copied().collect();
    assert!(due.iter().any(|c| c.status == status), "seed {seed}: {due:?}");
    let count = lab.completions.len();
    assert_eq!(lab.completions, due[..count], "seed {seed}");
    assert_eq!(lab.landings, due_landings(&lab, &starts), "seed {seed}: bytes read");
    assert!(lab.payloads.is_empty(), "seed {seed}: an order for each payload");
}

#[test]
fn rc_golden_requester_ends_as_the_reference_says() {
    for seed in 100..140 {
        // The one NAK must arrive: a closed responder says nothing more.
        assert_ends(seed, READS, Status::RemoteAccess, |lab| {
            (lab.memory, lab.answer_loss_1_in) = (region(false), u32::MAX);
        });
    }
}

#[test]
fn rc_golden_requester_ends_with_a_bad_response_as_the_reference_does() {
    for seed in 300..340 {
        // All of them, or every other one: then some READs may end well before.
        let spoils_1_in = 1 + (seed % 2) as u32;
        assert_ends(seed, READS, Status::BadResponse, |lab| lab.spoils_1_in = spoils_1_in);
    }
}

#[test]
fn rc_golden_requester_ends_with_rnr_naks_as_the_reference_does() {
    for seed in 400..440 {
        let kind = Kind { rnr_retry_limit: (seed % 4) as u8, ..READS };
        assert_ends(seed, kind, Status::RnrExceeded, |lab| lab.rnr_1_in = 1);
    }
}
