//! The page of two ranges of time: whether a change helped, and by how much.

use super::block::{Block, Page};
use super::words::count;
use crate::table::Table;
use pagetide_core::{ComparedLoad, ComparedRange, ComparedValue, LocalClock, Quantity, RangeComparison, Unit};

/// The page of a comparison of ranges, with the times of a host's clock.
pub fn range_comparison(comparison: &RangeComparison, clock: &LocalClock) -> Page {
    let (losses, rates): (Vec<&ComparedValue>, Vec<&ComparedValue>) =
        comparison.values.iter().partition(|value| value.harm);
    let mut blocks = Vec::new();
    for (heading, values) in [("Lost time", losses), ("Rates", rates)] {
        let (differing, others): (Vec<&ComparedValue>, Vec<&ComparedValue>) =
            values.into_iter().partition(|value| value.differs);
        if differing.is_empty() && others.is_empty() {
            continue;
        }
        blocks.push(Block::Heading(heading.to_owned()));
        if !differing.is_empty() {
            blocks.push(Block::Table(table(&differing)));
        }
        let (equal, unclear): (Vec<&ComparedValue>, Vec<&ComparedValue>) =
            others.into_iter().partition(|value| value.equal);
        for (said, values) in [("No difference that matters", equal), ("Too noisy to tell", unclear)] {
            if !values.is_empty() {
                blocks.push(Block::Paragraph(format!("{said}: {}.", names(&values))));
            }
        }
    }
    if !comparison.load.is_empty() {
        blocks.push(Block::Heading("Programs and groups that do more or less".to_owned()));
        blocks.push(Block::Table(load(&comparison.load)));
    }
    blocks.push(Block::Heading("Method".to_owned()));
    blocks.push(Block::Paragraph(comparison.method.clone()));
    // What the summary says stands there.
    let unknown = comparison.unknown.iter().filter(|one| !comparison.summary.contains(*one));
    let unknown: Vec<String> = unknown.cloned().collect();
    if !unknown.is_empty() {
        blocks.push(Block::Heading("Unknown".to_owned()));
        blocks.push(Block::List(unknown));
    }
    let range = |range: &ComparedRange| {
        let at = |wall_ns| clock.date_time(wall_ns);
        let of = if comparison.before.host == comparison.after.host { "" } else { &range.host };
        let host = if of.is_empty() { String::new() } else { format!(" of {of}") };
        format!("{} to {}{host} ({})", at(range.from_wall_ns), at(range.to_wall_ns), count(range.samples, "sample"))
    };
    let lead = vec![
        comparison.summary.clone(),
        format!("Before: {}. After: {}.", range(&comparison.before), range(&comparison.after)),
    ];
    Page { title: "Before and after".to_owned(), lead, outcome: String::new(), blocks, ..Page::default() }
}

/// What does not differ, each with its places; control groups, of which there are many, only by number.
fn names(values: &[&ComparedValue]) -> String {
    let mut names: Vec<(&str, Vec<&str>)> = Vec::new();
    for value in values.iter().filter(|value| !value.of.starts_with("cgroup:")) {
        let place = value.of.strip_prefix("disk:").unwrap_or(&value.of);
        match names.iter_mut().find(|(what, _)| *what == value.what) {
            Some((_, places)) => places.push(place),
            None => names.push((&value.what, vec![place])),
        }
    }
    let mut words: Vec<String> =
        names.into_iter().map(|(what, places)| format!("{what} ({})", places.join(", "))).collect();
    let groups = values.iter().filter(|value| value.of.starts_with("cgroup:")).count();
    words.extend((groups > 0).then(|| format!("{} of control groups", count(groups, "value"))));
    words.join("; ")
}

fn table(values: &[&ComparedValue]) -> Table {
    let mut table = Table::new()
        .left("")
        .left("of")
        .right("before")
        .right("after")
        .right("difference")
        .right("at least")
        .right("at most");
    for value in values {
        table.row([
            value.what.as_str().into(),
            value.of.as_str().into(),
            value.before.to_string().as_str().into(),
            value.after.to_string().as_str().into(),
            ComparedValue::difference_words(value.difference).as_str().into(),
            ComparedValue::difference_words(value.low).as_str().into(),
            ComparedValue::difference_words(value.high).as_str().into(),
        ]);
    }
    table
}

fn load(load: &[ComparedLoad]) -> Table {
    let mut table = Table::new().left("").left("").right("before").right("after");
    for ComparedLoad { of, what, before, after } in load {
        let amount = |of: &Quantity| if of.unit == Unit::Count { format!("{of} CPUs") } else { of.to_string() };
        table.row([
            of.as_str().into(),
            what.as_str().into(),
            amount(before).as_str().into(),
            amount(after).as_str().into(),
        ]);
    }
    table
}
