//! The block diagram: rooms of the NIC and the streams between them, as the emitted Verilog has them.
//! Where a room stands and which way an arrow takes is written here; blocks, streams and widths are not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Streams that are not drawn: rows of tables on their way, ends of DMA commands, read errors.
const LEFT_OUT: &[&str] =
    &["m_cfg", "m_done", "m_a_done", "m_b_done", "m_c_done", "m_fail", "m_a", "m_b", "m"];
/// But these are.
const KEPT: &[(&str, &str)] = &[("sq_fetch", "m_cfg"), ("grants", "m_a"), ("grants", "m_b")];

/// A room: name, what it does, blocks, left, top, width, height.
type Room = (&'static str, &'static str, &'static [&'static str], [i32; 4]);

const ROOMS: &[Room] = &[
    (
        "csr",
        "registers, rings, completions, interrupt",
        &["registers", "sq_fetch", "cq_ring", "interrupt"],
        [40, 90, 440, 110],
    ),
    (
        "dma",
        "host memory, read and written",
        &["read_mux", "dma_read", "write_mux", "dma_write"],
        [750, 90, 460, 110],
    ),
    ("cc", "HPCC++: window and rate", &["cc", "active", "window_in"], [40, 330, 210, 110]),
    ("scheduler", "who sends next", &["work_mux", "scheduler", "grants"], [395, 330, 180, 110]),
    (
        "transport",
        "RoCEv2, both roles",
        &["requester", "completer", "responder", "read_reply", "tx_fails", "fails"],
        [750, 330, 210, 170],
    ),
    ("tx pipe", "headers, ICRC", &["pkt_mux", "tx"], [1106, 330, 104, 330]),
    (
        "telemetry",
        "what goes back beside ACKs",
        &["feedback_in", "feedback_out", "probe_out", "window_out"],
        [40, 550, 550, 110],
    ),
    ("rx pipe", "parser, telemetry, ICRC", &["rx"], [40, 765, 1170, 86]),
];

/// An arrow: from, to, its corners, where its labels begin.
type Arrow = (&'static str, &'static str, &'static [(i32, i32)], (i32, i32));

const ARROWS: &[Arrow] = &[
    ("csr", "cc", &[(145, 200), (145, 330)], (153, 270)),
    ("csr", "transport", &[(400, 200), (400, 300), (780, 300), (780, 330)], (450, 293)),
    ("transport", "csr", &[(810, 330), (810, 260), (440, 260), (440, 200)], (450, 239)),
    ("csr", "dma", &[(480, 150), (750, 150)], (540, 115)),
    ("dma", "csr", &[(750, 180), (480, 180)], (540, 173)),
    ("transport", "dma", &[(870, 330), (870, 200)], (878, 235)),
    ("dma", "tx pipe", &[(1125, 200), (1125, 330)], (1010, 310)),
    ("tx pipe", "dma", &[(1175, 330), (1175, 200)], (1183, 270)),
    ("cc", "scheduler", &[(250, 385), (395, 385)], (256, 378)),
    ("scheduler", "transport", &[(575, 370), (750, 370)], (582, 349)),
    ("transport", "scheduler", &[(750, 425), (575, 425)], (582, 390)),
    ("transport", "tx pipe", &[(960, 436), (1106, 436)], (966, 357)),
    ("tx pipe", "transport", &[(1106, 480), (960, 480)], (970, 473)),
    ("transport", "telemetry", &[(780, 500), (780, 580), (590, 580)], (598, 573)),
    ("telemetry", "cc", &[(145, 550), (145, 440)], (153, 490)),
    ("telemetry", "tx pipe", &[(590, 630), (1106, 630)], (610, 645)),
    ("rx pipe", "transport", &[(850, 765), (850, 500)], (858, 690)),
    ("rx pipe", "telemetry", &[(315, 765), (315, 660)], (323, 720)),
];

/// An arrow to or from outside: pins, corners, label, where it begins.
type Pins = (&'static str, &'static [(i32, i32)], (i32, i32), &'static str);

const PINS: &[Pins] = &[
    ("s_axil_wdata", &[(145, 40), (145, 90)], (153, 60), "AXI4-Lite, host"),
    ("irq", &[(440, 90), (440, 40)], (448, 60), "interrupt"),
    ("m_axi_rdata", &[(850, 40), (850, 90)], (858, 60), "AXI4, host memory"),
    ("m_axi_wdata", &[(1050, 90), (1050, 40)], (1058, 60), "AXI4, host memory"),
    ("m_axis_tx_tdata", &[(1210, 420), (1330, 420)], (1218, 398), "to the MAC"),
    ("s_axis_host_tdata", &[(1330, 540), (1210, 540)], (1222, 518), "host's own stack"),
    ("s_axis_rx_tdata", &[(1330, 800), (1210, 800)], (1222, 778), "from the MAC"),
    ("m_axis_host_tdata", &[(1210, 835), (1330, 835)], (1218, 850), "host's own stack"),
];

/// The top module: widths of its nets, and pins of its instances.
#[derive(Default)]
struct Top {
    widths: BTreeMap<String, u32>,
    instances: BTreeMap<String, BTreeMap<String, String>>,
}

impl Top {
    fn of(verilog: &str) -> Self {
        let mut top = Self::default();
        let mut instance = None;
        for line in verilog.lines().map(str::trim) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some((port, net)) = line.strip_prefix('.').and_then(|pin| pin.split_once('(')) {
                let net = net.split(')').next().unwrap_or_default();
                let pins: &mut BTreeMap<_, _> =
                    top.instances.entry(instance.clone().expect("an instance")).or_default();
                pins.insert(port.to_string(), net.to_string());
            } else if let ["input" | "output" | "wire" | "reg", ..] = words[..] {
                let name = words.iter().rev().find(|word| word.starts_with(char::is_alphabetic));
                let high = line.split_once('[').and_then(|(_, range)| range.split_once(':'));
                let width = high.map_or(1, |(high, _)| high.parse::<u32>().expect("a number") + 1);
                let name = name.expect("a name").trim_end_matches([';', ',']);
                top.widths.insert(name.to_string(), width);
            } else if let [_, .., name, "("] = words[..] {
                instance = Some(name.to_string());
            }
        }
        top
    }

    /// Streams from one instance to another: their names at the source. The sink's ready goes back
    /// to the source, which makes it more than something that is looked at in passing.
    fn streams(&self) -> Vec<(&str, &str, &str)> {
        let mut streams = vec![];
        for (sink, pins) in &self.instances {
            for (port, net) in pins {
                let Some(prefix) = port.strip_suffix("valid") else { continue };
                for (source, its_pins) in &self.instances {
                    let Some(valid) = net.strip_prefix(&format!("{source}_")) else { continue };
                    let Some(name) = valid.strip_suffix("valid") else { continue };
                    let ready = its_pins.get(&format!("{name}ready"));
                    if ready == Some(&format!("{sink}_{prefix}ready")) {
                        let name = name.trim_end_matches('t').trim_end_matches('_');
                        streams.push((&**source, name, &**sink));
                    }
                }
            }
        }
        streams
    }

    /// Bits of a stream: of the data, or of all its fields.
    fn width(&self, source: &str, stream: &str) -> u32 {
        let net = |field: &str| format!("{source}_{stream}_{field}");
        if let Some(width) = self.widths.get(&net("tdata")) {
            return *width;
        }
        let fields = self.widths.iter().filter(|(name, _)| {
            let field = name.strip_prefix(&net(""));
            field.is_some_and(|field| field != "valid" && field != "ready")
        });
        fields.map(|(_, width)| width).sum()
    }
}

fn room_of(block: &str) -> Option<&'static str> {
    ROOMS.iter().find(|room| room.2.contains(&block)).map(|room| room.0)
}

/// Labels of the arrows between two rooms.
fn labels(top: &Top) -> BTreeMap<(&'static str, &'static str), Vec<String>> {
    let blocks: BTreeSet<&str> = ROOMS.iter().flat_map(|room| room.2).copied().collect();
    let real: BTreeSet<&str> = top.instances.keys().map(String::as_str).collect();
    assert_eq!(blocks, real, "the rooms have the blocks of the netlist");
    let mut labels: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (source, stream, sink) in top.streams() {
        let is_row = stream.starts_with("m_cfg_");
        let is_kept = KEPT.contains(&(source, stream));
        let rooms = [source, sink].map(|block| room_of(block).expect("checked above"));
        if rooms[0] == rooms[1] || !is_kept && (is_row || LEFT_OUT.contains(&stream)) {
            continue;
        }
        let label = format!("{source}.{stream} {}", top.width(source, stream));
        labels.entry((rooms[0], rooms[1])).or_default().push(label);
    }
    labels.values_mut().for_each(|streams| streams.sort());
    labels
}

const STYLE: &str = "text{font-family:sans-serif;fill:#333}\
    .room{fill:#eaf1f8;stroke:#4b6e91}.name{font-size:17px;font-weight:bold}\
    .does{font-size:12px}.block{fill:#fff;stroke:#8aa4bf}\
    .block-name{font-size:12px;font-family:monospace;text-anchor:middle}\
    .label{font-size:11px;font-family:monospace}\
    .arrow{fill:none;stroke:#333;stroke-width:1.5;marker-end:url(#tip)}\
    .pins{fill:none;stroke:#a0522d;stroke-width:3;marker-end:url(#pins-tip)}";

fn arrow(svg: &mut String, class: &str, corners: &[(i32, i32)]) {
    let points: Vec<String> = corners.iter().map(|(x, y)| format!("{x},{y}")).collect();
    let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", points.join(" "));
}

fn text(svg: &mut String, class: &str, (x, y): (i32, i32), text: &str) {
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>");
}

fn tip(svg: &mut String, id: &str, colour: &str, size: u32) {
    let _ = writeln!(
        svg,
        "<marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"{size}\" \
         markerHeight=\"{size}\" orient=\"auto\"><path d=\"M0,0 10,5 0,10z\" fill=\"{colour}\"/></marker>"
    );
}

fn room(svg: &mut String, (name, does, blocks, [x, y, width, height]): &Room) {
    let _ = writeln!(
        svg,
        "<rect class=\"room\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
    );
    text(svg, "name", (x + 12, y + 24), name);
    text(svg, "does", (x + 12, y + 42), does);
    let (mut at, mut line) = (x + 10, y + 54);
    for block in *blocks {
        let block_width = 14 + 8 * block.len() as i32;
        if at + block_width > x + width - 4 {
            (at, line) = (x + 10, line + 28);
        }
        let _ = writeln!(
            svg,
            "<rect class=\"block\" x=\"{at}\" y=\"{line}\" width=\"{block_width}\" height=\"22\" rx=\"3\"/>"
        );
        text(svg, "block-name", (at + block_width / 2, line + 15), block);
        at += block_width + 8;
    }
}

/// The diagram of a NIC's top module.
pub fn svg(verilog: &str, preset: &str) -> String {
    let top = Top::of(verilog);
    let mut labels = labels(&top);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1360 900\" width=\"1360\" height=\"900\">\n",
    );
    let _ = writeln!(svg, "<style>{STYLE}</style>\n<defs>");
    tip(&mut svg, "tip", "#333", 8);
    tip(&mut svg, "pins-tip", "#a0522d", 4);
    svg.push_str("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    ROOMS.iter().for_each(|one| room(&mut svg, one));
    for (from, to, corners, (x, y)) in ARROWS {
        arrow(&mut svg, "arrow", corners);
        let streams = labels.remove(&(*from, *to));
        let streams = streams.unwrap_or_else(|| panic!("no stream from {from} to {to}"));
        for (line, label) in streams.iter().enumerate() {
            text(&mut svg, "label", (*x, y + 14 * line as i32), label);
        }
    }
    assert!(labels.is_empty(), "no arrow for {labels:?}");
    for (pin, corners, (x, y), what) in PINS {
        arrow(&mut svg, "pins", corners);
        let width = top.widths.get(*pin).unwrap_or_else(|| panic!("no pin {pin}"));
        let name = pin.trim_end_matches("_tdata").trim_end_matches("data");
        text(&mut svg, "label", (*x, *y), &format!("{name} {width}"));
        text(&mut svg, "does", (*x, y + 14), what);
    }
    let note = format!(
        "Preset {preset}. Numbers: bits, of a stream its data or all its fields. Not drawn: settings, \
         table rows, ends of DMA commands, read errors, and what is looked at in passing."
    );
    text(&mut svg, "does", (40, 885), &note);
    svg.push_str("</svg>\n");
    svg
}
