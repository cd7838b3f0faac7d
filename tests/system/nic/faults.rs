//! Faults of the wire, random frames, and errors that come late.

use super::{capture, exchange, plan, station};
use nic_driver::{MrRow, QpConfig, Status, Write};
use nic_sim::engine::EngineKind;
use nic_sim::env::axi_mem::AxiMem;
use nic_sim::env::station::{Manners, Station};
use nic_sim::net::switch::Faults;
use nic_sim::net::writes::Plan;
use nic_sim::pcap::Record;
use nic_sim::replay::conversation::{Conversation, Role};
use nic_sim::replay::{responder, stray_bytes};
use nic_spec::regs::EVENTS;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::{bth, ethernet, ipv4, reth};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::preset;

/// Operations of the exchange under faults; the environment variable `NIC_PAIR_OPERATIONS` changes
/// it, `NIC_PAIR_ENGINE` (golden, rtl or both) what runs the NICs, `NIC_PAIR_SEED` the seed.
const PAIR_OPERATIONS: u32 = 960;

/// Queue pairs of each NIC in it; half of them post through rings in host memory.
const PAIR_QPS: u32 = 16;

fn from_environment<T: std::str::FromStr>(name: &str, default: T) -> T {
    let text = std::env::var(name);
    text.map_or(default, |t| t.parse().unwrap_or_else(|_| panic!("{name}: {t}")))
}

#[test]
fn nic_pair_completes_every_read_and_write_once_under_faults() {
    let operations = from_environment("NIC_PAIR_OPERATIONS", PAIR_OPERATIONS);
    let engine = match &*from_environment("NIC_PAIR_ENGINE", "golden".to_string()) {
        "golden" => EngineKind::Golden,
        "rtl" => EngineKind::Rtl,
        "both" => EngineKind::Both,
        other => panic!("NIC_PAIR_ENGINE: golden, rtl or both, not {other}"),
    };
    let plan = Plan {
        faults: Faults {
            loss_ppm: 20_000,
            duplicate_ppm: 20_000,
            corrupt_ppm: 0,
            reorder_ppm: 20_000,
        },
        qp_count: PAIR_QPS,
        message_count: operations.div_ceil(2 * PAIR_QPS),
        message_bytes: (0, 6_000),
        read_percent: 50,
        immediate_percent: 30,
        has_inline: true,
        ring_qp_count: PAIR_QPS / 2,
        read_limit: 4,
        timeout_exponent: 6,
        ..plan(None, Manners::Stalling, from_environment("NIC_PAIR_SEED", 11))
    };
    let report = exchange(&plan, engine);
    println!("{report:?}");
    assert!(report.is_good(), "{report:?}");
    let done: u32 = report.nics.iter().map(|n| n.completions).sum();
    assert_eq!(done, 2 * PAIR_QPS * plan.message_count, "each completed once");
    let s = &report.switch;
    assert!(s.lost > 0 && s.duplicated > 0 && s.reordered > 0, "{s:?}");
    for nic in &report.nics {
        assert!(nic.reads > 0 && nic.received > 0 && nic.counter("rx_response") > 0);
        assert_eq!(nic.counter("sq_doorbell_refused") + nic.counter("cq_error"), 0);
    }
}

/// Frames of the fuzz; the environment variable `NIC_FUZZ_FRAMES` changes it.
const FUZZ_FRAMES: usize = 20_000;

/// One frame that something has happened to.
fn mangle(rng: &mut ChaCha8Rng, frame: &[u8]) -> Vec<u8> {
    let mut frame = frame.to_vec();
    match rng.gen_range(0..6) {
        0 => frame.truncate(rng.gen_range(1..=frame.len())),
        1 => frame.resize(rng.gen_range(frame.len()..12_000), rng.gen()),
        2 | 3 => {
            for _ in 0..rng.gen_range(1..4) {
                let bit = rng.gen_range(0..frame.len() * 8);
                frame[bit / 8] ^= 1 << (bit % 8);
            }
        }
        _ => {}
    }
    frame
}

#[test]
fn nic_survives_a_fuzzed_wire() {
    let frames = std::env::var("NIC_FUZZ_FRAMES").ok().and_then(|n| n.parse().ok());
    let frames: usize = frames.unwrap_or(FUZZ_FRAMES);
    let names = ["loss_nak", "write_multi", "send_imm_atomic", "read_multi", "psn_wrap"];
    let records = names.map(capture);
    let all: Vec<&Record> = records.iter().flatten().collect();
    let c = Conversation::infer(&records[1], Role::Responder, None, &preset()).expect("inferred");
    let mut nic = nic_driver::Nic::probe(station(EngineKind::Golden, Manners::Prompt)).unwrap();
    let placed = responder::set_up(&c, &mut nic).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut sent = 0;
    while sent < frames {
        // Lost, doubled and out of order: whatever comes next is drawn, in runs.
        let at = rng.gen_range(0..all.len());
        for _ in 0..rng.gen_range(1..6) {
            let record = all[(at + rng.gen_range(0..3)) % all.len()];
            let tuser = rng.gen_ratio(1, 40);
            nic.bus().deliver(mangle(&mut rng, &record.data), tuser);
            sent += 1;
        }
        let deadline = nic.bus().cycle() + 50_000;
        while nic.bus().undelivered() > 0 || nic.bus().quiet_cycles() < 64 {
            nic.bus().tick().unwrap();
            assert!(nic.bus().cycle() < deadline, "hangs after {sent} frames");
        }
        if rng.gen_ratio(1, 50) {
            // A QP in error or far behind is set up anew now and then.
            nic_again(&c, &mut nic);
        }
    }
    let mut counted = 0;
    for (event, _) in EVENTS.iter().filter(|(name, _)| name.starts_with("rx_")) {
        let count = nic.counter(event).unwrap();
        println!("{event} {count}");
        counted += u64::from(count);
    }
    assert_eq!(counted, sent as u64, "every frame in exactly one counter");
    let layer = |prefix: &str, nic: &mut nic_driver::Nic<Station>| -> u64 {
        let names = EVENTS.iter().map(|(name, _)| *name).filter(|n| n.starts_with(prefix));
        names.map(|n| u64::from(nic.counter(n).unwrap())).sum()
    };
    let requests = u64::from(nic.counter("rx_req").unwrap());
    assert_eq!(layer("resp_", &mut nic), requests, "every request in exactly one counter");
    assert_eq!(stray_bytes(&nic.bus().memory, &placed), 0, "bytes outside every region");
}

fn nic_again(c: &Conversation, nic: &mut nic_driver::Nic<Station>) {
    responder::create_pairs(c, nic).unwrap();
}

/// A packet waits for host memory, its queue pair is made anew, then memory refuses: that is no
/// error of the new queue pair.
fn fail_of_an_old_queue_pair(engine: EngineKind) {
    const SOURCE: u64 = 0x1000;
    const REFUSED: u64 = 0x8000;
    const MEMORY_CYCLES: u64 = 4000;
    let mut station = station(engine, Manners::Prompt);
    station.memory = AxiMem::new(preset().data_bytes(), 1).without_stalls(MEMORY_CYCLES);
    station.memory.fail_in(REFUSED..REFUSED + 64);
    let mut nic = nic_driver::Nic::probe(station).expect("a NIC");
    let config = |qpn| QpConfig {
        qpn,
        remote_qpn: qpn,
        remote_ip: 0x0a00_0002,
        mtu_code: 2,
        window_bytes: 1 << 20,
        rate_uq8_24: 8 << 24,
        ..QpConfig::default()
    };
    let write = |local_address| Write { local_address, length_bytes: 64, ..Write::default() };
    let mut old = nic.create_qp(&config(1)).expect("created");
    nic.post_write(&mut old, &write(REFUSED)).expect("posted");
    let start = nic.bus().cycle();
    while nic.bus().memory.is_idle() {
        nic.bus().tick().expect("equal");
        assert!(nic.bus().cycle() < start + 1000, "nothing is read");
    }
    let asked = nic.bus().cycle();
    // Of the same flow.
    let mut new = nic.create_qp(&config(1 + preset().flow_count as u32)).expect("created");
    nic.post_write(&mut new, &write(SOURCE)).expect("posted");
    assert!(nic.bus().cycle() < asked + MEMORY_CYCLES / 2, "before memory answers");
    nic.bus().run(3 * MEMORY_CYCLES).expect("equal");
    assert_eq!(nic.counter("tx_fail").expect("read"), 1);
    assert_eq!(nic.poll().expect("read"), None, "the new queue pair goes on");
    assert_eq!(nic.bus().sent.len(), 1, "its WRITE leaves");
    // Its own error ends it.
    nic.post_write(&mut new, &write(REFUSED)).expect("posted");
    nic.bus().run(3 * MEMORY_CYCLES).expect("equal");
    let status = nic.poll().expect("read").map(|c| c.status);
    assert_eq!(status, Some(Status::LocalDma));
}

#[test]
fn nic_read_error_of_an_old_queue_pair_ends_no_new_one() {
    fail_of_an_old_queue_pair(EngineKind::Golden);
}

#[test]
fn nic_read_error_of_an_old_queue_pair_in_lock_step() {
    fail_of_an_old_queue_pair(EngineKind::Both);
}

/// A READ request of a peer at 10.0.0.2.
fn read_request(qpn: u32, psn: u32, va: u64, rkey: u32) -> Vec<u8> {
    let repr = FrameRepr {
        ethernet: ethernet::Repr { dst: 0x0200_0000_0001, src: 2, ..Default::default() },
        ip: ipv4::Repr { src: 0x0a00_0002, dst: 0x0a00_0001, ttl: 64, ..Default::default() },
        udp_src_port: 0xc000,
        bth: bth::Repr {
            opcode: opcode::READ_REQUEST,
            pkey: 0xffff,
            qpn,
            psn,
            ..Default::default()
        },
        reth: Some(reth::Repr { va, rkey, dma_len: 64 }),
        ..Default::default()
    };
    let mut frame = vec![0; repr.buffer_len()];
    repr.emit(&mut frame);
    frame
}

/// A READ response waits for host memory, its queue pair is made anew, then memory refuses: the new
/// queue pair goes on to answer.
fn fail_of_an_old_response(engine: EngineKind) {
    const HOST: u64 = 0x1000;
    const REFUSED_OFFSET: u64 = 0x8000;
    const VA: u64 = 0x10_0000;
    const RKEY: u32 = 0x100;
    const MEMORY_CYCLES: u64 = 4000;
    let mut station = station(engine, Manners::Prompt);
    station.memory = AxiMem::new(preset().data_bytes(), 1).without_stalls(MEMORY_CYCLES);
    let refused = HOST + REFUSED_OFFSET;
    station.memory.fail_in(refused..refused + 64);
    let mut nic = nic_driver::Nic::probe(station).expect("a NIC");
    nic.set_address(0x0200_0000_0001, 0x0a00_0001).expect("set");
    let region = MrRow {
        valid: true,
        remote_read: true,
        rkey: RKEY,
        va: VA,
        length_bytes: 0x1_0000,
        host_address: HOST,
        ..MrRow::default()
    };
    nic.create_mr(&region).expect("created");
    let config = |qpn| QpConfig {
        qpn,
        remote_qpn: qpn,
        remote_ip: 0x0a00_0002,
        remote_read: true,
        mtu_code: 2,
        window_bytes: 1 << 20,
        rate_uq8_24: 8 << 24,
        ..QpConfig::default()
    };
    nic.create_qp(&config(1)).expect("created");
    nic.bus().deliver(read_request(1, 0, VA + REFUSED_OFFSET, RKEY), false);
    let start = nic.bus().cycle();
    while nic.bus().memory.is_idle() {
        nic.bus().tick().expect("equal");
        assert!(nic.bus().cycle() < start + 1000, "nothing is read");
    }
    let asked = nic.bus().cycle();
    // Of the same flow. Its READ stands behind the packet of the old queue pair.
    let new = 1 + 64;
    nic.create_qp(&config(new)).expect("created");
    nic.bus().deliver(read_request(new, 0, VA, RKEY), false);
    assert!(nic.bus().cycle() < asked + MEMORY_CYCLES / 2, "before memory answers");
    nic.bus().run(3 * MEMORY_CYCLES).expect("equal");
    assert_eq!(nic.counter("tx_fail").expect("read"), 1);
    assert_eq!(nic.bus().sent.len(), 1, "its response leaves");
    nic.bus().deliver(read_request(new, 1, VA, RKEY), false);
    nic.bus().run(3 * MEMORY_CYCLES).expect("equal");
    assert_eq!(nic.bus().sent.len(), 2, "it answers on");
    // Its own error ends it.
    for (psn, offset) in [(2, REFUSED_OFFSET), (3, 0)] {
        nic.bus().deliver(read_request(new, psn, VA + offset, RKEY), false);
        nic.bus().run(3 * MEMORY_CYCLES).expect("equal");
    }
    assert_eq!(nic.counter("tx_fail").expect("read"), 2);
    assert_eq!(nic.counter("resp_no_qp").expect("read"), 1);
    assert_eq!(nic.bus().sent.len(), 2, "a queue pair in error answers nothing");
}

#[test]
fn nic_read_error_of_an_old_response_ends_no_new_one() {
    fail_of_an_old_response(EngineKind::Golden);
}

#[test]
fn nic_read_error_of_an_old_response_in_lock_step() {
    fail_of_an_old_response(EngineKind::Both);
}
