//! `pagetide reproduce`: an incident shown again on the model, and advice tried on it.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::runs::RunsDisplay;
use crate::{output, recordings, reports};
use pagetide_core::{Error, LazyRecording, Quantity, Unit};
use pagetide_reproduce::{Compared, FittedGuess, Guess, Reproduced, Tried};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// Make a scenario of a recorded incident, show it again on the model of the kernel, and try advice on it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide reproduce rec                         the incident again, and what each advice would do to it
  pagetide reproduce rec -o again.toml           keep the scenario: read it, edit it, run it as a test
  pagetide lab run again.toml --on vm            the same on a real kernel

The scenario is made of the recording alone; what the recording does not tell is listed as a guess. Nothing is changed on this host.
Exit code 1: the model does not show the same incident.")]
pub(crate) struct Arguments {
    /// A recording, or a file of `pagetide cut`.
    recording: PathBuf,
    /// Write the scenario to this file.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Seeds per advice.
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    seeds: u64,
    /// Only show the incident again.
    #[arg(long)]
    no_advice: bool,
}

/// What is printed with --json.
#[derive(Serialize)]
struct Printed<'a> {
    reproduced: bool,
    compared: &'a [Compared],
    guesses: &'a [Guess],
    /// Guesses that were tried at other values.
    fitted: &'a [FittedGuess],
    culprits: &'a [String],
    /// As it was first, then each advice: the one with which least time is lost first.
    tried: &'a [Tried],
    scenario: &'a str,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.seeds == 0 {
        return Err(Error::input("--seeds 0 runs nothing", "write 1 or more"));
    }
    let interrupt = Interrupt::catch()?;
    let mut recording = LazyRecording::open(recordings::open(&arguments.recording)?, None, None)?;
    recording.drop_marks();
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, pagetide_reproduce::METRICS)?;
    let recording = recording.into_recording();
    let synthesis = pagetide_reproduce::synthesise(&recording, &diagnosis)?;
    let shown = RunsDisplay::new(interrupt.clone(), "looking for the nearest");
    let again = pagetide_reproduce::reproduce(&synthesis, &diagnosis, 1, &shown)?;
    shown.clear();
    if let Some(file) = &arguments.out {
        reports::write_file(file, again.toml.as_bytes())?;
        output::say(&format!("wrote {}", file.display()));
    }
    let tried = if arguments.no_advice {
        Vec::new()
    } else {
        let shown = RunsDisplay::new(interrupt, "trying advice");
        let tried = pagetide_reproduce::try_advice(&synthesis, &again.scenario, arguments.seeds, &shown)?;
        shown.clear();
        tried
    };
    if json {
        output::print_json(&Printed {
            reproduced: again.is_alike(),
            compared: &again.compared,
            guesses: &synthesis.guesses,
            fitted: &again.fitted,
            culprits: &synthesis.culprits,
            tried: &tried,
            scenario: &again.toml,
        })?;
    } else {
        output::print(&text(&again, &synthesis.guesses, &tried))?;
    }
    Ok(if again.is_alike() { Outcome::Done } else { Outcome::Failed })
}

/// Whether it is reproduced, in a sentence.
fn answer(again: &Reproduced) -> String {
    if again.is_alike() {
        return "Reproduced on the model: the same cause and origin, amounts within a factor of 1.5.".to_owned();
    }
    let unlike: Vec<&str> = again.compared.iter().filter(|one| !one.alike).map(|one| one.what.as_str()).collect();
    format!("Not reproduced: {}.", unlike.join(", "))
}

/// The answer as a text.
fn text(again: &Reproduced, guesses: &[Guess], tried: &[Tried]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}\n\n{:<36} {:>16} {:>16}", answer(again), "", "recorded", "on the model");
    for one in &again.compared {
        let mark = if one.alike { "" } else { "  differs" };
        let _ = writeln!(text, "{:<36} {:>16} {:>16}{mark}", one.what, one.recorded, one.again);
    }
    if !tried.is_empty() {
        let _ = writeln!(text, "\nWhat each advice does on the model\n");
        let _ = writeln!(text, "{:>10} {:>13} {:>13}  advice", "lost", "victims do", "culprits do");
        for one in tried {
            let _ = writeln!(text, "{}", row(one));
        }
    }
    if !guesses.is_empty() {
        let _ = writeln!(text, "\nWhat the recording does not tell");
        for guess in guesses {
            let _ = writeln!(text, "- {}: {}", guess.what, guess.why);
        }
    }
    if !again.fitted.is_empty() {
        let _ = writeln!(text, "\nWhat was tried at other values, and the value that came nearest");
        for one in &again.fitted {
            let (from, to) = one.range;
            let _ = writeln!(text, "- {} x {:.2} ({from} to {to}): {}", one.what, one.factor, one.why);
            for line in &one.sensitivity {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}

/// What is lost, what the victims do of what they did before, and what the culprits do.
fn amounts(tried: &Tried) -> (String, String, String) {
    // The model's seeds differ by more than a ten-thousandth.
    let share = |value: f64| Quantity::new((value * 1e4).round() / 1e4, Unit::Ratio).to_string();
    let effect = &tried.effect;
    let victims = effect.throughput.map_or_else(|| "-".to_owned(), share);
    (share(effect.lost), victims, Quantity::new(effect.culprits, Unit::BytesPerSecond).to_string())
}

fn row(tried: &Tried) -> String {
    let (lost, victims, culprits) = amounts(tried);
    let mut row = format!("{lost:>10} {victims:>13} {culprits:>13}  {}", tried.what);
    for (words, command) in [("", &tried.apply), ("undo: ", &tried.undo)] {
        if let Some(command) = command {
            let _ = write!(row, "\n{:>40}{words}$ {command}", "");
        }
    }
    row
}
