//! Window, rate and queue of two NICs over time as a figure.

use super::history::{gbps, rate_gbps, History, NicSample};
use super::writes::Plan;
use crate::chart::{label, steps, COLOURS, INK};
use nic_models::golden::nic::Pace;
use plotters::coord::Shift;
use plotters::prelude::*;

const SIZE: (u32, u32) = (1280, 920);
/// Height of the legend.
const HEAD: u32 = 84;
const SENT: RGBColor = RGBColor(215, 218, 222);
const LOST: RGBColor = RGBColor(200, 30, 30);
/// READ responses are drawn lighter than data.
const RESPONSE_OPACITY: f64 = 0.4;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// One NIC's half of the figure.
struct Half<'a> {
    plan: &'a Plan,
    history: &'a History,
    at: usize,
    end_us: f64,
}

/// The SVG of what happened until `end_ns`.
pub fn svg(history: &History, plan: &Plan, end_ns: f64) -> String {
    let mut text = String::new();
    draw(&mut text, history, plan, end_ns / 1e3).expect("a string takes all that is written");
    text
}

fn draw<'a>(text: &'a mut String, history: &History, plan: &Plan, end_us: f64) -> Drawn<'a> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(HEAD);
    legend(&head, plan, end_us)?;
    let panels = body.split_evenly((3, 2));
    for at in 0..2 {
        let half = Half { plan, history, at, end_us };
        half.windows(&panels[at])?;
        half.rates(&panels[2 + at])?;
        half.queue(&panels[4 + at])?;
    }
    root.present()
}

/// What colours mean: a style, and what is drawn in it.
fn keys(plan: &Plan, end_us: f64) -> Vec<(ShapeStyle, String)> {
    let qp_count = plan.qp_count as usize;
    let qps = (0..qp_count.min(COLOURS.len())).map(|colour| {
        let same = (colour..qp_count).step_by(COLOURS.len()).map(|qp| (qp + 1).to_string());
        let name = format!("QP {}", same.collect::<Vec<_>>().join(", "));
        (qp_colour(colour, 1.0).filled(), name)
    });
    let sent = format!("sent, all frames with gaps, averaged over {:.0} us", bar_us(plan, end_us));
    let others = [
        (qp_colour(0, RESPONSE_OPACITY).filled(), "lighter: its READ responses".into()),
        (SENT.filled(), sent),
        (LOST.filled(), "frame lost or corrupted on the way".into()),
    ];
    qps.chain(others).collect()
}

/// Time over which what is sent is averaged: T, but in a long run enough for a bar to be seen.
fn bar_us(plan: &Plan, end_us: f64) -> f64 {
    (f64::from(plan.cc.t_ns) / 1e3).max(end_us / 150.0)
}

fn legend<'a>(head: &Area<'a>, plan: &Plan, end_us: f64) -> Drawn<'a> {
    let ink = |size: i32| ("sans-serif", size).into_font().color(&INK);
    let title = format!(
        "Two NICs that write to and read from each other: {} queue pairs, links of {} Gb/s, T {} us",
        plan.qp_count,
        plan.link_gbps,
        f64::from(plan.cc.t_ns) / 1e3
    );
    head.draw_text(&title, &ink(18), (20, 10))?;
    let (mut x, mut y) = (20, 40);
    for (style, name) in keys(plan, end_us) {
        let width = 48 + 13 * name.len() as i32 / 2;
        if x + width > SIZE.0 as i32 {
            (x, y) = (20, y + 22);
        }
        head.draw(&Rectangle::new([(x, y + 4), (x + 18, y + 12)], style))?;
        head.draw_text(&name, &ink(14), (x + 24, y))?;
        x += width;
    }
    Ok(())
}

/// Colours come again from the ninth queue pair on.
fn qp_colour(qp: usize, opacity: f64) -> RGBAColor {
    COLOURS[qp % COLOURS.len()].mix(opacity)
}

/// The axes of a panel, drawn, for values up to `max`.
macro_rules! chart {
    ($half:expr, $panel:expr, $max:expr, $what:expr) => {{
        let title = format!("NIC {}: {}", $half.at + 1, $what);
        let mut chart = ChartBuilder::on($panel)
            .caption(title, ("sans-serif", 15).into_font().color(&INK))
            .margin_left(10)
            .margin_right(24)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..$half.end_us, 0.0..$max)?;
        chart
            .configure_mesh()
            .x_desc("time, us")
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .label_style(("sans-serif", 12).into_font().color(&INK))
            .axis_style(INK)
            .bold_line_style(BLACK.mix(0.12))
            .light_line_style(TRANSPARENT)
            .draw()?;
        chart
    }};
}

impl Half<'_> {
    /// Time at the end of a period.
    fn time_us(&self, period: usize) -> f64 {
        let cycles = (period as u64 + 1) * self.history.period_cycles();
        cycles as f64 * 1e6 / self.plan.clock_hz as f64
    }

    fn samples(&self) -> impl Iterator<Item = (f64, &NicSample)> {
        let all = self.history.samples().iter().enumerate();
        let timed = all.map(|(period, nics)| (self.time_us(period), &nics[self.at]));
        timed.take_while(|(time_us, _)| *time_us <= self.end_us)
    }

    /// One line a flow, the responses below the data: colour, and value over time as steps.
    fn flows(&self, value: impl Fn(&Pace) -> f64) -> Vec<(RGBAColor, Vec<(f64, f64)>)> {
        let mut lines = vec![];
        for (kind, opacity) in [(1, RESPONSE_OPACITY), (0, 1.0)] {
            for qp in 0..self.plan.qp_count as usize {
                let points = self.samples().map(|(time, s)| (time, value(&s.paces[qp][kind])));
                lines.push((qp_colour(qp, opacity), steps(points)));
            }
        }
        lines
    }

    fn windows<'a>(&self, panel: &Area<'a>) -> Drawn<'a> {
        let max = 1.08 * f64::from(self.plan.cc.w_init_bytes);
        let mut chart = chart!(self, panel, max, "window of each flow, bytes");
        for (colour, line) in self.flows(|pace| f64::from(pace.window_bytes)) {
            chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
        }
        Ok(())
    }

    fn rates<'a>(&self, panel: &Area<'a>) -> Drawn<'a> {
        let max = 1.2 * self.plan.link_gbps;
        let what = "rate of each flow, and what the NIC sends, Gb/s";
        let mut chart = chart!(self, panel, max, what);
        let bars = self.sent().into_iter().map(|(from, to, sent)| {
            Rectangle::new([(from, 0.0), (to, sent.min(max))], SENT.filled())
        });
        chart.draw_series(bars)?;
        for (colour, line) in self.flows(|pace| rate_gbps(pace.rate_uq8_24, self.plan.clock_hz)) {
            chart.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
        }
        let lost = self.samples().filter(|(_, sample)| sample.lost_count > 0);
        let marks = lost.map(|(time, _)| TriangleMarker::new((time, 0.96 * max), 6, LOST.filled()));
        chart.draw_series(marks)?;
        Ok(())
    }

    /// Periods that are nearest to a time.
    fn periods_of(&self, time_us: f64) -> usize {
        (time_us / self.time_us(0)).round().max(1.0) as usize
    }

    /// From, to, Gb/s.
    fn sent(&self) -> Vec<(f64, f64, f64)> {
        let (count, period_us) = (self.periods_of(bar_us(self.plan, self.end_us)), self.time_us(0));
        let samples: Vec<_> = self.samples().map(|(_, sample)| sample.sent_bytes).collect();
        let bars = samples.chunks(count).enumerate().map(|(bar, sent)| {
            let from = (bar * count) as f64 * period_us;
            let cycles = sent.len() as u64 * self.history.period_cycles();
            let bytes = sent.iter().sum::<u64>() as f64;
            let sent = gbps(bytes / cycles as f64, self.plan.clock_hz);
            (from, (from + count as f64 * period_us).min(self.end_us), sent)
        });
        bars.collect()
    }

    fn queue<'a>(&self, panel: &Area<'a>) -> Drawn<'a> {
        // Both NICs' queues in one scale.
        let all = self.history.samples().iter().flatten();
        let max = all.map(|sample| sample.queue_bytes_max).max().unwrap_or(0).max(1000);
        let what = format!("queue of the switch on the way to NIC {}, bytes", 2 - self.at);
        let mut chart = chart!(self, panel, 1.08 * max as f64, what);
        let samples: Vec<_> = self.samples().collect();
        let longest = samples
            .chunks(self.periods_of(0.1 * bar_us(self.plan, self.end_us)))
            .filter_map(|part| {
                let queue = part.iter().map(|(_, sample)| sample.queue_bytes_max).max()?;
                Some((part.last()?.0, queue as f64))
            });
        let area = AreaSeries::new(steps(longest), 0.0, INK.mix(0.2));
        chart.draw_series(area.border_style(INK.stroke_width(1)))?;
        Ok(())
    }
}
