//! Twin of `hdl/src/host/axil_port.rs`: AXI4-Lite slave port.

use crate::ports::Golden;
use crate::streams::{back, AxiLite};

crate::ports! {
    /// One access on its way to the registers.
    pub struct Access {
        pub valid: bool,
        pub write: bool,
        pub addr: u16,
        pub wdata: u32,
    }
}
crate::ports! {
    /// Its answer.
    pub struct Answer {
        pub done: bool,
        pub error: bool,
        pub rdata: u32,
    }
}
crate::ports! {
    /// Inputs.
    pub struct AxilPortIn { pub reset: bool, pub s_axil: AxiLite, pub s: Answer }
}
crate::ports! {
    /// Outputs.
    pub struct AxilPortOut { pub s_axil: back::AxiLite, pub m: Access }
}

/// SLVERR.
const SLVERR: u8 = 2;

/// The port.
#[derive(Clone, Debug, Default)]
pub struct AxilPort {
    active: bool,
    out: AxilPortOut,
}

impl Golden for AxilPort {
    type In = AxilPortIn;
    type Out = AxilPortOut;

    fn step(&mut self, i: &AxilPortIn) -> AxilPortOut {
        if i.reset {
            *self = Self::default();
            return self.out;
        }
        let was = self.out;
        let bus = &mut self.out.s_axil;
        let access = &mut self.out.m;
        (bus.awready, bus.wready, bus.arready) = (false, false, false);
        if was.m.valid && i.s.done {
            access.valid = false;
            (bus.bvalid, bus.rvalid) = (was.m.write, !was.m.write);
            let resp = if i.s.error { SLVERR } else { 0 };
            (bus.bresp, bus.rresp) = (resp, resp);
            bus.rdata = if i.s.error || was.m.write { 0 } else { i.s.rdata };
        }
        let written = was.s_axil.bvalid && i.s_axil.bready;
        let read = was.s_axil.rvalid && i.s_axil.rready;
        if written || read {
            *bus = back::AxiLite::default();
            self.active = false;
        } else if !self.active && i.s_axil.awvalid && i.s_axil.wvalid {
            self.active = true;
            (bus.awready, bus.wready) = (true, true);
            let valid = i.s_axil.wstrb == 0xf;
            *access = Access { valid, write: true, addr: i.s_axil.awaddr, wdata: i.s_axil.wdata };
            if !valid {
                bus.bvalid = true;
                (bus.bresp, bus.rresp) = (SLVERR, SLVERR);
            }
        } else if !self.active && i.s_axil.arvalid {
            self.active = true;
            bus.arready = true;
            *access = Access { valid: true, write: false, addr: i.s_axil.araddr, ..was.m };
        }
        self.out
    }
}
