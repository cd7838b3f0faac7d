//! Which hop of each flow's path is the most loaded one, as the congestion control says of the peer's data.
//!
//! # Interface timing  cycle 0: watch_valid and watch_ready; it counts for a look from cycle 2 on. cycle 0: look;
//!                     cycle 1: hop, until the next look
//! # Shape             a word of `named`: hop \[2:0\], the one named last \[5:3\]; 7: none
//! # Rules             a hop counts once two answers of the flow that name a hop have named it one after the other: two
//!                     hops that take turns leave it alone. A command for the flow makes it none
//! # Reset             synchronous, high; flows are cleared by scrub
//! # Twins             sim/models/src/golden/transport/ack/gen.rs, tests/transport/ack_gen.rs

use crate::streams::DecisionTap;
use crate::util::lut_ram::LutRam;
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Hops that a flow's answers have named.
#[row]
struct NamedRow {
    chosen: Bits<3>, // The one that counts
    last: Bits<3>,   // That of the last answer
}

/// Hops of `2^FB` flows.
#[block]
pub struct AckHop<const FB: usize> {
    /// An answer of the congestion control stands.
    pub watch: DecisionTap<In, FB>,
    /// Clear a flow, after reset.
    pub scrub: Signal<In, Bit>,
    /// Its index.
    pub scrub_flow: Signal<In, Bits<FB>>,
    /// Look a flow up.
    pub look: Signal<In, Bit>,
    /// Its index.
    pub look_flow: Signal<In, Bits<FB>>,
    /// Its most loaded hop; 7: none.
    pub hop: Signal<Out, Bits<3>>,
    named: LutRam<FB, NamedRow>,
    hops: LutRam<FB, Bits<3>>,
    #[reset(7u64.to_bits())]
    pick: Reg<Bits<3>>,
    seen: Reg<Bit>,
    forgets: Unreset<Bit>,
    flow: Unreset<Bits<FB>>,
    worst: Unreset<Bits<3>>,
    latest: Signal<Local, Bits<3>>,
    chosen: Signal<Local, Bits<3>>,
    last: Signal<Local, Bits<3>>,
    #[init(Constant::new(7u64.to_bits()))]
    none: Constant<Bits<3>>,
}

impl<const FB: usize> Logic for AckHop<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.hops.read_address.next = self.look_flow.val();
        self.hop.next = self.pick.val();
        if self.look.val() {
            self.pick.next = self.hops.read_data.val();
        }
        comment!("1: what is seen, and what counts of it.");
        self.forgets.next = self.watch.op.val().any();
        self.seen.next = self.watch.valid.val()
            & self.watch.ready.val()
            & self.watch.peer.val()
            & (self.watch.op.val().any() | (self.watch.worst_hop.val() != self.none.val()));
        self.flow.next = self.watch.flow.val();
        self.worst.next = self.watch.worst_hop.val();
        comment!("2: the second of two alike counts.");
        self.named.read_address.next = self.flow.val();
        self.latest.next = self.named.read_data.val().last;
        self.chosen.next = self.named.read_data.val().chosen;
        self.last.next = self.worst.val();
        if self.latest.val() == self.worst.val() {
            self.chosen.next = self.worst.val();
        }
        if self.forgets.val() | self.scrub.val() {
            self.chosen.next = self.none.val();
            self.last.next = self.none.val();
        }
        self.named.write_enable.next = self.seen.val() | self.scrub.val();
        self.named.write_address.next = self.flow.val();
        self.hops.write_enable.next = self.seen.val() | self.scrub.val();
        self.hops.write_address.next = self.flow.val();
        if self.scrub.val() {
            self.named.write_address.next = self.scrub_flow.val();
            self.hops.write_address.next = self.scrub_flow.val();
        }
        self.named.write_data.next.chosen = self.chosen.val();
        self.named.write_data.next.last = self.last.val();
        self.hops.write_data.next = self.chosen.val();
    }
}
