//! The kernel's own estimates, recomputed from what it shows: MemAvailable, the dirty thresholds, the watermarks.
//!
//! On one snapshot in which nothing moved they equal the kernel's numbers to the page. They are for asking "what if"
//! (another ratio, less memory) and for kernels that do not print the result. Features are probed, not versions.

use crate::error::Error;
use crate::root::Root;
use crate::sysctl::VmSysctls;
use pagetide_core::{Bytes, Pages};
use pagetide_proctext::zoneinfo::Zone;
use pagetide_proctext::{Meminfo, Vmstat};

/// The files that the formulas need, read one right after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// `/proc/meminfo`
    pub meminfo: Meminfo,
    /// `/proc/vmstat`
    pub vmstat: Vmstat,
    /// `/proc/zoneinfo`
    pub zones: Vec<Zone>,
    /// `/proc/sys/vm`
    pub sysctls: VmSysctls,
    /// Size of a page.
    pub page_size: Bytes,
}

impl Snapshot {
    /// Reads the files.
    pub fn read(root: &Root) -> Result<Self, Error> {
        Ok(Self {
            zones: root.zoneinfo()?,
            sysctls: root.vm_sysctls()?,
            page_size: crate::facts::page_size(root)?,
            vmstat: root.vmstat()?,
            meminfo: root.meminfo()?,
        })
    }

    /// A line of meminfo in pages. meminfo is the place to ask for free memory: where the kernel initialises its memory
    /// late (`CONFIG_DEFERRED_STRUCT_PAGE_INIT`), vmstat's nr_free_pages lacks what is not initialised yet.
    fn pages(&self, name: &str) -> Option<u64> {
        self.meminfo.get(name)?.get().checked_div(self.page_size.get())
    }

    fn file_pages(&self) -> Option<u64> {
        Some(self.pages("Active(file)")? + self.pages("Inactive(file)")?)
    }
}

fn managed(zone: &Zone) -> Option<u64> {
    // Before Linux 3.8 there were only present pages.
    Some(zone.managed.or(zone.present)?.get())
}

/// Pages that the kernel keeps out of every estimate: for each zone its high watermark and its largest lowmem
/// reserve (`mm/page_alloc.c:calculate_totalreserve_pages`). Computed when the watermarks are set, so without boost; who reads
/// `vm.lowmem_reserve_ratio` has the kernel compute it anew with the boost of that moment, which no file shows.
pub fn total_reserve(zones: &[Zone]) -> Option<Pages> {
    let mut sum = 0u64;
    for zone in zones {
        let boost = zone.boost.map_or(0, Pages::get);
        let high = zone.high?.get().saturating_sub(boost);
        let reserve = zone.protection.iter().map(|pages| pages.get()).max().unwrap_or(0);
        sum = sum.checked_add(high.checked_add(reserve)?.min(managed(zone)?))?;
    }
    Some(Pages::new(sum))
}

/// MemAvailable (`mm/show_mem.c:si_mem_available`): free memory less the reserve, plus page cache and reclaimable kernel
/// memory less the half, or the low watermarks, that must stay. `None` when a line is missing.
///
/// Kernels that print MemAvailable but have no counters of zones in vmstat (71c799f4982d, "mm: add per-zone lru list stat",
/// 4.8) may still take the low watermarks off free memory in place of the reserve, as 34e431b0ae39 (3.14) did; which of
/// the two cannot be told from these files, and the newer one is computed.
pub fn mem_available(snapshot: &Snapshot) -> Option<Pages> {
    let free = snapshot.pages("MemFree")?;
    let low = snapshot.zones.iter().try_fold(0u64, |sum, zone| sum.checked_add(zone.low?.get()))?;
    let reserve = total_reserve(&snapshot.zones)?.get();
    // KReclaimable is SReclaimable and what eb59254608bc ("mm: introduce NR_KERNEL_MISC_RECLAIMABLE", 4.20) added.
    let reclaimable = snapshot.pages("KReclaimable").or_else(|| snapshot.pages("SReclaimable"))?;
    let file = snapshot.file_pages()?;
    let gain = |pages: u64| pages - (pages / 2).min(low);
    Some(Pages::new((free + gain(file) + gain(reclaimable)).saturating_sub(reserve)))
}

/// The two limits on dirty memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtyLimits {
    /// Dirty pages above which the flusher runs.
    pub background: Pages,
    /// Dirty and writeback pages at which writers are throttled at the latest.
    pub threshold: Pages,
    /// The memory that the ratios are of.
    pub dirtyable: Pages,
}

impl DirtyLimits {
    /// Up to here nobody is throttled (`mm/page-writeback.c:dirty_freerun_ceiling`).
    pub fn freerun(&self) -> Pages {
        Pages::new(self.background.get().saturating_add(self.threshold.get()) / 2)
    }
}

/// Free memory less the reserve, and page cache (`mm/page-writeback.c:global_dirtyable_memory`).
pub fn dirtyable(snapshot: &Snapshot) -> Option<Pages> {
    let free = snapshot.pages("MemFree")?;
    let reserve = total_reserve(&snapshot.zones)?.get();
    // One more, so that nobody divides by nothing.
    Some(Pages::new(free.saturating_sub(reserve) + snapshot.file_pages()? + 1))
}

/// The dirty thresholds (`mm/page-writeback.c:domain_dirty_limits`), as tasks of ordinary priority get them; real-time tasks
/// get more. `vm.dirty_bytes` and `vm.dirty_background_bytes` override the ratios unless they are 0.
pub fn dirty_limits(snapshot: &Snapshot) -> Option<DirtyLimits> {
    let setting = |name: &str| snapshot.sysctls.get(name);
    let dirtyable = dirtyable(snapshot)?;
    let limit =
        |bytes: &str, ratio: &str| limit(setting(bytes).unwrap_or(0), setting(ratio)?, dirtyable, snapshot.page_size);
    let threshold = limit("dirty_bytes", "dirty_ratio")?;
    let mut background = limit("dirty_background_bytes", "dirty_background_ratio")?;
    if background >= threshold {
        background = Pages::new(threshold.get() / 2);
    }
    Some(DirtyLimits { background, threshold, dirtyable })
}

/// One limit: bytes rounded up to pages, or a percentage. The kernel turns the percentage into a fraction of the page size
/// first, so that 20 % on pages of 4 KiB is 819/4096.
pub fn limit(bytes: u64, percent: u64, dirtyable: Pages, page_size: Bytes) -> Option<Pages> {
    let page = page_size.get();
    if bytes != 0 {
        return Some(Pages::new(bytes.div_ceil(page)));
    }
    let ratio = percent.checked_mul(page)? / 100;
    Some(Pages::new(ratio.checked_mul(dirtyable.get())?.checked_div(page)?))
}

/// The watermarks of a zone, without boost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watermarks {
    /// The zone, as [`Zone::entity`] names it.
    pub zone: String,
    /// Below it allocations reclaim directly.
    pub min: Pages,
    /// Below it kswapd is woken.
    pub low: Pages,
    /// At it kswapd stops.
    pub high: Pages,
}

/// The watermarks of all zones from `vm.min_free_kbytes` and `vm.watermark_scale_factor`
/// (`mm/page_alloc.c:__setup_per_zone_wmarks`).
///
/// Without `watermark_scale_factor` (before 795ae7a0de6b, "mm: scale kswapd watermarks in proportion to memory", 4.6)
/// the steps are a quarter and a half of min. HighMem and Movable get a small min of their own; older kernels treat Movable
/// as any other zone, so there the numbers differ on machines that have movable memory. Zones without memory are left out.
pub fn watermarks(snapshot: &Snapshot) -> Option<Vec<Watermarks>> {
    let kib_per_page = snapshot.page_size.get() / 1024;
    let min_free = snapshot.sysctls.get("min_free_kbytes")?.checked_div(kib_per_page)?;
    let scale = snapshot.sysctls.get("watermark_scale_factor");
    let apart = |zone: &Zone| zone.name == "HighMem" || zone.name == "Movable";
    let mut lowmem_zones = snapshot.zones.iter().filter(|zone| !apart(zone));
    let lowmem = lowmem_zones.try_fold(0u64, |sum, zone| sum.checked_add(managed(zone)?))?;
    let of = |zone: &Zone| {
        let managed = managed(zone)?;
        let share = u64::try_from(u128::from(min_free) * u128::from(managed) / u128::from(lowmem.max(1))).ok()?;
        let min = if apart(zone) { (managed / 1024).clamp(32, 128) } else { share };
        let (low, high) = match scale {
            Some(scale) => {
                let step = (share >> 2).max(managed.checked_mul(scale)? / 10_000);
                (min + step, min + 2 * step)
            }
            None => (min + (share >> 2), min + (share >> 1)),
        };
        Some(Watermarks { zone: zone.entity(), min: Pages::new(min), low: Pages::new(low), high: Pages::new(high) })
    };
    snapshot.zones.iter().filter(|zone| managed(zone) != Some(0)).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_becomes_a_fraction_of_the_page_size_first() {
        let page = Bytes::new(4096);
        let limit = |bytes, percent| limit(bytes, percent, Pages::new(4096 * 1000), page).unwrap().get();
        assert_eq!(limit(0, 20), 819_000);
        assert_eq!(limit(0, 10), 409_000);
        assert_eq!(limit(1, 20), 1, "bytes win and are rounded up");
        assert_eq!(limit(4097, 20), 2);
    }
}
