//! Number of active flows, and the additive increase that each of them gets: W_ai / N.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 6.2: W_ai = W_init (1 - eta) / N
//! # Interface timing  a full update that is taken in cycle 0 counts in cycle 3; a window that ends
//!                     with cycle 0 changes w_ai in cycle 33
//! # Latency and rate  [`LATENCY_CYCLES`] from the end of a window to w_ai; one update per cycle
//! # Number formats    cfg_w_ai, w_ai | UQ22.10 | bytes; w_ai is truncated: less than 2^-10 bytes below
//!                                      cfg_w_ai / N
//!                     N              | UQ(FB+1).0 | flows with a full update in the window; 1 if there
//!                                      was none
//!                     cfg_window     | UQ20.0  | 64 cycles; 0: w_ai is cfg_w_ai
//!                     tag            | UQ16.0  | number of the window in which the flow was counted last,
//!                                      1..=65535 in turn, 0 never. A flow that was silent for a
//!                                      multiple of 65535 windows is missed in its next one
//! # Rules             windows follow each other without a gap; the first begins in the cycle behind
//!                     the one in which cfg_window was set, and w_ai is cfg_w_ai until it has ended. A new cfg_w_ai counts from
//!                     the next end of a window on
//! # Shape             F = 2^FB flows, NB = FB + 1
//! # Reset             synchronous, high; then F cycles of clearing, in which no update counts
//! # Twins             sim/models/src/golden/cc/active.rs, sim/models/src/reference/hpcc.rs,
//!                     tests/cc/cc_active.rs

use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the last one of a window to W_ai by its count.
pub const LATENCY_CYCLES: usize = 33;

/// Active flows of `2^FB`; `NB = FB + 1`.
#[block(check(NB == FB + 1))]
pub struct CcActive<const FB: usize, const NB: usize> {
    /// Length of a window in 64 cycles; 0: off.
    pub cfg_window: Signal<In, Bits<20>>,
    /// Additive increase of a flow that is alone, bytes, UQ22.10.
    pub cfg_w_ai: Signal<In, Bits<32>>,
    /// The windows of the peer's data are computed here.
    pub cfg_by_time: Signal<In, Bit>,
    /// A result of the unit is offered.
    pub watch_valid: Signal<In, Bit>,
    /// It is taken.
    pub watch_ready: Signal<In, Bit>,
    /// Its flow.
    pub watch_flow: Signal<In, Bits<FB>>,
    /// It is about the peer's data, which counts with `cfg_by_time` alone.
    pub watch_peer: Signal<In, Bit>,
    /// It is a full update.
    pub watch_full: Signal<In, Bit>,
    /// Additive increase, bytes, UQ22.10.
    pub w_ai: Signal<Out, Bits<32>>,
    tags: Ram<FB, Bits<16>>,
    is_on: Reg<Bit>,
    was_on: Reg<Bit>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    seen_1: Reg<Bit>,
    flow_1: Unreset<Bits<FB>>,
    seen_2: Reg<Bit>,
    flow_2: Unreset<Bits<FB>>,
    tag_2: Unreset<Bits<16>>,
    seen_3: Reg<Bit>,
    flow_3: Unreset<Bits<FB>>,
    tag_3: Unreset<Bits<16>>,
    #[reset(1)]
    number: Reg<Bits<16>>,
    prescale: Reg<Bits<6>>,
    is_last: Reg<Bit>,
    ticks: Reg<Bits<20>>,
    is_over: Reg<Bit>,
    count: Reg<Bits<NB>>,
    divisor: Unreset<Bits<NB>>,
    rest: Unreset<Bits<NB>>,
    quotient: Unreset<Bits<32>>,
    steps: Reg<Bits<6>>,
    increase: Reg<Bits<32>>,
    writes: Signal<Local, Bit>,
    is_new: Signal<Local, Bit>,
    number_more: Signal<Local, Bits<16>>,
    ticks_more: Signal<Local, Bits<20>>,
    ends: Signal<Local, Bit>,
    count_more: Signal<Local, Bits<NB>>,
    counted: Signal<Local, Bits<NB>>,
    rest_up: Signal<Local, Bits<NB>>,
    quotient_up: Signal<Local, Bits<32>>,
    quotient_more: Signal<Local, Bits<32>>,
    trial: Signal<Local, Bits<NB>>,
    less: Signal<Local, Bits<NB>>,
    top: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    #[value(1)]
    first_number: Constant<Bits<16>>,
    #[value(0xffff_u64)]
    last_number: Constant<Bits<16>>,
    #[value(62)]
    before_last: Constant<Bits<6>>,
    #[value((1_u64 << FB) - 1)]
    last_flow: Constant<Bits<FB>>,
    #[value(1)]
    one: Constant<Bits<NB>>,
    #[value(32)]
    all_steps: Constant<Bits<6>>,
    #[value(1)]
    last_step: Constant<Bits<6>>,
}

impl<const FB: usize, const NB: usize> Logic for CcActive<FB, NB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.w_ai.next = self.increase.val();
        self.is_on.next = self.cfg_window.val().any();
        self.was_on.next = self.is_on.val();
        comment!("1: an update; its flow's tag is read.");
        self.seen_1.next = self.watch_valid.val()
            & self.watch_ready.val()
            & self.watch_full.val()
            & (!self.watch_peer.val() | self.cfg_by_time.val());
        self.flow_1.next = self.watch_flow.val();
        self.tags.read_enable.next = true;
        self.tags.read_address.next = self.watch_flow.val();
        comment!(
            "2: the tag; that of an update one or two before is not in the RAM when it is read."
        );
        self.writes.next = self.seen_2.val() & self.is_on.val();
        self.seen_2.next = self.seen_1.val();
        self.flow_2.next = self.flow_1.val();
        self.tag_2.next = self.tags.read_data.val();
        if self.writes.val() & (self.flow_2.val() == self.flow_1.val()) {
            self.tag_2.next = self.number.val();
        } else if self.seen_3.val() & (self.flow_3.val() == self.flow_1.val()) {
            self.tag_2.next = self.tag_3.val();
        }
        comment!("3: counted, once a window.");
        self.seen_3.next = self.writes.val();
        self.flow_3.next = self.flow_2.val();
        self.tag_3.next = self.number.val();
        self.is_new.next = self.seen_2.val() & (self.tag_2.val() != self.number.val());
        self.tags.write_enable.next = self.writes.val() | self.scrubs.val();
        self.tags.write_address.next = self.flow_2.val();
        self.tags.write_data.next = self.number.val();
        self.count_more.next = self.count.val() + 1;
        self.counted.next = self.count.val();
        if self.is_new.val() {
            self.counted.next = self.count_more.val();
        }
        self.count.next = self.counted.val();
        comment!("Windows.");
        self.prescale.next = self.prescale.val() + 1;
        self.ticks_more.next = self.ticks.val() + 1;
        comment!("Ticks stand for 64 cycles: the compares are registers.");
        self.is_last.next = self.prescale.val() == self.before_last.val();
        self.is_over.next = self.ticks_more.val() >= self.cfg_window.val();
        self.ends.next = self.is_on.val() & self.is_last.val() & self.is_over.val();
        if self.is_last.val() {
            self.ticks.next = self.ticks_more.val();
        }
        self.number_more.next = self.number.val() + 1;
        comment!("A bit of the quotient a cycle: shift, compare, subtract.");
        self.top.next = self.quotient.val().get_bit(31);
        self.rest_up.next = self.rest.val() << 1;
        self.trial.next = self.rest_up.val().replace_bit(0, self.top.val());
        self.less.next = self.trial.val() - self.divisor.val();
        self.fits.next = self.trial.val() >= self.divisor.val();
        self.quotient_up.next = self.quotient.val() << 1;
        self.quotient_more.next = self.quotient_up.val().replace_bit(0, self.fits.val());
        if self.steps.val().any() {
            self.steps.next = self.steps.val() - 1;
            self.rest.next = self.trial.val();
            if self.fits.val() {
                self.rest.next = self.less.val();
            }
            self.quotient.next = self.quotient_more.val();
        }
        if self.steps.val() == self.last_step.val() {
            self.increase.next = self.quotient_more.val();
        }
        if self.ends.val() {
            self.ticks.next = 0.into();
            self.count.next = 0.into();
            self.divisor.next = self.counted.val();
            if !self.counted.val().any() {
                self.divisor.next = self.one.val();
            }
            self.rest.next = 0.into();
            self.quotient.next = self.cfg_w_ai.val();
            self.steps.next = self.all_steps.val();
        }
        if self.ends.val() | (self.was_on.val() & !self.is_on.val()) {
            self.number.next = self.number_more.val();
            if self.number.val() == self.last_number.val() {
                self.number.next = self.first_number.val();
            }
        }
        if !self.is_on.val() {
            comment!("Off: the next window begins with the first cycle in which it is on.");
            self.prescale.next = 0.into();
            self.is_last.next = false;
            self.ticks.next = 0.into();
            self.count.next = 0.into();
            self.steps.next = 0.into();
            self.increase.next = self.cfg_w_ai.val();
        }
        if self.scrubs.val() {
            self.tags.write_address.next = self.scrub_flow.val();
            self.tags.write_data.next = 0.into();
            self.scrub_flow.next = self.scrub_flow.val() + 1;
            self.scrubs.next = self.scrub_flow.val() != self.last_flow.val();
            self.seen_1.next = false;
        }
    }
}
