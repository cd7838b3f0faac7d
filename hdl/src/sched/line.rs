//! What the line has to carry, and its time: the bytes that it could have carried.
//!
//! # Interface timing  cycle 0: s_grant; cycle 1: m_free. cfg_line: two cycles before m_rate_log2
//! # Number formats    rate    | UQ8.8  | bytes a cycle; 0 in LINE: a beat of the datapath
//!                     backlog | UQ17.8 | bytes that are granted and not carried
//!                     time    | UQ20.0 | units of 2^9 bytes, modulo 2^20
//! # Reset             synchronous, high: nothing to carry
//! # Twins             sim/models/src/golden/sched/scheduler.rs, sim/models/src/golden/sched/octaves.rs

use crate::rows::LineRow;
use crate::sched::log2::Log2;
use crate::{block, Reg};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Grants wait while the line has so many bytes to carry: log2.
pub const LEAD_LOG2: usize = 10;

/// The line.
#[block(new(config: &NicConfig))]
pub struct Line {
    /// Register LINE.
    pub cfg_line: Signal<In, LineRow>,
    /// Work is granted.
    pub s_grant: Signal<In, Bit>,
    /// What it takes of the line, bytes.
    pub s_bytes: Signal<In, Bits<16>>,
    /// Another grant may follow.
    pub m_free: Signal<Out, Bit>,
    /// Time.
    pub m_time: Signal<Out, Bits<20>>,
    /// Logarithm of the rate, in 2^-8 bytes a cycle.
    pub m_rate_log2: Signal<Out, Bits<4>>,
    /// What a frame takes beside its bytes.
    pub m_overhead_bytes: Signal<Out, Bits<8>>,
    log2: Log2<16, 4>,
    rate: Reg<Bits<16>>,
    overhead: Reg<Bits<8>>,
    rate_log2: Reg<Bits<4>>,
    backlog: Reg<Bits<25>>,
    clock_bytes: Reg<Bits<37>>,
    told: Signal<Local, Bits<16>>,
    carried: Signal<Local, Bits<25>>,
    carried_time: Signal<Local, Bits<37>>,
    left: Signal<Local, Bits<25>>,
    granted_wide: Signal<Local, Bits<25>>,
    granted: Signal<Local, Bits<25>>,
    beyond: Signal<Local, Bits<7>>,
    #[value(config.data_bytes() as u64 * 256)]
    beat: Constant<Bits<16>>,
}

impl Logic for Line {
    #[hdl_gen]
    fn update(&mut self) {
        self.told.next = self.cfg_line.val().rate;
        self.rate.next = self.beat.val();
        if self.told.val().any() {
            self.rate.next = self.told.val();
        }
        self.overhead.next = self.cfg_line.val().overhead_bytes;
        self.log2.x.next = self.rate.val();
        self.rate_log2.next = self.log2.m.val();
        self.m_rate_log2.next = self.rate_log2.val();
        self.m_overhead_bytes.next = self.overhead.val();
        comment!("Backlog: what is granted, less what the line carries.");
        self.carried.next = bit_cast::<25, 16>(self.rate.val());
        self.left.next = 0.into();
        if self.backlog.val() > self.carried.val() {
            self.left.next = self.backlog.val() - self.carried.val();
        }
        self.granted_wide.next = bit_cast::<25, 16>(self.s_bytes.val());
        self.granted.next = self.granted_wide.val() << 8;
        self.backlog.next = self.left.val();
        if self.s_grant.val() {
            self.backlog.next = self.left.val() + self.granted.val();
        }
        self.beyond.next = self.backlog.val().get_bits::<7>(18);
        self.m_free.next = !self.beyond.val().any();
        comment!("Time.");
        self.carried_time.next = bit_cast::<37, 16>(self.rate.val());
        self.clock_bytes.next = self.clock_bytes.val() + self.carried_time.val();
        self.m_time.next = self.clock_bytes.val().get_bits::<20>(17);
    }
}
