//! What memory must hold at the end: all messages run through the message-level reference, over a
//! link without faults.

use super::host::Host;
use super::plan::*;
use crate::env::axi_mem::AxiMem;
use crate::net::Network;
use nic_models::reference::rc::requester::{Limits, Requester, Work};
use nic_models::reference::rc::responder::{Abilities, Responder};
use nic_models::reference::rc::{Memory, Region};
use nic_spec::rows::Completion;
use std::ops::Range;

/// A host's memory: the region that its peer writes to, and where its READs land.
pub(super) struct Image {
    target: Vec<u8>,
    landing: Vec<u8>,
}

/// The images of both hosts.
pub(super) fn images(plan: &Plan, network: &Network, hosts: &[Host]) -> [Image; 2] {
    let bytes = region_bytes(plan) as usize;
    let mut memories = [0, 1].map(|at| memory(&network.stations[at].memory, at, bytes));
    let mut landings = [vec![0; bytes], vec![0; bytes]];
    for (at, host) in hosts.iter().enumerate() {
        let local = &network.stations[at].memory;
        for messages in &host.messages {
            exchange(plan, at, messages, local, &mut memories[1 - at], &mut landings[at]);
        }
    }
    [0, 1].map(|at| {
        let target = memories[at].regions.remove(&rkey(at)).expect("as made").bytes;
        Image { target, landing: std::mem::take(&mut landings[at]) }
    })
}

/// Memory of station `at` before the run, as its peer sees it.
fn memory(stored: &AxiMem, at: usize, bytes: usize) -> Memory {
    let target = Region { va: REGION_VA, remote_write: true, ..Region::default() };
    let read = Region { va: READ_VA, remote_read: true, ..Region::default() };
    let regions = [
        (rkey(at), Region { bytes: vec![0; bytes], ..target }),
        (rkey(at) + READ_REGION, Region { bytes: stored.load(READ_BASE, bytes), ..read }),
    ];
    Memory { regions: regions.into() }
}

/// The messages of one queue pair of station `at`.
fn exchange(
    plan: &Plan,
    at: usize,
    messages: &[Message],
    local: &AxiMem,
    remote: &mut Memory,
    landing: &mut [u8],
) {
    let mtu_bytes = 256 << plan.mtu_code;
    let limits = Limits { ack_interval: 1, retry: 0, rnr_retry: Some(0), reads: 1 };
    let abilities = Abilities { write: true, read: true, send: false, atomic: false };
    let mut requester = Requester::new(mtu_bytes, first_psn(at), limits);
    let mut responder = Responder::new(mtu_bytes, first_psn(at), abilities);
    for message in messages {
        requester.post(message.reference_work(1 - at, local));
        while let Some(request) = requester.send() {
            for answer in responder.request(remote, &request).answers {
                requester.answer(&answer);
            }
        }
        assert!(requester.is_idle() && !responder.is_closed(), "the reference fails");
        for part in requester.landings.drain(..) {
            let start = (message.local - LANDING_BASE) as usize + part.offset as usize;
            landing[start..start + part.bytes.len()].copy_from_slice(&part.bytes);
        }
    }
}

impl Message {
    fn reference_work(&self, peer: usize, local: &AxiMem) -> Work {
        let (va, rkey) = match self.is_read {
            true => (READ_VA + self.remote_offset, rkey(peer) + READ_REGION),
            false => (REGION_VA + self.remote_offset, rkey(peer)),
        };
        let work = Work { va, rkey, imm: self.immediate, ..Work::default() };
        let length = self.length_bytes as usize;
        match self.is_read {
            false if self.inline.is_some() => {
                Work { bytes: self.inline.unwrap_or_default()[..length].to_vec(), ..work }
            }
            true => Work { read_bytes: Some(self.length_bytes), ..work },
            false => Work { bytes: local.load(self.local, length), ..work },
        }
    }
}

/// Holds the memory of station `at` against its image.
pub(super) fn verify(plan: &Plan, network: &Network, hosts: &mut [Host], at: usize, image: &Image) {
    let here = &network.stations[at].memory;
    let places = [(TARGET_BASE, &image.target), (LANDING_BASE, &image.landing)];
    let (mut wrong, mut is_right) = (0, Vec::new());
    for (base, expected) in places {
        let held = here.load(base, expected.len());
        let right: Vec<bool> = held.iter().zip(expected).map(|(a, b)| a == b).collect();
        wrong += right.iter().filter(|right| !*right).count() as u64;
        is_right.push(right);
    }
    let equal = |part: usize, start: u64, length: u32| {
        let bytes = &is_right[part][start as usize..][..length as usize];
        bytes.iter().filter(|right| **right).count() as u64
    };
    let written = hosts[1 - at].messages.iter().flatten().filter(|m| !m.is_read);
    let written: u64 = written.map(|m| equal(0, m.remote_offset, m.length_bytes)).sum();
    let read = hosts[at].messages.iter().flatten().filter(|m| m.is_read);
    let read: u64 = read.map(|m| equal(1, m.local - LANDING_BASE, m.length_bytes)).sum();
    let mut inside: Vec<Range<u64>> =
        places.iter().map(|(base, expected)| *base..base + expected.len() as u64).collect();
    if hosts[at].has_ring() {
        inside.push(CQ_BASE..CQ_BASE + (Completion::RING_BYTES << plan.software.cq_log2));
    }
    let outside = |r: &Range<u64>| {
        let common = |i: &Range<u64>| r.end.min(i.end).saturating_sub(r.start.max(i.start));
        r.end - r.start - inside.iter().map(common).sum::<u64>()
    };
    let report = &mut hosts[at].report;
    report.bytes_verified = written + read;
    report.bytes_wrong = wrong;
    report.bytes_stray = here.written_ranges().iter().map(outside).sum();
    report.tx_beats = network.stations[at].tx_beats();
}
