//! Twin of `hdl/src/util/stream_mux.rs`: two streams into one, in turn.

use crate::ports;
use crate::ports::Golden;

/// Mux of any record; other twins compose it through its methods.
#[derive(Clone, Debug, Default)]
pub struct StreamMux<T> {
    /// The sink that is ready: false for a.
    ready: Option<bool>,
    b_next: bool,
    full: bool,
    item: T,
    is_b: bool,
}

impl<T: Copy + Default> StreamMux<T> {
    /// `s_a_ready` and `s_b_ready`.
    pub fn readies(&self) -> [bool; 2] {
        [self.ready == Some(false), self.ready == Some(true)]
    }

    /// `m_valid`.
    pub fn m_valid(&self) -> bool {
        self.full
    }

    /// `m_data` and whether it came from b: the last item while `m_valid` is low.
    pub fn m_data(&self) -> (T, bool) {
        (self.item, self.is_b)
    }

    /// One clock edge. `s` are the offered items, `m_ready` the taker's signal.
    pub fn step(&mut self, reset: bool, s: [Option<T>; 2], m_ready: bool) {
        if reset {
            *self = Self::default();
            return;
        }
        self.full &= !m_ready;
        let taken = self.ready.take().and_then(|is_b| Some((s[usize::from(is_b)]?, is_b)));
        if let Some((item, is_b)) = taken {
            (self.item, self.is_b, self.full) = (item, is_b, true);
            self.b_next = !is_b;
        } else if !self.full {
            // With nobody waiting a is ready.
            self.ready = match s {
                [Some(_), Some(_)] => Some(self.b_next),
                [_, None] => Some(false),
                [None, Some(_)] => Some(true),
            };
        }
    }
}

ports! {
    /// Inputs of a mux of 64 bits.
    pub struct StreamMuxIn {
        /// Synchronous reset.
        pub reset: bool,
        /// An item is offered at a.
        pub s_a_valid: bool,
        /// The item.
        pub s_a_data: u64,
        /// An item is offered at b.
        pub s_b_valid: bool,
        /// The item.
        pub s_b_data: u64,
        /// The item at the source is taken.
        pub m_ready: bool,
    }
}
ports! {
    /// Outputs of a mux of 64 bits.
    pub struct StreamMuxOut {
        /// The item of a will be taken.
        pub s_a_ready: bool,
        /// The item of b will be taken.
        pub s_b_ready: bool,
        /// An item stands at the source.
        pub m_valid: bool,
        /// The item.
        pub m_data: u64,
        /// It came from b.
        pub m_is_b: bool,
    }
}

impl Golden for StreamMux<u64> {
    type In = StreamMuxIn;
    type Out = StreamMuxOut;
    fn step(&mut self, i: &StreamMuxIn) -> StreamMuxOut {
        let offers = [i.s_a_valid.then_some(i.s_a_data), i.s_b_valid.then_some(i.s_b_data)];
        StreamMux::step(self, i.reset, offers, i.m_ready);
        let ([s_a_ready, s_b_ready], (m_data, m_is_b)) = (self.readies(), self.m_data());
        StreamMuxOut { s_a_ready, s_b_ready, m_valid: self.m_valid(), m_data, m_is_b }
    }
}
