//! A load with its command.

use super::kind::Kind;
use crate::recorded::{Command, Phase, Stretch};

/// Bytes that a file is read ahead (`VM_READAHEAD_PAGES`).
const READ_AHEAD: f64 = 128.0 * 1024.0;

/// A load with its command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CommandLoad {
    pub(crate) command: Command,
    pub(crate) kind: Kind,
    /// Whether it ran before the incident.
    pub(crate) ran_before: bool,
    /// Bytes of its files that are charged to its group at the onset, where that is known. Others may have read the rest.
    pub(crate) charged: Option<f64>,
    /// Requests that it has in its disk at once, where that is known.
    pub(crate) depth: Option<f64>,
    /// CPU time for each of its requests, ns.
    pub(crate) compute: f64,
}

impl CommandLoad {
    pub(crate) fn new(command: &Command, kind: Kind, ran_before: bool) -> Self {
        Self { command: command.clone(), kind, ran_before, charged: None, depth: None, compute: 0.0 }
    }

    /// Whether it came with the incident, and does enough to have a part in it.
    pub(crate) fn is_culprit(&self) -> bool {
        /// CPUs that others miss.
        const MIN_CPUS_MISSED: f64 = 0.3;
        !self.ran_before && !matches!(self.kind, Kind::Spin { cpus } if cpus < MIN_CPUS_MISSED)
    }

    /// Whether it has a part in an incident in which all commands moved so many bytes per second: not one that came, read next to nothing of
    /// that and did not wait for it.
    pub(crate) fn has_part(&self, moved: f64) -> bool {
        const MIN_SHARE: f64 = 0.05;
        let reads = matches!(self.kind, Kind::Stream { .. } | Kind::Cold { .. } | Kind::WorkingSet { .. });
        self.ran_before || !reads || self.command.moved() >= MIN_SHARE * moved || self.command.waits()
    }

    /// Has a reader of large blocks compute for each part that is read ahead: it copies that while the disk reads the next one.
    pub(super) fn spread(&mut self) {
        if let Kind::Stream { block, direct: false, stride: None, .. } = &mut self.kind
            && *block > READ_AHEAD
        {
            self.compute *= READ_AHEAD / *block;
            *block = READ_AHEAD;
        }
    }

    /// Whether the CPU time of its command is a part of it.
    pub(super) fn computes(&self) -> bool {
        self.compute > 0.0 && self.kind.has_requests() || matches!(self.kind, Kind::Spin { .. })
    }

    /// Whether it is a closed loop: it sends a request, works on what it got, and sends the next one.
    pub(crate) fn is_loop(&self) -> bool {
        self.ran_before || self.command.phase == Phase::Changed
    }

    /// Whether it is of the same program as another.
    pub(crate) fn is_of_program(&self, other: &Self) -> bool {
        self.command.name == other.command.name && self.command.group == other.command.group
    }

    /// Bytes of the anonymous memory at the onset that it takes in the scenario.
    pub(crate) fn brings(&self, calm: &Stretch<'_>) -> f64 {
        match self.kind {
            Kind::Touch { data, .. } if self.ran_before => data,
            Kind::Grow { to, .. } if self.ran_before => to,
            Kind::Grow { .. } if self.command.appeared.is_some_and(|at| at < calm.to) => self.command.calm.anon.1,
            _ => 0.0,
        }
    }

    /// Processes of the command that do it at once, as far as that matters: those that wait for each request.
    pub(crate) fn at_once(&self) -> usize {
        const MOST_PROCESSES: usize = 8;
        const MOST_REQUESTS: usize = 64;
        let most = if self.depth.is_some() { MOST_REQUESTS } else { MOST_PROCESSES };
        match self.kind {
            Kind::WorkingSet { .. }
            | Kind::Touch { .. }
            | Kind::Cold { .. }
            | Kind::Stream { direct: true, .. }
            | Kind::Write { sync_every: Some(_), .. }
            | Kind::Write { direct: true, .. } => {
                // Threads of one process wait at once too.
                let waits = if self.ran_before { self.command.calm.waits } else { self.command.trouble.waits };
                let waiting = self.depth.unwrap_or(0.0).max(waits);
                let processes = self.command.trouble.active.max(self.command.calm.active);
                (1..most).find(|count| *count >= processes.min(most) && *count as f64 + 0.5 >= waiting).unwrap_or(most)
            }
            Kind::Spin { cpus } => {
                let did = if self.ran_before { &self.command.calm } else { &self.command.trouble };
                // What it computes beside its requests is of one of its processes.
                let is_beside = self.command.appeared.is_none() && !self.ran_before;
                let processes = if is_beside { 1 } else { did.computing().min(MOST_PROCESSES) };
                let enough = |count: &usize| *count >= processes && *count as f64 >= cpus;
                (1..MOST_PROCESSES).find(enough).unwrap_or(MOST_PROCESSES)
            }
            // A process computes on one CPU at a time.
            Kind::Stream { .. } => {
                let did = if self.ran_before { &self.command.calm } else { &self.command.trouble };
                let most = did.active.clamp(1, MOST_PROCESSES);
                (1..most).find(|count| *count as f64 + 0.5 >= did.cpu + did.cpu_waits).unwrap_or(most)
            }
            Kind::Write { .. } | Kind::Grow { .. } | Kind::Lookups { .. } => 1,
        }
    }

    /// What one of so many processes does of it.
    pub(crate) fn part_of(&self, all: usize) -> Self {
        let part = |rate: f64| rate / all as f64;
        let kind = match self.kind {
            Kind::WorkingSet { rate, block, size, warm } => Kind::WorkingSet { rate: part(rate), block, size, warm },
            Kind::Touch { code, data, fill, rate, warm } => {
                Kind::Touch { code, data: part(data), fill: fill.map(part), rate: part(rate), warm }
            }
            Kind::Cold { rate, block, direct } => Kind::Cold { rate: rate.map(part), block, direct },
            Kind::Write { rate, block, direct, sync_every, random } => {
                Kind::Write { rate: rate.map(part), block, direct, sync_every, random: random.map(part) }
            }
            Kind::Spin { cpus } => Kind::Spin { cpus: part(cpus) },
            Kind::Stream { rate, block, direct, pass, stride } => {
                // Each reads files of its own: together they are those of the command.
                Kind::Stream { rate: rate.map(part), block, direct, pass: pass.map(part), stride }
            }
            Kind::Grow { .. } | Kind::Lookups { .. } => self.kind,
        };
        Self { kind, ..self.clone() }
    }
}
