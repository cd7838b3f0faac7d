//! What the requester keeps of a queue pair row, and whom it answers to.
//!
//! # Interface timing  part of `requester`: read in Idle, in registers from Check on, written in
//!                     Save of a queue pair operation
//! # Reset             synchronous, high: fields 0; the sequencer scrubs the rows
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Bits of a row.
pub const QP_BITS: usize = 85;

/// Queue pair of the operation; `FB` = log2 of the flow count.
#[derive(LogicBlock)]
pub struct RequesterQp<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// Flow that is read then.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// Queue pair row: words 0, 1, 3 and 10.
    pub cfg_row: Signal<In, Bits<512>>,
    /// The ACK's QPN.
    pub ack_qpn: Signal<In, Bits<24>>,
    /// Its sender.
    pub ack_ip: Signal<In, Bits<32>>,
    /// The queue pair is valid.
    pub qp_valid: Signal<Out, Bit>,
    /// Its data packets carry telemetry.
    pub telemetry: Signal<Out, Bit>,
    /// log2(MTU) - 8: 0..=4.
    pub mtu: Signal<Out, Bits<3>>,
    /// Timeout exponent.
    pub timeout: Signal<Out, Bits<5>>,
    /// Retry limit.
    pub limit: Signal<Out, Bits<3>>,
    /// log2 of the AckReq interval.
    pub interval: Signal<Out, Bits<4>>,
    /// RNR retry limit; 7: none.
    pub rnr_limit: Signal<Out, Bits<3>>,
    /// READs that may be outstanding, 1..=16.
    pub read_limit: Signal<Out, Bits<5>>,
    /// Of the row: 1..=15, another one for each row of the flow.
    pub mark: Signal<Out, Bits<4>>,
    /// The queue pair is valid and the ACK is for it and from its peer.
    pub is_peer: Signal<Out, Bit>,
    rows: Ram<FB, QP_BITS>,
    r_valid: DFF<Bit>,
    r_telemetry: DFF<Bit>,
    r_mtu: DFF<Bits<3>>,
    r_timeout: DFF<Bits<5>>,
    r_limit: DFF<Bits<3>>,
    r_interval: DFF<Bits<4>>,
    r_qpn: DFF<Bits<24>>,
    r_ip: DFF<Bits<32>>,
    r_rnr_limit: DFF<Bits<3>>,
    r_read_limit: DFF<Bits<5>>,
    r_mark: DFF<Bits<4>>,
    same_qpn: DFF<Bit>,
    same_ip: DFF<Bit>,
    largest_mtu: Constant<Bits<3>>,
    most_reads: Constant<Bits<5>>,
    cfg_reads: Signal<Local, Bits<5>>,
    cfg_mtu: Signal<Local, Bits<3>>,
}

impl<const FB: usize> Default for RequesterQp<FB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            state: Default::default(),
            op: Default::default(),
            is_open: Default::default(),
            read_flow: Default::default(),
            flow: Default::default(),
            cfg_row: Default::default(),
            ack_qpn: Default::default(),
            ack_ip: Default::default(),
            qp_valid: Default::default(),
            telemetry: Default::default(),
            mtu: Default::default(),
            timeout: Default::default(),
            limit: Default::default(),
            interval: Default::default(),
            rnr_limit: Default::default(),
            read_limit: Default::default(),
            mark: Default::default(),
            is_peer: Default::default(),
            rows: Default::default(),
            r_valid: Default::default(),
            r_telemetry: Default::default(),
            r_mtu: Default::default(),
            r_timeout: Default::default(),
            r_limit: Default::default(),
            r_interval: Default::default(),
            r_qpn: Default::default(),
            r_ip: Default::default(),
            r_rnr_limit: Default::default(),
            r_read_limit: Default::default(),
            r_mark: Default::default(),
            same_qpn: Default::default(),
            same_ip: Default::default(),
            largest_mtu: Constant::new(4.into()),
            most_reads: Constant::new(16.into()),
            cfg_reads: Default::default(),
            cfg_mtu: Default::default(),
        }
    }
}

impl<const FB: usize> Logic for RequesterQp<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            r_valid,
            r_telemetry,
            r_mtu,
            r_timeout,
            r_limit,
            r_interval,
            r_qpn,
            r_ip,
            r_rnr_limit,
            r_read_limit,
            r_mark,
            same_qpn,
            same_ip
        );
        self.rows.clock.next = self.clock.val();
        self.qp_valid.next = self.r_valid.q.val();
        self.telemetry.next = self.r_telemetry.q.val();
        self.mtu.next = self.r_mtu.q.val();
        self.timeout.next = self.r_timeout.q.val();
        self.limit.next = self.r_limit.q.val();
        self.interval.next = self.r_interval.q.val();
        self.rnr_limit.next = self.r_rnr_limit.q.val();
        self.read_limit.next = self.r_read_limit.q.val();
        self.mark.next = self.r_mark.q.val();
        self.is_peer.next = self.r_valid.q.val() & self.same_qpn.q.val() & self.same_ip.q.val();
        self.same_qpn.d.next = self.r_qpn.q.val() == self.ack_qpn.val();
        self.same_ip.d.next = self.r_ip.q.val() == self.ack_ip.val();
        comment!("The row as it is written and read.");
        self.rows.read_enable.next = self.is_open.val();
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next = (self.state.val() == State::Scrub)
            | ((self.state.val() == State::Save) & (self.op.val() == Op::Qp));
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next = bit_cast::<QP_BITS, 1>(self.r_valid.q.val().into())
            | (bit_cast::<QP_BITS, 1>(self.r_telemetry.q.val().into()) << 1)
            | (bit_cast::<QP_BITS, 3>(self.r_mtu.q.val()) << 2)
            | (bit_cast::<QP_BITS, 5>(self.r_timeout.q.val()) << 5)
            | (bit_cast::<QP_BITS, 3>(self.r_limit.q.val()) << 10)
            | (bit_cast::<QP_BITS, 4>(self.r_interval.q.val()) << 13)
            | (bit_cast::<QP_BITS, 24>(self.r_qpn.q.val()) << 17)
            | (bit_cast::<QP_BITS, 32>(self.r_ip.q.val()) << 41)
            | (bit_cast::<QP_BITS, 3>(self.r_rnr_limit.q.val()) << 73)
            | (bit_cast::<QP_BITS, 5>(self.r_read_limit.q.val()) << 76)
            | (bit_cast::<QP_BITS, 4>(self.r_mark.q.val()) << 81);
        self.cfg_reads.next = self.cfg_row.val().get_bits::<5>(328);
        self.cfg_mtu.next = self.cfg_row.val().get_bits::<3>(4);
        if self.state.val() == State::Load {
            self.r_valid.d.next = self.rows.read_data.val().get_bit(0);
            self.r_telemetry.d.next = self.rows.read_data.val().get_bit(1);
            self.r_mtu.d.next = self.rows.read_data.val().get_bits::<3>(2);
            self.r_timeout.d.next = self.rows.read_data.val().get_bits::<5>(5);
            self.r_limit.d.next = self.rows.read_data.val().get_bits::<3>(10);
            self.r_interval.d.next = self.rows.read_data.val().get_bits::<4>(13);
            self.r_qpn.d.next = self.rows.read_data.val().get_bits::<24>(17);
            self.r_ip.d.next = self.rows.read_data.val().get_bits::<32>(41);
            self.r_rnr_limit.d.next = self.rows.read_data.val().get_bits::<3>(73);
            self.r_read_limit.d.next = self.rows.read_data.val().get_bits::<5>(76);
            self.r_mark.d.next = self.rows.read_data.val().get_bits::<4>(81);
        }
        if (self.state.val() == State::Check) & (self.op.val() == Op::Qp) {
            self.r_valid.d.next = self.cfg_row.val().get_bit(0);
            self.r_telemetry.d.next = self.cfg_row.val().get_bit(1);
            self.r_mtu.d.next = self.cfg_mtu.val();
            if self.cfg_mtu.val() > self.largest_mtu.val() {
                self.r_mtu.d.next = self.largest_mtu.val();
            }
            self.r_timeout.d.next = self.cfg_row.val().get_bits::<5>(8);
            self.r_limit.d.next = self.cfg_row.val().get_bits::<3>(13);
            self.r_interval.d.next = self.cfg_row.val().get_bits::<4>(24);
            self.r_qpn.d.next = self.cfg_row.val().get_bits::<24>(32);
            self.r_ip.d.next = self.cfg_row.val().get_bits::<32>(96);
            self.r_rnr_limit.d.next = self.cfg_row.val().get_bits::<3>(320);
            self.r_mark.d.next = self.r_mark.q.val() + 1;
            if self.r_mark.q.val().all() {
                self.r_mark.d.next = 1.into();
            }
            self.r_read_limit.d.next = self.cfg_reads.val();
            if self.cfg_reads.val().get_bit(4) {
                self.r_read_limit.d.next = self.most_reads.val();
            } else if !self.cfg_reads.val().any() {
                self.r_read_limit.d.next = 1.into();
            }
        }
        if self.reset.val() {
            self.r_valid.d.next = false;
            self.r_telemetry.d.next = false;
            self.r_mtu.d.next = 0.into();
            self.r_timeout.d.next = 0.into();
            self.r_limit.d.next = 0.into();
            self.r_interval.d.next = 0.into();
            self.r_qpn.d.next = 0.into();
            self.r_ip.d.next = 0.into();
            self.r_rnr_limit.d.next = 0.into();
            self.r_read_limit.d.next = 0.into();
            self.r_mark.d.next = 0.into();
            self.same_qpn.d.next = false;
            self.same_ip.d.next = false;
        }
    }
}
