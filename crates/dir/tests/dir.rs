//! What another user who can write in a directory may plant there, and what becomes of it. As root, for two users are needed.

use pagetide_dir::Dir;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

const NOBODY: u32 = 65534;

#[test]
fn a_directory_of_another_user_is_read_but_not_written() {
    let scratch = tempfile::tempdir().unwrap();
    let theirs = scratch.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("a"), "text").unwrap();
    chown(&theirs, Some(NOBODY), None).unwrap();
    let error = Dir::own(&theirs, None).unwrap_err().to_string();
    assert!(error.contains("belongs to another user (uid 65534)"), "{error}");
    assert_eq!(Dir::open(&theirs).unwrap().read(Path::new("a"), 10).unwrap(), b"text");

    // Not by a link of theirs to one of ours either, while a link of root's is what systemd makes of a state directory.
    let ours = scratch.path().join("ours");
    fs::create_dir(&ours).unwrap();
    let link = scratch.path().join("link");
    symlink(&ours, &link).unwrap();
    assert_eq!(Dir::own(&link, None).unwrap().names(Path::new("")).unwrap(), [""; 0]);
    std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
    assert!(Dir::own(&link, None).is_err());
    // A directory below that somebody else put there is none to write to.
    fs::create_dir(ours.join("below")).unwrap();
    chown(ours.join("below"), Some(NOBODY), None).unwrap();
    let dir = Dir::own(&ours, None).unwrap();
    assert!(dir.create_new(Path::new("below/file")).is_err());
    assert!(dir.make_dir(Path::new("below/deeper")).is_err());
}

#[test]
fn no_link_below_is_followed_and_nothing_leaves() {
    let scratch = tempfile::tempdir().unwrap();
    let precious = scratch.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let path = scratch.path().join("dir");
    let dir = Dir::own(&path, None).unwrap();
    for name in ["file", ".file.tmp"] {
        symlink(&precious, path.join(name)).unwrap();
    }
    symlink(scratch.path(), path.join("up")).unwrap();
    let file = Path::new("file");
    assert!(dir.create_new(file).is_err());
    assert!(dir.file(file, 100).is_err());
    for path in ["up/precious", "../precious", "/etc/hosts"].map(Path::new) {
        assert!(dir.file(path, 1 << 20).is_err(), "{}", path.display());
        assert!(dir.create_new(&path.with_extension("new")).is_err());
        assert!(dir.remove(path).is_err());
    }
    assert!(dir.names(Path::new("up")).is_err());
    assert!(dir.make_dir(Path::new("up/made")).is_err());
    assert!(dir.append(file, b"new").is_err());
    dir.replace(file, b"new").unwrap();
    assert_eq!(fs::read(path.join("file")).unwrap(), b"new");
    assert!(!path.join("file").is_symlink(), "the link was replaced, not followed");
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
}

#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("dir");
    let dir = Dir::own(&path, None).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, path.join("fifo"), rustix::fs::Mode::RUSR).unwrap();
    // An open for reading would wait for a writer.
    assert!(dir.file(Path::new("fifo"), 10).unwrap_err().to_string().contains("not a regular file"));
    assert!(dir.file(Path::new(""), 10).is_err());
    fs::write(path.join("large"), [0; 11]).unwrap();
    assert!(dir.read(Path::new("large"), 10).is_err());
    assert_eq!(dir.read(Path::new("large"), 11).unwrap().len(), 11);
}

#[test]
fn modes_and_group_are_the_same_whatever_the_umask() {
    let scratch = tempfile::tempdir().unwrap();
    for mask in [0o000, 0o022, 0o077] {
        let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
        let path = scratch.path().join(format!("{mask:o}"));
        let dir = Dir::own(&path, Some(NOBODY)).unwrap();
        dir.make_dir(Path::new("a/b")).unwrap();
        dir.replace(Path::new("a/b/c"), b"").unwrap();
        rustix::process::umask(before);
        for (name, mode) in [("", 0o750), ("a", 0o750), ("a/b", 0o750), ("a/b/c", 0o640)] {
            let data = path.join(name).metadata().unwrap();
            assert_eq!((data.permissions().mode() & 0o7777, data.gid()), (mode, NOBODY), "umask {mask:o}, {name:?}");
        }
    }
}

#[test]
fn a_removed_directory_is_known_and_a_lock_is_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("dir");
    let dir = Dir::own(&path, None).unwrap();
    let lock = dir.lock().unwrap();
    assert!(Dir::own(&path, None).unwrap().lock().is_err());
    drop(lock);
    assert!(dir.lock().is_ok());
    assert!(!dir.has_left_its_path());
    fs::remove_dir(&path).unwrap();
    assert!(dir.has_left_its_path());
}
