//! Benches: responder.

use super::ack::{random_tel, random_watch, Owing, Replies};
use crate::env::stream::{Beat, FrameSink, FrameSource, Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::transport::ack::gen::AckGen;
use nic_models::golden::transport::responder::{Responder, ResponderIn, ResponderOut};
use nic_models::ports::Wide;
use nic_models::streams::{self, ReadyPort, Request, WriteDone};
use nic_spec::config::NicConfig;
use nic_spec::rows::{MrRow, QpRow, Row, Table};
use nic_spec::wire::bth::opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (c, d, e, f) = (config.clone(), config.clone(), config.clone(), config.clone());
    vec![
        Bench::new("ack_gen", config, move || AckGen::new(&c), move |s| Owing::new(&d, s)),
        Bench::new("responder", config, move || Responder::new(&e), move |s| Peers::new(&f, s)),
    ]
}

/// A request packet.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    opcode: u8,
    psn: u32,
    ack_req: bool,
    payload_bytes: u16,
    va: u64,
    rkey: u32,
    dma_len: u32,
    imm: u32,
}

/// How a requester sends: many small messages without mistakes, and one READ in so many messages.
type Manner = (bool, u32);

/// One requester: packets of valid messages, sent with losses, repetitions and mistakes.
#[derive(Clone, Debug, Default)]
struct Peer {
    qp: QpRow,
    /// Packets from the oldest that may be repeated.
    packets: VecDeque<Packet>,
    cursor: usize,
    next_psn: u32,
    acked_psn: u32,
    is_dead: bool,
}

impl Peer {
    fn new(rng: &mut ChaCha8Rng, index: u32, flow_count: u32) -> Self {
        let psn = match rng.gen_range(0..3) {
            0 => 0xff_ffff - rng.gen_range(0..40),
            1 => 0x80_0000 - rng.gen_range(0..40),
            _ => rng.gen_range(0..0x100_0000),
        };
        let qp = QpRow {
            valid: !rng.gen_ratio(1, 20),
            telemetry: rng.gen_ratio(3, 4),
            remote_write: !rng.gen_ratio(1, 20),
            remote_read: !rng.gen_ratio(1, 20),
            mtu_code: [0, 0, 0, 0, 0, 1, 1, 2, 3, 4][rng.gen_range(0..10)],
            qpn: rng.gen_range(0..0x100_0000 / flow_count) * flow_count + index,
            remote_ip: rng.gen(),
            rq_psn: psn,
            ..QpRow::default()
        };
        Self { qp, next_psn: psn, acked_psn: psn, ..Self::default() }
    }

    /// Appends the packets of one message to `mr`.
    fn extend(&mut self, rng: &mut ChaCha8Rng, mr: &MrRow, (bursts, reads_1_in): Manner) {
        let mtu = 256_u32 << self.qp.mtu_code;
        let reads = rng.gen_ratio(1, reads_1_in);
        let length = match rng.gen_range(0..if bursts { 6 } else { 10 }) {
            0 | 1 => 0,
            2..=5 => rng.gen_range(1..65),
            6 | 7 => mtu * rng.gen_range(1..3),
            8 => rng.gen_range(1..3 * mtu),
            _ => rng.gen_range(1..mtu),
        };
        let is_huge = reads && rng.gen_ratio(1, 60);
        let length = if is_huge { rng.gen_range(1 << 20..=1 << 31) } else { length };
        let longest = if is_huge { 1 << 31 } else { 1 << 20 };
        let length = length.min(mr.length_bytes.min(longest) as u32);
        let room = mr.length_bytes - u64::from(length);
        let near = room.min(1 << 33);
        let offset = if rng.gen_ratio(1, 3) { near } else { rng.gen_range(0..=near) };
        let offset = if rng.gen_ratio(1, 16) { room } else { offset };
        let va = mr.va.wrapping_add(offset);
        let (rkey, dma_len) = (mr.rkey, length);
        let count = length.div_ceil(mtu).max(1);
        if reads {
            let (opcode, psn, ack_req) = (opcode::READ_REQUEST, self.next_psn, rng.gen());
            let (payload_bytes, imm) = (0, 0);
            self.packets.push_back(Packet {
                opcode,
                psn,
                ack_req,
                payload_bytes,
                va,
                rkey,
                dma_len,
                imm,
            });
            self.next_psn = psn.wrapping_add(count) & 0xff_ffff;
            return self.forget();
        }
        let with_imm = u8::from(rng.gen_ratio(if bursts { 4 } else { 2 }, 5));
        for n in 0..count {
            let (is_first, is_last) = (n == 0, n + 1 == count);
            let opcode = match (is_first, is_last) {
                (true, true) => opcode::WRITE_ONLY + with_imm,
                (true, false) => opcode::WRITE_FIRST,
                (false, false) => opcode::WRITE_MIDDLE,
                (false, true) => opcode::WRITE_LAST + with_imm,
            };
            let payload_bytes = (length - n * mtu).min(mtu) as u16;
            let (psn, ack_req) = (self.next_psn, is_last || rng.gen_ratio(1, 4));
            let imm = rng.gen();
            self.packets.push_back(Packet {
                opcode,
                psn,
                ack_req,
                payload_bytes,
                va,
                rkey,
                dma_len,
                imm,
            });
            self.next_psn = (psn + 1) & 0xff_ffff;
        }
        self.forget();
    }

    fn forget(&mut self) {
        while self.packets.len() > 100 {
            self.packets.pop_front();
            self.cursor = self.cursor.saturating_sub(1);
        }
    }

    fn seek(&mut self, psn: u32) {
        let at = self.packets.iter().position(|p| p.psn == psn);
        self.cursor = at.unwrap_or(self.packets.len());
    }

    fn answered(&mut self, ack: &streams::Ack) {
        match ack.syndrome {
            0x1f => self.acked_psn = (ack.psn + 1) & 0xff_ffff,
            0x61..=0x63 => self.is_dead = true,
            _ => self.seek(ack.psn),
        }
    }

    /// The next packet on the wire, lost and repeated ones considered.
    fn send(&mut self, rng: &mut ChaCha8Rng, mr: &MrRow, manner: Manner) -> Packet {
        match if manner.0 { 120 } else { rng.gen_range(0..120) } {
            0..=3 => self.cursor = self.cursor.saturating_sub(rng.gen_range(1..6)),
            4..=6 => self.cursor += rng.gen_range(1..3),
            7..=9 => self.seek(self.acked_psn),
            _ => {}
        }
        while self.cursor >= self.packets.len() {
            self.extend(rng, mr, manner);
            self.cursor = self.cursor.min(self.packets.len() - 1);
        }
        self.cursor += 1;
        let mut packet = self.packets[self.cursor - 1];
        if packet.opcode == opcode::READ_REQUEST && rng.gen_ratio(1, 6) {
            // Its rest, as after the loss of responses.
            let mtu = 256_u32 << self.qp.mtu_code;
            let done = rng.gen_range(0..packet.dma_len.div_ceil(mtu).max(1));
            packet.psn = packet.psn.wrapping_add(done) & 0xff_ffff;
            packet.va = packet.va.wrapping_add(u64::from(done) * u64::from(mtu));
            packet.dma_len -= done * mtu;
            if rng.gen_ratio(1, 4) {
                // Too far, if nothing came behind it.
                packet.dma_len += mtu;
            }
        }
        packet
    }
}

/// One of `width` bits, often the highest or the lowest.
fn one_bit(rng: &mut ChaCha8Rng, width: u32) -> u32 {
    match rng.gen_range(0..4) {
        0 => 1,
        1 => 1 << (width - 1),
        _ => 1 << rng.gen_range(0..width),
    }
}

/// Spoils a packet in one of many ways.
fn spoil(rng: &mut ChaCha8Rng, p: &mut Request) {
    match rng.gen_range(0..20) {
        0 => p.qpn ^= one_bit(rng, 24),
        1 => p.src_ip ^= one_bit(rng, 32),
        2 => p.opcode = rng.gen_range(0..=opcode::READ_REQUEST),
        3 => {
            let codes = [opcode::COMPARE_SWAP, opcode::FETCH_ADD, opcode::SEND_ONLY_INVALIDATE];
            p.opcode = [codes[0], codes[1], codes[2], opcode::READ_REQUEST][rng.gen_range(0..4)];
            if rng.gen() {
                // A duplicate, which is not to be answered by an ACK.
                p.psn = p.psn.wrapping_sub(rng.gen_range(1..6)) & 0xff_ffff;
            }
        }
        4 => p.payload_bytes = rng.gen_range(0..=4096),
        5 => p.payload_bytes = p.payload_bytes.saturating_sub(1),
        6 => p.payload_bytes = (p.payload_bytes + 1).min(4096),
        7 => p.va = p.va.wrapping_add(1),
        8 => p.va = p.va.wrapping_sub(rng.gen::<u64>() >> rng.gen_range(0..64)),
        9 => p.rkey ^= one_bit(rng, 32),
        10 => p.dma_len ^= one_bit(rng, 32),
        11 => p.dma_len = rng.gen(),
        12 => p.dma_len = [0, 1 << 31, (1 << 31) + 1, u32::MAX][rng.gen_range(0..4)],
        13 => p.psn ^= one_bit(rng, 24),
        14..=17 => {
            p.opcode = match p.opcode {
                opcode::WRITE_ONLY => opcode::WRITE_FIRST,
                opcode::WRITE_LAST => opcode::WRITE_MIDDLE,
                opcode::WRITE_MIDDLE => opcode::WRITE_LAST,
                _ => opcode::WRITE_ONLY,
            }
        }
        18 => p.psn = p.psn.wrapping_add(0x80_0000) & 0xff_ffff,
        _ => p.opcode = rng.gen_range(opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMM),
    }
}

/// Answers commands as the DMA does: in order, once the bytes have come.
#[derive(Debug)]
struct Dma {
    cmd: Sink,
    data: Sink,
    done: Source<(u128, bool)>,
    /// Bytes and tag of commands whose frame has not come.
    waiting: VecDeque<(u16, u128)>,
    frame: FrameSink,
    frames: VecDeque<usize>,
    ended: VecDeque<(u128, bool)>,
    error_1_in: u32,
    /// Keeps all ends back.
    holds: bool,
}

impl Dma {
    fn new(mut rng: impl FnMut() -> ChaCha8Rng, error_1_in: u32) -> Self {
        Self {
            cmd: Sink::new(rng()),
            data: Sink::new(rng()),
            done: Source::new(rng()),
            waiting: VecDeque::new(),
            frame: FrameSink::default(),
            frames: VecDeque::new(),
            ended: VecDeque::new(),
            error_1_in,
            holds: false,
        }
    }

    fn reset(&mut self) {
        self.waiting.clear();
        self.frames.clear();
        self.ended.clear();
        self.done.reset();
        self.frame = FrameSink::default();
    }

    fn drive(&mut self, rng: &mut ChaCha8Rng, out: &ResponderOut, i: &mut ResponderIn) {
        let (ended, holds) = (&mut self.ended, self.holds);
        let next = || if holds { None } else { ended.pop_front() };
        let done = self.done.drive(out.s_done.ready, next);
        if let Some((tag, error)) = done {
            i.s_done = WriteDone { valid: true, tag, error };
        }
        i.m_cmd.ready = self.waiting.len() + self.ended.len() < 100 && self.cmd.drive();
        i.m_data.tready = self.data.drive();
        if out.m_cmd.valid && i.m_cmd.ready {
            self.waiting.push_back((out.m_cmd.bytes, out.m_cmd.tag));
        }
        if out.m_data.tvalid && i.m_data.tready {
            let frame = self.frame.take(&Beat::of(&out.m_data));
            self.frames.extend(frame.map(|f| f.bytes.len()));
        }
        while let Some(&(bytes, tag)) = self.waiting.front() {
            if bytes > 0 {
                let Some(length) = self.frames.pop_front() else { return };
                assert_eq!(length, usize::from(bytes), "frame and command disagree");
            }
            self.waiting.pop_front();
            self.ended.push_back((tag, bytes > 0 && rng.gen_ratio(1, self.error_1_in)));
        }
    }
}

/// A row on its way to the tables.
#[derive(Clone, Copy, Debug)]
struct Staged {
    table: Table,
    index: usize,
    row: Row,
}

/// Requesters on several queue pairs, software that rewrites tables, a DMA and a slow tx.
#[derive(Debug)]
pub struct Peers {
    rng: ChaCha8Rng,
    flow_count: u32,
    mr_count: u32,
    peers: Vec<Peer>,
    regions: Vec<MrRow>,
    rows: VecDeque<Staged>,
    cfg: Source<Staged>,
    request: Source<Request>,
    upcoming: Option<Request>,
    beat_bytes: usize,
    payload: FrameSource,
    dma: Dma,
    ack: Sink,
    cqe: Sink,
    space: Sink,
    replies: Replies,
    /// One in so many cycles lets a READ response leave.
    grant_1_in: u32,
    fail: Option<u16>,
    rnr_timer: u8,
    /// Cycles that requests keep away from a new table.
    quiet: u32,
    has_resets: bool,
    /// Many small messages without mistakes, whose ends are kept back for long.
    bursts: bool,
    reads_1_in: u32,
}

impl Peers {
    /// A stimulus from a seed.
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut next = || ChaCha8Rng::from_rng(&mut rng).expect("seeding never fails");
        let (cfg, request) = (Source::new(next()), Source::new(next()));
        let payload = FrameSource::new(next(), config.data_bytes());
        let (ack, cqe, space) = (Sink::new(next()), Sink::new(next()), Sink::new(next()));
        let dma = Dma::new(next, 60);
        let (flow_count, mr_count) = (config.flow_count as u32, config.mr_count as u32);
        let (peers, regions, rows) = Default::default();
        let (rnr_timer, quiet) = (0, 0);
        let mut new = Self {
            rng,
            flow_count,
            mr_count,
            peers,
            regions,
            rows,
            cfg,
            request,
            upcoming: None,
            beat_bytes: config.data_bytes(),
            payload,
            dma,
            ack,
            cqe,
            space,
            replies: Replies::new(config),
            grant_1_in: 1,
            fail: None,
            rnr_timer,
            quiet,
            has_resets: true,
            bursts: false,
            reads_1_in: 4,
        };
        new.start();
        new
    }

    /// The same without resets in between.
    pub fn without_resets(mut self) -> Self {
        self.has_resets = false;
        self
    }

    /// Inputs for `cycle` without new requests and new table rows.
    pub fn without_requests(&mut self, cycle: u64, out: &ResponderOut) -> ResponderIn {
        self.quiet = 2;
        self.upcoming = None;
        self.next(cycle, out)
    }

    /// Fills the tables, as software does after reset.
    fn start(&mut self) {
        let peer_count = [1, 2, 6][self.rng.gen_range(0..3)];
        (self.peers, self.regions) = Default::default();
        self.rows.clear();
        (0..6).for_each(|n| self.write_region(n));
        (0..peer_count).for_each(|n| self.write_peer(n));
        self.quiet = 400;
    }

    fn write_region(&mut self, n: usize) {
        let rng = &mut self.rng;
        let index = match self.regions.get(n) {
            Some(mr) => mr.rkey >> 8 & (self.mr_count - 1),
            None => rng.gen_range(0..self.mr_count / 8) * 8 + n as u32,
        };
        let length_bytes: u64 = match rng.gen_range(0..6) {
            5 => u64::MAX - rng.gen_range(0..0x1000),
            0 => rng.gen_range(0..0x1000),
            1 => 1 << 32 | rng.gen_range(0..0x1000),
            _ => rng.gen_range(0x4000..0x10_0000),
        };
        let va = match rng.gen_range(0..4) {
            0 => u64::MAX - length_bytes,
            1 => 0,
            2 => (1 << 32) - length_bytes.min(1 << 20) / 2,
            _ => rng.gen::<u64>() >> 1,
        };
        let row = MrRow {
            valid: !rng.gen_ratio(1, 30),
            remote_write: !rng.gen_ratio(1, 30),
            remote_read: !rng.gen_ratio(1, 30),
            rkey: rng.gen_range(0..0x1_0000) << 16 & !(self.mr_count - 1) << 8
                | index << 8
                | rng.gen_range(0..0x100),
            va,
            length_bytes,
            host_address: rng.gen(),
        };
        if n == self.regions.len() {
            self.regions.push(row);
        }
        self.regions[n] = row;
        let staged = Staged { table: Table::Mr, index: index as usize, row: row.to_row() };
        self.rows.push_back(staged);
    }

    fn write_peer(&mut self, n: usize) {
        let flows = self.flow_count;
        let index = match self.peers.get(n) {
            Some(peer) => peer.qp.qpn & (flows - 1),
            None => self.rng.gen_range(0..flows / 4) * 4 % flows + n as u32 % 4,
        };
        let peer = Peer::new(&mut self.rng, index, flows);
        let row = peer.qp.to_row();
        self.rows.push_back(Staged { table: Table::Qp, index: index as usize, row });
        if n == self.peers.len() {
            self.peers.push(peer);
        } else {
            self.peers[n] = peer;
        }
    }

    /// Software's work: repair what is dead, and change what works.
    fn maintain(&mut self) {
        let n = self.rng.gen_range(0..self.peers.len());
        let is_dead = self.peers[n].is_dead && self.rng.gen_ratio(1, 50);
        if is_dead || self.rng.gen_ratio(1, 3000) {
            self.write_peer(n);
        }
        if self.rng.gen_ratio(1, 2000) {
            let n = self.rng.gen_range(0..self.regions.len());
            self.write_region(n);
        }
        if self.rng.gen_ratio(1, 1000) {
            self.rnr_timer = self.rng.gen_range(0..32);
        }
    }

    fn request(&mut self) -> Request {
        let rng = &mut self.rng;
        let n = rng.gen_range(0..self.peers.len());
        let mr = self.regions[rng.gen_range(0..self.regions.len())];
        let peer = &mut self.peers[n];
        let packet = peer.send(rng, &mr, (self.bursts, self.reads_1_in));
        let has_reth = opcode::has_reth(packet.opcode);
        let reth = |v: u64| if has_reth { v } else { 0 };
        let mut req = Request {
            valid: true,
            qpn: peer.qp.qpn,
            opcode: packet.opcode,
            psn: packet.psn,
            ack_req: packet.ack_req,
            payload_bytes: packet.payload_bytes,
            va: reth(packet.va),
            rkey: reth(packet.rkey.into()) as u32,
            dma_len: reth(packet.dma_len.into()) as u32,
            imm: if opcode::has_immdt(packet.opcode) { packet.imm } else { 0 },
            src_ip: peer.qp.remote_ip,
            tel: random_tel(rng),
        };
        if !self.bursts && rng.gen_ratio(1, 16) {
            spoil(rng, &mut req);
        }
        req
    }

    fn drive_streams(&mut self, out: &ResponderOut, i: &mut ResponderIn) {
        let mut made = None;
        if self.quiet > 0 {
            self.quiet -= 1;
        } else if self.upcoming.is_none() && self.payload.pending_beats() < 1000 {
            self.upcoming = Some(self.request());
        }
        let upcoming = &mut self.upcoming;
        let next = || {
            made = upcoming.take();
            made
        };
        i.s_req = self.request.drive(out.s_req.ready, next).unwrap_or_default();
        if let Some(req) = made {
            let bytes: Vec<u8> = (0..req.payload_bytes).map(|_| self.rng.gen()).collect();
            self.payload.push(&bytes, false);
        }
        i.s_payload = Beat::offered(self.payload.drive(out.s_payload.tready));
        let rows = &mut self.rows;
        if let Some(staged) = self.cfg.drive(out.s_cfg_ready, || rows.pop_front()) {
            i.s_cfg_valid = true;
            (i.cfg_table, i.cfg_index) = (staged.table as u8, staged.index as u16);
            let word = |n: usize| u64::from(staged.row[n]);
            i.cfg_row = Wide(core::array::from_fn(|n| word(2 * n) | word(2 * n + 1) << 32));
        }
    }
}

impl Stimulus<Responder> for Peers {
    fn next(&mut self, cycle: u64, out: &ResponderOut) -> ResponderIn {
        if cycle.is_multiple_of(4096) {
            self.bursts = self.rng.gen_ratio(1, 3);
            self.reads_1_in = [1, 4, 4, 10][self.rng.gen_range(0..4)];
            self.grant_1_in = [1, 1, 10, 100, 3000][self.rng.gen_range(0..5)];
        }
        self.dma.holds = self.bursts && cycle % 4096 < 2000;
        let mut i = ResponderIn {
            reset: self.has_resets && self.rng.gen_ratio(1, 30_000),
            cfg_cq_space: self.space.drive(),
            cfg_rnr_timer: self.rnr_timer,
            cfg_worst_hop: !self.rnr_timer.is_multiple_of(4),
            watch: random_watch(&mut self.rng, self.flow_count as u16),
            m_ack: ReadyPort { ready: self.ack.drive() },
            m_cqe_ready: self.cqe.drive(),
            ..ResponderIn::default()
        };
        if self.rows.is_empty() {
            self.maintain();
        }
        self.drive_streams(out, &mut i);
        self.dma.drive(&mut self.rng, out, &mut i);
        if self.fail.is_none() && self.rng.gen_ratio(1, 10_000) {
            let n = self.rng.gen_range(0..self.peers.len());
            self.fail = Some((self.peers[n].qp.qpn & (self.flow_count - 1)) as u16);
        }
        let grants = self.rng.gen_ratio(1, self.grant_1_in);
        let takes = self.rng.gen_ratio(7, 8);
        let fail_taken = self.replies.takes_fail();
        self.replies.drive(out, &mut i, (grants, takes, self.fail));
        self.fail = self.fail.filter(|_| !fail_taken);
        if out.m_ack.valid && i.m_ack.ready {
            let mask = self.flow_count - 1;
            let flow = u32::from(out.m_ack.flow);
            let peer = self.peers.iter_mut().find(|p| p.qp.qpn & mask == flow);
            peer.into_iter().for_each(|p| p.answered(&out.m_ack));
        }
        if i.reset {
            self.fail = None;
            self.request.reset();
            self.cfg.reset();
            self.dma.reset();
            self.upcoming = None;
            let rng = ChaCha8Rng::from_rng(&mut self.rng).expect("seeding never fails");
            self.payload = FrameSource::new(rng, self.beat_bytes);
            self.start();
        }
        i
    }
}
