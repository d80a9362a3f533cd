//! `pagetide diagnose --watch`: findings of a growing recording as they begin and end, a line each.

use super::Arguments;
use crate::command::Outcome;
use crate::interrupt::Interrupt;
use crate::{output, recordings};
use pagetide_core::{Diagnosis, Document, Error, Finding, Recording, Selection};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What happened to a finding: one line of JSON.
#[derive(Debug, Serialize)]
struct Event<'a> {
    event: &'static str,
    /// Whether it is the cause of the others.
    cause: bool,
    rule: &'a str,
    origins: &'a [String],
    statement: &'a str,
    confidence: f64,
    /// When it began and until when it was seen, ns since 1970-01-01 UTC.
    onset_wall_ns: i64,
    end_wall_ns: i64,
}

/// A finding that goes on.
struct Going {
    finding: Finding,
    cause: bool,
    onset_wall_ns: i64,
    end_wall_ns: i64,
}

/// A rule and the disk or group that it blames. Who does most of it may change from one minute to the next, and it is the same
/// incident.
type Key = (String, Option<String>);

pub(super) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let interrupt = Interrupt::catch()?;
    let until = arguments.lasts.map(|lasts| Instant::now() + Duration::from_nanos(lasts.get()));
    let mut going: BTreeMap<Key, Going> = BTreeMap::new();
    let (mut alarmed, mut told) = (false, i64::MIN);
    let mut end = recordings::times(&arguments.recording)?.stamps().last().map(|stamp| stamp.wall_ns);
    loop {
        let recording = tail(arguments, end)?;
        end = recording.stamps().last().map(|stamp| stamp.wall_ns).or(end);
        if let Some(last) = end.filter(|last| *last > told) {
            told = last;
            alarmed |= round(arguments, &recording, last, &mut going, json)?;
        }
        let mut left = Duration::from_nanos(arguments.every.get().max(100_000_000));
        while !left.is_zero() && !interrupt.came() && until.is_none_or(|until| Instant::now() < until) {
            let nap = left.min(Duration::from_millis(50));
            std::thread::sleep(nap);
            left -= nap;
        }
        if interrupt.came() || until.is_some_and(|until| Instant::now() >= until) {
            return Ok(if alarmed { Outcome::Failed } else { Outcome::Done });
        }
    }
}

/// The end of the recording, from so long before a moment on at which there was a sample; all of it before the first. What is
/// older costs next to nothing: a round must not take longer the longer the recording is.
fn tail(arguments: &Arguments, end: Option<i64>) -> Result<Recording, Error> {
    let over = i64::try_from(arguments.over.get()).unwrap_or(i64::MAX);
    let from_wall_ns = end.map(|end| end.saturating_sub(over));
    recordings::load(&arguments.recording, &Selection { from_wall_ns, ..super::selection(false) })
}

/// Looks once at the end of the recording, and says what began and what ended; whether anything began.
fn round(
    arguments: &Arguments,
    recording: &Recording,
    last: i64,
    going: &mut BTreeMap<Key, Going>,
    json: bool,
) -> Result<bool, Error> {
    let diagnosis = pagetide_diagnose::diagnose(recording);
    let now = alarms(recording, &diagnosis, last, arguments);
    let mut began = false;
    for (key, one) in &now {
        if !going.contains_key(key) {
            began = true;
            tell("began", one, json)?;
        }
    }
    for (_, one) in going.iter().filter(|(key, _)| !now.contains_key(*key)) {
        tell("ended", one, json)?;
    }
    *going = now;
    Ok(began)
}

/// What is wrong at the end of the recording.
fn alarms(recording: &Recording, diagnosis: &Diagnosis, last: i64, arguments: &Arguments) -> BTreeMap<Key, Going> {
    let interval = recording.manifest.interval.get().max(arguments.every.get());
    let slack = i64::try_from(interval.saturating_mul(2)).unwrap_or(i64::MAX);
    let root = diagnosis.cause.as_ref().map(|cause| (&cause.rule, &cause.origins));
    let findings = diagnosis.findings.iter().filter(|finding| pagetide_diagnose::alarming(finding));
    // The surest come first, and of several with one key the last is kept.
    let going = findings.rev().map(|finding| {
        let going = Going {
            cause: root == Some((&finding.rule, &finding.origins)),
            onset_wall_ns: recording.wall_ns(finding.range.0).unwrap_or(0),
            end_wall_ns: recording.wall_ns(finding.range.1).unwrap_or(0),
            finding: finding.clone(),
        };
        let place = finding.origins.iter().find(|origin| !origin.starts_with("process:"));
        ((finding.rule.clone(), place.cloned()), going)
    });
    going.filter(|(_, one)| one.end_wall_ns >= last.saturating_sub(slack)).collect()
}

fn tell(event: &'static str, one: &Going, json: bool) -> Result<(), Error> {
    let Going { finding, cause, onset_wall_ns, end_wall_ns } = one;
    if json {
        let event = Event {
            event,
            cause: *cause,
            rule: &finding.rule,
            origins: &finding.origins,
            statement: &finding.statement,
            confidence: finding.confidence.get(),
            onset_wall_ns: *onset_wall_ns,
            end_wall_ns: *end_wall_ns,
        };
        let line = Document::new(event).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
        return output::print(&line);
    }
    let at = if event == "began" { *onset_wall_ns } else { *end_wall_ns };
    let role = if *cause { "cause" } else { "also" };
    output::print(&format!(
        "{} {event} {role:5} {} ({:.2}): {}\n",
        recordings::timestamp(at),
        finding.rule,
        finding.confidence.get(),
        finding.statement
    ))
}
