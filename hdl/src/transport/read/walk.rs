//! Walk over a flow's last 16 READs, from the newest on: finds the one that a restart repeats, and
//! gives up all jobs on the way.
//!
//! # Source            hdl/transport.md
//! # Interface timing  take: what the job asks for; a cycle later start; from two cycles later on:
//!                     walk, one place a cycle, each judged three cycles later. m_ends in the last
//!                     of them; the results stand one cycle later. A new READ is written two cycles
//!                     after store
//! # Number formats    PSNs | 24 bits, serial: a READ that begins less than 2^23 behind is meant;
//!                     packets | 1..=2^23
//! # Rules             a restart asks for a READ or a part of it; if it does not lie in the one that
//!                     its PSN is in, that is not found
//! # Reset             none: start begins anew
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::util::ram::Ram;
use crate::{block, kernel, row, Unreset};
use rust_hdl_core::prelude::*;

/// A READ that was accepted.
#[row]
struct ReadRow {
    first_psn: Bits<24>, // First PSN
    end_psn: Bits<24>,   // PSN behind the last
    va: Bits<64>,        // Virtual address
    bytes: Bits<32>,     // Bytes
    rkey: Bits<32>,      // Remote key
}

/// First PSNs of `2^JB` READs of `2^FB` flows; `JB = FB + 4`.
#[block(no_reset, check(JB == FB + 4))]
pub struct ReadWalk<const FB: usize, const JB: usize> {
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
    rows: Ram<JB, ReadRow>,
    step: Unreset<Bits<5>>,
    kept: Unreset<Bits<16>>,
    at_1: Unreset<Bits<4>>,
    at_2: Unreset<Bits<4>>,
    at_3: Unreset<Bits<4>>,
    va: Unreset<Bits<64>>,
    rkey: Unreset<Bits<32>>,
    bytes: Unreset<Bits<32>>,
    rounded: Unreset<Bits<33>>,
    packets: Unreset<Bits<24>>,
    stores: Unreset<Bits<2>>,
    index: Unreset<Bits<JB>>,
    row: Unreset<ReadRow>,
    left: Unreset<Bits<24>>,
    offset: Unreset<Bits<64>>,
    length: Unreset<Bits<33>>,
    same_key: Unreset<Bit>,
    hit: Unreset<Bit>,
    same: Unreset<Bit>,
    found: Unreset<Bit>,
    whole: Unreset<Bit>,
    place: Unreset<Bits<4>>,
    jobs: Unreset<Bits<5>>,
    gone_reads: Unreset<Bits<5>>,
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
    #[init(Constant::new(3u64.to_bits()))]
    first_judged: Constant<Bits<5>>,
    #[init(Constant::new(18u64.to_bits()))]
    last_judged: Constant<Bits<5>>,
    #[init(Constant::new((1u64 << 23).to_bits()))]
    half: Constant<Bits<24>>,
}

#[kernel(packets_parts)]
impl<const FB: usize, const JB: usize> ReadWalk<FB, JB> {
    fn update(&mut self) {
        self.m_found.next = self.found.val();
        self.m_whole.next = self.whole.val();
        self.m_place.next = self.place.val();
        self.m_kept.next = self.kept.val();
        self.m_jobs.next = self.jobs.val();
        self.m_reads.next = self.gone_reads.val();
        comment!("what the job asks for, and how many packets that is");
        if self.take.val() {
            self.va.next = self.s_job_va.val();
            self.rkey.next = self.s_job_rkey.val();
            self.bytes.next = self.s_job_bytes.val();
        }
        self.round();
        self.rounded.next = bit_cast::<33, 32>(self.bytes.val()) + self.round_up.val();
        self.count_packets();
        comment!("a new READ, once its packets are known");
        self.stores.next = (self.stores.val() << 1) | bit_cast::<2, 1>(self.store.val().into());
        if self.store.val() {
            self.index.next = self.store_index.val();
        }
        self.end_psn.next = self.psn.val() + self.packets.val();
        self.rows.write_enable.next = self.stores.val().get_bit(1);
        self.rows.write_address.next = self.index.val();
        self.rows.write_data.next.first_psn = self.psn.val();
        self.rows.write_data.next.end_psn = self.end_psn.val();
        self.rows.write_data.next.va = self.va.val();
        self.rows.write_data.next.bytes = self.bytes.val();
        self.rows.write_data.next.rkey = self.rkey.val();
        comment!("the place and its READ");
        self.step_low.next = self.step.val().get_bits::<4>(0);
        self.not_step.next = !self.step_low.val();
        self.at.next = self.place_at.val() + self.not_step.val();
        self.rows.read_enable.next = self.walk.val();
        self.rows.read_address.next =
            (bit_cast::<JB, FB>(self.flow.val()) << 4) | bit_cast::<JB, 4>(self.at.val());
        self.at_1.next = self.at.val();
        self.row.next = self.rows.read_data.val();
        self.at_2.next = self.at_1.val();
        comment!("is the PSN in it");
        self.age.next = self.step.val() - 2;
        self.first_psn.next = self.row.val().first_psn;
        self.distance.next = self.psn.val() - self.first_psn.val();
        self.hit.next = self.searches.val()
            & !self.distance.val().get_bit(23)
            & (self.age.val() < self.known.val());
        self.same.next = self.psn.val() == self.first_psn.val();
        comment!("does the job lie in it; what is left of it is at most 2^23 packets");
        self.row_end.next = self.row.val().end_psn;
        self.row_va.next = self.row.val().va;
        self.row_key.next = self.row.val().rkey;
        self.left.next = self.row_end.val() - self.psn.val();
        self.offset.next = self.va.val() - self.row_va.val();
        self.length.next = bit_cast::<33, 32>(self.row.val().bytes);
        self.same_key.next = self.row_key.val() == self.rkey.val();
        self.offset_high.next = self.offset.val().get_bits::<32>(32);
        self.reach.next = bit_cast::<33, 32>(self.offset.val().get_bits::<32>(0))
            + bit_cast::<33, 32>(self.bytes.val());
        self.fits.next = self.same_key.val()
            & !self.offset_high.val().any()
            & (self.reach.val() <= self.length.val())
            & (self.packets.val() <= self.left.val())
            & (self.left.val() <= self.half.val());
        self.at_3.next = self.at_2.val();
        comment!("then the walk ends here");
        self.judges.next = self.walk.val() & (self.step.val() >= self.first_judged.val());
        self.m_ends.next = self.step.val() == self.last_judged.val();
        if self.hit.val() & (self.step.val() >= self.first_judged.val()) {
            self.m_ends.next = true;
        }
        self.drops.next = self.kept.val().get_bit(self.at_3.val().index());
        self.drops_read.next = self.drops.val() & self.reads.val().get_bit(self.at_3.val().index());
        if self.walk.val() {
            self.step.next = self.step.val() + 1;
        }
        if self.judges.val() {
            self.kept.next = self.kept.val().replace_bit(self.at_3.val().index(), false);
            self.place.next = self.at_3.val();
            self.found.next = self.hit.val() & self.fits.val();
            self.whole.next = self.same.val();
            if self.drops.val() {
                self.jobs.next = self.jobs.val() + 1;
            }
            if self.drops_read.val() {
                self.gone_reads.next = self.gone_reads.val() + 1;
            }
        } else if self.walk.val() {
            self.kept.next = self.waiting.val();
        }
        if self.start.val() {
            self.step.next = 0.into();
            self.jobs.next = 0.into();
            self.gone_reads.next = 0.into();
        }
    }
}
