//! What a recording says of a stretch of time.

use pagetide_core::{Recording, RecordingBuilder, Span, Table};

/// Bytes of a page: what counters of pages count.
pub(crate) const PAGE: f64 = 4096.0;
/// Ticks per second, in which CPU time is recorded (`USER_HZ`).
pub(crate) const TICKS: f64 = 100.0;

/// A recording from one moment to another, ns on its axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch<'a> {
    pub(crate) recording: &'a Recording,
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Stretch<'_> {
    pub(crate) fn seconds(&self) -> f64 {
        (self.to.saturating_sub(self.from)) as f64 / 1e9
    }

    /// From each sample to the next.
    pub(crate) fn intervals(&self) -> Vec<Self> {
        let moments = self.recording.stamps().iter().map(|stamp| stamp.boot_ns);
        let within: Vec<i64> = moments.filter(|at| (self.from..=self.to).contains(at)).collect();
        within.windows(2).map(|pair| self.with(pair[0], pair[1])).collect()
    }

    /// Up to the last sample that was taken so many seconds before its end, or earlier.
    pub(crate) fn without_last(&self, seconds: f64) -> Self {
        let last = self.intervals().iter().map(|part| part.from).rfind(|from| (self.to - from) as f64 / 1e9 >= seconds);
        self.with(self.from, last.unwrap_or(self.from))
    }

    /// How much a counter rose per second.
    pub(crate) fn rate(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        let rise = self.recording.series(table, entity, metric)?.around(self.from, self.to).rise(self.from, self.to)?;
        (self.to > self.from).then(|| rise as f64 / self.seconds())
    }

    /// The mean of a gauge.
    pub(crate) fn mean(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        let series = self.recording.series(table, entity, metric)?;
        series.summary(self.from, self.to).map(|(_, mean, _)| mean)
    }

    /// The largest value of a gauge.
    pub(crate) fn most(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        let series = self.recording.series(table, entity, metric)?;
        series.summary(self.from, self.to).map(|(_, _, most)| most as f64)
    }

    /// The first and the last value of a gauge.
    pub(crate) fn ends(&self, table: Table, entity: &str, metric: &str) -> Option<(f64, f64)> {
        let series = self.recording.series(table, entity, metric)?;
        let mut points = series.within(self.from, self.to);
        let first = points.next()?;
        let last = points.next_back().unwrap_or(first);
        Some((first.1 as f64, last.1 as f64))
    }

    /// The last value of a gauge up to a moment, or its first one.
    pub(crate) fn value_at(&self, table: Table, entity: &str, metric: &str, at: i64) -> Option<f64> {
        let series = self.recording.series(table, entity, metric)?;
        let last = series.within(i64::MIN, at).next_back();
        last.or_else(|| series.points().next()).map(|(_, value)| value as f64)
    }

    /// The value of a gauge in the last sample up to a moment; none where that sample has none, as of a limit that is not set.
    pub(crate) fn sampled_at(&self, table: Table, entity: &str, metric: &str, at: i64) -> Option<f64> {
        let stamps = self.recording.stamps();
        let last = stamps.partition_point(|stamp| stamp.boot_ns <= at).saturating_sub(1);
        let moment = stamps.get(last)?.boot_ns;
        let series = self.recording.series(table, entity, metric)?;
        series.within(moment, moment).next().map(|(_, value)| value as f64)
    }

    /// When a gauge of the host has risen by this share of all that it rises, seconds after the begin.
    pub(crate) fn time_of_rise(&self, metric: &str, share: f64) -> Option<f64> {
        let series = self.recording.series(Table::Host, "", metric)?;
        let points: Vec<(i64, i64)> = series.within(self.from, self.to).collect();
        let (first, most) = (points.first()?.1, points.iter().map(|(_, value)| *value).max()?);
        let wanted = first as f64 + (most - first) as f64 * share;
        let (at, _) = points.iter().find(|(_, value)| *value as f64 >= wanted)?;
        Some(at.saturating_sub(self.from) as f64 / 1e9)
    }

    /// The same of the host.
    pub(crate) fn host(&self, metric: &str) -> Option<f64> {
        self.mean(Table::Host, "", metric)
    }

    /// How much a counter of the host rose per second.
    pub(crate) fn host_rate(&self, metric: &str) -> Option<f64> {
        self.rate(Table::Host, "", metric)
    }

    /// What is left of it without these spans; all of it where that is nothing.
    pub(crate) fn without(&self, spans: &[Span]) -> Vec<Self> {
        let overlaps = |part: &Self| spans.iter().any(|span| span.from.ns() < part.to && part.from < span.to.ns());
        let mut parts: Vec<Self> = Vec::new();
        for part in self.intervals().into_iter().filter(|part| !overlaps(part)) {
            match parts.last_mut().filter(|last| last.to == part.from) {
                Some(last) => last.to = part.to,
                None => parts.push(part),
            }
        }
        if parts.is_empty() { vec![*self] } else { parts }
    }

    /// The stretch up to a moment, and from it on.
    pub(crate) fn with(self, from: i64, to: i64) -> Self {
        Self { from, to, ..self }
    }
}

/// How much a counter rose per second of several stretches.
pub(crate) fn rate_of_all(parts: &[Stretch<'_>], table: Table, entity: &str, metric: &str) -> Option<f64> {
    let rises =
        parts.iter().filter_map(|part| Some((part.rate(table, entity, metric)? * part.seconds(), part.seconds())));
    let (rise, time) = rises.reduce(|(rise, time), (more, longer)| (rise + more, time + longer))?;
    Some(rise / time)
}

/// The samples of a recording up to a moment.
pub(crate) fn until(recording: &Recording, to: i64) -> Recording {
    let mut made = RecordingBuilder::new(recording.manifest.clone());
    recording.stamps().iter().filter(|stamp| stamp.boot_ns <= to).for_each(|stamp| made.stamp(*stamp));
    for table in Table::ALL {
        for (entity, _) in recording.entities_within(table, i64::MIN, to) {
            made.entity(table, recording.entity_of(table, entity));
            for (column, values) in recording.columns(table, entity) {
                made.values(table, entity, column.clone(), values.clone());
            }
        }
    }
    made.finish()
}

/// A gauge of the host when the incident began.
pub(crate) fn at_onset(calm: &Stretch<'_>, trouble: &Stretch<'_>, metric: &str) -> Option<f64> {
    let last = calm.ends(Table::Host, "", metric).map(|ends| ends.1);
    last.or_else(|| trouble.ends(Table::Host, "", metric).map(|ends| ends.0))
}

/// A whole amount that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
pub(crate) fn whole(amount: f64) -> u64 {
    amount.round().clamp(0.0, 1e18) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn a_limit_holds_from_the_sample_that_has_it_and_ends_with_the_first_that_has_none() {
        let mut made = RecordingBuilder::new(Manifest::default());
        let max = Column { name: "max".to_owned(), kind: Kind::Gauge, unit: Unit::Bytes };
        for at in 1..=4 {
            made.stamp(Stamp { boot_ns: at, ..Stamp::default() });
            if at == 2 {
                made.value(Table::Cgroup, "/app", &max, 1 << 20);
            }
        }
        let recording = made.finish();
        let stretch = Stretch { recording: &recording, from: 1, to: 4 };
        let limits = [1, 2, 3].map(|at| stretch.sampled_at(Table::Cgroup, "/app", "max", at));
        assert_eq!(limits, [None, Some(1048576.0), None]);
    }
}
