//! Sequencer of the READ responses: picks an operation and walks through its steps.
//!
//! # Source            ARCHITECTURE.md, READ responses
//! # Interface timing  cycle 0: an operation is picked (a row, a read error, then jobs and grants in
//!                     turn); cycle 1: its sink is ready; cycle 2: the flow's row; then one step a
//!                     cycle. Steps of a job: place, or place, 4..=19 walk, put; of a read error: the
//!                     same; of a grant: turn, pick, fetch, get, judge, emit. Where the flow has work and is not armed: turn,
//!                     pick, fetch, get, judge, pad, work. The last step is always save
//! # Latency and rate  an operation takes at most 33 cycles; it starts when the outputs that it may
//!                     fill are free, so no step waits
//! # Reset             synchronous, high: 2^FB cycles of scrub
//! # Twins             sim/src/golden/transport/read_reply.rs, tests/read_reply.rs

use crate::Module;
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

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
#[derive(LogicBlock)]
pub struct ReadCtl<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A job is offered.
    pub s_job_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_job_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_job_flow: Signal<In, Bits<FB>>,
    /// It was asked for before.
    pub s_job_restart: Signal<In, Bit>,
    /// A row is offered.
    pub s_cfg_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_cfg_ready: Signal<Out, Bit>,
    /// 0 queue pair, 1 memory region.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// A grant is offered.
    pub s_grant_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_grant_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_grant_flow: Signal<In, Bits<FB>>,
    /// A read error is offered.
    pub s_fail_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_fail_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_fail_flow: Signal<In, Bits<FB>>,
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
    state: DFF<ReadState>,
    op: DFF<ReadOp>,
    flow_q: DFF<Bits<FB>>,
    restart: DFF<Bit>,
    arms: DFF<Bit>,
    job_turn: DFF<Bit>,
    is_region: Signal<Local, Bit>,
    job_can: Signal<Local, Bit>,
    grant_can: Signal<Local, Bit>,
    op_job: Signal<Local, Bit>,
    op_cfg: Signal<Local, Bit>,
    op_fail: Signal<Local, Bit>,
    op_grant: Signal<Local, Bit>,
    region_table: Constant<Bits<2>>,
    last_flow: Constant<Bits<FB>>,
}

impl<const FB: usize> Default for ReadCtl<FB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_job_valid: Default::default(),
            s_job_ready: Default::default(),
            s_job_flow: Default::default(),
            s_job_restart: Default::default(),
            s_cfg_valid: Default::default(),
            s_cfg_ready: Default::default(),
            cfg_table: Default::default(),
            cfg_index: Default::default(),
            s_grant_valid: Default::default(),
            s_grant_ready: Default::default(),
            s_grant_flow: Default::default(),
            s_fail_valid: Default::default(),
            s_fail_ready: Default::default(),
            s_fail_flow: Default::default(),
            packet_free: Default::default(),
            work_free: Default::default(),
            end_free: Default::default(),
            last_due: Default::default(),
            armed: Default::default(),
            failed: Default::default(),
            is_old: Default::default(),
            has_jobs: Default::default(),
            has_rest: Default::default(),
            found: Default::default(),
            walk_ends: Default::default(),
            flow: Default::default(),
            is_job: Default::default(),
            is_restart: Default::default(),
            is_cfg: Default::default(),
            is_fail: Default::default(),
            is_grant: Default::default(),
            scrub: Default::default(),
            idle: Default::default(),
            take: Default::default(),
            revoke: Default::default(),
            load: Default::default(),
            place: Default::default(),
            walk: Default::default(),
            put: Default::default(),
            turn: Default::default(),
            pick: Default::default(),
            fetch: Default::default(),
            get: Default::default(),
            judge: Default::default(),
            emit: Default::default(),
            pad: Default::default(),
            work: Default::default(),
            save: Default::default(),
            state: Default::default(),
            op: Default::default(),
            flow_q: Default::default(),
            restart: Default::default(),
            arms: Default::default(),
            job_turn: Default::default(),
            is_region: Default::default(),
            job_can: Default::default(),
            grant_can: Default::default(),
            op_job: Default::default(),
            op_cfg: Default::default(),
            op_fail: Default::default(),
            op_grant: Default::default(),
            region_table: Constant::new((Table::Mr as u64).to_bits()),
            last_flow: Constant::new(((1_u64 << FB) - 1).to_bits()),
        }
    }
}

impl<const FB: usize> Logic for ReadCtl<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, op, flow_q, restart, arms, job_turn);
        self.op_job.next = self.op.q.val() == ReadOp::Job;
        self.op_cfg.next = self.op.q.val() == ReadOp::Cfg;
        self.op_fail.next = self.op.q.val() == ReadOp::Fail;
        self.op_grant.next = self.op.q.val() == ReadOp::Grant;
        self.flow.next = self.flow_q.q.val();
        self.is_job.next = self.op_job.val();
        self.is_restart.next = self.restart.q.val();
        self.is_cfg.next = self.op_cfg.val();
        self.is_fail.next = self.op_fail.val();
        self.is_grant.next = self.op_grant.val();
        self.scrub.next = self.state.q.val() == ReadState::Scrub;
        self.idle.next = self.state.q.val() == ReadState::Idle;
        self.take.next = self.state.q.val() == ReadState::Take;
        self.load.next = self.state.q.val() == ReadState::Load;
        self.place.next = self.state.q.val() == ReadState::Place;
        self.walk.next = self.state.q.val() == ReadState::Walk;
        self.put.next = self.state.q.val() == ReadState::Put;
        self.turn.next = self.state.q.val() == ReadState::Turn;
        self.pick.next = self.state.q.val() == ReadState::Pick;
        self.fetch.next = self.state.q.val() == ReadState::Fetch;
        self.get.next = self.state.q.val() == ReadState::Get;
        self.judge.next = self.state.q.val() == ReadState::Judge;
        self.emit.next = self.state.q.val() == ReadState::Emit;
        self.pad.next = self.state.q.val() == ReadState::Pad;
        self.work.next = self.state.q.val() == ReadState::Work;
        self.save.next = self.state.q.val() == ReadState::Save;
        self.s_job_ready.next = (self.state.q.val() == ReadState::Take) & self.op_job.val();
        self.s_cfg_ready.next = (self.state.q.val() == ReadState::Take) & self.op_cfg.val();
        self.s_fail_ready.next = (self.state.q.val() == ReadState::Take) & self.op_fail.val();
        self.s_grant_ready.next = (self.state.q.val() == ReadState::Take) & self.op_grant.val();
        self.is_region.next = self.cfg_table.val() == self.region_table.val();
        self.revoke.next =
            (self.state.q.val() == ReadState::Load) & self.op_cfg.val() & self.restart.q.val();
        self.job_can.next = self.s_job_valid.val() & self.end_free.val() & self.work_free.val();
        self.grant_can.next = self.s_grant_valid.val()
            & self.packet_free.val()
            & self.end_free.val()
            & self.work_free.val();
        match self.state.q.val() {
            ReadState::Scrub => {
                self.flow_q.d.next = self.flow_q.q.val() + 1;
                if self.flow_q.q.val() == self.last_flow.val() {
                    self.state.d.next = ReadState::Idle;
                }
            }
            ReadState::Idle => {
                self.arms.d.next = false;
                if self.last_due.val() {
                    comment!("m_end is taken in this cycle");
                } else if self.s_cfg_valid.val() & self.end_free.val() {
                    self.op.d.next = ReadOp::Cfg;
                    self.flow_q.d.next = self.cfg_index.val().get_bits::<FB>(0);
                    self.state.d.next = ReadState::Take;
                } else if self.s_fail_valid.val() & self.end_free.val() {
                    self.op.d.next = ReadOp::Fail;
                    self.flow_q.d.next = self.s_fail_flow.val();
                    self.state.d.next = ReadState::Take;
                } else if self.job_can.val() & (self.job_turn.q.val() | !self.grant_can.val()) {
                    self.op.d.next = ReadOp::Job;
                    self.flow_q.d.next = self.s_job_flow.val();
                    self.state.d.next = ReadState::Take;
                    self.job_turn.d.next = false;
                } else if self.grant_can.val() {
                    self.op.d.next = ReadOp::Grant;
                    self.flow_q.d.next = self.s_grant_flow.val();
                    self.state.d.next = ReadState::Take;
                    self.job_turn.d.next = true;
                }
            }
            ReadState::Take => {
                comment!("Of a row: whether it is a region's.");
                self.restart.d.next = self.s_job_restart.val();
                if self.op_cfg.val() {
                    self.restart.d.next = self.is_region.val();
                }
                self.state.d.next = ReadState::Load;
            }
            ReadState::Load => {
                self.state.d.next = ReadState::Place;
                if self.op_cfg.val() & self.restart.q.val() {
                    self.state.d.next = ReadState::Idle;
                } else if self.op_grant.val() {
                    self.state.d.next = ReadState::Turn;
                }
            }
            ReadState::Place => {
                self.arms.d.next = true;
                self.state.d.next = ReadState::Save;
                if self.op_fail.val() & !self.is_old.val() {
                    self.state.d.next = ReadState::Walk;
                } else if self.op_job.val() & !self.failed.val() {
                    if self.restart.q.val() {
                        self.state.d.next = ReadState::Walk;
                    } else if !self.armed.val() {
                        self.state.d.next = ReadState::Turn;
                    }
                }
            }
            ReadState::Walk => {
                self.arms.d.next = true;
                if self.walk_ends.val() {
                    self.state.d.next = ReadState::Put;
                }
            }
            ReadState::Put => {
                self.state.d.next = ReadState::Save;
                if self.found.val() & !self.armed.val() {
                    self.state.d.next = ReadState::Turn;
                }
            }
            ReadState::Turn => {
                comment!(
                    "A grant for a flow that has not asked, or has nothing any more, is void."
                );
                self.state.d.next = ReadState::Pick;
                if !self.arms.q.val() & (!self.armed.val() | !self.has_jobs.val()) {
                    self.state.d.next = ReadState::Save;
                }
            }
            ReadState::Pick => {
                self.state.d.next = ReadState::Fetch;
            }
            ReadState::Fetch => {
                self.state.d.next = ReadState::Get;
            }
            ReadState::Get => {
                self.state.d.next = ReadState::Judge;
            }
            ReadState::Judge => {
                self.state.d.next = ReadState::Emit;
                if self.arms.q.val() {
                    self.state.d.next = ReadState::Pad;
                }
            }
            ReadState::Emit => {
                self.arms.d.next = true;
                self.state.d.next = ReadState::Save;
                if self.has_rest.val() {
                    self.state.d.next = ReadState::Turn;
                }
            }
            ReadState::Pad => {
                self.state.d.next = ReadState::Work;
            }
            ReadState::Work => {
                self.state.d.next = ReadState::Save;
            }
            ReadState::Save => {
                self.state.d.next = ReadState::Idle;
            }
        }
        if self.reset.val() {
            self.state.d.next = ReadState::Scrub;
            self.flow_q.d.next = 0.into();
            self.job_turn.d.next = false;
        }
    }
}
