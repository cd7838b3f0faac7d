//! Register decode of a core that stands alone: id, version, sizes, clock, and its
//! configuration registers.
//!
//! # Source            nic_spec::regs
//! # Interface timing  s_valid, s_write, s_addr, s_wdata hold until s_done
//! # Latency and rate  [`ACCESS_CYCLES`]
//! # Reset             synchronous, high: no access
//! # Twins             sim/models/src/golden/host/core_csr.rs, tests/tool/cores.rs

use crate::{block, Reg};
use nic_spec::{regs, NicConfig};
use rust_hdl_core::prelude::*;

/// Cycles from `s_valid` to `s_done`.
pub const ACCESS_CYCLES: usize = 2;

/// The registers of a core that stands alone, behind its AXI4-Lite port: a part of its kernel.
macro_rules! core_parts {
    ([$($core:tt)*] { $($own:tt)* }) => {
        #[kernel]
        $($core)* {
            $($own)*

            fn registers(&mut self) {
                comment!("registers");
                Wire::join(&mut self.s_axil, &mut self.port.s_axil);
                self.decode.s_valid.next = self.port.m_valid.val();
                self.decode.s_write.next = self.port.m_write.val();
                self.decode.s_addr.next = self.port.m_addr.val();
                self.port.s_done.next = self.decode.s_done.val();
                self.port.s_error.next = self.decode.s_error.val();
                self.port.s_rdata.next = self.decode.s_rdata.val();
                self.registers.wr_valid.next = self.decode.regs_wr_valid.val();
                self.registers.wr_data.next = self.port.m_wdata.val();
                self.decode.regs_hit.next = self.registers.rd_hit.val();
                self.decode.regs_data.next = self.registers.rd_data.val();
            }
        }
    };
}
pub(crate) use core_parts;

/// The decode.
#[block(new(id: u32, config: &NicConfig))]
pub struct CoreCsr {
    /// An access is wanted.
    pub s_valid: Signal<In, Bit>,
    /// It is a write.
    pub s_write: Signal<In, Bit>,
    /// Its address, bytes.
    pub s_addr: Signal<In, Bits<16>>,
    /// The access is done.
    pub s_done: Signal<Out, Bit>,
    /// It failed; valid with `s_done`, else 0.
    pub s_error: Signal<Out, Bit>,
    /// What it read; valid with `s_done`, else 0.
    pub s_rdata: Signal<Out, Bits<32>>,
    /// To the configuration registers: write.
    pub regs_wr_valid: Signal<Out, Bit>,
    /// From the configuration registers: a register stands at the address.
    pub regs_hit: Signal<In, Bit>,
    /// From the configuration registers: its value.
    pub regs_data: Signal<In, Bits<32>>,
    step: Reg<Bits<2>>,
    done: Reg<Bit>,
    error: Reg<Bit>,
    rdata: Reg<Bits<32>>,
    reg_write: Reg<Bit>,
    word: Signal<Local, Bits<8>>,
    high: Signal<Local, Bits<6>>,
    low: Signal<Local, Bits<2>>,
    outside: Signal<Local, Bit>,
    #[init(Constant::new(0u64.to_bits()))]
    start: Constant<Bits<2>>,
    #[init(Constant::new(1u64.to_bits()))]
    decide: Constant<Bits<2>>,
    #[init(Constant::new(2u64.to_bits()))]
    finish: Constant<Bits<2>>,
    #[init(Constant::new(0u64.to_bits()))]
    zero_high: Constant<Bits<6>>,
    #[init(Constant::new(0u64.to_bits()))]
    zero_low: Constant<Bits<2>>,
    #[init(Constant::new(u64::from(id).to_bits()))]
    id: Constant<Bits<32>>,
    #[init(Constant::new(u64::from(regs::VERSION_VALUE).to_bits()))]
    version: Constant<Bits<32>>,
    #[init(Constant::new(u64::from(config.flow_sizes_word()).to_bits()))]
    sizes: Constant<Bits<32>>,
    #[init(Constant::new(config.clock_hz.to_bits()))]
    clock_hz: Constant<Bits<32>>,
}

impl Logic for CoreCsr {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_done.next = self.done.val();
        self.s_error.next = self.error.val();
        self.s_rdata.next = self.rdata.val();
        self.regs_wr_valid.next = self.reg_write.val();
        self.high.next = self.s_addr.val().get_bits::<6>(10);
        self.low.next = self.s_addr.val().get_bits::<2>(0);
        self.word.next = self.s_addr.val().get_bits::<8>(2);
        self.outside.next =
            (self.high.val() != self.zero_high.val()) || (self.low.val() != self.zero_low.val());
        self.reg_write.next = false;
        self.done.next = false;
        self.error.next = false;
        self.rdata.next = 0.into();
        match self.step.val().index() {
            0 => {
                if self.s_valid.val() {
                    self.step.next = self.decide.val();
                }
            }
            1 => {
                self.step.next = self.finish.val();
                self.done.next = true;
                if self.outside.val() {
                    self.error.next = true;
                } else if self.s_write.val() {
                    self.reg_write.next = self.regs_hit.val();
                    self.error.next = !self.regs_hit.val();
                } else {
                    match self.word.val().index() {
                        0 => {
                            self.rdata.next = self.id.val();
                        }
                        1 => {
                            self.rdata.next = self.version.val();
                        }
                        2 => {
                            self.rdata.next = self.sizes.val();
                        }
                        3 => {
                            self.rdata.next = self.clock_hz.val();
                        }
                        _ => {
                            self.rdata.next = self.regs_data.val();
                            self.error.next = !self.regs_hit.val();
                        }
                    }
                }
            }
            _ => {
                if !self.s_valid.val() {
                    self.step.next = self.start.val();
                }
            }
        }
    }
}
