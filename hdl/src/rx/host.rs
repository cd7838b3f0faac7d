//! Frames for the host's own stack.
//!
//! Every frame goes into the frame FIFO as it comes. One that turns out to be RoCEv2 for us is rolled
//! back at its end.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: beat taken; cycle 6: roce of the frame whose last beat it was; cycle
//!                     7: beat in the FIFO; cycle 8: overflow after the last beat; cycle 9 after
//!                     the last beat: m_axis, 10 for a frame of one beat
//! # Latency and rate  9; one beat per cycle, no ready: what finds no room is dropped
//! # Reset             synchronous, high: empty
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::header::l2::FRAME_BYTES_MAX;
use crate::streams::Axis;
use crate::util::frame_fifo::FrameFifo;
use crate::{block, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Host side of the rx pipe: `2^AW` beats, `RW = W + KB + 1`, `CW = AW + 1`.
#[block(check(W == 8 * KB))]
pub struct RxHost<
    const W: usize,
    const KB: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
> {
    /// A raw beat is taken.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<W>>,
    /// Its valid bytes.
    pub s_keep: Signal<In, Bits<KB>>,
    /// Last beat of the frame.
    pub s_last: Signal<In, Bit>,
    /// On the last beat: the MAC says that the frame is bad.
    pub s_user: Signal<In, Bit>,
    /// The frame is RoCEv2 for us; looked at 6 cycles after its last beat.
    pub roce: Signal<In, Bit>,
    /// The frame that ended 8 cycles ago found no room.
    pub overflow: Signal<Out, Bit>,
    /// Frames for the host.
    pub m_axis: Axis<Out, W, KB>,
    fifo: FrameFifo<W, KB, RW, AW, CW>,
    index: Reg<Bits<11>>,
    valid: [Reg<Bit>; 7],
    data: [Unreset<Bits<W>>; 7],
    keep: [Unreset<Bits<KB>>; 7],
    last: [Unreset<Bit>; 7],
    bad: [Unreset<Bit>; 6],
    in_user: Unreset<Bit>,
    #[value((FRAME_BYTES_MAX / KB) as u64 - 1)]
    last_index: Constant<Bits<11>>,
}

impl<const W: usize, const KB: usize, const RW: usize, const AW: usize, const CW: usize> Logic
    for RxHost<W, KB, RW, AW, CW>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Which beat of the frame this is, to see one that is too long.");
        if self.s_valid.val() {
            if self.s_last.val() {
                self.index.next = 0.into();
            } else if self.index.val() != 2047 {
                self.index.next = self.index.val() + 1;
            }
        }
        comment!("Until it is known what the frame is.");
        self.valid[0].next = self.s_valid.val();
        self.data[0].next = self.s_data.val();
        self.keep[0].next = self.s_keep.val();
        self.last[0].next = self.s_last.val();
        self.bad[0].next = self.s_user.val() | (self.index.val() > self.last_index.val());
        for i in 0..6 {
            self.valid[i + 1].next = self.valid[i].val();
            self.data[i + 1].next = self.data[i].val();
            self.keep[i + 1].next = self.keep[i].val();
            self.last[i + 1].next = self.last[i].val();
        }
        for i in 0..5 {
            self.bad[i + 1].next = self.bad[i].val();
        }
        comment!("Beats for the FIFO.");
        self.in_user.next = self.bad[5].val() | self.roce.val();
        self.fifo.cfg_drop_when_full.next = true;
        self.fifo.s_open.next = false;
        self.fifo.s_axis.tvalid.next = self.valid[6].val();
        self.fifo.s_axis.tdata.next = self.data[6].val();
        self.fifo.s_axis.tkeep.next = self.keep[6].val();
        self.fifo.s_axis.tlast.next = self.last[6].val();
        self.fifo.s_axis.tuser.next = self.in_user.val();
        self.overflow.next = self.fifo.event_overflow.val();
        Wire::join(&mut self.fifo.m_axis, &mut self.m_axis);
    }
}
