//! Back-pressure of the rx pipe: beats are taken while whatever is on its way will find room.
//!
//! Behind the input nothing can wait. One count covers both payload buffers. Two largest payloads
//! (one frame without verdict, one that arrives) and some small frames can be on their way.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s_commit, pops; cycle 2: ready
//! # Latency and rate  2; one of each per cycle
//! # Number formats    beats | UQ12.0 at 64 bit | beats of accepted payload not yet delivered;
//!                     records | UQ5.0 at 64 bit | records not yet delivered
//! # Reset             synchronous, high: empty, ready = 1
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Beats or frames that can still be taken from a commit that leaves no room on.
const UNDER_WAY: usize = 18;
/// Bytes of the largest payload.
const PAYLOAD_BYTES_MAX: usize = 4096;

/// Accepted beats of payload below which input is taken, of buffers of `buffer_beats`.
pub const fn payload_beats_limit(beat_bytes: usize, buffer_beats: usize) -> usize {
    buffer_beats - 2 * PAYLOAD_BYTES_MAX / beat_bytes - 2 * UNDER_WAY
}

/// Records below which input is taken, of a buffer of `records`: the smallest packet has 44 bytes
/// behind the Ethernet header.
pub const fn records_limit(beat_bytes: usize, records: usize) -> usize {
    let frame_beats = 58_usize.div_ceil(beat_bytes);
    records - UNDER_WAY.div_ceil(frame_beats) - 2
}

/// Room counters of the rx pipe; buffers of `2^AW` beats of `KB` bytes and of `2^RB` records.
#[block(check(CW == AW + 1 && RC == RB + 1))]
pub struct RxRoom<
    const KB: usize,
    const AW: usize,
    const CW: usize,
    const RB: usize,
    const RC: usize,
> {
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
    beats: Reg<Bits<CW>>,
    records: Reg<Bits<RC>>,
    #[reset(true)]
    has_room: Reg<Bit>,
    beats_more: Signal<Local, Bits<CW>>,
    beats_less: Signal<Local, Bits<CW>>,
    records_more: Signal<Local, Bits<RC>>,
    #[value(payload_beats_limit(KB, 1 << AW) as u64)]
    beats_limit: Constant<Bits<CW>>,
    #[value(records_limit(KB, 1 << RB) as u64)]
    records_limit: Constant<Bits<RC>>,
}

impl<const KB: usize, const AW: usize, const CW: usize, const RB: usize, const RC: usize> Logic
    for RxRoom<KB, AW, CW, RB, RC>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.ready.next = self.has_room.val();
        self.beats_more.next = self.beats.val();
        self.records_more.next = self.records.val();
        if self.s_commit.val() {
            self.beats_more.next = self.beats.val() + bit_cast::<CW, 10>(self.s_beats.val());
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
