//! Whole trees of kernel files: everything that the readers and the sampler say about each is held against a snapshot.
//! A new kernel is a new file in fixtures/kernel (see `capture` there).

use crate::archive::{names, unpack};
use pagetide_core::{Manifest, Sample, Schema, Table};
use pagetide_kernel::formula::{self, Snapshot};
use pagetide_kernel::{Error, Processes, Root, Sampler, Watch, facts, parse_process_stat};
use std::fmt::Write as _;
use std::path::Path;

/// A reader's result as text; the folder of the tree is cut out of errors.
fn show<T: std::fmt::Debug>(out: &mut String, folder: &Path, name: &str, result: Result<T, Error>) {
    let text = match result {
        Ok(value) => format!("{value:#?}"),
        Err(error) => error.to_string().replace(&folder.display().to_string(), ""),
    };
    writeln!(out, "== {name}\n{text}").unwrap();
}

/// Everything that the readers say.
fn readers(root: &Root) -> String {
    let mut out = String::new();
    let folder = root.path();
    let facts = facts(root).map(|facts| {
        let Manifest { host, kernel, boot_id, cpus, page_size, memory_total, disks, swaps, mounts, sysctls, .. } =
            facts;
        ((host, kernel, boot_id, cpus, page_size, memory_total), disks, swaps, mounts, sysctls)
    });
    show(&mut out, folder, "facts", facts);
    let meminfo = root.meminfo();
    let unknown: Vec<String> = meminfo.iter().flat_map(|file| file.unknown()).map(str::to_owned).collect();
    let lines = meminfo.map(|file| file.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>());
    show(&mut out, folder, "meminfo", lines);
    writeln!(out, "unknown: {unknown:?}").unwrap();
    let lines =
        root.vmstat().map(|file| file.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>());
    show(&mut out, folder, "vmstat", lines);
    show(&mut out, folder, "zoneinfo", root.zoneinfo());
    show(&mut out, folder, "buddyinfo", root.buddyinfo());
    let disks = root.diskstats().map(|disks| {
        let line = |disk: &pagetide_kernel::DiskStats| {
            format!(
                "{}:{} {} {:?} more {:?}",
                disk.major,
                disk.minor,
                disk.name,
                disk.iter().collect::<Vec<_>>(),
                disk.more
            )
        };
        disks.iter().map(line).collect::<Vec<_>>()
    });
    show(&mut out, folder, "diskstats", disks);
    show(&mut out, folder, "stat", root.stat());
    show(&mut out, folder, "loadavg", root.loadavg());
    show(&mut out, folder, "pressure", root.pressure());
    show(&mut out, folder, "swaps", root.swaps());
    show(&mut out, folder, "mounts", root.mounts());
    show(&mut out, folder, "mountinfo", root.mountinfo());
    let mut pids = root.pids().unwrap();
    pids.sort_unstable();
    for pid in pids {
        let text = root.read(format!("/proc/{pid}/stat")).unwrap();
        show(&mut out, folder, &format!("{pid} stat"), parse_process_stat(&text).map_err(Error::from));
        show(&mut out, folder, &format!("{pid} io"), root.process_io(pid));
        show(&mut out, folder, &format!("{pid} status"), root.process_status(pid));
    }
    out
}

/// Everything that is in a sample, by table, entity and column.
fn sampled(root: &Root) -> String {
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    let watch = Watch { processes: Processes::All, ..Watch::default() };
    Sampler::new(root, watch).unwrap().sample(&mut schema, &mut sample).unwrap();
    let mut out = format!("unknown fields: {}\n", Sampler::unknown_fields(&schema));
    for table in Table::ALL {
        let Some(rows) = sample.table(table) else { continue };
        for (entity, values) in rows.rows() {
            let entity = &schema.entities(table)[entity.0 as usize];
            writeln!(out, "== {} {} ({})", table.name(), entity.name, entity.label).unwrap();
            for (column, value) in schema.columns(table).iter().zip(values) {
                let value = value.map_or("absent".to_owned(), |value| value.to_string());
                writeln!(out, "{} {value} {:?} {:?}", column.name, column.kind, column.unit).unwrap();
            }
        }
    }
    out
}

#[test]
fn every_tree_reads_as_it_always_did() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/kernel"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let trees = names();
    assert!(trees.len() >= 2, "{trees:?}");
    for name in trees {
        let folder = unpack(&name);
        let root = Root::new(folder.path());
        settings.bind(|| {
            insta::assert_snapshot!(format!("{name}-readers"), readers(&root));
            insta::assert_snapshot!(format!("{name}-sample"), sampled(&root));
        });
    }
}

#[test]
fn a_captured_tree_gives_the_kernels_own_watermarks_and_thresholds() {
    let mut checked = 0;
    for name in names() {
        let folder = unpack(&name);
        let root = Root::new(folder.path());
        let Ok(snapshot) = Snapshot::read(&root) else { continue };
        let Some(marks) = formula::watermarks(&snapshot) else { continue };
        for mark in marks {
            let zone = snapshot.zones.iter().find(|zone| zone.entity() == mark.zone).unwrap();
            assert_eq!((Some(mark.min), Some(mark.low), Some(mark.high)), (zone.min, zone.low, zone.high), "{name}");
        }
        let page = snapshot.page_size.get();
        let available = snapshot.meminfo.available().map(|bytes| bytes.get() / page);
        assert_eq!(formula::mem_available(&snapshot).map(|pages| pages.get()), available, "{name}: MemAvailable");
        let limits = formula::dirty_limits(&snapshot).unwrap();
        assert_eq!(Some(limits.threshold), snapshot.vmstat.pages("nr_dirty_threshold"), "{name}");
        assert_eq!(Some(limits.background), snapshot.vmstat.pages("nr_dirty_background_threshold"), "{name}");
        checked += 1;
    }
    assert!(checked >= 1);
}

#[test]
fn what_an_old_kernel_does_not_say_is_absent() {
    let folder = unpack("2.6.32-el6");
    let root = Root::new(folder.path());
    let meminfo = root.meminfo().unwrap();
    assert_eq!(meminfo.available(), None);
    assert_eq!(meminfo.free().unwrap().get(), 270_568 * 1024);
    assert!(root.vmstat().unwrap_err().is_absent());
    let pressure = root.pressure().unwrap();
    assert!(pressure.cpu.is_none() && pressure.memory.is_none());
    let zones = root.zoneinfo().unwrap();
    assert_eq!(zones.len(), 4);
    assert_eq!((zones[3].node, zones[3].low.unwrap().get(), zones[3].managed), (1, 14_113, None));
    assert_eq!(formula::total_reserve(&zones), None, "without the zones' sizes there is no estimate");
}
