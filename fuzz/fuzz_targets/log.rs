//! Any bytes as the log of an open segment: what is valid comes back, and a writer can go on behind it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagetide_core::{Manifest, Selection, Sink, Source};
use pagetide_store::{Keep, Reader, Writer};

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir_all(folder.path().join("open")).expect("a folder");
    std::fs::write(folder.path().join("manifest.json"), r#"{"schema_version": 1}"#).expect("a manifest");
    std::fs::write(folder.path().join("open/20261121T000000Z-00000001.log"), bytes).expect("a log");
    let load = || Reader::open(folder.path()).and_then(|reader| reader.load(&Selection::default()));
    let Ok(before) = load() else { return };
    let Ok(mut writer) = Writer::open_or_continue(folder.path(), Keep::default()) else { return };
    writer.finish(&Manifest::default()).expect("sealed");
    let after = load().expect("a sealed recording");
    assert_eq!((before.stamps(), &before.marks), (after.stamps(), &after.marks));
});
