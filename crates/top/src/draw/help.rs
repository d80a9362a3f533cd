//! What the keys do.

use crate::app::Growth;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

const KEYS: &[(&str, &str)] = &[
    ("Left Right", "one sample back, forward"),
    ("[ ]", "one minute back, forward (also Shift with the arrows)"),
    ("Home End", "first sample, last sample"),
    ("g", "go to a time"),
    ("/ \\", "go to the next finding, the previous one"),
    ("Tab 1-5", "processes, groups, disks, zones, findings"),
    ("Up Down PgUp PgDn", "select a row, scroll the findings"),
    ("< >", "sort by the previous column, the next one (marked *)"),
    ("C M L R W F U", "sort by CPU, memory, lost, reads, writes, faults, util"),
    ("r", "reverse the order"),
    ("f", "show only names that contain a text"),
    ("s n", "search for a name, next match"),
    ("Enter z", "groups: fold, show only this group and its processes"),
    ("Esc", "clear filter and zoom"),
    ("mouse", "click: pane, sort column, row; wheel: rows"),
    ("q Ctrl-C", "quit"),
];

pub(super) fn draw(growth: Growth, frame: &mut Frame<'_>, area: Rect) {
    let live = [("Space", "pause, follow the newest sample")];
    let live = if growth == Growth::Still { &live[..0] } else { &live[..] };
    let keys = live.iter().chain(KEYS).map(|(key, does)| Line::raw(format!(" {key:<18} {does}")));
    let legend = [
        "",
        " memory: a anonymous and shared, k kernel, d dirty, c clean cache, . free;",
        "   | marks where free memory equals the high watermark",
        " dirty: b background threshold, f freerun; above f writers are throttled",
    ];
    let lines: Vec<Line<'_>> = keys.chain(legend.map(Line::raw)).collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let width = 78.min(area.width);
    let inner = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    frame.render_widget(Clear, inner);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys: any key closes this ")), inner);
}
