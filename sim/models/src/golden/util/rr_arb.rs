//! Twin of `hdl/src/util/rr_arb.rs`: grants go round, a request is looked at again after its grant.

use crate::ports;
use crate::ports::{Golden, Wide};

/// Arbiter over up to `64 * WORDS` requests.
#[derive(Clone, Debug)]
pub struct RrArb<const WORDS: usize> {
    request_count: usize,
    granted: bool,
    last: usize,
    /// Who would be granted by the requests of the cycle before; `None` while not looked at.
    candidate: Option<usize>,
}

impl<const WORDS: usize> RrArb<WORDS> {
    /// Arbiter over `request_count` (a power of two) requests.
    pub fn new(request_count: usize) -> Self {
        let last = request_count - 1;
        Self { request_count, granted: false, last, candidate: None }
    }

    /// `m_valid`.
    pub fn m_valid(&self) -> bool {
        self.granted
    }

    /// `m_index`: the last grant while `m_valid` is low.
    pub fn m_index(&self) -> usize {
        self.last
    }

    fn next_after(&self, request: &[u64; WORDS]) -> Option<usize> {
        (1..=self.request_count)
            .map(|i| (self.last + i) % self.request_count)
            .find(|i| request[i / 64] >> (i % 64) & 1 == 1)
    }

    /// One clock edge.
    pub fn step(&mut self, reset: bool, request: &[u64; WORDS], m_ready: bool) {
        if reset {
            *self = Self::new(self.request_count);
            return;
        }
        if self.granted {
            self.granted = !m_ready;
            return;
        }
        match self.candidate.take() {
            Some(winner) => {
                self.granted = true;
                self.last = winner;
            }
            None => self.candidate = self.next_after(request),
        }
    }
}

ports! {
    /// Inputs of a 64-way arbiter.
    pub struct RrArbIn {
        /// Synchronous reset.
        pub reset: bool,
        /// One line a requester.
        pub request: Wide<1>,
        /// The grant is taken.
        pub m_ready: bool,
    }
}
ports! {
    /// Outputs of the arbiter.
    pub struct RrArbOut {
        /// A grant stands.
        pub m_valid: bool,
        /// Whom it is for.
        pub m_index: u16,
    }
}

impl Golden for RrArb<1> {
    type In = RrArbIn;
    type Out = RrArbOut;
    fn step(&mut self, i: &RrArbIn) -> RrArbOut {
        RrArb::step(self, i.reset, &i.request.0, i.m_ready);
        RrArbOut { m_valid: self.granted, m_index: self.last as u16 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rr_arb_goes_round() {
        let mut arb = RrArb::<1>::new(16);
        let mut grants = Vec::new();
        for _ in 0..18 {
            arb.step(false, &[0b1000_0000_0001_0010], true);
            if arb.m_valid() {
                grants.push(arb.m_index());
            }
        }
        assert_eq!(grants, [1, 4, 15, 1, 4, 15]);
    }
}
