//! An IOAM incremental trace read bit by bit, as section 4.4 of RFC 9197 tells it, behind the four
//! bytes of RFC 9452.

/// What a node tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Node.
    pub node: u32,
    /// Ingress and egress interface.
    pub interfaces: Option<(u16, u16)>,
    /// Time, seconds.
    pub seconds: Option<u32>,
    /// Time, fraction of a second.
    pub fraction: u32,
    /// Queue depth.
    pub queue: u32,
    /// Bytes sent.
    pub tx_bytes: u32,
}

/// Every node of the path, the newest first, from the bytes behind UDP; `None` if they do not tell
/// about every node what congestion control needs. With `binary` fractions no seconds are needed.
pub fn nodes(bytes: &[u8], binary: bool) -> Option<Vec<Node>> {
    let option = bytes.get(4..4 + 4 * usize::from(*bytes.get(1)?))?;
    let mut words = option.chunks(4).map(|w| u32::from_be_bytes(w.try_into().expect("4 bytes")));
    let (header, trace_type) = (words.next()?, words.next()? >> 8);
    let node_words = (header >> 11 & 31) as usize;
    let has_overflowed = header >> 10 & 1 != 0;
    let asked: Vec<u32> = (0..24).filter(|bit| trace_type >> (23 - bit) & 1 != 0).collect();
    let is_wide = |bit: &u32| (8..=10).contains(bit);
    let asked_words: usize =
        asked.iter().map(|bit| if is_wide(bit) { 2 } else { usize::from(*bit < 22) }).sum();
    let needs_seconds = (!binary).then_some(2);
    let has_all = [0, 3, 6, 12].into_iter().chain(needs_seconds).all(|bit| asked.contains(&bit));
    if bytes[0] != 1
        || has_overflowed
        || !has_all
        || asked.contains(&22)
        || asked_words > node_words
    {
        return None;
    }
    let data: Vec<u32> = words.collect();
    let nodes = data.chunks(node_words).map(|data| {
        let mut words = data.iter().copied();
        let mut node = Node::default();
        for bit in asked.iter().filter(|bit| **bit < 22) {
            let word = words.next()?;
            let whole = (word != u32::MAX).then_some(word);
            match bit {
                0 => node.node = Some(word & 0xff_ffff).filter(|node| *node != 0xff_ffff)?,
                1 => node.interfaces = Some(((whole? >> 16) as u16, whole? as u16)),
                2 => node.seconds = Some(word),
                3 => node.fraction = whole?,
                6 => node.queue = whole?,
                8..=10 => drop(words.next()?),
                12 => node.tx_bytes = whole?,
                _ => {}
            }
        }
        (data.len() == node_words).then_some(node)
    });
    nodes.collect()
}
