//! The cores that stand alone: Verilog against golden model, and what their pages show.

use nic_harness::bench::Options;
use nic_hdl::emit::Layout;
use nic_models::golden::cc::cc_core::{CcCore, CcCoreIn, CcCoreOut};
use nic_models::golden::cc::unit::OP_CREATE;
use nic_models::golden::sched::sched_core::{SchedCore, SchedCoreIn, SchedCoreOut};
use nic_models::ports::Golden;
use nic_models::streams::{
    AckTelemetry, AxiLite, AxisEvent, FlowCommand, InFlight, Rate, Telemetry, TreadyPort, Work,
};
use nic_sim::bench;
use nic_spec::regs::config_offset;
use nic_spec::NicConfig;
use rdma_nic::{assert_catches, assert_matches_golden, cu, gbe, hundred};
use std::path::Path;
use std::process::Command;

fn matches_with_4_and_1024_flows(core: &str) {
    for flow_count in [4, 1024] {
        let config = NicConfig { flow_count, ..gbe() };
        let bench = bench::by_name(core, &config).expect("the bench exists");
        let source = bench::verilog(&bench).unwrap_or_else(|e| panic!("{flow_count} flows: {e}"));
        let run = bench.run(&source, &Options::new(0, 60_000));
        run.unwrap_or_else(|failure| panic!("{flow_count} flows: {failure}"));
    }
}

#[test]
fn cc_core_matches_golden() {
    assert_matches_golden("cc_core", 0..4, 60_000, &[]);
}

#[test]
fn cc_core_matches_golden_with_4_and_1024_flows() {
    matches_with_4_and_1024_flows("cc_core");
}

#[test]
fn cc_core_of_other_schedules_matches_golden() {
    let of_hundred = [1024, 64, 4].map(|flow_count| NicConfig { flow_count, ..hundred() });
    let of_cu = [8, 4].map(|flow_count| NicConfig { flow_count, ..cu() });
    for config in of_hundred.into_iter().chain(of_cu) {
        let flow_count = config.flow_count;
        let bench = bench::by_name("cc_core", &config).expect("the bench exists");
        let source = bench::verilog(&bench).unwrap_or_else(|e| panic!("{flow_count} flows: {e}"));
        let run = bench.run(&source, &Options::new(3, 60_000));
        let report = run.unwrap_or_else(|failure| panic!("{flow_count} flows: {failure}"));
        let mut still = report.still_outputs;
        // Which checks there are depends on the seed.
        still.retain(|name| !name.starts_with("event_cc_"));
        assert!(still.is_empty(), "{flow_count} flows: outputs that never moved: {still:?}");
    }
}

#[test]
fn cc_core_breaks_are_caught() {
    // A write goes to the next register; an access that is not in the map succeeds.
    assert_catches("cc_core", "8'd17:", "8'd18:", 60_000);
    assert_catches("cc_core", "error_next = 1'b1", "error_next = 1'b0", 60_000);
    // W_ai goes past the count of active flows.
    assert_catches("cc_core", ".cfg_w_ai(active_w_ai)", ".cfg_w_ai(registers_cfg_cc_w_ai)", 60_000);
}

#[test]
fn sched_core_matches_golden() {
    assert_matches_golden("sched_core", 0..4, 60_000, &[]);
}

#[test]
fn sched_core_matches_golden_with_4_and_1024_flows() {
    matches_with_4_and_1024_flows("sched_core");
}

#[test]
fn sched_core_of_hundred_matches_golden() {
    for flow_count in [1024, 64] {
        let config = NicConfig { flow_count, ..hundred() };
        let bench = bench::by_name("sched_core", &config).expect("the bench exists");
        let source = bench::verilog(&bench).unwrap_or_else(|e| panic!("{flow_count} flows: {e}"));
        for seed in [0, 3] {
            let run = bench.run(&source, &Options::new(seed, 60_000));
            let report = run.unwrap_or_else(|failure| panic!("{flow_count} flows: {failure}"));
            let still = report.still_outputs;
            assert!(still.is_empty(), "{flow_count} flows: outputs that never moved: {still:?}");
        }
    }
}

#[test]
fn sched_core_breaks_are_caught() {
    // A second command overwrites one that waits; a command of the registers loses its window.
    assert_catches("sched_core", "commanded && is_command && port_m_write", "1'b0", 60_000);
    assert_catches("sched_core", "= registers_cfg_flow_window;", "= 32'd0;", 60_000);
}

/// Runs the Verilog bench of a core; what it prints.
fn verilog_bench(core: &str) -> String {
    let design = nic_hdl::emit::by_name(core, &gbe()).unwrap_or_else(|e| panic!("{e}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(core);
    design.write_dir(&folder, Layout::FilePerModule).expect("the folder can be written");
    let bench = format!("{}/tests/cores/{core}_tb.v", env!("CARGO_MANIFEST_DIR"));
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder).output();
        let output = output.unwrap_or_else(|e| panic!("{program}: {e}"));
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let flags = ["-g2005", "-Wall", "-Wno-timescale", "-o", "bench", "-c", "files.f", &bench];
    run("iverilog", &flags);
    let printed = run("vvp", &["bench"]);
    assert!(printed.lines().any(|line| line == "PASS") && !printed.contains("FAIL"), "{printed}");
    printed
}

#[test]
fn cc_core_passes_the_verilog_bench_that_users_start_from() {
    let printed = verilog_bench("cc_core");
    let windows = printed.lines().filter(|line| line.starts_with("flow 5: window")).count();
    assert_eq!(windows, 3, "{printed}");
}

#[test]
fn sched_core_passes_the_verilog_bench_that_users_start_from() {
    let printed = verilog_bench("sched_core");
    let counts = printed.lines().filter(|line| line.contains("packets in 1 ms")).count();
    assert_eq!(counts, 2, "{printed}");
}

/// Cycles of some signals as WaveJSON (WaveDrom); cycles that are left out leave a gap.
struct Waves {
    names: Vec<&'static str>,
    cycles: Vec<Vec<Level>>,
    /// Width of a cycle in the figure.
    scale: usize,
    /// Cycles in which nothing has moved.
    quiet: usize,
}

/// What a signal shows in a cycle.
#[derive(Clone, PartialEq)]
enum Level {
    Bit(bool),
    /// A value with its label.
    Value(String),
    /// A value that nobody looks at.
    Any,
    Gap,
}

impl Waves {
    fn new(scale: usize, names: &[&'static str]) -> Self {
        Self { names: names.to_vec(), cycles: vec![], scale, quiet: 0 }
    }

    fn cycle(&mut self, levels: Vec<Level>) {
        assert_eq!(levels.len(), self.names.len());
        self.cycles.push(levels);
    }

    /// A cycle in which something moves or nothing; of quiet ones all but the first are a gap.
    fn cycle_that(&mut self, moves: bool, levels: Vec<Level>) {
        self.quiet = if moves { 0 } else { self.quiet + 1 };
        match self.quiet {
            0 | 1 => self.cycle(levels),
            2 => self.cycles.push(vec![Level::Gap; self.names.len()]),
            _ => {}
        }
    }

    fn json(&self) -> String {
        let clock: String = self
            .cycles
            .iter()
            .enumerate()
            .map(|(i, levels)| match levels[0] {
                Level::Gap => '|',
                _ if i == 0 => 'p',
                _ => '.',
            })
            .collect();
        let mut lines = vec![format!("  {{\"name\": \"clock\", \"wave\": \"{clock}\"}}")];
        for (signal, name) in self.names.iter().enumerate() {
            let (mut wave, mut data, mut last) = (String::new(), vec![], None);
            for level in self.cycles.iter().map(|levels| &levels[signal]) {
                if *level == Level::Gap {
                    wave.push('|');
                    continue;
                }
                let symbol = match level {
                    Level::Bit(bit) => ['0', '1'][usize::from(*bit)],
                    Level::Value(_) => '=',
                    Level::Any | Level::Gap => 'x',
                };
                if last == Some(level) {
                    wave.push('.');
                    continue;
                }
                wave.push(symbol);
                if let Level::Value(text) = level {
                    data.push(format!("\"{text}\""));
                }
                last = Some(level);
            }
            let data = match data.len() {
                0 => String::new(),
                _ => format!(", \"data\": [{}]", data.join(", ")),
            };
            lines.push(format!("  {{\"name\": \"{name}\", \"wave\": \"{wave}\"{data}}}"));
        }
        let config = format!("\"config\": {{\"hscale\": {}}}", self.scale);
        format!("{{\"signal\": [\n{}\n], {config}}}\n", lines.join(",\n"))
    }

    /// Holds the committed figure against this one; `UPDATE_PAGES=1` writes its source.
    fn check(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl/figures");
        let (source, figure) =
            (folder.join(format!("{name}.json")), folder.join(format!("{name}.svg")));
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(&source, self.json()).expect("the folder can be written");
        }
        let advice = "stale: UPDATE_PAGES=1 cargo test --test tool cores::, then scripts/figures";
        let committed = std::fs::read_to_string(&source).unwrap_or_default();
        assert_eq!(committed, self.json(), "hdl/figures/{name}.json {advice}");
        let svg = std::fs::read_to_string(&figure).unwrap_or_default();
        assert!(svg.contains(committed.trim_end()), "hdl/figures/{name}.svg {advice}");
    }
}

/// `text` while `valid`.
fn value(valid: bool, text: impl FnOnce() -> String) -> Level {
    if valid {
        Level::Value(text())
    } else {
        Level::Any
    }
}

/// The CC core after reset and clearing, idle.
fn idle_core() -> (CcCore, CcCoreIn, CcCoreOut) {
    let mut core = CcCore::new(&gbe());
    let idle = CcCoreIn { m_axis_rate: TreadyPort { tready: true }, ..Default::default() };
    core.step(&CcCoreIn { reset: true, ..idle });
    let mut out = CcCoreOut::default();
    for _ in 0..200 {
        out = core.step(&idle);
    }
    assert!(out.s_axis_ack.tready || out.s_axis_flow.tready, "the core is ready");
    (core, idle, out)
}

#[test]
fn cc_core_page_shows_its_registers() {
    let (mut core, idle, mut out) = idle_core();
    let mut waves = Waves::new(
        1,
        &[
            "awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bresp",
            "bready", "araddr", "arvalid", "arready", "rvalid", "rdata", "rready",
        ],
    );
    let max_stage = config_offset::cc_max_stage;
    let (mut writing, mut reading) = (true, false);
    let mut value_read = None;
    for cycle in 0..18 {
        let bus = AxiLite {
            awaddr: max_stage,
            awvalid: writing && cycle > 0,
            wdata: 3,
            wstrb: 15,
            wvalid: writing && cycle > 0,
            bready: true,
            araddr: max_stage,
            arvalid: reading,
            rready: true,
        };
        let slave = out.s_axil;
        let address = || format!("0x{max_stage:02x}");
        waves.cycle(vec![
            value(bus.awvalid, address),
            Level::Bit(bus.awvalid),
            Level::Bit(slave.awready),
            value(bus.wvalid, || bus.wdata.to_string()),
            Level::Bit(bus.wvalid),
            Level::Bit(slave.wready),
            Level::Bit(slave.bvalid),
            value(slave.bvalid, || "OKAY".into()),
            Level::Bit(bus.bready),
            value(bus.arvalid, address),
            Level::Bit(bus.arvalid),
            Level::Bit(slave.arready),
            Level::Bit(slave.rvalid),
            value(slave.rvalid, || slave.rdata.to_string()),
            Level::Bit(bus.rready),
        ]);
        out = core.step(&CcCoreIn { s_axil: bus, ..idle });
        writing &= !slave.awready;
        reading = (reading || slave.bvalid) && !slave.arready && value_read.is_none();
        if slave.rvalid {
            value_read = Some((slave.rdata, slave.rresp));
        }
    }
    assert_eq!(value_read, Some((3, 0)), "what was written is read");
    waves.check("cc-core-registers");
}

/// One hop of 100 Gb/s: time, bytes / 128, queue / 80.
fn hop(ts_ns: u64, tx_units: u64, queue_units: u64) -> u64 {
    2 | ts_ns << 3 | tx_units << 27 | queue_units << 47
}

#[test]
fn cc_core_page_shows_its_events() {
    let (mut core, idle, mut out) = idle_core();
    let mut waves = Waves::new(
        2,
        &[
            "s_axis_flow_tdata",
            "s_axis_flow_tvalid",
            "s_axis_flow_tready",
            "s_axis_ack_tdata",
            "s_axis_ack_tvalid",
            "s_axis_ack_tready",
            "m_axis_rate_tdata",
            "m_axis_rate_tvalid",
            "m_axis_rate_tready",
        ],
    );
    let create = FlowCommand {
        valid: true,
        flow: 5,
        op: OP_CREATE,
        telemetry: true,
        window_bytes: 5000,
        rate: 8 << 24,
    };
    let ack = |psn: u32, record: u64| {
        let tel = Telemetry { valid: true, hops: 1, path: 7, hop: [record, 0, 0, 0, 0] };
        AckTelemetry { valid: true, flow: 5, psn, snd_nxt: psn + 4, tel }
    };
    // The second record: 5000 ns later, the link was full and 8000 bytes waited at both times.
    let mut acks = vec![ack(15, hop(6000, 600, 100)), ack(10, hop(1000, 100, 100))];
    let mut flow = None;
    let mut results = vec![];
    for cycle in 0..400 {
        if cycle == 1 {
            flow = Some(create);
        }
        let flow_in = flow.unwrap_or_default();
        // The ACKs begin behind the creation of their flow.
        let ack_in = acks.last().copied().filter(|_| !results.is_empty()).unwrap_or_default();
        let rate = out.m_axis_rate.decision();
        let moves = flow_in.valid || ack_in.valid && out.s_axis_ack.tready || rate.valid;
        waves.cycle_that(
            moves || cycle == 0,
            vec![
                value(flow_in.valid, || "create 5".into()),
                Level::Bit(flow_in.valid),
                Level::Bit(out.s_axis_flow.tready),
                value(ack_in.valid, || format!("5, {}", ack_in.psn)),
                Level::Bit(ack_in.valid),
                Level::Bit(out.s_axis_ack.tready),
                value(rate.valid, || format!("5: {}", rate.window_bytes)),
                Level::Bit(rate.valid),
                Level::Bit(true),
            ],
        );
        let taken = (out.s_axis_flow.tready, out.s_axis_ack.tready);
        let inputs = CcCoreIn {
            s_axis_flow: AxisEvent::of_flow(&flow_in),
            s_axis_ack: AxisEvent::of_ack(&ack_in),
            ..idle
        };
        out = core.step(&inputs);
        if flow_in.valid && taken.0 {
            flow = None;
        }
        if ack_in.valid && taken.1 {
            acks.pop();
        }
        if rate.valid {
            results.push(rate);
        }
    }
    let [created, stored, updated] = results[..] else { panic!("three results: {results:?}") };
    assert_eq!((created.op, created.window_bytes), (OP_CREATE, 5000));
    assert!(stored.first && stored.window_bytes == 5000, "the first record is only stored");
    assert!(updated.full && updated.window_bytes < 5000, "the queue makes the window smaller");
    waves.check("cc-core-events");
}

#[test]
fn sched_core_page_shows_its_events() {
    let mut core = SchedCore::new(&gbe());
    let idle = SchedCoreIn::default();
    core.step(&SchedCoreIn { reset: true, ..idle });
    let mut out = SchedCoreOut::default();
    for _ in 0..200 {
        out = core.step(&idle);
    }
    let mut waves = Waves::new(
        2,
        &[
            "s_axis_rate_tdata",
            "s_axis_rate_tvalid",
            "s_axis_rate_tready",
            "s_axis_work_tdata",
            "s_axis_work_tvalid",
            "s_axis_work_tready",
            "s_axis_inflight_tdata",
            "s_axis_inflight_tvalid",
            "s_axis_inflight_tready",
            "m_axis_grant_tdata",
            "m_axis_grant_tvalid",
            "m_axis_grant_tready",
        ],
    );
    let (valid, flow) = (true, 5);
    let mut rate = None;
    let packet = |inflight_bytes| Work { valid, flow, len_bytes: 1000, inflight_bytes };
    // The last one first.
    let mut works = vec![packet(2000), packet(0)];
    let (mut work, mut inflight): (Option<Work>, Option<InFlight>) = (None, None);
    let (mut grants, mut waited) = (vec![], 0);
    for cycle in 0..200 {
        match cycle {
            1 => {
                let (window_bytes, rate_value) = (2000, 8 << 24);
                rate = Some(Rate { valid, flow, op: OP_CREATE, window_bytes, rate: rate_value });
            }
            4 => work = works.pop(),
            _ => {}
        }
        // After the grant the window is full; an ACK opens it.
        if grants.len() == 1 {
            waited += 1;
            match waited {
                2 => work = works.pop(),
                40 => inflight = Some(InFlight { valid, flow, inflight_bytes: 1000 }),
                _ => {}
            }
        }
        let (r, w, f) =
            (rate.unwrap_or_default(), work.unwrap_or_default(), inflight.unwrap_or_default());
        let grant = out.m_axis_grant;
        let moves = r.valid || w.valid || f.valid || grant.tvalid || cycle == 0;
        waves.cycle_that(
            moves,
            vec![
                value(r.valid, || "create 5".into()),
                Level::Bit(r.valid),
                Level::Bit(out.s_axis_rate.tready),
                value(w.valid, || format!("5, {}", w.inflight_bytes)),
                Level::Bit(w.valid),
                Level::Bit(out.s_axis_work.tready),
                value(f.valid, || format!("5, {}", f.inflight_bytes)),
                Level::Bit(f.valid),
                Level::Bit(out.s_axis_inflight.tready),
                value(grant.tvalid, || grant.tdata.to_string()),
                Level::Bit(grant.tvalid),
                Level::Bit(true),
            ],
        );
        if grant.tvalid {
            grants.push(cycle);
        }
        let taken = (out.s_axis_rate.tready, out.s_axis_work.tready, out.s_axis_inflight.tready);
        out = core.step(&SchedCoreIn {
            s_axis_rate: r.into(),
            s_axis_work: w.into(),
            s_axis_inflight: f.into(),
            m_axis_grant: TreadyPort { tready: true },
            ..idle
        });
        rate = rate.filter(|_| !taken.0);
        work = work.filter(|_| !taken.1);
        inflight = inflight.filter(|_| !taken.2);
    }
    assert_eq!(grants.len(), 2, "one grant for each packet");
    assert!(grants[1] > grants[0] + 40, "the second one waits for the window");
    waves.check("sched-core-events");
}
