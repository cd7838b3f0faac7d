//! Twin of `hdl/src/transport/responder/mover.rs`: hands a frame of payload on, or drops it.

use crate::golden::util::skid::Skid;
use crate::streams::Axis;

/// The block.
#[derive(Clone, Debug, Default)]
pub struct Mover {
    input: Skid<Axis>,
    /// Orders: whether to drop the frame.
    orders: Skid<bool>,
    active: Option<bool>,
    out: Axis,
}

impl Mover {
    /// There is room for an order.
    pub fn order_ready(&self) -> bool {
        self.orders.s_ready()
    }

    /// `s_axis_tready`.
    pub fn s_ready(&self) -> bool {
        self.input.s_ready()
    }

    /// The source.
    pub fn m_axis(&self) -> Axis {
        self.out
    }

    /// One clock edge; an order says whether to drop the next frame.
    pub fn step(&mut self, reset: bool, s: &Axis, order: Option<bool>, m_ready: bool) {
        let head = self.input.m_data();
        let offer = s.tvalid.then_some(*s);
        if reset {
            *self = Self::default();
            return;
        }
        let is_free = !self.out.tvalid || m_ready;
        let can_take = self.active.is_some_and(|drop| drop || is_free);
        let moved = can_take && self.input.m_valid();
        self.input.step(false, offer, can_take);
        self.out.tvalid &= !m_ready;
        if moved && self.active == Some(false) {
            self.out = Axis { tvalid: true, ..head };
        }
        let takes = self.active.is_none() || moved && head.tlast;
        if takes {
            self.active = self.orders.m_valid().then_some(self.orders.m_data());
        }
        self.orders.step(false, order, takes);
    }
}
