//! Window through which software writes rows of the QP, memory region and work request tables.
//!
//! # Source            nic_spec::rows, ARCHITECTURE.md "Table rows"
//! # Interface timing  cycle 0: word_write or commit; cycle 1: busy or refused, and the row at every
//!                     block that keeps a part of it, until each has taken it
//! # Latency and rate  [`LATENCY_CYCLES`]; one row at a time
//! # Reset             synchronous, high: row 0, nothing under way
//! # Twins             sim/src/golden/host/table_window.rs, tests/csr.rs

use crate::Module;
use nic_spec::rows::Table;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a commit to the row at its blocks.
pub const LATENCY_CYCLES: usize = 1;

/// The window.
#[derive(LogicBlock)]
pub struct TableWindow {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Stage `wdata` as word `word_index`; ignored while busy.
    pub word_write: Signal<In, Bit>,
    /// Word of the row to write or read.
    pub word_index: Signal<In, Bits<4>>,
    /// The word, or for a commit: index [15:0], table [17:16].
    pub wdata: Signal<In, Bits<32>>,
    /// Send the row to its table.
    pub commit: Signal<In, Bit>,
    /// A work request may be committed.
    pub wr_room: Signal<In, Bit>,
    /// Staged word at the `word_index` of the cycle before.
    pub word: Signal<Out, Bits<32>>,
    /// A commit is under way.
    pub busy: Signal<Out, Bit>,
    /// The last commit was refused.
    pub refused: Signal<Out, Bit>,
    /// Table of the row: 0 QP, 1 memory region, 2 work request.
    pub cfg_table: Signal<Out, Bits<2>>,
    /// Index of the row.
    pub cfg_index: Signal<Out, Bits<16>>,
    /// The row, word 0 in bits 31:0.
    pub cfg_row: Signal<Out, Bits<512>>,
    /// The row waits for the responder block.
    pub m_cfg_responder_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_responder_ready: Signal<In, Bit>,
    /// The row waits for the requester block.
    pub m_cfg_requester_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_requester_ready: Signal<In, Bit>,
    /// The row waits for the tx block.
    pub m_cfg_tx_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_tx_ready: Signal<In, Bit>,
    /// The row waits for the completer.
    pub m_cfg_completer_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_completer_ready: Signal<In, Bit>,
    /// The row waits for the cc block, for each of its three flows in turn.
    pub m_cfg_cc_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cfg_cc_ready: Signal<In, Bit>,
    /// Whose turn it is: 0 data, 1 READ responses, 2 the peer's data.
    pub m_cfg_cc_part: Signal<Out, Bits<2>>,
    words: [DFF<Bits<32>>; 16],
    row: Signal<Local, Bits<512>>,
    takes: Signal<Local, Bit>,
    word_wide: Signal<Local, Bits<9>>,
    shift: Signal<Local, Bits<9>>,
    row_shifted: Signal<Local, Bits<512>>,
    at: [Constant<Bits<4>>; 16],
    word_q: DFF<Bits<32>>,
    row_table: DFF<Bits<2>>,
    index: DFF<Bits<16>>,
    refused_q: DFF<Bit>,
    responder_pending: DFF<Bit>,
    requester_pending: DFF<Bit>,
    tx_pending: DFF<Bit>,
    completer_pending: DFF<Bit>,
    cc_pending: DFF<Bit>,
    cc_part: DFF<Bits<2>>,
    new_table: Signal<Local, Bits<2>>,
    new_index: Signal<Local, Bits<16>>,
    index_ok: Signal<Local, Bit>,
    waiting: Signal<Local, Bit>,
    last_part: Constant<Bits<2>>,
    qp: Constant<Bits<2>>,
    mr: Constant<Bits<2>>,
    wr: Constant<Bits<2>>,
    flow_count: Constant<Bits<16>>,
    mr_count: Constant<Bits<16>>,
}

impl TableWindow {
    /// The window of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            word_write: Default::default(),
            word_index: Default::default(),
            wdata: Default::default(),
            commit: Default::default(),
            wr_room: Default::default(),
            word: Default::default(),
            busy: Default::default(),
            refused: Default::default(),
            cfg_table: Default::default(),
            cfg_index: Default::default(),
            cfg_row: Default::default(),
            m_cfg_responder_valid: Default::default(),
            m_cfg_responder_ready: Default::default(),
            m_cfg_requester_valid: Default::default(),
            m_cfg_requester_ready: Default::default(),
            m_cfg_tx_valid: Default::default(),
            m_cfg_tx_ready: Default::default(),
            m_cfg_completer_valid: Default::default(),
            m_cfg_completer_ready: Default::default(),
            m_cfg_cc_valid: Default::default(),
            m_cfg_cc_ready: Default::default(),
            m_cfg_cc_part: Default::default(),
            words: Default::default(),
            row: Default::default(),
            takes: Default::default(),
            word_wide: Default::default(),
            shift: Default::default(),
            row_shifted: Default::default(),
            at: std::array::from_fn(|n| Constant::new((n as u64).to_bits())),
            word_q: Default::default(),
            row_table: Default::default(),
            index: Default::default(),
            refused_q: Default::default(),
            responder_pending: Default::default(),
            requester_pending: Default::default(),
            tx_pending: Default::default(),
            completer_pending: Default::default(),
            cc_pending: Default::default(),
            cc_part: Default::default(),
            new_table: Default::default(),
            new_index: Default::default(),
            index_ok: Default::default(),
            waiting: Default::default(),
            last_part: Constant::new(2u64.to_bits()),
            qp: Constant::new((Table::Qp as u64).to_bits()),
            mr: Constant::new((Table::Mr as u64).to_bits()),
            wr: Constant::new((Table::Wr as u64).to_bits()),
            flow_count: Constant::new((config.flow_count as u64).to_bits()),
            mr_count: Constant::new((config.mr_count as u64).to_bits()),
        }
    }
}

impl Logic for TableWindow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            word_q,
            row_table,
            index,
            refused_q,
            responder_pending,
            requester_pending,
            tx_pending,
            completer_pending,
            cc_pending,
            cc_part
        );
        self.waiting.next = self.responder_pending.q.val()
            | self.requester_pending.q.val()
            | self.tx_pending.q.val()
            | self.completer_pending.q.val()
            | self.cc_pending.q.val();
        comment!("staged words");
        self.word_wide.next = bit_cast::<9, 4>(self.word_index.val());
        self.shift.next = self.word_wide.val() << 5;
        self.takes.next = self.word_write.val() & !self.waiting.val();
        for i in 0..16 {
            self.words[i].clock.next = self.clock.val();
            self.words[i].d.next = self.words[i].q.val();
            if self.takes.val() & (self.word_index.val() == self.at[i].val()) {
                self.words[i].d.next = self.wdata.val();
            }
        }
        self.row.next = bit_cast::<512, 32>(self.words[0].q.val())
            | (bit_cast::<512, 32>(self.words[1].q.val()) << 32)
            | (bit_cast::<512, 32>(self.words[2].q.val()) << 64)
            | (bit_cast::<512, 32>(self.words[3].q.val()) << 96)
            | (bit_cast::<512, 32>(self.words[4].q.val()) << 128)
            | (bit_cast::<512, 32>(self.words[5].q.val()) << 160)
            | (bit_cast::<512, 32>(self.words[6].q.val()) << 192)
            | (bit_cast::<512, 32>(self.words[7].q.val()) << 224)
            | (bit_cast::<512, 32>(self.words[8].q.val()) << 256)
            | (bit_cast::<512, 32>(self.words[9].q.val()) << 288)
            | (bit_cast::<512, 32>(self.words[10].q.val()) << 320)
            | (bit_cast::<512, 32>(self.words[11].q.val()) << 352)
            | (bit_cast::<512, 32>(self.words[12].q.val()) << 384)
            | (bit_cast::<512, 32>(self.words[13].q.val()) << 416)
            | (bit_cast::<512, 32>(self.words[14].q.val()) << 448)
            | (bit_cast::<512, 32>(self.words[15].q.val()) << 480);
        self.row_shifted.next = self.row.val() >> self.shift.val();
        self.word_q.d.next = self.row_shifted.val().get_bits::<32>(0);
        self.cfg_row.next = self.row.val();
        self.cfg_table.next = self.row_table.q.val();
        self.cfg_index.next = self.index.q.val();
        self.word.next = self.word_q.q.val();
        self.busy.next = self.waiting.val();
        self.refused.next = self.refused_q.q.val();
        self.m_cfg_responder_valid.next = self.responder_pending.q.val();
        self.m_cfg_requester_valid.next = self.requester_pending.q.val();
        self.m_cfg_tx_valid.next = self.tx_pending.q.val();
        self.m_cfg_completer_valid.next = self.completer_pending.q.val();
        self.m_cfg_cc_valid.next = self.cc_pending.q.val();
        self.m_cfg_cc_part.next = self.cc_part.q.val();
        if self.m_cfg_responder_ready.val() {
            self.responder_pending.d.next = false;
        }
        if self.m_cfg_requester_ready.val() {
            self.requester_pending.d.next = false;
        }
        if self.m_cfg_tx_ready.val() {
            self.tx_pending.d.next = false;
        }
        if self.m_cfg_completer_ready.val() {
            self.completer_pending.d.next = false;
        }
        if self.m_cfg_cc_ready.val() & self.cc_pending.q.val() {
            self.cc_part.d.next = self.cc_part.q.val() + 1;
            if self.cc_part.q.val() == self.last_part.val() {
                self.cc_part.d.next = 0.into();
                self.cc_pending.d.next = false;
            }
        }
        comment!("a commit");
        self.new_table.next = self.wdata.val().get_bits::<2>(16);
        self.new_index.next = self.wdata.val().get_bits::<16>(0);
        self.index_ok.next = false;
        if self.new_table.val() == self.mr.val() {
            self.index_ok.next = self.new_index.val() < self.mr_count.val();
        } else if self.new_table.val() == self.qp.val() {
            self.index_ok.next = self.new_index.val() < self.flow_count.val();
        } else if self.new_table.val() == self.wr.val() {
            self.index_ok.next =
                (self.new_index.val() < self.flow_count.val()) && self.wr_room.val();
        }
        if self.commit.val() {
            self.refused_q.d.next = self.waiting.val() || !self.index_ok.val();
            if self.index_ok.val() && !self.waiting.val() {
                self.row_table.d.next = self.new_table.val();
                self.index.d.next = self.new_index.val();
                self.responder_pending.d.next = self.new_table.val() != self.wr.val();
                self.requester_pending.d.next = self.new_table.val() != self.mr.val();
                self.tx_pending.d.next = self.new_table.val() == self.qp.val();
                self.completer_pending.d.next = self.new_table.val() == self.qp.val();
                self.cc_pending.d.next = self.new_table.val() == self.qp.val();
            }
        }
        if self.reset.val() {
            for i in 0..16 {
                self.words[i].d.next = 0.into();
            }
            self.word_q.d.next = 0.into();
            self.row_table.d.next = 0.into();
            self.index.d.next = 0.into();
            self.refused_q.d.next = false;
            self.responder_pending.d.next = false;
            self.requester_pending.d.next = false;
            self.tx_pending.d.next = false;
            self.completer_pending.d.next = false;
            self.cc_pending.d.next = false;
            self.cc_part.d.next = 0.into();
        }
    }
}
