//! The first register in which a changed Verilog differs from another one.

use super::LockStep;
use crate::verilator::Source;
use nic_models::ports::Golden;
use std::collections::BTreeSet;

/// A register of the first DUT that differs from the second one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterDifference {
    /// Path below the top module; the word of a memory.
    pub path: String,
    /// Cycle after reset behind which it differs; `None`: at the end of reset.
    pub cycle: Option<u64>,
    /// What it is, and what it should be.
    pub values: [String; 2],
    /// Other registers that differ from the same cycle on.
    pub others: usize,
}

impl core::fmt::Display for RegisterDifference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { path, values: [is, should], .. } = self;
        write!(f, "first register that differs: {path}, {is} not {should}, behind ")?;
        match self.cycle {
            Some(cycle) => write!(f, "cycle {cycle}")?,
            None => f.write_str("reset")?,
        }
        match self.others {
            0 => Ok(()),
            others => write!(f, ", and {others} more"),
        }
    }
}

/// Registers that two DUTs have under the same names: name and places in both.
pub struct SharedRegisters(Vec<(String, usize, usize)>);

impl SharedRegisters {
    /// Of the first two DUTs, whose Verilog is `sources`.
    pub fn new<G: Golden>(engine: &mut LockStep<G>, sources: [&Source; 2]) -> Self {
        let names = sources.map(|source| assigned_at_edges(&source.text));
        let is_register = |path: &str| {
            let name = path.rsplit('.').next().unwrap_or(path);
            names.iter().any(|names| names.contains(name))
        };
        let [first, second] = [0, 1].map(|at| engine.duts[at].pins.list_registers(&is_register));
        let pair = |(place, path): (usize, String)| {
            let other = second.binary_search(&path).ok()?;
            Some((path, place, other))
        };
        Self(first.into_iter().enumerate().filter_map(pair).collect())
    }

    /// The first of those that differ now.
    pub fn difference<G: Golden>(
        &self,
        engine: &LockStep<G>,
        cycle: Option<u64>,
    ) -> Option<RegisterDifference> {
        let pins = [0, 1].map(|at| &engine.duts[at].pins);
        let mut differing = self.0.iter().filter(|(_, a, b)| {
            let [a, b] = [pins[0].register(*a), pins[1].register(*b)];
            a.1 == b.1 && a.0.len() == b.0.len() && a.0 != b.0
        });
        let (path, a, b) = differing.next()?;
        let ((is, word_bytes), (should, _)) = (pins[0].register(*a), pins[1].register(*b));
        let words = || is.chunks(word_bytes).zip(should.chunks(word_bytes)).enumerate();
        let (word, (is_word, should_word)) = words().find(|(_, (is, should))| is != should)?;
        let is_memory = is.len() > word_bytes;
        let path = if is_memory { format!("{path}[{word}]") } else { path.clone() };
        let values = [is_word, should_word].map(hex);
        Some(RegisterDifference { path, cycle, values, others: differing.count() })
    }
}

/// A little-endian number.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

/// Names that a Verilog text assigns with `<=`. A comparison does not stand where a statement
/// begins.
fn assigned_at_edges(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let name = |(at, _): (usize, &str)| {
        let before = without_index(text[..at].trim_end())?;
        let start = before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
        let lead = before[..start].trim_end();
        let begins = [";", ")", ":", "begin", "else"].iter().any(|end| lead.ends_with(end));
        begins.then_some(&before[start..])
    };
    text.match_indices("<=").filter_map(name).collect()
}

/// The text without an index behind it.
fn without_index(text: &str) -> Option<&str> {
    if !text.ends_with(']') {
        return Some(text);
    }
    let mut depth = 0;
    let opens = |(_, c): &(usize, char)| {
        depth += match c {
            ']' => 1,
            '[' => -1,
            _ => 0,
        };
        depth == 0
    };
    let (start, _) = text.char_indices().rev().find(opens)?;
    without_index(text[..start].trim_end())
}

#[cfg(test)]
mod tests {
    use super::assigned_at_edges;

    #[test]
    fn registers_are_what_a_statement_assigns_at_an_edge() {
        let text = "always @(posedge clock) begin
            count <= count_next; if (a <= b) late <= a; else mem[at[3]] <= x;
            y = c <= d;
            case (s) 2'd0: state <= 1; default: begin wide[3:0] <= 2; end endcase
            end assign z = (e <= f);";
        let names: Vec<&str> = assigned_at_edges(text).into_iter().collect();
        assert_eq!(names, ["count", "late", "mem", "state", "wide"]);
    }
}
