//! The board without the board: its top level, Verilated, with the UART's pins at a
//! pseudo-terminal, so that the host program talks to it as to the real one.

use crate::{design, TOP};
pub use board_common::simulated::Faults;
use board_common::simulated::{SerialLine, Simulated, Terminal};
use nic_harness::verilator::{Error, Flavour, PinnedInstance, Source};
use nic_models::ports::port_list;

/// Hz of the board's clock pin.
pub const PIN_HZ: u64 = 100_000_000;

/// What the top level needs of the PLL.
pub const PLL: &str = include_str!("../sim/pll.v");

/// The top level as it is emitted, with the PLL's model.
///
/// # Errors
/// What the emitter refuses.
pub fn source() -> Result<Source, String> {
    let (design, _) = design().map_err(|e| e.to_string())?;
    Ok(Source::new(TOP, &(design.single_file() + PLL)))
}

/// The board.
#[derive(Debug)]
pub struct SimulatedBoard {
    pins: PinnedInstance,
    terminal: Option<Terminal>,
    path: String,
    /// What the host is at.
    pub line: SerialLine,
    /// The LEDs.
    pub led: u8,
}

impl SimulatedBoard {
    /// Builds the model and opens a pseudo-terminal. Registers start random, by `seed`.
    ///
    /// # Errors
    /// What the Verilog or the terminal lacks.
    pub fn new(source: &Source, seed: u64, faults: Faults) -> Result<Self, String> {
        let text = |e: Error| e.to_string();
        let model = source.model(Flavour::Fast).map_err(text)?;
        let inputs = port_list(&[("uart_rx", 1)]);
        let outputs = port_list(&[("uart_tx", 1), ("led", 8)]);
        let pins = PinnedInstance::new(&model, seed, &inputs, &outputs, &[]).map_err(text)?;
        let terminal = Terminal::open()?;
        let path = terminal.path().to_string();
        let line = SerialLine::new(PIN_HZ, faults);
        Ok(Self { pins, terminal: Some(terminal), path, line, led: 0 })
    }

    /// The port for the host program.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Runs until `ends` says so, which is asked whenever nothing moves.
    ///
    /// # Errors
    /// What the model or the terminal says.
    pub fn run(mut self, ends: impl FnMut(&mut Self) -> bool) -> Result<Self, String> {
        let terminal = self.terminal.take().expect("it runs once");
        terminal.run(&mut self, ends)?;
        Ok(self)
    }
}

impl Simulated for SimulatedBoard {
    fn line(&mut self) -> &mut SerialLine {
        &mut self.line
    }

    fn cycle(&mut self) -> Result<(), String> {
        self.pins.set_inputs(&[u64::from(self.line.level())]);
        let clocked = self.pins.clock(false).and_then(|()| self.pins.clock(true));
        clocked.map_err(|e| e.to_string())?;
        let mut words = [0; 2];
        self.pins.outputs(&mut words);
        self.led = words[1] as u8;
        self.line.cycle(words[0] == 1);
        Ok(())
    }
}
