//! INT-MD read instruction by instruction, as section 5.8 of the INT dataplane specification 2.1
//! tells it.

/// What a hop tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Node.
    pub node: u32,
    /// Ingress and egress interface.
    pub interfaces: Option<(u16, u16)>,
    /// Occupancy of the queue.
    pub occupancy: u32,
    /// Egress time.
    pub egress_time: u64,
    /// Utilisation of the egress link.
    pub utilisation: u32,
}

struct Words<'a>(std::slice::Chunks<'a, u8>);

impl Words<'_> {
    fn word(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.0.next()?.try_into().ok()?))
    }

    /// A value of two words.
    fn long(&mut self) -> Option<u64> {
        Some(u64::from(self.word()?) << 32 | u64::from(self.word()?))
    }
}

/// Every hop of the path, the newest first, from the bytes behind UDP; `None` if they do not tell
/// about every hop what congestion control needs.
pub fn hops(bytes: &[u8]) -> Option<Vec<Hop>> {
    let length_words = usize::from(*bytes.get(1)?);
    let mut words = Words(bytes.get(4..4 + 4 * length_words)?.chunks(4));
    let (control, bitmap) = (words.word()?, words.word()? >> 16);
    let _domain = words.word()?;
    let is_version_2 = control >> 28 == 2;
    let is_cut = control >> 25 & 3 != 0;
    let hop_words = (control >> 8 & 31) as usize;
    let stack_words = length_words - 3;
    let is_even = hop_words > 0 && stack_words.is_multiple_of(hop_words);
    if !is_version_2 || is_cut || !is_even {
        return None;
    }
    let asked = |bit: u32| bitmap >> (15 - bit) & 1 != 0;
    let asked_words: usize =
        (0..16).map(|bit| usize::from(asked(bit)) << u32::from((4..7).contains(&bit))).sum();
    if asked_words > hop_words || ![0, 3, 5, 7].into_iter().all(asked) {
        return None;
    }
    let mut hops = Vec::new();
    for _ in 0..stack_words / hop_words {
        let mut hop = Hop::default();
        for bit in (0..16).filter(|bit| asked(*bit)) {
            match bit {
                0 => hop.node = valid(words.word()?)?,
                1 => {
                    let both = valid(words.word()?)?;
                    hop.interfaces = Some(((both >> 16) as u16, both as u16));
                }
                3 => hop.occupancy = valid(words.word()?)? & 0xff_ffff,
                5 => hop.egress_time = Some(words.long()?).filter(|time| *time != u64::MAX)?,
                7 => hop.utilisation = valid(words.word()?)?,
                4 | 6 => drop(words.long()?),
                _ => drop(words.word()?),
            }
        }
        for _domain in asked_words..hop_words {
            words.word()?;
        }
        hops.push(hop);
    }
    Some(hops)
}

/// All ones mean that there is no value.
fn valid(word: u32) -> Option<u32> {
    (word != u32::MAX).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn int_md_hop_is_read() {
        let bytes: Vec<u8> =
            [0x1009_0000_u32, 0x2000_0604, 0xd500_0000, 0, 7, 0x0001_0002, 0x0500_0021, 1, 2, 9900]
                .into_iter()
                .flat_map(u32::to_be_bytes)
                .collect();
        let hop = Hop {
            node: 7,
            interfaces: Some((1, 2)),
            occupancy: 0x21,
            egress_time: 1 << 32 | 2,
            utilisation: 9900,
        };
        assert_eq!(hops(&bytes), Some(vec![hop]));
        assert_eq!(hops(&bytes[..39]), None);
    }
}
