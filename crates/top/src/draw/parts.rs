//! What several parts of the screen are made of: styles, headings, texts that fit.

use crate::app::{App, Pane};
use crate::targets::{Target, Targets};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar;

pub(crate) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
pub(crate) const DIM: Style = Style::new().fg(Color::DarkGray);
pub(crate) const ALARM: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);

/// The names of the panes with their keys, the present one in capitals.
pub(crate) fn panes(app: &App) -> String {
    let name = |(place, pane): (usize, &Pane)| {
        let title = pane.title();
        format!("{} {}", place + 1, if *pane == app.pane { title.to_uppercase() } else { title.to_owned() })
    };
    Pane::ALL.iter().enumerate().map(name).collect::<Vec<_>>().join("  ")
}

/// Where a click opens a pane: on its name in the heading of `area`.
pub(crate) fn pane_targets(area: Rect, targets: &mut Targets) {
    // As `panes` and `heading` write them: ` 1 processes  2 groups`.
    let mut column = 1;
    for (place, pane) in Pane::ALL.iter().enumerate() {
        let width = "1 ".len() + pane.title().len();
        targets.add(area, (column, 0), width, Target::Pane(place));
        column += width + 2;
    }
}

/// A heading, and behind it what it is of.
pub(crate) fn heading(name: &str, of: &str, width: usize) -> Line<'static> {
    let name = cut(name, width.saturating_sub(1));
    let room = width.saturating_sub(name.chars().count() + 4);
    Line::from(vec![Span::styled(format!(" {name}"), STRONG), Span::styled(format!("  {}", cut(of, room)), DIM)])
}

/// The text in at most `width` columns, with `~` at the end where it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let size = |c: char| c.width().unwrap_or(0);
    if text.chars().map(size).sum::<usize>() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += size(c);
        if taken > width {
            break;
        }
        out.push(c);
    }
    if width > 0 {
        out.push('~');
    }
    out
}
