//! Scenarios made from the machine of a host or a recording, and from the work in a recording.
//!
//! What neither shows is guessed, and every guess is reported. A recording that shows too little is refused.

mod group;
mod machine;
mod work;

pub use machine::{ObservedMachine, model_settings};
pub use work::RecordedFigure;

use crate::catalogue;
use pagetide_core::{Error, Recording};
use toml::{Table, Value};

/// A scenario made from a host or a recording.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Its name: of the scenario whose machine was replaced, or of the recording.
    pub name: String,
    /// Its TOML text.
    pub text: String,
    /// What was guessed, a sentence each.
    pub guesses: Vec<String>,
    /// The figure that the recording measured as well.
    pub recorded: Option<RecordedFigure>,
}

impl Observed {
    /// A scenario on a machine that was observed.
    ///
    /// # Errors
    /// There is no such scenario.
    pub fn machine_of(scenario: &str, machine: &ObservedMachine) -> Result<Self, Error> {
        let found = catalogue::find(scenario, &[])?;
        let text = machine.replace_in(&found.text, scenario)?;
        Ok(Self { name: scenario.to_owned(), text, guesses: machine.guesses.clone(), recorded: None })
    }

    /// The work of a recording on its machine.
    ///
    /// # Errors
    /// The recording shows too little.
    pub fn work_of(recording: &Recording) -> Result<Self, Error> {
        let machine = ObservedMachine::of_recording(recording)?;
        let work = work::of(recording, &machine)?;
        let mut document = Table::new();
        let mut set = |key: &str, value: Value| document.insert(key.to_owned(), value);
        set("id", "recorded".into());
        set("title", format!("the work recorded on {}", recording.manifest.host.escape_debug()).into());
        set("source", "a recording".into());
        let disk = Table::from_iter([
            ("name".to_owned(), Value::from("disk")),
            ("size".to_owned(), Value::from(format!("{}B", work.stored.get().max(1 << 30)))),
        ]);
        let bare = Table::from_iter([
            ("cpus".to_owned(), Value::from(1)),
            ("memory".to_owned(), Value::from("1GiB")),
            ("disk".to_owned(), Value::from(vec![Value::from(disk)])),
        ]);
        set("machine", bare.into());
        set("step", work.steps.into());
        let text = machine.replace_in(&document.to_string(), "the recorded work")?;
        let mut guesses = machine.guesses;
        guesses.extend(work.guesses);
        Ok(Self { name: "recorded".to_owned(), text, guesses, recorded: Some(work.recorded) })
    }
}

#[cfg(test)]
mod tests;
