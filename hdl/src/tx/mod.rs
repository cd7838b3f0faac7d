//! Tx pipe: frames from packets, ACKs and host frames.

use crate::emit::{emit as emit_block, no_such_size, Design, EmitError};
use nic_spec::config::NicConfig;

pub mod tx_delay;
pub mod tx_header;
pub mod tx_pack;
pub mod tx_piece;
pub mod tx_pipe;
pub mod tx_room;
pub mod tx_seq;

/// Emits the tx pipe in the sizes of a configuration.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    use tx_pipe::TxPipe;
    match (config.data_bits, config.flow_count) {
        (64, 4) => emit_block("tx_pipe", TxPipe::<2, 3>::default(), config),
        (64, 8) => emit_block("tx_pipe", TxPipe::<3, 4>::default(), config),
        (64, 64) => emit_block("tx_pipe", TxPipe::<6, 7>::default(), config),
        (64, 256) => emit_block("tx_pipe", TxPipe::<8, 9>::default(), config),
        (64, 1024) => emit_block("tx_pipe", TxPipe::<10, 11>::default(), config),
        _ => Err(no_such_size("tx_pipe", config)),
    }
}
