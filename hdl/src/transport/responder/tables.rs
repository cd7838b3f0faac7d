//! Tables of the responder: queue pairs, their receive state, memory regions.
//!
//! # Source            ARCHITECTURE.md, "Table rows"
//! # Interface timing  cycle 0: take, s_req_qpn; cycle 1: req_starts, req_region; cycle 2: qp,
//!                     flow_state; cycle 3: region. They stay until the next take. failed and
//!                     reads_full follow the table by one cycle
//! # Number formats    qp | row word 0 \[6:0\], QPN \[30:7\], remote IP \[62:31\]
//!                     flow_state | expected PSN \[23:0\], MSN \[47:24\], in error \[48\], NAK sent
//!                     \[49\], in a message \[50\], next VA \[114:51\], rkey \[146:115\], bytes to
//!                     come \[178:147\], bytes of the message \[210:179\], READs accepted, modulo
//!                     32 \[215:211\]
//!                     region | row word 0 \[2:0\], rkey \[34:3\], VA \[98:35\], length \[162:99\],
//!                     host address \[226:163\]
//! # Reset             synchronous, high: ready = 0 while rows are cleared, one a cycle
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::util::lut_ram::LutRam;
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

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
    pub qp: Signal<Out, Bits<63>>,
    /// Its receive state.
    pub flow_state: Signal<Out, Bits<216>>,
    /// Its memory region.
    pub region: Signal<Out, Bits<227>>,
    /// A write of the flow has failed, or a read.
    pub failed: Signal<Out, Bit>,
    /// 16 READs of the flow have no answer yet.
    pub reads_full: Signal<Out, Bit>,
    /// Store the flow's new state.
    pub state_write: Signal<In, Bit>,
    /// The state.
    pub new_state: Signal<In, Bits<216>>,
    /// Store a queue pair and start it anew.
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
    qps: Ram<FB, 63>,
    states: Ram<FB, 216>,
    regions: Ram<MB, 227>,
    endings: LutRam<FB, 6>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_at: Reg<Bits<10>>,
    flow_q: Unreset<Bits<FB>>,
    qp_q: Unreset<Bits<63>>,
    state_q: Unreset<Bits<216>>,
    region_q: Unreset<Bits<227>>,
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
        self.regions.read_address.next = self.states.read_data.val().get_bits::<MB>(123);
        if self.req_starts.val() {
            self.regions.read_address.next = self.req_region.val();
        }
        self.region_q.next = self.regions.read_data.val();
        self.endings.read_address.next = self.flow_q.val();
        self.failed_q.next = self.endings.read_data.val().get_bit(0);
        comment!("Both counts run modulo 32, and never more than 16 READs have no answer.");
        self.accepted.next = self.state_q.val().get_bits::<5>(211);
        self.ended.next = self.endings.read_data.val().get_bits::<5>(1);
        self.waiting.next = self.accepted.val() - self.ended.val();
        self.full_q.next = self.waiting.val().get_bit(4);
        comment!("Rows of software; a queue pair starts at its first PSN.");
        self.psn.next = self.cfg_row.val().get_bits::<24>(192);
        self.qps.write_enable.next = self.qp_write.val() | self.scrubs.val();
        self.qps.write_address.next = self.cfg_index.val().get_bits::<FB>(0);
        comment!("After reset rows are made invalid; what else stands in them does not matter.");
        self.qp_flags.next = self.cfg_row.val().get_bits::<7>(0);
        self.region_flags.next = self.cfg_row.val().get_bits::<3>(0);
        if self.scrubs.val() {
            self.qp_flags.next = 0.into();
            self.region_flags.next = 0.into();
        }
        self.qps.write_data.next = bit_cast::<63, 7>(self.qp_flags.val())
            | (bit_cast::<63, 24>(self.cfg_row.val().get_bits::<24>(32)) << 7)
            | (bit_cast::<63, 32>(self.cfg_row.val().get_bits::<32>(96)) << 31);
        self.regions.write_enable.next = self.region_write.val() | self.scrubs.val();
        self.regions.write_address.next = self.cfg_index.val().get_bits::<MB>(0);
        self.regions.write_data.next = bit_cast::<227, 3>(self.region_flags.val())
            | (bit_cast::<227, 224>(self.cfg_row.val().get_bits::<224>(32)) << 3);
        self.states.write_enable.next = self.qp_write.val() | self.state_write.val();
        self.states.write_address.next = self.flow_q.val();
        self.states.write_data.next = self.new_state.val();
        comment!(
            "A row is written one cycle after its flow's own end, and ends are three cycles apart."
        );
        self.endings.write_enable.next = self.qp_write.val() | self.ended_valid.val();
        self.endings.write_address.next = self.ended_flow.val();
        self.endings.write_data.next = bit_cast::<6, 5>(self.ended_reads.val()) << 1;
        self.endings.write_data.next =
            self.endings.write_data.val().replace_bit(0, self.ended_failed.val());
        if self.qp_write.val() {
            self.states.write_address.next = self.cfg_index.val().get_bits::<FB>(0);
            self.states.write_data.next = bit_cast::<216, 24>(self.psn.val());
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
