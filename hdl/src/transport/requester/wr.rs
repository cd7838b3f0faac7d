//! Send queues in block RAM: work requests are posted and read.
//!
//! # Interface timing  part of `requester`. Read in Check, WrRead, Send, NextRead, SeekRead, FailRead; the
//!                     work request is at hand two cycles later. Posting: Check rounded length,
//!                     Post0 packets, Post1 end PSN, written in Post2
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::rows::StagedRow;
use crate::transport::requester::state::{Op, State};
use crate::util::ram::Ram;
use crate::{block, kernel, row, Unreset};
use nic_spec::rows::INLINE_BYTES_MAX;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// A work request that was posted.
#[row]
struct PostedRow {
    local_address: Bits<64>,
    remote_va: Bits<64>,
    length_bytes: Bits<32>,
    rkey: Bits<32>,
    immediate: Bits<32>,
    wr_id: Bits<32>,
    operation: Bits<2>,
    signalled: Bit,
    solicited: Bit,
    first_psn: Bits<24>,
    end_psn: Bits<24>,
    start_seq: Bits<32>,
    is_inline: Bit,
    inline_rest: Bits<128>,
}

/// Work requests; `FB` = log2 of the flow count, `SB` = log2 of the queue depth, `AB = FB + SB`.
#[block(no_reset, new(config: &NicConfig), check(AB == FB + SB))]
pub struct RequesterWr<const FB: usize, const SB: usize, const AB: usize> {
    /// log2 of how many times deeper send queues are; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Oldest work request.
    pub head: Signal<In, Bits<7>>,
    /// The one that the next PSN belongs to.
    pub current: Signal<In, Bits<7>>,
    /// The packet that is sent ends its message.
    pub packet_last: Signal<In, Bit>,
    /// Place of the next one to be posted.
    pub tail: Signal<In, Bits<7>>,
    /// The next one to look at.
    pub probe: Signal<In, Bits<7>>,
    /// PSN of the next work request to be posted.
    pub tail_psn: Signal<In, Bits<24>>,
    /// Its byte sequence.
    pub tail_seq: Signal<In, Bits<32>>,
    /// log2(MTU) - 8.
    pub mtu_code: Signal<In, Bits<3>>,
    /// Work request row.
    pub cfg_row: Signal<In, StagedRow>,
    /// PSN behind the posted work request.
    pub post_end_psn: Signal<Out, Bits<24>>,
    /// Its packets.
    pub post_packets: Signal<Out, Bits<24>>,
    /// It is a WRITE of one packet without padding or immediate data.
    pub post_is_plain: Signal<Out, Bit>,
    /// First PSN of the work request at hand.
    pub first_psn: Signal<Out, Bits<24>>,
    /// PSN behind it.
    pub end_psn: Signal<Out, Bits<24>>,
    /// Its first byte sequence.
    pub start_seq: Signal<Out, Bits<32>>,
    /// 0: WRITE, 1: WRITE with immediate, 2: READ.
    pub operation: Signal<Out, Bits<2>>,
    /// It is a READ.
    pub is_read: Signal<Out, Bit>,
    /// It wants a completion.
    pub signalled: Signal<Out, Bit>,
    /// It asks for an event.
    pub solicits: Signal<Out, Bit>,
    /// Its id.
    pub wr_id: Signal<Out, Bits<32>>,
    /// Its bytes.
    pub len: Signal<Out, Bits<32>>,
    /// Its local address; inline: its first 8 bytes.
    pub local_address: Signal<Out, Bits<64>>,
    /// Its bytes stand in the work request.
    pub is_inline: Signal<Out, Bit>,
    /// Those behind the first 8.
    pub inline_rest: Signal<Out, Bits<128>>,
    /// Its remote address.
    pub remote_address: Signal<Out, Bits<64>>,
    /// Its remote key.
    pub rkey: Signal<Out, Bits<32>>,
    /// Its immediate data.
    pub imm: Signal<Out, Bits<32>>,
    #[init(if config.has_ultra_ram() { Ram::ultra() } else { Ram::default() })]
    rows: Ram<AB, PostedRow>,
    wr: Unreset<PostedRow>,
    rounded: Unreset<Bits<33>>,
    packets: Unreset<Bits<24>>,
    post_end: Unreset<Bits<24>>,
    plain: Unreset<Bit>,
    row: Signal<Local, PostedRow>,
    first_place: Unreset<Bits<AB>>,
    places: Unreset<Bits<7>>,
    wide_flow: Signal<Local, Bits<AB>>,
    position: Signal<Local, Bits<7>>,
    row_address: Signal<Local, Bits<AB>>,
    shifted: Signal<Local, Bits<33>>,
    round_up: Signal<Local, Bits<33>>,
    posts_inline: Signal<Local, Bit>,
    #[value(2)]
    read: Constant<Bits<2>>,
    #[value(INLINE_BYTES_MAX as u64)]
    inline_bytes_max: Constant<Bits<32>>,
    #[value(SB as u64)]
    shift: Constant<Bits<4>>,
    #[value((1_u64 << SB) - 1)]
    least_places: Constant<Bits<7>>,
    #[value((2_u64 << SB) - 1)]
    twice_places: Constant<Bits<7>>,
    #[value((4_u64 << SB) - 1)]
    most_places: Constant<Bits<7>>,
}

#[kernel(packets_parts)]
impl<const FB: usize, const SB: usize, const AB: usize> RequesterWr<FB, SB, AB> {
    fn update(&mut self) {
        self.post_end_psn.next = self.post_end.val();
        self.post_packets.next = self.packets.val();
        self.post_is_plain.next = self.plain.val();
        self.plain.next = (self.packets.val() == 1)
            & (self.cfg_row.val().wr_operation.get_bit(0)
                == self.cfg_row.val().wr_operation.get_bit(1))
            & (self.cfg_row.val().wr_length_bytes.get_bits::<2>(0) == 0);
        self.local_address.next = self.wr.val().local_address;
        self.is_inline.next = self.wr.val().is_inline;
        self.inline_rest.next = self.wr.val().inline_rest;
        self.remote_address.next = self.wr.val().remote_va;
        self.len.next = self.wr.val().length_bytes;
        self.rkey.next = self.wr.val().rkey;
        self.imm.next = self.wr.val().immediate;
        self.wr_id.next = self.wr.val().wr_id;
        self.operation.next = self.wr.val().operation;
        self.is_read.next = self.wr.val().operation == self.read.val();
        self.signalled.next = self.wr.val().signalled;
        self.solicits.next = self.wr.val().solicited;
        self.first_psn.next = self.wr.val().first_psn;
        self.end_psn.next = self.wr.val().end_psn;
        self.start_seq.next = self.wr.val().start_seq;
        comment!(
            "Rows: read at the head, at the current work request or the next, written at the tail."
        );
        self.position.next = self.head.val();
        if self.state.val() == State::Post2 {
            self.position.next = self.tail.val();
        } else if (self.state.val() == State::SeekRead) | (self.state.val() == State::Send) {
            self.position.next = self.probe.val();
        } else if (self.state.val() == State::WrRead) | (self.op.val() == Op::Grant) {
            self.position.next = self.current.val();
        }
        comment!("A flow's places; it is at hand a cycle before its first row is read.");
        self.wide_flow.next = bit_cast::<AB, FB>(self.flow.val()) << self.shift.val();
        self.first_place.next = self.wide_flow.val();
        self.places.next = self.least_places.val();
        if self.cfg_sq_scale.val().get_bit(1) {
            self.first_place.next = self.wide_flow.val() << 2;
            self.places.next = self.most_places.val();
        } else if self.cfg_sq_scale.val().get_bit(0) {
            self.first_place.next = self.wide_flow.val() << 1;
            self.places.next = self.twice_places.val();
        }
        self.row_address.next =
            self.first_place.val() | bit_cast::<AB, 7>(self.position.val() & self.places.val());
        self.rows.read_address.next = self.row_address.val();
        self.rows.read_enable.next = (self.state.val() == State::Check)
            | (self.state.val() == State::WrRead)
            | ((self.state.val() == State::Send) & self.packet_last.val())
            | (self.state.val() == State::NextRead)
            | (self.state.val() == State::SeekRead)
            | (self.state.val() == State::FailRead);
        self.wr.next = self.rows.read_data.val();
        self.rows.write_enable.next = self.state.val() == State::Post2;
        self.rows.write_address.next = self.row_address.val();
        self.posts_inline.next = self.cfg_row.val().wr_inline
            & (self.cfg_row.val().wr_operation != self.read.val())
            & (self.cfg_row.val().wr_length_bytes <= self.inline_bytes_max.val());
        self.row.next.local_address = self.cfg_row.val().wr_local_address;
        if self.posts_inline.val() {
            self.row.next.local_address = self.cfg_row.val().wr_inline_0;
        }
        self.row.next.is_inline = self.posts_inline.val();
        self.row.next.inline_rest = self.cfg_row.val().wr_inline_rest;
        self.row.next.remote_va = self.cfg_row.val().wr_remote_va;
        self.row.next.length_bytes = self.cfg_row.val().wr_length_bytes;
        self.row.next.rkey = self.cfg_row.val().wr_rkey;
        self.row.next.immediate = self.cfg_row.val().wr_immediate;
        self.row.next.wr_id = self.cfg_row.val().wr_wr_id;
        self.row.next.operation = self.cfg_row.val().wr_operation;
        self.row.next.signalled = self.cfg_row.val().wr_signalled;
        self.row.next.solicited = self.cfg_row.val().wr_solicited;
        self.row.next.first_psn = self.tail_psn.val();
        self.row.next.end_psn = self.post_end.val();
        self.row.next.start_seq = self.tail_seq.val();
        self.rows.write_data.next = self.row.val();
        comment!("Packets of the message, at least one.");
        self.round();
        self.rounded.next =
            bit_cast::<33, 32>(self.cfg_row.val().wr_length_bytes) + self.round_up.val();
        self.count_packets();
        self.post_end.next = self.tail_psn.val() + self.packets.val();
    }
}
