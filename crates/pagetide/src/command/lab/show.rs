//! `pagetide lab show`: one scenario.

use super::Outcome;
use crate::output;
use pagetide_core::{Error, Figures, GroupSpec, Scale, Scenario, SwapSpec, printable};
use pagetide_lab::catalogue;
use pagetide_view::Table;
use pagetide_view::text::Style;

/// Show a scenario: its machine, steps, published figures, claims and notes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagetide lab show buffered-read\n  pagetide lab show buffered-read --toml > mine.toml"
)]
pub(crate) struct Arguments {
    /// A shipped scenario's id, or the path of a TOML file.
    scenario: String,
    /// Scale memory, files, holds and swap by this factor, such as 1/8.
    #[arg(long, default_value = "1")]
    scale: Scale,
    /// Print the TOML text, as a starting point for your own scenario.
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
    output::print(&text(&scenario, Style { colour: output::colour(), width: output::width() }))?;
    Ok(Outcome::Done)
}

fn text(scenario: &Scenario, style: Style) -> String {
    let about = scenario.about.split_whitespace().collect::<Vec<_>>().join(" ").replace(". ", ".\n");
    let (title, source) = (printable(&scenario.title), printable(&scenario.source));
    let mut text = format!("{}: {title}\n{source}\n\n{about}\n\n", scenario.id);
    for line in machine(scenario) {
        text += &format!("{line}\n");
    }
    let mut steps = Table::new().left("step").left("what").left("published");
    for step in &scenario.steps {
        steps.row([step.id.clone().into(), step.title.clone().into(), figures(&step.published).into()]);
        // A title may say anything.
        for what in step.describe().into_iter().filter(|what| *what != step.title) {
            steps.row(["".into(), format!("  {what}").into(), "".into()]);
        }
        for part in step.parts() {
            let what = [Some(part.load.spec().describe()), part.cgroup.as_ref().map(GroupSpec::describe)];
            let what: Vec<String> = what.into_iter().flatten().collect();
            steps.row([step.part_id(part).into(), what.join(", in ").into(), figures(&part.published).into()]);
        }
    }
    let mut claims = Table::new().left("claim").left("what must hold").left("check");
    for claim in &scenario.claims {
        claims.row([claim.id.clone().into(), claim.text.clone().into(), claim.check.clone().into()]);
    }
    text += &format!("\n{}\n{}", steps.to_text(style), claims.to_text(style));
    if !scenario.notes.is_empty() {
        text += "\nnotes\n";
    }
    for note in &scenario.notes {
        text += &format!("- {}\n", printable(note));
    }
    text
}

/// The machine, one line for each part of it.
fn machine(scenario: &Scenario) -> Vec<String> {
    let machine = &scenario.machine;
    let swap = match &machine.swap {
        SwapSpec::None => "no swap".to_owned(),
        SwapSpec::Disk { size, disk } => format!("{size} of swap on disk {disk}"),
        SwapSpec::Zram { size, .. } => format!("{size} of swap on zram"),
    };
    let mut lines = vec![format!("machine: {} CPUs, {} of memory, {swap}", machine.cpus, machine.memory)];
    lines.extend(machine.disks.iter().map(|disk| {
        let mut words = vec![disk.size.to_string(), disk.filesystem.name().to_owned()];
        words.extend(disk.limits());
        format!("disk {}: {}", disk.name, words.join(", "))
    }));
    let changes = scenario.changes();
    lines.extend((!changes.is_empty()).then(|| format!("changes of the machine: {}", changes.join(", "))));
    lines
}

fn figures(published: &Figures) -> String {
    published.iter().map(|(figure, value)| format!("{} {value}", figure.name())).collect::<Vec<_>>().join(", ")
}
