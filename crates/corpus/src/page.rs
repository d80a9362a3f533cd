//! The score as a page, for the terminal and for docs/SCORE.md.

use crate::score::{Judged, Score, baseline};
use crate::truth::Half;
use pagetide_core::{Grade, HitRate};
use pagetide_diagnose::Openings;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The page. `real` are recordings of real programs. `explained` has a sentence for each miss that was examined. Single cases of the held-out half are shown only with
/// `held_cases`, or when all of their misses were examined: a case that an author of rules has seen is no longer held out.
pub fn page(judged: &[Judged], real: &[Judged], explained: &BTreeMap<String, String>, held_cases: bool) -> String {
    let mut out = String::from(
        "# Score\n\n`make score` replays the recordings in fixtures/corpus through `diagnose`, compares the reported cause, origin and \
         onset with the true ones, and writes this page. Authors of rules use the development half. The held-out half is only \
         counted. corpus/README.md lists the seeds of each half, and the results of earlier held-out halves. Shares have their 95 % interval \
         (Wilson) beside them, and in brackets what the most common answer would score if it were given to every recording.\n",
    );
    real_programs(&mut out, real, explained);
    first_openings(&mut out);
    for half in [Half::Development, Half::HeldOut] {
        let all: Vec<&Judged> = judged.iter().filter(|one| one.truth.half() == half).collect();
        let _ = write!(out, "\n## {} half\n\n", half.name());
        totals(&mut out, &all);
        calibration(&mut out, &all);
        let examined = all.iter().filter(|one| missed(one)).all(|one| explained.contains_key(&one.name));
        if half == Half::Development || held_cases || examined {
            confusion(&mut out, &all);
            misses(&mut out, &all, explained);
        }
    }
    out
}

/// What the rules report of recordings that they see for the first time: the lines for crates/diagnose/src/track_record.tsv, what was wrong, and the sums.
pub fn opening(judged: &[Judged], date: &str) -> String {
    let mut out = String::new();
    for one in judged {
        let [grade, evidence] = [one.reported.grade, one.reported.evidence].map(|grade| grade.map_or("-", Grade::name));
        let truth = one.truth.cause.join(" / ");
        let onset = one.onset_error().map(|error| error <= 2.0);
        let [origin, group, disk] = [one.origin_right(), one.lost_right("cgroup:"), one.lost_right("disk:")];
        let all = [Some(one.cause_right()), Some(one.named_at_all()), origin, onset, group, disk];
        let words = all.map(|right| right.map_or("-", |right| if right { "yes" } else { "no" }));
        let (name, cause) = (&one.name, &one.reported.cause);
        let _ = writeln!(out, "{date}\t{name}\t{truth}\t{cause}\t{grade}\t{}\t{evidence}", words.join("\t"));
    }
    let all: Vec<&Judged> = judged.iter().collect();
    misses(&mut out, &all, &BTreeMap::new());
    let (controls, incidents): (Vec<&Judged>, Vec<&Judged>) = all.iter().partition(|one| one.truth.control);
    for (what, some) in [("all", &all), ("incidents", &incidents), ("controls", &controls)] {
        let _ = writeln!(out, "\n{what}:\n");
        totals(&mut out, some);
    }
    breakdown(&mut out, &all);
    calibration(&mut out, &all);
    out
}

/// Incidents by what may make them harder, each beside the most common answer; and controls by kind.
fn breakdown(out: &mut String, all: &[&Judged]) {
    let (controls, incidents): (Vec<&Judged>, Vec<&Judged>) = all.iter().partition(|one| one.truth.control);
    let mut parts: BTreeMap<String, Vec<&Judged>> = BTreeMap::new();
    for one in &incidents {
        let interval = one.interval_ns as f64 / 1e9;
        let start =
            if one.late() { "the incident was there before the recording" } else { "the recording was there first" };
        let pressure = if one.pressure { "pressure is recorded" } else { "no pressure is recorded" };
        let all = ["1: all incidents", &format!("2: kernel {}", lru(one)), &format!("3: interval of {interval:.0} s")]
            .map(str::to_owned);
        let names = all.into_iter().chain([format!("4: {start}"), format!("5: {pressure}")]);
        names.for_each(|name| parts.entry(name).or_default().push(one));
    }
    out.push_str(
        "\nIncidents; in brackets what the most common answer would score, given to each of them:\n\n\
         | incidents | best cause | accepted | in two | origin | onset within 2 samples |\n|---|---|---|---|---|---|\n",
    );
    for (name, some) in &parts {
        let score = Score::of(some.iter().copied());
        let (best, accepted, origin) = baseline(some);
        let _ = writeln!(
            out,
            "| {} | {} [{best}] | {} [{accepted}] | {} | {} [{origin}] | {} |",
            name.split_once(": ").map_or(name.as_str(), |(_, name)| name),
            share(score.best, score.cases),
            share(score.cause, score.cases),
            share(score.in_two, score.cases),
            share(score.origin, score.with_origin),
            share(score.onset, score.with_onset),
        );
    }
    let mut kinds: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    controls.iter().for_each(|one| kinds.entry(one.truth.family.as_str()).or_default().push(one));
    out.push_str("\n| control | recordings | answers |\n|---|---|---|\n");
    for (kind, some) in kinds {
        let answer = |one: &&Judged| {
            let grade = one.reported.grade.map_or(String::new(), |grade| format!(" ({})", grade.name()));
            format!("{}{grade}{}", one.reported.cause, if one.cause_right() { "" } else { " ✗" })
        };
        let _ =
            writeln!(out, "| {kind} | {} | {} |", some.len(), some.iter().map(answer).collect::<Vec<_>>().join(", "));
    }
}

/// The recordings of real programs, in all and by kernel.
fn real_programs(out: &mut String, real: &[Judged], explained: &BTreeMap<String, String>) {
    out.push_str(
        "\n## Real programs\n\nRecordings of fixtures/real: PostgreSQL, MariaDB, redis, git and others in Debian guests \
         (corpus/real). Authors of rules have examined all of them: corpus/real-openings.md has the figures of each before that.\n\n",
    );
    let all: Vec<&Judged> = real.iter().collect();
    totals(out, &all);
    breakdown(out, &all);
    calibration(out, &all);
    misses(out, &all, explained);
}

/// The kernel and the kind of its page lists.
fn lru(one: &Judged) -> &str {
    match one.truth.chosen.first().map(String::as_str) {
        Some("old") => "5.10, classic lists",
        Some("classic") => "6.1, classic lists",
        Some("mglru") => "6.12, MGLRU",
        _ => "other",
    }
}

fn share(part: usize, of: usize) -> String {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let Some((least, most)) = (HitRate { right: count(part), of: count(of) }).interval() else {
        return "none".to_owned();
    };
    let percent = part as f64 / of as f64 * 100.0;
    format!("{part} of {of} ({percent:.0} %, {:.0} to {:.0})", least * 100.0, most * 100.0)
}

fn totals(out: &mut String, all: &[&Judged]) {
    let score = Score::of(all.iter().copied());
    let (best, accepted, origin) = baseline(all);
    let lines = [
        ("recordings", format!("{}, of which {} controls", score.cases, score.controls)),
        ("best cause", format!("{} [{best}]", share(score.best, score.cases))),
        ("accepted cause", format!("{} [{accepted}]", share(score.cause, score.cases))),
        ("accepted cause first, as first rival, or of another incident", share(score.in_two, score.cases)),
        ("origin right", format!("{} [{origin}]", share(score.origin, score.with_origin))),
        ("onset within 2 samples", share(score.onset, score.with_onset)),
        ("median error of the onset", format!("{:.1} samples", score.onset_median)),
        ("false alarms on healthy controls", share(score.false_alarms, score.controls)),
        ("stream-floods-cache reported wrongly", score.blamed_on_a_stream.to_string()),
    ];
    let named = [
        ("group that lost most named", share(score.group, score.with_group), score.with_group),
        ("disk that it waited for named", share(score.disk, score.with_disk), score.with_disk),
    ];
    let named = named.into_iter().filter(|(_, _, of)| *of > 0).map(|(what, value, _)| (what, value));
    out.push_str("| | |\n|---|---|\n");
    for (what, value) in lines.into_iter().chain(named) {
        let _ = writeln!(out, "| {what} | {value} |");
    }
}

/// What the rules report of a variant of a recording, as a line: `-` before what is wrong.
pub fn line(variant: &str, one: &Judged) -> String {
    let mark = |right: bool| if right { ' ' } else { '-' };
    let onset = one.onset_error().map_or(String::new(), |error| format!("{}onset {error:.1}", mark(error <= 2.0)));
    let grade = one.reported.grade.map_or("-", Grade::name);
    let origin = one.reported.origin.as_deref().unwrap_or("-");
    let place = mark(one.origin_right() != Some(false));
    format!(
        "{:<24} {variant:<35} {}{:<30} {grade:<9} {place}{origin:<24} {onset}",
        one.name,
        mark(one.cause_right()),
        one.reported.cause
    )
}

/// The score of a variant, as a line.
pub fn variant(variant: &str, judged: &[Judged]) -> String {
    let score = Score::of(judged.iter());
    let cause = share(score.cause, score.cases);
    let origin = share(score.origin, score.with_origin);
    let onset = share(score.onset, score.with_onset);
    let alarms = share(score.false_alarms, judged.iter().filter(|one| one.truth.control).count());
    format!("{variant:<35} cause {cause}, origin {origin}, onset {onset}, false alarms {alarms}")
}

/// How often causes of each grade were right when the rules saw recordings of real programs first.
fn first_openings(out: &mut String) {
    out.push_str(
        "\n## Grades of evidence on recordings that nobody had examined\n\n`diagnose` prints these rates beside the grade of its cause, and they are \
         `cause.confidence` in JSON. crates/diagnose/src/track_record.tsv has a line for each recording of real programs, written when the rules saw it first \
         (corpus/real-openings.md). \n\n| grade | cause right |\n|---|---|\n",
    );
    for grade in Grade::ALL {
        let rate = pagetide_diagnose::observed(grade);
        let _ = writeln!(out, "| {} | {} |", grade.name(), share(rate.right as usize, rate.of as usize));
    }
    let _ = writeln!(
        out,
        "\nThe same by the age of the recording: the rules of today are those that saw the newest, or come after them.\n\n\
         | first openings | cause of incidents right | healthy controls called anything else |\n|---|---|---|"
    );
    let of = |rate: HitRate| share(rate.right as usize, rate.of as usize);
    for (name, newest) in
        [("all", usize::MAX), (&*format!("of the newest {SUMMED_INCIDENTS} incidents"), SUMMED_INCIDENTS)]
    {
        let Openings { incidents, alarms, .. } = pagetide_diagnose::openings(newest);
        let _ = writeln!(out, "| {name} | {} | {} |", of(incidents), of(alarms));
    }
    let _ = writeln!(out, "\n| of the newest {SUMMED_INCIDENTS} incidents | right |\n|---|---|");
    for (what, rate) in pagetide_diagnose::openings(SUMMED_INCIDENTS).besides {
        let _ = writeln!(out, "| {what} | {} |", of(rate));
    }
    let _ = writeln!(
        out,
        "\n| grade, of the newest {SUMMED_INCIDENTS} incidents and their controls | cause right |\n|---|---|"
    );
    for (grade, rate) in pagetide_diagnose::openings(SUMMED_INCIDENTS).grades {
        let _ = writeln!(out, "| {} | {} |", grade.name(), of(rate));
    }
}

/// Incidents of which the newest first openings are summed: batches o and p. The aim is 90 % of at least 60.
const SUMMED_INCIDENTS: usize = 98;

/// How often the reported cause is right, by its grade.
fn calibration(out: &mut String, all: &[&Judged]) {
    out.push_str("\n| grade of evidence | cause right |\n|---|---|\n");
    for grade in Grade::ALL {
        let reported: Vec<&&Judged> = all.iter().filter(|one| one.reported.grade == Some(grade)).collect();
        if !reported.is_empty() {
            let right = reported.iter().filter(|one| one.cause_right()).count();
            let _ = writeln!(out, "| {} | {} |", grade.name(), share(right, reported.len()));
        }
    }
}

/// The confusion matrix: true causes are rows, reported causes columns.
fn confusion(out: &mut String, all: &[&Judged]) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for one in all {
        // A right cause by another name counts under the first name.
        let reported = if one.cause_right() { one.truth.best.as_str() } else { &one.reported.cause };
        *counts.entry((one.truth.best.as_str(), reported)).or_default() += 1;
    }
    let rows: BTreeSet<&str> = counts.keys().map(|(truth, _)| *truth).collect();
    let columns: BTreeSet<&str> = counts.keys().map(|(_, reported)| *reported).collect();
    out.push_str("\nRows: true cause; columns: reported cause:\n\n| |");
    columns.iter().for_each(|reported| _ = write!(out, " {reported} |"));
    out.push_str("\n|---|");
    columns.iter().for_each(|_| out.push_str("---|"));
    for truth in rows {
        let _ = write!(out, "\n| {truth} |");
        for reported in &columns {
            let count = counts.get(&(truth, *reported)).map_or_else(String::new, ToString::to_string);
            let _ = write!(out, " {count} |");
        }
    }
    out.push('\n');
}

/// Whether the reported cause, origin or onset is wrong.
fn missed(one: &Judged) -> bool {
    !one.cause_right() || one.origin_right() == Some(false) || one.onset_error().is_some_and(|error| error > 2.0)
}

fn misses(out: &mut String, all: &[&Judged], explained: &BTreeMap<String, String>) {
    if !all.iter().any(|one| missed(one)) {
        return;
    }
    out.push_str("\nRecordings with a wrong cause, origin or onset (✗):\n\n| recording | true cause | reported cause | evidence | true origin | reported origin | onset error, samples |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for one in all.iter().filter(|one| missed(one)) {
        let mark = |right: bool| if right { "" } else { " ✗" };
        let _ = writeln!(
            out,
            "| {} | {} | {}{} | {} | {} | {}{} | {} |",
            one.name,
            one.truth.cause.join(" or "),
            one.reported.cause,
            mark(one.cause_right()),
            one.reported.grade.map_or("", Grade::name),
            one.truth.origin.join(" or "),
            one.reported.origin.as_deref().unwrap_or("-"),
            mark(one.origin_right() != Some(false)),
            match one.onset_error() {
                Some(error) if error.is_finite() => format!("{error:.1}"),
                Some(_) => "not reported".to_owned(),
                None => String::new(),
            },
        );
    }
    out.push('\n');
    for one in all.iter().filter(|one| missed(one)) {
        let why = explained.get(&one.name).map_or("not examined yet", String::as_str);
        let _ = writeln!(out, "- {}: {why}.", one.name);
    }
}
