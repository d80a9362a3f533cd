//! What `/proc` would say, by the names of the recorder (`fs/proc/meminfo.c`, `mm/vmstat.c`, `block/genhd.c`).

use crate::PAGE_SIZE;
use crate::host::Host;
use crate::memory::kind::Kind;
use crate::memory::zone;
use pagetide_core::Table;

/// Takes a value: table, row, metric, value.
pub type Take<'a> = dyn FnMut(Table, &str, &'static str, i64) + 'a;

impl Host {
    /// `MemAvailable` in pages (`si_mem_available`).
    pub(crate) fn available(&self) -> u64 {
        let low: u64 = self.zones.iter().map(|zone| zone.low).sum();
        let file = self.of_kind(Kind::File, false) + self.of_kind(Kind::File, true);
        let slab = self.slab_pages();
        let free = self.free_pages() as i64 - self.totalreserve as i64;
        (free + (file - (file / 2).min(low)) as i64 + (slab - (slab / 2).min(low)) as i64).max(0) as u64
    }

    /// Pages on lists of a kind, of all groups and nodes.
    pub(crate) fn of_kind(&self, kind: Kind, active: bool) -> u64 {
        if self.mglru() {
            return self.generation_listed(kind, active);
        }
        self.lruvecs.iter().map(|lruvec| lruvec.size(kind, active)).sum()
    }

    /// Gives all values that the model has. What it does not have is absent.
    pub(crate) fn counters(&self, take: &mut Take<'_>) {
        self.meminfo(take);
        self.vmstat(take);
        self.zoneinfo(take);
        self.diskstats(take);
        self.memory_stat(take);
        self.stat(take);
        self.pressure_files(take);
        self.io_stat(take);
        self.processes(take);
    }

    fn meminfo(&self, take: &mut Take<'_>) {
        let gauges = &self.gauges;
        let total: u64 = self.zones.iter().map(|zone| zone.managed).sum();
        let [inactive_anon, active_anon] = [self.of_kind(Kind::Anon, false), self.of_kind(Kind::Anon, true)];
        let [inactive_file, active_file] = [self.of_kind(Kind::File, false), self.of_kind(Kind::File, true)];
        let cached = gauges.file_pages - gauges.buffers + gauges.shmem + gauges.system_files;
        for (name, pages) in [
            ("MemTotal", total),
            ("MemFree", self.free_pages()),
            ("MemAvailable", self.available()),
            ("Buffers", gauges.buffers),
            ("Cached", cached),
            ("SwapCached", gauges.swapcached),
            ("Active", active_anon + active_file),
            ("Inactive", inactive_anon + inactive_file),
            ("Active(anon)", active_anon),
            ("Inactive(anon)", inactive_anon),
            ("Active(file)", active_file),
            ("Inactive(file)", inactive_file),
            ("Unevictable", gauges.unevictable + gauges.system_files),
            ("Mlocked", gauges.mlocked),
            ("SwapTotal", self.swap.total_slots()),
            ("SwapFree", self.swap.free_slots()),
            ("Dirty", gauges.dirty),
            ("Writeback", gauges.writeback + self.swap.writing),
            ("AnonPages", gauges.anon_mapped),
            ("Mapped", gauges.file_mapped),
            ("Shmem", gauges.shmem),
            ("KReclaimable", self.slab_pages()),
            ("SReclaimable", self.slab_pages()),
            // What the kernel cannot reclaim is part of the machine's `system` memory here.
            ("Slab", self.slab_pages()),
            ("PageTables", gauges.page_tables),
            ("Hugetlb", self.pool.len() as u64),
        ] {
            take(Table::Host, "", name, (pages * PAGE_SIZE) as i64);
        }
        // No program uses the pool.
        let huge_pages = self.pool.len() as u64 / crate::HUGE_PAGE;
        take(Table::Host, "", "HugePages_Total", huge_pages as i64);
        take(Table::Host, "", "HugePages_Free", huge_pages as i64);
    }

    fn vmstat(&self, take: &mut Take<'_>) {
        let gauges = &self.gauges;
        let (thresh, background) = self.thresholds();
        for (name, pages) in [
            ("nr_free_pages", self.free_pages()),
            ("nr_inactive_anon", self.of_kind(Kind::Anon, false)),
            ("nr_active_anon", self.of_kind(Kind::Anon, true)),
            ("nr_inactive_file", self.of_kind(Kind::File, false)),
            ("nr_active_file", self.of_kind(Kind::File, true)),
            ("nr_unevictable", gauges.unevictable + gauges.system_files),
            ("nr_mlock", gauges.mlocked),
            ("nr_anon_pages", gauges.anon_mapped),
            ("nr_mapped", gauges.file_mapped),
            ("nr_file_pages", gauges.file_pages + gauges.shmem + gauges.swapcached + gauges.system_files),
            ("nr_dirty", gauges.dirty),
            ("nr_writeback", gauges.writeback + self.swap.writing),
            ("nr_shmem", gauges.shmem),
            ("nr_slab_reclaimable", self.slab_pages()),
            ("nr_dirty_threshold", thresh),
            ("nr_dirty_background_threshold", background),
            ("nr_swapcached", gauges.swapcached),
            ("nr_zspages", self.swap.zram_pages),
            ("nr_page_table_pages", gauges.page_tables),
        ] {
            take(Table::Host, "", name, pages as i64);
        }
        for (name, count) in self.events.each() {
            take(Table::Host, "", name, count as i64);
        }
    }

    fn zoneinfo(&self, take: &mut Take<'_>) {
        for zone in &self.zones {
            let row = format!("node{}/{}", zone.node, zone.kind.name());
            for (name, pages) in [
                ("free", zone.free),
                ("min", zone.min),
                ("low", zone.low),
                ("high", zone.high),
                ("promo", zone::promo(zone)),
                ("managed", zone.managed),
                ("reserve_max", zone.reserve),
            ] {
                take(Table::Zone, &row, name, pages as i64);
            }
        }
    }

    fn diskstats(&self, take: &mut Take<'_>) {
        const MS: u64 = 1_000_000;
        for queue in &self.queues {
            let counters = queue.counters_at(self.now);
            for (name, value) in [
                ("reads", counters.requests[0]),
                ("read_merges", counters.merges[0]),
                ("read_sectors", counters.sectors[0]),
                ("read_ms", counters.ns[0] / MS),
                ("writes", counters.requests[1]),
                ("write_merges", counters.merges[1]),
                ("write_sectors", counters.sectors[1]),
                ("write_ms", counters.ns[1] / MS),
                ("in_flight", queue.in_flight() as u64),
                ("io_ms", counters.busy_ns / MS),
                ("weighted_io_ms", counters.ns.iter().sum::<u64>() / MS),
                ("flushes", counters.requests[2]),
                ("flush_ms", counters.ns[2] / MS),
                ("physical", 1),
            ] {
                take(Table::Disk, &queue.spec.name, name, value as i64);
            }
        }
    }

    fn memory_stat(&self, take: &mut Take<'_>) {
        for (at, group) in self.groups.iter().enumerate().skip(1) {
            let sum = |of: fn(&crate::group::Group) -> u64| -> u64 {
                group.subtree.iter().map(|at| of(&self.groups[*at])).sum()
            };
            let listed =
                |kind, active| -> u64 { (0..self.nodes).map(|node| self.listed(at, node, kind, active)).sum() };
            let limit = |pages: u64| (pages < crate::group::UNLIMITED).then_some(pages);
            for (name, pages) in [
                ("current", Some(group.usage)),
                ("max", limit(group.max)),
                ("high", limit(group.high)),
                ("anon", Some(sum(|group| group.anon))),
                ("file", Some(sum(|group| group.file + group.shmem))),
                ("shmem", Some(sum(|group| group.shmem))),
                ("file_mapped", Some(sum(|group| group.mapped))),
                ("file_dirty", Some(sum(|group| group.dirty))),
                ("file_writeback", Some(sum(|group| group.writeback))),
                ("swap", Some(sum(|group| group.swap))),
                ("inactive_anon", (!self.mglru()).then(|| listed(Kind::Anon, false))),
                ("active_anon", (!self.mglru()).then(|| listed(Kind::Anon, true))),
                ("inactive_file", (!self.mglru()).then(|| listed(Kind::File, false))),
                ("active_file", (!self.mglru()).then(|| listed(Kind::File, true))),
            ] {
                if let Some(pages) = pages {
                    take(Table::Cgroup, &group.name, name, (pages * PAGE_SIZE) as i64);
                }
            }
            for (name, count) in [
                ("pgfault", sum(|group| group.events.pgfault)),
                ("pgmajfault", sum(|group| group.events.pgmajfault)),
                ("workingset_refault_anon", sum(|group| group.events.workingset_refault_anon)),
                ("workingset_refault_file", sum(|group| group.events.workingset_refault_file)),
                ("workingset_activate_anon", sum(|group| group.events.workingset_activate_anon)),
                ("workingset_activate_file", sum(|group| group.events.workingset_activate_file)),
                ("workingset_restore_anon", sum(|group| group.events.workingset_restore_anon)),
                ("workingset_restore_file", sum(|group| group.events.workingset_restore_file)),
                ("pgscan", sum(|group| group.events.pgscan_kswapd + group.events.pgscan_direct)),
                ("pgsteal", sum(|group| group.events.pgsteal_kswapd + group.events.pgsteal_direct)),
                ("pgactivate", sum(|group| group.events.pgactivate)),
                ("pgdeactivate", sum(|group| group.events.pgdeactivate)),
                ("events_high", group.over_high),
                ("events_max", group.over_max),
                ("events_oom", group.ooms),
            ] {
                take(Table::Cgroup, &group.name, name, count as i64);
            }
        }
    }
}
