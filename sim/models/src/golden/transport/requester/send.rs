//! Posting, arming, sending.

use super::flow::{Packet, Timer, BTH_BYTES, BURST_BYTES};
use super::ports::*;
use super::step::{cycles, Step};
use super::{row_words, Ahead, Op, Requester};
use crate::golden::tx::data_header::len_bytes;
use crate::streams::{self, PayloadSource, Work};
use nic_spec::config::has_bursts;
use nic_spec::rows::{Table, WrRow, INLINE_BYTES_MAX};

/// Work requests of a flow that are entered in a row while an answer waits.
const POSTS_MAX: u32 = 4;

impl Requester {
    /// Arms the flow for its next packet, whose frame bytes are known in `cycles`, if that may go.
    fn arm_in(&mut self, flow: usize, cycles: u32, i: &RequesterIn) {
        self.wait(cycles);
        let f = &mut self.flows[flow];
        if f.waits_for_read() || f.is_far() {
            self.wait(1);
            return self.save();
        }
        f.armed = true;
        let packet = f.packet();
        let has_telemetry = f.qp.telemetry && f.is_due(i.cfg_tel_every);
        let telemetry_bytes = if has_telemetry { len_bytes(i.cfg_tel_data) } else { 0 };
        let is_uneven = f.qp.telemetry && i.cfg_tel_data != 0 && i.cfg_tel_every > 1;
        let may_burst = has_bursts(self.config.data_bits) && !is_uneven;
        let is_burst = may_burst && f.has_burst(self.window);
        let messages = f.small_messages(self.window).filter(|_| may_burst);
        // A burst has what its first packet has, and its last one.
        let last = Packet { is_first: false, is_last: packet.rest == BURST_BYTES, ..packet };
        let (count, payload_bytes, transport_bytes) = if let Some(messages) = messages {
            (messages.count, messages.bytes, messages.count * packet.transport_bytes())
        } else if is_burst {
            let count = BURST_BYTES / f.mtu();
            let extra_bytes = packet.transport_bytes() + last.transport_bytes() - 2 * BTH_BYTES;
            (count, BURST_BYTES, count * BTH_BYTES + extra_bytes)
        } else {
            (1, packet.sent_bytes().next_multiple_of(4), packet.transport_bytes())
        };
        f.arm_packets = count;
        let beside_bytes = count * (14 + 20 + 8 + telemetry_bytes + 4);
        let len_bytes = beside_bytes + transport_bytes + payload_bytes;
        let work = Work {
            valid: true,
            flow: flow as u16,
            len_bytes: len_bytes as u16,
            frame_count: count as u8,
            inflight_bytes: f.inflight_bytes(),
        };
        self.push(Step::Work(work));
        self.ahead = Some(Ahead::Armed(flow));
        self.save();
    }

    /// Arms the flow for its next packet.
    pub(super) fn arm(&mut self, flow: usize, i: &RequesterIn) {
        self.arm_next(flow, cycles::READ + cycles::PREPARE, i);
    }

    /// Arms the flow for its next packet, which is prepared in `cycles`.
    fn arm_next(&mut self, flow: usize, cycles: u32, i: &RequesterIn) {
        let has_part = has_bursts(self.config.data_bits) && self.flows[flow].has_part();
        let part_cycles = if has_part { cycles::PART_BYTES } else { 0 };
        self.arm_in(flow, cycles + part_cycles + cycles::FRAME_BYTES, i);
    }

    /// Enters a work request; `at_hand`: the flow's row is there.
    pub(super) fn post(&mut self, flow: usize, wr: WrRow, at_hand: bool, i: &RequesterIn) {
        // What is not entered is judged again.
        let load_cycles = if at_hand { 0 } else { cycles::JUDGE_ROW - 1 };
        let f = &mut self.flows[flow];
        if !f.qp.valid || f.queue.len() == self.config.sq_depth_at(i.cfg_sq_scale) {
            self.wait(load_cycles);
            self.events(|e| e.wr_refused = true);
            return self.save();
        }
        if f.failed {
            self.wait(load_cycles + 1);
            self.push(Step::completion(&wr, 6));
            return self.save();
        }
        // What is pending and not armed waits for an answer.
        let had_pending = f.has_pending();
        f.post(wr);
        let arms = !had_pending && f.may_arm();
        let cycles = if at_hand { cycles::POST } else { cycles::JUDGE_ROW + cycles::POST };
        if arms {
            self.arm_in(flow, cycles, i);
        } else {
            self.wait(cycles - 1);
            self.push(Step::Enter);
            self.save();
        }
    }

    /// The next work request behind one that was entered, if it is of the same flow and no answer
    /// waits for longer than a few of them: it is entered without leaving the flow.
    pub(super) fn next_post(&self, i: &RequesterIn, found: Option<(Op, usize)>) -> Option<WrRow> {
        let is_same = usize::from(i.cfg_index) % self.flows.len() == self.flow;
        let is_wr = i.s_cfg.valid && i.cfg_table == Table::Wr as u8;
        let queue = &self.flows[self.flow].queue;
        let has_room = queue.len() < self.config.sq_depth_at(i.cfg_sq_scale);
        let answer_waits = matches!(found, Some((Op::Answer, _)));
        let may_stay = !answer_waits || self.posts_before + 1 < POSTS_MAX;
        (is_wr && is_same && has_room && may_stay).then(|| WrRow::from_row(&row_words(i)))
    }

    pub(super) fn grant(&mut self, flow: usize, i: &RequesterIn) {
        let now = self.now();
        self.wait(cycles::JUDGE_ROW);
        let f = &mut self.flows[flow];
        let was_armed = core::mem::take(&mut f.armed);
        if !was_armed || !f.may_arm() {
            return self.save();
        }
        // The first cycle of the read is that of the judgement.
        self.send(flow, cycles::READ - 1 + cycles::PREPARE, now, i);
    }

    /// Sends what is armed, and arms again; the first packet is prepared in `prepare_cycles`.
    pub(super) fn send(&mut self, flow: usize, prepare_cycles: u32, now: u64, i: &RequesterIn) {
        let f = &mut self.flows[flow];
        f.armed = false;
        let count = f.arm_packets;
        self.wait(prepare_cycles);
        self.send_packet(flow, now, i);
        for _ in 1..count {
            self.wait(cycles::PREPARE - 2);
            self.push(Step::Free);
            self.send_packet(flow, now, i);
        }
        if self.flows[flow].has_pending() {
            // The next work request is read while the packet leaves; it begins with its first one.
            self.arm_next(flow, cycles::PREPARE - 1, i);
        } else {
            self.save();
        }
    }

    /// Sends the flow's next packet.
    fn send_packet(&mut self, flow: usize, now: u64, i: &RequesterIn) {
        let f = &mut self.flows[flow];
        let packet = f.packet();
        let wr = packet.posted.wr;
        let is_read = packet.posted.is_read();
        let interval_mask = (1_u32 << f.qp.ack_interval_log2) - 1;
        let (is_due, is_on) = (f.is_due(i.cfg_tel_every), f.qp.telemetry && i.cfg_tel_data != 0);
        // Where others go without, an ACK must bring this one's telemetry back.
        let asks = is_on && is_due && i.cfg_tel_every > 1;
        let pkt = streams::Packet {
            valid: true,
            flow: flow as u16,
            opcode: packet.opcode(),
            psn: f.nxt,
            ack_req: asks || packet.ends() || f.nxt & interval_mask == interval_mask,
            solicited: packet.has_imm() && wr.solicited,
            payload_bytes: packet.sent_bytes() as u16,
            va: wr.remote_va.wrapping_add(packet.offset.into()),
            rkey: wr.rkey,
            dma_len: if is_read { packet.rest } else { wr.length_bytes },
            imm: wr.immediate,
            mark: f.mark,
            bare: is_on && !is_due,
        };
        if !pkt.bare {
            f.stamped = f.nxt;
        }
        let is_inline = wr.inline && !is_read && wr.length_bytes as usize <= INLINE_BYTES_MAX;
        let memory = wr.local_address.wrapping_add(packet.offset.into());
        let read = PayloadSource {
            valid: packet.sent_bytes() > 0,
            addr: if is_inline { wr.inline_0 } else { memory },
            bytes: packet.sent_bytes() as u16,
            is_inline,
            inline_rest: u128::from(wr.inline_8) | u128::from(wr.inline_16) << 64,
        };
        let is_resent = f.send(&packet);
        if f.timer == Timer::Off {
            f.start_timer(now);
        }
        self.push(Step::Send(pkt, read, is_resent));
        self.wait(1);
    }
}
