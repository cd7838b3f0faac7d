//! What the peer sends of its own: messages, READs, and frames that nobody asked for.

use super::peer_qp::{damage, emit, misbehave, peer_bth, peer_frame, rkey, LOCAL_MAC, MASK_24};
use super::{Traffic, OLD_READS_MAX, QP_COUNT, REGION_BYTES, REGION_VA, TELEMETRY_DSCP};
use nic_spec::wire::bth::{self, opcode};
use nic_spec::wire::reth;
use nic_spec::wire::roce::FrameRepr;
use rand::Rng;

/// Messages of each queue pair that are READs, of 20: most of those that its rows allow.
const READS_OF_20: [u32; QP_COUNT] = [15, 15, 15, 1, 1, 19];

impl Traffic {
    /// The peer sends a packet of a message, or something else.
    pub(super) fn peer(&mut self) {
        if self.settings_left > 0 || self.world.undelivered() > 2 || !self.rng.gen_ratio(1, 40) {
            return;
        }
        if self.rng.gen_ratio(1, 12) {
            let length = self.rng.gen_range(14..1600);
            let mut frame: Vec<u8> = (0..length).map(|_| self.rng.gen()).collect();
            frame[..6].copy_from_slice(&LOCAL_MAC.to_be_bytes()[2..]);
            if self.rng.gen() {
                frame[12..14].copy_from_slice(&[8, 0]);
            }
            if self.rng.gen_ratio(1, 4) {
                self.world.send_from_host(&frame);
            } else {
                self.world.deliver(frame, self.rng.gen_ratio(1, 10));
            }
            return;
        }
        let at = self.rng.gen_range(0..self.qps.len());
        self.request(at);
    }

    fn request(&mut self, at: usize) {
        if !self.qps[at].in_message {
            self.open_message(at);
        }
        if self.qps[at].is_read {
            self.read(at);
            return;
        }
        let telemetry = self.telemetry(at);
        let (rng, qp) = (&mut self.rng, &mut self.qps[at]);
        let rest = qp.message_bytes - qp.offset;
        let (is_first, is_last) = (qp.offset == 0, rest <= qp.mtu_bytes);
        let code = match (is_first, is_last, qp.with_immediate) {
            (true, true, false) => opcode::WRITE_ONLY,
            (true, true, true) => opcode::WRITE_ONLY_IMM,
            (true, false, _) => opcode::WRITE_FIRST,
            (false, false, _) => opcode::WRITE_MIDDLE,
            (false, true, false) => opcode::WRITE_LAST,
            (false, true, true) => opcode::WRITE_LAST_IMM,
        };
        let payload: Vec<u8> = (0..rest.min(qp.mtu_bytes)).map(|_| rng.gen()).collect();
        let rth = reth::Repr { va: qp.va, rkey: qp.rkey, dma_len: qp.message_bytes };
        let ack_req = is_last || rng.gen_ratio(1, 4);
        let mut frame = FrameRepr {
            telemetry,
            bth: bth::Repr { opcode: code, psn: qp.psn, ack_req, ..peer_bth(qp) },
            reth: is_first.then_some(rth),
            imm: opcode::has_immdt(code).then(|| rng.gen()),
            payload: &payload,
            ..peer_frame(qp, telemetry.map_or(0, |_| TELEMETRY_DSCP))
        };
        let malice = rng.gen_range(0..256) < self.malice_256;
        if malice && rng.gen() {
            misbehave(rng, &mut frame);
        }
        let mut bytes = emit(&frame);
        if malice && rng.gen() {
            damage(rng, &mut bytes);
        }
        qp.psn = (qp.psn + 1) & MASK_24;
        qp.offset += rest.min(qp.mtu_bytes);
        qp.in_message = !is_last;
        if rng.gen_ratio(1, 50) {
            return;
        }
        if !malice {
            self.sent.met(payload.len() as u32);
        }
        let copies = if rng.gen_ratio(1, 40) { 2 } else { 1 };
        for _ in 0..copies {
            self.deliver(bytes.clone());
        }
    }

    /// The peer asks for the rest of its READ, or again for an old one, perhaps from its middle.
    fn read(&mut self, at: usize) {
        let telemetry = self.telemetry(at);
        let (rng, qp) = (&mut self.rng, &mut self.qps[at]);
        let rest = qp.message_bytes - qp.offset;
        let (mut psn, mut va, mut bytes) = (qp.psn, qp.va.wrapping_add(u64::from(qp.offset)), rest);
        let is_repeated = rng.gen_ratio(1, 6) && !qp.old_reads.is_empty();
        if is_repeated {
            (psn, va, bytes) = qp.old_reads[rng.gen_range(0..qp.old_reads.len())];
            if rng.gen() {
                let packets = rng.gen_range(0..=bytes / qp.mtu_bytes);
                let skipped = packets * qp.mtu_bytes;
                (psn, va) = ((psn + packets) & MASK_24, va.wrapping_add(u64::from(skipped)));
                bytes -= skipped;
            }
        } else {
            if qp.old_reads.len() == OLD_READS_MAX {
                qp.old_reads.pop_front();
            }
            qp.old_reads.push_back((psn, va, bytes));
            qp.psn = (psn + rest.div_ceil(qp.mtu_bytes).max(1)) & MASK_24;
            qp.in_message = false;
        }
        let mut frame = FrameRepr {
            telemetry,
            bth: bth::Repr {
                opcode: opcode::READ_REQUEST,
                psn,
                ack_req: rng.gen(),
                ..peer_bth(qp)
            },
            reth: Some(reth::Repr { va, rkey: qp.rkey, dma_len: bytes }),
            ..peer_frame(qp, telemetry.map_or(0, |_| TELEMETRY_DSCP))
        };
        if rng.gen_range(0..256) < self.malice_256 && rng.gen() {
            misbehave(rng, &mut frame);
        }
        let bytes = emit(&frame);
        let copies = [1, 1, 1, 1, 1, 1, 1, 1, 2, 0][rng.gen_range(0..10)];
        for _ in 0..copies {
            self.deliver(bytes.clone());
        }
    }

    fn open_message(&mut self, at: usize) {
        let malice = self.rng.gen_range(0..1024) < self.malice_256;
        let (rng, qp) = (&mut self.rng, &mut self.qps[at]);
        let longest = (4 * qp.mtu_bytes).min(0x4000);
        qp.message_psn = qp.psn;
        qp.is_read = rng.gen_ratio(READS_OF_20[at], 20);
        let lengths = if qp.is_read { &mut self.posted } else { &mut self.sent };
        let swept = rng.gen_ratio(15, 16).then(|| lengths.try_next(qp.mtu_bytes)).flatten();
        qp.message_bytes = match rng.gen_range(0..4) {
            _ if swept.is_some() => swept.unwrap_or(0),
            0 => rng.gen_range(0..9),
            1 => qp.mtu_bytes * rng.gen_range(1..3),
            _ => rng.gen_range(0..longest),
        };
        let room = REGION_BYTES - u64::from(qp.message_bytes.min(0x7000));
        qp.va = REGION_VA + rng.gen_range(0..room);
        qp.rkey = rkey(qp.index);
        qp.offset = 0;
        qp.in_message = true;
        qp.with_immediate = rng.gen_ratio(1, 6);
        if malice {
            match rng.gen_range(0..3) {
                0 => qp.rkey ^= 1,
                1 => qp.va = qp.va.wrapping_sub(REGION_BYTES),
                _ => qp.va = u64::MAX - 3,
            }
        }
    }
}
