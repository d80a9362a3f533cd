//! Replays recordings through the rules and compares the reported cause, origin and onset with the true ones.

use crate::truth::{FILE as TRUTH, Half, Truth};
use pagetide_core::{Actor, Error, Grade, Incident, Recording, Selection, Source};
use pagetide_store::Reader;
use std::fs;
use std::path::Path;

/// What stands for the cause where `diagnose` names none.
pub const CANNOT_TELL: &str = "cannot tell";

/// Reported causes that are not alarms.
const HARMLESS: [&str; 4] = ["healthy", "served-from-cache", "swap-in-use-harmless", CANNOT_TELL];

/// What `diagnose` reports of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The cause, as a rule's id.
    pub cause: String,
    /// How strong its evidence is; absent without a cause.
    pub grade: Option<Grade>,
    /// The same, whatever the record of its rule lets it be called.
    pub evidence: Option<Grade>,
    /// The first origin of the cause.
    pub origin: Option<String>,
    /// The onset of the cause, ns on the recording's axis.
    pub onset_ns: Option<i64>,
    /// The group that lost most time by the cause, and the disk that it waited for.
    pub lost: Vec<String>,
    /// The causes that it names besides: the first rival, and those of other incidents.
    pub others: Vec<String>,
}

/// A recording with its true and its reported cause.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The folder's name.
    pub name: String,
    /// The true cause, origin and onset.
    pub truth: Truth,
    /// The reported ones.
    pub reported: Reported,
    /// Time between two samples, ns.
    pub interval_ns: i64,
    /// When the recording starts, ns on its axis.
    pub start_ns: i64,
    /// Whether the kernel counted pressure.
    pub pressure: bool,
}

impl Judged {
    /// Whether the cause is the best one.
    pub fn best_right(&self) -> bool {
        self.truth.best == self.reported.cause
    }

    /// Whether the cause is accepted.
    pub fn cause_right(&self) -> bool {
        self.truth.cause.contains(&self.reported.cause)
    }

    /// Whether the recording starts when the incident is there already.
    pub fn late(&self) -> bool {
        let slack = self.interval_ns.saturating_mul(2);
        self.truth.onset_ns.is_some_and(|onset| onset <= self.start_ns.saturating_add(slack))
    }

    /// Whether the cause or what is named next to it is right: the first rival, or another incident of the recording.
    pub fn named_at_all(&self) -> bool {
        self.cause_right() || self.reported.others.iter().any(|other| self.truth.cause.contains(other))
    }

    /// Whether the origin is right; absent where the incident has none.
    pub fn origin_right(&self) -> Option<bool> {
        // A truth names the interpreter, a recording its script as well: `python3`, `python3 backup.py`.
        let is = |reported: &str, truth: &str| {
            reported.strip_prefix(truth).is_some_and(|script| script.is_empty() || script.starts_with(' '))
        };
        let right = |reported: &String| self.truth.origin.iter().any(|truth| is(reported, truth));
        (!self.truth.origin.is_empty()).then(|| self.reported.origin.as_ref().is_some_and(right))
    }

    /// Whether the group or the disk that lost most, `cgroup:` or `disk:`, is named; absent if the truth does not say.
    pub fn lost_right(&self, kind: &str) -> Option<bool> {
        let mut told = self.truth.lost.iter().filter(|name| name.starts_with(kind)).peekable();
        told.peek()?;
        Some(told.any(|name| self.reported.lost.contains(name)))
    }

    /// Samples between the reported and the true onset; absent where nothing begins, and where a host is rightly called healthy. Infinite
    /// where no onset was reported.
    pub fn onset_error(&self) -> Option<f64> {
        let healthy = self.reported.cause == "healthy" && self.cause_right();
        let truth = self.truth.onset_ns.filter(|_| !healthy)?;
        Some(
            self.reported
                .onset_ns
                .map_or(f64::INFINITY, |reported| reported.abs_diff(truth) as f64 / (self.interval_ns.max(1) as f64)),
        )
    }

    /// Whether it is a healthy control in which `diagnose` raised an alarm.
    pub fn false_alarm(&self) -> bool {
        let healthy = self.truth.cause.iter().any(|cause| HARMLESS.contains(&cause.as_str()));
        self.truth.control && healthy && !self.cause_right() && !HARMLESS.contains(&self.reported.cause.as_str())
    }

    /// Whether `diagnose` reported stream-floods-cache wrongly.
    pub fn blamed_on_a_stream(&self) -> bool {
        self.reported.cause == "stream-floods-cache" && !self.cause_right()
    }
}

/// The score of some recordings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// Recordings.
    pub cases: usize,
    /// Those whose cause is the best one.
    pub best: usize,
    /// Those whose cause is accepted.
    pub cause: usize,
    /// Those whose accepted cause is named first, as first rival, or of another incident.
    pub in_two: usize,
    /// Those with an origin.
    pub with_origin: usize,
    /// Those whose origin is right.
    pub origin: usize,
    /// Those whose truth tells which group lost most.
    pub with_group: usize,
    /// Those whose group is named.
    pub group: usize,
    /// Those whose truth tells for which disk it waited.
    pub with_disk: usize,
    /// Those whose disk is named.
    pub disk: usize,
    /// Those in which something begins.
    pub with_onset: usize,
    /// Those whose onset is within two samples.
    pub onset: usize,
    /// The median error of the onset, in samples.
    pub onset_median: f64,
    /// Controls.
    pub controls: usize,
    /// Healthy controls with a reported alarm.
    pub false_alarms: usize,
    /// Recordings with stream-floods-cache reported wrongly.
    pub blamed_on_a_stream: usize,
}

impl Score {
    /// Counts them.
    pub fn of<'a>(judged: impl Iterator<Item = &'a Judged> + Clone) -> Self {
        let count = |of: fn(&Judged) -> bool| judged.clone().filter(|one| of(one)).count();
        let mut errors: Vec<f64> = judged.clone().filter_map(Judged::onset_error).collect();
        errors.sort_by(f64::total_cmp);
        Self {
            cases: count(|_| true),
            best: count(Judged::best_right),
            cause: count(Judged::cause_right),
            in_two: count(Judged::named_at_all),
            with_origin: count(|one| one.origin_right().is_some()),
            origin: count(|one| one.origin_right() == Some(true)),
            with_group: count(|one| one.lost_right("cgroup:").is_some()),
            group: count(|one| one.lost_right("cgroup:") == Some(true)),
            with_disk: count(|one| one.lost_right("disk:").is_some()),
            disk: count(|one| one.lost_right("disk:") == Some(true)),
            with_onset: errors.len(),
            onset: errors.iter().filter(|error| **error <= 2.0).count(),
            onset_median: errors.get(errors.len() / 2).copied().unwrap_or(0.0),
            controls: count(|one| one.truth.control),
            false_alarms: count(Judged::false_alarm),
            blamed_on_a_stream: count(Judged::blamed_on_a_stream),
        }
    }
}

/// What the most common answer would score that is given to every recording, as (best, accepted, origin).
pub fn baseline(judged: &[&Judged]) -> (usize, usize, usize) {
    let best = judged.iter().map(|one| std::slice::from_ref(&one.truth.best));
    let accepted = judged.iter().map(|one| &one.truth.cause[..]);
    (most_common(best), most_common(accepted), most_common(judged.iter().map(|one| &one.truth.origin[..])))
}

/// How many of some lists hold the answer that most of them hold.
fn most_common<'a>(lists: impl Iterator<Item = &'a [String]>) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    lists.flatten().for_each(|one| *counts.entry(one).or_insert(0) += 1);
    counts.into_values().max().unwrap_or(0)
}

/// The cause that the rules report of a recording.
pub fn report(recording: &Recording) -> Reported {
    let diagnosis = pagetide_diagnose::diagnose(recording);
    let rival = diagnosis.rivals.first().map(|rival| rival.rule.to_string());
    let incidents = diagnosis.incidents.iter().filter_map(|one| Some(one.cause.as_ref()?.rule.to_string()));
    let others = rival.into_iter().chain(incidents).collect();
    let first = diagnosis.incidents.first();
    let lost = first.map_or_else(Vec::new, lost_most);
    match diagnosis.cause {
        Some(cause) => Reported {
            grade: Some(cause.grade),
            evidence: diagnosis.findings.iter().find(|one| one.rule == cause.rule).map(|one| Grade::of(one.confidence)),
            origin: cause.origins.first().map(ToString::to_string),
            onset_ns: Some(cause.onset_ns),
            cause: cause.rule.to_string(),
            lost,
            others,
        },
        None => Reported {
            cause: CANNOT_TELL.to_owned(),
            grade: None,
            evidence: None,
            origin: None,
            onset_ns: first.map(|incident| incident.range.from.ns()),
            lost,
            others,
        },
    }
}

/// The group that suffers most by an incident, and the disk that it waited for.
fn lost_most(incident: &Incident) -> Vec<String> {
    let Some(most) = &incident.victim else { return Vec::new() };
    let disk = incident.losses.iter().filter(|one| one.victim == *most).find_map(|one| one.disk.clone());
    std::iter::once(most.clone()).chain(disk.map(Actor::disk)).map(|actor| actor.to_string()).collect()
}

/// What the rules report of a recording, with the truth beside it.
pub fn judged(name: String, truth: Truth, recording: &Recording) -> Judged {
    let interval_ns = i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX);
    let start_ns = recording.span().map_or(0, |(from, _)| from);
    let pressure = recording.host("psi_io_some").is_some();
    Judged { name, truth, reported: report(recording), interval_ns, start_ns, pressure }
}

/// Scores every recording in a folder, in order of name; only those of `half` when it is given.
///
/// # Errors
/// A recording or its truth cannot be read.
pub fn judge(folder: &Path, half: Option<Half>) -> Result<Vec<Judged>, Error> {
    Ok(read(folder, half)?.into_iter().map(|(name, truth, recording)| judged(name, truth, &recording)).collect())
}

/// Reads every recording in a folder with its truth, in order of name; only those of `half` when it is given.
///
/// # Errors
/// A recording or its truth cannot be read.
pub fn read(folder: &Path, half: Option<Half>) -> Result<Vec<(String, Truth, Recording)>, Error> {
    let entries = fs::read_dir(folder)
        .map_err(|error| Error::input(format!("{}: {error}", folder.display()), "record the corpus first"))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    // The truth is written last: a folder without one is being recorded.
    folders.retain(|path| path.join(TRUTH).exists());
    folders.sort();
    let mut all = Vec::new();
    for path in folders {
        let truth = Truth::read(&path.join(TRUTH))?;
        if half.is_some_and(|half| half != truth.half()) {
            continue;
        }
        let recording = Reader::open(&path.join("recording"))?.load(&Selection::default())?;
        all.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), truth, recording));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(cause: &str, reported: &str, control: bool, onset: Option<i64>) -> Judged {
        Judged {
            name: "t".to_owned(),
            truth: Truth {
                family: "t".to_owned(),
                seed: 1,
                control,
                best: cause.to_owned(),
                cause: vec![cause.to_owned(), "also".to_owned()],
                origin: vec!["disk:vda".to_owned()],
                lost: vec!["cgroup:/sys/fs/cgroup/db".to_owned(), "disk:vda".to_owned()],
                onset_ns: Some(10_000),
                chosen: Vec::new(),
                kernel: String::new(),
            },
            reported: Reported {
                cause: reported.to_owned(),
                grade: Some(Grade::Strong),
                evidence: Some(Grade::Strong),
                origin: Some("disk:vda".to_owned()),
                onset_ns: onset,
                lost: vec!["cgroup:/sys/fs/cgroup/db".to_owned(), "disk:vdb".to_owned()],
                others: Vec::new(),
            },
            interval_ns: 1000,
            start_ns: 0,
            pressure: true,
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
        assert_eq!((score.cases, score.best, score.cause, score.origin, score.with_origin), (6, 2, 3, 6, 6));
        let all: Vec<&Judged> = all.iter().collect();
        assert_eq!(baseline(&all), (3, 6, 6), "swap-thrash, also, and disk:vda are the most common answers");
        assert_eq!((score.group, score.with_group, score.disk, score.with_disk), (6, 6, 0, 6));
        assert_eq!(
            (score.onset, score.with_onset),
            (1, 5),
            "half a sample late is within two, three early is not, and a healthy host has no onset"
        );
        assert_eq!((score.controls, score.false_alarms), (3, 1), "a wrong cause on an ill control is no false alarm");
        assert_eq!(score.blamed_on_a_stream, 1);
    }

    #[test]
    fn an_interpreter_with_its_script_is_the_interpreter() {
        let of = |truth: &str, reported: &str| {
            let mut one = judged("cpu-bound", "cpu-bound", false, None);
            one.truth.origin = vec![truth.to_owned()];
            one.reported.origin = Some(reported.to_owned());
            one.origin_right().unwrap()
        };
        assert!(of("process:python3", "process:python3 backup.py"));
        assert!(of("process:tar", "process:tar"));
        assert!(!of("process:tar", "process:tartar"));
        assert!(!of("process:python3 backup.py", "process:python3"), "another script is another program");
    }
}
