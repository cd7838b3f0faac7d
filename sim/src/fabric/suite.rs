//! All scenarios of the HPCC paper that this tool can run, and the report about them.

use super::cc::{Algorithm, Feedback, Pace};
use super::convergence::{self, fair_ps, STEP_PS};
use super::engine::{Plan, Watch};
use super::output::thinned;
use super::plots::{slowdown_chart, Chart, Mark};
use super::results::{slowdown_percentile, slowdown_rows, Results, SlowdownRow, SHORT_BYTES};
use super::scenario::{Engine, FlowSpec, Incast, Kind, Poisson, Scenario, TopologySpec};
use super::wire::{Acks, Headers, Pacing, Profile, Telemetry};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Sizes of flows, as the HPCC authors publish them: name of the file, content.
pub const SIZES: [(&str, &str); 2] = [
    ("fb_hadoop.cdf", include_str!("../../../tests/data/fabric/fb_hadoop.cdf")),
    ("web_search.cdf", include_str!("../../../tests/data/fabric/web_search.cdf")),
];
/// Slowdowns that they publish for 50 % load, read off their figures.
const PUBLISHED: &str = include_str!("../../../tests/data/fabric/published_50pct.csv");
/// Long flows have more bytes.
const LONG_BYTES: u64 = 1_000_000;

/// The queue of an incast is shown for so long.
const SHOWN_PS: u64 = 500_000_000;

/// One run.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its folder.
    pub name: String,
    /// What is run.
    pub scenario: Scenario,
    /// So many of its ACKs tell rates and windows over time.
    pub acks: usize,
}

impl Point {
    /// What is kept of its run.
    pub fn watch(&self, plan: &Plan) -> Watch {
        Watch { link: plan.meeting_port(), acks: self.acks }
    }
}

/// What the report needs of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Of the point.
    pub name: String,
    is_hpcc: bool,
    /// Last flow ends, ms.
    end_ms: f64,
    /// First flow ends, ms; where all start together.
    first_end_ms: f64,
    peak_kb: f64,
    drained_us: Option<f64>,
    settled_kb: Option<f64>,
    packets: u64,
    cpu_s: f64,
    pauses: u64,
    pause_us: f64,
    drops: u64,
    retransmitted: u64,
    payload_bytes: u64,
    short_p95: f64,
    long_p95: f64,
    rows: Vec<SlowdownRow>,
    queue: Vec<(u64, u64)>,
    paces: Vec<Vec<(u64, Pace)>>,
}

impl Outcome {
    /// Of a run of the point called `name`.
    pub fn new(name: &str, plan: &Plan, results: &Results) -> Self {
        let completions = results.completions(plan);
        let c = &results.counters;
        let kb = |bytes: u64| bytes as f64 / 1e3;
        Self {
            name: name.into(),
            is_hpcc: plan.scenario.cc.algorithm == Algorithm::Hpcc,
            end_ms: c.last_end_ps as f64 / 1e9,
            first_end_ms: results.took_ps.iter().min().map_or(0.0, |ps| *ps as f64 / 1e9),
            peak_kb: kb(results.peak_bytes()),
            drained_us: results.drained_ps().map(|ps| ps as f64 / 1e6),
            settled_kb: results.peak_after_transient_bytes().map(kb),
            packets: c.packets,
            cpu_s: results.cpu_s,
            pauses: c.pauses,
            pause_us: c.pause_ps as f64 / 1e6,
            drops: c.drops,
            retransmitted: c.retransmitted,
            payload_bytes: completions.iter().map(|completion| completion.bytes).sum(),
            short_p95: slowdown_percentile(&completions, ..=SHORT_BYTES, 95),
            long_p95: slowdown_percentile(&completions, LONG_BYTES + 1.., 95),
            rows: slowdown_rows(&completions),
            queue: {
                let watched = &results.meters.watched;
                let shown = watched.partition_point(|(at_ps, _)| *at_ps < SHOWN_PS);
                thinned(&watched[..shown])
            },
            paces: convergence::paces(&results.acks),
        }
    }

    fn goodput_gbps(&self) -> f64 {
        self.payload_bytes as f64 * 8.0 / self.end_ms / 1e6
    }
}

fn incast(name: &str, change: impl FnOnce(&mut Scenario)) -> Point {
    let mut scenario = Scenario::new(TopologySpec::new(Kind::Star, 17));
    scenario.incast = Some(Incast { senders: 16, bytes: 5_000_000, load: None, start_ns: 0 });
    change(&mut scenario);
    Point { name: name.into(), scenario, acks: 0 }
}

/// A change of a scenario.
type Change = fn(&mut Scenario);

/// From the profile of ns-3 to that of this NIC, one thing at a time.
const DIFFERENCES: [(&str, &str, Change); 9] = [
    ("wire_ns3", "profile `ns3`", |_| {}),
    ("wire_headers", "headers of RoCEv2", |s| s.wire.headers = Some(Headers::Nic)),
    ("wire_payload", "payload of 1024 bytes", |s| s.wire.payload_bytes = Some(1024)),
    ("wire_acks", "ACKs coalesce", |s| s.wire.acks = Some(Acks::Coalesced)),
    ("wire_pacing", "deadlines and credit", |s| s.wire.pacing = Some(Pacing::Nic)),
    ("wire_int_md", "INT-MD", |s| s.wire.telemetry = Some(Telemetry::IntMd)),
    ("wire_ioam", "IOAM", |s| s.wire.telemetry = Some(Telemetry::Ioam)),
    ("wire_ifa", "IFA", |s| s.wire.telemetry = Some(Telemetry::Ifa)),
    ("wire_nic", "profile `nic`: the first four together", |s| s.wire.profile = Profile::Nic),
];

/// Algorithms beside HPCC: name of the point, what it is.
const BASELINES: [(&str, &str, Algorithm, bool); 5] = [
    ("dctcp", "DCTCP", Algorithm::Dctcp, true),
    ("timely_window", "TIMELY with window", Algorithm::Timely, true),
    ("dcqcn_window", "DCQCN with window", Algorithm::Dcqcn, true),
    ("timely", "TIMELY", Algorithm::Timely, false),
    ("dcqcn", "DCQCN", Algorithm::Dcqcn, false),
];

/// Bursts of 60 to 1 beside other flows: one of them, and many at random.
const BURSTS: [(&str, &str, Algorithm); 4] = [
    ("burst_hpcc", "one burst, HPCC", Algorithm::Hpcc),
    ("burst_dcqcn", "one burst, DCQCN, no window", Algorithm::Dcqcn),
    ("bursts_hpcc", "bursts at random, HPCC", Algorithm::Hpcc),
    ("bursts_dcqcn", "bursts at random, DCQCN, no window", Algorithm::Dcqcn),
];
/// When the one burst is.
const BURST_NS: u64 = 1_500_000;

/// W_ai of the runs in which flows join: that of all other runs, and a larger one.
const CONVERGENCE_W_AI_MBPS: [u32; 2] = [50, 300];
const W_AI_MBPS: [u32; 5] = [5, 25, 50, 150, 300];

/// The runs; `folder` has the files of [`SIZES`].
pub fn points(is_full: bool, folder: &Path) -> Vec<Point> {
    let mut all = vec![
        hpcc_incast(),
        incast("incast_model", |s| s.cc.engine = Engine::Model),
        incast("incast_plain", |s| s.plain = true),
        dcqcn_incast(),
        incast("feedback_receiver", |s| s.cc.feedback = Feedback::Receiver),
        incast("feedback_worst_hop", |s| s.cc.feedback = Feedback::WorstHop),
    ];
    all.extend(CONVERGENCE_W_AI_MBPS.map(convergence_point));
    for mbps in W_AI_MBPS {
        all.push(incast(&format!("w_ai_{mbps}"), |s| s.cc.w_ai_mbps = mbps.into()));
    }
    all.extend(DIFFERENCES.map(|(name, _, change)| incast(name, change)));
    // Long runs first, so that none is left for the end.
    let mut trees = trees(is_full, folder);
    trees.extend(all);
    trees
}

fn trees(is_full: bool, folder: &Path) -> Vec<Point> {
    let tree = |name: &str, cdf: &str, load: f64, (ms, margin_ms): (f64, f64)| {
        let mut scenario = Scenario::new(TopologySpec::new(Kind::FatTree, 320));
        scenario.poisson = Some(Poisson { cdf: folder.join(cdf), load, ms, margin_ms });
        Point { name: name.into(), scenario, acks: 0 }
    };
    let [fb, web] = SIZES.map(|(file, _)| file);
    // Time that counts, and time before and after it.
    let [curves, baselines] = match is_full {
        true => [(50.0, 10.0), (20.0, 10.0)],
        false => [(4.0, 3.0), (2.0, 1.0)],
    };
    let mut all = vec![];
    if is_full {
        all.push(tree("web_50", web, 0.5, (100.0, 20.0)));
    }
    all.push(tree("fb_50", fb, 0.5, curves));
    let mut eta = tree("fb_50_eta_99", fb, 0.5, baselines);
    eta.scenario.cc.eta = 0.99;
    all.push(eta);
    all.push(tree("fb_50_hpcc", fb, 0.5, baselines));
    for (name, _, algorithm, window) in BASELINES {
        let mut point = tree(&format!("fb_50_{name}"), fb, 0.5, baselines);
        (point.scenario.cc.algorithm, point.scenario.cc.window) = (algorithm, window);
        all.push(point);
    }
    for (name, _, algorithm) in BURSTS {
        let mut point = tree(name, fb, 0.3, baselines);
        let scenario = &mut point.scenario;
        (scenario.cc.algorithm, scenario.cc.window) = (algorithm, false);
        if name.starts_with("bursts") {
            scenario.incast = Some(Incast::of_the_paper(Some(0.02)));
        } else {
            // To the last host, from one of every five.
            let flow = |src| FlowSpec { src, dst: 319, bytes: 500_000, start_ns: BURST_NS };
            scenario.flow = (0..60).map(|sender| flow(5 * sender)).collect();
        }
        all.push(point);
    }
    all
}

/// Slowdowns that the authors publish for a workload, `fb` or `wb`.
fn published(workload: &str) -> Vec<SlowdownRow> {
    let mut rows: Vec<SlowdownRow> = vec![];
    for line in PUBLISHED.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [of, _, percentile, percent, slowdown] = cells[..] else { continue };
        if of != workload {
            continue;
        }
        let percent: u32 = percent.parse().expect("a number");
        let slowdown: f64 = slowdown.parse().expect("a number");
        let known = rows.iter().position(|row| row.percent == percent);
        let at = known.unwrap_or_else(|| {
            let none = f64::NAN;
            rows.push(SlowdownRow { percent, bytes: 0, p50: none, p95: none, p99: none });
            rows.len() - 1
        });
        match percentile {
            "50" => rows[at].p50 = slowdown,
            "95" => rows[at].p95 = slowdown,
            _ => rows[at].p99 = slowdown,
        }
    }
    rows.sort_by_key(|row| row.percent);
    rows
}

/// Queue at the receiver of the incast over time.
fn incast_chart(hpcc: &Outcome, dcqcn: &Outcome) -> Chart {
    let title = "16 to 1, 5 MB each, 100 Gb/s: queue at the receiver's port";
    let mut chart = Chart::new(title, "time, us", "queue, KB");
    for (outcome, what) in [(hpcc, "HPCC, the hardware's integers"), (dcqcn, "DCQCN, no window")] {
        let points = outcome.queue.iter();
        let points = points.map(|(at_ps, bytes)| (*at_ps as f64 / 1e6, *bytes as f64 / 1e3));
        chart.add(what, Mark::Steps, points.collect());
    }
    chart
}

/// The figures of docs/fabric.md, by name: from the runs that they show, and of the FatTree, which takes
/// minutes, from the `slowdown.csv` that its run has left.
///
/// # Errors
/// A sentence about a run that does not end.
pub fn figures(slowdown_csv: &str) -> Result<Vec<(String, String)>, String> {
    let run = |point: Point| {
        let plan = Plan::new(&point.scenario)?;
        let results = plan.run(&point.watch(&plan), &AtomicU64::new(0))?;
        Ok::<_, String>(Outcome::new(&point.name, &plan, &results))
    };
    let [hpcc, dcqcn, joins] = [hpcc_incast(), dcqcn_incast(), convergence_point(300)].map(run);
    let slowdowns: Vec<SlowdownRow> = slowdown_csv.lines().skip(1).map(slowdown_row).collect();
    let title = "FatTree, FB_Hadoop, 50 % load, 20 ms";
    let charts = [
        ("fabric-incast.svg", incast_chart(&hpcc?, &dcqcn?)),
        ("fabric-convergence.svg", convergence::chart(&joins?.paces, true)),
        ("fabric-slowdown.svg", slowdown_chart(title, &slowdowns, &published("fb"))),
    ];
    Ok(charts.map(|(file, chart)| (file.into(), chart.svg())).into())
}

/// A line of a `slowdown.csv`.
fn slowdown_row(line: &str) -> SlowdownRow {
    let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
    let [percent, bytes, p50, p95, p99] = cells[..] else { panic!("{line}") };
    SlowdownRow { percent: percent as u32, bytes: bytes as u64, p50, p95, p99 }
}

fn hpcc_incast() -> Point {
    incast("incast_golden", |_| {})
}

fn convergence_point(w_ai_mbps: u32) -> Point {
    let scenario = convergence::scenario(w_ai_mbps.into());
    Point { name: format!("convergence_{w_ai_mbps}"), scenario, acks: 1_000_000 }
}

fn dcqcn_incast() -> Point {
    incast("incast_dcqcn", |s| (s.cc.algorithm, s.cc.window) = (Algorithm::Dcqcn, false))
}

/// What the report is made of.
struct Report<'a> {
    outcomes: &'a [Outcome],
    text: String,
    charts: Vec<(String, String)>,
}

impl Report<'_> {
    fn of(&self, name: &str) -> &Outcome {
        let found = self.outcomes.iter().find(|outcome| outcome.name == name);
        found.unwrap_or_else(|| panic!("no point {name} was run"))
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn heading(&mut self, title: &str, about: &str) {
        self.line(&format!("\n## {title}\n\n{about}\n"));
    }

    fn chart(&mut self, file: &str, chart: &Chart) {
        self.line(&format!("\n![{}]({file})", chart.title));
        self.charts.push((file.into(), chart.svg()));
    }

    fn incast(&mut self) {
        self.heading(
            "Sixteen to one",
            "5 MB each, 100 Gb/s, 1 us. Of the authors' ns-3: last end 7.452 ms, longest queue 850 \
             to 870 KB, drained at about 109 us, 2.27 s of CPU time.",
        );
        self.line("| | last end, ms | longest queue, KB | drained, us | CPU time, s |");
        self.line("|---|--:|--:|--:|--:|");
        for (name, what) in [
            ("incast_model", "f64"),
            ("incast_golden", "hardware's integers"),
            ("incast_plain", "the same, the plain way"),
        ] {
            let o = self.of(name);
            let (end, peak, cpu) = (o.end_ms, o.peak_kb, o.cpu_s);
            let drained = o.drained_us.unwrap_or(f64::NAN);
            let row = format!("| {what} | {end:.3} | {peak:.1} | {drained:.1} | {cpu:.3} |");
            self.line(&row);
        }
        let chart = incast_chart(self.of("incast_golden"), self.of("incast_dcqcn"));
        self.chart("incast.svg", &chart);
    }

    fn additive_increase(&mut self) {
        self.heading(
            "W_ai",
            "The same incast. The larger the additive increase, the closer together the flows end.",
        );
        self.line("| W_ai as a rate, Mb/s | first end, ms | last end, ms | spread, ms | longest queue after 1 ms, KB |");
        self.line("|--:|--:|--:|--:|--:|");
        for mbps in W_AI_MBPS {
            let o = self.of(&format!("w_ai_{mbps}"));
            let (first, last) = (o.first_end_ms, o.end_ms);
            let after = o.settled_kb.unwrap_or(0.0);
            let spread = last - first;
            self.line(&format!("| {mbps} | {first:.3} | {last:.3} | {spread:.3} | {after:.1} |"));
        }
        let spread = |o: &Outcome| o.end_ms - o.first_end_ms;
        let queue = |o: &Outcome| o.settled_kb.unwrap_or(0.0);
        self.over_w_ai("w_ai_spread.svg", "from the first end to the last, ms", &spread);
        self.over_w_ai("w_ai_queue.svg", "longest queue after 1 ms, KB", &queue);
    }

    fn over_w_ai(&mut self, file: &str, what: &str, value: &dyn Fn(&Outcome) -> f64) {
        let title = format!("16 to 1, 5 MB each: {what}");
        let mut chart = Chart::new(&title, "W_ai as a rate, Mb/s", what);
        let point = |mbps: u32| (mbps.into(), value(self.of(&format!("w_ai_{mbps}"))));
        let points = W_AI_MBPS.map(point);
        chart.add("HPCC, the hardware's integers", Mark::Line, points.into());
        self.chart(file, &chart);
    }

    fn convergence(&mut self) {
        self.heading(
            "Convergence",
            "Four hosts begin to send to a fifth one after the other, and end in the same order.",
        );
        self.line(
            "Until rates are within 10 % of their mean, us, by W_ai as a rate, Mb/s; -: not before the \
             next flow joins or leaves.\n",
        );
        let flows = CONVERGENCE_W_AI_MBPS.map(|mbps| {
            let paces = &self.of(&format!("convergence_{mbps}")).paces;
            (mbps, paces.clone())
        });
        let [(small, _), (large, _)] = &flows;
        self.line(&format!("| from, ms | flows | {small} | {large} |"));
        self.line("|--:|--:|--:|--:|");
        for step in 0..7 {
            let fair = flows.each_ref().map(|(_, flows)| match fair_ps(flows, step) {
                Some(fair_ps) => (fair_ps / 1_000_000).to_string(),
                None => "-".into(),
            });
            let (from_ms, count) = (step * STEP_PS / 1_000_000_000, (step + 1).min(7 - step));
            self.line(&format!("| {from_ms} | {count} | {} |", fair.join(" | ")));
        }
        for (mbps, flows) in &flows {
            for (what, is_rate) in [("rates", true), ("windows", false)] {
                let chart = convergence::chart(flows, is_rate);
                self.chart(&format!("convergence_{mbps}_{what}.svg"), &chart);
            }
        }
    }

    fn differences(&mut self) {
        self.heading(
            "What each difference costs",
            "The same incast, each difference between the profiles by itself. Goodput is payload.",
        );
        self.line(
            "| difference | last end, ms | goodput, Gb/s | longest queue, KB | drained, us |",
        );
        self.line("|---|--:|--:|--:|--:|");
        let feedbacks = [
            ("feedback_receiver", "windows by the receiver (Rx-HPCC)"),
            ("feedback_worst_hop", "record of the most loaded hop alone"),
        ];
        let all = DIFFERENCES.map(|(name, what, _)| (name, what)).into_iter().chain(feedbacks);
        for (name, what) in all {
            let o = self.of(name);
            let (end, goodput, peak) = (o.end_ms, o.goodput_gbps(), o.peak_kb);
            let drained = o.drained_us.unwrap_or(f64::NAN);
            let row = format!("| {what} | {end:.3} | {goodput:.2} | {peak:.1} | {drained:.1} |");
            self.line(&row);
        }
    }

    /// Ours against the published curves.
    fn curves(&mut self, name: &str, workload: &str, title: &str) {
        let (rows, published) = (self.of(name).rows.clone(), published(workload));
        self.heading(title, "Slowdown by size quantile: here / published, and the difference.");
        self.line("| flows not larger, % | bytes | p50 | p95 | p99 |");
        self.line("|--:|--:|--:|--:|--:|");
        for row in &rows {
            let Some(theirs) = published.iter().find(|p| p.percent == row.percent) else {
                continue;
            };
            let cell = |ours: f64, theirs: f64| match theirs.is_nan() {
                true => format!("{ours:.2} / -"),
                false => {
                    format!("{ours:.2} / {theirs:.2} ({:+.1} %)", 100.0 * (ours / theirs - 1.0))
                }
            };
            let (p50, p95) = (cell(row.p50, theirs.p50), cell(row.p95, theirs.p95));
            let (percent, bytes, p99) = (row.percent, row.bytes, cell(row.p99, theirs.p99));
            self.line(&format!("| {percent} | {bytes} | {p50} | {p95} | {p99} |"));
        }
        self.chart(&format!("{name}.svg"), &slowdown_chart(title, &rows, &published));
    }

    fn algorithms(&mut self) {
        self.heading(
            "Algorithms",
            "FB_Hadoop, 50 % load. Short flows have at most 7 KB, long ones more than 1 MB. Orders \
             are what counts here: others do not reproduce the authors' DCQCN and TIMELY either.",
        );
        self.line("| | p95 short | p95 long | longest queue, KB | pauses | paused, us | drops | sent again |");
        self.line("|---|--:|--:|--:|--:|--:|--:|--:|");
        let hpcc = [("hpcc", "HPCC, eta 95 %"), ("eta_99", "HPCC, eta 99 %")];
        let all = hpcc.into_iter().chain(BASELINES.map(|(name, what, ..)| (name, what)));
        let title = "FB_Hadoop, 50 % load: p95 of the slowdown";
        let mut chart = slowdown_chart(title, &[], &[]);
        for (name, what) in all {
            let o = self.of(&format!("fb_50_{name}"));
            let (short, long, peak) = (o.short_p95, o.long_p95, o.peak_kb);
            let (pauses, paused, drops, again) = (o.pauses, o.pause_us, o.drops, o.retransmitted);
            let row = format!(
                "| {what} | {short:.2} | {long:.2} | {peak:.0} | {pauses} | {paused:.0} | {drops} | \
                 {again} |"
            );
            let points = o.rows.iter().map(|row| (row.percent.into(), row.p95)).collect();
            chart.add(what, Mark::Line, points);
            self.line(&row);
        }
        self.chart("algorithms.svg", &chart);
    }

    fn bursts(&mut self) {
        self.heading(
            "Sixty to one beside 30 % load",
            "FB_Hadoop at 30 %; and 60 hosts that send 500 KB each to one at 1.5 ms, or bursts like \
             this at random, 2 % more load. Two bursts at random may meet at one switch, whose \
             buffer then has twice sixty first windows to hold: there is no congestion control \
             before the first round trip is over.",
        );
        self.line("| | p95 short | longest queue, KB | pauses | paused, us | drops |");
        self.line("|---|--:|--:|--:|--:|--:|");
        for (name, what, _) in BURSTS {
            let o = self.of(name);
            let (short, peak, pauses) = (o.short_p95, o.peak_kb, o.pauses);
            let (paused, drops) = (o.pause_us, o.drops);
            self.line(&format!(
                "| {what} | {short:.2} | {peak:.0} | {pauses} | {paused:.0} | {drops} |"
            ));
        }
    }

    fn speed(&mut self) {
        self.heading(
            "Speed",
            "Data packets a second of CPU time, other work on the machine aside.",
        );
        self.line("| run | packets | CPU time, s | M packets/s |");
        self.line("|---|--:|--:|--:|");
        let mut long: Vec<&Outcome> = self.outcomes.iter().filter(|o| o.cpu_s > 1.0).collect();
        long.sort_by(|a, b| a.name.cmp(&b.name));
        let mut rows = String::new();
        for o in long {
            let (name, packets, cpu) = (&o.name, o.packets, o.cpu_s);
            let speed = packets as f64 / cpu / 1e6;
            let _ = writeln!(rows, "| {name} | {packets} | {cpu:.1} | {speed:.2} |");
        }
        self.text.push_str(&rows);
    }
}

/// The report and its charts, by file name; `about` says how it was made.
pub fn report(outcomes: &[Outcome], is_full: bool, about: &str) -> Vec<(String, String)> {
    let mut report = Report { outcomes, text: String::new(), charts: vec![] };
    report.line("# Report of `nic fabric suite`\n");
    report.line(&format!("```\n{about}\n```"));
    if !is_full {
        report.line(
            "\nThe FatTree's runs are short here, so tails of long flows are too low: `--full` has \
             the lengths that the published curves need.",
        );
    }
    report.incast();
    report.convergence();
    report.additive_increase();
    report.differences();
    report.curves("fb_50", "fb", "FatTree, FB_Hadoop, 50 % load");
    if is_full {
        report.curves("web_50", "wb", "FatTree, WebSearch, 50 % load");
    }
    report.algorithms();
    report.bursts();
    report.speed();
    let mut files = report.charts;
    files.push(("report.md".into(), report.text));
    files
}

/// What must hold in each suite: HPCC never drops a packet and never makes a switch pause, but where
/// bursts at random meet.
pub fn failures(outcomes: &[Outcome]) -> Vec<String> {
    let hpcc = outcomes.iter().filter(|outcome| outcome.is_hpcc && outcome.name != "bursts_hpcc");
    let bad = hpcc.filter(|outcome| outcome.pauses + outcome.drops > 0);
    bad.map(|o| format!("{}: {} pauses, {} drops", o.name, o.pauses, o.drops)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suite_has_the_published_curves() {
        for workload in ["fb", "wb"] {
            let rows = published(workload);
            assert!(rows.len() >= 15, "{workload}: {}", rows.len());
            assert!(rows.iter().all(|row| row.p50 <= row.p95));
        }
    }

    #[test]
    fn suite_points_have_different_names() {
        let all = points(true, Path::new("x"));
        let names: std::collections::BTreeSet<&str> =
            all.iter().map(|point| point.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }
}
