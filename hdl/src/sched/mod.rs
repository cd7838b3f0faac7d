//! Flow scheduler: credit pacing with an active ring, and a calendar of the last millisecond.

pub mod active_ring;
pub mod active_set;
pub mod calendar;
pub mod caller;
pub mod credit_pipe;
pub mod flow_state;
pub mod flow_table;
pub mod grant_queue;
pub mod grant_rule;
pub mod history;
pub mod line_clock;
pub mod sched_core;
pub mod scheduler;
pub mod share_pipe;
pub mod share_rows;
pub mod turns;

use crate::emit::{emit as emit_block, no_such_size, Design, EmitError};
use nic_spec::NicConfig;
use sched_core::SchedCore;
use scheduler::Scheduler;

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

/// Emits the scheduler core for the flows of `config`.
pub fn emit_core(c: &NicConfig) -> Result<Design, EmitError> {
    match c.flow_count {
        4 => emit_block("sched_core", SchedCore::<4, 2, 3, 34>::new(c), c),
        64 => emit_block("sched_core", SchedCore::<64, 6, 7, 38>::new(c), c),
        256 => emit_block("sched_core", SchedCore::<256, 8, 9, 40>::new(c), c),
        1024 => emit_block("sched_core", SchedCore::<1024, 10, 11, 42>::new(c), c),
        _ => Err(no_such_size("sched_core", c)),
    }
}
