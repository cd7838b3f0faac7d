//! Benches: the serial line of boards.

use super::random::sub;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::host::uart::{
    UartDeframer, UartDeframerIn, UartDeframerOut, UartFramer, UartFramerIn, UartFramerOut, UartRx,
    UartRxIn, UartRxOut, UartTx, UartTxIn, UartTxOut,
};
use nic_spec::config::NicConfig;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// How far the phase of the catalogue's UARTs moves in a cycle: a bit lasts 5 1/3 cycles.
pub const STEP: u32 = (1 << 16) * 3 / 16;
/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 3000;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    vec![
        Bench::new("uart_rx", config, || UartRx::new(STEP), Levels::new),
        Bench::new("uart_tx", config, || UartTx::new(STEP), Bytes::new),
        Bench::new("uart_deframer", config, UartDeframer::default, Bytes::new),
        Bench::new("uart_framer", config, UartFramer::default, Bytes::new),
    ]
}

/// A line: bytes at about the right speed, some without a stop bit, and noise.
struct Levels {
    rng: ChaCha8Rng,
    /// Levels, and for how many cycles.
    ahead: VecDeque<(bool, u32)>,
}

impl Levels {
    fn new(seed: u64) -> Self {
        Self { rng: sub(seed, 0), ahead: VecDeque::new() }
    }

    fn plan(&mut self) {
        let rng = &mut self.rng;
        if rng.gen_ratio(1, 12) {
            // A spike, or a line that is held.
            let cycles = if rng.gen() { rng.gen_range(1..4) } else { rng.gen_range(1..200) };
            self.ahead.push_back((rng.gen(), cycles));
            return;
        }
        if rng.gen_ratio(1, 4) {
            self.ahead.push_back((true, rng.gen_range(1..20)));
        }
        // In 48ths of a cycle: 256 are a bit, and the other side is up to 2 % off.
        let bit = 256 + rng.gen_range(-5..=5);
        let (byte, stop) = (rng.gen::<u8>(), !rng.gen_ratio(1, 10));
        let bits = [false].into_iter().chain((0..8).map(|b| byte >> b & 1 == 1)).chain([stop]);
        let mut at = 0;
        for (n, level) in bits.enumerate() {
            let end = (n as i32 + 1) * bit / 48;
            self.ahead.push_back((level, (end - at) as u32));
            at = end;
        }
    }
}

impl Stimulus<UartRx> for Levels {
    fn next(&mut self, _cycle: u64, _out: &UartRxOut) -> UartRxIn {
        while self.ahead.is_empty() {
            self.plan();
        }
        let (line, left) = self.ahead.front_mut().expect("planned above");
        let line = *line;
        *left -= 1;
        if *left == 0 {
            self.ahead.pop_front();
        }
        UartRxIn { reset: self.rng.gen_ratio(1, RESET_CYCLES), line }
    }
}

/// Bytes or frames, of which flags and escapes are frequent.
struct Bytes {
    rng: ChaCha8Rng,
    source: Source<u16>,
    sink: Sink,
    /// Of the frame that goes out, its check sequence behind it.
    ahead: VecDeque<u8>,
}

impl Bytes {
    fn new(seed: u64) -> Self {
        let (source, sink) = (Source::new(sub(seed, 1)), Sink::new(sub(seed, 2)));
        Self { rng: sub(seed, 0), source, sink, ahead: VecDeque::new() }
    }

    fn byte(rng: &mut ChaCha8Rng) -> u8 {
        match rng.gen_range(0..8) {
            0 => 0x7e,
            1 => 0x7d,
            2 => [0x5e, 0x5d, 0x20, 0][rng.gen_range(0..4)],
            _ => rng.gen(),
        }
    }

    /// Bytes of a line: frames, most of them whole, and what is left of others.
    fn line(rng: &mut ChaCha8Rng, ahead: &mut VecDeque<u8>) -> u16 {
        if let Some(byte) = ahead.pop_front() {
            return byte.into();
        }
        let payload: Vec<u8> = (0..rng.gen_range(0..12)).map(|_| Self::byte(rng)).collect();
        if rng.gen_ratio(1, 4) {
            ahead.extend(payload);
        } else {
            let (kind, number) = (Self::byte(rng), Self::byte(rng));
            ahead.extend(crate::board::Frame { kind, number, payload }.encode());
        }
        if rng.gen_ratio(1, 4) {
            let at = rng.gen_range(0..ahead.len().max(1));
            if let Some(byte) = ahead.get_mut(at) {
                *byte ^= 1 << rng.gen_range(0..8);
            }
        }
        ahead.extend((0..rng.gen_range(0..3)).map(|_| 0x7e));
        ahead.pop_front().unwrap_or(0x7e).into()
    }

    /// What a block is offered, if it is: `(reset, item or junk, whether it is one)`.
    fn drive(
        &mut self,
        ready: bool,
        item: impl FnOnce(&mut ChaCha8Rng, &mut VecDeque<u8>) -> u16,
    ) -> (bool, u16, bool) {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let (rng, ahead) = (&mut self.rng, &mut self.ahead);
        let offer = self.source.drive(ready, || Some(item(rng, ahead)));
        if reset {
            self.source.reset();
        }
        (reset, offer.unwrap_or_else(|| Self::byte(&mut self.rng).into()), offer.is_some())
    }
}

impl Stimulus<UartTx> for Bytes {
    fn next(&mut self, _cycle: u64, out: &UartTxOut) -> UartTxIn {
        let (reset, item, s_valid) = self.drive(out.s_ready, |rng, _| Self::byte(rng).into());
        UartTxIn { reset, s_valid, s_data: item as u8 }
    }
}

impl Stimulus<UartDeframer> for Bytes {
    fn next(&mut self, _cycle: u64, out: &UartDeframerOut) -> UartDeframerIn {
        let (reset, item, s_valid) = self.drive(out.s_ready, Self::line);
        UartDeframerIn { reset, s_valid, s_data: item as u8, m_ready: self.sink.drive() }
    }
}

impl Stimulus<UartFramer> for Bytes {
    fn next(&mut self, _cycle: u64, out: &UartFramerOut) -> UartFramerIn {
        let end = |rng: &mut ChaCha8Rng| u16::from(rng.gen_ratio(1, 8)) << 8;
        let item = |rng: &mut ChaCha8Rng, _: &mut VecDeque<u8>| {
            u16::from(Self::byte(rng)) | end(rng) | u16::from(rng.gen::<bool>()) << 9
        };
        let (reset, s_data, s_valid) = self.drive(out.s_ready, item);
        UartFramerIn { reset, s_valid, s_data, m_ready: self.sink.drive() }
    }
}
