//! Twin of `hdl/src/host/cq/queue.rs`: completions on their way to software.

use crate::ports::Golden;
use crate::streams::{
    back, LostRequest, QueueHead, ReadyPort, RequesterCompletion, ResponderCompletion,
};
use std::collections::VecDeque;

crate::ports! {
    /// Inputs.
    pub struct CompletionQueueIn {
        pub reset: bool,
        pub s_requester: RequesterCompletion,
        pub s_responder: ResponderCompletion,
        pub s_lost: LostRequest,
        pub pop: bool,
        pub ring_owns: bool,
        pub head: back::QueueHead,
    }
}
crate::ports! {
    /// Outputs.
    pub struct CompletionQueueOut {
        pub s_requester: ReadyPort,
        pub s_responder: ReadyPort,
        pub s_lost: ReadyPort,
        pub head: QueueHead,
        pub count: u16,
        pub wr_room: bool,
        pub responder_room: bool,
    }
}

/// Completions kept free for what the responder has accepted.
pub const RESPONDER_RESERVE: usize = 32;

/// The queue.
#[derive(Clone, Debug)]
pub struct CompletionQueue {
    depth: usize,
    entries: VecDeque<u128>,
    /// Entries that the ring has taken and not committed.
    taken: usize,
    responder_next: bool,
    /// The entry behind the one that is shown, or the first one, stands ready.
    is_loaded: bool,
    out: CompletionQueueOut,
}

/// A completion entry as the register map lays it out.
fn entry(status: u8, kind: u8, flow: u16, words: [u32; 3]) -> u128 {
    let info = u32::from(status) | u32::from(kind) << 8 | u32::from(flow) << 16;
    let [wr_id, imm, byte_len] = words;
    [wr_id, imm, byte_len, info].iter().rev().fold(0, |all, w| all << 32 | u128::from(*w))
}

impl CompletionQueue {
    /// A queue of `depth` completions.
    pub fn new(depth: usize) -> Self {
        Self {
            depth,
            entries: VecDeque::with_capacity(depth),
            taken: 0,
            responder_next: false,
            is_loaded: false,
            out: CompletionQueueOut::default(),
        }
    }
}

impl Golden for CompletionQueue {
    type In = CompletionQueueIn;
    type Out = CompletionQueueOut;

    fn step(&mut self, i: &CompletionQueueIn) -> CompletionQueueOut {
        if i.reset {
            *self = Self::new(self.depth);
            return self.out;
        }
        let was = self.out;
        let held = self.entries.len();
        let pushing = was.s_requester.ready || was.s_responder.ready || was.s_lost.ready;
        let mut out = CompletionQueueOut {
            s_requester: ReadyPort { ready: false },
            s_responder: ReadyPort { ready: false },
            s_lost: ReadyPort { ready: false },
            wr_room: held < self.depth / 2 - 2 * RESPONDER_RESERVE,
            responder_room: held < self.depth / 2 - RESPONDER_RESERVE,
            ..was
        };
        if !pushing && held < self.depth {
            if i.s_lost.valid {
                out.s_lost.ready = true;
            } else if i.s_requester.valid && !(self.responder_next && i.s_responder.valid) {
                out.s_requester.ready = true;
                self.responder_next = true;
            } else if i.s_responder.valid {
                out.s_responder.ready = true;
                self.responder_next = false;
            }
        }
        let shown = usize::from(was.head.valid);
        let pops = i.pop && was.head.valid && !i.ring_owns;
        let takes = i.head.take && was.head.valid;
        let moves = self.is_loaded && (!was.head.valid || pops || takes);
        // The next one to load is behind what was taken, is shown, and stands ready.
        let loads =
            held > self.taken + shown + usize::from(self.is_loaded) && (!self.is_loaded || moves);
        if moves {
            out.head = QueueHead { valid: true, entry: self.entries[self.taken + shown] };
        } else if pops || takes {
            out.head = QueueHead::default();
        }
        self.is_loaded = loads || self.is_loaded && !moves;
        self.taken += usize::from(takes);
        let ended = if pops { 1 } else { usize::from(i.head.commit) };
        self.entries.drain(..ended);
        self.taken -= if pops { 0 } else { ended };
        let c = &i.s_requester;
        if was.s_requester.ready && (c.signalled || c.status != 0) {
            self.entries.push_back(entry(c.status, 0, c.flow, [c.wr_id, 0, c.byte_len]));
        }
        if was.s_responder.ready {
            let c = &i.s_responder;
            self.entries.push_back(entry(c.status, 1, c.flow, [0, c.imm, c.byte_len]));
        }
        if was.s_lost.ready {
            let local_dma = 5;
            self.entries.push_back(entry(local_dma, 2, i.s_lost.flow, [i.s_lost.wr_id, 0, 0]));
        }
        if i.head.rewind {
            (self.taken, self.is_loaded) = (0, false);
            out.head = QueueHead::default();
        }
        out.count = self.entries.len() as u16;
        self.out = out;
        out
    }
}
