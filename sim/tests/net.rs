//! `nic net --figure`: what is drawn is what the run has done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn nic(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nic")).args(arguments).output().expect("nic starts")
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("net");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// The scenario of `scripts/run`.
fn scenario() -> String {
    format!("{}/../tests/data/two_nics.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Columns of a CSV file by name.
fn columns(path: &Path) -> BTreeMap<String, Vec<f64>> {
    let mut csv = csv::Reader::from_path(path).expect("the CSV is there");
    let names: Vec<String> = csv.headers().expect("names").iter().map(String::from).collect();
    let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in csv.records() {
        for (name, value) in names.iter().zip(row.expect("a row").iter()) {
            columns.entry(name.clone()).or_default().push(value.parse().expect("a number"));
        }
    }
    columns
}

/// The numbers of the printed line that has `text` in it.
fn numbers(printed: &str, text: &str) -> Vec<f64> {
    let line = printed.lines().find(|line| line.contains(text));
    let line = line.unwrap_or_else(|| panic!("no {text:?} in {printed}"));
    line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn net_figure_shows_what_the_run_did() {
    let svg = folder().join("two_nics.svg");
    let figure = svg.display().to_string();
    let output = nic(&["net", &scenario(), "--engine", "golden", "--figure", &figure]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let columns = columns(&svg.with_extension("csv"));
    let both = |name: &str| [1, 2].map(|nic| &columns[&format!("nic{nic}_{name}")]);
    assert!(columns["time_us"].windows(2).all(|times| times[0] < times[1]), "time goes on");
    let [forwarded, lost, _, corrupted, _, queue] = numbers(&printed, "switch:")[..] else {
        panic!("{printed}")
    };
    assert!(forwarded > 0.0 && lost > 0.0, "frames are lost");
    let losses: f64 = both("lost_count").into_iter().flatten().sum();
    assert_eq!(losses, lost + corrupted);
    let longest = both("queue_bytes_max").into_iter().flatten().fold(0.0, |a: f64, b| a.max(*b));
    assert_eq!(longest, queue);
    // The first flow begins with W_init and ends with what the NIC's own registers say.
    assert_eq!(both("qp1_data_window_bytes").map(|window| window[0]), [15625.0; 2]);
    let last = |name| both(name).map(|values| *values.last().expect("rows")).to_vec();
    assert_eq!(last("qp1_data_window_bytes"), numbers(&printed, "window of the first QP"));
    let rates = numbers(&printed, "rate of the first QP").into_iter();
    for (drawn, printed) in last("qp1_data_rate_gbps").into_iter().zip(rates) {
        assert!((drawn - printed).abs() < 0.006, "{drawn} Gb/s, not {printed}");
    }

    let svg = std::fs::read_to_string(&svg).expect("the figure is there");
    for panel in ["window of each flow", "rate of each flow", "queue of the switch"] {
        assert_eq!(svg.matches(panel).count(), 2, "{panel}");
    }
    // Polygons are a triangle a period with losses, and the area of each queue.
    let marks = svg.matches("<polygon").count() as f64;
    let areas = 2.0;
    let [one, two] = both("lost_count").map(|l| l.iter().filter(|count| **count > 0.0).count());
    assert_eq!(marks - areas, (one + two) as f64);
}

#[test]
fn net_refuses_figures_that_it_cannot_make_before_it_runs() {
    let run = |figure: &str, rest: &[&str], wanted: &str| {
        let output = nic(&[&["net", &scenario(), "--figure", figure], rest].concat());
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(output.stdout.is_empty() && error.lines().count() == 1, "{error}");
        assert!(error.contains(wanted), "no {wanted:?} in {error}");
    };
    let good = folder().join("refused.svg").display().to_string();
    run(&good, &["--engine", "rtl"], "choose --engine golden or both");
    run("/none/x.svg", &[], "--figure /none/x.svg: there is no folder /none");
    run("x.png", &[], ".svg");
}

#[test]
fn net_failure_names_the_command_that_repeats_it() {
    let path = folder().join("all lost.toml");
    let text = std::fs::read_to_string(scenario()).expect("the scenario is there");
    let text = text.replace("loss_ppm = 10000 ", "loss_ppm = 1000000 ");
    let text = text.replace("message_count = 12", "message_count = 1");
    std::fs::write(&path, text).expect("the folder can be written");
    let name = path.display().to_string();
    let output = nic(&["net", &name, "--engine", "golden"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).expect("text");
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{error}");
    assert_eq!(lines[1], format!("  replay: nic net '{name}' --engine golden"));
}
