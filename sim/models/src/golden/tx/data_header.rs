//! What `cfg_tel_data` stands for: the telemetry header with which data packets leave.

use nic_spec::wire::telemetry::Form;
use nic_spec::wire::{ifa, int_md, ioam};

/// A telemetry header of data packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataHeader {
    /// The paper's or the authors', in which switches find room for their records.
    Native(Form),
    /// INT-MD without a stack (P4-INT 2.1, sections 5.7.2 and 5.8), NPT 1 if a port marks it.
    IntMd {
        /// The UDP destination port marks the packet, else its DSCP.
        by_port: bool,
    },
    /// An incremental trace without nodes (RFC 9197, section 4.4).
    Ioam,
    /// IFA 2.0 (draft-kumar-ippm-ifa) without hops: a header in front of UDP, metadata's behind.
    Ifa,
}

impl DataHeader {
    /// The header that a value of `cfg_tel_data` stands for.
    pub fn of(cfg_tel_data: u8) -> Option<Self> {
        match cfg_tel_data {
            1 => Some(Self::Native(Form::Paper)),
            2 => Some(Self::Native(Form::Authors)),
            3 => Some(Self::IntMd { by_port: false }),
            4 => Some(Self::Ioam),
            5 => Some(Self::Ifa),
            6 => Some(Self::IntMd { by_port: true }),
            _ => None,
        }
    }

    /// Bytes that it adds to a packet: the paper's count, the authors' five records and count, shim and
    /// metadata header, shim and trace header, IFA's two headers.
    pub fn len_bytes(self) -> u32 {
        match self {
            Self::Native(Form::Paper) => 2,
            Self::Native(Form::Authors) => 42,
            Self::IntMd { .. } => int_md::HEADERS_BYTES as u32,
            Self::Ioam => ioam::HEADERS_BYTES as u32,
            Self::Ifa => (ifa::HEADER_BYTES + ifa::METADATA_BYTES) as u32,
        }
    }
}

/// Bytes that the header which `cfg_tel_data` stands for adds to a packet.
pub fn len_bytes(cfg_tel_data: u8) -> u32 {
    DataHeader::of(cfg_tel_data).map_or(0, DataHeader::len_bytes)
}
