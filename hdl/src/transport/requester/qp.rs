//! What the requester keeps of a queue pair row, and whom it answers to.
//!
//! # Interface timing  part of `requester`: read in Idle and Save, in registers from Check on, written in
//!                     Save of a queue pair operation
//! # Reset             synchronous, high: fields 0; the sequencer scrubs the rows
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::rows::StagedRow;
use crate::transport::requester::state::State;
use crate::util::ram::Ram;
use crate::{block, row, Reg};
use rust_hdl_core::prelude::*;

/// What the requester keeps of a queue pair.
#[row]
struct RequesterQpRow {
    valid: Bit,
    telemetry: Bit,
    mtu: Bits<3>,
    timeout: Bits<5>,
    limit: Bits<3>,
    interval: Bits<4>,
    qpn: Bits<24>,
    ip: Bits<32>,
    rnr_limit: Bits<3>,
    read_limit: Bits<5>,
    mark: Bits<4>,
}

/// Queue pair of the operation; `FB` = log2 of the flow count.
#[block]
pub struct RequesterQp<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// Flow that is read then.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// Queue pair row: words 0, 1, 3 and 10.
    pub cfg_row: Signal<In, StagedRow>,
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
    rows: Ram<FB, RequesterQpRow>,
    r_valid: Reg<Bit>,
    r_telemetry: Reg<Bit>,
    r_mtu: Reg<Bits<3>>,
    r_timeout: Reg<Bits<5>>,
    r_limit: Reg<Bits<3>>,
    r_interval: Reg<Bits<4>>,
    r_qpn: Reg<Bits<24>>,
    r_ip: Reg<Bits<32>>,
    r_rnr_limit: Reg<Bits<3>>,
    r_read_limit: Reg<Bits<5>>,
    r_mark: Reg<Bits<4>>,
    same_qpn: Reg<Bit>,
    same_ip: Reg<Bit>,
    #[value(4)]
    largest_mtu: Constant<Bits<3>>,
    #[value(16)]
    most_reads: Constant<Bits<5>>,
    cfg_reads: Signal<Local, Bits<5>>,
    cfg_mtu: Signal<Local, Bits<3>>,
}

impl<const FB: usize> Logic for RequesterQp<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.qp_valid.next = self.r_valid.val();
        self.telemetry.next = self.r_telemetry.val();
        self.mtu.next = self.r_mtu.val();
        self.timeout.next = self.r_timeout.val();
        self.limit.next = self.r_limit.val();
        self.interval.next = self.r_interval.val();
        self.rnr_limit.next = self.r_rnr_limit.val();
        self.read_limit.next = self.r_read_limit.val();
        self.mark.next = self.r_mark.val();
        self.is_peer.next = self.r_valid.val() & self.same_qpn.val() & self.same_ip.val();
        self.same_qpn.next = self.r_qpn.val() == self.ack_qpn.val();
        self.same_ip.next = self.r_ip.val() == self.ack_ip.val();
        comment!("The row as it is written and read.");
        self.rows.read_enable.next = self.is_open.val();
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next =
            (self.state.val() == State::Scrub) | (self.state.val() == State::Save);
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next.valid = self.r_valid.val();
        self.rows.write_data.next.telemetry = self.r_telemetry.val();
        self.rows.write_data.next.mtu = self.r_mtu.val();
        self.rows.write_data.next.timeout = self.r_timeout.val();
        self.rows.write_data.next.limit = self.r_limit.val();
        self.rows.write_data.next.interval = self.r_interval.val();
        self.rows.write_data.next.qpn = self.r_qpn.val();
        self.rows.write_data.next.ip = self.r_ip.val();
        self.rows.write_data.next.rnr_limit = self.r_rnr_limit.val();
        self.rows.write_data.next.read_limit = self.r_read_limit.val();
        self.rows.write_data.next.mark = self.r_mark.val();
        self.cfg_reads.next = self.cfg_row.val().qp_read_limit;
        self.cfg_mtu.next = self.cfg_row.val().qp_mtu_code;
        if self.state.val() == State::Load {
            self.r_valid.next = self.rows.read_data.val().valid;
            self.r_telemetry.next = self.rows.read_data.val().telemetry;
            self.r_mtu.next = self.rows.read_data.val().mtu;
            self.r_timeout.next = self.rows.read_data.val().timeout;
            self.r_limit.next = self.rows.read_data.val().limit;
            self.r_interval.next = self.rows.read_data.val().interval;
            self.r_qpn.next = self.rows.read_data.val().qpn;
            self.r_ip.next = self.rows.read_data.val().ip;
            self.r_rnr_limit.next = self.rows.read_data.val().rnr_limit;
            self.r_read_limit.next = self.rows.read_data.val().read_limit;
            self.r_mark.next = self.rows.read_data.val().mark;
        }
        if self.state.val() == State::Begin {
            self.r_valid.next = self.cfg_row.val().qp_valid;
            self.r_telemetry.next = self.cfg_row.val().qp_telemetry;
            self.r_mtu.next = self.cfg_mtu.val();
            if self.cfg_mtu.val() > self.largest_mtu.val() {
                self.r_mtu.next = self.largest_mtu.val();
            }
            self.r_timeout.next = self.cfg_row.val().qp_timeout_exponent;
            self.r_limit.next = self.cfg_row.val().qp_retry_limit;
            self.r_interval.next = self.cfg_row.val().qp_ack_interval_log2;
            self.r_qpn.next = self.cfg_row.val().qp_qpn;
            self.r_ip.next = self.cfg_row.val().qp_remote_ip;
            self.r_rnr_limit.next = self.cfg_row.val().qp_rnr_retry_limit;
            self.r_mark.next = self.r_mark.val() + 1;
            if self.r_mark.val().all() {
                self.r_mark.next = 1.into();
            }
            self.r_read_limit.next = self.cfg_reads.val();
            if self.cfg_reads.val().get_bit(4) {
                self.r_read_limit.next = self.most_reads.val();
            } else if !self.cfg_reads.val().any() {
                self.r_read_limit.next = 1.into();
            }
        }
    }
}
