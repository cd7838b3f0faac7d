//! A WRITE of three packets, and ACKs and direct telemetry responses whose telemetry no honest network gives, as frames typed by hand:
//! whether congestion control takes them, and what counts them. The WRITE ends well whatever they say:
//! telemetry is not covered by the ICRC, and an ACK with a lie in it acknowledges all the same.

use crate::conformance::frames::*;
use nic_driver::{Nic, Qp, QpConfig, Status, Write};
use nic_models::reference::hpcc::{Flow, Ignored, Telemetry};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use nic_sim::net::switch::{Faults, Format, Stamping, Switch};
use nic_sim::replay::cc_trace::reference_params;
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::Form;

const ETHERNET: [u8; 14] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
/// IPv4 with the DSCP of echoes, and UDP, of an ACK with one record in the paper's form.
pub const ACK_IP_UDP: [u8; 28] = [
    0x45, 0x5c, 0, 58, 0, 0, 0x40, 0, 64, 17, 0x26, 0x55, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x00, 0x12, 0xb7, 0, 38, 0, 0, // UDP
];
/// The same of a telemetry response.
const RESPONSE_IP_UDP: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x59, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x00, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
/// BTH, AETH and ICRC of ACKs of the three packets and of one that was never sent.
const ACK_100: [u8; 20] =
    [0x11, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 100, 0x1f, 0, 0, 1, 0x25, 0x00, 0x09, 0xcc];
const ACK_101: [u8; 20] =
    [0x11, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 101, 0x1f, 0, 0, 1, 0x95, 0x29, 0x69, 0xf1];
pub const ACK_102: [u8; 20] =
    [0x11, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 102, 0x1f, 0, 0, 1, 0x45, 0x53, 0xc9, 0xb6];
pub const ACK_103: [u8; 20] =
    [0x11, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 103, 0x1f, 0, 0, 1, 0xf5, 0x7a, 0xa9, 0x8b];
/// BTH and ICRC of a telemetry response.
const RESPONSE_101: [u8; 16] =
    [0xc0, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 101, 0x82, 0x9e, 0xca, 0xc4];

/// IPv4 and UDP of a switch's direct response to a data packet, with one record in the paper's form; of another
/// host, and with another UDP source port than the queue pair's.
const DIRECT_IP_UDP: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x59, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x11, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const DIRECT_OTHER_HOST: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x58, 10, 0, 0, 3, 10, 0, 0, 1, // IPv4
    0xc0, 0x11, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
const DIRECT_OTHER_PORT: [u8; 28] = [
    0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17, 0x26, 0x59, 10, 0, 0, 2, 10, 0, 0, 1, // IPv4
    0xc0, 0x12, 0x12, 0xb7, 0, 34, 0, 0, // UDP
];
/// BTH and ICRC of direct responses to the first two packets and to one that was never sent; to the second one from
/// another host, with another port, and with the requester's QPN in the place of the peer's.
const DIRECT_100: [u8; 16] =
    [0xc1, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 100, 0x7f, 0x9b, 0x49, 0x0a];
const DIRECT_101: [u8; 16] =
    [0xc1, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 101, 0xe9, 0xab, 0x4e, 0x7d];
const DIRECT_103: [u8; 16] =
    [0xc1, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 103, 0xc5, 0xca, 0x40, 0x93];
const DIRECT_101_OTHER_HOST: [u8; 16] =
    [0xc1, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 101, 0xe7, 0x3b, 0xc5, 0xd8];
const DIRECT_101_OTHER_PORT: [u8; 16] =
    [0xc1, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 101, 0x40, 0x2d, 0x18, 0xde];
const DIRECT_101_OWN_QPN: [u8; 16] =
    [0xc1, 0, 0xff, 0xff, 0, 0, 0, 0x11, 0, 0, 0, 101, 0xbf, 0x69, 0xcf, 0x9b];

/// What becomes of the telemetry of a row's packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The window changes.
    Used,
    /// The records are only stored.
    Stored,
    /// Nothing but the counter of this event moves.
    Counted(&'static str),
}

use Fate::*;

/// Between an honest ACK of the first packet (25 Gb/s, 1000 ns, 50 units sent, 10 queued) and one of the
/// last comes this packet: telemetry, and what is in front of it and behind.
struct Row {
    name: &'static str,
    telemetry: [u8; 10],
    front: &'static [u8],
    behind: &'static [u8],
    fate: Fate,
}

/// An ACK of the second packet.
fn ack(name: &'static str, telemetry: [u8; 10], fate: Fate) -> Row {
    Row { name, telemetry, front: &ACK_IP_UDP, behind: &ACK_101, fate }
}

/// Count 4 bits, path 12, rate code 4, time 24, units sent 20, units queued 16.
const FIRST: [u8; 10] = [0x10, 0x01, 0x00, 0x00, 0x3e, 0x80, 0x00, 0x32, 0x00, 0x0a];
pub const HONEST: [u8; 10] = [0x10, 0x01, 0x00, 0x00, 0x7d, 0x00, 0x00, 0x46, 0x00, 0x0a];

/// A direct response to the second packet.
fn direct(name: &'static str, telemetry: [u8; 10], fate: Fate) -> Row {
    Row { name, telemetry, front: &DIRECT_IP_UDP, behind: &DIRECT_101, fate }
}

fn direct_rows() -> Vec<Row> {
    let dropped =
        |name, behind| Row { behind, ..direct(name, HONEST, Counted("feedback_dropped")) };
    vec![
        direct("a direct response", HONEST, Used),
        direct(
            "a direct response: time back by 1",
            [0x10, 0x01, 0x00, 0x00, 0x3e, 0x70, 0x00, 0x32, 0x00, 0x0a],
            Counted("cc_time"),
        ),
        direct(
            "a direct response from another path",
            [0x10, 0x02, 0x00, 0x00, 0x00, 0x0f, 0xff, 0xff, 0x00, 0x0a],
            Stored,
        ),
        direct(
            "a direct response: a rate code that names none",
            [0x10, 0x01, 0x90, 0x00, 0x7d, 0x00, 0x00, 0x46, 0x00, 0x0a],
            Counted("rx_telemetry_unusable"),
        ),
        direct(
            "a direct response: fifteen records, longer than the packet",
            [0xf0, 0x01, 0x00, 0x00, 0x7d, 0x00, 0x00, 0x46, 0x00, 0x0a],
            Counted("rx_drop_telemetry"),
        ),
        dropped("a direct response to a PSN that was never sent", &DIRECT_103),
        dropped("a direct response to what is acknowledged with telemetry", &DIRECT_100),
        dropped("a direct response to our own queue pair", &DIRECT_101_OWN_QPN),
        Row {
            front: &DIRECT_OTHER_PORT,
            ..dropped("a direct response to another UDP port", &DIRECT_101_OTHER_PORT)
        },
        Row {
            front: &DIRECT_OTHER_HOST,
            ..dropped("a direct response from another host", &DIRECT_101_OTHER_HOST)
        },
    ]
}

fn rows() -> Vec<Row> {
    ack_rows().into_iter().chain(direct_rows()).collect()
}

fn ack_rows() -> Vec<Row> {
    let row = |rest: [u8; 8]| {
        let mut bytes = HONEST;
        bytes[2..].copy_from_slice(&rest);
        bytes
    };
    vec![
        ack("honest: 20 units in 1000 ns", HONEST, Used),
        ack("time back by 1", row([0x00, 0x00, 0x3e, 0x70, 0, 0x32, 0, 0x0a]), Counted("cc_time")),
        ack("time ahead by 2^23", row([0x08, 0x00, 0x3e, 0x80, 0, 0x46, 0, 0x0a]), {
            Counted("cc_time")
        }),
        ack("time ahead by 2^23 - 1", row([0x08, 0x00, 0x3e, 0x70, 0, 0x46, 0, 0x0a]), Used),
        ack("101 units in 1000 ns", row([0x00, 0x00, 0x7d, 0x00, 0, 0x97, 0, 0x0a]), Used),
        ack("102 units in 1000 ns", row([0x00, 0x00, 0x7d, 0x00, 0, 0x98, 0, 0x0a]), {
            Counted("cc_bytes")
        }),
        ack("bytes sent go back", row([0x00, 0x00, 0x7d, 0x00, 0, 0x31, 0, 0x0a]), {
            Counted("cc_bytes")
        }),
        ack("queue of 80000 bytes", row([0x00, 0x00, 0x7d, 0x00, 0, 0x46, 0x03, 0xe8]), Used),
        ack("queue of 80080 bytes", row([0x00, 0x00, 0x7d, 0x00, 0, 0x46, 0x03, 0xe9]), {
            Counted("cc_queue")
        }),
        ack("all of it: the time counts", row([0x00, 0x00, 0x00, 0x0f, 0xff, 0xff, 0xff, 0xff]), {
            Counted("cc_time")
        }),
        Row {
            behind: &ACK_103,
            ..ack("an ACK of a PSN that was never sent", HONEST, Counted("reqr_ack_ghost"))
        },
        ack(
            "another path, any time: compared with nothing",
            [0x10, 0x02, 0x00, 0x00, 0x00, 0x0f, 0xff, 0xff, 0x00, 0x0a],
            Stored,
        ),
        ack("a rate code that names none", row([0x90, 0x00, 0x7d, 0x00, 0, 0x46, 0, 0x0a]), {
            Counted("rx_telemetry_unusable")
        }),
        ack(
            "fifteen records, longer than the packet",
            [0xf0, 0x01, 0x00, 0x00, 0x7d, 0x00, 0x00, 0x46, 0x00, 0x0a],
            Counted("rx_drop_telemetry"),
        ),
        Row {
            front: &RESPONSE_IP_UDP,
            behind: &RESPONSE_101,
            ..ack("a telemetry response for what was no READ response", HONEST, {
                Counted("feedback_dropped")
            })
        },
    ]
}

pub fn frame(front: &[u8], telemetry: &[u8], behind: &[u8]) -> Vec<u8> {
    [&ETHERNET, front, telemetry, behind].concat()
}

/// Queues of more than 80000 bytes are ignored.
pub fn cc_config() -> CcConfig {
    let line = CcConfig::for_line(25e9, 2, 125_000_000);
    CcConfig { queue_max_bytes: 80_000.0, w_ai_bytes: 80.0, ..line }
}

/// First window: below the largest one, so that every update shows.
const WINDOW_BYTES: u32 = 10_000;

/// The events that may say that telemetry is not used.
const EVENTS: [&str; 8] = [
    "reqr_ack_ghost",
    "cc_psn",
    "cc_time",
    "cc_bytes",
    "cc_queue",
    "rx_telemetry_unusable",
    "rx_drop_telemetry",
    "feedback_dropped",
];

/// The reference takes what reaches congestion control; W of each ACK that it used.
fn run_reference(row: &Row) -> [f64; 3] {
    let p = reference_params(&cc_config());
    let window = f64::from(WINDOW_BYTES);
    let mut flow = Flow { w: window, wc: window, ..Flow::new(&p) };
    let mut windows = [0.0; 3];
    let frames = [
        frame(&ACK_IP_UDP, &FIRST, &ACK_100),
        frame(row.front, &row.telemetry, row.behind),
        frame(&ACK_IP_UDP, &later(row), &ACK_102),
    ];
    for (at, bytes) in frames.iter().enumerate() {
        let is_last = at == 2;
        let before = flow;
        if let Ok(packet) = FrameRepr::parse(bytes, Some(Form::Paper)) {
            let (_, told) = packet.telemetry.expect("parsed");
            // A response is no ACK; a code of more than three bits has no place in a record.
            let is_known = told.hops[0].rate_code < 8;
            let is_direct = packet.bth.opcode == 0xc1 && row.fate != Counted("feedback_dropped");
            if (packet.aeth.is_some() || is_direct) && is_known {
                let mut hops = [0; 5];
                hops[0] = told.hops[0].to_word();
                let tel = Telemetry { hop_count: told.hop_count.into(), path: told.path, hops };
                let outcome = flow.new_ack(&p, packet.bth.psn, PSN + 3, &tel);
                let event = outcome.ignored.map(|ignored| match ignored {
                    // The requester does not let it through to where `cc_psn` counts.
                    Ignored::Psn => "reqr_ack_ghost",
                    Ignored::Time => "cc_time",
                    Ignored::Bytes => "cc_bytes",
                    Ignored::Queue => "cc_queue",
                });
                match row.fate {
                    _ if at != 1 => assert_eq!(event, None, "{}", row.name),
                    Counted(event_of_row) => assert_eq!(event, Some(event_of_row), "{}", row.name),
                    Used | Stored => assert_eq!(event, None, "{}", row.name),
                }
                assert_eq!(outcome.first, at == 0 || at == 1 && row.fate == Stored);
            }
        }
        let changed = before.w != flow.w || before.u != flow.u;
        assert_eq!(changed, is_last || at == 1 && row.fate == Used, "{}: ACK {at}", row.name);
        windows[at] = flow.w;
    }
    windows
}

/// An honest record behind that of the row, or behind the first one if the row's was not stored.
fn later(row: &Row) -> [u8; 10] {
    let is_stored = match row.fate {
        Used | Stored => true,
        Counted(event) => ["cc_time", "cc_bytes", "cc_queue"].contains(&event),
    };
    let mut bytes = if is_stored { row.telemetry } else { FIRST };
    // 2000 ns and 48 units later; the time is in bits 59:36, the units in 35:16, and the queue is empty.
    let word = u64::from_be_bytes(bytes[2..].try_into().expect("8"));
    let (time, units) = (((word >> 36) + 2000) & 0xff_ffff, ((word >> 16) + 48) & 0xf_ffff);
    let word = word >> 60 << 60 | time << 36 | units << 16;
    bytes[2..].copy_from_slice(&word.to_be_bytes());
    bytes
}

/// A WRITE of three packets on a new queue pair.
fn begin(nic: &mut Nic<Station>) -> Qp {
    let (qp, frames) = begin_with_frames(nic);
    assert_eq!(frames.len(), 3);
    qp
}

fn begin_with_frames(nic: &mut Nic<Station>) -> (Qp, Vec<Vec<u8>>) {
    let config = QpConfig { window_bytes: WINDOW_BYTES, timeout_exponent: 0, ..qp_config(PSN) };
    // The low bits of the port are those of the QPN.
    let config = QpConfig { telemetry: true, udp_source_port: 0xc011, ..config };
    let mut qp = nic.create_qp(&config).unwrap();
    nic.watch_cc(&qp).unwrap();
    let write = Write { local_address: HOST, length_bytes: 600, remote_va: VA, ..Write::default() };
    nic.post_write(&mut qp, &Write { rkey: RKEY, ..write }).unwrap();
    settle(nic);
    let frames = sent(nic);
    (qp, frames)
}

/// Events of the list that the frame moves, and window and rate behind it.
fn deliver(nic: &mut Nic<Station>, bytes: Vec<u8>) -> (Vec<&'static str>, (u32, u32)) {
    let before = EVENTS.map(|event| nic.counter(event).unwrap());
    nic.bus().deliver(bytes, false);
    settle(nic);
    // A counter lags its event by up to 64 cycles.
    nic.bus().run(64).unwrap();
    let after = EVENTS.map(|event| nic.counter(event).unwrap());
    let moved = (0..EVENTS.len()).filter(|at| before[*at] != after[*at]);
    (moved.map(|at| EVENTS[at]).collect(), nic.cc_state().unwrap())
}

fn run_nic(nic: &mut Nic<Station>, row: &Row, engine: &str) {
    let place = format!("{engine}: {}", row.name);
    let mut qp = begin(nic);
    let wanted = run_reference(row);
    let (moved, first) = deliver(nic, frame(&ACK_IP_UDP, &FIRST, &ACK_100));
    assert!(moved.is_empty(), "{place}: {moved:?}");
    let (moved, second) = deliver(nic, frame(row.front, &row.telemetry, row.behind));
    match row.fate {
        Used => assert!(moved.is_empty() && second != first, "{place}: {moved:?}, {second:?}"),
        Stored => assert!(moved.is_empty() && second == first, "{place}: {moved:?}"),
        Counted(event) => assert_eq!((moved, second), (vec![event], first), "{place}"),
    }
    let (moved, third) = deliver(nic, frame(&ACK_IP_UDP, &later(row), &ACK_102));
    // Two additive steps from the same Wc give the same window.
    let is_used = third != second || row.fate == Used;
    assert!(moved.is_empty() && is_used, "{place}: {moved:?}, {third:?}");
    for (state, wanted) in [first, second, third].iter().zip(wanted) {
        let error = (f64::from(state.0) / wanted - 1.0).abs();
        assert!(error < 1e-3, "{place}: window {} instead of {wanted}", state.0);
    }
    let completion = nic.poll().unwrap().expect("the WRITE has ended");
    assert_eq!(completion.status, Status::Ok, "{place}");
    qp.complete(&completion);
}

pub fn telemetry_nic(engine: EngineKind) -> Nic<Station> {
    let mut nic = nic(engine);
    nic.set_telemetry(1, 0x13, 0x17).unwrap();
    nic.set_cc_params(&CcParams::derive(&cc_config()).unwrap()).unwrap();
    nic
}

#[test]
fn telemetry_reference_follows_the_table() {
    for row in rows() {
        run_reference(&row);
    }
}

#[test]
fn telemetry_golden_follows_the_table() {
    let mut nic = telemetry_nic(EngineKind::Golden);
    rows().iter().for_each(|row| run_nic(&mut nic, row, "golden"));
}

#[test]
fn telemetry_verilog_follows_the_table() {
    let mut nic = telemetry_nic(EngineKind::Both);
    rows().iter().for_each(|row| run_nic(&mut nic, row, "Verilog"));
}

/// Without the checks the same packets are believed: the table tells the two apart.
#[test]
fn telemetry_golden_believes_it_without_the_checks() {
    let mut nic = telemetry_nic(EngineKind::Golden);
    let trusting = CcConfig { checks: false, queue_max_bytes: f64::INFINITY, ..cc_config() };
    nic.set_cc_params(&CcParams::derive(&trusting).unwrap()).unwrap();
    for row in rows().iter().filter(|row| matches!(row.fate, Counted(e) if e.starts_with("cc_"))) {
        begin(&mut nic);
        let (_, first) = deliver(&mut nic, frame(&ACK_IP_UDP, &FIRST, &ACK_100));
        let (moved, second) = deliver(&mut nic, frame(row.front, &row.telemetry, row.behind));
        assert!(moved.is_empty() && second != first, "{}: {moved:?}, {second:?}", row.name);
    }
}

/// The switch's answers to the NIC's bare data packets are the frames typed above, time, bytes and queue apart, and the
/// NIC takes each once.
#[test]
fn telemetry_switch_answers_data_with_the_frames_of_the_table() {
    let mut nic = telemetry_nic(EngineKind::Golden);
    nic.set_telemetry(4, 0x13, 0x17).unwrap();
    let (_, packets) = begin_with_frames(&mut nic);
    let mut switch = Switch::new(&[LOCAL_MAC, PEER_MAC], 25.0, Faults::default(), 1);
    switch.stamp(Stamping {
        format: Format::Direct { every: 1 },
        dscp: 0x13,
        rate_code: 1,
        switch_id: 0x2a5,
        is_transit: false,
    });
    packets.iter().for_each(|packet| switch.receive(packet.clone()));
    let (mut answers, mut forwarded) = (vec![], vec![]);
    for ns in 0..2000 {
        answers.extend(switch.poll(0, f64::from(ns)));
        forwarded.extend(switch.poll(1, f64::from(ns)));
    }
    assert_eq!(forwarded, packets, "data packets stay as they are");
    assert_eq!(answers.len(), 3);
    for (at, answer) in answers.iter().enumerate() {
        // Behind the first packet two are left in the queue, of 302 and 130 bytes or so.
        let queue = u16::from_be_bytes([answer[50], answer[51]]);
        assert_eq!((&answer[42..45], queue > 0), (&[0x12, 0xa5, 0x10][..], at < 2), "answer {at}");
        if let Some(wanted) = [&DIRECT_100, &DIRECT_101].get(at) {
            let telemetry: [u8; 10] = answer[42..52].try_into().unwrap();
            assert_eq!(answer[..], frame(&DIRECT_IP_UDP, &telemetry, &wanted[..]), "answer {at}");
        }
        for event in ["feedback_accepted", "feedback_dropped"] {
            let before = nic.counter(event).unwrap();
            deliver(&mut nic, answer.clone());
            assert_eq!(nic.counter(event).unwrap(), before + 1, "answer {at}: {event}");
        }
    }
}
