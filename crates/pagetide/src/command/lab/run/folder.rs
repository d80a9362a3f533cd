//! The folders of runs.

use pagetide_core::{Document, Error};
use pagetide_dir::Dir;
use std::path::{Path, PathBuf};

/// The files that a run's folder and a batch's folder have from the start.
pub(super) const SCENARIO: &str = "scenario.toml";
pub(super) const BATCH: &str = "batch.json";

/// The first of `run/NAME-1`, `run/NAME-2`, … that does not exist.
pub(super) fn unused(name: &str) -> PathBuf {
    let mut folders = (1_u64..).map(|number| PathBuf::from("run").join(format!("{name}-{number}")));
    folders.find(|folder| !folder.exists()).unwrap_or_else(|| PathBuf::from("run"))
}

/// Creates an empty folder. It replaces an earlier run only if the user says so, and never anything else.
pub(super) fn make(folder: &Path, force: bool) -> Result<Dir, Error> {
    let refused = |error: std::io::Error| {
        Error::system(format!("{}: {error}", folder.display()), "name a writable folder with -o")
    };
    let dir = Dir::own(folder, None).map_err(refused)?;
    let names = dir.names(Path::new("")).map_err(refused)?;
    // fio runs in another folder, and people copy the path of the report.
    let folder = &folder.canonicalize().map_err(refused)?;
    if !names.is_empty() {
        if !names.iter().any(|name| name == SCENARIO || name == BATCH) {
            return Err(Error::input(
                format!("{} contains files that do not belong to a run", folder.display()),
                "name an empty folder with -o",
            ));
        }
        if !force {
            return Err(Error::input(
                format!("{} contains a run", folder.display()),
                "--force overwrites it; or name another folder with -o",
            ));
        }
        std::fs::remove_dir_all(folder).map_err(refused)?;
    }
    Dir::own(folder, None).map_err(refused)
}

/// Takes away the folder of a run that was refused before anything was recorded: there is nothing in it to look at.
pub(super) fn forget_unless_begun(folder: &Path) {
    let recording = folder.join("recording");
    let entries = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    if entries(recording.clone()).any(|entry| entry.file_name() != "open" || entries(entry.path()).next().is_some()) {
        return;
    }
    // What cannot be removed stays: the first error matters more. A folder that holds anything else stays as well.
    let _ = std::fs::remove_dir_all(&recording);
    let _ = std::fs::remove_file(folder.join(SCENARIO));
    let _ = std::fs::remove_dir(folder);
}

/// Writes a file in one.
pub(super) fn write(folder: &Dir, name: &str, content: &[u8]) -> Result<(), Error> {
    folder.replace(Path::new(name), content).map_err(|error| {
        let file = folder.path().join(name);
        Error::system(format!("{}: {error}", file.display()), "free some room, or name another folder with -o")
    })
}

/// Writes a value as JSON in one.
pub(super) fn write_json(folder: &Dir, name: &str, value: &impl serde::Serialize) -> Result<(), Error> {
    let text = Document::new(value).to_text().map_err(|error| {
        Error::system(format!("{}: {error}", folder.path().join(name).display()), "this is a bug in pagetide")
    })?;
    write(folder, name, text.as_bytes())
}
