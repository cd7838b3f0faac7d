//! Twins of `hdl/src/host/uart/rx.rs`, `hdl/src/host/uart/tx.rs`, `hdl/src/host/uart/deframer.rs`
//! and `hdl/src/host/uart/framer.rs`.

use crate::ports;
use crate::ports::Golden;
use nic_spec::serial::{check_sequence, CHECK_START, ESCAPE, FLAG, TOGGLED};

/// 2^16 phases are a bit.
const BIT: u32 = 1 << 16;

ports! {
    /// Inputs of [`UartRx`].
    pub struct UartRxIn {
        /// Synchronous reset.
        pub reset: bool,
        /// The line.
        pub line: bool,
    }
}
ports! {
    /// Outputs of [`UartRx`].
    pub struct UartRxOut {
        /// A byte has come.
        pub m_valid: bool,
        /// The bits so far.
        pub m_data: u8,
        /// A stop bit was low.
        pub event_broken: bool,
    }
}

/// UART receiver.
#[derive(Clone, Debug)]
pub struct UartRx {
    step: u32,
    /// The line one and two cycles ago.
    lines: [bool; 2],
    phase: u32,
    /// Of the byte that comes, with its start and stop bit.
    bits_left: u8,
    data: u8,
}

impl UartRx {
    /// A receiver whose phase moves by `step` in a cycle.
    pub fn new(step: u32) -> Self {
        Self { step, lines: [true; 2], phase: 0, bits_left: 0, data: 0 }
    }
}

impl Golden for UartRx {
    type In = UartRxIn;
    type Out = UartRxOut;

    fn step(&mut self, i: &UartRxIn) -> UartRxOut {
        let level = self.lines[1];
        self.lines = [i.line, self.lines[0]];
        let (mut m_valid, mut event_broken) = (false, false);
        if self.bits_left == 0 {
            self.phase = BIT / 2;
            self.bits_left = if level { 0 } else { 10 };
        } else {
            self.phase += self.step;
            if self.phase >= BIT {
                self.phase -= BIT;
                self.bits_left -= 1;
                match self.bits_left {
                    9 if level => self.bits_left = 0,
                    9 => {}
                    0 => (m_valid, event_broken) = (level, !level),
                    _ => self.data = self.data >> 1 | u8::from(level) << 7,
                }
            }
        }
        if i.reset {
            *self = Self::new(self.step);
            (m_valid, event_broken) = (false, false);
        }
        UartRxOut { m_valid, m_data: self.data, event_broken }
    }
}

ports! {
    /// Inputs of a block that gives bytes.
    pub struct UartTxIn {
        /// Synchronous reset.
        pub reset: bool,
        /// A byte is offered.
        pub s_valid: bool,
        /// The byte.
        pub s_data: u8,
    }
}
ports! {
    /// Outputs of [`UartTx`].
    pub struct UartTxOut {
        /// The byte will be taken.
        pub s_ready: bool,
        /// The line.
        pub line: bool,
    }
}

/// UART transmitter.
#[derive(Clone, Debug)]
pub struct UartTx {
    step: u32,
    phase: u32,
    /// Byte on its way, and bits of it that are to come, the one on the line among them.
    sending: Option<(u8, u8)>,
}

impl UartTx {
    /// A transmitter whose phase moves by `step` in a cycle.
    pub fn new(step: u32) -> Self {
        Self { step, phase: 0, sending: None }
    }
}

impl Golden for UartTx {
    type In = UartTxIn;
    type Out = UartTxOut;

    fn step(&mut self, i: &UartTxIn) -> UartTxOut {
        match &mut self.sending {
            None => {
                self.phase = 0;
                self.sending = i.s_valid.then_some((i.s_data, 10));
            }
            Some((_, bits_left)) => {
                self.phase += self.step;
                if self.phase >= BIT {
                    self.phase -= BIT;
                    *bits_left -= 1;
                    if *bits_left == 0 {
                        self.sending = None;
                    }
                }
            }
        }
        if i.reset {
            self.sending = None;
        }
        let line = match self.sending {
            None | Some((_, 1)) => true,
            Some((_, 10)) => false,
            Some((byte, left)) => byte >> (9 - left) & 1 == 1,
        };
        UartTxOut { s_ready: self.sending.is_none(), line }
    }
}

ports! {
    /// Inputs of [`UartDeframer`].
    pub struct UartDeframerIn {
        /// Synchronous reset.
        pub reset: bool,
        /// A byte is offered.
        pub s_valid: bool,
        /// The byte.
        pub s_data: u8,
        /// The item is taken.
        pub m_ready: bool,
    }
}
ports! {
    /// Outputs of [`UartDeframer`].
    pub struct UartDeframerOut {
        /// The byte will be taken.
        pub s_ready: bool,
        /// An item stands.
        pub m_valid: bool,
        /// Byte 7:0; the frame's end 8; it is whole 9.
        pub m_data: u16,
    }
}

const LAST: u16 = 1 << 8;
const GOOD: u16 = 1 << 9;

/// Frames out of bytes.
#[derive(Clone, Debug, Default)]
pub struct UartDeframer {
    /// Bytes that are not delivered: the last two may be the check sequence.
    held: Vec<u8>,
    /// All bytes of this frame so far.
    frame: Vec<u8>,
    is_escaped: bool,
    is_full: bool,
    item: u16,
}

impl UartDeframer {
    /// The item that the byte gives.
    fn take(&mut self, byte: u8) -> Option<u16> {
        if byte == FLAG {
            let frame = std::mem::take(self);
            self.item = frame.item;
            if frame.frame.is_empty() && !frame.is_escaped {
                return None;
            }
            let whole = match frame.frame.split_last_chunk::<2>() {
                Some((content, check)) if !frame.is_escaped => {
                    !content.iter().fold(CHECK_START, |c, b| check_sequence(c, *b))
                        == u16::from_le_bytes(*check)
                }
                _ => false,
            };
            return Some(if whole { LAST | GOOD } else { LAST });
        }
        if byte == ESCAPE && !self.is_escaped {
            self.is_escaped = true;
            return None;
        }
        let byte = if std::mem::take(&mut self.is_escaped) { byte ^ TOGGLED } else { byte };
        self.frame.push(byte);
        self.held.push(byte);
        (self.held.len() > 2).then(|| self.held.remove(0).into())
    }
}

impl Golden for UartDeframer {
    type In = UartDeframerIn;
    type Out = UartDeframerOut;

    fn step(&mut self, i: &UartDeframerIn) -> UartDeframerOut {
        if self.is_full {
            self.is_full = !i.m_ready;
        } else if i.s_valid {
            if let Some(item) = self.take(i.s_data) {
                (self.is_full, self.item) = (true, item);
            }
        }
        if i.reset {
            *self = Self::default();
        }
        UartDeframerOut { s_ready: !self.is_full, m_valid: self.is_full, m_data: self.item }
    }
}

ports! {
    /// Inputs of [`UartFramer`].
    pub struct UartFramerIn {
        /// Synchronous reset.
        pub reset: bool,
        /// An item is offered.
        pub s_valid: bool,
        /// Byte 7:0; the frame's end 8.
        pub s_data: u16,
        /// The byte is taken.
        pub m_ready: bool,
    }
}
ports! {
    /// Outputs of [`UartFramer`].
    pub struct UartFramerOut {
        /// The item will be taken.
        pub s_ready: bool,
        /// A byte stands.
        pub m_valid: bool,
        /// The byte.
        pub m_data: u8,
    }
}

/// Frames into bytes.
#[derive(Clone, Debug)]
pub struct UartFramer {
    check: u16,
    /// Bytes of the item that are to come, the next one last.
    waiting: Vec<u8>,
    offered: Option<u8>,
    data: u8,
}

impl Default for UartFramer {
    fn default() -> Self {
        Self { check: CHECK_START, waiting: vec![], offered: None, data: 0 }
    }
}

impl UartFramer {
    /// The bytes of an item, the first one last.
    fn bytes(&mut self, item: u16) -> Vec<u8> {
        let escaped = |byte: u8| match byte {
            FLAG | ESCAPE => vec![ESCAPE, byte ^ TOGGLED],
            _ => vec![byte],
        };
        let mut bytes = match item & LAST {
            0 => {
                self.check = check_sequence(self.check, item as u8);
                escaped(item as u8)
            }
            _ => {
                let [low, high] = (!std::mem::replace(&mut self.check, CHECK_START)).to_le_bytes();
                [escaped(low), escaped(high), vec![FLAG]].concat()
            }
        };
        bytes.reverse();
        bytes
    }
}

impl Golden for UartFramer {
    type In = UartFramerIn;
    type Out = UartFramerOut;

    fn step(&mut self, i: &UartFramerIn) -> UartFramerOut {
        let was_ready = self.waiting.is_empty();
        if i.m_ready {
            self.offered = None;
        }
        if was_ready {
            if i.s_valid {
                self.waiting = self.bytes(i.s_data);
            }
        } else if self.offered.is_none() {
            self.offered = self.waiting.pop();
            self.data = self.offered.expect("something waits");
        }
        if i.reset {
            *self = Self::default();
        }
        UartFramerOut {
            s_ready: self.waiting.is_empty(),
            m_valid: self.offered.is_some(),
            m_data: self.data,
        }
    }
}
