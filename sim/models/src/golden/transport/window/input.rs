//! Twin of `hdl/src/transport/window/input.rs`: windows of the peer on their way to the scheduler,
//! beside the answers of the congestion control. Nothing is said twice.

use crate::ports;
use crate::ports::Golden;
use crate::streams::{Rate, ReadyPort};
use nic_spec::NicConfig;

/// Cycles from a window to its turn at the source: two of the clamp, one to start, those of a product of
/// 32 bits and one of the compare of its rate.
const WORK_CYCLES: u32 = 3 + 33;

ports! {
    /// Windows of the peer.
    pub struct PeerWindow {
        pub valid: bool,
        pub flow: u16,
        pub bytes: u32,
    }
}
ports! {
    /// Inputs.
    pub struct WindowInIn {
        pub reset: bool,
        pub cfg_w_init: u32,
        /// UQ22.10.
        pub cfg_w_min: u32,
        /// UQ0.38.
        pub cfg_rate_gain: u32,
        /// UQ8.24.
        pub cfg_rate_min: u32,
        /// UQ8.24.
        pub cfg_rate_max: u32,
        pub s_rate: Rate,
        /// It is about the peer's data.
        pub s_rate_peer: bool,
        pub s_window: PeerWindow,
        pub m_rate: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct WindowInOut {
        pub s_rate: ReadyPort,
        pub s_window: ReadyPort,
        pub m_rate: Rate,
    }
}

/// A window that is worked on.
#[derive(Clone, Copy, Debug)]
struct Work {
    rate: Rate,
    cycles_left: u32,
    /// A command for its queue pair has passed.
    is_void: bool,
}

/// The block.
#[derive(Clone, Debug)]
pub struct WindowIn {
    work: Option<Work>,
    /// What each data flow was told last: window and rate.
    told: Vec<Option<(u32, u32)>>,
    out: WindowInOut,
}

impl WindowIn {
    /// For the queue pairs of `config`.
    pub fn new(config: &NicConfig) -> Self {
        let told = vec![None; config.flow_count];
        let mut block = Self { work: None, told, out: WindowInOut::default() };
        block.reset();
        block
    }

    fn reset(&mut self) {
        self.work = None;
        self.told.fill(None);
        self.out = WindowInOut { s_window: ReadyPort { ready: true }, ..WindowInOut::default() };
    }

    /// What the scheduler hears of a window.
    fn rate_of(i: &WindowInIn) -> Rate {
        let clamp = |value: u32, least: u32, most: u32| match value {
            _ if value > most => most,
            _ if value < least => least,
            _ => value,
        };
        let window_bytes = clamp(i.s_window.bytes, i.cfg_w_min >> 10, i.cfg_w_init);
        let product = u64::from(window_bytes) * u64::from(i.cfg_rate_gain);
        let rate = u32::try_from(product >> 14).unwrap_or(u32::MAX);
        let is_fast = product >> 14 > u64::from(i.cfg_rate_max);
        let rate = if is_fast { i.cfg_rate_max } else { rate.max(i.cfg_rate_min) };
        Rate { valid: true, flow: i.s_window.flow, op: 0, window_bytes, rate }
    }
}

impl Golden for WindowIn {
    type In = WindowInIn;
    type Out = WindowInOut;

    fn step(&mut self, i: &WindowInIn) -> WindowInOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        let was_ready = self.out.s_rate.ready;
        let takes = i.s_rate.valid && was_ready;
        let is_empty = !self.out.m_rate.valid;
        let is_free = i.m_rate.ready || is_empty;
        if !is_empty && i.m_rate.ready {
            let told = &self.out.m_rate;
            if let Some(last) = self.told.get_mut(usize::from(told.flow)) {
                *last = Some((told.window_bytes, told.rate));
            }
            self.out.m_rate.valid = false;
        }
        let is_due = self.work.is_some_and(|w| w.cycles_left == 0);
        self.out.s_rate.ready = i.s_rate.valid && !was_ready && is_empty && !is_due;
        let is_command = i.s_rate.op != 0;
        let says = (i.s_rate.window_bytes, i.s_rate.rate);
        let last = self.told.get(usize::from(i.s_rate.flow)).copied().flatten();
        let is_told = !is_command && last == Some(says);
        if takes && !i.s_rate_peer && !is_told {
            self.out.m_rate = i.s_rate;
        }
        match &mut self.work {
            Some(work) if work.cycles_left == 0 && work.is_void => self.work = None,
            Some(work) if work.cycles_left == 0 && !was_ready && is_free => {
                self.out.m_rate = work.rate;
                self.work = None;
            }
            Some(work) => {
                work.cycles_left = work.cycles_left.saturating_sub(1);
                let is_ours = !i.s_rate_peer && i.s_rate.flow == work.rate.flow;
                work.is_void |= takes && is_command && is_ours;
            }
            None if i.s_window.valid => {
                let rate = Self::rate_of(i);
                self.work = Some(Work { rate, cycles_left: WORK_CYCLES, is_void: false });
            }
            None => {}
        }
        self.out.s_window.ready = self.work.is_none();
        self.out
    }
}
