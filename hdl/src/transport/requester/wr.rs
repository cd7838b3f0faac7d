//! Send queues in block RAM: work requests are posted and read.
//!
//! # Interface timing  part of `requester`. Read in Check, WrRead, Send, Retire, NextRead, SeekRead,
//!                     FailRead; the work request is at hand two cycles later. Where there are
//!                     bursts the first one behind those that may leave at once is looked at in P1:
//!                     its byte sequence is known two cycles later, and the one at hand stays.
//!                     Posting: before Post0 rounded length, Post0 packets, Post1 end PSN, written
//!                     in Post2
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::rows::StagedRow;
use crate::transport::requester::state::{Op, State};
use crate::util::ram::Ram;
use crate::{block, kernel, row, Unreset};
use nic_spec::config::has_bursts;
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
    /// Send queues are 4 to the power of this times deeper; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Oldest work request.
    pub head: Signal<In, Bits<9>>,
    /// The one behind it.
    pub second: Signal<In, Bits<9>>,
    /// The head leaves the queue in Retire.
    pub retires: Signal<In, Bit>,
    /// The one that the next PSN belongs to.
    pub current: Signal<In, Bits<9>>,
    /// The packet that is sent ends its message.
    pub packet_last: Signal<In, Bit>,
    /// Place of the next one to be posted.
    pub tail: Signal<In, Bits<9>>,
    /// The next one to look at.
    pub probe: Signal<In, Bits<9>>,
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
    /// Messages like the one at hand that may leave at once: 2 to 32, a power of 2.
    pub messages_max: Signal<Out, Bits<6>>,
    /// First byte sequence of the one behind so many.
    pub part_seq: Signal<Out, Bits<32>>,
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
    reads_memory: Unreset<Bit>,
    is_grant: Unreset<Bit>,
    has_looked: Unreset<Bit>,
    max: Unreset<Bits<6>>,
    behind_part: Unreset<Bits<32>>,
    rounded: Unreset<Bits<33>>,
    packets: Unreset<Bits<24>>,
    post_end: Unreset<Bits<24>>,
    plain: Unreset<Bit>,
    row: Signal<Local, PostedRow>,
    first_place: Unreset<Bits<AB>>,
    places: Unreset<Bits<9>>,
    wide_flow: Signal<Local, Bits<AB>>,
    position: Signal<Local, Bits<9>>,
    looks: Signal<Local, Bit>,
    retire_reads: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    len_read: Signal<Local, Bits<13>>,
    row_address: Signal<Local, Bits<AB>>,
    shifted: Signal<Local, Bits<33>>,
    round_up: Signal<Local, Bits<33>>,
    posts_inline: Signal<Local, Bit>,
    #[value(2)]
    read: Constant<Bits<2>>,
    #[value(INLINE_BYTES_MAX as u64)]
    inline_bytes_max: Constant<Bits<32>>,
    #[value(u64::from(has_bursts(config.data_bits)))]
    may_burst: Constant<Bits<1>>,
    #[value(SB as u64)]
    shift: Constant<Bits<4>>,
    #[value((1_u64 << SB) - 1)]
    least_places: Constant<Bits<9>>,
    #[value((4_u64 << SB) - 1)]
    more_places: Constant<Bits<9>>,
    #[value((16_u64 << SB) - 1)]
    most_places: Constant<Bits<9>>,
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
        self.is_read.next = self.reads_memory.val();
        self.signalled.next = self.wr.val().signalled;
        self.solicits.next = self.wr.val().solicited;
        self.first_psn.next = self.wr.val().first_psn;
        self.end_psn.next = self.wr.val().end_psn;
        self.start_seq.next = self.wr.val().start_seq;
        self.is_grant.next = self.op.val() == Op::Grant;
        comment!(
            "Rows: read at the head, at the current work request or the next, written at the tail."
        );
        self.looks.next = self.may_burst.val().any() & (self.state.val() == State::P1);
        self.retire_reads.next = (self.state.val() == State::Retire) & self.retires.val();
        self.position.next = self.head.val();
        match self.state.val() {
            State::P1 => {
                if self.may_burst.val().any() {
                    self.position.next = self.current.val() + bit_cast::<9, 6>(self.max.val());
                }
            }
            State::Retire => {
                self.position.next = self.second.val();
            }
            State::Post2 => {
                self.position.next = self.tail.val();
            }
            State::SeekRead => {
                self.position.next = self.probe.val();
            }
            State::Send => {
                self.position.next = self.probe.val();
            }
            State::WrRead => {
                self.position.next = self.current.val();
            }
            State::Check => {
                if self.is_grant.val() {
                    self.position.next = self.current.val();
                }
            }
            _ => {}
        }
        comment!("A flow's places; it is at hand a cycle before its first row is read.");
        self.wide_flow.next = bit_cast::<AB, FB>(self.flow.val()) << self.shift.val();
        self.first_place.next = self.wide_flow.val();
        self.places.next = self.least_places.val();
        if self.cfg_sq_scale.val().get_bit(1) {
            self.first_place.next = self.wide_flow.val() << 4;
            self.places.next = self.most_places.val();
        } else if self.cfg_sq_scale.val().get_bit(0) {
            self.first_place.next = self.wide_flow.val() << 2;
            self.places.next = self.more_places.val();
        }
        self.row_address.next =
            self.first_place.val() | bit_cast::<AB, 9>(self.position.val() & self.places.val());
        self.rows.read_address.next = self.row_address.val();
        self.reads.next = (self.state.val() == State::Check)
            | (self.state.val() == State::WrRead)
            | ((self.state.val() == State::Send) & self.packet_last.val())
            | self.retire_reads.val()
            | (self.state.val() == State::NextRead)
            | (self.state.val() == State::SeekRead)
            | (self.state.val() == State::FailRead);
        self.rows.read_enable.next = self.reads.val() | self.looks.val();
        comment!("What is only looked at does not come to hand.");
        self.len_read.next = self.rows.read_data.val().length_bytes.get_bits::<13>(0);
        if self.reads.val() {
            self.has_looked.next = false;
        } else if self.looks.val() {
            self.has_looked.next = true;
        }
        if !self.has_looked.val() {
            self.wr.next = self.rows.read_data.val();
            self.reads_memory.next = self.rows.read_data.val().operation == self.read.val();
            self.max.next = 2.into();
            if !self.len_read.val().get_bits::<3>(10).any() | (self.len_read.val() == 1024) {
                self.max.next = 4.into();
            }
            if !self.len_read.val().get_bits::<4>(9).any() | (self.len_read.val() == 512) {
                self.max.next = 8.into();
            }
            if !self.len_read.val().get_bits::<5>(8).any() | (self.len_read.val() == 256) {
                self.max.next = 16.into();
            }
            if !self.len_read.val().get_bits::<6>(7).any() | (self.len_read.val() == 128) {
                self.max.next = 32.into();
            }
        }
        self.messages_max.next = self.max.val();
        self.behind_part.next = self.rows.read_data.val().start_seq;
        self.part_seq.next = self.behind_part.val();
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
