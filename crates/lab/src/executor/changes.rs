//! The changes of the machine beside the loads of a parallel step: when each is due, and what the step says of it.

use pagetide_core::{Bytes, Error, Nanos, Step, TimedChange};
use std::collections::VecDeque;

/// The changes of a step.
pub(crate) struct Changes<'a> {
    /// Those that are still to come, the next one first.
    left: VecDeque<&'a TimedChange>,
    happened: Vec<String>,
    refused: Vec<String>,
}

impl<'a> Changes<'a> {
    pub(crate) fn of(step: &'a Step) -> Self {
        let mut left: Vec<&TimedChange> = step.meanwhile.iter().collect();
        left.sort_by_key(|change| change.after);
        Self { left: left.into(), happened: Vec::new(), refused: Vec::new() }
    }

    /// How long after the start of the step the next one is due.
    pub(crate) fn next_after(&self) -> Option<Nanos> {
        self.left.front().map(|change| change.after)
    }

    /// The next one, when it is due so long after the start of the step.
    pub(crate) fn take_due(&mut self, since: Nanos) -> Option<&'a TimedChange> {
        self.left.pop_front_if(|change| change.after <= since)
    }

    /// Notes that one was made, and to what.
    pub(crate) fn made(&mut self, change: &TimedChange, since: Nanos, to: Result<String, Error>) {
        let what = change.describe();
        match to {
            Ok(to) => self.happened.push(format!("after {since}: {what}{to}")),
            Err(error) => self.refused.push(format!("after {since}: {what}: {error}")),
        }
    }

    /// What the step says when its loads have ended: why it was not what the scenario says, and which changes happened.
    pub(crate) fn end(self, since: Nanos) -> (Vec<String>, Vec<String>) {
        let missed = self.left.into_iter().map(|change| {
            let (after, what) = (change.after, change.describe());
            format!("after {after}: {what}: did not happen, because the step ended after {since}")
        });
        (self.refused.into_iter().chain(missed).collect(), self.happened)
    }
}

/// Why nothing is reclaimed of a group.
pub(crate) fn no_group(name: &str) -> Error {
    Error::input(format!("no part has begun in group {name}"), "let it come later, or the part begin earlier")
}

/// What a reclaim of a group could find.
pub(crate) fn of_group(charged: Bytes) -> String {
    format!(" (the group had {charged})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Scenario;

    #[test]
    fn a_change_that_comes_after_the_end_is_said_not_to_have_happened() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"64MiB\"\n[[machine.disk]]\nname = \"d\"\n\
                    size = \"1GiB\"\nlatency = \"1us\"\n[[step]]\nid = \"p\"\nparallel = [{ name = \"a\", spin = { time = \"1s\" }, cgroup = { name = \"g\" } }]\n\
                    meanwhile = [{ after = \"10s\", drop_caches = true }, { after = \"2s\", device = { disk = \"d\", iops = 10 } }, \
                    { after = \"1s\", reclaim = { cgroup = \"g\", size = \"4MiB\" }, sysctl = { \"vm.swappiness\" = 1 } }]\n";
        let scenario = Scenario::parse(text, "t.toml").unwrap();
        let mut changes = Changes::of(&scenario.steps[0]);
        let second = |seconds: u64| Nanos::new(seconds * 1_000_000_000);
        assert_eq!(changes.next_after(), Some(second(1)));
        assert!(changes.take_due(Nanos::ZERO).is_none());
        let first = changes.take_due(second(1)).unwrap();
        changes.made(first, second(1), Ok(of_group(Bytes::ZERO)));
        let next = changes.take_due(second(3)).unwrap();
        changes.made(next, second(3), Err(Error::system("no such disk", "")));
        assert!(changes.take_due(second(3)).is_none());
        let (refused, happened) = changes.end(second(4));
        assert_eq!(happened, ["after 1 s: reclaim 4 MiB of cgroup g, vm.swappiness=1 (the group had 0 B)"]);
        assert_eq!(
            refused,
            [
                "after 3 s: change disk d to 10 IOPS: no such disk",
                "after 10 s: drop caches: did not happen, because the step ended after 4 s",
            ]
        );
    }
}
