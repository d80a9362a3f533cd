//! Every bomb is refused in one line, with the memory of a small machine, and costs less than a gigabyte.

use pagetide_core::{ErrorKind, Selection, Source, Table, derived};
use pagetide_fuzz::bomb::{BOMBS, Kind};
use pagetide_store::import::{Input, Options, import};
use pagetide_store::{Curve, Level, Reader, limit_memory};
use rustix::process::{Resource, Rlimit, setrlimit};

/// What a bomb may cost: half as much again as the least that any reading operation may take.
const ADDRESS_SPACE: u64 = 3 << 29;

#[test]
fn a_bomb_is_one_line_and_costs_little() {
    let scratch = tempfile::tempdir().unwrap();
    BOMBS.iter().for_each(|bomb| (bomb.write)(&scratch.path().join(bomb.name)));
    // As a program does when it starts.
    limit_memory(ADDRESS_SPACE / 2);
    let limit = Rlimit { current: Some(ADDRESS_SPACE), maximum: Some(ADDRESS_SPACE) };
    setrlimit(Resource::As, limit).unwrap();
    for bomb in BOMBS {
        let path = scratch.path().join(bomb.name);
        let refused = match bomb.kind {
            Kind::Recording => Reader::open(&path).and_then(|reader| reader.load(&Selection::default())).err(),
            Kind::Import => import(&[Input::file(&path)], &Options::default()).err(),
            Kind::Pyramid => {
                let metric = derived::recorded(Table::Host, "MemFree").unwrap();
                let curves = [Curve { table: Table::Host, entity: String::new(), metric }];
                let reader = Reader::open(&path).unwrap();
                let buckets = reader.buckets(None, (i64::MIN, i64::MAX), Level::TenSeconds, &curves).unwrap();
                // The file is not believed: the samples say that there is no such metric.
                assert_eq!((buckets.curves, buckets.missing), (vec![vec![]], 1));
                continue;
            }
        };
        let refused = refused.unwrap_or_else(|| panic!("{} is read", bomb.name));
        assert_eq!(refused.kind, ErrorKind::Input, "{}: {refused}", bomb.name);
        assert!(refused.what.contains(" hostile: ") && refused.what.contains(" exceeds "), "{refused}");
        assert!(!refused.to_string().contains('\n'));
    }
}
