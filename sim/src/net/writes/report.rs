//! What came of a run.

use crate::net::history::History;
use crate::net::switch::SwitchCounters;
use crate::net::{Ack, Carried};
use std::collections::BTreeMap;

/// What one NIC did.
#[derive(Clone, Debug, Default)]
pub struct NicReport {
    /// Event counters by name.
    pub counters: Vec<(&'static str, u32)>,
    /// Completions of work requests, with success.
    pub completions: u32,
    /// Completions with another status.
    pub failures: u32,
    /// Completions that came twice, not in the order of their posts, or for nothing.
    pub completions_wrong: u32,
    /// WRITEs with immediate received.
    pub received: u32,
    /// READs among the messages.
    pub reads: u32,
    /// Bytes of messages that landed in this NIC's memory as the reference has them.
    pub bytes_verified: u64,
    /// Bytes of the regions, whole, that differ from the reference.
    pub bytes_wrong: u64,
    /// Bytes written outside the region.
    pub bytes_stray: u64,
    /// Beats sent.
    pub tx_beats: u64,
    /// Window and rate of the first flow when the run ended, bytes and UQ8.24 bytes a cycle: of its READ
    /// responses if the plan has nothing but READs.
    pub flow0: Option<(u32, u32)>,
}

impl NicReport {
    /// Value of an event counter.
    pub fn counter(&self, name: &str) -> u32 {
        self.counters.iter().find(|(n, _)| *n == name).map_or(0, |(_, count)| *count)
    }
}

/// How far the run was at some time.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// When.
    pub cycle: u64,
    /// Work requests of each NIC that had completed.
    pub completions: [u32; 2],
    /// What had gone to each NIC.
    pub carried: [Carried; 2],
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// One a NIC.
    pub nics: Vec<NicReport>,
    /// The switch.
    pub switch: SwitchCounters,
    /// Cycles run.
    pub cycles: u64,
    /// Time in ns from the first post to the last completion.
    pub busy_ns: f64,
    /// Frames that the NICs sent.
    pub frames: u64,
    /// ACKs among them.
    pub acks: BTreeMap<Ack, u64>,
    /// What happened from the first post until nothing did any more.
    pub history: Option<History>,
    /// How far it was, each time the software looked.
    pub samples: Vec<Sample>,
}

impl Report {
    /// Payload verified per time, Gb/s, both directions together.
    pub fn goodput_gbps(&self) -> f64 {
        let bytes: u64 = self.nics.iter().map(|n| n.bytes_verified).sum();
        bytes as f64 * 8.0 / self.busy_ns
    }

    /// Whether every byte landed where it should and nowhere else, and every message completed
    /// once.
    pub fn is_good(&self) -> bool {
        let good = |n: &NicReport| {
            let bytes = n.bytes_wrong == 0 && n.bytes_stray == 0;
            bytes && n.failures == 0 && n.completions_wrong == 0
        };
        self.nics.iter().all(good)
    }
}
