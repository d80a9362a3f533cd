//! Reduces rows to answers.

use crate::factor::{self, CauseFactors};
use crate::host::{self, Host, Hour};
use crate::naming;
use crate::problem::Problem;
use crate::row::{self, ROW_VERSION, Row, Text};
use crate::split::{self, Split, SplitAnswer};
use crate::unit::DAY;
use pagetide_core::Error;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of a fleet.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Labels of hosts, by name: attributes that no recording has.
    pub labels: BTreeMap<Text, BTreeMap<Text, Text>>,
    /// What to divide the fleet by.
    pub split: Option<Split>,
}

/// The answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answers {
    /// What the rows were made by.
    pub made_by: Text,
    /// Recordings.
    pub recordings: u64,
    /// Hosts with at least one verdict.
    pub hosts: u64,
    /// Hours with a verdict.
    pub hours: u64,
    /// Those of them in which nothing is wrong.
    pub healthy_hours: u64,
    /// Those of them with an incident.
    pub incident_hours: u64,
    /// Those of them without an incident, after which one is to be expected.
    pub forecast_hours: u64,
    /// Those of them that say too little.
    pub cannot_tell_hours: u64,
    /// Recordings that have samples, and none in the range.
    pub out_of_range: u64,
    /// Recordings without a verdict for all or some of their hours, by why.
    pub problems: Vec<ProblemAnswer>,
    /// Hours with a forecast, the latest first.
    pub forecasts: Vec<HourAnswer>,
    /// Hours that say too little, the latest first.
    pub cannot_tell: Vec<HourAnswer>,
    /// Hosts with incidents, the worst first: by the time that tasks lost.
    pub worst: Vec<WorstHost>,
    /// The causes, the most harmful first.
    pub causes: Vec<CauseAnswer>,
    /// What the affected hosts have in common, by cause.
    pub factors: Vec<CauseFactors>,
    /// The fleet, divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitAnswer>,
    /// Labels that name no host of the rows.
    pub unused_labels: u64,
}

/// One kind of problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProblemAnswer {
    /// Its name.
    pub problem: Text,
    /// Recordings that have it.
    pub recordings: Vec<ProblemRecording>,
}

/// A recording with a problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProblemRecording {
    /// Its name.
    pub recording: Text,
    /// What is wrong, in a sentence.
    pub text: Text,
}

/// An hour of a host that is neither healthy nor has an incident.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HourAnswer {
    /// The host's name.
    pub host: Text,
    /// The hour, ns since 1970-01-01 UTC.
    pub hour_ns: i64,
    /// What is to come; absent where the hour says too little.
    pub cause: Option<Text>,
    /// The program it comes from.
    pub program: Option<Text>,
}

/// A host with incidents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstHost {
    /// Its name.
    pub host: Text,
    /// Time that tasks lost in incidents.
    pub harm_ns: i64,
    /// Hours with an incident.
    pub incident_hours: u64,
    /// Hours with a verdict.
    pub hours: u64,
    /// The cause that cost most; absent when no incident has one.
    pub cause: Option<Text>,
    /// The program it came from most often.
    pub program: Option<Text>,
    /// The hour in which most was lost, ns since 1970-01-01 UTC.
    pub worst_hour_ns: i64,
}

/// A cause over the fleet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseAnswer {
    /// The cause: a rule's id.
    pub cause: Text,
    /// Hosts with an incident of it.
    pub hosts: u64,
    /// Hours with an incident of it.
    pub hours: u64,
    /// Time that tasks lost in them.
    pub harm_ns: i64,
    /// The same by UTC day.
    pub days: Vec<CauseDay>,
}

/// A cause on one day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseDay {
    /// The beginning of the day, ns since 1970-01-01 UTC.
    pub day_ns: i64,
    /// Hosts with an incident of it.
    pub hosts: u64,
    /// Hours with an incident of it.
    pub hours: u64,
    /// Time that tasks lost in them.
    pub harm_ns: i64,
}

/// The answers of the rows, in any order.
///
/// # Errors
///
/// Rows of another version, or of different versions: what they say cannot be compared.
pub fn reduce(rows: &[Row], question: &Question) -> Result<Answers, Error> {
    let made_by = version(rows)?;
    let apart = naming::told_apart(rows);
    let (rows, duplicates) = settle(apart.as_deref().unwrap_or(rows));
    let recordings: BTreeSet<&str> =
        rows.iter().chain(&duplicates).filter_map(|row| row.recording.as_deref()).collect();
    let (hosts, facts) = host::hosts(&rows, &question.labels);
    if let Some(Split::Attribute(name)) = &question.split
        && !hosts.iter().any(|host| host.hours.iter().any(|hour| facts.get(hour.facts).contains_key(name)))
    {
        let known: BTreeSet<&Text> =
            hosts.iter().flat_map(|host| &host.hours).flat_map(|hour| facts.get(hour.facts).keys()).collect();
        let known: Vec<&str> = known.into_iter().map(|name| &**name).collect();
        return Err(Error::input(
            format!("no host has the attribute `{name}`"),
            format!("known attributes: {}", known.join(", ")),
        ));
    }
    let hours = || hosts.iter().flat_map(|host| &host.hours);
    let names: BTreeSet<&Text> = hosts.iter().map(|host| &host.name).collect();
    let out_of_range = rows.iter().filter(|row| is_out_of_range(row)).filter_map(|row| row.recording.as_deref());
    let out_of_range: BTreeSet<&str> = out_of_range.collect();
    let forecasts = hours_that(&hosts, |hour| hour.forecast.is_some());
    let cannot_tell = hours_that(&hosts, |hour| !hour.healthy && !hour.incident && hour.forecast.is_none());
    Ok(Answers {
        made_by,
        recordings: recordings.len() as u64,
        hosts: hosts.len() as u64,
        hours: hours().count() as u64,
        healthy_hours: hours().filter(|hour| hour.healthy).count() as u64,
        incident_hours: hours().filter(|hour| hour.incident).count() as u64,
        forecast_hours: forecasts.len() as u64,
        cannot_tell_hours: cannot_tell.len() as u64,
        out_of_range: out_of_range.len() as u64,
        problems: problems(&rows, &duplicates),
        forecasts,
        cannot_tell,
        worst: worst(&hosts),
        causes: causes(&hosts),
        factors: factor::factors(&hosts, &facts),
        split: question.split.as_ref().map(|by| split::split(&hosts, &facts, by)),
        unused_labels: question.labels.keys().filter(|name| !names.contains(name)).count() as u64,
    })
}

/// The one version of the rows.
fn version(rows: &[Row]) -> Result<Text, Error> {
    let made: BTreeSet<&Text> = rows.iter().filter_map(|row| row.made_by.as_ref()).collect();
    if let Some(row) = rows.iter().find(|row| row.row_version != Some(ROW_VERSION)) {
        let version = row.row_version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
        return Err(Error::input(
            format!("rows of {version}, this pagetide reads version {ROW_VERSION}"),
            "make the rows with this version of pagetide",
        ));
    }
    match made.len() {
        0 => Ok(row::MADE_BY.into()),
        1 => Ok(made.first().map(|made| (*made).clone()).unwrap_or_default()),
        _ => {
            let made: Vec<&str> = made.into_iter().map(|made| &**made).collect();
            Err(Error::input(
                format!("rows of different versions of pagetide: {}", made.join(", ")),
                "install one version on the driver and on all workers",
            ))
        }
    }
}

/// The rows that count, in order, and the rows about recordings that are left out because another one has their host and hours.
fn settle(rows: &[Row]) -> (Vec<&Row>, Vec<&Row>) {
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by(|one, other| one.key().cmp(&other.key()));
    // A task that was run twice gives its rows twice.
    rows.dedup_by(|one, other| one == other);
    // Which recording has an hour of a host: the first.
    let mut owners: BTreeMap<(&str, i64), &str> = BTreeMap::new();
    let mut left_out: BTreeSet<(&str, &str)> = BTreeSet::new();
    for row in rows.iter().filter(|row| row.verdict.is_some()) {
        let (host, recording, hour, _) = row.key();
        if *owners.entry((host, hour)).or_insert(recording) != recording {
            left_out.insert((host, recording));
        }
    }
    let with_verdict: BTreeSet<&str> = rows.iter().filter(|row| row.verdict.is_some()).map(|row| row.key().1).collect();
    // A day without samples in the range is not an error if the recording has other days.
    let is_empty = |row: &Row| row.problem.as_deref() == Some(Problem::Empty.name()) || is_out_of_range(row);
    rows.retain(|row| !is_empty(row) || !with_verdict.contains(row.key().1));
    rows.into_iter().partition(|row| !left_out.contains(&(row.key().0, row.key().1)) || row.verdict.is_none())
}

/// Whether a row says that a recording has nothing in the range.
fn is_out_of_range(row: &Row) -> bool {
    row.problem.as_deref() == Some(Problem::OutOfRange.name())
}

/// The hours of a kind, the latest first.
fn hours_that(hosts: &[Host], is_kind: impl Fn(&Hour) -> bool) -> Vec<HourAnswer> {
    let of_host = |host: &'_ Host, hour: &Hour| HourAnswer {
        host: host.name.clone(),
        hour_ns: hour.begin,
        cause: hour.forecast.clone().flatten(),
        program: hour.program.clone(),
    };
    let all = hosts.iter().flat_map(|host| host.hours.iter().map(move |hour| (host, hour)));
    let mut found: Vec<HourAnswer> =
        all.filter(|(_, hour)| is_kind(hour)).map(|(host, hour)| of_host(host, hour)).collect();
    found.sort_by(|one, other| (other.hour_ns, &one.host).cmp(&(one.hour_ns, &other.host)));
    found
}

fn problems(rows: &[&Row], duplicates: &[&Row]) -> Vec<ProblemAnswer> {
    let mut found: BTreeMap<Problem, BTreeMap<Text, Text>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !is_out_of_range(row)) {
        let problem = Problem::ALL.into_iter().find(|problem| row.problem.as_deref() == Some(problem.name()));
        if let (Some(problem), Some(recording)) = (problem, &row.recording) {
            let text = row.problem_text.clone().unwrap_or_default();
            found.entry(problem).or_default().entry(recording.clone()).or_insert(text);
        }
    }
    for row in duplicates {
        let text = format!(
            "another recording of a host named {} covers the same hours (if it is of another machine: --host-from folder)",
            row.host.as_deref().unwrap_or("unknown")
        );
        let recordings = found.entry(Problem::DuplicateHost).or_default();
        recordings.entry(row.recording.clone().unwrap_or_default()).or_insert_with(|| text.into());
    }
    let recordings = |found: BTreeMap<Text, Text>| {
        found.into_iter().map(|(recording, text)| ProblemRecording { recording, text }).collect()
    };
    found
        .into_iter()
        .map(|(problem, found)| ProblemAnswer { problem: problem.name().into(), recordings: recordings(found) })
        .collect()
}

fn worst(hosts: &[Host]) -> Vec<WorstHost> {
    let mut worst: Vec<WorstHost> = hosts.iter().filter_map(worst_host).collect();
    worst.sort_by(|one, other| (other.harm_ns, &one.host).cmp(&(one.harm_ns, &other.host)));
    worst
}

fn worst_host(host: &Host) -> Option<WorstHost> {
    let incidents = || host.hours.iter().filter(|hour| hour.incident);
    let worst_hour = incidents().max_by_key(|hour| (hour.harm_ns, std::cmp::Reverse(hour.begin)))?;
    let mut causes: BTreeMap<&Text, i64> = BTreeMap::new();
    let mut programs: BTreeMap<&Text, i64> = BTreeMap::new();
    for hour in incidents() {
        hour.cause.iter().for_each(|cause| *causes.entry(cause).or_default() += hour.harm_ns);
        hour.program.iter().for_each(|program| *programs.entry(program).or_default() += 1);
    }
    Some(WorstHost {
        host: host.name.clone(),
        harm_ns: host.harm_ns(),
        incident_hours: host.incident_hours() as u64,
        hours: host.hours.len() as u64,
        cause: most(causes),
        program: most(programs),
        worst_hour_ns: worst_hour.begin,
    })
}

/// The name with the largest number; of equal ones the first.
fn most(numbers: BTreeMap<&Text, i64>) -> Option<Text> {
    let most = numbers.into_iter().max_by(|one, other| (one.1, other.0).cmp(&(other.1, one.0)))?;
    Some(most.0.clone())
}

#[derive(Debug, Default)]
struct Sum<'a> {
    hosts: BTreeSet<&'a Text>,
    hours: u64,
    harm_ns: i64,
}

fn causes(hosts: &[Host]) -> Vec<CauseAnswer> {
    let mut sums: BTreeMap<&Text, BTreeMap<i64, Sum<'_>>> = BTreeMap::new();
    for host in hosts {
        for hour in &host.hours {
            let Some(cause) = &hour.cause else { continue };
            let day = hour.begin - hour.begin.rem_euclid(DAY);
            let sum = sums.entry(cause).or_default().entry(day).or_default();
            sum.hosts.insert(&host.name);
            sum.hours += 1;
            sum.harm_ns = sum.harm_ns.saturating_add(hour.harm_ns);
        }
    }
    let mut causes: Vec<CauseAnswer> = sums
        .into_iter()
        .map(|(cause, days)| CauseAnswer {
            cause: cause.clone(),
            hosts: days.values().flat_map(|sum| &sum.hosts).collect::<BTreeSet<_>>().len() as u64,
            hours: days.values().map(|sum| sum.hours).sum(),
            harm_ns: days.values().fold(0, |all, sum| all.saturating_add(sum.harm_ns)),
            days: days
                .into_iter()
                .map(|(day_ns, sum)| CauseDay {
                    day_ns,
                    hosts: sum.hosts.len() as u64,
                    hours: sum.hours,
                    harm_ns: sum.harm_ns,
                })
                .collect(),
        })
        .collect();
    causes.sort_by(|one, other| (other.harm_ns, &one.cause).cmp(&(one.harm_ns, &other.cause)));
    causes
}
