//! What happened in a run, in the cycles in which the scheduler heard or said it.

use super::load::Arm;

/// Something that a flow's history turns on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// UQ8.24 bytes a cycle.
    Rate(u32),
    Opens(bool),
    Asks(bool),
}

/// An arm that went out.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Cycle in which its grant was taken.
    pub granted: u64,
    /// On the line.
    pub start: f64,
    pub end: f64,
}

/// What happened to a flow, in order.
#[derive(Clone, Debug, Default)]
pub struct FlowHistory {
    pub events: Vec<(u64, Event)>,
    pub sent: Vec<Sent>,
}

/// What happened in a run.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub arms: Vec<Arm>,
    pub flows: Vec<FlowHistory>,
    /// From the opening of all windows at once until the promise holds again.
    pub settling: Vec<(u64, u64)>,
    /// Grants that came while the window was closed, and had been when they were decided.
    pub blocked_grants: u64,
    /// Cycle in which the last flow was created.
    pub begin: u64,
    pub end: u64,
}
