//! The board without the board: its top level, Verilated, with the UART's pins at a
//! pseudo-terminal, so that the host program talks to it as to the real one.

use crate::{design, TOP};
use nic_harness::verilator::{Error, Flavour, PinnedInstance, Source};
use nic_hdl::host::uart::step;
use nic_models::golden::host::uart::{UartRx, UartRxIn, UartTx, UartTxIn};
use nic_models::ports::{Golden, PortDef};
use nic_spec::serial::{BAUD, FLAG};
use serialport::{SerialPort, TTYPort};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::Duration;

/// Hz of the board's clock pin.
pub const PIN_HZ: u64 = 100_000_000;
/// Cycles of silence after which the simulation waits for the host.
const QUIET_CYCLES: u64 = 40_000;
/// How long it waits before it looks whether it shall end.
const WAIT: Duration = Duration::from_millis(50);

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

/// Bytes that the line spoils, by their index: one bit of them is toggled.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// On their way to the board.
    pub to_board: Vec<u64>,
    /// On their way from it.
    pub from_board: Vec<u64>,
}

/// What has happened.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Bytes to the board.
    pub bytes_in: u64,
    /// Bytes from the board.
    pub bytes_out: u64,
    /// Time of the end of each frame from the board, in cycles of the pin's clock.
    pub frames_out: Vec<u64>,
    /// Cycles of the pin's clock.
    pub cycles: u64,
    /// The LEDs at the end.
    pub led: u8,
}

impl Log {
    /// Frames a second, in simulated time, over the last `count` of them.
    pub fn frames_per_second(&self, count: usize) -> f64 {
        let last = &self.frames_out[self.frames_out.len().saturating_sub(count + 1)..];
        let cycles = last.last().unwrap_or(&0) - last.first().unwrap_or(&0);
        (last.len().max(1) - 1) as f64 * PIN_HZ as f64 / cycles.max(1) as f64
    }
}

/// The board at a pseudo-terminal.
#[derive(Debug)]
pub struct SimulatedBoard {
    pins: PinnedInstance,
    terminal: TTYPort,
    // Kept open: without it the terminal would end with the first host.
    _host_end: TTYPort,
    path: String,
    faults: Faults,
}

impl SimulatedBoard {
    /// Builds the model and opens a pseudo-terminal. Registers start random, by `seed`.
    ///
    /// # Errors
    /// What the Verilog or the terminal lacks.
    pub fn new(source: &Source, seed: u64, faults: Faults) -> Result<Self, String> {
        let text = |e: Error| e.to_string();
        let port = |name: &str, word_index, bits_max| PortDef {
            name: name.into(),
            word_index,
            word_count: 1,
            bits_max,
        };
        let model = source.model(Flavour::Fast).map_err(text)?;
        let (inputs, outputs) =
            ([port("uart_rx", 0, 1)], [port("uart_tx", 0, 1), port("led", 1, 8)]);
        let pins = PinnedInstance::new(&model, seed, &inputs, &outputs, &[]).map_err(text)?;
        let no_terminal = |e: serialport::Error| format!("no pseudo-terminal: {e}");
        let (terminal, host_end) = TTYPort::pair().map_err(no_terminal)?;
        let path = host_end.name().ok_or("the pseudo-terminal has no name")?;
        Ok(Self { pins, terminal, _host_end: host_end, path, faults })
    }

    /// The port for the host program.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Runs until `ends` says so, which is asked whenever nothing moves.
    ///
    /// # Errors
    /// What the model or the terminal says.
    pub fn run(mut self, mut ends: impl FnMut(&Log) -> bool) -> Result<Log, String> {
        let text = |e: serialport::Error| e.to_string();
        let (to_board, from_host) = channel();
        let (to_host, answers) = channel();
        let mut reading = self.terminal.try_clone_native().map_err(text)?;
        reading.set_timeout(WAIT).map_err(text)?;
        let mut writing = self.terminal.try_clone_native().map_err(text)?;
        std::thread::spawn(move || forward_in(&mut reading, &to_board));
        std::thread::spawn(move || forward_out(&mut writing, &answers));
        let step = step(BAUD.into(), PIN_HZ) as u32;
        let (mut sender, mut receiver) = (UartTx::new(step), UartRx::new(step));
        let mut waiting = VecDeque::new();
        let mut line = sender.step(&UartTxIn::default());
        let (mut log, mut words, mut quiet) = (Log::default(), [1, 0], 0);
        loop {
            if waiting.is_empty() {
                let bytes = match quiet < QUIET_CYCLES {
                    // Not every cycle: it costs more than a cycle of the model.
                    true if log.cycles % 64 != 0 => None,
                    true => from_host.try_recv().ok(),
                    false if ends(&log) => break,
                    false => from_host.recv_timeout(WAIT).ok(),
                };
                if let Some(bytes) = bytes {
                    let spoil = |(byte, at): (u8, u64)| self.faults.spoiled_in(byte, at);
                    waiting.extend(bytes.into_iter().zip(log.bytes_in..).map(spoil));
                    log.bytes_in += waiting.len() as u64;
                } else if quiet >= QUIET_CYCLES {
                    continue;
                }
            }
            let byte = if line.s_ready { waiting.pop_front() } else { None };
            let (s_valid, s_data) = (byte.is_some(), byte.unwrap_or_default());
            line = sender.step(&UartTxIn { reset: false, s_valid, s_data });
            self.pins.set_inputs(&[u64::from(line.line)]);
            let clocked = self.pins.clock(false).and_then(|()| self.pins.clock(true));
            clocked.map_err(|e| e.to_string())?;
            self.pins.outputs(&mut words);
            log.cycles += 1;
            log.led = words[1] as u8;
            let is_idle = line.s_ready && words[0] == 1;
            quiet = if is_idle { quiet + 1 } else { 0 };
            let came = receiver.step(&UartRxIn { reset: false, line: words[0] == 1 });
            if came.m_valid {
                if came.m_data == FLAG {
                    log.frames_out.push(log.cycles);
                }
                let byte = self.faults.spoiled_out(came.m_data, log.bytes_out);
                log.bytes_out += 1;
                let _ = to_host.send(byte);
            }
        }
        Ok(log)
    }
}

impl Faults {
    fn spoiled_in(&self, byte: u8, at: u64) -> u8 {
        byte ^ u8::from(self.to_board.contains(&at)) << 3
    }

    fn spoiled_out(&self, byte: u8, at: u64) -> u8 {
        byte ^ u8::from(self.from_board.contains(&at)) << 3
    }
}

/// The terminal's bytes, until nobody wants them.
fn forward_in(terminal: &mut TTYPort, to: &Sender<Vec<u8>>) {
    let mut buffer = [0; 4096];
    loop {
        match terminal.read(&mut buffer) {
            Ok(count) if to.send(buffer[..count].to_vec()).is_err() => return,
            // So that the thread ends with the simulation.
            Err(_) if to.send(vec![]).is_err() => return,
            _ => {}
        }
    }
}

/// Bytes to the terminal, until there come no more.
fn forward_out(terminal: &mut TTYPort, from: &Receiver<u8>) {
    while let Ok(byte) = from.recv() {
        let bytes: Vec<u8> = [byte].into_iter().chain(from.try_iter()).collect();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            // A full terminal: the host is slow, or has gone and reads no more.
            let Ok(count) = terminal.write(rest) else { break };
            rest = &rest[count..];
        }
    }
}
