//! Any bytes as the log of an open segment, or any records as one: what is valid comes back, a writer can go on behind it, and what it
//! seals is the same.

use super::records;
use super::segment::given;
use crate::seed;
use pagetide_core::{Error, Manifest, Mark, MarkKind, Selection, Sink, Source};
use pagetide_store::{Keep, Reader, Writer};
use std::path::Path;

/// A log as it is, and the same as records.
pub fn seeds() -> Vec<Vec<u8>> {
    let folder = seed::scratch();
    let mut writer = Writer::create(folder.path()).expect("a writer");
    given(&mut writer);
    let open = std::fs::read_dir(folder.path().join("open")).expect("a folder").flatten().next().expect("a log");
    let log = std::fs::read(open.path()).expect("a log");
    records::inputs(&log).into()
}

/// Reads the bytes as a log.
pub fn run(bytes: &[u8]) {
    let folder = seed::scratch();
    std::fs::create_dir_all(folder.path().join("open")).expect("a folder");
    std::fs::write(folder.path().join("manifest.json"), r#"{"schema_version": 1}"#).expect("a manifest");
    std::fs::write(folder.path().join("open/20261121T000000Z-00000001.log"), records::log(bytes)).expect("a log");
    check(folder.path());
}

/// What can be read of a recording stays the same when a writer goes on behind it.
fn check(folder: &Path) {
    // Damage of an open log is a mark of the reader; of a sealed one it names the log that was set aside.
    let load = || {
        let reader = Reader::open(folder)?;
        let recording = reader.load(&Selection::default())?;
        let is_damage = |mark: &Mark| match &mark.kind {
            MarkKind::Note { text } => text.contains(" is damaged at ") || text.contains(" is left out: "),
            _ => false,
        };
        let marks: Vec<Mark> = recording.marks.iter().filter(|mark| !is_damage(mark)).cloned().collect();
        Ok::<_, Error>((recording.stamps().to_vec(), marks, !reader.damage().lines().is_empty()))
    };
    let Ok(before) = load() else { return };
    let Ok(mut writer) = Writer::open_or_continue(folder, Keep::default()) else { return };
    writer.finish(&Manifest::default()).expect("sealed");
    drop(writer);
    let after = load().expect("a sealed recording");
    assert_eq!((before.0, before.1), (after.0, after.1));
    // A record whose checksum is right and whose content is not, which no crash and no flipped bit leaves, is named only once sealed.
    assert!(after.2 || !before.2, "damage that was named before is named after sealing");
}
