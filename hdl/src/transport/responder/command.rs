//! Last part of the responder's pipeline: a verdict becomes a command to the DMA, whose tag says
//! what to answer, and events.
//!
//! # Source            hdl/transport.md; tags see `ack_gen`
//! # Interface timing  cycle 0: issue and the verdict, orders for the payload, a READ's place;
//!                     cycle 1: m_cmd, events
//! # Reset             synchronous, high: m_cmd_valid = 0, all outputs 0
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::streams::WriteCommand;
use crate::transport::{
    ack::rows::CommandTag,
    responder::{sequence::Judged, verdict::Verdict},
};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// What all tags have.
#[row]
struct TagPlace {
    psn: Bits<24>,
    msn: Bits<24>,
    flow: Bits<10>,
    outcome: Bits<3>,
    has_imm: Bit,
    ends: Bit,
}

/// Commands of the responder.
#[block(mealy)]
pub struct RespCommand<const FB: usize> {
    /// The verdict counts.
    pub issue: Signal<In, Bit>,
    /// Flow of the request.
    pub flow: Signal<In, Bits<FB>>,
    /// What is known of it.
    pub judged: Signal<In, Judged>,
    /// Host address of its first byte.
    pub addr: Signal<In, Bits<64>>,
    /// What becomes of it.
    pub verdict: Signal<In, Verdict>,
    /// A command goes out.
    pub issues: Signal<Out, Bit>,
    /// That of a packet that makes a completion.
    pub issues_imm: Signal<Out, Bit>,
    /// The packet is accepted.
    pub accepts: Signal<Out, Bit>,
    /// Its payload goes somewhere.
    pub order_valid: Signal<Out, Bit>,
    /// Nowhere.
    pub order_drop: Signal<Out, Bit>,
    /// The command is a READ's.
    pub is_job: Signal<Out, Bit>,
    /// Command to the DMA; its address is 0 when nothing is written.
    pub m_cmd: WriteCommand<Out, 127>,
    /// The verdict, for a cycle: an event.
    pub events: Signal<Out, Verdict>,
    cmd_valid: Reg<Bit>,
    cmd_addr: Unreset<Bits<64>>,
    cmd_bytes: Unreset<Bits<13>>,
    place: Reg<TagPlace>,
    imm: Unreset<Bits<32>>,
    bytes: Unreset<Bits<32>>,
    events_q: Reg<Verdict>,
    answer: Signal<Local, Bits<3>>,
    reads: Signal<Local, Bit>,
    has_cmd: Signal<Local, Bit>,
    has_payload: Signal<Local, Bit>,
    makes_imm: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    issues_now: Signal<Local, Bit>,
    payload: Signal<Local, Bits<13>>,
    tag: Signal<Local, CommandTag>,
}

#[kernel]
impl<const FB: usize> RespCommand<FB> {
    fn update(&mut self) {
        self.answer();
        self.issue();
        self.tag();
    }

    /// What is answered, once the bytes have landed.
    fn answer(&mut self) {
        self.reads.next =
            self.verdict.val().again | (self.verdict.val().accept & self.judged.val().is_read);
        self.answer.next = 0.into();
        if self.verdict.val().accept & self.judged.val().ack_req {
            self.answer.next = 1.into();
        }
        if self.verdict.val().duplicate {
            self.answer.next = 2.into();
        }
        if self.verdict.val().not_ready {
            self.answer.next = 3.into();
        }
        if self.verdict.val().ahead {
            self.answer.next = 4.into();
        }
        if self.verdict.val().invalid {
            self.answer.next = 5.into();
        }
        if self.verdict.val().access {
            self.answer.next = 6.into();
        }
        if self.reads.val() {
            self.answer.next = 7.into();
        }
        self.has_cmd.next = self.verdict.val().accept
            | self.verdict.val().invalid
            | self.verdict.val().access
            | self.verdict.val().not_ready
            | (self.verdict.val().ahead & !self.verdict.val().was_told)
            | (self.verdict.val().duplicate & !self.judged.val().is_silent)
            | self.verdict.val().again;
    }

    /// A READ that is asked for again ends no message.
    fn tag(&mut self) {
        self.makes_imm.next = self.verdict.val().accept & self.judged.val().has_imm;
        self.writes.next = self.verdict.val().accept & self.has_payload.val();
        if self.issues_now.val() {
            self.place.next.psn = self.judged.val().psn;
            self.place.next.msn = self.judged.val().msn;
            if self.verdict.val().accept {
                self.place.next.msn = self.judged.val().msn_after;
            }
            self.place.next.flow = bit_cast::<10, FB>(self.flow.val());
            self.place.next.outcome = self.answer.val();
            self.place.next.ends = self.verdict.val().accept & self.judged.val().ends;
            self.place.next.has_imm = self.makes_imm.val();
            self.imm.next = self.judged.val().imm;
            self.bytes.next = self.judged.val().length;
            self.cmd_addr.next = self.addr.val();
            self.cmd_bytes.next = self.payload.val();
        }
        comment!("As resets: they cost no logic in front of the registers.");
        if self.reset.val() | (self.issues_now.val() & !self.makes_imm.val()) {
            self.imm.next = 0.into();
        }
        if self.reset.val() | (self.issues_now.val() & !self.makes_imm.val() & !self.reads.val()) {
            self.bytes.next = 0.into();
        }
        if self.reset.val() | (self.issues_now.val() & !self.writes.val()) {
            self.cmd_addr.next = 0.into();
            self.cmd_bytes.next = 0.into();
        }
        self.tag.next = 0.into();
        self.tag.next.psn = self.place.val().psn;
        self.tag.next.msn = self.place.val().msn;
        self.tag.next.imm = self.imm.val();
        self.tag.next.bytes = self.bytes.val();
        self.tag.next.flow = self.place.val().flow;
        self.tag.next.outcome = self.place.val().outcome;
        self.tag.next.has_imm = self.place.val().has_imm;
        self.tag.next.ends = self.place.val().ends;
        self.m_cmd.valid.next = self.cmd_valid.val();
        self.m_cmd.addr.next = self.cmd_addr.val();
        self.m_cmd.bytes.next = self.cmd_bytes.val();
        self.m_cmd.tag.next = self.tag.val().into();
    }

    /// The command, and who hears of it beside the DMA.
    fn issue(&mut self) {
        self.payload.next = self.judged.val().payload;
        self.has_payload.next = self.payload.val().any();
        self.issues_now.next = self.issue.val() & self.has_cmd.val();
        self.issues.next = self.issues_now.val();
        self.accepts.next = self.issue.val() & self.verdict.val().accept;
        self.issues_imm.next =
            self.issue.val() & self.verdict.val().accept & self.judged.val().has_imm;
        self.order_valid.next = self.issue.val() & self.has_payload.val();
        self.order_drop.next = !self.verdict.val().accept;
        self.is_job.next = self.issue.val() & self.reads.val();
        if self.m_cmd.ready.val() {
            self.cmd_valid.next = false;
        }
        if self.issues_now.val() {
            self.cmd_valid.next = true;
        }
        comment!("What is accepted counts once its bytes have landed, or not.");
        self.events.next = self.events_q.val();
        self.events_q.next = 0.into();
        if self.issue.val() {
            self.events_q.next = self.verdict.val();
        }
    }
}
