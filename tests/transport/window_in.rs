//! window_in: Verilog against golden model, and its rules one by one.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_hdl::transport::window::input::LATENCY_CYCLES;
use nic_models::golden::transport::window::input::{PeerWindow, WindowIn, WindowInIn, WindowInOut};
use nic_models::streams::Rate;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step};

#[test]
fn window_in_matches_golden() {
    assert_matches_golden("window_in", 0..4, 100_000, &[]);
}

#[test]
fn window_in_breaks_are_caught() {
    let breaks = [
        ("takes & !s_rate_peer & !is_told", "takes & !is_told"),
        ("takes & !s_rate_peer & !is_told", "takes & !s_rate_peer"),
        ("is_told = !(|s_rate_op) &", "is_told ="),
        ("(told_read_data[63:32] == s_rate_rate)", "1'b1"),
        ("(told_read_data[31:0] ==\n        s_rate_window_bytes) &", ""),
        ("told_write_enable = full & m_rate_ready", "told_write_enable = takes"),
        ("m_rate_ready & !flow[6]", "m_rate_ready"),
        ("& !s_rate_flow[6]", ""),
        ("takes & !s_rate_peer & (|s_rate_op)", "takes & (|s_rate_op)"),
        ("& !rate_ready & !is_old", "& !is_old"),
        ("!rate_ready & !is_old", "!rate_ready"),
        ("!is_old & free", "!is_old"),
        ("takes & !s_rate_peer & (|s_rate_op)", "takes & !s_rate_peer"),
        ("& (s_rate_flow == own)", ""),
        ("is_old_next = 1'b0", "is_old_next = is_old"),
        ("bytes_next = cfg_w_init", "bytes_next = bytes"),
        ("bytes_next = least", "bytes_next = bytes"),
        ("cfg_w_min >> 10", "cfg_w_min >> 9"),
        ("mul_m_p[45:14]", "mul_m_p[44:13]"),
        ("| (|excess)", ""),
        ("product < cfg_rate_min", "product <= 32'd0"),
        ("bytes > cfg_w_init", "bytes >= 32'hffff_fff0"),
        ("!rate_ready & !full &", "!rate_ready &"),
        ("& (state != WINDOW_STATE_GIVE)", ""),
        ("op_next = 2'd0", "op_next = op"),
        ("if (gives | is_old)", "if (gives)"),
    ];
    assert_catches("window_in", 100_000, &breaks);
}

/// Pins and engine of a directed test; T is 625 cycles, the line 25 bytes a cycle.
struct Rig {
    engine: LockStep<WindowIn>,
    pins: WindowInIn,
    out: WindowInOut,
    /// What the scheduler has heard.
    heard: Vec<Rate>,
}

impl Rig {
    fn new(seed: u64) -> Self {
        let source = bench_and_verilog("window_in").1;
        let engine = lock_step(WindowIn::new(&gbe()), &source, seed);
        let mut pins = WindowInIn {
            cfg_w_init: 15_625,
            cfg_w_min: 16_000,
            cfg_rate_gain: 439_804_651,
            cfg_rate_min: 419_430,
            cfg_rate_max: 25 << 24,
            ..WindowInIn::default()
        };
        pins.m_rate.ready = true;
        let mut rig = Self { engine, pins, out: WindowInOut::default(), heard: vec![] };
        rig.run(2);
        rig
    }

    fn run(&mut self, cycles: usize) {
        for _ in 0..cycles {
            if self.out.m_rate.valid && self.pins.m_rate.ready {
                self.heard.push(self.out.m_rate);
            }
            let taken = self.out.s_rate.ready && self.pins.s_rate.valid;
            self.out = self.engine.step(&self.pins).unwrap_or_else(|e| panic!("{e}"));
            self.pins.s_rate.valid &= !taken;
            self.pins.s_window.valid = false;
        }
    }

    fn window(&mut self, flow: u16, bytes: u32) {
        assert!(self.out.s_window.ready);
        self.pins.s_window = PeerWindow { valid: true, flow, bytes };
    }

    fn rate(&mut self, flow: u16, op: u8) {
        self.pins.s_rate = Rate { valid: true, flow, op, window_bytes: 77, rate: 88 };
    }
}

/// A window becomes an update of its data flow, to the cycle, with the rate W/T in f64, both clamped.
#[test]
fn window_in_gives_the_rate_of_a_window() {
    let mut rig = Rig::new(1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for number in 0..200 {
        let bytes = match number {
            0 => 0,
            1 => u32::MAX,
            2 => 15_625,
            3 => 14,
            _ => rng.gen_range(0..20_000),
        };
        let heard = rig.heard.len();
        rig.window(63, bytes);
        rig.run(LATENCY_CYCLES);
        assert!(rig.out.m_rate.valid && rig.heard.len() == heard, "in time");
        rig.run(2);
        let [.., update] = rig.heard[..] else { panic!("nothing heard") };
        let window = f64::from(bytes).clamp(15.0, 15_625.0);
        let rate = (window / 625.0 * f64::from(1 << 24)).clamp(419_430.0, f64::from(25 << 24));
        assert_eq!((update.flow, update.op, f64::from(update.window_bytes)), (63, 0, window));
        assert!((rate - f64::from(update.rate)).abs() <= 1.0 + rate * 1e-8, "{bytes}: {update:?}");
    }
}

/// What our own congestion control says of the peer's data ends here, commands too; all else passes.
#[test]
fn window_in_passes_all_but_the_peers_data() {
    let mut rig = Rig::new(2);
    for peer in [true, false] {
        let all = [(5, 0), (5, 1), (5, 2), (64 + 5, 0), (64 + 5, 1), (64 + 5, 2)];
        for (flow, op) in all {
            rig.pins.s_rate_peer = peer;
            rig.rate(flow, op);
            rig.run(4);
        }
        let heard: Vec<(u16, u8)> = rig.heard.drain(..).map(|r| (r.flow, r.op)).collect();
        assert_eq!(heard, if peer { &[][..] } else { &all });
    }
}

/// An update that says what its flow was told last ends here; a command does not, nor an update of
/// another flow, or one that differs in a bit of window or rate, or follows a window of the peer.
#[test]
fn window_in_says_nothing_twice() {
    let mut rig = Rig::new(4);
    let mut says = |flow: u16, op: u8, window_bytes: u32, rate: u32| {
        rig.pins.s_rate = Rate { valid: true, flow, op, window_bytes, rate };
        rig.run(5);
        !rig.heard.drain(..).as_slice().is_empty()
    };
    assert!(says(5, 1, 1000, 2000) && says(6, 1, 1000, 2001), "creates");
    assert!(!says(5, 0, 1000, 2000) && !says(5, 0, 1000, 2000) && !says(6, 0, 1000, 2001));
    assert!(says(5, 0, 1001, 2000) && says(5, 0, 1001, 1 << 31), "a bit differs");
    assert!(says(5, 0, 1000, 2000) && !says(5, 0, 1000, 2000), "as before, and again");
    assert!(says(5, 2, 1000, 2000) && says(5, 1, 1000, 2000), "commands");
    assert!(says(69, 1, 1000, 2000) && says(69, 0, 1000, 2000), "READ responses");
    assert!(!says(5, 0, 1000, 2000), "of which the data know nothing");
    rig.window(5, 800);
    rig.run(LATENCY_CYCLES + 2);
    rig.heard.clear();
    rig.pins.s_rate = Rate { valid: true, flow: 5, op: 0, window_bytes: 1000, rate: 2000 };
    rig.run(5);
    assert_eq!(rig.heard.len(), 1, "a window of the peer came between");
}

/// A command for the queue pair drops its window at any time while it is worked on: behind the create comes nothing of
/// before. A command for another one does not; behind a command it is as ever.
#[test]
fn window_in_drops_a_window_of_the_queue_pair_before() {
    for op in [1, 2] {
        for delay in 0..LATENCY_CYCLES + 3 {
            let mut rig = Rig::new(3);
            rig.window(9, 1000);
            rig.run(delay);
            let other = 1 + (delay % 2) as u16 * 64 + 8;
            rig.rate(if other == 9 { 10 } else { other }, op);
            rig.run(3);
            rig.rate(9, op);
            rig.run(80);
            let ours: Vec<u8> = rig.heard.iter().filter(|r| r.flow == 9).map(|r| r.op).collect();
            assert!([&[op][..], &[0, op]].contains(&&ours[..]), "{delay}: {ours:?}");
            // A cycle before its last one it is on its way, in front of the command.
            assert_eq!(ours.len() == 1, delay + 4 < LATENCY_CYCLES, "{delay}: {ours:?}");
            rig.window(9, 2000);
            rig.run(80);
            assert_eq!(rig.heard.last().map(|r| (r.flow, r.window_bytes)), Some((9, 2000)));
        }
    }
}
