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

/// Bytes that are read of each.
const WR_BYTES: u16 = 40;
/// Words of 64 bits in them.
const WR_WORDS: usize = 5;
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

    /// The next work request is fetched: which, and where it stands.
    fn take_next(&mut self, flow: usize) -> (Order, u64) {
        let order = Order { flow, index: self.fetched };
        let place = u64::from(self.fetched) & ((1 << self.log2) - 1);
        self.fetched = self.fetched.wrapping_add(1);
        self.in_flight += 1;
        (order, self.address.wrapping_add(place << 6))
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
    index: u16,
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

/// A beat of a work request: data, last, error.
type Beat = (Data, bool, bool);

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
    fetch_count: usize,
    is_drained: bool,
    holds: bool,
    credits: LutFifo<usize>,
    orders: LutFifo<Order>,
    beats: LutFifo<Beat>,
    rows: Rows,
    row: [u64; 8],
    is_fetched: bool,
    guards: bool,
    /// The flow whose ring has just begun anew.
    cleared_flow: Option<usize>,
    out: SqFetchOut,
}

impl SqFetch {
    /// The rings of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        let m_cmd = ReadCommand { bytes: WR_BYTES, ..Default::default() };
        let s_axis = TreadyPort { tready: true };
        Self {
            config: config.clone(),
            flows: vec![Flow::default(); config.flow_count],
            scrub_left: config.flow_count,
            ops: [None; STAGES],
            active: LutFifo::new(config.flow_count),
            decided: Decided::default(),
            fetch_count: 0,
            is_drained: false,
            holds: false,
            credits: LutFifo::new(16),
            orders: LutFifo::new(config.ring_entries()),
            beats: LutFifo::new(64),
            rows: Rows::Wait,
            row: [0; 8],
            is_fetched: false,
            guards: false,
            cleared_flow: None,
            out: SqFetchOut { m_cmd, s_axis, ..Default::default() },
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
    /// under way has written it, and is picked again.
    fn begins(&self) -> Option<(Op, usize)> {
        let writes = |flow: usize| self.ops[EXEC..].iter().flatten().any(|o| o.1 == flow);
        self.ops[0].filter(|(_, flow)| !writes(*flow))
    }

    /// A committed work request is about to be looked up.
    fn looks(&self, i: &SqFetchIn) -> bool {
        let has_come = self.orders.m_valid() && self.beat(i).is_some();
        self.rows == Rows::Wait && !has_come && i.s_cfg.valid && i.cfg.table == Table::Wr as u8
    }

    /// A work request is looked for or filled.
    fn takes_beat(&self) -> bool {
        self.rows == Rows::Fill || self.rows == Rows::Wait && self.orders.m_valid()
    }

    /// A beat that comes goes straight into the row.
    fn passes(&self) -> bool {
        self.takes_beat() && self.beats.count() == 0
    }

    /// The oldest beat: data, last, error.
    fn beat(&self, i: &SqFetchIn) -> Option<Beat> {
        let s = &i.s_axis;
        match self.passes() {
            true => s.tvalid.then_some((s.tdata, s.tlast, s.tuser)),
            false => self.beats.m_valid().then(|| self.beats.m_data()),
        }
    }

    /// There is room for one more fetch.
    fn may_go(&self, i: &SqFetchIn) -> bool {
        let fetches = self.fetch_count + usize::from(self.decided.fetch.is_some());
        i.wr_room
            && !self.holds
            && (!self.out.m_cmd.valid || i.m_cmd.ready)
            && fetches < self.config.ring_entries()
    }

    /// Does an operation on the books; what follows from it. `direct`: a doorbell may fetch at once.
    fn execute(&mut self, op: Op, at: usize, i: &SqFetchIn, direct: bool) -> (Decided, bool) {
        let (words, flow_count, depth) = (self.words(), self.flows.len(), self.config.sq_depth);
        let f = &mut self.flows[at];
        let has_credit = f.in_flight < depth;
        let mut decided = Decided::default();
        let mut refused = false;
        let mut enters = false;
        match op {
            Op::Credit => {
                f.in_flight = f.in_flight.saturating_sub(1);
                enters = f.pending() > 0 && !f.queued && !f.stopped;
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
                    enters = ahead > 0 && has_credit && !f.queued && !f.stopped;
                    if enters && direct {
                        decided.fetch = Some(f.take_next(at));
                        enters = f.pending() > 0 && f.in_flight < depth;
                    }
                }
            }
            Op::Fetch => {
                f.queued = false;
                if f.pending() > 0 && !f.stopped {
                    assert!(has_credit, "flow {at} waits without credit");
                    decided.fetch = Some(f.take_next(at));
                    enters = f.pending() > 0 && f.in_flight < depth;
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
        let beat = self.beat(i);
        match self.rows {
            Rows::Wait => self.wait(i),
            Rows::Fill => {
                let Some(beat) = beat else { return Rows::Fill };
                self.fill(&beat)
            }
            Rows::Came => match done {
                None => Rows::Came,
                Some(flow) if flow.stopped => Rows::Drop,
                Some(_) => Rows::Offer,
            },
            Rows::Failed => {
                let Some(flow) = done else { return Rows::Failed };
                self.out.event_sq.read_error = true;
                if flow.stopped {
                    Rows::Drop
                } else {
                    Rows::Report
                }
            }
            Rows::Report => {
                self.guards = true;
                Rows::Report
            }
            Rows::Drop | Rows::Gap => Rows::Wait,
            Rows::Look => match done {
                None => Rows::Look,
                Some(flow) if flow.log2 > 0 => {
                    self.out.event_sq.wr_refused = true;
                    Rows::Ack
                }
                Some(_) => Rows::Offer,
            },
            Rows::Offer if !i.m_cfg.ready => Rows::Offer,
            Rows::Offer if self.is_fetched => Rows::Drop,
            Rows::Offer if i.cfg.table == Table::Qp as u8 => Rows::Quiet,
            Rows::Offer => Rows::Ack,
            Rows::Quiet if !i.watch.valid && self.credits.count() == 0 => Rows::NewQp,
            Rows::Quiet => Rows::Quiet,
            Rows::NewQp => done.map_or(Rows::NewQp, |_| Rows::Ack),
            Rows::Ack => Rows::Gap,
        }
    }

    /// The words of a beat follow those that have come; what is behind the work request's 40 bytes
    /// is of no use.
    fn fill(&mut self, (data, last, error): &Beat) -> Rows {
        let word_count = (self.config.data_bytes() / 8).min(WR_WORDS);
        let words = &mut self.row[..WR_WORDS];
        words.rotate_left(word_count);
        words[WR_WORDS - word_count..].copy_from_slice(&data.0[..word_count]);
        match (last, error) {
            (false, _) => Rows::Fill,
            (true, true) => Rows::Failed,
            (true, false) if self.guards => Rows::Came,
            _ => Rows::Offer,
        }
    }

    fn wait(&mut self, i: &SqFetchIn) -> Rows {
        self.guards &= self.orders.m_valid();
        let beat = self.beat(i).filter(|_| self.orders.m_valid());
        self.is_fetched = beat.is_some();
        let m_cfg = &mut self.out.m_cfg;
        (m_cfg.table, m_cfg.index) = (i.cfg.table, i.cfg.index);
        if let Some(beat) = beat {
            (m_cfg.table, m_cfg.index) = (Table::Wr as u8, self.orders.m_data().flow as u16);
            self.row = [0; 8];
            self.fill(&beat)
        } else {
            self.row = i.cfg.row.0;
            match i.s_cfg.valid {
                true if i.cfg.table == Table::Wr as u8 => Rows::Look,
                true if self.is_drained => Rows::Offer,
                _ => Rows::Wait,
            }
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
        let (takes_beat, passes) = (self.takes_beat(), self.passes());
        let mut next_rows = self.move_rows(i);
        if self.rows == Rows::Report && !before.m_cqe.valid {
            let (flow, wr_id) = (self.out.m_cfg.index, self.orders.m_data().index.into());
            self.out.m_cqe = LostRequest { valid: true, flow, wr_id };
            next_rows = Rows::Drop;
        }
        let idle = self.ops[..=EXEC] == [None; EXEC + 1] && self.decided.fetch.is_none();
        let drained = self.holds && idle && self.fetch_count == 0;
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
        self.beats.step(false, stored.then_some((s.tdata, s.tlast, s.tuser)), takes_beat);
        self.fetch_count += usize::from(fetch.is_some());
        self.fetch_count -= usize::from(leaves);
        if let Some((op, flow)) = executed {
            (self.decided, self.out.event_sq.doorbell_refused) = self.execute(op, flow, i, direct);
            if let Some((_, addr)) = self.decided.fetch {
                self.out.m_cmd = ReadCommand { valid: true, addr, bytes: WR_BYTES };
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
        let index = starts.offer(&format!("{row}[15:0]"), u16::BITS, 20)?;
        starts.put(&format!("{row}[31:16]"), index);
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
        // Words 0 to 10; the ring's are for this block alone.
        self.out.m_cfg.row = Wide(self.row);
        self.out.m_cfg.row.0[5] &= 0xffff_ffff;
        self.out.m_cfg.row.0[6..].fill(0);
        let hints = matches!(self.rows, Rows::Fill | Rows::Came | Rows::Offer);
        self.out.hint.valid = hints && self.is_fetched;
        self.out.hint.flow = self.row_flow() as u16;
        self.out.s_axis.tready = self.beats.s_ready();
    }
}
