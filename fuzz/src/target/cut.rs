//! Any bytes or any records as a file that was cut: it is opened or refused, and what is opened is read and can be cut again. The diagnosis
//! that it holds is of bounded length, and no redacted cut has it.

use super::records;
use super::segment::given;
use crate::seed;
use pagetide_core::{CutDiagnosis, Diagnosis, Selection, Source};
use pagetide_store::{Reader, Writer, cut};

/// Opens the bytes as a file.
pub fn run(bytes: &[u8]) {
    let folder = seed::scratch();
    let file = folder.path().join("any.pagetide");
    std::fs::write(&file, records::log(bytes)).expect("written");
    let Ok(reader) = Reader::open(&file) else { return };
    let recording = reader.load(&Selection::default()).expect("what is opened is read");
    // What was read can be cut again, with and without names.
    let again = cut::write(&recording).expect("no larger than it was");
    assert!(!again.is_empty());
    assert!(cut::redact(&recording).recording.manifest.cut_diagnosis.is_none());
    let Some(said) = &recording.manifest.cut_diagnosis else { return };
    let texts = || said.chain().iter().chain(said.findings()).map(String::as_str).chain([said.summary()]);
    assert!(texts().count() < 200 && texts().all(|text| text.len() <= 4096));
}

/// A cut of a small recording.
pub fn seeds() -> Vec<Vec<u8>> {
    let folder = seed::scratch();
    let mut writer = Writer::create(folder.path()).expect("a writer");
    given(&mut writer);
    drop(writer);
    let mut recording =
        Reader::open(folder.path()).and_then(|reader| reader.load(&Selection::default())).expect("read");
    let diagnosis = Diagnosis { summary: "dd reads 112 MiB/s from vdb.".to_owned(), ..Diagnosis::default() };
    recording.manifest.cut_diagnosis = Some(CutDiagnosis::new(&diagnosis, "0.1.0"));
    let cuts = [cut::write(&recording), cut::write(&cut::redact(&recording).recording)];
    cuts.into_iter().flat_map(|cut| records::inputs(&cut.expect("written"))).collect()
}
