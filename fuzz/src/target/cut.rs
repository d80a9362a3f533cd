//! Any bytes as a file that was cut: it is opened or refused, and what is opened is read and can be cut again.

use super::segment::given;
use crate::seed;
use pagetide_core::{Selection, Source};
use pagetide_store::{Reader, Writer, cut};

/// Opens the bytes as a file.
pub fn run(bytes: &[u8]) {
    let folder = seed::scratch();
    let file = folder.path().join("any.pagetide");
    std::fs::write(&file, bytes).expect("written");
    let Ok(reader) = Reader::open(&file) else { return };
    let recording = reader.load(&Selection::default()).expect("what is opened is read");
    // What was read can be cut again, with and without names.
    let again = cut::write(&recording).expect("no larger than it was");
    assert!(!again.is_empty());
    cut::redact(&recording);
}

/// A cut of a small recording.
pub fn seeds() -> Vec<Vec<u8>> {
    let folder = seed::scratch();
    let mut writer = Writer::create(folder.path()).expect("a writer");
    given(&mut writer);
    drop(writer);
    let recording = Reader::open(folder.path()).and_then(|reader| reader.load(&Selection::default())).expect("read");
    vec![cut::write(&recording).expect("written"), cut::write(&cut::redact(&recording)).expect("written")]
}
