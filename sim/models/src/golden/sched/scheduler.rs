//! Twin of `hdl/src/sched/scheduler.rs`, the flow scheduler.
//!
//! A flow with work is visited over and over: it earns credit for the cycles since its last visit
//! and sends when the credit covers its packet. All times are in cycles, of a clock that stands
//! while the line is busy with what is granted.
//!
//! In a window of 1 ms a flow asks for `a` packets, and any window may hold one more or one less
//! only. So it may send while it has not more than `a` in the window, and must before it has less
//! than `a - 1`: when its oldest packet is about to leave and no more than `a` are there, it is its
//! turn, which does not wait for credit. Flows that ask for more packets than are remembered are
//! `express`: they go by credit alone and are visited every other cycle.

use super::calendar::{
    Calendar, Caller, CallerIn, Cases, Line, LineClock, Packet, KEPT_PACKETS_MAX,
};
use crate::golden::util::fifo::RamFifo;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{self, InFlight, Rate, ReadyPort, Work};
use nic_spec::NicConfig;
use std::collections::VecDeque;

/// Credit saturates below this many bytes.
pub const CREDIT_CAP_BYTES: i64 = 1 << 16;
/// A flow that owes more than this does not pay for its turns.
pub const DEBT_MAX_BYTES: i64 = 1 << 15;
/// Time since the last visit counts for at most this many cycles.
pub const ELAPSED_MAX_CYCLES: u32 = (1 << 12) - 1;
/// Grants that can wait for the requester.
pub const GRANT_DEPTH: usize = 2;
/// Lag levels: level `k` is reached when the credit is `LEVEL_QUARTERS[k]` quarters of the packet.
pub const LEVEL_QUARTERS: [i64; 8] = [4, 5, 6, 7, 8, 9, 10, 16];
/// A flow that has its share and is bunched holds so many quarters of its packet at most.
pub const HELD_QUARTERS: i64 = 7;
/// Packets from here on are so long that others are not much longer.
pub const LONG_BYTES: u16 = 2048;
/// After so many cycles without a waiting grant the floor comes down by one level.
pub const FLOOR_CYCLES: u32 = 32;
/// The same while the line has little work.
pub const FLOOR_CYCLES_LOW: u32 = 4;
/// Packets that are granted and may not have left yet: here and in the requester.
pub const RECENT_GRANTS: usize = 4;
/// Flows that send too many packets to be remembered, and are visited every other cycle.
pub const EXPRESS_FLOWS: usize = 8;
/// From the accept of `s_work` to the grant, when the flow may send at once.
pub const LATENCY_CYCLES: usize = 13;

/// From the choice of a flow to the read of its state.
const READ_AGE: usize = 2;
/// From the choice of a flow to the cycle whose number is its visit's time.
const TIME_AGE: usize = 4;
/// From the choice of a flow to the decision.
const DECIDE_AGE: usize = 10;
/// Time of a flow's last visit, mod 2^22.
const STAMP_MASK: u32 = (1 << 22) - 1;

ports! {
    /// Inputs of the scheduler.
    pub struct SchedulerIn {
        pub reset: bool,
        pub s_work: Work,
        pub s_inflight: InFlight,
        pub s_rate: Rate,
        pub m_grant: ReadyPort,
    }
}
ports! {
    /// Outputs of the scheduler.
    pub struct SchedulerOut {
        pub s_work: ReadyPort,
        pub s_inflight: ReadyPort,
        pub s_rate: ReadyPort,
        pub m_grant: streams::Flow,
    }
}

#[derive(Clone, Debug, Default)]
struct Flow {
    created: bool,
    /// Work is waiting for a grant.
    armed: bool,
    /// The flow's id is in the ring or in the visit pipeline.
    in_ring: bool,
    rate: u32,
    window_bytes: u32,
    len_bytes: u16,
    inflight_bytes: u32,
    /// SQ16.24; below zero after turns that did not wait for it.
    credit: i64,
    visited_at: u32,
    /// The credit has been given its first value.
    is_started: bool,
    /// The flow is in `late`, or holds the ticket; it stays in its ring until that is over.
    is_queued: bool,
}

/// A flow on its way through the visit pipeline.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    valid: bool,
    flow: u16,
    /// Visit of the flow whose turn has come; the flow's place in the ring does not change.
    is_call: bool,
    /// Its flow is called and has another visit on the way: back into the ring.
    is_bounced: bool,
    /// Its flow got work after the read.
    is_stale: bool,
    rate: u32,
    len_bytes: u16,
    is_open: bool,
    created: bool,
    /// Cycles of a window.
    window_cycles: u32,
    /// Bytes of its flow in the window, and how many of its packets have had their turn.
    window_bytes: u32,
    turned: u32,
    /// When the line carries what is granted next, see `LineClock`.
    time: u32,
}

impl Visit {
    /// What the flow asks for in a window.
    fn asked_bytes(&self) -> u32 {
        ((u64::from(self.rate) * u64::from(self.window_cycles)) >> 24) as u32
    }

    /// The flow sends few packets in a window.
    fn is_kept(&self) -> bool {
        self.asked_bytes() / KEPT_PACKETS_MAX < u32::from(self.len_bytes)
    }

    /// The flow has not got more than it asks for.
    fn is_within(&self) -> bool {
        !self.is_kept() || self.window_bytes <= self.asked_bytes()
    }

    /// Without this packet the flow gets less than it asks for, once the packets have left whose
    /// turn has been.
    fn must_send(&self) -> bool {
        let len = u32::from(self.len_bytes);
        self.window_bytes + len <= self.asked_bytes() + self.turned * len
    }

    /// Two of its packets are about to leave, and the line may carry a longer one between them.
    fn is_bunched(&self) -> bool {
        self.turned >= 2 && self.len_bytes < LONG_BYTES
    }

    /// Its packet, for the calendar.
    fn packet(&self) -> Packet {
        Packet { flow: self.flow, len_bytes: self.len_bytes, is_kept: self.is_kept() }
    }
}

/// What a flow can do at the end of its visit.
#[derive(Clone, Copy, Debug)]
struct Claim {
    flow: u16,
    lag: usize,
    /// It is its turn.
    is_called: bool,
    /// It sends many packets in a window.
    is_fast: bool,
}

/// A flow that goes back to its ring.
#[derive(Clone, Copy, Debug)]
struct Return {
    flow: u16,
    is_express: bool,
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    flows: Vec<Flow>,
    /// Cycles of clearing left after reset.
    scrub_left: usize,
    work_turn: bool,
    inflight_turn: bool,
    calendar: Calendar,
    caller: Caller,
    /// The turn of the called flow is over, in this and in the last cycle.
    is_turn_over: bool,
    was_turn_over: bool,
    accepted_work: Option<u16>,
    accepted_remove: Option<u16>,
    arm: Option<u16>,
    ring: VecDeque<u16>,
    express: VecDeque<u16>,
    /// The next visit is one of `express`, if there is any.
    is_express_turn: bool,
    returning: Option<Return>,
    visits: [Visit; DECIDE_AGE + 1],
    /// Index of age 0 in `visits`.
    youngest: usize,
    grants: VecDeque<u16>,
    /// Level that a flow must have reached: the highest one seen, lowered while no grant waits.
    floor: usize,
    idle_cycles: u32,
    /// Late flows that found no room, in that order. The first holds the ticket: the last place
    /// in `grants` is kept for it.
    late: RamFifo<u16>,
    /// The flow that joins them next.
    joining: Option<u16>,
    /// The first of them is about to leave.
    is_ticket_over: bool,
    /// It found a place, but a grant just before it: both places are kept.
    is_ticket_due: bool,
    /// Flows of the last grants, the newest first.
    recent: VecDeque<u16>,
}

impl Scheduler {
    /// Scheduler for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(config.flow_count, Line::OF_64_BITS)
    }

    /// Scheduler of `count` flows in front of `line`.
    pub fn of(count: usize, line: Line) -> Self {
        Self {
            flows: vec![Flow::default(); count],
            scrub_left: count,
            work_turn: false,
            inflight_turn: false,
            calendar: Calendar::new(count, line),
            caller: Caller::default(),
            is_turn_over: false,
            was_turn_over: false,
            accepted_work: None,
            accepted_remove: None,
            arm: None,
            ring: VecDeque::with_capacity(count),
            express: VecDeque::with_capacity(EXPRESS_FLOWS),
            is_express_turn: false,
            returning: None,
            visits: [Visit::default(); DECIDE_AGE + 1],
            youngest: 0,
            grants: VecDeque::with_capacity(GRANT_DEPTH),
            floor: 0,
            idle_cycles: 0,
            late: RamFifo::new(count.max(4)),
            joining: None,
            is_ticket_over: false,
            is_ticket_due: false,
            recent: VecDeque::with_capacity(RECENT_GRANTS + 1),
        }
    }

    /// How often each case of the calendar came.
    pub fn cases(&self) -> Cases {
        self.calendar.cases
    }

    /// Beats of the packet that was granted in the last cycle.
    pub fn granted_beats(&self) -> Option<u32> {
        self.calendar.granted_beats()
    }

    /// The clock of a line that is shared.
    pub fn set_clock(&mut self, clock: LineClock) {
        self.calendar.clock = clock;
    }

    fn reset(&mut self) {
        *self = Self::of(self.flows.len(), self.calendar.line);
    }

    fn out(&self) -> SchedulerOut {
        SchedulerOut {
            s_work: ReadyPort { ready: self.work_turn },
            s_inflight: ReadyPort { ready: self.inflight_turn },
            s_rate: ReadyPort { ready: self.scrub_left == 0 },
            m_grant: streams::Flow {
                valid: !self.grants.is_empty(),
                flow: self.grants.front().copied().unwrap_or(0),
            },
        }
    }

    /// Position in `visits` of the visit whose flow was chosen `age` cycles ago.
    fn at_age(&self, age: usize) -> usize {
        let n = self.visits.len();
        (self.youngest + n - age) % n
    }

    /// The next flow of the rings, which take turns.
    fn next_of_rings(&mut self) -> Option<u16> {
        let is_express = !self.express.is_empty() && (self.is_express_turn || self.ring.is_empty());
        self.is_express_turn = !is_express;
        if is_express {
            self.express.pop_front()
        } else {
            self.ring.pop_front()
        }
    }

    /// Chooses the next flow: one with new work, the called one, the next of the rings.
    fn choose(&mut self) {
        let call = if self.arm.is_some() { None } else { self.caller.visit.take() };
        let chosen = self.arm.take().or(call).or_else(|| self.next_of_rings());
        self.youngest = (self.youngest + 1) % self.visits.len();
        let (valid, flow, is_call) = (chosen.is_some(), chosen.unwrap_or(0), call.is_some());
        self.visits[self.youngest] = Visit { valid, flow, is_call, ..Visit::default() };
    }

    /// Takes what this cycle's transfers bring.
    fn accept(&mut self, i: &SchedulerIn) {
        if i.s_work.valid && self.work_turn {
            let flow = &mut self.flows[usize::from(i.s_work.flow)];
            flow.len_bytes = i.s_work.len_bytes;
            flow.inflight_bytes = i.s_work.inflight_bytes;
            self.accepted_work = Some(i.s_work.flow);
            // What the visits on their way have read is not of this work. The last ones decide
            // before it shows.
            for age in READ_AGE + 1..DECIDE_AGE - 1 {
                let at = self.at_age(age);
                self.visits[at].is_stale |= self.visits[at].flow == i.s_work.flow;
            }
        }
        if i.s_inflight.valid && self.inflight_turn {
            let flow = &mut self.flows[usize::from(i.s_inflight.flow)];
            flow.inflight_bytes = i.s_inflight.inflight_bytes;
        }
        if i.s_rate.valid && self.scrub_left == 0 {
            let flow = &mut self.flows[usize::from(i.s_rate.flow)];
            (flow.rate, flow.window_bytes) = (i.s_rate.rate, i.s_rate.window_bytes);
            self.calendar.renew(i.s_rate.flow);
            match i.s_rate.op {
                1 => flow.created = true,
                2 => {
                    flow.created = false;
                    self.accepted_remove = Some(i.s_rate.flow);
                }
                _ => {}
            }
        }
    }

    /// Reads the state of the flow whose turn it is, this cycle's transfers included.
    fn read(&mut self) {
        let at = self.at_age(READ_AGE);
        let visit = &mut self.visits[at];
        let flow = &self.flows[usize::from(visit.flow)];
        (visit.rate, visit.len_bytes, visit.created) = (flow.rate, flow.len_bytes, flow.created);
        let inflight = flow.inflight_bytes;
        visit.is_open = inflight == 0 || inflight < flow.window_bytes;
        visit.window_cycles = self.calendar.line.window_cycles;
        visit.window_bytes = self.calendar.bytes(visit.flow);
        visit.turned = self.calendar.turned(visit.flow);
    }

    /// Credit of `visit`'s flow at `time`, SQ16.24.
    fn credit_at(&self, visit: &Visit, time: u32) -> i64 {
        let flow = &self.flows[usize::from(visit.flow)];
        let elapsed = time.wrapping_sub(flow.visited_at) & STAMP_MASK;
        let earned = if flow.is_started {
            u64::from(visit.rate) * u64::from(elapsed.min(ELAPSED_MAX_CYCLES))
        } else {
            // A share of a packet that differs from flow to flow: flows that are created
            // together do not fall due together for ever.
            let bits = self.flows.len().ilog2();
            let phase = u64::from(visit.flow.reverse_bits() >> (16 - bits)) << (12 - bits);
            (u64::from(visit.len_bytes) << 12) * phase
        };
        (flow.credit + earned as i64).min((CREDIT_CAP_BYTES << 24) - 1)
    }

    /// Decides the oldest visit. Returns the flow that goes back to its ring, and the visit whose
    /// flow is granted.
    fn decide(&mut self) -> (Option<Return>, Option<Visit>) {
        let visit = self.visits[self.at_age(DECIDE_AGE)];
        if !visit.valid || visit.is_bounced {
            let back = Return { flow: visit.flow, is_express: false };
            return (visit.valid.then_some(back), None);
        }
        let credit = self.credit_at(&visit, visit.time);
        let len = i64::from(visit.len_bytes);
        let reached = |quarters: &i64| credit >> 22 >= quarters * len;
        let lag = LEVEL_QUARTERS.iter().take_while(|q| reached(q)).count();
        let is_armed = self.flows[usize::from(visit.flow)].armed;
        let is_mine = self.caller.called == Some(visit.flow);
        // A turn does not wait for credit: it may come a little early.
        let is_called = is_mine && visit.must_send();
        let is_able = visit.created && visit.is_open && visit.is_within();
        let may_send = is_able && is_armed && !visit.is_stale && (lag > 0 || is_called);
        let claim = Claim { flow: visit.flow, lag, is_called, is_fast: !visit.is_kept() };
        let has_room = self.has_room(&claim);
        let is_granted = may_send && has_room && self.is_first(&claim);
        let is_passed_over = may_send && !is_granted;
        // The turn waits for a flow whose last packet is still on its way to the line. Only the
        // visit that was called for has seen all that the turn is about.
        let is_recent = self.recent.contains(&visit.flow) && !self.calendar.clock.is_low;
        let waits = is_able && is_called && (is_armed || is_recent);
        self.is_turn_over = is_mine && (is_granted || (visit.is_call && !waits));
        self.settle(&visit, credit, lag, is_granted);

        let has_ticket = self.keep_ticket(&claim, is_passed_over, has_room);

        let flow = &mut self.flows[usize::from(visit.flow)];
        flow.armed &= !is_granted;
        let stays = (flow.armed || flow.is_queued) && !visit.is_call;
        if !visit.is_call {
            flow.in_ring = stays;
        }
        if may_send {
            self.floor = self.floor.max(lag);
        }
        if is_granted {
            self.recent.push_front(visit.flow);
            self.recent.truncate(RECENT_GRANTS);
        }
        // Flows that are far behind keep the order of the ring, but for the holder of the ticket.
        let is_express =
            has_ticket || (visit.created && !visit.is_kept() && lag < LEVEL_QUARTERS.len());
        let back = Return { flow: visit.flow, is_express };
        (stays.then_some(back), is_granted.then_some(visit))
    }

    /// Stores the credit that a visit leaves.
    fn settle(&mut self, visit: &Visit, credit: i64, lag: usize, is_granted: bool) {
        let len = i64::from(visit.len_bytes) << 24;
        let flow = &mut self.flows[usize::from(visit.flow)];
        (flow.visited_at, flow.is_started) = (visit.time, visit.created);
        flow.credit = match () {
            () if !visit.created => 0,
            // Turns are never refused, so a debt has an end.
            () if is_granted && credit < -(DEBT_MAX_BYTES << 24) => credit,
            () if is_granted => credit - len,
            () if !visit.is_open && lag > 0 => len,
            () if !visit.is_open || visit.is_within() => credit,
            // Its next packets must not be as close together as those that are about to leave.
            () if visit.is_bunched() => credit.min(HELD_QUARTERS * len / 4),
            // What a flow could not get inside its share is not made up for.
            () if lag == LEVEL_QUARTERS.len() => credit - len,
            () => credit,
        };
    }

    /// Whether there is a place for a flow's grant: the last one is kept for the holder of the
    /// ticket, and both once it has found one in vain.
    fn has_room(&self, claim: &Claim) -> bool {
        let is_kept = self.late.m_valid() && !self.is_holder(claim);
        let places = match () {
            () if !is_kept => GRANT_DEPTH,
            () if self.is_ticket_due => 0,
            () => GRANT_DEPTH - 1,
        };
        self.grants.len() < places && !self.calendar.is_busy()
    }

    /// Whether a flow goes before all others. A flow whose turn it is goes before those that only
    /// lag, the holder of the ticket before both.
    fn is_first(&self, claim: &Claim) -> bool {
        let passes = claim.is_fast && self.calendar.line.fast_passes_turns;
        let is_free = passes || self.calendar.is_settled || self.calendar.clock.is_low;
        let is_above = claim.lag >= self.floor || claim.is_fast;
        self.is_holder(claim) || claim.is_called || (is_free && is_above)
    }

    /// The flow holds the ticket.
    fn is_holder(&self, claim: &Claim) -> bool {
        self.late.m_valid() && self.late.m_data() == claim.flow
    }

    /// Late flows that find no room queue up. The first of them holds the ticket, until it has its
    /// grant or nothing that it may send. Returns whether it still holds it.
    fn keep_ticket(&mut self, claim: &Claim, is_passed_over: bool, has_room: bool) -> bool {
        let is_late = claim.lag == LEVEL_QUARTERS.len();
        let is_holder = self.is_holder(claim);
        let flow = &mut self.flows[usize::from(claim.flow)];
        if is_holder {
            flow.is_queued = is_passed_over;
            self.is_ticket_over = !is_passed_over;
            self.is_ticket_due = is_passed_over && self.grants.len() < GRANT_DEPTH;
        } else if is_passed_over && !has_room && is_late && !flow.is_queued {
            flow.is_queued = true;
            self.joining = Some(claim.flow);
        }
        is_holder && is_passed_over
    }

    /// Moves calendar and caller on.
    fn remember(&mut self, granted: Option<Packet>, has_place: bool) {
        let seen = self.visits[self.at_age(READ_AGE)];
        let visited = (seen.valid && !seen.is_call).then_some(seen.flow);
        let oldest = self.visits[self.at_age(DECIDE_AGE)];
        let ended = oldest.valid && oldest.is_call;
        let is_done = core::mem::replace(&mut self.was_turn_over, self.is_turn_over);
        self.is_turn_over = false;
        let called = self.caller.called;
        let at = self.at_age(READ_AGE);
        self.visits[at].is_bounced =
            self.caller.is_on_way && visited.is_some() && visited == called;
        let at = self.at_age(TIME_AGE);
        self.visits[at].time = self.calendar.clock.time;
        let next = self.calendar.step(granted, called.is_some());
        self.caller.step(CallerIn { visited, ended, is_done, has_place, next });
    }

    /// Lowers the floor while no grant waits.
    fn lower_floor(&mut self, was_idle: bool) {
        self.idle_cycles = if was_idle { self.idle_cycles + 1 } else { 0 };
        let is_low = self.calendar.clock.is_low;
        if self.idle_cycles >= if is_low { FLOOR_CYCLES_LOW } else { FLOOR_CYCLES } {
            self.idle_cycles = 0;
            self.floor = self.floor.saturating_sub(1);
        }
    }

    /// Puts flows with new work on their way, and lets removed ones go.
    fn arm_and_remove(&mut self) {
        if let Some(flow) = self.accepted_remove.take() {
            self.flows[usize::from(flow)].armed = false;
        }
        if let Some(id) = self.accepted_work.take() {
            let flow = &mut self.flows[usize::from(id)];
            flow.armed = true;
            if !flow.in_ring {
                flow.in_ring = true;
                self.arm = Some(id);
            }
        }
    }
}

impl Golden for Scheduler {
    type In = SchedulerIn;
    type Out = SchedulerOut;

    fn step(&mut self, i: &SchedulerIn) -> SchedulerOut {
        if i.reset {
            self.reset();
            return self.out();
        }
        self.choose();
        let is_idle = self.grants.is_empty();
        let has_place = self.grants.len() < GRANT_DEPTH;
        let (joining, is_over) = (self.joining.take(), core::mem::take(&mut self.is_ticket_over));
        let (stays, granted) = self.decide();
        self.late.step(false, joining, is_over);
        self.lower_floor(is_idle);
        self.remember(granted.map(|v| v.packet()), has_place);
        let granted = granted.map(|v| v.flow);
        if i.m_grant.ready {
            self.grants.pop_front();
        }
        self.grants.extend(granted);
        self.arm_and_remove();
        if let Some(back) = core::mem::replace(&mut self.returning, stays) {
            let is_express = back.is_express && self.express.len() < EXPRESS_FLOWS;
            let ring = if is_express { &mut self.express } else { &mut self.ring };
            ring.push_back(back.flow);
        }
        self.accept(i);
        self.read();
        let is_clean = self.scrub_left == 0;
        self.inflight_turn = is_clean && self.work_turn;
        self.work_turn = is_clean && !self.work_turn;
        self.scrub_left = self.scrub_left.saturating_sub(1);
        self.out()
    }
}
