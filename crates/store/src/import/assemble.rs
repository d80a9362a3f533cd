//! Makes one recording of the values of all files.

use super::clock::{DAY, Date, SECOND};
use super::columns::BESIDE_COUNTER;
use super::gather::{Event, Gather, Lane, LaneKey};
use super::options::Options;
use super::report::{FileReport, ImportReport};
use super::reports;
use super::timeline::{Span, spans};
use crate::budget::{Budget, Exceeded};
use pagetide_core::{
    Bytes, Column, Entity, Error, HostTimeZone, Kind, Manifest, Mark, MarkKind, Nanos, Recording, RecordingBuilder,
    Stamp, Table, Values,
};
use std::collections::BTreeMap;
use std::path::Path;

/// A recording made of logs, and what was read of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The recording.
    pub recording: Recording,
    /// What was read, skipped, left out and assumed.
    pub report: ImportReport,
}

/// The page size assumed where no file gives one: that of every x86 and of most other machines.
const PAGE: Bytes = Bytes::new(4096);

/// Makes the recording.
pub(super) fn assemble(
    mut files: Vec<Gather>,
    options: &Options,
    budget: &Budget,
    names: &str,
) -> Result<Import, Error> {
    let mut notes = Vec::new();
    let manifest = manifest(&files, options, &mut notes)?;
    let spans = spans(&files);
    tell_days(&mut files, &spans, options, &mut notes);
    let shifts = shifts(files.len(), &spans);
    name_first_programs(&mut files, &shifts);

    let mut axis: Vec<i64> = files
        .iter()
        .zip(&shifts)
        .flat_map(|(file, shift)| file.moments.iter().map(move |moment| moment.saturating_add(*shift)))
        .collect();
    axis.sort_unstable();
    axis.dedup();

    let mut builder = RecordingBuilder::new(Manifest { samples: axis.len() as u64, ..manifest });
    axis.iter().for_each(|nanos| builder.stamp(stamp(*nanos)));
    for (file, shift) in files.iter_mut().zip(&shifts) {
        tell_moments(&mut file.report, &file.moments, *shift);
        for (nanos, event) in std::mem::take(&mut file.events) {
            builder.mark(mark(nanos.saturating_add(*shift), *shift, event));
        }
    }
    // The index in the recording of each moment of each file.
    let positions: Vec<Vec<usize>> = files
        .iter()
        .zip(&shifts)
        .map(|(file, shift)| {
            let position = |moment: &i64| axis.partition_point(|nanos| *nanos < moment.saturating_add(*shift));
            file.moments.iter().map(position).collect()
        })
        .collect();
    for (key, lanes) in columns(&mut files, &mut notes) {
        let Some(column) = lanes.first().map(|(_, column, _)| column.clone()) else { continue };
        let label = files.iter().find_map(|file| file.labels.get(&key.0)).unwrap_or(&key.0.1).clone();
        let entity = Entity::new(key.0.1, label);
        let points = points(lanes, &positions, &mut files);
        let (table, name) = (key.0.0, entity.name.clone());
        let values = values(&points, budget).map_err(|exceeded| exceeded.at(Path::new(names)))?;
        builder.entity(table, entity);
        builder.values(table, &name, Column { name: key.1, ..column }, values);
    }
    for (at, file) in files.iter().enumerate() {
        if let Some(nanos) = file.report.from_wall_ns.filter(|_| spans.iter().any(|span| span.files.contains(&at))) {
            let kind = file.report.kind.map_or("", super::FileKind::name);
            let text = format!("imported from {} ({kind}): {}", file.report.name, file.report.notes.join("; "));
            builder.mark(Mark { stamp: stamp(nanos), kind: MarkKind::Note { text } });
        }
    }
    let report = ImportReport { files: files.into_iter().map(|file| file.report).collect(), notes };
    Ok(Import { recording: builder.finish(), report })
}

/// The values at these samples. They take memory for every sample between the first and the last, which is charged first.
fn values(points: &[(usize, i64)], budget: &Budget) -> Result<Values, Exceeded> {
    let mut values = Values::default();
    if let [(first, value), rest @ ..] = points {
        values.make_room(*first, usize::MAX, |bytes| budget.charge(bytes))?;
        values.push(*first, *value);
        let last = rest.last().map_or(*first, |(last, _)| *last);
        values.make_room(last, usize::MAX, |bytes| budget.charge(bytes))?;
        rest.iter().for_each(|(at, value)| values.push(*at, *value));
    }
    Ok(values)
}

/// A moment on the recording's axis. No file says when the host booted, so all three clocks get the wall clock.
fn stamp(nanos: i64) -> Stamp {
    Stamp { wall_ns: nanos, mono_ns: nanos, boot_ns: nanos }
}

fn mark(nanos: i64, shift: i64, event: Event) -> Mark {
    let kind = match event {
        Event::Note(text) => MarkKind::Note { text },
        Event::Step(mut step) => {
            step.started_ns = step.started_ns.saturating_add(shift);
            step.ended_ns = step.ended_ns.saturating_add(shift);
            let ended = stamp(step.ended_ns);
            return Mark { stamp: ended, kind: MarkKind::StepEnded { result: step } };
        }
    };
    Mark { stamp: stamp(nanos), kind }
}

/// What the files say about their host; all must be from the same one.
fn manifest(files: &[Gather], options: &Options, notes: &mut Vec<String>) -> Result<Manifest, Error> {
    let mut named: Option<(&str, &str)> = None;
    for file in files {
        let Some(host) = file.facts.host.as_deref() else { continue };
        match named {
            Some((known, from)) if known != host => {
                return Err(Error::input(
                    format!("{from} is from host {known}, {} from host {host}", file.report.name),
                    "a recording holds one host: import the files of each host separately",
                ));
            }
            _ => named = Some((host, &file.report.name)),
        }
    }
    let last = |name: &str| {
        let lanes = files.iter().flat_map(|file| &file.lanes);
        lanes
            .filter(|(key, _, _)| key.table == Table::Host && key.name == name)
            .find_map(|(_, _, lane)| lane.values.last())
    };
    let total = last("MemTotal").and_then(|bytes| u64::try_from(*bytes).ok()).map(Bytes::new).unwrap_or_default();
    let needs_pages =
        files.iter().flat_map(|file| &file.lanes).any(|(_, column, _)| column.unit == pagetide_core::Unit::Pages);
    if needs_pages && !files.iter().any(|file| file.facts.small_pages) {
        notes.push("no file gives the page size: 4 KiB is assumed".to_owned());
    }
    let (interval, column_intervals) = intervals(files);
    Ok(Manifest {
        schema_version: crate::FORMAT_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        origin: pagetide_core::Origin::Import,
        host: named.map(|(host, _)| host.to_owned()).unwrap_or_default(),
        kernel: files.iter().find_map(|file| file.facts.kernel.clone()).unwrap_or_default(),
        cpus: files.iter().find_map(|file| file.facts.cpus).unwrap_or(0),
        page_size: PAGE,
        memory_total: total,
        interval,
        column_intervals,
        time_zone: Some(HostTimeZone {
            name: options.utc_offset.is_none().then(|| "UTC".to_owned()),
            utc_offset_s: i32::try_from(options.offset() / SECOND).unwrap_or(0),
        }),
        ..Manifest::default()
    })
}

/// So many reports say how often a host was sampled; fewer are a few copies that somebody took beside its logs. Judgement.
const SEVERAL: usize = 10;

/// The shortest usual interval of all files, and that of each column that comes at longer ones; of a column in several files the longest.
fn intervals(files: &[Gather]) -> (Nanos, BTreeMap<String, Nanos>) {
    let mut all: BTreeMap<(Table, String), (usize, Nanos)> = BTreeMap::new();
    for (column, (reports, interval)) in files.iter().flat_map(reports::intervals) {
        let known = all.entry(column).or_default();
        *known = (known.0.max(reports), known.1.max(Nanos::new(u64::try_from(interval).unwrap_or(0))));
    }
    let shortest =
        |least: usize| all.values().filter(|(count, _)| *count >= least).map(|(_, interval)| *interval).min();
    let shortest = shortest(SEVERAL).or_else(|| shortest(0)).unwrap_or_default();
    // Clocks are not that exact.
    let longer = shortest.get().saturating_add(shortest.get() / 2);
    let columns = all.into_iter().filter(|(_, (_, interval))| interval.get() > longer);
    (shortest, columns.map(|((table, name), (_, interval))| (Manifest::column_key(table, &name), interval)).collect())
}

/// The local day of all moments of the files that have dates, when it is one.
fn only_known_day(files: &[Gather], spans: &[Span], options: &Options) -> Option<Date> {
    let known = spans.iter().filter(|span| span.stand_in.is_none()).flat_map(|span| &span.files);
    let mut days =
        known.flat_map(|at| &files[*at].moments).map(|at| at.saturating_add(options.offset()).div_euclid(DAY));
    let first = days.next()?;
    days.all(|day| day == first).then(|| i32::try_from(first).ok().map(|day| Date::EPOCH.plus(day)))?
}

/// Notes the days of the files, and what is not known about them.
fn tell_days(files: &mut [Gather], spans: &[Span], options: &Options, notes: &mut Vec<String>) {
    let names: Vec<String> = files.iter().map(|file| file.report.name.clone()).collect();
    for span in spans {
        let Some(day) = span.stand_in else {
            for at in &span.files {
                files[*at].report.day_known = true;
            }
            continue;
        };
        for at in &span.files {
            let file = &mut files[*at];
            file.report.note(if file.timed {
                format!("it has no date: {day} stands in for the unknown day")
            } else {
                format!("it has no times: rows are in the order of the file, an assumed interval apart, from {day} on; `--date 'YYYY-MM-DD HH:MM'` sets the start")
            });
        }
        if span.files.len() > 1 {
            for at in &span.files {
                let others: Vec<&str> =
                    span.files.iter().filter(|other| *other != at).map(|other| names[*other].as_str()).collect();
                files[*at].report.note(format!("assumed to be from the same day as {}", others.join(", ")));
            }
            notes.push(format!(
                "{} have no date but share uneven times ({} or more, to the second): assumed to be one day, {day}",
                span.files.iter().map(|at| names[*at].as_str()).collect::<Vec<_>>().join(" and "),
                span.common
            ));
        }
    }
    if spans.len() > 1 {
        let days: Vec<String> = spans
            .iter()
            .map(|span| {
                let names: Vec<&str> = span.files.iter().map(|at| names[*at].as_str()).collect();
                let day = span.stand_in.map_or("known days".to_owned(), |day| format!("{day} (not known)"));
                format!("{day}: {}", names.join(", "))
            })
            .collect();
        let hint = match only_known_day(files, spans, options) {
            Some(day) => format!("if the files without a date are from {day} too, import them with `--date {day}`"),
            None => "if you know the day of a file without a date, import it with `--date FILE=YYYY-MM-DD`".to_owned(),
        };
        notes.push(format!(
            "the files may be from different days; each keeps its own day, so their times cannot be compared: {}; {hint}",
            days.join("; ")
        ));
    }
    for file in files.iter_mut().filter(|file| file.local && file.dated && options.utc_offset.is_none()) {
        file.report.note("its times name no time zone and are read as UTC (--utc-offset overrides this)");
    }
}

/// What to add to each file's times.
fn shifts(files: usize, spans: &[Span]) -> Vec<i64> {
    let mut shifts = vec![0; files];
    for span in spans {
        for at in &span.files {
            shifts[*at] = span.stand_in.map_or(0, Date::nanos);
        }
    }
    shifts
}

fn tell_moments(report: &mut FileReport, moments: &[i64], shift: i64) {
    report.samples = moments.len() as u64;
    report.from_wall_ns = moments.iter().min().map(|nanos| nanos.saturating_add(shift));
    report.to_wall_ns = moments.iter().max().map(|nanos| nanos.saturating_add(shift));
}

/// Gives a process its id alone for a name as the program that it was first, in whichever file; what it became by exec(2) keeps its own.
fn name_first_programs(files: &mut [Gather], shifts: &[i64]) {
    let mut first: BTreeMap<String, (i64, String)> = BTreeMap::new();
    for (file, shift) in files.iter().zip(shifts) {
        for (key, _, lane) in file.lanes.iter().filter(|(key, _, _)| key.table == Table::Process) {
            let began = lane.moments.iter().map(|moment| file.moments[*moment as usize]).min();
            let (Some((id, _)), Some(began)) = (key.entity.split_once('/'), began) else { continue };
            let program = (began.saturating_add(*shift), key.entity.clone());
            let known = first.entry(id.to_owned()).or_insert_with(|| program.clone());
            if program.0 < known.0 {
                *known = program;
            }
        }
    }
    let ids: BTreeMap<String, String> = first.into_iter().map(|(id, (_, entity))| (entity, id)).collect();
    for file in files {
        for (key, _, _) in file.lanes.iter_mut().filter(|(key, _, _)| key.table == Table::Process) {
            if let Some(id) = ids.get(&key.entity) {
                key.entity.clone_from(id);
            }
        }
        let labels = std::mem::take(&mut file.labels).into_iter();
        file.labels = labels
            .map(|((table, entity), label)| ((table, ids.get(&entity).cloned().unwrap_or(entity)), label))
            .collect();
    }
}

/// A column of the recording: table and entity, then its name there.
type ColumnKey = ((Table, String), String);

/// The lanes by the column of the recording that they fill, each with the file that it comes from. A rate does not share a column with a
/// counter of the same name from another file: it gets a name of its own.
fn columns(files: &mut [Gather], notes: &mut Vec<String>) -> BTreeMap<ColumnKey, Vec<(usize, Column, Lane)>> {
    let mut kinds: BTreeMap<(Table, String), Vec<Kind>> = BTreeMap::new();
    for (key, _, _) in files.iter().flat_map(|file| &file.lanes) {
        let of = kinds.entry((key.table, key.name.clone())).or_default();
        if !of.contains(&key.kind) {
            of.push(key.kind);
        }
    }
    let mut columns: BTreeMap<ColumnKey, Vec<(usize, Column, Lane)>> = BTreeMap::new();
    for (at, file) in files.iter_mut().enumerate() {
        for (key, column, lane) in std::mem::take(&mut file.lanes) {
            if lane.values.is_empty() {
                continue;
            }
            let LaneKey { table, entity, mut name, kind } = key;
            if kind == Kind::Rate && kinds.get(&(table, name.clone())).is_some_and(|kinds| kinds.len() > 1) {
                let text = format!(
                    "{name} is a counter in one file and a rate in another: the rate is called {name}{BESIDE_COUNTER}"
                );
                if !notes.contains(&text) {
                    notes.push(text);
                }
                name.push_str(BESIDE_COUNTER);
            }
            columns.entry(((table, entity), name)).or_default().push((at, column, lane));
        }
    }
    columns
}

/// The values of a column by index in the recording. If two lines give a value for the same moment, the first is kept.
fn points(lanes: Vec<(usize, Column, Lane)>, positions: &[Vec<usize>], files: &mut [Gather]) -> Vec<(usize, i64)> {
    let mut points: Vec<(u32, u32, i64)> = Vec::with_capacity(lanes.iter().map(|(_, _, lane)| lane.values.len()).sum());
    for (file, _, lane) in lanes {
        let file_number = u32::try_from(file).unwrap_or(u32::MAX);
        for (moment, value) in lane.moments.into_iter().zip(lane.values) {
            let position = positions[file][moment as usize];
            points.push((u32::try_from(position).unwrap_or(u32::MAX), file_number, value));
        }
    }
    points.sort_by_key(|(position, _, _)| *position);
    for pair in points.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].2 != pair[1].2) {
        if let Some(file) = files.get_mut(pair[1].1 as usize) {
            file.report.conflicts += 1;
        }
    }
    points.dedup_by_key(|(position, _, _)| *position);
    points.into_iter().map(|(position, _, value)| (position as usize, value)).collect()
}
