//! Takes ACKs and flow commands and starts one of them in each cycle. An ACK whose flow is under
//! way waits in a slot of its own, the newest alone, so that nobody waits behind it.
//!
//! # Source            hdl/cc.md
//! # Interface timing  cycle 0: s_ack taken; 1: its flow is looked for among those under way; 2: start,
//!                     with event_word, or it waits. [`AGAIN_CYCLES`]
//!                     after the start of its flow what waits starts
//! # Latency and rate  2 cycles; one start per cycle, a flow again after [`SAME_FLOW_CYCLES`]
//! # Rules             an ACK without telemetry is dropped. One that waits is replaced by a newer one of its
//!                     flow, and dropped if one has started meanwhile. Commands go before ACKs that come
//!                     then; one whose flow is under way tries again, and until it starts the ACKs of
//!                     its flow are dropped
//! # Shape             F = 2^FB flows; 64 slots, one for each event under way
//! # Reset             synchronous, high: nothing taken, nothing under way; the readies are low
//!                     while `scrubs`
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::streams::FlowCommand;
use crate::util::ram::Ram;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles between two starts of the same flow, at least.
pub const SAME_FLOW_CYCLES: usize = 48;
/// Cycles from the start of a flow to that of the ACK that has waited for it.
pub const AGAIN_CYCLES: usize = 51;
/// Ages in cycles at which an event keeps the next one of its flow from its start: that one would
/// start a cycle later.
const LOOKED_AT: usize = SAME_FLOW_CYCLES - 1;
/// Those of them behind the start itself.
const AGES: usize = LOOKED_AT - 1;
/// Age from 1 on at which a slot is looked into.
const SLOT_AGES: usize = SAME_FLOW_CYCLES;

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
    /// Rows are cleared.
    pub scrubs: Signal<In, Bit>,
    /// Results of ACKs that enter from the next cycle on will find room.
    pub room: Signal<In, Bit>,
    /// An event starts.
    pub start: Signal<Out, Bit>,
    /// The event.
    pub event_word: Signal<Out, EventRow<FB>>,
    slots: Ram<6, EventRow<FB>>,
    open: Reg<Bit>,
    #[reset(true)]
    is_free: Reg<Bit>,
    held: Unreset<EventRow<FB>>,
    flow_full: Reg<Bit>,
    flow_flow: Unreset<Bits<FB>>,
    flow_op: Unreset<Bits<2>>,
    flow_telemetry: Unreset<Bit>,
    flow_window_bytes: Unreset<Bits<32>>,
    flow_rate: Unreset<Bits<32>>,
    has_room: Reg<Bit>,
    look_valid: Reg<Bit>,
    look_again: Unreset<Bit>,
    look: Unreset<EventRow<FB>>,
    head_valid: Reg<Bit>,
    head_again: Unreset<Bit>,
    head_void: Unreset<Bit>,
    head: Unreset<EventRow<FB>>,
    hit: Unreset<Bit>,
    hits: Unreset<Bits<LOOKED_AT>>,
    alive: Reg<Bits<AGES>>,
    flows: [Unreset<Bits<FB>>; AGES],
    waits: Reg<Bits<SLOT_AGES>>,
    again: Reg<Bit>,
    index: Reg<Bits<6>>,
    offers: Signal<Local, Bit>,
    tries: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    command: Signal<Local, EventRow<FB>>,
    look_flow: Signal<Local, Bits<FB>>,
    look_command: Signal<Local, Bit>,
    head_flow: Signal<Local, Bits<FB>>,
    head_command: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    waits_now: Signal<Local, Bits<SLOT_AGES>>,
    is_under_way: Signal<Local, Bits<LOOKED_AT>>,
    later: Signal<Local, Bits<AGES>>,
    pends: Signal<Local, Bit>,
    age: Signal<Local, Bits<6>>,
    last_index: Signal<Local, Bits<6>>,
    ends: Signal<Local, Bit>,
    #[value(1)]
    youngest: Constant<Bits<AGES>>,
    #[value(SLOT_AGES as u64)]
    slot_age: Constant<Bits<6>>,
    #[init(core::array::from_fn(|bit| Constant::new(ages_with(bit).to_bits())))]
    ages: [Constant<Bits<LOOKED_AT>>; 6],
}

/// The ages below [`LOOKED_AT`] whose number has this bit.
fn ages_with(bit: usize) -> u64 {
    (0..LOOKED_AT).filter(|age| age >> bit & 1 == 1).map(|age| 1 << age).sum()
}

#[kernel]
impl<const FB: usize> CcIntakeWide<FB> {
    fn update(&mut self) {
        self.look_flow.next = self.look.val().flow;
        self.look_command.next = self.look_valid.val() && self.look.val().command;
        self.head();
        self.sinks();
        self.looks();
        self.under_way();
        self.slots();
    }

    /// An ACK without telemetry ends here.
    fn sinks(&mut self) {
        self.open.next = !self.scrubs.val();
        self.has_room.next = self.room.val();
        self.s_ack_ready.next = self.open.val() && self.is_free.val();
        self.offers.next = self.open.val()
            && self.is_free.val()
            && self.s_ack_valid.val()
            && self.s_ack_event.val().tel_valid;
        self.s_flow.ready.next = self.open.val() && !self.flow_full.val();
        if self.starts.val() && self.head_command.val() {
            self.flow_full.next = false;
        }
        if self.s_flow.valid.val() && self.open.val() && !self.flow_full.val() {
            self.flow_full.next = true;
            self.flow_flow.next = self.s_flow.flow.val();
            self.flow_op.next = self.s_flow.op.val();
            self.flow_telemetry.next = self.s_flow.telemetry.val();
            self.flow_window_bytes.next = self.s_flow.window_bytes.val();
            self.flow_rate.next = self.s_flow.rate.val();
        }
        self.command.next = 0.into();
        self.command.next.op = self.flow_op.val();
        self.command.next.telemetry = self.flow_telemetry.val();
        self.command.next.window = self.flow_window_bytes.val();
        self.command.next.rate = self.flow_rate.val();
        self.command.next.command = true;
        self.command.next.flow = self.flow_flow.val();
    }

    /// What is looked for next: an ACK that has waited, else a command, else an ACK.
    fn looks(&mut self) {
        self.tries.next = self.flow_full.val()
            && !self.look_command.val()
            && !self.head_command.val()
            && self.has_room.val();
        self.enters.next = self.has_room.val() && !self.again.val() && !self.tries.val();
        comment!("An ACK that may not enter is held, and then goes before the next one.");
        if self.is_free.val() {
            self.held.next = self.s_ack_event.val();
        }
        if self.enters.val() {
            self.is_free.next = true;
        } else if self.offers.val() {
            self.is_free.next = false;
        }
        self.look_again.next = self.again.val();
        self.look_valid.next = self.again.val()
            || self.tries.val()
            || (self.enters.val() && (self.offers.val() || !self.is_free.val()));
        self.look.next = self.s_ack_event.val();
        if !self.is_free.val() {
            self.look.next = self.held.val();
        }
        if self.tries.val() {
            self.look.next = self.command.val();
        }
        if self.again.val() {
            self.look.next = self.slots.read_data.val();
        }
    }

    /// The head starts if its flow is not under way.
    fn head(&mut self) {
        self.head_flow.next = self.head.val().flow;
        self.head_command.next = self.head_valid.val() && self.head.val().command;
        self.starts.next = self.head_valid.val() && !self.hit.val() && !self.head_void.val();
        self.start.next = self.starts.val();
        self.event_word.next = self.head.val();
        self.head_valid.next = self.look_valid.val();
        self.head_again.next = self.look_again.val();
        self.head.next = self.look.val();
        comment!("ACKs behind a command that waits are of the flow of before.");
        self.head_void.next = self.flow_full.val()
            && !(self.starts.val() && self.head_command.val())
            && !self.look_command.val()
            && (self.look_flow.val() == self.flow_flow.val());
    }

    /// Flows under way by age; the head's is 0.
    fn under_way(&mut self) {
        self.is_under_way.next = 0.into();
        if self.starts.val() && (self.head_flow.val() == self.look_flow.val()) {
            self.is_under_way.next = self.is_under_way.val().replace_bit(0, true);
        }
        for i in 0..AGES {
            if self.alive.val().get_bit(i) && (self.flows[i].val() == self.look_flow.val()) {
                self.is_under_way.next = self.is_under_way.val().replace_bit(i + 1, true);
            }
        }
        self.hits.next = self.is_under_way.val();
        self.hit.next = self.is_under_way.val().any();
        self.later.next = self.alive.val() << 1;
        self.alive.next = self.later.val();
        if self.starts.val() {
            self.alive.next = self.later.val() | self.youngest.val();
        }
        self.flows[0].next = self.head_flow.val();
        for i in 0..(AGES - 1) {
            self.flows[i + 1].next = self.flows[i].val();
        }
    }

    /// The slot of an event is that of the cycle in which it started.
    fn slots(&mut self) {
        self.index.next = self.index.val() + 1;
        self.pends.next = self.head_valid.val()
            && self.hit.val()
            && !self.head_void.val()
            && !self.head_again.val()
            && !self.head_command.val();
        self.age.next = 0.into();
        for i in 0..6 {
            if (self.hits.val() & self.ages[i].val()).any() {
                self.age.next = self.age.val().replace_bit(i, true);
            }
        }
        comment!("Its age was that a cycle ago.");
        self.last_index.next = self.index.val() - 1;
        self.slots.write_enable.next = self.pends.val();
        self.slots.write_address.next = self.last_index.val() - self.age.val();
        self.slots.write_data.next = self.head.val();
        self.waits_now.next = self.waits.val();
        if self.pends.val() {
            self.waits_now.next =
                self.waits.val() | bit_cast::<SLOT_AGES, LOOKED_AT>(self.hits.val());
        }
        self.waits.next = self.waits_now.val() << 1;
        self.ends.next = self.waits.val().get_bit(47);
        self.slots.read_enable.next = self.ends.val();
        self.slots.read_address.next = self.index.val() - self.slot_age.val();
        self.again.next = self.ends.val();
    }
}
