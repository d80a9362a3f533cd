//! What a rule looks at: a stretch of a recording, with the step's figures when it is a step of a lab run.

use crate::episodes::{Episodes, Of};
use crate::signal::{Signal, hull, interval};
use pagetide_core::{Disk, Figure, Kind, Quantity, Recording, StepResult, Table};
use std::path::Path;

/// Pages that reclaim looked at. Reclaim within a control group for its own limit does not count here (`mm/vmscan.c`).
pub(crate) const SCANNED: &[&str] = &["pgscan_kswapd", "pgscan_direct"];
/// Pages that reclaim freed, as the kernel counts them and as sar sums them up.
pub(crate) const STOLEN: &[&str] = &["pgsteal", "pgsteal_kswapd", "pgsteal_direct"];
/// File pages read back after reclaim, by new and by old kernels.
pub(crate) const REFAULTED: &[&str] = &["workingset_refault_file", "workingset_refault"];

/// Times that a program had to reclaim memory itself, by zone since Linux 4.10.
pub(crate) const STALLS: &[&str] = &[
    "allocstall",
    "allocstall_dma",
    "allocstall_dma32",
    "allocstall_normal",
    "allocstall_movable",
    "allocstall_device",
];

/// A stretch of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    /// The whole recording.
    pub(crate) recording: &'a Recording,
    /// When what is unusual in it.
    pub(crate) episodes: &'a Episodes,
    /// Where the stretch begins, ns on the recording's axis.
    pub(crate) from: i64,
    /// Where it ends.
    pub(crate) to: i64,
    /// What was measured, when the stretch is a step of a lab run.
    pub(crate) step: Option<&'a StepResult>,
    /// The quiet stretch before it, when it is a busy stretch of a recording without steps.
    pub(crate) quiet: Option<(i64, i64)>,
}

impl<'a> Window<'a> {
    /// All of a recording; absent when it is empty.
    pub(crate) fn whole(recording: &'a Recording, episodes: &'a Episodes) -> Option<Self> {
        let (from, to) = recording.span()?;
        Some(Self { recording, episodes, from, to, step: None, quiet: None })
    }

    /// The stretches in which something may have happened: the steps of a recording that has any, else its busy stretches, else
    /// all of it.
    pub(crate) fn all(recording: &'a Recording, episodes: &'a Episodes) -> Vec<Self> {
        let of_step = |step: &'a StepResult| Self {
            recording,
            episodes,
            from: step.started_ns,
            to: step.ended_ns,
            step: Some(step),
            quiet: None,
        };
        let steps: Vec<Self> = recording.steps().map(of_step).collect();
        if !steps.is_empty() {
            return steps;
        }
        let Some(whole) = Self::whole(recording, episodes) else { return Vec::new() };
        let busy = busy(recording, episodes);
        if busy.is_empty() {
            return vec![whole];
        }
        let mut rest = whole.from;
        let windows = busy.into_iter().map(|(from, to)| {
            let quiet = (from > rest).then_some((rest, from));
            rest = to;
            Self { from, to, quiet, ..whole }
        });
        windows.collect()
    }

    /// The quiet stretch before this one, as a window of its own.
    pub(crate) fn before(&self) -> Option<Self> {
        let (from, to) = self.quiet?;
        Some(Self { from, to, step: None, quiet: None, ..*self })
    }

    /// A harm with what led up to it: from where the signal of what drives it left the usual, when it went on until the harm
    /// began. A cause begins when its driver does, and not when the reserve is used up.
    pub(crate) fn led_up_to(&self, harm: (i64, i64), driver: Of<'_>) -> (i64, i64) {
        let slack = interval(self.recording).saturating_mul(2);
        let leads = |episode: &(i64, i64)| episode.0 <= harm.0 && episode.1.saturating_add(slack) >= harm.0;
        let driven = self.episodes.of(self.recording, driver);
        driven
            .iter()
            .map(|(episode, _)| episode)
            .find(|episode| leads(episode))
            .map_or(harm, |episode| (episode.0, harm.1))
    }

    /// What was before a moment of this stretch, with the quiet one before it; absent when nothing was.
    pub(crate) fn until(&self, at: i64) -> Option<Self> {
        let from = self.quiet.map_or(self.from, |quiet| quiet.0);
        (from < at).then_some(Self { from, to: at, quiet: None, ..*self })
    }

    /// When a signal is far above the usual within this stretch.
    pub(crate) fn unusual(&self, signal: Of<'_>) -> Option<(i64, i64)> {
        hull(&self.episodes.of(self.recording, signal), self.from, self.to)
    }

    /// The same; all of the stretch when that cannot be told.
    pub(crate) fn when(&self, signal: Of<'_>) -> (i64, i64) {
        self.unusual(signal).unwrap_or((self.from, self.to))
    }

    /// All memory there is, in bytes.
    pub(crate) fn memory(&self) -> Option<f64> {
        let total = self.recording.manifest.memory_total.as_f64();
        if total > 0.0 { Some(total) } else { self.host_gauge("MemTotal").map(|(.., most)| most) }
    }

    /// The first and the last value of a gauge of the host in this stretch, the first from just before it where there is one.
    pub(crate) fn host_ends(&self, metric: &str) -> Option<(f64, f64)> {
        let series = self.recording.host(metric)?.around(self.from, self.to);
        let first = series.last_within(self.from.saturating_sub(interval(self.recording).max(1)), self.from);
        let first = first.or_else(|| series.within(self.from, self.to).next().map(|(_, value)| value))?;
        let (_, last) = series.within(self.from, self.to).next_back()?;
        Some((first as f64, last as f64))
    }

    /// Its length in seconds; absent when it has none.
    pub(crate) fn seconds(&self) -> Option<f64> {
        let length = self.to.checked_sub(self.from)?;
        (length > 0).then_some(length as f64 / 1e9)
    }

    /// A figure of the step.
    pub(crate) fn figure(&self, figure: Figure) -> Option<f64> {
        self.step?.get(figure)
    }

    /// A figure of the step with its unit.
    pub(crate) fn quantity(&self, figure: Figure) -> Option<Quantity> {
        self.step?.quantity(figure)
    }

    /// How much a counter rose in this stretch; of a stored rate, its mean over the stretch times its length.
    pub(crate) fn rise(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        let series = self.recording.series(table, entity, metric)?;
        match series.column().kind {
            Kind::Counter => series.around(self.from, self.to).rise(self.from, self.to).map(|rise| rise as f64),
            Kind::Rate => Some(self.rate(table, entity, metric)? * self.seconds()?),
            Kind::Gauge | Kind::Unknown => None,
        }
    }

    /// The mean rate per second of a counter, or of a stored rate, in this stretch.
    pub(crate) fn rate(&self, table: Table, entity: &str, metric: &str) -> Option<f64> {
        self.rates(table, entity, &[metric])
    }

    /// The mean of the sum of those rates that exist; absent when none does.
    pub(crate) fn rates(&self, table: Table, entity: &str, metrics: &[&str]) -> Option<f64> {
        Signal::rate_within(self.recording, table, entity, metrics, (self.from, self.to))?.mean(self.from, self.to)
    }

    /// The same for the host.
    pub(crate) fn host_rate(&self, metrics: &[&str]) -> Option<f64> {
        self.rates(Table::Host, "", metrics)
    }

    /// How much a gauge of the host changed: from the last value before the stretch, or the first in it, to the last in it.
    pub(crate) fn host_change(&self, metric: &str) -> Option<f64> {
        self.host_ends(metric).map(|(first, last)| last - first)
    }

    /// The sum over the host's counters that exist of those named; absent when none does.
    pub(crate) fn host_rise(&self, metrics: &[&str]) -> Option<f64> {
        metrics.iter().filter_map(|metric| self.rise(Table::Host, "", metric)).reduce(|sum, rise| sum + rise)
    }

    /// The smallest, mean and largest value of a gauge of the host in this stretch.
    pub(crate) fn host_gauge(&self, metric: &str) -> Option<(f64, f64, f64)> {
        let (least, mean, most) =
            self.recording.host(metric)?.around(self.from, self.to).summary(self.from, self.to)?;
        Some((least as f64, mean, most as f64))
    }

    /// The disks that do the IO themselves: not partitions, md or dm, which only pass it on. Of a lab run, the disk that
    /// the run used.
    pub(crate) fn disks(&self) -> Vec<&'a str> {
        let manifest = &self.recording.manifest;
        let all = self.recording.entities(Table::Disk).map(|(name, _)| name);
        match &manifest.workload_disk {
            Some(only) => all.filter(|name| name == only).collect(),
            None => all.filter(|name| self.stacked(name).is_none()).collect(),
        }
    }

    /// The disks that swap lies on: of a device what does its IO, of a file what its file system lies on; none where the recording
    /// does not say.
    pub(crate) fn swap_disks(&self) -> Vec<&'a str> {
        let manifest = &self.recording.manifest;
        let device = |path: &'a str| {
            let within = |mount: &&String| Path::new(path).starts_with(mount);
            let mounted =
                || manifest.mounts.iter().filter(|(mount, _)| within(mount)).max_by_key(|(mount, _)| mount.len());
            if path.starts_with("/dev/") { Some(path) } else { mounted().map(|(_, device)| device.as_str()) }
        };
        let paths = manifest.swaps.iter().filter_map(|swap| device(&swap.path));
        let mut names: Vec<&str> = paths.filter_map(|path| path.rsplit('/').next()).collect();
        let mut at = 0;
        while let Some(name) = names.get(at).copied() {
            // Each once: a spoiled recording may have them lie on each other.
            let below = self.stacked(name).into_iter().flat_map(|disk| &disk.below);
            below.for_each(|below| {
                if !names.contains(&below.as_str()) {
                    names.push(below)
                }
            });
            at += 1;
        }
        names.retain(|name| self.stacked(name).is_none());
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A disk that passes its IO on to those that it lies on; absent when it does it itself.
    fn stacked(&self, name: &str) -> Option<&'a Disk> {
        self.recording.manifest.disks.iter().find(|disk| disk.name == name && !disk.below.is_empty())
    }

    /// The part of the time in which a disk had a request in flight: the rate of io_ms, or what another tool printed.
    pub(crate) fn busy(&self, disk: &str) -> Option<f64> {
        let counted = self.rate(Table::Disk, disk, "io_ms").map(|ms| ms / 1e3);
        counted.or_else(|| self.rate(Table::Disk, disk, "util"))
    }

    /// The mean number of requests in flight at a disk: the rate of weighted_io_ms, or what another tool printed.
    pub(crate) fn queue(&self, disk: &str) -> Option<f64> {
        let counted = self.rate(Table::Disk, disk, "weighted_io_ms").map(|ms| ms / 1e3);
        counted.or_else(|| self.rate(Table::Disk, disk, "queue_depth"))
    }

    /// The mean time of a request at a disk with its queue, ns: the time spent over all requests by the requests that were
    /// completed, or what another tool printed.
    pub(crate) fn wait(&self, disk: &str) -> Option<f64> {
        let requests = self.rates(Table::Disk, disk, &["reads", "writes"]).filter(|requests| *requests > 0.0);
        let counted = self.rates(Table::Disk, disk, &["read_ms", "write_ms"]).zip(requests);
        counted
            .map(|(ms, requests)| ms / requests * 1e6)
            .or_else(|| Some(self.rate(Table::Disk, disk, "await_ms")? * 1e6))
    }

    /// The size of a page in bytes; 4 KiB when the recording does not say.
    pub(crate) fn page_size(&self) -> f64 {
        let size = self.recording.manifest.page_size.as_f64();
        if size > 0.0 { size } else { 4096.0 }
    }
}

/// The stretches in which anything that matters is far from usual, overlapping ones joined, in order of time.
fn busy(recording: &Recording, episodes: &Episodes) -> Vec<(i64, i64)> {
    let mut signals = vec![
        Of::host(SCANNED),
        Of::host(REFAULTED),
        Of::host(&["pgmajfault"]),
        Of::host(&["pswpin", "pswpout"]),
        Of::host(&["drop_pagecache"]),
        Of::host(&["psi_memory_some"]),
        Of::host(&["psi_io_some"]),
        Of::host(&["cpu_iowait_share"]),
        Of::host(&["psi_cpu_some"]),
        Of::host(&["cpu_user", "cpu_nice", "cpu_system"]),
        Of::host(&["compact_stall"]),
        Of::host_fall("Cached"),
        Of::host_growth("AnonPages"),
    ];
    for (disk, _) in recording.entities(Table::Disk) {
        signals.extend([Of::disk(disk, &["read_sectors"]), Of::disk(disk, &["write_sectors"]), Of::waits(disk)]);
    }
    let mut episodes: Vec<(i64, i64)> = signals
        .into_iter()
        .flat_map(|signal| episodes.of(recording, signal).to_vec())
        .map(|(range, _)| range)
        .collect();
    episodes.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (from, to) in episodes {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}
