//! Frame bytes of the next packet, or of several that leave at once, and whether it may be sent.
//!
//! # Source            InfiniBand, volume 1, sections 9.7.2 (at most half of the PSNs outstanding) and
//!                     9.7.3 (READs outstanding)
//! # Interface timing  part of `requester`, registered: from Len to Arm. A posted work request's
//!                     first packet comes from its row
//! # Rules             Where there are bursts, several packets leave at once: the next 4 KiB of a
//!                     message, or the messages that wait, if each is one packet, a WRITE without
//!                     padding or immediate data, and they are at most 4 KiB; if more wait than 4
//!                     KiB hold of such as the first, as many as that. Both if the window has
//!                     room for them, telemetry is in all of their packets or in none, and fewer
//!                     than 2^22 PSNs are outstanding
//! # Number formats    58 + 42 + 16 + 4 + 4096 bytes at most; no frame is shorter than 62 bytes, so
//!                     Ethernet padding never happens
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::{block, kernel, Unreset};
use rust_hdl_core::prelude::*;

/// Frame of the next packet.
#[block(no_reset, new(has_bursts: bool))]
pub struct RequesterFrame {
    /// A work request is posted: its first packet.
    pub posts: Signal<In, Bit>,
    /// Its operation.
    pub post_operation: Signal<In, Bits<2>>,
    /// Its packets.
    pub post_packets: Signal<In, Bits<24>>,
    /// Operation of the work request at hand.
    pub operation: Signal<In, Bits<2>>,
    /// PSN behind it.
    pub end_psn: Signal<In, Bits<24>>,
    /// Oldest unacknowledged PSN.
    pub una: Signal<In, Bits<24>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// It has been sent before.
    pub is_resend: Signal<In, Bit>,
    /// As many READs are outstanding as may be.
    pub reads_full: Signal<In, Bit>,
    /// Bytes of the message that belong to the packet.
    pub due_bytes: Signal<In, Bits<13>>,
    /// It is the first of its message.
    pub first: Signal<In, Bit>,
    /// It is the last of its message.
    pub ends: Signal<In, Bit>,
    /// Bytes of its message from its first one on.
    pub rest_bytes: Signal<In, Bits<32>>,
    /// log2(MTU) - 8.
    pub mtu: Signal<In, Bits<3>>,
    /// All messages in the queue are WRITEs of one packet without padding or immediate data.
    pub are_plain: Signal<In, Bit>,
    /// Messages that wait.
    pub waiting: Signal<In, Bits<9>>,
    /// So many of them may leave at once, 2 to 32.
    pub messages_max: Signal<In, Bits<6>>,
    /// Bytes of those that leave, if they are such.
    pub waiting_bytes: Signal<In, Bits<32>>,
    /// The flow's window has room for what may leave at once.
    pub fits: Signal<In, Bit>,
    /// Telemetry is in some packets, in others not.
    pub is_uneven: Signal<In, Bit>,
    /// Bytes of the empty telemetry header.
    pub telemetry_bytes: Signal<In, Bits<6>>,
    /// Frame bytes of what leaves at once.
    pub frame_bytes: Signal<Out, Bits<14>>,
    /// Its packets.
    pub frame_count: Signal<Out, Bits<7>>,
    /// Not all of the messages that wait leave; a cycle late.
    pub part: Signal<Out, Bit>,
    /// Blocks of 256 bytes of what may leave at once, and those that it may begin.
    pub more: Signal<Out, Bits<5>>,
    /// The packet is a READ that waits for another one to end.
    pub limited: Signal<Out, Bit>,
    /// The packet may not be sent yet.
    pub blocked: Signal<Out, Bit>,
    is_read: Unreset<Bit>,
    has_imm: Unreset<Bit>,
    frame: Unreset<Bits<14>>,
    burst: Unreset<Bits<14>>,
    count: Unreset<Bits<7>>,
    several: Unreset<Bit>,
    are_small: Unreset<Bit>,
    blocks: Unreset<Bits<5>>,
    telemetry: Unreset<Bits<14>>,
    small_each: Unreset<Bits<14>>,
    small_low: Unreset<Bits<14>>,
    small_high: Unreset<Bits<14>>,
    small_top: Unreset<Bits<14>>,
    is_part: Unreset<Bit>,
    all_small: Unreset<Bits<14>>,
    is_long: Unreset<Bit>,
    is_whole: Unreset<Bit>,
    ahead: Unreset<Bits<24>>,
    span: Unreset<Bits<24>>,
    far: Unreset<Bit>,
    waits: Unreset<Bit>,
    next_op: Signal<Local, Bits<2>>,
    sent_bytes: Signal<Local, Bits<13>>,
    up: Signal<Local, Bits<13>>,
    padded: Signal<Local, Bits<14>>,
    ends_imm: Signal<Local, Bit>,
    base: Signal<Local, Bits<14>>,
    headers: Signal<Local, Bits<14>>,
    total: Signal<Local, Bits<25>>,
    bursts: Signal<Local, Bit>,
    each: Signal<Local, Bits<14>>,
    all: Signal<Local, Bits<14>>,
    extra: Signal<Local, Bits<14>>,
    may_leave: Signal<Local, Bit>,
    leave_small: Signal<Local, Bit>,
    is_within: Signal<Local, Bit>,
    is_more: Signal<Local, Bit>,
    are_several: Signal<Local, Bit>,
    leaving: Signal<Local, Bits<6>>,
    headers_of: [Signal<Local, Bits<14>>; 6],
    #[value(1)]
    with_imm: Constant<Bits<2>>,
    #[value(2)]
    read: Constant<Bits<2>>,
    #[value(u64::from(has_bursts))]
    may_burst: Constant<Bits<1>>,
    #[value(4096)]
    burst_bytes: Constant<Bits<14>>,
    #[value(0x1ffc)]
    words: Constant<Bits<13>>,
    #[value(1_u64 << 23)]
    half: Constant<Bits<25>>,
}

#[kernel]
impl RequesterFrame {
    fn update(&mut self) {
        self.frame_bytes.next = self.frame.val();
        if self.several.val() {
            self.frame_bytes.next = self.burst.val();
        }
        self.frame_count.next = self.count.val();
        self.more.next = self.blocks.val();
        self.limited.next = self.waits.val();
        self.blocked.next = self.waits.val() | self.far.val();
        self.next_op.next = self.operation.val();
        if self.posts.val() {
            self.next_op.next = self.post_operation.val();
        }
        self.is_read.next = self.next_op.val() == self.read.val();
        self.has_imm.next = self.next_op.val() == self.with_imm.val();
        self.sent_bytes.next = self.due_bytes.val();
        if self.is_read.val() {
            self.sent_bytes.next = 0.into();
        }
        self.up.next = self.sent_bytes.val() + 3;
        self.padded.next = bit_cast::<14, 13>(self.up.val() & self.words.val());
        self.ends_imm.next = self.has_imm.val() & self.ends.val();
        self.base.next = 58.into();
        if self.first.val() | self.is_read.val() {
            self.base.next = 74.into();
            if self.ends_imm.val() {
                self.base.next = 78.into();
            }
        } else if self.ends_imm.val() {
            self.base.next = 62.into();
        }
        self.telemetry.next = bit_cast::<14, 6>(self.telemetry_bytes.val());
        self.headers.next = self.base.val() + self.telemetry.val();
        self.frame.next = self.padded.val() + self.headers.val();
        self.count.next = 1.into();
        self.is_long.next = self.rest_bytes.val().get_bits::<20>(12).any();
        self.is_whole.next = self.rest_bytes.val() == 4096;
        self.each.next = self.telemetry.val() + 58;
        self.all.next = self.each.val();
        self.may_leave.next = self.may_burst.val().any()
            & self.fits.val()
            & !self.is_uneven.val()
            & !self.ahead.val().get_bits::<2>(22).any();
        self.bursts.next = self.may_leave.val() & self.is_long.val() & !self.is_read.val();
        self.extra.next = 0.into();
        if self.first.val() {
            self.extra.next = 16.into();
        }
        if self.has_imm.val() & self.is_whole.val() {
            self.extra.next = self.extra.val() + 4;
        }
        match self.mtu.val().index() {
            0 => self.all.next = self.each.val() << 4,
            1 => self.all.next = self.each.val() << 3,
            2 => self.all.next = self.each.val() << 2,
            3 => self.all.next = self.each.val() << 1,
            _ => self.bursts.next = false,
        }
        self.burst.next = self.burst_bytes.val() + self.all.val() + self.extra.val();
        self.several.next = self.bursts.val();
        if self.bursts.val() {
            match self.mtu.val().index() {
                0 => self.count.next = 16.into(),
                1 => self.count.next = 8.into(),
                2 => self.count.next = 4.into(),
                _ => self.count.next = 2.into(),
            }
        }
        self.messages();
        comment!("A new READ waits while too many are outstanding, all while too many PSNs are.");
        self.waits.next = self.is_read.val() & self.reads_full.val() & !self.is_resend.val();
        self.ahead.next = self.nxt.val() - self.una.val();
        self.span.next = 1.into();
        if self.is_read.val() {
            self.span.next = self.end_psn.val() - self.nxt.val();
            if self.posts.val() {
                self.span.next = self.post_packets.val();
            }
        }
        self.total.next =
            bit_cast::<25, 24>(self.ahead.val()) + bit_cast::<25, 24>(self.span.val());
        self.far.next = self.total.val() > self.half.val();
    }

    /// messages that wait
    fn messages(&mut self) {
        self.is_within.next =
            !self.waiting_bytes.val().get_bits::<20>(12).any() | (self.waiting_bytes.val() == 4096);
        self.is_more.next = self.waiting.val() > bit_cast::<9, 6>(self.messages_max.val());
        self.is_part.next = self.are_plain.val() & self.is_more.val() & self.may_burst.val().any();
        self.part.next = self.is_part.val();
        self.leaving.next = self.waiting.val().get_bits::<6>(0);
        if self.is_more.val() {
            self.leaving.next = self.messages_max.val();
        }
        self.are_several.next = self.are_plain.val() & self.waiting.val().get_bits::<8>(1).any();
        self.are_small.next = self.are_several.val() & self.is_within.val();
        comment!("Bytes in flight may begin a block, and so may bytes of messages.");
        self.blocks.next = 17.into();
        comment!("A message that is posted asks for a burst of its own.");
        if self.are_plain.val() & !self.posts.val() {
            self.blocks.next = self.waiting_bytes.val().get_bits::<5>(8) + 2;
        }
        comment!("Headers of all messages: at most 32 times those of one.");
        self.small_each.next = bit_cast::<14, 6>(self.telemetry_bytes.val()) + 74;
        for i in 0..6 {
            self.headers_of[i].next = 0.into();
            if self.leaving.val().get_bit(i) {
                self.headers_of[i].next = self.small_each.val() << i.to_bits::<3>();
            }
        }
        self.small_low.next = self.headers_of[0].val() + self.headers_of[1].val();
        self.small_high.next = self.headers_of[2].val() + self.headers_of[3].val();
        self.small_top.next = self.headers_of[4].val() + self.headers_of[5].val();
        self.all_small.next = self.small_low.val()
            + self.small_high.val()
            + self.small_top.val()
            + bit_cast::<14, 13>(self.waiting_bytes.val().get_bits::<13>(0));
        self.leave_small.next = self.may_leave.val() & self.are_small.val();
        if self.leave_small.val() {
            self.several.next = true;
            self.burst.next = self.all_small.val();
            self.count.next = bit_cast::<7, 6>(self.leaving.val());
        }
    }
}
