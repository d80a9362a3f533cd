//! The rules as a page.

use crate::examine::cost;
use crate::ledger::accounts;
use crate::ledger::standing;
use crate::rules;
use crate::track_record;
use crate::verdict::{arbiter, protect};
use pagetide_core::{RuleDoc, Threshold};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What holds for all rules.
const METHOD: &str = "\
## How pagetide decides

- **Baseline and incident.** For each metric, pagetide splits the rates of the whole recording in two (Otsu's method, on logarithms). The upper part is an \
episode if the split explains four fifths of the variance and the medians are at least a factor of four and six median deviations apart. \
Otherwise, rare values more than ten median deviations above all are an episode. Overlapping episodes of all metrics form one window, which is \
compared with the quiet time before it.
- **Onset.** An incident begins when the driver of its cause leaves the noise: when a stream starts to read or memory starts to grow, not when \
free memory runs out. The onset lies between two samples, and the time between them is printed with it.
- **Evidence.** A finding starts at even odds. Each measured value adds a weight: the logarithm of how much likelier the value is if the rule is \
right than if it is wrong. Contradicting values subtract one. Strength = 1 / (1 + e^-w), where w is two thirds of the sum of all weights, and that \
sum is at most ln 100, because weights are judgements and not independent. Findings below 0.5 are not reported. Evidence is strong from 0.9, moderate \
from 0.7, otherwise weak. Where a cause makes tasks wait, it is strong only if pressure stall information shows that they lost time. A rule whose \
strong causes were right in too few recordings, or that reported none yet, has moderate evidence at most: 3 of 4 right are expected of the next one, by \
Laplace's rule of succession. Strength is not a \
frequency: docs/SCORE.md counts how often causes of each grade were right on recordings of real programs at first sight, and reports print that count \
beside the grade.
- **Cause and effect.** One finding is the cause of another if the kernel has a mechanism between them (named with its functions), and if it began \
no later, as far as the samples show, and still lasts. Each link shows its amounts (bytes read, freed, refaulted). A finding that another accounts \
for is not a cause. Of the rest, the one with the strongest evidence is the cause. The others are rivals, each with the observation that would decide.
- **Harm first.** A finding is a cause only if tasks lose time while it lasts, beyond the baseline. Lost time is waits for IO and memory by \
pressure stall information, without kswapd's own CPU time, and the time in which samples find a group in commits of a journal, which the kernel does not \
count; iowait where pressure was not recorded; and waits for a CPU for cpu-bound. Without lost time a \
finding is a remark on a healthy host. Growth of memory hurts later, and drop_caches and dirty throttling are facts: they need no lost time. Lost time that no rule \
explains is reported with its device, and such a host is never called healthy; where most of it is lost in the queue of one disk, or to a disk that \
became slower, that is named with weak evidence. A task that waits for one request after the other does its own work; a \
queue of requests is lost time. A finding names the programs that lost time only where the kernel accounted the delays of processes \
(kernel.task_delayacct=1).
";

/// How many of the numbers that decide are nothing but judgement, each counted once however many rules share it.
fn judged<'a>(limits: impl Iterator<Item = &'a Threshold>) -> String {
    let all: BTreeMap<_, _> = limits.map(|limit| ((limit.name, limit.why), limit.source)).collect();
    let judged = all.values().filter(|source| **source == "judgement").count();
    format!(
        "- **Thresholds** are printed from the values that the code compares with. Of the {} on this page, {judged} are judgement alone. The others name \
         their source: the kernel, a device, or a measurement. Those of harm:\n\n",
        all.len()
    )
}

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
        ("What else it could be", rule.alternatives.to_owned()),
        ("Findings that it accounts for", subsumed.join("\n")),
        ("With MGLRU", rule.mglru.to_owned()),
        ("Seen in recordings", track_record::seen(rule.id)),
        ("What to do", rule.advice.to_owned()),
        ("Kernel reference", rule.kernel.to_owned()),
    ];
    sections.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// All rules as Markdown: docs/RULES.md.
pub fn markdown(rules: &[RuleDoc]) -> String {
    let mut page = String::from(
        "# Rules\n\nWhat `pagetide diagnose` detects, and how. `UPDATE_DOCS=1 cargo test -p pagetide-diagnose` \
         writes this page; `pagetide explain RULE` prints the same texts.\n\n",
    );
    page.push_str(METHOD);
    let harm = || {
        let verdict = arbiter::THRESHOLDS.iter().chain(&protect::THRESHOLDS);
        cost::THRESHOLDS.iter().chain(verdict).chain(&accounts::THRESHOLDS).chain(&standing::THRESHOLDS)
    };
    page.push_str(&judged(harm().chain(rules.iter().flat_map(|rule| rule.thresholds))));
    harm().map(threshold).for_each(|line| _ = writeln!(page, "- {line}"));
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
