//! The addresses below `/api`, and reports. One file for each kind of answer.

mod about;
mod coarse;
mod comparison;
mod diagnosis;
mod entities;
mod info;
mod live;
mod marks;
mod points;
mod quantity;
mod recordings;
mod runs;
mod series;
mod source;

use crate::shared::Shared;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

/// All of them.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/about", get(about::about))
        .route("/api/metrics", get(about::metrics))
        .route("/api/recordings", get(recordings::list))
        .route("/api/recording/{id}/info", get(info::info))
        .route("/api/recording/{id}/marks", get(marks::marks))
        .route("/api/recording/{id}/series", get(series::series))
        .route("/api/recording/{id}/top", get(entities::top))
        .route("/api/recording/{id}/diagnosis", get(diagnosis::diagnosis))
        .route("/api/live/stream", get(live::stream))
        .route("/api/runs", get(runs::list))
        .route("/api/run/{id}", get(runs::result))
        .route("/run/{id}/report", get(runs::report))
        .route("/compare", get(comparison::compare))
}
