//! Event counters: one 32-bit saturating counter for each event input, in one block RAM.
//!
//! Events are collected in small counters, one an event; a scan visits one event a cycle and adds
//! what was collected to its row. A read is answered when the scan passes its row.
//!
//! # Source            hdl/host.md
//! # Interface timing  rd_valid, rd_index held until rd_done; rd_done and rd_data: one cycle
//! # Latency and rate  a read takes at most [`READ_CYCLES_MAX`]; every event may pulse every cycle
//! # Number formats    pending | UQ7 | events, at most [`ROWS`] between visits; row | UQ32 | events,
//!                     saturates at 2^32-1
//! # Reset             synchronous, high: the first scan after reset starts every row at 0
//! # Twins             sim/models/src/golden/host/event_counters.rs, tests/host/csr.rs

use crate::events::Events;
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use nic_spec::regs::EVENTS;
use rust_hdl_core::prelude::*;

/// Events of the register map.
pub const EVENT_COUNT: usize = EVENTS.len();
/// Rows of the scan, so the cycles between two visits of an event.
pub const ROWS: usize = 64;
/// Longest read in cycles.
pub const READ_CYCLES_MAX: usize = ROWS + 6;

/// The counters.
#[block(check(EVENT_COUNT <= ROWS))]
pub struct EventCounters {
    /// One pulse a cycle counts one event.
    pub event: Events<In>,
    /// A read is wanted.
    pub rd_valid: Signal<In, Bit>,
    /// Row to read.
    pub rd_index: Signal<In, Bits<6>>,
    /// The read is answered in this cycle.
    pub rd_done: Signal<Out, Bit>,
    /// The row, valid with `rd_done`, else 0.
    pub rd_data: Signal<Out, Bits<32>>,
    rows: Ram<6, Bits<32>>,
    pending: [Reg<Bits<7>>; EVENT_COUNT],
    scan: Reg<Bits<6>>,
    #[reset(true)]
    fresh: Reg<Bit>,
    take: Unreset<Bits<7>>,
    take_index: Unreset<Bits<6>>,
    take_fresh: Unreset<Bit>,
    row: Unreset<Bits<32>>,
    row_take: Unreset<Bits<7>>,
    row_index: Unreset<Bits<6>>,
    sum: Unreset<Bits<33>>,
    sum_index: Unreset<Bits<6>>,
    write: Unreset<Bits<32>>,
    write_index: Unreset<Bits<6>>,
    write_valid: Reg<Bits<4>>,
    done: Reg<Bit>,
    data: Reg<Bits<32>>,
    pending_more: [Signal<Local, Bits<7>>; EVENT_COUNT],
    row_wide: Signal<Local, Bits<33>>,
    take_wide: Signal<Local, Bits<33>>,
    #[init(core::array::from_fn(|i| Constant::new((i as u64).to_bits())))]
    at: [Constant<Bits<6>>; EVENT_COUNT],
    #[init(Constant::new(1u64.to_bits()))]
    one_row: Constant<Bits<6>>,
    #[init(Constant::new(1u64.to_bits()))]
    one_visit: Constant<Bits<4>>,
    #[init(Constant::new(u64::from(u32::MAX).to_bits()))]
    most: Constant<Bits<32>>,
    #[init(Constant::new(1u64.to_bits()))]
    one: Constant<Bits<7>>,
    #[init(Constant::new(63u64.to_bits()))]
    last: Constant<Bits<6>>,
}

macro_rules! kernel {
    ($($(#[$about:meta])* $group:ident $bundle:ident {
        $(($counter:tt, $name:ident, $doc:literal),)*
    })*) => {
        impl Logic for EventCounters {
            #[hdl_gen]
            fn update(&mut self) {
                self.rd_done.next = self.done.val();
                self.rd_data.next = self.data.val();
                comment!("collect; the event under the scan is handed to the pipeline");
                self.take.next = 0.into();
                $($(
                    self.pending_more[$counter].next = self.pending[$counter].val() + self.one.val();
                    self.pending[$counter].next = self.pending[$counter].val();
                    if self.event.$group.$name.val() {
                        self.pending[$counter].next = self.pending_more[$counter].val();
                    }
                    if self.scan.val() == self.at[$counter].val() {
                        self.take.next = self.pending[$counter].val();
                        self.pending[$counter].next = 0.into();
                        if self.event.$group.$name.val() {
                            self.pending[$counter].next = self.one.val();
                        }
                    }
                )*)*
                self.scan.next = self.scan.val() + self.one_row.val();
                if self.scan.val() == self.last.val() {
                    self.fresh.next = false;
                }
                self.rows.read_address.next = self.scan.val();
                self.rows.read_enable.next = true;
                self.take_index.next = self.scan.val();
                self.take_fresh.next = self.fresh.val();
                comment!("row of the event");
                self.row.next = self.rows.read_data.val();
                if self.take_fresh.val() {
                    self.row.next = 0.into();
                }
                self.row_take.next = self.take.val();
                self.row_index.next = self.take_index.val();
                comment!("sum, then saturate");
                self.row_wide.next = bit_cast::<33, 32>(self.row.val());
                self.take_wide.next = bit_cast::<33, 7>(self.row_take.val());
                self.sum.next = self.row_wide.val() + self.take_wide.val();
                self.sum_index.next = self.row_index.val();
                self.write.next = self.sum.val().get_bits::<32>(0);
                if self.sum.val().get_bit(32) {
                    self.write.next = self.most.val();
                }
                self.write_index.next = self.sum_index.val();
                comment!("nothing is written before the first visit has come through");
                self.write_valid.next = (self.write_valid.val() << 1) | self.one_visit.val();
                self.rows.write_enable.next = self.write_valid.val().get_bit(3);
                self.rows.write_address.next = self.write_index.val();
                self.rows.write_data.next = self.write.val();
                self.done.next = false;
                self.data.next = 0.into();
                if self.rd_valid.val()
                    && !self.done.val()
                    && self.write_valid.val().get_bit(3)
                    && (self.write_index.val() == self.rd_index.val())
                {
                    self.done.next = true;
                    self.data.next = self.write.val();
                }
            }
        }
    };
}
nic_spec::events!(kernel);
