//! The texts of the rules.

use pagetide_diagnose::{markdown, rules};
use std::path::Path;
use std::{env, fs};

#[test]
fn every_rule_is_explained_under_every_heading() {
    let mut ids: Vec<&str> = rules().iter().map(|rule| rule.id.as_str()).collect();
    for rule in rules() {
        assert!(rule.id.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id);
        for text in [rule.title, rule.meaning, rule.evidence, rule.why, rule.alternatives, rule.advice, rule.kernel] {
            assert!(text.len() > 20, "{}: `{text}` says too little", rule.id);
            assert!(!text.contains("  "), "{}: a line was broken badly in `{text}`", rule.id);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules().len());
}

/// `finding(…, "rule")` is used in a statement that takes what was found, or a family of the corpus is of the rule; and in one that expects `None`.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the tests, not the crate")]
fn every_rule_has_a_case_and_a_near_miss() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnose");
    let files = fs::read_dir(folder).unwrap().filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok());
    let text = files.collect::<String>();
    let statements: Vec<&str> = text.split(';').collect();
    let families = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")).unwrap();
    let families = families.filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok()).collect::<String>();
    let recorded = |quoted: &str| families.lines().any(|line| line.starts_with("cause = ") && line.contains(quoted));
    for rule in rules() {
        let quoted = format!("\"{}\"", rule.id);
        let has = |words: &[&str]| {
            let about = |one: &&&str| one.contains(&quoted) && words.iter().any(|word| one.contains(word));
            statements.iter().any(|one| about(&one))
        };
        let case = has(&["unwrap", "expect(", "check_snapshot", "is_some", "seen(", "rule.as_str()"]);
        assert!(case || recorded(&quoted), "{}: no case", rule.id);
        assert!(has(&["None", "is_none"]), "{}: no near miss", rule.id);
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the page, not the crate")]
fn the_page_of_the_rules_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/RULES.md");
    let page = markdown(rules());
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/RULES.md is old: UPDATE_DOCS=1 cargo test -p pagetide-diagnose");
}
