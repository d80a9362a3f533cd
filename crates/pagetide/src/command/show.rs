//! `pagetide show`: tables of a recording, as sar prints them.

use super::Outcome;
use crate::output::{self, Content};
use crate::recordings;
use clap::ValueEnum;
use pagetide_core::{Document, Error, Nanos, Recording, Source, printable};
use pagetide_view::show::{self, Heading, Numbers, Row, Topic, TopicTable};
use pagetide_view::text::Style;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

/// Print tables of a recording, as `sar -r -B -d -b -q -u -P -w -W` print them. docs/SAR.md has sar's options and their equivalents.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide show rec                                     memory, one row a sample
  pagetide show rec disk --every 10s                    disks, one row each 10 s
  pagetide show rec paging --from 12:20 --to 12:40      a stretch of time
  pagetide show rec disk --csv > disk.csv
  pagetide show rec memory --wide --raw --dec 0         every column of sar -r ALL, in bytes
  pagetide show rec cpus --only 0 --min-max             one CPU, with the extremes")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// The topic of the table.
    #[arg(default_value = "memory")]
    topic: Choice,
    /// Start here: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// End here.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// Print and read times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    utc: bool,
    /// One row per TIME instead of one per sample: the mean of gauges, the rate of counters over that time.
    #[arg(long, value_name = "TIME")]
    every: Option<Nanos>,
    /// All columns of the topic, such as those of `sar -u ALL` and `sar -r ALL`.
    #[arg(long)]
    wide: bool,
    /// Print the smallest and the largest value of each column below the averages.
    #[arg(long)]
    min_max: bool,
    /// Print amounts with their units (this is the default).
    #[arg(long, conflicts_with = "raw")]
    human: bool,
    /// Print numbers without units: bytes, seconds, percent, counts.
    #[arg(long)]
    raw: bool,
    /// Digits after the point; with --raw 2 when left out.
    #[arg(long, value_name = "DIGITS", value_parser = clap::value_parser!(u8).range(0..=9))]
    dec: Option<u8>,
    /// Only the disks, CPUs, zones, processes or groups of this name; `*` stands for any characters. Of a process, the command is
    /// enough; of a disk also its name in the device mapper or below /dev/disk.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Also show disks and processes that did nothing.
    #[arg(long)]
    all: bool,
    /// Print comma-separated values in base units.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// The topics as words on the command line.
#[derive(Debug, Clone, Copy)]
struct Choice(Topic);

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Self] {
        const CHOICES: [Choice; Topic::ALL.len()] = {
            let mut choices = [Choice(Topic::Memory); Topic::ALL.len()];
            let mut at = 0;
            while at < choices.len() {
                choices[at] = Choice(Topic::ALL[at]);
                at += 1;
            }
            choices
        };
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let topic = arguments.topic.0;
    let reader = recordings::open(&arguments.recording)?;
    let recording = reader.load(&topic.selection(arguments.wide))?;
    let damaged = reader.damage().lines();
    for line in damaged.iter().map(|line| format!("damaged: {}", printable(line))).filter(|_| !json) {
        if arguments.csv { output::say(&line) } else { output::print(&(line + "\n"))? }
    }
    let clock = recordings::clock(&recording.manifest, arguments.utc);
    let range = recordings::range(&recording, &clock, arguments.from.as_deref(), arguments.to.as_deref())?;
    let every = arguments.every.map(|every| i64::try_from(every.get()).unwrap_or(i64::MAX));
    let mut shown = show::show(&recording, topic, arguments.wide, range, every);
    if let Some(only) = &arguments.only {
        shown.retain(|entity| is_meant(only, entity));
    }
    let idle = if arguments.all || arguments.only.is_some() { 0 } else { shown.hide_idle() };
    if json {
        output::stream(Content::Json, |out| write_json(&shown, arguments.min_max, &damaged, out))?;
    } else if arguments.csv {
        output::stream(Content::Text, |out| write_csv(&shown, out))?;
    } else {
        let style = Style { colour: output::colour(), width: output::width().max(160) };
        let numbers = Numbers { raw: arguments.raw, decimals: arguments.dec.map(usize::from) };
        let print = (numbers, arguments.min_max);
        let any = output::stream(Content::Coloured, |out| show::draw(&shown, (&clock, style), print, out))?;
        if !any && idle == 0 {
            output::say(&nothing(arguments, &recording, !damaged.is_empty()));
        }
    }
    if idle > 0 {
        output::say(&format!("{idle} that did nothing are not shown (--all shows them)"));
    }
    Ok(if damaged.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// Whether an entity has the name that `--only` gives, or a process that command.
fn is_meant(only: &str, name: &str) -> bool {
    let command = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(command, _)| command);
    let only = only.strip_prefix("/dev/").and_then(|path| path.rsplit('/').next()).unwrap_or(only);
    matches(only, name) || command.is_some_and(|command| matches(only, command))
}

/// Whether a name is as a pattern in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(tail, &rest[at..]))
        }),
    }
}

/// Why there is no row.
fn nothing(arguments: &Arguments, recording: &Recording, damaged: bool) -> String {
    let topic = arguments.topic.0;
    let mut names = recording.entities(topic.table()).peekable();
    if names.peek().is_none() && damaged {
        return format!("no rows: what can be read of the recording has nothing for {}", topic.name());
    }
    let whole = show::show(recording, topic, arguments.wide, (i64::MIN, i64::MAX), None);
    let any = recording.stamps().len() < 2 || whole.rows().next().is_some();
    if names.peek().is_none() || !any {
        return format!("no rows: the recording has nothing for {}", topic.name());
    }
    match &arguments.only {
        Some(only) if !whole.has(|name| is_meant(only, name)) => {
            format!("no rows: no name matches {only}")
        }
        _ => "no rows in this range (rates need two samples)".to_owned(),
    }
}

fn write_csv(shown: &TopicTable<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "time")?;
    for name in shown.entity().into_iter().chain(shown.headings().map(|heading| heading.name)) {
        write!(out, ",{name}")?;
    }
    writeln!(out)?;
    for row in shown.rows() {
        out.write_all(recordings::timestamp(row.wall_ns).as_bytes())?;
        if let Some(entity) = row.entity {
            write!(out, ",\"{}\"", printable(entity).replace('"', "\"\""))?;
        }
        for value in &row.cells {
            match value {
                Some(value) => write!(out, ",{value}")?,
                None => out.write_all(b",")?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The same document as any other, but its rows are never there all at once.
fn write_json(shown: &TopicTable<'_>, min_max: bool, damaged: &[String], out: &mut dyn Write) -> io::Result<()> {
    struct Rows<'a>(&'a TopicTable<'a>);
    impl Serialize for Rows<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let headings: Vec<Heading> = self.0.headings().collect();
            serializer.collect_seq(self.0.rows().map(|row| object(self.0, &headings, &row)))
        }
    }
    #[derive(Serialize)]
    struct Body<'a> {
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        damaged: &'a [String],
        columns: Vec<Value>,
        rows: Rows<'a>,
        averages: Vec<Map<String, Value>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        minima: Vec<Map<String, Value>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        maxima: Vec<Map<String, Value>>,
        /// Counters that fell: no rates from them for that interval.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fell: Vec<Value>,
    }
    let headings: Vec<Heading> = shown.headings().collect();
    let columns = headings
        .iter()
        .map(|Heading { name, unit, meaning }| json!({ "name": name, "unit": unit, "meaning": meaning }));
    let timeless = |row: &Row<'_>| {
        let mut object = object(shown, &headings, row);
        object.remove("time");
        object
    };
    let extremes = if min_max { shown.extremes() } else { Vec::new() };
    let fell = shown.falls().into_iter().map(|fall| {
        json!({ "entity": fall.entity, "metrics": fall.metrics, "time": recordings::timestamp(fall.wall_ns), "times": fall.times })
    });
    let body = Body {
        damaged,
        columns: columns.collect(),
        rows: Rows(shown),
        averages: shown.averages().map(|row| timeless(&row)).collect(),
        minima: extremes.iter().map(|(least, _)| timeless(least)).collect(),
        maxima: extremes.iter().map(|(_, most)| timeless(most)).collect(),
        fell: fell.collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &Document::new(body))?;
    writeln!(out)
}

/// A row as an object: its time, its entity and its cells by their columns.
fn object(shown: &TopicTable<'_>, headings: &[Heading], row: &Row<'_>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("time".into(), recordings::timestamp(row.wall_ns).into());
    if let (Some(name), Some(entity)) = (shown.entity(), row.entity) {
        object.insert(name.into(), entity.into());
    }
    for (heading, value) in headings.iter().zip(&row.cells) {
        object.insert(heading.name.into(), json!(value));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::is_meant;

    #[test]
    fn names_are_meant_exactly_or_by_a_pattern() {
        assert!(is_meant("sda", "sda") && !is_meant("sda", "sda1"));
        assert!(is_meant("sda*", "sda1") && is_meant("*", "vda") && is_meant("nvme*n1", "nvme0n1"));
        assert!(!is_meant("nvme*n1", "nvme0n1p2"));
        assert!(is_meant("fio", "fio[42]") && is_meant("fio[42]", "fio[42]") && !is_meant("fi", "fio[42]"));
    }
}
