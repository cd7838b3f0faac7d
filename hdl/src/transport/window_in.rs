//! Windows in: what the peer has computed for our data goes to the scheduler, with its rate, in the place of
//! what our congestion control computes for the peer's.
//!
//! # Source            ARCHITECTURE.md, windows of a receiver
//! # Interface timing  s_rate: cycle 0: s_rate_valid and s_rate_ready; cycle 1: m_rate. s_window: cycle 0:
//!                     s_window_valid and s_window_ready; cycle [`LATENCY_CYCLES`]: m_rate, if that is free
//!                     and nothing came at s_rate for two cycles
//! # Latency and rate  1 cycle from s_rate, an item every other cycle; a window every
//!                     [`LATENCY_CYCLES`] cycles
//! # Shape             FP1 = FB + 1
//! # Number formats    window_bytes | UQ32.0  | bytes; of s_window clamped to [w_min, w_init], the upper bound first
//!                     cfg_w_min    | UQ22.10 | bytes; its fraction is dropped
//!                     rate_gain    | UQ0.38  | our cycle time over T
//!                     rate         | UQ8.24  | bytes a cycle, W x rate_gain truncated, clamped to
//!                                              [rate_min, rate_max]
//! # Rules             what s_rate says of the peer's data ends here. All others pass. A window is dropped if a command for its queue pair passes while it is
//!                     worked on: it belongs to the queue pair of before
//! # Reset             synchronous, high: idle, outputs 0, but for s_window_ready
//! # Twins             sim/src/golden/transport/window_in.rs, tests/window_in.rs

use crate::emit::{self, Design, EmitError};
use crate::util::mul_serial::MulSerial;
use crate::Module;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a window to the scheduler: clamp, multiplier, clamp.
pub const LATENCY_CYCLES: usize = 6 + MulSerial::<32, 32, 64>::LATENCY_CYCLES;

/// Where the window is.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum WindowState {
    /// There is none.
    Idle,
    /// It is compared with its bounds.
    Bound,
    /// It is clamped.
    Clamp,
    /// It goes to the multiplier.
    Start,
    /// Its rate is compared with its bounds.
    Product,
    /// It waits for the source.
    Give,
}

/// Windows of `2^FB` queue pairs.
#[derive(LogicBlock)]
pub struct WindowIn<const FB: usize, const FP1: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Largest window in bytes.
    pub cfg_w_init: Signal<In, Bits<32>>,
    /// Smallest window in bytes, UQ22.10.
    pub cfg_w_min: Signal<In, Bits<32>>,
    /// Window bytes to bytes a cycle, UQ0.38.
    pub cfg_rate_gain: Signal<In, Bits<32>>,
    /// Smallest rate in bytes a cycle, UQ8.24.
    pub cfg_rate_min: Signal<In, Bits<32>>,
    /// Largest rate in bytes a cycle, UQ8.24.
    pub cfg_rate_max: Signal<In, Bits<32>>,
    /// An answer of the congestion control is offered.
    pub s_rate_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_rate_ready: Signal<Out, Bit>,
    /// Its paced flow; top bit: READ responses.
    pub s_rate_flow: Signal<In, Bits<FP1>>,
    /// It is about the peer's data.
    pub s_rate_peer: Signal<In, Bit>,
    /// 0 update, 1 create, 2 remove.
    pub s_rate_op: Signal<In, Bits<2>>,
    /// Window.
    pub s_rate_window_bytes: Signal<In, Bits<32>>,
    /// Rate.
    pub s_rate_rate: Signal<In, Bits<32>>,
    /// A window of the peer is offered.
    pub s_window_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_window_ready: Signal<Out, Bit>,
    /// Its queue pair.
    pub s_window_flow: Signal<In, Bits<FB>>,
    /// The window.
    pub s_window_bytes: Signal<In, Bits<32>>,
    /// For the scheduler.
    pub m_rate_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_rate_ready: Signal<In, Bit>,
    /// Paced flow; top bit: READ responses.
    pub m_rate_flow: Signal<Out, Bits<FP1>>,
    /// 0 update, 1 create, 2 remove.
    pub m_rate_op: Signal<Out, Bits<2>>,
    /// Window.
    pub m_rate_window_bytes: Signal<Out, Bits<32>>,
    /// Rate.
    pub m_rate_rate: Signal<Out, Bits<32>>,
    mul: MulSerial<32, 32, 64>,
    state: DFF<WindowState>,
    rate_ready: DFF<Bit>,
    full: DFF<Bit>,
    flow: DFF<Bits<FP1>>,
    op: DFF<Bits<2>>,
    window: DFF<Bits<32>>,
    rate: DFF<Bits<32>>,
    at: DFF<Bits<FB>>,
    bytes: DFF<Bits<32>>,
    above: DFF<Bit>,
    below: DFF<Bit>,
    fast: DFF<Bit>,
    slow: DFF<Bit>,
    is_old: DFF<Bit>,
    takes: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    own: Signal<Local, Bits<FP1>>,
    least: Signal<Local, Bits<32>>,
    product: Signal<Local, Bits<32>>,
    excess: Signal<Local, Bits<18>>,
}

impl<const FB: usize, const FP1: usize> Default for WindowIn<FB, FP1> {
    fn default() -> Self {
        assert!(FP1 == FB + 1, "FP1 = FB + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_w_init: Default::default(),
            cfg_w_min: Default::default(),
            cfg_rate_gain: Default::default(),
            cfg_rate_min: Default::default(),
            cfg_rate_max: Default::default(),
            s_rate_valid: Default::default(),
            s_rate_ready: Default::default(),
            s_rate_flow: Default::default(),
            s_rate_peer: Default::default(),
            s_rate_op: Default::default(),
            s_rate_window_bytes: Default::default(),
            s_rate_rate: Default::default(),
            s_window_valid: Default::default(),
            s_window_ready: Default::default(),
            s_window_flow: Default::default(),
            s_window_bytes: Default::default(),
            m_rate_valid: Default::default(),
            m_rate_ready: Default::default(),
            m_rate_flow: Default::default(),
            m_rate_op: Default::default(),
            m_rate_window_bytes: Default::default(),
            m_rate_rate: Default::default(),
            mul: Default::default(),
            state: Default::default(),
            rate_ready: Default::default(),
            full: Default::default(),
            flow: Default::default(),
            op: Default::default(),
            window: Default::default(),
            rate: Default::default(),
            at: Default::default(),
            bytes: Default::default(),
            above: Default::default(),
            below: Default::default(),
            fast: Default::default(),
            slow: Default::default(),
            is_old: Default::default(),
            takes: Default::default(),
            free: Default::default(),
            gives: Default::default(),
            own: Default::default(),
            least: Default::default(),
            product: Default::default(),
            excess: Default::default(),
        }
    }
}

impl<const FB: usize, const FP1: usize> Logic for WindowIn<FB, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, rate_ready, full, flow, op, window, rate, at, bytes, above, below,
            fast, slow, is_old
        );
        self.mul.clock.next = self.clock.val();
        self.mul.reset.next = self.reset.val();
        self.s_rate_ready.next = self.rate_ready.q.val();
        self.s_window_ready.next = self.state.q.val() == WindowState::Idle;
        self.m_rate_valid.next = self.full.q.val();
        self.m_rate_flow.next = self.flow.q.val();
        self.m_rate_op.next = self.op.q.val();
        self.m_rate_window_bytes.next = self.window.q.val();
        self.m_rate_rate.next = self.rate.q.val();
        comment!(
            "Answers of the congestion control; a window that is ready goes before the next one."
        );
        self.takes.next = self.s_rate_valid.val() & self.rate_ready.q.val();
        self.free.next = self.m_rate_ready.val() | !self.full.q.val();
        self.gives.next = (self.state.q.val() == WindowState::Give)
            & !self.rate_ready.q.val()
            & !self.is_old.q.val()
            & self.free.val();
        self.rate_ready.d.next =
            self.free.val() & !self.takes.val() & (self.state.q.val() != WindowState::Give);
        if self.m_rate_ready.val() {
            self.full.d.next = false;
        }
        if self.takes.val() & !self.s_rate_peer.val() {
            self.full.d.next = true;
            self.flow.d.next = self.s_rate_flow.val();
            self.op.d.next = self.s_rate_op.val();
            self.window.d.next = self.s_rate_window_bytes.val();
            self.rate.d.next = self.s_rate_rate.val();
        }
        comment!("The window: clamped, multiplied, its rate clamped.");
        self.own.next = bit_cast::<FP1, FB>(self.at.q.val());
        if self.takes.val()
            & !self.s_rate_peer.val()
            & self.s_rate_op.val().any()
            & (self.s_rate_flow.val() == self.own.val())
        {
            self.is_old.d.next = true;
        }
        self.least.next = self.cfg_w_min.val() >> 10;
        self.product.next = self.mul.m_p.val().get_bits::<32>(14);
        self.excess.next = self.mul.m_p.val().get_bits::<18>(46);
        self.above.d.next = self.bytes.q.val() > self.cfg_w_init.val();
        self.below.d.next = self.bytes.q.val() < self.least.val();
        self.fast.d.next = (self.product.val() > self.cfg_rate_max.val()) | self.excess.val().any();
        self.slow.d.next = self.product.val() < self.cfg_rate_min.val();
        self.mul.s_valid.next = self.state.q.val() == WindowState::Start;
        self.mul.s_a.next = self.bytes.q.val();
        self.mul.s_b.next = self.cfg_rate_gain.val();
        self.mul.m_ready.next = false;
        match self.state.q.val() {
            WindowState::Idle => {
                self.at.d.next = self.s_window_flow.val();
                self.bytes.d.next = self.s_window_bytes.val();
                self.is_old.d.next = false;
                if self.s_window_valid.val() {
                    self.state.d.next = WindowState::Bound;
                }
            }
            WindowState::Bound => {
                self.state.d.next = WindowState::Clamp;
            }
            WindowState::Clamp => {
                if self.above.q.val() {
                    self.bytes.d.next = self.cfg_w_init.val();
                } else if self.below.q.val() {
                    self.bytes.d.next = self.least.val();
                }
                self.state.d.next = WindowState::Start;
            }
            WindowState::Start => {
                self.state.d.next = WindowState::Product;
            }
            WindowState::Product => {
                if self.mul.m_valid.val() {
                    self.state.d.next = WindowState::Give;
                }
            }
            WindowState::Give => {
                if self.gives.val() | self.is_old.q.val() {
                    self.mul.m_ready.next = true;
                    self.state.d.next = WindowState::Idle;
                }
            }
        }
        if self.gives.val() {
            self.full.d.next = true;
            self.flow.d.next = self.own.val();
            self.op.d.next = 0.into();
            self.window.d.next = self.bytes.q.val();
            self.rate.d.next = self.product.val();
            if self.fast.q.val() {
                self.rate.d.next = self.cfg_rate_max.val();
            } else if self.slow.q.val() {
                self.rate.d.next = self.cfg_rate_min.val();
            }
        }
        if self.reset.val() {
            self.state.d.next = WindowState::Idle;
            self.rate_ready.d.next = false;
            self.full.d.next = false;
            self.flow.d.next = 0.into();
            self.op.d.next = 0.into();
            self.window.d.next = 0.into();
            self.rate.d.next = 0.into();
            self.is_old.d.next = false;
        }
    }
}

/// Emits the block.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    match config.flow_count {
        64 => emit::emit("window_in", WindowIn::<6, 7>::default(), config),
        _ => Err(emit::no_such_size("window_in", config)),
    }
}
