//! The host at a serial line: from the UART's pins to the ports of a core.
//!
//! # Source            its blocks
//! # Interface timing  a frame that comes is answered; fw/spec/src/serial.rs
//! # Latency and rate  the line's: 10 bits a byte
//! # Reset             synchronous, high
//! # Twins             none: sim/tests/board.rs and sim/tests/ecpix5/ compare what the host gets

use crate::bridge::Bridge;
use nic_hdl::events::CcEvents;
use nic_hdl::host::uart::{
    deframer::UartDeframer, framer::UartFramer, rx::UartRx, step, tx::UartTx,
};
use nic_hdl::rows::{AckEvent, FlowEvent, RateEvent};
use nic_hdl::streams::{AxiLite, AxisEvent};
use nic_hdl::util::ram_fifo::RamFifo;
use nic_hdl::{block, Reg, Wire};
use nic_spec::serial;
use rust_hdl_core::prelude::*;

/// Bits of an index into the bytes that wait.
const AW: usize = serial::WINDOW_BYTES.ilog2() as usize;

/// How far the line's phase moves in a cycle.
fn line_step(clock_hz: u64) -> u64 {
    step(serial::BAUD.into(), clock_hz)
}

/// Line and frames, up to the ports of [`Bridge`].
#[block(new(clock_hz: u64))]
pub struct SerialHost<const PB: usize> {
    /// From the host.
    pub uart_rx: Signal<In, Bit>,
    /// To the host.
    pub uart_tx: Signal<Out, Bit>,
    /// Registers of the core.
    pub m_axil: AxiLite<Out>,
    /// ACKs.
    pub m_axis_ack: AxisEvent<Out, AckEvent>,
    /// Flow commands.
    pub m_axis_flow: AxisEvent<Out, FlowEvent>,
    /// Results.
    pub s_axis_rate: AxisEvent<In, RateEvent>,
    /// Why an ACK has no result.
    pub event_cc: CcEvents<In>,
    /// A frame is being worked on.
    pub busy: Signal<Out, Bit>,
    /// A frame has been refused since the reset.
    pub refused: Signal<Out, Bit>,
    /// Bytes of the host wait.
    pub waits: Signal<Out, Bit>,
    #[init(UartRx::new(line_step(clock_hz)))]
    rx: UartRx,
    waiting: RamFifo<Bits<8>, AW, { AW + 1 }>,
    deframer: UartDeframer,
    bridge: Bridge<PB>,
    framer: UartFramer,
    #[init(UartTx::new(line_step(clock_hz)))]
    tx: UartTx,
    bytes_wait: Reg<Bit>,
    #[value(0)]
    none: Constant<Bits<14>>,
}

impl<const PB: usize> Logic for SerialHost<PB> {
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
        Wire::join(&mut self.bridge.m_axil, &mut self.m_axil);
        Wire::join(&mut self.bridge.m_axis_ack, &mut self.m_axis_ack);
        Wire::join(&mut self.bridge.m_axis_flow, &mut self.m_axis_flow);
        Wire::join(&mut self.s_axis_rate, &mut self.bridge.s_axis_rate);
        Wire::join(&mut self.event_cc, &mut self.bridge.event_cc);
        comment!("core to line");
        Wire::join(&mut self.bridge.m, &mut self.framer.s);
        Wire::join(&mut self.framer.m, &mut self.tx.s);
        self.uart_tx.next = self.tx.line.val();
        comment!("what a light can show");
        self.bytes_wait.next = self.waiting.count.val() != self.none.val();
        self.busy.next = self.bridge.busy.val();
        self.refused.next = self.bridge.refused.val();
        self.waits.next = self.bytes_wait.val();
    }
}
