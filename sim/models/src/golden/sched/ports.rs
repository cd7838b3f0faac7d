//! Pins of the schedulers.

use crate::ports;

ports! {
    /// A flow has a packet to send.
    pub struct Work {
        pub valid: bool,
        pub flow: u16,
        /// Frame bytes of the packet, at most 16383.
        pub len_bytes: u16,
        pub inflight_bytes: u32,
    }
}

ports! {
    /// A flow's bytes in flight have changed.
    pub struct Inflight {
        pub valid: bool,
        pub flow: u16,
        pub inflight_bytes: u32,
    }
}

ports! {
    /// Window and rate of a flow; `op`: 0 update, 1 create, 2 remove.
    pub struct Rate {
        pub valid: bool,
        pub flow: u16,
        pub op: u8,
        pub window_bytes: u32,
        /// UQ8.24 bytes a cycle.
        pub rate: u32,
    }
}

ports! {
    /// Ready of a sink or a source.
    pub struct Ready {
        pub ready: bool,
    }
}

ports! {
    /// A flow that may send its packet.
    pub struct Grant {
        pub valid: bool,
        pub flow: u16,
    }
}

ports! {
    /// Inputs of the scheduler.
    pub struct SchedulerIn {
        pub reset: bool,
        pub s_work: Work,
        pub s_inflight: Inflight,
        pub s_rate: Rate,
        pub m_grant: Ready,
    }
}

ports! {
    /// Outputs of the scheduler.
    pub struct SchedulerOut {
        pub s_work: Ready,
        pub s_inflight: Ready,
        pub s_rate: Ready,
        pub m_grant: Grant,
    }
}
