//! Whole pages: as they are written, as a browser shows them, and with the worst of texts in them.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "these tests start a browser and read what it shows"
)]

mod browser;
mod escaping;
mod golden;
mod imported;
mod report;
mod several;
mod show;
mod size;
