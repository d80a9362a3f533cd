//! Which loads of a command have a part in the incident, and what it did before.

use super::command_load::CommandLoad;
use super::compute::{MIN_CPU_SHARE, min_cpu_share};
use super::kind::Kind;
use super::seen::MIN_TRAFFIC;
use crate::recorded::{Command, Phase};

/// The loads of a command that have a part in an incident in which all moved so many bytes per second. It computes, whether what it reads has one or not.
pub(crate) fn with_part(loads: Vec<CommandLoad>, moved: f64) -> Vec<CommandLoad> {
    let (mut kept, left): (Vec<_>, Vec<_>) = loads.into_iter().partition(|load| load.has_part(moved));
    let spins = left.iter().find(|load| load.computes()).filter(|_| !kept.iter().any(CommandLoad::computes));
    let used = |load: &CommandLoad| load.command.trouble.cpu - load.command.trouble.reclaim;
    let spins = spins.filter(|load| used(load) > min_cpu_share(&load.command)).into_iter().flat_map(|load| {
        let spin = Kind::Spin { cpus: load.command.trouble.cpu_wanted() };
        let is_usual = load.command.appeared.is_none() && load.command.phase == Phase::Whole;
        if is_usual {
            as_before_and_more(&load.command, spin)
        } else {
            vec![CommandLoad::new(&load.command, spin, false)]
        }
    });
    kept.extend(spins.collect::<Vec<_>>());
    kept
}

/// What a command that ran before does: as much as before all the time, and what it does beyond that in the incident.
pub(super) fn as_before_and_more(command: &Command, kind: Kind) -> Vec<CommandLoad> {
    let (calm, trouble) = (&command.calm, &command.trouble);
    let (usual, now) = match kind {
        Kind::Stream { .. } | Kind::Cold { .. } => (calm.read, trouble.read),
        Kind::WorkingSet { .. } => (calm.asked, trouble.asked),
        Kind::Write { .. } => (calm.written, trouble.written),
        // What it touched before is not counted.
        Kind::Touch { .. } => (1.0, 1.0),
        // Who gets less of a CPU than before, and waits for it, wants no more than before.
        Kind::Spin { .. } if trouble.cpu <= calm.cpu => (calm.cpu_wanted(), calm.cpu_wanted()),
        Kind::Spin { .. } => (calm.cpu_wanted(), trouble.cpu_wanted()),
        Kind::Grow { .. } | Kind::Lookups { .. } => (0.0, 1.0),
    };
    let with = |rate: Option<f64>| match kind {
        Kind::Stream { block, direct, pass, stride, .. } => Kind::Stream { rate, block, direct, pass, stride },
        Kind::Cold { block, direct, .. } => Kind::Cold { rate, block, direct },
        Kind::WorkingSet { block, size, warm, rate: all } => {
            Kind::WorkingSet { rate: rate.unwrap_or(all), block, size, warm }
        }
        Kind::Write { block, direct, sync_every, random, .. } => {
            Kind::Write { rate, block, direct, sync_every, random }
        }
        Kind::Spin { cpus } => Kind::Spin { cpus: rate.unwrap_or(cpus) },
        Kind::Touch { .. } | Kind::Grow { .. } | Kind::Lookups { .. } => kind,
    };
    let load = |kind: Kind, ran_before: bool| CommandLoad::new(command, kind, ran_before);
    let paced = !matches!(
        kind,
        Kind::Stream { rate: None, .. } | Kind::Cold { rate: None, .. } | Kind::Write { rate: None, .. }
    );
    // A closed loop: what it did before decides how fast it is, and the incident what it loses. A half more is more than rates
    // differ by themselves, and who waits most of the time would do less of what it did before.
    if now <= if paced { 1.5 } else { 1.2 } * usual {
        return vec![load(with(Some(usual)), true)];
    }
    let mut all = vec![load(with(paced.then_some(now - usual)), false)];
    let little = if let Kind::Spin { .. } = kind { MIN_CPU_SHARE } else { MIN_TRAFFIC };
    if usual > little {
        all.push(load(with(Some(usual)), true));
    }
    all
}
