//! The line to a board: frames are sent as long as the board has room for them, and each is
//! answered, in order.

use super::frame::{Decoder, Frame};
use nic_spec::serial::{
    ANSWER, BAUD, FLAG, IGNORED, READ, REFUSED, REFUSED_CHECK, REFUSED_FORM, REFUSED_LOST,
    REFUSED_STOP, WINDOW_BYTES,
};
use serialport::SerialPort;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

/// How long the board may be silent while something is asked of it. A simulated one is slow on a
/// busy machine.
const SILENCE: Duration = Duration::from_secs(4);
/// How long a read of the port waits.
const READ_WAIT: Duration = Duration::from_millis(20);
/// How often the board is called before it counts as absent.
const CALLS: usize = 3;

/// Why a line doesn't bring an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The port can't be opened.
    Open(String),
    /// The port has gone.
    Port(String),
    /// Nothing comes back.
    Silent,
    /// A byte was broken or lost on its way to the board, which says so.
    Refused(u8),
    /// A byte was broken or lost on its way from the board.
    Broken,
}

impl core::fmt::Display for LineError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Open(why) => write!(
                f,
                "cannot open the port: {why}; is the board plugged in, and may you use the port?"
            ),
            Self::Port(why) => write!(f, "the port has gone: {why}"),
            Self::Silent => {
                write!(f, "no answer at {BAUD} baud: is the board's bitstream loaded?")
            }
            Self::Refused(flags) => {
                let reasons = [
                    (REFUSED_CHECK, "a wrong check sequence"),
                    (REFUSED_FORM, "an unknown form"),
                    (REFUSED_LOST, "more bytes than it has room for"),
                    (REFUSED_STOP, "a byte without a stop bit"),
                ];
                let named = reasons.iter().filter(|(bit, _)| flags & bit != 0);
                let named: Vec<&str> = named.map(|(_, name)| *name).collect();
                write!(f, "the board got a frame with {}", named.join(", and "))
            }
            Self::Broken => f.write_str("a byte from the board was broken or lost"),
        }
    }
}

impl core::error::Error for LineError {}

/// A frame that is not yet answered.
#[derive(Clone, Copy, Debug)]
struct Sent {
    kind: u8,
    number: u8,
    bytes: usize,
}

/// The line to a board.
pub struct Line {
    port: Box<dyn SerialPort>,
    decoder: Decoder,
    arrived: VecDeque<u8>,
    sent: VecDeque<Sent>,
    /// Bytes of `sent`.
    sent_bytes: usize,
    /// Of the next frame.
    number: u8,
}

impl core::fmt::Debug for Line {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Line").field("sent", &self.sent).finish_non_exhaustive()
    }
}

impl Line {
    /// Opens the port.
    ///
    /// # Errors
    /// [`LineError::Open`].
    pub fn open(path: &str) -> Result<Self, LineError> {
        let port = serialport::new(path, BAUD).timeout(READ_WAIT).open();
        let port = port.map_err(|e| LineError::Open(e.to_string()))?;
        let (decoder, arrived, sent) = Default::default();
        Ok(Self { port, decoder, arrived, sent, sent_bytes: 0, number: 0 })
    }

    /// Calls the board until it answers, by a read of the register at `offset`; the answer. What
    /// was on the line before is forgotten.
    ///
    /// # Errors
    /// [`LineError::Silent`] after some calls, [`LineError::Port`].
    pub fn call(&mut self, offset: u16) -> Result<Vec<u8>, LineError> {
        for _ in 0..CALLS {
            // A number that no answer still on its way has.
            self.number = self.number.wrapping_add(128);
            (self.sent, self.sent_bytes) = Default::default();
            self.write(&[FLAG])?;
            let number = self.number;
            self.send(READ, &offset.to_le_bytes())?;
            let last = Instant::now() + SILENCE;
            while Instant::now() < last {
                match self.frame(last)? {
                    Some(Some(f)) if (f.kind, f.number) == (READ | ANSWER, number) => {
                        (self.sent, self.sent_bytes) = Default::default();
                        return Ok(f.payload);
                    }
                    _ => {}
                }
            }
        }
        Err(LineError::Silent)
    }

    /// Whether the board has room for a frame of so many bytes, before escapes.
    pub fn has_room(&self, payload_bytes: usize) -> bool {
        // Kind, number and check sequence, all escaped, and the flag.
        self.sent_bytes + 2 * (payload_bytes + 4) < WINDOW_BYTES
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// [`LineError::Port`].
    pub fn send(&mut self, kind: u8, payload: &[u8]) -> Result<(), LineError> {
        let number = self.number;
        let line = Frame { kind, number, payload: payload.to_vec() }.encode();
        self.write(&line)?;
        self.number = number.wrapping_add(1);
        self.sent.push_back(Sent { kind, number, bytes: line.len() });
        self.sent_bytes += line.len();
        Ok(())
    }

    /// Frames that are not yet answered.
    pub fn sent_count(&self) -> usize {
        self.sent.len()
    }

    /// Waits for the next answer: to the first frame that has none.
    ///
    /// # Errors
    /// Why there is none. Then the frames that were sent may be done or not: [`Line::call`].
    pub fn answer(&mut self) -> Result<Frame, LineError> {
        let frame = self.frame(Instant::now() + SILENCE)?.ok_or(LineError::Silent)?;
        let frame = frame.ok_or(LineError::Broken)?;
        if frame.kind == REFUSED {
            return Err(LineError::Refused(frame.payload.first().copied().unwrap_or(0)));
        }
        let first = self.sent.pop_front().ok_or(LineError::Broken)?;
        self.sent_bytes -= first.bytes;
        let is_its = frame.kind == first.kind | ANSWER || frame.kind == IGNORED;
        match is_its && frame.number == first.number {
            true => Ok(frame),
            // One in between was lost.
            false => Err(LineError::Broken),
        }
    }

    /// Sends a frame and waits for its answer.
    ///
    /// # Errors
    /// As [`Line::answer`].
    pub fn ask(&mut self, kind: u8, payload: &[u8]) -> Result<Vec<u8>, LineError> {
        self.send(kind, payload)?;
        Ok(self.answer()?.payload)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let port_error = |e: std::io::Error| LineError::Port(e.to_string());
        let mut rest = bytes;
        let last = Instant::now() + SILENCE;
        while !rest.is_empty() {
            match self.port.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(e) if e.kind() == ErrorKind::TimedOut && Instant::now() < last => {}
                Err(e) if e.kind() == ErrorKind::TimedOut => return Err(LineError::Silent),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(port_error(e)),
            }
        }
        Ok(())
    }

    /// The next frame, whole or broken; none until `last`.
    fn frame(&mut self, last: Instant) -> Result<Option<Option<Frame>>, LineError> {
        let mut buffer = [0; 4096];
        loop {
            while let Some(byte) = self.arrived.pop_front() {
                if let Some(frame) = self.decoder.push(byte) {
                    return Ok(Some(frame));
                }
            }
            match self.port.read(&mut buffer) {
                Ok(0) => return Err(LineError::Port("it gives no bytes any more".into())),
                Ok(count) => self.arrived.extend(&buffer[..count]),
                Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(e) => return Err(LineError::Port(e.to_string())),
            }
            if self.arrived.is_empty() && Instant::now() >= last {
                return Ok(None);
            }
        }
    }
}
