//! Benches: rx pipe.

mod frames;

use crate::env::stream::{Beat, Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::rx::pipe::{RxPipe, RxPipeIn, RxPipeOut};
use nic_models::ports::{keep, Data};
use nic_models::streams::{AxisUser, ReadyPort, TreadyPort};
use nic_spec::config::NicConfig;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

pub use frames::{captured_frames, FrameMaker, FrameStyle, Host};

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    vec![rx_pipe(config)]
}

/// Bench of the rx pipe.
pub fn rx_pipe(config: &NicConfig) -> Bench {
    let bytes = config.data_bytes();
    let traffic = move |seed| RxTraffic::new(bytes, seed);
    Bench::new("rx_pipe", config, move || RxPipe::new(bytes), traffic)
}

/// Cycles between two changes of traffic, sinks and registers: short, but for one phase in
/// [`LONG_PHASE_RATIO`], in which buffers can fill.
const PHASE_CYCLES: core::ops::Range<u64> = 100..1200;
/// Cycles of a long phase.
const LONG_PHASE_CYCLES: u64 = 5000;
/// Cycles in which frames fill the host's buffer.
const HOST_FILL_CYCLES: u64 = 8000;
/// One phase in so many is a long one.
const LONG_PHASE_RATIO: u32 = 12;
/// A phase ends when the input has been blocked for so long.
const BLOCKED_CYCLES: u32 = 50;
/// Idle cycles before registers change: no frame is on its way then.
const QUIET_CYCLES: u32 = 40;

/// How eager a sink is in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taking {
    /// Always ready.
    Always,
    /// Random stalls.
    Stalls,
    /// One cycle in 16.
    Slowly,
    /// Never.
    Not,
}

impl Taking {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        match rng.gen_range(0..12) {
            0 => Self::Not,
            1 => Self::Slowly,
            2..=5 => Self::Always,
            _ => Self::Stalls,
        }
    }

    fn ready(self, rng: &mut ChaCha8Rng, sink: &mut Sink) -> bool {
        match self {
            Self::Always => true,
            Self::Stalls => sink.drive(),
            Self::Slowly => rng.gen_ratio(1, 16),
            Self::Not => false,
        }
    }
}

/// Good, bad and foreign frames, often back to back, with stalls on every side; now and then other
/// register values or a reset.
pub struct RxTraffic {
    beat_bytes: usize,
    rng: ChaCha8Rng,
    maker: FrameMaker,
    style: FrameStyle,
    beats: VecDeque<Beat>,
    /// No frame has come since the reset.
    is_first: bool,
    source: Source<Beat>,
    /// Frames come without stalls in this phase.
    back_to_back: bool,
    /// Host frames, payload, READ responses' payload, requests, ACKs, telemetry responses.
    sinks: [Sink; 6],
    taking: [Taking; 6],
    phase_left: u64,
    quiet: u32,
    /// Cycles since the input was last ready.
    blocked: u32,
}

impl RxTraffic {
    /// Traffic of this seed, in beats of `beat_bytes`.
    pub fn new(beat_bytes: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let source = Source::new(ChaCha8Rng::seed_from_u64(rng.gen()));
        let sinks = core::array::from_fn(|_| Sink::new(ChaCha8Rng::seed_from_u64(rng.gen())));
        let maker = FrameMaker::new(ChaCha8Rng::seed_from_u64(rng.gen())).sharing(seed);
        Self {
            beat_bytes,
            rng,
            maker,
            style: FrameStyle::Mixed,
            beats: VecDeque::new(),
            is_first: true,
            source,
            back_to_back: true,
            sinks,
            taking: [Taking::Always; 6],
            phase_left: 1000,
            quiet: 0,
            blocked: 0,
        }
    }

    fn begin_phase(&mut self) {
        let rng = &mut self.rng;
        let is_long = rng.gen_ratio(1, LONG_PHASE_RATIO);
        self.phase_left = if is_long { LONG_PHASE_CYCLES } else { rng.gen_range(PHASE_CYCLES) };
        self.back_to_back = rng.gen_ratio(3, 4);
        self.style = FrameStyle::random(rng);
        self.taking = core::array::from_fn(|_| Taking::random(rng));
        if is_long && rng.gen() {
            // Fill the host's buffer.
            (self.phase_left, self.style) = (HOST_FILL_CYCLES, FrameStyle::Foreign);
            self.taking = [Taking::Always; 6];
            self.taking[0] = Taking::Not;
        }
        match rng.gen_range(0..12) {
            0 => self.fill_payload(),
            1 => self.fill_records(),
            _ => {}
        }
        self.maker.host = Host::random(&mut self.rng);
    }

    /// Large packets whose payload nobody takes, until the input stops.
    fn fill_payload(&mut self) {
        (self.phase_left, self.back_to_back, self.style) = (2000, true, FrameStyle::Large);
        self.taking = [Taking::Always; 6];
        self.taking[if self.rng.gen() { 1 } else { 2 }] = Taking::Not;
    }

    /// Small packets whose records nobody takes, until the input stops.
    fn fill_records(&mut self) {
        (self.phase_left, self.back_to_back, self.style) = (500, true, FrameStyle::Stamped);
        self.taking = [Taking::Always; 6];
        self.taking[3..].fill(Taking::Not);
    }

    fn fill(&mut self) {
        let is_first = std::mem::take(&mut self.is_first);
        let (frame, user) = if is_first && self.rng.gen_ratio(1, 4) {
            (self.maker.jumbo(), false)
        } else {
            let fills = self.style == FrameStyle::Foreign && self.taking[0] == Taking::Not;
            // A long frame that is not the host's needs no room in its buffer.
            let is_other = fills && self.rng.gen_ratio(1, 10);
            self.maker.next(if is_other { FrameStyle::Large } else { self.style })
        };
        let beat_count = frame.len().div_ceil(self.beat_bytes);
        for (index, bytes) in frame.chunks(self.beat_bytes).enumerate() {
            let tlast = index + 1 == beat_count;
            // What lies behind the last byte must not matter.
            let mut data = [0; 64];
            let data = &mut data[..self.beat_bytes];
            self.rng.fill_bytes(data);
            data[..bytes.len()].copy_from_slice(bytes);
            let (tdata, tkeep) = (Data::of(data), keep(bytes.len()));
            self.beats.push_back(Beat { tdata, tkeep, tlast, tuser: user && tlast });
        }
    }

    /// The beat to offer, with this cycle's traffic.
    fn offer(&mut self, ready: bool) -> Option<Beat> {
        self.phase_left = self.phase_left.saturating_sub(1);
        self.blocked = if ready { 0 } else { self.blocked + 1 };
        if self.blocked > BLOCKED_CYCLES {
            self.phase_left = 0;
        }
        if self.phase_left == 0 && self.beats.is_empty() && self.source.is_idle() {
            self.quiet += 1;
            if self.quiet == QUIET_CYCLES {
                self.quiet = 0;
                self.begin_phase();
            }
            return None;
        }
        if self.beats.is_empty() && self.phase_left > 0 {
            self.fill();
        }
        let beats = &mut self.beats;
        if self.back_to_back && self.source.is_idle() {
            let beat = beats.front().copied();
            if ready {
                beats.pop_front();
            }
            return beat;
        }
        self.source.drive(ready, || beats.pop_front())
    }
}

impl Stimulus<RxPipe> for RxTraffic {
    fn next(&mut self, _cycle: u64, out: &RxPipeOut) -> RxPipeIn {
        let reset = self.rng.gen_ratio(1, 15_000);
        if reset {
            self.source.reset();
            self.beats.clear();
            self.is_first = true;
        }
        let beat = if reset { None } else { self.offer(out.s_axis.tready) };
        let host = self.maker.host;
        let drive = beat.unwrap_or_default();
        // Towards its end a phase drains what its sinks have held up.
        let taking = if self.phase_left == 0 { [Taking::Stalls; 6] } else { self.taking };
        let mut readys = [false; 6];
        for ((ready, sink), taking) in readys.iter_mut().zip(&mut self.sinks).zip(taking) {
            *ready = taking.ready(&mut self.rng, sink);
        }
        RxPipeIn {
            reset,
            cfg_local_mac: host.mac,
            cfg_local_ip: host.ip,
            cfg_pkey: host.pkey,
            cfg_tel_format: host.tel_format,
            cfg_tel_dscp: host.tel_dscp,
            cfg_tel_echo_dscp: host.tel_echo_dscp,
            cfg_tel_port: host.tel_port,
            cfg_tel_queue_bytes: host.tel_queue_bytes,
            cfg_tel_time_binary: host.tel_time_binary,
            cfg_tel_rates: host.tel_rates,
            s_axis: AxisUser { tvalid: beat.is_some(), ..Beat::offered_user(Some(drive)) },
            m_host: TreadyPort { tready: readys[0] },
            m_payload: TreadyPort { tready: readys[1] },
            m_response: TreadyPort { tready: readys[2] },
            m_req: ReadyPort { ready: readys[3] },
            m_ack: ReadyPort { ready: readys[4] },
            m_feedback: ReadyPort { ready: readys[5] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::random::sees_each_length;

    #[test]
    fn bench_of_the_rx_pipe_receives_each_length() {
        let (golden, traffic) = (|| RxPipe::new(8), |seed| RxTraffic::new(8, seed));
        sees_each_length(golden, traffic, |s| s.maker.lengths(), 0);
    }
}
