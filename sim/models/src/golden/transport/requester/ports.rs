//! Ports of the requester.

use crate::events::RequesterEvents;
use crate::ports;
use crate::streams::{
    AckTelemetry, Answer, Flow, FlowPulse, Order, Packet, PayloadSource, ReadError, ReadyPort, Work,
};

/// Operations of `m_order`.
pub mod order {
    /// A work request has ended.
    pub const COMPLETION: u8 = 0;
    /// The payload at hand goes to host memory.
    pub const LAND: u8 = 1;
    /// The payload at hand is discarded.
    pub const DROP: u8 = 2;
}

ports! {
    /// Valid of a stream.
    pub struct ValidPort {
        pub valid: bool,
    }
}
ports! {
    /// Inputs.
    pub struct RequesterIn {
        pub reset: bool,
        pub s_ack: Answer,
        pub s_cfg: ValidPort,
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: crate::ports::Wide<8>,
        pub hint: FlowPulse,
        pub cfg_tel_data: u8,
        /// PSNs from one packet with telemetry to the next: 0, 1 each; 255 once a round trip.
        pub cfg_tel_every: u8,
        pub cfg_sq_scale: u8,
        pub s_grant: Flow,
        pub watch_valid: bool,
        pub watch_ready: bool,
        pub watch_reply: bool,
        pub watch_flow: u16,
        pub watch_window: u32,
        pub s_fail: ReadError,
        pub m_pkt: ReadyPort,
        pub m_read: ReadyPort,
        pub m_work: ReadyPort,
        pub m_cc: ReadyPort,
        pub m_order: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct RequesterOut {
        pub s_ack: ReadyPort,
        pub s_cfg: ReadyPort,
        pub s_grant: ReadyPort,
        pub s_fail: ReadyPort,
        pub m_pkt: Packet,
        pub m_read: PayloadSource,
        pub m_work: Work,
        pub m_cc: AckTelemetry,
        pub m_order: Order,
        pub event_reqr: RequesterEvents,
    }
}
