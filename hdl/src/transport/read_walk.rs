//! Walk over a flow's last 16 READs, from the newest on: finds the one that a PSN is in, and gives up
//! all jobs on the way.
//!
//! # Source            ARCHITECTURE.md, READ responses
//! # Interface timing  cycle 0: start; from cycle 1 on: walk, one place a cycle, each judged three
//!                     cycles later. m_ends in the last of them; the results stand one cycle later
//! # Number formats    PSNs | 24 bits, serial: a READ that begins less than 2^23 behind is meant
//! # Reset             none: start begins anew
//! # Twins             sim/src/golden/transport/read_reply.rs, tests/read_reply.rs

use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// First PSNs of `2^JB` READs of `2^FB` flows; `JB = FB + 4`.
#[derive(LogicBlock)]
pub struct ReadWalk<const FB: usize, const JB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Keep the first PSN of a new READ.
    pub store: Signal<In, Bit>,
    /// Its place under its flow.
    pub store_index: Signal<In, Bits<JB>>,
    /// PSN that is looked for, or kept.
    pub psn: Signal<In, Bits<24>>,
    /// Begin.
    pub start: Signal<In, Bit>,
    /// Go on.
    pub walk: Signal<In, Bit>,
    /// Look for the PSN, else give up all jobs.
    pub searches: Signal<In, Bit>,
    /// Flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Place of its next READ.
    pub place_at: Signal<In, Bits<4>>,
    /// Its READs so far; 16: or more.
    pub known: Signal<In, Bits<5>>,
    /// Jobs that wait, by place.
    pub waiting: Signal<In, Bits<16>>,
    /// Jobs that are no restarts.
    pub reads: Signal<In, Bits<16>>,
    /// This is the last cycle.
    pub m_ends: Signal<Out, Bit>,
    /// The READ was found.
    pub m_found: Signal<Out, Bit>,
    /// It begins with the PSN.
    pub m_whole: Signal<Out, Bit>,
    /// Its place.
    pub m_place: Signal<Out, Bits<4>>,
    /// Jobs that go on waiting.
    pub m_kept: Signal<Out, Bits<16>>,
    /// Jobs that were given up.
    pub m_jobs: Signal<Out, Bits<5>>,
    /// Those that were no restarts.
    pub m_reads: Signal<Out, Bits<5>>,
    firsts: Ram<JB, 24>,
    step: DFF<Bits<5>>,
    kept: DFF<Bits<16>>,
    at_1: DFF<Bits<4>>,
    at_2: DFF<Bits<4>>,
    at_3: DFF<Bits<4>>,
    first_psn: DFF<Bits<24>>,
    hit: DFF<Bit>,
    same: DFF<Bit>,
    found: DFF<Bit>,
    whole: DFF<Bit>,
    place: DFF<Bits<4>>,
    jobs: DFF<Bits<5>>,
    gone_reads: DFF<Bits<5>>,
    not_step: Signal<Local, Bits<4>>,
    step_low: Signal<Local, Bits<4>>,
    at: Signal<Local, Bits<4>>,
    age: Signal<Local, Bits<5>>,
    distance: Signal<Local, Bits<24>>,
    judges: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    drops_read: Signal<Local, Bit>,
    first_judged: Constant<Bits<5>>,
    last_judged: Constant<Bits<5>>,
}

impl<const FB: usize, const JB: usize> Default for ReadWalk<FB, JB> {
    fn default() -> Self {
        assert!(JB == FB + 4, "JB = FB + 4");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            store: Default::default(),
            store_index: Default::default(),
            psn: Default::default(),
            start: Default::default(),
            walk: Default::default(),
            searches: Default::default(),
            flow: Default::default(),
            place_at: Default::default(),
            known: Default::default(),
            waiting: Default::default(),
            reads: Default::default(),
            m_ends: Default::default(),
            m_found: Default::default(),
            m_whole: Default::default(),
            m_place: Default::default(),
            m_kept: Default::default(),
            m_jobs: Default::default(),
            m_reads: Default::default(),
            firsts: Default::default(),
            step: Default::default(),
            kept: Default::default(),
            at_1: Default::default(),
            at_2: Default::default(),
            at_3: Default::default(),
            first_psn: Default::default(),
            hit: Default::default(),
            same: Default::default(),
            found: Default::default(),
            whole: Default::default(),
            place: Default::default(),
            jobs: Default::default(),
            gone_reads: Default::default(),
            not_step: Default::default(),
            step_low: Default::default(),
            at: Default::default(),
            age: Default::default(),
            distance: Default::default(),
            judges: Default::default(),
            drops: Default::default(),
            drops_read: Default::default(),
            first_judged: Constant::new(3u64.to_bits()),
            last_judged: Constant::new(18u64.to_bits()),
        }
    }
}

impl<const FB: usize, const JB: usize> Logic for ReadWalk<FB, JB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, step, kept, at_1, at_2, at_3, first_psn, hit, same, found, whole, place,
            jobs, gone_reads
        );
        self.m_found.next = self.found.q.val();
        self.m_whole.next = self.whole.q.val();
        self.m_place.next = self.place.q.val();
        self.m_kept.next = self.kept.q.val();
        self.m_jobs.next = self.jobs.q.val();
        self.m_reads.next = self.gone_reads.q.val();
        self.firsts.clock.next = self.clock.val();
        self.firsts.write_enable.next = self.store.val();
        self.firsts.write_address.next = self.store_index.val();
        self.firsts.write_data.next = self.psn.val();
        comment!("the place and its first PSN");
        self.step_low.next = self.step.q.val().get_bits::<4>(0);
        self.not_step.next = !self.step_low.val();
        self.at.next = self.place_at.val() + self.not_step.val();
        self.firsts.read_enable.next = self.walk.val();
        self.firsts.read_address.next =
            (bit_cast::<JB, FB>(self.flow.val()) << 4) | bit_cast::<JB, 4>(self.at.val());
        self.at_1.d.next = self.at.val();
        self.first_psn.d.next = self.firsts.read_data.val();
        self.at_2.d.next = self.at_1.q.val();
        comment!("is the PSN in it");
        self.age.next = self.step.q.val() - 2;
        self.distance.next = self.psn.val() - self.first_psn.q.val();
        self.hit.d.next = self.searches.val()
            & !self.distance.val().get_bit(23)
            & (self.age.val() < self.known.val());
        self.same.d.next = self.psn.val() == self.first_psn.q.val();
        self.at_3.d.next = self.at_2.q.val();
        comment!("then the walk ends here");
        self.judges.next = self.walk.val() & (self.step.q.val() >= self.first_judged.val());
        self.m_ends.next = self.step.q.val() == self.last_judged.val();
        if self.hit.q.val() & (self.step.q.val() >= self.first_judged.val()) {
            self.m_ends.next = true;
        }
        self.drops.next = self.kept.q.val().get_bit(self.at_3.q.val().index());
        self.drops_read.next =
            self.drops.val() & self.reads.val().get_bit(self.at_3.q.val().index());
        if self.walk.val() {
            self.step.d.next = self.step.q.val() + 1;
        }
        if self.judges.val() {
            self.kept.d.next = self.kept.q.val().replace_bit(self.at_3.q.val().index(), false);
            self.place.d.next = self.at_3.q.val();
            self.found.d.next = self.hit.q.val();
            self.whole.d.next = self.same.q.val();
            if self.drops.val() {
                self.jobs.d.next = self.jobs.q.val() + 1;
            }
            if self.drops_read.val() {
                self.gone_reads.d.next = self.gone_reads.q.val() + 1;
            }
        } else if self.walk.val() {
            self.kept.d.next = self.waiting.val();
        }
        if self.start.val() {
            self.step.d.next = 0.into();
            self.jobs.d.next = 0.into();
            self.gone_reads.d.next = 0.into();
        }
    }
}
