//! Benches: requester.

use super::{Bench, Stimulus};
use crate::env::stream::{Sink, Source};
use crate::golden::transport::requester::{
    AckPorts, PktPorts, ReadyPort, Requester, RequesterIn, RequesterOut, TelPorts, ValidPort,
};
use crate::ports::Wide;
use nic_spec::config::NicConfig;
use nic_spec::rows::{Operation, QpRow, Row, WrRow};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (golden, stimulus) = (config.clone(), config.clone());
    vec![Bench::new(
        "requester",
        config,
        move || Requester::new(&golden),
        move |seed| RequesterStimulus::new(&stimulus, seed),
    )]
}

const PSN_MASK: u32 = 0xff_ffff;
/// Flows that take part: few, so that queues and PSNs get far, or several.
const USED_FLOWS: [usize; 3] = [1, 2, 6];

/// Peers change between calm and harsh after so many cycles.
const HARSH_CYCLES: u64 = 10_000;

/// How the peers behave for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    /// Mostly in order.
    Calm,
    /// Answers take long, so that there is always something in flight.
    Far,
    /// Often not ready, and now and then it takes the packet all the same.
    NotReady,
    /// Asks again for what it has, packet by packet.
    Stubborn,
    /// Refuses for good.
    Refusing,
    /// Most answers are lost.
    Unheard,
}

/// A queue pair and its peer, which loses, refuses and forgets packets.
#[derive(Clone, Debug, Default)]
struct Peer {
    flow: usize,
    qp: QpRow,
    /// PSN that the peer expects.
    expected: u32,
    msn: u32,
    /// The gap has been answered.
    has_nacked: bool,
    /// Work requests the flow may have.
    posted: usize,
}

/// Queue pairs, a peer each, and a scheduler that grants what was armed.
#[derive(Debug)]
struct World {
    rng: ChaCha8Rng,
    peers: Vec<Peer>,
    flow_count: usize,
    acks: VecDeque<AckPorts>,
    grants: Vec<u16>,
    /// Losses of this phase, in 256ths.
    loss_256: u32,
    mood: Mood,
    /// Peers have other moods than calm.
    is_harsh: bool,
    phase_left: u32,
    /// Most messages are one packet.
    has_short_messages: bool,
}

/// Queue pairs, work requests, answers and grants with random stalls.
#[derive(Debug)]
pub struct RequesterStimulus {
    world: World,
    tel_format: u8,
    s_ack: Source<AckPorts>,
    s_cfg: Source<(u8, u16, Row)>,
    s_grant: Source<u16>,
    s_fail: Source<u16>,
    sinks: Vec<Sink>,
    last_cfg: (u8, u16, Row),
}

impl RequesterStimulus {
    /// A stimulus of `config`'s sizes.
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (s_ack, s_cfg) = (Source::new(fork()), Source::new(fork()));
        let (s_grant, s_fail) = (Source::new(fork()), Source::new(fork()));
        let sinks = (0..6).map(|_| Sink::new(fork())).collect();
        let tel_format = rng.gen_range(0..3);
        let used_flows = USED_FLOWS[seed as usize % 3].min(config.flow_count);
        let spread = config.flow_count / used_flows;
        let has_short_messages = rng.gen();
        let first = rng.gen_range(0..spread);
        let peer = |i: usize| Peer { flow: first + i * spread, ..Peer::default() };
        let world = World {
            peers: (0..used_flows).map(peer).collect(),
            flow_count: config.flow_count,
            acks: VecDeque::new(),
            grants: Vec::new(),
            loss_256: 0,
            mood: Mood::Calm,
            is_harsh: false,
            phase_left: 0,
            has_short_messages,
            rng,
        };
        let last_cfg = (0, 0, [0; 16]);
        Self { world, tel_format, s_ack, s_cfg, s_grant, s_fail, sinks, last_cfg }
    }
}

impl World {
    fn new_qp(&mut self, at: usize) -> (u8, u16, Row) {
        let rng = &mut self.rng;
        let peer = &mut self.peers[at];
        let sq_psn = match rng.gen_range(0..4) {
            0 | 1 => PSN_MASK - rng.gen_range(0..40),
            // Where an AckReq interval of 2^15 ends.
            2 => rng.gen_range(0..4) << 15 | 0x7fff - rng.gen_range(0..20),
            _ => rng.gen(),
        };
        let qp = QpRow {
            valid: rng.gen_bool(0.97),
            telemetry: rng.gen(),
            mtu_code: rng.gen_range(0..5),
            timeout_exponent: [0, 1, 1, 1, 1, 1, 2, 3, 17, 31][rng.gen_range(0..10)],
            retry_limit: [7, 7, 7, 7, 3, 2, 1, 0][rng.gen_range(0..8)],
            ack_interval_log2: [0, 1, 2, 3, 4, 5, 14, 15][rng.gen_range(0..8)],
            qpn: (rng.gen::<u32>() << 10 | peer.flow as u32) & PSN_MASK,
            remote_ip: rng.gen(),
            sq_psn: sq_psn & PSN_MASK,
            ..QpRow::default()
        };
        let flow = peer.flow;
        *peer = Peer { flow, qp, expected: qp.sq_psn, ..Peer::default() };
        let mut row = qp.to_row();
        // What the requester does not keep.
        (row[2], row[4], row[5], row[6]) = (rng.gen(), rng.gen(), rng.gen(), rng.gen());
        (0, flow as u16, row)
    }

    fn new_wr(&mut self, at: usize) -> (u8, u16, Row) {
        let rng = &mut self.rng;
        let mtu = 256_u32 << self.peers[at].qp.mtu_code;
        let length_bytes = match rng.gen_range(0..8) {
            1.. if self.has_short_messages && rng.gen_bool(0.9) => rng.gen_range(1..mtu),
            0 => 0,
            1 => mtu * rng.gen_range(1..5),
            2 => mtu * rng.gen_range(1..4) + 1,
            3 => 1 << 31,
            4 => rng.gen_range(1..5),
            // Long enough to be in flight while the timer is restarted more than once.
            5 => mtu * rng.gen_range(20..200),
            _ => rng.gen_range(0..6 * mtu),
        };
        // A message of 2 GB would never end: rarely.
        let length_bytes =
            if length_bytes == 1 << 31 && rng.gen_bool(0.9) { mtu } else { length_bytes };
        let wr = WrRow {
            operation: if rng.gen() { Operation::Write } else { Operation::WriteImmediate },
            signalled: rng.gen(),
            solicited: rng.gen(),
            wr_id: rng.gen(),
            local_address: rng.gen(),
            length_bytes,
            rkey: rng.gen(),
            remote_va: rng.gen(),
            immediate: rng.gen(),
        };
        self.peers[at].posted += 1;
        (2, self.peers[at].flow as u16, wr.to_row())
    }

    fn new_cfg(&mut self) -> Option<(u8, u16, Row)> {
        if let Some(at) = self.peers.iter().position(|p| p.qp.qpn == 0) {
            return Some(self.new_qp(at));
        }
        let at = self.rng.gen_range(0..self.peers.len());
        let posts = if self.has_short_messages { 200 } else { 60 };
        match self.rng.gen_range(0..4000) {
            0 => Some(self.new_qp(at)),
            1 => Some((self.rng.gen_range(1..4) | 1, self.rng.gen(), self.rng.gen())),
            2 => {
                let flow = self.rng.gen_range(0..self.flow_count) as u16;
                let is_ours = self.peers.iter().any(|p| p.flow == usize::from(flow));
                (!is_ours).then(|| (2, flow, WrRow::default().to_row()))
            }
            n if (3..=posts).contains(&n) => Some(self.new_wr(at)),
            _ => None,
        }
    }

    fn tel(&mut self) -> TelPorts {
        let rng = &mut self.rng;
        TelPorts {
            valid: rng.gen(),
            hops: rng.gen_range(0..7),
            path: rng.gen_range(0..1 << 12),
            hop: rng.gen(),
        }
    }

    fn answer(&mut self, at: usize, psn: u32, syndrome: u8) {
        let tel = self.tel();
        let peer = &self.peers[at];
        let (qpn, src_ip, msn) = (peer.qp.qpn, peer.qp.remote_ip, peer.msn);
        let psn = psn & PSN_MASK;
        let (opcode, payload_bytes) = (0x11, 0);
        self.acks.push_back(AckPorts {
            valid: true,
            qpn,
            psn,
            syndrome,
            msn,
            src_ip,
            opcode,
            payload_bytes,
            tel,
        });
    }

    /// A queue pair that failed is made anew, sooner or later.
    fn revive(&mut self, flow: u16) {
        let is_soon = self.rng.gen_bool(0.3);
        let peer = self.peers.iter_mut().find(|p| p.flow == usize::from(flow));
        if let (Some(peer), true) = (peer, is_soon) {
            peer.qp.qpn = 0;
        }
    }

    /// What the peer does with a packet.
    fn receive(&mut self, pkt: &PktPorts) {
        if self.phase_left == 0 {
            self.phase_left = self.rng.gen_range(1..60);
            self.loss_256 = [0, 0, 0, 0, 0, 0, 2, 8, 40, 256][self.rng.gen_range(0..10)];
            self.mood = match self.rng.gen_range(0..12) {
                0..=5 if !self.is_harsh => Mood::Far,
                _ if !self.is_harsh => Mood::Calm,
                0 | 1 => Mood::NotReady,
                2 | 3 => Mood::Stubborn,
                4 => Mood::Refusing,
                5 | 6 => Mood::Unheard,
                _ => Mood::Calm,
            };
            if self.mood == Mood::Far {
                self.phase_left = 150;
            }
        }
        self.phase_left -= 1;
        let Some(at) = self.peers.iter().position(|p| p.flow == usize::from(pkt.flow)) else {
            return;
        };
        if self.rng.gen_range(0..256) < self.loss_256 {
            return;
        }
        let peer = &mut self.peers[at];
        let gap = pkt.psn.wrapping_sub(peer.expected) & PSN_MASK;
        let (expected, before) = (peer.expected, peer.expected.wrapping_sub(1));
        if gap == 0 {
            let fate = self.rng.gen_range(0..1200);
            if fate < 3 || (self.mood == Mood::NotReady && fate < 300) {
                let code = 0x20 + [1, 1, 2, 3, 5][self.rng.gen_range(0..5)];
                self.answer(at, expected, code);
                if fate % 8 > 0 {
                    return;
                }
            } else if fate == 3 || (self.mood == Mood::Refusing && fate < 200) {
                let code = [0x61, 0x62, 0x62, 0x63, 0x63, 0x64, 0x7f][self.rng.gen_range(0..7)];
                return self.answer(at, expected, code);
            } else if self.mood == Mood::Stubborn && fate < 1160 {
                return self.answer(at, expected, 0x60);
            }
            let peer = &mut self.peers[at];
            peer.expected = (expected + 1) & PSN_MASK;
            peer.has_nacked = false;
            if matches!(pkt.opcode, 8..=11) {
                peer.msn = (peer.msn + 1) & PSN_MASK;
            }
            if pkt.ack_req || self.rng.gen_bool(0.1) {
                let syndrome = [0x1f, 0x00, 0x0a][self.rng.gen_range(0..3)];
                self.answer(at, expected, syndrome);
            }
        } else if gap < 1 << 23 {
            if !peer.has_nacked || self.mood == Mood::Stubborn {
                peer.has_nacked = true;
                self.answer(at, expected, 0x60);
            }
        } else {
            self.answer(at, before, 0x1f);
        }
    }

    fn next_ack(&mut self) -> Option<AckPorts> {
        let noise = self.rng.gen_range(0..3000);
        if noise < 3 {
            let at = self.rng.gen_range(0..self.peers.len());
            let psn =
                self.peers[at].expected.wrapping_add(self.rng.gen_range(0..40)).wrapping_sub(20);
            let syndrome = [0x1f, 0x60, 0x3f, 0x40, 0x80, 0xe0][self.rng.gen_range(0..6)];
            self.answer(at, psn, syndrome);
            let last = self.acks.back_mut().expect("just pushed");
            match noise {
                0 => last.qpn ^= 1 << self.rng.gen_range(6..24),
                1 => last.src_ip ^= 1 << self.rng.gen_range(0..32),
                _ => {}
            }
        }
        // A slow network at times, so that PSNs pile up.
        let is_late = self.mood == Mood::Far && self.acks.len() < 5 && self.rng.gen_bool(0.995);
        if self.acks.is_empty() || is_late || self.rng.gen_bool(0.7) {
            return None;
        }
        let ack = self.acks.pop_front()?;
        if self.mood == Mood::Unheard && self.rng.gen_bool(0.8) {
            return None;
        }
        match self.rng.gen_range(0..40) {
            0 => None,
            1 => {
                self.acks.push_back(ack);
                Some(ack)
            }
            _ => Some(ack),
        }
    }

    fn next_fail(&mut self) -> Option<u16> {
        if self.rng.gen_range(0..20_000) > 0 {
            return None;
        }
        let at = self.rng.gen_range(0..self.peers.len());
        let any = self.rng.gen_range(0..self.flow_count);
        Some(if self.rng.gen() { self.peers[at].flow } else { any } as u16)
    }

    fn next_grant(&mut self) -> Option<u16> {
        if self.rng.gen_range(0..4000) == 0 {
            return Some(self.rng.gen_range(0..self.flow_count) as u16);
        }
        if self.grants.is_empty() || self.rng.gen_bool(0.2) {
            return None;
        }
        let at = self.rng.gen_range(0..self.grants.len());
        Some(self.grants.swap_remove(at))
    }
}

impl Stimulus<Requester> for RequesterStimulus {
    fn next(&mut self, cycle: u64, out: &RequesterOut) -> RequesterIn {
        let ready: Vec<bool> = self.sinks.iter_mut().map(Sink::drive).collect();
        let port = |n: usize| ReadyPort { ready: ready[n] };
        let mut i = RequesterIn {
            cfg_tel_format: self.tel_format,
            m_pkt: port(0),
            m_read: port(1),
            m_work: port(2),
            m_inflight: port(3),
            m_cc: port(4),
            m_order: ReadyPort { ready: ready[5] && (cycle & 0x1800 != 0 || cycle % 64 == 0) },
            ..RequesterIn::default()
        };
        let world = &mut self.world;
        // Long calm times too: only then is much in flight for longer than a timeout.
        world.is_harsh = cycle / HARSH_CYCLES % 2 == 1;
        if out.m_pkt.valid && i.m_pkt.ready {
            world.receive(&out.m_pkt);
        }
        if out.m_order.valid && i.m_order.ready && out.m_order.status != 0 {
            world.revive(out.m_order.flow);
        }
        if out.m_work.valid && i.m_work.ready {
            world.grants.push(out.m_work.flow);
        }
        let ack = self.s_ack.drive(out.s_ack.ready, || world.next_ack());
        i.s_ack = ack.unwrap_or_default();
        let cfg = self.s_cfg.drive(out.s_cfg.ready, || world.new_cfg());
        i.s_cfg = ValidPort { valid: cfg.is_some() };
        self.last_cfg = cfg.unwrap_or(self.last_cfg);
        let row = &self.last_cfg.2;
        (i.cfg_table, i.cfg_index) = (self.last_cfg.0, self.last_cfg.1);
        i.cfg_row =
            Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32));
        let grant = self.s_grant.drive(out.s_grant.ready, || world.next_grant());
        (i.s_grant.valid, i.s_grant.flow) = (grant.is_some(), grant.unwrap_or(0));
        let fail = self.s_fail.drive(out.s_fail.ready, || world.next_fail());
        (i.s_fail.valid, i.s_fail.flow) = (fail.is_some(), fail.unwrap_or(0));
        i
    }
}
