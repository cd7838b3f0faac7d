//! Wire formats: one protocol a file.
//!
//! Each file has the field ranges (`mod field`), a view `Packet<T>` over bytes whose accessors do
//! not panic once [`check_len`](bth::Packet::check_len) has passed, and an owned `Repr` with
//! `parse` and `emit`. MAC and IP addresses are integers in reading order: 10.0.0.1 is
//! `0x0a00_0001`. [`roce`] puts the layers together into whole frames.

pub mod aeth;
pub mod bth;
pub mod ethernet;
pub mod icrc;
pub mod ifa;
pub mod immdt;
pub mod int_md;
pub mod ioam;
pub mod ipv4;
pub mod reth;
pub mod roce;
pub mod telemetry;
pub mod udp;

/// Why bytes are not a packet of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// The buffer ends before the header does.
    Truncated,
    /// A field has a value that the format does not allow.
    Malformed,
}

impl core::fmt::Display for WireError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the packet ends inside a header",
            Self::Malformed => "a header field has a value that its format does not allow",
        })
    }
}

impl core::error::Error for WireError {}

/// Result of parsing.
pub type Result<T> = core::result::Result<T, WireError>;

/// A range of bytes of a header.
type Field = core::ops::Range<usize>;

/// Big-endian value of at most eight bytes.
fn get_be(bytes: &[u8], field: Field) -> u64 {
    bytes[field].iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Writes the low bytes of `value`, most significant first.
fn put_be(bytes: &mut [u8], field: Field, value: u64) {
    let mut rest = value;
    for byte in bytes[field].iter_mut().rev() {
        *byte = rest as u8;
        rest >>= 8;
    }
}

fn check_len(bytes: &[u8], header_bytes: usize) -> Result<()> {
    if bytes.len() < header_bytes {
        return Err(WireError::Truncated);
    }
    Ok(())
}

/// Declares `Packet<T>` for a fixed-size header of `HEADER_BYTES` with big-endian fields.
macro_rules! packet {
    ($(#[$meta:meta])* { $($(#[$field_meta:meta])* $get:ident, $set:ident: $ty:ty = $field:expr;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Packet<T: AsRef<[u8]>> {
            buffer: T,
        }

        // A header may have a field of this name.
        #[allow(clippy::len_without_is_empty)]
        impl<T: AsRef<[u8]>> Packet<T> {
            /// A view without a length check: accessors panic if the buffer is too short.
            pub const fn new_unchecked(buffer: T) -> Self {
                Self { buffer }
            }

            /// A view over at least a whole header.
            pub fn new_checked(buffer: T) -> crate::wire::Result<Self> {
                let packet = Self::new_unchecked(buffer);
                packet.check_len()?;
                Ok(packet)
            }

            /// Fails if an accessor could panic.
            pub fn check_len(&self) -> crate::wire::Result<()> {
                crate::wire::check_len(self.buffer.as_ref(), HEADER_BYTES)
            }

            /// The underlying buffer.
            pub fn into_inner(self) -> T {
                self.buffer
            }

            $($(#[$field_meta])*
            pub fn $get(&self) -> $ty {
                crate::wire::get_be(self.buffer.as_ref(), $field) as $ty
            })*
        }

        impl<T: AsRef<[u8]> + AsMut<[u8]>> Packet<T> {
            $(/// Sets the field of the accessor of that name.
            pub fn $set(&mut self, value: $ty) {
                crate::wire::put_be(self.buffer.as_mut(), $field, value as u64);
            })*
        }
    };
}
use packet;
