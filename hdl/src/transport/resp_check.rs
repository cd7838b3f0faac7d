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
//! # Twins             sim/src/golden/transport/responder.rs, tests/responder.rs

use super::resp_tables::RespTables;
use crate::Module;
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a request to its verdict.
pub const LATENCY_CYCLES: usize = 7;

/// Check of requests against `2^FB` queue pairs and `2^MB` memory regions.
#[derive(LogicBlock)]
pub struct RespCheck<const FB: usize, const MB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    pub cfg_row: Signal<In, Bits<512>>,
    /// Something has ended in a flow.
    pub ended_valid: Signal<In, Bit>,
    /// The flow.
    pub ended_flow: Signal<In, Bits<FB>>,
    /// It is in error.
    pub ended_failed: Signal<In, Bit>,
    /// READs that have ended, modulo 32.
    pub ended_reads: Signal<In, Bits<5>>,
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
    qpn: DFF<Bits<24>>,
    psn: DFF<Bits<24>>,
    ack_req: DFF<Bit>,
    payload: DFF<Bits<32>>,
    va: DFF<Bits<64>>,
    rkey: DFF<Bits<32>>,
    dma_len: DFF<Bits<32>>,
    imm: DFF<Bits<32>>,
    src_ip: DFF<Bits<32>>,
    is_write: DFF<Bit>,
    is_read: DFF<Bit>,
    is_atomic: DFF<Bit>,
    starts: DFF<Bit>,
    ends: DFF<Bit>,
    has_imm: DFF<Bit>,
    is_ours: DFF<Bit>,
    psn_ahead: DFF<Bits<24>>,
    psn_before: DFF<Bits<24>>,
    psn_after: DFF<Bits<24>>,
    msn_after: DFF<Bits<24>>,
    at_va: DFF<Bits<64>>,
    at_rkey: DFF<Bits<32>>,
    to_come: DFF<Bits<32>>,
    length: DFF<Bits<32>>,
    mtu: DFF<Bits<32>>,
    in_order: DFF<Bit>,
    offset: DFF<Bits<65>>,
    va_after: DFF<Bits<64>>,
    left_after: DFF<Bits<32>>,
    may_write: DFF<Bit>,
    is_whole: DFF<Bit>,
    is_mtu: DFF<Bit>,
    is_short: DFF<Bit>,
    is_more: DFF<Bit>,
    is_huge: DFF<Bit>,
    is_empty: DFF<Bit>,
    reach: DFF<Bits<65>>,
    address: DFF<Bits<64>>,
    well_formed: DFF<Bit>,
    in_range: DFF<Bit>,
    v_no_qp: DFF<Bit>,
    v_duplicate: DFF<Bit>,
    v_ahead: DFF<Bit>,
    v_invalid: DFF<Bit>,
    v_access: DFF<Bit>,
    v_not_ready: DFF<Bit>,
    v_accept: DFF<Bit>,
    psn_behind: DFF<Bits<24>>,
    mtu_code: DFF<Bits<3>>,
    len_less: DFF<Bits<32>>,
    packets_less: DFF<Bits<24>>,
    psn_after_read: DFF<Bits<24>>,
    is_within: DFF<Bit>,
    is_bare: DFF<Bit>,
    may_read: DFF<Bit>,
    v_again: DFF<Bit>,
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
    state: Signal<Local, Bits<216>>,
    write_first: Constant<Bits<8>>,
    write_middle: Constant<Bits<8>>,
    write_last: Constant<Bits<8>>,
    write_last_imm: Constant<Bits<8>>,
    write_only: Constant<Bits<8>>,
    write_only_imm: Constant<Bits<8>>,
    read_request: Constant<Bits<8>>,
    compare_swap: Constant<Bits<8>>,
    fetch_add: Constant<Bits<8>>,
    length_max: Constant<Bits<32>>,
}

impl<const FB: usize, const MB: usize> Default for RespCheck<FB, MB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            ready: Default::default(),
            take: Default::default(),
            s_req_qpn: Default::default(),
            s_req_opcode: Default::default(),
            s_req_psn: Default::default(),
            s_req_ack_req: Default::default(),
            s_req_payload_bytes: Default::default(),
            s_req_va: Default::default(),
            s_req_rkey: Default::default(),
            s_req_dma_len: Default::default(),
            s_req_imm: Default::default(),
            s_req_src_ip: Default::default(),
            cq_room: Default::default(),
            commit: Default::default(),
            qp_write: Default::default(),
            region_write: Default::default(),
            cfg_index: Default::default(),
            cfg_row: Default::default(),
            ended_valid: Default::default(),
            ended_flow: Default::default(),
            ended_failed: Default::default(),
            ended_reads: Default::default(),
            flow: Default::default(),
            telemetry: Default::default(),
            has_payload: Default::default(),
            no_qp: Default::default(),
            duplicate: Default::default(),
            ahead: Default::default(),
            invalid: Default::default(),
            access: Default::default(),
            not_ready: Default::default(),
            accept: Default::default(),
            accept_imm: Default::default(),
            has_cmd: Default::default(),
            cmd_addr: Default::default(),
            cmd_bytes: Default::default(),
            cmd_tag: Default::default(),
            is_job: Default::default(),
            job_addr: Default::default(),
            job_va: Default::default(),
            job_rkey: Default::default(),
            tables: Default::default(),
            qpn: Default::default(),
            psn: Default::default(),
            ack_req: Default::default(),
            payload: Default::default(),
            va: Default::default(),
            rkey: Default::default(),
            dma_len: Default::default(),
            imm: Default::default(),
            src_ip: Default::default(),
            is_write: Default::default(),
            is_read: Default::default(),
            is_atomic: Default::default(),
            starts: Default::default(),
            ends: Default::default(),
            has_imm: Default::default(),
            is_ours: Default::default(),
            psn_ahead: Default::default(),
            psn_before: Default::default(),
            psn_after: Default::default(),
            msn_after: Default::default(),
            at_va: Default::default(),
            at_rkey: Default::default(),
            to_come: Default::default(),
            length: Default::default(),
            mtu: Default::default(),
            in_order: Default::default(),
            offset: Default::default(),
            va_after: Default::default(),
            left_after: Default::default(),
            may_write: Default::default(),
            is_whole: Default::default(),
            is_mtu: Default::default(),
            is_short: Default::default(),
            is_more: Default::default(),
            is_huge: Default::default(),
            is_empty: Default::default(),
            reach: Default::default(),
            address: Default::default(),
            well_formed: Default::default(),
            in_range: Default::default(),
            v_no_qp: Default::default(),
            v_duplicate: Default::default(),
            v_ahead: Default::default(),
            v_invalid: Default::default(),
            v_access: Default::default(),
            v_not_ready: Default::default(),
            v_accept: Default::default(),
            psn_behind: Default::default(),
            mtu_code: Default::default(),
            len_less: Default::default(),
            packets_less: Default::default(),
            psn_after_read: Default::default(),
            is_within: Default::default(),
            is_bare: Default::default(),
            may_read: Default::default(),
            v_again: Default::default(),
            opcode: Default::default(),
            first: Default::default(),
            middle: Default::default(),
            last: Default::default(),
            only: Default::default(),
            with_imm: Default::default(),
            read: Default::default(),
            right: Default::default(),
            reads: Default::default(),
            reads_after: Default::default(),
            next_psn: Default::default(),
            sound: Default::default(),
            read_form: Default::default(),
            expected: Default::default(),
            msn: Default::default(),
            was_closed: Default::default(),
            nak_sent: Default::default(),
            in_message: Default::default(),
            region_va: Default::default(),
            at_va_wide: Default::default(),
            offset_64: Default::default(),
            offset_wide: Default::default(),
            region_length: Default::default(),
            region_host: Default::default(),
            region_rkey: Default::default(),
            rkey_ok: Default::default(),
            order_ok: Default::default(),
            size_ok: Default::default(),
            known: Default::default(),
            fit: Default::default(),
            good: Default::default(),
            room: Default::default(),
            answer_psn: Default::default(),
            answer_msn: Default::default(),
            answer: Default::default(),
            tag: Default::default(),
            state: Default::default(),
            write_first: Constant::new(u64::from(opcode::WRITE_FIRST).to_bits()),
            write_middle: Constant::new(u64::from(opcode::WRITE_MIDDLE).to_bits()),
            write_last: Constant::new(u64::from(opcode::WRITE_LAST).to_bits()),
            write_last_imm: Constant::new(u64::from(opcode::WRITE_LAST_IMM).to_bits()),
            write_only: Constant::new(u64::from(opcode::WRITE_ONLY).to_bits()),
            write_only_imm: Constant::new(u64::from(opcode::WRITE_ONLY_IMM).to_bits()),
            read_request: Constant::new(u64::from(opcode::READ_REQUEST).to_bits()),
            compare_swap: Constant::new(u64::from(opcode::COMPARE_SWAP).to_bits()),
            fetch_add: Constant::new(u64::from(opcode::FETCH_ADD).to_bits()),
            length_max: Constant::new((1_u64 << 31).to_bits()),
        }
    }
}

impl<const FB: usize, const MB: usize> Logic for RespCheck<FB, MB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            qpn,
            psn,
            ack_req,
            payload,
            va,
            rkey,
            dma_len,
            imm,
            src_ip,
            is_write,
            is_read,
            is_atomic,
            starts,
            ends,
            has_imm,
            is_ours,
            psn_ahead,
            psn_before,
            psn_after,
            msn_after,
            at_va,
            at_rkey,
            to_come,
            length,
            mtu,
            in_order,
            offset,
            va_after,
            left_after,
            may_write,
            is_whole,
            is_mtu,
            is_short,
            is_more,
            is_huge,
            is_empty,
            reach,
            address,
            well_formed,
            in_range,
            v_no_qp,
            v_duplicate,
            v_ahead,
            v_invalid,
            v_access,
            v_not_ready,
            v_accept,
            psn_behind,
            mtu_code,
            len_less,
            packets_less,
            psn_after_read,
            is_within,
            is_bare,
            may_read,
            v_again
        );
        self.tables.clock.next = self.clock.val();
        self.tables.reset.next = self.reset.val();
        self.tables.take.next = self.take.val();
        self.tables.s_req_flow.next = self.s_req_qpn.val().get_bits::<FB>(0);
        self.tables.req_starts.next = self.starts.q.val();
        self.tables.req_region.next = self.rkey.q.val().get_bits::<MB>(8);
        self.tables.qp_write.next = self.qp_write.val();
        self.tables.region_write.next = self.region_write.val();
        self.tables.cfg_index.next = self.cfg_index.val();
        self.tables.cfg_row.next = self.cfg_row.val();
        self.tables.ended_valid.next = self.ended_valid.val();
        self.tables.ended_flow.next = self.ended_flow.val();
        self.tables.ended_failed.next = self.ended_failed.val();
        self.tables.ended_reads.next = self.ended_reads.val();
        self.ready.next = self.tables.ready.val();
        comment!("cycle 0: the request");
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
            self.qpn.d.next = self.s_req_qpn.val();
            self.psn.d.next = self.s_req_psn.val();
            self.ack_req.d.next = self.s_req_ack_req.val();
            self.payload.d.next = bit_cast::<32, 13>(self.s_req_payload_bytes.val());
            self.va.d.next = self.s_req_va.val();
            self.rkey.d.next = self.s_req_rkey.val();
            self.dma_len.d.next = self.s_req_dma_len.val();
            self.imm.d.next = self.s_req_imm.val();
            self.src_ip.d.next = self.s_req_src_ip.val();
            self.starts.d.next = self.first.val() | self.only.val() | self.read.val();
            self.ends.d.next = self.last.val() | self.only.val() | self.read.val();
            self.has_imm.d.next = self.with_imm.val();
            self.is_write.d.next =
                self.first.val() | self.middle.val() | self.last.val() | self.only.val();
            self.is_read.d.next = self.read.val();
            self.is_atomic.d.next = (self.opcode.val() == self.compare_swap.val())
                | (self.opcode.val() == self.fetch_add.val());
        }
        comment!("cycle 2: the queue pair and where the message stands");
        self.expected.next = self.tables.flow_state.val().get_bits::<24>(0);
        self.msn.next = self.tables.flow_state.val().get_bits::<24>(24);
        self.was_closed.next = self.tables.flow_state.val().get_bit(48);
        self.nak_sent.next = self.tables.flow_state.val().get_bit(49);
        self.in_message.next = self.tables.flow_state.val().get_bit(50);
        self.is_ours.d.next = self.tables.qp.val().get_bit(0)
            & (self.tables.qp.val().get_bits::<24>(7) == self.qpn.q.val())
            & (self.tables.qp.val().get_bits::<32>(31) == self.src_ip.q.val())
            & !self.was_closed.val();
        self.psn_ahead.d.next = self.psn.q.val() - self.expected.val();
        self.psn_behind.d.next = self.expected.val() - self.psn.q.val();
        self.psn_before.d.next = self.expected.val() - 1;
        self.psn_after.d.next = self.expected.val() + 1;
        self.msn_after.d.next = self.msn.val() + 1;
        self.at_va.d.next = self.tables.flow_state.val().get_bits::<64>(51);
        self.at_rkey.d.next = self.tables.flow_state.val().get_bits::<32>(115);
        self.to_come.d.next = self.tables.flow_state.val().get_bits::<32>(147);
        self.length.d.next = self.tables.flow_state.val().get_bits::<32>(179);
        if self.starts.q.val() {
            self.at_va.d.next = self.va.q.val();
            self.at_rkey.d.next = self.rkey.q.val();
            self.to_come.d.next = self.dma_len.q.val();
            self.length.d.next = self.dma_len.q.val();
        }
        self.mtu_code.d.next = self.tables.qp.val().get_bits::<3>(4);
        match self.tables.qp.val().get_bits::<3>(4).index() {
            0 => self.mtu.d.next = 256.into(),
            1 => self.mtu.d.next = 512.into(),
            2 => self.mtu.d.next = 1024.into(),
            3 => self.mtu.d.next = 2048.into(),
            _ => self.mtu.d.next = 4096.into(),
        }
        comment!("cycle 3: sizes, and the place in the region");
        self.in_order.d.next = !self.psn_ahead.q.val().any();
        self.is_whole.d.next = self.payload.q.val() == self.to_come.q.val();
        self.is_mtu.d.next = self.payload.q.val() == self.mtu.q.val();
        self.is_short.d.next = self.payload.q.val() <= self.mtu.q.val();
        self.is_more.d.next = self.to_come.q.val() > self.mtu.q.val();
        self.is_huge.d.next = self.to_come.q.val() > self.length_max.val();
        self.is_empty.d.next = !self.to_come.q.val().any();
        self.is_bare.d.next = !self.payload.q.val().any();
        self.len_less.d.next = self.to_come.q.val() - 1;
        self.left_after.d.next = self.to_come.q.val() - self.payload.q.val();
        self.va_after.d.next = self.at_va.q.val() + bit_cast::<64, 32>(self.payload.q.val());
        self.region_va.next = bit_cast::<65, 64>(self.tables.region.val().get_bits::<64>(35));
        self.at_va_wide.next = bit_cast::<65, 64>(self.at_va.q.val());
        self.offset.d.next = self.at_va_wide.val() - self.region_va.val();
        self.region_rkey.next = self.tables.region.val().get_bits::<32>(3);
        self.rkey_ok.next = self.region_rkey.val() == self.at_rkey.q.val();
        self.may_write.d.next = self.tables.region.val().get_bit(0)
            & self.tables.region.val().get_bit(1)
            & self.rkey_ok.val();
        self.may_read.d.next = self.tables.region.val().get_bit(0)
            & self.tables.region.val().get_bit(2)
            & self.rkey_ok.val();
        comment!("cycle 4: the form, the end in the region, the host's address");
        self.read_form.next = self.is_read.q.val() & self.tables.qp.val().get_bit(3);
        self.right.next =
            (self.is_write.q.val() & self.tables.qp.val().get_bit(2)) | self.read_form.val();
        self.order_ok.next = self.right.val() & (self.starts.q.val() != self.in_message.val());
        self.size_ok.next = self.is_mtu.q.val() & self.is_more.q.val();
        if self.ends.q.val() {
            self.size_ok.next = self.is_short.q.val() & self.is_whole.q.val();
        }
        if self.is_read.q.val() {
            self.size_ok.next = self.is_bare.q.val();
        }
        self.well_formed.d.next = self.order_ok.val() & self.size_ok.val() & !self.is_huge.q.val();
        self.offset_64.next = self.offset.q.val().get_bits::<64>(0);
        self.offset_wide.next = bit_cast::<65, 64>(self.offset_64.val());
        self.reach.d.next = self.offset_wide.val() + bit_cast::<65, 32>(self.to_come.q.val());
        self.region_host.next = self.tables.region.val().get_bits::<64>(163);
        self.address.d.next = self.region_host.val() + self.offset_64.val();
        comment!("and a READ's packets less one");
        match self.mtu_code.q.val().index() {
            0 => self.packets_less.d.next = self.len_less.q.val().get_bits::<24>(8),
            1 => {
                self.packets_less.d.next =
                    bit_cast::<24, 23>(self.len_less.q.val().get_bits::<23>(9))
            }
            2 => {
                self.packets_less.d.next =
                    bit_cast::<24, 22>(self.len_less.q.val().get_bits::<22>(10))
            }
            3 => {
                self.packets_less.d.next =
                    bit_cast::<24, 21>(self.len_less.q.val().get_bits::<21>(11))
            }
            _ => {
                self.packets_less.d.next =
                    bit_cast::<24, 20>(self.len_less.q.val().get_bits::<20>(12))
            }
        }
        if self.is_empty.q.val() {
            self.packets_less.d.next = 0.into();
        }
        comment!("cycle 5: the range; bit 64 of the offset is a borrow");
        self.psn_after_read.d.next = self.psn_after.q.val() + self.packets_less.q.val();
        self.is_within.d.next = self.packets_less.q.val() < self.psn_behind.q.val();
        self.region_length.next = bit_cast::<65, 64>(self.tables.region.val().get_bits::<64>(99));
        self.in_range.d.next =
            (self.reach.q.val() <= self.region_length.val()) & !self.offset.q.val().get_bit(64);
        comment!("cycle 6: the verdict");
        self.known.next = self.is_ours.q.val() & !self.tables.failed.val();
        self.good.next = self.is_empty.q.val() | (self.may_write.q.val() & self.in_range.q.val());
        if self.is_read.q.val() {
            self.good.next =
                self.is_empty.q.val() | (self.may_read.q.val() & self.in_range.q.val());
        }
        self.sound.next =
            self.well_formed.q.val() & !(self.is_read.q.val() & self.tables.reads_full.val());
        self.room.next = self.cq_room.val() | !self.has_imm.q.val();
        self.v_no_qp.d.next = !self.known.val();
        self.v_duplicate.d.next = self.known.val() & self.psn_ahead.q.val().get_bit(23);
        self.v_ahead.d.next =
            self.known.val() & !self.in_order.q.val() & !self.psn_ahead.q.val().get_bit(23);
        self.v_invalid.d.next = self.known.val() & self.in_order.q.val() & !self.sound.val();
        self.fit.next = self.known.val() & self.in_order.q.val() & self.sound.val();
        self.v_access.d.next = self.fit.val() & !self.good.val();
        self.v_not_ready.d.next = self.fit.val() & self.good.val() & !self.room.val();
        self.v_accept.d.next = self.fit.val() & self.good.val() & self.room.val();
        comment!("a READ that is asked for again");
        self.v_again.d.next = self.known.val()
            & self.psn_ahead.q.val().get_bit(23)
            & self.read_form.val()
            & self.is_bare.q.val()
            & !self.is_huge.q.val()
            & self.good.val()
            & self.is_within.q.val();
        comment!("cycle 7: the command");
        self.flow.next = self.tables.flow.val();
        self.telemetry.next = self.tables.qp.val().get_bit(1);
        self.has_payload.next = self.payload.q.val().any();
        self.no_qp.next = self.v_no_qp.q.val();
        self.duplicate.next = self.v_duplicate.q.val();
        self.ahead.next = self.v_ahead.q.val();
        self.invalid.next = self.v_invalid.q.val();
        self.access.next = self.v_access.q.val();
        self.not_ready.next = self.v_not_ready.q.val();
        self.accept.next = self.v_accept.q.val();
        self.accept_imm.next = self.v_accept.q.val() & self.has_imm.q.val();
        self.has_cmd.next = self.v_accept.q.val()
            | self.v_invalid.q.val()
            | self.v_access.q.val()
            | self.v_not_ready.q.val()
            | (self.v_ahead.q.val() & !self.nak_sent.val())
            | (self.v_duplicate.q.val() & !self.is_read.q.val() & !self.is_atomic.q.val())
            | self.v_again.q.val();
        self.cmd_addr.next = 0.into();
        self.cmd_bytes.next = 0.into();
        if self.v_accept.q.val() & self.payload.q.val().any() {
            self.cmd_addr.next = self.address.q.val();
            self.cmd_bytes.next = self.payload.q.val().get_bits::<13>(0);
        }
        self.answer_psn.next = self.expected.val();
        self.answer_msn.next = self.msn.val();
        self.answer.next = 0.into();
        if self.v_accept.q.val() & self.ack_req.q.val() {
            self.answer.next = 1.into();
        }
        if self.v_duplicate.q.val() {
            self.answer_psn.next = self.psn_before.q.val();
            self.answer.next = 2.into();
        }
        if self.v_not_ready.q.val() {
            self.answer.next = 3.into();
        }
        if self.v_ahead.q.val() {
            self.answer.next = 4.into();
        }
        if self.v_invalid.q.val() {
            self.answer.next = 5.into();
        }
        if self.v_access.q.val() {
            self.answer.next = 6.into();
        }
        if self.v_accept.q.val() & self.ends.q.val() {
            self.answer_msn.next = self.msn_after.q.val();
        }
        comment!("A READ's job; a restart does not end a message.");
        self.is_job.next = self.v_again.q.val() | (self.v_accept.q.val() & self.is_read.q.val());
        self.job_va.next = self.va.q.val();
        self.job_rkey.next = self.rkey.q.val();
        self.job_addr.next = self.address.q.val();
        if self.is_empty.q.val() {
            self.job_addr.next = 0.into();
        }
        if self.v_again.q.val() {
            self.answer_psn.next = self.psn.q.val();
            self.answer.next = 7.into();
        }
        if self.v_accept.q.val() & self.is_read.q.val() {
            self.answer.next = 7.into();
        }
        self.tag.next = bit_cast::<127, 24>(self.answer_psn.val())
            | (bit_cast::<127, 24>(self.answer_msn.val()) << 24)
            | (bit_cast::<127, FB>(self.tables.flow.val()) << 112)
            | (bit_cast::<127, 3>(self.answer.val()) << 122);
        if self.v_accept.q.val() & self.has_imm.q.val() {
            self.tag.next = self.tag.val()
                | (bit_cast::<127, 32>(self.imm.q.val()) << 48)
                | (bit_cast::<127, 32>(self.length.q.val()) << 80);
            self.tag.next = self.tag.val().replace_bit(125, true);
        }
        if self.v_again.q.val() | (self.v_accept.q.val() & self.is_read.q.val()) {
            self.tag.next = self.tag.val() | (bit_cast::<127, 32>(self.length.q.val()) << 80);
        }
        self.tag.next = self.tag.val().replace_bit(126, self.v_accept.q.val() & self.ends.q.val());
        self.cmd_tag.next = self.tag.val();
        comment!("and the flow's new state");
        self.tables.state_write.next = self.commit.val();
        self.state.next = self.tables.flow_state.val();
        self.reads.next = self.tables.flow_state.val().get_bits::<5>(211);
        self.reads_after.next = self.reads.val();
        self.next_psn.next = self.psn_after.q.val();
        if self.is_read.q.val() {
            self.reads_after.next = self.reads.val() + 1;
            self.next_psn.next = self.psn_after_read.q.val();
        }
        if self.v_accept.q.val() {
            self.state.next = bit_cast::<216, 24>(self.next_psn.val())
                | (bit_cast::<216, 24>(self.answer_msn.val()) << 24)
                | (bit_cast::<216, 64>(self.va_after.q.val()) << 51)
                | (bit_cast::<216, 32>(self.at_rkey.q.val()) << 115)
                | (bit_cast::<216, 32>(self.left_after.q.val()) << 147)
                | (bit_cast::<216, 32>(self.length.q.val()) << 179)
                | (bit_cast::<216, 5>(self.reads_after.val()) << 211);
            self.state.next = self.state.val().replace_bit(50, !self.ends.q.val());
        }
        if self.v_ahead.q.val() | self.v_not_ready.q.val() {
            self.state.next = self.state.val().replace_bit(49, true);
        }
        if self.v_invalid.q.val() | self.v_access.q.val() {
            self.state.next = self.state.val().replace_bit(48, true);
        }
        self.tables.new_state.next = self.state.val();
    }
}
