//! What the trace of a recording measured: who evicted whose pages, what more memory would save, who was throttled. Rules infer these
//! from rates where no trace was recorded.

use crate::evidence::EvidenceBuilder;
use crate::measure::amount::{Amount, Limit, PageSize, grade};
use crate::measure::window::Window;
use pagetide_core::{Actor, Bytes, Nanos, Pages, Ratio, Table, metric};
use pagetide_trace::{Evicted, EvictionKey, Identity, Summary, read_tables};
use std::collections::BTreeMap;

/// What this module reads: every column of the tables from which a summary is read.
pub(crate) fn metrics() -> impl Iterator<Item = &'static str> {
    const READ: [Table; 4] = [Table::Eviction, Table::Ghost, Table::Throttle, Table::Trace];
    READ.into_iter().flat_map(metric::all).map(|known| known.name)
}

/// Sampled pages from which a share can be told.
pub(crate) const MIN_SAMPLED_PAGES: Limit<Pages> = Limit::new(
    "sampled pages that the trace saw evicted",
    50.0,
    "A share estimated from fewer pages is off by more than 0.1.",
    "sqrt(p (1 - p) / n)",
);
/// Share of the evictions that one program caused.
pub(crate) const MIN_SHARE_OF_EVICTOR: Limit<Ratio> = Limit::new(
    "one program's share of the traced evictions",
    0.5,
    "With less, no single program is the origin.",
    "judgement",
);
/// Share of the misses that remains with the advised memory.
const REMAINING: f64 = 0.1;
/// The trace divides what kswapd evicted once a second.
const DIVIDED_NS: i64 = 1_500_000_000;

/// The trace of a window, complete and of enough evictions where they are asked for.
#[derive(Debug)]
pub(crate) struct Traced {
    summary: Summary,
    page: PageSize,
}

/// The program for which most was evicted.
#[derive(Debug)]
pub(crate) struct Evictor<'a> {
    who: &'a Identity,
    /// Share of all evictions.
    pub(crate) share: Amount<Ratio>,
    /// Pages of other programs that were evicted for it.
    pub(crate) others: Amount<Bytes>,
    /// Its own pages, and those of them that it read again.
    pub(crate) own: Amount<Bytes>,
    pub(crate) own_read_again: Amount<Bytes>,
    /// The program that lost most to it, how much, and how much of that it read again.
    victim: Option<(&'a Identity, Amount<Bytes>, Amount<Bytes>)>,
}

impl Traced {
    /// The trace of a window; absent when none was recorded, when it was off for more than half of the time, or when records were lost.
    pub(crate) fn of(window: &Window<'_>) -> Option<Self> {
        let to = window.span.to.ns().saturating_add(DIVIDED_NS);
        let (summary, _) = read_tables(window.recording, window.span.from.ns(), to)?;
        // `--trace=auto` may have been off: what it saw of a small part of the time says nothing of the rest.
        let length = window.span.to.ns().saturating_sub(window.span.from.ns()).unsigned_abs();
        let covered = summary.coverage.time_ns.saturating_mul(2) >= length;
        (covered && summary.coverage.lost_records == 0).then(|| Self { summary, page: window.page_size() })
    }

    fn bytes(&self, pages: f64) -> Amount<Bytes> {
        Amount::<Pages>::new(pages) * self.page
    }

    /// The program for which more was evicted than for all others together, among the evictions that `of` selects.
    fn evictor(&self, of: impl Fn(&EvictionKey) -> bool) -> Option<Evictor<'_>> {
        let pairs = || self.summary.evictions.iter().filter(|(key, _)| of(key));
        let all: f64 = pairs().map(|(_, evicted)| evicted.pages).sum();
        let mut by: BTreeMap<&Identity, f64> = BTreeMap::new();
        for (key, evicted) in pairs() {
            if let Some(evictor) = &key.evictor {
                *by.entry(evictor).or_default() += evicted.pages;
            }
        }
        let (who, pages) = by.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let share = Amount::<Ratio>::new(pages / all);
        if all < MIN_SAMPLED_PAGES.get() * self.summary.coverage.scale as f64
            || share < Amount::new(MIN_SHARE_OF_EVICTOR.get())
        {
            return None;
        }
        let mut lost: BTreeMap<Option<&Identity>, Evicted> = BTreeMap::new();
        for (key, evicted) in pairs().filter(|(key, _)| key.evictor.as_ref() == Some(who)) {
            let sum = lost.entry(key.user.as_ref()).or_default();
            sum.pages += evicted.pages;
            sum.read_again += evicted.read_again;
        }
        let own = lost.remove(&Some(who)).unwrap_or_default();
        let victim = lost.iter().filter_map(|(user, evicted)| Some(((*user)?, *evicted)));
        let victim = victim.max_by(|a, b| a.1.pages.total_cmp(&b.1.pages));
        Some(Evictor {
            who,
            share,
            others: self.bytes(lost.values().map(|evicted| evicted.pages).sum()),
            own: self.bytes(own.pages),
            own_read_again: self.bytes(own.read_again),
            victim: victim.map(|(user, evicted)| (user, self.bytes(evicted.pages), self.bytes(evicted.read_again))),
        })
    }

    /// The program for which most of the host's page cache was evicted.
    pub(crate) fn host_evictor(&self) -> Option<Evictor<'_>> {
        self.evictor(|key| key.evictor.is_some())
    }

    /// The program that took the memory of a control group at its limit; the group by its directory.
    pub(crate) fn group_evictor(&self, group: &str) -> Option<Evictor<'_>> {
        let of_group = |who: &Identity| who.group != "/" && group.ends_with(&who.group);
        self.evictor(|key| {
            key.mechanism == pagetide_trace::Mechanism::Group && key.evictor.as_ref().is_some_and(of_group)
        })
    }

    /// Memory with which 90 % of the misses would have been hits: more for a control group, or for the host.
    pub(crate) fn more_memory(&self, group: Option<&str>) -> Option<Amount<Bytes>> {
        let pages = self.summary.misses_within(group).more_pages_for(self.summary.coverage.scale, REMAINING)?;
        Some(self.bytes(pages as f64)).filter(|more| more.is_positive())
    }

    /// The program that the kernel throttled longest, on which device, and how long.
    pub(crate) fn most_throttled(&self) -> Option<(&str, &str, Amount<Nanos>)> {
        let ((who, device), throttled) =
            self.summary.throttled.iter().max_by_key(|(_, throttled)| throttled.time_ns)?;
        Some((&who.comm, device, Amount::new(throttled.time_ns as f64)))
    }
}

impl<'a> Evictor<'a> {
    /// Its name.
    pub(crate) fn comm(&self) -> &'a str {
        &self.who.comm
    }

    /// Adds the measured pair, and the program as an origin. It contradicts a finding that infers another program. Gives the sentence
    /// about it.
    pub(crate) fn add_to(&self, found: &mut EvidenceBuilder, inferred: Option<&str>) -> String {
        let comm = self.comm();
        let sign = if inferred.is_none_or(|inferred| inferred == comm) { 1.0 } else { -2.0 };
        let weight = sign * (0.5 + grade(self.share, MIN_SHARE_OF_EVICTOR.get(), 0.9));
        found.add(
            weight,
            format!("share of the evictions that the trace attributes to {comm}"),
            "eviction.pages",
            self.share,
        );
        found.origin(Actor::command(comm));
        match self.victim {
            Some((victim, pages, again)) if pages.is_positive() => {
                let what = format!("pages of {} evicted to make room for {comm}", victim.comm);
                found.note(what, "eviction.pages * page size", pages);
                format!(
                    " Trace: {comm} evicted {pages} of page cache of {}, and {again} of that was read again.",
                    victim.comm
                )
            }
            _ => format!(
                " Trace: {comm} evicted {} of its own pages, and {} of that was read again.",
                self.own, self.own_read_again
            ),
        }
    }
}

/// Advice with the amount that the trace gives.
pub(crate) fn amount(more: Option<Amount<Bytes>>) -> String {
    more.map_or(String::new(), |more| format!(" {more} more memory would have served 90 % of the misses."))
}
