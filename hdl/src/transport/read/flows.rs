//! Rows of the flows in the READ responses: which of a flow's last 16 READs wait for an answer.
//!
//! # Source            hdl/transport.md
//! # Interface timing  steps as `read_ctl` has them; the row is there from load + 1 on
//! # Number formats    row | place of the next READ \[3:0\], READs so far \[8:4\] (16: or more),
//!                     waiting \[24:9\], of them no restarts \[40:25\], armed \[41\], failed \[42\],
//!                     log2(MTU)-8 \[45:43\], telemetry \[46\], mark \[50:47\]: one more with each row,
//!                     modulo 16
//! # Rules             a READ has the place behind its predecessor's, modulo 16. A restart goes to the
//!                     place of the READ that its PSN is in, and the places behind it are empty then.
//!                     So jobs wait in the order of their PSNs, and the oldest is next
//! # Reset             synchronous, high: rows are cleared by scrub
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::rows::StagedRow;
use crate::transport::read::walk::ReadWalk;
use crate::util::ram::Ram;
use crate::{block, kernel, row, Unreset};
use rust_hdl_core::prelude::*;

/// A flow whose READs are answered.
#[row]
struct ReadFlowRow {
    place_at: Bits<4>,
    known: Bits<5>,
    waiting: Bits<16>,
    reads: Bits<16>,
    armed: Bit,
    failed: Bit,
    mtu_code: Bits<3>,
    telemetry: Bit,
    mark: Bits<4>,
}

/// Rows of `2^FB` flows with 16 READs each; `JB = FB + 4`.
#[block(no_reset)]
pub struct ReadFlows<const FB: usize, const JB: usize> {
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
    pub cfg_row: Signal<In, StagedRow>,
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
    rows: Ram<FB, ReadFlowRow>,
    walker: ReadWalk<FB, JB>,
    place_at: Unreset<Bits<4>>,
    known: Unreset<Bits<5>>,
    waiting: Unreset<Bits<16>>,
    reads: Unreset<Bits<16>>,
    armed_q: Unreset<Bit>,
    failed_q: Unreset<Bit>,
    code: Unreset<Bits<3>>,
    tel: Unreset<Bit>,
    new_code: Unreset<Bits<3>>,
    new_tel: Unreset<Bit>,
    mark_q: Unreset<Bits<4>>,
    fail_mark: Unreset<Bits<4>>,
    turned: Unreset<Bits<16>>,
    slot: Unreset<Bits<4>>,
    others: Unreset<Bits<16>>,
    others_wait: Unreset<Bit>,
    slot_read: Unreset<Bit>,
    stored: Signal<Local, Bit>,
    row_in: Signal<Local, ReadFlowRow>,
    row_out: Signal<Local, ReadFlowRow>,
    twice: Signal<Local, Bits<32>>,
    shifted: Signal<Local, Bits<32>>,
    negative: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    odd_bits: Signal<Local, Bits<16>>,
    pair_bits: Signal<Local, Bits<16>>,
    four_bits: Signal<Local, Bits<16>>,
    eight_bits: Signal<Local, Bits<16>>,
    age: Signal<Local, Bits<4>>,
    #[init(Constant::new(0u64.to_bits()))]
    zero: Constant<Bits<16>>,
    #[init(Constant::new(0xaaaau64.to_bits()))]
    odd: Constant<Bits<16>>,
    #[init(Constant::new(0xccccu64.to_bits()))]
    pairs: Constant<Bits<16>>,
    #[init(Constant::new(0xf0f0u64.to_bits()))]
    fours: Constant<Bits<16>>,
    #[init(Constant::new(0xff00u64.to_bits()))]
    eights: Constant<Bits<16>>,
}

#[kernel]
impl<const FB: usize, const JB: usize> ReadFlows<FB, JB> {
    fn update(&mut self) {
        self.armed.next = self.armed_q.val();
        self.failed.next = self.failed_q.val();
        self.has_jobs.next = self.waiting.val().any();
        self.mtu_code.next = self.code.val();
        self.telemetry.next = self.tel.val();
        self.mark.next = self.mark_q.val();
        self.is_old.next = self.mark_q.val() != self.fail_mark.val();
        self.displaces.next = self.waiting.val().get_bit(self.place_at.val().index());
        self.displaces_read.next = self.reads.val().get_bit(self.place_at.val().index());
        self.picked();
        self.walk();
        self.oldest();
        self.row();
    }

    /// The job that was picked stands for four steps before its packet leaves.
    fn picked(&mut self) {
        self.slot_read.next = self.reads.val().get_bit(self.slot.val().index());
        self.picked_read.next = self.slot_read.val();
        self.others.next = self.waiting.val().replace_bit(self.slot.val().index(), false);
        self.others_wait.next = self.others.val().any();
        self.has_others.next = self.others_wait.val();
        self.slot_at.next = self.slot.val();
        self.next_at.next = self.place_at.val();
        self.found_at.next = self.walker.m_place.val();
    }

    /// the walk
    fn walk(&mut self) {
        self.stored.next =
            self.place.val() & self.is_job.val() & !self.is_restart.val() & !self.failed_q.val();
        self.walker.store.next = self.stored.val();
        self.walker.store_index.next =
            (bit_cast::<JB, FB>(self.flow.val()) << 4) | bit_cast::<JB, 4>(self.place_at.val());
        self.walker.psn.next = self.psn.val();
        self.walker.take.next = self.take.val();
        self.walker.s_job_va.next = self.s_job_va.val();
        self.walker.s_job_rkey.next = self.s_job_rkey.val();
        self.walker.s_job_bytes.next = self.s_job_bytes.val();
        self.walker.mtu_code.next = self.code.val();
        self.walker.start.next = self.load.val();
        self.walker.walk.next = self.walk.val();
        self.walker.searches.next = self.is_job.val();
        self.walker.flow.next = self.flow.val();
        self.walker.place_at.next = self.place_at.val();
        self.walker.known.next = self.known.val();
        self.walker.waiting.next = self.waiting.val();
        self.walker.reads.next = self.reads.val();
        self.walk_ends.next = self.walker.m_ends.val();
        self.found.next = self.walker.m_found.val();
        self.whole.next = self.walker.m_whole.val();
        self.walk_jobs.next = self.walker.m_jobs.val();
        self.walk_reads.next = self.walker.m_reads.val();
    }

    /// the oldest job: the first from the place of the next READ on, which is 16 READs ago
    fn oldest(&mut self) {
        self.twice.next =
            bit_cast::<32, 16>(self.waiting.val()) | (bit_cast::<32, 16>(self.waiting.val()) << 16);
        self.shifted.next = self.twice.val() >> self.place_at.val();
        if self.turn.val() {
            self.turned.next = self.shifted.val().get_bits::<16>(0);
        }
        self.negative.next = self.zero.val() - self.turned.val();
        self.lowest.next = self.turned.val() & self.negative.val();
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
            self.slot.next = self.place_at.val() + self.age.val();
        }
    }

    /// the row
    fn row(&mut self) {
        self.rows.read_enable.next = self.take.val();
        self.rows.read_address.next = self.flow.val();
        self.row_in.next = self.rows.read_data.val();
        if self.take.val() {
            self.new_code.next = self.cfg_row.val().qp_mtu_code;
            self.new_tel.next = self.cfg_row.val().qp_telemetry;
            self.fail_mark.next = self.s_fail_mark.val();
        }
        if self.load.val() {
            self.place_at.next = self.row_in.val().place_at;
            self.known.next = self.row_in.val().known;
            self.waiting.next = self.row_in.val().waiting;
            self.reads.next = self.row_in.val().reads;
            self.armed_q.next = self.row_in.val().armed;
            self.failed_q.next = self.row_in.val().failed;
            self.code.next = self.row_in.val().mtu_code;
            self.tel.next = self.row_in.val().telemetry;
            self.mark_q.next = self.row_in.val().mark;
        }
        if self.stored.val() {
            self.place_at.next = self.place_at.val() + 1;
            self.waiting.next = self.waiting.val().replace_bit(self.place_at.val().index(), true);
            self.reads.next = self.reads.val().replace_bit(self.place_at.val().index(), true);
            if !self.known.val().get_bit(4) {
                self.known.next = self.known.val() + 1;
            }
        }
        if self.place.val() & self.is_cfg.val() {
            self.place_at.next = 0.into();
            self.known.next = 0.into();
            self.waiting.next = 0.into();
            self.reads.next = 0.into();
            self.armed_q.next = false;
            self.failed_q.next = false;
            self.code.next = self.new_code.val();
            self.tel.next = self.new_tel.val();
            self.mark_q.next = self.mark_q.val() + 1;
        }
        if self.put.val() & self.is_fail.val() {
            self.waiting.next = 0.into();
            self.failed_q.next = true;
        } else if self.put.val() & self.walker.m_found.val() {
            self.waiting.next =
                self.walker.m_kept.val().replace_bit(self.walker.m_place.val().index(), true);
            self.reads.next =
                self.reads.val().replace_bit(self.walker.m_place.val().index(), false);
        }
        if self.emit_ends.val() & self.emit.val() {
            self.waiting.next = self.others.val();
        }
        if self.turn.val() & self.is_grant.val() {
            self.armed_q.next = false;
        }
        if self.work.val() {
            self.armed_q.next = true;
        }
        self.row_out.next.place_at = self.place_at.val();
        self.row_out.next.known = self.known.val();
        self.row_out.next.waiting = self.waiting.val();
        self.row_out.next.reads = self.reads.val();
        self.row_out.next.mtu_code = self.code.val();
        self.row_out.next.mark = self.mark_q.val();
        self.row_out.next.armed = self.armed_q.val();
        self.row_out.next.failed = self.failed_q.val();
        self.row_out.next.telemetry = self.tel.val();
        self.rows.write_enable.next = self.save.val() | self.scrub.val();
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next = self.row_out.val();
        if self.scrub.val() {
            self.rows.write_data.next = 0.into();
        }
    }
}
