//! From findings to a causal chain: which of them is the root, and how its effects reach those who suffer.
//!
//! A thing counts as the cause of another when the kernel can carry it there (a mechanism), when it began no later, as far as the
//! samples show, and while the other lasted. That two things happen together is not enough.

use crate::examine::stretches::Stretches;
use crate::ledger::LOST;
use crate::measure::amount::Amount;
use crate::measure::window::Window;
use crate::rules::contract::{EffectKind, Loss, Mechanism, Role, Rule};
use crate::rules::{self, role, subsumes};
use crate::track_record::{ceiling, observed};
use crate::verdict::arbiter::is_layered;
use crate::verdict::effects::{self, Effect};
use crate::verdict::mechanisms::MECHANISMS;
use pagetide_core::{Actor, Cause, Confidence, Finding, Grade, Link, Moment, Nanos, Recording, Rival, Span};

/// Shares of the largest loss that part the losses which count as one.
const SHARED: [f64; 4] = [1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0, 1.0 / 256.0];

/// The findings that no other accounts for, by their place, the first to name first: causes before effects of the same time, then the one by which
/// tasks lost most time. Losses that differ by less than a factor of four count as one, because all causes of one time share its losses; of those the
/// strength of the evidence decides. Waits for a CPU come behind waits for IO and memory that are more than a burst, behind what grows and harms
/// later, and behind what the program that computes reads and writes.
pub(crate) fn roots(recording: &Recording, stretches: &Stretches<'_>, findings: &[Finding]) -> Vec<usize> {
    let whole = stretches.whole.as_ref();
    // What led to a killed process harmed, whoever waited.
    let killed = |finding: &Finding| {
        let killed = |other: &&Finding| rules::by_id(other.rule).loss == Some(Loss::Killed);
        findings.iter().filter(killed).any(|other| *other != *finding && subsumes(recording, finding, other))
    };
    let harms = |finding: &Finding| whole.is_none_or(|whole| stretches.losses.harms(whole, finding)) || killed(finding);
    // Each finding is compared with all others, of which a day has hundreds.
    let harms: Vec<bool> = findings.iter().map(harms).collect();
    let open = |index: &usize| {
        let finding = &findings[*index];
        let others = findings.iter().zip(&harms).filter(|(other, harms)| **harms && *other != finding);
        let mut others = others.map(|(other, _)| other);
        role(finding) <= Role::Effect && harms[*index] && !others.any(|other| subsumes(recording, other, finding))
    };
    let lost = |index: &usize| whole.map_or(Amount::ZERO, |whole| stretches.losses.lost(whole, &findings[*index]));
    let mut free: Vec<usize> = (0..findings.len()).filter(open).collect();
    if free.is_empty() {
        // Several that account for each other in a ring, but for those that something benign explains.
        let ring = |index: &usize| {
            let finding = &findings[*index];
            let mut benign = findings.iter().filter(|other| role(other) > Role::Effect);
            role(finding) <= Role::Effect && harms[*index] && !benign.any(|other| subsumes(recording, other, finding))
        };
        free = (0..findings.len()).filter(ring).collect();
    }
    let mut roots: Vec<(usize, Amount<Nanos>)> = free.into_iter().map(|index| (index, lost(&index))).collect();
    let for_cpu = |finding: &Finding| rules::by_id(finding.rule).loss == Some(Loss::Cpu);
    let computes = |finding: &Finding| {
        let same = |one: &Finding| for_cpu(one) && one.origins.first_command() == finding.origins.first_command();
        finding.origins.first_command().is_some() && roots.iter().any(|(index, _)| same(&findings[*index]))
    };
    let first = roots.iter().any(|(index, lost)| {
        let finding = &findings[*index];
        let grows = rules::by_id(finding.rule).loss.is_none();
        role(finding) == Role::Cause && !for_cpu(finding) && (*lost >= LOST.value() || grows || computes(finding))
    });
    let of_cpu: Vec<(bool, Amount<Nanos>)> =
        roots.iter().map(|(index, lost)| (first && for_cpu(&findings[*index]), *lost)).collect();
    let largest = |cpu: bool| of_cpu.iter().filter(|one| one.0 == cpu).map(|one| one.1).fold(Amount::ZERO, Amount::max);
    // An effect comes behind the causes of its own time, and of no other.
    let causes = roots.iter().map(|(index, _)| &findings[*index]).filter(|one| role(one) == Role::Cause);
    let causes: Vec<Span> = causes.map(|cause| cause.range).collect();
    let behind =
        |finding: &Finding| role(finding) == Role::Effect && causes.iter().any(|range| range.overlaps(finding.range));
    roots.sort_by_key(|(index, lost)| {
        let finding = &findings[*index];
        let cpu = first && for_cpu(finding);
        let smaller = SHARED.iter().filter(|share| *lost < largest(cpu) * **share).count();
        let weaker = finding.confidence.thousandths();
        (behind(finding), cpu, smaller, cpu, std::cmp::Reverse(weaker), finding.range.from)
    });
    roots.into_iter().map(|(index, _)| index).collect()
}

/// The cause as it is reported.
pub(crate) fn cause(recording: &Recording, finding: &Finding) -> Cause {
    let grade = Grade::of(finding.confidence).min(ceiling(finding.rule));
    let observed = observed(grade);
    Cause {
        rule: finding.rule,
        origins: finding.origins.clone(),
        onset_ns: finding.range.from.ns(),
        end_ns: finding.range.to.ns(),
        resolution_ns: resolution(recording, finding.range.from),
        grade,
        observed,
        confidence: Confidence::new(observed.expected()),
    }
}

/// The time between the samples around a moment.
fn resolution(recording: &Recording, at: Moment) -> i64 {
    let stamps = recording.stamps();
    let after = stamps.partition_point(|stamp| stamp.boot_ns <= at.ns()).min(stamps.len().saturating_sub(1)).max(1);
    match (stamps.get(after - 1), stamps.get(after)) {
        (Some(before), Some(after)) => after.boot_ns.saturating_sub(before.boot_ns),
        _ => 0,
    }
}

/// Causes that fit as well and that the root does not account for: of the same time, with evidence not much weaker.
pub(crate) fn rivals(recording: &Recording, findings: &[Finding], root: usize) -> Vec<Rival> {
    let cause = &findings[root];
    let fits = |other: &&Finding| {
        other.rule != cause.rule
            && role(other) == Role::Cause
            && other.range.overlaps(cause.range)
            && other.confidence.get() >= cause.confidence.get() * 0.7
            && !subsumes(recording, cause, other)
            && !one_setting(cause, other)
    };
    let decides =
        |finding: &Finding| format!("Check for {}: {}", finding.rule, rules::by_id(finding.rule).deciding_test);
    let rival = |other: &Finding| Rival {
        rule: other.rule,
        origins: other.origins.clone(),
        statement: other.statement.clone(),
        confidence: other.confidence,
        deciding_test: format!("{} {}", decides(cause), decides(other)),
    };
    let mut rivals: Vec<Rival> = Vec::new();
    for other in findings.iter().filter(fits) {
        if !rivals.iter().any(|known| known.rule == other.rule && known.origins == other.origins) {
            rivals.push(rival(other));
        }
    }
    rivals
}

/// Whether two findings say of one setting that it be changed in one way: a group that is throttled at its memory.high is at its limit.
pub(crate) fn one_setting(one: &Finding, other: &Finding) -> bool {
    let change = |finding: &Finding| {
        let advice = finding.advice.first()?;
        Some((advice.command.clone()?, advice.undo.clone()?))
    };
    change(one).is_some_and(|own| Some(own) == change(other))
}

/// A place in the chain from which others follow.
struct Node {
    /// The effect that it is; absent of a cause that is none.
    kind: Option<EffectKind>,
    words: String,
    effect: Option<Effect>,
    span: Span,
}

impl Node {
    fn elsewhere(&self) -> bool {
        self.effect.as_ref().is_some_and(|effect| effect.elsewhere)
    }

    fn resolution(&self) -> Nanos {
        self.effect.as_ref().map_or(Nanos::new(0), |effect| effect.resolution)
    }
}

/// Stretches at other times that are searched for what was not recorded at the time of the cause.
const FAR: usize = 20;

/// The chain from a finding on.
pub(crate) fn links(recording: &Recording, windows: &[Window<'_>], finding: &Finding) -> Vec<Link> {
    let rule = rules::by_id(finding.rule);
    // What grew until a process was killed came before that: the evidence tells it.
    if rule.loss == Some(Loss::Killed) {
        return Vec::new();
    }
    let overlaps = |window: &&Window<'_>| window.span.overlaps(finding.range);
    let during = windows.iter().filter(overlaps).copied();
    let during = during.reduce(|all, window| all.over(all.span.union(window.span)));
    let mut effects = during.as_ref().map(effects::all).unwrap_or_default();
    effects.retain(|effect| lasts(effect, finding.range));
    effects.extend(elsewhere(recording, windows, finding, &effects));
    effects.sort_by_key(|effect| effect.kind);
    let own_disk = |effect: &Effect| effect.disk.as_ref().is_none_or(|disk| finding.origins.has(&Actor::disk(disk)));
    let start = rule.effect.and_then(|kind| effects.iter().position(|effect| effect.kind == kind && own_disk(effect)));
    let start = start.map(|index| effects.remove(index));
    let words = start.as_ref().map_or_else(|| rule.name.to_owned(), |effect| effect.words.clone());
    let by = finding.origins.first_command();
    let by = by.map_or(String::new(), |process| format!(" ({process})"));
    let kind = rule.effect.filter(|_| start.is_some());
    let mut nodes = vec![Node { kind, words: words + &by, effect: start, span: finding.range }];
    let mut links = Vec::new();
    for effect in effects {
        // The disk of a stream is busy with the stream; that is the cause again and no effect of it.
        if rule.effect == Some(EffectKind::Reads) && effect.kind == EffectKind::DiskBusy && own_disk(&effect) {
            continue;
        }
        let Some((link, node)) = follow(&nodes, rule, effect) else { continue };
        links.push(link);
        nodes.push(node);
    }
    links
}

/// Effects at other times, of the kinds that were not recorded at the time of the cause.
fn elsewhere(recording: &Recording, windows: &[Window<'_>], finding: &Finding, seen: &[Effect]) -> Vec<Effect> {
    let absent = missing(recording, seen, finding.range);
    let apart = |window: &&Window<'_>| !absent.is_empty() && !window.span.overlaps(finding.range);
    let mut apart: Vec<&Window<'_>> = windows.iter().filter(apart).collect();
    let from = finding.range.from;
    apart.sort_by_key(|window| window.span.from.since(from).max(from.since(window.span.from)));
    apart.truncate(FAR);
    let effects = apart.into_iter().flat_map(effects::all);
    let mut effects: Vec<Effect> = effects.filter(|effect| absent.contains(&effect.kind)).collect();
    // Of several the one whose time is known best.
    effects.sort_by_key(|effect| (effect.kind, effect.resolution));
    effects.dedup_by_key(|effect| effect.kind);
    effects.into_iter().map(|effect| Effect { elsewhere: true, ..effect }).collect()
}

/// The part of a cause's time that an effect lasts, at least: the numbers of a shorter one do not hold for the incident.
const LASTS: u64 = 10;

/// Whether an effect lasts for a part of its cause. What grew or was evicted is so since.
fn lasts(effect: &Effect, cause: Span) -> bool {
    let at_once = matches!(effect.kind, EffectKind::AnonGrows | EffectKind::SlabGrows | EffectKind::CacheLost);
    at_once || effect.span.length().get().saturating_mul(LASTS) >= cause.length().get()
}

/// The mechanism from a place of the chain to an effect.
fn mechanism(rule: &Rule, first: bool, node: &Node, to: EffectKind) -> Option<Mechanism> {
    let general = MECHANISMS.iter().filter(|(from, _)| node.kind == Some(*from)).map(|(_, step)| step);
    let own = rule.leads_to.iter().filter(|_| first);
    general.chain(own).find(|step| step.to == to).copied()
}

/// The link to an effect from the latest place of the chain that can have caused it, and its own place in the chain.
fn follow(nodes: &[Node], rule: &Rule, effect: Effect) -> Option<(Link, Node)> {
    // What is sent to a disk queues there.
    let here = |node: &Node| {
        let disk = node.effect.as_ref().filter(|_| matches!(node.kind, Some(EffectKind::Reads | EffectKind::Writes)));
        let disks = disk.and_then(|cause| cause.disk.as_deref()).zip(effect.disk.as_deref());
        disks.is_none_or(|(sent, busy)| sent == busy || is_layered(sent) || is_layered(busy))
    };
    let follows = |(_, node): &(usize, &Node)| {
        let slack = node.resolution().max(effect.resolution);
        here(node) && (effect.elsewhere || node.elsewhere() || effect.span.from.later(slack) >= node.span.from)
    };
    let places = nodes.iter().enumerate().filter(follows).rev();
    let (node, step) =
        places.into_iter().find_map(|(at, node)| Some((node, mechanism(rule, at == 0, node, effect.kind)?)))?;
    let together = !effect.elsewhere && !node.elsewhere();
    let flows = node.effect.as_ref().and_then(|cause| cause.flow).zip(effect.flow).filter(|_| together);
    let ns = |time: Nanos| i64::try_from(time.get()).unwrap_or(i64::MAX);
    let link = Link {
        cause: node.words.clone(),
        effect: effect.words.clone(),
        rule: rules::reporting(effect.kind),
        how: step.how.to_owned(),
        kernel: step.kernel.to_owned(),
        range: effect.span,
        lag_ns: together.then(|| ns(effect.span.from.since(node.span.from))),
        resolution_ns: ns(node.resolution().max(effect.resolution)),
        amounts: flows.map(|(cause, effect)| (cause.quantity(), effect.quantity())),
        evidence: effect.evidence.clone(),
    };
    let node = Node { kind: Some(effect.kind), words: effect.words.clone(), span: effect.span, effect: Some(effect) };
    Some((link, node))
}

/// What was not recorded during a finding, so that it has to be searched for at other times.
fn missing(recording: &Recording, seen: &[Effect], span: Span) -> Vec<EffectKind> {
    let recorded = |metrics: &[&str]| {
        let mut series = metrics.iter().filter_map(|metric| recording.host(metric));
        series.any(|series| series.within(span.from.ns(), span.to.ns()).next().is_some())
    };
    let kinds: [(EffectKind, &[&str]); 4] = [
        (EffectKind::CacheLost, &["Cached"]),
        (EffectKind::MajorFaults, &["pgmajfault"]),
        (EffectKind::IoWaits, &["psi_io_some", "cpu_iowait_share"]),
        (EffectKind::MemoryWaits, &["psi_memory_some"]),
    ];
    let absent =
        |(kind, metrics): &(EffectKind, &[&str])| !recorded(metrics) && !seen.iter().any(|effect| effect.kind == *kind);
    kinds.into_iter().filter(absent).map(|(kind, _)| kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::episodes::Episodes;
    use pagetide_core::{Confidence, RuleId};

    fn finding(rule: RuleId, from: i64, confidence: f64) -> Finding {
        Finding {
            rule,
            statement: String::new(),
            origins: pagetide_core::Actors::default(),
            step: None,
            range: Span::new(from, 100_000),
            confidence: Confidence::new(confidence),
            evidence: Vec::new(),
            contradictions: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn two_rules_that_change_one_setting_in_one_way_are_no_rivals() {
        let with = |rule, command: &str| {
            let advice = crate::evidence::advise("Raise it.", Some(command), "", Some("echo 1 > /app/memory.high"));
            Finding { advice: vec![advice], ..finding(rule, 0, 0.9) }
        };
        let rivals = |command: &str| {
            let findings = [
                with(RuleId::MemoryHigh, "echo 2 > /app/memory.high"),
                with(RuleId::CpuBound, command),
                with(RuleId::CpuBound, command),
            ];
            rivals(&Recording::default(), &findings, 0).len()
        };
        assert_eq!(rivals("echo 2 > /app/memory.high"), 0);
        assert_eq!(rivals("echo 3 > /db/memory.high"), 1, "another setting, told once");
    }

    #[test]
    fn what_is_read_from_a_disk_queues_at_no_other() {
        let effect = |kind, disk: &str| Effect {
            kind,
            disk: Some(disk.to_owned()),
            words: String::new(),
            span: Span::new(0, 1000),
            resolution: Nanos::new(0),
            flow: None,
            evidence: Vec::new(),
            elsewhere: false,
        };
        let follows = |read: &str, busy: &str| {
            let kind = Some(EffectKind::Reads);
            let reads = effect(EffectKind::Reads, read);
            let nodes = [Node { kind, words: String::new(), span: reads.span, effect: Some(reads) }];
            follow(&nodes, rules::by_id(RuleId::StreamFloodsCache), effect(EffectKind::DiskBusy, busy)).is_some()
        };
        assert!(follows("vdb", "vdb"));
        assert!(!follows("vdc", "vdb"));
        assert!(follows("dm-0", "vdb"), "a layer passes them on");
    }

    #[test]
    fn what_lasts_for_a_moment_of_a_cause_is_no_effect_of_it() {
        let lasts = |kind, to: i64| {
            let effect = Effect {
                kind,
                disk: None,
                words: String::new(),
                span: Span::new(1000, to),
                resolution: Nanos::new(0),
                flow: None,
                evidence: Vec::new(),
                elsewhere: false,
            };
            lasts(&effect, Span::new(0, 50_000))
        };
        assert!(!lasts(EffectKind::IoWaits, 2000), "1 s of 50 s");
        assert!(lasts(EffectKind::IoWaits, 6000));
        assert!(lasts(EffectKind::CacheLost, 2000), "it is gone since");
    }

    #[test]
    fn of_two_findings_that_account_for_each_other_one_is_the_root() {
        let root = |one: Finding, other: Finding| {
            let findings = [one, other];
            let (recording, episodes) = (Recording::default(), Episodes::default());
            let roots = roots(&recording, &Stretches::of(&recording, &episodes), &findings);
            roots.first().map(|index| findings[*index].rule)
        };
        let stream = |from, confidence| finding(RuleId::StreamFloodsCache, from, confidence);
        let waste = |from, confidence| finding(RuleId::ReadAheadWaste, from, confidence);
        assert_eq!(root(stream(0, 0.9), waste(0, 0.8)), Some(RuleId::StreamFloodsCache), "stronger evidence");
        assert_eq!(root(stream(0, 0.7), waste(0, 0.8)), Some(RuleId::ReadAheadWaste), "stronger evidence");
        assert_eq!(root(stream(0, 0.9), waste(0, 0.9)), Some(RuleId::StreamFloodsCache), "the order of the rules");
        assert_eq!(root(stream(500, 0.9), waste(0, 0.6)), Some(RuleId::ReadAheadWaste), "the earlier one");
    }

    #[test]
    fn an_effect_is_the_root_of_a_time_that_has_no_cause() {
        let root = |busy_from: i64| {
            let during = |rule, from: i64, to: i64, confidence| Finding {
                range: Span::new(from, to),
                ..finding(rule, from, confidence)
            };
            let findings = [
                during(RuleId::NoisyNeighbour, 0, 1000, 0.7),
                during(RuleId::DeviceSaturated, busy_from, 100_000, 0.9),
            ];
            let (recording, episodes) = (Recording::default(), Episodes::default());
            let roots = roots(&recording, &Stretches::of(&recording, &episodes), &findings);
            roots.first().map(|index| findings[*index].rule)
        };
        assert_eq!(root(50_000), Some(RuleId::DeviceSaturated), "the neighbour was gone by then");
        assert_eq!(root(500), Some(RuleId::NoisyNeighbour), "both at once: the cause is named");
    }
}
