//! Machines and work from recordings.

use super::*;
use crate::plan::{PlanRequest, RunsProgress, parse_varied};
use crate::sim::ModelOptions;
use pagetide_core::{
    Bytes, Disk, Entity, Manifest, Plan, RecordingBuilder, Sample, Scale, Scenario, Schema, Stamp, Table as Rows,
};

const SECOND: i64 = 1_000_000_000;
const MIB: i64 = 1 << 20;

/// A host of 1 GiB on which `asked` and `read` MiB a second are read in requests of 8 KiB for `seconds`, with 400 MiB of file cache.
/// Requests of its disk take 2 ms in every tenth second and 8 ms in the others.
fn recording(seconds: i64, asked: i64, read: i64) -> Recording {
    let manifest = Manifest {
        cpus: 2,
        memory_total: Bytes::new(1 << 30),
        page_size: Bytes::new(4096),
        disks: vec![Disk { name: "vda".to_owned(), size: Bytes::new(8 << 30), ..Disk::default() }],
        sysctls: [
            ("vm.swappiness", "10"),
            ("vm.dirty_ratio", "30"),
            ("vm.dirty_bytes", "0"),
            ("vm.min_free_kbytes", "4000"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        ..Manifest::default()
    };
    let mut schema = Schema::default();
    let mut entity = |table, name: &str, label: &str| schema.push_entity(table, Entity::new(name, label));
    let host = entity(Rows::Host, "", "");
    let disk = entity(Rows::Disk, "vda", "vda");
    let reader = entity(Rows::Process, "77", "my db");
    let mut builder = RecordingBuilder::new(manifest);
    let mut waited = 0;
    for second in 0..=seconds {
        let mut sample = Sample::default();
        sample.stamp = Stamp { wall_ns: second * SECOND, mono_ns: second * SECOND, boot_ns: second * SECOND };
        let requests = second * read * 128;
        waited += if second % 10 == 1 { 2 } else { 8 } * read * 128;
        let rows: [(Rows, _, &[(&str, i64)]); 3] = [
            (Rows::Host, host, &[("MemAvailable", 410 * MIB), ("Cached", 420 * MIB), ("Shmem", 20 * MIB)]),
            (
                Rows::Disk,
                disk,
                &[
                    ("reads", requests),
                    ("writes", 0),
                    ("read_sectors", second * read * 2048),
                    ("write_sectors", 0),
                    ("read_ms", waited),
                    ("write_ms", 0),
                ],
            ),
            (
                Rows::Process,
                reader,
                &[
                    ("rchar", second * asked * MIB),
                    ("syscr", second * asked * 128),
                    ("read_bytes", second * read * MIB),
                    ("wchar", 0),
                    ("syscw", 0),
                    ("write_bytes", 0),
                ],
            ),
        ];
        for (table, id, values) in rows {
            let columns: Vec<usize> = values.iter().map(|(name, _)| schema.column(table, name).0 as usize).collect();
            let row = sample.row(table, id, schema.columns(table).len());
            for (column, (_, value)) in columns.into_iter().zip(values) {
                row[column] = Some(*value);
            }
        }
        builder.sample(&schema, &sample);
    }
    builder.finish()
}

struct Silent;

impl RunsProgress for Silent {
    fn done(&self, _: usize, _: usize) {}
    fn interrupted(&self) -> bool {
        false
    }
}

fn plan(observed: &Observed, vary: &str) -> Plan {
    let request = PlanRequest {
        scenario: observed.name.clone(),
        text: Some(observed.text.clone()),
        scale: Scale::FULL,
        sets: Vec::new(),
        steps: Vec::new(),
        varied: vec![parse_varied(vary).unwrap()],
        show: observed.recorded.as_ref().map(RecordedFigure::show),
        goal: None,
        seeds: 1,
        seed: 1,
        model: ModelOptions::default(),
    };
    request.check().unwrap().run(1, &Silent).unwrap()
}

#[test]
fn the_machine_is_that_of_the_recording() {
    let machine = ObservedMachine::of_recording(&recording(60, 8, 4)).unwrap();
    let text = machine.replace_in(&catalogue::find("second-read", &[]).unwrap().text, "t").unwrap();
    let machine = Scenario::parse(&text, "t").unwrap().machine;
    assert_eq!((machine.memory, machine.system), (Bytes::new(1 << 30), Bytes::new(614 << 20)));
    assert_eq!(
        machine.sysctl.into_iter().collect::<Vec<_>>(),
        [("vm.dirty_ratio".to_owned(), 30), ("vm.swappiness".to_owned(), 10)]
    );
    let disk = &machine.disks[0];
    // 2 ms without a queue; 4 MiB/s of 8 KiB while requests take 8 ms.
    assert_eq!((disk.latency.unwrap().get(), disk.iops, disk.bandwidth), (2_000_000, Some(512), None));
}

#[test]
fn half_of_the_reads_cached_means_a_file_of_twice_the_cache() {
    let observed = Observed::work_of(&recording(120, 2, 1)).unwrap();
    let recorded = observed.recorded.clone().unwrap();
    assert_eq!((recorded.show().as_str(), recorded.value), ("work.disk_read_bytes", 60.0 * MIB as f64));
    let file = observed.guesses.iter().find(|guess| guess.contains("my_db")).unwrap();
    assert!(file.contains("at random from 800 MiB in requests of 8 KiB, 2 MiB/s as recorded"), "{file}");
    // With the recorded memory the model reads as much as was recorded, with more memory less, and with enough nothing.
    let plan = plan(&observed, "memory=1024MiB,1280MiB,2048MiB");
    let read: Vec<f64> = plan.points.iter().map(|point| point.median().unwrap()).collect();
    assert!((read[0] / recorded.value - 1.0).abs() < 0.3, "{read:?} beside {}", recorded.value);
    assert!(read[1] < read[0] * 0.6 && read[2] < read[0] * 0.02, "{read:?}");
}

#[test]
fn what_is_read_once_is_read_from_the_disk_with_any_memory() {
    let observed = Observed::work_of(&recording(30, 4, 4)).unwrap();
    assert!(observed.guesses.iter().any(|guess| guess.contains("reads nothing twice")), "{:?}", observed.guesses);
    let plan = plan(&observed, "memory=1GiB,2GiB");
    let recorded = observed.recorded.unwrap().value;
    assert!(plan.points.iter().all(|point| (point.median().unwrap() / recorded - 1.0).abs() < 0.05), "{plan:?}");
}

#[test]
fn a_recording_that_does_not_say_enough_is_refused_in_a_line() {
    let mut silent = recording(60, 0, 0);
    let refused = |recording: &Recording| Observed::work_of(recording).unwrap_err();
    let idle = refused(&silent);
    assert!(idle.what.contains("a disk that did 100 requests"), "{}", idle.what);
    let short = refused(&recording(5, 8, 4));
    assert!(short.what.contains("10 s of work: it covers 5.0 s"), "{}", short.what);
    silent.manifest.memory_total = Bytes::ZERO;
    assert!(refused(&silent).what.contains("MemTotal"));
    for error in [idle, short] {
        assert!(error.kind == pagetide_core::ErrorKind::Input && !error.what.contains('\n'));
    }
}
