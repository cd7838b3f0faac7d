//! A simulated board's serial line: its bytes, its faults, and a pseudo-terminal for the host.

mod line;
mod terminal;

pub use line::{Faults, SerialLine};
pub use terminal::{Simulated, Terminal};
