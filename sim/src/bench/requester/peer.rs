//! The far ends of the requester's bench: they lose, refuse, forget and spoil.

use super::world::{Answer, Mood, World, PSN_MASK};
use nic_models::streams::{self, Packet, Telemetry};
use nic_spec::wire::bth::opcode;
use rand::Rng;

/// Most responses to one READ request: the rest is lost.
const RESPONSES_MAX: u32 = 300;

/// READs that a peer remembers.
const READS_KEPT: usize = 64;

impl World {
    fn tel(&mut self) -> Telemetry {
        let rng = &mut self.rng;
        Telemetry {
            valid: rng.gen(),
            hops: rng.gen_range(0..7),
            path: rng.gen_range(0..1 << 12),
            hop: rng.gen(),
        }
    }

    fn ports(&mut self, at: usize, psn: u32, syndrome: u8) -> streams::Answer {
        let tel = self.tel();
        let peer = &self.peers[at];
        streams::Answer {
            valid: true,
            qpn: peer.qp.qpn,
            psn: psn & PSN_MASK,
            syndrome,
            msn: peer.msn,
            src_ip: peer.qp.remote_ip,
            opcode: opcode::ACKNOWLEDGE,
            payload_bytes: 0,
            tel,
        }
    }

    fn answer(&mut self, at: usize, psn: u32, syndrome: u8) {
        let ports = self.ports(at, psn, syndrome);
        self.answers.push_back(Answer::Ack(ports));
    }

    /// A READ request is answered, the first time or again.
    fn read(&mut self, peer: usize, pkt: &Packet) {
        let count = pkt.dma_len.div_ceil(256 << self.peers[peer].qp.mtu_code).max(1);
        let left_count = match self.rng.gen_range(0..10) {
            0 => self.rng.gen_range(0..count.min(8)),
            1..8 if count > RESPONSES_MAX => self.rng.gen_range(1..8),
            _ => count.min(RESPONSES_MAX),
        };
        let (psn, left_bytes) = (pkt.psn, pkt.dma_len);
        if count > 1 << 20 && self.rng.gen_ratio(3, 4) {
            // A response of its far end comes first.
            let far = psn.wrapping_add(self.rng.gen_range(count / 2..count));
            let mut ports = self.ports(peer, far, 0x1f);
            (ports.opcode, ports.payload_bytes) = (opcode::READ_RESPONSE_MIDDLE, 256);
            self.answers.push_back(Answer::Ack(ports));
        }
        self.answers.push_back(Answer::Read { peer, psn, left_bytes, left_count });
    }

    /// The peers change their ways.
    fn new_phase(&mut self) {
        self.phase_left = self.rng.gen_range(1..60);
        self.loss_256 = [0, 0, 0, 0, 0, 0, 2, 8, 40, 256][self.rng.gen_range(0..10)];
        self.mood = match self.rng.gen_range(0..12) {
            0..=5 if !self.is_harsh => Mood::Far,
            _ if !self.is_harsh => Mood::Calm,
            0 | 1 => Mood::NotReady,
            2 | 3 => Mood::Stubborn,
            4 | 5 => Mood::Refusing,
            6 | 7 => Mood::Unheard,
            _ => Mood::Calm,
        };
        if self.mood == Mood::Far {
            self.phase_left = 150;
        }
    }

    /// What the peer does with a packet.
    pub fn receive(&mut self, pkt: &Packet) {
        if self.phase_left == 0 {
            self.new_phase();
        }
        self.phase_left -= 1;
        let Some(at) = self.peers.iter().position(|p| p.flow == usize::from(pkt.flow)) else {
            return;
        };
        if self.peers[at].is_gone || self.rng.gen_range(0..256) < self.loss_256 {
            return;
        }
        let is_read = pkt.opcode == opcode::READ_REQUEST;
        let is_far = self.mood == Mood::Far;
        let peer = &mut self.peers[at];
        if peer.is_closed {
            let expected = peer.expected;
            return self.answer(at, expected, 0x21);
        }
        let gap = pkt.psn.wrapping_sub(peer.expected) & PSN_MASK;
        let (expected, before) = (peer.expected, peer.expected.wrapping_sub(1));
        if gap == 0 {
            let fate = self.rng.gen_range(0..1200);
            let not_ready = self.mood == Mood::NotReady && fate < 600;
            if fate < 3 || not_ready || (peer.is_fresh && fate < 400) {
                let code = 0x20 + [1, 1, 2, 3, 5][self.rng.gen_range(0..5)];
                self.answer(at, expected, code);
                if fate % 8 > 0 {
                    return;
                }
            } else if fate == 3 || (self.mood == Mood::Refusing && fate < 600) {
                let code = [0x61, 0x62, 0x62, 0x62, 0x63, 0x64, 0x7f][self.rng.gen_range(0..7)];
                return self.answer(at, expected, code);
            } else if self.mood == Mood::Stubborn && fate < 1160 {
                return self.answer(at, expected, 0x60);
            }
            let peer = &mut self.peers[at];
            let mtu = 256 << peer.qp.mtu_code;
            let psns = if is_read { pkt.dma_len.div_ceil(mtu).max(1) } else { 1 };
            peer.expected = (expected + psns) & PSN_MASK;
            (peer.has_nacked, peer.is_fresh) = (false, false);
            if is_read {
                peer.read_psns.push_back(pkt.psn);
                let surplus = peer.read_psns.len().saturating_sub(READS_KEPT);
                peer.read_psns.drain(..surplus);
            }
            if is_read || matches!(pkt.opcode, 8..=11) {
                peer.msn = (peer.msn + 1) & PSN_MASK;
            }
            if is_read {
                self.read(at, pkt);
            } else if self.reads_256 > 0 && self.rng.gen_bool(if is_far { 0.9 } else { 0.3 }) {
                // A READ response must do.
            } else if pkt.ack_req || self.rng.gen_bool(0.1) {
                let syndrome = [0x1f, 0x00, 0x0a][self.rng.gen_range(0..3)];
                self.answer(at, expected, syndrome);
            }
        } else if gap < 1 << 23 {
            if !peer.has_nacked || self.mood == Mood::Stubborn {
                peer.has_nacked = true;
                self.answer(at, expected, 0x60);
            }
        } else if is_read {
            self.read(at, pkt);
        } else {
            self.answer(at, before, 0x1f);
        }
    }

    /// The next response to the READ at the front.
    fn response(&mut self) -> streams::Answer {
        let Some(Answer::Read { peer, psn, left_bytes, left_count }) = self.answers.pop_front()
        else {
            unreachable!("a READ is at the front")
        };
        let mtu = 256 << self.peers[peer].qp.mtu_code;
        let bytes = left_bytes.min(mtu);
        let is_last = left_bytes <= mtu;
        if left_count > 1 && !is_last {
            let (psn, left_bytes, left_count) = (psn + 1, left_bytes - bytes, left_count - 1);
            self.answers.push_front(Answer::Read { peer, psn, left_bytes, left_count });
        }
        let mut ports = self.ports(peer, psn, 0x1f);
        if left_count == 1 && left_bytes > 1 << 29 {
            // The rest of a READ that would never end.
            self.revive(self.peers[peer].flow as u16);
        }
        ports.payload_bytes = bytes as u16;
        use opcode::*;
        // A READ begins with FIRST or ONLY, and may do so anew in the middle.
        let begins = self.peers[peer].read_psns.contains(&ports.psn);
        ports.opcode = match (is_last, begins, self.rng.gen()) {
            (false, true, _) | (false, _, false) => READ_RESPONSE_FIRST,
            (false, ..) => READ_RESPONSE_MIDDLE,
            (true, true, _) | (true, _, true) => READ_RESPONSE_ONLY,
            (true, ..) => READ_RESPONSE_LAST,
        };
        match self.rng.gen_range(0..2000) {
            0 => ports.payload_bytes = self.rng.gen_range(0..=4096),
            1 => ports.opcode = self.rng.gen_range(READ_RESPONSE_FIRST..=READ_RESPONSE_ONLY),
            2 => ports.syndrome = self.rng.gen(),
            7..=26 if begins => {
                ports.opcode = if is_last { READ_RESPONSE_LAST } else { READ_RESPONSE_MIDDLE };
            }
            3..=6 => ports.psn = ports.psn.wrapping_add(self.rng.gen_range(1..4)) & PSN_MASK,
            _ => {}
        }
        ports
    }

    /// A peer says again where it stands: nothing else brings on a flow whose timer never runs out.
    fn remind(&mut self) {
        let at = self.rng.gen_range(0..self.peers.len());
        let expected = self.peers[at].expected;
        match self.rng.gen() {
            true => self.answer(at, expected, 0x60),
            false => self.answer(at, expected.wrapping_sub(1), 0x1f),
        }
    }

    /// An answer that nobody expects.
    fn noise(&mut self, kind: u32) {
        let at = self.rng.gen_range(0..self.peers.len());
        let near = self.peers[at].expected.wrapping_add(self.rng.gen_range(0..40)).wrapping_sub(20);
        let psn = if self.side_rng.gen_bool(0.2) { self.side_rng.gen() } else { near };
        let syndrome = [0x1f, 0x60, 0x3f, 0x40, 0x80, 0xe0][self.rng.gen_range(0..6)];
        let mut ports = self.ports(at, psn, syndrome);
        match kind {
            0 => ports.qpn ^= 1 << self.rng.gen_range(6..24),
            1 => ports.src_ip ^= 1 << self.rng.gen_range(0..32),
            _ => {}
        }
        if self.reads_256 > 0 && self.rng.gen() {
            ports.opcode = self.rng.gen_range(0x0d..=0x10);
            ports.payload_bytes = [0, self.rng.gen_range(0..=4096)][self.rng.gen_range(0..2)];
        }
        self.answers.push_back(Answer::Ack(ports));
    }

    /// The next answer that reaches the requester.
    pub fn next_ack(&mut self) -> Option<streams::Answer> {
        let kind = self.rng.gen_range(0..2000);
        match kind {
            0..4 => self.noise(kind),
            4..40 if self.is_patient => self.remind(),
            _ => {}
        }
        // A slow network at times, so that PSNs pile up.
        let is_late = self.mood == Mood::Far && self.answers.len() < 5 && self.rng.gen_bool(0.995);
        if self.answers.is_empty() || is_late || self.rng.gen_bool(0.7) {
            return None;
        }
        let ack = match self.answers.front()? {
            Answer::Read { left_count: 0, .. } => {
                self.answers.pop_front();
                return None;
            }
            Answer::Read { .. } => self.response(),
            Answer::Ack(ports) => {
                let ports = *ports;
                self.answers.pop_front();
                ports
            }
        };
        if self.mood == Mood::Unheard && self.rng.gen_bool(0.8) {
            return None;
        }
        match self.rng.gen_range(0..40) {
            0 => None,
            1 => {
                self.answers.push_back(Answer::Ack(ack));
                Some(ack)
            }
            _ => Some(ack),
        }
    }
}
