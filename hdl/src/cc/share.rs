//! What share of the way between U and u' an update goes: tau/T of it.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, MeasureInflight
//! # Interface timing  cycle 0: tau_ns; cycle [`LATENCY_CYCLES`]: share
//! # Latency and rate  [`LATENCY_CYCLES`]; one per cycle. No valid: the user delays its own
//! # Number formats    tau    | UQ24.0  | ns; counts as T above T
//!                     1/T    | UQ0.40  | rounded to nearest: error 2^-41
//!                     part   | UQ0.32, UQ0.40 if fine, which it is below 2^-8 | of the way from the
//!                              nearer of U and u': tau/T up to a half, then, turned, 1 - tau/T; 0
//!                              from tau = T on. What is cut off it is below 2^-24 of it
//! # Reset             synchronous, high: the product's stages 0
//! # Twins             sim/models/src/golden/cc/share.rs, as part of cc_hop; tests/cc/cc_blocks.rs

use crate::util::{delay::Delay, mul_pipe::MulPipe};
use crate::{block, row, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from tau to the share.
pub const LATENCY_CYCLES: usize = 6;

/// Share of the way.
#[row]
pub struct Share {
    pub part: Bits<32>, // Part of the way
    pub fine: Bit,      // Eight bits finer
    pub turned: Bit,    // The way is from u' to U
}

/// Share of the way, from tau.
#[block]
pub struct CcShare {
    /// T in ns.
    pub cfg_t_ns: Signal<In, Bits<20>>,
    /// 1/T per ns, UQ0.40.
    pub cfg_inv_t: Signal<In, Bits<32>>,
    /// Time between the records.
    pub tau_ns: Signal<In, Bits<24>>,
    /// Share of the way.
    pub share: Signal<Out, Share>,
    share_mul: MulPipe<20, 32, 52>,
    turned_delay: Delay<Bits<2>, 4>,
    turned_1: Unreset<Bit>,
    rest_1: Unreset<Bits<25>>,
    tau_1: Unreset<Bits<20>>,
    part_2: Unreset<Bits<20>>,
    share_6: Unreset<Share>,
    t_wide: Signal<Local, Bits<25>>,
    tau_wide: Signal<Local, Bits<25>>,
    tau_twice: Signal<Local, Bits<25>>,
    product: Signal<Local, Bits<52>>,
}

impl Logic for CcShare {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("1: is it above T/2? Then, 2, the way is the rest of T, from u'.");
        self.t_wide.next = bit_cast::<25, 20>(self.cfg_t_ns.val());
        self.tau_wide.next = bit_cast::<25, 24>(self.tau_ns.val());
        self.tau_twice.next = self.tau_wide.val() << 1;
        self.turned_1.next = self.tau_twice.val() > self.t_wide.val();
        self.rest_1.next = self.t_wide.val() - self.tau_wide.val();
        self.tau_1.next = self.tau_ns.val().get_bits::<20>(0);
        self.part_2.next = self.tau_1.val();
        if self.turned_1.val() {
            self.part_2.next = self.rest_1.val().get_bits::<20>(0);
            if self.rest_1.val().get_bit(24) {
                self.part_2.next = 0.into();
            }
        }
        self.turned_delay.d.next = bit_cast::<2, 1>(self.turned_1.val().into());
        comment!("5: that over T; 6: eight bits finer while it is below 2^-8.");
        self.share_mul.a.next = self.part_2.val();
        self.share_mul.b.next = self.cfg_inv_t.val();
        self.product.next = self.share_mul.p.val();
        self.share_6.next.turned = self.turned_delay.q.val().get_bit(0);
        self.share_6.next.fine = false;
        self.share_6.next.part = self.product.val().get_bits::<32>(8);
        if !self.product.val().get_bits::<20>(32).any() {
            self.share_6.next.fine = true;
            self.share_6.next.part = self.product.val().get_bits::<32>(0);
        }
        self.share.next = self.share_6.val();
    }
}
