//! Twin of `hdl/src/transport/window/output.rs`: the newest window of each queue pair, on its way
//! to the peer.

use crate::events::WindowEvents;
use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{ReadyPort, Window};
use nic_spec::config::NicConfig;

ports! {
    /// Answers of the congestion control as they pass.
    pub struct UpdateWatch {
        pub valid: bool,
        pub ready: bool,
        /// It is about the peer's data.
        pub peer: bool,
        pub flow: u16,
        pub op: u8,
        pub full: bool,
        pub window_bytes: u32,
        pub time: u32,
    }
}
ports! {
    /// Inputs.
    pub struct WindowOutIn {
        pub reset: bool,
        /// The receiver of data computes its window.
        pub cfg_by_time: bool,
        /// A queue pair row waits.
        pub row_valid: bool,
        pub watch: UpdateWatch,
        pub m_window: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct WindowOutOut {
        pub m_window: Window,
        pub event_window: WindowEvents,
    }
}

/// The block.
#[derive(Clone, Debug)]
pub struct WindowOut {
    /// Newest window and its time, of a queue pair that waits for its turn.
    waiting: Vec<Option<(u32, u32)>>,
    queue: LutFifo<u16>,
    closed_cycles: u32,
    /// The window that goes to the source next.
    loading: Option<(u32, u32)>,
    out: WindowOutOut,
}

/// Cycles after a row in which windows are dropped: those that the marks of all flows need to be
/// cleared, twice.
fn closed_cycles(flow_count: usize) -> u32 {
    2 * flow_count as u32 - 1
}

impl WindowOut {
    /// For the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        let flow_count = config.flow_count;
        Self {
            waiting: vec![None; flow_count],
            queue: LutFifo::new(flow_count),
            closed_cycles: closed_cycles(flow_count),
            loading: None,
            out: WindowOutOut::default(),
        }
    }

    /// Drops what waits.
    fn forget(&mut self) {
        self.waiting.fill(None);
        self.queue.step(true, None, false);
    }
}

impl Golden for WindowOut {
    type In = WindowOutIn;
    type Out = WindowOutOut;

    fn step(&mut self, i: &WindowOutIn) -> WindowOutOut {
        if i.reset {
            self.forget();
            (self.closed_cycles, self.loading) = (closed_cycles(self.waiting.len()), None);
            self.out = WindowOutOut::default();
            return self.out;
        }
        let is_closed = self.closed_cycles > 0;
        self.closed_cycles = self.closed_cycles.saturating_sub(1);
        if i.row_valid {
            self.closed_cycles = closed_cycles(self.waiting.len());
        }
        let m = &mut self.out.m_window;
        let was_full = m.valid;
        self.out.event_window.sent = m.valid && i.m_window.ready;
        m.valid &= !i.m_window.ready;
        let was_loading = self.loading.is_some();
        if let Some((psn, bytes)) = self.loading.take().filter(|_| !is_closed) {
            *m = Window { valid: true, psn, bytes, ..*m };
        }
        if is_closed {
            self.forget();
            return self.out;
        }
        let w = &i.watch;
        if i.cfg_by_time && w.valid && w.ready && w.full && w.op == 0 && w.peer {
            let newest = &mut self.waiting[usize::from(w.flow)];
            let joins = newest.is_none().then_some(w.flow);
            *newest = Some((w.time, w.window_bytes));
            self.queue.step(false, joins, false);
            return self.out;
        }
        let next = self.queue.m_data();
        let leaves = self.queue.m_valid() && !was_full && !was_loading;
        if leaves {
            m.flow = next;
            self.loading = self.waiting[usize::from(next)].take();
        }
        self.queue.step(false, None, leaves);
        self.out
    }
}
