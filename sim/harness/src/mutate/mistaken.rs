//! A design with several mistakes of which each run makes one: one model holds them all, and an
//! additional input of the top level chooses. A model takes seconds to build, and a run often less.
//!
//! A statement becomes `begin if (top.mistake == n) begin ... end else begin ... end end`, an
//! expression `(top.mistake == n ? (...) : (...))`. Where neither can stand (widths of registers,
//! parameters, connections of instances) the mistake gets a model of its own.

use super::syntax::{closing, places, What};
use super::token::{tokens, Token};
use crate::bench::{Bench, Failure, Options, Report};
use crate::verilator::{Flavour, Source};
use core::ops::Range;
use std::collections::BTreeSet;

/// Name of the input; 0 is none.
const INPUT: &str = "mistake";

/// A piece of a text, and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What stands there instead.
    pub to: String,
}

impl Change {
    /// The first `from` of `text` becomes `to`, if there is one. What both begin and end with is no
    /// part of the change.
    pub fn first(text: &str, from: &str, to: &str) -> Option<Self> {
        let at = text.find(from)?;
        let like = |a: &mut dyn Iterator<Item = (char, char)>| -> usize {
            a.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let head = like(&mut from.chars().zip(to.chars()));
        let (from, to) = (&from[head..], &to[head..]);
        let tail = like(&mut from.chars().rev().zip(to.chars().rev()));
        let range = at + head..at + head + from.len() - tail;
        Some(Self { range, to: to[..to.len() - tail].into() })
    }
}

/// A mistake: changes that are made together.
pub type Mistake = Vec<Change>;

/// A design and mistakes in it.
#[derive(Clone, Debug)]
pub struct Mistaken<'a> {
    source: &'a Source,
    mistakes: &'a [Mistake],
    /// The Verilog with those that the input chooses.
    chosen: Source,
    /// Whether the input chooses it.
    is_chosen: Vec<bool>,
}

/// A statement or expression with mistakes in it.
struct Spot {
    range: Range<usize>,
    is_statement: bool,
    /// Number of the mistake, and its text.
    texts: Vec<(usize, String)>,
}

impl<'a> Mistaken<'a> {
    /// The design with all `mistakes`.
    pub fn new(source: &'a Source, mistakes: &'a [Mistake]) -> Self {
        let mut spots = spots(&source.text);
        let mut is_chosen = Vec::new();
        for (number, mistake) in (1..).zip(mistakes) {
            let found: Option<BTreeSet<usize>> =
                mistake.iter().map(|change| smallest(&spots, &change.range)).collect();
            is_chosen.push(found.is_some());
            for spot in found.into_iter().flatten() {
                let spot = &mut spots[spot];
                let text = changed(&source.text, spot.range.clone(), mistake);
                spot.texts.push((number, text));
            }
        }
        spots.retain(|spot| !spot.texts.is_empty());
        spots.sort_by_key(|spot| (spot.range.start, usize::MAX - spot.range.end));
        let text = render(&source.text, 0..source.text.len(), &spots, &source.top);
        let chosen = Source { text: with_input(&text, &source.top), ..source.clone() };
        Self { source, mistakes, chosen, is_chosen }
    }

    /// Runs the bench with the mistake of this index. A model of its own is built in the flavour
    /// for the run's cycles.
    pub fn run(
        &self,
        bench: &Bench,
        mistake: usize,
        options: &Options,
    ) -> Result<Report, Box<Failure>> {
        if self.is_chosen[mistake] {
            return self.run_chosen(bench, mistake as u64 + 1, options);
        }
        let flavour = Flavour::for_cycles(options.cycles);
        bench.run(&self.alone(mistake), &Options { flavour, ..options.clone() })
    }

    /// The Verilog with the mistake of this index, and no other.
    pub fn alone(&self, mistake: usize) -> Source {
        let text = &self.source.text;
        let text = changed(text, 0..text.len(), &self.mistakes[mistake]);
        Source { text, ..self.source.clone() }
    }

    /// Runs the model that holds the mistakes, and makes none.
    pub fn run_right(&self, bench: &Bench, options: &Options) -> Result<Report, Box<Failure>> {
        self.run_chosen(bench, 0, options)
    }

    fn run_chosen(
        &self,
        bench: &Bench,
        number: u64,
        options: &Options,
    ) -> Result<Report, Box<Failure>> {
        let mut options = options.clone();
        options.extra_inputs.push((INPUT.into(), number));
        bench.run(&self.chosen, &options)
    }
}

/// All statements and expressions.
fn spots(text: &str) -> Vec<Spot> {
    let tokens = tokens(text);
    let is_usable = |what| !matches!(what, What::Declaration | What::Constant);
    let usable = places(&tokens).into_iter().filter(|p| !p.is_initial && is_usable(p.what));
    let spot = |tokens_of: Range<usize>, what| {
        let last = tokens[tokens_of.end - 1];
        let range = tokens[tokens_of.start].at..last.at + last.text.len();
        let is_statement = matches!(what, What::Simple | What::Compound);
        Spot { range, is_statement, texts: Vec::new() }
    };
    usable.filter(|p| !p.tokens.is_empty()).map(|p| spot(p.tokens, p.what)).collect()
}

/// Index of the smallest spot that holds `range`.
fn smallest(spots: &[Spot], range: &Range<usize>) -> Option<usize> {
    let holds = |spot: &Spot| spot.range.start <= range.start && range.end <= spot.range.end;
    let holding = spots.iter().enumerate().filter(|(_, spot)| holds(spot));
    holding.min_by_key(|(_, spot)| spot.range.len()).map(|(at, _)| at)
}

/// The text in `range` with those of the changes that lie in it.
fn changed(text: &str, range: Range<usize>, changes: &[Change]) -> String {
    let lies_in = |c: &&Change| range.start <= c.range.start && c.range.end <= range.end;
    let mut changes: Vec<&Change> = changes.iter().filter(lies_in).collect();
    changes.sort_by_key(|c| c.range.start);
    let (mut result, mut at) = (String::new(), range.start);
    for change in changes {
        result += &text[at..change.range.start];
        result += &change.to;
        at = change.range.end;
    }
    result + &text[at..range.end]
}

/// The text in `range` with the `spots` in it.
fn render(text: &str, range: Range<usize>, spots: &[Spot], top: &str) -> String {
    let (mut result, mut at, mut rest) = (String::new(), range.start, spots);
    while let Some((spot, others)) = rest.split_first() {
        result += &text[at..spot.range.start];
        let inner = others.partition_point(|s| s.range.start < spot.range.end);
        let right = render(text, spot.range.clone(), &others[..inner], top);
        // Lines of their own: a text may end in a comment.
        result += if spot.is_statement { "begin " } else { "(" };
        for (number, text) in &spot.texts {
            let asks = format!("{top}.{INPUT} == 16'd{number}");
            result += &match spot.is_statement {
                true => format!("if ({asks}) begin\n{text}\nend else "),
                false => format!("{asks} ? (\n{text}\n) : "),
            };
        }
        result += &match spot.is_statement {
            true => format!("begin\n{right}\nend end"),
            false => format!("(\n{right}\n))"),
        };
        at = spot.range.end;
        rest = &others[inner..];
    }
    result + &text[at..range.end]
}

/// The text with the input of the top level.
fn with_input(text: &str, top: &str) -> String {
    let tokens = tokens(text);
    let is_head = |pair: &[Token<'_>]| pair[0].text == "module" && pair[1].text == top;
    let name = tokens.windows(2).position(is_head).expect("the top module") + 1;
    let has_parameters = tokens[name + 1].text == "#";
    let open = if has_parameters { closing(&tokens, name + 2) + 1 } else { name + 1 };
    let at = tokens[open].at + 1;
    format!("{}input wire [15:0] {INPUT}, {}", &text[..at], &text[at..])
}
