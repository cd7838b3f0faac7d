//! Twin of `hdl/src/host/sq/fetch.rs`: submission rings in host memory.

use crate::events::SqEvents;
use crate::golden::transport::requester::ValidPort;
use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::{Data, Golden, Wide};
use crate::starts::Starts;
use crate::streams::{
    self, AxisWordsUser, CommittedRow, ConfigRow, Doorbell, LostRequest, ReadCommand, ReadyPort,
    TreadyPort,
};
use nic_spec::rows::{QpRow, Row, Table};
use nic_spec::NicConfig;

/// Bytes of a work request.
const WR_BYTES: u16 = 64;
/// Words of 64 bits in them.
const WR_WORDS: usize = 8;
/// Cycles of an operation behind that in which it is picked.
const STAGES: usize = 4;
/// In this one it takes effect.
const EXEC: usize = 2;

ports! {
    /// A stream that is only looked at.
    pub struct WatchPorts {
        pub valid: bool,
        pub ready: bool,
        pub op: u8,
        pub flow: u16,
    }
}
ports! {
    /// Inputs.
    pub struct SqFetchIn {
        pub reset: bool,
        pub s_doorbell: Doorbell,
        pub s_cfg: ValidPort,
        pub cfg: CommittedRow,
        pub m_cfg: ReadyPort,
        pub watch: WatchPorts,
        pub cfg_sq_scale: u8,
        pub wr_room: bool,
        pub m_cmd: ReadyPort,
        pub s_axis: AxisWordsUser,
        pub m_cqe: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct SqFetchOut {
        pub s_doorbell: ReadyPort,
        pub s_cfg: ReadyPort,
        pub m_cfg: ConfigRow,
        pub hint: streams::FlowPulse,
        pub m_cmd: ReadCommand,
        pub s_axis: TreadyPort,
        pub m_cqe: LostRequest,
        pub event_sq: SqEvents,
    }
}

/// Books of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    address: u64,
    log2: u8,
    producer: u16,
    fetched: u16,
    in_flight: usize,
    /// Stands among those that wait for a fetch.
    queued: bool,
    /// A fetch failed: nothing more until the queue pair is set up anew.
    stopped: bool,
}

impl Flow {
    fn pending(&self) -> u16 {
        self.producer.wrapping_sub(self.fetched)
    }

    /// The next `count` work requests are fetched: which, and where the first one stands.
    fn take_next(&mut self, flow: usize, count: usize) -> (Order, u64) {
        let order = Order { flow, index: self.fetched, count };
        let place = u64::from(self.fetched) & ((1 << self.log2) - 1);
        self.fetched = self.fetched.wrapping_add(count as u16);
        self.in_flight += count;
        (order, self.address.wrapping_add(place << 6))
    }

    /// How many are fetched at once: none beyond the aligned group that the next one is in, or the
    /// ring's end.
    fn next_count(&self, batch: usize) -> usize {
        let batch = batch.min(1 << self.log2);
        let to_group_end = batch - usize::from(self.fetched) % batch;
        to_group_end.min(self.pending().into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Credit,
    Row,
    Doorbell,
    Fetch,
}

#[derive(Clone, Copy, Debug, Default)]
struct Order {
    flow: usize,
    /// Of the first.
    index: u16,
    count: usize,
}

/// What happens to rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Rows {
    #[default]
    Wait,
    Fill,
    Came,
    Failed,
    Report,
    Drop,
    Look,
    Offer,
    Quiet,
    NewQp,
    Ack,
    Gap,
}

/// A beat of a work request: data, error.
type Beat = (Data, bool);

/// Decided in the cycle before, in effect with the coming edge.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    enters: Option<usize>,
    fetch: Option<(Order, u64)>,
}

/// Submission rings.
#[derive(Clone, Debug)]
pub struct SqFetch {
    config: NicConfig,
    flows: Vec<Flow>,
    scrub_left: usize,
    /// Operations under way, the youngest first: each on the row of a flow.
    ops: [Option<(Op, usize)>; STAGES],
    active: LutFifo<usize>,
    decided: Decided,
    /// Work requests that were asked for and have not left.
    slots: usize,
    is_drained: bool,
    holds: bool,
    credits: LutFifo<usize>,
    orders: LutFifo<Order>,
    beats: LutFifo<Beat>,
    rows: Rows,
    row: [u64; 8],
    /// Words of the work request at hand that have come, and work requests of its order that are
    /// done with.
    words_in: usize,
    done_count: usize,
    is_fetched: bool,
    guards: bool,
    /// The flow whose ring has just begun anew.
    cleared_flow: Option<usize>,
    out: SqFetchOut,
}

impl SqFetch {
    /// The rings of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        let s_axis = TreadyPort { tready: true };
        Self {
            config: config.clone(),
            flows: vec![Flow::default(); config.flow_count],
            scrub_left: config.flow_count,
            ops: [None; STAGES],
            active: LutFifo::new(config.flow_count),
            decided: Decided::default(),
            slots: 0,
            is_drained: false,
            holds: false,
            credits: LutFifo::new(16),
            orders: LutFifo::new(config.ring_entries()),
            beats: LutFifo::new(config.ring_entries() * 64 / config.data_bytes()),
            rows: Rows::Wait,
            row: [0; 8],
            words_in: 0,
            done_count: 0,
            is_fetched: false,
            guards: false,
            cleared_flow: None,
            out: SqFetchOut { s_axis, ..Default::default() },
        }
    }

    fn words(&self) -> Row {
        core::array::from_fn(|n| (self.row[n / 2] >> (32 * (n % 2))) as u32)
    }

    fn row_flow(&self) -> usize {
        usize::from(self.out.m_cfg.index) % self.flows.len()
    }

    /// The operation that takes effect with the coming edge.
    fn executes(&self) -> Option<(Op, usize)> {
        self.ops[EXEC]
    }

    /// The next operation, every other cycle.
    fn pick(&self, i: &SqFetchIn) -> Option<(Op, usize)> {
        let row_op = matches!(self.rows, Rows::Came | Rows::Failed | Rows::Look | Rows::NewQp);
        let row_flow = if self.looks(i) { usize::from(i.cfg.index) } else { self.row_flow() };
        let has_begun = |op: Op| self.ops[..=EXEC].iter().flatten().any(|o| o.0 == op);
        let may_fetch = self.active.m_valid() && self.may_go(i) && !has_begun(Op::Fetch);
        if self.scrub_left > 0 || self.ops[0].is_some() {
            None
        } else if self.credits.m_valid() {
            Some((Op::Credit, self.credits.m_data()))
        } else if (row_op || self.looks(i)) && !has_begun(Op::Row) {
            Some((Op::Row, row_flow % self.flows.len()))
        } else if i.s_doorbell.valid && !has_begun(Op::Doorbell) {
            Some((Op::Doorbell, usize::from(i.s_doorbell.flow) % self.flows.len()))
        } else {
            may_fetch.then(|| (Op::Fetch, self.active.m_data()))
        }
    }

    /// The operation that was picked in the cycle before. It ends here if its row was read before one
    /// under way has written it, and is picked again; but a credit goes on with what one that is in
    /// effect now leaves.
    fn begins(&self) -> Option<(Op, usize)> {
        self.ops[0].filter(|(op, flow)| {
            let follows = *op == Op::Credit && self.ops[EXEC] == Some((Op::Credit, *flow));
            let writers = &self.ops[if follows { EXEC + 1 } else { EXEC }..];
            !writers.iter().flatten().any(|writer| writer.1 == *flow)
        })
    }

    /// A committed work request is about to be looked up.
    fn looks(&self, i: &SqFetchIn) -> bool {
        let has_come = self.orders.m_valid() && self.beat(i).is_some();
        self.rows == Rows::Wait && !has_come && i.s_cfg.valid && i.cfg.table == Table::Wr as u8
    }

    /// A work request is looked for or filled, or the one before it of the same order leaves.
    fn takes_beat(&self, i: &SqFetchIn) -> bool {
        match self.rows {
            Rows::Fill => true,
            Rows::Wait => self.orders.m_valid(),
            Rows::Offer => self.is_fetched && i.m_cfg.ready && !self.is_last(),
            _ => false,
        }
    }

    /// The work request at hand is the last one of its order.
    fn is_last(&self) -> bool {
        self.done_count + 1 == self.orders.m_data().count
    }

    /// A beat that comes goes straight into the row.
    fn passes(&self, i: &SqFetchIn) -> bool {
        self.takes_beat(i) && self.beats.count() == 0
    }

    /// The oldest beat.
    fn beat(&self, i: &SqFetchIn) -> Option<Beat> {
        let s = &i.s_axis;
        match self.passes(i) {
            true => s.tvalid.then_some((s.tdata, s.tuser)),
            false => self.beats.m_valid().then(|| self.beats.m_data()),
        }
    }

    /// There is room for one more fetch, beside one that was just decided.
    fn may_go(&self, i: &SqFetchIn) -> bool {
        let fetches = 1 + usize::from(self.decided.fetch.is_some());
        let slots_max = self.config.ring_entries();
        i.wr_room
            && !self.holds
            && (!self.out.m_cmd.valid || i.m_cmd.ready)
            && self.slots + fetches * self.config.sq_batch() <= slots_max
    }

    /// Does an operation on the books; what follows from it. `direct`: a doorbell may fetch at once.
    fn execute(&mut self, op: Op, at: usize, i: &SqFetchIn, direct: bool) -> (Decided, bool) {
        let (words, flow_count) = (self.words(), self.flows.len());
        let depth = self.config.sq_depth_at(i.cfg_sq_scale);
        let batch = self.config.sq_batch();
        let f = &mut self.flows[at];
        // A whole group must fit, so that reads are as long as can be.
        let may_enter = |f: &Flow| f.pending() > 0 && f.in_flight + batch <= depth && !f.stopped;
        let mut decided = Decided::default();
        let mut refused = false;
        let mut enters = false;
        match op {
            Op::Credit => {
                f.in_flight = f.in_flight.saturating_sub(1);
                enters = may_enter(f) && !f.queued;
            }
            Op::Row => match self.rows {
                Rows::NewQp => {
                    let qp = QpRow::from_row(&words);
                    let log2 = if qp.valid { qp.sq_log2 } else { 0 };
                    let address = qp.sq_address & !63;
                    *f = Flow { address, log2, queued: f.queued, ..Flow::default() };
                    self.cleared_flow = (log2 > 0).then_some(at);
                }
                Rows::Failed => {
                    f.stopped = true;
                    f.in_flight -= 1;
                }
                Rows::Came if f.stopped => f.in_flight -= 1,
                _ => {}
            },
            Op::Doorbell => {
                let ahead = i.s_doorbell.index.wrapping_sub(f.fetched);
                let in_range = usize::from(i.s_doorbell.flow) < flow_count;
                let fits = u32::from(ahead) <= 1 << f.log2 && ahead >= f.pending();
                refused = !(in_range && f.log2 > 0 && fits);
                if !refused {
                    f.producer = i.s_doorbell.index;
                    enters = may_enter(f) && !f.queued;
                    if enters && direct {
                        decided.fetch = Some(f.take_next(at, 1));
                        enters = may_enter(f);
                    }
                }
            }
            Op::Fetch => {
                f.queued = false;
                if f.pending() > 0 && !f.stopped {
                    assert!(may_enter(f), "flow {at} waits without credit");
                    let count = f.next_count(batch);
                    decided.fetch = Some(f.take_next(at, count));
                    enters = may_enter(f);
                }
            }
        }
        f.queued |= enters;
        decided.enters = enters.then_some(at);
        (decided, refused)
    }

    /// The rows' part of an edge: the next state, from what stands before the edge.
    fn move_rows(&mut self, i: &SqFetchIn) -> Rows {
        let done = self.executes().filter(|(op, _)| *op == Op::Row).map(|(_, flow)| flow);
        let done = done.map(|flow| self.flows[flow]);
        let beat = self.beat(i).filter(|_| self.takes_beat(i));
        let row = self.row;
        let next = match self.rows {
            Rows::Wait => self.wait(i),
            Rows::Fill => Rows::Fill,
            Rows::Came => match done {
                None => Rows::Came,
                Some(flow) if flow.stopped => self.end(),
                Some(_) => Rows::Offer,
            },
            Rows::Failed => {
                let Some(flow) = done else { return Rows::Failed };
                self.out.event_sq.read_error = true;
                if flow.stopped {
                    self.end()
                } else {
                    Rows::Report
                }
            }
            Rows::Report => {
                self.guards = true;
                Rows::Report
            }
            Rows::Drop => {
                self.done_count = 0;
                Rows::Wait
            }
            Rows::Gap => Rows::Wait,
            Rows::Look => match done {
                None => Rows::Look,
                Some(flow) if flow.log2 > 0 => {
                    self.out.event_sq.wr_refused = true;
                    Rows::Ack
                }
                Some(_) => Rows::Offer,
            },
            Rows::Offer if !i.m_cfg.ready => Rows::Offer,
            Rows::Offer if self.is_fetched => self.end(),
            Rows::Offer if i.cfg.table == Table::Qp as u8 => Rows::Quiet,
            Rows::Offer => Rows::Ack,
            Rows::Quiet if !i.watch.valid && self.credits.count() == 0 => Rows::NewQp,
            Rows::Quiet => Rows::Quiet,
            Rows::NewQp => done.map_or(Rows::NewQp, |_| Rows::Ack),
            Rows::Ack => Rows::Gap,
        };
        match beat {
            Some(beat) => {
                self.row = row;
                self.fill(&beat)
            }
            None => next,
        }
    }

    /// A work request is done with: the next one of its order is waited for, or the order leaves.
    fn end(&mut self) -> Rows {
        let next = if self.is_last() { Rows::Drop } else { Rows::Wait };
        self.done_count += 1;
        next
    }

    /// The words of a beat follow those that have come.
    fn fill(&mut self, (data, error): &Beat) -> Rows {
        let m_cfg = &mut self.out.m_cfg;
        (m_cfg.table, m_cfg.index) = (Table::Wr as u8, self.orders.m_data().flow as u16);
        self.is_fetched = true;
        let word_count = self.config.data_bytes() / 8;
        self.row.rotate_left(word_count);
        self.row[WR_WORDS - word_count..].copy_from_slice(&data.0[..word_count]);
        self.words_in = (self.words_in + word_count) % WR_WORDS;
        match error {
            _ if self.words_in > 0 => Rows::Fill,
            true => Rows::Failed,
            false if self.guards => Rows::Came,
            false => Rows::Offer,
        }
    }

    fn wait(&mut self, i: &SqFetchIn) -> Rows {
        self.guards &= self.orders.m_valid();
        self.is_fetched = false;
        let m_cfg = &mut self.out.m_cfg;
        (m_cfg.table, m_cfg.index) = (i.cfg.table, i.cfg.index);
        self.row = i.cfg.row.0;
        match i.s_cfg.valid {
            true if self.looks(i) => Rows::Look,
            true if self.is_drained => Rows::Offer,
            _ => Rows::Wait,
        }
    }
}

impl Golden for SqFetch {
    type In = SqFetchIn;
    type Out = SqFetchOut;

    fn step(&mut self, i: &SqFetchIn) -> SqFetchOut {
        if i.reset {
            *self = Self::new(&self.config.clone());
            return self.out;
        }
        let before = self.out;
        // What the picture before the edge says.
        let picked = self.pick(i);
        let direct = self.may_go(i) && self.active.count() == 0;
        self.out.event_sq = SqEvents::default();
        self.out.m_cqe.valid &= !i.m_cqe.ready;
        self.out.m_cmd.valid &= !i.m_cmd.ready;
        let executed = self.executes();
        let leaves = self.rows == Rows::Drop;
        let (takes_beat, passes) = (self.takes_beat(i), self.passes(i));
        let order = self.orders.m_data();
        let mut next_rows = self.move_rows(i);
        if self.rows == Rows::Report && !before.m_cqe.valid {
            let index = order.index.wrapping_add(self.done_count as u16);
            let (flow, wr_id) = (self.out.m_cfg.index, index.into());
            self.out.m_cqe = LostRequest { valid: true, flow, wr_id };
            next_rows = self.end();
        }
        let idle = self.ops[..=EXEC] == [None; EXEC + 1] && self.decided.fetch.is_none();
        let drained = self.holds && idle && self.slots == 0;
        let is_qp = i.s_cfg.valid && i.cfg.table == Table::Qp as u8;
        let holds = is_qp && self.rows != Rows::Ack;
        // The edge.
        let Decided { enters, fetch } = std::mem::take(&mut self.decided);
        let begins = self.begins();
        let is_begun = |op: Op| begins.is_some_and(|o| o.0 == op);
        let (fetches, counts) = (is_begun(Op::Fetch), is_begun(Op::Credit));
        self.active.step(false, enters, fetches);
        let flow_count = self.flows.len();
        let retired = (i.watch.valid && i.watch.ready && i.watch.op == 0)
            .then(|| usize::from(i.watch.flow) % flow_count);
        assert!(retired.is_none() || self.credits.s_ready(), "credits come too fast");
        self.credits.step(false, retired, counts);
        self.orders.step(false, fetch.map(|(order, _)| order), leaves);
        let s = &i.s_axis;
        let stored = s.tvalid && !passes;
        self.beats.step(false, stored.then_some((s.tdata, s.tuser)), takes_beat);
        self.slots += fetch.map_or(0, |(order, _)| order.count);
        self.slots -= if leaves { order.count } else { 0 };
        if let Some((op, flow)) = executed {
            (self.decided, self.out.event_sq.doorbell_refused) = self.execute(op, flow, i, direct);
            if let Some((order, addr)) = self.decided.fetch {
                let bytes = order.count as u16 * WR_BYTES;
                self.out.m_cmd = ReadCommand { valid: true, addr, bytes };
            }
        }
        self.ops = [picked, begins, self.ops[1], self.ops[2]];
        (self.is_drained, self.holds, self.rows) = (drained, holds, next_rows);
        self.scrub_left = self.scrub_left.saturating_sub(1);
        self.outputs();
        self.out
    }

    /// The indices of a ring that has begun anew.
    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<SqFetchOut> {
        let flow = self.cleared_flow.take()?;
        let row = format!("flows.book.rows.mem[{flow}]");
        let index = starts.offer(&format!("{row}[31:16]"), u16::BITS, 20)?;
        (self.flows[flow].producer, self.flows[flow].fetched) = (index as u16, index as u16);
        Some(self.out)
    }
}

impl SqFetch {
    fn outputs(&mut self) {
        let executes = self.executes().map(|(op, _)| op);
        self.out.s_doorbell.ready = executes == Some(Op::Doorbell);
        self.out.s_cfg.ready = self.rows == Rows::Ack;
        self.out.m_cfg.valid = self.rows == Rows::Offer;
        self.out.m_cfg.row = Wide(self.row);
        let hints = matches!(self.rows, Rows::Fill | Rows::Came | Rows::Offer);
        self.out.hint.valid = hints && self.is_fetched;
        self.out.hint.flow = self.row_flow() as u16;
        self.out.s_axis.tready = self.beats.s_ready();
    }
}
