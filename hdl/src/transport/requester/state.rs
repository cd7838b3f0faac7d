//! States and operations of the requester: what its blocks go by.

use rust_hdl_core::prelude::*;

/// States of the requester. `Pn` and `Len` prepare the next packet.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum State {
    /// Flow rows are cleared after reset.
    Scrub,
    /// An operation is picked; in the second cycle its flow row is read.
    Idle,
    /// The flow row goes to registers.
    Load,
    /// Differences of the ACK's PSN; posts and grants are judged.
    Check,
    /// The ACK's PSN against what is outstanding; its telemetry has room.
    Class,
    /// ACK and timer are judged. The ACK's telemetry goes out.
    Decide,
    /// A READ response: the work request at hand may be the READ.
    Seek,
    /// The next one is read.
    SeekRead,
    /// It goes to registers.
    SeekLoad,
    /// A READ response against the packet that is due.
    Match,
    /// READ responses are judged.
    Answer,
    /// The payload's order goes out.
    Order,
    /// The READ goes on by a packet; the last one completes it.
    Advance,
    /// The head work request is completed if it is covered; then the one behind it is read.
    Retire,
    /// The head is read again.
    NextRead,
    /// It goes to registers.
    NextLoad,
    /// Differences of the acknowledged PSN to it.
    NextDiff,
    /// Unacknowledged PSN and byte sequence move.
    Seq,
    /// Rewind, timer, retry count.
    Fin,
    /// In-flight bytes go out.
    Emit,
    /// The current work request is read.
    WrRead,
    /// It goes to registers.
    WrLoad,
    /// Packet number in the message.
    P0,
    /// Bytes left, addresses.
    P1,
    /// Bytes of this packet, last or not.
    P2,
    /// Packet and read command go out. Behind a message the next work request is read.
    Send,
    /// The position after the packet is known; P0 of the next one in the message. The next work
    /// request goes to registers.
    More,
    /// Not all of the messages that wait leave at once. Where the bytes of those that do end.
    Part0,
    /// How many they are.
    Part1,
    /// Their blocks against the window.
    Part2,
    /// Frame bytes of the next packet.
    Len,
    /// The flow is armed.
    Arm,
    /// The row is written, the sink's ready is high if it was not in Post2, and the row of the next
    /// operation is read if it is of another flow. Behind Post2 another work request of the flow may
    /// follow.
    Save,
    /// Packets of a new work request: rounded length.
    Post0,
    /// Shifted.
    Post1,
    /// The work request is written. The sink's ready is high unless the flow is armed now.
    Post2,
    /// A failed queue pair's head is read.
    FailRead,
    /// It goes to registers.
    FailLoad,
    /// It is completed.
    FailEmit,
    /// The queue is empty, the queue pair is in error.
    FailEnd,
    /// A work request for a queue pair in error is completed.
    Flush,
    /// The flow of a work request that is coming is at hand.
    Await,
    /// A packet is prepared ahead of its grant.
    Held,
    /// A queue pair's row is taken.
    Begin,
}

/// Operations of the requester.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Op {
    /// ACK or NAK from the rx pipe.
    Ack,
    /// READ response.
    Response,
    /// Queue pair row.
    Qp,
    /// Work request row.
    Wr,
    /// Another block's row.
    Other,
    /// Host memory read error.
    Fail,
    /// The scheduler lets a flow send.
    Grant,
    /// Timer scan.
    Scan,
    /// A work request is coming.
    Next,
}
