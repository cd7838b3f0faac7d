//! The board's top level: pins, clock, and what stands behind the serial line.

use crate::clocks::{Pll, ResetUntilLocked, CORE_HZ};
use crate::cu_host::CuHost;
use crate::pins::{uart_rx, uart_tx};
use nic_emit::{emit_block, on_large_stack, Design, EmitError};
use nic_hdl::block;
use nic_spec::NicConfig;
use rust_hdl_bsp_alchitry_cu::pins as board;
use rust_hdl_core::prelude::*;

/// Name of the module.
pub const TOP: &str = "alchitry_cu";

/// The top level.
#[block(comb, new(config: &NicConfig), check(config.clock_hz == CORE_HZ))]
pub struct AlchitryCu {
    /// 100 MHz.
    #[init(board::clock())]
    pub clock: Signal<In, Clock>,
    /// From the FTDI.
    #[init(uart_rx())]
    pub uart_rx: Signal<In, Bit>,
    /// To the FTDI.
    #[init(uart_tx())]
    pub uart_tx: Signal<Out, Bit>,
    /// Lights.
    #[init(board::leds())]
    pub led: Signal<Out, Bits<8>>,
    pll: Pll,
    resets: ResetUntilLocked,
    #[init(CuHost::new(config))]
    host: CuHost,
}

impl Logic for AlchitryCu {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.pin.next = self.clock.val();
        self.resets.clock.next = self.pll.clock.val();
        self.resets.locked.next = self.pll.locked.val();
        self.host.clock.next = self.pll.clock.val();
        self.host.reset.next = self.resets.core_reset.val();
        self.host.uart_rx.next = self.uart_rx.val();
        self.uart_tx.next = self.host.uart_tx.val();
        self.led.next = self.host.led.val();
    }
}

/// The top level as Verilog, and its pins as nextpnr-ice40 takes them.
///
/// # Errors
/// What the emitter refuses.
pub fn design() -> Result<(Design, String), EmitError> {
    let config = NicConfig::preset("cu").expect("a preset");
    on_large_stack(|| {
        let top = AlchitryCu::new(&config);
        Ok((emit_block(TOP, &top, config.name)?, crate::constraints(&top)))
    })
}
