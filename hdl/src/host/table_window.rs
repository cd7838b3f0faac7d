//! Window through which software writes rows of the QP, memory region and work request tables.
//!
//! # Source            nic_spec::rows, fw/registers.md
//! # Interface timing  cycle 0: word_write or commit; cycle 1: busy or refused, and the row at every
//!                     block that keeps a part of it, until each has taken it
//! # Latency and rate  [`LATENCY_CYCLES`]; one row at a time
//! # Reset             synchronous, high: row 0, nothing under way
//! # Twins             sim/models/src/golden/host/table_window.rs, tests/host/csr.rs

use crate::streams::{CommittedRow, Offer};
use crate::{block, Reg};
use nic_spec::rows::Table;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Cycles from a commit to the row at its blocks.
pub const LATENCY_CYCLES: usize = 1;

/// The window.
#[block(new(config: &NicConfig))]
pub struct TableWindow {
    /// Stage `wdata` as word `word_index`; ignored while busy.
    pub word_write: Signal<In, Bit>,
    /// Word of the row to write or read.
    pub word_index: Signal<In, Bits<4>>,
    /// The word, or for a commit: index [15:0], table [17:16].
    pub wdata: Signal<In, Bits<32>>,
    /// Send the row to its table.
    pub commit: Signal<In, Bit>,
    /// There are 4 to the power of this times fewer queue pairs; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// A work request may be committed.
    pub wr_room: Signal<In, Bit>,
    /// Staged word at the `word_index` of the cycle before.
    pub word: Signal<Out, Bits<32>>,
    /// A commit is under way.
    pub busy: Signal<Out, Bit>,
    /// The last commit was refused.
    pub refused: Signal<Out, Bit>,
    /// The committed row.
    pub cfg: CommittedRow<Out>,
    /// The row waits for the responder block.
    pub m_cfg_responder: Offer<Out>,
    /// The row waits for the requester block.
    pub m_cfg_requester: Offer<Out>,
    /// The row waits for the tx block.
    pub m_cfg_tx: Offer<Out>,
    /// The row waits for the completer.
    pub m_cfg_completer: Offer<Out>,
    /// The row waits for the cc block, for each of its three flows in turn.
    pub m_cfg_cc_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_cc_ready: Signal<In, Bit>,
    /// Whose turn it is: 0 data, 1 READ responses, 2 the peer's data.
    pub m_cfg_cc_part: Signal<Out, Bits<2>>,
    words: [Reg<Bits<32>>; 16],
    row: Signal<Local, Bits<512>>,
    takes: Signal<Local, Bit>,
    word_wide: Signal<Local, Bits<9>>,
    shift: Signal<Local, Bits<9>>,
    row_shifted: Signal<Local, Bits<512>>,
    #[init(std::array::from_fn(|n| Constant::new((n as u64).to_bits())))]
    at: [Constant<Bits<4>>; 16],
    word_q: Reg<Bits<32>>,
    row_table: Reg<Bits<2>>,
    index: Reg<Bits<16>>,
    refused_q: Reg<Bit>,
    responder_pending: Reg<Bit>,
    requester_pending: Reg<Bit>,
    tx_pending: Reg<Bit>,
    completer_pending: Reg<Bit>,
    cc_pending: Reg<Bit>,
    cc_part: Reg<Bits<2>>,
    new_table: Signal<Local, Bits<2>>,
    new_index: Signal<Local, Bits<16>>,
    index_ok: Signal<Local, Bit>,
    qp_count: Signal<Local, Bits<16>>,
    waiting: Signal<Local, Bit>,
    #[init(Constant::new(2u64.to_bits()))]
    last_part: Constant<Bits<2>>,
    #[init(Constant::new((Table::Qp as u64).to_bits()))]
    qp: Constant<Bits<2>>,
    #[init(Constant::new((Table::Mr as u64).to_bits()))]
    mr: Constant<Bits<2>>,
    #[init(Constant::new((Table::Wr as u64).to_bits()))]
    wr: Constant<Bits<2>>,
    #[init(Constant::new((config.flow_count as u64).to_bits()))]
    flow_count: Constant<Bits<16>>,
    #[init(Constant::new((config.mr_count as u64).to_bits()))]
    mr_count: Constant<Bits<16>>,
}

impl Logic for TableWindow {
    #[hdl_gen]
    fn update(&mut self) {
        self.waiting.next = self.responder_pending.val()
            | self.requester_pending.val()
            | self.tx_pending.val()
            | self.completer_pending.val()
            | self.cc_pending.val();
        comment!("staged words");
        self.word_wide.next = bit_cast::<9, 4>(self.word_index.val());
        self.shift.next = self.word_wide.val() << 5;
        self.takes.next = self.word_write.val() & !self.waiting.val();
        for i in 0..16 {
            self.words[i].next = self.words[i].val();
            if self.takes.val() & (self.word_index.val() == self.at[i].val()) {
                self.words[i].next = self.wdata.val();
            }
        }
        self.row.next = bit_cast::<512, 32>(self.words[0].val())
            | (bit_cast::<512, 32>(self.words[1].val()) << 32)
            | (bit_cast::<512, 32>(self.words[2].val()) << 64)
            | (bit_cast::<512, 32>(self.words[3].val()) << 96)
            | (bit_cast::<512, 32>(self.words[4].val()) << 128)
            | (bit_cast::<512, 32>(self.words[5].val()) << 160)
            | (bit_cast::<512, 32>(self.words[6].val()) << 192)
            | (bit_cast::<512, 32>(self.words[7].val()) << 224)
            | (bit_cast::<512, 32>(self.words[8].val()) << 256)
            | (bit_cast::<512, 32>(self.words[9].val()) << 288)
            | (bit_cast::<512, 32>(self.words[10].val()) << 320)
            | (bit_cast::<512, 32>(self.words[11].val()) << 352)
            | (bit_cast::<512, 32>(self.words[12].val()) << 384)
            | (bit_cast::<512, 32>(self.words[13].val()) << 416)
            | (bit_cast::<512, 32>(self.words[14].val()) << 448)
            | (bit_cast::<512, 32>(self.words[15].val()) << 480);
        self.row_shifted.next = self.row.val() >> self.shift.val();
        self.word_q.next = self.row_shifted.val().get_bits::<32>(0);
        self.cfg.row.next = self.row.val().into();
        self.cfg.table.next = self.row_table.val();
        self.cfg.index.next = self.index.val();
        self.word.next = self.word_q.val();
        self.busy.next = self.waiting.val();
        self.refused.next = self.refused_q.val();
        self.m_cfg_responder.valid.next = self.responder_pending.val();
        self.m_cfg_requester.valid.next = self.requester_pending.val();
        self.m_cfg_tx.valid.next = self.tx_pending.val();
        self.m_cfg_completer.valid.next = self.completer_pending.val();
        self.m_cfg_cc_valid.next = self.cc_pending.val();
        self.m_cfg_cc_part.next = self.cc_part.val();
        if self.m_cfg_responder.ready.val() {
            self.responder_pending.next = false;
        }
        if self.m_cfg_requester.ready.val() {
            self.requester_pending.next = false;
        }
        if self.m_cfg_tx.ready.val() {
            self.tx_pending.next = false;
        }
        if self.m_cfg_completer.ready.val() {
            self.completer_pending.next = false;
        }
        if self.m_cfg_cc_ready.val() & self.cc_pending.val() {
            self.cc_part.next = self.cc_part.val() + 1;
            if self.cc_part.val() == self.last_part.val() {
                self.cc_part.next = 0.into();
                self.cc_pending.next = false;
            }
        }
        comment!("a commit");
        self.new_table.next = self.wdata.val().get_bits::<2>(16);
        self.new_index.next = self.wdata.val().get_bits::<16>(0);
        self.qp_count.next = self.flow_count.val();
        if self.cfg_sq_scale.val().get_bit(1) {
            self.qp_count.next = self.flow_count.val() >> 4;
        } else if self.cfg_sq_scale.val().get_bit(0) {
            self.qp_count.next = self.flow_count.val() >> 2;
        }
        self.index_ok.next = false;
        if self.new_table.val() == self.mr.val() {
            self.index_ok.next = self.new_index.val() < self.mr_count.val();
        } else if self.new_table.val() == self.qp.val() {
            self.index_ok.next = self.new_index.val() < self.qp_count.val();
        } else if self.new_table.val() == self.wr.val() {
            self.index_ok.next = (self.new_index.val() < self.qp_count.val()) && self.wr_room.val();
        }
        if self.commit.val() {
            self.refused_q.next = self.waiting.val() || !self.index_ok.val();
            if self.index_ok.val() && !self.waiting.val() {
                self.row_table.next = self.new_table.val();
                self.index.next = self.new_index.val();
                self.responder_pending.next = self.new_table.val() != self.wr.val();
                self.requester_pending.next = self.new_table.val() != self.mr.val();
                self.tx_pending.next = self.new_table.val() == self.qp.val();
                self.completer_pending.next = self.new_table.val() == self.qp.val();
                self.cc_pending.next = self.new_table.val() == self.qp.val();
            }
        }
    }
}
