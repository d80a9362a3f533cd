//! The commands that did most, with what the recording says of them elsewhere.

use super::command::Command;
use super::delays::has_delays;
use super::did::{Did, has_threads};
use super::group::{self, Throttled};
use super::processes;
use super::reclaim;
use super::stretch::Stretch;
use pagetide_core::{Diagnosis, Table};

/// Commands that a scenario has at most: those that do most.
const MAX_LOADS: usize = 12;

/// The commands that did most.
pub(crate) fn most_active(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    reclaim_slowdown: Option<u64>,
    diagnosis: &Diagnosis,
    held_back: Option<&str>,
) -> Vec<Command> {
    let swapping = processes::swapping(trouble);
    let mut commands = processes::all(calm, trouble, swapping.as_ref());
    reclaim::book(calm, reclaim_slowdown, &mut commands, |command| &mut command.calm);
    reclaim::book(trouble, reclaim_slowdown, &mut commands, |command| &mut command.trouble);
    if let Some(stretch) = &swapping {
        reclaim::book(stretch, reclaim_slowdown, &mut commands, |command| command.swapping.get_or_insert_default());
    }
    // Where processes were recorded without their groups, the rules may have found whose it is.
    let origins = || diagnosis.cause.iter().flat_map(|cause| cause.origins.iter());
    if let Some(group) = origins().find_map(|actor| actor.as_group()) {
        let own = |command: &&mut Command| origins().any(|actor| actor.as_command() == Some(command.name.as_str()));
        commands.iter_mut().filter(|command| command.group.is_none()).filter(own).for_each(|command| {
            command.group = Some(group.to_owned());
        });
    }
    if let Some(group) = held_back {
        join_held_back(group, &mut commands);
    }
    if !has_delays(trouble.recording) {
        book_cpu_waits(calm, &mut commands, |command| &mut command.calm);
        book_cpu_waits(trouble, &mut commands, |command| &mut command.trouble);
    }
    let weight = |command: &Command| {
        let did = [&command.calm, &command.trouble];
        let io = did.iter().map(|did| did.read + did.written + did.asked / 16.0).fold(0.0, f64::max);
        let grown = (command.trouble.anon.1 - command.trouble.anon.0).max(0.0) / trouble.seconds();
        io + grown + command.trouble.cpu * 1e6
    };
    commands.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    commands.truncate(MAX_LOADS);
    commands.into_iter().map(|command| command.while_it_ran(calm, trouble)).collect()
}

/// Puts those who wait for a CPU most of the time while CPUs are idle into the group that is held back, where processes were recorded without their groups:
/// a task that may run does so on an idle CPU.
fn join_held_back(group: &str, commands: &mut [Command]) {
    const MIN_WAITING: f64 = 0.5;
    if commands.iter().any(|command| command.group.is_some()) {
        return;
    }
    let waits = |command: &Command| command.trouble.cpu_of_each.iter().any(|(_, waits)| *waits >= MIN_WAITING);
    for command in commands.iter_mut().filter(|command| waits(command)) {
        command.group = Some(group.to_owned());
    }
}

/// Says of the program with threads that used most CPU time in a group that it waited for a CPU for as long as tasks of the group did: without delays the
/// waits of its threads are recorded of the group alone. At a limit (`cpu.max`) they wait for that.
fn book_cpu_waits(stretch: &Stretch<'_>, commands: &mut [Command], did: fn(&mut Command) -> &mut Did) {
    let waits = |group: &&str| stretch.rate(Table::Cgroup, group, "psi_cpu_some").map(|micros| micros / 1e6);
    let is_free = |group: &&str| group::limits(stretch, &[], group, stretch.to).cpu_max.is_none();
    for group in group::below_root(stretch).filter(is_free) {
        let Some(waits) = waits(&group) else { continue };
        let own = commands.iter_mut().filter(|command| command.group.as_deref() == Some(group));
        let used = own.map(|command| (did(command).cpu, command));
        let Some((_, first)) = used.max_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
        if first.processes.iter().any(|process| has_threads(stretch, process)) {
            did(first).waited_for_cpu(waits);
        }
    }
}

/// The limit of the group that is held back, by what its commands use of the CPUs.
pub(crate) fn limit_of_held_back(trouble: &Stretch<'_>, group: &str, commands: &[Command]) -> Option<Throttled> {
    let own = commands.iter().filter(|command| command.group.as_deref() == Some(group));
    let processes: Vec<&String> = own.flat_map(|command| &command.processes).collect();
    group::limit_of_held_back(trouble, group, &processes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    /// The CPUs that two commands of a group want, of which the first has so many threads: tasks of the group waited for a CPU for .9 of ten seconds.
    fn wanted(threads: i64, limit: Option<i64>) -> [f64; 2] {
        let mut made = RecordingBuilder::new(Manifest::default());
        let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Cgroup, "/app", &column("psi_cpu_some", MetricKind::Counter), second * 900_000);
            made.value(Table::Process, "7@0", &column("num_threads", MetricKind::Gauge), threads);
            if let Some(limit) = limit {
                made.value(Table::Cgroup, "/app", &column("cpu_max", MetricKind::Gauge), limit);
            }
        }
        let recording = made.finish();
        let stretch = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let one = |process: &str, cpu: f64| Command {
            group: Some("/app".to_owned()),
            processes: vec![process.to_owned()],
            trouble: Did { cpu, cpu_of_each: vec![(cpu, 0.0)], ..Did::default() },
            ..Command::default()
        };
        let mut commands = [one("7@0", 1.9), one("8@0", 0.1)];
        book_cpu_waits(&stretch, &mut commands, |command| &mut command.trouble);
        commands.map(|command| command.trouble.cpu_wanted())
    }

    #[test]
    fn who_computes_with_threads_wants_as_many_cpus_as_its_group_waits_for() {
        let near = |all: [f64; 2], is: [f64; 2]| all.iter().zip(is).all(|(one, is)| (one - is).abs() < 0.01);
        assert!(near(wanted(4, None), [2.8, 0.1]), "{:?}", wanted(4, None));
        assert!(near(wanted(1, None), [1.9, 0.1]), "it cannot wait for itself");
        assert!(near(wanted(4, Some(2_000_000)), [1.9, 0.1]), "the group waits for its limit");
    }

    #[test]
    fn who_waits_for_idle_cpus_is_in_the_group_that_is_held_back() {
        let group_of = |waits: f64, known: Option<&str>| {
            let mut made = RecordingBuilder::new(Manifest { cpus: 2, ..Manifest::default() });
            let column = |name: &str| Column { name: name.to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                made.value(Table::Host, "", &column("cpu_idle"), second * 190);
                made.value(Table::Cgroup, "/sys/fs/cgroup/db", &column("psi_cpu_some"), second * 950_000);
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
            let trouble_of = |waits: f64| Did { cpu_of_each: vec![(0.0, 0.0), (0.02, waits)], ..Did::default() };
            let service = Command { trouble: trouble_of(waits), ..Command::default() };
            let other = Command { group: known.map(ToOwned::to_owned), ..Command::default() };
            let mut commands = [service, other];
            join_held_back(group::held_back(&trouble).unwrap(), &mut commands);
            commands.map(|command| command.group)
        };
        assert_eq!(group_of(0.95, None), [Some("/sys/fs/cgroup/db".to_owned()), None]);
        assert_eq!(group_of(0.1, None), [None, None], "it runs when it may");
        let known = "/sys/fs/cgroup/app";
        assert_eq!(group_of(0.95, Some(known)), [None, Some(known.to_owned())], "groups were recorded");
    }
}
