//! Write engine: stream payload to host memory over AXI4, at any byte address.
//!
//! # Source            AMBA AXI4: INCR bursts of one ID, all responses in order
//! # Interface timing  cycle 0: s_cmd taken; cycle 2: its first burst on AW. W beats may go ahead
//!                     of AW. m_done when every burst of the command has its response, in order
//! # Latency and rate  one beat per cycle, one command every 2 cycles, or as many as it has
//!                     bursts; `2^D` commands may wait for their responses
//! # Shape             windows of 256 beats (2 KB at 64 bits): a burst never leaves its window, so
//!                     never crosses 4 KB; 4096 bytes take at most 3 bursts at 64 bits. Above 64
//!                     bits a command has few beats, and comes later than its data: B = 1 FIFO of
//!                     four beats waits for it, 2 cycles more
//! # Reset             synchronous, high: idle
//! # Twins             sim/models/src/golden/host/dma/write.rs, tests/host/dma_write.rs

use crate::host::dma::{bursts::DmaBursts, write_align::DmaWriteAlign, write_done::DmaWriteDone};
use crate::streams::{AxiWrite, AxisEvent, WriteCommand, WriteDone};
use crate::util::fifo::Fifo;
use crate::{block, kernel, Wire};
use nic_spec::config::dma_waiting;
use rust_hdl_core::prelude::*;

/// Write engine of `W` data bits with tags of `T` bits; `W2 = 2 W`, `KB = W / 8`, `D1 = D + 1`.
#[block(check(B == dma_waiting(W)))]
pub struct DmaWrite<
    const W: usize,
    const W2: usize,
    const KB: usize,
    const T: usize,
    const D: usize,
    const D1: usize,
    const B: usize,
> {
    /// A command is offered.
    pub s_cmd: WriteCommand<In, T>,
    /// Payload, byte 0 in bits 7.
    pub s_axis: AxisEvent<In, Bits<W>>,
    /// Byte address of the burst.
    pub m_axi: AxiWrite<Out, W, KB>,
    /// A command's bytes have landed.
    pub m_done: WriteDone<Out, T>,
    waiting: [Fifo<Bits<W>, 2, 3>; B],
    cutter: DmaBursts<KB>,
    aligner: DmaWriteAlign<W, W2, KB, D, D1>,
    collector: DmaWriteDone<T, D, D1>,
    has_bytes: Signal<Local, Bit>,
    #[value(0)]
    no_bursts: Constant<Bits<5>>,
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
        const W2: usize,
        const KB: usize,
        const T: usize,
        const D: usize,
        const D1: usize,
        const B: usize,
    > DmaWrite<W, W2, KB, T, D, D1, B>
{
    fn update(&mut self) {
        comment!(
            "Commands go to the cutter, which is the AW channel, their tags to the collector."
        );
        self.cutter.s.valid.next = self.s_cmd.valid.val() & self.collector.s_tag.ready.val();
        self.cutter.s.addr.next = self.s_cmd.addr.val();
        self.cutter.s.bytes.next = self.s_cmd.bytes.val();
        self.s_cmd.ready.next = self.cutter.s.ready.val() & self.collector.s_tag.ready.val();
        self.collector.s_tag.valid.next = self.s_cmd.valid.val() & self.cutter.s.ready.val();
        self.collector.s_tag.data.next = self.s_cmd.tag.val();
        self.cutter.open.next = true;
        self.m_axi.awaddr.next = self.cutter.m_a_addr.val();
        self.m_axi.awlen.next = self.cutter.m_a_len.val();
        self.m_axi.awsize.next = self.size.val();
        self.m_axi.awburst.next = self.incr.val();
        self.m_axi.awcache.next = self.bufferable.val();
        self.m_axi.awid.next = false;
        self.m_axi.awlock.next = false;
        self.m_axi.awprot.next = 0.into();
        self.m_axi.awqos.next = 0.into();
        self.m_axi.awvalid.next = self.cutter.m_a_valid.val();
        self.cutter.m_a_ready.next = self.m_axi.awready.val();
        comment!("A description goes to the aligner, its bursts to the collector, which has room:");
        comment!("its tag has.");
        self.has_bytes.next = self.cutter.m_d_bursts.val() != self.no_bursts.val();
        self.cutter.m_d_ready.next = self.aligner.s_d.ready.val();
        self.aligner.s_d.valid.next = self.cutter.m_d_valid.val() & self.has_bytes.val();
        self.aligner.s_d.data.next.index = self.cutter.m_d_first.val();
        self.aligner.s_d.data.next.last_index = self.cutter.m_d_last.val();
        self.aligner.s_d.data.next.offset = self.cutter.m_d_offset.val();
        self.aligner.s_d.data.next.end_lane = self.cutter.m_d_bus_end.val();
        self.aligner.s_d.data.next.extra = self.cutter.m_d_extra.val();
        self.collector.s_bursts.valid.next =
            self.cutter.m_d_valid.val() & self.aligner.s_d.ready.val();
        self.collector.s_bursts.data.next = self.cutter.m_d_bursts.val();
        self.aligner.s_axis.tvalid.next = self.s_axis.tvalid.val();
        self.aligner.s_axis.tdata.next = self.s_axis.tdata.val();
        self.s_axis.tready.next = self.aligner.s_axis.tready.val();
        for i in 0..B {
            self.waiting[i].s.valid.next = self.s_axis.tvalid.val();
            self.waiting[i].s.data.next = self.s_axis.tdata.val();
            self.s_axis.tready.next = self.waiting[i].s.ready.val();
            self.aligner.s_axis.tvalid.next = self.waiting[i].m.valid.val();
            self.aligner.s_axis.tdata.next = self.waiting[i].m.data.val();
            self.waiting[i].m.ready.next = self.aligner.s_axis.tready.val();
        }
        self.m_axi.wdata.next = self.aligner.m_axi_wdata.val();
        self.m_axi.wstrb.next = self.aligner.m_axi_wstrb.val();
        self.m_axi.wlast.next = self.aligner.m_axi_wlast.val();
        self.m_axi.wvalid.next = self.aligner.m_axi_wvalid.val();
        self.aligner.m_axi_wready.next = self.m_axi.wready.val();
        self.collector.m_axi_bresp.next = self.m_axi.bresp.val();
        self.collector.m_axi_bvalid.next = self.m_axi.bvalid.val();
        self.m_axi.bready.next = self.collector.m_axi_bready.val();
        Wire::join(&mut self.collector.m_done, &mut self.m_done);
    }
}
