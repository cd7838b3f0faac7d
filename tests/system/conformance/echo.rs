//! The most loaded hop alone, as ACKs echo it: which hop that is, NewAck's u' in f64 says for each hop; the frames' bytes
//! are typed by hand. To the sender a change of hop is one change of path.

use crate::conformance::frames::*;
use crate::conformance::telemetry::{cc_config, telemetry_nic};
use nic_driver::{CcMode, Nic, QpConfig};
use nic_models::reference::hpcc::{hop_utilisation, Flow, Telemetry};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Station;
use nic_sim::replay::cc_trace::reference_params;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::{Form, Hop, Repr as TelemetryRepr};
use nic_spec::wire::{bth, ethernet, ipv4, reth};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const HOPS: usize = 3;
/// What the switches' identifiers come to.
const PATH: u16 = 0xa5c;
/// An ACK's bytes without telemetry; with the paper's header of two bytes and a record of eight; with three.
const ACK_BYTES: usize = 62;
const ONE_HOP_BYTES: usize = 72;
const STACK_BYTES: usize = 88;
/// The authors' header.
const AUTHORS_BYTES: usize = 42;
/// Bytes of a frame before the telemetry: Ethernet, IPv4, UDP.
const AHEAD_BYTES: usize = 42;

/// A record as it stands on the wire: rate code 4 bits, time 24, units sent 20, units queued 16.
fn on_wire(hop: &Hop) -> [u8; 8] {
    let word = u64::from(hop.rate_code) << 60
        | u64::from(hop.ts_ns) << 36
        | u64::from(hop.tx_units) << 16
        | u64::from(hop.queue_units);
    word.to_be_bytes()
}

/// A WRITE of the peer with these records.
fn data(form: Form, psn: u32, path: u16, hops: &[Hop; HOPS]) -> Vec<u8> {
    let mut records = TelemetryRepr { hop_count: HOPS as u16, path, ..TelemetryRepr::default() };
    records.hops[..HOPS].copy_from_slice(hops);
    let repr = FrameRepr {
        ethernet: ethernet::Repr { dst: LOCAL_MAC, src: PEER_MAC, ..Default::default() },
        ip: ipv4::Repr { dscp: 0x13, src: PEER_IP, dst: LOCAL_IP, ttl: 64, ..Default::default() },
        udp_src_port: 0xc022,
        telemetry: Some((form, records)),
        bth: bth::Repr {
            opcode: 0x0a,
            pkey: 0xffff,
            qpn: QPN,
            psn,
            ack_req: true,
            ..Default::default()
        },
        reth: Some(reth::Repr { va: VA, rkey: RKEY, dma_len: 4 }),
        payload: &[1, 2, 3, 4],
        ..Default::default()
    };
    let mut bytes = vec![0; repr.buffer_len()];
    repr.emit(&mut bytes);
    bytes
}

fn queue_pair(nic: &mut Nic<Station>) {
    let config = QpConfig { telemetry: true, timeout_exponent: 0, ..qp_config(PSN) };
    nic.create_qp(&QpConfig { window_bytes: 10_000, ..config }).unwrap();
}

/// The peer's data through three hops, and what their ACKs echo.
struct Path {
    nic: Nic<Station>,
    rng: ChaCha8Rng,
    psn: u32,
    path: u16,
    at_ns: u32,
    hops: [Hop; HOPS],
    /// Records are there that the next ones are compared with.
    compares: bool,
    /// What NewAck's u' has named last, and what two packets one after the other have.
    named: Option<usize>,
    worst: Option<usize>,
    /// The NIC echoes one hop.
    echoes: bool,
    /// The sender, which sees the echoes.
    sender: Flow,
    changes: usize,
}

impl Path {
    fn new(engine: EngineKind, mode: CcMode, seed: u64) -> Self {
        println!("seed {seed}");
        let mut nic = telemetry_nic(engine);
        nic.set_cc_mode(mode).unwrap();
        queue_pair(&mut nic);
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let sender = Flow::new(&reference_params(&cc_config()));
        let (named, worst) = (None, None);
        let hops = [Hop::default(); HOPS];
        let (at_ns, compares, changes) = (1000, false, 0);
        let (psn, path, echoes) = (PSN, PATH, mode == CcMode::WorstHop);
        Self { nic, rng, psn, path, echoes, at_ns, hops, compares, named, worst, sender, changes }
    }

    /// A packet on a path where `busy` is the hop that all others are well below; its ACK is what it should be.
    fn packet(&mut self, busy: usize) {
        let p = reference_params(&cc_config());
        let passed_ns = self.rng.gen_range(2000..4000);
        self.at_ns += passed_ns;
        let before = self.hops;
        for (at, hop) in self.hops.iter_mut().enumerate() {
            let load = if at == busy { 0.9 } else { self.rng.gen_range(0.0..0.6) };
            hop.rate_code = at as u8;
            hop.ts_ns = self.at_ns & 0xff_ffff;
            let bytes_per_ns = 3.125 * f64::from(1 << at);
            hop.tx_units += (load * bytes_per_ns / 128.0 * f64::from(passed_ns)) as u32;
            hop.queue_units = if at == busy { self.rng.gen_range(0..40) } else { 0 };
        }
        self.nic.bus().deliver(data(Form::Paper, self.psn, self.path, &self.hops), false);
        self.nic.bus().run(250).unwrap();
        let frames = sent(&mut self.nic);
        let [ack] = &frames[..] else { panic!("{} frames", frames.len()) };
        let worst_before = self.worst;
        if std::mem::replace(&mut self.compares, true) {
            let u = |at: usize| {
                let (old, new) = (before[at].to_word(), self.hops[at].to_word());
                hop_utilisation(&p, old, new).expect("time passes").0
            };
            let most = (0..HOPS).max_by(|a, b| u(*a).total_cmp(&u(*b))).expect("hops");
            assert_eq!(most, busy, "{:?}", [0, 1, 2].map(u));
            if self.named == Some(most) && self.echoes {
                self.worst = Some(most);
            }
            self.named = Some(most);
        }
        // Congestion control may answer before the packet's ACK leaves, or behind it.
        let wanted = [worst_before, self.worst].map(|worst| self.wanted(worst));
        let got = &ack[AHEAD_BYTES..ack.len() - (ACK_BYTES - AHEAD_BYTES)];
        let found = wanted.iter().find(|(bytes, _)| bytes == got);
        let (bytes, telemetry) = found.unwrap_or_else(|| panic!("{got:x?}, not {wanted:x?}"));
        assert!([ONE_HOP_BYTES, STACK_BYTES].contains(&ack.len()));
        assert_eq!(ack[AHEAD_BYTES + bytes.len()], 0x11);
        let outcome = self.sender.new_ack(&p, self.psn, self.psn + 1, telemetry);
        assert_eq!(outcome.ignored, None);
        self.changes += usize::from(outcome.first);
        self.psn += 1;
    }

    /// What is to be echoed, on the wire and as its sender reads it.
    fn wanted(&self, worst: Option<usize>) -> (Vec<u8>, Telemetry) {
        let (count, path, hops) = match worst {
            Some(hop) => (1, self.path ^ (hop as u16 + 1) << 9, &self.hops[hop..=hop]),
            None => (HOPS, self.path, &self.hops[..]),
        };
        let mut bytes = ((count as u16) << 12 | path).to_be_bytes().to_vec();
        bytes.extend(hops.iter().flat_map(on_wire));
        let mut records = [0; 5];
        hops.iter().zip(&mut records).for_each(|(hop, record)| *record = hop.to_word());
        (bytes, Telemetry { hop_count: count as u32, path, hops: records })
    }
}

/// A hop that two packets one after the other have found the most loaded one is echoed alone from the next packet on. Two that
/// take turns change nothing. Each change is one of path: the sender only stores one record.
fn echoes(engine: EngineKind, seed: u64) {
    let mut path = Path::new(engine, CcMode::WorstHop, seed);
    (0..4).for_each(|_| path.packet(1));
    assert_eq!((path.worst, path.changes), (Some(1), 2), "the first stack, and the first hop");
    (0..6).for_each(|n| path.packet(n % 2 * 2));
    assert_eq!((path.worst, path.changes), (Some(1), 2), "turns");
    (0..3).for_each(|_| path.packet(2));
    assert_eq!((path.worst, path.changes), (Some(2), 3), "another hop");
    (0..2).for_each(|_| path.packet(0));
    path.packet(0);
    assert_eq!((path.worst, path.changes), (Some(0), 4), "and another one");
    // Another path of as many hops: its records are only stored, and the hop stays until another is named twice.
    (path.path, path.compares) = (PATH ^ 0x010, false);
    path.packet(1);
    assert_eq!((path.worst, path.changes), (Some(0), 5), "another path");
    (0..3).for_each(|_| path.packet(1));
    assert_eq!((path.worst, path.changes), (Some(1), 6));
    // A new row knows nothing of the old one's hops, once the congestion control has heard of it.
    queue_pair(&mut path.nic);
    path.nic.bus().run(150).unwrap();
    (path.psn, path.worst, path.named, path.compares) = (PSN, None, None, false);
    path.sender = Flow::new(&reference_params(&cc_config()));
    (0..4).for_each(|_| path.packet(2));
    assert_eq!((path.worst, path.changes), (Some(2), 8));
    for _ in 0..40 {
        let busy = path.rng.gen_range(0..HOPS);
        (0..path.rng.gen_range(1..4)).for_each(|_| path.packet(busy));
    }
}

#[test]
fn echo_golden_is_of_the_most_loaded_hop() {
    (1..4).for_each(|seed| echoes(EngineKind::Golden, seed));
}

#[test]
fn echo_verilog_is_of_the_most_loaded_hop() {
    echoes(EngineKind::Both, 4);
}

/// With windows of the sender all hops are echoed.
#[test]
fn echo_golden_is_of_all_hops_in_other_modes() {
    let mut path = Path::new(EngineKind::Golden, CcMode::Sender, 5);
    (0..6).for_each(|_| path.packet(1));
    assert_eq!((path.worst, path.changes), (None, 1));
}

/// The authors' form has no path ID to tell a change of hop by: its ACKs bring back what the data had.
#[test]
fn echo_golden_is_of_all_hops_in_the_authors_form() {
    let mut nic = telemetry_nic(EngineKind::Golden);
    nic.set_telemetry(2, 0x13, 0x17).unwrap();
    nic.set_cc_mode(CcMode::WorstHop).unwrap();
    queue_pair(&mut nic);
    let mut hops = [Hop::default(); HOPS];
    for psn in PSN..PSN + 6 {
        hops[1].queue_units += 10;
        for hop in &mut hops {
            (hop.ts_ns, hop.tx_units) = (hop.ts_ns + 3000, hop.tx_units + 20);
        }
        let frame = data(Form::Authors, psn, 0, &hops);
        nic.bus().deliver(frame.clone(), false);
        nic.bus().run(250).unwrap();
        let [ack] = &sent(&mut nic)[..] else { panic!("one ACK") };
        assert_eq!(ack.len(), ACK_BYTES + AUTHORS_BYTES);
        let telemetry = AHEAD_BYTES..AHEAD_BYTES + AUTHORS_BYTES;
        assert_eq!(ack[telemetry.clone()], frame[telemetry]);
    }
}
