//! The golden requester against the message-level reference: every packet, every completion, and
//! the bytes at the far end of a bad link.

use nic_sim::golden::transport::requester::{
    AckPorts, FlowPorts, ReadyPort, Requester as GoldenRequester, RequesterIn, RequesterOut,
    ValidPort,
};
use nic_sim::ports::{Golden, Wide};
use nic_sim::reference::rc::requester::{Completion, Limits, Requester, Status, Work};
use nic_sim::reference::rc::responder::{Abilities, Responder};
use nic_sim::reference::rc::{psn_add, psn_distance, Answer, Memory, Region, Remote, Request};
use nic_spec::rows::{Operation, QpRow, Row, Table, WrRow};
use nic_spec::wire::bth::opcode::{has_immdt, has_reth, WRITE_FIRST, WRITE_MIDDLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

const MTU: usize = 256;
const QPN: u32 = 0x1205;
const FLOW: u16 = 5;
const PEER_IP: u32 = 0x0a00_0002;
const RKEY: u32 = 0x311;
const VA: u64 = 0x7f00_1234_5000;
const HOST_ADDRESS: u64 = 0x4_0000;
const REGION_BYTES: usize = 20_000;
const WORKS: u32 = 20;

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
    completions: Vec<Completion>,
    packet_count: usize,
    /// One answer in this many is lost.
    answer_loss_1_in: u32,
}

fn region(remote_write: bool) -> Memory {
    let region = Region { va: VA, bytes: vec![0; REGION_BYTES], remote_write, ..Region::default() };
    Memory { regions: [(RKEY, region)].into() }
}

fn status(code: u8) -> Status {
    use Status::*;
    let all = [Ok, RetryExceeded, RemoteAccess, RemoteInvalidRequest, RemoteOperation];
    all.into_iter().chain([Flushed, Flushed, RnrExceeded]).nth(code.into()).expect("a status")
}

impl Lab {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let first_psn = if rng.gen() { 0xff_fff0 } else { rng.gen_range(0..0x100_0000) };
        let limits = Limits { ack_interval: 4, retry: 100_000, rnr_retry: None, reads: 16 };
        let abilities = Abilities { write: true, read: false, send: false, atomic: false };
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
            completions: Vec::new(),
            packet_count: 0,
            answer_loss_1_in: 10,
        };
        lab.out = lab.golden.step(&RequesterIn { reset: true, ..RequesterIn::default() });
        (0..300).for_each(|_| lab.clock(RequesterIn::default()));
        lab.make_works();
        let qp = QpRow {
            valid: true,
            timeout_exponent: 3,
            retry_limit: 7,
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
    fn make_works(&mut self) {
        let mut at = 0;
        for wr_id in 0..WORKS {
            let length = [0, 1, MTU, self.rng.gen_range(0..1000)][self.rng.gen_range(0..4)];
            let bytes = self.source[at..at + length].to_vec();
            let (signalled, solicited) = (self.rng.gen_ratio(3, 4), self.rng.gen());
            let imm = self.rng.gen::<bool>().then(|| self.rng.gen());
            let va = VA + at as u64;
            self.works.push_back(WrRow {
                operation: if imm.is_some() { Operation::WriteImmediate } else { Operation::Write },
                signalled,
                solicited,
                wr_id,
                local_address: HOST_ADDRESS + at as u64,
                length_bytes: length as u32,
                rkey: RKEY,
                remote_va: va,
                immediate: imm.unwrap_or(0),
            });
            let work = Work { wr_id, bytes, va, rkey: RKEY, imm, signalled, ..Work::default() };
            self.reference.post(Work { solicited, ..work });
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
        (i.m_inflight, i.m_cc, i.m_order) = (ready(rng), ready(rng), ready(rng));
        if let (Some(flow), true) = (self.grants.front(), rng.gen_ratio(1, 4)) {
            i.s_grant = FlowPorts { valid: true, flow: *flow };
        }
        if let Some(answer) = self.answers.front() {
            i.s_ack = AckPorts {
                valid: true,
                qpn: QPN,
                psn: answer.psn,
                syndrome: answer.syndrome,
                msn: answer.msn,
                src_ip: PEER_IP,
                ..AckPorts::default()
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
        if out.m_work.valid && i.m_work.ready {
            self.grants.push_back(out.m_work.flow);
        }
        if out.m_pkt.valid && i.m_pkt.ready {
            self.take_packet();
        }
        if out.m_read.valid && i.m_read.ready {
            let at = (out.m_read.addr - HOST_ADDRESS) as usize;
            let bytes = self.source[at..at + usize::from(out.m_read.bytes)].to_vec();
            self.read.push_back(bytes);
        }
        self.join();
        if out.m_order.valid && i.m_order.ready {
            let cqe = out.m_order;
            if cqe.signalled || cqe.status != 0 {
                self.completions.push(Completion { wr_id: cqe.wr_id, status: status(cqe.status) });
            }
        }
        self.far_end();
    }

    fn far_end(&mut self) {
        if !self.rng.gen_ratio(1, 20) {
            return;
        }
        let Some(request) = self.requests.pop_front() else { return };
        for answer in self.responder.request(&mut self.memory, &request).answers {
            if !self.rng.gen_ratio(1, self.answer_loss_1_in) {
                self.answers.push_back(answer);
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

#[test]
fn rc_golden_requester_is_what_the_reference_says() {
    let mut resent = 0;
    for seed in 0..60 {
        let mut lab = Lab::new(seed);
        lab.run(seed);
        let due: Vec<_> = lab.reference.completions.iter().copied().collect();
        assert_eq!(lab.completions, due, "seed {seed}");
        let bytes = &lab.memory.regions[&RKEY].bytes;
        let end: usize = lab.packets.iter().map(|p| p.payload.len()).sum();
        assert!(bytes[..end] == lab.source[..end], "seed {seed}: memory");
        resent += lab.packet_count - lab.packets.len();
    }
    println!("{resent} packets sent again");
    assert!(resent > 500);
}

#[test]
fn rc_golden_requester_ends_as_the_reference_says() {
    for seed in 100..140 {
        let mut lab = Lab::new(seed);
        // The one NAK must arrive: a closed responder says nothing more.
        (lab.memory, lab.answer_loss_1_in) = (region(false), u32::MAX);
        lab.run(seed);
        let due: Vec<_> = lab.reference.completions.iter().copied().collect();
        assert!(due.iter().any(|c| c.status == Status::RemoteAccess), "seed {seed}");
        let count = lab.completions.len();
        assert_eq!(lab.completions, due[..count], "seed {seed}");
    }
}
