//! `cpu-bound`: the host is short of CPU and not of memory.

use crate::actors::group;
use crate::actors::newcomer;
use crate::actors::one_thread::{self, CALLED, FEWER, FULL, INTERVAL, ONE, OneThread, SERVED, USED, WAITED};
use crate::actors::process::{self, ProcessShare};
use crate::evidence::threshold::IDLE;
use crate::evidence::{EvidenceBuilder, advise, word};
use crate::ledger::lost_time::Activity;
use crate::ledger::memory_waits;
use crate::measure::amount::{Amount, Count, Limit, Per, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::low_priority::RUNNING;
use crate::measure::queue;
use crate::measure::window::{REFAULTED, Window, stamps};
use crate::rules::contract::{EffectKind, Loss, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Finding, Ratio, Relation, RuleDoc, RuleId, Span, Table};

pub(crate) const RULE: Rule = Rule {
    name: "lack of CPU",
    leads_to: &[
        leads(
            EffectKind::CpuWaits,
            "More tasks are runnable than there are CPUs on which they may run.",
            "kernel/sched/psi.c: psi_task_change",
        ),
        leads(
            EffectKind::DiskBusy,
            "Kernel threads submit and complete requests, and wait for a CPU as programs do.",
            "block/blk-mq.c: blk_mq_run_work_fn, blk_done_softirq; kernel/softirq.c: wakeup_softirqd",
        ),
    ],
    subsumes: &[subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSlow])],
    loss: Some(Loss::Cpu),
    deciding_test: "CPU time of each process (`pidstat -u 1`) and cpu_steal.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::CpuBound,
            title: "Programs wait for a CPU, not for memory or a device",
            meaning: "All CPUs run tasks, and more tasks wait for one. Memory and devices are not the limit.",
            evidence: "CPUs are rarely idle (/proc/stat). Tasks wait for a CPU (psi_cpu_some), or more tasks are runnable than there are CPUs. \
                The waits of processes that were told to give way (a nice value above 0, SCHED_IDLE) do not count, as far as their own counters explain \
                the pressure (run_delay). Waits for memory (psi_memory_some) and refaults contradict it. With idle CPUs a control group may still be at its own limit: it \
                is throttled in its periods (cpu.stat), or its tasks wait most of the time. Or tasks wait most of the time for CPUs that are full \
                while others idle: an affinity binds them. Or one program that mostly waited before uses all of one CPU, and no more: requests wait \
                inside of its thread, which no counter of the kernel shows. If it used more before, it is told by its read and write calls, which become far \
                fewer: each costs more.",
            metrics: &[
                "cpu_user",
                "cpu_nice",
                "cpu_system",
                "cpu_idle",
                "cpu_iowait",
                "cpu_irq",
                "cpu_softirq",
                "cpu_steal",
                "psi_cpu_some",
                "psi_memory_some",
                "procs_running",
                "num_threads",
                "cpu_throttled",
                "cpu_periods",
                "cpu_max",
                "workingset_refault_file",
                "nice",
                "policy",
                "run_delay",
                "state",
                "utime",
                "stime",
                "syscr",
                "syscw",
            ],
            thresholds: &[
                IDLE.doc(),
                QUEUED.doc(),
                NEW.doc(),
                MOSTLY.doc(),
                RESTS.doc(),
                HELD.doc(),
                THROTTLED.doc(),
                FREE.doc(),
                BOUND.doc(),
                NAMED.doc(),
                STOLEN.doc(),
                FULL.doc(),
                INTERVAL.doc(),
                ONE.doc(),
                USED.doc(),
                SERVED.doc(),
                FEWER.doc(),
                CALLED.doc(),
                WAITED.doc(),
            ],
            why: "More tasks are runnable than there are CPUs, so each waits its turn.",
            alternatives: "Reclaim and compaction use CPU too: a busy kswapd is an effect of a memory shortage. A hypervisor may take CPU time away (cpu_steal).",
            advice: "Find the processes that use the CPUs. More memory or a faster disk changes nothing.",
            mglru: "Not used: of reclaim, the rule reads only the share of memory that refaults. The time that kswapd needs to walk page tables counts as its CPU time.",
            kernel: "Linux 6.12: kernel/sched/core.c: try_to_wake_up; kernel/sched/psi.c: psi_task_change; kernel/sched/cputime.c: account_user_time.",
        },
        examine,
    )
};

const QUEUED: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for a CPU",
    0.2,
    "Every host that runs several tasks has short waits.",
    "judgement",
);
const NEW: Limit<Ratio> = Limit::new(
    "rise of CPU pressure on a host whose CPUs were often idle",
    0.3,
    "Pressure that was there before is not an incident.",
    "judgement",
);
const MOSTLY: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for a CPU, on CPUs that idle for IO in between",
    0.5,
    "Tasks that wait for a CPU most of the time are short of CPU, even if the CPU rests while all of them wait for a device.",
    "judgement",
);
const RESTS: Limit<Ratio> = Limit::new(
    "share of CPU time idle or in iowait then, at most",
    0.3,
    "With more, one CPU is busy and others are free.",
    "judgement",
);
const HELD: Limit<Ratio> = Limit::new(
    "share of time that a group's tasks wait for a CPU while CPUs are free",
    0.8,
    "A group at its CPU limit waits for the rest of each 100 ms period.",
    "kernel/sched/fair.c: throttle_cfs_rq (6.12)",
);
const THROTTLED: Limit<Ratio> = Limit::new(
    "share of the cpu.max periods in which a group is throttled",
    0.25,
    "A burst uses up only some periods.",
    "kernel/sched/fair.c: throttle_cfs_rq (6.12), and judgement",
);
const FREE: Limit<Ratio> = Limit::new(
    "share of CPU time idle or in iowait meanwhile",
    0.5,
    "A task that is allowed to run finds a free CPU.",
    "judgement",
);
const BOUND: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for a CPU, where some are full and others free",
    0.5,
    "The scheduler moves a waiting task to an idle CPU within milliseconds, unless the task may not run there.",
    "kernel/sched/fair.c: sched_balance_newidle, can_migrate_task (6.12)",
);
const NAMED: Limit<Ratio> = Limit::new(
    "one command's share of the busy CPUs",
    0.1,
    "With less, many short programs use them, and no single one is the cause.",
    "judgement",
);
const STOLEN: Limit<Ratio> = Limit::new(
    "share of CPU time that the hypervisor takes, at least, to be reported",
    0.1,
    "Less is common on shared hosts.",
    "judgement",
);

/// A control group that is throttled, or whose tasks wait for a CPU, while the CPUs idle: its own limit keeps them from running.
fn limited(window: &Window<'_>) -> Option<Finding> {
    // The limit lasts, and the stretch of another signal may be short.
    let whole = Window::whole(window.recording, window.episodes)?;
    // The root has no limit: who waits there waits for the host's CPUs.
    let below = window.recording.entities(Table::Cgroup).filter(|(group, _)| *group != group::ROOT);
    let groups = below.filter_map(|(group, _)| {
        let throttled = || whole.held(SignalSpec::cgroup(group, &derived::CPU_THROTTLED), THROTTLED.value());
        let waits = || whole.held(SignalSpec::cgroup(group, &derived::PSI_CPU_SOME), HELD.value());
        let held = throttled().or_else(waits)?;
        held.overlaps(window.span).then_some((group, held))
    });
    // The groups above it wait as well.
    let (group, span) = groups.max_by_key(|(group, _)| group.matches('/').count())?;
    let during = window.over(span);
    // A job that starts below a limit of its own is what that limit is for. Below a limit of a parent others wait with it.
    let own = during.derived::<Ratio>(Table::Cgroup, group, &derived::CPU_THROTTLED).is_some_and(Amount::is_positive);
    if own && !Activity::of(window.recording, window.episodes, group).before(span.from) {
        return None;
    }
    let waited = during.derived::<Ratio>(Table::Cgroup, group, &derived::PSI_CPU_SOME)?;
    let idle = during.idle()?;
    // Where the kernel counts that it throttles the group, that is what the group waits for as long as a CPU would be free.
    let free = if own { IDLE } else { FREE };
    if idle < free.value() || during.span.length() < queue::least(during.recording) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    found.origin(Actor::group(group));
    let what = "share of time that the group's tasks wait for a CPU";
    found.compare(
        1.5 + grade(waited, 0.8, 0.95),
        what,
        format!("{} of the group", during.source_of_cpu_waits(Some(group))),
        waited,
        Relation::Above,
        HELD.value(),
    );
    let what = "share of CPU time idle or in iowait";
    found.compare(1.0, what, "cpu_idle + cpu_iowait", idle, Relation::Above, FREE.value());
    let throttled = during.derived::<Ratio>(Table::Cgroup, group, &derived::CPU_THROTTLED);
    let why = throttled.filter(|share| share.is_positive()).map_or_else(
        || "a limit of the group or of a parent (cpu.max) keeps them from running.".to_owned(),
        |share| {
            let what = "share of the cpu.max periods in which the group was throttled";
            let source = "cpu_throttled / cpu_periods of the group";
            found.compare(1.0, what, source, share, Relation::Above, THROTTLED.value());
            let limit = during.level::<Count>(Table::Cgroup, group, "cpu_max").map(|limit| limit.most.get() / 1e6);
            let limit = limit.map_or_else(|| "its limit".to_owned(), |cpus| format!("its limit of {cpus:.2} CPUs"));
            format!("{limit} (cpu.max) keeps them from running. It was throttled in {share} of its periods.")
        },
    );
    let statement = format!(
        "Tasks of the control group {group} waited for a CPU {waited} of the time while the CPUs were {idle} idle: {why}"
    );
    let advice = advise(
        "Raise the CPU limit of the group, or find the task that uses it up.",
        Some(&format!("cat {0}/cpu.max {0}/cpu.stat", word(group))),
        "nr_throttled of cpu.stat rises while the limit holds. The command only reads.",
        None,
    );
    found.finish(RuleId::CpuBound, statement, vec![advice])
}

fn examine(window: &Window<'_>) -> Option<Finding> {
    pinned(window).or_else(|| limited(window)).or_else(|| of_host(window)).or_else(|| of_one_thread(window))
}

/// A program that computes on one CPU all the time: its requests wait for each other inside of it, which no counter of the kernel shows.
fn of_one_thread(window: &Window<'_>) -> Option<Finding> {
    let OneThread { process, before, calls, span } = one_thread::busiest(window)?;
    let during = window.over(span);
    let only = window.recording.manifest.cpus == 1;
    // With less, more threads would not run either.
    let idle = during.idle().filter(|idle| only || *idle >= IDLE)?;
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    found.origin(process.actor(window));
    let what = format!("CPUs that {} uses", process.words());
    found.compare(1.5, what, "utime + stime", process.amount, Relation::Above, before);
    let relation = if idle >= IDLE { Relation::Above } else { Relation::Below };
    let what = "share of CPU time idle or in iowait";
    found.compare(0.5, what, "cpu_idle + cpu_iowait", idle, relation, IDLE.value());
    let fewer = calls.map_or(String::new(), |[before, since]| {
        let what = format!("read and write calls of {}", process.words());
        found.compare(0.5, what, "syscr + syscw", since, Relation::Below, before);
        format!(" It calls read and write {since} ({before} before): each request costs more.")
    });
    let (used, before) = (process.amount.get(), before.get());
    let others = if only {
        "all that there is. What is asked of it meanwhile waits inside of it".to_owned()
    } else {
        format!(
            "while the CPUs are {idle} idle. A single thread cannot use the others, and what is asked of it meanwhile waits inside of it"
        )
    };
    let words = process.words();
    let statement = format!(
        "{words} computes all the time on one CPU: it uses {used:.2} CPUs ({before:.2} before), {others}.{fewer}"
    );
    let (action, effect) = if only {
        ("Find what it computes, and make that cheaper; or add CPUs.", "More memory or a faster disk change nothing.")
    } else {
        (
            "Find what the thread computes. Make that cheaper, or let more threads or processes share it.",
            "More memory, a faster disk or more CPUs change nothing.",
        )
    };
    let command = format!("perf top -p {}", process::pid(process.name));
    let advice = advise(action, Some(&command), &format!("The command only reads. {effect}"), None);
    found.finish(RuleId::CpuBound, statement, vec![advice])
}

/// CPUs that are full while others are free, by name.
fn full_beside_free<'a>(during: &Window<'a>) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let idle = |cpu: &str| {
        let share = |derived| during.derived::<Ratio>(Table::Cpu, cpu, derived);
        Some(share(&derived::CPU_IDLE)? + share(&derived::CPU_IOWAIT).unwrap_or(Amount::ZERO))
    };
    let all = during.recording.entities(Table::Cpu).filter_map(|(cpu, _)| Some((cpu, idle(cpu)?)));
    let all: Vec<(&str, Amount<Ratio>)> = all.collect();
    let names = |of: &dyn Fn(Amount<Ratio>) -> bool| -> Vec<&'a str> {
        all.iter().filter(|(_, idle)| of(*idle)).map(|(cpu, _)| *cpu).collect()
    };
    let (full, free) = (names(&|idle| idle <= IDLE.value()), names(&|idle| idle >= FREE.value()));
    (!full.is_empty() && !free.is_empty()).then_some((full, free))
}

/// Tasks of a group, or of the host, that wait for CPUs that are full while others idle.
struct Bound<'a> {
    group: Option<&'a str>,
    during: Window<'a>,
    waited: Amount<Ratio>,
    full: Vec<&'a str>,
    free: Vec<&'a str>,
}

/// The longest time with a part in a window for which the tasks of a group, or of the host, are so bound. A group that is throttled waits for its own limit.
fn bound<'a>(window: &Window<'a>, group: Option<&'a str>) -> Option<Bound<'a>> {
    let held = Window::whole(window.recording, window.episodes)?
        .held(SignalSpec::of_group(group, &derived::PSI_CPU_SOME), BOUND.value())
        .filter(|held| held.length() >= queue::least(window.recording) && held.overlaps(window.span))?;
    let during = window.over(held);
    let of = |derived| match group {
        Some(group) => during.derived::<Ratio>(Table::Cgroup, group, derived),
        None => during.share(derived),
    };
    if group.is_some() && of(&derived::CPU_THROTTLED).is_some_and(|share| share >= THROTTLED) {
        return None;
    }
    let (full, free) = full_beside_free(&during)?;
    Some(Bound { group, during, waited: of(&derived::PSI_CPU_SOME)?, full, free })
}

/// Tasks that wait for CPUs that are full while others idle: they may not run on those.
fn pinned(window: &Window<'_>) -> Option<Finding> {
    window.recording.entities(Table::Cpu).nth(1)?;
    let groups = group::leaves(window.recording);
    let places: Vec<Option<&str>> = if groups.is_empty() { vec![None] } else { groups.into_iter().map(Some).collect() };
    let all = places.into_iter().filter_map(|group| bound(window, group));
    let Bound { group, during, waited, full, free } = all.max_by(|a, b| a.waited.total_cmp(&b.waited))?;
    let mut found = EvidenceBuilder::new(window);
    found.span(during.span);
    let (whose, of) = group.map_or_else(
        || ("Tasks".to_owned(), String::new()),
        |group| {
            found.origin(Actor::group(group));
            (format!("Tasks of the control group {group}"), " of the group".to_owned())
        },
    );
    let source = format!("{}{of}", during.source_of_cpu_waits(group));
    let what = "share of time that tasks wait for a CPU";
    found.compare(1.5 + grade(waited, 0.5, 0.9), what, source, waited, Relation::Above, BOUND.value());
    let count = |cpus: &[&str]| Amount::<Count>::new(cpus.len() as f64);
    found.add(1.0, "CPUs that are full", "cpu_idle + cpu_iowait of each CPU", count(&full));
    found.add(1.0, "CPUs that are idle at least half of the time", "cpu_idle + cpu_iowait of each CPU", count(&free));
    let most = process::fastest::<Count>(&during, &["utime", "stime"]);
    let who = most.filter(|most| most.cpus().get() >= full.len() as f64 * NAMED.get()).map_or(String::new(), |most| {
        found.origin(most.actor(window));
        format!(" {} uses {:.1} of {} CPUs.", most.words(), most.cpus().get(), window.recording.manifest.cpus)
    });
    let statement = format!(
        "{whose} waited for a CPU {waited} of the time: {} {} full, while {} {} idle at least half of the time. An affinity (taskset, cpuset.cpus, \
         an isolated CPU) keeps them from the idle ones.{who}",
        listed(&full),
        if full.len() == 1 { "is" } else { "are" },
        listed(&free),
        if free.len() == 1 { "is" } else { "are" },
    );
    let advice = advise(
        "Let the tasks run on the idle CPUs, or move the others away from the full ones.",
        Some("taskset -cp PID; cat /sys/fs/cgroup/GROUP/cpuset.cpus.effective"),
        "The commands only read. `taskset -cp LIST PID` changes the CPUs that a process may use.",
        None,
    );
    found.finish(RuleId::CpuBound, statement, vec![advice])
}

/// CPUs in words, a few by name.
fn listed(cpus: &[&str]) -> String {
    match cpus {
        [one] => format!("CPU {one}"),
        few if few.len() <= 4 => format!("CPUs {}", few.join(", ")),
        many => format!("{} CPUs", many.len()),
    }
}

/// The longest time of the recording, with a part in this stretch, for which tasks wait for a CPU clearly more than usual.
fn waits_more(window: &Window<'_>, waits: SignalSpec<'_>, usual: Amount<Ratio>) -> Option<Span> {
    let whole = Window::whole(window.recording, window.episodes)?;
    whole.held(waits, usual + NEW.value()).filter(|span| span.overlaps(window.span))
}

/// The same of all tasks.
fn queues_more(window: &Window<'_>) -> Option<Span> {
    let waits = SignalSpec::derived(&derived::PSI_CPU_SOME);
    waits_more(window, waits, window.baseline().mean(waits)?)
}

/// Whether CPUs were often free before a stretch, and tasks queue for them clearly more than then.
fn was_free(during: &Window<'_>) -> bool {
    let Some(earlier) = during.baseline().all() else { return false };
    let queued = |window: &Window<'_>| window.share(&derived::PSI_CPU_SOME);
    let more = queued(during).zip(queued(&earlier)).is_some_and(|(queued, before)| queued >= before + NEW.value());
    more && earlier.idle().is_some_and(|idle| idle >= RESTS)
}

/// The longest time, with a part in this stretch, for which a service waits for a CPU clearly more than before. On CPUs that are always full, the host
/// waits as long as before, whoever it is that waits.
fn service_waits(window: &Window<'_>) -> Option<Span> {
    let held = group::leaves(window.recording).into_iter().filter_map(|group| {
        let waits = SignalSpec::cgroup(group, &derived::PSI_CPU_SOME);
        let usual = window.episodes.signal(window.recording, waits)?.baseline()?;
        let held = waits_more(window, waits, usual)?;
        Activity::of(window.recording, window.episodes, group).before(held.from).then_some(held)
    });
    held.max_by_key(|held| held.length()).filter(|held| held.length() >= queue::least(window.recording))
}

fn of_host(window: &Window<'_>) -> Option<Finding> {
    // Most stretches need no look at the whole recording.
    if window.idle()?.get() > 0.7 {
        return None;
    }
    // A CPU that was half idle cannot run four times as much, but tasks that queue for it stand out from none.
    let queued = window.unusual(SignalSpec::derived(&derived::PSI_CPU_SOME)).or_else(|| queues_more(window));
    let queued = queued.or_else(|| service_waits(window));
    let span = queued.unwrap_or_else(|| window.when(SignalSpec::host(&["cpu_user", "cpu_nice", "cpu_system"])));
    let during = window.over(span);
    let idle = during.idle()?;
    let waited = during.share(&derived::PSI_CPU_SOME);
    // Where tasks queued for a CPU before, that they do is no incident, but where a CPU was often free and is no more; and at the start of a
    // recording nobody knows.
    let before = window.baseline().until(span.from)?.share(&derived::PSI_CPU_SOME);
    let worse = || was_free(&during) || service_waits(window).is_some_and(|service| service.overlaps(span));
    if before.is_some_and(|before| before >= QUEUED) && !(idle <= IDLE.value() && worse()) {
        return None;
    }
    let runnable = during.host_level::<Count>("procs_running").map(|level| level.mean - give_way(&during));
    let cpus = Amount::<Count>::new(f64::from(window.recording.manifest.cpus).max(1.0));
    let many = runnable.is_some_and(|tasks| tasks > cpus + Amount::new(1.0));
    // The sampler itself is runnable while it counts, so the count decides only without pressure stall information.
    let queues = waited.map_or(many, |waited| waited >= QUEUED);
    // A CPU that waits for IO is no limit: what waits for the device would run.
    let for_io = during.share(&derived::CPU_IOWAIT).unwrap_or(Amount::ZERO);
    let mostly = idle <= RESTS.value() && for_io <= IDLE.value() && waited.is_some_and(|waited| waited >= MOSTLY);
    let full = idle <= IDLE.value() && queues;
    if !(full || mostly) || during.span.length() < queue::least(during.recording) {
        return None;
    }
    let pressure = memory_waits::memory_waits(&during);
    let refaulted = during.host_bytes(&REFAULTED).and_then(|rate| window.turnover(rate));
    if pressure.is_none() && refaulted.is_none() || window.memory().is_none() {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    found.span(span);
    let weight = if full { 1.0 + grade(idle, 0.1, 0.02) } else { 0.0 };
    let what = "share of CPU time idle or in iowait";
    found.compare(weight, what, "cpu_idle + cpu_iowait", idle, Relation::Below, IDLE.value());
    if let Some(waited) = waited {
        let source = during.source_of_cpu_waits(None);
        found.add(grade(waited, 0.1, 0.6), "share of time that tasks wait for a CPU", source, waited);
    }
    if let Some(runnable) = runnable {
        found.compare(0.0, "runnable tasks", "procs_running", runnable, Relation::Above, cpus);
    }
    if let Some(pressure) = pressure {
        let weight = if pressure.get() > 0.05 { -2.0 } else { 0.5 };
        found.add(weight, "share of time that tasks wait for memory", "psi_memory_some", pressure);
    }
    if let Some(refaulted) = refaulted {
        let weight = if refaulted.get() > 0.01 { -1.5 } else { 0.5 };
        found.add(weight, "refaulted bytes per minute, as a share of memory", "workingset_refault_file", refaulted);
    }
    let busy = cpus * (1.0 - idle.get());
    let most = process::fastest::<Count>(&during, &["utime", "stime"]).filter(|process| process.cpus() >= busy * NAMED);
    let who = most.map_or(String::new(), |process| {
        let used = process.cpus();
        found.note(format!("CPUs that {} used", process.words()), "utime + stime", used);
        found.origin(process.actor(window));
        let all = window.recording.manifest.cpus;
        format!("{} uses {:.1} of {all} CPU{}", process.words(), used.get(), if all == 1 { "" } else { "s" })
    });
    let who = if who.is_empty() { String::new() } else { format!("; {who}") };
    // Nobody can run less because of what a hypervisor takes.
    let stolen = during.share(&derived::CPU_STEAL).filter(|stolen| *stolen >= STOLEN);
    let stolen = stolen.map_or(String::new(), |stolen| {
        found.note("share of CPU time that the hypervisor took", "cpu_steal", stolen);
        format!(" The hypervisor took {stolen} of the CPU time (steal).")
    });
    let memory = match pressure {
        Some(share) if share.get() >= 0.001 => format!(" Tasks waited for memory {share} of the time."),
        Some(_) => " No task waited for memory.".to_owned(),
        None => String::new(),
    };
    let waited = waited.map_or(String::new(), |waited| format!("tasks waited for a CPU {waited} of the time; "));
    let statement = format!("CPU-bound: {waited}the CPUs were {idle} idle or in iowait{who}.{stolen}{memory}");
    let action = if stolen.is_empty() {
        fewer(&during, most)
    } else {
        "Ask the provider of the virtual machine about the stolen CPU time, or move it to another host.".to_owned()
    };
    let advice = advise(&action, Some("pidstat -u 1 5"), "The command only reads. More memory does not help.", None);
    found.finish(RuleId::CpuBound, statement, vec![advice])
}

/// The processes that can run and were told to give way to others: the mean of samples.
fn give_way(during: &Window<'_>) -> Amount<Count> {
    let runs = |name: &str| {
        let states = during.series(Table::Process, name, "state")?;
        let running = during.points::<Count>(&states).filter(|(_, state)| state.get() == RUNNING as f64).count();
        let samples = stamps(during.recording, during.span).count();
        (samples > 0).then(|| running as f64 / samples as f64)
    };
    let all = process::present(during).map(|(name, _)| name);
    let low = all.filter(|name| process::is_of_low_priority(during, name));
    Amount::new(low.filter_map(runs).sum())
}

/// How to use the CPUs less: a program that came can run later, a service that ran before has to do less for each request.
fn fewer(during: &Window<'_>, most: Option<ProcessShare<'_, Per<Count>>>) -> String {
    match most {
        Some(one) if process::is_of_low_priority(during, one.name) => format!(
            "Run {} at another time, or limit its CPU time (cpu.max), or add CPUs: it runs at low priority already.",
            one.comm
        ),
        Some(one) if !newcomer::started(during, one.comm) => {
            format!("Find what {} computes, and make that cheaper; or add CPUs.", one.comm)
        }
        Some(one) if threads(during, one.comm) > f64::from(during.recording.manifest.cpus) + one.processes as f64 => {
            format!("Run {} with fewer threads, at a lower priority (nice, CPUWeight), or add CPUs.", one.comm)
        }
        Some(one) if one.processes > 1 => {
            format!(
                "Run fewer processes of {} at a time, at a lower priority (nice, CPUWeight), or add CPUs.",
                one.comm
            )
        }
        Some(one) => format!("Run {} at a lower priority (nice, CPUWeight) or at another time, or add CPUs.", one.comm),
        None => "Find the processes that use the CPUs. Run fewer at a time, or add CPUs.".to_owned(),
    }
}

/// The threads of the processes of a command.
fn threads(during: &Window<'_>, comm: &str) -> f64 {
    let own = process::present(during).filter(|(_, other)| *other == comm);
    own.filter_map(|(name, _)| Some(during.level::<Count>(Table::Process, name, "num_threads")?.most.get())).sum()
}
