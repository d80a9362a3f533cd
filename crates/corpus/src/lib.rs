//! Labelled incidents, and how well the rules tell them.
//!
//! A family (`corpus/*.toml`) is a scenario with parts left open, and the truth about it: what causes the trouble, where it comes
//! from, when it begins. A seed fills the open parts in and makes a [`Incident`] of it. [`record`] runs a case in a virtual
//! machine and keeps what a flight recorder would have seen of it in `fixtures/corpus/`, with the truth beside; [`score`]
//! replays those recordings and holds what `diagnose` says against the truth.

mod draw;
pub mod family;
pub mod page;
pub mod record;
pub mod score;
pub mod truth;

pub use family::Incident;
pub use truth::{Half, Truth};
