//! Takes ACKs and flow commands and starts one of them in each cycle, unless its flow is under way.
//!
//! # Source            hdl/cc.md
//! # Interface timing  cycle 0: s_ack taken; 1: it stands in the skid; 2: start, with event_word,
//!                     if no event before it waits, its flow did not start in the last
//!                     [`SAME_FLOW_CYCLES`] - 1 cycles, and `room` was high in the cycle before
//! # Latency and rate  2 cycles; one start per cycle, a flow again after [`SAME_FLOW_CYCLES`]. In order;
//!                     a command enters the skid one cycle after it was taken, before ACKs that come then
//! # Definitions       A flow has two marks, one of its last start and one of its last end: it is
//!                     under way while they differ. A start turns the first one, and the end, so
//!                     many cycles later, makes the second one equal
//! # Shape             F = 2^FB flows
//! # Reset             synchronous, high: nothing taken, nothing under way; while `scrubs` the
//!                     marks of scrub_flow are cleared and the readies are low
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::streams::FlowCommand;
use crate::util::{delay::Delay, lut_ram::LutRam, skid::Skid};
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles between two starts of the same flow, at least.
pub const SAME_FLOW_CYCLES: usize = 61;
/// Cycles in which an event is under way behind its start.
const FLIGHT_CYCLES: usize = SAME_FLOW_CYCLES - 1;
// The kernel takes the oldest of so many.
const _: () = assert!(FLIGHT_CYCLES == 60);

/// An ACK or a flow command.
#[row]
pub struct EventRow<const FB: usize> {
    pub psn: Bits<24>,      // PSN that is acknowledged
    pub snd_nxt: Bits<24>,  // Next PSN that the flow sends
    pub tel_valid: Bit,     // There is telemetry
    pub hops: Bits<3>,      // Its records; of a command 0
    pub path: Bits<12>,     // Its path
    pub records: Bits<320>, // Five records
    pub command: Bit,       // It is a flow command
    pub flow: Bits<FB>,     // Flow
    #[at(0)]
    pub op: Bits<2>, // Of a command: 1 create, else remove
    #[at(2)]
    pub telemetry: Bit, // Of a command: the flow's ACKs carry telemetry
    #[at(64)]
    pub window: Bits<32>, // Of a command: window
    #[at(96)]
    pub rate: Bits<32>, // Of a command: rate
    #[at(0)]
    pub head: Bits<128>, // All but the last four records, the kind and the flow
}

/// A flow under way, and the mark that its end will have.
#[row]
struct MarkRow<const FB: usize> {
    mark: Bit,
    flow: Bits<FB>,
}

/// Sinks, order, and the flows under way.
#[block]
pub struct CcIntakeWide<const FB: usize> {
    /// An ACK is offered.
    pub s_ack_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_ack_ready: Signal<Out, Bit>,
    /// It as an event.
    pub s_ack_event: Signal<In, EventRow<FB>>,
    /// A flow command is offered.
    pub s_flow: FlowCommand<In, FB>,
    /// The marks of a flow are cleared.
    pub scrubs: Signal<In, Bit>,
    /// Flow.
    pub scrub_flow: Signal<In, Bits<FB>>,
    /// A result of an event that starts in the next cycle will find room.
    pub room: Signal<In, Bit>,
    /// An event starts.
    pub start: Signal<Out, Bit>,
    /// The event.
    pub event_word: Signal<Out, EventRow<FB>>,
    events: Skid<EventRow<FB>>,
    started: LutRam<FB, Bits<1>>,
    ended: LutRam<FB, Bits<1>>,
    under_way: Delay<MarkRow<FB>, FLIGHT_CYCLES>,
    open: Reg<Bit>,
    flow_full: Reg<Bit>,
    flow_flow: Unreset<Bits<FB>>,
    flow_op: Unreset<Bits<2>>,
    flow_telemetry: Unreset<Bit>,
    flow_window_bytes: Unreset<Bits<32>>,
    flow_rate: Unreset<Bits<32>>,
    head_valid: Reg<Bit>,
    head: Unreset<EventRow<FB>>,
    busy: Unreset<Bit>,
    mark: Unreset<Bit>,
    alive: Reg<Bits<FLIGHT_CYCLES>>,
    starts: Reg<Bit>,
    advance: Signal<Local, Bit>,
    command: Signal<Local, EventRow<FB>>,
    next_flow: Signal<Local, Bits<FB>>,
    head_flow: Signal<Local, Bits<FB>>,
    follows: Signal<Local, Bit>,
    last_mark: Signal<Local, Bit>,
    end_mark: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    end_flow: Signal<Local, Bits<FB>>,
    alive_later: Signal<Local, Bits<FLIGHT_CYCLES>>,
    will_stand: Signal<Local, Bit>,
    will_wait: Signal<Local, Bit>,
    #[value(1)]
    youngest: Constant<Bits<FLIGHT_CYCLES>>,
}

impl<const FB: usize> Logic for CcIntakeWide<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Sinks: a command that was taken goes before an ACK.");
        self.open.next = !self.scrubs.val();
        self.s_ack_ready.next =
            self.open.val() && self.events.s.ready.val() && !self.flow_full.val();
        self.command.next = 0.into();
        self.command.next.op = self.flow_op.val();
        self.command.next.telemetry = self.flow_telemetry.val();
        self.command.next.window = self.flow_window_bytes.val();
        self.command.next.rate = self.flow_rate.val();
        self.command.next.command = true;
        self.command.next.flow = self.flow_flow.val();
        self.events.s.valid.next =
            self.flow_full.val() || (self.open.val() && self.s_ack_valid.val());
        self.events.s.data.next = self.s_ack_event.val();
        if self.flow_full.val() {
            self.events.s.data.next = self.command.val();
            if self.events.s.ready.val() {
                self.flow_full.next = false;
            }
        }
        self.s_flow.ready.next = self.open.val() && !self.flow_full.val();
        if self.s_flow.valid.val() && self.open.val() && !self.flow_full.val() {
            self.flow_full.next = true;
            self.flow_flow.next = self.s_flow.flow.val();
            self.flow_op.next = self.s_flow.op.val();
            self.flow_telemetry.next = self.s_flow.telemetry.val();
            self.flow_window_bytes.next = self.s_flow.window_bytes.val();
            self.flow_rate.next = self.s_flow.rate.val();
        }
        comment!("The head starts unless its flow is under way; decided in the cycle before.");
        self.start.next = self.starts.val();
        self.event_word.next = self.head.val();
        comment!("The next head.");
        self.advance.next = self.starts.val() || !self.head_valid.val();
        self.events.m.ready.next = self.advance.val();
        self.next_flow.next = self.events.m.data.val().flow;
        self.will_stand.next = self.head_valid.val();
        if self.advance.val() {
            self.will_stand.next = self.events.m.valid.val();
            self.head.next = self.events.m.data.val();
        }
        comment!("The end: in the cycle behind it the flow may start again.");
        self.alive_later.next = self.alive.val() << 1;
        self.alive.next = self.alive_later.val();
        if self.starts.val() {
            self.alive.next = self.alive_later.val() | self.youngest.val();
        }
        self.head_flow.next = self.head.val().flow;
        self.under_way.d.next.mark = self.mark.val();
        self.under_way.d.next.flow = self.head_flow.val();
        self.ends.next = self.alive.val().get_bit(59);
        self.end_flow.next = self.under_way.q.val().flow;
        self.end_mark.next = self.under_way.q.val().mark;
        comment!("Marks of the next head, with the start and the end of this cycle.");
        self.started.read_address.next = self.next_flow.val();
        self.ended.read_address.next = self.next_flow.val();
        self.follows.next = self.starts.val() && (self.next_flow.val() == self.head_flow.val());
        self.last_mark.next = self.started.read_data.val().get_bit(0);
        if self.follows.val() {
            self.last_mark.next = self.mark.val();
        }
        self.will_wait.next = self.busy.val();
        if self.advance.val() {
            self.mark.next = !self.last_mark.val();
            self.will_wait.next = self.last_mark.val() != self.ended.read_data.val().get_bit(0);
            if self.ends.val() && (self.end_flow.val() == self.next_flow.val()) {
                self.will_wait.next = false;
            }
        } else if self.ends.val() && (self.end_flow.val() == self.head_flow.val()) {
            self.will_wait.next = false;
        }
        self.head_valid.next = self.will_stand.val();
        self.busy.next = self.will_wait.val();
        self.starts.next = self.will_stand.val() && !self.will_wait.val() && self.room.val();
        self.started.write_enable.next = self.starts.val() || self.scrubs.val();
        self.started.write_address.next = self.head_flow.val();
        self.started.write_data.next = bit_cast::<1, 1>(self.mark.val().into());
        self.ended.write_enable.next = self.ends.val() || self.scrubs.val();
        self.ended.write_address.next = self.end_flow.val();
        self.ended.write_data.next = bit_cast::<1, 1>(self.end_mark.val().into());
        if self.scrubs.val() {
            self.started.write_address.next = self.scrub_flow.val();
            self.started.write_data.next = 0.into();
            self.ended.write_address.next = self.scrub_flow.val();
            self.ended.write_data.next = 0.into();
        }
    }
}
