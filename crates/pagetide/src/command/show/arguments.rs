//! The arguments of `pagetide show`.

use crate::output;
use clap::ValueEnum;
use pagetide_core::{Error, Nanos, Recording, Source, suggest};
use pagetide_view::show::{Numbers, Order, Parts, Topic, headings};
use pagetide_view::text::Style;
use std::path::PathBuf;

/// Print tables of a recording, like `sar -r -B -d -b -q -u -P -w -W`. docs/SAR.md maps each option of sar to its equivalent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide show rec                                     memory, one row per sample
  pagetide show rec disk --every 10s                    disks, one row per 10 s
  pagetide show rec paging --from 12:20 --to 12:40      a time range
  pagetide show rec cache                               hit ratio, device reads, reclaim
  pagetide show rec processes --sort cpu --top 5        the top five by CPU time in each sample
  pagetide show rec disk --csv > disk.csv
  pagetide show rec memory --wide --raw --dec 0         every column of sar -r ALL, in KiB like sar
  pagetide show rec cpus --only 0 --min-max             one CPU, with minimum and maximum
  pagetide show /var/lib/pagetide disk --follow         new rows as the recorder takes samples, until Ctrl-C
  pagetide show --sample disk --every 5s                new rows of this host, without a recorder")]
pub(crate) struct Arguments {
    /// The recording: its folder, or a run's folder. With --sample the topic.
    #[arg(required_unless_present = "sample")]
    pub(super) recording: Option<PathBuf>,
    /// Topic of the table [default: memory].
    pub(super) topic: Option<Choice>,
    /// Start of the range: `12:20`, `12:20:30`, `2026-11-21T12:20:30`, or `-10min` before the end.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) from: Option<String>,
    /// End of the range.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(super) to: Option<String>,
    /// Read and print times in UTC, not in the time zone of the recorded host.
    #[arg(long)]
    pub(super) utc: bool,
    /// Print one row per TIME instead of one per sample: the mean of gauges, the rate of counters.
    #[arg(value_parser = Nanos::typed_interval, long, value_name = "TIME")]
    pub(super) every: Option<Nanos>,
    /// Print all columns of the topic, like `sar -u ALL` and `sar -r ALL`; for processes also command lines, if recorded.
    #[arg(long)]
    pub(super) wide: bool,
    /// Print the smallest and largest value of each column below the averages.
    #[arg(long)]
    pub(super) min_max: bool,
    /// Print amounts with units (default).
    #[arg(long, conflicts_with = "raw")]
    human: bool,
    /// Print numbers without units, in the units and precision of sar, iostat and pidstat: KiB, ms, percent, counts (`bread/s` in
    /// sectors). --csv and --json stay in bytes, ns and parts of 1.
    #[arg(long)]
    raw: bool,
    /// Decimal places [default with --raw: those of sar].
    #[arg(long, value_name = "DIGITS", value_parser = clap::value_parser!(u8).range(0..=9))]
    dec: Option<u8>,
    /// Show only disks, CPUs, zones, processes or groups with this name; `*` matches any characters. A process also matches by its
    /// command, a disk by its device-mapper name or its name below /dev/disk.
    #[arg(long, value_name = "NAME")]
    pub(super) only: Option<String>,
    /// Sort the rows of each sample or interval by this column, largest first [default for processes: rss].
    #[arg(long, value_name = "COLUMN")]
    pub(super) sort: Option<String>,
    /// Print only the first N rows of each sample or interval.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) top: Option<u16>,
    /// Also show idle disks and processes, and the samples around the range of a cut.
    #[arg(long)]
    pub(super) all: bool,
    /// Print comma-separated values in base units.
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Print the last ten rows, then new rows as the recording grows; on Ctrl-C, print the averages. With --json, one object per line.
    #[arg(long, conflicts_with_all = ["to", "min_max"])]
    pub(super) follow: bool,
    /// Sample this host and print each row at once, without a recording.
    #[arg(long, conflicts_with_all = ["from", "to", "min_max"])]
    pub(super) sample: bool,
    /// With --follow or --sample: for how long [default: until a signal].
    #[arg(value_parser = Nanos::typed_interval, long = "for", value_name = "TIME", conflicts_with_all = ["to", "min_max"])]
    pub(super) lasts: Option<Nanos>,
}

/// The topics as words on the command line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice(pub(super) Topic);

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Self] {
        const CHOICES: [Choice; Topic::ALL.len()] = {
            let mut choices = [Choice(Topic::Memory); Topic::ALL.len()];
            let mut at = 0;
            while at < choices.len() {
                choices[at] = Choice(Topic::ALL[at]);
                at += 1;
            }
            choices
        };
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

impl Arguments {
    pub(super) fn topic(&self) -> Topic {
        self.topic.map_or(Topic::Memory, |choice| choice.0)
    }

    pub(super) fn every(&self) -> Option<i64> {
        self.every.map(|every| i64::try_from(every.get()).unwrap_or(i64::MAX))
    }

    pub(super) fn numbers(&self) -> Numbers {
        Numbers { raw: self.raw, decimals: self.dec.map(usize::from) }
    }

    pub(super) fn style(&self) -> Style {
        Style { colour: output::colour(), width: output::width().max(160) }
    }

    /// The order of the rows of a moment.
    fn order(&self, topic: Topic) -> Result<Order, Error> {
        let names: Vec<&str> = headings(topic, self.wide).map(|heading| heading.name).collect();
        let plain = |name: &str| name.trim_end_matches("/s").trim_end_matches('%').to_ascii_lowercase();
        let column = match &self.sort {
            None if topic == Topic::Processes => names.iter().position(|name| *name == "rss"),
            None => None,
            Some(wanted) => {
                let at = names.iter().position(|name| plain(name) == plain(wanted.trim_start_matches('%')));
                let unknown = || {
                    let hint = suggest::hint(wanted, names.iter().copied());
                    Error::input(
                        format!("no column `{wanted}` in {}{hint}", topic.name()),
                        format!("one of {}{}", names.join(", "), if self.wide { "" } else { " (--wide has more)" }),
                    )
                };
                Some(at.ok_or_else(unknown)?)
            }
        };
        Ok(Order { column, most: self.top.map(usize::from) })
    }

    /// The table of a source, with the entities of `--only`.
    pub(super) fn parts<'s>(
        &'s self,
        source: &'s dyn Source,
        times: Recording,
        topic: Topic,
        range: (i64, i64),
    ) -> Result<Parts<'s>, Error> {
        let mut parts = Parts::new(source, times, (topic, self.wide), (range, self.every()))?;
        parts.sort(self.order(topic)?);
        if let Some(only) = &self.only {
            parts.retain(|entity| is_meant(only, entity));
        }
        Ok(parts)
    }
}

/// The topics, for messages.
pub(super) fn topics() -> String {
    let names: Vec<&str> = Topic::ALL.into_iter().map(Topic::name).collect();
    format!("one of {}", names.join(", "))
}

/// Whether an entity has the name that `--only` gives, or a process that command.
pub(super) fn is_meant(only: &str, name: &str) -> bool {
    let command = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(command, _)| command);
    let only = only.strip_prefix("/dev/").and_then(|path| path.rsplit('/').next()).unwrap_or(only);
    matches(only, name) || command.is_some_and(|command| matches(only, command))
}

/// Whether a name matches a pattern in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(head) else { return false };
    // The first place of each part leaves the most for those behind it, so no other place is tried: names may be long.
    let (middle, last) = tail.rsplit_once('*').unwrap_or(("", tail));
    for part in middle.split('*') {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::is_meant;

    #[test]
    fn names_are_meant_exactly_or_by_a_pattern() {
        assert!(is_meant("sda", "sda") && !is_meant("sda", "sda1"));
        assert!(is_meant("sda*", "sda1") && is_meant("*", "vda") && is_meant("nvme*n1", "nvme0n1"));
        assert!(!is_meant("nvme*n1", "nvme0n1p2"));
        assert!(is_meant("a*b*c", "a-b-b-c") && !is_meant("a*b*c", "a-c-b") && is_meant("**b*", "abc"));
        assert!(!is_meant("ab*bc", "abc") && is_meant("*\u{e4}*", "x\u{e4}y"), "no character counts twice");
        assert!(is_meant("fio", "fio[42]") && is_meant("fio[42]", "fio[42]") && !is_meant("fi", "fio[42]"));
    }

    #[test]
    fn a_pattern_of_many_parts_is_compared_in_one_pass() {
        let (name, pattern) = ("A".repeat(50_000), format!("{}*B", "*A".repeat(25)));
        assert!(!is_meant(&pattern, &name) && is_meant(&pattern, &format!("{name}B")));
    }
}
