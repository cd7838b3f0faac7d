//! Captured conversations of Linux hosts: what the rx pipe makes of their packets, and when.

use super::{capture, golden, lock_step, HOST_1, HOST_2, WIDTHS};
use nic_models::golden::rx::verdict::Kind;
use nic_models::streams::{Answer, Request};
use nic_sim::bench::rx::Host;
use nic_spec::wire::telemetry::{Form, Hop};
use nic_spec::wire::{aeth, bth, ethernet, icrc, ipv4, roce, telemetry};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn rx_pipe_reads_captured_packets() {
    for beat_bytes in WIDTHS {
        let frames = capture("send_imm_atomic");
        let mut rig = golden(beat_bytes, HOST_2);
        rig.send(&frames[6], false);
        rig.idle(60);
        let expected = Request {
            valid: true,
            qpn: 0x13,
            opcode: 0x05,
            psn: 0x105,
            ack_req: true,
            payload_bytes: 10,
            imm: 0x1122_3344,
            src_ip: 0x0a00_0001,
            ..Request::default()
        };
        assert_eq!(rig.reqs, [expected]);
        let payload = [0xf1, 0x3d, 0x8a, 0xd7, 0x23, 0x70, 0xbc, 0x09, 0x56, 0xa2];
        assert_eq!(rig.payloads, [payload]);

        let mut rig = golden(beat_bytes, HOST_1);
        rig.taking = false;
        rig.send(&frames[5], false);
        rig.idle(15);
        let ack = rig.out.m_ack;
        assert_eq!((ack.valid, ack.qpn, ack.psn), (true, 0x13, 0x104));
        assert_eq!((ack.syndrome, ack.msn, ack.src_ip), (0x1f, 1, 0x0a00_0002));
        assert_eq!((ack.opcode, ack.payload_bytes), (0x11, 0));

        let mut rig = golden(beat_bytes, HOST_2);
        rig.send(&capture("nak_bad_range_read")[0], false);
        rig.idle(60);
        let read = rig.reqs[0];
        assert_eq!((read.opcode, read.va, read.rkey), (0x0c, 0x7f2e_f77c_2f9c, 0x1a4d));
        assert_eq!((read.dma_len, read.payload_bytes), (3000, 0));
    }
}

/// Cycles from the last beat of a frame to its record and to its payload: request, ACK, READ
/// response.
#[test]
fn rx_pipe_records_and_payload_come_in_time() {
    for beat_bytes in WIDTHS {
        let frames = capture("mtu256_write_read");
        for (host, index, has_payload) in
            [(HOST_2, 0, true), (HOST_1, 12, false), (HOST_1, 14, true)]
        {
            let mut rig = lock_step(beat_bytes, host, 15);
            rig.send(&frames[index], false);
            let (mut record, mut payload) = (None, None);
            for cycle in 1..40 {
                let has_record = rig.out.m_req.valid || rig.out.m_ack.valid;
                let has_beat = rig.out.m_payload.tvalid || rig.out.m_response.tvalid;
                record = record.or(has_record.then_some(cycle));
                payload = payload.or(has_beat.then_some(cycle));
                rig.idle(1);
            }
            assert_eq!((record, payload), (Some(14), has_payload.then_some(17)));
        }
    }
}

/// READ responses of a Linux host: 256 bytes first and middle, 189 bytes last.
#[test]
fn rx_pipe_reads_captured_read_responses() {
    for beat_bytes in WIDTHS {
        let frames = capture("mtu256_write_read");
        let mut rig = golden(beat_bytes, HOST_1);
        frames[14..26].iter().for_each(|frame| rig.send(frame, false));
        rig.idle(200);
        assert_eq!((rig.count("response"), rig.count("ack")), (12, 0));
        let lengths: Vec<usize> = rig.responses.iter().map(Vec::len).collect();
        assert_eq!(lengths[..11], [256; 11]);
        assert_eq!(lengths[11], 250 - 14 - 20 - 8 - 12 - 4 - 3 - 4);
        let field = |ack: &Answer| (ack.psn, ack.opcode, ack.payload_bytes, ack.syndrome, ack.msn);
        assert_eq!(field(&rig.acks[0]), (268, 0x0d, 256, 0x1f, 2));
        assert_eq!(field(&rig.acks[1]), (269, 0x0e, 256, 0, 0));
        assert_eq!(field(&rig.acks[11]), (279, 0x0f, 185, 0x1f, 2));
        assert!(rig.acks.iter().all(|ack| ack.src_ip == 0x0a00_0002 && ack.qpn == 0x17));
        // The last bytes in front of pad and ICRC, as the capture has them.
        let end = frames[25].len() - icrc::BYTES - 3;
        assert_eq!(rig.responses[11][180..], frames[25][end - 5..end]);
    }
}

/// A READ response with every payload length around the beats' and the largest MTU's borders,
/// every opcode, without telemetry and with both forms of it.
#[test]
fn rx_pipe_read_response_edges() {
    for beat_bytes in WIDTHS {
        let mut bytes = vec![0; 4100];
        ChaCha8Rng::seed_from_u64(2).fill_bytes(&mut bytes);
        for (format, form) in [(0, None), (1, Some(Form::Paper)), (2, Some(Form::Authors))] {
            let mut rig = lock_step(
                beat_bytes,
                Host { tel_format: format, ..HOST_2 },
                10 + u64::from(format),
            );
            let (mut expected, mut records) = (vec![], vec![]);
            let lengths = (0..=33).chain(4087..=4100);
            for (len, opcode) in lengths.flat_map(|len| (0x0d..=0x10).map(move |code| (len, code)))
            {
                let hop = Hop { rate_code: 1, ts_ns: 7, tx_units: 8, queue_units: 9 };
                let hop_count = if format == 2 { 5 } else { len % 6 };
                let records_of = telemetry::Repr::new(0, &vec![hop; hop_count]);
                let has_aeth = opcode != 0x0e;
                let repr = roce::FrameRepr {
                    ethernet: ethernet::Repr { dst: HOST_2.mac, ..Default::default() },
                    ip: ipv4::Repr { src: 1, dst: HOST_2.ip, dscp: 10, ..Default::default() },
                    telemetry: form.map(|form| (form, records_of)),
                    bth: bth::Repr { opcode, pkey: 0xffff, qpn: 3, psn: 5, ..Default::default() },
                    aeth: has_aeth.then_some(aeth::Repr { syndrome: 0x1f, msn: 0x01_0203 }),
                    payload: &bytes[..len],
                    ..Default::default()
                };
                let mut frame = vec![0; repr.buffer_len()];
                repr.emit(&mut frame);
                rig.send(&frame, false);
                if len > 4096 {
                    continue;
                }
                let (syndrome, msn) = if has_aeth { (0x1f, 0x01_0203) } else { (0, 0) };
                records.push((opcode, len as u16, syndrome, msn, form.map(|_| hop_count as u8)));
                expected.extend((len > 0).then(|| bytes[..len].to_vec()));
            }
            rig.idle(2000);
            let got = rig.acks.iter().map(|a| {
                let hops = a.tel.valid.then_some(a.tel.hops);
                (a.opcode, a.payload_bytes, a.syndrome, a.msn, hops)
            });
            assert!(got.eq(records.iter().copied()), "records differ, telemetry {format}");
            assert!(rig.responses == expected && rig.payloads.is_empty() && rig.reqs.is_empty());
            assert_eq!(rig.count("response"), records.len());
            assert_eq!(rig.count("drop_oversize"), 4 * 4);
        }
    }
}

/// The DMA may want a READ response before it takes the payload of an earlier request: the two do
/// not wait for each other.
#[test]
fn rx_pipe_read_responses_pass_payload_that_waits() {
    for beat_bytes in WIDTHS {
        let mut rig = lock_step(beat_bytes, HOST_1, 14);
        let response = capture("mtu256_write_read")[14].clone();
        let mut write = capture("mtu256_write_read")[0].clone();
        write[5] = 1;
        write[33] = 1;
        ipv4::Packet::new_unchecked(&mut write[14..]).fill_checksum();
        let end = write.len() - icrc::BYTES;
        let (ip, udp) = (write[14..34].try_into().unwrap(), write[34..42].try_into().unwrap());
        let crc = icrc::icrc(ip, udp, &write[42..end]);
        write[end..].copy_from_slice(&crc.to_le_bytes());
        rig.taking_payload = false;
        for _ in 0..8 {
            rig.send(&write, false);
            rig.send(&response, false);
        }
        rig.idle(1000);
        assert_eq!((rig.reqs.len(), rig.acks.len()), (8, 8));
        assert_eq!((rig.payloads.len(), rig.responses.len()), (0, 8));
        rig.taking_payload = true;
        rig.idle(1000);
        assert_eq!((rig.payloads.len(), rig.responses.len()), (8, 8));
    }
}

/// All captures, towards both hosts, in lock-step: each packet is what the software parser says.
#[test]
fn rx_pipe_agrees_with_software_on_all_captures() {
    for beat_bytes in WIDTHS {
        let names = [
            "bad_icrc",
            "ecn_tclass",
            "loss_ack",
            "loss_nak",
            "mtu256_write_read",
            "mtu4096_write_read",
            "nak_bad_rkey_write",
            "psn_wrap",
            "read_multi",
            "rnr_then_ok",
            "send_imm_atomic",
            "write_multi",
        ];
        for (seed, host) in [(1, HOST_1), (2, HOST_2)] {
            let mut rig = lock_step(beat_bytes, host, seed);
            let (mut payloads, mut responses, mut counts) = (vec![], vec![], [0; 4]);
            for frame in names.iter().flat_map(|name| capture(name)) {
                rig.send(&frame, false);
                match roce::FrameRepr::parse(&frame, None) {
                    _ if ethernet::Packet::new_unchecked(&frame).dst() != host.mac => {
                        counts[0] += 1
                    }
                    Err(error) => {
                        assert_eq!(error, roce::FrameError::Icrc);
                        counts[1] += 1;
                    }
                    Ok(repr) if repr.bth.opcode == 0x11 => counts[2] += 1,
                    Ok(repr) if repr.bth.opcode == 0x12 => counts[3] += 1,
                    Ok(repr) if (0x0d..=0x10).contains(&repr.bth.opcode) => {
                        let aeth = repr.aeth.unwrap_or_default();
                        let fields = (repr.bth.psn, repr.bth.opcode, aeth.syndrome, aeth.msn);
                        responses.push((fields, repr.payload.to_vec()));
                    }
                    Ok(repr) => payloads.push(repr.payload.to_vec()),
                }
            }
            rig.idle(2000);
            let names = ["host", "drop_icrc", "ack", "drop_opcode"];
            assert_eq!(names.map(|name| rig.count(name)), counts);
            assert_eq!(
                (rig.reqs.len(), rig.acks.len()),
                (payloads.len(), counts[2] + responses.len())
            );
            assert_eq!(rig.count("response"), responses.len());
            let records = rig.acks_of(Kind::Response);
            let fields = records.iter().map(|ack| (ack.psn, ack.opcode, ack.syndrome, ack.msn));
            assert!(
                fields.eq(responses.iter().map(|(fields, _)| *fields)),
                "READ responses differ"
            );
            let some = responses.iter().map(|(_, payload)| payload).filter(|p| !p.is_empty());
            assert!(some.eq(&rig.responses), "bytes of READ responses differ");
            payloads.retain(|payload| !payload.is_empty());
            assert_eq!(rig.payloads.len(), payloads.len());
            assert!(rig.payloads == payloads, "payload bytes differ");
        }
    }
}
