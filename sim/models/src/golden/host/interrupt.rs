//! Twin of `hdl/src/host/interrupt.rs`: the interrupt line.

use crate::ports;
use crate::ports::Golden;
use crate::streams::{RingStatus, StatusClear};

ports! {
    /// Doorbell refused, work request not readable, completion not written, index refused.
    pub struct HostErrors {
        pub doorbell: bool,
        pub sq: bool,
        pub cq: bool,
        pub consumer: bool,
    }
}
ports! {
    /// Inputs.
    pub struct InterruptIn {
        pub reset: bool,
        pub cfg_enable: u8,
        pub ring: RingStatus,
        pub error: HostErrors,
        pub doorbell_flow: u16,
        pub clear: StatusClear,
    }
}
ports! {
    /// Outputs.
    pub struct InterruptOut {
        pub irq: bool,
        pub status: u32,
    }
}

/// Bits of the status.
mod bit {
    pub const PENDING: u32 = 1 << 0;
    pub const ARMED: u32 = 1 << 1;
    pub const FULL: u32 = 1 << 2;
    pub const ON: u32 = 1 << 3;
    pub const ERRORS: u32 = 0xf << 4;
    pub const FLOW: u32 = 0xffff << 16;
}

/// The line.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    out: InterruptOut,
}

impl Golden for Interrupt {
    type In = InterruptIn;
    type Out = InterruptOut;

    fn step(&mut self, i: &InterruptIn) -> InterruptOut {
        if i.reset {
            *self = Self::default();
            return self.out;
        }
        let before = self.out.status;
        let completes = before & bit::PENDING != 0 && i.cfg_enable & 1 != 0;
        let fails = before & bit::ERRORS != 0 && i.cfg_enable & 2 != 0;
        self.out.irq = completes || fails;
        let status = &mut self.out.status;
        if i.clear.valid {
            *status &= !(u32::from(i.clear.bits) & (bit::PENDING | bit::ERRORS));
        }
        if i.ring.armed {
            *status = *status & !bit::PENDING | bit::ARMED;
        } else if before & bit::ARMED != 0 && i.ring.waiting {
            *status = *status & !bit::ARMED | bit::PENDING;
        }
        let errors = [i.error.doorbell, i.error.sq, i.error.cq, i.error.consumer];
        for (n, _) in errors.iter().enumerate().filter(|(_, error)| **error) {
            *status |= 1 << (4 + n);
        }
        if i.error.doorbell {
            *status = *status & !bit::FLOW | u32::from(i.doorbell_flow) << 16;
        }
        *status &= !(bit::FULL | bit::ON);
        *status |= if i.ring.full { bit::FULL } else { 0 };
        *status |= if i.ring.owns { bit::ON } else { 0 };
        self.out
    }
}
