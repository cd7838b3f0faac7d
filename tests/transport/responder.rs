//! responder: Verilog against golden model, and golden model against the standard's rules.

mod reads;
mod refusals;

use nic_harness::bench::Stimulus;
use nic_models::golden::transport::ack::gen::{CqeOut, Tag};
use nic_models::golden::transport::responder::{Responder, ResponderIn, ResponderOut};
use nic_models::ports::{Golden, Wide};
use nic_models::streams::{
    Ack, ReadCommand, ReadyPort, Reply, Request, Telemetry, TreadyPort, WriteDone,
};
use nic_sim::bench::ack::Replies;
use nic_sim::bench::responder::Peers;
use nic_sim::env::stream::{frame_to_beats, Beat, FrameSink};
use nic_spec::rows::{MrRow, QpRow, Row, Table};
use nic_spec::wire::bth::opcode;
use rdma_nic::{assert_catches, assert_matches_golden, gbe, hundred, Runs};
use std::collections::VecDeque;

#[test]
fn responder_matches_golden() {
    assert_matches_golden("responder", 0..4, 100_000, &["m_cqe_status", "m_cqe_wr_id"]);
}

#[test]
fn responder_matches_golden_in_the_sizes_of_hundred() {
    let runs = Runs::of_block("responder", &hundred(), 0..4, 50_000);
    runs.assert_match_golden(&["m_cqe_status", "m_cqe_wr_id"]);
}

/// Counters, in the order of [`events`].
const ACCEPTED: usize = 0;

const DUPLICATE: usize = 1;

const OUT_OF_SEQUENCE: usize = 2;

const INVALID: usize = 3;

const ACCESS: usize = 4;

const OPERATION: usize = 5;

const RNR: usize = 6;

const NO_QP: usize = 7;

fn events(out: &ResponderOut) -> [bool; 8] {
    [
        out.event_resp.accepted,
        out.event_resp.duplicate,
        out.event_resp.out_of_sequence,
        out.event_resp.nak_invalid,
        out.event_resp.nak_access,
        out.event_resp.nak_operation,
        out.event_resp.rnr,
        out.event_resp.no_qp,
    ]
}

const QPN: u32 = 0x0012_3445;

const PEER_IP: u32 = 0x0a00_0002;

const RKEY: u32 = 0x0004_0711;

const VA: u64 = 0x7f00_0000_1234;

const HOST: u64 = 0x2_8000_0003;

const LENGTH: u64 = 0x2000;

const PSN: u32 = 0xff_fffe;

/// The golden responder with one queue pair, one region, a DMA and a tx.
struct Rig {
    responder: Responder,
    out: ResponderOut,
    requests: VecDeque<(Request, Vec<u8>)>,
    beats: VecDeque<Beat>,
    rows: VecDeque<(Table, usize, Row)>,
    commands: VecDeque<(u64, usize, u128)>,
    frame: FrameSink,
    frames: VecDeque<Vec<u8>>,
    dones: VecDeque<WriteDone>,
    holds_dones: bool,
    holds_acks: bool,
    cq_space: bool,
    error: bool,
    replies: Replies,
    holds_replies: bool,
    fail: Option<u16>,
    /// READ responses with their read commands.
    packets: Vec<(Reply, ReadCommand)>,
    writes: Vec<(u64, Vec<u8>)>,
    acks: Vec<Ack>,
    cqes: Vec<CqeOut>,
    counts: [usize; 8],
    cycle: u64,
}

fn qp() -> QpRow {
    QpRow {
        valid: true,
        telemetry: true,
        remote_write: true,
        mtu_code: 0,
        qpn: QPN,
        remote_ip: PEER_IP,
        rq_psn: PSN,
        ..QpRow::default()
    }
}

fn region() -> MrRow {
    let (remote_write, remote_read) = (true, false);
    let (va, length_bytes, host_address) = (VA, LENGTH, HOST);
    MrRow { valid: true, remote_write, remote_read, rkey: RKEY, va, length_bytes, host_address }
}

/// A request of `payload` bytes whose RETH names the whole of `dma_len` at `offset`.
fn request(opcode: u8, psn_offset: u32, offset: u64, dma_len: u32, payload: u16) -> Request {
    Request {
        valid: true,
        qpn: QPN,
        opcode,
        psn: (PSN + psn_offset) & 0xff_ffff,
        ack_req: true,
        payload_bytes: payload,
        va: VA.wrapping_add(offset),
        rkey: RKEY,
        dma_len,
        imm: 0xcafe_0000 | psn_offset,
        src_ip: PEER_IP,
        tel: Telemetry::default(),
    }
}

fn only(psn_offset: u32, payload: u16) -> Request {
    request(opcode::WRITE_ONLY, psn_offset, 0, payload.into(), payload)
}

impl Rig {
    fn new() -> Self {
        let mut rig = Self::with(qp(), region());
        rig.run(400);
        rig
    }

    fn with(qp: QpRow, region: MrRow) -> Self {
        let mut responder = Responder::new(&gbe());
        let out = responder.step(&ResponderIn { reset: true, ..ResponderIn::default() });
        let mut rig = Self {
            responder,
            out,
            requests: VecDeque::new(),
            beats: VecDeque::new(),
            rows: VecDeque::new(),
            commands: VecDeque::new(),
            frame: FrameSink::default(),
            frames: VecDeque::new(),
            dones: VecDeque::new(),
            holds_dones: false,
            holds_acks: false,
            cq_space: true,
            error: false,
            replies: Replies::new(&gbe()),
            holds_replies: false,
            fail: None,
            packets: Vec::new(),
            writes: Vec::new(),
            acks: Vec::new(),
            cqes: Vec::new(),
            counts: [0; 8],
            cycle: 0,
        };
        rig.write_qp(qp);
        rig.write_region(region);
        rig.run(400);
        rig
    }

    fn write_qp(&mut self, qp: QpRow) {
        self.rows.push_back((Table::Qp, qp.qpn as usize % 64, qp.to_row()));
    }

    fn write_region(&mut self, mr: MrRow) {
        self.rows.push_back((Table::Mr, mr.rkey as usize >> 8 & 63, mr.to_row()));
    }

    fn send(&mut self, req: Request) -> &mut Self {
        let payload = (0..req.payload_bytes).map(|n| (n * 7) as u8 ^ req.psn as u8).collect();
        self.requests.push_back((req, payload));
        self
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    fn inputs(&mut self) -> ResponderIn {
        let mut i = ResponderIn {
            cfg_cq_space: self.cq_space,
            cfg_rnr_timer: 9,
            m_cmd: ReadyPort { ready: true },
            m_data: TreadyPort { tready: true },
            m_ack: ReadyPort { ready: !self.holds_acks },
            m_cqe_ready: true,
            ..ResponderIn::default()
        };
        if let Some((req, _)) = self.requests.front() {
            i.s_req = *req;
        }
        if let Some(beat) = self.beats.front() {
            i.s_payload = Beat::offered(Some(*beat));
        }
        if let Some((table, index, row)) = self.rows.front() {
            i.s_cfg_valid = true;
            (i.cfg_table, i.cfg_index) = (*table as u8, *index as u16);
            let word = |n: usize| u64::from(row[n]);
            i.cfg_row = Wide(core::array::from_fn(|n| word(2 * n) | word(2 * n + 1) << 32));
        }
        if let Some(done) = self.dones.front().filter(|_| !self.holds_dones) {
            i.s_done = *done;
        }
        i
    }

    fn step(&mut self) {
        let (mut i, before) = (self.inputs(), self.out);
        let fail_taken = self.replies.takes_fail();
        let control = (!self.holds_replies, true, self.fail);
        self.packets.extend(self.replies.drive(&before, &mut i, control));
        self.fail = self.fail.filter(|_| !fail_taken);
        if i.s_req.valid && before.s_req.ready {
            let (_, payload) = self.requests.pop_front().expect("offered");
            self.beats.extend(frame_to_beats(&payload, 8, false));
        }
        if i.s_payload.tvalid && before.s_payload.tready {
            self.beats.pop_front();
        }
        if i.s_cfg_valid && before.s_cfg_ready {
            self.rows.pop_front();
        }
        if i.s_done.valid && before.s_done.ready {
            self.dones.pop_front();
        }
        if before.m_cmd.valid {
            let cmd = before.m_cmd;
            self.commands.push_back((cmd.addr, cmd.bytes.into(), cmd.tag));
        }
        if before.m_data.tvalid {
            let frame = self.frame.take(&Beat::of(&before.m_data));
            self.frames.extend(frame.map(|f| f.bytes));
        }
        self.land();
        if before.m_ack.valid && i.m_ack.ready {
            self.acks.push(before.m_ack);
        }
        if before.m_cqe.valid {
            self.cqes.push(before.m_cqe);
        }
        self.out = self.responder.step(&i);
        let happened = events(&self.out);
        (0..8).for_each(|n| self.counts[n] += usize::from(happened[n]));
        self.cycle += 1;
    }

    fn land(&mut self) {
        let Some(&(addr, bytes, tag)) = self.commands.front() else { return };
        if bytes > 0 {
            let Some(frame) = self.frames.pop_front() else { return };
            assert_eq!(frame.len(), bytes);
            self.writes.push((addr, frame));
        }
        self.commands.pop_front();
        self.dones.push_back(WriteDone { valid: true, tag, error: self.error && bytes > 0 });
    }

    /// Sends requests and waits until all is quiet; syndrome, PSN offset and MSN of the answers.
    fn answers(&mut self, requests: &[Request]) -> Vec<(u8, u32, u32)> {
        let first = self.acks.len();
        for req in requests {
            self.send(*req);
            self.run(700);
        }
        let answer = |a: &Ack| (a.syndrome, a.psn.wrapping_sub(PSN) & 0xff_ffff, a.msn);
        self.acks[first..].iter().map(answer).collect()
    }

    fn count(&self, event: usize) -> usize {
        self.counts[event]
    }
}

#[test]
fn responder_lands_a_write_and_acknowledges_it_afterwards() {
    let mut rig = Rig::new();
    rig.holds_dones = true;
    let req = request(opcode::WRITE_ONLY, 0, 0x11, 77, 77);
    assert_eq!(rig.answers(&[req]), []);
    let bytes = (0..77).map(|n| (n * 7) as u8 ^ PSN as u8).collect::<Vec<u8>>();
    assert_eq!(rig.writes, [(HOST + 0x11, bytes)]);
    rig.holds_dones = false;
    assert_eq!(rig.answers(&[]), []);
    rig.run(20);
    assert_eq!(rig.answers(&[only(1, 1)]), [(0x1f, 1, 2)]);
    assert_eq!((rig.acks[0].flow, rig.acks[0].psn, rig.acks[0].msn), (5, PSN, 1));
    assert_eq!(rig.count(ACCEPTED), 2);
}

#[test]
fn responder_counts_psn_over_the_wrap_and_msn_by_message() {
    let mut rig = Rig::new();
    let packets = [
        request(opcode::WRITE_FIRST, 0, 8, 600, 256),
        request(opcode::WRITE_MIDDLE, 1, 0, 0, 256),
        request(opcode::WRITE_LAST, 2, 0, 0, 88),
        only(3, 256),
    ];
    let expected = [(0x1f, 0, 0), (0x1f, 1, 0), (0x1f, 2, 1), (0x1f, 3, 2)];
    assert_eq!(rig.answers(&packets), expected);
    let places: Vec<_> = rig.writes.iter().map(|(addr, bytes)| (*addr, bytes.len())).collect();
    let host = HOST + 8;
    assert_eq!(places, [(host, 256), (host + 256, 256), (host + 512, 88), (HOST, 256)]);
}

#[test]
fn responder_answers_only_packets_with_ack_request() {
    let mut rig = Rig::new();
    let quiet = |n| Request { ack_req: false, ..only(n, 4) };
    assert_eq!(rig.answers(&[quiet(0), quiet(1), only(2, 4)]), [(0x1f, 2, 3)]);
    assert_eq!(rig.count(ACCEPTED), 3);
}

#[test]
fn responder_acknowledges_duplicates_again_without_writing() {
    let mut rig = Rig::new();
    let quiet = Request { ack_req: false, ..only(0, 9) };
    rig.answers(&[only(0, 9), only(1, 9)]);
    assert_eq!(rig.answers(&[quiet, only(1, 9)]), [(0x1f, 1, 2), (0x1f, 1, 2)]);
    // Half the sequence space behind is still a duplicate, half ahead is not.
    let far = |n: u32| Request { psn: (PSN + 2 + n) & 0xff_ffff, ..only(0, 9) };
    assert_eq!(rig.answers(&[far(0x80_0000)]), [(0x1f, 1, 2)]);
    assert_eq!(rig.answers(&[far(0x7f_ffff)]), [(0x60, 2, 2)]);
    assert_eq!((rig.writes.len(), rig.count(DUPLICATE), rig.count(OUT_OF_SEQUENCE)), (2, 3, 1));
    let atomic = Request { opcode: opcode::FETCH_ADD, payload_bytes: 0, ..only(0, 0) };
    assert_eq!(rig.answers(&[atomic]), []);
}

#[test]
fn responder_takes_the_longest_message() {
    let region = MrRow { length_bytes: 1 << 31, ..region() };
    let mut rig = Rig::with(QpRow { mtu_code: 4, ..qp() }, region);
    let first = request(opcode::WRITE_FIRST, 0, 0, 1 << 31, 4096);
    let middle = request(opcode::WRITE_MIDDLE, 1, 0, 0, 4096);
    assert_eq!(rig.answers(&[first, middle]), [(0x1f, 0, 0), (0x1f, 1, 0)]);
    assert_eq!(rig.writes[1].0, HOST + 4096);
}

#[test]
fn responder_needs_no_key_for_nothing() {
    let mut rig = Rig::new();
    let empty = |n| Request { rkey: 0xdead_beef, va: 0, ..only(n, 0) };
    assert_eq!(rig.answers(&[empty(0), empty(1)]), [(0x1f, 0, 1), (0x1f, 1, 2)]);
    assert!(rig.writes.is_empty());
}

#[test]
fn responder_completes_a_write_with_immediate_once_it_has_landed() {
    let mut rig = Rig::new();
    rig.holds_dones = true;
    let code = opcode::WRITE_LAST_IMM;
    let packets = [request(opcode::WRITE_FIRST, 0, 0, 300, 256), request(code, 1, 0, 0, 44)];
    rig.answers(&packets);
    assert!(rig.cqes.is_empty() && rig.writes.len() == 2);
    rig.holds_dones = false;
    rig.run(50);
    rig.answers(&[request(opcode::WRITE_ONLY_IMM, 2, 0, 0, 0)]);
    let cqe = CqeOut { valid: true, kind: 1, flow: 5, ..CqeOut::default() };
    let first = CqeOut { imm: 0xcafe_0001, byte_len: 300, ..cqe };
    let second = CqeOut { imm: 0xcafe_0002, byte_len: 0, ..cqe };
    assert_eq!(rig.cqes, [first, second]);
}

#[test]
fn responder_asks_to_come_again_without_completion_room() {
    let mut rig = Rig::new();
    rig.cq_space = false;
    let with_imm = request(opcode::WRITE_ONLY_IMM, 0, 0, 4, 4);
    // What follows the packet that was put off is dropped without a word.
    assert_eq!(rig.answers(&[with_imm, only(1, 4)]), [(0x20 | 9, 0, 0)]);
    assert_eq!(rig.answers(&[with_imm]), [(0x20 | 9, 0, 0)]);
    rig.cq_space = true;
    assert_eq!(rig.answers(&[with_imm, only(1, 4)]), [(0x1f, 0, 1), (0x1f, 1, 2)]);
    assert_eq!((rig.cqes.len(), rig.count(RNR), rig.writes.len()), (1, 2, 2));
}

#[test]
fn responder_promises_no_more_completions_than_fit() {
    let mut rig = Rig::new();
    rig.holds_dones = true;
    (0..40).for_each(|n| {
        rig.send(request(opcode::WRITE_ONLY_IMM, n, 0, 0, 0));
    });
    rig.run(1000);
    assert_eq!((rig.count(RNR), rig.count(OUT_OF_SEQUENCE)), (1, 23));
    rig.holds_dones = false;
    rig.run(1000);
    assert_eq!((rig.cqes.len(), rig.count(ACCEPTED)), (16, 16));
}

#[test]
fn responder_reports_a_failed_write_and_acknowledges_nothing_after_it() {
    let mut rig = Rig::new();
    (rig.holds_dones, rig.error) = (true, true);
    rig.send(request(opcode::WRITE_ONLY_IMM, 0, 0, 4, 4));
    rig.run(50);
    rig.error = false;
    (1..4).for_each(|n| {
        rig.send(only(n, 4));
    });
    rig.run(100);
    rig.holds_dones = false;
    rig.run(100);
    assert_eq!(rig.answers(&[only(4, 4)]), []);
    let all: Vec<_> = rig.acks.iter().map(|a| (a.syndrome, a.psn, a.msn)).collect();
    assert_eq!(all, [(0x63, PSN, 0)]);
    assert!(rig.cqes.is_empty());
    assert_eq!((rig.count(ACCEPTED), rig.count(OPERATION), rig.count(NO_QP)), (0, 4, 1));
}

#[test]
fn responder_never_waits_for_tx() {
    let mut rig = Rig::new();
    rig.holds_acks = true;
    let start = rig.cycle;
    (0..500).for_each(|n| {
        rig.send(only(n, 0));
    });
    while !rig.requests.is_empty() {
        rig.step();
    }
    assert!(rig.cycle - start <= 3 * 500 + 1, "{} cycles for 500 packets", rig.cycle - start);
    // 128 commands at 3 cycles each are dealt with.
    rig.run(600);
    rig.holds_acks = false;
    rig.run(50);
    // One stood at the port already, the others became one.
    let all: Vec<_> = rig.acks.iter().map(|a| (a.syndrome, a.msn)).collect();
    assert_eq!((all.len(), all[1], rig.count(ACCEPTED)), (2, (0x1f, 500), 500));
}

/// Cycles in which the responder takes 200 packets of 8 bytes, of so many queue pairs in turn.
fn cycles_of_requests(qp_count: u32) -> u64 {
    let mut rig = Rig::new();
    (1..qp_count).for_each(|n| rig.write_qp(QpRow { qpn: QPN + n, ..qp() }));
    rig.run(400);
    let start = rig.cycle;
    for n in 0..200 {
        let packet = Request { qpn: QPN + n % qp_count, ack_req: qp_count > 1, ..only(0, 8) };
        rig.send(Request { psn: (PSN + n / qp_count) & 0xff_ffff, ..packet });
    }
    while !rig.requests.is_empty() {
        rig.step();
    }
    let cycles = rig.cycle - start;
    rig.run(300);
    assert_eq!((rig.count(ACCEPTED), rig.writes.len()), (200, 200));
    cycles
}

#[test]
fn responder_takes_a_request_every_other_cycle() {
    assert!(cycles_of_requests(4) <= 2 * 200 + 1);
    assert!(cycles_of_requests(1) <= 3 * 200 + 1);
}

#[test]
fn responder_moves_a_beat_every_cycle() {
    let mut rig = Rig::with(QpRow { mtu_code: 0, ..qp() }, region());
    let start = rig.cycle;
    (0..20).for_each(|n| {
        rig.send(only(n, 256));
    });
    while rig.writes.len() < 20 {
        rig.step();
    }
    let cycles = rig.cycle - start;
    assert!(cycles < 20 * 32 + 20, "{cycles} cycles for 20 packets of 32 beats");
}

fn echo(ack: &Ack) -> Option<Telemetry> {
    Some(ack.tel).filter(|tel| tel.valid)
}

#[test]
fn responder_echoes_telemetry_of_the_packets_it_accepts() {
    let tel =
        |n: u64| Telemetry { valid: true, hops: 5, path: 0x123, hop: [n, n + 1, n + 2, 3, 4] };
    let with = |n: u32| Request { tel: tel(n.into()), ..only(n, 4) };
    let mut rig = Rig::new();
    rig.answers(&[with(0), with(3), with(1), only(1, 4)]);
    let echoes: Vec<_> = rig.acks.iter().map(|a| (a.syndrome, echo(a))).collect();
    let expected = [(0x1f, Some(tel(0))), (0x60, None), (0x1f, Some(tel(1))), (0x1f, None)];
    assert_eq!(echoes, expected);
    let mut rig = Rig::with(QpRow { telemetry: false, ..qp() }, region());
    rig.answers(&[with(0)]);
    assert_eq!(echo(&rig.acks[0]), None);
}

/// ACKs that coalesce while tx holds them: the first stands at the port, the rest become one.
#[test]
fn responder_keeps_telemetry_until_it_is_echoed() {
    let tel =
        |n: u64| Telemetry { valid: true, hops: 5, path: 0x123, hop: [n, n + 1, n + 2, 3, 4] };
    let with = |n: u32| Request { tel: tel(n.into()), ..only(n, 4) };
    let echoes = |requests: &[Request], is_anew: bool| -> Vec<Option<Telemetry>> {
        let mut rig = Rig::new();
        rig.holds_acks = true;
        rig.answers(requests);
        if is_anew {
            rig.write_qp(qp());
            rig.run(50);
        }
        rig.holds_acks = false;
        rig.run(50);
        rig.answers(&[only(if is_anew { 0 } else { requests.len() as u32 }, 4)]);
        rig.acks.iter().map(echo).collect()
    };
    assert_eq!(echoes(&[only(0, 4), with(1), only(2, 4)], false), [None, Some(tel(1)), None]);
    assert_eq!(echoes(&[with(0), only(1, 4), only(2, 4)], false), [Some(tel(0)), None, None]);
    assert_eq!(
        echoes(&[only(0, 4), with(1), with(2), only(3, 4)], false),
        [None, Some(tel(2)), None]
    );
    // What a queue pair of before was to echo is not for the new one.
    assert_eq!(echoes(&[only(0, 4), with(1), only(2, 4)], true), [None, None]);
}

#[test]
fn responder_starts_anew_when_its_row_is_written() {
    let mut rig = Rig::new();
    rig.holds_acks = true;
    rig.answers(&[only(0, 4), only(1, 4), request(opcode::WRITE_FIRST, 2, 0, 600, 256)]);
    rig.write_qp(qp());
    rig.run(50);
    rig.holds_acks = false;
    rig.run(50);
    // Only what stood at the port goes out; what was owed is forgotten.
    assert_eq!(rig.acks.len(), 1);
    assert_eq!(rig.answers(&[only(0, 4)]), [(0x1f, 0, 1)]);
}

#[test]
fn responder_waits_with_a_row_until_all_has_landed() {
    let mut rig = Rig::new();
    rig.holds_dones = true;
    rig.answers(&[only(0, 4)]);
    rig.write_region(MrRow { valid: false, ..region() });
    rig.run(100);
    assert_eq!(rig.rows.len(), 1);
    rig.holds_dones = false;
    rig.run(20);
    assert!(rig.rows.is_empty());
}

#[test]
fn responder_counts_every_request_once_under_random_traffic() {
    let mut counts = [0; 8];
    for seed in 0..4 {
        println!("seed {seed}");
        let mut stimulus = Peers::new(&gbe(), seed).without_resets();
        let mut responder = Responder::new(&gbe());
        let mut out = responder.step(&ResponderIn { reset: true, ..ResponderIn::default() });
        let (mut taken, mut counted) = (0, 0);
        for cycle in 0..100_000 {
            let i = stimulus.next(cycle, &out);
            taken += usize::from(i.s_req.valid && out.s_req.ready);
            out = responder.step(&i);
            let happened = events(&out);
            (0..8).for_each(|n| counts[n] += usize::from(happened[n]));
            counted += happened.iter().filter(|h| **h).count();
            assert!(counted <= taken && taken - counted <= 66, "{taken} taken, {counted} counted");
        }
        (0..3000).for_each(|n| {
            let i = stimulus.without_requests(n, &out);
            taken += usize::from(i.s_req.valid && out.s_req.ready);
            out = responder.step(&i);
            counted += events(&out).iter().filter(|h| **h).count();
        });
        assert_eq!(taken, counted);
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|n| *n >= 20), "{counts:?}");
}

#[test]
fn responder_tags_read_back_what_was_put_in() {
    let bits = 0x7fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_u128;
    let flip = 0x5a5a_1234_5678_9abc_def0_1234_5678_9abc_u128 & bits;
    assert_eq!(Tag::from_bits(flip).to_bits(), flip);
    assert_eq!(Tag::from_bits(bits).to_bits(), bits);
}

#[test]
fn responder_bench_notices_broken_verilog() {
    let breaks = [
        ("end_va > region_end", "end_va >= region_end"),
        ("va < region_va", "1'b0"),
        ("ahead_by = psn - expected", "ahead_by = psn + ~expected"),
        ("is_more = to_come > mtu", "is_more = to_come >= mtu"),
        ("(verdict[3] & !verdict[8])", "verdict[3]"),
        ("(region[34:3] == judged[277:246])", "(region[33:3] == judged[276:246])"),
        ("asked[99] & waiting[4]", "1'b0"),
        ("imm_full = imm_in_flight[4]", "imm_full = imm_in_flight[3]"),
        ("(promises & (most_imm == last_imm))", "1'b0"),
        ("joins_next = queued", "joins_next = 1'b0"),
        ("moved = take & inbound_m_valid", "moved = take"),
        ("packets <= behind_by", "packets < behind_by"),
        ("psn_after <= expected + packets", "psn_after <= expected + 24'd1"),
        ("holds = |was_jobs", "holds = 1'b0"),
        ("& !job_waits", ""),
        ("if (accepts & same)", "if (1'b0)"),
        ("if (accepts & same)", "if (valid & same)"),
        ("if (valid & known & same)", "if (1'b0)"),
        ("same <= s_flow == flow_q", "same <= 1'b1"),
        ("is_idle & !job_waits", "!job_waits"),
    ];
    assert_catches("responder", 1_600_000, &breaks);
}
