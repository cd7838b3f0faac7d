//! Frames without a gap, and buffers that are full.

use super::{capture, lock_step, HOST_2, WIDTHS};
use nic_sim::bench::rx::FrameMaker;
use nic_spec::wire::roce;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A smallest RoCEv2 frame (58 bytes) and a smallest frame of another kind take eight beats each, or
/// one; they come without a gap and none waits.
#[test]
fn rx_pipe_takes_smallest_frames_back_to_back() {
    for beat_bytes in WIDTHS {
        let mut rig = lock_step(beat_bytes, HOST_2, 3);
        let mut maker = FrameMaker::new(ChaCha8Rng::seed_from_u64(5));
        maker.host = HOST_2;
        let small = loop {
            let frame = maker.roce(0..=0);
            let is_send = frame.len() == 58 && frame[42] == 0x04;
            if is_send && roce::FrameRepr::parse(&frame, None).is_ok_and(|r| r.bth.pkey == 0xffff) {
                break frame;
            }
        };
        let mut foreign = small.clone();
        foreign[0] ^= 2;
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut roce_count = 0;
        let start = rig.cycles;
        for _ in 0..2000 {
            let is_roce = rng.gen();
            roce_count += usize::from(is_roce);
            rig.send(if is_roce { &small } else { &foreign }, false);
        }
        assert_eq!(
            (rig.cycles - start, rig.stalls),
            (2000 * 58_u64.div_ceil(beat_bytes as u64), 0)
        );
        rig.idle(40);
        assert_eq!((rig.reqs.len(), rig.host_frames.len()), (roce_count, 2000 - roce_count));
        assert_eq!((rig.count("req"), rig.count("host")), (roce_count, 2000 - roce_count));
    }
}

/// Nobody takes anything: input stops before anything is lost, and all of it comes out later.
#[test]
fn rx_pipe_waits_when_its_buffers_are_full() {
    for beat_bytes in WIDTHS {
        let mut rig = lock_step(beat_bytes, HOST_2, 4);
        let write = capture("mtu4096_write_read").into_iter().find(|f| f.len() == 4170);
        let write = write.expect("a WRITE first of 4096 bytes");
        rig.taking = false;
        let mut beats = write.chunks(beat_bytes).cycle();
        let beat_count = write.len().div_ceil(beat_bytes);
        let (mut sent, mut refused) = (0, 0);
        while refused < 2000 {
            let last = sent % beat_count == beat_count - 1;
            let bytes = beats.clone().next().expect("endless");
            if rig.step(Some((bytes, last, false))) {
                beats.next();
                sent += 1;
                refused = 0;
            } else {
                refused += 1;
            }
        }
        assert!((2 * beat_count..4 * beat_count).contains(&sent), "{sent} beats taken");
        rig.taking = true;
        while sent % beat_count != 0 {
            let last = sent % beat_count == beat_count - 1;
            if rig.step(Some((beats.clone().next().expect("endless"), last, false))) {
                beats.next();
                sent += 1;
            }
        }
        rig.idle(3000);
        assert_eq!(rig.payloads.len(), sent / beat_count);
        let payload = roce::FrameRepr::parse(&write, None).expect("a good frame").payload;
        assert!(rig.payloads.iter().all(|p| p == payload));
    }
}

#[test]
fn rx_pipe_drops_host_frames_without_room_and_goes_on() {
    for beat_bytes in WIDTHS {
        let mut rig = lock_step(beat_bytes, HOST_2, 5);
        rig.taking = false;
        let foreign = vec![0x5a; 1504];
        (0..20).for_each(|_| rig.send(&foreign, false));
        rig.send(&capture("send_imm_atomic")[6], false);
        rig.idle(20);
        assert_eq!(rig.stalls, 0);
        // 16 KiB and two beats further on, in frames of 188 or 24 beats.
        assert_eq!((rig.count("host"), rig.count("host_overflow"), rig.count("req")), (10, 10, 1));
        rig.taking = true;
        rig.idle(3000);
        assert!(rig.host_frames.len() == 10 && rig.host_frames.iter().all(|f| *f == foreign));
    }
}
