//! Takes ACKs and flow commands and starts one of them in each cycle, unless its flow is under way.
//!
//! # Source            ARCHITECTURE.md, CC unit
//! # Interface timing  cycle 0: s_ack taken; 1: it stands in the skid; 2: start, with event_word,
//!                     if no event before it waits, its flow did not start in the last
//!                     [`SAME_FLOW_CYCLES`] - 1 cycles, and `room` was high in the cycle before
//! # Latency and rate  2 cycles; one start per cycle, a flow again after [`SAME_FLOW_CYCLES`]. In order;
//!                     a command enters the skid one cycle after it was taken, before ACKs that come then
//! # Number formats    event_word: psn [23:0], snd_nxt [47:24], tel_valid [48], tel_hops [51:49], tel_path
//!                     [63:52], five records from 64 on, command [384], flow from 385 on. Of a command: op [1:0],
//!                     telemetry [2], window [95:64], rate [127:96], tel_hops 0
//! # Definitions       A flow has two marks, one of its last start and one of its last end: it is
//!                     under way while they differ. A start turns the first one, and the end, so
//!                     many cycles later, makes the second one equal
//! # Shape             F = 2^FB flows, EW = FB + 385, MW = FB + 1
//! # Reset             synchronous, high: nothing taken, nothing under way; while `scrubs` the
//!                     marks of scrub_flow are cleared and the readies are low
//! # Twins             part of sim/src/golden/cc/cc_unit_wide.rs, tests/cc_unit_wide.rs

use super::delay::Delay;
use crate::util::lut_ram::LutRam;
use crate::util::skid::Skid;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles between two starts of the same flow, at least.
pub const SAME_FLOW_CYCLES: usize = 61;
/// Cycles in which an event is under way behind its start.
const FLIGHT_CYCLES: usize = SAME_FLOW_CYCLES - 1;
// The kernel takes the oldest of so many.
const _: () = assert!(FLIGHT_CYCLES == 60);

/// Sinks, order, and the flows under way; `EW = FB + 385`, `MW = FB + 1`.
#[derive(LogicBlock)]
pub struct CcIntakeWide<const FB: usize, const EW: usize, const MW: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An ACK is offered.
    pub s_ack_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_ack_ready: Signal<Out, Bit>,
    /// It as an event.
    pub s_ack_event: Signal<In, Bits<EW>>,
    /// A flow command is offered.
    pub s_flow_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_flow_ready: Signal<Out, Bit>,
    /// Field of the command.
    pub s_flow_flow: Signal<In, Bits<FB>>,
    /// Field of the command.
    pub s_flow_op: Signal<In, Bits<2>>,
    /// Field of the command.
    pub s_flow_telemetry: Signal<In, Bit>,
    /// Field of the command.
    pub s_flow_window_bytes: Signal<In, Bits<32>>,
    /// Field of the command.
    pub s_flow_rate: Signal<In, Bits<32>>,
    /// The marks of a flow are cleared.
    pub scrubs: Signal<In, Bit>,
    /// Flow.
    pub scrub_flow: Signal<In, Bits<FB>>,
    /// A result of an event that starts in the next cycle will find room.
    pub room: Signal<In, Bit>,
    /// An event starts.
    pub start: Signal<Out, Bit>,
    /// The event.
    pub event_word: Signal<Out, Bits<EW>>,
    events: Skid<EW>,
    started: LutRam<FB, 1>,
    ended: LutRam<FB, 1>,
    under_way: Delay<MW, FLIGHT_CYCLES>,
    open: DFF<Bit>,
    flow_full: DFF<Bit>,
    flow_flow: DFF<Bits<FB>>,
    flow_op: DFF<Bits<2>>,
    flow_telemetry: DFF<Bit>,
    flow_window_bytes: DFF<Bits<32>>,
    flow_rate: DFF<Bits<32>>,
    head_valid: DFF<Bit>,
    head: DFF<Bits<EW>>,
    busy: DFF<Bit>,
    mark: DFF<Bit>,
    alive: DFF<Bits<FLIGHT_CYCLES>>,
    starts: DFF<Bit>,
    advance: Signal<Local, Bit>,
    command_word: Signal<Local, Bits<EW>>,
    command_low: Signal<Local, Bits<EW>>,
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
    youngest: Constant<Bits<FLIGHT_CYCLES>>,
    command_bit: Constant<Bits<EW>>,
}

impl<const FB: usize, const EW: usize, const MW: usize> Default for CcIntakeWide<FB, EW, MW> {
    fn default() -> Self {
        assert!(EW == FB + 385 && MW == FB + 1, "EW = FB + 385, MW = FB + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_ack_valid: Default::default(),
            s_ack_ready: Default::default(),
            s_ack_event: Default::default(),
            s_flow_valid: Default::default(),
            s_flow_ready: Default::default(),
            s_flow_flow: Default::default(),
            s_flow_op: Default::default(),
            s_flow_telemetry: Default::default(),
            s_flow_window_bytes: Default::default(),
            s_flow_rate: Default::default(),
            scrubs: Default::default(),
            scrub_flow: Default::default(),
            room: Default::default(),
            start: Default::default(),
            event_word: Default::default(),
            events: Default::default(),
            started: Default::default(),
            ended: Default::default(),
            under_way: Default::default(),
            open: Default::default(),
            flow_full: Default::default(),
            flow_flow: Default::default(),
            flow_op: Default::default(),
            flow_telemetry: Default::default(),
            flow_window_bytes: Default::default(),
            flow_rate: Default::default(),
            head_valid: Default::default(),
            head: Default::default(),
            busy: Default::default(),
            mark: Default::default(),
            alive: Default::default(),
            starts: Default::default(),
            advance: Default::default(),
            command_word: Default::default(),
            command_low: Default::default(),
            next_flow: Default::default(),
            head_flow: Default::default(),
            follows: Default::default(),
            last_mark: Default::default(),
            end_mark: Default::default(),
            ends: Default::default(),
            end_flow: Default::default(),
            alive_later: Default::default(),
            will_stand: Default::default(),
            will_wait: Default::default(),
            youngest: Constant::new(1.into()),
            command_bit: Constant::new(1.into()),
        }
    }
}

impl<const FB: usize, const EW: usize, const MW: usize> Logic for CcIntakeWide<FB, EW, MW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            open,
            flow_full,
            flow_flow,
            flow_op,
            flow_telemetry,
            flow_window_bytes,
            flow_rate,
            head_valid,
            head,
            busy,
            mark,
            alive,
            starts
        );
        clock!(self, clock, events, started, ended, under_way);
        self.events.reset.next = self.reset.val();
        self.under_way.reset.next = self.reset.val();
        comment!("Sinks: a command that was taken goes before an ACK.");
        self.open.d.next = !self.scrubs.val();
        self.s_ack_ready.next =
            self.open.q.val() && self.events.s_ready.val() && !self.flow_full.q.val();
        self.command_low.next = bit_cast::<EW, 2>(self.flow_op.q.val())
            | (bit_cast::<EW, 1>(self.flow_telemetry.q.val().into()) << 2)
            | (self.command_bit.val() << 384);
        self.command_word.next = (bit_cast::<EW, 32>(self.flow_window_bytes.q.val()) << 64)
            | (bit_cast::<EW, 32>(self.flow_rate.q.val()) << 96)
            | (bit_cast::<EW, FB>(self.flow_flow.q.val()) << 385);
        self.events.s_valid.next =
            self.flow_full.q.val() || (self.open.q.val() && self.s_ack_valid.val());
        self.events.s_data.next = self.s_ack_event.val();
        if self.flow_full.q.val() {
            self.events.s_data.next = self.command_low.val() | self.command_word.val();
            if self.events.s_ready.val() {
                self.flow_full.d.next = false;
            }
        }
        self.s_flow_ready.next = self.open.q.val() && !self.flow_full.q.val();
        if self.s_flow_valid.val() && self.open.q.val() && !self.flow_full.q.val() {
            self.flow_full.d.next = true;
            self.flow_flow.d.next = self.s_flow_flow.val();
            self.flow_op.d.next = self.s_flow_op.val();
            self.flow_telemetry.d.next = self.s_flow_telemetry.val();
            self.flow_window_bytes.d.next = self.s_flow_window_bytes.val();
            self.flow_rate.d.next = self.s_flow_rate.val();
        }
        comment!("The head starts unless its flow is under way; decided in the cycle before.");
        self.start.next = self.starts.q.val();
        self.event_word.next = self.head.q.val();
        comment!("The next head.");
        self.advance.next = self.starts.q.val() || !self.head_valid.q.val();
        self.events.m_ready.next = self.advance.val();
        self.next_flow.next = self.events.m_data.val().get_bits::<FB>(385);
        self.will_stand.next = self.head_valid.q.val();
        if self.advance.val() {
            self.will_stand.next = self.events.m_valid.val();
            self.head.d.next = self.events.m_data.val();
        }
        comment!("The end: in the cycle behind it the flow may start again.");
        self.alive_later.next = self.alive.q.val() << 1;
        self.alive.d.next = self.alive_later.val();
        if self.starts.q.val() {
            self.alive.d.next = self.alive_later.val() | self.youngest.val();
        }
        self.head_flow.next = self.head.q.val().get_bits::<FB>(385);
        self.under_way.d.next = bit_cast::<MW, 1>(self.mark.q.val().into())
            | (bit_cast::<MW, FB>(self.head_flow.val()) << 1);
        self.ends.next = self.alive.q.val().get_bit(59);
        self.end_flow.next = self.under_way.q.val().get_bits::<FB>(1);
        self.end_mark.next = self.under_way.q.val().get_bit(0);
        comment!("Marks of the next head, with the start and the end of this cycle.");
        self.started.read_address.next = self.next_flow.val();
        self.ended.read_address.next = self.next_flow.val();
        self.follows.next = self.starts.q.val() && (self.next_flow.val() == self.head_flow.val());
        self.last_mark.next = self.started.read_data.val().get_bit(0);
        if self.follows.val() {
            self.last_mark.next = self.mark.q.val();
        }
        self.will_wait.next = self.busy.q.val();
        if self.advance.val() {
            self.mark.d.next = !self.last_mark.val();
            self.will_wait.next = self.last_mark.val() != self.ended.read_data.val().get_bit(0);
            if self.ends.val() && (self.end_flow.val() == self.next_flow.val()) {
                self.will_wait.next = false;
            }
        } else if self.ends.val() && (self.end_flow.val() == self.head_flow.val()) {
            self.will_wait.next = false;
        }
        self.head_valid.d.next = self.will_stand.val();
        self.busy.d.next = self.will_wait.val();
        self.starts.d.next = self.will_stand.val() && !self.will_wait.val() && self.room.val();
        self.started.write_enable.next = self.starts.q.val() || self.scrubs.val();
        self.started.write_address.next = self.head_flow.val();
        self.started.write_data.next = bit_cast::<1, 1>(self.mark.q.val().into());
        self.ended.write_enable.next = self.ends.val() || self.scrubs.val();
        self.ended.write_address.next = self.end_flow.val();
        self.ended.write_data.next = bit_cast::<1, 1>(self.end_mark.val().into());
        if self.scrubs.val() {
            self.started.write_address.next = self.scrub_flow.val();
            self.started.write_data.next = 0.into();
            self.ended.write_address.next = self.scrub_flow.val();
            self.ended.write_data.next = 0.into();
        }
        if self.reset.val() {
            self.open.d.next = false;
            self.flow_full.d.next = false;
            self.head_valid.d.next = false;
            self.starts.d.next = false;
            self.alive.d.next = 0.into();
        }
    }
}
