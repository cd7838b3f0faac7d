//! Flows, packets and hosts: what the simulation keeps of each.

use super::cc::{HpccState, Pace, Records, State};
use super::topology::Way;
use super::wire::Wire;
use std::collections::VecDeque;

/// No packet.
pub const NO_PACKET: u32 = u32::MAX;

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Payload.
    #[default]
    Data,
    /// All up to `psn` has arrived.
    Ack,
    /// All before `psn` has arrived, and something behind it.
    Nak,
    /// `psn` is the window that the receiver has computed.
    Window,
}

/// A packet: 64 bytes, because memory is what a large network waits for.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Packet {
    /// Records of the switches that it has passed.
    pub hops: [u64; 5],
    /// When its host sent it; of an ACK, the data packet.
    pub sent_ps: u64,
    /// Its flow.
    pub flow: u32,
    /// Number in the flow.
    pub psn: u32,
    /// Bytes at its host.
    pub bytes: u16,
    /// What it is.
    pub kind: Kind,
    /// A switch has marked it.
    pub is_marked: bool,
    /// Records in it.
    pub hop_count: u8,
    /// Which hops these are, where not all are there.
    pub path: u8,
}

impl Packet {
    /// Its telemetry.
    pub fn records(&self) -> Records {
        Records { hops: self.hops, count: self.hop_count, path: self.path.into() }
    }
}

/// What a receiver keeps for congestion control, where it takes part.
#[derive(Clone, Debug)]
pub struct AtReceiver {
    /// Its view of the flow.
    pub state: HpccState,
    /// The hop that was named last, and the one in force: that which was named twice running.
    pub named_hop: Option<u8>,
    /// The hop whose records ACKs bring back.
    pub hop: Option<u8>,
}

/// A flow, both of its ends.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Index of what was asked for.
    pub demand: u32,
    /// Host that sends.
    pub src: u16,
    /// Host that receives.
    pub dst: u16,
    /// Way of the data.
    pub way: Way,
    /// Way of the ACKs.
    pub back: Way,
    /// Payload.
    pub bytes: u64,
    /// Packets of it.
    pub packet_count: u32,
    /// Next packet to send.
    pub next_psn: u32,
    /// First packet that was never sent.
    pub new_psn: u32,
    /// First packet that is not acknowledged.
    pub acked_psn: u32,
    /// Packets in the network, of both directions.
    pub in_network: u32,
    /// When the next packet may leave.
    pub due_ps: u64,
    /// Window and rate.
    pub pace: Pace,
    /// When the last answer came that brought the flow on, or the first packet left.
    pub progress_ps: u64,
    /// Congestion control at the sender.
    pub state: State,
    /// Congestion control at the receiver.
    pub at_receiver: Option<Box<AtReceiver>>,
    /// At the receiver: the next packet in order.
    pub expected_psn: u32,
    /// At the receiver: a NAK was sent for this gap.
    pub has_nak: bool,
    /// At the receiver: the ACK that waits to leave.
    pub waiting_ack: u32,
    /// Number of the window in which it was counted as active.
    pub active_in: u64,
}

impl Flow {
    /// It has something to send, and an open window. With nothing in flight one packet may always go.
    #[inline]
    pub fn is_open(&self, wire: &Wire) -> bool {
        let in_flight = u64::from(self.next_psn - self.acked_psn) * wire.payload_bytes;
        self.next_psn < self.packet_count && (in_flight == 0 || in_flight < self.pace.window_bytes)
    }

    /// All of it is acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.acked_psn == self.packet_count
    }
}

/// A host's port and what it has to send.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// Until when its link is busy.
    pub busy_ps: u64,
    /// When it looks again, if that is known.
    pub timer_ps: u64,
    /// Its switch lets nothing come.
    pub is_paused: bool,
    /// ACKs and the like: they leave ahead of data.
    pub answers: VecDeque<u32>,
    /// Flows that it sends.
    pub flows: Vec<u32>,
    /// The flow that sent last, by index.
    pub turn: usize,
    /// Its timer for lost packets runs.
    pub is_watching: bool,
    /// Number of the present window for active flows, those seen in it, and in the one before.
    pub active: (u64, u32, u32),
}

impl Host {
    /// A flow is active at `now_ps`; how many were in the window of `window_ps` before.
    pub fn count_active(&mut self, flow: &mut Flow, now_ps: u64, window_ps: u64) -> u32 {
        let number = 1 + now_ps / window_ps;
        if number != self.active.0 {
            let before = if number == self.active.0 + 1 { self.active.1 } else { 0 };
            self.active = (number, 0, before);
        }
        if flow.active_in != number {
            flow.active_in = number;
            self.active.1 += 1;
        }
        self.active.2.max(1)
    }
}
