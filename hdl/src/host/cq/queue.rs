//! Completions of the requester, the responder and the submission rings on their way to software.
//!
//! # Source            hdl/host.md
//! # Interface timing  a sink's ready answers its valid in the next cycle; head_valid rises
//!                     [`LATENCY_CYCLES`] after the queue stopped being empty
//! # Latency and rate  one completion every other cycle in, one every other cycle out; requester and
//!                     responder in turn, the submission rings first
//! # Users             software pops, or the completion ring takes the head, and later commits what
//!                     it took, oldest first, or rewinds to what is not committed
//! # Number formats    count | UQ(A+1) | completions, 0..=D
//! # Reset             synchronous, high: empty
//! # Twins             sim/models/src/golden/host/cq/queue.rs, tests/host/csr.rs

use crate::streams::{LostRequest, QueueHead, RequesterCompletion, ResponderCompletion};
use crate::util::ram::Ram;
use crate::{block, kernel, Reg};
use nic_spec::NicConfig;
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;

/// Cycles from the push into an empty queue to `head_valid`.
pub const LATENCY_CYCLES: usize = 3;
/// Room kept for completions of messages that the responder has already accepted.
pub const RESPONDER_RESERVE: u64 = 32;

/// Queue of `D = 2^A` completions, `AP1 = A + 1`. Half of it is kept for the work requests that are
/// under way, so `D / 2` must be at least what all send queues hold.
#[block(new(config: &NicConfig), check(D == config.cq_depth() && D == 1 << A && AP1 == A + 1))]
pub struct CompletionQueue<const D: usize, const A: usize, const AP1: usize> {
    /// Completion of the requester.
    pub s_requester: RequesterCompletion<In>,
    /// Completion of the responder.
    pub s_responder: ResponderCompletion<In>,
    /// A work request could not be read.
    pub s_lost: LostRequest<In>,
    /// Drop the head; ignored while the ring owns the queue.
    pub pop: Signal<In, Bit>,
    /// The completion ring owns the queue.
    pub ring_owns: Signal<In, Bit>,
    /// The oldest completion.
    pub head: QueueHead<Out>,
    /// Completions held: what the ring took counts until it is committed.
    pub count: Signal<Out, Bits<AP1>>,
    /// Room for the completions of one more work request.
    pub wr_room: Signal<Out, Bit>,
    /// Room for what the responder may still complete.
    pub responder_room: Signal<Out, Bit>,
    entries: Ram<A, Bits<128>>,
    requester_ready: Reg<Bit>,
    responder_ready: Reg<Bit>,
    lost_ready: Reg<Bit>,
    turn: Reg<Bit>,
    write_at: Reg<Bits<A>>,
    read_at: Reg<Bits<A>>,
    held: Reg<Bits<AP1>>,
    unread: Reg<Bits<AP1>>,
    shown: Reg<Bit>,
    entry: Reg<Bits<128>>,
    loaded: Reg<Bit>,
    wr_space: Reg<Bit>,
    responder_space: Reg<Bit>,
    taking: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    word: Signal<Local, Bits<128>>,
    requester_word: Signal<Local, Bits<128>>,
    responder_word: Signal<Local, Bits<128>>,
    lost_word: Signal<Local, Bits<128>>,
    requester_info: Signal<Local, Bits<128>>,
    requester_flow: Signal<Local, Bits<128>>,
    requester_len: Signal<Local, Bits<128>>,
    responder_info: Signal<Local, Bits<128>>,
    responder_flow: Signal<Local, Bits<128>>,
    responder_imm: Signal<Local, Bits<128>>,
    responder_len: Signal<Local, Bits<128>>,
    lost_flow: Signal<Local, Bits<128>>,
    leaves: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    ended: Signal<Local, Bits<AP1>>,
    held_after: Signal<Local, Bits<AP1>>,
    uncommitted: Signal<Local, Bits<AP1>>,
    read_back: Signal<Local, Bits<A>>,
    unread_more: Signal<Local, Bits<AP1>>,
    unread_fewer: Signal<Local, Bits<AP1>>,
    write_next: Signal<Local, Bits<A>>,
    read_next: Signal<Local, Bits<A>>,
    #[init(Constant::new(1u64.to_bits()))]
    one: Constant<Bits<AP1>>,
    #[init(Constant::new(1u64.to_bits()))]
    one_at: Constant<Bits<A>>,
    #[init(Constant::new(0u64.to_bits()))]
    none: Constant<Bits<AP1>>,
    #[init(Constant::new((D as u64).to_bits()))]
    full: Constant<Bits<AP1>>,
    #[init(Constant::new((D as u64 / 2 - 2 * RESPONDER_RESERVE).to_bits()))]
    wr_limit: Constant<Bits<AP1>>,
    #[init(Constant::new((D as u64 / 2 - RESPONDER_RESERVE).to_bits()))]
    responder_limit: Constant<Bits<AP1>>,
    #[value(BigUint::from(1_u32) << 104_u32)]
    received: Constant<Bits<128>>,
    #[value(BigUint::from(0x205_u32) << 96_u32)]
    lost: Constant<Bits<128>>,
}

#[kernel]
impl<const D: usize, const A: usize, const AP1: usize> CompletionQueue<D, A, AP1> {
    fn update(&mut self) {
        self.outputs();
        self.entries();
        self.head();
    }

    /// outputs are registers
    fn outputs(&mut self) {
        self.s_requester.ready.next = self.requester_ready.val();
        self.s_responder.ready.next = self.responder_ready.val();
        self.s_lost.ready.next = self.lost_ready.val();
        self.head.valid.next = self.shown.val();
        self.head.entry.next = self.entry.val();
        self.count.next = self.held.val();
        self.wr_room.next = self.wr_space.val();
        self.responder_room.next = self.responder_space.val();
    }

    /// entry: flow, kind, status, length, immediate, wr_id from high to low
    fn entries(&mut self) {
        self.requester_len.next = bit_cast::<128, 32>(self.s_requester.byte_len.val());
        self.requester_info.next = bit_cast::<128, 8>(self.s_requester.status.val());
        self.requester_flow.next = bit_cast::<128, 16>(self.s_requester.flow.val());
        self.requester_word.next = bit_cast::<128, 32>(self.s_requester.wr_id.val())
            | (self.requester_len.val() << 64)
            | (self.requester_info.val() << 96)
            | (self.requester_flow.val() << 112);
        self.responder_imm.next = bit_cast::<128, 32>(self.s_responder.imm.val());
        self.responder_len.next = bit_cast::<128, 32>(self.s_responder.byte_len.val());
        self.responder_info.next = bit_cast::<128, 8>(self.s_responder.status.val());
        self.responder_flow.next = bit_cast::<128, 16>(self.s_responder.flow.val());
        self.responder_word.next = self.received.val()
            | (self.responder_imm.val() << 32)
            | (self.responder_len.val() << 64)
            | (self.responder_info.val() << 96)
            | (self.responder_flow.val() << 112);
        self.lost_flow.next = bit_cast::<128, 16>(self.s_lost.flow.val());
        self.lost_word.next = self.lost.val()
            | bit_cast::<128, 32>(self.s_lost.wr_id.val())
            | (self.lost_flow.val() << 112);
        comment!("a sink is taken in the cycle after its valid");
        self.requester_ready.next = false;
        self.responder_ready.next = false;
        self.lost_ready.next = false;
        self.taking.next =
            self.requester_ready.val() | self.responder_ready.val() | self.lost_ready.val();
        if !self.taking.val() && (self.held.val() != self.full.val()) {
            if self.s_lost.valid.val() {
                self.lost_ready.next = true;
            } else if self.s_requester.valid.val()
                && (!self.turn.val() || !self.s_responder.valid.val())
            {
                self.requester_ready.next = true;
                self.turn.next = true;
            } else if self.s_responder.valid.val() {
                self.responder_ready.next = true;
                self.turn.next = false;
            }
        }
        comment!("good completions that software does not want end here");
        self.push.next = self.responder_ready.val()
            | self.lost_ready.val()
            | (self.requester_ready.val()
                & (self.s_requester.signalled.val() | self.s_requester.status.val().any()));
        self.word.next = self.requester_word.val();
        if self.responder_ready.val() {
            self.word.next = self.responder_word.val();
        } else if self.lost_ready.val() {
            self.word.next = self.lost_word.val();
        }
        self.write_next.next = self.write_at.val() + self.one_at.val();
        self.read_next.next = self.read_at.val() + self.one_at.val();
        self.entries.write_enable.next = self.push.val();
        self.entries.write_address.next = self.write_at.val();
        self.entries.write_data.next = self.word.val();
        self.entries.read_address.next = self.read_at.val();
        if self.push.val() {
            self.write_at.next = self.write_next.val();
        }
    }

    /// the head stands in a register of its own, the next one at the output of the RAM
    fn head(&mut self) {
        self.pops.next = self.pop.val() & self.shown.val() & !self.ring_owns.val();
        self.leaves.next = self.pops.val() | (self.head.take.val() & self.shown.val());
        self.moves.next = self.loaded.val() & (!self.shown.val() | self.leaves.val());
        self.reads.next =
            (self.unread.val() != self.none.val()) & (!self.loaded.val() | self.moves.val());
        self.entries.read_enable.next = self.reads.val();
        self.loaded.next = self.reads.val() | (self.loaded.val() & !self.moves.val());
        if self.reads.val() {
            self.read_at.next = self.read_next.val();
        }
        if self.leaves.val() {
            self.shown.next = false;
            self.entry.next = 0.into();
        }
        if self.moves.val() {
            self.shown.next = true;
            self.entry.next = self.entries.read_data.val();
        }
        self.ended.next = bit_cast::<AP1, 3>(self.head.commit.val());
        if self.pops.val() {
            self.ended.next = self.one.val();
        }
        self.held_after.next = self.held.val() - self.ended.val();
        if self.push.val() {
            self.held_after.next = self.held.val() - self.ended.val() + self.one.val();
        }
        self.held.next = self.held_after.val();
        self.unread_more.next = self.unread.val() + self.one.val();
        self.unread_fewer.next = self.unread.val() - self.one.val();
        if self.push.val() & !self.reads.val() {
            self.unread.next = self.unread_more.val();
        } else if self.reads.val() & !self.push.val() {
            self.unread.next = self.unread_fewer.val();
        }
        comment!("what was taken and not committed is shown again");
        self.uncommitted.next = self.held.val() - self.unread.val();
        self.read_back.next = self.read_at.val() - bit_cast::<A, AP1>(self.uncommitted.val());
        if self.head.rewind.val() {
            self.read_at.next = self.read_back.val();
            self.unread.next = self.held_after.val();
            self.loaded.next = false;
            self.shown.next = false;
            self.entry.next = 0.into();
        }
        self.wr_space.next = self.held.val() < self.wr_limit.val();
        self.responder_space.next = self.held.val() < self.responder_limit.val();
    }
}
