//! Event counters: one 32-bit saturating counter for each event input, in one block RAM.
//!
//! Events are collected in small counters, one an event; a scan visits one event a cycle and adds
//! what was collected to its row. A read is answered when the scan passes its row.
//!
//! # Source            ARCHITECTURE.md, CSR
//! # Interface timing  rd_valid, rd_index held until rd_done; rd_done and rd_data: one cycle
//! # Latency and rate  a read takes at most [`READ_CYCLES_MAX`]; every event may pulse every cycle
//! # Number formats    pending | UQ8 | events, at most [`ROWS`] between visits; row | UQ32 | events,
//!                     saturates at 2^32-1
//! # Reset             synchronous, high: the first scan after reset starts every row at 0
//! # Twins             sim/src/golden/host/event_counters.rs, tests/csr.rs

use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Rows of the scan, so the cycles between two visits of an event.
pub const ROWS: usize = 64;
/// Longest read in cycles.
pub const READ_CYCLES_MAX: usize = ROWS + 6;

/// Counters for `N` events, at most [`ROWS`].
#[derive(LogicBlock)]
pub struct EventCounters<const N: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// One pulse a cycle counts one event.
    pub event: [Signal<In, Bit>; N],
    /// A read is wanted.
    pub rd_valid: Signal<In, Bit>,
    /// Row to read.
    pub rd_index: Signal<In, Bits<6>>,
    /// The read is answered in this cycle.
    pub rd_done: Signal<Out, Bit>,
    /// The row, valid with `rd_done`, else 0.
    pub rd_data: Signal<Out, Bits<32>>,
    rows: Ram<6, 32>,
    pending: [DFF<Bits<8>>; N],
    scan: DFF<Bits<6>>,
    fresh: DFF<Bit>,
    take: DFF<Bits<8>>,
    take_index: DFF<Bits<6>>,
    take_fresh: DFF<Bit>,
    row: DFF<Bits<32>>,
    row_take: DFF<Bits<8>>,
    row_index: DFF<Bits<6>>,
    sum: DFF<Bits<33>>,
    sum_index: DFF<Bits<6>>,
    write: DFF<Bits<32>>,
    write_index: DFF<Bits<6>>,
    write_valid: DFF<Bits<4>>,
    done: DFF<Bit>,
    data: DFF<Bits<32>>,
    pending_more: [Signal<Local, Bits<8>>; N],
    row_wide: Signal<Local, Bits<33>>,
    take_wide: Signal<Local, Bits<33>>,
    at: [Constant<Bits<6>>; N],
    one_row: Constant<Bits<6>>,
    one_visit: Constant<Bits<4>>,
    most: Constant<Bits<32>>,
    one: Constant<Bits<8>>,
    last: Constant<Bits<6>>,
}

/// Counters for every event of the register map.
pub type NicCounters = EventCounters<{ nic_spec::regs::EVENTS.len() }>;

impl<const N: usize> Default for EventCounters<N> {
    fn default() -> Self {
        assert!(N <= ROWS, "at most {ROWS} events");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            event: array_init::array_init(|_| Default::default()),
            rd_valid: Default::default(),
            rd_index: Default::default(),
            rd_done: Default::default(),
            rd_data: Default::default(),
            rows: Default::default(),
            pending: array_init::array_init(|_| Default::default()),
            scan: Default::default(),
            fresh: Default::default(),
            take: Default::default(),
            take_index: Default::default(),
            take_fresh: Default::default(),
            row: Default::default(),
            row_take: Default::default(),
            row_index: Default::default(),
            sum: Default::default(),
            sum_index: Default::default(),
            write: Default::default(),
            write_index: Default::default(),
            write_valid: Default::default(),
            done: Default::default(),
            data: Default::default(),
            pending_more: array_init::array_init(|_| Default::default()),
            row_wide: Default::default(),
            take_wide: Default::default(),
            one_row: Constant::new(1u64.to_bits()),
            one_visit: Constant::new(1u64.to_bits()),
            most: Constant::new(u64::from(u32::MAX).to_bits()),
            at: array_init::array_init(|i| Constant::new((i as u64).to_bits())),
            one: Constant::new(1u64.to_bits()),
            last: Constant::new(63u64.to_bits()),
        }
    }
}

impl<const N: usize> Logic for EventCounters<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            scan,
            fresh,
            take,
            take_index,
            take_fresh,
            row,
            row_take,
            row_index,
            sum,
            sum_index,
            write,
            write_index,
            write_valid,
            done,
            data
        );
        self.rd_done.next = self.done.q.val();
        self.rd_data.next = self.data.q.val();
        comment!("collect; the event under the scan is handed to the pipeline");
        self.take.d.next = 0.into();
        for i in 0..N {
            self.pending[i].clock.next = self.clock.val();
            self.pending_more[i].next = self.pending[i].q.val() + self.one.val();
            self.pending[i].d.next = self.pending[i].q.val();
            if self.event[i].val() {
                self.pending[i].d.next = self.pending_more[i].val();
            }
            if self.scan.q.val() == self.at[i].val() {
                self.take.d.next = self.pending[i].q.val();
                self.pending[i].d.next = 0.into();
                if self.event[i].val() {
                    self.pending[i].d.next = self.one.val();
                }
            }
        }
        self.scan.d.next = self.scan.q.val() + self.one_row.val();
        if self.scan.q.val() == self.last.val() {
            self.fresh.d.next = false;
        }
        self.rows.clock.next = self.clock.val();
        self.rows.read_address.next = self.scan.q.val();
        self.rows.read_enable.next = true;
        self.take_index.d.next = self.scan.q.val();
        self.take_fresh.d.next = self.fresh.q.val();
        comment!("row of the event");
        self.row.d.next = self.rows.read_data.val();
        if self.take_fresh.q.val() {
            self.row.d.next = 0.into();
        }
        self.row_take.d.next = self.take.q.val();
        self.row_index.d.next = self.take_index.q.val();
        comment!("sum, then saturate");
        self.row_wide.next = bit_cast::<33, 32>(self.row.q.val());
        self.take_wide.next = bit_cast::<33, 8>(self.row_take.q.val());
        self.sum.d.next = self.row_wide.val() + self.take_wide.val();
        self.sum_index.d.next = self.row_index.q.val();
        self.write.d.next = self.sum.q.val().get_bits::<32>(0);
        if self.sum.q.val().get_bit(32) {
            self.write.d.next = self.most.val();
        }
        self.write_index.d.next = self.sum_index.q.val();
        comment!("nothing is written before the first visit has come through");
        self.write_valid.d.next = (self.write_valid.q.val() << 1) | self.one_visit.val();
        self.rows.write_enable.next = self.write_valid.q.val().get_bit(3);
        self.rows.write_address.next = self.write_index.q.val();
        self.rows.write_data.next = self.write.q.val();
        self.done.d.next = false;
        self.data.d.next = 0.into();
        if self.rd_valid.val()
            && !self.done.q.val()
            && self.write_valid.q.val().get_bit(3)
            && (self.write_index.q.val() == self.rd_index.val())
        {
            self.done.d.next = true;
            self.data.d.next = self.write.q.val();
        }
        if self.reset.val() {
            for i in 0..N {
                self.pending[i].d.next = 0.into();
            }
            self.scan.d.next = 0.into();
            self.fresh.d.next = true;
            self.write_valid.d.next = 0.into();
            self.done.d.next = false;
            self.data.d.next = 0.into();
        }
    }
}
