//! Ports of `hdl/src/transport/read_reply.rs`: READ responses.

use crate::ports;
use crate::ports::Wide;

ports! {
    /// A READ that was checked, once all bytes before it have landed.
    pub struct JobPorts {
        pub valid: bool,
        pub flow: u16,
        /// PSN of its first response.
        pub psn: u32,
        pub msn: u32,
        /// Where the bytes are.
        pub addr: u64,
        pub bytes: u32,
        /// It was asked for before.
        pub restart: bool,
        /// Index of its memory region.
        pub region: u16,
    }
}
ports! {
    /// What has become of a flow's jobs.
    pub struct EndPorts {
        pub valid: bool,
        pub flow: u16,
        /// Jobs that have left or were given up.
        pub jobs: u8,
        /// Those of them that were no restarts.
        pub reads: u8,
        /// Host memory could not be read: the flow is in error.
        pub error: bool,
        /// The flow's new row is in force, no job of it is left.
        pub cleared: bool,
    }
}
ports! {
    /// Packet for the tx pipe.
    pub struct ReplyPorts {
        pub valid: bool,
        pub flow: u16,
        pub opcode: u8,
        pub psn: u32,
        pub ack_req: bool,
        pub solicited: bool,
        pub payload_bytes: u16,
        pub va: u64,
        pub rkey: u32,
        pub dma_len: u32,
        pub imm: u32,
        pub syndrome: u8,
        pub msn: u32,
    }
}
ports! {
    /// Events.
    pub struct ReadEvents {
        /// A response was handed over.
        pub packet: bool,
        /// A READ was asked for again.
        pub restart: bool,
        /// A job was given up.
        pub dropped: bool,
    }
}
ports! {
    /// Inputs.
    pub struct ReadReplyIn {
        pub reset: bool,
        pub s_job: JobPorts,
        pub s_cfg_valid: bool,
        /// 0 QP, 1 memory region.
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub s_grant_valid: bool,
        pub s_grant_flow: u16,
        pub s_fail_valid: bool,
        pub s_fail_flow: u16,
        pub cfg_tel_format: u8,
        pub m_pkt_ready: bool,
        pub m_read_ready: bool,
        pub m_work_ready: bool,
        pub m_end_ready: bool,
    }
}
ports! {
    /// Outputs.
    pub struct ReadReplyOut {
        pub s_job_ready: bool,
        pub s_cfg_ready: bool,
        pub s_grant_ready: bool,
        pub s_fail_ready: bool,
        pub m_pkt: ReplyPorts,
        pub m_read: super::requester::ReadPorts,
        pub m_work: super::requester::WorkPorts,
        pub m_end: EndPorts,
        pub event_read: ReadEvents,
    }
}
