//! What a rule looks at: a stretch of a recording, with the step's figures when it is a step of a lab run.

use pagetide_core::{Figure, Kind, Quantity, Recording, Series, StepResult, Table};

/// A stretch of a recording.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// The whole recording.
    pub recording: &'a Recording,
    /// Where the stretch begins, ns on the recording's axis.
    pub from: i64,
    /// Where it ends.
    pub to: i64,
    /// What was measured, when the stretch is a step of a lab run.
    pub step: Option<&'a StepResult>,
}

impl<'a> Window<'a> {
    /// The stretches that a recording is examined in: its steps when it has any, else all of it.
    pub fn all(recording: &'a Recording) -> Vec<Self> {
        let steps: Vec<Self> = recording
            .steps()
            .map(|step| Self { recording, from: step.started_ns, to: step.ended_ns, step: Some(step) })
            .collect();
        if !steps.is_empty() {
            return steps;
        }
        let whole = recording.span().map(|(from, to)| Self { recording, from, to, step: None });
        whole.into_iter().collect()
    }

    /// Its length in seconds; absent when it has none.
    pub fn seconds(&self) -> Option<f64> {
        let length = self.to.checked_sub(self.from)?;
        (length > 0).then_some(length as f64 / 1e9)
    }

    /// A figure of the step.
    pub fn figure(&self, figure: Figure) -> Option<f64> {
        self.step?.get(figure)
    }

    /// A figure of the step with its unit.
    pub fn quantity(&self, figure: Figure) -> Option<Quantity> {
        self.step?.quantity(figure)
    }

    /// How much a counter rose in this stretch; of a stored rate, its mean over the stretch times its length.
    pub fn rise(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        let series = self.recording.series(table, entity, metric)?;
        match series.column().kind {
            Kind::Counter => series.rise(self.from, self.to).map(|rise| rise as f64),
            Kind::Rate => Some(self.rate_of(&series)? * self.seconds()?),
            Kind::Gauge | Kind::Unknown => None,
        }
    }

    /// The mean rate per second of a counter, or of a stored rate, in this stretch.
    pub fn rate(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        self.rate_of(&self.recording.series(table, entity, metric)?)
    }

    fn rate_of(&self, series: &Series<'_>) -> Option<f64> {
        let (mut sum, mut seconds) = (0.0, 0.0);
        for (from, to, rate) in series.rates() {
            let overlap = to.min(self.to).saturating_sub(from.max(self.from));
            if overlap > 0 {
                sum += rate * overlap as f64;
                seconds += overlap as f64;
            }
        }
        (seconds > 0.0).then(|| sum / seconds)
    }

    /// The sum over the host's counters that exist of those named; absent when none does.
    pub fn host_rise(&self, metrics: &[&str]) -> Option<f64> {
        metrics.iter().filter_map(|metric| self.rise(Table::Host, "", metric)).reduce(|sum, rise| sum + rise)
    }

    /// The smallest, mean and largest value of a gauge of the host in this stretch.
    pub fn host_gauge(&self, metric: &str) -> Option<(f64, f64, f64)> {
        let (least, mean, most) = self.recording.host(metric)?.summary(self.from, self.to)?;
        Some((least as f64, mean, most as f64))
    }

    /// The disks that do the IO themselves: not partitions, md or dm, which only pass it on. Of a lab run, the disk that
    /// the run used.
    pub fn disks(&self) -> Vec<&'a str> {
        let manifest = &self.recording.manifest;
        let stacked = |name: &str| manifest.disks.iter().any(|disk| disk.name == name && !disk.below.is_empty());
        let all = self.recording.entities(Table::Disk).map(|(name, _)| name);
        match &manifest.workload_disk {
            Some(only) => all.filter(|name| name == only).collect(),
            None => all.filter(|name| !stacked(name)).collect(),
        }
    }

    /// The size of a page in bytes; 4 KiB when the recording does not say.
    pub fn page_size(&self) -> f64 {
        let size = self.recording.manifest.page_size.as_f64();
        if size > 0.0 { size } else { 4096.0 }
    }
}
