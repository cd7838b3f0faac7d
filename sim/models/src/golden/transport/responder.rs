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
const COMMANDS_IN_FLIGHT_MAX: u16 = 256;
/// READs of a flow that may be without an answer.
const READS_MAX: u8 = 16;
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

/// Where a table row is on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Rows {
    /// Tables are cleared after reset.
    #[default]
    Scrub,
    /// There is none: requests are taken.
    Open,
    /// A row waits until nothing is under way.
    Drain,
    /// It goes on to the READ responses.
    Pass,
    /// The flow's answers are forgotten.
    Clear,
    /// The row is written.
    Write,
}

/// What the tables outside said of a request's flow in the cycle before a step.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    failed: bool,
    reads_full: bool,
    cq_room: bool,
}

/// A request whose place in its flow is known, not yet its region.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    req: Request,
    /// The message that it starts or continues.
    message: Message,
    /// State of its flow when it came.
    expected_psn: u32,
    msn: u32,
    is_known: bool,
    is_well_formed: bool,
    has_room: bool,
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

/// The block. Requests go through three stages, which all step at once.
#[derive(Clone, Debug)]
pub struct Responder {
    qps: Vec<QpRow>,
    mrs: Vec<MrRow>,
    flows: Vec<Flow>,
    /// A write of the flow failed.
    failed: Vec<bool>,
    /// READs of the flow that have ended, modulo 32.
    ended_reads: Vec<u8>,
    /// READs whose commands are in flight: address, virtual address, remote key.
    reads: RamFifo<(u64, u64, u32)>,
    /// The flow that a row has just started anew.
    cleared_flow: Option<usize>,
    rows: Rows,
    scrub_left: usize,
    /// The stages step in this cycle.
    steps: bool,
    /// Waits for its queue pair.
    taken: Option<Request>,
    /// Meets the state of its flow.
    placed: Option<Request>,
    seen: Seen,
    /// Meets its region.
    judged: Option<Judged>,
    commands_in_flight: u16,
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
            ended_reads: vec![0; n],
            reads: RamFifo::new(usize::from(COMMANDS_IN_FLIGHT_MAX)),
            cleared_flow: None,
            rows: Rows::Scrub,
            scrub_left: n.max(m),
            steps: false,
            taken: None,
            placed: None,
            seen: Seen::default(),
            judged: None,
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
        self.rows = Rows::Scrub;
        self.scrub_left = self.qps.len().max(self.mrs.len());
        self.steps = false;
        (self.taken, self.placed, self.judged) = (None, None, None);
        (self.commands_in_flight, self.imm_in_flight) = (0, 0);
        self.out = ResponderOut::default();
    }

    fn index_of(&self, req: &Request) -> usize {
        req.qpn as usize & (self.qps.len() - 1)
    }

    fn region(&self, rkey: u32) -> &MrRow {
        &self.mrs[(rkey >> 8) as usize & (self.mrs.len() - 1)]
    }

    fn mtu(&self, req: &Request) -> u32 {
        256 << self.qps[self.index_of(req)].mtu_code.min(4)
    }

    /// PSNs that a request takes: a READ those of its responses.
    fn packets(&self, req: &Request) -> u32 {
        if req.opcode == opcode::READ_REQUEST {
            req.dma_len.div_ceil(self.mtu(req)).max(1)
        } else {
            1
        }
    }

    /// Whether the READ request is one, and the peer may read at all.
    fn is_read_formed(&self, req: &Request) -> bool {
        let may_read = self.qps[self.index_of(req)].remote_read;
        req.opcode == opcode::READ_REQUEST
            && may_read
            && req.payload_bytes == 0
            && req.dma_len <= LENGTH_MAX
    }

    /// Whether opcode, order and lengths are as the standard wants them.
    fn is_well_formed(&self, req: &Request, message: &Message) -> bool {
        let index = self.index_of(req);
        let (qp, flow) = (&self.qps[index], &self.flows[index]);
        if req.opcode == opcode::READ_REQUEST {
            return self.is_read_formed(req) && flow.message.is_none() && !self.seen.reads_full;
        }
        let is_write = (opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMM).contains(&req.opcode);
        let starts = opcode::has_reth(req.opcode);
        if !is_write || !qp.remote_write || starts == flow.message.is_some() {
            return false;
        }
        let (mtu, payload) = (self.mtu(req), u32::from(req.payload_bytes));
        let fits = match req.opcode {
            opcode::WRITE_FIRST | opcode::WRITE_MIDDLE => payload == mtu && message.remaining > mtu,
            _ => payload <= mtu && payload == message.remaining,
        };
        fits && message.remaining <= LENGTH_MAX
    }

    /// The request at the state of its flow, which moves on, as if its region were right.
    fn place(&mut self, req: Request) -> Judged {
        let index = self.index_of(&req);
        let (qp, flow) = (&self.qps[index], &self.flows[index]);
        let is_ours = qp.valid && qp.qpn == req.qpn && qp.remote_ip == req.src_ip;
        let message = if opcode::has_reth(req.opcode) {
            Message { va: req.va, rkey: req.rkey, remaining: req.dma_len, length: req.dma_len }
        } else {
            flow.message.unwrap_or_default()
        };
        let judged = Judged {
            req,
            message,
            expected_psn: flow.expected_psn,
            msn: flow.msn,
            is_known: is_ours && !self.seen.failed,
            is_well_formed: self.is_well_formed(&req, &message),
            has_room: self.seen.cq_room || !opcode::has_immdt(req.opcode),
        };
        if is_ours && judged.is_due() && judged.has_room {
            let packets = self.packets(&req);
            let is_read = req.opcode == opcode::READ_REQUEST;
            let ends = ends_message(req.opcode);
            let flow = &mut self.flows[index];
            flow.expected_psn = psn_add(flow.expected_psn, packets);
            flow.msn = psn_add(flow.msn, u32::from(ends));
            flow.reads = (flow.reads + u8::from(is_read)) % 32;
            let va = message.va.wrapping_add(u64::from(req.payload_bytes));
            let remaining = message.remaining - u32::from(req.payload_bytes);
            flow.message = (!ends).then_some(Message { va, remaining, ..message });
        }
        judged
    }

    /// Whether the peer may write what is left of the message, or read.
    fn is_allowed(&self, judged: &Judged) -> bool {
        let message = &judged.message;
        let mr = self.region(message.rkey);
        let offset = u128::from(message.va.wrapping_sub(mr.va));
        let reads = judged.req.opcode == opcode::READ_REQUEST;
        message.remaining == 0
            || mr.valid
                && (if reads { mr.remote_read } else { mr.remote_write })
                && mr.rkey == message.rkey
                && message.va >= mr.va
                && offset + u128::from(message.remaining) <= u128::from(mr.length_bytes)
    }

    /// Whether a READ from before the expected PSN can be answered again. None of its responses lies
    /// at or beyond that.
    fn is_repeatable(&self, judged: &Judged) -> bool {
        let behind = psn_add(judged.expected_psn, judged.req.psn.wrapping_neg());
        self.is_read_formed(&judged.req)
            && self.is_allowed(judged)
            && self.packets(&judged.req) <= behind
    }

    fn judge(&self, judged: &Judged) -> Verdict {
        if !judged.is_known || self.flows[self.index_of(&judged.req)].is_closed {
            return Verdict::NoQp;
        }
        match judged.ahead_by() {
            0 if !judged.is_well_formed => Verdict::Invalid,
            0 if !self.is_allowed(judged) => Verdict::Access,
            0 if !judged.has_room => Verdict::NotReady,
            0 => Verdict::Accept,
            1..=0x7f_ffff => Verdict::Ahead,
            _ if self.is_repeatable(judged) => Verdict::Again,
            _ => Verdict::Duplicate,
        }
    }

    /// What goes back to the peer by way of the DMA, if anything.
    fn outcome(&self, req: &Request, verdict: Verdict) -> Option<Outcome> {
        let was_told = self.flows[self.index_of(req)].nak_sent;
        let is_silent =
            matches!(req.opcode, opcode::READ_REQUEST | opcode::COMPARE_SWAP | opcode::FETCH_ADD);
        match verdict {
            Verdict::NoQp => None,
            Verdict::Ahead if was_told => None,
            Verdict::Ahead => Some(Outcome::Sequence),
            Verdict::Again => Some(Outcome::Read),
            Verdict::Duplicate if is_silent => None,
            Verdict::Duplicate => Some(Outcome::Again),
            Verdict::Invalid => Some(Outcome::Invalid),
            Verdict::Access => Some(Outcome::Access),
            Verdict::NotReady => Some(Outcome::NotReady),
            Verdict::Accept if req.opcode == opcode::READ_REQUEST => Some(Outcome::Read),
            Verdict::Accept if req.ack_req => Some(Outcome::Ack),
            Verdict::Accept => Some(Outcome::Quiet),
        }
    }

    /// Host address of the first byte, if it has one.
    fn host_address(&self, message: &Message) -> u64 {
        let mr = self.region(message.rkey);
        mr.host_address.wrapping_add(message.va.wrapping_sub(mr.va))
    }

    /// The command for the request as it was judged.
    fn command(&self, judged: &Judged, verdict: Verdict, outcome: Outcome) -> WriteCommand {
        let Judged { req, message, expected_psn, msn, .. } = judged;
        let accepted = verdict == Verdict::Accept;
        let ends = accepted && ends_message(req.opcode);
        let has_imm = accepted && opcode::has_immdt(req.opcode);
        let psn = match verdict {
            Verdict::Again => req.psn,
            Verdict::Duplicate => psn_add(*expected_psn, 0xff_ffff),
            _ => *expected_psn,
        };
        let has_length = has_imm || outcome == Outcome::Read;
        let tag = Tag {
            psn,
            msn: psn_add(*msn, u32::from(ends)),
            imm: if has_imm { req.imm } else { 0 },
            byte_len: if has_length { message.length } else { 0 },
            flow: self.index_of(req) as u16,
            outcome,
            has_imm,
            ends,
        };
        let mut cmd = WriteCommand { valid: true, tag: tag.to_bits(), ..WriteCommand::default() };
        if accepted && req.payload_bytes > 0 {
            (cmd.bytes, cmd.addr) = (req.payload_bytes, self.host_address(message));
        }
        cmd
    }

    /// The peer was told of an error, or of a gap.
    fn mark(&mut self, req: &Request, verdict: Verdict) {
        let index = self.index_of(req);
        let flow = &mut self.flows[index];
        match verdict {
            Verdict::NoQp | Verdict::Duplicate | Verdict::Again => {}
            Verdict::Ahead | Verdict::NotReady => flow.nak_sent = true,
            Verdict::Invalid | Verdict::Access => flow.is_closed = true,
            Verdict::Accept => flow.nak_sent = false,
        }
    }

    fn count(&mut self, verdict: Verdict) {
        let out = &mut self.out;
        let event = match verdict {
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

    /// A request leaves the last stage: its command, the order for its payload, its READ's place.
    fn issue(&mut self, judged: &Judged, verdict: Verdict) -> Issued {
        let req = &judged.req;
        let outcome = self.outcome(req, verdict);
        if let Some(outcome) = outcome {
            self.out.m_cmd = self.command(judged, verdict, outcome);
            self.commands_in_flight += 1;
        }
        let accepted = verdict == Verdict::Accept;
        self.imm_in_flight += u8::from(accepted && opcode::has_immdt(req.opcode));
        self.count(verdict);
        self.mark(req, verdict);
        let is_empty = judged.message.remaining == 0;
        let addr = if is_empty { 0 } else { self.host_address(&judged.message) };
        let read = (outcome == Some(Outcome::Read)).then_some((addr, req.va, req.rkey));
        Issued { read, order: (req.payload_bytes > 0).then_some(!accepted) }
    }

    /// All stages step: the last one first, so that each finds what those before it have left.
    fn advance(&mut self, i: &ResponderIn) -> Issued {
        let issued = match self.judged.take() {
            Some(judged) => self.issue(&judged, self.judge(&judged)),
            None => Issued::default(),
        };
        self.judged = self.placed.take().map(|req| self.place(req));
        self.placed = self.taken.take();
        self.taken = (i.s_req.valid && self.out.s_req.ready).then_some(i.s_req);
        issued
    }

    /// In the cycles between steps.
    fn look(&mut self, i: &ResponderIn) {
        let Some(req) = &self.placed else { return };
        let index = self.index_of(req);
        let waiting = self.flows[index].reads.wrapping_sub(self.ended_reads[index]) % 32;
        let promised = u8::from(self.judged.as_ref().is_some_and(Judged::promises));
        let has_imm_room = self.imm_in_flight + promised < IMM_IN_FLIGHT_MAX;
        self.seen = Seen {
            failed: self.failed[index],
            reads_full: waiting >= READS_MAX,
            cq_room: i.cfg_cq_space && has_imm_room,
        };
    }

    fn is_idle(&self) -> bool {
        self.taken.is_none()
            && self.placed.is_none()
            && self.judged.is_none()
            && self.commands_in_flight == 0
    }

    /// A table row's way.
    fn pass_row(&mut self, i: &ResponderIn, ack: &AckGenOut, is_idle: bool) {
        let is_qp = i.cfg_table == Table::Qp as u8;
        self.rows = match self.rows {
            Rows::Scrub if self.scrub_left == 0 => Rows::Open,
            Rows::Scrub => {
                self.scrub_left -= 1;
                Rows::Scrub
            }
            Rows::Open if self.steps && i.s_cfg_valid => Rows::Drain,
            Rows::Open => Rows::Open,
            Rows::Drain if !is_idle || ack.m_job.valid => Rows::Drain,
            Rows::Drain if i.cfg_table <= Table::Mr as u8 => Rows::Pass,
            Rows::Drain => Rows::Write,
            Rows::Pass if !i.m_cfg_ready => Rows::Pass,
            Rows::Pass if is_qp => Rows::Clear,
            Rows::Pass => Rows::Write,
            Rows::Clear if !ack.cleared => Rows::Clear,
            Rows::Clear => Rows::Write,
            Rows::Write => {
                self.write_row(i);
                Rows::Open
            }
        };
    }

    /// What the ACK generator sees in this cycle.
    fn ack_gen_inputs(&self, i: &ResponderIn) -> AckGenIn {
        let judged = self.judged.as_ref().filter(|_| self.steps);
        let index = judged.map_or(0, |judged| self.index_of(&judged.req));
        AckGenIn {
            reset: i.reset,
            s_done: i.s_done,
            s_end: i.s_end,
            s_read_addr: self.reads.m_data().0,
            s_read_va: self.reads.m_data().1,
            s_read_rkey: self.reads.m_data().2,
            tel_take: i.s_req.valid && self.out.s_req.ready,
            s_tel: i.s_req.tel,
            tel_leave: judged.is_some(),
            tel_store: judged.is_some_and(|judged| self.judge(judged) == Verdict::Accept),
            tel_enable: self.qps[index].telemetry,
            tel_flow: index as u16,
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
        self.commands_in_flight -= u16::from(ack.retired);
        self.imm_in_flight -= u8::from(ack.retired_imm);
        if ack.ended_valid {
            let flow = usize::from(ack.ended_flow);
            (self.failed[flow], self.ended_reads[flow]) = (ack.ended_failed, ack.ended_reads);
        }
    }
}

/// What a request has left when it leaves the last stage.
#[derive(Clone, Copy, Debug, Default)]
struct Issued {
    /// A READ: address, virtual address, remote key.
    read: Option<(u64, u64, u32)>,
    /// Whether to drop its payload.
    order: Option<bool>,
}

impl Judged {
    /// Distance from the expected PSN; from 2^23 on it is behind.
    fn ahead_by(&self) -> u32 {
        psn_add(self.req.psn, self.expected_psn.wrapping_neg())
    }

    /// Whether it is the next of its flow, and its form is right.
    fn is_due(&self) -> bool {
        self.ahead_by() == 0 && self.is_well_formed
    }

    /// Whether it makes a completion, if its region is right.
    fn promises(&self) -> bool {
        self.is_known && self.is_due() && self.has_room && opcode::has_immdt(self.req.opcode)
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
            let cmd_free = !out.m_cmd.valid;
            out.event_resp.duplicate = false;
            out.event_resp.out_of_sequence = false;
            out.event_resp.nak_invalid = false;
            out.event_resp.nak_access = false;
            out.event_resp.rnr = false;
            out.event_resp.no_qp = false;
            let (is_idle, steps) = (self.is_idle(), self.steps);
            let is_free = cmd_free && self.mover.order_ready();
            let next = !steps && is_free && self.commands_in_flight < COMMANDS_IN_FLIGHT_MAX;
            self.pass_row(i, &ack_before, is_idle);
            let issued = if steps { self.advance(i) } else { Issued::default() };
            if !steps {
                self.look(i);
            }
            self.steps = next;
            self.reads.step(false, issued.read, ack_before.s_read_ready);
            self.retire(&ack_before);
            self.mover.step(false, &i.s_payload, issued.order, i.m_data.tready);
        }
        self.copy_ack_gen_outputs();
        self.out.s_req.ready = self.steps && self.rows == Rows::Open;
        self.out.s_cfg_ready = self.rows == Rows::Write;
        self.out.m_cfg_valid = self.rows == Rows::Pass;
        self.out.s_payload.tready = self.mover.s_ready();
        self.out.m_data = self.mover.m_axis();
        self.out
    }

    /// A queue pair starts at MSN 0.
    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<ResponderOut> {
        let flow = self.cleared_flow.take()?;
        let path = format!("tables.states.mem[{flow}][47:24]");
        self.flows[flow].msn = starts.offer(&path, 24, 8)? as u32;
        Some(self.out)
    }
}
