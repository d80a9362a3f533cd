//! Charging pages, IO and CPU time to control groups (`mm/memcontrol.c: try_charge_memcg, mem_cgroup_handle_over_high`).

use crate::cpu_limit::CpuLimit;
use crate::devices::device::IoKind;
use crate::devices::throttle::IoLimits;
use crate::group::{Group, GroupIo, GroupLimits, Stock};
use crate::host::Host;
use crate::id::{DeviceId, GroupId};
use crate::memory::kind::Kind;
use crate::memory::lruvec::LruVec;
use crate::memory::mapping::Backing;
use crate::page::{PageId, Word, flag};
use crate::progress::attempt::CHARGE_BATCH;
use pagetide_core::Error;

impl Host {
    /// Counts a request to a group and those above it (`blk_cgroup_bio_start`).
    pub(crate) fn charge_io(&mut self, group: usize, device: usize, kind: IoKind, bytes: u64) {
        let mut at = Some(group);
        while let Some(group) = at {
            let io = &mut self.groups[group].io;
            if io.len() <= device {
                io.resize_with(device + 1, GroupIo::default);
            }
            let io = &mut io[device];
            let (requests, transferred) = match kind {
                IoKind::Read => (&mut io.reads, &mut io.read_bytes),
                IoKind::Write => (&mut io.writes, &mut io.write_bytes),
                IoKind::Flush => return,
            };
            *requests += 1;
            *transferred += bytes;
            at = self.groups[group].parent;
        }
    }

    pub(crate) fn push_group(&mut self, group: Group) {
        self.groups.push(group);
        self.lruvecs.resize_with(self.groups.len() * self.nodes, LruVec::default);
    }

    /// Makes a control group, or gives the one of that name.
    ///
    /// # Errors
    /// There are too many.
    pub fn add_group(&mut self, name: &str, parent: GroupId) -> Result<GroupId, Error> {
        if let Some(at) = self.groups.iter().position(|group| group.name == name) {
            return Ok(GroupId(at as u16));
        }
        Group::check_count(self.groups.len())?;
        let at = self.groups.len();
        self.push_group(Group::new(name.to_owned(), Some(usize::from(parent.0)), at));
        let all: Vec<usize> = self.ancestors(usize::from(parent.0)).collect();
        for above in all {
            self.groups[above].subtree.push(at);
        }
        Ok(GroupId(at as u16))
    }

    /// Sets the limits of a group. What it has above them is reclaimed when it next takes memory.
    pub fn set_group_limits(&mut self, group: GroupId, limits: &GroupLimits) {
        self.groups[usize::from(group.0)].limit(limits);
    }

    /// Sets the limit of a group's CPU time (`cpu.max`), or takes it away.
    pub fn set_cpu_limit(&mut self, group: GroupId, limit: Option<CpuLimit>) {
        self.groups[usize::from(group.0)].cpu.set(limit, self.now);
    }

    /// When a task of a group may run again, where the group or one above it is throttled.
    pub(crate) fn throttled_until(&mut self, group: usize) -> Option<u64> {
        let now = self.now;
        let mut until = None;
        let mut at = Some(group);
        while let Some(group) = at {
            let group = &mut self.groups[group];
            until = until.max(group.cpu.may_run_at(now));
            at = group.parent;
        }
        until
    }

    /// Charges CPU time to the limits of a group and of those above it.
    pub(crate) fn charge_cpu(&mut self, group: usize, used: u64) {
        let now = self.now;
        let mut at = Some(group);
        while let Some(group) = at {
            let group = &mut self.groups[group];
            group.cpu.charge(now, used);
            at = group.parent;
        }
    }

    /// Sets the limits of a group's IO on a device (`io.max`), for what it and those below it read, and for the writes of pages that are
    /// charged to them.
    pub fn set_io_limits(&mut self, group: GroupId, device: DeviceId, limits: IoLimits) {
        self.throttles.set(usize::from(group.0), usize::from(device.0), limits, self.now);
    }

    /// A group and those above it.
    pub(crate) fn ancestors(&self, group: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(group), |at| self.groups[*at].parent)
    }

    /// Adds to the usage of a group and of those above it. A CPU charges a batch and takes pages from that.
    pub(crate) fn charge(&mut self, own: usize, pages: i64) {
        let Some(taken) = u64::try_from(pages).ok().filter(|pages| *pages > 0 && own > 0) else {
            self.add_usage(own, pages);
            return;
        };
        let stock = self.stocks[self.on_cpu];
        if stock.group == own && stock.pages >= taken {
            // `consume_stock`
            self.stocks[self.on_cpu].pages -= taken;
            return;
        }
        let batch = taken.max(CHARGE_BATCH);
        // Near a limit no more than what is asked for.
        let has_room = |at: usize| self.groups[at].usage.saturating_add(batch) <= self.groups[at].max;
        let batch = if self.ancestors(own).all(has_room) { batch } else { taken };
        self.add_usage(own, batch.cast_signed());
        if batch > taken {
            self.refill_stock(own, batch - taken);
        }
        let over = self.ancestors(own).any(|at| self.groups[at].usage > self.groups[at].high);
        if let Some(task) = self.tasks.get_mut(self.current).filter(|_| over) {
            task.over_high += batch;
        }
    }

    /// Puts pages that are charged to a group into the stock of a CPU: what another group had there is given back, and more than a batch.
    fn refill_stock(&mut self, group: usize, pages: u64) {
        let mut stock = self.stocks[self.on_cpu];
        if stock.group != group {
            self.add_usage(stock.group, -stock.pages.cast_signed());
            stock = Stock { group, pages: 0 };
        }
        stock.pages += pages;
        if stock.pages > CHARGE_BATCH {
            self.add_usage(group, -stock.pages.cast_signed());
            stock.pages = 0;
        }
        self.stocks[self.on_cpu] = stock;
    }

    /// `page_counter_charge`, `page_counter_uncharge`.
    fn add_usage(&mut self, group: usize, pages: i64) {
        let mut at = Some(group);
        while let Some(group) = at {
            self.groups[group].usage = self.groups[group].usage.saturating_add_signed(pages);
            at = self.groups[group].parent;
        }
    }

    /// The lists that a page is on.
    #[inline]
    pub(crate) fn lruvec_of(&self, word: Word) -> usize {
        self.lruvec_at(word.group(), self.zones[word.zone()].node)
    }

    /// The lists of a group on a node.
    #[inline]
    pub(crate) fn lruvec_at(&self, group: usize, node: usize) -> usize {
        if self.spec.mechanisms.group_lists { group * self.nodes + node } else { node }
    }

    /// Pages on lists of a group and all below it (`lruvec_page_state`).
    pub(crate) fn listed(&self, group: usize, node: usize, kind: Kind, active: bool) -> u64 {
        if !self.spec.mechanisms.group_lists {
            return self.lruvecs[node].size(kind, active);
        }
        self.groups[group].subtree.iter().map(|at| self.lruvecs[at * self.nodes + node].size(kind, active)).sum()
    }

    /// Counts a page of a group that came into memory or left it.
    pub(crate) fn count_resident(&mut self, page: PageId, by: i64) {
        let word = self.word(page);
        let owner = self.owner(page);
        let mapping = &mut self.mappings[owner];
        mapping.resident = mapping.resident.saturating_add_signed(by);
        let backing = mapping.backing;
        let group = &mut self.groups[word.group()];
        match backing {
            Backing::File { .. } | Backing::Block { .. } => {
                group.file = group.file.saturating_add_signed(by);
                self.gauges.file_pages = self.gauges.file_pages.saturating_add_signed(by);
                if matches!(backing, Backing::Block { .. }) {
                    self.gauges.buffers = self.gauges.buffers.saturating_add_signed(by);
                }
            }
            Backing::Shared => {
                group.shmem = group.shmem.saturating_add_signed(by);
                self.gauges.shmem = self.gauges.shmem.saturating_add_signed(by);
            }
            Backing::Anonymous => group.anon = group.anon.saturating_add_signed(by),
        }
        debug_assert!(!word.has(flag::LISTED) || by > 0, "a page leaves its list before memory");
        self.charge(word.group(), by);
    }
}
