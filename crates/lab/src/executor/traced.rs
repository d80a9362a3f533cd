//! What the trace of a run adds to the figures of a step: evictions by whom, throttled time, and what more memory would save.

use crate::group::{Group, page_size};
use pagetide_core::{Bytes, Figure, Figures, Part, Quantity, Step, Unit};
use pagetide_trace::{Identity, Misses, Summary};
use std::collections::BTreeMap;

/// Bytes of a process's name that the kernel keeps (`TASK_COMM_LEN` without its 0).
const COMM: usize = 15;
/// Share of the misses that remains when more memory is said to have served them.
const REMAINING: f64 = 0.1;

/// The trace of a run up to the beginning of a step.
pub(super) struct TracedStep(Summary);

/// What the steps so far say about other amounts of memory.
#[derive(Debug, Default)]
pub(super) struct Predictions(BTreeMap<String, Measured>);

/// The misses of a step, by the trace.
#[derive(Debug)]
struct Measured {
    misses: Misses,
    scale: u64,
    hit_ratio: f64,
    available: f64,
}

impl TracedStep {
    /// A step begins.
    pub(super) fn begin(summary: Summary) -> Self {
        Self(summary)
    }

    /// Sets what the trace found during the step; `names` are those of the step's own processes.
    pub(super) fn figures(&self, after: &Summary, names: &[&str], figures: &mut Figures) {
        let evicted = |own: &dyn Fn(Option<&Identity>) -> bool| {
            let sum = |summary: &Summary| -> f64 {
                let pairs = summary.evictions.iter().filter(|(key, _)| own(key.evictor.as_ref()));
                pairs.map(|(_, evicted)| evicted.pages).sum()
            };
            (sum(after) - sum(&self.0)).max(0.0).round()
        };
        let is_own = |who: &Identity| names.iter().any(|name| is_called(who, name));
        figures.set(Figure::Evicted, evicted(&|_| true));
        figures.set(Figure::EvictedFor, evicted(&|who| who.is_some_and(is_own)));
        let throttled = |summary: &Summary| -> u64 {
            let writers = summary.throttled.iter().filter(|((who, _), _)| is_own(who));
            writers.map(|(_, throttled)| throttled.time_ns).sum()
        };
        figures.set(Figure::Throttled, throttled(after).saturating_sub(throttled(&self.0)) as f64);
    }
}

impl Predictions {
    /// Sets what more memory would have saved of the misses of a step that read, and what an earlier step predicts of its hit ratio.
    pub(super) fn figures(
        &mut self,
        step: &Step,
        traced: &TracedStep,
        after: &Summary,
        group: Option<&Group>,
        figures: &mut Figures,
        notes: &mut Vec<String>,
    ) {
        let (Some(hit_ratio), Some(available)) =
            (figures.get(Figure::CacheHitRatio), figures.get(Figure::AvailableBefore))
        else {
            return;
        };
        // Where the pages of the step compete for memory: in the group of the work, or on the whole machine.
        let group = group.map(|group| group.path().to_string_lossy());
        let within = |summary: &Summary| summary.misses_within(group.as_deref());
        let misses = within(after).since(&within(&traced.0));
        let own = Measured { misses, scale: after.coverage.scale, hit_ratio, available };
        if let Some(more) = own.misses.more_pages_for(own.scale, REMAINING) {
            let more = more as f64 * page_size().as_f64();
            figures.set(Figure::MoreMemory, more);
            notes.push(format!(
                "{} more memory would have served {:.0} % of the reads that missed",
                Quantity::new(more, Unit::Bytes),
                100.0 * (1.0 - REMAINING)
            ));
        }
        let from = step.predicted_from.as_ref().and_then(|id| self.0.get(id));
        figures.set_some(Figure::PredictedHitRatio, from.and_then(|from| from.predict(own.available)));
        self.0.insert(step.id.clone(), own);
    }
}

impl Measured {
    /// The hit ratio with this much available memory, if it is at least what the step had and the misses reach that far.
    fn predict(&self, available: f64) -> Option<f64> {
        let more = available - self.available;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, saturates")]
        let pages = (more >= 0.0).then(|| Bytes::new(more as u64).get() / page_size().get())?;
        let point = self.misses.at(self.scale, pages)?;
        Some(1.0 - (1.0 - self.hit_ratio) * point.remaining)
    }
}

/// The names of a step's processes: loads are called as the step or the part, fio and holders by their own names.
pub(super) fn process_names(step: &Step) -> Vec<&str> {
    let parts = step.parts().iter().map(Part::process);
    parts.chain([step.id.as_str(), "fio", "pagetide-hold"]).collect()
}

fn is_called(who: &Identity, name: &str) -> bool {
    who.comm.as_bytes() == &name.as_bytes()[..name.len().min(COMM)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_trace::{Evicted, EvictionKey, Mechanism, ThrottledTime};

    fn summary(own: f64, other: f64, throttled: u64) -> Summary {
        let who = |comm: &str| Identity { comm: comm.into(), group: "/run/backup".into(), uid: None };
        let key = |evictor| EvictionKey { mechanism: Mechanism::Kswapd, evictor, file: None, user: None };
        let pages = |pages| Evicted { pages, read_again: 0.0 };
        let mut summary = Summary::default();
        summary.evictions.insert(key(Some(who("backup_of_the_n"))), pages(own));
        summary.evictions.insert(key(Some(who("else"))), pages(other));
        summary.evictions.insert(key(None), pages(3.0));
        summary.throttled.insert((who("fio"), "8:0".into()), ThrottledTime { pauses: 1, time_ns: throttled });
        summary
    }

    #[test]
    fn a_step_has_what_came_during_it() {
        let mut figures = Figures::default();
        let names = ["backup_of_the_night", "fio"];
        TracedStep::begin(summary(100.0, 10.0, 5)).figures(&summary(164.0, 30.0, 25), &names, &mut figures);
        assert_eq!(figures.get(Figure::Evicted), Some(84.0));
        assert_eq!(figures.get(Figure::EvictedFor), Some(64.0));
        assert_eq!(figures.get(Figure::Throttled), Some(20.0));
    }
}
