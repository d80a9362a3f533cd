//! A command in its control group.

use super::did::Did;
use super::lives::Life;
use super::stretch::Stretch;

/// Which part of what a command did it stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// All of it.
    #[default]
    Whole,
    /// What it did until the onset, and never again.
    Usual,
    /// What it did from the onset on, in place of that.
    Changed,
}

/// A command of a control group.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Command {
    /// What it is called (`comm`).
    pub(crate) name: String,
    /// The path of its group, where groups are recorded: the nearest one from its own up that has a limit, else its own.
    pub(crate) group: Option<String>,
    /// Before the incident, and in it.
    pub(crate) calm: Did,
    pub(crate) trouble: Did,
    /// What it did while pages came back from swap, where any did.
    pub(crate) swapping: Option<Did>,
    /// How long its memory grew until it had nearly all of it, s.
    pub(crate) grew_for: f64,
    /// Anonymous memory that it took in the incident, bytes, where that is counted.
    pub(crate) grew_by: Option<f64>,
    /// Its processes that took memory in the incident, where they came one after the other.
    pub(crate) lives: Vec<Life>,
    /// Its processes, as the recording calls them.
    pub(crate) processes: Vec<String>,
    /// When the first of its processes was seen, if that was after the calm began, ns on the axis.
    pub(crate) appeared: Option<i64>,
    /// When the last of its processes ended, if that was before the incident did.
    pub(crate) ended: Option<i64>,
    /// The share of the calm, and of the incident, in which it ran: what it did then is per second of that.
    pub(crate) ran: [f64; 2],
    pub(crate) phase: Phase,
}

impl Command {
    /// Bytes that it read from devices and dirtied for them in the incident, per second of that.
    pub(crate) fn moved(&self) -> f64 {
        (self.trouble.read + self.trouble.written) * self.ran[1]
    }

    /// Whether it ran before the incident began: one that does something else from the onset on did.
    pub(crate) const fn was_there(&self) -> bool {
        self.appeared.is_none() || matches!(self.phase, Phase::Changed)
    }

    /// Whether it waits for IO in the incident, for more than does not matter.
    pub(crate) fn waits(&self) -> bool {
        const MIN_WAITS: f64 = 0.02;
        self.trouble.waits * self.ran[1] >= MIN_WAITS
    }

    /// A command that does something else from the onset on: that, and what it did before.
    pub(crate) fn phases(&self, onset: i64) -> [Self; 2] {
        let changed = Self { calm: Did::default(), appeared: Some(onset), phase: Phase::Changed, ..self.clone() };
        let usual =
            Self { trouble: self.calm.clone(), ended: Some(onset), grew_by: None, phase: Phase::Usual, ..self.clone() };
        [changed, usual]
    }

    /// The same, by what it did per second of the time in which it ran. A sample more or less says nothing.
    pub(crate) fn while_it_ran(mut self, calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Self {
        /// A command that ran for this share of a stretch ran all the time.
        const ALL: f64 = 0.9;
        let from = self.appeared.unwrap_or(i64::MIN);
        let to = self.ended.unwrap_or(i64::MAX);
        let interval = calm.recording.manifest.interval.as_f64().max(1.0);
        let share = |stretch: &Stretch<'_>| {
            let ran = (to.min(stretch.to).saturating_sub(from.max(stretch.from)) as f64).max(interval);
            let share = ran / (stretch.seconds() * 1e9).max(interval);
            if share < ALL { share } else { 1.0 }
        };
        self.ran = [calm, trouble].map(share);
        self.calm.spread_over(self.ran[0]);
        self.trouble.spread_over(self.ran[1]);
        self
    }
}
