//! The kernel's counters before and after a step, and the figures of their difference.

use crate::group::{Group, Usage, page_size};
use pagetide_core::{Bytes, Error, Figure, Figures};
use pagetide_kernel::{DiskStats, Meminfo, Root, Vmstat};
use std::fs;

/// The kernel's counters at the start or the end of a step.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    disks: Vec<DiskStats>,
    vmstat: Vmstat,
    meminfo: Meminfo,
    kswapd_ns: Option<u64>,
    usage: Option<Usage>,
}

/// Which end of the step: disks are read last before it and first after it, so that other reads do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Before the step.
    Before,
    /// After it.
    After,
}

impl Reading {
    /// Reads it. `disks` are names as in `/proc/diskstats`.
    ///
    /// # Errors
    /// The kernel's files cannot be read.
    pub(super) fn read(end: End, disks: &[String], group: Option<&Group>) -> Result<Self, Error> {
        let root = Root::host();
        let lost = |error: pagetide_kernel::Error| Error::system(error.to_string(), "");
        let read_disks = || {
            let mut all = root.diskstats().map_err(lost)?;
            all.retain(|disk| disks.contains(&disk.name));
            Ok::<_, Error>(all)
        };
        let first = (end == End::After).then(read_disks).transpose()?;
        let usage = group.map(Group::usage).transpose()?;
        let (kswapd_ns, meminfo) = (kswapd_ns(), root.meminfo().map_err(lost)?);
        let vmstat = root.vmstat().map_err(lost)?;
        let disks = first.map_or_else(read_disks, Ok)?;
        Ok(Self { disks, vmstat, meminfo, kswapd_ns, usage })
    }

    fn disk_sum(&self, field: &str) -> Option<u64> {
        self.disks.iter().map(|disk| disk.get(field)).sum()
    }

    /// A counter of vmstat, or the sum of its parts where a kernel has only those.
    fn vm(&self, name: &str) -> Option<u64> {
        self.vmstat.get(name)
    }

    /// Pages looked at or freed by any kind of reclaim. The sums by kind of page count reclaim within a control group too;
    /// those by kind of reclaimer do not (`mm/vmscan.c: shrink_inactive_list`).
    fn reclaimed(&self, what: &str) -> Option<u64> {
        let by_page = self.vm(&format!("{what}_anon")).zip(self.vm(&format!("{what}_file")));
        by_page.map(|(anon, file)| anon + file).or_else(|| {
            let kinds = [self.vm(&format!("{what}_kswapd")), self.vm(&format!("{what}_direct"))];
            kinds.into_iter().flatten().reduce(|a, b| a + b)
        })
    }

    /// File pages that were read back after reclaim, of the group when there is one.
    fn refaults(&self) -> Option<u64> {
        match &self.usage {
            Some(usage) => usage.get("workingset_refault_file").or_else(|| usage.get("workingset_refault")),
            None => self.vm("workingset_refault_file").or_else(|| self.vm("workingset_refault")),
        }
    }

    fn major_faults(&self) -> Option<u64> {
        self.usage.as_ref().map_or_else(|| self.vm("pgmajfault"), |usage| usage.get("pgmajfault"))
    }

    fn total(&self) -> Option<Bytes> {
        self.usage.as_ref().map_or_else(|| self.meminfo.total(), Usage::limit)
    }

    fn available(&self) -> Option<Bytes> {
        self.usage.as_ref().map_or_else(|| self.meminfo.available(), Usage::available)
    }

    fn free(&self) -> Option<Bytes> {
        self.usage.as_ref().map_or_else(|| self.meminfo.free(), Usage::free)
    }

    /// The dirty and the background threshold of the whole host.
    pub(super) fn thresholds(&self) -> Option<(Bytes, Bytes)> {
        let bytes = |name| self.vmstat.pages(name)?.to_bytes(page_size());
        Some((bytes("nr_dirty_threshold")?, bytes("nr_dirty_background_threshold")?))
    }

    /// Sets the figures of the difference between this reading and a later one.
    pub(super) fn difference(&self, after: &Self, figures: &mut Figures) {
        let mut count = |figure, of: &dyn Fn(&Self) -> Option<u64>, factor: f64| {
            let counted = of(self).zip(of(after)).map(|(from, to)| to.saturating_sub(from) as f64 * factor);
            figures.set_some(figure, counted);
        };
        let page = page_size().as_f64();
        count(Figure::DiskReads, &|reading| reading.disk_sum("reads"), 1.0);
        count(Figure::DiskWrites, &|reading| reading.disk_sum("writes"), 1.0);
        count(Figure::DiskReadMerges, &|reading| reading.disk_sum("read_merges"), 1.0);
        count(Figure::DiskWriteMerges, &|reading| reading.disk_sum("write_merges"), 1.0);
        count(Figure::DiskReadBytes, &|reading| reading.disk_sum("read_sectors"), 512.0);
        count(Figure::DiskWrittenBytes, &|reading| reading.disk_sum("write_sectors"), 512.0);
        let wait = |reading: &Self| {
            Some((
                reading.disk_sum("read_ms")? + reading.disk_sum("write_ms")?,
                reading.disk_sum("reads")? + reading.disk_sum("writes")?,
            ))
        };
        count(Figure::MajorFaults, &Self::major_faults, 1.0);
        count(Figure::Refaults, &Self::refaults, 1.0);
        count(Figure::PagesScanned, &|reading| reading.reclaimed("pgscan"), 1.0);
        count(Figure::PagesStolen, &|reading| reading.reclaimed("pgsteal"), 1.0);
        count(Figure::OomKills, &|reading| reading.vm("oom_kill"), 1.0);
        count(Figure::SwapIn, &|reading| reading.vm("pswpin"), page);
        count(Figure::SwapOut, &|reading| reading.vm("pswpout"), page);
        count(Figure::KswapdCpu, &|reading| reading.kswapd_ns, 1.0);
        if let Some(((from_ms, from), (to_ms, to))) = wait(self).zip(wait(after))
            && to > from
        {
            figures.set(Figure::DiskAwait, to_ms.saturating_sub(from_ms) as f64 * 1e6 / (to - from) as f64);
        }
        let mut gauge = |figure, value: Option<Bytes>| figures.set_some(figure, value.map(Bytes::as_f64));
        gauge(Figure::MemoryTotal, after.total());
        gauge(Figure::AvailableBefore, self.available());
        gauge(Figure::AvailableAfter, after.available());
        gauge(Figure::FreeBefore, self.free());
        gauge(Figure::FreeAfter, after.free());
        gauge(Figure::BuffersBefore, self.meminfo.get("Buffers"));
        gauge(Figure::BuffersAfter, after.meminfo.get("Buffers"));
        gauge(Figure::CacheBefore, self.meminfo.get("Cached"));
        gauge(Figure::CacheAfter, after.meminfo.get("Cached"));
        let swapped = after.meminfo.get("SwapTotal").zip(after.meminfo.get("SwapFree"));
        gauge(Figure::SwapUsed, swapped.map(|(total, free)| total.saturating_sub(free)));
    }

    /// Fraction of `elapsed_ns` in which the busiest disk had a request in flight.
    pub(super) fn disk_util(&self, after: &Self, elapsed_ns: f64) -> Option<f64> {
        let busy = self.disks.iter().filter_map(|before| {
            let after = after.disks.iter().find(|disk| disk.name == before.name)?;
            Some(after.get("io_ms")?.saturating_sub(before.get("io_ms")?))
        });
        let busiest = busy.max()?;
        // The kernel counts whole milliseconds.
        (elapsed_ns > 0.0).then(|| (busiest as f64 * 1e6 / elapsed_ns).min(1.0))
    }
}

/// CPU time of all kswapd threads: exact where the kernel keeps scheduler statistics, else in ticks of 10 ms.
pub(super) fn kswapd_ns() -> Option<u64> {
    let mut sum = None;
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let path = entry.path();
        let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
        // Other processes may call themselves so; a kernel thread has an empty command line.
        if !name.starts_with("kswapd") || fs::read(path.join("cmdline")).map_or(true, |line| !line.is_empty()) {
            continue;
        }
        let exact = fs::read_to_string(path.join("schedstat")).ok();
        let exact = exact.and_then(|text| text.split_ascii_whitespace().next()?.parse::<u64>().ok());
        *sum.get_or_insert(0) += exact.filter(|nanos| *nanos > 0).or_else(|| ticks_ns(&path))?;
    }
    sum
}

fn ticks_ns(process: &std::path::Path) -> Option<u64> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    ticks.checked_mul(10_000_000)
}
