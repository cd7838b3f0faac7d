//! The files that a run leaves in its folder.

use super::engine::Plan;
use super::histogram::Histogram;
use super::results::{slowdown_percentile, slowdown_rows, Completion, Results, SHORT_BYTES};
use super::topology::HOST_CLASS;
use std::fmt::Write;

/// Shares of the time at which queues are told.
const QUEUE_SHARES: [(&str, f64); 5] =
    [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

/// Name and content of each file.
pub type Files = Vec<(String, String)>;

/// All tables; `about` stands above the parameters.
pub fn tables(plan: &Plan, results: &Results, about: &str) -> Files {
    let completions = results.completions(plan);
    let mut files = vec![
        ("scenario.toml".into(), parameters(plan, about)),
        ("fct.csv".into(), fct_csv(plan, &completions)),
        ("queues.csv".into(), queues_csv(plan, results)),
        ("summary.csv".into(), summary_csv(plan, results, &completions)),
        ("slowdown.csv".into(), slowdown_csv(&completions)),
    ];
    if !results.meters.watched.is_empty() {
        files.push(("queue.csv".into(), watched_csv(results)));
    }
    files
}

/// The scenario as a file that runs again.
fn parameters(plan: &Plan, about: &str) -> String {
    let text = toml::to_string(&plan.scenario).expect("a scenario has a form in TOML");
    let about: String = about.lines().map(|line| format!("# {line}\n")).collect();
    format!("{about}{text}")
}

fn fct_csv(plan: &Plan, completions: &[Completion]) -> String {
    let mut csv = String::from("flow,src,dst,bytes,start_ns,fct_ns,ideal_ns,slowdown\n");
    for ((at, demand), completion) in plan.counted().zip(completions) {
        let (start_ns, took_ns) = (demand.start_ps / 1000, completion.took_ps / 1000);
        let (ideal_ns, slowdown) = (completion.ideal_ps / 1000, completion.slowdown());
        let (src, dst, bytes) = (demand.src, demand.dst, demand.bytes);
        let row = format!("{at},{src},{dst},{bytes},{start_ns},{took_ns},{ideal_ns},{slowdown:.4}");
        csv.push_str(&row);
        csv.push('\n');
    }
    csv
}

fn queues_csv(plan: &Plan, results: &Results) -> String {
    let mut csv = String::from("class,ports,row,from_bytes,to_bytes,time_ns,share\n");
    let mut row = |name: &str, ports: u64, peak_bytes: u64, histogram: &Histogram| {
        let total_ps = histogram.total_ps().max(1);
        for (row, share) in QUEUE_SHARES {
            let bytes = match row {
                "max" => peak_bytes,
                _ => histogram.quantile_bytes(share).min(peak_bytes),
            };
            let _ = writeln!(csv, "{name},{ports},{row},{bytes},{bytes},,{share}");
        }
        for (from, to, time_ps) in histogram.buckets() {
            let (time_ns, share) = (time_ps / 1000, time_ps as f64 / total_ps as f64);
            let _ =
                writeln!(csv, "{name},{ports},histogram,{from},{},{time_ns},{share:.3e}", to - 1);
        }
    };
    if let Some(histogram) = results.watched_histogram() {
        let peak = results.meters.watched.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        row("receiver", 1, peak, &histogram);
    }
    let classes = plan.topology.classes.iter().zip(&results.meters.classes);
    for (name, meter) in classes.skip(usize::from(HOST_CLASS) + 1) {
        row(name, meter.port_count, meter.peak_bytes, &meter.histogram);
    }
    csv
}

/// Rows of the summary, in order.
pub fn summary(
    plan: &Plan,
    results: &Results,
    completions: &[Completion],
) -> Vec<(String, String)> {
    let c = &results.counters;
    let mut rows: Vec<(String, String)> = vec![];
    let mut row = |name: &str, value: String| rows.push((name.into(), value));
    row("flows", completions.len().to_string());
    row("last_flow_end_ns", (c.last_end_ps / 1000).to_string());
    row("queue_peak_bytes", results.peak_bytes().to_string());
    if let Some(drained_ps) = results.drained_ps() {
        row("drained_ns", (drained_ps / 1000).to_string());
    }
    if let Some(bytes) = results.peak_after_transient_bytes() {
        row("queue_peak_after_1ms_bytes", bytes.to_string());
    }
    row("packets", c.packets.to_string());
    row("events", c.events.to_string());
    if results.nic_cycles > 0 {
        row("nic_cycles", results.nic_cycles.to_string());
    }
    row("pfc_pauses", c.pauses.to_string());
    row("pfc_pause_ns", (c.pause_ps / 1000).to_string());
    row("drops", c.drops.to_string());
    row("lost_packets", c.lost.to_string());
    row("retransmitted_packets", c.retransmitted.to_string());
    row("naks", c.naks.to_string());
    row("timeouts", c.timeouts.to_string());
    row("t_ns", plan.t_ns.to_string());
    for percent in [50, 95, 99] {
        let slowdown = slowdown_percentile(completions, .., percent);
        row(&format!("slowdown_p{percent}"), format!("{slowdown:.4}"));
    }
    let short = slowdown_percentile(completions, ..=SHORT_BYTES, 99);
    if short.is_finite() {
        row("short_slowdown_p99", format!("{short:.4}"));
    }
    row("user_seconds", format!("{:.4}", results.cpu_s));
    rows
}

fn summary_csv(plan: &Plan, results: &Results, completions: &[Completion]) -> String {
    let rows = summary(plan, results, completions).into_iter();
    let lines: String = rows.map(|(name, value)| format!("{name},{value}\n")).collect();
    format!("name,value\n{lines}")
}

fn slowdown_csv(completions: &[Completion]) -> String {
    let mut csv = String::from("size_quantile_pct,bytes,p50,p95,p99\n");
    for row in slowdown_rows(completions) {
        let (percent, bytes) = (row.percent, row.bytes);
        let _ = writeln!(csv, "{percent},{bytes},{:.4},{:.4},{:.4}", row.p50, row.p95, row.p99);
    }
    csv
}

fn watched_csv(results: &Results) -> String {
    let mut csv = String::from("time_ns,queue_bytes\n");
    for (at_ps, bytes) in thinned(&results.meters.watched) {
        let _ = writeln!(csv, "{},{bytes}", at_ps / 1000);
    }
    csv
}

/// The longest queue of each of some 2000 periods.
pub fn thinned(watched: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let period_ps = watched.last().map_or(0, |(at_ps, _)| at_ps / 2000).max(1);
    let mut thin: Vec<(u64, u64)> = vec![];
    for (at_ps, bytes) in watched {
        match thin.last_mut() {
            Some(last) if last.0 / period_ps == at_ps / period_ps => {
                if *bytes > last.1 {
                    *last = (*at_ps, *bytes);
                }
            }
            _ => thin.push((*at_ps, *bytes)),
        }
    }
    thin
}
