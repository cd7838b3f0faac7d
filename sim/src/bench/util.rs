//! Benches: util blocks. `ram` has no reset and starts with random content: tests/ram.rs.

use super::random::sub;
use crate::env::stream::{Sink, Source, Stall};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::util::crc32::{Crc32, Crc32In, Crc32Out};
use nic_models::golden::util::fifo::{Fifo, FifoOut, LutFifo, RamFifo};
use nic_models::golden::util::frame_fifo::{FrameFifo, FrameFifoIn, FrameFifoOut};
use nic_models::golden::util::mul::{
    MulPipe, MulPipeIn, MulPipeOut, MulSerial, MulSerialIn, MulSerialOut,
};
use nic_models::golden::util::recip::{Recip, RecipIn, Reciprocal};
use nic_models::golden::util::rr_arb::{RrArb, RrArbIn, RrArbOut};
use nic_models::golden::util::skid::{ItemIn, Skid, SkidOut};
use nic_models::golden::util::stream_mux::{StreamMux, StreamMuxIn, StreamMuxOut};
use nic_models::golden::util::stream_route::{
    StreamRouteBlock, StreamRouteIn, StreamRouteOut, ITEM_BITS,
};
use nic_models::ports::{keep, Data, Wide};
use nic_models::streams::AxisUser;
use nic_spec::config::NicConfig;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Beats of the frame FIFO of the bench.
pub const FRAME_FIFO_BEATS: usize = 64;
/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 3000;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (c, beat_bytes) = (config, config.data_bytes());
    vec![
        Bench::new("skid", c, Skid::<u64>::default, |s| Items::new(s, 64)),
        Bench::new("fifo", c, || LutFifo::<u64>::new(16), |s| Items::new(s, 32)),
        Bench::new("ram_fifo", c, || RamFifo::<u64>::new(512), |s| Items::new(s, 64)),
        Bench::new(
            "frame_fifo",
            c,
            || FrameFifo::new(FRAME_FIFO_BEATS, false),
            move |seed| Frames::new(beat_bytes, seed),
        ),
        Bench::new("mul_pipe", c, || MulPipe::new(32, 24), Factors::new),
        Bench::new("mul_serial", c, || MulSerial::new(32), Factors::new),
        Bench::new("recip", c, Recip::default, |seed| Arguments { rng: rng(seed) }),
        Bench::new("crc32", c, || Crc32::new(8, 1), CrcFrames::new),
        Bench::new("stream_mux", c, StreamMux::<u64>::default, Pairs::new),
        Bench::new("stream_route", c, || StreamRouteBlock::new(ITEM_BITS), Routed::new),
        Bench::new("rr_arb", c, || RrArb::<1>::new(64), Requests::new),
    ]
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A random number of up to `bits` bits; corners and every magnitude are frequent.
fn number(rng: &mut ChaCha8Rng, bits: u32) -> u64 {
    let all = u64::MAX >> (64 - bits);
    let magnitude = all >> rng.gen_range(0..bits);
    match rng.gen_range(0..8) {
        0 => 0,
        1 => all,
        2 => magnitude,
        3 => (magnitude + 1) & all,
        4 => magnitude - 1,
        _ => rng.gen::<u64>() & magnitude,
    }
}

/// Items through a skid or a FIFO.
struct Items {
    rng: ChaCha8Rng,
    source: Source<u64>,
    sink: Sink,
    mask: u64,
    /// Cycles until the sink opens again: long enough to fill the block.
    closed: u32,
}

/// Cycles for which a sink stays closed now and then.
const CLOSED_CYCLES: u32 = 1200;

impl Items {
    fn new(seed: u64, bits: u32) -> Self {
        let (source, sink) = (Source::new(sub(seed, 1)), Sink::new(sub(seed, 2)));
        Self { rng: sub(seed, 0), source, sink, mask: u64::MAX >> (64 - bits), closed: 0 }
    }

    fn drive(&mut self, s_ready: bool) -> ItemIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let junk = self.rng.gen::<u64>() & self.mask;
        let item = self.source.drive(s_ready, || Some(junk));
        if reset {
            self.source.reset();
        }
        let (s_valid, s_data) = (item.is_some(), item.unwrap_or(!junk & self.mask));
        self.closed = match self.closed {
            0 if self.rng.gen_ratio(1, 4 * CLOSED_CYCLES) => CLOSED_CYCLES,
            left => left.saturating_sub(1),
        };
        let m_ready = self.sink.drive() && self.closed == 0;
        ItemIn { reset, s_valid, s_data, m_ready }
    }
}

impl Stimulus<Skid<u64>> for Items {
    fn next(&mut self, _cycle: u64, out: &SkidOut) -> ItemIn {
        self.drive(out.s_ready)
    }
}

impl<const STAGES: usize> Stimulus<Fifo<u64, STAGES>> for Items {
    fn next(&mut self, _cycle: u64, out: &FifoOut) -> ItemIn {
        self.drive(out.s_ready)
    }
}

/// Good, bad and oversize frames, with both answers to a full buffer.
struct Frames {
    beat_bytes: usize,
    rng: ChaCha8Rng,
    source: Source<FrameFifoIn>,
    sink: Sink,
    beats_left: usize,
    drop_when_full: bool,
}

impl Frames {
    fn new(beat_bytes: usize, seed: u64) -> Self {
        let (source, sink) = (Source::new(sub(seed, 1)), Sink::new(sub(seed, 2)));
        let drop_when_full = seed & 1 == 1;
        Self { beat_bytes, rng: sub(seed, 0), source, sink, beats_left: 0, drop_when_full }
    }

    fn beat(beat_bytes: usize, rng: &mut ChaCha8Rng, beats_left: &mut usize) -> FrameFifoIn {
        if *beats_left == 0 {
            *beats_left = match rng.gen_range(0..16) {
                0..=7 => rng.gen_range(1..=4),
                8..=12 => rng.gen_range(1..=20),
                13 => FRAME_FIFO_BEATS + rng.gen_range(0..3) - 1,
                14 => rng.gen_range(1..=FRAME_FIFO_BEATS),
                _ => rng.gen_range(FRAME_FIFO_BEATS + 1..=2 * FRAME_FIFO_BEATS),
            };
        }
        *beats_left -= 1;
        let mut bytes = [0; 64];
        rng.fill_bytes(&mut bytes[..beat_bytes]);
        FrameFifoIn {
            s_axis: AxisUser {
                tdata: Data::of(&bytes),
                tkeep: rng.gen::<u64>() & keep(beat_bytes),
                tlast: *beats_left == 0,
                // Means nothing before the last beat.
                tuser: rng.gen_ratio(1, 4),
                ..AxisUser::default()
            },
            ..FrameFifoIn::default()
        }
    }
}

impl Stimulus<FrameFifo<(Data, u64)>> for Frames {
    fn next(&mut self, _cycle: u64, out: &FrameFifoOut) -> FrameFifoIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let (width, rng, left) = (self.beat_bytes, &mut self.rng, &mut self.beats_left);
        let beat = self.source.drive(out.s_axis.tready, || Some(Self::beat(width, rng, left)));
        let mut pins = beat.unwrap_or_else(|| Self::beat(width, &mut self.rng, &mut 9));
        pins.s_axis.tvalid = beat.is_some();
        pins.cfg_drop_when_full = self.drop_when_full;
        pins.m_axis.tready = self.sink.drive();
        pins.s_open = !self.drop_when_full && self.rng.gen_ratio(1, 64);
        pins.reset = reset;
        if reset {
            self.source.reset();
            self.beats_left = 0;
            self.drop_when_full = self.rng.gen();
        }
        pins
    }
}

/// Factors of both multipliers.
struct Factors {
    rng: ChaCha8Rng,
    source: Source<(u64, u64)>,
    sink: Sink,
}

impl Factors {
    fn new(seed: u64) -> Self {
        Self { rng: sub(seed, 0), source: Source::new(sub(seed, 1)), sink: Sink::new(sub(seed, 2)) }
    }
}

impl Stimulus<MulPipe> for Factors {
    fn next(&mut self, _cycle: u64, _out: &MulPipeOut) -> MulPipeIn {
        let (a, b) = (number(&mut self.rng, 32), number(&mut self.rng, 24));
        MulPipeIn { reset: self.rng.gen_ratio(1, RESET_CYCLES), a, b }
    }
}

impl Stimulus<MulSerial> for Factors {
    fn next(&mut self, _cycle: u64, out: &MulSerialOut) -> MulSerialIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let junk = (number(&mut self.rng, 32), number(&mut self.rng, 24));
        let offer = self.source.drive(out.s_ready, || Some(junk));
        if reset {
            self.source.reset();
        }
        let (s_a, s_b) = offer.unwrap_or(junk);
        MulSerialIn { reset, s_valid: offer.is_some(), s_a, s_b, m_ready: self.sink.drive() }
    }
}

/// Arguments of the reciprocal, of every magnitude.
struct Arguments {
    rng: ChaCha8Rng,
}

impl Stimulus<Recip> for Arguments {
    fn next(&mut self, _cycle: u64, _out: &Reciprocal) -> RecipIn {
        let x = number(&mut self.rng, 48);
        RecipIn { reset: self.rng.gen_ratio(1, RESET_CYCLES), x }
    }
}

/// Frames for the CRC: any keep inside, back to back and with gaps.
struct CrcFrames {
    rng: ChaCha8Rng,
    stall: Stall,
    beats_left: usize,
    seed: u32,
}

impl CrcFrames {
    fn new(seed: u64) -> Self {
        let stall = Stall::new(sub(seed, 1));
        Self { rng: sub(seed, 0), stall, beats_left: 1, seed: u32::MAX }
    }
}

impl Stimulus<Crc32> for CrcFrames {
    fn next(&mut self, _cycle: u64, _out: &Crc32Out) -> Crc32In {
        let rng = &mut self.rng;
        let is_odd_keep = rng.gen_ratio(1, 8);
        let mut pins = Crc32In {
            reset: rng.gen_ratio(1, RESET_CYCLES),
            cfg_seed: self.seed,
            s_valid: self.stall.go(),
            s_data: if rng.gen_ratio(1, 4) { 1 << rng.gen_range(0..64) } else { rng.gen() },
            s_keep: if is_odd_keep { rng.gen_range(1..=255) } else { 0xff },
            s_last: self.beats_left == 1,
        };
        if pins.s_last && !is_odd_keep {
            pins.s_keep = 0xff >> rng.gen_range(0..8);
        }
        if pins.s_valid {
            self.beats_left -= 1;
            if self.beats_left == 0 {
                self.beats_left = rng.gen_range(1..=12);
            }
        } else {
            pins.s_last = rng.gen();
        }
        if pins.reset {
            self.beats_left = 1;
            self.seed = if rng.gen() { u32::MAX } else { rng.gen() };
        }
        pins
    }
}

/// Request lines: each comes at random and goes, mostly, with its grant.
struct Requests {
    rng: ChaCha8Rng,
    sink: Sink,
    lines: u64,
    /// Lines that rise a cycle, as the number of random masks that are combined.
    sparsity: u32,
}

impl Requests {
    fn new(seed: u64) -> Self {
        Self { rng: sub(seed, 0), sink: Sink::new(sub(seed, 1)), lines: 0, sparsity: 3 }
    }
}

impl Stimulus<RrArb<1>> for Requests {
    fn next(&mut self, _cycle: u64, out: &RrArbOut) -> RrArbIn {
        let m_ready = self.sink.drive();
        let pins = RrArbIn {
            reset: self.rng.gen_ratio(1, RESET_CYCLES),
            request: Wide([self.lines]),
            m_ready,
        };
        if self.rng.gen_ratio(1, 300) {
            self.sparsity = self.rng.gen_range(1..14);
        }
        if out.m_valid && m_ready && !self.rng.gen_ratio(1, 8) {
            self.lines &= !(1 << out.m_index);
        }
        self.lines |= (0..self.sparsity).fold(u64::MAX, |mask, _| mask & self.rng.gen::<u64>());
        if self.rng.gen_ratio(1, 100) {
            self.lines = 0;
        }
        pins
    }
}

/// Items of two sources into one sink.
struct Pairs {
    rng: ChaCha8Rng,
    sources: [Source<u64>; 2],
    sink: Sink,
}

impl Pairs {
    fn new(seed: u64) -> Self {
        let sources = [1, 2].map(|salt| Source::new(sub(seed, salt)));
        Self { rng: sub(seed, 0), sources, sink: Sink::new(sub(seed, 3)) }
    }
}

impl Stimulus<StreamMux<u64>> for Pairs {
    fn next(&mut self, _cycle: u64, out: &StreamMuxOut) -> StreamMuxIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let (a, b) = (self.rng.gen(), self.rng.gen());
        let offer_a = self.sources[0].drive(out.s_a_ready, || Some(a));
        let offer_b = self.sources[1].drive(out.s_b_ready, || Some(b));
        if reset {
            self.sources.iter_mut().for_each(Source::reset);
        }
        StreamMuxIn {
            reset,
            s_a_valid: offer_a.is_some(),
            s_a_data: offer_a.unwrap_or(!a),
            s_b_valid: offer_b.is_some(),
            s_b_data: offer_b.unwrap_or(!b),
            m_ready: self.sink.drive(),
        }
    }
}

/// Items for two sinks.
struct Routed {
    rng: ChaCha8Rng,
    source: Source<u64>,
    sinks: [Sink; 2],
}

impl Routed {
    fn new(seed: u64) -> Self {
        let sinks = [2, 3].map(|salt| Sink::new(sub(seed, salt)));
        Self { rng: sub(seed, 0), source: Source::new(sub(seed, 1)), sinks }
    }
}

impl Stimulus<StreamRouteBlock> for Routed {
    fn next(&mut self, _cycle: u64, out: &StreamRouteOut) -> StreamRouteIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let junk = self.rng.gen::<u64>() >> (63 - ITEM_BITS);
        let offer = self.source.drive(out.s_ready, || Some(junk));
        if reset {
            self.source.reset();
        }
        let [a, b] = &mut self.sinks;
        StreamRouteIn {
            reset,
            s_valid: offer.is_some(),
            s_data: offer.unwrap_or(junk ^ 1),
            m_a_ready: a.drive(),
            m_b_ready: b.drive(),
        }
    }
}
