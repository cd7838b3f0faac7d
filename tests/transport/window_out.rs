//! window_out: Verilog against golden model, and its rules one by one.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_hdl::transport::window::output::{closed_cycles, LATENCY_CYCLES};
use nic_models::golden::transport::window::output::{
    UpdateWatch, WindowOut, WindowOutIn, WindowOutOut,
};
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step};

#[test]
fn window_out_matches_golden() {
    assert_matches_golden("window_out", 0..4, 100_000, &[]);
}

#[test]
fn window_out_breaks_are_caught() {
    let breaks = [
        ("cfg_by_time & watch_valid", "watch_valid"),
        ("watch_valid & watch_ready", "watch_valid"),
        ("& watch_full", ""),
        ("& (!(|watch_op)) &", "&"),
        ("        watch_peer;", "        1'b1;"),
        ("counts & !marks_read_data", "counts"),
        ("counts & !marks_read_data", "counts & marks_read_data"),
        ("reset | is_closed", "reset"),
        ("!full & !loading", "!loading"),
        ("!full & !loading", "!full"),
        ("!loading & !counts", "!loading"),
        ("counts | pops | is_closed", "counts | is_closed"),
        ("counts | pops | is_closed", "counts | pops"),
        ("if (loading & !is_closed)", "if (loading)"),
        ("rest_next = most", "rest_next = 7'd63"),
        ("flow_next = queue_m_data", "flow_next = watch_flow"),
        ("sent <= full & m_window_ready", "sent <= full"),
    ];
    assert_catches("window_out", 100_000, &breaks);
}

/// Pins and engine of a directed test.
struct Rig {
    engine: LockStep<WindowOut>,
    pins: WindowOutIn,
    out: WindowOutOut,
    /// Flow, time and bytes of each window that has left.
    windows: Vec<(u16, u32, u32)>,
    events: usize,
}

impl Rig {
    fn new(seed: u64) -> Self {
        let source = bench_and_verilog("window_out").1;
        let engine = lock_step(WindowOut::new(&gbe()), &source, seed);
        let mut pins = WindowOutIn { cfg_by_time: true, ..WindowOutIn::default() };
        pins.m_window.ready = true;
        let mut rig =
            Self { engine, pins, out: WindowOutOut::default(), windows: vec![], events: 0 };
        rig.run(closed_cycles(6) as usize);
        rig
    }

    fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            let m = self.out.m_window;
            if m.valid && self.pins.m_window.ready {
                self.windows.push((m.flow, m.psn, m.bytes));
            }
            self.out = self.engine.step(&self.pins).unwrap_or_else(|e| panic!("{e}"));
            self.events += usize::from(self.out.event_window.sent);
            self.pins.watch.valid = false;
        }
    }

    /// A full update.
    fn update(&mut self, flow: u16, time: u32, window_bytes: u32) {
        self.pins.watch = UpdateWatch {
            valid: true,
            ready: true,
            peer: true,
            flow,
            op: 0,
            full: true,
            window_bytes,
            time,
        };
        self.run(1);
    }
}

/// A full update of the peer's data becomes a window, to the cycle; nothing else does.
#[test]
fn window_out_sends_full_updates_of_data() {
    let mut rig = Rig::new(1);
    rig.update(5, 0xff_ffff, 0x8123_4567);
    rig.run(LATENCY_CYCLES - 2);
    assert!(!rig.out.m_window.valid);
    rig.run(1);
    assert!(rig.out.m_window.valid);
    rig.run(2);
    assert_eq!(rig.windows, [(5, 0xff_ffff, 0x8123_4567)]);
    for change in 0..5 {
        rig.pins.watch = UpdateWatch {
            valid: true,
            ready: change != 0,
            peer: change != 1,
            flow: 5,
            op: if change == 2 { 1 } else { 0 },
            full: change != 3,
            ..UpdateWatch::default()
        };
        rig.pins.cfg_by_time = change != 4;
        rig.run(20);
    }
    assert_eq!((rig.windows.len(), rig.events), (1, 1));
}

/// While the tx pipe takes nothing each queue pair keeps its newest window, in the order in which they began to wait;
/// none is lost, none has two.
#[test]
fn window_out_keeps_the_newest_of_each() {
    let mut rig = Rig::new(2);
    rig.pins.m_window.ready = false;
    // The first one stands at the source and is what it was.
    rig.update(63, 1, 1);
    rig.run(10);
    for round in 0..3 {
        for flow in (0..64).rev() {
            rig.update(flow, 100 * round + u32::from(flow), round);
        }
    }
    rig.pins.m_window.ready = true;
    rig.run(64 * 8);
    let rest = (0..64).rev().map(|flow| (flow, 200 + u32::from(flow), 2));
    assert_eq!(rig.windows, [vec![(63, 1, 1)], rest.collect()].concat());
    assert_eq!(rig.events, 65);
}

/// A row drops what waits, and what comes while it waits and for so many cycles after it; what stands at the source
/// stays.
#[test]
fn window_out_is_closed_by_a_row() {
    let mut rig = Rig::new(3);
    rig.pins.m_window.ready = false;
    rig.update(7, 1, 1);
    rig.run(10);
    rig.update(8, 2, 2);
    rig.run(10);
    rig.pins.row_valid = true;
    rig.run(300);
    rig.update(9, 3, 3);
    rig.pins.row_valid = false;
    rig.run(closed_cycles(6) as usize - 1);
    rig.update(10, 4, 4);
    rig.update(8, 5, 5);
    rig.pins.m_window.ready = true;
    rig.run(40);
    assert_eq!(rig.windows, [(7, 1, 1), (8, 5, 5)]);
}
