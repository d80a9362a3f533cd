//! What less memory would cost: the models of smaller caches, where they reproduce what the present one misses.

use crate::live_trace::Traced;
use pagetide_core::{Bytes, printable};
use pagetide_trace::{PARTS, POLICIES, PlaceMemory, Policy, Replayed, Summary};
use serde_json::json;

/// With fewer sampled reads there is no result.
const SAMPLED_READS_MIN: u64 = 1000;
/// The model of the present cache may differ from the kernel's miss ratio by this much.
const REPRODUCED: f64 = 0.02;
/// A smaller rise of the miss ratio counts as no cost.
const NEGLIGIBLE_RISE: f64 = 0.005;

/// What smaller caches of one place would miss, or why that is unknown.
#[derive(Debug)]
pub(super) struct Less {
    /// The control group of the readers; absent for the host.
    pub(super) group: Option<String>,
    pub(super) memory: PlaceMemory,
    /// Share of the reads that the kernel had to read from the device.
    pub(super) present: f64,
    /// How many of them were seen.
    sampled: u64,
    pub(super) result: Result<Model, String>,
}

/// The model that reproduces the present miss ratio best.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) policy: Policy,
    /// What it misses with all of the present cache.
    pub(super) reproduced: f64,
    /// Pages less, and the miss ratio then; the present first.
    pub(super) points: Vec<(u64, f64)>,
}

/// All places whose reads were replayed: those with most reads first.
pub(super) fn all(summary: &Summary) -> Vec<Less> {
    let mut places: Vec<_> = summary.replayed.iter().filter(|(_, replayed)| replayed.reads > 0).collect();
    places.sort_by_key(|(_, replayed)| std::cmp::Reverse(replayed.reads));
    places.into_iter().map(|(group, replayed)| less(summary, group.as_ref(), replayed)).collect()
}

fn less(summary: &Summary, group: Option<&String>, replayed: &Replayed) -> Less {
    let reads = exact_reads(summary, group, replayed);
    let present = (replayed.misses as f64 / reads).min(1.0);
    let sampled = replayed.reads / summary.coverage.scale.max(1);
    let result = if sampled < SAMPLED_READS_MIN {
        Err(format!("{sampled} sampled reads, {SAMPLED_READS_MIN} are needed"))
    } else {
        model(replayed, reads, present)
    };
    Less { group: group.cloned(), memory: replayed.memory, present, sampled, result }
}

/// Pages that the place read. A few hot pages in or out of the sample change this number a lot, so the exact count is used if the
/// place has most of all reads.
fn exact_reads(summary: &Summary, group: Option<&String>, replayed: &Replayed) -> f64 {
    const DOMINANT_SHARE: f64 = 0.9;
    let host = summary.replayed.get(&None).map_or(0, |host| host.reads);
    let others = if group.is_some() { host.saturating_sub(replayed.reads) } else { 0 };
    let (sampled, others) = (replayed.reads as f64, others as f64);
    match summary.replayed_reads {
        Some(exact) if sampled >= DOMINANT_SHARE * host as f64 && exact as f64 > 2.0 * others => exact as f64 - others,
        _ => sampled,
    }
}

fn model(replayed: &Replayed, reads: f64, present: f64) -> Result<Model, String> {
    let models = POLICIES.into_iter().zip(&replayed.modelled);
    let models = models.map(|(policy, missed)| (policy, missed[PARTS - 1] as f64 / reads, missed));
    let (policy, reproduced, missed) = models
        .min_by(|a, b| (a.1 - present).abs().total_cmp(&(b.1 - present).abs()))
        .ok_or_else(|| "no model".to_owned())?;
    if (reproduced - present).abs() > REPRODUCED {
        return Err(format!(
            "the models do not reproduce the present miss ratio: {present:.3} measured, {reproduced:.3} by the nearest model"
        ));
    }
    let mut worst = present;
    let points = (0..PARTS).map(|less| {
        // A model's own error is that of its present point, so only the change from there counts. Less memory never helps.
        let rise = (missed[PARTS - 1 - less] as f64 / reads - reproduced).max(0.0);
        worst = f64::max(worst, (present + rise).min(1.0));
        (replayed.memory.file_pages / PARTS as u64 * less as u64, worst)
    });
    Ok(Model { policy, reproduced, points: points.collect() })
}

impl Less {
    /// Whether enough reads were seen for [`Self::present`].
    pub(super) const fn is_known(&self) -> bool {
        self.sampled >= SAMPLED_READS_MIN
    }

    /// The most memory that can go without a rise of the miss ratio, with the ratio then.
    fn free(&self) -> Option<(u64, f64)> {
        let points = &self.result.as_ref().ok()?.points;
        points.iter().copied().take_while(|(_, missed)| missed - self.present <= NEGLIGIBLE_RISE).last()
    }

    /// The sentences about it.
    pub(super) fn text(&self, traced: &Traced) -> String {
        let place =
            self.group.as_ref().map_or_else(|| "host".to_owned(), |group| format!("group {}", printable(group)));
        let size = |pages: u64| traced.bytes(pages as f64);
        let cache = size(self.memory.file_pages);
        let model = match &self.result {
            Err(why) => return format!("{place}: the cost of less memory is unknown: {why}.\n"),
            Ok(model) => model,
        };
        let name = match model.policy {
            Policy::Lru => "LRU",
            Policy::TwoLists => "two LRU lists",
        };
        let mut text = match self.free() {
            Some((pages, missed)) if pages > 0 => format!(
                "{place}: {} less would cost nothing: {:.3} of page reads miss now, {missed:.3} then",
                size(pages),
                self.present
            ),
            _ => {
                let (pages, missed) = model.points.get(1).copied().unwrap_or_default();
                format!(
                    "{place}: the whole cache is in use: {:.3} of page reads miss now, {missed:.3} with {} less",
                    self.present,
                    size(pages)
                )
            }
        };
        text +=
            &format!(" (file cache {cache}; model: {name}, which gives {:.3} for the present).\n", model.reproduced);
        text += &self.advice(traced);
        text += "less memory   miss ratio\n";
        for (pages, missed) in &model.points {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 40")]
            let bar = "#".repeat((missed * 40.0).round() as usize);
            text += &format!("{:>11}   {missed:>7.3}  {bar}\n", size(*pages).to_string());
        }
        text
    }

    /// What to set for a control group: what it needs as its protection, and as its limit.
    fn advice(&self, traced: &Traced) -> String {
        let (Some(group), Some(other), Some((free, _))) = (&self.group, self.memory.other_pages, self.free()) else {
            return String::new();
        };
        if group == "/" {
            return String::new();
        }
        let needed = traced.bytes(self.memory.file_pages.saturating_sub(free).saturating_add(other) as f64);
        let limit =
            if free > 0 { format!("; memory.max of {needed} would suffice for these reads") } else { String::new() };
        format!(
            "  to do: memory.low of {needed} protects what {group} needs (v1: memory.soft_limit_in_bytes){limit}.\n"
        )
    }

    /// For JSON.
    pub(super) fn document(&self, traced: &Traced) -> serde_json::Value {
        let bytes = |pages: u64| traced.bytes(pages as f64).get();
        let model = self.result.as_ref().ok();
        json!({
            "group": self.group,
            "file_cache_bytes": bytes(self.memory.file_pages),
            "other_bytes": self.memory.other_pages.map(bytes),
            "miss_ratio": self.present,
            "refused": self.result.as_ref().err(),
            "model": model.map(|model| match model.policy { Policy::Lru => "lru", Policy::TwoLists => "two_lists" }),
            "model_miss_ratio": model.map(|model| model.reproduced),
            "without_cost_bytes": self.free().map(|(pages, _)| bytes(pages)),
            "points": model.map(|model| model.points.iter().map(|(pages, missed)| json!({
                "less_bytes": bytes(*pages), "miss_ratio": missed,
            })).collect::<Vec<_>>()),
        })
    }

    /// The points in bytes of file cache, for a picture.
    pub(super) fn curve(&self, traced: &Traced) -> Option<Vec<(f64, f64)>> {
        let points = &self.result.as_ref().ok()?.points;
        let size = |less: u64| traced.bytes(self.memory.file_pages.saturating_sub(less) as f64).as_f64();
        Some(points.iter().map(|(less, missed)| (size(*less), *missed)).collect())
    }

    /// The file cache of now.
    pub(super) fn cache(&self, traced: &Traced) -> Bytes {
        traced.bytes(self.memory.file_pages as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64 000 reads in a cache of 8 GiB, 1/64 sampled; by the two lists, and by LRU, these misses with 1/8, 2/8, ….
    fn summary(misses: u64, lists: [u64; PARTS], lru: [u64; PARTS]) -> Summary {
        let memory = PlaceMemory { file_pages: 8 << 18, other_pages: Some(1 << 18) };
        let replayed = Replayed { memory, reads: 64_000, misses, modelled: [lists, lru] };
        let mut summary = Summary::default();
        summary.coverage.scale = 64;
        summary.replayed.insert(Some("/db".into()), replayed);
        summary
    }

    #[test]
    fn memory_that_is_not_needed_is_named_with_what_to_set() {
        let lists = [30_000, 10_000, 700, 640, 640, 640, 640, 640];
        let less = all(&summary(640, lists, [64_000; PARTS]));
        assert_eq!(
            less[0].text(&Traced::empty()).lines().take(2).collect::<Vec<_>>(),
            [
                "group /db: 5 GiB less would cost nothing: 0.010 of page reads miss now, 0.011 then (file cache 8 GiB; model: two LRU lists, which gives 0.010 for the present).",
                "  to do: memory.low of 4 GiB protects what /db needs (v1: memory.soft_limit_in_bytes); memory.max of 4 GiB would suffice for these reads."
            ]
        );
    }

    #[test]
    fn a_model_that_does_not_reproduce_the_present_is_not_believed() {
        let less = all(&summary(640, [9000; PARTS], [6400; PARTS]));
        let why = less[0].result.as_ref().unwrap_err();
        assert_eq!(
            why,
            "the models do not reproduce the present miss ratio: 0.010 measured, 0.100 by the nearest model"
        );
        let mut few = summary(640, [640; PARTS], [640; PARTS]);
        few.replayed.get_mut(&Some("/db".to_owned())).unwrap().reads = 6400;
        assert_eq!(all(&few)[0].result.as_ref().unwrap_err(), "100 sampled reads, 1000 are needed");
    }

    #[test]
    fn hot_pages_outside_of_the_sample_count_by_the_exact_number() {
        let mut summary = summary(640, [640; PARTS], [640; PARTS]);
        let db = summary.replayed[&Some("/db".to_owned())];
        summary.replayed.insert(None, Replayed { reads: 70_000, ..db });
        summary.replayed_reads = Some(134_000);
        let of = |group: Option<&str>| all(&summary).into_iter().find(|less| less.group.as_deref() == group).unwrap();
        assert!((of(None).present - 640.0 / 134_000.0).abs() < 1e-12);
        assert!((of(Some("/db")).present - 640.0 / 128_000.0).abs() < 1e-12, "all but the 6000 of others");
    }

    #[test]
    fn what_each_amount_costs_never_falls() {
        let less = all(&summary(6400, [20_000, 30_000, 10_000, 9000, 8000, 7000, 6000, 6500], [0; PARTS]));
        let points = &less[0].result.as_ref().unwrap().points;
        assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{points:?}");
        assert!((points[0].1 - 0.1).abs() < 1e-12);
    }
}
