//! Probes, as frames typed by hand: which ones the NIC answers and with what, and when it sends its own.
//! ICRCs are computed apart from the project.

use crate::conformance::frames::*;
use crate::conformance::telemetry::{frame, telemetry_nic, ACK_102, ACK_103, ACK_IP_UDP, HONEST};
use nic_driver::{Nic, Qp, QpConfig, Write};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use rdma_nic::preset;

/// IPv4 with the DSCP of data with telemetry, and UDP, of a probe with one record in the paper's form; of another
/// host; and without telemetry. The UDP source port is the peer's own.
const PROBE_IP_UDP: [u8; 28] = [
    0x45, 0x4c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x69, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const PROBE_OTHER_HOST: [u8; 28] = [
    0x45, 0x4c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x68, 10, 0, 0, 3, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const PROBE_PLAIN: [u8; 28] = [
    0x45, 0x00, 0, 44, 0, 0, 0x40, 0, 64, 17, 0x26, 0xbf, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 24, 0, 0, // UDP
];
/// BTH and ICRC of a probe for the queue pair, for one that is not there, from another host.
const PROBE: [u8; 16] =
    [0xc2, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x56, 0x07, 0x95, 0x99, 0x61];
const PROBE_OTHER_QPN: [u8; 16] =
    [0xc2, 0, 0xff, 0xff, 0, 0, 0, 0x51, 0, 0x12, 0x34, 0x56, 0x4e, 0xcd, 0x6a, 0x39];
const PROBE_FROM_OTHER_HOST: [u8; 16] =
    [0xc2, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x56, 0x09, 0x05, 0x12, 0xc4];
const PROBE_BAD_ICRC: [u8; 16] =
    [0xc2, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0x12, 0x34, 0x56, 0x07, 0x95, 0x99, 0x60];

/// The answer, as the NIC's first frame.
const SENT_ETHERNET: [u8; 14] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0];
const ANSWER_IP_UDP: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x59, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
    0xc0, 0x11, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const ANSWER: [u8; 16] =
    [0xc3, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0x12, 0x34, 0x56, 0x39, 0xe4, 0xde, 0xc4];

/// The NIC's own probe behind three data packets, without a record yet.
const OWN_PROBE_IP_UDP: [u8; 28] = [
    0x45, 0x4c, 0, 46, 0, 3, 0x40, 0, 64, 17, 0x26, 0x6e, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
    0xc0, 0x11, 0x12, 0xb7, 0, 26, 0, 0, // UDP
];
const OWN_PROBE: [u8; 16] =
    [0xc2, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 102, 0x0a, 0x22, 0xf9, 0x56];

/// Answers to it: IPv4 and UDP, then BTH and ICRC of those for PSN 102, 103, one that was never sent, from another
/// host, and with the peer's QPN in the place of ours.
const ANSWERED_IP_UDP: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x59, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const ANSWERED_OTHER_HOST: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x58, 10, 0, 0, 3, 10, 0, 0, 1, // IPv4
    0xc0, 0x22, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const ANSWERED_103: [u8; 16] =
    [0xc3, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 103, 0xbb, 0x5d, 0x6a, 0x0f];
const ANSWERED_104: [u8; 16] =
    [0xc3, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 104, 0x2a, 0x40, 0xd5, 0x9f];
const ANSWERED_103_OTHER_HOST: [u8; 16] =
    [0xc3, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 103, 0xb5, 0xcd, 0xe1, 0xaa];
const ANSWERED_103_PEER_QPN: [u8; 16] =
    [0xc3, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 103, 0xed, 0x9f, 0xeb, 0xe9];

/// Cycles from one turn of a queue pair to the next one.
fn turn_cycles() -> u64 {
    preset().flow_count as u64 * 20
}

/// The counters that a frame about telemetry may move.
const EVENTS: [&str; 6] = [
    "rx_drop_icrc",
    "rx_drop_opcode",
    "rx_drop_telemetry",
    "feedback_accepted",
    "feedback_dropped",
    "cc_psn",
];

/// What the frame moves of them, and what the NIC sends then.
fn deliver(nic: &mut Nic<Station>, bytes: Vec<u8>) -> (Vec<&'static str>, Vec<Vec<u8>>) {
    let before = EVENTS.map(|event| nic.counter(event).unwrap());
    nic.bus().deliver(bytes, false);
    settle(nic);
    nic.bus().run(64).unwrap();
    let after = EVENTS.map(|event| nic.counter(event).unwrap());
    let counted = (0..EVENTS.len()).flat_map(|at| vec![at; (after[at] - before[at]) as usize]);
    (counted.map(|at| EVENTS[at]).collect(), sent(nic))
}

fn queue_pair(nic: &mut Nic<Station>, telemetry: bool) -> Qp {
    let config = QpConfig { telemetry, udp_source_port: 0xc011, ..qp_config(PSN) };
    nic.create_qp(&QpConfig { timeout_exponent: 0, ..config }).unwrap()
}

/// A probe is answered with its telemetry if it is for a queue pair with telemetry, from the peer; each frame counts
/// once. Probes move nothing else: the queue pair expects the PSN that it did.
fn answers(engine: EngineKind) {
    let mut nic = telemetry_nic(engine);
    queue_pair(&mut nic, true);
    let probe = frame(&PROBE_IP_UDP, &HONEST, &PROBE);
    let wanted = [&SENT_ETHERNET, &ANSWER_IP_UDP[..], &HONEST, &ANSWER].concat();
    let (counted, frames) = deliver(&mut nic, probe.clone());
    assert_eq!((counted, frames), (vec!["feedback_accepted"], vec![wanted]));
    for (name, bytes, event) in [
        ("unknown QPN", frame(&PROBE_IP_UDP, &HONEST, &PROBE_OTHER_QPN), "feedback_dropped"),
        (
            "another host",
            frame(&PROBE_OTHER_HOST, &HONEST, &PROBE_FROM_OTHER_HOST),
            "feedback_dropped",
        ),
        ("no telemetry", frame(&PROBE_PLAIN, &[], &PROBE), "feedback_dropped"),
        ("bad ICRC", frame(&PROBE_IP_UDP, &HONEST, &PROBE_BAD_ICRC), "rx_drop_icrc"),
        (
            "fifteen records, longer than the packet",
            frame(&PROBE_IP_UDP, &[0xf0, 1, 0, 0, 0x7d, 0, 0, 0x46, 0, 0x0a], &PROBE),
            "rx_drop_telemetry",
        ),
    ] {
        assert_eq!(deliver(&mut nic, bytes), (vec![event], vec![]), "{name}");
    }
    // Another probe is answered at once, with the same telemetry: there is no interval.
    let (_, frames) = deliver(&mut nic, probe.clone());
    assert_eq!(frames.len(), 1);
    assert_eq!(nic.counter("tx_feedback").unwrap(), 2);
    let write = Packet::new(0x0a, PSN).reth(VA, RKEY, 4).payload(7, 4).ack_req();
    let (_, frames) = deliver(&mut nic, write.frame());
    assert_eq!((frames.len(), frames[0][42]), (1, 0x11), "the WRITE's ACK");
    // A queue pair without telemetry, an rxe peer's for example, answers none.
    let mut nic = telemetry_nic(engine);
    queue_pair(&mut nic, false);
    assert_eq!(deliver(&mut nic, probe), (vec!["feedback_dropped"], vec![]));
}

#[test]
fn probe_golden_answers() {
    answers(EngineKind::Golden);
}

#[test]
fn probe_verilog_answers() {
    answers(EngineKind::Both);
}

/// A WRITE; the opcodes that have left when all is quiet.
fn write(nic: &mut Nic<Station>, qp: &mut Qp, bytes: u32) -> Vec<u8> {
    let write =
        Write { local_address: HOST, length_bytes: bytes, remote_va: VA, ..Write::default() };
    nic.post_write(qp, &Write { rkey: RKEY, ..write }).unwrap();
    settle(nic);
    sent(nic).iter().map(|frame| frame[42]).collect()
}

/// Frames that leave in so many turns, of a NIC that is otherwise quiet.
fn turns(nic: &mut Nic<Station>, count: u64) -> Vec<Vec<u8>> {
    // Some cycles more than a turn: it may be put off.
    nic.bus().run(count * turn_cycles() + 100).unwrap();
    sent(nic)
}

/// The NIC's own probes: of data without telemetry, the PSN of the latest; the next one when that is answered or lost,
/// if there are data that have been sent since and are not acknowledged.
fn probes(engine: EngineKind) {
    let mut nic = telemetry_nic(engine);
    nic.set_telemetry_every(0).unwrap();
    let mut qp = queue_pair(&mut nic, true);
    assert_eq!(write(&mut nic, &mut qp, 600), [0x06, 0x07, 0x08]);
    assert_eq!(turns(&mut nic, 2), Vec::<Vec<u8>>::new(), "probes are off");
    nic.set_probe_cycles(turn_cycles() as u32).unwrap();
    let wanted = [&SENT_ETHERNET, &OWN_PROBE_IP_UDP[..], &[0, 0], &OWN_PROBE].concat();
    assert_eq!(turns(&mut nic, 1), [wanted]);
    // Without an answer none follows for four turns; without data that are new none at all.
    assert_eq!(write(&mut nic, &mut qp, 4), [0x0a]);
    assert_eq!(turns(&mut nic, 2), Vec::<Vec<u8>>::new());
    let next = turns(&mut nic, 2);
    assert_eq!((next.len(), next[0][42 + 2], next[0][42 + 2 + 11]), (1, 0xc2, 103));
    assert_eq!(nic.counter("probe_lost").unwrap(), 1);
    // Others' answers are none.
    for (name, front, behind) in [
        ("another host", &ANSWERED_OTHER_HOST, &ANSWERED_103_OTHER_HOST),
        ("the peer's QPN", &ANSWERED_IP_UDP, &ANSWERED_103_PEER_QPN),
    ] {
        let bytes = frame(front, &HONEST, behind);
        assert_eq!(deliver(&mut nic, bytes), (vec!["feedback_dropped"], vec![]), "{name}");
    }
    let answered = frame(&ANSWERED_IP_UDP, &HONEST, &ANSWERED_103);
    assert_eq!(deliver(&mut nic, answered.clone()), (vec!["feedback_accepted"], vec![]));
    assert_eq!(deliver(&mut nic, answered), (vec!["feedback_dropped"], vec![]), "twice");
    let never_sent = frame(&ANSWERED_IP_UDP, &HONEST, &ANSWERED_104);
    assert_eq!(deliver(&mut nic, never_sent), (vec!["feedback_dropped"], vec![]));
    assert_eq!(turns(&mut nic, 6), Vec::<Vec<u8>>::new(), "nothing has been sent since");
    assert_eq!(nic.counter("probe_lost").unwrap(), 1, "it was answered");
    // What is acknowledged is not probed for.
    nic.set_probe_cycles(0).unwrap();
    assert_eq!(write(&mut nic, &mut qp, 4), [0x0a]);
    deliver(&mut nic, frame(&ACK_IP_UDP, &HONEST, &ACK_102));
    deliver(&mut nic, frame(&ACK_IP_UDP, &HONEST, &ACK_103));
    nic.set_probe_cycles(turn_cycles() as u32).unwrap();
    let next = turns(&mut nic, 1);
    assert_eq!((next.len(), next[0][42 + 2 + 11]), (1, 104), "the last packet is in flight");
    assert_eq!(write(&mut nic, &mut qp, 4), [0x0a]);
    deliver(&mut nic, Packet::new(0x11, PSN + 5).aeth(0x1f, 5).frame());
    assert_eq!(turns(&mut nic, 8), Vec::<Vec<u8>>::new(), "nothing is in flight");
    assert_eq!(nic.counter("probe_sent").unwrap(), 3);
}

#[test]
fn probe_golden_probes() {
    probes(EngineKind::Golden);
}

#[test]
fn probe_verilog_probes() {
    probes(EngineKind::Both);
}
