//! `pagetide diagnose --watch`: one line for each finding of a growing recording that begins or ends.

use super::arguments::Arguments;
use crate::command::Outcome;
use crate::interrupt::Interrupt;
use crate::output::{self, Content};
use crate::recordings;
use pagetide_core::{Diagnosis, Document, Error, Finding, LazyRecording, Recording, RuleId, printable};
use pagetide_store::Reader;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What happened to a finding: one line of JSON.
#[derive(Debug, Serialize)]
struct Event<'a> {
    event: &'static str,
    /// Whether it is the cause of the others.
    cause: bool,
    rule: RuleId,
    origins: &'a [String],
    statement: &'a str,
    confidence: f64,
    /// When it began and when it was last seen, ns since 1970-01-01 UTC.
    onset_wall_ns: i64,
    end_wall_ns: i64,
}

/// A finding that lasts.
struct Active {
    finding: Finding,
    cause: bool,
    onset_wall_ns: i64,
    end_wall_ns: i64,
}

/// A rule and the disk or group that it names. The process that does most of it may change within one
/// incident.
type Key = (RuleId, Option<String>);

pub(super) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let interrupt = Interrupt::catch()?;
    let until = arguments.lasts.map(|lasts| Instant::now() + Duration::from_nanos(lasts.get()));
    let mut active: BTreeMap<Key, Active> = BTreeMap::new();
    let (mut alarmed, mut seen) = (false, i64::MIN);
    let mut damaged: BTreeSet<String> = BTreeSet::new();
    let mut end = recordings::times(&arguments.recording)?.stamps().last().map(|stamp| stamp.wall_ns);
    loop {
        let reader = recordings::open(&arguments.recording)?;
        let damage = reader.damage();
        let mut recording = tail(arguments, reader, end)?;
        end = recording.recording().stamps().last().map(|stamp| stamp.wall_ns).or(end);
        if let Some(last) = end.filter(|last| *last > seen) {
            seen = last;
            alarmed |= round(arguments, &mut recording, last, &mut active, json)?;
        }
        for line in damage.lines() {
            if damaged.insert(line.clone()) {
                alarmed = true;
                report_damage(&line, json)?;
            }
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

/// The end of the recording, from so long before the last known sample; all of it before the first. What is
/// older costs almost nothing: a round must not take longer for a longer recording.
fn tail(arguments: &Arguments, reader: Reader, end: Option<i64>) -> Result<LazyRecording<Reader>, Error> {
    let over = i64::try_from(arguments.over.get()).unwrap_or(i64::MAX);
    let from_wall_ns = end.map(|end| end.saturating_sub(over));
    LazyRecording::open(reader, from_wall_ns, None)
}

/// Examines the end of the recording once, and reports what began and what ended; whether anything began.
fn round(
    arguments: &Arguments,
    recording: &mut LazyRecording<Reader>,
    last: i64,
    active: &mut BTreeMap<Key, Active>,
    json: bool,
) -> Result<bool, Error> {
    let diagnosis = pagetide_diagnose::diagnose_lazy(recording, &[])?;
    let now = alarms(recording.recording(), &diagnosis, last, arguments);
    let mut began = false;
    for (key, one) in &now {
        if !active.contains_key(key) {
            began = true;
            report("began", one, json)?;
        }
    }
    for (_, one) in active.iter().filter(|(key, _)| !now.contains_key(*key)) {
        report("ended", one, json)?;
    }
    *active = now;
    Ok(began)
}

/// The problems at the end of the recording.
fn alarms(recording: &Recording, diagnosis: &Diagnosis, last: i64, arguments: &Arguments) -> BTreeMap<Key, Active> {
    let interval = recording.manifest.interval.get().max(arguments.every.get());
    let slack = i64::try_from(interval.saturating_mul(2)).unwrap_or(i64::MAX);
    let root = diagnosis.cause.as_ref().map(|cause| (cause.rule, &cause.origins));
    let findings = diagnosis.findings.iter().filter(|finding| pagetide_diagnose::alarming(finding));
    // The strongest come first, and of several with one key the last is kept.
    let active = findings.rev().map(|finding| {
        let active = Active {
            cause: root == Some((finding.rule, &finding.origins)),
            onset_wall_ns: recording.wall_ns(finding.range.from.ns()).unwrap_or(0),
            end_wall_ns: recording.wall_ns(finding.range.to.ns()).unwrap_or(0),
            finding: finding.clone(),
        };
        let place = finding.origins.iter().find(|origin| !origin.starts_with("process:"));
        ((finding.rule, place.cloned()), active)
    });
    active.filter(|(_, one)| one.end_wall_ns >= last.saturating_sub(slack)).collect()
}

/// Reports a file of the recording that cannot be read.
fn report_damage(line: &str, json: bool) -> Result<(), Error> {
    if json {
        let event = serde_json::json!({ "event": "damaged", "statement": line });
        let line = Document::new(event).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
        return output::stream(Content::Json, |out| out.write_all(line.as_bytes()));
    }
    output::print(&format!("damaged: {}\n", printable(line)))
}

fn report(event: &'static str, one: &Active, json: bool) -> Result<(), Error> {
    let Active { finding, cause, onset_wall_ns, end_wall_ns } = one;
    if json {
        let event = Event {
            event,
            cause: *cause,
            rule: finding.rule,
            origins: &finding.origins,
            statement: &finding.statement,
            confidence: finding.confidence.get(),
            onset_wall_ns: *onset_wall_ns,
            end_wall_ns: *end_wall_ns,
        };
        let line = Document::new(event).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
        return output::stream(Content::Json, |out| out.write_all(line.as_bytes()));
    }
    let at = if event == "began" { *onset_wall_ns } else { *end_wall_ns };
    let role = if *cause { "cause" } else { "also" };
    output::print(&format!(
        "{} {event} {role:5} {} ({:.2}): {}\n",
        recordings::timestamp(at),
        finding.rule,
        finding.confidence.get(),
        printable(&finding.statement)
    ))
}
