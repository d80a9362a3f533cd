//! `pagetide lab show`: one scenario.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, Scale};
use pagetide_lab::catalogue;
use pagetide_view::Table;
use pagetide_view::text::Style;

/// Show a scenario: its machine, steps, published figures and claims.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagetide lab show buffered-read\n  pagetide lab show buffered-read --toml > mine.toml"
)]
pub(crate) struct Arguments {
    /// A shipped scenario's id, or the path of a TOML file.
    scenario: String,
    /// Scale memory, files, holds and swap.
    #[arg(long, default_value = "1")]
    scale: Scale,
    /// Print the TOML text, to start a scenario of your own from.
    #[arg(long, conflicts_with = "json")]
    toml: bool,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let found = catalogue::find(&arguments.scenario, &[])?;
    if arguments.toml {
        output::print(&found.text)?;
        return Ok(Outcome::Done);
    }
    let scenario = found.scenario.scaled(arguments.scale);
    if json {
        output::print_json(&scenario)?;
        return Ok(Outcome::Done);
    }
    let style = Style { colour: output::colour(), width: output::width() };
    let mut steps = Table::new().left("step").left("what").left("published");
    for step in &scenario.steps {
        let published: Vec<String> =
            step.published.iter().map(|(figure, value)| format!("{} {value}", figure.name())).collect();
        steps.row([step.id.clone().into(), step.title.clone().into(), published.join(", ").into()]);
    }
    let mut claims = Table::new().left("claim").left("what must hold");
    for claim in &scenario.claims {
        claims.row([claim.id.clone().into(), claim.check.clone().into()]);
    }
    let machine = &scenario.machine;
    output::print(&format!(
        "{}: {}\n{}\n\n{}\n\nmachine: {} CPUs, {} of memory\n\n{}\n{}",
        scenario.id,
        scenario.title,
        scenario.source,
        scenario.about,
        machine.cpus,
        machine.memory,
        steps.to_text(style),
        claims.to_text(style)
    ))?;
    Ok(Outcome::Done)
}
