//! Twin of `hdl/src/cc/active.rs`: W_ai divided by the number of flows that had a full update in
//! the window before.

use crate::ports;
use crate::ports::Golden;
use crate::starts::Starts;
use nic_spec::cc_params::ACTIVE_UNIT_CYCLES;
use nic_spec::NicConfig;

/// Cycles from the last one of a window to W_ai by its count.
pub const LATENCY_CYCLES: u32 = 33;
/// Windows have numbers up to this; then 1 again.
const NUMBER_MAX: u16 = 0xffff;
/// Bits of a window's length in units.
const UNIT_BITS: u32 = 20;
/// Units of a window that have passed at most: the longest one ends with the next.
const UNITS_MAX: u64 = (1 << UNIT_BITS) - 2;
/// Units that a window of a short run has.
const SOON_UNITS: u64 = 6;

ports! {
    /// Results of the unit, as they are taken.
    pub struct WatchPorts {
        pub valid: bool,
        pub ready: bool,
        pub flow: u16,
        /// It is about the peer's data.
        pub peer: bool,
        pub full: bool,
    }
}
ports! {
    /// Inputs.
    pub struct CcActiveIn {
        pub reset: bool,
        /// Length of a window in 64 cycles; 0: off.
        pub cfg_window: u32,
        /// Additive increase of a flow that is alone, bytes, UQ22.10.
        pub cfg_w_ai: u32,
        /// The windows of the peer's data are computed here: it counts.
        pub cfg_by_time: bool,
        pub watch: WatchPorts,
    }
}
ports! {
    /// Outputs.
    pub struct CcActiveOut {
        /// Additive increase, bytes, UQ22.10.
        pub w_ai: u32,
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct CcActive {
    /// Number of the window in which each flow was counted last; 0: never.
    counted_in: Vec<u16>,
    scrub_left: usize,
    number: u16,
    /// Cycles of the window that have passed.
    cycles: u32,
    count: u32,
    /// cfg_window of the cycle before.
    window: u32,
    was_on: bool,
    /// A full update that was taken in the cycle before, and one of the cycle before that.
    seen: [Option<u16>; 2],
    /// W_ai by the window that has ended, and cycles until it is known.
    next: Option<(u32, u32)>,
    w_ai: u32,
}

impl CcActive {
    /// For the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            counted_in: vec![0; config.flow_count],
            scrub_left: config.flow_count,
            number: 1,
            cycles: 0,
            count: 0,
            window: 0,
            was_on: false,
            seen: [None; 2],
            next: None,
            w_ai: 0,
        }
    }

    fn begin_window(&mut self) {
        self.number = if self.number == NUMBER_MAX { 1 } else { self.number + 1 };
        (self.cycles, self.count) = (0, 0);
    }

    fn run(&mut self, i: &CcActiveIn) {
        if let Some(flow) = self.seen[1] {
            let counted_in = &mut self.counted_in[usize::from(flow)];
            self.count += u32::from(*counted_in != self.number);
            *counted_in = self.number;
        }
        if let Some((w_ai, left)) = self.next.take() {
            match left - 1 {
                0 => self.w_ai = w_ai,
                left => self.next = Some((w_ai, left)),
            }
        }
        self.cycles += 1;
        // A window that was made shorter ends with its next whole unit.
        if self.cycles.is_multiple_of(ACTIVE_UNIT_CYCLES)
            && self.cycles / ACTIVE_UNIT_CYCLES >= self.window
        {
            self.next = Some((i.cfg_w_ai / self.count.max(1), LATENCY_CYCLES - 1));
            self.begin_window();
        }
    }
}

impl Golden for CcActive {
    type In = CcActiveIn;
    type Out = CcActiveOut;

    fn step(&mut self, i: &CcActiveIn) -> CcActiveOut {
        if i.reset {
            self.counted_in.fill(0);
            self.scrub_left = self.counted_in.len();
            (self.number, self.cycles, self.count) = (1, 0, 0);
            (self.window, self.was_on) = (0, false);
            (self.seen, self.next, self.w_ai) = ([None; 2], None, 0);
            return CcActiveOut::default();
        }
        let is_on = self.window != 0;
        if is_on {
            self.run(i);
        } else {
            if self.was_on {
                self.begin_window();
            }
            (self.next, self.w_ai) = (None, i.cfg_w_ai);
        }
        (self.was_on, self.window) = (is_on, i.cfg_window);
        let watch = i.watch;
        let flow = watch.flow & (self.counted_in.len() as u16 - 1);
        let is_seen = watch.valid && watch.ready && watch.full && self.scrub_left == 0;
        let is_seen = is_seen && (i.cfg_by_time || !watch.peer);
        self.seen = [is_seen.then_some(flow), self.seen[0]];
        self.scrub_left = self.scrub_left.saturating_sub(1);
        CcActiveOut { w_ai: self.w_ai }
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<CcActiveOut> {
        if starts.is_reset() {
            self.number = starts.after_reset("number", u16::BITS, 50)?.max(1) as u16;
        } else if self.window != 0 && !self.was_on && starts.wants("ticks") {
            // The first window begins as if it had lasted for long.
            let units = starts.near_wrap(UNIT_BITS, SOON_UNITS).min(UNITS_MAX);
            starts.put("ticks", units);
            self.cycles = units as u32 * ACTIVE_UNIT_CYCLES;
        } else {
            return None;
        }
        Some(CcActiveOut { w_ai: self.w_ai })
    }
}
