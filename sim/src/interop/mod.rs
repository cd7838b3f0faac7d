//! A Linux guest with Soft-RoCE (rdma_rxe) under QEMU as the NIC's peer: real packets of a real
//! implementation, and data that is checked at both ends.
//!
//! What the guest does in which cycle depends on the machine, so a run is not repeatable as a
//! whole; the faults on the wire are a function of the seed and of a frame's number, and the
//! capture shows what happened.

pub mod cases;
pub mod guest;
pub mod lab;
pub mod stack;
pub mod wire;

use crate::env::station::BusError;
use crate::pcap;
use nic_harness::lockstep::StepError;
use std::fmt;

/// Why a run ends early.
#[derive(Debug)]
pub enum InteropError {
    /// QEMU cannot be run or used.
    Qemu(guest::GuestError),
    /// The guest does something else than it should.
    Guest {
        /// What.
        what: String,
        /// The last lines of its console.
        console: String,
    },
    /// The engine failed: a mismatch, mostly.
    Step(StepError),
    /// The driver failed.
    Driver(nic_driver::Error<BusError>),
    /// Data, frames or counters are not what they should be.
    Wrong(String),
    /// The capture cannot be written.
    Capture(pcap::Error),
}

impl fmt::Display for InteropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Qemu(e) => e.fmt(f),
            Self::Guest { what, console } if console.is_empty() => {
                write!(f, "{what}; its console is empty")
            }
            Self::Guest { what, console } => {
                write!(f, "{what}; the last lines of its console:\n{console}")
            }
            Self::Step(e) => e.fmt(f),
            Self::Driver(e) => e.fmt(f),
            Self::Wrong(text) => f.write_str(text),
            Self::Capture(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for InteropError {}

impl From<guest::GuestError> for InteropError {
    fn from(error: guest::GuestError) -> Self {
        Self::Qemu(error)
    }
}

impl From<StepError> for InteropError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl From<nic_driver::Error<BusError>> for InteropError {
    fn from(error: nic_driver::Error<BusError>) -> Self {
        match error {
            nic_driver::Error::Bus(BusError::Step(e)) => Self::Step(e),
            other => Self::Driver(other),
        }
    }
}

impl From<pcap::Error> for InteropError {
    fn from(error: pcap::Error) -> Self {
        Self::Capture(error)
    }
}
