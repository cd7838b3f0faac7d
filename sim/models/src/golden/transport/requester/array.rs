//! Twin of `hdl/src/transport/requester/array.rs`: whole requesters, waiting answers and a FIFO of
//! grants before each, and what they say in turn.

use super::answer::OPCODE_ACK;
use super::answers::Answers;
use super::{order, Requester, RequesterIn, RequesterOut, ROW_WAIT_CYCLES};
use crate::events::RequesterEvents;
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::rr_merge::Turn;
use crate::ports::{Golden, Wide};
use crate::starts::Starts;
use crate::streams::{
    AckTelemetry, Answer, Flow, FlowPulse, Order, Packet, PayloadSource, ReadyPort, Work,
};
use nic_spec::config::NicConfig;
use nic_spec::rows::Table;

/// Grants that do.
const GRANTS: usize = 8;
/// Rows that wait for an engine.
const ROWS: usize = 16;
/// Packets that wait for the tx pipe, and orders for the completer.
const WAITING: usize = 4;
/// Payloads that wait for their orders.
const PAYLOADS: usize = 128;
/// Cycles, behind that of a READ response itself, that let no answer come next: 8 from one to the
/// next.
const PAUSE_CYCLES: u8 = 6;
/// Bits of a QPN.
const QPN_BITS: u32 = 24;
/// Kinds of events.
const KINDS: usize = 10;

/// Events of a kind that wait to be told.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    come: u8,
    pending: u8,
}

fn kinds(e: &RequesterEvents) -> [bool; KINDS] {
    [
        e.ack,
        e.ack_coalesced_stale,
        e.ack_ghost,
        e.nak_sequence,
        e.nak_rnr,
        e.nak_fatal,
        e.no_qp,
        e.retransmit_packet,
        e.timeout,
        e.wr_refused,
    ]
}

/// Requesters side by side; a flow's is its number modulo their count.
#[derive(Clone, Debug)]
pub struct RequesterArray {
    engine_bits: u32,
    engines: Vec<Requester>,
    /// Their names in the Verilog.
    names: Vec<String>,
    /// What they put out.
    says: Vec<RequesterOut>,
    answers: Vec<Answers>,
    grants: Vec<LutFifo<u16>>,
    /// Rows: table, flow of the engine, row.
    rows: Vec<LutFifo<(u8, u16, Wide<8>)>>,
    /// The row at `s_cfg` enters the FIFO of its engine.
    takes_row: bool,
    /// It is a work request.
    takes_request: bool,
    /// The row at `s_cfg` is no work request and waits there.
    has_entered: bool,
    /// Whose READ responses have brought payload.
    payloads: LutFifo<usize>,
    /// An ACK has given way to a newer one.
    has_merged: bool,
    pause: u8,
    /// Cycles in which a queue pair row waits for read errors.
    row_wait: u8,
    /// Packets, and where their payload stands if they have any, on their way out.
    packets: LutFifo<(Packet, PayloadSource)>,
    /// Of the oldest the packet was taken, or where its payload stands.
    taken: (bool, bool),
    /// Orders on their way out.
    orders: LutFifo<Order>,
    packet_turn: Turn,
    news_turn: Turn,
    echo_turn: Turn,
    order_turn: Turn,
    sums: [Sum; KINDS],
    out: RequesterOut,
}

impl RequesterArray {
    /// As many requesters as `config` has.
    pub fn new(config: &NicConfig) -> Self {
        let count = config.requester_engines();
        let own = NicConfig { flow_count: config.flow_count / count, ..config.clone() };
        Self {
            engine_bits: count.ilog2(),
            engines: vec![Requester::new(&own); count],
            names: (0..count).map(|e| format!("engines_{e}")).collect(),
            says: vec![RequesterOut::default(); count],
            answers: vec![Answers::new(); count],
            grants: vec![LutFifo::new(GRANTS); count],
            rows: vec![LutFifo::new(ROWS); count],
            takes_row: false,
            takes_request: false,
            has_entered: false,
            payloads: LutFifo::new(PAYLOADS),
            has_merged: false,
            pause: 0,
            row_wait: 0,
            packets: LutFifo::new(WAITING),
            taken: (false, false),
            orders: LutFifo::new(WAITING),
            packet_turn: Turn::default(),
            news_turn: Turn::default(),
            echo_turn: Turn::default(),
            order_turn: Turn::default(),
            sums: [Sum::default(); KINDS],
            out: RequesterOut::default(),
        }
    }

    fn reset(&mut self, i: &RequesterIn) {
        self.says = self.engines.iter_mut().map(|e| e.step(i)).collect();
        self.answers.iter_mut().for_each(Answers::reset);
        self.grants.iter_mut().for_each(|fifo| fifo.step(true, None, false));
        self.rows.iter_mut().for_each(|fifo| fifo.step(true, None, false));
        (self.takes_row, self.takes_request, self.has_entered) = (false, false, false);
        self.payloads.step(true, None, false);
        self.packets.step(true, None, false);
        self.taken = (false, false);
        self.orders.step(true, None, false);
        (self.pause, self.row_wait) = (0, 0);
        self.has_merged = false;
        for turn in self.turns() {
            *turn = Turn::default();
        }
        self.sums = Default::default();
        self.out = RequesterOut { s_ack: ReadyPort { ready: true }, ..RequesterOut::default() };
    }

    fn turns(&mut self) -> [&mut Turn; 4] {
        [&mut self.packet_turn, &mut self.news_turn, &mut self.echo_turn, &mut self.order_turn]
    }

    /// The engine of a flow, and which of its flows it is.
    fn place(&self, flow: u16) -> (usize, u16) {
        (usize::from(flow) % self.engines.len(), flow >> self.engine_bits)
    }

    /// The flow of an engine's flow.
    fn flow(&self, engine: usize, flow: u16) -> u16 {
        flow << self.engine_bits | engine as u16
    }

    /// A QPN as an engine sees it: the bits of its flow are the low ones.
    fn rotated(&self, qpn: u32) -> u32 {
        (qpn >> self.engine_bits | qpn << (QPN_BITS - self.engine_bits)) & ((1 << QPN_BITS) - 1)
    }

    /// The staged row with its QPN as an engine sees it.
    fn row(&self, i: &RequesterIn) -> Wide<8> {
        let mut row = i.cfg_row;
        if i.cfg_table == Table::Qp as u8 {
            // Word 1 from bit 0 on.
            let qpn = (row.0[0] >> 32) as u32 & ((1 << QPN_BITS) - 1);
            row.0[0] ^= u64::from(qpn ^ self.rotated(qpn)) << 32;
        }
        row
    }

    /// What an engine is told.
    fn told(&self, engine: usize, i: &RequesterIn) -> RequesterIn {
        let is_for = |flow: u16| self.place(flow).0 == engine;
        let mut told = *i;
        told.s_ack = self.answers[engine].m_data();
        told.s_ack.valid = self.answers[engine].m_valid();
        told.s_cfg.valid = self.rows[engine].m_valid();
        (told.cfg_table, told.cfg_index, told.cfg_row) = self.rows[engine].m_data();
        told.hint = FlowPulse {
            valid: i.hint.valid && is_for(i.hint.flow),
            flow: self.place(i.hint.flow).1,
        };
        told.s_grant =
            Flow { valid: self.grants[engine].m_valid(), flow: self.grants[engine].m_data() };
        told.s_fail.valid = i.s_fail.valid && is_for(i.s_fail.flow);
        told.s_fail.flow = self.place(i.s_fail.flow).1;
        told.watch_valid = i.watch_valid && is_for(i.watch_flow);
        told.watch_flow = self.place(i.watch_flow).1;
        told.m_pkt.ready = self.packet_turn.takes(engine);
        told.m_read = told.m_pkt;
        told.m_work.ready = self.news_turn.takes(engine);
        told.m_cc.ready = self.echo_turn.takes(engine);
        told.m_order.ready = self.order_turn.takes(engine);
        told
    }

    /// A row goes into the FIFO of its engine.
    fn enter(&mut self, i: &RequesterIn) {
        let (owner, flow) = self.place(i.cfg_index);
        let row = self.takes_row.then(|| (i.cfg_table, flow, self.row(i)));
        let waits = i.cfg_table == Table::Qp as u8 && self.row_wait > 0;
        let has_room = self.rows[owner].s_ready() && !self.takes_row && !self.has_entered;
        self.has_entered |= self.takes_row && !self.takes_request;
        self.has_entered &= !self.is_done();
        self.takes_row = i.s_cfg.valid && has_room && !waits;
        self.takes_request = self.takes_row && i.cfg_table == Table::Wr as u8;
        for (engine, say) in self.says.iter().enumerate() {
            let comes = row.filter(|_| owner == engine);
            self.rows[engine].step(false, comes, say.s_cfg.ready);
        }
    }

    /// An engine is done with a row that is no work request.
    fn is_done(&self) -> bool {
        let mut engines = self.says.iter().zip(&self.rows);
        engines.any(|(say, rows)| say.s_cfg.ready && rows.m_data().0 != Table::Wr as u8)
    }

    /// Answers and grants go into the FIFOs of their engines.
    fn intake(&mut self, i: &RequesterIn) {
        let taken = i.s_ack.valid && self.out.s_ack.ready;
        let is_response = i.s_ack.opcode != OPCODE_ACK;
        let has_room = self.answers.iter().all(Answers::s_ready) && self.payloads.s_ready();
        let ready = has_room && self.pause == 0 && !(taken && is_response);
        self.out.s_ack = ReadyPort { ready };
        let answer = Answer { msn: 0, qpn: self.rotated(i.s_ack.qpn), ..i.s_ack };
        let owner = i.s_ack.qpn as usize % self.engines.len();
        let granted = i.s_grant.valid && self.out.s_grant.ready;
        let (grantee, flow) = self.place(i.s_grant.flow);
        for (engine, say) in self.says.iter().enumerate() {
            let comes = (taken && owner == engine).then_some(answer);
            self.answers[engine].step(comes, say.s_ack.ready);
            let comes = (granted && grantee == engine).then_some(flow);
            self.grants[engine].step(false, comes, say.s_grant.ready);
        }
        let has_payload = taken && is_response && i.s_ack.payload_bytes > 0;
        let is_ordered = self.order_turn.taken();
        let is_ordered = is_ordered.is_some_and(|e| self.says[e].m_order.op != order::COMPLETION);
        self.payloads.step(false, has_payload.then_some(owner), is_ordered);
        self.pause = if taken && is_response { PAUSE_CYCLES } else { self.pause.saturating_sub(1) };
        self.row_wait =
            if i.s_fail.valid { ROW_WAIT_CYCLES } else { self.row_wait.saturating_sub(1) };
    }

    /// What was taken from an engine stands at the sources; who is next.
    fn sources(&mut self, i: &RequesterIn) {
        let mut out = self.out;
        out.m_work.valid &= !i.m_work.ready;
        out.m_cc.valid &= !i.m_cc.ready;
        let free =
            [self.packets.s_ready(), !out.m_work.valid, !out.m_cc.valid, self.orders.s_ready()];
        if let Some(e) = self.news_turn.taken() {
            let work = self.says[e].m_work;
            out.m_work = Work { flow: self.flow(e, work.flow), ..work };
        }
        if let Some(e) = self.echo_turn.taken() {
            let cc = self.says[e].m_cc;
            out.m_cc = AckTelemetry { flow: self.flow(e, cc.flow), ..cc };
        }
        self.out = out;
        self.packets_out(i);
        self.orders_out(i);
        self.choose(free);
    }

    /// The next packet when both halves of the oldest are taken.
    fn packets_out(&mut self, i: &RequesterIn) {
        let sent = self.packet_turn.taken().map(|e| {
            let say = &self.says[e];
            let packet = Packet { flow: self.flow(e, say.m_pkt.flow), ..say.m_pkt };
            (packet, PayloadSource { bytes: say.m_pkt.payload_bytes, ..say.m_read })
        });
        let stands = self.packets.m_valid();
        let has_read = self.packets.m_data().1.valid;
        let packet_done = i.m_pkt.ready || self.taken.0;
        let read_done = i.m_read.ready || self.taken.1 || !has_read;
        self.packets.step(false, sent, packet_done && read_done);
        self.taken = (stands && packet_done && !read_done, stands && read_done && !packet_done);
        let (packet, read) = self.packets.m_data();
        let stands = self.packets.m_valid();
        self.out.m_pkt = Packet { valid: stands && !self.taken.0, ..packet };
        self.out.m_read = PayloadSource { valid: stands && read.valid && !self.taken.1, ..read };
    }

    fn orders_out(&mut self, i: &RequesterIn) {
        let order = self.order_turn.taken().map(|e| {
            let order = self.says[e].m_order;
            Order { flow: self.flow(e, order.flow), ..order }
        });
        self.orders.step(false, order, i.m_order.ready);
        self.out.m_order = Order { valid: self.orders.m_valid(), ..self.orders.m_data() };
    }

    fn choose(&mut self, free: [bool; 4]) {
        let requests = |wants: &dyn Fn(usize, &RequesterOut) -> bool| -> Vec<bool> {
            self.says.iter().enumerate().map(|(e, say)| wants(e, say)).collect()
        };
        let oldest = self.payloads.m_valid().then(|| self.payloads.m_data());
        let wanted = [
            requests(&|_, say| say.m_pkt.valid),
            requests(&|_, say| say.m_work.valid),
            requests(&|_, say| say.m_cc.valid),
            requests(&|e, say| {
                let is_due = say.m_order.op == order::COMPLETION || oldest == Some(e);
                say.m_order.valid && is_due
            }),
        ];
        for ((turn, is_free), wanted) in self.turns().into_iter().zip(free).zip(&wanted) {
            turn.step(is_free, wanted);
        }
    }

    /// A pulse of each kind that waits.
    fn events(&mut self) {
        for sum in &mut self.sums {
            let waiting = u16::from(sum.pending) + u16::from(sum.come);
            sum.pending = (waiting - u16::from(sum.pending > 0)).try_into().expect("at most 255");
            sum.come = 0;
        }
        // An ACK that has given way counts; `ack` is the first kind.
        self.sums[0].come += u8::from(self.has_merged);
        for say in &self.says {
            for (sum, is_one) in self.sums.iter_mut().zip(kinds(&say.event_reqr)) {
                sum.come += u8::from(is_one);
            }
        }
        let [ack, ack_coalesced_stale, ack_ghost, nak_sequence, nak_rnr, nak_fatal, no_qp, retransmit_packet, timeout, wr_refused] =
            self.sums.map(|sum| sum.pending > 0);
        self.out.event_reqr = RequesterEvents {
            ack,
            ack_coalesced_stale,
            ack_ghost,
            nak_sequence,
            nak_rnr,
            nak_fatal,
            no_qp,
            retransmit_packet,
            timeout,
            wr_refused,
        };
    }
}

impl Golden for RequesterArray {
    type In = RequesterIn;
    type Out = RequesterOut;

    fn step(&mut self, i: &RequesterIn) -> RequesterOut {
        if i.reset {
            self.reset(i);
        } else {
            let told: Vec<RequesterIn> = (0..self.engines.len()).map(|e| self.told(e, i)).collect();
            self.enter(i);
            self.intake(i);
            self.sources(i);
            self.events();
            self.has_merged = self.answers.iter().any(|a| a.has_merged);
            self.says = self.engines.iter_mut().zip(&told).map(|(e, told)| e.step(told)).collect();
        }
        let ready = |is_ready: bool| ReadyPort { ready: is_ready };
        self.out.s_grant = ready(self.grants.iter().all(LutFifo::s_ready));
        self.out.s_cfg = ready(self.takes_request || self.is_done());
        self.out.s_fail = ready(self.says.iter().any(|say| say.s_fail.ready));
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<RequesterOut> {
        let mut has_changed = false;
        for (engine, name) in self.engines.iter_mut().zip(&self.names) {
            has_changed |= starts.within(name, |s| engine.starts(s)).is_some();
        }
        has_changed.then_some(self.out)
    }
}
