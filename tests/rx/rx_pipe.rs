//! Rx pipe against its golden twin, and the golden twin against the standard and real traffic.

mod captures;
mod fuzz;
mod ifa_stacks;
mod int_md_stacks;
mod ioam_traces;
mod lengths;
mod native;
mod room;
mod widths;

use nic_harness::lockstep::{GoldenOnly, LockStep, Stepper};
use nic_harness::verilator::{Flavour, Source};
use nic_models::events::RxEvents;
use nic_models::golden::rx::pipe::{RxPipe, RxPipeIn, RxPipeOut};
use nic_models::golden::rx::verdict::Kind;
use nic_models::ports::PortField;
use nic_models::ports::{keep, Data};
use nic_models::streams::{Answer, AxisUser, Feedback, ReadyPort, Request, TreadyPort};
use nic_sim::bench;
use nic_sim::bench::rx::{FrameMaker, FrameStyle, Host};
use nic_sim::pcap;
use nic_spec::wire::telemetry::Hop;
use nic_spec::wire::{bth, ethernet, ipv4};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Bytes of a beat: those of the narrow datapath, in which stacks are read, and of the wide one.
const NARROW: usize = 8;
const WIDE: usize = 64;
const WIDTHS: [usize; 2] = [NARROW, WIDE];

/// The second host of the captures.
const HOST_2: Host = Host {
    mac: 0x5254_0000_0002,
    ip: 0x0a00_0002,
    pkey: 0xffff,
    tel_format: 0,
    tel_dscp: 10,
    tel_echo_dscp: 12,
    tel_port: 0x1b6d,
    tel_queue_bytes: false,
    tel_time_binary: false,
    tel_rates: 0,
};

/// The first one.
const HOST_1: Host = Host { mac: 0x5254_0000_0001, ip: 0x0a00_0001, ..HOST_2 };

/// Names of the events, in the order of the ports; `telemetry_unusable` comes beside one of them.
const EVENTS: [&str; 16] = [
    "host",
    "host_overflow",
    "req",
    "ack",
    "drop_mac_error",
    "drop_truncated",
    "drop_oversize",
    "drop_ip_checksum",
    "drop_length",
    "drop_icrc",
    "drop_opcode",
    "drop_version",
    "drop_pkey",
    "drop_telemetry",
    "response",
    "feedback",
];

/// An engine with frames on one side and collectors on the other.
struct Rig<S> {
    engine: S,
    beat_bytes: usize,
    host: Host,
    out: RxPipeOut,
    reqs: Vec<Request>,
    acks: Vec<Answer>,
    feedbacks: Vec<Feedback>,
    payloads: Vec<Vec<u8>>,
    responses: Vec<Vec<u8>>,
    host_frames: Vec<Vec<u8>>,
    events: [usize; 16],
    /// Packets whose telemetry is not usable.
    unusable: usize,
    open: [Vec<u8>; 3],
    stalls: usize,
    cycles: u64,
    taking: bool,
    taking_payload: bool,
}

impl<S: Stepper<In = RxPipeIn, Out = RxPipeOut>> Rig<S> {
    fn new(mut engine: S, beat_bytes: usize, host: Host) -> Self {
        let out = engine.reset().unwrap_or_else(|e| panic!("{e}"));
        Self {
            engine,
            beat_bytes,
            host,
            out,
            reqs: vec![],
            acks: vec![],
            feedbacks: vec![],
            payloads: vec![],
            responses: vec![],
            host_frames: vec![],
            events: [0; 16],
            unusable: 0,
            open: Default::default(),
            stalls: 0,
            cycles: 0,
            taking: true,
            taking_payload: true,
        }
    }

    /// One cycle; whether the beat was taken.
    fn step(&mut self, beat: Option<(&[u8], bool, bool)>) -> bool {
        let (bytes, last, user) = beat.unwrap_or((&[], false, false));
        let inputs = RxPipeIn {
            cfg_local_mac: self.host.mac,
            cfg_local_ip: self.host.ip,
            cfg_pkey: self.host.pkey,
            cfg_tel_format: self.host.tel_format,
            cfg_tel_dscp: self.host.tel_dscp,
            cfg_tel_echo_dscp: self.host.tel_echo_dscp,
            cfg_tel_port: self.host.tel_port,
            cfg_tel_queue_bytes: self.host.tel_queue_bytes,
            cfg_tel_time_binary: self.host.tel_time_binary,
            cfg_tel_rates: self.host.tel_rates,
            s_axis: AxisUser {
                tdata: Data::of(bytes),
                tkeep: keep(bytes.len()),
                tvalid: beat.is_some(),
                tlast: last,
                tuser: user,
            },
            m_host: TreadyPort { tready: self.taking },
            m_payload: TreadyPort { tready: self.taking && self.taking_payload },
            m_response: TreadyPort { tready: self.taking },
            m_req: ReadyPort { ready: self.taking },
            m_ack: ReadyPort { ready: self.taking },
            m_feedback: ReadyPort { ready: self.taking },
            ..RxPipeIn::default()
        };
        let out = self.out;
        if self.taking {
            self.collect(&out);
        }
        let taken = beat.is_some() && out.s_axis.tready;
        self.stalls += usize::from(beat.is_some() && !taken);
        self.out = self.engine.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
        let mut events = [0; RxEvents::WORDS];
        self.out.event_rx.store(&mut events);
        let [events @ .., unusable] = events;
        assert!(events.iter().sum::<u64>() <= 1, "one frame, one event");
        self.unusable += unusable as usize;
        self.events.iter_mut().zip(events).for_each(|(sum, event)| *sum += event as usize);
        self.cycles += 1;
        taken
    }

    fn collect(&mut self, out: &RxPipeOut) {
        if out.m_req.valid {
            self.reqs.push(out.m_req);
        }
        if out.m_ack.valid {
            self.acks.push(out.m_ack);
        }
        if out.m_feedback.valid {
            self.feedbacks.push(out.m_feedback);
        }
        let [open_payload, open_response, open_host] = &mut self.open;
        for (axis, open, frames, taking) in [
            (out.m_payload, open_payload, &mut self.payloads, self.taking_payload),
            (out.m_response, open_response, &mut self.responses, true),
            (out.m_host, open_host, &mut self.host_frames, true),
        ] {
            if axis.tvalid && taking {
                let kept = axis.tkeep.count_ones() as usize;
                open.extend(&axis.tdata.bytes()[..kept]);
                if axis.tlast {
                    frames.push(std::mem::take(open));
                }
            }
        }
    }

    fn send(&mut self, frame: &[u8], user: bool) {
        let beat_count = frame.len().div_ceil(self.beat_bytes);
        for (index, bytes) in frame.chunks(self.beat_bytes).enumerate() {
            let last = index + 1 == beat_count;
            let mut waited = 0;
            while !self.step(Some((bytes, last, user && last))) {
                waited += 1;
                assert!(waited < 100_000, "the rx pipe hangs");
            }
        }
    }

    /// A frame whose beats come with pauses between them.
    fn send_slowly(&mut self, frame: &[u8]) {
        let beat_count = frame.len().div_ceil(self.beat_bytes);
        for (index, bytes) in frame.chunks(self.beat_bytes).enumerate() {
            self.idle(index as u64 % 4);
            assert!(self.step(Some((bytes, index + 1 == beat_count, false))));
        }
    }

    fn idle(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.step(None);
        }
    }

    /// Records of READ responses, of the ACKs otherwise.
    fn acks_of(&self, kind: Kind) -> Vec<Answer> {
        let is_response = |ack: &&Answer| ack.opcode != bth::opcode::ACKNOWLEDGE;
        let wanted = |ack: &&Answer| is_response(ack) == (kind == Kind::Response);
        self.acks.iter().filter(wanted).copied().collect()
    }

    /// Frames that ended, and the events that say so.
    fn count(&self, event: &str) -> usize {
        self.events[EVENTS.iter().position(|name| *name == event).expect("an event")]
    }
}

fn golden(beat_bytes: usize, host: Host) -> Rig<GoldenOnly<RxPipe>> {
    Rig::new(GoldenOnly(RxPipe::new(beat_bytes)), beat_bytes, host)
}

/// The emitted Verilog with beats of so many bytes.
fn verilog(beat_bytes: usize) -> Source {
    let config = if beat_bytes == NARROW { rdma_nic::gbe() } else { rdma_nic::hundred() };
    bench::emitted("rx_pipe", &config).unwrap_or_else(|e| panic!("{e}"))
}

fn lock_step(beat_bytes: usize, host: Host, seed: u64) -> Rig<LockStep<RxPipe>> {
    let model = build(&verilog(beat_bytes));
    let engine = LockStep::new(RxPipe::new(beat_bytes), &[model], seed).expect("a DUT");
    Rig::new(engine, beat_bytes, host)
}

fn build(source: &Source) -> std::sync::Arc<nic_harness::verilator::Model> {
    source.model(Flavour::Fast).unwrap_or_else(|e| panic!("{e}"))
}

fn capture(name: &str) -> Vec<Vec<u8>> {
    let path = format!("{}/tests/data/rxe/{name}.pcap", env!("CARGO_MANIFEST_DIR"));
    let records = pcap::read(path).unwrap_or_else(|e| panic!("{e}"));
    records.into_iter().map(|record| record.data).collect()
}

#[test]
fn rx_pipe_matches_golden() {
    for config in [rdma_nic::gbe(), rdma_nic::hundred()] {
        let runs = rdma_nic::Runs::of_block("rx_pipe", &config, 1..=4, 150_000);
        runs.assert_match_golden(&[]);
    }
}

#[test]
fn rx_pipe_breaks_are_caught() {
    let breaks = [
        ("32'h2144_df1c", "32'h2144_df1d"),
        ("beats_limit = 12'd988", "beats_limit = 12'd98"),
        ("index > resume", "index >= resume"),
        ("in_rest <= s_last & !fits", "in_rest <= s_last & fits"),
        ("reason_of_m_early != 4'd15", "reason_of_m_early == 4'd15"),
        ("held_response_next = payload_response", "held_response_next = payload_wanted"),
        ("code[7:2] == 6'd48", "code[7:1] == 7'd96"),
        ("is_bare = is_ack | is_feedback", "is_bare = is_ack"),
        ("fifo_s_word_4 = imm | port_wide", "fifo_s_word_4 = imm"),
        ("code == 8'd196", "code == 8'd197"),
        ("if (!opcode[2])", "if (1'b1)"),
        ("m_feedback_window = fifo_m_word_6[26]", "m_feedback_window = fifo_m_word_6[25]"),
        ("m_feedback_probe = fifo_m_word_6[25]", "m_feedback_probe = fifo_m_word_6[26]"),
        ("{8'd0, head_m_data[175:168]}", "{8'd0, head_m_data[183:176]}"),
        ("m_feedback_ready & head_for_feedback", "m_feedback_ready & head_for_requester"),
        ("place_b = 5'd0;", "place_b = 5'd1;"),
        ("= int_used + int_behind + 5'd1;", "= int_used + int_behind;"),
        ("^ path_a[23:12]", "^ path_a[22:11]"),
        ("second_before_next = s_word_b[14:0]", "second_before_next = s_word_b[15:1]"),
        ("bytes_next = stack_bytes + 11'd8", "bytes_next = stack_bytes + 11'd4"),
        ("stamp_next = stayed", "stamp_next = s_word_a[23:0]"),
        ("words_max_next = head_m_data[191:184]", "words_max_next = head_m_data[190:183]"),
        ("is_runt = frame_bytes < 15'd24", "is_runt = frame_bytes < 15'd0"),
    ];
    rdma_nic::assert_catches("rx_pipe", 400_000, &breaks);
}

/// What is at other places in the wide datapath, or happens there alone.
#[test]
fn rx_pipe_breaks_of_the_wide_datapath_are_caught() {
    let breaks = [
        ("in_rest <= s_last & !fits", "in_rest <= s_last & fits"),
        ("7'd60: m_crc", "7'd0: m_crc"),
        ("beats_limit = 9'd92", "beats_limit = 9'd91"),
        ("records_limit = 7'd44", "records_limit = 7'd43"),
        // A record goes over the one before it, or leaves before it is judged.
        ("write_address(write_next)", "write_address(write_index)"),
        ("& (more | s_store)", "& (more | s_write)"),
        ("last_index = 11'd143", "last_index = 11'd144"),
        ("stack_5 & !is_whole", "stack_5 & is_whole"),
        ("out_first_next = !has_begun", "out_first_next = in_first"),
        ("is_runt = frame_bytes < 15'd32", "is_runt = frame_bytes < 15'd31"),
    ];
    let runs = [rdma_nic::Runs::of_block("rx_pipe", &rdma_nic::hundred(), [1], 400_000)];
    rdma_nic::assert_runs_catch(&runs, &breaks);
}

/// Every outcome occurs in the stimulus of the bench, or the bench would say nothing about it.
#[test]
fn rx_pipe_stimulus_reaches_every_event() {
    use nic_harness::bench::Stimulus;
    use nic_models::ports::Golden;
    use nic_sim::bench::rx::RxTraffic;
    let mut sums = [0; 16];
    // INT-MD, IOAM and IFA by the number of hops that are usable, and what is not.
    let (mut stacks, mut traces, mut analysed) = ([0; 7], [0; 7], [0; 7]);
    for seed in 1..=4 {
        let (mut golden, mut traffic) = (RxPipe::new(NARROW), RxTraffic::new(NARROW, seed));
        let mut out = golden.step(&RxPipeIn { reset: true, ..RxPipeIn::default() });
        for cycle in 0..150_000 {
            let inputs = traffic.next(cycle, &out);
            let stack = match inputs.cfg_tel_format {
                3 => Some(&mut stacks),
                4 => Some(&mut traces),
                5 => Some(&mut analysed),
                _ => None,
            };
            if let Some(counts) = stack.filter(|_| inputs.m_req.ready && out.m_req.valid) {
                let tel = out.m_req.tel;
                counts[usize::from(tel.hops)] += usize::from(tel.valid && tel.hops > 0);
            }
            out = golden.step(&inputs);
            let mut events = [0; RxEvents::WORDS];
            out.event_rx.store(&mut events);
            sums.iter_mut().zip(events).for_each(|(sum, event)| *sum += event);
        }
    }
    println!("{:?}", EVENTS.iter().zip(sums).collect::<Vec<_>>());
    let rare = EVENTS.iter().zip(sums).filter(|(_, sum)| *sum < 20);
    assert_eq!(rare.collect::<Vec<_>>(), [], "events that hardly occur");
    for (name, counts) in [("INT-MD", stacks), ("IOAM", traces), ("IFA", analysed)] {
        assert!(counts[1..].iter().all(|count| *count > 10), "hops of {name}: {counts:?}");
    }
}

/// A WRITE first of a capture, to which a switch would give telemetry.
fn captured_write() -> Vec<u8> {
    let plain = capture("mtu256_write_read").into_iter().find(|f| f.len() > 300 && f[5] == 2);
    plain.expect("a data packet for host 2")
}

/// The frame with these bytes behind its UDP header, lengths and checksum by hand; with an 802.1Q
/// tag if asked for.
fn with_telemetry(plain: &[u8], bytes: &[u8], dscp: u8, port: Option<u16>, tag: bool) -> Vec<u8> {
    let mut frame = plain.to_vec();
    frame.splice(42..42, bytes.iter().copied());
    for at in [16, 38] {
        let length = u16::from_be_bytes([frame[at], frame[at + 1]]) + bytes.len() as u16;
        frame[at..at + 2].copy_from_slice(&length.to_be_bytes());
    }
    if let Some(port) = port {
        frame[36..38].copy_from_slice(&port.to_be_bytes());
    }
    let mut ip = ipv4::Packet::new_unchecked(&mut frame[14..]);
    ip.set_tos(dscp << 2);
    ip.fill_checksum();
    if tag {
        frame.splice(12..12, [0x81, 0x00, 0x00, 0x07]);
    }
    frame
}

/// Two hops of INT-MD in HPCC's profile, typed from the figures of the specification (sections
/// 5.7.2 and 5.8): the newest first.
const INT_TWO_HOPS: [u8; 64] = [
    0x10, 0x0f, 0x00, 0x0a, // shim: INT-MD, NPT 0, 15 words, DSCP 10
    0x20, 0x00, 0x06, 0x03, // version 2, no flags, six words a hop, three hops left
    0xd5, 0x00, 0x00, 0x00, // bits 0, 1, 3, 5, 7; no domain
    0x00, 0x00, 0x00, 0x00, // no domain instructions, no flags
    0x00, 0x00, 0x02, 0x0b, // node 0x20b
    0x00, 0x03, 0x00, 0x09, // in by 3, out by 9
    0x05, 0x00, 0x00, 0x21, // queue 5 with 33 cells
    0x00, 0x00, 0x00, 0x7b, 0xab, 0xcd, 0xef, 0x01, // time
    0x00, 0x00, 0x26, 0xac, // 9900
    0x00, 0x00, 0x01, 0x0a, // node 0x10a
    0x00, 0x01, 0x00, 0x02, // in by 1, out by 2
    0x00, 0x02, 0x00, 0x00, // queue 0 with 131072 cells: too many for the field
    0x00, 0x00, 0x00, 0x7b, 0xab, 0xcd, 0x00, 0x02, // time
    0x00, 0x10, 0x00, 0x00, // 1048576: too many for the field
];

/// What the two hops are as records: rate codes by 9 mod 8 and 2, time mod 2^24.
const TWO_HOPS: [u64; 2] = [
    3 | 0xcdef01 << 3 | 9900 << 27 | 33 << 47,
    4 | 0xcd0002 << 3 | 0xf_ffff << 27 | 0x1_ffff << 47,
];

/// Rate code 3 for interfaces 1 mod 8, 4 for 2 mod 8, 2 for 0 mod 8.
const RATES: u32 = 2 | 3 << 3 | 4 << 6;

/// The hosts with INT-MD.
const INT_HOST: Host = Host { tel_format: 3, tel_rates: RATES, ..HOST_2 };

/// Sends random frames, good and bad; `stack` is what the format's specification makes of the telemetry
/// of a frame whose IP header begins there (`None`: it has none; within: not usable), `compare` looks
/// at a record and its hop.
fn read_as_reference<H>(
    host: Host,
    seed: u64,
    stack: impl Fn(&[u8]) -> Option<Option<Vec<H>>>,
    compare: impl Fn(Hop, &H),
) {
    let mut maker = FrameMaker::new(ChaCha8Rng::seed_from_u64(seed));
    maker.host = host;
    let mut rig = golden(NARROW, host);
    let mut counts = [0; 7];
    for _ in 0..20_000 {
        let (frame, _) = maker.next(FrameStyle::Stamped);
        let before = rig.reqs.len();
        rig.send(&frame, false);
        rig.idle(30);
        if rig.reqs.len() == before {
            continue;
        }
        let eth = ethernet::Packet::new_unchecked(&frame).header_len();
        let Some(hops) = stack(&frame[eth..]) else { continue };
        let tel = rig.reqs[before].tel;
        let hops = hops.filter(|hops| hops.len() <= 5);
        counts[hops.as_ref().map_or(6, Vec::len)] += 1;
        let Some(hops) = hops else {
            assert_eq!((tel.valid, tel.hops, tel.path), (true, 6, 0), "{frame:x?}");
            continue;
        };
        assert_eq!((tel.valid, usize::from(tel.hops)), (true, hops.len()), "{frame:x?}");
        for (word, hop) in tel.hop.iter().zip(&hops) {
            compare(Hop::from_word(*word), hop);
        }
    }
    println!("packets by usable hops, and others: {counts:?}");
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

/// Two hops of IFA, typed from its headers and HPCC's hop of 32 bytes: the newest first.
const IFA_HEADER: [u8; 4] = [0x2f, 0x11, 0x04, 0x28]; // version 2, local, UDP, in band, 40 words

const IFA_TWO_HOPS: [u8; 68] = [
    0x00, 0x00, 0x3e, 0x10, // vectors, hop limit 62, 16 words
    0x30, 0x02, 0x0b, 0x00, // name space 3, device 0x20b
    0x40, 0x00, 0x00, 0x03, // 100 Gb/s, 3 s
    0x00, 0x09, 0x00, 0x03, // out by 9, in by 3
    0x3b, 0x9a, 0xc9, 0xff, // 999999999 ns
    0x00, 0x00, 0x02, 0xbc, // stays 700 ns
    0x12, 0x34, 0x56, 0x7f, // bytes sent
    0x00, 0x00, 0x00, 0x21, // 33 cells
    0x00, 0x00, 0x00, 0x00, // reserved
    0x30, 0x01, 0x0a, 0x00, // name space 3, device 0x10a
    0x2f, 0xfc, 0xd6, 0xd8, // 40 Gb/s, reserved ones, 0xcd6d8 s
    0x00, 0x02, 0x00, 0x01, // out by 2, in by 1
    0x00, 0x00, 0x00, 0x07, // 7 ns
    0x01, 0x00, 0x00, 0x01, // stays 16777217 ns
    0xff, 0xff, 0xff, 0xfe, // bytes sent
    0xff, 0xff, 0xff, 0xfe, // 65534 cells behind what is reserved
    0xff, 0xff, 0xff, 0xff, // reserved
];

/// The hosts with IFA.
const IFA_HOST: Host = Host { tel_format: 5, ..INT_HOST };

/// The frame with IFA by hand: a header in front of UDP, metadata behind, IPv4's length, protocol and
/// checksum; UDP's length counts the metadata or not.
fn with_ifa(plain: &[u8], header: [u8; 4], metadata: &[u8], counts: bool, tag: bool) -> Vec<u8> {
    let mut frame = with_telemetry(plain, metadata, plain[15] >> 2, None, false);
    if !counts {
        frame[38..40].copy_from_slice(&plain[38..40]);
    }
    frame.splice(34..34, header);
    let length = u16::from_be_bytes([frame[16], frame[17]]) + 4;
    frame[16..18].copy_from_slice(&length.to_be_bytes());
    frame[23] = 253;
    ipv4::Packet::new_unchecked(&mut frame[14..]).fill_checksum();
    if tag {
        frame.splice(12..12, [0x81, 0x00, 0x00, 0x07]);
    }
    frame
}
