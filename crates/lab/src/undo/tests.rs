use super::*;
use pagetide_core::Sysctl;
use proptest::prelude::*;

fn sysctl() -> impl Strategy<Value = Sysctl> {
    prop::sample::select(Sysctl::all().collect::<Vec<_>>())
}

/// A control group of that name, as a journal holds it.
fn group(name: &str) -> change::Marked {
    name.to_owned().try_into().unwrap()
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        (sysctl(), any::<i64>(), sysctl(), any::<i64>()).prop_map(|(name, set, back, before)| Change::Sysctl {
            name,
            set,
            back,
            before
        }),
        "pagetide-[a-z0-9]{0,12}(/pagetide-[a-z_]{1,4})?".prop_map(|name| Change::Cgroup { group: group(&name) }),
        "/[a-z/]{0,12}".prop_map(|path| Change::Folder { path: path.into() }),
        (any::<u32>(), any::<u64>(), "\\PC{0,8}")
            .prop_map(|(pid, started, what)| Change::Process { process: Identity { pid, started }, what }),
        (any::<u64>(), any::<u64>()).prop_map(|(set, before)| Change::DeviceLimit {
            throttle: Throttle::ReadBps,
            device: (254, 0),
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
        let read = recovery::parse(&String::from_utf8_lossy(&text[..cut]));
        match whole.checked_sub(1) {
            None => prop_assert!(read.is_none()),
            Some(count) => {
                let read = read.unwrap();
                prop_assert_eq!((&read.changes[..], read.unknown), (&changes[..count], 0));
            }
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
    assert_eq!(lines.undone, [format!("removed {}", dead.display())]);
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
    fs::create_dir(&data).unwrap();
    let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let process = Identity::of(other.id()).unwrap();
    let changes = [Change::Folder { path: data.clone() }, Change::Process { process, what: "sleep".into() }];
    orphan(folder.path(), &changes, "earlier");
    recover_in(folder.path()).unwrap();
    assert!(!data.exists() && process.alive(), "another process has that id now");
    kill(process);
    other.wait().unwrap();
}

#[test]
fn a_folder_that_is_not_the_labs_is_never_removed() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    orphan(folder.path(), &[Change::Folder { path: precious.clone() }], &boot_id());
    let lines = recover_in(folder.path()).unwrap();
    assert!(precious.exists() && lines.left[0].starts_with("left "), "{lines:?}");
    let journal = Journal::open_in(folder.path()).unwrap();
    assert!(journal.make_folder(&folder.path().join("other")).is_err());
    assert!(journal.make_folder(Path::new("pagetide-relative")).is_err());
}

#[test]
fn what_a_journal_names_is_checked_whoever_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let link = folder.path().join("pagetide-link");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    orphan(folder.path(), &[Change::Folder { path: link.clone() }], &boot_id());
    let journal = folder.path().join("undo-1-0.jsonl");
    let mut text = fs::read_to_string(&journal).unwrap();
    for change in [
        format!(r#"{{"change":"sysctl","name":"{0}","set":1,"back":"{0}","before":7}}"#, precious.display()),
        r#"{"change":"sysctl","name":"kernel.core_pattern","set":1,"back":"kernel.core_pattern","before":7}"#
            .to_owned(),
        r#"{"change":"cgroup","group":"../../tmp"}"#.to_owned(),
        r#"{"change":"device_limit","throttle":"/etc/hosts","device":[1,2],"set":1,"before":2}"#.to_owned(),
    ] {
        text += &(change + "\n");
    }
    fs::write(&journal, text).unwrap();
    let lines = recover_in(folder.path()).unwrap();
    assert!(lines.undone.is_empty() && lines.left.len() == 2, "{lines:?}");
    assert!(lines.left[1].contains("4 of its changes"), "{lines:?}");
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
    assert!(journal.exists() && link.is_symlink(), "it stays for a person to look at");
}

#[test]
fn a_journal_is_a_regular_file_of_its_user_in_a_folder_of_its_user() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lab");
    let journal = Journal::open_in(&path).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(journal.undo().is_empty());
    // Root would wait for a writer of the first, and do what the second says.
    for plant in [true, false] {
        let file = path.join("undo-1-0.jsonl");
        if plant {
            rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::RUSR).unwrap();
        } else {
            orphan(&path, &[], &boot_id());
            chown(&file, Some(65534), None).unwrap();
        }
        assert!(recover_in(&path).is_err());
        fs::remove_file(&file).unwrap();
    }
    chown(&path, Some(65534), None).unwrap();
    let error = recover_in(&path).unwrap_err();
    assert!(error.what.contains("belongs to another user"), "{error}");
    assert!(Journal::open_in(&path).is_err() && HostLock::acquire_in(&path).is_err());
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
