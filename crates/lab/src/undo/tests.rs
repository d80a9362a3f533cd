use super::*;
use proptest::prelude::*;

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        ("[a-z.]{1,12}", "[0-9 \t]{0,6}", "[a-z.]{1,12}", "\\PC{0,8}")
            .prop_map(|(name, set, back, before)| Change::Sysctl { name, set, back, before }),
        "/[a-z/\n\"]{0,12}".prop_map(|path| Change::Cgroup { path: path.into() }),
        "/[a-z/]{0,12}".prop_map(|path| Change::Folder { path: path.into() }),
        (any::<u32>(), any::<u64>(), "\\PC{0,8}")
            .prop_map(|(pid, started, what)| Change::Process { process: Identity { pid, started }, what }),
        (any::<u64>(), any::<u64>()).prop_map(|(set, before)| Change::DeviceLimit {
            file: "/x".into(),
            device: "254:0".into(),
            set,
            before
        }),
    ];
    prop::collection::vec(change, 0..6)
}

proptest! {
    /// However much of a journal reached the disk, exactly the changes whose record is complete are read back.
    #[test]
    fn any_prefix_of_a_journal_gives_its_complete_records(changes in changes(), cut in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let mut file = File::create(&path).unwrap();
        append(&mut file, &Head { owner: Identity::own(), boot_id: boot_id() }, &path).unwrap();
        let mut ends = vec![fs::read(&path).unwrap().len()];
        for change in &changes {
            append(&mut file, change, &path).unwrap();
            ends.push(fs::read(&path).unwrap().len());
        }
        let text = fs::read(&path).unwrap();
        let cut = cut.index(text.len() + 1);
        let whole = ends.iter().filter(|end| **end <= cut).count();
        let read = complete(&String::from_utf8_lossy(&text[..cut]));
        match whole.checked_sub(1) {
            None => prop_assert!(read.is_none()),
            Some(count) => prop_assert_eq!(&read.unwrap().1[..], &changes[..count]),
        }
    }
}

/// Writes a journal as a process that has ended would have left it.
fn orphan(folder: &Path, changes: &[Change], boot: &str) {
    let path = folder.join("undo-1-0.jsonl");
    let mut file = File::create(&path).unwrap();
    let owner = Identity { pid: std::process::id(), started: 1 };
    append(&mut file, &Head { owner, boot_id: boot.to_owned() }, &path).unwrap();
    for change in changes {
        append(&mut file, change, &path).unwrap();
    }
}

#[test]
fn a_dead_run_is_recovered_and_a_living_one_is_let_be() {
    let folder = tempfile::tempdir().unwrap();
    let alive = Journal::open_in(folder.path()).unwrap();
    let data = folder.path().join("pagetide-a");
    alive.make_folder(&data).unwrap();
    let dead = folder.path().join("pagetide-b");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("file"), "x").unwrap();
    orphan(folder.path(), &[Change::Folder { path: dead.clone() }], &boot_id());

    let lines = recover_in(folder.path()).unwrap();
    assert_eq!(lines, [format!("removed {}", dead.display())]);
    assert!(!dead.exists() && data.exists());
    assert!(recover_in(folder.path()).unwrap().is_empty(), "a second time there is nothing to do");
    assert!(alive.undo().is_empty());
    assert!(!data.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no journal stays");
}

#[test]
fn after_a_new_start_of_the_host_only_folders_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("pagetide-a");
    let group = folder.path().join("group");
    fs::create_dir(&data).unwrap();
    fs::create_dir(&group).unwrap();
    orphan(folder.path(), &[Change::Folder { path: data.clone() }, Change::Cgroup { path: group.clone() }], "earlier");
    recover_in(folder.path()).unwrap();
    assert!(!data.exists() && group.exists());
}

#[test]
fn a_folder_that_is_not_the_labs_is_never_removed() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    orphan(folder.path(), &[Change::Folder { path: precious.clone() }], &boot_id());
    let lines = recover_in(folder.path()).unwrap();
    assert!(precious.exists() && lines[0].starts_with("left "), "{lines:?}");
    let journal = Journal::open_in(folder.path()).unwrap();
    assert!(journal.make_folder(&folder.path().join("other")).is_err());
    assert!(journal.make_folder(Path::new("pagetide-relative")).is_err());
}

#[test]
fn a_panic_undoes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("pagetide-a");
    let panicked = std::panic::catch_unwind(|| {
        let journal = Journal::open_in(folder.path()).unwrap();
        journal.make_folder(&data).unwrap();
        assert!(!data.exists(), "this panics on purpose");
    });
    assert!(panicked.is_err() && !data.exists());
}

#[test]
fn a_process_is_known_by_its_start_time() {
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let process = Identity::of(child.id()).unwrap();
    assert!(process.alive());
    assert!(!kill(Identity { started: process.started + 1, ..process }), "a later process with that id is not ours");
    assert!(process.alive());
    assert!(kill(process));
    assert!(!process.alive(), "a zombie is not alive");
    child.wait().unwrap();
}
