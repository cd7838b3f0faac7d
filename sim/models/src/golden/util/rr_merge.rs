//! Twin of `hdl/src/util/rr_merge.rs`: whose turn it is, of streams that leave as one.

/// Whose turn it is; other twins compose it through its methods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    /// It is being taken.
    take: Option<usize>,
    /// The first one that is asked for the next time.
    first: usize,
}

impl Turn {
    /// One clock edge.
    pub fn step(&mut self, is_free: bool, requests: &[bool]) {
        if let Some(taken) = self.take.take() {
            self.first = taken + 1;
        } else if is_free {
            let mut in_turn = (self.first..requests.len()).chain(0..self.first);
            self.take = in_turn.find(|e| requests[*e]);
        }
    }

    /// Who is being taken.
    pub fn taken(&self) -> Option<usize> {
        self.take
    }

    /// This one is being taken.
    pub fn takes(&self, at: usize) -> bool {
        self.take == Some(at)
    }
}
