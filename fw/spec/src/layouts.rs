//! Records that host software and the NIC exchange, described once for pages and C header: table
//! rows, work requests and completions. 32-bit little-endian words.

use crate::regs::Field;

/// Part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// First word.
    pub word: u8,
    /// Words: 2 is a 64-bit value, low word first.
    pub word_count: u8,
    /// Name, bits of the first word and meaning; whole words from bit 0.
    pub field: Field,
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Lower-case name.
    pub name: &'static str,
    /// Bytes from one to the next.
    pub bytes: u16,
    /// What it is.
    pub doc: &'static str,
    /// Its parts, in order.
    pub parts: &'static [Part],
}

const fn bits(word: u8, name: &'static str, lsb: u8, width: u8, doc: &'static str) -> Part {
    Part { word, word_count: 1, field: Field { name, lsb, width, doc } }
}

const fn word(word: u8, name: &'static str, doc: &'static str) -> Part {
    bits(word, name, 0, 32, doc)
}

const fn wide(word: u8, name: &'static str, doc: &'static str) -> Part {
    Part { word, word_count: 2, field: Field { name, lsb: 0, width: 32, doc } }
}

/// A queue pair: table 0.
pub const QUEUE_PAIR: Layout = Layout {
    name: "qp",
    bytes: 64,
    doc: "Queue pair, row QPN mod flow count of table 0",
    parts: &[
        bits(0, "valid", 0, 1, "the queue pair exists"),
        bits(
            0,
            "telemetry",
            1,
            1,
            "data and READ responses carry telemetry, ACKs and telemetry responses echo it",
        ),
        bits(0, "remote_write", 2, 1, "the peer may RDMA WRITE"),
        bits(0, "remote_read", 3, 1, "the peer may RDMA READ"),
        bits(0, "mtu", 4, 3, "path MTU 256 x 2^n bytes, 0..=4"),
        bits(0, "timeout", 8, 5, "retransmission timeout 4.096 us x 2^n; 0: off"),
        bits(0, "retry_limit", 13, 3, "retries in a row without progress"),
        bits(0, "dscp", 16, 6, "DSCP of packets without telemetry"),
        bits(0, "ack_interval", 24, 4, "log2 of the packets between AckReq"),
        bits(1, "qpn", 0, 24, "our QPN"),
        bits(2, "remote_qpn", 0, 24, "the peer's QPN"),
        word(3, "remote_ip", "the peer's IPv4 address"),
        word(4, "remote_mac_lo", "bits 31:0 of the peer's MAC address"),
        bits(5, "remote_mac_hi", 0, 16, "bits 47:32 of the peer's MAC address"),
        bits(5, "udp_source_port", 16, 16, "UDP source port"),
        bits(6, "rq_psn", 0, 24, "first PSN expected"),
        bits(7, "sq_psn", 0, 24, "first PSN sent"),
        word(8, "window", "initial window, bytes"),
        word(9, "rate", "initial rate, UQ8.24 bytes a cycle"),
        bits(10, "rnr_retry_limit", 0, 3, "RNR retries; 7: no limit"),
        bits(10, "read_limit", 8, 5, "READs outstanding, 1..=16"),
        bits(11, "sq_log2", 0, 4, "log2 of the submission ring's entries; 0: no ring"),
        wide(12, "sq_address", "address of the submission ring, a multiple of 64"),
    ],
};

/// A memory region: table 1.
pub const MEMORY_REGION: Layout = Layout {
    name: "mr",
    bytes: 64,
    doc: "Memory region, row (rkey >> 8) mod region count of table 1",
    parts: &[
        bits(0, "valid", 0, 1, "the region exists"),
        bits(0, "remote_write", 1, 1, "the peer may RDMA WRITE"),
        bits(0, "remote_read", 2, 1, "the peer may RDMA READ"),
        word(1, "rkey", "remote key"),
        wide(2, "va", "first virtual address"),
        wide(4, "length", "bytes"),
        wide(6, "host_address", "address of the first byte"),
    ],
};

/// A work request: entry of a submission ring, and table 2.
pub const WORK_REQUEST: Layout = Layout {
    name: "wr",
    bytes: 64,
    doc: "Work request, entry of a submission ring or row of table 2",
    parts: &[
        bits(0, "operation", 0, 2, "0 WRITE, 1 WRITE with immediate, 2 READ"),
        bits(0, "signalled", 2, 1, "a success makes a completion too"),
        bits(0, "solicited", 3, 1, "asks the peer for a solicited event"),
        bits(
            0,
            "inline",
            4,
            1,
            "a WRITE of at most 24 bytes that stand in words 10 to 15, not at local_address",
        ),
        word(1, "id", "returned in the completion"),
        wide(2, "local_address", "address of the first byte here"),
        word(4, "length", "bytes, at most 2^31"),
        word(5, "rkey", "the peer's memory key"),
        wide(6, "remote_va", "the peer's virtual address"),
        word(8, "immediate", "immediate data"),
        wide(10, "inline_0", "bytes 0 to 7 of an inline WRITE, the first one in bits 7:0"),
        wide(12, "inline_8", "bytes 8 to 15"),
        wide(14, "inline_16", "bytes 16 to 23"),
    ],
};

/// A completion: entry of the completion ring, and `CQ_ENTRY`.
pub const COMPLETION: Layout = Layout {
    name: "cqe",
    bytes: 16,
    doc: "Completion, entry of the completion ring; the last word is written last",
    parts: &[
        word(0, "wr_id", "id of the work request; kind 2: its index in the ring"),
        word(1, "immediate", "immediate data, kind 1"),
        word(2, "byte_count", "bytes of the message"),
        bits(
            3,
            "status",
            0,
            8,
            "0 ok, 1 retry exceeded, 2 remote access, 3 remote invalid request, 4 remote \
             operation, 5 local DMA, 6 flushed, 7 RNR retry exceeded, 8 bad READ response",
        ),
        bits(
            3,
            "kind",
            8,
            7,
            "0 work request, 1 WRITE with immediate received, 2 submission ring not readable",
        ),
        bits(3, "phase", 15, 1, "1 in the first pass through the ring, then alternating"),
        bits(3, "flow", 16, 16, "QP index"),
    ],
};

/// All records.
pub const LAYOUTS: &[Layout] = &[QUEUE_PAIR, MEMORY_REGION, WORK_REQUEST, COMPLETION];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{MrRow, QpRow, Row, WrRow};

    /// What the codec leaves of a row with only this part set to ones.
    fn kept(part: &Part, codec: impl Fn(&Row) -> Row) -> (Row, Row) {
        let mut row = [0; 16];
        for n in 0..part.word_count {
            let mask = u32::MAX >> (32 - u32::from(part.field.width));
            row[usize::from(part.word + n)] = mask << part.field.lsb;
        }
        (codec(&row), row)
    }

    #[test]
    fn layouts_are_those_of_the_rows() {
        for part in QUEUE_PAIR.parts {
            let (got, set) = kept(part, |row| QpRow::from_row(row).to_row());
            assert_eq!(got, set, "qp.{}", part.field.name);
        }
        for part in MEMORY_REGION.parts {
            let (got, set) = kept(part, |row| MrRow::from_row(row).to_row());
            assert_eq!(got, set, "mr.{}", part.field.name);
        }
        // Operation 3 does not exist.
        for part in WORK_REQUEST.parts.iter().filter(|p| p.field.name != "operation") {
            let (got, set) = kept(part, |row| WrRow::from_row(row).to_row());
            assert_eq!(got, set, "wr.{}", part.field.name);
        }
        let all = |layout: &Layout| {
            let mut row = [0_u32; 16];
            for part in layout.parts {
                let (_, set) = kept(part, |row| *row);
                for (all, one) in row.iter_mut().zip(set) {
                    assert_eq!(*all & one, 0, "{}.{} overlaps", layout.name, part.field.name);
                    *all |= one;
                }
            }
            row
        };
        // Nothing of a row is left out.
        let ones = [u32::MAX; 16];
        assert_eq!(all(&QUEUE_PAIR), QpRow::from_row(&ones).to_row());
        assert_eq!(all(&MEMORY_REGION), MrRow::from_row(&ones).to_row());
        assert_eq!(all(&WORK_REQUEST)[1..], WrRow::from_row(&ones).to_row()[1..]);
        assert_eq!(all(&COMPLETION)[..4], ones[..4]);
    }
}
