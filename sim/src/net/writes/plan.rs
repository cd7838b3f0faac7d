//! What a run consists of: the plan, where its messages stand in memory, and their keys.

use crate::env::station::Manners;
use crate::net::switch::{Faults, Stamping};
use nic_driver::rings::Work;
use nic_driver::{CcMode, Read, Write, INLINE_BYTES_MAX};
use nic_spec::cc_params::CcConfig;

/// Where they are.
pub const SQ_BASE: u64 = 0x10_0000;
pub const CQ_BASE: u64 = 0x20_0000;
/// Bytes of a ring's entry.
pub const SQ_ENTRY_BYTES: u64 = 64;
/// QPN of the first queue pair, whose index is 0.
pub const FIRST_QPN: u32 = 0x1000;
/// Where messages stand in host memory, and where the peer's writes land.
pub const SOURCE_BASE: u64 = 0x1_0000_0000;
pub const TARGET_BASE: u64 = 0x8_0000_0000;
/// What the peer reads, and where what is read from the peer lands.
pub const READ_BASE: u64 = 0x10_0000_0000;
pub const LANDING_BASE: u64 = 0x18_0000_0000;
/// Virtual address of the regions that are written and that are read.
pub const REGION_VA: u64 = 0x7f00_0000_0000;
pub const READ_VA: u64 = 0x6e00_0000_0000;
/// Index of the region that is read, as its rkey's.
pub const READ_REGION: u32 = 0x20_00;

/// The software of a NIC, and its host's memory.
#[derive(Clone, Copy, Debug)]
pub struct Software {
    /// Send queues are 4 to the power of this times deeper, for as many times fewer queue pairs, 0..=2.
    pub sq_scale: u8,
    /// log2 of the entries of a submission ring; all rings fit into 1 MiB.
    pub sq_log2: u8,
    /// log2 of those of the completion ring.
    pub cq_log2: u8,
    /// Cycles between two looks at the completion queues.
    pub poll_cycles: u64,
    /// Cycles until memory that is prompt answers; those of a station if absent.
    pub memory_cycles: Option<u64>,
}

impl Default for Software {
    /// Rings so small that they wrap often and fill up.
    fn default() -> Self {
        Self { sq_scale: 0, sq_log2: 3, cq_log2: 5, poll_cycles: 500, memory_cycles: None }
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Clock of the cores, Hz.
    pub clock_hz: u64,
    /// Rate of the switch ports, Gb/s.
    pub link_gbps: f64,
    /// Rate at which the MACs of the NICs send, Gb/s; absent: a beat a cycle.
    pub mac_gbps: Option<f64>,
    /// Telemetry on the wire.
    pub stamping: Option<Stamping>,
    /// Rate code of the ports of a switch that frames pass first, which stamps natively; none if absent.
    pub first_rate_code: Option<u8>,
    /// What goes wrong on the way.
    pub faults: Faults,
    /// Opcode that does not get through the switch.
    pub cut_opcode: Option<u8>,
    /// PSNs from one packet that leaves room for telemetry to the next one; 0: none does, 255: once a
    /// round trip.
    pub telemetry_every: u8,
    /// Cycles from one probe of a queue pair to the next one at least; 0: no probes.
    pub probe_cycles: u32,
    /// Who computes the windows, and what is echoed.
    pub cc_mode: CcMode,
    /// Queue pairs of each NIC.
    pub qp_count: u32,
    /// Messages of each queue pair.
    pub message_count: u32,
    /// Only the first NIC has messages.
    pub one_way: bool,
    /// Shortest and longest message, bytes.
    pub message_bytes: (u32, u32),
    /// Share of the messages that are READs, the others being WRITEs.
    pub read_percent: u32,
    /// Share of the WRITEs that carry immediate data.
    pub immediate_percent: u32,
    /// WRITEs of at most [`INLINE_BYTES_MAX`] bytes bring them in their work requests.
    pub has_inline: bool,
    /// Queue pairs that post through submission rings, the others do so by registers. If there are
    /// any, all completions go to a ring.
    pub ring_qp_count: u32,
    /// READs that a queue pair may have outstanding.
    pub read_limit: u8,
    /// Path MTU code: 256 << code bytes.
    pub mtu_code: u8,
    /// Initial window, bytes.
    pub window_bytes: u32,
    /// Congestion control, where telemetry is on.
    pub cc: CcConfig,
    /// Retransmission timeout exponent.
    pub timeout_exponent: u8,
    /// Behaviour of memory, streams and register bus.
    pub manners: Manners,
    /// What the NICs' software is like.
    pub software: Software,
    /// Seed of everything random.
    pub seed: u64,
}

impl Plan {
    /// The first queue pair that has a submission ring.
    pub fn first_ring_qp(&self) -> u32 {
        self.qp_count.saturating_sub(self.ring_qp_count)
    }
}

/// Room for a message, at any place in 64 bytes.
pub fn slot_bytes(plan: &Plan) -> u64 {
    u64::from(plan.message_bytes.1).next_multiple_of(64) + 64
}

pub fn region_bytes(plan: &Plan) -> u64 {
    slot_bytes(plan) * u64::from(plan.qp_count) * u64::from(plan.message_count)
}

/// Key of the region that is written.
pub fn rkey(station: usize) -> u32 {
    0x0000_0300 + ((station as u32) << 8) + 0x5a
}

/// PSNs wrap early in the run.
pub fn first_psn(station: usize) -> u32 {
    0xff_fff0 + 7 * station as u32
}

/// A message of the plan: which way it goes, where it stands and where it goes. A WRITE stands at an
/// address of ours and goes to an offset in the peer's region, a READ the other way round.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub is_read: bool,
    pub immediate: Option<u32>,
    /// The bytes, where they go with the work request.
    pub inline: Option<[u8; INLINE_BYTES_MAX]>,
    pub local: u64,
    pub remote_offset: u64,
    pub length_bytes: u32,
}

impl Message {
    /// It, as the driver posts it to `peer`.
    pub fn work(&self, peer: usize) -> Work {
        let (local_address, length_bytes) = (self.local, self.length_bytes);
        if self.is_read {
            let (remote_va, rkey) = (READ_VA + self.remote_offset, rkey(peer) + READ_REGION);
            return Work::Read(Read {
                local_address,
                length_bytes,
                remote_va,
                rkey,
                unsignalled: false,
            });
        }
        let (remote_va, rkey) = (REGION_VA + self.remote_offset, rkey(peer));
        let (immediate, inline) = (self.immediate, self.inline);
        Work::Write(Write {
            local_address,
            length_bytes,
            remote_va,
            rkey,
            immediate,
            inline,
            unsignalled: false,
        })
    }
}
