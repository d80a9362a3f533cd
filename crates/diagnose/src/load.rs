//! Loads of a recording what the rules need: of a long one the processes only around what happened.

use crate::actors::{group, process, stream, victim, wait_channel};
use crate::evidence::threshold::GROWTH;
use crate::evidence::traced;
use crate::examine::cost::Losses;
use crate::ledger::accounts;
use crate::ledger::blocked;
use crate::ledger::delays;
use crate::ledger::quieter;
use crate::ledger::suspended;
use crate::ledger::unexplained;
use crate::measure::amount::Amount;
use crate::measure::episodes::Episodes;
use crate::measure::window::{Window, intervals, joined};
use crate::measure::{coverage, low_priority, watermarks, window};
use crate::rules;
use crate::verdict::{changes, effects};
use pagetide_core::{Error, LazyRecording, Nanos, Recording, Source, Span, Table};
use std::sync::LazyLock;

/// Samples up to which the processes are loaded at once: two hours at one a second.
const LONG: usize = 7200;

/// Loads these metrics of every table. Processes are most of a long recording, and rules need them only in some stretches. Gives the
/// episodes, which are those of other tables, and but for waits for a CPU they do not depend on processes.
pub(crate) fn load<S: Source>(recording: &mut LazyRecording<S>, metrics: &[&str]) -> Result<Episodes, Error> {
    let is_long = recording.recording().stamps().len() > LONG;
    let whole = |table: &Table| !is_long || *table != Table::Process;
    recording.columns(&Table::ALL.into_iter().filter(whole).collect::<Vec<_>>(), metrics)?;
    let mut episodes = Episodes::default();
    if !is_long {
        return Ok(episodes);
    }
    for span in of_interest(recording.recording(), &episodes) {
        recording.columns_within(Table::Process, metrics, (span.from.ns(), span.to.ns()))?;
    }
    episodes.processes_were_read(recording.recording());
    Ok(episodes)
}

/// The stretches in which rules need to know what processes did, by all tables but theirs: those in which tasks lose time, and all where
/// something grows.
fn of_interest(recording: &Recording, episodes: &Episodes) -> Vec<Span> {
    let Some(whole) = Window::whole(recording, episodes) else { return Vec::new() };
    // Slow growth is searched for in the whole recording.
    let changed = |window: &Window<'_>, metric: &str, sign: f64| {
        let change = window.host_change(metric).zip(window.memory());
        change.is_some_and(|(change, memory)| change * sign >= (memory * GROWTH).max(Amount::ZERO))
    };
    if changed(&whole, "AnonPages", 1.0) || changed(&whole, "Slab", 1.0) || changed(&whole, "SwapFree", -1.0) {
        return vec![whole.span];
    }
    // With some samples around them: a rate needs the one before.
    let margin = intervals(recording, 10);
    let wider = |window: &Window<'_>| Span { from: window.span.from.earlier(margin), to: window.span.to.later(margin) };
    let losses = Losses::of(recording, episodes);
    let lose = |window: &&Window<'_>| losses.lose(&whole, window.span);
    joined(Window::all(recording, episodes).iter().filter(lose).map(wider).collect(), Nanos::new(0))
}

/// The metrics that the rules and what they share read, each once.
pub(crate) fn metrics() -> &'static [&'static str] {
    static METRICS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let shared = [
            blocked::METRICS,
            wait_channel::METRICS,
            changes::METRICS,
            delays::METRICS,
            effects::METRICS,
            group::METRICS,
            low_priority::METRICS,
            process::METRICS,
            quieter::METRICS,
            stream::METRICS,
            suspended::METRICS,
            victim::METRICS,
            unexplained::METRICS,
            watermarks::METRICS,
        ]
        .into_iter();
        let shared = shared.chain(accounts::METRICS).chain(window::METRICS.iter().copied()).chain(coverage::metrics());
        let mut all: Vec<&str> =
            shared.chain(rules::RULES.iter().map(|rule| rule.doc.metrics)).flatten().copied().collect();
        all.extend(traced::metrics());
        all.extend(window::DERIVED.iter().flat_map(|derived| derived.metrics()));
        all.sort_unstable();
        all.dedup();
        all
    });
    &METRICS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_that_a_rule_reads_exists() {
        const IMPORTED: [&str; 10] = [
            "util",
            "queue_depth",
            "await_ms",
            "read_await_ms",
            "write_await_ms",
            "discard_await_ms",
            "reads_writes",
            "cpu_iowait_share",
            "cpu_idle_share",
            "pgsteal",
        ];
        let known = |name: &str| {
            IMPORTED.contains(&name)
                || name.ends_with('*')
                || pagetide_core::Table::ALL.iter().any(|table| pagetide_core::metric::find(*table, name).is_some())
        };
        let unknown: Vec<_> = metrics().iter().filter(|name| !known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
