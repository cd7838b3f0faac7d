//! The worst of three hops: a node of the tree that finds the largest u'.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2: hops in order, a later one only if larger
//! # Interface timing  cycle 0: `a_*`, `b_*`, `c_*`; cycle 1: m_valid, u, share, hop
//! # Latency and rate  [`LATENCY_CYCLES`]; three hops per cycle
//! # Number formats    u UQ21.36; share cc_share.rs. The hops stand in the order of the path: one wins
//!                     if it carries information and its u' is larger than that of each before it
//!                     that does, and not smaller than that of each behind it
//! # Reset             none: the user's valid says what counts
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::cc::share::Share;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the hops to the worst one.
pub const LATENCY_CYCLES: usize = 1;

/// Worst of three hops.
#[block(no_reset)]
pub struct CcWorst {
    /// The first hop carries information.
    pub a_valid: Signal<In, Bit>,
    /// Its u'.
    pub a_u: Signal<In, Bits<57>>,
    /// Its share of the way.
    pub a_share: Signal<In, Share>,
    /// Its index.
    pub a_hop: Signal<In, Bits<3>>,
    /// The second hop carries information.
    pub b_valid: Signal<In, Bit>,
    /// Its u'.
    pub b_u: Signal<In, Bits<57>>,
    /// Its share of the way.
    pub b_share: Signal<In, Share>,
    /// Its index.
    pub b_hop: Signal<In, Bits<3>>,
    /// The third hop carries information.
    pub c_valid: Signal<In, Bit>,
    /// Its u'.
    pub c_u: Signal<In, Bits<57>>,
    /// Its share of the way.
    pub c_share: Signal<In, Share>,
    /// Its index.
    pub c_hop: Signal<In, Bits<3>>,
    /// One of them carries information.
    pub m_valid: Signal<Out, Bit>,
    /// u' of the worst one.
    pub u: Signal<Out, Bits<57>>,
    /// Its share of the way.
    pub share: Signal<Out, Share>,
    /// Its index.
    pub hop: Signal<Out, Bits<3>>,
    valid_1: Unreset<Bit>,
    u_1: Unreset<Bits<57>>,
    share_1: Unreset<Share>,
    hop_1: Unreset<Bits<3>>,
    b_above_a: Signal<Local, Bit>,
    c_above_a: Signal<Local, Bit>,
    c_above_b: Signal<Local, Bit>,
}

impl Logic for CcWorst {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Above: it counts, and the other one does not or is smaller.");
        self.b_above_a.next =
            self.b_valid.val() && (!self.a_valid.val() || (self.b_u.val() > self.a_u.val()));
        self.c_above_a.next =
            self.c_valid.val() && (!self.a_valid.val() || (self.c_u.val() > self.a_u.val()));
        self.c_above_b.next =
            self.c_valid.val() && (!self.b_valid.val() || (self.c_u.val() > self.b_u.val()));
        self.valid_1.next = self.a_valid.val() || self.b_valid.val() || self.c_valid.val();
        self.u_1.next = self.a_u.val();
        self.share_1.next = self.a_share.val();
        self.hop_1.next = self.a_hop.val();
        if self.c_above_a.val() && self.c_above_b.val() {
            self.u_1.next = self.c_u.val();
            self.share_1.next = self.c_share.val();
            self.hop_1.next = self.c_hop.val();
        } else if self.b_above_a.val() {
            self.u_1.next = self.b_u.val();
            self.share_1.next = self.b_share.val();
            self.hop_1.next = self.b_hop.val();
        }
        self.m_valid.next = self.valid_1.val();
        self.u.next = self.u_1.val();
        self.share.next = self.share_1.val();
        self.hop.next = self.hop_1.val();
    }
}
