//! A line that the user types.

use crossterm::event::{KeyCode, KeyEvent};

/// What a typed line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Show only the rows whose name contains it.
    Filter,
    /// Select the next row whose name contains it.
    Search,
    /// Go to that time.
    Time,
}

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) purpose: Purpose,
    pub(crate) text: String,
}

/// What a key did to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    /// It goes on.
    More,
    /// It is complete.
    Done,
    /// It was given up.
    Dropped,
}

/// No name or time is longer.
const MAX_INPUT: usize = 200;

impl Prompt {
    pub(crate) fn new(purpose: Purpose, text: &str) -> Self {
        Self { purpose, text: text.to_owned() }
    }

    pub(crate) fn press(&mut self, key: KeyEvent) -> Typed {
        match key.code {
            KeyCode::Enter => return Typed::Done,
            KeyCode::Esc => return Typed::Dropped,
            KeyCode::Backspace => drop(self.text.pop()),
            KeyCode::Char(c) if self.text.len() < MAX_INPUT => self.text.push(c),
            _ => {}
        }
        Typed::More
    }

    /// What stands before the typed text.
    pub(crate) const fn question(&self) -> &'static str {
        match self.purpose {
            Purpose::Filter => "show only names that contain: ",
            Purpose::Search => "search for: ",
            Purpose::Time => "go to (12:20, 2026-11-21T12:20:30, -10min): ",
        }
    }
}
