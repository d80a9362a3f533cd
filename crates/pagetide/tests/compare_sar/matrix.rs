//! Texts that sysstat's tools print on the spot, imported and compared value by value with `sadf -j` of the same data.

use pagetide_core::{Recording, Table};
use pagetide_store::import::{Import, Input, Options, import};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The values of an import: by table, entity and metric, then by wall clock.
pub(crate) type Values = BTreeMap<(Table, String, String), BTreeMap<i64, i64>>;

const SECOND: i64 = 1_000_000_000;

pub(crate) fn values(recording: &Recording) -> Values {
    let mut values = Values::new();
    for table in Table::ALL {
        for (entity, _) in recording.entities(table) {
            for column in recording.metrics(table, entity) {
                let series = recording.series(table, entity, &column.name).unwrap();
                values.insert((table, entity.to_owned(), column.name.clone()), series.points().collect());
            }
        }
    }
    values
}

fn output(command: &mut Command) -> Vec<u8> {
    let run = command.output().unwrap();
    assert!(run.status.success(), "{command:?}: {}", String::from_utf8_lossy(&run.stderr));
    run.stdout
}

fn read(name: &str, text: Vec<u8>, utc_offset: i64) -> Result<Import, pagetide_core::Error> {
    import(&[Input::bytes(name, text)], &Options { utc_offset: Some(utc_offset), ..Options::default() })
}

/// How a form is compared.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// Each value at its moment is that of the reference.
    Same,
    /// The same, rounded to this part of the printed unit, or to one decimal of a larger unit.
    Rounded(f64),
    /// Each value is that of the reference at its moment; some rows may be missing, since the clock is set back.
    Subset,
    /// The values are those of the reference, in the same order: the clock is set forward.
    Ordered,
    /// The import names what it cannot read.
    Refused,
}

struct Form {
    name: String,
    command: Command,
    offset: i64,
    rule: Rule,
}

/// A file of sadc with samples, a comment, a restart of the host, and samples again.
fn data(file: &Path) {
    let sadc = |words: &[&str]| {
        let status = Command::new("/usr/lib/sysstat/sadc").args(words).arg(file).status().unwrap();
        assert!(status.success(), "{words:?}");
    };
    sadc(&["-S", "XALL", "1", "4"]);
    sadc(&["-C", "a comment: with words"]);
    // Without an interval it marks a restart.
    sadc(&["-S", "XALL"]);
    sadc(&["-S", "XALL", "1", "4"]);
}

fn forms(file: &Path, middle: i64) -> Vec<Form> {
    let tool = |tool: &str, words: &[&str], env: &[(&str, &str)]| {
        let mut command = Command::new(tool);
        command.args(words).env("LC_ALL", "C").env("TZ", "UTC").env("S_COLORS", "never");
        command.envs(env.iter().copied());
        command
    };
    let path = file.to_str().unwrap();
    let sar = ["-A", "-f", path];
    let mut forms = Vec::new();
    let mut add = |name: &str, command: Command, offset: i64, rule: Rule| {
        forms.push(Form { name: name.to_owned(), command, offset, rule });
    };
    let locales = String::from_utf8(output(Command::new("locale").arg("-a"))).unwrap();
    for locale in locales.lines().filter(|locale| *locale != "POSIX") {
        // Persian digits are refused by name.
        let rule = if locale.starts_with("fa_") { Rule::Refused } else { Rule::Same };
        add(&format!("sar -A, {locale}"), tool("sar", &sar, &[("LC_ALL", locale)]), 0, rule);
    }
    add("sar -A, S_TIME_FORMAT=ISO", tool("sar", &sar, &[("S_TIME_FORMAT", "ISO")]), 0, Rule::Same);
    add("sar -A, colours", tool("sar", &sar, &[("S_COLORS", "always")]), 0, Rule::Same);
    add("sar -A -C", tool("sar", &["-A", "-C", "-f", path], &[]), 0, Rule::Same);
    add("sar -A -h", tool("sar", &["-A", "-h", "-f", path], &[]), 0, Rule::Rounded(0.1));
    add("sar -A --human", tool("sar", &["-A", "--human", "-f", path], &[]), 0, Rule::Rounded(0.1));
    add("sar -A --dec=0", tool("sar", &["-A", "--dec=0", "-f", path], &[]), 0, Rule::Rounded(1.0));
    add("sadf -d", tool("sadf", &["-d", path, "--", "-A"], &[]), 0, Rule::Same);
    add("sadf -p", tool("sadf", &["-p", path, "--", "-A"], &[]), 0, Rule::Same);
    add("sadf -d -T", tool("sadf", &["-dT", path, "--", "-A"], &[]), 0, Rule::Same);
    add("sadf -j -t", tool("sadf", &["-jt", path, "--", "-A"], &[]), 0, Rule::Same);
    add("sadf -x", tool("sadf", &["-x", path, "--", "-u"], &[]), 0, Rule::Refused);
    add("sadf -g", tool("sadf", &["-g", path, "--", "-u"], &[]), 0, Rule::Refused);
    add("sadf -r", tool("sadf", &["-r", path, "--", "-u"], &[]), 0, Rule::Refused);
    // Zones in which midnight, or a change of the clock, is in the middle of the samples.
    let day = 86_400 * SECOND;
    let east = day - middle.rem_euclid(day);
    let clock = |ns: i64| format!("{:02}:{:02}:{:02}", ns / SECOND / 3600, ns / SECOND / 60 % 60, ns / SECOND % 60);
    let midnight = format!("AAA-{}", clock(east));
    add("sar -A over midnight", tool("sar", &sar, &[("TZ", &midnight)]), east, Rule::Same);
    // It is changed at noon of the zone, so that the hour that is skipped or repeated is of the same day at any time of the test.
    let east = 12 * 3600 * SECOND - (middle - middle.rem_euclid(SECOND)).rem_euclid(day);
    let local = middle + east;
    let zone = format!("AAA{}{}", if east > 0 { '-' } else { '+' }, clock(east.abs()));
    let of_year = 1 + (local.div_euclid(day) - year_begin(local)).min(364);
    let leap = i64::from(is_leap(local) && of_year > 59);
    let forward = format!("{zone}BBB,J{}/12:00:00,J365/23:59:59", of_year - leap);
    add("sar -A, the clock is set forward", tool("sar", &sar, &[("TZ", &forward)]), east, Rule::Ordered);
    let back = format!("{zone}BBB,J1/00:00:00,J{}/13:00:00", of_year - leap);
    add("sar -A, the clock is set back", tool("sar", &sar, &[("TZ", &back)]), east + 3600 * SECOND, Rule::Subset);
    forms
}

/// The day, since 1970, on which the year of a moment begins.
fn year_begin(wall_ns: i64) -> i64 {
    let date = pagetide_core::LocalClock::utc().iso(wall_ns);
    let first = pagetide_core::LocalClock::utc().parse(&format!("{}-01-01T00:00:00Z", &date[..4]), &[]).unwrap();
    first / (86_400 * SECOND)
}

fn is_leap(wall_ns: i64) -> bool {
    let year: i64 = pagetide_core::LocalClock::utc().iso(wall_ns)[..4].parse().unwrap();
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// What is stored for 1 of what is printed: a percent, a KiB, one a second.
pub(crate) fn printed_unit(metric: &str) -> f64 {
    match metric {
        _ if metric.contains("_avg")
            || ["commit_share", "memused_share", "swpused_share", "swpcad_share"].contains(&metric) =>
        {
            1e2
        }
        _ if metric.starts_with("psi_") => 1e10,
        _ if metric.ends_with("_share") || ["util", "vmeff"].contains(&metric) => 1e4,
        _ if metric.ends_with("sectors") => 2e6,
        _ => 1e6,
    }
}

/// How many printed columns a metric is the sum of (crates/store/src/import/columns/meaning.rs): each is rounded by itself.
fn summed_columns(metric: &str) -> f64 {
    match metric {
        "cpu_user_share" | "cpu_nice_share" | "SwapTotal" => 2.0,
        "cpu_system_share" => 3.0,
        _ => 1.0,
    }
}

/// Compares an import with the reference: how many values are equal, and what is wrong.
pub(crate) fn compared(reference: &Values, of: &Values, rule: Rule) -> (usize, Vec<String>) {
    let (mut equal, mut wrong) = (0, Vec::new());
    for (key, values) in of {
        let Some(expected) = reference.get(key) else {
            wrong.push(format!("{key:?} is not in sadf -j"));
            continue;
        };
        let in_order: Vec<i64> = expected.values().copied().collect();
        for (nth, (at, value)) in values.iter().enumerate() {
            let wanted = if rule == Rule::Ordered { in_order.get(nth) } else { expected.get(at) };
            // sadf -j prints sectors, and other forms KiB: each with two decimals, so two sectors are the same to 0.02.
            let rounded = if key.2.ends_with("sectors") { 20_000 } else { 0 };
            let near = |wanted: i64| match rule {
                Rule::Rounded(part) => {
                    let most = 0.51 * part * printed_unit(&key.2) * summed_columns(&key.2);
                    ((wanted - value) as f64).abs() <= wanted as f64 / 18.0 + most
                }
                _ => (wanted - value).unsigned_abs() <= rounded,
            };
            match wanted {
                Some(wanted) if near(*wanted) => equal += 1,
                _ => wrong.push(format!("{key:?} at {at}: {value}, sadf -j has {wanted:?}")),
            }
        }
    }
    (equal, wrong)
}

/// Makes the texts, imports them, and gives the table as Markdown and what is wrong.
pub(crate) fn matrix() -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sa");
    data(&file);
    let json = output(Command::new("sadf").arg("-j").arg(&file).args(["--", "-A"]));
    let reference = values(&read("sadf -j", json, 0).unwrap().recording);
    let all: usize = reference.values().map(BTreeMap::len).sum();
    assert!(all > 300, "{all}");
    let mut moments: Vec<i64> = reference.values().flat_map(|values| values.keys().copied()).collect();
    moments.sort_unstable();
    let middle = moments[moments.len() / 2];
    let mut wrong = Vec::new();
    let mut text = format!(
        "`sadf -j` gives {all} values of this data (8 samples, a comment, a restart).\n\n\
         | form | values | equal | wrong | of `sadf -j`'s missing |\n|---|---:|---:|---:|---:|\n"
    );
    for Form { name, mut command, offset, rule } in forms(&file, middle) {
        let printed = output(&mut command);
        let imported = read(&name, printed, offset);
        match imported {
            Err(error) if rule == Rule::Refused => {
                let _ = writeln!(text, "| {name} | | | | refused: {error} |");
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
            Ok(_) if rule == Rule::Refused => wrong.push(format!("{name} is not refused")),
            Ok(import) => {
                let values = values(&import.recording);
                let (equal, mut bad) = compared(&reference, &values, rule);
                let skipped = import.report.files[0].skipped_lines;
                if skipped > 0 && rule != Rule::Subset {
                    bad.push(format!("{skipped} lines not read: {:?}", import.report.files[0].skipped.first()));
                }
                if rule == Rule::Same && equal != all {
                    bad.push(format!("{} values of {all} are missing", all - equal));
                }
                let missing = all.saturating_sub(equal + bad.len());
                let _ = writeln!(text, "| {name} | {} | {equal} | {} | {missing} |", equal + bad.len(), bad.len());
                wrong.extend(bad.into_iter().take(5).map(|what| format!("{name}: {what}")));
            }
        }
    }
    for tool in tools() {
        let (row, bad) = tool.check();
        text.push_str(&row);
        wrong.extend(bad);
    }
    (text, wrong)
}

/// A tool that prints for itself: its rows, read by columns, against its import.
struct Tool {
    words: &'static [&'static str],
    table: Table,
    /// The column that names a row's entity, if any.
    key: Option<&'static str>,
    /// Column, metric, and what a printed number is multiplied by to be stored.
    columns: &'static [(&'static str, &'static str, f64)],
    /// Rows before the first interval, to be left out.
    since_boot: usize,
}

fn tools() -> [Tool; 4] {
    const RATE: f64 = 1e6;
    [
        Tool {
            words: &["iostat", "-dx", "1", "4"],
            table: Table::Disk,
            key: Some("Device"),
            columns: &[
                ("r/s", "reads", RATE),
                ("rkB/s", "read_sectors", 2.0 * RATE),
                ("w_await", "write_await_ms", RATE),
                ("dareq-sz", "discard_request_sectors", 2.0 * RATE),
                ("f/s", "flushes", RATE),
                ("%util", "util", RATE / 100.0),
            ],
            since_boot: 1,
        },
        Tool {
            words: &["vmstat", "1", "4"],
            table: Table::Host,
            key: None,
            columns: &[
                ("free", "MemFree", 1024.0),
                ("cs", "ctxt", RATE),
                ("bi", "pgpgin", RATE),
                ("us", "cpu_user_nice_share", RATE / 100.0),
            ],
            since_boot: 1,
        },
        Tool {
            words: &["mpstat", "-P", "ALL", "1", "3"],
            table: Table::Cpu,
            key: Some("CPU"),
            columns: &[("%iowait", "cpu_iowait_share", RATE / 100.0), ("%idle", "cpu_idle_share", RATE / 100.0)],
            since_boot: 0,
        },
        Tool {
            words: &["pidstat", "-d", "-p", "SELF", "1", "3"],
            table: Table::Process,
            key: Some("PID"),
            columns: &[("kB_rd/s", "read_bytes", 1024.0 * RATE), ("kB_wr/s", "write_bytes", 1024.0 * RATE)],
            since_boot: 0,
        },
    ]
}

impl Tool {
    fn check(&self) -> (String, Vec<String>) {
        let name = self.words.join(" ");
        let mut command = Command::new(self.words[0]);
        command.args(&self.words[1..]).env("LC_ALL", "C").env("TZ", "UTC").env("S_COLORS", "never");
        let text = output(&mut command);
        let import = match read(&name, text.clone(), 0) {
            Ok(import) => import,
            Err(error) => return (String::new(), vec![format!("{name}: {error}")]),
        };
        let imported = values(&import.recording);
        let mut wrong: Vec<String> = Vec::new();
        if import.report.files[0].skipped_lines > 0 {
            wrong.push(format!("{name}: {:?}", import.report.files[0].skipped));
        }
        let mut equal = 0;
        for (entity, nth, row) in self.rows(&String::from_utf8(text).unwrap()) {
            for (column, metric, factor) in self.columns {
                let Some(printed) = row.get(*column).and_then(|text| text.parse::<f64>().ok()) else { continue };
                let series = imported.iter().find(|((table, of, known), _)| {
                    *table == self.table && known == metric && of.split('@').next() == Some(&entity)
                });
                let stored = series.and_then(|(_, values)| values.values().nth(nth));
                match stored {
                    Some(stored) if (*stored as f64 - printed * factor).abs() < 1.0 + factor * 1e-6 => equal += 1,
                    _ => wrong.push(format!("{name}: {column} of {entity} row {nth}: {printed}, stored {stored:?}")),
                }
            }
        }
        if equal == 0 {
            wrong.push(format!("{name}: nothing was compared"));
        }
        (format!("| {name} | {} | {equal} | {} | |\n", equal + wrong.len(), wrong.len()), wrong)
    }

    /// The rows of the text: entity, how many of it came before, and words by column.
    fn rows<'t>(&self, text: &'t str) -> Vec<(String, usize, BTreeMap<&'t str, &'t str>)> {
        let mut header: Vec<&str> = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut rows = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with("Average")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if self.columns.iter().all(|(column, ..)| words.contains(column)) {
                header = words;
                continue;
            }
            if header.is_empty() || words.len() != header.len() {
                continue;
            }
            let row: BTreeMap<&str, &str> = header.iter().copied().zip(words).collect();
            let entity = self.key.map_or("", |key| row[key]).to_owned();
            if self.table == Table::Cpu && entity == "all" {
                continue;
            }
            let nth = seen.entry(entity.clone()).or_default();
            if *nth >= self.since_boot {
                rows.push((entity, *nth - self.since_boot, row));
            }
            *nth += 1;
        }
        rows
    }
}
