//! Whether samples still come in a recording that should grow.

use crate::recordings;
use std::path::Path;
use std::time::{Duration, Instant};

/// Intervals without a sample from which on a recorder counts as silent.
const MISSED_INTERVALS: u32 = 3;

/// What changed since the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Samples come, or do not, as before.
    Nothing,
    /// No sample has come for too long.
    Silence,
    /// Samples come again.
    Samples,
}

/// How long no sample has come. The clock of the recorded host may differ from this one's, so it says only how old the newest sample was at the
/// first look; from then on, time passes here.
#[derive(Debug)]
pub(crate) struct Silence {
    limit: Duration,
    newest: Option<i64>,
    /// When the newest sample was seen first.
    seen: Instant,
    /// Its age then.
    age: Duration,
    silent: bool,
}

impl Silence {
    /// Of a recording with this interval, whose newest sample is `newest`, at a look every `every`.
    pub(crate) fn new(interval: Duration, every: Duration, newest: Option<i64>) -> Self {
        let age = newest.map_or(0, |newest| pagetide_recorder::now().wall_ns.saturating_sub(newest));
        let age = Duration::from_nanos(u64::try_from(age).unwrap_or(0));
        Self { limit: every.max(MISSED_INTERVALS * interval), newest, seen: Instant::now(), age, silent: false }
    }

    /// Takes note of the newest sample at `now`.
    pub(crate) fn look(&mut self, newest: Option<i64>, now: Instant) -> Heard {
        if newest > self.newest {
            (self.newest, self.seen, self.age) = (newest, now, Duration::ZERO);
            return if std::mem::take(&mut self.silent) { Heard::Samples } else { Heard::Nothing };
        }
        let lasts = now.saturating_duration_since(self.seen) + self.age > self.limit;
        if lasts && !std::mem::replace(&mut self.silent, true) { Heard::Silence } else { Heard::Nothing }
    }

    /// Whether no sample has come for too long.
    pub(crate) fn lasts(&self) -> bool {
        self.silent
    }

    /// The newest sample, ns since 1970-01-01 UTC.
    pub(crate) fn since(&self) -> Option<i64> {
        self.newest
    }
}

/// Since when no sample has come to the recording at `path`, and why, as far as its recorder says.
pub(crate) fn describe(path: &Path, since: Option<i64>) -> String {
    let why = match pagetide_service::query(path) {
        Ok(None) => "no recorder is running".to_owned(),
        Ok(Some(status)) => match status.refused {
            Some(why) => format!("the recorder cannot write: {why}"),
            None => format!("the recorder (process {}) is running, but writes none", status.pid),
        },
        Err(error) if error.hint.is_empty() => error.what,
        Err(error) => format!("{} ({})", error.what, error.hint),
    };
    match since {
        Some(since) => format!("no sample since {}: {why}", recordings::timestamp(since)),
        None => format!("no sample yet: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_begins_after_three_intervals_and_ends_with_a_sample() {
        let second = Duration::from_secs(1);
        // A host whose clock is ahead: its samples are no age.
        let ahead = pagetide_recorder::now().wall_ns + 3_600_000_000_000;
        let mut silence = Silence::new(second, second, Some(ahead));
        let begin = silence.seen;
        let mut look = |newest: i64, seconds: u32| silence.look(Some(ahead + newest), begin + seconds * second);
        assert_eq!(look(0, 3), Heard::Nothing);
        assert_eq!(look(0, 4), Heard::Silence);
        assert_eq!(look(0, 60), Heard::Nothing, "said once");
        assert_eq!(look(1, 61), Heard::Samples);
        assert_eq!(look(2, 64), Heard::Nothing);
        assert_eq!(look(2, 67), Heard::Nothing);
        assert_eq!(look(2, 68), Heard::Silence);
        assert!(silence.lasts() && silence.since() == Some(ahead + 2));
    }

    #[test]
    fn a_recording_that_ended_long_ago_is_silent_at_once() {
        let mut silence = Silence::new(Duration::from_secs(1), Duration::from_secs(10), Some(0));
        assert_eq!(silence.look(Some(0), Instant::now()), Heard::Silence);
        let mut empty = Silence::new(Duration::from_secs(1), Duration::from_secs(10), None);
        assert_eq!(empty.look(None, Instant::now()), Heard::Nothing, "the first sample may be on its way");
    }
}
