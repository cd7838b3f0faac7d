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
use crate::{block, kernel, Reg, Regs, Wire};
use rust_hdl_core::prelude::*;

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
    /// Address of its first byte; 0 when it has none.
    pub job_addr: Signal<Out, Bits<64>>,
    /// Command to the DMA; its address is 0 when nothing is written.
    pub m_cmd: WriteCommand<Out, 127>,
    /// The verdict, for a cycle: an event.
    pub events: Signal<Out, Verdict>,
    cmd: WriteCommand<Regs, 127>,
    events_q: Reg<Verdict>,
    answer: Signal<Local, Bits<3>>,
    reads: Signal<Local, Bit>,
    has_cmd: Signal<Local, Bit>,
    has_payload: Signal<Local, Bit>,
    payload: Signal<Local, Bits<13>>,
    tag: Signal<Local, CommandTag>,
}

#[kernel]
impl<const FB: usize> RespCommand<FB> {
    fn update(&mut self) {
        self.answer();
        self.tag();
        self.issue();
    }

    /// What is answered, once the bytes have landed.
    fn answer(&mut self) {
        self.reads.next = self.verdict.val().again
            | (self.verdict.val().accept & self.judged.val().is_read);
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
        self.tag.next = 0.into();
        self.tag.next.psn = self.judged.val().psn;
        self.tag.next.msn = self.judged.val().msn;
        self.tag.next.flow = bit_cast::<10, FB>(self.flow.val());
        self.tag.next.outcome = self.answer.val();
        if self.verdict.val().accept {
            self.tag.next.msn = self.judged.val().msn_after;
            self.tag.next.ends = self.judged.val().ends;
            self.tag.next.has_imm = self.judged.val().has_imm;
            if self.judged.val().has_imm {
                self.tag.next.imm = self.judged.val().imm;
                self.tag.next.bytes = self.judged.val().length;
            }
        }
        if self.reads.val() {
            self.tag.next.bytes = self.judged.val().length;
        }
    }

    /// The command, and who hears of it beside the DMA.
    fn issue(&mut self) {
        self.payload.next = self.judged.val().payload;
        self.has_payload.next = self.payload.val().any();
        self.issues.next = self.issue.val() & self.has_cmd.val();
        self.accepts.next = self.issue.val() & self.verdict.val().accept;
        self.issues_imm.next =
            self.issue.val() & self.verdict.val().accept & self.judged.val().has_imm;
        self.order_valid.next = self.issue.val() & self.has_payload.val();
        self.order_drop.next = !self.verdict.val().accept;
        self.is_job.next = self.issue.val() & self.reads.val();
        self.job_addr.next = self.addr.val();
        if self.judged.val().is_empty {
            self.job_addr.next = 0.into();
        }
        if self.m_cmd.ready.val() {
            self.cmd.valid.next = false;
        }
        if self.issue.val() & self.has_cmd.val() {
            self.cmd.valid.next = true;
            self.cmd.tag.next = self.tag.val().into();
            self.cmd.addr.next = 0.into();
            self.cmd.bytes.next = 0.into();
            if self.verdict.val().accept & self.has_payload.val() {
                self.cmd.addr.next = self.addr.val();
                self.cmd.bytes.next = self.payload.val();
            }
        }
        Wire::join(&mut self.cmd, &mut self.m_cmd);
        comment!("What is accepted counts once its bytes have landed, or not.");
        self.events.next = self.events_q.val();
        self.events_q.next = 0.into();
        if self.issue.val() {
            self.events_q.next = self.verdict.val();
        }
    }
}
