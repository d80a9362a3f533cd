//! What the recorded command waited for, from the kernel's exit records of every task that it started.

use pagetide_core::Nanos;
use pagetide_kernel::taskstats::{FamilyDelays, NoTaskstats};
use pagetide_kernel::{Root, cpu_limit};
use std::time::Duration;

/// What a command and all that it started waited for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandWaits {
    /// The kernel's name of each delay, and the time, added over tasks.
    pub delays: Vec<(&'static str, Nanos)>,
    /// Why delays are not known.
    pub unknown: Option<String>,
    /// Time that CPU limits throttled the command's control group and those above it; absent without a CPU controller.
    pub cpu_throttled: Option<Nanos>,
}

/// How often records are read: fewer tasks end in this time than the kernel queues records for.
pub(crate) const PERIOD: Duration = Duration::from_millis(500);

/// Listens while a command runs.
#[derive(Debug)]
pub(crate) struct WaitListener {
    family: Result<FamilyDelays, NoTaskstats>,
    throttled: Option<Nanos>,
    root: Root,
}

impl WaitListener {
    pub(crate) fn start(root: Root) -> Self {
        Self { family: FamilyDelays::open(&root), throttled: cpu_limit::throttled(&root), root }
    }

    /// Takes what has been told; to be called again and again.
    pub(crate) fn look(&mut self) {
        if let Ok(family) = &mut self.family
            && let Err(error) = family.look()
        {
            self.family = Err(error.into());
        }
    }

    /// Call this after waiting for the command: the kernel has sent all its records by then.
    pub(crate) fn finish(mut self) -> CommandWaits {
        self.look();
        let now = cpu_limit::throttled(&self.root);
        let delays = self.family.as_ref().map_or_else(|_| Vec::new(), |family| family.of_children(std::process::id()));
        let unknown = match &self.family {
            Err(why) => Some(why.to_string()),
            Ok(_) if delays.is_empty() => {
                Some("no exit record of the command came: too many tasks ended at once".to_owned())
            }
            Ok(_) if delays.len() == 1 => Some(NoTaskstats::Off.to_string()),
            Ok(_) => None,
        };
        CommandWaits {
            delays: delays.into_iter().map(|(name, ns)| (name, Nanos::new(ns))).collect(),
            unknown,
            cpu_throttled: now
                .zip(self.throttled)
                .map(|(now, before)| Nanos::new(now.get().saturating_sub(before.get()))),
        }
    }
}
