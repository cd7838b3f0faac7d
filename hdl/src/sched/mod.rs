//! Flow scheduler: credit pacing with an active ring, and a calendar of the last millisecond.

pub mod active_ring;
pub mod active_set;
pub mod calendar;
pub mod caller;
pub mod credit_pipe;
pub mod engine;
pub mod engine_turns;
pub mod event_pair;
pub mod event_pairs;
pub mod flow_state;
pub mod flow_table;
pub mod grant_order;
pub mod grant_queue;
pub mod grant_rule;
pub mod history;
pub mod line_clock;
pub mod line_clock_wide;
pub mod sched_core;
pub mod scheduler;
pub mod scheduler_wide;
pub mod share_pipe;
pub mod share_rows;
pub mod turns;
pub mod visit_pipe;

use crate::emit::{emit as emit_block, no_such_size, on_a_large_stack, Design, EmitError};
use nic_spec::config::{CcSchedule, NicConfig};
use sched_core::{SchedCore, SchedCoreWide};
use scheduler::Scheduler;
use scheduler_wide::SchedulerWide;

/// Emits the scheduler for the flows of `config`.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    match config.flow_count {
        4 => emit_block("scheduler", Scheduler::<4, 2, 3, 34>::default(), config),
        8 => emit_block("scheduler", Scheduler::<8, 3, 4, 35>::default(), config),
        64 => emit_block("scheduler", Scheduler::<64, 6, 7, 38>::default(), config),
        128 => emit_block("scheduler", Scheduler::<128, 7, 8, 39>::default(), config),
        256 => emit_block("scheduler", Scheduler::<256, 8, 9, 40>::default(), config),
        1024 => emit_block("scheduler", Scheduler::<1024, 10, 11, 42>::default(), config),
        _ => Err(no_such_size("scheduler", config)),
    }
}

/// Emits the scheduler of eight engines for the flows of `config`.
pub fn emit_wide(c: &NicConfig) -> Result<Design, EmitError> {
    let name = "scheduler_wide";
    on_a_large_stack(|| match c.flow_count {
        64 => emit_block(name, SchedulerWide::<8, 3, 4, 35, 6>::default(), c),
        1024 => emit_block(name, SchedulerWide::<128, 7, 8, 39, 10>::default(), c),
        _ => Err(no_such_size(name, c)),
    })
}

fn emit_core_wide(c: &NicConfig) -> Result<Design, EmitError> {
    on_a_large_stack(|| match c.flow_count {
        64 => emit_block("sched_core", SchedCoreWide::<8, 3, 4, 35, 6>::new(c), c),
        1024 => emit_block("sched_core", SchedCoreWide::<128, 7, 8, 39, 10>::new(c), c),
        _ => Err(no_such_size("sched_core", c)),
    })
}

/// Emits the scheduler core for the flows of `config`.
pub fn emit_core(c: &NicConfig) -> Result<Design, EmitError> {
    if c.cc_schedule() == CcSchedule::AckPerCycle {
        return emit_core_wide(c);
    }
    match c.flow_count {
        4 => emit_block("sched_core", SchedCore::<4, 2, 3, 34>::new(c), c),
        64 => emit_block("sched_core", SchedCore::<64, 6, 7, 38>::new(c), c),
        256 => emit_block("sched_core", SchedCore::<256, 8, 9, 40>::new(c), c),
        1024 => emit_block("sched_core", SchedCore::<1024, 10, 11, 42>::new(c), c),
        _ => Err(no_such_size("sched_core", c)),
    }
}
