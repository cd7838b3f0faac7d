//! Indices of the completion ring: where the next entry goes, whether it fits, what software saw.
//!
//! # Source            ARCHITECTURE.md, Rings
//! # Interface timing  cycle 0: advance, land or back; cycle 3: addr, phase, room follow. Cycle 0:
//!                     s_consumer; cycle 2: refused;
//!                     cycle 3: armed; cycle 4: waiting follows
//! # Latency and rate  [`LATENCY_CYCLES`]; one entry every three cycles
//! # Number formats    indices | UQ16 | entries since the ring was switched on, modulo 2^16
//! # Reset             synchronous, high: all indices 0
//! # Twins             sim/src/golden/host/cq_ring.rs, tests/cq_ring.rs

use super::cq_ring::WRITES_MAX;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a change of an index to what follows from it.
pub const LATENCY_CYCLES: usize = 3;

/// Indices.
#[derive(LogicBlock)]
pub struct CqIndex {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Address of the ring.
    pub cfg_base: Signal<In, Bits<64>>,
    /// log2 of its entries.
    pub cfg_log2: Signal<In, Bits<4>>,
    /// The ring is off: all indices are 0.
    pub clear: Signal<In, Bit>,
    /// An entry is on its way.
    pub advance: Signal<In, Bit>,
    /// The oldest on its way has landed.
    pub land: Signal<In, Bit>,
    /// What has not landed will be sent again.
    pub back: Signal<In, Bit>,
    /// Software writes its index.
    pub s_consumer_valid: Signal<In, Bit>,
    /// The index of the entry that it reads next.
    pub s_consumer_index: Signal<In, Bits<16>>,
    /// It wants an interrupt.
    pub s_consumer_arm: Signal<In, Bit>,
    /// Address of the next entry.
    pub addr: Signal<Out, Bits<64>>,
    /// Its phase.
    pub phase: Signal<Out, Bit>,
    /// It has room.
    pub room: Signal<Out, Bit>,
    /// Entries that have landed.
    pub landed: Signal<Out, Bits<16>>,
    /// Some of them software has not read.
    pub waiting: Signal<Out, Bit>,
    /// Software's index is good, and it wants an interrupt.
    pub armed: Signal<Out, Bit>,
    /// Software's index moves back or beyond what was sent: nothing changed.
    pub refused: Signal<Out, Bit>,
    producer: DFF<Bits<16>>,
    landed_q: DFF<Bits<16>>,
    consumer: DFF<Bits<16>>,
    size: DFF<Bits<17>>,
    mask: DFF<Bits<16>>,
    used: DFF<Bits<16>>,
    place: DFF<Bits<64>>,
    pass: DFF<Bits<16>>,
    addr_q: DFF<Bits<64>>,
    phase_q: DFF<Bit>,
    room_q: DFF<Bit>,
    waiting_q: DFF<Bit>,
    unseen: DFF<Bits<16>>,
    check: DFF<Bit>,
    check_arm: DFF<Bit>,
    check_index: DFF<Bits<16>>,
    by: DFF<Bits<16>>,
    by_max: DFF<Bits<16>>,
    arms: DFF<Bit>,
    armed_q: DFF<Bit>,
    refused_q: DFF<Bit>,
    full_size: Signal<Local, Bits<17>>,
    full_mask: Signal<Local, Bits<17>>,
    used_wide: Signal<Local, Bits<17>>,
    place_wide: Signal<Local, Bits<64>>,
    place_index: Signal<Local, Bits<16>>,
    good: Signal<Local, Bit>,
    one_entry: Constant<Bits<17>>,
    ahead: Constant<Bits<16>>,
}

impl Default for CqIndex {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_base: Default::default(),
            cfg_log2: Default::default(),
            clear: Default::default(),
            advance: Default::default(),
            land: Default::default(),
            back: Default::default(),
            s_consumer_valid: Default::default(),
            s_consumer_index: Default::default(),
            s_consumer_arm: Default::default(),
            addr: Default::default(),
            phase: Default::default(),
            room: Default::default(),
            landed: Default::default(),
            waiting: Default::default(),
            armed: Default::default(),
            refused: Default::default(),
            producer: Default::default(),
            landed_q: Default::default(),
            consumer: Default::default(),
            size: Default::default(),
            mask: Default::default(),
            used: Default::default(),
            place: Default::default(),
            pass: Default::default(),
            addr_q: Default::default(),
            phase_q: Default::default(),
            room_q: Default::default(),
            waiting_q: Default::default(),
            unseen: Default::default(),
            check: Default::default(),
            check_arm: Default::default(),
            check_index: Default::default(),
            by: Default::default(),
            by_max: Default::default(),
            arms: Default::default(),
            armed_q: Default::default(),
            refused_q: Default::default(),
            full_size: Default::default(),
            full_mask: Default::default(),
            used_wide: Default::default(),
            place_wide: Default::default(),
            place_index: Default::default(),
            good: Default::default(),
            ahead: Constant::new((0x1_0000 - WRITES_MAX).to_bits()),
            one_entry: Constant::new(1u64.to_bits()),
        }
    }
}

impl Logic for CqIndex {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            producer,
            landed_q,
            consumer,
            size,
            mask,
            used,
            place,
            pass,
            addr_q,
            phase_q,
            room_q,
            waiting_q,
            unseen,
            check,
            check_arm,
            check_index,
            by,
            by_max,
            arms,
            armed_q,
            refused_q
        );
        self.addr.next = self.addr_q.q.val();
        self.phase.next = self.phase_q.q.val();
        self.room.next = self.room_q.q.val();
        self.landed.next = self.landed_q.q.val();
        self.waiting.next = self.waiting_q.q.val();
        self.armed.next = self.armed_q.q.val();
        self.refused.next = self.refused_q.q.val();
        comment!("where the next entry goes");
        self.full_size.next = self.one_entry.val() << self.cfg_log2.val();
        self.full_mask.next = self.full_size.val() - 1;
        self.size.d.next = self.full_size.val();
        self.mask.d.next = bit_cast::<16, 17>(self.full_mask.val());
        self.place_index.next = self.producer.q.val() & self.mask.q.val();
        self.place_wide.next = bit_cast::<64, 16>(self.place_index.val());
        self.place.d.next = self.place_wide.val() << 4;
        self.addr_q.d.next = self.cfg_base.val() + self.place.q.val();
        self.pass.d.next = self.producer.q.val() >> self.cfg_log2.val();
        self.phase_q.d.next = !self.pass.q.val().get_bit(0);
        self.used.d.next = self.producer.q.val() - self.consumer.q.val();
        self.used_wide.next = bit_cast::<17, 16>(self.used.q.val());
        self.room_q.d.next = self.used_wide.val() < self.size.q.val();
        self.unseen.d.next = self.landed_q.q.val() - self.consumer.q.val();
        self.waiting_q.d.next =
            self.unseen.q.val().any() & (self.unseen.q.val() < self.ahead.val());
        if self.advance.val() {
            self.producer.d.next = self.producer.q.val() + 1;
        }
        if self.land.val() {
            self.landed_q.d.next = self.landed_q.q.val() + 1;
        }
        if self.back.val() {
            self.producer.d.next = self.landed_q.q.val();
        }
        comment!(
            "software's index moves forward; it may have seen an entry before its report came"
        );
        self.check.d.next = self.s_consumer_valid.val();
        self.check_arm.d.next = self.s_consumer_arm.val();
        self.check_index.d.next = self.s_consumer_index.val();
        self.by.d.next = self.s_consumer_index.val() - self.consumer.q.val();
        self.by_max.d.next = self.producer.q.val() - self.consumer.q.val();
        self.good.next = self.by.q.val() <= self.by_max.q.val();
        self.arms.d.next = self.check.q.val() & self.check_arm.q.val() & self.good.val();
        self.refused_q.d.next = self.check.q.val() & !self.good.val();
        if self.check.q.val() & self.good.val() {
            self.consumer.d.next = self.check_index.q.val();
        }
        self.armed_q.d.next = self.arms.q.val();
        if self.clear.val() {
            self.producer.d.next = 0.into();
            self.landed_q.d.next = 0.into();
            self.consumer.d.next = 0.into();
        }
        if self.reset.val() {
            self.producer.d.next = 0.into();
            self.landed_q.d.next = 0.into();
            self.consumer.d.next = 0.into();
            self.addr_q.d.next = 0.into();
            self.phase_q.d.next = false;
            self.room_q.d.next = false;
            self.waiting_q.d.next = false;
            self.unseen.d.next = 0.into();
            self.check.d.next = false;
            self.arms.d.next = false;
            self.armed_q.d.next = false;
            self.refused_q.d.next = false;
        }
    }
}
