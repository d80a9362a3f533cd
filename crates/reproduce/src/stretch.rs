//! What a recording says of a stretch of time.

use pagetide_core::{Recording, Table};

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

    /// The same of the host.
    pub(crate) fn host(&self, metric: &str) -> Option<f64> {
        self.mean(Table::Host, "", metric)
    }

    /// How much a counter of the host rose per second.
    pub(crate) fn host_rate(&self, metric: &str) -> Option<f64> {
        self.rate(Table::Host, "", metric)
    }

    /// The stretch up to a moment, and from it on.
    pub(crate) fn with(self, from: i64, to: i64) -> Self {
        Self { from, to, ..self }
    }
}

/// A whole amount that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
pub(crate) fn whole(amount: f64) -> u64 {
    amount.round().clamp(0.0, 1e18) as u64
}
