//! What is written comes back.

use pagetide_core::{
    Entity, Manifest, Mark, MarkKind, RecordingBuilder, Sample, Schema, Selection, Sink, Source, Stamp, Table,
};
use pagetide_store::{Reader, Writer, import};
use std::path::Path;

fn stamp(at: i64) -> Stamp {
    let ns = at * 1_000_000_000;
    Stamp { wall_ns: 1_795_255_230_000_000_000 + ns, mono_ns: 7 + ns, boot_ns: 9 + ns }
}

#[test]
fn a_recording_is_readable_while_it_is_written_and_after() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("recording");
    let manifest = Manifest { host: "h".into(), schema_version: pagetide_store::FORMAT_VERSION, ..Manifest::default() };
    let mut builder = RecordingBuilder::new(manifest.clone());
    let mut schema = Schema::default();
    let host = schema.push_entity(Table::Host, Entity::new("", "h"));
    let mut writer = Writer::create(&folder).unwrap();
    writer.begin(&manifest).unwrap();
    let mut sample = Sample::default();
    for at in 0..20 {
        sample.clear();
        sample.stamp = stamp(at);
        let free = schema.column(Table::Host, "MemFree").0 as usize;
        let late = (at > 10).then(|| schema.column(Table::Disk, "reads").0 as usize);
        if at == 11 {
            schema.push_entity(Table::Disk, Entity::new("vda", "vda"));
        }
        let width = schema.columns(Table::Host).len();
        sample.row(Table::Host, host, width)[free] = (at % 7 != 0).then_some(at * 1000);
        if let Some(late) = late {
            sample.row(Table::Disk, schema.find_entity(Table::Disk, "vda").unwrap(), 1)[late] = Some(i64::MAX - at);
        }
        writer.sample(&schema, &sample).unwrap();
        builder.sample(&schema, &sample);
        let mark = Mark { stamp: stamp(at), kind: MarkKind::Note { text: format!("{at}") } };
        writer.mark(&mark).unwrap();
        builder.mark(mark);
        let now = Reader::open(&folder).unwrap().load(&Selection::default()).unwrap();
        assert_eq!(now, builder.clone().finish());
    }
    writer.finish(&manifest).unwrap();
    assert_eq!(Reader::open(&folder).unwrap().load(&Selection::default()).unwrap(), builder.finish());
    assert!(Writer::create(&folder).unwrap_err().to_string().contains("already holds a recording"));
}

#[test]
fn a_recording_of_version_1_is_read_and_is_the_same_in_this_version() {
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/cgroup-limit-reclaim-2/recording");
    let mut old = Reader::open(&old).unwrap().load(&Selection::default()).unwrap();
    assert_eq!(old.manifest.schema_version, 1);
    for table in [Table::Host, Table::Zone, Table::Disk, Table::Process, Table::Cgroup] {
        assert!(old.entities(table).next().is_some(), "{}", table.name());
    }
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("recording");
    let mut writer = Writer::create(&folder).unwrap();
    import::replay(&old, &mut writer).unwrap();
    writer.finish(&old.manifest).unwrap();
    old.manifest.schema_version = pagetide_store::FORMAT_VERSION;
    assert_eq!(Reader::open(&folder).unwrap().load(&Selection::default()).unwrap(), old);
}
