//! The CC core behind a serial line: all of the board but its pins and its clock.
//!
//! # Source            its blocks
//! # Interface timing  a frame that comes is answered; boards/alchitry-cu/README.md
//! # Latency and rate  the line's: 10 bits a byte
//! # Reset             synchronous, high
//! # Twins             none: sim/tests/board.rs compares what the host gets

use board_common::bridge::ACK_BITS;
use board_common::serial_host::SerialHost;
use nic_hdl::cc::cc_core::CcCoreSerial;
use nic_hdl::{block, Reg, Wire};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Bits of a flow's index.
const FB: usize = 3;

/// Line, frames, core.
#[block(new(config: &NicConfig), check(config.flow_count == 1 << FB))]
pub struct CuHost {
    /// From the host.
    pub uart_rx: Signal<In, Bit>,
    /// To the host.
    pub uart_tx: Signal<Out, Bit>,
    /// 0 life; 1 a frame is being worked on; 2 bytes wait; 3 telemetry was ignored; 4 to 6 nothing;
    /// 7 a frame has been refused. 3 and 7 until the next reset.
    pub led: Signal<Out, Bits<8>>,
    #[init(SerialHost::new(config.clock_hz))]
    host: SerialHost<ACK_BITS>,
    #[init(CcCoreSerial::new(config))]
    core: CcCoreSerial<FB, { FB + 5 }, { FB + 1 }>,
    beat: Reg<Bits<26>>,
    has_ignored: Reg<Bit>,
}

impl Logic for CuHost {
    #[hdl_gen]
    fn update(&mut self) {
        self.host.uart_rx.next = self.uart_rx.val();
        self.uart_tx.next = self.host.uart_tx.val();
        Wire::join(&mut self.host.m_axil, &mut self.core.s_axil);
        Wire::join(&mut self.host.m_axis_ack, &mut self.core.s_axis_ack);
        Wire::join(&mut self.host.m_axis_flow, &mut self.core.s_axis_flow);
        Wire::join(&mut self.core.m_axis_rate, &mut self.host.s_axis_rate);
        Wire::join(&mut self.core.event_cc, &mut self.host.event_cc);
        comment!("lights");
        self.beat.next = self.beat.val() + 1;
        if self.core.event_cc.psn.val()
            || self.core.event_cc.time.val()
            || self.core.event_cc.bytes.val()
            || self.core.event_cc.queue.val()
        {
            self.has_ignored.next = true;
        }
        self.led.next = bit_cast::<8, 1>(self.beat.val().get_bits::<1>(25))
            | (bit_cast::<8, 1>(self.host.busy.val().into()) << 1)
            | (bit_cast::<8, 1>(self.host.waits.val().into()) << 2)
            | (bit_cast::<8, 1>(self.has_ignored.val().into()) << 3)
            | (bit_cast::<8, 1>(self.host.refused.val().into()) << 7);
    }
}
