//! Twin of `hdl/src/util/crc32.rs`: CRC-32/ISO-HDLC, byte by byte from a table.

use crate::ports;
use crate::ports::Golden;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            bit += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
};

/// State after `byte`.
pub fn update(state: u32, byte: u8) -> u32 {
    TABLE[usize::from(state as u8 ^ byte)] ^ (state >> 8)
}

/// CRC of a whole message.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |s, &b| update(s, b))
}

/// CRC of frames on a stream of beats.
#[derive(Clone, Debug)]
pub struct Crc32 {
    beat_bytes: usize,
    grain_bytes: usize,
    fresh: bool,
    state: u32,
    /// CRCs on their way to the output, the next one to appear in bit 0 of `due`.
    waiting: [u32; 16],
    due: u16,
    at: usize,
    latency_cycles: usize,
    valid: bool,
    crc: u32,
}

impl Crc32 {
    /// A CRC over beats of `beat_bytes`, 1..=512, a power of two; the length of a frame is rounded
    /// up to `grain_bytes`, a power of two.
    pub fn new(beat_bytes: usize, grain_bytes: usize) -> Self {
        let latency_cycles = match beat_bytes {
            1 => 3,
            _ => 2 + (beat_bytes / grain_bytes).ilog2() as usize,
        };
        Self {
            beat_bytes,
            grain_bytes,
            fresh: true,
            state: 0,
            waiting: [0; 16],
            due: 0,
            at: 0,
            latency_cycles,
            valid: false,
            crc: 0,
        }
    }

    /// Cycles from the last beat to the CRC.
    pub fn latency_cycles(&self) -> usize {
        self.latency_cycles
    }

    /// `m_valid`.
    pub fn m_valid(&self) -> bool {
        self.valid
    }

    /// `m_crc`.
    pub fn m_crc(&self) -> u32 {
        self.crc
    }

    /// One clock edge. A beat is `(data bytes, keep, last)`.
    pub fn step(&mut self, reset: bool, seed: u32, beat: Option<(&[u8], u64, bool)>) {
        if reset {
            *self = Self::new(self.beat_bytes, self.grain_bytes);
            return;
        }
        if let Some((bytes, keep, last)) = beat {
            if self.fresh {
                self.state = seed;
            }
            self.fresh = last;
            let highest = 64 - keep.leading_zeros() as usize;
            let kept = highest.max(1).next_multiple_of(self.grain_bytes);
            let count = if last { kept } else { self.beat_bytes };
            for (i, &byte) in bytes[..count].iter().enumerate() {
                self.state = update(self.state, if keep >> i & 1 == 1 { byte } else { 0 });
            }
            if last {
                let slot = self.latency_cycles - 1;
                self.due |= 1 << slot;
                self.waiting[(self.at + slot) % 16] = !self.state;
            }
        }
        self.valid = self.due & 1 == 1;
        if self.valid {
            self.crc = self.waiting[self.at];
        }
        self.due >>= 1;
        self.at = (self.at + 1) % 16;
    }
}

ports! {
    /// Inputs of the 64-bit block.
    pub struct Crc32In {
        /// Synchronous reset.
        pub reset: bool,
        /// State before the first byte; constant in use.
        pub cfg_seed: u32,
        /// A beat.
        pub s_valid: bool,
        /// Data, byte 0 in bits 7:0.
        pub s_data: u64,
        /// Bytes that count.
        pub s_keep: u8,
        /// Last beat of the frame.
        pub s_last: bool,
    }
}
ports! {
    /// Outputs of [`Crc32`].
    pub struct Crc32Out {
        /// A CRC is new.
        pub m_valid: bool,
        /// CRC of the last frame.
        pub m_crc: u32,
    }
}

impl Golden for Crc32 {
    type In = Crc32In;
    type Out = Crc32Out;
    fn step(&mut self, i: &Crc32In) -> Crc32Out {
        let bytes = i.s_data.to_le_bytes();
        let beat = i.s_valid.then_some((&bytes[..self.beat_bytes], u64::from(i.s_keep), i.s_last));
        Crc32::step(self, i.reset, i.cfg_seed, beat);
        Crc32Out { m_valid: self.valid, m_crc: self.crc }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc32_knows_its_check_values() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(&[0; 32]), 0x190a_55ad);
        assert_eq!(crc32(&[0xff; 32]), 0xff6c_ab0b);
    }

    #[test]
    fn crc32_of_a_frame_of_two_beats_appears_after_the_latency() {
        let mut crc = Crc32::new(8, 1);
        crc.step(false, u32::MAX, Some((b"12345678", 0xff, false)));
        crc.step(false, u32::MAX, Some((b"9.......", 0x01, true)));
        for _ in 1..crc.latency_cycles() {
            assert!(!crc.m_valid());
            crc.step(false, u32::MAX, None);
        }
        assert_eq!((crc.m_valid(), crc.m_crc()), (true, 0xcbf4_3926));
    }
}
