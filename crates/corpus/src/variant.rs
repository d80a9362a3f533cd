//! The same incident, recorded otherwise: for a shorter time, less often, or without a part of what the kernel counts. The answer must
//! not depend on that.

use crate::score::{self, Judged};
use crate::truth::Truth;
use pagetide_core::{Nanos, Recording, RecordingBuilder, Table};

/// Samples before the onset that a recording keeps which began late.
const SAMPLES_BEFORE_ONSET: usize = 12;
/// Samples after the onset that one keeps which was read while the incident lasted.
const SAMPLES_AFTER_ONSET: usize = 30;

/// Samples after the onset at which a recording begins that was started because of the incident.
const DURING: usize = 5;
/// How an incident was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// From a few samples before the onset on.
    BegunLate,
    /// From some samples after the onset on: it has no time before the incident.
    BegunDuring,
    /// Up to some samples after the onset.
    EndedEarly,
    /// Every second sample.
    EverySecond,
    /// Every fifth sample.
    EveryFifth,
    /// Without processes.
    NoProcesses,
    /// Without pressure stall information.
    NoPressure,
    /// Without control groups.
    NoGroups,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::BegunLate,
        Self::BegunDuring,
        Self::EndedEarly,
        Self::EverySecond,
        Self::EveryFifth,
        Self::NoProcesses,
        Self::NoPressure,
        Self::NoGroups,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BegunLate => "begun 12 samples before the onset",
            Self::BegunDuring => "begun 5 samples after the onset",
            Self::EndedEarly => "ended 30 samples after the onset",
            Self::EverySecond => "every second sample",
            Self::EveryFifth => "every fifth sample",
            Self::NoProcesses => "without processes",
            Self::NoPressure => "without pressure stall information",
            Self::NoGroups => "without control groups",
        }
    }

    /// The samples that it keeps.
    fn samples(self, recording: &Recording, onset_ns: Option<i64>) -> Option<Vec<usize>> {
        let all = 0..recording.stamps().len();
        let onset = || onset_ns.map(|onset| recording.stamps().partition_point(|stamp| stamp.boot_ns < onset));
        Some(match self {
            Self::BegunLate => all.skip(onset()?.saturating_sub(SAMPLES_BEFORE_ONSET)).collect(),
            Self::BegunDuring => all.skip(onset()? + DURING).collect(),
            Self::EndedEarly => all.take(onset()? + SAMPLES_AFTER_ONSET).collect(),
            Self::EverySecond => all.step_by(2).collect(),
            Self::EveryFifth => all.step_by(5).collect(),
            Self::NoProcesses | Self::NoPressure | Self::NoGroups => all.collect(),
        })
    }

    fn keeps(self, table: Table, metric: &str) -> bool {
        match self {
            Self::NoProcesses => table != Table::Process,
            Self::NoPressure => !metric.starts_with("psi_"),
            Self::NoGroups => table != Table::Cgroup,
            _ => true,
        }
    }

    const fn times(self) -> u64 {
        match self {
            Self::EverySecond => 2,
            Self::EveryFifth => 5,
            _ => 1,
        }
    }

    /// The recording as it would have been; absent where the variant needs an onset and there is none.
    pub fn of(self, recording: &Recording, onset_ns: Option<i64>) -> Option<Recording> {
        let samples = self.samples(recording, onset_ns)?;
        let mut manifest = recording.manifest.clone();
        manifest.interval = Nanos::new(manifest.interval.get().saturating_mul(self.times()));
        let mut made = RecordingBuilder::new(manifest);
        samples.iter().for_each(|at| made.stamp(recording.stamps()[*at]));
        for table in Table::ALL {
            for (name, _) in recording.entities(table) {
                for (column, values) in
                    recording.columns(table, name).filter(|(column, _)| self.keeps(table, &column.name))
                {
                    let points = samples.iter().enumerate().filter_map(|(place, at)| Some((place, values.at(*at)?)));
                    made.column(table, recording.entity_of(table, name), column, points);
                }
            }
        }
        let (first, last) = (samples.first()?, samples.last()?);
        let within = recording.stamps()[*first].boot_ns..=recording.stamps()[*last].boot_ns;
        let marks = recording.marks.iter().filter(|mark| within.contains(&mark.stamp.boot_ns));
        marks.for_each(|mark| made.mark(mark.clone()));
        Some(made.finish())
    }

    /// What the rules report of it.
    pub fn judge(self, name: &str, truth: &Truth, recording: &Recording) -> Option<Judged> {
        let recording = self.of(recording, truth.onset_ns)?;
        // Nobody can see an onset that was not recorded.
        let onset_ns = truth.onset_ns.filter(|_| self != Self::BegunDuring);
        Some(score::judged(name.to_owned(), Truth { onset_ns, ..truth.clone() }, &recording))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, Stamp, Unit};

    #[test]
    fn a_variant_keeps_only_its_samples_and_metrics() {
        let mut whole = RecordingBuilder::new(Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() });
        let column = |name: &str| Column { name: name.to_owned(), kind: Kind::Gauge, unit: Unit::Count };
        for at in 0..60 {
            whole.stamp(Stamp { boot_ns: at * 1_000_000_000, ..Stamp::default() });
            whole.value(Table::Host, "", &column("MemFree"), at);
            whole.value(Table::Host, "", &column("psi_io_some"), at);
        }
        let whole = whole.finish();
        let samples = |variant: Variant| variant.of(&whole, Some(20_000_000_000)).map(|made| made.stamps().len());
        assert_eq!(samples(Variant::BegunLate), Some(52));
        assert_eq!(samples(Variant::BegunDuring), Some(35));
        assert_eq!(samples(Variant::EndedEarly), Some(50));
        assert_eq!(samples(Variant::EveryFifth), Some(12));
        let fifth = Variant::EveryFifth.of(&whole, None).unwrap_or_default();
        assert_eq!(fifth.manifest.interval, Nanos::new(5_000_000_000));
        assert_eq!(fifth.host("MemFree").and_then(|series| series.points().nth(1)), Some((5_000_000_000, 5)));
        assert!(Variant::NoPressure.of(&whole, None).is_some_and(|made| made.host("psi_io_some").is_none()));
        assert_eq!(Variant::BegunLate.of(&whole, None), None, "nothing begins");
    }
}
