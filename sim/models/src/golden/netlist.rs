//! Composes twins by port name, as the structural Verilog does: streams connect field by field.

use crate::ports::{Golden, PortDef, PortField, Ports};
use crate::starts::Starts;
use std::collections::BTreeMap;
use std::ops::Range;

/// A twin with its types erased: inputs and outputs are words in port order.
trait Erased: Send {
    fn step(&mut self, inputs: &[u64], outputs: &mut [u64]);
    fn starts(&mut self, starts: &mut Starts<'_>, outputs: &mut [u64]) -> bool;
}

impl<G: Golden + Send> Erased for G {
    fn step(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        Golden::step(self, &G::In::load(inputs)).store(outputs);
    }

    fn starts(&mut self, starts: &mut Starts<'_>, outputs: &mut [u64]) -> bool {
        let changed = Golden::starts(self, starts);
        changed.inspect(|out| out.store(outputs)).is_some()
    }
}

/// One block of the netlist. Block 0 is the surroundings: what they drive are the netlist's inputs.
struct Node {
    name: &'static str,
    twin: Option<Box<dyn Erased>>,
    sinks: BTreeMap<String, PortDef>,
    sources: BTreeMap<String, PortDef>,
    /// Its inputs in the words of all sinks, its outputs in those of all sources.
    sink_words: Range<usize>,
    source_words: Range<usize>,
}

/// Words of wires: copied from sources to sinks before every edge.
#[derive(Clone, Copy, Debug)]
struct Copy {
    from: usize,
    to: usize,
    count: usize,
}

impl Copy {
    #[inline]
    fn carry(&self, sources: &[u64], sinks: &mut [u64]) {
        let from = &sources[self.from..self.from + self.count];
        sinks[self.to..self.to + self.count].copy_from_slice(from);
    }
}

/// The same copies, those side by side as one.
fn joined(mut copies: Vec<Copy>) -> Vec<Copy> {
    copies.sort_by_key(|copy| copy.to);
    let mut runs: Vec<Copy> = vec![];
    for copy in copies {
        match runs.last_mut() {
            Some(run) if (run.from + run.count, run.to + run.count) == (copy.from, copy.to) => {
                run.count += copy.count;
            }
            _ => runs.push(copy),
        }
    }
    runs
}

/// Bits of a source that stand among those of a sink.
#[derive(Clone, Copy, Debug)]
struct Part {
    from: usize,
    low_bit: u32,
    mask: u64,
    to: usize,
    shift: u32,
}

/// Where the value of a block's output is found; see [`Netlist::probe`].
#[derive(Clone, Copy, Debug)]
pub struct Probe(usize);

/// Blocks and the wires between them.
pub struct Netlist {
    nodes: Vec<Node>,
    /// Values of all sinks, then of all sources, block after block.
    sink_words: Vec<u64>,
    source_words: Vec<u64>,
    copies: Vec<Copy>,
    parts: Vec<Part>,
    /// The copies that end at pins.
    pins: Vec<Copy>,
    driven: Vec<(usize, String)>,
    resets: Vec<usize>,
}

impl std::fmt::Debug for Netlist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.nodes.iter().map(|n| n.name)).finish()
    }
}

fn by_name(defs: Vec<PortDef>) -> BTreeMap<String, PortDef> {
    defs.into_iter().map(|def| (def.name.clone(), def)).collect()
}

impl Netlist {
    /// A netlist with these pins and no block; its surroundings are called `pins`.
    pub fn new<I: Ports, O: Ports>() -> Self {
        let surroundings = Node {
            name: "pins",
            twin: None,
            sinks: by_name(O::port_defs()),
            sources: by_name(I::port_defs()),
            sink_words: 0..O::WORDS,
            source_words: 0..I::WORDS,
        };
        Self {
            nodes: vec![surroundings],
            sink_words: vec![0; O::WORDS],
            source_words: vec![0; I::WORDS],
            copies: vec![],
            parts: vec![],
            pins: vec![],
            driven: vec![],
            resets: vec![],
        }
    }

    /// Adds a block.
    pub fn add<G: Golden + Send + 'static>(&mut self, name: &'static str, twin: G) {
        let sinks = by_name(G::In::port_defs());
        let (sink, source) = (self.sink_words.len(), self.source_words.len());
        self.sink_words.resize(sink + G::In::WORDS, 0);
        self.source_words.resize(source + G::Out::WORDS, 0);
        if let Some(reset) = sinks.get("reset") {
            self.resets.push(sink + reset.word_index);
        }
        self.nodes.push(Node {
            name,
            twin: Some(Box::new(twin)),
            sinks,
            sources: by_name(G::Out::port_defs()),
            sink_words: sink..self.sink_words.len(),
            source_words: source..self.source_words.len(),
        });
    }

    /// Node and port prefix of `block.stream`.
    fn find(&self, path: &str) -> (usize, String) {
        let (block, port) = path.split_once('.').expect("block.port");
        let node = self.nodes.iter().position(|n| n.name == block);
        (node.unwrap_or_else(|| panic!("no block {block}")), port.into())
    }

    fn connect(&mut self, from: (usize, &PortDef), to: (usize, &PortDef)) {
        let sink = (to.0, to.1.name.clone());
        assert!(
            !self.driven.contains(&sink),
            "{}.{} is driven twice",
            self.nodes[to.0].name,
            sink.1
        );
        self.driven.push(sink);
        let copy = Copy {
            from: self.nodes[from.0].source_words.start + from.1.word_index,
            to: self.nodes[to.0].sink_words.start + to.1.word_index,
            count: from.1.word_count.min(to.1.word_count),
        };
        if to.0 == 0 {
            self.pins.push(copy);
        } else {
            self.copies.push(copy);
        }
    }

    /// Connects one port: `wire("registers.cfg_ttl", "tx.cfg_ttl")`.
    pub fn wire(&mut self, from: &str, to: &str) {
        let ((a, source), (b, sink)) = (self.find(from), self.find(to));
        let source = self.nodes[a].sources.get(&source).unwrap_or_else(|| panic!("no port {from}"));
        let sink = self.nodes[b].sinks.get(&sink).unwrap_or_else(|| panic!("no port {to}"));
        let (source, sink) = (source.clone(), sink.clone());
        self.connect((a, &source), (b, &sink));
    }

    fn part(&mut self, from: &str, bits: (u32, u32), to: &str, shift: u32) {
        let ((a, source), (b, sink)) = (self.find(from), self.find(to));
        let source = self.nodes[a].sources.get(&source).unwrap_or_else(|| panic!("no port {from}"));
        let sink_def = self.nodes[b].sinks.get(&sink).unwrap_or_else(|| panic!("no port {to}"));
        let (low_bit, count) = bits;
        self.parts.push(Part {
            from: self.nodes[a].source_words.start + source.word_index,
            low_bit,
            mask: u64::MAX >> (64 - count),
            to: self.nodes[b].sink_words.start + sink_def.word_index,
            shift,
        });
        self.driven.push((b, sink));
    }

    /// Connects bits of one port, of lowest bit and count: `slice("a.m_data", (4, 6), "b.s_flow")`.
    pub fn slice(&mut self, from: &str, bits: (u32, u32), to: &str) {
        self.part(from, bits, to, 0);
    }

    /// Connects several ports to one, each at its bit and with its count of bits.
    pub fn join(&mut self, from: &[(&str, u32, u32)], to: &str) {
        from.iter().for_each(|(port, at, count)| self.part(port, (0, *count), to, *at));
    }

    /// Connects all fields of a stream, both directions: `stream("rx.m_req", "responder.s_req")`.
    pub fn stream(&mut self, from: &str, to: &str) {
        let (a, b) = (self.find(from), self.find(to));
        let forward = self.fields(&a, &b);
        let backward = self.fields(&b, &a);
        assert!(!forward.is_empty(), "{from} and {to} have no field in common");
        for (source, sink) in forward {
            self.connect((a.0, &source), (b.0, &sink));
        }
        for (source, sink) in backward {
            self.connect((b.0, &source), (a.0, &sink));
        }
    }

    /// Sources of stream `from` beside the sinks of stream `to` of the same field.
    fn fields(&self, from: &(usize, String), to: &(usize, String)) -> Vec<(PortDef, PortDef)> {
        let prefix = format!("{}_", to.1);
        let sinks = self.nodes[to.0].sinks.iter().filter_map(|(name, def)| {
            let field = name.strip_prefix(&prefix)?;
            let source = self.nodes[from.0].sources.get(&format!("{}_{field}", from.1))?;
            Some((source.clone(), def.clone()))
        });
        sinks.collect()
    }

    /// Where to look at an output of up to 64 bits: `probe("window_in.m_rate_flow")`.
    pub fn probe(&self, path: &str) -> Probe {
        let (at, port) = self.find(path);
        let node = &self.nodes[at];
        let def = node.sources.get(&port).unwrap_or_else(|| panic!("no port {path}"));
        Probe(node.source_words.start + def.word_index)
    }

    /// What a block drives since the last edge.
    pub fn value(&self, probe: Probe) -> u64 {
        self.source_words[probe.0]
    }

    /// All is connected. Panics if a sink is not driven.
    pub fn finish(&mut self) {
        for (index, node) in self.nodes.iter().enumerate() {
            for name in node.sinks.keys().filter(|n| *n != "reset") {
                let driven = self.driven.iter().any(|(at, port)| *at == index && port == name);
                assert!(driven, "{}.{name} is not driven", node.name);
            }
        }
        self.copies = joined(std::mem::take(&mut self.copies));
        self.pins = joined(std::mem::take(&mut self.pins));
    }

    /// One rising edge.
    pub fn step<I: Ports, O: Ports>(&mut self, inputs: &I, reset: bool) -> O {
        inputs.store(&mut self.source_words[..I::WORDS]);
        self.copies.iter().for_each(|c| c.carry(&self.source_words, &mut self.sink_words));
        self.parts.iter().for_each(|part| self.sink_words[part.to] = 0);
        for part in &self.parts {
            let bits = self.source_words[part.from] >> part.low_bit & part.mask;
            self.sink_words[part.to] |= bits << part.shift;
        }
        for word in &self.resets {
            self.sink_words[*word] = u64::from(reset);
        }
        for node in &mut self.nodes {
            if let Some(twin) = &mut node.twin {
                let outputs = &mut self.source_words[node.source_words.clone()];
                twin.step(&self.sink_words[node.sink_words.clone()], outputs);
            }
        }
        self.outputs()
    }

    /// Outputs of the whole are outputs of blocks, after the last edge.
    fn outputs<O: Ports>(&mut self) -> O {
        self.pins.iter().for_each(|c| c.carry(&self.source_words, &mut self.sink_words));
        O::load(&self.sink_words[..O::WORDS])
    }

    /// As [`Golden::starts`], of all blocks.
    pub fn starts<O: Ports>(&mut self, starts: &mut Starts<'_>) -> Option<O> {
        let mut has_changed = false;
        for node in &mut self.nodes {
            let Some(twin) = &mut node.twin else { continue };
            let outputs = &mut self.source_words[node.source_words.clone()];
            has_changed |= starts.within(node.name, |s| twin.starts(s, outputs));
        }
        has_changed.then(|| self.outputs())
    }
}
