//! Native in-band telemetry of HPCC between UDP and BTH, in two forms.
//!
//! The paper's form (SIGCOMM 2019, figure 7), big-endian: hop count 4 bits, path 12 bits, then per
//! hop a 64-bit record: rate code 4, time 24, bytes sent 20, queue 16.
//!
//! The authors' form, 42 bytes, little-endian: five 64-bit records (rate code [2:0], time [26:3],
//! bytes sent [46:27], queue [63:47]), then the hop count as 16 bits. It has no path.

use super::Result;

/// Where the fields of the authors' form are; its hops start at byte 0.
pub mod authors_field {
    use crate::wire::Field;
    /// Hop count, little-endian.
    pub const HOP_COUNT: Field = 40..42;
}

/// Where the fields of the paper's form are; its hops start at byte 2.
pub mod paper_field {
    use crate::wire::Field;
    /// Hop count (4 bits) and path (12 bits).
    pub const COUNT_PATH: Field = 0..2;
}

/// Bytes of a hop's record.
pub const HOP_BYTES: usize = 8;
/// Bytes of the authors' form.
pub const AUTHORS_BYTES: usize = 42;
/// Bytes of the paper's form without a hop.
pub const PAPER_BYTES_MIN: usize = 2;
/// Bytes of the paper's form with as many hops as its count can say.
pub const PAPER_BYTES_MAX: usize = PAPER_BYTES_MIN + HOPS_MAX * HOP_BYTES;
/// Most hops that a header can count.
pub const HOPS_MAX: usize = 15;
/// Most hops whose records are usable.
pub const HOPS_USED_MAX: usize = 5;
/// Bytes that a unit of [`Hop::tx_units`] stands for.
pub const TX_UNIT_BYTES: u32 = 128;
/// Bytes that a unit of [`Hop::queue_units`] stands for.
pub const QUEUE_UNIT_BYTES: u32 = 80;

/// Which form a header has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The paper's: 2 + 8n bytes.
    Paper,
    /// The authors' simulator's: 42 bytes.
    Authors,
}

/// What a switch wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Link rate: 0..=5 are 25, 50, 100, 200, 400 Gb/s and 0; 3 bits.
    pub rate_code: u8,
    /// Time of dequeueing in ns, modulo 2^24.
    pub ts_ns: u32,
    /// Bytes sent by the port, in units of [`TX_UNIT_BYTES`], modulo 2^20.
    pub tx_units: u32,
    /// Queue of the port in units of [`QUEUE_UNIT_BYTES`]: 17 bits, 16 in the paper's form.
    pub queue_units: u32,
}

impl Hop {
    /// The record as the authors' form and the core's `tel_hop` ports have it.
    pub const fn to_word(self) -> u64 {
        (self.rate_code as u64 & 0x7)
            | (self.ts_ns as u64 & 0xff_ffff) << 3
            | (self.tx_units as u64 & 0xf_ffff) << 27
            | (self.queue_units as u64 & 0x1_ffff) << 47
    }

    /// Reads the record as the authors' form has it.
    pub const fn from_word(word: u64) -> Self {
        Self {
            rate_code: (word & 0x7) as u8,
            ts_ns: (word >> 3 & 0xff_ffff) as u32,
            tx_units: (word >> 27 & 0xf_ffff) as u32,
            queue_units: (word >> 47) as u32,
        }
    }

    fn to_paper(self) -> u64 {
        (u64::from(self.rate_code) & 0xf) << 60
            | (u64::from(self.ts_ns) & 0xff_ffff) << 36
            | (u64::from(self.tx_units) & 0xf_ffff) << 16
            | u64::from(self.queue_units.min(0xffff))
    }

    fn from_paper(record: u64) -> Self {
        Self {
            rate_code: (record >> 60) as u8,
            ts_ns: (record >> 36 & 0xff_ffff) as u32,
            tx_units: (record >> 16 & 0xf_ffff) as u32,
            queue_units: (record & 0xffff) as u32,
        }
    }
}

/// A telemetry header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Hops that the header counts: at most [`HOPS_MAX`] in the paper's form.
    pub hop_count: u16,
    /// XOR of the switches' identifiers, 12 bits; 0 in the authors' form.
    pub path: u16,
    /// The records, first hop first. Those behind `hop_count` are zero; the authors' form has room
    /// for [`HOPS_USED_MAX`] whatever it counts.
    pub hops: [Hop; HOPS_MAX],
}

impl Repr {
    /// A header with these records, at most [`HOPS_MAX`].
    pub fn new(path: u16, hops: &[Hop]) -> Self {
        let mut repr = Self { hop_count: hops.len() as u16, path, ..Self::default() };
        repr.hops[..hops.len()].copy_from_slice(hops);
        repr
    }

    /// Whether the records can be used: at most five hops, rate codes of three bits.
    pub fn is_usable(&self) -> bool {
        let count = usize::from(self.hop_count);
        count <= HOPS_USED_MAX && self.hops[..count].iter().all(|hop| hop.rate_code < 8)
    }

    /// Reads the header from the front of `bytes`.
    pub fn parse(form: Form, bytes: &[u8]) -> Result<Self> {
        match form {
            Form::Paper => Self::parse_paper(bytes),
            Form::Authors => Self::parse_authors(bytes),
        }
    }

    fn parse_paper(bytes: &[u8]) -> Result<Self> {
        super::check_len(bytes, PAPER_BYTES_MIN)?;
        let count_path = super::get_be(bytes, paper_field::COUNT_PATH) as u16;
        let (hop_count, path) = (count_path >> 12, count_path & 0xfff);
        let mut repr = Self { hop_count, path, ..Self::default() };
        super::check_len(bytes, repr.buffer_len(Form::Paper))?;
        let records = bytes[PAPER_BYTES_MIN..].chunks_exact(HOP_BYTES);
        for (hop, record) in repr.hops[..usize::from(hop_count)].iter_mut().zip(records) {
            *hop = Hop::from_paper(super::get_be(record, 0..HOP_BYTES));
        }
        Ok(repr)
    }

    fn parse_authors(bytes: &[u8]) -> Result<Self> {
        super::check_len(bytes, AUTHORS_BYTES)?;
        let count = &bytes[authors_field::HOP_COUNT];
        let hop_count = u16::from_le_bytes([count[0], count[1]]);
        let used = usize::from(hop_count).min(HOPS_USED_MAX);
        let mut repr = Self { hop_count, path: 0, ..Self::default() };
        for (hop, record) in repr.hops[..used].iter_mut().zip(bytes.chunks_exact(HOP_BYTES)) {
            *hop = Hop::from_word(u64::from_le_bytes(record.try_into().expect("eight bytes")));
        }
        Ok(repr)
    }

    /// Bytes that [`Repr::emit`] writes.
    pub fn buffer_len(&self, form: Form) -> usize {
        match form {
            Form::Paper => PAPER_BYTES_MIN + usize::from(self.hop_count).min(HOPS_MAX) * HOP_BYTES,
            Form::Authors => AUTHORS_BYTES,
        }
    }

    /// Writes the header to the front of `buffer`.
    ///
    /// # Panics
    /// If the buffer is shorter than [`Repr::buffer_len`].
    pub fn emit(&self, form: Form, buffer: &mut [u8]) {
        let buffer = &mut buffer[..self.buffer_len(form)];
        match form {
            Form::Paper => {
                let count_path = u64::from(self.hop_count) << 12 | u64::from(self.path & 0xfff);
                super::put_be(buffer, paper_field::COUNT_PATH, count_path);
                let records = buffer[PAPER_BYTES_MIN..].chunks_exact_mut(HOP_BYTES);
                for (hop, record) in self.hops.iter().zip(records) {
                    super::put_be(record, 0..HOP_BYTES, hop.to_paper());
                }
            }
            Form::Authors => {
                let records = buffer.chunks_exact_mut(HOP_BYTES).take(HOPS_USED_MAX);
                for (hop, record) in self.hops.iter().zip(records) {
                    record.copy_from_slice(&hop.to_word().to_le_bytes());
                }
                buffer[authors_field::HOP_COUNT].copy_from_slice(&self.hop_count.to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;

    const HOP: Hop =
        Hop { rate_code: 2, ts_ns: 0x12_3456, tx_units: 0xa_bcde, queue_units: 0xf00f };

    #[test]
    fn telemetry_paper_form_is_figure_7() {
        let bytes = [0x1a, 0xbc, 0x21, 0x23, 0x45, 0x6a, 0xbc, 0xde, 0xf0, 0x0f];
        let repr = Repr::parse(Form::Paper, &bytes).unwrap();
        assert_eq!(repr, Repr::new(0xabc, &[HOP]));
        let mut out = [0; 10];
        repr.emit(Form::Paper, &mut out);
        assert_eq!(out, bytes);
        assert_eq!(Repr::parse(Form::Paper, &bytes[..9]), Err(WireError::Truncated));
        assert_eq!(Repr::parse(Form::Paper, &bytes[..1]), Err(WireError::Truncated));
    }

    #[test]
    fn telemetry_authors_form_is_42_bytes() {
        let word: u64 = 0xf00f << 47 | 0xabcde << 27 | 0x123456 << 3 | 2;
        assert_eq!(HOP.to_word(), word);
        assert_eq!(Hop::from_word(word), HOP);
        let mut bytes = [0; 42];
        Repr::new(0, &[HOP; 5]).emit(Form::Authors, &mut bytes);
        assert_eq!(&bytes[32..], &[0xb2, 0xa2, 0x91, 0xf0, 0xe6, 0xd5, 0x07, 0x78, 5, 0]);
        assert_eq!(Repr::parse(Form::Authors, &bytes), Ok(Repr::new(0, &[HOP; 5])));
        bytes[41] = 1;
        let repr = Repr::parse(Form::Authors, &bytes).unwrap();
        assert!(repr.hop_count == 0x105 && !repr.is_usable());
    }

    #[test]
    fn telemetry_with_more_than_five_hops_is_not_usable() {
        assert!(Repr::new(0, &[HOP; 5]).is_usable());
        assert!(!Repr::new(0, &[HOP; 6]).is_usable());
        let odd = Hop { rate_code: 8, ..HOP };
        assert!(!Repr::new(0, &[HOP, odd]).is_usable());
    }
}
