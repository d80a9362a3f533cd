//! The conclusion from all findings: the verdict, its summary, what is cleared, what contradicts it.

mod arbiter;
mod by_account;
pub(crate) mod changes;
pub(crate) mod document;
pub(crate) mod effects;
mod incident;
pub(crate) mod mechanisms;
pub(crate) mod protect;
mod remark;
pub(crate) mod roots;
mod standing;

use crate::actors::newcomer;
use crate::actors::process;
use crate::evidence::threshold::TURNOVER;
use crate::examine::stretches::Stretches;
use crate::ledger;
use crate::ledger::harm::NOTICED;
use crate::ledger::memory_waits;
use crate::ledger::suspended;
use crate::ledger::uncounted;
use crate::ledger::unexplained;
use crate::ledger::waits;
use crate::measure::amount::Amount;
use crate::measure::coverage;
use crate::measure::queue;
use crate::measure::window::Window;
use crate::rules;
use crate::rules::contract::{Loss, Role, Suspicion};
use crate::rules::healthy::WELL;
use crate::verdict::arbiter::Ruling;
use pagetide_core::derived;
use pagetide_core::{
    Actor, Change, Cleared, Conclusion, Confidence, Contradiction, Diagnosis, Finding, Grade, Ledger, Link, Ratio,
    Recording, RuleId,
};

/// The diagnosis that findings lead to, with what the recorder could not see.
pub(crate) fn reach(recording: &Recording, stretches: &Stretches<'_>, findings: Vec<Finding>) -> Diagnosis {
    let ledger = stretches.ledger.as_ref();
    let mut diagnosis = conclude(recording, stretches, findings, ledger);
    diagnosis.ledger = diagnosis.ledger.or_else(|| ledger.cloned());
    // The finding has no better evidence than the cause that it is.
    if let Some((cause, finding)) = diagnosis.cause.as_ref().zip(diagnosis.findings.first_mut())
        && cause.grade < Grade::Strong
    {
        finding.confidence = Confidence::new(finding.confidence.get().min(UNSEEN));
    }
    if diagnosis.verdict != Conclusion::Experiment {
        once(&mut diagnosis.findings);
        diagnosis.unknown.extend(coverage::blind_spots(recording));
    }
    diagnosis
}

fn conclude(
    recording: &Recording,
    stretches: &Stretches<'_>,
    mut findings: Vec<Finding>,
    ledger: Option<&Ledger>,
) -> Diagnosis {
    if recording.steps().next().is_some() {
        let summary = "Experiment recording: findings are listed per step below.".to_owned();
        return Diagnosis { verdict: Conclusion::Experiment, summary, findings, ..Diagnosis::default() };
    }
    let unknown = coverage::gaps(recording);
    let mut roots = roots::roots(recording, stretches, &findings);
    let ruling =
        ledger.zip(roots.first()).map(|(ledger, root)| arbiter::rule(recording, ledger, &findings, &findings[*root]));
    match ruling {
        Some(Ruling::Instead(index)) => {
            roots.retain(|root| *root != index);
            roots.insert(0, index);
        }
        // Rule and ledger name different kinds of causes.
        Some(Ruling::Differs) => {
            let first = &mut findings[roots[0]];
            first.confidence = Confidence::new(first.confidence.get().min(UNSEEN));
        }
        // The finding is a remark: what most was lost to has no owner.
        Some(Ruling::Unowned) => {
            roots.retain(|root| ledger.is_none_or(|ledger| !findings[*root].range.overlaps(ledger.range)))
        }
        Some(Ruling::Agrees) | None => {}
    }
    let unnamed = roots.iter().all(|root| incident::harmless(recording, stretches, &findings[*root]));
    // A rule that only says that a device is full does not say who fills it.
    let full = roots.first().is_some_and(|root| findings[*root].rule == RuleId::DeviceSaturated);
    let standing = ledger.filter(|_| unnamed || full).and_then(|ledger| standing::of(stretches, ledger));
    let named = standing.or_else(|| ledger.filter(|_| unnamed).and_then(|ledger| by_account::of(stretches, ledger)));
    if let Some(named) = named {
        roots.insert(0, findings.len());
        findings.push(named);
    }
    let unsure = |root: &Finding, ledger: &Ledger| arbiter::is_little(ledger, root) || arbiter::is_minor(ledger, root);
    if let Some((root, _)) = roots.first().zip(ledger).filter(|(root, ledger)| unsure(&findings[**root], ledger)) {
        let first = &mut findings[*root];
        first.confidence = Confidence::new(first.confidence.get().min(UNSEEN));
    }
    // Which cause is named first does not depend on what the recording shows of harm; how sure it is does.
    for finding in findings.iter_mut().filter(|finding| !shown(stretches, finding)) {
        finding.confidence = Confidence::new(finding.confidence.get().min(UNSEEN));
    }
    let mut incidents = incident::all(recording, stretches, &findings, &roots, ledger);
    let root = roots.first().copied();
    let harmful = roots.iter().copied().find(|root| !incident::harmless(recording, stretches, &findings[*root]));
    if let Some(root) = harmful {
        let mut root = findings.remove(root);
        for finding in findings.iter_mut().chain(std::iter::once(&mut root)) {
            // Who was killed does not wait: what was lost to waits is not what a kill costs. To leave a thing as it is gives nothing back.
            let acts = rules::by_id(finding.rule).loss != Some(Loss::Killed) && rules::role(finding) != Role::Benign;
            let back = ledger.filter(|_| acts).and_then(|ledger| arbiter::gives_back(ledger, finding));
            finding.advice.iter_mut().for_each(|advice| advice.gives_back_ns = back);
        }
        // It can be done at once, and whoever began it goes on.
        let whole = stretches.whole.as_ref();
        let protect = whole.zip(ledger).and_then(|(whole, ledger)| protect::advice(whole, ledger, &root));
        root.advice.splice(0..0, protect);
        // What gives back most time comes first.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.advice.first().and_then(|one| one.gives_back_ns)));
        findings.insert(0, root);
        findings.retain(|finding| finding.rule != RuleId::Healthy);
        let felt = incident::felt(&incidents, &findings[0]);
        return Diagnosis { incidents, ..with_cause(recording, stretches, findings, &felt, unknown) };
    }
    let lost = incidents.first().map(|incident| incident.statement.clone());
    // What looks like trouble and is none is named by what it is.
    let named = |rule| findings.iter().position(|finding| finding.rule == rule);
    let well = named(RuleId::Healthy);
    let benign = named(RuleId::SwapInUse).or_else(|| named(RuleId::ChangedWorkingSet));
    let root = root.or_else(|| remark::unharmful(stretches, &findings).filter(|_| well.or(benign).is_none()));
    let remark = root.filter(|root| remark::is_remark(stretches, &findings[*root]));
    let healthy = root.filter(|_| remark.is_none()).or(well);
    let beside = remark.filter(|_| healthy.is_none());
    let beside = beside.and_then(|remark| remark::well(stretches, ledger, &findings[remark]));
    let healthy = healthy.or(remark).or(benign);
    let asked = stretches.whole.map(|whole| stretches.asked_of(&whole));
    let waits = asked.as_ref().and_then(memory_waits::troubling);
    // Whatever looks benign, a host whose tasks notably wait is not called healthy; nor is one on which a service came to do much less, because
    // others do nothing worse than to wait for themselves.
    let uncounted = || asked.as_ref().and_then(uncounted::of);
    let hidden = remark.is_some() && well.is_none() && uncounted().is_some();
    let calm = unknown.is_empty() && lost.is_none() && waits.is_none_or(|share| share < NOTICED) && !hidden;
    let diagnosis = match healthy.filter(|_| calm) {
        Some(index) => {
            let happened = root.map(|root| format!("{} {}", calm_beside(&findings[root]), findings[root].statement));
            let mut healthy = beside.unwrap_or_else(|| findings.remove(index));
            // What another finding says of memory or a device is not nothing.
            if healthy.rule == RuleId::Healthy && findings.iter().any(|other| rules::role(other) <= Role::Effect) {
                healthy.statement = healthy.statement.replacen(WELL, "No service lost notable time", 1);
            }
            let waits = waits.map_or(String::new(), |share| format!(" Tasks waited for memory {share} of the time."));
            let asynchronous = asked.as_ref().and_then(asynchronous_io).unwrap_or_default();
            let suspended = asked.as_ref().map(suspended::words).unwrap_or_default();
            let summary = happened.unwrap_or_else(|| healthy.statement.clone()) + &waits + &asynchronous + &suspended;
            let cause = Some(roots::cause(recording, &healthy));
            findings.insert(0, healthy);
            Diagnosis { verdict: Conclusion::Healthy, summary, cause, findings, ..Diagnosis::default() }
        }
        None => {
            let waits = asked.as_ref().and_then(unexplained_waits);
            if incidents.is_empty() && waits.is_none() {
                let whole = asked.as_ref().zip(uncounted());
                incidents.extend(whole.map(|(whole, uncounted)| incident::without_waits(whole, uncounted)));
            }
            cannot_tell(waits, findings, incidents.first().map(|incident| incident.statement.clone()), unknown)
        }
    };
    Diagnosis { incidents, ..diagnosis }
}

/// Takes from findings the advice of another rule on one setting that an earlier one gives as well.
fn once(findings: &mut [Finding]) {
    for at in 1..findings.len() {
        let (before, rest) = findings.split_at_mut(at);
        let same = |one: &Finding| one.rule != rest[0].rule && roots::one_setting(one, &rest[0]);
        if before.iter().any(same) {
            rest[0].advice.clear();
        }
    }
}

/// That no service lost notable time, beside a finding: the group that it is about may well have.
fn calm_beside(finding: &Finding) -> String {
    finding.origins.first().and_then(Actor::as_group).map_or_else(
        || "No service lost notable time.".to_owned(),
        |group| format!("No service but {group} lost notable time."),
    )
}

/// A disk that always has requests in flight while nobody waits: programs send them and do something else (io_uring, libaio, the flusher).
fn asynchronous_io(whole: &Window<'_>) -> Option<String> {
    let busy = |disk: &str| {
        let span = queue::longest_backlog(whole, disk)?;
        let during = whole.over(span);
        // Who waits for a page in swap waits for memory.
        let waits: Amount<Ratio> = during.share(&derived::PSI_IO_SOME)?;
        let memory = memory_waits::memory_waits(&during).unwrap_or(Amount::ZERO);
        let queue = during.queue(disk).filter(|_| waits.max(memory) < NOTICED)?;
        Some((queue, during.busy(disk)?, span))
    };
    let all = whole.disks().into_iter().filter_map(|disk| Some((disk, busy(disk)?)));
    let (disk, (queue, busy, span)) = all.max_by_key(|(_, (_, _, span))| span.length())?;
    Some(format!(
        " Asynchronous IO: {disk} had {queue:.1} requests in flight for {}, busy {busy} of it, and no task waited for them.",
        span.length(),
        queue = queue.get()
    ))
}

/// The most that evidence counts which is no strong one, as of a finding whose harm the recording does not show: moderate.
const UNSEEN: f64 = 0.899;

/// Whether the recording shows that tasks lost time while a finding lasts, where its rule makes tasks wait; or that they lost none, where it
/// says so.
fn shown(stretches: &Stretches<'_>, finding: &Finding) -> bool {
    let rule = rules::by_id(finding.rule);
    if finding.rule == RuleId::Healthy {
        let wait = |window: &Window<'_>| newcomer::others_wait_more(window).is_some_and(|more| more >= NOTICED);
        let disturbed = stretches.ledger.as_ref().is_some_and(ledger::disturbed);
        return stretches.losses.measured(Loss::Stalls) && !disturbed && !stretches.windows.iter().any(wait);
    }
    let waits = rule.role <= Role::Effect && matches!(rule.loss, Some(Loss::Stalls | Loss::Cpu));
    !waits || stretches.whole.as_ref().is_some_and(|whole| stretches.losses.shown(whole, finding))
}

fn cannot_tell(
    waits: Option<String>,
    mut findings: Vec<Finding>,
    lost: Option<String>,
    mut unknown: Vec<String>,
) -> Diagnosis {
    // What was found, though the recording does not show that tasks lost time by it.
    let found = findings.iter().find(|finding| rules::role(finding) == Role::Cause);
    let found =
        found.map(|found| format!("What was found is not shown to have cost any task time: {}", found.statement));
    let found = found.filter(|_| unknown.is_empty() && waits.is_none());
    // Time that somebody lost is the answer, though its cause is not known; so is what was found to be harmless.
    let start = if lost.is_some() || found.is_some() { "" } else { "The recording does not show what happened. " };
    if let Some(lost) = lost {
        findings.retain(|finding| finding.rule != RuleId::Healthy);
        unknown.insert(0, lost);
    }
    if unknown.is_empty() {
        unknown.push(
            waits.or(found).unwrap_or_else(|| {
                "No rule found a cause, and the numbers do not show a healthy host either.".to_owned()
            }),
        );
    }
    let summary = format!("{start}{}", unknown.join(" "));
    Diagnosis { verdict: Conclusion::CannotTell, summary, unknown, findings, ..Diagnosis::default() }
}

/// That tasks wait for memory or devices and no rule explains it.
fn unexplained_waits(whole: &Window<'_>) -> Option<String> {
    let Some(share) = memory_waits::troubling(whole) else {
        const COMPARE: &str = "There is no baseline to compare with: record this host while it is well.";
        if let Some((share, works)) = waits::without_requests(whole) {
            let check = unexplained::keeps_waiting(whole, None);
            return Some(format!(
                "Tasks waited for IO {share} of the time from start to end, while devices had requests {works} of it: {check}. {COMPARE}"
            ));
        }
        if let Some((share, disk, time)) = waits::throughout(whole) {
            return Some(format!(
                "Tasks waited for IO {share} of the time from start to end, and a request of {disk} took {time}. {COMPARE}"
            ));
        }
        return None;
    };
    let grower =
        process::grower(whole).zip(whole.memory()).filter(|(grower, memory)| grower.amount >= *memory * TURNOVER);
    let grower =
        grower.map_or(String::new(), |(grower, _)| format!(" {} grew by {} meanwhile.", grower.words(), grower.amount));
    Some(format!("Tasks waited for memory {share} of the time, and no rule found the cause.{grower}"))
}

/// The diagnosis with a cause: the first of the findings, which services feel for as long as its incident lasts.
fn with_cause(
    recording: &Recording,
    stretches: &Stretches<'_>,
    findings: Vec<Finding>,
    felt: &Finding,
    mut unknown: Vec<String>,
) -> Diagnosis {
    unknown.extend(stretches.losses.unknown(recording));
    let root = &findings[0];
    let links = roots::links(recording, &stretches.windows, root);
    let contradictions = contradictions(recording, &findings);
    let changes = changes::near(recording, root);
    let attributed = stretches.ledger.as_ref().map(|ledger| arbiter::attributed(ledger, root));
    let lost = attributed.as_ref().filter(|ledger| ledger::noticed(ledger) && ledger.range.overlaps(root.range));
    let cost = stretches.whole.as_ref().and_then(|whole| stretches.losses.cost(whole, felt, lost));
    let booked = lost.filter(|ledger| !ledger.bookings.iter().any(|booking| booking.by_cause));
    let booked = booked.map(|_| "None of the lost time is booked to this cause.".to_owned());
    let lost = lost.map(|ledger| {
        let worst = if ledger.is_part_of(root.range) { "the worst " } else { "" };
        ledger.sentence(&format!("in {worst}{}", ledger.range.length()))
    });
    let summary = summary(root, lost, booked.into_iter().chain(cost), &changes, &links, &contradictions);
    let forecast = incident::grows(recording, stretches, root);
    Diagnosis {
        verdict: if forecast { Conclusion::Forecast } else { Conclusion::Incident },
        summary,
        unknown,
        damaged: Vec::new(),
        cause: Some(roots::cause(recording, root)),
        chain: links,
        rivals: roots::rivals(recording, &findings, 0),
        cleared: stretches.whole.as_ref().map(|whole| cleared(whole, &findings)).unwrap_or_default(),
        contradictions,
        incidents: Vec::new(),
        findings,
        ledger: attributed,
    }
}

/// The first paragraph: the time lost, the cause, its effects, what contradicts it, what to do.
fn summary(
    root: &Finding,
    lost: Option<String>,
    cost: impl Iterator<Item = String>,
    changes: &[Change],
    links: &[Link],
    contradictions: &[Contradiction],
) -> String {
    let mut sentences: Vec<String> = lost.into_iter().chain(std::iter::once(root.statement.clone())).collect();
    sentences.extend(cost);
    let changes: Vec<&str> = changes.iter().map(|change| change.what.trim_end_matches('.')).collect();
    if !changes.is_empty() {
        sentences.push(format!("Near its onset: {}.", changes.join("; ")));
    }
    let mut effects: Vec<&str> = links.iter().map(|link| beside(root, &link.effect)).collect();
    effects.dedup();
    if !effects.is_empty() {
        sentences.push(format!("Effects: {}.", effects.join("; ")));
    }
    let saturated = links.iter().filter(|link| link.rule == Some(RuleId::DeviceSaturated));
    let disks = saturated.filter_map(|link| link.effect.split_once(' ').map(|(disk, _)| disk));
    let victims: Vec<&str> = disks.filter(|disk| !root.origins.has(&Actor::disk(*disk))).collect();
    match victims.as_slice() {
        [] => {}
        [victim] => sentences.push(format!("{victim} is a victim, not the cause.")),
        victims => sentences.push(format!("{} are victims, not the cause.", victims.join(" and "))),
    }
    if let Some(contradiction) = contradictions.first() {
        sentences.push(format!("This contradicts it: {}", contradiction.statement));
    }
    if let Some(advice) = root.advice.first() {
        sentences.push(format!("First step: {}", advice.action));
    }
    sentences.join(" ")
}

/// Evidence by which the statement of a cause says how long requests take.
const TIMES_OF_REQUESTS: [&str; 3] = ["time per request", "time of a request", "time of a write"];

/// An effect beside the statement of its cause: two times of a request, of stretches that differ a little, would read as two facts.
fn beside<'a>(root: &Finding, effect: &'a str) -> &'a str {
    let timed = root.evidence.iter().any(|evidence| TIMES_OF_REQUESTS.contains(&evidence.what.as_str()));
    let busy = effect.split_once(", ").filter(|(_, time)| timed && time.ends_with(effects::PER_REQUEST));
    busy.map_or(effect, |(busy, _)| busy)
}

/// Findings that no cause explains and that are no cause either: reclaim that continues although much is free.
fn contradictions(recording: &Recording, findings: &[Finding]) -> Vec<Contradiction> {
    let Some((root, others)) = findings.split_first() else { return Vec::new() };
    let accounted = |finding: &&Finding| rules::subsumes(recording, root, finding);
    let against = others.iter().filter(|finding| finding.rule == RuleId::OverReclaim && !accounted(finding));
    let of = |finding: &Finding| {
        let advice = finding.advice.first();
        Contradiction {
            statement: finding.statement.clone(),
            evidence: finding.evidence.clone(),
            settles: advice.map_or(String::new(), |advice| format!("{} {}", advice.action, advice.effect)),
            command: advice.and_then(|advice| advice.command.clone()),
        }
    };
    against.map(of).collect()
}

/// Suspects that the numbers clear.
fn cleared(whole: &Window<'_>, findings: &[Finding]) -> Vec<Cleared> {
    let during = &whole.over(findings.first().map_or(whole.span, |root| root.range));
    let suspicion = Suspicion { whole, during, findings };
    rules::RULES.iter().filter_map(|rule| (rule.clears?)(suspicion)).collect()
}
