//! The rules as a page.

use pagetide_core::RuleDoc;
use std::fmt::Write;

/// All rules as Markdown: docs/RULES.md.
pub fn markdown(rules: &[RuleDoc]) -> String {
    let mut page = String::from(
        "# Rules\n\nWhat `pagetide diagnose` can see, and how. This page is written by \
         `PAGETIDE_UPDATE_DOCS=1 cargo test -p pagetide-diagnose`; the same texts are printed by `pagetide explain RULE`.\n\n",
    );
    for rule in rules {
        let _ = writeln!(page, "- [{}](#{}): {}", rule.id, rule.id, rule.title);
    }
    for rule in rules {
        let _ = write!(page, "\n## {}\n\n{}\n", rule.id, rule.title);
        for (heading, text) in [
            ("What it means", rule.meaning),
            ("Evidence", rule.evidence),
            ("Why it happens", rule.why),
            ("What else it could be", rule.otherwise),
            ("What to do", rule.advice),
            ("Kernel reference", rule.kernel),
        ] {
            let _ = write!(page, "\n### {heading}\n\n{text}\n");
        }
    }
    page
}
