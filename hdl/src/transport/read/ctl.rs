//! Sequencer of the READ responses: picks an operation and walks through its steps.
//!
//! # Source            hdl/transport.md
//! # Interface timing  cycle 0: an operation is picked (a row, a read error, then jobs and grants in
//!                     turn); cycle 1: its sink is ready; cycle 2: the flow's row; then one step a
//!                     cycle. Steps of a job: place, or place, 4..=19 walk, put; of a read error: the
//!                     same; of a grant: turn, pick, fetch, get, judge, emit. Where the flow has work and is not armed: turn,
//!                     pick, fetch, get, judge, pad, work. The last step is always save
//! # Latency and rate  an operation takes at most 33 cycles; it starts when the outputs that it may
//!                     fill are free, so no step waits
//! # Reset             synchronous, high: 2^FB cycles of scrub
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::streams::{Flow, Offer};
use crate::{block, kernel, Reg, Unreset};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum ReadState {
    Scrub,
    Idle,
    Take,
    Load,
    Place,
    Walk,
    Put,
    Turn,
    Pick,
    Fetch,
    Get,
    Judge,
    Emit,
    Pad,
    Work,
    Save,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum ReadOp {
    Job,
    Cfg,
    Fail,
    Grant,
}

/// Sequencer for `2^FB` flows.
#[block]
pub struct ReadCtl<const FB: usize> {
    /// A job is offered.
    pub s_job_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_job_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_job_flow: Signal<In, Bits<FB>>,
    /// It was asked for before.
    pub s_job_restart: Signal<In, Bit>,
    /// A row is offered.
    pub s_cfg: Offer<In>,
    /// 0 queue pair, 1 memory region.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// A grant is offered.
    pub s_grant: Flow<In, FB>,
    /// A read error is offered.
    pub s_fail: Flow<In, FB>,
    /// Nothing stands at m_pkt and m_read, and the end of the last job was told of.
    pub packet_free: Signal<In, Bit>,
    /// Nothing stands at m_work.
    pub work_free: Signal<In, Bit>,
    /// Nothing stands at m_end.
    pub end_free: Signal<In, Bit>,
    /// The last packet of a job was taken: its end goes out in this cycle.
    pub last_due: Signal<In, Bit>,
    /// The flow has a grant to come.
    pub armed: Signal<In, Bit>,
    /// Host memory has failed the flow.
    pub failed: Signal<In, Bit>,
    /// The read error is of a packet that was made by a row of before.
    pub is_old: Signal<In, Bit>,
    /// The flow has jobs.
    pub has_jobs: Signal<In, Bit>,
    /// It will have jobs after this packet.
    pub has_rest: Signal<In, Bit>,
    /// The walk has found the restart's place.
    pub found: Signal<In, Bit>,
    /// The walk is over.
    pub walk_ends: Signal<In, Bit>,
    /// Flow of the operation.
    pub flow: Signal<Out, Bits<FB>>,
    /// It is a job.
    pub is_job: Signal<Out, Bit>,
    /// That was asked for before.
    pub is_restart: Signal<Out, Bit>,
    /// It is a row.
    pub is_cfg: Signal<Out, Bit>,
    /// It is a read error.
    pub is_fail: Signal<Out, Bit>,
    /// It is a grant.
    pub is_grant: Signal<Out, Bit>,
    /// Step: clear this flow after reset.
    pub scrub: Signal<Out, Bit>,
    /// Step: nothing.
    pub idle: Signal<Out, Bit>,
    /// Step: look the flow up.
    pub take: Signal<Out, Bit>,
    /// Step: a memory region has a new row.
    pub revoke: Signal<Out, Bit>,
    /// Step: the flow's row is there.
    pub load: Signal<Out, Bit>,
    /// Step: a new READ goes to its place, a row into force.
    pub place: Signal<Out, Bit>,
    /// Step: the places from the newest on.
    pub walk: Signal<Out, Bit>,
    /// Step: a restart goes to its place.
    pub put: Signal<Out, Bit>,
    /// Step: the jobs in the order of their age.
    pub turn: Signal<Out, Bit>,
    /// Step: the oldest.
    pub pick: Signal<Out, Bit>,
    /// Step: look it up.
    pub fetch: Signal<Out, Bit>,
    /// Step: the job is there.
    pub get: Signal<Out, Bit>,
    /// Step: size of its next packet.
    pub judge: Signal<Out, Bit>,
    /// Step: the packet leaves.
    pub emit: Signal<Out, Bit>,
    /// Step: parts of the frame's length.
    pub pad: Signal<Out, Bit>,
    /// Step: arm the flow.
    pub work: Signal<Out, Bit>,
    /// Step: store the flow's row.
    pub save: Signal<Out, Bit>,
    #[reset(ReadState::Scrub)]
    state: Reg<ReadState>,
    op: Unreset<ReadOp>,
    flow_q: Reg<Bits<FB>>,
    restart: Unreset<Bit>,
    arms: Unreset<Bit>,
    job_turn: Reg<Bit>,
    is_region: Signal<Local, Bit>,
    job_can: Signal<Local, Bit>,
    grant_can: Signal<Local, Bit>,
    op_job: Signal<Local, Bit>,
    op_cfg: Signal<Local, Bit>,
    op_fail: Signal<Local, Bit>,
    op_grant: Signal<Local, Bit>,
    #[init(Constant::new((Table::Mr as u64).to_bits()))]
    region_table: Constant<Bits<2>>,
    #[init(Constant::new(((1_u64 << FB) - 1).to_bits()))]
    last_flow: Constant<Bits<FB>>,
}

#[kernel]
impl<const FB: usize> ReadCtl<FB> {
    fn update(&mut self) {
        self.outputs();
        self.steps();
    }

    fn outputs(&mut self) {
        self.op_job.next = self.op.val() == ReadOp::Job;
        self.op_cfg.next = self.op.val() == ReadOp::Cfg;
        self.op_fail.next = self.op.val() == ReadOp::Fail;
        self.op_grant.next = self.op.val() == ReadOp::Grant;
        self.flow.next = self.flow_q.val();
        self.is_job.next = self.op_job.val();
        self.is_restart.next = self.restart.val();
        self.is_cfg.next = self.op_cfg.val();
        self.is_fail.next = self.op_fail.val();
        self.is_grant.next = self.op_grant.val();
        self.scrub.next = self.state.val() == ReadState::Scrub;
        self.idle.next = self.state.val() == ReadState::Idle;
        self.take.next = self.state.val() == ReadState::Take;
        self.load.next = self.state.val() == ReadState::Load;
        self.place.next = self.state.val() == ReadState::Place;
        self.walk.next = self.state.val() == ReadState::Walk;
        self.put.next = self.state.val() == ReadState::Put;
        self.turn.next = self.state.val() == ReadState::Turn;
        self.pick.next = self.state.val() == ReadState::Pick;
        self.fetch.next = self.state.val() == ReadState::Fetch;
        self.get.next = self.state.val() == ReadState::Get;
        self.judge.next = self.state.val() == ReadState::Judge;
        self.emit.next = self.state.val() == ReadState::Emit;
        self.pad.next = self.state.val() == ReadState::Pad;
        self.work.next = self.state.val() == ReadState::Work;
        self.save.next = self.state.val() == ReadState::Save;
        self.s_job_ready.next = (self.state.val() == ReadState::Take) & self.op_job.val();
        self.s_cfg.ready.next = (self.state.val() == ReadState::Take) & self.op_cfg.val();
        self.s_fail.ready.next = (self.state.val() == ReadState::Take) & self.op_fail.val();
        self.s_grant.ready.next = (self.state.val() == ReadState::Take) & self.op_grant.val();
        self.is_region.next = self.cfg_table.val() == self.region_table.val();
        self.revoke.next =
            (self.state.val() == ReadState::Load) & self.op_cfg.val() & self.restart.val();
        self.job_can.next = self.s_job_valid.val() & self.end_free.val() & self.work_free.val();
        self.grant_can.next = self.s_grant.valid.val()
            & self.packet_free.val()
            & self.end_free.val()
            & self.work_free.val();
    }

    fn steps(&mut self) {
        match self.state.val() {
            ReadState::Scrub => {
                self.flow_q.next = self.flow_q.val() + 1;
                if self.flow_q.val() == self.last_flow.val() {
                    self.state.next = ReadState::Idle;
                }
            }
            ReadState::Idle => {
                self.arms.next = false;
                if self.last_due.val() {
                    comment!("m_end is taken in this cycle");
                } else if self.s_cfg.valid.val() & self.end_free.val() {
                    self.op.next = ReadOp::Cfg;
                    self.flow_q.next = self.cfg_index.val().get_bits::<FB>(0);
                    self.state.next = ReadState::Take;
                } else if self.s_fail.valid.val() & self.end_free.val() {
                    self.op.next = ReadOp::Fail;
                    self.flow_q.next = self.s_fail.flow.val();
                    self.state.next = ReadState::Take;
                } else if self.job_can.val() & (self.job_turn.val() | !self.grant_can.val()) {
                    self.op.next = ReadOp::Job;
                    self.flow_q.next = self.s_job_flow.val();
                    self.state.next = ReadState::Take;
                    self.job_turn.next = false;
                } else if self.grant_can.val() {
                    self.op.next = ReadOp::Grant;
                    self.flow_q.next = self.s_grant.flow.val();
                    self.state.next = ReadState::Take;
                    self.job_turn.next = true;
                }
            }
            ReadState::Take => {
                comment!("Of a row: whether it is a region's.");
                self.restart.next = self.s_job_restart.val();
                if self.op_cfg.val() {
                    self.restart.next = self.is_region.val();
                }
                self.state.next = ReadState::Load;
            }
            ReadState::Load => {
                self.state.next = ReadState::Place;
                if self.op_cfg.val() & self.restart.val() {
                    self.state.next = ReadState::Idle;
                } else if self.op_grant.val() {
                    self.state.next = ReadState::Turn;
                }
            }
            ReadState::Place => {
                self.arms.next = true;
                self.state.next = ReadState::Save;
                if self.op_fail.val() & !self.is_old.val() {
                    self.state.next = ReadState::Walk;
                } else if self.op_job.val() & !self.failed.val() {
                    if self.restart.val() {
                        self.state.next = ReadState::Walk;
                    } else if !self.armed.val() {
                        self.state.next = ReadState::Turn;
                    }
                }
            }
            ReadState::Walk => {
                self.arms.next = true;
                if self.walk_ends.val() {
                    self.state.next = ReadState::Put;
                }
            }
            ReadState::Put => {
                self.state.next = ReadState::Save;
                if self.found.val() & !self.armed.val() {
                    self.state.next = ReadState::Turn;
                }
            }
            ReadState::Turn => {
                comment!(
                    "A grant for a flow that has not asked, or has nothing any more, is void."
                );
                self.state.next = ReadState::Pick;
                if !self.arms.val() & (!self.armed.val() | !self.has_jobs.val()) {
                    self.state.next = ReadState::Save;
                }
            }
            ReadState::Pick => {
                self.state.next = ReadState::Fetch;
            }
            ReadState::Fetch => {
                self.state.next = ReadState::Get;
            }
            ReadState::Get => {
                self.state.next = ReadState::Judge;
            }
            ReadState::Judge => {
                self.state.next = ReadState::Emit;
                if self.arms.val() {
                    self.state.next = ReadState::Pad;
                }
            }
            ReadState::Emit => {
                self.arms.next = true;
                self.state.next = ReadState::Save;
                if self.has_rest.val() {
                    self.state.next = ReadState::Turn;
                }
            }
            ReadState::Pad => {
                self.state.next = ReadState::Work;
            }
            ReadState::Work => {
                self.state.next = ReadState::Save;
            }
            ReadState::Save => {
                self.state.next = ReadState::Idle;
            }
        }
    }
}
