//! What of the screen a click means.

use ratatui::layout::{Position, Rect};

/// What is drawn somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// The name of a pane, by its place.
    Pane(usize),
    /// The heading of a column, that of the names when absent.
    Heading(Option<usize>),
    /// A row of the present pane, by its place among all rows.
    Row(usize),
}

/// Where each target was drawn last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Targets(Vec<(Rect, Target)>);

impl Targets {
    /// A target that is a part of one line of `area`: `line` lines from its top, `width` columns from `column` on.
    pub(crate) fn add(&mut self, area: Rect, (column, line): (usize, usize), width: usize, target: Target) {
        let number = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let x = area.x.saturating_add(number(column));
        let y = area.y.saturating_add(number(line));
        let place = Rect { x, y, width: number(width), height: 1 }.intersection(area);
        if !place.is_empty() {
            self.0.push((place, target));
        }
    }

    /// What was drawn at a place.
    pub(crate) fn at(&self, column: u16, row: u16) -> Option<Target> {
        self.0.iter().find(|(place, _)| place.contains(Position::new(column, row))).map(|(_, target)| *target)
    }
}
