//! Read engine: host memory to a stream over AXI4, from any byte address.
//!
//! # Source            AMBA AXI4: INCR bursts of one ID, all data in order
//! # Interface timing  cycle 0: s_cmd taken; cycle 2: its first burst on AR
//! # Latency and rate  one beat per cycle, one command every 2 + bursts cycles; up to eight
//!                     commands are asked for ahead of the data
//! # Shape             windows of 256 beats (2 KB at 64 bits): a burst never leaves its window, so
//!                     never crosses 4 KB; 4096 bytes take at most 3 bursts at 64 bits.
//!                     A command of 0 bytes gives no frame
//! # Reset             synchronous, high: idle
//! # Twins             sim/models/src/golden/host/dma/read.rs, tests/host/dma_read.rs

use crate::host::dma::{bursts::DmaBursts, read_align::DmaReadAlign};
use crate::streams::{AxiRead, AxisUser, ReadCommand};
use crate::{block, Wire};
use rust_hdl_core::prelude::*;

/// Read engine of `W` data bits; `W2 = 2 W`, `KB = W / 8`.
#[block]
pub struct DmaRead<const W: usize, const W2: usize, const KB: usize> {
    /// A command is offered.
    pub s_cmd: ReadCommand<In>,
    /// Byte address of the burst.
    pub m_axi: AxiRead<Out, W>,
    /// Data, byte 0 in bits 7.
    pub m_axis: AxisUser<Out, W, KB>,
    cutter: DmaBursts<KB>,
    aligner: DmaReadAlign<W, W2, KB>,
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

impl<const W: usize, const W2: usize, const KB: usize> Logic for DmaRead<W, W2, KB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Commands go to the cutter, which is the AR channel.");
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
        comment!("An empty command ends here.");
        self.has_bytes.next = self.cutter.m_d_bursts.val() != self.no_bursts.val();
        self.cutter.m_d_ready.next = self.aligner.s_d.ready.val();
        self.aligner.s_d.valid.next = self.cutter.m_d_valid.val() & self.has_bytes.val();
        self.aligner.s_d.data.next.index = self.cutter.m_d_first.val();
        self.aligner.s_d.data.next.last_index = self.cutter.m_d_last.val();
        self.aligner.s_d.data.next.offset = self.cutter.m_d_offset.val();
        self.aligner.s_d.data.next.end_lane = self.cutter.m_d_stream_end.val();
        self.aligner.s_d.data.next.extra = self.cutter.m_d_extra.val();
        self.aligner.m_axi_rdata.next = self.m_axi.rdata.val();
        self.aligner.m_axi_rresp.next = self.m_axi.rresp.val();
        self.aligner.m_axi_rvalid.next = self.m_axi.rvalid.val();
        self.m_axi.rready.next = self.aligner.m_axi_rready.val();
        Wire::join(&mut self.aligner.m_axis, &mut self.m_axis);
    }
}
