//! Books of the submission rings: a row a flow, and what an operation does to it.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: read, read_flow; no read in cycle 1; cycle 3: exec, with op, its
//!                     flow, and its operands held from cycle 1 on; has_ring and stopped are valid;
//!                     cycle 4: push, go, refused. A row is read again from cycle 4 on,
//!                     for a credit behind a credit in cycle 2, with follows in cycle 3
//! # Latency and rate  [`LATENCY_CYCLES`]; one operation every other cycle
//! # Number formats    fetched | UQ16 | work requests since the ring was set up, modulo 2^16;
//!                     pending | UQ16 | 0..=2^15; free | UQ9 | places in the send queue, 0..=depth;
//!                     count | UQNB | those of one read, 1..=2^N: at most to the end of an aligned
//!                     group of so many, or of the ring, so none wraps around it
//! # Reset             synchronous, high: every row is cleared, one a cycle; ready is low meanwhile
//! # Twins             sim/models/src/golden/host/sq/fetch.rs, tests/host/sq_fetch.rs

use crate::util::ram::Ram;
use crate::{block, kernel, row, Reg, Unreset};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

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

/// What is known of a submission ring.
#[row]
struct BookRow {
    pending: Bits<16>, // Entries that were told and not asked for
    fetched: Bits<16>, // Entries that were asked for
    free: Bits<9>,     // Places in the send queue for which none was asked for
    queued: Bit,       // The flow waits for a fetch
    stopped: Bit,      // The ring stands still
    log2: Bits<4>,     // log2 of its entries
    base: Bits<58>,    // Its address, bits 63:6
}

/// Books of `2^FB` flows; `NB = N + 1`, at most `2^N` work requests a read.
#[block(new(config: &NicConfig), check(config.flow_count == 1 << FB && NB >= 1 && NB <= 3))]
pub struct SqBook<const FB: usize, const NB: usize> {
    /// Send queues are 4 to the power of this times deeper; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// The rows are clear.
    pub ready: Signal<Out, Bit>,
    /// Read a row.
    pub read: Signal<In, Bit>,
    /// Of this flow.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Do the operation and write the row.
    pub exec: Signal<In, Bit>,
    /// Of this flow.
    pub exec_flow: Signal<In, Bits<FB>>,
    /// The operation.
    pub op: Signal<In, SqOp>,
    /// The row that was read in the cycle before is this flow's, too, for a credit behind a credit.
    pub follows: Signal<In, Bit>,
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
    /// So many from there on.
    pub count: Signal<Out, Bits<NB>>,
    /// The doorbell changed nothing.
    pub refused: Signal<Out, Bit>,
    rows: Ram<FB, BookRow>,
    clear: Reg<Bit>,
    clear_flow: Reg<Bits<FB>>,
    flow_done: Reg<Bits<FB>>,
    pending: Unreset<Bits<16>>,
    fetched: Unreset<Bits<16>>,
    free: Unreset<Bits<9>>,
    queued: Unreset<Bit>,
    stop: Reg<Bit>,
    log2: Unreset<Bits<4>>,
    base: Unreset<Bits<58>>,
    distance: Unreset<Bits<16>>,
    size: Unreset<Bits<17>>,
    place: Unreset<Bits<58>>,
    is_told: Unreset<Bit>,
    has_credit: Unreset<Bit>,
    frees_credit: Unreset<Bit>,
    ring: Reg<Bit>,
    in_range: Unreset<Bit>,
    depth: Unreset<Bits<9>>,
    is_whole: Unreset<Bit>,
    free_more: Unreset<Bits<9>>,
    next_count: Unreset<Bits<9>>,
    keeps_credit: Unreset<Bit>,
    keeps_one: Unreset<Bit>,
    followed: Unreset<Bit>,
    pushes: Reg<Bit>,
    goes: Reg<Bit>,
    line_q: Reg<Bits<58>>,
    index_q: Reg<Bits<16>>,
    count_q: Reg<Bits<NB>>,
    refuses: Reg<Bit>,
    group_rest: Signal<Local, Bits<9>>,
    to_group_end: Signal<Local, Bits<9>>,
    kept: Signal<Local, Bits<9>>,
    told: Signal<Local, Bits<9>>,
    is_few: Signal<Local, Bit>,
    taken: Signal<Local, Bits<9>>,
    taken_wide: Signal<Local, Bits<16>>,
    ring_size: Signal<Local, Bits<17>>,
    ring_mask: Signal<Local, Bits<17>>,
    ring_place: Signal<Local, Bits<16>>,
    distance_wide: Signal<Local, Bits<17>>,
    fits: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    freed: Signal<Local, Bits<9>>,
    frees: Signal<Local, Bit>,
    may_go: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    new_pending: Signal<Local, Bits<16>>,
    new_fetched: Signal<Local, Bits<16>>,
    new_free: Signal<Local, Bits<9>>,
    new_queued: Signal<Local, Bit>,
    new_stop: Signal<Local, Bit>,
    new_log2: Signal<Local, Bits<4>>,
    new_base: Signal<Local, Bits<58>>,
    fetched_part: Signal<Local, Bits<105>>,
    free_part: Signal<Local, Bits<105>>,
    queued_part: Signal<Local, Bits<105>>,
    stop_part: Signal<Local, Bits<105>>,
    log2_part: Signal<Local, Bits<105>>,
    base_part: Signal<Local, Bits<105>>,
    #[value(1_u64 << 41)]
    queued_bit: Constant<Bits<105>>,
    #[value(1_u64 << 42)]
    stop_bit: Constant<Bits<105>>,
    #[init(Constant::new(1u64.to_bits()))]
    one_entry: Constant<Bits<17>>,
    #[init(Constant::new(((1_u64 << FB) - 1).to_bits()))]
    last_flow: Constant<Bits<FB>>,
    #[init(Constant::new((config.flow_count as u64).to_bits()))]
    flow_count: Constant<Bits<16>>,
    #[value(config.sq_depth() as u64)]
    least_depth: Constant<Bits<9>>,
    #[value(1_u64 << (NB - 1))]
    group: Constant<Bits<9>>,
    #[value(u64::from(NB == 1))]
    is_single: Constant<Bits<1>>,
    #[value(((1_u64 << (NB - 1)) - 1).max(1))]
    group_but_one: Constant<Bits<9>>,
    #[value(1)]
    one_pending: Constant<Bits<16>>,
    #[value((1_u64 << (NB - 1)) - 1)]
    group_less: Constant<Bits<9>>,
    #[value(0x1ff)]
    all_ones: Constant<Bits<9>>,
}

#[kernel]
impl<const FB: usize, const NB: usize> SqBook<FB, NB> {
    fn update(&mut self) {
        self.ready.next = self.clear.val();
        self.has_ring.next = self.ring.val();
        self.stopped.next = self.stop.val();
        self.push.next = self.pushes.val();
        self.flow.next = self.flow_done.val();
        self.go.next = self.goes.val();
        self.line.next = self.line_q.val();
        self.index.next = self.index_q.val();
        self.count.next = self.count_q.val();
        self.refused.next = self.refuses.val();
        self.read();
        self.operation();
        self.write();
    }

    /// read, and what every operation may want to know of the row
    fn read(&mut self) {
        self.rows.read_enable.next = self.read.val();
        self.rows.read_address.next = self.read_flow.val();
        self.pending.next = self.rows.read_data.val().pending;
        self.fetched.next = self.rows.read_data.val().fetched;
        self.free.next = self.rows.read_data.val().free;
        self.queued.next = self.rows.read_data.val().queued;
        self.stop.next = self.rows.read_data.val().stopped;
        self.log2.next = self.rows.read_data.val().log2;
        self.base.next = self.rows.read_data.val().base;
        self.ring_size.next = self.one_entry.val() << self.log2.val();
        self.ring_mask.next = self.ring_size.val() - 1;
        self.ring_place.next = self.fetched.val() & bit_cast::<16, 17>(self.ring_mask.val());
        self.is_told.next = self.pending.val().any();
        self.distance.next = self.doorbell_index.val() - self.fetched.val();
        self.size.next = self.ring_size.val();
        self.place.next = bit_cast::<58, 16>(self.ring_place.val());
        self.depth.next = self.least_depth.val();
        if self.cfg_sq_scale.val().get_bit(1) {
            self.depth.next = self.least_depth.val() << 4;
        } else if self.cfg_sq_scale.val().get_bit(0) {
            self.depth.next = self.least_depth.val() << 2;
        }
        self.has_credit.next = self.free.val() >= self.group.val();
        self.frees_credit.next =
            self.is_single.val().any() | (self.free.val() >= self.group_but_one.val());
        self.is_whole.next = self.free.val() == self.depth.val();
        self.ring.next = self.log2.val().any();
        self.in_range.next = self.doorbell_flow.val() < self.flow_count.val();
        self.free_more.next = self.free.val() + 1;
        comment!("a read: what is told and stands in the same group, all of which has credit");
        self.group_rest.next = (bit_cast::<9, 16>(self.fetched.val()) ^ self.group_less.val())
            & self.group_less.val()
            & !(self.all_ones.val() << self.log2.val());
        self.to_group_end.next = self.group_rest.val() + 1;
        self.keeps_one.next = self.free.val() > self.group.val();
        self.kept.next = self.group.val() + self.to_group_end.val();
        self.keeps_credit.next = self.free.val() >= self.kept.val();
        self.told.next = bit_cast::<9, 16>(self.pending.val());
        self.is_few.next = !(self.pending.val() >> 9).any();
        self.next_count.next = self.to_group_end.val();
        if self.is_few.val() & (self.told.val() < self.to_group_end.val()) {
            self.next_count.next = self.told.val();
        }
    }

    /// what the operation does
    fn operation(&mut self) {
        self.distance_wide.next = bit_cast::<17, 16>(self.distance.val());
        self.fits.next = (self.distance_wide.val() <= self.size.val())
            & (self.distance.val() >= self.pending.val())
            & self.in_range.val()
            & self.ring.val();
        self.waits.next = !self.queued.val() & !self.stop.val();
        comment!(
            "who waits for a fetch has credit; a new or stopped queue pair may have come since"
        );
        self.may_go.next = self.is_told.val() & !self.stop.val();
        comment!("one of the queue pair before may come late");
        self.freed.next = self.free.val();
        if !self.is_whole.val() {
            self.freed.next = self.free_more.val();
        }
        self.frees.next = self.is_told.val() & self.frees_credit.val() & self.waits.val();
        self.taken.next = 0.into();
        self.new_pending.next = self.pending.val();
        self.new_fetched.next = self.fetched.val();
        self.new_free.next = self.free.val();
        self.new_queued.next = self.queued.val();
        self.new_stop.next = self.stop.val();
        self.new_log2.next = self.log2.val();
        self.new_base.next = self.base.val();
        self.enters.next = false;
        self.opens.next = false;
        self.goes.next = false;
        self.refuses.next = false;
        match self.op.val() {
            SqOp::Credit => {
                self.new_free.next = self.freed.val();
                self.enters.next = self.frees.val();
            }
            SqOp::NewQp => {
                comment!("The flow may still stand among those that wait: queued stays.");
                self.new_pending.next = 0.into();
                self.new_fetched.next = 0.into();
                self.new_free.next = self.depth.val();
                self.new_stop.next = false;
                self.new_log2.next = self.row_log2.val();
                self.new_base.next = self.row_base.val();
            }
            SqOp::Look => {}
            SqOp::Failed => {
                self.new_stop.next = true;
                self.new_free.next = self.free_more.val();
            }
            SqOp::Came => {
                if self.stop.val() {
                    self.new_free.next = self.free_more.val();
                }
            }
            SqOp::Doorbell => {
                self.refuses.next = self.exec.val() & !self.fits.val();
                if self.fits.val() {
                    self.new_pending.next = self.distance.val();
                    self.opens.next =
                        self.distance.val().any() & self.has_credit.val() & self.waits.val();
                    self.enters.next = self.opens.val();
                    if self.opens.val() & self.direct.val() {
                        self.goes.next = self.exec.val();
                        self.taken.next = 1.into();
                        self.new_pending.next = self.distance.val() - 1;
                        self.enters.next =
                            (self.distance.val() != self.one_pending.val()) & self.keeps_one.val();
                    }
                }
            }
            SqOp::Fetch => {
                self.new_queued.next = false;
                self.goes.next = self.exec.val() & self.may_go.val();
                if self.may_go.val() {
                    self.taken.next = self.next_count.val();
                    self.new_pending.next =
                        self.pending.val() - bit_cast::<16, 9>(self.next_count.val());
                    self.enters.next = (self.pending.val()
                        != bit_cast::<16, 9>(self.next_count.val()))
                        & self.keeps_credit.val();
                }
            }
        }
        self.taken_wide.next = bit_cast::<16, 9>(self.taken.val());
        if self.op.val() != SqOp::NewQp {
            self.new_fetched.next = self.fetched.val() + self.taken_wide.val();
        }
        if (self.op.val() == SqOp::Doorbell) | (self.op.val() == SqOp::Fetch) {
            self.new_free.next = self.free.val() - self.taken.val();
        }
        if self.enters.val() {
            self.new_queued.next = true;
        }
        comment!("A credit behind a credit: its row was read before it was written.");
        self.followed.next = self.follows.val();
        if self.follows.val() {
            self.free.next = self.freed.val();
            self.queued.next = self.queued.val() | self.frees.val();
        } else if self.followed.val() {
            self.free.next = self.free.val();
            self.queued.next = self.queued.val();
        }
        self.pushes.next = self.exec.val() & self.enters.val();
        self.flow_done.next = self.exec_flow.val();
        self.line_q.next = self.base.val() + self.place.val();
        self.index_q.next = self.fetched.val();
        self.count_q.next = bit_cast::<NB, 9>(self.taken.val());
    }

    /// write; after reset every row is cleared
    fn write(&mut self) {
        self.fetched_part.next = bit_cast::<105, 16>(self.new_fetched.val());
        self.free_part.next = bit_cast::<105, 9>(self.new_free.val());
        self.log2_part.next = bit_cast::<105, 4>(self.new_log2.val());
        self.base_part.next = bit_cast::<105, 58>(self.new_base.val());
        self.queued_part.next = 0.into();
        if self.new_queued.val() {
            self.queued_part.next = self.queued_bit.val();
        }
        self.stop_part.next = 0.into();
        if self.new_stop.val() {
            self.stop_part.next = self.stop_bit.val();
        }
        self.rows.write_enable.next = self.exec.val() | !self.clear.val();
        self.rows.write_address.next = self.clear_flow.val();
        self.rows.write_data.next = 0.into();
        if self.clear.val() {
            self.rows.write_address.next = self.exec_flow.val();
            self.rows.write_data.next = (bit_cast::<105, 16>(self.new_pending.val())
                | (self.fetched_part.val() << 16)
                | (self.free_part.val() << 32)
                | self.queued_part.val()
                | self.stop_part.val()
                | (self.log2_part.val() << 43)
                | (self.base_part.val() << 47))
                .into();
        } else {
            self.clear_flow.next = self.clear_flow.val() + 1;
            self.clear.next = self.clear_flow.val() == self.last_flow.val();
        }
    }
}
