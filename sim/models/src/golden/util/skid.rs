//! Twin of `hdl/src/util/skid.rs`: at most two items, both directions registered.

use crate::ports;
use crate::ports::Golden;

/// Skid buffer of any record; other twins compose it through its methods.
#[derive(Clone, Debug, Default)]
pub struct Skid<T> {
    head: T,
    spare: T,
    item_count: u8,
}

impl<T: Copy + Default> Skid<T> {
    /// `s_ready`.
    pub fn s_ready(&self) -> bool {
        self.item_count < 2
    }

    /// `m_valid`.
    pub fn m_valid(&self) -> bool {
        self.item_count > 0
    }

    /// `m_data`: the last item while `m_valid` is low.
    pub fn m_data(&self) -> T {
        self.head
    }

    /// One clock edge. `s` is the offered item, `m_ready` the taker's signal.
    pub fn step(&mut self, reset: bool, s: Option<T>, m_ready: bool) {
        if reset {
            *self = Self::default();
            return;
        }
        let taken = if self.s_ready() { s } else { None };
        if m_ready && self.m_valid() {
            self.item_count -= 1;
            if self.item_count == 1 {
                self.head = self.spare;
            }
        }
        if let Some(item) = taken {
            let place = if self.item_count == 0 { &mut self.head } else { &mut self.spare };
            *place = item;
            self.item_count += 1;
        }
    }
}

ports! {
    /// Inputs of a 64-bit skid or FIFO.
    pub struct ItemIn {
        /// Synchronous reset.
        pub reset: bool,
        /// An item is offered.
        pub s_valid: bool,
        /// The item.
        pub s_data: u64,
        /// The item at the source is taken.
        pub m_ready: bool,
    }
}
ports! {
    /// Outputs of a 64-bit skid.
    pub struct SkidOut {
        /// The offered item will be taken.
        pub s_ready: bool,
        /// An item stands at the source.
        pub m_valid: bool,
        /// The item.
        pub m_data: u64,
    }
}

impl ItemIn {
    /// The offered item.
    pub fn offer(&self) -> Option<u64> {
        self.s_valid.then_some(self.s_data)
    }
}

impl Golden for Skid<u64> {
    type In = ItemIn;
    type Out = SkidOut;
    fn step(&mut self, i: &ItemIn) -> SkidOut {
        Skid::step(self, i.reset, i.offer(), i.m_ready);
        SkidOut { s_ready: self.s_ready(), m_valid: self.m_valid(), m_data: self.m_data() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skid_passes_one_item_a_cycle_and_holds_two() {
        let mut skid = Skid::<u64>::default();
        skid.step(false, Some(1), true);
        assert_eq!((skid.m_valid(), skid.m_data()), (true, 1));
        skid.step(false, Some(2), true);
        assert_eq!((skid.m_valid(), skid.m_data(), skid.s_ready()), (true, 2, true));
        skid.step(false, Some(3), false);
        assert_eq!((skid.m_data(), skid.s_ready()), (2, false));
        skid.step(false, Some(4), true);
        assert_eq!((skid.m_valid(), skid.m_data(), skid.s_ready()), (true, 3, true));
        skid.step(false, None, true);
        assert_eq!((skid.m_valid(), skid.m_data()), (false, 3));
    }
}
