//! What is true of a recording.

use pagetide_core::Error;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a recording is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Half {
    /// Rules are made by looking at it: odd seeds, and those that were held once.
    Building,
    /// Rules are only scored on it: even seeds that nobody has looked at.
    Held,
}

/// The last seed of incidents whose recordings have been looked at, the even ones too: `corpus/README.md` has what the rules scored
/// before.
const SPENT: u64 = 6;
/// The same of controls.
const SPENT_CONTROLS: u64 = 14;

impl Half {
    /// The half that a seed belongs to, of an incident or of a control.
    pub const fn of(seed: u64, control: bool) -> Self {
        let spent = if control { SPENT_CONTROLS } else { SPENT };
        if seed > spent && seed.is_multiple_of(2) { Self::Held } else { Self::Building }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::Held => "held",
        }
    }
}

/// Its file beside a recording, written last.
pub const FILE: &str = "truth.toml";

/// What is true of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// The family that it is of.
    pub family: String,
    /// The seed that it was made from.
    pub seed: u64,
    /// Whether it is a control: nothing that an alarm is wanted for, or something that looks like an incident that it is not.
    pub control: bool,
    /// The cause, as a rule's id or `healthy`; the first is the name for it, any of them is right.
    pub cause: Vec<String>,
    /// Where it comes from: `disk:NAME`, `process:COMM`, `cgroup:PATH`, as the recording names them. Any of them is right;
    /// none when it comes from nowhere in particular.
    pub origin: Vec<String>,
    /// When it began, ns on the recording's axis; absent when nothing begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onset_ns: Option<i64>,
    /// What the seed chose, one `key = value` each.
    pub chosen: Vec<String>,
    /// The kernel that it was recorded on.
    pub kernel: String,
}

impl Truth {
    /// The name for the cause.
    pub fn cause(&self) -> &str {
        self.cause.first().map_or("", String::as_str)
    }

    /// The half that it belongs to.
    pub const fn half(&self) -> Half {
        Half::of(self.seed, self.control)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is no truth.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let wrong = |why: String| Error::input(format!("{}: {why}", file.display()), "record the case again");
        let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))
    }
}
