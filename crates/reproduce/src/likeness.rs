//! Whether two recordings show the same incident.

use crate::stretch::Stretch;
use crate::synthesis::word;
use pagetide_core::{Diagnosis, Quantity, Table, Unit};
use serde::Serialize;

/// Amounts are alike within this factor.
const FACTOR: f64 = 1.5;

/// One thing that was compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// What.
    pub what: String,
    /// In the recording.
    pub recorded: String,
    /// In its reproduction.
    pub again: String,
    /// Whether they are alike: words are the same, amounts within a factor of 1.5 or both too small to matter.
    pub alike: bool,
}

/// What is compared of an incident.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Amounts {
    /// The share of time in which a task of the host waited for IO or memory, less that of before.
    waits: Option<f64>,
    /// Refaulted pages per second.
    refaults: Option<f64>,
    /// The share of time in which the busiest disk was busy.
    busy: Option<f64>,
    /// The time of a request on that disk, and how many times that of before it is.
    slower: Option<f64>,
}

impl Amounts {
    pub(crate) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Self {
        let waited = |stretch: &Stretch<'_>| {
            let io = stretch.host_rate("psi_io_some");
            let memory = stretch.host_rate("psi_memory_some");
            Some(io.into_iter().chain(memory).reduce(f64::max)? / 1e6)
        };
        let refaults = |metric: &str| trouble.host_rate(metric);
        let each =
            [refaults("workingset_refault_file"), refaults("workingset_refault_anon"), refaults("workingset_refault")];
        let busiest = trouble
            .recording
            .entities(Table::Disk)
            .filter_map(|(disk, _)| Some((trouble.rate(Table::Disk, disk, "io_ms")? / 1e3, disk)))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let wait = |stretch: &Stretch<'_>, disk: &str| {
            let rate = |metric| stretch.rate(Table::Disk, disk, metric);
            let requests = rate("reads")? + rate("writes")?;
            (requests >= 1.0).then_some((rate("read_ms")? + rate("write_ms")?) / requests)
        };
        Self {
            waits: waited(trouble).map(|share| (share - waited(calm).unwrap_or(0.0)).max(0.0)),
            refaults: each.into_iter().flatten().reduce(|sum, more| sum + more),
            busy: busiest.map(|(busy, _)| busy.min(1.0)),
            slower: busiest.and_then(|(_, disk)| Some(wait(trouble, disk)? / wait(calm, disk)?.max(1e-6))),
        }
    }

    /// How far two are apart: the sum of the logarithms of their ratios.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let apart = |one: Option<f64>, other: Option<f64>, small: f64| match (one, other) {
            (Some(one), Some(other)) => (one.max(small) / other.max(small)).ln().abs(),
            _ => 0.0,
        };
        apart(self.waits, other.waits, 0.02)
            + apart(self.refaults, other.refaults, 20.0)
            + apart(self.busy, other.busy, 0.05)
            + apart(self.slower, other.slower, 1.0)
    }
}

/// Compares an incident with its reproduction.
pub(crate) fn compare(
    (one, recorded): (&Diagnosis, &Amounts),
    (other, again): (&Diagnosis, &Amounts),
) -> Vec<Compared> {
    let mut all = Vec::new();
    let mut words = |what: &str, recorded: String, again: String, alike: bool| {
        all.push(Compared { what: what.to_owned(), recorded, again, alike });
    };
    let verdicts = (one.verdict.name(), other.verdict.name());
    words("verdict", verdicts.0.to_owned(), verdicts.1.to_owned(), verdicts.0 == verdicts.1);
    let cause = |diagnosis: &Diagnosis| {
        diagnosis.cause.as_ref().map_or_else(|| "none".to_owned(), |cause| cause.rule.to_string())
    };
    words("cause", cause(one), cause(other), cause(one) == cause(other));
    let origins = |diagnosis: &Diagnosis| -> Vec<String> {
        let all = diagnosis.cause.iter().flat_map(|cause| cause.origins.iter());
        let commands: Vec<String> = all.clone().filter_map(|actor| actor.as_command().map(ToOwned::to_owned)).collect();
        let others = || all.filter_map(|actor| actor.name().map(ToOwned::to_owned)).collect();
        if commands.is_empty() { others() } else { commands }
    };
    // The reproduction calls its parts, groups and disks by names that a scenario may have; parts of one command have numbers.
    let called = |name: &String| {
        let word = word(name.rsplit('/').next().unwrap_or(name));
        word.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_').to_owned()
    };
    let (from, to) = (origins(one), origins(other));
    let alike = from.is_empty() && to.is_empty()
        || from.iter().any(|name| to.iter().any(|other| called(other) == called(name)));
    let text =
        |names: &[String]| if names.is_empty() { "host".to_owned() } else { names[..names.len().min(2)].join(", ") };
    words("origin", text(&from), text(&to), alike);
    let mut amount = |what: &str, unit: Unit, recorded: Option<f64>, again: Option<f64>, small: f64| {
        let (Some(recorded), Some(again)) = (recorded, again) else { return };
        let (least, most) = (recorded.min(again), recorded.max(again));
        let alike = most <= small || most <= least.max(small / FACTOR) * FACTOR;
        let text = |value: f64| Quantity::new(value, unit).to_string();
        words(what, text(recorded), text(again), alike);
    };
    amount("waits for IO or memory", Unit::Ratio, recorded.waits, again.waits, 0.02);
    amount("refaulted pages", Unit::PagesPerSecond, recorded.refaults, again.refaults, 20.0);
    amount("busiest disk busy", Unit::Ratio, recorded.busy, again.busy, 0.05);
    amount("time of a request by that before", Unit::Count, recorded.slower, again.slower, 1.0);
    all
}
