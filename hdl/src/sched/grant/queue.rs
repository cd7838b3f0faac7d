//! Grants that wait for the requester, the flows of the last four, and the floor: how much a flow must lag to get in.
//!
//! The floor rises to the highest level seen and comes down by one level in each [`FLOOR_CYCLES`]
//! cycles without a waiting grant, or [`FLOOR_CYCLES_LOW`] while the line has little work: so the
//! flow that lags most goes first, whatever the lag that all have in common.
//!
//! # Interface timing  cycle 0: s_push, s_seen; cycle 1: m_grant_*, m_recent_*, m_floor
//! # Latency and rate  [`LATENCY_CYCLES`]; one push per cycle while m_is_full is low
//! # Number formats    levels, floor | 8 bits | thermometer
//! # Reset             synchronous, high: empty, m_grant_flow 0, floor 0
//! # Twins             `grants`, `floor` of sim/models/src/golden/sched/scheduler.rs

use crate::streams::Flow;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a push to the grant.
pub const LATENCY_CYCLES: usize = 1;
/// Grants that can wait.
pub const GRANT_DEPTH: usize = 2;
/// After so many cycles without a waiting grant the floor comes down by one level.
pub const FLOOR_CYCLES: usize = 32;
/// The same while the line has little work.
pub const FLOOR_CYCLES_LOW: usize = 4;

/// Two places for grants, and the floor.
#[block]
pub struct GrantQueue<const FB: usize> {
    /// A grant; only while m_is_full is low.
    pub s_push: Signal<In, Bit>,
    /// Its flow.
    pub s_push_flow: Signal<In, Bits<FB>>,
    /// A flow that may send was seen.
    pub s_seen: Signal<In, Bit>,
    /// Levels that it has reached.
    pub s_seen_levels: Signal<In, Bits<8>>,
    /// The line has little work.
    pub s_is_low: Signal<In, Bit>,
    /// Both places are taken.
    pub m_is_full: Signal<Out, Bit>,
    /// Levels that a flow must have reached.
    pub m_floor: Signal<Out, Bits<8>>,
    /// So many of m_recent_* are valid, thermometer.
    pub m_recent_valid: Signal<Out, Bits<4>>,
    /// Flow of the last grant.
    pub m_recent_0: Signal<Out, Bits<FB>>,
    /// Flow of the grant before.
    pub m_recent_1: Signal<Out, Bits<FB>>,
    /// Flow of the third last grant.
    pub m_recent_2: Signal<Out, Bits<FB>>,
    /// Flow of the fourth last grant.
    pub m_recent_3: Signal<Out, Bits<FB>>,
    /// A flow may send its packet.
    pub m_grant: Flow<Out, FB>,
    recent_valid: Reg<Bits<4>>,
    recent_0: Reg<Bits<FB>>,
    recent_1: Reg<Bits<FB>>,
    recent_2: Reg<Bits<FB>>,
    recent_3: Reg<Bits<FB>>,
    first_valid: Reg<Bit>,
    first_flow: Reg<Bits<FB>>,
    second_valid: Reg<Bit>,
    second_flow: Reg<Bits<FB>>,
    floor: Reg<Bits<8>>,
    idle_cycles: Reg<Bits<5>>,
    raised: Signal<Local, Bits<8>>,
    #[value(1)]
    one: Constant<Bits<4>>,
    #[value(FLOOR_CYCLES as u64 - 1)]
    last_idle: Constant<Bits<5>>,
    #[value(FLOOR_CYCLES_LOW as u64 - 1)]
    last_idle_low: Constant<Bits<5>>,
    is_last: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for GrantQueue<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_is_full.next = self.second_valid.val();
        self.m_floor.next = self.floor.val();
        self.m_grant.valid.next = self.first_valid.val();
        self.m_grant.flow.next = self.first_flow.val();
        comment!("The last four.");
        self.m_recent_valid.next = self.recent_valid.val();
        self.m_recent_0.next = self.recent_0.val();
        self.m_recent_1.next = self.recent_1.val();
        self.m_recent_2.next = self.recent_2.val();
        self.m_recent_3.next = self.recent_3.val();
        if self.s_push.val() {
            self.recent_valid.next = (self.recent_valid.val() << 1) | self.one.val();
            self.recent_0.next = self.s_push_flow.val();
            self.recent_1.next = self.recent_0.val();
            self.recent_2.next = self.recent_1.val();
            self.recent_3.next = self.recent_2.val();
        }
        comment!("The second place moves up when the first is free or taken.");
        if !self.first_valid.val() | self.m_grant.ready.val() {
            self.first_valid.next = self.second_valid.val();
            self.first_flow.next = self.second_flow.val();
            self.second_valid.next = false;
            self.second_flow.next = 0.into();
            if self.s_push.val() {
                self.first_valid.next = true;
                self.first_flow.next = self.s_push_flow.val();
            }
        } else if self.s_push.val() {
            self.second_valid.next = true;
            self.second_flow.next = self.s_push_flow.val();
        }
        comment!("Floor: up to the highest level seen, down while no grant waits.");
        self.raised.next = self.floor.val();
        if self.s_seen.val() {
            self.raised.next = self.floor.val() | self.s_seen_levels.val();
        }
        self.floor.next = self.raised.val();
        self.idle_cycles.next = 0.into();
        self.is_last.next = self.idle_cycles.val() == self.last_idle.val();
        if self.s_is_low.val() {
            self.is_last.next = self.idle_cycles.val() >= self.last_idle_low.val();
        }
        if !self.first_valid.val() {
            self.idle_cycles.next = self.idle_cycles.val() + 1;
            if self.is_last.val() {
                self.idle_cycles.next = 0.into();
                self.floor.next = self.raised.val() >> 1;
            }
        }
    }
}
