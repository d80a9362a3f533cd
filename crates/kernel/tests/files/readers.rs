//! What readers make of files that are absent, unlimited, or in another order than before.

use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::cgroup::{Limit, parse_limit};
use pagetide_kernel::{Root, Sampler, Watch};
use proptest::prelude::*;

#[test]
fn a_missing_file_is_named_with_its_root() {
    let missing = Root::new("/nonexistent").meminfo().unwrap_err();
    assert_eq!(missing.to_string(), "/nonexistent/proc/meminfo: cannot be read");
    assert!(missing.is_absent());
}

#[test]
fn a_limit_is_bytes_or_none() {
    for unlimited in ["max\n", "9223372036854771712\n", "9223372036854775807\n", "9223372036854710272\n"] {
        assert_eq!(parse_limit(unlimited).unwrap(), Limit::Max, "{unlimited}");
    }
    assert!(matches!(parse_limit("4096\n").unwrap(), Limit::Bytes(bytes) if bytes.get() == 4096));
    assert!(parse_limit("-1\n").is_err() && parse_limit("max").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The kernel never changes the order of lines while it runs; if it did, every number would stay with its name.
    #[test]
    fn the_sampler_follows_a_changed_order(
        names in Just((0..12).map(|n| format!("name_{n}")).collect::<Vec<_>>()).prop_shuffle(),
        again in Just((0..12).map(|n| format!("name_{n}")).collect::<Vec<_>>()).prop_shuffle(),
        keep in 1usize..12,
        values in prop::collection::vec(any::<u64>(), 12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("proc")).unwrap();
        let number = |name: &str| values[name.trim_start_matches("name_").parse::<usize>().unwrap()];
        let write = |names: &[String]| {
            let lines: String = names.iter().map(|name| format!("{name} {}\n", number(name))).collect();
            std::fs::write(folder.path().join("proc/vmstat"), lines).unwrap();
            let disk = |name: &String| format!("1 1 {name} {}\n", vec![number(name).to_string(); 11].join(" "));
            std::fs::write(folder.path().join("proc/diskstats"), names.iter().map(disk).collect::<String>()).unwrap();
        };
        write(&names);
        let mut sampler = Sampler::new(&Root::new(folder.path()), Watch::default()).unwrap();
        let (mut schema, mut sample) = (Schema::default(), Sample::default());
        for order in [&names[..], &again[..keep], &names[..]] {
            write(order);
            sampler.sample(&mut schema, &mut sample).unwrap();
            let (_, row) = sample.table(Table::Host).unwrap().rows().next().unwrap();
            for name in &names {
                let at = schema.find_column(Table::Host, name).unwrap().0 as usize;
                let wanted = order.contains(name).then(|| i64::try_from(number(name)).unwrap_or(i64::MAX));
                prop_assert_eq!(row.get(at).copied().flatten(), wanted);
            }
            let disks = sample.table(Table::Disk).unwrap();
            prop_assert_eq!(disks.rows().count(), order.len());
            for (entity, row) in disks.rows() {
                let name = &schema.entities(Table::Disk)[entity.0 as usize].name;
                prop_assert_eq!(row[0], Some(i64::try_from(number(name)).unwrap_or(i64::MAX)));
            }
        }
        prop_assert_eq!(schema.entities(Table::Disk).len(), 12, "a disk that comes back is the same one");
    }
}
