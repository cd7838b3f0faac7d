//! cc_active: Verilog against golden model, and golden model against the draft's W_init (1 - eta) / N.

use nic_models::golden::cc::active::{CcActive, CcActiveIn, WatchPorts, LATENCY_CYCLES};
use nic_models::golden::cc::unit::{CcUnit, CcUnitIn, CcUnitOut, OP_CREATE, OP_UPDATE};
use nic_models::golden::cc::CcCfg;
use nic_models::ports::Golden;
use nic_models::reference::hpcc::{ActiveFlows, Flow, Params, Telemetry};
use nic_models::streams::{self, AckTelemetry, FlowCommand, ReadyPort};
use nic_spec::cc_params::{CcConfig, CcParams, W_AI_FRACTION_BITS};
use rdma_nic::{assert_catches, assert_matches_golden, gbe};

#[test]
fn cc_active_matches_golden() {
    assert_matches_golden("cc_active", 0..6, 200_000, &[]);
}

#[test]
fn cc_active_bench_notices_broken_verilog() {
    let breaks = [
        ("writes & (flow_2 == flow_1)", "1'b0"),
        ("seen_3 & (flow_3 == flow_1)", "1'b0"),
        ("tag_2_next = tag_3", "tag_2_next = number"),
        ("is_new = seen_2 & (tag_2 != number)", "is_new = seen_2"),
        ("ticks_more >= cfg_window", "ticks_more == cfg_window"),
        ("ticks_next = ticks_more", "ticks_next = {1'b0, ticks_more[18:0]}"),
        ("fits = trial >= divisor", "fits = trial > divisor"),
        ("counted = count_more", "counted = count"),
        ("ends | (was_on & !is_on)", "ends"),
        ("watch_valid & watch_ready & watch_full", "watch_valid & watch_full"),
        ("(!watch_peer | cfg_by_time)", "1'b1"),
        ("(!watch_peer | cfg_by_time)", "!watch_peer"),
    ];
    assert_catches("cc_active", 200_000, &breaks);
}

const W_AI: u32 = 1_000_003;
/// Of 64 cycles.
const WINDOW: u32 = 10;

/// W_ai after each of `windows`, in each of which the flows named there have full updates.
fn increases(windows: &[&[u16]]) -> Vec<u32> {
    let mut golden = CcActive::new(&gbe());
    let off = CcActiveIn { cfg_w_ai: W_AI, ..CcActiveIn::default() };
    golden.step(&CcActiveIn { reset: true, ..off });
    for _ in 0..100 {
        assert!(golden.step(&off).w_ai <= W_AI);
    }
    let mut w_ai = Vec::new();
    for (n, flows) in windows.iter().enumerate() {
        for cycle in 0..64 * WINDOW {
            let flow = flows.get(cycle as usize / 3 % flows.len().max(1)).copied();
            let watch = WatchPorts {
                valid: flow.is_some() && cycle < 64 * WINDOW - 2,
                ready: true,
                flow: flow.unwrap_or(0),
                peer: false,
                full: true,
            };
            let out = golden.step(&CcActiveIn { cfg_window: WINDOW, watch, ..off });
            // A window ends with cycle 0 of the loop, for it begins a cycle behind cfg_window. A step
            // returns what is seen in the cycle behind it.
            if n > 0 && cycle + 2 == LATENCY_CYCLES {
                let before = w_ai.last().copied().unwrap_or(W_AI);
                assert_eq!(out.w_ai, before);
            }
            if n > 0 && cycle + 1 == LATENCY_CYCLES {
                w_ai.push(out.w_ai);
            }
        }
    }
    w_ai
}

#[test]
fn cc_active_divides_by_the_flows_of_the_window_before() {
    let all: Vec<u16> = (0..64).collect();
    let windows: [&[u16]; 7] = [&[5], &[1, 2, 3], &[], &[3, 3, 63, 3], &all, &[0], &[]];
    let expected = [1, 3, 1, 2, 64, 1].map(|n| W_AI / n);
    assert_eq!(increases(&windows), expected);
}

#[test]
fn cc_active_is_within_its_last_bit_of_the_reference() {
    let mut reference = ActiveFlows::default();
    let flows: Vec<u16> = (0..64).collect();
    let windows: Vec<&[u16]> = (0..64).map(|n| &flows[..n]).collect();
    for (n, w_ai) in increases(&windows).into_iter().enumerate() {
        windows[n].iter().for_each(|flow| reference.full_update(u32::from(*flow)));
        reference.end_window();
        let unit = f64::from(1_u32 << W_AI_FRACTION_BITS);
        let exact = reference.w_ai_bytes(f64::from(W_AI) / unit);
        let error = exact - f64::from(w_ai) / unit;
        assert!((0.0..1.0 / unit).contains(&error), "{n} flows: {error} bytes below");
    }
}

/// The unit with its W_ai beside it, as the NIC and the core have them.
struct Rig {
    active: CcActive,
    unit: CcUnit,
    out: CcUnitOut,
    cfg: CcCfg,
    window: u32,
    w_ai: u32,
    cycle: u32,
    /// Bytes of window of each flow.
    windows: [u32; 64],
}

impl Rig {
    fn new(config: &CcConfig) -> Self {
        let p = CcParams::derive(config).unwrap();
        let (cfg, window) = (p.into(), p.active);
        let mut rig = Self {
            active: CcActive::new(&gbe()),
            unit: CcUnit::new(&gbe()),
            out: CcUnitOut::default(),
            cfg,
            window,
            w_ai: 0,
            cycle: 0,
            windows: [0; 64],
        };
        rig.active.step(&CcActiveIn { reset: true, ..CcActiveIn::default() });
        rig.out = rig.unit.step(&CcUnitIn { reset: true, ..CcUnitIn::default() });
        rig
    }

    fn step(&mut self, s_ack: AckTelemetry, s_flow: FlowCommand) {
        let rate = self.out.m_rate;
        if rate.valid && (rate.op == OP_UPDATE || rate.op == OP_CREATE) {
            self.windows[usize::from(rate.flow)] = rate.window_bytes;
        }
        let watch = WatchPorts {
            valid: rate.valid,
            ready: true,
            flow: rate.flow,
            peer: false,
            full: rate.full,
        };
        let (cfg, m_rate) = (CcCfg { w_ai: self.w_ai, ..self.cfg }, ReadyPort { ready: true });
        self.out = self.unit.step(&CcUnitIn { reset: false, cfg, s_ack, s_flow, m_rate });
        let (cfg_window, cfg_w_ai) = (self.window, self.cfg.w_ai);
        let active = CcActiveIn { reset: false, cfg_window, cfg_w_ai, cfg_by_time: false, watch };
        self.w_ai = self.active.step(&active).w_ai;
        self.cycle += 1;
    }
}

/// The same for both: 100 Gb/s, and W_ai by the flows in a window.
fn parameters() -> (CcConfig, Params) {
    let config = CcConfig {
        t_ns: 5000,
        max_stage: 255,
        w_ai_bytes: 1000.0,
        w_init_bytes: 1_000_000,
        rate_min_bps: 1e6,
        checks: false,
        active_window_ns: Some(10_240.0),
        ..CcConfig::for_line(100e9, 64, 250_000_000)
    };
    let reference = Params {
        t_ns: 5000.0,
        eta: config.eta,
        max_stage: 255,
        w_ai_bytes: 0.0,
        w_init_bytes: 1_000_000.0,
        w_min_bytes: config.w_min_bytes(),
        rate_min_bps: config.rate_min_bps,
        line_rate_bps: 100e9,
        multi: 1.0,
        sojourn_unit_ns: None,
        checks: false,
        queue_max_units: 0x1_ffff,
        utilisation_full: None,
    };
    (config, reference)
}

/// Eleven flows start one after the other on an idle path, an ACK each in T, and each adds what the
/// draft adds with as many flows as there were in the window before.
#[test]
fn cc_active_grows_windows_as_the_reference_does() {
    let (config, reference) = parameters();
    let mut rig = Rig::new(&config);
    let mut active = ActiveFlows::default();
    let mut flows = [Flow { w: 20_000.0, wc: 20_000.0, ..Flow::new(&reference) }; 11];
    for flow in 0..11 {
        let command = FlowCommand {
            valid: true,
            flow,
            op: OP_CREATE,
            telemetry: true,
            window_bytes: 20_000,
            rate: 0,
        };
        while !rig.out.s_flow.ready {
            rig.step(AckTelemetry::default(), FlowCommand::default());
        }
        rig.step(AckTelemetry::default(), command);
    }
    // To the beginning of a window; no full update has come so far.
    while !rig.cycle.is_multiple_of(2560) {
        rig.step(AckTelemetry::default(), FlowCommand::default());
    }
    for window in 0..30_u32 {
        let begin = rig.cycle;
        for flow in 0..window.min(10) + 1 {
            // Behind the division of what the window before has counted.
            while rig.cycle < begin + 100 + 120 * flow {
                rig.step(AckTelemetry::default(), FlowCommand::default());
            }
            let time = u64::from(rig.cycle) * 4;
            let mut tel = streams::Telemetry { valid: true, hops: 1, path: 0, hop: [0; 5] };
            tel.hop[0] = 2 | (time & 0xff_ffff) << 3;
            let (psn, snd_nxt) = (10 * window + 1, 10 * window + 5);
            let ack = AckTelemetry { valid: true, flow: flow as u16, psn, snd_nxt, tel };
            assert!(rig.out.s_ack.ready);
            rig.step(ack, FlowCommand::default());
            let p = Params { w_ai_bytes: active.w_ai_bytes(1000.0), ..reference };
            let tel = Telemetry { hop_count: 1, path: 0, hops: tel.hop };
            assert!(flows[flow as usize].new_ack(&p, psn, snd_nxt, &tel).full);
            active.full_update(flow);
        }
        while rig.cycle < begin + 2560 {
            rig.step(AckTelemetry::default(), FlowCommand::default());
        }
        active.end_window();
        for (n, flow) in flows.iter().enumerate() {
            let error = flow.w - f64::from(rig.windows[n]);
            assert!((-0.1..1.1).contains(&error), "window {window}, flow {n}: {error} bytes");
        }
    }
    // Eleven flows: each has grown by 1000/11 in each of the last windows.
    assert!(flows[10].w < flows[0].w && flows[0].w < 25_000.0, "{flows:?}");
}
