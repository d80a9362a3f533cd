//! A unique name stands everywhere in a recording where a name can stand; none of them is in the bytes of a redacted cut.

use pagetide_core::{
    Column, CutDiagnosis, Disk, Entity, Figures, HostTimeZone, Kind, Manifest, Mark, MarkKind, Outcome, Recording,
    RecordingBuilder, Selection, SettingChange, Source, Stamp, StepResult, Swap, Table, Unit, Unreadable,
};
use pagetide_store::import::{Input, Options, import};
use pagetide_store::{Reader, cut};
use std::collections::BTreeMap;

/// Gives each place a name of its own.
#[derive(Default)]
struct Canaries(Vec<String>);

impl Canaries {
    fn next(&mut self) -> String {
        self.0.push(format!("canary{:04}bird", self.0.len()));
        self.0.last().cloned().unwrap_or_default()
    }

    fn map(&mut self) -> BTreeMap<String, String> {
        BTreeMap::from([(self.next(), self.next()), ("vm.legacy_path".to_owned(), format!("/{}", self.next()))])
    }
}

/// What an earlier cut said of it.
fn diagnosis(names: &mut Canaries) -> CutDiagnosis {
    serde_json::from_value(serde_json::json!({
        "tool_version": names.next(), "verdict": names.next(), "cause": names.next(), "summary": names.next(),
        "chain": [names.next()], "findings": [names.next()],
    }))
    .unwrap()
}

fn recording(names: &mut Canaries) -> Recording {
    let manifest = Manifest {
        host: names.next(),
        kernel: format!("6.1.0-{}", names.next()),
        boot_id: names.next(),
        tool_version: "0.1.0".to_owned(),
        disks: vec![Disk {
            name: names.next(),
            device_number: Some(names.next()),
            model: Some(names.next()),
            below: vec![names.next()],
            links: vec![names.next(), format!("/dev/mapper/{}", names.next())],
            ..Disk::default()
        }],
        swaps: vec![
            Swap { path: format!("/{}", names.next()), ..Swap::default() },
            Swap { path: format!("/dev/{}", names.next()), ..Swap::default() },
        ],
        mounts: names.map(),
        filesystems: names.map(),
        sysctls: names.map(),
        workload_cgroup: Some(format!("/{}/{}", names.next(), names.next())),
        workload_disk: Some(names.next()),
        process_delays: names.next(),
        time_zone: Some(HostTimeZone { name: Some(names.next()), utc_offset_s: 0 }),
        capabilities: vec![names.next()],
        unreadable: vec![Unreadable { source: names.next(), reason: names.next() }],
        labels: names.map(),
        users: [(1000, names.next())].into(),
        cut_diagnosis: Some(diagnosis(names)),
        ..Manifest::default()
    };
    let mut builder = RecordingBuilder::new(manifest);
    let stamp = Stamp { wall_ns: 1_795_305_600_000_000_000, mono_ns: 1, boot_ns: 1 };
    builder.stamp(stamp);
    for table in Table::ALL {
        let known = pagetide_core::metric::all(table)[0].name.to_owned();
        let process = format!("{}@{}", names.next(), names.next());
        let path = format!("/{}/{}", names.next(), names.next());
        let parts = format!("{}\t{}", names.next(), names.next());
        for name in [names.next(), process, path, parts] {
            let command_line = Some(format!("{} --password {}", names.next(), names.next()));
            builder.entity(table, Entity { command_line, ..Entity::new(name.clone(), names.next()) });
            for column in [known.clone(), names.next()] {
                let column = Column { name: column, kind: Kind::Gauge, unit: Unit::Count };
                builder.value(table, &name, &column, 7);
            }
        }
    }
    let result = StepResult {
        id: names.next(),
        kind: names.next(),
        title: names.next(),
        started_ns: 1,
        ended_ns: 1,
        outcome: Outcome::Done,
        notes: vec![names.next()],
        figures: Figures::default(),
    };
    for kind in [
        MarkKind::Note { text: names.next() },
        MarkKind::Note { text: format!("host: {} changed from 1 to 2", names.next()) },
        MarkKind::Note { text: format!("host: vm.swappiness changed from {} to 2", names.next()) },
        MarkKind::Note { text: format!("host: vm.swappiness changed from 1 to {}", names.next()) },
        MarkKind::Note { text: format!("host: /dev/{} was mounted at /{}", names.next(), names.next()) },
        MarkKind::StepStarted { id: names.next(), title: names.next() },
        MarkKind::StepEnded { result: Box::new(result) },
    ] {
        builder.mark(Mark { stamp, kind });
    }
    builder.finish()
}

#[test]
fn no_name_is_left_in_a_redacted_cut() {
    let mut names = Canaries::default();
    let recording = recording(&mut names);
    let plain = cut::write(&recording).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let lost: Vec<&String> = names.0.iter().filter(|name| !text(&plain).contains(name.as_str())).collect();
    assert!(names.0.len() > 150 && lost.is_empty(), "a name that was never there proves nothing: {lost:?}");
    let redacted = text(&cut::write(&cut::redact(&recording).recording).unwrap());
    let left: Vec<&String> = names.0.iter().filter(|name| redacted.contains(name.as_str())).collect();
    assert!(left.is_empty() && !redacted.contains("canary"), "{left:?}");
}

#[test]
fn a_change_of_a_number_under_vm_is_told() {
    let mut builder = RecordingBuilder::new(Manifest::default());
    let stamp = Stamp { wall_ns: 1_795_305_600_000_000_000, mono_ns: 1, boot_ns: 1 };
    builder.stamp(stamp);
    let change = SettingChange { name: "vm.dirty_ratio", from: "20", to: "40" };
    for text in [change.note(), "host: kernel.core_pattern changed from 1 to 2".to_owned()] {
        builder.mark(Mark { stamp, kind: MarkKind::Note { text } });
    }
    let redacted = cut::redact(&builder.finish()).recording;
    assert_eq!(redacted.setting_changes().collect::<Vec<_>>(), [(1, change)]);
    assert_eq!((redacted.marks.len(), redacted.setting_at("vm.dirty_ratio", 0)), (1, Some("20")));
}

#[test]
fn users_and_groups_are_other_numbers_and_the_same_where_they_were() {
    const USER: i64 = 424_242;
    const GROUP: i64 = 818_181;
    let mut builder = RecordingBuilder::new(Manifest::default());
    builder.stamp(Stamp { wall_ns: 1_795_305_600_000_000_000, mono_ns: 1, boot_ns: 1 });
    type Row<'a> = (Table, &'a str, &'a str, &'a [(&'a str, i64)]);
    let rows: [Row<'_>; 4] = [
        (Table::Process, "7@5", "python3 canary.py", &[("uid", USER), ("cgroup_id", GROUP), ("ppid", 1)]),
        (Table::Process, "8@6", "sh", &[("uid", 0), ("cgroup_id", GROUP), ("ppid", 7)]),
        (Table::Cgroup, "/sys/fs/cgroup/canary", "/sys/fs/cgroup/canary", &[("cgroup_id", GROUP)]),
        (Table::CgroupDisk, "/sys/fs/cgroup/canary\tcanary0", "canary0", &[("rbytes", 7), ("max_riops", 90)]),
    ];
    for (table, name, label, values) in rows {
        builder.entity(table, Entity::new(name, label));
        for (metric, value) in values {
            let known = pagetide_core::metric::find(table, metric).unwrap();
            let column = Column { name: (*metric).to_owned(), kind: known.kind, unit: known.unit };
            builder.value(table, name, &column, *value);
        }
    }
    let redacted = cut::redact(&builder.finish()).recording;
    let text = String::from_utf8_lossy(&cut::write(&redacted).unwrap()).into_owned();
    assert!(!text.contains("canary") && !text.contains("python3"), "{text}");
    let value = |table, name: &str, metric| redacted.series(table, name, metric).unwrap().points().next().unwrap().1;
    assert_eq!((value(Table::Process, "8@6", "ppid"), value(Table::Process, "8@6", "uid")), (7, 0));
    assert_ne!(value(Table::Process, "7@5", "uid"), USER);
    let (group, _) = redacted.entities(Table::Cgroup).next().unwrap();
    let id = value(Table::Cgroup, group, "cgroup_id");
    assert_ne!(id, GROUP);
    assert_eq!(value(Table::Process, "7@5", "cgroup_id"), id);
    assert_eq!(value(Table::Process, "8@6", "cgroup_id"), id);
    let (on_disk, _) = redacted.entities(Table::CgroupDisk).next().unwrap();
    assert!(on_disk.starts_with(&format!("{group}\tdisk-")), "{on_disk}");
    assert_eq!(value(Table::CgroupDisk, on_disk, "max_riops"), 90);
}

#[test]
fn the_rows_of_a_trace_stay_with_pseudonyms() {
    let mut builder = RecordingBuilder::new(Manifest::default());
    builder.stamp(Stamp { wall_ns: 1_795_305_600_000_000_000, mono_ns: 1, boot_ns: 1 });
    let pages = Column { name: "pages".to_owned(), kind: Kind::Counter, unit: Unit::Pages };
    let evicted = "kswapd\t/shop\tdd\t266338304\t1234\t/shop/db\tpostgres\t0\t1000";
    for (name, label) in [(evicted, "/srv/db/base"), ("rest", "")] {
        builder.entity(Table::Eviction, Entity::new(name, label));
        builder.value(Table::Eviction, name, &pages, 42);
    }
    builder.entity(Table::Ghost, Entity::new("\t/shop/db\t512", "/shop/db"));
    builder.value(Table::Ghost, "\t/shop/db\t512", &Column { name: "ranked_0".to_owned(), ..pages.clone() }, 7);
    let redacted = cut::redact(&builder.finish()).recording;
    let rows: Vec<(&str, &str)> = redacted.entities(Table::Eviction).collect();
    let parts: Vec<&str> = rows[0].0.split('\t').collect();
    let [mechanism, group, program, device, inode, user_group, user, evictor_uid, user_uid] = parts[..] else {
        panic!("{parts:?}");
    };
    assert_eq!((mechanism, device, evictor_uid, rows[1].0), ("kswapd", "266338304", "0", "rest"));
    assert!(group.starts_with("/group-") && user_group.starts_with(&format!("{group}/group-")), "{parts:?}");
    assert!(program.starts_with("process-") && user.starts_with("process-") && program != user, "{parts:?}");
    assert!(inode.parse::<u64>().is_ok_and(|inode| inode != 1234) && user_uid.parse::<u64>().is_ok(), "{parts:?}");
    assert!(rows[0].1.starts_with("file-"), "{}", rows[0].1);
    assert_eq!(redacted.series(Table::Eviction, rows[0].0, "pages").unwrap().points().collect::<Vec<_>>(), [(1, 42)]);
    let ghost = redacted.entities(Table::Ghost).next().unwrap();
    assert_eq!(ghost.0, format!("\t{}\t512", ghost.1), "the readers are those of the eviction");
    assert_eq!(ghost.1, user_group);
}

#[test]
fn the_numbers_stay_and_a_name_has_another_pseudonym_in_each_cut() {
    let mut builder = RecordingBuilder::new(Manifest { host: "db1".to_owned(), ..Manifest::default() });
    builder.stamp(Stamp { wall_ns: 1_795_305_600_000_000_000, mono_ns: 1, boot_ns: 1 });
    let rss = Column { name: "rss".to_owned(), kind: Kind::Gauge, unit: Unit::Pages };
    for (name, label) in [("1@5", "postgres"), ("2@6", "postgres"), ("9@1", "kswapd0")] {
        builder.entity(Table::Process, Entity::new(name, label));
        builder.value(Table::Process, name, &rss, 42);
    }
    let recording = builder.finish();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.pagetide");
    std::fs::write(&path, cut::write(&cut::redact(&recording).recording).unwrap()).unwrap();
    let one = Reader::open(&path).unwrap().load(&Selection::default()).unwrap();
    let other = cut::redact(&recording).recording;
    let labels = |recording: &Recording| {
        recording.entities(Table::Process).map(|(_, label)| label.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(labels(&one)[0], labels(&one)[1]);
    assert_eq!(labels(&one)[2], "kswapd0");
    assert!(labels(&one)[0].starts_with("process-") && labels(&one)[0] != labels(&other)[0]);
    assert_ne!(one.manifest.host, other.manifest.host);
    assert_eq!(one.series(Table::Process, "2@6", "rss").unwrap().points().collect::<Vec<_>>(), [(1, 42)]);
}

/// A column of an entity: its table, its name, and its values by their moments.
type Numbers = (Table, String, Vec<(i64, i64)>);

/// The columns of all entities, which have other names in a redacted cut.
fn numbers(recording: &Recording) -> Vec<Numbers> {
    let columns = Table::ALL.into_iter().flat_map(|table| {
        let of = move |name| recording.columns(table, name).map(move |(column, _)| (table, name, column));
        recording.entities(table).flat_map(move |(name, _)| of(name))
    });
    let mut all: Vec<_> = columns
        .filter(|(_, _, column)| column.kind != Kind::Unknown)
        .map(|(table, name, column)| {
            let series = recording.series(table, name, &column.name).unwrap();
            (table, column.name.clone(), series.points().collect())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn an_import_of_any_kind_keeps_its_numbers() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/import"));
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let mut kinds = Vec::new();
    for path in files {
        // Some fixtures are there to be refused.
        let Ok(import) = import(&[Input::file(&path)], &Options::default()) else { continue };
        let (recording, redacted) = (&import.recording, cut::redact(&import.recording));
        assert_eq!(numbers(&redacted.recording), numbers(recording), "{}", path.display());
        kinds.extend(import.report.files[0].kind.filter(|kind| !kinds.contains(kind)));
    }
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    let log = "2026-11-30T10:00:00Z\nMemFree: 5 kB\nMemOfTheSite: 7 kB\n";
    let unknown = import(&[Input::bytes("meminfo", log)], &Options::default()).unwrap().recording;
    assert_eq!(cut::redact(&unknown).columns_left_out, 1);
}

#[test]
fn a_program_that_another_became_keeps_its_process() {
    let mut builder = RecordingBuilder::new(Manifest::default());
    builder.entity(Table::Process, Entity::new("7@5/secret", "secret"));
    let redacted = cut::redact(&builder.finish()).recording;
    let (name, label) = redacted.entities(Table::Process).next().unwrap();
    assert_eq!(name, format!("7@5/{label}"));
    assert!(label.starts_with("process-"), "{label}");
}
