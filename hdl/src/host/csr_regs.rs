//! Configuration registers: of the NIC, and of the cores that stand alone.
//!
//! # Source            nic_spec::regs, config_registers, cc_core_registers, sched_registers
//! # Interface timing  cycle 0: wr_valid, wr_index, wr_data or rd_index; cycle 1: the port, or
//!                     rd_hit and rd_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Reset             synchronous, high: every register takes its reset value
//! # Twins             sim/models/src/golden/host/csr_regs.rs, tests/host/csr.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from an index to its data, and from a write to its port.
pub const LATENCY_CYCLES: usize = 1;

macro_rules! register_block {
    ($(#[$about:meta])* $block:ident; $(($index:tt, $name:ident, $port:ident, $width:tt, $reset:tt, $doc:literal,
        $fields:tt)),* $(,)?) => {
        $(#[$about])*
        #[block]
        pub struct $block {
            /// Write `wr_data` to the register at `wr_index`; ignored where there is none.
            pub wr_valid: Signal<In, Bit>,
            /// Word index, byte offset / 4.
            pub wr_index: Signal<In, Bits<8>>,
            /// Value; bits beyond the register's width are dropped.
            pub wr_data: Signal<In, Bits<32>>,
            /// Word index to read.
            pub rd_index: Signal<In, Bits<8>>,
            /// A register stands at the index of the cycle before.
            pub rd_hit: Signal<Out, Bit>,
            /// Its value, 0 without a hit.
            pub rd_data: Signal<Out, Bits<32>>,
            $(#[doc = $doc] pub $port: Signal<Out, Bits<$width>>,)*
            hit: Reg<Bit>,
            data: Reg<Bits<32>>,
            $(#[reset($reset)] $name: Reg<Bits<$width>>,)*
        }

        impl Logic for $block {
            #[hdl_gen]
            fn update(&mut self) {
                self.rd_hit.next = self.hit.val();
                self.rd_data.next = self.data.val();
                $(self.$port.next = self.$name.val();)*
                self.hit.next = true;
                self.data.next = 0.into();
                match self.rd_index.val().index() {
                    $($index => {
                        self.data.next = bit_cast::<32, $width>(self.$name.val());
                    })*
                    _ => {
                        self.hit.next = false;
                    }
                }
                if self.wr_valid.val() {
                    match self.wr_index.val().index() {
                        $($index => {
                            self.$name.next = bit_cast::<$width, 32>(self.wr_data.val());
                        })*
                        _ => {}
                    }
                }
            }
        }
    };
}

macro_rules! csr_regs {
    ($($row:tt)*) => { register_block! {
        /// Configuration registers of the NIC: one flip-flop word and one port a row of the table.
        CsrRegs; $($row)*
    } };
}
nic_spec::config_registers!(csr_regs);

macro_rules! cc_regs {
    ($($row:tt)*) => { register_block! {
        /// Registers of the congestion control: one flip-flop word and one port a row of the table.
        CcRegs; $($row)*
    } };
}
nic_spec::cc_core_registers!(cc_regs);

macro_rules! sched_regs {
    ($($row:tt)*) => { register_block! {
        /// Registers of the scheduler core: one flip-flop word and one port a row of the table.
        SchedRegs; $($row)*
    } };
}
nic_spec::sched_registers!(sched_regs);
