//! What a recording is made with: options of the command line, or keys of the same names in a TOML file.

use super::group::Group;
use super::keep::Limit;
use super::label::Label;
use super::trace_mode::{TraceMode, cpu_share};
use clap::{Args, FromArgMatches};
use pagetide_core::{Error, Nanos, Ratio};
use pagetide_recorder::Tracing;
use pagetide_service::Address;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Value;

/// Size limit of a configuration file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The share of one CPU that a trace may take.
const TRACE_CPU: f64 = 0.05;

/// Options that a configuration file may set, too.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Settings {
    /// Folder for the recording [default: pagetide-recording]. If it has a recording of this host, a new segment continues it; a recording of another host
    /// is refused.
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Time between samples [default: 1s].
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME")]
    pub(super) interval: Option<Nanos>,
    /// Record all processes [default: those of the command, and the top N by memory, IO, major faults, CPU time and waits].
    #[arg(long)]
    pub(super) all_processes: bool,
    /// Record only the host, its zones and disks: no control groups, and no processes but the kernel's reclaim threads.
    #[arg(long, conflicts_with = "all_processes")]
    pub(super) host_only: bool,
    /// Record the top N processes by each of memory, IO, major faults and CPU time [default: 10].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with_all = ["all_processes", "host_only"])]
    pub(super) top: Option<u16>,
    /// Record command lines of processes, which may contain passwords [default: their names, and an interpreter's script].
    #[arg(long, conflicts_with = "host_only")]
    pub(super) command_lines: bool,
    /// Keep this age (`7d`) or size (`2GiB`) of the recording; repeat it to limit both. What is older goes in segments, so that up to one more is kept:
    /// an hour or 64 MiB, and an eighth of the limit at most. Continues a recording.
    #[arg(long, value_name = "AGE|SIZE")]
    pub(super) keep: Vec<Limit>,
    /// Serve metrics to Prometheus at this address, `PORT` or `ADDRESS:PORT`, under /metrics.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<Address>,
    /// Allow --listen on an address that other hosts can reach. There is no password.
    #[arg(long, requires = "listen")]
    pub(super) expose: bool,
    /// With --listen, also serve the metrics of each control group by name. Every user of this host can read them.
    #[arg(long, requires = "listen")]
    pub(super) listen_names: bool,
    /// Give the recording to this group, whose members may read it (mode 0640, folders 0750).
    #[arg(long, value_name = "GROUP")]
    pub(super) group: Option<Group>,
    /// Label this host in the recording: `site=fra`. Repeatable; `pagetide fleet` compares hosts by labels.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) labels: Vec<Label>,
    /// Also trace the page cache: who evicts whom, how much memory would help, who waits (needs root; docs/TRACE.md). `auto` traces
    /// only while file refaults or pressure exceed their baselines on this host.
    #[arg(long, value_name = "1/N|auto|auto:1/N", num_args = 0..=1, require_equals = true, default_missing_value = "1/64")]
    pub(super) trace: Option<TraceMode>,
    /// Pause the trace when it uses more than this share of one CPU [default: 5%].
    #[arg(long, value_name = "SHARE", requires = "trace", value_parser = cpu_share)]
    pub(super) trace_cpu: Option<Ratio>,
    /// Let the helper at this socket attach the trace, so that the recorder needs no rights for it (docs/SERVICE.md).
    #[arg(long, value_name = "PATH", requires = "trace")]
    pub(super) trace_socket: Option<PathBuf>,
    /// Record no file names in the trace (the default with --service).
    #[arg(long, requires = "trace")]
    pub(super) no_names: bool,
    /// With --service, keep file names in the trace.
    #[arg(long, requires = "trace", conflicts_with = "no_names")]
    pub(super) names: bool,
}

impl Settings {
    /// The folder of the recording.
    pub(super) fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| "pagetide-recording".into())
    }

    /// What is traced. A service keeps names of files only with `names`.
    pub(super) fn tracing(&self, service: bool) -> Option<Tracing> {
        let TraceMode { sample, auto } = self.trace?;
        Some(Tracing {
            shift: sample.shift,
            names: if service { self.names } else { !self.no_names },
            auto,
            budget: Some(self.trace_cpu.map_or(TRACE_CPU, Ratio::get)),
            socket: self.trace_socket.clone(),
            retry: Tracing::retry_at(
                self.interval.map_or(Duration::MAX, |interval| Duration::from_nanos(interval.get())),
            ),
        })
    }

    /// These settings; those that are not set come from `other`.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            out: self.out.or(other.out),
            interval: self.interval.or(other.interval),
            all_processes: self.all_processes || other.all_processes && !self.host_only,
            host_only: self.host_only || other.host_only && !self.all_processes,
            top: self.top.or(other.top),
            command_lines: self.command_lines || other.command_lines && !self.host_only,
            keep: if self.keep.is_empty() { other.keep } else { self.keep },
            listen: self.listen.or(other.listen),
            expose: self.expose || other.expose,
            listen_names: self.listen_names || other.listen_names,
            group: self.group.or(other.group),
            labels: if self.labels.is_empty() { other.labels } else { self.labels },
            trace: self.trace.or(other.trace),
            trace_cpu: self.trace_cpu.or(other.trace_cpu),
            trace_socket: self.trace_socket.or(other.trace_socket),
            no_names: self.no_names || other.no_names && !self.names,
            names: self.names || other.names && !self.no_names,
        }
    }
}

/// The options that a file gives, as words of a command line.
///
/// # Errors
/// It cannot be read, is not TOML, or has a key or a value that no option has.
pub(super) fn words(path: &Path) -> Result<Vec<String>, Error> {
    // It decides where the recording lies and who may read it.
    let read = pagetide_dir::check_path(path).and_then(|()| pagetide_dir::read_file(path, MAX_FILE_BYTES));
    let text = read
        .and_then(|text| String::from_utf8(text).map_err(std::io::Error::other))
        .map_err(|error| Error::unreadable(path, &error, "name a file of yours or root's with --config"))?;
    parse(&text).map_err(|(what, hint)| Error::input(format!("{}: {what}", path.display()), hint))
}

/// The settings that such words give.
///
/// # Errors
/// An option refuses its value.
pub(super) fn settings(path: &Path, words: &[String]) -> Result<Settings, Error> {
    let parsed = command().try_get_matches_from(words).and_then(|matches| Settings::from_arg_matches(&matches));
    parsed.map_err(|error| {
        // What is wrong ends at the first empty line; usage follows.
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        let what = lines.join(" ");
        let what = what.trim_start_matches("error: ");
        Error::input(format!("{}: {what}", path.display()), "pagetide record --help lists the values of each option")
    })
}

fn command() -> clap::Command {
    Settings::augment_args(clap::Command::new("record").no_binary_name(true))
}

/// What is wrong, and a hint.
type Wrong = (String, String);

fn parse(text: &str) -> Result<Vec<String>, Wrong> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
        (format!("line {line}: {}", error.message()), "write one `option = value` a line".to_owned())
    })?;
    let command = command();
    let known: Vec<&str> = command.get_arguments().filter_map(|argument| argument.get_long()).collect();
    let mut words = Vec::new();
    for (key, value) in &table {
        if !known.contains(&key.as_str()) {
            return Err((format!("there is no option `{key}`"), format!("the options are {}", known.join(", "))));
        }
        let values = if let Value::Array(values) = value { values.as_slice() } else { std::slice::from_ref(value) };
        for value in values {
            match value {
                Value::Boolean(true) => words.push(format!("--{key}")),
                Value::Boolean(false) => {}
                Value::String(text) => words.push(format!("--{key}={text}")),
                Value::Integer(number) => words.push(format!("--{key}={number}")),
                other => {
                    let what = format!("`{key}` is a {}", other.type_str());
                    return Err((what, "give a string, a number, true or false, or a list of strings".to_owned()));
                }
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        let words = parse(text).map_err(|(what, _)| what)?;
        settings(Path::new("f"), &words).map_err(|error| error.what)
    }

    #[test]
    fn a_file_gives_what_the_options_of_the_same_names_give() {
        let file = "out = \"/var/lib/x\"\ninterval = \"2s\"\nkeep = [\"7d\", \"2GiB\"]\nlisten = 9815\ntop = 20\ntrace = \"auto:1/128\"\ntrace-cpu = \"2%\"\nno-names = true\n\
                    labels = [\"site=fra\", \"role=db\"]\nhost-only = false\n";
        let read = read(file).unwrap();
        let line = "--out /var/lib/x --interval 2s --keep 7d --keep 2GiB --listen 9815 --top 20 --trace=auto:1/128 --trace-cpu 2% --no-names --labels site=fra --labels role=db";
        let same = settings(Path::new("f"), &line.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{same:?}"));
        assert_eq!((read.keep.len(), read.host_only), (2, false));
    }

    #[test]
    fn what_the_command_line_says_comes_first() {
        let line = Settings { interval: Some(Nanos::new(5)), host_only: true, ..Settings::default() };
        let both = line.or(read("out = \"x\"\ninterval = \"2s\"\nall-processes = true\n").unwrap());
        assert_eq!((both.interval, both.out), (Some(Nanos::new(5)), Some("x".into())));
        assert!(both.host_only && !both.all_processes);
    }

    #[test]
    fn wrong_keys_and_values_are_named() {
        for (text, word) in [
            ("intervall = \"1s\"\n", "`intervall`"),
            ("out = \"x\"\ninterval = = 1\n", "line 2"),
            ("interval = \"soon\"\n", "soon"),
            ("keep = 1.5\n", "`keep` is a float"),
            ("expose = true\n", "listen"),
            ("top = 0\n", "--top"),
            ("labels = \"fra\"\n", "--labels"),
            ("trace = \"sometimes\"\n", "or auto"),
            ("trace = \"auto\"\ntrace-cpu = \"0%\"\n", "such as 5%"),
            ("top = 5\nhost-only = true\n", "--host-only"),
        ] {
            let what = read(text).unwrap_err();
            assert!(what.contains(word), "{text}: {what}");
        }
    }
}
