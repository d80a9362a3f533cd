//! From findings to a causal chain: which of them is the root, and how it comes to those who suffer.
//!
//! A thing counts as caused by another when the kernel can carry it there ([`physics`]), when it began no earlier, as far as the
//! samples can tell, and while the other went on. That two things happen together is not enough.

use crate::effect::{self, Effect, What};
use crate::rules::{self, Role};
use crate::window::Window;
use pagetide_core::{Cause, Finding, Link, Quantity, Recording, Rival, Unit};
use physics::{EXPLAINS, Start, WAYS, seen_as};

mod physics;

/// The role of a finding's rule.
fn role(finding: &Finding) -> Role {
    rules::by_id(&finding.rule).map_or(Role::Remark, |rule| rule.role)
}

/// Whether a finding accounts for another: by the table, by who began, and by whether they overlap.
fn explains(recording: &Recording, cause: &Finding, effect: &Finding) -> bool {
    let listed = EXPLAINS.iter().any(|(rule, effects)| *rule == cause.rule && effects.contains(&effect.rule.as_str()));
    let slack = crate::signal::interval(recording).saturating_mul(2);
    // Whoever takes memory from others is the cause of their faults; whoever faults for its own memory has too much of it.
    let takes = |finding: &Finding| finding.rule == "anonymous-growth-takes-cache";
    let thrashes = |finding: &Finding| matches!(&*finding.rule, "code-thrash" | "swap-thrash");
    let own = process(cause).is_some() && process(cause) == process(effect);
    if takes(cause) && thrashes(effect) && own || thrashes(cause) && takes(effect) && !own {
        return false;
    }
    // Swap that is read back keeps the device busy that it is on, and no other.
    let elsewhere = !effect.origins.first().is_some_and(|origin| cause.origins.contains(origin));
    if cause.rule == "swap-in-use-harmless" && elsewhere {
        return false;
    }
    let begun = cause.range.0 <= effect.range.0.saturating_add(slack);
    // What a cause did lasts: pages that were evicted are missed when it is over.
    let lasted = cause.range.1.saturating_sub(cause.range.0).max(slack);
    listed && begun && effect.range.0 <= cause.range.1.saturating_add(lasted)
}

/// The process that a finding is about; of those that it names the last, which is who suffers.
fn process(finding: &Finding) -> Option<&str> {
    finding.origins.iter().rev().find_map(|origin| origin.strip_prefix("process:"))
}

/// The index of the finding that is the root of what happened; absent when nothing is wrong.
pub(crate) fn root(recording: &Recording, findings: &[Finding]) -> Option<usize> {
    let open = |index: &usize| {
        let finding = &findings[*index];
        let others = findings.iter().filter(|other| *other != finding);
        role(finding) <= Role::Effect && !others.into_iter().any(|other| explains(recording, other, finding))
    };
    (0..findings.len()).filter(open).min_by(|a, b| {
        let (a, b) = (&findings[*a], &findings[*b]);
        let surer = b.confidence.get().total_cmp(&a.confidence.get());
        role(a).cmp(&role(b)).then(surer).then(a.range.0.cmp(&b.range.0))
    })
}

/// The cause as it is reported.
pub(crate) fn cause(recording: &Recording, finding: &Finding) -> Cause {
    Cause {
        rule: finding.rule.clone(),
        origins: finding.origins.clone(),
        onset_ns: finding.range.0,
        end_ns: finding.range.1,
        resolution_ns: resolution(recording, finding.range.0),
        confidence: finding.confidence,
    }
}

/// The time between the samples around a moment.
fn resolution(recording: &Recording, at: i64) -> i64 {
    let stamps = recording.stamps();
    let after = stamps.partition_point(|stamp| stamp.boot_ns <= at).min(stamps.len().saturating_sub(1)).max(1);
    match (stamps.get(after - 1), stamps.get(after)) {
        (Some(before), Some(after)) => after.boot_ns.saturating_sub(before.boot_ns),
        _ => 0,
    }
}

/// Causes that fit as well and that the root does not account for: of the same time, and not much less sure.
pub(crate) fn rivals(recording: &Recording, findings: &[Finding], root: usize) -> Vec<Rival> {
    let cause = &findings[root];
    let fits = |other: &&Finding| {
        let together = other.range.0 < cause.range.1 && other.range.1 > cause.range.0;
        other.rule != cause.rule
            && role(other) == Role::Cause
            && together
            && other.confidence.get() >= cause.confidence.get() * 0.7
            && !explains(recording, cause, other)
    };
    let rival = |other: &Finding| Rival {
        rule: other.rule.clone(),
        origins: other.origins.clone(),
        statement: other.statement.clone(),
        confidence: other.confidence,
        decides: [cause, other]
            .iter()
            .filter_map(|finding| Some((finding, rules::by_id(&finding.rule)?)))
            .map(|(finding, rule)| format!("For {}: {}", finding.rule, rule.decides))
            .collect::<Vec<_>>()
            .join(" "),
    };
    findings.iter().filter(fits).map(rival).collect()
}

/// A place in the chain that others can follow from.
struct Node {
    from: Start,
    words: String,
    effect: Option<Effect>,
    range: (i64, i64),
}

/// Stretches at other times in which is looked for what was not recorded at the time of the cause.
const FAR: usize = 20;

/// The chain from a finding on.
pub(crate) fn links(recording: &Recording, windows: &[Window<'_>], finding: &Finding) -> Vec<Link> {
    let Some(rule) = rules::by_id(&finding.rule) else { return Vec::new() };
    let overlaps = |window: &&Window<'_>| window.from < finding.range.1 && window.to > finding.range.0;
    let mut effects = first_of_each(windows.iter().filter(overlaps).flat_map(effect::all));
    let absent = missing(recording, &effects, finding.range);
    let mut apart: Vec<&Window<'_>> = windows.iter().filter(|window| !absent.is_empty() && !overlaps(window)).collect();
    apart.sort_by_key(|window| window.from.abs_diff(finding.range.0));
    apart.truncate(FAR);
    let apart = apart.into_iter().flat_map(effect::all);
    let mut apart: Vec<Effect> = apart.filter(|effect| absent.contains(&effect.what)).collect();
    // Of several the one whose time is known best.
    apart.sort_by_key(|effect| (effect.what, effect.resolution));
    apart.dedup_by_key(|effect| effect.what);
    effects.extend(apart.into_iter().map(|effect| Effect { elsewhere: true, ..effect }));
    effects.sort_by_key(|effect| effect.what);
    let blamed =
        |effect: &Effect| effect.disk.as_ref().is_none_or(|disk| finding.origins.contains(&format!("disk:{disk}")));
    let own = seen_as(&finding.rule);
    let start = own.and_then(|what| effects.iter().position(|effect| effect.what == what && blamed(effect)));
    let start = start.map(|index| effects.remove(index));
    let words = start.as_ref().map_or_else(|| rule.name.to_owned(), |effect| effect.words.clone());
    let by = finding.origins.iter().find_map(|origin| origin.strip_prefix("process:"));
    let by = by.map_or(String::new(), |process| format!(" ({process})"));
    let first = own.filter(|_| start.is_some()).map_or(Start::Rule(rule.doc.id), Start::Effect);
    let mut nodes = vec![Node { from: first, words: words + &by, effect: start, range: finding.range }];
    let mut links = Vec::new();
    for effect in effects {
        // The disk of a stream is busy with the stream; that is the cause again and no effect of it.
        if own == Some(What::Reads) && effect.what == What::DiskBusy && blamed(&effect) {
            continue;
        }
        let Some((link, node)) = follow(&nodes, finding, effect) else { continue };
        links.push(link);
        nodes.push(node);
    }
    links
}

/// Of what happens several times while a cause goes on, the first time: what follows from it is told once.
fn first_of_each(effects: impl Iterator<Item = Effect>) -> Vec<Effect> {
    let mut first: Vec<Effect> = Vec::new();
    for effect in effects {
        match first.iter_mut().find(|known| known.what == effect.what && known.disk == effect.disk) {
            Some(known) if effect.range.0 < known.range.0 => *known = effect,
            Some(_) => {}
            None => first.push(effect),
        }
    }
    first
}

/// The link to an effect from the latest thing in the chain that can have caused it, and its place in the chain.
fn follow(nodes: &[Node], finding: &Finding, effect: Effect) -> Option<(Link, Node)> {
    let rule = rules::by_id(&finding.rule).map_or("", |rule| rule.doc.id);
    let ways = |node: &Node| {
        WAYS.iter().find(|way| {
            way.to == effect.what
                && (way.from == node.from || (way.from == Start::Rule(rule) && node.from == nodes[0].from))
        })
    };
    let follows = |node: &&Node| {
        let slack = node.effect.as_ref().map_or(0, |cause| cause.resolution).max(effect.resolution);
        let elsewhere = effect.elsewhere || node.effect.as_ref().is_some_and(|cause| cause.elsewhere);
        elsewhere || effect.range.0.saturating_add(slack) >= node.range.0
    };
    let (node, way) = nodes.iter().filter(follows).rev().find_map(|node| Some((node, ways(node)?)))?;
    let resolution = node.effect.as_ref().map_or(0, |cause| cause.resolution).max(effect.resolution);
    let together = !effect.elsewhere && !node.effect.as_ref().is_some_and(|cause| cause.elsewhere);
    let flows = node.effect.as_ref().and_then(|cause| cause.flow).zip(effect.flow).filter(|_| together);
    let rate = |value| Quantity::new(value, Unit::BytesPerSecond);
    let link = Link {
        cause: node.words.clone(),
        effect: effect.words.clone(),
        rule: shown_by(&effect).map(str::to_owned),
        how: way.how.to_owned(),
        kernel: way.kernel.to_owned(),
        range: effect.range,
        lag_ns: together.then(|| effect.range.0.saturating_sub(node.range.0).max(0)),
        resolution_ns: resolution,
        amounts: flows.map(|(cause, effect)| (rate(cause), rate(effect))),
        evidence: effect.evidence.clone(),
    };
    let node = Node {
        from: Start::Effect(effect.what),
        words: effect.words.clone(),
        range: effect.range,
        effect: Some(effect),
    };
    Some((link, node))
}

/// The rule that sees an effect by itself.
fn shown_by(effect: &Effect) -> Option<&'static str> {
    Some(match effect.what {
        What::DirectReclaim => "direct-reclaim-stalls",
        What::DiskBusy => "device-saturated",
        What::SwapIn => "swap-thrash",
        What::Refaults => "working-set-exceeds-cache",
        _ => return None,
    })
}

/// What was not recorded while a finding was, so that it has to be looked for at other times.
fn missing(recording: &Recording, seen: &[Effect], range: (i64, i64)) -> Vec<What> {
    let recorded = |metrics: &[&str]| {
        metrics
            .iter()
            .any(|metric| recording.host(metric).is_some_and(|series| series.within(range.0, range.1).next().is_some()))
    };
    let kinds: [(What, &[&str]); 4] = [
        (What::CacheLost, &["Cached"]),
        (What::MajorFaults, &["pgmajfault"]),
        (What::IoWaits, &["psi_io_some", "cpu_iowait_share"]),
        (What::MemoryWaits, &["psi_memory_some"]),
    ];
    let kinds = kinds
        .into_iter()
        .filter(|(what, metrics)| !recorded(metrics) && !seen.iter().any(|effect| effect.what == *what));
    kinds.map(|(what, _)| what).collect()
}
