//! What an operation does, and in which cycle.

use crate::events::RequesterEvents;
use crate::streams::{AckTelemetry, Packet, PayloadSource, Work};
use nic_spec::rows::WrRow;

/// Cycles of the steps that every operation is made of.
pub mod cycles {
    /// Row read and loaded, the operation judged.
    pub const JUDGE_ROW: u32 = 2;
    /// ACK or timer judged.
    pub const JUDGE_ACK: u32 = 3;
    /// The next work request becomes the head.
    pub const NEXT_HEAD: u32 = 2;
    /// The head is at hand again.
    pub const HEAD: u32 = 3;
    /// A work request is passed over on the way to the first READ.
    pub const SEEK: u32 = 3;
    /// A work request is read.
    pub const READ: u32 = 2;
    /// A packet is prepared.
    pub const PREPARE: u32 = 3;
    /// A READ response is compared with it.
    pub const MATCH: u32 = 1;
    /// Its frame bytes are known.
    pub const FRAME_BYTES: u32 = 1;
    /// Messages leave that are not all that wait: their bytes are known.
    pub const PART_BYTES: u32 = 3;
    /// A packet is prepared ahead of its grant, with its work request read.
    pub const AHEAD: u32 = 5;
    /// A work request is entered; the frame bytes of its first packet are known then.
    pub const POST: u32 = 3;
}

/// What happens when; an action takes a cycle, and longer while its slot is taken.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Wait(u32),
    /// A work request has ended.
    Completion {
        wr_id: u32,
        byte_len: u32,
        status: u8,
        signalled: bool,
    },
    /// Payload goes to an address, or nowhere.
    Payload {
        addr: Option<u64>,
        bytes: u16,
    },
    Events(RequesterEvents),
    /// Until what CC is told has room.
    Room,
    /// An ACK is judged; its telemetry.
    Judged(RequesterEvents, Option<AckTelemetry>),
    /// A work request is entered: the sink's ready is high.
    Enter,
    /// Until the packet slots are free.
    Free,
    Send(Packet, PayloadSource, bool),
    Work(Work),
    /// Bytes in flight.
    Inflight(u16, u32),
    /// The row is written, the sink's ready is high if it was not before.
    Save,
}

impl Step {
    pub fn completion(wr: &WrRow, status: u8) -> Self {
        let (wr_id, byte_len, signalled) = (wr.wr_id, wr.length_bytes, wr.signalled);
        Self::Completion { wr_id, byte_len, status, signalled }
    }
}
