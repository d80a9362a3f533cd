//! Options and words that people type out of habit from sar, iostat, atop and systemd, and pagetide's own for the same.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Words that a command does not take, and what to write instead.
struct Habit {
    /// The commands in which they are typed; the first word of the command line.
    commands: &'static [&'static str],
    words: &'static [&'static str],
    write: &'static str,
}

const fn habit(commands: &'static [&'static str], words: &'static [&'static str], write: &'static str) -> Habit {
    Habit { commands, words, write }
}

/// Commands that take a range of a recording.
const RANGED: &[&str] = &["show", "diagnose", "cut", "evictions", "mrc"];

/// What sar's options print that a recording has not.
const NOT_RECORDED: &str = "a recording has no network (sar -n), space of file systems (-F), power (-m), kernel tables (-v) and serial lines (-y)";

const HABITS: &[Habit] = &[
    habit(&["show"], &["-r", "-R"], "sar -r is `pagetide show rec memory`"),
    habit(&["show"], &["-B"], "sar -B is `pagetide show rec paging`"),
    habit(&["show"], &["-d", "-dx", "-xt"], "sar -d and iostat -x are `pagetide show rec disk`"),
    habit(&["show"], &["-x"], "iostat -x is `pagetide show rec disk`; sar -x is `pagetide show rec memory --min-max`"),
    habit(&["show"], &["-b"], "sar -b is `pagetide show rec io`"),
    habit(
        &["show"],
        &["-q"],
        "sar -q is `pagetide show rec load`; sar -q CPU, IO, MEM and PSI are `pagetide show rec pressure`",
    ),
    habit(&["show"], &["-u"], "sar -u is `pagetide show rec cpu`"),
    habit(&["show"], &["-P"], "sar -P ALL is `pagetide show rec cpus`"),
    habit(&["show"], &["-w"], "sar -w is `pagetide show rec tasks`"),
    habit(&["show"], &["-W", "-S"], "sar -S and sar -W are `pagetide show rec swap`"),
    habit(&["show"], &["-H"], "sar -H is `pagetide show rec hugepages`"),
    habit(
        &["show"],
        &["-p"],
        "sar -p is the default: names of the device mapper follow the device; pidstat -p is `pagetide show rec processes --only mysqld`",
    ),
    habit(&["show"], &["-C"], "sar -C: comments of sadc are marks, which `pagetide diagnose rec --json` prints"),
    habit(&["show"], &["-D"], "sar -D: `pagetide record -o rec` keeps samples in segments by hour"),
    habit(&["show"], &["-F", "-m", "-n", "-v", "-y"], NOT_RECORDED),
    habit(
        &["show"],
        &["-I"],
        "sar -I SUM is `intr/s` of `pagetide show rec tasks`; single interrupts are not recorded",
    ),
    habit(&["show"], &["-j"], "sar -j: `--only NAME` takes names below /dev/disk and of the device mapper"),
    habit(&["show"], &["-t"], "times are those of the recorded host by default, as with sar -t; `--utc` prints UTC"),
    habit(&["show"], &["-V"], "`pagetide --version`"),
    habit(&["show"], &["-z"], "idle disks and processes are left out by default, as with sar -z; `--all` shows them"),
    habit(&["show"], &["-A"], "there is one table per topic, such as `pagetide show rec disk`"),
    habit(&["show"], &["-f"], "the recording comes first: `pagetide show rec disk`"),
    habit(&["show"], &["-i", "--interval", "--step"], "one row per 5 s: `pagetide show rec disk --every 5`"),
    habit(
        &["show"],
        &["--dev", "--device", "--disk", "--cpu", "--pid", "--name", "--process", "--filter", "--cgroup"],
        "one disk, CPU, process or group: `pagetide show rec disk --only vda`",
    ),
    habit(
        &["show"],
        &["--head", "--limit"],
        "the first five rows of each sample: `pagetide show rec processes --top 5`",
    ),
    habit(
        &["show"],
        &["-o", "--format"],
        "as CSV: `pagetide show rec disk --csv`; as JSON: `pagetide show rec disk --json`",
    ),
    habit(
        RANGED,
        &["-s", "--form", "--since", "--start", "--begin", "--after"],
        "the start of a range is `--from TIME`, such as --from 12:20 or --from -10min",
    ),
    habit(RANGED, &["-e", "--until", "--end", "--before"], "the end of a range is `--to TIME`, such as --to 12:40"),
    habit(RANGED, &["--last", "--past"], "the last ten minutes of a recording: `--from -10min`"),
    habit(&["record", "top", "serve"], &["-i", "-d", "--every", "--delay"], "a sample every 5 s: `--interval 5`"),
    habit(
        &["record"],
        &["-t", "--time", "--duration", "--length", "--count"],
        "for 5 min: `pagetide record -o rec --for 5min`",
    ),
    habit(&["record", "import", "cut"], &["--output", "--dest"], "the output path is `-o PATH`"),
    habit(
        &["record"],
        &["-p", "--pid"],
        "a recording has every process; to print one: `pagetide show rec processes --only mysqld`",
    ),
    habit(
        &["serve"],
        &["-p", "--port", "--host", "--bind", "--addr", "--address"],
        "`pagetide serve --listen 8080`, or ADDRESS:PORT for a network",
    ),
    habit(
        &["diagnose"],
        &["-o", "--out", "--output"],
        "as a page: `pagetide diagnose rec --html report.html`; as JSON: `pagetide diagnose rec --json`",
    ),
    habit(
        &["list", "ls"],
        &[],
        "`pagetide lab list` lists scenarios; `pagetide serve FOLDER` lists recordings in a browser",
    ),
    habit(
        &["status", "info", "stat", "stats"],
        &[],
        "`pagetide` alone prints the state of this host; `pagetide record --status` prints that of its recorder",
    ),
    habit(&["version"], &[], "`pagetide --version`"),
    habit(&["free"], &[], "`pagetide mem`"),
    habit(
        &["vmstat", "sar"],
        &[],
        "`pagetide show --sample cache` prints live rows of this host; `pagetide show rec memory` prints a recording",
    ),
    habit(
        &["iostat"],
        &[],
        "`pagetide show --sample disk` prints live rows of this host; `pagetide show rec disk` prints a recording",
    ),
    habit(
        &["pidstat", "ps", "processes"],
        &[],
        "`pagetide show --sample processes` prints live rows of this host; `pagetide show rec processes` prints a recording",
    ),
    habit(&["fincore", "vmtouch"], &[], "`pagetide cache /var/lib`"),
    habit(
        &["replay", "play", "view", "open"],
        &[],
        "`pagetide top rec` steps through a recording; `pagetide serve rec` shows it in a browser",
    ),
    habit(
        &["watch", "monitor", "live"],
        &[],
        "`pagetide top` shows this host live; `pagetide serve` does so in a browser",
    ),
    habit(&["report", "analyze", "analyse", "why"], &[], "`pagetide diagnose rec`"),
    habit(&["compare", "diff"], &[], "`pagetide diagnose before --compare after`"),
    habit(&["run", "scenarios", "experiment"], &[], "`pagetide lab list`, then `pagetide lab run buffered-read`"),
    habit(
        &["simulate", "sim", "predict", "model"],
        &[],
        "`pagetide plan database-memory`, or `pagetide lab run buffered-read --on sim`",
    ),
    habit(
        &["trace"],
        &[],
        "`pagetide evictions --for 5s` shows who evicts whose pages, `pagetide mrc --for 5s` how much memory would help",
    ),
    habit(&["convert"], &[], "`pagetide import sar.txt -o rec`"),
    habit(
        &["export"],
        &[],
        "`pagetide show rec disk --csv`; to share a part of a recording: `pagetide cut rec -o incident.pagetide`",
    ),
    habit(&["share", "redact", "anonymize"], &[], "`pagetide cut rec -o incident.pagetide --redact`"),
    habit(&["verify", "fsck"], &[], "`pagetide check rec`"),
];

/// Words for the topics of `show`.
const TOPICS: &[(&[&str], &str)] = &[
    (&["mem", "ram", "meminfo", "vmstat", "sar"], "memory"),
    (&["hits", "hit", "hitratio", "hit-ratio", "dirty", "writeback", "pagecache"], "cache"),
    (&["faults", "reclaim", "vm", "evictions"], "paging"),
    (&["disks", "device", "devices", "iostat", "diskstats", "dev"], "disk"),
    (&["psi", "stall", "stalls"], "pressure"),
    (&["process", "procs", "proc", "ps", "pidstat", "pids"], "processes"),
    (&["groups", "group", "cgroup", "containers", "container", "pods"], "cgroups"),
    (&["numa", "nodes", "node", "zone", "zoneinfo", "buddyinfo"], "zones"),
    (&["loadavg", "runq", "uptime"], "load"),
    (&["mpstat"], "cpus"),
];

/// An extra word after a command's arguments, and how to write what it probably means.
const POSITIONALS: &[(&str, &str)] = &[
    (
        "record",
        "the command to run goes after `--`: `pagetide record -o rec -- sleep 5`; for a duration: `pagetide record -o rec --for 5`",
    ),
    ("cut", "name the file with -o: `pagetide cut rec -o incident.pagetide`"),
    ("show", "one disk, CPU, process or group: `pagetide show rec disk --only vda`"),
    ("diagnose", "to compare two recordings: `pagetide diagnose before --compare after`"),
];

/// A command without what it needs, and how to write it.
const MISSING: &[(&str, &str)] = &[
    ("fleet", "name a folder of recordings, one per host: `pagetide fleet /srv/recordings`"),
    ("plan", "`pagetide plan --list` shows the plans; `pagetide plan --from rec` plans for what a recording shows"),
];

/// The error, with what to write instead if something was typed out of habit.
pub(crate) fn with_our_words(mut error: clap::Error) -> clap::Error {
    let mut words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let command = words.find(|word| !word.starts_with('-')).unwrap_or_default();
    let said = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::InvalidValue => ContextKind::InvalidValue,
        // Here it is the option.
        ErrorKind::ValueValidation | ErrorKind::MissingRequiredArgument => ContextKind::InvalidArg,
        _ => return error,
    };
    let word = match error.get(said) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    let Some(write) = meant(error.kind(), &command, word) else { return error };
    for guess in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
        error.remove(guess);
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![write.into()]));
    error
}

/// What to write for a word that a command does not take; absent if unknown.
fn meant(kind: ErrorKind, command: &str, word: &str) -> Option<String> {
    match kind {
        ErrorKind::InvalidValue if command == "show" => {
            let (_, topic) = TOPICS.iter().find(|(words, _)| words.contains(&word))?;
            Some(format!("`pagetide show rec {topic}`"))
        }
        ErrorKind::MissingRequiredArgument => {
            let (_, write) = MISSING.iter().find(|(known, _)| *known == command)?;
            Some((*write).to_owned())
        }
        ErrorKind::ValueValidation => {
            let option = word.strip_suffix(" <NUMBER>")?;
            Some(format!("write a whole number: `{option} 1`"))
        }
        ErrorKind::InvalidSubcommand => {
            let known = HABITS.iter().find(|habit| habit.words.is_empty() && habit.commands.contains(&word))?;
            Some(known.write.to_owned())
        }
        ErrorKind::UnknownArgument if word.starts_with('-') => {
            let word = word.split('=').next().unwrap_or_default();
            let known = HABITS.iter().find(|habit| habit.commands.contains(&command) && habit.words.contains(&word))?;
            Some(known.write.to_owned())
        }
        ErrorKind::UnknownArgument => {
            let (_, write) = POSITIONALS.iter().find(|(known, _)| *known == command)?;
            Some((*write).to_owned())
        }
        _ => None,
    }
}

/// All hints, for the test that runs the commands in them.
#[cfg(test)]
pub(crate) fn texts() -> String {
    let topics = TOPICS.iter().map(|(_, topic)| format!("`pagetide show rec {topic}`"));
    let habits = HABITS.iter().map(|habit| habit.write.to_owned());
    let positionals = POSITIONALS.iter().map(|(_, write)| (*write).to_owned());
    let missing = MISSING.iter().map(|(_, write)| (*write).to_owned());
    topics.chain(habits).chain(positionals).chain(missing).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn no_habit_hides_what_a_command_takes() {
        let root = Arguments::definition();
        for Habit { commands, words, .. } in HABITS {
            for name in *commands {
                let Some(command) = root.find_subcommand(name) else {
                    assert!(words.is_empty(), "{name} is no command");
                    continue;
                };
                assert!(!words.is_empty(), "{name} is a command");
                for word in *words {
                    let is_taken = command.get_arguments().any(|argument| {
                        let short = argument.get_short().is_some_and(|short| format!("-{short}") == **word);
                        short || argument.get_long().is_some_and(|long| format!("--{long}") == **word)
                    });
                    assert!(!is_taken, "{name} takes {word}");
                }
            }
        }
    }

    /// docs/SAR.md says that `show` names the equivalent of sar's options.
    #[test]
    fn every_option_of_sar_in_the_table_of_the_docs_is_answered_as_there() {
        let page = include_str!("../docs/SAR.md");
        let table = page.split("\n## sar\n").nth(1).unwrap().split("\n## ").next().unwrap();
        let topic = regex::Regex::new(r"`show rec (\w+)`").unwrap();
        let mut tried = 0;
        for row in table.lines().filter(|line| line.starts_with("| `")) {
            let (options, is) = row.trim_matches(['|', ' ']).split_once(" | ").unwrap();
            for option in options.split('`').skip(1).step_by(2).filter_map(|option| option.split(' ').next()) {
                let is_short = option.len() == 2 && option.starts_with('-') && option != "-h";
                if !is_short {
                    continue;
                }
                tried += 1;
                let hint = meant(ErrorKind::UnknownArgument, "show", option).unwrap_or_else(|| panic!("{option}"));
                assert_eq!(is == "none", hint == NOT_RECORDED, "{option}: {is}: {hint}");
                if let Some(topic) = topic.captures(is) {
                    assert!(hint.contains(&format!("show rec {}", &topic[1])), "{option}: {is}: {hint}");
                }
            }
        }
        assert!(tried > 25, "{tried} options");
    }

    #[test]
    fn every_option_of_a_time_takes_seconds_and_every_size_takes_g() {
        let mut root = Arguments::definition();
        root.build();
        let mut commands: Vec<(Vec<String>, clap::Command)> = Vec::new();
        let mut rest = vec![(vec!["pagetide".to_owned()], root)];
        while let Some((path, command)) = rest.pop() {
            let inner = command
                .get_subcommands()
                .map(|inner| ([path.clone(), vec![inner.get_name().to_owned()]].concat(), inner.clone()));
            rest.extend(inner);
            commands.push((path, command));
        }
        let mut tried = 0;
        for (path, command) in &commands {
            for argument in command.get_arguments() {
                let Some(name) = argument.get_value_names().and_then(|names| names.first()) else { continue };
                let (value, Some(long)) = (if name == "SIZE" { "2g" } else { "5" }, argument.get_long()) else {
                    continue;
                };
                // vmstat's own option has another `m`.
                if !["TIME", "SIZE"].contains(&name.as_str()) || long == "vmstat-unit" {
                    continue;
                }
                // A moment or a kind of report, not a length of time.
                if ["from", "to", "first-report"].contains(&long) {
                    continue;
                }
                let words = path.iter().cloned().chain([format!("--{long}={value}")]);
                let read = Arguments::definition().try_get_matches_from(words);
                let refused = read
                    .err()
                    .filter(|error| [ErrorKind::ValueValidation, ErrorKind::InvalidValue].contains(&error.kind()));
                assert!(refused.is_none(), "{} --{long}={value}: {}", path.join(" "), refused.unwrap());
                tried += 1;
            }
        }
        assert!(tried > 15, "{tried} options");
    }
}
