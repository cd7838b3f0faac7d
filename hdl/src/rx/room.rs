//! Back-pressure of the rx pipe: beats are taken while whatever is on its way will find room.
//!
//! Behind the input nothing can wait. One count covers both payload buffers. Two largest payloads (one frame without verdict, one that
//! arrives) and some small frames can be on their way.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s_commit, pops; cycle 2: ready
//! # Latency and rate  2; one of each per cycle
//! # Number formats    beats | UQ12.0 | beats of accepted payload not yet delivered;
//!                     records | UQ5.0 | records not yet delivered
//! # Reset             synchronous, high: empty, ready = 1
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Accepted payload beats below which input is taken: each buffer has 2048 beats, and 2 x 512 and
/// what verdicts of small frames add in 15 cycles can still come.
pub const PAYLOAD_BEATS_LIMIT: u64 = 960;
/// Records below which input is taken; the buffer has 16.
pub const RECORDS_LIMIT: u64 = 11;

/// Room counters of the rx pipe.
#[block]
pub struct RxRoom {
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
    beats: Reg<Bits<12>>,
    records: Reg<Bits<5>>,
    #[reset(true)]
    has_room: Reg<Bit>,
    beats_more: Signal<Local, Bits<12>>,
    beats_less: Signal<Local, Bits<12>>,
    records_more: Signal<Local, Bits<5>>,
    #[value(PAYLOAD_BEATS_LIMIT)]
    beats_limit: Constant<Bits<12>>,
    #[value(RECORDS_LIMIT)]
    records_limit: Constant<Bits<5>>,
}

impl Logic for RxRoom {
    #[hdl_gen]
    fn update(&mut self) {
        self.ready.next = self.has_room.val();
        self.beats_more.next = self.beats.val();
        self.records_more.next = self.records.val();
        if self.s_commit.val() {
            self.beats_more.next = self.beats.val() + bit_cast::<12, 10>(self.s_beats.val());
            self.records_more.next = self.records.val() + 1;
        }
        self.beats_less.next = 0.into();
        if self.pop_payload.val() & self.pop_response.val() {
            self.beats_less.next = 2.into();
        } else if self.pop_payload.val() | self.pop_response.val() {
            self.beats_less.next = 1.into();
        }
        self.beats.next = self.beats_more.val() - self.beats_less.val();
        self.records.next = self.records_more.val();
        if self.pop_record.val() {
            self.records.next = self.records_more.val() - 1;
        }
        self.has_room.next = (self.beats.val() < self.beats_limit.val())
            & (self.records.val() < self.records_limit.val());
    }
}
