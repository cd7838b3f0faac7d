//! Twin of `hdl/src/transport/ack/gen.rs`: which ACK or NAK each flow owes its peer, and READs on
//! their way to the READ responses.

use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{Ack, ReadJob, ReadJobEnd, ReadyPort, Telemetry, WriteDone};
use nic_spec::NicConfig;

ports! {
    /// Completion of a WRITE with immediate.
    pub struct CqeOut {
        pub valid: bool,
        pub kind: u8,
        pub status: u8,
        pub flow: u16,
        pub wr_id: u32,
        pub imm: u32,
        pub byte_len: u32,
    }
}
ports! {
    /// Answers of the congestion control as they pass.
    pub struct HopWatch {
        pub valid: bool,
        pub ready: bool,
        /// It is about the peer's data.
        pub peer: bool,
        pub flow: u16,
        /// 0: an update, else a command.
        pub op: u8,
        /// Hop with the largest u'; 7: none.
        pub worst_hop: u8,
    }
}
ports! {
    /// Inputs.
    pub struct AckGenIn {
        pub reset: bool,
        pub s_done: WriteDone,
        pub s_end: ReadJobEnd,
        /// Of the oldest READ whose command has not ended.
        pub s_read_addr: u64,
        pub s_read_va: u64,
        pub s_read_rkey: u32,
        /// Hold the telemetry of the packet that is looked at.
        pub tel_take: bool,
        pub s_tel: Telemetry,
        /// It was accepted: keep what is held, if it is telemetry.
        pub tel_store: bool,
        /// The flow has telemetry.
        pub tel_enable: bool,
        pub tel_flow: u16,
        /// ACKs echo the record of the most loaded hop alone.
        pub cfg_worst_hop: bool,
        pub watch: HopWatch,
        pub cfg_rnr_timer: u8,
        pub m_ack: ReadyPort,
        pub m_cqe_ready: bool,
        pub m_job: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct AckGenOut {
        pub s_done: ReadyPort,
        pub s_end: ReadyPort,
        pub s_read_ready: bool,
        pub m_ack: Ack,
        pub m_cqe: CqeOut,
        pub m_job: ReadJob,
        /// A command has been dealt with.
        pub retired: bool,
        /// It belonged to the last packet of a WRITE with immediate.
        pub retired_imm: bool,
        /// Something has ended in a flow.
        pub ended_valid: bool,
        pub ended_flow: u16,
        /// It is in error.
        pub ended_failed: bool,
        /// READs that have ended, modulo 32.
        pub ended_reads: u8,
        /// All is forgotten about a flow.
        pub cleared: bool,
        pub event_resp_accepted: bool,
        pub event_resp_nak_operation: bool,
    }
}

/// What becomes of a request once the bytes before it have landed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// Accepted, no ACK asked for.
    #[default]
    Quiet = 0,
    /// Accepted, ACK asked for.
    Ack = 1,
    /// Duplicate: acknowledged again.
    Again = 2,
    /// RNR NAK.
    NotReady = 3,
    /// NAK: PSN sequence error.
    Sequence = 4,
    /// NAK: invalid request.
    Invalid = 5,
    /// NAK: remote access error.
    Access = 6,
    /// READ, which the READ responses answer.
    Read = 7,
    /// NAK: remote operation error. Not put into tags.
    Operation = 8,
}

impl Outcome {
    fn from_code(code: u8) -> Self {
        use Outcome::*;
        [Quiet, Ack, Again, NotReady, Sequence, Invalid, Access, Read][usize::from(code & 7)]
    }
}

/// Width of a tag.
pub const TAG_BITS: u32 = 127;

/// What a DMA write command carries along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// PSN to answer with.
    pub psn: u32,
    /// MSN to answer with.
    pub msn: u32,
    /// Immediate data of a completion.
    pub imm: u32,
    /// Bytes of the message, for a completion; of a READ.
    pub byte_len: u32,
    /// Flow index, below 1024.
    pub flow: u16,
    /// What to answer.
    pub outcome: Outcome,
    /// Last packet of a WRITE with immediate.
    pub has_imm: bool,
    /// The message ends with this packet: `msn` counts it. Not so for a READ asked for again.
    pub ends: bool,
}

impl Tag {
    /// The tag as the port has it.
    pub fn to_bits(self) -> u128 {
        u128::from(self.psn)
            | u128::from(self.msn) << 24
            | u128::from(self.imm) << 48
            | u128::from(self.byte_len) << 80
            | u128::from(self.flow) << 112
            | (self.outcome as u128) << 122
            | u128::from(self.has_imm) << 125
            | u128::from(self.ends) << 126
    }

    /// Reads the port.
    pub fn from_bits(bits: u128) -> Self {
        Self {
            psn: bits as u32 & 0xff_ffff,
            msn: (bits >> 24) as u32 & 0xff_ffff,
            imm: (bits >> 48) as u32,
            byte_len: (bits >> 80) as u32,
            flow: (bits >> 112) as u16 & 0x3ff,
            outcome: Outcome::from_code((bits >> 122) as u8),
            has_imm: bits >> 125 & 1 != 0,
            ends: bits >> 126 & 1 != 0,
        }
    }
}

/// An answer that a flow owes.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    psn: u32,
    msn: u32,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    ack: Option<Pending>,
    nak: Option<Pending>,
    /// The ACK is of a packet that was not there before: it takes stored telemetry along.
    has_tel: bool,
    /// A fatal NAK is owed or was sent: the flow answers nothing more.
    is_closed: bool,
    /// The flow's id is in the queue.
    is_queued: bool,
    /// READs that were handed over and have not ended; answers wait for them.
    jobs: u8,
    /// READs that have ended, restarts not counted, modulo 32.
    ended_reads: u8,
}

/// `worst_hop` of an answer that names none.
const NO_HOP: u8 = 7;

/// Hops of a flow that the congestion control has named.
#[derive(Clone, Copy, Debug, Default)]
struct Hops {
    /// Named by two answers one after the other.
    worst: Option<u8>,
    /// The latest one.
    named: Option<u8>,
}

/// Telemetry of a flow; each store has another number.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    number: u64,
    tel: Telemetry,
}

/// What the block is at. Each takes one cycle or waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// Rows are cleared after reset.
    #[default]
    Scrub,
    Idle,
    /// The row is read.
    Load(Job),
    /// The row is changed. The flow's telemetry was looked up too; not so if some was being stored.
    Apply(Job, bool),
    /// The next flow that owes is looked up.
    Fetch,
    Choose(u16),
    Send(u16),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Job {
    Done { tag: Tag, error: bool },
    End(ReadJobEnd),
}

/// The block.
#[derive(Clone, Debug)]
pub struct AckGen {
    rows: Vec<Row>,
    tel_rows: Vec<Stored>,
    /// Number of the store that each flow has sent, or that it forgets.
    tel_done: Vec<u64>,
    store_count: u64,
    hops: Vec<Hops>,
    /// An answer that was taken in the cycle before.
    seen: Option<HopWatch>,
    queue: LutFifo<u16>,
    state: State,
    scrub_at: usize,
    held_tel: Telemetry,
    fetched_tel: Stored,
    fetched_hop: Option<u8>,
    /// `cfg_worst_hop` of the cycle before: the choice is made in the cycle before the outputs are loaded.
    echoes_one: bool,
    out: AckGenOut,
}

impl AckGen {
    /// For a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        let n = config.flow_count;
        Self {
            rows: vec![Row::default(); n],
            tel_rows: vec![Stored::default(); n],
            tel_done: vec![0; n],
            store_count: 0,
            hops: vec![Hops::default(); n],
            seen: None,
            queue: LutFifo::new(n),
            state: State::Scrub,
            scrub_at: 0,
            held_tel: Telemetry::default(),
            fetched_tel: Stored::default(),
            fetched_hop: None,
            echoes_one: false,
            out: AckGenOut::default(),
        }
    }

    /// Outputs after the last edge.
    pub fn out(&self) -> &AckGenOut {
        &self.out
    }

    fn reset(&mut self) {
        self.rows.fill(Row::default());
        self.tel_rows.fill(Stored::default());
        self.tel_done.fill(0);
        self.store_count = 0;
        self.hops.fill(Hops::default());
        self.seen = None;
        self.held_tel.valid = false;
        self.queue.step(true, None, false);
        self.state = State::Scrub;
        self.scrub_at = 0;
        self.out = AckGenOut::default();
    }

    /// Applies a finished command to its flow; returns the flow to queue.
    fn finish(&mut self, tag: Tag, error: bool, i: &AckGenIn) -> Option<u16> {
        let mask = self.rows.len() - 1;
        let flow = tag.flow & mask as u16;
        let row = &mut self.rows[usize::from(flow)];
        let is_read = tag.outcome == Outcome::Read;
        let is_accepted = matches!(tag.outcome, Outcome::Quiet | Outcome::Ack);
        let is_counted = is_accepted || is_read && tag.ends;
        let has_failed = is_accepted && error;
        self.out.retired = true;
        self.out.retired_imm = tag.has_imm;
        self.out.event_resp_accepted = is_counted && !has_failed && !row.is_closed;
        self.out.event_resp_nak_operation = is_counted && (has_failed || row.is_closed);
        if row.is_closed {
            if is_read && tag.ends {
                row.ended_reads = (row.ended_reads + 1) % 32;
                self.tell_ended(flow);
            }
            return None;
        }
        let (psn, msn) = (tag.psn, tag.msn);
        if has_failed {
            let msn = msn.wrapping_sub(u32::from(tag.ends)) & 0xff_ffff;
            row.nak = Some(Pending { psn, msn, outcome: Outcome::Operation });
            row.is_closed = true;
            self.tell_ended(flow);
        } else {
            let pending = Some(Pending { psn, msn, outcome: tag.outcome });
            match tag.outcome {
                Outcome::Quiet => {}
                Outcome::Ack => (row.ack, row.has_tel) = (pending, true),
                Outcome::Again => row.ack = pending,
                Outcome::Read => self.hand_over(flow, tag, i),
                _ => row.nak = pending,
            }
            use Outcome::{Access, Invalid, Operation};
            let row = &mut self.rows[usize::from(flow)];
            row.is_closed = matches!(tag.outcome, Invalid | Access | Operation);
            if tag.has_imm && is_accepted {
                let (imm, byte_len) = (tag.imm, tag.byte_len);
                self.out.m_cqe =
                    CqeOut { valid: true, kind: 1, flow, imm, byte_len, ..CqeOut::default() };
            }
        }
        self.queue_up(flow)
    }

    /// A READ goes to the READ responses. Its response acknowledges all before it.
    fn hand_over(&mut self, flow: u16, tag: Tag, i: &AckGenIn) {
        let row = &mut self.rows[usize::from(flow)];
        row.jobs = (row.jobs + 1) & 63;
        if tag.ends {
            (row.ack, row.nak) = (None, None);
        }
        self.out.m_job = ReadJob {
            valid: true,
            flow,
            psn: tag.psn,
            msn: tag.msn,
            addr: i.s_read_addr,
            bytes: tag.byte_len,
            restart: !tag.ends,
            va: i.s_read_va,
            rkey: i.s_read_rkey,
        };
    }

    fn end(&mut self, end: &ReadJobEnd) -> Option<u16> {
        let flow = end.flow & (self.rows.len() as u16 - 1);
        let row = &mut self.rows[usize::from(flow)];
        row.jobs = row.jobs.wrapping_sub(end.jobs) & 63;
        row.ended_reads = (row.ended_reads + end.reads) % 32;
        if end.error || end.cleared {
            let (jobs, ended_reads, is_queued) = (row.jobs, row.ended_reads, row.is_queued);
            *row = Row { is_queued, jobs, ended_reads, is_closed: true, ..Row::default() };
        }
        if end.cleared {
            *row = Row { is_queued: row.is_queued, ..Row::default() };
            self.tel_done[usize::from(flow)] = self.tel_rows[usize::from(flow)].number;
            self.out.cleared = true;
        }
        self.tell_ended(flow);
        self.queue_up(flow)
    }

    fn tell_ended(&mut self, flow: u16) {
        let row = &self.rows[usize::from(flow)];
        let out = &mut self.out;
        (out.ended_valid, out.ended_flow) = (true, flow);
        (out.ended_failed, out.ended_reads) = (row.is_closed, row.ended_reads);
    }

    fn flow_of(&self, job: &Job) -> u16 {
        let flow = match job {
            Job::Done { tag, .. } => tag.flow,
            Job::End(end) => end.flow,
        };
        flow & (self.rows.len() as u16 - 1)
    }

    /// The flow, if it is to be queued: it owes something and nothing of it is overtaken.
    fn queue_up(&mut self, flow: u16) -> Option<u16> {
        let row = &mut self.rows[usize::from(flow)];
        let owes = (row.ack.is_some() || row.nak.is_some()) && row.jobs == 0;
        let push = owes && !row.is_queued;
        row.is_queued |= push;
        push.then_some(flow)
    }

    /// Telemetry and most loaded hop of a flow are looked up.
    fn fetch(&mut self, flow: u16) {
        self.fetched_tel = self.tel_rows[usize::from(flow)];
        self.fetched_hop = self.hops[usize::from(flow)].worst;
    }

    /// What is echoed of the stack: all of it, or one hop, whose number is in the path.
    fn echo(tel: Telemetry, worst: Option<u8>) -> Telemetry {
        let is_stack = tel.hops <= 5;
        match worst.filter(|hop| is_stack && *hop < tel.hops) {
            Some(hop) => {
                let path = tel.path ^ u16::from(hop + 1) << 9;
                let record = tel.hop[usize::from(hop)];
                Telemetry { hops: 1, path, hop: [record, 0, 0, 0, 0], ..tel }
            }
            None => tel,
        }
    }

    /// An answer about the peer's data counts.
    fn learn(&mut self, answer: &HopWatch) {
        let mask = self.hops.len() - 1;
        let hops = &mut self.hops[usize::from(answer.flow) & mask];
        match answer.op {
            0 if answer.worst_hop == NO_HOP => {}
            0 => {
                let named = Some(answer.worst_hop);
                if hops.named == named {
                    hops.worst = named;
                }
                hops.named = named;
            }
            _ => *hops = Hops::default(),
        }
    }

    /// Sends what a flow owes; returns the flow if it owes more.
    fn send(&mut self, flow: u16, i: &AckGenIn) -> Option<u16> {
        let Stored { number, tel } = self.fetched_tel;
        let tel = Self::echo(tel, self.fetched_hop.filter(|_| self.echoes_one));
        self.out.m_ack.tel = Telemetry { valid: false, ..tel };
        let row = &mut self.rows[usize::from(flow)];
        row.is_queued = false;
        if row.jobs > 0 {
            return None;
        }
        let (pending, is_new) = match (row.nak.take(), row.ack) {
            (Some(nak), _) => (nak, false),
            (None, Some(ack)) => {
                let done = &mut self.tel_done[usize::from(flow)];
                let is_new = row.has_tel && number != *done;
                (row.ack, row.has_tel) = (None, false);
                if is_new {
                    *done = number;
                }
                (ack, is_new)
            }
            (None, None) => return None,
        };
        let syndrome = match pending.outcome {
            Outcome::Sequence => 0x60,
            Outcome::Invalid => 0x61,
            Outcome::Access => 0x62,
            Outcome::Operation => 0x63,
            Outcome::NotReady => 0x20 | i.cfg_rnr_timer,
            _ => 0x1f,
        };
        let Pending { psn, msn, .. } = pending;
        let tel = Telemetry { valid: is_new, ..tel };
        self.out.m_ack = Ack { valid: true, flow, syndrome, msn, psn, tel };
        row.is_queued = row.ack.is_some();
        row.is_queued.then_some(flow)
    }

    /// One state's work; returns the next state and the flow to put into the queue.
    fn work(&mut self, i: &AckGenIn, ack_free: bool, job_waits: bool) -> (State, Option<u16>) {
        let can_send = self.queue.m_valid() && ack_free;
        let head = self.queue.m_data();
        let then = if can_send { State::Fetch } else { State::Idle };
        match self.state {
            State::Scrub => {
                self.scrub_at += 1;
                let is_done = self.scrub_at == self.rows.len();
                (if is_done { State::Idle } else { State::Scrub }, None)
            }
            State::Idle if i.s_done.valid && !job_waits => {
                let tag = Tag::from_bits(i.s_done.tag);
                (State::Load(Job::Done { tag, error: i.s_done.error }), None)
            }
            State::Idle if i.s_end.valid => (State::Load(Job::End(i.s_end)), None),
            State::Idle => (then, None),
            State::Load(job) => {
                let flow = self.flow_of(&job);
                self.fetch(flow);
                (State::Apply(job, !(i.tel_store && i.tel_flow == flow)), None)
            }
            State::Apply(Job::Done { tag, .. }, _) if tag.has_imm && self.out.m_cqe.valid => {
                (self.state, None)
            }
            State::Apply(job, has_tel) => {
                let owes = match job {
                    Job::End(end) => self.end(&end),
                    Job::Done { tag, error } => self.finish(tag, error, i),
                };
                // Nobody waits: the answer goes out at once.
                match owes.filter(|_| has_tel && ack_free && !self.queue.m_valid()) {
                    Some(flow) => (State::Send(flow), None),
                    None => (then, owes),
                }
            }
            State::Fetch if i.tel_store && i.tel_flow == head => (State::Fetch, None),
            State::Fetch => {
                self.fetch(head);
                (State::Choose(head), None)
            }
            State::Choose(flow) => (State::Send(flow), None),
            State::Send(flow) => (State::Idle, self.send(flow, i)),
        }
    }
}

impl Golden for AckGen {
    type In = AckGenIn;
    type Out = AckGenOut;

    fn step(&mut self, i: &AckGenIn) -> AckGenOut {
        let (held, before) = (self.held_tel, self.state);
        if i.tel_take {
            assert!(
                i.reset || before != State::Scrub,
                "no packet comes before the flows are cleared"
            );
            self.held_tel = i.s_tel;
        }
        if i.reset {
            self.reset();
            return self.out;
        }
        let out = &mut self.out;
        let ack_free = !out.m_ack.valid || i.m_ack.ready;
        out.m_ack.valid &= !i.m_ack.ready;
        out.m_cqe.valid &= !i.m_cqe_ready;
        let job_waits = out.m_job.valid;
        out.m_job.valid &= !i.m_job.ready;
        (out.retired, out.retired_imm) = (false, false);
        (out.ended_valid, out.cleared) = (false, false);
        (out.event_resp_accepted, out.event_resp_nak_operation) = (false, false);
        let (next, push) = self.work(i, ack_free, job_waits);
        self.echoes_one = i.cfg_worst_hop;
        let pop = before == State::Fetch && next != State::Fetch;
        self.queue.step(false, push, pop);
        self.state = next;
        if i.tel_store && held.valid && i.tel_enable && before != State::Scrub {
            self.store_count += 1;
            self.tel_rows[usize::from(i.tel_flow)] = Stored { number: self.store_count, tel: held };
        }
        if let Some(answer) = self.seen.take().filter(|_| before != State::Scrub) {
            self.learn(&answer);
        }
        let watch = i.watch;
        self.seen = (watch.valid && watch.ready && watch.peer).then_some(watch);
        self.out.s_done.ready = self.state == State::Idle && !self.out.m_job.valid;
        self.out.s_end.ready = matches!(self.state, State::Apply(Job::End(_), _));
        let is_read = |job| matches!(job, Job::Done { tag, .. } if tag.outcome == Outcome::Read);
        self.out.s_read_ready = matches!(self.state, State::Apply(job, _) if is_read(job));
        self.out
    }
}
