//! The Verilog in a simulator that knows X: Icarus plays what went in and out of the golden models,
//! from registers and memories that are all X before a single cycle of reset, with X on the other
//! inputs. Outputs are compared bit by bit in every cycle. `hdl/README.md` has what this shows.

use nic_driver::rings::{Ring, Work};
use nic_driver::{MrRow, Nic as Driver, Qp, QpConfig, Read, Status, Write};
use nic_harness::bench::Bench;
use nic_harness::four_state::{Difference, Recorder, Recording, SharedRecording};
use nic_harness::parallel::side_by_side;
use nic_harness::verilator::Source;
use nic_models::golden::nic::Nic;
use nic_sim::bench::{benches, by_name, verilog};
use nic_sim::env::station::{Manners, NicEngine, Station};
use nic_sim::net::switch::{Faults, Switch};
use nic_sim::net::{ip, mac, Network, NetworkBus};
use nic_spec::NicConfig;
use rdma_nic::{cu, gbe, hundred, Break};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

fn play(recording: &Recording, source: &Source, name: &str) -> Option<Difference> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("four_state").join(name);
    recording.play(source, &folder).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A run from each seed; what differs.
fn differences(runs: &[(Bench, u64)], seeds: &[u64]) -> Vec<String> {
    let jobs: Vec<_> = runs.iter().flat_map(|run| seeds.iter().map(move |s| (run, *s))).collect();
    let found = side_by_side(&jobs, |at, ((bench, cycles), seed)| {
        let (block, config) = (bench.name(), bench.config());
        let source = verilog(bench).unwrap_or_else(|e| panic!("{block}: {e}"));
        let name = format!("{at}_{block}");
        let difference = play(&bench.record(*seed, *cycles), &source, &name);
        let what = format!("{block} of {}, {} flows", config.name, config.flow_count);
        difference.map(|d| format!("{what}, seed {seed}: {d}"))
    });
    found.into_iter().flatten().collect()
}

/// Cells have no sizes of their own: they stand in the blocks. The NIC has a test of its own.
fn is_played(bench: &Bench) -> bool {
    let source = verilog(bench).expect("it is emitted");
    bench.name() != "nic" && !source.text.contains(&format!("module {} #(", bench.name()))
}

#[test]
fn four_state_every_block_starts_from_x() {
    let all = [gbe(), hundred(), cu()].map(|config| benches(&config));
    let runs = all.into_iter().flatten().filter(is_played).map(|bench| (bench, 4000));
    let runs: Vec<_> = runs.collect();
    assert!(runs.len() > 45, "{} blocks are too few", runs.len());
    let found = differences(&runs, &[1, 2]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The scheduler clears its memories after reset, also large ones.
#[test]
fn four_state_schedulers_of_all_sizes_start_from_x() {
    let sizes = [(4, gbe()), (512, gbe()), (2048, gbe()), (2048, hundred())];
    let bench = |(flow_count, preset): (usize, NicConfig)| {
        let config = NicConfig { flow_count, ..preset };
        ["scheduler", "sched_core"].map(|name| by_name(name, &config).expect("it has a bench"))
    };
    let runs: Vec<_> = sizes.into_iter().flat_map(bench).map(|bench| (bench, 8000)).collect();
    let found = differences(&runs, &[1]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// No register has an initial value, and no memory but the generations of the READ responses (and
/// the table of reciprocals, which is never written).
#[test]
fn four_state_one_memory_has_initial_values() {
    let of = |config: &NicConfig| {
        let text = |bench: &Bench| verilog(bench).expect("it is emitted").text;
        let has = |bench: &&Bench| {
            text(bench).replace("initial begin\n        rom[", "").contains("initial")
        };
        benches(config).iter().filter(has).map(Bench::name).collect::<Vec<_>>()
    };
    assert!(of(&cu()).is_empty());
    for (config, flow_bits) in [(gbe(), 6), (hundred(), 10)] {
        assert_eq!(of(&config), ["read_reply", "nic"], "{}", config.name);
        let nic = by_name("nic", &config).expect("it has a bench");
        let text = verilog(&nic).expect("it is emitted").text;
        assert_eq!(text.matches("initial for").count(), 1);
        assert_eq!(text.matches("any_ram #(.").count(), 1);
        let generations = format!("any_ram #(.WIDTH(16), .AW({flow_bits})) generations (");
        assert!(text.contains(&generations), "{}", config.name);
    }
}

/// Where things stand in each host's memory, and what the peer may access.
const SQ: u64 = 0x1000;
const CQ: u64 = 0x2000;
const BUFFER: u64 = 0x10_0000;
const BACK: u64 = 0x20_0000;
const VA: u64 = 0x7f00_0000_0000;
const RKEY: u32 = 0x35a;
const MESSAGE_BYTES: u32 = 3000;

fn open(bus: &NetworkBus) -> (Driver<NetworkBus>, Qp) {
    let (here, there) = (bus.station, 1 - bus.station);
    let mut nic = Driver::probe(bus.clone()).expect("a NIC");
    nic.set_address(mac(here), ip(here)).expect("set");
    nic.open_cq(Ring { address: CQ, log2: 6 }).expect("open");
    let (remote_write, remote_read) = (true, true);
    nic.create_mr(&MrRow {
        remote_write,
        remote_read,
        rkey: RKEY,
        va: VA,
        length_bytes: 0x1_0000,
        host_address: BUFFER,
        ..MrRow::default()
    })
    .expect("a region");
    let connected = QpConfig::connected(0x100, 0x100, mac(there), ip(there));
    let rings = QpConfig { remote_write, remote_read, sq_log2: 4, sq_address: SQ, ..connected };
    let qp = nic.create_qp(&rings).expect("a queue pair");
    (nic, qp)
}

/// WRITE and READ of a NIC and of its peer, both at once: what goes in and out of the NIC.
fn both_roles() -> Recording {
    let recording = SharedRecording::default();
    let other = SharedRecording::default();
    let station = |recording: &SharedRecording, seed| {
        let engine = NicEngine::new(&gbe(), Recorder::new(Nic::new(&gbe()), recording));
        Station::new(engine, Manners::Prompt, seed).expect("resets")
    };
    let stations = vec![station(&recording, 1), station(&other, 2)];
    let switch = Switch::new(&[mac(0), mac(1)], 10.0, Faults::default(), 1);
    let network = Rc::new(RefCell::new(Network::new(stations, switch, gbe().clock_hz)));
    let buses = [0, 1].map(|station| NetworkBus { network: network.clone(), station });
    let mut ends = buses.clone().map(|bus| open(&bus));
    let messages = [1_u8, 2].map(|k| (0..MESSAGE_BYTES).map(|n| k ^ n as u8).collect::<Vec<_>>());
    let (length_bytes, rkey) = (MESSAGE_BYTES, RKEY);
    for (at, (nic, qp)) in ends.iter_mut().enumerate() {
        buses[at].store_bytes(BUFFER + 0x8000, &messages[at]);
        let local_address = BUFFER + 0x8000;
        let write = Write { local_address, length_bytes, remote_va: VA, rkey, ..Write::default() };
        let local_address = BACK;
        let read = Read { local_address, length_bytes, remote_va: VA, rkey, ..Read::default() };
        nic.submit(qp, &[Work::Write(write), Work::Read(read)]).expect("room in the ring");
    }
    for (at, (nic, qp)) in ends.iter_mut().enumerate() {
        while qp.outstanding_count() > 0 {
            let Some(completion) = nic.poll_cq().expect("the bus answers") else { continue };
            qp.complete(&completion);
            assert_eq!(completion.status, Status::Ok);
        }
        let written = buses[1 - at].load_bytes(BUFFER, messages[at].len());
        let back = buses[at].load_bytes(BACK, messages[at].len());
        assert!(written == messages[at] && back == messages[at], "both WRITE and READ have gone");
    }
    let recorded = recording.lock().expect("no engine panics").clone();
    recorded
}

#[test]
fn four_state_nic_writes_and_reads_in_both_roles_from_x() {
    let bench = by_name("nic", &gbe()).expect("it has a bench");
    let source = verilog(&bench).expect("it is emitted");
    let runs = [("both_roles", both_roles()), ("random", bench.record(1, 6000))];
    side_by_side(&runs, |_, (name, recording)| {
        let difference = play(recording, &source, &format!("nic_{name}"));
        assert!(difference.is_none(), "{name}: {}", difference.expect("it is one"));
    });
}

/// What is X without a reset, a scrub or its initial value, and matters.
#[test]
fn four_state_breaks_are_caught() {
    let breaks: [(&str, Break); 9] = [
        ("read_reply", ("mem[index] = $random", "mem[index] = 16'hx")),
        ("read_reply", ("rows_write_enable = save | scrub;", "rows_write_enable = save;")),
        ("read_reply", ("state <= READ_STATE_SCRUB;", "")),
        ("scheduler", ("ledger_s_clear = !is_clean;", "ledger_s_clear = 1'b0;")),
        ("scheduler", ("clear_index <= 6'd0;", "")),
        ("sched_core", ("is_clean <= 1'b0;", "")),
        ("rx_pipe", ("beats <= 12'd0;", "")),
        ("ack_gen", ("scrub_flow <= 6'd0;", "")),
        ("responder", ("scrub_at <= 10'd0;", "")),
    ];
    side_by_side(&breaks, |at, (block, (from, to))| {
        let bench = by_name(block, &gbe()).expect("it has a bench");
        let mut source = verilog(&bench).expect("it is emitted");
        assert!(source.text.contains(from), "the Verilog of {block} has no {from:?}");
        source.text = source.text.replacen(from, to, 1);
        let is_noticed = |seed| {
            play(&bench.record(seed, 4000), &source, &format!("break_{at}_{seed}")).is_some()
        };
        assert!((1..=4).any(is_noticed), "{block}: {from:?} -> {to:?} is not noticed");
    });
}
