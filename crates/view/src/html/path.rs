//! Numbers and lines for SVG.

use std::fmt::Write;

/// A coordinate with at most one decimal.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// The data of an SVG path, in absolute coordinates; a piece that does not move is left out.
#[derive(Debug, Default)]
pub(crate) struct Path {
    data: String,
    pen: Option<(String, String)>,
}

impl Path {
    /// Lifts the pen: the next point starts a new line.
    pub(crate) fn lift(&mut self) {
        self.pen = None;
    }

    /// Draws to a point, or starts at it.
    pub(crate) fn to(&mut self, x: f64, y: f64) {
        let (x, y) = (number(x), number(y));
        // Writing to a string does not fail.
        let _ = match &self.pen {
            None => write!(self.data, "M{x} {y}"),
            Some((at_x, at_y)) if *at_x == x && *at_y == y => Ok(()),
            Some((at_x, _)) if *at_x == x => write!(self.data, "V{y}"),
            Some((_, at_y)) if *at_y == y => write!(self.data, "H{x}"),
            Some(_) => write!(self.data, "L{x} {y}"),
        };
        self.pen = Some((x, y));
    }

    /// Closes the line to an area and lifts the pen.
    pub(crate) fn close(&mut self) {
        if self.pen.take().is_some() {
            self.data.push('Z');
        }
    }

    pub(crate) fn data(&self) -> &str {
        &self.data
    }
}
