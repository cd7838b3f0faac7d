//! Ports of the tx pipe.

use crate::events::TxEvents;
use crate::golden::transport::requester::ValidPort;
use crate::ports;
use crate::ports::Wide;
use crate::streams::{
    Ack, AnyPacket, Axis, AxisUser, FeedbackPacket, ReadError, ReadyPort, TreadyPort,
};

ports! {
    /// Inputs.
    pub struct TxPipeIn {
        pub reset: bool,
        pub cfg_local_mac: u64,
        pub cfg_local_ip: u32,
        pub cfg_pkey: u16,
        pub cfg_ttl: u8,
        /// Telemetry header of data packets, see [`super::data_header::DataHeader`].
        pub cfg_tel_data: u8,
        /// Form of telemetry in ACKs and telemetry responses: 0 none, 1 paper, 2 authors.
        pub cfg_tel_echo: u8,
        /// UDP port that marks INT-MD.
        pub cfg_tel_port: u16,
        /// IOAM asks for binary fractions of a second, without seconds.
        pub cfg_tel_time_binary: bool,
        pub cfg_tel_dscp: u8,
        pub cfg_tel_echo_dscp: u8,
        /// The receiver of data computes its window: ACKs go without telemetry.
        pub cfg_by_time: bool,
        pub s_cfg: ValidPort,
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub s_pkt: AnyPacket,
        pub s_ack: Ack,
        pub s_feedback: FeedbackPacket,
        pub s_data: AxisUser,
        pub s_host: Axis,
        pub m_axis: TreadyPort,
        pub m_fail: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct TxPipeOut {
        pub s_cfg: ReadyPort,
        pub s_pkt: ReadyPort,
        pub s_ack: ReadyPort,
        pub s_feedback: ReadyPort,
        pub s_data: TreadyPort,
        pub s_host: TreadyPort,
        pub m_axis: Axis,
        pub m_fail: ReadError,
        pub event_tx: TxEvents,
    }
}
