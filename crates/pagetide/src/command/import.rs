//! `pagetide import`: logs of other tools as a recording.

mod sadf;

use super::Outcome;
use crate::{output, recordings};
use pagetide_core::{Bytes, Error, LocalClock, Nanos};
use pagetide_store::Writer;
use pagetide_store::import::{self, DateOrder, Day, FileReport, FirstReport, ImportReport, Input, Options};
use serde_json::json;
use std::fmt::Write;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Stretches of unreadable lines printed for one file; --json lists more.
const PRINTED: usize = 10;

/// Convert other tools' logs of one host to a recording.
///
/// Reads text of sar, mpstat and pidstat, `sadf -j`, `-d` and `-p`, copies of /proc/meminfo, vmstat, zoneinfo, buddyinfo, stat, diskstats,
/// loadavg and pressure, `vmstat 1`, `iostat -x` and fio JSON. The kind of each file is detected from its content.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide import sar-B.txt sar-d.txt meminfo.log -o incident
  pagetide import sa10.txt --utc-offset +02:00            sar prints local time without its zone
  pagetide import sar-u.txt --date 2016-09-10             an excerpt without the date line
  pagetide import sar-u.txt night.txt --date night.txt=2016-09-11
  pagetide import iostat.txt --date '2016-09-10 15:20'     a log without times, and when it began
  pagetide import iostat.txt --first-report interval      of `iostat -y`
Then: pagetide diagnose incident, pagetide show incident paging

Exit code 1 if one of several files cannot be read; the others are imported.")]
pub(crate) struct Arguments {
    /// The logs, all from one host; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder for the recording; it must not hold one already.
    #[arg(short, long, value_name = "DIR", default_value = "pagetide-recording")]
    out: PathBuf,
    /// Offset of the logs' local time from UTC [default: +00:00].
    #[arg(long, value_name = "+HH:MM", allow_hyphen_values = true, value_parser = import::utc_offset)]
    utc_offset: Option<i64>,
    /// First day of files without dates, and start of logs without times; FILE=DATE sets it for one file.
    #[arg(long, value_name = "[FILE=]YYYY-MM-DD [HH:MM[:SS]]")]
    date: Vec<String>,
    /// Order of dates such as 09/10/2016 [default: guessed from the clock and the year].
    #[arg(long, value_name = "ORDER")]
    date_order: Option<Order>,
    /// Time between samples of files without times, such as `vmstat 5` [default: 1s].
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME")]
    interval: Option<Nanos>,
    /// Unit of vmstat's sizes (`vmstat -S`), such as 1MiB [default: derived from the sizes].
    #[arg(long, value_name = "SIZE")]
    vmstat_unit: Option<Bytes>,
    /// What the first report of iostat and vmstat covers, or the only report of `pidstat -h` and mpstat's JSON: the time since
    /// boot (the report is then skipped), or one interval (as with `iostat -y`).
    #[arg(long, value_name = "TIME", default_value = "since-boot")]
    first_report: First,
    /// Run `sadf -j` on binary sadc files (/var/log/sysstat/saDD), for at most 5 min and without network; as user nobody if pagetide
    /// runs as root.
    #[arg(long)]
    allow_sadf: bool,
}

/// The orders of dates as words on the command line.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Order {
    DayFirst,
    MonthFirst,
}

/// What a first report covers, as words on the command line.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum First {
    SinceBoot,
    Interval,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let (mut inputs, day) = inputs(&arguments.files, &arguments.date)?;
    let printed = if arguments.allow_sadf { run_sadf(&arguments.files, &mut inputs)? } else { Vec::new() };
    let options = Options {
        utc_offset: arguments.utc_offset,
        day,
        date_order: arguments.date_order.map(|order| match order {
            Order::DayFirst => DateOrder::DayFirst,
            Order::MonthFirst => DateOrder::MonthFirst,
        }),
        interval: arguments.interval,
        vmstat_unit: arguments.vmstat_unit,
        first_report: match arguments.first_report {
            First::SinceBoot => FirstReport::SinceBoot,
            First::Interval => FirstReport::Interval,
        },
    };
    let import = import::import(&inputs, &options)?;
    drop(printed);
    let mut writer = Writer::create(&arguments.out)?;
    import::replay(&import.recording, &mut writer)?;
    let report = &import.report;
    if json {
        let samples = import.recording.manifest.samples;
        output::print_json(
            &json!({ "recording": arguments.out.display().to_string(), "samples": samples, "import": report }),
        )?;
    } else {
        output::print(&text(report))?;
        output::say(&format!(
            "{} in {}; now: pagetide diagnose {}",
            output::samples(usize::try_from(import.recording.manifest.samples).unwrap_or(usize::MAX)),
            arguments.out.display(),
            output::shell_word(&arguments.out)
        ));
    }
    let all_read = report.files.iter().all(|file| file.kind.is_some());
    Ok(if all_read { Outcome::Done } else { Outcome::Failed })
}

/// Replaces sadc's binary files by what sadf prints of them. Keep the returned files open until they are read.
fn run_sadf(files: &[PathBuf], inputs: &mut [Input]) -> Result<Vec<File>, Error> {
    let mut printed = Vec::new();
    for (path, input) in files.iter().zip(inputs).filter(|(path, _)| sadf::is_binary(path)) {
        let json = sadf::json(path)?;
        let descriptor = format!("/proc/self/fd/{}", json.as_raw_fd());
        *input = Input::file(Path::new(&descriptor)).named(&path.display().to_string());
        printed.push(json);
    }
    Ok(printed)
}

/// The files with the days given for them by name, and the day given for all.
fn inputs(files: &[PathBuf], dates: &[String]) -> Result<(Vec<Input>, Option<Day>), Error> {
    let mut named: Vec<(&str, Day)> = Vec::new();
    let mut all = None;
    for text in dates {
        let (name, day) = text.rsplit_once('=').map_or((None, text.as_str()), |(name, day)| (Some(name), day));
        let hint = "--date 2016-09-10, or --date '2016-09-10 15:20' for a file without times";
        let day: Day = day.parse().map_err(|what: String| Error::input(what, hint))?;
        match name {
            Some(name) => named.push((name, day)),
            None => all = Some(day),
        }
    }
    let is = |path: &Path, name: &str| path == Path::new(name) || path.file_name().is_some_and(|file| file == name);
    if let Some((name, _)) = named.iter().find(|(name, _)| !files.iter().any(|path| is(path, name))) {
        return Err(Error::input(format!("--date names {name}, but no imported file has that name"), "check the name"));
    }
    let input = |path: &PathBuf| {
        // As other tools read a dash: stdin.
        let input =
            if path == Path::new("-") { Input::file(Path::new("/dev/stdin")).named("-") } else { Input::file(path) };
        match named.iter().find(|(name, _)| is(path, name)) {
            Some((_, day)) => input.on(*day),
            None => input,
        }
    };
    Ok((files.iter().map(input).collect(), all))
}

/// What was read, file by file.
fn text(report: &ImportReport) -> String {
    let mut text = String::new();
    for file in &report.files {
        let kind = file.kind.map_or("not read", |kind| kind.name());
        let _ = writeln!(
            text,
            "{}: {kind}, {} lines, {} samples, {} values{}",
            file.name,
            file.lines,
            file.samples,
            file.values,
            span(file)
        );
        for skipped in file.skipped.iter().take(PRINTED) {
            let _ = match skipped.to_line - skipped.from_line {
                0 => writeln!(text, "  line {} not read: {}", skipped.from_line, skipped.reason),
                _ => {
                    writeln!(text, "  lines {} to {} not read: {}", skipped.from_line, skipped.to_line, skipped.reason)
                }
            };
        }
        if file.skipped.len() > PRINTED {
            let _ = writeln!(text, "  … {} more lines not read (--json lists them)", file.skipped_lines);
        }
        if file.conflicts > 0 {
            let _ =
                writeln!(text, "  {} values left out: an earlier line has a value for the same time", file.conflicts);
        }
        for left in &file.left_out {
            let _ = writeln!(text, "  left out: {} ({} lines, first {})", left.what, left.lines, left.first_line);
        }
        for note in &file.notes {
            let _ = writeln!(text, "  note: {note}");
        }
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// The first and last time in a file, without a day if none is known.
fn span(file: &FileReport) -> String {
    let (Some(from), Some(to)) = (file.from_wall_ns, file.to_wall_ns) else { return String::new() };
    let utc = LocalClock::utc();
    if file.day_known {
        format!(", {} to {}", recordings::timestamp(from), recordings::timestamp(to))
    } else {
        format!(", {} to {} of an unknown day", utc.time(from), utc.time(to))
    }
}
