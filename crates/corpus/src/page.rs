//! The score in words, the same for the terminal and for docs/SCORE.md.

use crate::score::{Judged, Score};
use crate::truth::Half;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The ends of the bins of confidence.
const BINS: [f64; 6] = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The page. `explained` has a sentence for each miss that somebody has looked into. The single cases of the held half are shown only
/// when that is asked for, or when all that is missed of them has been looked into: who has seen them may build rules on them.
pub fn page(judged: &[Judged], explained: &BTreeMap<String, String>, held_cases: bool) -> String {
    let mut out = String::from(
        "# Score\n\nWritten by `make score`: the recordings in fixtures/corpus replayed through `diagnose`, and what it names \
         first compared with the truth. Rules may be built on the building half; the held half is only counted. corpus/README.md says which is which, and \
         what earlier held halves showed.\n",
    );
    for half in [Half::Building, Half::Held] {
        let all: Vec<&Judged> = judged.iter().filter(|one| one.truth.half() == half).collect();
        let _ = write!(out, "\n## The {} half\n\n", half.name());
        totals(&mut out, &all);
        calibration(&mut out, &all);
        let looked_into = all.iter().filter(|one| missed(one)).all(|one| explained.contains_key(&one.name));
        if half == Half::Building || held_cases || looked_into {
            confusion(&mut out, &all);
            misses(&mut out, &all, explained);
        }
    }
    out
}

fn share(part: usize, of: usize) -> String {
    let percent = if of == 0 { 0.0 } else { part as f64 / of as f64 * 100.0 };
    format!("{part} of {of} ({percent:.0} %)")
}

fn totals(out: &mut String, all: &[&Judged]) {
    let score = Score::of(all.iter().copied());
    let lines = [
        ("recordings", format!("{}, of which {} controls", score.cases, score.controls)),
        ("cause right", share(score.cause, score.cases)),
        ("origin right", share(score.origin, score.with_origin)),
        ("onset within 2 samples", share(score.onset, score.with_onset)),
        ("median error of the onset", format!("{:.1} samples", score.onset_median)),
        ("false alarms on healthy controls", score.false_alarms.to_string()),
        ("wrongly blamed on a stream", score.blamed_on_a_stream.to_string()),
    ];
    out.push_str("| | |\n|---|---|\n");
    for (what, value) in lines {
        let _ = writeln!(out, "| {what} | {value} |");
    }
}

/// How often what was said with some confidence is right.
fn calibration(out: &mut String, all: &[&Judged]) {
    out.push_str("\n| confidence stated | mean | right |\n|---|---|---|\n");
    for pair in BINS.windows(2) {
        let within = |confidence: f64| confidence >= pair[0] && (confidence < pair[1] || pair[1] == 1.0);
        let said: Vec<(&Judged, f64)> = all
            .iter()
            .filter_map(|one| Some((*one, one.said.confidence?)))
            .filter(|(_, confidence)| within(*confidence))
            .collect();
        if said.is_empty() {
            continue;
        }
        let right = said.iter().filter(|(one, _)| one.cause_right()).count();
        let mean = said.iter().map(|(_, confidence)| confidence).sum::<f64>() / said.len() as f64;
        let _ = writeln!(out, "| {:.1} to {:.1} | {mean:.2} | {} |", pair[0], pair[1], share(right, said.len()));
    }
}

/// Truths down, what was said across.
fn confusion(out: &mut String, all: &[&Judged]) {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for one in all {
        // What is right by another name counts under the truth's own.
        let said = if one.cause_right() { one.truth.cause() } else { &one.said.cause };
        *counts.entry((one.truth.cause(), said)).or_default() += 1;
    }
    let rows: BTreeSet<&str> = counts.keys().map(|(truth, _)| *truth).collect();
    let columns: BTreeSet<&str> = counts.keys().map(|(_, said)| *said).collect();
    out.push_str("\nRows: true cause; columns: reported cause:\n\n| |");
    columns.iter().for_each(|said| _ = write!(out, " {said} |"));
    out.push_str("\n|---|");
    columns.iter().for_each(|_| out.push_str("---|"));
    for truth in rows {
        let _ = write!(out, "\n| {truth} |");
        for said in &columns {
            let count = counts.get(&(truth, *said)).map_or_else(String::new, ToString::to_string);
            let _ = write!(out, " {count} |");
        }
    }
    out.push('\n');
}

/// Whether something that was said of a recording is wrong.
fn missed(one: &Judged) -> bool {
    !one.cause_right() || one.origin_right() == Some(false) || one.onset_error().is_some_and(|error| error > 2.0)
}

fn misses(out: &mut String, all: &[&Judged], explained: &BTreeMap<String, String>) {
    if !all.iter().any(|one| missed(one)) {
        return;
    }
    out.push_str("\nMisses, in cause, origin or onset:\n\n| recording | truth | said | confidence | origin | said | onset off by |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for one in all.iter().filter(|one| missed(one)) {
        let mark = |right: bool| if right { "" } else { " ✗" };
        let _ = writeln!(
            out,
            "| {} | {} | {}{} | {} | {} | {}{} | {} |",
            one.name,
            one.truth.cause.join(" or "),
            one.said.cause,
            mark(one.cause_right()),
            one.said.confidence.map_or_else(String::new, |confidence| format!("{confidence:.2}")),
            one.truth.origin.join(" or "),
            one.said.origin.as_deref().unwrap_or("-"),
            mark(one.origin_right() != Some(false)),
            match one.onset_error() {
                Some(error) if error.is_finite() => format!("{error:.1}"),
                Some(_) => "not said".to_owned(),
                None => String::new(),
            },
        );
    }
    out.push('\n');
    for one in all.iter().filter(|one| missed(one)) {
        let why = explained.get(&one.name).map_or("not looked into yet", String::as_str);
        let _ = writeln!(out, "- {}: {why}.", one.name);
    }
}
