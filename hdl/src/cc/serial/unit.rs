//! HPCC++ congestion control for small FPGAs: one hop after the other, one bit of a product a cycle.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 sections 4.2 and 6.2, sender-based
//! # Interface timing  one event at a time; counted t from the cycle that sees it offered (later ones wait):
//!                     t = 1    cc_program carries it out; the parts are
//!                     decide                                   39, 8 more without an update
//!                     store the record of a hop                 6
//!                     check and measure a hop                 211
//!                     U, W before the clamps                  241; W_ai is that of 102 before the end
//!                     clamps, R, state, result                 98
//!                     An event is taken when it is done, in the cycle that shows its result; until then
//!                     it must stay as it is, as a stream's items do
//! # Latency and rate  [`latency_cycles`] from an offered ACK to its m_rate; then the next one starts
//! # Number formats    those of cc_unit.rs
//! # Definitions       those of cc_unit.rs: the same ACKs of a flow have the same results
//! # Parameters        nic_spec::cc_params derives the `cfg_*` values; they are quasi-static
//! # Shape             F = 2^FB flows, AW = FB + 5: 32 words a flow in block RAM
//! # Reset             synchronous, high; then F cycles of clearing in which nothing starts
//! # Twins             sim/models/src/golden/cc/serial/unit.rs, sim/models/src/reference/hpcc.rs,
//!                     tests/cc/cc_unit_serial.rs

use crate::cc::serial::{
    control::CcSerialControl, event::CcSerialEvent, math::CcSerialMath, params::CcSerialParams,
    program, result::CcSerialResult, words::CcSerialWords,
};
use crate::events::CcEvents;
use crate::streams::{AckTelemetry, CcConfig, Decision, FlowCommand};
use crate::util::ram::Ram;
use crate::{block, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the first one of an ACK without usable records to its `m_rate`, and of one whose records
/// are only stored, [`STORE_CYCLES`] more for each.
pub const HOLD_CYCLES: usize = 145;
/// Cycles to store a record.
pub const STORE_CYCLES: usize = 6;
/// Cycles from the first one of an ACK that has no result to the one that takes it; with bad records
/// [`latency_cycles`] less 356.
pub const DROP_CYCLES: usize = 42;
/// Cycles from the first one of a flow command to its `m_rate`.
pub const COMMAND_CYCLES: usize = 106;

/// Cycles from the first one of an ACK with so many hops, all of them compared with stored records, to
/// its `m_rate`, if the result before is gone by then. It is taken in the same cycle; the next event may
/// begin in the cycle behind that.
pub const fn latency_cycles(hops: usize) -> usize {
    397 + 211 * hops
}

/// HPCC++ for `2^FB` flows; `AW = FB + 5`.
#[block(check(AW == FB + 5))]
pub struct CcUnitSerial<const FB: usize, const AW: usize> {
    /// T in ns.
    pub cfg: CcConfig<In>,
    /// An ACK is offered.
    pub s_ack: AckTelemetry<In, FB>,
    /// A flow command is offered.
    pub s_flow: FlowCommand<In, FB>,
    /// A result is offered.
    pub m_rate: Decision<Out, FB>,
    /// Telemetry ignored: its ACK is of a PSN that was never sent.
    pub event_cc: CcEvents<Out>,
    control: CcSerialControl,
    params: CcSerialParams,
    offer: CcSerialEvent,
    words: CcSerialWords,
    math: CcSerialMath,
    result: CcSerialResult<FB>,
    memory: Ram<AW, Bits<32>>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    flow: Signal<Local, Bits<FB>>,
    arrives: Signal<Local, Bits<32>>,
    word: Signal<Local, Bits<32>>,
    kind: Signal<Local, Bits<3>>,
    #[value(4)]
    to_memory: Constant<Bits<3>>,
    #[value(9)]
    act_segment: Constant<Bits<4>>,
    #[value(program::ADAPTS)]
    adapts_word: Constant<Bits<AW>>,
    #[value((1_u64 << FB) - 1)]
    last_flow: Constant<Bits<FB>>,
}

impl<const FB: usize, const AW: usize> Logic for CcUnitSerial<FB, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.rests.next = self.scrubs.val();
        self.control.s_ack_valid.next = self.s_ack.valid.val();
        self.control.s_flow_valid.next = self.s_flow.valid.val();
        self.control.result_waits.next = self.result.m_rate.valid.val();
        self.control.by_time.next = self.cfg.by_time.val();
        self.control.of_math.next = self.math.conditions.val();
        self.control.of_event.next = self.offer.conditions.val();
        comment!("Words: parameters, event, arithmetic, memory.");
        self.params.source.next = self.control.source.val();
        self.params.cfg_t_ns.next = self.cfg.t_ns.val();
        self.params.cfg_inv_t.next = self.cfg.inv_t.val();
        self.params.cfg_queue_gain.next = self.cfg.queue_gain.val();
        self.params.cfg_util_gain.next = self.cfg.util_gain.val().into();
        self.params.cfg_target.next = self.cfg.target.val();
        self.params.cfg_u_one.next = self.cfg.u_one.val();
        self.params.cfg_max_stage.next = self.cfg.max_stage.val();
        self.params.cfg_w_ai.next = self.cfg.w_ai.val();
        self.params.cfg_w_init.next = self.cfg.w_init.val();
        self.params.cfg_w_min.next = self.cfg.w_min.val();
        self.params.cfg_rate_gain.next = self.cfg.rate_gain.val();
        self.params.cfg_rate_min.next = self.cfg.rate_min.val();
        self.params.cfg_rate_max.next = self.cfg.rate_max.val();
        self.offer.source.next = self.control.source.val();
        self.offer.hop.next = self.control.hop.val();
        self.offer.cfg_util_gain.next = self.cfg.util_gain.val().into();
        self.offer.cfg_check.next = self.cfg.check.val().into();
        self.offer.s_ack_psn.next = self.s_ack.psn.val();
        self.offer.s_ack_snd_nxt.next = self.s_ack.snd_nxt.val();
        self.offer.s_ack_tel.valid.next = self.s_ack.tel.valid.val();
        self.offer.s_ack_tel.hops.next = self.s_ack.tel.hops.val();
        self.offer.s_ack_tel.path.next = self.s_ack.tel.path.val();
        self.offer.s_ack_tel.hop[0].next = self.s_ack.tel.hop[0].val();
        self.offer.s_ack_tel.hop[1].next = self.s_ack.tel.hop[1].val();
        self.offer.s_ack_tel.hop[2].next = self.s_ack.tel.hop[2].val();
        self.offer.s_ack_tel.hop[3].next = self.s_ack.tel.hop[3].val();
        self.offer.s_ack_tel.hop[4].next = self.s_ack.tel.hop[4].val();
        self.offer.s_flow_op.next = self.s_flow.op.val();
        self.offer.s_flow_telemetry.next = self.s_flow.telemetry.val();
        self.offer.s_flow_window_bytes.next = self.s_flow.window_bytes.val();
        self.offer.s_flow_rate.next = self.s_flow.rate.val();
        self.words.source.next = self.control.source.val();
        self.words.sum.next = self.math.sum.val();
        self.words.factor.next = self.math.factor.val();
        self.words.chooses.next = self.control.act.val() == self.act_segment.val();
        self.arrives.next = self.params.word.val() | self.offer.word.val() | self.words.word.val();
        self.word.next = self.arrives.val();
        if self.control.reads_1.val() {
            self.word.next = self.memory.read_data.val();
        }
        self.math.act.next = self.control.act.val();
        self.math.to.next = self.control.to.val();
        self.math.word.next = self.word.val();
        self.math.set_exponent.next = self.control.set_exponent.val();
        self.math.multi.next = self.cfg.check.val().get_bits::<3>(3);
        self.math.code.next = self.offer.code.val();
        self.math.of_use.next = self.cfg.util_gain.val().get_bits::<5>(22);
        comment!("Memory; before the first event no flow exists.");
        self.flow.next = self.s_ack.flow.val();
        if self.control.is_command.val() {
            self.flow.next = self.s_flow.flow.val();
        }
        self.memory.read_enable.next = self.control.reads.val();
        self.memory.read_address.next = bit_cast::<AW, 5>(self.control.read_word.val())
            | (bit_cast::<AW, FB>(self.flow.val()) << 5);
        self.kind.next = self.control.to.val().get_bits::<3>(3);
        self.memory.write_enable.next = self.kind.val() == self.to_memory.val();
        self.memory.write_address.next = bit_cast::<AW, 5>(self.control.write_word.val())
            | (bit_cast::<AW, FB>(self.flow.val()) << 5);
        self.memory.write_data.next = self.word.val();
        if self.scrubs.val() {
            self.memory.write_enable.next = true;
            self.memory.write_address.next =
                self.adapts_word.val() | (bit_cast::<AW, FB>(self.scrub_flow.val()) << 5);
            self.memory.write_data.next = 0.into();
            self.scrub_flow.next = self.scrub_flow.val() + 1;
            self.scrubs.next = self.scrub_flow.val() != self.last_flow.val();
        }
        comment!("Ends.");
        self.result.to.next = self.control.to.val();
        self.result.word.next = self.word.val();
        self.result.done.next = self.control.done.val();
        self.result.shows.next = self.control.shows.val();
        self.result.never_sent.next = self.control.never_sent.val();
        self.result.is_bad.next = self.control.is_bad.val();
        self.result.is_command.next = self.control.is_command.val();
        self.result.flags.next = self.control.flags.val();
        self.result.worst_hop.next = self.control.worst_hop.val();
        self.result.flow.next = self.flow.val();
        self.result.s_flow_op.next = self.s_flow.op.val();
        Wire::join(&mut self.result.m_rate, &mut self.m_rate);
        self.s_ack.ready.next = self.result.s_ack_ready.val();
        self.s_flow.ready.next = self.result.s_flow_ready.val();
        Wire::join(&mut self.result.event_cc, &mut self.event_cc);
    }
}
