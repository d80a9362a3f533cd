//! Texts from outside (process names, host names, notes) are shown and mean nothing, whatever is in them.

use crate::report;
use pagetide_core::{Mark, MarkKind, RecordingBuilder, Report};
use pagetide_view::{Axes, Measure, curve, html, page, text};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The made-up report with `evil` as every text that comes from outside.
fn poisoned(evil: &str) -> Report {
    let mut report = report::report();
    let text = || evil.to_owned();
    let scenario = report.scenario.as_mut().unwrap();
    (scenario.title, scenario.source, scenario.about) = (text(), text(), text());
    let run = report.run.as_mut().unwrap();
    (run.scenario, run.backend, run.kernel, run.tool_version) = (text(), text(), text(), text());
    run.machine = vec![text()];
    run.differences = vec![text()];
    for step in &mut run.steps {
        step.title = text();
        step.notes = vec![text()];
        step.id.push_str(evil);
    }
    for claim in &mut run.claims {
        (claim.id, claim.text, claim.check, claim.evidence) = (text(), text(), text(), text());
    }
    for finding in &mut report.diagnosis.findings {
        finding.statement = text();
        finding.step = finding.step.as_ref().map(|_| text());
        for item in finding.evidence.iter_mut().chain(&mut finding.contradictions) {
            (item.what, item.source) = (text(), text());
        }
        for advice in &mut finding.advice {
            (advice.action, advice.effect) = (text(), text());
            advice.command = Some(text());
        }
    }
    report.recording.manifest.workload_disk = Some(text());
    report.recording.manifest.workload_cgroup = None;
    let stamp = report.recording.stamps()[3];
    report.recording.marks.push(Mark { stamp, kind: MarkKind::Note { text: text() } });
    report
}

fn drawn(report: &Report) -> String {
    let mut out = Vec::new();
    html::draw(&page(report), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Every pair of element and attribute of a page, as a browser would find them: text of script and style is skipped up to
/// the end tag, attribute values end at the double quote, or without one at a blank.
fn structure(page: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap();
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let end = rest.find(|c: char| c.is_whitespace() || c == '=' || c == '>').unwrap();
            let attribute = rest[..end].to_owned();
            rest = &rest[end..];
            if let Some(value) = rest.strip_prefix("=\"") {
                rest = &value[value.find('"').unwrap() + 1..];
            } else if rest.starts_with('=') {
                rest = &rest[rest.find(|c: char| c.is_whitespace() || c == '>').unwrap()..];
            }
            found.insert((name.clone(), attribute));
        }
        found.insert((name.clone(), String::new()));
        if name == "script" || name == "style" {
            rest = &rest[rest.find(&format!("</{name}")).unwrap()..];
        }
    }
    found
}

/// The JSON for the crosshair.
fn data(page: &str) -> serde_json::Value {
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..start + end]).unwrap()
}

fn check(evil: &str) {
    let allowed = structure(&drawn(&poisoned("benign")));
    let page = drawn(&poisoned(evil));
    let extra: Vec<_> = structure(&page).difference(&allowed).cloned().collect();
    assert!(extra.is_empty(), "{evil:?} brought {extra:?}");
    assert_eq!(data(&page)["steps"][0][1], evil, "the crosshair shows the text as it is");

    let mut out = Vec::new();
    text::draw(&pagetide_view::page(&poisoned(evil)), text::Style { colour: false, width: 80 }, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{evil:?} reached the terminal");
}

#[test]
fn known_attacks_are_only_text() {
    for evil in [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "<!-- ]]> -->",
        "&lt;b&gt;",
        "\x1b[2J\x07\x00",
        "\u{2028}\u{202e}<",
    ] {
        check(evil);
    }
}

#[test]
fn the_check_finds_an_unescaped_text() {
    let allowed = structure(&drawn(&poisoned("benign")));
    let careless = drawn(&poisoned("benign")).replacen("benign", "<b onclick=x>", 1);
    assert_ne!(structure(&careless), allowed);
    let careless = drawn(&poisoned("benign")).replacen("<h1>", "<h1 title=\"\" onclick=\"x\">", 1);
    assert_ne!(structure(&careless), allowed);
}

#[test]
fn a_curve_escapes_its_texts() {
    let axes =
        |evil| Axes { title: evil, x: evil, x_measure: Measure::Bytes, y: evil, y_measure: Measure::Count, log: false };
    let points = [(1.0, 2.0), (2.0, 5.0), (f64::NAN, 1.0)];
    let benign = structure(&curve(&points, None, &axes("benign")));
    assert_eq!(structure(&curve(&points, None, &axes("</title><script>x</script>"))), benign);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_markup(evil in "[<>&\"'=/a-z \\-!\\[\\]\u{0}-\u{1f}\u{7f}-\u{a0}é\u{2028}]{1,40}") {
        check(&evil);
    }

    #[test]
    fn any_recording_draws(values in proptest::collection::vec((any::<i64>(), any::<i64>()), 0..40)) {
        let mut builder = RecordingBuilder::new(Default::default());
        let mut values = values;
        values.sort_unstable();
        let mut schema = pagetide_core::Schema::default();
        let table = pagetide_core::Table::Host;
        let columns: Vec<_> = ["AnonPages", "Cached", "MemTotal", "MemFree", "pgscan_kswapd", "psi_io_some"]
            .iter().map(|name| { let id = schema.column(table, name); schema.columns(table)[id.0 as usize].clone() }).collect();
        for (at, value) in values {
            builder.stamp(pagetide_core::Stamp { wall_ns: at, mono_ns: at, boot_ns: at });
            for column in &columns {
                builder.value(table, "", column, value);
            }
        }
        let report = Report { recording: builder.finish(), ..Report::default() };
        let page = drawn(&report);
        let page = page.replace("meminfo", "").replace("information", "");
        prop_assert!(!page.contains("NaN") && !page.contains("inf"), "not a number in a drawing");
    }
}
