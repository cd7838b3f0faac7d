//! Plays what went in and out of a golden model to its Verilog in a simulator that knows X: Icarus.
//! All registers and memories begin as X there, and every output must be the golden model's in every
//! cycle, bit by bit. An `if` of X is not taken there; that neither way matters is what the random
//! states show from which Verilated models begin.

use crate::lockstep::{GoldenOnly, StepError, Stepper};
use crate::verilator::{Error, Source};
use nic_models::ports::{Golden, PortDef, PortField, Ports};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Inputs of each edge and the outputs after it; the first is the reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    inputs: Vec<PortDef>,
    outputs: Vec<PortDef>,
    edges: Vec<(Vec<u64>, Vec<u64>)>,
}

/// A recording that grows.
pub type SharedRecording = Arc<Mutex<Recording>>;

/// A golden model that leaves a recording.
#[derive(Clone, Debug)]
pub struct Recorder<G> {
    golden: GoldenOnly<G>,
    recording: SharedRecording,
}

impl<G: Golden> Recorder<G> {
    /// Records from the next reset on.
    pub fn new(golden: G, recording: &SharedRecording) -> Self {
        Self { golden: GoldenOnly(golden), recording: recording.clone() }
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, inputs: &G::In, out: &G::Out) {
        let mut words = (vec![0; G::In::WORDS], vec![0; G::Out::WORDS]);
        inputs.store(&mut words.0);
        out.store(&mut words.1);
        self.recording().edges.push(words);
    }
}

impl<G: Golden> Stepper for Recorder<G> {
    type In = G::In;
    type Out = G::Out;

    fn reset(&mut self) -> Result<G::Out, StepError> {
        let (inputs, outputs) = (G::In::port_defs(), G::Out::port_defs());
        let recording = Recording { inputs, outputs, edges: Vec::new() };
        *self.recording() = recording;
        let out = self.golden.reset()?;
        self.push(&G::In::default(), &out);
        Ok(out)
    }

    fn step(&mut self, inputs: &G::In) -> Result<G::Out, StepError> {
        let out = self.golden.step(inputs)?;
        self.push(inputs, &out);
        Ok(out)
    }
}

/// The first cycle in which an output is not the golden model's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Cycle after reset; `None`: at the end of reset.
    pub cycle: Option<usize>,
    /// Port, what it should be, what it is: in binary, with x.
    pub ports: Vec<(String, String, String)>,
}

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.cycle {
            Some(cycle) => write!(f, "cycle {cycle}")?,
            None => f.write_str("end of reset")?,
        }
        let mut ports = self.ports.iter();
        ports.try_for_each(|(name, golden, is)| write!(f, "\n  {name}: golden {golden} is {is}"))
    }
}

/// A port of the bench: where its words stand, where its bits.
struct Pin {
    name: String,
    bits: usize,
    word_index: usize,
    offset: usize,
}

/// Longest run of Icarus; Verilog that never settles has no end.
const PLAY_SECONDS: &str = "900";

impl Recording {
    /// Plays it to the Verilog in Icarus, in `folder`; the first difference. During the one cycle of
    /// reset all other inputs are X.
    pub fn play(&self, source: &Source, folder: &Path) -> Result<Option<Difference>, Error> {
        let (inputs, outputs) = (pins(&self.inputs, source)?, pins(&self.outputs, source)?);
        let io = |e: std::io::Error| Error::Io(folder.into(), e.to_string());
        std::fs::create_dir_all(folder).map_err(io)?;
        let file = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(io);
        file("dut.v", &source.text)?;
        file("bench.v", &bench(&source.top, &inputs, &outputs, self.edges.len()))?;
        let row = |(i, o): &(Vec<u64>, Vec<u64>)| hex(bits(&inputs, i).chain(bits(&outputs, o)));
        let rows = self.edges.iter().map(row);
        file("edges.hex", &rows.collect::<Vec<_>>().join("\n"))?;
        let run = |tool: &'static str, arguments: &[&str]| {
            let output = Command::new(tool).args(arguments).current_dir(folder).output();
            let output = output.map_err(|_| Error::NotInstalled(tool))?;
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            match output.status.code() {
                Some(0) => Ok(text(&output.stdout)),
                Some(124) => Err(Error::Verilog(format!("no end after {PLAY_SECONDS} s"))),
                _ => Err(Error::Verilog(text(&output.stderr))),
            }
        };
        run("iverilog", &["-g2005", "-s", "bench", "-o", "bench", "bench.v", "dut.v"])?;
        let printed = run("timeout", &[PLAY_SECONDS, "vvp", "-n", "bench"])?;
        let mut lines = printed.lines();
        match lines.next() {
            Some("same") => return Ok(None),
            Some("differs") => {}
            _ => return Err(Error::Verilog(printed)),
        }
        let mut line = || lines.next().unwrap_or_default().to_string();
        let edge: usize = line().parse().map_err(|_| Error::Verilog(printed.clone()))?;
        let (golden, is) = (line(), line());
        let of = |text: &str, pin: &Pin| {
            let end = text.len() - pin.offset;
            text[end - pin.bits..end].to_string()
        };
        let ports = outputs.iter().map(|p| (p.name.clone(), of(&golden, p), of(&is, p)));
        let ports = ports.filter(|(_, golden, is)| golden != is).collect();
        Ok(Some(Difference { cycle: edge.checked_sub(1), ports }))
    }
}

/// The ports in the widths of the Verilog, one behind the other.
fn pins(defs: &[PortDef], source: &Source) -> Result<Vec<Pin>, Error> {
    let head = source.text.split_once(&format!("\nmodule {} ", source.top)).unwrap_or_default().1;
    let head = head.split_once(");").unwrap_or_default().0;
    let mut offset = 0;
    let mut pin = |def: &PortDef| {
        let (top, port) = (source.top.clone(), def.name.clone());
        let bits = head.lines().find_map(|line| port_bits(line, &port));
        let bits = bits.ok_or(Error::PortMissing { top, port })?;
        let pin = Pin { name: def.name.clone(), bits, word_index: def.word_index, offset };
        offset += bits;
        Ok(pin)
    };
    defs.iter().map(&mut pin).collect()
}

/// Width of the port `name`, if that is what this line of a port list declares.
fn port_bits(line: &str, name: &str) -> Option<usize> {
    let mut words = line.trim().trim_end_matches(',').split_whitespace();
    if words.next_back()? != name {
        return None;
    }
    let range = words.next_back()?.strip_prefix('[').and_then(|r| r.strip_suffix(":0]"));
    range.map_or(Some(1), |top| Some(top.parse::<usize>().ok()? + 1))
}

fn width(pins: &[Pin]) -> usize {
    pins.last().map_or(0, |p| p.offset + p.bits)
}

/// The values of all ports, least significant bit first.
fn bits<'a>(pins: &'a [Pin], words: &'a [u64]) -> impl Iterator<Item = bool> + 'a {
    let bit = |pin: &Pin, i: usize| words[pin.word_index + i / 64] >> (i % 64) & 1 == 1;
    pins.iter().flat_map(move |pin| (0..pin.bits).map(move |i| bit(pin, i)))
}

/// One line of `edges.hex`.
fn hex(bits: impl Iterator<Item = bool>) -> String {
    let bits: Vec<bool> = bits.collect();
    let digit = |four: &[bool]| four.iter().rev().fold(0, |n, bit| 2 * n + u32::from(*bit));
    let digits = bits.chunks(4).rev().map(digit);
    digits.map(|n| char::from_digit(n, 16).unwrap_or('x')).collect()
}

/// The bench in Verilog: an edge a row, compared with `!==`, until one differs.
fn bench(top: &str, inputs: &[Pin], outputs: &[Pin], edge_count: usize) -> String {
    let (in_bits, out_bits) = (width(inputs), width(outputs));
    let row_bits = in_bits + out_bits;
    let mut ports = String::new();
    for (bus, pins) in [("in", inputs), ("out", outputs)] {
        for Pin { name, bits, offset, .. } in pins {
            let _ = write!(ports, ",\n        .{name}({bus}[{offset} +: {bits}])");
        }
    }
    let reset = inputs.iter().find(|p| p.name == "reset");
    let reset = reset.map_or(String::new(), |p| format!("in[{}] = 1'b1;", p.offset));
    format!(
        "`timescale 1ns/1ns
module bench;
    reg clock = 1'b0;
    reg [{in_bits}-1:0] in;
    wire [{out_bits}-1:0] out;
    reg [{row_bits}-1:0] edges [0:{edge_count}-1];
    wire [{out_bits}-1:0] golden = edges[edge_index][{row_bits}-1:{in_bits}];
    integer edge_index;

    {top} dut (
        .clock(clock){ports}
    );

    initial begin
        $readmemh(\"edges.hex\", edges);
        for (edge_index = 0; edge_index < {edge_count}; edge_index = edge_index + 1) begin
            in = edges[edge_index][{in_bits}-1:0];
            if (edge_index == 0) begin
                in = {{{in_bits}{{1'bx}}}};
                {reset}
            end
            #5 clock = 1'b1;
            #4 if (out !== golden) begin
                $display(\"differs\\n%0d\\n%b\\n%b\", edge_index, golden, out);
                $finish;
            end
            #1 clock = 1'b0;
        end
        $display(\"same\");
        $finish;
    end
endmodule
"
    )
}
