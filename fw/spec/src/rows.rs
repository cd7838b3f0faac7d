//! Table rows that software stages in `ROW_DATA`, and the completion entry it reads back.
//! Layouts: fw/registers.md, "Rows, work requests, completions".

/// A staged row, word 0 first.
pub type Row = [u32; 16];

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

/// A queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpRow {
    /// Packets of this QP are handled; false destroys it.
    pub valid: bool,
    /// Data packets and READ responses carry a telemetry header; ACKs and telemetry responses echo it.
    pub telemetry: bool,
    /// The peer may RDMA WRITE.
    pub remote_write: bool,
    /// The peer may RDMA READ.
    pub remote_read: bool,
    /// Path MTU in bytes as `256 << mtu_code`, 0..=4.
    pub mtu_code: u8,
    /// Retransmission timeout 4.096 us x 2^n, 1..=31; 0 is off.
    pub timeout_exponent: u8,
    /// Timeouts or NAKs in a row without progress before the QP fails, 0..=7.
    pub retry_limit: u8,
    /// DSCP of packets without telemetry, 0..=63.
    pub dscp: u8,
    /// AckReq is set on every 2^n-th packet beside the last of a message, 0..=15.
    pub ack_interval_log2: u8,
    /// Our QPN, 24 bits.
    pub qpn: u32,
    /// The peer's QPN, 24 bits.
    pub remote_qpn: u32,
    /// The peer's IPv4 address.
    pub remote_ip: u32,
    /// The peer's (or gateway's) MAC address, 48 bits, first byte in bits 47:40.
    pub remote_mac: u64,
    /// UDP source port. Direct telemetry responses of switches find the queue pair by it: its low bits, as
    /// many as the flow index has, must be those of the QPN, else they are dropped.
    pub udp_source_port: u16,
    /// First PSN expected from the peer, 24 bits.
    pub rq_psn: u32,
    /// First PSN sent, 24 bits.
    pub sq_psn: u32,
    /// Initial window in bytes (telemetry off: fixed).
    pub window_bytes: u32,
    /// Initial pacing rate in bytes a cycle (telemetry off: fixed).
    pub rate_uq8_24: u32,
    /// RNR NAKs in a row without progress before the QP fails, 0..=6; 7: no limit.
    pub rnr_retry_limit: u8,
    /// READs of ours that may be outstanding, 1..=16; 0 counts as 1.
    pub read_limit: u8,
    /// log2 of the entries of the submission ring, 1..=15; 0: none, work requests are committed.
    pub sq_log2: u8,
    /// Address of the ring on the AXI4 master, a multiple of 64.
    pub sq_address: u64,
}

impl Default for QpRow {
    /// A queue pair that is not valid, with no limit of RNR retries and 4 READs outstanding.
    fn default() -> Self {
        Self { rnr_retry_limit: 7, read_limit: 4, ..Self::from_row(&[0; 16]) }
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

    /// The row's words.
    pub fn to_row(&self) -> Row {
        let mut row = [0; 16];
        row[0] = u32::from(self.valid)
            | u32::from(self.telemetry) << 1
            | u32::from(self.remote_write) << 2
            | u32::from(self.remote_read) << 3
            | u32::from(self.mtu_code & 7) << 4
            | u32::from(self.timeout_exponent & 31) << 8
            | u32::from(self.retry_limit & 7) << 13
            | u32::from(self.dscp & 63) << 16
            | u32::from(self.ack_interval_log2 & 15) << 24;
        row[1] = self.qpn & 0xff_ffff;
        row[2] = self.remote_qpn & 0xff_ffff;
        row[3] = self.remote_ip;
        row[4] = self.remote_mac as u32;
        row[5] = (self.remote_mac >> 32) as u32 & 0xffff | u32::from(self.udp_source_port) << 16;
        row[6] = self.rq_psn & 0xff_ffff;
        row[7] = self.sq_psn & 0xff_ffff;
        row[8] = self.window_bytes;
        row[9] = self.rate_uq8_24;
        row[10] = u32::from(self.rnr_retry_limit & 7) | u32::from(self.read_limit & 31) << 8;
        row[11] = u32::from(self.sq_log2 & 15);
        row[12] = self.sq_address as u32;
        row[13] = (self.sq_address >> 32) as u32;
        row
    }

    /// Reads the row's words.
    pub fn from_row(row: &Row) -> Self {
        let bit = |n: u32| row[0] >> n & 1 != 0;
        Self {
            valid: bit(0),
            telemetry: bit(1),
            remote_write: bit(2),
            remote_read: bit(3),
            mtu_code: (row[0] >> 4 & 7) as u8,
            timeout_exponent: (row[0] >> 8 & 31) as u8,
            retry_limit: (row[0] >> 13 & 7) as u8,
            dscp: (row[0] >> 16 & 63) as u8,
            ack_interval_log2: (row[0] >> 24 & 15) as u8,
            qpn: row[1] & 0xff_ffff,
            remote_qpn: row[2] & 0xff_ffff,
            remote_ip: row[3],
            remote_mac: u64::from(row[4]) | u64::from(row[5] & 0xffff) << 32,
            udp_source_port: (row[5] >> 16) as u16,
            rq_psn: row[6] & 0xff_ffff,
            sq_psn: row[7] & 0xff_ffff,
            window_bytes: row[8],
            rate_uq8_24: row[9],
            rnr_retry_limit: (row[10] & 7) as u8,
            read_limit: (row[10] >> 8 & 31) as u8,
            sq_log2: (row[11] & 15) as u8,
            sq_address: u64::from(row[12]) | u64::from(row[13]) << 32,
        }
    }
}

/// A memory region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MrRow {
    /// The region can be used; false revokes it.
    pub valid: bool,
    /// The peer may write.
    pub remote_write: bool,
    /// The peer may read.
    pub remote_read: bool,
    /// Remote key: `index << 8 | key`.
    pub rkey: u32,
    /// First virtual address, as the peer names it.
    pub va: u64,
    /// Bytes.
    pub length_bytes: u64,
    /// Address of the first byte on the AXI4 master.
    pub host_address: u64,
}

impl MrRow {
    /// The row's words.
    pub fn to_row(&self) -> Row {
        let mut row = [0; 16];
        row[0] = u32::from(self.valid)
            | u32::from(self.remote_write) << 1
            | u32::from(self.remote_read) << 2;
        row[1] = self.rkey;
        for (i, v) in [self.va, self.length_bytes, self.host_address].into_iter().enumerate() {
            row[2 + 2 * i] = v as u32;
            row[3 + 2 * i] = (v >> 32) as u32;
        }
        row
    }

    /// Reads the row's words.
    pub fn from_row(row: &Row) -> Self {
        let wide = |i: usize| u64::from(row[i]) | u64::from(row[i + 1]) << 32;
        Self {
            valid: row[0] & 1 != 0,
            remote_write: row[0] & 2 != 0,
            remote_read: row[0] & 4 != 0,
            rkey: row[1],
            va: wide(2),
            length_bytes: wide(4),
            host_address: wide(6),
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

/// A work request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrRow {
    /// What to do.
    pub operation: Operation,
    /// A success makes a completion too.
    pub signalled: bool,
    /// The peer is asked for a solicited event.
    pub solicited: bool,
    /// Returned in the completion.
    pub wr_id: u32,
    /// Address of the first byte on the AXI4 master.
    pub local_address: u64,
    /// Bytes, at most 2^31.
    pub length_bytes: u32,
    /// The peer's memory key.
    pub rkey: u32,
    /// The peer's virtual address.
    pub remote_va: u64,
    /// Immediate data, for [`Operation::WriteImmediate`].
    pub immediate: u32,
}

impl WrRow {
    /// The row's words.
    pub fn to_row(&self) -> Row {
        let mut row = [0; 16];
        row[0] =
            self.operation as u32 | u32::from(self.signalled) << 2 | u32::from(self.solicited) << 3;
        row[1] = self.wr_id;
        row[2] = self.local_address as u32;
        row[3] = (self.local_address >> 32) as u32;
        row[4] = self.length_bytes;
        row[5] = self.rkey;
        row[6] = self.remote_va as u32;
        row[7] = (self.remote_va >> 32) as u32;
        row[8] = self.immediate;
        row
    }

    /// Reads the row's words; an operation that does not exist yet reads as WRITE.
    pub fn from_row(row: &Row) -> Self {
        let wide = |i: usize| u64::from(row[i]) | u64::from(row[i + 1]) << 32;
        Self {
            operation: match row[0] & 3 {
                1 => Operation::WriteImmediate,
                2 => Operation::Read,
                _ => Operation::Write,
            },
            signalled: row[0] & 4 != 0,
            solicited: row[0] & 8 != 0,
            wr_id: row[1],
            local_address: wide(2),
            length_bytes: row[4],
            rkey: row[5],
            remote_va: wide(6),
            immediate: row[8],
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
        };
        assert_eq!(WrRow::from_row(&wr.to_row()), wr);
    }
}
