//! Other versions of sysstat, and the data files and expected texts of its own tests: each data file in every form that its `sar` and `sadf`
//! print, compared with `sadf -j` of the same file; each text read a second time by columns, and its import compared with that.
//!
//! A value at another moment than `sadf -j` gives has a cause, which is shown by the data: sar prints a time of day only, or the form prints
//! local time without its zone and the import with the right offset is equal. What has no cause is wrong.

use super::matrix::{Rule, Values, compared, printed_unit, values};
use pagetide_core::{LocalClock, Table};
use pagetide_store::import::{FirstReport, Import, Input, Options, import};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Where the programs of one version of sysstat are.
pub(crate) struct Sysstat {
    folder: PathBuf,
    version: String,
}

impl Sysstat {
    fn new(folder: PathBuf) -> Self {
        let said = Command::new(folder.join("sar")).arg("-V").output().unwrap();
        let said = String::from_utf8([said.stdout, said.stderr].concat()).unwrap();
        let version = said.lines().find_map(|line| line.split("version ").nth(1)).unwrap_or("?").trim().to_owned();
        Self { folder, version }
    }

    fn run(&self, tool: &str, words: &[&str]) -> Command {
        let mut command = Command::new(self.folder.join(tool));
        command.args(words).env("LC_ALL", "C").env("TZ", "UTC").env("S_COLORS", "never");
        command
    }
}

/// The folders with `tests/` of `COMPARE_TREES`, and the versions of `COMPARE_SYSSTAT`, both divided by colons.
pub(crate) fn given() -> (Vec<PathBuf>, Vec<Sysstat>) {
    let folders = |name| std::env::var_os(name).map(|text| std::env::split_paths(&text).collect::<Vec<_>>());
    let mut programs = vec![Sysstat::new("/usr/bin".into())];
    programs.extend(folders("COMPARE_SYSSTAT").into_iter().flatten().map(Sysstat::new));
    (folders("COMPARE_TREES").unwrap_or_default(), programs)
}

/// Sums over data files, of one form or of one version.
#[derive(Default)]
struct Sums {
    files: usize,
    /// Texts by why they are not imported.
    refused: BTreeMap<String, usize>,
    equal: usize,
    /// Values by why they are not at the moment of `sadf -j`.
    explained: BTreeMap<&'static str, usize>,
    missing: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

const OTHER_DAY: &str = "sar prints the day of the file's header and times of day; `sadf -j` gives these records another day, and the times of day are equal";
const LOCAL: &str = "local time without its zone; imported with --utc-offset, all values are equal";

const OTHER_STAMP: &str = "the file stores a local time that does not belong to its UTC time: this form prints the local one, and the values \
     are equal in their order, at the printed times";

/// The forms of a data file: sar's or sadf's words, and how the values are compared.
fn forms() -> Vec<(&'static str, &'static [&'static str], Rule)> {
    vec![
        ("sar", &["-A", "-f"], Rule::Same),
        ("sar", &["-A", "-h", "-f"], Rule::Rounded(0.1)),
        ("sar", &["-A", "-C", "-f"], Rule::Same),
        ("sar", &["-A", "--human", "-f"], Rule::Rounded(0.1)),
        ("sar", &["-A", "--dec=1", "-f"], Rule::Rounded(0.1)),
        ("sar", &["-A", "-z", "-f"], Rule::Same),
        ("sar", &["-A", "--iface=lo", "-f"], Rule::Same),
        ("sar", &["-A", "-t", "-f"], Rule::Same),
        ("sadf", &["-d"], Rule::Same),
        ("sadf", &["-dt"], Rule::Same),
        ("sadf", &["-dT"], Rule::Same),
        ("sadf", &["-dU"], Rule::Same),
        ("sadf", &["-dh"], Rule::Same),
        ("sadf", &["-p"], Rule::Same),
        ("sadf", &["-j"], Rule::Same),
        ("sadf", &["-jt"], Rule::Same),
        ("sadf", &["-jT"], Rule::Same),
        ("sadf", &["-jU"], Rule::Same),
    ]
}

fn read(text: Vec<u8>, utc_offset: Option<i64>) -> Result<Import, pagetide_core::Error> {
    import(&[Input::bytes("text", text)], &Options { utc_offset, ..Options::default() })
}

/// The same values, at times of day.
fn by_time_of_day(of: &Values) -> Values {
    let mut by = of.clone();
    for series in by.values_mut() {
        *series = series.iter().map(|(at, value)| (at.rem_euclid(DAY), *value)).collect();
    }
    by
}

/// The offsets from UTC that the moments of an import show beside those of the reference.
fn offset(reference: &Values, of: &Values) -> Option<i64> {
    let first = |values: &Values| values.values().flat_map(|series| series.keys()).min().copied();
    Some(first(of)? - first(reference)?).filter(|offset| *offset != 0 && offset.abs() <= 14 * 3600 * SECOND)
}

/// Compares all data files of the trees in all forms, and gives the table as Markdown with what is wrong.
pub(crate) fn data_files(trees: &[PathBuf], programs: &[Sysstat]) -> (String, Vec<String>) {
    let mut sums: BTreeMap<usize, Sums> = BTreeMap::new();
    let mut versions = String::new();
    let (mut files, mut all) = (0, 0);
    for sysstat in programs {
        let (files_before, all_before, mut of_version) = (files, all, Sums::default());
        for file in trees.iter().flat_map(|tree| data(tree)) {
            let path = file.to_str().unwrap();
            let json = |words: &[&str]| {
                let json = sysstat.run("sadf", &[&["-j", path, "--", "-A"], words].concat()).output().ok()?;
                Some(values(&read(json.stdout, None).ok()?.recording))
            };
            let (Some(reference), Some(with_names)) = (json(&[]), json(&["-p"])) else { continue };
            files += 1;
            all += reference.values().map(BTreeMap::len).sum::<usize>();
            for (at, (tool, words, rule)) in forms().into_iter().enumerate() {
                let words =
                    if tool == "sar" { [words, &[path]].concat() } else { [words, &[path, "--", "-A"]].concat() };
                // Older versions do not know each of these options.
                let printed = sysstat.run(tool, &words).output().ok().filter(|printed| printed.status.success());
                let Some(printed) = printed else { continue };
                let name = format!("sysstat {}, {}, {tool} {}", sysstat.version, file.display(), words.join(" "));
                let mut of_form = Sums::default();
                // sar -h is --human --pretty (sysstat sar.c: main): disks by name, which are `dev8-0` without it up to 12.5.
                let reference = if words.contains(&"-h") { &with_names } else { &reference };
                of_form.compare(&name, reference, printed.stdout, rule);
                of_version.add(&of_form);
                sums.entry(at).or_default().add(&of_form);
            }
        }
        let Sums { files: read, refused, equal, explained, wrong, .. } = of_version;
        let _ = writeln!(
            versions,
            "| {} | {} | {} | {read} | {} | {equal} | {} | {} |",
            sysstat.version,
            files - files_before,
            all - all_before,
            refused.values().sum::<usize>(),
            explained.values().sum::<usize>(),
            wrong.len()
        );
    }
    let mut text = format!(
        "{files} times a version of sysstat reads a data file; `sadf -j` gives {all} values of them.\n\n\
         | sysstat | data files | values in `sadf -j` | texts read | refused | values equal | explained | wrong |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n{versions}\n\
         | form | read | refused | equal | explained | wrong | not printed in this form |\n|---|---:|---|---:|---|---:|---|\n"
    );
    let mut wrong = Vec::new();
    for (at, (tool, words, _)) in forms().into_iter().enumerate() {
        let Some(sums) = sums.remove(&at) else { continue };
        let explained: Vec<String> = sums.explained.iter().map(|(why, count)| format!("{count}: {why}")).collect();
        let refused: Vec<String> = sums.refused.iter().map(|(why, count)| format!("{count}: {why}")).collect();
        let missing: Vec<String> = sums.missing.iter().map(|(what, count)| format!("{count} {what}")).collect();
        let words = words.join(" ");
        let _ = writeln!(
            text,
            "| {tool} {} | {} | {} | {} | {} | {} | {} |",
            words.trim_end_matches(" -f"),
            sums.files,
            refused.join("; ").replace('|', "\\|"),
            sums.equal,
            explained.join("; "),
            sums.wrong.len(),
            missing.join(", ")
        );
        wrong.extend(sums.wrong);
    }
    (text, wrong)
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.files += other.files;
        for (why, count) in &other.refused {
            *self.refused.entry(why.clone()).or_default() += count;
        }
        self.equal += other.equal;
        for (why, count) in &other.explained {
            *self.explained.entry(why).or_default() += count;
        }
        for (what, count) in &other.missing {
            *self.missing.entry(what.clone()).or_default() += count;
        }
        self.wrong.extend_from_slice(&other.wrong);
    }

    fn compare(&mut self, name: &str, reference: &Values, printed: Vec<u8>, rule: Rule) {
        let text = String::from_utf8_lossy(&printed).into_owned();
        let imported = match read(printed.clone(), None) {
            Ok(imported) => imported,
            Err(error) => {
                *self.refused.entry(reason(&error)).or_default() += 1;
                return;
            }
        };
        self.files += 1;
        let imported = values(&imported.recording);
        let (equal, bad) = compared(reference, &imported, rule);
        let there = if bad.is_empty() {
            self.equal += equal;
            imported
        } else if let Some((why, explained, values)) = cause(reference, &imported, printed, rule) {
            *self.explained.entry(why).or_default() += explained;
            values
        } else {
            self.wrong.extend(bad.into_iter().take(5).map(|what| format!("{name}: {what}")));
            return;
        };
        let length = |values: &Values, key: &(Table, String, String)| values.get(key).map_or(0, BTreeMap::len);
        for ((table, entity, metric), rows) in by_columns(&text).into_iter().filter(|_| !text.starts_with('{')) {
            let stored = length(&there, &(table, entity.clone(), metric.to_owned()));
            if stored != rows.len() {
                self.wrong.push(format!(
                    "{name}: {metric} of `{entity}` is printed {} times, {stored} are imported",
                    rows.len()
                ));
            }
        }
        for (key, expected) in reference {
            let missing = expected.len().saturating_sub(length(&there, key));
            if missing > 0 {
                *self.missing.entry(format!("`{}`", key.2)).or_default() += missing;
            }
        }
    }
}

/// Why the values are at other moments, when the data shows it: the cause, how many values are equal then, and these.
fn cause(reference: &Values, imported: &Values, printed: Vec<u8>, rule: Rule) -> Option<(&'static str, usize, Values)> {
    if let Some(offset) = offset(reference, imported) {
        let again = values(&read(printed.clone(), Some(offset)).ok()?.recording);
        let (equal, bad) = compared(reference, &again, rule);
        if bad.is_empty() {
            return Some((LOCAL, equal, again));
        }
    }
    let (of_reference, of_import) = (by_time_of_day(reference), by_time_of_day(imported));
    let whole = |one: &Values, other: &Values| one.values().map(BTreeMap::len).eq(other.values().map(BTreeMap::len));
    let (equal, bad) = compared(&of_reference, &of_import, rule);
    let unmixed = whole(reference, &of_reference) && whole(imported, &of_import);
    if bad.is_empty() && unmixed {
        return Some((OTHER_DAY, equal, imported.clone()));
    }
    let (equal, bad) = compared(reference, imported, Rule::Ordered);
    let text = String::from_utf8(printed).ok()?;
    let whole = |key| reference.get(key).map(BTreeMap::len) == imported.get(key).map(BTreeMap::len);
    let stands = |at: &i64| is_printed(*at, &text);
    let at_its_time = imported.values().flat_map(BTreeMap::keys).all(stands);
    (bad.is_empty() && at_its_time && imported.keys().all(whole)).then_some((OTHER_STAMP, equal, imported.clone()))
}

/// Whether a text prints a moment: day and time in one line, or, as sar does, the time, and the day in its first line.
fn is_printed(at: i64, text: &str) -> bool {
    let iso = LocalClock::utc().iso(at);
    let (day, time) = (&iso[..10], &iso[11..19]);
    if !text.starts_with("Linux") {
        return text.lines().any(|line| line.contains(day) && line.contains(time));
    }
    let banner = text.lines().next().unwrap_or_default();
    let of_banner = |at: i64| {
        let iso = LocalClock::utc().iso(at);
        banner.contains(&format!("{}/{}/{}", &iso[5..7], &iso[8..10], &iso[2..4]))
    };
    text.lines().any(|line| line.starts_with(time)) && (of_banner(at) || of_banner(at - DAY))
}

/// The binary data files of a tree.
fn data(tree: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = entries(tree, "data").collect();
    files.sort();
    files
}

fn entries(tree: &Path, prefix: &'static str) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(tree).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(move |path| {
        path.is_file() && path.file_name().unwrap().to_str().is_some_and(|name| name.starts_with(prefix))
    })
}

/// Columns, and the metric of the host, of disks or of processes that holds them.
static COLUMNS: &[(Table, &str, &str, f64)] = &[
    (Table::Host, "pgpgin/s", "pgpgin", 1e6),
    (Table::Host, "pgpgout/s", "pgpgout", 1e6),
    (Table::Host, "fault/s", "pgfault", 1e6),
    (Table::Host, "majflt/s", "pgmajfault", 1e6),
    (Table::Host, "pgfree/s", "pgfree", 1e6),
    (Table::Host, "pgscank/s", "pgscan_kswapd", 1e6),
    (Table::Host, "pgscand/s", "pgscan_direct", 1e6),
    (Table::Host, "pgsteal/s", "pgsteal", 1e6),
    (Table::Host, "%vmeff", "vmeff", 1e4),
    (Table::Host, "pswpin/s", "pswpin", 1e6),
    (Table::Host, "pswpout/s", "pswpout", 1e6),
    (Table::Host, "proc/s", "processes", 1e6),
    (Table::Host, "cswch/s", "ctxt", 1e6),
    (Table::Host, "%iowait", "cpu_iowait_share", 1e4),
    (Table::Host, "%idle", "cpu_idle_share", 1e4),
    (Table::Host, "%steal", "cpu_steal_share", 1e4),
    (Table::Host, "tps", "io_requests", 1e6),
    (Table::Host, "rtps", "io_reads", 1e6),
    (Table::Host, "wtps", "io_writes", 1e6),
    (Table::Host, "dtps", "io_discards", 1e6),
    (Table::Host, "bread/s", "io_read_sectors", 1e6),
    (Table::Host, "bwrtn/s", "io_write_sectors", 1e6),
    (Table::Host, "kbmemfree", "MemFree", 1024.0),
    (Table::Host, "kbavail", "MemAvailable", 1024.0),
    (Table::Host, "kbbuffers", "Buffers", 1024.0),
    (Table::Host, "kbcached", "Cached", 1024.0),
    (Table::Host, "kbcommit", "Committed_AS", 1024.0),
    (Table::Host, "kbactive", "Active", 1024.0),
    (Table::Host, "kbinact", "Inactive", 1024.0),
    (Table::Host, "kbdirty", "Dirty", 1024.0),
    (Table::Host, "kbanonpg", "AnonPages", 1024.0),
    (Table::Host, "kbslab", "Slab", 1024.0),
    (Table::Host, "kbkstack", "KernelStack", 1024.0),
    (Table::Host, "kbpgtbl", "PageTables", 1024.0),
    (Table::Host, "kbvmused", "VmallocUsed", 1024.0),
    (Table::Host, "kbswpfree", "SwapFree", 1024.0),
    (Table::Host, "kbswpcad", "SwapCached", 1024.0),
    (Table::Host, "plist-sz", "tasks_total", 1.0),
    (Table::Host, "blocked", "procs_blocked", 1.0),
    (Table::Cpu, "%iowait", "cpu_iowait_share", 1e4),
    (Table::Cpu, "%idle", "cpu_idle_share", 1e4),
    (Table::Cpu, "%steal", "cpu_steal_share", 1e4),
    (Table::Disk, "tps", "reads_writes", 1e6),
    (Table::Disk, "r/s", "reads", 1e6),
    (Table::Disk, "w/s", "writes", 1e6),
    (Table::Disk, "d/s", "discards", 1e6),
    (Table::Disk, "f/s", "flushes", 1e6),
    (Table::Disk, "rkB/s", "read_sectors", 2e6),
    (Table::Disk, "wkB/s", "write_sectors", 2e6),
    (Table::Disk, "dkB/s", "discard_sectors", 2e6),
    (Table::Disk, "rMB/s", "read_sectors", 2048e6),
    (Table::Disk, "wMB/s", "write_sectors", 2048e6),
    (Table::Disk, "kB_read/s", "read_sectors", 2e6),
    (Table::Disk, "kB_wrtn/s", "write_sectors", 2e6),
    (Table::Disk, "kB_dscd/s", "discard_sectors", 2e6),
    (Table::Disk, "MB_read/s", "read_sectors", 2048e6),
    (Table::Disk, "MB_wrtn/s", "write_sectors", 2048e6),
    (Table::Disk, "rrqm/s", "read_merges", 1e6),
    (Table::Disk, "wrqm/s", "write_merges", 1e6),
    (Table::Disk, "r_await", "read_await_ms", 1e6),
    (Table::Disk, "w_await", "write_await_ms", 1e6),
    (Table::Disk, "d_await", "discard_await_ms", 1e6),
    (Table::Disk, "f_await", "flush_await_ms", 1e6),
    (Table::Disk, "await", "await_ms", 1e6),
    (Table::Disk, "rareq-sz", "read_request_sectors", 2e6),
    (Table::Disk, "wareq-sz", "write_request_sectors", 2e6),
    (Table::Disk, "dareq-sz", "discard_request_sectors", 2e6),
    (Table::Disk, "areq-sz", "request_sectors", 2e6),
    (Table::Disk, "aqu-sz", "queue_depth", 1e6),
    (Table::Disk, "%util", "util", 1e4),
    (Table::Process, "minflt/s", "minflt", 1e6),
    (Table::Process, "majflt/s", "majflt", 1e6),
    (Table::Process, "kB_rd/s", "read_bytes", 1024e6),
    (Table::Process, "kB_wr/s", "write_bytes", 1024e6),
    (Table::Process, "kB_ccwr/s", "cancelled_write_bytes", 1024e6),
    (Table::Process, "VSZ", "vsize", 1024.0),
    (Table::Process, "RSS", "rss", 0.25),
    (Table::Process, "threads", "num_threads", 1.0),
];

/// What a text prints, by table, entity and metric, in the order of its lines: the time of day where a row has one, and the number.
type Printed = BTreeMap<(Table, String, &'static str), Vec<(Option<String>, f64)>>;

/// Reads a text by its columns: rows have as many words as the header above them.
fn by_columns(text: &str) -> Printed {
    let mut printed = Printed::new();
    let mut header: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("Average")) {
        let mut words: Vec<&str> = line.trim_start_matches('#').split_whitespace().collect();
        let fields: Vec<&str> = line.split(';').collect();
        let clock_of_field = fields.get(2).and_then(|field| field.split_whitespace().nth(1));
        if fields.len() > 3 {
            words = fields[2..].to_vec();
            words[0] = if line.starts_with('#') { "Time" } else { clock_of_field.unwrap_or("Time") };
        }
        let clock = |word: &str| word.len() == 8 && word.as_bytes()[2] == b':' && word.as_bytes()[5] == b':';
        let time = words.first().filter(|word| clock(word)).map(|word| (*word).to_owned());
        let stamped =
            time.is_some() || words.first().is_some_and(|word| ["Time", "avg-cpu:"].contains(word) || is_epoch(word));
        if stamped {
            words.remove(0);
        }
        if words.first().is_some_and(|word| ["AM", "PM"].contains(word)) {
            continue;
        }
        let known = |word: &&str| COLUMNS.iter().any(|(_, column, ..)| column == word);
        if words.first().is_some_and(|word| ["LINUX", "COM"].contains(word)) {
            continue;
        }
        if stamped && words.iter().all(|word| word.parse::<f64>().is_err()) || words.iter().any(known) {
            header = if words.iter().any(known) { words } else { Vec::new() };
            continue;
        }
        // A command may have blanks in it.
        let command = header.last() == Some(&"Command");
        if header.is_empty() || words.len() < header.len() || (words.len() > header.len() && !command) {
            continue;
        }
        let find = |names: &[&str]| header.iter().position(|name| names.contains(name));
        let (table, entity) = if header.contains(&"TID")
            || header.contains(&"NODE")
            || header.contains(&"INTR")
            || header.contains(&"CPU*")
        {
            continue;
        } else if let Some(at) = find(&["PID"]) {
            (Table::Process, format!("{}@0", words[at]))
        } else if let Some(at) = find(&["DEV", "Device", "Device:"]) {
            (Table::Disk, words[at].to_owned())
        } else if let Some(at) = find(&["CPU"]) {
            if ["all", "-1"].contains(&words[at]) {
                (Table::Host, String::new())
            } else {
                (Table::Cpu, words[at].to_owned())
            }
        } else {
            (Table::Host, String::new())
        };
        for (word, name) in words.iter().zip(&header) {
            let column = COLUMNS.iter().find(|(of, column, ..)| *of == table && column == name);
            if let (Some((_, _, metric, factor)), Ok(number)) = (column, word.parse::<f64>()) {
                let series = printed.entry((table, entity.clone(), *metric)).or_default();
                series.push((time.clone(), number * factor));
            }
        }
    }
    printed
}

fn is_epoch(word: &str) -> bool {
    word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Why a text is refused, without what is of this text alone: of the reasons by line the first is enough, and its number says nothing here.
fn reason(error: &pagetide_core::Error) -> String {
    let why = error.to_string();
    let why = why.split(" (it reads").next().unwrap_or_default().trim_start_matches("text: ");
    let why = why.split("; line").next().unwrap_or_default().trim_start_matches("nothing to import in text ");
    let why = why.trim_start_matches('(').trim_start_matches("line ").trim_start_matches(|c: char| c.is_ascii_digit());
    why.trim_start_matches(": ").chars().take(90).collect()
}

/// Imports every expected text of the trees. Each stored value must be one that the text prints for this metric, at its time of day, in
/// the order of the text.
pub(crate) fn expected(trees: &[PathBuf]) -> (String, Vec<String>) {
    let (mut read_files, mut equal, mut unchecked) = (0, 0, 0);
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for file in trees.iter().flat_map(|tree| entries(tree, "expected")) {
        let bytes = std::fs::read(&file).unwrap();
        let options = Options { first_report: FirstReport::Interval, ..Options::default() };
        let import = match import(&[Input::bytes("text", bytes.clone())], &options) {
            Ok(import) => import,
            Err(error) => {
                *refused.entry(reason(&error)).or_default() += 1;
                continue;
            }
        };
        read_files += 1;
        let text = String::from_utf8_lossy(&bytes);
        let printed = if text.starts_with('{') { Printed::new() } else { by_columns(&text) };
        let dated = import.report.files[0].day_known;
        for ((table, entity, metric), stored) in values(&import.recording) {
            let name = COLUMNS.iter().find(|column| column.0 == table && column.2 == metric).map(|column| column.2);
            let Some(series) = name.and_then(|name| printed.get(&(table, entity.clone(), name))) else {
                unchecked += stored.len();
                continue;
            };
            let mut rest = series.iter();
            for (at, value) in stored {
                let clock = LocalClock::utc().time(at);
                let same = |(time, number): &&(Option<String>, f64)| {
                    (value as f64 - number).abs() <= 0.51 + number.abs() * 1e-9
                        && time.as_ref().is_none_or(|time| !dated || clock.starts_with(time.as_str()))
                };
                if rest.any(|row| same(&row)) {
                    equal += 1;
                } else {
                    let unit = printed_unit(&metric);
                    wrong.push(format!(
                        "{}: {metric} of `{entity}` at {clock}: {value} ({unit} for 1) is not printed",
                        file.display()
                    ));
                    break;
                }
            }
        }
    }
    let all = refused.values().sum::<usize>();
    let mut text = format!(
        "{read_files} texts are read and {all} refused. Of their values {equal} stand in the text at their time, in this order, {} do not, and \
         {unchecked} are in JSON, in CSV or in columns that this second reader does not know.\n\n| refused because | texts |\n|---|---:|\n",
        wrong.len()
    );
    for (why, count) in refused {
        let _ = writeln!(text, "| {} | {count} |", why.replace('|', "\\|").replace('\n', " "));
    }
    (text, wrong)
}
