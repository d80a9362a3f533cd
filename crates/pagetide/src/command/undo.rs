//! `pagetide undo`: puts back what a killed run left.

use super::Outcome;
use crate::output;
use pagetide_core::Error;
use pagetide_lab::undo::{earlier_journal_folders, pending, recover};

/// Restore what a killed `lab run` changed: settings, control groups, device limits, data files, processes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide undo
  sudo pagetide undo           what runs as root left

A run logs each change to a journal before making it: in /var/lib/pagetide-lab as root, otherwise in $XDG_RUNTIME_DIR/pagetide-lab.
Exit code 1 if something could not be restored.")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, json: bool) -> Result<Outcome, Error> {
    let recovered = recover()?;
    report_earlier_journals();
    if json {
        output::print_json(&recovered)?;
    } else if recovered.is_empty() {
        output::print("No killed run left anything to undo.\n")?;
    } else {
        output::print(
            &recovered.undone.iter().chain(&recovered.left).map(|line| format!("{line}\n")).collect::<String>(),
        )?;
    }
    Ok(if recovered.left.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// Prints where an earlier version left journals, which this version does not undo.
fn report_earlier_journals() {
    for folder in earlier_journal_folders() {
        let folder = folder.display();
        output::say(&format!("{folder} holds undo journals of an earlier version, which this version does not read"));
        output::say("  hint: restore what they name by hand (settings with `sysctl -w`), then remove them");
    }
}

/// Undoes what a killed run left, before another run measures this host.
pub(crate) fn before_a_run() -> Result<(), Error> {
    report_earlier_journals();
    let recovered = recover()?;
    for line in &recovered.undone {
        output::say(&format!("undone after a killed run: {line}"));
    }
    for line in &recovered.left {
        output::say(&format!("not undone after a killed run: {line}"));
    }
    Ok(())
}

/// Prints one line when a killed run left something.
pub(crate) fn report_pending() {
    let runs = match pending() {
        0 => return,
        1 => "a killed lab run".to_owned(),
        count => format!("{count} killed lab runs"),
    };
    output::say(&format!("{runs} left changes on this host; `pagetide undo` restores them"));
}
