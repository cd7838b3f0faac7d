//! Send queues in block RAM, and the next packet of the work request at hand.
//!
//! # Source            InfiniBand, volume 1, section 9.7.4 (packets of a message)
//! # Interface timing  part of `requester`. Read in Check, WrRead, NextRead, SeekRead, FailRead; the
//!                     work request is at hand two cycles later. Free running from then on: P0
//!                     packet number, P1 rest and addresses, P2 bytes; Len frame bytes, and
//!                     whether the packet may be sent; Check rounded length of a posted work
//!                     request, Post0 packets, Post1 end PSN, written in Post2. The frame bytes of
//!                     its first packet come from its row and are there in Post2
//! # Number formats    bytes 0..=4096, frame bytes 58 + 42 + 16 + 4 + 4096 at most; no frame is
//!                     shorter than 62 bytes, so Ethernet padding never happens
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Bits of a work request row.
pub const WR_BITS: usize = 340;

/// Work requests; `FB` = log2 of the flow count, `SB` = log2 of the queue depth, `AB = FB + SB`.
#[derive(LogicBlock)]
pub struct RequesterWr<const FB: usize, const SB: usize, const AB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
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
    /// Place of the next one to be posted.
    pub tail: Signal<In, Bits<7>>,
    /// The one to look at on the way to the first READ.
    pub probe: Signal<In, Bits<7>>,
    /// Oldest unacknowledged PSN.
    pub una: Signal<In, Bits<24>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// PSN behind the highest ever sent.
    pub high: Signal<In, Bits<24>>,
    /// The packet is that of a READ response.
    pub takes_response: Signal<In, Bit>,
    /// Its PSN.
    pub response_psn: Signal<In, Bits<24>>,
    /// As many READs are outstanding as may be.
    pub reads_full: Signal<In, Bit>,
    /// PSN of the next work request to be posted.
    pub tail_psn: Signal<In, Bits<24>>,
    /// Its byte sequence.
    pub tail_seq: Signal<In, Bits<32>>,
    /// log2(MTU) - 8.
    pub mtu: Signal<In, Bits<3>>,
    /// log2 of the AckReq interval.
    pub interval: Signal<In, Bits<4>>,
    /// Bytes of the empty telemetry header.
    pub telemetry_bytes: Signal<In, Bits<6>>,
    /// Work request row.
    pub cfg_row: Signal<In, Bits<512>>,
    /// PSN behind the posted work request.
    pub post_end_psn: Signal<Out, Bits<24>>,
    /// First PSN of the work request at hand.
    pub first_psn: Signal<Out, Bits<24>>,
    /// PSN behind it.
    pub end_psn: Signal<Out, Bits<24>>,
    /// Its first byte sequence.
    pub start_seq: Signal<Out, Bits<32>>,
    /// It wants a completion.
    pub signalled: Signal<Out, Bit>,
    /// Its id.
    pub wr_id: Signal<Out, Bits<32>>,
    /// Its bytes.
    pub len: Signal<Out, Bits<32>>,
    /// It is a READ.
    pub is_read: Signal<Out, Bit>,
    /// Its remote key.
    pub rkey: Signal<Out, Bits<32>>,
    /// Its immediate data.
    pub imm: Signal<Out, Bits<32>>,
    /// Remote address of the message, or of what a READ asks for.
    pub va: Signal<Out, Bits<64>>,
    /// Bytes of the message, or that a READ asks for.
    pub dma_len: Signal<Out, Bits<32>>,
    /// Operation code of the packet.
    pub opcode: Signal<Out, Bits<8>>,
    /// The packet asks for an ACK.
    pub ack_req: Signal<Out, Bit>,
    /// The packet asks for an event.
    pub solicited: Signal<Out, Bit>,
    /// Local address of its payload, or of the response's.
    pub address: Signal<Out, Bits<64>>,
    /// Its payload bytes.
    pub bytes: Signal<Out, Bits<13>>,
    /// It is the last of its message.
    pub last: Signal<Out, Bit>,
    /// Packet number of the response in the READ.
    pub index: Signal<Out, Bits<24>>,
    /// Bytes of the response that is due.
    pub due_bytes: Signal<Out, Bits<13>>,
    /// They end the READ.
    pub last_response: Signal<Out, Bit>,
    /// Frame bytes of the packet.
    pub frame_bytes: Signal<Out, Bits<14>>,
    /// It is a READ that waits for another one to end.
    pub limited: Signal<Out, Bit>,
    /// It may not be sent yet.
    pub blocked: Signal<Out, Bit>,
    rows: Ram<AB, WR_BITS>,
    wr: DFF<Bits<WR_BITS>>,
    rounded: DFF<Bits<33>>,
    packets: DFF<Bits<24>>,
    post_end: DFF<Bits<24>>,
    number: DFF<Bits<24>>,
    rest: DFF<Bits<32>>,
    place: DFF<Bits<64>>,
    remote: DFF<Bits<64>>,
    size: DFF<Bits<13>>,
    ends: DFF<Bit>,
    starts: DFF<Bit>,
    on_interval: DFF<Bit>,
    frame: DFF<Bits<14>>,
    ahead: DFF<Bits<24>>,
    span: DFF<Bits<24>>,
    far: DFF<Bit>,
    waits: DFF<Bit>,
    psn: Signal<Local, Bits<24>>,
    offset: Signal<Local, Bits<32>>,
    post_op: Signal<Local, Bits<2>>,
    next_op: Signal<Local, Bits<2>>,
    reads: Signal<Local, Bit>,
    next_reads: Signal<Local, Bit>,
    sent_bytes: Signal<Local, Bits<13>>,
    remote_offset: Signal<Local, Bits<32>>,
    total: Signal<Local, Bits<25>>,
    row: Signal<Local, Bits<WR_BITS>>,
    position: Signal<Local, Bits<SB>>,
    address_high: Signal<Local, Bits<AB>>,
    row_address: Signal<Local, Bits<AB>>,
    wide_index: Signal<Local, Bits<32>>,
    mtu_bytes: Signal<Local, Bits<32>>,
    shifted: Signal<Local, Bits<33>>,
    is_imm: Signal<Local, Bit>,
    ends_imm: Signal<Local, Bit>,
    up: Signal<Local, Bits<13>>,
    padded: Signal<Local, Bits<14>>,
    headers: Signal<Local, Bits<14>>,
    base: Signal<Local, Bits<14>>,
    power: Signal<Local, Bits<16>>,
    low_mask: Signal<Local, Bits<16>>,
    lifted: Signal<Local, Bits<16>>,
    round_up: Signal<Local, Bits<33>>,
    one: Constant<Bits<16>>,
    with_imm: Constant<Bits<2>>,
    read: Constant<Bits<2>>,
    half: Constant<Bits<25>>,
    words: Constant<Bits<13>>,
    shift: Constant<Bits<4>>,
}

impl<const FB: usize, const SB: usize, const AB: usize> Default for RequesterWr<FB, SB, AB> {
    fn default() -> Self {
        assert!(AB == FB + SB, "AB = FB + SB");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            state: Default::default(),
            op: Default::default(),
            flow: Default::default(),
            head: Default::default(),
            current: Default::default(),
            tail: Default::default(),
            probe: Default::default(),
            una: Default::default(),
            nxt: Default::default(),
            high: Default::default(),
            takes_response: Default::default(),
            response_psn: Default::default(),
            reads_full: Default::default(),
            tail_psn: Default::default(),
            tail_seq: Default::default(),
            mtu: Default::default(),
            interval: Default::default(),
            telemetry_bytes: Default::default(),
            cfg_row: Default::default(),
            post_end_psn: Default::default(),
            first_psn: Default::default(),
            end_psn: Default::default(),
            start_seq: Default::default(),
            signalled: Default::default(),
            wr_id: Default::default(),
            len: Default::default(),
            is_read: Default::default(),
            rkey: Default::default(),
            imm: Default::default(),
            va: Default::default(),
            dma_len: Default::default(),
            opcode: Default::default(),
            ack_req: Default::default(),
            solicited: Default::default(),
            address: Default::default(),
            bytes: Default::default(),
            last: Default::default(),
            index: Default::default(),
            due_bytes: Default::default(),
            last_response: Default::default(),
            frame_bytes: Default::default(),
            limited: Default::default(),
            blocked: Default::default(),
            rows: Default::default(),
            wr: Default::default(),
            rounded: Default::default(),
            packets: Default::default(),
            post_end: Default::default(),
            number: Default::default(),
            offset: Default::default(),
            rest: Default::default(),
            place: Default::default(),
            remote: Default::default(),
            size: Default::default(),
            ends: Default::default(),
            starts: Default::default(),
            on_interval: Default::default(),
            padded: Default::default(),
            headers: Default::default(),
            frame: Default::default(),
            ahead: Default::default(),
            span: Default::default(),
            far: Default::default(),
            waits: Default::default(),
            psn: Default::default(),
            post_op: Default::default(),
            next_op: Default::default(),
            reads: Default::default(),
            next_reads: Default::default(),
            sent_bytes: Default::default(),
            remote_offset: Default::default(),
            total: Default::default(),
            row: Default::default(),
            position: Default::default(),
            address_high: Default::default(),
            row_address: Default::default(),
            wide_index: Default::default(),
            mtu_bytes: Default::default(),
            shifted: Default::default(),
            is_imm: Default::default(),
            ends_imm: Default::default(),
            up: Default::default(),
            base: Default::default(),
            power: Default::default(),
            low_mask: Default::default(),
            lifted: Default::default(),
            round_up: Default::default(),
            one: Constant::new(1.into()),
            with_imm: Constant::new(1.into()),
            read: Constant::new(2.into()),
            half: Constant::new((1_u64 << 23).into()),
            words: Constant::new(0x1ffc.into()),
            shift: Constant::new((SB as u64).into()),
        }
    }
}

impl<const FB: usize, const SB: usize, const AB: usize> Logic for RequesterWr<FB, SB, AB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            wr,
            rounded,
            packets,
            post_end,
            number,
            rest,
            place,
            remote,
            size,
            ends,
            starts,
            on_interval,
            frame,
            ahead,
            span,
            far,
            waits
        );
        self.rows.clock.next = self.clock.val();
        self.post_end_psn.next = self.post_end.q.val();
        self.first_psn.next = self.wr.q.val().get_bits::<24>(260);
        self.end_psn.next = self.wr.q.val().get_bits::<24>(284);
        self.start_seq.next = self.wr.q.val().get_bits::<32>(308);
        self.signalled.next = self.wr.q.val().get_bit(258);
        self.wr_id.next = self.wr.q.val().get_bits::<32>(224);
        self.len.next = self.wr.q.val().get_bits::<32>(128);
        self.reads.next = self.wr.q.val().get_bits::<2>(256) == self.read.val();
        self.is_read.next = self.reads.val();
        self.rkey.next = self.wr.q.val().get_bits::<32>(160);
        self.imm.next = self.wr.q.val().get_bits::<32>(192);
        self.address.next = self.place.q.val();
        self.index.next = self.number.q.val();
        self.due_bytes.next = self.size.q.val();
        self.last_response.next = self.ends.q.val();
        self.last.next = self.ends.q.val() | self.reads.val();
        self.va.next = self.remote.q.val();
        self.dma_len.next = self.wr.q.val().get_bits::<32>(128);
        self.bytes.next = self.size.q.val();
        if self.reads.val() {
            self.dma_len.next = self.rest.q.val();
            self.bytes.next = 0.into();
        }
        self.limited.next = self.waits.q.val();
        self.blocked.next = self.waits.q.val() | self.far.q.val();
        self.frame_bytes.next = self.frame.q.val();

        comment!("Rows: read at the head or at the current work request, written at the tail.");
        self.position.next = self.head.val().get_bits::<SB>(0);
        if self.state.val() == State::Post2 {
            self.position.next = self.tail.val().get_bits::<SB>(0);
        } else if self.state.val() == State::SeekRead {
            self.position.next = self.probe.val().get_bits::<SB>(0);
        } else if (self.state.val() == State::WrRead) | (self.op.val() == Op::Grant) {
            self.position.next = self.current.val().get_bits::<SB>(0);
        }
        self.address_high.next = bit_cast::<AB, FB>(self.flow.val()) << self.shift.val();
        self.row_address.next = self.address_high.val() | bit_cast::<AB, SB>(self.position.val());
        self.rows.read_address.next = self.row_address.val();
        self.rows.read_enable.next = (self.state.val() == State::Check)
            | (self.state.val() == State::WrRead)
            | (self.state.val() == State::NextRead)
            | (self.state.val() == State::SeekRead)
            | (self.state.val() == State::FailRead);
        self.wr.d.next = self.rows.read_data.val();
        self.rows.write_enable.next = self.state.val() == State::Post2;
        self.rows.write_address.next = self.row_address.val();
        self.row.next = bit_cast::<WR_BITS, 64>(self.cfg_row.val().get_bits::<64>(64))
            | (bit_cast::<WR_BITS, 64>(self.cfg_row.val().get_bits::<64>(192)) << 64)
            | (bit_cast::<WR_BITS, 32>(self.cfg_row.val().get_bits::<32>(128)) << 128)
            | (bit_cast::<WR_BITS, 32>(self.cfg_row.val().get_bits::<32>(160)) << 160)
            | (bit_cast::<WR_BITS, 32>(self.cfg_row.val().get_bits::<32>(256)) << 192)
            | (bit_cast::<WR_BITS, 32>(self.cfg_row.val().get_bits::<32>(32)) << 224)
            | (bit_cast::<WR_BITS, 2>(self.cfg_row.val().get_bits::<2>(0)) << 256)
            | (bit_cast::<WR_BITS, 1>(self.cfg_row.val().get_bits::<1>(2)) << 258)
            | (bit_cast::<WR_BITS, 1>(self.cfg_row.val().get_bits::<1>(3)) << 259)
            | (bit_cast::<WR_BITS, 24>(self.tail_psn.val()) << 260)
            | (bit_cast::<WR_BITS, 24>(self.post_end.q.val()) << 284)
            | (bit_cast::<WR_BITS, 32>(self.tail_seq.val()) << 308);
        self.rows.write_data.next = self.row.val();

        comment!("Bytes and packets by the MTU.");
        self.wide_index.next = bit_cast::<32, 24>(self.number.q.val());
        match self.mtu.val().index() {
            0 => {
                self.mtu_bytes.next = 256.into();
                self.round_up.next = 255.into();
                self.shifted.next = self.rounded.q.val() >> 8;
                self.offset.next = self.wide_index.val() << 8;
            }
            1 => {
                self.mtu_bytes.next = 512.into();
                self.round_up.next = 511.into();
                self.shifted.next = self.rounded.q.val() >> 9;
                self.offset.next = self.wide_index.val() << 9;
            }
            2 => {
                self.mtu_bytes.next = 1024.into();
                self.round_up.next = 1023.into();
                self.shifted.next = self.rounded.q.val() >> 10;
                self.offset.next = self.wide_index.val() << 10;
            }
            3 => {
                self.mtu_bytes.next = 2048.into();
                self.round_up.next = 2047.into();
                self.shifted.next = self.rounded.q.val() >> 11;
                self.offset.next = self.wide_index.val() << 11;
            }
            _ => {
                self.mtu_bytes.next = 4096.into();
                self.round_up.next = 4095.into();
                self.shifted.next = self.rounded.q.val() >> 12;
                self.offset.next = self.wide_index.val() << 12;
            }
        }
        comment!("Posting: packets of the message, at least one.");
        self.rounded.d.next =
            bit_cast::<33, 32>(self.cfg_row.val().get_bits::<32>(128)) + self.round_up.val();
        self.packets.d.next = self.shifted.val().get_bits::<24>(0);
        if !self.shifted.val().any() {
            self.packets.d.next = 1.into();
        }
        self.post_end.d.next = self.tail_psn.val() + self.packets.q.val();
        comment!("The packet: the next one, the response that came, or the first one posted.");
        self.psn.next = self.nxt.val();
        if self.takes_response.val() {
            self.psn.next = self.response_psn.val();
        }
        self.post_op.next = self.cfg_row.val().get_bits::<2>(0);
        self.next_op.next = self.wr.q.val().get_bits::<2>(256);
        self.number.d.next = self.psn.val() - self.first_psn.val();
        self.starts.d.next = !self.number.q.val().any();
        self.rest.d.next = self.len.val() - self.offset.val();
        if self.op.val() == Op::Wr {
            self.next_op.next = self.post_op.val();
            self.starts.d.next = true;
            self.rest.d.next = self.cfg_row.val().get_bits::<32>(128);
        }
        self.next_reads.next = self.next_op.val() == self.read.val();
        self.place.d.next =
            self.wr.q.val().get_bits::<64>(0) + bit_cast::<64, 32>(self.offset.val());
        self.remote_offset.next = 0.into();
        if self.reads.val() {
            self.remote_offset.next = self.offset.val();
        }
        self.remote.d.next =
            self.wr.q.val().get_bits::<64>(64) + bit_cast::<64, 32>(self.remote_offset.val());
        self.ends.d.next = true;
        self.size.d.next = self.rest.q.val().get_bits::<13>(0);
        if self.rest.q.val() > self.mtu_bytes.val() {
            self.ends.d.next = false;
            self.size.d.next = self.mtu_bytes.val().get_bits::<13>(0);
        }
        self.is_imm.next = self.wr.q.val().get_bits::<2>(256) == self.with_imm.val();
        self.solicited.next = self.wr.q.val().get_bit(259) & self.is_imm.val() & self.ends.q.val();
        self.opcode.next = 7.into();
        if self.reads.val() {
            self.opcode.next = 12.into();
        } else if self.starts.q.val() & self.ends.q.val() {
            self.opcode.next = 10.into();
            if self.is_imm.val() {
                self.opcode.next = 11.into();
            }
        } else if self.starts.q.val() {
            self.opcode.next = 6.into();
        } else if self.ends.q.val() {
            self.opcode.next = 8.into();
            if self.is_imm.val() {
                self.opcode.next = 9.into();
            }
        }
        comment!("AckReq on the last packet and where the low bits of the PSN are all ones.");
        self.power.next = self.one.val() << self.interval.val();
        self.low_mask.next = self.power.val() - 1;
        self.lifted.next = self.nxt.val().get_bits::<16>(0) | !self.low_mask.val();
        self.on_interval.d.next = self.lifted.val().all();
        self.ack_req.next = self.ends.q.val() | self.reads.val() | self.on_interval.q.val();
        comment!("Frame bytes.");
        self.sent_bytes.next = self.size.q.val();
        if self.next_reads.val() {
            self.sent_bytes.next = 0.into();
        }
        self.up.next = self.sent_bytes.val() + 3;
        self.padded.next = bit_cast::<14, 13>(self.up.val() & self.words.val());
        self.ends_imm.next = (self.next_op.val() == self.with_imm.val()) & self.ends.q.val();
        self.base.next = 58.into();
        if self.starts.q.val() | self.next_reads.val() {
            self.base.next = 74.into();
            if self.ends_imm.val() {
                self.base.next = 78.into();
            }
        } else if self.ends_imm.val() {
            self.base.next = 62.into();
        }
        self.headers.next = self.base.val() + bit_cast::<14, 6>(self.telemetry_bytes.val());
        self.frame.d.next = self.padded.val() + self.headers.val();
        comment!("A new READ waits while too many are outstanding, all while too many PSNs are.");
        self.waits.d.next =
            self.next_reads.val() & self.reads_full.val() & (self.nxt.val() == self.high.val());
        self.ahead.d.next = self.nxt.val() - self.una.val();
        self.span.d.next = 1.into();
        if self.next_reads.val() {
            self.span.d.next = self.end_psn.val() - self.nxt.val();
            if self.op.val() == Op::Wr {
                self.span.d.next = self.packets.q.val();
            }
        }
        self.total.next =
            bit_cast::<25, 24>(self.ahead.q.val()) + bit_cast::<25, 24>(self.span.q.val());
        self.far.d.next = self.total.val() > self.half.val();
    }
}
