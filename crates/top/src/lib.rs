//! The terminal UI: a host or a recording, one moment at a time.
//!
//! [`App`] is all that it knows, [`App::press`] what a key changes and [`App::point`] what a click does; [`draw`] puts it on a screen. Neither reads a file, a clock or
//! a terminal, so tests press keys and compare screens. [`run`] joins them to a terminal and to a
//! [`Source`](pagetide_core::Source): a recording on disk, one that grows, or the latest samples of this process's own recorder.
//! Threads of their own load and diagnose, so that a slow disk never keeps a key waiting.

mod app;
mod draw;
mod entries;
mod feed;
mod findings;
mod host;
mod prompt;
mod targets;
mod terminal;

pub use app::{App, Growth, Pane};
pub use draw::draw;
pub use feed::{Ask, ThisHost};
pub use terminal::{Options, run};
