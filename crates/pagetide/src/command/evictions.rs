//! `pagetide evictions`: who evicts whose page cache.

use super::Outcome;
use crate::live_trace::{self, Traced};
use crate::output;
use crate::reports;
use pagetide_core::{Bytes, Error, Nanos, Quantity, printable};
use pagetide_trace::{EvictionKey, File, Identity, Mechanism};
use pagetide_view::text::Style;
use pagetide_view::{Bar, Block, Cell, Legend, Measure, Page, Table, bars};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Show who evicts whose pages from the page cache, and how many of those are read again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide evictions                      this host, for 10 s
  pagetide evictions --for 60s --by group
  pagetide evictions rec                  a recording made with `pagetide record --trace`
  pagetide evictions rec --html evictions.html

Needs root for a live trace. docs/TRACE.md describes how it works, what it costs and what it cannot see.")]
pub(crate) struct Arguments {
    /// A recording made with --trace [default: trace this host now].
    #[arg(value_name = "REC")]
    recording: Option<PathBuf>,
    #[command(flatten)]
    live: live_trace::TraceArguments,
    /// Group rows by process name and file, by control group, by file, by device or by user.
    #[arg(long, value_enum, default_value = "process")]
    by: By,
    /// Also write the rows with a picture to one HTML file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    html: Option<PathBuf>,
    /// Show only the first N rows.
    #[arg(long, default_value_t = 20, value_name = "N")]
    top: usize,
}

/// What is one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Processes of one name in a control group, and the file whose pages they evict.
    Process,
    /// A control group, and the group whose pages it evicts.
    Group,
    /// A file.
    File,
    /// A block device.
    Device,
    /// A user, and the user whose processes used the pages.
    User,
}

/// One row.
#[derive(Debug, Clone, Serialize)]
struct Row {
    evictor: Option<Program>,
    mechanism: Option<&'static str>,
    user: Option<Program>,
    file: Option<String>,
    evicted_bytes: u64,
    read_again_bytes: u64,
    /// Time that the devices took to read that again, at their mean.
    waiting_ns: Option<u64>,
}

/// A program, or only its control group, or only its user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Program {
    group: Option<String>,
    comm: Option<String>,
    uid: Option<u32>,
}

impl Program {
    fn of(identity: Option<&Identity>) -> Option<Self> {
        identity.map(|who| Self { group: Some(who.group.clone()), comm: Some(who.comm.clone()), uid: None })
    }

    fn group_of(identity: Option<&Identity>) -> Option<Self> {
        identity.map(|who| Self { group: Some(who.group.clone()), comm: None, uid: None })
    }

    fn user_of(identity: Option<&Identity>) -> Option<Self> {
        identity.map(|who| Self { group: None, comm: None, uid: who.uid })
    }

    /// `postgresql.service/postgres`; in the root group only the program; of a user `uid 33`.
    fn text(&self) -> String {
        let Some(group) = &self.group else {
            return match self.uid {
                Some(0) => "root".to_owned(),
                Some(uid) => format!("uid {uid}"),
                None => "unknown user".to_owned(),
            };
        };
        let leaf = group.rsplit('/').next().unwrap_or_default();
        match (&self.comm, leaf) {
            (Some(comm), "") => comm.clone(),
            (Some(comm), leaf) => format!("{leaf}/{comm}"),
            (None, "") => "root group".to_owned(),
            (None, leaf) => leaf.to_owned(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let traced = live_trace::read_or_run(arguments.recording.as_deref(), &arguments.live)?;
    let rows = rows(&traced, arguments.by);
    if json {
        output::print_json(&document(&traced, &rows))?;
    } else {
        output::print(&text(&traced, &rows, arguments.top))?;
        traced.say_gaps();
    }
    // Last, so that a file that cannot be written does not cost the answer.
    if let Some(path) = &arguments.html {
        reports::write_page(&page(&traced, &rows, arguments.top), path)?;
    }
    Ok(Outcome::Done)
}

/// The key of a row of this kind: evictor, mechanism, user, file.
type Key = (Option<Program>, Option<&'static str>, Option<Program>, Option<String>);

fn key(traced: &Traced, eviction: &EvictionKey, by: By) -> Key {
    let EvictionKey { mechanism, evictor, file, user } = eviction;
    match by {
        By::Process => (
            Program::of(evictor.as_ref()),
            Some(mechanism_text(*mechanism)),
            Program::of(user.as_ref()),
            file.map(|file| traced.name(file)),
        ),
        By::Group => (Program::group_of(evictor.as_ref()), None, Program::group_of(user.as_ref()), None),
        By::File => (None, None, None, file.map(|file| traced.name(file))),
        By::User => (Program::user_of(evictor.as_ref()), None, Program::user_of(user.as_ref()), None),
        By::Device => (None, None, None, file.map(|file| device(traced, file))),
    }
}

/// The disk that a file lies on, else its device's number.
fn device(traced: &Traced, file: File) -> String {
    let number = live_trace::device_number(file);
    traced.disks.get(&number).cloned().unwrap_or_else(|| format!("device {number}"))
}

/// The rows, worst first: most read again, then most evicted.
fn rows(traced: &Traced, by: By) -> Vec<Row> {
    let mut sums: BTreeMap<Key, (f64, f64)> = BTreeMap::new();
    for (eviction, evicted) in &traced.summary.evictions {
        let sum = sums.entry(key(traced, eviction, by)).or_default();
        sum.0 += evicted.pages;
        sum.1 += evicted.read_again;
    }
    let mut rows: Vec<Row> = sums
        .into_iter()
        .map(|((evictor, mechanism, user, file), (pages, read_again))| {
            let read_again_bytes = traced.bytes(read_again).get();
            Row {
                evictor,
                mechanism,
                user,
                file,
                evicted_bytes: traced.bytes(pages).get(),
                read_again_bytes,
                waiting_ns: traced.waiting(read_again_bytes).map(Nanos::get),
            }
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.read_again_bytes, row.evicted_bytes)));
    rows
}

const fn mechanism_text(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Direct => "direct reclaim",
        Mechanism::Group => "group limit",
        Mechanism::Kswapd => "kswapd",
    }
}

/// The sum over all rows. A damaged recording may overflow it, so it saturates.
fn sum(rows: &[Row], of: impl Fn(&Row) -> u64) -> u64 {
    rows.iter().fold(0, |sum, row| sum.saturating_add(of(row)))
}

fn document(traced: &Traced, rows: &[Row]) -> serde_json::Value {
    let summary = &traced.summary;
    let program = |who: &Identity| json!({"group": who.group, "comm": who.comm});
    json!({
        "coverage": live_trace::coverage(traced),
        "evicted_bytes": sum(rows, |row| row.evicted_bytes),
        "read_again_bytes": sum(rows, |row| row.read_again_bytes),
        "removed_bytes": traced.bytes(summary.coverage.removed_pages as f64).get(),
        "evictions": rows,
        "reclaim": summary.reclaim.iter().map(|(who, work)| json!({
            "program": program(who),
            "direct_reclaim_calls": work.direct.calls, "direct_reclaim_ns": work.direct.time_ns,
            "group_reclaim_calls": work.group.calls, "group_reclaim_ns": work.group.time_ns,
            "kswapd_wakeups": work.kswapd_wakeups,
        })).collect::<Vec<_>>(),
        "throttled": summary.throttled.iter().map(|((who, device), throttled)| json!({
            "program": program(who), "device": traced.disk(device), "pauses": throttled.pauses, "throttled_ns": throttled.time_ns,
        })).collect::<Vec<_>>(),
    })
}

/// The rows as a page, with a picture of the worst.
fn page(traced: &Traced, rows: &[Row], top: usize) -> Page {
    let text = answer(traced, rows);
    let mut lines = text.lines();
    let outcome = lines.next().unwrap_or_default().to_owned();
    let mut blocks: Vec<Block> = lines.map(|line| Block::Paragraph(line.to_owned())).collect();
    if let Some(stretches) = traced.stretches_text() {
        blocks
            .push(Block::Paragraph(format!("The trace was on from {stretches}; nothing is known about other times.")));
    }
    if !rows.is_empty() {
        let drawn: Vec<Bar> = rows
            .iter()
            .take(top)
            .map(|row| Bar { name: row.name(), whole: row.evicted_bytes as f64, part: row.read_again_bytes as f64 })
            .collect();
        let legend = Legend {
            title: "Evicted pages: who evicted, and whose pages",
            whole: "evicted",
            part: "of that, read again",
            measure: Measure::Bytes,
        };
        blocks.push(Block::Picture { svg: bars(&drawn, &legend), words: legend.title.to_owned() });
        blocks.push(Block::Table(table(rows, top, false)));
        blocks.push(Block::Paragraph(
            "Waiting is the time that the devices took to read these pages again, at their mean read time.".to_owned(),
        ));
    }
    let [reclaim, throttled] = waiting_tables(traced);
    for (heading, table) in [("Time in reclaim", reclaim), ("Writers throttled in balance_dirty_pages", throttled)] {
        if let Some(table) = table {
            blocks.extend([Block::Heading(heading.to_owned()), Block::Table(table)]);
        }
    }
    Page { title: "Evictions from the page cache".to_owned(), outcome, blocks, ..Page::default() }
}

/// Characters of the longest bar.
const BAR: u64 = 16;

fn text(traced: &Traced, rows: &[Row], top: usize) -> String {
    let style = Style { colour: output::colour(), width: output::width() };
    let mut text = answer(traced, rows) + "\n";
    if !rows.is_empty() {
        text += &format!("\n{}", table(rows, top, true).to_text(style));
        if rows.len() > top {
            text += &format!("{} more rows: --top {}\n", rows.len() - top, rows.len());
        }
        text += "waiting: time the devices took to read it again, at their mean read time; bar: # read again, - not read again so far\n";
    }
    let [reclaim, throttled] = waiting_tables(traced);
    if let Some(table) = reclaim {
        text += &format!("\nTime in reclaim:\n{}", table.to_text(style));
    }
    if let Some(table) = throttled {
        text += &format!("\nWriters throttled in balance_dirty_pages:\n{}", table.to_text(style));
    }
    text
}

impl Row {
    /// Both sides in one line.
    fn name(&self) -> String {
        let who = |program: &Option<Program>| program.as_ref().map(Program::text);
        let own = self.evictor.is_some() && self.evictor == self.user;
        let user = if own { Some("its own pages,".to_owned()) } else { who(&self.user) };
        let whose = match (user, self.file.clone()) {
            (Some(user), Some(file)) => format!("{user} {file}"),
            (user, file) => user.or(file).unwrap_or_else(|| "others".to_owned()),
        };
        who(&self.evictor).map_or_else(|| whose.clone(), |evictor| format!("{evictor} evicts {whose}"))
    }
}

/// The rows as a table, with bars of letters if `drawn`. A column that is empty in all rows is left out.
fn table(rows: &[Row], top: usize, drawn: bool) -> Table {
    type Side = (&'static str, fn(&Row) -> Option<String>);
    let sides: [Side; 4] = [
        ("evicted for", |row| row.evictor.as_ref().map(Program::text)),
        ("by", |row| row.mechanism.map(str::to_owned)),
        ("whose", |row| row.user.as_ref().map(Program::text)),
        ("file or device", |row| row.file.clone()),
    ];
    let sides = sides.into_iter().filter(|(_, of)| rows.iter().any(|row| of(row).is_some()));
    let sides: Vec<Side> = sides.collect();
    let most = rows.iter().map(|row| row.evicted_bytes).max().unwrap_or(1).max(1);
    let mut table = Table::new().right("evicted").right("read again").right("waiting");
    if drawn {
        table = table.left("");
    }
    for (head, _) in &sides {
        table = table.left(head);
    }
    let part = |bytes: u64| bytes.saturating_mul(BAR) / most;
    for row in rows.iter().take(top) {
        let (whole, again) = (part(row.evicted_bytes), part(row.read_again_bytes.min(row.evicted_bytes)));
        let bar = |letter: &str, length: u64| letter.repeat(usize::try_from(length).unwrap_or(0));
        let mut cells = vec![
            Quantity::bytes(Bytes::new(row.evicted_bytes)).into(),
            Quantity::bytes(Bytes::new(row.read_again_bytes)).into(),
            row.waiting_ns.map_or_else(|| Cell::from("-"), |time| Quantity::nanos(Nanos::new(time)).into()),
        ];
        if drawn {
            cells.push(Cell::from(format!("{}{}", bar("#", again), bar("-", whole - again))));
        }
        cells.extend(sides.iter().map(|(_, of)| Cell::from(of(row).unwrap_or_else(|| "-".to_owned()))));
        table.row(cells);
    }
    table
}

/// The first line: the worst pair with its amounts.
fn answer(traced: &Traced, rows: &[Row]) -> String {
    let seconds = Nanos::new(traced.summary.coverage.time_ns);
    let Some(worst) = rows.first() else {
        return format!("No page of a file was evicted in {seconds}.");
    };
    let all = Bytes::new(sum(rows, |row| row.evicted_bytes));
    let again = Bytes::new(sum(rows, |row| row.read_again_bytes));
    let mut text = String::new();
    // What a program does to others comes first: a stream that evicts its own pages is nothing new.
    let others = rows.iter().find(|row| row.evictor != row.user && row.evicted_bytes >= worst.evicted_bytes / 10);
    let told = others.unwrap_or(worst);
    let amounts = format!(
        "{} of that read again{}",
        Bytes::new(told.read_again_bytes),
        told.waiting_ns
            .map_or_else(String::new, |time| format!(", for which tasks waited {} in total", Nanos::new(time)))
    );
    let evicted = Bytes::new(told.evicted_bytes);
    if let (Some(evictor), Some(user)) = (&told.evictor, &told.user) {
        let of = told.file.as_ref().map_or_else(String::new, |file| format!(" ({})", printable(file)));
        let whose = if evictor == user { "its own pages".to_owned() } else { printable(&user.text()).into_owned() };
        text = format!("{} evicted {evicted} of {whose}{of}, {amounts}.\n", printable(&evictor.text()));
    } else if let (None, Some(file)) = (&told.user, &told.file) {
        text = format!("Reclaim evicted {evicted} of {}, {amounts}.\n", printable(file));
    }
    text += &format!(
        "Total in {seconds}: {all} evicted, {again} of that read again (from 1/{} of the pages).",
        traced.summary.coverage.scale
    );
    text
}

/// Time that each program spent in reclaim or throttled, if any did.
fn waiting_tables(traced: &Traced) -> [Option<Table>; 2] {
    let summary = &traced.summary;
    // Added up by name and group: of one program, the user of some processes may not be known.
    let program = |who: &Identity| Program::of(Some(who)).map_or_else(String::new, |program| program.text());
    let reclaim = (!summary.reclaim.is_empty()).then(|| {
        let mut works: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for (who, work) in &summary.reclaim {
            let sums = works.entry(program(who)).or_default();
            let more = [work.direct.time_ns, work.group.time_ns, work.kswapd_wakeups];
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        let mut table =
            Table::new().right("direct reclaim").right("group reclaim").right("kswapd wakeups").left("program");
        let mut works: Vec<_> = works.into_iter().collect();
        works.sort_by_key(|(_, [direct, group, wakeups])| std::cmp::Reverse((direct.saturating_add(*group), *wakeups)));
        for (who, [direct, group, wakeups]) in works.into_iter().take(10) {
            table.row([
                Quantity::nanos(Nanos::new(direct)).into(),
                Quantity::nanos(Nanos::new(group)).into(),
                wakeups.to_string().into(),
                who.into(),
            ]);
        }
        table
    });
    let throttled = (!summary.throttled.is_empty()).then(|| {
        let mut table = Table::new().right("throttled").right("pauses").left("device").left("program");
        let mut pauses: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
        for ((who, device), throttled) in &summary.throttled {
            let sums = pauses.entry((program(who), traced.disk(device))).or_default();
            let more = [throttled.time_ns, throttled.pauses];
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        let mut pauses: Vec<_> = pauses.into_iter().collect();
        pauses.sort_by_key(|(_, [time, _])| std::cmp::Reverse(*time));
        for ((who, disk), [time, pauses]) in pauses.into_iter().take(10) {
            table.row([Quantity::nanos(Nanos::new(time)).into(), pauses.to_string().into(), disk.into(), who.into()]);
        }
        table
    });
    [reclaim, throttled]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live_trace::DeviceReads;
    use pagetide_trace::Evicted;

    fn traced() -> Traced {
        let who = |comm: &str, group: &str| {
            let uid = if comm == "tar" { 0 } else { 33 };
            Some(Identity { comm: comm.into(), group: group.into(), uid: Some(uid) })
        };
        let (tar, postgres) =
            (who("tar", "/system.slice/backup.service"), who("postgres", "/system.slice/postgresql.service"));
        let file = |ino| Some(File { dev: 254 << 20, ino });
        let mut traced = Traced::empty();
        let mut add = |mechanism, evictor: &Option<Identity>, user: &Option<Identity>, ino, pages, read_again| {
            let key = EvictionKey { mechanism, evictor: evictor.clone(), file: file(ino), user: user.clone() };
            traced.summary.evictions.insert(key, Evicted { pages, read_again });
        };
        add(Mechanism::Kswapd, &tar, &postgres, 1, 25_600.0, 12_800.0);
        add(Mechanism::Direct, &tar, &postgres, 1, 2_560.0, 0.0);
        add(Mechanism::Kswapd, &tar, &tar, 2, 51_200.0, 0.0);
        traced.names.insert(File { dev: 254 << 20, ino: 1 }, Some("/var/lib/postgresql/base/16384/2619".into()));
        traced.summary.coverage.scale = 64;
        traced.summary.coverage.time_ns = 10_000_000_000;
        // The devices read 100 MiB in 82 s of request time: 50 MiB cost half of it.
        traced.reads = DeviceReads { sectors: 204_800, time_ms: 82_000 };
        traced
    }

    #[test]
    fn the_first_line_is_who_evicted_how_much_of_whom() {
        let traced = traced();
        let text = answer(&traced, &rows(&traced, By::Process));
        assert_eq!(
            text,
            "backup.service/tar evicted 100 MiB of postgresql.service/postgres (/var/lib/postgresql/base/16384/2619), \
             50 MiB of that read again, for which tasks waited 41 s in total.\n\
             Total in 10 s: 310 MiB evicted, 50 MiB of that read again (from 1/64 of the pages)."
        );
    }

    #[test]
    fn a_program_has_one_row_of_waits_whether_its_user_is_known_or_not() {
        let mut traced = traced();
        for (uid, time_ns) in [(None, 1_000_000), (Some(0), 2_000_000)] {
            let who = Identity { comm: "cat".into(), group: "/audit".into(), uid };
            traced.summary.reclaim.entry(who).or_default().direct.time_ns = time_ns;
        }
        let [reclaim, _] = waiting_tables(&traced);
        let text = reclaim.unwrap().to_text(Style { colour: false, width: 80 });
        assert!(text.contains("3 ms") && text.matches("audit/cat").count() == 1, "{text}");
    }

    #[test]
    fn rows_are_added_up_by_the_requested_key() {
        let traced = traced();
        let sums = |by| rows(&traced, by).iter().map(|row| row.evicted_bytes >> 20).collect::<Vec<_>>();
        assert_eq!(sums(By::Process), [100, 200, 10]);
        assert_eq!(sums(By::Group), [110, 200]);
        assert_eq!(sums(By::File), [110, 200]);
        assert_eq!(sums(By::Device), [310]);
        assert_eq!(sums(By::User), [110, 200]);
        assert_eq!(rows(&traced, By::User)[0].name(), "root evicts uid 33");
        assert_eq!(rows(&traced, By::File)[1].file.as_deref(), Some("inode 2 on 254:0"));
        assert_eq!(rows(&traced, By::Device)[0].file.as_deref(), Some("device 254:0"));
    }

    #[test]
    fn a_device_has_the_name_of_its_disk_where_it_is_known() {
        let mut traced = traced();
        traced.disks.insert("254:0".into(), "vda".into());
        assert_eq!(rows(&traced, By::Device)[0].file.as_deref(), Some("vda"));
        assert_eq!(rows(&traced, By::File)[1].file.as_deref(), Some("inode 2 on vda"));
    }
}
