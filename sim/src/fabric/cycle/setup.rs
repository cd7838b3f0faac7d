//! Which hosts are whole NICs, their clock, and the windows in which they and the network advance;
//! and what of a scenario they cannot do.

use crate::engine::EngineKind;
use crate::fabric::cc::{Algorithm, Feedback};
use crate::fabric::scenario::Scenario;
use crate::fabric::topology::Topology;
use crate::fabric::traffic::Demand;
use crate::fabric::wire::{Headers, Profile, Telemetry, Wire};
use nic_harness::verilator::Source;
use nic_spec::NicConfig;
use std::collections::BTreeSet;

/// Cycle hosts at most: each has a thread and its own memory.
const HOSTS_MAX: usize = 64;
/// A cycle host's flow at most: its bytes are kept in memory.
const FLOW_BYTES_MAX: u64 = 1 << 28;
/// A gigabit a second needs so much of a clock where a beat has 64 bits, headroom included.
const HZ_PER_GBPS: u64 = 16_000_000;
/// So a cycle takes this, of a link of 1 Gb/s.
const CYCLE_PS: u64 = 1_000_000_000_000 / HZ_PER_GBPS;

/// The clock of the NICs: as fast as the rate of their links needs. Times come from the number of the
/// cycle, so they don't drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    gbps: u64,
}

impl Clock {
    /// Its frequency.
    pub fn hz(self) -> u64 {
        HZ_PER_GBPS * self.gbps
    }

    /// When a cycle begins.
    pub fn ps(self, cycle: u64) -> u64 {
        cycle * CYCLE_PS / self.gbps
    }

    /// The first cycle that does not begin before `at_ps`.
    pub fn cycle(self, at_ps: u64) -> u64 {
        (at_ps * self.gbps).div_ceil(CYCLE_PS)
    }
}

/// A flow that a cycle host has a queue pair for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index of the flow.
    pub flow: u32,
    /// What it is.
    pub demand: Demand,
    /// Of the queue pair here, and of the other end.
    pub qpn: u32,
    /// Of the other end.
    pub remote_qpn: u32,
}

/// Queue pairs of a NIC. QPN / this is the index of the flow, QPN mod this the row of the pair.
pub const PAIRS: u32 = 64;
/// Flows whose QPNs have 24 bits.
const FLOWS_MAX: u32 = (1 << 24) / PAIRS;

/// The cycle hosts of a scenario.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What runs them.
    pub engine: EngineKind,
    /// Verilog that stands in for the emitted one.
    pub verilog: Option<Source>,
    /// Sizes of the NIC.
    pub config: NicConfig,
    /// Its clock.
    pub clock: Clock,
    /// The network and the NICs advance in steps of this.
    pub window_ps: u64,
    /// So much behind the network the NICs are: a frame is known at its end, when its first beat is
    /// due.
    pub lag_ps: u64,
    /// Cycle hosts, with their queue pairs.
    pub hosts: Vec<(u16, Vec<Pair>)>,
    /// QPNs of each flow, at its source and at its destination.
    pub qpns: Vec<[u32; 2]>,
    is_cycle: Vec<bool>,
}

impl Setup {
    /// The cycle hosts of `scenario`, if it has any.
    ///
    /// # Errors
    /// A sentence about what they cannot do.
    pub fn new(
        scenario: &Scenario,
        topology: &Topology,
        demands: &[Demand],
        wire: &Wire,
    ) -> Result<Option<Self>, String> {
        let spec = &scenario.hosts;
        if spec.cycle.is_empty() {
            return Ok(None);
        }
        check_list(&spec.cycle, topology.host_count)?;
        check_features(scenario)?;
        let config = NicConfig::preset("gbe").map_err(|e| e.to_string())?;
        let clock = Clock { gbps: topology.host_gbps().into() };
        let mut is_cycle = vec![false; topology.host_count];
        spec.cycle.iter().for_each(|host| is_cycle[*host as usize] = true);
        let (lag_ps, delay_ps) = times(&spec.cycle, topology, wire)?;
        let (qpns, mut hosts) = (qpns(demands, &is_cycle), vec![]);
        for host in (0..topology.host_count).filter(|host| is_cycle[*host]) {
            hosts.push((host as u16, pairs(host as u16, demands, &qpns)?));
        }
        let (engine, window_ps) = (spec.cycle_engine, delay_ps - lag_ps);
        Ok(Some(Self {
            engine,
            verilog: None,
            config,
            clock,
            window_ps,
            lag_ps,
            hosts,
            qpns,
            is_cycle,
        }))
    }

    /// Whether a host is a whole NIC.
    pub fn has(&self, host: u16) -> bool {
        self.is_cycle[usize::from(host)]
    }
}

fn check_list(cycle: &[u32], host_count: usize) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for host in cycle {
        if *host as usize >= host_count {
            return Err(format!(
                "hosts.cycle has host {host}, which isn't there; hosts are 0..{host_count}"
            ));
        }
        if !seen.insert(host) {
            return Err(format!("hosts.cycle has host {host} twice"));
        }
    }
    match cycle.len() > HOSTS_MAX {
        true => Err(format!("hosts.cycle has {} hosts, above {HOSTS_MAX}", cycle.len())),
        false => Ok(()),
    }
}

fn check_features(scenario: &Scenario) -> Result<(), String> {
    let (cc, wire) = (&scenario.cc, &scenario.wire);
    let payload_bytes = wire.payload_bytes.unwrap_or(1024);
    let headers = wire.headers.unwrap_or(Headers::Nic);
    for (is_good, text) in [
        (cc.algorithm == Algorithm::Hpcc, "cc.algorithm must be hpcc, the one that they have"),
        (cc.feedback == Feedback::Sender, "cc.feedback must be sender"),
        (cc.active_window_ns.is_none(), "cc.active_window_ns must be absent"),
        (wire.profile == Profile::Nic, "wire.profile must be nic"),
        (headers == Headers::Nic, "wire.headers must be nic"),
        (
            wire.telemetry.unwrap_or(Telemetry::Native) == Telemetry::Native,
            "wire.telemetry must be native",
        ),
        (
            payload_bytes.is_power_of_two(),
            "wire.payload_bytes must be 256, 512, 1024, 2048 or 4096",
        ),
    ] {
        if !is_good {
            return Err(format!("hosts.cycle: with cycle hosts {text}"));
        }
    }
    Ok(())
}

/// The longest frame's time, and the shortest delay of the cycle hosts' links, whose rates are equal.
fn times(cycle: &[u32], topology: &Topology, wire: &Wire) -> Result<(u64, u64), String> {
    let mut delay_min_ps = u64::MAX;
    let frame_bytes = wire.payload_bytes + wire.header_bytes + wire.first_bytes;
    let frame_bytes = frame_bytes + wire.telemetry_bytes[0];
    let lag_ps = frame_bytes * topology.links[topology.uplink(cycle[0] as usize)].ps_per_byte();
    for host in cycle {
        let link = &topology.links[topology.uplink(*host as usize)];
        let least_ps = 2 * lag_ps;
        if link.delay_ps < least_ps {
            return Err(format!(
                "hosts.cycle: the link of host {host} has a delay of {} ns; it must be at least {} \
                 ns, twice the time of a frame",
                link.delay_ps / 1000,
                least_ps.div_ceil(1000)
            ));
        }
        delay_min_ps = delay_min_ps.min(link.delay_ps);
    }
    Ok((lag_ps, delay_min_ps))
}

/// QPNs of each flow, at its source and at its destination. A cycle host's rows are in the order of its
/// flows.
fn qpns(demands: &[Demand], is_cycle: &[bool]) -> Vec<[u32; 2]> {
    let mut rows = vec![0; is_cycle.len()];
    let qpns = demands.iter().enumerate().map(|(flow, demand)| {
        [demand.src, demand.dst].map(usize::from).map(|end| {
            let row = rows[end];
            rows[end] += u32::from(is_cycle[end]);
            (flow as u32).wrapping_mul(PAIRS).wrapping_add(row)
        })
    });
    qpns.collect()
}

/// Queue pairs of a host: one for each flow that it sends or receives.
fn pairs(host: u16, demands: &[Demand], qpns: &[[u32; 2]]) -> Result<Vec<Pair>, String> {
    let ends = demands.iter().zip(qpns).enumerate();
    let pairs = ends.filter_map(|(flow, (demand, [src, dst]))| {
        let (flow, demand) = (flow as u32, *demand);
        let pair = |qpn: &u32, remote_qpn: &u32| {
            Some(Pair { flow, demand, qpn: *qpn, remote_qpn: *remote_qpn })
        };
        match host {
            _ if host == demand.src => pair(src, dst),
            _ if host == demand.dst => pair(dst, src),
            _ => None,
        }
    });
    let pairs: Vec<Pair> = pairs.collect();
    let is_long = |pair: &Pair| pair.demand.bytes > FLOW_BYTES_MAX || pair.flow >= FLOWS_MAX;
    match pairs.len() > PAIRS as usize || pairs.iter().any(is_long) {
        true => Err(format!(
            "hosts.cycle: host {host} has too much to do: a cycle host has at most {PAIRS} flows, \
             of at most {FLOW_BYTES_MAX} bytes, among the first {FLOWS_MAX} of all hosts"
        )),
        false => Ok(pairs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_does_not_drift() {
        // 640 MHz: a cycle is 1562.5 ps.
        let clock = Clock { gbps: 40 };
        assert_eq!((clock.hz(), clock.ps(1), clock.ps(2)), (640_000_000, 1562, 3125));
        assert_eq!(clock.ps(640_000_000), 1_000_000_000_000);
        assert_eq!((clock.cycle(0), clock.cycle(3125), clock.cycle(3126)), (0, 2, 3));
    }
}
