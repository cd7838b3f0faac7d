//! Tables of the responder: queue pairs, their receive state, memory regions.
//!
//! # Source            fw/registers.md
//! # Interface timing  cycle 0: take, s_req_qpn; cycle 1: req_starts, req_region; cycle 2: qp,
//!                     flow_state; cycle 3: region. They stay until the next take. failed and
//!                     reads_full follow the table by one cycle
//! # Number formats    [`ReceiverRow`], [`ReceiveState`], [`RegionRow`], [`Ending`]
//! # Reset             synchronous, high: ready = 0 while rows are cleared, one a cycle
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::rows::StagedRow;
use crate::util::{lut_ram::LutRam, ram::Ram};
use crate::{block, row, Reg, Unreset};
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
    /// Bytes.
    pub length: Bits<64>,
    /// Address of its first byte.
    pub host_address: Bits<64>,
}

/// What a queue pair has received.
#[row]
pub struct ReceiveState {
    /// Expected PSN.
    pub psn: Bits<24>,
    /// MSN.
    pub msn: Bits<24>,
    /// In error.
    pub closed: Bit,
    /// A NAK has been sent.
    pub nak_sent: Bit,
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
#[block(check(FB <= 10 && MB <= 10))]
pub struct RespTables<const FB: usize, const MB: usize> {
    /// Rows are clear.
    pub ready: Signal<Out, Bit>,
    /// Look a request up.
    pub take: Signal<In, Bit>,
    /// Its flow.
    pub s_req_flow: Signal<In, Bits<FB>>,
    /// The request taken brings its own rkey.
    pub req_starts: Signal<In, Bit>,
    /// Region of that rkey.
    pub req_region: Signal<In, Bits<MB>>,
    /// Flow of the request taken.
    pub flow: Signal<Out, Bits<FB>>,
    /// Its queue pair.
    pub qp: Signal<Out, ReceiverRow>,
    /// Its receive state.
    pub flow_state: Signal<Out, ReceiveState>,
    /// Its memory region.
    pub region: Signal<Out, RegionRow>,
    /// A write of the flow has failed, or a read.
    pub failed: Signal<Out, Bit>,
    /// 16 READs of the flow have no answer yet.
    pub reads_full: Signal<Out, Bit>,
    /// Store the flow's new state.
    pub state_write: Signal<In, Bit>,
    /// The state.
    pub new_state: Signal<In, ReceiveState>,
    /// Store a queue pair and start it anew.
    pub qp_write: Signal<In, Bit>,
    /// Store a memory region.
    pub region_write: Signal<In, Bit>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, StagedRow>,
    /// Something has ended in a flow.
    pub ended_valid: Signal<In, Bit>,
    /// The flow.
    pub ended_flow: Signal<In, Bits<FB>>,
    /// It is in error.
    pub ended_failed: Signal<In, Bit>,
    /// READs that have ended, modulo 32.
    pub ended_reads: Signal<In, Bits<5>>,
    qps: Ram<FB, ReceiverRow>,
    states: Ram<FB, ReceiveState>,
    regions: Ram<MB, RegionRow>,
    endings: LutRam<FB, Ending>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_at: Reg<Bits<10>>,
    flow_q: Unreset<Bits<FB>>,
    qp_q: Unreset<ReceiverRow>,
    state_q: Unreset<ReceiveState>,
    region_q: Unreset<RegionRow>,
    failed_q: Unreset<Bit>,
    full_q: Unreset<Bit>,
    waiting: Signal<Local, Bits<5>>,
    accepted: Signal<Local, Bits<5>>,
    ended: Signal<Local, Bits<5>>,
    psn: Signal<Local, Bits<24>>,
    qp_flags: Signal<Local, Bits<7>>,
    region_flags: Signal<Local, Bits<3>>,
    #[init(Constant::new(((1_u64 << FB.max(MB)) - 1).to_bits()))]
    last_row: Constant<Bits<10>>,
}

impl<const FB: usize, const MB: usize> Logic for RespTables<FB, MB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ready.next = !self.scrubs.val();
        self.flow.next = self.flow_q.val();
        self.qp.next = self.qp_q.val();
        self.flow_state.next = self.state_q.val();
        self.region.next = self.region_q.val();
        self.failed.next = self.failed_q.val();
        self.reads_full.next = self.full_q.val();
        comment!("Look-up: the queue pair and its state first, then the region of the rkey.");
        self.qps.read_enable.next = self.take.val();
        self.qps.read_address.next = self.s_req_flow.val();
        self.states.read_enable.next = self.take.val();
        self.states.read_address.next = self.s_req_flow.val();
        if self.take.val() {
            self.flow_q.next = self.s_req_flow.val();
        }
        self.qp_q.next = self.qps.read_data.val();
        self.state_q.next = self.states.read_data.val();
        self.regions.read_enable.next = true;
        self.regions.read_address.next = self.states.read_data.val().rkey.get_bits::<MB>(8);
        if self.req_starts.val() {
            self.regions.read_address.next = self.req_region.val();
        }
        self.region_q.next = self.regions.read_data.val();
        self.endings.read_address.next = self.flow_q.val();
        self.failed_q.next = self.endings.read_data.val().failed;
        comment!("Both counts run modulo 32, and never more than 16 READs have no answer.");
        self.accepted.next = self.state_q.val().reads;
        self.ended.next = self.endings.read_data.val().reads;
        self.waiting.next = self.accepted.val() - self.ended.val();
        self.full_q.next = self.waiting.val().get_bit(4);
        comment!("Rows of software; a queue pair starts at its first PSN.");
        self.psn.next = self.cfg_row.val().qp_rq_psn;
        self.qps.write_enable.next = self.qp_write.val() | self.scrubs.val();
        self.qps.write_address.next = self.cfg_index.val().get_bits::<FB>(0);
        comment!("After reset rows are made invalid; what else stands in them does not matter.");
        self.qp_flags.next = self.cfg_row.val().qp_flags;
        self.region_flags.next = self.cfg_row.val().mr_flags;
        if self.scrubs.val() {
            self.qp_flags.next = 0.into();
            self.region_flags.next = 0.into();
        }
        self.qps.write_data.next = (bit_cast::<63, 7>(self.qp_flags.val())
            | (bit_cast::<63, 24>(self.cfg_row.val().qp_qpn) << 7)
            | (bit_cast::<63, 32>(self.cfg_row.val().qp_remote_ip) << 31))
            .into();
        self.regions.write_enable.next = self.region_write.val() | self.scrubs.val();
        self.regions.write_address.next = self.cfg_index.val().get_bits::<MB>(0);
        self.regions.write_data.next = (bit_cast::<227, 3>(self.region_flags.val())
            | (bit_cast::<227, 224>(self.cfg_row.val().mr_place) << 3))
            .into();
        self.states.write_enable.next = self.qp_write.val() | self.state_write.val();
        self.states.write_address.next = self.flow_q.val();
        self.states.write_data.next = self.new_state.val();
        comment!(
            "A row is written one cycle after its flow's own end, and ends are three cycles apart."
        );
        self.endings.write_enable.next = self.qp_write.val() | self.ended_valid.val();
        self.endings.write_address.next = self.ended_flow.val();
        self.endings.write_data.next = (bit_cast::<6, 5>(self.ended_reads.val()) << 1).into();
        self.endings.write_data.next.failed = self.ended_failed.val();
        if self.qp_write.val() {
            self.states.write_address.next = self.cfg_index.val().get_bits::<FB>(0);
            self.states.write_data.next = bit_cast::<216, 24>(self.psn.val()).into();
            self.endings.write_address.next = self.cfg_index.val().get_bits::<FB>(0);
            self.endings.write_data.next = 0.into();
        }
        if self.scrubs.val() {
            self.qps.write_address.next = self.scrub_at.val().get_bits::<FB>(0);
            self.regions.write_address.next = self.scrub_at.val().get_bits::<MB>(0);
            self.scrub_at.next = self.scrub_at.val() + 1;
            self.scrubs.next = self.scrub_at.val() != self.last_row.val();
        }
    }
}
