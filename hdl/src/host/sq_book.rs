//! Books of the submission rings: a row a flow, and what an operation does to it.
//!
//! # Source            ARCHITECTURE.md, Rings
//! # Interface timing  cycle 0: read, read_flow; cycle 3: exec, with op and its operands held from
//!                     cycle 1 on; has_ring and stopped are valid; cycle 4: push, go, refused
//! # Latency and rate  [`LATENCY_CYCLES`]; one operation every four cycles
//! # Number formats    producer, fetched | UQ16 | work requests since the ring was set up, modulo
//!                     2^16; in flight | UQ7 | work requests, 0..=sq_depth
//! # Reset             synchronous, high: every row is cleared, one a cycle; ready is low meanwhile
//! # Twins             sim/src/golden/host/sq_fetch.rs, tests/sq_fetch.rs

use crate::util::ram::Ram;
use crate::Module;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from `read` to the results.
pub const LATENCY_CYCLES: usize = 4;

/// What is done to a row.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum SqOp {
    Credit,
    NewQp,
    Look,
    Failed,
    Came,
    Doorbell,
    Fetch,
}

/// Books of `2^FB` flows.
#[derive(LogicBlock)]
pub struct SqBook<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// The rows are clear.
    pub ready: Signal<Out, Bit>,
    /// Read a row.
    pub read: Signal<In, Bit>,
    /// Of this flow.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Do the operation and write the row.
    pub exec: Signal<In, Bit>,
    /// The operation.
    pub op: Signal<In, SqOp>,
    /// Doorbell: nobody else waits, and a fetch may go at once.
    pub direct: Signal<In, Bit>,
    /// Doorbell: the whole flow index.
    pub doorbell_flow: Signal<In, Bits<16>>,
    /// Doorbell: producer index.
    pub doorbell_index: Signal<In, Bits<16>>,
    /// New queue pair: address of its ring / 64.
    pub row_base: Signal<In, Bits<58>>,
    /// New queue pair: log2 of the ring's entries; 0: no ring.
    pub row_log2: Signal<In, Bits<4>>,
    /// With `exec`: the flow has a ring.
    pub has_ring: Signal<Out, Bit>,
    /// With `exec`: a fetch of the flow had failed before.
    pub stopped: Signal<Out, Bit>,
    /// The flow now waits for a fetch.
    pub push: Signal<Out, Bit>,
    /// The flow of the last operation.
    pub flow: Signal<Out, Bits<FB>>,
    /// Fetch this.
    pub go: Signal<Out, Bit>,
    /// Its address / 64.
    pub line: Signal<Out, Bits<58>>,
    /// Its index.
    pub index: Signal<Out, Bits<16>>,
    /// The doorbell changed nothing.
    pub refused: Signal<Out, Bit>,
    rows: Ram<FB, 103>,
    clear: DFF<Bit>,
    flow_q: DFF<Bits<FB>>,
    flow_done: DFF<Bits<FB>>,
    producer: DFF<Bits<16>>,
    fetched: DFF<Bits<16>>,
    in_flight: DFF<Bits<7>>,
    queued: DFF<Bit>,
    stop: DFF<Bit>,
    log2: DFF<Bits<4>>,
    base: DFF<Bits<58>>,
    pending: DFF<Bits<16>>,
    distance: DFF<Bits<16>>,
    size: DFF<Bits<17>>,
    place: DFF<Bits<58>>,
    has_credit: DFF<Bit>,
    ring: DFF<Bit>,
    in_range: DFF<Bit>,
    in_more: DFF<Bits<7>>,
    in_less: DFF<Bits<7>>,
    pushes: DFF<Bit>,
    goes: DFF<Bit>,
    line_q: DFF<Bits<58>>,
    index_q: DFF<Bits<16>>,
    refuses: DFF<Bit>,
    ring_size: Signal<Local, Bits<17>>,
    ring_mask: Signal<Local, Bits<17>>,
    ring_place: Signal<Local, Bits<16>>,
    distance_wide: Signal<Local, Bits<17>>,
    fits: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    may_go: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    new_producer: Signal<Local, Bits<16>>,
    new_fetched: Signal<Local, Bits<16>>,
    new_in_flight: Signal<Local, Bits<7>>,
    new_queued: Signal<Local, Bit>,
    new_stop: Signal<Local, Bit>,
    new_log2: Signal<Local, Bits<4>>,
    new_base: Signal<Local, Bits<58>>,
    fetched_part: Signal<Local, Bits<103>>,
    in_flight_part: Signal<Local, Bits<103>>,
    queued_part: Signal<Local, Bits<103>>,
    stop_part: Signal<Local, Bits<103>>,
    log2_part: Signal<Local, Bits<103>>,
    base_part: Signal<Local, Bits<103>>,
    queued_bit: Constant<Bits<103>>,
    stop_bit: Constant<Bits<103>>,
    one_entry: Constant<Bits<17>>,
    last_flow: Constant<Bits<FB>>,
    flow_count: Constant<Bits<16>>,
    depth: Constant<Bits<7>>,
    one_pending: Constant<Bits<16>>,
}

impl<const FB: usize> SqBook<FB> {
    /// The books of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        assert_eq!(config.flow_count, 1 << FB);
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            ready: Default::default(),
            read: Default::default(),
            read_flow: Default::default(),
            exec: Default::default(),
            op: Default::default(),
            direct: Default::default(),
            doorbell_flow: Default::default(),
            doorbell_index: Default::default(),
            row_base: Default::default(),
            row_log2: Default::default(),
            has_ring: Default::default(),
            stopped: Default::default(),
            push: Default::default(),
            flow: Default::default(),
            go: Default::default(),
            line: Default::default(),
            index: Default::default(),
            refused: Default::default(),
            rows: Default::default(),
            clear: Default::default(),
            flow_q: Default::default(),
            flow_done: Default::default(),
            producer: Default::default(),
            fetched: Default::default(),
            in_flight: Default::default(),
            queued: Default::default(),
            stop: Default::default(),
            log2: Default::default(),
            base: Default::default(),
            pending: Default::default(),
            distance: Default::default(),
            size: Default::default(),
            place: Default::default(),
            has_credit: Default::default(),
            ring: Default::default(),
            in_range: Default::default(),
            in_more: Default::default(),
            in_less: Default::default(),
            pushes: Default::default(),
            goes: Default::default(),
            line_q: Default::default(),
            index_q: Default::default(),
            refuses: Default::default(),
            ring_size: Default::default(),
            ring_mask: Default::default(),
            ring_place: Default::default(),
            distance_wide: Default::default(),
            fits: Default::default(),
            waits: Default::default(),
            may_go: Default::default(),
            enters: Default::default(),
            opens: Default::default(),
            new_producer: Default::default(),
            new_fetched: Default::default(),
            new_in_flight: Default::default(),
            new_queued: Default::default(),
            new_stop: Default::default(),
            new_log2: Default::default(),
            new_base: Default::default(),
            fetched_part: Default::default(),
            in_flight_part: Default::default(),
            queued_part: Default::default(),
            stop_part: Default::default(),
            log2_part: Default::default(),
            base_part: Default::default(),
            queued_bit: Constant::new((1_u64 << 39).into()),
            stop_bit: Constant::new((1_u64 << 40).into()),
            one_entry: Constant::new(1u64.to_bits()),
            last_flow: Constant::new(((1_u64 << FB) - 1).to_bits()),
            flow_count: Constant::new((config.flow_count as u64).to_bits()),
            depth: Constant::new((config.sq_depth as u64).to_bits()),
            one_pending: Constant::new(1u64.to_bits()),
        }
    }
}

impl<const FB: usize> Logic for SqBook<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, clear, flow_q, flow_done, producer, fetched, in_flight, queued, stop,
            log2, base, pending, distance, size, place, has_credit, ring, in_range, in_more,
            in_less, pushes, goes, line_q, index_q, refuses
        );
        self.rows.clock.next = self.clock.val();
        self.ready.next = self.clear.q.val();
        self.has_ring.next = self.ring.q.val();
        self.stopped.next = self.stop.q.val();
        self.push.next = self.pushes.q.val();
        self.flow.next = self.flow_done.q.val();
        self.go.next = self.goes.q.val();
        self.line.next = self.line_q.q.val();
        self.index.next = self.index_q.q.val();
        self.refused.next = self.refuses.q.val();
        comment!("read, and what every operation may want to know of the row");
        self.rows.read_enable.next = self.read.val();
        self.rows.read_address.next = self.read_flow.val();
        if self.read.val() {
            self.flow_q.d.next = self.read_flow.val();
        }
        self.producer.d.next = self.rows.read_data.val().get_bits::<16>(0);
        self.fetched.d.next = self.rows.read_data.val().get_bits::<16>(16);
        self.in_flight.d.next = self.rows.read_data.val().get_bits::<7>(32);
        self.queued.d.next = self.rows.read_data.val().get_bit(39);
        self.stop.d.next = self.rows.read_data.val().get_bit(40);
        self.log2.d.next = self.rows.read_data.val().get_bits::<4>(41);
        self.base.d.next = self.rows.read_data.val().get_bits::<58>(45);
        self.ring_size.next = self.one_entry.val() << self.log2.q.val();
        self.ring_mask.next = self.ring_size.val() - 1;
        self.ring_place.next = self.fetched.q.val() & bit_cast::<16, 17>(self.ring_mask.val());
        self.pending.d.next = self.producer.q.val() - self.fetched.q.val();
        self.distance.d.next = self.doorbell_index.val() - self.fetched.q.val();
        self.size.d.next = self.ring_size.val();
        self.place.d.next = bit_cast::<58, 16>(self.ring_place.val());
        self.has_credit.d.next = self.in_flight.q.val() < self.depth.val();
        self.ring.d.next = self.log2.q.val().any();
        self.in_range.d.next = self.doorbell_flow.val() < self.flow_count.val();
        self.in_more.d.next = self.in_flight.q.val() + 1;
        self.in_less.d.next = self.in_flight.q.val() - 1;
        comment!("what the operation does");
        self.distance_wide.next = bit_cast::<17, 16>(self.distance.q.val());
        self.fits.next = (self.distance_wide.val() <= self.size.q.val())
            & (self.distance.q.val() >= self.pending.q.val())
            & self.in_range.q.val()
            & self.ring.q.val();
        self.waits.next = !self.queued.q.val() & !self.stop.q.val();
        comment!(
            "who waits for a fetch has credit; a new or stopped queue pair may have come since"
        );
        self.may_go.next = self.pending.q.val().any() & !self.stop.q.val();
        self.new_producer.next = self.producer.q.val();
        self.new_fetched.next = self.fetched.q.val();
        self.new_in_flight.next = self.in_flight.q.val();
        self.new_queued.next = self.queued.q.val();
        self.new_stop.next = self.stop.q.val();
        self.new_log2.next = self.log2.q.val();
        self.new_base.next = self.base.q.val();
        self.enters.next = false;
        self.opens.next = false;
        self.goes.d.next = false;
        self.refuses.d.next = false;
        match self.op.val() {
            SqOp::Credit => {
                if self.in_flight.q.val().any() {
                    self.new_in_flight.next = self.in_less.q.val();
                }
                self.enters.next = self.pending.q.val().any() & self.waits.val();
            }
            SqOp::NewQp => {
                comment!("The flow may still stand among those that wait: queued stays.");
                self.new_producer.next = 0.into();
                self.new_fetched.next = 0.into();
                self.new_in_flight.next = 0.into();
                self.new_stop.next = false;
                self.new_log2.next = self.row_log2.val();
                self.new_base.next = self.row_base.val();
            }
            SqOp::Look => {}
            SqOp::Failed => {
                self.new_stop.next = true;
                self.new_in_flight.next = self.in_less.q.val();
            }
            SqOp::Came => {
                if self.stop.q.val() {
                    self.new_in_flight.next = self.in_less.q.val();
                }
            }
            SqOp::Doorbell => {
                self.refuses.d.next = self.exec.val() & !self.fits.val();
                if self.fits.val() {
                    self.new_producer.next = self.doorbell_index.val();
                    self.opens.next =
                        self.distance.q.val().any() & self.has_credit.q.val() & self.waits.val();
                    self.enters.next = self.opens.val();
                    if self.opens.val() & self.direct.val() {
                        self.goes.d.next = self.exec.val();
                        self.new_fetched.next = self.fetched.q.val() + 1;
                        self.new_in_flight.next = self.in_more.q.val();
                        self.enters.next = (self.distance.q.val() != self.one_pending.val())
                            & (self.in_more.q.val() != self.depth.val());
                    }
                }
            }
            SqOp::Fetch => {
                self.new_queued.next = false;
                self.goes.d.next = self.exec.val() & self.may_go.val();
                if self.may_go.val() {
                    self.new_fetched.next = self.fetched.q.val() + 1;
                    self.new_in_flight.next = self.in_more.q.val();
                    self.enters.next = (self.pending.q.val() != self.one_pending.val())
                        & (self.in_more.q.val() != self.depth.val());
                }
            }
        }
        if self.enters.val() {
            self.new_queued.next = true;
        }
        self.pushes.d.next = self.exec.val() & self.enters.val();
        self.flow_done.d.next = self.flow_q.q.val();
        self.line_q.d.next = self.base.q.val() + self.place.q.val();
        self.index_q.d.next = self.fetched.q.val();
        comment!("write; after reset every row is cleared");
        self.fetched_part.next = bit_cast::<103, 16>(self.new_fetched.val());
        self.in_flight_part.next = bit_cast::<103, 7>(self.new_in_flight.val());
        self.log2_part.next = bit_cast::<103, 4>(self.new_log2.val());
        self.base_part.next = bit_cast::<103, 58>(self.new_base.val());
        self.queued_part.next = 0.into();
        if self.new_queued.val() {
            self.queued_part.next = self.queued_bit.val();
        }
        self.stop_part.next = 0.into();
        if self.new_stop.val() {
            self.stop_part.next = self.stop_bit.val();
        }
        self.rows.write_enable.next = self.exec.val() | !self.clear.q.val();
        self.rows.write_address.next = self.flow_q.q.val();
        self.rows.write_data.next = 0.into();
        if self.clear.q.val() {
            self.rows.write_data.next = bit_cast::<103, 16>(self.new_producer.val())
                | (self.fetched_part.val() << 16)
                | (self.in_flight_part.val() << 32)
                | self.queued_part.val()
                | self.stop_part.val()
                | (self.log2_part.val() << 41)
                | (self.base_part.val() << 45);
        } else {
            self.flow_q.d.next = self.flow_q.q.val() + 1;
            self.clear.d.next = self.flow_q.q.val() == self.last_flow.val();
        }
        if self.reset.val() {
            self.clear.d.next = false;
            self.flow_q.d.next = 0.into();
            self.flow_done.d.next = 0.into();
            self.pushes.d.next = false;
            self.goes.d.next = false;
            self.line_q.d.next = 0.into();
            self.index_q.d.next = 0.into();
            self.refuses.d.next = false;
            self.stop.d.next = false;
            self.ring.d.next = false;
        }
    }
}
