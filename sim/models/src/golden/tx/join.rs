//! Twin of `hdl/src/tx/join.rs`: appends one part of a frame to another, byte by byte, and gives
//! the bytes out in beats.

use crate::ports::Data;

/// A beat of a part; `bytes` is less than a beat's only if it is the last one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    pub data: Data,
    pub bytes: usize,
    pub last: bool,
    pub bad: bool,
}

impl Part {
    /// The beats of a part of a frame; at least one.
    pub fn beats(part: &[u8], beat_bytes: usize) -> Vec<Self> {
        let count = part.len().div_ceil(beat_bytes).max(1);
        let mut beats: Vec<Self> = part
            .chunks(beat_bytes)
            .map(|chunk| Self { data: Data::of(chunk), bytes: chunk.len(), ..Self::default() })
            .collect();
        beats.resize(count, Self::default());
        beats[count - 1].last = true;
        beats
    }

    fn content(&self) -> impl Iterator<Item = u8> {
        self.data.bytes().into_iter().take(self.bytes)
    }
}

/// What a cycle takes: of the first part, of the turned beat of the second one.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// The source takes a beat, so that another one can leave.
    moves: bool,
    /// A beat of the first part, if one is offered.
    pub first: bool,
    /// The second part's beat at hand.
    second: bool,
    /// A beat of the second part, if one is offered.
    pub next_second: bool,
}

/// Joins parts.
#[derive(Clone, Debug)]
pub struct Join {
    beat_bytes: usize,
    /// A beat of the second part that has been taken.
    turned: Option<Part>,
    /// The first part has been taken.
    is_second: bool,
    /// Taken, and not yet in a beat.
    rest: Vec<u8>,
    /// The frame has ended but for the rest; it is bad.
    flush: Option<bool>,
    /// What leaves.
    pub out: Option<Part>,
}

impl Join {
    /// A join on beats of so many bytes.
    pub fn new(beat_bytes: usize) -> Self {
        let rest = Vec::with_capacity(2 * beat_bytes);
        Self { beat_bytes, turned: None, is_second: false, rest, flush: None, out: None }
    }

    /// What the coming edge takes, `a` being offered.
    pub fn takes(&self, a: Option<&Part>, m_ready: bool) -> Takes {
        let moves = self.out.is_none() || m_ready;
        let in_first = !self.is_second && self.flush.is_none();
        // A first part that doesn't end where a beat does shares its last one with the second part.
        let shares = a.is_some_and(|a| a.last && a.bytes < self.beat_bytes);
        let second = moves && self.turned.is_some() && (self.is_second || (in_first && shares));
        Takes {
            moves,
            first: moves && in_first && (!shares || self.turned.is_some()),
            second,
            next_second: self.turned.is_none() || second,
        }
    }

    /// One clock edge; `takes` is of this cycle.
    pub fn step(&mut self, takes: Takes, a: Option<Part>, b: Option<Part>) {
        let first = a.filter(|_| takes.first);
        let second = self.turned.filter(|_| takes.second);
        if takes.next_second {
            self.turned = b;
        }
        if !takes.moves {
            return;
        }
        self.out = None;
        if let Some(bad) = self.flush.take() {
            return self.emit(true, bad);
        }
        if first.is_none() && second.is_none() {
            return;
        }
        self.rest.extend(first.iter().flat_map(Part::content));
        self.rest.extend(second.iter().flat_map(Part::content));
        match second {
            Some(b) if b.last => {
                let fits = self.rest.len() <= self.beat_bytes;
                self.flush = (!fits).then_some(b.bad);
                self.is_second = false;
                self.emit(fits, b.bad);
            }
            second => {
                self.is_second = second.is_some() || first.is_some_and(|a| a.last);
                self.emit(false, false);
            }
        }
    }

    fn emit(&mut self, last: bool, bad: bool) {
        let bytes = self.rest.len().min(self.beat_bytes);
        let data = Data::of(&self.rest[..bytes]);
        self.rest.drain(..bytes);
        self.out = Some(Part { data, bytes, last, bad });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of lengths: the bytes of both, and a beat a cycle.
    #[test]
    fn join_appends_at_every_length_without_an_idle_cycle() {
        for beat_bytes in [8, 64] {
            for (a_bytes, b_bytes) in
                (0..140).step_by(2).flat_map(|a| (1..140).map(move |b| (a, b)))
            {
                let bytes: Vec<u8> = (0..a_bytes + b_bytes).map(|n| n as u8).collect();
                let (a, b) = bytes.split_at(a_bytes);
                let mut join = Join::new(beat_bytes);
                let mut a = Part::beats(a, beat_bytes).into_iter().peekable();
                let mut b = Part::beats(b, beat_bytes).into_iter().peekable();
                let (mut got, mut cycles) = (vec![], 0);
                loop {
                    let takes = join.takes(a.peek(), true);
                    let (first, second) = (a.peek().copied(), b.peek().copied());
                    a.next_if(|_| takes.first);
                    b.next_if(|_| takes.next_second);
                    join.step(takes, first, second);
                    cycles += 1;
                    got.extend(join.out.iter().flat_map(Part::content));
                    if join.out.is_some_and(|out| out.last) {
                        break;
                    }
                }
                assert_eq!(got, bytes, "{a_bytes} and {b_bytes} bytes");
                // One cycle for the first beat of b.
                assert!(cycles <= 1 + bytes.len().div_ceil(beat_bytes), "{a_bytes}, {b_bytes}");
            }
        }
    }
}
