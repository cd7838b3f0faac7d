//! Telemetry to echo: the latest of each flow, from the packet that brought it to the ACK. A packet
//! without telemetry leaves it as it is; what was sent once is not sent again.
//!
//! # Interface timing  take holds a packet's telemetry; store keeps what is held, for its flow;
//!                     cycle 0: fetch; cycle 2: show; cycle 3: m_tel. A store of the flow that is
//!                     fetched must not come in the fetch's cycle. One that comes between fetch
//!                     and show, or with forget, stays to be sent
//! # Shape             `stored` \[0\], hops \[3:1\], path \[15:4\], records \[335:16\]
//! # Not yet sent      two bits a flow that differ: a store makes `stored` the opposite of `sent`,
//!                     sending or forgetting makes `sent` as `stored`, so each has one writer
//! # Reset             synchronous, high: m_tel = 0; flows are cleared by scrub
//! # Twins             sim/src/golden/transport/ack_gen.rs, tests/ack_gen.rs

use crate::util::lut_ram::LutRam;
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Telemetry of `2^FB` flows.
#[derive(LogicBlock, Default)]
pub struct AckTel<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Hold the telemetry of this packet.
    pub take: Signal<In, Bit>,
    /// There is telemetry.
    pub s_tel_valid: Signal<In, Bit>,
    /// Records; 6 = more than five.
    pub s_tel_hops: Signal<In, Bits<3>>,
    /// Path id.
    pub s_tel_path: Signal<In, Bits<12>>,
    /// First record.
    pub s_tel_hop_0: Signal<In, Bits<64>>,
    /// Second record.
    pub s_tel_hop_1: Signal<In, Bits<64>>,
    /// Third record.
    pub s_tel_hop_2: Signal<In, Bits<64>>,
    /// Fourth record.
    pub s_tel_hop_3: Signal<In, Bits<64>>,
    /// Fifth record.
    pub s_tel_hop_4: Signal<In, Bits<64>>,
    /// Keep what is held.
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
    pub m_tel_valid: Signal<Out, Bit>,
    /// Records; 6 = more than five.
    pub m_tel_hops: Signal<Out, Bits<3>>,
    /// Path id.
    pub m_tel_path: Signal<Out, Bits<12>>,
    /// First record.
    pub m_tel_hop_0: Signal<Out, Bits<64>>,
    /// Second record.
    pub m_tel_hop_1: Signal<Out, Bits<64>>,
    /// Third record.
    pub m_tel_hop_2: Signal<Out, Bits<64>>,
    /// Fourth record.
    pub m_tel_hop_3: Signal<Out, Bits<64>>,
    /// Fifth record.
    pub m_tel_hop_4: Signal<Out, Bits<64>>,
    flows: Ram<FB, 336>,
    held_valid: DFF<Bit>,
    held: DFF<Bits<336>>,
    fetched_mark: DFF<Bit>,
    shown: DFF<Bits<336>>,
    stored: LutRam<FB, 1>,
    sent: LutRam<FB, 1>,
    sent_copy: LutRam<FB, 1>,
    renewed: DFF<Bit>,
    keep: Signal<Local, Bit>,
    renews: Signal<Local, Bit>,
    new_mark: Signal<Local, Bit>,
    shows: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for AckTel<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held_valid, held, fetched_mark, shown, renewed);
        if self.take.val() {
            self.held_valid.d.next = self.s_tel_valid.val();
            self.held.d.next = (bit_cast::<336, 3>(self.s_tel_hops.val()) << 1)
                | (bit_cast::<336, 12>(self.s_tel_path.val()) << 4)
                | (bit_cast::<336, 64>(self.s_tel_hop_0.val()) << 16)
                | (bit_cast::<336, 64>(self.s_tel_hop_1.val()) << 80)
                | (bit_cast::<336, 64>(self.s_tel_hop_2.val()) << 144)
                | (bit_cast::<336, 64>(self.s_tel_hop_3.val()) << 208)
                | (bit_cast::<336, 64>(self.s_tel_hop_4.val()) << 272);
        }
        self.keep.next = self.held_valid.q.val() & self.store_enable.val() & self.store.val();
        self.new_mark.next = !self.sent.read_data.val().any() & !self.scrub.val();
        comment!(
            "One write port: flows are cleared after reset, before any is stored; what is held is"
        );
        comment!("still 0 then.");
        self.flows.clock.next = self.clock.val();
        self.flows.write_enable.next = self.keep.val() | self.scrub.val();
        self.flows.write_address.next = self.store_flow.val();
        self.flows.write_data.next = self.held.q.val().replace_bit(0, self.new_mark.val());
        self.flows.read_enable.next = self.fetch.val();
        self.flows.read_address.next = self.fetch_flow.val();
        self.fetched_mark.d.next = self.flows.read_data.val().get_bit(0);
        self.stored.clock.next = self.clock.val();
        self.stored.write_enable.next = self.keep.val() | self.scrub.val();
        self.stored.write_address.next = self.store_flow.val();
        self.stored.write_data.next = !self.sent.read_data.val();
        self.stored.read_address.next = self.flow.val();
        comment!("Another store of the flow since the fetch is not sent yet.");
        self.renews.next = self.keep.val() & (self.store_flow.val() == self.flow.val());
        if self.renews.val() {
            self.renewed.d.next = true;
        }
        if self.fetch.val() {
            self.renewed.d.next = false;
        }
        self.shows.next = self.show.val()
            & self.send.val()
            & (self.fetched_mark.q.val() ^ self.sent_copy.read_data.val().any());
        self.clears.next =
            (self.forget.val() | (self.shows.val() & !self.renewed.q.val())) & !self.renews.val();
        self.sent.clock.next = self.clock.val();
        self.sent.write_enable.next = self.clears.val() | self.scrub.val();
        self.sent.write_address.next = self.flow.val();
        self.sent.write_data.next = self.stored.read_data.val();
        self.sent.read_address.next = self.store_flow.val();
        self.sent_copy.clock.next = self.clock.val();
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
        if self.show.val() {
            self.shown.d.next = self.flows.read_data.val().replace_bit(0, self.shows.val());
        }
        self.m_tel_valid.next = self.shown.q.val().get_bit(0);
        self.m_tel_hops.next = self.shown.q.val().get_bits::<3>(1);
        self.m_tel_path.next = self.shown.q.val().get_bits::<12>(4);
        self.m_tel_hop_0.next = self.shown.q.val().get_bits::<64>(16);
        self.m_tel_hop_1.next = self.shown.q.val().get_bits::<64>(80);
        self.m_tel_hop_2.next = self.shown.q.val().get_bits::<64>(144);
        self.m_tel_hop_3.next = self.shown.q.val().get_bits::<64>(208);
        self.m_tel_hop_4.next = self.shown.q.val().get_bits::<64>(272);
        if self.reset.val() {
            self.held_valid.d.next = false;
            self.held.d.next = 0.into();
            self.shown.d.next = 0.into();
        }
    }
}
