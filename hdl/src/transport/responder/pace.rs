//! Pace of the responder's stages: all of them step at once, every other cycle, when what the last
//! one may fill is free.
//!
//! # Interface timing  step follows its conditions by a cycle; the counts follow issues and retired
//!                     by one
//! # Latency and rate  a step every 2 cycles
//! # Number formats    commands in flight | 0..=256; WRITEs with immediate in flight | 0..=16
//! # Reset             synchronous, high: step = 0, nothing in flight
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from one step to the next.
pub const STEP_CYCLES: usize = 2;

/// Pace of the responder.
#[block(mealy)]
pub struct RespPace {
    /// A request is in the last stage.
    pub leaves: Signal<In, Bit>,
    /// A command stands at the source.
    pub cmd_valid: Signal<In, Bit>,
    /// It is taken.
    pub cmd_ready: Signal<In, Bit>,
    /// There is room for an order to the payload mover.
    pub order_ready: Signal<In, Bit>,
    /// A command goes out.
    pub issues: Signal<In, Bit>,
    /// That of a packet that makes a completion.
    pub issues_imm: Signal<In, Bit>,
    /// One may go out with the next step.
    pub promises: Signal<In, Bit>,
    /// A command has been dealt with.
    pub retired: Signal<In, Bit>,
    /// It made a completion.
    pub retired_imm: Signal<In, Bit>,
    /// The stages move on.
    pub step: Signal<Out, Bit>,
    /// And a request leaves the last one.
    pub issue: Signal<Out, Bit>,
    /// No command is in flight.
    pub is_idle: Signal<Out, Bit>,
    /// No more completions may be promised.
    pub imm_full: Signal<Out, Bit>,
    step_q: Reg<Bit>,
    issue_q: Reg<Bit>,
    goes: Signal<Local, Bit>,
    in_flight: Reg<Bits<9>>,
    imm_in_flight: Reg<Bits<5>>,
    most_imm: Signal<Local, Bits<4>>,
    #[init(Constant::new(15u64.to_bits()))]
    last_imm: Constant<Bits<4>>,
}

impl Logic for RespPace {
    #[hdl_gen]
    fn update(&mut self) {
        self.step.next = self.step_q.val();
        self.issue.next = self.issue_q.val();
        self.goes.next = !self.step_q.val()
            & (self.cmd_ready.val() | !self.cmd_valid.val())
            & self.order_ready.val()
            & !self.in_flight.val().get_bit(8);
        self.step_q.next = self.goes.val();
        comment!(
            "A register of its own: step has a thousand sinks, and no time for logic behind it."
        );
        self.issue_q.next = self.goes.val() & self.leaves.val();
        self.is_idle.next = !self.in_flight.val().any();
        comment!("The last place is taken by a packet whose region is being looked at.");
        self.most_imm.next = self.imm_in_flight.val().get_bits::<4>(0);
        self.imm_full.next = self.imm_in_flight.val().get_bit(4)
            | (self.promises.val() & (self.most_imm.val() == self.last_imm.val()));
        if self.issues.val() & !self.retired.val() {
            self.in_flight.next = self.in_flight.val() + 1;
        } else if self.retired.val() & !self.issues.val() {
            self.in_flight.next = self.in_flight.val() - 1;
        }
        if self.issues_imm.val() & !self.retired_imm.val() {
            self.imm_in_flight.next = self.imm_in_flight.val() + 1;
        } else if self.retired_imm.val() & !self.issues_imm.val() {
            self.imm_in_flight.next = self.imm_in_flight.val() - 1;
        }
    }
}
