//! One measured curve as an SVG picture, for documents, with the predicted one under it.

use crate::axis::Axis;
use crate::html::path::{Path, number};
use crate::measure::Measure;
use std::fmt::Write;

/// What a curve's axes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axes<'a> {
    /// The heading.
    pub title: &'a str,
    /// What the points are measured at.
    pub x: &'a str,
    /// What those numbers are.
    pub x_measure: Measure,
    /// What was measured.
    pub y: &'a str,
    /// What those numbers are.
    pub y_measure: Measure,
    /// Whether the measured numbers are drawn on a logarithmic axis; zero and less then stand at its low end.
    pub log: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 314.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 46.0;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#333}.t{font-weight:600;font-size:13px}.w{fill:#fff}.g{stroke:#d9dce1}\
                     .v{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\
                     .l{stroke:#0072b2;stroke-width:2;fill:none}.p{fill:#0072b2}.e{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:6 4;fill:none}.b{fill:#d55e00;opacity:.2}\
                     @media(prefers-color-scheme:dark){text{fill:#ccc}.w{fill:#15181c}.v{stroke:#15181c}.g{stroke:#3a3f47}.l{stroke:#56b4e9}.p{fill:#56b4e9}}";

/// A predicted curve with its band.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predicted {
    /// What it is predicted from, for the legend.
    pub from: String,
    /// x, y, and the lower and upper end of the band.
    pub points: Vec<(f64, f64, f64, f64)>,
}

/// Draws points (x, y), joined in order of x, each with its value written at it, over the predicted curve where there is one. The
/// picture adapts to light and dark by itself, so it has a background of its own: the page around it may not.
///
/// ```
/// use pagetide_view::{Axes, Measure, curve};
///
/// let axes = Axes {
///     title: "The same read in less memory",
///     x: "memory", x_measure: Measure::Bytes,
///     y: "served from the cache", y_measure: Measure::Share,
///     log: false,
/// };
/// let svg = curve(&[(64e6, 0.37), (128e6, 0.62), (512e6, 1.0)], None, &axes);
/// assert!(svg.starts_with("<svg ") && svg.contains("62 %"));
/// ```
pub fn curve(points: &[(f64, f64)], predicted: Option<&Predicted>, axes: &Axes<'_>) -> String {
    let mut points: Vec<(f64, f64)> = points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let beyond =
        predicted.map_or_else(Vec::new, |predicted| predicted.points.iter().map(|(x, _, _, y)| (*x, *y)).collect());
    let largest = |value: fn(&(f64, f64)) -> f64| points.iter().chain(&beyond).map(value).fold(0.0, f64::max);
    let across = Axis::linear(axes.x_measure, largest(|point| point.0), 6, false);
    let lowest = points.iter().map(|point| point.1).filter(|y| *y > 0.0).reduce(f64::min);
    let up = match lowest {
        Some(low) if axes.log => Axis::log(axes.y_measure, low, largest(|point| point.1)),
        _ => Axis::linear(axes.y_measure, largest(|point| point.1), 4, false),
    };
    let x = |value: f64| LEFT + across.place(value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - up.place(value) * (HEIGHT - TOP - BOTTOM);

    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = draw_axes(&mut out, axes, &across, &up, &x, &y);
    let _ = predicted.map(|predicted| draw_predicted(&mut out, predicted, !points.is_empty(), &x, &y));
    let _ = draw_points(&mut out, &points, axes, &x, &y);
    out
}

fn draw_axes(
    out: &mut String,
    axes: &Axes<'_>,
    across: &Axis,
    up: &Axis,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) -> std::fmt::Result {
    let escaped = crate::html::escaped;
    let title = escaped(axes.title);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"w\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text class=\"t\" x=\"{LEFT}\" y=\"16\">{title}</text>\n<text x=\"{LEFT}\" y=\"33\">{}</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        escaped(axes.y),
        number(f64::midpoint(LEFT, WIDTH - RIGHT)),
        number(HEIGHT - 6.0),
        escaped(axes.x)
    )?;
    for (value, text) in &up.ticks {
        let (y, text) = (number(y(*value)), escaped(text));
        writeln!(out, "<path class=\"g\" d=\"M{LEFT} {y}H{}\"/>", number(WIDTH - RIGHT))?;
        writeln!(out, "<text x=\"{}\" y=\"{y}\" dy=\"4\" text-anchor=\"end\">{text}</text>", number(LEFT - 8.0))?;
    }
    for (value, text) in &across.ticks {
        let (x, text) = (number(x(*value)), escaped(text));
        writeln!(out, "<path class=\"g\" d=\"M{x} {}v5\"/>", number(HEIGHT - BOTTOM))?;
        writeln!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{text}</text>", number(HEIGHT - BOTTOM + 18.0))?;
    }
    Ok(())
}

fn draw_predicted(
    out: &mut String,
    Predicted { from, points }: &Predicted,
    beside_measured: bool,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) -> std::fmt::Result {
    let (mut band, mut path) = (Path::default(), Path::default());
    points.iter().for_each(|(at, _, low, _)| band.to(x(*at), y(*low)));
    points.iter().rev().for_each(|(at, _, _, high)| band.to(x(*at), y(*high)));
    points.iter().for_each(|(at, value, ..)| path.to(x(*at), y(*value)));
    writeln!(out, "<path class=\"b\" d=\"{}z\"/>\n<path class=\"e\" d=\"{}\"/>", band.data(), path.data(),)?;
    // The legend. A line of values alone needs none.
    let names = [("e", from.as_str()), ("l", "measured")];
    for ((class, name), x) in names.into_iter().zip([410.0, 300.0]).take(1 + usize::from(beside_measured)) {
        writeln!(
            out,
            "<path class=\"{class}\" d=\"M{x} 29h30\"/>\n<text x=\"{}\" y=\"33\">{}</text>",
            x + 36.0,
            crate::html::escaped(name)
        )?;
    }
    Ok(())
}

fn draw_points(
    out: &mut String,
    points: &[(f64, f64)],
    axes: &Axes<'_>,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) -> std::fmt::Result {
    let escaped = crate::html::escaped;
    let mut path = Path::default();
    points.iter().for_each(|(at, value)| path.to(x(*at), y(*value)));
    writeln!(out, "<path class=\"l\" d=\"{}\"/>", path.data())?;
    // Beside the line, on the side that it does not rise to.
    let rises = points.first().zip(points.last()).is_some_and(|(first, last)| last.1 >= first.1);
    let (anchor, beside) = if rises { ("end", -7.0) } else { ("start", 7.0) };
    for (at, value) in points {
        let (x, y, text) = (x(*at), y(*value), axes.y_measure.show(*value));
        let (name, text) = (escaped(&format!("{}: {text}", axes.x_measure.show(*at))), escaped(&text));
        writeln!(
            out,
            "<circle class=\"p\" cx=\"{0}\" cy=\"{1}\" r=\"4\"><title>{name}</title></circle>\n\
             <text class=\"v\" x=\"{2}\" y=\"{3}\" text-anchor=\"{anchor}\">{text}</text>",
            number(x),
            number(y),
            number(x + beside),
            number(y - 7.0)
        )?;
    }
    writeln!(out, "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_names_the_lines_that_are_drawn() {
        let axes =
            Axes { title: "t", x: "memory", x_measure: Measure::Bytes, y: "y", y_measure: Measure::Share, log: false };
        let predicted = Predicted { from: "the model".to_owned(), points: vec![(1e6, 0.5, 0.4, 0.6)] };
        let names = |svg: &str| ["measured", "the model"].map(|name| svg.contains(&format!(">{name}</text>")));
        assert_eq!(names(&curve(&[(1e6, 0.5)], Some(&predicted), &axes)), [true, true]);
        assert_eq!(names(&curve(&[], Some(&predicted), &axes)), [false, true]);
        assert_eq!(names(&curve(&[(1e6, 0.5)], None, &axes)), [false, false]);
    }
}
