//! Events for engines that take work and bytes in flight every other cycle: those of two cycles are
//! delivered in the two cycles after.
//!
//! In the first of these the engines take work, in the second bytes in flight; the first cycle's command is
//! delivered in the first, the second's in the second. So events of one flow that are taken in different
//! cycles keep their order, but for bytes in flight of the first cycle and work of the second. There, and
//! where an engine would get two of a kind, the first cycle's events go alone, the second's two cycles
//! later, and nothing is taken meanwhile.
//!
//! # Interface timing  s_is_first and s_is_second in turn. Events taken while s_is_first: m_* 2 cycles
//!                     later; while s_is_second: one, or three when m_is_held comes
//! # Latency and rate  1 to 3 cycles; one event of each stream per cycle, or 2 in 4 cycles
//! # Shape             flows of TB bits; bits 2:0 are the engine
//! # Reset             synchronous, high: empty
//! # Twins             `take`, `conflicts` of sim/models/src/golden/sched/wide/scheduler_wide.rs

use crate::sched::wide::event_pair::EventPair;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Events of two cycles.
#[block]
pub struct EventPairs<const TB: usize> {
    /// The engines take work in this cycle, and commands of the first cycle's events.
    pub s_is_first: Signal<In, Bit>,
    /// They take bytes in flight, and commands of the second cycle's events.
    pub s_is_second: Signal<In, Bit>,
    /// A flow's work is taken.
    pub s_work_valid: Signal<In, Bit>,
    /// The flow.
    pub s_work_flow: Signal<In, Bits<TB>>,
    /// Frame bytes of its next packet.
    pub s_work_len_bytes: Signal<In, Bits<14>>,
    /// Its bytes in flight.
    pub s_work_inflight_bytes: Signal<In, Bits<32>>,
    /// A flow's bytes in flight are taken.
    pub s_inflight_valid: Signal<In, Bit>,
    /// The flow.
    pub s_inflight_flow: Signal<In, Bits<TB>>,
    /// Its bytes in flight.
    pub s_inflight_inflight_bytes: Signal<In, Bits<32>>,
    /// A flow command is taken.
    pub s_rate_valid: Signal<In, Bit>,
    /// The flow.
    pub s_rate_flow: Signal<In, Bits<TB>>,
    /// 0 update, 1 create, 2 remove.
    pub s_rate_op: Signal<In, Bits<2>>,
    /// Window, bytes.
    pub s_rate_window_bytes: Signal<In, Bits<32>>,
    /// Rate, UQ8.24 bytes a cycle.
    pub s_rate_rate: Signal<In, Bits<32>>,
    /// The second cycle's events wait; nothing may be taken.
    pub m_is_held: Signal<Out, Bit>,
    /// The first cycle's event is there.
    pub m_first_work_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_first_work_flow: Signal<Out, Bits<TB>>,
    /// Frame bytes of its next packet.
    pub m_first_work_len_bytes: Signal<Out, Bits<14>>,
    /// Its bytes in flight.
    pub m_first_work_inflight_bytes: Signal<Out, Bits<32>>,
    /// The first cycle's event is there.
    pub m_first_inflight_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_first_inflight_flow: Signal<Out, Bits<TB>>,
    /// Its bytes in flight.
    pub m_first_inflight_inflight_bytes: Signal<Out, Bits<32>>,
    /// The first cycle's event is there.
    pub m_first_rate_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_first_rate_flow: Signal<Out, Bits<TB>>,
    /// 0 update, 1 create, 2 remove.
    pub m_first_rate_op: Signal<Out, Bits<2>>,
    /// Window, bytes.
    pub m_first_rate_window_bytes: Signal<Out, Bits<32>>,
    /// Rate, UQ8.24 bytes a cycle.
    pub m_first_rate_rate: Signal<Out, Bits<32>>,
    /// The second cycle's event is there.
    pub m_second_work_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_second_work_flow: Signal<Out, Bits<TB>>,
    /// Frame bytes of its next packet.
    pub m_second_work_len_bytes: Signal<Out, Bits<14>>,
    /// Its bytes in flight.
    pub m_second_work_inflight_bytes: Signal<Out, Bits<32>>,
    /// The second cycle's event is there.
    pub m_second_inflight_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_second_inflight_flow: Signal<Out, Bits<TB>>,
    /// Its bytes in flight.
    pub m_second_inflight_inflight_bytes: Signal<Out, Bits<32>>,
    /// The second cycle's event is there.
    pub m_second_rate_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_second_rate_flow: Signal<Out, Bits<TB>>,
    /// 0 update, 1 create, 2 remove.
    pub m_second_rate_op: Signal<Out, Bits<2>>,
    /// Window, bytes.
    pub m_second_rate_window_bytes: Signal<Out, Bits<32>>,
    /// Rate, UQ8.24 bytes a cycle.
    pub m_second_rate_rate: Signal<Out, Bits<32>>,
    held: Reg<Bit>,
    work: EventPair<62>,
    inflight: EventPair<48>,
    rate: EventPair<82>,
    earlier_work_flow: Signal<Local, Bits<TB>>,
    earlier_inflight_flow: Signal<Local, Bits<TB>>,
    is_same_work: Signal<Local, Bit>,
    is_same_inflight: Signal<Local, Bit>,
    is_turned: Signal<Local, Bit>,
}

impl<const TB: usize> Logic for EventPairs<TB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_is_held.next = self.held.val();
        self.work.s_is_first.next = self.s_is_first.val();
        self.work.s_is_second.next = self.s_is_second.val();
        self.work.s_is_held.next = self.held.val();
        self.work.s_valid.next = self.s_work_valid.val();
        self.work.s_data.next = bit_cast::<62, TB>(self.s_work_flow.val())
            | (bit_cast::<62, 14>(self.s_work_len_bytes.val()) << 16)
            | (bit_cast::<62, 32>(self.s_work_inflight_bytes.val()) << 30);
        self.inflight.s_is_first.next = self.s_is_first.val();
        self.inflight.s_is_second.next = self.s_is_second.val();
        self.inflight.s_is_held.next = self.held.val();
        self.inflight.s_valid.next = self.s_inflight_valid.val();
        self.inflight.s_data.next = bit_cast::<48, TB>(self.s_inflight_flow.val())
            | (bit_cast::<48, 32>(self.s_inflight_inflight_bytes.val()) << 16);
        self.rate.s_is_first.next = self.s_is_first.val();
        self.rate.s_is_second.next = self.s_is_second.val();
        self.rate.s_is_held.next = self.held.val();
        self.rate.s_valid.next = self.s_rate_valid.val();
        self.rate.s_data.next = bit_cast::<82, TB>(self.s_rate_flow.val())
            | (bit_cast::<82, 2>(self.s_rate_op.val()) << 16)
            | (bit_cast::<82, 32>(self.s_rate_window_bytes.val()) << 18)
            | (bit_cast::<82, 32>(self.s_rate_rate.val()) << 50);
        self.m_first_work_valid.next = self.work.m_first_valid.val();
        self.m_first_work_flow.next = self.work.m_first_data.val().get_bits::<TB>(0);
        self.m_first_work_len_bytes.next = self.work.m_first_data.val().get_bits::<14>(16);
        self.m_first_work_inflight_bytes.next = self.work.m_first_data.val().get_bits::<32>(30);
        self.m_first_inflight_valid.next = self.inflight.m_first_valid.val();
        self.m_first_inflight_flow.next = self.inflight.m_first_data.val().get_bits::<TB>(0);
        self.m_first_inflight_inflight_bytes.next =
            self.inflight.m_first_data.val().get_bits::<32>(16);
        self.m_first_rate_valid.next = self.rate.m_first_valid.val();
        self.m_first_rate_flow.next = self.rate.m_first_data.val().get_bits::<TB>(0);
        self.m_first_rate_op.next = self.rate.m_first_data.val().get_bits::<2>(16);
        self.m_first_rate_window_bytes.next = self.rate.m_first_data.val().get_bits::<32>(18);
        self.m_first_rate_rate.next = self.rate.m_first_data.val().get_bits::<32>(50);
        self.m_second_work_valid.next = self.work.m_second_valid.val() & !self.held.val();
        self.m_second_work_flow.next = self.work.m_second_data.val().get_bits::<TB>(0);
        self.m_second_work_len_bytes.next = self.work.m_second_data.val().get_bits::<14>(16);
        self.m_second_work_inflight_bytes.next = self.work.m_second_data.val().get_bits::<32>(30);
        self.m_second_inflight_valid.next = self.inflight.m_second_valid.val() & !self.held.val();
        self.m_second_inflight_flow.next = self.inflight.m_second_data.val().get_bits::<TB>(0);
        self.m_second_inflight_inflight_bytes.next =
            self.inflight.m_second_data.val().get_bits::<32>(16);
        self.m_second_rate_valid.next = self.rate.m_second_valid.val() & !self.held.val();
        self.m_second_rate_flow.next = self.rate.m_second_data.val().get_bits::<TB>(0);
        self.m_second_rate_op.next = self.rate.m_second_data.val().get_bits::<2>(16);
        self.m_second_rate_window_bytes.next = self.rate.m_second_data.val().get_bits::<32>(18);
        self.m_second_rate_rate.next = self.rate.m_second_data.val().get_bits::<32>(50);
        comment!("Two of a kind for an engine, or a flow's work behind its bytes in flight.");
        self.earlier_work_flow.next = self.work.m_earlier_data.val().get_bits::<TB>(0);
        self.earlier_inflight_flow.next = self.inflight.m_earlier_data.val().get_bits::<TB>(0);
        self.is_same_work.next = self.work.m_earlier_valid.val()
            & self.s_work_valid.val()
            & (self.earlier_work_flow.val().get_bits::<3>(0)
                == self.s_work_flow.val().get_bits::<3>(0));
        self.is_same_inflight.next = self.inflight.m_earlier_valid.val()
            & self.s_inflight_valid.val()
            & (self.earlier_inflight_flow.val().get_bits::<3>(0)
                == self.s_inflight_flow.val().get_bits::<3>(0));
        self.is_turned.next = self.inflight.m_earlier_valid.val()
            & self.s_work_valid.val()
            & (self.earlier_inflight_flow.val() == self.s_work_flow.val());
        if self.s_is_second.val() {
            self.held.next = !self.held.val()
                & (self.is_same_work.val() | self.is_same_inflight.val() | self.is_turned.val());
        }
    }
}
