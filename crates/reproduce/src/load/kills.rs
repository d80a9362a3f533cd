//! What the OOM killer ended.

use super::command_load::CommandLoad;
use super::kind::Kind;
use crate::guess::{Guess, megabytes};
use crate::recorded::{Stretch, group, whole};
use pagetide_core::Table;

/// Has those whom the OOM killer ended take more than there is: they were ended between two samples, and would have grown on. They are the processes that
/// ended and had grown most, as many as were killed, of one program; where none ended, what grew most.
pub(super) fn book(calm: &Stretch<'_>, trouble: &Stretch<'_>, loads: &mut [CommandLoad], guesses: &mut Vec<Guess>) {
    /// What is asked for beyond a limit.
    const BEYOND: f64 = 1.1;
    let of = |place: Option<&str>| match place {
        Some(group) => trouble.rate(Table::Cgroup, group, "events_oom_kill"),
        None => trouble.host_rate("oom_kill"),
    };
    let kills = |place: Option<&str>| usize::try_from(whole(of(place).unwrap_or(0.0) * trouble.seconds())).unwrap_or(0);
    // A group counts the kills of those below it.
    let limit = |group: &str| group::limits(trouble, &[], group, trouble.to).memory_max;
    let groups: Vec<(&str, f64)> = group::below_root(trouble)
        .filter(|group| kills(Some(group)) > 0)
        .filter_map(|group| Some((group, limit(group)? * BEYOND)))
        .collect();
    let by_host = groups.is_empty() && kills(None) > 0;
    let swap = trouble.most(Table::Host, "", "SwapTotal").unwrap_or(0.0);
    let all = by_host.then(|| (None, trouble.recording.manifest.memory_total.as_f64() + swap));
    let places = groups.iter().map(|(group, bytes)| (Some(*group), *bytes)).chain(all);
    for (place, bytes) in places {
        let is_in = |load: &CommandLoad| {
            let own = load.command.group.as_deref().map(|path| group::limited(calm, trouble, path));
            place.is_none() || own == place
        };
        let grown = |load: &CommandLoad| if let Kind::Grow { to, .. } = load.kind { to } else { 0.0 };
        let mut own: Vec<&mut CommandLoad> =
            loads.iter_mut().filter(|load| is_in(load) && !load.ran_before && grown(load) > 0.0).collect();
        own.sort_by(|one, other| {
            let ended = |load: &CommandLoad| load.command.ended.is_some();
            ended(other).cmp(&ended(one)).then(grown(other).total_cmp(&grown(one)))
        });
        let Some((first, others)) = own.split_first_mut() else { continue };
        let ended = others.iter_mut().filter(|load| load.command.ended.is_some() && load.is_of_program(first));
        let killed: Vec<&mut &mut CommandLoad> = ended.take(kills(place).saturating_sub(1)).collect();
        let mut takes_more = false;
        for load in killed.into_iter().chain([&mut *first]) {
            if let Kind::Grow { to, .. } = &mut load.kind
                && *to < bytes
            {
                *to = bytes;
                takes_more = true;
            }
        }
        if takes_more {
            guesses.push(Guess::new(
                format!("{} takes {}", first.command.name, megabytes(bytes)),
                "the OOM killer ended processes while it grew: it would have grown on",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::Command;
    use pagetide_core::{Bytes, Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    /// What loads of a group with a limit of 100 MB take where the OOM killer ended so many processes of the group, and of the host.
    fn taken(of_group: i64, of_host: i64, mut loads: Vec<CommandLoad>) -> Vec<f64> {
        let mut made =
            RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
        let column = |name: &str, kind| Column { name: name.to_owned(), kind, unit: Unit::Count };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Cgroup, "/app", &column("max", MetricKind::Gauge), 100_000_000);
            made.value(Table::Cgroup, "/app", &column("events_oom_kill", MetricKind::Counter), of_group * second / 10);
            made.value(Table::Host, "", &column("oom_kill", MetricKind::Counter), of_host * second / 10);
        }
        let recording = made.finish();
        let stretch = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        book(&stretch, &stretch, &mut loads, &mut Vec::new());
        let to = |load: &CommandLoad| if let Kind::Grow { to, .. } = load.kind { to } else { 0.0 };
        loads.iter().map(to).collect()
    }

    /// A program of the group that came and grew by so much, until it ended.
    fn grows(name: &str, to: f64, ended: Option<i64>) -> CommandLoad {
        let (name, group) = (name.to_owned(), Some("/app".to_owned()));
        let command = Command { name, group, appeared: Some(1), ended, ..Command::default() };
        CommandLoad::new(&command, Kind::Grow { to, rate: 1e6 }, false)
    }

    #[test]
    fn each_that_was_killed_and_started_again_takes_more_than_there_is() {
        // A service that was started again twice, beside one that grew by more.
        let loads = || {
            vec![grows("a", 60e6, Some(3)), grows("a", 50e6, Some(6)), grows("a", 40e6, None), grows("b", 70e6, None)]
        };
        let restarted = |kills: i64| taken(kills, 0, loads());
        assert_eq!(restarted(2), [100e6 * 1.1, 100e6 * 1.1, 40e6, 70e6]);
        assert_eq!(restarted(1), [100e6 * 1.1, 50e6, 40e6, 70e6]);
    }

    #[test]
    fn who_was_killed_while_it_grew_takes_more_than_there_is() {
        let killed = |of_group: i64, of_host: i64| {
            taken(of_group, of_host, vec![grows("a", 20e6, None), grows("b", 90e6, None)])
        };
        assert_eq!(killed(1, 1), [20e6, 100e6 * 1.1]);
        assert_eq!(killed(0, 1), [20e6, 1e9], "the host had no more");
        assert_eq!(killed(0, 0), [20e6, 90e6]);
    }
}
