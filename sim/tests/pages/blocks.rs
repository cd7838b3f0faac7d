//! Tables of blocks, ports and streams on the pages of the hardware, made from headers and Verilog.

use super::{hold, root};
use nic_hdl::emit::{self, Design, Dir, Port};
use nic_spec::config::NicConfig;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const AREAS: [&str; 7] = ["util", "rx", "cc", "sched", "transport", "tx", "host"];

fn gbe() -> NicConfig {
    NicConfig::preset("gbe").expect("it is a preset")
}

/// Rust files below a folder, in the order of their paths.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources are readable");
    let paths: BTreeSet<PathBuf> =
        entries.map(|e| e.expect("the sources are readable").path()).collect();
    let below = |path: PathBuf| match path.is_dir() {
        true => rust_files(&path),
        false if path.extension().is_some_and(|e| e == "rs") => vec![path],
        false => vec![],
    };
    paths.into_iter().flat_map(below).collect()
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Name of the module that a file describes: that of its block or, of several, of the one that is
/// called as the file is.
fn block_name(file: &Path, text: &str) -> Option<String> {
    let stem = file.file_stem().expect("it is a file").to_string_lossy().into_owned();
    let blocks = text.split("#[block").skip(1).filter_map(|rest| rest.split_once("pub struct "));
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric()).collect::<String>();
    let names: Vec<String> = blocks.map(|(_, rest)| snake_case(&name(rest))).collect();
    // A block that a macro makes has no name here.
    let names: Vec<String> = names.into_iter().filter(|n| !n.is_empty()).collect();
    match &names[..] {
        [] => text.contains("#[block").then_some(stem),
        [one] => Some(one.clone()),
        _ => Some(names.into_iter().find(|n| n.ends_with(&stem)).unwrap_or(stem)),
    }
}

/// The paragraph of a file's header that starts with `title`, as one line.
fn paragraph(text: &str, title: &str) -> String {
    let header = text.lines().map_while(|l| l.strip_prefix("//!")).map(str::trim);
    let mut lines = header.skip_while(|l| !l.starts_with(title));
    let first = lines.next().unwrap_or("").trim_start_matches(title).trim();
    let rest = lines.take_while(|l| !l.is_empty() && !l.starts_with('#'));
    [first].into_iter().chain(rest).collect::<Vec<_>>().join(" ")
}

/// A block's row in the page of its area, made from the header of its file.
fn row(hdl: &Path, file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("the sources are readable");
    let name = block_name(file, &text)?;
    let about = paragraph(&text, "");
    let what = about.split(". ").next().unwrap_or("").trim_end_matches('.');
    let mut latency = paragraph(&text, "# Latency and rate");
    let constant = text.split_once("pub const LATENCY_CYCLES: usize = ");
    if let Some((cycles, _)) = constant.and_then(|(_, rest)| rest.split_once(';')) {
        if let Ok(cycles) = cycles.parse::<usize>() {
            let unit = if cycles == 1 { "cycle" } else { "cycles" };
            latency = latency.replace("[`LATENCY_CYCLES`]", &format!("{cycles} {unit}"));
        }
    }
    let latency = latency.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    let path = file.strip_prefix(hdl).expect("it is below hdl").display();
    Some(format!("| [`{name}`]({path}) | {what} | {latency} |\n"))
}

#[test]
fn pages_of_areas_have_the_row_of_each_block() {
    let mut count = 0;
    for area in AREAS {
        let folder = root().join("hdl/src").join(area);
        let rows: Vec<String> =
            rust_files(&folder).iter().filter_map(|file| row(&root().join("hdl"), file)).collect();
        count += rows.len();
        let head = "| block | what it does | latency and rate |\n|---|---|---|\n";
        let page = format!("hdl/{area}.md");
        hold(&page, "<!-- blocks -->\n", "<!-- end -->", &[head, &rows.concat()].concat());
    }
    assert!(count >= 100, "only {count} blocks were found");
}

/// Name of the group that a port belongs to, and its name in there.
fn group<'a>(ports: &BTreeSet<&str>, name: &'a str) -> (&'a str, &'a str) {
    for axi in ["m_axi", "s_axil"] {
        if let Some(field) = name.strip_prefix(axi).and_then(|n| n.strip_prefix('_')) {
            return (axi, field);
        }
    }
    let cuts = name.match_indices('_').map(|(at, _)| (&name[..at], &name[at + 1..]));
    let streams: Vec<_> = cuts
        .filter(|(stream, _)| {
            let has = |end: &str| ports.contains(format!("{stream}_{end}").as_str());
            *stream == "cfg" || *stream == "event" || has("valid") || has("tvalid")
        })
        .collect();
    // The bundle of telemetry has a valid of its own.
    let whole = streams.into_iter().find(|(stream, _)| !stream.ends_with("_tel"));
    whole.unwrap_or((name, ""))
}

/// Fields with their bits; hand-shakes left out, telemetry as one.
fn fields(of: &[(&str, &Port)]) -> String {
    let handshake = ["valid", "ready", "tvalid", "tready"];
    let shown = of.iter().filter(|(field, _)| !handshake.contains(field) && !field.is_empty());
    let mut text: Vec<String> = vec![];
    for (field, port) in shown {
        let text_of = match field.strip_prefix("tel_") {
            Some("valid" | "hops" | "path") => "tel".into(),
            Some(hop) if hop.starts_with("hop_") => "tel".into(),
            _ if port.name.starts_with("event_") => field.to_string(),
            _ => format!("{field} {}", port.width),
        };
        if text.last() != Some(&text_of) {
            text.push(text_of);
        }
    }
    match text.is_empty() {
        true => "none of its own".into(),
        false => text.join(", "),
    }
}

/// Table of a block's ports.
fn ports_table(block: &str) -> String {
    let design = emit::by_name(block, &gbe()).unwrap_or_else(|e| panic!("{block}: {e}"));
    let names: BTreeSet<&str> = design.ports.iter().map(|p| p.name.as_str()).collect();
    let mut groups: Vec<(&str, Vec<(&str, &Port)>)> = vec![];
    for port in design.ports.iter().filter(|p| !p.clock && p.name != "reset") {
        let (name, field) = group(&names, &port.name);
        match groups.iter_mut().find(|(n, _)| *n == name) {
            Some((_, members)) => members.push((field, port)),
            None => groups.push((name, vec![(field, port)])),
        }
    }
    let mut text = format!("Ports of `{block}` in `gbe`, each field with its bits:\n\n");
    text += "| port | | fields |\n|---|---|---|\n";
    for (name, members) in &groups {
        let lead = members.iter().find(|(f, _)| f.ends_with("valid")).unwrap_or(&members[0]);
        let dir = if lead.1.dir == Dir::In { "in" } else { "out" };
        let row = match *name {
            "m_axi" | "s_axil" => {
                let data = members.iter().find(|(f, _)| f.ends_with("data")).expect("AXI has data");
                let kind = if *name == "m_axi" { "AXI4" } else { "AXI4-Lite" };
                format!("| `{name}` | | {kind}, {} bits |\n", data.1.width)
            }
            "cfg" | "event" => format!("| `{name}_` | {dir} | {} |\n", fields(members)),
            _ if members.len() == 1 && members[0].0.is_empty() => {
                format!("| `{name}` | {dir} | {} |\n", members[0].1.width)
            }
            _ => format!("| `{name}` | {dir} | {} |\n", fields(members)),
        };
        text += &row;
    }
    text + "\n"
}

#[test]
fn pages_of_areas_have_the_ports_of_their_blocks() {
    let mut count = 0;
    for area in AREAS {
        let page = format!("hdl/{area}.md");
        let text = std::fs::read_to_string(root().join(&page)).expect("the page is there");
        for at in text.lines().filter_map(|l| l.strip_prefix("<!-- ports of ")) {
            let block = at.trim_end_matches(" -->");
            let from = format!("<!-- ports of {block} -->\n");
            hold(&page, &from, "<!-- end -->", &ports_table(block));
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} blocks have their ports on a page");
}

/// Instances of the top module: name and (port, net).
fn instances(design: &Design) -> Vec<(String, Vec<(String, String)>)> {
    let (_, text) = design.modules.last().expect("a design has a top");
    let mut found: Vec<(String, Vec<(String, String)>)> = vec![];
    for line in text.lines() {
        if let Some(pin) = line.strip_prefix("        .") {
            let (port, net) = pin.split_once('(').expect("a pin has a net");
            let net = net.trim_end_matches(',').trim_end_matches(')');
            let last = found.last_mut().expect("a pin is inside of an instance");
            last.1.push((port.into(), net.into()));
        } else if let Some(head) = line.strip_prefix("    ").and_then(|l| l.strip_suffix(" (")) {
            if let [_, .., name] = head.split(' ').collect::<Vec<_>>()[..] {
                found.push((name.into(), vec![]));
            }
        }
    }
    found
}

/// Streams between the blocks of the NIC: source to sinks, as `instance port`.
fn streams() -> BTreeMap<String, BTreeSet<String>> {
    let design = emit::by_name("nic", &gbe()).expect("the NIC is emitted");
    let mut ends: BTreeMap<String, (Option<String>, BTreeSet<String>)> = BTreeMap::new();
    for (name, pins) in instances(&design) {
        for (port, net) in pins {
            let stream = port.strip_suffix("_tvalid").or_else(|| port.strip_suffix("_valid"));
            let Some(stream) = stream.filter(|s| !s.ends_with("_tel")) else { continue };
            let end = format!("{name} {stream}");
            let of_net = ends.entry(net.clone()).or_default();
            // A source's net is called after it.
            match net.starts_with(&format!("{name}_{stream}_")) {
                true => of_net.0 = Some(end),
                false => _ = of_net.1.insert(end),
            }
        }
    }
    let name = |net: &str| net.trim_end_matches("_tvalid").trim_end_matches("_valid").to_string();
    let named = |(net, (source, mut sinks)): (String, (Option<String>, BTreeSet<String>))| {
        if sinks.is_empty() {
            sinks.insert("pin".into());
        }
        (source.unwrap_or_else(|| format!("pin {}", name(&net))), sinks)
    };
    ends.into_iter().map(named).collect()
}

/// What a stream carries is told by hand, where it goes is not.
#[test]
fn architecture_has_the_streams_of_the_nic() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let table = text.split_once("<!-- streams -->").expect("the page has a table of streams").1;
    let told: BTreeMap<&str, &str> = table
        .lines()
        .filter_map(|l| l.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .filter_map(|(source, rest)| Some((source, rest.split_once(" | ")?.1)))
        .collect();
    let mut rows = String::from("| from | to | carries |\n|---|---|---|\n");
    for (source, sinks) in streams() {
        let sinks: Vec<&str> = sinks.iter().map(String::as_str).collect();
        let carries = told.get(source.as_str()).copied().unwrap_or("TELL WHAT IT CARRIES");
        rows += &format!("| `{source}` | {} | {carries} |\n", sinks.join(", "));
    }
    hold("ARCHITECTURE.md", "<!-- streams -->\n", "<!-- end -->", &rows);
    assert!(!rows.contains("TELL"), "ARCHITECTURE.md: a stream is new, say what it carries");
}

/// Each cell of the README's matrix is what the emitter has.
#[test]
fn readme_says_which_preset_has_what() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("it is there");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|l| !l.starts_with("| part "))
        .take_while(|l| l.starts_with('|'))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let presets: Vec<&str> = rows[0][1..].iter().map(|p| p.trim_matches('`')).collect();
    assert!(rows.len() >= 8 && presets.len() == 4, "the matrix is not whole");
    for row in &rows[2..] {
        let block = match row[0] {
            "congestion control" => "cc_core",
            "scheduler" => "sched_core",
            "rx pipe" => "rx_pipe",
            "tx pipe" => "tx_pipe",
            "transport" => "requester",
            "registers, rings, DMA" => "registers",
            "whole NIC" => "nic",
            part => panic!("README.md: no block is known for {part}"),
        };
        for (preset, cell) in presets.iter().zip(&row[1..]) {
            let blocks = NicConfig::preset(preset).map(|c| emit::blocks(&c)).unwrap_or_default();
            let wanted = match (blocks.contains(&block), blocks.contains(&"nic")) {
                // An iCE40 HX8K has room for congestion control alone.
                (false, _) if *preset == "cu" => "-",
                (false, _) => "planned",
                (true, false) if ["requester", "registers"].contains(&block) => "blocks only",
                (true, false) => "core only",
                (true, true) => "whole",
            };
            assert_eq!(*cell, wanted, "README.md: {} of {preset}", row[0]);
        }
    }
}

/// Cells of the row of a page that begins with `name`; nothing if there is none.
fn cells<'a>(page: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let row = page.lines().find(|l| l.starts_with(&format!("| {name} |")))?;
    Some(row.trim_matches('|').split('|').map(str::trim).collect())
}

/// The README's sizes are those of the table of resources, and of the bitstream.
#[test]
fn readme_shows_the_measured_sizes() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).expect("it is there");
    let (readme, resources) = (read("README.md"), read("boards/ecp5-85/resources.md"));
    let (_, sizes) = readme.split_once("## Sizes").expect("README.md has sizes");
    for (name, blocks) in [
        ("rx pipe", &["rx_pipe"][..]),
        ("requester, responder, READ responses", &["requester", "responder", "read_reply"]),
        ("scheduler", &["scheduler"]),
        ("congestion control", &["cc_unit"]),
        ("tx pipe", &["tx_pipe"]),
    ] {
        let shown = cells(sizes, name).unwrap_or_else(|| panic!("README.md has no row {name}"));
        let number = |block: &str, column: usize| -> u32 {
            let row = cells(&resources, block).unwrap_or_else(|| panic!("no row {block}"));
            row[column].parse().unwrap_or_else(|_| panic!("{block}: no number"))
        };
        for (column, shown) in shown.iter().enumerate().take(5).skip(1) {
            let sum: u32 = blocks.iter().map(|block| number(block, column)).sum();
            assert_eq!(*shown, sum.to_string(), "README.md: {name}");
        }
        let slowest = blocks.iter().map(|block| number(block, 5)).min().expect("a block");
        assert_eq!(shown[5], slowest.to_string(), "README.md: MHz of {name}");
    }
    let board = read("boards/ecp5-85/README.md");
    let whole = cells(sizes, "**ECPIX-5: whole NIC, `gbe`, MAC, host memory**").expect("a row");
    let used = |name: &str| cells(&board, name).expect(name)[1].replace(',', "");
    let lut4 = used("LUT4, those of carry chains and LUT RAMs among them");
    let counts = [lut4, used("flip-flops"), used("block RAMs"), used("multipliers")];
    assert_eq!(whole[1..5], counts, "README.md: the ECPIX-5");
    let reached: f64 = cells(&board, "core").expect("the core's clock")[2].parse().expect("MHz");
    assert_eq!(whole[5], format!("{reached:.0}"), "README.md: MHz of the ECPIX-5");
}
