//! The ECPIX-5 without the board: its top level, Verilated, from the pins of RGMII to those of the
//! UART. What it says is compared with the golden NIC in its own world.

mod bench;
mod breaks;
mod tool;

use bench::{open, read, source, write, Bench};
use ecpix5::simulated::{Harm, Sent, TOP};
use nic_driver::rings::HostMemory;
use nic_driver::{Bus, Nic};
use nic_sim::board::Frame;
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_sim::pcap;
use nic_sim::replay::conversation::{Conversation, Part, Role};
use nic_sim::replay::responder::{mr_row, qp_config};
use nic_spec::regs;
use nic_spec::serial::{
    ACK, ACK_BYTES_MAX, FLAG, FLOW, FLOW_BYTES, HOST_MEMORY, HOST_MEMORY_BYTES, READ, REFUSED,
    REFUSED_FORM,
};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::process::Command;

/// A golden NIC of the board's sizes, whose memory ends where the board's ends.
fn golden() -> Station {
    let config = ecpix5::config();
    let none = nic_harness::verilator::Source::new("nic", "");
    let engine = EngineKind::Golden.nic(&config, &none, 1).expect("a model");
    let mut station = Station::new(engine, Manners::Prompt, 1).expect("it resets");
    station.memory.fail_in(HOST_MEMORY_BYTES as u64..u64::MAX);
    station
}

/// What the golden NIC answers to a frame.
fn golden_answers(station: &mut Station, frame: &[u8]) -> Vec<Vec<u8>> {
    station.deliver(frame.to_vec(), false);
    while station.quiet_cycles() < 1024 || station.undelivered() > 0 {
        station.tick().expect("a golden model has no mismatch");
    }
    station.sent.drain(..).map(|(_, frame)| frame.bytes).collect()
}

/// Opens regions and queue pairs of a captured host; host memory is as the capture shows it.
fn set_up<B: Bus + HostMemory>(conversation: &Conversation, nic: &mut Nic<B>) {
    nic.set_address(conversation.local.mac, conversation.local.ip).expect("registers");
    let mut next = 0;
    for region in &conversation.regions {
        let at = next + region.va % 8;
        next = (at + region.length_bytes).next_multiple_of(8);
        nic.create_mr(&mr_row(region, at)).expect("a region");
        let bytes = conversation.initial(region);
        if bytes.iter().any(|byte| *byte != 0) {
            let lead = vec![0; (at % 4) as usize];
            let mut all = [lead, bytes].concat();
            all.resize(all.len().next_multiple_of(4), 0);
            let words = all.chunks_exact(4);
            let words: Vec<u32> =
                words.map(|w| u32::from_le_bytes(w.try_into().expect("4"))).collect();
            nic.bus().store(at & !3, &words).expect("host memory");
        }
    }
    println!("{next} bytes of regions");
    conversation.pairs.iter().for_each(|pair| {
        nic.create_qp(&qp_config(pair)).expect("a queue pair");
    });
}

/// Plays the responder of a capture; ACKs and READ responses that the board sent.
fn answers_a_capture(name: &str) -> [usize; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/rxe");
    let path = path.join(format!("{name}.pcap"));
    let records = pcap::read(path).expect("a capture of the repository");
    let conversation = Conversation::infer(&records, Role::Responder, None, &ecpix5::config());
    let conversation = conversation.expect("it is a responder's");
    let mut board = Nic::probe(Bench::new(1)).expect("a NIC");
    let mut model = Nic::probe(golden()).expect("a NIC");
    set_up(&conversation, &mut board);
    set_up(&conversation, &mut model);
    let mut counts = [0; 2];
    for (record, part) in records.iter().zip(&conversation.parts) {
        if *part != Part::Received {
            continue;
        }
        let answers = board.bus().feed(&record.data, Harm::None);
        assert_eq!(answers, golden_answers(model.bus(), &record.data), "{name}");
        for answer in &answers {
            // It checks lengths, checksum and ICRC.
            let packet = FrameRepr::parse(answer, None).expect("a good frame");
            counts[usize::from(opcode::is_read_response(packet.bth.opcode))] += 1;
        }
    }
    for (name, _) in regs::EVENTS {
        assert_eq!(board.counter(name), model.counter(name).map_err(|_| unreachable!()), "{name}");
    }
    println!("{name}: {} ACKs, {} READ responses", counts[0], counts[1]);
    counts
}

#[test]
fn ecpix5_answers_captures_as_the_golden_nic_does() {
    let names = ["mtu256_write_read", "nak_bad_rkey_write", "loss_write_middle", "bad_icrc"];
    let counts = names.map(answers_a_capture);
    let all = [0, 1].map(|kind| counts.iter().map(|count| count[kind]).sum::<usize>());
    assert_eq!(all, [5, 12], "ACKs, READ responses");
}

#[test]
fn ecpix5_top_level_is_lint_clean() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ecpix5_lint.v");
    std::fs::write(&file, source().text).expect("the folder is writable");
    let mut command = Command::new("verilator");
    command.args(["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", TOP]).arg(file);
    let output = command.output().expect("scripts/setup installs verilator");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A message of random bytes.
fn random(rng: &mut ChaCha8Rng, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|_| rng.gen()).collect()
}

/// PSN and payload of each READ response, in order; each frame is a good one of the NIC.
fn responses(frames: &[Sent]) -> Vec<u8> {
    let packets = frames.iter().map(|f| FrameRepr::parse(&f.bytes, None).expect("a good frame"));
    let responses = packets.filter(|p| opcode::is_read_response(p.bth.opcode));
    responses.flat_map(|p| p.payload.to_vec()).collect()
}

#[test]
fn ecpix5_keeps_up_with_gigabit_ethernet_both_ways() {
    const HALF: usize = HOST_MEMORY_BYTES / 2;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut nic = open(Bench::new(2), HOST_MEMORY_BYTES as u64);
    let mut memory = Vec::new();
    let mut psn = 0..;
    let mut next = || psn.next().expect("endless");
    for at in (0..HOST_MEMORY_BYTES).step_by(1024) {
        let payload = random(&mut rng, 1024);
        nic.bus().board.phy.deliver(&write(next(), at as u64, &payload), Harm::None);
        memory.extend(payload);
    }
    // Smallest frames: one byte, and odd ones.
    for count in 0..200 {
        let bytes = if count % 2 == 0 { 1 } else { rng.gen_range(1..64) };
        let at = rng.gen_range(0..HALF - bytes);
        let payload = random(&mut rng, bytes);
        nic.bus().board.phy.deliver(&write(next(), at as u64, &payload), Harm::None);
        memory[at..at + bytes].copy_from_slice(&payload);
    }
    nic.bus().sent();
    // READs of the lower half, whose responses fill the line, while WRITEs fill the other way.
    let mut requests = 216;
    for at in (0..HALF).step_by(4096) {
        for part in (at..at + 4096).step_by(2048) {
            nic.bus().board.phy.deliver(&read(next(), part as u64, 2048), Harm::None);
            next();
        }
        for upper in (HALF + at..HALF + at + 4096).step_by(1024) {
            let payload = random(&mut rng, 1024);
            nic.bus().board.phy.deliver(&write(next(), upper as u64, &payload), Harm::None);
            memory[upper..upper + 1024].copy_from_slice(&payload);
        }
        requests += 6;
        let sent = nic.bus().sent();
        assert_eq!(responses(&sent), memory[at..at + 4096], "READs at {at}");
        let large: Vec<usize> =
            sent.iter().filter(|s| s.bytes.len() > 1000).map(|s| s.gap_bytes).skip(1).collect();
        println!("gaps before READ responses: {large:?}");
    }
    for at in (HALF..HOST_MEMORY_BYTES).step_by(2048) {
        nic.bus().board.phy.deliver(&read(next(), at as u64, 2048), Harm::None);
        next();
        requests += 1;
    }
    let sent = nic.bus().sent();
    assert_eq!(responses(&sent), memory[HALF..]);
    let mut words = [0; 8];
    nic.bus().load(1000, &mut words).expect("host memory");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(bytes, memory[1000..1032], "by the serial line");
    for (name, _) in regs::EVENTS {
        let is_wrong =
            name.contains("drop") || name.contains("nak") || *name == "resp_out_of_sequence";
        let count = nic.counter(name).expect("a counter");
        assert!(count == 0 || !is_wrong, "{name} is {count}");
    }
    assert_eq!(nic.counter("resp_accepted"), Ok(requests));
}

#[test]
fn ecpix5_drops_frames_that_the_line_or_the_phy_spoils() {
    let mut nic = open(Bench::new(3), 4096);
    let frame = write(0, 17, b"good news");
    for (harm, answers, dropped) in [(Harm::Fcs, 0, 1), (Harm::Marked, 0, 2), (Harm::None, 1, 2)] {
        assert_eq!(nic.bus().feed(&frame, harm).len(), answers, "{harm:?}");
        assert_eq!(nic.counter("rx_drop_mac_error"), Ok(dropped), "{harm:?}");
    }
    assert_eq!(nic.counter("resp_accepted"), Ok(1));
}

#[test]
fn ecpix5_answers_a_write_beyond_host_memory_by_a_nak() {
    let end = HOST_MEMORY_BYTES as u64;
    let mut nic = open(Bench::new(10), end + 4096);
    nic.bus().store(0, &[0x5a5a_5a5a]).expect("host memory");
    let answers = nic.bus().feed(&write(0, end, b"beyond"), Harm::None);
    let answer = FrameRepr::parse(answers.first().expect("an answer"), None);
    let aeth = answer.expect("a good frame").aeth.expect("an ACK");
    assert_eq!(aeth.syndrome, syndrome::NAK_REMOTE_OPERATION);
    let mut word = [0];
    nic.bus().load(0, &mut word).expect("host memory");
    assert_eq!(word, [0x5a5a_5a5a], "it doesn't begin anew behind its end");
}

#[test]
fn ecpix5_waits_for_the_pll_and_begins_anew_after_a_reset() {
    let mut late = source();
    let locks = "localparam LOCK_EDGES = 64;";
    assert!(late.text.contains(locks), "the PLL's model locks");
    late.text = late.text.replace(locks, "localparam LOCK_EDGES = 320000;");
    let mut bench = Bench::of(&late, 4, &[]);
    bench.board.phy.deliver(&write(0, 0, &[1; 100]), Harm::None);
    bench.board.line.send(&[0x7e; 20]);
    bench.run(39_000);
    assert!(!bench.board.phy_runs, "the PHY is held in reset");
    assert_eq!(bench.board.led, 0);
    assert_eq!((bench.board.line.bytes_out, bench.board.phy.sent.len()), (0, 0));
    bench.run(2000);
    assert!(bench.board.phy_runs);
    assert_eq!(bench.board.led, 1, "locked");
    let mut nic = open(bench, 4096);
    assert_eq!(nic.bus().feed(&write(0, 0, &[1; 100]), Harm::None).len(), 1);
    assert_eq!(nic.bus().board.led, 7, "a frame in, a frame out");
    nic.bus().board.is_reset = true;
    nic.bus().run(100);
    assert!(!nic.bus().board.phy_runs, "the PHY is held in reset");
    nic.bus().board.is_reset = false;
    nic.bus().run(1000);
    assert_eq!(nic.bus().read32(regs::config_offset::local_ip.into()), Ok(0), "after reset");
    assert_eq!(nic.bus().feed(&write(1, 0, &[1; 100]), Harm::None).len(), 0, "no queue pair");
}

#[test]
fn ecpix5_answers_behind_garbage_on_the_serial_line() {
    let mut bench = Bench::new(5);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let garbage = random(&mut rng, 3000);
    bench.board.line.send(&[&garbage[..], &[FLAG]].concat());
    let mut refused = Vec::new();
    while bench.board.line.quiet_cycles() < 10_000 {
        refused.extend(bench.frame().map(|frame| frame.kind));
    }
    assert!(refused.len() > 5 && refused.iter().all(|kind| *kind == REFUSED), "{refused:x?}");
    assert_eq!(bench.read32(regs::ID.into()), Ok(regs::ID_VALUE));
    // Frames of a core with event ports are unknown here.
    for (kind, bytes) in [(FLOW, FLOW_BYTES), (ACK, ACK_BYTES_MAX), (ACK, 6), (READ, 3), (9, 2)] {
        bench.board.line.send(&Frame { kind, number: 7, payload: vec![0; bytes] }.encode());
        let answer = bench.answer().expect("an answer");
        assert_eq!((answer.kind, &answer.payload[..]), (REFUSED, &[REFUSED_FORM][..]), "{kind}");
    }
    // Behind the end of host memory, and between the registers, there is nothing.
    let end = u32::from(HOST_MEMORY) + HOST_MEMORY_BYTES as u32;
    assert_eq!(bench.write32(end - 4, 0x1234_5678), Ok(()));
    assert_eq!(bench.read32(end - 4), Ok(0x1234_5678));
    for nowhere in [end, 0xfffc, 0x7ffc, 0x1000] {
        assert!(bench.read32(nowhere).is_err(), "{nowhere:#x}");
        assert!(bench.write32(nowhere, 1).is_err(), "{nowhere:#x}");
    }
    assert_eq!(bench.read32(end - 4), Ok(0x1234_5678));
}
