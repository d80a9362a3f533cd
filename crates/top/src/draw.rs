//! The screen.

mod bars;
mod help;
mod parts;
mod table;

use parts::{ALARM, DIM, STRONG, cut, heading, panes};

use crate::app::{App, Growth, Pane};
use crate::findings;
use crate::targets::Targets;
use pagetide_core::{Conclusion, Quantity, Unit, printable};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

const BAR: Style = Style::new().add_modifier(Modifier::REVERSED);

/// The smallest screen that has room for all parts.
const MIN_SCREEN: (u16, u16) = (40, 16);

/// Draws everything. The app learns how many rows its pane has.
pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < MIN_SCREEN.0 || area.height < MIN_SCREEN.1 {
        let text =
            format!("{} x {} is too small: {} x {} at least", area.width, area.height, MIN_SCREEN.0, MIN_SCREEN.1);
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    // What a tall terminal has more goes to the pane.
    let spare = usize::from(area.height).saturating_sub(24);
    let busy = table::busy_disks(app);
    let disks = if app.pane == Pane::Disks { 0 } else { 1 + busy.len().min(2 + spare / 8) };
    let found = if app.pane == Pane::Findings { 0 } else { 4 + spare.min(24) / 8 };
    let rows = |count: usize| Constraint::Length(u16::try_from(count).unwrap_or(u16::MAX));
    let parts = [rows(1), rows(bars::LINES), rows(disks), Constraint::Min(3), rows(found), rows(1)];
    let [top, host, disk, pane, finding, foot] = Layout::vertical(parts).areas(area);
    let style = if app.silent.is_some() { ALARM } else { BAR };
    line(frame, top, title(app, usize::from(top.width)), style);
    bars::draw(&app.shown.host, frame, host);
    table::disks(app, &busy, frame, disk);
    app.page = usize::from(pane.height.saturating_sub(2));
    app.targets = Targets::default();
    parts::pane_targets(pane, &mut app.targets);
    if app.pane == Pane::Findings {
        all_findings(app, frame, pane);
    } else {
        table::draw(app, frame, pane);
    }
    brief_findings(app, frame, finding);
    line(frame, foot, footer(app), if app.note.is_some() { ALARM } else { BAR });
    if app.help {
        help::draw(app.growth, frame, area);
    }
}

fn line(frame: &mut Frame<'_>, area: Rect, text: String, style: Style) {
    frame.render_widget(Paragraph::new(text).style(style), area);
}

/// Host, source and moment.
fn title(app: &App, width: usize) -> String {
    let samples = app.times.stamps().len();
    let when = app.stamp().map_or_else(String::new, |stamp| app.clock.date_time(stamp.wall_ns));
    let place = match (app.growth, app.follows) {
        (Growth::Still, _) => format!("sample {} of {samples}", app.at + 1),
        (_, true) => match app.silent {
            None => "live".to_owned(),
            Some(age) => format!("no sample for {}", Quantity::new(age.as_nanos() as f64, Unit::Nanos)),
        },
        (_, false) => format!("paused, {} samples back", samples.saturating_sub(app.at + 1)),
    };
    let loading = if app.shown.current { "" } else { "  loading" };
    let right = cut(&format!("{when}  {place}{loading} "), width.saturating_sub(1));
    let room = width.saturating_sub(right.len() + 3);
    let left = format!(" {}", cut(&printable(&app.title), room));
    format!("{left}{}{right}", " ".repeat(width.saturating_sub(left.chars().count() + right.chars().count())))
}

fn footer(app: &App) -> String {
    if let Some(prompt) = &app.prompt {
        return format!(" {}{}_", prompt.question(), printable(&prompt.text));
    }
    if let Some(note) = &app.note {
        return format!(" {}", printable(note));
    }
    if let Some(words) = app.selected_command_line() {
        return format!(" {}", printable(words));
    }
    let fold = if app.pane == Pane::Groups { "Enter fold  z zoom  " } else { "" };
    format!(" ? help  q quit  {fold}/ next finding  g time  f filter  s search  <> sort")
}

/// The findings in a few lines: the verdict, and those that hold at the moment.
fn brief_findings(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    if area.height == 0 {
        return;
    }
    let mut lines = vec![heading("findings", &findings_of(app), width)];
    if let Some(diagnosis) = &app.diagnosis {
        let at = app.stamp().map_or(0, |stamp| stamp.boot_ns);
        let brief = findings::brief(diagnosis, at);
        let room = usize::from(area.height) - 1;
        for (place, (now, text)) in brief.iter().enumerate() {
            let left = (room + 1).saturating_sub(lines.len());
            // Each that holds at the moment gets a line, the first of them all that is left.
            let others = brief[place + 1..].iter().filter(|(now, _)| *now).count();
            let most = left.saturating_sub(others).max(1).min(left);
            let (mark, style) = if *now { ("* ", STRONG) } else { ("  ", DIM) };
            for (line, part) in limited(text, width.saturating_sub(3), most).iter().enumerate() {
                let mark = if line == 0 { mark } else { "  " };
                lines.push(Line::styled(format!(" {mark}{part}"), style));
            }
        }
        if brief.is_empty() {
            // On a live host, "not known yet" does not answer what happened.
            let waits = app.growth != Growth::Still && diagnosis.verdict == Conclusion::CannotTell;
            let said = if waits {
                format!("No finding yet. {}", diagnosis.unknown.join(" "))
            } else {
                diagnosis.summary.clone()
            };
            let summary = pagetide_view::text::wrap(&said, width - 2);
            lines.extend(summary.into_iter().take(room).map(|text| Line::raw(format!(" {text}"))));
        }
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// A text in at most so many lines; where it has more, the last ends with `~`.
fn limited(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines = pagetide_view::text::wrap(text, width);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = cut(&format!("{last} ~"), width);
        }
    }
    lines
}

/// What the findings are of, and who lost time.
fn findings_of(app: &App) -> String {
    match (&app.diagnosis, app.growth) {
        (None, _) => "the diagnosis is still running".to_owned(),
        (Some(diagnosis), growth) => {
            let back = pagetide_diagnose::LOOK_BACK.get() / 60_000_000_000;
            let of = if growth == Growth::Still { "total".to_owned() } else { format!("in the last {back} min") };
            let lost = diagnosis.ledger.as_ref().map(|ledger| {
                let time = Quantity::new(ledger.lost_ns as f64, Unit::Nanos);
                format!(", {} lost {time}", printable(ledger.who()))
            });
            format!("{} {of}{}; * active, 5 shows all", diagnosis.findings.len(), lost.unwrap_or_default())
        }
    }
}

fn all_findings(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    let mut lines = vec![heading(&panes(app), &findings_of(app), width)];
    if let Some(diagnosis) = &app.diagnosis {
        let at = app.stamp().map_or(0, |stamp| stamp.boot_ns);
        let text = findings::full(diagnosis, &app.times, at, width.saturating_sub(4));
        let last = text.len().saturating_sub(app.page);
        app.limit_scroll(last);
        lines.extend(text.into_iter().skip(app.state().scroll).map(|part| {
            let mark = if part.now && part.heading { "* " } else { "  " };
            Line::styled(format!(" {mark}{}", part.text), if part.heading { STRONG } else { Style::new() })
        }));
    }
    frame.render_widget(Paragraph::new(lines), area);
}
