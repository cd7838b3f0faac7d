//! Benches: requester.

mod peer;
mod world;

use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::transport::requester::{
    array::RequesterArray, order, Requester, RequesterIn, RequesterOut, ValidPort,
};
use nic_models::ports::{Golden, Wide};
use nic_models::streams::{self, ReadyPort};
use nic_spec::config::{has_bursts, NicConfig};
use nic_spec::rows::{Operation, QpRow, Row, WrRow};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use world::{Mood, Peer, World, PSN_MASK};

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (golden, stimulus) = (config.clone(), config.clone());
    let (array, more) = (config.clone(), config.clone());
    vec![
        Bench::new(
            "requester",
            config,
            move || Requester::new(&golden),
            move |seed| RequesterStimulus::new(&stimulus, ONE, seed),
        ),
        Bench::new(
            "requester_array",
            config,
            move || RequesterArray::new(&array),
            move |seed| RequesterStimulus::new(&more, SEVERAL, seed),
        ),
    ]
}

/// How much there is to do.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Flows that take part: few, so that queues and PSNs get far, or several.
    used_flows: [usize; 3],
    /// Work requests come so much more often.
    posts: u32,
}

/// For one requester.
pub const ONE: Load = Load { used_flows: [1, 2, 6], posts: 1 };
/// For several side by side.
pub const SEVERAL: Load = Load { used_flows: [3, 9, 24], posts: 4 };

/// Of this seed queue pairs stay as they are, so that their queues wrap.
const CALM_SEED: u64 = 8;
/// Peers change between calm and harsh after so many cycles: by turns, or so seldom that a queue
/// pair can use up its RNR retries.
const HARSH_CYCLES: [u64; 2] = [10_000, 20_000];
/// A burst of grants lasts so long.
const BURST_CYCLES: u64 = 48;

/// Queue pairs, work requests, answers and grants with random stalls.
#[derive(Debug)]
pub struct RequesterStimulus {
    world: World,
    tel_format: u8,
    tel_every: u8,
    sq_scale: u8,
    harsh_cycles: u64,
    s_ack: Source<streams::Answer>,
    s_cfg: Source<(u8, u16, Row)>,
    s_grant: Source<u16>,
    s_fail: Source<(u16, u8)>,
    sinks: Vec<Sink>,
    last_cfg: (u8, u16, Row),
    /// Payloads of READ responses that wait for an order to land or drop them: flow, bytes.
    payloads: VecDeque<(u16, u16)>,
    /// The answer that stands was counted.
    is_ack_shown: bool,
}

impl RequesterStimulus {
    /// A stimulus of `config`'s sizes.
    pub fn new(config: &NicConfig, load: Load, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (s_ack, s_cfg) = (Source::new(fork()), Source::new(fork()));
        let (s_grant, s_fail) = (Source::new(fork()), Source::new(fork()));
        let sinks = (0..6).map(|_| Sink::new(fork())).collect();
        let side_rng = ChaCha8Rng::seed_from_u64(seed ^ 0x77);
        let drawn = (rng.gen_range(0..7), [0, 1, 2, 3, 4, 7, 254, 255, 255][rng.gen_range(0..9)]);
        // The first seeds have what few packets decide: telemetry in some of them.
        let (tel_format, tel_every) = match seed {
            1 => (2, 255),
            2 => (1, 3),
            3 => (3, 2),
            4 => (6, 0),
            5 => (4, 5),
            6 => (5, 2),
            _ => drawn,
        };
        // Deeper send queues, of fewer flows, in some seeds.
        let sq_scale = [3, 0, 1, 0, 3, 0, 1, 2][seed as usize % 8];
        let open_flows = config.qp_count_at(sq_scale);
        let used_flows = load.used_flows[seed as usize % 3].min(open_flows);
        let spread = open_flows / used_flows;
        // Where there are several requesters: of all of them, or many of the same ones.
        let is_odd = load.posts > 1 && seed % 2 == 1;
        let spread = if is_odd { (spread - 1) | 1 } else { spread };
        let is_calm = seed == CALM_SEED;
        let has_short_messages = rng.gen::<bool>() | is_calm;
        let first = rng.gen_range(0..spread);
        let peer = |i: usize| Peer { flow: first + i * spread, ..Peer::default() };
        let world = World {
            peers: (0..used_flows).map(peer).collect(),
            flow_count: config.flow_count,
            answers: VecDeque::new(),
            grants: Vec::new(),
            has_bursts: load.posts > 1,
            hint: None,
            loss_256: 0,
            mood: Mood::Calm,
            is_harsh: false,
            phase_left: 0,
            has_short_messages,
            sends_several: has_bursts(config.data_bits),
            is_plain: false,
            plain_bytes: [80, 1024, 4096][seed as usize / 2 % 3],
            posts: load.posts * if has_short_messages { 200 } else { 60 },
            is_patient: seed % 6 == 2,
            is_calm,
            reads_256: [0, 128, 30, 230][seed as usize % 4],
            rng,
            side_rng,
        };
        let last_cfg = (0, 0, [0; 16]);
        let harsh_cycles = HARSH_CYCLES[seed as usize / 2 % 2];
        Self {
            world,
            tel_format,
            tel_every,
            sq_scale,
            harsh_cycles,
            s_ack,
            s_cfg,
            s_grant,
            s_fail,
            sinks,
            last_cfg,
            payloads: VecDeque::new(),
            is_ack_shown: false,
        }
    }
}

impl World {
    fn new_qp(&mut self, at: usize) -> (u8, u16, Row) {
        let rng = &mut self.rng;
        let peer = &mut self.peers[at];
        let sq_psn = match rng.gen_range(0..4) {
            0 | 1 => PSN_MASK - rng.gen_range(0..40),
            // Where an AckReq interval of 2^15 ends.
            2 => (rng.gen_range(0..4) << 15) | (0x7fff - rng.gen_range(0..20)),
            _ => rng.gen(),
        };
        let is_gone = rng.gen_ratio(1, 8);
        let is_closed = !is_gone && rng.gen_ratio(1, 6);
        let rnr_retry_limit = [7, 7, 6, 4, 3, 1, 0][rng.gen_range(0..7)];
        let exponents = if self.is_patient { [31; 10] } else { [0, 1, 1, 1, 1, 2, 3, 17, 31, 31] };
        let exponent = exponents[rng.gen_range(0..10)];
        let qp = QpRow {
            valid: rng.gen_bool(0.97),
            telemetry: rng.gen(),
            mtu_code: [0, 0, 1, 2, 3, 4][rng.gen_range(0..6)],
            timeout_exponent: if is_gone { 3 } else { exponent },
            retry_limit: [7, 7, 7, 7, 3, 2, 1, 0][rng.gen_range(0..8)],
            ack_interval_log2: [0, 1, 2, 3, 4, 5, 14, 15][rng.gen_range(0..8)],
            qpn: (rng.gen::<u32>() << 10 | peer.flow as u32) & PSN_MASK,
            // Most are of the same host.
            remote_ip: [0x0a00_0002, rng.gen()][usize::from(peer.flow % 4 == 3)],
            sq_psn: sq_psn & PSN_MASK,
            rnr_retry_limit: if is_closed { rng.gen_range(4..7) } else { rnr_retry_limit },
            read_limit: [0, 1, 2, 3, 4, 16, 31][rng.gen_range(0..7)],
            ..QpRow::default()
        };
        let flow = peer.flow;
        *peer = Peer {
            flow,
            qp,
            is_gone,
            is_closed,
            is_fresh: true,
            expected: qp.sq_psn,
            ..Peer::default()
        };
        let mut row = qp.to_row();
        // What the requester does not keep.
        (row[2], row[4], row[5], row[6]) = (rng.gen(), rng.gen(), rng.gen(), rng.gen());
        (0, flow as u16, row)
    }

    fn new_wr(&mut self, at: usize) -> (u8, u16, Row) {
        let rng = &mut self.rng;
        let mtu = 256_u32 << self.peers[at].qp.mtu_code;
        let is_read = rng.gen_range(0..256) < self.reads_256;
        let length_bytes = match rng.gen_range(0..8) {
            // Half of all PSNs at once, at the smallest MTU, or nearly, which may go behind WRITEs.
            _ if is_read && rng.gen_ratio(1, if mtu == 256 { 4 } else { 40 }) => 1 << 31,
            _ if is_read && mtu == 256 && rng.gen_ratio(1, 2) => {
                (1 << 31) - rng.gen_range(1 << 20..1 << 28)
            }
            1.. if self.has_short_messages && rng.gen_bool(0.9) => rng.gen_range(1..mtu),
            0 => 0,
            1 => mtu * rng.gen_range(1..5),
            2 => mtu * rng.gen_range(1..4) + 1,
            3 if !is_read => 1 << 31,
            4 => rng.gen_range(1..28),
            // Long enough to be in flight while the timer is restarted more than once.
            5 => mtu * rng.gen_range(20..200),
            _ => rng.gen_range(0..6 * mtu),
        };
        // A WRITE of 2 GB would never end: rarely.
        let length_bytes = match length_bytes {
            0x8000_0000 if !is_read && rng.gen_bool(0.9) => mtu,
            other => other,
        };
        let mut wr = WrRow {
            operation: match rng.gen() {
                _ if is_read => Operation::Read,
                true => Operation::Write,
                false => Operation::WriteImmediate,
            },
            signalled: rng.gen(),
            solicited: rng.gen(),
            wr_id: rng.gen(),
            local_address: rng.gen(),
            length_bytes,
            rkey: rng.gen(),
            remote_va: rng.gen(),
            immediate: rng.gen(),
            inline: rng.gen(),
            inline_0: rng.gen(),
            inline_8: rng.gen(),
            inline_16: rng.gen(),
        };
        if self.sends_several {
            let rng = &mut self.side_rng;
            if rng.gen_ratio(1, 300) {
                self.is_plain = !self.is_plain;
            }
            if self.is_plain {
                wr.operation = Operation::Write;
                wr.length_bytes = 4 * rng.gen_range(0..=mtu.min(self.plain_bytes) / 4);
                // Between large ones longer ones, which find an empty queue at times.
                if self.plain_bytes == 4096 && rng.gen_ratio(1, 12) {
                    wr.length_bytes += 4096;
                }
            }
        }
        let rng = &mut self.rng;
        let mut row = wr.to_row();
        // An operation that does not exist is a WRITE.
        row[0] |= if rng.gen_ratio(1, 100) { 3 } else { 0 };
        (2, self.peers[at].flow as u16, row)
    }

    fn new_cfg(&mut self) -> Option<(u8, u16, Row)> {
        if let Some(at) = self.peers.iter().position(|p| p.qp.qpn == 0) {
            return Some(self.new_qp(at));
        }
        let hinted = self.peers.iter().position(|p| self.hint == Some(p.flow as u16));
        let at = match hinted {
            Some(at) if self.rng.gen_bool(0.8) => at,
            _ => self.rng.gen_range(0..self.peers.len()),
        };
        let posts = self.posts;
        match self.rng.gen_range(0..4000) {
            0 if !self.is_calm => Some(self.new_qp(at)),
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

    /// A queue pair that failed is made anew, sooner or later.
    pub fn revive(&mut self, flow: u16) {
        let is_soon = self.rng.gen_bool(0.3);
        let peer = self.peers.iter_mut().find(|p| p.flow == usize::from(flow));
        if let (Some(peer), true) = (peer, is_soon) {
            peer.qp.qpn = 0;
        }
    }

    /// Flow and mark.
    fn next_fail(&mut self, sent_mark: u8) -> Option<(u16, u8)> {
        if self.rng.gen_range(0..20_000) > 0 {
            return None;
        }
        let at = self.rng.gen_range(0..self.peers.len());
        let any = self.rng.gen_range(0..self.flow_count);
        let flow = if self.rng.gen() { self.peers[at].flow } else { any } as u16;
        let mark = [0, sent_mark, self.rng.gen_range(0..16)][self.rng.gen_range(0..3)];
        Some((flow, mark))
    }

    /// Hints mostly come true, some are for nobody, and some end before anything comes.
    fn next_hint(&mut self, is_posted: bool) -> Option<u16> {
        let rng = &mut self.rng;
        self.hint = match self.hint {
            Some(_) if is_posted || rng.gen_ratio(1, 64) => None,
            None if rng.gen_ratio(1, 64) => Some(rng.gen_range(0..self.flow_count) as u16),
            None if rng.gen_ratio(1, 16) => {
                Some(self.peers[rng.gen_range(0..self.peers.len())].flow as u16)
            }
            hint => hint,
        };
        self.hint
    }

    /// Windows without room, with room for 4 KiB at times, and with room for all.
    fn next_window(&mut self, i: &mut RequesterIn) {
        let rng = &mut self.side_rng;
        i.watch_valid = rng.gen_ratio(1, 10);
        i.watch_ready = rng.gen_bool(0.7);
        i.watch_reply = rng.gen_ratio(1, 8);
        i.watch_flow = match rng.gen_bool(0.9) {
            true => self.peers[rng.gen_range(0..self.peers.len())].flow as u16,
            false => rng.gen_range(0..self.flow_count) as u16,
        };
        i.watch_window = match rng.gen_range(0..5) {
            // Nothing, 4 KiB, twice as much, and a block more.
            0 => 256 * [0, 16, 17, 32, 33][rng.gen_range(0..5)] + rng.gen_range(0..256),
            1 => rng.gen_range(4096..65_536),
            2 => rng.gen_range(60_000..4_000_000),
            // One bit alone, most often the highest.
            3 => 1 << rng.gen_range(12..50).min(31),
            _ => u32::MAX - rng.gen_range(0..300),
        };
    }

    fn next_grant(&mut self, cycle: u64) -> Option<u16> {
        // Answers to what was sent before a rewind come before it is sent again.
        if cycle & 0x3800 == 0x3800 && !cycle.is_multiple_of(256) {
            return None;
        }
        // More than wait before a requester; flows that have armed nothing do.
        if self.has_bursts && cycle & 0x1fff < BURST_CYCLES {
            let flow = (cycle >> 13) % 8 + 8 * (cycle % 16);
            return Some(flow as u16);
        }
        if self.rng.gen_range(0..4000) == 0 {
            return Some(self.rng.gen_range(0..self.flow_count) as u16);
        }
        // Times in which packets stand ready before their grants come.
        let wait = if cycle & 0x1c00 != 0x400 { 0.2 } else { 0.97 };
        if self.grants.is_empty() || self.rng.gen_bool(wait) {
            return None;
        }
        let at = self.rng.gen_range(0..self.grants.len());
        Some(self.grants.swap_remove(at))
    }
}

impl<G: Golden<In = RequesterIn, Out = RequesterOut>> Stimulus<G> for RequesterStimulus {
    fn next(&mut self, cycle: u64, out: &RequesterOut) -> RequesterIn {
        let ready: Vec<bool> = self.sinks.iter_mut().map(Sink::drive).collect();
        let port = |n: usize| ReadyPort { ready: ready[n] };
        let arms = out.m_work.frame_count > 0;
        let mut i = RequesterIn {
            cfg_tel_data: self.tel_format,
            cfg_tel_every: self.tel_every,
            cfg_sq_scale: self.sq_scale,
            m_pkt: port(0),
            m_read: port(1),
            // Arms and bytes in flight wait apart.
            m_work: port(if arms { 2 } else { 3 }),
            m_cc: port(4),
            m_order: ReadyPort {
                ready: ready[5] && (cycle & 0x1800 != 0 || cycle.is_multiple_of(64)),
            },
            ..RequesterIn::default()
        };
        let world = &mut self.world;
        // Long calm times too: only then is much in flight for longer than a timeout.
        world.is_harsh = cycle / self.harsh_cycles % 2 == 1 && !world.is_calm;
        if out.m_pkt.valid && i.m_pkt.ready {
            world.receive(&out.m_pkt);
        }
        let m_order = &out.m_order;
        let has_ended = m_order.op == order::COMPLETION && m_order.status != 0;
        if m_order.valid && i.m_order.ready && has_ended {
            world.revive(m_order.flow);
        }
        if m_order.valid && i.m_order.ready && m_order.op != order::COMPLETION {
            let payload = self.payloads.pop_front();
            assert_eq!(payload, Some((m_order.flow, m_order.bytes)), "payloads have their order");
        }
        if out.m_work.valid && i.m_work.ready && out.m_work.frame_count > 0 {
            world.grants.push(out.m_work.flow);
        }
        let ack = self.s_ack.drive(out.s_ack.ready, || world.next_ack());
        i.s_ack = ack.unwrap_or_default();
        // An order may leave before the answer's ready: an answer counts when it comes.
        let is_new = i.s_ack.valid && !self.is_ack_shown;
        self.is_ack_shown = i.s_ack.valid && !out.s_ack.ready;
        if is_new && i.s_ack.payload_bytes > 0 {
            let flow = i.s_ack.qpn as usize % world.flow_count;
            self.payloads.push_back((flow as u16, i.s_ack.payload_bytes));
        }
        let cfg = self.s_cfg.drive(out.s_cfg.ready, || world.new_cfg());
        i.s_cfg = ValidPort { valid: cfg.is_some() };
        let hint = world.next_hint(out.s_cfg.ready);
        i.hint = streams::FlowPulse { valid: hint.is_some(), flow: hint.unwrap_or(0) };
        self.last_cfg = cfg.unwrap_or(self.last_cfg);
        let row = &self.last_cfg.2;
        (i.cfg_table, i.cfg_index) = (self.last_cfg.0, self.last_cfg.1);
        i.cfg_row =
            Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32));
        let grant = self.s_grant.drive(out.s_grant.ready, || world.next_grant(cycle));
        (i.s_grant.valid, i.s_grant.flow) = (grant.is_some(), grant.unwrap_or(0));
        world.next_window(&mut i);
        let fail = self.s_fail.drive(out.s_fail.ready, || world.next_fail(out.m_pkt.mark));
        (i.s_fail.valid, i.s_fail.flow) = (fail.is_some(), fail.map_or(0, |f| f.0));
        i.s_fail.mark = fail.map_or(0, |f| f.1);
        i
    }
}
