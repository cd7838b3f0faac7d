//! Twin of `hdl/src/host/interrupt.rs`: the interrupt line.

use crate::ports;
use crate::ports::Golden;

ports! {
    /// What software clears.
    pub struct ClearPorts {
        pub valid: bool,
        pub bits: u8,
    }
}
ports! {
    /// Inputs.
    pub struct InterruptIn {
        pub reset: bool,
        pub cfg_enable: u8,
        pub arm: bool,
        pub waiting: bool,
        pub full: bool,
        pub ring_owns: bool,
        /// Doorbell refused, work request not readable, completion not written, index refused.
        pub error: [bool; 4],
        pub doorbell_flow: u16,
        pub clear: ClearPorts,
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
        if i.arm {
            *status = *status & !bit::PENDING | bit::ARMED;
        } else if before & bit::ARMED != 0 && i.waiting {
            *status = *status & !bit::ARMED | bit::PENDING;
        }
        for (n, _) in i.error.iter().enumerate().filter(|(_, error)| **error) {
            *status |= 1 << (4 + n);
        }
        if i.error[0] {
            *status = *status & !bit::FLOW | u32::from(i.doorbell_flow) << 16;
        }
        *status &= !(bit::FULL | bit::ON);
        *status |= if i.full { bit::FULL } else { 0 };
        *status |= if i.ring_owns { bit::ON } else { 0 };
        self.out
    }
}
