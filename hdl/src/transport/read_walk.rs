//! Walk over a flow's last 16 READs, from the newest on: finds the one that a restart repeats, and
//! gives up all jobs on the way.
//!
//! # Source            ARCHITECTURE.md, READ responses
//! # Interface timing  take: what the job asks for; a cycle later start; from two cycles later on:
//!                     walk, one place a cycle, each judged three cycles later. m_ends in the last
//!                     of them; the results stand one cycle later. A new READ is written two cycles
//!                     after store
//! # Number formats    PSNs | 24 bits, serial: a READ that begins less than 2^23 behind is meant;
//!                     packets | 1..=2^23; row | first PSN \[23:0\], PSN behind the last
//!                     \[47:24\], virtual address \[111:48\], bytes \[143:112\], remote key
//!                     \[175:144\]
//! # Rules             a restart asks for a READ or a part of it; if it does not lie in the one that
//!                     its PSN is in, that is not found
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
    /// A job is taken.
    pub take: Signal<In, Bit>,
    /// Its virtual address.
    pub s_job_va: Signal<In, Bits<64>>,
    /// Its remote key.
    pub s_job_rkey: Signal<In, Bits<32>>,
    /// Its bytes.
    pub s_job_bytes: Signal<In, Bits<32>>,
    /// log2(MTU) - 8 of its flow.
    pub mtu_code: Signal<In, Bits<3>>,
    /// Keep the job as a new READ.
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
    rows: Ram<JB, 176>,
    step: DFF<Bits<5>>,
    kept: DFF<Bits<16>>,
    at_1: DFF<Bits<4>>,
    at_2: DFF<Bits<4>>,
    at_3: DFF<Bits<4>>,
    va: DFF<Bits<64>>,
    rkey: DFF<Bits<32>>,
    bytes: DFF<Bits<32>>,
    rounded: DFF<Bits<33>>,
    packets: DFF<Bits<24>>,
    stores: DFF<Bits<2>>,
    index: DFF<Bits<JB>>,
    row: DFF<Bits<176>>,
    left: DFF<Bits<24>>,
    offset: DFF<Bits<64>>,
    length: DFF<Bits<33>>,
    same_key: DFF<Bit>,
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
    round_up: Signal<Local, Bits<33>>,
    shifted: Signal<Local, Bits<33>>,
    end_psn: Signal<Local, Bits<24>>,
    first_psn: Signal<Local, Bits<24>>,
    row_end: Signal<Local, Bits<24>>,
    row_va: Signal<Local, Bits<64>>,
    row_key: Signal<Local, Bits<32>>,
    reach: Signal<Local, Bits<33>>,
    offset_high: Signal<Local, Bits<32>>,
    fits: Signal<Local, Bit>,
    distance: Signal<Local, Bits<24>>,
    judges: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    drops_read: Signal<Local, Bit>,
    first_judged: Constant<Bits<5>>,
    last_judged: Constant<Bits<5>>,
    half: Constant<Bits<24>>,
}

impl<const FB: usize, const JB: usize> Default for ReadWalk<FB, JB> {
    fn default() -> Self {
        assert!(JB == FB + 4, "JB = FB + 4");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            take: Default::default(),
            s_job_va: Default::default(),
            s_job_rkey: Default::default(),
            s_job_bytes: Default::default(),
            mtu_code: Default::default(),
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
            rows: Default::default(),
            step: Default::default(),
            kept: Default::default(),
            at_1: Default::default(),
            at_2: Default::default(),
            at_3: Default::default(),
            va: Default::default(),
            rkey: Default::default(),
            bytes: Default::default(),
            rounded: Default::default(),
            packets: Default::default(),
            stores: Default::default(),
            index: Default::default(),
            row: Default::default(),
            left: Default::default(),
            offset: Default::default(),
            length: Default::default(),
            same_key: Default::default(),
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
            round_up: Default::default(),
            shifted: Default::default(),
            end_psn: Default::default(),
            first_psn: Default::default(),
            row_end: Default::default(),
            row_va: Default::default(),
            row_key: Default::default(),
            reach: Default::default(),
            offset_high: Default::default(),
            fits: Default::default(),
            distance: Default::default(),
            judges: Default::default(),
            drops: Default::default(),
            drops_read: Default::default(),
            first_judged: Constant::new(3u64.to_bits()),
            last_judged: Constant::new(18u64.to_bits()),
            half: Constant::new((1u64 << 23).to_bits()),
        }
    }
}

impl<const FB: usize, const JB: usize> Logic for ReadWalk<FB, JB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, step, kept, at_1, at_2, at_3, va, rkey, bytes, rounded, packets, stores,
            index, row, left, offset, length, same_key, hit, same, found, whole, place, jobs,
            gone_reads
        );
        self.m_found.next = self.found.q.val();
        self.m_whole.next = self.whole.q.val();
        self.m_place.next = self.place.q.val();
        self.m_kept.next = self.kept.q.val();
        self.m_jobs.next = self.jobs.q.val();
        self.m_reads.next = self.gone_reads.q.val();
        comment!("what the job asks for, and how many packets that is");
        if self.take.val() {
            self.va.d.next = self.s_job_va.val();
            self.rkey.d.next = self.s_job_rkey.val();
            self.bytes.d.next = self.s_job_bytes.val();
        }
        match self.mtu_code.val().index() {
            0 => {
                self.round_up.next = 255.into();
                self.shifted.next = self.rounded.q.val() >> 8;
            }
            1 => {
                self.round_up.next = 511.into();
                self.shifted.next = self.rounded.q.val() >> 9;
            }
            2 => {
                self.round_up.next = 1023.into();
                self.shifted.next = self.rounded.q.val() >> 10;
            }
            3 => {
                self.round_up.next = 2047.into();
                self.shifted.next = self.rounded.q.val() >> 11;
            }
            _ => {
                self.round_up.next = 4095.into();
                self.shifted.next = self.rounded.q.val() >> 12;
            }
        }
        self.rounded.d.next = bit_cast::<33, 32>(self.bytes.q.val()) + self.round_up.val();
        self.packets.d.next = self.shifted.val().get_bits::<24>(0);
        if !self.shifted.val().any() {
            self.packets.d.next = 1.into();
        }
        comment!("a new READ, once its packets are known");
        self.stores.d.next = (self.stores.q.val() << 1) | bit_cast::<2, 1>(self.store.val().into());
        if self.store.val() {
            self.index.d.next = self.store_index.val();
        }
        self.end_psn.next = self.psn.val() + self.packets.q.val();
        self.rows.clock.next = self.clock.val();
        self.rows.write_enable.next = self.stores.q.val().get_bit(1);
        self.rows.write_address.next = self.index.q.val();
        self.rows.write_data.next = bit_cast::<176, 24>(self.psn.val())
            | (bit_cast::<176, 24>(self.end_psn.val()) << 24)
            | (bit_cast::<176, 64>(self.va.q.val()) << 48)
            | (bit_cast::<176, 32>(self.bytes.q.val()) << 112)
            | (bit_cast::<176, 32>(self.rkey.q.val()) << 144);
        comment!("the place and its READ");
        self.step_low.next = self.step.q.val().get_bits::<4>(0);
        self.not_step.next = !self.step_low.val();
        self.at.next = self.place_at.val() + self.not_step.val();
        self.rows.read_enable.next = self.walk.val();
        self.rows.read_address.next =
            (bit_cast::<JB, FB>(self.flow.val()) << 4) | bit_cast::<JB, 4>(self.at.val());
        self.at_1.d.next = self.at.val();
        self.row.d.next = self.rows.read_data.val();
        self.at_2.d.next = self.at_1.q.val();
        comment!("is the PSN in it");
        self.age.next = self.step.q.val() - 2;
        self.first_psn.next = self.row.q.val().get_bits::<24>(0);
        self.distance.next = self.psn.val() - self.first_psn.val();
        self.hit.d.next = self.searches.val()
            & !self.distance.val().get_bit(23)
            & (self.age.val() < self.known.val());
        self.same.d.next = self.psn.val() == self.first_psn.val();
        comment!("does the job lie in it; what is left of it is at most 2^23 packets");
        self.row_end.next = self.row.q.val().get_bits::<24>(24);
        self.row_va.next = self.row.q.val().get_bits::<64>(48);
        self.row_key.next = self.row.q.val().get_bits::<32>(144);
        self.left.d.next = self.row_end.val() - self.psn.val();
        self.offset.d.next = self.va.q.val() - self.row_va.val();
        self.length.d.next = bit_cast::<33, 32>(self.row.q.val().get_bits::<32>(112));
        self.same_key.d.next = self.row_key.val() == self.rkey.q.val();
        self.offset_high.next = self.offset.q.val().get_bits::<32>(32);
        self.reach.next = bit_cast::<33, 32>(self.offset.q.val().get_bits::<32>(0))
            + bit_cast::<33, 32>(self.bytes.q.val());
        self.fits.next = self.same_key.q.val()
            & !self.offset_high.val().any()
            & (self.reach.val() <= self.length.q.val())
            & (self.packets.q.val() <= self.left.q.val())
            & (self.left.q.val() <= self.half.val());
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
            self.found.d.next = self.hit.q.val() & self.fits.val();
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
