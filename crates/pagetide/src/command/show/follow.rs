//! `pagetide show --follow` and `--sample`: rows as they come.

use super::arguments::{Arguments, Choice, topics};
use super::{csv, json};
use crate::command::Outcome;
use crate::interrupt::Interrupt;
use crate::output::{self, Content};
use crate::silence::{self, Heard, Silence};
use crate::{recordings, sampling};
use clap::ValueEnum;
use pagetide_core::{Document, Error, LocalClock, Nanos, Selection, Source, Table};
use pagetide_recorder::Scope;
use pagetide_view::show::{Columns, Heading, Output, Parts, Pass, Topic, Totals};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows of the past that stand above the new ones.
const PAST_ROWS: usize = 10;
/// Lines between two headings where stdout is no terminal.
const LINES: usize = 40;

/// Follows a recording that grows.
pub(super) fn recording(source: &dyn Source, arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let interrupt = Interrupt::catch()?;
    let times = source.times(&Selection::default())?;
    let clock = recordings::clock(&times.manifest, arguments.utc);
    let stamps = times.stamps();
    let from = match arguments.from.as_deref() {
        Some(from) => recordings::range(&times, &clock, Some(from), None)?.0,
        None => {
            let last = stamps.last().map_or(i64::MIN, |stamp| stamp.wall_ns);
            let rows = i64::try_from(PAST_ROWS).unwrap_or(i64::MAX);
            let by_time = arguments.every().map(|every| last.saturating_sub(every.saturating_mul(rows)));
            by_time.unwrap_or_else(|| {
                stamps[stamps.len().saturating_sub(PAST_ROWS).min(stamps.len())..]
                    .first()
                    .map_or(last, |stamp| stamp.wall_ns)
            })
        }
    };
    let (interval, newest) = (times.manifest.interval, stamps.last().map(|stamp| stamp.wall_ns));
    let parts = arguments.parts(source, times, arguments.topic(), (from, i64::MAX))?;
    let every = Duration::from_nanos(parts.interval().get());
    let silence = Silence::new(Duration::from_nanos(interval.get()), every, newest);
    let watched = arguments.recording.as_deref().map(|path| (path, silence));
    Follower::new(arguments, parts, &clock, json).run(source, watched, &interrupt)
}

/// Samples this host.
pub(super) fn this_host(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let topic = match (&arguments.recording, arguments.topic) {
        (Some(_), Some(_)) => {
            return Err(Error::input("--sample shows this host, not a recording", "pagetide show --sample TOPIC"));
        }
        (None, topic) => topic.map_or(Topic::Memory, |choice| choice.0),
        (Some(word), None) => {
            let word = word.display().to_string();
            let choice = Choice::from_str(&word, false);
            choice.map_err(|_| Error::input(format!("no topic `{word}`"), topics()))?.0
        }
    };
    let interrupt = Interrupt::catch()?;
    // Samples are a second apart, or as rows are when these are shorter.
    let second = Nanos::new(1_000_000_000);
    let interval = arguments.every.map_or(second, |every| every.min(second));
    let scope = match topic.table() {
        Table::Process | Table::Cgroup => Scope::All,
        _ => Scope::Host,
    };
    let (recorder, history) = sampling::start(interval, scope)?;
    let times = history.times(&Selection::default())?;
    let clock = recordings::clock(&times.manifest, arguments.utc);
    let parts = arguments.parts(&history, times, topic, (i64::MIN, i64::MAX))?;
    let done = Follower::new(arguments, parts, &clock, json).run(&history, None, &interrupt);
    recorder.finish()?;
    done
}

/// Prints the rows of a table that grows.
struct Follower<'a> {
    arguments: &'a Arguments,
    parts: Parts<'a>,
    json: bool,
    headings: Vec<Heading>,
    columns: Columns<'a>,
    totals: Totals,
    /// Lines since the last heading; absent before the first.
    lines: Option<usize>,
    clock: &'a LocalClock,
}

impl<'a> Follower<'a> {
    fn new(arguments: &'a Arguments, mut parts: Parts<'a>, clock: &'a LocalClock, json: bool) -> Self {
        if !arguments.all && arguments.only.is_none() {
            parts.hide_idle_by_part();
        }
        let output = Output { clock, style: arguments.style(), numbers: arguments.numbers(), extremes: false };
        let columns = Columns::of(&parts, output);
        let headings = parts.headings().collect();
        Self { arguments, parts, json, headings, columns, totals: Totals::default(), lines: None, clock }
    }

    /// Prints rows until a signal or the time's end. `watched` is the recording's path, and whether samples come to it.
    fn run(
        mut self,
        source: &dyn Source,
        mut watched: Option<(&Path, Silence)>,
        interrupt: &Interrupt,
    ) -> Result<Outcome, Error> {
        let until = self.arguments.lasts.map(|lasts| Instant::now() + Duration::from_nanos(lasts.get()));
        let over = || interrupt.came() || until.is_some_and(|until| Instant::now() >= until);
        let mut pass = Pass::default();
        loop {
            output::stream(self.content(), |out| self.rows(&mut pass, out))??;
            let interval = Duration::from_nanos(self.parts.interval().get());
            // The first sample is on its way.
            let pause = match self.parts.begin() {
                Some(_) => interval.clamp(Duration::from_millis(100), Duration::from_secs(1)),
                None => Duration::from_millis(1),
            };
            let next = Instant::now() + pause;
            while Instant::now() < next && !over() {
                std::thread::sleep(pause.min(Duration::from_millis(20)));
            }
            if over() {
                output::stream(self.content(), |out| self.averages(out))?;
                return Ok(Outcome::Done);
            }
            let from_wall_ns = self.parts.resume(&pass);
            let times = source.times(&Selection { from_wall_ns, ..Selection::default() })?;
            if let Some((path, silence)) = &mut watched {
                let newest = times.stamps().last().map(|stamp| stamp.wall_ns);
                if silence.look(newest, Instant::now()) == Heard::Silence {
                    output::say(&silence::describe(path, silence.since()));
                }
            }
            self.parts.grow(times);
        }
    }

    fn content(&self) -> Content {
        match (self.json, self.arguments.csv) {
            (true, _) => Content::Json,
            (_, true) => Content::Text,
            _ => Content::Coloured,
        }
    }

    /// Prints the rows that are new.
    fn rows(&mut self, pass: &mut Pass, out: &mut dyn Write) -> io::Result<Result<(), Error>> {
        let Self { arguments, parts, json, headings, columns, totals, lines, clock } = self;
        parts.follow(pass, &mut |table| {
            totals.part(table);
            let rows: Vec<_> = table.rows().inspect(|row| totals.row(row)).collect();
            if *json {
                return rows.iter().try_for_each(|row| {
                    let line = Document::new(json::object(parts, headings, row)).to_line();
                    out.write_all(line.map_err(io::Error::other)?.as_bytes())
                });
            }
            if arguments.csv {
                if lines.replace(0).is_none() {
                    csv::heading(parts, out)?;
                }
                return rows.iter().try_for_each(|row| csv::row(row, out));
            }
            let cells: Vec<_> =
                rows.iter().map(|row| columns.cells(row, &clock.time_with_tenths(row.wall_ns))).collect();
            cells.iter().for_each(|cells| columns.widen(cells));
            for cells in &cells {
                if lines.is_none_or(|lines| lines >= output::height().unwrap_or(LINES).saturating_sub(2).max(5)) {
                    if lines.is_some() {
                        writeln!(out)?;
                    }
                    columns.heading(out)?;
                    *lines = Some(0);
                }
                columns.row(cells.iter(), out)?;
                *lines = lines.map(|lines| lines + 1);
            }
            Ok(())
        })
    }

    /// Prints the averages of all rows, as sar does when it is stopped.
    fn averages(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.json || self.arguments.csv || !self.totals.has_several() {
            return Ok(());
        }
        writeln!(out)?;
        self.columns.heading(out)?;
        for row in self.totals.averages(&self.parts) {
            self.columns.row(self.columns.cells(&row, "Average").iter(), out)?;
        }
        Ok(())
    }
}
