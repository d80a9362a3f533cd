//! `pagetide lab list`: the shipped scenarios.

use super::Outcome;
use crate::output;
use pagetide_core::Error;
use pagetide_lab::catalogue;
use serde_json::json;

/// List the shipped scenarios.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(json: bool) -> Result<Outcome, Error> {
    let mut scenarios = Vec::new();
    for id in catalogue::ids() {
        scenarios.push(catalogue::find(id, &[])?.scenario);
    }
    if json {
        let list: Vec<_> = scenarios
            .iter()
            .map(|scenario| {
                json!({ "id": scenario.id, "title": scenario.title, "source": scenario.source,
                        "steps": scenario.steps.len(), "claims": scenario.claims.len() })
            })
            .collect();
        output::print_json(&json!({ "scenarios": list }))?;
    } else {
        let width = scenarios.iter().map(|scenario| scenario.id.len()).max().unwrap_or(0);
        let lines: Vec<String> =
            scenarios.iter().map(|scenario| format!("{:width$}  {}\n", scenario.id, scenario.title)).collect();
        output::print(&lines.concat())?;
    }
    Ok(Outcome::Done)
}
