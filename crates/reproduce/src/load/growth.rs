//! How fast memory grows, and of which processes.

use super::command_load::CommandLoad;
use super::kind::Kind;
use crate::recorded::{Command, Life, Stretch};

/// Time in which memory grows, s, at least.
const MIN_GROWTH: f64 = 0.5;
/// Bytes of a process that matter.
const MIN_GROWN: f64 = 4e6;

/// Bytes per second of so much that grew with a gauge of the host: most of it may come at once.
pub(super) fn rate(trouble: &Stretch<'_>, metric: &str, bytes: f64) -> f64 {
    let time = trouble.time_of_rise(metric, 0.9).map_or(trouble.seconds(), |time| time / 0.9);
    bytes / time.clamp(MIN_GROWTH, trouble.seconds())
}

/// The loads, with their rates where they take memory: one for each process where those of a command came one after the other.
pub(super) fn of_each(trouble: &Stretch<'_>, loads: Vec<CommandLoad>) -> Vec<CommandLoad> {
    let of_load = |load: CommandLoad| match load.kind {
        Kind::Grow { .. } if !load.command.lives.is_empty() => {
            load.command.lives.iter().flat_map(of_life(&load)).collect()
        }
        Kind::Grow { to, .. } => {
            let kind = Kind::Grow { to, rate: rate(trouble, "AnonPages", to) };
            vec![CommandLoad { kind, ..load }]
        }
        _ => vec![load],
    };
    loads.into_iter().flat_map(of_load).collect()
}

/// What one of the processes has before the incident, and what it takes in it.
fn of_life(load: &CommandLoad) -> impl Fn(&Life) -> Vec<CommandLoad> {
    |life| {
        let command = Command {
            appeared: life.appeared,
            ended: life.ended,
            processes: vec![life.process.clone()],
            lives: Vec::new(),
            ..load.command.clone()
        };
        let grows = |to: f64, time: f64, ran_before: bool| {
            let kind = Kind::Grow { to, rate: to / time.max(MIN_GROWTH) };
            (to >= MIN_GROWN).then(|| CommandLoad { command: command.clone(), kind, ran_before, ..load.clone() })
        };
        let had = grows(life.had, MIN_GROWTH, true);
        had.into_iter().chain(grows(life.took - life.had, life.grew_for, false)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Manifest, RecordingBuilder};

    #[test]
    fn a_service_that_is_started_again_takes_its_memory_each_time() {
        let recording = RecordingBuilder::new(Manifest::default()).finish();
        let stretch = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let life = |appeared: Option<i64>, ended: Option<i64>, had: f64, took: f64| Life {
            process: "7@0".to_owned(),
            appeared,
            ended,
            had,
            took,
            grew_for: 2.0,
        };
        let lives =
            vec![life(None, Some(3), 50e6, 60e6), life(Some(4), Some(6), 0.0, 40e6), life(Some(7), None, 0.0, 30e6)];
        let command = Command { lives, ..Command::default() };
        let loads = of_each(&stretch, vec![CommandLoad::new(&command, Kind::Grow { to: 60e6, rate: 0.0 }, false)]);
        let told = |load: &CommandLoad| {
            let Kind::Grow { to, rate } = load.kind else { panic!("{load:?}") };
            (to, rate, load.ran_before, load.command.appeared, load.command.ended)
        };
        let all: Vec<_> = loads.iter().map(told).collect();
        let had = (50e6, 100e6, true, None, Some(3));
        let more = (10e6, 5e6, false, None, Some(3));
        assert_eq!(all, [had, more, (40e6, 20e6, false, Some(4), Some(6)), (30e6, 15e6, false, Some(7), None)]);
    }
}
