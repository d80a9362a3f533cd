//! The rules as a page.

use crate::{harm, observed, rules};
use pagetide_core::{RuleDoc, Threshold};
use std::fmt::Write;

/// What holds for all rules.
const METHOD: &str = "\
## How pagetide decides

- **Baseline and incident.** A threshold is fixed only where the kernel or a device gives one. For each metric, pagetide splits the rates of the whole recording \
  in two (Otsu's method, on logarithms). The upper part is an episode when the split explains four fifths of the variance and the medians lie at \
  least a factor of four and six median deviations apart. Otherwise rare values more than ten median deviations above all are an episode. Overlapping episodes of all \
  metrics form one window, which is compared with the quiet time before it.
- **Onset.** An incident begins when the driver of its cause leaves the noise: the reads of a stream or the growth of memory, not the moment at which \
  free memory is used up. The onset is known to the time between the samples around it, which is printed with it.
- **Evidence.** A finding starts at even odds. Each measured value adds a weight, the logarithm of how much likelier it is when \
  the rule is right than when it is wrong; contradicting values subtract one. Strength = 1 / (1 + e^-w), where w \
  is two thirds of the sum of all weights, and that sum at most ln 100, because weights are judgements and not independent. Findings below 0.5 are not reported. \
  Evidence is strong from 0.9 on, moderate from 0.7 on, else weak. It is never strong where pressure stall information does not show that tasks \
  lost time by a cause that makes them wait. The strength is no frequency: how often causes of each grade were right is counted on recordings of real programs, \
  when the rules saw them first, and printed beside the grade (docs/SCORE.md).
- **Cause and effect.** One finding is the cause of another when the kernel has a mechanism between them (named with its functions), when \
  it began no later as far as the samples show, and while it lasts. Amounts (bytes read, freed, refaulted) stand beside each link. A finding that \
  another accounts for is no cause. Of the rest, the one with the strongest evidence is the cause, and the others are rivals, with the observation that \
  would decide.
- **Harm first.** A finding is a cause only if tasks lose time while it lasts, beyond the rate before: waits for IO and memory by pressure stall \
  information without kswapd's own CPU time, or CPU time that is idle for IO where that was not recorded, and waits for a CPU of cpu-bound. Without such a loss it is a remark. Growth of memory \
  hurts later, and drop_caches and dirty throttling are facts: they need no loss. A loss that no rule explains is reported with its device, and never called healthy. \
  A task that waits for one request after the other does its own work; a queue of requests is a loss. A finding names the programs that lost time only where the kernel \
  accounted the delays of processes (kernel.task_delayacct=1).
- **Thresholds** are printed from the values that the code compares with. Those of harm:

";

fn threshold(limit: &Threshold) -> String {
    let Threshold { name, value, why, source } = limit;
    format!("{name}: {value}. {why} Source: {source}.")
}

/// The texts of a rule with their headings, in reading order.
pub fn sections(rule: &RuleDoc) -> Vec<(&'static str, String)> {
    let thresholds: Vec<String> = rule.thresholds.iter().map(threshold).collect();
    let subsumed = rules::by_id(rule.id).subsumes.iter().map(|subsumed| {
        let rules: Vec<&str> = subsumed.rules.iter().map(|rule| rule.as_str()).collect();
        format!("{}: {}", subsumed.by.name(), rules.join(", "))
    });
    let subsumed: Vec<String> = subsumed.collect();
    let sections = [
        ("What it means", rule.meaning.to_owned()),
        ("Evidence", rule.evidence.to_owned()),
        ("Thresholds", thresholds.join("\n")),
        ("Metrics", rule.metrics.join(", ")),
        ("Why it happens", rule.why.to_owned()),
        ("What else it could be", rule.otherwise.to_owned()),
        ("Findings that it accounts for", subsumed.join("\n")),
        ("With MGLRU", rule.mglru.to_owned()),
        ("Seen in recordings", observed::seen(rule.id)),
        ("What to do", rule.advice.to_owned()),
        ("Kernel reference", rule.kernel.to_owned()),
    ];
    sections.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// All rules as Markdown: docs/RULES.md.
pub fn markdown(rules: &[RuleDoc]) -> String {
    let mut page = String::from(
        "# Rules\n\nWhat `pagetide diagnose` detects, and how. `PAGETIDE_UPDATE_DOCS=1 cargo test -p pagetide-diagnose` \
         writes this page; `pagetide explain RULE` prints the same texts.\n\n",
    );
    page.push_str(METHOD);
    let harm = harm::THRESHOLDS.iter().map(threshold);
    harm.for_each(|line| _ = writeln!(page, "- {line}"));
    page.push_str("\n## Rules\n\n");
    for rule in rules {
        let _ = writeln!(page, "- [{}](#{}): {}", rule.id, rule.id, rule.title);
    }
    for rule in rules {
        let _ = write!(page, "\n## {}\n\n{}\n", rule.id, rule.title);
        for (heading, text) in sections(rule) {
            let _ = write!(page, "\n### {heading}\n\n");
            let item = if text.contains('\n') { "- " } else { "" };
            text.lines().for_each(|line| _ = writeln!(page, "{item}{line}"));
        }
    }
    page
}
