//! Any bytes in the place of the file in `pyramid/`: with the checksum of what was written it is not believed, and the buckets are
//! those of the samples; with its own checksum it is read or refused, and what is read can be drawn.

use crate::seed;
use pagetide_core::derived;
use pagetide_core::{Entity, Manifest, Sample, Schema, Sink, Stamp, Table};
use pagetide_store::{Buckets, Curve, Level, Reader, Writer};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const SECOND: i64 = 1_000_000_000;
const BEGIN: i64 = 1_795_219_200 * SECOND;

/// A recording of which one segment has a pyramid.
struct Template {
    folder: tempfile::TempDir,
    pyramid: PathBuf,
    content: Vec<u8>,
    buckets: Vec<Buckets>,
}

fn template() -> &'static Template {
    static TEMPLATE: OnceLock<Template> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let folder = seed::scratch();
        let mut writer = Writer::create(folder.path()).expect("a writer");
        let manifest = Manifest { schema_version: 1, host: "h".into(), ..Manifest::default() };
        writer.begin(&manifest).expect("begun");
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        let disks = ["vda", "vdb"].map(|name| {
            let entity = Entity::new(name, name);
            schema.push_entity(Table::Disk, entity)
        });
        let free = schema.column(Table::Host, "MemFree").0 as usize;
        let columns = ["reads", "read_ms"].map(|name| schema.column(Table::Disk, name).0 as usize);
        let mut sample = Sample::default();
        for at in 0..320i64 {
            sample.clear();
            let ns = at * SECOND;
            sample.stamp = Stamp { wall_ns: BEGIN + ns, mono_ns: ns, boot_ns: ns };
            sample.row(Table::Host, host, schema.columns(Table::Host).len())[free] = Some(1 << 20 | at << 10);
            for (disk, faster) in disks.into_iter().zip(1i64..) {
                let row = sample.row(Table::Disk, disk, schema.columns(Table::Disk).len());
                row[columns[0]] = Some(at * at * faster);
                row[columns[1]] = Some(at * faster);
            }
            writer.sample(&schema, &sample).expect("taken");
        }
        writer.finish(&manifest).expect("sealed");
        let pyramid = only_file(&folder.path().join("pyramid"));
        let content = std::fs::read(&pyramid).expect("a file");
        let buckets = Level::ALL.map(|level| buckets(folder.path(), level)).into();
        Template { folder, pyramid, content, buckets }
    })
}

fn only_file(folder: &Path) -> PathBuf {
    let entry = std::fs::read_dir(folder).expect("a folder").next().expect("an entry").expect("an entry").path();
    if entry.is_dir() { only_file(&entry) } else { entry }
}

fn buckets(folder: &Path, level: Level) -> Buckets {
    let recorded = |table, name| derived::recorded(table, name).expect("a recorded metric");
    let await_ = derived::ALL.iter().find(|metric| metric.name == "await").expect("a derived metric");
    let curves = [
        Curve { table: Table::Host, entity: String::new(), metric: recorded(Table::Host, "MemFree") },
        Curve { table: Table::Disk, entity: "vda".into(), metric: await_ },
        Curve { table: Table::Disk, entity: "vdb".into(), metric: await_ },
    ];
    let reader = Reader::open(folder).expect("a recording");
    reader.buckets(None, (i64::MIN, i64::MAX), level, &curves).expect("samples that are whole")
}

/// The file as it was written.
pub fn seeds() -> Vec<Vec<u8>> {
    let content = &template().content;
    // Its end is its table of contents, of which more is reached when the data before are few.
    let contents = content.len().saturating_sub(2048);
    vec![content.clone(), content[contents..].to_vec()]
}

/// Reads a recording whose pyramid has these bytes.
pub fn run(bytes: &[u8]) {
    let template = template();
    let folder = seed::scratch();
    copy(template.folder.path(), folder.path(), &template.pyramid);
    let place = folder.path().join(template.pyramid.strip_prefix(template.folder.path()).expect("it is below"));

    std::fs::write(&place, bytes).expect("written");
    let checksum = crc32fast::hash(bytes);
    // One level of an input, not all: they are read by the same code.
    let at = checksum as usize % Level::ALL.len();
    let after = buckets(folder.path(), Level::ALL[at]);
    assert_eq!(after.missing, usize::from(bytes != template.content));
    for (one, other) in template.buckets[at].curves.iter().flatten().zip(after.curves.iter().flatten()) {
        let near = (one.mean - other.mean).abs() <= 1e-6 * one.mean.abs();
        assert!(one.end_ns == other.end_ns && near, "{one:?} {other:?}");
    }

    let stem = place.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.rsplit_once('-'));
    let (segment, _) = stem.expect("a segment and a checksum");
    let own = place.with_file_name(format!("{segment}-{checksum:08x}.parquet"));
    std::fs::rename(&place, own).expect("renamed");
    for curve in buckets(folder.path(), Level::ALL[at]).curves {
        assert!(curve.is_sorted_by(|one, next| one.end_ns < next.end_ns));
        for bucket in curve {
            assert!(bucket.mean.is_finite() && bucket.min <= bucket.mean && bucket.mean <= bucket.max, "{bucket:?}");
        }
    }
}

/// Copies all files below `from` but one to `to`.
fn copy(from: &Path, to: &Path, except: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &copied, except);
        } else if path != except {
            std::fs::copy(path, copied).expect("copied");
        }
    }
}
