//! Benches: congestion control.

pub mod acks;

use super::axil::Software;
use crate::board::cc::registers;
use acks::{hop_word, next_hop, number, parameters, RandomAcks};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::cc::active::{CcActive, CcActiveIn, CcActiveOut, WatchPorts};
use nic_models::golden::cc::cc_core::{CcCore, CcCoreIn, CcCoreOut};
use nic_models::golden::cc::ewma::{CcEwma, CcEwmaIn, CcEwmaOut};
use nic_models::golden::cc::hop::{CcHop, CcHopIn, CcHopOut};
use nic_models::golden::cc::serial::unit::CcUnitSerial;
use nic_models::golden::cc::share::Share;
use nic_models::golden::cc::unit::{CcUnit, CcUnitOut};
use nic_models::golden::cc::wide::unit::CcUnitWide;
use nic_models::golden::cc::wind::{CcWind, CcWindIn, CcWindOut};
use nic_models::golden::cc::CcCfg;
use nic_models::ports::Golden;
use nic_models::streams::{AxisEvent, Decision, ReadyPort, TreadyPort};
use nic_spec::config::{CcSchedule, NicConfig};
use nic_spec::regs::{self, config_offset};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (c, flow_count) = (config, config.flow_count);
    let (unit_sizes, core_sizes) = (config.clone(), config.clone());
    let active_sizes = config.clone();
    let parts = vec![
        Bench::new("cc_hop", c, CcHop::default, Numbers::new),
        Bench::new("cc_ewma", c, CcEwma::default, Numbers::new),
        Bench::new("cc_wind", c, CcWind::default, Numbers::new),
        Bench::new(
            "cc_active",
            c,
            move || CcActive::new(&active_sizes),
            move |seed| Updates::new(seed, flow_count),
        ),
    ];
    let whole = match config.cc_schedule() {
        CcSchedule::BitPerCycle => [
            Bench::new(
                "cc_unit_serial",
                c,
                move || CcUnitSerial::new(&unit_sizes),
                move |seed| RandomAcks::slow(seed, flow_count),
            ),
            Bench::new(
                "cc_core",
                c,
                move || CcCore::serial(&core_sizes),
                move |seed| CoreEvents::new(seed, RandomAcks::slow(seed, flow_count)),
            ),
        ],
        CcSchedule::HopPerCycle => [
            Bench::new(
                "cc_unit",
                c,
                move || CcUnit::new(&unit_sizes),
                move |seed| RandomAcks::new(seed, flow_count),
            ),
            Bench::new(
                "cc_core",
                c,
                move || CcCore::new(&core_sizes),
                move |seed| CoreEvents::new(seed, RandomAcks::new(seed, flow_count)),
            ),
        ],
        CcSchedule::AckPerCycle => [
            Bench::new(
                "cc_unit_wide",
                c,
                move || CcUnitWide::new(&unit_sizes),
                move |seed| RandomAcks::dense(seed, flow_count),
            ),
            Bench::new(
                "cc_core",
                c,
                move || CcCore::wide(&core_sizes),
                move |seed| CoreEvents::new(seed, RandomAcks::dense(seed, flow_count)),
            ),
        ],
    };
    parts.into_iter().chain(whole).collect()
}

/// Random operands for the arithmetic blocks, one set of parameters until the next reset.
pub struct Numbers {
    rng: ChaCha8Rng,
    cfg: CcCfg,
    reset_left: u32,
}

impl Numbers {
    /// Stimulus of a seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cfg = parameters(&mut rng);
        Self { rng, cfg, reset_left: 0 }
    }

    /// Resets now and then; new parameters come with the reset.
    fn reset(&mut self) -> bool {
        if self.reset_left > 0 {
            self.reset_left -= 1;
        } else if self.rng.gen_range(0..500) == 0 {
            self.cfg = parameters(&mut self.rng);
            self.reset_left = self.rng.gen_range(0..3);
            return true;
        }
        self.reset_left > 0
    }
}

impl Stimulus<CcHop> for Numbers {
    fn next(&mut self, _cycle: u64, _out: &CcHopOut) -> CcHopIn {
        let reset = self.reset();
        let rng = &mut self.rng;
        let old_hop =
            hop_word(rng.gen_range(0..8), number(rng, 24), number(rng, 20), number(rng, 17));
        // T or half of it later, or nearly, where the share of the way turns.
        let tau = u64::from(self.cfg.t_ns >> rng.gen_range(0..2)) + rng.gen_range(0..3);
        let ts_ns = (old_hop >> 3).wrapping_add(tau).wrapping_sub(1);
        let new_hop = match rng.gen_range(0..16) {
            0 => hop_word(rng.gen_range(0..5), ts_ns, number(rng, 20), number(rng, 17)),
            1..8 => rng.gen(),
            _ => next_hop(rng, old_hop),
        };
        let s_valid = rng.gen_range(0..8) != 0;
        CcHopIn {
            reset,
            cfg_t_ns: self.cfg.t_ns,
            cfg_inv_t: self.cfg.inv_t,
            cfg_queue_gain: self.cfg.queue_gain,
            cfg_util_gain: self.cfg.util_gain,
            cfg_check: self.cfg.check,
            s_valid,
            old_hop,
            new_hop,
        }
    }
}

impl Stimulus<CcEwma> for Numbers {
    fn next(&mut self, _cycle: u64, _out: &CcEwmaOut) -> CcEwmaIn {
        let reset = self.reset();
        let rng = &mut self.rng;
        let (t_ns, inv_t) = (self.cfg.t_ns, self.cfg.inv_t);
        let near_t = t_ns.wrapping_add(rng.gen_range(0..3)).wrapping_sub(1) & 0xff_ffff;
        let tau_ns = if rng.gen_range(0..4) == 0 { near_t } else { number(rng, 24) as u32 };
        CcEwmaIn {
            reset,
            s_valid: rng.gen_range(0..4) != 0,
            update: rng.gen_range(0..4) != 0,
            u_hop: number(rng, 57),
            share: Share::of(t_ns, inv_t, tau_ns).word(),
            u_old: number(rng, 57),
        }
    }
}

impl Stimulus<CcWind> for Numbers {
    fn next(&mut self, _cycle: u64, _out: &CcWindOut) -> CcWindIn {
        let reset = self.reset();
        let (rng, cfg) = (&mut self.rng, &self.cfg);
        let near_target = (u64::from(cfg.target) + rng.gen_range(0..3)).wrapping_sub(1);
        let window = u64::from(cfg.w_init) << 16;
        let wc = if rng.gen() { number(rng, 48) } else { rng.gen_range(0..=window) };
        // The window by the quotient is just below 2^48, or up to twice that, which saturates.
        let at_the_top = ((u128::from(wc) * u128::from(cfg.target)) >> 48) as u64;
        let at_the_top = at_the_top * rng.gen_range(64..140) / 128;
        CcWindIn {
            reset,
            cfg_target: cfg.target,
            cfg_max_stage: cfg.max_stage,
            cfg_w_ai: cfg.w_ai,
            cfg_w_init: cfg.w_init,
            cfg_w_min: cfg.w_min,
            cfg_rate_gain: cfg.rate_gain,
            cfg_rate_min: cfg.rate_min,
            cfg_rate_max: cfg.rate_max,
            s_valid: rng.gen_range(0..4) != 0,
            hold: rng.gen_range(0..8) == 0,
            u: match rng.gen_range(0..5) {
                4 => at_the_top,
                0 => near_target & ((1 << 57) - 1),
                1 => number(rng, 57),
                _ => u64::from(cfg.target) * rng.gen_range(1..400) / 100,
            },
            wc,
            inc_stage: if rng.gen() { rng.gen() } else { rng.gen_range(0..8) },
        }
    }
}

/// Updates of some flows or all, one a cycle or few; windows of a few units, on and off.
pub struct Updates {
    rng: ChaCha8Rng,
    flow_count: u16,
    /// Flows below this one are active.
    active: u16,
    /// One update in this many cycles.
    interval: u32,
    window: u32,
    w_ai: u32,
}

impl Updates {
    /// Stimulus of a seed.
    pub fn new(seed: u64, flow_count: usize) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, flow_count: flow_count as u16, active: 1, interval: 1, window: 1, w_ai: 0 }
    }
}

impl Stimulus<CcActive> for Updates {
    fn next(&mut self, cycle: u64, _out: &CcActiveOut) -> CcActiveIn {
        let (rng, count) = (&mut self.rng, self.flow_count);
        if cycle.is_multiple_of(1500) {
            self.active = [1, 2, rng.gen_range(1..=count), count][rng.gen_range(0..4)];
            self.interval = [1, 1, 3, 30, 200][rng.gen_range(0..5)];
        }
        if rng.gen_ratio(1, 400) {
            self.window = [0, 1, 2, 3, rng.gen_range(0..8), 0xf_ffff][rng.gen_range(0..6)];
        }
        if rng.gen_ratio(1, 200) {
            self.w_ai = number(rng, 32) as u32;
        }
        CcActiveIn {
            reset: rng.gen_ratio(1, 6000),
            cfg_window: self.window,
            cfg_w_ai: self.w_ai,
            cfg_by_time: self.w_ai % 4 == 1,
            watch: WatchPorts {
                valid: rng.gen_ratio(1, self.interval),
                ready: rng.gen_ratio(7, 8),
                flow: rng.gen_range(0..self.active),
                peer: rng.gen_ratio(1, 4),
                full: rng.gen_ratio(7, 8),
            },
        }
    }
}

/// Software that sets the parameters and goes on reading; then the events of [`RandomAcks`].
pub struct CoreEvents {
    rng: ChaCha8Rng,
    acks: RandomAcks,
    software: Software,
    events_from: Option<u64>,
    /// What stands in the bits of the ACKs that the core ignores.
    ignored: [u64; 2],
}

impl CoreEvents {
    /// Stimulus with the events of `acks`.
    pub fn new(seed: u64, acks: RandomAcks) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let beyond_flows = 0xffff & !(acks.flow_count() as u64 - 1);
        let software = ChaCha8Rng::seed_from_u64(rng.gen());
        let acks = acks.without_resets();
        let mut events = Self {
            ignored: [rng.gen::<u64>() & beyond_flows, rng.gen::<u64>() & 0xffff_0000],
            acks,
            software: Software::new(software, regs::CC_REGISTERS),
            rng,
            events_from: None,
        };
        events.set_up();
        events
    }

    fn set_up(&mut self) {
        let c = &self.acks.cfg;
        // Any gain, now and then any values: what software reads back has all bits.
        let queue_gain = if self.rng.gen() { self.rng.gen() } else { c.queue_gain };
        let active = [0, 1, 7, 60][self.rng.gen_range(0..4)];
        let is_any = self.rng.gen_ratio(1, 4);
        let values = registers(&CcCfg { queue_gain, ..*c }).map(|(offset, value)| match offset {
            config_offset::cc_active => (offset, active),
            _ if is_any => (offset, self.rng.gen()),
            _ => (offset, value),
        });
        self.software.restart(values);
        self.events_from = None;
        self.acks.ack.reset();
        self.acks.flow.reset();
        self.acks.created = 0;
    }
}

impl<U> Stimulus<CcCore<U>> for CoreEvents
where
    CcCore<U>: Golden<In = CcCoreIn, Out = CcCoreOut>,
{
    fn next(&mut self, cycle: u64, out: &CcCoreOut) -> CcCoreIn {
        let reset = cycle > 0 && self.rng.gen_ratio(1, 20_000);
        if reset {
            self.set_up();
        }
        let s_axil = self.software.drive(&out.s_axil);
        if self.events_from.is_none() && self.software.is_done() {
            self.events_from = Some(cycle);
        }
        let Some(from) = self.events_from.filter(|_| !reset) else {
            return CcCoreIn { reset, s_axil, ..Default::default() };
        };
        let unit_out = CcUnitOut {
            s_ack: ReadyPort { ready: out.s_axis_ack.tready },
            s_flow: ReadyPort { ready: out.s_axis_flow.tready },
            m_rate: Decision { valid: out.m_axis_rate.tvalid, ..Default::default() },
            event_cc: out.event_cc,
        };
        let events = Stimulus::<CcUnit>::next(&mut self.acks, cycle - from, &unit_out);
        let mut s_axis_ack = AxisEvent::of_ack(&events.s_ack);
        for (word, ignored) in s_axis_ack.tdata.0.iter_mut().zip(self.ignored) {
            *word |= ignored;
        }
        CcCoreIn {
            reset,
            s_axil,
            s_axis_ack,
            s_axis_flow: AxisEvent::of_flow(&events.s_flow),
            m_axis_rate: TreadyPort { tready: events.m_rate.ready },
        }
    }
}
