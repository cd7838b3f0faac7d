//! Twin of `transport/requester`: an operation is worked out as a whole when it starts, and its
//! effects appear in the cycles that the interface page names.

mod ports;

use crate::ports::Golden;
use nic_spec::config::NicConfig;
use nic_spec::rows::{Operation, QpRow, Row, WrRow};
pub use ports::*;
use std::collections::VecDeque;

const PSN_MASK: u32 = 0xff_ffff;
/// Cycles between timer scans.
const SCAN_CYCLES: u64 = 32;

/// Cycles of the steps that every operation is made of.
mod cycles {
    /// Row read and loaded, the operation judged.
    pub const JUDGE_ROW: u32 = 2;
    /// ACK or timer judged.
    pub const JUDGE_ACK: u32 = 3;
    /// The next work request becomes the head.
    pub const NEXT_HEAD: u32 = 3;
    /// A work request is read.
    pub const READ: u32 = 2;
    /// A packet is prepared.
    pub const PREPARE: u32 = 4;
    /// Its frame bytes are known.
    pub const FRAME_BYTES: u32 = 2;
    /// A work request is entered.
    pub const POST: u32 = 4;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Timer {
    #[default]
    Off,
    Retransmission,
    Rnr,
}

/// A posted work request.
#[derive(Clone, Copy, Debug)]
struct Posted {
    wr: WrRow,
    first_psn: u32,
    packet_count: u32,
    /// Bytes posted to the flow before this one, modulo 2^32.
    start_seq: u32,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    qp: QpRow,
    failed: bool,
    armed: bool,
    timer: Timer,
    deadline: u64,
    retries: u8,
    /// Oldest first.
    queue: VecDeque<Posted>,
    /// Work request in `queue` that `nxt` belongs to; its length if there is none.
    current: usize,
    una: u32,
    nxt: u32,
    /// PSN behind the highest ever sent.
    high: u32,
    tail_psn: u32,
    una_seq: u32,
    nxt_seq: u32,
    tail_seq: u32,
}

/// A packet of a message.
#[derive(Clone, Copy, Debug)]
struct Packet {
    posted: Posted,
    is_first: bool,
    is_last: bool,
    offset: u32,
    bytes: u32,
}

impl Flow {
    fn mtu(&self) -> u32 {
        256 << self.qp.mtu_code.min(4)
    }

    fn has_pending(&self) -> bool {
        self.current < self.queue.len()
    }

    fn may_arm(&self) -> bool {
        self.has_pending() && !self.armed && self.timer != Timer::Rnr
    }

    fn packet(&self) -> Packet {
        let posted = self.queue[self.current];
        let index = psn_distance(posted.first_psn, self.nxt);
        let offset = index.wrapping_mul(self.mtu());
        let rest = posted.wr.length_bytes.wrapping_sub(offset);
        let (is_first, is_last) = (index == 0, rest <= self.mtu());
        Packet { posted, is_first, is_last, offset, bytes: rest.min(self.mtu()) }
    }

    fn inflight_bytes(&self) -> u32 {
        self.nxt_seq.wrapping_sub(self.una_seq)
    }

    fn rewind(&mut self) {
        (self.nxt, self.nxt_seq, self.current) = (self.una, self.una_seq, 0);
    }

    /// Time at which a retransmission timer that starts at `now` runs out.
    fn start_timer(&mut self, now: u64) {
        self.timer = Timer::Off;
        if self.qp.timeout_exponent != 0 {
            self.timer = Timer::Retransmission;
            self.deadline = now + (1 << self.qp.timeout_exponent) + 1;
        }
    }
}

/// Distance from PSN `a` to PSN `b`.
fn psn_distance(a: u32, b: u32) -> u32 {
    b.wrapping_sub(a) & PSN_MASK
}

/// Whether PSN `a` is at or behind `b` in serial-number arithmetic.
fn psn_reaches(a: u32, b: u32) -> bool {
    psn_distance(b, a) < 1 << 23
}

/// RNR timer codes in units of 10 us (InfiniBand, volume 1, table 45).
const RNR_10_US: [u32; 32] = [
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Ack,
    Cfg,
    Fail,
    Grant,
    Scan,
}

/// What happens when; an action takes a cycle, and longer while its slot is taken.
#[derive(Clone, Copy, Debug)]
enum Step {
    Wait(u32),
    Completion {
        wr_id: u32,
        byte_len: u32,
        status: u8,
        signalled: bool,
    },
    Events(RequesterEvents),
    Send(PktPorts, ReadPorts, bool),
    Work(WorkPorts),
    Inflight(InflightPorts, Option<CcPorts>),
    /// The sink's ready is high.
    Done,
}

impl Step {
    fn completion(wr: &WrRow, status: u8) -> Self {
        let (wr_id, byte_len, signalled) = (wr.wr_id, wr.length_bytes, wr.signalled);
        Self::Completion { wr_id, byte_len, status, signalled }
    }
}

/// Requester of RDMA WRITE.
#[derive(Clone, Debug)]
pub struct Requester {
    sq_depth: usize,
    tick_cycles: u64,
    flows: Vec<Flow>,
    scrub_left: usize,
    /// Cycles since reset.
    cycle: u64,
    scan_flow: usize,
    scan_due: bool,
    scan_urgent: bool,
    picked: Option<(Op, usize)>,
    op: Op,
    script: VecDeque<Step>,
    out: RequesterOut,
}

impl Requester {
    /// A requester of the sizes of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            sq_depth: config.sq_depth,
            tick_cycles: (config.clock_hz * 4096 / 1_000_000_000).max(1),
            flows: vec![Flow::default(); config.flow_count],
            scrub_left: config.flow_count,
            cycle: 0,
            scan_flow: 0,
            scan_due: false,
            scan_urgent: false,
            picked: None,
            op: Op::Scan,
            script: VecDeque::with_capacity(64),
            out: RequesterOut::default(),
        }
    }

    fn reset(&mut self) {
        self.flows.iter_mut().for_each(|f| *f = Flow::default());
        self.scrub_left = self.flows.len();
        (self.cycle, self.scan_flow) = (0, 0);
        (self.scan_due, self.scan_urgent) = (false, false);
        self.picked = None;
        self.script.clear();
        self.out = RequesterOut::default();
    }

    fn now(&self) -> u64 {
        self.cycle / self.tick_cycles
    }

    /// What is waiting, most urgent first.
    fn pick(&self, i: &RequesterIn, packet_free: bool) -> Option<(Op, usize)> {
        let index = |flow: u64| flow as usize % self.flows.len();
        if self.scan_urgent {
            Some((Op::Scan, self.scan_flow))
        } else if i.s_ack.valid {
            Some((Op::Ack, index(i.s_ack.qpn.into())))
        } else if i.s_cfg.valid {
            Some((Op::Cfg, index(i.cfg_index.into())))
        } else if i.s_fail.valid {
            Some((Op::Fail, index(i.s_fail.flow.into())))
        } else if i.s_grant.valid && packet_free {
            Some((Op::Grant, index(i.s_grant.flow.into())))
        } else {
            self.scan_due.then_some((Op::Scan, self.scan_flow))
        }
    }

    fn start(&mut self, op: Op, flow: usize, i: &RequesterIn) {
        self.op = op;
        match op {
            Op::Ack => self.ack(flow, i),
            Op::Cfg => self.cfg(flow, i),
            Op::Fail => self.local_error(flow),
            Op::Grant => self.grant(flow, i),
            Op::Scan => self.scan(flow, i),
        }
    }

    fn wait(&mut self, cycles: u32) {
        self.script.push_back(Step::Wait(cycles));
    }

    fn events(&mut self, set: impl FnOnce(&mut RequesterEvents)) {
        let mut events = RequesterEvents::default();
        set(&mut events);
        self.script.push_back(Step::Events(events));
    }

    fn save(&mut self) {
        self.wait(1);
        self.script.push_back(Step::Done);
    }

    /// Arms the flow for its next packet.
    fn arm(&mut self, flow: usize, read: bool, i: &RequesterIn) {
        let read_cycles = if read { cycles::READ } else { 0 };
        self.wait(read_cycles + cycles::PREPARE + cycles::FRAME_BYTES);
        let f = &mut self.flows[flow];
        f.armed = true;
        let packet = f.packet();
        let telemetry_bytes = match i.cfg_tel_format {
            1 if f.qp.telemetry => 2,
            2 if f.qp.telemetry => 42,
            _ => 0,
        };
        let reth_bytes = if packet.is_first { 16 } else { 0 };
        let has_imm = packet.posted.wr.operation == Operation::WriteImmediate && packet.is_last;
        let transport_bytes = 12 + reth_bytes + if has_imm { 4 } else { 0 };
        let len_bytes =
            14 + 20 + 8 + telemetry_bytes + transport_bytes + packet.bytes.next_multiple_of(4) + 4;
        self.script.push_back(Step::Work(WorkPorts {
            valid: true,
            flow: flow as u16,
            len_bytes: len_bytes as u16,
            inflight_bytes: f.inflight_bytes(),
        }));
        self.save();
    }

    /// The head fails with `status`, the rest of the queue is flushed, the queue pair is in error.
    fn fail(&mut self, flow: usize, status: u8) {
        let f = &mut self.flows[flow];
        for (at, posted) in f.queue.drain(..).enumerate() {
            let status = if at == 0 { status } else { 6 };
            self.script.push_back(Step::Wait(cycles::READ));
            self.script.push_back(Step::completion(&posted.wr, status));
        }
        (f.failed, f.timer, f.current) = (true, Timer::Off, 0);
        self.wait(1);
        self.save();
    }

    fn ack(&mut self, flow: usize, i: &RequesterIn) {
        self.wait(cycles::JUDGE_ACK);
        let a = &i.s_ack;
        let f = &self.flows[flow];
        let distance = psn_distance(f.una, a.psn);
        let (kind, code) = (a.syndrome >> 5, a.syndrome & 0x1f);
        let is_ours = f.qp.valid && f.qp.qpn == a.qpn && f.qp.remote_ip == a.src_ip && !f.failed;
        let is_outstanding = distance < psn_distance(f.una, f.high);
        let is_behind = distance >= 1 << 23;
        self.events(|e| match kind {
            _ if !is_ours => e.no_qp = true,
            _ if !is_outstanding && is_behind => e.ack_coalesced_stale = true,
            _ if !is_outstanding => e.ack_ghost = true,
            0 => e.ack = true,
            1 => e.nak_rnr = true,
            3 if code == 0 => e.nak_sequence = true,
            3 => e.nak_fatal = true,
            _ => e.ack_ghost = true,
        });
        if !is_ours || !is_outstanding || !matches!(kind, 0 | 1 | 3) {
            self.script.push_back(Step::Done);
            return;
        }
        let una = if kind == 0 { (a.psn + 1) & PSN_MASK } else { a.psn };
        let has_progress = una != self.flows[flow].una;
        self.acknowledge(flow, una);
        self.wait(2);
        if has_progress {
            self.flows[flow].retries = 0;
        }
        match (kind, code) {
            (0, _) => self.ack_done(flow, i),
            (1, _) => self.rnr(flow, code),
            (3, 0) => self.nak_sequence(flow, has_progress, i),
            (_, 2) => self.fail(flow, 2),
            (_, 3) => self.fail(flow, 4),
            _ => self.fail(flow, 3),
        }
    }

    /// All PSNs before `una` are acknowledged: completes what that covers.
    fn acknowledge(&mut self, flow: usize, una: u32) {
        let f = &mut self.flows[flow];
        while let Some(head) = f.queue.front().copied() {
            let end = head.first_psn.wrapping_add(head.packet_count) & PSN_MASK;
            if !psn_reaches(una, end) {
                self.script.push_back(Step::Wait(1));
                break;
            }
            self.script.push_back(Step::completion(&head.wr, 0));
            f.queue.pop_front();
            f.current = f.current.saturating_sub(1);
            if !f.queue.is_empty() {
                self.script.push_back(Step::Wait(cycles::NEXT_HEAD));
            }
        }
        f.una = una;
        f.una_seq = match f.queue.front() {
            None => f.tail_seq,
            Some(head) => {
                let packets = psn_distance(head.first_psn, una);
                head.start_seq.wrapping_add(packets.wrapping_mul(f.mtu()))
            }
        };
    }

    fn inflight(&mut self, flow: usize, cc: Option<CcPorts>) {
        let inflight_bytes = self.flows[flow].inflight_bytes();
        let ports = InflightPorts { valid: true, flow: flow as u16, inflight_bytes };
        self.script.push_back(Step::Inflight(ports, cc));
    }

    fn ack_done(&mut self, flow: usize, i: &RequesterIn) {
        let now = self.now();
        let f = &mut self.flows[flow];
        // The ACK of a duplicate may be ahead of where we resend.
        let overtakes = psn_reaches(f.una, f.nxt);
        if overtakes {
            f.rewind();
        }
        if f.timer != Timer::Rnr {
            f.timer = Timer::Off;
            if !overtakes {
                f.start_timer(now);
            }
        }
        let tel = i.s_ack.tel;
        let cc = CcPorts { valid: true, flow: flow as u16, psn: i.s_ack.psn, snd_nxt: f.nxt, tel };
        self.inflight(flow, tel.valid.then_some(cc));
        self.script.push_back(Step::Done);
    }

    fn rnr(&mut self, flow: usize, code: u8) {
        let now = self.now();
        let f = &mut self.flows[flow];
        f.rewind();
        f.timer = Timer::Rnr;
        f.deadline = now + u64::from(RNR_10_US[usize::from(code)] * 5 / 2 + 2);
        self.inflight(flow, None);
        self.script.push_back(Step::Done);
    }

    fn nak_sequence(&mut self, flow: usize, has_progress: bool, i: &RequesterIn) {
        let f = &mut self.flows[flow];
        if !has_progress {
            if f.retries == f.qp.retry_limit {
                return self.fail(flow, 1);
            }
            f.retries += 1;
        }
        if f.timer != Timer::Rnr {
            f.timer = Timer::Off;
        }
        self.resend(flow, i);
    }

    /// Goes back to the oldest unacknowledged PSN.
    fn resend(&mut self, flow: usize, i: &RequesterIn) {
        self.flows[flow].rewind();
        self.inflight(flow, None);
        if self.flows[flow].may_arm() {
            self.arm(flow, true, i);
        } else {
            self.script.push_back(Step::Done);
        }
    }

    fn cfg(&mut self, flow: usize, i: &RequesterIn) {
        let row = row_words(i);
        match i.cfg_table {
            0 => {
                let qp = QpRow::from_row(&row);
                let psn = qp.sq_psn;
                let (una, nxt, high, tail_psn) = (psn, psn, psn, psn);
                self.flows[flow] = Flow { qp, una, nxt, high, tail_psn, ..Flow::default() };
                self.wait(cycles::JUDGE_ROW);
                self.save();
            }
            2 => self.post(flow, WrRow::from_row(&row), i),
            _ => {
                self.wait(cycles::JUDGE_ROW);
                self.script.push_back(Step::Done);
            }
        }
    }

    fn post(&mut self, flow: usize, wr: WrRow, i: &RequesterIn) {
        let f = &mut self.flows[flow];
        if !f.qp.valid || f.queue.len() == self.sq_depth {
            self.wait(cycles::JUDGE_ROW - 1);
            self.events(|e| e.wr_refused = true);
            self.script.push_back(Step::Done);
            return;
        }
        if f.failed {
            self.wait(cycles::JUDGE_ROW);
            self.script.push_back(Step::completion(&wr, 6));
            self.script.push_back(Step::Done);
            return;
        }
        let packet_count = wr.length_bytes.div_ceil(f.mtu()).max(1);
        let (first_psn, start_seq) = (f.tail_psn, f.tail_seq);
        f.queue.push_back(Posted { wr, first_psn, packet_count, start_seq });
        f.tail_psn = f.tail_psn.wrapping_add(packet_count) & PSN_MASK;
        f.tail_seq = f.tail_seq.wrapping_add(wr.length_bytes);
        let arms = f.may_arm();
        self.wait(cycles::JUDGE_ROW + cycles::POST);
        if arms {
            self.arm(flow, true, i);
        } else {
            self.save();
        }
    }

    fn local_error(&mut self, flow: usize) {
        self.wait(cycles::JUDGE_ROW);
        if self.flows[flow].queue.is_empty() {
            self.script.push_back(Step::Done);
        } else {
            self.fail(flow, 5);
        }
    }

    fn grant(&mut self, flow: usize, i: &RequesterIn) {
        let now = self.now();
        self.wait(cycles::JUDGE_ROW);
        let f = &mut self.flows[flow];
        f.armed = false;
        if !f.has_pending() || f.timer == Timer::Rnr {
            return self.save();
        }
        // The first cycle of the read is that of the judgement.
        let read_cycles = cycles::READ - 1;
        let packet = f.packet();
        let wr = packet.posted.wr;
        let has_imm = packet.is_last && wr.operation == Operation::WriteImmediate;
        let opcode = match (packet.is_first, packet.is_last) {
            (true, false) => 0x06,
            (false, false) => 0x07,
            (false, true) => 0x08 + u8::from(has_imm),
            (true, true) => 0x0a + u8::from(has_imm),
        };
        let interval_mask = (1_u32 << f.qp.ack_interval_log2) - 1;
        let pkt = PktPorts {
            valid: true,
            flow: flow as u16,
            opcode,
            psn: f.nxt,
            ack_req: packet.is_last || f.nxt & interval_mask == interval_mask,
            solicited: has_imm && wr.solicited,
            payload_bytes: packet.bytes as u16,
            va: wr.remote_va,
            rkey: wr.rkey,
            dma_len: wr.length_bytes,
            imm: wr.immediate,
        };
        let read = ReadPorts {
            valid: packet.bytes > 0,
            addr: wr.local_address.wrapping_add(packet.offset.into()),
            bytes: packet.bytes as u16,
        };
        let is_resent = f.nxt != f.high;
        f.nxt = (f.nxt + 1) & PSN_MASK;
        if !is_resent {
            f.high = f.nxt;
        }
        f.nxt_seq = f.nxt_seq.wrapping_add(packet.bytes);
        f.current += usize::from(packet.is_last);
        if f.timer == Timer::Off {
            f.start_timer(now);
        }
        let has_pending = f.has_pending();
        self.wait(read_cycles + cycles::PREPARE);
        self.script.push_back(Step::Send(pkt, read, is_resent));
        self.wait(1);
        if has_pending {
            self.arm(flow, packet.is_last, i);
        } else {
            self.save();
        }
    }

    fn scan(&mut self, flow: usize, i: &RequesterIn) {
        let now = self.now();
        self.wait(cycles::JUDGE_ACK);
        let f = &mut self.flows[flow];
        if f.timer == Timer::Off || now < f.deadline {
            self.wait(1);
        } else if f.timer == Timer::Rnr {
            f.timer = Timer::Off;
            self.wait(1);
            if self.flows[flow].may_arm() {
                self.arm(flow, true, i);
            } else {
                self.save();
            }
        } else {
            let is_out = f.retries == f.qp.retry_limit;
            self.events(|e| e.timeout = true);
            if is_out {
                return self.fail(flow, 1);
            }
            let f = &mut self.flows[flow];
            f.retries += 1;
            f.timer = Timer::Off;
            self.wait(1);
            self.resend(flow, i);
        }
    }

    /// Does the front of the script; false while its slot is taken.
    fn act(&mut self, step: Step, before: &RequesterOut) -> bool {
        let out = &mut self.out;
        match step {
            Step::Wait(cycles) => {
                if cycles > 1 {
                    self.script[0] = Step::Wait(cycles - 1);
                    return false;
                }
            }
            Step::Events(events) => out.event_reqr = events,
            Step::Completion { wr_id, byte_len, status, signalled } => {
                if before.m_order.valid {
                    return false;
                }
                let (op, addr, bytes, flow) = (order::COMPLETION, 0, 0, self.op_flow());
                let order = OrderPorts {
                    valid: true,
                    op,
                    flow,
                    addr,
                    bytes,
                    status,
                    wr_id,
                    byte_len,
                    signalled,
                };
                self.out.m_order = order;
            }
            Step::Send(pkt, read, is_resent) => {
                out.m_pkt = pkt;
                if read.valid {
                    out.m_read = read;
                }
                out.event_reqr.retransmit_packet = is_resent;
            }
            Step::Work(work) => {
                if before.m_work.valid {
                    return false;
                }
                out.m_work = work;
            }
            Step::Inflight(inflight, cc) => {
                if before.m_inflight.valid || before.m_cc.valid {
                    return false;
                }
                out.m_inflight = inflight;
                out.m_cc = cc.unwrap_or(out.m_cc);
            }
            Step::Done => {}
        }
        true
    }

    fn op_flow(&self) -> u16 {
        self.picked.map_or(0, |(_, flow)| flow as u16)
    }

    fn run(&mut self, i: &RequesterIn, before: &RequesterOut) {
        let packet_free = !before.m_pkt.valid && !before.m_read.valid;
        if self.script.is_empty() {
            match self.picked {
                None => self.picked = self.pick(i, packet_free),
                Some((op, flow)) => {
                    self.start(op, flow, i);
                    if op == Op::Scan {
                        self.scan_flow = (self.scan_flow + 1) % self.flows.len();
                        (self.scan_due, self.scan_urgent) = (false, false);
                    }
                }
            }
            return;
        }
        let step = self.script[0];
        if self.act(step, before) {
            self.script.pop_front();
            if let Some(Step::Done) = self.script.front() {
                self.set_ready();
            }
        }
        if self.script.is_empty() {
            self.picked = None;
        }
    }

    fn set_ready(&mut self) {
        match self.op {
            Op::Ack => self.out.s_ack.ready = true,
            Op::Cfg => self.out.s_cfg.ready = true,
            Op::Fail => self.out.s_fail.ready = true,
            Op::Grant => self.out.s_grant.ready = true,
            Op::Scan => {}
        }
    }
}

fn row_words(i: &RequesterIn) -> Row {
    core::array::from_fn(|n| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32)
}

impl Golden for Requester {
    type In = RequesterIn;
    type Out = RequesterOut;

    fn step(&mut self, i: &RequesterIn) -> RequesterOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        let before = self.out;
        let out = &mut self.out;
        out.m_pkt.valid &= !i.m_pkt.ready;
        out.m_read.valid &= !i.m_read.ready;
        out.m_work.valid &= !i.m_work.ready;
        out.m_inflight.valid &= !i.m_inflight.ready;
        out.m_cc.valid &= !i.m_cc.ready;
        out.m_order.valid &= !i.m_order.ready;
        out.event_reqr = RequesterEvents::default();
        (out.s_ack.ready, out.s_cfg.ready) = (false, false);
        (out.s_grant.ready, out.s_fail.ready) = (false, false);
        let scan_starts = self.script.is_empty() && matches!(self.picked, Some((Op::Scan, _)));
        if self.scrub_left > 0 {
            self.scrub_left -= 1;
        } else {
            self.run(i, &before);
        }
        if self.cycle % SCAN_CYCLES == SCAN_CYCLES - 1 && !scan_starts {
            self.scan_urgent = self.scan_due;
            self.scan_due = true;
        }
        self.cycle += 1;
        self.out
    }
}
