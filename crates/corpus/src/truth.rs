//! The true cause, origin and onset of a recording.

use pagetide_core::Error;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a recording is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Half {
    /// Authors of rules use it: odd seeds, and those that were held out once.
    Development,
    /// Rules are only scored on it: even seeds that no author of rules has seen.
    HeldOut,
}

/// The last seed of incidents of which the even recordings were examined, too; `corpus/README.md` has their scores before that.
const SPENT: u64 = 6;
/// The same for controls.
const SPENT_CONTROLS: u64 = 14;

impl Half {
    /// The half of a seed, of an incident or of a control.
    pub const fn of(seed: u64, control: bool) -> Self {
        let spent = if control { SPENT_CONTROLS } else { SPENT };
        if seed > spent && seed.is_multiple_of(2) { Self::HeldOut } else { Self::Development }
    }

    /// Its name, as a heading begins.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Development => "Development",
            Self::HeldOut => "Held-out",
        }
    }
}

/// Its file beside a recording, written last.
pub const FILE: &str = "truth.toml";

/// The true cause, origin and onset of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Its family.
    pub family: String,
    /// Its seed.
    pub seed: u64,
    /// Whether it is a control: a healthy machine, or one that resembles an incident of another kind.
    pub control: bool,
    /// The one best cause: a rule's id, `healthy`, or `cannot tell` if no rule covers it.
    pub best: String,
    /// The causes that are accepted: the best one and at most two others.
    pub cause: Vec<String>,
    /// Its origin: `disk:NAME`, `process:COMM`, `cgroup:PATH`, as the recording names them. Any of them is right; empty where
    /// the incident has none.
    pub origin: Vec<String>,
    /// The group of the service that was harmed and the disks that it waited for, named in the same way; any group and any disk of them is right.
    /// Empty where that was not noted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The onset, ns on the recording's axis; absent when nothing begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onset_ns: Option<i64>,
    /// The values that the seed selected, one `key = value` each.
    pub chosen: Vec<String>,
    /// The kernel that it was recorded on.
    pub kernel: String,
}

impl Truth {
    /// Its half.
    pub const fn half(&self) -> Half {
        Half::of(self.seed, self.control)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read or parsed.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let wrong = |why: String| Error::input(format!("{}: {why}", file.display()), "record the case again");
        let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))
    }
}
