//! How far a flow's bytes are from the integral of its rate, in any interval.
//!
//! Over a span in which a flow has work and an open window, D(t) is what it has sent less the
//! integral of its rate. An interval of the span is as wrong as D differs between its ends, so the
//! worst of all intervals is the largest D less the smallest: no interval need be looked at.

use super::history::{Event, FlowHistory, History, Sent};
use super::load::{Case, MS_CYCLES};

/// The start, when all flows begin at once, is not measured.
const WARM_UP_CYCLES: u64 = 5 * MS_CYCLES;

/// What a run has shown.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub name: String,
    pub load_percent: u32,
    /// What is promised of it.
    pub deviation_max: f64,
    /// Largest error of any interval, in units of the flow's arm and the longest one.
    pub deviation: f64,
    /// Whose it is, and the cycles between which it came.
    pub flow: usize,
    pub interval: (u64, u64),
    /// The same over all spans of a flow together, where each new span may add an arm. What is sent
    /// while the window is closed counts too.
    pub across: f64,
    /// The same in the millisecond after all windows have opened at once, which may be worse.
    pub settling: f64,
    /// How much more all flows together got than they asked for, in percent, beyond what the
    /// flows' phases at both ends explain; none where flows are interrupted.
    pub drift_percent: f64,
    /// Share of the line's time that was used.
    pub utilisation: f64,
    /// Longest time from a flow's credit, as it ideally is, to its grant.
    pub wait_cycles: u64,
    pub wait_flow: usize,
    /// Grants that were decided while the window was closed.
    pub blocked_grants: u64,
}

/// A flow's ideal at a time: both grow only while it has work and an open window.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    cycle: f64,
    active_cycles: f64,
    asked_bytes: f64,
}

/// The integral of a flow's rate, a straight line between any two points.
struct Ideal {
    points: Vec<Point>,
    /// Spans in which the flow has work and an open window.
    spans: Vec<(u64, u64)>,
}

impl Ideal {
    fn new(flow: &FlowHistory, end: u64) -> Self {
        let (mut is_open, mut asks, mut rate) = (false, false, 0);
        let mut at = Point::default();
        let (mut points, mut spans) = (vec![at], Vec::new());
        let mut since = None;
        let last = (end, Event::Asks(false));
        for (cycle, event) in flow.events.iter().copied().chain([last]) {
            let gone = cycle as f64 - at.cycle;
            at.cycle = cycle as f64;
            if since.is_some() {
                at.active_cycles += gone;
                at.asked_bytes += gone * f64::from(rate) / f64::from(1 << 24);
            }
            points.push(at);
            match event {
                Event::Rate(next) => rate = next,
                Event::Opens(next) => is_open = next,
                Event::Asks(next) => asks = next,
            }
            if is_open && asks {
                since = since.or(Some(cycle));
            } else if let Some(from) = since.take() {
                spans.push((from, cycle));
            }
        }
        Self { points, spans }
    }

    /// The point whose `key` is `value`: the first one, where the line is level.
    fn at(&self, value: f64, key: fn(&Point) -> f64) -> Point {
        let after = self.points.partition_point(|p| key(p) < value).min(self.points.len() - 1);
        let (a, b) = (self.points[after.saturating_sub(1)], self.points[after]);
        let width = key(&b) - key(&a);
        let share = if width > 0.0 { ((value - key(&a)) / width).min(1.0) } else { 1.0 };
        let between = |a: f64, b: f64| a + share * (b - a);
        Point {
            cycle: between(a.cycle, b.cycle),
            active_cycles: between(a.active_cycles, b.active_cycles),
            asked_bytes: between(a.asked_bytes, b.asked_bytes),
        }
    }

    fn at_cycle(&self, cycle: f64) -> Point {
        self.at(cycle, |p| p.cycle)
    }

    /// When so many bytes have been asked for.
    fn at_bytes(&self, bytes: f64) -> Point {
        self.at(bytes, |p| p.asked_bytes)
    }
}

/// Arms of one flow that went out one after the other.
#[derive(Clone, Copy)]
struct Arms<'a> {
    sent: &'a [Sent],
    len_bytes: f64,
}

impl<'a> Arms<'a> {
    /// Bytes that were on the line before `cycle`; those of an arm leave evenly.
    fn until(&self, cycle: f64) -> f64 {
        let begun = self.sent.partition_point(|arm| arm.start < cycle);
        let Some(last) = begun.checked_sub(1).map(|i| self.sent[i]) else { return 0.0 };
        let share = ((cycle - last.start) / (last.end - last.start)).min(1.0);
        self.len_bytes * ((begun - 1) as f64 + share)
    }

    /// Those granted in a span. A grant belongs to the span that it was given in: that it leaves
    /// later is no error of the next one.
    fn granted_in(&self, (from, to): (u64, u64)) -> Self {
        let place = |cycle| self.sent.partition_point(|arm| arm.granted < cycle);
        Self { sent: &self.sent[place(from)..place(to + 1)], ..*self }
    }

    /// Where D turns between two cycles: there, and where an arm begins or ends.
    fn turns(&self, from: f64, to: f64) -> impl Iterator<Item = f64> + use<'a> {
        let (sent, place) = (self.sent, |cycle| self.sent.partition_point(|a| a.end < cycle));
        let edges = sent[place(from)..].iter().flat_map(|arm| [arm.start, arm.end]);
        let inside = edges.take_while(move |cycle| *cycle < to).filter(move |cycle| *cycle > from);
        core::iter::once(from).chain(inside).chain([to])
    }
}

/// The largest rise and fall of a value, and when.
#[derive(Clone, Copy, Debug)]
struct Swing {
    lowest: (f64, f64),
    highest: (f64, f64),
    rise: f64,
    fall: f64,
}

impl Swing {
    const NONE: Self =
        Self { lowest: (f64::MAX, 0.0), highest: (f64::MIN, 0.0), rise: 0.0, fall: 0.0 };

    fn see(&mut self, value: f64, cycle: f64) {
        if value < self.lowest.0 {
            self.lowest = (value, cycle);
        }
        if value > self.highest.0 {
            self.highest = (value, cycle);
        }
        self.rise = self.rise.max(value - self.lowest.0);
        self.fall = self.fall.max(self.highest.0 - value);
    }

    fn interval(&self) -> (u64, u64) {
        let (a, b) = (self.lowest.1, self.highest.1);
        (a.min(b) as u64, a.max(b) as u64)
    }
}

/// One flow of a run.
struct Flow<'a> {
    ideal: Ideal,
    arms: Arms<'a>,
    /// The flow's arm and the longest one.
    unit_bytes: f64,
}

impl Flow<'_> {
    /// D in the part of a span that lies in `part`.
    fn swing(&self, span: (u64, u64), part: (u64, u64)) -> Option<Swing> {
        let (from, to) = (span.0.max(part.0) as f64, span.1.min(part.1) as f64);
        if from >= to {
            return None;
        }
        let arms = self.arms.granted_in(span);
        let mut swing = Swing::NONE;
        for cycle in arms.turns(from, to) {
            swing.see(arms.until(cycle) - self.ideal.at_cycle(cycle).asked_bytes, cycle);
        }
        Some(swing)
    }

    /// D from `from` on with an arm granted to each span that begins, as a rise, and without, as a
    /// fall.
    fn across_bytes(&self, from: u64, end: u64) -> f64 {
        let (mut with, mut without) = (Swing::NONE, Swing::NONE);
        for cycle in self.arms.turns(from as f64, end as f64) {
            let d = self.arms.until(cycle) - self.ideal.at_cycle(cycle).asked_bytes;
            let begun = self.ideal.spans.partition_point(|span| (span.0 as f64) < cycle);
            with.see(d - begun as f64 * self.arms.len_bytes, cycle);
            without.see(d, cycle);
        }
        with.rise.max(without.fall)
    }

    /// Longest time, of those in which the flow could send, from a credit to its grant. The credit
    /// begins anew with a grant that comes before it.
    fn wait_cycles(&self, from: u64) -> f64 {
        let (mut paid, mut longest) = (0.0, 0.0_f64);
        for arm in self.arms.sent {
            let granted = self.ideal.at_cycle(arm.granted as f64);
            paid += self.arms.len_bytes;
            if paid >= granted.asked_bytes {
                paid = granted.asked_bytes;
            } else if arm.granted >= from {
                let due = self.ideal.at_bytes(paid);
                longest = longest.max(granted.active_cycles - due.active_cycles);
            }
        }
        longest
    }
}

/// Times to measure: from the warm-up on, without those in which all windows have just opened.
fn parts(from: u64, history: &History) -> Vec<(u64, u64)> {
    let begins = history.settling.iter().map(|s| s.1);
    let ends = history.settling.iter().map(|s| s.0).chain([history.end]);
    core::iter::once(from).chain(begins).zip(ends).collect()
}

/// Measures a run.
pub fn measure(case: &Case, history: &History) -> Report {
    let (from, end) = (history.begin + WARM_UP_CYCLES, history.end);
    assert!(from < end, "a run of {end} cycles is over before it is measured");
    let parts = parts(from, history);
    let mut report = Report {
        name: case.name(),
        load_percent: case.load_percent,
        deviation_max: case.deviation_max(),
        blocked_grants: history.blocked_grants,
        ..Report::default()
    };
    let is_used = |flow: &usize| !history.flows[*flow].events.is_empty();
    let used = (0..case.flow_count).filter(is_used).collect::<Vec<_>>();
    let len_bytes = |flow: usize| f64::from(history.arms[flow].len_bytes);
    let longest = used.iter().map(|flow| len_bytes(*flow)).fold(0.0, f64::max);
    let (mut sent, mut asked) = (0.0, 0.0);
    for id in used.iter().copied() {
        let events = &history.flows[id];
        let arms = Arms { sent: &events.sent, len_bytes: len_bytes(id) };
        let unit_bytes = arms.len_bytes + longest;
        let flow = Flow { ideal: Ideal::new(events, end), arms, unit_bytes };
        report.add(id, &flow, &parts, history);
        let (a, b) = (from as f64, end as f64);
        sent += arms.until(b) - arms.until(a);
        asked += flow.ideal.at_cycle(b).asked_bytes - flow.ideal.at_cycle(a).asked_bytes;
        let wire = case.line.wire_bytes(history.arms[id]) / arms.len_bytes;
        let line_bytes = (b - a) * case.line.rate();
        report.utilisation += (arms.until(b) - arms.until(a)) * wire / line_bytes;
    }
    if !case.is_interrupted() {
        // At both ends each flow is somewhere between two arms.
        let edges_bytes: f64 = used.iter().map(|flow| len_bytes(*flow)).sum();
        let beyond = ((sent - asked).abs() - edges_bytes).max(0.0);
        report.drift_percent = 100.0 * beyond.copysign(sent - asked) / asked;
    }
    report
}

impl Report {
    fn add(&mut self, id: usize, flow: &Flow<'_>, parts: &[(u64, u64)], history: &History) {
        for span in &flow.ideal.spans {
            for swing in parts.iter().filter_map(|part| flow.swing(*span, *part)) {
                let deviation = (swing.highest.0 - swing.lowest.0) / flow.unit_bytes;
                if deviation > self.deviation {
                    (self.deviation, self.flow) = (deviation, id);
                    self.interval = swing.interval();
                }
            }
            for swing in history.settling.iter().filter_map(|part| flow.swing(*span, *part)) {
                let deviation = (swing.highest.0 - swing.lowest.0) / flow.unit_bytes;
                self.settling = self.settling.max(deviation);
            }
        }
        if history.settling.is_empty() {
            let across = flow.across_bytes(parts[0].0, history.end) / flow.unit_bytes;
            self.across = self.across.max(across);
        }
        let wait_cycles = flow.wait_cycles(parts[0].0) as u64;
        if wait_cycles > self.wait_cycles {
            (self.wait_cycles, self.wait_flow) = (wait_cycles, id);
        }
    }
}
