//! One mistake in a Verilog text.

use super::mistaken::{Change, Mistake};

/// Sort of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Another operator, or a dropped inversion.
    Operator,
    /// One bit of a number flipped.
    Constant,
    /// A register one bit narrower, or a selected part one bit beside itself.
    Width,
    /// An `if` always or never taken, or negated.
    Condition,
    /// An assignment left out.
    Enable,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] =
        [Kind::Operator, Kind::Constant, Kind::Width, Kind::Condition, Kind::Enable];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Constant => "constant",
            Self::Width => "width",
            Self::Condition => "condition",
            Self::Enable => "enable",
        }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Module that it is in.
    pub module: String,
    /// Sort.
    pub kind: Kind,
    /// Line in the text, from 1.
    pub line: usize,
    /// That line as it was, without indentation.
    pub line_text: String,
    /// What was replaced.
    pub from: String,
    /// What it was replaced by.
    pub to: String,
    /// Byte range of `from` in the text.
    pub(super) range: core::ops::Range<usize>,
    /// Selection order: depends on the line and the mistake, not on what surrounds them.
    pub(super) rank: u64,
}

impl Mutant {
    /// As one of several, see [`Mistaken`](super::Mistaken).
    pub fn mistake(&self) -> Mistake {
        vec![Change { range: self.range.clone(), to: self.to.clone() }]
    }

    /// `text`, from which the mutant was made, with the mistake in it.
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.range.start], self.to, &text[self.range.end..])
    }

    /// Name of the mutant that stays the same while its line and module do.
    pub fn id(&self) -> String {
        let from = self.from.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}: `{}`: {from} -> {}", self.module, self.line_text, self.to)
    }
}
