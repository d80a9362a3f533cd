//! Where the recordings of a fleet are.

use pagetide_core::Error;
use pagetide_dir::Dir;
use pagetide_store::Reader;
use std::io;
use std::path::Path;

/// How deep below a folder recordings are looked for.
const MAX_DEPTH: usize = 8;
/// What comes before the host where a tree has several, in the name of a recording: `TREE/host=web1`. A recording's own folders of
/// that name lie one level deeper.
const HOST: &str = "/host=";

/// The recordings below a folder, by name, in order: folders with a recording, and, of trees into which the recordings of several hosts
/// were copied, one for each host. Symbolic links are not followed.
///
/// # Errors
///
/// The folder itself cannot be read. What cannot be read below it is passed over or, where it looks like a recording, named all the same.
pub fn recordings(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |error: &io::Error| {
        Error::input(
            format!("{}: {}", folder.display(), error.to_string().split(" (os error").next().unwrap_or_default()),
            "name a folder of recordings, one per host: `pagetide record -o FOLDER/HOST` makes one",
        )
    };
    let dir = Dir::open(folder).map_err(|error| failed(&error))?;
    dir.names(Path::new("")).map_err(|error| failed(&error))?;
    let mut found = Vec::new();
    search(&dir, MAX_DEPTH, &mut found);
    found.sort();
    Ok(found)
}

fn search(dir: &Dir, depth: usize, found: &mut Vec<String>) {
    let mut names = dir.names(Path::new("")).unwrap_or_default();
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
            if let Ok(below) = dir.dir(Path::new(&name)) {
                search(&below, depth - 1, found);
            }
        }
    }
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
