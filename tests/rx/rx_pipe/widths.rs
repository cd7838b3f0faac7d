//! A datapath as wide as a whole small frame.

use super::{
    captured_write, lock_step, with_ifa, with_telemetry, IFA_HEADER, IFA_HOST, IFA_TWO_HOPS,
    INT_HOST, INT_TWO_HOPS, WIDE, WIDTHS,
};
use nic_sim::bench::rx::{FrameMaker, FrameStyle, Host};
use nic_spec::wire::roce;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Frames of all lengths and kinds, most of them of one or two wide beats, without a gap: no beat
/// waits while everything is taken, and each frame has its event.
#[test]
fn rx_pipe_takes_a_beat_in_each_cycle() {
    for beat_bytes in WIDTHS {
        let mut rng = ChaCha8Rng::seed_from_u64(31);
        let mut maker = FrameMaker::new(ChaCha8Rng::seed_from_u64(32));
        let host = Host { tel_format: 1, ..maker.host };
        maker.host = host;
        let mut rig = lock_step(beat_bytes, host, 33);
        let styles = [FrameStyle::Small, FrameStyle::Stamped, FrameStyle::Runts, FrameStyle::Mixed];
        let (mut beats, mut frames) = (0, 0);
        for _ in 0..6000 {
            let (frame, user) = maker.next(styles[rng.gen_range(0..styles.len())]);
            rig.send(&frame, user);
            beats += frame.len().div_ceil(beat_bytes);
            frames += 1;
        }
        assert_eq!((rig.stalls, rig.cycles), (0, beats as u64));
        rig.idle(100);
        assert_eq!(rig.events.iter().sum::<usize>(), frames);
        let accepted = ["req", "ack", "response", "feedback"].map(|event| rig.count(event));
        assert!(accepted.iter().all(|count| *count > 20), "{accepted:?}");
    }
}

/// The wide datapath takes a stack away without reading it: the packet is good, its telemetry is
/// counted as not usable.
#[test]
fn rx_pipe_strips_stacks_that_it_does_not_read() {
    let plain = captured_write();
    let payload = roce::FrameRepr::parse(&plain, None).expect("a good frame").payload.to_vec();
    let ioam_host = Host { tel_format: 4, ..INT_HOST };
    let stacked = |tag| with_telemetry(&plain, &INT_TWO_HOPS, 10, None, tag);
    for tag in [false, true] {
        let frames = [
            (INT_HOST, stacked(tag)),
            (ioam_host, stacked(tag)),
            (IFA_HOST, with_ifa(&plain, IFA_HEADER, &IFA_TWO_HOPS, true, tag)),
            (IFA_HOST, with_ifa(&plain, IFA_HEADER, &IFA_TWO_HOPS, false, tag)),
        ];
        for (host, frame) in frames {
            let mut rig = lock_step(WIDE, host, 34);
            rig.send(&frame, false);
            rig.idle(40);
            assert_eq!(rig.payloads, std::slice::from_ref(&payload), "{host:?}");
            let tel = rig.reqs[0].tel;
            assert_eq!((tel.valid, tel.hops, tel.path, tel.hop), (true, 6, 0, [0; 5]));
            assert_eq!((rig.count("req"), rig.unusable), (1, 1));
        }
    }
}
