//! The arguments of `pagetide diagnose`.

use crate::reports;
use pagetide_core::Nanos;
use std::path::PathBuf;

/// Report what happened in a recording: the cause, its evidence and effects, what contradicts it, and what to do.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide diagnose rec
  pagetide diagnose run/buffered-read --html report.html
  pagetide diagnose rec --from 12:20 --to 12:40                a time range
  pagetide diagnose run/ssd-stream-starves-raid --step B1      one step, as on a live host
  pagetide diagnose rec --json
  pagetide diagnose rec --compare 12:00..12:30 13:00..13:30    did a change at 12:45 help?
  pagetide diagnose rec --compare -20min..-10min -10min..      the same with the last 20 minutes
  pagetide diagnose before --compare after                     the same for two recordings
  pagetide diagnose rec --watch --json     one line for each finding that begins or ends
  pagetide diagnose rec --watch --exec /usr/local/bin/page-the-dba

With --watch, exit code 1 means that at least one incident began, or that no samples came.")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder.
    pub(super) recording: PathBuf,
    /// Start of the range: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "watch")]
    pub(super) from: Option<String>,
    /// End of the range.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "watch")]
    pub(super) to: Option<String>,
    /// Read and print times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    pub(super) utc: bool,
    /// Diagnose one step of a run as if it were a live host; the step before it is the baseline.
    #[arg(long, value_name = "ID", conflicts_with_all = ["from", "to", "watch"])]
    pub(super) step: Option<String>,
    /// Compare two time ranges (`FROM..TO FROM..TO`), or this recording with another one: did a change help?
    #[arg(
        long,
        value_names = ["BEFORE", "AFTER"],
        num_args = 1..=2,
        conflicts_with_all = ["from", "to", "step", "html", "watch"]
    )]
    pub(super) compare: Vec<String>,
    /// Also write a report with plots to this file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file(), conflicts_with = "watch")]
    pub(super) html: Option<PathBuf>,
    /// Follow a growing recording, and print one line for each finding that begins or ends, and when samples stop coming.
    #[arg(long)]
    pub(super) watch: bool,
    /// With --watch: time between two checks. While tasks hardly wait and no finding is active, the rules run once a minute.
    #[arg(value_parser = Nanos::typed_interval, long, value_name = "TIME", default_value = "10s", requires = "watch")]
    pub(super) every: Nanos,
    /// With --watch: how far back to examine, including the baseline.
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME", default_value = "15min", requires = "watch")]
    pub(super) over: Nanos,
    /// With --watch: how long to watch [default: until a signal].
    #[arg(value_parser = Nanos::typed, long = "for", value_name = "TIME", requires = "watch")]
    pub(super) lasts: Option<Nanos>,
    /// With --watch: run this program when an incident begins and when it ends, and when samples stop coming. It gets the JSON line on stdin and no arguments,
    /// and is killed after 30 s; at most 4 run at once.
    #[arg(long, value_name = "PROGRAM", requires = "watch")]
    pub(super) exec: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    #[test]
    fn a_watch_looks_as_top_and_the_page_do() {
        let command = Arguments::augment_args(clap::Command::new("diagnose"));
        let parsed = command.try_get_matches_from(["diagnose", "rec", "--watch"]).unwrap();
        let Arguments { every, over, .. } = Arguments::from_arg_matches(&parsed).unwrap();
        assert_eq!((every, over), (pagetide_diagnose::LOOK_INTERVAL, pagetide_diagnose::LOOK_BACK));
    }
}
