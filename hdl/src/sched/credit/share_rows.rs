//! A row a flow: its bytes and packets in the window.
//!
//! # Interface timing  cycle 0: s_read, s_flow; cycle 2: s_change; cycle 3: m_turn_valid, and the
//!                     row is written. Cycle 0: s_visit_flow; cycle 2: m_recent_bytes, m_turned,
//!                     writes of cycle 0 included
//! # Latency and rate  [`LATENCY_CYCLES`]; one change in 6 cycles
//! # Shape             F = 2^FB flows
//! # Number formats    row | bytes UQ26.0, packets UQ12.0, packets of an older rate UQ12.0, packets
//!                         | whose turn has been UQ12.0; m_turned: the last, at most 7
//! # Reset             synchronous, high: rows are cleared in F cycles
//! # Twins             `Row` of sim/models/src/golden/sched/calendar.rs

use crate::sched::credit::flow_table::FlowTable;
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the read of a row to its change.
pub const LATENCY_CYCLES: usize = 2;

/// Rows of `F = 2^FB` flows.
#[block(check(F == 1 << FB))]
pub struct ShareRows<const F: usize, const FB: usize> {
    /// Read a row.
    pub s_read: Signal<In, Bit>,
    /// Its flow, for three cycles.
    pub s_flow: Signal<In, Bits<FB>>,
    /// Change the row.
    pub s_change: Signal<In, Bit>,
    /// A packet of the flow is written down.
    pub s_is_record: Signal<In, Bit>,
    /// It may be the flow's turn; neither: a packet expires.
    pub s_is_turn: Signal<In, Bit>,
    /// Bytes of the packet.
    pub s_len_bytes: Signal<In, Bits<14>>,
    /// Rate or window of a flow change.
    pub s_rate_valid: Signal<In, Bit>,
    /// Its id.
    pub s_rate_flow: Signal<In, Bits<FB>>,
    /// Flow of a visit.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// Bytes of the visit's flow in the window.
    pub m_recent_bytes: Signal<Out, Bits<26>>,
    /// Those of its packets whose turn has been, at most 7.
    pub m_turned: Signal<Out, Bits<3>>,
    /// It is the flow's turn.
    pub m_turn_valid: Signal<Out, Bit>,
    rows: Ram<FB, Bits<62>>,
    recent: FlowTable<FB, 29>,
    fresh: Reg<Bits<F>>,
    is_clean: Reg<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    word: Unreset<Bits<62>>,
    write_valid: Reg<Bit>,
    write_flow: Unreset<Bits<FB>>,
    write_word: Unreset<Bits<62>>,
    visit_flow: Unreset<Bits<FB>>,
    visit_fresh: Unreset<Bit>,
    turn_valid: Reg<Bit>,
    was_fresh: Unreset<Bit>,
    is_fresh: Signal<Local, Bit>,
    is_old: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<26>>,
    count: Signal<Local, Bits<12>>,
    stale: Signal<Local, Bits<12>>,
    new_bytes: Signal<Local, Bits<26>>,
    new_count: Signal<Local, Bits<12>>,
    new_stale: Signal<Local, Bits<12>>,
    turned: Signal<Local, Bits<12>>,
    new_turned: Signal<Local, Bits<12>>,
    turned_wide: Signal<Local, Bits<62>>,
    many: Signal<Local, Bits<9>>,
    has_another: Signal<Local, Bits<11>>,
    recent_word: Signal<Local, Bits<29>>,
    bytes_part: Signal<Local, Bits<29>>,
    turned_part: Signal<Local, Bits<29>>,
    bytes_29: Signal<Local, Bits<29>>,
    row_bytes: Signal<Local, Bits<26>>,
    row_turned: Signal<Local, Bits<3>>,
    len_wide: Signal<Local, Bits<26>>,
    bytes_wide: Signal<Local, Bits<62>>,
    count_wide: Signal<Local, Bits<62>>,
    stale_wide: Signal<Local, Bits<62>>,
    fields: Signal<Local, Bits<62>>,
    row_mask: Signal<Local, Bits<F>>,
    keep_mask: Signal<Local, Bits<F>>,
    rate_mask: Signal<Local, Bits<F>>,
    kept: Signal<Local, Bits<F>>,
    #[value(1)]
    one: Constant<Bits<F>>,
    #[value(F as u64 - 1)]
    last_flow: Constant<Bits<FB>>,
}

impl<const F: usize, const FB: usize> Logic for ShareRows<F, FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_turn_valid.next = self.turn_valid.val();
        comment!("Read, two registers behind the RAM.");
        self.rows.read_enable.next = self.s_read.val();
        self.rows.read_address.next = self.s_flow.val();
        self.word.next = self.rows.read_data.val();
        comment!("All packets of a row that is fresh are of an older rate.");
        self.was_fresh.next = self.fresh.val().get_bit(self.s_flow.val().index());
        self.is_fresh.next = self.was_fresh.val();
        self.bytes.next = self.word.val().get_bits::<26>(36);
        self.count.next = self.word.val().get_bits::<12>(24);
        self.stale.next = self.word.val().get_bits::<12>(12);
        self.turned.next = self.word.val().get_bits::<12>(0);
        self.is_old.next = self.stale.val().any();
        comment!("A turn; or the next one came while the packet that leaves held the flow back.");
        self.has_another.next = self.turned.val().get_bits::<11>(1);
        self.turn_valid.next = self.s_change.val()
            & !self.s_is_record.val()
            & !self.is_fresh.val()
            & !self.is_old.val()
            & (self.s_is_turn.val() | self.has_another.val().any());
        if self.is_fresh.val() {
            self.bytes.next = 0.into();
            self.stale.next = self.count.val();
            self.is_old.next = self.count.val().any();
        }
        comment!("A packet more, or less.");
        self.len_wide.next = bit_cast::<26, 14>(self.s_len_bytes.val());
        self.new_bytes.next = self.bytes.val();
        self.new_stale.next = self.stale.val();
        self.new_count.next = self.count.val();
        self.new_turned.next = self.turned.val();
        if self.s_is_record.val() {
            self.new_count.next = self.count.val() + 1;
            self.new_bytes.next = self.bytes.val() + self.len_wide.val();
        } else if self.s_is_turn.val() {
            self.new_turned.next = self.turned.val() + 1;
        } else {
            self.new_count.next = self.count.val() - 1;
            self.new_turned.next = self.turned.val() - 1;
            if self.is_old.val() {
                self.new_stale.next = self.stale.val() - 1;
            } else {
                self.new_bytes.next = self.bytes.val() - self.len_wide.val();
            }
        }
        self.bytes_wide.next = bit_cast::<62, 26>(self.new_bytes.val());
        self.count_wide.next = bit_cast::<62, 12>(self.new_count.val());
        self.stale_wide.next = bit_cast::<62, 12>(self.new_stale.val());
        self.turned_wide.next = bit_cast::<62, 12>(self.new_turned.val());
        self.fields.next = (self.bytes_wide.val() << 36)
            | (self.count_wide.val() << 24)
            | (self.stale_wide.val() << 12);
        self.write_word.next = self.fields.val() | self.turned_wide.val();
        self.write_valid.next = self.s_change.val();
        self.write_flow.next = self.s_flow.val();
        comment!("Write; after reset clear all rows.");
        self.rows.write_enable.next = self.write_valid.val();
        self.rows.write_address.next = self.write_flow.val();
        self.rows.write_data.next = self.write_word.val();
        if !self.is_clean.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.scrub_flow.val();
            self.rows.write_data.next = 0.into();
            self.scrub_flow.next = self.scrub_flow.val() + 1;
            self.is_clean.next = self.scrub_flow.val() == self.last_flow.val();
        }
        comment!("Visits read the bytes only, and zero while the row is fresh.");
        self.recent.write_enable.next = self.rows.write_enable.val();
        self.recent.write_address.next = self.rows.write_address.val();
        self.many.next = self.rows.write_data.val().get_bits::<9>(3);
        self.row_bytes.next = self.rows.write_data.val().get_bits::<26>(36);
        self.row_turned.next = self.rows.write_data.val().get_bits::<3>(0);
        self.bytes_29.next = bit_cast::<29, 26>(self.row_bytes.val());
        self.bytes_part.next = self.bytes_29.val() << 3;
        self.turned_part.next = bit_cast::<29, 3>(self.row_turned.val());
        if self.many.val().any() {
            self.turned_part.next = 7.into();
        }
        self.recent_word.next = self.bytes_part.val() | self.turned_part.val();
        self.recent.write_data.next = self.recent_word.val();
        self.recent.read_address.next = self.s_visit_flow.val();
        self.visit_flow.next = self.s_visit_flow.val();
        self.visit_fresh.next = self.fresh.val().get_bit(self.visit_flow.val().index());
        self.m_recent_bytes.next = self.recent.read_data.val().get_bits::<26>(3);
        self.m_turned.next = self.recent.read_data.val().get_bits::<3>(0);
        if self.visit_fresh.val() {
            self.m_recent_bytes.next = 0.into();
            self.m_turned.next = 0.into();
        }
        comment!(
            "Fresh: an s_rate came since the row was written, or in the cycle before its change."
        );
        self.row_mask.next = 0.into();
        if self.s_change.val() & self.is_fresh.val() {
            self.row_mask.next = self.one.val() << self.s_flow.val();
        }
        self.rate_mask.next = 0.into();
        if self.s_rate_valid.val() {
            self.rate_mask.next = self.one.val() << self.s_rate_flow.val();
        }
        self.keep_mask.next = !self.row_mask.val();
        self.kept.next = self.fresh.val() & self.keep_mask.val();
        self.fresh.next = self.kept.val() | self.rate_mask.val();
    }
}
