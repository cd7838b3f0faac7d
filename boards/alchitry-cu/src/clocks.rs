//! The board's clock of 100 MHz becomes that of the core, 50 MHz, with a reset.

use nic_hdl::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Hz of the core.
pub const CORE_HZ: u64 = 50_000_000;

/// PLL at the clock's pin: 100 MHz x (7 + 1) / (0 + 1) / 2^4. Its oscillator runs at 800 MHz.
#[block(comb)]
pub struct Pll {
    /// The pin, 100 MHz.
    pub pin: Signal<In, Clock>,
    /// 50 MHz, on a global net.
    pub clock: Signal<Out, Clock>,
    /// The clock is good.
    pub locked: Signal<Out, Bit>,
}

impl Logic for Pll {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(PLL.into())
    }
}

const PLL: &str = "\
// Outputs are assigned: the emitter declares them as registers otherwise.
wire pll_clock;
wire pll_locked;

SB_PLL40_PAD #(
    .FEEDBACK_PATH(\"SIMPLE\"),
    .DIVR(4'd0),
    .DIVF(7'd7),
    .DIVQ(3'd4),
    .FILTER_RANGE(3'd5)
) pll (
    .PACKAGEPIN(pin),
    .PLLOUTGLOBAL(pll_clock),
    .LOCK(pll_locked),
    .RESETB(1'b1),
    .BYPASS(1'b0)
);

assign clock = pll_clock;
assign locked = pll_locked;
";

/// Reset of the core until the PLL has been locked for 15 cycles.
#[block(no_reset)]
pub struct ResetUntilLocked {
    /// The clock is good; not of this clock.
    pub locked: Signal<In, Bit>,
    /// Reset.
    pub core_reset: Signal<Out, Bit>,
    early: Unreset<Bit>,
    steady: Unreset<Bit>,
    count: Unreset<Bits<4>>,
    hold: Unreset<Bit>,
    #[value(15)]
    all: Constant<Bits<4>>,
}

impl Logic for ResetUntilLocked {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.locked.val();
        self.steady.next = self.early.val();
        self.hold.next = self.count.val() != self.all.val();
        self.core_reset.next = self.hold.val();
        if !self.steady.val() {
            self.count.next = 0.into();
        } else if self.count.val() != self.all.val() {
            self.count.next = self.count.val() + 1;
        }
    }
}
