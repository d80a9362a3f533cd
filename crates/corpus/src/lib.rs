//! Labelled incidents, and the score of the rules on them.
//!
//! A family (`corpus/*.toml`) is a scenario with open parameters, and the true cause, origin and onset. A seed selects a value for each
//! parameter and makes an [`Incident`]. [`record`] runs an incident in a virtual machine and keeps in `fixtures/corpus/` what a
//! flight recorder would have recorded, with the truth beside it. [`score`] replays those recordings and compares what `diagnose`
//! reports with the truth.

mod draw;
pub mod family;
pub mod fleet;
pub mod page;
pub mod record;
pub mod score;
pub mod truth;
mod variant;

pub use family::Incident;
pub use truth::{Half, Truth};
pub use variant::Variant;
