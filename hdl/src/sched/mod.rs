//! Flow scheduler: credit pacing with an active ring.

pub mod active_ring;
pub mod credit_pipe;
pub mod flow_state;
pub mod flow_table;
pub mod grant_queue;
pub mod grant_rule;
pub mod scheduler;

use crate::emit::{emit as emit_block, no_such_size, Design, EmitError};
use nic_spec::NicConfig;
use scheduler::Scheduler;

/// Emits the scheduler for the flows of `config`.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    match config.flow_count {
        4 => emit_block("scheduler", Scheduler::<4, 2, 3>::default(), config),
        8 => emit_block("scheduler", Scheduler::<8, 3, 4>::default(), config),
        64 => emit_block("scheduler", Scheduler::<64, 6, 7>::default(), config),
        256 => emit_block("scheduler", Scheduler::<256, 8, 9>::default(), config),
        1024 => emit_block("scheduler", Scheduler::<1024, 10, 11>::default(), config),
        _ => Err(no_such_size("scheduler", config)),
    }
}
