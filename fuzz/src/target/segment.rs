//! Any bytes in the place of one file of a recording, its manifest or a sealed file that has lost its checksum: the recording is
//! read or refused, and a writer can go on behind it.
//!
//! The first byte of an input says which file.

use crate::seed;
use pagetide_core::*;
use pagetide_store::{Keep, Reader, Writer};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file of a recording: its path within the folder, and its bytes.
type Content = (PathBuf, Vec<u8>);

/// The files of a small sealed recording, in order.
fn template() -> &'static [Content] {
    static TEMPLATE: OnceLock<Vec<Content>> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let folder = seed::scratch();
        let mut writer = Writer::create(folder.path()).expect("a writer");
        given(&mut writer);
        writer.finish(&Manifest { schema_version: 1, ..Manifest::default() }).expect("sealed");
        let mut files = Vec::new();
        collect(folder.path(), folder.path(), &mut files);
        files.sort();
        files
    })
}

/// The files below a folder; sealed ones under a name without a checksum.
fn collect(top: &Path, folder: &Path, files: &mut Vec<Content>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(top, &path, files);
        } else {
            let mut name = path.strip_prefix(top).expect("it is below").to_owned();
            if let Some((stem, _)) =
                path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.rsplit_once('-'))
            {
                name.set_file_name(format!("{stem}.parquet"));
            }
            files.push((name, std::fs::read(path).expect("a file")));
        }
    }
}

/// Gives a sink some samples of every table, with values that come, go, rise and jump, and a mark.
pub(super) fn given(sink: &mut dyn Sink) {
    let manifest = Manifest { schema_version: 1, host: "h".into(), boot_id: "b".into(), ..Manifest::default() };
    sink.begin(&manifest).expect("begun");
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    for at in 0..12i64 {
        sample.clear();
        sample.stamp =
            Stamp { wall_ns: 1_795_305_600_000_000_000 + at * 1_000_000_007, mono_ns: at, boot_ns: at * 1_000_000_000 };
        for table in Table::ALL {
            let entities: &[&str] = if table == Table::Host { &[""] } else { &["a", "b"] };
            for name in entities {
                let entity = schema
                    .find_entity(table, name)
                    .unwrap_or_else(|| schema.push_entity(table, Entity::new(*name, "l")));
                let columns = ["pgpgin", "sample", "odd name"].map(|name| schema.column(table, name).0 as usize);
                let row = sample.row(table, entity, schema.columns(table).len());
                row[columns[0]] = Some(at * 1000);
                row[columns[1]] = (at % 3 != 0).then_some(i64::MAX - at);
                row[columns[2]] = (at > 6).then_some(-at);
            }
        }
        sink.sample(&schema, &sample).expect("taken");
    }
    sink.mark(&Mark { stamp: sample.stamp, kind: MarkKind::Note { text: "n".into() } }).expect("taken");
}

/// Each file of the recording.
pub fn seeds() -> Vec<Vec<u8>> {
    let files = template();
    (0u8..).zip(files).map(|(number, (_, content))| [&[number], &content[..]].concat()).collect()
}

/// Reads a recording with the bytes as one of its files.
pub fn run(bytes: &[u8]) {
    let files = template();
    let (number, replacement) = bytes.split_first().unwrap_or((&0, &[]));
    let folder = seed::scratch();
    for (at, (name, content)) in files.iter().enumerate() {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let content = if at == usize::from(*number) % files.len() { replacement } else { content };
        std::fs::write(path, content).expect("a file");
    }
    let load = || Reader::open(folder.path()).and_then(|reader| reader.load(&Selection::default()));
    let Ok(before) = load() else { return };
    let Ok(mut writer) = Writer::open_or_continue(folder.path(), Keep::default()) else { return };
    writer.finish(&Manifest::default()).expect("finished");
    drop(writer);
    let after = load().expect("a recording");
    assert_eq!(before.stamps(), after.stamps());
}
