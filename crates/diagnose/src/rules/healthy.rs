//! `healthy`: nothing is wrong, with the numbers that show it.

use crate::actors::group;
use crate::actors::io_limit::{self, DEMANDED};
use crate::actors::newcomer;
use crate::actors::one_thread::{self, FULL, OneThread, SERVED};
use crate::evidence::EvidenceBuilder;
use crate::evidence::threshold::{FAULTS, MECHANICAL, PRESSURE, STALL_RATE, TURNOVER};
use crate::ledger::blocked;
use crate::ledger::memory_waits;
use crate::ledger::quieter;
use crate::ledger::quieter::{FEWER, HALF};
use crate::ledger::restarted;
use crate::ledger::waits::{MIN_LOST_TIME, NO_REQUEST, THROUGHOUT, throughout, without_requests};
use crate::measure::amount::{Amount, Limit, grade};
use crate::measure::cgroup_version;
use crate::measure::coverage;
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{REFAULTED, Window};
use crate::rules::contract::{Role, Rule, Scope};
use pagetide_core::derived;
use pagetide_core::{Finding, Ratio, Relation, RuleDoc, RuleId, Table};

pub(crate) const RULE: Rule = Rule {
    name: "nothing",
    role: Role::Benign,
    scope: Scope::Whole,
    deciding_test: "Pressure stall information over the same time.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::Healthy,
            title: WELL,
            meaning: "Programs get their memory and pages without waiting. Devices may be busy and memory may be full: a full page cache is \
                normal.",
            evidence: "Tasks rarely wait for memory (psi_memory_some without kswapd's CPU time), or for less than a service notices, or only in \
                a control group that has just started. Where that is not recorded, direct reclaims are rare. Tasks do not wait for IO most of \
                the time with requests slower than a seek, or while devices have none. The read and write \
                calls of no service fell to half at once, and no program came to spend most of its time in uninterruptible sleep, or stopped again and \
                again by a profiler or a debugger. Programs that somebody suspended, by a signal or in a frozen control group, do not count. A service without such calls is judged by its CPU time or its requests to disks: none fell to \
                a third, and a fall to half argues against, as does a program at rest that comes to compute all the time on one CPU. Little memory refaults or comes back from swap. The recording has enough samples of \
                reclaim, memory and devices. It is only reported when no rule found a cause, or where what was found cost \
                jobs alone their time.",
            metrics: &[
                "psi_memory_some",
                "psi_io_some",
                "psi_cpu_some",
                "nice",
                "policy",
                "run_delay",
                "workingset_refault_file",
                "pswpin",
                "allocstall",
                "pgmajfault",
                "io_ms",
                "util",
            ],
            thresholds: &[
                PRESSURE.doc(),
                IO.doc(),
                MORE.doc(),
                THROUGHOUT.doc(),
                NO_REQUEST.doc(),
                MECHANICAL.doc(),
                CPU.doc(),
                GAVE_WAY.doc(),
                TURNOVER.doc(),
                STALL_RATE.doc(),
                FAULTS.doc(),
                MIN_LOST_TIME.doc(),
                blocked::SHARE.doc(),
                restarted::RESTS.doc(),
                quieter::BEFORE.doc(),
                FEWER.doc(),
                HALF.doc(),
                quieter::CALLED.doc(),
                quieter::USED.doc(),
                quieter::SENT.doc(),
                FULL.doc(),
                SERVED.doc(),
            ],
            why: "The kernel fills memory with file data and frees it on demand. Neither little free memory nor reclaim is a sign of trouble.",
            alternatives: "Something between two samples that left no counter, or a program that waits for a lock, the network or another host.",
            advice: "Nothing. If programs are slow all the same, check CPU, locks and the network.",
            mglru: "Refaults are counted since Linux 6.5. Linux 6.1 to 6.4 count only those of the newest evicted generation, so there the waits for memory and devices decide.",
            kernel: "Linux 6.12: kernel/sched/psi.c: psi_memstall_enter; mm/workingset.c: workingset_refault.",
        },
        examine,
    )
};

pub(crate) const WELL: &str = "Nothing is wrong with memory and devices";

const IO: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for IO, at least, to be reported",
    0.1,
    "A program that reads or writes waits for its own requests. New waits are an incident.",
    "judgement",
);

const MORE: Limit<Ratio> = Limit::new(
    "rise of that share above its lower quartile that argues against a healthy host",
    0.3,
    "A third of the time is a lot for one program's own reads.",
    "judgement",
);

const CPU: Limit<Ratio> = Limit::new(
    "share of time that tasks wait for a CPU, at least, to be reported",
    0.5,
    "New waits for a CPU are an incident. Waits throughout the recording may be this host's normal load.",
    "judgement",
);

const GAVE_WAY: Limit<Ratio> = Limit::new(
    "share of time that low-priority processes alone wait for a CPU, at least, to be reported",
    0.1,
    "It explains a pressure that others would see.",
    "judgement",
);

fn examine(window: &Window<'_>) -> Option<Finding> {
    if !coverage::gaps(window.recording).is_empty() {
        return None;
    }
    window.memory()?;
    // A host whose tasks wait is not called healthy, whatever the other numbers say.
    let waits = memory_waits::troubling(window).is_some() || throughout(window).is_some();
    if waits || without_requests(window).is_some() || blocked::of(window).is_some() || restarted::of(window).is_some() {
        return None;
    }
    // Whether a service has less to do, or waits for what the kernel does not count, cannot be told.
    let quieter = quieter::of(window);
    if quieter.is_some_and(|quieter| quieter.hardly_works()) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let refaulted = window.host_turnover(&REFAULTED);
    let pressure = memory_waits::memory_waits(window);
    let waits = pressure.filter(|share| *share >= PRESSURE);
    // A short stretch may consist of a wait that no service notices.
    let brief = waits.and_then(|share| memory_waits::brief(share, window.span));
    let own = waits.and_then(|_| newcomer::newcomer(window, &derived::PSI_MEMORY_SOME));
    let numbers = [
        ("share of time that tasks wait for memory", "psi_memory_some", pressure, PRESSURE),
        ("refaulted bytes per minute, as a share of memory", "workingset_refault_file", refaulted, TURNOVER),
        (
            "bytes swapped in per minute, as a share of memory",
            "pswpin",
            window.host_turnover(&derived::SWAP_IN),
            TURNOVER,
        ),
    ];
    let mut known = 0;
    for (what, source, value, limit) in numbers {
        let Some(value) = value else { continue };
        known += 1;
        let calm = value < limit || source == "psi_memory_some" && (own.is_some() || brief.is_some());
        let weight = if calm { 0.5 + grade(value, limit.get(), limit.get() * 0.1) } else { -3.0 };
        found.compare(weight, what, source, value, Relation::Below, limit.value());
    }
    if let Some(stalls) = window.host(&derived::DIRECT_RECLAIMS) {
        known += 1;
        let weight = if stalls < STALL_RATE { 0.5 } else { -2.0 };
        found.compare(weight, "direct reclaims", "allocstall, all zones", stalls, Relation::Below, STALL_RATE.value());
    }
    if let Some(faults) = window.host(&derived::MAJOR_FAULTS) {
        known += 1;
        found.add(if faults < FAULTS { 0.5 } else { -0.5 }, "major faults", "pgmajfault", faults);
    }
    for disk in window.disks() {
        let (Some(busy), Some(time)) = (window.busy(disk), window.disk_await(disk)) else { continue };
        found.note(format!("share of time that {disk} is busy"), "io_ms or util", busy);
        found.note(format!("time per request of {disk}"), "read_ms + write_ms per request, or await_ms", time);
    }
    if known < 2 || window.recording.entities(Table::Disk).next().is_none() {
        return None;
    }
    // The worst moment counts too: a mean over a long recording hides a minute of trouble.
    let worst = window.episodes.signal(window.recording, SignalSpec::derived(&derived::PSI_MEMORY_SOME));
    if let Some(worst) = worst.and_then(|signal| signal.most::<Ratio>(window.span)) {
        let weight = if worst.get() > 0.2 && brief.is_none() { -1.0 } else { 0.0 };
        found.add(weight, "share of time that tasks wait for memory, in the worst interval", "psi_memory_some", worst);
    }
    let own = own.map_or(String::new(), |newcomer| format!(" (in {}, which started meanwhile)", newcomer.group));
    let waited = match pressure {
        _ if let Some(brief) = brief => format!("tasks waited for memory {brief} in total"),
        Some(memory) => format!("tasks waited for memory {memory} of the time{own}"),
        None => "no rule found a problem".to_owned(),
    };
    let for_io = window.share(&derived::PSI_IO_SOME).filter(|io| brief.is_none() && pressure.is_some() && *io >= IO);
    let for_io = for_io.map(|io| {
        // A program that waits for its own reads alone harms nobody, but whether it should read is not known.
        let usual = window.episodes.signal(window.recording, SignalSpec::derived(&derived::PSI_IO_SOME));
        let usual = usual.and_then(|signal| signal.baseline()).unwrap_or(io);
        let rose = io >= usual + MORE.value();
        // Waits throughout the recording may be this host's normal load, or began before it.
        let weight = if rose { -3.0 } else { -2.5 * grade(io, IO.get(), THROUGHOUT.get()) };
        found.compare(weight, "share of time that tasks wait for IO", "psi_io_some", io, Relation::Above, usual);
        let who = waits_most(window, io).unwrap_or_default();
        if rose {
            let text = format!(" But tasks waited for IO {io} of the time ({usual} in quiet times).{who}");
            ("No rule found a problem with memory or devices", text)
        } else {
            (WELL, format!(" Tasks waited for IO {io} of the time, with no new queue at a device.{who}"))
        }
    });
    let (head, for_io) = for_io.unwrap_or((WELL, String::new()));
    // CPUs that are busy throughout have no onset, so no rule reports them.
    let cpu = window.share(&derived::PSI_CPU_SOME).filter(|share| *share >= CPU);
    let cpu = cpu.map_or(String::new(), |share| {
        // Memory and devices are well; whether the whole host is cannot be told from this.
        found.add(-2.5, "share of time that tasks wait for a CPU", "psi_cpu_some", share);
        format!(" Tasks waited for a CPU {share} of the time, from start to end.")
    });
    let gave_way = window.gives_way(None);
    let gave_way = if gave_way >= GAVE_WAY {
        found.note("share of time that low-priority processes alone wait for a CPU", "psi_cpu_some", gave_way);
        format!(
            " Low-priority processes (nice, SCHED_IDLE) waited for a CPU {gave_way} of the time, as they were told to."
        )
    } else {
        String::new()
    };
    let quieter = quieter.map_or(String::new(), |quieter| {
        found.compare(
            -2.5,
            "work of a service before, relative to that after",
            "syscr + syscw, cpu_usage, or rios + wios",
            quieter.fewer(),
            Relation::Above,
            HALF.value(),
        );
        format!(" {}", quieter.words(window))
    });
    let woken = one_thread::woken(window).map_or(String::new(), |OneThread { process, before, span, .. }| {
        let words = process.words();
        let what = format!("CPUs that {words} uses");
        found.compare(-2.5, what, "utime + stime", process.amount, Relation::Above, before);
        let from = span.from.since(window.span.from);
        format!(
            " From {from} into the recording on, {words} has kept one CPU busy, and was idle before: a job, or a request that never ends. \
             Anything else asked of it has to wait, which no counter shows."
        )
    });
    let statement = format!("{head}: {waited}{}.{for_io}{cpu}{gave_way}{quieter}{woken}", read_again(refaulted));
    found.finish(RuleId::Healthy, statement, Vec::new())
}

/// The part of the host's waits for IO that a group has, at least, to be named for them.
const MIN_SHARE_OF_IO_WAITS: f64 = 0.5;

/// Which group waits for IO most, as a sentence, and the IO limit that it comes nearest to.
fn waits_most(window: &Window<'_>, io: Amount<Ratio>) -> Option<String> {
    let groups = group::leaves(window.recording).into_iter();
    let waits =
        groups.filter_map(|group| Some((group, window.derived::<Ratio>(Table::Cgroup, group, &derived::PSI_IO_SOME)?)));
    let (group, share) = waits
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .filter(|(_, share)| *share >= io * MIN_SHARE_OF_IO_WAITS)?;
    let limit = io_limit::nearest(window, Some(group)).filter(|limit| limit.used() >= DEMANDED);
    let v1 = cgroup_version::is_v1(window.recording);
    let limit = limit.map_or(String::new(), |limit| format!(" {}.", limit.words(v1)));
    Some(format!(" {group} waited most: {share} of the time.{limit}"))
}

/// What was read again after reclaim had evicted it, a minute and as a share of memory, in words.
fn read_again(refaulted: Option<Amount<Ratio>>) -> String {
    match refaulted {
        Some(refaulted) if refaulted >= TURNOVER => {
            format!(". Evicted pages were read again, {refaulted} of memory a minute")
        }
        Some(_) => ", and almost nothing was read twice".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_almost_nothing_was_read_twice_only_where_that_was_measured() {
        let said = |share: f64| read_again(Some(Amount::new(share)));
        assert_eq!(said(0.001), ", and almost nothing was read twice");
        assert_eq!(said(2.53), ". Evicted pages were read again, 253 % of memory a minute");
        assert_eq!(read_again(None), "");
    }
}
