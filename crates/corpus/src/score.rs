//! Replays recordings through the rules and holds what they say against the truth.

use crate::truth::{FILE as TRUTH, Half, Truth};
use pagetide_core::{Error, Recording, Selection, Source};
use pagetide_store::Reader;
use std::fs;
use std::path::Path;

/// What is said when a recording is said to tell nothing.
pub const CANNOT_TELL: &str = "cannot tell";

/// Causes that are no trouble, and no cause at all: none of them is an alarm.
const HARMLESS: [&str; 4] = ["healthy", "served-from-cache", "swap-in-use-harmless", CANNOT_TELL];

/// What `diagnose` makes of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The cause it names first, as a rule's id.
    pub cause: String,
    /// How sure it is; absent where it names none.
    pub confidence: Option<f64>,
    /// Where it says that it comes from: the nearest.
    pub origin: Option<String>,
    /// When it says that it began, ns on the recording's axis.
    pub onset_ns: Option<i64>,
}

/// A recording with its truth and what was said.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The folder's name.
    pub name: String,
    /// What is true.
    pub truth: Truth,
    /// What was said.
    pub said: Said,
    /// Time between two samples, ns.
    pub interval_ns: i64,
}

impl Judged {
    /// Whether the cause is right.
    pub fn cause_right(&self) -> bool {
        self.truth.cause.contains(&self.said.cause)
    }

    /// Whether the origin is right; absent where there is none to be named.
    pub fn origin_right(&self) -> Option<bool> {
        let said = self.said.origin.as_ref();
        (!self.truth.origin.is_empty()).then(|| said.is_some_and(|said| self.truth.origin.contains(said)))
    }

    /// How many samples the said onset is from the true one; absent where nothing begins. One that was not said is as far off
    /// as can be.
    pub fn onset_error(&self) -> Option<f64> {
        let truth = self.truth.onset_ns?;
        Some(
            self.said
                .onset_ns
                .map_or(f64::INFINITY, |said| said.abs_diff(truth) as f64 / (self.interval_ns.max(1) as f64)),
        )
    }

    /// Whether nothing is wrong with the machine and something was said to be.
    pub fn false_alarm(&self) -> bool {
        let healthy = self.truth.cause.iter().any(|cause| HARMLESS.contains(&cause.as_str()));
        self.truth.control && healthy && !self.cause_right() && !HARMLESS.contains(&self.said.cause.as_str())
    }

    /// Whether a stream is blamed for what no stream did.
    pub fn blamed_on_a_stream(&self) -> bool {
        self.said.cause == "stream-floods-cache" && !self.cause_right()
    }
}

/// The score of some recordings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// Recordings.
    pub cases: usize,
    /// Those whose cause is right.
    pub cause: usize,
    /// Those with an origin.
    pub with_origin: usize,
    /// Those whose origin is right.
    pub origin: usize,
    /// Those in which something begins.
    pub with_onset: usize,
    /// Those whose onset is within two samples.
    pub onset: usize,
    /// The median error of the onset, in samples.
    pub onset_median: f64,
    /// Controls.
    pub controls: usize,
    /// Healthy controls that were called ill.
    pub false_alarms: usize,
    /// Recordings in which a stream was blamed for what no stream did.
    pub blamed_on_a_stream: usize,
}

impl Score {
    /// Counts.
    pub fn of<'a>(judged: impl Iterator<Item = &'a Judged> + Clone) -> Self {
        let count = |of: fn(&Judged) -> bool| judged.clone().filter(|one| of(one)).count();
        let mut errors: Vec<f64> = judged.clone().filter_map(Judged::onset_error).collect();
        errors.sort_by(f64::total_cmp);
        Self {
            cases: count(|_| true),
            cause: count(Judged::cause_right),
            with_origin: count(|one| one.origin_right().is_some()),
            origin: count(|one| one.origin_right() == Some(true)),
            with_onset: errors.len(),
            onset: errors.iter().filter(|error| **error <= 2.0).count(),
            onset_median: errors.get(errors.len() / 2).copied().unwrap_or(0.0),
            controls: count(|one| one.truth.control),
            false_alarms: count(Judged::false_alarm),
            blamed_on_a_stream: count(Judged::blamed_on_a_stream),
        }
    }
}

/// What the rules make of a recording.
pub fn say(recording: &Recording) -> Said {
    let diagnosis = pagetide_diagnose::diagnose(recording);
    match diagnosis.cause {
        Some(cause) => Said {
            confidence: Some(cause.confidence.get()),
            origin: cause.origins.into_iter().next(),
            onset_ns: Some(cause.onset_ns),
            cause: cause.rule.to_string(),
        },
        None => Said { cause: CANNOT_TELL.to_owned(), confidence: None, origin: None, onset_ns: None },
    }
}

/// Judges every recording in a folder, in order of name; of one half when it is named.
///
/// # Errors
/// A recording or its truth cannot be read.
pub fn judge(folder: &Path, half: Option<Half>) -> Result<Vec<Judged>, Error> {
    let entries = fs::read_dir(folder)
        .map_err(|error| Error::input(format!("{}: {error}", folder.display()), "record the corpus first"))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    // The truth is written last: a folder without one is being recorded.
    folders.retain(|path| path.join(TRUTH).exists());
    folders.sort();
    let mut judged = Vec::new();
    for path in folders {
        let truth = Truth::read(&path.join(TRUTH))?;
        if half.is_some_and(|half| half != truth.half()) {
            continue;
        }
        let recording = Reader::open(&path.join("recording"))?.load(&Selection::default())?;
        judged.push(Judged {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            truth,
            said: say(&recording),
            interval_ns: i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX),
        });
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(cause: &str, said: &str, control: bool, onset: Option<i64>) -> Judged {
        Judged {
            name: "t".to_owned(),
            truth: Truth {
                family: "t".to_owned(),
                seed: 1,
                control,
                cause: vec![cause.to_owned(), "also".to_owned()],
                origin: vec!["disk:vda".to_owned()],
                onset_ns: Some(10_000),
                chosen: Vec::new(),
                kernel: String::new(),
            },
            said: Said {
                cause: said.to_owned(),
                confidence: Some(0.9),
                origin: Some("disk:vda".to_owned()),
                onset_ns: onset,
            },
            interval_ns: 1000,
        }
    }

    #[test]
    fn what_is_right_late_wrong_or_an_alarm_is_counted_as_that() {
        let all = [
            judged("swap-thrash", "swap-thrash", false, Some(11_500)),
            judged("swap-thrash", "also", false, Some(7_000)),
            judged("swap-thrash", "stream-floods-cache", false, None),
            judged("healthy", "healthy", true, None),
            judged("healthy", "device-slow", true, None),
            judged("caches-dropped", "cold-cache", true, None),
        ];
        let score = Score::of(all.iter());
        assert_eq!((score.cases, score.cause, score.origin, score.with_origin), (6, 3, 6, 6));
        assert_eq!((score.onset, score.with_onset), (1, 6), "half a sample late is within two, three early is not");
        assert_eq!((score.controls, score.false_alarms), (3, 1), "a wrong cause on an ill control is no false alarm");
        assert_eq!(score.blamed_on_a_stream, 1);
    }
}
