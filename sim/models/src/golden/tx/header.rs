//! Twin of `hdl/src/tx/choice.rs` and `hdl/src/tx/header.rs`: which frame is next, and the stages
//! in which its headers are worked out.

use super::data_header::DataHeader;
use super::frame::{Frame, Kind};
use super::ports::TxPipeIn;
use crate::streams::Ack;
use nic_spec::rows::QpRow;

/// The stages in front of the layout, which move together.
#[derive(Clone, Debug)]
pub struct Header {
    qps: Vec<QpRow>,
    /// They move at the coming edge.
    pub go: bool,
    /// A row is stored.
    pub stores: bool,
    /// A frame is chosen, with its queue pair's row.
    pub chosen: Option<QpRow>,
    /// Kind of the frame that was chosen last.
    pub kind: Kind,
    is_host_busy: bool,
    /// IPv4 id of the next frame.
    pub ident: u16,
    stages: [Option<Frame>; 2],
    /// What has been made.
    pub made: Option<Frame>,
}

impl Header {
    /// Of so many queue pairs.
    pub fn new(flow_count: usize) -> Self {
        Self {
            qps: vec![QpRow::default(); flow_count],
            go: false,
            stores: false,
            chosen: None,
            kind: Kind::Host,
            is_host_busy: false,
            ident: 0,
            stages: [None; 2],
            made: None,
        }
    }

    /// Rows stay.
    pub fn reset(&mut self) {
        let qps = core::mem::take(&mut self.qps);
        *self = Self { qps, ..Self::new(0) };
    }

    /// The kind that is next behind the last one.
    fn choose(&self, i: &TxPipeIn) -> Option<Kind> {
        let waits = |kind: &Kind| match kind {
            Kind::Data => i.s_pkt.valid,
            Kind::Ack => i.s_ack.valid,
            Kind::Feedback => i.s_feedback.valid,
            Kind::Host => i.s_host.tvalid && !self.is_host_busy,
        };
        let order = match self.kind {
            Kind::Data => [Kind::Ack, Kind::Feedback, Kind::Host, Kind::Data],
            Kind::Ack => [Kind::Feedback, Kind::Host, Kind::Data, Kind::Ack],
            Kind::Feedback => [Kind::Host, Kind::Data, Kind::Ack, Kind::Feedback],
            Kind::Host => [Kind::Data, Kind::Ack, Kind::Feedback, Kind::Host],
        };
        order.into_iter().find(waits)
    }

    /// One clock edge. `is_taken`: what has been made, if anything, is taken; `host_done`: a host
    /// frame has been taken.
    pub fn step(&mut self, i: &TxPipeIn, is_taken: bool, host_done: bool) {
        let looks = !self.go && self.chosen.is_none() && !self.stores;
        if core::mem::replace(&mut self.stores, looks && i.s_cfg.valid) && i.cfg_table == 0 {
            let words = |n: usize| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32;
            let index = usize::from(i.cfg_index) % self.qps.len();
            self.qps[index] = QpRow::from_row(&core::array::from_fn(words));
        }
        let choice = if looks && !self.stores { self.choose(i) } else { None };
        self.is_host_busy &= !host_done;
        if let Some(kind) = choice {
            let flow = match kind {
                Kind::Ack => i.s_ack.flow,
                Kind::Feedback => i.s_feedback.flow,
                Kind::Data | Kind::Host => i.s_pkt.flow,
            };
            self.is_host_busy |= kind == Kind::Host;
            self.kind = kind;
            self.chosen = Some(self.qps[usize::from(flow) % self.qps.len()]);
        }
        let moved = self.go;
        self.go = !moved && (is_taken || self.made.is_none());
        self.made = self.made.filter(|_| !is_taken);
        if moved {
            let taken = self.chosen.take().map(|qp| self.frame(i, qp));
            let [first, second] = self.stages;
            (self.stages, self.made) = ([taken, first], second);
        }
    }

    fn frame(&mut self, i: &TxPipeIn, qp: QpRow) -> Frame {
        let (kind, ident) = (self.kind, self.ident);
        self.ident = ident.wrapping_add(u16::from(kind != Kind::Host));
        let echo = match (kind, i.s_feedback) {
            (Kind::Feedback, f) => Ack { psn: f.psn, tel: f.tel, ..Ack::default() },
            _ => i.s_ack,
        };
        let is_echo = matches!(kind, Kind::Ack | Kind::Feedback);
        let (has_telemetry, form) = match is_echo {
            true => (echo.tel.valid && !(kind == Kind::Ack && i.cfg_by_time), i.cfg_tel_echo),
            false => (qp.telemetry && !i.s_pkt.bare, i.cfg_tel_data),
        };
        let telemetry = DataHeader::of(form).filter(|_| has_telemetry);
        let (pkt, is_answer) = (i.s_pkt, i.s_feedback.answer);
        Frame { kind, qp, ident, pkt, echo, is_answer, telemetry }
    }
}
