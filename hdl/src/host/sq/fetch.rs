//! Submission rings in host memory: reads work requests and hands them to the requester.
//!
//! # Source            hdl/host.md
//! # Interface timing  doorbell in an idle block: taken after 3 cycles, m_cmd after 4. First beat
//!                     of its data: hint after 1. Last beat: m_cfg_valid after 1. A committed work
//!                     request: m_cfg_valid after 4
//! # Latency and rate  an operation every 2 cycles: a retired work request; every 4 a doorbell, and
//!                     every 4 a fetch, of up to `2^N` work requests that stand side by side.
//!                     `2^S` are on their way from host memory at most
//! # Shape             W bits of data, at most 512; `B = W + 1`, `NB = N + 1`, `OW = FB + 16 + NB`,
//!                     `FB1 = FB + 1`, `S1 = S + 1`, 2^A beats are what is on its way, `A1 = A + 1`.
//!                     No more of a flow than its send queue holds are fetched, and none without
//!                     completion room
//! # Reset             synchronous, high: no rings; nothing is taken for 2^FB cycles
//! # Twins             sim/models/src/golden/host/sq/fetch.rs, tests/host/sq_fetch.rs

use crate::events::SqEvents;
use crate::host::sq::{
    book::SqOp,
    flows::SqFlows,
    rows::{SqRows, WR_BITS},
};
use crate::streams::{
    AxisWordsUser, CommittedRow, ConfigRow, Doorbell, FlowPulse, LostRequest, Offer, ReadCommand,
};
use crate::util::fifo::Fifo;
use crate::{block, Wire};
use nic_spec::rows::Table;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Submission rings of `2^FB` flows.
#[block(new(config: &NicConfig), check((WR_BITS / W) << S == 1 << A && A1 == A + 1))]
pub struct SqFetch<
    const W: usize,
    const B: usize,
    const S: usize,
    const S1: usize,
    const A: usize,
    const A1: usize,
    const NB: usize,
    const FB: usize,
    const FB1: usize,
    const OW: usize,
> {
    /// Software has moved a producer index.
    pub s_doorbell: Doorbell<In>,
    /// A committed row waits for the requester.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A row for the requester.
    pub m_cfg: ConfigRow<Out>,
    /// A work request is coming.
    pub hint: FlowPulse<Out, FB>,
    /// Watched stream of the requester.
    pub watch_valid: Signal<In, Bit>,
    /// It is taken by whom it is for.
    pub watch_ready: Signal<In, Bit>,
    /// 0: a work request retires.
    pub watch_op: Signal<In, Bits<2>>,
    /// Flow index.
    pub watch_flow: Signal<In, Bits<FB>>,
    /// Send queues are 4 to the power of this times deeper; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// There is completion room for one more work request.
    pub wr_room: Signal<In, Bit>,
    /// Read command.
    pub m_cmd: ReadCommand<Out>,
    /// The bytes of work requests.
    pub s_axis: AxisWordsUser<In, W>,
    /// A work request could not be read: the ring stands still from here on.
    pub m_cqe: LostRequest<Out>,
    /// What it counts.
    pub event_sq: SqEvents<Out>,
    #[init(SqFlows::new(config))]
    flows: SqFlows<FB, FB1, S, S1, NB>,
    rows: SqRows<W, B, NB, FB, OW>,
    credits: Fifo<Bits<FB>, 4, 5>,
    orders: Fifo<Bits<OW>, S, S1>,
    beats: Fifo<Bits<B>, A, A1>,
    order_flow: Signal<Local, Bits<OW>>,
    order_count: Signal<Local, Bits<OW>>,
    new_beat: Signal<Local, Bits<B>>,
    error_part: Signal<Local, Bits<B>>,
    passes: Signal<Local, Bit>,
    beat_stands: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    #[value(num_bigint::BigUint::from(1_u32) << W)]
    error_bit: Constant<Bits<B>>,
    #[value(16 + FB as u64)]
    count_at: Constant<Bits<6>>,
    #[init(Constant::new((Table::Wr as u64).to_bits()))]
    wr_table: Constant<Bits<2>>,
}

impl<
        const W: usize,
        const B: usize,
        const S: usize,
        const S1: usize,
        const A: usize,
        const A1: usize,
        const NB: usize,
        const FB: usize,
        const FB1: usize,
        const OW: usize,
    > Logic for SqFetch<W, B, S, S1, A, A1, NB, FB, FB1, OW>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("what has retired; taken at once, so the FIFO holds a few at most");
        self.credits.s.valid.next =
            self.watch_valid.val() & self.watch_ready.val() & !self.watch_op.val().any();
        self.credits.s.data.next = self.watch_flow.val();
        self.flows.credit.valid.next = self.credits.m.valid.val();
        self.credits.m.ready.next = self.flows.credit.ready.val();
        self.flows.credit.flow.next = self.credits.m.data.val();
        self.rows.is_quiet.next = !self.watch_valid.val() & !self.credits.count.val().any();
        comment!("doorbells and commands");
        Wire::join(&mut self.s_doorbell, &mut self.flows.s_doorbell);
        self.flows.cfg_sq_scale.next = self.cfg_sq_scale.val();
        self.flows.wr_room.next = self.wr_room.val();
        self.m_cmd.valid.next = self.flows.m_cmd_valid.val();
        self.flows.m_cmd_ready.next = self.m_cmd.ready.val();
        self.m_cmd.addr.next = self.flows.m_cmd_addr.val();
        self.m_cmd.bytes.next = self.flows.m_cmd_bytes.val();
        self.order_flow.next = bit_cast::<OW, FB>(self.flows.order_flow.val());
        self.orders.s.valid.next = self.flows.order_valid.val();
        self.order_count.next = bit_cast::<OW, NB>(self.flows.order_count.val());
        self.orders.s.data.next = bit_cast::<OW, 16>(self.flows.order_index.val())
            | (self.order_flow.val() << 16)
            | (self.order_count.val() << self.count_at.val());
        comment!("data; there is room for all that was asked for");
        self.error_part.next = 0.into();
        if self.s_axis.tuser.val() {
            self.error_part.next = self.error_bit.val();
        }
        self.new_beat.next = bit_cast::<B, W>(self.s_axis.tdata.val()) | self.error_part.val();
        self.s_axis.tready.next = self.beats.s.ready.val();
        comment!("a beat passes the FIFO where none stands before it and it is wanted");
        self.passes.next = self.rows.takes.val() & !self.beats.count.val().any();
        self.beats.s.valid.next = self.s_axis.tvalid.val() & !self.passes.val();
        self.beats.s.data.next = self.new_beat.val();
        self.beats.m.ready.next = self.rows.takes.val();
        self.beat_stands.next = self.beats.m.valid.val();
        self.rows.beat.next = self.beats.m.data.val();
        if self.passes.val() {
            self.beat_stands.next = self.s_axis.tvalid.val();
            self.rows.beat.next = self.new_beat.val();
        }
        self.rows.beat_valid.next = self.beat_stands.val();
        self.rows.order_valid.next = self.orders.m.valid.val();
        self.orders.m.ready.next = self.rows.order_ready.val();
        self.rows.order.next = self.orders.m.data.val();
        comment!("rows");
        Wire::join(&mut self.s_cfg, &mut self.rows.s_cfg);
        Wire::join(&mut self.cfg, &mut self.rows.cfg);
        self.hint.valid.next = self.rows.hint_valid.val();
        self.hint.flow.next = bit_cast::<FB, 16>(self.rows.m_cfg.index.val());
        Wire::join(&mut self.rows.m_cfg, &mut self.m_cfg);
        comment!("A committed work request is looked up while it is taken.");
        self.looks.next = self.rows.waits.val()
            & self.s_cfg.valid.val()
            & (self.cfg.table.val() == self.wr_table.val())
            & !(self.orders.m.valid.val() & self.beat_stands.val());
        self.rows.looks.next = self.looks.val();
        self.flows.row_valid.next = self.rows.row_valid.val() | self.looks.val();
        self.flows.row_op.next = self.rows.row_op.val();
        self.flows.row_flow.next = self.rows.row_flow.val();
        if self.looks.val() {
            self.flows.row_op.next = SqOp::Look;
            self.flows.row_flow.next = self.cfg.index.val().get_bits::<FB>(0);
        }
        comment!("words 11 to 13 of a QP row, which stands until its books are made;");
        comment!("without its valid bit there is no ring");
        self.flows.row_base.next = self.cfg.row.val().qp_sq_address.get_bits::<58>(6);
        self.flows.row_log2.next = 0.into();
        if self.cfg.row.val().qp_valid {
            self.flows.row_log2.next = self.cfg.row.val().qp_sq_log2;
        }
        self.rows.row_done.next = self.flows.row_done.val();
        self.rows.row_has_ring.next = self.flows.row_has_ring.val();
        self.rows.row_stopped.next = self.flows.row_stopped.val();
        self.flows.hold.next = self.rows.hold.val();
        self.rows.drained.next = self.flows.drained.val();
        self.flows.slots_free.next = self.rows.slots_free.val();
        self.flows.slots_count.next = self.rows.slots_count.val();
        Wire::join(&mut self.rows.m_cqe, &mut self.m_cqe);
        self.event_sq.doorbell_refused.next = self.flows.event_doorbell.val();
        self.event_sq.wr_refused.next = self.rows.event_refused.val();
        self.event_sq.read_error.next = self.rows.event_failed.val();
    }
}
