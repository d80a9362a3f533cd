//! Runs of one scenario side by side.

use crate::library::Place;
use crate::query::Query;
use crate::reply::{self, Answer, Failure};
use crate::shared::Shared;
use axum::extract::{RawQuery, State};
use pagetide_core::{Candidate, Error, compare as compared};
use std::sync::Arc;

/// Runs that are compared at once.
const MOST_RUNS: usize = 16;

pub(super) async fn compare(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Answer {
    let inner = Arc::clone(&shared);
    let draw = move || {
        let mut query = Query::parse(query.as_deref());
        let ids = query.all("run");
        query.done(&["run"])?;
        if !(2..=MOST_RUNS).contains(&ids.len()) {
            return Err(Error::input(format!("{} runs to compare", ids.len()), "give run=ID 2 to 16 times").into());
        }
        let runs = inner.library.contents().runs;
        let place = |id: &String| {
            let run = runs.iter().find(|place| place.id == *id);
            run.ok_or_else(|| Failure::not_found("no run has this id"))
        };
        let places = ids.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let candidates = places.into_iter().map(candidate).collect::<Result<Vec<_>, Error>>()?;
        Ok(pagetide_view::comparison(&compared(&candidates)?))
    };
    reply::report(shared.work.run(draw).await)
}

fn candidate(place: &Place) -> Result<Candidate, Error> {
    let result = place.result()?;
    let last = place.folder().file_name().map(|name| name.to_string_lossy().into_owned());
    let name = last.unwrap_or_else(|| result.backend.clone());
    Ok(Candidate { name, result, scenario: place.scenario()? })
}
