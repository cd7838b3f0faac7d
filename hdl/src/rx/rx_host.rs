//! Frames for the host's own stack.
//!
//! Every frame goes into the frame FIFO as it comes. If by its seventh beat (or its last one, if that
//! comes before) it turns out to be RoCEv2 for us, it is ended there and rolled back.
//!
//! # Source            ARCHITECTURE.md, rx pipe
//! # Interface timing  cycle 0: beat taken; cycle 5: beat in the FIFO; cycle 6: overflow after the
//!                     last beat; cycle 7 after the last beat: m_axis, 8 for a frame of one beat
//! # Latency and rate  7; one beat per cycle, no ready: what finds no room is dropped
//! # Reset             synchronous, high: empty
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::util::frame_fifo::FrameFifo;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Host side of the 64-bit rx pipe.
#[derive(LogicBlock, Default)]
pub struct RxHost {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    pub m_axis_tdata: Signal<Out, Bits<64>>,
    /// Valid bytes.
    pub m_axis_tkeep: Signal<Out, Bits<8>>,
    /// A beat stands here.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axis_tready: Signal<In, Bit>,
    /// Last beat of the frame.
    pub m_axis_tlast: Signal<Out, Bit>,
    fifo: FrameFifo<64, 8, 73, 11, 12>,
    index: DFF<Bits<11>>,
    valid_1: DFF<Bit>,
    data_1: DFF<Bits<64>>,
    keep_1: DFF<Bits<8>>,
    last_1: DFF<Bit>,
    bad_1: DFF<Bit>,
    decide_1: DFF<Bit>,
    valid_2: DFF<Bit>,
    data_2: DFF<Bits<64>>,
    keep_2: DFF<Bits<8>>,
    last_2: DFF<Bit>,
    bad_2: DFF<Bit>,
    decide_2: DFF<Bit>,
    valid_3: DFF<Bit>,
    data_3: DFF<Bits<64>>,
    keep_3: DFF<Bits<8>>,
    last_3: DFF<Bit>,
    bad_3: DFF<Bit>,
    decide_3: DFF<Bit>,
    valid_4: DFF<Bit>,
    data_4: DFF<Bits<64>>,
    keep_4: DFF<Bits<8>>,
    last_4: DFF<Bit>,
    bad_4: DFF<Bit>,
    decide_4: DFF<Bit>,
    ended: DFF<Bit>,
    in_valid: DFF<Bit>,
    in_data: DFF<Bits<64>>,
    in_keep: DFF<Bits<8>>,
    in_last: DFF<Bit>,
    in_user: DFF<Bit>,
    cut: Signal<Local, Bit>,
}

impl Logic for RxHost {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, index, valid_1, data_1, keep_1, last_1, bad_1, decide_1, valid_2, data_2,
            keep_2, last_2, bad_2, decide_2, valid_3, data_3, keep_3, last_3, bad_3, decide_3,
            valid_4, data_4, keep_4, last_4, bad_4, decide_4, ended, in_valid, in_data, in_keep,
            in_last, in_user
        );
        comment!(
            "Which beat of the frame this is; the seventh one decides, the 1153rd is too much."
        );
        if self.s_valid.val() {
            if self.s_last.val() {
                self.index.d.next = 0.into();
            } else if self.index.q.val() != 2047 {
                self.index.d.next = self.index.q.val() + 1;
            }
        }
        comment!("Until it is known what the frame is.");
        self.valid_1.d.next = self.s_valid.val();
        self.data_1.d.next = self.s_data.val();
        self.keep_1.d.next = self.s_keep.val();
        self.last_1.d.next = self.s_last.val();
        self.bad_1.d.next = self.s_user.val() | (self.index.q.val() > 1151);
        self.decide_1.d.next = self.index.q.val() == 6;
        self.valid_2.d.next = self.valid_1.q.val();
        self.data_2.d.next = self.data_1.q.val();
        self.keep_2.d.next = self.keep_1.q.val();
        self.last_2.d.next = self.last_1.q.val();
        self.bad_2.d.next = self.bad_1.q.val();
        self.decide_2.d.next = self.decide_1.q.val();
        self.valid_3.d.next = self.valid_2.q.val();
        self.data_3.d.next = self.data_2.q.val();
        self.keep_3.d.next = self.keep_2.q.val();
        self.last_3.d.next = self.last_2.q.val();
        self.bad_3.d.next = self.bad_2.q.val();
        self.decide_3.d.next = self.decide_2.q.val();
        self.valid_4.d.next = self.valid_3.q.val();
        self.data_4.d.next = self.data_3.q.val();
        self.keep_4.d.next = self.keep_3.q.val();
        self.last_4.d.next = self.last_3.q.val();
        self.bad_4.d.next = self.bad_3.q.val();
        self.decide_4.d.next = self.decide_3.q.val();
        comment!("Beats for the FIFO; RoCEv2 frames end at the beat that decides.");
        self.cut.next = self.decide_4.q.val() & self.roce.val();
        self.in_valid.d.next = self.valid_4.q.val() & !self.ended.q.val();
        self.in_data.d.next = self.data_4.q.val();
        self.in_keep.d.next = self.keep_4.q.val();
        self.in_last.d.next = self.last_4.q.val() | self.cut.val();
        self.in_user.d.next = self.bad_4.q.val() | self.roce.val();
        if self.valid_4.q.val() {
            self.ended.d.next = !self.last_4.q.val() & (self.ended.q.val() | self.cut.val());
        }
        self.fifo.clock.next = self.clock.val();
        self.fifo.reset.next = self.reset.val();
        self.fifo.cfg_drop_when_full.next = true;
        self.fifo.s_open.next = false;
        self.fifo.s_axis_tvalid.next = self.in_valid.q.val();
        self.fifo.s_axis_tdata.next = self.in_data.q.val();
        self.fifo.s_axis_tkeep.next = self.in_keep.q.val();
        self.fifo.s_axis_tlast.next = self.in_last.q.val();
        self.fifo.s_axis_tuser.next = self.in_user.q.val();
        self.overflow.next = self.fifo.event_overflow.val();
        self.m_axis_tdata.next = self.fifo.m_axis_tdata.val();
        self.m_axis_tkeep.next = self.fifo.m_axis_tkeep.val();
        self.m_axis_tvalid.next = self.fifo.m_axis_tvalid.val();
        self.m_axis_tlast.next = self.fifo.m_axis_tlast.val();
        self.fifo.m_axis_tready.next = self.m_axis_tready.val();
        if self.reset.val() {
            self.index.d.next = 0.into();
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
            self.valid_4.d.next = false;
            self.ended.d.next = false;
            self.in_valid.d.next = false;
        }
    }
}
