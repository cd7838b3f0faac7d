//! Flows: one by one, many to one, or at random with sizes from a distribution.

use super::scenario::{Incast, Poisson, Scenario};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// A flow to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// When it starts.
    pub start_ps: u64,
    /// Host that sends.
    pub src: u16,
    /// Host that receives.
    pub dst: u16,
    /// Payload.
    pub bytes: u64,
    /// It is one of those that the results are about; the others are there before and after them.
    pub is_counted: bool,
}

/// Distribution of sizes: bytes, and the share of flows that have at most so many.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf(Vec<(f64, f64)>);

impl Cdf {
    /// Reads a file.
    ///
    /// # Errors
    /// A sentence that names file and line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{at}: cannot read: {e}"))?;
        Self::parse(&text).map_err(|e| format!("{at}: {e}"))
    }

    /// Lines of bytes and per cent, both ascending, up to 100.
    ///
    /// # Errors
    /// A sentence that names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut points: Vec<(f64, f64)> = vec![];
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let numbers: Vec<f64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
            let [bytes, percent] = numbers[..] else {
                return Err(format!("line {}: must be bytes and per cent", at + 1));
            };
            let least = points.last().copied().unwrap_or((0.0, 0.0));
            let is_ascending = bytes >= least.0 && percent >= least.1 * 100.0;
            if !is_ascending || !(0.0..=100.0).contains(&percent) || bytes > 4e9 {
                let text = "bytes (up to 4e9) and per cent (up to 100) must ascend";
                return Err(format!("line {}: {text}", at + 1));
            }
            points.push((bytes, percent / 100.0));
        }
        match points.last() {
            None => Err("the distribution is empty; lines must be bytes and per cent".into()),
            Some((bytes, share)) if *share < 1.0 || *bytes < 1.0 => {
                Err("the last line must have 100 per cent, and at least 1 byte".into())
            }
            Some(_) => Ok(Self(points)),
        }
    }

    /// Mean size, between the points in proportion.
    pub fn mean_bytes(&self) -> f64 {
        let parts = self.0.windows(2).map(|w| (w[0].0 + w[1].0) / 2.0 * (w[1].1 - w[0].1));
        parts.sum::<f64>() + self.0[0].0 * self.0[0].1
    }

    /// The size that a share of the flows has at most; at least 1.
    pub fn size_bytes(&self, share: f64) -> u64 {
        let at = self.0.partition_point(|(_, s)| *s < share).min(self.0.len() - 1);
        let (bytes, s) = self.0[at];
        let before = if at == 0 { (bytes, 0.0) } else { self.0[at - 1] };
        let part = if s > before.1 { (share - before.1) / (s - before.1) } else { 1.0 };
        ((before.0 + part * (bytes - before.0)) as u64).max(1)
    }
}

/// Exponential waiting time of this mean.
fn gap_ps(rng: &mut ChaCha8Rng, mean_ps: f64) -> f64 {
    -(1.0 - rng.gen::<f64>()).ln() * mean_ps
}

/// All flows of a scenario, in the order in which they start.
///
/// # Errors
/// A sentence about a file that cannot be used.
pub fn demands(scenario: &Scenario) -> Result<Vec<Demand>, String> {
    let mut all: Vec<Demand> = scenario
        .flow
        .iter()
        .map(|f| Demand {
            start_ps: f.start_ns * 1000,
            src: f.src as u16,
            dst: f.dst as u16,
            bytes: f.bytes,
            is_counted: true,
        })
        .collect();
    if let Some(incast) = &scenario.incast {
        all.extend(match incast.load {
            None => {
                let senders = (1..=incast.senders as u16).collect();
                burst(incast, 0, senders, incast.start_ns * 1000)
            }
            Some(load) => bursts(scenario, incast, load),
        });
    }
    if let Some(spec) = &scenario.poisson {
        all.extend(poisson(scenario, spec, &Cdf::read(&spec.cdf)?));
        let counted = (spec.margin_ms * 1e9) as u64..((spec.margin_ms + spec.ms) * 1e9) as u64;
        for demand in &mut all {
            demand.is_counted = spec.margin_ms == 0.0 || counted.contains(&demand.start_ps);
        }
    }
    all.sort_by_key(|demand| demand.start_ps);
    Ok(all)
}

/// Flows between random pairs; each host has a source of chance of its own, so that more hosts or more
/// time leave the flows before as they are.
fn poisson(scenario: &Scenario, spec: &Poisson, cdf: &Cdf) -> Vec<Demand> {
    let hosts = scenario.topology.hosts as u16;
    let host_bps = f64::from(scenario.topology.host_gbps) * 1e9;
    let mean_ps = cdf.mean_bytes() * 8e12 / (host_bps * spec.load);
    let mut all = vec![];
    for src in 0..hosts {
        let mut rng = ChaCha8Rng::seed_from_u64(scenario.seed);
        rng.set_stream(src.into());
        let mut at_ps = 0.0;
        loop {
            at_ps += gap_ps(&mut rng, mean_ps);
            if at_ps > spec.total_ms() * 1e9 {
                break;
            }
            let other = rng.gen_range(0..hosts - 1);
            let dst = if other >= src { other + 1 } else { other };
            let bytes = cdf.size_bytes(rng.gen());
            all.push(Demand { start_ps: at_ps as u64, src, dst, bytes, is_counted: true });
        }
    }
    all
}

fn burst(incast: &Incast, dst: u16, senders: Vec<u16>, start_ps: u64) -> Vec<Demand> {
    let flow = |src| Demand { start_ps, src, dst, bytes: incast.bytes, is_counted: true };
    senders.into_iter().map(flow).collect()
}

/// Bursts that are `load` of the capacity of all hosts' links.
fn bursts(scenario: &Scenario, incast: &Incast, load: f64) -> Vec<Demand> {
    let hosts = scenario.topology.hosts as u16;
    let all_bps = f64::from(hosts) * f64::from(scenario.topology.host_gbps) * 1e9;
    let burst_bytes = incast.bytes as f64 * f64::from(incast.senders);
    let mean_ps = burst_bytes * 8e12 / (all_bps * load);
    let end_ps = scenario.poisson.as_ref().map_or(0.0, |p| p.total_ms() * 1e9);
    let mut rng = ChaCha8Rng::seed_from_u64(scenario.seed);
    rng.set_stream(u64::MAX);
    let (mut all, mut at_ps) = (vec![], 0.0);
    loop {
        at_ps += gap_ps(&mut rng, mean_ps);
        if at_ps > end_ps {
            return all;
        }
        let dst = rng.gen_range(0..hosts);
        let mut others: Vec<u16> = (0..hosts).filter(|host| *host != dst).collect();
        // The first ones of a shuffle.
        for at in 0..incast.senders as usize {
            let other = rng.gen_range(at..others.len());
            others.swap(at, other);
        }
        others.truncate(incast.senders as usize);
        all.extend(burst(incast, dst, others, at_ps as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_sizes_follow_the_distribution() {
        let cdf = Cdf::parse("0 0\n100 50\n300 100\n").unwrap();
        assert_eq!(cdf.mean_bytes(), 0.5 * 50.0 + 0.5 * 200.0);
        let sizes = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| cdf.size_bytes(share));
        assert_eq!(sizes, [1, 50, 100, 200, 300]);
        // Half of the flows have exactly 100 bytes.
        let cdf = Cdf::parse("100 50\n100 50\n300 100\n").unwrap();
        assert_eq!((cdf.size_bytes(0.1), cdf.mean_bytes()), (100, 150.0));
    }

    #[test]
    fn traffic_names_the_line_of_a_bad_distribution() {
        let error = |text| Cdf::parse(text).unwrap_err();
        assert!(error("").contains("empty"));
        assert!(error("0 0\nx 100\n").starts_with("line 2"));
        assert!(error("0 0\n10 60\n20 50\n").starts_with("line 3"));
        assert!(error("0 0\n10 60\n").contains("100 per cent"));
        assert!(error("0 nan\n").starts_with("line 1"));
    }
}
