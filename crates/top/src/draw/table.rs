//! Tables of entities: their columns as far as they fit, the one that sorts always.

use super::parts::{ALARM, DIM, STRONG, cut, heading, panes};
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
    "cpu",
    "rss",
    "read/s",
    "write/s",
    "depth", // of disks
    "lost",
    "majflt/s",
    "io-wait",
    "reclaim-wait", // of processes
    "current",
    "anon",
    "file",
    "dirty",
    "refault/s",
    "max", // of groups
];

/// The disks that did something; loop and RAM devices lie on others, or on none.
pub(super) fn busy_disks(app: &App) -> Vec<Row> {
    let util = entries::headings(Topic::Disk).iter().position(|heading| heading.name == "util");
    let is_busy = |row: &&Row| util.and_then(|util| row.entry.cells[util]).is_some_and(|util| util > 0.0);
    app.shown.disks.iter().filter(|row| !is_folded(row)).filter(is_busy).cloned().collect()
}

fn is_folded(row: &Row) -> bool {
    ["loop", "ram"].iter().any(|kind| row.entry.path.starts_with(kind))
}

/// The busy disks, the busiest first; of the others how many there are.
pub(super) fn disks(app: &App, busy: &[Row], frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let folded = app.shown.disks.iter().filter(|row| is_folded(row)).count();
    let idle = app.shown.disks.len() - folded - busy.len();
    let [idle, folded] =
        [(idle, "idle"), (folded, "loop")].map(|(count, what)| (count > 0).then(|| format!("{count} {what}")));
    let rest: Vec<String> = idle.into_iter().chain(folded).collect();
    let name = if rest.is_empty() { "disk".to_owned() } else { format!("disk (+{})", rest.join(", ")) };
    let headings = entries::headings(Topic::Disk);
    let sorted = headings.iter().position(|heading| heading.name == "util");
    let rows: Vec<usize> = (0..busy.len().min(usize::from(area.height) - 1)).collect();
    let table =
        Table { headings: &headings, rows: busy, sorted, selected: None, culprits: &[], words: false, name: &name };
    let (lines, _) = table.lines(&rows, usize::from(area.width));
    frame.render_widget(Paragraph::new(lines), area);
}

/// Which rows fit: those around the selected one, and at the end culprits that would not be seen.
fn visible(rows: usize, selected: usize, culprits: &[usize], room: usize) -> Vec<usize> {
    let window = |kept: usize| {
        let first = selected.saturating_sub(kept.saturating_sub(1));
        first..(first + kept).min(rows)
    };
    let unseen = |kept: usize| culprits.iter().copied().filter(move |place| !window(kept).contains(place));
    let mut kept = room;
    // The fewer rows are kept, the more culprits are not among them.
    loop {
        let fewer = room.saturating_sub(unseen(kept).count()).max(room.min(2));
        if fewer >= kept {
            break;
        }
        kept = fewer;
    }
    window(kept).chain(unseen(kept).take(room - kept)).collect()
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
    // A recording has the processes that matter most, and not all that run.
    let among =
        if order.filter.is_empty() { String::new() } else { format!(" of the {} listed", app.shown.entries.len()) };
    let of = format!("{of}{}{among} by {by}{reversed}", app.shown.rows.len());
    let room = usize::from(area.height).saturating_sub(2);
    let selected = app.selected();
    let culprits = app.culprits();
    let shown = visible(app.shown.rows.len(), selected, &culprits, room);
    let mut all = vec![heading(&panes(app), &of, width)];
    let table = Table {
        headings: &headings,
        rows: &app.shown.rows,
        sorted: order.column,
        selected: Some(selected),
        culprits: &culprits,
        words: app.pane == Pane::Processes,
        name: "name",
    };
    let (lines, columns) = table.lines(&shown, width);
    all.extend(lines);
    frame.render_widget(Paragraph::new(all), area);
    for (column, width, target) in columns {
        app.targets.add(area, (column, 1), width, target);
    }
    for (line, place) in shown.into_iter().enumerate() {
        app.targets.add(area, (0, 2 + line), width, Target::Row(place));
    }
}

/// Where a heading begins in its line, how wide it is, and what it is.
type Place = (usize, usize, Target);

/// Columns of a user's name.
const USER: usize = 8;

/// Rows and what is drawn of them.
struct Table<'a> {
    headings: &'a [Heading],
    rows: &'a [Row],
    sorted: Option<usize>,
    selected: Option<usize>,
    /// The places of rows that a finding names.
    culprits: &'a [usize],
    /// Whether rows have words: user and state.
    words: bool,
    /// What the names are of.
    name: &'a str,
}

impl Table<'_> {
    /// The heading and the rows at some places, and the places of the headings.
    fn lines(&self, shown: &[usize], width: usize) -> (Vec<Line<'static>>, Vec<Place>) {
        let Self { headings, sorted, .. } = *self;
        let rows: Vec<&Row> = shown.iter().filter_map(|place| self.rows.get(*place)).collect();
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
        let names: Vec<String> = rows.iter().map(|row| name_of(row)).collect();
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
        // Where users are not recorded, their column leaves its room to numbers.
        let users = self.rows.iter().any(|row| row.entry.words.first().is_some_and(|user| user != "-"));
        let words = match (self.words, users) {
            (true, true) => USER + 3,
            (true, false) => 2,
            (false, _) => 0,
        };
        let longest = names.iter().map(|name| name.width()).max().unwrap_or(0).clamp(NAME, LONG_NAME);
        let mut left = width.saturating_sub(longest.min(width / 3).max(NAME) + 1 + words);
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
        let numbers = taken.iter().map(|column| wide(*column)).sum::<usize>();
        let room = width.saturating_sub(numbers + 1 + words);
        let head: String = taken.iter().map(|column| right(&title(*column), wide(*column))).collect();
        let mut places = vec![(1, room, Target::Heading(None))];
        let mut from = 1 + room + words;
        for column in &taken {
            places.push((from, wide(*column), Target::Heading(Some(*column))));
            from += wide(*column);
        }
        let of_words = |user: &str, state: &str| match (self.words, users) {
            (true, true) => format!(" {} {}", padded(user, USER), padded(state, 1)),
            (true, false) => format!(" {}", padded(state, 1)),
            (false, _) => String::new(),
        };
        let name = if sorted.is_none() { format!("*{}", self.name) } else { self.name.to_owned() };
        let words = of_words("user", "S");
        let mut lines = vec![Line::styled(format!(" {}{words}{head}", padded(&name, room)), DIM.patch(STRONG))];
        for ((place, row), (name, cells)) in shown.iter().zip(&rows).zip(names.iter().zip(&cells)) {
            let values: String = taken.iter().map(|column| right(&cells[*column], wide(*column))).collect();
            let word = |at: usize| row.entry.words.get(at).map_or("-", String::as_str);
            let words = of_words(word(0), word(1));
            let (mark, style) = match self.culprits.contains(place) {
                true => ("!", ALARM),
                false => (" ", Style::new()),
            };
            let style = if self.selected == Some(*place) { style.add_modifier(Modifier::REVERSED) } else { style };
            lines.push(Line::styled(format!("{mark}{}{words}{values}", padded(name, room)), style));
        }
        (lines, places)
    }
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

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn a_culprit_below_the_screen_takes_the_last_line() {
        assert_eq!(visible(100, 0, &[], 5), [0, 1, 2, 3, 4]);
        assert_eq!(visible(100, 0, &[3], 5), [0, 1, 2, 3, 4]);
        assert_eq!(visible(100, 0, &[70], 5), [0, 1, 2, 3, 70]);
        assert_eq!(visible(100, 0, &[4, 70], 5), [0, 1, 2, 4, 70]);
        assert_eq!(visible(100, 50, &[0], 5), [47, 48, 49, 50, 0]);
        assert_eq!(visible(100, 99, &[0, 1, 2, 3], 5), [98, 99, 0, 1, 2]);
        assert_eq!(visible(3, 0, &[2], 5), [0, 1, 2]);
        assert_eq!(visible(3, 0, &[2], 0), [0; 0]);
    }
}
