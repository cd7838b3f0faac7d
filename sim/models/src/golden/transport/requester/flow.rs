//! What the requester keeps of a flow: its queue pair, its send queue, its PSNs.

use nic_spec::rows::{Operation, QpRow, WrRow};
use std::collections::VecDeque;

/// PSNs are 24 bits.
pub const PSN_MASK: u32 = 0xff_ffff;
/// Most PSNs that may be outstanding.
const PSN_SPAN_MAX: u32 = 1 << 23;
/// Telemetry once a round trip.
const EVERY_ROUND_TRIP: u8 = 255;
/// Bytes of the base transport header.
pub const BTH_BYTES: u32 = 12;
/// Bytes that may leave at once.
pub const BURST_BYTES: u32 = 4096;
/// Messages of one packet that leave at once at most.
const SMALL_MESSAGES_MAX: u32 = 32;
/// While so many PSNs or more are outstanding they don't.
const BURST_PSNS_MAX: u32 = 1 << 22;
/// READs that may be outstanding at most.
const READS_MAX: u8 = 16;

/// Distance from PSN `a` to PSN `b`.
pub fn psn_distance(a: u32, b: u32) -> u32 {
    b.wrapping_sub(a) & PSN_MASK
}

/// Whether PSN `a` is at or behind `b` in serial-number arithmetic.
pub fn psn_reaches(a: u32, b: u32) -> bool {
    psn_distance(b, a) < 1 << 23
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timer {
    #[default]
    Off,
    Retransmission,
    Rnr,
}

/// A posted work request.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    pub wr: WrRow,
    pub first_psn: u32,
    pub packet_count: u32,
    /// Bytes posted to the flow before this one, modulo 2^32; READs send none.
    pub start_seq: u32,
}

impl Posted {
    pub fn is_read(&self) -> bool {
        self.wr.operation == Operation::Read
    }

    /// A WRITE of one packet that needs no padding and has no immediate data.
    pub fn is_plain(&self) -> bool {
        let is_write = self.wr.operation == Operation::Write;
        is_write && self.packet_count == 1 && self.wr.length_bytes.is_multiple_of(4)
    }

    pub fn end_psn(&self) -> u32 {
        self.first_psn.wrapping_add(self.packet_count) & PSN_MASK
    }
}

/// A packet of a message at a PSN: of a WRITE as it is sent, of a READ as it is to come.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub posted: Posted,
    pub is_first: bool,
    pub is_last: bool,
    pub offset: u32,
    /// Bytes of the message from here on.
    pub rest: u32,
    pub bytes: u32,
}

impl Packet {
    /// PSNs that sending it takes: a READ request asks for all the rest.
    pub fn psns(&self, psn: u32) -> u32 {
        if self.posted.is_read() {
            psn_distance(psn, self.posted.end_psn())
        } else {
            1
        }
    }

    /// Payload bytes that it sends.
    pub fn sent_bytes(&self) -> u32 {
        if self.posted.is_read() {
            0
        } else {
            self.bytes
        }
    }

    /// Whether the next packet is of another message.
    pub fn ends(&self) -> bool {
        self.is_last || self.posted.is_read()
    }

    pub fn has_imm(&self) -> bool {
        self.is_last && self.posted.wr.operation == Operation::WriteImmediate
    }

    /// BTH, RETH and immediate data.
    pub fn transport_bytes(&self) -> u32 {
        let has_reth = self.is_first || self.posted.is_read();
        BTH_BYTES + if has_reth { 16 } else { 0 } + if self.has_imm() { 4 } else { 0 }
    }

    pub fn opcode(&self) -> u8 {
        match (self.is_first, self.is_last) {
            _ if self.posted.is_read() => 0x0c,
            (true, false) => 0x06,
            (false, false) => 0x07,
            (false, true) => 0x08 + u8::from(self.has_imm()),
            (true, true) => 0x0a + u8::from(self.has_imm()),
        }
    }
}

/// Messages of a packet each that leave at once.
#[derive(Clone, Copy, Debug)]
pub struct SmallMessages {
    pub count: u32,
    pub bytes: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Flow {
    pub qp: QpRow,
    /// 1..=15, another one for each row; 0 before the first.
    pub mark: u8,
    pub failed: bool,
    pub armed: bool,
    /// Packets that the arm is for.
    pub arm_packets: u32,
    pub timer: Timer,
    pub deadline: u64,
    pub retries: u8,
    pub rnr_retries: u8,
    /// A gap in READ responses was answered, and there was no progress since.
    pub has_gap: bool,
    /// Oldest first.
    pub queue: VecDeque<Posted>,
    /// Work request in `queue` that `nxt` belongs to; its length if there is none.
    pub current: usize,
    /// All that was posted since the queue was empty are [`Posted::is_plain`].
    pub are_plain: bool,
    /// READs that were sent and have not ended.
    pub open_reads: u8,
    pub una: u32,
    pub nxt: u32,
    /// PSN behind the highest ever sent.
    pub high: u32,
    pub tail_psn: u32,
    /// PSN of the last packet that left room for telemetry; the first one before any has.
    pub stamped: u32,
    pub una_seq: u32,
    pub nxt_seq: u32,
    pub tail_seq: u32,
}

impl Flow {
    /// A new queue pair.
    pub fn new(qp: QpRow) -> Self {
        let psn = qp.sq_psn;
        // Byte sequences begin so that they wrap as the PSNs do.
        let seq = psn << 8;
        Self {
            qp,
            una: psn,
            nxt: psn,
            high: psn,
            tail_psn: psn,
            stamped: psn,
            una_seq: seq,
            nxt_seq: seq,
            tail_seq: seq,
            ..Self::default()
        }
    }

    pub fn mtu(&self) -> u32 {
        256 << self.qp.mtu_code.min(4)
    }

    pub fn has_pending(&self) -> bool {
        self.current < self.queue.len()
    }

    pub fn may_arm(&self) -> bool {
        self.has_pending() && !self.armed && self.timer != Timer::Rnr
    }

    /// Whether the next packet is a new READ and as many as may be are outstanding.
    pub fn waits_for_read(&self) -> bool {
        let limit = self.qp.read_limit.clamp(1, READS_MAX);
        let is_new = self.nxt == self.high;
        self.queue[self.current].is_read() && is_new && self.open_reads >= limit
    }

    /// Whether the next packet would take the outstanding PSNs beyond half of all.
    pub fn is_far(&self) -> bool {
        let psns = self.packet().psns(self.nxt);
        psn_distance(self.una, self.nxt) + psns > PSN_SPAN_MAX
    }

    /// Whether several packets of so many blocks of 256 bytes may leave: `window` has room for them,
    /// in which part of a block in flight counts as one, and not too many PSNs are outstanding.
    fn may_send(&self, blocks: u32, window: u32) -> bool {
        window / 256 >= self.inflight_bytes() / 256 + 1 + blocks
            && psn_distance(self.una, self.nxt) < BURST_PSNS_MAX
    }

    /// Whether 4 KiB are left of the message whose packet is the next one, and may leave.
    pub fn has_burst(&self, window: u32) -> bool {
        let packet = self.packet();
        !packet.posted.is_read()
            && self.mtu() < BURST_BYTES
            && packet.rest >= BURST_BYTES
            && self.may_send(BURST_BYTES / 256, window)
    }

    /// Messages that may leave at once: 2 to 32, as many as 4 KiB hold if all are as long as the
    /// first one.
    fn messages_max(&self) -> usize {
        let length_bytes = self.queue[self.current].wr.length_bytes;
        (BURST_BYTES / length_bytes.max(1).next_power_of_two()).clamp(2, SMALL_MESSAGES_MAX)
            as usize
    }

    /// WRITEs of one packet each wait, more than may leave at once.
    pub fn has_part(&self) -> bool {
        self.are_plain && self.queue.len() - self.current > self.messages_max()
    }

    /// The work requests that wait, or as many of them as may leave at once, if they are 2 or more
    /// WRITEs of one packet each, together of at most 4 KiB, and may leave. Their bytes may begin
    /// another block, too.
    pub fn small_messages(&self, window: u32) -> Option<SmallMessages> {
        if !self.are_plain {
            return None;
        }
        let count = (self.queue.len() - self.current).min(self.messages_max());
        let behind = self.queue.get(self.current + count);
        let end_seq = behind.map_or(self.tail_seq, |posted| posted.start_seq);
        let (count, bytes) = (count as u32, end_seq.wrapping_sub(self.nxt_seq));
        let are_small = count >= 2 && bytes <= BURST_BYTES;
        let may_leave = are_small && self.may_send(bytes / 256 + 1, window);
        may_leave.then_some(SmallMessages { count, bytes })
    }

    /// Whether the next packet leaves room for telemetry, if any do (`every` is not 0): it did before, or is `every` PSNs or more
    /// behind the last one that did, or that one is acknowledged.
    pub fn is_due(&self, every: u8) -> bool {
        let since = psn_distance(self.stamped, self.nxt);
        let is_acked = self.una != self.stamped && psn_reaches(self.una, self.stamped);
        let is_far = if every == EVERY_ROUND_TRIP { is_acked } else { since >= every.into() };
        every != 0 && (since == 0 || is_far)
    }

    /// The packet of `psn`, which belongs to `posted`.
    pub fn packet_at(&self, posted: Posted, psn: u32) -> Packet {
        let index = psn_distance(posted.first_psn, psn);
        let offset = index.wrapping_mul(self.mtu());
        let rest = posted.wr.length_bytes.wrapping_sub(offset);
        let (is_first, is_last) = (index == 0, rest <= self.mtu());
        Packet { posted, is_first, is_last, offset, rest, bytes: rest.min(self.mtu()) }
    }

    /// The next packet to send.
    pub fn packet(&self) -> Packet {
        self.packet_at(self.queue[self.current], self.nxt)
    }

    pub fn inflight_bytes(&self) -> u32 {
        self.nxt_seq.wrapping_sub(self.una_seq)
    }

    /// Enters a work request for which there is room.
    pub fn post(&mut self, wr: WrRow) {
        let packet_count = wr.length_bytes.div_ceil(self.mtu()).max(1);
        let (first_psn, start_seq) = (self.tail_psn, self.tail_seq);
        let posted = Posted { wr, first_psn, packet_count, start_seq };
        self.are_plain = posted.is_plain() && (self.are_plain || self.queue.is_empty());
        self.queue.push_back(posted);
        self.tail_psn = posted.end_psn();
        if !posted.is_read() {
            self.tail_seq = self.tail_seq.wrapping_add(wr.length_bytes);
        }
    }

    /// The packet at `nxt` is sent; whether it has been before.
    pub fn send(&mut self, packet: &Packet) -> bool {
        let is_resent = self.nxt != self.high;
        self.nxt = self.nxt.wrapping_add(packet.psns(self.nxt)) & PSN_MASK;
        if !is_resent {
            self.high = self.nxt;
            self.open_reads += u8::from(packet.posted.is_read());
        }
        self.nxt_seq = self.nxt_seq.wrapping_add(packet.sent_bytes());
        self.current += usize::from(packet.ends());
        is_resent
    }

    /// The oldest work request has ended.
    pub fn retire(&mut self) -> Posted {
        let head = self.queue.pop_front().expect("a work request");
        self.open_reads -= u8::from(head.is_read());
        self.current = self.current.saturating_sub(1);
        head
    }

    /// `una` is the oldest PSN that is not acknowledged; whether that is news.
    pub fn advance(&mut self, una: u32) -> bool {
        let has_progress = una != self.una;
        if has_progress {
            (self.retries, self.rnr_retries, self.has_gap) = (0, 0, false);
        }
        self.una = una;
        self.una_seq = match self.queue.front() {
            None => self.tail_seq,
            Some(head) if head.is_read() => head.start_seq,
            Some(head) => {
                let packets = psn_distance(head.first_psn, una);
                head.start_seq.wrapping_add(packets.wrapping_mul(self.mtu()))
            }
        };
        has_progress
    }

    /// What is sent again may be other packets than those that are armed: one of them leaves.
    pub fn rewind(&mut self) {
        self.arm_packets = 1;
        self.go_on();
    }

    /// The next packet is the oldest one that is not acknowledged.
    pub fn go_on(&mut self) {
        (self.nxt, self.nxt_seq, self.current) = (self.una, self.una_seq, 0);
    }

    /// Starts the retransmission timer at `now`, if the queue pair has one.
    pub fn start_timer(&mut self, now: u64) {
        self.timer = Timer::Off;
        if self.qp.timeout_exponent != 0 {
            self.timer = Timer::Retransmission;
            self.deadline = now + (1 << self.qp.timeout_exponent) + 1;
        }
    }
}
