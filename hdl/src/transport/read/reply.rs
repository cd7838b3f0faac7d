//! READ responses of RoCEv2 RC: jobs from the responder become packets, one for each grant.
//!
//! # Source            InfiniBand architecture volume 1, sections 9.7.5.1.2 (READ responses), 9.7.4.5
//!                     (duplicates); hdl/transport.md
//! # Interface timing  an operation starts in cycle 0 and its sink is ready in cycle 1. Job of a flow
//!                     without others: m_work from cycle 11 on; of a restart: 13..=28. Grant: m_pkt,
//!                     m_read from cycle 9 on, the next m_work from cycle 16 on
//! # Latency and rate  [`JOB_CYCLES`], [`GRANT_CYCLES`]: one operation at a time
//! # Shape             2^FB flows, JB = FB + 4, 2^MB memory regions
//! # Number formats    s_job_bytes | 0..=2^31; m_pkt_payload_bytes | 0..=4096; m_end_jobs | 0..=16
//! # Rules             a flow's jobs leave in the order of their PSNs. A restart takes the place of the
//!                     READ that its PSN is in, of the last 16: jobs from there on are given up, older
//!                     ones go first. It asks for the READ or a part of it: its responses have
//!                     PSNs of the READ's, its bytes lie in those of the READ, under the same
//!                     rkey; else, and of an older READ, it is given up itself. A new row of a region
//!                     ends the jobs that were checked against its old one; a row of a queue pair and a
//!                     read error end the flow's. A read error closes the flow until its next row; one of
//!                     a packet that was made by another row of its flow, as its mark says, ends
//!                     nothing
//! # Reset             synchronous, high: readies low for 2^FB + 1 cycles
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::events::ReadEvents;
use crate::streams::{
    CommittedRow, Flow, Offer, ReadCommand, ReadError, ReadJob, ReadJobEnd, Reply, Work,
};
use crate::transport::read::{
    ctl::ReadCtl, end::ReadEnd, flows::ReadFlows, jobs::ReadJobs, out::ReadOut,
};
use crate::{block, kernel, Wire};
use rust_hdl_core::prelude::*;

/// Cycles of a job that arms its flow.
pub const JOB_CYCLES: usize = 12;
/// Cycles of a grant whose flow has more to send.
pub const GRANT_CYCLES: usize = 17;

/// READ responses of `2^FB` flows.
#[block]
pub struct ReadReply<const FB: usize, const JB: usize, const MB: usize> {
    /// A job is offered.
    pub s_job: ReadJob<In, FB>,
    /// A table row is offered, in order with the jobs.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A flow may send a packet.
    pub s_grant: Flow<In, FB>,
    /// Host memory could not be read for a packet.
    pub s_fail: ReadError<In, FB>,
    /// Telemetry: 0 none, 1 paper, 2 authors'.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// A response stands at the source.
    pub m_pkt: Reply<Out, FB>,
    /// A read command stands at the source.
    pub m_read: ReadCommand<Out>,
    /// A flow wants to send.
    pub m_work: Work<Out, FB>,
    /// Jobs have ended, or a row is in force.
    pub m_end: ReadJobEnd<Out, FB>,
    /// What it counts.
    pub event_read: ReadEvents<Out>,
    control: ReadCtl<FB>,
    flows: ReadFlows<FB, JB>,
    jobs: ReadJobs<JB, MB>,
    packets: ReadOut<FB>,
    ends: ReadEnd<FB>,
    stores_new: Signal<Local, Bit>,
    stores_again: Signal<Local, Bit>,
    ends_job: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    has_rest: Signal<Local, Bit>,
    last_due: Signal<Local, Bit>,
    at: Signal<Local, Bits<4>>,
}

#[kernel]
impl<const FB: usize, const JB: usize, const MB: usize> ReadReply<FB, JB, MB> {
    fn update(&mut self) {
        self.sinks();
        self.steps();
        self.packets();
        self.ends();
    }

    /// sinks
    fn sinks(&mut self) {
        self.control.s_job_valid.next = self.s_job.valid.val();
        self.control.s_job_flow.next = self.s_job.flow.val();
        self.control.s_job_restart.next = self.s_job.restart.val();
        Wire::join(&mut self.s_cfg, &mut self.control.s_cfg);
        self.control.cfg_table.next = self.cfg.table.val();
        self.control.cfg_index.next = self.cfg.index.val();
        Wire::join(&mut self.s_grant, &mut self.control.s_grant);
        self.control.s_fail.valid.next = self.s_fail.valid.val();
        self.control.s_fail.flow.next = self.s_fail.flow.val();
        self.s_job.ready.next = self.control.s_job_ready.val();
        self.s_fail.ready.next = self.control.s_fail.ready.val();
        self.jobs.s_job_psn.next = self.s_job.psn.val();
        self.jobs.s_job_msn.next = self.s_job.msn.val();
        self.jobs.s_job_addr.next = self.s_job.addr.val();
        self.jobs.s_job_bytes.next = self.s_job.bytes.val();
        self.jobs.s_job_region.next = self.s_job.rkey.val().get_bits::<MB>(8);
        self.flows.s_job_va.next = self.s_job.va.val();
        self.flows.s_job_rkey.next = self.s_job.rkey.val();
        self.flows.s_job_bytes.next = self.s_job.bytes.val();
        self.flows.s_fail_mark.next = self.s_fail.mark.val();
        self.jobs.cfg_index.next = self.cfg.index.val();
        self.jobs.cfg_tel_data.next = self.cfg_tel_data.val();
        self.flows.cfg_row.next = self.cfg.row.val();
    }

    /// steps
    fn steps(&mut self) {
        self.control.packet_free.next =
            self.packets.packet_free.val() & !self.ends.last_waits.val();
        self.control.work_free.next = self.packets.work_free.val();
        self.control.end_free.next = self.ends.end_free.val();
        self.last_due.next =
            self.ends.last_waits.val() & !self.packets.m_pkt.valid.val() & self.ends.end_free.val();
        self.control.last_due.next = self.last_due.val();
        self.control.armed.next = self.flows.armed.val();
        self.control.failed.next = self.flows.failed.val();
        self.control.is_old.next = self.flows.is_old.val();
        self.control.has_jobs.next = self.flows.has_jobs.val();
        self.control.found.next = self.flows.found.val();
        self.control.walk_ends.next = self.flows.walk_ends.val();
        self.ends_job.next = self.jobs.m_dead.val() | self.jobs.m_last.val();
        self.has_rest.next = self.flows.has_others.val() | !self.ends_job.val();
        self.control.has_rest.next = self.has_rest.val();
        self.flows.flow.next = self.control.flow.val();
        self.flows.is_job.next = self.control.is_job.val();
        self.flows.is_restart.next = self.control.is_restart.val();
        self.flows.is_cfg.next = self.control.is_cfg.val();
        self.flows.is_fail.next = self.control.is_fail.val();
        self.flows.is_grant.next = self.control.is_grant.val();
        self.flows.scrub.next = self.control.scrub.val();
        self.flows.take.next = self.control.take.val();
        self.flows.load.next = self.control.load.val();
        self.flows.place.next = self.control.place.val();
        self.flows.walk.next = self.control.walk.val();
        self.flows.put.next = self.control.put.val();
        self.flows.turn.next = self.control.turn.val();
        self.flows.pick.next = self.control.pick.val();
        self.flows.emit.next = self.control.emit.val();
        self.flows.work.next = self.control.work.val();
        self.flows.save.next = self.control.save.val();
        self.flows.emit_ends.next = self.ends_job.val();
        self.flows.psn.next = self.jobs.new_psn.val();
        self.jobs.take.next = self.control.take.val();
        self.jobs.is_cfg.next = self.control.is_cfg.val();
        self.jobs.revoke.next = self.control.revoke.val();
        self.jobs.fetch.next = self.control.fetch.val();
        self.jobs.get.next = self.control.get.val();
        self.jobs.judge.next = self.control.judge.val();
        self.stores_new.next = self.control.place.val()
            & self.control.is_job.val()
            & !self.control.is_restart.val()
            & !self.flows.failed.val();
        self.stores_again.next =
            self.control.put.val() & self.control.is_job.val() & self.flows.found.val();
        self.jobs.store.next = self.stores_new.val() | self.stores_again.val();
        self.jobs.store_begun.next = self.stores_again.val() & !self.flows.whole.val();
        self.sends.next = self.control.emit.val() & !self.jobs.m_dead.val();
        self.jobs.advance.next = self.sends.val();
        self.at.next = self.flows.slot_at.val();
        if self.control.place.val() {
            self.at.next = self.flows.next_at.val();
        }
        if self.control.put.val() {
            self.at.next = self.flows.found_at.val();
        }
        self.jobs.job_index.next =
            (bit_cast::<JB, FB>(self.control.flow.val()) << 4) | bit_cast::<JB, 4>(self.at.val());
        self.jobs.mtu_code.next = self.flows.mtu_code.val();
        self.jobs.telemetry.next = self.flows.telemetry.val();
    }

    /// packets
    fn packets(&mut self) {
        self.packets.flow.next = self.control.flow.val();
        self.packets.sends.next = self.sends.val();
        self.packets.psn.next = self.jobs.m_psn.val();
        self.packets.msn.next = self.jobs.m_msn.val();
        self.packets.mark.next = self.flows.mark.val();
        self.packets.addr.next = self.jobs.m_addr.val();
        self.packets.bytes.next = self.jobs.m_bytes.val();
        self.packets.begun.next = self.jobs.m_begun.val();
        self.packets.last.next = self.jobs.m_last.val();
        self.packets.frame_bytes.next = self.jobs.m_frame_bytes.val();
        self.packets.work.next = self.control.work.val();
        Wire::join(&mut self.packets.m_pkt, &mut self.m_pkt);
        Wire::join(&mut self.packets.m_read, &mut self.m_read);
        Wire::join(&mut self.packets.m_work, &mut self.m_work);
        self.event_read.packet.next = self.packets.event_read_packet.val();
    }

    /// ends
    fn ends(&mut self) {
        self.ends.flow.next = self.control.flow.val();
        self.ends.is_job.next = self.control.is_job.val();
        self.ends.is_restart.next = self.control.is_restart.val();
        self.ends.is_cfg.next = self.control.is_cfg.val();
        self.ends.idle.next = self.control.idle.val();
        self.ends.place.next = self.control.place.val();
        self.ends.put.next = self.control.put.val();
        self.ends.emit.next = self.control.emit.val();
        self.ends.failed.next = self.flows.failed.val();
        self.ends.displaces.next = self.flows.displaces.val();
        self.ends.displaces_read.next = self.flows.displaces_read.val();
        self.ends.found.next = self.flows.found.val();
        self.ends.walk_jobs.next = self.flows.walk_jobs.val();
        self.ends.walk_reads.next = self.flows.walk_reads.val();
        self.ends.picked_read.next = self.flows.picked_read.val();
        self.ends.dead.next = self.jobs.m_dead.val();
        self.ends.last.next = self.jobs.m_last.val();
        self.ends.last_due.next = self.last_due.val();
        Wire::join(&mut self.ends.m_end, &mut self.m_end);
        self.event_read.restart.next = self.ends.event_read_restart.val();
        self.event_read.dropped.next = self.ends.event_read_dropped.val();
    }
}
