//! A simulated board at a pseudo-terminal, so that the host's program talks to it as to the real
//! one.

use super::line::SerialLine;
use serialport::{SerialPort, TTYPort};
use std::io::{Read, Write};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::Duration;

/// Cycles of silence after which the simulation waits for the host.
const QUIET_CYCLES: u64 = 40_000;
/// How long it waits before it looks whether it shall end.
const WAIT: Duration = Duration::from_millis(50);
/// Cycles between two looks at the terminal, each of which costs more than a cycle of a model.
const LOOK_CYCLES: u64 = 64;

/// A simulated board.
pub trait Simulated {
    /// Its serial line.
    fn line(&mut self) -> &mut SerialLine;

    /// One cycle of the line.
    ///
    /// # Errors
    /// What the model says.
    fn cycle(&mut self) -> Result<(), String>;

    /// Nothing but the line is at work.
    fn is_idle(&self) -> bool {
        true
    }
}

/// A pseudo-terminal.
#[derive(Debug)]
pub struct Terminal {
    board_end: TTYPort,
    // Kept open: without it the terminal would end with the first host.
    _host_end: TTYPort,
    path: String,
}

impl Terminal {
    /// Opens one.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open() -> Result<Self, String> {
        let no_terminal = |e: serialport::Error| format!("no pseudo-terminal: {e}");
        let (board_end, host_end) = TTYPort::pair().map_err(no_terminal)?;
        let path = host_end.name().ok_or("the pseudo-terminal has no name")?;
        Ok(Self { board_end, _host_end: host_end, path })
    }

    /// The port for the host's program.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Runs a board at the terminal until `ends` says so, which is asked whenever nothing moves.
    ///
    /// # Errors
    /// What the board or the terminal says.
    pub fn run<B: Simulated>(
        self,
        board: &mut B,
        mut ends: impl FnMut(&mut B) -> bool,
    ) -> Result<(), String> {
        let text = |e: serialport::Error| e.to_string();
        let (to_board, from_host) = channel();
        let (to_host, answers) = channel();
        let mut reading = self.board_end.try_clone_native().map_err(text)?;
        reading.set_timeout(WAIT).map_err(text)?;
        let mut writing = self.board_end.try_clone_native().map_err(text)?;
        std::thread::spawn(move || forward_in(&mut reading, &to_board));
        std::thread::spawn(move || forward_out(&mut writing, &answers));
        loop {
            let is_quiet = board.is_idle() && board.line().quiet_cycles() >= QUIET_CYCLES;
            let line = board.line();
            let bytes = match is_quiet {
                false if line.has_waiting() || !line.cycles.is_multiple_of(LOOK_CYCLES) => None,
                false => from_host.try_recv().ok(),
                true if ends(board) => return Ok(()),
                true => from_host.recv_timeout(WAIT).ok(),
            };
            match bytes {
                Some(bytes) => board.line().send(&bytes),
                None if is_quiet => continue,
                None => {}
            }
            board.cycle()?;
            while let Some(byte) = board.line().receive() {
                let _ = to_host.send(byte);
            }
        }
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
