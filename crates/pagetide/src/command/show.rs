//! `pagetide show`: tables of a recording, as sar prints them.

mod arguments;
mod csv;
mod follow;
mod json;

use super::Outcome;
use crate::output::{self, Content};
use crate::recordings;
pub(crate) use arguments::Arguments;
use arguments::is_meant;
use pagetide_core::{Error, Recording, Selection, Source, Table, printable};
use pagetide_view::show::{Drawing, Output, Parts};

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.sample {
        return follow::this_host(arguments, json);
    }
    let path = arguments.recording.as_deref().unwrap_or_else(|| std::path::Path::new("."));
    let reader = recordings::open(path)?;
    if arguments.follow {
        return follow::recording(&reader, arguments, json);
    }
    if arguments.lasts.is_some() {
        return Err(Error::input("--for needs --follow or --sample", "--to ends the table of a recording"));
    }
    let times = reader.times(&Selection::default())?;
    let clock = recordings::clock(&times.manifest, arguments.utc);
    let mut range = recordings::range(&times, &clock, arguments.from.as_deref(), arguments.to.as_deref())?;
    let stretch = times.manifest.cut.and_then(|cut| cut.stretch);
    let context = match stretch.filter(|_| !arguments.all && arguments.from.is_none() && arguments.to.is_none()) {
        Some((from, to)) => {
            range = (from, to);
            times.stamps().iter().filter(|stamp| !(from..=to).contains(&stamp.wall_ns)).count()
        }
        None => 0,
    };
    let mut shown = arguments.parts(&reader, times.clone(), arguments.topic(), range)?;
    let idle = if arguments.all || arguments.only.is_some() { 0 } else { shown.hide_idle()? };
    let any = if json {
        json::write(&shown, arguments.min_max, &reader.damage())?
    } else if arguments.csv {
        output::stream(Content::Text, |out| csv::write(&shown, out))??
    } else {
        let style = arguments.style();
        let written = Output { clock: &clock, style, numbers: arguments.numbers(), extremes: arguments.min_max };
        let drawing = Drawing::of(&shown, written)?;
        // All of the range was read, so all that is damaged is known.
        for line in reader.damage().lines() {
            output::print(&format!("damaged: {}\n", printable(&line)))?;
        }
        if let Some(drawing) = &drawing {
            output::stream(Content::Coloured, |out| drawing.write(out))??;
        }
        drawing.is_some()
    };
    let damaged = reader.damage().lines();
    if arguments.csv {
        damaged.iter().for_each(|line| output::say(&format!("damaged: {}", printable(line))));
    }
    let mut outcome = if damaged.is_empty() { Outcome::Done } else { Outcome::Failed };
    if !any && idle == 0 {
        let (why, unmatched) = nothing(arguments, &reader, times, !damaged.is_empty())?;
        output::say(&why);
        if unmatched {
            outcome = Outcome::Failed;
        }
    }
    if idle > 0 {
        let (one, many) = match arguments.topic().table() {
            Table::Disk => ("disk", "disks"),
            Table::Process => ("process", "processes"),
            _ => ("row", "rows"),
        };
        output::say(&match idle {
            1 => format!("1 idle {one} is not shown (--all shows it)"),
            idle => format!("{idle} idle {many} are not shown (--all shows them)"),
        });
    }
    if context > 0 {
        output::say(&format!("context: {} around the range of the cut (--all shows them)", output::samples(context)));
    }
    Ok(outcome)
}

/// Why there is no row, and whether it is that nothing has the name that was asked for.
fn nothing(
    arguments: &Arguments,
    source: &dyn Source,
    times: Recording,
    damaged: bool,
) -> Result<(String, bool), Error> {
    let topic = arguments.topic();
    let single = times.stamps().len() < 2;
    let whole = Parts::new(source, times, (topic, arguments.wide), ((i64::MIN, i64::MAX), None))?;
    let (mut named, mut any, mut meant) = (false, single, false);
    whole.look(&mut |table| {
        named |= table.has(|_| true);
        any |= table.rows().next().is_some();
        meant |= table.has(|name| arguments.only.as_ref().is_none_or(|only| is_meant(only, name)));
    })?;
    let unmatched = named && any && !meant;
    let why = match &arguments.only {
        _ if !named && damaged => {
            format!("no rows: the readable part of the recording has nothing for {}", topic.name())
        }
        _ if !named || !any => format!("no rows: the recording has nothing for {}", topic.name()),
        Some(only) if unmatched => format!("no rows: no name matches {only}"),
        _ => "no rows in this range (rates need two samples)".to_owned(),
    };
    Ok((why, unmatched))
}
