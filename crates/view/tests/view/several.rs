//! The pages of several runs and of a comparison, of the made-up run.

use crate::report;
use pagetide_core::{Attempt, AttemptOutcome, Batch, Candidate, Figure, Nanos, Scale, Scenario, compare};
use pagetide_view::{Page, batch, comparison, html, text};

fn written(page: &Page, width: usize) -> String {
    let mut out = Vec::new();
    text::draw(page, text::Style { colour: false, width }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn drawn(page: &Page) -> String {
    let mut out = Vec::new();
    html::draw(page, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn several() -> Batch {
    let attempt = |backend: &str, seconds: u64, outcome| Attempt {
        scenario: "buffered-read".into(),
        title: "Random buffered reads".into(),
        backend: backend.into(),
        folder: format!("buffered-read-{backend}"),
        comparison: None,
        took: Nanos::new(seconds * 1_000_000_000),
        outcome,
    };
    let refused = AttemptOutcome::Refused { what: "there is no qemu".into(), hint: "install <it>".into() };
    Batch {
        scale: Scale::new(1, 8).unwrap(),
        started_wall_ns: 1_795_257_187_000_000_000,
        took: Nanos::new(95_000_000_000),
        runs: vec![
            attempt("host", 92, AttemptOutcome::Ran(Box::new(report::report().run.unwrap()))),
            attempt("vm", 3, refused),
            attempt("sim", 0, AttemptOutcome::NotBegun),
        ],
    }
}

/// The page of several runs.
pub(crate) fn batch_html() -> String {
    drawn(&batch(&several()))
}

/// The page of a comparison.
pub(crate) fn comparison_html() -> String {
    drawn(&comparison(&compare(&two()).unwrap()))
}

#[test]
fn several_runs_as_text() {
    insta::assert_snapshot!(written(&batch(&several()), 100));
}

#[test]
fn several_runs_link_to_their_reports_and_escape_what_they_say() {
    let page = batch_html();
    assert!(page.contains("<a href=\"./buffered-read-host/report.html\">"), "{page}");
    assert!(page.contains("install &lt;it&gt;") && !page.contains("install <it>"));
}

/// The made-up run as if a VM had run it: every time ten times as long, and a fifth more reads of the disk.
fn two() -> Vec<Candidate> {
    let result = report::report().run.unwrap();
    let mut slow = result.clone();
    slow.backend = "vm".into();
    for step in &mut slow.steps {
        for (figure, factor) in
            [(Figure::Elapsed, 10.0), (Figure::Iops, 0.1), (Figure::ClatMean, 10.0), (Figure::DiskReads, 1.2)]
        {
            if let Some(value) = step.get(figure) {
                step.figures.set(figure, value * factor);
            }
        }
    }
    slow.steps.retain(|step| step.id != "H");
    let scenario = Scenario::parse(report::SCENARIO, "t.toml").unwrap();
    let candidate = |name: &str, result| Candidate { name: name.into(), result, scenario: Some(scenario.clone()) };
    vec![candidate("host", result), candidate("vm", slow)]
}

#[test]
fn a_comparison_as_text() {
    insta::assert_snapshot!(written(&comparison(&compare(&two()).unwrap()), 110));
}

#[test]
fn a_comparison_with_every_time_ten_times_as_long_agrees_where_it_should() {
    let page = comparison(&compare(&two()).unwrap());
    assert!(page.outcome.contains("9 of 11 comparable figures of vm equal those of host"), "{}", page.outcome);
    assert!(
        page.outcome.contains("on vm 2 of 4 claims hold and 7 of 9 published counts are matched"),
        "{}",
        page.outcome
    );
    let text = written(&page, 110);
    // Ten times the time in every step is the same ratio within the run.
    let iops: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("iops ")).collect();
    let words: Vec<&str> = iops.iter().find(|line| line.contains(" A1 ")).unwrap().split_whitespace().collect();
    let ratios = &words[words.len() - 2..];
    assert_eq!(ratios[0], ratios[1], "{iops:?}");
    assert!(comparison_html().contains("<summary>All figures to compare across machines</summary>"));
}
