//! Congestion control of the hosts: HPCC with this hardware's integers or in f64, and what it is
//! compared with.
//!
//! A [`Control`] has the parameters of all flows, a [`State`] is that of one. What comes out is a
//! [`Pace`]: a window and a rate.

mod dcqcn;
mod dctcp;
mod hpcc;
mod timely;

use super::scenario::{CcSpec, Engine};
use super::wire::Telemetry;
pub use hpcc::{golden_ack, Hpcc, HpccState, CLOCK_HZ};
use serde::{Deserialize, Serialize};

/// Algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// HPCC++: windows and rates from telemetry
    Hpcc,
    /// Rates from ECN marks (SIGCOMM 2015)
    Dcqcn,
    /// Rates from round-trip times (SIGCOMM 2015)
    Timely,
    /// Windows from ECN marks (SIGCOMM 2010)
    Dctcp,
    /// Line rate: no congestion control
    None,
}

/// Who computes the windows of HPCC, and from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// The sender, from records that ACKs echo
    Sender,
    /// The receiver, which sends them (Rx-HPCC)
    Receiver,
    /// The sender, from the record of the most loaded hop alone
    WorstHop,
}

/// Records of the hops of a packet, in the native layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// First hop first.
    pub hops: [u64; 5],
    /// How many.
    pub count: u8,
    /// Which of the hops they are, where not all come back.
    pub path: u16,
}

/// What a host learns from an ACK.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// When.
    pub now_ps: u64,
    /// When the packet that it acknowledges was sent.
    pub sent_ps: u64,
    /// That packet.
    pub psn: u32,
    /// The flow's next packet.
    pub next_psn: u32,
    /// A switch has marked it.
    pub is_marked: bool,
    /// Its telemetry.
    pub records: Records,
}

/// What a flow may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Payload in flight at most, but for the last packet.
    pub window_bytes: u64,
    /// Inverse of its rate.
    pub ps_per_byte: f64,
}

/// What all algorithms need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Rate of the hosts' links, bit/s.
    pub line_bps: f64,
    /// Least rate, bit/s.
    pub rate_min_bps: f64,
    /// Base round-trip time, ns.
    pub t_ns: f64,
    /// Line rate x T.
    pub window_bytes: f64,
    /// Payload of a packet.
    pub payload_bytes: f64,
    /// Clock of the hardware. It only scales its rates, which are bytes a cycle.
    pub clock_hz: u64,
}

impl Limits {
    /// A rate within the bounds.
    fn clamp(&self, bps: f64) -> f64 {
        bps.clamp(self.rate_min_bps, self.line_bps)
    }

    /// The pace of a rate; the window is in proportion to it (`true`), fixed, or there is none.
    fn pace(&self, bps: f64, window: Window) -> Pace {
        let window_bytes = match window {
            Window::None => u64::MAX,
            Window::Fixed => self.window_bytes as u64,
            Window::Variable => ((self.window_bytes * bps / self.line_bps) as u64).max(1),
        };
        Pace { window_bytes, ps_per_byte: 8e12 / bps }
    }
}

/// Kind of window of an algorithm that computes rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    None,
    Fixed,
    Variable,
}

/// The parameters of all flows.
#[derive(Clone, Debug)]
pub struct Control {
    limits: Limits,
    kind: ControlKind,
}

#[derive(Clone, Debug)]
enum ControlKind {
    Hpcc(Box<Hpcc>),
    Dcqcn(dcqcn::Dcqcn, Window),
    Timely(timely::Timely, Window),
    Dctcp(dctcp::Dctcp),
    None(Window),
}

/// State of a flow at its sender.
#[derive(Clone, Debug)]
pub enum State {
    /// HPCC.
    Hpcc(HpccState),
    /// DCQCN.
    Dcqcn(dcqcn::State),
    /// TIMELY.
    Timely(timely::State),
    /// DCTCP.
    Dctcp(dctcp::State),
    /// None.
    None,
}

impl Control {
    /// # Errors
    /// A sentence that names the parameter that is out of its range.
    pub fn new(spec: &CcSpec, limits: Limits, telemetry: Telemetry) -> Result<Self, String> {
        let window = if spec.window { Window::Fixed } else { Window::None };
        let kind = match spec.algorithm {
            Algorithm::Hpcc => ControlKind::Hpcc(Box::new(Hpcc::new(spec, &limits, telemetry)?)),
            Algorithm::Dcqcn => ControlKind::Dcqcn(dcqcn::Dcqcn::new(&limits), window),
            Algorithm::Timely => ControlKind::Timely(timely::Timely::new(&limits), window),
            Algorithm::Dctcp => ControlKind::Dctcp(dctcp::Dctcp::new(&limits)),
            Algorithm::None => ControlKind::None(window),
        };
        Ok(Self { limits, kind })
    }

    /// HPCC's own parameters.
    pub fn hpcc(&self) -> Option<&Hpcc> {
        match &self.kind {
            ControlKind::Hpcc(hpcc) => Some(hpcc),
            _ => None,
        }
    }

    /// A new flow.
    pub fn start(&self, now_ps: u64) -> (State, Pace) {
        let line_bps = self.limits.line_bps;
        let at_line = |window| self.limits.pace(line_bps, window);
        match &self.kind {
            ControlKind::Hpcc(hpcc) => {
                let (state, pace) = hpcc.start();
                (State::Hpcc(state), pace)
            }
            ControlKind::Dcqcn(_, window) => {
                (State::Dcqcn(dcqcn::State::new(line_bps, now_ps)), at_line(*window))
            }
            ControlKind::Timely(_, window) => {
                (State::Timely(timely::State::new(line_bps)), at_line(*window))
            }
            ControlKind::Dctcp(_) => {
                (State::Dctcp(dctcp::State::new(line_bps)), at_line(Window::Variable))
            }
            ControlKind::None(window) => (State::None, at_line(*window)),
        }
    }

    /// An ACK has come; the new pace, if it changes.
    #[inline]
    pub fn acked(&self, state: &mut State, news: &News) -> Option<Pace> {
        let limits = &self.limits;
        match (&self.kind, state) {
            (ControlKind::Hpcc(hpcc), State::Hpcc(state)) => hpcc.acked(state, news),
            (ControlKind::Dcqcn(dcqcn, window), State::Dcqcn(state)) => {
                Some(limits.pace(dcqcn.acked(limits, state, news), *window))
            }
            (ControlKind::Timely(timely, window), State::Timely(state)) => {
                let bps = timely.acked(limits, state, news)?;
                Some(limits.pace(bps, *window))
            }
            (ControlKind::Dctcp(dctcp), State::Dctcp(state)) => {
                let bps = dctcp.acked(limits, state, news)?;
                Some(limits.pace(bps, Window::Variable))
            }
            (ControlKind::None(_), State::None) => None,
            _ => unreachable!("a flow keeps the algorithm that it starts with"),
        }
    }
}

/// Marks of a switch: queues of a 25 Gb/s link between which ever more packets are marked, and the share
/// just below the second one; the authors' settings, where an algorithm needs marks.
pub fn default_marks(algorithm: Algorithm) -> Option<(u64, u64, f64)> {
    match algorithm {
        Algorithm::Dcqcn => Some((100_000, 400_000, 0.2)),
        Algorithm::Dctcp => Some((75_000, 75_000, 1.0)),
        Algorithm::Hpcc | Algorithm::Timely | Algorithm::None => None,
    }
}

/// Whether packets carry telemetry.
pub fn has_telemetry(spec: &CcSpec) -> bool {
    spec.algorithm == Algorithm::Hpcc
}

/// Whether the hosts' arithmetic is the hardware's.
pub fn is_golden(spec: &CcSpec) -> bool {
    spec.algorithm == Algorithm::Hpcc && spec.engine == Engine::Golden
}
