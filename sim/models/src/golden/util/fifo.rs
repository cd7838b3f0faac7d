//! Twins of `hdl/src/util/fifo.rs` (`Fifo<T, 0>`) and `hdl/src/util/ram_fifo.rs` (`Fifo<T, 1>`).
//! What comes to the latter while it holds none passes the memory.

use super::skid::ItemIn;
use crate::ports;
use crate::ports::Golden;
use std::collections::VecDeque;

/// FIFO of any record. `STAGES` is the number of places between memory and output register:
/// 0 for LUT RAM, 1 for block RAM.
#[derive(Clone, Debug)]
pub struct Fifo<T, const STAGES: usize> {
    depth: usize,
    memory: VecDeque<T>,
    stage: Option<T>,
    head: T,
    head_valid: bool,
}

/// FIFO in LUT RAM.
pub type LutFifo<T> = Fifo<T, 0>;
/// FIFO in block RAM.
pub type RamFifo<T> = Fifo<T, 1>;

impl<T: Copy + Default, const STAGES: usize> Fifo<T, STAGES> {
    /// A FIFO that holds `depth` items (`2^AW`).
    pub fn new(depth: usize) -> Self {
        assert!(STAGES <= 1 && depth.is_power_of_two() && depth >= 4);
        let memory = VecDeque::with_capacity(depth);
        Self { depth, memory, stage: None, head: T::default(), head_valid: false }
    }

    /// `count`: items taken and not yet delivered.
    pub fn count(&self) -> usize {
        self.memory.len() + usize::from(self.stage.is_some()) + usize::from(self.head_valid)
    }

    /// `s_ready`.
    pub fn s_ready(&self) -> bool {
        self.count() < self.depth
    }

    /// `m_valid`.
    pub fn m_valid(&self) -> bool {
        self.head_valid
    }

    /// `m_data`: the last item while `m_valid` is low.
    pub fn m_data(&self) -> T {
        self.head
    }

    /// One clock edge. `s` is the offered item, `m_ready` the taker's signal.
    pub fn step(&mut self, reset: bool, s: Option<T>, m_ready: bool) {
        if reset {
            self.memory.clear();
            self.stage = None;
            self.head = T::default();
            self.head_valid = false;
            return;
        }
        let mut taken = if self.s_ready() { s } else { None };
        let passes = STAGES == 1 && self.count() == 0;
        if m_ready {
            self.head_valid = false;
        }
        if !self.head_valid {
            let next = match STAGES {
                0 => self.memory.pop_front(),
                _ if passes => taken.take(),
                _ => self.stage.take(),
            };
            if let Some(item) = next {
                self.head = item;
                self.head_valid = true;
            }
        }
        if STAGES == 1 && self.stage.is_none() {
            self.stage = self.memory.pop_front();
        }
        self.memory.extend(taken);
    }
}

ports! {
    /// Outputs of a 64-bit FIFO.
    pub struct FifoOut {
        /// The offered item will be taken.
        pub s_ready: bool,
        /// An item stands at the source.
        pub m_valid: bool,
        /// The item.
        pub m_data: u64,
        /// Items taken and not yet delivered.
        pub count: u16,
    }
}

impl<const STAGES: usize> Golden for Fifo<u64, STAGES> {
    type In = ItemIn;
    type Out = FifoOut;
    fn step(&mut self, i: &ItemIn) -> FifoOut {
        Fifo::step(self, i.reset, i.offer(), i.m_ready);
        FifoOut {
            s_ready: self.s_ready(),
            m_valid: self.m_valid(),
            m_data: self.m_data(),
            count: self.count() as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifo_holds_exactly_its_depth_and_keeps_the_order() {
        let mut fifo = LutFifo::<u64>::new(4);
        (0..6).for_each(|n| fifo.step(false, Some(n), false));
        assert_eq!((fifo.count(), fifo.s_ready()), (4, false));
        let got: Vec<u64> = (0..4)
            .map(|_| {
                let head = fifo.m_data();
                fifo.step(false, None, true);
                head
            })
            .collect();
        assert_eq!(got, [0, 1, 2, 3]);
        assert!(!fifo.m_valid());
    }

    #[test]
    fn ram_fifo_latency_is_one_cycle_and_three_behind_others() {
        let mut fifo = RamFifo::<u64>::new(8);
        fifo.step(false, Some(7), false);
        assert_eq!((fifo.m_valid(), fifo.m_data()), (true, 7));
        fifo.step(false, Some(8), true);
        fifo.step(false, None, true);
        assert!(!fifo.m_valid());
        fifo.step(false, None, true);
        assert_eq!((fifo.m_valid(), fifo.m_data()), (true, 8));
    }
}
