//! Whole pages: as they are written, as a browser shows them, and with the worst of texts in them.

mod browser;
mod escaping;
mod golden;
mod imported;
mod report;
mod several;
mod show;
mod size;
