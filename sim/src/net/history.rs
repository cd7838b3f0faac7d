//! What the NICs of a network and its switch do over time: windows and rates of the flows, queues,
//! what is sent and what is lost.

use super::switch::{Switch, WIRE_OVERHEAD_BYTES};
use crate::engine::Paces;
use nic_models::golden::nic::Pace;
use std::io::Write;

/// Shortest period of a sample, cycles.
const PERIOD_CYCLES_MIN: u64 = 64;
/// Samples that are kept, at most: before there are more, each two become one.
const SAMPLES_MAX: usize = 2048;

/// What one NIC did in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NicSample {
    /// At the end, of each queue pair: of its data, of its READ responses.
    pub paces: Vec<[Pace; 2]>,
    /// Frames sent, in bytes of the link.
    pub sent_bytes: u64,
    /// Those of them that the switch lost or corrupted.
    pub lost_count: u64,
    /// Longest queue in the switch on the way to the other NIC.
    pub queue_bytes_max: u64,
}

impl NicSample {
    /// Takes in what came next.
    fn merge(&mut self, next: Self) {
        self.paces = next.paces;
        self.sent_bytes += next.sent_bytes;
        self.lost_count += next.lost_count;
        self.queue_bytes_max = self.queue_bytes_max.max(next.queue_bytes_max);
    }
}

/// Two NICs over time, in periods of equal length.
#[derive(Clone, Debug)]
pub struct History {
    paces: [Paces; 2],
    qp_flows: Vec<usize>,
    flow_count: usize,
    period_cycles: u64,
    samples: Vec<[NicSample; 2]>,
    /// The period that has begun, and its cycles so far.
    open: [NicSample; 2],
    open_cycles: u64,
}

impl History {
    /// Nothing yet. `qp_flows` are the indices of the queue pairs, the same in both NICs, of which each
    /// has `flow_count`.
    pub fn new(paces: [Paces; 2], qp_flows: Vec<usize>, flow_count: usize) -> Self {
        Self {
            paces,
            qp_flows,
            flow_count,
            period_cycles: PERIOD_CYCLES_MIN,
            samples: vec![],
            open: Default::default(),
            open_cycles: 0,
        }
    }

    /// NIC `at` has sent a frame of so many bytes, which got through the switch's faults or not.
    pub(super) fn sent(&mut self, at: usize, frame_bytes: usize, is_lost: bool) {
        self.open[at].sent_bytes += (frame_bytes + WIRE_OVERHEAD_BYTES) as u64;
        self.open[at].lost_count += u64::from(is_lost);
    }

    /// A cycle is over.
    pub(super) fn cycle(&mut self, switch: &Switch) {
        for (at, nic) in self.open.iter_mut().enumerate() {
            nic.queue_bytes_max = nic.queue_bytes_max.max(switch.queue_bytes(1 - at));
        }
        self.open_cycles += 1;
        if self.open_cycles < self.period_cycles {
            return;
        }
        for (nic, paces) in self.open.iter_mut().zip(&self.paces) {
            let of = |flow: &usize| [paces.of(*flow), paces.of(*flow + self.flow_count)];
            nic.paces = self.qp_flows.iter().map(of).collect();
        }
        self.close();
    }

    /// Ends a period.
    fn close(&mut self) {
        self.samples.push(std::mem::take(&mut self.open));
        self.open_cycles = 0;
        if self.samples.len() < SAMPLES_MAX {
            return;
        }
        let mut old = std::mem::take(&mut self.samples).into_iter();
        while let (Some(mut pair), Some(next)) = (old.next(), old.next()) {
            pair.iter_mut().zip(next).for_each(|(nic, next)| nic.merge(next));
            self.samples.push(pair);
        }
        self.period_cycles *= 2;
    }

    /// Cycles of a period.
    pub fn period_cycles(&self) -> u64 {
        self.period_cycles
    }

    /// Periods that are over: what each NIC did.
    pub fn samples(&self) -> &[[NicSample; 2]] {
        &self.samples
    }

    /// Writes a row a period; times are those of its end.
    pub fn write_csv(&self, out: impl Write, clock_hz: u64) -> csv::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        let mut names = vec!["time_us".to_string()];
        for nic in 1..=2 {
            let own = ["sent_gbps", "lost_count", "queue_bytes_max"];
            names.extend(own.map(|name| format!("nic{nic}_{name}")));
            for qp in 1..=self.qp_flows.len() {
                for flow in ["data", "response"] {
                    let names_of = ["window_bytes", "rate_gbps"];
                    names.extend(names_of.map(|name| format!("nic{nic}_qp{qp}_{flow}_{name}")));
                }
            }
        }
        csv.write_record(&names)?;
        for (index, nics) in self.samples.iter().enumerate() {
            let cycles = (index as u64 + 1) * self.period_cycles;
            let mut row = vec![format!("{:.3}", cycles as f64 * 1e6 / clock_hz as f64)];
            for nic in nics {
                let sent_gbps = gbps(nic.sent_bytes as f64 / self.period_cycles as f64, clock_hz);
                row.push(format!("{sent_gbps:.3}"));
                row.extend([nic.lost_count, nic.queue_bytes_max].map(|count| count.to_string()));
                for pace in nic.paces.iter().flatten() {
                    let rate = rate_gbps(pace.rate_uq8_24, clock_hz);
                    row.extend([pace.window_bytes.to_string(), format!("{rate:.3}")]);
                }
            }
            csv.write_record(&row)?;
        }
        csv.flush()?;
        Ok(())
    }
}

/// A rate in Gb/s.
pub fn gbps(bytes_per_cycle: f64, clock_hz: u64) -> f64 {
    bytes_per_cycle * 8.0 * clock_hz as f64 / 1e9
}

/// A rate in Gb/s, as the hardware has it.
pub fn rate_gbps(rate_uq8_24: u32, clock_hz: u64) -> f64 {
    gbps(f64::from(rate_uq8_24) / f64::from(1 << 24), clock_hz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use crate::net::switch::Faults;
    use nic_harness::verilator::Source;
    use nic_spec::NicConfig;

    #[test]
    fn periods_become_longer_and_nothing_is_lost() {
        let config = NicConfig::preset("gbe").unwrap();
        let source = Source::new("nic", "");
        let paces = [0, 1].map(|seed| {
            EngineKind::Golden.nic_with_paces(&config, &source, seed).expect("the golden model").1
        });
        let mut history = History::new(paces, vec![0, 3], config.flow_count);
        let switch = Switch::new(&[1, 2], 10.0, Faults::default(), 1);
        let periods = 5 * SAMPLES_MAX as u64;
        for cycle in 0..periods * PERIOD_CYCLES_MIN {
            if cycle % 1000 == 0 {
                history.sent(1, 976, cycle % 3000 == 0);
            }
            history.cycle(&switch);
        }
        assert_eq!(history.period_cycles(), 8 * PERIOD_CYCLES_MIN);
        assert_eq!(history.samples().len() as u64, periods / 8);
        let sum = |of: fn(&NicSample) -> u64| history.samples().iter().map(|s| of(&s[1])).sum();
        let (bytes, lost): (u64, u64) = (sum(|nic| nic.sent_bytes), sum(|nic| nic.lost_count));
        assert_eq!((bytes, lost), (656 * 1000, 219));
        assert!(history.samples().iter().all(|nics| nics[0].paces.len() == 2));
    }
}
