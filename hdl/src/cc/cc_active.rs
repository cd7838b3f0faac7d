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
//! # Twins             sim/src/golden/cc/cc_active.rs, sim/src/reference/hpcc.rs, tests/cc_active.rs

use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from the last one of a window to W_ai by its count.
pub const LATENCY_CYCLES: usize = 33;

/// Active flows of `2^FB`; `NB = FB + 1`.
#[derive(LogicBlock)]
pub struct CcActive<const FB: usize, const NB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    tags: Ram<FB, 16>,
    is_on: DFF<Bit>,
    was_on: DFF<Bit>,
    scrubs: DFF<Bit>,
    scrub_flow: DFF<Bits<FB>>,
    seen_1: DFF<Bit>,
    flow_1: DFF<Bits<FB>>,
    seen_2: DFF<Bit>,
    flow_2: DFF<Bits<FB>>,
    tag_2: DFF<Bits<16>>,
    seen_3: DFF<Bit>,
    flow_3: DFF<Bits<FB>>,
    tag_3: DFF<Bits<16>>,
    number: DFF<Bits<16>>,
    prescale: DFF<Bits<6>>,
    is_last: DFF<Bit>,
    ticks: DFF<Bits<20>>,
    is_over: DFF<Bit>,
    count: DFF<Bits<NB>>,
    divisor: DFF<Bits<NB>>,
    rest: DFF<Bits<NB>>,
    quotient: DFF<Bits<32>>,
    steps: DFF<Bits<6>>,
    increase: DFF<Bits<32>>,
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
    first_number: Constant<Bits<16>>,
    last_number: Constant<Bits<16>>,
    before_last: Constant<Bits<6>>,
    last_flow: Constant<Bits<FB>>,
    one: Constant<Bits<NB>>,
    all_steps: Constant<Bits<6>>,
    last_step: Constant<Bits<6>>,
}

impl<const FB: usize, const NB: usize> Default for CcActive<FB, NB> {
    fn default() -> Self {
        assert!(NB == FB + 1, "NB = FB + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_window: Default::default(),
            cfg_w_ai: Default::default(),
            cfg_by_time: Default::default(),
            watch_valid: Default::default(),
            watch_ready: Default::default(),
            watch_flow: Default::default(),
            watch_peer: Default::default(),
            watch_full: Default::default(),
            w_ai: Default::default(),
            tags: Default::default(),
            is_on: Default::default(),
            was_on: Default::default(),
            scrubs: Default::default(),
            scrub_flow: Default::default(),
            seen_1: Default::default(),
            flow_1: Default::default(),
            seen_2: Default::default(),
            flow_2: Default::default(),
            tag_2: Default::default(),
            seen_3: Default::default(),
            flow_3: Default::default(),
            tag_3: Default::default(),
            number: Default::default(),
            prescale: Default::default(),
            is_last: Default::default(),
            ticks: Default::default(),
            is_over: Default::default(),
            count: Default::default(),
            divisor: Default::default(),
            rest: Default::default(),
            quotient: Default::default(),
            steps: Default::default(),
            increase: Default::default(),
            writes: Default::default(),
            is_new: Default::default(),
            number_more: Default::default(),
            ticks_more: Default::default(),
            ends: Default::default(),
            count_more: Default::default(),
            counted: Default::default(),
            rest_up: Default::default(),
            quotient_up: Default::default(),
            quotient_more: Default::default(),
            trial: Default::default(),
            less: Default::default(),
            top: Default::default(),
            fits: Default::default(),
            first_number: Constant::new(1.into()),
            last_number: Constant::new(0xffff_u64.into()),
            before_last: Constant::new(62.into()),
            last_flow: Constant::new(((1_u64 << FB) - 1).into()),
            one: Constant::new(1.into()),
            all_steps: Constant::new(32.into()),
            last_step: Constant::new(1.into()),
        }
    }
}

impl<const FB: usize, const NB: usize> Logic for CcActive<FB, NB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, is_on, was_on, scrubs, scrub_flow, seen_1, flow_1, seen_2, flow_2, tag_2,
            seen_3, flow_3, tag_3, number, prescale, is_last, ticks, is_over, count, divisor, rest,
            quotient, steps, increase
        );
        self.w_ai.next = self.increase.q.val();
        self.is_on.d.next = self.cfg_window.val().any();
        self.was_on.d.next = self.is_on.q.val();
        comment!("1: an update; its flow's tag is read.");
        self.seen_1.d.next = self.watch_valid.val()
            & self.watch_ready.val()
            & self.watch_full.val()
            & (!self.watch_peer.val() | self.cfg_by_time.val());
        self.flow_1.d.next = self.watch_flow.val();
        self.tags.clock.next = self.clock.val();
        self.tags.read_enable.next = true;
        self.tags.read_address.next = self.watch_flow.val();
        comment!(
            "2: the tag; that of an update one or two before is not in the RAM when it is read."
        );
        self.writes.next = self.seen_2.q.val() & self.is_on.q.val();
        self.seen_2.d.next = self.seen_1.q.val();
        self.flow_2.d.next = self.flow_1.q.val();
        self.tag_2.d.next = self.tags.read_data.val();
        if self.writes.val() & (self.flow_2.q.val() == self.flow_1.q.val()) {
            self.tag_2.d.next = self.number.q.val();
        } else if self.seen_3.q.val() & (self.flow_3.q.val() == self.flow_1.q.val()) {
            self.tag_2.d.next = self.tag_3.q.val();
        }
        comment!("3: counted, once a window.");
        self.seen_3.d.next = self.writes.val();
        self.flow_3.d.next = self.flow_2.q.val();
        self.tag_3.d.next = self.number.q.val();
        self.is_new.next = self.seen_2.q.val() & (self.tag_2.q.val() != self.number.q.val());
        self.tags.write_enable.next = self.writes.val() | self.scrubs.q.val();
        self.tags.write_address.next = self.flow_2.q.val();
        self.tags.write_data.next = self.number.q.val();
        self.count_more.next = self.count.q.val() + 1;
        self.counted.next = self.count.q.val();
        if self.is_new.val() {
            self.counted.next = self.count_more.val();
        }
        self.count.d.next = self.counted.val();
        comment!("Windows.");
        self.prescale.d.next = self.prescale.q.val() + 1;
        self.ticks_more.next = self.ticks.q.val() + 1;
        comment!("Ticks stand for 64 cycles: the compares are registers.");
        self.is_last.d.next = self.prescale.q.val() == self.before_last.val();
        self.is_over.d.next = self.ticks_more.val() >= self.cfg_window.val();
        self.ends.next = self.is_on.q.val() & self.is_last.q.val() & self.is_over.q.val();
        if self.is_last.q.val() {
            self.ticks.d.next = self.ticks_more.val();
        }
        self.number_more.next = self.number.q.val() + 1;
        comment!("A bit of the quotient a cycle: shift, compare, subtract.");
        self.top.next = self.quotient.q.val().get_bit(31);
        self.rest_up.next = self.rest.q.val() << 1;
        self.trial.next = self.rest_up.val().replace_bit(0, self.top.val());
        self.less.next = self.trial.val() - self.divisor.q.val();
        self.fits.next = self.trial.val() >= self.divisor.q.val();
        self.quotient_up.next = self.quotient.q.val() << 1;
        self.quotient_more.next = self.quotient_up.val().replace_bit(0, self.fits.val());
        if self.steps.q.val().any() {
            self.steps.d.next = self.steps.q.val() - 1;
            self.rest.d.next = self.trial.val();
            if self.fits.val() {
                self.rest.d.next = self.less.val();
            }
            self.quotient.d.next = self.quotient_more.val();
        }
        if self.steps.q.val() == self.last_step.val() {
            self.increase.d.next = self.quotient_more.val();
        }
        if self.ends.val() {
            self.ticks.d.next = 0.into();
            self.count.d.next = 0.into();
            self.divisor.d.next = self.counted.val();
            if !self.counted.val().any() {
                self.divisor.d.next = self.one.val();
            }
            self.rest.d.next = 0.into();
            self.quotient.d.next = self.cfg_w_ai.val();
            self.steps.d.next = self.all_steps.val();
        }
        if self.ends.val() | (self.was_on.q.val() & !self.is_on.q.val()) {
            self.number.d.next = self.number_more.val();
            if self.number.q.val() == self.last_number.val() {
                self.number.d.next = self.first_number.val();
            }
        }
        if !self.is_on.q.val() {
            comment!("Off: the next window begins with the first cycle in which it is on.");
            self.prescale.d.next = 0.into();
            self.is_last.d.next = false;
            self.ticks.d.next = 0.into();
            self.count.d.next = 0.into();
            self.steps.d.next = 0.into();
            self.increase.d.next = self.cfg_w_ai.val();
        }
        if self.scrubs.q.val() {
            self.tags.write_address.next = self.scrub_flow.q.val();
            self.tags.write_data.next = 0.into();
            self.scrub_flow.d.next = self.scrub_flow.q.val() + 1;
            self.scrubs.d.next = self.scrub_flow.q.val() != self.last_flow.val();
            self.seen_1.d.next = false;
        }
        if self.reset.val() {
            self.scrubs.d.next = true;
            self.scrub_flow.d.next = 0.into();
            self.seen_1.d.next = false;
            self.seen_2.d.next = false;
            self.seen_3.d.next = false;
            self.is_on.d.next = false;
            self.was_on.d.next = false;
            self.number.d.next = 1.into();
            self.prescale.d.next = 0.into();
            self.is_last.d.next = false;
            self.ticks.d.next = 0.into();
            self.is_over.d.next = false;
            self.count.d.next = 0.into();
            self.steps.d.next = 0.into();
            self.increase.d.next = 0.into();
        }
    }
}
