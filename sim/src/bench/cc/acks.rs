//! Stimulus of the CC units: peers that acknowledge, with telemetry of every kind.

use crate::env::stream::{Sink, Source};
use nic_harness::bench::Stimulus;
use nic_models::golden::cc::unit::{CcUnitIn, CcUnitOut, OP_CREATE, OP_REMOVE};
use nic_models::golden::cc::CcCfg;
use nic_models::ports::Golden;
use nic_models::streams::{AckTelemetry, FlowCommand, ReadyPort, Telemetry};
use nic_spec::cc_params::{CcConfig, CcParams, CHECK_BYTES, CHECK_PSN, CHECK_TIME};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random number of up to `bits` bits; corners and every magnitude are frequent.
pub(super) fn number(rng: &mut ChaCha8Rng, bits: u32) -> u64 {
    let all = u64::MAX >> (64 - bits);
    let magnitude = all >> rng.gen_range(0..bits);
    match rng.gen_range(0..8) {
        0 => 0,
        1 => all,
        2 => magnitude,
        3 => (magnitude + 1) & all,
        _ => rng.gen::<u64>() & magnitude,
    }
}

/// Parameters: those of a plausible port, or any.
pub(super) fn parameters(rng: &mut ChaCha8Rng) -> CcCfg {
    if rng.gen_range(0..4) == 0 {
        any(rng)
    } else {
        plausible(rng)
    }
}

/// Any parameters.
fn any(rng: &mut ChaCha8Rng) -> CcCfg {
    CcCfg {
        t_ns: number(rng, 20) as u32,
        inv_t: number(rng, 32) as u32,
        queue_gain: number(rng, 32) as u32,
        util_gain: number(rng, 28) as u32,
        check: number(rng, 23) as u32,
        by_time: rng.gen(),
        target: number(rng, 32) as u32,
        u_one: number(rng, 32) as u32,
        max_stage: rng.gen(),
        w_ai: number(rng, 32) as u32,
        w_init: number(rng, 32) as u32,
        w_min: number(rng, 32) as u32,
        rate_gain: number(rng, 32) as u32,
        rate_min: number(rng, 32) as u32,
        rate_max: number(rng, 32) as u32,
    }
}

/// Parameters of a port.
fn plausible(rng: &mut ChaCha8Rng) -> CcCfg {
    let line_rate_bps = [1e9, 10e9, 25e9, 100e9, 400e9][rng.gen_range(0..5)];
    let t_ns =
        *[300, 1000, 5000, 13_000, 100_000, 1_000_000].get(rng.gen_range(0..6)).unwrap_or(&1);
    let w_init_bytes = (line_rate_bps * f64::from(t_ns) / 8e9) as u32;
    let config = CcConfig {
        t_ns,
        eta: rng.gen_range(0.5..1.5),
        max_stage: rng.gen_range(0..7),
        w_ai_bytes: f64::from(w_init_bytes) * rng.gen_range(0.0001..0.05),
        w_init_bytes,
        multi: rng.gen_range(1..=4),
        utilisation_full: rng.gen_ratio(1, 3).then(|| 1 << rng.gen_range(0..20)),
        rate_min_bps: line_rate_bps / rng.gen_range(10.0..10_000.0),
        sojourn_unit_ns: rng.gen_ratio(1, 3).then(|| rng.gen_range(0.1..20.0)),
        checks: rng.gen_ratio(3, 4),
        // Some of the queues of `next_hop` are longer.
        queue_max_bytes: if rng.gen() { 80.0 * 1900.0 } else { f64::INFINITY },
        ..CcConfig::for_line(line_rate_bps, 64, 250_000_000)
    };
    let mut cfg: CcCfg = CcParams::derive(&config).expect("the ranges are legal").into();
    if rng.gen() {
        // Windows that a low utilisation lifts beyond what there is.
        cfg.w_init = u32::MAX >> rng.gen_range(0..2);
    }
    cfg
}

/// Parameters of a run of this seed.
fn parameters_of(seed: u64, rng: &mut ChaCha8Rng) -> CcCfg {
    let mut cfg = match seed % 8 {
        // Nothing is refused, and with next to no T each u' is U, up to the largest.
        2 => CcCfg {
            t_ns: seed as u32 / 8 % 2,
            queue_gain: u32::MAX,
            util_gain: 0,
            check: 0x1_ffff << 6,
            ..any(rng)
        },
        // Each step is by a quotient, and goes up to what the numbers hold.
        3 | 7 => CcCfg { w_init: u32::MAX, max_stage: 0, ..plausible(rng) },
        _ => parameters(rng),
    };
    // Every other seed checks, whatever the parameters are otherwise.
    // And some seeds are those of a receiver.
    cfg.by_time |= seed % 3 == 2;
    cfg.check |= if seed % 2 == 1 { CHECK_PSN | CHECK_TIME | CHECK_BYTES } else { 0 };
    cfg
}

/// A record in the native layout.
pub(super) fn hop_word(code: u64, ts_ns: u64, tx_units: u64, queue_units: u64) -> u64 {
    code | (ts_ns & 0xff_ffff) << 3 | (tx_units & 0xf_ffff) << 27 | queue_units << 47
}

/// Units that the line of the hop of this record carries in a time.
fn line_units(record: u64, tau_ns: u64) -> u64 {
    match record & 7 {
        // 40 Gb/s.
        7 => tau_ns * 40 / 1024,
        code => (tau_ns * 25 / 1024) << code.min(4),
    }
}

/// The record that the same hop stamps a while later: idle, busy, or beyond all reason.
pub(super) fn next_hop(rng: &mut ChaCha8Rng, old: u64) -> u64 {
    let was_largest = old >> 47 == 0x1_ffff;
    if rng.gen_ratio(1, if was_largest { 4 } else { 64 }) {
        // The largest u' that there is; the queue counts if it was as long before.
        let (ts_ns, sent) = ((old >> 3) + 1, (old >> 27) + 0xf_ffff);
        return hop_word(old & 7, ts_ns, sent, 0x1_ffff);
    }
    let tau_ns = match rng.gen_range(0..16) {
        0 => 0,
        1 => 1,
        2 if old >> 27 & 1 == 0 => 0xff_ffff,
        // The highest bit alone.
        2 => 1 << 23,
        3 => number(rng, 24),
        _ => rng.gen_range(20..20_000),
    };
    let line_units = line_units(old, tau_ns);
    let tx_units = match rng.gen_range(0..16) {
        0 => 0,
        1 => 0xf_ffff,
        2 => number(rng, 20),
        // Somewhat more than a line can carry.
        3 | 4 => line_units * rng.gen_range(100..160) / 100,
        _ => line_units * rng.gen_range(0..110) / 100,
    };
    let queue_units = match rng.gen_range(0..8) {
        0 => number(rng, 17),
        // A long queue stays.
        1 | 2 if old >> 62 != 0 => old >> 47,
        1..=3 => 0,
        _ => rng.gen_range(0..2000),
    };
    let (ts_ns, sent) = (old >> 3 & 0xff_ffff, old >> 27 & 0xf_ffff);
    hop_word(old & 7, ts_ns + tau_ns, sent + tx_units, queue_units)
}

/// The record that an idle hop stamps a while later.
fn idle_hop(rng: &mut ChaCha8Rng, old: u64) -> u64 {
    let tau_ns = rng.gen_range(1000..20_000);
    let tx_units = line_units(old, tau_ns) * rng.gen_range(20..90) / 100;
    hop_word(old & 7, (old >> 3) + tau_ns, (old >> 27) + tx_units, 0)
}

/// The record that a hop with the longest queue stamps at once, or with the most bytes 1 ns later:
/// u' is then the largest that there is.
fn full_hop(old: u64, is_later: bool) -> u64 {
    match is_later {
        true => hop_word(old & 7, (old >> 3) + 1, (old >> 27) + 0xf_ffff, 0x1_ffff),
        false => old,
    }
}

/// What the stimulus knows of a flow.
#[derive(Clone, Copy, Default)]
struct Peer {
    tel: Telemetry,
    psn: u32,
    /// Its hops are of the lowest rate, and full.
    is_full: bool,
}

impl Peer {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let hops = if rng.gen_range(0..8) == 0 { rng.gen_range(0..8) } else { rng.gen_range(1..6) };
        let mut tel = Telemetry { valid: true, hops, path: rng.gen_range(0..4096), hop: [0; 5] };
        let is_full = rng.gen_ratio(1, 8);
        let (code, queue_units) = if is_full { (0..1, 0x1_ffff) } else { (0..8, 0) };
        tel.hop = tel
            .hop
            .map(|_| hop_word(rng.gen_range(code.clone()), rng.gen(), rng.gen(), queue_units));
        let psn =
            if rng.gen() { 0xff_ff00 | rng.gen_range(0..256) } else { rng.gen_range(0..1 << 24) };
        Self { tel, psn, is_full }
    }
}

/// Flows that come and go, ACKs of one, some or all of them with telemetry of every kind, stalls
/// on every stream.
pub struct RandomAcks {
    pub(super) rng: ChaCha8Rng,
    seed: u64,
    pub(super) cfg: CcCfg,
    peers: Vec<Peer>,
    pub(super) ack: Source<AckTelemetry>,
    pub(super) flow: Source<FlowCommand>,
    pub(super) rate: Sink,
    pub(super) created: u16,
    /// Only flows below this one are used in this phase.
    pub(super) active: u16,
    /// One ACK in this many cycles.
    pub(super) interval: u32,
    /// One flow command in this many cycles.
    pub(super) command_interval: u32,
    /// A unit with an ACK in hundreds of cycles: flow commands are rarer, and phases longer.
    is_slow: bool,
    /// Hops have no queues in this phase.
    is_idle: bool,
    /// There are phases with its flows in turn, and without ready.
    pub(super) is_dense: bool,
    /// When the unit is reset.
    pub(super) resets: Option<ChaCha8Rng>,
    /// Flow of the next ACK in such a phase.
    pub(super) turn: Option<u16>,
}

/// Cycles between two changes of what the flows do, and those for a slow unit.
const PHASE_CYCLES: [u64; 2] = [4000, 16_000];

/// Flow commands to a slow unit are so many times rarer.
const SLOW_TIMES: u32 = 16;

impl RandomAcks {
    /// The same, never reset in the middle of a run.
    pub(super) fn without_resets(self) -> Self {
        Self { resets: None, ..self }
    }

    /// Flows that there are.
    pub fn flow_count(&self) -> usize {
        self.peers.len()
    }

    /// Stimulus for `flow_count` flows.
    pub fn new(seed: u64, flow_count: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut child = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (ack, flow, rate) = (Source::new(child()), Source::new(child()), Sink::new(child()));
        let cfg = parameters_of(seed, &mut rng);
        let peers = vec![Peer::default(); flow_count];
        let (created, active, interval, command_interval) = (0, 1, 1, 1);
        let (is_dense, turn) = (false, None);
        Self {
            rng,
            seed,
            cfg,
            peers,
            ack,
            flow,
            rate,
            created,
            active,
            interval,
            command_interval,
            is_slow: false,
            is_idle: false,
            is_dense,
            resets: Some(ChaCha8Rng::seed_from_u64(!seed)),
            turn,
        }
    }

    /// Stimulus with phases in which a unit gets all that it takes, and nobody takes its results.
    pub fn dense(seed: u64, flow_count: usize) -> Self {
        Self { is_dense: true, ..Self::new(seed, flow_count) }
    }

    /// Dense stimulus of a unit that takes hundreds of cycles for an ACK: a flow lives as many ACKs.
    pub fn slow(seed: u64, flow_count: usize) -> Self {
        Self { is_slow: true, ..Self::dense(seed, flow_count) }
    }

    /// Parameters of this seed.
    pub fn cfg(&self) -> CcCfg {
        self.cfg
    }

    /// The next ACK of `flow`, for drivers with a timing of their own.
    pub fn ack_of(&mut self, flow: u16) -> AckTelemetry {
        let (rng, peer) = (&mut self.rng, &mut self.peers[usize::from(flow)]);
        if !peer.tel.valid {
            *peer = Peer::random(rng);
        }
        Self::next_ack(rng, flow, peer, self.is_idle)
    }

    fn begin_phase(&mut self) {
        let (rng, count) = (&mut self.rng, self.peers.len() as u16);
        self.active = match rng.gen_range(0..4) {
            0 => 1,
            1 => rng.gen_range(1..=count.min(12)),
            _ => count,
        };
        self.is_idle = rng.gen_ratio(1, 3);
        self.interval = [1, 1, 8, 30, 100][rng.gen_range(0..5)];
        let slowness = if self.is_slow { SLOW_TIMES } else { 1 };
        self.command_interval = [50, 400, 4000][rng.gen_range(0..3)] * slowness;
        if self.is_dense {
            self.turn = rng.gen_ratio(1, 2).then_some(0);
            self.interval = if self.turn.is_some() { 1 } else { self.interval };
        }
    }

    fn next_command(
        rng: &mut ChaCha8Rng,
        created: &mut u16,
        peers: &mut [Peer],
        is_idle: bool,
    ) -> FlowCommand {
        // First every flow is created in order.
        let is_new = usize::from(*created) < peers.len();
        let flow = if is_new { *created } else { rng.gen_range(0..peers.len()) as u16 };
        *created += u16::from(is_new);
        peers[usize::from(flow)] = Peer::random(rng);
        let op = match rng.gen_range(0..16) {
            0 | 1 if !is_new => OP_REMOVE,
            2 if !is_new => rng.gen_range(0..4),
            _ => OP_CREATE,
        };
        let telemetry = rng.gen_range(0..8) != 0;
        let largest = u32::MAX >> rng.gen_range(0..2);
        let any = number(rng, 32) as u32;
        FlowCommand {
            valid: true,
            flow,
            op,
            telemetry,
            window_bytes: if is_idle { largest } else { any },
            rate: rng.gen(),
        }
    }

    fn next_ack(rng: &mut ChaCha8Rng, flow: u16, peer: &mut Peer, is_idle: bool) -> AckTelemetry {
        let later_256 = [0, 128, 256][rng.gen_range(0..3)];
        peer.tel.hop = peer.tel.hop.map(|hop| match peer.is_full {
            _ if is_idle => idle_hop(rng, hop),
            true => full_hop(hop, rng.gen_range(0..256) < later_256),
            false => next_hop(rng, hop),
        });
        match rng.gen_range(0..64) {
            0 => peer.tel.path = rng.gen_range(0..4096),
            3 => peer.tel.path ^= 1 << rng.gen_range(0..12),
            1 => peer.tel.hops = rng.gen_range(1..6),
            2 => peer.tel.hop[rng.gen_range(0..5)] = rng.gen(),
            _ => {}
        }
        let mut tel = peer.tel;
        match rng.gen_range(0..64) {
            0 => tel.valid = false,
            1 => tel.hops = [0, 6, 7][rng.gen_range(0..3)],
            _ => {}
        }
        peer.psn = (peer.psn + rng.gen_range(0..4)) & 0xff_ffff;
        let psn = if rng.gen_range(0..32) == 0 { rng.gen_range(0..1 << 24) } else { peer.psn };
        let snd_nxt = (peer.psn + rng.gen_range(0..20)) & 0xff_ffff;
        AckTelemetry { valid: true, flow, psn, snd_nxt, tel }
    }
}

impl<G: Golden<In = CcUnitIn, Out = CcUnitOut>> Stimulus<G> for RandomAcks {
    fn next(&mut self, cycle: u64, out: &CcUnitOut) -> CcUnitIn {
        let reset = self.resets.as_mut().is_some_and(|rng| cycle > 0 && rng.gen_ratio(1, 20_000));
        if reset {
            self.cfg = parameters_of(self.seed, &mut self.rng);
            // Some flows are not created again, and their ACKs go on.
            self.created = self.rng.gen_range(0..self.peers.len() as u16);
            self.ack.reset();
            self.flow.reset();
            return CcUnitIn { reset: true, cfg: self.cfg, ..Default::default() };
        }
        if cycle.is_multiple_of(PHASE_CYCLES[usize::from(self.is_slow)]) {
            self.begin_phase();
        }
        if self.rng.gen_ratio(1, 500) {
            // The one parameter that changes with ACKs under way.
            self.cfg.w_ai = number(&mut self.rng, 32) as u32;
        }
        let Self { rng, peers, created, .. } = self;
        let is_setup = usize::from(*created) < peers.len() && cycle < 20_000;
        let command = is_setup || rng.gen_range(0..self.command_interval) == 0;
        let (active, is_idle) = (self.active, self.is_idle);
        let next = || command.then(|| Self::next_command(rng, created, peers, is_idle));
        let flow = self.flow.drive(out.s_flow.ready, next);
        let due = (!is_setup || rng.gen_range(0..20) == 0) && rng.gen_range(0..self.interval) == 0;
        let (turn, flow_count) = (&mut self.turn, peers.len() as u16);
        let ack = self.ack.drive(out.s_ack.ready, || {
            let flow = match turn {
                Some(turn) => {
                    *turn = (*turn + 1) % flow_count;
                    *turn
                }
                None => rng.gen_range(0..active),
            };
            due.then(|| Self::next_ack(rng, flow, &mut peers[usize::from(flow)], is_idle))
        });
        CcUnitIn {
            reset: false,
            cfg: self.cfg,
            s_ack: ack.unwrap_or_default(),
            s_flow: flow.unwrap_or_default(),
            // Now and then nothing is taken for longer than results find room.
            m_rate: ReadyPort {
                ready: self.rate.drive() && !(self.turn.is_some() && cycle % 1000 < 250),
            },
        }
    }
}
