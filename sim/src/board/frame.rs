//! Frames on a serial line, as RFC 1662 has them: bytes that would be taken for flags are escaped,
//! and the frame ends with its check sequence and a flag.

use nic_spec::serial::{check_sequence, CHECK_START, ESCAPE, FLAG, TOGGLED};

/// Longest frame that is looked for: a longer one is what two made of a lost flag.
const BYTES_MAX: usize = 256;

fn check_of(bytes: &[u8]) -> u16 {
    bytes.iter().fold(CHECK_START, |check, byte| check_sequence(check, *byte))
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is about.
    pub kind: u8,
    /// Brought back by the answer.
    pub number: u8,
    /// What the kind says.
    pub payload: Vec<u8>,
}

impl Frame {
    /// The frame as it goes over the line.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.kind, self.number];
        bytes.extend(&self.payload);
        let check = !check_of(&bytes);
        bytes.extend(check.to_le_bytes());
        let mut line = Vec::with_capacity(bytes.len() + 3);
        for byte in bytes {
            match byte {
                FLAG | ESCAPE => line.extend([ESCAPE, byte ^ TOGGLED]),
                _ => line.push(byte),
            }
        }
        line.push(FLAG);
        line
    }
}

/// Finds frames in what comes over the line.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
    is_escaped: bool,
}

impl Decoder {
    /// Takes a byte; at the end of a frame that frame, or `None` in its place if it is broken.
    pub fn push(&mut self, byte: u8) -> Option<Option<Frame>> {
        match byte {
            FLAG if self.bytes.is_empty() && !self.is_escaped => return None,
            FLAG => {
                let frame = self.frame();
                *self = Self::default();
                return Some(frame);
            }
            ESCAPE if !self.is_escaped => self.is_escaped = true,
            _ => {
                let toggled = if self.is_escaped { TOGGLED } else { 0 };
                self.is_escaped = false;
                if self.bytes.len() < BYTES_MAX {
                    self.bytes.push(byte ^ toggled);
                }
            }
        }
        None
    }

    fn frame(&self) -> Option<Frame> {
        let (content, check) = self.bytes.split_last_chunk::<2>()?;
        let is_whole = !self.is_escaped && !check_of(content) == u16::from_le_bytes(*check);
        match content {
            [kind, number, payload @ ..] if is_whole => {
                Some(Frame { kind: *kind, number: *number, payload: payload.to_vec() })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_sequence_is_that_of_the_standard() {
        // The check value of CRC-16/X-25.
        assert_eq!(!check_of(b"123456789"), 0x906e);
        // RFC 1662: over a frame with its check sequence it is 0xf0b8.
        assert_eq!(check_of(b"123456789\x6e\x90"), 0xf0b8);
    }

    #[test]
    fn frames_come_back_from_bytes_with_flags_and_escapes() {
        let frame = Frame { kind: 0x7e, number: 0x7d, payload: vec![0x7e, 0, 0x7d, 0x5e] };
        let line = frame.encode();
        assert_eq!(&line[..8], [0x7d, 0x5e, 0x7d, 0x5d, 0x7d, 0x5e, 0, 0x7d]);
        let mut decoder = Decoder::default();
        let found: Vec<_> = line.iter().filter_map(|b| decoder.push(*b)).collect();
        assert_eq!(found, [Some(frame)]);
    }

    #[test]
    fn a_broken_byte_costs_one_frame() {
        let frame = |number| Frame { kind: 4, number, payload: vec![number; 20] };
        let lines = [frame(1).encode(), frame(2).encode(), frame(3).encode()].concat();
        for at in 0..lines.len() {
            let mut broken = lines.clone();
            broken[at] ^= 0x10;
            let mut decoder = Decoder::default();
            let found: Vec<_> = broken.iter().filter_map(|b| decoder.push(*b)).collect();
            let whole = found.iter().flatten().count();
            // A flag that is broken joins two frames.
            assert!((1..=2).contains(&whole), "byte {at}: {found:?}");
            assert!(found.iter().flatten().all(|f| *f == frame(f.number)), "byte {at}");
        }
    }
}
