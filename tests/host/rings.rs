//! Rings in host memory and the interrupt, end to end: the driver over the golden NIC, and over
//! the Verilated NIC in lock-step with it.

use nic_driver::rings::{HostMemory, Ring, Work};
use nic_driver::{Bus, CompletionKind, Error, MrRow, Nic, Qp, QpConfig, Read, Status, Write};
use nic_harness::verilator::Source;
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_sim::net::switch::{Faults, Switch};
use nic_sim::net::{Network, NetworkBus};
use nic_spec::regs;
use rdma_nic::gbe;
use std::cell::RefCell;
use std::rc::Rc;

mod large;
#[path = "../../sim/examples/write_and_read_back.rs"]
mod write_and_read_back;

#[test]
fn rings_example_writes_and_reads_back() {
    write_and_read_back::main().expect("the example runs");
}

/// Where things stand in each host's memory.
const CQ: u64 = 0x2_0000;
const SQ: u64 = 0x10_0000;
const SOURCE: u64 = 0x100_0000;
const LANDING: u64 = 0x200_0000;
const REGION: u64 = 0x1_0000_0000;
const REGION_VA: u64 = 0x7f00_0000_0000;
const REGION_BYTES: u64 = 0x100_0000;
const RKEY: u32 = 0x35a;
/// Bytes between two messages.
const SLOT: u64 = 4096;
/// A run without an interrupt is given up after so many cycles.
const STUCK_CYCLES: u64 = 2_000_000;

#[derive(Clone, Copy)]
struct Plan {
    engine: EngineKind,
    manners: Manners,
    qp_count: u32,
    sq_log2: u8,
    cq_log2: u8,
    seed: u64,
}

impl Plan {
    fn golden(qp_count: u32, sq_log2: u8, cq_log2: u8) -> Self {
        let (engine, manners, seed) = (EngineKind::Golden, Manners::Prompt, 1);
        Self { engine, manners, qp_count, sq_log2, cq_log2, seed }
    }
}

struct Host {
    nic: Nic<NetworkBus>,
    qps: Vec<Qp>,
}

/// Two NICs, queue pair n of one connected with queue pair n of the other.
struct Pair {
    network: Rc<RefCell<Network>>,
    hosts: Vec<Host>,
    plan: Plan,
}

fn mac(at: usize) -> u64 {
    0x0200_0000_0001 + at as u64
}

fn ip(at: usize) -> u32 {
    0x0a00_0001 + at as u32
}

fn qp_config(plan: &Plan, at: usize, qp: u32) -> QpConfig {
    QpConfig {
        remote_write: true,
        remote_read: true,
        mtu_code: 2,
        timeout_exponent: 8,
        retry_limit: 7,
        ack_interval_log2: 4,
        qpn: 0x100 + qp,
        remote_qpn: 0x100 + qp,
        remote_ip: ip(1 - at),
        remote_mac: mac(1 - at),
        udp_source_port: 0xc000 + qp as u16,
        rq_psn: 0xff_fffa,
        sq_psn: 0xff_fffa,
        window_bytes: 20_000,
        rate_uq8_24: 8 << 24,
        sq_log2: plan.sq_log2,
        sq_address: SQ + u64::from(qp) * (64 << plan.sq_log2),
        ..QpConfig::default()
    }
}

/// Byte `n` of what station `at` has in memory at first.
fn byte(at: usize, n: u64) -> u8 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (29 + at)) as u8
}

fn bytes(at: usize, from: u64, count: u32) -> Vec<u8> {
    (from..from + u64::from(count)).map(|n| byte(at, n)).collect()
}

impl Pair {
    fn new(plan: Plan) -> Self {
        println!("seed {}", plan.seed);
        let source = match plan.engine.has_rtl() {
            true => nic_sim::bench::emitted("nic", &gbe()).expect("emitted"),
            false => Source::new("nic", ""),
        };
        let station = |at: u64| {
            let engine = plan.engine.nic(&gbe(), &source, plan.seed + at).expect("an engine");
            Station::new(engine, plan.manners, plan.seed + at).expect("reset")
        };
        let stations = vec![station(0), station(1)];
        let switch = Switch::new(&[mac(0), mac(1)], 10.0, Faults::default(), plan.seed);
        let network = Network::new(stations, switch, gbe().clock_hz);
        let network = Rc::new(RefCell::new(network));
        let hosts = (0..2).map(|at| Self::open(&plan, &network, at)).collect();
        Self { network, hosts, plan }
    }

    fn open(plan: &Plan, network: &Rc<RefCell<Network>>, at: usize) -> Host {
        let bus = NetworkBus { network: network.clone(), station: at };
        let mut nic = Nic::probe(bus).expect("a NIC");
        nic.set_address(mac(at), ip(at)).expect("set");
        if plan.cq_log2 > 0 {
            nic.open_cq(Ring { address: CQ, log2: plan.cq_log2 }).expect("opened");
        }
        nic.enable_interrupts(true, false).expect("enabled");
        nic.create_mr(&region()).expect("created");
        let create = |qp| nic.create_qp(&qp_config(plan, at, qp)).expect("created");
        let qps = (0..plan.qp_count).map(create).collect();
        Host { nic, qps }
    }

    fn store(&self, at: usize, address: u64, bytes: &[u8]) {
        self.network.borrow_mut().stations[at].memory.store(address, bytes);
    }

    fn load(&self, at: usize, address: u64, count: u32) -> Vec<u8> {
        self.network.borrow().stations[at].memory.load(address, count as usize)
    }

    fn run(&self, cycles: u64) {
        (0..cycles).for_each(|_| self.network.borrow_mut().tick().expect("equal"));
    }

    /// Runs until one of the NICs interrupts.
    fn wait_for_interrupt(&self) {
        for _ in 0..STUCK_CYCLES {
            let mut network = self.network.borrow_mut();
            if network.stations.iter().any(|station| station.irq()) {
                return;
            }
            network.tick().expect("equal");
        }
        panic!("no interrupt");
    }

    /// Completions of station `at` until nothing has come for a while.
    fn completions(&mut self, at: usize) -> Vec<nic_driver::Completion> {
        let (mut all, mut quiet) = (Vec::new(), 0);
        while quiet < 20_000 {
            match self.hosts[at].nic.poll_cq().expect("polled") {
                Some(completion) => {
                    self.hosts[at].qps.iter_mut().for_each(|qp| qp.complete(&completion));
                    all.push(completion);
                    quiet = 0;
                }
                None => {
                    self.run(100);
                    quiet += 100;
                }
            }
        }
        all
    }

    fn counter(&mut self, at: usize, event: &str) -> u32 {
        self.hosts[at].nic.counter(event).expect("counted")
    }
}

fn region() -> MrRow {
    MrRow {
        valid: true,
        remote_write: true,
        remote_read: true,
        rkey: RKEY,
        va: REGION_VA,
        length_bytes: REGION_BYTES,
        host_address: REGION,
    }
}

/// A WRITE of `length_bytes` from slot `slot` to the peer's slot.
fn write(slot: u64, length_bytes: u32) -> Write {
    Write {
        local_address: SOURCE + slot * SLOT,
        length_bytes,
        remote_va: REGION_VA + slot * SLOT,
        rkey: RKEY,
        ..Write::default()
    }
}

/// Message `number` of queue pair `qp`: WRITE or READ, of many lengths.
fn work(qp: u32, number: u32, last: bool) -> (Work, u64, u32) {
    let slot = u64::from(qp * 64 + number);
    let length_bytes = (number * 977 + qp * 131) % 3000;
    let unsignalled = (number + qp).is_multiple_of(3) && !last;
    let work = if number.is_multiple_of(2) {
        Work::Write(Write { unsignalled, ..write(slot, length_bytes) })
    } else {
        Work::Read(Read {
            local_address: LANDING + slot * SLOT,
            length_bytes,
            remote_va: REGION_VA + slot * SLOT,
            rkey: RKEY,
            unsignalled,
        })
    };
    (work, slot, length_bytes)
}

/// Both NICs write to and read from each other, and sleep until the interrupt comes.
fn exchange(plan: Plan, message_count: u32) {
    let mut pair = Pair::new(plan);
    for at in 0..2 {
        for qp in 0..plan.qp_count {
            for number in 0..message_count {
                let (work, slot, length) = work(qp, number, false);
                let from = match work {
                    Work::Write(_) => SOURCE,
                    Work::Read(_) => REGION,
                } + slot * SLOT;
                pair.store(at, from, &bytes(at, from, length));
            }
        }
    }
    let mut left = vec![vec![0; plan.qp_count as usize]; 2];
    let mut signalled = 0;
    loop {
        let mut busy = false;
        for (Host { nic, qps }, left) in pair.hosts.iter_mut().zip(&mut left) {
            for (qp, posted) in qps.iter_mut().zip(left) {
                let room = (1 << plan.sq_log2) - qp.outstanding_count();
                let count = room.min(message_count - *posted);
                let batch: Vec<Work> = (*posted..*posted + count)
                    .map(|n| work(qp.qpn - 0x100, n, n + 1 == message_count || n % 4 == 3).0)
                    .collect();
                if !batch.is_empty() {
                    assert_eq!(nic.submit(qp, &batch).expect("submitted"), *posted);
                    *posted += count;
                }
                busy |= qp.outstanding_count() > 0;
            }
        }
        if !busy {
            break;
        }
        for at in 0..2 {
            pair.hosts[at].nic.arm_cq().expect("armed");
        }
        pair.wait_for_interrupt();
        for at in 0..2 {
            let Host { nic, qps } = &mut pair.hosts[at];
            while let Some(completion) = nic.poll_cq().expect("polled") {
                assert_eq!(completion.status, Status::Ok);
                qps.iter_mut().for_each(|qp| qp.complete(&completion));
                signalled += 1;
            }
        }
    }
    for at in 0..2 {
        for qp in 0..plan.qp_count {
            for number in 0..message_count {
                let (work, slot, length) = work(qp, number, false);
                let (from, holder, landed) = match work {
                    Work::Write(_) => (SOURCE, at, pair.load(1 - at, REGION + slot * SLOT, length)),
                    Work::Read(_) => (REGION, 1 - at, pair.load(at, LANDING + slot * SLOT, length)),
                };
                let wanted = bytes(holder, from + slot * SLOT, length);
                assert!(landed == wanted, "station {at} qp {qp} message {number}");
            }
        }
        for event in ["sq_doorbell_refused", "sq_read_error", "cq_error", "cq_refused"] {
            assert_eq!(pair.counter(at, event), 0, "{event}");
        }
    }
    let size = 1 << plan.cq_log2;
    assert!(signalled > 4 * size, "the completion ring has not wrapped: {signalled} completions");
    assert!(message_count > 2 << plan.sq_log2, "the submission rings have not wrapped");
}

#[test]
fn rings_of_many_qps_wrap_and_wake_software() {
    exchange(Plan::golden(64, 2, 5), 10);
    for seed in 1..4 {
        let plan = Plan { manners: Manners::Stalling, seed, ..Plan::golden(7, 2, 3) };
        exchange(plan, 12);
    }
}

#[test]
fn rings_in_lock_step() {
    let (engine, manners) = (EngineKind::Both, Manners::Stalling);
    exchange(Plan { engine, manners, seed: 5, ..Plan::golden(5, 2, 2) }, 9);
}

#[test]
fn rings_carry_payload_inline() {
    // A queue pair with a ring and one without: WRITEs that need nothing of host memory.
    let mut pair = Pair::new(Plan { sq_log2: 5, ..Plan::golden(1, 5, 6) });
    let [plain, peer] = [0, 1].map(|at| QpConfig { sq_log2: 0, ..qp_config(&pair.plan, at, 1) });
    let mut plain = pair.hosts[0].nic.create_qp(&plain).expect("created");
    pair.hosts[1].nic.create_qp(&peer).expect("created");
    let of = |slot: u64, length_bytes: u32| {
        let inline = Some(core::array::from_fn(|n| byte(0, slot * 32 + n as u64)));
        Write { local_address: u64::MAX, inline, ..write(slot, length_bytes) }
    };
    let batch: Vec<Work> = (0..25).map(|n| Work::Write(of(n.into(), n))).collect();
    let Host { nic, qps } = &mut pair.hosts[0];
    nic.submit(&mut qps[0], &batch).expect("submitted");
    nic.post_write(&mut plain, &of(25, 24)).expect("posted");
    let too_long = nic.submit(&mut qps[0], &[Work::Write(of(0, 25))]);
    assert!(matches!(too_long, Err(Error::Argument(_))), "{too_long:?}");
    let completions = pair.completions(0);
    assert!(completions.iter().all(|c| c.status == Status::Ok), "{completions:?}");
    assert_eq!(completions.len(), 26);
    for (slot, length) in (0..25).map(|n| (n, n as usize)).chain([(25, 24)]) {
        let landed = pair.load(1, REGION + slot * SLOT, 32);
        let mut expected: Vec<u8> = (0..32).map(|n| byte(0, slot * 32 + n)).collect();
        expected[length..].fill(0);
        assert_eq!(landed, expected, "slot {slot}");
    }
}

#[test]
fn rings_refuse_a_doorbell_beyond_the_ring_and_lose_nothing() {
    let mut pair = Pair::new(Plan::golden(2, 3, 4));
    pair.store(0, SOURCE, &bytes(0, SOURCE, 500));
    let doorbell = |flow: u32, index: u32| flow | index << 16;
    let Host { nic, qps } = &mut pair.hosts[0];
    nic.submit(&mut qps[0], &[Work::Write(write(0, 500))]).expect("submitted");
    // Nine beyond what the NIC has read, back, and a flow without a queue pair.
    for (flow, index) in [(0, 10), (0, 0xffff), (9, 1), (64, 1)] {
        nic.bus().write32(regs::DOORBELL.into(), doorbell(flow, index)).expect("taken");
        let status = nic.host_status().expect("read");
        assert_eq!(status.refused_doorbell(), Some(flow as u16));
        nic.clear_status(status).expect("cleared");
        assert_eq!(nic.host_status().expect("read").refused_doorbell(), None);
    }
    nic.submit(&mut qps[0], &[Work::Write(write(1, 0))]).expect("submitted");
    let ids: Vec<u32> = pair.completions(0).iter().map(|c| c.wr_id).collect();
    assert_eq!(ids, [0, 1]);
    assert_eq!(pair.load(1, REGION, 500), bytes(0, SOURCE, 500));
    assert_eq!(pair.counter(0, "sq_doorbell_refused"), 4);
    // The driver itself never rings for more than there is room for.
    let Host { nic, qps } = &mut pair.hosts[0];
    let too_many = [Work::Write(write(0, 1)); 9];
    let full = nic.submit(&mut qps[0], &too_many);
    assert!(matches!(full, Err(Error::SendQueueFull)), "{full:?}");
    let refused = nic.post_write(&mut qps[0], &write(0, 1));
    assert!(matches!(refused, Err(Error::Argument(_))), "{refused:?}");
}

impl Pair {
    /// Sends `count` signalled WRITEs of station 0 on queue pair 0.
    fn send(&mut self, count: u32) {
        let Host { nic, qps } = &mut self.hosts[0];
        let batch = vec![Work::Write(write(0, 100)); count as usize];
        nic.submit(&mut qps[0], &batch).expect("submitted");
    }
}

#[test]
fn rings_keep_completions_that_find_the_ring_full() {
    let mut pair = Pair::new(Plan::golden(1, 5, 1));
    pair.send(20);
    pair.run(20_000);
    let Host { nic, .. } = &mut pair.hosts[0];
    assert!(nic.host_status().expect("read").is_cq_full());
    // Two in the ring, the others wait on the NIC.
    let in_ring = nic.bus().read32(regs::CQ_PRODUCER.into()).expect("read");
    let held = nic.bus().read32(regs::CQ_COUNT.into()).expect("read");
    assert_eq!((in_ring, held), (2, 18));
    let ids: Vec<u32> = pair.completions(0).iter().map(|c| c.wr_id).collect();
    assert_eq!(ids, (0..20).collect::<Vec<u32>>());
    assert!(!pair.hosts[0].nic.host_status().expect("read").is_cq_full());
    assert!(pair.counter(0, "cq_full") > 0);
}

#[test]
fn rings_report_a_work_request_that_cannot_be_read() {
    let mut pair = Pair::new(Plan::golden(2, 3, 4));
    let place = SQ + 2 * 64;
    pair.network.borrow_mut().stations[0].memory.fail_in(place..place + 1);
    pair.send(5);
    let Host { nic, qps } = &mut pair.hosts[0];
    nic.submit(&mut qps[1], &[Work::Write(write(1, 300))]).expect("submitted");
    let mut all = pair.completions(0);
    let other = all.iter().position(|c| c.flow_index == 1).expect("the other QP goes on");
    assert_eq!(all.remove(other).status, Status::Ok);
    let lost = all.iter().position(|c| c.kind == CompletionKind::RingLost).expect("reported");
    let lost = all.remove(lost);
    assert_eq!((lost.status, lost.wr_id, lost.flow_index), (Status::LocalDma, 2, 0));
    let rest: Vec<_> = all.iter().map(|c| (c.wr_id, c.status)).collect();
    assert_eq!(rest, [(0, Status::Ok), (1, Status::Ok)], "what came before it is done");
    assert_eq!(pair.counter(0, "sq_read_error"), 1);
    let Host { nic, qps } = &mut pair.hosts[0];
    let status = nic.host_status().expect("read");
    assert!(status.has_sq_error());
    nic.clear_status(status).expect("cleared");
    // A new queue pair on the index, on both sides, goes on with the repaired memory.
    pair.network.borrow_mut().stations[0].memory.clear_failures();
    qps[0] = nic.create_qp(&qp_config(&pair.plan, 0, 0)).expect("created");
    let peer = &mut pair.hosts[1];
    peer.qps[0] = peer.nic.create_qp(&qp_config(&pair.plan, 1, 0)).expect("created");
    pair.send(3);
    let ids: Vec<u32> = pair.completions(0).iter().map(|c| c.wr_id).collect();
    assert_eq!(ids, [0, 1, 2]);
}

#[test]
fn rings_give_back_completions_that_could_not_be_written() {
    let mut pair = Pair::new(Plan::golden(1, 4, 3));
    let place = CQ + 3 * 16;
    pair.network.borrow_mut().stations[0].memory.fail_in(place..place + 1);
    pair.send(12);
    let before: Vec<u32> = pair.completions(0).iter().map(|c| c.wr_id).collect();
    assert_eq!(before, [0, 1, 2]);
    let Host { nic, .. } = &mut pair.hosts[0];
    assert!(nic.host_status().expect("read").has_cq_error());
    nic.close_cq().expect("closed");
    // One by register, the others in a ring elsewhere.
    assert_eq!(nic.poll().expect("polled").expect("one waits").wr_id, 3);
    nic.open_cq(Ring { address: CQ + 0x1000, log2: 2 }).expect("opened");
    let after: Vec<u32> = pair.completions(0).iter().map(|c| c.wr_id).collect();
    assert_eq!(after, (4..12).collect::<Vec<u32>>());
    assert_eq!(pair.counter(0, "cq_error"), 1);
}

#[test]
fn rings_of_other_qps_go_on_while_qps_and_regions_come_and_go() {
    let plan = Plan::golden(4, 3, 5);
    let mut pair = Pair::new(plan);
    pair.store(0, SOURCE, &bytes(0, SOURCE, 0x1_0000));
    let mut done = 0;
    for round in 0..30 {
        let Host { nic, qps } = &mut pair.hosts[0];
        for qp in &mut qps[1..] {
            let room = (8 - qp.outstanding_count()) as usize;
            let batch = vec![Work::Write(write(u64::from(qp.qpn & 7), 2000)); room];
            nic.submit(qp, &batch).expect("submitted");
        }
        // Queue pair 0 dies with work under way, in every state, and is set up anew.
        if round % 3 == 2 {
            nic.submit(&mut qps[0], &[Work::Write(write(0, 3000)); 6]).expect("submitted");
            pair.run(97 * round);
        }
        for at in 0..2 {
            let Host { nic, qps } = &mut pair.hosts[at];
            nic.create_mr(&MrRow { rkey: 0x2000 + round as u32, ..region() }).expect("created");
            nic.destroy_mr(0x2000 + round as u32).expect("revoked");
            if round % 2 == 0 {
                let old = std::mem::replace(&mut qps[0], Qp::at_index(0, 0x100));
                nic.destroy_qp(old).expect("destroyed");
            }
            qps[0] = nic.create_qp(&qp_config(&plan, at, 0)).expect("created");
        }
        pair.run(300);
        let Host { nic, qps } = &mut pair.hosts[0];
        while let Some(completion) = nic.poll_cq().expect("polled") {
            assert!(completion.flow_index == 0 || completion.status == Status::Ok);
            qps[1..].iter_mut().for_each(|qp| qp.complete(&completion));
            done += u32::from(completion.flow_index > 0);
        }
    }
    let rest = pair.completions(0);
    assert!(rest.iter().all(|c| c.flow_index == 0 || c.status == Status::Ok));
    assert!(pair.hosts[0].qps[1..].iter().all(|qp| qp.outstanding_count() == 0));
    assert!(done > 100, "{done} completions");
    // The new queue pair 0 works.
    pair.send(4);
    let new = pair.completions(0);
    assert_eq!(new.iter().filter(|c| c.status == Status::Ok).count(), 4, "{new:?}");
}

/// Cycles from the start of the doorbell's register write to the first beat on the wire, for a
/// WRITE of 8 bytes and a memory that answers after 8 cycles.
fn doorbell_to_wire() -> u64 {
    let engine = EngineKind::Golden.nic(&gbe(), &Source::new("nic", ""), 1).expect("an engine");
    let station = Station::new(engine, Manners::Prompt, 1).expect("reset");
    let mut nic = Nic::probe(station).expect("a NIC");
    nic.set_address(mac(0), ip(0)).expect("set");
    let config = qp_config(&Plan::golden(1, 3, 4), 0, 0);
    let mut qp = nic.create_qp(&config).expect("created");
    nic.bus().run(1000).expect("runs");
    let start = nic.bus().cycle();
    nic.submit(&mut qp, &[Work::Write(write(0, 8))]).expect("submitted");
    while nic.bus().tx_beats() == 0 {
        nic.bus().tick().expect("runs");
    }
    nic.bus().cycle() - start
}

#[test]
fn rings_take_few_cycles_from_doorbell_to_wire() {
    let cycles = doorbell_to_wire();
    println!("{cycles} cycles from doorbell to wire");
    // Two reads of 8 cycles are the memory's own.
    assert!(cycles <= 16 + 104, "{cycles} cycles");
}

/// What the driver stores is what the NIC reads, and the other way round.
#[test]
fn rings_memory_is_little_endian_words() {
    let engine = EngineKind::Golden.nic(&gbe(), &Source::new("nic", ""), 1).expect("an engine");
    let mut station = Station::new(engine, Manners::Prompt, 1).expect("reset");
    station.store(0x1000, &[0x0403_0201, 0x0807_0605]).expect("stored");
    assert_eq!(station.memory.load(0x1001, 4), [2, 3, 4, 5]);
    let mut words = [0; 2];
    station.load(0x1000, &mut words).expect("loaded");
    assert_eq!(words, [0x0403_0201, 0x0807_0605]);
}
