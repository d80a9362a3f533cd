//! CPU time of a command: after each of its requests, instead of them, and beside them.

use super::kind::Kind;
use super::seen::Seen;
use crate::guess::Guess;
use crate::recorded::{Command, Did, Phase};

/// CPU time that a request may take, ns.
const MAX_COMPUTE: f64 = 1e8;
/// A CPU that a command uses this share of is a load.
pub(super) const MIN_CPU_SHARE: f64 = 0.05;
/// The share of a CPU from which on who uses it uses all that it gets.
const MIN_SHARE_AT_WORK: f64 = 0.8;
/// CPUs that a command uses beyond those of its requests, from which on it does something else on them.
const MIN_CPUS_MORE: f64 = 0.3;

/// Where the CPU time of a command goes.
pub(super) struct CpuTime {
    /// For each request, before the incident and in it, ns.
    pub(super) of_request: [f64; 2],
    /// What it computes, where that is not for requests.
    pub(super) instead: Option<Kind>,
    /// What it computes beside them.
    pub(super) beside: Option<Kind>,
}

impl CpuTime {
    /// Of a command that does this.
    pub(super) fn of(seen: &Seen<'_>, kinds: &[Kind], guesses: &mut Vec<Guess>) -> Self {
        let (calm, trouble) = (seen.calm(), seen.trouble());
        let requests = |did: &Did| kinds.iter().map(|kind| kind.requests(did)).sum::<f64>();
        let asks = requests(trouble);
        let fills = kinds.iter().any(|kind| matches!(kind, Kind::Touch { fill: Some(_), .. }));
        let mut of_request = [calm, if fills { seen.using() } else { trouble }]
            .map(|did| (did.cpu - did.reclaim) * 1e9 / requests(did).max(1e-9));
        // Of who did next to nothing before, a request takes what it takes in the incident.
        if requests(calm) < 0.1 * asks && calm.cpu < MIN_CPU_SHARE {
            of_request[0] = of_request[1];
        }
        // It works on what it gets; what takes longer than a request could is work of its own.
        if of_request.iter().any(|time| *time > MAX_COMPUTE) {
            let is_load = trouble.cpu.max(calm.cpu) > min_cpu_share(seen.command);
            let instead = is_load.then(|| Kind::Spin { cpus: trouble.cpu_wanted() });
            return Self { of_request: [0.0; 2], instead, beside: None };
        }
        let explained = asks * of_request[0] / 1e9;
        let is_loop = seen.ran_before && of_request[0] > 0.0 && seen.command.phase == Phase::Whole;
        Self { of_request, instead: None, beside: is_loop.then(|| beside(seen, explained, guesses)).flatten() }
    }
}

/// What it computes beyond the CPUs that its requests took before.
fn beside(seen: &Seen<'_>, explained: f64, guesses: &mut Vec<Guess>) -> Option<Kind> {
    let (calm, trouble) = (seen.calm(), seen.trouble());
    let more = trouble.cpu - trouble.reclaim - explained;
    if more <= MIN_CPUS_MORE.max(explained) {
        return None;
    }
    guesses.push(Guess::new(
        format!("{} computes on {more:.1} CPUs beside its requests", seen.command.name),
        "it uses that much more CPU time than its requests took before the incident",
    ));
    // Who works most of the time never sleeps.
    let wanted = more + (trouble.cpu_waits - calm.cpu_waits).max(0.0);
    let cpus = if wanted.fract() >= MIN_SHARE_AT_WORK { wanted.ceil() } else { wanted };
    Some(Kind::Spin { cpus })
}

/// The share of a CPU from which on what a command computes is a load. Of one that computes all the time later, how little it did before tells that it does.
pub(super) const fn min_cpu_share(command: &Command) -> f64 {
    match command.phase {
        Phase::Usual => 0.01,
        Phase::Whole | Phase::Changed => MIN_CPU_SHARE,
    }
}
