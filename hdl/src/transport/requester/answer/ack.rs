//! Serial-number arithmetic of an ACK against its flow and the work request at hand.
//!
//! # Source            InfiniBand, volume 1, section 9.7.2: PSNs compare modulo 2^24
//! # Interface timing  part of `requester`, free running: a result is there one cycle after its
//!                     operands, `pulse`, `accept` and `acked_bytes` two cycles after
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::answer::verdict::RequesterEvents;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// ACK and timer arithmetic.
#[block(no_reset)]
pub struct RequesterAck {
    /// A valid queue pair in good state, and the ACK is for it.
    pub is_peer: Signal<In, Bit>,
    /// PSN of the ACK.
    pub ack_psn: Signal<In, Bits<24>>,
    /// Its syndrome.
    pub syndrome: Signal<In, Bits<8>>,
    /// Oldest unacknowledged PSN.
    pub una: Signal<In, Bits<24>>,
    /// PSN behind the highest ever sent.
    pub high: Signal<In, Bits<24>>,
    /// First PSN of the work request at hand.
    pub wr_first_psn: Signal<In, Bits<24>>,
    /// PSN behind it.
    pub wr_end_psn: Signal<In, Bits<24>>,
    /// log2(MTU) - 8.
    pub mtu: Signal<In, Bits<3>>,
    /// Time of the operation, ticks.
    pub now: Signal<In, Bits<33>>,
    /// When the flow's timer runs out.
    pub deadline: Signal<In, Bits<33>>,
    /// The ACK is worked on; else only counted. As of Decide.
    pub accept: Signal<Out, Bit>,
    /// What it is, one of them. As of Decide.
    pub pulse: Signal<Out, RequesterEvents>,
    /// Completion status of a fatal NAK.
    pub status: Signal<Out, Bits<8>>,
    /// It is an ACK: its PSN is acknowledged too.
    pub is_ack: Signal<Out, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<Out, Bit>,
    /// It is a NAK for a PSN sequence error.
    pub is_nak_sequence: Signal<Out, Bit>,
    /// It is another NAK.
    pub is_nak_fatal: Signal<Out, Bit>,
    /// It is for a good queue pair and its PSN is outstanding. As of Decide.
    pub outstanding: Signal<Out, Bit>,
    /// Its PSN is the oldest that is not acknowledged. As of Decide.
    pub is_oldest: Signal<Out, Bit>,
    /// The PSNs before this one are acknowledged, those of READs excepted.
    pub target: Signal<Out, Bits<24>>,
    /// It is at or behind the end of the work request.
    pub covered: Signal<Out, Bit>,
    /// It is the end of the work request.
    pub meets: Signal<Out, Bit>,
    /// Bytes of the work request in front of it.
    pub acked_bytes: Signal<Out, Bits<32>>,
    /// The deadline has passed.
    pub is_late: Signal<Out, Bit>,
    peer: Unreset<Bit>,
    kind: Unreset<Bits<3>>,
    code: Unreset<Bits<5>>,
    distance: Unreset<Bits<24>>,
    span: Unreset<Bits<24>>,
    in_span: Unreset<Bit>,
    stands: Unreset<Bit>,
    reached: Unreset<Bits<24>>,
    oldest: Unreset<Bit>,
    beyond_end: Unreset<Bits<24>>,
    into_wr: Unreset<Bits<24>>,
    bytes: Unreset<Bits<32>>,
    late: Unreset<Bits<33>>,
    wide: Signal<Local, Bits<32>>,
}

impl Logic for RequesterAck {
    #[hdl_gen]
    fn update(&mut self) {
        self.peer.next = self.is_peer.val();
        self.kind.next = self.syndrome.val().get_bits::<3>(5);
        self.code.next = self.syndrome.val().get_bits::<5>(0);
        self.is_ack.next = self.kind.val() == 0;
        self.is_nak_rnr.next = self.kind.val() == 1;
        self.is_nak_sequence.next = (self.kind.val() == 3) & !self.code.val().any();
        self.is_nak_fatal.next = (self.kind.val() == 3) & self.code.val().any();
        comment!("A kind that does not exist is a ghost.");
        self.accept.next = false;
        self.pulse.next = 0.into();
        if !self.peer.val() {
            self.pulse.next.no_qp = true;
        } else if !self.in_span.val() {
            if self.distance.val().get_bit(23) {
                self.pulse.next.coalesced_stale = true;
            } else {
                self.pulse.next.ghost = true;
            }
        } else if self.kind.val() == 0 {
            self.pulse.next.ack = true;
            self.accept.next = true;
        } else if self.kind.val() == 1 {
            self.pulse.next.nak_rnr = true;
            self.accept.next = true;
        } else if self.kind.val() == 3 {
            if !self.code.val().any() {
                self.pulse.next.nak_sequence = true;
            } else {
                self.pulse.next.nak_fatal = true;
            }
            self.accept.next = true;
        } else {
            self.pulse.next.ghost = true;
        }
        self.status.next = 3.into();
        if self.code.val() == 2 {
            self.status.next = 2.into();
        } else if self.code.val() == 3 {
            self.status.next = 4.into();
        }
        self.target.next = self.reached.val();
        self.outstanding.next = self.stands.val();
        self.is_oldest.next = self.oldest.val();
        self.covered.next = !self.beyond_end.val().get_bit(23);
        self.meets.next = !self.beyond_end.val().any();
        self.acked_bytes.next = self.bytes.val();
        self.is_late.next = !self.late.val().get_bit(32);
        comment!("PSNs and ticks are compared by the sign of their difference.");
        self.distance.next = self.ack_psn.val() - self.una.val();
        self.span.next = self.high.val() - self.una.val();
        self.in_span.next = self.distance.val() < self.span.val();
        self.stands.next = self.is_peer.val() & (self.distance.val() < self.span.val());
        self.reached.next = self.ack_psn.val();
        if self.kind.val() == 0 {
            self.reached.next = self.ack_psn.val() + 1;
        }
        self.oldest.next = !self.distance.val().any();
        self.beyond_end.next = self.reached.val() - self.wr_end_psn.val();
        self.into_wr.next = self.reached.val() - self.wr_first_psn.val();
        self.late.next = self.now.val() - self.deadline.val();
        comment!("Packets to bytes: every packet before the last of a message has the MTU.");
        self.wide.next = bit_cast::<32, 24>(self.into_wr.val());
        match self.mtu.val().index() {
            0 => {
                self.bytes.next = self.wide.val() << 8;
            }
            1 => {
                self.bytes.next = self.wide.val() << 9;
            }
            2 => {
                self.bytes.next = self.wide.val() << 10;
            }
            3 => {
                self.bytes.next = self.wide.val() << 11;
            }
            _ => {
                self.bytes.next = self.wide.val() << 12;
            }
        }
    }
}
