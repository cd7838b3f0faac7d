//! What the cores' AXI4-Streams carry: each event as `tdata` (hdl/docs/cores.md), and back. A flow's
//! number is cut to the core's.

use crate::ports::Wide;
use crate::streams::{AckTelemetry, AxisEvent, Decision, FlowCommand, Rate, Telemetry, Work};

/// `width` bits of `words` from bit `lsb`; both within one word.
fn bits(words: &[u64], lsb: usize, width: usize) -> u64 {
    words[lsb / 64] >> (lsb % 64) & (u64::MAX >> (64 - width))
}

impl AxisEvent<Wide<7>> {
    /// An ACK as its event.
    pub fn of_ack(ack: &AckTelemetry) -> Self {
        let mut words = [0; 7];
        words[0] = u64::from(ack.flow) | u64::from(ack.psn) << 16 | u64::from(ack.snd_nxt) << 40;
        let tel = ack.tel;
        words[1] = u64::from(tel.valid) | u64::from(tel.hops) << 1 | u64::from(tel.path) << 4;
        // Records begin at bit 96, in the middle of a word.
        for (i, hop) in tel.hop.iter().enumerate() {
            words[1 + i] |= hop << 32;
            words[2 + i] = hop >> 32;
        }
        Self { tvalid: ack.valid, tdata: Wide(words) }
    }

    /// The ACK that the event says.
    pub(crate) fn ack(&self, flow_mask: u16) -> AckTelemetry {
        let w = &self.tdata.0;
        AckTelemetry {
            valid: self.tvalid,
            flow: bits(w, 0, 16) as u16 & flow_mask,
            psn: bits(w, 16, 24) as u32,
            snd_nxt: bits(w, 40, 24) as u32,
            tel: Telemetry {
                valid: bits(w, 64, 1) != 0,
                hops: bits(w, 65, 3) as u8,
                path: bits(w, 68, 12) as u16,
                hop: core::array::from_fn(|i| w[1 + i] >> 32 | w[2 + i] << 32),
            },
        }
    }
}

impl AxisEvent<u128> {
    /// A flow command as its event.
    pub fn of_flow(flow: &FlowCommand) -> Self {
        let low = u128::from(flow.flow) | u128::from(flow.op) << 16;
        let tdata = low
            | u128::from(flow.telemetry) << 18
            | u128::from(flow.window_bytes) << 32
            | u128::from(flow.rate) << 64;
        Self { tvalid: flow.valid, tdata }
    }

    /// The flow command that the event says.
    pub(crate) fn flow(&self, flow_mask: u16) -> FlowCommand {
        FlowCommand {
            valid: self.tvalid,
            flow: self.tdata as u16 & flow_mask,
            op: (self.tdata >> 16 & 3) as u8,
            telemetry: self.tdata >> 18 & 1 != 0,
            window_bytes: (self.tdata >> 32) as u32,
            rate: (self.tdata >> 64) as u32,
        }
    }
}

impl AxisEvent<Wide<4>> {
    /// A result as its event.
    pub(crate) fn of_decision(rate: &Decision) -> Self {
        let flags = u64::from(rate.full) << 18 | u64::from(rate.first) << 19;
        let hop = u64::from(rate.worst_hop) << 20;
        let stage = u64::from(rate.inc_stage) << 24;
        let head = u64::from(rate.flow) | u64::from(rate.op) << 16 | flags | hop | stage;
        let words = [
            head | u64::from(rate.window_bytes) << 32,
            u64::from(rate.rate) | u64::from(rate.last_update_psn) << 32,
            rate.u,
            rate.wc_bytes,
        ];
        Self { tvalid: rate.valid, tdata: Wide(words) }
    }

    /// The result that the event says.
    pub fn decision(&self) -> Decision {
        let w = &self.tdata.0;
        Decision {
            valid: self.tvalid,
            flow: bits(w, 0, 16) as u16,
            op: bits(w, 16, 2) as u8,
            full: bits(w, 18, 1) != 0,
            first: bits(w, 19, 1) != 0,
            worst_hop: bits(w, 20, 3) as u8,
            inc_stage: bits(w, 24, 8) as u8,
            window_bytes: bits(w, 32, 32) as u32,
            rate: bits(w, 64, 32) as u32,
            last_update_psn: bits(w, 96, 24) as u32,
            u: w[2],
            wc_bytes: w[3],
        }
    }
}

impl AxisEvent<u128> {
    /// A flow's rate as its event.
    pub fn of_rate(rate: &Rate) -> Self {
        let Rate { valid, flow, op, window_bytes, rate } = *rate;
        Self::of_flow(&FlowCommand { valid, flow, op, telemetry: false, window_bytes, rate })
    }

    /// A flow's work as its event.
    pub fn of_work(work: &Work) -> Self {
        let tdata = u128::from(work.flow)
            | u128::from(work.len_bytes) << 16
            | u128::from(work.inflight_bytes) << 32
            | u128::from(work.frame_count) << 64;
        Self { tvalid: work.valid, tdata }
    }

    /// The work that the event says.
    pub(crate) fn work(&self, flow_mask: u16) -> Work {
        Work {
            valid: self.tvalid,
            flow: self.tdata as u16 & flow_mask,
            len_bytes: (self.tdata >> 16 & 0x3fff) as u16,
            frame_count: (self.tdata >> 64 & 0x7f) as u8,
            inflight_bytes: (self.tdata >> 32) as u32,
        }
    }
}
