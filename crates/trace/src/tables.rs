//! A trace in a recording: the tables `eviction`, `ghost`, `throttle`, `reclaim`, `replay` and `trace`.
//!
//! All numbers count up from the start of the trace, and a row is written only when it changed: a quiet second costs nothing. What a
//! row is about is in its entity's name, its parts divided by tabs (which names of programs and groups cannot have here, see
//! [`crate::name::printable`]); the label is for people.

use crate::actor::Identity;
use crate::curve::{Misses, PARTS};
use crate::event::File;
use crate::eviction::Mechanism;
use crate::reclaim::ReclaimTime;
use crate::replay::{PlaceMemory, Replayed};
use crate::summary::{Coverage, EvictionKey, MissKey, Summary, is_large};
use pagetide_core::{ColumnId, Entity, EntityId, Kind, Recording, Sample, Schema, Table, metric};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The tables of a trace.
pub const TABLES: [Table; 6] =
    [Table::Eviction, Table::Ghost, Table::Throttle, Table::Reclaim, Table::Replay, Table::Trace];

/// Rows of a table that are numbered before the rest is added up in one, at most.
const ROWS_MAX: usize = 2048;
/// The first row of a recording that has the beginning of its trace is no older than this many intervals, …
const BEGUN_INTERVALS: u64 = 3;
/// … of this length at least: a starved machine is late.
const BEGUN_NS: u64 = 5_000_000_000;
/// Of the time of a replay the first of so many parts is not counted.
pub const WARMING_PARTS: i64 = 3;
/// Readers with one of so many of all misses have rows of their own.
const LARGE_READERS: u64 = 16;
/// Limits at most whose small readers have rows.
const LIMITS_MAX: usize = 24;
/// The control group of all that have no row of their own.
const OTHERS: &str = "(others)";
/// One page of so many is sampled at most: a larger number is damage.
const SCALE_MAX: u64 = 1 << 16;
/// The name of the row of the rest.
const REST: &str = "rest";

/// Names of files, as far as they are known.
pub type Names = BTreeMap<File, Option<String>>;

/// Writes summaries into samples.
#[derive(Debug, Default)]
pub struct TableWriter {
    rows: HashMap<(Table, String), (EntityId, Vec<i64>)>,
    columns: BTreeMap<Table, Vec<ColumnId>>,
    rest: BTreeMap<Table, Vec<i64>>,
    /// The pairs of the last summary with their pages, and those read again.
    pairs: HashMap<EvictionKey, [i64; 2]>,
    /// The misses of the last summary, and the rows of ghosts as they are counted up.
    misses: BTreeMap<MissKey, Misses>,
    ghosts: BTreeMap<MissKey, Misses>,
    /// The rows of evictions: as they are counted up, and as they were written.
    evictions: HashMap<String, [[i64; 2]; 2]>,
}

impl TableWriter {
    /// Adds the rows that changed since the last call.
    pub fn write(&mut self, summary: &Summary, names: &Names, schema: &mut Schema, sample: &mut Sample) {
        self.rest.clear();
        self.evictions(summary, names, schema, sample);
        self.ghosts(summary, schema, sample);
        let mut by_program: BTreeMap<(Table, String), (&str, Vec<u64>)> = BTreeMap::new();
        let mut add = |table, name, comm, values: &[u64]| {
            let (_, sum) = by_program.entry((table, name)).or_insert_with(|| (comm, vec![0; values.len()]));
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        };
        for ((who, device), throttled) in &summary.throttled {
            let name = format!("{}\t{}\t{device}", who.group, who.comm);
            add(Table::Throttle, name, &who.comm, &[throttled.pauses, throttled.time_ns]);
        }
        for (who, work) in &summary.reclaim {
            let name = format!("{}\t{}", who.group, who.comm);
            let values =
                [work.direct.calls, work.direct.time_ns, work.group.calls, work.group.time_ns, work.kswapd_wakeups];
            add(Table::Reclaim, name, &who.comm, &values);
        }
        for ((table, name), (comm, values)) in by_program {
            let values: Vec<i64> = values.into_iter().map(count).collect();
            self.row(table, name, comm, &values, schema, sample);
        }
        for (group, replayed) in &summary.replayed {
            let name = group.clone().unwrap_or_default();
            self.numbered(Table::Replay, name, "", &replayed_values(replayed), schema, sample);
        }
        for (table, values) in std::mem::take(&mut self.rest) {
            self.numbered(table, REST.to_owned(), "", &values, schema, sample);
        }
        self.coverage(&summary.coverage, schema, sample);
    }

    /// Readers under a limit have their own rows once they have a good part of all misses; before, they count in those of all others. What
    /// a row has once counted stays in it.
    fn ghosts(&mut self, summary: &Summary, schema: &mut Schema, sample: &mut Sample) {
        let all: u64 = summary.misses.values().map(Misses::sampled).sum();
        let mut changed = BTreeSet::new();
        for (key, misses) in &summary.misses {
            // Fewer than before: another trace began.
            let before = self.misses.get(key).filter(|before| before.sampled() <= misses.sampled());
            let growth = before.map_or_else(|| misses.clone(), |before| misses.since(before));
            if growth.sampled() == 0 {
                continue;
            }
            let large =
                misses.sampled().saturating_mul(LARGE_READERS) >= all && schema.entities(Table::Ghost).len() < ROWS_MAX;
            let own = large || self.ghosts.contains_key(key);
            let row = if own { key.clone() } else { MissKey { readers: OTHERS.to_owned(), ..key.clone() } };
            let row = if own || key.limit.is_none() || self.ghosts.contains_key(&row) || self.ghosts.len() < LIMITS_MAX
            {
                row
            } else {
                MissKey { limit: Some(OTHERS.to_owned()), ..row }
            };
            self.ghosts.entry(row.clone()).or_default().add(&growth);
            changed.insert(row);
            self.misses.insert(key.clone(), misses.clone());
        }
        for key in changed {
            let misses = self.ghosts[&key].clone();
            for (lowest, ranked, beyond) in misses.cells() {
                let values: Vec<i64> = ranked.into_iter().chain(beyond).map(i64::from).collect();
                if values.iter().any(|value| *value > 0) {
                    let limit = key.limit.as_deref().unwrap_or_default();
                    let name = format!("{limit}\t{}\t{lowest}", key.readers);
                    self.numbered(Table::Ghost, name, &key.readers, &values, schema, sample);
                }
            }
        }
    }

    /// A pair has its own row once it is large enough; before, it counts in the row of its evictor. What a row has once counted stays in
    /// it: the analysis may add small pairs up later, and a counter does not go back.
    fn evictions(&mut self, summary: &Summary, names: &Names, schema: &mut Schema, sample: &mut Sample) {
        // What kswapd freed and nobody took yet is written when it is divided.
        let known = summary.evictions.iter().filter(|(key, _)| key.evictor.is_some());
        let now: HashMap<EvictionKey, [i64; 2]> =
            known.map(|(key, evicted)| (key.clone(), [whole(evicted.pages), whole(evicted.read_again)])).collect();
        let all: i64 = now.values().map(|[pages, _]| *pages).sum();
        let mut grown: BTreeMap<String, ([i64; 2], String)> = BTreeMap::new();
        let mut add = |name: String, label: String, growth: [i64; 2]| {
            let (sum, _) = grown.entry(name).or_insert(([0, 0], label));
            *sum = [sum[0] + growth[0], sum[1] + growth[1]];
        };
        for (key, values) in &now {
            let before = self.pairs.get(key).copied().unwrap_or_default();
            let growth = |at: usize| if values[at] >= before[at] { values[at] - before[at] } else { values[at] };
            let growth = [growth(0), growth(1)];
            let name = eviction_name(key);
            let large = is_large(values[0] as f64, all as f64) && schema.entities(Table::Eviction).len() < ROWS_MAX;
            if large || self.evictions.contains_key(&name) {
                let label = key.file.and_then(|file| names.get(&file).cloned().flatten()).unwrap_or_default();
                add(name, label, growth);
            } else {
                add(eviction_name(&of_evictor(key)), String::new(), growth);
            }
        }
        // The analysis added these up with others of their evictor.
        for (key, [pages, read_again]) in self.pairs.iter().filter(|(key, _)| !now.contains_key(*key)) {
            add(eviction_name(&of_evictor(key)), String::new(), [-pages, -read_again]);
        }
        for (name, (growth, label)) in grown {
            let [counted, shown] = self.evictions.entry(name.clone()).or_default();
            *counted = [counted[0] + growth[0], counted[1] + growth[1]];
            // The parts of a sum are rounded one by one.
            *shown = [counted[0].max(shown[0]), counted[1].max(shown[1])];
            let values = *shown;
            self.row(Table::Eviction, name, &label, &values, schema, sample);
        }
        self.pairs = now;
    }

    /// Forgets the numbers of an old schema: each row that changes is written into the new one.
    pub fn renew(&mut self) {
        self.rows.clear();
        self.columns.clear();
    }

    fn row(
        &mut self,
        table: Table,
        name: String,
        label: &str,
        values: &[i64],
        schema: &mut Schema,
        sample: &mut Sample,
    ) {
        let known = self.rows.contains_key(&(table, name.clone()));
        if known || schema.entities(table).len() < ROWS_MAX {
            self.numbered(table, name, label, values, schema, sample);
            return;
        }
        let rest = self.rest.entry(table).or_insert_with(|| vec![0; values.len()]);
        rest.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }

    fn numbered(
        &mut self,
        table: Table,
        name: String,
        label: &str,
        values: &[i64],
        schema: &mut Schema,
        sample: &mut Sample,
    ) {
        let columns = self
            .columns
            .entry(table)
            .or_insert_with(|| metric::all(table).iter().map(|metric| schema.column(table, metric.name)).collect());
        let (entity, before) = self
            .rows
            .entry((table, name))
            .or_insert_with_key(|(_, name)| (schema.push_entity(table, Entity::new(name.clone(), label)), Vec::new()));
        if before == values {
            return;
        }
        values.clone_into(before);
        let row = sample.row(table, *entity, schema.columns(table).len());
        for (column, value) in columns.iter().zip(values) {
            row[column.0 as usize] = Some(*value);
        }
    }

    fn coverage(&mut self, coverage: &Coverage, schema: &mut Schema, sample: &mut Sample) {
        let width = metric::all(Table::Trace).len();
        let columns: Vec<ColumnId> =
            metric::all(Table::Trace).iter().map(|metric| schema.column(Table::Trace, metric.name)).collect();
        let (entity, _) = self
            .rows
            .entry((Table::Trace, String::new()))
            .or_insert_with(|| (schema.push_entity(Table::Trace, Entity::new("trace", "")), Vec::new()));
        let row = sample.row(Table::Trace, *entity, width);
        let values = [
            Some(coverage.scale),
            Some(coverage.time_ns),
            Some(coverage.lost_records),
            coverage.added_pages,
            coverage.read_pages,
            Some(coverage.removed_pages),
        ];
        for (column, value) in columns.iter().zip(values) {
            row[column.0 as usize] = value.map(count);
        }
    }
}

/// The columns of a row of `replay`. A size that is not known is 0, which no group with a process has.
fn replayed_values(replayed: &Replayed) -> Vec<i64> {
    let PlaceMemory { file_pages, other_pages } = replayed.memory;
    let head = [file_pages, other_pages.unwrap_or(0), replayed.reads, replayed.misses];
    head.into_iter().chain(replayed.modelled.into_iter().flatten()).map(count).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(pages: f64) -> i64 {
    pages.round() as i64
}

fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

const MECHANISMS: [(Mechanism, &str); 3] =
    [(Mechanism::Direct, "direct"), (Mechanism::Group, "group"), (Mechanism::Kswapd, "kswapd")];

/// All victims of an evictor together.
fn of_evictor(key: &EvictionKey) -> EvictionKey {
    EvictionKey { file: None, user: None, ..key.clone() }
}

fn eviction_name(key: &EvictionKey) -> String {
    let mechanism = MECHANISMS.iter().find(|(known, _)| *known == key.mechanism).map_or("", |(_, name)| *name);
    let who = |who: &Option<Identity>| {
        who.as_ref().map_or_else(|| "\t".to_owned(), |who| format!("{}\t{}", who.group, who.comm))
    };
    let file = key.file.map_or_else(|| "\t".to_owned(), |file| format!("{}\t{}", file.dev, file.ino));
    let uid =
        |who: &Option<Identity>| who.as_ref().and_then(|who| who.uid).map_or_else(String::new, |uid| uid.to_string());
    let (evictor_uid, user_uid) = (uid(&key.evictor), uid(&key.user));
    format!("{mechanism}\t{}\t{file}\t{}\t{evictor_uid}\t{user_uid}", who(&key.evictor), who(&key.user))
}

fn parse_eviction(name: &str) -> Option<EvictionKey> {
    let parts: Vec<&str> = name.split('\t').collect();
    // Version 0.1 wrote no users.
    let ([mechanism, evictor_group, evictor, dev, ino, user_group, user]
    | [mechanism, evictor_group, evictor, dev, ino, user_group, user, _, _]) = parts.as_slice()
    else {
        return None;
    };
    let uid = |at: usize| parts.get(at).and_then(|uid| uid.parse().ok());
    Some(EvictionKey {
        mechanism: MECHANISMS.iter().find(|(_, known)| known == mechanism)?.0,
        evictor: identity(evictor_group, evictor, uid(7)),
        file: dev.parse().ok().zip(ino.parse().ok()).map(|(dev, ino)| File { dev, ino }),
        user: identity(user_group, user, uid(8)),
    })
}

/// An identity; absent when both parts are empty.
fn identity(group: &str, comm: &str, uid: Option<u32>) -> Option<Identity> {
    (!group.is_empty() || !comm.is_empty()).then(|| Identity { comm: comm.to_owned(), group: group.to_owned(), uid })
}

/// What a recording's trace found between two moments of its axis (`CLOCK_BOOTTIME`); `None` when it was made without `--trace`.
pub fn read_tables(recording: &Recording, from: i64, to: i64) -> Option<(Summary, Names)> {
    recording.entities(Table::Trace).next()?;
    let first = recording.series(Table::Trace, "trace", "traced_ns").and_then(|series| series.points().next());
    let begun = first.is_none_or(|(_, traced_ns)| {
        traced_ns.unsigned_abs() <= BEGUN_INTERVALS * recording.manifest.interval.get().max(BEGUN_NS)
    });
    let grown = |table, entity: &str| -> Vec<Option<u64>> {
        let growth = |metric: &metric::Metric| {
            growth_of(recording.series(table, entity, metric.name)?.points(), begun, from, to)
        };
        metric::all(table).iter().map(growth).collect()
    };
    let mut summary = Summary::default();
    let mut names = Names::new();
    for (name, label) in recording.entities(Table::Eviction) {
        let rest = EvictionKey { mechanism: Mechanism::Kswapd, evictor: None, file: None, user: None };
        let key = if name == REST { Some(rest) } else { parse_eviction(name) };
        let values = grown(Table::Eviction, name);
        if let (Some(key), [Some(pages), Some(read_again)]) = (key, values.as_slice())
            && (*pages > 0 || *read_again > 0)
        {
            if let Some(file) = key.file.filter(|_| !label.is_empty()) {
                names.insert(file, Some(label.to_owned()));
            }
            let sum = summary.evictions.entry(key).or_default();
            sum.pages += *pages as f64;
            sum.read_again += *read_again as f64;
        }
    }
    for (name, _) in recording.entities(Table::Ghost) {
        let parts: Vec<&str> = name.split('\t').collect();
        if let [limit, readers, lowest] = parts.as_slice()
            && let Ok(lowest) = lowest.parse()
        {
            let limit = Some((*limit).to_owned()).filter(|limit| !limit.is_empty());
            let values = grown(Table::Ghost, name);
            let cell = |at: usize| {
                values.get(at).copied().flatten().map_or(0, |value| u32::try_from(value).unwrap_or(u32::MAX))
            };
            let misses: &mut Misses =
                summary.misses.entry(MissKey { limit, readers: (*readers).to_owned() }).or_default();
            misses.add_cells(lowest, std::array::from_fn(cell), std::array::from_fn(|part| cell(PARTS + part)));
        }
    }
    for (name, _) in recording.entities(Table::Throttle) {
        let parts: Vec<&str> = name.split('\t').collect();
        if let ([group, comm, device], [Some(pauses), Some(time_ns)]) =
            (parts.as_slice(), grown(Table::Throttle, name).as_slice())
            && *pauses > 0
        {
            let who = Identity { comm: (*comm).to_owned(), group: (*group).to_owned(), uid: None };
            let throttled = summary.throttled.entry((who, (*device).to_owned())).or_default();
            (throttled.pauses, throttled.time_ns) = (*pauses, *time_ns);
        }
    }
    for (name, _) in recording.entities(Table::Reclaim) {
        let values: Vec<u64> = grown(Table::Reclaim, name).into_iter().flatten().collect();
        if let (Some((group, comm)), [direct_calls, direct_ns, group_calls, group_ns, kswapd_wakeups]) =
            (name.split_once('\t'), values.as_slice())
            && values.iter().any(|value| *value > 0)
        {
            let who = Identity { comm: comm.to_owned(), group: group.to_owned(), uid: None };
            let work = summary.reclaim.entry(who).or_default();
            work.direct = ReclaimTime { calls: *direct_calls, time_ns: *direct_ns };
            work.group = ReclaimTime { calls: *group_calls, time_ns: *group_ns };
            work.kswapd_wakeups = *kswapd_wakeups;
        }
    }
    // Models begin empty: what they missed in the first third of the time says nothing.
    let begins = first_traced(recording, from).unwrap_or(from);
    let settled = begins.saturating_add(to.saturating_sub(begins) / WARMING_PARTS);
    for (name, _) in recording.entities(Table::Replay) {
        let mut values = metric::all(Table::Replay).iter().map(|metric| {
            let series = recording.series(Table::Replay, name, metric.name)?;
            match metric.kind {
                Kind::Gauge => {
                    series.points().take_while(|(at, _)| *at <= to).last().map(|(_, value)| value.unsigned_abs())
                }
                _ => growth_of(series.points(), begun, settled, to),
            }
        });
        let mut next = || values.next().flatten().unwrap_or(0);
        let file_pages = next();
        let other_pages = Some(next()).filter(|pages| *pages > 0 && !name.is_empty());
        let mut replayed = Replayed {
            memory: PlaceMemory { file_pages, other_pages },
            reads: next(),
            misses: next(),
            ..Replayed::default()
        };
        replayed.modelled.iter_mut().flatten().for_each(|misses| *misses = next());
        summary.replayed.insert(Some(name.to_owned()).filter(|name| !name.is_empty()), replayed);
    }
    summary.replayed_reads = recording
        .series(Table::Trace, "trace", "read_pages")
        .and_then(|series| growth_of(series.points(), begun, settled, to));
    if let Some(series) = recording.series(Table::Trace, "trace", "traced_ns") {
        summary.stretches = stretches(series.points(), from, to);
    }
    let scale = recording.series(Table::Trace, "trace", "sampled_of").and_then(|series| series.points().last());
    let values = grown(Table::Trace, "trace");
    if let [_, time_ns, lost_records, added_pages, read_pages, removed_pages] = values.as_slice() {
        summary.coverage = Coverage {
            scale: scale.map_or(1, |(_, scale)| scale.unsigned_abs().clamp(1, SCALE_MAX)),
            time_ns: time_ns.unwrap_or(0),
            lost_records: lost_records.unwrap_or(0),
            added_pages: *added_pages,
            read_pages: *read_pages,
            removed_pages: removed_pages.unwrap_or(0),
        };
    }
    Some((summary, names))
}

/// When the trace was first on after a moment.
fn first_traced(recording: &Recording, from: i64) -> Option<i64> {
    let series = recording.series(Table::Trace, "trace", "traced_ns")?;
    stretches(series.points(), from, i64::MAX).first().map(|(begins, _)| *begins)
}

/// When the trace was on: between two rows its time grew by a part of theirs. It begins at 0 when it starts again.
fn stretches(points: impl Iterator<Item = (i64, i64)>, from: i64, to: i64) -> Vec<(i64, i64)> {
    let mut stretches: Vec<(i64, i64)> = Vec::new();
    let mut before: Option<(i64, i64)> = None;
    for (at, traced) in points {
        let grown =
            before.map_or(0, |(_, before)| if traced >= before { traced.saturating_sub(before) } else { traced });
        if let Some((since, _)) = before.filter(|(since, _)| grown > 0 && *since < to && at > from) {
            match stretches.last_mut() {
                Some((_, end)) if *end == since => *end = at,
                _ => stretches.push((since, at)),
            }
        }
        before = Some((at, traced));
    }
    stretches
}

/// How much a counter grew between two moments. It begins at 0 with the trace, and again with each trace that follows. When the recording
/// has lost the beginning of the trace, its first value is what grew before.
fn growth_of(points: impl Iterator<Item = (i64, i64)>, begun: bool, from: i64, to: i64) -> Option<u64> {
    let mut points = points.peekable();
    let mut before = if begun { 0 } else { points.peek()?.1 };
    let (mut sum, mut seen) = (0, false);
    for (at, value) in points.take_while(|(at, _)| *at <= to) {
        let growth = if value >= before { value.saturating_sub(before) } else { value };
        (before, seen) = (value, true);
        sum = if at >= from { i64::saturating_add(sum, growth) } else { sum };
    }
    seen.then_some(sum.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::ThrottledTime;
    use crate::eviction::Evicted;
    use crate::summary::ReclaimWork;
    use pagetide_core::{Manifest, RecordingBuilder, Stamp};
    use proptest::prelude::*;

    fn who(comm: &str) -> Identity {
        Identity { comm: comm.into(), group: "/batch.slice/a".into(), uid: None }
    }

    fn replayed(times: u64, other_pages: Option<u64>) -> Replayed {
        let mut replayed = Replayed { reads: 640 * times, misses: 64 * times, ..Replayed::default() };
        replayed.memory = PlaceMemory { file_pages: 9000, other_pages };
        (1..).zip(replayed.modelled.iter_mut().flatten()).for_each(|(part, misses)| *misses = part * times);
        replayed
    }

    fn summary(times: u64) -> Summary {
        let pages = |pages: u64| (times * pages) as f64;
        let file = Some(File { dev: 254 << 20, ino: 12 });
        let mut misses = Misses::default();
        for page in 0..times * 100 {
            misses.ranked(page, 70);
            misses.beyond(page, 900);
        }
        let key = |mechanism, evictor: Option<&str>| EvictionKey {
            mechanism,
            evictor: evictor.map(who),
            file,
            user: Some(Identity { uid: Some(33), ..who("db") }),
        };
        let time = |calls: u64| ReclaimTime { calls: times * calls, time_ns: times * calls * 10 };
        Summary {
            evictions: BTreeMap::from([
                (key(Mechanism::Group, Some("tar")), Evicted { pages: pages(64), read_again: pages(2) }),
                (key(Mechanism::Kswapd, Some("hog")), Evicted { pages: pages(5), read_again: 0.0 }),
            ]),
            misses: BTreeMap::from([
                (MissKey { limit: None, readers: "/".into() }, misses.clone()),
                (MissKey { limit: Some("/batch.slice/a".into()), readers: "/batch.slice/a".into() }, misses),
            ]),
            throttled: BTreeMap::from([(
                (who("dd"), "254:0".into()),
                ThrottledTime { pauses: times, time_ns: times * 7 },
            )]),
            reclaim: BTreeMap::from([(
                who("tar"),
                ReclaimWork { direct: time(1), group: time(2), kswapd_wakeups: times },
            )]),
            replayed: BTreeMap::from([
                (None, replayed(times, None)),
                (Some("/batch.slice/a".into()), replayed(times, Some(7))),
            ]),
            replayed_reads: None,
            stretches: Vec::new(),
            coverage: Coverage {
                scale: 64,
                time_ns: times * 1000,
                lost_records: 0,
                added_pages: Some(times * 9),
                read_pages: None,
                removed_pages: times,
            },
        }
    }

    /// A recording with a sample each second, of the summaries given.
    fn recording(summaries: &[Summary], names: &Names) -> Recording {
        let (mut writer, mut schema) = (TableWriter::default(), Schema::default());
        let mut builder = RecordingBuilder::new(Manifest::default());
        for (second, summary) in (1..).zip(summaries) {
            let mut sample = Sample::default();
            sample.stamp = Stamp { wall_ns: second, mono_ns: second, boot_ns: second };
            writer.write(summary, names, &mut schema, &mut sample);
            builder.sample(&schema, &sample);
        }
        builder.finish()
    }

    fn same(left: &Summary, right: &Summary) {
        assert_eq!(left.evictions, right.evictions);
        assert_eq!((&left.throttled, &left.reclaim, left.coverage), (&right.throttled, &right.reclaim, right.coverage));
        let cells = |summary: &Summary| -> Vec<_> {
            let all = summary.misses.iter();
            all.map(|(key, misses)| {
                (key.clone(), misses.cells().filter(|cell| cell.1 != [0; 8] || cell.2 != [0; 8]).collect::<Vec<_>>())
            })
            .collect()
        };
        assert_eq!(cells(left), cells(right));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let names = Names::from([(File { dev: 254 << 20, ino: 12 }, Some("/var/db/table".to_owned()))]);
        let recording = recording(&[summary(1), summary(2), summary(2), summary(5)], &names);
        let (read, read_names) = read_tables(&recording, i64::MIN, i64::MAX).unwrap();
        same(&read, &summary(5));
        assert_eq!(read_names, names);
        let (part, _) = read_tables(&recording, 3, 4).unwrap();
        same(&part, &summary(3));
    }

    #[test]
    fn what_nobody_took_yet_is_not_counted_twice() {
        let key = |evictor| EvictionKey { mechanism: Mechanism::Kswapd, evictor, file: None, user: None };
        let with = |evictor, pages| {
            let evictions = BTreeMap::from([(key(evictor), Evicted { pages, read_again: 0.0 })]);
            Summary { evictions, ..Summary::default() }
        };
        let summaries = [with(None, 64.0), with(Some(who("tar")), 64.0), with(None, 32.0)];
        let (read, _) = read_tables(&recording(&summaries, &Names::new()), i64::MIN, i64::MAX).unwrap();
        assert_eq!(read.evictions, with(Some(who("tar")), 64.0).evictions);
    }

    #[test]
    fn traces_that_follow_each_other_are_added_up() {
        let recording = recording(&[summary(4), summary(1), summary(2)], &Names::new());
        same(&read_tables(&recording, i64::MIN, i64::MAX).unwrap().0, &summary(6));
    }

    #[test]
    fn what_was_counted_before_the_recording_begins_is_not_growth() {
        let later = |seconds: u64, times| {
            let mut summary = summary(times);
            summary.coverage.time_ns = seconds * 1_000_000_000;
            summary
        };
        let kept = recording(&[later(7200, 4), later(7201, 5)], &Names::new());
        let (read, _) = read_tables(&kept, i64::MIN, i64::MAX).unwrap();
        assert_eq!(read.evictions, summary(1).evictions);
        assert_eq!(read.coverage.time_ns, 1_000_000_000);
    }

    #[test]
    fn the_stretches_in_which_it_was_on_are_found() {
        let points = [(1, 0), (2, 0), (3, 7), (4, 9), (5, 9), (6, 9), (7, 2), (8, 2)];
        assert_eq!(stretches(points.into_iter(), i64::MIN, i64::MAX), [(2, 4), (6, 7)]);
        assert_eq!(stretches(points.into_iter(), 3, 6), [(3, 4)]);
        assert_eq!(stretches(points.into_iter(), 5, 6), []);
    }

    #[test]
    fn a_recording_without_a_trace_has_none() {
        assert!(read_tables(&Recording::default(), i64::MIN, i64::MAX).is_none());
    }

    #[test]
    fn a_quiet_second_costs_one_row() {
        let (mut writer, mut schema, mut sample) = (TableWriter::default(), Schema::default(), Sample::default());
        writer.write(&summary(1), &Names::new(), &mut schema, &mut sample);
        sample.clear();
        writer.write(&summary(1), &Names::new(), &mut schema, &mut sample);
        assert_eq!(sample.tables().map(|table| table.rows().count()).sum::<usize>(), 1);
    }

    #[test]
    fn the_ghosts_of_the_largest_have_rows_whoever_came_first() {
        let (mut writer, mut schema) = (TableWriter::default(), Schema::default());
        let mut builder = RecordingBuilder::new(Manifest::default());
        let mut summary = Summary::default();
        let misses_of = |count: u64| {
            let mut misses = Misses::default();
            (0..count).for_each(|page| misses.ranked(page, u32::try_from(page % 5000).unwrap()));
            misses
        };
        let key = |group: &str| MissKey { limit: Some(group.into()), readers: group.into() };
        for second in 1..4_i64 {
            for group in 0..500 {
                summary.misses.insert(key(&format!("/small{group}")), misses_of(10 * second.unsigned_abs()));
            }
            if second > 1 {
                summary.misses.insert(key("/large"), misses_of(20_000 * second.unsigned_abs()));
            }
            let mut sample = Sample::default();
            sample.stamp = Stamp { wall_ns: second, mono_ns: second, boot_ns: second };
            writer.write(&summary, &Names::new(), &mut schema, &mut sample);
            builder.sample(&schema, &sample);
        }
        assert!(schema.entities(Table::Ghost).len() < ROWS_MAX);
        let (read, _) = read_tables(&builder.finish(), i64::MIN, i64::MAX).unwrap();
        let sampled = |summary: &Summary| summary.misses.values().map(Misses::sampled).sum::<u64>();
        assert_eq!(sampled(&read), sampled(&summary));
        assert_eq!(read.misses[&key("/large")].sampled(), 60_000);
    }

    proptest! {
        /// Whatever a damaged or forged recording says, it is read, and its numbers are numbers.
        #[test]
        fn any_tables_are_read(
            rows in proptest::collection::vec(
                (0usize..TABLES.len(), "[a-z0-9\t/]{0,24}|\t\t[0-9]{1,11}|group\t/g\tx\t1\t2\t/g\ty", any::<i64>(), any::<bool>()), 0..40),
            scale in any::<i64>(), from in any::<i64>(), to in any::<i64>(),
        ) {
            let mut schema = Schema::default();
            let mut builder = RecordingBuilder::new(Manifest::default());
            for (second, (table, name, value, extreme)) in (1_i64..).zip(&rows) {
                let mut sample = Sample::default();
                sample.stamp = Stamp { wall_ns: second, mono_ns: second, boot_ns: second };
                for (table, name) in [(TABLES[*table], name.as_str()), (Table::Trace, "trace")] {
                    let columns: Vec<ColumnId> = metric::all(table).iter().map(|metric| schema.column(table, metric.name)).collect();
                    let known = schema.entities(table).iter().position(|entity| entity.name == name);
                    let entity = known.map_or_else(
                        || schema.push_entity(table, Entity::new(name, "")),
                        |at| EntityId(u32::try_from(at).unwrap()),
                    );
                    let row = sample.row(table, entity, schema.columns(table).len());
                    for (at, column) in columns.iter().enumerate() {
                        let value = if *extreme { i64::MAX } else { value.rotate_left(u32::try_from(at).unwrap()) };
                        row[column.0 as usize] = Some(if table == Table::Trace && at == 0 { scale } else { value });
                    }
                }
                builder.sample(&schema, &sample);
            }
            let recording = builder.finish();
            for (from, to) in [(i64::MIN, i64::MAX), (from, to)] {
                let Some((summary, _)) = read_tables(&recording, from, to) else { continue };
                prop_assert!((1..=SCALE_MAX).contains(&summary.coverage.scale));
                prop_assert!(summary.evictions.values().all(|evicted| evicted.pages.is_finite() && evicted.read_again.is_finite()));
                for misses in summary.misses.values() {
                    let points = misses.curve(summary.coverage.scale, 1).unwrap_or_default();
                    prop_assert!(points.iter().all(|point| (0.0..=1.0).contains(&point.remaining)));
                }
                let _ = summary.misses_within(Some("/g"));
            }
        }
    }

    #[test]
    fn rows_are_bounded_and_the_rest_is_added_up() {
        let (mut writer, mut schema, mut sample) = (TableWriter::default(), Schema::default(), Sample::default());
        let mut many = Summary::default();
        for ino in 0..3000 {
            let key = EvictionKey {
                mechanism: Mechanism::Direct,
                evictor: Some(who("tar")),
                file: Some(File { dev: 1, ino }),
                user: None,
            };
            many.evictions.insert(key, Evicted { pages: 3.0, read_again: 1.0 });
        }
        writer.write(&many, &Names::new(), &mut schema, &mut sample);
        assert_eq!(schema.entities(Table::Eviction).len(), 1, "all are small, and of one evictor");
        let pages = |sample: &Sample| -> Vec<i64> {
            sample.table(Table::Eviction).unwrap().rows().filter_map(|(_, values)| values[0]).collect()
        };
        assert_eq!(pages(&sample), [9000]);

        // One of them grows and has its own row from now on; the analysis adds the others up.
        let large = many.evictions.keys().next().unwrap().clone();
        let others = EvictionKey { file: None, ..large.clone() };
        many.evictions = BTreeMap::from([
            (large, Evicted { pages: 1003.0, read_again: 1.0 }),
            (others, Evicted { pages: 8997.0, read_again: 2999.0 }),
        ]);
        sample.clear();
        writer.write(&many, &Names::new(), &mut schema, &mut sample);
        assert_eq!(pages(&sample), [1000], "the row of the others does not change");
        assert_eq!(schema.entities(Table::Eviction).len(), 2);
    }
}
