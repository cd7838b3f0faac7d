//! HPCC's own forms: records that switches insert, and telemetry responses.

use super::{capture, golden, lock_step, HOST_1, HOST_2, WIDTHS};
use nic_models::streams::Feedback;
use nic_sim::bench::rx::Host;
use nic_spec::wire::telemetry::{Form, Hop, Repr};
use nic_spec::wire::{ipv4, roce};

/// A WRITE first of a capture with telemetry inserted by hand, every hop count and both forms.
#[test]
fn rx_pipe_strips_telemetry() {
    for beat_bytes in WIDTHS {
        let plain = capture("mtu256_write_read").into_iter().find(|f| f.len() > 300 && f[5] == 2);
        let plain = plain.expect("a data packet for host 2");
        let hop = Hop { rate_code: 2, ts_ns: 0x12_3456, tx_units: 0xa_bcde, queue_units: 0xf00f };
        let word: u64 = 2 | 0x12_3456 << 3 | 0xa_bcde << 27 | 0xf00f << 47;
        let insert = |bytes: &[u8]| {
            let mut frame = plain.clone();
            frame.splice(42..42, bytes.iter().copied());
            for at in [16, 38] {
                let length = u16::from_be_bytes([frame[at], frame[at + 1]]) + bytes.len() as u16;
                frame[at..at + 2].copy_from_slice(&length.to_be_bytes());
            }
            let mut ip = ipv4::Packet::new_unchecked(&mut frame[14..]);
            ip.set_tos(10 << 2);
            ip.fill_checksum();
            frame
        };
        let payload = roce::FrameRepr::parse(&plain, None).expect("a good frame").payload.to_vec();
        for hop_count in 0..=15 {
            let mut bytes = vec![(hop_count as u8) << 4 | 0xa, 0xbc];
            (0..hop_count)
                .for_each(|_| bytes.extend([0x21, 0x23, 0x45, 0x6a, 0xbc, 0xde, 0xf0, 0x0f]));
            let mut rig = golden(beat_bytes, Host { tel_format: 1, ..HOST_2 });
            rig.send(&insert(&bytes), false);
            rig.idle(100);
            assert_eq!(rig.payloads, std::slice::from_ref(&payload), "{hop_count} hops");
            let tel = rig.reqs[0].tel;
            let hops = if hop_count > 5 { 6 } else { hop_count as u8 };
            assert_eq!((tel.valid, tel.hops, tel.path), (true, hops, 0xabc));
            let expected: [u64; 5] = core::array::from_fn(|i| if i < hop_count { word } else { 0 });
            assert_eq!(tel.hop, expected);
        }
        let mut bytes = [0; 42];
        Repr::new(0, &[hop; 5]).emit(Form::Authors, &mut bytes);
        let mut rig =
            golden(beat_bytes, Host { tel_format: 2, tel_echo_dscp: 10, tel_dscp: 1, ..HOST_2 });
        rig.send(&insert(&bytes), false);
        // Another DSCP: no telemetry is expected, and what stands there is not a BTH.
        rig.host.tel_echo_dscp = 11;
        rig.idle(60);
        rig.send(&insert(&bytes), false);
        rig.idle(60);
        assert_eq!(rig.payloads, [payload]);
        assert_eq!((rig.reqs[0].tel.hops, rig.reqs[0].tel.hop), (5, [word; 5]));
        assert_eq!(rig.count("req"), 1);
    }
}

/// A telemetry response made of a captured ACK by hand: no AETH, and one hop in the paper's form.
fn telemetry_response(opcode: u8, tail: &[u8], flags: u8) -> Vec<u8> {
    let ack = &capture("send_imm_atomic")[5];
    let mut plain = [&ack[..54], tail, &[0; 4]].concat();
    (plain[42], plain[43]) = (opcode, flags);
    plain[34..36].copy_from_slice(&[0xd3, 0xa5]);
    let udp_bytes = plain.len() as u16 - 34;
    plain[15] = 12 << 2;
    plain[16..18].copy_from_slice(&(udp_bytes + 20).to_be_bytes());
    plain[38..40].copy_from_slice(&udp_bytes.to_be_bytes());
    let (headers, end) = (&plain[14..], plain.len() - 4);
    let (ip, udp) = (headers[..20].try_into().unwrap(), headers[20..28].try_into().unwrap());
    let icrc = nic_spec::wire::icrc::icrc(ip, udp, &plain[42..end]);
    plain[end..].copy_from_slice(&icrc.to_le_bytes());
    let telemetry = [0x1a, 0xbc, 0x21, 0x23, 0x45, 0x6a, 0xbc, 0xde, 0xf0, 0x0f];
    plain.splice(42..42, telemetry);
    plain[16..18].copy_from_slice(&(udp_bytes + 30).to_be_bytes());
    plain[38..40].copy_from_slice(&(udp_bytes + 10).to_be_bytes());
    ipv4::Packet::new_unchecked(&mut plain[14..]).fill_checksum();
    plain
}

/// With payload, a pad count or one wrong bit a telemetry response (opcode 0xc0) is dropped once.
/// With 0xc1 it is a direct one, and its UDP source port counts; 0xc2 is a probe, 0xc3 the answer
/// to one.
#[test]
fn rx_pipe_reads_telemetry_responses() {
    for beat_bytes in WIDTHS {
        let make = |tail: &[u8], flags: u8| telemetry_response(0xc0, tail, flags);
        let good = make(&[], 0);
        for (seed, form) in [(21, 1), (22, 0)] {
            let mut rig = lock_step(beat_bytes, Host { tel_format: form, ..HOST_1 }, seed);
            rig.send(&good, false);
            rig.idle(40);
            if form == 0 {
                // What stands behind UDP is then taken for a BTH.
                assert!(rig.feedbacks.is_empty() && rig.events.iter().sum::<usize>() == 1);
                continue;
            }
            let [feedback] = rig.feedbacks[..] else { panic!("{} records", rig.feedbacks.len()) };
            assert_eq!((feedback.qpn, feedback.psn, feedback.src_ip), (0x13, 0x104, 0x0a00_0002));
            assert_eq!((feedback.direct, feedback.probe, feedback.port), (false, false, 0xd3a5));
            let word: u64 = 2 | 0x12_3456 << 3 | 0xa_bcde << 27 | 0xf00f << 47;
            let tel = feedback.tel;
            assert_eq!((tel.valid, tel.hops, tel.path), (true, 1, 0xabc));
            assert_eq!(tel.hop, [word, 0, 0, 0, 0]);
            for (frame, event, count) in [
                (make(&[1, 2, 3, 4], 0), "drop_length", 1),
                (make(&[], 0x10), "drop_length", 2),
                (make(&[], 0x01), "drop_version", 1),
                ([&good[..60], &[good[60] ^ 1], &good[61..]].concat(), "drop_icrc", 1),
            ] {
                rig.send(&frame, false);
                rig.idle(40);
                assert_eq!(rig.count(event), count, "{event}");
            }
            assert_eq!((rig.feedbacks.len(), rig.events.iter().sum::<usize>()), (1, 5));
            for opcode in [0xbf, 0xc1, 0xc2, 0xc3, 0xc5] {
                rig.send(&telemetry_response(opcode, &[], 0), false);
            }
            rig.idle(60);
            let kinds = [(true, false), (false, true), (true, true)];
            let wanted = kinds.map(|(direct, probe)| Feedback { direct, probe, ..feedback });
            assert_eq!(rig.feedbacks[1..], wanted);
            assert_eq!((rig.count("feedback"), rig.count("drop_opcode")), (4, 2));
            // A window has four bytes of ImmDt, in the place of the port, and no more.
            for (tail, event) in [(&[][..], "drop_length"), (&[0; 8], "drop_length")] {
                let count = rig.count(event);
                rig.send(&telemetry_response(0xc4, tail, 0), false);
                rig.idle(40);
                assert_eq!(rig.count(event), count + 1, "{event}");
            }
            rig.send(&telemetry_response(0xc4, &[0x12, 0x34, 0x56, 0x78], 0), false);
            rig.idle(40);
            let window = Feedback { window: true, port: 0x5678, ..feedback };
            assert_eq!(rig.feedbacks[4..], [window]);
            assert_eq!(rig.out.m_req.imm, 0x1234_5678);
            assert!(rig.acks.is_empty() && rig.reqs.is_empty() && rig.payloads.is_empty());
        }
    }
}
