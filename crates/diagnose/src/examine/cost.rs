//! The time that tasks lose by a finding, above what they lost before.
//!
//! A finding is an incident only if tasks lose time while it lasts. Pressure stall information gives that time, of the host and of each
//! group; where a recording lacks it, the CPU time that is idle while tasks wait for IO stands in. Where neither was recorded, harm is not
//! known and decides nothing.

use crate::actors::commits::LONGER;
use crate::actors::group;
use crate::actors::job;
use crate::actors::newcomer;
use crate::actors::one_thread::{self, OneThread};
use crate::actors::process;
use crate::actors::successor::RAN;
use crate::actors::victim;
use crate::evidence::threshold::{IDLE, TURNOVER};
use crate::ledger::accounts::of_rule;
use crate::ledger::delays;
use crate::ledger::harm::{NOTICED, UNEXPLAINED_CPU, UNEXPLAINED_CPU_TIME};
use crate::ledger::lost_time::Activity;
use crate::ledger::quieter::{self, Quieter};
use crate::ledger::waits::{Harm, MIN_LOST_TIME, MIN_RISE, RIPPLE, Waits, kswapd_share};
use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::episodes::Episodes;
use crate::measure::queue::{DEPTH, SEVERAL};
use crate::measure::window::{STOLEN, Window, intervals, joined};
use crate::rules;
use crate::rules::contract::Loss;
use pagetide_core::derived;
use pagetide_core::{
    Account, Actor, Bytes, Finding, Ledger, Moment, Nanos, Ratio, Recording, Resource, RuleId, Span, Table, Threshold,
    TimeLost,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Such a loss in all.
const UNEXPLAINED_TIME: Limit<Nanos> =
    Limit::new("time lost without a known cause", 2e9, "Anything shorter is a burst.", "judgement");
/// Waits of tasks in no group that count as harm.
const REST: Limit<Nanos> = Limit::new(
    "time lost by tasks outside of all control groups, where groups were recorded",
    0.5e9,
    "Kernel threads and the recorder are among them.",
    "judgement",
);
/// What one program has to read or write of a disk to be named beside a loss without a known cause.
const MOST_OF_A_DISK: Limit<Ratio> = Limit::new(
    "one program's share of a disk's bytes",
    0.5,
    "With less, several programs share the disk.",
    "judgement",
);
/// What makes a group one that does more.
const BUSIER: Limit<Count> = Limit::new(
    "CPU time of a group relative to its baseline, at least",
    2.0,
    "Ordinary load varies by less.",
    "judgement",
);
/// The same in CPUs.
const NOTED: Limit<Count> = Limit::new(
    "CPUs that a group uses beyond its baseline, at least",
    0.02,
    "Timers and logging use less.",
    "judgement",
);
/// Intervals without a loss that do not end it.
const JOINED: u64 = 5;

/// The numbers that decide about harm.
pub(crate) const THRESHOLDS: &[Threshold] = &[
    MIN_LOST_TIME.doc(),
    RIPPLE.doc(),
    MIN_RISE.doc(),
    NOTICED.doc(),
    UNEXPLAINED_TIME.doc(),
    REST.doc(),
    UNEXPLAINED_CPU.doc(),
    UNEXPLAINED_CPU_TIME.doc(),
    LONGER.doc(),
    DEPTH.doc(),
    MOST_OF_A_DISK.doc(),
    BUSIER.doc(),
    NOTED.doc(),
    SEVERAL.doc(),
    RAN.doc(),
    job::ITS_OWN.doc(),
    job::AT_REST.doc(),
    job::AS_BEFORE.doc(),
];

impl Loss {
    /// What tasks wait for.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stalls | Self::Killed => "IO or memory",
            Self::Cpu => "a CPU",
        }
    }

    const fn resources(self) -> &'static [Resource] {
        match self {
            Self::Stalls | Self::Killed => &[Resource::Io, Resource::Memory],
            Self::Cpu => &[Resource::Cpu],
        }
    }
}

/// The group that suffers most, of losses in the order of an incident; absent where no group below the root does. A group that contains another
/// waits whenever that one does, and is not the answer.
pub(crate) fn suffers_most<'l>(mut losses: impl Iterator<Item = &'l TimeLost> + Clone) -> Option<&'l TimeLost> {
    let all = losses.clone();
    let contains =
        |own: &str| all.clone().filter_map(|one| one.victim.as_group()).any(|other| group::below(own, other));
    losses.find(|one| one.victim.as_group().is_some_and(|own| own != group::ROOT && !contains(own)))
}

/// What programs lose in a stretch, by the beginning of the whole and the stretch.
type OfPrograms = BTreeMap<(Moment, Span), Rc<[TimeLost]>>;

/// The time that tasks lose in a recording.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    waits: Vec<Waits>,
    /// The groups without others in them, but for the recorder's own.
    leaves: Vec<(String, Activity)>,
    /// Those that somebody asked for: each finding is weighed several times.
    of_programs: RefCell<OfPrograms>,
}

impl Losses {
    pub(crate) fn of(recording: &Recording, episodes: &Episodes) -> Self {
        const ALL: [Resource; 3] = [Resource::Io, Resource::Memory, Resource::Cpu];
        let groups = recording.entities(Table::Cgroup).map(|(group, _)| Some(group));
        let places = std::iter::once(None).chain(groups);
        let waits =
            places.flat_map(|group| ALL.into_iter().filter_map(move |one| Waits::of(recording, episodes, group, one)));
        let leaf = |group: &str| (group.to_owned(), Activity::of(recording, episodes, group));
        let leaves = group::leaves(recording).into_iter().map(leaf).collect();
        Self { waits: waits.collect(), leaves, of_programs: RefCell::default() }
    }

    fn of_programs(&self, whole: &Window<'_>, span: Span) -> Rc<[TimeLost]> {
        let mut known = self.of_programs.borrow_mut();
        known.entry((whole.span.from, span)).or_insert_with(|| delays::losses(whole, span).into()).clone()
    }

    fn host(&self, resource: Resource) -> Option<&Waits> {
        self.waits.iter().find(|waits| waits.group.is_none() && waits.resource == resource)
    }

    /// The loss of all tasks in a stretch, threads of the kernel among them.
    fn of_all(&self, whole: &Window<'_>, span: Span, loss: Loss) -> Option<Harm> {
        let (first, others) = loss.resources().split_first()?;
        let first = self.host(*first)?.harm(whole, span)?;
        let others = others.iter().filter_map(|resource| self.host(*resource)?.harm(whole, span));
        Some(others.fold(first, Harm::and))
    }

    /// The loss of services in a stretch; absent when the recording does not show it. Waits for memory alone do not tell of IO.
    fn of_host(&self, whole: &Window<'_>, span: Span, loss: Loss) -> Option<Harm> {
        let (first, others) = loss.resources().split_first()?;
        let first = self.of_services(whole, span, *first)?;
        let others = others.iter().filter_map(|resource| self.of_services(whole, span, *resource));
        Some(others.fold(first, Harm::and))
    }

    /// The loss of the group that lost most of those that ran before a stretch; or of the tasks in no group, where they wait so long that it is
    /// not the kernel's threads alone. What a program that started waits for its own requests is no harm. Of the host where no groups were recorded.
    fn of_services(&self, whole: &Window<'_>, span: Span, resource: Resource) -> Option<Harm> {
        let host = self.host(resource)?.harm(whole, span)?;
        let of = |(name, activity)| {
            let waits =
                self.waits.iter().find(|waits| waits.group.as_deref() == Some(name) && waits.resource == resource)?;
            Some((name, activity, waits.harm(whole, span)?))
        };
        let groups: Vec<(&str, &Activity, Harm)> =
            self.leaves.iter().map(|(name, activity)| (name.as_str(), activity)).filter_map(of).collect();
        if groups.is_empty() {
            return Some(if resource == Resource::Memory { beside_kswapd(whole, span, host) } else { host });
        }
        let all = groups.iter().fold(Harm::new(Amount::ZERO, Amount::ZERO, span), |sum, (.., harm)| sum.and(*harm));
        let rest =
            Harm::new((host.share - all.share).max(Amount::ZERO), (host.before - all.before).max(Amount::ZERO), span);
        // Delays tell how much of that programs waited at most: the kernel's threads wait for the writeback that they do.
        let programs = delays::of_programs(whole, span, resource).map(|share| (share - all.share).max(Amount::ZERO));
        let rest = Harm::new(programs.map_or(rest.share, |most| rest.share.min(most)), rest.before, span);
        let rest = Some(rest).filter(|rest| rest.share - rest.before >= NOTICED.value() && rest.lost() >= REST.value());
        let served = groups.iter().filter(|(_, activity, _)| activity.before(span.from));
        let served = served
            .filter(|(name, _, harm)| !works_for_itself(whole, span, (name, resource), *harm))
            .map(|(.., harm)| *harm);
        let nobody = Harm::new(Amount::ZERO, Amount::ZERO, span);
        Some(served.chain(rest).max_by(|a, b| a.lost().total_cmp(&b.lost())).unwrap_or(nobody))
    }

    /// The harm while a finding lasts, to the host or to the group that it names, whichever lost more.
    fn of_finding(&self, whole: &Window<'_>, finding: &Finding, loss: Loss) -> Option<Harm> {
        let during = whole.over(finding.range);
        // A queue, first reads, a slow device and a limit are a newcomer's own where nobody who ran before waits.
        let of_devices =
            matches!(of_rule(finding.rule), Some(Account::Load | Account::Device)) || finding.rule == RuleId::IoLimit;
        let alone = of_devices && newcomer::alone(&during);
        // What waits inside of a program waits for no CPU, and no longer for a device, whoever else does.
        let inside = match loss {
            Loss::Cpu => in_one_thread(&during, finding),
            Loss::Stalls => one_at_a_time(whole, finding).map(|service| undone(service, finding.range)),
            Loss::Killed => None,
        };
        let own = loss == Loss::Cpu && inside.is_none() && of_itself(&during);
        // What lasts from the start and ends where the service comes to do less was its work.
        let worked = || loss == Loss::Stalls && quieter::ends_its_work(whole, finding.range);
        if own || alone || takes_free_memory(whole, finding) || worked() {
            return Some(Harm::new(Amount::ZERO, Amount::ZERO, finding.range));
        }
        // What takes memory costs others later, by the reclaim that the kernel does for it: the host's waits tell.
        if rules::by_id(finding.rule).loss.is_none() {
            return self.of_all(whole, finding.range, loss);
        }
        let named = |waits: &&Waits| {
            let group = waits.group.as_deref().filter(|_| loss.resources().contains(&waits.resource));
            group.is_some_and(|group| finding.origins.iter().any(|origin| origin.as_group() == Some(group)))
        };
        let groups = self.waits.iter().filter(named).filter_map(|waits| {
            let name = waits.group.as_deref().unwrap_or_default();
            let harm = waits.harm(whole, finding.range)?;
            (!works_for_itself(whole, finding.range, (name, waits.resource), harm)).then_some(harm)
        });
        let host = self.of_host(whole, finding.range, loss);
        host.into_iter().chain(groups).chain(inside).max_by(|a, b| a.lost().total_cmp(&b.lost()))
    }

    /// Whether a finding harms: tasks lose time by it, or the recording does not show whether they do, or it does not need to.
    pub(crate) fn harms(&self, whole: &Window<'_>, finding: &Finding) -> bool {
        let loss = rules::by_id(finding.rule).loss.filter(|loss| *loss != Loss::Killed);
        loss.and_then(|loss| self.of_finding(whole, finding, loss)).is_none_or(Harm::matters)
    }

    /// Whether the recording has pressure stall information of what tasks wait for.
    pub(crate) fn measured(&self, loss: Loss) -> bool {
        let of_loss = |waits: &&Waits| loss.resources().contains(&waits.resource);
        self.waits.iter().filter(of_loss).any(|waits| waits.source.name != derived::CPU_IOWAIT.name)
    }

    /// Whether the recording shows that tasks lose time by a finding: by pressure stall information, and not by CPUs that were idle meanwhile. What a
    /// job waits in its own group, which started with it, may be what the group is for.
    pub(crate) fn shown(&self, whole: &Window<'_>, finding: &Finding) -> bool {
        let loss = rules::by_id(finding.rule).loss.unwrap_or(Loss::Stalls);
        let job = |origin: &Actor| {
            let mut leaves = self.leaves.iter();
            leaves.any(|(leaf, activity)| origin.as_group() == Some(leaf) && !activity.before(finding.range.from))
        };
        let harm = if finding.origins.iter().any(job) {
            self.of_host(whole, finding.range, loss)
        } else {
            self.of_finding(whole, finding, loss)
        };
        self.measured(loss) && harm.is_some_and(Harm::matters)
    }

    /// Whether tasks lose time in a stretch, or the recording does not show whether they do.
    pub(crate) fn lose(&self, whole: &Window<'_>, span: Span) -> bool {
        let lost = |loss| self.of_host(whole, span, loss).map(Harm::matters);
        // A task finds a CPU that idles.
        let short = || whole.over(span).idle().is_none_or(|idle| idle < IDLE);
        lost(Loss::Stalls).unwrap_or(true) || lost(Loss::Cpu).unwrap_or_else(short)
    }

    /// The time lost while a finding lasts, by what its rule makes tasks wait for; 0 where that is not known.
    pub(crate) fn lost(&self, whole: &Window<'_>, finding: &Finding) -> Amount<Nanos> {
        let loss = rules::by_id(finding.rule).loss.unwrap_or(Loss::Stalls);
        self.of_finding(whole, finding, loss).map_or(Amount::ZERO, Harm::lost)
    }

    /// What a finding costs, as a sentence. Of a fact, which costs something only by its effects, nothing is said when it cost nothing.
    pub(crate) fn sentence(&self, whole: &Window<'_>, finding: &Finding) -> Option<String> {
        match self.waited(whole, finding)? {
            Cost::Words(words) => Some(words),
            Cost::Waited(waited) => Some(
                [Some(waited.tasks.lost()), waited.also, waited.program.map(|one| one.waited())]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
        }
    }

    /// The same with the control group that lost most by it, as it follows what the ledger says: no amount is said twice. Of the waits that the ledger
    /// has summed up only those before are new.
    pub(crate) fn cost(&self, whole: &Window<'_>, finding: &Finding, ledger: Option<&Ledger>) -> Option<String> {
        let group = self.of_group(whole, finding);
        let waited =
            match self.waited(whole, finding)? {
                Cost::Words(words) => {
                    return Some(group.map_or(words.clone(), |group| {
                        format!("{words} {}", group.named("The control group").waited())
                    }));
                }
                Cost::Waited(waited) => waited,
            };
        let Some(group) = group else { return self.sentence(whole, finding) };
        let AllWaited { tasks, also, program } = *waited;
        let summed = ledger.is_some_and(|ledger| {
            let all = ledger.range.length().get() <= finding.range.length().get().saturating_mul(2);
            ledger.by == format!("cgroup:{}", group.who) && all && !ledger.is_part_of(finding.range)
        });
        let tasks = Some(tasks).filter(|tasks| !tasks.is_as_long_as(&group));
        // Amounts that print alike are one.
        let (same, program) = match program {
            Some(program) if program.told() == group.told() => (Some(program), None),
            other => (None, other),
        };
        let before_is_told = tasks.as_ref().is_some_and(|tasks| tasks.told()[1] == group.told()[1]);
        let first = same.map_or_else(String::new, |program| format!("{} and ", program.who));
        let group = match (summed, first.is_empty()) {
            (true, _) => {
                Some(group.named(&format!("{first}the control group")).waited_before()).filter(|_| !before_is_told)
            }
            (false, true) => Some(group.named("The control group").waited()),
            (false, false) => Some(group.named(&format!("{first}the control group")).waited()),
        };
        let sentences = [tasks.map(|tasks| tasks.lost()), also, program.map(|one| one.waited()), group];
        Some(sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    /// How long tasks waited by a finding; absent where nothing is to be said of that.
    fn waited(&self, whole: &Window<'_>, finding: &Finding) -> Option<Cost> {
        let known = rules::by_id(finding.rule).loss;
        let loss = known.unwrap_or(Loss::Stalls);
        // The statement tells of a thread that computes all the time. No task waits for a CPU.
        if loss == Loss::Cpu && in_one_thread(&whole.over(finding.range), finding).is_some() {
            return None;
        }
        if let Some(service) = one_at_a_time(whole, finding) {
            let times = service.fewer().get();
            return Some(Cost::Words(format!("Tasks of {} did {times:.1} times as much before.", service.group)));
        }
        let harm = self.of_finding(whole, finding, loss)?;
        if known.is_none() && harm.lost() < Amount::new(MIN_LOST_TIME.get()) {
            return None;
        }
        let losses = self.in_stretch(whole, finding.range, Some(finding.rule));
        let tasks = Waited::of("Tasks", told(harm, &losses), loss.name());
        // Who is short of a CPU may wait for a device as well.
        let stalls = || {
            self.of_host(whole, finding.range, Loss::Stalls).filter(|harm| harm.share > harm.before + NOTICED.value())
        };
        let also = Some(loss).filter(|loss| *loss == Loss::Cpu).and_then(|_| stalls()).map(|harm| {
            let stalls = self.in_stretch(whole, finding.range, None);
            let stalls: Vec<TimeLost> =
                stalls.into_iter().map(|one| TimeLost { by_cause: one.resource != Resource::Cpu, ..one }).collect();
            let [share, before] = told(harm, &stalls).map(of_a_second);
            format!("Tasks also lost {share} of each second waiting for {} ({before} before).", Loss::Stalls.name())
        });
        let programs = self.of_programs(whole, finding.range);
        let programs = programs.iter().filter(|one| loss.resources().contains(&one.resource));
        let program = programs.max_by_key(|one| one.lost_ns).map(|most| {
            let added = if most.share > 1.0 { ", its tasks added up" } else { "" };
            let resource = format!("{}{added}", most.resource.words());
            Waited::of(most.victim.name().unwrap_or_default(), [most.share, most.before].map(Amount::new), &resource)
        });
        Some(Cost::Waited(Box::new(AllWaited { tasks, also, program })))
    }

    /// What the recording does not show of harm: a sentence each.
    pub(crate) fn unknown(&self, recording: &Recording) -> Vec<String> {
        let stalls = self.host(Resource::Io).filter(|waits| waits.source.name != derived::PSI_IO_SOME.name);
        let stalls = stalls.map(|_| {
            "Pressure stall information was not recorded. Lost time is therefore iowait: CPUs idle while tasks waited for IO. Waits for memory \
             are unknown."
                .to_owned()
        });
        let nothing = (self.host(Resource::Io).is_none() && self.host(Resource::Memory).is_none())
            .then(|| "Lost time is unknown: record /proc/pressure or /proc/stat.".to_owned());
        stalls.into_iter().chain(nothing).chain(delays::missing(recording)).collect()
    }

    /// Which control group lost most time by a finding; absent where none was recorded, or where tasks of all groups were killed.
    fn of_group(&self, whole: &Window<'_>, finding: &Finding) -> Option<Waited> {
        let losses = self.in_stretch(whole, finding.range, Some(finding.rule));
        let most = suffers_most(losses.iter().filter(|one| one.by_cause))?;
        let on = most.disk.as_ref().map_or(String::new(), |disk| format!(" of {disk}"));
        let resource = format!("{}{on}", most.resource.words());
        Some(Waited::of(most.victim.as_group()?, [most.share, most.before].map(Amount::new), &resource))
    }

    /// Whether the time that somebody lost is that of services: of groups without others in them, where their waits were recorded. That of the host
    /// counts jbd2, kworkers and kswapd as well, for which nobody waits.
    pub(crate) fn is_of_services(&self, loss: &TimeLost) -> bool {
        let is_leaf = |group: &str| self.leaves.iter().any(|(leaf, _)| leaf == group);
        let recorded = |waits: &Waits| waits.resource == loss.resource && waits.group.as_deref().is_some_and(is_leaf);
        let is_leaf = loss.victim.as_group().map_or(loss.victim != Actor::Host, is_leaf);
        is_leaf || !self.waits.iter().any(recorded)
    }

    /// Whether somebody who lost time did not work before a stretch: it waits for its own requests, or for a limit of its own. A program came with its
    /// group; or all that waits in a group are jobs that began in it.
    pub(crate) fn for_its_own(&self, whole: &Window<'_>, loss: &TimeLost, span: Span) -> bool {
        let Some(command) = loss.victim.as_command() else {
            let own = |group: &str| self.came(group, span.from) || of_jobs(whole, span, (group, loss.resource));
            return loss.victim.as_group().is_some_and(own);
        };
        let new = self.leaves.iter().filter(|(_, activity)| !activity.before(span.from));
        let new: Vec<i64> = new.filter_map(|(leaf, _)| group::number(whole.recording, Table::Cgroup, leaf)).collect();
        let own = whole.recording.entities(Table::Process).filter(|(_, comm)| *comm == command);
        let mut own = own.filter_map(|(name, _)| group::number(whole.recording, Table::Process, name)).peekable();
        own.peek().is_some() && own.all(|group| new.contains(&group))
    }

    fn came(&self, group: &str, at: Moment) -> bool {
        self.leaves.iter().any(|(leaf, activity)| leaf == group && !activity.before(at))
    }

    /// Who lost time in a stretch, and to what; the largest loss first, but those that notably suffer by the work of others before all, and groups that had just started behind all. The rule of its cause, where it is known, says what tasks wait for.
    pub(crate) fn in_stretch(&self, whole: &Window<'_>, span: Span, cause: Option<RuleId>) -> Vec<TimeLost> {
        // It waits for its own work. Who reads again what was evicted computes more as well.
        let came = |group: &str| self.came(group, span.from);
        let evicted = cause.and_then(of_rule) == Some(Account::ReadAgain);
        let lost = self.waits.iter().filter_map(|waits| {
            let harm = waits.harm(whole, span).filter(|harm| harm.lost() >= MIN_LOST_TIME)?;
            let during = whole.over(span);
            // The host waits most where most requests are in flight, a group for those that it sent.
            let own = || group::of_group(&during, waits.group.as_deref()?);
            let disk = || Some(own().or_else(|| Some(during.busiest(|disk| during.queue(disk))?.0))?.to_owned());
            Some(TimeLost {
                victim: waits.group.as_ref().map_or(Actor::Host, Actor::group),
                resource: waits.resource,
                by_cause: false,
                busier: waits.group.as_deref().is_some_and(|group| {
                    came(group)
                        || !evicted && busier(whole, span, group)
                        || of_jobs(whole, span, (group, waits.resource))
                }),
                disk: Some(waits.resource).filter(|resource| *resource == Resource::Io).and_then(|_| disk()),
                share: harm.share.get(),
                before: harm.before.get(),
                lost_ns: harm.lost().nanos().get(),
                source: match waits.resource {
                    Resource::Cpu => whole.source_of_cpu_waits(waits.group.as_deref()),
                    Resource::Io | Resource::Memory => waits.source.name,
                }
                .to_owned(),
            })
        });
        let mut lost: Vec<TimeLost> = lost.chain(self.of_programs(whole, span).iter().cloned()).collect();
        let caused = cause.map(|rule| rules::by_id(rule).loss.unwrap_or(Loss::Stalls).resources());
        lost.iter_mut()
            .for_each(|one| one.by_cause = caused.is_some_and(|resources| resources.contains(&one.resource)));
        let suffers = |one: &TimeLost| !one.busier && one.share - one.before >= NOTICED.get();
        let new = |one: &TimeLost| one.victim.as_group().is_some_and(came);
        lost.sort_by_key(|one| (!suffers(one), new(one), std::cmp::Reverse(one.lost_ns)));
        lost
    }

    /// The largest loss that stands out of the recording beside explained stretches, as a sentence, when people notice it. Waits for a
    /// CPU count only where none for IO or memory does.
    pub(crate) fn unexplained(&self, whole: &Window<'_>, explained: &[Span]) -> Option<(Span, String)> {
        let stalls = self.largest(whole, explained, Loss::Stalls);
        let (span, waits, harm) = stalls.or_else(|| self.largest(whole, explained, Loss::Cpu))?;
        let during = whole.over(span);
        let place = match waits.resource {
            Resource::Cpu => runs(&during),
            Resource::Io | Resource::Memory => queues(&during).or_else(|| reads_back(&during)),
        };
        let next = match waits.resource {
            Resource::Cpu => "record processes, or `pidstat -u -w 1`,",
            Resource::Io | Resource::Memory => "record processes and block-layer latency (`biolatency-bpfcc -D`)",
        };
        let text = format!(
            "From {}, tasks lost {} of each second waiting for {} ({} before){}. No rule explains it: {next} while it lasts.",
            span.from.since(whole.span.from),
            of_a_second(harm.share),
            waits.resource.words(),
            of_a_second(harm.before),
            place.unwrap_or_default(),
        );
        Some((span, text))
    }

    /// The stretch in which tasks of the host lost most to waits of one kind, beside explained ones.
    fn largest(&self, whole: &Window<'_>, explained: &[Span], loss: Loss) -> Option<(Span, &Waits, Harm)> {
        let (least, time) = match loss {
            Loss::Stalls | Loss::Killed => (NOTICED.value(), UNEXPLAINED_TIME),
            Loss::Cpu => (UNEXPLAINED_CPU.value(), UNEXPLAINED_CPU_TIME),
        };
        let losses = loss.resources().iter().filter_map(|resource| {
            let waits = self.host(*resource)?;
            let held = waits.share.signal.held(waits.usual + least);
            let mut held = joined(held, intervals(whole.recording, JOINED));
            held.retain(|span| {
                !explained.iter().any(|known| known.overlaps(*span)) && !quieter::ends_its_work(whole, *span)
            });
            let harm = |span| {
                let harm = Harm { before: waits.usual, ..waits.harm(whole, span)? };
                let queued = || match resource {
                    Resource::Io => of_others(&whole.over(span), waits) && !newcomer::alone(&whole.over(span)),
                    Resource::Cpu => !of_itself(&whole.over(span)) && !delays::newcomers_wait_for_a_cpu(whole, span),
                    Resource::Memory => !delays::of_newcomers(whole, span),
                };
                (harm.lost() >= time && queued()).then_some((span, waits, harm))
            };
            held.into_iter().filter_map(harm).max_by(|a, b| a.2.lost().total_cmp(&b.2.lost()))
        });
        losses.max_by(|a, b| a.2.lost().total_cmp(&b.2.lost()))
    }
}

/// What a finding costs.
enum Cost {
    /// A sentence that is not about waits.
    Words(String),
    Waited(Box<AllWaited>),
}

/// Who waited by a finding.
struct AllWaited {
    tasks: Waited,
    /// What tasks that wait for a CPU also lost, as a sentence.
    also: Option<String>,
    /// The program that lost most, where the kernel accounted for programs.
    program: Option<Waited>,
}

/// Who waited for what, and how long of each second.
struct Waited {
    who: String,
    resource: String,
    share: Amount<Ratio>,
    before: Amount<Ratio>,
}

impl Waited {
    fn of(who: &str, [share, before]: [Amount<Ratio>; 2], resource: &str) -> Self {
        Self { who: who.to_owned(), resource: resource.to_owned(), share, before }
    }

    /// The same with words before the name.
    fn named(self, words: &str) -> Self {
        Self { who: format!("{words} {}", self.who), ..self }
    }

    /// Whether these are the waits of another and hardly any beside them.
    fn is_as_long_as(&self, other: &Self) -> bool {
        (self.share - other.share).abs() <= self.share.max(other.share) * HARDLY
    }

    /// How long of each second, and before.
    fn told(&self) -> [String; 2] {
        [self.share, self.before].map(of_a_second)
    }

    fn lost(&self) -> String {
        let [share, before] = self.told();
        format!("{} lost {share} of each second waiting for {} ({before} before).", self.who, self.resource)
    }

    fn waited(&self) -> String {
        let [share, before] = self.told();
        format!("{} waited {share} of each second for {} ({before} before).", self.who, self.resource)
    }

    fn waited_before(&self) -> String {
        let [_, before] = self.told();
        if before == NOTHING {
            return format!("Before, {} did not wait for {}.", self.who, self.resource);
        }
        format!("Before, {} waited {before} of each second for {}.", self.who, self.resource)
    }
}

/// The part of waits in which those of a group are those of the host: two sentences about them would say one thing.
const HARDLY: f64 = 0.05;

/// Whether waits for IO are more than those of a program for its own reads, one by one: a queue lasts, or a program reads back what the
/// cache served before. Idle CPUs alone do not tell of a queue.
fn of_others(during: &Window<'_>, waits: &Waits) -> bool {
    let stalls = waits.source.name == derived::PSI_IO_SOME.name;
    let queue = during.busiest(|disk| during.queue(disk));
    queue.map_or(stalls, |(_, queue)| queue >= DEPTH) || !victim::all(during, None).is_empty()
}

/// The waits of the host for memory, without kswapd's. Programs that wait while it reclaims are hidden behind it, as with swap in compressed memory,
/// where it is busy all the time: what the kernel accounted for a program that ran before counts where that is more.
fn beside_kswapd(whole: &Window<'_>, span: Span, host: Harm) -> Harm {
    if kswapd_share(whole, span) < NOTICED {
        return host;
    }
    let during = whole.over(span);
    let ran = |one: &TimeLost| one.victim.as_command().is_some_and(|command| !newcomer::started(&during, command));
    let delays = delays::losses(whole, span).into_iter().filter(|one| one.resource == Resource::Memory && ran(one));
    let delays = delays.map(|one| Harm::new(Amount::new(one.share.min(1.0)), Amount::new(one.before), span));
    delays.chain(std::iter::once(host)).max_by(|a, b| a.lost().total_cmp(&b.lost())).unwrap_or(host)
}

/// Whether a finding is a growth of memory while the kernel neither frees nor swaps any: it costs nobody time yet.
pub(crate) fn takes_free_memory(whole: &Window<'_>, finding: &Finding) -> bool {
    let scarce = || {
        let during = whole.over(finding.range);
        let freed = during.host_turnover(&STOLEN);
        freed.is_none_or(|share| share >= TURNOVER) || during.swapped().is_some_and(Amount::is_positive)
    };
    rules::by_id(finding.rule).grows() && !scarce()
}

/// Whether the programs that wait for a CPU are those of a group that started with it, and nobody who ran before waits notably more.
fn of_itself(during: &Window<'_>) -> bool {
    newcomer::newcomer(during, &derived::PSI_CPU_SOME).is_some_and(|newcomer| newcomer.others < NOTICED)
}

/// The thread that computes all the time, of a finding that names its process.
fn busy_thread<'a>(during: &Window<'a>, finding: &Finding) -> Option<OneThread<'a>> {
    one_thread::busiest(during).filter(|one| finding.origins.has(&one.process.actor(during)))
}

/// The group of a thread that computes all the time: what is asked of it waits, and no pressure tells.
pub(crate) fn waits_inside(whole: &Window<'_>, finding: &Finding) -> Option<Actor> {
    let loss = rules::by_id(finding.rule).loss.filter(|loss| *loss == Loss::Cpu);
    let one = loss.and_then(|_| busy_thread(&whole.over(finding.range), finding))?;
    let mut leaves = group::leaves(whole.recording).into_iter();
    leaves.find(|leaf| group::contains(whole, leaf, one.process.name)).map(Actor::group)
}

/// What is asked of a single thread that computes all the time waits inside of it: for as long as it computes more than before.
fn in_one_thread(during: &Window<'_>, finding: &Finding) -> Option<Harm> {
    let one = busy_thread(during, finding)?;
    let (share, before) = (one.process.amount.get().min(1.0), one.before.get());
    Some(Harm::new(Amount::new(share), Amount::new(before), finding.range))
}

/// The service that sends one request at a time to a disk where it had several in flight, and comes to do half as much: it waits no longer than it did
/// then, but for each.
pub(crate) fn one_at_a_time<'a>(whole: &Window<'a>, finding: &Finding) -> Option<Quieter<'a>> {
    let disk = finding.origins.iter().find_map(Actor::as_disk).filter(|_| finding.rule == RuleId::LatencyBound)?;
    let slack = intervals(whole.recording, JOINED);
    let began = finding.range.from.earlier(slack)..=finding.range.from.later(slack);
    let service = quieter::of(whole).filter(|service| began.contains(&service.at))?;
    let sends = |(name, comm): (&str, &str)| {
        finding.origins.first_command() == Some(comm) && group::contains(whole, service.group, name)
    };
    let before = whole.over(Span { from: whole.span.from, to: service.at });
    let in_flight = before.queue(disk)?.get() / before.busy(disk).filter(|busy| busy.is_positive())?.get();
    (in_flight >= SEVERAL.get() && process::present(whole).any(sends)).then_some(service)
}

/// What such a service does not get done any more, as a share of the time.
fn undone(service: Quieter<'_>, span: Span) -> Harm {
    Harm::new(Amount::new(1.0 - 1.0 / service.fewer().get()), Amount::ZERO, span)
}

/// On which disk most requests wait.
fn queues(during: &Window<'_>) -> Option<String> {
    let (disk, queue) = during.busiest(|disk| during.queue(disk)).filter(|(_, queue)| *queue >= DEPTH)?;
    let time = during.disk_await(disk).map_or_else(String::new, |time| format!(", {time} per request"));
    let moved = mover(during, disk).unwrap_or_default();
    Some(format!(", mostly on {disk} with {:.1} requests in flight{time}{moved}", queue.get()))
}

/// Who reads or writes most of what a disk transfers, where one program does most of it.
fn mover(during: &Window<'_>, disk: &str) -> Option<String> {
    let rate = |derived| during.disk_bytes(disk, derived).unwrap_or(Amount::ZERO);
    let (read, written) = (rate(&derived::READ_BANDWIDTH), rate(&derived::WRITE_BANDWIDTH));
    let (metric, verb, all) =
        if written > read { ("write_bytes", "writes", written) } else { ("read_bytes", "reads", read) };
    let most = process::fastest::<Bytes>(during, &[metric]).filter(|most| most.amount >= all * MOST_OF_A_DISK)?;
    Some(format!("; {} {verb} {}", most.words(), most.amount))
}

/// Who reads back what the cache served before.
fn reads_back(during: &Window<'_>) -> Option<String> {
    Some(victim::words(&victim::all(during, None))).filter(|words| !words.is_empty()).map(|words| format!("; {words}"))
}

/// Who uses most of the CPUs.
fn runs(during: &Window<'_>) -> Option<String> {
    let process = process::fastest::<Count>(during, &["utime", "stime"])?;
    let cpus = during.recording.manifest.cpus;
    Some(format!("; {} uses {:.1} of {cpus} CPUs", process.words(), process.cpus().get()))
}

/// Whether a group did clearly more than before, by its CPU time: one that suffers does less.
fn busier(whole: &Window<'_>, span: Span, group: &str) -> bool {
    let used = |span| whole.over(span).derived::<Count>(Table::Cgroup, group, &derived::CPUS);
    let before = Span { from: whole.span.from, to: span.from };
    used(span)
        .zip(used(before))
        .is_some_and(|(now, before)| now >= before * BUSIER.get() && now - before >= NOTED.value())
}

/// The share of time in which tasks wait, and that before, as it is told: a wait for a page that was evicted or swapped out counts for memory and for IO
/// (`mm/filemap.c: folio_wait_bit_common`, 6.12), so it is no more than the largest of its parts; nor less than that of the group that suffers most, since
/// pressure of the host is a mean of its CPUs.
fn told(harm: Harm, losses: &[TimeLost]) -> [Amount<Ratio>; 2] {
    let of = |one: &TimeLost| [one.share, one.before].map(Amount::new);
    let by_cause = losses.iter().filter(|one| one.by_cause);
    let most = by_cause.clone().filter(|one| one.victim.as_command().is_none());
    let most = most.max_by(|a, b| a.share.total_cmp(&b.share)).map_or([harm.share, harm.before], of);
    let group = suffers_most(by_cause).map_or([Amount::ZERO; 2], of);
    let [share, before] = [harm.share.min(most[0]), harm.before.min(most[1])];
    [share.max(group[0]), before.max(group[1])]
}

/// Whether what a group waits for IO or memory is what jobs wait for their own work that began in it with a stretch.
fn of_jobs(whole: &Window<'_>, span: Span, (name, resource): (&str, Resource)) -> bool {
    resource != Resource::Cpu && job::waits_alone(&whole.over(span), name)
}

/// The same of a wait that is long enough to look at who waits.
fn works_for_itself(whole: &Window<'_>, span: Span, waits: (&str, Resource), harm: Harm) -> bool {
    harm.lost() >= MIN_LOST_TIME && of_jobs(whole, span, waits)
}

/// The time lost of each second. Less than 0.1 ms is below what PSI measures.
fn of_a_second(share: Amount<Ratio>) -> String {
    let lost = Amount::<Nanos>::new((share.get() * 1e4).round() * 1e5);
    if lost.is_positive() { lost.to_string() } else { NOTHING.to_owned() }
}

/// No time.
const NOTHING: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tasks_lost_is_no_more_than_one_wait_and_no_less_than_its_part() {
        let span = Span::new(0, 10_000_000_000);
        let lost = |victim: Actor, resource: Resource, share: f64| TimeLost {
            victim,
            resource,
            by_cause: true,
            busier: false,
            disk: None,
            share,
            before: 0.1,
            lost_ns: 1,
            source: String::new(),
        };
        let told = |share: f64, losses: &[TimeLost]| {
            told(Harm::new(Amount::new(share), Amount::new(0.2), span), losses).map(Amount::get)
        };
        let both = [Resource::Memory, Resource::Io].map(|one| lost(Actor::group("/app"), one, 0.72));
        assert_eq!(told(1.44, &both), [0.72, 0.1], "each wait counts for memory and for IO");
        let group = [lost(Actor::Host, Resource::Io, 0.143), lost(Actor::group("/app"), Resource::Io, 0.162)];
        assert_eq!(told(0.143, &group), [0.162, 0.1], "tasks of the group are tasks");
        assert_eq!(told(0.3, &[]), [0.3, 0.2], "nothing else is known");
    }
}
