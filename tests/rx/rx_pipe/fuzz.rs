//! Random damage to captured conversations, and registers that change under traffic.

use super::{build, capture, golden, lock_step, verilog, Rig, EVENTS, HOST_1, HOST_2, WIDTHS};
use nic_harness::lockstep::{Dut, Stepper};
use nic_models::golden::rx::pipe::{RxPipeIn, RxPipeOut};
use nic_models::golden::rx::verdict::Kind;
use nic_models::streams::Request;
use nic_sim::bench::rx::{FrameMaker, FrameStyle, Host};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

const CAPTURES_OF_THE_FUZZ: [&str; 7] = [
    "write_multi",
    "loss_nak",
    "send_imm_atomic",
    "psn_wrap",
    "mtu256_write_read",
    "loss_read_resp_middle",
    "bad_icrc",
];

/// Captured conversations with frames lost, duplicated, reordered, truncated, lengthened and
/// flipped. `RX_FUZZ_FRAMES` sets the number of frames.
#[test]
fn rx_pipe_fuzz_accounts_for_every_frame() {
    for beat_bytes in WIDTHS {
        fuzz(beat_bytes, HOST_2, 20);
        fuzz(beat_bytes, HOST_1, 21);
    }
}

fn fuzz(beat_bytes: usize, host: Host, seed: u64) {
    let frames = std::env::var("RX_FUZZ_FRAMES").ok().and_then(|n| n.parse().ok());
    let frame_count: usize = frames.unwrap_or(3_000);
    println!("seed {seed}, {frame_count} frames");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut rig = lock_step(beat_bytes, host, seed);
    let captured: Vec<Vec<u8>> =
        CAPTURES_OF_THE_FUZZ.iter().flat_map(|name| capture(name)).collect();
    let mut queue = VecDeque::new();
    let mut at = 0;
    let mut lengths = [vec![], vec![]];
    for _ in 0..frame_count {
        while queue.len() < 4 {
            at = (at + 1) % captured.len();
            // Lost, or once, or twice.
            let copies = [0, 1, 1, 1, 1, 2][rng.gen_range(0..6)];
            (0..copies).for_each(|_| queue.push_back(captured[at].clone()));
        }
        let place = if rng.gen_ratio(1, 5) { rng.gen_range(0..queue.len()) } else { 0 };
        let mut frame = queue.remove(place).expect("there are four");
        match rng.gen_range(0..8) {
            0 => frame.truncate(rng.gen_range(1..=frame.len())),
            1 if rng.gen_ratio(1, 20) => frame.resize(rng.gen_range(1..12_000), 0xa5),
            1 => frame.resize(frame.len() + rng.gen_range(1..64), 0xa5),
            2..=4 => {
                for _ in 0..rng.gen_range(1..4) {
                    // Headers are hit more often than the payload.
                    let end = if rng.gen() { frame.len() } else { frame.len().min(70) };
                    frame[rng.gen_range(0..end)] ^= 1 << rng.gen_range(0..8);
                }
            }
            _ => {}
        }
        rig.taking = rng.gen_ratio(9, 10);
        let user = rng.gen_ratio(1, 50);
        if rig.taking {
            rig.send(&frame, user);
            rig.idle(rng.gen_range(0..3) * rng.gen_range(0..20));
        } else {
            rig.idle(rng.gen_range(0..30));
            rig.taking = true;
            rig.send(&frame, user);
        }
        lengths[0].extend(rig.payloads.drain(..).map(|p| p.len()));
        lengths[1].extend(rig.responses.drain(..).map(|p| p.len()));
        rig.host_frames.clear();
    }
    rig.taking = true;
    rig.idle(4000);
    lengths[0].extend(rig.payloads.drain(..).map(|p| p.len()));
    lengths[1].extend(rig.responses.drain(..).map(|p| p.len()));
    let total: usize = rig.events.iter().sum();
    println!("{} cycles, {:?}", rig.cycles, EVENTS.iter().zip(rig.events).collect::<Vec<_>>());
    assert_eq!(total, frame_count, "each frame in exactly one counter");
    let responses = rig.acks_of(Kind::Response);
    assert_eq!((rig.reqs.len(), responses.len()), (rig.count("req"), rig.count("response")));
    assert_eq!(rig.acks_of(Kind::Ack).len(), rig.count("ack"));
    assert_eq!(rig.feedbacks.len(), rig.count("feedback"));
    let accepted = if host.ip == HOST_1.ip { responses.len() } else { rig.reqs.len() };
    assert!(accepted > frame_count / 20, "{accepted} packets with payload");
    let some = |bytes: u16| Some(usize::from(bytes)).filter(|len| *len > 0);
    let expected = [
        rig.reqs.iter().filter_map(|req| some(req.payload_bytes)).collect::<Vec<_>>(),
        responses.iter().filter_map(|ack| some(ack.payload_bytes)).collect(),
    ];
    assert!(lengths == expected, "each record has its payload");
    assert!(!rig.out.m_payload.tvalid && !rig.out.m_response.tvalid && rig.out.s_axis.tready);
    assert!(!rig.out.m_req.valid && !rig.out.m_ack.valid);
}

/// Registers that change in the middle of frames: what the frames in progress become is open, but
/// each has one event, records and payloads agree, and the next frame is not disturbed.
fn change_registers_under_traffic<S: Stepper<In = RxPipeIn, Out = RxPipeOut>>(
    mut rig: Rig<S>,
    seed: u64,
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut maker = FrameMaker::new(ChaCha8Rng::seed_from_u64(seed + 1));
    let good = capture("send_imm_atomic")[6].clone();
    let frame_count = 3000;
    for _ in 0..frame_count {
        maker.host = Host { tel_format: rng.gen_range(0..6), ..HOST_2 };
        let (frame, user) = maker.next(FrameStyle::random(&mut rng));
        let beat_count = frame.len().div_ceil(rig.beat_bytes);
        for (index, bytes) in frame.chunks(rig.beat_bytes).enumerate() {
            if rng.gen_ratio(1, 6) {
                rig.host = maker.host;
                match rng.gen_range(0..8) {
                    0 => rig.host.mac = 0,
                    1 => rig.host.ip = 0,
                    2 => rig.host.pkey = 0,
                    3 => rig.host.tel_format = rng.gen_range(0..6),
                    4 => rig.host.tel_dscp = rng.gen_range(0..64),
                    _ => {}
                }
            }
            let last = index + 1 == beat_count;
            while !rig.step(Some((bytes, last, user && last))) {}
        }
    }
    rig.idle(3000);
    let events = rig.events;
    assert_eq!(events.iter().sum::<usize>(), frame_count, "{events:?}");
    assert!(rig.count("req") > 100 && rig.count("ack") > 20, "{events:?}");
    assert_eq!(rig.count("req"), rig.reqs.len());
    assert_eq!(rig.count("ack"), rig.acks_of(Kind::Ack).len());
    assert_eq!(rig.count("response"), rig.acks_of(Kind::Response).len());
    assert_eq!(rig.count("feedback"), rig.feedbacks.len());
    assert_eq!(rig.count("host"), rig.host_frames.len());
    let lengths = |req: &Request| Some(usize::from(req.payload_bytes)).filter(|len| *len > 0);
    let expected: Vec<usize> = rig.reqs.iter().filter_map(lengths).collect();
    let payloads: Vec<usize> = rig.payloads.iter().map(Vec::len).collect();
    assert!(payloads == expected, "payloads do not belong to the requests");
    let expected = rig.acks.iter().map(|ack| usize::from(ack.payload_bytes)).filter(|len| *len > 0);
    let responses = rig.responses.iter().map(Vec::len);
    assert!(responses.eq(expected), "payloads do not belong to the READ responses");
    rig.host = HOST_2;
    rig.idle(40);
    rig.send(&good, false);
    rig.idle(100);
    assert_eq!((rig.count("req"), rig.reqs.len()), (events[2] + 1, events[2] + 1));
    assert_eq!(rig.payloads.last().map(Vec::len), Some(10));
}

/// The NIC's golden model and hardware differed while software wrote the MAC address in two halves
/// (nic, seed 5, cycle 86), and the golden model could lose a frame.
#[test]
fn regress_rx_pipe_registers_change_under_traffic() {
    for beat_bytes in WIDTHS {
        let model = build(&verilog(beat_bytes));
        for seed in [30, 40] {
            change_registers_under_traffic(golden(beat_bytes, HOST_2), seed);
            let dut = Dut::new(&model, seed).expect("a DUT");
            change_registers_under_traffic(Rig::new(dut, beat_bytes, HOST_2), seed);
        }
    }
}
