//! Registers and host memory of a board, by frames on its serial line: a bus for the driver.

use super::line::{Line, LineError};
use nic_driver::rings::HostMemory;
use nic_driver::Bus;
use nic_spec::regs;
use nic_spec::serial::{HOST_MEMORY, HOST_MEMORY_BYTES, READ, READ_ANSWER_BYTES, WRITE};

/// Why a register or a word of memory can't be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessError {
    /// The line.
    Line(LineError),
    /// Something else answers, or the core has other sizes: register, value, what it should be.
    Other(&'static str, u32, u32),
    /// The board refuses the access to this offset.
    Refused(u16),
    /// An answer has another form.
    Form(&'static str),
    /// This range of host memory is not there, or not of whole words: address, bytes.
    Outside(u64, usize),
}

impl From<LineError> for AccessError {
    fn from(error: LineError) -> Self {
        Self::Line(error)
    }
}

impl core::fmt::Display for AccessError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Line(error) => error.fmt(f),
            Self::Other(register, is, should_be) => write!(
                f,
                "another board or bitstream answers: its {register} is {is:#x}, not {should_be:#x}"
            ),
            Self::Refused(offset) => write!(f, "the board refuses the access to {offset:#06x}"),
            Self::Form(of) => write!(f, "the board answers {of} in a form that is not known"),
            Self::Outside(address, bytes) => write!(
                f,
                "{bytes} bytes at {address:#x} are no whole words of host memory, which has \
                 {HOST_MEMORY_BYTES} bytes"
            ),
        }
    }
}

impl core::error::Error for AccessError {}

/// The registers of a board.
#[derive(Debug)]
pub struct Registers {
    /// The line to them.
    pub line: Line,
}

impl Registers {
    /// Opens the port and looks who is there: registers by name and offset, with what they must
    /// be. The first is `ID`.
    ///
    /// # Errors
    /// What is wrong with port, line or board.
    pub fn open(path: &str, should_be: &[(&'static str, u16, u32)]) -> Result<Self, AccessError> {
        let mut registers = Self { line: Line::open(path)? };
        let mut first = Some(value(&registers.line.call(regs::ID)?)?);
        for (name, offset, should_be) in should_be {
            let is = first.take().map_or_else(|| registers.read(*offset), Ok)?;
            if is != *should_be {
                return Err(AccessError::Other(name, is, *should_be));
            }
        }
        Ok(registers)
    }

    /// The NIC at a port.
    ///
    /// # Errors
    /// As [`Registers::open`].
    pub fn of_nic(path: &str) -> Result<Self, AccessError> {
        let version = ("VERSION", regs::VERSION, regs::VERSION_VALUE);
        Self::open(path, &[("ID", regs::ID, regs::ID_VALUE), version])
    }

    /// Reads a register.
    ///
    /// # Errors
    /// What is wrong with line or board.
    pub fn read(&mut self, offset: u16) -> Result<u32, AccessError> {
        match self.line.ask(READ, &offset.to_le_bytes())? {
            answer if is_refused(&answer) => Err(AccessError::Refused(offset)),
            answer => value(&answer),
        }
    }

    /// Writes a register.
    ///
    /// # Errors
    /// As [`Registers::read`].
    pub fn write(&mut self, offset: u16, value: u32) -> Result<(), AccessError> {
        written(offset, &self.line.ask(WRITE, &write_payload(offset, value))?)
    }

    /// Asks for all of it, as much at a time as the board has room for; `take` gets each answer, in
    /// order.
    fn ask_all(
        &mut self,
        kind: u8,
        payloads: Vec<Vec<u8>>,
        mut take: impl FnMut(usize, &[u8]) -> Result<(), AccessError>,
    ) -> Result<(), AccessError> {
        let mut next = payloads.iter().peekable();
        for at in 0..payloads.len() {
            while next.peek().is_some_and(|payload| self.line.has_room(payload.len())) {
                self.line.send(kind, next.next().expect("looked at"))?;
            }
            take(at, &self.line.answer()?.payload)?;
        }
        Ok(())
    }
}

/// Register offset of a range of host memory.
fn memory_offset(address: u64, words: usize) -> Result<u16, AccessError> {
    let end = address.checked_add(4 * words as u64);
    match end.filter(|end| *end <= HOST_MEMORY_BYTES as u64 && address.is_multiple_of(4)) {
        Some(_) => Ok(HOST_MEMORY + address as u16),
        None => Err(AccessError::Outside(address, 4 * words)),
    }
}

fn write_payload(offset: u16, value: u32) -> Vec<u8> {
    [&offset.to_le_bytes()[..], &value.to_le_bytes()].concat()
}

fn is_refused(answer: &[u8]) -> bool {
    answer.len() == READ_ANSWER_BYTES && answer.last() != Some(&0)
}

fn value(answer: &[u8]) -> Result<u32, AccessError> {
    match answer {
        [value @ .., 0] if answer.len() == READ_ANSWER_BYTES => {
            Ok(u32::from_le_bytes(value.try_into().expect("4 bytes")))
        }
        _ => Err(AccessError::Form("a read")),
    }
}

fn written(offset: u16, answer: &[u8]) -> Result<(), AccessError> {
    match answer {
        [0] => Ok(()),
        [_] => Err(AccessError::Refused(offset)),
        _ => Err(AccessError::Form("a write")),
    }
}

impl Bus for Registers {
    type Error = AccessError;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, AccessError> {
        self.read(address_bytes as u16)
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), AccessError> {
        self.write(address_bytes as u16, value)
    }
}

impl HostMemory for Registers {
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), AccessError> {
        let begin = memory_offset(address, words.len())?;
        let offsets = (begin..).step_by(4).take(words.len());
        let payloads = offsets.map(|offset| offset.to_le_bytes().to_vec()).collect();
        self.ask_all(READ, payloads, |at, answer| {
            words[at] = value(answer)?;
            Ok(())
        })
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), AccessError> {
        let begin = memory_offset(address, words.len())?;
        let all = (begin..).step_by(4).zip(words);
        let payloads = all.map(|(offset, word)| write_payload(offset, *word)).collect();
        self.ask_all(WRITE, payloads, |at, answer| written(begin + 4 * at as u16, answer))
    }
}
