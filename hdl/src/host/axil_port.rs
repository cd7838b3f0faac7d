//! AXI4-Lite slave port: one register access at a time.
//!
//! # Source            AMBA AXI4-Lite
//! # Interface timing  aw and w are taken together in the cycle after both are valid, ar likewise;
//!                     then m_valid, m_write, m_addr, m_wdata hold until s_done
//! # Latency and rate  [`ACCEPT_CYCLES`] from address to m_valid; writes go before reads
//! # Reset             synchronous, high: no access
//! # Twins             sim/src/golden/host/axil_port.rs, tests/csr.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a valid address to `m_valid`.
pub const ACCEPT_CYCLES: usize = 1;

/// The port.
#[derive(LogicBlock)]
pub struct AxilPort {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    awready: DFF<Bit>,
    arready: DFF<Bit>,
    bvalid: DFF<Bit>,
    rvalid: DFF<Bit>,
    resp: DFF<Bits<2>>,
    rdata: DFF<Bits<32>>,
    active: DFF<Bit>,
    valid: DFF<Bit>,
    write: DFF<Bit>,
    addr: DFF<Bits<16>>,
    wdata: DFF<Bits<32>>,
    all_strobes: Constant<Bits<4>>,
    slverr: Constant<Bits<2>>,
}

impl Default for AxilPort {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_axil_awaddr: Default::default(),
            s_axil_awvalid: Default::default(),
            s_axil_awready: Default::default(),
            s_axil_wdata: Default::default(),
            s_axil_wstrb: Default::default(),
            s_axil_wvalid: Default::default(),
            s_axil_wready: Default::default(),
            s_axil_bvalid: Default::default(),
            s_axil_bresp: Default::default(),
            s_axil_bready: Default::default(),
            s_axil_araddr: Default::default(),
            s_axil_arvalid: Default::default(),
            s_axil_arready: Default::default(),
            s_axil_rvalid: Default::default(),
            s_axil_rdata: Default::default(),
            s_axil_rresp: Default::default(),
            s_axil_rready: Default::default(),
            m_valid: Default::default(),
            m_write: Default::default(),
            m_addr: Default::default(),
            m_wdata: Default::default(),
            s_done: Default::default(),
            s_error: Default::default(),
            s_rdata: Default::default(),
            awready: Default::default(),
            arready: Default::default(),
            bvalid: Default::default(),
            rvalid: Default::default(),
            resp: Default::default(),
            rdata: Default::default(),
            active: Default::default(),
            valid: Default::default(),
            write: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            all_strobes: Constant::new(15u64.to_bits()),
            slverr: Constant::new(2u64.to_bits()),
        }
    }
}

impl Logic for AxilPort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, awready, arready, bvalid, rvalid, resp, rdata, active, valid, write, addr,
            wdata
        );
        self.s_axil_awready.next = self.awready.q.val();
        self.s_axil_wready.next = self.awready.q.val();
        self.s_axil_arready.next = self.arready.q.val();
        self.s_axil_bvalid.next = self.bvalid.q.val();
        self.s_axil_bresp.next = self.resp.q.val();
        self.s_axil_rvalid.next = self.rvalid.q.val();
        self.s_axil_rdata.next = self.rdata.q.val();
        self.s_axil_rresp.next = self.resp.q.val();
        self.m_valid.next = self.valid.q.val();
        self.m_write.next = self.write.q.val();
        self.m_addr.next = self.addr.q.val();
        self.m_wdata.next = self.wdata.q.val();
        self.awready.d.next = false;
        self.arready.d.next = false;
        if !self.active.q.val() {
            if self.s_axil_awvalid.val() && self.s_axil_wvalid.val() {
                self.active.d.next = true;
                self.awready.d.next = true;
                self.write.d.next = true;
                self.addr.d.next = self.s_axil_awaddr.val();
                self.wdata.d.next = self.s_axil_wdata.val();
                if self.s_axil_wstrb.val() == self.all_strobes.val() {
                    self.valid.d.next = true;
                } else {
                    self.bvalid.d.next = true;
                    self.resp.d.next = self.slverr.val();
                }
            } else if self.s_axil_arvalid.val() {
                self.active.d.next = true;
                self.arready.d.next = true;
                self.write.d.next = false;
                self.addr.d.next = self.s_axil_araddr.val();
                self.valid.d.next = true;
            }
        }
        if self.valid.q.val() && self.s_done.val() {
            self.valid.d.next = false;
            self.bvalid.d.next = self.write.q.val();
            self.rvalid.d.next = !self.write.q.val();
            if self.s_error.val() {
                self.resp.d.next = self.slverr.val();
            } else if !self.write.q.val() {
                self.rdata.d.next = self.s_rdata.val();
            }
        }
        if (self.bvalid.q.val() && self.s_axil_bready.val())
            || (self.rvalid.q.val() && self.s_axil_rready.val())
        {
            self.active.d.next = false;
            self.bvalid.d.next = false;
            self.rvalid.d.next = false;
            self.resp.d.next = 0.into();
            self.rdata.d.next = 0.into();
        }
        if self.reset.val() {
            self.awready.d.next = false;
            self.arready.d.next = false;
            self.bvalid.d.next = false;
            self.rvalid.d.next = false;
            self.resp.d.next = 0.into();
            self.rdata.d.next = 0.into();
            self.active.d.next = false;
            self.valid.d.next = false;
            self.write.d.next = false;
            self.addr.d.next = 0.into();
            self.wdata.d.next = 0.into();
        }
    }
}
