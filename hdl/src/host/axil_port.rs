//! AXI4-Lite slave port: one register access at a time.
//!
//! # Source            AMBA AXI4-Lite
//! # Interface timing  aw and w are taken together in the cycle after both are valid, ar likewise;
//!                     then m_valid, m_write, m_addr, m_wdata hold until s_done
//! # Latency and rate  [`ACCEPT_CYCLES`] from address to m_valid; writes go before reads
//! # Reset             synchronous, high: no access
//! # Twins             sim/src/golden/host/axil_port.rs, tests/csr.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a valid address to `m_valid`.
pub const ACCEPT_CYCLES: usize = 1;

/// The port.
#[block]
pub struct AxilPort {
    /// Write address, bytes.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Write address is valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address is taken.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Write strobes; all must be high.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data is valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data is taken.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response is valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// 0 OKAY, 2 SLVERR.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Write response is taken.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address, bytes.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Read address is valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address is taken.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data is valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Read data, 0 after an error.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// 0 OKAY, 2 SLVERR.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Read data is taken.
    pub s_axil_rready: Signal<In, Bit>,
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
        self.s_axil_awready.next = self.awready.val();
        self.s_axil_wready.next = self.awready.val();
        self.s_axil_arready.next = self.arready.val();
        self.s_axil_bvalid.next = self.bvalid.val();
        self.s_axil_bresp.next = self.resp.val();
        self.s_axil_rvalid.next = self.rvalid.val();
        self.s_axil_rdata.next = self.rdata.val();
        self.s_axil_rresp.next = self.resp.val();
        self.m_valid.next = self.valid.val();
        self.m_write.next = self.write.val();
        self.m_addr.next = self.addr.val();
        self.m_wdata.next = self.wdata.val();
        self.awready.next = false;
        self.arready.next = false;
        if !self.active.val() {
            if self.s_axil_awvalid.val() && self.s_axil_wvalid.val() {
                self.active.next = true;
                self.awready.next = true;
                self.write.next = true;
                self.addr.next = self.s_axil_awaddr.val();
                self.wdata.next = self.s_axil_wdata.val();
                if self.s_axil_wstrb.val() == self.all_strobes.val() {
                    self.valid.next = true;
                } else {
                    self.bvalid.next = true;
                    self.resp.next = self.slverr.val();
                }
            } else if self.s_axil_arvalid.val() {
                self.active.next = true;
                self.arready.next = true;
                self.write.next = false;
                self.addr.next = self.s_axil_araddr.val();
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
        if (self.bvalid.val() && self.s_axil_bready.val())
            || (self.rvalid.val() && self.s_axil_rready.val())
        {
            self.active.next = false;
            self.bvalid.next = false;
            self.rvalid.next = false;
            self.resp.next = 0.into();
            self.rdata.next = 0.into();
        }
    }
}
