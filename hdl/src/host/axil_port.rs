//! AXI4-Lite slave port: one register access at a time.
//!
//! # Source            AMBA AXI4-Lite
//! # Interface timing  aw and w are taken together in the cycle after both are valid, ar likewise;
//!                     then m_valid, m_write, m_addr, m_wdata hold until s_done
//! # Latency and rate  [`ACCEPT_CYCLES`] from address to m_valid; writes go before reads
//! # Reset             synchronous, high: no access
//! # Twins             sim/models/src/golden/host/axil_port.rs, tests/host/csr.rs

use crate::streams::AxiLite;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a valid address to `m_valid`.
pub const ACCEPT_CYCLES: usize = 1;

/// The port.
#[block]
pub struct AxilPort {
    /// Write address, bytes.
    pub s_axil: AxiLite<In>,
    /// An access is wanted.
    pub m_valid: Signal<Out, Bit>,
    /// It is a write.
    pub m_write: Signal<Out, Bit>,
    /// Its address, bytes.
    pub m_addr: Signal<Out, Bits<16>>,
    /// Its data.
    pub m_wdata: Signal<Out, Bits<32>>,
    /// The access is done.
    pub s_done: Signal<In, Bit>,
    /// It failed.
    pub s_error: Signal<In, Bit>,
    /// What it read.
    pub s_rdata: Signal<In, Bits<32>>,
    awready: Reg<Bit>,
    arready: Reg<Bit>,
    bvalid: Reg<Bit>,
    rvalid: Reg<Bit>,
    resp: Reg<Bits<2>>,
    rdata: Reg<Bits<32>>,
    active: Reg<Bit>,
    valid: Reg<Bit>,
    write: Reg<Bit>,
    addr: Reg<Bits<16>>,
    wdata: Reg<Bits<32>>,
    #[init(Constant::new(15u64.to_bits()))]
    all_strobes: Constant<Bits<4>>,
    #[init(Constant::new(2u64.to_bits()))]
    slverr: Constant<Bits<2>>,
}

impl Logic for AxilPort {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_axil.awready.next = self.awready.val();
        self.s_axil.wready.next = self.awready.val();
        self.s_axil.arready.next = self.arready.val();
        self.s_axil.bvalid.next = self.bvalid.val();
        self.s_axil.bresp.next = self.resp.val();
        self.s_axil.rvalid.next = self.rvalid.val();
        self.s_axil.rdata.next = self.rdata.val();
        self.s_axil.rresp.next = self.resp.val();
        self.m_valid.next = self.valid.val();
        self.m_write.next = self.write.val();
        self.m_addr.next = self.addr.val();
        self.m_wdata.next = self.wdata.val();
        self.awready.next = false;
        self.arready.next = false;
        if !self.active.val() {
            if self.s_axil.awvalid.val() && self.s_axil.wvalid.val() {
                self.active.next = true;
                self.awready.next = true;
                self.write.next = true;
                self.addr.next = self.s_axil.awaddr.val();
                self.wdata.next = self.s_axil.wdata.val();
                if self.s_axil.wstrb.val() == self.all_strobes.val() {
                    self.valid.next = true;
                } else {
                    self.bvalid.next = true;
                    self.resp.next = self.slverr.val();
                }
            } else if self.s_axil.arvalid.val() {
                self.active.next = true;
                self.arready.next = true;
                self.write.next = false;
                self.addr.next = self.s_axil.araddr.val();
                self.valid.next = true;
            }
        }
        if self.valid.val() && self.s_done.val() {
            self.valid.next = false;
            self.bvalid.next = self.write.val();
            self.rvalid.next = !self.write.val();
            if self.s_error.val() {
                self.resp.next = self.slverr.val();
            } else if !self.write.val() {
                self.rdata.next = self.s_rdata.val();
            }
        }
        if (self.bvalid.val() && self.s_axil.bready.val())
            || (self.rvalid.val() && self.s_axil.rready.val())
        {
            self.active.next = false;
            self.bvalid.next = false;
            self.rvalid.next = false;
            self.resp.next = 0.into();
            self.rdata.next = 0.into();
        }
    }
}
