//! Replays one side of a captured conversation through the NIC.

pub mod cc_random;
pub mod cc_trace;
pub mod conversation;
pub mod requester;
pub mod responder;

use crate::env::axi_mem::AxiMem;
use crate::env::station::{BusError, Station};
use conversation::{InferError, Packet};
use nic_driver::Nic;
use nic_harness::lockstep::StepError;
use nic_spec::regs::EVENTS;
use std::fmt;

/// A frame that the NIC sent.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Record that was fed before it.
    pub after_record: usize,
    /// Cycle of its last beat.
    pub cycle: u64,
    /// The frame.
    pub frame: Vec<u8>,
    /// What it says; `None` if it is no valid RoCEv2 packet.
    pub packet: Option<Packet>,
}

/// A region's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Remote key.
    pub rkey: u32,
    /// First virtual address.
    pub va: u64,
    /// What the requester wrote, 0 where it did not.
    pub expected: Vec<u8>,
    /// What memory holds.
    pub found: Vec<u8>,
}

impl Memory {
    /// Whether memory holds what the requester wrote.
    pub fn is_equal(&self) -> bool {
        self.expected == self.found
    }
}

/// A region in host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Remote key.
    pub rkey: u32,
    /// First virtual address.
    pub va: u64,
    /// Address on the AXI4 master.
    pub at: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Why a replay stops.
#[derive(Debug)]
pub enum ReplayError {
    /// The capture does not tell enough.
    Infer(InferError),
    /// The engine failed: a mismatch, mostly.
    Step(StepError),
    /// The driver failed.
    Driver(nic_driver::Error<BusError>),
    /// The NIC never came to rest after this record.
    Hangs {
        /// Index of the record.
        record: usize,
    },
    /// The requester's part holds a request that the NIC cannot send.
    Unsupported {
        /// Index of the record.
        record: usize,
        /// Its opcode.
        opcode: u8,
    },
    /// The requester's packets are not all in the capture.
    Gap {
        /// PSN behind the gap.
        psn: u32,
    },
    /// The NIC never sent the packet that this record answers.
    NeverDue {
        /// Index of the record.
        record: usize,
        /// PSN of the answer.
        psn: u32,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Infer(e) => e.fmt(f),
            Self::Step(e) => e.fmt(f),
            Self::Driver(e) => e.fmt(f),
            Self::Hangs { record } => write!(f, "the NIC hangs after record {}", record + 1),
            Self::Unsupported { record, opcode } => write!(
                f,
                "record {} is a request with opcode {opcode:#04x}; this NIC sends RDMA WRITE and READ only",
                record + 1
            ),
            Self::Gap { psn } => {
                write!(f, "packets before PSN {psn} are missing, so messages cannot be rebuilt")
            }
            Self::NeverDue { record, psn } => {
                write!(f, "record {} answers PSN {psn}, which the NIC never sent", record + 1)
            }
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<InferError> for ReplayError {
    fn from(error: InferError) -> Self {
        Self::Infer(error)
    }
}

impl From<StepError> for ReplayError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl From<nic_driver::Error<BusError>> for ReplayError {
    fn from(error: nic_driver::Error<BusError>) -> Self {
        match error {
            nic_driver::Error::Bus(BusError::Step(e)) => Self::Step(e),
            other => Self::Driver(other),
        }
    }
}

/// Code of an MTU in a QP row.
fn mtu_code(mtu_bytes: usize) -> u8 {
    (mtu_bytes.ilog2() - 8) as u8
}

/// What the NIC sent since the last call.
fn take_replies(station: &mut Station, after_record: usize) -> Vec<Reply> {
    let reply = |(cycle, frame): (u64, crate::env::stream::Frame)| Reply {
        after_record,
        cycle,
        packet: Packet::parse(after_record, &frame.bytes),
        frame: frame.bytes,
    };
    station.sent.drain(..).map(reply).collect()
}

/// Event counters that are not 0.
fn counters(nic: &mut Nic<Station>) -> Result<Vec<(&'static str, u32)>, ReplayError> {
    let mut all = Vec::new();
    for (name, _) in EVENTS {
        let count = nic.counter(name)?;
        if count > 0 {
            all.push((*name, count));
        }
    }
    Ok(all)
}

/// Bytes written outside every region.
pub fn stray_bytes(memory: &AxiMem, placed: &[Placed]) -> u64 {
    let outside = |range: &std::ops::Range<u64>| {
        let inside: u64 = placed
            .iter()
            .map(|p| range.end.min(p.at + p.bytes).saturating_sub(range.start.max(p.at)))
            .sum();
        range.end - range.start - inside
    };
    memory.written_ranges().iter().map(outside).sum()
}
