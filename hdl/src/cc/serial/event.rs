//! The event of the serial schedule, an ACK or a flow command, as words and conditions. It stays offered
//! until it is carried out, so nothing of it is kept here.
//!
//! # Interface timing  cycle 0: source, hop; cycle 1: word, code; cycle 2: conditions of the hop
//! # Latency and rate  [`LATENCY_CYCLES`]; one word per cycle
//! # Number formats    record: cc_hop.rs. Times, bytes sent and PSNs stand at the top of their words, so
//!                     that differences are modulo 2^24 and 2^20; key: recorded 1, hops 3, path 12
//! # Reset             none
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::cc::hop::HopRecord;
use crate::rows::{CcCheck, CcUtilGain};
use crate::streams::Telemetry;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a source to its word.
pub const LATENCY_CYCLES: usize = 1;

/// Words and conditions of an event.
#[block(no_reset)]
pub struct CcSerialEvent {
    /// 16 to 26: as below, in the order of the kernel; else 0.
    pub source: Signal<In, Bits<6>>,
    /// Hop.
    pub hop: Signal<In, Bits<3>>,
    /// What one unit of utilisation is; [27]: hops tell sojourn times.
    pub cfg_util_gain: Signal<In, CcUtilGain>,
    /// PSN \[0\], time \[1\] and bytes \[2\] are checked; largest queue \[22:6\].
    pub cfg_check: Signal<In, CcCheck>,
    /// PSN that the ACK acknowledges.
    pub s_ack_psn: Signal<In, Bits<24>>,
    /// Next PSN the flow will send.
    pub s_ack_snd_nxt: Signal<In, Bits<24>>,
    /// The ACK carries telemetry.
    pub s_ack_tel: Telemetry<In>,
    /// 1 create, else remove.
    pub s_flow_op: Signal<In, Bits<2>>,
    /// Its ACKs carry telemetry.
    pub s_flow_telemetry: Signal<In, Bit>,
    /// Window.
    pub s_flow_window_bytes: Signal<In, Bits<32>>,
    /// Rate.
    pub s_flow_rate: Signal<In, Bits<32>>,
    /// Word.
    pub word: Signal<Out, Bits<32>>,
    /// Rate code of the hop.
    pub code: Signal<Out, Bits<3>>,
    /// The command makes a flow that adapts; the ACK has telemetry; has usable records; PSNs,
    /// time, bytes are checked; the hop has a rate; utilisation; sojourn times; 40 Gb/s; last hop.
    pub conditions: Signal<Out, Bits<11>>,
    word_1: Unreset<Bits<32>>,
    code_1: Unreset<Bits<3>>,
    conditions_1: Unreset<Bits<11>>,
    record: Signal<Local, HopRecord>,
    time_ns: Signal<Local, Bits<24>>,
    sent: Signal<Local, Bits<20>>,
    queue: Signal<Local, Bits<17>>,
    line: Signal<Local, Bits<32>>,
    key: Signal<Local, Bits<32>>,
    adapts: Signal<Local, Bit>,
    by_use: Signal<Local, Bit>,
    by_time: Signal<Local, Bit>,
    has_rate: Signal<Local, Bit>,
    is_40: Signal<Local, Bit>,
    next_hop: Signal<Local, Bits<3>>,
    low: Signal<Local, Bits<11>>,
    flags: Signal<Local, Bits<11>>,
    #[value(1_u64 << 31)]
    recorded: Constant<Bits<32>>,
    #[value(1)]
    op_create: Constant<Bits<2>>,
    #[value(28)]
    line_25: Constant<Bits<32>>,
    #[value(56)]
    line_40: Constant<Bits<32>>,
    #[value(7)]
    code_40: Constant<Bits<3>>,
    #[value(5)]
    code_5: Constant<Bits<3>>,
    #[value(6)]
    code_6: Constant<Bits<3>>,
    #[value(6)]
    hops_above: Constant<Bits<3>>,
}

impl Logic for CcSerialEvent {
    #[hdl_gen]
    fn update(&mut self) {
        self.word.next = self.word_1.val();
        self.code.next = self.code_1.val();
        self.conditions.next = self.conditions_1.val();
        match self.hop.val().index() {
            0 => {
                self.record.next = self.s_ack_tel.hop[0].val().into();
            }
            1 => {
                self.record.next = self.s_ack_tel.hop[1].val().into();
            }
            2 => {
                self.record.next = self.s_ack_tel.hop[2].val().into();
            }
            3 => {
                self.record.next = self.s_ack_tel.hop[3].val().into();
            }
            _ => {
                self.record.next = self.s_ack_tel.hop[4].val().into();
            }
        }
        self.code_1.next = self.record.val().rate;
        self.time_ns.next = self.record.val().time_ns;
        self.sent.next = self.record.val().sent;
        self.queue.next = self.record.val().queue;
        self.key.next = (bit_cast::<32, 12>(self.s_ack_tel.path.val()) << 16)
            | (bit_cast::<32, 3>(self.s_ack_tel.hops.val()) << 28)
            | self.recorded.val();
        self.adapts.next =
            (self.s_flow_op.val() == self.op_create.val()) && self.s_flow_telemetry.val();
        comment!("28 Gb/s for each 25, and 56 for 40.");
        self.is_40.next = self.code_1.val() == self.code_40.val();
        self.line.next = self.line_25.val() << self.code_1.val();
        if self.is_40.val() {
            self.line.next = self.line_40.val();
        }
        match self.source.val().index() {
            16 => {
                self.word_1.next = self.line.val();
            }
            17 => {
                self.word_1.next = bit_cast::<32, 24>(self.time_ns.val()) << 8;
            }
            18 => {
                self.word_1.next = bit_cast::<32, 20>(self.sent.val()) << 12;
            }
            19 => {
                self.word_1.next = bit_cast::<32, 17>(self.queue.val());
            }
            20 => {
                self.word_1.next = self.key.val();
            }
            21 => {
                self.word_1.next = bit_cast::<32, 24>(self.s_ack_psn.val()) << 8;
            }
            22 => {
                self.word_1.next = bit_cast::<32, 24>(self.s_ack_snd_nxt.val()) << 8;
            }
            23 => {
                self.word_1.next = self.s_flow_window_bytes.val();
            }
            24 => {
                self.word_1.next = self.s_flow_rate.val();
            }
            25 => {
                self.word_1.next = bit_cast::<32, 1>(self.adapts.val().into());
            }
            26 => {
                self.word_1.next = bit_cast::<32, 17>(self.cfg_check.val().queue_max);
            }
            _ => {
                self.word_1.next = 0.into();
            }
        }
        comment!("Conditions. Rate codes 5 and 6 name no rate, nor does 7 beside utilisation or sojourn times.");
        self.by_use.next = self.cfg_util_gain.val().mantissa.get_bit(21);
        self.by_time.next = self.cfg_util_gain.val().sojourn;
        self.has_rate.next =
            (self.code_1.val() != self.code_5.val()) && (self.code_1.val() != self.code_6.val());
        self.next_hop.next = self.hop.val() + 1;
        self.low.next = 0.into();
        self.low.next = self.low.val().replace_bit(0, self.adapts.val());
        self.low.next = self.low.val().replace_bit(1, self.s_ack_tel.valid.val());
        self.low.next = self.low.val().replace_bit(
            2,
            self.s_ack_tel.hops.val().any() && (self.s_ack_tel.hops.val() < self.hops_above.val()),
        );
        self.low.next = self.low.val().replace_bit(3, self.cfg_check.val().psn);
        self.low.next = self.low.val().replace_bit(4, self.cfg_check.val().time);
        self.flags.next = self.low.val();
        self.flags.next =
            self.flags.val().replace_bit(5, self.cfg_check.val().bytes && self.has_rate.val());
        self.flags.next = self.flags.val().replace_bit(
            6,
            self.has_rate.val() && !((self.by_use.val() || self.by_time.val()) && self.is_40.val()),
        );
        self.flags.next = self.flags.val().replace_bit(7, self.by_use.val());
        self.flags.next = self.flags.val().replace_bit(8, self.by_time.val());
        self.flags.next = self.flags.val().replace_bit(9, self.is_40.val());
        self.flags.next =
            self.flags.val().replace_bit(10, self.next_hop.val() == self.s_ack_tel.hops.val());
        self.conditions_1.next = self.flags.val();
    }
}
