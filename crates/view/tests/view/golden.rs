//! The pages of the made-up run, word for word.

use crate::report;
use pagetide_core::{Finding, Report};
use pagetide_view::{html, page, text};

fn written(report: &Report, style: text::Style) -> String {
    let mut out = Vec::new();
    text::draw(&page(report), style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The page without its style and script, which are files of their own.
fn html(report: &Report) -> String {
    let mut out = Vec::new();
    html::draw(&page(report), &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    let (before, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    let (body, rest) = rest.rsplit_once("<script>").unwrap();
    let (_, after) = rest.split_once("</script>").unwrap();
    format!("{before}{body}{after}")
}

#[test]
fn a_run_as_text() {
    insta::assert_snapshot!(written(&report::report(), text::Style { colour: false, width: 80 }));
}

#[test]
fn a_recording_as_text() {
    insta::assert_snapshot!(written(&report::live(), text::Style { colour: false, width: 100 }));
}

#[test]
fn a_run_as_html() {
    insta::assert_snapshot!(html(&report::report()));
}

#[test]
fn a_recording_as_html() {
    insta::assert_snapshot!(html(&report::live()));
}

#[test]
fn colour_changes_no_word() {
    let plain = written(&report::report(), text::Style { colour: false, width: 80 });
    let mut coloured = written(&report::report(), text::Style { colour: true, width: 80 });
    assert!(coloured.contains('\x1b') && !plain.contains('\x1b'));
    for code in ["0", "1", "2", "31", "32"] {
        coloured = coloured.replace(&format!("\x1b[{code}m"), "");
    }
    assert_eq!(coloured, plain);
}

#[test]
fn a_run_fits_a_terminal_of_80_columns() {
    let text = written(&report::report(), text::Style { colour: false, width: 80 });
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn the_parts_of_a_run_come_in_the_order_of_their_weight_and_findings_the_strongest_first() {
    let mut report = report::report();
    let finding = |rule: usize, confidence: f64, index: usize| {
        let finding = report::report().diagnosis.findings.remove(rule);
        let confidence = pagetide_core::Confidence::new(confidence);
        Finding { confidence, statement: format!("statement {index}."), step: None, ..finding }
    };
    let findings = [(0, 0.5), (1, 0.7), (0, 0.9), (1, 0.6)].into_iter().enumerate();
    report.diagnosis.findings = findings.map(|(at, (rule, sure))| finding(rule, sure, at)).collect();
    report.scenario.as_mut().unwrap().headline = "The second read reached {A2.cache_hit_ratio}.".parse().unwrap();
    let healthy = pagetide_core::Diagnosis {
        verdict: pagetide_core::Conclusion::Healthy,
        summary: "No task waits.".to_owned(),
        ..pagetide_core::Diagnosis::default()
    };
    report.steps = vec![pagetide_core::StepDiagnosis { step: "A2".to_owned(), diagnosis: healthy }];
    let text = written(&report, text::Style { colour: false, width: 80 });
    let parts = [
        "The second read reached 100 %.",
        "claims hold",
        "Steps, each with its diagnosis\n---",
        "healthy\n      No task waits.",
        "Steps beside",
        "Claims\n---",
        "Findings\n---",
        "statement 2.",
        "statement 0.",
        "statement 1.",
        "statement 3.",
        "Timeline\n---",
        "Machine\n---",
        "How this run differs",
        "About the scenario",
    ];
    let places: Vec<usize> = parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
    assert!(html(&report).contains("<p class=\"headline\">The second read reached 100 %.</p>"));
}

#[test]
fn a_step_has_the_finding_that_the_lab_measured_of_it_and_tells_how_it_ended() {
    let mut report = report::report();
    let of_step = |report: &pagetide_core::Report| {
        report.diagnosis.findings.iter().find(|finding| finding.step.is_some()).cloned().unwrap()
    };
    let finding = of_step(&report);
    let step = finding.step.clone().unwrap();
    let alone = pagetide_core::Diagnosis {
        verdict: pagetide_core::Conclusion::CannotTell,
        ..pagetide_core::Diagnosis::default()
    };
    report.steps = vec![pagetide_core::StepDiagnosis { step: step.clone(), diagnosis: alone }];
    let run = report.run.as_mut().unwrap();
    run.steps.iter_mut().find(|known| known.id == step).unwrap().outcome = pagetide_core::Outcome::TimedOut;
    let text = written(&report, text::Style { colour: false, width: 80 });
    let steps = text.split("Steps, each with its diagnosis").nth(1).unwrap();
    assert!(steps.contains(&format!("timed out: {} (", finding.rule)), "{steps}");
}

#[test]
fn a_step_that_ran_out_of_time_says_that_nothing_was_wrong() {
    let mut report = report::report();
    let step = report.run.as_ref().unwrap().steps.last().unwrap().id.clone();
    report.diagnosis.findings.retain(|finding| finding.step.as_ref() != Some(&step));
    let alone =
        pagetide_core::Diagnosis { verdict: pagetide_core::Conclusion::Healthy, ..pagetide_core::Diagnosis::default() };
    report.steps = vec![pagetide_core::StepDiagnosis { step, diagnosis: alone }];
    report.run.as_mut().unwrap().steps.last_mut().unwrap().outcome = pagetide_core::Outcome::TimedOut;
    let text = written(&report, text::Style { colour: false, width: 80 });
    let steps = text.split("Steps, each with its diagnosis").nth(1).unwrap();
    assert!(steps.contains("timed out: healthy"), "{steps}");
}

#[test]
fn a_finding_of_several_steps_is_one_finding_with_several_places() {
    let mut report = report::report();
    let first = report.diagnosis.findings.iter().find(|finding| !finding.advice.is_empty()).unwrap().clone();
    let action = first.advice[0].action.clone();
    report.diagnosis.findings.push(Finding {
        step: Some("A1".to_owned()),
        statement: "It is so again.".to_owned(),
        ..first
    });
    let text = written(&report, text::Style { colour: false, width: 500 });
    assert_eq!(text.matches(action.as_str()).count(), 1, "{text}");
    assert!(text.contains("    also      step A1, ") && text.contains("evidence: It is so again.\n"), "{text}");
    let html = html(&report);
    assert!(html.matches(action.as_str()).count() == 1 && html.contains("<details><summary>also step A1, "), "{html}");
}
