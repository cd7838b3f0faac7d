//! Pins that the board's crate doesn't know, and all pins as nextpnr-ice40 takes them.

use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// The UART of the FTDI, as the FPGA sees it: LiteX-boards and icestudio have the same two.
pub fn uart_rx() -> Signal<In, Bit> {
    let mut pin = Signal::default();
    pin.add_location(0, "P14");
    pin
}

/// As [`uart_rx`].
pub fn uart_tx() -> Signal<Out, Bit> {
    let mut pin = Signal::default();
    pin.add_location(0, "M9");
    pin
}

/// The pins of a top level's ports as a .pcf file.
pub fn constraints(top: &dyn Block) -> String {
    let mut pins = Pins::default();
    top.accept("top", &mut pins);
    pins.pcf
}

/// Collects the locations of the ports: the signals one scope down.
#[derive(Default)]
struct Pins {
    depth: usize,
    pcf: String,
}

impl Probe for Pins {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }

    fn visit_start_namespace(&mut self, _name: &str, _node: &dyn Block) {}

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.depth != 1 {
            return;
        }
        for pin in signal.constraints() {
            let Constraint::Location(ball) = pin.constraint else { continue };
            let bit = match signal.bits() {
                1 => String::new(),
                _ => format!("[{}]", pin.index),
            };
            let _ = writeln!(self.pcf, "set_io {name}{bit} {ball}");
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {}

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
}
