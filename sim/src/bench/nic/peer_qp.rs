//! The peer's end of a queue pair, its frames, and what it does to them.

use nic_models::reference::rc::feedback::FeedbackCheck;
use nic_spec::wire::aeth::{self};
use nic_spec::wire::bth::{self, opcode};
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::{ethernet, ipv4, reth};
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

pub(super) const LOCAL_MAC: u64 = 0x0200_0000_0001;

pub(super) const PEER_MAC: u64 = 0x0200_0000_0002;

pub(super) const LOCAL_IP: u32 = 0x0a00_0001;

pub(super) const PEER_IP: u32 = 0x0a00_0002;

/// Bits of PSNs and QPNs.
pub(super) const MASK_24: u32 = 0xff_ffff;

/// The peer's end of a queue pair.
#[derive(Debug)]
pub(super) struct PeerQp {
    pub(super) index: usize,
    pub(super) has_telemetry: bool,
    pub(super) mtu_bytes: u32,
    /// Next PSN that the peer sends, and the message it belongs to.
    pub(super) psn: u32,
    pub(super) message_psn: u32,
    pub(super) message_bytes: u32,
    pub(super) offset: u32,
    pub(super) va: u64,
    pub(super) rkey: u32,
    pub(super) with_immediate: bool,
    /// The message is a READ.
    pub(super) is_read: bool,
    pub(super) in_message: bool,
    /// READs that were asked for: PSN, address, bytes.
    pub(super) old_reads: VecDeque<(u32, u64, u32)>,
    /// PSNs of the responses to the NIC's latest READs: the first one, and how many.
    pub(super) asked_reads: VecDeque<(u32, u32)>,
    pub(super) is_failed: bool,
    /// Telemetry responses that the NIC owes for READ responses of the peer.
    pub(super) feedback: FeedbackCheck,
    pub(super) handle: nic_driver::Qp,
    /// The submission ring: where it stands, its bytes, and the index that it begins at.
    pub(super) sq_address: u64,
    pub(super) sq_bytes: u64,
    pub(super) first_index: u16,
}

/// READs of the NIC that the peer remembers.
const READS_KEPT: usize = 32;

impl PeerQp {
    /// The NIC asks for `count` responses from `psn` on: whether in the middle of a READ.
    pub(super) fn resumes(&mut self, psn: u32, count: u32) -> bool {
        let index = |first: u32| psn.wrapping_sub(first) & MASK_24;
        let known = self.asked_reads.iter().rev().find(|(first, count)| index(*first) < *count);
        if let Some((first, _)) = known {
            return *first != psn;
        }
        self.asked_reads.push_back((psn, count));
        let surplus = self.asked_reads.len().saturating_sub(READS_KEPT);
        self.asked_reads.drain(..surplus);
        false
    }
}

impl PeerQp {
    /// Goes back to `psn` of this message; an earlier one is given up.
    pub(super) fn go_back(&mut self, psn: u32) {
        let back = psn.wrapping_sub(self.message_psn) & MASK_24;
        if back < 1 << 23 && back * self.mtu_bytes <= self.message_bytes {
            self.psn = psn;
            self.offset = back * self.mtu_bytes;
            self.in_message = true;
        } else {
            self.is_failed = true;
        }
    }
}

pub(super) fn rkey(index: usize) -> u32 {
    (index as u32 + 1) << 8 | 0xa5
}

pub(super) fn qpn(index: usize) -> u32 {
    0x10_0000 + 11 * index as u32
}

pub(super) fn peer_bth(qp: &PeerQp) -> bth::Repr {
    bth::Repr { pkey: 0xffff, qpn: qpn(qp.index), ..bth::Repr::default() }
}

pub(super) fn peer_frame(qp: &PeerQp, dscp: u8) -> FrameRepr<'static> {
    FrameRepr {
        ethernet: ethernet::Repr { dst: LOCAL_MAC, src: PEER_MAC, ..ethernet::Repr::default() },
        ip: ipv4::Repr { dscp, ttl: 64, src: PEER_IP, dst: LOCAL_IP, ..ipv4::Repr::default() },
        udp_src_port: 0xd000 + qp.index as u16,
        ..FrameRepr::default()
    }
}

pub(super) fn emit(frame: &FrameRepr) -> Vec<u8> {
    let mut bytes = vec![0; frame.buffer_len().max(60)];
    frame.emit(&mut bytes);
    bytes
}

/// A packet that is valid on the wire and wrong in its meaning.
pub(super) fn misbehave(rng: &mut ChaCha8Rng, frame: &mut FrameRepr) {
    match rng.gen_range(0..8) {
        0 => frame.bth.pkey = rng.gen(),
        1 => frame.bth.qpn = rng.gen_range(0..1 << 24),
        2 => frame.bth.psn = frame.bth.psn.wrapping_add(rng.gen_range(0..8)) & MASK_24,
        3 => frame.bth.psn = frame.bth.psn.wrapping_sub(rng.gen_range(0..8)) & MASK_24,
        4 => frame.ip.src = rng.gen(),
        5 => frame.ethernet.vlan_tci = Some(rng.gen()),
        6 => {
            let codes = [0, 4, opcode::READ_REQUEST, opcode::READ_RESPONSE_ONLY, 0x13, 0x1f, 0x64];
            let code = *codes.choose(rng).expect("not empty");
            frame.bth.opcode = code;
            let bare = (reth::Repr::default(), aeth::Repr::default());
            frame.reth = opcode::has_reth(code).then(|| frame.reth.unwrap_or(bare.0));
            frame.aeth = opcode::has_aeth(code).then_some(bare.1);
            frame.imm = opcode::has_immdt(code).then_some(1);
        }
        _ => frame.payload = &[],
    }
}

/// A frame that was damaged on the way.
pub(super) fn damage(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>) {
    match rng.gen_range(0..3) {
        0 => bytes.truncate(rng.gen_range(20..=bytes.len())),
        1 => bytes.resize(rng.gen_range(bytes.len()..bytes.len() + 64), 0x5a),
        _ => {
            let bit = rng.gen_range(14 * 8..bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
