//! The CC core behind a serial line: all of the board but its pins and its clock.
//!
//! # Source            its blocks
//! # Interface timing  a frame that comes is answered; boards/alchitry-cu/README.md
//! # Latency and rate  the line's: 10 bits a byte
//! # Reset             synchronous, high
//! # Twins             none: sim/tests/board.rs compares what the host gets

use crate::bridge::Bridge;
use nic_hdl::cc::cc_core::CcCoreSerial;
use nic_hdl::host::uart::{
    deframer::UartDeframer, framer::UartFramer, rx::UartRx, step, tx::UartTx,
};
use nic_hdl::util::ram_fifo::RamFifo;
use nic_hdl::{block, Reg, Wire};
use nic_spec::{serial, NicConfig};
use rust_hdl_core::prelude::*;

/// Bits of an index into the bytes that wait.
const AW: usize = serial::WINDOW_BYTES.ilog2() as usize;
/// Bits of a flow's index.
const FB: usize = 3;

/// How far the line's phase moves in a cycle.
fn line_step(config: &NicConfig) -> u64 {
    step(serial::BAUD.into(), config.clock_hz)
}

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
    #[init(UartRx::new(line_step(config)))]
    rx: UartRx,
    waiting: RamFifo<Bits<8>, AW, { AW + 1 }>,
    deframer: UartDeframer,
    bridge: Bridge,
    #[init(CcCoreSerial::new(config))]
    core: CcCoreSerial<FB, { FB + 5 }, { FB + 1 }>,
    framer: UartFramer,
    #[init(UartTx::new(line_step(config)))]
    tx: UartTx,
    beat: Reg<Bits<26>>,
    has_ignored: Reg<Bit>,
    bytes_wait: Reg<Bit>,
    #[value(0)]
    none: Constant<Bits<14>>,
}

impl Logic for CuHost {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("line to core");
        self.rx.line.next = self.uart_rx.val();
        self.waiting.s.valid.next = self.rx.m_valid.val();
        self.waiting.s.data.next = self.rx.m_data.val();
        Wire::join(&mut self.waiting.m, &mut self.deframer.s);
        Wire::join(&mut self.deframer.m, &mut self.bridge.s);
        self.bridge.lost.next = self.rx.m_valid.val() && !self.waiting.s.ready.val();
        self.bridge.broken.next = self.rx.event_broken.val();
        comment!("core");
        Wire::join(&mut self.bridge.m_axil, &mut self.core.s_axil);
        Wire::join(&mut self.bridge.m_axis_ack, &mut self.core.s_axis_ack);
        Wire::join(&mut self.bridge.m_axis_flow, &mut self.core.s_axis_flow);
        Wire::join(&mut self.core.m_axis_rate, &mut self.bridge.s_axis_rate);
        Wire::join(&mut self.core.event_cc, &mut self.bridge.event_cc);
        comment!("core to line");
        Wire::join(&mut self.bridge.m, &mut self.framer.s);
        Wire::join(&mut self.framer.m, &mut self.tx.s);
        self.uart_tx.next = self.tx.line.val();
        comment!("lights");
        self.beat.next = self.beat.val() + 1;
        self.bytes_wait.next = self.waiting.count.val() != self.none.val();
        if self.core.event_cc.psn.val()
            || self.core.event_cc.time.val()
            || self.core.event_cc.bytes.val()
            || self.core.event_cc.queue.val()
        {
            self.has_ignored.next = true;
        }
        self.led.next = bit_cast::<8, 1>(self.beat.val().get_bits::<1>(25))
            | (bit_cast::<8, 1>(self.bridge.busy.val().into()) << 1)
            | (bit_cast::<8, 1>(self.bytes_wait.val().into()) << 2)
            | (bit_cast::<8, 1>(self.has_ignored.val().into()) << 3)
            | (bit_cast::<8, 1>(self.bridge.refused.val().into()) << 7);
    }
}
