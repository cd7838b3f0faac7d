//! Windows that a receiver computes, as frames typed by hand: which ones the NIC takes and what its scheduler then
//! has, and when it sends its own. ICRCs typed here are computed apart from the project. Then the same as NewINT in f64.

use crate::conformance::frames::*;
use crate::conformance::telemetry::{cc_config, frame, telemetry_nic, HONEST};
use nic_driver::{CcMode, Nic, Qp, QpConfig};
use nic_models::reference::hpcc::{Flow, Telemetry};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use nic_sim::replay::cc_trace::reference_params;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::{Form, Hop, Repr as TelemetryRepr};
use nic_spec::wire::{bth, ethernet, ipv4, reth};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// IPv4 and UDP of a window to the NIC; of another host; without ImmDt; with four bytes behind it.
const IP_UDP: [u8; 28] = [
    0x45, 0x00, 0, 48, 0, 0, 0x40, 0, 64, 17, 0x26, 0xbb, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 28, 0, 0, // UDP
];
const OTHER_HOST_IP_UDP: [u8; 28] = [
    0x45, 0x00, 0, 48, 0, 0, 0x40, 0, 64, 17, 0x26, 0xba, 10, 0, 0, 3, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 28, 0, 0, // UDP
];
const SHORT_IP_UDP: [u8; 28] = [
    0x45, 0x00, 0, 44, 0, 0, 0x40, 0, 64, 17, 0x26, 0xbf, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 24, 0, 0, // UDP
];
const LONG_IP_UDP: [u8; 28] = [
    0x45, 0x00, 0, 52, 0, 0, 0x40, 0, 64, 17, 0x26, 0xb7, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 32, 0, 0, // UDP
];
/// BTH, ImmDt and ICRC: 5000 bytes at time 0x123456, 6000 at the next one, 7000 at the one before.
const WINDOW_5000: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x56, 0, 0, 0x13, 0x88, //
    0xb7, 0x39, 0x3d, 0x84,
];
const WINDOW_5000_BAD_ICRC: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x56, 0, 0, 0x13, 0x88, //
    0xb7, 0x39, 0x3d, 0x85,
];
const WINDOW_6000: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x57, 0, 0, 0x17, 0x70, //
    0x2d, 0xaf, 0x57, 0x6e,
];
const WINDOW_7000_BEFORE: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x55, 0, 0, 0x1b, 0x58, //
    0xbb, 0x1b, 0x97, 0x8d,
];
/// 7000 bytes: for a queue pair that is not there, from another host, with the peer's QPN in the place of ours.
const WINDOW_OTHER_QPN: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x51, 0, 0x12, 0x34, 0x58, 0, 0, 0x1b, 0x58, //
    0x0d, 0xdc, 0x95, 0xab,
];
const WINDOW_OTHER_HOST: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x58, 0, 0, 0x1b, 0x58, //
    0x2e, 0x06, 0x00, 0x16,
];
const WINDOW_PEER_QPN: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0x12, 0x34, 0x58, 0, 0, 0x1b, 0x58, //
    0x1d, 0x23, 0xbb, 0x62,
];
/// 2^32 - 1 bytes, then none.
const WINDOW_LARGEST: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x58, 0xff, 0xff, 0xff, 0xff, //
    0xb5, 0xed, 0x3a, 0x67,
];
const WINDOW_NONE: [u8; 20] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x59, 0, 0, 0, 0, //
    0xe6, 0xe4, 0xe1, 0x84,
];
/// Without ImmDt, and with payload.
const WINDOW_SHORT: [u8; 16] =
    [0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x60, 0x7e, 0xa5, 0x1e, 0x41];
const WINDOW_LONG: [u8; 24] = [
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x60, 0, 0, 0x1b, 0x58, 1, 2, 3, 4, //
    0x88, 0xdb, 0x2a, 0x45,
];

/// What the NIC sends behind an ACK, but for time and ICRC: no telemetry, the DSCP of the row, no AckReq.
const OWN_WINDOW: [u8; 58] = [
    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, // Ethernet
    0x45, 0x00, 0, 48, 0, 1, 0x40, 0, 64, 17, 0x26, 0xba, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
    0xc0, 0x11, 0x12, 0xb7, 0, 28, 0, 0, // UDP
    0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 0, // BTH
    0, 0, 0x27, 0x10, // ImmDt: 10,000 bytes, the window of the row
];

/// T: 5 us at 125 MHz.
const T_CYCLES: u64 = 625;
/// Window of the row.
const WINDOW_BYTES: u32 = 10_000;

/// The counters that a window may move.
const EVENTS: [&str; 6] = [
    "rx_drop_icrc",
    "rx_drop_length",
    "rx_drop_opcode",
    "resp_no_qp",
    "feedback_accepted",
    "feedback_dropped",
];

/// What the frame moves of them, and window and rate behind it. Nothing is sent.
fn deliver(nic: &mut Nic<Station>, bytes: Vec<u8>) -> (Vec<&'static str>, (u32, u32)) {
    let before = EVENTS.map(|event| nic.counter(event).unwrap());
    nic.bus().deliver(bytes, false);
    settle(nic);
    nic.bus().run(64).unwrap();
    let after = EVENTS.map(|event| nic.counter(event).unwrap());
    let counted = (0..EVENTS.len()).flat_map(|at| vec![at; (after[at] - before[at]) as usize]);
    assert_eq!(sent(nic), Vec::<Vec<u8>>::new());
    (counted.map(|at| EVENTS[at]).collect(), nic.cc_state().unwrap())
}

fn window_nic(engine: EngineKind, by_receiver: bool) -> Nic<Station> {
    let mut nic = telemetry_nic(engine);
    let mode = if by_receiver { CcMode::Receiver } else { CcMode::Sender };
    nic.set_cc_mode(mode).unwrap();
    nic
}

fn queue_pair(nic: &mut Nic<Station>, telemetry: bool) -> Qp {
    let config = QpConfig { telemetry, udp_source_port: 0xc011, ..qp_config(PSN) };
    let config = QpConfig { window_bytes: WINDOW_BYTES, timeout_exponent: 0, ..config };
    let qp = nic.create_qp(&config).unwrap();
    nic.watch_cc(&qp).unwrap();
    qp
}

/// A window for a queue pair with telemetry, from its peer and newer than the one before, sets window and rate W/T,
/// clamped; any other changes nothing. Each counts once, and moves nothing else: the queue pair expects the PSN
/// that it did.
fn takes(engine: EngineKind) {
    let mut nic = window_nic(engine, true);
    queue_pair(&mut nic, true);
    let window = |bytes: &[u8]| frame(&IP_UDP, &[], bytes);
    let set = |state| (vec!["feedback_accepted"], state);
    // 5000 bytes in 625 cycles are 8 bytes a cycle, less what truncation takes.
    let first = (5000, (8 << 24) - 1);
    assert_eq!(deliver(&mut nic, window(&WINDOW_5000)), set(first));
    for (name, bytes, event) in [
        ("twice", window(&WINDOW_5000), "feedback_dropped"),
        ("overtaken", window(&WINDOW_7000_BEFORE), "feedback_dropped"),
        ("unknown QPN", window(&WINDOW_OTHER_QPN), "feedback_dropped"),
        ("the peer's QPN", window(&WINDOW_PEER_QPN), "feedback_dropped"),
        ("another host", frame(&OTHER_HOST_IP_UDP, &[], &WINDOW_OTHER_HOST), "feedback_dropped"),
        ("bad ICRC", window(&WINDOW_5000_BAD_ICRC), "rx_drop_icrc"),
        ("no ImmDt", frame(&SHORT_IP_UDP, &[], &WINDOW_SHORT), "rx_drop_length"),
        ("payload", frame(&LONG_IP_UDP, &[], &WINDOW_LONG), "rx_drop_length"),
    ] {
        assert_eq!(deliver(&mut nic, bytes), (vec![event], first), "{name}");
    }
    // 9.6 bytes a cycle; then W_init = 15,625 bytes, 25 bytes a cycle; then R_min x T and R_min, a thousandth of that.
    assert_eq!(deliver(&mut nic, window(&WINDOW_6000)), set((6000, 161_061_273)));
    assert_eq!(deliver(&mut nic, window(&WINDOW_LARGEST)), set((15_625, (25 << 24) - 1)));
    assert_eq!(deliver(&mut nic, window(&WINDOW_NONE)), set((15, 419_430)));
    let write = Packet::new(0x0a, PSN).reth(VA, RKEY, 4).payload(7, 4).ack_req();
    nic.bus().deliver(write.frame(), false);
    settle(&mut nic);
    assert_eq!(sent(&mut nic).iter().map(|f| f[42]).collect::<Vec<_>>(), [0x11]);
    // A new row forgets the time of the window before; without telemetry it has none.
    queue_pair(&mut nic, true);
    assert_eq!(deliver(&mut nic, window(&WINDOW_5000)), set(first));
    queue_pair(&mut nic, false);
    let (events, state) = deliver(&mut nic, window(&WINDOW_6000));
    assert_eq!((events, state.0), (vec!["feedback_dropped"], WINDOW_BYTES));
    // Who computes its windows itself takes none.
    let mut nic = window_nic(engine, false);
    queue_pair(&mut nic, true);
    let (events, state) = deliver(&mut nic, window(&WINDOW_5000));
    assert_eq!((events, state.0), (vec!["feedback_dropped"], WINDOW_BYTES));
}

#[test]
fn window_golden_takes() {
    takes(EngineKind::Golden);
}

#[test]
fn window_verilog_takes() {
    takes(EngineKind::Both);
}

/// A WRITE of the peer with a record in the paper's form: `at_ns`, units of 128 bytes sent, of 80 bytes queued.
fn data(psn: u32, record: [u32; 3]) -> (Vec<u8>, Telemetry) {
    data_of(PEER_IP, QPN, psn, record)
}

/// The same from any host, to any queue pair.
fn data_of(
    src: u32,
    qpn: u32,
    psn: u32,
    [at_ns, sent_units, queue_units]: [u32; 3],
) -> (Vec<u8>, Telemetry) {
    let (ts_ns, tx_units) = (at_ns & 0xff_ffff, sent_units & 0xf_ffff);
    let hop = Hop { rate_code: 0, ts_ns, tx_units, queue_units };
    let mut hops = [0; 5];
    hops[0] = hop.to_word();
    let mut records = TelemetryRepr { hop_count: 1, path: 1, ..TelemetryRepr::default() };
    records.hops[0] = hop;
    let repr = FrameRepr {
        ethernet: ethernet::Repr { dst: LOCAL_MAC, src: PEER_MAC, ..Default::default() },
        ip: ipv4::Repr { dscp: 0x13, src, dst: LOCAL_IP, ttl: 64, ..Default::default() },
        udp_src_port: 0xc022,
        telemetry: Some((Form::Paper, records)),
        bth: bth::Repr {
            opcode: 0x0a,
            pkey: 0xffff,
            qpn,
            psn,
            ack_req: true,
            ..Default::default()
        },
        reth: Some(reth::Repr { va: VA, rkey: RKEY, dma_len: 4 }),
        payload: &[1, 2, 3, 4],
        ..Default::default()
    };
    let mut bytes = vec![0; repr.buffer_len()];
    repr.emit(&mut bytes);
    (bytes, Telemetry { hop_count: 1, path: 1, hops })
}

/// The first packet with telemetry brings the window of the row, the next one in T none; ACKs have no telemetry.
/// Telemetry of another host, or for another queue pair, brings none.
fn sends(engine: EngineKind) {
    let mut nic = window_nic(engine, true);
    queue_pair(&mut nic, true);
    for (src, qpn) in [(PEER_IP + 1, QPN), (PEER_IP, QPN + 64), (PEER_IP, QPN + 1)] {
        nic.bus().deliver(data_of(src, qpn, PSN, [1000, 50, 10]).0, false);
        settle(&mut nic);
        assert_eq!(sent(&mut nic), Vec::<Vec<u8>>::new());
    }
    assert_eq!(nic.counter("resp_no_qp").unwrap(), 3);
    nic.bus().deliver(data(PSN, [1000, 50, 10]).0, false);
    nic.bus().run(400).unwrap();
    let frames = sent(&mut nic);
    let [ack, window] = &frames[..] else { panic!("{} frames", frames.len()) };
    assert_eq!((ack[42], ack.len()), (0x11, 62), "an ACK without telemetry");
    assert_eq!(window.len(), 62);
    let mut wanted = OWN_WINDOW;
    // The time is the NIC's own.
    wanted[51..54].copy_from_slice(&window[51..54]);
    assert_eq!(window[..58], wanted);
    assert_eq!(window[58..], icrc_of(&window[..58]));
    let (second, _) = data(PSN + 1, [2000, 60, 10]);
    nic.bus().deliver(second, false);
    settle(&mut nic);
    assert_eq!(sent(&mut nic).iter().map(|f| f[42]).collect::<Vec<_>>(), [0x11], "in T");
    let (third, _) = data(PSN + 2, [9000, 100, 10]);
    nic.bus().deliver(third, false);
    settle(&mut nic);
    let frames = sent(&mut nic);
    assert_eq!(frames.iter().map(|f| f[42]).collect::<Vec<_>>(), [0x11, 0xc4], "behind T");
    let time = |frame: &[u8]| u32::from_be_bytes(frame[50..54].try_into().expect("4"));
    assert!(time(&frames[1]) > time(window) + T_CYCLES as u32, "later");
    assert_eq!(nic.counter("window_sent").unwrap(), 2);
    // The peer's windows are the scheduler's, what it computes is not.
    assert_eq!(nic.cc_state().unwrap().0, WINDOW_BYTES);
    // By the sender the same data bring an ACK with the telemetry.
    let mut nic = window_nic(engine, false);
    queue_pair(&mut nic, true);
    nic.bus().deliver(data(PSN, [1000, 50, 10]).0, false);
    settle(&mut nic);
    let frames = sent(&mut nic);
    assert_eq!((frames.len(), frames[0][42 + 10], frames[0].len()), (1, 0x11, 72));
}

#[test]
fn window_golden_sends() {
    sends(EngineKind::Golden);
}

#[test]
fn window_verilog_sends() {
    sends(EngineKind::Both);
}

/// The NIC of the peer, which sends the data and takes the windows.
fn sender(engine: EngineKind) -> Nic<Station> {
    let mut nic = window_nic(engine, true);
    nic.set_address(PEER_MAC, PEER_IP).unwrap();
    let config = QpConfig { qpn: PEER_QPN, remote_qpn: QPN, ..qp_config(PSN) };
    let config = QpConfig { remote_ip: LOCAL_IP, remote_mac: LOCAL_MAC, telemetry: true, ..config };
    let qp = nic.create_qp(&QpConfig { window_bytes: WINDOW_BYTES, ..config }).unwrap();
    nic.watch_cc(&qp).unwrap();
    nic
}

/// From data packets with telemetry over the receiver's window packets to the sender's scheduler: each window is that of
/// NewINT in f64, stepped on the same telemetry at the same times, within 0.1 % or 16 bytes, and its rate W/T.
fn follows_reference(engine: EngineKind, seed: u64) {
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut receiver, mut sender) = (window_nic(engine, true), sender(engine));
    queue_pair(&mut receiver, true);
    let config = cc_config();
    let p = reference_params(&config);
    let window = f64::from(WINDOW_BYTES);
    let mut flow = Flow { w: window, wc: window, ..Flow::new(&p) };
    let start = receiver.bus().cycle();
    let (mut now, mut last_full, mut units) = (T_CYCLES + 1, 0, 0);
    let mut counts = [0; 2];
    for number in 0..200 {
        // Below, at and above T; not so near to T that a cycle more or less would decide.
        let before = now;
        now += match rng.gen_range(0..4) {
            0 => rng.gen_range(650..2000),
            _ => rng.gen_range(210..320),
        };
        if (now - last_full).abs_diff(T_CYCLES) < 20 {
            now += 40;
        }
        let ns = |cycles: u64| cycles * 8;
        // Of 25 Gb/s, from nothing to all, in bursts.
        let load =
            if number / 20 % 2 == 0 { rng.gen_range(0.8..1.0) } else { rng.gen_range(0.0..0.6) };
        units += (load * 3.125 / 128.0 * ns(now - before) as f64) as u32;
        let queue = if rng.gen() { 0 } else { rng.gen_range(0..200) };
        let (bytes, tel) = data(PSN + number, [ns(now) as u32, units, queue]);
        while receiver.bus().cycle() - start < now {
            receiver.bus().tick().unwrap();
        }
        let outcome = flow.new_int(&p, ns(now), &tel);
        assert_eq!(outcome.ignored, None, "packet {number}");
        if outcome.full {
            last_full = now;
        }
        receiver.bus().deliver(bytes, false);
        // All that one packet does is done before the next one.
        receiver.bus().run(200).unwrap();
        let frames = sent(&mut receiver);
        let windows: Vec<&Vec<u8>> = frames.iter().filter(|f| f[42] == 0xc4).collect();
        assert_eq!(windows.len(), usize::from(outcome.full), "packet {number} at {now}");
        counts[usize::from(outcome.full)] += 1;
        let Some(window) = windows.first() else { continue };
        sender.bus().deliver(window.to_vec(), false);
        sender.bus().run(100).unwrap();
        let (w, rate) = sender.cc_state().unwrap();
        let error = (f64::from(w) - flow.w).abs();
        assert!(error <= (flow.w * 1e-3).max(16.0), "packet {number}: {w}, not {}", flow.w);
        let per_cycle = f64::from(w) / T_CYCLES as f64 * f64::from(1 << 24);
        assert!((f64::from(rate) - per_cycle).abs() <= per_cycle * 1e-6 + 1.0, "{w}, {rate}");
    }
    println!("{} windows, {} packets between them", counts[1], counts[0]);
    assert!(counts[0] > 50 && counts[1] > 50);
    assert_eq!(sender.counter("feedback_accepted").unwrap(), counts[1]);
}

#[test]
fn window_golden_follows_reference() {
    (1..5).for_each(|seed| follows_reference(EngineKind::Golden, seed));
}

#[test]
fn window_verilog_follows_reference() {
    follows_reference(EngineKind::Both, 5);
}

/// What the peer tells of the data in ACKs, direct responses and answers to probes is not looked at by who leaves its
/// windows to the receiver.
#[test]
fn window_sender_ignores_echoes() {
    let mut nic = window_nic(EngineKind::Golden, true);
    queue_pair(&mut nic, true);
    let probe_answer = [0xc3, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 103, 0xbb, 0x5d, 0x6a, 0x0f];
    let ip_udp = [
        0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x59, 10, 0, 0, 2, 10, 0, 0,
        1, // IPv4
        0xc0, 0x22, 0x12, 0xb7, 0, 34, 0, 0, // UDP
    ];
    let (events, state) = deliver(&mut nic, frame(&ip_udp, &HONEST, &probe_answer));
    assert_eq!((events, state.0), (vec!["feedback_dropped"], WINDOW_BYTES));
}
