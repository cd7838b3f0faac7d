//! IOAM: known answers, paths, malformed traces, and the reference.

use super::{
    captured_write, golden, lock_step, read_as_reference, with_ifa, with_telemetry, IFA_HEADER,
    IFA_HOST, IFA_TWO_HOPS, INT_HOST, INT_TWO_HOPS, NARROW,
};
use nic_models::reference::ioam;
use nic_sim::bench::rx::Host;
use nic_spec::wire::roce;

/// Two nodes of an IOAM trace with what HPCC asks for and seconds, typed from the figures of RFC
/// 9197 (sections 4.4.1 and 4.4.2) and RFC 9452: the newest first.
const IOAM_TWO_NODES: [u8; 60] = [
    0x01, 0x0e, 0x00, 0x00, // incremental trace, 14 words
    0x00, 0x00, 0x30, 0x12, // namespace 0, six words a node, no flags, 18 words left
    0xf2, 0x08, 0x00, 0x00, // bits 0, 1, 2, 3, 6, 12
    0x3e, 0x00, 0x02, 0x0b, // hop limit 62, node 0x20b
    0x00, 0x03, 0x00, 0x09, // in by 3, out by 9
    0x00, 0x00, 0x00, 0x03, // 3 s
    0x3b, 0x9a, 0xc9, 0xff, // 999999999 ns
    0x00, 0x00, 0x00, 0x21, // 33 cells
    0x12, 0x34, 0x56, 0x7f, // bytes sent
    0x3f, 0x00, 0x01, 0x0a, // hop limit 63, node 0x10a
    0x00, 0x01, 0x00, 0x02, // in by 1, out by 2
    0x65, 0x53, 0xf1, 0x00, // 1700000000 s
    0x00, 0x00, 0x00, 0x07, // 7 ns
    0x01, 0x00, 0x00, 0x00, // 16777216 cells: too many for the field
    0xff, 0xff, 0xff, 0xfe, // bytes sent
];

/// The hosts with IOAM.
const IOAM_HOST: Host = Host { tel_format: 4, ..INT_HOST };

/// Known answers: the same trace with and without a tag, times in ns and in binary fractions; the
/// ICRC is the captured packet's.
#[test]
fn rx_pipe_reads_ioam() {
    let plain = captured_write();
    let payload = roce::FrameRepr::parse(&plain, None).expect("a good frame").payload.to_vec();
    let mut rig = lock_step(NARROW, IOAM_HOST, 51);
    for tag in [false, true] {
        rig.send(&with_telemetry(&plain, &IOAM_TWO_NODES, 10, None, tag), false);
        rig.send_slowly(&with_telemetry(&plain, &IOAM_TWO_NODES, 10, None, tag));
    }
    rig.idle(200);
    assert_eq!((rig.count("req"), rig.unusable), (4, 0), "{:?}", rig.events);
    assert_eq!(rig.payloads, vec![payload; 4]);
    // 3999999999 and 1700000000000000007 mod 2^24; bytes over 128 mod 2^20.
    let times = [3_999_999_999_u64, 1_700_000_000_000_000_007].map(|ns| (ns % (1 << 24)) << 3);
    let records = [
        3 | times[0] | (0x1234_567f_u64 >> 7 & 0xf_ffff) << 27 | 33 << 47,
        4 | times[1] | 0xf_ffff << 27 | 0x1_ffff << 47,
    ];
    // Turned left by 5 in 12 bits and exclusive or; no hop limits.
    let mut path = 0x20b_u32;
    for word in [0x030 ^ 0x009, 0x10a, 0x010 ^ 0x002] {
        path = (path << 5 & 0xfff | path >> 7) ^ word;
    }
    for req in &rig.reqs {
        let tel = req.tel;
        assert_eq!((tel.valid, tel.hops, u32::from(tel.path)), (true, 2, path));
        assert_eq!(tel.hop, [records[0], records[1], 0, 0, 0]);
    }
    // Binary fractions: 2^-30 s are the unit. Queues in bytes: 64 are.
    (rig.host.tel_time_binary, rig.host.tel_queue_bytes) = (true, true);
    rig.send(&with_telemetry(&plain, &IOAM_TWO_NODES, 10, None, false), false);
    rig.idle(200);
    let hops = rig.reqs[4].tel.hop;
    assert_eq!(hops.map(|word| word >> 3 & 0xff_ffff), [0x3b9a_c9ff >> 2 & 0xff_ffff, 1, 0, 0, 0]);
    assert_eq!(hops.map(|word| word >> 47), [0, 0x1_ffff, 0, 0, 0]);
}

/// Another node, another interface, another order: another path, in INT-MD, in IOAM, in IFA. IOAM's
/// hop limit and what is reserved beside IFA's device are not of it.
#[test]
fn rx_pipe_paths_tell_nodes_and_interfaces_apart() {
    let plain = captured_write();
    for (host, stack, first, words, of_path, at) in [
        (INT_HOST, &INT_TWO_HOPS[..], 16, 6, 0..32, 4),
        (IOAM_HOST, &IOAM_TWO_NODES[..], 12, 6, 0..24, 4),
        (IFA_HOST, &IFA_TWO_HOPS[..], 4, 8, 8..32, 8),
    ] {
        let mut rig = golden(NARROW, host);
        let mut path = |bytes: &[u8]| {
            if host.tel_format == 5 {
                rig.send(&with_ifa(&plain, IFA_HEADER, bytes, false, false), false);
            } else {
                rig.send(&with_telemetry(&plain, bytes, 10, None, false), false);
            }
            rig.idle(100);
            let tel = rig.reqs.pop().expect("the packet").tel;
            assert_eq!(tel.hops, 2);
            tel.path
        };
        let before = path(stack);
        assert_eq!(path(stack), before);
        let change = |at: usize, bit: u32| {
            let mut bytes = stack.to_vec();
            bytes[at + 3 - bit as usize / 8] ^= 1 << (bit % 8);
            bytes
        };
        for hop in [first, first + 4 * words] {
            for bit in 0..32 {
                let counts = of_path.contains(&bit);
                assert_eq!(path(&change(hop, bit)) != before, counts, "node bit {bit}");
                assert_ne!(path(&change(hop + at, bit)), before, "interface bit {bit}");
            }
        }
        let mut swapped = stack.to_vec();
        swapped[first..].rotate_left(4 * words);
        assert_ne!(path(&swapped), before);
    }
}

/// Malformed traces: the packet is taken where its end is known, and gives no update.
#[test]
fn rx_pipe_counts_malformed_ioam() {
    let plain = captured_write();
    let mut rig = lock_step(NARROW, IOAM_HOST, 52);
    let change = |at: usize, new: &[u8]| {
        let mut bytes = IOAM_TWO_NODES.to_vec();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    let ones: &[u8] = &[0xff; 4];
    let unusable = [
        ("preallocated trace", change(0, &[0])),
        ("edge to edge", change(0, &[3])),
        ("overflow", change(6, &[0x34])),
        ("nodes of seven words", change(6, &[0x38])),
        ("nodes of five words, six asked for", change(6, &[0x28])),
        ("nodes of no words", change(6, &[0])),
        ("no node", change(8, &[0x72])),
        ("no seconds", change(8, &[0xd2])),
        ("no fraction", change(8, &[0xe2])),
        ("no queue", change(8, &[0xf0])),
        ("no bytes sent", change(9, &[0x04])),
        ("a seventh word asked for", change(9, &[0x0c])),
        ("opaque state", change(10, &[0x02])),
        ("invalid node", change(13, &ones[..3])),
        ("invalid interfaces", change(40, ones)),
        ("invalid fraction", change(24, ones)),
        ("invalid queue", change(52, ones)),
        ("invalid bytes sent", change(32, ones)),
        ("a word too many", [change(1, &[15]), vec![0; 4]].concat()),
        ("a word too few", change(1, &[13])[..56].to_vec()),
        ("no whole header", change(1, &[1])[..8].to_vec()),
        ("nothing behind four bytes", change(1, &[0])[..4].to_vec()),
    ];
    for (at, (what, bytes)) in unusable.iter().enumerate() {
        rig.send(&with_telemetry(&plain, bytes, 10, None, false), false);
        rig.idle(200);
        assert_eq!((rig.count("req"), rig.unusable), (at + 1, at + 1), "{what}");
        let tel = rig.reqs[at].tel;
        assert_eq!((tel.valid, tel.hops, tel.path), (true, 6, 0), "{what}");
    }
    // Seconds of ones are a time like any other, and so is a hop limit.
    for at in [20, 12] {
        rig.send(&with_telemetry(&plain, &change(at, &ones[..1]), 10, None, false), false);
    }
    rig.idle(200);
    assert_eq!((rig.count("req"), rig.unusable), (24, 22));
    assert_eq!(rig.reqs[22].tel.path, rig.reqs[23].tel.path);
    rig.send(&with_telemetry(&plain, &change(1, &[0xff]), 10, None, false), false);
    rig.idle(200);
    assert_eq!(rig.count("drop_telemetry"), 1);
}

#[test]
fn rx_pipe_reads_ioam_as_the_reference_does() {
    for binary in [false, true] {
        let host = Host { tel_time_binary: binary, ..IOAM_HOST };
        let stack =
            |ip: &[u8]| (ip[1] >> 2 == host.tel_dscp).then(|| ioam::nodes(&ip[28..], binary));
        read_as_reference(host, 54, stack, |record, node| {
            let port = node.interfaces.map_or(0, |(_, egress)| egress & 7);
            assert_eq!(record.rate_code, [2, 3, 4, 0, 0, 0, 0, 0][usize::from(port)]);
            let seconds = u128::from(node.seconds.unwrap_or(0));
            let ns = seconds * 1_000_000_000 + u128::from(node.fraction);
            let time = if binary { u128::from(node.fraction / 4) } else { ns };
            assert_eq!(u128::from(record.ts_ns), time % (1 << 24));
            assert_eq!(record.tx_units, node.tx_bytes / 128 % (1 << 20));
            assert_eq!(record.queue_units, node.queue.min(0x1_ffff));
        });
    }
}
