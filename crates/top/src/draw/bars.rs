//! The host in a few lines: memory and its parts, dirty memory and its thresholds, watermarks, hit ratio, reclaim, CPUs, pressure.

use super::parts::{ALARM, STRONG, cut};
use crate::host::{Dirty, Host, text};
use pagetide_core::Unit;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// How many lines it takes.
pub(super) const LINES: usize = 8;

/// The columns of a line's name.
const NAME: usize = 9;

pub(super) fn draw(host: &Host, frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    let lines = vec![
        memory_bar(host, width),
        memory_text(host, width),
        dirty(&host.dirty, width),
        named("free", &fitting(&free(host), width - NAME), width),
        named("reads", &fitting(&reads(host), width - NAME), width),
        named("reclaim", &fitting(&reclaim(host), width - NAME), width),
        cpu(host, width),
        named("waiting", &fitting(&waiting(host), width - NAME), width),
    ];
    frame.render_widget(Paragraph::new(lines), area);
}

fn named(name: &str, text: &str, width: usize) -> Line<'static> {
    Line::from(vec![name_span(name), Span::raw(cut(text, width.saturating_sub(NAME)))])
}

fn name_span(name: &str) -> Span<'static> {
    Span::styled(format!(" {name:<8}"), STRONG)
}

/// A part of memory: its name, the letter that fills its part of the bar, and a colour for terminals that have colours.
const PARTS: [(&str, char, Color); 5] = [
    ("anon", 'a', Color::Red),
    ("kernel", 'k', Color::Magenta),
    ("dirty", 'd', Color::Yellow),
    ("cache", 'c', Color::Green),
    ("free", '.', Color::DarkGray),
];

fn parts(host: &Host) -> Option<[f64; 5]> {
    let memory = host.memory?;
    Some([memory.anonymous, memory.other.unwrap_or(0.0), memory.dirty, memory.clean, memory.free.unwrap_or(0.0)])
}

/// All of memory as one line of letters, with `|` where free memory would be at the high watermark.
fn memory_bar(host: &Host, width: usize) -> Line<'static> {
    let total = text(host.total, Unit::Bytes);
    let Some(parts) = parts(host) else {
        let known = host.cached.map(|cached| format!("cached {}, the rest not recorded", bytes(Some(cached))));
        return named("memory", known.as_deref().unwrap_or("not recorded"), width);
    };
    let room = width.saturating_sub(NAME + total.len() + 3);
    let sum: f64 = parts.iter().sum();
    let mut spans = vec![name_span("memory"), Span::raw("[")];
    let mark = host
        .watermarks
        .filter(|_| sum > 0.0)
        .map(|marks| columns(sum - marks.high, sum, room).min(room.saturating_sub(1)));
    let (mut upto, mut drawn) = (0.0, 0);
    for (part, (_, letter, colour)) in parts.into_iter().zip(PARTS) {
        upto += part;
        let end = columns(upto, sum, room);
        let cell = |at: usize| if mark == Some(at) { '|' } else { letter };
        let letters: String = (drawn..end).map(cell).collect();
        spans.push(Span::styled(letters, Style::new().fg(colour)));
        drawn = drawn.max(end);
    }
    spans.push(Span::raw(format!("] {total}")));
    Line::from(spans)
}

/// How many of `room` columns a share takes.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to room")]
fn columns(part: f64, whole: f64, room: usize) -> usize {
    if whole <= 0.0 {
        return 0;
    }
    ((part / whole).clamp(0.0, 1.0) * room as f64).round() as usize
}

fn memory_text(host: &Host, width: usize) -> Line<'static> {
    let Some(parts) = parts(host) else { return Line::raw("") };
    let mut spans = vec![Span::raw(" ".repeat(NAME))];
    let mut left = width.saturating_sub(NAME);
    for (part, (name, letter, colour)) in parts.into_iter().zip(PARTS).take(4) {
        let text = cut(&format!("{letter} {name} {}  ", bytes(Some(part))), left);
        left -= text.len().min(left);
        spans.push(Span::styled(text, Style::new().fg(colour)));
    }
    Line::from(spans)
}

/// Dirty memory up to the threshold, with `b` at the background threshold and `f` at freerun.
fn dirty(dirty: &Dirty, width: usize) -> Line<'static> {
    let (Some(unwritten), Some(threshold)) = (dirty.unwritten, dirty.threshold) else {
        let known = dirty.unwritten.map(|unwritten| format!("{}, thresholds not recorded", bytes(Some(unwritten))));
        return named("dirty", known.as_deref().unwrap_or("not recorded"), width);
    };
    let bar = (width / 4).max(12);
    let scale = threshold.max(unwritten);
    let full = columns(unwritten, scale, bar);
    let place = |value: Option<f64>| value.map(|value| columns(value, scale, bar).min(bar - 1));
    let (background, freerun) = (place(dirty.background), place(dirty.freerun));
    let cell = |at: usize| match at {
        at if Some(at) == background => 'b',
        at if Some(at) == freerun => 'f',
        at if at < full => 'd',
        _ => '.',
    };
    let throttled = dirty.freerun.is_some_and(|freerun| unwritten > freerun);
    let style = if throttled { ALARM } else { Style::new().fg(Color::Yellow) };
    let words = [
        format!(" {} of {}", bytes(Some(unwritten)), bytes(Some(threshold))),
        format!("throttles at {}", bytes(dirty.freerun)),
        format!("flusher starts at {}", bytes(dirty.background)),
    ];
    Line::from(vec![
        name_span("dirty"),
        Span::raw("["),
        Span::styled((0..bar).map(cell).collect::<String>(), style),
        Span::raw("]"),
        Span::raw(fitting(&words, width.saturating_sub(NAME + 2 + bar))),
    ])
}

/// The CPUs as a bar of letters: user, system, IO wait; behind it the busy tenths of each.
fn cpu(host: &Host, width: usize) -> Line<'static> {
    let bar = (width / 4).max(12);
    let mut letters = String::new();
    let mut upto = 0.0;
    for (letter, (_, share)) in ['u', 's', 'w', 't'].into_iter().zip(host.cpu) {
        upto += share.unwrap_or(0.0);
        let end = columns(upto, 1.0, bar);
        letters.extend(std::iter::repeat_n(letter, end.saturating_sub(letters.len())));
    }
    letters.extend(std::iter::repeat_n('.', bar.saturating_sub(letters.len())));
    let known = host.cpu.iter().any(|(_, share)| share.is_some());
    if !known {
        return named("cpu", if host.first { "rates need two samples" } else { "not recorded" }, width);
    }
    let shares = host.cpu.map(|(name, share)| format!("{name} {}", percent(share)));
    let mut words = vec![format!(" {} %", shares.join(" "))];
    words.extend(
        (!host.cpus.is_empty())
            .then(|| format!("each [{}]", host.cpus.iter().copied().map(tenths).collect::<String>())),
    );
    words.push(format!("load {}", text(host.load, Unit::Count)));
    Line::from(vec![
        name_span("cpu"),
        Span::raw("["),
        Span::styled(letters, Style::new().fg(Color::Cyan)),
        Span::raw("]"),
        Span::raw(fitting(&words, width.saturating_sub(NAME + 2 + bar))),
    ])
}

/// How busy a CPU is in tenths: `.` below a twentieth, `*` from the last twentieth on.
fn tenths(busy: f64) -> char {
    match columns(busy, 1.0, 10) {
        0 => '.',
        10.. => '*',
        tenths => u32::try_from(tenths).ok().and_then(|tenths| char::from_digit(tenths, 10)).unwrap_or('*'),
    }
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{:.0}", value * 100.0))
}

/// As many of the parts as fit, from the first on.
fn fitting(parts: &[String], width: usize) -> String {
    let mut text = String::new();
    for part in parts {
        let gap = if text.is_empty() { "" } else { ", " };
        if text.chars().count() + gap.len() + part.chars().count() > width {
            break;
        }
        text = text + gap + part;
    }
    text
}

fn bytes(value: Option<f64>) -> String {
    text(value, Unit::Bytes)
}

fn free(host: &Host) -> Vec<String> {
    let mut parts = vec![bytes(host.free), format!("available {}", bytes(host.available))];
    if let Some(marks) = host.watermarks {
        let [min, low, high] = [marks.min, marks.low, marks.high].map(|mark| bytes(Some(mark)));
        parts.push(format!("low watermark {low}, high {high}"));
        parts.push(format!("min {min}"));
    }
    parts
}

/// The hit ratio, and what it is of.
fn reads(host: &Host) -> Vec<String> {
    let speed = |value| text(value, Unit::BytesPerSecond);
    vec![
        format!("hit ratio {} of {}", text(host.reads.hit_ratio, Unit::Ratio), speed(host.reads.asked)),
        format!("disks read {}", speed(host.reads.from_disks)),
        format!("major faults {}/s", text(host.major_faults, Unit::Count)),
    ]
}

fn reclaim(host: &Host) -> Vec<String> {
    let rate = |value| text(value, Unit::Count);
    let mut parts = vec![format!("scan {}/s", rate(host.scanned))];
    parts.extend(host.efficiency.map(|share| format!("{} stolen", text(Some(share), Unit::Ratio))));
    parts.push(format!("direct {}/s", rate(host.direct)));
    parts.push(format!("refault {}/s", rate(host.refaults)));
    match host.swap_total {
        Some(total) if total > 0.0 => {
            parts.push(format!("swap in {}/s out {}/s", rate(host.swap_in), rate(host.swap_out)));
            parts.push(format!("{} of {} swap used", bytes(host.swap_used), bytes(host.swap_total)));
        }
        Some(_) => parts.push("no swap".to_owned()),
        None => parts.push("swap not recorded".to_owned()),
    }
    parts
}

/// Pressure as some/full.
fn waiting(host: &Host) -> Vec<String> {
    let stalled = host.pressure.map(|(name, some, full)| format!("{name} {}/{}", percent(some), percent(full)));
    vec![format!("PSI {} % (some/full)", stalled.join(" "))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_recorded_is_no_zero() {
        let free = |host: &Host| free(host).first().cloned();
        let swap = |swap_total| reclaim(&Host { swap_total, ..Host::default() }).pop().unwrap_or_default();
        assert_eq!([swap(Some(0.0)), swap(None)], ["no swap", "swap not recorded"]);
        // What `sar -r` of old versions has: not which part of memory is anonymous, and no thresholds.
        let size = |mib: f64| Some(mib * f64::from(1 << 20));
        let dirty_memory = Dirty { unwritten: size(42.5), ..Dirty::default() };
        let host = Host { free: size(512.0), cached: size(640.0), dirty: dirty_memory, ..Host::default() };
        assert_eq!(free(&host).as_deref(), Some("512 MiB"));
        assert_eq!(memory_bar(&host, 80).to_string().trim_end(), " memory  cached 640 MiB, the rest not recorded");
        assert_eq!(dirty(&dirty_memory, 80).to_string().trim_end(), " dirty   42.5 MiB, thresholds not recorded");
    }

    #[test]
    fn a_share_never_takes_more_than_the_room() {
        assert_eq!(
            [columns(1.0, 2.0, 10), columns(9.0, 2.0, 10), columns(-1.0, 2.0, 10), columns(1.0, 0.0, 10)],
            [5, 10, 0, 0]
        );
    }
}
