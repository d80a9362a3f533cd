//! A recording in one file: what `pagetide cut` writes and every reader opens.
//!
//! It has the format of an open segment's log: uncompressed records, each with its length and checksum. Opening one reads only numbers and
//! names: no text in it is used as a path, and a page is rebuilt from the numbers.

mod redact;

use crate::budget::Budget;
use crate::layout::Folder;
use crate::log::{Encoder, Event, LogError, LogReader, Start, header};
use crate::{FORMAT_VERSION, import};
use pagetide_core::{CutContent, Error, Manifest, Mark, Recording, Sample, Schema, Sink};
use std::io::{self, BufReader};
use std::path::Path;

pub use redact::{REMAINS, Redacted, redact};

/// How the name of a cut ends: by it, cuts are found in a folder.
pub const SUFFIX: &str = ".pagetide";

/// Bytes in a cut, at most.
const MAX_CUT_BYTES: u64 = 256 << 20;
/// Samples and marks in a cut, at most.
const MOST_EVENTS: u64 = 1 << 20;
/// Values in a cut, at most. Bytes do not bound them: a few bytes can repeat a row of many values.
const MOST_VALUES: u64 = 1 << 27;

/// Writes a recording as one file. Samples and entities are numbered anew; reading it back gives the same values.
///
/// # Errors
///
/// The file would be larger than readers open.
pub fn write(recording: &Recording) -> Result<Vec<u8>, Error> {
    let mut file = CutFile::default();
    let cut = CutContent {
        samples: recording.stamps().len() as u64,
        marks: recording.marks.len() as u64,
        ..recording.manifest.cut.unwrap_or_default()
    };
    file.cut = Some(cut);
    import::replay(recording, &mut file)?;
    Ok(file.bytes)
}

/// The log while it is written.
#[derive(Debug)]
struct CutFile {
    bytes: Vec<u8>,
    encoder: Encoder,
    count: Count,
    /// Counts of what the file will hold.
    cut: Option<CutContent>,
}

impl Default for CutFile {
    fn default() -> Self {
        Self { bytes: header().to_vec(), encoder: Encoder::new(), count: Count::default(), cut: None }
    }
}

/// What a file has.
#[derive(Debug, Default)]
struct Count {
    events: u64,
    samples: u64,
    values: u64,
}

impl Count {
    fn sample(&mut self, sample: &Sample) -> bool {
        let values = sample.tables().flat_map(|rows| rows.rows()).map(|(_, values)| values.len() as u64).sum::<u64>();
        self.values += values;
        self.samples += 1;
        self.values <= MOST_VALUES && self.event()
    }

    fn event(&mut self) -> bool {
        self.events += 1;
        self.events <= MOST_EVENTS
    }
}

fn too_large() -> Error {
    Error::input("the range is too large for one file", "cut a shorter one with --from and --to")
}

impl CutFile {
    fn bounded(&self, fits: bool) -> Result<(), Error> {
        if fits && self.bytes.len() as u64 <= MAX_CUT_BYTES { Ok(()) } else { Err(too_large()) }
    }
}

impl Sink for CutFile {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        let manifest = Manifest { schema_version: FORMAT_VERSION, cut: self.cut, ..manifest.clone() };
        // The bytes are the file from its begin, which is what offsets count from.
        Encoder::start(&mut self.bytes, 0, &Start { first_sample: 0, manifest });
        Ok(())
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        let fits = self.encoder.sample(&mut self.bytes, 0, schema, sample) && self.count.sample(sample);
        self.bounded(fits)
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        Encoder::mark(&mut self.bytes, 0, mark);
        let fits = self.count.event();
        self.bounded(fits)
    }

    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

/// Why a file is not opened.
#[derive(Debug)]
pub(crate) enum Refused {
    Io(io::Error),
    NotACut,
    /// Why its manifest cannot be read.
    Manifest(String),
    Newer(u32),
    TooLarge,
    /// It is cut short before its first sample.
    Empty,
}

impl Refused {
    /// The error, with the file that it is about.
    pub(crate) fn at(self, path: &Path) -> Error {
        match self {
            Self::Io(error) => crate::file_error::reading("read it", path, &error),
            Self::NotACut => Error::input(
                format!("{}: not a recording: it does not start like a file written by `pagetide cut`", path.display()),
                "name the folder of a recording or run; to read another tool's log: `pagetide import FILE -o DIR`",
            ),
            Self::Manifest(why) => Error::input(
                format!("{}: its manifest cannot be read: {why}", path.display()),
                "a newer pagetide may read it; else ask for the file again",
            ),
            Self::Newer(version) => crate::file_error::newer(path, version),
            Self::TooLarge => Error::input(
                format!("{}: has more samples or values than `pagetide cut` writes", path.display()),
                "ask for a shorter cut",
            ),
            Self::Empty => Error::input(
                format!("{}: cut short before its first sample", path.display()),
                "copy the file again: its end is missing",
            ),
        }
    }
}

/// Reads the whole file once, and refuses one that [`write`] could not have written. Every record has a checksum, and the manifest has their
/// number: if the file is incomplete, this returns a sentence about what is missing.
pub(crate) fn check(folder: &Folder) -> Result<Option<String>, Refused> {
    let logs = folder.logs().map_err(Refused::Io)?;
    let name = logs.first().ok_or(Refused::NotACut)?;
    let file = folder.open_log(name).map_err(Refused::Io)?;
    let size = file.metadata().map_err(Refused::Io)?.len();
    let mut log = LogReader::open(BufReader::new(file), &Budget::default()).map_err(|error| match error {
        LogError::Io(error) => Refused::Io(error),
        LogError::NotALog => Refused::NotACut,
        LogError::Manifest(why) => Refused::Manifest(why),
        LogError::Newer(version) => Refused::Newer(version),
    })?;
    let mut count = Count::default();
    while let Some(event) = log.next().map_err(Refused::Io)? {
        let fits = match event {
            Event::Sample => count.sample(log.sample()),
            Event::Mark(_) => count.event(),
        };
        if !fits {
            return Err(Refused::TooLarge);
        }
    }
    let promised = log.start().manifest.cut;
    let marks = count.events - count.samples;
    let whole = log.valid() == size && promised.is_none_or(|cut| (cut.samples, cut.marks) == (count.samples, marks));
    if whole {
        return Ok(None);
    }
    if count.samples == 0 {
        return Err(Refused::Empty);
    }
    Ok(Some(match promised {
        Some(cut) if cut.samples < count.samples => {
            format!("changed or damaged: it has {} samples, and its beginning says {}", count.samples, cut.samples)
        }
        Some(cut) if cut.samples > count.samples => {
            format!("cut short or damaged: {} of {} samples can be read", count.samples, cut.samples)
        }
        Some(cut) if cut.marks > marks => format!("cut short or damaged: {marks} of {} marks can be read", cut.marks),
        Some(cut) => format!("changed or damaged: it has {marks} marks, and its beginning says {}", cut.marks),
        None => {
            format!("cut short or damaged: {} samples can be read, and the last record is not whole", count.samples)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;
    use crate::test_support::{manifest, recording, recordings, short};
    use pagetide_core::{Entity, MarkKind, Selection, Source, Table};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn opened(bytes: &[u8]) -> Result<Recording, Error> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("incident.pagetide");
        std::fs::write(&path, bytes).unwrap();
        Reader::open(&path)?.load(&Selection::default())
    }

    /// The damage that a reader reports; `None` when it refuses the file.
    fn reported_damage(bytes: &[u8]) -> Option<Vec<String>> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("incident.pagetide");
        std::fs::write(&path, bytes).unwrap();
        Some(Reader::open(&path).ok()?.damage().lines())
    }

    /// A file cut at any length or with any byte changed is refused, or reported as incomplete.
    #[test]
    fn a_file_that_is_not_whole_is_refused_or_told() {
        let bytes = write(&recording(&manifest(), &short(4, 1))).unwrap();
        assert_eq!(reported_damage(&bytes), Some(Vec::new()));
        for length in 0..bytes.len() {
            assert_ne!(reported_damage(&bytes[..length]), Some(Vec::new()), "{length} of {} bytes", bytes.len());
        }
        let short = reported_damage(&bytes[..bytes.len() - 1]).unwrap();
        assert!(short[0].starts_with("cut short or damaged: "), "{short:?}");
        for at in header().len()..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            assert_ne!(reported_damage(&changed), Some(Vec::new()), "byte {at} of {}", bytes.len());
        }
        let first = opened(&bytes[..bytes.len() / 3]).unwrap_err();
        assert!(first.to_string().contains("recording") || first.to_string().contains("cut short"), "{first}");
    }

    #[test]
    fn a_file_of_before_is_whole_without_a_count_and_told_without_its_last_byte() {
        let mut file = CutFile::default();
        let given = recording(&manifest(), &short(2, 1));
        import::replay(&given, &mut file).unwrap();
        assert_eq!(reported_damage(&file.bytes), Some(Vec::new()));
        let short = reported_damage(&file.bytes[..file.bytes.len() - 1]).unwrap();
        assert!(short[0].starts_with("cut short or damaged: 1 samples can be read"), "{short:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        /// The file has the same numbers as the recording, and any part of it the same as that part.
        #[test]
        fn a_cut_is_the_recording(given in recordings(40)) {
            let whole = recording(&manifest(), &given);
            let mut read = opened(&write(&whole).unwrap()).unwrap();
            let cut = read.manifest.cut.take().unwrap();
            prop_assert_eq!((cut.samples, cut.marks), (whole.stamps().len() as u64, whole.marks.len() as u64));
            prop_assert_eq!(read, whole);
        }

        /// A file cut anywhere, or with any byte changed, is refused or has the numbers of the recording's beginning.
        #[test]
        fn any_bytes_are_refused_or_a_beginning(
            given in recordings(12),
            cut in any::<prop::sample::Index>(),
            flip in 1..=u8::MAX,
        ) {
            let whole = recording(&manifest(), &given);
            let mut bytes = write(&whole).unwrap();
            let at = cut.index(bytes.len());
            bytes[at] ^= flip;
            for mut read in [opened(&bytes), opened(&bytes[..at])].into_iter().flatten() {
                prop_assert!(whole.stamps().starts_with(read.stamps()));
                let last = read.stamps().last().map_or(i64::MIN, |stamp| stamp.boot_ns);
                prop_assert_eq!(points(&read, i64::MAX), points(&whole, last));
                // Its reader adds what it says of the damage.
                read.marks.retain(|mark| !matches!(&mark.kind, MarkKind::Note { text } if text.starts_with("store: ")));
                prop_assert!(whole.marks.starts_with(&read.marks));
            }
        }
    }

    /// Values with their moments, by table, entity and metric.
    type Points<'a> = BTreeMap<(Table, &'a str, &'a str), Vec<(i64, i64)>>;

    /// All values up to a moment.
    fn points(recording: &Recording, upto: i64) -> Points<'_> {
        let mut all = Points::new();
        for table in Table::ALL {
            for (entity, _) in recording.entities(table) {
                for metric in recording.metrics(table, entity) {
                    let series = recording.series(table, entity, &metric.name).into_iter();
                    let points: Vec<_> =
                        series.flat_map(|series| series.points()).filter(|(at, _)| *at <= upto).collect();
                    if !points.is_empty() {
                        all.insert((table, entity, metric.name.as_str()), points);
                    }
                }
            }
        }
        all
    }

    #[test]
    fn a_few_bytes_that_stand_for_many_values_are_refused() {
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        let columns = 1_u64 << 15;
        for number in 0..columns {
            schema.column(Table::Host, &format!("c{number}"));
        }
        let mut bomb = CutFile::default();
        bomb.begin(&manifest()).unwrap();
        let mut sample = Sample::default();
        let mut refused = None;
        for _ in 0..=MOST_VALUES / columns {
            sample.clear();
            sample.row(Table::Host, host, usize::try_from(columns).unwrap()).fill(Some(7));
            refused = bomb.sample(&schema, &sample).err();
        }
        assert!(refused.is_some() && bomb.bytes.len() < 4 << 20, "{} bytes", bomb.bytes.len());
        let error = opened(&bomb.bytes).unwrap_err();
        assert!(error.to_string().contains("more samples or values"), "{error}");
    }

    #[test]
    fn a_manifest_that_cannot_be_read_is_named_with_its_error() {
        let mut bytes = header().to_vec();
        let start = br#"{"first_sample": 0, "manifest": {"schema_version": 3, "memory_total": "much"}}"#;
        crate::log::put_any(&mut bytes, 1, start);
        let error = opened(&bytes).unwrap_err().to_string();
        assert!(error.contains("its manifest cannot be read: ") && error.contains("much"), "{error}");
    }

    #[test]
    fn what_was_damaged_before_the_cut_is_damage_of_the_file() {
        let damaged = Manifest { damaged: vec!["the disk rows of segment 1 are lost".to_owned()], ..manifest() };
        let lines = reported_damage(&write(&recording(&damaged, &short(2, 1))).unwrap()).unwrap();
        assert_eq!(lines, ["damaged before it was cut: the disk rows of segment 1 are lost"]);
    }

    #[test]
    fn marks_that_nobody_counted_are_named() {
        let mut bytes = write(&recording(&manifest(), &short(2, 1))).unwrap();
        let kind = r#"{"stamp": {"wall_ns": 1, "mono_ns": 1, "boot_ns": 1}, "kind": {"type": "note", "text": "more"}}"#;
        crate::log::put_any(&mut bytes, 5, kind.as_bytes());
        let [damage] = &reported_damage(&bytes).unwrap()[..] else { panic!() };
        assert!(
            damage.starts_with("changed or damaged: ") && damage.contains(" marks, and its beginning says "),
            "{damage}"
        );
    }

    #[test]
    fn a_file_that_is_none_is_named() {
        for bytes in [&b""[..], b"PAR1", b"pagetide", b"<html>"] {
            assert!(
                opened(bytes).unwrap_err().to_string().contains("does not start like a file written by `pagetide cut`")
            );
        }
    }
}
