//! What each flow sent in the last window, and whose turn it is: each packet is written down when
//! it is granted; shortly before it is a window old its flow's turn comes again, and when it is a
//! window old it is counted no more. Between the two it is there for what its flow may send, and
//! gone for what its flow must send.
//!
//! A flow has no turn while packets of an older rate are in its history: an s_rate starts the
//! flow's history anew. A turn is given again when a packet leaves the window and the next one's
//! turn has been: it came while the flow was held back.
//!
//! # Interface timing  cycle 0: s_grant_*; cycle 2 or later: written down. Cycle 0: s_visit_flow;
//!                     cycle 2: m_recent_bytes, m_turned. m_turn_*: four cycles into its operation
//! # Latency and rate  [`OPERATION_CYCLES`]; one operation at a time: write down a packet before
//!                     let one expire before call a flow. m_is_pending: no grant now
//! # Shape             F = 2^FB flows, 2^AW - 1 packets, EW = FB + 32
//! # Number formats    m_recent_bytes | UQ26.0 | bytes
//! # Reset             synchronous, high: empty; rows are cleared in F cycles
//! # Twins             `Calendar` of sim/models/src/golden/sched/calendar.rs

use crate::sched::credit::{history::History, share_pipe::WINDOW_CYCLES, share_rows::ShareRows};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// From the start of one operation to the next.
pub const OPERATION_CYCLES: u64 = 6;

/// Calendar of `F = 2^FB` flows.
#[block(new(window_cycles: u32), check(F == 1 << FB && EW == FB + 32))]
pub struct Calendar<const F: usize, const FB: usize, const AW: usize, const EW: usize> {
    /// A packet is granted; not while m_is_pending.
    pub s_grant_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_grant_flow: Signal<In, Bits<FB>>,
    /// Its bytes.
    pub s_grant_len_bytes: Signal<In, Bits<14>>,
    /// It is to be written down.
    pub s_grant_is_kept: Signal<In, Bit>,
    /// Rate or window of a flow change.
    pub s_rate_valid: Signal<In, Bit>,
    /// Its id.
    pub s_rate_flow: Signal<In, Bits<FB>>,
    /// Flow of a visit.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// Time on the line.
    pub s_time: Signal<In, Bits<18>>,
    /// Age at which a flow's turn comes.
    pub s_turn_age: Signal<In, Bits<18>>,
    /// A flow is called.
    pub s_is_called: Signal<In, Bit>,
    /// Bytes of the visit's flow in the window.
    pub m_recent_bytes: Signal<Out, Bits<26>>,
    /// Those of its packets whose turn has been, at most 7.
    pub m_turned: Signal<Out, Bits<3>>,
    /// A flow's turn has come.
    pub m_turn_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_turn_flow: Signal<Out, Bits<FB>>,
    /// The last grant is not written down yet.
    pub m_is_pending: Signal<Out, Bit>,
    /// Nothing is pending and no turn is due.
    pub m_is_settled: Signal<Out, Bit>,
    #[init(History::new(window_cycles))]
    history: History<AW, FB, EW>,
    rows: ShareRows<F, FB>,
    pending: Reg<Bit>,
    flow: Unreset<Bits<FB>>,
    len_bytes: Unreset<Bits<14>>,
    is_kept: Unreset<Bit>,
    stamp: Unreset<Bits<18>>,
    step: Reg<Bits<3>>,
    is_record: Unreset<Bit>,
    is_expire: Unreset<Bit>,
    is_turn: Unreset<Bit>,
    row_flow: Unreset<Bits<FB>>,
    row_len: Unreset<Bits<14>>,
    is_settled: Reg<Bit>,
    is_idle: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
    records: Signal<Local, Bit>,
    expires: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    #[value(0)]
    step_0: Constant<Bits<3>>,
    #[value(1)]
    step_1: Constant<Bits<3>>,
    #[value(3)]
    step_3: Constant<Bits<3>>,
    #[value(OPERATION_CYCLES - 1)]
    step_5: Constant<Bits<3>>,
}

impl<const F: usize, const FB: usize, const AW: usize, const EW: usize> Default
    for Calendar<F, FB, AW, EW>
{
    fn default() -> Self {
        Self::new(WINDOW_CYCLES)
    }
}

impl<const F: usize, const FB: usize, const AW: usize, const EW: usize> Logic
    for Calendar<F, FB, AW, EW>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.history.s_time.next = self.s_time.val();
        self.history.s_turn_age.next = self.s_turn_age.val();
        self.rows.s_rate_valid.next = self.s_rate_valid.val();
        self.rows.s_rate_flow.next = self.s_rate_flow.val();
        self.rows.s_visit_flow.next = self.s_visit_flow.val();
        self.m_recent_bytes.next = self.rows.m_recent_bytes.val();
        self.m_turned.next = self.rows.m_turned.val();
        comment!("The packet that is granted waits to be written down.");
        self.is_idle.next = self.step.val() == self.step_0.val();
        if self.is_idle.val() {
            self.pending.next = false;
        }
        if self.s_grant_valid.val() {
            self.pending.next = true;
            self.flow.next = self.s_grant_flow.val();
            self.len_bytes.next = self.s_grant_len_bytes.val();
            self.is_kept.next = self.s_grant_is_kept.val();
            self.stamp.next = self.s_time.val();
        }
        self.m_is_pending.next = self.pending.val();
        self.is_settled.next = self.is_idle.val()
            & !self.pending.val()
            & !self.history.m_is_due.val()
            & !self.s_is_called.val();
        self.m_is_settled.next = self.is_settled.val();
        comment!("Step 0: choose what to do.");
        self.is_free.next = !self.s_is_called.val() | self.history.m_is_overdue.val();
        self.records.next = self.pending.val() & self.is_kept.val() & !self.history.m_is_full.val();
        self.expires.next =
            !self.records.val() & self.history.m_is_expired.val() & self.is_free.val();
        self.turns.next = !self.records.val()
            & !self.expires.val()
            & self.history.m_is_due.val()
            & self.is_free.val();
        if self.is_idle.val() {
            self.is_record.next = self.records.val();
            self.is_expire.next = self.expires.val();
            self.is_turn.next = self.turns.val();
            self.row_flow.next = self.history.m_due_flow.val();
            self.row_len.next = self.history.m_oldest_len_bytes.val();
            if self.records.val() {
                self.row_flow.next = self.flow.val();
                self.row_len.next = self.len_bytes.val();
            } else if self.expires.val() {
                self.row_flow.next = self.history.m_oldest_flow.val();
            }
        }
        if !self.is_idle.val() | self.records.val() | self.expires.val() | self.turns.val() {
            self.step.next = self.step.val() + 1;
        }
        if self.step.val() == self.step_5.val() {
            self.step.next = 0.into();
        }
        comment!("Step 1: the list changes, and the flow's row is read.");
        self.first.next = self.step.val() == self.step_1.val();
        self.history.s_push.next = self.first.val() & self.is_record.val();
        self.history.s_push_flow.next = self.row_flow.val();
        self.history.s_push_len_bytes.next = self.row_len.val();
        self.history.s_push_stamp.next = self.stamp.val();
        self.history.s_expire.next = self.first.val() & self.is_expire.val();
        self.history.s_turn.next = self.first.val() & self.is_turn.val();
        self.rows.s_read.next = self.first.val();
        self.rows.s_flow.next = self.row_flow.val();
        comment!("Step 3: the row changes.");
        self.rows.s_change.next = self.step.val() == self.step_3.val();
        self.rows.s_is_record.next = self.is_record.val();
        self.rows.s_is_turn.next = self.is_turn.val();
        self.rows.s_len_bytes.next = self.row_len.val();
        self.m_turn_valid.next = self.rows.m_turn_valid.val();
        self.m_turn_flow.next = self.row_flow.val();
    }
}
