//! Where outputs go when another user has put links in their way. As root: other users are played by their numbers.

use pagetide_dir::{Dir, write_file, write_file_by};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;

const OTHER: u32 = 65_534;

/// A folder that everybody can write to, like /tmp, with a folder of the caller's and links of another user to it; none without root.
fn trap() -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let mine = folder.path().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("precious"), "precious").unwrap();
    for (name, target) in [("way", mine.clone()), ("file", mine.join("precious")), ("new", mine.join("planted"))] {
        symlink(target, folder.path().join(name)).unwrap();
        if lchown(folder.path().join(name), Some(OTHER), Some(OTHER)).is_err() {
            return None;
        }
    }
    Some((folder, mine))
}

fn untouched(mine: &Path) {
    let names: Vec<_> = fs::read_dir(mine).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["precious"]);
    assert_eq!(fs::read_to_string(mine.join("precious")).unwrap(), "precious");
}

#[test]
fn no_output_follows_a_link_of_another_user() {
    let Some((folder, mine)) = trap() else { return };
    for name in ["file", "new", "way/report.html", "way/../mine/report.html"] {
        assert!(write_file(&folder.path().join(name), b"x").is_err(), "{name}");
        untouched(&mine);
    }
    for name in ["way", "way/below", "new"] {
        let path = folder.path().join(name);
        assert!(Dir::own(&path, None).is_err() && Dir::for_output(&path, true).is_err(), "{name}");
        untouched(&mine);
    }
}

#[test]
fn the_callers_own_links_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    symlink("real", folder.path().join("link")).unwrap();
    symlink(folder.path().join("link"), folder.path().join("absolute")).unwrap();
    for name in ["link/a", "absolute/b", "link/../real/c"] {
        write_file(&folder.path().join(name), b"x").unwrap();
    }
    let mut names: Vec<_> =
        fs::read_dir(folder.path().join("real")).unwrap().flatten().map(|e| e.file_name()).collect();
    names.sort();
    assert_eq!(names, ["a", "b", "c"]);
    Dir::own(&folder.path().join("link/deep/er"), None).unwrap();
    assert!(folder.path().join("real/deep/er").is_dir());
    symlink("loop", folder.path().join("loop")).unwrap();
    assert!(Dir::own(&folder.path().join("loop/x"), None).is_err());
}

#[test]
fn a_file_that_cannot_be_written_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report");
    write_file(&path, b"before").unwrap();
    let failed = write_file_by(&path, |file| file.write_all(b"half").and(Err(std::io::ErrorKind::StorageFull.into())));
    assert!(failed.is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
