//! Twin of `hdl/src/transport/responder.rs`: answers RDMA WRITE and READ requests of RoCEv2 RC.
//!
//! Sources: InfiniBand architecture volume 1, section 9.7 (reliable connection, responder) and
//! hdl/transport.md.

use super::ack::gen::{AckGen, AckGenIn, AckGenOut, CqeOut, HopWatch, Outcome, Tag};
use super::mover::Mover;
use crate::events::ResponderEvents;
use crate::golden::util::fifo::RamFifo;
use crate::ports;
use crate::ports::{Golden, Wide};
use crate::starts::Starts;
use crate::streams::{
    Ack, Axis, ReadJob, ReadJobEnd, ReadyPort, Request, TreadyPort, WriteCommand, WriteDone,
};
use nic_spec::rows::{MrRow, QpRow, Row, Table};
use nic_spec::wire::bth::opcode;
use nic_spec::NicConfig;

ports! {
    /// Inputs.
    pub struct ResponderIn {
        pub reset: bool,
        pub s_req: Request,
        pub s_payload: Axis,
        pub s_cfg_valid: bool,
        /// 0 QP, 1 memory region.
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub s_done: WriteDone,
        pub s_end: ReadJobEnd,
        /// At least 32 completions fit.
        pub cfg_cq_space: bool,
        pub cfg_rnr_timer: u8,
        /// ACKs echo the record of the most loaded hop alone.
        pub cfg_worst_hop: bool,
        pub watch: HopWatch,
        pub m_cmd: ReadyPort,
        pub m_data: TreadyPort,
        pub m_ack: ReadyPort,
        pub m_cqe_ready: bool,
        pub m_job: ReadyPort,
        pub m_cfg_ready: bool,
    }
}
ports! {
    /// Outputs.
    pub struct ResponderOut {
        pub s_req: ReadyPort,
        pub s_payload: TreadyPort,
        pub s_cfg_ready: bool,
        pub s_done: ReadyPort,
        pub s_end: ReadyPort,
        pub m_cmd: WriteCommand,
        pub m_data: Axis,
        pub m_ack: Ack,
        pub m_cqe: CqeOut,
        pub m_job: ReadJob,
        pub m_cfg_valid: bool,
        pub event_resp: ResponderEvents,
    }
}

/// Longest message, bytes.
const LENGTH_MAX: u32 = 1 << 31;
/// WRITEs with immediate whose completion may be outstanding.
const IMM_IN_FLIGHT_MAX: u8 = 16;
/// DMA commands that may be outstanding.
const COMMANDS_IN_FLIGHT_MAX: u8 = 64;
/// READs of a flow that may be without an answer.
const READS_MAX: u8 = 16;
/// Cycles between taking a request and its verdict.
const CHECK_CYCLES: u8 = 6;

fn psn_add(psn: u32, n: u32) -> u32 {
    psn.wrapping_add(n) & 0xff_ffff
}

/// Responder's side of a QP.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    expected_psn: u32,
    msn: u32,
    /// A fatal NAK was given.
    is_closed: bool,
    /// The gap, or the lack of room, was told of; nothing more until the expected PSN comes.
    nak_sent: bool,
    /// The WRITE that is under way.
    message: Option<Message>,
    /// READs accepted, modulo 32.
    reads: u8,
}

/// Rest of a WRITE.
#[derive(Clone, Copy, Debug, Default)]
struct Message {
    va: u64,
    rkey: u32,
    remaining: u32,
    length: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// Tables are cleared after reset.
    #[default]
    Scrub,
    Idle,
    /// Cycles since the request was taken.
    Check(u8),
    Commit,
    /// A table row waits for the commands in flight.
    Drain,
    /// It goes on to the READ responses.
    Pass,
    /// The flow's answers are forgotten.
    Clear,
    /// The row is written.
    Write,
}

/// What is decided about a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Verdict {
    #[default]
    NoQp,
    Ahead,
    Duplicate,
    /// A READ that is asked for again.
    Again,
    Invalid,
    Access,
    NotReady,
    Accept,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Responder {
    qps: Vec<QpRow>,
    mrs: Vec<MrRow>,
    flows: Vec<Flow>,
    /// A write of the flow failed.
    failed: Vec<bool>,
    failed_seen: bool,
    /// READs of the flow that have ended, modulo 32.
    ended_reads: Vec<u8>,
    reads_full_seen: bool,
    /// READs whose commands are in flight: address, virtual address, remote key.
    reads: RamFifo<(u64, u64, u32)>,
    /// The flow that a row has just started anew.
    cleared_flow: Option<usize>,
    state: State,
    scrub_left: usize,
    req: Request,
    verdict: Verdict,
    commands_in_flight: u8,
    imm_in_flight: u8,
    mover: Mover,
    ack_gen: AckGen,
    out: ResponderOut,
}

impl Responder {
    /// For a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        let (n, m) = (config.flow_count, config.mr_count);
        Self {
            qps: vec![QpRow::default(); n],
            mrs: vec![MrRow::default(); m],
            flows: vec![Flow::default(); n],
            failed: vec![false; n],
            failed_seen: false,
            ended_reads: vec![0; n],
            reads_full_seen: false,
            reads: RamFifo::new(usize::from(COMMANDS_IN_FLIGHT_MAX)),
            cleared_flow: None,
            state: State::Scrub,
            scrub_left: n.max(m),
            req: Request::default(),
            verdict: Verdict::NoQp,
            commands_in_flight: 0,
            imm_in_flight: 0,
            mover: Mover::default(),
            ack_gen: AckGen::new(config),
            out: ResponderOut::default(),
        }
    }

    fn reset(&mut self) {
        self.qps.fill(QpRow::default());
        self.mrs.fill(MrRow::default());
        self.state = State::Scrub;
        self.scrub_left = self.qps.len().max(self.mrs.len());
        (self.commands_in_flight, self.imm_in_flight) = (0, 0);
        self.out = ResponderOut::default();
    }

    fn flow_index(&self) -> usize {
        self.req.qpn as usize & (self.qps.len() - 1)
    }

    /// The message that the request starts or continues.
    fn message(&self) -> Message {
        let r = &self.req;
        if opcode::has_reth(r.opcode) {
            Message { va: r.va, rkey: r.rkey, remaining: r.dma_len, length: r.dma_len }
        } else {
            self.flows[self.flow_index()].message.unwrap_or_default()
        }
    }

    fn region(&self, rkey: u32) -> &MrRow {
        &self.mrs[(rkey >> 8) as usize & (self.mrs.len() - 1)]
    }

    fn mtu(&self) -> u32 {
        256 << self.qps[self.flow_index()].mtu_code.min(4)
    }

    /// PSNs that the responses of a READ take.
    fn read_packets(&self) -> u32 {
        self.req.dma_len.div_ceil(self.mtu()).max(1)
    }

    /// Whether the READ request is one, and the peer may read at all.
    fn is_read_formed(&self) -> bool {
        let r = &self.req;
        let may_read = self.qps[self.flow_index()].remote_read;
        r.opcode == opcode::READ_REQUEST
            && may_read
            && r.payload_bytes == 0
            && r.dma_len <= LENGTH_MAX
    }

    /// Whether opcode, order and lengths are as the standard wants them.
    fn is_well_formed(&self) -> bool {
        let (qp, flow) = (&self.qps[self.flow_index()], &self.flows[self.flow_index()]);
        let (r, message) = (&self.req, self.message());
        if r.opcode == opcode::READ_REQUEST {
            return self.is_read_formed() && flow.message.is_none() && !self.reads_full_seen;
        }
        let is_write = (opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMM).contains(&r.opcode);
        let starts = opcode::has_reth(r.opcode);
        if !is_write || !qp.remote_write || starts == flow.message.is_some() {
            return false;
        }
        let mtu = self.mtu();
        let payload = u32::from(r.payload_bytes);
        let fits = match r.opcode {
            opcode::WRITE_FIRST | opcode::WRITE_MIDDLE => payload == mtu && message.remaining > mtu,
            _ => payload <= mtu && payload == message.remaining,
        };
        fits && message.remaining <= LENGTH_MAX
    }

    /// Whether the peer may write what is left of the message, or read.
    fn is_allowed(&self) -> bool {
        let message = self.message();
        let mr = self.region(message.rkey);
        let offset = u128::from(message.va.wrapping_sub(mr.va));
        let reads = self.req.opcode == opcode::READ_REQUEST;
        message.remaining == 0
            || mr.valid
                && (if reads { mr.remote_read } else { mr.remote_write })
                && mr.rkey == message.rkey
                && message.va >= mr.va
                && offset + u128::from(message.remaining) <= u128::from(mr.length_bytes)
    }

    /// Whether a READ from before the expected PSN can be answered again. None of its responses lies
    /// at or beyond that.
    fn is_repeatable(&self) -> bool {
        let behind =
            psn_add(self.flows[self.flow_index()].expected_psn, self.req.psn.wrapping_neg());
        self.is_read_formed() && self.is_allowed() && self.read_packets() <= behind
    }

    fn judge(&self, cq_space: bool) -> Verdict {
        let (qp, flow) = (&self.qps[self.flow_index()], &self.flows[self.flow_index()]);
        let r = &self.req;
        let is_ours = qp.valid && qp.qpn == r.qpn && qp.remote_ip == r.src_ip;
        if !is_ours || flow.is_closed || self.failed_seen {
            return Verdict::NoQp;
        }
        match psn_add(r.psn, flow.expected_psn.wrapping_neg()) {
            0 if !self.is_well_formed() => Verdict::Invalid,
            0 if !self.is_allowed() => Verdict::Access,
            0 => {
                let needs_room = opcode::has_immdt(r.opcode);
                let has_room = cq_space && self.imm_in_flight < IMM_IN_FLIGHT_MAX;
                if needs_room && !has_room {
                    Verdict::NotReady
                } else {
                    Verdict::Accept
                }
            }
            1..=0x7f_ffff => Verdict::Ahead,
            _ if self.is_repeatable() => Verdict::Again,
            _ => Verdict::Duplicate,
        }
    }

    /// What goes back to the peer by way of the DMA, if anything.
    fn outcome(&self) -> Option<Outcome> {
        let flow = &self.flows[self.flow_index()];
        let reads = matches!(
            self.req.opcode,
            opcode::READ_REQUEST | opcode::COMPARE_SWAP | opcode::FETCH_ADD
        );
        match self.verdict {
            Verdict::NoQp => None,
            Verdict::Ahead if flow.nak_sent => None,
            Verdict::Ahead => Some(Outcome::Sequence),
            Verdict::Again => Some(Outcome::Read),
            Verdict::Duplicate if reads => None,
            Verdict::Duplicate => Some(Outcome::Again),
            Verdict::Invalid => Some(Outcome::Invalid),
            Verdict::Access => Some(Outcome::Access),
            Verdict::NotReady => Some(Outcome::NotReady),
            Verdict::Accept if self.req.opcode == opcode::READ_REQUEST => Some(Outcome::Read),
            Verdict::Accept if self.req.ack_req => Some(Outcome::Ack),
            Verdict::Accept => Some(Outcome::Quiet),
        }
    }

    /// The command for the request as it was judged.
    fn command(&self, outcome: Outcome) -> WriteCommand {
        let (r, index, message) = (&self.req, self.flow_index(), self.message());
        let flow = &self.flows[index];
        let accepted = self.verdict == Verdict::Accept;
        let ends = accepted && ends_message(r.opcode);
        let has_imm = accepted && opcode::has_immdt(r.opcode);
        let psn = match self.verdict {
            Verdict::Again => r.psn,
            Verdict::Duplicate => psn_add(flow.expected_psn, 0xff_ffff),
            _ => flow.expected_psn,
        };
        let has_length = has_imm || outcome == Outcome::Read;
        let tag = Tag {
            psn,
            msn: psn_add(flow.msn, u32::from(ends)),
            imm: if has_imm { r.imm } else { 0 },
            byte_len: if has_length { message.length } else { 0 },
            flow: index as u16,
            outcome,
            has_imm,
            ends,
        };
        let mut cmd = WriteCommand { valid: true, tag: tag.to_bits(), ..WriteCommand::default() };
        if accepted && r.payload_bytes > 0 {
            let mr = self.region(message.rkey);
            cmd.bytes = r.payload_bytes;
            cmd.addr = mr.host_address.wrapping_add(message.va.wrapping_sub(mr.va));
        }
        cmd
    }

    fn advance_flow(&mut self) {
        let (index, mut message, r) = (self.flow_index(), self.message(), self.req);
        let is_read = r.opcode == opcode::READ_REQUEST;
        let packets = if is_read { self.read_packets() } else { 1 };
        let flow = &mut self.flows[index];
        match self.verdict {
            Verdict::NoQp | Verdict::Duplicate | Verdict::Again => {}
            Verdict::Ahead | Verdict::NotReady => flow.nak_sent = true,
            Verdict::Invalid | Verdict::Access => flow.is_closed = true,
            Verdict::Accept => {
                let ends = ends_message(r.opcode);
                message.va = message.va.wrapping_add(u64::from(r.payload_bytes));
                message.remaining -= u32::from(r.payload_bytes);
                flow.expected_psn = psn_add(flow.expected_psn, packets);
                flow.reads = (flow.reads + u8::from(is_read)) % 32;
                flow.msn = psn_add(flow.msn, u32::from(ends));
                flow.nak_sent = false;
                flow.message = (!ends).then_some(message);
            }
        }
    }

    fn count(&mut self) {
        let out = &mut self.out;
        let event = match self.verdict {
            Verdict::NoQp => &mut out.event_resp.no_qp,
            Verdict::Ahead => &mut out.event_resp.out_of_sequence,
            Verdict::Duplicate | Verdict::Again => &mut out.event_resp.duplicate,
            Verdict::Invalid => &mut out.event_resp.nak_invalid,
            Verdict::Access => &mut out.event_resp.nak_access,
            Verdict::NotReady => &mut out.event_resp.rnr,
            // Counted when the bytes have landed, or not.
            Verdict::Accept => return,
        };
        *event = true;
    }

    fn write_row(&mut self, i: &ResponderIn) {
        let word = |n: usize| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32;
        let row: Row = core::array::from_fn(word);
        let index = usize::from(i.cfg_index);
        if i.cfg_table == Table::Qp as u8 {
            let (qp, index) = (QpRow::from_row(&row), index & (self.qps.len() - 1));
            self.qps[index] = qp;
            self.flows[index] = Flow { expected_psn: qp.rq_psn, ..Flow::default() };
            (self.failed[index], self.ended_reads[index]) = (false, 0);
            self.cleared_flow = Some(index);
        } else if i.cfg_table == Table::Mr as u8 {
            let index = index & (self.mrs.len() - 1);
            self.mrs[index] = MrRow::from_row(&row);
        }
    }

    /// The READ that goes to the READ responses once its command has ended.
    fn read(&self) -> Option<(u64, u64, u32)> {
        let is_read = self.outcome() == Some(Outcome::Read);
        let mr = self.region(self.req.rkey);
        let addr = mr.host_address.wrapping_add(self.req.va.wrapping_sub(mr.va));
        let addr = if self.req.dma_len == 0 { 0 } else { addr };
        is_read.then_some((addr, self.req.va, self.req.rkey))
    }

    /// One state's work; returns the next state and the order for the payload.
    fn work(&mut self, i: &ResponderIn, ack: &AckGenOut) -> (State, Option<bool>) {
        let then = if i.s_cfg_valid { State::Drain } else { State::Idle };
        let next = match self.state {
            State::Scrub if self.scrub_left == 0 => State::Idle,
            State::Scrub => {
                self.scrub_left -= 1;
                State::Scrub
            }
            State::Idle if i.s_req.valid => {
                self.req = i.s_req;
                State::Check(1)
            }
            State::Idle => then,
            State::Check(CHECK_CYCLES) => {
                self.verdict = self.judge(i.cfg_cq_space);
                let is_free = !self.out.m_cmd.valid
                    && self.mover.order_ready()
                    && self.commands_in_flight < COMMANDS_IN_FLIGHT_MAX;
                if is_free {
                    State::Commit
                } else {
                    self.state
                }
            }
            State::Check(n) => State::Check(n + 1),
            State::Commit => {
                if let Some(outcome) = self.outcome() {
                    self.out.m_cmd = self.command(outcome);
                    self.commands_in_flight += 1;
                }
                let accepted = self.verdict == Verdict::Accept;
                self.imm_in_flight += u8::from(accepted && opcode::has_immdt(self.req.opcode));
                self.count();
                self.advance_flow();
                return (then, (self.req.payload_bytes > 0).then_some(!accepted));
            }
            State::Drain if self.commands_in_flight > 0 || ack.m_job.valid => State::Drain,
            State::Drain if i.cfg_table <= Table::Mr as u8 => State::Pass,
            State::Drain => State::Write,
            State::Pass if !i.m_cfg_ready => State::Pass,
            State::Pass if i.cfg_table == Table::Qp as u8 => State::Clear,
            State::Pass => State::Write,
            State::Clear if !ack.cleared => State::Clear,
            State::Clear => State::Write,
            State::Write => {
                self.write_row(i);
                State::Idle
            }
        };
        (next, None)
    }

    /// What the ACK generator sees in this cycle.
    fn ack_gen_inputs(&self, i: &ResponderIn) -> AckGenIn {
        let accepts = self.state == State::Commit && self.verdict == Verdict::Accept;
        AckGenIn {
            reset: i.reset,
            s_done: i.s_done,
            s_end: i.s_end,
            s_read_addr: self.reads.m_data().0,
            s_read_va: self.reads.m_data().1,
            s_read_rkey: self.reads.m_data().2,
            tel_take: i.s_req.valid && self.state == State::Idle,
            s_tel: i.s_req.tel,
            tel_store: accepts,
            tel_enable: self.qps[self.flow_index()].telemetry,
            tel_flow: self.flow_index() as u16,
            cfg_rnr_timer: i.cfg_rnr_timer,
            cfg_worst_hop: i.cfg_worst_hop,
            watch: i.watch,
            m_ack: ReadyPort { ready: i.m_ack.ready },
            m_cqe_ready: i.m_cqe_ready,
            m_job: ReadyPort { ready: i.m_job.ready },
        }
    }

    fn copy_ack_gen_outputs(&mut self) {
        let ack = self.ack_gen.out();
        self.out.s_done.ready = ack.s_done.ready;
        self.out.m_ack = ack.m_ack;
        self.out.m_cqe = ack.m_cqe;
        self.out.m_job = ack.m_job;
        self.out.s_end.ready = ack.s_end.ready;
        self.out.event_resp.accepted = ack.event_resp_accepted;
        self.out.event_resp.nak_operation = ack.event_resp_nak_operation;
    }

    fn retire(&mut self, ack: &AckGenOut) {
        self.commands_in_flight -= u8::from(ack.retired);
        self.imm_in_flight -= u8::from(ack.retired_imm);
        if ack.ended_valid {
            let flow = usize::from(ack.ended_flow);
            (self.failed[flow], self.ended_reads[flow]) = (ack.ended_failed, ack.ended_reads);
        }
    }
}

/// Whether the message ends with this packet.
fn ends_message(code: u8) -> bool {
    !matches!(code, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE)
}

impl Golden for Responder {
    type In = ResponderIn;
    type Out = ResponderOut;

    fn step(&mut self, i: &ResponderIn) -> ResponderOut {
        let ack_in = self.ack_gen_inputs(i);
        let ack_before = *self.ack_gen.out();
        self.ack_gen.step(&ack_in);
        if i.reset {
            self.mover.step(true, &i.s_payload, None, false);
            self.reads.step(true, None, false);
            self.reset();
        } else {
            let out = &mut self.out;
            out.m_cmd.valid &= !i.m_cmd.ready;
            out.event_resp.duplicate = false;
            out.event_resp.out_of_sequence = false;
            out.event_resp.nak_invalid = false;
            out.event_resp.nak_access = false;
            out.event_resp.rnr = false;
            out.event_resp.no_qp = false;
            let index = self.flow_index();
            let (failed, ended) = (self.failed[index], self.ended_reads[index]);
            let waiting = self.flows[index].reads.wrapping_sub(ended) % 32;
            let read = self.read().filter(|_| self.state == State::Commit);
            let (next, order) = self.work(i, &ack_before);
            self.state = next;
            self.failed_seen = failed;
            self.reads_full_seen = waiting >= READS_MAX;
            self.reads.step(false, read, ack_before.s_read_ready);
            self.retire(&ack_before);
            self.mover.step(false, &i.s_payload, order, i.m_data.tready);
        }
        self.copy_ack_gen_outputs();
        self.out.s_req.ready = self.state == State::Idle;
        self.out.s_cfg_ready = self.state == State::Write;
        self.out.m_cfg_valid = self.state == State::Pass;
        self.out.s_payload.tready = self.mover.s_ready();
        self.out.m_data = self.mover.m_axis();
        self.out
    }

    /// A queue pair starts at MSN 0.
    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<ResponderOut> {
        let flow = self.cleared_flow.take()?;
        let path = format!("check.tables.states.mem[{flow}][47:24]");
        self.flows[flow].msn = starts.offer(&path, 24, 8)? as u32;
        Some(self.out)
    }
}
