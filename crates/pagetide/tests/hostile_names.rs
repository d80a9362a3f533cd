//! Names that other users choose reach a terminal as text only, by whatever command they get there.

use assert_cmd::Command;
use pagetide_core::{
    Column, Entity, Kind, Manifest, Mark, MarkKind, Sample, Schema, Sink, Stamp, Table, Unit, is_unprintable,
};
use pagetide_store::Writer;
use std::path::Path;

/// Sets a window's title, clears the screen, by C0 and by C1, reverses text, hides a part of it, and begins a line with a command.
const EVIL: &str = "e\x1b]0;owned\x07\x1b[2J\u{9b}2J\u{202e}\u{200b}\r\nvil\"<b>\n\n$ MARK";

fn hostile_recording(folder: &Path) {
    let mut writer = Writer::create(folder).unwrap();
    let manifest = Manifest { host: EVIL.into(), kernel: EVIL.into(), ..Manifest::default() };
    writer.begin(&manifest).unwrap();
    let mut schema = Schema::default();
    schema.push_entity(Table::Host, Entity::new("", EVIL));
    let tables = [(Table::Process, "rss"), (Table::Cgroup, "anon"), (Table::Disk, "reads_completed")];
    for (table, column) in tables {
        schema.push_entity(table, Entity::new(format!("{EVIL}@1"), EVIL));
        schema.column(table, column);
    }
    schema.push_column(Table::Process, Column { name: EVIL.into(), kind: Kind::Unknown, unit: Unit::Unknown });
    for at in 1..5 {
        let ns = at * 1_000_000_000;
        let mut sample = Sample::default();
        sample.stamp = Stamp { wall_ns: ns, mono_ns: ns, boot_ns: ns };
        for (table, _) in tables {
            let width = schema.columns(table).len();
            sample.row(table, pagetide_core::EntityId(0), width).fill(Some(at * at * 4096));
        }
        writer.sample(&schema, &sample).unwrap();
        writer.mark(&Mark { stamp: sample.stamp, kind: MarkKind::Note { text: EVIL.into() } }).unwrap();
    }
    writer.finish(&manifest).unwrap();
}

#[test]
fn a_hostile_name_is_shown_and_obeyed_by_nobody() {
    let scratch = tempfile::tempdir().unwrap();
    let recording = scratch.path().join("rec");
    hostile_recording(&recording);
    let evil = scratch.path().join(EVIL);
    std::fs::create_dir(&evil).unwrap();
    let scenario = scratch.path().join("evil.toml");
    let quoted = serde_json::to_string(EVIL).unwrap();
    let text = "id = \"t\"\ntitle = EVIL\nsource = EVIL\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\n\
                name = \"data\"\nsize = \"1GiB\"\n[[step]]\nid = \"A1\"\ntitle = EVIL\nsleep = \"1s\"\n";
    std::fs::write(&scenario, text.replace("EVIL", &quoted)).unwrap();
    let (rec, scenario, evil) = (recording.to_str().unwrap(), scenario.to_str().unwrap(), evil.to_str().unwrap());
    let binary = std::env::var_os("PAGETIDE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_pagetide").into());
    let mut shown = 0;
    for arguments in [
        &["show", rec, "processes"][..],
        &["show", rec, "processes", "--csv"],
        &["show", rec, "processes", "--json"],
        &["show", rec, "cgroups", "--all"],
        &["show", rec, "disk", "--all", "--csv"],
        &["diagnose", rec],
        &["diagnose", rec, "--json"],
        &["diagnose", rec, "--watch", "--for", "300ms"],
        &["diagnose", rec, "--watch", "--for", "300ms", "--json"],
        &["lab", "show", scenario],
        &["lab", "show", scenario, "--json"],
        &["lab", "run", scenario, "--set", EVIL],
        &["show", evil],
        &["show", rec, "--from", EVIL],
        &["record", "--status", "-o", evil],
        &["record", "--status", "-o", evil, "--json"],
        &["explain", EVIL],
        &["cache", evil],
    ] {
        let output = Command::new(&binary).args(arguments).output().unwrap();
        for out in [output.stdout, output.stderr] {
            let text = String::from_utf8(out).unwrap();
            let wrong = text.find(|c| is_unprintable(c) && c != '\n' && c != '\t');
            assert_eq!(wrong, None, "{arguments:?}: {text:?}");
            let forged = text.lines().find(|line| line.trim_start().starts_with("$ MARK"));
            assert_eq!(forged, None, "{arguments:?}: {text}");
            shown += usize::from(text.contains(r"\x1b]0;owned\x07") || text.contains(r"\u001b]0;owned\u0007"));
        }
    }
    assert!(shown >= 10, "only {shown} outputs had the name in them");
}
