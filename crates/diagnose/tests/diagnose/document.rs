//! The texts of the rules.

use pagetide_diagnose::{markdown, rules};
use std::path::Path;
use std::{env, fs};

#[test]
fn every_rule_is_explained_under_every_heading() {
    let mut ids: Vec<&str> = rules().iter().map(|rule| rule.id.as_str()).collect();
    for rule in rules() {
        assert!(rule.id.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id);
        for text in [rule.title, rule.meaning, rule.evidence, rule.why, rule.otherwise, rule.advice, rule.kernel] {
            assert!(text.len() > 20, "{}: `{text}` says too little", rule.id);
            assert!(!text.contains("  "), "{}: a line was broken badly in `{text}`", rule.id);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules().len());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the page, not the crate")]
fn the_page_of_the_rules_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/RULES.md");
    let page = markdown(rules());
    if env::var_os("PAGETIDE_UPDATE_DOCS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/RULES.md is old: PAGETIDE_UPDATE_DOCS=1 cargo test -p pagetide-diagnose");
}
