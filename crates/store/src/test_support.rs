//! Shared by the tests of this crate: recordings to write, and a file system that fails on demand.

use crate::files::{Files, Output, System};
use pagetide_core::{
    Column, Entity, EntityId, Error, Kind, Manifest, Mark, MarkKind, Recording, RecordingBuilder, Sample, Schema, Sink,
    Stamp, Table, Unit,
};
use pagetide_dir::Dir;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// When the recordings here begin, in ns since 1970: 40 s before midnight UTC.
pub(crate) const BEGIN: i64 = (1_795_305_600 - 40) * 1_000_000_000;

pub(crate) fn manifest() -> Manifest {
    Manifest {
        schema_version: crate::FORMAT_VERSION,
        host: "trial 1".into(),
        boot_id: "b".into(),
        ..Manifest::default()
    }
}

/// Something given to a sink.
#[derive(Debug, Clone)]
pub(crate) enum SinkCall {
    Sample(Schema, Sample),
    Mark(Mark),
}

/// Gives one thing to a sink.
pub(crate) fn give(sink: &mut dyn Sink, given: &SinkCall) -> Result<(), Error> {
    match given {
        SinkCall::Sample(schema, sample) => sink.sample(schema, sample),
        SinkCall::Mark(mark) => sink.mark(mark),
    }
}

/// The recording of these calls.
pub(crate) fn recording<'a>(manifest: &Manifest, given: impl IntoIterator<Item = &'a SinkCall>) -> Recording {
    let mut builder = RecordingBuilder::new(manifest.clone());
    for given in given {
        match given {
            SinkCall::Sample(schema, sample) => builder.sample(schema, sample),
            SinkCall::Mark(mark) => builder.mark(mark.clone()),
        }
    }
    builder.finish()
}

/// What happens in a generated recording before its next sample.
#[derive(Debug, Clone)]
enum Step {
    Column(Table),
    Entity(Table),
    Mark(String),
    Sample { pause: i64, jitter: [i64; 2], cells: Vec<Cell>, rows: Vec<(Table, u32)> },
}

#[derive(Debug, Clone, Copy)]
enum Cell {
    Same,
    Up(u16),
    Any(i64),
    Absent,
}

fn table() -> impl Strategy<Value = Table> {
    prop::sample::select(Table::ALL.as_slice())
}

fn step() -> impl Strategy<Value = Step> {
    let cell = prop_oneof![
        4 => Just(Cell::Same),
        4 => any::<u16>().prop_map(Cell::Up),
        1 => any::<i64>().prop_map(Cell::Any),
        1 => Just(Cell::Absent),
    ];
    let sample = (
        1i64..30_000_000_000,
        any::<[i16; 2]>().prop_map(|jitter| jitter.map(i64::from)),
        prop::collection::vec(cell, 1..20),
        prop::collection::vec((table(), 0u32..6), 0..10),
    );
    prop_oneof![
        2 => table().prop_map(Step::Column),
        1 => table().prop_map(Step::Entity),
        1 => ".{0,9}".prop_map(Step::Mark),
        4 => sample.prop_map(|(pause, jitter, cells, rows)| Step::Sample { pause, jitter, cells, rows }),
    ]
}

/// Recordings of every shape: columns and entities are added, entities come and go, values are missing, rise, stay and jump, and a new day
/// begins.
pub(crate) fn recordings(length: usize) -> impl Strategy<Value = Vec<SinkCall>> {
    prop::collection::vec(step(), 0..length).prop_map(|steps| build(&steps))
}

fn build(steps: &[Step]) -> Vec<SinkCall> {
    let mut schema = Schema::default();
    schema.push_entity(Table::Host, Entity::new("", "trial"));
    let mut last = std::collections::BTreeMap::<(Table, u32, usize), i64>::new();
    let mut stamp = Stamp { wall_ns: BEGIN, mono_ns: 5, boot_ns: 7 };
    let mut given = Vec::new();
    for step in steps {
        match step {
            Step::Column(table) => {
                let number = schema.columns(*table).len();
                let name = if number % 3 == 0 { format!("c{number}") } else { format!("C {number}(\u{e4})") };
                schema.push_column(*table, Column { name, kind: Kind::Counter, unit: Unit::Pages });
            }
            Step::Entity(Table::Host) => {}
            Step::Entity(table) => {
                let number = schema.entities(*table).len();
                schema.push_entity(*table, Entity::new(format!("e{number}"), format!("l{}", number % 2)));
            }
            Step::Mark(text) => {
                given.push(SinkCall::Mark(Mark { stamp, kind: MarkKind::Note { text: text.clone() } }));
            }
            Step::Sample { pause, jitter, cells, rows } => {
                stamp.boot_ns += pause;
                stamp.mono_ns += pause + jitter[0];
                stamp.wall_ns += pause + jitter[1];
                let mut sample = Sample::default();
                sample.stamp = stamp;
                let mut seen = std::collections::BTreeSet::new();
                for (table, number) in rows {
                    let (width, entities) = (schema.columns(*table).len(), schema.entities(*table).len());
                    if *number as usize >= entities || !seen.insert((*table, *number)) {
                        continue;
                    }
                    let row = sample.row(*table, EntityId(*number), width);
                    for (column, (value, cell)) in row.iter_mut().zip(cells.iter().cycle()).enumerate() {
                        let key = (*table, *number, column);
                        let before = last.get(&key).copied();
                        *value = match cell {
                            Cell::Same => before,
                            Cell::Up(step) => Some(before.unwrap_or(0).saturating_add(i64::from(*step))),
                            Cell::Any(value) => Some(*value),
                            Cell::Absent => None,
                        };
                        value.map(|value| last.insert(key, value));
                    }
                }
                given.push(SinkCall::Sample(schema.clone(), sample));
            }
        }
    }
    given
}

/// A short recording in which something changes with every sample; two segments when `days` is 2.
pub(crate) fn short(samples: i64, days: i64) -> Vec<SinkCall> {
    let mut schema = Schema::default();
    let host = schema.push_entity(Table::Host, Entity::new("", "trial"));
    let mut given = Vec::new();
    for at in 0..samples {
        let ns = at * 1_000_000_000 + (at * 2 / samples) * (days - 1) * 86_400_000_000_000;
        let stamp = Stamp { wall_ns: BEGIN - 3_600_000_000_000 + ns, mono_ns: ns, boot_ns: ns + 3 };
        schema.column(Table::Host, "MemFree");
        if at % 2 == 0 {
            schema.push_entity(Table::Process, Entity::new(format!("{at}@1"), "sh"));
            schema.column(Table::Process, "rss");
        }
        if at == 1 {
            schema.column(Table::Host, "late");
        }
        let mut sample = Sample::default();
        sample.stamp = stamp;
        let width = schema.columns(Table::Host).len();
        sample.row(Table::Host, host, width).fill(Some(at * at * 1000));
        sample.row(Table::Process, EntityId(u32::try_from(at / 2).unwrap()), 1)[0] = Some(-at);
        given.push(SinkCall::Sample(schema.clone(), sample));
        if at % 3 == 2 {
            given.push(SinkCall::Mark(Mark { stamp, kind: MarkKind::Note { text: format!("after {at}") } }));
        }
    }
    given
}

/// EIO, "input/output error" (`errno-base.h`).
const EIO: i32 = 5;

/// The calls of [`Files`] and [`Output`], by the names under which [`INJECTED`] counts them.
pub(crate) const CALLS: [&str; 9] = [
    "mkdir",
    "open",
    "write, half of it done",
    "fdatasync",
    "ftruncate",
    "rename",
    "unlink",
    "rmdir",
    "fsync of a folder",
];

/// How often each call has failed so far with ENOSPC and with EIO, in all tests of this process.
pub(crate) static INJECTED: Mutex<BTreeMap<&str, [usize; 2]>> = Mutex::new(BTreeMap::new());

/// A file system whose `n`-th change fails, and with `lasting` all later ones. A failed write leaves a part of its bytes.
#[derive(Debug)]
pub(crate) struct Failing {
    left: Arc<Countdown>,
}

#[derive(Debug)]
struct Countdown {
    left: AtomicUsize,
    failed: AtomicUsize,
    full: AtomicBool,
    lasting: bool,
}

impl Failing {
    pub(crate) fn at(change: usize, lasting: bool) -> Arc<Self> {
        Arc::new(Self {
            left: Arc::new(Countdown {
                left: AtomicUsize::new(change),
                failed: AtomicUsize::new(0),
                full: AtomicBool::new(false),
                lasting,
            }),
        })
    }

    /// A file system that does not fail. It is faster than the real one, as nothing waits for a device.
    pub(crate) fn never() -> Arc<Self> {
        Self::at(usize::MAX, false)
    }

    /// Whether anything failed so far.
    pub(crate) fn has_failed(&self) -> bool {
        self.left.failed.load(Ordering::SeqCst) > 0
    }

    /// Whether the disk was full.
    pub(crate) fn was_full(&self) -> bool {
        self.left.full.load(Ordering::SeqCst)
    }
}

impl Countdown {
    fn check(&self, call: &'static str) -> io::Result<()> {
        let before = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let fails = before == Ok(1) || (self.lasting && before == Err(0));
        if fails {
            self.failed.fetch_add(1, Ordering::SeqCst);
            let mut injected = INJECTED.lock().unwrap();
            let [full, broken] = injected.entry(call).or_default();
            // A full disk and a broken one in turn.
            return Err(if *full <= *broken {
                *full += 1;
                self.full.store(true, Ordering::SeqCst);
                io::ErrorKind::StorageFull.into()
            } else {
                *broken += 1;
                io::Error::from_raw_os_error(EIO)
            });
        }
        Ok(())
    }
}

impl Files for Failing {
    fn make_folder(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        self.left.check("mkdir")?;
        System.make_folder(dir, path)
    }

    fn create(&self, dir: &Dir, path: &Path) -> io::Result<Box<dyn Output>> {
        self.left.check("open")?;
        Ok(Box::new(FailingOutput { left: self.left.clone(), output: System.create(dir, path)? }))
    }

    fn rename(&self, dir: &Dir, from: &Path, to: &Path) -> io::Result<()> {
        self.left.check("rename")?;
        System.rename(dir, from, to)
    }

    fn remove(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        self.left.check("unlink")?;
        System.remove(dir, path)
    }

    fn remove_empty_folder(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        self.left.check("rmdir")?;
        System.remove_empty_folder(dir, path)
    }

    fn sync_folder(&self, dir: &Dir, path: &Path) -> io::Result<()> {
        // Later readers see what was written; only a power cut requires that the device has it.
        self.left.check("fsync of a folder")?;
        dir.names(path).map(|_| ())
    }
}

#[derive(Debug)]
struct FailingOutput {
    left: Arc<Countdown>,
    output: Box<dyn Output>,
}

impl Output for FailingOutput {
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if let Err(error) = self.left.check("write, half of it done") {
            self.output.write_at(&bytes[..bytes.len() / 2], offset)?;
            return Err(error);
        }
        self.output.write_at(bytes, offset)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.left.check("ftruncate")?;
        self.output.cut(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.left.check("fdatasync")
    }

    fn is_removed(&self) -> bool {
        self.output.is_removed()
    }
}

/// All files below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
