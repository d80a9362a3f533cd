//! Another engine reads sealed segments as they are, by SQL, and sees the numbers that we see.
//! (`pip install duckdb` into any Python; `PAGETIDE_DUCKDB_PYTHON` names it.)

use pagetide_core::{Entity, Manifest, Mark, MarkKind, Sample, Schema, Selection, Sink, Source, Stamp, Table};
use pagetide_store::{Reader, Writer};
use std::path::Path;
use std::process::Command;

/// Runs a query over the recordings below `root` and gives its rows as JSON.
fn query(root: &Path, sql: &str) -> Vec<Vec<serde_json::Value>> {
    let python = std::env::var("PAGETIDE_DUCKDB_PYTHON").unwrap_or_else(|_| {
        panic!(
            "PAGETIDE_DUCKDB_PYTHON is not set: run `make test`, or \
             `python3 -m venv V && V/bin/pip install duckdb && export PAGETIDE_DUCKDB_PYTHON=V/bin/python`"
        )
    });
    let script = "import duckdb, json, os, sys\n\
                  os.chdir(sys.argv[1])\n\
                  print(json.dumps(duckdb.sql(sys.argv[2]).fetchall()))";
    let output = Command::new(python).args(["-c", script]).arg(root).arg(sql).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A recording of a host with two disks, one of which comes late and has one more metric.
fn record(folder: &Path, host: &str, offset: i64) {
    let manifest = Manifest { host: host.into(), ..Manifest::default() };
    let mut schema = Schema::default();
    let named = |name: &str| Entity::new(name, name);
    let this = schema.push_entity(Table::Host, Entity::new("", host));
    let vda = schema.push_entity(Table::Disk, named("vda"));
    let vdb = schema.push_entity(Table::Disk, named("vdb"));
    for name in ["MemFree", "Active(file)", "pgmajfault"] {
        schema.column(Table::Host, name);
    }
    schema.column(Table::Disk, "reads");
    let mut writer = Writer::create(folder).unwrap();
    writer.begin(&manifest).unwrap();
    for at in 0..1500 {
        let ns = at * 1_000_000_000 + at % 13;
        let mut sample = Sample::default();
        // Two days, and so two segments.
        sample.stamp =
            Stamp { wall_ns: 1_795_305_600_000_000_000 - 700_000_000_000 + ns, mono_ns: ns, boot_ns: 9 + ns };
        let host = sample.row(Table::Host, this, 3);
        host[0] = (at % 5 != 0).then_some(offset + at * 4096);
        host[1] = Some(i64::MAX - at);
        host[2] = Some(at / 10);
        sample.row(Table::Disk, vda, 1)[0] = Some(offset + at * 7);
        if at > 900 {
            let discards = schema.column(Table::Disk, "discards").0 as usize;
            let width = schema.columns(Table::Disk).len();
            sample.row(Table::Disk, vdb, width)[discards] = Some(at);
        }
        writer.sample(&schema, &sample).unwrap();
        if at == 1000 {
            let kind = MarkKind::Note { text: "half way".into() };
            writer.mark(&Mark { stamp: sample.stamp, kind }).unwrap();
        }
    }
    writer.finish(&manifest).unwrap();
}

#[test]
fn duckdb_reads_the_numbers_that_we_read() {
    let scratch = tempfile::tempdir().unwrap();
    for (host, offset) in [("web1", 0), ("web 2", 1_000_000)] {
        record(&scratch.path().join(host), host, offset);
        let read = Reader::open(&scratch.path().join(host)).unwrap().load(&Selection::default()).unwrap();
        for table in [Table::Host, Table::Disk] {
            let name = table.name();
            let entity = if table == Table::Host { "''" } else { "entity" };
            for (of, _) in read.entities(table) {
                for column in read.metrics(table, of) {
                    let sql = format!(
                        "SELECT boot_ns, \"{}\" FROM read_parquet('*/{name}/host=*/date=*/*.parquet', \
                         hive_partitioning=true, union_by_name=true) AS rows \
                         JOIN read_parquet('*/sample/host=*/date=*/*.parquet', hive_partitioning=true) AS samples \
                         USING (host, date, sample, wall_ns) WHERE host = '{host}' AND {entity} = '{of}' AND \"{}\" IS NOT NULL ORDER BY sample",
                        column.name, column.name
                    );
                    let theirs: Vec<(i64, i64)> = query(scratch.path(), &sql)
                        .iter()
                        .map(|row| (row[0].as_i64().unwrap(), row[1].as_i64().unwrap()))
                        .collect();
                    let ours: Vec<_> = read.series(table, of, &column.name).unwrap().points().collect();
                    assert!(!ours.is_empty());
                    assert_eq!(theirs, ours, "{host} {name} {of} {}", column.name);
                }
            }
        }
    }
    let all = "*/host/host=*/date=*/*.parquet";
    let types = query(
        scratch.path(),
        &format!("SELECT DISTINCT column_type FROM (DESCRIBE SELECT MemFree, wall_ns FROM '{all}')"),
    );
    assert_eq!(types, [["BIGINT"]], "never unsigned, never a decimal");
    let counts = query(
        scratch.path(),
        &format!(
            "SELECT host, CAST(min(date) AS VARCHAR), count(*), count(MemFree) FROM '{all}' GROUP BY host ORDER BY host"
        ),
    );
    assert_eq!(
        serde_json::json!(counts),
        serde_json::json!([["web 2", "2026-11-21", 1500, 1200], ["web1", "2026-11-21", 1500, 1200]])
    );
    let marks = query(scratch.path(), "SELECT type, json FROM '*/mark/host=*/date=*/*.parquet'");
    assert_eq!(marks.len(), 2);
    assert!(marks[0][1].as_str().unwrap().contains("half way"));
}
