//! Figures of the pages that show what the NIC does.

use super::diagram;
use super::waves::{Level, Waves};
use nic_driver::rings::{Ring, Work};
use nic_driver::{MrRow, Nic, Qp, QpConfig, Write};
use nic_harness::lockstep::GoldenOnly;
use nic_models::golden::nic::{self as golden, NicIn, NicOut};
use nic_models::ports::Golden;
use nic_models::streams::Axis;
use nic_sim::env::station::{Manners, NicEngine, Station};
use nic_sim::net::switch::{Faults, Switch};
use nic_sim::net::{self, Network, NetworkBus};
use nic_spec::regs;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use rdma_nic::gbe;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// Where things stand in the requester's memory, and where the data lands in the responder's.
const SQ: u64 = 0x1_0000;
const CQ: u64 = 0x2_0000;
const MESSAGE: u64 = 0x3_0000;
const LANDING: u64 = 0x4_0000;
const MESSAGE_BYTES: u32 = 64;
const RKEY: u32 = 0x35a;
const VA: u64 = 0x7f00_0000_0000;

/// Pins of a NIC in every cycle: its inputs, and its outputs before the edge.
type Pins = Vec<(NicIn, NicOut)>;

/// A golden NIC whose pins are seen.
struct Seen {
    nic: golden::Nic,
    out: NicOut,
    pins: Arc<Mutex<Pins>>,
}

impl Golden for Seen {
    type In = NicIn;
    type Out = NicOut;

    fn step(&mut self, inputs: &NicIn) -> NicOut {
        self.pins.lock().expect("one thread").push((*inputs, self.out));
        self.out = self.nic.step(inputs);
        self.out
    }
}

/// Two NICs on a switch so fast that a frame passes it in a cycle or two, and what their pins show.
fn pair() -> ([NetworkBus; 2], [Arc<Mutex<Pins>>; 2]) {
    let pins: [Arc<Mutex<Pins>>; 2] = Default::default();
    let stations = pins.iter().map(|pins| {
        let (nic, out) = (golden::Nic::new(&gbe()), NicOut::default());
        let engine = NicEngine::new(&gbe(), GoldenOnly(Seen { nic, out, pins: pins.clone() }));
        Station::new(engine, Manners::Prompt, 1).expect("a reset")
    });
    let stations = stations.collect();
    let switch = Switch::new(&[net::mac(0), net::mac(1)], 1e5, Faults::default(), 1);
    let network = Rc::new(RefCell::new(Network::new(stations, switch, gbe().clock_hz)));
    ([0, 1].map(|station| NetworkBus { network: network.clone(), station }), pins)
}

fn open(bus: &NetworkBus) -> (Nic<NetworkBus>, Qp) {
    let (here, there) = (bus.station, 1 - bus.station);
    let mut nic = Nic::probe(bus.clone()).expect("a NIC");
    nic.set_address(net::mac(here), net::ip(here)).expect("an address");
    nic.open_cq(Ring { address: CQ, log2: 6 }).expect("a completion ring");
    nic.enable_interrupts(true, false).expect("interrupts");
    nic.create_mr(&MrRow {
        remote_write: true,
        rkey: RKEY,
        va: VA,
        length_bytes: 0x1000,
        host_address: LANDING,
        ..MrRow::default()
    })
    .expect("a region");
    let qp = nic.create_qp(&QpConfig {
        remote_write: true,
        sq_log2: 4,
        sq_address: SQ,
        ..QpConfig::connected(0x100, 0x100, net::mac(there), net::ip(there))
    });
    (nic, qp.expect("a queue pair"))
}

/// Posts a WRITE and runs until the interrupt tells of its completion.
fn write(nic: &mut Nic<NetworkBus>, qp: &mut Qp) {
    let bus = nic.bus().clone();
    let tick = || bus.network.borrow_mut().tick().expect("a cycle");
    nic.arm_cq().expect("armed");
    (0..500).for_each(|_| tick());
    let work = Write {
        local_address: MESSAGE,
        length_bytes: MESSAGE_BYTES,
        remote_va: VA,
        rkey: RKEY,
        ..Write::default()
    };
    nic.submit(qp, &[Work::Write(work)]).expect("room");
    for _ in 0..2000 {
        if bus.network.borrow().stations[bus.station].irq() {
            (0..3).for_each(|_| tick());
            let completion = nic.poll_cq().expect("no error").expect("it has landed");
            qp.complete(&completion);
            return;
        }
        tick();
    }
    panic!("no interrupt");
}

/// What a frame is, by its opcode; `beats` are those of one AXI4-Stream.
fn frame_names(beats: impl Iterator<Item = Axis>) -> Vec<&'static str> {
    let (mut names, mut bytes) = (vec![], vec![]);
    for beat in beats {
        let count = beat.tkeep.count_ones() as usize;
        bytes.extend_from_slice(&beat.tdata.bytes()[..count]);
        if beat.tlast {
            let frame = FrameRepr::parse(&bytes, None).expect("a good frame");
            names.push(match frame.bth.opcode {
                opcode::WRITE_ONLY => "WRITE ONLY",
                opcode::ACKNOWLEDGE => "ACK",
                other => panic!("opcode {other:#x} in the figure"),
            });
            bytes.clear();
        }
    }
    names
}

/// What an address is of.
fn place(address: u64) -> String {
    match address & !0xfff {
        SQ => "work request",
        CQ => "completion",
        MESSAGE | LANDING => "payload",
        _ => panic!("{address:#x} in the figure"),
    }
    .into()
}

/// A channel: what it carries while its valid is high, else low.
fn channel(valid: bool, what: impl FnOnce() -> String) -> Level {
    if valid {
        Level::Value(what())
    } else {
        Level::Bit(false)
    }
}

/// The channels of host memory that are written.
fn writes(inputs: &NicIn, out: &NicOut) -> [Level; 3] {
    let (master, slave) = (&out.m_axi.0, &inputs.m_axi.0);
    [
        channel(master.awvalid, || place(master.awaddr)),
        channel(master.wvalid, String::new),
        channel(slave.bvalid, String::new),
    ]
}

const REQUESTER: &[&str] = &[
    "s_axil aw",
    "m_axi ar",
    "m_axi r",
    "m_axis_tx",
    "s_axis_rx",
    "m_axi aw",
    "m_axi w",
    "m_axi b",
    "irq",
];
const RESPONDER: &[&str] = &["s_axis_rx", "m_axi aw", "m_axi w", "m_axi b", "m_axis_tx"];

/// What is in the figure of the requester's pins.
fn requester(inputs: &NicIn, out: &NicOut) -> Vec<Level> {
    let register = channel(inputs.s_axil.awvalid, || match inputs.s_axil.awaddr {
        regs::DOORBELL => "DOORBELL".into(),
        other => panic!("a write to {other:#x} in the figure"),
    });
    let (ar, r) = (out.m_axi.1, inputs.m_axi.1);
    let mut levels = vec![
        register,
        channel(ar.arvalid, || place(ar.araddr)),
        channel(r.rvalid, String::new),
        channel(out.m_axis_tx.tvalid, || "WRITE ONLY".into()),
        channel(inputs.s_axis_rx.tvalid, || "ACK".into()),
    ];
    levels.extend(writes(inputs, out));
    levels.push(Level::Bit(out.irq));
    levels
}

/// And of the responder's.
fn responder(inputs: &NicIn, out: &NicOut) -> Vec<Level> {
    let mut levels = vec![channel(inputs.s_axis_rx.tvalid, || "WRITE ONLY".into())];
    levels.extend(writes(inputs, out));
    levels.push(channel(out.m_axis_tx.tvalid, || "ACK".into()));
    levels
}

#[test]
fn write_ack_figure_shows_a_run() {
    let ([here, there], pins) = pair();
    let ((mut nic, mut qp), _peer) = (open(&here), open(&there));
    let message: Vec<u8> = (0..MESSAGE_BYTES as u8).collect();
    here.store_bytes(MESSAGE, &message);
    // The first packet of a queue pair waits for its first credit.
    write(&mut nic, &mut qp);
    let first = pins[0].lock().expect("one thread").len();
    write(&mut nic, &mut qp);
    assert_eq!(there.load_bytes(LANDING, message.len()), message, "written");

    let [a, b] = pins.map(|pins| pins.lock().expect("one thread")[first..].to_vec());
    let is_rung = |(i, _): &(NicIn, NicOut)| i.s_axil.awvalid && i.s_axil.awaddr == regs::DOORBELL;
    let start = a.iter().position(is_rung).expect("a doorbell") - 1;
    let end = start + a[start..].iter().position(|(_, o)| o.irq).expect("an interrupt") + 2;
    let (a, b) = (&a[start..end], &b[start..end]);
    let sent = |pins: &[(NicIn, NicOut)]| {
        let beats = pins.iter().map(|(_, o)| o.m_axis_tx).filter(|beat| beat.tvalid);
        frame_names(beats)
    };
    assert_eq!((sent(a), sent(b)), (vec!["WRITE ONLY"], vec!["ACK"]));

    let levels = |((ai, ao), (bi, bo)): (&(NicIn, NicOut), &(NicIn, NicOut))| {
        [requester(ai, ao), responder(bi, bo)].concat()
    };
    let run: Vec<Vec<Level>> = a.iter().zip(b).map(levels).collect();
    let groups = [("requester", REQUESTER), ("responder", RESPONDER)];
    Waves::of_run(&groups, &run).check("docs/figures/write-ack");
}

#[test]
fn nic_figure_shows_the_netlist() {
    let design = nic_hdl::emit::by_name("nic", &gbe()).unwrap_or_else(|e| panic!("{e}"));
    let (_, top) = design.modules.iter().find(|(name, _)| *name == design.top).expect("the top");
    let svg = diagram::svg(top, &design.preset);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures/nic.svg");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &svg).expect("the folder can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let advice = "is stale: UPDATE_PAGES=1 cargo test --test tool figures::";
    assert!(committed == svg, "docs/figures/nic.svg {advice}");
}
