//! What must hold for the logs there are and for any recording: no wrong number from a file that was cut, and an exact replay.
//! Spoiled logs and any bytes are the target `import`.

use pagetide_core::{
    Column, Entity, Kind, Manifest, Mark, MarkKind, Recording, RecordingBuilder, Selection, Source, Stamp, Table, Unit,
};
use pagetide_fuzz::target::import::replayed;
use pagetide_store::import::{Input, Options, import, replay};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/import")
}

/// Every fixture there is.
fn fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(root()).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            files.extend(std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension != "md"));
    files.sort();
    assert!(files.len() > 20, "{files:?}");
    files
}

type Place = (Table, String, String, i64);

fn values(recording: &Recording) -> BTreeMap<Place, i64> {
    let mut all = BTreeMap::new();
    for table in Table::ALL {
        for (entity, _) in recording.entities(table) {
            for column in recording.metrics(table, entity) {
                for (at, value) in recording.series(table, entity, &column.name).unwrap().points() {
                    all.insert((table, entity.to_owned(), column.name.clone(), at), value);
                }
            }
        }
    }
    all
}

fn read(path: &Path, bytes: &[u8]) -> Option<Recording> {
    let name = path.file_name().unwrap().to_string_lossy();
    import(&[Input::bytes(&name, bytes)], &Options::default()).ok().map(|import| import.recording)
}

/// Every value of a file that was cut at `length` is that of the whole file at the same time. Whether there are any.
fn check_cut(path: &Path, whole: &BTreeMap<Place, i64>, bytes: &[u8], length: usize) -> bool {
    let Some(cut) = read(path, &bytes[..length]) else { return false };
    let cut = values(&cut);
    for (place, value) in &cut {
        assert_eq!(whole.get(place), Some(value), "{} cut at byte {length}: {place:?}", path.display());
    }
    !cut.is_empty()
}

#[test]
fn a_cut_file_gives_no_number_that_the_whole_file_does_not_give() {
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        let whole = values(&read(&path, &bytes).unwrap_or_else(|| panic!("{} is readable", path.display())));
        // A step that is no divisor of anything in the files, and every place in the last two lines.
        let step = (bytes.len() / 25).max(1) | 1;
        let lengths = (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(100)..bytes.len());
        let with_values = lengths.filter(|length| check_cut(&path, &whole, &bytes, *length)).count();
        assert!(with_values > 10 || path.extension().is_some_and(|kind| kind == "json"), "{}", path.display());
    }
}

/// A recording of up to eight samples (some at the same time), with values of several kinds anywhere.
fn recordings() -> impl Strategy<Value = Recording> {
    let value = (0usize..5, 0usize..3, 0usize..4, any::<i64>());
    let sample = (0i64..4, proptest::collection::vec(value, 0..12));
    let samples = proptest::collection::vec(sample, 0..8);
    (samples, proptest::collection::vec(0i64..30, 0..4)).prop_map(|(samples, marks)| {
        let mut builder = RecordingBuilder::new(Manifest { host: "h".into(), ..Manifest::default() });
        let mut now = 0;
        for (step, values) in samples {
            now += step;
            builder.stamp(Stamp { wall_ns: now * 7, mono_ns: now, boot_ns: now });
            let mut taken = std::collections::BTreeSet::new();
            for (table, entity, metric, value) in values {
                if taken.insert((table, entity, metric)) {
                    // The same name is a counter in one entity and a gauge in another.
                    let kind = if entity == 1 { Kind::Gauge } else { Kind::Counter };
                    let column = Column { name: format!("m{metric}"), kind, unit: Unit::Pages };
                    builder.value(Table::ALL[table], &format!("e{entity}"), &column, value);
                }
            }
        }
        for at in marks {
            let stamp = Stamp { wall_ns: at, mono_ns: at, boot_ns: at };
            builder.mark(Mark { stamp, kind: MarkKind::Note { text: format!("at {at}") } });
        }
        builder.finish()
    })
}

proptest! {
    #[test]
    fn a_replayed_recording_is_the_same_recording(recording in recordings()) {
        prop_assert_eq!(replayed(&recording), recording);
    }
}

#[test]
fn an_imported_recording_is_replayed_into_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<Input> = fixtures()
        .iter()
        .filter(|path| path.to_string_lossy().contains("curious-case"))
        .map(|path| Input::file(path))
        .collect();
    assert_eq!(files.len(), 7);
    let imported = import(&files, &Options::default()).unwrap().recording;
    assert_eq!(replayed(&imported), imported);
    let mut writer = pagetide_store::Writer::create(&folder.path().join("rec")).unwrap();
    replay(&imported, &mut writer).unwrap();
    drop(writer);
    let stored = pagetide_store::Reader::open(&folder.path().join("rec")).unwrap().load(&Selection::default()).unwrap();
    assert_eq!(values(&stored), values(&imported));
    assert_eq!(stored.marks, imported.marks);
    assert_eq!(stored.stamps(), imported.stamps());
    let column = |recording: &Recording| recording.host("pgscan_kswapd").unwrap().column().clone();
    assert_eq!(column(&stored), column(&imported));
    let entity = Entity::new("vgca0", "vgca0");
    assert!(stored.entities(Table::Disk).any(|(name, label)| (name, label) == (&entity.name, &entity.label)));
}
