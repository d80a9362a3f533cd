//! The folders of runs.

use crate::recordings;
use pagetide_core::Error;
use std::path::{Path, PathBuf};

/// What a run's folder and a batch's folder hold from their first moment on.
pub(super) const SCENARIO: &str = "scenario.toml";
pub(super) const BATCH: &str = "batch.json";

/// `run/<name>-<time>`.
pub(super) fn named(name: &str) -> PathBuf {
    let time = recordings::timestamp(pagetide_recorder::now().wall_ns).replace([':', '-'], "");
    PathBuf::from("run").join(format!("{name}-{}", time.split('.').next().unwrap_or_default()))
}

/// A folder, made and empty. An earlier run is replaced only when the user says so, and nothing else ever is.
pub(super) fn make(folder: &Path, force: bool) -> Result<PathBuf, Error> {
    let refused = |error: std::io::Error| {
        Error::system(format!("{}: {error}", folder.display()), "name a folder that can be written with --out")
    };
    std::fs::create_dir_all(folder).map_err(refused)?;
    if std::fs::read_dir(folder).map_err(refused)?.next().is_some() {
        if !folder.join(SCENARIO).exists() && !folder.join(BATCH).exists() {
            return Err(Error::input(
                format!("{} holds something that is not a run", folder.display()),
                "name an empty folder with --out",
            ));
        }
        if !force {
            return Err(Error::input(
                format!("{} holds a run already", folder.display()),
                "--force replaces it, or name another folder with --out",
            ));
        }
        std::fs::remove_dir_all(folder).and_then(|()| std::fs::create_dir_all(folder)).map_err(refused)?;
    }
    // fio runs in another folder, and people copy the path of the report.
    folder.canonicalize().map_err(refused)
}

/// Takes away the folder of a run that was refused before anything was recorded: there is nothing in it to look at.
pub(super) fn forget_unless_begun(folder: &Path) {
    let recording = folder.join("recording");
    let entries = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    if entries(recording.clone()).any(|entry| entry.file_name() != "open" || entries(entry.path()).next().is_some()) {
        return;
    }
    // What cannot be removed stays: the error is what matters now. A folder that holds anything else stays as well.
    let _ = std::fs::remove_dir_all(&recording);
    let _ = std::fs::remove_file(folder.join(SCENARIO));
    let _ = std::fs::remove_dir(folder);
}

/// Writes a file in one.
pub(super) fn write(file: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(file, text).map_err(|error| {
        Error::system(format!("{}: {error}", file.display()), "free some room, or name another folder with --out")
    })
}
