//! Twin of `cc/cc_unit`: HPCC++ NewAck for every flow.
//!
//! Every [`SLOT_CYCLES`] one ACK or flow command may start; its result leaves [`FLIGHT_CYCLES`]
//! later. A start waits while its flow is under way or the results might find no room.

use super::cc_ewma::ewma;
use super::cc_hop::{hop_check, hop_utilisation, BAD_BYTES, BAD_QUEUE, BAD_TIME};
use super::cc_wind::compute_wind;
use super::CcCfg;
use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::Golden;
use nic_spec::cc_params::{CcParams, CHECK_PSN, W_FRACTION_BITS};
use nic_spec::NicConfig;

/// Cycles between two starts.
pub const SLOT_CYCLES: usize = 8;
/// Slots from the start of a flow's ACK to the next start of that flow.
pub const FLIGHT_SLOTS: usize = 8;
/// Cycles from the start to the cycle in which the result enters the output FIFO.
pub const FLIGHT_CYCLES: usize = 63;
/// Slot in which the telemetry is judged.
const JUDGED_SLOT: usize = 4;
/// Results that the output FIFO holds.
pub const RESULT_DEPTH: usize = 16;

/// `op` of `m_rate`: window and rate of an ACK.
pub const OP_UPDATE: u8 = 0;
/// `op` of `s_flow` and `m_rate`.
pub const OP_CREATE: u8 = 1;
/// `op` of `s_flow` and `m_rate`.
pub const OP_REMOVE: u8 = 2;

ports! {
    /// Telemetry of a packet.
    pub struct Tel {
        /// The packet carried telemetry.
        pub valid: bool,
        /// Records; 6: more than five, not usable.
        pub hops: u8,
        /// Path identifier, 12 bits.
        pub path: u16,
        /// Records in the native layout.
        pub hop: [u64; 5],
    }
}
ports! {
    /// An ACK.
    pub struct CcAck {
        pub valid: bool,
        pub flow: u16,
        /// PSN it acknowledges.
        pub psn: u32,
        /// Next PSN the flow will send.
        pub snd_nxt: u32,
        pub tel: Tel,
    }
}
ports! {
    /// A flow comes or goes.
    pub struct CcFlow {
        pub valid: bool,
        pub flow: u16,
        /// 1 create, else remove.
        pub op: u8,
        /// The flow's ACKs carry telemetry; else window and rate stay as given here.
        pub telemetry: bool,
        pub window_bytes: u32,
        /// UQ8.24 bytes a cycle; used without telemetry.
        pub rate: u32,
    }
}
ports! {
    /// Ready of a stream.
    pub struct CcReady {
        pub ready: bool,
    }
}
ports! {
    /// Inputs.
    pub struct CcUnitIn {
        pub reset: bool,
        pub cfg: CcCfg,
        pub s_ack: CcAck,
        pub s_flow: CcFlow,
        pub m_rate: CcReady,
    }
}
ports! {
    /// Window and rate of a flow, and the state behind them.
    pub struct CcRate {
        pub valid: bool,
        pub flow: u16,
        pub op: u8,
        pub window_bytes: u32,
        /// UQ8.24 bytes a cycle.
        pub rate: u32,
        /// UQ21.36.
        pub u: u64,
        /// UQ32.16 bytes.
        pub wc_bytes: u64,
        pub inc_stage: u8,
        pub last_update_psn: u32,
        /// Wc, incStage and lastUpdateSeq were updated.
        pub full: bool,
        /// The records were only stored.
        pub first: bool,
    }
}
ports! {
    /// Telemetry that was ignored, by reason.
    pub struct CcEvents {
        pub psn: bool,
        pub time: bool,
        pub bytes: bool,
        pub queue: bool,
    }
}
ports! {
    /// Outputs.
    pub struct CcUnitOut {
        pub s_ack: CcReady,
        pub s_flow: CcReady,
        pub m_rate: CcRate,
        pub event_cc: CcEvents,
    }
}

/// Why telemetry is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Its ACK is of a PSN that was never sent.
    Psn,
    /// The time of a hop has gone back.
    Time,
    /// A hop has sent more than its link carries.
    Bytes,
    /// The queue of a hop is too long.
    Queue,
}

/// State of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowState {
    /// The flow exists.
    pub created: bool,
    /// Its ACKs carry telemetry.
    pub telemetry: bool,
    /// Records of the last usable ACK, if there was one.
    pub records: Option<Tel>,
    /// An ACK behind this PSN makes the next full update.
    pub last_update_psn: u32,
    /// Additive steps since the last multiplicative one.
    pub inc_stage: u8,
    /// W, UQ32.16.
    pub w: u64,
    /// Wc, UQ32.16.
    pub wc: u64,
    /// U, UQ21.36.
    pub u: u64,
}

impl FlowState {
    /// Carries out a flow command; what it tells the scheduler.
    pub fn command(&mut self, cfg: &CcCfg, c: &CcFlow) -> CcRate {
        let window = u64::from(c.window_bytes) << W_FRACTION_BITS;
        let wind = compute_wind(cfg, true, 0, window, 0);
        let created = c.op == OP_CREATE;
        *self = Self {
            created,
            telemetry: c.telemetry,
            w: wind.w,
            wc: wind.w,
            u: cfg.u_one.into(),
            ..Self::default()
        };
        let adaptive = created && c.telemetry;
        CcRate {
            op: c.op,
            window_bytes: if adaptive { self.window_bytes() } else { c.window_bytes },
            rate: if adaptive { wind.rate } else { c.rate },
            ..self.rate(c.flow, wind.rate)
        }
    }

    /// Why the telemetry of `ack` is ignored, if it is. What was never sent is ignored as a whole; of the
    /// others the records are stored, so that the next ones are compared with them.
    pub fn ignores(&self, cfg: &CcCfg, ack: &CcAck) -> Option<Ignored> {
        if !self.created || !self.telemetry || !ack.tel.valid {
            return None;
        }
        let behind = ack.snd_nxt.wrapping_sub(ack.psn) & 0xff_ffff;
        if cfg.check & CHECK_PSN != 0 && !(1..1 << 23).contains(&behind) {
            return Some(Ignored::Psn);
        }
        let usable = (1..=5).contains(&ack.tel.hops);
        let key = |tel: &Tel| (tel.hops, tel.path);
        let old = self.records.filter(|old| usable && key(old) == key(&ack.tel))?;
        let hops = old.hop.iter().zip(&ack.tel.hop).take(ack.tel.hops.into());
        let bad = hops.map(|(old, new)| hop_check(cfg.check, cfg.util_gain, *old, *new));
        let bad = bad.fold(0, |all, bad| all | bad);
        let reasons =
            [(BAD_TIME, Ignored::Time), (BAD_BYTES, Ignored::Bytes), (BAD_QUEUE, Ignored::Queue)];
        reasons.iter().find(|(bit, _)| bad & bit != 0).map(|(_, reason)| *reason)
    }

    /// The draft's NewAck; `None` if the flow doesn't adapt, or the ACK has no telemetry or such that
    /// is ignored.
    pub fn new_ack(&mut self, cfg: &CcCfg, ack: &CcAck) -> Option<CcRate> {
        if !self.created || !self.telemetry || !ack.tel.valid {
            return None;
        }
        match self.ignores(cfg, ack) {
            None => {}
            Some(Ignored::Psn) => return None,
            Some(_) => {
                self.records = Some(ack.tel);
                return None;
            }
        }
        let usable = (1..=5).contains(&ack.tel.hops);
        let before = self.records;
        let ahead = ack.psn.wrapping_sub(self.last_update_psn) & 0xff_ffff;
        let is_due = before.is_some() && ahead != 0 && ahead < 1 << 23;
        let key = |tel: Tel| (tel.hops, tel.path);
        let first = usable && before.map(key) != Some(key(ack.tel));
        let full = is_due || first;
        let update = usable && !first;
        let rate = match (update, before) {
            (true, Some(old)) => self.update(cfg, &old, &ack.tel, full),
            _ => {
                let wind = compute_wind(cfg, true, self.u, self.w, self.inc_stage);
                self.w = wind.w;
                wind.rate
            }
        };
        if full {
            self.last_update_psn = ack.snd_nxt;
        }
        if usable {
            self.records = Some(ack.tel);
        }
        Some(CcRate { full, first, ..self.rate(ack.flow, rate) })
    }

    fn update(&mut self, cfg: &CcCfg, old: &Tel, new: &Tel, full: bool) -> u32 {
        let mut worst: Option<(u64, u32)> = None;
        for i in 0..usize::from(new.hops) {
            let (old, new) = (old.hop[i], new.hop[i]);
            let hop = hop_utilisation(cfg.queue_gain, cfg.util_gain, old, new);
            let is_worse = hop.is_some_and(|(u, _)| worst.is_none_or(|(most, _)| u > most));
            worst = if is_worse { hop } else { worst };
        }
        if let Some((u_hop, tau_ns)) = worst {
            self.u = ewma(cfg.t_ns, cfg.inv_t, self.u, u_hop, tau_ns);
        }
        let wind = compute_wind(cfg, false, self.u, self.wc, self.inc_stage);
        self.w = wind.w;
        if full {
            self.wc = wind.w;
            self.inc_stage = wind.m_inc_stage;
        }
        wind.rate
    }

    fn window_bytes(&self) -> u32 {
        (self.w >> W_FRACTION_BITS) as u32
    }

    fn rate(&self, flow: u16, rate: u32) -> CcRate {
        CcRate {
            valid: true,
            flow,
            op: OP_UPDATE,
            window_bytes: self.window_bytes(),
            rate,
            u: self.u,
            wc_bytes: self.wc,
            inc_stage: self.inc_stage,
            last_update_psn: self.last_update_psn,
            full: false,
            first: false,
        }
    }
}

/// What waits for its start.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Ack(u16),
    Flow(u16),
}

/// What has started and is under way.
#[derive(Clone, Copy, Debug)]
struct Start {
    flow: u16,
    /// `None`: its telemetry is ignored.
    result: Option<CcRate>,
    ignored: Option<Ignored>,
}

/// The unit.
#[derive(Clone, Debug)]
pub struct CcUnit {
    flows: Vec<FlowState>,
    scrub_left: usize,
    phase: usize,
    ack_ready: bool,
    flow_ready: bool,
    ack: Option<CcAck>,
    flow: Option<CcFlow>,
    candidate: Option<Candidate>,
    go: bool,
    /// By the slot in which they started, youngest first.
    slots: [Option<Start>; FLIGHT_SLOTS],
    /// An ACK of a PSN that was never sent has started in the youngest slot.
    never_sent: bool,
    events: CcEvents,
    results: LutFifo<CcRate>,
}

impl CcUnit {
    /// The unit of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![FlowState::default(); config.flow_count],
            scrub_left: config.flow_count,
            phase: 0,
            ack_ready: false,
            flow_ready: false,
            ack: None,
            flow: None,
            candidate: None,
            go: false,
            slots: [None; FLIGHT_SLOTS],
            never_sent: false,
            events: CcEvents::default(),
            results: LutFifo::new(RESULT_DEPTH),
        }
    }

    /// State of `flow`, that of an ACK under way included.
    pub fn flow_state(&self, flow: u16) -> &FlowState {
        &self.flows[usize::from(flow)]
    }

    /// Parameters as the unit's inputs.
    pub fn cfg(params: CcParams) -> CcCfg {
        params.into()
    }

    fn reset(&mut self) {
        self.flows.fill(FlowState::default());
        self.scrub_left = self.flows.len();
        (self.phase, self.go) = (0, false);
        (self.ack_ready, self.flow_ready) = (false, false);
        (self.ack, self.flow, self.candidate) = (None, None, None);
        self.slots = [None; FLIGHT_SLOTS];
        (self.never_sent, self.events) = (false, CcEvents::default());
        self.results.step(true, None, false);
    }

    /// What the phase of the slot brings.
    fn advance(&mut self, cfg: &CcCfg) {
        self.events = CcEvents::default();
        match self.phase {
            2 => {
                self.events.psn = std::mem::take(&mut self.never_sent);
                let judged = self.slots[JUDGED_SLOT].and_then(|s| s.ignored);
                self.events.time = judged == Some(Ignored::Time);
                self.events.bytes = judged == Some(Ignored::Bytes);
                self.events.queue = judged == Some(Ignored::Queue);
            }
            5 => {
                let flow = self.flow.map(|c| Candidate::Flow(c.flow));
                self.candidate = flow.or(self.ack.map(|a| Candidate::Ack(a.flow)));
            }
            6 => {
                self.go = self.candidate.is_some_and(|candidate| {
                    let (Candidate::Ack(flow) | Candidate::Flow(flow)) = candidate;
                    let young = &self.slots[..FLIGHT_SLOTS - 1];
                    let is_under_way = young.iter().flatten().any(|r| r.flow == flow);
                    !is_under_way && self.results.count() < RESULT_DEPTH - FLIGHT_SLOTS
                });
            }
            7 => {
                self.slots.rotate_right(1);
                self.slots[0] = if self.go { self.start(cfg) } else { None };
            }
            _ => {}
        }
        self.phase = (self.phase + 1) % SLOT_CYCLES;
    }

    fn start(&mut self, cfg: &CcCfg) -> Option<Start> {
        match self.candidate? {
            Candidate::Ack(flow) => {
                self.ack_ready = true;
                let ack = self.ack.take()?;
                let state = &mut self.flows[usize::from(flow)];
                let ignored = state.ignores(cfg, &ack);
                self.never_sent = ignored == Some(Ignored::Psn);
                let result = state.new_ack(cfg, &ack);
                let goes_on = result.is_some() || ignored.is_some() && !self.never_sent;
                goes_on.then_some(Start { flow, result, ignored })
            }
            Candidate::Flow(flow) => {
                self.flow_ready = true;
                let command = self.flow.take()?;
                let result = Some(self.flows[usize::from(flow)].command(cfg, &command));
                Some(Start { flow, result, ignored: None })
            }
        }
    }
}

impl Golden for CcUnit {
    type In = CcUnitIn;
    type Out = CcUnitOut;

    fn step(&mut self, i: &CcUnitIn) -> CcUnitOut {
        if i.reset {
            self.reset();
        } else {
            let taken_ack = (i.s_ack.valid && self.ack_ready).then_some(i.s_ack);
            let taken_flow = (i.s_flow.valid && self.flow_ready).then_some(i.s_flow);
            let oldest = self.slots[FLIGHT_SLOTS - 1].filter(|_| self.phase == 7);
            let result = oldest.and_then(|start| start.result);
            let count_before = self.results.count();
            debug_assert!(result.is_none() || count_before < RESULT_DEPTH);
            self.advance(&i.cfg);
            self.results.step(false, result, i.m_rate.ready);
            if let Some(ack) = taken_ack {
                (self.ack, self.ack_ready) = (Some(ack), false);
            }
            if let Some(flow) = taken_flow {
                (self.flow, self.flow_ready) = (Some(flow), false);
            }
            if self.scrub_left > 0 {
                self.scrub_left -= 1;
                if self.scrub_left == 0 {
                    (self.ack_ready, self.flow_ready) = (true, true);
                }
            }
        }
        CcUnitOut {
            s_ack: CcReady { ready: self.ack_ready },
            s_flow: CcReady { ready: self.flow_ready },
            m_rate: CcRate { valid: self.results.m_valid(), ..self.results.m_data() },
            event_cc: self.events,
        }
    }
}
