//! Read engine: host memory to a stream over AXI4, from any byte address.
//!
//! # Source            AMBA AXI4: INCR bursts of one ID, all data in order
//! # Interface timing  cycle 0: s_cmd taken; cycle 2: its first burst on AR
//! # Latency and rate  one beat per cycle; one command every 2 cycles, or as many as twice its
//!                     bursts if they are several
//! # Reads             `2^D` commands and cfg_reads_max bursts are asked for ahead of the data
//! # Landing           L = 1: a burst is asked for once the landing buffer has room for it, so
//!                     rready never goes low. L = 0: memory waits while the stream stalls
//! # Shape             windows of 256 beats or 4 KB: a burst never leaves its window. A command of 0
//!                     bytes gives no frame. cfg_reads_max may change at any time; 0 counts as 1
//! # Reset             synchronous, high: idle
//! # Twins             sim/models/src/golden/host/dma/read.rs, tests/host/dma_read.rs

use crate::host::dma::{bursts::DmaBursts, landing::DmaLanding, read_align::DmaReadAlign};
use crate::streams::{AxiRead, AxisUser, ReadCommand};
use crate::{block, kernel, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Read engine of `W` data bits; `W1 = W + 1`, `W2 = 2 W`, `KB = W / 8`, `D1 = D + 1`.
#[block(check(L <= 1))]
pub struct DmaRead<
    const W: usize,
    const W1: usize,
    const W2: usize,
    const KB: usize,
    const D: usize,
    const D1: usize,
    const L: usize,
> {
    /// Bursts without all their data at most.
    pub cfg_reads_max: Signal<In, Bits<8>>,
    /// A command is offered.
    pub s_cmd: ReadCommand<In>,
    /// Byte address of the burst.
    pub m_axi: AxiRead<Out, W>,
    /// Data, byte 0 in bits 7.
    pub m_axis: AxisUser<Out, W, KB>,
    cutter: DmaBursts<KB>,
    landing: [DmaLanding<W, W1>; L],
    aligner: DmaReadAlign<W, W1, W2, KB, D, D1>,
    reads: Reg<Bits<8>>,
    is_full: Reg<Bit>,
    is_open: Signal<Local, Bit>,
    reads_now: Signal<Local, Bits<8>>,
    has_bytes: Signal<Local, Bit>,
    error_bit: Signal<Local, Bits<W1>>,
    beat: Signal<Local, Bits<W1>>,
    #[value(0)]
    no_bursts: Constant<Bits<5>>,
    #[value(num_bigint::BigUint::from(1_u32) << W)]
    error_place: Constant<Bits<W1>>,
    #[value(u64::from(KB.trailing_zeros()))]
    size: Constant<Bits<3>>,
    #[value(1)]
    incr: Constant<Bits<2>>,
    #[value(3)]
    bufferable: Constant<Bits<4>>,
}

#[kernel]
impl<
        const W: usize,
        const W1: usize,
        const W2: usize,
        const KB: usize,
        const D: usize,
        const D1: usize,
        const L: usize,
    > DmaRead<W, W1, W2, KB, D, D1, L>
{
    fn update(&mut self) {
        self.ask();
        self.describe();
        self.answer();
    }

    /// Commands go to the cutter, which is the AR channel.
    fn ask(&mut self) {
        Wire::join(&mut self.s_cmd, &mut self.cutter.s);
        self.m_axi.araddr.next = self.cutter.m_a_addr.val();
        self.m_axi.arlen.next = self.cutter.m_a_len.val();
        self.m_axi.arsize.next = self.size.val();
        self.m_axi.arburst.next = self.incr.val();
        self.m_axi.arcache.next = self.bufferable.val();
        self.m_axi.arid.next = false;
        self.m_axi.arlock.next = false;
        self.m_axi.arprot.next = 0.into();
        self.m_axi.arqos.next = 0.into();
        self.m_axi.arvalid.next = self.cutter.m_a_valid.val();
        self.cutter.m_a_ready.next = self.m_axi.arready.val();
        comment!("One more burst is asked for, unless the last one is not yet counted.");
        self.is_open.next = !self.cutter.started.val() & !self.is_full.val();
        self.cutter.open.next = self.is_open.val();
        for i in 0..L {
            self.cutter.open.next = self.is_open.val() & self.landing[i].has_room.val();
            self.landing[i].started.next = self.cutter.started.val();
            self.landing[i].len.next = self.cutter.m_a_len.val();
        }
        self.reads_now.next = self.reads.val();
        if self.cutter.started.val() & !self.aligner.ended.val() {
            self.reads_now.next = self.reads.val() + 1;
        } else if self.aligner.ended.val() & !self.cutter.started.val() {
            self.reads_now.next = self.reads.val() - 1;
        }
        self.reads.next = self.reads_now.val();
        self.is_full.next =
            self.reads_now.val().any() & (self.reads_now.val() >= self.cfg_reads_max.val());
    }

    /// What the aligner must know of a command; an empty one ends here.
    fn describe(&mut self) {
        self.has_bytes.next = self.cutter.m_d_bursts.val() != self.no_bursts.val();
        self.cutter.m_d_ready.next = self.aligner.s_d.ready.val();
        self.aligner.s_d.valid.next = self.cutter.m_d_valid.val() & self.has_bytes.val();
        self.aligner.s_d.data.next.index = self.cutter.m_d_first.val();
        self.aligner.s_d.data.next.last_index = self.cutter.m_d_last.val();
        self.aligner.s_d.data.next.offset = self.cutter.m_d_offset.val();
        self.aligner.s_d.data.next.end_lane = self.cutter.m_d_stream_end.val();
        self.aligner.s_d.data.next.extra = self.cutter.m_d_extra.val();
    }

    /// The R channel, by way of the landing buffer if there is one: error, data from high to low.
    fn answer(&mut self) {
        self.error_bit.next = 0.into();
        if self.m_axi.rresp.val().get_bit(1) {
            self.error_bit.next = self.error_place.val();
        }
        self.beat.next = bit_cast::<W1, W>(self.m_axi.rdata.val()) | self.error_bit.val();
        self.aligner.s.valid.next = self.m_axi.rvalid.val();
        self.aligner.s.data.next = self.beat.val();
        self.m_axi.rready.next = self.aligner.s.ready.val();
        for i in 0..L {
            self.landing[i].s.valid.next = self.m_axi.rvalid.val();
            self.landing[i].s.data.next = self.beat.val();
            self.m_axi.rready.next = self.landing[i].s.ready.val();
            self.aligner.s.valid.next = self.landing[i].m.valid.val();
            self.aligner.s.data.next = self.landing[i].m.data.val();
            self.landing[i].m.ready.next = self.aligner.s.ready.val();
        }
        Wire::join(&mut self.aligner.m_axis, &mut self.m_axis);
    }
}
