//! The golden responder against the message-level reference: a reference requester writes to it
//! and reads back over a bad link, a DMA of our own puts the bytes into memory, and each answer is judged.

use nic_models::golden::transport::responder::ResponderOut;
use nic_models::golden::transport::responder::{Responder, ResponderIn};
use nic_models::ports::{keep, Data};
use nic_models::ports::{Golden, Wide};
use nic_models::reference::rc::check::ResponderCheck;
use nic_models::reference::rc::requester::{Limits, Requester, Work};
use nic_models::reference::rc::responder::{self, Abilities, Verdict};
use nic_models::reference::rc::{Answer, Memory, Region, Request};
use nic_models::streams::{self, Axis};
use nic_sim::bench::ack::Replies;
use nic_spec::rows::{MrRow, QpRow, Row, Table};
use nic_spec::wire::bth::opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

const MTU: usize = 256;
const QPN: u32 = 0x1205;
const PEER_IP: u32 = 0x0a00_0001;
const RKEY: u32 = 0x311;
const VA: u64 = 0x7f00_1234_5000;
const HOST_ADDRESS: u64 = 0x4_0000;
const REGION_BYTES: usize = 32_000;
/// Cycles of silence after which the requester sends again.
const TIMEOUT_CYCLES: u32 = 1500;
/// Messages of a conversation.
const COUNT: u32 = 30;

fn reference(psn: u32) -> ResponderCheck {
    let abilities = Abilities { write: true, read: true, send: false, atomic: false };
    let bytes = vec![0; REGION_BYTES];
    let (va, remote_write, remote_read) = (VA, true, true);
    let region = Region { va, bytes, remote_write, remote_read, ..Region::default() };
    let memory = Memory { regions: [(RKEY, region)].into() };
    ResponderCheck::new(responder::Responder::new(MTU, psn, abilities), memory)
}

/// The golden responder, its DMA and memory, the requester and the link.
struct Lab {
    rng: ChaCha8Rng,
    golden: Responder,
    out: ResponderOut,
    check: ResponderCheck,
    requester: Requester,
    /// Requests on the way, and the one at the pins.
    requests: VecDeque<Request>,
    offered: Option<Request>,
    beats: VecDeque<Axis>,
    /// Address, bytes and tag of commands whose bytes have not come.
    commands: VecDeque<(u64, usize, u128)>,
    landed: Vec<u8>,
    done: VecDeque<u128>,
    memory: Vec<u8>,
    answers: VecDeque<Answer>,
    received: Vec<(u32, u32)>,
    quiet_cycles: u32,
    /// One request in this many is spoiled.
    spoil_1_in: u32,
    replies: Replies,
    /// One in so many cycles lets a READ response leave.
    grant_1_in: u32,
    /// What each READ must bring, by `wr_id`.
    expected: BTreeMap<u32, Vec<u8>>,
    /// What it brought.
    read_bytes: BTreeMap<u32, Vec<u8>>,
}

impl Lab {
    fn new(seed: u64, spoil_1_in: u32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let psn = if rng.gen() { 0xff_fff0 } else { rng.gen_range(0..0x100_0000) };
        let reads = [1, 4, 16][rng.gen_range(0..3)];
        let limits = Limits { ack_interval: 4, retry: 100_000, rnr_retry: None, reads };
        let grant_1_in = [1, 30, 300, 2500][rng.gen_range(0..3)];
        let mut lab = Self {
            rng,
            golden: Responder::new(&rdma_nic::gbe()),
            out: ResponderOut::default(),
            check: reference(psn),
            requester: Requester::new(MTU, psn, limits),
            requests: VecDeque::new(),
            offered: None,
            beats: VecDeque::new(),
            commands: VecDeque::new(),
            landed: Vec::new(),
            done: VecDeque::new(),
            memory: vec![0; REGION_BYTES],
            answers: VecDeque::new(),
            received: Vec::new(),
            quiet_cycles: 0,
            spoil_1_in,
            replies: Replies::new(&rdma_nic::gbe()),
            grant_1_in,
            expected: BTreeMap::new(),
            read_bytes: BTreeMap::new(),
        };
        lab.out = lab.golden.step(&ResponderIn { reset: true, ..ResponderIn::default() });
        (0..200).for_each(|_| lab.clock(ResponderIn::default()));
        let mr = MrRow {
            valid: true,
            remote_write: true,
            remote_read: true,
            rkey: RKEY,
            va: VA,
            length_bytes: REGION_BYTES as u64,
            host_address: HOST_ADDRESS,
        };
        let qp = QpRow {
            valid: true,
            remote_write: true,
            remote_read: true,
            qpn: QPN,
            remote_ip: PEER_IP,
            rq_psn: psn,
            ..QpRow::default()
        };
        lab.write_row(Table::Mr, RKEY >> 8, mr.to_row());
        lab.write_row(Table::Qp, QPN, qp.to_row());
        lab
    }

    fn clock(&mut self, mut inputs: ResponderIn) {
        let control = (self.rng.gen_ratio(1, self.grant_1_in), self.rng.gen_ratio(1, 4), None);
        if let Some((pkt, read)) = self.replies.drive(&self.out, &mut inputs, control) {
            let at = read.addr.wrapping_sub(HOST_ADDRESS) as usize;
            let payload = match usize::from(pkt.payload_bytes) {
                0 => Vec::new(),
                bytes => self.memory.get(at..at + bytes).expect("inside of the region").to_vec(),
            };
            assert_eq!(read.valid, pkt.payload_bytes > 0);
            let answer = Answer::acknowledge(pkt.psn, pkt.syndrome, pkt.msn);
            self.come(Answer { opcode: pkt.opcode, payload, ..answer });
        }
        self.out = self.golden.step(&inputs);
    }

    /// An answer has come out: it is judged, and lost on the link or not.
    fn come(&mut self, answer: Answer) {
        // A MIDDLE has no AETH.
        let is_bare = answer.opcode == opcode::READ_RESPONSE_MIDDLE;
        assert!(!is_bare || answer.syndrome == 0);
        let answer = match is_bare {
            true => Answer { syndrome: nic_spec::wire::aeth::syndrome::ACK, ..answer },
            false => answer,
        };
        self.check.answer(&answer).unwrap_or_else(|wrong| panic!("{wrong}"));
        self.quiet_cycles = 0;
        if !self.rng.gen_ratio(1, 10) {
            self.answers.push_back(answer);
        }
    }

    fn write_row(&mut self, table: Table, index: u32, row: Row) {
        let config = rdma_nic::gbe();
        let count = if table == Table::Qp { config.flow_count } else { config.mr_count };
        let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
        let inputs = ResponderIn {
            s_cfg_valid: true,
            cfg_table: table as u8,
            cfg_index: (index as usize % count) as u16,
            cfg_row: Wide(core::array::from_fn(word)),
            ..ResponderIn::default()
        };
        while !self.out.s_cfg_ready {
            self.clock(inputs);
        }
        self.clock(inputs);
    }

    /// A legal request becomes one of many illegal ones, never with two mistakes.
    fn spoil(rng: &mut ChaCha8Rng, request: &mut Request) {
        let is_read = request.opcode == opcode::READ_REQUEST;
        match (rng.gen_range(0..6), &mut request.remote) {
            (0, Some(remote)) if remote.length_bytes > 0 => {
                remote.rkey ^= 1 << rng.gen_range(0..32)
            }
            (1, Some(remote)) if remote.length_bytes > 0 => {
                remote.va += REGION_BYTES as u64 - rng.gen_range(0..u64::from(remote.length_bytes));
            }
            (2, Some(_)) if is_read => request.payload.push(7),
            (2, Some(remote)) if request.payload.len() < MTU => remote.length_bytes += 1,
            (3, None) if !request.payload.is_empty() => drop(request.payload.pop()),
            (4, None) => request.opcode = opcode::SEND_MIDDLE,
            _ => request.opcode = opcode::FETCH_ADD,
        }
    }

    /// The link takes a request: lost, kept, or kept twice; the oldest two may change places.
    fn send(&mut self) {
        if self.requester.outstanding() >= 20 || self.rng.gen_range(0..30) != 0 {
            return;
        }
        let Some(mut request) = self.requester.send() else { return };
        if self.rng.gen_ratio(1, self.spoil_1_in) {
            Self::spoil(&mut self.rng, &mut request);
        }
        let copies = [0, 1, 1, 1, 1, 1, 1, 1, 1, 2][self.rng.gen_range(0..10)];
        (0..copies).for_each(|_| self.requests.push_back(request.clone()));
        if self.requests.len() > 1 && self.rng.gen_ratio(1, 20) {
            self.requests.swap(0, 1);
        }
    }

    /// Drives the pins of one cycle and takes what comes out.
    fn step(&mut self) {
        self.send();
        let mut i = ResponderIn { cfg_cq_space: true, ..ResponderIn::default() };
        if self.offered.is_none() && self.rng.gen() {
            self.offered = self.requests.pop_front();
            if let Some(request) = &self.offered {
                self.beats.extend(beats(&request.payload));
            }
        }
        if let Some(request) = &self.offered {
            i.s_req = req_in(request);
        }
        let taken = self.offered.is_some() && self.out.s_req.ready;
        if let Some(beat) = self.beats.front() {
            i.s_payload = *beat;
            if self.out.s_payload.tready {
                self.beats.pop_front();
            }
        }
        self.drive_dma(&mut i);
        i.m_ack.ready = self.rng.gen_ratio(1, 8);
        i.m_cqe_ready = self.rng.gen();
        if self.out.m_ack.valid && i.m_ack.ready {
            let ack = self.out.m_ack;
            self.come(Answer::acknowledge(ack.psn, ack.syndrome, ack.msn));
        }
        if self.out.m_cqe.valid && i.m_cqe_ready {
            self.received.push((self.out.m_cqe.imm, self.out.m_cqe.byte_len));
        }
        if taken {
            let request = self.offered.take().expect("offered");
            self.check.request(&request);
        }
        self.quiet_cycles =
            if taken || i.m_ack.ready && self.out.m_ack.valid { 0 } else { self.quiet_cycles + 1 };
        self.clock(i);
        if self.rng.gen_ratio(1, 20) {
            if let Some(answer) = self.answers.pop_front() {
                self.requester.answer(&answer);
            }
            for landing in self.requester.landings.drain(..) {
                let bytes = self.read_bytes.entry(landing.wr_id).or_default();
                assert_eq!(bytes.len(), landing.offset as usize, "order of the bytes");
                bytes.extend(landing.bytes);
            }
        }
        if self.quiet_cycles == TIMEOUT_CYCLES {
            self.quiet_cycles = 0;
            self.requester.timeout();
        }
    }

    fn drive_dma(&mut self, i: &mut ResponderIn) {
        i.m_cmd.ready = self.rng.gen();
        i.m_data.tready = self.rng.gen_ratio(3, 4);
        if let (Some(tag), true) = (self.done.front(), self.rng.gen_ratio(1, 4)) {
            (i.s_done.valid, i.s_done.tag) = (true, *tag);
            if self.out.s_done.ready {
                self.done.pop_front();
            }
        }
        if self.out.m_cmd.valid && i.m_cmd.ready {
            let cmd = self.out.m_cmd;
            self.commands.push_back((cmd.addr, usize::from(cmd.bytes), cmd.tag));
        }
        if self.out.m_data.tvalid && i.m_data.tready {
            let beat = self.out.m_data;
            let bytes = beat.tdata.bytes();
            self.landed.extend(&bytes[..beat.tkeep.count_ones() as usize]);
        }
        while let Some(&(addr, bytes, tag)) = self.commands.front() {
            if self.landed.len() < bytes {
                break;
            }
            if bytes > 0 {
                let at = addr.checked_sub(HOST_ADDRESS).expect("inside of the region") as usize;
                let target = self.memory.get_mut(at..at + bytes).expect("inside of the region");
                target.copy_from_slice(&self.landed[..bytes]);
            }
            self.landed.drain(..bytes);
            self.commands.pop_front();
            self.done.push_back(tag);
        }
    }

    /// Posts WRITEs, and READs of what they wrote; returns their count.
    fn post(&mut self) -> u32 {
        let mut image: Vec<u8> = Vec::new();
        for wr_id in 0..COUNT {
            let length = [0, 1, MTU, self.rng.gen_range(0..1000)][self.rng.gen_range(0..4)];
            let (signalled, solicited, rkey) = (true, false, RKEY);
            if self.rng.gen_ratio(2, 5) {
                let start = self.rng.gen_range(0..=image.len());
                let bytes = &image[start..image.len().min(start + length)];
                self.expected.insert(wr_id, bytes.to_vec());
                let read_bytes = Some(bytes.len() as u32);
                let va = VA + start as u64;
                let work = Work { wr_id, read_bytes, va, rkey, signalled, ..Work::default() };
                self.requester.post(work);
                continue;
            }
            let bytes: Vec<u8> = (0..length).map(|_| self.rng.gen()).collect();
            let va = VA + image.len() as u64;
            image.extend(&bytes);
            let (read_bytes, imm) = (None, self.rng.gen::<bool>().then_some(wr_id));
            let work = Work { wr_id, bytes, read_bytes, va, rkey, imm, signalled, solicited };
            self.requester.post(work);
        }
        COUNT
    }

    fn run(&mut self, cycles_max: u32, seed: u64) {
        for _ in 0..cycles_max {
            self.step();
            let closed = self.check.responder().is_closed();
            if self.requester.is_idle() || closed {
                break;
            }
        }
        let closed = self.check.responder().is_closed();
        assert!(self.requester.is_idle() || closed, "seed {seed}: stuck");
        self.requests.clear();
        self.grant_1_in = 1;
        // What is under way comes to its end; nothing new is sent.
        self.requester = Requester::new(
            MTU,
            0,
            Limits { ack_interval: 1, retry: 0, rnr_retry: None, reads: 16 },
        );
        (0..5000).for_each(|_| self.step());
    }

    fn assert_equal(&self, seed: u64) {
        self.check.finish().unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        assert!(self.memory == self.check.memory.regions[&RKEY].bytes, "seed {seed}: memory");
        let due = self.check.received.iter();
        let due: Vec<_> = due.map(|r| (r.imm.expect("immediate"), r.length_bytes)).collect();
        assert_eq!(self.received, due, "seed {seed}: completions");
    }
}

fn req_in(request: &Request) -> streams::Request {
    let remote = request.remote.unwrap_or_default();
    streams::Request {
        valid: true,
        qpn: QPN,
        opcode: request.opcode,
        psn: request.psn,
        ack_req: request.ack_req,
        payload_bytes: request.payload.len() as u16,
        va: remote.va,
        rkey: remote.rkey,
        dma_len: remote.length_bytes,
        imm: request.imm.unwrap_or(0),
        src_ip: PEER_IP,
        ..streams::Request::default()
    }
}

fn beats(payload: &[u8]) -> impl Iterator<Item = Axis> + '_ {
    let count = payload.len().div_ceil(8);
    payload.chunks(8).enumerate().map(move |(n, chunk)| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        Axis {
            tvalid: true,
            tdata: Data::of(chunk),
            tkeep: keep(chunk.len()),
            tlast: n + 1 == count,
        }
    })
}

#[test]
fn rc_golden_responder_is_what_the_reference_says() {
    let (mut verdicts, mut responses) = ([0; 6], 0);
    for seed in 0..60 {
        let mut lab = Lab::new(seed, 1 << 30);
        lab.post();
        lab.run(2_000_000, seed);
        lab.assert_equal(seed);
        assert_eq!(lab.check.responder().msn(), COUNT, "seed {seed}");
        lab.expected.retain(|_, bytes| !bytes.is_empty());
        lab.read_bytes.retain(|_, bytes| !bytes.is_empty());
        assert_eq!(lab.read_bytes, lab.expected, "seed {seed}: what was read");
        responses += lab.check.response_count();
        (0..6).for_each(|n| verdicts[n] += lab.check.verdicts[n]);
    }
    println!("accepted, duplicate, out of sequence, not ready, refused, ignored: {verdicts:?}");
    println!("{responses} READ responses");
    assert!(responses > 500, "{responses} READ responses");
    assert!(verdicts[..3].iter().all(|n| *n > 200), "{verdicts:?}");
}

#[test]
fn rc_golden_responder_refuses_what_the_reference_refuses() {
    let mut refused = [0; 2];
    for seed in 1000..1120 {
        let mut lab = Lab::new(seed, 30);
        lab.post();
        lab.run(2_000_000, seed);
        lab.assert_equal(seed);
        refused[0] += lab.check.verdicts[Verdict::Refused(0).index()];
        refused[1] += u64::from(lab.check.responder().is_closed());
    }
    println!("{refused:?} refused and closed of 120");
    assert!(refused[0] > 60);
}
