//! Register decode of a core that stands alone: id, version, sizes, clock, and its
//! configuration registers.
//!
//! # Source            nic_spec::regs
//! # Interface timing  s_valid, s_write, s_addr, s_wdata hold until s_done
//! # Latency and rate  [`ACCESS_CYCLES`]
//! # Reset             synchronous, high: no access
//! # Twins             sim/src/golden/host/core_csr.rs, tests/cores.rs

use crate::Module;
use nic_spec::{regs, NicConfig};
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from `s_valid` to `s_done`.
pub const ACCESS_CYCLES: usize = 2;

/// The decode.
#[derive(LogicBlock)]
pub struct CoreCsr {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    step: DFF<Bits<2>>,
    done: DFF<Bit>,
    error: DFF<Bit>,
    rdata: DFF<Bits<32>>,
    reg_write: DFF<Bit>,
    word: Signal<Local, Bits<8>>,
    high: Signal<Local, Bits<6>>,
    low: Signal<Local, Bits<2>>,
    outside: Signal<Local, Bit>,
    start: Constant<Bits<2>>,
    decide: Constant<Bits<2>>,
    finish: Constant<Bits<2>>,
    zero_high: Constant<Bits<6>>,
    zero_low: Constant<Bits<2>>,
    id: Constant<Bits<32>>,
    version: Constant<Bits<32>>,
    sizes: Constant<Bits<32>>,
    clock_hz: Constant<Bits<32>>,
}

impl CoreCsr {
    /// The decode of the core with this `ID`.
    pub fn new(id: u32, config: &NicConfig) -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_write: Default::default(),
            s_addr: Default::default(),
            s_done: Default::default(),
            s_error: Default::default(),
            s_rdata: Default::default(),
            regs_wr_valid: Default::default(),
            regs_hit: Default::default(),
            regs_data: Default::default(),
            step: Default::default(),
            done: Default::default(),
            error: Default::default(),
            rdata: Default::default(),
            reg_write: Default::default(),
            word: Default::default(),
            high: Default::default(),
            low: Default::default(),
            outside: Default::default(),
            start: Constant::new(0u64.to_bits()),
            decide: Constant::new(1u64.to_bits()),
            finish: Constant::new(2u64.to_bits()),
            zero_high: Constant::new(0u64.to_bits()),
            zero_low: Constant::new(0u64.to_bits()),
            id: Constant::new(u64::from(id).to_bits()),
            version: Constant::new(u64::from(regs::VERSION_VALUE).to_bits()),
            sizes: Constant::new(u64::from(config.flow_sizes_word()).to_bits()),
            clock_hz: Constant::new(config.clock_hz.to_bits()),
        }
    }
}

impl Logic for CoreCsr {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, done, error, rdata, reg_write);
        self.s_done.next = self.done.q.val();
        self.s_error.next = self.error.q.val();
        self.s_rdata.next = self.rdata.q.val();
        self.regs_wr_valid.next = self.reg_write.q.val();
        self.high.next = self.s_addr.val().get_bits::<6>(10);
        self.low.next = self.s_addr.val().get_bits::<2>(0);
        self.word.next = self.s_addr.val().get_bits::<8>(2);
        self.outside.next =
            (self.high.val() != self.zero_high.val()) || (self.low.val() != self.zero_low.val());
        self.reg_write.d.next = false;
        self.done.d.next = false;
        self.error.d.next = false;
        self.rdata.d.next = 0.into();
        match self.step.q.val().index() {
            0 => {
                if self.s_valid.val() {
                    self.step.d.next = self.decide.val();
                }
            }
            1 => {
                self.step.d.next = self.finish.val();
                self.done.d.next = true;
                if self.outside.val() {
                    self.error.d.next = true;
                } else if self.s_write.val() {
                    self.reg_write.d.next = self.regs_hit.val();
                    self.error.d.next = !self.regs_hit.val();
                } else {
                    match self.word.val().index() {
                        0 => {
                            self.rdata.d.next = self.id.val();
                        }
                        1 => {
                            self.rdata.d.next = self.version.val();
                        }
                        2 => {
                            self.rdata.d.next = self.sizes.val();
                        }
                        3 => {
                            self.rdata.d.next = self.clock_hz.val();
                        }
                        _ => {
                            self.rdata.d.next = self.regs_data.val();
                            self.error.d.next = !self.regs_hit.val();
                        }
                    }
                }
            }
            _ => {
                if !self.s_valid.val() {
                    self.step.d.next = self.start.val();
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = 0.into();
            self.done.d.next = false;
            self.error.d.next = false;
            self.rdata.d.next = 0.into();
            self.reg_write.d.next = false;
        }
    }
}
