//! Twin of `hdl/src/host/table_window.rs`: rows on their way to the tables.

use crate::ports::Golden;
use crate::streams::CommittedRow;
use nic_spec::rows::Table;
use nic_spec::NicConfig;

crate::ports! {
    /// Inputs.
    pub struct TableWindowIn {
        pub reset: bool,
        pub word_write: bool,
        pub word_index: u8,
        pub wdata: u32,
        pub commit: bool,
        pub cfg_sq_scale: u8,
        pub wr_room: bool,
        pub m_cfg_responder_ready: bool,
        pub m_cfg_requester_ready: bool,
        pub m_cfg_tx_ready: bool,
        pub m_cfg_completer_ready: bool,
        pub m_cfg_cc_ready: bool,
    }
}
crate::ports! {
    /// Outputs.
    pub struct TableWindowOut {
        pub word: u32,
        pub busy: bool,
        pub refused: bool,
        pub cfg: CommittedRow,
        pub m_cfg_responder_valid: bool,
        pub m_cfg_requester_valid: bool,
        pub m_cfg_tx_valid: bool,
        pub m_cfg_completer_valid: bool,
        pub m_cfg_cc_valid: bool,
        /// Which of a QP's three flows has its turn: data, READ responses, the peer's data.
        pub m_cfg_cc_part: u8,
    }
}

/// The window.
#[derive(Clone, Debug)]
pub struct TableWindow {
    config: NicConfig,
    out: TableWindowOut,
}

impl TableWindow {
    /// The window of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self { config: config.clone(), out: TableWindowOut::default() }
    }

    fn word(&self, index: u8) -> u32 {
        let index = usize::from(index & 15);
        (self.out.cfg.row.0[index / 2] >> (index % 2 * 32)) as u32
    }
}

impl Golden for TableWindow {
    type In = TableWindowIn;
    type Out = TableWindowOut;

    fn step(&mut self, i: &TableWindowIn) -> TableWindowOut {
        if i.reset {
            self.out = TableWindowOut::default();
            return self.out;
        }
        let was_busy = self.out.busy;
        self.out.word = self.word(i.word_index);
        if i.word_write && !was_busy {
            let index = usize::from(i.word_index & 15);
            let word = &mut self.out.cfg.row.0[index / 2];
            let shift = index % 2 * 32;
            *word = *word & !(0xffff_ffff << shift) | u64::from(i.wdata) << shift;
        }
        let out = &mut self.out;
        out.m_cfg_responder_valid &= !i.m_cfg_responder_ready;
        out.m_cfg_requester_valid &= !i.m_cfg_requester_ready;
        out.m_cfg_tx_valid &= !i.m_cfg_tx_ready;
        out.m_cfg_completer_valid &= !i.m_cfg_completer_ready;
        if out.m_cfg_cc_valid && i.m_cfg_cc_ready {
            out.m_cfg_cc_part = (out.m_cfg_cc_part + 1) % 3;
            out.m_cfg_cc_valid = out.m_cfg_cc_part != 0;
        }
        if i.commit {
            let (table, index) = ((i.wdata >> 16 & 3) as u8, i.wdata as u16);
            let (qp, mr) = (table == Table::Qp as u8, table == Table::Mr as u8);
            let wr = table == Table::Wr as u8;
            let qp_count = self.config.qp_count_at(i.cfg_sq_scale);
            let limit = if mr { self.config.mr_count } else { qp_count };
            let ok = (qp || mr || wr && i.wr_room) && usize::from(index) < limit && !was_busy;
            out.refused = !ok;
            if ok {
                (out.cfg.table, out.cfg.index) = (table, index);
                out.m_cfg_responder_valid = qp || mr;
                out.m_cfg_requester_valid = qp || wr;
                out.m_cfg_tx_valid = qp;
                out.m_cfg_completer_valid = qp;
                out.m_cfg_cc_valid = qp;
            }
        }
        out.busy = out.m_cfg_responder_valid
            || out.m_cfg_requester_valid
            || out.m_cfg_tx_valid
            || out.m_cfg_completer_valid
            || out.m_cfg_cc_valid;
        *out
    }
}
