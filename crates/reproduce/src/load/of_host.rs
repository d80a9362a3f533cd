//! The loads of all commands.

use super::command_load::CommandLoad;
use super::host_shape::HostShape;
use super::parts::with_part;
use super::{growth, kills, lookups, of_command, refaults, shared_memory};
use crate::guess::Guess;
use crate::recorded::{Command, Phase, Stretch, group};
use pagetide_core::Table;
use std::collections::BTreeMap;

/// The loads of commands, and the bytes of the file cache that none of them brings with it. Those that turn, of those that the rules name, do
/// something else from the onset on.
pub(crate) fn all(
    calm: &Stretch<'_>,
    trouble: &Stretch<'_>,
    commands: &[Command],
    named: &[&str],
    is_dropped: bool,
    turn: &dyn Fn(&Command) -> bool,
    guesses: &mut Vec<Guess>,
) -> (Vec<CommandLoad>, f64) {
    let mut host = HostShape::of(calm, trouble, is_dropped);
    // Commands that share a cache have it in proportion to what they ask for.
    let pool = |command: &Command| command.group.clone().filter(|path| group::has_limit(calm, trouble, path));
    let mut asked: BTreeMap<Option<String>, f64> = BTreeMap::new();
    for command in commands {
        *asked.entry(pool(command)).or_default() += command.calm.asked;
    }
    // What those who came before the onset had read and written is cached by then, and part of no working set.
    let passes_by = host.reads_directly();
    let brought = |group: Option<&String>| -> f64 {
        let came = commands.iter().filter(|command| command.appeared.is_some() && !passes_by);
        let own = came.filter(|command| group.is_none() || pool(command).as_ref() == group);
        own.map(|command| (command.calm.read + command.calm.written) * command.ran[0] * calm.seconds()).sum()
    };
    host.cache = (host.cache - brought(None)).max(0.0);
    let share = |command: &Command| {
        let own = command.calm.asked;
        let all = asked.get(&pool(command)).copied().unwrap_or(own);
        if all > 0.0 { own / all } else { 1.0 }
    };
    let file = |command: &Command| {
        let path = command.group.clone()?;
        let at_onset = calm.ends(Table::Cgroup, &path, "file").map(|ends| ends.1);
        let cached = at_onset.or_else(|| trouble.ends(Table::Cgroup, &path, "file").map(|ends| ends.0))?;
        Some((cached - brought(Some(&path))).max(0.0))
    };
    let mut loads = Vec::new();
    let moved: f64 = commands.iter().map(|command| command.moved()).sum();
    for command in commands {
        let charged = file(command).map(|bytes| bytes * share(command));
        let refaulted = refaults::rate(trouble, command, commands);
        let seconds = trouble.seconds() * command.ran[1];
        let is_throttled = command
            .group
            .as_ref()
            .is_some_and(|path| trouble.rate(Table::Cgroup, path, "events_high").is_some_and(|times| times > 0.0));
        let shape = HostShape { cache: host.cache * share(command), refaulted, seconds, is_throttled, ..host };
        let of_limited = charged.filter(|_| pool(command).is_some());
        let turns = turn(command) && command.appeared.is_none() && named.contains(&command.name.as_str());
        if turns {
            guesses.push(Guess::new(
                format!("{} does something else from the onset on", command.name),
                "the rules name it, and nothing else begins then, or it has come to compute all the time",
            ));
        }
        let phases = if turns { command.phases(calm.to).to_vec() } else { vec![command.clone()] };
        for phase in phases {
            let own = of_command::of(&phase, &shape, of_limited, guesses);
            let own = with_part(own, moved).into_iter();
            // What it did not use before, others had not read for it.
            let charged = charged.filter(|_| phase.phase != Phase::Changed);
            loads.extend(own.map(|load| CommandLoad { charged, ..load }));
        }
    }
    loads.extend(lookups::load(trouble, commands, named, guesses));
    loads = growth::of_each(trouble, loads);
    loads.extend(shared_memory::load(trouble, commands, guesses));
    kills::book(calm, trouble, &mut loads, guesses);
    (loads, host.cache)
}
