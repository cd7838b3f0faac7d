//! Tables of the responder: queue pairs, their receive state, memory regions.
//!
//! # Source            fw/registers.md
//! # Interface timing  qp follows qp_flow of a cycle with take by one, and stays until the next.
//!                     flow_state, region and marks follow state_flow, region_index and marks_flow
//!                     of a cycle without step by one; they are written in cycles with step, so a
//!                     read never meets a write. failed and reads_ended follow within the cycle
//! # Number formats    [`ReceiverRow`], [`ReceiveState`], [`RegionRow`], [`Ending`]
//! # Reset             synchronous, high: ready = 0 while rows are cleared, one a cycle
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::streams::{CommittedRow, FlowEnd};
use crate::util::{lut_ram::LutRam, ram::Ram};
use crate::{block, kernel, row, Reg};
use rust_hdl_core::prelude::*;

/// What has ended of a flow.
#[row]
pub struct Ending {
    /// A write of the flow has failed, or a read.
    pub failed: Bit,
    /// READs that have ended, modulo 32.
    pub reads: Bits<5>,
}

/// A memory region.
#[row]
pub struct RegionRow {
    /// It can be used.
    pub valid: Bit,
    /// The peer may write.
    pub remote_write: Bit,
    /// The peer may read.
    pub remote_read: Bit,
    /// Its key.
    pub rkey: Bits<32>,
    /// First virtual address.
    pub va: Bits<64>,
    /// The one behind the last.
    pub end_va: Bits<65>,
    /// What makes a host address of a virtual one.
    pub delta: Bits<64>,
}

/// What a queue pair has received.
#[row]
pub struct ReceiveState {
    /// Expected PSN.
    pub psn: Bits<24>,
    /// MSN.
    pub msn: Bits<24>,
    /// In a message.
    pub in_message: Bit,
    /// Next virtual address.
    pub va: Bits<64>,
    /// Its key.
    pub rkey: Bits<32>,
    /// Bytes to come.
    pub to_come: Bits<32>,
    /// Bytes of the message.
    pub length: Bits<32>,
    /// READs accepted, modulo 32.
    pub reads: Bits<5>,
}

/// What a queue pair's peer was told.
#[row]
pub struct Marks {
    /// Of an error: nothing more is answered.
    pub closed: Bit,
    /// Of a gap, or of lack of room: nothing more until the expected PSN comes.
    pub nak_sent: Bit,
}

/// What the responder keeps of a queue pair.
#[row]
pub struct ReceiverRow {
    /// It can be used.
    pub valid: Bit,
    /// It has telemetry.
    pub telemetry: Bit,
    /// The peer may write.
    pub remote_write: Bit,
    /// The peer may read.
    pub remote_read: Bit,
    /// log2(MTU) - 8.
    pub mtu_code: Bits<3>,
    /// Our QPN.
    pub qpn: Bits<24>,
    /// The peer's address.
    pub remote_ip: Bits<32>,
}

/// Tables of `2^FB` queue pairs and `2^MB` memory regions.
#[block(mealy, check(FB <= 10 && MB <= 10))]
pub struct RespTables<const FB: usize, const MB: usize> {
    /// Rows are clear.
    pub ready: Signal<Out, Bit>,
    /// The stages move on: what they have found out is stored. Otherwise the next is looked up.
    pub step: Signal<In, Bit>,
    /// Look a queue pair up.
    pub take: Signal<In, Bit>,
    /// Its flow.
    pub qp_flow: Signal<In, Bits<FB>>,
    /// Its row.
    pub qp: Signal<Out, ReceiverRow>,
    /// A flow.
    pub state_flow: Signal<In, Bits<FB>>,
    /// Its receive state.
    pub flow_state: Signal<Out, ReceiveState>,
    /// A memory region.
    pub region_index: Signal<In, Bits<MB>>,
    /// Its row.
    pub region: Signal<Out, RegionRow>,
    /// A flow: the one behind the first.
    pub marks_flow: Signal<In, Bits<FB>>,
    /// Its marks.
    pub marks: Signal<Out, Marks>,
    /// A write of the flow has failed, or a read.
    pub failed: Signal<Out, Bit>,
    /// READs of the flow that have ended, modulo 32.
    pub reads_ended: Signal<Out, Bits<5>>,
    /// Store the state of `marks_flow`.
    pub state_write: Signal<In, Bit>,
    /// The state.
    pub new_state: Signal<In, ReceiveState>,
    /// Store marks.
    pub marks_write: Signal<In, Bit>,
    /// Of this flow.
    pub marks_write_flow: Signal<In, Bits<FB>>,
    /// The marks.
    pub new_marks: Signal<In, Marks>,
    /// Store a queue pair and start it anew.
    pub qp_write: Signal<In, Bit>,
    /// Store a memory region.
    pub region_write: Signal<In, Bit>,
    /// The row.
    pub cfg: CommittedRow<In>,
    /// Something has ended in a flow.
    pub ended: FlowEnd<In, FB>,
    qps: Ram<FB, ReceiverRow>,
    states: Ram<FB, ReceiveState>,
    regions: Ram<MB, RegionRow>,
    told: Ram<FB, Marks>,
    endings: LutRam<FB, Ending>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_at: Reg<Bits<10>>,
    psn: Signal<Local, Bits<24>>,
    qp_flags: Signal<Local, Bits<7>>,
    region_flags: Signal<Local, Bits<3>>,
    qp_index: Signal<Local, Bits<FB>>,
    va: Signal<Local, Bits<65>>,
    length: Signal<Local, Bits<65>>,
    first: Signal<Local, Bits<64>>,
    host: Signal<Local, Bits<64>>,
    end_va: Signal<Local, Bits<65>>,
    delta: Signal<Local, Bits<64>>,
    #[init(Constant::new(((1_u64 << FB.max(MB)) - 1).to_bits()))]
    last_row: Constant<Bits<10>>,
}

#[kernel]
impl<const FB: usize, const MB: usize> RespTables<FB, MB> {
    fn update(&mut self) {
        self.look();
        self.queue_pair();
        self.region();
        self.store();
        self.scrub();
    }

    fn look(&mut self) {
        self.ready.next = !self.scrubs.val();
        self.qps.read_enable.next = self.take.val();
        self.qps.read_address.next = self.qp_flow.val();
        self.qp.next = self.qps.read_data.val();
        self.states.read_enable.next = !self.step.val();
        self.states.read_address.next = self.state_flow.val();
        self.flow_state.next = self.states.read_data.val();
        self.regions.read_enable.next = !self.step.val();
        self.regions.read_address.next = self.region_index.val();
        self.region.next = self.regions.read_data.val();
        self.told.read_enable.next = !self.step.val();
        self.told.read_address.next = self.marks_flow.val();
        self.marks.next = self.told.read_data.val();
        self.endings.read_address.next = self.marks_flow.val();
        self.failed.next = self.endings.read_data.val().failed;
        self.reads_ended.next = self.endings.read_data.val().reads;
    }

    /// A queue pair of software. After reset rows are made invalid; what else stands in them does
    /// not matter.
    fn queue_pair(&mut self) {
        self.psn.next = self.cfg.row.val().qp_rq_psn;
        self.qp_index.next = self.cfg.index.val().get_bits::<FB>(0);
        self.qp_flags.next = self.cfg.row.val().qp_flags;
        if self.scrubs.val() {
            self.qp_flags.next = 0.into();
        }
        self.qps.write_enable.next = self.qp_write.val() | self.scrubs.val();
        self.qps.write_address.next = self.qp_index.val();
        self.qps.write_data.next = (bit_cast::<63, 7>(self.qp_flags.val())
            | (bit_cast::<63, 24>(self.cfg.row.val().qp_qpn) << 7)
            | (bit_cast::<63, 32>(self.cfg.row.val().qp_remote_ip) << 31))
            .into();
    }

    /// A memory region of software, with the sums that each request would make.
    fn region(&mut self) {
        self.region_flags.next = self.cfg.row.val().mr_flags;
        if self.scrubs.val() {
            self.region_flags.next = 0.into();
        }
        self.first.next = self.cfg.row.val().mr_va;
        self.host.next = self.cfg.row.val().mr_host_address;
        self.delta.next = self.host.val() - self.first.val();
        self.va.next = bit_cast::<65, 64>(self.cfg.row.val().mr_va);
        self.length.next = bit_cast::<65, 64>(self.cfg.row.val().mr_length_bytes);
        self.end_va.next = self.va.val() + self.length.val();
        self.regions.write_enable.next = self.region_write.val() | self.scrubs.val();
        self.regions.write_address.next = self.cfg.index.val().get_bits::<MB>(0);
        self.regions.write_data.next = bit_cast::<228, 3>(self.region_flags.val()).into();
        self.regions.write_data.next.rkey = self.cfg.row.val().mr_rkey;
        self.regions.write_data.next.va = self.first.val();
        self.regions.write_data.next.end_va = self.end_va.val();
        self.regions.write_data.next.delta = self.delta.val();
    }

    /// What the stages and the ACKs have found out; a queue pair starts at its first PSN.
    fn store(&mut self) {
        self.states.write_enable.next = self.qp_write.val() | self.state_write.val();
        self.states.write_address.next = self.marks_flow.val();
        self.states.write_data.next = self.new_state.val();
        self.told.write_enable.next = self.qp_write.val() | self.marks_write.val();
        self.told.write_address.next = self.marks_write_flow.val();
        self.told.write_data.next = self.new_marks.val();
        comment!(
            "A row is written one cycle after its flow's own end, and ends are two cycles apart."
        );
        self.endings.write_enable.next = self.qp_write.val() | self.ended.valid.val();
        self.endings.write_address.next = self.ended.flow.val();
        self.endings.write_data.next = (bit_cast::<6, 5>(self.ended.reads.val()) << 1).into();
        self.endings.write_data.next.failed = self.ended.failed.val();
        if self.qp_write.val() {
            self.states.write_address.next = self.qp_index.val();
            comment!("Where it stands in a message matters only in one.");
            self.states.write_data.next.psn = self.psn.val();
            self.states.write_data.next.msn = 0.into();
            self.states.write_data.next.in_message = false;
            self.states.write_data.next.reads = 0.into();
            self.told.write_address.next = self.qp_index.val();
            self.told.write_data.next = 0.into();
            self.endings.write_address.next = self.qp_index.val();
            self.endings.write_data.next = 0.into();
        }
    }

    fn scrub(&mut self) {
        if self.scrubs.val() {
            self.qps.write_address.next = self.scrub_at.val().get_bits::<FB>(0);
            self.regions.write_address.next = self.scrub_at.val().get_bits::<MB>(0);
            self.scrub_at.next = self.scrub_at.val() + 1;
            self.scrubs.next = self.scrub_at.val() != self.last_row.val();
        }
    }
}
