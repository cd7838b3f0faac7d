//! Indices of the completion ring: where the next entry goes, whether it fits, what software saw.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: advance, land or back; cycle 3: addr, phase, room follow. Cycle 0:
//!                     s_consumer; cycle 2: refused;
//!                     cycle 3: armed; cycle 4: waiting follows; cycle 5: room follows
//! # Latency and rate  [`LATENCY_CYCLES`]; entries of one write every three cycles
//! # Shape             a write has at most `2^N` entries, `NB = N + 1`; it ends at the latest where an
//!                     aligned group of so many does, so none wraps around the ring
//! # Number formats    indices | UQ16 | entries since the ring was switched on, modulo 2^16
//! # Reset             synchronous, high: all indices 0
//! # Twins             sim/models/src/golden/host/cq/ring.rs, tests/host/cq_ring.rs

use crate::streams::Consumer;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a change of an index to what follows from it.
pub const LATENCY_CYCLES: usize = 3;

/// Indices, with `2^E` entries on their way at most, `2^N` in a write; `NB = N + 1`.
#[block(check(NB >= 1 && E < 15))]
pub struct CqIndex<const E: usize, const NB: usize> {
    /// Address of the ring.
    pub cfg_base: Signal<In, Bits<64>>,
    /// log2 of its entries.
    pub cfg_log2: Signal<In, Bits<4>>,
    /// The ring is off: all indices are 0.
    pub clear: Signal<In, Bit>,
    /// So many entries are on their way.
    pub advance: Signal<In, Bits<NB>>,
    /// So many of the oldest on their way have landed.
    pub land: Signal<In, Bits<NB>>,
    /// What has not landed will be sent again.
    pub back: Signal<In, Bit>,
    /// Software writes its index.
    pub s_consumer: Consumer<In>,
    /// Address of the next entry.
    pub addr: Signal<Out, Bits<64>>,
    /// Its phase.
    pub phase: Signal<Out, Bit>,
    /// So many entries have room from there on, in one write.
    pub room: Signal<Out, Bits<NB>>,
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
    mask: Unreset<Bits<16>>,
    room_end: Unreset<Bits<16>>,
    unused: Unreset<Bits<16>>,
    place: Unreset<Bits<64>>,
    pass: Unreset<Bits<16>>,
    addr_q: Reg<Bits<64>>,
    phase_q: Reg<Bit>,
    room_q: Reg<Bits<NB>>,
    to_group_end: Unreset<Bits<NB>>,
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
    size: Signal<Local, Bits<16>>,
    full_mask: Signal<Local, Bits<17>>,
    group: Signal<Local, Bits<17>>,
    group_place: Signal<Local, Bits<17>>,
    group_left: Signal<Local, Bits<17>>,
    place_wide: Signal<Local, Bits<64>>,
    place_index: Signal<Local, Bits<16>>,
    good: Signal<Local, Bit>,
    #[init(Constant::new(1u64.to_bits()))]
    one_entry: Constant<Bits<17>>,
    #[value(1_u64 << (NB - 1))]
    group_max: Constant<Bits<17>>,
    #[value(0x1_0000_u64 - (1_u64 << E))]
    ahead: Constant<Bits<16>>,
}

impl<const E: usize, const NB: usize> Logic for CqIndex<E, NB> {
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
        self.mask.next = bit_cast::<16, 17>(self.full_mask.val());
        self.place_index.next = self.producer.val() & self.mask.val();
        self.place_wide.next = bit_cast::<64, 16>(self.place_index.val());
        self.place.next = self.place_wide.val() << 4;
        self.addr_q.next = self.cfg_base.val() + self.place.val();
        self.pass.next = self.producer.val() >> self.cfg_log2.val();
        self.phase_q.next = !self.pass.val().get_bit(0);
        comment!("as far as there is room, and to the end of the group");
        self.group.next = self.group_max.val();
        if self.full_size.val() < self.group_max.val() {
            self.group.next = self.full_size.val();
        }
        self.group_place.next =
            bit_cast::<17, 16>(self.producer.val()) & (self.group.val() - self.one_entry.val());
        self.group_left.next = self.group.val() - self.group_place.val();
        self.to_group_end.next = bit_cast::<NB, 17>(self.group_left.val());
        self.size.next = bit_cast::<16, 17>(self.full_size.val());
        self.room_end.next = self.consumer.val() + self.size.val();
        self.unused.next = self.room_end.val() - self.producer.val();
        if self.clear.val() {
            self.unused.next = self.size.val();
        }
        self.room_q.next = self.to_group_end.val();
        if self.unused.val() < bit_cast::<16, NB>(self.to_group_end.val()) {
            self.room_q.next = bit_cast::<NB, 16>(self.unused.val());
        }
        self.unseen.next = self.landed_q.val() - self.consumer.val();
        self.waiting_q.next = self.unseen.val().any() & (self.unseen.val() < self.ahead.val());
        self.producer.next = self.producer.val() + bit_cast::<16, NB>(self.advance.val());
        self.landed_q.next = self.landed_q.val() + bit_cast::<16, NB>(self.land.val());
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
