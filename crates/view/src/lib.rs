//! Views: a report in, text or one HTML file out.
//!
//! [`page()`] turns a [`Report`](pagetide_core::Report) into a [`Page`]: what is said, in which order, with every number
//! worked out and every plot thinned to what a screen can show. [`text::draw`] and [`html::draw`] put the same page on a
//! terminal and into one self-contained HTML file. [`Table`] is also for the commands' own tables, and [`curve`] draws
//! one measured curve as SVG for documents, with a predicted one under it.
//!
//! Nothing here reads a file or a clock; everything is written to a writer that the caller gives.
//!
//! ```
//! use pagetide_core::Report;
//!
//! let page = pagetide_view::page(&Report::default());
//! let mut out = Vec::new();
//! pagetide_view::html::draw(&page, &mut out)?;
//! assert!(out.starts_with(b"<!DOCTYPE html>"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod axis;
mod bars;
mod claim;
mod clock;
mod curve;
pub mod html;
mod measure;
mod page;
mod parties;
mod plan;
mod reproduction;
pub mod show;
mod stage;
mod table;
pub mod text;
mod timeline;

pub use bars::{Bar, Legend, bars};
pub use clock::length;
pub use curve::{Axes, Predicted, curve};
pub use measure::Measure;
pub use page::batch::batch;
pub use page::chain::stages as chain;
pub use page::comparison::comparison;
pub use page::findings::card as finding_card;
pub use page::range_comparison::range_comparison;
pub use page::{Block, FindingCard, Page, StepVerdict, page};
pub use parties::{Parties, parties};
pub use plan::plan;
pub use reproduction::{ReproductionTexts, ShownIncident, reproduction};
pub use stage::Stage;
pub use table::{Align, Cell, Column, Row, Table, Tone};
pub use timeline::{
    Band, Event, Layer, Levels, Line, Plot, Points, Shape, Spread, Stretch, Timeline, lost_time, lost_time_title,
};

/// The names of the metrics that a page shows: what to load of a recording.
pub fn metrics() -> Vec<&'static str> {
    timeline::metrics::all()
}
