//! A captured frame, and what can be wrong with a capture.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Link type of Ethernet frames without FCS.
pub const LINKTYPE_ETHERNET: u32 = 1;
/// Longest record that is believed.
pub const RECORD_BYTES_MAX: usize = 262_144;

/// One captured frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Time since 1970 in nanoseconds.
    pub time_ns: u64,
    /// The frame, Ethernet header first, without FCS.
    pub data: Vec<u8>,
}

/// What is wrong with a capture. Records are counted from 1, as Wireshark counts them.
#[derive(Debug)]
pub enum ErrorKind {
    /// The operating system refused.
    Io(io::Error),
    /// The file is shorter than a file header, or is something else.
    NotPcap,
    /// The link type is not Ethernet.
    LinkType(u32),
    /// The link type of this record's interface is not Ethernet.
    PacketLinkType(usize, u32),
    /// This record is of an interface that no block before it describes.
    NoInterface(usize, usize),
    /// The block at this byte of the file is damaged, and how.
    Block(usize, &'static str),
    /// The file ends inside this record.
    Truncated(usize),
    /// This record says that it is longer than any frame.
    RecordLength(usize, usize),
    /// Only the beginning of this frame was captured: captured and original length.
    Snapped(usize, usize, usize),
}

/// An [`ErrorKind`] and the file it is in.
#[derive(Debug)]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            ErrorKind::Io(error) => write!(f, "cannot open the capture: {error}"),
            ErrorKind::NotPcap => f.write_str("not a pcap or pcapng file; give a capture"),
            ErrorKind::PacketLinkType(record, link) => write!(
                f,
                "record {record}: link type {link} is not Ethernet (1); leave out what other \
                 interfaces captured"
            ),
            ErrorKind::NoInterface(record, interface) => write!(
                f,
                "record {record}: interface {interface} is described nowhere before; \
                 the file is damaged"
            ),
            ErrorKind::Block(at, what) => {
                write!(f, "block at byte {at}: {what}; the file is damaged")
            }
            ErrorKind::LinkType(link) => {
                write!(f, "link type {link} is not Ethernet (1); capture on an Ethernet device")
            }
            ErrorKind::Truncated(record) => {
                write!(f, "record {record}: the file ends inside this record; copy it again")
            }
            ErrorKind::RecordLength(record, length) => {
                write!(f, "record {record}: a length of {length} bytes; the file is damaged")
            }
            ErrorKind::Snapped(record, captured, original) => write!(
                f,
                "record {record}: only {captured} of {original} bytes were captured; \
                 capture again with snap length 0"
            ),
        }
    }
}

impl std::error::Error for Error {}
