//! `pagetide lab conformance`: how far the model is from real kernels.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, suggest};
use pagetide_lab::conformance::{self, Conformance};
use std::collections::BTreeSet;

/// Compare the model with stored runs of real kernels, figure by figure.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide lab conformance                              every scenario with stored runs
  pagetide lab conformance swap-off --without shadows   with one mechanism of the model off

docs/CONFORMANCE.md has this for all scenarios. Exit code 1: a figure is outside its band.")]
pub(crate) struct Arguments {
    /// Scenarios [default: all].
    scenarios: Vec<String>,
    /// Switch off a mechanism of the model.
    #[arg(long, value_name = "MECHANISM")]
    without: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let mechanisms = conformance::mechanisms(arguments.without.as_deref())?;
    let stored = conformance::references()?;
    let known = || stored.iter().map(|(scenario, _)| scenario.as_str());
    if let Some(unknown) = arguments.scenarios.iter().find(|wanted| !known().any(|scenario| scenario == *wanted)) {
        return Err(Error::input(
            format!("no stored runs of `{unknown}`{}", suggest::hint(unknown, known())),
            // A scenario has runs of several kernels.
            format!("stored: {}", Vec::from_iter(BTreeSet::from_iter(known())).join(", ")),
        ));
    }
    let wanted = |scenario: &String| arguments.scenarios.is_empty() || arguments.scenarios.contains(scenario);
    let all: Vec<Conformance> = stored
        .iter()
        .filter(|(scenario, _)| wanted(scenario))
        .map(|(scenario, references)| conformance::of(scenario, references, mechanisms))
        .collect::<Result<_, _>>()?;
    if json {
        output::print_json(&conformance::document::json(&all))?;
    } else {
        output::print(&conformance::document::markdown(&all))?;
    }
    Ok(if all.iter().any(Conformance::has_misses) { Outcome::Failed } else { Outcome::Done })
}
