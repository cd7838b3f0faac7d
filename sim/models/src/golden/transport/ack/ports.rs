//! Pins of `ack_gen`.

use crate::golden::transport::read::reply::{EndPorts, JobPorts};
use crate::ports;

ports! {
    /// Telemetry of one packet.
    pub struct Tel {
        pub valid: bool,
        /// Records; 6 = more than five.
        pub hops: u8,
        pub path: u16,
        pub hop: [u64; 5],
    }
}

ports! {
    /// End of a DMA write command.
    pub struct DoneIn {
        pub valid: bool,
        /// See [`Tag`].
        pub tag: u128,
        /// Host memory refused the write.
        pub error: bool,
    }
}

ports! {
    /// ACK or NAK on its way to the tx pipe.
    pub struct AckOut {
        pub valid: bool,
        pub flow: u16,
        pub syndrome: u8,
        pub msn: u32,
        pub psn: u32,
        pub tel: Tel,
    }
}

ports! {
    /// Completion of a WRITE with immediate.
    pub struct CqeOut {
        pub valid: bool,
        pub kind: u8,
        pub status: u8,
        pub flow: u16,
        pub wr_id: u32,
        pub imm: u32,
        pub byte_len: u32,
    }
}

ports! {
    /// Answers of the congestion control as they pass.
    pub struct HopWatch {
        pub valid: bool,
        pub ready: bool,
        /// It is about the peer's data.
        pub peer: bool,
        pub flow: u16,
        /// 0: an update, else a command.
        pub op: u8,
        /// Hop with the largest u'; 7: none.
        pub worst_hop: u8,
    }
}

ports! {
    /// Inputs.
    pub struct AckGenIn {
        pub reset: bool,
        pub s_done: DoneIn,
        pub s_end: EndPorts,
        /// Of the oldest READ whose command has not ended.
        pub s_read_addr: u64,
        pub s_read_va: u64,
        pub s_read_rkey: u32,
        /// Hold the telemetry of the packet that is looked at.
        pub tel_take: bool,
        pub s_tel: Tel,
        /// It was accepted: keep what is held, if it is telemetry.
        pub tel_store: bool,
        /// The flow has telemetry.
        pub tel_enable: bool,
        pub tel_flow: u16,
        /// ACKs echo the record of the most loaded hop alone.
        pub cfg_worst_hop: bool,
        pub watch: HopWatch,
        pub cfg_rnr_timer: u8,
        pub m_ack_ready: bool,
        pub m_cqe_ready: bool,
        pub m_job_ready: bool,
    }
}

ports! {
    /// Outputs.
    pub struct AckGenOut {
        pub s_done_ready: bool,
        pub s_end_ready: bool,
        pub s_read_ready: bool,
        pub m_ack: AckOut,
        pub m_cqe: CqeOut,
        pub m_job: JobPorts,
        /// A command has been dealt with.
        pub retired: bool,
        /// It belonged to the last packet of a WRITE with immediate.
        pub retired_imm: bool,
        /// Something has ended in a flow.
        pub ended_valid: bool,
        pub ended_flow: u16,
        /// It is in error.
        pub ended_failed: bool,
        /// READs that have ended, modulo 32.
        pub ended_reads: u8,
        /// All is forgotten about a flow.
        pub cleared: bool,
        pub event_resp_accepted: bool,
        pub event_resp_nak_operation: bool,
    }
}
