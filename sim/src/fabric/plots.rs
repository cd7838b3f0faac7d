//! Charts of a run, as SVG.

use super::engine::Plan;
use super::output::{thinned, Files};
use super::results::{slowdown_rows, Results, SlowdownRow};
use super::topology::HOST_CLASS;
use crate::chart::{label, steps, COLOURS, INK};
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

const SIZE: (u32, u32) = (960, 540);

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line from point to point.
    Line,
    /// A line that holds each value until the next.
    Steps,
    /// Open circles alone.
    Points,
}

/// Where a chart's legend is: where nothing is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the top on the left.
    UpperLeft,
    /// At the top in the middle.
    UpperMiddle,
    /// Half-way up on the right.
    Right,
}

/// Values under a name.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// Index into [`COLOURS`].
    pub colour: usize,
    /// How it is drawn.
    pub mark: Mark,
    /// x and y.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What x and y are, with their units.
    pub axes: [String; 2],
    /// The y axis is logarithmic.
    pub is_log: bool,
    /// Least x and y, where that is not the least of the points.
    pub from: [Option<f64>; 2],
    /// Where the legend is.
    pub place: Place,
    /// What is drawn.
    pub series: Vec<Series>,
}

impl Chart {
    /// From 0 on, both axes linear.
    pub fn new(title: &str, x: &str, y: &str) -> Self {
        let axes = [x.into(), y.into()];
        let (title, from, place) = (title.into(), [Some(0.0); 2], Place::Right);
        Self { title, axes, is_log: false, from, place, series: vec![] }
    }

    /// One more series.
    pub fn add(&mut self, name: &str, mark: Mark, points: Vec<(f64, f64)>) {
        let colour = self.series.len() % COLOURS.len();
        self.series.push(Series { name: name.into(), colour, mark, points });
    }

    fn range(&self, of: impl Fn(&(f64, f64)) -> f64, from: Option<f64>) -> Range<f64> {
        let values = self.series.iter().flat_map(|s| &s.points).map(of).filter(|v| v.is_finite());
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let low = from.unwrap_or(low);
        low..(if high > low { high } else { low + 1.0 })
    }

    /// The SVG.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        let x = self.range(|point| point.0, self.from[0]);
        let y = self.range(|point| point.1, self.from[1]);
        let result = match self.is_log {
            false => self.draw::<RangedCoordf64>(&mut text, x, (y.start..y.end * 1.05).into()),
            true => {
                let y = (y.start.max(1e-9)..y.end * 1.1).log_scale();
                self.draw::<LogCoord<f64>>(&mut text, x, y.into())
            }
        };
        result.expect("a string takes all that is written");
        text
    }

    fn draw<'a, Y>(
        &self,
        text: &'a mut String,
        x: Range<f64>,
        y: Y,
    ) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>
    where
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: AsRangedCoord<CoordDescType = Y, Value = f64>,
    {
        let font = |size: i32| ("sans-serif", size).into_font().color(&INK);
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, font(18))
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(&self.axes[0])
            .y_desc(&self.axes[1])
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .label_style(font(13))
            .axis_style(INK)
            .bold_line_style(BLACK.mix(0.12))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for series in &self.series {
            let colour = COLOURS[series.colour];
            let points = series.points.iter().copied();
            let drawn = match series.mark {
                Mark::Points => {
                    let circles = points.map(|point| Circle::new(point, 4, colour.stroke_width(2)));
                    chart.draw_series(circles)?
                }
                Mark::Line => chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
                Mark::Steps => {
                    let line = LineSeries::new(steps(points), colour.stroke_width(2));
                    chart.draw_series(line)?
                }
            };
            let mark = series.mark;
            drawn.label(&series.name).legend(move |(x, y)| match mark {
                Mark::Points => Circle::new((x + 8, y), 4, colour.stroke_width(2)).into_dyn(),
                Mark::Line | Mark::Steps => {
                    PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)).into_dyn()
                }
            });
        }
        // A series that is alone is what the axis says.
        if self.series.len() == 1 {
            return root.present();
        }
        let place = match self.place {
            Place::UpperLeft => SeriesLabelPosition::UpperLeft,
            Place::UpperMiddle => SeriesLabelPosition::UpperMiddle,
            Place::Right => SeriesLabelPosition::MiddleRight,
        };
        chart
            .configure_series_labels()
            .position(place)
            .background_style(WHITE.mix(0.8))
            .border_style(INK.mix(0.3))
            .label_font(font(13))
            .draw()?;
        root.present()
    }
}

/// Slowdown by size quantile; published values beside it where there are some.
pub fn slowdown_chart(title: &str, rows: &[SlowdownRow], published: &[SlowdownRow]) -> Chart {
    let axes = ["flows not larger, per cent".into(), "slowdown".into()];
    let from = [Some(0.0), Some(1.0)];
    // Slowdowns rise to the right.
    let place = Place::UpperLeft;
    let mut chart = Chart { title: title.into(), axes, is_log: true, from, place, series: vec![] };
    for (colour, name) in ["p50", "p95", "p99"].into_iter().enumerate() {
        let value = |row: &SlowdownRow| [row.p50, row.p95, row.p99][colour];
        for (what, mark, rows) in [("", Mark::Line, rows), (", published", Mark::Points, published)]
        {
            if !rows.is_empty() {
                let name = format!("{name}{what}");
                let points = rows.iter().map(|row| (row.percent.into(), value(row)));
                let points = points.filter(|(_, slowdown)| slowdown.is_finite()).collect();
                chart.series.push(Series { name, colour, mark, points });
            }
        }
    }
    chart
}

/// The charts of a run.
pub fn charts(plan: &Plan, results: &Results, title: &str) -> Files {
    let mut files: Files = vec![];
    let watched = &results.meters.watched;
    if !watched.is_empty() {
        let mut chart =
            Chart::new(&format!("{title}: queue at the receiver's port"), "time, us", "queue, KB");
        let points = thinned(watched).into_iter();
        let points = points.map(|(at_ps, bytes)| (at_ps as f64 / 1e6, bytes as f64 / 1e3));
        chart.add("queue", Mark::Steps, points.collect());
        files.push(("queue.svg".into(), chart.svg()));
    }
    let mut chart = Chart::new(
        &format!("{title}: share of the time that a queue is not longer"),
        "queue, KB",
        "share of the time",
    );
    // Where all queues are empty most of the time, the rest would be a line at the top.
    chart.from[1] = None;
    let classes = plan.topology.classes.iter().zip(&results.meters.classes);
    for (name, meter) in classes.skip(usize::from(HOST_CLASS) + 1) {
        let total_ps = meter.histogram.total_ps().max(1) as f64;
        let mut sum_ps = 0;
        let points = meter.histogram.buckets().map(|(_, to, time_ps)| {
            sum_ps += time_ps;
            (to as f64 / 1e3, sum_ps as f64 / total_ps)
        });
        chart.add(name, Mark::Steps, points.collect());
    }
    files.push(("queues.svg".into(), chart.svg()));
    let rows = slowdown_rows(&results.completions(plan));
    if !rows.is_empty() {
        let chart = slowdown_chart(&format!("{title}: slowdown by flow size"), &rows, &[]);
        files.push(("slowdown.svg".into(), chart.svg()));
    }
    files
}
