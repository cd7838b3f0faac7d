//! Work of both halves of the NIC for the scheduler: data flows of the requester, and flows of READ
//! responses, which get the top bit.
//!
//! # Interface timing  that of `stream_mux`
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every other cycle
//! # Reset             synchronous, high: empty
//! # Twins             sim/models/src/golden/transport/work_mux.rs, tests/transport/work_mux.rs

use crate::block;
use crate::streams::Work;
use crate::util::stream_mux::{self, StreamMux};
use rust_hdl_core::prelude::*;

/// Cycles from an item at a sink to the item at the source.
pub const LATENCY_CYCLES: usize = stream_mux::LATENCY_CYCLES;

/// Mux of work; `FP1 = FB + 1`, `B = FB + 53`.
#[block(check(FP1 == FB + 1 && B == FB + 53))]
pub struct WorkMux<const FB: usize, const FP1: usize, const B: usize> {
    /// The requester has work.
    pub s_data: Work<In, FB>,
    /// `read_reply` has work.
    pub s_reply: Work<In, FB>,
    /// Work stands.
    pub m_work: Work<Out, FP1>,
    mux: StreamMux<B>,
    reply_bit: Signal<Local, Bits<FP1>>,
    #[init(Constant::new(32u64.to_bits()))]
    length_at: Constant<Bits<16>>,
    #[init(Constant::new(46u64.to_bits()))]
    count_at: Constant<Bits<16>>,
    #[init(Constant::new(53u64.to_bits()))]
    flow_at: Constant<Bits<16>>,
    #[init(Constant::new(0u64.to_bits()))]
    none: Constant<Bits<FP1>>,
    #[init(Constant::new((1u64 << FB).to_bits()))]
    top: Constant<Bits<FP1>>,
}

impl<const FB: usize, const FP1: usize, const B: usize> Logic for WorkMux<FB, FP1, B> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("an item: flow, frames, length, bytes in flight from high to low");
        self.mux.s_a.valid.next = self.s_data.valid.val();
        self.s_data.ready.next = self.mux.s_a.ready.val();
        self.mux.s_a.data.next = bit_cast::<B, 32>(self.s_data.inflight_bytes.val())
            | (bit_cast::<B, 14>(self.s_data.len_bytes.val()) << self.length_at.val())
            | (bit_cast::<B, 7>(self.s_data.frame_count.val()) << self.count_at.val())
            | (bit_cast::<B, FB>(self.s_data.flow.val()) << self.flow_at.val());
        self.mux.s_b.valid.next = self.s_reply.valid.val();
        self.s_reply.ready.next = self.mux.s_b.ready.val();
        self.mux.s_b.data.next = bit_cast::<B, 32>(self.s_reply.inflight_bytes.val())
            | (bit_cast::<B, 14>(self.s_reply.len_bytes.val()) << self.length_at.val())
            | (bit_cast::<B, 7>(self.s_reply.frame_count.val()) << self.count_at.val())
            | (bit_cast::<B, FB>(self.s_reply.flow.val()) << self.flow_at.val());
        self.m_work.valid.next = self.mux.m_valid.val();
        self.mux.m_ready.next = self.m_work.ready.val();
        self.m_work.inflight_bytes.next = self.mux.m_data.val().get_bits::<32>(0);
        self.m_work.len_bytes.next =
            self.mux.m_data.val().get_bits::<14>(self.length_at.val().index());
        self.m_work.frame_count.next =
            self.mux.m_data.val().get_bits::<7>(self.count_at.val().index());
        self.reply_bit.next = self.none.val();
        if self.mux.m_is_b.val() {
            self.reply_bit.next = self.top.val();
        }
        self.m_work.flow.next = self.reply_bit.val()
            | bit_cast::<FP1, FB>(self.mux.m_data.val().get_bits::<FB>(self.flow_at.val().index()));
    }
}
