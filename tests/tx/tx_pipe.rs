//! Tx pipe against its golden twin, the wire formats, tshark, and its promised rate.

mod source;

use nic_harness::bench::Stimulus;
use nic_harness::lockstep::{GoldenOnly, Stepper};
use nic_models::golden::tx::pipe::{TxPipe, TxPipeIn, TxPipeOut};
use nic_models::ports::{keep, Data};
use nic_models::ports::{Golden, Wide};
use nic_models::streams::{Ack, AnyPacket, AxisUser, FeedbackPacket, Telemetry};
use nic_sim::bench::tx::TxStimulus;
use nic_sim::pcap::{self, Record};
use nic_spec::rows::QpRow;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::Form;
use nic_spec::NicConfig;
use rdma_nic::{assert_runs_catch, gbe, hundred, lock_step, Runs};
use std::collections::VecDeque;
use std::process::Command;

#[test]
fn tx_pipe_matches_golden() {
    Runs::of_block("tx_pipe", &gbe(), 1..8, 60_000).assert_match_golden(&[]);
}

#[test]
fn tx_pipe_of_512_bits_matches_golden() {
    Runs::of_block("tx_pipe", &hundred(), 1..8, 30_000).assert_match_golden(&[]);
}

/// Breaks that show at any width.
const BREAKS: [(&str, &str); 21] = [
    // The ICRC's mask; a term of the IP checksum, and its carry; what the ICRC's zeros are worth.
    ("bth_bits | congestion", "bth_bits"),
    ("sum_left + sum_right", "sum_left"),
    ("if (folded[16])", "if (1'b0)"),
    ("zeros_2 <= zeros_1;", "zeros_2 <= zeros_1 & 6'd59;"),
    // A bad frame leaves.
    ("    info[15] = s_data_tuser;", "    info[15] = 1'b0;"),
    // Parts: a beat that is full leaves no rest, what is behind the end is 0, the pad counts.
    ("turned_over_next = total > beat_bytes;", "turned_over_next = total >= beat_bytes;"),
    ("rest_next = keep_rest_q;", "rest_next = turned;"),
    ("count_pads = state == BODY_STATE_PAYLOAD;", "count_pads = 1'b0;"),
    ("behind_next = splits;", "behind_next = 1'b0;"),
    // READ responses: the AETH, and whose failure it is.
    ("== 8'd15)", "== 8'd14)"),
    ("fail_flow_next = flow;", "fail_flow_next = flow & 63;"),
    // Telemetry responses.
    ("= 8'd192", "= 8'd193"),
    ("if (s_feedback_answer)", "if (1'b0)"),
    ("pulses_next[4] = 1'b1", "pulses_next[1] = 1'b1"),
    ("= s_feedback_psn", "= s_ack_psn"),
    ("!s_pkt_bare", "1'b1"),
    ("s_ack_tel_valid & !cfg_by_time", "s_ack_tel_valid"),
    ("(s_pkt_opcode > 8'd12) & !s_pkt_opcode[7]", "s_pkt_opcode > 8'd12"),
    ("== 8'd196)", "== 8'd197)"),
    // The next frame's headers come before those of the last one have left; two rows at once.
    ("(back_ends | !back_valid)", "1'b1"),
    ("looks & !s_cfg_valid & found", "looks & found"),
];

#[test]
fn tx_pipe_breaks_are_caught() {
    assert_runs_catch(&[Runs::of_block("tx_pipe", &gbe(), [1], 60_000)], &BREAKS);
}

/// Those that have to do with the width.
#[test]
fn tx_pipe_of_512_bits_breaks_are_caught() {
    let breaks = BREAKS.into_iter().filter(|(from, _)| {
        ["zeros", "total", "rest", "splits", "pads"].iter().any(|word| from.contains(word))
    });
    let runs = Runs::of_block("tx_pipe", &hundred(), [1, 2], 30_000);
    assert_runs_catch(&[runs], &breaks.collect::<Vec<_>>());
}

/// Row `row`, as the tx pipe gets it.
fn cfg_row(row: QpRow) -> Wide<8> {
    let row = row.to_row();
    Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32))
}

/// Telemetry in the paper's form, to a queue pair of the peer.
fn paper_form(remote_qpn: u32, udp_source_port: u16) -> TxPipeIn {
    let row = QpRow {
        telemetry: true,
        remote_mac: 0x0200_0000_0002,
        remote_ip: 0x0a00_0002,
        remote_qpn,
        udp_source_port,
        ..QpRow::default()
    };
    TxPipeIn {
        cfg_local_mac: 0x0200_0000_0001,
        cfg_local_ip: 0x0a00_0001,
        cfg_pkey: 0xffff,
        cfg_ttl: 64,
        cfg_tel_data: 1,
        cfg_tel_echo: 1,
        cfg_tel_dscp: 0x13,
        cfg_tel_echo_dscp: 0x17,
        cfg_row: cfg_row(row),
        ..TxPipeIn::default()
    }
}

/// A telemetry response byte by byte: Ethernet, IPv4 (DSCP of echoes), UDP, the paper's telemetry
/// with one hop, BTH; the ICRC is that of the packet without telemetry.
#[test]
fn tx_pipe_makes_the_bytes_of_a_telemetry_response() {
    let word: u64 = 2 | 0x12_3456 << 3 | 0xa_bcde << 27 | 0xf00f << 47;
    let tel = Telemetry { valid: true, hops: 1, path: 0xabc, hop: [word, 0, 0, 0, 0] };
    let i = TxPipeIn {
        s_feedback: FeedbackPacket { valid: true, flow: 0, psn: 0x44_5566, answer: false, tel },
        ..paper_form(0x01_0203, 0xc001)
    };
    let sent = send_one(i, &[]);
    let wanted = [
        &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0][..],
        &[0x45, 0x5c, 0, 54, 0, 0, 0x40, 0, 64, 17],
        &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 1, 0x12, 0xb7, 0, 34, 0, 0],
        &[0x1a, 0xbc, 0x21, 0x23, 0x45, 0x6a, 0xbc, 0xde, 0xf0, 0x0f],
        &[0xc0, 0, 0xff, 0xff, 0, 1, 2, 3, 0, 0x44, 0x55, 0x66],
    ];
    let end = sent.len() - 4;
    // Behind the IPv4 header checksum at 24 and in front of the ICRC; both are checked by the parser.
    assert_eq!([&sent[..24], &sent[26..end]].concat(), wanted.concat());
    let repr = FrameRepr::parse(&sent, Some(Form::Paper)).expect("a good frame");
    assert!(repr.payload.is_empty() && repr.aeth.is_none());
    // The answer to a probe differs in its opcode, and so in its ICRC.
    let answer = FeedbackPacket { answer: true, ..i.s_feedback };
    let mut answered = send_one(TxPipeIn { s_feedback: answer, ..i }, &[]);
    assert!(FrameRepr::parse(&answered, Some(Form::Paper)).is_ok());
    assert_eq!(core::mem::replace(&mut answered[52], 0xc0), 0xc3);
    assert_eq!(answered[..end], sent[..end]);
}

/// A probe byte by byte: addresses, source port and DSCP of data with telemetry, whose header follows
/// UDP without a record, and nothing behind the BTH.
#[test]
fn tx_pipe_makes_the_bytes_of_a_probe() {
    let mut i = paper_form(0x22, 0xc011);
    // What a probe has no use for is not in it.
    i.s_pkt = AnyPacket { valid: true, opcode: 0xc2, psn: 102, va: 1, rkey: 2, imm: 3, ..i.s_pkt };
    (i.s_pkt.dma_len, i.s_pkt.syndrome, i.s_pkt.msn) = (4, 5, 6);
    let wanted = [
        &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0][..],
        &[0x45, 0x4c, 0, 46, 0, 0, 0x40, 0, 64, 17, 0x26, 0x71],
        &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0x11, 0x12, 0xb7, 0, 26, 0, 0, 0, 0],
        &[0xc2, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 102, 0x13, 0x1c, 0x2a, 0xdd],
    ];
    assert_eq!(send_one(i, &[]), wanted.concat());
}

/// A window byte by byte: a packet without telemetry, DSCP of the row, ImmDt behind the BTH.
#[test]
fn tx_pipe_makes_the_bytes_of_a_window() {
    let mut i = paper_form(0x22, 0xc011);
    i.s_pkt = AnyPacket { valid: true, opcode: 0xc4, psn: 102, bare: true, ..i.s_pkt };
    (i.s_pkt.imm, i.s_pkt.va, i.s_pkt.rkey, i.s_pkt.dma_len) = (10_000, 1, 2, 4);
    (i.s_pkt.syndrome, i.s_pkt.msn) = (5, 6);
    let wanted = [
        &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0][..],
        &[0x45, 0x00, 0, 48, 0, 0, 0x40, 0, 64, 17, 0x26, 0xbb],
        &[10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0x11, 0x12, 0xb7, 0, 28, 0, 0],
        &[0xc4, 0, 0xff, 0xff, 0, 0, 0, 0x22, 0, 0, 0, 102, 0, 0, 0x27, 0x10],
        &[0x2d, 0x33, 0x63, 0xfd],
    ];
    assert_eq!(send_one(i, &[]), wanted.concat());
}

/// Who leaves windows to the receiver echoes nothing in ACKs; telemetry responses stay as they are.
#[test]
fn tx_pipe_echoes_no_telemetry_of_data_by_time() {
    let tel = Telemetry { valid: true, hops: 1, path: 0xabc, hop: [1, 0, 0, 0, 0] };
    let frame_bytes = |cfg_by_time, is_ack| {
        let mut i = TxPipeIn { cfg_by_time, ..paper_form(0x22, 0xc011) };
        if is_ack {
            i.s_ack = Ack { valid: true, tel, ..Ack::default() };
        } else {
            i.s_feedback = FeedbackPacket { valid: true, tel, ..FeedbackPacket::default() };
        }
        send_one(i, &[]).len()
    };
    assert_eq!([false, true].map(|by_time| frame_bytes(by_time, true)), [72, 62]);
    assert_eq!([false, true].map(|by_time| frame_bytes(by_time, false)), [68, 68]);
}

/// A packet that goes without telemetry is the one of a queue pair that has none, its DSCP
/// included; a READ response of the queue pair has it.
#[test]
fn tx_pipe_leaves_no_room_in_bare_packets() {
    let frame = |telemetry, bare, opcode| {
        let mut i = TxPipeIn {
            cfg_tel_data: 2,
            cfg_tel_echo: 2,
            cfg_tel_dscp: 0x13,
            cfg_row: cfg_row(QpRow { telemetry, dscp: 0x0a, ..QpRow::default() }),
            ..TxPipeIn::default()
        };
        i.s_pkt = AnyPacket { valid: true, opcode, payload_bytes: 16, bare, ..i.s_pkt };
        send_one(i, &[7; 16])
    };
    for opcode in [opcode::WRITE_FIRST, opcode::WRITE_ONLY, opcode::WRITE_LAST] {
        let (plain, bare) = (frame(false, false, opcode), frame(true, true, opcode));
        let stamped = frame(true, false, opcode);
        assert_eq!((&bare, bare[15] >> 2), (&plain, 0x0a));
        assert_eq!((stamped.len(), stamped[15] >> 2), (plain.len() + 42, 0x13));
    }
}

/// Frames of the random stimulus of `seed`, with the inputs that made each RoCEv2 one.
fn random_frames(config: &NicConfig, seed: u64, cycles: u64) -> (Vec<Vec<u8>>, TxPipeIn) {
    let mut golden = TxPipe::new(config);
    let mut stimulus = TxStimulus::new(config, seed);
    let mut out = golden.step(&TxPipeIn { reset: true, ..TxPipeIn::default() });
    let (mut frames, mut open, mut last) = (vec![], vec![], TxPipeIn::default());
    for cycle in 0..cycles {
        let i = stimulus.next(cycle, &out);
        if out.m_axis.tvalid && i.m_axis.tready {
            let count = out.m_axis.tkeep.count_ones() as usize;
            open.extend_from_slice(&out.m_axis.tdata.bytes()[..count]);
            if out.m_axis.tlast {
                frames.push(core::mem::take(&mut open));
            }
        }
        out = golden.step(&i);
        last = i;
    }
    (frames, last)
}

/// A MAC has no way to wait inside of a frame, whatever the payload's stalls are before its end.
#[test]
fn tx_pipe_frames_have_no_gap() {
    for (config, seed) in (1..=12).flat_map(|seed| [(gbe(), seed), (hundred(), seed)]) {
        println!("{}: seed {seed}", config.name);
        let mut golden = TxPipe::new(&config);
        let mut stimulus = TxStimulus::new(&config, seed);
        let mut out = golden.step(&TxPipeIn { reset: true, ..TxPipeIn::default() });
        let (mut is_inside, mut frames) = (false, 0);
        for cycle in 0..60_000 {
            let mut i = stimulus.next(cycle, &out);
            i.m_axis.tready = true;
            assert!(out.m_axis.tvalid || !is_inside, "seed {seed}: a gap in cycle {cycle}");
            is_inside = out.m_axis.tvalid && !out.m_axis.tlast;
            frames += u32::from(out.m_axis.tvalid && out.m_axis.tlast);
            out = golden.step(&i);
        }
        assert!(frames > 100, "seed {seed}: only {frames} frames");
    }
}

/// Whether a frame is from our address with our DSCP rules: host frames of the stimulus are noise.
fn parse<'a>(frame: &'a [u8], i: &TxPipeIn) -> Option<FrameRepr<'a>> {
    let form = match i.cfg_tel_echo {
        1 => Some(Form::Paper),
        2 => Some(Form::Authors),
        _ => None,
    };
    let dscp = frame.get(15)? >> 2;
    let has_telemetry = dscp == i.cfg_tel_dscp || dscp == i.cfg_tel_echo_dscp;
    let parsed = FrameRepr::parse(frame, form.filter(|_| has_telemetry));
    parsed.or_else(|_| FrameRepr::parse(frame, None)).ok()
}

#[test]
fn tx_pipe_frames_parse_with_correct_icrc() {
    let mut opcodes = std::collections::BTreeSet::new();
    // Paper, authors, none, none but the paper's in echoes.
    let seeds = [1, 2, 7, 14];
    for (config, seed) in seeds.iter().flat_map(|seed| [(gbe(), seed), (hundred(), seed)]) {
        let (frames, i) = random_frames(&config, *seed, 60_000);
        let from_us = |f: &&Vec<u8>| {
            f.len() > 13 && f[6..12] == i.cfg_local_mac.to_be_bytes()[2..] && f[12..14] == [8, 0]
        };
        let roce: Vec<&Vec<u8>> = frames.iter().filter(from_us).collect();
        assert!(roce.len() > 100, "seed {seed}: only {} frames", roce.len());
        assert!(roce.len() < frames.len(), "seed {seed}: no host frame");
        for frame in roce {
            let repr = parse(frame, &i).unwrap_or_else(|| panic!("seed {seed}: {frame:02x?}"));
            assert_eq!(repr.ethernet.src, i.cfg_local_mac);
            // A telemetry response or probe without telemetry, as the format was switched off, is short.
            let is_bare = repr.bth.opcode >= 0xc0 && repr.telemetry.is_none();
            assert!(frame.len() >= if is_bare { 58 } else { 60 } && repr.ip.dont_fragment);
            opcodes.insert(repr.bth.opcode);
        }
    }
    assert!(
        opcodes.into_iter().eq((0x06..=0x11).chain([0xc0, 0xc2, 0xc3, 0xc4])),
        "every opcode was sent"
    );
}

/// READ request and READ responses of Linux hosts: the same fields make the same bytes.
#[test]
fn tx_pipe_makes_the_bytes_of_captured_read_packets() {
    let path = format!("{}/tests/data/rxe/mtu256_write_read.pcap", env!("CARGO_MANIFEST_DIR"));
    let records = pcap::read(path).expect("a good capture");
    for (index, opcode) in [(13, 0x0c), (14, 0x0d), (15, 0x0e), (25, 0x0f)] {
        let wanted = &records[index].data;
        let repr = FrameRepr::parse(wanted, None).expect("a good frame");
        assert_eq!(repr.bth.opcode, opcode);
        let (reth, aeth) = (repr.reth.unwrap_or_default(), repr.aeth.unwrap_or_default());
        let mut i = TxPipeIn {
            cfg_local_mac: repr.ethernet.src,
            cfg_local_ip: repr.ip.src,
            cfg_pkey: repr.bth.pkey,
            cfg_ttl: repr.ip.ttl,
            ..TxPipeIn::default()
        };
        i.cfg_row = cfg_row(QpRow {
            remote_mac: repr.ethernet.dst,
            remote_ip: repr.ip.dst,
            remote_qpn: repr.bth.qpn,
            udp_source_port: repr.udp_src_port,
            ..QpRow::default()
        });
        i.s_pkt = AnyPacket {
            flow: 64,
            opcode,
            psn: repr.bth.psn,
            ack_req: repr.bth.ack_req,
            solicited: repr.bth.solicited,
            payload_bytes: repr.payload.len() as u16,
            va: reth.va,
            rkey: reth.rkey,
            dma_len: reth.dma_len,
            syndrome: aeth.syndrome,
            msn: aeth.msn,
            ..AnyPacket::default()
        };
        let sent = send_one(i, repr.payload);
        let end = wanted.len() - 4;
        // The IPv4 header has an id of our own, and with it another checksum and ICRC.
        assert_eq!((&sent[..16], &sent[26..end]), (&wanted[..16], &wanted[26..end]));
        assert!(FrameRepr::parse(&sent, None).is_ok(), "{sent:02x?}");
    }
}

/// A packet of flow 0, or a READ response of it, which is flow 64 in `gbe`.
fn in_flows_of(config: &NicConfig, mut i: TxPipeIn) -> TxPipeIn {
    i.s_pkt.flow *= (config.flow_count / gbe().flow_count) as u16;
    i
}

/// The frame of one packet with its payload, behind the row of its queue pair.
fn send_one(i: TxPipeIn, payload: &[u8]) -> Vec<u8> {
    let send = |config: &NicConfig| {
        let i = in_flows_of(config, i);
        send_with(GoldenOnly(TxPipe::new(config)), i, payload, config.data_bytes())
    };
    let sent = send(&gbe());
    assert_eq!(send(&hundred()), sent, "the bytes don't depend on the datapath");
    sent
}

fn send_with<S>(mut engine: S, mut i: TxPipeIn, payload: &[u8], beat_bytes: usize) -> Vec<u8>
where
    S: Stepper<In = TxPipeIn, Out = TxPipeOut>,
{
    let mut out = engine.reset().expect("equal");
    let mut beats: VecDeque<&[u8]> = payload.chunks(beat_bytes).collect();
    let mut frame = vec![];
    (i.s_cfg.valid, i.m_axis.tready) = (true, true);
    for _ in 0..1000 {
        if out.s_cfg.ready {
            (i.s_cfg.valid, i.s_pkt.valid) = (false, !i.s_feedback.valid && !i.s_ack.valid);
        }
        i.s_pkt.valid &= !out.s_pkt.ready;
        i.s_feedback.valid &= !out.s_feedback.ready;
        i.s_ack.valid &= !out.s_ack.ready;
        let bytes = beats.front().copied().unwrap_or(&[]);
        i.s_data = AxisUser {
            tvalid: !beats.is_empty(),
            tdata: Data::of(bytes),
            tkeep: keep(bytes.len()),
            tlast: beats.len() == 1,
            tuser: false,
        };
        if out.s_data.tready {
            beats.pop_front();
        }
        if out.m_axis.tvalid {
            let count = out.m_axis.tkeep.count_ones() as usize;
            frame.extend(&out.m_axis.tdata.bytes()[..count]);
            if out.m_axis.tlast {
                return frame;
            }
        }
        out = engine.step(&i).unwrap_or_else(|e| panic!("{e}"));
    }
    panic!("no frame");
}

#[test]
fn tx_pipe_frames_decode_in_tshark() {
    // Seed 7: no telemetry.
    let (frames, i) = random_frames(&gbe(), 7, 60_000);
    assert_eq!((i.cfg_tel_data, i.cfg_tel_echo), (0, 0));
    // tshark goes by the lower port first: the ephemeral ones are above RoCE's.
    let ours = frames.into_iter().filter(|f| parse(f, &i).is_some() && f[34] >= 0xc0);
    let records: Vec<Record> =
        ours.enumerate().map(|(n, data)| Record { time_ns: n as u64, data }).collect();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("tx_pipe.pcap");
    std::fs::write(&path, pcap::to_bytes(&records)).expect("the build directory is writable");
    let arguments = ["-o", "ip.check_checksum:TRUE", "-T", "fields"];
    let fields = ["-e", "infiniband.bth.opcode", "-e", "ip.checksum.status", "-e", "udp.dstport"];
    let run = Command::new("tshark").arg("-r").arg(&path).args(arguments).args(fields).output();
    let Ok(run) = run else {
        println!("tshark is not installed: nothing was decoded");
        return;
    };
    let text = String::from_utf8_lossy(&run.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), records.len());
    for (line, record) in lines.iter().zip(&records) {
        let expected = format!("{}\t1\t4791", record.data[42]);
        assert_eq!(*line, expected, "{:02x?}", record.data);
    }
}

/// What is always there at the sinks of a tx pipe under full load.
#[derive(Clone, Copy, Debug)]
struct Load {
    opcode: u8,
    /// 0: no data.
    payload_bytes: u16,
    /// Telemetry: register value, and records that ACKs echo.
    tel_format: u8,
    /// Hops of an ACK that waits beside the data in every cycle; `None`: no ACK.
    ack_hops: Option<u8>,
}

/// Cycles over which a load is measured.
const CYCLES: u32 = 30_000;

impl Load {
    /// Beats sent in [`CYCLES`], ACKs and data packets, once the pipe is full.
    fn beats(self, config: &NicConfig) -> (u32, [u32; 2]) {
        let source = Runs::of_block("tx_pipe", config, [], 0).source().clone();
        let mut engine = lock_step(TxPipe::new(config), &source, 1);
        let mut i = TxPipeIn::default();
        // The row of flow 0, telemetry on.
        i.cfg_row.0[0] = 2;
        i.s_cfg.valid = true;
        i.cfg_tel_data = self.tel_format;
        i.cfg_tel_echo = if self.tel_format > 2 { 1 } else { self.tel_format };
        let mut out = engine.step(&i).expect("equal");
        while !out.s_cfg.ready {
            out = engine.step(&i).expect("equal");
        }
        out = engine.step(&i).expect("equal");
        let payload_bytes = self.payload_bytes;
        i.s_cfg.valid = false;
        let valid = payload_bytes > 0;
        i.s_pkt = AnyPacket { valid, opcode: self.opcode, payload_bytes, ..i.s_pkt };
        i.s_ack.valid = self.ack_hops.is_some();
        i.s_ack.tel.valid = true;
        i.s_ack.tel.hops = self.ack_hops.unwrap_or(0);
        (i.m_axis.tready, i.m_fail.ready) = (true, true);
        let beat_bytes = config.data_bytes();
        let mut left = usize::from(payload_bytes);
        let (mut beats, mut frames) = (0, [0; 2]);
        for cycle in 0..CYCLES + 2000 {
            let tkeep = keep(left.min(beat_bytes));
            i.s_data = AxisUser { tvalid: valid, tkeep, tlast: left <= beat_bytes, ..i.s_data };
            if out.s_data.tready {
                left = left.saturating_sub(beat_bytes);
                left = if left == 0 { payload_bytes.into() } else { left };
            }
            if cycle >= 2000 {
                beats += u32::from(out.m_axis.tvalid);
                frames[0] += u32::from(out.event_tx.ack);
                frames[1] += u32::from(out.event_tx.data);
            }
            out = engine.step(&i).unwrap_or_else(|e| panic!("{self:?}: {e}"));
        }
        println!("{self:?}: {beats} beats of {frames:?} frames in {CYCLES} cycles");
        (beats, frames)
    }
}

/// Data is always there, ACKs too if there are any: at least 99 of 100 beats are used.
#[test]
fn tx_pipe_keeps_the_line_full_at_every_large_mtu() {
    let opcodes = [opcode::WRITE_ONLY, opcode::WRITE_MIDDLE, opcode::READ_RESPONSE_FIRST];
    for (payload_bytes, tel_format) in [
        (4096, 0),
        (1024, 0),
        (1024, 1),
        (1024, 2),
        (1024, 3),
        (1024, 4),
        (1024, 5),
        (1024, 6),
        (512, 0),
    ] {
        for opcode in opcodes {
            let load = Load { opcode, payload_bytes, tel_format, ack_hops: None };
            let (beats, _) = load.beats(&gbe());
            assert!(beats * 100 >= CYCLES * 99, "{load:?}: {beats} of {CYCLES}");
        }
    }
}

/// An ACK of 66 (62 without FCS; no telemetry) to 108 bytes beside each data packet.
#[test]
fn tx_pipe_keeps_the_line_full_with_an_ack_for_each_packet() {
    for (tel_format, hops) in
        [(0, 0), (1, 0), (1, 1), (1, 5), (2, 5), (3, 5), (4, 5), (5, 5), (6, 1)]
    {
        for opcode in [opcode::WRITE_ONLY, opcode::WRITE_MIDDLE, opcode::READ_RESPONSE_FIRST] {
            let load = Load { opcode, payload_bytes: 1024, tel_format, ack_hops: Some(hops) };
            let (beats, frames) = load.beats(&gbe());
            assert!(beats * 100 >= CYCLES * 99, "{load:?}: {beats} of {CYCLES}");
            assert!(frames[0].abs_diff(frames[1]) <= 1, "ACK and data take turns");
        }
    }
}

/// 512 bits: a header every 2 cycles or a beat a cycle, whichever is longer; so the loads of 100
/// Gb/s at 250 MHz, the cycles for each frame beside them, fit.
#[test]
fn tx_pipe_of_512_bits_takes_a_header_every_two_cycles() {
    let write = |payload_bytes, tel_format| Load {
        opcode: opcode::WRITE_ONLY,
        payload_bytes,
        tel_format,
        ack_hops: None,
    };
    let ack = |load, hops| Load { ack_hops: Some(hops), ..load };
    // What is measured, cycles for each frame or pair, and those that the line has.
    for (load, cycles, line_cycles) in [
        (write(8, 1), 2.0, 3.0),
        (write(8, 2), 2.0, 3.0),
        (write(64, 0), 3.0, 3.2),
        (write(64, 1), 3.0, 4.1),
        (write(64, 2), 3.0, 4.1),
        (write(256, 2), 6.0, 7.6),
        (write(1024, 1), 18.0, 22.1),
        (write(1024, 2), 18.0, 23.0),
        (write(4096, 2), 66.0, 84.4),
        (ack(write(0, 1), 5), 2.0, 2.6),
        (ack(write(0, 2), 5), 2.0, 2.6),
        (ack(write(1024, 1), 5), 20.0, 24.7),
        (ack(write(64, 1), 5), 5.0, 6.2),
    ] {
        let (_, frames) = load.beats(&hundred());
        let count = frames[0].max(frames[1]);
        let measured = f64::from(CYCLES) / f64::from(count);
        println!("{measured:.2} cycles for each, of {line_cycles}");
        assert!((measured - cycles).abs() < 0.1, "{load:?}: {measured} cycles");
        assert!(cycles <= line_cycles);
    }
}

/// Cycles from a valid at the sinks of an idle pipe to the first beat of its frame, host memory's
/// data being there.
#[test]
fn tx_pipe_first_beat_comes_in_time() {
    let tel = |hops| Telemetry { valid: true, hops, ..Telemetry::default() };
    let write = |payload_bytes| AnyPacket {
        valid: true,
        opcode: opcode::WRITE_ONLY,
        payload_bytes,
        ..AnyPacket::default()
    };
    let ack = |tel| Ack { valid: true, tel, ..Ack::default() };
    for (format, s_pkt, s_ack, expected) in [
        (0, AnyPacket::default(), ack(Telemetry::default()), [23, 22]),
        (1, AnyPacket::default(), ack(tel(5)), [27, 21]),
        (2, AnyPacket::default(), ack(tel(5)), [27, 21]),
        (0, write(8), Ack::default(), [26, 22]),
        (0, write(64), Ack::default(), [33, 22]),
        (0, write(1024), Ack::default(), [153, 37]),
    ] {
        let measured = [gbe(), hundred()].map(|config| first_beat(&config, format, s_pkt, s_ack));
        println!("{format} {} bytes, ACK {}: {measured:?}", s_pkt.payload_bytes, s_ack.valid);
        assert_eq!(measured, expected);
    }
}

fn first_beat(config: &NicConfig, format: u8, s_pkt: AnyPacket, s_ack: Ack) -> u32 {
    let source = Runs::of_block("tx_pipe", config, [], 0).source().clone();
    let mut engine = lock_step(TxPipe::new(config), &source, 2);
    let mut i = TxPipeIn { cfg_tel_data: format, cfg_tel_echo: format, ..TxPipeIn::default() };
    i.s_cfg.valid = true;
    let mut out = engine.step(&i).expect("equal");
    for _ in 0..20 {
        i.s_cfg.valid &= !out.s_cfg.ready;
        out = engine.step(&i).expect("equal");
    }
    (i.s_pkt, i.s_ack) = (s_pkt, s_ack);
    let beat_bytes = config.data_bytes();
    let mut left = usize::from(s_pkt.payload_bytes);
    let mut cycles = 0;
    while !out.m_axis.tvalid {
        let (tvalid, tlast) = (left > 0, left <= beat_bytes);
        i.s_data = AxisUser { tvalid, tkeep: keep(left.min(beat_bytes)), tlast, ..i.s_data };
        left = if out.s_data.tready { left.saturating_sub(beat_bytes) } else { left };
        i.s_pkt.valid &= !out.s_pkt.ready;
        i.s_ack.valid &= !out.s_ack.ready;
        out = engine.step(&i).expect("equal");
        cycles += 1;
        assert!(cycles < 1000, "no frame");
    }
    cycles
}
