//! Requesters side by side: a flow's engine is its number modulo E, so that neighbouring queue pairs
//! spread. Each is a whole `requester` of F/E flows; what is here brings them their items and
//! merges what they say.
//!
//! # Source            ARCHITECTURE.md
//! # Interface timing  s_ack, s_grant: wait before their engine; it has them 2 cycles later.
//!                     hint, s_fail: their engine sees them in the same cycle. A row stands before
//!                     it 3 cycles later; a work request is taken then, another row when its engine
//!                     is done with it. Each source: 3 cycles behind that of its engine if nothing
//!                     else waits, of packets and orders 4, of events 2. m_read stands with its
//!                     m_pkt, and the next pair when both are taken
//! # Latency and rate  [`LATENCY_CYCLES`] more than one engine; each source an item every other
//!                     cycle. An ACK a cycle; behind a READ response [`RESPONSE_CYCLES`] pass. E
//!                     engines: E operations at a time
//! # Rules             Sources take turns, and what a flow says at one of them stays in order. Orders
//!                     to land or drop a payload leave in the order of the READ responses that
//!                     brought it; completions don't wait for those of other engines.
//!                     A row of a queue pair waits until no read error has stood for 4 cycles,
//!                     whichever engine it is for.
//!                     An engine sees QPNs rotated, so that its flow's bits are the low ones
//! # Shape             E = 2^EB engines of 2^EF flows, FB = EF + EB
//! # Reset             synchronous, high: FIFOs and sources empty, fields 0, which hold their last
//!                     value while nothing stands; s_ack and s_grant ready, s_fail as the engines'
//! # Twins             sim/models/src/golden/transport/requester/array.rs,
//!                     tests/transport/requester_array.rs

use crate::events::RequesterEvents;
use crate::rows::StagedRow;
use crate::streams::{
    AckTelemetry, Answer, Flow, FlowPulse, Offer, Order, Packet, PayloadSource, ReadError, Work,
};
use crate::transport::requester::answers::{RequesterAnswers, WaitingAnswer};
use crate::transport::requester::Requester;
use crate::util::{event_sum::EventSum, fifo::Fifo, rr_merge::RrMerge};
use crate::{block, kernel, row, Reg};
use nic_spec::rows::Table;
use nic_spec::wire::bth::opcode;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Cycles from a grant that one engine alone would pick to its packet at `m_pkt`.
pub const LATENCY_CYCLES: usize = super::LATENCY_CYCLES + 5;
/// Cycles from a READ response to the next answer: who watches them looks each one up
/// (`feedback_held`).
pub const RESPONSE_CYCLES: u64 = 8;
/// Kinds of events.
const KINDS: usize = 10;

/// A row that waits for its engine, as that sees it.
#[row]
struct WaitingRow<const EF: usize> {
    words: Bits<512>,
    flow: Bits<EF>,
    table: Bits<2>,
}

/// A packet, and where its payload stands.
#[row]
struct SentPacket<const FB: usize> {
    flow: Bits<FB>,
    opcode: Bits<8>,
    psn: Bits<24>,
    ack_req: Bit,
    solicited: Bit,
    payload_bytes: Bits<13>,
    va: Bits<64>,
    rkey: Bits<32>,
    dma_len: Bits<32>,
    imm: Bits<32>,
    mark: Bits<4>,
    bare: Bit,
    addr: Bits<64>,
    is_inline: Bit,
    inline_rest: Bits<128>,
    has_read: Bit,
}

/// What the scheduler is told: an arm, or bytes in flight.
#[row]
struct News<const FB: usize> {
    flow: Bits<FB>,
    len_bytes: Bits<14>,
    frame_count: Bits<7>,
    inflight_bytes: Bits<32>,
}

/// Telemetry of an ACK.
#[row]
struct Echo<const FB: usize> {
    flow: Bits<FB>,
    psn: Bits<24>,
    snd_nxt: Bits<24>,
    has_tel: Bit,
    hops: Bits<3>,
    path: Bits<12>,
    hop_0: Bits<64>,
    hop_1: Bits<64>,
    hop_2: Bits<64>,
    hop_3: Bits<64>,
    hop_4: Bits<64>,
}

/// An order for the completer.
#[row]
struct SentOrder<const FB: usize> {
    flow: Bits<FB>,
    op: Bits<2>,
    addr: Bits<64>,
    bytes: Bits<13>,
    status: Bits<8>,
    wr_id: Bits<32>,
    byte_len: Bits<32>,
    signalled: Bit,
}

/// Events of an engine, a pulse each.
#[row]
struct Pulses {
    ack: Bit,
    ack_coalesced_stale: Bit,
    ack_ghost: Bit,
    nak_sequence: Bit,
    nak_rnr: Bit,
    nak_fatal: Bit,
    no_qp: Bit,
    retransmit_packet: Bit,
    timeout: Bit,
    wr_refused: Bit,
}

/// `E = 2^EB` requesters; `FB = EF + EB`, `SB` = log2 of the queue depth, `AB = EF + SB`,
/// `VB = 10 (E + 1)`, bits of the items at the sources `PB = FB + 406`, `NB = FB + 53`,
/// `TB = FB + 384`, `OB = FB + 152`.
#[block(
    new(config: &NicConfig),
    check(
        E == 1 << EB && FB == EF + EB && VB == KINDS * (E + 1),
        PB == FB + 406 && NB == FB + 53 && TB == FB + 384 && OB == FB + 152
    )
)]
pub struct RequesterArray<
    const E: usize,
    const EB: usize,
    const FB: usize,
    const EF: usize,
    const SB: usize,
    const AB: usize,
    const VB: usize,
    const PB: usize,
    const NB: usize,
    const TB: usize,
    const OB: usize,
> {
    /// An ACK or NAK.
    pub s_ack: Answer<In>,
    /// A table row; rows of other tables are taken and ignored.
    pub s_cfg: Offer<In>,
    /// Table of the row: 0 QP, 1 MR, 2 WR.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Flow of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, StagedRow>,
    /// A work request is coming.
    pub hint: FlowPulse<In, FB>,
    /// Telemetry form: 0 none, 1 paper, 2 authors' 42 bytes.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// PSNs from one packet with telemetry to the next one: 0, 1 each packet; 255 once a round trip.
    pub cfg_tel_every: Signal<In, Bits<8>>,
    /// Send queues are 4 to the power of this times deeper; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// A flow may send a packet.
    pub s_grant: Flow<In, FB>,
    /// A flow gets a window.
    pub watch_valid: Signal<In, Bit>,
    /// The scheduler takes it.
    pub watch_ready: Signal<In, Bit>,
    /// It is that of READ responses.
    pub watch_reply: Signal<In, Bit>,
    /// Its flow.
    pub watch_flow: Signal<In, Bits<FB>>,
    /// The window, bytes.
    pub watch_window: Signal<In, Bits<32>>,
    /// Host memory could not be read for a packet.
    pub s_fail: ReadError<In, FB>,
    /// A packet for the tx pipe.
    pub m_pkt: Packet<Out, FB>,
    /// Where the payload is, once for each packet with payload.
    pub m_read: PayloadSource<Out>,
    /// Arms the flow in the scheduler; without frames only its bytes in flight, after an ACK or a
    /// rewind.
    pub m_work: Work<Out, FB>,
    /// Telemetry of an ACK.
    pub m_cc: AckTelemetry<Out, FB>,
    /// An order for the completer.
    pub m_order: Order<Out, FB>,
    /// What it counts.
    pub event_reqr: RequesterEvents<Out>,
    #[init(core::array::from_fn(|_| Requester::new(config)))]
    engines: [Requester<EF, SB, AB>; E],
    answers: [RequesterAnswers; E],
    grants: [Fifo<Bits<EF>, 3, 4>; E],
    rows: [Fifo<WaitingRow<EF>, 4, 5>; E],
    payloads: Fifo<Bits<E>, 7, 8>,
    packet_turn: RrMerge<E>,
    news_turn: RrMerge<E>,
    echo_turn: RrMerge<E>,
    order_turn: RrMerge<E>,
    events: EventSum<VB, KINDS>,
    #[reset(true)]
    room: Reg<Bit>,
    takes_row: Reg<Bit>,
    takes_request: Reg<Bit>,
    has_entered: Reg<Bit>,
    errors: Reg<Bits<4>>,
    pause: Reg<Bits<3>>,
    packets: Fifo<SentPacket<FB>, 2, 3>,
    pkt_taken: Reg<Bit>,
    read_taken: Reg<Bit>,
    work_full: Reg<Bit>,
    news: Reg<News<FB>>,
    echo_full: Reg<Bit>,
    echo: Reg<Echo<FB>>,
    orders: Fifo<SentOrder<FB>, 2, 3>,
    is_qp: Signal<Local, Bit>,
    is_request: Signal<Local, Bit>,
    row_room: Signal<Local, Bit>,
    is_own: Signal<Local, Bit>,
    row: Signal<Local, StagedRow>,
    entering: Signal<Local, WaitingRow<EF>>,
    one_row: Signal<Local, WaitingRow<EF>>,
    enters: Signal<Local, Bit>,
    is_done: Signal<Local, Bit>,
    row_low: Signal<Local, Bits<24>>,
    row_high: Signal<Local, Bits<24>>,
    row_flow: Signal<Local, Bits<16>>,
    coming_flow: Signal<Local, Bits<FB>>,
    error_flow: Signal<Local, Bits<FB>>,
    window_flow: Signal<Local, Bits<FB>>,
    any_merged: Signal<Local, Bit>,
    answer: Signal<Local, WaitingAnswer>,
    one_answer: Signal<Local, WaitingAnswer>,
    answer_low: Signal<Local, Bits<24>>,
    answer_high: Signal<Local, Bits<24>>,
    takes_answer: Signal<Local, Bit>,
    is_response: Signal<Local, Bit>,
    answer_engine: Signal<Local, Bits<E>>,
    grant_room: Signal<Local, Bit>,
    grant_flow: Signal<Local, Bits<FB>>,
    engine_flow: Signal<Local, Bits<EF>>,
    high_flow: Signal<Local, Bits<FB>>,
    one_flow: Signal<Local, Bits<FB>>,
    packet_requests: Signal<Local, Bits<E>>,
    one_packet: Signal<Local, SentPacket<FB>>,
    packet_parts: [Signal<Local, Bits<PB>>; E],
    packet_bits: Signal<Local, Bits<PB>>,
    head: Signal<Local, SentPacket<FB>>,
    pkt_done: Signal<Local, Bit>,
    read_done: Signal<Local, Bit>,
    news_requests: Signal<Local, Bits<E>>,
    one_said: Signal<Local, News<FB>>,
    news_parts: [Signal<Local, Bits<NB>>; E],
    news_bits: Signal<Local, Bits<NB>>,
    echo_requests: Signal<Local, Bits<E>>,
    one_echo: Signal<Local, Echo<FB>>,
    echo_parts: [Signal<Local, Bits<TB>>; E],
    echo_bits: Signal<Local, Bits<TB>>,
    order_requests: Signal<Local, Bits<E>>,
    one_order: Signal<Local, SentOrder<FB>>,
    order_parts: [Signal<Local, Bits<OB>>; E],
    order_bits: Signal<Local, Bits<OB>>,
    order: Signal<Local, SentOrder<FB>>,
    lands: Signal<Local, Bits<E>>,
    one_pulses: Signal<Local, Pulses>,
    all_pulses: Signal<Local, Bits<VB>>,
    counted: Signal<Local, Pulses>,
    #[init(core::array::from_fn(|i| Constant::new((i as u64).into())))]
    number: [Constant<Bits<EB>>; E],
    #[init(core::array::from_fn(|i| Constant::new((i as u64).into())))]
    low_bits: [Constant<Bits<FB>>; E],
    #[init(core::array::from_fn(|i| Constant::new(((KINDS * i) as u64).into())))]
    pulses_at: [Constant<Bits<7>>; E],
    #[value((KINDS * E) as u64)]
    merged_at: Constant<Bits<7>>,
    #[value(EB as u64)]
    engine_bits: Constant<Bits<5>>,
    #[value(24 - EB as u64)]
    rotate: Constant<Bits<5>>,
    #[value(RESPONSE_CYCLES - 2)]
    response_pause: Constant<Bits<3>>,
    #[value(Table::Qp as u64)]
    qp_table: Constant<Bits<2>>,
    #[value(Table::Wr as u64)]
    wr_table: Constant<Bits<2>>,
    #[value(u64::from(opcode::ACKNOWLEDGE))]
    acknowledge: Constant<Bits<8>>,
}

#[kernel]
impl<
        const E: usize,
        const EB: usize,
        const FB: usize,
        const EF: usize,
        const SB: usize,
        const AB: usize,
        const VB: usize,
        const PB: usize,
        const NB: usize,
        const TB: usize,
        const OB: usize,
    > RequesterArray<E, EB, FB, EF, SB, AB, VB, PB, NB, TB, OB>
{
    fn update(&mut self) {
        self.rows();
        self.errors();
        self.windows();
        self.answers();
        self.grants();
        self.merge_packets();
        self.packets_out();
        self.merge_news();
        self.news_out();
        self.merge_echoes();
        self.echoes_out();
        self.merge_orders();
        self.orders_out();
        self.events();
    }

    /// Rows and hints. The QPN of a queue pair's row is rotated, as those of answers are.
    fn rows(&mut self) {
        self.is_qp.next = self.cfg_table.val() == self.qp_table.val();
        self.is_request.next = self.cfg_table.val() == self.wr_table.val();
        self.row_low.next = self.cfg_row.val().qp_qpn >> self.engine_bits.val();
        self.row_high.next = self.cfg_row.val().qp_qpn << self.rotate.val();
        self.row.next = self.cfg_row.val();
        if self.is_qp.val() {
            self.row.next.qp_qpn = self.row_low.val() | self.row_high.val();
        }
        self.row_flow.next = self.cfg_index.val() >> self.engine_bits.val();
        self.entering.next.words = self.row.val().to_bits::<512>();
        self.entering.next.flow = self.row_flow.val().get_bits::<EF>(0);
        self.entering.next.table = self.cfg_table.val();
        self.coming_flow.next = self.hint.flow.val() >> self.engine_bits.val();
        self.row_room.next = false;
        self.is_done.next = false;
        for i in 0..E {
            self.is_own.next = self.cfg_index.val().get_bits::<EB>(0) == self.number[i].val();
            if self.is_own.val() & self.rows[i].s.ready.val() {
                self.row_room.next = true;
            }
            self.rows[i].s.valid.next = self.takes_row.val() & self.is_own.val();
            self.rows[i].s.data.next = self.entering.val();
            self.one_row.next = self.rows[i].m.data.val();
            self.engines[i].s_cfg.valid.next = self.rows[i].m.valid.val();
            self.engines[i].cfg_table.next = self.one_row.val().table;
            self.engines[i].cfg_index.next = bit_cast::<16, EF>(self.one_row.val().flow);
            self.engines[i].cfg_row.next = self.one_row.val().words.into();
            self.rows[i].m.ready.next = self.engines[i].s_cfg.ready.val();
            if self.engines[i].s_cfg.ready.val() & (self.one_row.val().table != self.wr_table.val())
            {
                self.is_done.next = true;
            }
            self.engines[i].cfg_tel_data.next = self.cfg_tel_data.val();
            self.engines[i].cfg_tel_every.next = self.cfg_tel_every.val();
            self.engines[i].cfg_sq_scale.next = self.cfg_sq_scale.val();
            self.engines[i].hint.valid.next = self.hint.valid.val()
                & (self.hint.flow.val().get_bits::<EB>(0) == self.number[i].val());
            self.engines[i].hint.flow.next = bit_cast::<EF, FB>(self.coming_flow.val());
        }
        self.enters.next = self.s_cfg.valid.val()
            & self.row_room.val()
            & !self.takes_row.val()
            & !self.has_entered.val()
            & !(self.is_qp.val() & self.errors.val().any());
        self.takes_row.next = self.enters.val();
        self.takes_request.next = self.enters.val() & self.is_request.val();
        if self.takes_row.val() & !self.takes_request.val() {
            self.has_entered.next = true;
        }
        if self.is_done.val() {
            self.has_entered.next = false;
        }
        self.s_cfg.ready.next = self.takes_request.val() | self.is_done.val();
    }

    /// Read errors. Those that are on their way are taken before a queue pair's new row.
    fn errors(&mut self) {
        self.errors.next =
            (self.errors.val() << 1) | bit_cast::<4, 1>(self.s_fail.valid.val().into());
        self.error_flow.next = self.s_fail.flow.val() >> self.engine_bits.val();
        self.s_fail.ready.next = false;
        for i in 0..E {
            self.engines[i].s_fail.valid.next = self.s_fail.valid.val()
                & (self.s_fail.flow.val().get_bits::<EB>(0) == self.number[i].val());
            self.engines[i].s_fail.flow.next = bit_cast::<EF, FB>(self.error_flow.val());
            self.engines[i].s_fail.mark.next = self.s_fail.mark.val();
            if self.engines[i].s_fail.ready.val() {
                self.s_fail.ready.next = true;
            }
        }
    }

    /// Windows.
    fn windows(&mut self) {
        self.window_flow.next = self.watch_flow.val() >> self.engine_bits.val();
        for i in 0..E {
            self.engines[i].watch_valid.next = self.watch_valid.val()
                & (self.watch_flow.val().get_bits::<EB>(0) == self.number[i].val());
            self.engines[i].watch_ready.next = self.watch_ready.val();
            self.engines[i].watch_reply.next = self.watch_reply.val();
            self.engines[i].watch_flow.next = bit_cast::<EF, FB>(self.window_flow.val());
            self.engines[i].watch_window.next = self.watch_window.val();
        }
    }

    /// Answers go to their engines; whose payload comes when is written down.
    fn answers(&mut self) {
        self.answer_low.next = self.s_ack.qpn.val() >> self.engine_bits.val();
        self.answer_high.next = self.s_ack.qpn.val() << self.rotate.val();
        self.answer.next.qpn = self.answer_low.val() | self.answer_high.val();
        self.answer.next.opcode = self.s_ack.opcode.val();
        self.answer.next.psn = self.s_ack.psn.val();
        self.answer.next.syndrome = self.s_ack.syndrome.val();
        self.answer.next.payload_bytes = self.s_ack.payload_bytes.val();
        self.answer.next.src_ip = self.s_ack.src_ip.val();
        self.answer.next.has_tel = self.s_ack.tel.valid.val();
        self.answer.next.hops = self.s_ack.tel.hops.val();
        self.answer.next.path = self.s_ack.tel.path.val();
        self.answer.next.hop_0 = self.s_ack.tel.hop[0].val();
        self.answer.next.hop_1 = self.s_ack.tel.hop[1].val();
        self.answer.next.hop_2 = self.s_ack.tel.hop[2].val();
        self.answer.next.hop_3 = self.s_ack.tel.hop[3].val();
        self.answer.next.hop_4 = self.s_ack.tel.hop[4].val();
        self.room.next = self.payloads.s.ready.val() & !self.pause.val().any();
        self.answer_engine.next = 0.into();
        for i in 0..E {
            if !self.answers[i].s.ready.val() {
                self.room.next = false;
            }
            if self.s_ack.qpn.val().get_bits::<EB>(0) == self.number[i].val() {
                self.answer_engine.next = self.answer_engine.val().replace_bit(i, true);
            }
        }
        self.s_ack.ready.next = self.room.val();
        self.takes_answer.next = self.s_ack.valid.val() & self.room.val();
        self.is_response.next = self.s_ack.opcode.val() != self.acknowledge.val();
        self.payloads.s.valid.next =
            self.takes_answer.val() & self.is_response.val() & self.s_ack.payload_bytes.val().any();
        self.payloads.s.data.next = self.answer_engine.val();
        if self.takes_answer.val() & self.is_response.val() {
            self.room.next = false;
            self.pause.next = self.response_pause.val();
        } else if self.pause.val().any() {
            self.pause.next = self.pause.val() - 1;
        }
        for i in 0..E {
            self.answers[i].s.valid.next =
                self.takes_answer.val() & self.answer_engine.val().get_bit(i);
            self.answers[i].s.data.next = self.answer.val();
            self.answers[i].m.ready.next = self.engines[i].s_ack.ready.val();
            self.engines[i].s_ack.valid.next = self.answers[i].m.valid.val();
            self.one_answer.next = self.answers[i].m.data.val();
            self.engines[i].s_ack.qpn.next = self.one_answer.val().qpn;
            self.engines[i].s_ack.opcode.next = self.one_answer.val().opcode;
            self.engines[i].s_ack.psn.next = self.one_answer.val().psn;
            self.engines[i].s_ack.syndrome.next = self.one_answer.val().syndrome;
            self.engines[i].s_ack.msn.next = 0.into();
            self.engines[i].s_ack.payload_bytes.next = self.one_answer.val().payload_bytes;
            self.engines[i].s_ack.src_ip.next = self.one_answer.val().src_ip;
            self.engines[i].s_ack.tel.valid.next = self.one_answer.val().has_tel;
            self.engines[i].s_ack.tel.hops.next = self.one_answer.val().hops;
            self.engines[i].s_ack.tel.path.next = self.one_answer.val().path;
            self.engines[i].s_ack.tel.hop[0].next = self.one_answer.val().hop_0;
            self.engines[i].s_ack.tel.hop[1].next = self.one_answer.val().hop_1;
            self.engines[i].s_ack.tel.hop[2].next = self.one_answer.val().hop_2;
            self.engines[i].s_ack.tel.hop[3].next = self.one_answer.val().hop_3;
            self.engines[i].s_ack.tel.hop[4].next = self.one_answer.val().hop_4;
        }
    }

    /// Grants go to their engines.
    fn grants(&mut self) {
        self.grant_room.next = true;
        self.grant_flow.next = self.s_grant.flow.val() >> self.engine_bits.val();
        for i in 0..E {
            if !self.grants[i].s.ready.val() {
                self.grant_room.next = false;
            }
        }
        self.s_grant.ready.next = self.grant_room.val();
        for i in 0..E {
            self.grants[i].s.valid.next = self.s_grant.valid.val()
                & self.grant_room.val()
                & (self.s_grant.flow.val().get_bits::<EB>(0) == self.number[i].val());
            self.grants[i].s.data.next = bit_cast::<EF, FB>(self.grant_flow.val());
            self.engines[i].s_grant.valid.next = self.grants[i].m.valid.val();
            self.engines[i].s_grant.flow.next = self.grants[i].m.data.val();
            self.grants[i].m.ready.next = self.engines[i].s_grant.ready.val();
        }
    }

    /// A packet of an engine, with its read command.
    fn merge_packets(&mut self) {
        self.packet_requests.next = 0.into();
        self.packet_bits.next = 0.into();
        for i in 0..E {
            if self.engines[i].m_pkt.valid.val() {
                self.packet_requests.next = self.packet_requests.val().replace_bit(i, true);
            }
            self.engines[i].m_pkt.ready.next = self.packet_turn.take.val().get_bit(i);
            self.engines[i].m_read.ready.next = self.packet_turn.take.val().get_bit(i);
            self.engine_flow.next = self.engines[i].m_pkt.flow.val();
            self.high_flow.next =
                bit_cast::<FB, EF>(self.engine_flow.val()) << self.engine_bits.val();
            self.one_flow.next = self.high_flow.val() | self.low_bits[i].val();
            self.one_packet.next.flow = self.one_flow.val();
            self.one_packet.next.opcode = self.engines[i].m_pkt.opcode.val();
            self.one_packet.next.psn = self.engines[i].m_pkt.psn.val();
            self.one_packet.next.ack_req = self.engines[i].m_pkt.ack_req.val();
            self.one_packet.next.solicited = self.engines[i].m_pkt.solicited.val();
            self.one_packet.next.payload_bytes = self.engines[i].m_pkt.payload_bytes.val();
            self.one_packet.next.va = self.engines[i].m_pkt.va.val();
            self.one_packet.next.rkey = self.engines[i].m_pkt.rkey.val();
            self.one_packet.next.dma_len = self.engines[i].m_pkt.dma_len.val();
            self.one_packet.next.imm = self.engines[i].m_pkt.imm.val();
            self.one_packet.next.mark = self.engines[i].m_pkt.mark.val();
            self.one_packet.next.bare = self.engines[i].m_pkt.bare.val();
            self.one_packet.next.addr = self.engines[i].m_read.addr.val();
            self.one_packet.next.is_inline = self.engines[i].m_read.is_inline.val();
            self.one_packet.next.inline_rest = self.engines[i].m_read.inline_rest.val();
            self.one_packet.next.has_read = self.engines[i].m_read.valid.val();
            self.packet_parts[i].next = 0.into();
            if self.packet_turn.take.val().get_bit(i) {
                self.packet_parts[i].next = self.one_packet.val().to_bits::<PB>();
            }
            self.packet_bits.next = self.packet_bits.val() | self.packet_parts[i].val();
        }
        self.packet_turn.request.next = self.packet_requests.val();
        self.packet_turn.free.next = self.packets.s.ready.val();
        self.packets.s.valid.next = self.packet_turn.take.val().any();
        self.packets.s.data.next = self.packet_bits.val().into();
    }

    /// The next one when both are taken.
    fn packets_out(&mut self) {
        self.head.next = self.packets.m.data.val();
        self.pkt_done.next = self.m_pkt.ready.val() | self.pkt_taken.val();
        self.read_done.next =
            self.m_read.ready.val() | self.read_taken.val() | !self.head.val().has_read;
        self.packets.m.ready.next = self.pkt_done.val() & self.read_done.val();
        self.pkt_taken.next =
            self.packets.m.valid.val() & self.pkt_done.val() & !self.read_done.val();
        self.read_taken.next =
            self.packets.m.valid.val() & self.read_done.val() & !self.pkt_done.val();
        self.m_pkt.valid.next = self.packets.m.valid.val() & !self.pkt_taken.val();
        self.m_read.valid.next =
            self.packets.m.valid.val() & self.head.val().has_read & !self.read_taken.val();
        self.m_pkt.flow.next = self.head.val().flow;
        self.m_pkt.opcode.next = self.head.val().opcode;
        self.m_pkt.psn.next = self.head.val().psn;
        self.m_pkt.ack_req.next = self.head.val().ack_req;
        self.m_pkt.solicited.next = self.head.val().solicited;
        self.m_pkt.payload_bytes.next = self.head.val().payload_bytes;
        self.m_pkt.va.next = self.head.val().va;
        self.m_pkt.rkey.next = self.head.val().rkey;
        self.m_pkt.dma_len.next = self.head.val().dma_len;
        self.m_pkt.imm.next = self.head.val().imm;
        self.m_pkt.mark.next = self.head.val().mark;
        self.m_pkt.bare.next = self.head.val().bare;
        self.m_read.addr.next = self.head.val().addr;
        self.m_read.bytes.next = self.head.val().payload_bytes;
        self.m_read.is_inline.next = self.head.val().is_inline;
        self.m_read.inline_rest.next = self.head.val().inline_rest;
    }

    /// Arms and bytes in flight of an engine.
    fn merge_news(&mut self) {
        self.news_requests.next = 0.into();
        self.news_bits.next = 0.into();
        for i in 0..E {
            if self.engines[i].m_work.valid.val() {
                self.news_requests.next = self.news_requests.val().replace_bit(i, true);
            }
            self.engines[i].m_work.ready.next = self.news_turn.take.val().get_bit(i);
            self.engine_flow.next = self.engines[i].m_work.flow.val();
            self.high_flow.next =
                bit_cast::<FB, EF>(self.engine_flow.val()) << self.engine_bits.val();
            self.one_flow.next = self.high_flow.val() | self.low_bits[i].val();
            self.one_said.next.flow = self.one_flow.val();
            self.one_said.next.inflight_bytes = self.engines[i].m_work.inflight_bytes.val();
            self.one_said.next.len_bytes = self.engines[i].m_work.len_bytes.val();
            self.one_said.next.frame_count = self.engines[i].m_work.frame_count.val();
            self.news_parts[i].next = 0.into();
            if self.news_turn.take.val().get_bit(i) {
                self.news_parts[i].next = self.one_said.val().to_bits::<NB>();
            }
            self.news_bits.next = self.news_bits.val() | self.news_parts[i].val();
        }
        self.news_turn.request.next = self.news_requests.val();
    }

    /// The next one when this one is taken.
    fn news_out(&mut self) {
        self.news_turn.free.next = self.m_work.ready.val() | !self.work_full.val();
        if self.m_work.ready.val() {
            self.work_full.next = false;
        }
        if self.news_turn.take.val().any() {
            self.work_full.next = true;
            self.news.next = self.news_bits.val().into();
        }
        self.m_work.valid.next = self.work_full.val();
        self.m_work.flow.next = self.news.val().flow;
        self.m_work.len_bytes.next = self.news.val().len_bytes;
        self.m_work.frame_count.next = self.news.val().frame_count;
        self.m_work.inflight_bytes.next = self.news.val().inflight_bytes;
    }

    /// Telemetry of an engine's ACK.
    fn merge_echoes(&mut self) {
        self.echo_requests.next = 0.into();
        self.echo_bits.next = 0.into();
        for i in 0..E {
            if self.engines[i].m_cc.valid.val() {
                self.echo_requests.next = self.echo_requests.val().replace_bit(i, true);
            }
            self.engines[i].m_cc.ready.next = self.echo_turn.take.val().get_bit(i);
            self.engine_flow.next = self.engines[i].m_cc.flow.val();
            self.high_flow.next =
                bit_cast::<FB, EF>(self.engine_flow.val()) << self.engine_bits.val();
            self.one_flow.next = self.high_flow.val() | self.low_bits[i].val();
            self.one_echo.next.flow = self.one_flow.val();
            self.one_echo.next.psn = self.engines[i].m_cc.psn.val();
            self.one_echo.next.snd_nxt = self.engines[i].m_cc.snd_nxt.val();
            self.one_echo.next.has_tel = self.engines[i].m_cc.tel.valid.val();
            self.one_echo.next.hops = self.engines[i].m_cc.tel.hops.val();
            self.one_echo.next.path = self.engines[i].m_cc.tel.path.val();
            self.one_echo.next.hop_0 = self.engines[i].m_cc.tel.hop[0].val();
            self.one_echo.next.hop_1 = self.engines[i].m_cc.tel.hop[1].val();
            self.one_echo.next.hop_2 = self.engines[i].m_cc.tel.hop[2].val();
            self.one_echo.next.hop_3 = self.engines[i].m_cc.tel.hop[3].val();
            self.one_echo.next.hop_4 = self.engines[i].m_cc.tel.hop[4].val();
            self.echo_parts[i].next = 0.into();
            if self.echo_turn.take.val().get_bit(i) {
                self.echo_parts[i].next = self.one_echo.val().to_bits::<TB>();
            }
            self.echo_bits.next = self.echo_bits.val() | self.echo_parts[i].val();
        }
        self.echo_turn.request.next = self.echo_requests.val();
    }

    /// The next one when this one is taken.
    fn echoes_out(&mut self) {
        self.echo_turn.free.next = self.m_cc.ready.val() | !self.echo_full.val();
        if self.m_cc.ready.val() {
            self.echo_full.next = false;
        }
        if self.echo_turn.take.val().any() {
            self.echo_full.next = true;
            self.echo.next = self.echo_bits.val().into();
        }
        self.m_cc.valid.next = self.echo_full.val();
        self.m_cc.flow.next = self.echo.val().flow;
        self.m_cc.psn.next = self.echo.val().psn;
        self.m_cc.snd_nxt.next = self.echo.val().snd_nxt;
        self.m_cc.tel.valid.next = self.echo.val().has_tel;
        self.m_cc.tel.hops.next = self.echo.val().hops;
        self.m_cc.tel.path.next = self.echo.val().path;
        self.m_cc.tel.hop[0].next = self.echo.val().hop_0;
        self.m_cc.tel.hop[1].next = self.echo.val().hop_1;
        self.m_cc.tel.hop[2].next = self.echo.val().hop_2;
        self.m_cc.tel.hop[3].next = self.echo.val().hop_3;
        self.m_cc.tel.hop[4].next = self.echo.val().hop_4;
    }

    /// An engine's order: to land or drop a payload only if the oldest one is its own.
    fn merge_orders(&mut self) {
        self.order_requests.next = 0.into();
        self.order_bits.next = 0.into();
        self.lands.next = 0.into();
        for i in 0..E {
            if self.engines[i].m_order.op.val().any() {
                self.lands.next = self.lands.val().replace_bit(i, true);
            }
            if self.engines[i].m_order.valid.val()
                & (!self.engines[i].m_order.op.val().any()
                    | (self.payloads.m.valid.val() & self.payloads.m.data.val().get_bit(i)))
            {
                self.order_requests.next = self.order_requests.val().replace_bit(i, true);
            }
            self.engines[i].m_order.ready.next = self.order_turn.take.val().get_bit(i);
            self.engine_flow.next = self.engines[i].m_order.flow.val();
            self.high_flow.next =
                bit_cast::<FB, EF>(self.engine_flow.val()) << self.engine_bits.val();
            self.one_flow.next = self.high_flow.val() | self.low_bits[i].val();
            self.one_order.next.flow = self.one_flow.val();
            self.one_order.next.op = self.engines[i].m_order.op.val();
            self.one_order.next.addr = self.engines[i].m_order.addr.val();
            self.one_order.next.bytes = self.engines[i].m_order.bytes.val();
            self.one_order.next.status = self.engines[i].m_order.status.val();
            self.one_order.next.wr_id = self.engines[i].m_order.wr_id.val();
            self.one_order.next.byte_len = self.engines[i].m_order.byte_len.val();
            self.one_order.next.signalled = self.engines[i].m_order.signalled.val();
            self.order_parts[i].next = 0.into();
            if self.order_turn.take.val().get_bit(i) {
                self.order_parts[i].next = self.one_order.val().to_bits::<OB>();
            }
            self.order_bits.next = self.order_bits.val() | self.order_parts[i].val();
        }
        self.order_turn.request.next = self.order_requests.val();
        self.order_turn.free.next = self.orders.s.ready.val();
        self.orders.s.valid.next = self.order_turn.take.val().any();
        self.orders.s.data.next = self.order_bits.val().into();
        self.payloads.m.ready.next = (self.lands.val() & self.order_turn.take.val()).any();
    }

    /// The oldest one.
    fn orders_out(&mut self) {
        self.order.next = self.orders.m.data.val();
        self.orders.m.ready.next = self.m_order.ready.val();
        self.m_order.valid.next = self.orders.m.valid.val();
        self.m_order.flow.next = self.order.val().flow;
        self.m_order.op.next = self.order.val().op;
        self.m_order.addr.next = self.order.val().addr;
        self.m_order.bytes.next = self.order.val().bytes;
        self.m_order.status.next = self.order.val().status;
        self.m_order.wr_id.next = self.order.val().wr_id;
        self.m_order.byte_len.next = self.order.val().byte_len;
        self.m_order.signalled.next = self.order.val().signalled;
    }

    /// Events of all.
    fn events(&mut self) {
        self.all_pulses.next = 0.into();
        self.any_merged.next = false;
        for i in 0..E {
            if self.answers[i].merged.val() {
                self.any_merged.next = true;
            }
            self.one_pulses.next.ack = self.engines[i].event_reqr.ack.val();
            self.one_pulses.next.ack_coalesced_stale =
                self.engines[i].event_reqr.ack_coalesced_stale.val();
            self.one_pulses.next.ack_ghost = self.engines[i].event_reqr.ack_ghost.val();
            self.one_pulses.next.nak_sequence = self.engines[i].event_reqr.nak_sequence.val();
            self.one_pulses.next.nak_rnr = self.engines[i].event_reqr.nak_rnr.val();
            self.one_pulses.next.nak_fatal = self.engines[i].event_reqr.nak_fatal.val();
            self.one_pulses.next.no_qp = self.engines[i].event_reqr.no_qp.val();
            self.one_pulses.next.retransmit_packet =
                self.engines[i].event_reqr.retransmit_packet.val();
            self.one_pulses.next.timeout = self.engines[i].event_reqr.timeout.val();
            self.one_pulses.next.wr_refused = self.engines[i].event_reqr.wr_refused.val();
            self.all_pulses.next = self.all_pulses.val()
                | (bit_cast::<VB, 10>(self.one_pulses.val().to_bits::<10>())
                    << self.pulses_at[i].val());
        }
        comment!("An ACK that has given way counts.");
        self.one_pulses.next = 0.into();
        self.one_pulses.next.ack = self.any_merged.val();
        self.all_pulses.next = self.all_pulses.val()
            | (bit_cast::<VB, 10>(self.one_pulses.val().to_bits::<10>()) << self.merged_at.val());
        self.events.pulses.next = self.all_pulses.val();
        self.counted.next = self.events.m.val().into();
        self.event_reqr.ack.next = self.counted.val().ack;
        self.event_reqr.ack_coalesced_stale.next = self.counted.val().ack_coalesced_stale;
        self.event_reqr.ack_ghost.next = self.counted.val().ack_ghost;
        self.event_reqr.nak_sequence.next = self.counted.val().nak_sequence;
        self.event_reqr.nak_rnr.next = self.counted.val().nak_rnr;
        self.event_reqr.nak_fatal.next = self.counted.val().nak_fatal;
        self.event_reqr.no_qp.next = self.counted.val().no_qp;
        self.event_reqr.retransmit_packet.next = self.counted.val().retransmit_packet;
        self.event_reqr.timeout.next = self.counted.val().timeout;
        self.event_reqr.wr_refused.next = self.counted.val().wr_refused;
    }
}
