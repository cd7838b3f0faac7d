//! Pins of the rx pipe.

use crate::ports;

ports! {
    /// Inputs.
    pub struct RxPipeIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Our MAC address.
        pub cfg_local_mac: u64,
        /// Our IPv4 address.
        pub cfg_local_ip: u32,
        /// Our partition key.
        pub cfg_pkey: u16,
        /// Telemetry format: 0 none, 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
        pub cfg_tel_format: u8,
        /// DSCP of stamped data.
        pub cfg_tel_dscp: u8,
        /// DSCP of ACKs that echo telemetry.
        pub cfg_tel_echo_dscp: u8,
        /// UDP port of packets with INT-MD.
        pub cfg_tel_port: u16,
        /// INT-MD, IOAM and IFA count queues in bytes.
        pub cfg_tel_queue_bytes: bool,
        /// IOAM's fractions of a second are binary.
        pub cfg_tel_time_binary: bool,
        /// Rate codes by the low three bits of the egress interface.
        pub cfg_tel_rates: u32,
        /// Raw frames: data.
        pub s_axis_tdata: u64,
        /// Valid bytes.
        pub s_axis_tkeep: u8,
        /// A beat is offered.
        pub s_axis_tvalid: bool,
        /// Last beat of the frame.
        pub s_axis_tlast: bool,
        /// On the last beat: the MAC says that the frame is bad.
        pub s_axis_tuser: bool,
        /// The host takes a beat.
        pub m_host_tready: bool,
        /// A beat of a request's payload is taken.
        pub m_payload_tready: bool,
        /// A beat of a READ response's payload is taken.
        pub m_response_tready: bool,
        /// A request is taken.
        pub m_req_ready: bool,
        /// An ACK is taken.
        pub m_ack_ready: bool,
        /// A telemetry response is taken.
        pub m_feedback_ready: bool,
    }
}

ports! {
    /// Telemetry bundle.
    pub struct TelPorts {
        /// Telemetry is there.
        pub valid: bool,
        /// Records; 6: not usable.
        pub hops: u8,
        /// Path identifier.
        pub path: u16,
        /// Records, native layout.
        pub hop: [u64; 5],
    }
}

ports! {
    /// Requests for the responder.
    pub struct ReqPorts {
        /// A request stands here.
        pub valid: bool,
        /// Queue pair.
        pub qpn: u32,
        /// Operation code.
        pub opcode: u8,
        /// Packet sequence number.
        pub psn: u32,
        /// Acknowledge request.
        pub ack_req: bool,
        /// Solicited event.
        pub solicited: bool,
        /// Bytes of payload.
        pub payload_bytes: u16,
        /// RETH virtual address; 0 without RETH.
        pub va: u64,
        /// RETH key.
        pub rkey: u32,
        /// RETH length.
        pub dma_len: u32,
        /// Immediate data.
        pub imm: u32,
        /// Source address.
        pub src_ip: u32,
        /// Telemetry.
        pub tel: TelPorts,
    }
}

ports! {
    /// ACKs and READ responses for the requester.
    pub struct AckPorts {
        /// An ACK or READ response stands here.
        pub valid: bool,
        /// Queue pair.
        pub qpn: u32,
        /// Packet sequence number.
        pub psn: u32,
        /// Operation code.
        pub opcode: u8,
        /// Bytes of payload, 0..=4096.
        pub payload_bytes: u16,
        /// AETH syndrome; 0 without AETH.
        pub syndrome: u8,
        /// AETH message sequence number.
        pub msn: u32,
        /// Source address.
        pub src_ip: u32,
        /// Telemetry.
        pub tel: TelPorts,
    }
}

ports! {
    /// Telemetry responses for the congestion control.
    pub struct FeedbackPorts {
        /// A telemetry response stands here.
        pub valid: bool,
        /// Queue pair.
        pub qpn: u32,
        /// PSN of the packet whose telemetry it brings.
        pub psn: u32,
        /// Source address.
        pub src_ip: u32,
        /// It is about data: a direct one, or the answer to a probe.
        pub direct: bool,
        /// It is a probe or, about data, the answer to one.
        pub probe: bool,
        /// It is a window; its bytes are the immediate data of `m_req`.
        pub window: bool,
        /// Low byte of the UDP source port.
        pub port: u8,
        /// Telemetry.
        pub tel: TelPorts,
    }
}

ports! {
    /// A stream's source.
    pub struct AxisPorts {
        /// Data.
        pub tdata: u64,
        /// Valid bytes.
        pub tkeep: u8,
        /// A beat stands here.
        pub tvalid: bool,
        /// Last beat of the frame.
        pub tlast: bool,
    }
}

ports! {
    /// One pulse for each frame.
    pub struct RxEvents {
        /// Given to the host.
        pub host: bool,
        /// The host's, without room.
        pub host_overflow: bool,
        /// Request accepted.
        pub req: bool,
        /// ACK accepted.
        pub ack: bool,
        /// The MAC called it bad.
        pub drop_mac_error: bool,
        /// Ends before its IP packet.
        pub drop_truncated: bool,
        /// Frame or payload too long.
        pub drop_oversize: bool,
        /// IPv4 header checksum.
        pub drop_ip_checksum: bool,
        /// Lengths contradict each other.
        pub drop_length: bool,
        /// ICRC.
        pub drop_icrc: bool,
        /// Opcode not supported.
        pub drop_opcode: bool,
        /// Transport version.
        pub drop_version: bool,
        /// Partition key.
        pub drop_pkey: bool,
        /// Telemetry does not fit.
        pub drop_telemetry: bool,
        /// READ response accepted.
        pub response: bool,
        /// Telemetry response accepted.
        pub feedback: bool,
    }
}

ports! {
    /// Outputs.
    pub struct RxPipeOut {
        /// The offered beat will be taken.
        pub s_axis_tready: bool,
        /// The host's frames.
        pub m_host: AxisPorts,
        /// Payload of requests.
        pub m_payload: AxisPorts,
        /// Payload of READ responses.
        pub m_response: AxisPorts,
        /// Requests.
        pub m_req: ReqPorts,
        /// ACKs and READ responses.
        pub m_ack: AckPorts,
        /// Telemetry responses.
        pub m_feedback: FeedbackPorts,
        /// Events.
        pub event_rx: RxEvents,
        /// Beside one of the accepting events: its telemetry is not usable.
        pub event_rx_telemetry_unusable: bool,
    }
}

impl RxEvents {
    /// Raises the event of `reason`.
    pub fn set(&mut self, reason: Reason) {
        let event = match reason {
            Reason::Host => &mut self.host,
            Reason::HostOverflow => &mut self.host_overflow,
            Reason::Req => &mut self.req,
            Reason::Ack => &mut self.ack,
            Reason::Response => &mut self.response,
            Reason::Feedback => &mut self.feedback,
            Reason::MacError => &mut self.drop_mac_error,
            Reason::Truncated => &mut self.drop_truncated,
            Reason::Oversize => &mut self.drop_oversize,
            Reason::IpChecksum => &mut self.drop_ip_checksum,
            Reason::Length => &mut self.drop_length,
            Reason::Icrc => &mut self.drop_icrc,
            Reason::Opcode => &mut self.drop_opcode,
            Reason::Version => &mut self.drop_version,
            Reason::Pkey => &mut self.drop_pkey,
            Reason::Telemetry => &mut self.drop_telemetry,
        };
        *event = true;
    }

    /// How many events there are in this cycle.
    pub fn count(&self) -> usize {
        let mut words = [0; <Self as ports::PortField>::WORDS];
        ports::PortField::store(self, &mut words);
        words.iter().sum::<u64>() as usize
    }
}

/// else Req, Ack, Response or Feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Given to the host.
    Host,
    /// The host's, but its FIFO was full.
    HostOverflow,
    /// A good request.
    Req,
    /// A good ACK.
    Ack,
    /// A good READ response.
    Response,
    /// A good telemetry response.
    Feedback,
    /// The MAC called it bad.
    MacError,
    /// The frame ends before its IP packet.
    Truncated,
    /// The frame or its payload is too long.
    Oversize,
    /// IPv4 header checksum.
    IpChecksum,
    /// Lengths contradict each other or leave no room for the headers.
    Length,
    /// ICRC.
    Icrc,
    /// Opcode that is not served.
    Opcode,
    /// Transport version other than 0.
    Version,
    /// Partition key.
    Pkey,
    /// Telemetry longer than the UDP payload, or a shim or header that does not fit the packet.
    Telemetry,
}
