//! RDMA READ.
//!
//! A function of rows is a table, so its length is that of the table.

use super::{only, write3, Row};
use crate::conformance::frames::*;
use nic_models::reference::rc::Answer;
use nic_spec::wire::aeth::syndrome::*;
use nic_spec::wire::bth::opcode::*;
use std::ops::Range;

const FIRST: u8 = READ_RESPONSE_FIRST;
const MIDDLE: u8 = READ_RESPONSE_MIDDLE;
const LAST: u8 = READ_RESPONSE_LAST;
const ONLY: u8 = READ_RESPONSE_ONLY;

const TAKEN: &str = "resp_accepted";
const DUPLICATE: &str = "resp_duplicate";

/// Byte `at` of the region.
fn stored(at: usize) -> u8 {
    (at * 7 + at / 256) as u8
}

/// A READ of `len` bytes at `VA + at`.
fn read(psn: u32, at: u64, len: u32) -> Packet {
    Packet::new(READ_REQUEST, psn).reth(VA + at, RKEY, len).ack_req()
}

/// A response with these bytes of the region. MIDDLE has no AETH, so no MSN.
fn response(opcode: u8, psn: u32, msn: u32, bytes: Range<usize>) -> Answer {
    let msn = if opcode == MIDDLE { 0 } else { msn };
    let answer = Answer::acknowledge(psn & 0xff_ffff, ACK, msn);
    Answer { opcode, payload: bytes.map(stored).collect(), ..answer }
}

/// The responses to a READ of 600 bytes at the front of the region.
fn three(psn: u32, msn: u32) -> Vec<Answer> {
    vec![
        response(FIRST, psn, msn, 0..256),
        response(MIDDLE, psn + 1, msn, 256..512),
        response(LAST, psn + 2, msn, 512..600),
    ]
}

/// The responses to a READ of the whole region.
fn sixteen(psn: u32, msn: u32) -> Vec<Answer> {
    let opcode = |n| match n {
        0 => FIRST,
        15 => LAST,
        _ => MIDDLE,
    };
    let answer = |n: usize| response(opcode(n), psn + n as u32, msn, 256 * n..256 * (n + 1));
    (0..16).map(answer).collect()
}

fn ack(psn: u32, msn: u32) -> Answer {
    Answer::acknowledge(psn, ACK, msn)
}

impl Row {
    fn over_bytes(name: &'static str) -> Self {
        Self { stored, ..Self::new(name) }
    }

    /// Taken, with these responses.
    fn reads(self, packet: Packet, answers: Vec<Answer>) -> Self {
        self.step(packet, TAKEN, answers)
    }

    /// Asked for again, with these responses.
    fn rereads(self, packet: Packet, answers: Vec<Answer>) -> Self {
        self.step(packet, DUPLICATE, answers)
    }

    /// A READ of 600 bytes, taken first.
    fn read3(self) -> Self {
        self.reads(read(PSN, 0, 600), three(PSN, 1))
    }
}

fn answered_rows() -> Vec<Row> {
    let row = Row::over_bytes;
    vec![
        row("READ of nothing").reads(read(PSN, 0, 0), vec![response(ONLY, PSN, 1, 0..0)]),
        row("READ of nothing needs no region")
            .reads(read(PSN, 0, 0).reth(0xdead, 0x9900, 0), vec![response(ONLY, PSN, 1, 0..0)]),
        row("READ of one byte").reads(read(PSN, 5, 1), vec![response(ONLY, PSN, 1, 5..6)]),
        row("READ of one MTU").reads(read(PSN, 0, 256), vec![response(ONLY, PSN, 1, 0..256)]),
        row("READ of one byte more than the MTU").reads(
            read(PSN, 3, 257),
            vec![response(FIRST, PSN, 1, 3..259), response(LAST, PSN + 1, 1, 259..260)],
        ),
        row("READ of three packets").read3(),
        row("READ to the last byte of a region")
            .reads(read(PSN, REGION_BYTES - 1, 1), vec![response(ONLY, PSN, 1, 4095..4096)]),
        row("READ without AckReq is answered").reads(
            Packet { ack_req: false, ..read(PSN, 0, 256) },
            vec![response(ONLY, PSN, 1, 0..256)],
        ),
        row("READ of many packets, over the wrap of the PSN")
            .first_psn(0xff_fffa)
            .reads(read(0xff_fffa, 0, 4096), sixteen(0xff_fffa, 1))
            .acked(only(10, 0, 1, 4), 2)
            .memory(0..4, 1),
        row("READ takes the PSNs of its responses, and counts as one message")
            .read3()
            .gap(only(PSN + 4, 0, 9, 4), PSN + 3, 1)
            .acked(only(PSN + 3, 0, 1, 4), 2)
            .reads(read(PSN + 4, 512, 8), vec![response(ONLY, PSN + 4, 3, 512..520)])
            .memory(0..4, 1),
        row("READ behind a WRITE sees its bytes")
            .acked(only(PSN, 0, 0xee, 256), 1)
            .reads(
                read(PSN + 1, 0, 257),
                vec![
                    Answer { payload: vec![0xee; 256], ..response(FIRST, PSN + 1, 2, 0..0) },
                    response(LAST, PSN + 2, 2, 256..257),
                ],
            )
            .memory(0..256, 0xee),
        row("lost request: the next READ is a gap")
            .gap(read(PSN + 3, 0, 600), PSN, 0)
            .silent(read(PSN + 6, 0, 600), "resp_out_of_sequence")
            .read3()
            .reads(read(PSN + 3, 0, 600), three(PSN + 3, 2)),
        row("READ requests reordered by 1")
            .gap(read(PSN + 3, 0, 600), PSN, 0)
            .read3()
            .reads(read(PSN + 3, 0, 600), three(PSN + 3, 2)),
        (1..=7)
            .fold(row("READ requests reordered by 7"), |row, n| match n {
                1 => row.gap(read(PSN + 3 * n, 0, 600), PSN, 0),
                _ => row.silent(read(PSN + 3 * n, 0, 600), "resp_out_of_sequence"),
            })
            .read3()
            .gap(read(PSN + 6, 0, 600), PSN + 3, 1)
            .reads(read(PSN + 3, 0, 600), three(PSN + 3, 2)),
        row("lost WRITE before a READ")
            .gap(read(PSN + 1, 0, 600), PSN, 0)
            .acked(only(PSN, 4000, 1, 4), 1)
            .reads(read(PSN + 1, 0, 600), three(PSN + 1, 2))
            .memory(4000..4004, 1),
        row("WRITE at a PSN of a READ's responses is a duplicate")
            .read3()
            .again(only(PSN + 1, 0, 9, 4), PSN + 2, 1)
            .again(only(PSN + 2, 0, 9, 4), PSN + 2, 1)
            .acked(only(PSN + 3, 4000, 1, 4), 2)
            .memory(4000..4004, 1),
    ]
}

fn repeated_rows() -> Vec<Row> {
    let row = Row::over_bytes;
    let tail = || three(PSN, 1).split_off(1);
    vec![
        row("duplicate READ").read3().rereads(read(PSN, 0, 600), three(PSN, 1)),
        row("duplicate READ of nothing")
            .reads(read(PSN, 0, 0), vec![response(ONLY, PSN, 1, 0..0)])
            .rereads(read(PSN, 0, 0), vec![response(ONLY, PSN, 1, 0..0)])
            .acked(only(PSN + 1, 0, 1, 4), 2)
            .memory(0..4, 1),
        row("READ resumed in the middle").read3().rereads(read(PSN + 1, 256, 344), tail()),
        row("READ resumed at its last packet")
            .read3()
            .rereads(read(PSN + 2, 512, 88), tail().split_off(1)),
        row("part of a READ asked for again")
            .read3()
            .rereads(read(PSN, 0, 256), vec![response(ONLY, PSN, 1, 0..256)]),
        row("duplicate READ, thrice")
            .read3()
            .rereads(read(PSN, 0, 600), three(PSN, 1))
            .rereads(read(PSN + 1, 256, 344), tail())
            .rereads(read(PSN, 0, 600), three(PSN, 1)),
        row("duplicate READ over the wrap of the PSN")
            .first_psn(0xff_fffa)
            .reads(read(0xff_fffa, 0, 4096), sixteen(0xff_fffa, 1))
            .rereads(read(0xff_fffe, 1024, 3072), sixteen(0xff_fffa, 1).split_off(4))
            .rereads(read(2, 2048, 2048), sixteen(0xff_fffa, 1).split_off(8)),
        row("duplicate READ older than the newest WRITE: the bytes of now, the MSN of now")
            .read3()
            .acked(only(PSN + 3, 512, 0xee, 88), 2)
            .rereads(
                read(PSN, 0, 600),
                [
                    three(PSN, 2)[..2].to_vec(),
                    vec![Answer { payload: vec![0xee; 88], ..three(PSN, 2)[2].clone() }],
                ]
                .concat(),
            )
            .acked(only(PSN + 4, 0, 1, 4), 3)
            .memory(512..600, 0xee)
            .memory(0..4, 1),
        row("duplicate of the first of three READs, and of the second")
            .read3()
            .reads(read(PSN + 3, 0, 600), three(PSN + 3, 2))
            .reads(read(PSN + 6, 0, 600), three(PSN + 6, 3))
            .rereads(read(PSN, 0, 600), three(PSN, 3))
            .rereads(
                read(PSN + 4, 256, 344),
                vec![response(MIDDLE, PSN + 4, 3, 256..512), response(LAST, PSN + 5, 3, 512..600)],
            )
            .acked(only(PSN + 9, 0, 1, 4), 4)
            .memory(0..4, 1),
        row("duplicate READ while a gap is open")
            .read3()
            .gap(only(PSN + 4, 0, 9, 4), PSN + 3, 1)
            .rereads(read(PSN, 0, 600), three(PSN, 1))
            .acked(only(PSN + 3, 0, 1, 4), 2)
            .memory(0..4, 1),
        row("duplicate READ inside a WRITE: the message goes on")
            .read3()
            .taken(Packet::new(WRITE_FIRST, PSN + 3).reth(VA + 1024, RKEY, 300).payload(1, 256))
            .rereads(read(PSN, 0, 600), three(PSN, 1))
            .acked(Packet::new(WRITE_LAST, PSN + 4).payload(1, 44).ack_req(), 2)
            .memory(1024..1324, 1),
    ]
}

/// Duplicates that are wrong are dropped: no NAK may answer a packet from before the expected PSN.
fn dropped_rows() -> Vec<Row> {
    let drop = |name, packet| {
        Row::over_bytes(name)
            .read3()
            .silent(packet, DUPLICATE)
            .rereads(read(PSN, 0, 600), three(PSN, 1))
            .acked(only(PSN + 3, 0, 1, 4), 2)
            .memory(0..4, 1)
    };
    vec![
        drop("duplicate READ that ends behind all that was asked for", read(PSN, 0, 769)),
        drop("duplicate READ, resumed, longer than it was", read(PSN + 2, 512, 257)),
        drop("duplicate READ longer than it was, in the same packets", read(PSN, 0, 601)),
        drop("duplicate READ of the byte behind it", read(PSN, 600, 1)),
        drop("duplicate READ of more PSNs than are left of it", read(PSN + 2, 0, 257)),
        drop("duplicate READ with the rkey of no region", read(PSN, 0, 600).reth(VA, 0x0300, 600)),
        drop("duplicate READ with the wrong key", read(PSN, 0, 600).reth(VA, RKEY + 1, 600)),
        drop(
            "duplicate READ of a region without remote read",
            read(PSN, 0, 600).reth(VA, CLOSED_RKEY, 600),
        ),
        drop("duplicate READ with the rkey of another region that is open, too", {
            read(PSN, 0, 600).reth(VA, OTHER_RKEY, 600)
        }),
        drop("duplicate READ, resumed, with the rkey of another open region", {
            read(PSN + 1, 256, 344).reth(VA + 256, OTHER_RKEY, 344)
        }),
        Row::over_bytes("READs of the same bytes under two rkeys, each asked for again")
            .read3()
            .reads(read(PSN + 3, 0, 600).reth(VA, OTHER_RKEY, 600), three(PSN + 3, 2))
            .silent(read(PSN, 0, 600).reth(VA, OTHER_RKEY, 600), DUPLICATE)
            .silent(read(PSN + 3, 0, 600), DUPLICATE)
            .rereads(read(PSN, 0, 600), three(PSN, 2))
            .rereads(read(PSN + 3, 0, 600).reth(VA, OTHER_RKEY, 600), three(PSN + 3, 2))
            .acked(only(PSN + 6, 0, 1, 4), 3)
            .memory(0..4, 1),
        drop("duplicate READ that begins before the region", read(PSN, 0, 4).reth(VA - 1, RKEY, 4)),
        drop("duplicate READ that ends behind the region", read(PSN, REGION_BYTES - 3, 4)),
        drop("duplicate READ above 2^31 bytes", read(PSN, 0, (1 << 31) + 1)),
        drop("duplicate READ with payload", read(PSN, 0, 4).payload(1, 4)),
        drop("duplicate atomic", Packet::new(FETCH_ADD, PSN).payload(0, 28)),
        // What was no READ is none when it is asked for again.
        Row::over_bytes("duplicate READ at the PSN of a WRITE")
            .read3()
            .acked(only(PSN + 3, 4000, 1, 4), 2)
            .acked(only(PSN + 4, 4004, 1, 4), 3)
            .silent(read(PSN + 3, 0, 4), DUPLICATE)
            .silent(read(PSN + 2, 512, 257), DUPLICATE)
            .silent(read(PSN + 1, 0, 600), DUPLICATE)
            .rereads(read(PSN, 0, 600), three(PSN, 3))
            .memory(4000..4008, 1),
        Row::over_bytes("duplicate READ of the bytes before those of the READ")
            .reads(read(PSN, 256, 4), vec![response(ONLY, PSN, 1, 256..260)])
            .silent(read(PSN, 255, 4), DUPLICATE)
            .silent(read(PSN, 0, 4), DUPLICATE)
            .rereads(read(PSN, 258, 2), vec![response(ONLY, PSN, 1, 258..260)]),
        Row::over_bytes("duplicate READ in the PSNs of one and the bytes of another")
            .read3()
            .reads(read(PSN + 3, 1024, 4), vec![response(ONLY, PSN + 3, 2, 1024..1028)])
            .silent(read(PSN, 1024, 4), DUPLICATE)
            .silent(read(PSN + 3, 0, 4), DUPLICATE)
            .rereads(read(PSN + 3, 1024, 4), vec![response(ONLY, PSN + 3, 2, 1024..1028)]),
    ]
}

fn refused_rows() -> Vec<Row> {
    let row = Row::over_bytes;
    let [a, b, c] = write3(PSN, 1);
    let (invalid, access) = (NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS);
    let refuse = |name, packet: Packet, syndrome| {
        Row::over_bytes(name)
            .refused(packet, syndrome, 0)
            .silent(read(PSN, 0, 4), "resp_no_qp")
            .silent(only(PSN, 0, 9, 4), "resp_no_qp")
    };
    vec![
        refuse("READ with the rkey of no region", read(PSN, 0, 4).reth(VA, 0x0300, 4), access),
        refuse("READ with the wrong key", read(PSN, 0, 4).reth(VA, RKEY + 1, 4), access),
        refuse(
            "READ of a region without remote read",
            read(PSN, 0, 4).reth(VA, CLOSED_RKEY, 4),
            access,
        ),
        refuse("READ begins before the region", read(PSN, 0, 4).reth(VA - 1, RKEY, 4), access),
        refuse("READ ends behind the region: not a byte leaves", read(PSN, 1, 4096), access),
        refuse("READ whose address wraps", read(PSN, 0, 4).reth(u64::MAX - 1, RKEY, 4), access),
        refuse("READ of 2^31 bytes is too long for the region", read(PSN, 0, 1 << 31), access),
        refuse("READ above 2^31 bytes", read(PSN, 0, (1 << 31) + 1), invalid),
        refuse("READ of 2^32 - 1 bytes", read(PSN, 0, u32::MAX), invalid),
        refuse("READ with payload", read(PSN, 0, 4).payload(1, 4), invalid),
        refuse("READ on a queue pair without remote read", read(PSN, 0, 4), invalid)
            .qp(|qp| qp.remote_read = false),
        refuse("compare-and-swap is not supported", swap(PSN), invalid),
        refuse("SEND of many packets is not supported", send(PSN), invalid),
        row("READ inside a WRITE")
            .taken(a.clone())
            .refused(read(PSN + 1, 0, 4), invalid, 0)
            .silent(Packet { psn: PSN + 1, ..b.clone() }, "resp_no_qp")
            .memory(0..256, 1),
        row("middle of a WRITE behind a READ").read3().refused(
            Packet { psn: PSN + 3, ..b },
            invalid,
            1,
        ),
        row("last of a WRITE behind a READ").read3().refused(
            Packet { psn: PSN + 3, ..c },
            invalid,
            1,
        ),
        row("READ behind an error is not answered, nor is a duplicate")
            .read3()
            .refused(read(PSN + 3, 4096, 4), access, 1)
            .silent(read(PSN, 0, 600), "resp_no_qp"),
    ]
}

fn swap(psn: u32) -> Packet {
    Packet::new(COMPARE_SWAP, psn).payload(0, 28)
}

fn send(psn: u32) -> Packet {
    Packet::new(SEND_FIRST, psn).payload(1, 256)
}

/// Requests that come faster than they are answered. A WRITE behind a READ goes where that does not
/// read: without a fence the standard lets it land first.
fn outstanding_rows() -> Vec<Row> {
    let row = Row::over_bytes;
    let reads = |count: u32| -> Vec<(Packet, &'static str)> {
        (0..count).map(|n| (read(PSN + 16 * n, 0, 4096), TAKEN)).collect()
    };
    let responses = |count: u32| -> Vec<Answer> {
        (0..count).flat_map(|n| sixteen(PSN + 16 * n, n + 1)).collect()
    };
    let all = |parts: &[Vec<Answer>]| parts.concat();
    let nak = |psn, syndrome, msn| vec![Answer::acknowledge(psn, syndrome, msn)];
    let write = only(PSN + 3, 4000, 1, 4);
    vec![
        row("several READs are answered in order").burst(&reads(4), responses(4)),
        row("as many READs as may be outstanding").burst(&reads(16), responses(16)),
        row("one READ more than may be outstanding").burst(
            &[reads(16), vec![(read(PSN + 256, 0, 4), "resp_nak_invalid")]].concat(),
            all(&[responses(16), nak(PSN + 256, NAK_INVALID_REQUEST, 16)]),
        ),
        row("READ, WRITE, READ: the ACK does not overtake")
            .burst(
                &[
                    (read(PSN, 0, 600), TAKEN),
                    (write.clone(), TAKEN),
                    (read(PSN + 4, 0, 600), TAKEN),
                ],
                all(&[three(PSN, 1), vec![ack(PSN + 3, 2)], three(PSN + 4, 3)]),
            )
            .memory(4000..4004, 1),
        row("WRITE, READ: the response acknowledges both")
            .burst(
                &[(only(PSN, 4000, 1, 4), TAKEN), (read(PSN + 1, 0, 600), TAKEN)],
                all(&[vec![ack(PSN, 1)], three(PSN + 1, 2)]),
            )
            .memory(4000..4004, 1),
        row("READ, WRITE: the ACK comes behind the responses")
            .burst(
                &[(read(PSN, 0, 600), TAKEN), (write.clone(), TAKEN)],
                all(&[three(PSN, 1), vec![ack(PSN + 3, 2)]]),
            )
            .memory(4000..4004, 1),
        row("READ and several WRITEs: one ACK says it all")
            .burst(
                &[
                    (read(PSN, 0, 600), TAKEN),
                    (write.clone(), TAKEN),
                    (only(PSN + 4, 4008, 2, 4), TAKEN),
                    (only(PSN + 5, 4016, 3, 4), TAKEN),
                ],
                all(&[three(PSN, 1), (3..6).map(|n| ack(PSN + n, n - 1)).collect()]),
            )
            .memory(4000..4004, 1)
            .memory(4008..4012, 2)
            .memory(4016..4020, 3),
        row("READ, then a gap: the NAK comes behind the responses").burst(
            &[(read(PSN, 0, 600), TAKEN), (only(PSN + 4, 0, 9, 4), "resp_out_of_sequence")],
            all(&[three(PSN, 1), nak(PSN + 3, NAK_SEQUENCE, 1)]),
        ),
        row("READ, then what is refused: the NAK comes behind the responses").burst(
            &[(read(PSN, 0, 600), TAKEN), (send(PSN + 3), "resp_nak_invalid")],
            all(&[three(PSN, 1), nak(PSN + 3, NAK_INVALID_REQUEST, 1)]),
        ),
        row("READ, then a READ that is refused: its NAK comes behind the responses").burst(
            &[
                (read(PSN, 0, 600), TAKEN),
                (read(PSN + 3, 0, 4097), "resp_nak_access"),
                (read(PSN + 3, 0, 4), "resp_no_qp"),
            ],
            all(&[three(PSN, 1), nak(PSN + 3, NAK_REMOTE_ACCESS, 1)]),
        ),
        row("READs of nothing between READs").burst(
            &[
                (read(PSN, 0, 600), TAKEN),
                (read(PSN + 3, 0, 0), TAKEN),
                (read(PSN + 4, 0, 600), TAKEN),
            ],
            all(&[three(PSN, 1), vec![response(ONLY, PSN + 3, 2, 0..0)], three(PSN + 4, 3)]),
        ),
    ]
}

/// READ requests that are wrong below the transport, new ones and duplicates.
fn spoilt_rows() -> Vec<Row> {
    let drop = |name, spoilt, event| {
        Row::over_bytes(name)
            .silent(read(PSN, 0, 600).spoilt(spoilt), event)
            .read3()
            .silent(read(PSN, 0, 600).spoilt(spoilt), event)
            .rereads(read(PSN, 0, 600), three(PSN, 1))
    };
    vec![
        drop("READ with a bad ICRC", Spoilt::Icrc, "rx_drop_icrc"),
        drop("READ with a bad pkey", Spoilt::Pkey, "rx_drop_pkey"),
        drop("READ of another transport version", Spoilt::Version, "rx_drop_version"),
        drop("READ with the wrong QPN", Spoilt::Qpn, "resp_no_qp"),
        drop("READ of another host", Spoilt::SourceAddress, "resp_no_qp"),
        drop("READ with a bad IPv4 checksum", Spoilt::IpChecksum, "rx_drop_ip_checksum"),
        drop("truncated READ", Spoilt::Truncated, "rx_drop_truncated"),
    ]
}

pub(super) fn rows() -> Vec<Row> {
    let tables = [
        answered_rows(),
        repeated_rows(),
        dropped_rows(),
        refused_rows(),
        outstanding_rows(),
        spoilt_rows(),
    ];
    tables.into_iter().flatten().collect()
}
