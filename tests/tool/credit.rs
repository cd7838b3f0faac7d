//! The picture of the scheduler's page: credit of two flows over time, as the golden model has it.

use nic_models::golden::sched::scheduler::{Flow, Scheduler, SchedulerIn, LEAD_BYTES};
use nic_models::ports::Golden;
use nic_models::streams::{Rate, ReadyPort, Work};
use rdma_nic::gbe;
use std::fmt::Write;
use std::path::Path;

const CYCLES: usize = 3200;
/// What a flow sends at a time.
const ARM_BYTES: u16 = 1000;
/// From a grant to the flow's next work.
const REARM_CYCLES: usize = 20;
/// A flow that makes the line busy, once.
const BUSY_FLOW: u16 = 3;
const BUSY_BYTES: u16 = 2400;

/// What happens from outside.
#[derive(Clone, Copy)]
enum Event {
    /// Window and rate, bytes and bytes a cycle.
    Rate(u32, u32),
    /// Work, with this in flight.
    Work(u32),
    InFlight(u32),
}

/// Cycle, flow and event.
const EVENTS: &[(usize, u16, Event)] = &[
    (0, 1, Event::Rate(4000, 4)),
    (0, 2, Event::Rate(4000, 4)),
    (0, BUSY_FLOW, Event::Rate(64_000, 4)),
    (10, 1, Event::Work(0)),
    (10, 2, Event::Work(0)),
    (900, 1, Event::Rate(4000, 1)),
    (1500, 1, Event::Rate(4000, 2)),
    (1250, 2, Event::InFlight(0)),
    (2080, 2, Event::Work(0)),
    (2420, BUSY_FLOW, Event::Work(0)),
];
/// The second flow's third work finds a full window; after its third grant it has none for long.
const FULL_AFTER: usize = 2;
const IDLE_AFTER: usize = 3;

/// What a cycle shows: both flows, whether they are granted, the line.
struct Moment {
    flows: [Flow; 2],
    granted: [bool; 2],
    backlog_bytes: u32,
}

fn run() -> Vec<Moment> {
    let mut scheduler = Scheduler::new(&gbe());
    let idle = SchedulerIn { m_grant: ReadyPort { ready: true }, ..SchedulerIn::default() };
    scheduler.step(&SchedulerIn { reset: true, ..idle });
    let mut out = scheduler.step(&idle);
    (0..200).for_each(|_| out = scheduler.step(&idle));
    let mut events = EVENTS.to_vec();
    let mut grants = [0; 2];
    let mut moments = vec![];
    for cycle in 0..CYCLES {
        let mut inputs = idle;
        let due = |event: &&(usize, u16, Event)| event.0 <= cycle;
        let mut taken = vec![];
        for (at, (_, flow, event)) in events.iter().enumerate().filter(|(_, e)| due(e)) {
            let (valid, flow) = (true, *flow);
            match *event {
                Event::Rate(window_bytes, bytes) if !inputs.s_rate.valid => {
                    let op = u8::from(cycle < 100);
                    inputs.s_rate = Rate { valid, flow, op, window_bytes, rate: bytes << 24 };
                    taken.extend(out.s_rate.ready.then_some(at));
                }
                Event::Work(inflight_bytes) if !inputs.s_work.valid => {
                    let len_bytes = if flow == BUSY_FLOW { BUSY_BYTES } else { ARM_BYTES };
                    inputs.s_work = Work { valid, flow, len_bytes, frame_count: 1, inflight_bytes };
                    taken.extend(out.s_work.ready.then_some(at));
                }
                Event::InFlight(inflight_bytes) if !inputs.s_work.valid => {
                    inputs.s_work = Work { valid, flow, inflight_bytes, ..Work::default() };
                    taken.extend(out.s_work.ready.then_some(at));
                }
                _ => {}
            }
        }
        taken.iter().rev().for_each(|at| _ = events.remove(*at));
        let granted = [1, 2].map(|flow| out.m_grant.valid && out.m_grant.flow == flow);
        for (flow, _) in granted.iter().enumerate().filter(|(_, granted)| **granted) {
            grants[flow] += 1;
            let is_full = flow == 1 && grants[flow] == FULL_AFTER;
            let in_flight = if is_full { 4000 } else { 0 };
            let work = (cycle + REARM_CYCLES, flow as u16 + 1, Event::Work(in_flight));
            events.extend((flow == 0 || grants[flow] != IDLE_AFTER).then_some(work));
        }
        moments.push(Moment {
            flows: [1, 2].map(|flow| scheduler.flow(flow)),
            granted,
            backlog_bytes: scheduler.backlog_bytes(),
        });
        out = scheduler.step(&inputs);
    }
    moments
}

/// Left, width and right of the axis of time.
const LEFT: f64 = 150.0;
const WIDTH: f64 = 960.0;
const HEIGHT: u32 = 640;

const STYLE: &str = "text{font-family:sans-serif;font-size:13px;fill:#333}\
    .name{font-size:15px;font-weight:bold}.small{font-size:11px}.end{text-anchor:end}\
    .mid{text-anchor:middle}.axis{stroke:#888;stroke-width:1}\
    .arm{stroke:#333;stroke-width:1;stroke-dasharray:5 4}.line{fill:none;stroke-width:2}\
    .fill{stroke:none}.call{stroke:#888;stroke-width:1}";

fn x(cycle: usize) -> f64 {
    LEFT + WIDTH * cycle as f64 / CYCLES as f64
}

struct Picture {
    svg: String,
}

impl Picture {
    fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let _ =
            writeln!(self.svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    fn rule(&mut self, class: &str, y: f64) {
        let right = LEFT + WIDTH;
        let _ = writeln!(
            self.svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>"
        );
    }

    /// A line through values, one a cycle; those between two that a straight one joins are left out.
    fn line(&mut self, colour: &str, values: &[f64], y: impl Fn(f64) -> f64) {
        let is_corner = |i: &usize| match (i.checked_sub(1), values.get(i + 1)) {
            (Some(before), Some(next)) => values[before] + next != 2.0 * values[*i],
            _ => true,
        };
        let corners = (0..values.len()).filter(is_corner);
        let points: Vec<String> =
            corners.map(|i| format!("{:.1},{:.1}", x(i), y(values[i]))).collect();
        let _ = writeln!(
            self.svg,
            "<polyline class=\"line\" stroke=\"{colour}\" points=\"{}\"/>",
            points.join(" ")
        );
    }

    /// A bar while something is so.
    fn bars(&mut self, name: &str, colour: &str, y: f64, is: &[bool]) {
        self.text("small end", (LEFT - 8.0, y + 9.0), name);
        let mut at = 0;
        for same in is.chunk_by(|a, b| a == b) {
            if same[0] {
                let (left, width) = (x(at), x(at + same.len()) - x(at));
                let _ = writeln!(
                    self.svg,
                    "<rect class=\"fill\" fill=\"{colour}\" x=\"{left:.1}\" y=\"{y:.1}\" \
                     width=\"{width:.1}\" height=\"10\"/>"
                );
            }
            at += same.len();
        }
    }

    /// A numbered mark at a moment.
    fn mark(&mut self, number: usize, (x, y): (f64, f64)) {
        let _ = writeln!(
            self.svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"9\" fill=\"#fff\" stroke=\"#333\"/>"
        );
        self.text("small mid", (x, y + 4.0), &number.to_string());
    }
}

/// Where a flow's panel begins, what it may show, colours of its line and bars.
struct Panel {
    title: &'static str,
    top: f64,
    max_bytes: f64,
    colour: &'static str,
}

const PANELS: [Panel; 2] = [
    Panel { title: "flow 1", top: 40.0, max_bytes: 2400.0, colour: "#0072b2" },
    Panel { title: "flow 2", top: 270.0, max_bytes: 2400.0, colour: "#d55e00" },
];
const PANEL_HEIGHT: f64 = 150.0;

impl Panel {
    fn y(&self, bytes: f64) -> f64 {
        self.top + PANEL_HEIGHT * (1.0 - bytes / self.max_bytes)
    }

    fn draw(&self, picture: &mut Picture, at: usize, moments: &[Moment]) {
        let bottom = self.top + PANEL_HEIGHT;
        picture.text("name", (20.0, self.top + 12.0), self.title);
        picture.text("small", (20.0, self.top + 30.0), "credit, bytes");
        picture.rule("axis", bottom);
        for arms in 0..=2 {
            let bytes = f64::from(arms) * f64::from(ARM_BYTES);
            picture.text("small end", (LEFT - 8.0, self.y(bytes) + 4.0), &format!("{bytes:.0}"));
            if arms > 0 {
                picture.rule("arm", self.y(bytes));
            }
        }
        let credit: Vec<f64> = moments.iter().map(|m| m.flows[at].credit_bytes() as f64).collect();
        picture.line(self.colour, &credit, |bytes| self.y(bytes));
        for (cycle, _) in moments.iter().enumerate().filter(|(_, m)| m.granted[at]) {
            let (x, y) = (x(cycle), self.top - 2.0);
            let _ = writeln!(
                picture.svg,
                "<path d=\"M{:.1},{:.1} h10 l-5,9 z\" fill=\"{}\"/>",
                x - 5.0,
                y - 9.0,
                self.colour
            );
        }
        picture.text("small end", (LEFT - 8.0, self.top - 2.0), "grants");
        let is = |what: fn(&Flow) -> bool| -> Vec<bool> {
            moments.iter().map(|m| what(&m.flows[at])).collect()
        };
        picture.bars("has work", "#9bb8d0", bottom + 6.0, &is(|f| f.armed));
        picture.bars("window is open", "#b8cfa8", bottom + 20.0, &is(|f| f.open));
        picture.bars("is due", "#555", bottom + 34.0, &is(|f| f.due));
    }
}

const LINE_TOP: f64 = 510.0;
const LINE_HEIGHT: f64 = 70.0;
const LINE_BYTES: f64 = 4500.0;

/// The line's panel and the axis of time.
fn line(picture: &mut Picture, moments: &[Moment]) {
    let y = |bytes: f64| LINE_TOP + LINE_HEIGHT * (1.0 - bytes / LINE_BYTES);
    let bottom = LINE_TOP + LINE_HEIGHT;
    picture.text("name", (20.0, LINE_TOP + 12.0), "the line");
    picture.text("small", (20.0, LINE_TOP + 30.0), "bytes to carry");
    let lead = f64::from(LEAD_BYTES);
    for (bytes, text) in [(0.0, "0".to_string()), (lead, LEAD_BYTES.to_string())] {
        picture.text("small end", (LEFT - 8.0, y(bytes) + 4.0), &text);
    }
    picture.rule("arm", y(lead));
    picture.rule("axis", bottom);
    let backlog: Vec<f64> = moments.iter().map(|m| f64::from(m.backlog_bytes)).collect();
    picture.line("#555", &backlog, y);
    for cycle in (0..=CYCLES).step_by(400) {
        picture.text("small mid", (x(cycle), bottom + 16.0), &cycle.to_string());
    }
    picture.text("small mid", (LEFT + WIDTH / 2.0, bottom + 34.0), "cycle");
}

fn svg(moments: &[Moment]) -> String {
    let width = LEFT + WIDTH + 30.0;
    let mut picture = Picture {
        svg: format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" \
             width=\"{width}\" height=\"{HEIGHT}\">\n<style>{STYLE}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        ),
    };
    for (at, panel) in PANELS.iter().enumerate() {
        panel.draw(&mut picture, at, moments);
    }
    line(&mut picture, moments);
    marks(&mut picture, moments);
    picture.svg + "</svg>\n"
}

/// The moments of which the page tells, by number: each is what the page says it is.
fn marks(picture: &mut Picture, moments: &[Moment]) {
    let find = |flow: usize, from: usize, what: &dyn Fn(&Flow) -> bool| {
        let at = moments[from..].iter().position(|m| what(&m.flows[flow]));
        from + at.expect("the run shows it")
    };
    let granted = |flow: usize, from: usize| {
        from + moments[from..].iter().position(|m| m.granted[flow]).expect("the run shows it")
    };
    let arm_bytes = u64::from(ARM_BYTES);
    let slower = EVENTS.iter().find(|e| matches!(e.2, Event::Rate(_, 1))).expect("an event").0;
    let full = find(1, 0, &|f| f.armed && !f.open && f.credit_bytes() == arm_bytes);
    let open = find(1, full, &|f| f.open);
    assert!(moments[open].flows[1].due, "the credit covers what waits");
    let idle = find(1, open, &|f| !f.armed && f.credit_bytes() == arm_bytes);
    let back = find(1, idle, &|f| f.due);
    let busy = moments.iter().position(|m| m.backlog_bytes >= u32::from(BUSY_BYTES));
    let busy = busy.expect("the run shows it");
    let late = granted(1, busy);
    assert!(moments[late - 100].flows[1].due, "it waits for the line");
    assert!(moments[late - 1].backlog_bytes < LEAD_BYTES, "which has room now");
    for (number, flow, cycle, (right, down)) in [
        (1, 0, granted(0, 0), (-18.0, -2.0)),
        (2, 0, slower, (2.0, 18.0)),
        (3, 1, full + 200, (0.0, 15.0)),
        (4, 1, open, (-16.0, -13.0)),
        (5, 1, idle + 160, (0.0, 15.0)),
        (6, 1, back, (16.0, -10.0)),
        (7, 1, late - 40, (-18.0, -6.0)),
    ] {
        let credit = moments[cycle].flows[flow].credit_bytes() as f64;
        picture.mark(number, (x(cycle) + right, PANELS[flow].y(credit) + down));
    }
}

#[test]
fn credit_figure_shows_a_run() {
    let svg = svg(&run());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl/figures/sched-credit.svg");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &svg).expect("the folder can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let advice = "is stale: UPDATE_PAGES=1 cargo test --test tool credit::";
    assert!(committed == svg, "hdl/figures/sched-credit.svg {advice}");
}
