//! The event queue: what happens next, of a fixed set of things that can happen.
//!
//! Each thing (a link's head arrives, a host's timer) has an id and at most one pending event, so the
//! queue is a tree of winners over the ids. The key of an event is its time with the id below it: ties
//! are settled by the id, the same way in every run.

/// Bits of a key that are the id.
pub const ID_BITS: u32 = 16;
/// Ids that fit.
pub const IDS_MAX: usize = 1 << ID_BITS;
/// A time at which nothing happens.
pub const NEVER_PS: u64 = u64::MAX;
/// Times of events are below this: 281 s.
pub const TIME_PS_MAX: u64 = 1 << (64 - ID_BITS);

/// Pending events, at most one an id.
#[derive(Clone, Debug)]
pub struct Events {
    leaf_count: usize,
    /// Node n has the children 2n and 2n + 1, and holds the smaller of their keys.
    keys: Vec<u64>,
}

impl Events {
    /// None pending, for ids below `id_count`.
    pub fn new(id_count: usize) -> Self {
        assert!(id_count <= IDS_MAX, "{id_count} ids do not fit into a key");
        let leaf_count = id_count.next_power_of_two().max(2);
        Self { leaf_count, keys: vec![u64::MAX; 2 * leaf_count] }
    }

    /// The event of `id` is at `at_ps`, whenever it was before.
    #[inline]
    pub fn set(&mut self, id: usize, at_ps: u64) {
        debug_assert!(at_ps < TIME_PS_MAX, "the time of an event overflows");
        self.put(id, at_ps << ID_BITS | id as u64);
    }

    /// `id` has no event any more.
    #[inline]
    pub fn cancel(&mut self, id: usize) {
        self.put(id, u64::MAX);
    }

    #[inline]
    fn put(&mut self, id: usize, key: u64) {
        let mut node = self.leaf_count + id;
        self.keys[node] = key;
        while node > 1 {
            let winner = self.keys[node].min(self.keys[node ^ 1]);
            node >>= 1;
            // What stands above stays as it is.
            if self.keys[node] == winner {
                break;
            }
            self.keys[node] = winner;
        }
    }

    /// The next event: time and id. It stays pending until its id is set or cancelled, so that a walk
    /// through the tree is saved where the id goes on.
    #[inline]
    pub fn first(&self) -> Option<(u64, usize)> {
        let key = self.keys[1];
        let id = (key & (IDS_MAX as u64 - 1)) as usize;
        (key != u64::MAX).then_some((key >> ID_BITS, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn events_come_in_the_order_of_time_and_id() {
        let mut events = Events::new(5);
        for (id, at_ps) in [(4, 7), (0, 9), (2, 7), (3, 1)] {
            events.set(id, at_ps);
        }
        events.set(3, 8);
        events.cancel(0);
        let next = || {
            let first = events.first();
            first.inspect(|(_, id)| events.cancel(*id))
        };
        let order: Vec<_> = std::iter::from_fn(next).collect();
        assert_eq!(order, [(7, 2), (7, 4), (8, 3)]);
    }

    #[test]
    fn events_match_a_sorted_map() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut events, mut expected) = (Events::new(37), std::collections::BTreeMap::new());
        for _ in 0..10_000 {
            let id = rng.gen_range(0..37);
            match rng.gen_range(0..4) {
                0 => {
                    let first = expected.iter().map(|(id, at_ps)| (*at_ps, *id)).min();
                    assert_eq!(events.first(), first);
                    if let Some((_, id)) = first {
                        events.cancel(id);
                        expected.remove(&id);
                    }
                }
                1 => {
                    events.cancel(id);
                    expected.remove(&id);
                }
                _ => {
                    let at_ps = rng.gen_range(0..100);
                    events.set(id, at_ps);
                    expected.insert(id, at_ps);
                }
            }
        }
    }
}
