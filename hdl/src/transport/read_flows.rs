//! Rows of the flows in the READ responses: which of a flow's last 16 READs wait for an answer.
//!
//! # Source            ARCHITECTURE.md, READ responses
//! # Interface timing  steps as `read_ctl` has them; the row is there from load + 1 on
//! # Number formats    row | place of the next READ \[3:0\], READs so far \[8:4\] (16: or more),
//!                     waiting \[24:9\], of them no restarts \[40:25\], armed \[41\], failed \[42\],
//!                     log2(MTU)-8 \[45:43\], telemetry \[46\], mark \[50:47\]: one more with each row,
//!                     modulo 16
//! # Rules             a READ has the place behind its predecessor's, modulo 16. A restart goes to the
//!                     place of the READ that its PSN is in, and the places behind it are empty then.
//!                     So jobs wait in the order of their PSNs, and the oldest is next
//! # Reset             synchronous, high: rows are cleared by scrub
//! # Twins             sim/src/golden/transport/read_reply.rs, tests/read_reply.rs

use super::read_walk::ReadWalk;
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Rows of `2^FB` flows with 16 READs each; `JB = FB + 4`.
#[derive(LogicBlock)]
pub struct ReadFlows<const FB: usize, const JB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// It is a job.
    pub is_job: Signal<In, Bit>,
    /// That was asked for before.
    pub is_restart: Signal<In, Bit>,
    /// It is a row.
    pub is_cfg: Signal<In, Bit>,
    /// It is a read error.
    pub is_fail: Signal<In, Bit>,
    /// It is a grant.
    pub is_grant: Signal<In, Bit>,
    /// PSN of the job.
    pub psn: Signal<In, Bits<24>>,
    /// Virtual address of the job that is taken.
    pub s_job_va: Signal<In, Bits<64>>,
    /// Its remote key.
    pub s_job_rkey: Signal<In, Bits<32>>,
    /// Its bytes.
    pub s_job_bytes: Signal<In, Bits<32>>,
    /// Mark of the packet whose read error is taken.
    pub s_fail_mark: Signal<In, Bits<4>>,
    /// The row of a queue pair.
    pub cfg_row: Signal<In, Bits<512>>,
    /// Step: clear this flow after reset.
    pub scrub: Signal<In, Bit>,
    /// Step: look the flow up.
    pub take: Signal<In, Bit>,
    /// Step: the flow's row is there.
    pub load: Signal<In, Bit>,
    /// Step: a new READ goes to its place, a row into force.
    pub place: Signal<In, Bit>,
    /// Step: the places from the newest on.
    pub walk: Signal<In, Bit>,
    /// Step: a restart goes to its place.
    pub put: Signal<In, Bit>,
    /// Step: the jobs in the order of their age.
    pub turn: Signal<In, Bit>,
    /// Step: the oldest.
    pub pick: Signal<In, Bit>,
    /// Step: the packet leaves.
    pub emit: Signal<In, Bit>,
    /// The job ends with the packet.
    pub emit_ends: Signal<In, Bit>,
    /// Step: arm the flow.
    pub work: Signal<In, Bit>,
    /// Step: store the flow's row.
    pub save: Signal<In, Bit>,
    /// The flow has a grant to come.
    pub armed: Signal<Out, Bit>,
    /// Host memory has failed the flow.
    pub failed: Signal<Out, Bit>,
    /// The flow has jobs.
    pub has_jobs: Signal<Out, Bit>,
    /// It has others than the one that was picked.
    pub has_others: Signal<Out, Bit>,
    /// log2(MTU) - 8.
    pub mtu_code: Signal<Out, Bits<3>>,
    /// Frames carry telemetry.
    pub telemetry: Signal<Out, Bit>,
    /// Mark of the flow's row.
    pub mark: Signal<Out, Bits<4>>,
    /// The read error is of a packet that was made by a row of before.
    pub is_old: Signal<Out, Bit>,
    /// The walk is over.
    pub walk_ends: Signal<Out, Bit>,
    /// It has found the restart's place.
    pub found: Signal<Out, Bit>,
    /// The restart's PSN is the READ's first.
    pub whole: Signal<Out, Bit>,
    /// Jobs that the walk gave up.
    pub walk_jobs: Signal<Out, Bits<5>>,
    /// Those that were no restarts.
    pub walk_reads: Signal<Out, Bits<5>>,
    /// Place of the job that was picked.
    pub slot_at: Signal<Out, Bits<4>>,
    /// Place of the next READ.
    pub next_at: Signal<Out, Bits<4>>,
    /// Place of the READ that was found.
    pub found_at: Signal<Out, Bits<4>>,
    /// A job waits at the place of the next READ.
    pub displaces: Signal<Out, Bit>,
    /// It is no restart.
    pub displaces_read: Signal<Out, Bit>,
    /// The job that was picked is no restart.
    pub picked_read: Signal<Out, Bit>,
    rows: Ram<FB, 51>,
    walker: ReadWalk<FB, JB>,
    place_at: DFF<Bits<4>>,
    known: DFF<Bits<5>>,
    waiting: DFF<Bits<16>>,
    reads: DFF<Bits<16>>,
    armed_q: DFF<Bit>,
    failed_q: DFF<Bit>,
    code: DFF<Bits<3>>,
    tel: DFF<Bit>,
    new_code: DFF<Bits<3>>,
    new_tel: DFF<Bit>,
    mark_q: DFF<Bits<4>>,
    fail_mark: DFF<Bits<4>>,
    turned: DFF<Bits<16>>,
    slot: DFF<Bits<4>>,
    others: DFF<Bits<16>>,
    others_wait: DFF<Bit>,
    slot_read: DFF<Bit>,
    stored: Signal<Local, Bit>,
    row_in: Signal<Local, Bits<51>>,
    row_out: Signal<Local, Bits<51>>,
    twice: Signal<Local, Bits<32>>,
    shifted: Signal<Local, Bits<32>>,
    negative: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    odd_bits: Signal<Local, Bits<16>>,
    pair_bits: Signal<Local, Bits<16>>,
    four_bits: Signal<Local, Bits<16>>,
    eight_bits: Signal<Local, Bits<16>>,
    age: Signal<Local, Bits<4>>,
    zero: Constant<Bits<16>>,
    odd: Constant<Bits<16>>,
    pairs: Constant<Bits<16>>,
    fours: Constant<Bits<16>>,
    eights: Constant<Bits<16>>,
}

impl<const FB: usize, const JB: usize> Default for ReadFlows<FB, JB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            flow: Default::default(),
            is_job: Default::default(),
            is_restart: Default::default(),
            is_cfg: Default::default(),
            is_fail: Default::default(),
            is_grant: Default::default(),
            psn: Default::default(),
            s_job_va: Default::default(),
            s_job_rkey: Default::default(),
            s_job_bytes: Default::default(),
            s_fail_mark: Default::default(),
            cfg_row: Default::default(),
            scrub: Default::default(),
            take: Default::default(),
            load: Default::default(),
            place: Default::default(),
            walk: Default::default(),
            put: Default::default(),
            turn: Default::default(),
            pick: Default::default(),
            emit: Default::default(),
            emit_ends: Default::default(),
            work: Default::default(),
            save: Default::default(),
            armed: Default::default(),
            failed: Default::default(),
            has_jobs: Default::default(),
            has_others: Default::default(),
            mtu_code: Default::default(),
            telemetry: Default::default(),
            mark: Default::default(),
            is_old: Default::default(),
            walk_ends: Default::default(),
            found: Default::default(),
            whole: Default::default(),
            walk_jobs: Default::default(),
            walk_reads: Default::default(),
            slot_at: Default::default(),
            next_at: Default::default(),
            found_at: Default::default(),
            displaces: Default::default(),
            displaces_read: Default::default(),
            picked_read: Default::default(),
            rows: Default::default(),
            walker: Default::default(),
            place_at: Default::default(),
            known: Default::default(),
            waiting: Default::default(),
            reads: Default::default(),
            armed_q: Default::default(),
            failed_q: Default::default(),
            code: Default::default(),
            tel: Default::default(),
            new_code: Default::default(),
            new_tel: Default::default(),
            mark_q: Default::default(),
            fail_mark: Default::default(),
            turned: Default::default(),
            slot: Default::default(),
            others: Default::default(),
            others_wait: Default::default(),
            slot_read: Default::default(),
            stored: Default::default(),
            row_in: Default::default(),
            row_out: Default::default(),
            twice: Default::default(),
            shifted: Default::default(),
            negative: Default::default(),
            lowest: Default::default(),
            odd_bits: Default::default(),
            pair_bits: Default::default(),
            four_bits: Default::default(),
            eight_bits: Default::default(),
            age: Default::default(),
            zero: Constant::new(0u64.to_bits()),
            odd: Constant::new(0xaaaau64.to_bits()),
            pairs: Constant::new(0xccccu64.to_bits()),
            fours: Constant::new(0xf0f0u64.to_bits()),
            eights: Constant::new(0xff00u64.to_bits()),
        }
    }
}

impl<const FB: usize, const JB: usize> Logic for ReadFlows<FB, JB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            place_at,
            known,
            waiting,
            reads,
            armed_q,
            failed_q,
            code,
            tel,
            new_code,
            new_tel,
            mark_q,
            fail_mark,
            turned,
            slot,
            others,
            others_wait,
            slot_read
        );
        self.armed.next = self.armed_q.q.val();
        self.failed.next = self.failed_q.q.val();
        self.has_jobs.next = self.waiting.q.val().any();
        self.mtu_code.next = self.code.q.val();
        self.telemetry.next = self.tel.q.val();
        self.mark.next = self.mark_q.q.val();
        self.is_old.next = self.mark_q.q.val() != self.fail_mark.q.val();
        self.displaces.next = self.waiting.q.val().get_bit(self.place_at.q.val().index());
        self.displaces_read.next = self.reads.q.val().get_bit(self.place_at.q.val().index());
        comment!("The job that was picked stands for four steps before its packet leaves.");
        self.slot_read.d.next = self.reads.q.val().get_bit(self.slot.q.val().index());
        self.picked_read.next = self.slot_read.q.val();
        self.others.d.next = self.waiting.q.val().replace_bit(self.slot.q.val().index(), false);
        self.others_wait.d.next = self.others.q.val().any();
        self.has_others.next = self.others_wait.q.val();
        self.slot_at.next = self.slot.q.val();
        self.next_at.next = self.place_at.q.val();
        self.found_at.next = self.walker.m_place.val();
        comment!("the walk");
        self.stored.next =
            self.place.val() & self.is_job.val() & !self.is_restart.val() & !self.failed_q.q.val();
        self.walker.clock.next = self.clock.val();
        self.walker.store.next = self.stored.val();
        self.walker.store_index.next =
            (bit_cast::<JB, FB>(self.flow.val()) << 4) | bit_cast::<JB, 4>(self.place_at.q.val());
        self.walker.psn.next = self.psn.val();
        self.walker.take.next = self.take.val();
        self.walker.s_job_va.next = self.s_job_va.val();
        self.walker.s_job_rkey.next = self.s_job_rkey.val();
        self.walker.s_job_bytes.next = self.s_job_bytes.val();
        self.walker.mtu_code.next = self.code.q.val();
        self.walker.start.next = self.load.val();
        self.walker.walk.next = self.walk.val();
        self.walker.searches.next = self.is_job.val();
        self.walker.flow.next = self.flow.val();
        self.walker.place_at.next = self.place_at.q.val();
        self.walker.known.next = self.known.q.val();
        self.walker.waiting.next = self.waiting.q.val();
        self.walker.reads.next = self.reads.q.val();
        self.walk_ends.next = self.walker.m_ends.val();
        self.found.next = self.walker.m_found.val();
        self.whole.next = self.walker.m_whole.val();
        self.walk_jobs.next = self.walker.m_jobs.val();
        self.walk_reads.next = self.walker.m_reads.val();
        comment!(
            "the oldest job: the first from the place of the next READ on, which is 16 READs ago"
        );
        self.twice.next = bit_cast::<32, 16>(self.waiting.q.val())
            | (bit_cast::<32, 16>(self.waiting.q.val()) << 16);
        self.shifted.next = self.twice.val() >> self.place_at.q.val();
        if self.turn.val() {
            self.turned.d.next = self.shifted.val().get_bits::<16>(0);
        }
        self.negative.next = self.zero.val() - self.turned.q.val();
        self.lowest.next = self.turned.q.val() & self.negative.val();
        self.odd_bits.next = self.lowest.val() & self.odd.val();
        self.pair_bits.next = self.lowest.val() & self.pairs.val();
        self.four_bits.next = self.lowest.val() & self.fours.val();
        self.eight_bits.next = self.lowest.val() & self.eights.val();
        self.age.next = 0.into();
        self.age.next = self.age.val().replace_bit(0, self.odd_bits.val().any());
        self.age.next = self.age.val().replace_bit(1, self.pair_bits.val().any());
        self.age.next = self.age.val().replace_bit(2, self.four_bits.val().any());
        self.age.next = self.age.val().replace_bit(3, self.eight_bits.val().any());
        if self.pick.val() {
            self.slot.d.next = self.place_at.q.val() + self.age.val();
        }
        comment!("the row");
        self.rows.clock.next = self.clock.val();
        self.rows.read_enable.next = self.take.val();
        self.rows.read_address.next = self.flow.val();
        self.row_in.next = self.rows.read_data.val();
        if self.take.val() {
            self.new_code.d.next = self.cfg_row.val().get_bits::<3>(4);
            self.new_tel.d.next = self.cfg_row.val().get_bit(1);
            self.fail_mark.d.next = self.s_fail_mark.val();
        }
        if self.load.val() {
            self.place_at.d.next = self.row_in.val().get_bits::<4>(0);
            self.known.d.next = self.row_in.val().get_bits::<5>(4);
            self.waiting.d.next = self.row_in.val().get_bits::<16>(9);
            self.reads.d.next = self.row_in.val().get_bits::<16>(25);
            self.armed_q.d.next = self.row_in.val().get_bit(41);
            self.failed_q.d.next = self.row_in.val().get_bit(42);
            self.code.d.next = self.row_in.val().get_bits::<3>(43);
            self.tel.d.next = self.row_in.val().get_bit(46);
            self.mark_q.d.next = self.row_in.val().get_bits::<4>(47);
        }
        if self.stored.val() {
            self.place_at.d.next = self.place_at.q.val() + 1;
            self.waiting.d.next =
                self.waiting.q.val().replace_bit(self.place_at.q.val().index(), true);
            self.reads.d.next = self.reads.q.val().replace_bit(self.place_at.q.val().index(), true);
            if !self.known.q.val().get_bit(4) {
                self.known.d.next = self.known.q.val() + 1;
            }
        }
        if self.place.val() & self.is_cfg.val() {
            self.place_at.d.next = 0.into();
            self.known.d.next = 0.into();
            self.waiting.d.next = 0.into();
            self.reads.d.next = 0.into();
            self.armed_q.d.next = false;
            self.failed_q.d.next = false;
            self.code.d.next = self.new_code.q.val();
            self.tel.d.next = self.new_tel.q.val();
            self.mark_q.d.next = self.mark_q.q.val() + 1;
        }
        if self.put.val() & self.is_fail.val() {
            self.waiting.d.next = 0.into();
            self.failed_q.d.next = true;
        } else if self.put.val() & self.walker.m_found.val() {
            self.waiting.d.next =
                self.walker.m_kept.val().replace_bit(self.walker.m_place.val().index(), true);
            self.reads.d.next =
                self.reads.q.val().replace_bit(self.walker.m_place.val().index(), false);
        }
        if self.emit_ends.val() & self.emit.val() {
            self.waiting.d.next = self.others.q.val();
        }
        if self.turn.val() & self.is_grant.val() {
            self.armed_q.d.next = false;
        }
        if self.work.val() {
            self.armed_q.d.next = true;
        }
        self.row_out.next = bit_cast::<51, 4>(self.place_at.q.val())
            | (bit_cast::<51, 5>(self.known.q.val()) << 4)
            | (bit_cast::<51, 16>(self.waiting.q.val()) << 9)
            | (bit_cast::<51, 16>(self.reads.q.val()) << 25)
            | (bit_cast::<51, 3>(self.code.q.val()) << 43)
            | (bit_cast::<51, 4>(self.mark_q.q.val()) << 47);
        self.row_out.next = self.row_out.val().replace_bit(41, self.armed_q.q.val());
        self.row_out.next = self.row_out.val().replace_bit(42, self.failed_q.q.val());
        self.row_out.next = self.row_out.val().replace_bit(46, self.tel.q.val());
        self.rows.write_enable.next = self.save.val() | self.scrub.val();
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next = self.row_out.val();
        if self.scrub.val() {
            self.rows.write_data.next = 0.into();
        }
    }
}
