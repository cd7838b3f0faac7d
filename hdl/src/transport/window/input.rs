//! Windows in: what the peer has computed for our data goes to the scheduler, with its rate, in the place of
//! what our congestion control computes for the peer's. Nothing is said twice.
//!
//! # Source            hdl/feedback.md
//! # Interface timing  s_rate: cycle 0: s_rate_valid; cycle 1: s_rate_ready; cycle 2: m_rate. s_window:
//!                     cycle 0: s_window_valid and s_window_ready; cycle [`LATENCY_CYCLES`]: m_rate, if
//!                     that is free and nothing stood at s_rate in the cycle before
//! # Latency and rate  2 cycles from s_rate, an item every 3 cycles; a window every
//!                     [`LATENCY_CYCLES`] cycles
//! # Shape             FP1 = FB + 1
//! # Number formats    window_bytes | UQ32.0  | bytes; of s_window clamped to [w_min, w_init], the upper bound first
//!                     cfg_w_min    | UQ22.10 | bytes; its fraction is dropped
//!                     rate_gain    | UQ0.38  | our cycle time over T
//!                     rate         | UQ8.24  | bytes a cycle, W x rate_gain truncated, clamped to
//!                                              [rate_min, rate_max]
//! # Rules             what s_rate says of the peer's data ends here, and so does an update of a data flow
//!                     that says what it was told last: where nothing is congested that is each one,
//!                     and to the scheduler each is an operation. All others pass. A window is
//!                     dropped if a command for its queue pair passes while it is worked on: it
//!                     belongs to the queue pair of before
//! # Reset             synchronous, high: idle, outputs 0, but for s_window_ready. What a flow was told is
//!                     random then: the first that s_rate says of a flow is a create
//! # Twins             sim/models/src/golden/transport/window/input.rs,
//!                     tests/transport/window_in.rs

use crate::streams::{Flow, Rate};
use crate::util::{mul_serial::MulSerial, ram::Ram};
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a window to the scheduler: clamp, multiplier, clamp.
pub const LATENCY_CYCLES: usize = 5 + MulSerial::<32, 32, 64>::LATENCY_CYCLES;

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

/// What a data flow was told last.
#[row]
struct ToldRow {
    window: Bits<32>,
    rate: Bits<32>,
}

/// Windows of `2^FB` queue pairs.
#[block(check(FP1 == FB + 1))]
pub struct WindowIn<const FB: usize, const FP1: usize> {
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
    /// A window of the peer has come.
    pub s_window: Flow<In, FB>,
    /// The window.
    pub s_window_bytes: Signal<In, Bits<32>>,
    /// For the scheduler.
    pub m_rate: Rate<Out, FP1>,
    mul: MulSerial<32, 32, 64>,
    told: Ram<FB, ToldRow>,
    #[reset(WindowState::Idle)]
    state: Reg<WindowState>,
    rate_ready: Reg<Bit>,
    full: Reg<Bit>,
    flow: Reg<Bits<FP1>>,
    op: Reg<Bits<2>>,
    window: Reg<Bits<32>>,
    rate: Reg<Bits<32>>,
    at: Unreset<Bits<FB>>,
    bytes: Unreset<Bits<32>>,
    above: Unreset<Bit>,
    below: Unreset<Bit>,
    fast: Unreset<Bit>,
    slow: Unreset<Bit>,
    is_old: Reg<Bit>,
    takes: Signal<Local, Bit>,
    is_told: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    own: Signal<Local, Bits<FP1>>,
    least: Signal<Local, Bits<32>>,
    product: Signal<Local, Bits<32>>,
    excess: Signal<Local, Bits<18>>,
    #[value(FB as u64)]
    reply_bit: Constant<Bits<8>>,
}

impl<const FB: usize, const FP1: usize> Logic for WindowIn<FB, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_rate_ready.next = self.rate_ready.val();
        self.s_window.ready.next = self.state.val() == WindowState::Idle;
        self.m_rate.valid.next = self.full.val();
        self.m_rate.flow.next = self.flow.val();
        self.m_rate.op.next = self.op.val();
        self.m_rate.window_bytes.next = self.window.val();
        self.m_rate.rate.next = self.rate.val();
        comment!(
            "Answers of the congestion control; a window that is ready goes before the next one."
        );
        self.takes.next = self.s_rate_valid.val() & self.rate_ready.val();
        self.free.next = self.m_rate.ready.val() | !self.full.val();
        self.gives.next = (self.state.val() == WindowState::Give)
            & !self.rate_ready.val()
            & !self.is_old.val()
            & self.free.val();
        self.rate_ready.next = self.s_rate_valid.val()
            & !self.rate_ready.val()
            & !self.full.val()
            & (self.state.val() != WindowState::Give);
        if self.m_rate.ready.val() {
            self.full.next = false;
        }
        self.told.read_enable.next = self.s_rate_valid.val() & !self.rate_ready.val();
        self.told.read_address.next = self.s_rate_flow.val().get_bits::<FB>(0);
        self.is_told.next = !self.s_rate_op.val().any()
            & !self.s_rate_flow.val().get_bit(self.reply_bit.val().index())
            & (self.told.read_data.val().window == self.s_rate_window_bytes.val())
            & (self.told.read_data.val().rate == self.s_rate_rate.val());
        self.told.write_enable.next = self.full.val()
            & self.m_rate.ready.val()
            & !self.flow.val().get_bit(self.reply_bit.val().index());
        self.told.write_address.next = self.flow.val().get_bits::<FB>(0);
        self.told.write_data.next.window = self.window.val();
        self.told.write_data.next.rate = self.rate.val();
        if self.takes.val() & !self.s_rate_peer.val() & !self.is_told.val() {
            self.full.next = true;
            self.flow.next = self.s_rate_flow.val();
            self.op.next = self.s_rate_op.val();
            self.window.next = self.s_rate_window_bytes.val();
            self.rate.next = self.s_rate_rate.val();
        }
        comment!("The window: clamped, multiplied, its rate clamped.");
        self.own.next = bit_cast::<FP1, FB>(self.at.val());
        if self.takes.val()
            & !self.s_rate_peer.val()
            & self.s_rate_op.val().any()
            & (self.s_rate_flow.val() == self.own.val())
        {
            self.is_old.next = true;
        }
        self.least.next = self.cfg_w_min.val() >> 10;
        self.product.next = self.mul.m_p.val().get_bits::<32>(14);
        self.excess.next = self.mul.m_p.val().get_bits::<18>(46);
        self.above.next = self.bytes.val() > self.cfg_w_init.val();
        self.below.next = self.bytes.val() < self.least.val();
        self.fast.next = (self.product.val() > self.cfg_rate_max.val()) | self.excess.val().any();
        self.slow.next = self.product.val() < self.cfg_rate_min.val();
        self.mul.s_valid.next = self.state.val() == WindowState::Start;
        self.mul.s_a.next = self.bytes.val();
        self.mul.s_b.next = self.cfg_rate_gain.val();
        self.mul.m_ready.next = false;
        match self.state.val() {
            WindowState::Idle => {
                self.at.next = self.s_window.flow.val();
                self.bytes.next = self.s_window_bytes.val();
                self.is_old.next = false;
                if self.s_window.valid.val() {
                    self.state.next = WindowState::Bound;
                }
            }
            WindowState::Bound => {
                self.state.next = WindowState::Clamp;
            }
            WindowState::Clamp => {
                if self.above.val() {
                    self.bytes.next = self.cfg_w_init.val();
                } else if self.below.val() {
                    self.bytes.next = self.least.val();
                }
                self.state.next = WindowState::Start;
            }
            WindowState::Start => {
                self.state.next = WindowState::Product;
            }
            WindowState::Product => {
                if self.mul.m_valid.val() {
                    self.state.next = WindowState::Give;
                }
            }
            WindowState::Give => {
                if self.gives.val() | self.is_old.val() {
                    self.mul.m_ready.next = true;
                    self.state.next = WindowState::Idle;
                }
            }
        }
        if self.gives.val() {
            self.full.next = true;
            self.flow.next = self.own.val();
            self.op.next = 0.into();
            self.window.next = self.bytes.val();
            self.rate.next = self.product.val();
            if self.fast.val() {
                self.rate.next = self.cfg_rate_max.val();
            } else if self.slow.val() {
                self.rate.next = self.cfg_rate_min.val();
            }
        }
    }
}
