//! Timing diagrams: what a run showed, as WaveJSON, which scripts/figures draws.

use std::path::Path;

/// Narrow cycles on each side of a value that its label may take.
const LABEL_CYCLES: usize = 2;

/// Cycles of some signals as WaveJSON (WaveDrom); cycles that are left out leave a gap.
pub struct Waves {
    /// Groups of signals, and their names. The first group of all stands without a name.
    groups: Vec<(&'static str, Vec<&'static str>)>,
    /// A figure of a whole run has narrow cycles and no clock.
    is_run: bool,
    cycles: Vec<Vec<Level>>,
    /// Width of a cycle in the figure.
    scale: usize,
    /// Cycles in which nothing has moved.
    quiet: usize,
}

/// What a signal shows in a cycle.
#[derive(Clone, Debug, PartialEq)]
pub enum Level {
    /// A wire.
    Bit(bool),
    /// A value with its label.
    Value(String),
    /// A value that nobody looks at.
    Any,
    /// A cycle that is left out.
    Gap,
}

/// `text` while `valid`, else a value that nobody looks at.
pub fn value(valid: bool, text: impl FnOnce() -> String) -> Level {
    if valid {
        Level::Value(text())
    } else {
        Level::Any
    }
}

impl Waves {
    /// A diagram of these signals, below a clock.
    pub fn new(scale: usize, names: &[&'static str]) -> Self {
        let groups = vec![("", names.to_vec())];
        Self { groups, is_run: false, cycles: vec![], scale, quiet: 0 }
    }

    /// A diagram of a whole run: where no signal changes for longer than a cycle, there is a gap.
    /// Above the groups of signals stand the numbers of the cycles, counted from the first one.
    pub fn of_run(groups: &[(&'static str, &[&'static str])], run: &[Vec<Level>]) -> Self {
        let named = groups.iter().map(|(group, names)| (*group, names.to_vec()));
        let groups = [("", vec!["cycle"])].into_iter().chain(named).collect();
        let mut waves = Self { groups, is_run: true, cycles: vec![], scale: 1, quiet: 0 };
        let (mut at, mut number) = (0, String::new());
        for same in run.chunk_by(|before, next| before == next) {
            if at == 0 || waves.is_in_gap() {
                number = at.to_string();
            }
            let levels = same[0].iter().cloned();
            let cycle: Vec<Level> =
                [Level::Value(number.clone())].into_iter().chain(levels).collect();
            waves.cycle(cycle.clone());
            match same.len() {
                1 => {}
                2 => waves.cycle(cycle),
                _ => waves.gap(),
            }
            at += same.len();
        }
        waves
    }

    fn width(&self) -> usize {
        self.groups.iter().map(|(_, names)| names.len()).sum()
    }

    fn is_in_gap(&self) -> bool {
        self.cycles.last().is_some_and(|levels| levels[0] == Level::Gap)
    }

    fn gap(&mut self) {
        self.cycles.push(vec![Level::Gap; self.width()]);
    }

    /// A cycle.
    pub fn cycle(&mut self, levels: Vec<Level>) {
        assert_eq!(levels.len(), self.width());
        self.cycles.push(levels);
    }

    /// A cycle in which something moves or nothing; of quiet ones all but the first are a gap.
    pub fn cycle_that(&mut self, moves: bool, levels: Vec<Level>) {
        self.quiet = if moves { 0 } else { self.quiet + 1 };
        match self.quiet {
            0 | 1 => self.cycle(levels),
            2 => self.gap(),
            _ => {}
        }
    }

    /// The clock's line.
    fn clock(&self) -> String {
        let symbol = |(i, levels): (usize, &Vec<Level>)| match levels[0] {
            Level::Gap => '|',
            _ if i == 0 => 'p',
            _ => '.',
        };
        let clock: String = self.cycles.iter().enumerate().map(symbol).collect();
        format!("  {{\"name\": \"clock\", \"wave\": \"{clock}\"}}")
    }

    /// Whether a label comes to lie over this cycle. Narrow cycles leave labels room in their
    /// neighbours, where no gap is drawn, then.
    fn is_labelled(&self, signal: usize, cycle: usize) -> bool {
        let near = cycle.saturating_sub(LABEL_CYCLES)..=cycle + LABEL_CYCLES;
        let mut near = near.filter_map(|cycle| self.cycles.get(cycle));
        self.is_run && near.any(|levels| matches!(levels[signal], Level::Value(_)))
    }

    /// A signal's line.
    fn line(&self, signal: usize, name: &str) -> String {
        let (mut wave, mut data, mut last) = (String::new(), vec![], None);
        for (cycle, levels) in self.cycles.iter().enumerate() {
            let level = &levels[signal];
            if *level == Level::Gap {
                wave.push(if self.is_labelled(signal, cycle) { '.' } else { '|' });
                continue;
            }
            let symbol = match level {
                Level::Bit(bit) => ['0', '1'][usize::from(*bit)],
                Level::Value(_) => '=',
                Level::Any | Level::Gap => 'x',
            };
            if last == Some(level) {
                wave.push('.');
                continue;
            }
            wave.push(symbol);
            if let Level::Value(text) = level {
                data.push(format!("\"{text}\""));
            }
            last = Some(level);
        }
        let data = match data.len() {
            0 => String::new(),
            _ => format!(", \"data\": [{}]", data.join(", ")),
        };
        format!("  {{\"name\": \"{name}\", \"wave\": \"{wave}\"{data}}}")
    }

    /// The figure's source.
    fn json(&self) -> String {
        let mut lines = vec![];
        if !self.is_run {
            lines.push(self.clock());
        }
        let mut signal = 0;
        for (group, names) in &self.groups {
            let own = names.iter().enumerate().map(|(at, name)| self.line(signal + at, name));
            match *group {
                "" => lines.extend(own),
                _ => {
                    let own: Vec<String> = own.collect();
                    lines.push(format!(" [\"{group}\",\n{}\n ]", own.join(",\n")));
                }
            }
            signal += names.len();
        }
        let skin = if self.is_run { ", \"skin\": \"narrow\"" } else { "" };
        let config = format!("\"config\": {{\"hscale\": {}{skin}}}", self.scale);
        format!("{{\"signal\": [\n{}\n], {config}}}\n", lines.join(",\n"))
    }

    /// Holds the committed figure `path` (without its extension) against this one; `UPDATE_PAGES=1`
    /// writes its source.
    pub fn check(&self, path: &str) {
        let file = |extension: &str| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            root.join(format!("{path}.{extension}"))
        };
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(file("json"), self.json()).expect("the folder can be written");
        }
        let advice = "is stale: UPDATE_PAGES=1 cargo test --test tool -- cores:: figures::, then scripts/figures";
        let committed = std::fs::read_to_string(file("json")).unwrap_or_default();
        assert_eq!(committed, self.json(), "{path}.json {advice}");
        let svg = std::fs::read_to_string(file("svg")).unwrap_or_default();
        assert!(svg.contains(committed.trim_end()), "{path}.svg {advice}");
    }
}
