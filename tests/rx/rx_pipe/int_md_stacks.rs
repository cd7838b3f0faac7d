//! INT-MD: known answers, the instruction bitmap, malformed stacks, and the reference.

use super::{
    captured_write, golden, lock_step, read_as_reference, with_telemetry, INT_HOST, INT_TWO_HOPS,
    NARROW, TWO_HOPS,
};
use nic_models::reference::int_md;
use nic_spec::wire::{aeth, bth, roce};

/// Known answers: the same stack marked by DSCP and by port, with and without a tag; the ICRC is
/// the captured packet's.
#[test]
fn rx_pipe_reads_int_md() {
    let plain = captured_write();
    let payload = roce::FrameRepr::parse(&plain, None).expect("a good frame").payload.to_vec();
    let mut by_port = INT_TWO_HOPS;
    by_port[..4].copy_from_slice(&[0x14, 0x0f, 0x12, 0xb7]); // NPT 1, port 4791
    let mut rig = lock_step(NARROW, INT_HOST, 41);
    for tag in [false, true] {
        rig.send(&with_telemetry(&plain, &INT_TWO_HOPS, 10, None, tag), false);
        rig.send(&with_telemetry(&plain, &by_port, 33, Some(0x1b6d), tag), false);
    }
    rig.idle(200);
    assert_eq!((rig.count("req"), rig.unusable), (4, 0), "{:?}", rig.events);
    assert_eq!(rig.payloads, vec![payload; 4]);
    // Turned left by 5 in 12 bits and exclusive or: 0x20b, 0x030009, 0x10a, 0x010002.
    let mut path = 0x20b_u32;
    for word in [0x030 ^ 0x009, 0x10a, 0x010 ^ 0x002] {
        path = (path << 5 & 0xfff | path >> 7) ^ word;
    }
    for req in &rig.reqs {
        let tel = req.tel;
        assert_eq!((tel.valid, tel.hops, u32::from(tel.path)), (true, 2, path));
        assert_eq!(tel.hop, [TWO_HOPS[0], TWO_HOPS[1], 0, 0, 0]);
    }
    // Queues in bytes: 33 bytes are no unit of 64, 131072 are 2048 of them.
    rig.host.tel_queue_bytes = true;
    rig.send(&with_telemetry(&plain, &INT_TWO_HOPS, 10, None, false), false);
    rig.idle(200);
    let queues = rig.reqs[4].tel.hop.map(|word| word >> 47);
    assert_eq!(queues, [0, 2048, 0, 0, 0]);
}

/// The instruction bitmap is walked: words that are not needed are passed over, wherever they are,
/// and hops of an odd number of words begin in either half of a beat.
#[test]
fn rx_pipe_walks_the_instruction_bitmap() {
    let plain = captured_write();
    let mut rig = lock_step(NARROW, INT_HOST, 42);
    // Every bit but the reserved ones: latency 1, ingress time 2, level 2 interfaces 2, buffer 1,
    // checksum 1 and a domain's word behind them.
    let long: Vec<u32> = vec![
        0x7,
        0x1_0001,
        0xee,
        0x0100_0010,
        0xe1,
        0xe2,
        0x1,
        0x0123_4567,
        0xe3,
        0xe4,
        50,
        0xe5,
        0xe6,
        0xe7,
    ];
    let short: Vec<u32> = vec![0x7, 0x0100_0010, 0x1, 0x0123_4567, 50];
    for (instructions, words, path, rate) in
        [(0xff81_u16, &long, (0x7 << 5) ^ 0x010 ^ 0x001, 3), (0x9500, &short, 0x7, 2)]
    {
        for hop_count in 0..=7 {
            let body: Vec<u32> = (0..hop_count).flat_map(|_| words.iter().copied()).collect();
            let control = 2 << 28 | (words.len() as u32) << 8;
            let shim = 0x1000_0000 | (3 + body.len() as u32) << 16;
            let head = [shim, control, u32::from(instructions) << 16, 0];
            let bytes: Vec<u8> =
                head.into_iter().chain(body).flat_map(|word| word.to_be_bytes()).collect();
            rig.send(&with_telemetry(&plain, &bytes, 10, None, false), false);
            rig.idle(200);
            let tel = rig.reqs.pop().expect("the packet").tel;
            let usable = hop_count <= 5;
            assert_eq!((tel.valid, tel.hops), (true, if usable { hop_count as u8 } else { 6 }));
            let record = rate | 0x23_4567 << 3 | 50 << 27 | 16 << 47;
            let expected = core::array::from_fn(|at| if at < hop_count { record } else { 0 });
            assert_eq!(tel.hop, expected, "{instructions:x}, {hop_count} hops");
            if hop_count == 1 {
                assert_eq!(tel.path, path);
            }
        }
    }
    assert_eq!((rig.payloads.len(), rig.unusable, rig.count("req")), (16, 4, 16));
}

/// Malformed stacks: the packet is taken where its end is known, and gives no update; a shim that
/// is not for the packet drops it.
#[test]
fn rx_pipe_counts_malformed_int_md() {
    let plain = captured_write();
    let mut rig = lock_step(NARROW, INT_HOST, 43);
    let change = |changes: &[(usize, &[u8])]| {
        let mut bytes = INT_TWO_HOPS.to_vec();
        for (at, new) in changes {
            bytes[*at..*at + new.len()].copy_from_slice(new);
        }
        bytes
    };
    let ones: &[u8] = &[0xff; 8];
    let unusable = [
        ("version 1", change(&[(4, &[0x10])])),
        ("hops exceeded", change(&[(4, &[0x24])])),
        ("MTU exceeded", change(&[(4, &[0x22])])),
        ("hops of seven words", change(&[(6, &[7])])),
        ("hops of five words, six asked for", change(&[(6, &[5])])),
        ("hops of no words", change(&[(6, &[0])])),
        ("no node", change(&[(8, &[0x55])])),
        ("no queue", change(&[(8, &[0xc5])])),
        ("no time", change(&[(8, &[0xd1])])),
        ("no utilisation", change(&[(8, &[0xd4])])),
        ("a seventh word asked for", change(&[(9, &[0x80])])),
        ("invalid node", change(&[(16, &ones[..4])])),
        ("invalid interfaces", change(&[(44, &ones[..4])])),
        ("invalid queue", change(&[(24, &ones[..4])])),
        ("invalid time", change(&[(52, ones)])),
        ("invalid utilisation", change(&[(36, &ones[..4])])),
        ("a word too many", [change(&[(1, &[16])]), vec![0; 4]].concat()),
        ("a word too few", change(&[(1, &[14])])[..60].to_vec()),
        ("no whole header", change(&[(1, &[2])])[..12].to_vec()),
        ("nothing behind the shim", change(&[(1, &[0])])[..4].to_vec()),
    ];
    for (at, (what, bytes)) in unusable.iter().enumerate() {
        rig.send_slowly(&with_telemetry(&plain, bytes, 10, None, false));
        rig.idle(200);
        assert_eq!((rig.count("req"), rig.unusable), (at + 1, at + 1), "{what}");
        let tel = rig.reqs[at].tel;
        assert_eq!((tel.valid, tel.hops, tel.path), (true, 6, 0), "{what}");
    }
    // Times of which one word is all ones are good.
    for at in [28, 32] {
        let bytes = change(&[(at, &ones[..4])]);
        rig.send(&with_telemetry(&plain, &bytes, 10, None, false), false);
    }
    rig.idle(200);
    assert_eq!((rig.count("req"), rig.unusable), (22, 20));
    let dropped = [
        (change(&[(0, &[0x20])]), None),
        (change(&[(0, &[0x14])]), None),
        (change(&[(0, &[0x14, 0x0f, 0x12, 0xb8])]), Some(0x1b6d)),
        (change(&[(0, &[0x10, 0x0f, 0x12, 0xb7])]), Some(0x1b6d)),
        (change(&[(1, &[0xff])]), None),
    ];
    for (at, (bytes, port)) in dropped.iter().enumerate() {
        rig.send(&with_telemetry(&plain, bytes, 10, *port, false), false);
        rig.idle(200);
        assert_eq!(rig.count("drop_telemetry"), at + 1);
    }
    // A shim that ends too early or too late leaves the wrong bytes: the ICRC finds it.
    for words in [14, 16] {
        let frame = with_telemetry(&plain, &change(&[(1, &[words])]), 10, None, false);
        rig.send(&frame, false);
    }
    rig.idle(200);
    assert_eq!((rig.count("drop_icrc"), rig.count("req"), rig.unusable), (2, 22, 20));
}

#[test]
fn rx_pipe_reads_int_md_as_the_reference_does() {
    let stack = |ip: &[u8]| {
        let is_int =
            ip[22..24] == INT_HOST.tel_port.to_be_bytes() || ip[1] >> 2 == INT_HOST.tel_dscp;
        is_int.then(|| int_md::hops(&ip[28..]))
    };
    read_as_reference(INT_HOST, 44, stack, |record, hop| {
        let port = hop.interfaces.map_or(0, |(_, egress)| egress & 7);
        assert_eq!(record.rate_code, [2, 3, 4, 0, 0, 0, 0, 0][usize::from(port)]);
        assert_eq!(u64::from(record.ts_ns), hop.egress_time & 0xff_ffff);
        assert_eq!(record.tx_units, hop.utilisation.min(0xf_ffff));
        assert_eq!(record.queue_units, hop.occupancy.min(0x1_ffff));
    });
}

/// The smallest frames with INT-MD, back to back, at every number of hops: the input never waits.
#[test]
fn rx_pipe_takes_int_md_at_line_rate() {
    let plain = captured_write();
    let repr = roce::FrameRepr::parse(&plain, None).expect("a good frame");
    let bth = bth::Repr { opcode: 0x11, ..repr.bth };
    let ack = roce::FrameRepr {
        bth,
        reth: None,
        payload: &[],
        aeth: Some(aeth::Repr { syndrome: 0x1f, msn: 1 }),
        ..repr
    };
    let mut plain = vec![0; ack.buffer_len()];
    ack.emit(&mut plain);
    let mut rig = golden(NARROW, INT_HOST);
    for round in 0..200 {
        let hop_count = round % 3;
        let mut bytes = INT_TWO_HOPS[..16 + 24 * hop_count].to_vec();
        bytes[1] = (3 + 6 * hop_count) as u8;
        rig.send(&with_telemetry(&plain, &bytes, 10, None, false), false);
    }
    rig.idle(50);
    assert_eq!((rig.count("ack"), rig.stalls, rig.unusable), (200, 0, 0));
    for (at, ack) in rig.acks.iter().enumerate() {
        assert_eq!(usize::from(ack.tel.hops), at % 3);
        assert_eq!(ack.tel.hop[..at % 3], TWO_HOPS[..at % 3]);
    }
}
