//! The page of `pagetide serve`: its pure parts in node, and every view in a browser on a running server.
//!
//! The tests themselves are TypeScript in `web/test`. This program makes what they look at, starts the server and node.

use pagetide_core::{
    Entity, EntityId, Manifest, Mark, MarkKind, Nanos, Quantity, Sample, Schema, Selection, Sink, Source, Stamp, Table,
    Unit,
};
use pagetide_store::{Reader, Writer, cut};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const SECOND: i64 = 1_000_000_000;
/// 2026-10-01 00:00 UTC.
const BEGIN: i64 = 1_790_812_800 * SECOND;
const GIB: u64 = 1 << 30;
/// A command of HTML, a command of terminals and a character that reverses text.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\x1b[2J\u{202e}";
const GROUPS: u32 = 10_000;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Node in the page's folder.
fn node(arguments: &[&str]) -> Command {
    let web = top().join("web");
    assert!(web.join("node_modules/.package-lock.json").exists(), "the page's modules are missing: run `make web`");
    let mut command = Command::new("node");
    command.args(arguments).current_dir(web);
    command
}

fn passes(mut command: Command) {
    let output = command.output().expect("no node on this machine: apt-get install -y nodejs npm");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

/// Amounts as core writes them, one a line, for the page's own rules to be compared with.
fn amounts() -> String {
    let units = [Unit::Bytes, Unit::BytesPerSecond, Unit::Nanos, Unit::Ratio, Unit::PerSecond, Unit::Count];
    let values = [0.0, 0.004, 0.25, 0.5, 1.0, 1.5, 9.996, 12.34, 99.5, 100.0, 640.0, 1023.0, 1024.0, 1536.0];
    let large = [12_345.0, 999_999.0, 1_048_576.0, 5_000_000.0, 1.5e9, 7.25e12];
    let mut text = String::from("[");
    for unit in units {
        // A share is at most the whole.
        for value in values.into_iter().chain(large).filter(|value| unit != Unit::Ratio || *value <= 1.0) {
            let separator = if text.len() == 1 { "\n" } else { ",\n" };
            let case = serde_json::json!({
                "value": value, "unit": unit, "text": Quantity::new(value, unit).to_string(),
            });
            let _ = write!(text, "{separator}  {case}");
        }
    }
    text + "\n]\n"
}

#[test]
fn the_page_writes_amounts_as_the_commands_do() {
    let path = top().join("web/test/quantities.json");
    let expected = amounts();
    if std::fs::read_to_string(&path).unwrap_or_default() != expected {
        assert!(
            std::env::var_os("UPDATE_DOCS").is_some(),
            "web/test/quantities.json is not what core writes; UPDATE_DOCS=1 cargo test -p pagetide --test page fixes it"
        );
        std::fs::write(&path, expected).unwrap();
    }
}

/// The files below a folder by their path in it, unpacked.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let (folders, mut all): (Vec<PathBuf>, Vec<PathBuf>) = entries(folder).into_iter().partition(|path| path.is_dir());
    all.extend(folders.iter().flat_map(|folder| entries(folder)));
    all.into_iter()
        .map(|path| {
            // Versions of node pack to other bytes.
            let content = if path.extension().is_some_and(|extension| extension == "gz") {
                let output = Command::new("gzip").arg("-dc").arg(&path).output().unwrap();
                assert!(output.status.success(), "{}", path.display());
                output.stdout
            } else {
                std::fs::read(&path).unwrap()
            };
            (path.strip_prefix(folder).unwrap().to_owned(), content)
        })
        .collect()
}

#[test]
fn the_embedded_page_is_what_its_sources_give() {
    let scratch = tempfile::tempdir().unwrap();
    let built = scratch.path().join("page");
    passes(node(&["build.mjs", built.to_str().unwrap()]));
    let (built, kept) = (files(&built), files(&top().join("crates/serve/page")));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&kept), names(&built), "`make web` builds crates/serve/page anew");
    for (name, content) in &kept {
        assert!(*content == built[name], "{}: `make web` builds crates/serve/page anew", name.display());
    }
}

#[test]
fn the_pure_parts_of_the_page_hold() {
    passes(node(&["test/run.mjs", "unit"]));
}

#[test]
fn the_types_of_the_page_hold() {
    passes(node(&["node_modules/typescript/bin/tsc", "--noEmit"]));
}

/// A month with a sample a minute.
fn month(folder: &Path) {
    let manifest = Manifest { interval: Nanos::new(60 * 1_000_000_000), ..manifest("db2") };
    let mut writer = Writer::create(folder).unwrap();
    writer.begin(&manifest).unwrap();
    let mut schema = Schema::default();
    schema.push_entity(Table::Host, Entity::new("", "db2"));
    schema.push_entity(Table::Disk, Entity::new("vda", "vda"));
    schema.push_entity(Table::Process, Entity::new("1@1", "init[1]"));
    for column in ["MemTotal", "MemFree", "MemAvailable", "Cached", "Buffers", "AnonPages", "Dirty", "pgmajfault"] {
        schema.column(Table::Host, column);
    }
    for column in ["reads", "read_sectors", "writes", "write_sectors"] {
        schema.column(Table::Disk, column);
    }
    schema.column(Table::Process, "rss");
    let (mut faults, mut sectors) = (0, 0);
    for minute in 0..30 * 24 * 60_u64 {
        // More in the day than in the night, and a spike each Monday.
        let busy = 1 + (minute / 60 % 24) / 4 + u64::from(minute / (24 * 60) % 7 == 4) * 20;
        (faults, sectors) = (faults + busy * 60, sectors + busy * 60 * 800);
        let anonymous = GIB + busy * (40 << 20);
        let mut sample = sample(i64::try_from(minute).unwrap() * 60 * SECOND);
        let values = [4 * GIB, GIB / 2, 2 * GIB, 7 * GIB / 2 - anonymous, 0, anonymous, busy << 20, faults];
        fill(&mut sample, Table::Host, 0, &values);
        fill(&mut sample, Table::Disk, 0, &[sectors / 8, sectors, sectors / 16, sectors / 2]);
        fill(&mut sample, Table::Process, 0, &[100]);
        writer.sample(&schema, &sample).unwrap();
    }
    writer.finish(&manifest).unwrap();
}

/// Names that other users choose, in every place that has one, and 10 000 control groups.
fn hostile(folder: &Path) {
    let manifest = manifest(HOSTILE);
    let mut writer = Writer::create(folder).unwrap();
    writer.begin(&manifest).unwrap();
    let mut schema = Schema::default();
    schema.push_entity(Table::Host, Entity::new("", HOSTILE));
    let tables =
        [(Table::Process, "rss"), (Table::Cgroup, "current"), (Table::Disk, "reads"), (Table::Zone, "managed")];
    for (table, column) in tables {
        schema.push_entity(table, Entity::new(format!("{HOSTILE}@1"), format!("{HOSTILE}[1]")));
        schema.column(table, column);
    }
    for group in 0..GROUPS {
        let name = format!("/{HOSTILE}/{group}");
        schema.push_entity(Table::Cgroup, Entity::new(name.clone(), name));
    }
    for column in ["MemTotal", "MemFree", "Cached", "AnonPages"] {
        schema.column(Table::Host, column);
    }
    for second in 0..4 {
        let mut sample = sample(second * SECOND);
        fill(&mut sample, Table::Host, 0, &[4 * GIB, GIB, GIB, GIB]);
        let value = u64::try_from(second + 1).unwrap() * 4096;
        for (table, _) in tables {
            fill(&mut sample, table, 0, &[value]);
        }
        for group in 1..=GROUPS {
            fill(&mut sample, Table::Cgroup, group, &[value]);
        }
        writer.sample(&schema, &sample).unwrap();
        writer.mark(&Mark { stamp: sample.stamp, kind: MarkKind::Note { text: HOSTILE.into() } }).unwrap();
    }
    writer.finish(&manifest).unwrap();
}

fn manifest(host: &str) -> Manifest {
    Manifest {
        host: host.into(),
        kernel: "6.1.0".into(),
        cpus: 2,
        interval: Nanos::new(1_000_000_000),
        ..Manifest::default()
    }
}

fn sample(after: i64) -> Sample {
    let mut sample = Sample::default();
    sample.stamp = Stamp { wall_ns: BEGIN + after, mono_ns: SECOND + after, boot_ns: SECOND + after };
    sample
}

fn fill(sample: &mut Sample, table: Table, entity: u32, values: &[u64]) {
    let row = sample.row(table, EntityId(entity), values.len());
    row.iter_mut().zip(values).for_each(|(cell, value)| *cell = Some(i64::try_from(*value).unwrap()));
}

/// A file of `pagetide cut` that says another thing of itself than its numbers do.
fn told(file: &Path) {
    let real = top().join("fixtures/real/tar-mglru/recording");
    let mut recording = Reader::open(&real).unwrap().load(&Selection::default()).unwrap();
    let said = format!("Nothing is wrong. {HOSTILE}");
    let said = serde_json::json!({"tool_version": "9.9", "verdict": "healthy", "summary": said});
    recording.manifest.cut_diagnosis = serde_json::from_value(said).unwrap();
    std::fs::write(file, cut::write(&recording).unwrap()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The program under test.
fn pagetide() -> Command {
    Command::new(std::env::var_os("PAGETIDE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_pagetide").into()))
}

/// What `pagetide import` makes of a text of sar, whose zone is known by its offset alone.
fn imported(folder: &Path) {
    let text = top().join("fixtures/import/sysstat-12.6.1/sar.en_US.txt");
    let mut command = pagetide();
    command.arg("import").arg(text).arg("-o").arg(folder).args(["--utc-offset", "+02:00"]);
    passes(command);
}

/// A running server, ended when it is dropped.
struct Server(Child, String);

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child =
            pagetide().arg("serve").arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.by_ref().find_map(|line| {
            let line = line.unwrap();
            Some(line[line.find("http://")?..].trim().to_owned())
        });
        // Later lines must find a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child, address.expect("serve printed no address"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn every_view_works_in_a_browser() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    copy(&top().join("fixtures/corpus/stream-floods-cache-1/recording"), &folder.join("flood"));
    copy(&top().join("fixtures/real/tar-mglru/recording"), &folder.join("tar"));
    told(&folder.join("told.pagetide"));
    month(&folder.join("month"));
    imported(&folder.join("sar"));
    hostile(&folder.join("hostile"));
    std::fs::create_dir(folder.join("broken")).unwrap();
    std::fs::write(folder.join("broken/manifest.json"), "{").unwrap();
    for run in ["sleep", "sleep-again"] {
        copy(&top().join("fixtures/run/sleep"), &folder.join("runs").join(run));
    }
    let server = Server::start(folder);
    let mut command = node(&["test/run.mjs", "browser"]);
    command.env("PAGETIDE_URL", &server.1);
    passes(command);
}
