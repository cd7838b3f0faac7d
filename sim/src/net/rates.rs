//! What the whole NIC carries: two NICs, cycle by cycle, and how much of the line they fill.
//!
//! Each case is a plan of [`writes`]: every byte is compared at its end. Counted is what happens
//! between a quarter and three quarters of the messages, when all queues are full.

use super::switch::{rate_code, Faults, Format, Stamping, WIRE_OVERHEAD_BYTES};
use super::writes::{self, Plan, Report, RunError, Sample, Software};
use crate::env::station::{Manners, NicEngine};
use nic_driver::CcMode;
use nic_spec::cc_params::CcConfig;
use nic_spec::config::{NicConfig, SQ_SCALE_MAX};
use nic_spec::wire::telemetry::Form;

/// Latency of host memory.
pub const MEMORY_NS: u64 = 1500;
/// Cycles of a case, about.
const CYCLES: u64 = 300_000;
/// Messages of a case at most, and of a queue pair at least.
const MESSAGES_MAX: u64 = 40_000;
const MESSAGES_MIN: u64 = 16;
/// Entries of rings, log2, and how often the software looks: often enough for small messages.
const SOFTWARE: Software =
    Software { sq_scale: 0, sq_log2: 6, cq_log2: 12, poll_cycles: 100, memory_cycles: None };
/// A queue pair alone has as much as it can get.
const SOFTWARE_OF_ONE: Software = Software { sq_scale: SQ_SCALE_MAX, sq_log2: 9, ..SOFTWARE };

/// Rate of the line: a beat of the datapath a cycle, up to the 100 Gb/s of the fastest MAC.
pub fn line_gbps(config: &NicConfig) -> f64 {
    ((8 * config.data_bytes()) as f64 * config.clock_hz as f64 / 1e9).min(100.0)
}

/// A case of the table.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What it is.
    pub name: &'static str,
    /// Path MTU, bytes.
    pub mtu_bytes: u32,
    /// Bytes of a message.
    pub message_bytes: u32,
    /// READs among the messages, per cent.
    pub read_percent: u32,
    /// Queue pairs of each NIC.
    pub qp_count: u32,
    /// Only the first NIC sends.
    pub is_one_way: bool,
    /// Payload goes with the work requests.
    pub is_inline: bool,
    /// Frames lost, per million.
    pub loss_ppm: u32,
    /// Gb/s of the ports that the switch tells of; else those of the line.
    pub told_gbps: Option<f64>,
}

/// Ports that are never full: congestion control works on every ACK and holds nobody back.
const NEVER_FULL_GBPS: f64 = 400.0;

const WRITES: Case = Case {
    name: "WRITE both ways, MTU 4096",
    mtu_bytes: 4096,
    message_bytes: 4096,
    read_percent: 0,
    qp_count: 64,
    is_one_way: false,
    is_inline: false,
    loss_ppm: 0,
    told_gbps: Some(NEVER_FULL_GBPS),
};
const SHORT: Case = Case { mtu_bytes: 1024, message_bytes: 2048, ..WRITES };
const ONE_QP: Case = Case { qp_count: 1, is_one_way: true, message_bytes: 65536, ..SHORT };

/// The cases. All have telemetry in the authors' form in each packet, and an ACK for it.
pub const CASES: [Case; 14] = [
    WRITES,
    Case { name: "WRITE both ways, MTU 1024", ..SHORT },
    Case { name: "WRITE both ways, MTU 256", mtu_bytes: 256, message_bytes: 1024, ..WRITES },
    Case { name: "READ both ways, MTU 1024", read_percent: 100, ..SHORT },
    Case { name: "READ and WRITE both ways, MTU 1024", read_percent: 50, ..SHORT },
    Case { name: "one QP, WRITE, MTU 1024", ..ONE_QP },
    Case { name: "one QP, WRITE, MTU 256", mtu_bytes: 256, ..ONE_QP },
    Case { name: "64-byte WRITEs both ways", message_bytes: 64, ..SHORT },
    Case { name: "64-byte WRITEs one way", message_bytes: 64, is_one_way: true, ..SHORT },
    Case {
        name: "8-byte inline WRITEs one way",
        message_bytes: 8,
        is_inline: true,
        is_one_way: true,
        ..SHORT
    },
    Case { name: "one QP, 64-byte WRITEs", message_bytes: 64, ..ONE_QP },
    Case { name: "one QP, 1024-byte WRITEs", message_bytes: 1024, ..ONE_QP },
    Case { name: "WRITE both ways, MTU 1024, 1 of 1000 lost", loss_ppm: 1000, ..SHORT },
    Case { name: "WRITE both ways, MTU 1024, the line's rate told", told_gbps: None, ..SHORT },
];

/// What a NIC carries, mean of both where both send.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Payload of completed messages, Gb/s.
    pub payload_gbps: f64,
    /// Messages a second, millions.
    pub messages_mps: f64,
    /// Frames that arrive at a NIC a second, millions: data, and ACKs of the other direction.
    pub frames_mps: f64,
    /// Share of the line that these frames take with what the wire has beside them.
    pub line_share: f64,
}

impl Case {
    /// The case with NICs of `config`, on a line as fast as their datapath.
    pub fn plan(&self, config: &NicConfig, seed: u64) -> Plan {
        let (clock_hz, link_gbps) = (config.clock_hz, line_gbps(config));
        let line_bytes = config.data_bytes() as u64 * CYCLES;
        let qp_count = self.qp_count.min(config.flow_count as u32);
        let messages = (line_bytes / u64::from(self.message_bytes)).min(MESSAGES_MAX);
        let message_count = (messages / u64::from(qp_count)).max(MESSAGES_MIN) as u32;
        // Long enough for a few of the longest frames.
        let t_ns = (200_000.0 / link_gbps).max(8000.0) as u32;
        // Twice what the line holds, all flows together, but two packets each.
        let share_bytes = link_gbps / 8.0 * f64::from(t_ns) * 2.0 / f64::from(qp_count);
        let w_init_bytes = (share_bytes as u32).max(2 * (self.mtu_bytes + 200));
        let line = CcConfig::for_line(link_gbps * 1e9, 2 * qp_count, clock_hz);
        let stamping = Stamping {
            format: Format::Native(Form::Authors),
            dscp: 0x13,
            rate_code: rate_code(self.told_gbps.unwrap_or(link_gbps)),
            switch_id: 0x2a5,
            is_transit: false,
        };
        Plan {
            clock_hz,
            link_gbps,
            mac_gbps: Some(link_gbps),
            stamping: Some(stamping),
            first_rate_code: None,
            faults: Faults { loss_ppm: self.loss_ppm, ..Faults::default() },
            cut_opcode: None,
            telemetry_every: 1,
            probe_cycles: 0,
            cc_mode: CcMode::Sender,
            qp_count,
            message_count,
            one_way: self.is_one_way,
            message_bytes: (self.message_bytes, self.message_bytes),
            read_percent: self.read_percent,
            immediate_percent: 0,
            has_inline: self.is_inline,
            ring_qp_count: qp_count,
            // As no window bounds responses, more of them would wait longer than a timeout.
            read_limit: 2,
            mtu_code: (self.mtu_bytes.ilog2() - 8) as u8,
            window_bytes: w_init_bytes,
            cc: CcConfig { t_ns, w_init_bytes, ..line },
            timeout_exponent: 12,
            manners: Manners::Prompt,
            software: Software {
                memory_cycles: Some(MEMORY_NS * clock_hz / 1_000_000_000),
                ..if qp_count == 1 { SOFTWARE_OF_ONE } else { SOFTWARE }
            },
            seed,
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// Why the run stops, or that bytes or completions are wrong.
    pub fn run(&self, plan: &Plan, engines: [NicEngine; 2]) -> Result<Rate, String> {
        let report = writes::run(plan, engines, |_| {}).map_err(|e: RunError| e.to_string())?;
        if !report.is_good() {
            return Err("bytes or completions are missing or wrong".into());
        }
        Ok(self.rate(plan, &report))
    }

    fn rate(&self, plan: &Plan, report: &Report) -> Rate {
        let sides: &[usize] = if self.is_one_way { &[0] } else { &[0, 1] };
        let done = |s: &Sample| sides.iter().map(|at| u64::from(s.completions[*at])).sum::<u64>();
        let total = u64::from(plan.qp_count * plan.message_count) * sides.len() as u64;
        let at = |part: u64| {
            let sample = report.samples.iter().find(|s| done(s) >= total * part / 4);
            *sample.expect("all messages have completed")
        };
        let (from, to) = (at(1), at(3));
        let seconds = (to.cycle - from.cycle) as f64 / plan.clock_hz as f64;
        let messages = (done(&to) - done(&from)) as f64 / sides.len() as f64;
        // What a NIC sends the other one gets: frames, and bytes of the wire.
        let sum = |s: &Sample| {
            let carried = || sides.iter().map(|at| s.carried[1 - at]);
            let frames: u64 = carried().map(|c| c.frames).sum();
            (frames, carried().map(|c| c.bytes).sum::<u64>() + WIRE_OVERHEAD_BYTES as u64 * frames)
        };
        let ((frames_0, wire_0), (frames_1, wire_1)) = (sum(&from), sum(&to));
        let a_side = |n: u64| n as f64 / sides.len() as f64 / seconds;
        Rate {
            payload_gbps: messages * f64::from(self.message_bytes) * 8.0 / seconds / 1e9,
            messages_mps: messages / seconds / 1e6,
            frames_mps: a_side(frames_1 - frames_0) / 1e6,
            line_share: a_side(wire_1 - wire_0) * 8.0 / (plan.link_gbps * 1e9),
        }
    }
}
