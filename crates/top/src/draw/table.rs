//! Tables of entities: their columns as far as they fit, the one that sorts always.

use super::parts::{DIM, STRONG, cut, heading, panes};
use crate::app::{App, Pane};
use crate::entries::{self, Row};
use crate::targets::Target;
use pagetide_core::printable;
use pagetide_view::show::{Heading, Numbers, Topic};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Columns of a name at least.
const NAME: usize = 16;
/// And at most, unless nothing else needs the room.
const LONG_NAME: usize = 60;

/// The columns that a narrow screen shows before the others.
const FIRST: &[&str] = &[
    "util",
    "await",
    "read/s",
    "write/s",
    "depth", // of disks
    "cpu",
    "rss",
    "majflt/s",
    "blkdelay",
    "memdelay", // of processes
    "current",
    "anon",
    "file",
    "dirty",
    "refault/s",
    "max", // of groups
];

/// The disks, the busiest first.
pub(super) fn disks(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let headings = entries::headings(Topic::Disk);
    let sorted = headings.iter().position(|heading| heading.name == "util");
    if area.height > 0 {
        let rows = usize::from(area.height) - 1;
        let (lines, _) = lines(&headings, &app.shown.disks, (sorted, None), 0..rows, usize::from(area.width), "disk");
        frame.render_widget(Paragraph::new(lines), area);
    }
}

/// The present pane.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    let order = &app.state().order;
    let headings = app.headings();
    let by = order.column.and_then(|column| headings.get(column)).map_or("name", |heading| heading.name);
    let filter = Some(&order.filter).filter(|filter| !filter.is_empty());
    let filter = filter.map(|filter| format!("with \"{}\", ", printable(filter)));
    let zoom = order.zoom.as_ref().map(|zoom| format!("below {zoom}, "));
    let group = app.group.as_ref().filter(|_| app.pane == Pane::Processes);
    let group = group.map(|group| format!("of {}, ", group.path));
    let of = [filter, zoom, group].into_iter().flatten().collect::<String>();
    let reversed = if order.ascending { ", reversed" } else { "" };
    let of = format!("{of}{} by {by}{reversed}", app.shown.rows.len());
    let room = usize::from(area.height).saturating_sub(2);
    let selected = app.selected();
    let first = selected.saturating_sub(room.saturating_sub(1));
    let shown = first..first + room;
    let mut all = vec![heading(&panes(app), &of, width)];
    let (lines, columns) =
        lines(&headings, &app.shown.rows, (order.column, Some(selected)), shown.clone(), width, "name");
    let drawn = lines.len().saturating_sub(1);
    all.extend(lines);
    frame.render_widget(Paragraph::new(all), area);
    for (column, width, target) in columns {
        app.targets.add(area, (column, 1), width, target);
    }
    for (line, place) in shown.take(drawn).enumerate() {
        app.targets.add(area, (0, 2 + line), width, Target::Row(place));
    }
}

/// Where a heading begins in its line, how wide it is, and what it is.
type Place = (usize, usize, Target);

/// The heading and those of the rows that are in `shown`, and the places of the headings.
fn lines(
    headings: &[Heading],
    rows: &[Row],
    (sorted, selected): (Option<usize>, Option<usize>),
    shown: std::ops::Range<usize>,
    width: usize,
    name: &str,
) -> (Vec<Line<'static>>, Vec<Place>) {
    let end = shown.end.min(rows.len());
    let rows = rows.get(shown.start.min(end)..end).unwrap_or_default();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            headings
                .iter()
                .zip(&row.entry.cells)
                .map(|(heading, value)| Numbers::default().cell(*value, heading))
                .collect()
        })
        .collect();
    let names: Vec<String> = rows.iter().map(name_of).collect();
    let title = |column: usize| {
        let mark = if sorted == Some(column) { "*" } else { "" };
        format!("{mark}{}", headings[column].name)
    };
    // No value is wider than this, so that columns do not jump from one moment to the next.
    let least = 8;
    let wide = |column: usize| {
        let cells = cells.iter().map(|cells| cells[column].width());
        cells.chain([title(column).width(), least]).max().unwrap_or(least) + 1
    };
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0).clamp(NAME, LONG_NAME);
    let mut left = width.saturating_sub(longest.min(width / 3).max(NAME) + 1);
    let mut taken: Vec<usize> = Vec::new();
    let mut wanted: Vec<usize> = (0..headings.len()).collect();
    let first = |column: usize| FIRST.iter().position(|name| *name == headings[column].name).unwrap_or(FIRST.len());
    // Columns without a value in the recording come last.
    let known = |column: usize| rows.iter().any(|row| row.entry.cells[column].is_some());
    wanted.sort_by_key(|column| (Some(*column) != sorted, !known(*column), first(*column)));
    for column in wanted {
        if wide(column) <= left {
            left -= wide(column);
            taken.push(column);
        }
    }
    taken.sort_unstable();
    let room = width.saturating_sub(taken.iter().map(|column| wide(*column)).sum::<usize>() + 1);
    let head: String = taken.iter().map(|column| right(&title(*column), wide(*column))).collect();
    let mut places = vec![(1, room, Target::Heading(None))];
    let mut from = 1 + room;
    for column in &taken {
        places.push((from, wide(*column), Target::Heading(Some(*column))));
        from += wide(*column);
    }
    let sorted_name = if sorted.is_none() { format!("*{name}") } else { name.to_owned() };
    let mut lines = vec![Line::styled(format!(" {}{head}", padded(&sorted_name, room)), DIM.patch(STRONG))];
    for (place, (name, cells)) in names.iter().zip(&cells).enumerate() {
        let values: String = taken.iter().map(|column| right(&cells[*column], wide(*column))).collect();
        let style = if selected == Some(shown.start + place) {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            Style::new()
        };
        lines.push(Line::styled(format!(" {}{values}", padded(name, room)), style));
    }
    (lines, places)
}

fn name_of(row: &Row) -> String {
    let hidden = if row.hidden > 0 { format!(" (+{})", row.hidden) } else { String::new() };
    format!("{}{}{hidden}", "  ".repeat(row.depth.min(10)), row.label)
}

fn padded(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let fill = width.saturating_sub(text.width());
    text + &" ".repeat(fill)
}

fn right(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.width())) + text
}
