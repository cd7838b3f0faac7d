//! Tx pipe against its golden twin, the wire formats, tshark, and its promised rate.

use nic_sim::bench::{tx::TxStimulus, Stimulus};
use nic_sim::golden::transport::requester::PktPorts;
use nic_sim::golden::tx::tx_pipe::{DataBeat, TxPipe, TxPipeIn, TxPipeOut};
use nic_sim::pcap::{self, Record};
use nic_sim::ports::Golden;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::Form;
use rdma_nic::{assert_catches, assert_matches_golden, gbe};
use std::process::Command;

#[test]
fn tx_pipe_matches_golden() {
    assert_matches_golden("tx_pipe", 1..8, 60_000, &[]);
}

#[test]
fn tx_pipe_catches_a_wrong_mask_of_the_icrc() {
    assert_catches("tx_pipe", "b0 | reserved_ones", "b0", 20_000);
}

#[test]
fn tx_pipe_catches_a_term_missing_in_the_ip_checksum() {
    assert_catches("tx_pipe", "sum_addresses + sum_others", "sum_addresses", 20_000);
}

#[test]
fn tx_pipe_catches_a_bad_frame_that_leaves() {
    assert_catches("tx_pipe", "bad = is_bad;", "bad = 1'b0;", 20_000);
}

/// Frames of the random stimulus of `seed`, with the inputs that made each RoCEv2 one.
fn random_frames(seed: u64, cycles: u64) -> (Vec<Vec<u8>>, TxPipeIn) {
    let config = gbe();
    let mut golden = TxPipe::new(&config);
    let mut stimulus = TxStimulus::new(&config, seed);
    let mut out = golden.step(&TxPipeIn { reset: true, ..TxPipeIn::default() });
    let (mut frames, mut open, mut last) = (vec![], vec![], TxPipeIn::default());
    for cycle in 0..cycles {
        let i = stimulus.next(cycle, &out);
        if out.m_axis.tvalid && i.m_axis.tready {
            let count = out.m_axis.tkeep.count_ones() as usize;
            open.extend_from_slice(&out.m_axis.tdata.to_le_bytes()[..count]);
            if out.m_axis.tlast {
                frames.push(core::mem::take(&mut open));
            }
        }
        out = golden.step(&i);
        last = i;
    }
    (frames, last)
}

/// Whether a frame is from our address with our DSCP rules: host frames of the stimulus are noise.
fn parse<'a>(frame: &'a [u8], i: &TxPipeIn) -> Option<FrameRepr<'a>> {
    let form = match i.cfg_tel_format {
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
    for seed in 1..4 {
        let (frames, i) = random_frames(seed, 60_000);
        let from_us = |f: &&Vec<u8>| {
            f.len() > 13 && f[6..12] == i.cfg_local_mac.to_be_bytes()[2..] && f[12..14] == [8, 0]
        };
        let roce: Vec<&Vec<u8>> = frames.iter().filter(from_us).collect();
        assert!(roce.len() > 100, "seed {seed}: only {} frames", roce.len());
        assert!(roce.len() < frames.len(), "seed {seed}: no host frame");
        for frame in roce {
            let repr = parse(frame, &i).unwrap_or_else(|| panic!("seed {seed}: {frame:02x?}"));
            assert_eq!(repr.ethernet.src, i.cfg_local_mac);
            assert!(frame.len() >= 60 && repr.ip.dont_fragment);
        }
    }
}

#[test]
fn tx_pipe_frames_decode_in_tshark() {
    // Seed 3: no telemetry.
    let (frames, i) = random_frames(3, 60_000);
    assert_eq!(i.cfg_tel_format, 0);
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

#[test]
fn tx_pipe_keeps_the_line_full_at_every_large_mtu() {
    for (mtu, least_percent) in [(4096, 98), (1024, 98), (512, 96)] {
        let mut golden = TxPipe::new(&gbe());
        let mut out = golden.step(&TxPipeIn { reset: true, ..TxPipeIn::default() });
        let (mut sent, mut beats, mut left) = (0, 0, 0);
        let beat_count = mtu / 8;
        for cycle in 0..40_000 {
            let i = full_load(mtu, &out, &mut left, beat_count);
            if cycle >= 10_000 && out.m_axis.tvalid {
                beats += 1;
                sent += u32::from(out.m_axis.tlast);
            }
            out = golden.step(&i);
        }
        println!("MTU {mtu}: {beats} beats of {sent} frames in 30000 cycles");
        assert!(beats * 100 >= 30_000 * least_percent, "MTU {mtu}: {beats} of 30000");
    }
}

/// WRITE MIDDLE packets of `mtu` bytes without an end.
fn full_load(mtu: u16, out: &TxPipeOut, left: &mut u16, beat_count: u16) -> TxPipeIn {
    let mut i = TxPipeIn::default();
    i.s_pkt = PktPorts { valid: true, opcode: opcode::WRITE_MIDDLE, payload_bytes: mtu, ..i.s_pkt };
    i.m_axis.tready = true;
    i.m_fail.ready = true;
    if *left == 0 {
        *left = beat_count;
    }
    let tlast = *left == 1;
    i.s_data = DataBeat { tvalid: true, tdata: 0, tkeep: 0xff, tlast, tuser: false };
    *left -= u16::from(out.s_data.tready);
    i
}
