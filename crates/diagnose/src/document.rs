//! The rules as a page.

use pagetide_core::RuleDoc;
use std::fmt::Write;

/// What holds for all rules.
const METHOD: &str = "\
## How it is decided

- **Usual and unusual.** There are no fixed thresholds where the kernel gives none. The rates of a metric over the whole recording are split \
  in two (Otsu's method, on logarithms); the upper part is unusual when the split explains four fifths of the variance and the medians lie at \
  least a factor of four and six median deviations apart. Else what stands ten median deviations out of all is unusual, if it is rare. Unusual stretches of all metrics \
  that overlap are one window, and the stretch before it is what it is held against.
- **When it began.** Where what drives the cause left its noise: the reads of a stream, the growth of memory, and not the moment at which a \
  reserve was used up. It is known to the time between the samples around it, which is said with it.
- **How sure it is.** A finding opens at even odds. Each value measured adds a weight, the logarithm of how much likelier it is when \
  the rule is right than when it is not, and what speaks against it takes as much off: confidence = 1 / (1 + e^-w), where w \
  is two thirds of the sum of all weights, and that sum at most ln 100, because weights are judgements and not independent. What is likelier wrong than right is not reported. docs/SCORE.md says how often \
  findings of a stated confidence were right on recorded incidents.
- **What caused what.** One thing is called the cause of another when the kernel has a way to carry it there (the way is named with its functions), when \
  it began no later as far as the samples tell, and when it goes on. Amounts (bytes read, freed, read back) stand beside each link. What a \
  finding accounts for is no cause; of those that nothing accounts for the surest is the cause, and the others are shown with the observation that \
  would decide.

## Rules

";

/// All rules as Markdown: docs/RULES.md.
pub fn markdown(rules: &[RuleDoc]) -> String {
    let mut page = String::from(
        "# Rules\n\nWhat `pagetide diagnose` can see, and how. This page is written by \
         `PAGETIDE_UPDATE_DOCS=1 cargo test -p pagetide-diagnose`; the same texts are printed by `pagetide explain RULE`.\n\n",
    );
    page.push_str(METHOD);
    for rule in rules {
        let _ = writeln!(page, "- [{}](#{}): {}", rule.id, rule.id, rule.title);
    }
    for rule in rules {
        let _ = write!(page, "\n## {}\n\n{}\n", rule.id, rule.title);
        for (heading, text) in rule.sections() {
            let _ = write!(page, "\n### {heading}\n\n{text}\n");
        }
    }
    page
}
