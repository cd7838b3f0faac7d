//! The verb: what it writes, twice the same, and what it refuses before it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn nic(arguments: &[&str]) -> Output {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nic"));
    command.args(arguments).current_dir(folder).output().expect("nic starts")
}

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/fabric");
    folder.join(name).display().to_string()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fabric").join(name)
}

fn write(name: &str, text: &str) -> String {
    let path = folder("").join(name);
    std::fs::create_dir_all(folder("")).expect("the folder can be made");
    std::fs::write(&path, text).expect("it can be written");
    path.display().to_string()
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// Value of a row of a summary.
fn value(summary: &str, name: &str) -> f64 {
    let row = summary.lines().find_map(|line| line.strip_prefix(&format!("{name},")));
    row.unwrap_or_else(|| panic!("no {name} in {summary}")).parse().expect("a number")
}

#[test]
fn fabric_incast_leaves_its_files() {
    let out = folder("incast");
    let at = out.display().to_string();
    let arguments = ["fabric", "incast", "--senders", "4", "--bytes", "200000", "--out", &at];
    let output = nic(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let flows = read(&out, "fct.csv");
    let mut lines = flows.lines();
    let columns = "flow,src,dst,bytes,start_ns,fct_ns,ideal_ns,slowdown";
    assert_eq!(lines.next(), Some(columns));
    // 160 us of the four flows' payload and headers, and a round trip of 4.16 us.
    let ideal_ns = 4_160 + (200_000 + 200 * 48) * 8 / 100;
    let row = lines.next().expect("a row");
    assert!(row.starts_with("0,1,0,200000,0,") && row.contains(&format!(",{ideal_ns},")), "{row}");
    assert_eq!(lines.count(), 3);
    let summary = read(&out, "summary.csv");
    assert_eq!(value(&summary, "packets"), 800.0);
    for name in ["pfc_pause_ns", "drops", "retransmitted_packets"] {
        assert_eq!(value(&summary, name), 0.0, "{name}");
    }
    assert!(value(&summary, "user_seconds") > 0.0);
    let (end_ns, peak) = (value(&summary, "last_flow_end_ns"), value(&summary, "queue_peak_bytes"));
    assert!(end_ns > 64_000.0 && peak > 100_000.0);
    // Sums of the histogram's times are those of all ports.
    let queues = read(&out, "queues.csv");
    let cells = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
    let buckets = queues.lines().map(cells).filter(|c| c[2] == "histogram" && c[1] == "5");
    let total_ns: f64 = buckets.map(|c| c[5].parse::<f64>().expect("a number")).sum();
    assert!((total_ns / 5.0 / end_ns - 1.0).abs() < 0.01, "{total_ns} ns");
    for svg in ["queue.svg", "queues.svg"] {
        assert!(read(&out, svg).contains("<polyline"), "{svg} is empty");
    }
    assert!(read(&out, "scenario.toml").starts_with("# nic fabric incast --senders 4"));
}

/// Its own parameters, run again, and by the plain way.
#[test]
fn fabric_repeats_byte_for_byte() {
    let cdf = data("fb_hadoop.cdf");
    let outs = ["once", "again"].map(folder);
    let [once, again] = outs.each_ref().map(|out| out.display().to_string());
    let tree = ["--ms", "0.05", "--margin-ms", "0.01", "--hosts", "320", "--seed", "7"];
    let arguments = [&["fabric", "fattree", "--cdf", &cdf, "--out", &once], &tree[..]].concat();
    let output = nic(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let scenario = format!("{once}/scenario.toml");
    let output = nic(&["fabric", "run", &scenario, "--out", &again]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["fct.csv", "queues.csv", "slowdown.csv"] {
        assert_eq!(read(&outs[0], file), read(&outs[1], file), "{file}");
    }
    // One row is a measurement.
    let summaries = outs.each_ref().map(|out| {
        let summary = read(out, "summary.csv");
        let lines = summary.lines().filter(|line| !line.starts_with("user_seconds,"));
        lines.map(String::from).collect::<Vec<_>>()
    });
    assert_eq!(summaries[0], summaries[1]);
    assert!(read(&outs[0], "fct.csv").lines().count() > 500, "too few flows");
}

fn refuses(arguments: &[&str], wanted: &[&str]) {
    let output = nic(arguments);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty() && error.lines().count() == 1, "{arguments:?}: {error}");
    for part in wanted {
        assert!(error.contains(part), "{arguments:?}: no {part:?} in {error}");
    }
}

#[test]
fn fabric_refuses_bad_scenarios() {
    let out = folder("none").display().to_string();
    let (cdf, empty) = (data("fb_hadoop.cdf"), write("empty.cdf", ""));
    let tree = |cdf: &str, rest: &[&str], wanted: &[&str]| {
        let arguments = ["fabric", "fattree", "--cdf", cdf, "--out", &out];
        refuses(&[&arguments[..], rest].concat(), wanted);
    };
    tree(&cdf, &["--load", "1.1"], &["poisson.load is 1.1", "..=1"]);
    tree(&cdf, &["--load", "nan"], &["poisson.load"]);
    tree(&cdf, &["--hosts", "321"], &["topology.hosts is 321", "20 top-of-rack"]);
    tree(&cdf, &["--eta", "3"], &["cc.eta is 3", "0.05..=2"]);
    tree(&cdf, &["--cc", "dctcp", "--feedback", "receiver"], &["cc.feedback"]);
    tree(&empty, &[], &[&empty, "empty"]);
    tree("/none.cdf", &[], &["/none.cdf", "cannot read"]);
    tree(&write("back.cdf", "0 0\n10 50\n5 100\n"), &[], &["line 3"]);
    refuses(&["fabric", "incast", "--senders", "0", "--out", &out], &["--senders", "1..=4095"]);
    refuses(&["fabric", "incast"], &["--out"]);

    let star = "[topology]\nkind = 'star'\nhosts = 3\n";
    let run = |name: &str, text: &str, wanted: &[&str]| {
        let path = write(name, text);
        let wanted = [&[path.as_str()], wanted].concat();
        refuses(&["fabric", "run", &path, "--out", &out], &wanted);
    };
    let flow =
        |src: u32, dst: u32| format!("{star}[[flow]]\nsrc = {src}\ndst = {dst}\nbytes = 1000\n");
    run("host.toml", &flow(0, 3), &["dst is host 3, which isn't there", "0..3"]);
    run("self.toml", &flow(1, 1), &["host 1 to itself"]);
    run("none.toml", star, &["there are no flows"]);
    run("field.toml", &format!("{star}hots = 3\n"), &["line 4", "unknown field `hots`"]);
    run("kind.toml", "[topology]\nkind = 'ring'\nhosts = 3\n", &["line 2", "`ring`"]);
    let incast = "[incast]\nsenders = 3\nbytes = 1\n";
    run("senders.toml", &format!("{star}{incast}"), &["incast.senders is 3", "1..=2"]);
    let link = |a: &str, b: &str| {
        format!("[[topology.link]]\na = '{a}'\nb = '{b}'\ngbps = 100\ndelay_ns = 1000\n")
    };
    let route = |at: &str, via: &str| {
        format!("[[topology.route]]\nat = '{at}'\nto = 'h1'\nvia = '{via}'\n")
    };
    let links = [link("h0", "s0"), link("s0", "s1"), link("s1", "h1")].concat();
    let custom = |switches: u32, rest: &str| {
        let head = format!("[topology]\nkind = 'custom'\nhosts = 2\nswitches = {switches}\n");
        format!("{head}{links}{rest}[[flow]]\nsrc = 0\ndst = 1\nbytes = 1000\n")
    };
    let loops = [link("s1", "s2"), link("s2", "s0"), route("s1", "s2")].concat();
    let loops = [loops, route("s2", "s0")].concat();
    run("loop.toml", &custom(3, &loops), &["loop: s0, s1, s2, s0"]);
    run("node.toml", &custom(1, ""), &["no node \"s1\""]);
    refuses_cycle_hosts(&run);
    assert!(!folder("none").exists(), "a folder was made for nothing");
}

/// What whole NICs cannot do is said before any is made.
fn refuses_cycle_hosts(run: &dyn Fn(&str, &str, &[&str])) {
    let cycle = |name: &str, hosts: &str, top: &str, rest: &str, wanted: &[&str]| {
        let text = format!(
            "[topology]\nkind = 'star'\nhosts = 5\nhost_gbps = 25\n{top}\n\
             [incast]\nsenders = 4\nbytes = 65536\n{rest}\n[hosts]\n{hosts}\n"
        );
        run(&format!("cycle_{name}.toml"), &text, wanted);
    };
    let nic = "[wire]\nprofile = 'nic'\n";
    let with = |rest: &str| format!("{nic}{rest}");
    cycle(
        "host",
        "cycle = [0, 5]",
        "",
        nic,
        &["hosts.cycle has host 5, which isn't there", "0..5"],
    );
    cycle("twice", "cycle = [1, 2, 1]", "", nic, &["hosts.cycle has host 1 twice"]);
    cycle("engine", "cycle = [1]\ncycle_engine = 'vhdl'", "", nic, &["line", "vhdl"]);
    for (name, rest, wanted) in [
        ("ns3", "", "wire.profile must be nic"),
        ("headers", &with("headers = 'ns3'\n"), "wire.headers must be nic"),
        ("ifa", &with("telemetry = 'ifa'\n"), "wire.telemetry must be native"),
        ("payload", &with("payload_bytes = 1000\n"), "wire.payload_bytes must be 256"),
        ("dcqcn", &with("[cc]\nalgorithm = 'dcqcn'\n"), "cc.algorithm must be hpcc"),
        ("receiver", &with("[cc]\nfeedback = 'receiver'\n"), "cc.feedback must be sender"),
        ("active", &with("[cc]\nactive_window_ns = 1000\n"), "cc.active_window_ns"),
    ] {
        cycle(name, "cycle = [0]", "", rest, &["hosts.cycle: with cycle hosts", wanted]);
    }
    cycle("delay", "cycle = [0]", "delay_ns = 0", nic, &["topology.delay_ns is 0"]);
    let wanted = ["link of host 0 has a delay of 700 ns", "at least 745 ns"];
    cycle("short", "cycle = [0]", "delay_ns = 700", nic, &wanted);
    let many = with(&"[[flow]]\nsrc = 1\ndst = 0\nbytes = 1\n".repeat(61));
    cycle("many", "cycle = [0]", "", &many, &["host 0 has too much to do", "at most 64 flows"]);
    let long = with("[[flow]]\nsrc = 1\ndst = 0\nbytes = 300000000\n");
    cycle("long", "cycle = [1]", "", &long, &["host 1 has too much to do", "268435456 bytes"]);
    let link = |host: u32, delay_ns: u32| {
        format!("[[topology.link]]\na = 'h{host}'\nb = 's0'\ngbps = 25\ndelay_ns = {delay_ns}\n")
    };
    let links = [link(0, 4000), link(1, 0)].concat();
    let text = format!(
        "[topology]\nkind = 'custom'\nhosts = 2\n{links}[[flow]]\nsrc = 0\ndst = 1\n\
         bytes = 1000\n{nic}[hosts]\ncycle = [1]\n"
    );
    run("cycle_zero.toml", &text, &["link of host 1 has a delay of 0 ns"]);
    let scenario = data("four_nics_to_one.toml");
    let verilog = write("nic.v", "module nic; endmodule\n");
    let out = folder("none").display().to_string();
    let arguments = ["fabric", "run", &scenario, "--out", &out, "--verilog", &verilog];
    refuses(&arguments, &["--verilog needs [hosts]", "cycle_engine rtl"]);
}

/// A scenario with cycle hosts leaves the same files as any other, and can be run from them again.
#[test]
fn fabric_runs_cycle_hosts() {
    let text = "[topology]\nkind = 'star'\nhosts = 3\nhost_gbps = 25\ndelay_ns = 4000\n\
                [incast]\nsenders = 2\nbytes = 20000\n[wire]\nprofile = 'nic'\n\
                [hosts]\ncycle = [0, 2]\n";
    let outs = ["cycle_once", "cycle_again"].map(folder);
    let scenario = [write("cycle.toml", text), outs[0].join("scenario.toml").display().to_string()];
    for (scenario, out) in scenario.iter().zip(&outs) {
        let output = nic(&["fabric", "run", scenario, "--out", &out.display().to_string()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for file in ["fct.csv", "queues.csv", "queue.csv"] {
        assert_eq!(read(&outs[0], file), read(&outs[1], file), "{file}");
    }
    let summary = read(&outs[0], "summary.csv");
    assert_eq!((value(&summary, "flows"), value(&summary, "packets")), (2.0, 40.0));
    assert!(value(&summary, "nic_cycles") > 10_000.0);
}
