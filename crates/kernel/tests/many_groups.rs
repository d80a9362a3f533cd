//! A tree of thousands of groups. A binary of its own: the sampler keeps as many files open as a process may.

#[path = "support/groups.rs"]
mod groups;

use groups::{V2, groups, write};
use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::{Root, Sampler, Watch};

#[test]
fn a_tree_of_groups_is_followed_and_what_has_no_room_is_counted() {
    let root = tempfile::tempdir().unwrap();
    let top = root.path().join("sys/fs/cgroup");
    write(&top, &V2);
    write(&top.join("a/b"), &V2);
    write(&top.join("a"), &V2);
    std::fs::create_dir_all(root.path().join("proc")).unwrap();
    let watch = Watch { cgroups: vec!["/sys/fs/cgroup/**".into()], ..Watch::default() };
    let mut sampler = Sampler::new(&Root::new(root.path()), watch).unwrap();
    let (mut schema, mut sample) = (Schema::default(), Sample::default());
    assert_eq!(groups(&mut sampler, &mut schema, &mut sample), ["", "/a", "/a/b"]);
    write(&top.join("a/c"), &V2);
    assert_eq!(groups(&mut sampler, &mut schema, &mut sample), ["", "/a", "/a/b", "/a/c"], "a new one");
    for group in 0..4200 {
        write(&top.join(format!("many/{group:03}")), &V2);
    }
    let found = groups(&mut sampler, &mut schema, &mut sample);
    assert_eq!(found.len(), 4095, "4096 groups, of which many itself has no files");
    assert_eq!(found[..5], ["", "/a", "/a/b", "/a/c", "/many/000"], "those nearer to the top come first");
    let host = |name| {
        let column = schema.find_column(Table::Host, name).unwrap().0 as usize;
        sample.table(Table::Host).unwrap().rows().next().unwrap().1[column]
    };
    assert_eq!((host("scan_groups"), host("scan_groups_skipped")), (Some(4095), Some(109)));
}
