//! The cores that stand alone: their files, and what their pages show.

use super::lint::complaint;
use super::waves::{value, Level, Waves};
use nic_hdl::emit::{Design, Dir, Layout, Port};
use nic_models::golden::cc::cc_core::{CcCore, CcCoreIn, CcCoreOut};
use nic_models::golden::cc::unit::OP_CREATE;
use nic_models::golden::sched::sched_core::{SchedCore, SchedCoreIn, SchedCoreOut};
use nic_models::golden::sched::scheduler::LATENCY_CYCLES;
use nic_models::ports::Golden;
use nic_models::streams::{
    AckTelemetry, AxiLite, AxisEvent, FlowCommand, Rate, Telemetry, TreadyPort, Work,
};
use nic_spec::regs::config_offset;
use nic_spec::NicConfig;
use rdma_nic::gbe;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the pages say of the files that are emitted holds where they are not the current folder.
#[test]
fn emitted_files_are_found_from_any_folder() {
    let design = nic_hdl::emit::by_name("frame_fifo", &gbe()).unwrap_or_else(|e| panic!("{e}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("any_folder");
    let rtl = folder.join("rtl");
    design.write_dir(&rtl, Layout::FilePerModule).expect("the folder can be written");
    for command in [
        "verilator --lint-only --top-module frame_fifo -F rtl/files.f",
        "iverilog -g2005 -s frame_fifo -o frame_fifo rtl/*.v",
        "yosys -q -p 'read_verilog rtl/*.v; hierarchy -check -top frame_fifo'",
    ] {
        let output = Command::new("sh").args(["-c", command]).current_dir(&folder).output();
        let output = output.expect("sh runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {errors}");
    }
}

/// A core, and name and text of the file of its thin top.
fn with_thin_top(preset: &str, core: &str) -> (Design, String, String) {
    let config = NicConfig::preset(preset).expect("it is a preset");
    let design = nic_hdl::emit::by_name(core, &config).unwrap_or_else(|e| panic!("{e}"));
    let (file, text) = design.axi_top().expect("it has registers");
    assert_eq!(file, format!("{core}_axi.v"));
    (design, file, text)
}

/// The Verilog of a core and the text of its thin top, in a folder of the test's own.
fn written(test: &str, design: &Design, file: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let folder = folder.join(&design.preset).join(&design.top);
    let _ = std::fs::remove_dir_all(&folder);
    design.write_dir(&folder, Layout::FilePerModule).expect("the folder can be written");
    std::fs::write(folder.join(file), text).expect("the folder can be written");
    folder
}

const THIN_TOPS: [(&str, &str); 6] = [
    ("gbe", "nic"),
    ("gbe", "cc_core"),
    ("gbe", "sched_core"),
    ("hundred", "cc_core"),
    ("hundred", "sched_core"),
    ("cu", "cc_core"),
];

/// Ports of the core that the text doesn't connect to the port of the same name, or to clock and
/// reset as AXI has them.
fn unconnected(design: &Design, text: &str) -> Vec<String> {
    let is_connected = |port: &&Port| {
        let net = match port.name.as_str() {
            "clock" => "aclk",
            "reset" => "!aresetn",
            name => name,
        };
        let pin = format!(".{}({net})", port.name);
        let pins = text.lines().filter(|line| line.trim().trim_end_matches(',') == pin).count();
        let range = if port.width > 1 { format!("[{}:0] ", port.width - 1) } else { "".into() };
        let dir = if port.dir == Dir::In { "input  wire" } else { "output wire" };
        let head = format!("{dir} {range}{}", net.trim_start_matches('!'));
        let heads = text.lines().filter(|line| line.trim().trim_end_matches(',') == head).count();
        (pins, heads) == (1, 1)
    };
    let ports = design.ports.iter().filter(|port| !is_connected(port));
    ports.map(|port| port.name.clone()).collect()
}

#[test]
fn thin_top_connects_each_port() {
    for (preset, core) in THIN_TOPS {
        let (design, file, text) = with_thin_top(preset, core);
        assert_eq!(unconnected(&design, &text), Vec::<String>::new(), "{preset} {core}");
        let folder = written("thin_top_connects", &design, &file, &text);
        let top = format!("{core}_axi");
        let verilator = ["--lint-only", "-Wall", "--top-module", &top, "FILES", &file];
        let iverilog =
            ["-g2005", "-Wall", "-Wno-timescale", "-t", "null", "-s", &top, "FILES", &file];
        let script =
            format!("read_verilog FILES {file}; hierarchy -check -top {top}; proc; check -assert");
        assert_eq!(complaint("verilator", &verilator, &folder), "", "{preset} {core}");
        assert_eq!(complaint("iverilog", &iverilog, &folder), "", "{preset} {core}");
        assert_eq!(complaint("yosys", &["-q", "-p", &script], &folder), "", "{preset} {core}");
    }
}

#[test]
fn thin_top_without_a_port_is_found() {
    let (design, file, text) = with_thin_top("gbe", "sched_core");
    for port in &design.ports {
        let pin = format!("        .{}(", port.name);
        let (before, after) = text.split_once(&pin).expect("it is connected");
        let (_, rest) = after.split_once('\n').expect("a line ends");
        let broken = format!("{before}{rest}");
        assert_eq!(unconnected(&design, &broken), std::slice::from_ref(&port.name));
    }
    // A tool that lints finds it as well.
    let broken = text.replace("        .s_axis_work_tvalid(s_axis_work_tvalid),\n", "");
    let folder = written("thin_top_without_a_port", &design, &file, &broken);
    let verilator = ["--lint-only", "-Wall", "--top-module", "sched_core_axi", "FILES", &file];
    let found = complaint("verilator", &verilator, &folder);
    assert!(found.contains("PINMISSING") && found.contains("s_axis_work_tvalid"), "{found}");
}

/// Names of the standard, typed from it: AXI4 (IHI 0022H, A2) without regions and user signals.
const AXI4: &str = "AWID AWADDR AWLEN AWSIZE AWBURST AWLOCK AWCACHE AWPROT AWQOS AWVALID AWREADY \
    WDATA WSTRB WLAST WVALID WREADY BID BRESP BVALID BREADY ARID ARADDR ARLEN ARSIZE ARBURST ARLOCK \
    ARCACHE ARPROT ARQOS ARVALID ARREADY RID RDATA RRESP RLAST RVALID RREADY";
/// AXI4-Lite (B1).
const AXI4_LITE: &str =
    "AWADDR AWPROT AWVALID AWREADY WDATA WSTRB WVALID WREADY BRESP BVALID BREADY \
    ARADDR ARPROT ARVALID ARREADY RDATA RRESP RVALID RREADY";

/// Interfaces of a thin top by name: kind and signals, as its attributes say.
fn interfaces(text: &str) -> BTreeMap<&str, (&str, BTreeSet<&str>)> {
    let mut found: BTreeMap<&str, (&str, BTreeSet<&str>)> = BTreeMap::new();
    for line in text.lines() {
        let info = line.trim().strip_prefix("(* X_INTERFACE_INFO = \"xilinx.com:");
        let Some(info) = info.and_then(|rest| rest.strip_suffix("\" *)")) else { continue };
        let [kind, name, signal] = info.split(' ').collect::<Vec<_>>()[..] else {
            panic!("three words: {info}")
        };
        let entry = found.entry(name).or_insert((kind, BTreeSet::new()));
        assert!(entry.0 == kind && entry.1.insert(signal), "twice: {line}");
    }
    found
}

#[test]
fn thin_top_marks_each_interface() {
    for (preset, core) in THIN_TOPS {
        let (design, file, text) = with_thin_top(preset, core);
        let folder = written("thin_top_marks", &design, &file, &text);
        let found = interfaces(&text);
        let words = |text: &'static str| text.split_whitespace().collect::<BTreeSet<_>>();
        assert_eq!(found["aclk"], ("signal:clock:1.0", words("CLK")));
        assert_eq!(found["aresetn"], ("signal:reset:1.0", words("RST")));
        assert_eq!(found["s_axil"], ("interface:aximm:1.0", words(AXI4_LITE)));
        if core == "nic" {
            assert_eq!(found["m_axi"], ("interface:aximm:1.0", words(AXI4)));
            assert_eq!(found["irq"], ("signal:interrupt:1.0", words("INTERRUPT")));
            let rx = words("TDATA TKEEP TVALID TREADY TLAST TUSER");
            assert_eq!(found["s_axis_rx"], ("interface:axis:1.0", rx));
        }
        // All but events are in an interface, and the clock is that of all buses.
        let marked: usize = found.values().map(|(_, signals)| signals.len()).sum();
        let events = design.ports.iter().filter(|p| p.name.starts_with("event_")).count();
        assert_eq!(marked + events, design.ports.len(), "{preset} {core}");
        let buses = found.iter().filter(|(_, (kind, _))| kind.starts_with("interface"));
        let list = text.split_once("ASSOCIATED_BUSIF ").expect("the clock has buses").1;
        let list = list.split_once(',').expect("the reset is behind").0;
        assert_eq!(
            list.split(':').collect::<BTreeSet<_>>(),
            buses.map(|(name, _)| *name).collect()
        );
        // Another reader finds them where they belong.
        let script = format!(
            "read_verilog {file}; select -assert-count {marked} {core}_axi/a:X_INTERFACE_INFO"
        );
        assert_eq!(complaint("yosys", &["-q", "-p", &script], &folder), "");
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
            ..Default::default()
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
    waves.check("hdl/figures/cc-core-registers");
}

/// One hop of 100 Gb/s: time, bytes / 128, queue / 80.
fn hop(ts_ns: u64, tx_units: u64, queue_units: u64) -> u64 {
    2 | ts_ns << 3 | tx_units << 27 | queue_units << 47
}

/// What the page of the CC core shows of its events.
const CC_EVENTS: [&str; 9] = [
    "s_axis_flow_tdata",
    "s_axis_flow_tvalid",
    "s_axis_flow_tready",
    "s_axis_ack_tdata",
    "s_axis_ack_tvalid",
    "s_axis_ack_tready",
    "m_axis_rate_tdata",
    "m_axis_rate_tvalid",
    "m_axis_rate_tready",
];

#[test]
fn cc_core_page_shows_its_events() {
    let (mut core, idle, mut out) = idle_core();
    let mut waves = Waves::new(2, &CC_EVENTS);
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
    waves.check("hdl/figures/cc-core-events");
}

/// What the page of the scheduler core shows of its events.
const SCHED_EVENTS: [&str; 9] = [
    "s_axis_rate_tdata",
    "s_axis_rate_tvalid",
    "s_axis_rate_tready",
    "s_axis_work_tdata",
    "s_axis_work_tvalid",
    "s_axis_work_tready",
    "m_axis_grant_tdata",
    "m_axis_grant_tvalid",
    "m_axis_grant_tready",
];

fn sched_levels(r: &Rate, w: &Work, out: &SchedCoreOut) -> Vec<Level> {
    let grant = out.m_axis_grant;
    vec![
        value(r.valid, || "create 5".into()),
        Level::Bit(r.valid),
        Level::Bit(out.s_axis_rate.tready),
        value(w.valid, || format!("5, {}, {}", w.frame_count, w.inflight_bytes)),
        Level::Bit(w.valid),
        Level::Bit(out.s_axis_work.tready),
        value(grant.tvalid, || grant.tdata.to_string()),
        Level::Bit(grant.tvalid),
        Level::Bit(true),
    ]
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
    let mut waves = Waves::new(2, &SCHED_EVENTS);
    let (valid, flow) = (true, 5);
    let mut rate = None;
    let told = |frame_count, inflight_bytes| {
        Some(Work { valid, flow, len_bytes: 1000, frame_count, inflight_bytes })
    };
    let mut work = None;
    // Cycles in which work or bytes in flight were taken, and a grant came.
    let (mut worked, mut grants) = (vec![], vec![]);
    for cycle in 0..500 {
        // When the first packet comes, the credit covers it already.
        match cycle {
            1 => {
                let (window_bytes, rate_value) = (2000, 8 << 24);
                rate = Some(Rate { valid, flow, op: OP_CREATE, window_bytes, rate: rate_value });
            }
            160 => work = told(1, 0),
            _ => {}
        }
        // After the grant the window is full; an ACK opens it.
        match grants.first().map(|first| cycle - first) {
            Some(4) => work = told(1, 2000),
            Some(200) => work = told(0, 1000),
            _ => {}
        }
        let (r, w) = (rate.unwrap_or_default(), work.unwrap_or_default());
        let grant = out.m_axis_grant;
        let moves = r.valid || w.valid || grant.tvalid || cycle == 0;
        waves.cycle_that(moves, sched_levels(&r, &w, &out));
        if grant.tvalid {
            grants.push(cycle);
        }
        let taken = (out.s_axis_rate.tready, out.s_axis_work.tready);
        out = core.step(&SchedCoreIn {
            s_axis_rate: AxisEvent::of_rate(&r),
            s_axis_work: AxisEvent::of_work(&w),
            m_axis_grant: TreadyPort { tready: true },
            ..idle
        });
        if w.valid && taken.1 {
            worked.push(cycle);
        }
        rate = rate.filter(|_| !taken.0);
        work = work.filter(|_| !taken.1);
    }
    let [first, second] = grants[..] else { panic!("one grant for each packet: {grants:?}") };
    assert_eq!(first - worked[0], LATENCY_CYCLES, "the credit covers the first packet");
    assert_eq!(second - worked[2], LATENCY_CYCLES, "the second one waits for the window");
    waves.check("hdl/figures/sched-core-events");
}
