//! Telemetry to echo: the latest of each flow, from the packet that brought it to the ACK.
//!
//! # Interface timing  take holds a packet's telemetry; store keeps what is held, for its flow;
//!                     cycle 0: fetch; cycle 2: send; cycle 3: m_tel. A store of the flow that is
//!                     fetched must not come in the fetch's cycle
//! # Shape             valid \[0\], hops \[3:1\], path \[15:4\], records \[335:16\]
//! # Reset             synchronous, high: m_tel = 0; flows are cleared by scrub
//! # Twins             sim/src/golden/transport/ack_gen.rs, tests/ack_gen.rs

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
    /// Load the outputs.
    pub send: Signal<In, Bit>,
    /// With what was fetched, else with zero.
    pub send_tel: Signal<In, Bit>,
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
    fetched: DFF<Bits<336>>,
    shown: DFF<Bits<336>>,
    keep: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for AckTel<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held_valid, held, fetched, shown);
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
        comment!("One write port: flows are cleared after reset, before any is stored.");
        self.keep.next = self.held_valid.q.val() & self.store_enable.val() & !self.scrub.val();
        self.flows.clock.next = self.clock.val();
        self.flows.write_enable.next = self.store.val() | self.scrub.val();
        self.flows.write_address.next = self.store_flow.val();
        if self.scrub.val() {
            self.flows.write_address.next = self.scrub_flow.val();
        }
        self.flows.write_data.next = self.held.q.val().replace_bit(0, self.keep.val());
        self.flows.read_enable.next = self.fetch.val();
        self.flows.read_address.next = self.fetch_flow.val();
        self.fetched.d.next = self.flows.read_data.val();
        if self.send.val() {
            self.shown.d.next = 0.into();
            if self.send_tel.val() & self.fetched.q.val().get_bit(0) {
                self.shown.d.next = self.fetched.q.val();
            }
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
            self.shown.d.next = 0.into();
        }
    }
}
