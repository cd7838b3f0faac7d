//! The host's end of a serial line, as UARTs that know the golden model's timing.

use nic_hdl::host::uart::step;
use nic_models::golden::host::uart::{UartRx, UartRxIn, UartTx, UartTxIn};
use nic_models::ports::Golden;
use nic_spec::serial::{BAUD, FLAG};
use std::collections::VecDeque;

/// Bytes that the line spoils, by their index: one bit of them is toggled.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// On their way to the board.
    pub to_board: Vec<u64>,
    /// On their way from it.
    pub from_board: Vec<u64>,
}

impl Faults {
    fn spoiled(list: &[u64], byte: u8, at: u64) -> u8 {
        byte ^ u8::from(list.contains(&at)) << 3
    }
}

/// The line. Call [`SerialLine::cycle`] once a cycle of the clock that it was made for.
#[derive(Debug)]
pub struct SerialLine {
    clock_hz: u64,
    sender: UartTx,
    receiver: UartRx,
    faults: Faults,
    is_free: bool,
    /// Level of the board's input.
    level: bool,
    /// Bytes that are still to go to the board.
    waiting: VecDeque<u8>,
    /// Bytes from the board.
    arrived: VecDeque<u8>,
    quiet_cycles: u64,
    /// Bytes sent to the board.
    pub bytes_in: u64,
    /// Bytes that came from the board.
    pub bytes_out: u64,
    /// Time of the end of each frame from the board, in cycles.
    pub frames_out: Vec<u64>,
    /// Cycles run.
    pub cycles: u64,
}

impl SerialLine {
    /// A line that is sampled with `clock_hz`.
    pub fn new(clock_hz: u64, faults: Faults) -> Self {
        let step = step(BAUD.into(), clock_hz) as u32;
        Self {
            clock_hz,
            sender: UartTx::new(step),
            receiver: UartRx::new(step),
            faults,
            is_free: true,
            level: true,
            waiting: VecDeque::new(),
            arrived: VecDeque::new(),
            quiet_cycles: 0,
            bytes_in: 0,
            bytes_out: 0,
            frames_out: Vec::new(),
            cycles: 0,
        }
    }

    /// Level of the board's input.
    pub fn level(&self) -> bool {
        self.level
    }

    /// One cycle, in which the board drove `from_board`.
    pub fn cycle(&mut self, from_board: bool) {
        let byte = if self.is_free { self.waiting.pop_front() } else { None };
        let byte = byte.map(|byte| {
            self.bytes_in += 1;
            Faults::spoiled(&self.faults.to_board, byte, self.bytes_in - 1)
        });
        let (s_valid, s_data) = (byte.is_some(), byte.unwrap_or_default());
        let sent = self.sender.step(&UartTxIn { reset: false, s_valid, s_data });
        (self.is_free, self.level) = (sent.s_ready, sent.line);
        self.cycles += 1;
        let is_quiet = self.is_free && self.waiting.is_empty() && from_board;
        self.quiet_cycles = if is_quiet { self.quiet_cycles + 1 } else { 0 };
        let came = self.receiver.step(&UartRxIn { reset: false, line: from_board });
        if came.m_valid {
            if came.m_data == FLAG {
                self.frames_out.push(self.cycles);
            }
            let list = &self.faults.from_board;
            self.arrived.push_back(Faults::spoiled(list, came.m_data, self.bytes_out));
            self.bytes_out += 1;
        }
    }

    /// Frames a second from the board, in simulated time, over the last `count` of them.
    pub fn frames_per_second(&self, count: usize) -> f64 {
        let last = &self.frames_out[self.frames_out.len().saturating_sub(count + 1)..];
        let cycles = last.last().unwrap_or(&0) - last.first().unwrap_or(&0);
        (last.len().max(1) - 1) as f64 * self.clock_hz as f64 / cycles.max(1) as f64
    }

    /// Sends bytes to the board.
    pub fn send(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
    }

    /// The next byte from the board.
    pub fn receive(&mut self) -> Option<u8> {
        self.arrived.pop_front()
    }

    /// Bytes are still to go to the board.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Cycles since the line last moved.
    pub fn quiet_cycles(&self) -> u64 {
        self.quiet_cycles
    }
}
