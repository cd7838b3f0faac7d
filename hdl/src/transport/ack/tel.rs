//! Telemetry to echo: the latest of each flow, from the packet that brought it to the ACK. A packet
//! without telemetry leaves it as it is; what was sent once is not sent again.
//!
//! # Interface timing  take holds a packet's telemetry, of up to 4 packets; with leave the oldest of
//!                     them goes; with store, too, it is kept for its flow;
//!                     cycle 0: fetch; cycle 2: show; cycle 3: m_tel. A store of the flow that is
//!                     fetched must not come in the fetch's cycle. One that comes between fetch
//!                     and show, or with forget, stays to be sent
//! # Shape             `stored` \[0\], hops \[3:1\], path \[15:4\], records \[335:16\], and whether
//!                     there is any \[336\]: after reset there is none, whatever the RAM holds
//! # Not yet sent      two bits a flow that differ: a store makes `stored` the opposite of `sent`,
//!                     sending or forgetting makes `sent` as `stored`, so each has one writer
//! # One hop           with cfg_worst_hop, if hop is one of the flow's stack: hops 1, that record, the other
//!                     records 0, and hop + 1 in bits 11:9 of the path (exclusive or)
//! # Reset             synchronous, high: m_tel = 0; flows are cleared by scrub
//! # Twins             sim/models/src/golden/transport/ack/gen.rs, tests/transport/ack_gen.rs

use crate::streams::Telemetry;
use crate::util::{lut_ram::LutRam, ram::Ram};
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Telemetry of a flow.
#[row]
struct TelRow {
    mark: Bit, // Changes with what is stored
    hops: Bits<3>,
    path: Bits<12>,
    hop_0: Bits<64>,
    hop_1: Bits<64>,
    hop_2: Bits<64>,
    hop_3: Bits<64>,
    hop_4: Bits<64>,
    is_there: Bit, // A packet has brought it
    #[at(0)]
    front: Bits<80>, // As `TelFront`
    others: Bits<256>, // As `TelOthers`
}

/// The four hops behind it.
#[row]
struct TelOthers {
    hop_1: Bits<64>,
    hop_2: Bits<64>,
    hop_3: Bits<64>,
    hop_4: Bits<64>,
}

/// Telemetry up to its first hop.
#[row]
struct TelFront {
    mark: Bit,
    hops: Bits<3>,
    path: Bits<12>,
    hop_0: Bits<64>,
}

/// Telemetry of `2^FB` flows.
#[block]
pub struct AckTel<const FB: usize> {
    /// Show the record of one hop alone.
    pub cfg_worst_hop: Signal<In, Bit>,
    /// Hold the telemetry of this packet.
    pub take: Signal<In, Bit>,
    /// There is telemetry.
    pub s_tel: Telemetry<In>,
    /// The oldest packet whose telemetry is held is done with.
    pub leave: Signal<In, Bit>,
    /// Keep what it brought.
    pub store: Signal<In, Bit>,
    /// The flow has telemetry.
    pub store_enable: Signal<In, Bit>,
    /// Its index.
    pub store_flow: Signal<In, Bits<FB>>,
    /// Clear a flow, after reset.
    pub scrub: Signal<In, Bit>,
    /// Its index.
    pub scrub_flow: Signal<In, Bits<FB>>,
    /// Look a flow up.
    pub fetch: Signal<In, Bit>,
    /// Its index.
    pub fetch_flow: Signal<In, Bits<FB>>,
    /// The hop to show, from the cycle behind the fetch on; 7: all of them.
    pub hop: Signal<In, Bits<3>>,
    /// The flow that send and forget mean, from the cycle behind the fetch on.
    pub flow: Signal<In, Bits<FB>>,
    /// What is stored of it is not to be sent.
    pub forget: Signal<In, Bit>,
    /// Load the outputs with what was fetched last: hundreds of registers, so an early signal. Two cycles
    /// behind the fetch at the earliest.
    pub show: Signal<In, Bit>,
    /// It is sent, if it was not before.
    pub send: Signal<In, Bit>,
    /// There is telemetry.
    pub m_tel: Telemetry<Out>,
    flows: Ram<FB, TelRow>,
    held: LutRam<2, Bits<336>>,
    take_at: Reg<Bits<2>>,
    leave_at: Reg<Bits<2>>,
    fetched_mark: Unreset<Bit>,
    single: Unreset<Bit>,
    chosen: Unreset<Bits<64>>,
    mix: Unreset<Bits<3>>,
    shown: Reg<TelFront>,
    others: Unreset<TelOthers>,
    stored: LutRam<FB, Bits<1>>,
    sent: LutRam<FB, Bits<1>>,
    sent_copy: LutRam<FB, Bits<1>>,
    renewed: Unreset<Bit>,
    brought: Signal<Local, Bits<336>>,
    oldest: Signal<Local, Bits<336>>,
    keep: Signal<Local, Bit>,
    renews: Signal<Local, Bit>,
    new_mark: Signal<Local, Bit>,
    shows: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    hops: Signal<Local, Bits<3>>,
    path: Signal<Local, Bits<12>>,
    one: Signal<Local, Bits<80>>,
    stack: Signal<Local, Bits<80>>,
    drops: Signal<Local, Bit>,
    #[init(Constant::new(2u64.to_bits()))]
    one_hop: Constant<Bits<3>>,
    #[init(Constant::new(6u64.to_bits()))]
    hops_above: Constant<Bits<3>>,
}

impl<const FB: usize> Logic for AckTel<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.brought.next = (bit_cast::<336, 3>(self.s_tel.hops.val()) << 1)
            | (bit_cast::<336, 12>(self.s_tel.path.val()) << 4)
            | (bit_cast::<336, 64>(self.s_tel.hop[0].val()) << 16)
            | (bit_cast::<336, 64>(self.s_tel.hop[1].val()) << 80)
            | (bit_cast::<336, 64>(self.s_tel.hop[2].val()) << 144)
            | (bit_cast::<336, 64>(self.s_tel.hop[3].val()) << 208)
            | (bit_cast::<336, 64>(self.s_tel.hop[4].val()) << 272);
        self.held.write_enable.next = self.take.val();
        self.held.write_address.next = self.take_at.val();
        self.held.write_data.next = self.brought.val().replace_bit(0, self.s_tel.valid.val());
        self.held.read_address.next = self.leave_at.val();
        self.oldest.next = self.held.read_data.val();
        if self.take.val() {
            self.take_at.next = self.take_at.val() + 1;
        }
        if self.leave.val() {
            self.leave_at.next = self.leave_at.val() + 1;
        }
        self.keep.next = self.oldest.val().get_bit(0) & self.store_enable.val() & self.store.val();
        self.new_mark.next = !self.sent.read_data.val().any() & !self.scrub.val();
        comment!("One write port: flows are cleared after reset, before any is stored.");
        self.flows.write_enable.next = self.keep.val() | self.scrub.val();
        self.flows.write_address.next = self.store_flow.val();
        self.flows.write_data.next = bit_cast::<337, 336>(self.oldest.val()).into();
        self.flows.write_data.next.mark = self.new_mark.val();
        self.flows.write_data.next.is_there = !self.scrub.val();
        self.flows.read_enable.next = self.fetch.val();
        self.flows.read_address.next = self.fetch_flow.val();
        self.fetched_mark.next = self.flows.read_data.val().mark;
        self.stored.write_enable.next = self.keep.val() | self.scrub.val();
        self.stored.write_address.next = self.store_flow.val();
        self.stored.write_data.next = !self.sent.read_data.val();
        self.stored.read_address.next = self.flow.val();
        comment!("Another store of the flow since the fetch is not sent yet.");
        self.renews.next = self.keep.val() & (self.store_flow.val() == self.flow.val());
        if self.renews.val() {
            self.renewed.next = true;
        }
        if self.fetch.val() {
            self.renewed.next = false;
        }
        self.shows.next = self.show.val()
            & self.send.val()
            & (self.fetched_mark.val() ^ self.sent_copy.read_data.val().any());
        self.clears.next =
            (self.forget.val() | (self.shows.val() & !self.renewed.val())) & !self.renews.val();
        self.sent.write_enable.next = self.clears.val() | self.scrub.val();
        self.sent.write_address.next = self.flow.val();
        self.sent.write_data.next = self.stored.read_data.val();
        self.sent.read_address.next = self.store_flow.val();
        self.sent_copy.write_enable.next = self.clears.val() | self.scrub.val();
        self.sent_copy.write_address.next = self.flow.val();
        self.sent_copy.write_data.next = self.stored.read_data.val();
        self.sent_copy.read_address.next = self.flow.val();
        if self.scrub.val() {
            self.flows.write_address.next = self.scrub_flow.val();
            self.stored.write_address.next = self.scrub_flow.val();
            self.stored.write_data.next = 0.into();
            self.sent.write_address.next = self.scrub_flow.val();
            self.sent.write_data.next = 0.into();
            self.sent_copy.write_address.next = self.scrub_flow.val();
            self.sent_copy.write_data.next = 0.into();
        }
        comment!("One hop: chosen in the cycle between the RAM and the outputs.");
        self.hops.next = self.flows.read_data.val().hops;
        self.single.next = self.cfg_worst_hop.val()
            & (self.hop.val() < self.hops.val())
            & (self.hops.val() < self.hops_above.val());
        self.mix.next = self.hop.val() + 1;
        self.chosen.next = self.flows.read_data.val().hop_0;
        match self.hop.val().index() {
            1 => {
                self.chosen.next = self.flows.read_data.val().hop_1;
            }
            2 => {
                self.chosen.next = self.flows.read_data.val().hop_2;
            }
            3 => {
                self.chosen.next = self.flows.read_data.val().hop_3;
            }
            4 => {
                self.chosen.next = self.flows.read_data.val().hop_4;
            }
            _ => {}
        }
        self.path.next = self.flows.read_data.val().path ^ (bit_cast::<12, 3>(self.mix.val()) << 9);
        self.one.next = bit_cast::<80, 3>(self.one_hop.val())
            | (bit_cast::<80, 12>(self.path.val()) << 4)
            | (bit_cast::<80, 64>(self.chosen.val()) << 16);
        self.stack.next = self.flows.read_data.val().front;
        if self.show.val() {
            self.shown.next = self.stack.val().replace_bit(0, self.shows.val()).into();
            if self.single.val() {
                self.shown.next = self.one.val().replace_bit(0, self.shows.val()).into();
            }
            if !self.flows.read_data.val().is_there {
                self.shown.next = 0.into();
            }
            self.others.next = self.flows.read_data.val().others.into();
        }
        comment!("As a reset: it costs no logic in front of hundreds of registers.");
        self.drops.next = (self.show.val()
            & (self.single.val() | !self.flows.read_data.val().is_there))
            | self.reset.val();
        self.m_tel.valid.next = self.shown.val().mark;
        self.m_tel.hops.next = self.shown.val().hops;
        self.m_tel.path.next = self.shown.val().path;
        self.m_tel.hop[0].next = self.shown.val().hop_0;
        self.m_tel.hop[1].next = self.others.val().hop_1;
        self.m_tel.hop[2].next = self.others.val().hop_2;
        self.m_tel.hop[3].next = self.others.val().hop_3;
        self.m_tel.hop[4].next = self.others.val().hop_4;
        if self.drops.val() {
            self.others.next = 0.into();
        }
    }
}
