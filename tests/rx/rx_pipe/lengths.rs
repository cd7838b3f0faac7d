//! Where a frame ends and where its headers say so; the order of the reasons to drop it.

use super::{capture, golden, lock_step, HOST_2, WIDTHS};
use nic_sim::bench::rx::Host;
use nic_spec::wire::{icrc, ipv4, roce};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Where a frame ends, and where its IP packet says that it ends: one event each, nothing hangs,
/// and the frame behind it arrives.
#[test]
fn rx_pipe_survives_every_length() {
    for beat_bytes in WIDTHS {
        let good = capture("send_imm_atomic")[6].clone();
        for form in 0..=2 {
            let host = Host { tel_format: form, tel_dscp: 0, tel_echo_dscp: 0, ..HOST_2 };
            let mut rig = lock_step(beat_bytes, host, 6 + u64::from(form));
            let mut sent = 0;
            for len in 1..=good.len() {
                rig.send(&good[..len], false);
                sent += 1;
            }
            for total in 0..=100_u16 {
                let mut frame = good.clone();
                frame[16..18].copy_from_slice(&total.to_be_bytes());
                frame[38..40].copy_from_slice(&total.wrapping_sub(20).to_be_bytes());
                ipv4::Packet::new_unchecked(&mut frame[14..]).fill_checksum();
                for len in [frame.len(), 38, 42, 58] {
                    rig.send(&frame[..len], false);
                    sent += 1;
                }
            }
            rig.idle(40);
            assert_eq!(rig.events.iter().sum::<usize>(), sent);
            rig.host.tel_format = 0;
            rig.idle(40);
            let before = rig.count("req");
            rig.send(&good, false);
            rig.idle(40);
            assert_eq!(rig.count("req"), before + 1);
        }
    }
}

/// Faults pile up in one frame; the reason is always the one that ranks first.
#[test]
fn rx_pipe_reasons_have_one_order() {
    for beat_bytes in WIDTHS {
        let mut frame =
            capture("mtu512_write_read").into_iter().find(|f| f[5] == 2 && f.len() == 586);
        let frame = frame.as_mut().expect("a WRITE first of 512 bytes");
        let expect = |frame: &[u8], user: bool, event: &str| {
            let mut rig = golden(beat_bytes, HOST_2);
            rig.send(frame, user);
            rig.idle(200);
            assert_eq!(rig.count(event), 1, "{event}: {:?}", rig.events);
            assert_eq!(rig.events.iter().sum::<usize>(), 1);
            let accepted = event == "req";
            assert_eq!(rig.payloads.len(), usize::from(accepted));
            assert_eq!(rig.reqs.len(), usize::from(accepted));
        };
        let fix_ip =
            |frame: &mut [u8]| ipv4::Packet::new_unchecked(&mut frame[14..]).fill_checksum();
        let fix_icrc = |frame: &mut [u8]| {
            let end = frame.len() - icrc::BYTES;
            let (ip, udp) = (frame[14..34].try_into().unwrap(), frame[34..42].try_into().unwrap());
            let crc = icrc::icrc(ip, udp, &frame[42..end]);
            frame[end..].copy_from_slice(&crc.to_le_bytes());
        };
        expect(frame, false, "req");
        frame[45] = 0x7f;
        fix_icrc(frame);
        expect(frame, false, "drop_pkey");
        frame[42] = 0x1f;
        fix_icrc(frame);
        expect(frame, false, "drop_opcode");
        frame[43] |= 0x01;
        fix_icrc(frame);
        expect(frame, false, "drop_version");
        frame[100] ^= 0x80;
        expect(frame, false, "drop_icrc");
        frame[42] = 0x11;
        expect(frame, false, "drop_length");
        frame[38] ^= 0x10;
        expect(frame, false, "drop_length");
        expect(&frame[..580], false, "drop_truncated");
        frame[22] ^= 1;
        expect(&frame[..580], false, "drop_ip_checksum");
        fix_ip(frame);
        expect(&frame[..580], false, "drop_truncated");
        frame[33] = 9;
        expect(&frame[..580], false, "host");
        frame.resize(9216, 0);
        expect(frame, false, "host");
        frame.push(0);
        expect(frame, false, "drop_oversize");
        expect(frame, true, "drop_mac_error");
    }
}

/// Payload lengths around every boundary; 4096 bytes are the most.
#[test]
fn rx_pipe_payload_edges() {
    for beat_bytes in WIDTHS {
        let mut rig = lock_step(beat_bytes, HOST_2, 9);
        let template =
            capture("mtu512_write_read").into_iter().find(|f| f[5] == 2 && f.len() == 586);
        let template = template.expect("a WRITE first");
        let repr = roce::FrameRepr::parse(&template, None).expect("a good frame");
        let mut bytes = vec![0; 4200];
        ChaCha8Rng::seed_from_u64(1).fill_bytes(&mut bytes);
        let lengths = (0..=33).chain(4080..=4100);
        let mut expected = vec![];
        for (len, opcode) in
            lengths.flat_map(|len| [(len, 0x04), (len, 0x05), (len, 0x0a), (len, 0x0b)])
        {
            let mut repr = repr;
            repr.bth.opcode = opcode;
            repr.bth.psn = 0xff_ffff;
            repr.reth = repr.reth.filter(|_| opcode >= 0x0a);
            repr.imm = (opcode % 2 == 1).then_some(0x0102_0304);
            repr.payload = &bytes[..len];
            let mut frame = vec![0; repr.buffer_len()];
            repr.emit(&mut frame);
            rig.send(&frame, false);
            if len > 0 && len <= 4096 {
                expected.push(repr.payload.to_vec());
            }
        }
        rig.idle(2000);
        assert_eq!(rig.count("drop_oversize"), 4 * 4);
        assert_eq!(rig.reqs.len(), 4 * (34 + 17));
        assert!(rig.payloads == expected);
        assert!(rig.reqs.iter().all(|req| req.psn == 0xff_ffff));
    }
}
