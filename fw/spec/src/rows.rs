//! Table rows that software stages in `ROW_DATA`, and the completion entry it reads back.
//! Layouts: fw/registers.md, "Rows, work requests, completions".

/// A staged row, word 0 first.
pub type Row = [u32; 16];

/// Bytes that an inline WRITE has at most.
pub const INLINE_BYTES_MAX: usize = 24;

/// Hands the list of the tables' fields to the macro `$form`, which makes types of it: the rows of
/// this module, and those of the hardware. A field stands at (word, first bit, bits); the
/// hardware also knows parts that span several.
#[macro_export]
macro_rules! rows {
    ($form:path) => {
        $form! {
            /// A queue pair.
            qp QpRow {
                /// Packets of this QP are handled; false destroys it.
                valid: bool = (0, 0, 1),
                /// Data packets and READ responses carry a telemetry header; ACKs and telemetry
                /// responses echo it.
                telemetry: bool = (0, 1, 1),
                /// The peer may RDMA WRITE.
                remote_write: bool = (0, 2, 1),
                /// The peer may RDMA READ.
                remote_read: bool = (0, 3, 1),
                /// Path MTU in bytes as `256 << mtu_code`, 0..=4.
                mtu_code: u8 = (0, 4, 3),
                /// Retransmission timeout 4.096 us x 2^n, 1..=31; 0 is off.
                timeout_exponent: u8 = (0, 8, 5),
                /// Timeouts or NAKs in a row without progress before the QP fails, 0..=7.
                retry_limit: u8 = (0, 13, 3),
                /// DSCP of packets without telemetry, 0..=63.
                dscp: u8 = (0, 16, 6),
                /// AckReq is set on every 2^n-th packet beside the last of a message, 0..=15.
                ack_interval_log2: u8 = (0, 24, 4),
                /// Our QPN, 24 bits.
                qpn: u32 = (1, 0, 24),
                /// The peer's QPN, 24 bits.
                remote_qpn: u32 = (2, 0, 24),
                /// The peer's IPv4 address.
                remote_ip: u32 = (3, 0, 32),
                /// The peer's (or gateway's) MAC address, 48 bits, first byte in bits 47:40.
                remote_mac: u64 = (4, 0, 48),
                /// UDP source port. Direct telemetry responses of switches find the queue pair by
                /// it: its low bits, as many as the flow index has, must be those of the QPN,
                /// else they are dropped.
                udp_source_port: u16 = (5, 16, 16),
                /// First PSN expected from the peer, 24 bits.
                rq_psn: u32 = (6, 0, 24),
                /// First PSN sent, 24 bits.
                sq_psn: u32 = (7, 0, 24),
                /// Initial window in bytes (telemetry off: fixed).
                window_bytes: u32 = (8, 0, 32),
                /// Initial pacing rate in bytes a cycle (telemetry off: fixed).
                rate_uq8_24: u32 = (9, 0, 32),
                /// RNR NAKs in a row without progress before the QP fails, 0..=6; 7: no limit.
                rnr_retry_limit: u8 = (10, 0, 3),
                /// READs of ours that may be outstanding, 1..=16; 0 counts as 1.
                read_limit: u8 = (10, 8, 5),
                /// log2 of the entries of the submission ring, 1..=15; 0: none, work requests are
                /// committed.
                sq_log2: u8 = (11, 0, 4),
                /// Address of the ring on the AXI4 master, a multiple of 64.
                sq_address: u64 = (12, 0, 64),
            } also {
                /// The flags and the MTU.
                flags = (0, 0, 7),
            }
            /// A memory region.
            mr MrRow {
                /// The region can be used; false revokes it.
                valid: bool = (0, 0, 1),
                /// The peer may write.
                remote_write: bool = (0, 1, 1),
                /// The peer may read.
                remote_read: bool = (0, 2, 1),
                /// Remote key: `index << 8 | key`.
                rkey: u32 = (1, 0, 32),
                /// First virtual address, as the peer names it.
                va: u64 = (2, 0, 64),
                /// Bytes.
                length_bytes: u64 = (4, 0, 64),
                /// Address of the first byte on the AXI4 master.
                host_address: u64 = (6, 0, 64),
            } also {
                /// The flags.
                flags = (0, 0, 3),
            }
            /// A work request.
            wr WrRow {
                /// What to do.
                operation: Operation = (0, 0, 2),
                /// A success makes a completion too.
                signalled: bool = (0, 2, 1),
                /// The peer is asked for a solicited event.
                solicited: bool = (0, 3, 1),
                /// Returned in the completion.
                wr_id: u32 = (1, 0, 32),
                /// Address of the first byte on the AXI4 master.
                local_address: u64 = (2, 0, 64),
                /// Bytes, at most 2^31.
                length_bytes: u32 = (4, 0, 32),
                /// The peer's memory key.
                rkey: u32 = (5, 0, 32),
                /// The peer's virtual address.
                remote_va: u64 = (6, 0, 64),
                /// Immediate data, for [`Operation::WriteImmediate`].
                immediate: u32 = (8, 0, 32),
                /// A WRITE of at most [`INLINE_BYTES_MAX`] bytes: they stand in words 10 to 15, and
                /// `local_address` is of no use. Of a READ and a longer one it says nothing.
                inline: bool = (0, 4, 1),
                /// Bytes 0 to 7 of an inline WRITE, the first one in bits 7:0.
                inline_0: u64 = (10, 0, 64),
                /// Bytes 8 to 15.
                inline_8: u64 = (12, 0, 64),
                /// Bytes 16 to 23.
                inline_16: u64 = (14, 0, 64),
            } also {
                /// Bytes 8 to 23 of an inline WRITE.
                inline_rest = (12, 0, 128),
                /// All that it says.
                words = (0, 0, 512),
            }
        }
    };
}

/// Hands the events of the cores that stand alone to the macro `$form`: the words that their
/// AXI4-Streams carry. An event has so many bits and fields (name, first bit, bits, meaning); other
/// bits are 0, or ignored where they come in. `flow` is an index below the flow count.
#[macro_export]
macro_rules! core_events {
    ($form:path) => {
        $form! {
            /// An ACK, in `s_axis_ack` of the congestion control core.
            AckEvent 416 [
                (flow, 0, 16, "Flow."),
                (psn, 16, 24, "PSN that it acknowledges."),
                (snd_nxt, 40, 24, "Next PSN that the flow sends."),
                (tel_valid, 64, 1, "It has telemetry."),
                (tel_hops, 65, 3, "Records."),
                (tel_path, 68, 12, "XOR of the switches' identifiers."),
                (hop_0, 96, 64, "First record."),
                (hop_1, 160, 64, "Second record."),
                (hop_2, 224, 64, "Third record."),
                (hop_3, 288, 64, "Fourth record."),
                (hop_4, 352, 64, "Fifth record."),
            ]
            /// A flow command, in `s_axis_flow` of the congestion control core, or a result as
            /// `s_axis_rate` of the scheduler core takes it, without `telemetry`.
            FlowEvent 96 [
                (flow, 0, 16, "Flow."),
                (op, 16, 2, "0 update, 1 create, 2 remove; as a command 1 creates, else it removes."),
                (telemetry, 18, 1, "The flow's ACKs carry telemetry."),
                (window_bytes, 32, 32, "Window."),
                (rate, 64, 32, "Rate, UQ8.24 bytes a cycle."),
            ]
            /// A result, in `m_axis_rate` of the congestion control core.
            RateEvent 256 [
                (flow, 0, 16, "Flow."),
                (op, 16, 2, "0 update, 1 create, 2 remove."),
                (full, 18, 1, "Wc, incStage and lastUpdateSeq were updated."),
                (first, 19, 1, "The records were only stored."),
                (worst_hop, 20, 3, "Hop with the largest u'; 7: none."),
                (inc_stage, 24, 8, "Additive steps since the last multiplicative one."),
                (window_bytes, 32, 32, "Window."),
                (rate, 64, 32, "Rate, UQ8.24 bytes a cycle."),
                (last_update_psn, 96, 24, "An ACK behind it makes the next full update."),
                (u, 128, 57, "U, UQ21.36."),
                (wc_bytes, 192, 48, "Wc, UQ32.16 bytes."),
            ]
            /// A flow has work, in `s_axis_work` of the scheduler core. Without frames it only
            /// tells the flow's bytes in flight.
            WorkEvent 96 [
                (flow, 0, 16, "Flow."),
                (len_bytes, 16, 14, "Bytes of the frames that it sends once granted."),
                (inflight_bytes, 32, 32, "Bytes sent and not acknowledged."),
                (frame_count, 64, 7, "How many frames these are; 0: no work, no `len_bytes`."),
            ]
        }
    };
}

/// What a field of a row holds.
trait Value {
    fn to_bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

macro_rules! numbers {
    ($($number:ident)*) => {
        $(
            impl Value for $number {
                fn to_bits(self) -> u64 {
                    self.into()
                }
                fn from_bits(bits: u64) -> Self {
                    bits as $number
                }
            }
        )*
    };
}

numbers!(u8 u16 u32 u64);

impl Value for bool {
    fn to_bits(self) -> u64 {
        self.into()
    }
    fn from_bits(bits: u64) -> Self {
        bits != 0
    }
}

/// The `bits` low ones of `value` into a row, from `bit` of `word` on.
fn put(row: &mut Row, (word, bit, bits): (usize, u32, u32), value: u64) {
    let value = u128::from(value & u64::MAX >> (64 - bits)) << bit;
    row[word] |= value as u32;
    if bit + bits > 32 {
        row[word + 1] |= (value >> 32) as u32;
    }
}

/// `bits` of a row, from `bit` of `word` on.
fn get(row: &Row, (word, bit, bits): (usize, u32, u32)) -> u64 {
    let high = if bit + bits > 32 { row[word + 1] } else { 0 };
    (u64::from(row[word]) | u64::from(high) << 32) >> bit & u64::MAX >> (64 - bits)
}

macro_rules! structs {
    ($(
        $(#[$about:meta])*
        $table:ident $name:ident {
            $($(#[$doc:meta])* $field:ident: $with:ty = $place:tt,)*
        } also {
            $($spans:tt)*
        }
    )*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name {
                $($(#[$doc])* pub $field: $with,)*
            }

            impl $name {
                /// The row's words.
                pub fn to_row(&self) -> Row {
                    let mut row = [0; 16];
                    $(put(&mut row, $place, self.$field.to_bits());)*
                    row
                }

                /// Reads the row's words.
                pub fn from_row(row: &Row) -> Self {
                    Self { $($field: Value::from_bits(get(row, $place)),)* }
                }
            }
        )*
    };
}

rows!(structs);

/// Which table a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Queue pairs, at `QPN mod flow_count`.
    Qp = 0,
    /// Memory regions, at `(rkey >> 8) mod mr_count`.
    Mr = 1,
    /// Work requests, at the flow's index.
    Wr = 2,
}

impl Default for QpRow {
    /// A queue pair that is not valid, with no limit of RNR retries and 4 READs outstanding.
    fn default() -> Self {
        Self { rnr_retry_limit: 7, read_limit: 4, ..Self::from_row(&[0; 16]) }
    }
}

impl Default for MrRow {
    /// A region that is not valid.
    fn default() -> Self {
        Self::from_row(&[0; 16])
    }
}

impl Default for WrRow {
    /// A WRITE of no bytes.
    fn default() -> Self {
        Self::from_row(&[0; 16])
    }
}

impl QpRow {
    /// A queue pair for a local network, connected with the peer's `remote_qpn`: what the peer may
    /// do, rings and telemetry are the caller's. MTU 1024; all PSNs begin at 0; 64 KiB in flight at
    /// 8 bytes a cycle; an ACK for every 16 packets; seven retries, each after 67 ms.
    pub fn connected(qpn: u32, remote_qpn: u32, remote_mac: u64, remote_ip: u32) -> Self {
        Self {
            mtu_code: 2,
            timeout_exponent: 14,
            retry_limit: 7,
            ack_interval_log2: 4,
            qpn,
            remote_qpn,
            remote_ip,
            remote_mac,
            udp_source_port: 0xc000 | (qpn & 0x3fff) as u16,
            window_bytes: 64 << 10,
            rate_uq8_24: 8 << 24,
            ..Self::default()
        }
    }
}

/// What a work request does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// RDMA WRITE.
    #[default]
    Write = 0,
    /// RDMA WRITE with immediate.
    WriteImmediate = 1,
    /// RDMA READ.
    Read = 2,
}

impl Value for Operation {
    fn to_bits(self) -> u64 {
        self as u64
    }
    /// An operation that does not exist yet reads as WRITE.
    fn from_bits(bits: u64) -> Self {
        match bits {
            1 => Self::WriteImmediate,
            2 => Self::Read,
            _ => Self::Write,
        }
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok,
    /// The peer did not answer within the retry limit.
    RetryExceeded,
    /// NAK 0x62.
    RemoteAccess,
    /// NAK 0x61.
    RemoteInvalidRequest,
    /// NAK 0x63.
    RemoteOperation,
    /// Host memory answered an access with an error.
    LocalDma,
    /// An earlier request of the QP failed.
    Flushed,
    /// The peer stayed without receive resources.
    RnrRetryExceeded,
    /// The peer's READ response had the wrong length or opcode.
    BadResponse,
    /// A code that this version does not know.
    Unknown(u8),
}

impl From<u8> for Status {
    fn from(code: u8) -> Self {
        match code {
            0 => Self::Ok,
            1 => Self::RetryExceeded,
            2 => Self::RemoteAccess,
            3 => Self::RemoteInvalidRequest,
            4 => Self::RemoteOperation,
            5 => Self::LocalDma,
            6 => Self::Flushed,
            7 => Self::RnrRetryExceeded,
            8 => Self::BadResponse,
            other => Self::Unknown(other),
        }
    }
}

/// What happened, and where to look.
impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Ok => "done",
            Self::RetryExceeded => {
                "the peer did not answer, retries included: its address, its QPN, or the link"
            }
            Self::RemoteAccess => {
                "the peer refused the access: rkey, range, or what its region and QP allow"
            }
            Self::RemoteInvalidRequest => {
                "the peer calls the request invalid: its length, or more READs than it allows"
            }
            Self::RemoteOperation => "the peer could not finish the request",
            Self::LocalDma => "host memory answered with an error: the local address",
            Self::Flushed => "an earlier request of the queue pair failed",
            Self::RnrRetryExceeded => "the peer was not ready, retries included",
            Self::BadResponse => "the peer's READ response has a wrong length or opcode",
            Self::Unknown(code) => return write!(f, "status {code}, which is not known"),
        })
    }
}

/// What a completion tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A work request of ours.
    Requester,
    /// An RDMA WRITE with immediate by the peer.
    Received,
    /// A work request of the submission ring could not be read: the ring stands still from there
    /// on until its queue pair is set up anew. `wr_id` is its index, modulo 2^16.
    RingLost,
}

/// A completion entry, in `CQ_ENTRY` and in the completion ring: word 0 is wr_id; word 1
/// immediate; word 2 bytes; word 3 status [7:0], kind [14:8], phase [15], flow [31:16]. The phase
/// is that of a ring entry's pass, 1 in the first; it stands in the word that is written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// How it ended.
    pub status: Status,
    /// What ended.
    pub kind: CompletionKind,
    /// Flow index of the QP.
    pub flow_index: u16,
    /// The work request's id; 0 when received.
    pub wr_id: u32,
    /// Immediate data, when received.
    pub immediate: u32,
    /// Bytes of the message.
    pub byte_count: u32,
}

impl Completion {
    /// Bytes of an entry in the ring.
    pub const RING_BYTES: u64 = 16;

    /// Whether an entry's words are of a pass through the ring in which entries carry `phase`.
    pub fn has_phase(words: &[u32; 4], phase: bool) -> bool {
        (words[3] >> 15 & 1 == 1) == phase
    }

    /// Reads the entry's words.
    pub fn from_words(words: [u32; 4]) -> Self {
        Self {
            status: Status::from(words[3] as u8),
            kind: match words[3] >> 8 & 0x7f {
                0 => CompletionKind::Requester,
                1 => CompletionKind::Received,
                _ => CompletionKind::RingLost,
            },
            flow_index: (words[3] >> 16) as u16,
            wr_id: words[0],
            immediate: words[1],
            byte_count: words[2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_what_was_written() {
        let qp = QpRow {
            valid: true,
            telemetry: true,
            remote_write: true,
            remote_read: false,
            mtu_code: 2,
            timeout_exponent: 14,
            retry_limit: 7,
            dscp: 46,
            ack_interval_log2: 5,
            qpn: 0x12_3456,
            remote_qpn: 0xab_cdef,
            remote_ip: 0x0a00_0001,
            remote_mac: 0x0200_0000_0001,
            udp_source_port: 0xc000,
            rq_psn: 0xff_ffff,
            sq_psn: 1,
            window_bytes: 162_500,
            rate_uq8_24: 8 << 24,
            rnr_retry_limit: 7,
            read_limit: 16,
            sq_log2: 15,
            sq_address: 0x8000_0001_0000_0040,
        };
        assert_eq!(QpRow::from_row(&qp.to_row()), qp);
        assert_eq!(qp.to_row()[0], 0x052e_ee27);
        let mr = MrRow {
            valid: true,
            remote_write: true,
            remote_read: true,
            rkey: 0x1234,
            va: 0x7f00_0000_1000,
            length_bytes: 1 << 32,
            host_address: 0x8000_0000_0000_0000,
        };
        assert_eq!(MrRow::from_row(&mr.to_row()), mr);
        let wr = WrRow {
            operation: Operation::WriteImmediate,
            signalled: true,
            solicited: true,
            wr_id: 77,
            local_address: 0x1_0000_0001,
            length_bytes: 1 << 31,
            rkey: 0x0102_0304,
            remote_va: u64::MAX,
            immediate: 0xdead_beef,
            inline: true,
            inline_0: 0x0706_0504_0302_0100,
            inline_8: u64::MAX,
            inline_16: 1 << 63,
        };
        assert_eq!(wr.to_row()[10], 0x0302_0100);
        assert_eq!(WrRow::from_row(&wr.to_row()), wr);
    }

    #[test]
    fn rows_and_layouts_name_the_same_bits() {
        let of = |layout: &crate::layouts::Layout| {
            let mut row = [0; 16];
            for part in layout.parts {
                let first = usize::from(part.word);
                let (lsb, width) = (u32::from(part.field.lsb), u32::from(part.field.width));
                for word in &mut row[first..first + usize::from(part.word_count)] {
                    *word |= (u32::MAX >> (32 - width)) << lsb;
                }
            }
            row
        };
        let ones = [u32::MAX; 16];
        assert_eq!(QpRow::from_row(&ones).to_row(), of(&crate::layouts::QUEUE_PAIR));
        assert_eq!(MrRow::from_row(&ones).to_row(), of(&crate::layouts::MEMORY_REGION));
        let other = of(&crate::layouts::WORK_REQUEST);
        // Operation 3 doesn't exist: it reads as WRITE.
        assert_eq!(WrRow::from_row(&ones).to_row()[0] | 3, other[0]);
        assert_eq!(WrRow::from_row(&ones).to_row()[1..], other[1..]);
    }
}
