//! The commands whose processes ran.

use super::command::Command;
use super::delays::has_delays;
use super::did::Did;
use super::family::{Family, forked_by, has_own_counters, id, seen};
use super::group;
use super::lives::lives;
use super::stretch::Stretch;
use super::unseen::{MIN_MEMORY, SAME_MEMORY, add_waits_of_threads, find_groups};
use pagetide_core::{Recording, Table};
use std::collections::BTreeMap;

/// All commands that ran, but the threads of the kernel and pagetide itself. `swapping` is the part of the trouble in which pages came
/// back from swap.
pub(crate) fn all(calm: &Stretch<'_>, trouble: &Stretch<'_>, swapping: Option<&Stretch<'_>>) -> Vec<Command> {
    let recording = trouble.recording;
    let groups = group_ids(recording);
    let counts_delays = has_delays(recording);
    let family = Family::of_recording(recording);
    let mut commands: BTreeMap<(String, Option<String>), Command> = BTreeMap::new();
    for (process, name) in recording.entities_within(Table::Process, calm.from, trouble.to) {
        if name == "pagetide" || !has_own_counters(recording, process) || is_of_kernel(recording, process) {
            continue;
        }
        let group = recording
            .series(Table::Process, process, "cgroup_id")
            .and_then(|series| series.points().next_back())
            .and_then(|(_, id)| groups.get(&id))
            .map(|path| group::limited(calm, trouble, path).to_owned());
        let command = commands.entry((name.to_owned(), group.clone())).or_insert_with(|| Command {
            name: name.to_owned(),
            group,
            calm: Did::default(),
            trouble: Did::default(),
            appeared: Some(i64::MAX),
            ended: Some(i64::MIN),
            ..Command::default()
        });
        command.processes.push(process.to_owned());
        command.calm.add(calm, process, &family.of(calm, process), counts_delays);
        command.trouble.add(trouble, process, &family.of(trouble, process), counts_delays);
        if let Some(stretch) = swapping {
            let did = command.swapping.get_or_insert_default();
            did.add(stretch, process, &family.of(stretch, process), counts_delays);
        }
        let seen = seen(recording, process);
        command.appeared = command.appeared.map(|first| first.min(seen.map_or(i64::MAX, |seen| seen.0)));
        command.ended = command.ended.map(|last| last.max(seen.map_or(i64::MAX, |seen| seen.1)));
    }
    let mut commands: Vec<Command> = commands.into_values().collect();
    commands.retain(|command| !has_io_of_children(command, calm, trouble));
    find_groups(&calm.with(calm.from, trouble.to), &mut commands);
    if !counts_delays {
        add_waits_of_threads(calm, &mut commands, |command| &mut command.calm);
        add_waits_of_threads(trouble, &mut commands, |command| &mut command.trouble);
    }
    let interval = recording.manifest.interval.get().cast_signed();
    for command in &mut commands {
        command.lives = lives(trouble, &command.processes);
        command.grew_by = grew_by(trouble, &command.processes);
        command.grew_for = grew_for(&calm.with(calm.from, trouble.to), &command.processes);
        command.appeared = command.appeared.filter(|at| *at > calm.from && *at < i64::MAX);
        // It may have gone on for an interval after it was last seen.
        let last = command.ended.map(|at| at.saturating_add(interval));
        command.ended = last.filter(|at| *at > calm.from && at.saturating_add(interval) < trouble.to);
    }
    commands
}

/// The incident from when on pages come back from swap as often as on average in it: until then memory fills, and nobody misses what is swapped out.
pub(crate) fn swapping<'a>(trouble: &Stretch<'a>) -> Option<Stretch<'a>> {
    /// Pages per second that matter.
    const MIN_RATE: f64 = 20.0;
    const MIN_SECONDS: f64 = 2.0;
    let swapped_in = |part: &Stretch<'_>| part.host_rate("pswpin").unwrap_or(0.0);
    let least = swapped_in(trouble).max(MIN_RATE);
    let first = trouble.intervals().into_iter().find(|part| swapped_in(part) >= least)?;
    Some(trouble.with(first.from, trouble.to)).filter(|stretch| stretch.seconds() >= MIN_SECONDS)
}

/// How long the memory of these processes grew in a stretch, until it was nearly all that they had in it, s.
fn grew_for(stretch: &Stretch<'_>, processes: &[String]) -> f64 {
    const NEARLY_ALL: f64 = 0.95;
    let at = |moment: i64| -> f64 {
        let of = |process: &String, metric| stretch.sampled_at(Table::Process, process, metric, moment).unwrap_or(0.0);
        processes.iter().map(|process| of(process, "RssAnon") + of(process, "VmSwap")).sum()
    };
    let held: Vec<(i64, f64)> = stretch.intervals().iter().map(|part| (part.to, at(part.to))).collect();
    let most = held.iter().map(|(_, bytes)| *bytes).fold(0.0, f64::max);
    let from = held.iter().find(|(_, bytes)| *bytes > 0.0).map_or(stretch.from, |(moment, _)| *moment);
    let to = held.iter().find(|(_, bytes)| *bytes >= NEARLY_ALL * most).map_or(from, |(moment, _)| *moment);
    to.saturating_sub(from) as f64 / 1e9
}

/// The most anonymous memory that these processes had at once in a stretch, in swap or not, beyond what they had when it began: what one frees before the
/// next one comes is not taken twice. A child that comes (`fork(2)`) has the pages of its parent, which `RssAnon` counts for both, until one of them writes:
/// with it they grow by no more than the host's memory does. Where parents were not recorded (before 0.2), a child is a process that comes with as much as
/// another of them has.
fn grew_by(stretch: &Stretch<'_>, processes: &[String]) -> Option<f64> {
    let recording = stretch.recording;
    let own: Vec<(&String, (i64, i64))> =
        processes.iter().filter_map(|process| Some((process, seen(recording, process)?))).collect();
    own.iter().find(|(process, _)| recording.series(Table::Process, process, "RssAnon").is_some())?;
    let ids: Vec<i64> = own.iter().filter_map(|(process, _)| id(process)).collect();
    let holds = |process: &str, moment: i64| stretch.sampled_at(Table::Process, process, "RssAnon", moment);
    let is_as_large_as_another = |process: &str, came: i64| {
        let others = own.iter().filter(|(_, (first, last))| *first < came && came <= *last);
        let near = |one: f64, other: f64| one >= MIN_MEMORY && (one / other.max(1.0) - 1.0).abs() < SAME_MEMORY;
        let mut of_others = others.filter_map(|(other, _)| holds(other, came));
        holds(process, came).is_some_and(|bytes| of_others.any(|other| near(bytes, other)))
    };
    // A sample sees it at the onset at the earliest.
    let comes_forked = |(process, (first, _)): &(&String, (i64, i64))| {
        let is_child = forked_by(recording, process)
            .map_or_else(|| is_as_large_as_another(process, *first), |id| ids.contains(&id));
        *first >= stretch.from && is_child
    };
    let held = |processes: &mut dyn Iterator<Item = &(&String, (i64, i64))>, moment: i64| -> f64 {
        let there = processes.filter(|(_, (first, last))| (*first..=*last).contains(&moment));
        let of = |process: &str, metric| stretch.value_at(Table::Process, process, metric, moment).unwrap_or(0.0);
        there.map(|(process, _)| of(process, "RssAnon") + of(process, "VmSwap")).sum()
    };
    let most = |of: &dyn Fn(i64) -> f64| stretch.intervals().iter().map(|part| of(part.to)).fold(0.0, f64::max);
    let had = held(&mut own.iter().filter(|one| !comes_forked(one)), stretch.from);
    let grown = (most(&|moment| held(&mut own.iter(), moment)) - had).max(0.0);
    if !own.iter().any(comes_forked) {
        return Some(grown);
    }
    // What is in swap is no page of the host.
    let of_host = |moment| {
        let of = |metric| stretch.value_at(Table::Host, "", metric, moment).unwrap_or(0.0);
        of("AnonPages") + of("SwapTotal") - of("SwapFree")
    };
    Some(grown.min((most(&of_host) - of_host(stretch.from)).max(0.0)))
}

/// Whether what a command read and wrote was done by its children: the kernel adds the IO of a child that ended to its parent's, and not its CPU
/// time (`kernel/exit.c: wait_task_zombie`). A shell that "copied" a gigabyte in no time did not copy it.
fn has_io_of_children(command: &Command, calm: &Stretch<'_>, trouble: &Stretch<'_>) -> bool {
    /// Bytes that one CPU copies per second at most.
    const COPIES: f64 = 10e9;
    /// CPU time is counted in ticks: one may be missing for each end of a stretch.
    const TICKS: f64 = 0.02;
    let in_stretch = |did: &Did, stretch: &Stretch<'_>| {
        let copied = (did.asked + did.given) * stretch.seconds();
        copied / COPIES > did.cpu * stretch.seconds() + TICKS
    };
    in_stretch(&command.trouble, trouble) || in_stretch(&command.calm, calm)
}

/// Control groups by the kernel's id.
fn group_ids(recording: &Recording) -> BTreeMap<i64, String> {
    let id = |group: &str| recording.series(Table::Cgroup, group, "cgroup_id")?.points().next().map(|(_, id)| id);
    recording.entities(Table::Cgroup).filter_map(|(group, _)| Some((id(group)?, group.to_owned()))).collect()
}

/// Whether it has no memory of its own.
fn is_of_kernel(recording: &Recording, process: &str) -> bool {
    let resident = recording.series(Table::Process, process, "rss");
    resident.is_some_and(|series| series.points().all(|(_, pages)| pages == 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, Nanos, RecordingBuilder, Stamp, Unit};

    const SECOND: i64 = 1_000_000_000;

    /// A process: its row, which is its command as well, its parent, the seconds in which it is seen, and the bytes that it has read and CPU ticks that it has used in
    /// each.
    type Process<'a> = (&'a str, i64, std::ops::RangeInclusive<i64>, fn(i64) -> i64);

    /// Ten seconds of calm and ten of an incident, and what the commands did in them.
    fn commands(processes: &[Process<'_>]) -> Vec<Command> {
        let manifest = Manifest { interval: Nanos::new(SECOND.unsigned_abs()), ..Manifest::default() };
        let mut made = RecordingBuilder::new(manifest);
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
            for (row, parent, seen, read) in processes.iter().filter(|one| one.2.contains(&second)) {
                let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
                made.value(Table::Process, row, &column("ppid", Kind::Gauge), *parent);
                made.value(Table::Process, row, &column("rss", Kind::Gauge), 100);
                made.value(Table::Process, row, &column("utime", Kind::Counter), second - seen.start());
                made.value(Table::Process, row, &column("read_bytes", Kind::Counter), read(second));
            }
        }
        let recording = made.finish();
        let calm = Stretch { recording: &recording, from: 0, to: 10 * SECOND };
        let trouble = calm.with(10 * SECOND, 20 * SECOND);
        all(&calm, &trouble, None).into_iter().map(|command| command.while_it_ran(&calm, &trouble)).collect()
    }

    /// What a command of that name read per second of the incident in which it ran.
    fn read(commands: &[Command], name: &str) -> f64 {
        commands.iter().find(|command| command.name == name).unwrap().trouble.read
    }

    #[test]
    fn who_waits_for_a_cpu_now_and_then_would_use_more_of_it_and_who_always_waits_all_that_it_gets() {
        let wanted = |each: &[(f64, f64)]| Did { cpu_of_each: each.to_vec(), ..Did::default() }.cpu_wanted();
        // It computes for a fifth of the time, waits for a CPU for half of it and for answers in the rest.
        assert!((wanted(&[(0.2, 0.5)]) - 0.4).abs() < 1e-9);
        assert!((wanted(&[(0.05, 0.5); 4]) - 0.4).abs() < 1e-9, "each of four");
        assert!((wanted(&[(0.8, 2.2)]) - 3.0).abs() < 1e-9, "threads that never sleep");
        assert!((wanted(&[(0.25, 0.75)]) - 1.0).abs() < 1e-9, "a process that never sleeps");
        assert_eq!(Did { cpu_of_each: vec![(0.3, 0.0), (0.0, 0.02), (0.001, 0.0)], ..Did::default() }.computing(), 2);
    }

    #[test]
    fn memory_that_one_process_frees_before_the_next_one_comes_is_taken_once_and_that_of_a_fork_with_its_parent() {
        /// A process: its row, its parent (0: not recorded), the seconds in which it is seen, and what it has in each.
        type Holder<'a> = (&'a str, i64, std::ops::RangeInclusive<i64>, fn(i64) -> i64);
        let grown = |processes: &[Holder<'_>], of_host: fn(i64) -> i64| {
            let mut made = RecordingBuilder::new(Manifest::default());
            for second in 0..=20_i64 {
                made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
                let column = |name: &str| Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Bytes };
                made.value(Table::Host, "", &column("AnonPages"), of_host(second));
                for (row, parent, _, holds) in processes.iter().filter(|one| one.2.contains(&second)) {
                    made.value(Table::Process, row, &column("rss"), 1);
                    if *parent > 0 {
                        made.value(Table::Process, row, &column("ppid"), *parent);
                    }
                    made.value(Table::Process, row, &column("RssAnon"), holds(second));
                }
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 10 * SECOND, to: 20 * SECOND };
            let rows: Vec<String> = processes.iter().map(|one| one.0.to_owned()).collect();
            grew_by(&trouble, &rows)
        };
        let one_after_the_other: [Holder<'_>; 2] = [("5@0", 1, 11..=14, |_| 300), ("6@0", 1, 16..=19, |_| 200)];
        assert_eq!(grown(&one_after_the_other, |_| 0), Some(300.0));
        let at_once: [Holder<'_>; 2] = [("5@0", 1, 11..=18, |_| 300), ("6@0", 1, 16..=19, |_| 200)];
        assert_eq!(grown(&at_once, |_| 0), Some(500.0));
        let grows: [Holder<'_>; 1] = [("5@0", 1, 0..=20, |second| 100 + second)];
        assert_eq!(grown(&grows, |_| 0), Some(10.0), "since the onset");
        let fork: [Holder<'_>; 2] = [("5@0", 1, 0..=20, |_| 100), ("6@0", 5, 10..=18, |_| 100)];
        assert_eq!(grown(&fork, |second| 100 + 4 * (second - 10).clamp(0, 5)), Some(20.0), "pages that were written");
        let not_of_it: [Holder<'_>; 2] = [("5@0", 1, 0..=20, |_| 100), ("6@0", 1, 11..=18, |_| 100)];
        assert_eq!(grown(&not_of_it, |_| 100), Some(100.0), "its memory is its own");
        const MB: i64 = 1_000_000;
        let as_large: [Holder<'_>; 2] = [("5@0", 0, 0..=20, |_| 100 * MB), ("6@0", 0, 10..=18, |_| 104 * MB)];
        let of_host = |second: i64| 100 * MB + 4 * MB * (second - 10).clamp(0, 5);
        assert_eq!(grown(&as_large, of_host), Some(20e6), "nobody recorded its parent");
        let smaller: [Holder<'_>; 2] = [("5@0", 0, 0..=20, |_| 100 * MB), ("6@0", 0, 11..=18, |_| 50 * MB)];
        assert_eq!(grown(&smaller, of_host), Some(50e6), "its memory is its own");
        let unknown: [Holder<'_>; 0] = [];
        assert_eq!(grown(&unknown, |_| 0), None);
    }

    #[test]
    fn pages_come_back_from_swap_when_memory_is_full_and_not_while_it_fills() {
        let seconds = |swapped_in: fn(i64) -> i64| {
            let mut made = RecordingBuilder::new(Manifest::default());
            for second in 0..=20_i64 {
                made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
                let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
                made.value(Table::Host, "", &column("pswpin", Kind::Counter), swapped_in(second));
                made.value(Table::Process, "1@0", &column("RssAnon", Kind::Gauge), second.min(8) * 1_000_000);
                made.value(
                    Table::Process,
                    "1@0",
                    &column("VmSwap", Kind::Gauge),
                    (second.min(10) - 8).max(0) * 1_000_000,
                );
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 20 * SECOND };
            (swapping(&trouble).map(|stretch| stretch.seconds()), grew_for(&trouble, &["1@0".to_owned()]))
        };
        assert_eq!(seconds(|second| (second - 10).max(0) * 1000), (Some(10.0), 9.0));
        assert_eq!(seconds(|second| second).0, None, "a page a second");
    }

    #[test]
    fn what_children_that_ended_had_read_their_parent_did_not() {
        let shell: Process<'_> = ("1@0", 0, 0..=20, |at| if at < 15 { 0 } else { 90_000 });
        let child: Process<'_> = ("2@1000", 1, 11..=14, |at| (at - 11) * 30_000);
        let all = commands(&[shell.clone(), child]);
        assert!(read(&all, "1@0") < 1.0, "{all:?}");
        let other: Process<'_> = ("2@1000", 7, 11..=14, |at| (at - 11) * 30_000);
        assert!((read(&commands(&[shell.clone(), other]), "1@0") - 9_000.0).abs() < 1.0, "another's child");
        let still: Process<'_> = ("2@1000", 1, 11..=20, |at| (at - 11) * 10_000);
        assert!((read(&commands(&[shell, still]), "1@0") - 9_000.0).abs() < 1.0, "it has not ended");
    }

    #[test]
    fn what_a_program_did_is_per_second_of_the_time_in_which_it_ran() {
        let all = commands(&[("2@1000", 1, 11..=14, |at| (at - 11) * 30_000)]);
        // 90 kB from the 11th second on, until the 15th.
        assert!((read(&all, "2@1000") - 22_500.0).abs() < 1.0 && (all[0].ran[1] - 0.4).abs() < 1e-9, "{all:?}");
        assert_eq!((all[0].appeared, all[0].ended), (Some(11 * SECOND), Some(15 * SECOND)));
        let always = commands(&[("2@0", 1, 0..=20, |at| at * 30_000)]);
        assert!((read(&always, "2@0") - 30_000.0).abs() < 1.0, "{always:?}");
        assert_eq!((always[0].appeared, always[0].ended, always[0].ran), (None, None, [1.0; 2]));
    }
}
