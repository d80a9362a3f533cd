//! `pagetide reproduce`: an incident shown again on the model, and advice tried on it.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::progress::ProgressDisplay;
use crate::remaining::RemainingTime;
use crate::runs::RunsDisplay;
use crate::{measured, output, recordings, reports};
use pagetide_core::{
    Diagnosis, Error, LazyRecording, MeasuredAdvice, MeasuredEffects, Nanos, Quantity, Recording, Scale, Unit,
};
use pagetide_lab::backend::{GivenOptions, RunPlace};
use pagetide_lab::backends;
use pagetide_reproduce::{Compared, FittedGuess, Guess, Reproduced, Synthesis, Tried};
use pagetide_view::{Cell, Page, ReproductionTexts, ShownIncident, Table, Tone, length};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Turn a recorded incident into a scenario, replay it on a model of the kernel, and try advice on it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide reproduce rec                         replay the incident, and try each piece of advice
  pagetide reproduce rec --html again.html       the same with plots on one time axis
  pagetide reproduce rec -o again.toml           keep the scenario: read it, edit it, run it as a test
  pagetide reproduce rec --keep                  let `diagnose rec` sort its advice by measured effect
  pagetide reproduce rec --on vm                 also try the best advice on a real kernel, in a VM (minutes)

The scenario comes from the recording alone; what the recording leaves open is listed as a guess. This host is not changed.
Exit code 1: the model shows a different incident.")]
pub(crate) struct Arguments {
    /// A recording, or a file of `pagetide cut`.
    recording: PathBuf,
    /// Write the scenario to this file.
    #[arg(short, long, value_name = "FILE", value_parser = reports::new_file())]
    out: Option<PathBuf>,
    /// Also write a page to this file: the incident, its reproduction and the best advice as plots on one time axis.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    html: Option<PathBuf>,
    /// Seeds per piece of advice.
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    seeds: u64,
    /// Also run the incident and its three best pieces of advice on this backend, once each.
    #[arg(long, value_name = "BACKEND", value_parser = ["vm"])]
    on: Option<String>,
    /// With --on: the kernel image [default: Debian's, downloaded into the cache].
    #[arg(long, value_name = "IMAGE", requires = "on")]
    kernel: Option<String>,
    /// With --on: a folder on the disk to use, for the files of the guest's disks.
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    work_dir: PathBuf,
    /// Keep the effect of each piece of advice in REC.reproduction.json next to the recording: `diagnose` then sorts its advice by effect.
    #[arg(long, conflicts_with = "no_advice")]
    keep: bool,
    /// Only replay the incident.
    #[arg(long, conflicts_with = "on")]
    no_advice: bool,
}

/// Advice whose plots a page shows: the best.
const SHOWN: usize = 3;

/// What is printed with --json.
#[derive(Serialize)]
struct Printed<'a> {
    reproduced: bool,
    compared: &'a [Compared],
    guesses: &'a [Guess],
    /// Guesses that were tried at other values.
    fitted: &'a [FittedGuess],
    culprits: Vec<String>,
    /// The unchanged incident, then each piece of advice, best first.
    tried: &'a [Tried],
    /// The best of it on a real kernel, with `--on vm`.
    #[serde(skip_serializing_if = "<[Tried]>::is_empty")]
    on_kernel: &'a [Tried],
    scenario: &'a str,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.seeds == 0 {
        return Err(Error::input("--seeds 0 runs nothing", "write 1 or more"));
    }
    arguments.out.iter().chain(&arguments.html).try_for_each(|file| reports::expect_writable(file))?;
    let interrupt = Interrupt::catch()?;
    let mut recording = LazyRecording::open(recordings::open(&arguments.recording)?, None, None)?;
    recording.drop_marks();
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, pagetide_reproduce::METRICS)?;
    let recording = recording.into_recording();
    let synthesis = pagetide_reproduce::synthesise(&recording, &diagnosis)?;
    let shown = RunsDisplay::new(interrupt.clone(), "looking for the nearest");
    let again = pagetide_reproduce::reproduce(&synthesis, &diagnosis, 1, &shown)?;
    drop(shown);
    if let Some(file) = &arguments.out {
        reports::write_file(file, again.toml.as_bytes())?;
        output::say(&format!("wrote {}", file.display()));
    }
    let tried = if arguments.no_advice {
        Vec::new()
    } else {
        let shown = RunsDisplay::new(interrupt.clone(), "trying advice");
        let tried = pagetide_reproduce::try_advice(&synthesis, &again.scenario, arguments.seeds, &shown)?;
        drop(shown);
        tried
    };
    if arguments.keep {
        keep(&arguments.recording, &diagnosis, &again, &tried)?;
    }
    let on_kernel = match &arguments.on {
        Some(name) => on_kernel(name, arguments, &synthesis, &tried, interrupt)?,
        None => Vec::new(),
    };
    if let Some(file) = &arguments.html {
        let page = page(&synthesis, &recording, &again, &tried, compared_range(&synthesis, &diagnosis));
        reports::write_page(&page, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if json {
        output::print_json(&Printed {
            reproduced: again.is_alike(),
            compared: &again.compared,
            guesses: &synthesis.guesses,
            fitted: &again.fitted,
            culprits: pagetide_reproduce::commands(&synthesis.culprits),
            tried: &tried,
            on_kernel: &on_kernel,
            scenario: &again.toml,
        })?;
    } else {
        let range = compared_range(&synthesis, &diagnosis);
        output::print(&text(&again, &range, &synthesis.guesses, &tried, &on_kernel))?;
    }
    Ok(if again.is_alike() { Outcome::Done } else { Outcome::Failed })
}

/// Keeps the effect of each piece of advice next to the recording, if the model shows the same incident: `diagnose` sorts it by lost time, so that
/// none with which more processes are killed is there.
fn keep(recording: &Path, diagnosis: &Diagnosis, again: &Reproduced, tried: &[Tried]) -> Result<(), Error> {
    let explained = diagnosis.explained_incident();
    let (Some((incident, cause)), Some((unchanged, advice))) = (explained, tried.split_first()) else { return Ok(()) };
    if !again.is_alike() {
        output::say("not kept: the model does not show the same incident");
        return Ok(());
    }
    let of = |one: &Tried| MeasuredAdvice {
        what: one.what.clone(),
        lost: one.effect.lost,
        apply: one.apply.clone(),
        undo: one.undo.clone(),
    };
    let fewest = tried.iter().map(|one| one.effect.killed).min().unwrap_or_default();
    let measured = MeasuredEffects {
        cause: cause.rule,
        from_ns: incident.range.from.ns(),
        unchanged: unchanged.effect.lost,
        advice: advice.iter().filter(|one| one.effect.killed == fewest).map(of).collect(),
    };
    let file = measured::file_of(recording)?;
    measured::write(&file, &measured)?;
    output::say(&format!("wrote {}", file.display()));
    Ok(())
}

/// Results of the unchanged incident and of the best advice on another backend. It first prints how long that takes.
fn on_kernel(
    name: &str,
    arguments: &Arguments,
    synthesis: &Synthesis<'_>,
    tried: &[Tried],
    interrupt: Interrupt,
) -> Result<Vec<Tried>, Error> {
    let best = tried.get(..=SHOWN).unwrap_or(tried);
    let kind = backends::named(name)?;
    let forecasts: Vec<_> = best.iter().map(|one| (kind.forecast)(&one.scenario, Scale::FULL)).collect();
    let remaining = RemainingTime::new(&forecasts);
    let (from, onset, to) = synthesis.span();
    let seconds = |time: i64| time as f64 / 1e9;
    output::say(&format!(
        "{} runs on a kernel, each of {:.0} s before the incident and {:.0} s of it{}: about {}",
        best.len(),
        seconds(onset - from),
        seconds(to - onset),
        synthesis.shortened_from().map_or_else(String::new, |whole| format!(" (shortened from {})", length(whole))),
        length(remaining.left())
    ));
    // Nothing stays behind: the disks' files have no names, and no fio runs.
    let place = RunPlace {
        work_dir: arguments.work_dir.clone(),
        results: arguments.work_dir.clone(),
        interval: Nanos::new(1_000_000_000),
    };
    let given = GivenOptions(BTreeMap::from([("kernel", Vec::from_iter(arguments.kernel.clone()))]));
    let mut progress = ProgressDisplay::of_several(interrupt, remaining);
    let mut all = Vec::new();
    for (at, one) in best.iter().enumerate() {
        progress.run(at, &one.what);
        all.push(pagetide_reproduce::try_on(synthesis, one, &mut *(kind.make)(&place, &given)?, &mut progress)?);
        progress.run_done(true);
    }
    Ok(all)
}

/// Whether it is reproduced, in a sentence, and what is not as recorded all the same.
fn answer(again: &Reproduced) -> String {
    let unlike = |is_asked: bool| -> String {
        let all = again.compared.iter().filter(|one| !one.alike && one.is_asked == is_asked);
        let told = all.map(|one| format!("{} ({} recorded, {} on the model)", one.what, one.recorded, one.again));
        told.collect::<Vec<_>>().join(", ")
    };
    if !again.is_alike() {
        return format!("Not reproduced: it differs in {}. This is the nearest of {} runs.", unlike(true), again.runs);
    }
    let answer = "Reproduced on the model: the same cause and origin; waits, refaults, and the busy and request time of the busiest disk within a factor of 1.5, or too small to matter.";
    match unlike(false) {
        others if others.is_empty() => answer.to_owned(),
        others => format!("{answer} Other amounts differ: {others}."),
    }
}

/// The part of the incident that is repeated and compared, in a sentence.
fn compared_range(synthesis: &Synthesis<'_>, diagnosis: &Diagnosis) -> String {
    let (from, onset, to) = synthesis.span();
    let seconds = |ns: i64| Quantity::new(ns as f64, Unit::Nanos).to_string();
    let incident = diagnosis.explained_incident().map_or(to, |(incident, _)| incident.range.to.ns()) - onset;
    let part = if incident > to - onset {
        format!("the first {} of the incident, which lasts {}", seconds(to - onset), seconds(incident))
    } else {
        format!("{} from the onset of the incident on", seconds(to - onset))
    };
    format!("Compared: {part}, after {} before it.", seconds(onset - from))
}

/// What was tried: the change, whom the OOM killer ended with it, and whether the victims do less with it than `unchanged`.
fn change(tried: &Tried, unchanged: &Tried) -> String {
    let mut text = tried.what.clone();
    // Writing to a string does not fail.
    if tried.effect.killed > 0 {
        let _ = write!(text, " (the OOM killer kills {})", tried.effect.killed);
    }
    if tried.effect.victims_do_less_than(&unchanged.effect) {
        text += " (the victims do less than with nothing changed)";
    }
    text
}

/// How an amount or a word of the incident compares with that of its reproduction.
const fn likeness(one: &Compared) -> &'static str {
    match (one.alike, one.too_small) {
        (true, false) => "alike",
        (true, true) => "too small to matter",
        (false, _) => "differs",
    }
}

/// What the columns of the table of advice mean.
const LEGEND: &str = "\
lost: tasks that waited on average for IO, reclaim or a CPU beyond what they did before the incident,
  for as much work; 100 % is one task all the time: the median of the seeds
least to most: the same over the seeds, which begin programs at other moments; empty where they agree
victims do: what they read and wrote, as a share of what they did before
culprits do: what those who began it read and wrote";

/// Whether there is any lost time that advice could give back.
fn loses(tried: &[Tried]) -> bool {
    tried.first().is_some_and(|unchanged| unchanged.effect.lost >= TOLD)
}

/// The guesses, a line each: those that are the same for several loads once.
fn guess_lines(guesses: &[Guess]) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for guess in guesses {
        let line = format!("{}: {}", guess.what, guess.why);
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, times)) => *times += 1,
            None => lines.push((line, 1)),
        }
    }
    let told = |(line, times): (String, usize)| if times > 1 { format!("{line} ({times} times)") } else { line };
    lines.into_iter().map(told).collect()
}

/// The answer as a page, with plots of the recording, the reproduction and the best advice.
fn page(synthesis: &Synthesis<'_>, recording: &Recording, again: &Reproduced, tried: &[Tried], range: String) -> Page {
    let mut compared = Table::new().left("").right("recorded").right("on the model").left("");
    compared.note = range;
    for one in &again.compared {
        let tone = match (one.alike, one.differs()) {
            (true, _) => Tone::Good,
            (_, true) => Tone::Bad,
            _ => Tone::Plain,
        };
        let alike = Cell::toned(likeness(one), tone);
        compared.row([one.what.as_str().into(), one.recorded.as_str().into(), one.again.as_str().into(), alike]);
    }
    let advice = Table::new().left("advice").right("lost").right("least to most").right("victims do");
    let mut advice = advice.right("culprits do").left("apply").left("undo");
    advice.note = LEGEND.to_owned();
    let shown = if loses(tried) { tried } else { &[] };
    for one in shown {
        let [lost, range, victims, culprits] = amounts(one);
        let command = |command: &Option<String>| command.clone().unwrap_or_default();
        let cells = [change(one, &tried[0]), lost, range, victims, culprits, command(&one.apply), command(&one.undo)];
        advice.row(cells.map(|cell| cell.as_str().into()));
    }
    let (from, onset, to) = synthesis.span();
    let mut incidents = vec![ShownIncident { name: "recorded".to_owned(), recording, from, to }];
    incidents.extend(whole("on the model", &again.recording));
    incidents.extend(shown.iter().skip(1).take(SHOWN).filter_map(|one| whole(&one.what, &one.recording)));
    let guesses = guess_lines(&synthesis.guesses);
    let texts = ReproductionTexts { answer: answer(again), compared, advice, guesses, onset: onset - from };
    pagetide_view::reproduction(texts, &incidents)
}

/// A whole recording.
fn whole<'a>(name: &str, recording: &'a Recording) -> Option<ShownIncident<'a>> {
    let (from, to) = recording.span()?;
    Some(ShownIncident { name: name.to_owned(), recording, from, to })
}

/// The answer as a text.
fn text(again: &Reproduced, range: &str, guesses: &[Guess], tried: &[Tried], on_kernel: &[Tried]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let wide = again.compared.iter().flat_map(|one| [&one.recorded, &one.again]).map(|cell| cell.chars().count());
    let wide = wide.fold(16, usize::max);
    let _ = writeln!(text, "{}\n{range}\n\n{:<36} {:>wide$} {:>wide$}", answer(again), "", "recorded", "on the model");
    for one in &again.compared {
        let mark = if one.alike && !one.too_small { String::new() } else { format!("  {}", likeness(one)) };
        let _ = writeln!(text, "{:<36} {:>wide$} {:>wide$}{mark}", one.what, one.recorded, one.again);
    }
    if !again.is_alike() && loses(tried) {
        text += "\nAdvice was tried on the incident of the model, which is not the recorded one.\n";
    }
    let kernel = on_kernel.first().map_or("", |one| one.recording.manifest.kernel.as_str());
    for (place, tried) in [("on the model", tried), (&*format!("on Linux {kernel}"), on_kernel)] {
        let Some(unchanged) = tried.first() else { continue };
        if !loses(tried) {
            let _ = writeln!(text, "\nThe victims lose no time {place}, so no advice can give any back.");
            continue;
        }
        let _ = writeln!(text, "\nWhat each advice does {place}\n\n{LEGEND}\n");
        let columns = ["lost", "least to most", "victims do", "culprits do"].map(str::to_owned);
        let _ = writeln!(text, "{}  advice", cells(&columns));
        for one in tried {
            let _ = writeln!(text, "{}", row(one, unchanged));
        }
    }
    if !guesses.is_empty() {
        let _ = writeln!(text, "\nWhat the recording does not show");
        for line in guess_lines(guesses) {
            let _ = writeln!(text, "- {line}");
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

/// The least difference of shares that is told.
const TOLD: f64 = 1e-4;

/// Lost time, its range over the seeds, and the work of victims and of culprits relative to before.
fn amounts(tried: &Tried) -> [String; 4] {
    let effect = &tried.effect;
    let victims = effect.throughput.map_or_else(|| "-".to_owned(), share);
    // A culprit that takes memory or computes reads and writes nothing.
    let moved = Some(effect.culprits).filter(|moved| *moved > 0.0);
    let culprits =
        moved.map_or_else(|| "no IO".to_owned(), |moved| Quantity::new(moved, Unit::BytesPerSecond).to_string());
    [share(effect.lost), range(tried.lost_range), victims, culprits]
}

fn share(value: f64) -> String {
    Quantity::new((value / TOLD).round() * TOLD, Unit::Ratio).to_string()
}

/// From the least to the most of what the seeds have; nothing where they agree.
fn range((least, most): (f64, f64)) -> String {
    let ends = Some((share(least), share(most))).filter(|(least, most)| least != most);
    ends.map_or_else(String::new, |(least, most)| format!("{least} to {most}"))
}

/// The columns before the advice.
fn cells([lost, range, victims, culprits]: &[String; 4]) -> String {
    format!("{lost:>10} {range:>18} {victims:>13} {culprits:>13}")
}

fn row(tried: &Tried, unchanged: &Tried) -> String {
    let columns = cells(&amounts(tried));
    let indent = columns.chars().count() + 2;
    let mut row = format!("{columns}  {}", change(tried, unchanged));
    for (words, command) in [("", &tried.apply), ("undo: ", &tried.undo)] {
        if let Some(command) = command {
            let _ = write!(row, "\n{:indent$}{words}$ {command}", "");
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_that_agree_have_no_range() {
        assert_eq!(range((0.531, 0.552)), "53.1 % to 55.2 %");
        assert_eq!(range((0.0, 0.004)), "0 % to 0.400 %");
        assert_eq!(range((0.53, 0.53)), "");
        assert_eq!(range((0.530_01, 0.530_04)), "", "less than is told");
    }

    #[test]
    fn the_same_guess_of_several_loads_is_a_line() {
        let guess = |what: &str| Guess { what: what.to_owned(), why: "its reads".to_owned() };
        let lines = guess_lines(&[guess("dd uses 977 KiB"), guess("tar reads all"), guess("dd uses 977 KiB")]);
        assert_eq!(lines, ["dd uses 977 KiB: its reads (2 times)", "tar reads all: its reads"]);
    }
}
