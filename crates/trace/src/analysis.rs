//! Events in, answers out: the eviction matrix, ghost ranks, reclaim and throttled time. Pure: a test or a simulator feeds it as well.

use crate::actor::{Actor, Actors, Group, Identity, Processes};
use crate::curve::Misses;
use crate::event::{Event, File, Frames, Kind, Page, Range, Scope};
use crate::eviction::{Evicted, Matrix, Pair, Victim};
use crate::frame_reuse::FrameReuse;
use crate::ghost::Ghosts;
use crate::reclaim::{Reclaim, ReclaimTime};
use crate::replay::{Fresh, PlaceMemory, Replay, Replayed};
use crate::sampling::Sampling;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most cached pages whose reader is remembered; for others, the file's last user counts.
const RESIDENT_MAX: usize = 1 << 20;
/// Files whose user is remembered, at most.
const FILES_MAX: usize = 1 << 16;

/// Places whose reads are replayed, at most: the host, and the control groups that read first.
const REPLAYS_MAX: usize = 9;

/// Where a page competes for memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// The host: kswapd and direct reclaim.
    Host,
    /// A control group at its limit.
    Group(Group),
}

/// Throttled writers of one program on one device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThrottledTime {
    /// How often a writer was put to sleep.
    pub pauses: u64,
    /// How long in all.
    pub time_ns: u64,
}

/// What is known of an evicted page.
#[derive(Debug, Clone, Copy)]
struct Absent {
    domain: Domain,
    /// Who evicted it; absent for kswapd.
    by: Option<(Scope, Actor)>,
    victim: Victim,
}

/// The analysis of one trace.
#[derive(Debug)]
pub struct Analysis<P> {
    sampling: Sampling,
    kswapd: BTreeSet<u32>,
    actors: Actors<P>,
    reclaim: Reclaim,
    frame_reuse: FrameReuse,
    matrix: Matrix,
    /// Who brought each sampled page in.
    resident: HashMap<Page, Actor>,
    absent: HashMap<Page, Absent>,
    ghosts: BTreeMap<Domain, Ghosts>,
    misses: BTreeMap<(Domain, Group), Misses>,
    /// Who used each file last.
    users: HashMap<File, Actor>,
    throttled: BTreeMap<(Actor, String), ThrottledTime>,
    /// Sampled pages that left the cache outside of reclaim.
    removed: u64,
    /// The reads of the host, and of each control group.
    replays: BTreeMap<Domain, Replay>,
    fresh: Fresh,
}

impl<P: Processes> Analysis<P> {
    /// An analysis of a trace with this sample; `kswapd` are the process ids of the kernel's reclaim threads.
    pub fn new(sampling: Sampling, kswapd: BTreeSet<u32>, processes: P) -> Self {
        Self {
            sampling,
            kswapd,
            actors: Actors::new(processes),
            reclaim: Reclaim::default(),
            frame_reuse: FrameReuse::default(),
            matrix: Matrix::default(),
            resident: HashMap::new(),
            absent: HashMap::new(),
            ghosts: BTreeMap::new(),
            misses: BTreeMap::new(),
            users: HashMap::new(),
            throttled: BTreeMap::new(),
            removed: 0,
            replays: BTreeMap::new(),
            fresh: Fresh::default(),
        }
    }

    /// Takes the next event, in order of time.
    pub fn take(&mut self, event: &Event) {
        let (pid, tid, now) = (event.pid, event.tid, event.time_ns);
        match &event.kind {
            Kind::Added(range) => {
                let actor = self.actors.of(pid, now);
                self.added(range, actor);
            }
            Kind::Deleted(range, frames) => self.deleted(range, *frames, pid, tid),
            Kind::Read(range) => {
                let actor = self.actors.of(pid, now);
                self.used(range.file, actor);
                self.read(range, actor);
            }
            Kind::ReclaimBegin(scope) => {
                let actor = self.actors.of(pid, now);
                self.reclaim.begin(tid, actor, *scope, now);
            }
            Kind::ReclaimEnd(scope) => self.reclaim.end(tid, *scope, now),
            Kind::KswapdWoken => {
                let actor = self.actors.of(pid, now);
                self.reclaim.woke_kswapd(actor);
            }
            Kind::Allocated(frames) => {
                if self.frame_reuse.awaits(*frames) {
                    let actor = self.actors.of(pid, now);
                    self.frame_reuse.allocated(*frames, actor);
                }
            }
            Kind::Throttled { device, pause_ns } => {
                if *pause_ns > 0 {
                    let actor = self.actors.of(pid, now);
                    let throttled = self.throttled.entry((actor, device.clone())).or_default();
                    throttled.pauses += 1;
                    throttled.time_ns += pause_ns;
                }
            }
            Kind::Moved { pid, hierarchy, group } => self.actors.moved(*pid, *hierarchy, group, now),
            Kind::Forked { parent } => self.actors.forked(pid, *parent, now),
            Kind::Named { comm } if pid == tid => self.actors.named(pid, comm),
            Kind::Named { .. } => {}
            Kind::Exited => {
                self.reclaim.ended(tid);
                if pid == tid {
                    self.actors.ended(pid);
                }
            }
            Kind::Lost(_) => self.forget(),
        }
    }

    /// Records were lost, or the trace was off: discards everything that they could have changed.
    pub fn forget(&mut self) {
        self.reclaim.forget();
        self.frame_reuse.forget();
        self.resident.clear();
        self.absent.clear();
        self.ghosts.clear();
        self.actors.forget();
        self.fresh.forget();
        self.replays.values_mut().for_each(Replay::forget);
    }

    fn read(&mut self, range: &Range, actor: Actor) {
        let group = Domain::Group(self.actors.group(actor));
        for index in self.sampling.pages(range) {
            let page = Page { file: range.file, index };
            let missed = self.fresh.read(page);
            for place in [Domain::Host, group] {
                if self.replays.len() < REPLAYS_MAX || self.replays.contains_key(&place) {
                    let replay = self.replays.entry(place).or_insert_with(|| Replay::new(self.sampling.scale()));
                    replay.read(page, missed);
                }
            }
        }
    }

    fn used(&mut self, file: File, actor: Actor) {
        if self.users.len() >= FILES_MAX && !self.users.contains_key(&file) {
            self.users.clear();
        }
        self.users.insert(file, actor);
    }

    fn added(&mut self, range: &Range, actor: Actor) {
        self.used(range.file, actor);
        let group = self.actors.group(actor);
        for index in self.sampling.pages(range) {
            let page = Page { file: range.file, index };
            self.fresh.added(page);
            self.miss(page, group);
            if self.resident.len() < RESIDENT_MAX {
                self.resident.insert(page, actor);
            }
        }
    }

    /// A sampled page missed: its rank among the ghosts, or a rank beyond them.
    fn miss(&mut self, page: Page, group: Group) {
        let part = part_of(page);
        if let Some(absent) = self.absent.remove(&page) {
            self.matrix.read_again(absent.by, absent.victim);
            if let Some(rank) = self.ghosts.get_mut(&absent.domain).and_then(|ghosts| ghosts.remove(page)) {
                self.misses.entry((absent.domain, group)).or_default().ranked(part, rank);
                return;
            }
        }
        let own = Domain::Group(group);
        let domain = if self.ghosts.contains_key(&own) { own } else { Domain::Host };
        let ghosts = self.ghosts.get(&domain).map_or(0, Ghosts::count);
        self.misses.entry((domain, group)).or_default().beyond(part, ghosts);
    }

    fn deleted(&mut self, range: &Range, frames: Frames, pid: u32, tid: u32) {
        let by = self.reclaim.of(tid);
        let evicted = by.is_some() || self.kswapd.contains(&pid);
        if evicted && by.is_none() {
            self.frame_reuse.freed(frames);
        }
        for index in self.sampling.pages(range) {
            let page = Page { file: range.file, index };
            self.fresh.deleted(page);
            let user = self.resident.remove(&page).or_else(|| self.users.get(&range.file).copied());
            if !evicted {
                self.removed += 1;
                self.replays.values_mut().for_each(|replay| replay.removed(page));
                if let Some(absent) = self.absent.remove(&page)
                    && let Some(ghosts) = self.ghosts.get_mut(&absent.domain)
                {
                    ghosts.remove(page);
                }
                continue;
            }
            let domain = match by {
                Some((Scope::Group, actor)) => Domain::Group(self.actors.group(actor)),
                _ => Domain::Host,
            };
            let victim = Victim { file: Some(range.file), user };
            self.matrix.evict(by, victim);
            for forgotten in self.ghosts.entry(domain).or_default().evict(page) {
                self.absent.remove(&forgotten);
            }
            self.absent.insert(page, Absent { domain, by, victim });
        }
    }

    /// Divides what kswapd evicted since the last call; called once a second and at the end.
    pub fn divide(&mut self) {
        let taken = self.frame_reuse.take();
        self.matrix.divide(&taken);
    }

    /// The eviction matrix, in pages (estimated from the sample).
    pub fn evictions(&self) -> impl Iterator<Item = (Pair, Evicted)> {
        let scale = self.sampling.scale() as f64;
        self.matrix.pairs().map(move |(pair, evicted)| {
            (pair, Evicted { pages: evicted.pages * scale, read_again: evicted.read_again * scale })
        })
    }

    /// The misses by reclaim domain and readers.
    pub const fn misses(&self) -> &BTreeMap<(Domain, Group), Misses> {
        &self.misses
    }

    /// What smaller caches would have missed, by place.
    pub fn replayed(&self) -> impl Iterator<Item = (Domain, &Replayed)> {
        self.replays.iter().map(|(place, replay)| (*place, replay.replayed()))
    }

    /// The memory of the places whose reads are replayed, which grows and shrinks; by the path of the control group, or of the host.
    /// Before it is known, reads of a place do not count.
    pub fn set_memory(&mut self, memory_of: impl Fn(Option<&str>) -> Option<PlaceMemory>) {
        for (place, replay) in &mut self.replays {
            let group = match place {
                Domain::Host => None,
                Domain::Group(group) => Some(self.actors.group_path(*group)),
            };
            if let Some(memory) = memory_of(group) {
                replay.set_memory(memory);
            }
        }
    }

    /// Time in reclaim by program.
    pub const fn reclaim_time(&self) -> &BTreeMap<(Actor, Scope), ReclaimTime> {
        self.reclaim.spent()
    }

    /// How often each program woke kswapd.
    pub const fn kswapd_wakers(&self) -> &BTreeMap<Actor, u64> {
        self.reclaim.woken()
    }

    /// Throttled time by writer and device.
    pub const fn throttled(&self) -> &BTreeMap<(Actor, String), ThrottledTime> {
        &self.throttled
    }

    /// Pages that left the cache outside of reclaim: truncated, dropped by advice, removed (estimated from the sample).
    pub const fn pages_removed(&self) -> u64 {
        self.removed * self.sampling.scale()
    }

    /// Who an actor is.
    pub fn identity(&self, actor: Actor) -> &Identity {
        self.actors.identity(actor)
    }

    /// The path of a control group.
    pub fn group_path(&self, group: Group) -> &str {
        self.actors.group_path(group)
    }

    /// The sample.
    pub const fn sampling(&self) -> Sampling {
        self.sampling
    }
}

/// Which sub-sample a page belongs to: by a hash of its own.
const fn part_of(page: Page) -> u64 {
    page.file.ino.wrapping_add(page.index).wrapping_mul(crate::sampling::MIX[2]) >> 57
}
