//! Indices of the completion ring: where the next entry goes, whether it fits, what software saw.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: advance, land or back; cycle 3: addr, phase, room follow. Cycle 0:
//!                     s_consumer; cycle 2: refused;
//!                     cycle 3: armed; cycle 4: waiting follows
//! # Latency and rate  [`LATENCY_CYCLES`]; one entry every three cycles
//! # Number formats    indices | UQ16 | entries since the ring was switched on, modulo 2^16
//! # Reset             synchronous, high: all indices 0
//! # Twins             sim/models/src/golden/host/cq/ring.rs, tests/host/cq_ring.rs

use crate::streams::Consumer;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a change of an index to what follows from it.
pub const LATENCY_CYCLES: usize = 3;

/// Indices, with `2^S` entries on their way at most.
#[block]
pub struct CqIndex<const S: usize> {
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
    pub s_consumer: Consumer<In>,
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
    producer: Reg<Bits<16>>,
    landed_q: Reg<Bits<16>>,
    consumer: Reg<Bits<16>>,
    size: Unreset<Bits<17>>,
    mask: Unreset<Bits<16>>,
    used: Unreset<Bits<16>>,
    place: Unreset<Bits<64>>,
    pass: Unreset<Bits<16>>,
    addr_q: Reg<Bits<64>>,
    phase_q: Reg<Bit>,
    room_q: Reg<Bit>,
    waiting_q: Reg<Bit>,
    unseen: Reg<Bits<16>>,
    check: Reg<Bit>,
    check_arm: Unreset<Bit>,
    check_index: Unreset<Bits<16>>,
    by: Unreset<Bits<16>>,
    by_max: Unreset<Bits<16>>,
    arms: Reg<Bit>,
    armed_q: Reg<Bit>,
    refused_q: Reg<Bit>,
    full_size: Signal<Local, Bits<17>>,
    full_mask: Signal<Local, Bits<17>>,
    used_wide: Signal<Local, Bits<17>>,
    place_wide: Signal<Local, Bits<64>>,
    place_index: Signal<Local, Bits<16>>,
    good: Signal<Local, Bit>,
    #[init(Constant::new(1u64.to_bits()))]
    one_entry: Constant<Bits<17>>,
    #[value(0x1_0000_u64 - (1_u64 << S))]
    ahead: Constant<Bits<16>>,
}

impl<const S: usize> Logic for CqIndex<S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.addr.next = self.addr_q.val();
        self.phase.next = self.phase_q.val();
        self.room.next = self.room_q.val();
        self.landed.next = self.landed_q.val();
        self.waiting.next = self.waiting_q.val();
        self.armed.next = self.armed_q.val();
        self.refused.next = self.refused_q.val();
        comment!("where the next entry goes");
        self.full_size.next = self.one_entry.val() << self.cfg_log2.val();
        self.full_mask.next = self.full_size.val() - 1;
        self.size.next = self.full_size.val();
        self.mask.next = bit_cast::<16, 17>(self.full_mask.val());
        self.place_index.next = self.producer.val() & self.mask.val();
        self.place_wide.next = bit_cast::<64, 16>(self.place_index.val());
        self.place.next = self.place_wide.val() << 4;
        self.addr_q.next = self.cfg_base.val() + self.place.val();
        self.pass.next = self.producer.val() >> self.cfg_log2.val();
        self.phase_q.next = !self.pass.val().get_bit(0);
        self.used.next = self.producer.val() - self.consumer.val();
        self.used_wide.next = bit_cast::<17, 16>(self.used.val());
        self.room_q.next = self.used_wide.val() < self.size.val();
        self.unseen.next = self.landed_q.val() - self.consumer.val();
        self.waiting_q.next = self.unseen.val().any() & (self.unseen.val() < self.ahead.val());
        if self.advance.val() {
            self.producer.next = self.producer.val() + 1;
        }
        if self.land.val() {
            self.landed_q.next = self.landed_q.val() + 1;
        }
        if self.back.val() {
            self.producer.next = self.landed_q.val();
        }
        comment!(
            "software's index moves forward; it may have seen an entry before its report came"
        );
        self.check.next = self.s_consumer.valid.val();
        self.check_arm.next = self.s_consumer.arm.val();
        self.check_index.next = self.s_consumer.index.val();
        self.by.next = self.s_consumer.index.val() - self.consumer.val();
        self.by_max.next = self.producer.val() - self.consumer.val();
        self.good.next = self.by.val() <= self.by_max.val();
        self.arms.next = self.check.val() & self.check_arm.val() & self.good.val();
        self.refused_q.next = self.check.val() & !self.good.val();
        if self.check.val() & self.good.val() {
            self.consumer.next = self.check_index.val();
        }
        self.armed_q.next = self.arms.val();
        if self.clear.val() {
            self.producer.next = 0.into();
            self.landed_q.next = 0.into();
            self.consumer.next = 0.into();
        }
    }
}
