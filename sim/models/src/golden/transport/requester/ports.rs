//! Ports of the requester.

use crate::ports;

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
    /// Telemetry bundle.
    pub struct TelPorts {
        /// Present.
        pub valid: bool,
        /// Records; 6: not usable.
        pub hops: u8,
        /// XOR of the switches' identifiers.
        pub path: u16,
        /// Records in the native layout.
        pub hop: [u64; 5],
    }
}
ports! {
    /// ACK sink.
    pub struct AckPorts {
        pub valid: bool,
        pub qpn: u32,
        pub psn: u32,
        pub syndrome: u8,
        pub msn: u32,
        pub src_ip: u32,
        pub opcode: u8,
        pub payload_bytes: u16,
        pub tel: TelPorts,
    }
}
ports! {
    /// Stream of flow numbers.
    pub struct FlowPorts {
        pub valid: bool,
        pub flow: u16,
    }
}
ports! {
    /// Host memory has failed a flow.
    pub struct RowFailPorts {
        pub valid: bool,
        pub flow: u16,
        /// Of the queue pair row that its packet was made by; 0: of the present one.
        pub mark: u8,
    }
}
ports! {
    /// Ready of a stream.
    pub struct ReadyPort {
        pub ready: bool,
    }
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
        pub s_ack: AckPorts,
        pub s_cfg: ValidPort,
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: crate::ports::Wide<8>,
        pub hint: FlowPorts,
        pub cfg_tel_data: u8,
        /// PSNs from one packet with telemetry to the next: 0, 1 each; 255 once a round trip.
        pub cfg_tel_every: u8,
        pub s_grant: FlowPorts,
        pub s_fail: RowFailPorts,
        pub m_pkt: ReadyPort,
        pub m_read: ReadyPort,
        pub m_work: ReadyPort,
        pub m_inflight: ReadyPort,
        pub m_cc: ReadyPort,
        pub m_order: ReadyPort,
    }
}
ports! {
    /// Packet for the tx pipe.
    pub struct PktPorts {
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
        /// Of the flow's queue pair row: 1..=15, another one for each row.
        pub mark: u8,
        /// Without telemetry, though the queue pair's packets have it.
        pub bare: bool,
    }
}
ports! {
    /// Read command.
    pub struct ReadPorts {
        pub valid: bool,
        pub addr: u64,
        pub bytes: u16,
    }
}
ports! {
    /// Arm of a flow.
    pub struct WorkPorts {
        pub valid: bool,
        pub flow: u16,
        pub len_bytes: u16,
        pub inflight_bytes: u32,
    }
}
ports! {
    /// Bytes in flight.
    pub struct InflightPorts {
        pub valid: bool,
        pub flow: u16,
        pub inflight_bytes: u32,
    }
}
ports! {
    /// Telemetry for the CC unit.
    pub struct CcPorts {
        pub valid: bool,
        pub flow: u16,
        pub psn: u32,
        pub snd_nxt: u32,
        pub tel: TelPorts,
    }
}
ports! {
    /// Order for the completer.
    pub struct OrderPorts {
        pub valid: bool,
        /// [`order::COMPLETION`], [`order::LAND`] or [`order::DROP`].
        pub op: u8,
        pub flow: u16,
        pub addr: u64,
        pub bytes: u16,
        pub status: u8,
        pub wr_id: u32,
        pub byte_len: u32,
        pub signalled: bool,
    }
}
ports! {
    /// Events.
    pub struct RequesterEvents {
        pub ack: bool,
        pub ack_coalesced_stale: bool,
        pub ack_ghost: bool,
        pub nak_sequence: bool,
        pub nak_rnr: bool,
        pub nak_fatal: bool,
        pub no_qp: bool,
        pub retransmit_packet: bool,
        pub timeout: bool,
        pub wr_refused: bool,
    }
}
ports! {
    /// Outputs.
    pub struct RequesterOut {
        pub s_ack: ReadyPort,
        pub s_cfg: ReadyPort,
        pub s_grant: ReadyPort,
        pub s_fail: ReadyPort,
        pub m_pkt: PktPorts,
        pub m_read: ReadPorts,
        pub m_work: WorkPorts,
        pub m_inflight: InflightPorts,
        pub m_cc: CcPorts,
        pub m_order: OrderPorts,
        pub event_reqr: RequesterEvents,
    }
}
