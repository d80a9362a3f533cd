//! `pagetide show`: tables of a recording, as sar prints them.

use super::Outcome;
use crate::output;
use crate::recordings;
use clap::ValueEnum;
use pagetide_core::{Nanos, Refusal, Selection, Unit};
use pagetide_view::show::{self, Row, Shown, Topic};
use pagetide_view::text::Style;
use pagetide_view::{Cell, Table};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Show tables of a recording, as `sar -r -B -d -q -u -W` print them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide show rec                                     memory, one row a sample
  pagetide show rec disk --every 10s                    disks, one row each 10 s
  pagetide show rec paging --from 12:20 --to 12:40      a stretch of time (UTC)
  pagetide show rec disk --csv > disk.csv")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    recording: PathBuf,
    /// What to show.
    #[arg(default_value = "memory")]
    topic: Choice,
    /// From this time on (UTC): `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// Up to this time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// One row for each stretch of this length instead of one for each sample.
    #[arg(long, value_name = "TIME")]
    every: Option<Nanos>,
    /// Only this disk, zone, process or group (its name, or a part of it).
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Show disks, processes and groups that did nothing as well.
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

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Refusal> {
    let selection = Selection { tables: vec![arguments.topic.0.table()], ..Selection::default() };
    let recording = recordings::load(&arguments.recording, &selection)?;
    let range = recordings::range(&recording, arguments.from.as_deref(), arguments.to.as_deref())?;
    let every = arguments.every.map(|every| i64::try_from(every.get()).unwrap_or(i64::MAX));
    let mut shown = show::show(&recording, arguments.topic.0, range, every);
    if let Some(only) = &arguments.only {
        shown.rows.retain(|row| row.entity.as_ref().is_some_and(|entity| entity.contains(only.as_str())));
    }
    let idle = if arguments.all || arguments.only.is_some() { 0 } else { hide_idle(&mut shown, arguments.topic.0) };
    if json {
        output::print_json(&as_json(&shown))?;
    } else if arguments.csv {
        output::print(&as_csv(&shown))?;
    } else if shown.rows.is_empty() {
        output::say("no rows: the recording has nothing of this kind in this range (rates need two samples)");
    } else {
        output::print(&as_table(&shown).to_text(Style { colour: output::colour(), width: output::width().max(160) }))?;
    }
    if idle > 0 {
        output::say(&format!("{idle} that did nothing are not shown (--all shows them)"));
    }
    Ok(Outcome::Done)
}

/// Takes out the disks and processes of which every rate is zero in every row, and says how many they were.
fn hide_idle(shown: &mut Shown, topic: Topic) -> usize {
    if !matches!(topic, Topic::Disk | Topic::Processes) {
        return 0;
    }
    let state = |unit: Unit| matches!(unit, Unit::Pages | Unit::Bytes);
    let moves = |row: &Row| {
        row.cells
            .iter()
            .zip(&shown.headings)
            .any(|(cell, head)| !state(head.unit) && cell.is_some_and(|cell| cell != 0.0))
    };
    let busy: BTreeSet<_> = shown.rows.iter().filter(|row| moves(row)).map(|row| row.entity.clone()).collect();
    let all: BTreeSet<_> = shown.rows.iter().map(|row| row.entity.clone()).collect();
    shown.rows.retain(|row| busy.contains(&row.entity));
    all.len() - busy.len()
}

fn as_table(shown: &Shown) -> Table {
    let mut table = Table::new().left("UTC");
    if let Some(entity) = shown.entity {
        table = table.left(entity);
    }
    for heading in &shown.headings {
        table = table.right(heading.name);
    }
    for row in &shown.rows {
        let mut cells: Vec<Cell> = vec![recordings::clock(row.wall_ns).into()];
        cells.extend(row.entity.clone().map(Cell::from));
        cells.extend(row.cells.iter().zip(&shown.headings).map(|(value, head)| show::cell(*value, head.unit).into()));
        table.row(cells);
    }
    table
}

fn as_csv(shown: &Shown) -> String {
    let mut text = String::from("time");
    for name in shown.entity.into_iter().chain(shown.headings.iter().map(|heading| heading.name)) {
        let _ = write!(text, ",{name}");
    }
    text.push('\n');
    for row in &shown.rows {
        text.push_str(&recordings::timestamp(row.wall_ns));
        if let Some(entity) = &row.entity {
            let _ = write!(text, ",\"{}\"", entity.replace('"', "\"\""));
        }
        for value in &row.cells {
            text.push(',');
            if let Some(value) = value {
                let _ = write!(text, "{value}");
            }
        }
        text.push('\n');
    }
    text
}

fn as_json(shown: &Shown) -> Value {
    let columns: Vec<Value> =
        shown.headings.iter().map(|heading| json!({ "name": heading.name, "unit": heading.unit })).collect();
    let rows: Vec<Value> = shown
        .rows
        .iter()
        .map(|row| {
            let mut object = Map::new();
            object.insert("time".into(), recordings::timestamp(row.wall_ns).into());
            if let (Some(name), Some(entity)) = (shown.entity, &row.entity) {
                object.insert(name.into(), entity.clone().into());
            }
            for (heading, value) in shown.headings.iter().zip(&row.cells) {
                object.insert(heading.name.into(), json!(value));
            }
            Value::Object(object)
        })
        .collect();
    json!({ "columns": columns, "rows": rows })
}
