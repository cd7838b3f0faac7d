//! Requester of RDMA WRITE and READ: send queues, go-back-N, timers, completions.
//!
//! # Source            InfiniBand, volume 1, sections 9.7.2, 9.7.5, 9.7.6; annex A17 (RoCEv2)
//! # Interface timing  one operation at a time; order: overdue timer scan, ACK, read error, row,
//!                     grant, hint, timer scan. A queue pair row waits for 4 cycles without a read
//!                     error. A sink's fields are used until its ready, one cycle, at the
//!                     operation's end. What waits at another sink by the cycle before, and is of
//!                     another flow, is picked then; else the next pick is behind the end. Cycles
//!                     from the pick to the cycle of ready, while no output waits: ACK 10, 3 more
//!                     for each work request it completes but one that it ends exactly, 6 if it is
//!                     not for a flow or not outstanding; READ response 14, the last one 15, 11 if
//!                     it is not its turn, 13 if it shows a gap, 6 n + 10 more with n WRITEs before
//!                     the READ; grant 14 with the next packet armed, 10 if there is none, 4 more for
//!                     each packet more that it is for while m_pkt is taken in 2 cycles; work request
//!                     8 (armed) or 6, 4 behind another one of its flow; queue pair row 4. A NAK
//!                     that arms takes 7 more, and so does an answer that lets a waiting packet go;
//!                     an arm for a part of the messages that wait 3 more. Telemetry of an ACK
//!                     stands at m_cc 6 cycles behind the pick; one of another flow that waits there
//!                     holds it up
//!                     While nothing waits it works ahead: behind an arm the flow's packet is
//!                     prepared, so that its grant sends it after 2 cycles instead of 9; with a
//!                     hint the flow's row is brought in, so that its work request takes 3 cycles
//!                     less. Both give way at once to all but a timer scan that is not overdue
//! # Latency and rate  [`LATENCY_CYCLES`]; timer scan of one flow every 32 cycles
//! # Number formats    as `requester_psn`, `requester_queue`, `requester_timer`
//! # Rules             A PSN from una to the highest sent is outstanding, also after a rewind: the
//!                     ACK of a duplicate jumps forward. NAK: the PSNs before are acknowledged. PSN
//!                     sequence NAK and timeout resend from una, at most `retry limit` times
//!                     without progress, RNR at most `RNR retry limit` times. A READ takes the
//!                     PSNs of its responses; they come in order, and nothing else acknowledges
//!                     them. Its first one acknowledges the WRITEs before. One that is beyond
//!                     the one that is due shows that a response is lost: as a PSN sequence NAK
//!                     of the oldest PSN, but only the first until there is progress. A READ that
//!                     is sent again asks for what is missing. A new READ waits while `read limit` READs
//!                     are open, every packet while it would make more than 2^23 PSNs outstanding
//!                     A read error of a packet that was made by another row of its flow, as its
//!                     mark says, ends nothing. While an ACK waits at m_cc a newer one of its flow
//!                     takes its place
//! # Reset             synchronous, high: outputs 0; 2^FB cycles of scrubbing with readies low
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

pub mod answer;
pub mod answers;
pub mod array;
pub mod ctl;
pub mod order;
pub mod pick;
pub mod psn;
pub mod qp;
pub mod queue;
pub mod retry;
pub mod send;
pub mod state;
pub mod timer;
pub mod wr;

use crate::events::RequesterEvents;
use crate::rows::StagedRow;
use crate::streams::{
    AckTelemetry, Answer, Flow, FlowPulse, Offer, Order, Packet, PayloadSource, ReadError, Work,
};
use crate::transport::requester::{
    answer::ack::RequesterAck, answer::feedback::RequesterFeedback,
    answer::response::RequesterResponse, ctl::RequesterCtl, order::RequesterOrder,
    pick::RequesterPick, psn::RequesterPsn, qp::RequesterQp, queue::RequesterQueue,
    retry::RequesterRetry, send::frame::RequesterFrame, send::out::RequesterOut,
    send::packet::RequesterPacket, send::stamp::RequesterStamp, send::window::RequesterWindow,
    state::Op, timer::RequesterTimer, wr::RequesterWr,
};
use crate::{block, kernel, Wire};
use nic_spec::config::{has_bursts, NicConfig};
use nic_spec::rows::Table;
use rust_hdl_core::prelude::*;

/// Cycles from a grant that is picked to its packet at `m_pkt`.
pub const LATENCY_CYCLES: usize = 9;

/// Requester; `FB` = log2 of the flow count, `SB` = log2 of the queue depth, `AB = FB + SB`.
#[block(new(config: &NicConfig), check(config.sq_depth() == 1 << SB))]
pub struct Requester<const FB: usize, const SB: usize, const AB: usize> {
    /// An ACK or NAK.
    pub s_ack: Answer<In>,
    /// A table row; rows of other tables are taken and ignored.
    pub s_cfg: Offer<In>,
    /// Table of the row: 0 QP, 1 MR, 2 WR.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Flow of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, StagedRow>,
    /// A work request is coming.
    pub hint: FlowPulse<In, FB>,
    /// Telemetry form: 0 none, 1 paper, 2 authors' 42 bytes.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// PSNs from one packet with telemetry to the next one: 0, 1 each packet; 255 once a round trip.
    pub cfg_tel_every: Signal<In, Bits<8>>,
    /// Send queues are 4 to the power of this times deeper; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// A flow may send a packet.
    pub s_grant: Flow<In, FB>,
    /// A flow gets a window.
    pub watch_valid: Signal<In, Bit>,
    /// The scheduler takes it.
    pub watch_ready: Signal<In, Bit>,
    /// It is that of READ responses.
    pub watch_reply: Signal<In, Bit>,
    /// Its flow.
    pub watch_flow: Signal<In, Bits<FB>>,
    /// The window, bytes.
    pub watch_window: Signal<In, Bits<32>>,
    /// Host memory could not be read for a packet.
    pub s_fail: ReadError<In, FB>,
    /// A packet for the tx pipe.
    pub m_pkt: Packet<Out, FB>,
    /// Where the payload is, once for each packet with payload.
    pub m_read: PayloadSource<Out>,
    /// Arms the flow in the scheduler; without frames only its bytes in flight, after an ACK or a
    /// rewind.
    pub m_work: Work<Out, FB>,
    /// Telemetry of an ACK.
    pub m_cc: AckTelemetry<Out, FB>,
    /// An order for the completer.
    pub m_order: Order<Out, FB>,
    /// What it counts.
    pub event_reqr: RequesterEvents<Out>,
    pick: RequesterPick<FB>,
    ctl: RequesterCtl<FB>,
    qp: RequesterQp<FB>,
    psns: RequesterPsn<FB>,
    #[init(RequesterQueue::new(1 << SB))]
    queue: RequesterQueue<FB>,
    retry: RequesterRetry<FB>,
    ack: RequesterAck,
    response: RequesterResponse,
    #[init(RequesterTimer::new(config.clock_hz))]
    timer: RequesterTimer,
    #[init(RequesterWr::new(config))]
    requests: RequesterWr<FB, SB, AB>,
    packet: RequesterPacket,
    #[init(RequesterFrame::new(has_bursts(config.data_bits)))]
    frame: RequesterFrame,
    stamp: RequesterStamp,
    windows: RequesterWindow<FB>,
    out: RequesterOut<FB>,
    feedback: RequesterFeedback<FB>,
    orders: RequesterOrder<FB>,
    expired: Signal<Local, Bit>,
    covered: Signal<Local, Bit>,
    posts: Signal<Local, Bit>,
    reads_full: Signal<Local, Bit>,
    forgets: Signal<Local, Bit>,
    retry_base: Signal<Local, Bits<3>>,
    rnr_base: Signal<Local, Bits<3>>,
    #[value(7)]
    no_limit: Constant<Bits<3>>,
    #[value(Table::Wr as u64)]
    wr_table: Constant<Bits<2>>,
}

#[kernel]
impl<const FB: usize, const SB: usize, const AB: usize> Requester<FB, SB, AB> {
    fn update(&mut self) {
        self.findings();
        self.what_is_next();
        self.flow_state();
        self.answers();
        self.packets();
        self.outputs();
    }

    /// Findings that several parts use.
    fn findings(&mut self) {
        self.covered.next = self.ack.covered.val() & !self.requests.is_read.val();
        self.reads_full.next = self.queue.open_reads.val() >= self.qp.read_limit.val();
        self.expired.next =
            (self.retry.timer.val() | self.retry.rnr.val()) & self.ack.is_late.val();
        comment!("Progress in this operation ends what was in a row.");
        self.forgets.next = self.psns.has_progress.val()
            & ((self.ctl.op.val() == Op::Ack)
                | ((self.ctl.op.val() == Op::Response) & !self.ctl.rewind.val()));
        self.retry_base.next = self.retry.retry.val();
        self.rnr_base.next = self.retry.rnr_retry.val();
        if self.forgets.val() {
            self.retry_base.next = 0.into();
            self.rnr_base.next = 0.into();
        }
        self.posts.next = self.ctl.op.val() == Op::Wr;
    }

    /// What is next.
    fn what_is_next(&mut self) {
        self.pick.ack_valid.next = self.s_ack.valid.val();
        self.pick.cfg_valid.next = self.s_cfg.valid.val();
        self.pick.cfg_table.next = self.cfg_table.val();
        self.pick.fail_valid.next = self.s_fail.valid.val();
        self.pick.fail_flow.next = self.s_fail.flow.val();
        self.pick.grant_flow.next = self.s_grant.flow.val();
        self.pick.ack_opcode.next = self.s_ack.opcode.val();
        self.pick.state.next = self.ctl.state.val();
        self.pick.ack_flow.next = self.s_ack.qpn.val().get_bits::<FB>(0);
        self.pick.cfg_flow.next = self.cfg_index.val().get_bits::<FB>(0);
        self.pick.grant_valid.next = self.s_grant.valid.val() & self.out.packet_free.val();
        self.pick.own.next = self.ctl.op.val();
        self.pick.own_flow.next = self.ctl.flow.val();
        self.pick.is_busy.next = self.ctl.is_busy.val();
        self.pick.is_fresh.next = self.ctl.is_fresh.val();
        Wire::join(&mut self.hint, &mut self.pick.hint);
        self.ctl.grant_valid.next = self.s_grant.valid.val() & self.out.packet_free.val();
        self.ctl.grant_flow.next = self.s_grant.flow.val();
        self.ctl.wr_valid.next =
            self.s_cfg.valid.val() & (self.cfg_table.val() == self.wr_table.val());
        self.ctl.wr_flow.next = self.cfg_index.val().get_bits::<FB>(0);
        Wire::join(&mut self.hint, &mut self.ctl.hint);
        self.ctl.picked.next = self.pick.picked.val();
        self.ctl.pick_op.next = self.pick.op.val();
        self.ctl.pick_flow.next = self.pick.flow.val();
        self.ctl.pick_same.next = self.pick.same.val();
        self.ctl.ack_accept.next = self.ack.accept.val();
        self.ctl.ack_pulse.next = self.ack.pulse.val();
        self.ctl.ack_status.next = self.ack.status.val();
        self.ctl.is_ack.next = self.ack.is_ack.val();
        self.ctl.is_nak_sequence.next = self.ack.is_nak_sequence.val();
        self.ctl.is_nak_fatal.next = self.ack.is_nak_fatal.val();
        self.ctl.qp_valid.next = self.qp.qp_valid.val();
        self.ctl.qp_error.next = self.queue.error.val();
        self.ctl.is_old.next =
            self.s_fail.mark.val().any() & (self.s_fail.mark.val() != self.qp.mark.val());
        self.ctl.armed.next = self.queue.armed.val();
        self.ctl.is_rnr.next = self.retry.rnr.val();
        self.ctl.pending.next = self.queue.pending.val();
        self.ctl.sq_empty.next = self.queue.sq_empty.val();
        self.ctl.sq_full.next = self.queue.sq_full.val();
        self.ctl.sq_single.next = self.queue.sq_single.val();
        self.ctl.is_nak_rnr.next = self.ack.is_nak_rnr.val();
        self.ctl.outstanding.next = self.ack.outstanding.val();
        self.ctl.has_progress.next = self.psns.has_progress.val();
        self.ctl.covered.next = self.covered.val();
        self.ctl.meets.next = self.ack.meets.val();
        self.ctl.reads_open.next = self.queue.open_reads.val().any();
        self.ctl.is_read.next = self.requests.is_read.val();
        self.ctl.has_payload.next = self.response.has_payload.val();
        self.ctl.due.next = self.response.due.val();
        self.ctl.behind.next = self.response.behind.val();
        self.ctl.good.next = self.response.good.val();
        self.ctl.last_response.next = self.packet.ends.val();
        self.ctl.held.next = self.queue.held.val() & self.reads_full.val();
        self.ctl.part.next = self.frame.part.val();
        self.ctl.blocked.next = self.frame.blocked.val();
        self.ctl.last_packet.next = self.packet.last.val();
        self.ctl.order_busy.next = self.orders.order_busy.val();
        self.ctl.work_busy.next = self.out.work_busy.val();
        self.ctl.cc_busy.next = self.feedback.cc_busy.val();
        self.ctl.had_gap.next = self.retry.gap.val();
        self.ctl.timed.next = self.retry.timer.val() | self.retry.rnr.val();
        self.ctl.expired.next = self.expired.val();
        self.ctl.retry_out.next = self.retry_base.val() == self.qp.limit.val();
        self.ctl.rnr_out.next = (self.rnr_base.val() == self.qp.rnr_limit.val())
            & (self.qp.rnr_limit.val() != self.no_limit.val());
        self.ctl.is_resend.next = self.psns.is_resend.val();
        self.ctl.packet_free.next = self.out.packet_free.val();
        self.ctl.rest.next = self.queue.rest.val();
    }

    /// State of the flow.
    fn flow_state(&mut self) {
        self.qp.state.next = self.ctl.state.val();
        self.qp.is_open.next = self.ctl.is_open.val();
        self.qp.read_flow.next = self.pick.flow.val();
        self.qp.flow.next = self.ctl.flow.val();
        self.qp.cfg_row.next = self.cfg_row.val();
        self.qp.ack_qpn.next = self.s_ack.qpn.val();
        self.qp.ack_ip.next = self.s_ack.src_ip.val();
        self.psns.state.next = self.ctl.state.val();
        self.psns.is_open.next = self.ctl.is_open.val();
        self.psns.read_flow.next = self.pick.flow.val();
        self.psns.flow.next = self.ctl.flow.val();
        self.psns.rewind.next = self.ctl.rewind.val();
        self.psns.target.next = self.ack.target.val();
        self.psns.wr_is_read.next = self.requests.is_read.val();
        self.psns.wr_first_psn.next = self.requests.first_psn.val();
        self.psns.wr_end_psn.next = self.requests.end_psn.val();
        self.psns.wr_start_seq.next = self.requests.start_seq.val();
        self.psns.wr_acked_bytes.next = self.ack.acked_bytes.val();
        if self.ack.meets.val() {
            self.psns.wr_acked_bytes.next = self.requests.len.val();
        }
        self.psns.packet_bytes.next = self.packet.bytes.val();
        self.psns.post_end_psn.next = self.requests.post_end_psn.val();
        self.psns.sq_empty.next = self.queue.sq_empty.val();
        self.psns.cfg_psn.next = self.cfg_row.val().qp_sq_psn;
        self.psns.post_len.next = self.cfg_row.val().wr_length_bytes;
        self.psns.post_is_read.next = self.cfg_row.val().wr_operation.get_bit(1)
            & !self.cfg_row.val().wr_operation.get_bit(0);
        self.psns.retires.next = self.covered.val() & !self.orders.order_busy.val();
        self.psns.advances.next = !self.packet.ends.val() | !self.orders.order_busy.val();
        self.queue.cfg_sq_scale.next = self.cfg_sq_scale.val();
        self.queue.state.next = self.ctl.state.val();
        self.queue.op.next = self.ctl.op.val();
        self.queue.is_open.next = self.ctl.is_open.val();
        self.queue.read_flow.next = self.pick.flow.val();
        self.queue.flow.next = self.ctl.flow.val();
        self.queue.rewind.next = self.ctl.rewind.val();
        self.queue.last_response.next = self.packet.ends.val();
        self.queue.count.next = self.frame.frame_count.val();
        self.queue.post_is_plain.next = self.requests.post_is_plain.val();
        self.queue.limited.next = self.frame.limited.val();
        self.queue.packet_last.next = self.packet.last.val();
        self.queue.overtakes.next = self.psns.overtakes.val();
        self.queue.is_new_read.next = self.requests.is_read.val() & !self.psns.is_resend.val();
        self.queue.is_resend.next = self.psns.is_resend.val();
        self.queue.retires.next = self.covered.val() & !self.orders.order_busy.val();
        self.queue.fails.next = !self.orders.order_busy.val();
        self.queue.advances.next = !self.packet.ends.val() | !self.orders.order_busy.val();
        self.queue.arms.next = !self.out.work_busy.val() & !self.frame.blocked.val();
        self.windows.state.next = self.ctl.state.val();
        self.windows.is_open.next = self.ctl.is_open.val();
        self.windows.read_flow.next = self.pick.flow.val();
        self.windows.flow.next = self.ctl.flow.val();
        self.windows.watch.next =
            self.watch_valid.val() & self.watch_ready.val() & !self.watch_reply.val();
        self.windows.watch_flow.next = self.watch_flow.val();
        self.windows.watch_window.next = self.watch_window.val();
        self.windows.inflight.next = self.psns.inflight.val();
        self.retry.forgets.next = self.forgets.val();
        self.retry.retry_base.next = self.retry_base.val();
        self.retry.rnr_base.next = self.rnr_base.val();
        self.retry.state.next = self.ctl.state.val();
        self.retry.op.next = self.ctl.op.val();
        self.retry.is_open.next = self.ctl.is_open.val();
        self.retry.read_flow.next = self.pick.flow.val();
        self.retry.flow.next = self.ctl.flow.val();
        self.retry.rewind.next = self.ctl.rewind.val();
        self.retry.is_nak_rnr.next = self.ack.is_nak_rnr.val();
        self.retry.expired.next = self.expired.val();
        self.retry.timer_on.next = self.timer.timer_on.val();
        self.retry.retry_deadline.next = self.timer.retry_deadline.val();
        self.retry.rnr_deadline.next = self.timer.rnr_deadline.val();
        self.retry.overtakes.next = self.psns.overtakes.val();
        self.retry.has_progress.next = self.psns.has_progress.val();
        self.timer.state.next = self.ctl.state.val();
        self.timer.is_open.next = self.ctl.is_open.val();
        self.timer.timeout.next = self.qp.timeout.val();
        self.timer.rnr_code.next = self.s_ack.syndrome.val().get_bits::<5>(0);
    }

    /// Answers.
    fn answers(&mut self) {
        self.ack.ack_psn.next = self.s_ack.psn.val();
        self.ack.syndrome.next = self.s_ack.syndrome.val();
        self.ack.una.next = self.psns.una.val();
        self.ack.high.next = self.psns.high.val();
        self.ack.wr_first_psn.next = self.requests.first_psn.val();
        self.ack.wr_end_psn.next = self.requests.end_psn.val();
        self.ack.mtu.next = self.qp.mtu.val();
        self.ack.now.next = self.timer.now.val();
        self.ack.deadline.next = self.retry.deadline.val();
        self.ack.is_peer.next = self.qp.is_peer.val() & !self.queue.error.val();
        self.response.opcode.next = self.s_ack.opcode.val();
        self.response.syndrome.next = self.s_ack.syndrome.val();
        self.response.payload_bytes.next = self.s_ack.payload_bytes.val();
        self.response.is_oldest.next = self.ack.is_oldest.val();
        self.response.index.next = self.packet.index.val();
        self.response.first.next = self.packet.first.val();
        self.response.passed.next = self.ctl.passed.val();
        self.response.due_bytes.next = self.packet.due_bytes.val();
        self.response.last.next = self.packet.ends.val();
    }

    /// Work requests and packets.
    fn packets(&mut self) {
        self.requests.cfg_sq_scale.next = self.cfg_sq_scale.val();
        self.requests.state.next = self.ctl.state.val();
        self.requests.op.next = self.ctl.op.val();
        self.requests.flow.next = self.ctl.flow.val();
        self.requests.head.next = self.queue.head.val();
        self.requests.second.next = self.queue.second.val();
        self.requests.retires.next = self.covered.val() & !self.orders.order_busy.val();
        self.requests.current.next = self.queue.current.val();
        self.requests.packet_last.next = self.packet.last.val();
        self.requests.tail.next = self.queue.tail.val();
        self.requests.probe.next = self.queue.probe.val();
        self.requests.tail_psn.next = self.psns.tail_psn.val();
        self.requests.tail_seq.next = self.psns.tail_seq.val();
        self.requests.mtu_code.next = self.qp.mtu.val();
        self.requests.cfg_row.next = self.cfg_row.val();
        self.packet.posts.next = self.posts.val();
        self.packet.begins.next = self.ctl.begins.val();
        self.packet.post_len.next = self.cfg_row.val().wr_length_bytes;
        self.packet.nxt.next = self.psns.nxt.val();
        self.packet.takes_response.next =
            (self.ctl.op.val() == Op::Response) & !self.ctl.arming.val();
        self.packet.response_psn.next = self.s_ack.psn.val();
        self.packet.mtu.next = self.qp.mtu.val();
        self.packet.interval.next = self.qp.interval.val();
        self.packet.first_psn.next = self.requests.first_psn.val();
        self.packet.is_read.next = self.requests.is_read.val();
        self.packet.operation.next = self.requests.operation.val();
        self.packet.solicits.next = self.requests.solicits.val();
        self.packet.len.next = self.requests.len.val();
        self.packet.local_address.next = self.requests.local_address.val();
        self.packet.remote_address.next = self.requests.remote_address.val();
        self.frame.posts.next = self.posts.val();
        self.frame.post_operation.next = self.cfg_row.val().wr_operation;
        self.frame.post_packets.next = self.requests.post_packets.val();
        self.frame.operation.next = self.requests.operation.val();
        self.frame.end_psn.next = self.requests.end_psn.val();
        self.frame.una.next = self.psns.una.val();
        self.frame.nxt.next = self.psns.nxt.val();
        self.frame.is_resend.next = self.psns.is_resend.val();
        self.frame.reads_full.next = self.reads_full.val();
        self.frame.due_bytes.next = self.packet.due_bytes.val();
        self.frame.first.next = self.packet.first.val();
        self.frame.ends.next = self.packet.ends.val();
        self.frame.rest_bytes.next = self.packet.rest_bytes.val();
        self.frame.mtu.next = self.qp.mtu.val();
        self.frame.are_plain.next = self.queue.are_plain.val();
        self.frame.waiting.next = self.queue.waiting.val();
        self.frame.messages_max.next = self.requests.messages_max.val();
        self.frame.waiting_bytes.next = self.psns.rest.val();
        self.windows.more.next = self.frame.more.val();
        self.frame.fits.next = self.windows.fits.val();
        self.frame.is_uneven.next = self.qp.telemetry.val()
            & self.cfg_tel_data.val().any()
            & (self.cfg_tel_every.val() > 1);
        self.stamp.cfg_tel_every.next = self.cfg_tel_every.val();
        self.stamp.is_on.next = self.qp.telemetry.val() & self.cfg_tel_data.val().any();
        self.stamp.una.next = self.psns.una.val();
        self.stamp.nxt.next = self.psns.nxt.val();
        self.stamp.stamped.next = self.psns.stamped.val();
        self.psns.bare.next = self.stamp.bare.val();
        self.psns.part.next = self.frame.part.val();
        self.psns.part_seq.next = self.requests.part_seq.val();
        self.frame.telemetry_bytes.next = 0.into();
        if self.qp.telemetry.val() & !self.stamp.bare.val() {
            match self.cfg_tel_data.val().index() {
                1 => self.frame.telemetry_bytes.next = 2.into(),
                2 => self.frame.telemetry_bytes.next = 42.into(),
                3 => self.frame.telemetry_bytes.next = 16.into(),
                4 => self.frame.telemetry_bytes.next = 12.into(),
                5 => self.frame.telemetry_bytes.next = 8.into(),
                6 => self.frame.telemetry_bytes.next = 16.into(),
                _ => {}
            }
        }
    }

    /// Outputs.
    fn outputs(&mut self) {
        self.out.state.next = self.ctl.state.val();
        self.out.flow.next = self.ctl.flow.val();
        self.out.nxt.next = self.psns.nxt.val();
        self.out.inflight.next = self.psns.inflight.val();
        self.out.blocked.next = self.frame.blocked.val();
        self.out.dma_len.next = self.packet.dma_len.val();
        self.out.opcode.next = self.packet.opcode.val();
        self.out.ack_req.next = self.packet.ack_req.val() | self.stamp.asks.val();
        self.out.solicited.next = self.packet.solicited.val();
        self.out.bytes.next = self.packet.bytes.val();
        self.out.address.next = self.packet.address.val();
        self.out.is_inline.next = self.requests.is_inline.val();
        self.out.inline_rest.next = self.requests.inline_rest.val();
        self.out.frame_bytes.next = self.frame.frame_bytes.val();
        self.out.frame_count.next = self.frame.frame_count.val();
        self.out.va.next = self.packet.va.val();
        self.out.rkey.next = self.requests.rkey.val();
        self.out.imm.next = self.requests.imm.val();
        self.out.mark.next = self.qp.mark.val();
        self.out.bare.next = self.stamp.bare.val();
        Wire::join(&mut self.out.m_pkt, &mut self.m_pkt);
        Wire::join(&mut self.out.m_read, &mut self.m_read);
        Wire::join(&mut self.out.m_work, &mut self.m_work);
        self.feedback.state.next = self.ctl.state.val();
        self.feedback.op.next = self.ctl.op.val();
        self.feedback.flow.next = self.ctl.flow.val();
        self.feedback.is_ack.next = self.ack.is_ack.val();
        self.feedback.ack_flow.next = self.s_ack.qpn.val().get_bits::<FB>(0);
        self.feedback.ack_psn.next = self.s_ack.psn.val();
        self.feedback.ack_tel.valid.next = self.s_ack.tel.valid.val();
        self.feedback.ack_tel.hops.next = self.s_ack.tel.hops.val();
        self.feedback.ack_tel.path.next = self.s_ack.tel.path.val();
        self.feedback.ack_tel.hop[0].next = self.s_ack.tel.hop[0].val();
        self.feedback.ack_tel.hop[1].next = self.s_ack.tel.hop[1].val();
        self.feedback.ack_tel.hop[2].next = self.s_ack.tel.hop[2].val();
        self.feedback.ack_tel.hop[3].next = self.s_ack.tel.hop[3].val();
        self.feedback.ack_tel.hop[4].next = self.s_ack.tel.hop[4].val();
        self.feedback.outstanding.next = self.ack.outstanding.val();
        self.feedback.target.next = self.ack.target.val();
        self.feedback.nxt.next = self.psns.nxt.val();
        Wire::join(&mut self.feedback.m_cc, &mut self.m_cc);
        self.orders.state.next = self.ctl.state.val();
        self.orders.flow.next = self.ctl.flow.val();
        self.orders.status.next = self.ctl.status.val();
        self.orders.covered.next = self.covered.val();
        self.orders.lands.next = self.ctl.lands.val();
        self.orders.payload_bytes.next = self.s_ack.payload_bytes.val();
        self.orders.last_response.next = self.packet.ends.val();
        self.orders.address.next = self.packet.address.val();
        self.orders.len.next = self.requests.len.val();
        self.orders.wr_id.next = self.requests.wr_id.val();
        self.orders.signalled.next = self.requests.signalled.val();
        self.orders.cfg_signalled.next = self.cfg_row.val().wr_signalled;
        self.orders.cfg_wr_id.next = self.cfg_row.val().wr_wr_id;
        self.orders.cfg_len.next = self.cfg_row.val().wr_length_bytes;
        Wire::join(&mut self.orders.m_order, &mut self.m_order);
        self.s_ack.ready.next = self.ctl.ready.val().ack;
        self.s_cfg.ready.next = self.ctl.ready.val().cfg;
        self.s_fail.ready.next = self.ctl.ready.val().fail;
        self.s_grant.ready.next = self.ctl.ready.val().grant;
        self.event_reqr.ack.next = self.ctl.pulse.val().ack;
        self.event_reqr.ack_coalesced_stale.next = self.ctl.pulse.val().coalesced_stale;
        self.event_reqr.ack_ghost.next = self.ctl.pulse.val().ghost;
        self.event_reqr.nak_sequence.next = self.ctl.pulse.val().nak_sequence;
        self.event_reqr.nak_rnr.next = self.ctl.pulse.val().nak_rnr;
        self.event_reqr.nak_fatal.next = self.ctl.pulse.val().nak_fatal;
        self.event_reqr.no_qp.next = self.ctl.pulse.val().no_qp;
        self.event_reqr.retransmit_packet.next = self.ctl.pulse.val().retransmit_packet;
        self.event_reqr.timeout.next = self.ctl.pulse.val().timeout;
        self.event_reqr.wr_refused.next = self.ctl.pulse.val().wr_refused;
    }
}
