//! Verdict on a request: whose it is, its PSN, its form, its right to write or read, the answer.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.4 (responder); 9.7.4.1.1
//!                     (PSN), 9.7.4.1.2 (opcode sequence), 9.7.4.1.5 (rkey), 9.7.4.1.6 (length),
//!                     9.7.4.5 (duplicates)
//! # Interface timing  cycle 0: take, s_req; cycle 7: the verdict, which follows failed and
//!                     cq_room by one cycle; commit stores the flow's new state
//! # Latency and rate  [`LATENCY_CYCLES`]; one request at a time
//! # Number formats    psn | 24 bits, serial | 0..=2^24-1; VA + length | 65 bits, from the start
//!                     of the region
//! # Rules             no queue pair, then PSN, then form (NAK invalid), then right (NAK access),
//!                     then completion room (RNR NAK)
//! # Reset             synchronous, high: tables are cleared; the verdict means nothing before 7
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::rows::StagedRow;
use crate::streams::FlowEnd;
use crate::transport::responder::tables::{ReceiveState, RespTables};
use crate::{block, kernel, Unreset};
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// Cycles from a request to its verdict.
pub const LATENCY_CYCLES: usize = 7;

/// Check of requests against `2^FB` queue pairs and `2^MB` memory regions.
#[block]
pub struct RespCheck<const FB: usize, const MB: usize> {
    /// Tables are clear.
    pub ready: Signal<Out, Bit>,
    /// Look at this request.
    pub take: Signal<In, Bit>,
    /// Queue pair.
    pub s_req_qpn: Signal<In, Bits<24>>,
    /// Operation.
    pub s_req_opcode: Signal<In, Bits<8>>,
    /// Sequence number.
    pub s_req_psn: Signal<In, Bits<24>>,
    /// An ACK is asked for.
    pub s_req_ack_req: Signal<In, Bit>,
    /// Bytes of payload.
    pub s_req_payload_bytes: Signal<In, Bits<13>>,
    /// RETH: virtual address.
    pub s_req_va: Signal<In, Bits<64>>,
    /// RETH: rkey.
    pub s_req_rkey: Signal<In, Bits<32>>,
    /// RETH: bytes of the message.
    pub s_req_dma_len: Signal<In, Bits<32>>,
    /// Immediate data.
    pub s_req_imm: Signal<In, Bits<32>>,
    /// Sender.
    pub s_req_src_ip: Signal<In, Bits<32>>,
    /// Completion room.
    pub cq_room: Signal<In, Bit>,
    /// The verdict holds: store the flow's new state.
    pub commit: Signal<In, Bit>,
    /// Store a queue pair.
    pub qp_write: Signal<In, Bit>,
    /// Store a memory region.
    pub region_write: Signal<In, Bit>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, StagedRow>,
    /// Something has ended in a flow.
    pub ended: FlowEnd<In, FB>,
    /// Flow of the request.
    pub flow: Signal<Out, Bits<FB>>,
    /// It has telemetry.
    pub telemetry: Signal<Out, Bit>,
    /// The request has payload.
    pub has_payload: Signal<Out, Bit>,
    /// Verdict: no such queue pair, or it is in error.
    pub no_qp: Signal<Out, Bit>,
    /// Verdict: behind the expected PSN.
    pub duplicate: Signal<Out, Bit>,
    /// Verdict: ahead of it.
    pub ahead: Signal<Out, Bit>,
    /// Verdict: invalid request.
    pub invalid: Signal<Out, Bit>,
    /// Verdict: no right to write there.
    pub access: Signal<Out, Bit>,
    /// Verdict: no completion room.
    pub not_ready: Signal<Out, Bit>,
    /// Verdict: accepted.
    pub accept: Signal<Out, Bit>,
    /// It will make a completion.
    pub accept_imm: Signal<Out, Bit>,
    /// A command goes to the DMA.
    pub has_cmd: Signal<Out, Bit>,
    /// Address of the first byte; 0 when nothing is written.
    pub cmd_addr: Signal<Out, Bits<64>>,
    /// Bytes to write.
    pub cmd_bytes: Signal<Out, Bits<13>>,
    /// Tag of the command, see `ack_gen`.
    pub cmd_tag: Signal<Out, Bits<127>>,
    /// The command is a READ's.
    pub is_job: Signal<Out, Bit>,
    /// Address of its first byte; 0 when it has none.
    pub job_addr: Signal<Out, Bits<64>>,
    /// Virtual address that it asks for.
    pub job_va: Signal<Out, Bits<64>>,
    /// Its remote key.
    pub job_rkey: Signal<Out, Bits<32>>,
    tables: RespTables<FB, MB>,
    qpn: Unreset<Bits<24>>,
    psn: Unreset<Bits<24>>,
    ack_req: Unreset<Bit>,
    payload: Unreset<Bits<32>>,
    va: Unreset<Bits<64>>,
    rkey: Unreset<Bits<32>>,
    dma_len: Unreset<Bits<32>>,
    imm: Unreset<Bits<32>>,
    src_ip: Unreset<Bits<32>>,
    is_write: Unreset<Bit>,
    is_read: Unreset<Bit>,
    is_atomic: Unreset<Bit>,
    starts: Unreset<Bit>,
    ends: Unreset<Bit>,
    has_imm: Unreset<Bit>,
    is_ours: Unreset<Bit>,
    psn_ahead: Unreset<Bits<24>>,
    psn_before: Unreset<Bits<24>>,
    psn_after: Unreset<Bits<24>>,
    msn_after: Unreset<Bits<24>>,
    at_va: Unreset<Bits<64>>,
    at_rkey: Unreset<Bits<32>>,
    to_come: Unreset<Bits<32>>,
    length: Unreset<Bits<32>>,
    mtu: Unreset<Bits<32>>,
    in_order: Unreset<Bit>,
    offset: Unreset<Bits<65>>,
    va_after: Unreset<Bits<64>>,
    left_after: Unreset<Bits<32>>,
    may_write: Unreset<Bit>,
    is_whole: Unreset<Bit>,
    is_mtu: Unreset<Bit>,
    is_short: Unreset<Bit>,
    is_more: Unreset<Bit>,
    is_huge: Unreset<Bit>,
    is_empty: Unreset<Bit>,
    reach: Unreset<Bits<65>>,
    address: Unreset<Bits<64>>,
    well_formed: Unreset<Bit>,
    in_range: Unreset<Bit>,
    v_no_qp: Unreset<Bit>,
    v_duplicate: Unreset<Bit>,
    v_ahead: Unreset<Bit>,
    v_invalid: Unreset<Bit>,
    v_access: Unreset<Bit>,
    v_not_ready: Unreset<Bit>,
    v_accept: Unreset<Bit>,
    psn_behind: Unreset<Bits<24>>,
    mtu_code: Unreset<Bits<3>>,
    len_less: Unreset<Bits<32>>,
    packets_less: Unreset<Bits<24>>,
    psn_after_read: Unreset<Bits<24>>,
    is_within: Unreset<Bit>,
    is_bare: Unreset<Bit>,
    may_read: Unreset<Bit>,
    v_again: Unreset<Bit>,
    opcode: Signal<Local, Bits<8>>,
    first: Signal<Local, Bit>,
    middle: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    only: Signal<Local, Bit>,
    with_imm: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    reads: Signal<Local, Bits<5>>,
    reads_after: Signal<Local, Bits<5>>,
    next_psn: Signal<Local, Bits<24>>,
    sound: Signal<Local, Bit>,
    read_form: Signal<Local, Bit>,
    expected: Signal<Local, Bits<24>>,
    msn: Signal<Local, Bits<24>>,
    was_closed: Signal<Local, Bit>,
    nak_sent: Signal<Local, Bit>,
    in_message: Signal<Local, Bit>,
    region_va: Signal<Local, Bits<65>>,
    at_va_wide: Signal<Local, Bits<65>>,
    offset_64: Signal<Local, Bits<64>>,
    offset_wide: Signal<Local, Bits<65>>,
    region_length: Signal<Local, Bits<65>>,
    region_host: Signal<Local, Bits<64>>,
    region_rkey: Signal<Local, Bits<32>>,
    rkey_ok: Signal<Local, Bit>,
    order_ok: Signal<Local, Bit>,
    size_ok: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    fit: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    answer_psn: Signal<Local, Bits<24>>,
    answer_msn: Signal<Local, Bits<24>>,
    answer: Signal<Local, Bits<3>>,
    tag: Signal<Local, Bits<127>>,
    state: Signal<Local, ReceiveState>,
    #[init(Constant::new(u64::from(opcode::WRITE_FIRST).to_bits()))]
    write_first: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_MIDDLE).to_bits()))]
    write_middle: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_LAST).to_bits()))]
    write_last: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_LAST_IMM).to_bits()))]
    write_last_imm: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_ONLY).to_bits()))]
    write_only: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_ONLY_IMM).to_bits()))]
    write_only_imm: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::READ_REQUEST).to_bits()))]
    read_request: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::COMPARE_SWAP).to_bits()))]
    compare_swap: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::FETCH_ADD).to_bits()))]
    fetch_add: Constant<Bits<8>>,
    #[init(Constant::new((1_u64 << 31).to_bits()))]
    length_max: Constant<Bits<32>>,
}

#[kernel]
impl<const FB: usize, const MB: usize> RespCheck<FB, MB> {
    fn update(&mut self) {
        self.tables.take.next = self.take.val();
        self.tables.s_req_flow.next = self.s_req_qpn.val().get_bits::<FB>(0);
        self.tables.req_starts.next = self.starts.val();
        self.tables.req_region.next = self.rkey.val().get_bits::<MB>(8);
        self.tables.qp_write.next = self.qp_write.val();
        self.tables.region_write.next = self.region_write.val();
        self.tables.cfg_index.next = self.cfg_index.val();
        self.tables.cfg_row.next = self.cfg_row.val();
        self.tables.ended_valid.next = self.ended.valid.val();
        self.tables.ended_flow.next = self.ended.flow.val();
        self.tables.ended_failed.next = self.ended.failed.val();
        self.tables.ended_reads.next = self.ended.reads.val();
        self.ready.next = self.tables.ready.val();
        self.lookup();
        self.sizes();
        self.verdict();
        self.command();
        self.job();
    }

    /// cycle 0: the request
    fn lookup(&mut self) {
        self.opcode.next = self.s_req_opcode.val();
        self.first.next = self.opcode.val() == self.write_first.val();
        self.middle.next = self.opcode.val() == self.write_middle.val();
        self.last.next = (self.opcode.val() == self.write_last.val())
            | (self.opcode.val() == self.write_last_imm.val());
        self.read.next = self.opcode.val() == self.read_request.val();
        self.only.next = (self.opcode.val() == self.write_only.val())
            | (self.opcode.val() == self.write_only_imm.val());
        self.with_imm.next = (self.opcode.val() == self.write_last_imm.val())
            | (self.opcode.val() == self.write_only_imm.val());
        if self.take.val() {
            self.qpn.next = self.s_req_qpn.val();
            self.psn.next = self.s_req_psn.val();
            self.ack_req.next = self.s_req_ack_req.val();
            self.payload.next = bit_cast::<32, 13>(self.s_req_payload_bytes.val());
            self.va.next = self.s_req_va.val();
            self.rkey.next = self.s_req_rkey.val();
            self.dma_len.next = self.s_req_dma_len.val();
            self.imm.next = self.s_req_imm.val();
            self.src_ip.next = self.s_req_src_ip.val();
            self.starts.next = self.first.val() | self.only.val() | self.read.val();
            self.ends.next = self.last.val() | self.only.val() | self.read.val();
            self.has_imm.next = self.with_imm.val();
            self.is_write.next =
                self.first.val() | self.middle.val() | self.last.val() | self.only.val();
            self.is_read.next = self.read.val();
            self.is_atomic.next = (self.opcode.val() == self.compare_swap.val())
                | (self.opcode.val() == self.fetch_add.val());
        }
        comment!("cycle 2: the queue pair and where the message stands");
        self.expected.next = self.tables.flow_state.val().psn;
        self.msn.next = self.tables.flow_state.val().msn;
        self.was_closed.next = self.tables.flow_state.val().closed;
        self.nak_sent.next = self.tables.flow_state.val().nak_sent;
        self.in_message.next = self.tables.flow_state.val().in_message;
        self.is_ours.next = self.tables.qp.val().valid
            & (self.tables.qp.val().qpn == self.qpn.val())
            & (self.tables.qp.val().remote_ip == self.src_ip.val())
            & !self.was_closed.val();
        self.psn_ahead.next = self.psn.val() - self.expected.val();
        self.psn_behind.next = self.expected.val() - self.psn.val();
        self.psn_before.next = self.expected.val() - 1;
        self.psn_after.next = self.expected.val() + 1;
        self.msn_after.next = self.msn.val() + 1;
        self.at_va.next = self.tables.flow_state.val().va;
        self.at_rkey.next = self.tables.flow_state.val().rkey;
        self.to_come.next = self.tables.flow_state.val().to_come;
        self.length.next = self.tables.flow_state.val().length;
        if self.starts.val() {
            self.at_va.next = self.va.val();
            self.at_rkey.next = self.rkey.val();
            self.to_come.next = self.dma_len.val();
            self.length.next = self.dma_len.val();
        }
        self.mtu_code.next = self.tables.qp.val().mtu_code;
        match self.tables.qp.val().mtu_code.index() {
            0 => self.mtu.next = 256.into(),
            1 => self.mtu.next = 512.into(),
            2 => self.mtu.next = 1024.into(),
            3 => self.mtu.next = 2048.into(),
            _ => self.mtu.next = 4096.into(),
        }
    }

    /// cycle 3: sizes, and the place in the region
    fn sizes(&mut self) {
        self.in_order.next = !self.psn_ahead.val().any();
        self.is_whole.next = self.payload.val() == self.to_come.val();
        self.is_mtu.next = self.payload.val() == self.mtu.val();
        self.is_short.next = self.payload.val() <= self.mtu.val();
        self.is_more.next = self.to_come.val() > self.mtu.val();
        self.is_huge.next = self.to_come.val() > self.length_max.val();
        self.is_empty.next = !self.to_come.val().any();
        self.is_bare.next = !self.payload.val().any();
        self.len_less.next = self.to_come.val() - 1;
        self.left_after.next = self.to_come.val() - self.payload.val();
        self.va_after.next = self.at_va.val() + bit_cast::<64, 32>(self.payload.val());
        self.region_va.next = bit_cast::<65, 64>(self.tables.region.val().va);
        self.at_va_wide.next = bit_cast::<65, 64>(self.at_va.val());
        self.offset.next = self.at_va_wide.val() - self.region_va.val();
        self.region_rkey.next = self.tables.region.val().rkey;
        self.rkey_ok.next = self.region_rkey.val() == self.at_rkey.val();
        self.may_write.next = self.tables.region.val().valid
            & self.tables.region.val().remote_write
            & self.rkey_ok.val();
        self.may_read.next = self.tables.region.val().valid
            & self.tables.region.val().remote_read
            & self.rkey_ok.val();
        comment!("cycle 4: the form, the end in the region, the host's address");
        self.read_form.next = self.is_read.val() & self.tables.qp.val().remote_read;
        self.right.next =
            (self.is_write.val() & self.tables.qp.val().remote_write) | self.read_form.val();
        self.order_ok.next = self.right.val() & (self.starts.val() != self.in_message.val());
        self.size_ok.next = self.is_mtu.val() & self.is_more.val();
        if self.ends.val() {
            self.size_ok.next = self.is_short.val() & self.is_whole.val();
        }
        if self.is_read.val() {
            self.size_ok.next = self.is_bare.val();
        }
        self.well_formed.next = self.order_ok.val() & self.size_ok.val() & !self.is_huge.val();
        self.offset_64.next = self.offset.val().get_bits::<64>(0);
        self.offset_wide.next = bit_cast::<65, 64>(self.offset_64.val());
        self.reach.next = self.offset_wide.val() + bit_cast::<65, 32>(self.to_come.val());
        self.region_host.next = self.tables.region.val().host_address;
        self.address.next = self.region_host.val() + self.offset_64.val();
        comment!("and a READ's packets less one");
        match self.mtu_code.val().index() {
            0 => self.packets_less.next = self.len_less.val().get_bits::<24>(8),
            1 => self.packets_less.next = bit_cast::<24, 23>(self.len_less.val().get_bits::<23>(9)),
            2 => {
                self.packets_less.next = bit_cast::<24, 22>(self.len_less.val().get_bits::<22>(10))
            }
            3 => {
                self.packets_less.next = bit_cast::<24, 21>(self.len_less.val().get_bits::<21>(11))
            }
            _ => {
                self.packets_less.next = bit_cast::<24, 20>(self.len_less.val().get_bits::<20>(12))
            }
        }
        if self.is_empty.val() {
            self.packets_less.next = 0.into();
        }
    }

    /// cycle 5: the range; bit 64 of the offset is a borrow
    fn verdict(&mut self) {
        self.psn_after_read.next = self.psn_after.val() + self.packets_less.val();
        self.is_within.next = self.packets_less.val() < self.psn_behind.val();
        self.region_length.next = bit_cast::<65, 64>(self.tables.region.val().length);
        self.in_range.next =
            (self.reach.val() <= self.region_length.val()) & !self.offset.val().get_bit(64);
        comment!("cycle 6: the verdict");
        self.known.next = self.is_ours.val() & !self.tables.failed.val();
        self.good.next = self.is_empty.val() | (self.may_write.val() & self.in_range.val());
        if self.is_read.val() {
            self.good.next = self.is_empty.val() | (self.may_read.val() & self.in_range.val());
        }
        self.sound.next =
            self.well_formed.val() & !(self.is_read.val() & self.tables.reads_full.val());
        self.room.next = self.cq_room.val() | !self.has_imm.val();
        self.v_no_qp.next = !self.known.val();
        self.v_duplicate.next = self.known.val() & self.psn_ahead.val().get_bit(23);
        self.v_ahead.next =
            self.known.val() & !self.in_order.val() & !self.psn_ahead.val().get_bit(23);
        self.v_invalid.next = self.known.val() & self.in_order.val() & !self.sound.val();
        self.fit.next = self.known.val() & self.in_order.val() & self.sound.val();
        self.v_access.next = self.fit.val() & !self.good.val();
        self.v_not_ready.next = self.fit.val() & self.good.val() & !self.room.val();
        self.v_accept.next = self.fit.val() & self.good.val() & self.room.val();
        comment!("a READ that is asked for again");
        self.v_again.next = self.known.val()
            & self.psn_ahead.val().get_bit(23)
            & self.read_form.val()
            & self.is_bare.val()
            & !self.is_huge.val()
            & self.good.val()
            & self.is_within.val();
    }

    /// cycle 7: the command
    fn command(&mut self) {
        self.flow.next = self.tables.flow.val();
        self.telemetry.next = self.tables.qp.val().telemetry;
        self.has_payload.next = self.payload.val().any();
        self.no_qp.next = self.v_no_qp.val();
        self.duplicate.next = self.v_duplicate.val();
        self.ahead.next = self.v_ahead.val();
        self.invalid.next = self.v_invalid.val();
        self.access.next = self.v_access.val();
        self.not_ready.next = self.v_not_ready.val();
        self.accept.next = self.v_accept.val();
        self.accept_imm.next = self.v_accept.val() & self.has_imm.val();
        self.has_cmd.next = self.v_accept.val()
            | self.v_invalid.val()
            | self.v_access.val()
            | self.v_not_ready.val()
            | (self.v_ahead.val() & !self.nak_sent.val())
            | (self.v_duplicate.val() & !self.is_read.val() & !self.is_atomic.val())
            | self.v_again.val();
        self.cmd_addr.next = 0.into();
        self.cmd_bytes.next = 0.into();
        if self.v_accept.val() & self.payload.val().any() {
            self.cmd_addr.next = self.address.val();
            self.cmd_bytes.next = self.payload.val().get_bits::<13>(0);
        }
        self.answer_psn.next = self.expected.val();
        self.answer_msn.next = self.msn.val();
        self.answer.next = 0.into();
        if self.v_accept.val() & self.ack_req.val() {
            self.answer.next = 1.into();
        }
        if self.v_duplicate.val() {
            self.answer_psn.next = self.psn_before.val();
            self.answer.next = 2.into();
        }
        if self.v_not_ready.val() {
            self.answer.next = 3.into();
        }
        if self.v_ahead.val() {
            self.answer.next = 4.into();
        }
        if self.v_invalid.val() {
            self.answer.next = 5.into();
        }
        if self.v_access.val() {
            self.answer.next = 6.into();
        }
        if self.v_accept.val() & self.ends.val() {
            self.answer_msn.next = self.msn_after.val();
        }
    }

    /// A READ's job; a restart does not end a message.
    fn job(&mut self) {
        self.is_job.next = self.v_again.val() | (self.v_accept.val() & self.is_read.val());
        self.job_va.next = self.va.val();
        self.job_rkey.next = self.rkey.val();
        self.job_addr.next = self.address.val();
        if self.is_empty.val() {
            self.job_addr.next = 0.into();
        }
        if self.v_again.val() {
            self.answer_psn.next = self.psn.val();
            self.answer.next = 7.into();
        }
        if self.v_accept.val() & self.is_read.val() {
            self.answer.next = 7.into();
        }
        self.tag.next = bit_cast::<127, 24>(self.answer_psn.val())
            | (bit_cast::<127, 24>(self.answer_msn.val()) << 24)
            | (bit_cast::<127, FB>(self.tables.flow.val()) << 112)
            | (bit_cast::<127, 3>(self.answer.val()) << 122);
        if self.v_accept.val() & self.has_imm.val() {
            self.tag.next = self.tag.val()
                | (bit_cast::<127, 32>(self.imm.val()) << 48)
                | (bit_cast::<127, 32>(self.length.val()) << 80);
            self.tag.next = self.tag.val().replace_bit(125, true);
        }
        if self.v_again.val() | (self.v_accept.val() & self.is_read.val()) {
            self.tag.next = self.tag.val() | (bit_cast::<127, 32>(self.length.val()) << 80);
        }
        self.tag.next = self.tag.val().replace_bit(126, self.v_accept.val() & self.ends.val());
        self.cmd_tag.next = self.tag.val();
        comment!("and the flow's new state");
        self.tables.state_write.next = self.commit.val();
        self.state.next = self.tables.flow_state.val();
        self.reads.next = self.tables.flow_state.val().reads;
        self.reads_after.next = self.reads.val();
        self.next_psn.next = self.psn_after.val();
        if self.is_read.val() {
            self.reads_after.next = self.reads.val() + 1;
            self.next_psn.next = self.psn_after_read.val();
        }
        if self.v_accept.val() {
            self.state.next.psn = self.next_psn.val();
            self.state.next.msn = self.answer_msn.val();
            self.state.next.closed = false;
            self.state.next.nak_sent = false;
            self.state.next.va = self.va_after.val();
            self.state.next.rkey = self.at_rkey.val();
            self.state.next.to_come = self.left_after.val();
            self.state.next.length = self.length.val();
            self.state.next.reads = self.reads_after.val();
            self.state.next.in_message = !self.ends.val();
        }
        if self.v_ahead.val() | self.v_not_ready.val() {
            self.state.next.nak_sent = true;
        }
        if self.v_invalid.val() | self.v_access.val() {
            self.state.next.closed = true;
        }
        self.tables.new_state.next = self.state.val();
    }
}
