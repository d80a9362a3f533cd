//! Where the recordings of a fleet are.

use pagetide_core::Error;
use pagetide_dir::Dir;
use pagetide_store::{Reader, cut};
use std::io;
use std::path::Path;

/// How deep below a folder recordings are looked for.
const MAX_DEPTH: usize = 8;
/// What comes before the host where a tree has several, in the name of a recording: `TREE/host=web1`. A recording's own folders of
/// that name lie one level deeper.
const HOST: &str = "/host=";
/// What `mkfs` makes for `fsck` at the top of a file system, for root only.
const LOST_AND_FOUND: &str = "lost+found";

/// The recordings below a folder, by name, in order: folders with a recording, files of `pagetide cut`, and, of trees into which the
/// recordings of several hosts were copied, one for each host. Symbolic links are not followed.
///
/// # Errors
///
/// The folder itself cannot be read. A folder below it that cannot be read is named all the same: it may be a recording, and its row says
/// why nothing is known of it.
pub fn recordings(folder: &Path) -> Result<Vec<String>, Error> {
    const HINT: &str = "name a folder of recordings, one per host: `pagetide record -o FOLDER/HOST` makes one";
    let failed = |error: &io::Error| Error::unreadable(folder, error, HINT);
    let dir = match Dir::open(folder) {
        Ok(dir) => dir,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Reader::open(folder)?;
            return Ok(vec![folder.display().to_string()]);
        }
        Err(error) => return Err(failed(&error)),
    };
    dir.names(Path::new("")).map_err(|error| failed(&error))?;
    let mut found = Vec::new();
    search(&dir, MAX_DEPTH, &mut found);
    found.sort();
    Ok(found)
}

fn search(dir: &Dir, depth: usize, found: &mut Vec<String>) {
    let Ok(mut names) = dir.names(Path::new("")) else {
        found.push(dir.path().display().to_string());
        return;
    };
    names.sort();
    if looks_like_recording(dir, &names) {
        let path = dir.path().display().to_string();
        let hosts = dir.reopen().map_err(|_| ()).and_then(|dir| pagetide_store::hosts(dir).map_err(|_| ()));
        match hosts {
            Ok(hosts) if hosts.len() > 1 => found.extend(hosts.iter().map(|host| format!("{path}{HOST}{host}"))),
            _ => found.push(path),
        }
        return;
    }
    if depth > 0 {
        for name in names {
            if name.ends_with(cut::SUFFIX) && is_file(dir, &name) {
                found.push(dir.path().join(&name).display().to_string());
                continue;
            }
            match dir.dir(Path::new(&name)) {
                Ok(below) => search(&below, depth - 1, found),
                // `record` makes folders that other users may not read.
                Err(error) if is_unreadable(&error) && name != LOST_AND_FOUND => {
                    found.push(dir.path().join(&name).display().to_string());
                }
                Err(_) => {}
            }
        }
    }
}

/// Whether a folder is there, and the system refuses to open it. Files and symbolic links are no folders.
fn is_unreadable(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, Other};
    !matches!(error.kind(), NotADirectory | NotFound | Other)
}

/// Whether a name is of a file, be it one that may not be read.
fn is_file(dir: &Dir, name: &str) -> bool {
    dir.file(Path::new(name), u64::MAX).map_or_else(|error| error.kind() == io::ErrorKind::PermissionDenied, |_| true)
}

/// A manifest, a log, or a table with the partition of a host: also of a copy that was interrupted before its manifest came.
fn looks_like_recording(dir: &Dir, names: &[String]) -> bool {
    let partitioned = |name: &String| {
        let below = dir.names(Path::new(name)).unwrap_or_default();
        below.iter().any(|below| below.starts_with(&HOST[1..]) || (name == "open" && below.ends_with(".log")))
    };
    names.iter().any(|name| name == "manifest.json") || names.iter().any(partitioned)
}

/// Opens a recording by the name that [`recordings`] gives it, or by its folder.
pub(crate) fn open(recording: &str) -> Result<Reader, Error> {
    if let Some((tree, host)) = recording.rsplit_once(HOST).filter(|(_, host)| !host.contains('/'))
        && let Ok(dir) = Dir::open(Path::new(tree))
    {
        return Reader::open_host(dir, host);
    }
    Reader::open(Path::new(recording))
}

#[cfg(test)]
mod tests {
    use super::is_unreadable;
    use pagetide_dir::Dir;
    use std::fs;
    use std::io;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// Root may read every folder, so the error of another user is made by hand.
    #[test]
    fn a_folder_that_may_not_be_read_is_told_from_what_is_no_folder() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("file"), "").unwrap();
        symlink(scratch.path(), scratch.path().join("link")).unwrap();
        let dir = Dir::open(scratch.path()).unwrap();
        for name in ["file", "link", "gone"] {
            let error = dir.dir(Path::new(name)).unwrap_err();
            assert!(!is_unreadable(&error), "{name}: {error}");
        }
        for error in [io::ErrorKind::PermissionDenied, io::ErrorKind::StaleNetworkFileHandle] {
            assert!(is_unreadable(&error.into()), "{error}");
        }
    }
}
