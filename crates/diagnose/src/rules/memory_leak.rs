//! `memory-leak`: one process's memory grows and does not stop.

use super::{Role, Rule, Scope};
use crate::case::{Case, advise, grade};
use crate::process;
use crate::window::Window;
use pagetide_core::{Finding, Nanos, Quantity, RuleDoc, Table, Unit};

pub(super) const RULE: Rule = Rule {
    doc: RuleDoc {
        id: "memory-leak",
        title: "The anonymous memory of one process grows without bound",
        meaning: "A process asks for more memory all the time and gives none back. Whatever there is, it will not suffice: first the page cache pays, then \
                  swap, then the OOM killer decides.",
        evidence: "The anonymous memory of one process, resident and swapped (RssAnon + VmSwap), grew by at least 5 % of memory, over at least half of the \
                   recording, about evenly: each fifth of that time has at least a third of an even share, none gives back more than a tenth, and it still grows in the last fifth. That \
                   it is most of the growth of AnonPages on the host speaks for it.",
        why: "Memory that is touched is the process's until it frees it or ends; the kernel cannot know that nobody will use it.",
        otherwise: "A cache inside the program that fills up to its limit, or a heap that is grown at the start, looks the same until it stops. Only time tells.",
        advice: "Limit the process so that it fails alone, restart it, and find what it keeps.",
        kernel: "mm/memory.c: do_anonymous_page; mm/oom_kill.c: out_of_memory.",
    },
    name: "a memory leak",
    role: Role::Cause,
    scope: Scope::Whole,
    shown_by: &[],
    decides: "The same process over a longer time: a leak does not stop, a cache or a heap does.",
    examine,
};

/// Parts of the growth that are compared.
const PARTS: i64 = 5;

fn examine(window: &Window<'_>) -> Option<Finding> {
    if window.step.is_some() {
        return None;
    }
    let grower = process::grower(window)?;
    let memory = window.memory()?;
    if grower.amount < memory * 0.05 {
        return None;
    }
    let points = anonymous(window, grower.name);
    let (from, to) = growing(&points)?;
    let whole = window.to.saturating_sub(window.from);
    let lasted = to.saturating_sub(from);
    let shares = shares(&points, (from, to))?;
    let even = 1.0 / PARTS as f64;
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    if lasted.saturating_mul(2) < whole || least < even / 3.0 || lasted < 5_000_000_000 {
        return None;
    }
    let bytes = |value| Quantity::new(value, Unit::Bytes);
    let seconds = lasted as f64 / 1e9;
    let grown = value_at(&points, to)? - value_at(&points, from)?;
    let mut case = Case::new(RULE.doc.id, window);
    case.during((from, to));
    case.blame("process", grower.comm);
    case.weigh(
        1.0 + grade(grown / memory, 0.05, 0.3),
        case.measured(&format!("growth of {}", grower.words()), "RssAnon + VmSwap", bytes(grown)),
    );
    case.weigh(
        1.5 * grade(least / even, 0.33, 0.8),
        case.measured("smallest share of a fifth of the time in it", "growth by fifths", Quantity::ratio(least)),
    );
    case.weigh(
        grade(lasted as f64 / whole as f64, 0.5, 0.9),
        case.measured("time over which it grew", "samples", Quantity::nanos(Nanos::new(lasted.unsigned_abs()))),
    );
    if let Some(all) = window.host_change("AnonPages") {
        let swapped = window.host_change("SwapFree").map_or(0.0, |change| -change);
        let evidence =
            case.measured("growth of anonymous memory on the host", "AnonPages - SwapFree", bytes(all + swapped));
        case.weigh(if all + swapped > grown * 0.7 { 0.5 } else { -0.5 }, evidence);
    }
    let rate = grown / seconds;
    let left = window.host_gauge("MemAvailable").map(|(least, ..)| least).filter(|left| *left > 0.0);
    let left = left.map_or(String::new(), |left| {
        let after = Quantity::new(left / rate * 1e9, Unit::Nanos);
        format!(" At this rate the {} that were left last {after}.", bytes(left))
    });
    let statement = format!(
        "The memory of {} grew by {} at {} and did not stop.{left}",
        grower.words(),
        bytes(grown),
        Quantity::new(rate, Unit::BytesPerSecond)
    );
    case.close(
        statement,
        vec![
            advise(
                "Limit it before it takes the others down, and restart it.",
                Some("systemctl set-property --runtime SERVICE MemoryMax=2G"),
                "At the limit the process is killed alone; it loses what it has not saved.",
                Some("systemctl revert SERVICE"),
            ),
            advise(
                "Find what it keeps.",
                Some("gdb -p PID, heaptrack -p PID, or the heap profile of its runtime"),
                "Slows the process down while it runs.",
                None,
            ),
        ],
    )
}

/// The anonymous memory of a process over time, swapped or resident, in bytes.
fn anonymous(window: &Window<'_>, process: &str) -> Vec<(i64, f64)> {
    let series = |metric: &str| window.recording.series(Table::Process, process, metric);
    let swap = series("VmSwap");
    let resident = series("RssAnon").map(|series| (series, 1.0)).or_else(|| Some((series("rss")?, window.page_size())));
    let Some((resident, unit)) = resident else { return Vec::new() };
    let swapped = |at| swap.as_ref().and_then(|swap| swap.at(at)).unwrap_or(0) as f64;
    resident.within(window.from, window.to).map(|(at, value)| (at, value as f64 * unit + swapped(at))).collect()
}

/// From where it last was at its smallest to where it is at its largest, which has to be in the last fifth of what is known.
fn growing(points: &[(i64, f64)]) -> Option<(i64, i64)> {
    let (most_at, most) = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (first, _) = *points.first()?;
    let (last, _) = *points.last()?;
    if most_at < last.saturating_sub(last.saturating_sub(first) / PARTS) {
        return None;
    }
    let least = points.iter().filter(|point| point.0 <= most_at).map(|point| point.1).fold(f64::INFINITY, f64::min);
    // A hundredth above the smallest is not growth yet.
    let foot = least + (most - least) * 0.01;
    let (from, _) = points.iter().copied().rfind(|point| point.0 < most_at && point.1 <= foot)?;
    Some((from, most_at))
}

fn value_at(points: &[(i64, f64)], at: i64) -> Option<f64> {
    points.iter().rfind(|point| point.0 <= at).map(|point| point.1)
}

/// The shares that equal parts of the time have in the growth; absent when it fell by a tenth of it meanwhile.
fn shares(points: &[(i64, f64)], (from, to): (i64, i64)) -> Option<Vec<f64>> {
    let inside: Vec<f64> = points.iter().filter(|point| (from..=to).contains(&point.0)).map(|point| point.1).collect();
    let grown = inside.last()? - inside.first()?;
    let mut top = f64::NEG_INFINITY;
    for value in &inside {
        top = top.max(*value);
        if top - value > grown * 0.1 {
            return None;
        }
    }
    let border = |part: i64| from.saturating_add(to.saturating_sub(from).saturating_mul(part) / PARTS);
    let values: Option<Vec<f64>> = (0..=PARTS).map(|part| value_at(points, border(part))).collect();
    (grown > 0.0).then(|| values.map(|values| values.windows(2).map(|pair| (pair[1] - pair[0]) / grown).collect()))?
}
