//! Twin of `hdl/src/transport/ack/gen.rs`: which ACK or NAK each flow owes its peer, and READs on
//! their way to the READ responses.

use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{Ack, ReadJob, ReadJobEnd, ReadyPort, Telemetry, WriteDone};
use nic_spec::NicConfig;
use std::collections::VecDeque;

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
        /// The oldest of the packets whose telemetry is held is done with.
        pub tel_leave: bool,
        /// It was accepted: keep what it brought, if it is telemetry.
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

/// Ends of commands that go before an answer that waits.
const ENDS_MAX: u8 = 3;
/// Packets whose telemetry can be held.
const PACKETS_MAX: usize = 4;

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
    Load(Operation),
    /// The row is changed, and the next operation chosen.
    Apply(Operation),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Done {
        tag: Tag,
        error: bool,
    },
    End(ReadJobEnd),
    /// A flow that waited sends.
    Send(u16),
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
    /// A flow that joins the queue in the next cycle.
    joining: Option<u16>,
    state: State,
    /// An end of a job was offered in the cycle before, and not taken.
    end_waits: bool,
    /// Ends of commands since an answer that waited could have gone.
    ends_since: u8,
    /// Telemetry of the flow at hand was looked up; not so if some was being stored.
    is_fresh: bool,
    scrub_at: usize,
    /// Telemetry of packets that are looked at.
    held_tel: VecDeque<Telemetry>,
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
            joining: None,
            state: State::Scrub,
            end_waits: false,
            ends_since: 0,
            is_fresh: false,
            scrub_at: 0,
            held_tel: VecDeque::with_capacity(PACKETS_MAX),
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
        self.held_tel.clear();
        self.queue.step(true, None, false);
        self.joining = None;
        self.state = State::Scrub;
        (self.end_waits, self.ends_since) = (false, 0);
        self.scrub_at = 0;
        self.out = AckGenOut::default();
    }

    /// Applies a finished command to its flow, and answers it at once if `is_free`, nobody waits and
    /// nothing of the flow is overtaken; returns the flow to queue.
    fn finish(&mut self, (tag, error): (Tag, bool), i: &AckGenIn, is_free: bool) -> Option<u16> {
        let flow = tag.flow & (self.rows.len() - 1) as u16;
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
        if is_read {
            self.hand_over(flow, tag, i);
            return None;
        }
        let msn = tag.msn.wrapping_sub(u32::from(has_failed && tag.ends)) & 0xff_ffff;
        let outcome = if has_failed { Outcome::Operation } else { tag.outcome };
        let answer = Pending { psn: tag.psn, msn, outcome };
        use Outcome::{Access, Invalid, Operation};
        row.is_closed = matches!(outcome, Invalid | Access | Operation);
        if has_failed {
            self.tell_ended(flow);
        } else if tag.has_imm && is_accepted {
            let (imm, byte_len) = (tag.imm, tag.byte_len);
            self.out.m_cqe =
                CqeOut { valid: true, kind: 1, flow, imm, byte_len, ..CqeOut::default() };
        }
        if outcome == Outcome::Quiet {
            return None;
        }
        let row = &mut self.rows[usize::from(flow)];
        let owes = row.ack.is_some() || row.nak.is_some();
        if is_free && !self.queue.m_valid() && !owes && row.jobs == 0 {
            self.say(flow, answer, outcome == Outcome::Ack, i.cfg_rnr_timer);
            return None;
        }
        match outcome {
            Outcome::Ack => (row.ack, row.has_tel) = (Some(answer), true),
            Outcome::Again => row.ack = Some(answer),
            _ => row.nak = Some(answer),
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

    /// The flow, if it is to be queued: it owes something and nothing of it is overtaken.
    fn queue_up(&mut self, flow: u16) -> Option<u16> {
        let row = &mut self.rows[usize::from(flow)];
        let owes = (row.ack.is_some() || row.nak.is_some()) && row.jobs == 0;
        let push = owes && !row.is_queued;
        row.is_queued |= push;
        push.then_some(flow)
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

    /// An answer goes out; `brings_tel`: with telemetry that was not sent before.
    fn say(&mut self, flow: u16, answer: Pending, brings_tel: bool, rnr_timer: u8) {
        let Pending { psn, msn, outcome } = answer;
        let syndrome = match outcome {
            Outcome::Sequence => 0x60,
            Outcome::Invalid => 0x61,
            Outcome::Access => 0x62,
            Outcome::Operation => 0x63,
            Outcome::NotReady => 0x20 | rnr_timer,
            _ => 0x1f,
        };
        let (number, done) = (self.fetched_tel.number, &mut self.tel_done[usize::from(flow)]);
        let is_new = brings_tel && number != *done;
        if is_new {
            *done = number;
        }
        let tel = Telemetry { valid: is_new, ..self.out.m_ack.tel };
        self.out.m_ack = Ack { valid: true, flow, syndrome, msn, psn, tel };
    }

    /// Sends what a flow owes, if `is_free`; returns the flow if it owes more.
    fn send(&mut self, flow: u16, i: &AckGenIn, is_free: bool) -> Option<u16> {
        let row = &mut self.rows[usize::from(flow)];
        let owes = row.ack.is_some() || row.nak.is_some();
        row.is_queued = owes && row.jobs == 0;
        if !row.is_queued {
            return None;
        }
        if !is_free {
            return Some(flow);
        }
        let (answer, brings_tel) = match (row.nak.take(), row.ack) {
            (Some(nak), _) => (nak, false),
            (None, ack) => {
                row.ack = None;
                (ack.expect("it owes one"), core::mem::take(&mut row.has_tel))
            }
        };
        row.is_queued = row.ack.is_some();
        let again = row.is_queued.then_some(flow);
        self.say(flow, answer, brings_tel, i.cfg_rnr_timer);
        again
    }

    /// Whether the operation in its last cycle waits: a completion stands at the source.
    fn waits(&self, operation: &Operation) -> bool {
        matches!(operation, Operation::Done { tag, .. } if tag.has_imm) && self.out.m_cqe.valid
    }

    /// Whether the next operation is chosen in this cycle.
    fn chooses(&self) -> bool {
        match &self.state {
            State::Idle => true,
            State::Apply(operation) => !self.waits(operation),
            State::Scrub | State::Load(_) => false,
        }
    }

    fn end_due(&self) -> bool {
        self.end_waits && !self.out.s_end.ready
    }

    fn can_send(&self) -> bool {
        self.queue.m_valid() && !self.out.m_ack.valid
    }

    fn flow_of(&self, operation: &Operation) -> u16 {
        let flow = match operation {
            Operation::Done { tag, .. } => tag.flow,
            Operation::End(end) => end.flow,
            Operation::Send(flow) => *flow,
        };
        flow & (self.rows.len() as u16 - 1)
    }

    /// The next operation and its flow, if there is one.
    fn choose(&self, i: &AckGenIn) -> Option<(Operation, u16)> {
        let operation = if self.end_due() {
            Operation::End(i.s_end)
        } else if i.s_done.valid && self.out.s_done.ready {
            Operation::Done { tag: Tag::from_bits(i.s_done.tag), error: i.s_done.error }
        } else if self.can_send() {
            Operation::Send(self.queue.m_data())
        } else {
            return None;
        };
        Some((operation, self.flow_of(&operation)))
    }

    /// An operation begins: telemetry and most loaded hop of its flow are looked up.
    fn begin(&mut self, (operation, flow): (Operation, u16), i: &AckGenIn) {
        self.state = State::Load(operation);
        self.fetched_tel = self.tel_rows[usize::from(flow)];
        self.fetched_hop = self.hops[usize::from(flow)].worst;
        self.is_fresh = !(i.tel_store && i.tel_flow == flow);
    }

    /// The operation in its last cycle; returns the flow to put into the queue.
    fn apply(&mut self, operation: Operation, i: &AckGenIn, ack_free: bool) -> Option<u16> {
        let is_free = ack_free && self.is_fresh;
        if is_free && !matches!(operation, Operation::End(_)) {
            let tel = self.fetched_tel.tel;
            let tel = Self::echo(tel, self.fetched_hop.filter(|_| self.echoes_one));
            self.out.m_ack.tel = Telemetry { valid: false, ..tel };
        }
        match operation {
            Operation::End(end) => self.end(&end),
            Operation::Done { tag, error } => self.finish((tag, error), i, is_free),
            Operation::Send(flow) => self.send(flow, i, is_free),
        }
    }

    /// One cycle's work; returns the flow to put into the queue.
    fn work(&mut self, i: &AckGenIn) -> Option<u16> {
        let chooses = self.chooses();
        let next = if chooses { self.choose(i) } else { None };
        if chooses && !self.end_due() {
            self.ends_since = match next {
                Some((Operation::Done { .. }, _)) => ENDS_MAX.min(self.ends_since + 1),
                _ => 0,
            };
        }
        self.end_waits = i.s_end.valid && !self.out.s_end.ready;
        let out = &mut self.out;
        let ack_free = !out.m_ack.valid || i.m_ack.ready;
        out.m_ack.valid &= !i.m_ack.ready;
        out.m_cqe.valid &= !i.m_cqe_ready;
        out.m_job.valid &= !i.m_job.ready;
        (out.retired, out.retired_imm) = (false, false);
        (out.ended_valid, out.cleared) = (false, false);
        (out.event_resp_accepted, out.event_resp_nak_operation) = (false, false);
        let push = match self.state {
            State::Scrub => {
                self.scrub_at += 1;
                if self.scrub_at == self.rows.len() {
                    self.state = State::Idle;
                }
                None
            }
            State::Load(operation) => {
                self.state = State::Apply(operation);
                None
            }
            State::Apply(operation) if chooses => {
                self.state = State::Idle;
                self.apply(operation, i, ack_free)
            }
            State::Apply(_) | State::Idle => None,
        };
        if let Some(next) = next {
            self.begin(next, i);
        }
        push
    }

    /// What the outputs of the next cycle say is taken then.
    fn show_ready(&mut self) {
        let is_read = |o: &Operation| matches!(o, Operation::Done { tag, .. } if tag.outcome == Outcome::Read);
        let (is_end, hands_over) = match &self.state {
            State::Apply(Operation::End(_)) => (true, false),
            State::Apply(operation) => (false, is_read(operation)),
            _ => (false, false),
        };
        self.out.s_end.ready = is_end;
        self.out.s_read_ready = hands_over && self.chooses();
        let sends_first = self.can_send() && self.ends_since == ENDS_MAX;
        let is_held = self.end_due() || self.out.m_job.valid || hands_over || sends_first;
        self.out.s_done.ready = self.chooses() && !is_held;
    }
}

impl Golden for AckGen {
    type In = AckGenIn;
    type Out = AckGenOut;

    fn step(&mut self, i: &AckGenIn) -> AckGenOut {
        let before = self.state;
        if i.reset {
            self.reset();
            return self.out;
        }
        let held = if i.tel_leave { self.held_tel.pop_front() } else { None };
        if i.tel_take {
            assert!(before != State::Scrub, "no packet comes before the flows are cleared");
            self.held_tel.push_back(i.s_tel);
            assert!(self.held_tel.len() <= PACKETS_MAX, "telemetry of so many packets is held");
        }
        let pop = matches!(before, State::Load(Operation::Send(_)));
        let push = self.joining.take();
        self.joining = self.work(i);
        self.echoes_one = i.cfg_worst_hop;
        self.queue.step(false, push, pop);
        if let Some(tel) = held.filter(|tel| tel.valid && i.tel_store && i.tel_enable) {
            self.store_count += 1;
            self.tel_rows[usize::from(i.tel_flow)] = Stored { number: self.store_count, tel };
        }
        if let Some(answer) = self.seen.take().filter(|_| before != State::Scrub) {
            self.learn(&answer);
        }
        let watch = i.watch;
        self.seen = (watch.valid && watch.ready && watch.peer).then_some(watch);
        self.show_ready();
        self.out
    }
}
