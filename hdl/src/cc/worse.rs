//! The worse of two hops: a node of the tree that finds the largest u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2: hops in order, a later one only if larger
//! # Interface timing  cycle 0: `a_*`, `b_*`; cycle 1: m_valid, u, tau_ns, hop
//! # Latency and rate  [`LATENCY_CYCLES`]; one pair per cycle
//! # Number formats    u UQ21.36; tau UQ24.0, ns. Hop a stands before b: it wins unless it carries
//!                     no information, or b's u' is larger
//! # Reset             none: the user's valid says what counts
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from two hops to the worse one.
pub const LATENCY_CYCLES: usize = 1;

/// Worse of two hops.
#[block(no_reset)]
pub struct CcWorse {
    /// The first hop carries information.
    pub a_valid: Signal<In, Bit>,
    /// Its u'.
    pub a_u: Signal<In, Bits<57>>,
    /// Its tau.
    pub a_tau_ns: Signal<In, Bits<24>>,
    /// Its index.
    pub a_hop: Signal<In, Bits<3>>,
    /// The second hop carries information.
    pub b_valid: Signal<In, Bit>,
    /// Its u'.
    pub b_u: Signal<In, Bits<57>>,
    /// Its tau.
    pub b_tau_ns: Signal<In, Bits<24>>,
    /// Its index.
    pub b_hop: Signal<In, Bits<3>>,
    /// One of them carries information.
    pub m_valid: Signal<Out, Bit>,
    /// u' of the worse one.
    pub u: Signal<Out, Bits<57>>,
    /// Its tau.
    pub tau_ns: Signal<Out, Bits<24>>,
    /// Its index.
    pub hop: Signal<Out, Bits<3>>,
    valid_1: Unreset<Bit>,
    u_1: Unreset<Bits<57>>,
    tau_1: Unreset<Bits<24>>,
    hop_1: Unreset<Bits<3>>,
    is_larger: Signal<Local, Bit>,
}

impl Logic for CcWorse {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_larger.next = self.b_u.val() > self.a_u.val();
        self.valid_1.next = self.a_valid.val() || self.b_valid.val();
        self.u_1.next = self.a_u.val();
        self.tau_1.next = self.a_tau_ns.val();
        self.hop_1.next = self.a_hop.val();
        if self.b_valid.val() && (!self.a_valid.val() || self.is_larger.val()) {
            self.u_1.next = self.b_u.val();
            self.tau_1.next = self.b_tau_ns.val();
            self.hop_1.next = self.b_hop.val();
        }
        self.m_valid.next = self.valid_1.val();
        self.u.next = self.u_1.val();
        self.tau_ns.next = self.tau_1.val();
        self.hop.next = self.hop_1.val();
    }
}
