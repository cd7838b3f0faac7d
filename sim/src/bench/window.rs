//! Benches: windows that a receiver computes, out and in.

use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::transport::window::input::{PeerWindow, WindowIn, WindowInIn, WindowInOut};
use nic_models::golden::transport::window::output::{
    UpdateWatch, WindowOut, WindowOutIn, WindowOutOut,
};
use nic_models::streams::{Rate, ReadyPort};
use nic_spec::config::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A reset comes once in so many cycles.
const RESET_CYCLES: u32 = 20_000;
/// Cycles between two changes of what is busy.
const PHASE_CYCLES: core::ops::Range<u32> = 500..3000;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let c = config;
    let [d, e, f, g] = std::array::from_fn(|_| c.clone());
    vec![
        Bench::new("window_out", c, move || WindowOut::new(&d), move |s| Updates::new(&e, s)),
        Bench::new("window_in", c, move || WindowIn::new(&f), move |s| Windows::new(&g, s)),
    ]
}

/// Flows that are busy, and how often something comes.
struct Phase {
    flow_count: usize,
    first: usize,
    count: usize,
    pause: u32,
    left: u32,
}

impl Phase {
    fn new(config: &NicConfig) -> Self {
        Self { flow_count: config.flow_count, first: 0, count: 1, pause: 1, left: 0 }
    }

    /// Whether a phase begins.
    fn tick(&mut self, rng: &mut ChaCha8Rng) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return false;
        }
        self.left = rng.gen_range(PHASE_CYCLES);
        self.first = rng.gen_range(0..self.flow_count);
        self.count = [1, 2, 8, self.flow_count][rng.gen_range(0..4)];
        self.pause = [1, 4, 30, 300][rng.gen_range(0..4)];
        true
    }

    fn flow(&self, rng: &mut ChaCha8Rng) -> u16 {
        ((self.first + rng.gen_range(0..self.count)) % self.flow_count) as u16
    }

    /// A flow of data mostly, else of READ responses.
    fn paced(&self, rng: &mut ChaCha8Rng) -> u16 {
        let half = if rng.gen_ratio(1, 6) { self.flow_count as u16 } else { 0 };
        half + self.flow(rng)
    }
}

/// Answers of the congestion control, and rows.
struct Updates {
    rng: ChaCha8Rng,
    phase: Phase,
    source: Source<UpdateWatch>,
    sink: Sink,
    by_time: bool,
    /// Cycles that the row still waits.
    row_left: u32,
}

impl Updates {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (source, sink) = (Source::new(fork()), Sink::new(fork()));
        Self { rng, phase: Phase::new(config), source, sink, by_time: true, row_left: 0 }
    }
}

impl Stimulus<WindowOut> for Updates {
    fn next(&mut self, _cycle: u64, _: &WindowOutOut) -> WindowOutIn {
        let rng = &mut self.rng;
        let reset = rng.gen_ratio(1, RESET_CYCLES);
        if self.phase.tick(rng) {
            self.by_time = rng.gen_ratio(7, 8);
        }
        self.row_left = match self.row_left {
            0 if rng.gen_ratio(1, 2000) => 1 << rng.gen_range(0..9),
            left => left.saturating_sub(1),
        };
        let (ready, phase) = (rng.gen(), &self.phase);
        let watch = self.source.drive(ready, || {
            rng.gen_ratio(1, phase.pause).then(|| UpdateWatch {
                valid: true,
                ready: false,
                peer: rng.gen_ratio(5, 6),
                flow: phase.flow(rng),
                op: if rng.gen_ratio(1, 8) { rng.gen_range(1..4) } else { 0 },
                full: rng.gen_ratio(3, 4),
                window_bytes: rng.gen(),
                time: rng.gen_range(0..1 << 24),
            })
        });
        if reset {
            self.source.reset();
        }
        WindowOutIn {
            reset,
            cfg_by_time: self.by_time,
            row_valid: self.row_left > 0,
            watch: UpdateWatch { ready, ..watch.unwrap_or_default() },
            m_window: ReadyPort { ready: self.sink.drive() },
        }
    }
}

/// Windows of the peer, and answers of the congestion control.
struct Windows {
    rng: ChaCha8Rng,
    phase: Phase,
    /// Answers, and whether they are about the peer's data.
    rates: Source<(Rate, bool)>,
    /// Window and rate of each of our flows' last answer; none before its create.
    last: Vec<Option<(u32, u32)>>,
    windows: Source<PeerWindow>,
    sink: Sink,
    /// Registers; they change with reset alone.
    registers: WindowInIn,
}

impl Windows {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (rates, windows) = (Source::new(fork()), Source::new(fork()));
        let sink = Sink::new(fork());
        let registers = Self::registers(&mut rng);
        let last = vec![None; 2 * config.flow_count];
        Self { rng, phase: Phase::new(config), rates, last, windows, sink, registers }
    }

    /// Bounds of any size, in their order.
    fn registers(rng: &mut ChaCha8Rng) -> WindowInIn {
        let cfg_w_init = rng.gen::<u32>() >> rng.gen_range(0..20);
        let w_min = (rng.gen::<u32>() >> 10) >> rng.gen_range(0..20);
        let cfg_rate_max = rng.gen::<u32>() >> rng.gen_range(0..8);
        WindowInIn {
            cfg_w_init,
            cfg_w_min: w_min.min(cfg_w_init) << 10 | rng.gen_range(0..1 << 10),
            cfg_rate_gain: rng.gen::<u32>() >> rng.gen_range(0..12),
            cfg_rate_min: cfg_rate_max >> rng.gen_range(1..12),
            cfg_rate_max,
            ..WindowInIn::default()
        }
    }
}

impl Stimulus<WindowIn> for Windows {
    fn next(&mut self, _cycle: u64, out: &WindowInOut) -> WindowInIn {
        let rng = &mut self.rng;
        let reset = rng.gen_ratio(1, RESET_CYCLES);
        self.phase.tick(rng);
        let (phase, last) = (&self.phase, &mut self.last);
        let s_rate = self.rates.drive(out.s_rate.ready, || {
            rng.gen_ratio(1, phase.pause).then(|| {
                let flow = phase.paced(rng);
                let op = if rng.gen_ratio(1, 8) { rng.gen_range(1..3) } else { 0 };
                if rng.gen_ratio(1, 4) {
                    let (window_bytes, rate) = (rng.gen(), rng.gen());
                    return (Rate { valid: true, flow, op, window_bytes, rate }, true);
                }
                let of_data = last[usize::from(flow) % phase.flow_count];
                let last = &mut last[usize::from(flow)];
                let op = if last.is_none() { 1 } else { op };
                // Often what was said last, or of the queue pair's data, or a bit beside it.
                let (window_bytes, rate) = match (rng.gen_range(0..5), last.and(of_data)) {
                    (0, Some(same)) => same,
                    (4, _) => last.unwrap_or_default(),
                    (1, Some((window, rate))) => (window ^ 1 << rng.gen_range(0..32), rate),
                    (2, Some((window, rate))) => (window, rate ^ 1 << rng.gen_range(0..32)),
                    _ => (rng.gen(), rng.gen()),
                };
                *last = Some((window_bytes, rate));
                (Rate { valid: true, flow, op, window_bytes, rate }, false)
            })
        });
        let registers = &self.registers;
        let s_window = self.windows.drive(out.s_window.ready, || {
            rng.gen_ratio(1, phase.pause.min(30)).then(|| {
                let least = registers.cfg_w_min >> 10;
                let bytes = match rng.gen_range(0..8) {
                    0 => least.saturating_sub(rng.gen_range(0..3)),
                    1 => registers.cfg_w_init.saturating_add(rng.gen_range(0..3)),
                    2 => rng.gen(),
                    _ => rng.gen::<u32>() >> rng.gen_range(0..32),
                };
                PeerWindow { valid: true, flow: phase.flow(rng), bytes }
            })
        });
        let pins = WindowInIn {
            reset,
            s_rate: s_rate.map_or_else(Rate::default, |r| r.0),
            s_rate_peer: s_rate.is_some_and(|r| r.1),
            s_window: s_window.unwrap_or_default(),
            m_rate: ReadyPort { ready: self.sink.drive() },
            ..self.registers
        };
        if reset {
            self.rates.reset();
            self.last.fill(None);
            self.windows.reset();
            self.registers = Self::registers(&mut self.rng);
        }
        pins
    }
}
