//! The scenario as a text that people can read and edit.

mod culprit;
mod draft;
mod groups;
mod machine;
mod meanwhile;
mod memory;
mod programs;
mod toml;
mod work;

pub use culprit::{Culprit, commands};
pub(crate) use culprit::{Programs, titles};
pub(crate) use draft::{Draft, Facts};
pub(crate) use memory::Held;

use crate::guess::Knob;
use programs::Parts;
use std::fmt::Write;

/// The id of the step in which it happens.
pub const INCIDENT: &str = "incident";

/// A scenario as a text, what the processes of its programs are called, and those that began the incident.
pub(crate) struct Written {
    pub(crate) toml: String,
    pub(crate) programs: Vec<String>,
    pub(crate) culprits: Vec<Culprit>,
}

/// Writes the scenario.
pub(crate) fn write(draft: &Draft<'_>) -> Written {
    let facts = draft.facts;
    let length = facts.calm.seconds() + facts.trouble.seconds();
    let Parts { mut parts, names, culprits, files } = programs::parts(draft, length);
    parts.extend(groups::parts(draft, length));
    let mut text = about(draft);
    let held = Held::of(&facts.calm, &facts.trouble);
    text += &machine::machine(draft, &held, files.values().sum());
    text += &memory::steps(draft, &held);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "\n[[step]]\nid = \"{INCIDENT}\"\ntitle = \"before the incident, and the incident\"\nparallel = ["
    );
    for part in parts {
        let _ = writeln!(text, "  {part},");
    }
    text += "]\n";
    let changes = meanwhile::changes(draft);
    if !changes.is_empty() {
        let _ = writeln!(text, "meanwhile = [\n  {},\n]", changes.join(",\n  "));
    }
    Written { toml: text, programs: names, culprits }
}

/// What it is, and what was guessed.
fn about(draft: &Draft<'_>) -> String {
    let mut text = format!(
        "id = \"reproduction\"\ntitle = \"An incident of a recording, again\"\nsource = \"a recording\"\n\
         about = \"Made by `pagetide reproduce` of a recording: {:.0} s before the incident, and {:.0} s of it.\"\n\n",
        draft.facts.calm.seconds(),
        draft.facts.trouble.seconds()
    );
    for guess in draft.guesses {
        let _ = writeln!(text, "# guess: {}: {}", guess.what, guess.why);
    }
    for knob in Knob::ALL.into_iter().filter(|knob| (draft.factors.of(*knob) - 1.0).abs() > 1e-6) {
        let factor = draft.factors.of(knob);
        let _ = writeln!(text, "# fitted: {} x {factor:.2}: {}", knob.name(), knob.why());
    }
    text
}

#[cfg(test)]
mod tests;
