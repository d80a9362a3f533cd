//! The marks of a recording: steps of an experiment, and notes. In a long recording, reading them takes longer than its first plots.

use super::source::{self, Opened};
use crate::number::ms;
use crate::query::Query;
use crate::reply::{Answer, Failure, json};
use crate::shared::Shared;
use axum::extract::{Path, RawQuery, State};
use pagetide_core::{MarkKind, Selection};
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct Marks {
    /// What is damaged in the recording, as far as reading its marks shows.
    damaged: Vec<String>,
    marks: Vec<Mark>,
}

#[derive(Serialize)]
struct Mark {
    at_ms: i64,
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_ms: Option<i64>,
}

/// Marks that are listed.
const MOST_MARKS: usize = 5000;

pub(super) async fn marks(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    Query::parse(query.as_deref()).done(&[])?;
    let inner = Arc::clone(&shared);
    json(shared.work.run(move || of(&source::open(&inner, &id)?)).await?)
}

fn of(opened: &Opened) -> Result<Marks, Failure> {
    let marked = match opened.reader() {
        Some(reader) => reader.marks()?,
        None => opened.source.times(&Selection::default())?.marks,
    };
    Ok(Marks { damaged: opened.damaged(), marks: listed(&marked) })
}

fn listed(marked: &[pagetide_core::Mark]) -> Vec<Mark> {
    let wall = |at: i64| {
        // Steps are on the axis of the recording; the mark of their end has both times.
        let near = marked.iter().find(|mark| mark.stamp.boot_ns >= at).or(marked.last());
        near.map_or(0, |mark| mark.stamp.wall_ns.saturating_sub(mark.stamp.boot_ns.saturating_sub(at)))
    };
    let mark = |mark: &pagetide_core::Mark| {
        let at_ms = ms(mark.stamp.wall_ns);
        match &mark.kind {
            MarkKind::StepStarted { .. } => None,
            MarkKind::StepEnded { result } => Some(Mark {
                at_ms: ms(wall(result.started_ns)),
                kind: "step",
                text: format!("{} {}", result.id, result.title),
                to_ms: Some(ms(wall(result.ended_ns))),
            }),
            MarkKind::Note { text } => Some(Mark { at_ms, kind: "note", text: text.clone(), to_ms: None }),
        }
    };
    marked.iter().filter_map(mark).take(MOST_MARKS).collect()
}
