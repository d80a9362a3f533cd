//! The stretches of a recording that the rules examine.

use crate::episodes::Episodes;
use crate::harm::Losses;
use crate::window::Window;
use pagetide_core::Recording;

/// The stretches that the rules examine.
#[derive(Debug)]
pub(crate) struct Stretches<'a> {
    pub(crate) whole: Option<Window<'a>>,
    /// The steps of a lab run, else the busy stretches.
    pub(crate) windows: Vec<Window<'a>>,
    /// The time that tasks lose.
    pub(crate) losses: Losses,
}

impl<'a> Stretches<'a> {
    pub(crate) fn of(recording: &'a Recording, episodes: &'a Episodes) -> Self {
        Self {
            whole: Window::whole(recording, episodes),
            windows: Window::all(recording, episodes),
            losses: Losses::of(recording),
        }
    }
}
