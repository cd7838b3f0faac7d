//! What the peer does with the packets of the NIC: acknowledgements, windows, telemetry, responses.

use super::peer_qp::{damage, emit, peer_bth, peer_frame, MASK_24};
use super::{Traffic, ECHO_DSCP, TELEMETRY_DSCP};
use nic_driver::CcMode;
use nic_spec::wire::aeth::{self, syndrome};
use nic_spec::wire::bth::{self, opcode};
use nic_spec::wire::roce::FrameRepr;
use rand::Rng;

impl Traffic {
    /// The peer answers what the NIC sent.
    pub(super) fn answer(&mut self) {
        while let Some((cycle, frame)) = self.world.sent.pop_front() {
            // The host's own frames can be shorter than an IP header.
            let Some(dscp) = frame.bytes.get(15).map(|tos| tos >> 2) else { continue };
            let form = self.form.filter(|_| dscp == TELEMETRY_DSCP || dscp == ECHO_DSCP);
            let Ok(packet) = FrameRepr::parse(&frame.bytes, form) else { continue };
            let Some(at) = self.qps.iter().position(|qp| 0x800 + qp.index as u32 == packet.bth.qpn)
            else {
                continue;
            };
            self.posted.met(packet.payload.len() as u32);
            self.reads_sent[0] += usize::from(packet.bth.opcode == opcode::READ_REQUEST);
            self.reads_sent[1] += usize::from(opcode::is_read_response(packet.bth.opcode));
            if packet.bth.opcode == opcode::ACKNOWLEDGE {
                let code = packet.aeth.map_or(0, |a| a.syndrome);
                self.take_answer(at, packet.bth.psn, code);
            } else if opcode::is_read_response(packet.bth.opcode) {
                // What it reads does not matter to this peer.
                self.feed_back(at, packet.bth.psn);
            } else if packet.bth.opcode == opcode::TELEMETRY_RESPONSE {
                let qp = &mut self.qps[at];
                assert!(qp.has_telemetry, "the peer has not asked for telemetry");
                let (psn, telemetry) = (packet.bth.psn, packet.telemetry.map(|(_, repr)| repr));
                let checked = qp.feedback.sent(cycle, psn, telemetry);
                checked.unwrap_or_else(|error| panic!("telemetry response of PSN {psn}: {error}"));
                self.feedbacks += 1;
            } else if packet.bth.opcode == opcode::TELEMETRY_WINDOW {
                let imm = packet.imm.expect("a window has an ImmDt");
                let is_asked_for = self.cc_mode == CcMode::Receiver && self.qps[at].has_telemetry;
                assert!(is_asked_for && imm > 0, "a window of {imm} bytes");
            } else if packet.bth.opcode == opcode::READ_REQUEST && self.rng.gen_ratio(11, 12) {
                let length = packet.reth.map_or(0, |r| r.dma_len);
                self.respond(at, packet.bth.psn, length);
            } else if packet.bth.ack_req || self.rng.gen_ratio(1, 8) {
                self.acknowledge(at, packet.bth.psn);
            }
        }
    }

    /// The NIC has acknowledged or refused what the peer sent.
    fn take_answer(&mut self, at: usize, psn: u32, code: u8) {
        let qp = &mut self.qps[at];
        match code & syndrome::KIND_MASK {
            syndrome::RNR_NAK => qp.go_back(psn),
            syndrome::KIND_MASK if code == syndrome::NAK_SEQUENCE => qp.go_back(psn),
            syndrome::KIND_MASK => qp.is_failed = true,
            _ => {}
        }
    }

    /// A window of the peer, at times overtaken.
    fn give_window(&mut self, at: usize) {
        let rng = &mut self.rng;
        let back = if rng.gen_ratio(1, 8) { rng.gen_range(0..3000) } else { 0 };
        let psn = (self.world.cycle() as u32).wrapping_sub(back) & MASK_24;
        let imm = Some(rng.gen::<u32>() >> rng.gen_range(0..32));
        let qp = &self.qps[at];
        let frame = FrameRepr {
            bth: bth::Repr { opcode: opcode::TELEMETRY_WINDOW, psn, ..peer_bth(qp) },
            imm,
            ..peer_frame(qp, 0)
        };
        let bytes = emit(&frame);
        self.deliver(bytes);
    }

    fn acknowledge(&mut self, at: usize, psn: u32) {
        if self.rng.gen_ratio(1, if self.cc_mode == CcMode::Receiver { 4 } else { 40 }) {
            self.give_window(at);
        }
        let rng = &mut self.rng;
        // One peer is seldom ready.
        let is_ready = self.qps[at].index != 0 || rng.gen_ratio(1, 2);
        let (psn, code) = match rng.gen_range(0..40) {
            _ if !is_ready => (psn, syndrome::RNR_NAK | 1),
            0 => return,
            1 => (psn, syndrome::NAK_SEQUENCE),
            2 => (psn, syndrome::RNR_NAK | rng.gen_range(1..4)),
            3 => (psn.wrapping_sub(rng.gen_range(0..4)) & MASK_24, syndrome::ACK),
            4 => (psn.wrapping_add(rng.gen_range(1..20)) & MASK_24, syndrome::ACK),
            5 if rng.gen_ratio(1, 10) => (psn, syndrome::NAK_REMOTE_ACCESS),
            6 => (psn.wrapping_sub(rng.gen_range(0..4)) & MASK_24, syndrome::NAK_SEQUENCE),
            _ => (psn, syndrome::ACK),
        };
        let telemetry = self.telemetry(at);
        let qp = &self.qps[at];
        let frame = FrameRepr {
            telemetry,
            bth: bth::Repr { opcode: opcode::ACKNOWLEDGE, psn, ..peer_bth(qp) },
            aeth: Some(aeth::Repr { syndrome: code, msn: psn }),
            ..peer_frame(qp, telemetry.map_or(0, |_| ECHO_DSCP))
        };
        let bytes = emit(&frame);
        let copies = if self.rng.gen_ratio(1, 30) { 2 } else { 1 };
        for _ in 0..copies {
            self.deliver(bytes.clone());
        }
    }

    /// Telemetry that a READ response of the NIC has collected goes back, at times of a wrong PSN, to
    /// a queue pair without telemetry, or with payload.
    fn feed_back(&mut self, at: usize, psn: u32) {
        let rng = &mut self.rng;
        if !rng.gen_ratio(1, 3) {
            return;
        }
        let (psn, code) = match rng.gen_range(0..16) {
            0 => (rng.gen_range(0..1 << 24), opcode::TELEMETRY_RESPONSE),
            1 => (psn.wrapping_add(rng.gen_range(1..4)) & MASK_24, opcode::TELEMETRY_RESPONSE),
            2 => (psn, rng.gen_range(opcode::TELEMETRY_RESPONSE..=0xff)),
            _ => (psn, opcode::TELEMETRY_RESPONSE),
        };
        let payload: &[u8] = if rng.gen_ratio(1, 30) { &[1, 2, 3, 4] } else { &[] };
        let telemetry = self.telemetry(at);
        let qp = &self.qps[at];
        let frame = FrameRepr {
            telemetry,
            bth: bth::Repr { opcode: code, psn, ..peer_bth(qp) },
            payload,
            ..peer_frame(qp, telemetry.map_or(0, |_| ECHO_DSCP))
        };
        let bytes = emit(&frame);
        let copies = if self.rng.gen_ratio(1, 30) { 2 } else { 1 };
        for _ in 0..copies {
            self.deliver(bytes.clone());
        }
    }

    /// Sends the bytes that a READ of the NIC asks for; some responses are lost or wrong.
    fn respond(&mut self, at: usize, first_psn: u32, length_bytes: u32) {
        let mtu_bytes = self.qps[at].mtu_bytes;
        let count = length_bytes.div_ceil(mtu_bytes).max(1);
        // A READ that is resumed in the middle may go on with MIDDLE or LAST.
        let may_go_on = self.qps[at].resumes(first_psn, count);
        let begins_with_first = self.rng.gen_ratio(3, 4) || !may_go_on;
        for index in 0..count {
            let telemetry = self.telemetry(at);
            let rng = &mut self.rng;
            let (is_first, is_last) = (index == 0 && begins_with_first, index + 1 == count);
            let mut code = match (is_first, is_last) {
                (true, true) => opcode::READ_RESPONSE_ONLY,
                (true, false) => opcode::READ_RESPONSE_FIRST,
                (false, false) => opcode::READ_RESPONSE_MIDDLE,
                (false, true) => opcode::READ_RESPONSE_LAST,
            };
            let mut bytes = (length_bytes - index * mtu_bytes).min(mtu_bytes) as usize;
            let mut psn = first_psn.wrapping_add(index) & MASK_24;
            if rng.gen_range(0..2048) < self.malice_256 {
                match rng.gen_range(0..4) {
                    0 => code = rng.gen_range(0x0d..=0x10),
                    1 => bytes = rng.gen_range(0..=bytes),
                    2 => bytes = rng.gen_range(0..=4096),
                    _ => psn = psn.wrapping_add(rng.gen_range(0..4)).wrapping_sub(2) & MASK_24,
                }
            }
            let payload: Vec<u8> = (0..bytes).map(|_| rng.gen()).collect();
            let has_aeth = opcode::has_aeth(code);
            let frame = FrameRepr {
                telemetry,
                bth: bth::Repr { opcode: code, psn, ..peer_bth(&self.qps[at]) },
                aeth: has_aeth.then_some(aeth::Repr { syndrome: syndrome::ACK, msn: psn }),
                payload: &payload,
                ..peer_frame(&self.qps[at], telemetry.map_or(0, |_| TELEMETRY_DSCP))
            };
            let mut bytes = emit(&frame);
            if rng.gen_range(0..2048) < self.malice_256 {
                damage(rng, &mut bytes);
            } else {
                self.sent.met(payload.len() as u32);
            }
            let copies = match rng.gen_range(0..120) {
                0 => 0,
                1 | 2 => 2,
                _ => 1,
            };
            for _ in 0..copies {
                self.deliver(bytes.clone());
            }
        }
    }
}
