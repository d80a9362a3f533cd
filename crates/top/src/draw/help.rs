//! What the keys do.

use crate::app::Growth;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

const KEYS: &[(&str, &str)] = &[
    ("Left Right", "one sample back, on"),
    ("[ ]", "one minute back, on (also Shift with the arrows)"),
    ("Home End", "first sample, last sample"),
    ("g", "go to a time"),
    ("/ \\", "go to where the next finding begins, the one before"),
    ("Tab 1-5", "processes, groups, disks, zones, findings"),
    ("Up Down PgUp PgDn", "select a row, scroll the findings"),
    ("< >", "sort by the column before, by the next (marked *)"),
    ("r", "reverse the order"),
    ("f", "show only names with a text"),
    ("s n", "search a name, next match"),
    ("Enter z", "groups: fold, show only this group and its processes"),
    ("Esc", "take back filter and zoom"),
    ("mouse", "click: pane, column to sort by, row; wheel: rows"),
    ("q Ctrl-C", "quit"),
];

pub(super) fn draw(growth: Growth, frame: &mut Frame<'_>, area: Rect) {
    let live = [("Space", "pause, follow the newest sample")];
    let live = if growth == Growth::Still { &live[..0] } else { &live[..] };
    let keys = live.iter().chain(KEYS).map(|(key, does)| Line::raw(format!(" {key:<18} {does}")));
    let legend = [
        "",
        " memory: a anonymous and shared, k kernel, d dirty, c clean cache, . free;",
        "   | is where free memory meets the high watermark",
        " dirty: b background threshold, f freerun; writers are throttled from f on",
    ];
    let lines: Vec<Line<'_>> = keys.chain(legend.map(Line::raw)).collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let width = 78.min(area.width);
    let inner = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    frame.render_widget(Clear, inner);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys: any key closes this ")), inner);
}
