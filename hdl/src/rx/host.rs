//! Frames for the host's own stack.
//!
//! Every frame goes into the frame FIFO as it comes. One that turns out to be RoCEv2 for us is rolled
//! back at its end.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: beat taken; cycle 5: beat in the FIFO; cycle 6: overflow after the
//!                     last beat; cycle 7 after the last beat: m_axis, 8 for a frame of one beat
//! # Latency and rate  7; one beat per cycle, no ready: what finds no room is dropped
//! # Reset             synchronous, high: empty
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::Axis;
use crate::util::frame_fifo::FrameFifo;
use crate::{block, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Host side of the 64-bit rx pipe.
#[block]
pub struct RxHost {
    /// A raw beat is taken.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// Its valid bytes.
    pub s_keep: Signal<In, Bits<8>>,
    /// Last beat of the frame.
    pub s_last: Signal<In, Bit>,
    /// On the last beat: the MAC says that the frame is bad.
    pub s_user: Signal<In, Bit>,
    /// The frame is RoCEv2 for us; looked at 4 cycles after a beat.
    pub roce: Signal<In, Bit>,
    /// The frame that ended 6 cycles ago found no room.
    pub overflow: Signal<Out, Bit>,
    /// Frames for the host.
    pub m_axis: Axis<Out, 64, 8>,
    fifo: FrameFifo<64, 8, 73, 11, 12>,
    index: Reg<Bits<11>>,
    valid_1: Reg<Bit>,
    data_1: Unreset<Bits<64>>,
    keep_1: Unreset<Bits<8>>,
    last_1: Unreset<Bit>,
    bad_1: Unreset<Bit>,
    valid_2: Reg<Bit>,
    data_2: Unreset<Bits<64>>,
    keep_2: Unreset<Bits<8>>,
    last_2: Unreset<Bit>,
    bad_2: Unreset<Bit>,
    valid_3: Reg<Bit>,
    data_3: Unreset<Bits<64>>,
    keep_3: Unreset<Bits<8>>,
    last_3: Unreset<Bit>,
    bad_3: Unreset<Bit>,
    valid_4: Reg<Bit>,
    data_4: Unreset<Bits<64>>,
    keep_4: Unreset<Bits<8>>,
    last_4: Unreset<Bit>,
    bad_4: Unreset<Bit>,
    in_valid: Reg<Bit>,
    in_data: Unreset<Bits<64>>,
    in_keep: Unreset<Bits<8>>,
    in_last: Unreset<Bit>,
    in_user: Unreset<Bit>,
}

impl Logic for RxHost {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Which beat of the frame this is; the 1153rd is too much.");
        if self.s_valid.val() {
            if self.s_last.val() {
                self.index.next = 0.into();
            } else if self.index.val() != 2047 {
                self.index.next = self.index.val() + 1;
            }
        }
        comment!("Until it is known what the frame is.");
        self.valid_1.next = self.s_valid.val();
        self.data_1.next = self.s_data.val();
        self.keep_1.next = self.s_keep.val();
        self.last_1.next = self.s_last.val();
        self.bad_1.next = self.s_user.val() | (self.index.val() > 1151);
        self.valid_2.next = self.valid_1.val();
        self.data_2.next = self.data_1.val();
        self.keep_2.next = self.keep_1.val();
        self.last_2.next = self.last_1.val();
        self.bad_2.next = self.bad_1.val();
        self.valid_3.next = self.valid_2.val();
        self.data_3.next = self.data_2.val();
        self.keep_3.next = self.keep_2.val();
        self.last_3.next = self.last_2.val();
        self.bad_3.next = self.bad_2.val();
        self.valid_4.next = self.valid_3.val();
        self.data_4.next = self.data_3.val();
        self.keep_4.next = self.keep_3.val();
        self.last_4.next = self.last_3.val();
        self.bad_4.next = self.bad_3.val();
        comment!("Beats for the FIFO.");
        self.in_valid.next = self.valid_4.val();
        self.in_data.next = self.data_4.val();
        self.in_keep.next = self.keep_4.val();
        self.in_last.next = self.last_4.val();
        self.in_user.next = self.bad_4.val() | self.roce.val();
        self.fifo.cfg_drop_when_full.next = true;
        self.fifo.s_open.next = false;
        self.fifo.s_axis.tvalid.next = self.in_valid.val();
        self.fifo.s_axis.tdata.next = self.in_data.val();
        self.fifo.s_axis.tkeep.next = self.in_keep.val();
        self.fifo.s_axis.tlast.next = self.in_last.val();
        self.fifo.s_axis.tuser.next = self.in_user.val();
        self.overflow.next = self.fifo.event_overflow.val();
        Wire::join(&mut self.fifo.m_axis, &mut self.m_axis);
    }
}
