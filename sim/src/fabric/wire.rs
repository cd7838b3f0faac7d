//! Sizes on the wire: those of the HPCC authors' ns-3, and those of this NIC.

use super::scenario::WireSpec;
use crate::net::switch::WIRE_OVERHEAD_BYTES;
use serde::{Deserialize, Serialize};

/// Links of a way at most: five switches.
pub const LINKS_MAX: usize = 6;

/// What the wire has beside a frame: preamble, FCS, gap.
pub const OVERHEAD_BYTES: u64 = WIRE_OVERHEAD_BYTES as u64;

/// A set of sizes and manners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Those of the HPCC authors' ns-3, for validation
    Ns3,
    /// Those of this NIC
    Nic,
}

/// Headers of data and ACKs without their telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Headers {
    /// 48 bytes a packet; an ACK has 46, but at least 60 in all
    Ns3,
    /// RoCEv2 on Ethernet, with preamble, FCS and gap: 82 bytes, 16 more in the first; ACKs have 86
    Nic,
}

/// Format of the telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Telemetry {
    /// The HPCC paper's: 42 bytes from the beginning on
    Native,
    /// P4-INT INT-MD: 16 bytes, and 24 a hop; utilisation in the place of bytes
    IntMd,
    /// IOAM trace: 12 bytes, and 24 a hop
    Ioam,
    /// IFA 2.0: 8 bytes, and 32 a hop
    Ifa,
}

/// Which ACKs a receiver sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Acks {
    /// One for each packet
    Each,
    /// One that still waits to leave is replaced by the next one of its flow
    Coalesced,
}

/// How a host chooses what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// Flows take turns; who was late is not compensated
    Ns3,
    /// The scheduler's promise: earliest deadline first, what was late is made up for
    Nic,
}

/// Sizes and manners, all settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Payload of a full packet.
    pub payload_bytes: u64,
    /// What a packet with telemetry has beside payload and telemetry.
    pub header_bytes: u64,
    /// What the first packet of a flow has beside that (RETH).
    pub first_bytes: u64,
    /// What of that no credit is taken for.
    unpaced_bytes: u64,
    /// Telemetry of a data packet on the link of this index of its way.
    pub telemetry_bytes: [u64; LINKS_MAX],
    /// An ACK that echoes the records of so many hops.
    pub ack_bytes: [u64; LINKS_MAX],
    /// Telemetry.
    pub telemetry: Telemetry,
    /// ACKs.
    pub acks: Acks,
    /// Choice of flows.
    pub pacing: Pacing,
    /// Time without an answer after which a flow sends again.
    pub timeout_ps: u64,
}

impl Wire {
    /// What `spec` asks for. Without `has_telemetry` packets carry none; with `echoes` of 1 ACKs bring
    /// the record of one hop back, with 0 none.
    pub fn new(spec: &WireSpec, has_telemetry: bool, echoes: Option<usize>) -> Self {
        let is_ns3 = spec.profile == Profile::Ns3;
        let default_headers = if is_ns3 { Headers::Ns3 } else { Headers::Nic };
        let headers = spec.headers.unwrap_or(default_headers);
        let telemetry = spec.telemetry.unwrap_or(Telemetry::Native);
        let data = |hops: usize| match telemetry {
            Telemetry::Native => 42,
            _ if hops == 0 => 0,
            Telemetry::IntMd => 16 + 24 * hops as u64,
            Telemetry::Ioam => 12 + 24 * hops as u64,
            Telemetry::Ifa => 8 + 32 * hops as u64,
        };
        // Our ACKs echo what there is, in the paper's form; but those of ns-3, and ours of the native
        // form, have room for five hops. That has no place for which hop it is that comes back alone.
        let is_native = telemetry == Telemetry::Native && echoes != Some(1);
        let echo = |hops: usize| match headers {
            Headers::Nic if !is_native => 2 + 8 * hops as u64,
            _ => 42,
        };
        let ack = |hops: usize| {
            let hops = echoes.map_or(hops, |echoes| echoes.min(hops));
            let tel = if has_telemetry && hops > 0 { echo(hops) } else { 0 };
            match headers {
                Headers::Ns3 => (46 + tel).max(60),
                Headers::Nic => 86 + tel,
            }
        };
        let mut wire = Self {
            payload_bytes: spec.payload_bytes.unwrap_or(if is_ns3 { 1000 } else { 1024 }).into(),
            header_bytes: if headers == Headers::Ns3 { 48 } else { 82 },
            first_bytes: if headers == Headers::Ns3 { 0 } else { 16 },
            unpaced_bytes: 0,
            telemetry_bytes: [0; LINKS_MAX],
            ack_bytes: [0; LINKS_MAX],
            telemetry,
            acks: spec.acks.unwrap_or(if is_ns3 { Acks::Each } else { Acks::Coalesced }),
            pacing: spec.pacing.unwrap_or(if is_ns3 { Pacing::Ns3 } else { Pacing::Nic }),
            timeout_ps: (spec.timeout_us * 1e6) as u64,
        };
        if headers == Headers::Nic && wire.pacing == Pacing::Nic {
            wire.unpaced_bytes = OVERHEAD_BYTES;
        }
        for hops in 0..LINKS_MAX {
            wire.telemetry_bytes[hops] = if has_telemetry { data(hops) } else { 0 };
            wire.ack_bytes[hops] = ack(hops);
        }
        wire
    }

    /// Bytes of packet `psn` of a flow of `bytes`, at its host's link.
    #[inline]
    pub fn data_bytes(&self, bytes: u64, psn: u32) -> u64 {
        let payload = self.payload_bytes.min(bytes - u64::from(psn) * self.payload_bytes);
        let first = if psn == 0 { self.first_bytes } else { 0 };
        payload + self.header_bytes + first + self.telemetry_bytes[0]
    }

    /// Those of them that its flow's credit pays for: of ours the frame, not what the wire has beside it.
    #[inline]
    pub fn paced_bytes(&self, bytes: u64, psn: u32) -> f64 {
        (self.data_bytes(bytes, psn) - self.unpaced_bytes) as f64
    }

    /// What a packet that has had `hops` records grows by with the next one.
    #[inline]
    pub fn growth_bytes(&self, hops: usize) -> u16 {
        (self.telemetry_bytes[hops + 1] - self.telemetry_bytes[hops]) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(text: &str) -> Wire {
        Wire::new(&toml::from_str(text).unwrap(), true, None)
    }

    #[test]
    fn wire_sizes_of_ns3() {
        let w = wire("");
        assert_eq!((w.data_bytes(1500, 0), w.data_bytes(1500, 1)), (1090, 590));
        assert_eq!((w.ack_bytes[1], w.growth_bytes(0)), (88, 0));
        let bare = Wire::new(&WireSpec::default(), false, None);
        assert_eq!((bare.data_bytes(1500, 0), bare.ack_bytes[5]), (1048, 60));
    }

    #[test]
    fn wire_sizes_of_the_nic() {
        // Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, payload 1024, ICRC 4, FCS 4, preamble and gap
        // 20, and 42 of telemetry.
        let w = wire("profile = 'nic'");
        assert_eq!((w.data_bytes(2000, 0), w.data_bytes(2000, 1)), (1164, 1100));
        assert_eq!(w.paced_bytes(2000, 0), 1140.0);
        // 86 with AETH, and 42 of telemetry; in the paper's form 2 + 8 a hop.
        assert_eq!((w.ack_bytes[1], w.ack_bytes[5]), (128, 128));
        let ifa = wire("profile = 'nic'\ntelemetry = 'ifa'");
        assert_eq!((ifa.data_bytes(2000, 1), ifa.growth_bytes(0)), (1058, 40));
        assert_eq!(ifa.growth_bytes(3), 32);
        assert_eq!((ifa.ack_bytes[1], ifa.ack_bytes[5]), (96, 128));
    }
}
