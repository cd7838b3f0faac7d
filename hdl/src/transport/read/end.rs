//! Ends of jobs of the READ responses, towards the responder.
//!
//! # Source            hdl/transport.md
//! # Interface timing  steps as `read_ctl` has them; m_end stands from the next cycle on. The end of
//!                     a job whose last packet leaves goes to m_end in an idle cycle, once the packet
//!                     was taken
//! # Number formats    m_end_jobs | 0..=16; m_end_reads | 0..=m_end_jobs
//! # Reset             synchronous, high: all outputs 0
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::streams::ReadJobEnd;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Ends of jobs of `2^FB` flows.
#[block]
pub struct ReadEnd<const FB: usize> {
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// It is a job.
    pub is_job: Signal<In, Bit>,
    /// That was asked for before.
    pub is_restart: Signal<In, Bit>,
    /// It is a row.
    pub is_cfg: Signal<In, Bit>,
    /// Host memory has failed the flow.
    pub failed: Signal<In, Bit>,
    /// Step: nothing.
    pub idle: Signal<In, Bit>,
    /// Step: a new READ goes to its place, a row into force.
    pub place: Signal<In, Bit>,
    /// A job waits there.
    pub displaces: Signal<In, Bit>,
    /// It is no restart.
    pub displaces_read: Signal<In, Bit>,
    /// Step: a restart goes to its place.
    pub put: Signal<In, Bit>,
    /// It was found.
    pub found: Signal<In, Bit>,
    /// Jobs that the walk gave up.
    pub walk_jobs: Signal<In, Bits<5>>,
    /// Those that were no restarts.
    pub walk_reads: Signal<In, Bits<5>>,
    /// Step: the packet leaves.
    pub emit: Signal<In, Bit>,
    /// The job is no restart.
    pub picked_read: Signal<In, Bit>,
    /// Its region has a new row: no packet leaves.
    pub dead: Signal<In, Bit>,
    /// The packet is the last of its job.
    pub last: Signal<In, Bit>,
    /// In an idle cycle the end of the last job goes out.
    pub last_due: Signal<In, Bit>,
    /// Nothing stands at m_end.
    pub end_free: Signal<Out, Bit>,
    /// A job's last packet has left, its end was not told of.
    pub last_waits: Signal<Out, Bit>,
    /// Jobs have ended, or a row is in force.
    pub m_end: ReadJobEnd<Out, FB>,
    /// A READ was asked for again.
    pub event_read_restart: Signal<Out, Bit>,
    /// A job was given up.
    pub event_read_dropped: Signal<Out, Bit>,
    valid: Reg<Bit>,
    end_flow: Reg<Bits<FB>>,
    jobs: Reg<Bits<5>>,
    reads: Reg<Bits<5>>,
    error: Reg<Bit>,
    cleared: Reg<Bit>,
    last_q: Reg<Bit>,
    last_flow: Unreset<Bits<FB>>,
    last_read: Unreset<Bit>,
    e_restart: Reg<Bit>,
    e_dropped: Reg<Bit>,
    one: Signal<Local, Bit>,
    some: Signal<Local, Bit>,
    one_read: Signal<Local, Bit>,
    one_reads: Signal<Local, Bits<5>>,
    last_reads: Signal<Local, Bits<5>>,
}

impl<const FB: usize> Logic for ReadEnd<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_end.valid.next = self.valid.val();
        self.m_end.flow.next = self.end_flow.val();
        self.m_end.jobs.next = self.jobs.val();
        self.m_end.reads.next = self.reads.val();
        self.m_end.error.next = self.error.val();
        self.m_end.cleared.next = self.cleared.val();
        self.event_read_restart.next = self.e_restart.val();
        self.event_read_dropped.next = self.e_dropped.val();
        self.end_free.next = !self.valid.val();
        self.last_waits.next = self.last_q.val();
        self.e_dropped.next = false;
        if self.m_end.ready.val() {
            self.valid.next = false;
        }
        comment!("one job of the operation's flow");
        self.one.next = false;
        self.one_read.next = false;
        if self.place.val() & self.is_job.val() & self.failed.val() {
            self.one.next = true;
            self.one_read.next = !self.is_restart.val();
        } else if self.place.val() & self.is_job.val() & !self.is_restart.val() {
            self.one.next = self.displaces.val();
            self.one_read.next = self.displaces_read.val();
        } else if self.put.val() & self.is_job.val() {
            self.one.next = !self.found.val();
        } else if self.emit.val() {
            self.one.next = self.dead.val();
            self.one_read.next = self.picked_read.val();
        }
        self.one_reads.next = 0.into();
        self.one_reads.next = self.one_reads.val().replace_bit(0, self.one_read.val());
        self.last_reads.next = 0.into();
        self.last_reads.next = self.last_reads.val().replace_bit(0, self.last_read.val());
        if self.one.val() {
            self.valid.next = true;
            self.end_flow.next = self.flow.val();
            self.jobs.next = 1.into();
            self.reads.next = self.one_reads.val();
            self.error.next = false;
            self.cleared.next = false;
            self.e_dropped.next = true;
        }
        comment!("more than one: a restart's or a failed flow's");
        self.some.next = self.walk_jobs.val().any();
        self.e_restart.next = self.put.val() & self.is_job.val() & self.found.val();
        if self.put.val() & (!self.is_job.val() | (self.found.val() & self.some.val())) {
            self.valid.next = true;
            self.end_flow.next = self.flow.val();
            self.jobs.next = self.walk_jobs.val();
            self.reads.next = self.walk_reads.val();
            self.error.next = !self.is_job.val();
            self.cleared.next = false;
            self.e_dropped.next = self.some.val() & !self.is_job.val();
        }
        if self.place.val() & self.is_cfg.val() {
            self.valid.next = true;
            self.end_flow.next = self.flow.val();
            self.jobs.next = 0.into();
            self.reads.next = 0.into();
            self.error.next = false;
            self.cleared.next = true;
            if self.last_flow.val() == self.flow.val() {
                self.last_q.next = false;
            }
        }
        comment!("the last packet of a job");
        if self.emit.val() & !self.dead.val() {
            self.last_q.next = self.last.val();
            self.last_flow.next = self.flow.val();
            self.last_read.next = self.picked_read.val();
        }
        if self.idle.val() & self.last_due.val() {
            self.valid.next = true;
            self.end_flow.next = self.last_flow.val();
            self.jobs.next = 1.into();
            self.reads.next = self.last_reads.val();
            self.error.next = false;
            self.cleared.next = false;
            self.last_q.next = false;
        }
    }
}
