//! Windows of the flows, as the scheduler has been told them, and whether one has room for what may
//! leave at once.
//!
//! # Interface timing  part of `requester`: read in Idle and Save, in a register from Check on; fits follows
//!                     the bytes in flight and `more` by a cycle
//! # Number formats    window, flight | UQ24.0 | 256 bytes, rounded down
//! # Rules             A window that changes while its flow is at hand counts from the flow's next
//!                     operation on
//! # Reset             synchronous, high; the sequencer scrubs the rows: a window of 0 has no room
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::state::State;
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Windows; `FB` = log2 of the flow count.
#[block]
pub struct RequesterWindow<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// Flow that is read then.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// A flow has got a window.
    pub watch: Signal<In, Bit>,
    /// Which flow.
    pub watch_flow: Signal<In, Bits<FB>>,
    /// Which window, bytes.
    pub watch_window: Signal<In, Bits<32>>,
    /// Bytes in flight of the flow at hand.
    pub inflight: Signal<In, Bits<32>>,
    /// Blocks of 256 bytes that would leave, and one or two that both may begin.
    pub more: Signal<In, Bits<5>>,
    /// With these more they are within its window.
    pub fits: Signal<Out, Bit>,
    rows: Ram<FB, Bits<24>>,
    r_window: Reg<Bits<24>>,
    told: Reg<Bits<24>>,
    was_told: Reg<Bit>,
    has_room: Unreset<Bit>,
    blocks: Signal<Local, Bits<24>>,
    flight: Signal<Local, Bits<25>>,
}

impl<const FB: usize> Logic for RequesterWindow<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.fits.next = self.has_room.val();
        self.blocks.next = self.watch_window.val().get_bits::<24>(8);
        self.rows.read_enable.next = self.is_open.val();
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next = self.watch.val();
        self.rows.write_address.next = self.watch_flow.val();
        self.rows.write_data.next = self.blocks.val();
        if self.state.val() == State::Scrub {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.flow.val();
            self.rows.write_data.next = 0.into();
        }
        comment!("A window that comes in the cycle of the read.");
        if self.is_open.val() {
            self.was_told.next = self.watch.val() & (self.watch_flow.val() == self.read_flow.val());
            self.told.next = self.blocks.val();
        }
        if self.state.val() == State::Load {
            self.r_window.next = self.rows.read_data.val();
            if self.was_told.val() {
                self.r_window.next = self.told.val();
            }
        }
        self.flight.next = bit_cast::<25, 24>(self.inflight.val().get_bits::<24>(8))
            + bit_cast::<25, 5>(self.more.val());
        self.has_room.next = bit_cast::<25, 24>(self.r_window.val()) >= self.flight.val();
    }
}
