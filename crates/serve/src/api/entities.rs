//! Processes, groups, disks and zones over a range, the largest first.

use super::source::{self, Opened};
use crate::query::Query;
use crate::reply::{Answer, Failure, json};
use crate::rows::{self, Order, Rows};
use crate::shared::Shared;
use axum::extract::{Path, RawQuery, State};
use pagetide_core::{Error, Selection, suggest};
use pagetide_view::show::{self, Topic};
use std::sync::Arc;

/// Rows of an answer: when not given, at most.
const ROWS: (usize, usize) = (50, 1000);
/// The longest range of processes and groups, whose rows are read from the samples.
const LONGEST_NS: i64 = 2 * 3_600_000_000_000;

fn topic(table: &str) -> Result<Topic, Error> {
    Ok(match table {
        "process" => Topic::Processes,
        "cgroup" => Topic::Cgroups,
        "disk" => Topic::Disk,
        "zone" => Topic::Zones,
        _ => return Err(Error::input(format!("no rows of {table:?}"), "table=process, cgroup, disk or zone")),
    })
}

pub(super) async fn top(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Query::parse(query.as_deref());
    let topic = topic(query.one("table")?.as_deref().unwrap_or("process"))?;
    let (range, at) = (query.range()?, query.moment("at")?);
    let limit = query.number("limit")?.map_or(Ok(ROWS.0), |limit| {
        let limit = usize::try_from(limit).ok().filter(|limit| (1..=ROWS.1).contains(limit));
        limit.ok_or_else(|| Error::input(format!("limit is not from 1 to {}", ROWS.1), "limit=50"))
    })?;
    let sort = query.one("sort")?;
    query.done(&["table", "from", "to", "at", "limit", "sort"])?;
    let sort = match sort {
        None => rows::usual_sort(topic),
        Some(sort) => column(topic, &sort)?,
    };
    let inner = Arc::clone(&shared);
    json(shared.work.run(move || read(&source::open(&inner, &id)?, topic, (range, at), sort, limit)).await?)
}

/// The column of a topic called `name`.
fn column(topic: Topic, name: &str) -> Result<&'static str, Error> {
    let names = || show::headings(topic, true).map(|heading| heading.name);
    names().find(|known| *known == name).ok_or_else(|| {
        let hint = suggest::nearest(name, names()).map_or_else(
            || format!("it has {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean {near}?"),
        );
        Error::input(format!("no column {name:?}"), hint)
    })
}

type Asked = ((Option<i64>, Option<i64>), Option<i64>);

fn read(opened: &Opened, topic: Topic, (range, at): Asked, sort: &'static str, limit: usize) -> Result<Rows, Failure> {
    let is_moment = range == (None, None);
    let (from, to) = if is_moment {
        let (_, last) = opened.range((None, None))?;
        // The last sample at or before the moment is near it.
        let at = at.unwrap_or(last).min(last);
        (at.saturating_sub(opened.interval().saturating_mul(2)), at)
    } else {
        opened.range(range)?
    };
    if matches!(topic, Topic::Processes | Topic::Cgroups) && to.saturating_sub(from) > LONGEST_NS {
        return Err(Error::input("a range of more than 2 h of processes or groups", "choose a shorter one").into());
    }
    let wanted = topic.selection(true);
    let selection = Selection { tables: wanted.tables, metrics: wanted.metrics, ..opened.selection((from, to)) };
    let recording = opened.source.load(&selection)?;
    let last = recording.stamps().iter().map(|stamp| stamp.wall_ns).filter(|wall| *wall <= to).max();
    let Some(last) = last else { return Err(Failure::not_found("the recording has no sample in this range")) };
    let range = if is_moment { (last, last) } else { (from.saturating_add(1), to) };
    Ok(rows::rows(&recording, topic, range, !is_moment, Order { sort, limit }))
}
