//! Why a block is refused.

use std::fmt;

/// The rule that a finding breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The catalogue has no block of this name.
    UnknownBlock,
    /// The block's structure can't be turned into a module (no marker, odd flip-flop, tristate).
    Structure,
    /// `hdl()` is empty: `#[hdl_gen]` was forgotten.
    EmptyKernel,
    /// Two different signals would have one name.
    Collision,
    /// A name is a keyword of Verilog or SystemVerilog.
    Keyword,
    /// A kernel uses a name that the block doesn't declare.
    Undeclared,
    /// `a & b == c`: Rust and Verilog bind these operators differently.
    Precedence,
    /// Arithmetic or `!` whose carry Verilog would keep where Rust drops it.
    Spill,
    /// A signed value compared with a literal.
    SignedLiteral,
    /// Slices, casts and operators whose Verilog is not the kernel's meaning or no Verilog at all.
    Form,
    /// Operand widths differ, or a width can't be known.
    Width,
    /// Something keeps its value over a path of the kernel: a latch.
    Latch,
    /// Something that must be driven never is.
    Undriven,
    /// A local is read before it has its value.
    ReadFirst,
    /// A combinational loop.
    Loop,
    /// An output depends on an input within the cycle.
    Moore,
}

/// One reason: where, which rule, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `block.signal` or `block.instance.signal`.
    pub place: String,
    /// The rule that is broken.
    pub rule: Rule,
    /// What is wrong, and what to do.
    pub text: String,
}

/// A design that is refused, with all reasons that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// At least one.
    pub findings: Vec<Finding>,
}

impl EmitError {
    /// An error with one finding.
    pub fn one(place: impl Into<String>, rule: Rule, text: impl Into<String>) -> Self {
        Self { findings: vec![Finding::new(place, rule, text)] }
    }
}

impl Finding {
    /// A finding.
    pub fn new(place: impl Into<String>, rule: Rule, text: impl Into<String>) -> Self {
        Self { place: place.into(), rule, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)?;
        match self.rule {
            // The name was the user's: no rule of kernels is broken.
            Rule::UnknownBlock => Ok(()),
            rule => write!(f, " [{rule:?}]"),
        }
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.findings.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for EmitError {}
