//! What happens to a flow, and what is known of it: the rows that the scheduler's blocks share.

use crate::row;
use rust_hdl_core::prelude::*;

/// [`Operation`]: the flow leaves its queue, the line has room.
pub const POP: u64 = 0;
/// It has work.
pub const WORK: u64 = 1;
/// Its bytes in flight.
pub const INFLIGHT: u64 = 2;
/// Its window and rate.
pub const RATE: u64 = 3;
/// The time has come at which it is due.
pub const DUE: u64 = 4;

/// An operation on a flow.
#[row]
pub struct Operation<const FB: usize> {
    /// The flow.
    pub flow: Bits<FB>,
    /// Which.
    pub kind: Bits<3>,
    /// Of a pop its queue, of a rate 0 update, 1 create, 2 remove.
    pub code: Bits<3>,
    /// The cycle in which it was taken.
    pub at: Bits<20>,
    /// Bytes in flight, or the window.
    pub bytes: Bits<32>,
    /// Rate.
    pub rate: Bits<32>,
    /// Bytes of the work.
    pub len: Bits<14>,
    /// Its frames.
    pub frames: Bits<7>,
}

/// State of a flow.
#[row]
pub struct FlowRow {
    /// It exists.
    pub created: Bit,
    /// It has work.
    pub armed: Bit,
    /// Its window is open.
    pub open: Bit,
    /// It has work, an open window, and credit for it.
    pub due: Bit,
    /// Queues in which it has an entry.
    pub queued: Bits<8>,
    /// Bytes of its work.
    pub len: Bits<14>,
    /// What these take of the line.
    pub line: Bits<16>,
    /// Bytes in flight.
    pub inflight: Bits<32>,
    /// Window, bytes.
    pub window: Bits<32>,
    /// Rate, UQ8.24 bytes a cycle.
    pub rate: Bits<32>,
    /// Credit, UQ17.16 bytes.
    pub credit: Bits<33>,
    /// The cycle up to which the credit is settled.
    pub at: Bits<20>,
}
