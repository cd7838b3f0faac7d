//! Twin of `hdl/src/util/stream_route.rs`: one stream into two.

use crate::ports;
use crate::ports::Golden;

/// Route of any record; other twins compose it through its methods.
#[derive(Clone, Debug, Default)]
pub struct StreamRoute<T> {
    /// Where the item goes: false for a.
    full: Option<bool>,
    item: T,
}

impl<T: Copy + Default> StreamRoute<T> {
    /// `s_ready`.
    pub fn s_ready(&self) -> bool {
        self.full.is_none()
    }

    /// `m_a_valid` and `m_b_valid`.
    pub fn valids(&self) -> [bool; 2] {
        [self.full == Some(false), self.full == Some(true)]
    }

    /// `m_a_data` and `m_b_data`: the last item.
    pub fn m_data(&self) -> T {
        self.item
    }

    /// One clock edge. `s` is the offered item and whether it goes to b.
    pub fn step(&mut self, reset: bool, s: Option<(T, bool)>, m_ready: [bool; 2]) {
        if reset {
            *self = Self::default();
            return;
        }
        match (self.full, s) {
            (Some(is_b), _) => self.full = self.full.filter(|_| !m_ready[usize::from(is_b)]),
            (None, Some((item, is_b))) => (self.item, self.full) = (item, Some(is_b)),
            (None, None) => {}
        }
    }
}

/// Bits of an item of the bench, without the one that says where it goes.
pub const ITEM_BITS: u32 = 32;

ports! {
    /// Inputs of a route of 32 bits.
    pub struct StreamRouteIn {
        /// Synchronous reset.
        pub reset: bool,
        /// An item is offered.
        pub s_valid: bool,
        /// The item; its top bit sends it to b.
        pub s_data: u64,
        /// The item for a is taken.
        pub m_a_ready: bool,
        /// The item for b is taken.
        pub m_b_ready: bool,
    }
}
ports! {
    /// Outputs of a route of 32 bits.
    pub struct StreamRouteOut {
        /// The offered item will be taken.
        pub s_ready: bool,
        /// An item for a stands.
        pub m_a_valid: bool,
        /// The item.
        pub m_a_data: u32,
        /// An item for b stands.
        pub m_b_valid: bool,
        /// The item.
        pub m_b_data: u32,
    }
}

/// The route at a number of bits, as a block.
#[derive(Clone, Debug)]
pub struct StreamRouteBlock {
    bits: u32,
    route: StreamRoute<u32>,
}

impl StreamRouteBlock {
    /// A route of items of `bits` bits.
    pub fn new(bits: u32) -> Self {
        Self { bits, route: StreamRoute::default() }
    }
}

impl Golden for StreamRouteBlock {
    type In = StreamRouteIn;
    type Out = StreamRouteOut;
    fn step(&mut self, i: &StreamRouteIn) -> StreamRouteOut {
        let item = (i.s_data & ((1 << self.bits) - 1)) as u32;
        let offer = i.s_valid.then_some((item, i.s_data >> self.bits & 1 != 0));
        self.route.step(i.reset, offer, [i.m_a_ready, i.m_b_ready]);
        let [m_a_valid, m_b_valid] = self.route.valids();
        let item = self.route.m_data();
        StreamRouteOut {
            s_ready: self.route.s_ready(),
            m_a_valid,
            m_a_data: item,
            m_b_valid,
            m_b_data: item,
        }
    }
}
