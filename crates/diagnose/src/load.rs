//! Loads of a recording what the rules need: of a long one the processes only around what happened.

use crate::amount::Amount;
use crate::episodes::Episodes;
use crate::limits::GROWTH;
use crate::stretches::Stretches;
use crate::window::{Window, intervals, joined};
use pagetide_core::{Error, LazyRecording, Nanos, Recording, Source, Span, Table};

/// Samples up to which the processes are loaded at once: two hours at one a second.
const LONG: usize = 7200;

/// Loads these metrics of every table. Processes are most of a long recording, and rules need them only in some stretches. Gives the
/// episodes, which are those of other tables and so stay what they are.
pub(crate) fn load<S: Source>(recording: &mut LazyRecording<S>, metrics: &[&str]) -> Result<Episodes, Error> {
    for table in Table::ALL.into_iter().filter(|table| *table != Table::Process) {
        recording.columns(table, metrics)?;
    }
    let episodes = Episodes::default();
    if recording.recording().stamps().len() <= LONG {
        recording.columns(Table::Process, metrics)?;
        return Ok(episodes);
    }
    for span in of_interest(recording.recording(), &episodes) {
        recording.columns_within(Table::Process, metrics, (span.from.ns(), span.to.ns()))?;
    }
    Ok(episodes)
}

/// The stretches in which rules need to know what processes did, by all tables but theirs: those in which tasks lose time, and all where
/// something grows.
fn of_interest(recording: &Recording, episodes: &Episodes) -> Vec<Span> {
    let stretches = Stretches::of(recording, episodes);
    let Some(whole) = stretches.whole else { return Vec::new() };
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
    let lose = |window: &&Window<'_>| stretches.losses.lose(&whole, window.span);
    joined(stretches.windows.iter().filter(lose).map(wider).collect(), Nanos::new(0))
}
