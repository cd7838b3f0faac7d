//! Rx pipe: from raw frames to RoCEv2 packets and the host's frames.

pub mod rx_bth;
pub mod rx_checksum;
pub mod rx_host;
pub mod rx_icrc;
pub mod rx_ip;
pub mod rx_l2;
pub mod rx_len_fix;
pub mod rx_length;
pub mod rx_opcode;
pub mod rx_payload;
pub mod rx_pipe;
pub mod rx_reason;
pub mod rx_record_fifo;
pub mod rx_records;
pub mod rx_room;
pub mod rx_stack;
pub mod rx_stack_ask;
pub mod rx_stack_hop;
pub mod rx_stack_path;
pub mod rx_stack_walk;
pub mod rx_tel;
pub mod rx_tel_records;
pub mod rx_trim;
pub mod rx_verdict;

use crate::emit::{self, Design, EmitError};
use nic_spec::config::NicConfig;

/// Emits the rx pipe; its datapath has 64 bits.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    match config.data_bits {
        64 => emit::emit("rx_pipe", rx_pipe::RxPipe::default(), config),
        _ => Err(emit::no_such_size("rx_pipe", config)),
    }
}
