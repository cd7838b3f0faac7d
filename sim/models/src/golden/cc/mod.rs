//! Twins of the congestion control blocks (`hdl/src/cc`).

pub mod cc_active;
pub mod cc_core;
pub mod cc_ewma;
pub mod cc_hop;
pub mod cc_unit;
pub mod cc_unit_serial;
pub mod cc_unit_wide;
pub mod cc_wind;
pub mod flow_state;
pub mod ports;

/// Results on their way through a pipeline of `N` stages; an idle stage holds the default.
#[derive(Clone, Debug)]
pub struct Pipe<T, const N: usize> {
    in_flight: [T; N],
    at: usize,
}

impl<T: Copy + Default, const N: usize> Default for Pipe<T, N> {
    fn default() -> Self {
        Self { in_flight: [T::default(); N], at: 0 }
    }
}

impl<T: Copy + Default, const N: usize> Pipe<T, N> {
    /// One clock edge: takes the result of this cycle's inputs, returns the outputs after it.
    pub fn step(&mut self, reset: bool, result: T) -> T {
        if reset {
            *self = Self::default();
            return T::default();
        }
        self.in_flight[self.at] = result;
        self.at = (self.at + 1) % N;
        self.in_flight[self.at]
    }
}
