//! Windows out: what the congestion control has computed from the telemetry of the peer's data goes to the
//! peer, the newest of each queue pair, in turn.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, NewINT; hdl/feedback.md
//! # Interface timing  cycle 0: watch_valid and watch_ready; cycle [`LATENCY_CYCLES`]: m_window_valid, if no other
//!                     waits. row_valid: closed from the next cycle on, until [`closed_cycles`] after it
//! # Latency and rate  [`LATENCY_CYCLES`]; a window every 4 cycles
//! # Shape             2^FB = F queue pairs, at least 64; FP1 = FB + 1
//! # Number formats    m_window_psn | UQ24.0 | the congestion control's time of the update + T, cycles
//! # Rules             a full update of the peer's data goes out with `cfg_by_time`. Queue pairs wait in the order in which
//!                     they began to; a newer window replaces the one that waits, so none is lost and no
//!                     queue pair has two. A queue pair row closes the block: what waits is dropped, and so is
//!                     what comes until [`closed_cycles`] after the row was taken, when the congestion control
//!                     has forgotten the queue pair of before. The window at m_window stays
//! # Reset             synchronous, high: nothing waits, closed, outputs 0
//! # Twins             sim/models/src/golden/transport/window/output.rs,
//!                     tests/transport/window_out.rs

use crate::events::WindowEvents;
use crate::streams::Window;
use crate::util::{fifo::Fifo, lut_ram::LutRam, ram::Ram};
use crate::{block, row, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from an update to its window.
pub const LATENCY_CYCLES: usize = 4;

/// Cycles after a row in which windows of `2^flow_bits` queue pairs are dropped: more than an update
/// of before is under way, and so many that each mark is cleared.
pub const fn closed_cycles(flow_bits: usize) -> u64 {
    (2 << flow_bits) - 1
}

/// A window that waits.
#[row]
struct WaitingRow {
    psn: Bits<24>,
    bytes: Bits<32>,
}

/// Windows of `2^FB` queue pairs.
#[block(check(FB >= 6 && FP1 == FB + 1))]
pub struct WindowOut<const FB: usize, const FP1: usize> {
    /// The receiver of data computes its window.
    pub cfg_by_time: Signal<In, Bit>,
    /// A queue pair row waits.
    pub row_valid: Signal<In, Bit>,
    /// An answer of the congestion control stands.
    pub watch_valid: Signal<In, Bit>,
    /// It is taken.
    pub watch_ready: Signal<In, Bit>,
    /// It is about the peer's data.
    pub watch_peer: Signal<In, Bit>,
    /// Its flow.
    pub watch_flow: Signal<In, Bits<FB>>,
    /// 0: an update.
    pub watch_op: Signal<In, Bits<2>>,
    /// It has set the reference window.
    pub watch_full: Signal<In, Bit>,
    /// Window.
    pub watch_window_bytes: Signal<In, Bits<32>>,
    /// Time of the update.
    pub watch_time: Signal<In, Bits<24>>,
    /// A window stands at the source.
    pub m_window: Window<Out, FB>,
    /// What it counts.
    pub event_window: WindowEvents<Out>,
    words: Ram<FB, WaitingRow>,
    marks: LutRam<FB, Bits<1>>,
    queue: Fifo<Bits<FB>, FB, FP1>,
    #[reset(closed_cycles(FB))]
    rest: Reg<Bits<FP1>>,
    loading: Reg<Bit>,
    full: Reg<Bit>,
    flow: Reg<Bits<FB>>,
    word: Reg<WaitingRow>,
    sent: Reg<Bit>,
    is_closed: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    #[value(closed_cycles(FB))]
    most: Constant<Bits<FP1>>,
}

impl<const FB: usize, const FP1: usize> Logic for WindowOut<FB, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_window.valid.next = self.full.val();
        self.m_window.flow.next = self.flow.val();
        self.m_window.psn.next = self.word.val().psn;
        self.m_window.bytes.next = self.word.val().bytes;
        self.event_window.sent.next = self.sent.val();
        comment!("Closed: so long that every mark is cleared.");
        self.is_closed.next = self.rest.val().any();
        if self.row_valid.val() {
            self.rest.next = self.most.val();
        } else if self.is_closed.val() {
            self.rest.next = self.rest.val() - 1;
        }
        comment!("An update: its queue pair waits, if it did not before.");
        self.counts.next = self.cfg_by_time.val()
            & self.watch_valid.val()
            & self.watch_ready.val()
            & self.watch_full.val()
            & !self.watch_op.val().any()
            & self.watch_peer.val();
        self.words.write_enable.next = self.counts.val();
        self.words.write_address.next = self.watch_flow.val();
        self.words.write_data.next.psn = self.watch_time.val();
        self.words.write_data.next.bytes = self.watch_window_bytes.val();
        self.queue.reset.next = self.reset.val() | self.is_closed.val();
        self.queue.s.valid.next = self.counts.val() & !self.marks.read_data.val().any();
        self.queue.s.data.next = self.watch_flow.val();
        comment!("The next one leaves; its mark goes, so that what comes from now on waits again.");
        self.pops.next = self.queue.m.valid.val()
            & !self.full.val()
            & !self.loading.val()
            & !self.counts.val()
            & !self.is_closed.val();
        self.queue.m.ready.next = self.pops.val();
        self.words.read_enable.next = self.pops.val();
        self.words.read_address.next = self.queue.m.data.val();
        self.marks.read_address.next = self.watch_flow.val();
        self.marks.write_enable.next = self.counts.val() | self.pops.val() | self.is_closed.val();
        self.marks.write_address.next = self.watch_flow.val();
        self.marks.write_data.next = 1.into();
        if self.is_closed.val() {
            self.marks.write_address.next = self.rest.val().get_bits::<FB>(0);
            self.marks.write_data.next = 0.into();
        } else if self.pops.val() {
            self.marks.write_address.next = self.queue.m.data.val();
            self.marks.write_data.next = 0.into();
        }
        self.sent.next = self.full.val() & self.m_window.ready.val();
        if self.m_window.ready.val() {
            self.full.next = false;
        }
        self.loading.next = self.pops.val();
        if self.pops.val() {
            self.flow.next = self.queue.m.data.val();
        }
        if self.loading.val() & !self.is_closed.val() {
            self.full.next = true;
            self.word.next = self.words.read_data.val();
        }
    }
}
