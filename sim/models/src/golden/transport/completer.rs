//! Twin of `hdl/src/transport/completer.rs`: payload of READ responses to memory, completions
//! behind it.
//!
//! Source: InfiniBand architecture volume 1, 9.7.6; hdl/transport.md.

use super::mover::Mover;
use super::requester::order;
use crate::golden::util::fifo::{LutFifo, RamFifo};
use crate::ports;
use crate::ports::Golden;
use crate::streams::{Axis, Flow, Order, ReadyPort, TreadyPort, WriteCommand, WriteDone};
use nic_spec::config::NicConfig;

/// Completion status: host memory refused bytes of this or an earlier work request.
const LOCAL_DMA: u8 = 5;
/// Completion status: an earlier work request failed.
const FLUSHED: u8 = 6;

ports! {
    /// Completion.
    pub struct CompletionPorts {
        pub valid: bool,
        pub kind: u8,
        pub status: u8,
        pub flow: u16,
        pub wr_id: u32,
        pub imm: u32,
        pub byte_len: u32,
        pub signalled: bool,
    }
}
ports! {
    /// Inputs.
    pub struct CompleterIn {
        pub reset: bool,
        pub s_order: Order,
        pub s_response: Axis,
        pub s_done: WriteDone,
        pub s_cfg_valid: bool,
        pub cfg_index: u16,
        pub m_cmd: ReadyPort,
        pub m_data: TreadyPort,
        pub m_cqe_ready: bool,
        pub m_fail: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct CompleterOut {
        pub s_order: ReadyPort,
        pub s_response: TreadyPort,
        pub s_done: ReadyPort,
        pub s_cfg_ready: bool,
        pub m_cmd: WriteCommand,
        pub m_data: Axis,
        pub m_cqe: CompletionPorts,
        pub m_fail: Flow,
    }
}

/// A landing or a completion that has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pending {
    flow: u16,
    wr_id: u32,
    byte_len: u32,
    status: u8,
    signalled: bool,
    is_land: bool,
}

/// What memory has refused of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum FlowError {
    #[default]
    None,
    /// The requester was told; the next completion has the error.
    Told,
    /// Completions are flushed.
    Flushing,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Errors are cleared after reset: cycles left.
    Scrub(usize),
    Idle,
    /// The oldest order ends.
    Take,
    /// That has its consequence.
    Act,
    /// A row is taken.
    Forget,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Completer {
    flow_count: usize,
    /// Orders that may be without end.
    pending_max: usize,
    mover: Mover,
    taking: bool,
    cmd: WriteCommand,
    pending: RamFifo<Pending>,
    phase: Phase,
    /// The order that ends, and whether memory refused its bytes.
    ended: (Pending, bool),
    errors: Vec<FlowError>,
    fails: LutFifo<u16>,
    cqe: CompletionPorts,
}

impl Completer {
    /// A completer of the sizes of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(config.flow_count, 2 * config.write_commands())
    }

    fn of(flow_count: usize, pending_max: usize) -> Self {
        Self {
            flow_count,
            pending_max,
            mover: Mover::default(),
            taking: false,
            cmd: WriteCommand::default(),
            pending: RamFifo::new(pending_max),
            phase: Phase::Scrub(flow_count),
            ended: (Pending::default(), false),
            errors: vec![FlowError::None; flow_count],
            fails: LutFifo::new(flow_count),
            cqe: CompletionPorts::default(),
        }
    }

    /// Orders: what starts without end, and whether a frame is dropped or kept.
    fn order(&mut self, i: &CompleterIn) -> (Option<Pending>, Option<bool>) {
        let o = &i.s_order;
        let (is_land, is_frame) = (o.op == order::LAND, o.op != order::COMPLETION);
        let is_free = i.m_cmd.ready || !self.cmd.valid;
        let can = (!is_frame || self.mover.order_ready()) && is_free && self.pending.s_ready();
        let was_taking = self.taking;
        self.taking = o.valid && can && !was_taking && !i.s_cfg_valid;
        self.cmd.valid &= !i.m_cmd.ready;
        if !was_taking {
            return (None, None);
        }
        if is_land {
            let (addr, bytes, tag) = (o.addr, o.bytes, u128::from(o.flow));
            self.cmd = WriteCommand { valid: true, addr, bytes, tag };
        }
        let pending = Pending {
            flow: o.flow,
            wr_id: o.wr_id,
            byte_len: o.byte_len,
            status: o.status,
            signalled: o.signalled,
            is_land,
        };
        ((is_land || !is_frame).then_some(pending), is_frame.then_some(!is_land))
    }

    /// The oldest order can end: a completion at once, a landing by its report.
    fn ends(&self, i: &CompleterIn) -> bool {
        self.pending.m_valid() && (i.s_done.valid || !self.pending.m_data().is_land)
    }

    /// The flow whose requester must be told.
    fn act(&mut self, i: &CompleterIn) -> Option<u16> {
        let next = if self.ends(i) { Phase::Take } else { Phase::Idle };
        let (order, is_bad) = self.ended;
        let error = &mut self.errors[usize::from(order.flow)];
        if order.is_land {
            self.phase = next;
            let is_first = is_bad && *error == FlowError::None;
            if is_first {
                *error = FlowError::Told;
            }
            return is_first.then_some(order.flow);
        }
        if !self.cqe.valid {
            self.phase = next;
            let status = match *error {
                FlowError::None => order.status,
                FlowError::Told => LOCAL_DMA,
                FlowError::Flushing => FLUSHED,
            };
            if *error == FlowError::Told {
                *error = FlowError::Flushing;
            }
            self.cqe = CompletionPorts {
                valid: true,
                kind: 0,
                status,
                flow: order.flow,
                wr_id: order.wr_id,
                imm: 0,
                byte_len: order.byte_len,
                signalled: order.signalled,
            };
        }
        None
    }

    fn is_replaced(&self, flow: u16, i: &CompleterIn) -> bool {
        i.s_cfg_valid && usize::from(i.cfg_index) % self.flow_count == usize::from(flow)
    }

    fn end(&mut self, i: &CompleterIn, is_idle: bool, pending: Option<Pending>) {
        self.cqe.valid &= !i.m_cqe_ready;
        let mut fail = None;
        let takes = self.phase == Phase::Take;
        match self.phase {
            Phase::Scrub(1) => self.phase = Phase::Idle,
            Phase::Scrub(left) => self.phase = Phase::Scrub(left - 1),
            Phase::Idle if self.ends(i) => self.phase = Phase::Take,
            Phase::Idle if i.s_cfg_valid && is_idle => self.phase = Phase::Forget,
            Phase::Idle => {}
            Phase::Take => {
                self.ended = (self.pending.m_data(), i.s_done.error);
                self.phase = Phase::Act;
            }
            // The requester may have the flow's new queue pair already.
            Phase::Act => fail = self.act(i).filter(|flow| !self.is_replaced(*flow, i)),
            Phase::Forget => {
                self.errors[usize::from(i.cfg_index) % self.flow_count] = FlowError::None;
                self.phase = Phase::Idle;
            }
        }
        self.fails.step(false, fail, i.m_fail.ready);
        self.pending.step(false, pending, takes);
    }
}

impl Golden for Completer {
    type In = CompleterIn;
    type Out = CompleterOut;

    fn step(&mut self, i: &CompleterIn) -> CompleterOut {
        if i.reset {
            *self = Self::of(self.flow_count, self.pending_max);
        } else {
            let is_idle = !self.taking && self.pending.count() == 0;
            let (pending, frame) = self.order(i);
            self.mover.step(false, &i.s_response, frame, i.m_data.tready);
            self.end(i, is_idle, pending);
        }
        CompleterOut {
            s_order: ReadyPort { ready: self.taking },
            s_response: TreadyPort { tready: self.mover.s_ready() },
            s_done: ReadyPort { ready: self.phase == Phase::Take && self.pending.m_data().is_land },
            s_cfg_ready: self.phase == Phase::Forget,
            m_cmd: self.cmd,
            m_data: self.mover.m_axis(),
            m_cqe: self.cqe,
            m_fail: Flow { valid: self.fails.m_valid(), flow: self.fails.m_data() },
        }
    }
}
