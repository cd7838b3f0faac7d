//! The PHY's side of RGMII: frames to the pins and from them, with preamble, FCS and gap.

use nic_spec::wire::{ethernet::FRAME_BYTES_MIN, icrc::Crc32};
use std::collections::VecDeque;

/// Bytes of preamble and start delimiter.
const PREAMBLE: [u8; 8] = [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5];
/// Shortest gap between frames, in bytes.
pub const GAP_BYTES: usize = 12;

/// The FCS of a frame, as it goes over the line.
fn fcs(frame: &[u8]) -> [u8; 4] {
    let mut crc = Crc32::default();
    crc.update(frame);
    crc.value().to_le_bytes()
}

/// What is wrong with a frame on its way to the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Harm {
    /// Nothing.
    #[default]
    None,
    /// One bit of the FCS is toggled.
    Fcs,
    /// The PHY marks a byte of it.
    Marked,
}

/// A frame from the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its bytes, without preamble and FCS.
    pub bytes: Vec<u8>,
    /// Preamble, FCS and length are right.
    pub is_good: bool,
    /// Byte times of silence before it.
    pub gap_bytes: usize,
}

/// A byte time on the way to the board.
#[derive(Clone, Copy, Debug, Default)]
struct Symbol {
    is_valid: bool,
    is_error: bool,
    byte: u8,
}

/// Levels of the pins towards the board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pins {
    /// Clock.
    pub clock: bool,
    /// Control.
    pub ctl: bool,
    /// Data.
    pub data: u8,
}

/// The PHY.
#[derive(Debug, Default)]
pub struct Rgmii {
    to_board: VecDeque<Symbol>,
    symbol: Symbol,
    last_clock: bool,
    low: (bool, u8),
    frame: Vec<u8>,
    is_error: bool,
    gap_bytes: usize,
    /// Frames from the board.
    pub sent: VecDeque<Sent>,
}

impl Rgmii {
    /// Queues a frame for the board, padded to the shortest; the next one follows after the
    /// shortest gap.
    pub fn deliver(&mut self, frame: &[u8], harm: Harm) {
        let mut bytes = frame.to_vec();
        bytes.resize(frame.len().max(FRAME_BYTES_MIN), 0);
        let mut check = fcs(&bytes);
        check[3] ^= u8::from(harm == Harm::Fcs) << 5;
        let (half, all) = (PREAMBLE.len() + bytes.len() / 2, PREAMBLE.iter());
        let all = all.chain(&bytes).chain(&check).enumerate();
        let symbol = |(at, byte): (usize, &u8)| Symbol {
            is_valid: true,
            is_error: harm == Harm::Marked && at == half,
            byte: *byte,
        };
        self.to_board.extend(all.map(symbol));
        self.to_board.extend([Symbol::default(); GAP_BYTES]);
    }

    /// Nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.to_board.is_empty() && !self.symbol.is_valid && self.frame.is_empty()
    }

    /// The pins towards the board in a quarter of a byte time, 0 to 3. They change in the middle
    /// between two edges of the clock: the PHY delays it.
    pub fn drive(&mut self, quarter: usize) -> Pins {
        if quarter == 0 {
            self.symbol = self.to_board.pop_front().unwrap_or_default();
        }
        let Symbol { is_valid, is_error, byte } = self.symbol;
        let clock = quarter == 1 || quarter == 2;
        match quarter {
            0 | 1 => Pins { clock, ctl: is_valid, data: byte & 15 },
            _ => Pins { clock, ctl: is_valid ^ is_error, data: byte >> 4 },
        }
    }

    /// Looks at the pins from the board.
    pub fn sample(&mut self, pins: Pins) {
        match (self.last_clock, pins.clock) {
            (false, true) => self.low = (pins.ctl, pins.data),
            (true, false) => self.take(self.low.0, pins.ctl, self.low.1 | pins.data << 4),
            _ => {}
        }
        self.last_clock = pins.clock;
    }

    fn take(&mut self, is_valid: bool, second: bool, byte: u8) {
        if is_valid {
            self.frame.push(byte);
            self.is_error |= !second;
        } else if self.frame.is_empty() {
            self.gap_bytes += 1;
        } else {
            let line = std::mem::take(&mut self.frame);
            let bytes = line.strip_prefix(&PREAMBLE).and_then(|rest| {
                let (bytes, check) = rest.split_last_chunk::<4>()?;
                let is_whole = bytes.len() >= FRAME_BYTES_MIN && *check == fcs(bytes);
                is_whole.then(|| bytes.to_vec())
            });
            let is_good = bytes.is_some() && !self.is_error;
            let bytes = bytes.unwrap_or(line);
            self.sent.push_back(Sent { bytes, is_good, gap_bytes: self.gap_bytes });
            (self.gap_bytes, self.is_error) = (1, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fcs_is_that_of_a_frame_with_a_known_one() {
        // CRC-32's check value, and the FCS of 60 zeros.
        assert_eq!(fcs(b"123456789"), 0xcbf4_3926_u32.to_le_bytes());
        assert_eq!(fcs(&[0; 60]), 0x0412_8908_u32.to_le_bytes());
    }

    #[test]
    fn frames_come_back_from_the_pins() {
        let mut phy = Rgmii::default();
        let frames = [vec![0x5a; 61], vec![0xd5; 60], vec![1; 1500]];
        frames.iter().for_each(|frame| phy.deliver(frame, Harm::None));
        phy.deliver(&frames[0], Harm::Fcs);
        phy.deliver(&frames[0], Harm::Marked);
        while !phy.is_idle() {
            for quarter in 0..4 {
                let pins = phy.drive(quarter);
                phy.sample(pins);
            }
        }
        let good: Vec<bool> = phy.sent.iter().map(|sent| sent.is_good).collect();
        assert_eq!(good, [true, true, true, false, false]);
        assert!(phy.sent.iter().zip(&frames).all(|(sent, frame)| sent.bytes == *frame));
        assert!(phy.sent.iter().skip(1).all(|sent| sent.gap_bytes == GAP_BYTES));
    }
}
