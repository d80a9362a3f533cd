//! Any bytes as a log of one of the kinds that are imported: they are read or refused, what was read can be replayed, and what
//! could not be read is listed within the file.

use crate::seed;
use pagetide_core::{Error, Manifest, Mark, Recording, RecordingBuilder, Sample, Schema, Sink};
use pagetide_store::import::{Input, Options, import, replay};

/// Logs of every kind.
pub fn seeds() -> Vec<Vec<u8>> {
    seed::files("fixtures/import", &[".txt", ".log", ".json"])
}

/// Reads the bytes as a log.
pub fn run(bytes: &[u8]) {
    let Ok(import) = import(&[Input::bytes("log", bytes)], &Options::default()) else { return };
    assert_eq!(replayed(&import.recording), import.recording);
    let file = &import.report.files[0];
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').count() as u64;
    let listed: u64 = file.skipped.iter().map(|skipped| skipped.to_line - skipped.from_line + 1).sum();
    assert!(file.skipped_lines <= lines.max(1) && listed <= file.skipped_lines, "{lines} lines: {file:?}");
    assert!(listed == file.skipped_lines || file.skipped.len() == 1000, "only long lists are cut: {file:?}");
    for skipped in &file.skipped {
        assert!(skipped.from_line >= 1 && skipped.to_line <= lines + 1, "{skipped:?} of {lines} lines");
    }
}

/// The recording that comes out when this one is replayed.
pub fn replayed(recording: &Recording) -> Recording {
    let mut collect = Collect(RecordingBuilder::default());
    replay(recording, &mut collect).expect("this sink refuses nothing");
    collect.0.finish()
}

/// A sink that makes a recording.
struct Collect(RecordingBuilder);

impl Sink for Collect {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.0 = RecordingBuilder::new(manifest.clone());
        Ok(())
    }
    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        self.0.sample(schema, sample);
        Ok(())
    }
    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.0.mark(mark.clone());
        Ok(())
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}
