//! A record of telemetry in the layout of the HPCC paper.
//!
//! # Source            HPCC (SIGCOMM 2019) figure 7
//! # Interface timing  combinational
//! # Number formats    rate 4, time 24, bytes 20, queue 16 bits; a longer queue is the longest
//! # Reset             none
//! # Twins             inside sim/models/src/golden/tx/frame.rs

use crate::block;
use crate::cc::hop::HopRecord;
use rust_hdl_core::prelude::*;

/// A record, as the paper has it on the wire.
#[block(comb)]
pub struct TxPaperHop {
    /// The record.
    pub hop: Signal<In, Bits<64>>,
    /// Its bytes, the first on top.
    pub m: Signal<Out, Bits<64>>,
    record: Signal<Local, HopRecord>,
    queue: Signal<Local, Bits<16>>,
}

impl Logic for TxPaperHop {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next = self.hop.val().into();
        self.queue.next = self.record.val().queue.get_bits::<16>(0);
        if self.record.val().queue.get_bit(16) {
            self.queue.next = 0xffff.into();
        }
        self.m.next = (bit_cast::<64, 3>(self.record.val().rate) << 60)
            | (bit_cast::<64, 24>(self.record.val().time_ns) << 36)
            | (bit_cast::<64, 20>(self.record.val().sent) << 16)
            | bit_cast::<64, 16>(self.queue.val());
    }
}
