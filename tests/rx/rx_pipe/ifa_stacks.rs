//! IFA: known answers, every length, malformed stacks, and the reference.

use super::{
    captured_write, lock_step, read_as_reference, with_ifa, IFA_HEADER, IFA_HOST, IFA_TWO_HOPS,
    NARROW,
};
use nic_models::reference::ifa;
use nic_spec::wire::{bth, ipv4, roce};

/// Known answers, with and without a tag; the ICRC is the captured packet's.
#[test]
fn rx_pipe_reads_ifa() {
    let plain = captured_write();
    let payload = roce::FrameRepr::parse(&plain, None).expect("a good frame").payload.to_vec();
    let mut rig = lock_step(NARROW, IFA_HOST, 61);
    for tag in [false, true] {
        rig.send(&with_ifa(&plain, IFA_HEADER, &IFA_TWO_HOPS, false, tag), false);
        rig.send_slowly(&with_ifa(&plain, IFA_HEADER, &IFA_TWO_HOPS, true, tag));
    }
    rig.idle(200);
    assert_eq!((rig.count("req"), rig.unusable), (4, 0), "{:?}", rig.events);
    assert_eq!(rig.payloads, vec![payload; 4]);
    let times = [3_999_999_999_u64 + 700, 841_432_000_000_000 + 7 + 16_777_217];
    let times = times.map(|ns| (ns % (1 << 24)) << 3);
    let records = [
        2 | times[0] | (0x1234_567f_u64 >> 7 & 0xf_ffff) << 27 | 33 << 47,
        7 | times[1] | 0xf_ffff << 27 | 0xfffe << 47,
    ];
    // Turned left by 5 in 12 bits and exclusive or: 0x30020b, 0x00090003, 0x30010a, 0x00020001.
    let mut path = 0x300 ^ 0x20b_u32;
    for word in [0x090 ^ 0x003, 0x300 ^ 0x10a, 0x020 ^ 0x001] {
        path = (path << 5 & 0xfff | path >> 7) ^ word;
    }
    for req in &rig.reqs {
        let tel = req.tel;
        assert_eq!((tel.valid, tel.hops, u32::from(tel.path)), (true, 2, path));
        assert_eq!(tel.hop, [records[0], records[1], 0, 0, 0]);
    }
    // Without IFA in the registers protocol 253 is the host's, as is another protocol behind IFA.
    rig.send(&with_ifa(&plain, [0x2f, 6, 4, 40], &IFA_TWO_HOPS, false, true), false);
    rig.host.tel_format = 4;
    rig.idle(50);
    rig.send(&with_ifa(&plain, IFA_HEADER, &IFA_TWO_HOPS, false, true), false);
    rig.idle(200);
    assert_eq!((rig.count("host"), rig.host_frames.len(), rig.count("req")), (2, 2, 4));
}

/// Every length of the packet behind every number of hops, so that its end lies anywhere in a beat.
#[test]
fn rx_pipe_takes_ifa_of_every_length() {
    let mut rig = lock_step(NARROW, IFA_HOST, 62);
    let written = captured_write();
    let repr = roce::FrameRepr::parse(&written, None).expect("a good frame");
    let mut sent = vec![];
    for hop_count in 0..=5_usize {
        for bytes in 0..=17 {
            let payload: Vec<u8> = (0..bytes).collect();
            let bth = bth::Repr { pad_count: 0, ..repr.bth };
            let write = roce::FrameRepr { bth, payload: &payload, ..repr };
            let mut plain = vec![0; write.buffer_len()];
            write.emit(&mut plain);
            let hop = &IFA_TWO_HOPS[4..36];
            let metadata = [&[0, 0, 1, 8 * hop_count as u8], &hop.repeat(hop_count)[..]].concat();
            rig.send(&with_ifa(&plain, [0x2f, 17, 0, 41], &metadata, false, bytes % 2 == 0), false);
            sent.push((hop_count, payload));
        }
    }
    rig.idle(300);
    assert_eq!(
        (rig.count("req"), rig.stalls, rig.unusable),
        (sent.len(), 0, 0),
        "{:?}",
        rig.events
    );
    for (req, (hop_count, payload)) in rig.reqs.iter().zip(&sent) {
        assert_eq!(usize::from(req.tel.hops), *hop_count);
        assert_eq!(usize::from(req.payload_bytes), payload.len());
    }
    let payloads: Vec<_> = sent.into_iter().map(|(_, p)| p).filter(|p| !p.is_empty()).collect();
    assert_eq!(rig.payloads, payloads);
}

/// Malformed stacks: the packet is taken where its end is known, and gives no update.
#[test]
fn rx_pipe_counts_malformed_ifa() {
    let plain = captured_write();
    let mut rig = lock_step(NARROW, IFA_HOST, 63);
    let change = |at: usize, new: &[u8]| {
        let mut bytes = IFA_TWO_HOPS.to_vec();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    let good = IFA_HEADER;
    let whole = IFA_TWO_HOPS.to_vec();
    let ones: &[u8] = &[0xff; 4];
    let unusable = [
        ("version 1", [0x1f, 17, 4, 40], whole.clone()),
        ("a global name space", [0x20, 17, 4, 40], whole.clone()),
        ("no room for one more hop", [0x2f, 17, 4, 16], whole.clone()),
        ("more words than may be", [0x2f, 17, 4, 15], whole.clone()),
        ("hop limit reached", good, change(2, &[0])),
        ("invalid device", good, change(4, &[0x3f, 0xff, 0xff])),
        ("10 Gb/s", good, change(8, &[0])),
        ("no speed", good, change(40, &[0xf0])),
        ("a speed that means nothing", good, change(40, &[0x70])),
        ("invalid interfaces", good, change(44, ones)),
        ("invalid time", good, change(16, ones)),
        ("invalid stay", good, change(52, ones)),
        ("invalid bytes sent", good, change(24, ones)),
        ("invalid queue", good, change(62, &ones[..2])),
        ("a word too many", good, [change(3, &[17]), vec![0; 4]].concat()),
        ("a word too few", good, change(3, &[15])[..64].to_vec()),
        ("a word", good, change(3, &[1])[..8].to_vec()),
    ];
    for (at, (what, header, bytes)) in unusable.iter().enumerate() {
        rig.send_slowly(&with_ifa(&plain, *header, bytes, at % 2 == 0, at % 3 == 0));
        rig.idle(200);
        assert_eq!((rig.count("req"), rig.unusable), (at + 1, at + 1), "{what}");
        let tel = rig.reqs[at].tel;
        assert_eq!((tel.valid, tel.hops, tel.path), (true, 6, 0), "{what}");
    }
    // A hop limit of ones, seconds of ones and what is reserved are good.
    for bytes in [change(2, &[0xff]), change(9, &[0xff; 3]), change(7, &[0xff])] {
        rig.send(&with_ifa(&plain, good, &bytes, false, false), false);
    }
    rig.idle(200);
    assert_eq!((rig.count("req"), rig.unusable), (20, 17));
    assert_eq!(rig.reqs[17].tel.path, rig.reqs[19].tel.path);
    // Fragments, a stack at the end, a checksum header; more words than there are bytes.
    for (at, flags) in [0x10, 0x08, 0x01].into_iter().enumerate() {
        rig.send(&with_ifa(&plain, [0x2f, 17, flags, 40], &whole, false, false), false);
        rig.idle(200);
        assert_eq!(rig.count("drop_telemetry"), at + 1);
    }
    rig.send(&with_ifa(&plain, good, &change(3, &[0xff]), false, false), false);
    // Stacks that end too early or too late leave the wrong bytes: the ICRC finds it.
    for words in [8, 24] {
        rig.send(&with_ifa(&plain, good, &change(3, &[words]), false, false), false);
    }
    rig.idle(200);
    assert_eq!((rig.count("drop_telemetry"), rig.count("drop_icrc")), (4, 2));
    // A packet that ends behind UDP, and in it.
    for (bytes, total) in [(54, 40), (50, 36), (46, 32), (45, 31), (42, 28)] {
        let mut frame = with_ifa(&plain, good, &whole, false, false)[..bytes].to_vec();
        frame[16..18].copy_from_slice(&[0, total]);
        ipv4::Packet::new_unchecked(&mut frame[14..]).fill_checksum();
        frame.resize(64, 0);
        rig.send(&frame, false);
        rig.idle(100);
    }
    assert_eq!((rig.count("drop_telemetry"), rig.count("drop_length")), (7, 2));
}

#[test]
fn rx_pipe_reads_ifa_as_the_reference_does() {
    let stack = |ip: &[u8]| (ip[9] == 253).then(|| ifa::hops(&ip[20..]));
    read_as_reference(IFA_HOST, 64, stack, |record, hop| {
        let gbps = [25, 50, 100, 200, 400, 0, 0, 40][usize::from(record.rate_code)];
        assert_eq!(gbps, hop.gbps);
        assert_eq!(u64::from(record.ts_ns), hop.egress_ns % (1 << 24));
        assert_eq!(record.tx_units, hop.tx_bytes / 128 % (1 << 20));
        assert_eq!(record.queue_units, hop.queue);
    });
}
