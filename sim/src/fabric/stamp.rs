//! What switches write into packets: telemetry in the resolution of its format, and ECN marks.

use super::cc::{default_marks, has_telemetry};
use super::lines::Departure;
use super::random;
use super::scenario::Scenario;
use super::topology::Topology;
use super::wire::Telemetry;
use crate::net::switch::rate_code;
use nic_models::reference::hpcc::link_bytes_per_ns;
use nic_spec::wire::telemetry::{Hop, QUEUE_UNIT_BYTES, TX_UNIT_BYTES};

/// Time over which INT-MD's utilisation is averaged.
const UTILISATION_PS: f64 = 2e6;

/// The code of a rate in the native telemetry, if it has one.
fn exact_rate_code(gbps: u32) -> Option<u8> {
    let gbps = f64::from(gbps);
    Some(rate_code(gbps)).filter(|code| link_bytes_per_ns(*code) == Some(gbps / 8.0))
}

/// Queues between which packets are marked.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Marks {
    min_bytes: u64,
    max_bytes: u64,
    share_max: f64,
}

/// What a port writes.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    rate_code: u8,
    ps_per_byte: u64,
    marks: Option<Marks>,
    /// Utilisation of its link when the last packet had left, and when that began to leave.
    utilisation: f64,
    started_ps: u64,
}

/// All ports, by index of the link.
#[derive(Clone, Debug)]
pub struct Stamps {
    seed: u64,
    format: Option<Telemetry>,
    ports: Vec<Port>,
}

impl Stamps {
    /// # Errors
    /// A sentence about a link whose rate has no code in the telemetry.
    pub fn new(
        scenario: &Scenario,
        topology: &Topology,
        format: Telemetry,
    ) -> Result<Self, String> {
        let format = has_telemetry(&scenario.cc).then_some(format);
        let switches = &scenario.switches;
        let default = default_marks(scenario.cc.algorithm);
        let share_max = switches.ecn_share_max.or(default.map(|(_, _, share)| share));
        let thresholds = switches.ecn_min_bytes.zip(switches.ecn_max_bytes);
        let thresholds = thresholds.or(default.map(|(min, max, _)| (min, max)));
        let mut ports = vec![];
        for link in &topology.links {
            let rate_code = match exact_rate_code(link.gbps) {
                Some(code) => code,
                None if format.is_none() => 0,
                None => {
                    return Err(format!(
                        "topology: telemetry has no code for a link of {} Gb/s; choose 25, 40, 50, \
                         100, 200 or 400",
                        link.gbps
                    ))
                }
            };
            // Thresholds are those of 25 Gb/s.
            let scale = |bytes: u64| bytes * u64::from(link.gbps) / 25;
            let marks = thresholds.map(|(min, max)| Marks {
                min_bytes: scale(min),
                max_bytes: scale(max),
                share_max: share_max.unwrap_or(1.0),
            });
            let ps_per_byte = link.ps_per_byte();
            ports.push(Port { rate_code, ps_per_byte, marks, ..Port::default() });
        }
        Ok(Self { seed: scenario.seed, format, ports })
    }

    /// The record of a packet of `bytes` that has left, in the native layout, as the receiver's hardware
    /// turns each format into it.
    #[inline]
    pub fn record(&mut self, link: usize, bytes: u16, departure: &Departure) -> Option<u64> {
        let format = self.format?;
        let port = &mut self.ports[link];
        let units = |bytes: u64, unit: u32| bytes / u64::from(unit);
        let sent = units(departure.sent_bytes, TX_UNIT_BYTES);
        let queue = units(departure.queue_bytes, QUEUE_UNIT_BYTES);
        let (sent, queue_max) = match format {
            Telemetry::Native | Telemetry::Ioam => (sent, 0x1_ffff),
            // Cells in 16 bits.
            Telemetry::Ifa => (sent, 0xffff),
            Telemetry::IntMd => (port.utilisation(bytes, departure.start_ps), 0x1_ffff),
        };
        let hop = Hop {
            rate_code: port.rate_code,
            ts_ns: ((departure.start_ps / 1000) & 0xff_ffff) as u32,
            tx_units: (sent & 0xf_ffff) as u32,
            queue_units: queue.min(queue_max) as u32,
        };
        Some(hop.to_word())
    }

    /// A packet without telemetry has left: it counts for the utilisation of those behind it.
    #[inline]
    pub fn pass(&mut self, link: usize, bytes: u16, departure: &Departure) {
        if self.format == Some(Telemetry::IntMd) {
            self.ports[link].utilisation(bytes, departure.start_ps);
        }
    }

    /// Whether some packet with this departure is marked.
    #[inline]
    pub fn may_mark(&self, link: usize, departure: &Departure) -> bool {
        let marks = self.ports[link].marks;
        marks.is_some_and(|marks| departure.queue_bytes > marks.min_bytes)
    }

    /// Whether packet `psn` of `flow` is marked.
    #[inline]
    pub fn is_marked(&self, link: usize, flow: u32, psn: u32, departure: &Departure) -> bool {
        let Some(marks) = self.ports[link].marks else { return false };
        let queue = departure.queue_bytes;
        if queue <= marks.min_bytes || queue > marks.max_bytes {
            return queue > marks.max_bytes;
        }
        let part = (queue - marks.min_bytes) as f64 / (marks.max_bytes - marks.min_bytes) as f64;
        let chance = [self.seed, link as u64, flow.into(), psn.into(), departure.start_ps];
        random::share(&chance) < part * marks.share_max
    }
}

impl Port {
    /// Utilisation in hundredths of a percent that the packet before has left, and with this one.
    fn utilisation(&mut self, bytes: u16, start_ps: u64) -> u64 {
        let elapsed_ps = (start_ps - self.started_ps) as f64;
        self.utilisation *= (-elapsed_ps / UTILISATION_PS).exp();
        self.started_ps = start_ps;
        let told = (self.utilisation * 1e4) as u64;
        let wire_ps = (u64::from(bytes) * self.ps_per_byte) as f64;
        self.utilisation += 1.0 - (-wire_ps / UTILISATION_PS).exp();
        told
    }
}
