//! Back-pressure of the rx pipe: beats are taken while whatever is on its way will find room.
//!
//! Behind the input nothing can wait. One count covers both payload buffers. Two largest payloads (one frame without verdict, one that
//! arrives) and some small frames can be on their way.
//!
//! # Source            ARCHITECTURE.md, rx pipe
//! # Interface timing  cycle 0: s_commit, pops; cycle 2: ready
//! # Latency and rate  2; one of each per cycle
//! # Number formats    beats | UQ12.0 | beats of accepted payload not yet delivered;
//!                     records | UQ5.0 | records not yet delivered
//! # Reset             synchronous, high: empty, ready = 1
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Accepted payload beats below which input is taken: each buffer has 2048 beats, and 2 x 512 and
/// what verdicts of small frames add in 15 cycles can still come.
pub const PAYLOAD_BEATS_LIMIT: u64 = 960;
/// Records below which input is taken; the buffer has 16.
pub const RECORDS_LIMIT: u64 = 11;

/// Room counters of the rx pipe.
#[derive(LogicBlock)]
pub struct RxRoom {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A packet is accepted.
    pub s_commit: Signal<In, Bit>,
    /// Beats of its payload.
    pub s_beats: Signal<In, Bits<10>>,
    /// A beat of a request's payload leaves.
    pub pop_payload: Signal<In, Bit>,
    /// A beat of a READ response's payload leaves.
    pub pop_response: Signal<In, Bit>,
    /// A record leaves.
    pub pop_record: Signal<In, Bit>,
    /// Input is taken.
    pub ready: Signal<Out, Bit>,
    beats: DFF<Bits<12>>,
    records: DFF<Bits<5>>,
    has_room: DFF<Bit>,
    beats_more: Signal<Local, Bits<12>>,
    beats_less: Signal<Local, Bits<12>>,
    records_more: Signal<Local, Bits<5>>,
    beats_limit: Constant<Bits<12>>,
    records_limit: Constant<Bits<5>>,
}

impl Default for RxRoom {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_commit: Default::default(),
            s_beats: Default::default(),
            pop_payload: Default::default(),
            pop_response: Default::default(),
            pop_record: Default::default(),
            ready: Default::default(),
            beats: Default::default(),
            records: Default::default(),
            has_room: Default::default(),
            beats_more: Default::default(),
            beats_less: Default::default(),
            records_more: Default::default(),
            beats_limit: Constant::new(PAYLOAD_BEATS_LIMIT.into()),
            records_limit: Constant::new(RECORDS_LIMIT.into()),
        }
    }
}

impl Logic for RxRoom {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, beats, records, has_room);
        self.ready.next = self.has_room.q.val();
        self.beats_more.next = self.beats.q.val();
        self.records_more.next = self.records.q.val();
        if self.s_commit.val() {
            self.beats_more.next = self.beats.q.val() + bit_cast::<12, 10>(self.s_beats.val());
            self.records_more.next = self.records.q.val() + 1;
        }
        self.beats_less.next = 0.into();
        if self.pop_payload.val() & self.pop_response.val() {
            self.beats_less.next = 2.into();
        } else if self.pop_payload.val() | self.pop_response.val() {
            self.beats_less.next = 1.into();
        }
        self.beats.d.next = self.beats_more.val() - self.beats_less.val();
        self.records.d.next = self.records_more.val();
        if self.pop_record.val() {
            self.records.d.next = self.records_more.val() - 1;
        }
        self.has_room.d.next = (self.beats.q.val() < self.beats_limit.val())
            & (self.records.q.val() < self.records_limit.val());
        if self.reset.val() {
            self.beats.d.next = 0.into();
            self.records.d.next = 0.into();
            self.has_room.d.next = true;
        }
    }
}
