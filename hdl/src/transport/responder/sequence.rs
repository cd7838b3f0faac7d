//! Second stage of the responder: a request against the state of its flow. PSN, order of the
//! opcodes and length are judged here, and the flow moves on.
//!
//! # Source            InfiniBand architecture volume 1, sections 9.7.4.1.1 (PSN), 9.7.4.1.2
//!                     (opcode sequence), 9.7.4.1.6 (length), 9.7.4.5 (duplicates)
//! # Interface timing  cycle 0: step, s_; cycle 2 at the earliest, with the next step: m_,
//!                     state_write. In between s_state, failed and reads_ended are looked up by
//!                     s_flow and flow
//! # Latency and rate  one request a step. A request of the same flow as the one before takes its
//!                     state from here instead of from the table, so none waits
//! # Number formats    psn | 24 bits, serial; [`Judged`]
//! # Rules             the flow moves on as if the region were right: where it is not, the flow is
//!                     in error, and its state means nothing more
//! # Reset             synchronous, high: m_valid = 0
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::transport::responder::{intake::Asked, tables::ReceiveState};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// What is known of a request before its region has been looked at.
#[row]
pub struct Judged {
    /// Bytes of payload.
    pub payload: Bits<13>,
    /// Immediate data.
    pub imm: Bits<32>,
    /// PSN to answer with.
    pub psn: Bits<24>,
    /// MSN to answer with if it is refused.
    pub msn: Bits<24>,
    /// And if it is not.
    pub msn_after: Bits<24>,
    /// Where it writes or reads.
    pub va: Bits<64>,
    /// End of what is left of its message.
    pub end_va: Bits<65>,
    /// Remote key.
    pub rkey: Bits<32>,
    /// Bytes of the message.
    pub length: Bits<32>,
    /// An ACK is asked for.
    pub ack_req: Bit,
    /// The flow has telemetry.
    pub telemetry: Bit,
    /// A READ.
    pub is_read: Bit,
    /// Asked for again it gets no ACK.
    pub is_silent: Bit,
    /// A message ends with it.
    pub ends: Bit,
    /// It brings immediate data.
    pub has_imm: Bit,
    /// The queue pair is its own, and no memory error has ended it.
    pub is_known: Bit,
    /// It has the expected PSN.
    pub in_order: Bit,
    /// Its PSN is behind that.
    pub is_behind: Bit,
    /// Its form is right.
    pub is_sound: Bit,
    /// There is room for the completion that it makes.
    pub has_room: Bit,
    /// A READ that can be answered again.
    pub may_repeat: Bit,
    /// Nothing is left of the message.
    pub is_empty: Bit,
}

/// Sequence of requests.
#[block(mealy)]
pub struct RespSequence<const FB: usize> {
    /// The stages move on.
    pub step: Signal<In, Bit>,
    /// A request comes.
    pub s_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_flow: Signal<In, Bits<FB>>,
    /// What it asks for.
    pub s_asked: Signal<In, Asked>,
    /// RETH: virtual address.
    pub s_va: Signal<In, Bits<64>>,
    /// RETH: rkey.
    pub s_rkey: Signal<In, Bits<32>>,
    /// RETH: bytes of the message.
    pub s_dma_len: Signal<In, Bits<32>>,
    /// State of its flow in the table.
    pub s_state: Signal<In, ReceiveState>,
    /// A write of the flow has failed, or a read.
    pub failed: Signal<In, Bit>,
    /// READs of the flow that have ended, modulo 32.
    pub reads_ended: Signal<In, Bits<5>>,
    /// Completion room.
    pub cq_room: Signal<In, Bit>,
    /// A request is here.
    pub m_valid: Signal<Out, Bit>,
    /// Its flow.
    pub flow: Signal<Out, Bits<FB>>,
    /// Its remote key.
    pub rkey: Signal<Out, Bits<32>>,
    /// Store the flow's new state.
    pub state_write: Signal<Out, Bit>,
    /// The state.
    pub new_state: Signal<Out, ReceiveState>,
    /// What is known.
    pub m_judged: Signal<Out, Judged>,
    valid: Reg<Bit>,
    flow_q: Unreset<Bits<FB>>,
    asked: Unreset<Asked>,
    state: Unreset<ReceiveState>,
    same: Unreset<Bit>,
    in_order: Unreset<Bit>,
    is_behind: Unreset<Bit>,
    behind_by: Unreset<Bits<24>>,
    is_placed: Unreset<Bit>,
    is_sized: Unreset<Bit>,
    is_huge: Unreset<Bit>,
    is_empty: Unreset<Bit>,
    is_full: Unreset<Bit>,
    failed_q: Unreset<Bit>,
    has_room: Unreset<Bit>,
    psn_after: Unreset<Bits<24>>,
    msn_after: Unreset<Bits<24>>,
    reads_after: Unreset<Bits<5>>,
    va_after: Unreset<Bits<64>>,
    left_after: Unreset<Bits<32>>,
    psn: Signal<Local, Bits<24>>,
    expected: Signal<Local, Bits<24>>,
    ahead_by: Signal<Local, Bits<24>>,
    msn: Signal<Local, Bits<24>>,
    ends: Signal<Local, Bits<24>>,
    reads: Signal<Local, Bits<5>>,
    more: Signal<Local, Bits<5>>,
    waiting: Signal<Local, Bits<5>>,
    va: Signal<Local, Bits<64>>,
    to_come: Signal<Local, Bits<32>>,
    payload: Signal<Local, Bits<32>>,
    mtu: Signal<Local, Bits<32>>,
    is_more: Signal<Local, Bit>,
    is_whole: Signal<Local, Bit>,
    is_sound: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    after: Signal<Local, ReceiveState>,
    arrives: Signal<Local, ReceiveState>,
    psn_before: Signal<Local, Bits<24>>,
    answer: Signal<Local, Bits<24>>,
    packets: Signal<Local, Bits<24>>,
    judged: Signal<Local, Judged>,
    va_wide: Signal<Local, Bits<65>>,
    #[init(Constant::new((1_u64 << 31).to_bits()))]
    length_max: Constant<Bits<32>>,
}

#[kernel]
impl<const FB: usize> RespSequence<FB> {
    fn update(&mut self) {
        self.compare();
        self.move_on();
        self.arrive();
        self.judge();
    }

    /// Behind the step: the request beside the state.
    fn compare(&mut self) {
        self.psn.next = self.asked.val().psn;
        self.expected.next = self.state.val().psn;
        self.ahead_by.next = self.psn.val() - self.expected.val();
        self.in_order.next = self.psn.val() == self.expected.val();
        self.is_behind.next = self.ahead_by.val().get_bit(23);
        self.behind_by.next = self.expected.val() - self.psn.val();
        self.va.next = self.state.val().va;
        self.to_come.next = self.state.val().to_come;
        self.payload.next = bit_cast::<32, 13>(self.asked.val().payload);
        match self.asked.val().mtu_code.index() {
            0 => self.mtu.next = 256.into(),
            1 => self.mtu.next = 512.into(),
            2 => self.mtu.next = 1024.into(),
            3 => self.mtu.next = 2048.into(),
            _ => self.mtu.next = 4096.into(),
        }
        self.is_placed.next =
            self.asked.val().may & (self.asked.val().starts != self.state.val().in_message);
        self.is_more.next = self.to_come.val() > self.mtu.val();
        self.is_whole.next = self.payload.val() == self.to_come.val();
        self.is_sized.next = self.asked.val().is_sized
            & (self.asked.val().is_read
                | (self.asked.val().ends & self.is_whole.val())
                | (!self.asked.val().ends & self.is_more.val()));
        self.is_huge.next = self.to_come.val() > self.length_max.val();
        self.is_empty.next = !self.to_come.val().any();
        comment!("Both counts run modulo 32, and never more than 16 READs have no answer.");
        self.reads.next = self.state.val().reads;
        self.waiting.next = self.reads.val() - self.reads_ended.val();
        self.is_full.next = self.asked.val().is_read & self.waiting.val().get_bit(4);
        self.failed_q.next = self.failed.val();
        self.has_room.next = self.cq_room.val() | !self.asked.val().has_imm;
        self.same.next = self.s_flow.val() == self.flow_q.val();
        comment!("and the state behind it");
        self.packets.next = self.asked.val().packets;
        self.psn_after.next = self.expected.val() + self.packets.val();
        self.msn.next = self.state.val().msn;
        self.ends.next = bit_cast::<24, 1>(self.asked.val().ends.into());
        self.msn_after.next = self.msn.val() + self.ends.val();
        self.more.next = bit_cast::<5, 1>(self.asked.val().is_read.into());
        self.reads_after.next = self.reads.val() + self.more.val();
        self.va_after.next = self.va.val() + bit_cast::<64, 32>(self.payload.val());
        self.left_after.next = self.to_come.val() - self.payload.val();
    }

    /// With the next step: the flow moves on if its form is right and there is room.
    fn move_on(&mut self) {
        self.is_sound.next =
            self.is_placed.val() & self.is_sized.val() & !self.is_huge.val() & !self.is_full.val();
        self.accepts.next = self.valid.val()
            & self.asked.val().is_ours
            & self.in_order.val()
            & self.is_sound.val()
            & self.has_room.val();
        self.after.next.psn = self.psn_after.val();
        self.after.next.msn = self.msn_after.val();
        self.after.next.in_message = !self.asked.val().ends;
        self.after.next.reads = self.reads_after.val();
        self.after.next.va = self.va_after.val();
        self.after.next.rkey = self.state.val().rkey;
        self.after.next.to_come = self.left_after.val();
        self.after.next.length = self.state.val().length;
        self.state_write.next = self.step.val() & self.accepts.val();
        self.new_state.next = self.after.val();
    }

    /// The next request comes, with the newest state; a message begins where its RETH says.
    fn arrive(&mut self) {
        self.arrives.next = self.s_state.val();
        if self.accepts.val() & self.same.val() {
            self.arrives.next = self.after.val();
        }
        if self.s_asked.val().starts {
            self.arrives.next.va = self.s_va.val();
            self.arrives.next.rkey = self.s_rkey.val();
            self.arrives.next.to_come = self.s_dma_len.val();
            self.arrives.next.length = self.s_dma_len.val();
        }
        if self.step.val() {
            self.valid.next = self.s_valid.val();
            self.flow_q.next = self.s_flow.val();
            self.asked.next = self.s_asked.val();
            self.state.next = self.arrives.val();
        }
    }

    /// What the next stage hears.
    fn judge(&mut self) {
        self.m_valid.next = self.valid.val();
        self.flow.next = self.flow_q.val();
        self.rkey.next = self.state.val().rkey;
        self.psn_before.next = self.expected.val() - 1;
        self.answer.next = self.expected.val();
        if self.is_behind.val() {
            self.answer.next = self.psn_before.val();
            if self.asked.val().is_read {
                self.answer.next = self.psn.val();
            }
        }
        self.va_wide.next = bit_cast::<65, 64>(self.va.val());
        self.judged.next.payload = self.asked.val().payload;
        self.judged.next.imm = self.asked.val().imm;
        self.judged.next.psn = self.answer.val();
        self.judged.next.msn = self.msn.val();
        self.judged.next.msn_after = self.msn_after.val();
        self.judged.next.va = self.va.val();
        self.judged.next.end_va = self.va_wide.val() + bit_cast::<65, 32>(self.to_come.val());
        self.judged.next.rkey = self.state.val().rkey;
        self.judged.next.length = self.state.val().length;
        self.judged.next.ack_req = self.asked.val().ack_req;
        self.judged.next.telemetry = self.asked.val().telemetry;
        self.judged.next.is_read = self.asked.val().is_read;
        self.judged.next.is_silent = self.asked.val().is_silent;
        self.judged.next.ends = self.asked.val().ends;
        self.judged.next.has_imm = self.asked.val().has_imm;
        self.judged.next.is_known = self.asked.val().is_ours & !self.failed_q.val();
        self.judged.next.in_order = self.in_order.val();
        self.judged.next.is_behind = self.is_behind.val();
        self.judged.next.is_sound = self.is_sound.val();
        self.judged.next.has_room = self.has_room.val();
        self.judged.next.may_repeat = self.asked.val().is_read
            & self.asked.val().may
            & self.asked.val().is_sized
            & !self.is_huge.val()
            & (self.packets.val() <= self.behind_by.val());
        self.judged.next.is_empty = self.is_empty.val();
        self.m_judged.next = self.judged.val();
    }
}
