//! A live trace for `evictions` and `mrc`: for a time or until Ctrl-C, with progress.

use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Shown;
use pagetide_core::{Error, Nanos, Progress};
use pagetide_trace::{File, Method, Missing, Options, Session, Summary, unnamed};
use std::collections::BTreeMap;
use std::str::FromStr;

/// How a live trace is made.
#[derive(Debug, clap::Args)]
pub(crate) struct TraceArguments {
    /// Trace for this time; Ctrl-C ends earlier and prints what was seen.
    #[arg(long = "for", value_name = "TIME", default_value = "10s", conflicts_with = "recording")]
    length: Nanos,
    /// Look at one page of so many: a power of two.
    #[arg(long, value_name = "1/N", default_value = "1/64", conflicts_with = "recording")]
    sample: Sample,
    /// Sample by tracefs filters, without bpf(2).
    #[arg(long, conflicts_with = "recording")]
    no_bpf: bool,
    /// Print inode numbers instead of the names of files.
    #[arg(long)]
    pub(crate) no_names: bool,
}

/// One page of so many, as `1/64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Binary logarithm of the number of pages.
    pub(crate) shift: u32,
}

impl FromStr for Sample {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let pages = text.strip_prefix("1/").and_then(|pages| pages.parse::<u32>().ok());
        match pages {
            Some(pages) if pages.is_power_of_two() && pages <= 65_536 => Ok(Self { shift: pages.ilog2() }),
            _ => Err("write 1/N, N a power of two up to 65536, such as 1/64".to_owned()),
        }
    }
}

/// What a trace found, and what files are called.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) summary: Summary,
    pub(crate) names: BTreeMap<File, Option<String>>,
    pub(crate) missing: Vec<Missing>,
}

impl Traced {
    /// What a file is called: its path, else its inode.
    pub(crate) fn name(&self, file: File) -> String {
        self.names.get(&file).cloned().flatten().unwrap_or_else(|| unnamed(file))
    }

    /// Says on stderr what cannot be known here, and whether records were lost.
    pub(crate) fn say_gaps(&self) {
        for Missing { why, lost, hint } in &self.missing {
            output::say(&format!("{why}; unknown: {lost}"));
            if !hint.is_empty() {
                output::say(&format!("  hint: {hint}"));
            }
        }
        let lost = self.summary.coverage.lost_records;
        if lost > 0 {
            output::say(&format!(
                "incomplete: the kernel dropped {lost} trace records because this process read them too slowly"
            ));
            output::say("  hint: take a smaller sample, such as --sample 1/1024");
        }
    }
}

/// Traces this host.
pub(crate) fn run(arguments: &TraceArguments) -> Result<Traced, Error> {
    let interrupt = Interrupt::catch()?;
    let method = if arguments.no_bpf { Method::Filters } else { Method::Auto };
    let mut session = Session::start(Options { shift: arguments.sample.shift, method })?;
    let mut progress = Shown::new(interrupt, false);
    progress.step(1, 1, "trace", "page cache events");
    let length = arguments.length.get();
    loop {
        session.step()?;
        let gone = session.elapsed_ns();
        if gone >= length || progress.interrupted() {
            break;
        }
        let left = Nanos::new(length - gone);
        progress.update(Some(gone as f64 / length as f64), Some(left), "Ctrl-C ends and prints");
    }
    drop(progress);
    session.finish()?;
    let summary = session.summary();
    let names = if arguments.no_names { BTreeMap::new() } else { session.names(summary.files()).clone() };
    Ok(Traced { summary, names, missing: session.missing().to_vec() })
}

/// What a recording's trace found, or this host's now.
pub(crate) fn read_or_run(recording: Option<&std::path::Path>, arguments: &TraceArguments) -> Result<Traced, Error> {
    match recording {
        None => run(arguments),
        Some(path) => Err(Error::input(format!("{}: not yet", path.display()), "")),
    }
}

/// Bytes of a number of pages.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn bytes(pages: f64) -> u64 {
    (pages * rustix::param::page_size() as f64).round() as u64
}

/// How much was traced, for JSON.
pub(crate) fn coverage(traced: &Traced) -> serde_json::Value {
    let coverage = &traced.summary.coverage;
    serde_json::json!({
        "time_ns": coverage.time_ns,
        "sample": format!("1/{}", coverage.scale),
        "complete": coverage.lost_records == 0,
        "lost_records": coverage.lost_records,
        "missing": traced.missing.iter().map(|missing| serde_json::json!({
            "why": missing.why, "unknown": missing.lost, "hint": missing.hint,
        })).collect::<Vec<_>>(),
    })
}
