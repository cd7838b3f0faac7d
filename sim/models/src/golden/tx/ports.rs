//! Pins of the tx pipe.

use crate::golden::transport::requester::{ReadyPort, TelPorts};
use crate::ports;
use crate::ports::Wide;

ports! {
    /// Packet sink: packets of the requester and READ responses.
    pub struct TxPktPorts {
        pub valid: bool,
        /// The bit above the flow says that it is a READ response.
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
        /// Comes back with a read error.
        pub mark: u8,
        /// Without telemetry, though its queue pair's packets have it.
        pub bare: bool,
    }
}

ports! {
    /// ACK sink.
    pub struct TxAckPorts {
        pub valid: bool,
        pub flow: u16,
        pub syndrome: u8,
        pub msn: u32,
        pub psn: u32,
        pub tel: TelPorts,
    }
}

ports! {
    /// Sink of telemetry responses.
    pub struct TxFeedbackPorts {
        pub valid: bool,
        pub flow: u16,
        pub psn: u32,
        /// It answers a probe.
        pub answer: bool,
        pub tel: TelPorts,
    }
}

ports! {
    /// Beat of a sink without tuser.
    pub struct HostBeat {
        pub tvalid: bool,
        pub tdata: u64,
        pub tkeep: u8,
        pub tlast: bool,
    }
}

ports! {
    /// Beat of a sink with tuser.
    pub struct DataBeat {
        pub tvalid: bool,
        pub tdata: u64,
        pub tkeep: u8,
        pub tlast: bool,
        pub tuser: bool,
    }
}

ports! {
    /// Ready of an AXI4-Stream.
    pub struct TreadyPort {
        pub tready: bool,
    }
}

ports! {
    /// Valid of a stream.
    pub struct CfgPort {
        pub valid: bool,
    }
}

ports! {
    /// Inputs.
    pub struct TxPipeIn {
        pub reset: bool,
        pub cfg_local_mac: u64,
        pub cfg_local_ip: u32,
        pub cfg_pkey: u16,
        pub cfg_ttl: u8,
        /// Telemetry header of data packets, see [`DataHeader`].
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
        pub s_cfg: CfgPort,
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub s_pkt: TxPktPorts,
        pub s_ack: TxAckPorts,
        pub s_feedback: TxFeedbackPorts,
        pub s_data: DataBeat,
        pub s_host: HostBeat,
        pub m_axis: TreadyPort,
        pub m_fail: ReadyPort,
    }
}

ports! {
    /// Flow, as in `s_pkt`, of a packet whose payload could not be read.
    pub struct FailPorts {
        pub valid: bool,
        pub flow: u16,
        pub mark: u8,
    }
}

ports! {
    /// Events.
    pub struct TxEvents {
        pub data: bool,
        pub ack: bool,
        pub host: bool,
        pub fail: bool,
        pub feedback: bool,
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
        pub m_axis: HostBeat,
        pub m_fail: FailPorts,
        pub event_tx: TxEvents,
    }
}
