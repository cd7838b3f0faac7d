//! What the charts of this crate have in common: colours, labels, lines.

use plotters::style::RGBColor;

/// Colours that those with impaired colour vision can tell apart (Okabe and Ito).
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(148, 130, 20),
    RGBColor(90, 90, 90),
];
/// Text and axes.
pub const INK: RGBColor = RGBColor(60, 60, 60);

/// A label of an axis: no more digits than are needed.
pub fn label(value: &f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    format!("{rounded}")
}

/// A line that holds each value until the next one, without points that change nothing.
pub fn steps(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = vec![];
    for (x, value) in points {
        match line[..] {
            [.., (_, before), (_, last)] if before == last && last == value => {
                line.last_mut().expect("two points").0 = x;
            }
            [.., (_, last)] if last != value => line.extend([(x, last), (x, value)]),
            _ => line.push((x, value)),
        }
    }
    line
}
