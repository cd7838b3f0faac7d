//! What is asked of a scheduler: a line, the rates of flows over time, the lengths of what they
//! send, and when their windows close and their work pauses.

use super::vectors;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Cycles of 1 ms at 125 MHz.
pub const MS_CYCLES: u64 = 125_000;
/// Rates change every 20 us, about a round trip.
const CHANGE_CYCLES: u64 = 2500;
/// A scheduler may take a rate only every fourth cycle; half of these cycles stay free.
const CHANGE_CYCLES_PER_FLOW: u64 = 8;
/// The flow that has half of the line to itself, where there is one.
pub const HOT_FLOW: usize = 3;
/// From a grant to the next one of the same flow scheduler and requester take some 36 cycles. A
/// flow with half of the line that is behind must do better than its rate meanwhile, beside long
/// frames of others. So where flows are fast, one with short frames arms several of them: as much
/// as the line carries in so many cycles.
const FAST_ARM_CYCLES: f64 = 200.0;
const ARM_BYTES_MAX: u16 = 8192;
/// What a full line has left idle is never made up, and slow flows pay for it. So these cases at
/// 100 % come to this in 100 ms: flows, name, units.
const LONG: [(usize, &str, f64); 1] = [(64, "random 19", 3.1)];
/// Cases that last longer are long.
const LONG_CYCLES: u64 = 22 * MS_CYCLES;
/// Frames where all are alike.
const FRAME_BYTES: u16 = 1082;

/// What a flow is armed with.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    pub len_bytes: u16,
    pub frame_count: u8,
}

/// A line that takes some bytes a cycle, and more for each frame than its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub rate_uq8_8: u16,
    pub overhead_bytes: u8,
}

impl Line {
    /// As fast as the datapath of 64 bits.
    pub const BYTES: Self = Self { rate_uq8_8: 8 << 8, overhead_bytes: 0 };
    /// A 100G MAC at 250 MHz: preamble, FCS and gap go with each frame.
    pub const MAC_100G: Self = Self { rate_uq8_8: 50 << 8, overhead_bytes: 24 };

    pub fn rate(&self) -> f64 {
        f64::from(self.rate_uq8_8) / 256.0
    }

    /// As register LINE says it.
    pub fn register(&self) -> u32 {
        u32::from(self.rate_uq8_8) | u32::from(self.overhead_bytes) << 16
    }

    /// Bytes of the line's time that an arm takes.
    pub fn wire_bytes(&self, arm: Arm) -> f64 {
        let overhead = u32::from(arm.frame_count) * u32::from(self.overhead_bytes);
        f64::from(u32::from(arm.len_bytes) + overhead)
    }

    /// Cycles that an arm holds the line.
    pub fn cycles(&self, arm: Arm) -> f64 {
        self.wire_bytes(arm) / self.rate()
    }
}

/// How the line is shared, and how that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// One of the 20 vectors that stand still, which bring their own lengths.
    Vector(usize),
    /// All change by up to 30 %.
    Within30,
    /// The shares of 1:100 go to other flows.
    Reshuffled,
    /// Half of the flows to a tenth or so, and back.
    Half,
    /// One flow has half of the line, all change by up to 30 %.
    Hot,
    /// 1/2, 1/4 .. 1/4096: few fast flows over many slow ones.
    Octaves,
    /// The same, and each share moves to the next flow.
    OctavesMove,
}

impl Rates {
    pub fn is_still(self) -> bool {
        matches!(self, Self::Vector(_) | Self::Octaves)
    }
}

/// Lengths, drawn once for each flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lens {
    Equal,
    /// 300 to 1499 bytes.
    Mixed,
    /// 64 B to 4 KiB.
    Wide,
    /// Up to 8 KiB, in frames of 1082 bytes.
    Arms,
}

/// When windows close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Windows {
    Open,
    /// Each on its own for 5 to 50 us.
    CloseAtRandom,
    /// All of them for 5 to 50 us, then they open at once.
    OpenTogether,
    /// The same but for [`HOT_FLOW`], which the others hit when they open.
    OpenTogetherButOne,
}

impl Windows {
    pub fn are_together(self) -> bool {
        matches!(self, Self::OpenTogether | Self::OpenTogetherButOne)
    }
}

/// Whether there is always work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Always,
    /// A flow stops asking after a grant for 5 to 500 us.
    WithPauses,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Case {
    pub flow_count: usize,
    pub line: Line,
    pub rates: Rates,
    pub load_percent: u32,
    pub lens: Lens,
    pub windows: Windows,
    pub asks: Asks,
    pub seed: u64,
    pub cycles: u64,
}

impl Case {
    /// Flows that always have work and open windows, at the length that `ms` gives.
    pub fn new(flow_count: usize, rates: Rates, load_percent: u32, ms: u64) -> Self {
        let (lens, windows, asks) = (Lens::Equal, Windows::Open, Asks::Always);
        let (line, seed, cycles) = (Line::BYTES, 1, ms * MS_CYCLES);
        Self { flow_count, line, rates, load_percent, lens, windows, asks, seed, cycles }
    }

    /// Names all but the load.
    pub fn name(&self) -> String {
        let rates = match self.rates {
            Rates::Vector(index) => vectors::name(index),
            other => format!("{other:?}"),
        };
        let mut name = rates;
        let mut add = |is_said: bool, what: String| {
            if is_said {
                name += &format!(", {what}");
            }
        };
        add(self.lens != Lens::Equal, format!("{:?}", self.lens));
        add(self.windows != Windows::Open, format!("{:?}", self.windows));
        add(self.asks != Asks::Always, format!("{:?}", self.asks));
        add(self.line.overhead_bytes > 0, format!("{} B a cycle", self.line.rate()));
        name
    }

    /// What is promised of the error, in units of a flow's arm and the longest one.
    pub fn deviation_max(&self) -> f64 {
        if self.load_percent <= 95 {
            return 1.5;
        }
        let is_long = self.cycles > LONG_CYCLES;
        let known = LONG.iter().find(|(f, n, _)| *f == self.flow_count && *n == self.name());
        known.filter(|_| is_long).map_or(2.0, |(_, _, units)| *units)
    }

    /// Some flow's window closes or its work pauses.
    pub fn is_interrupted(&self) -> bool {
        self.windows != Windows::Open || self.asks != Asks::Always
    }

    /// Some flow may have a large part of the line.
    fn has_fast_flows(&self) -> bool {
        let rates = matches!(self.rates, Rates::Hot | Rates::Octaves | Rates::OctavesMove);
        let is_equal = self.lens == Lens::Equal && !matches!(self.rates, Rates::Vector(_));
        (rates || self.flow_count <= 16) && !is_equal
    }

    /// What a flow arms at least, if its frames are not longer.
    fn arm_bytes_min(&self) -> u16 {
        let fast = if self.has_fast_flows() { FAST_ARM_CYCLES * self.line.rate() } else { 0.0 };
        fast.min(f64::from(ARM_BYTES_MAX)) as u16
    }

    /// Cycles from one set of rates to the next.
    pub fn change_cycles(&self) -> u64 {
        CHANGE_CYCLES.max(self.flow_count as u64 * CHANGE_CYCLES_PER_FLOW)
    }
}

/// The flows of a case, and their rates as time goes on.
pub struct Load {
    rng: ChaCha8Rng,
    case: Case,
    pub arms: Vec<Arm>,
    /// Which share of 1:100 each flow has.
    shares: Vec<usize>,
    epoch: usize,
    /// UQ8.24, 0: no such flow.
    rates: Vec<u32>,
}

impl Load {
    pub fn new(case: &Case) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(case.seed);
        let drawn = |rng: &mut ChaCha8Rng| match case.lens {
            Lens::Equal => FRAME_BYTES,
            Lens::Mixed => rng.gen_range(300..1500),
            Lens::Wide => rng.gen_range(64..=4096),
            Lens::Arms => rng.gen_range(2048..=8192),
        };
        let lens = match case.rates {
            Rates::Vector(index) => vectors::lens_bytes(index, case.flow_count),
            _ => (0..case.flow_count).map(|_| drawn(&mut rng)).collect(),
        };
        let arm = |len_bytes: u16| {
            let least = case.arm_bytes_min();
            let (frame_bytes, count) = match case.lens {
                Lens::Arms => (FRAME_BYTES, len_bytes / FRAME_BYTES),
                _ => (len_bytes, 1),
            };
            let least = least.div_ceil(frame_bytes).min(ARM_BYTES_MAX / frame_bytes);
            let frame_count = count.max(least);
            Arm { len_bytes: frame_count * frame_bytes, frame_count: frame_count as u8 }
        };
        let arms = lens.into_iter().map(arm).collect();
        let shares = (0..case.flow_count).collect();
        Self { rng, case: case.clone(), arms, shares, epoch: 0, rates: vec![0; case.flow_count] }
    }

    /// Bytes of the line's time for a byte of a flow.
    pub fn wire_factor(&self, flow: usize) -> f64 {
        self.case.line.wire_bytes(self.arms[flow]) / f64::from(self.arms[flow].len_bytes)
    }

    /// Bytes a cycle that the flows ask for altogether, on the wire.
    pub fn wire_rate(&self) -> f64 {
        f64::from(self.case.load_percent) / 100.0 * self.case.line.rate()
    }

    /// The flows whose rates change now, and to what, in an order in which all together never ask
    /// for more than they may, and for little less.
    pub fn changes(&mut self) -> VecDeque<(u16, u32)> {
        let next = self.next_rates();
        let now = core::mem::replace(&mut self.rates, next.clone());
        let wire =
            |flow: usize, rate: u32| f64::from(rate) / f64::from(1 << 24) * self.wire_factor(flow);
        let asked: f64 = now.iter().enumerate().map(|(flow, rate)| wire(flow, *rate)).sum();
        let mut room = self.wire_rate() - asked;
        let changed = (0..next.len()).filter(|flow| next[*flow] != now[*flow]);
        let (mut up, mut down): (VecDeque<_>, VecDeque<_>) =
            changed.partition(|flow| next[*flow] > now[*flow]);
        let added = |flow: usize| wire(flow, next[flow]) - wire(flow, now[flow]);
        let mut order = VecDeque::new();
        loop {
            let is_full = up.front().is_none_or(|flow| added(*flow) > room);
            let from = if is_full && !down.is_empty() { &mut down } else { &mut up };
            let Some(flow) = from.pop_front() else { return order };
            room -= added(flow);
            order.push_back((flow as u16, next[flow]));
        }
    }

    fn next_rates(&mut self) -> Vec<u32> {
        let weights = self.weights();
        self.epoch += 1;
        let total: f64 = weights.iter().sum();
        let share = |(flow, weight): (usize, &f64)| {
            let rate = weight / total * self.wire_rate() / self.wire_factor(flow);
            (rate * f64::from(1 << 24)) as u32
        };
        weights.iter().enumerate().map(share).collect()
    }

    fn weights(&mut self) -> Vec<f64> {
        let (count, epoch) = (self.case.flow_count, self.epoch);
        let skew = |i: usize| 100_f64.powf(i as f64 / (count - 1) as f64);
        let octave = |i: usize| 0.5_f64.powi(i.min(12) as i32);
        let hot = |i: usize| if i == HOT_FLOW { (count - 1) as f64 } else { 1.0 };
        if self.case.rates == Rates::Reshuffled {
            for i in (1..count).rev() {
                self.shares.swap(i, self.rng.gen_range(0..=i));
            }
        }
        let weight = |i: usize| match self.case.rates {
            Rates::Vector(_) => unreachable!("vectors come whole"),
            Rates::Within30 => skew(i).sqrt() * self.rng.gen_range(0.7..1.3),
            Rates::Reshuffled => skew(self.shares[i]),
            Rates::Half => [0.1, 1.9][(i + epoch) % 2],
            Rates::Hot => hot(i) * self.rng.gen_range(0.7..1.3),
            Rates::Octaves => octave(i),
            Rates::OctavesMove => octave((i + epoch) % count),
        };
        match self.case.rates {
            Rates::Vector(index) => vectors::weights(index, count),
            _ => (0..count).map(weight).collect(),
        }
    }
}
