//! What goes over the serial line of a board, in frames as RFC 1662 section 4 has them: a byte of
//! kind, a number that the answer brings back, and what the kind says, the lowest byte first.

/// Begins and ends a frame.
pub const FLAG: u8 = 0x7e;
/// The byte behind it has [`TOGGLED`] toggled: so no byte within a frame is a flag.
pub const ESCAPE: u8 = 0x7d;
/// What an escape toggles.
pub const TOGGLED: u8 = 0x20;

/// The check sequence before a frame's first byte.
pub const CHECK_START: u16 = 0xffff;

/// The check sequence with one more byte: RFC 1662's FCS-16, CRC-16/X-25 without the last
/// inversion.
pub const fn check_sequence(check: u16, byte: u8) -> u16 {
    let mut check = check ^ byte as u16;
    let mut bit = 0;
    while bit < 8 {
        check = (check >> 1) ^ if check & 1 == 1 { 0x8408 } else { 0 };
        bit += 1;
    }
    check
}

/// Baud of the line.
pub const BAUD: u32 = 3_000_000;
/// Bytes that a board takes in, answered or not; more are lost.
pub const WINDOW_BYTES: usize = 8192;

/// Where host memory stands among the registers of a board that has a whole NIC; addresses of the
/// NIC's DMA begin there with 0.
pub const HOST_MEMORY: u16 = 0x8000;
/// Bytes of it.
pub const HOST_MEMORY_BYTES: usize = 1 << 14;

/// Writes a register: offset, 2 bytes; value, 4. Answered with the AXI response.
pub const WRITE: u8 = 1;
/// Reads a register: offset, 2 bytes. Answered with the value, 4 bytes, and the AXI response.
pub const READ: u8 = 2;
/// A flow command, the 12 bytes of `s_axis_flow`. Answered with its result.
pub const FLOW: u8 = 3;
/// An ACK, the bytes of `s_axis_ack`; from 12 on those behind the last record may be left out.
/// Answered with its result, or with the reason why there is none.
pub const ACK: u8 = 4;
/// Set in the kind of an answer.
pub const ANSWER: u8 = 0x80;
/// Answer to an ACK without a result: one byte, a bit for each reason, in the order of the
/// `event_cc` pulses. 0: it had no telemetry.
pub const IGNORED: u8 = 0x85;
/// Answer to a frame that did nothing: one byte, [`REFUSED_CHECK`] and the others.
pub const REFUSED: u8 = 0xff;

/// Bytes of a write.
pub const WRITE_BYTES: usize = 6;
/// Bytes of a read.
pub const READ_BYTES: usize = 2;
/// Bytes of a flow command; the fewest of an ACK.
pub const FLOW_BYTES: usize = 12;
/// The most bytes of an ACK.
pub const ACK_BYTES_MAX: usize = 52;
/// Bytes of the answer to a read.
pub const READ_ANSWER_BYTES: usize = 5;
/// Bytes of a result: `m_axis_rate` up to its last field.
pub const RESULT_BYTES: usize = 30;

/// The frame's check sequence is wrong.
pub const REFUSED_CHECK: u8 = 1;
/// There is no such kind of frame, or not of this length.
pub const REFUSED_FORM: u8 = 2;
/// Since the last refusal a byte came when [`WINDOW_BYTES`] were waiting, and was lost.
pub const REFUSED_LOST: u8 = 4;
/// Since the last refusal a byte came without a stop bit, and was lost.
pub const REFUSED_STOP: u8 = 8;
