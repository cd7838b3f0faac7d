//! Cells: modules written in Verilog with parameters, one for all sizes.
//!
//! rust-hdl has no parameters: what it describes is emitted once a size. RAMs, FIFOs, delays and
//! the like stand in a design in dozens of sizes; so they are written once, as the whole text of a
//! module, and an instance says its sizes. The ports of the text are held against the Rust struct.

use crate::ir::{Dir, Port};
use crate::walk::Scope;
use rust_hdl_core::ast::Verilog;
use std::fmt::Display;

/// The first line that tells a cell's text from other Verilog, and gives the parameters.
const MARK: &str = "// cell:";

/// A cell: the text of a module, and the value of each of its parameters.
pub fn cell(text: &str, parameters: &[(&str, &dyn Display)]) -> Verilog {
    let values: Vec<String> = parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
    Verilog::Custom(format!("{MARK} {}\n{}", values.join(" "), text.trim_start()))
}

/// A cell as its block gives it.
#[derive(Debug)]
pub struct Cell {
    /// The module's text.
    pub text: String,
    /// Name and value of each parameter.
    pub parameters: Vec<(String, String)>,
}

impl Cell {
    /// The cell that a block is; none for another block.
    pub fn of(scope: &Scope) -> Option<Self> {
        let Verilog::Custom(custom) = &scope.hdl else { return None };
        let (values, text) = custom.strip_prefix(MARK)?.split_once('\n')?;
        let value = |word: &str| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_string(), value.to_string()))
        };
        let parameters = values.split_whitespace().map(value).collect::<Option<_>>()?;
        Some(Self { text: text.to_string(), parameters })
    }

    /// What follows the list of ports.
    pub fn body(&self) -> &str {
        self.text.split_once(");\n").map_or("", |(_, body)| body)
    }

    /// What in the text doesn't fit the parameters and ports of the block; none if all does.
    pub fn mismatch(&self, ports: &[Port]) -> Option<String> {
        let Some((head, _)) = self.text.split_once(");\n") else {
            return Some("has no port list that ends in `);`".into());
        };
        let declared = lines(head, "parameter ").filter_map(|l| l.split_once(" = "));
        let names: Vec<&str> = declared.map(|(name, _)| name).collect();
        if names != self.parameters.iter().map(|p| p.0.as_str()).collect::<Vec<_>>() {
            return Some(format!("declares the parameters {}", names.join(", ")));
        }
        let found: Vec<_> = head.lines().filter_map(|l| self.port(l)).collect();
        let want: Vec<_> = ports.iter().map(|p| (p.dir, p.name.clone(), Some(p.width))).collect();
        let differs = found.iter().zip(&want).find(|(f, w)| f != w);
        match differs {
            Some(((_, name, width), want)) => {
                let width = width.map_or("an unknown width".into(), |w| format!("{w} bits"));
                let (dir, want, bits) = want;
                let want = format!("{dir:?} `{want}` of {} bits", bits.unwrap_or_default());
                Some(format!("has port `{name}` of {width} where the block has {want}"))
            }
            None if found.len() != want.len() => {
                Some(format!("has {} ports where the block has {}", found.len(), want.len()))
            }
            None => None,
        }
    }

    /// Direction, name and width of a port's line.
    fn port(&self, line: &str) -> Option<(Dir, String, Option<usize>)> {
        let line = line.trim().trim_end_matches(',');
        let (dir, rest) = match line.split_once(char::is_whitespace)? {
            ("input", rest) => (Dir::In, rest),
            ("output", rest) => (Dir::Out, rest),
            _ => return None,
        };
        let name = rest.split_whitespace().last()?.to_string();
        let width = match rest.split_once('[') {
            Some((_, range)) => range.split_once(":0]").and_then(|(top, _)| self.value(top)),
            None => return Some((dir, name, Some(1))),
        };
        Some((dir, name, width.map(|top| top + 1)))
    }

    /// The value of a sum such as `A+B-1`.
    fn value(&self, sum: &str) -> Option<usize> {
        let term = |text: &str| {
            let named = self.parameters.iter().find(|p| p.0 == text).map(|p| p.1.as_str());
            named.unwrap_or(text).parse::<isize>().ok()
        };
        let spaced = sum.replace('-', "+-");
        let terms = spaced.split('+').filter(|t| !t.is_empty()).map(term);
        terms.sum::<Option<isize>>()?.try_into().ok()
    }

    /// The text with the parameters' values as their defaults: what a cell that is the top shows.
    pub fn with_own_defaults(&self) -> String {
        let default = |line: &str| {
            let (name, _) = line.trim_start().strip_prefix("parameter ")?.split_once(" = ")?;
            let value = &self.parameters.iter().find(|p| p.0 == name)?.1;
            let comma = if line.ends_with(',') { "," } else { "" };
            Some(format!("    parameter {name} = {value}{comma}\n"))
        };
        self.text.lines().map(|l| default(l).unwrap_or_else(|| format!("{l}\n"))).collect()
    }
}

/// The lines that begin with `word`, without it.
fn lines<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |l| l.trim_start().strip_prefix(word))
}

#[cfg(test)]
mod tests {
    use super::cell;
    use crate::{emit_block, Design, EmitError};
    use nic_block::block;
    use rust_hdl_core::prelude::*;

    const TEXT: &str = "
module step #(
    parameter WIDTH = 8
) (
    input  wire             clock,
    input  wire [WIDTH-1:0] d,
    output reg  [WIDTH-1:0] q
);

    always @(posedge clock) q <= d;

endmodule
";

    /// A register, with ports that fit its text or don't.
    #[block(no_reset)]
    struct Step<const W: usize, const QW: usize> {
        pub d: Signal<In, Bits<W>>,
        pub q: Signal<Out, Bits<QW>>,
    }

    impl<const W: usize, const QW: usize> Logic for Step<W, QW> {
        fn update(&mut self) {}

        fn hdl(&self) -> Verilog {
            cell(TEXT, &[("WIDTH", &W)])
        }
    }

    #[block(no_reset)]
    struct Steps {
        pub d: Signal<In, Bits<3>>,
        pub e: Signal<In, Bits<40>>,
        pub q: Signal<Out, Bits<3>>,
        pub r: Signal<Out, Bits<40>>,
        narrow: Step<3, 3>,
        wide: Step<40, 40>,
    }

    impl Logic for Steps {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.d.next = self.d.val();
            self.wide.d.next = self.e.val();
            self.q.next = self.narrow.q.val();
            self.r.next = self.wide.q.val();
        }
    }

    fn emitted(block: &impl Block) -> Result<Design, EmitError> {
        emit_block("uut", block, "test")
    }

    #[test]
    fn two_sizes_are_one_module() {
        let design = emitted(&Steps::default()).expect("accepted");
        let names: Vec<&str> = design.modules.iter().map(|m| m.0.as_str()).collect();
        assert_eq!(names, ["step", "uut"]);
        assert!(design.modules[0].1.contains("module step #(\n    parameter WIDTH = 8\n) ("));
        assert!(design.modules[1].1.contains("step #(.WIDTH(3)) narrow ("));
        assert!(design.modules[1].1.contains("step #(.WIDTH(40)) wide ("));
    }

    #[test]
    fn a_top_has_its_own_size() {
        let design = emitted(&Step::<5, 5>::default()).expect("accepted");
        assert!(design.modules[0].1.contains("module uut #(\n    parameter WIDTH = 5\n) ("));
    }

    #[test]
    fn ports_that_differ_are_refused() {
        let error = emitted(&Step::<5, 6>::default()).expect_err("accepted").to_string();
        assert!(error.contains("port `q` of 5 bits"), "{error}");
    }
}
