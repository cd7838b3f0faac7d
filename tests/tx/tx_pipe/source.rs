//! Data packets that leave with the header of a standard telemetry format: known answers, a decoder
//! of their own, and the breaks that both must notice.

use super::{in_flows_of, random_frames, send_with};
use nic_models::golden::tx::pipe::{TxPipe, TxPipeIn};
use nic_models::reference::{ifa, int_md, ioam};
use nic_models::streams::AnyPacket;
use nic_spec::rows::QpRow;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use rdma_nic::{assert_runs_catch, gbe, hundred, lock_step, Runs};

/// Values of `cfg_tel_data`: INT-MD by its DSCP, IOAM, IFA, INT-MD by its port.
const INT_BY_DSCP: u8 = 3;
const IOAM: u8 = 4;
const IFA: u8 = 5;
const INT_BY_PORT: u8 = 6;

/// What known answers have in common: a queue pair with telemetry and DSCP 10.
fn inputs(tel_data: u8, pkt: AnyPacket) -> TxPipeIn {
    let row = QpRow {
        telemetry: true,
        dscp: 0x0a,
        remote_mac: 0x0200_0000_0002,
        remote_ip: 0x0a00_0002,
        remote_qpn: 0x01_0203,
        udp_source_port: 0xc001,
        ..QpRow::default()
    };
    TxPipeIn {
        cfg_local_mac: 0x0200_0000_0001,
        cfg_local_ip: 0x0a00_0001,
        cfg_pkey: 0xffff,
        cfg_ttl: 64,
        cfg_tel_data: tel_data,
        cfg_tel_echo: 1,
        cfg_tel_dscp: 0x13,
        cfg_tel_echo_dscp: 0x17,
        cfg_tel_port: 0x1b6d,
        cfg_row: super::cfg_row(row),
        s_pkt: AnyPacket { psn: 0x44_5566, payload_bytes: 8, ..pkt },
        ..TxPipeIn::default()
    }
}

fn write_last() -> AnyPacket {
    AnyPacket { opcode: opcode::WRITE_LAST, ack_req: true, ..AnyPacket::default() }
}

fn read_response() -> AnyPacket {
    let response = AnyPacket { flow: 64, syndrome: 0x1f, msn: 7, ..AnyPacket::default() };
    AnyPacket { opcode: opcode::READ_RESPONSE_ONLY, ..response }
}

const PAYLOAD: [u8; 8] = [0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38];
const ETHERNET: [u8; 14] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0];
const WRITE_BTH: [u8; 12] = [0x08, 0x00, 0xff, 0xff, 0, 1, 2, 3, 0x80, 0x44, 0x55, 0x66];
const RESPONSE_BTH: [u8; 12] = [0x10, 0x00, 0xff, 0xff, 0, 1, 2, 3, 0x00, 0x44, 0x55, 0x66];
const AETH: [u8; 4] = [0x1f, 0, 0, 7];
/// ICRCs of the two packets without telemetry: CRC-32 of what annex A17 has covered.
const WRITE_ICRC: [u8; 4] = [0x9b, 0x92, 0x82, 0x01];
const RESPONSE_ICRC: [u8; 4] = [0x29, 0x32, 0xe2, 0xce];

/// The Verilog and the golden model send exactly these bytes, at both widths.
fn assert_sends(i: TxPipeIn, wanted: &[&[u8]]) {
    for config in [gbe(), hundred()] {
        let source = Runs::of_block("tx_pipe", &config, [], 0).source().clone();
        let engine = lock_step(TxPipe::new(&config), &source, 1);
        let i = in_flows_of(&config, i);
        assert_eq!(send_with(engine, i, &PAYLOAD, config.data_bytes()), wanted.concat());
    }
}

/// NPT 0: the DSCP marks the packet, the shim keeps the queue pair's own in bits 7:2 of its last byte.
#[test]
fn tx_pipe_makes_the_bytes_of_int_md_that_a_dscp_marks() {
    assert_sends(
        inputs(INT_BY_DSCP, write_last()),
        &[
            &ETHERNET,
            &[0x45, 0x13 << 2, 0, 68, 0, 0, 0x40, 0, 64, 17, 0x26, 0x5b],
            &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0x01, 0x12, 0xb7, 0, 48, 0, 0],
            &[0x10, 3, 0, 0x0a << 2],  // INT-MD, NPT 0, three words, DSCP 10
            &[0x20, 0x00, 0x06, 0x05], // version 2, six words a hop, five hops
            &[0xd5, 0x00, 0, 0],       // node, interfaces, queue, egress time, utilisation
            &[0, 0, 0, 0],             // no domain
            &WRITE_BTH,
            &PAYLOAD,
            &WRITE_ICRC,
        ],
    );
}

/// NPT 1: the UDP port marks the packet, the shim keeps 4791, the DSCP stays.
#[test]
fn tx_pipe_makes_the_bytes_of_int_md_that_a_port_marks() {
    assert_sends(
        inputs(INT_BY_PORT, read_response()),
        &[
            &ETHERNET,
            &[0x45, 0x0a << 2, 0, 72, 0, 0, 0x40, 0, 64, 17, 0x26, 0x7b],
            &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0x01, 0x1b, 0x6d, 0, 52, 0, 0],
            &[0x14, 3, 0x12, 0xb7], // INT-MD, NPT 1, three words, port 4791
            &[0x20, 0x00, 0x06, 0x05],
            &[0xd5, 0x00, 0, 0],
            &[0, 0, 0, 0],
            &RESPONSE_BTH,
            &AETH,
            &PAYLOAD,
            &RESPONSE_ICRC,
        ],
    );
}

/// An incremental trace without nodes: five of six words each may come, of five words where fractions of
/// a second are binary and no seconds are needed.
#[test]
fn tx_pipe_makes_the_bytes_of_ioam() {
    let with_seconds: [u8; 6] = [0x30, 0x1e, 0xf2, 0x08, 0x00, 0x00];
    let binary: [u8; 6] = [0x28, 0x19, 0xd2, 0x08, 0x00, 0x00];
    for (cfg_tel_time_binary, sizes_and_type) in [(false, with_seconds), (true, binary)] {
        assert_sends(
            TxPipeIn { cfg_tel_time_binary, ..inputs(IOAM, write_last()) },
            &[
                &ETHERNET,
                &[0x45, 0x13 << 2, 0, 64, 0, 0, 0x40, 0, 64, 17, 0x26, 0x5f],
                &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0x01, 0x12, 0xb7, 0, 44, 0, 0],
                &[1, 2, 0, 0], // incremental trace, two words
                &[0, 0],       // default namespace
                &sizes_and_type,
                &WRITE_BTH,
                &PAYLOAD,
                &WRITE_ICRC,
            ],
        );
    }
}

/// IFA's header stands between IPv4, whose protocol is 253, and UDP, whose length does not count the
/// metadata's header behind it.
#[test]
fn tx_pipe_makes_the_bytes_of_ifa() {
    assert_sends(
        inputs(IFA, read_response()),
        &[
            &ETHERNET,
            &[0x45, 0x0a << 2, 0, 64, 0, 0, 0x40, 0, 64, 253, 0x25, 0x97],
            &[10, 0, 0, 1, 10, 0, 0, 2],
            &[0x2f, 17, 0x04, 255], // version 2, local name space, UDP behind, in band, 255 words
            &[0xc0, 0x01, 0x12, 0xb7, 0, 36, 0, 0],
            &[0, 0, 64, 0], // no requests, no actions, hop limit, no words
            &RESPONSE_BTH,
            &AETH,
            &PAYLOAD,
            &RESPONSE_ICRC,
        ],
    );
}

/// A packet without telemetry of a queue pair with it, and one of a queue pair without: the plain packet.
#[test]
fn tx_pipe_sends_bare_packets_without_a_standard_header() {
    for form in [INT_BY_DSCP, IOAM, IFA, INT_BY_PORT] {
        let mut bare = inputs(form, write_last());
        bare.s_pkt.bare = true;
        let mut off = inputs(form, write_last());
        off.cfg_row.0[0] &= !2;
        for i in [bare, off] {
            assert_sends(
                i,
                &[
                    &ETHERNET,
                    &[0x45, 0x0a << 2, 0, 52, 0, 0, 0x40, 0, 64, 17, 0x26, 0x8f],
                    &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0x01, 0x12, 0xb7, 0, 32, 0, 0],
                    &WRITE_BTH,
                    &PAYLOAD,
                    &WRITE_ICRC,
                ],
            );
        }
    }
}

fn be16(bytes: &[u8], at: usize) -> usize {
    usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])
}

/// The IPv4 header with lengths, checksum and DSCP as they would be without telemetry.
fn set_ip(frame: &mut [u8], length: usize, dscp: u8) {
    frame[16..18].copy_from_slice(&(length as u16).to_be_bytes());
    frame[15] = dscp << 2;
    frame[24..26].fill(0);
    let sum = (14..34).step_by(2).map(|at| be16(frame, at) as u32).sum::<u32>();
    let folded = (sum & 0xffff) + (sum >> 16);
    frame[24..26].copy_from_slice(&(!((folded & 0xffff) + (folded >> 16)) as u16).to_be_bytes());
}

/// Whether the IPv4 header's checksum is right, and its length the frame's.
fn has_good_ip(frame: &[u8]) -> bool {
    let sum = (14..34).step_by(2).map(|at| be16(frame, at) as u32).sum::<u32>();
    (sum & 0xffff) + (sum >> 16) == 0xffff && be16(frame, 16) + 14 == frame.len()
}

/// The plain packet of a frame with INT-MD of zero hops, by offsets of the specification alone.
fn without_int(frame: &[u8], i: &TxPipeIn) -> Option<Vec<u8>> {
    let by_port = i.cfg_tel_data == INT_BY_PORT;
    let is_marked = match by_port {
        true => be16(frame, 36) == usize::from(i.cfg_tel_port),
        false => frame[15] >> 2 == i.cfg_tel_dscp,
    };
    if !is_marked || frame[23] != 17 {
        return None;
    }
    assert!(has_good_ip(frame) && be16(frame, 38) + 20 == be16(frame, 16), "{frame:02x?}");
    let (shim, rest) = (&frame[42..46], &frame[46..58]);
    assert_eq!(shim[0] >> 4, 1, "INT-MD");
    assert_eq!((shim[0] >> 2 & 3, shim[0] & 3), (u8::from(by_port), 0), "NPT");
    assert_eq!(usize::from(shim[1]) * 4, rest.len(), "no stack");
    assert_eq!(rest, [0x20, 0, 6, 5, 0xd5, 0, 0, 0, 0, 0, 0, 0]);
    let mut plain = [&frame[..42], &frame[58..]].concat();
    let (length, udp_length) = (be16(frame, 16) - 16, be16(frame, 38) - 16);
    let dscp = if by_port { frame[15] >> 2 } else { shim[3] >> 2 };
    set_ip(&mut plain, length, dscp);
    plain[38..40].copy_from_slice(&(udp_length as u16).to_be_bytes());
    if by_port {
        plain[36..38].copy_from_slice(&shim[2..4]);
    }
    Some(plain)
}

/// The plain packet, but for the DSCP that no header keeps, of a frame with an IOAM trace without nodes.
fn without_ioam(frame: &[u8], i: &TxPipeIn) -> Option<Vec<u8>> {
    if frame[15] >> 2 != i.cfg_tel_dscp || frame[23] != 17 {
        return None;
    }
    assert!(has_good_ip(frame) && be16(frame, 38) + 20 == be16(frame, 16), "{frame:02x?}");
    assert_eq!(frame[42..46], [1, 2, 0, 0], "incremental trace, two words");
    let (node_words, trace_type) = (frame[48] >> 3, &frame[50..54]);
    let count = trace_type[..3].iter().map(|byte| byte.count_ones()).sum::<u32>();
    assert_eq!((u32::from(node_words), frame[48] & 7), (count, 0), "a word for each bit, no flags");
    assert_eq!(frame[49], 5 * node_words, "room for five nodes");
    assert_eq!(trace_type[0] & 0x20 == 0, i.cfg_tel_time_binary, "seconds unless binary");
    assert_eq!((trace_type[0] | 0x20, &trace_type[1..]), (0xf2, &[0x08, 0, 0][..]));
    let mut plain = [&frame[..42], &frame[54..]].concat();
    let (length, udp_length) = (be16(frame, 16) - 12, be16(frame, 38) - 12);
    set_ip(&mut plain, length, frame[15] >> 2);
    plain[38..40].copy_from_slice(&(udp_length as u16).to_be_bytes());
    Some(plain)
}

/// The plain packet of a frame with IFA of zero hops.
fn without_ifa(frame: &[u8], _: &TxPipeIn) -> Option<Vec<u8>> {
    if frame[23] != 253 {
        return None;
    }
    assert!(has_good_ip(frame), "{frame:02x?}");
    let (header, metadata) = (&frame[34..38], &frame[46..50]);
    assert_eq!((header[0] >> 4, header[0] & 15), (2, 15), "version, local name space");
    assert_eq!((header[2], header[3]), (0b100, 255), "in band, the stack in front of the payload");
    // The sink takes six hops less than the limit for all that there were.
    assert!(metadata[..2] == [0, 0] && metadata[2] > 5 && metadata[3] == 0, "{metadata:?}");
    assert_eq!(be16(frame, 42) + 28, be16(frame, 16), "UDP as it would be without");
    let mut plain = [&frame[..34], &frame[38..46], &frame[50..]].concat();
    plain[23] = header[1];
    set_ip(&mut plain, be16(frame, 16) - 8, frame[15] >> 2);
    Some(plain)
}

/// Frames of the random stimulus: what is decoded by hand is, without its telemetry, a good RoCEv2 packet
/// with the ICRC that it has; the others are plain packets, or echoes in the paper's form.
#[test]
fn tx_pipe_frames_with_a_standard_header_decode() {
    for seed in [3, 4, 5, 6, 10, 11, 12, 13] {
        let (frames, i) = random_frames(&gbe(), seed, 120_000);
        let (mut decoded, mut opcodes) = (0, std::collections::BTreeSet::new());
        for frame in frames.iter().filter(|f| {
            f.len() > 60 && f[6..12] == i.cfg_local_mac.to_be_bytes()[2..] && f[12..14] == [8, 0]
        }) {
            // A plain packet whose queue pair happens to have the marking DSCP.
            if FrameRepr::parse(frame, None).is_ok() {
                continue;
            }
            let without = match i.cfg_tel_data {
                IOAM => without_ioam,
                IFA => without_ifa,
                _ => without_int,
            };
            let Some(plain) = without(frame, &i) else { continue };
            let repr =
                FrameRepr::parse(&plain, None).unwrap_or_else(|e| panic!("{e}: {frame:02x?}"));
            // What the drafts' readers say of it: understood, and no hop yet.
            match i.cfg_tel_data {
                IOAM => {
                    let nodes = ioam::nodes(&frame[42..], i.cfg_tel_time_binary);
                    assert_eq!(nodes, Some(vec![]), "{frame:02x?}");
                }
                IFA => assert_eq!(ifa::hops(&frame[34..]), Some(vec![]), "{frame:02x?}"),
                _ => assert_eq!(int_md::hops(&frame[42..]), Some(vec![]), "{frame:02x?}"),
            }
            opcodes.insert(repr.bth.opcode);
            decoded += 1;
        }
        println!("seed {seed}, form {}: {decoded} frames", i.cfg_tel_data);
        let wanted = (0x06..=0x10).chain([0xc2, 0xc4]);
        assert!(decoded > 40 && opcodes.into_iter().eq(wanted), "seed {seed}: {decoded}");
    }
}

/// Breaks that only packets with a standard header show, from the seeds that have one.
#[test]
fn tx_pipe_breaks_of_standard_headers_are_caught() {
    let int_md = [
        // Hop length, version, port that the shim keeps, marking port, marking DSCP, bytes.
        ("400'h1003_0000_2000_0605", "400'h1003_0000_2000_0604"),
        ("400'h1003_0000_2000", "400'h1003_0000_1000"),
        ("{394'd0, s_peer[125:120]} << 306", "{394'd0, s_peer[125:120]} << 304"),
        ("400'h1403_12b7_2000", "400'h1403_12b8_2000"),
        ("target_port = cfg_tel_port", "target_port = roce_port"),
        ("if (marks_dscp)", "if (1'b1)"),
        ("new_tel = 6'd16", "new_tel = 6'd12"),
    ];
    let ioam = [
        // Option type, words of five nodes, trace type, marking DSCP, bytes.
        ("400'h102_0000_0000_301e", "400'h2_0000_0000_301e"),
        ("400'h102_0000_0000_301e", "400'h102_0000_0000_3018"),
        ("400'h102_0000_0000_2819_d208", "400'h102_0000_0000_2819_d200"),
        ("(cfg_tel_data == 3'd4)", "1'b0"),
        ("new_tel = 6'd12", "new_tel = 6'd16"),
    ];
    let ifa = [
        // Header, protocol and its checksum, hop limit, UDP's length, bytes.
        ("400'h2f11_04ff", "400'h2f11_00ff"),
        ("headers[87:80] = 8'd253", "headers[87:80] = 8'd17"),
        ("new_sum_tel = 16'd244", "new_sum_tel = 16'd8"),
        ("0000_0000_0000_4000_0000", "0000_0000_0000_3f00_0000"),
        ("udp_length = s_sizes[74:59]", "udp_length = s_sizes[42:27]"),
        ("new_tel = 6'd8", "new_tel = 6'd12"),
    ];
    for (seeds, breaks) in [([3, 4], &int_md[..]), ([5, 12], &ioam), ([6, 13], &ifa)] {
        assert_runs_catch(&[Runs::of_block("tx_pipe", &gbe(), seeds, 20_000)], breaks);
    }
}
