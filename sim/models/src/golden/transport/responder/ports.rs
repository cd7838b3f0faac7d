//! Pins of the responder.

use crate::golden::transport::ack::ports::{AckOut, CqeOut, DoneIn, HopWatch, Tel};
use crate::golden::transport::read::reply::{EndPorts, JobPorts};
use crate::ports;
use crate::ports::Wide;

ports! {
    /// A request from the rx pipe.
    pub struct ReqIn {
        pub valid: bool,
        pub qpn: u32,
        pub opcode: u8,
        pub psn: u32,
        pub ack_req: bool,
        pub payload_bytes: u16,
        pub va: u64,
        pub rkey: u32,
        pub dma_len: u32,
        pub imm: u32,
        pub src_ip: u32,
        pub tel: Tel,
    }
}

ports! {
    /// Beat of a payload.
    pub struct PayloadBeat {
        pub tvalid: bool,
        pub tdata: u64,
        pub tkeep: u8,
        pub tlast: bool,
    }
}

ports! {
    /// Command to the DMA.
    pub struct CmdOut {
        pub valid: bool,
        pub addr: u64,
        pub bytes: u16,
        /// See [`Tag`].
        pub tag: u128,
    }
}

ports! {
    /// Inputs.
    pub struct ResponderIn {
        pub reset: bool,
        pub s_req: ReqIn,
        pub s_payload: PayloadBeat,
        pub s_cfg_valid: bool,
        /// 0 QP, 1 memory region.
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub s_done: DoneIn,
        pub s_end: EndPorts,
        /// At least 32 completions fit.
        pub cfg_cq_space: bool,
        pub cfg_rnr_timer: u8,
        /// ACKs echo the record of the most loaded hop alone.
        pub cfg_worst_hop: bool,
        pub watch: HopWatch,
        pub m_cmd_ready: bool,
        pub m_data_tready: bool,
        pub m_ack_ready: bool,
        pub m_cqe_ready: bool,
        pub m_job_ready: bool,
        pub m_cfg_ready: bool,
    }
}

ports! {
    /// Outputs.
    pub struct ResponderOut {
        pub s_req_ready: bool,
        pub s_payload_tready: bool,
        pub s_cfg_ready: bool,
        pub s_done_ready: bool,
        pub s_end_ready: bool,
        pub m_cmd: CmdOut,
        pub m_data: PayloadBeat,
        pub m_ack: AckOut,
        pub m_cqe: CqeOut,
        pub m_job: JobPorts,
        pub m_cfg_valid: bool,
        pub event_resp_accepted: bool,
        pub event_resp_duplicate: bool,
        pub event_resp_out_of_sequence: bool,
        pub event_resp_nak_invalid: bool,
        pub event_resp_nak_access: bool,
        pub event_resp_nak_operation: bool,
        pub event_resp_rnr: bool,
        pub event_resp_no_qp: bool,
    }
}
