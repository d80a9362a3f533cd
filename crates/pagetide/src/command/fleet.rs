//! `pagetide fleet`: many hosts: which are worst, what they have in common, whether a change made it worse.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output::{self, Content};
use crate::progress::ProgressDisplay;
use crate::recordings::HostFrom;
use crate::reports;
use jiff::Timestamp;
use pagetide_core::{Error, LocalClock, Nanos, Progress};
use pagetide_fleet::{Observer, Question, RowCache, Split, Tally, TimeRange};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

mod page;

/// Diagnose every hour of many hosts' recordings: the worst hosts, causes over time, what affected hosts have in common, and the
/// effect of a change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide fleet /srv/recordings --since 7d
  pagetide fleet rec --labels inventory.csv                 host attributes that recordings lack (a column `host`)
  pagetide fleet rec --split kernel                         time lost per hour by kernel
  pagetide fleet rec --split-at 2026-11-20T10:00Z           before and after a moment
  pagetide fleet rec --csv > rows.csv                       one row per hour and host (docs/FLEET.md)

A recording that cannot be read becomes a row with the error. Rows are cached in the user's cache folder, so the next run reads only what is new.
RAYON_NUM_THREADS limits the number of threads.")]
pub(crate) struct Arguments {
    /// Folders to search for recordings and files of `pagetide cut` (`*.pagetide`), at any depth.
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Only the last TIME, from the start of its UTC hour.
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME")]
    since: Option<Nanos>,
    /// Host attributes from an inventory: CSV with a column `host`, or JSON.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Name a host after its recording (boot ids tell apart machines that share a name), or after the recording's folder.
    #[arg(long, value_name = "SOURCE", default_value = "recording")]
    host_from: HostFrom,
    /// Compare hosts by the values of this attribute, such as kernel.
    #[arg(long, value_name = "ATTRIBUTE", conflicts_with = "split_at")]
    split: Option<String>,
    /// Compare the time before this moment (UTC) with the time after it.
    #[arg(long, value_name = "TIME")]
    split_at: Option<String>,
    /// Print the rows as CSV instead of the report.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Also write the rows to one Parquet file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    parquet: Option<PathBuf>,
    /// Also write the report as a page to this file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    html: Option<PathBuf>,
    /// Number of worst hosts to print (--json has all).
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Read every recording again, and cache nothing.
    #[arg(long)]
    no_cache: bool,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let question = question(arguments)?;
    let now = Timestamp::now();
    let until_ns = i64::try_from(now.as_nanosecond()).unwrap_or(i64::MAX);
    let range = TimeRange::last(arguments.since, until_ns);
    let cache =
        (!arguments.no_cache).then(|| RowCache::open(&pagetide_lab::vm::usual_cache().join("fleet"))).transpose()?;
    let watch = Watch::new(Interrupt::catch()?);
    let ran = pagetide_fleet::run(&arguments.folders, range, cache.as_ref(), &watch);
    let seconds = watch.began.elapsed().as_secs_f64();
    drop(watch);
    let (mut rows, tally) = ran.inspect_err(|error| {
        if error.kind == pagetide_core::ErrorKind::Interrupted && cache.is_some() {
            output::say("stopped: the rows so far are kept, and the same command continues from there");
        }
    })?;
    if arguments.host_from == HostFrom::Folder {
        pagetide_fleet::hosts_from_folders(&mut rows);
    }
    let answers = pagetide_fleet::reduce(&rows, &question)?;
    if answers.out_of_range > 0 && answers.out_of_range == answers.recordings {
        let many = if answers.recordings == 1 { "the recording has" } else { "the recordings have" };
        return Err(Error::input(
            format!("{many} no sample in this range"),
            "--since counts back from now: give a longer time, or leave it out",
        ));
    }
    if let Some(file) = &arguments.parquet {
        write_parquet(&rows, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if arguments.csv {
        output::stream(Content::Text, |out| pagetide_fleet::csv(&rows, out))?;
    }
    let page = page::page(&answers, arguments.top);
    if let Some(file) = &arguments.html {
        reports::write_page(&page, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if json {
        output::print_json(&answers)?;
    } else if !arguments.csv {
        reports::print_page(&page)?;
    }
    let Tally { units, cached, .. } = tally;
    let parts = if units == 1 { "1 part of a recording".to_owned() } else { format!("{units} parts of recordings") };
    output::say(&format!("{parts} (at most a day each), {cached} known from earlier runs, in {seconds:.1} s"));
    Ok(Outcome::Done)
}

fn question(arguments: &Arguments) -> Result<Question, Error> {
    let labels = arguments.labels.as_deref().map(pagetide_fleet::labels).transpose()?.unwrap_or_default();
    let at = |text: &String| {
        let wrong = |_| Error::input(format!("--split-at: not a time: `{text}`"), "write 2026-11-20T10:00 (UTC)");
        LocalClock::utc().parse(text, &[]).map_err(wrong).map(Split::Time)
    };
    let by = arguments.split.as_deref().map(|name| Split::Attribute(name.into()));
    let split = by.map_or_else(|| arguments.split_at.as_ref().map(at).transpose(), |by| Ok(Some(by)))?;
    Ok(Question { labels, split })
}

fn write_parquet(rows: &[pagetide_fleet::Row], file: &Path) -> Result<(), Error> {
    pagetide_dir::write_file_by(file, |out| pagetide_fleet::parquet(rows, BufWriter::new(out)))
        .map_err(|error| Error::unwritable(file, &error, "name a new file in a writable folder"))
}

/// Shows the progress of a run from many threads.
struct Watch {
    interrupt: Interrupt,
    began: Instant,
    shown: Mutex<ProgressDisplay>,
}

impl Watch {
    fn new(interrupt: Interrupt) -> Self {
        let mut shown = ProgressDisplay::new(interrupt.clone(), false);
        shown.step(1, 1, "fleet", "parts of recordings");
        Self { interrupt, began: Instant::now(), shown: Mutex::new(shown) }
    }
}

impl Observer for Watch {
    fn progress(&self, tally: Tally) {
        let Tally { done, units, cached, .. } = tally;
        // Cached days cost next to nothing.
        let computed = done.saturating_sub(cached);
        let pace = self.began.elapsed().as_secs_f64() / computed.max(1) as f64;
        let left = (computed > 0).then(|| Nanos::from_secs_f64(pace * units.saturating_sub(done) as f64)).flatten();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.update(Some(done as f64 / units.max(1) as f64), left, &format!("{done} of {units} parts"));
    }

    fn interrupted(&self) -> bool {
        self.interrupt.came()
    }
}
