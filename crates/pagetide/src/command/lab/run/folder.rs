//! The folders of runs.

use pagetide_core::{Document, Error};
use pagetide_dir::Dir;
use std::path::{Path, PathBuf};

/// The files that a run's folder and a batch's folder have from the start.
pub(super) const SCENARIO: &str = "scenario.toml";
pub(super) const BATCH: &str = "batch.json";
/// The file that a run writes last.
pub(super) const REPORT: &str = "report.html";

/// What a folder is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One run.
    Run,
    /// Several runs.
    Batch,
}

/// The first of `run/NAME-1`, `run/NAME-2`, … that does not exist.
pub(super) fn unused(name: &str) -> PathBuf {
    let mut folders = (1_u64..).map(|number| PathBuf::from("run").join(format!("{name}-{number}")));
    folders.find(|folder| !folder.exists()).unwrap_or_else(|| PathBuf::from("run"))
}

/// Creates an empty folder. It replaces an earlier run, or several by several, only if the user says so, and never anything else.
pub(super) fn make(folder: &Path, purpose: Purpose, force: bool) -> Result<Dir, Error> {
    let refused = |error: std::io::Error| {
        Error::system(format!("{}: {error}", folder.display()), "name a writable folder with -o")
    };
    let dir = Dir::own(folder, None).map_err(refused)?;
    let names = dir.names(Path::new("")).map_err(refused)?;
    // fio runs in another folder, and people copy the path of the report.
    let folder = &folder.canonicalize().map_err(refused)?;
    if !names.is_empty() {
        let has = |file: &str| names.iter().any(|name| name == file);
        if !has(SCENARIO) && !has(BATCH) {
            return Err(Error::input(
                format!("{} contains files that do not belong to a run", folder.display()),
                "name an empty folder with -o",
            ));
        }
        if has(BATCH) && purpose == Purpose::Run {
            return Err(Error::input(
                format!("{} contains several runs, and one run does not replace them", folder.display()),
                "name another folder with -o",
            ));
        }
        if !force {
            let (what, hint) = match has(BATCH) {
                true => (
                    "several runs",
                    "--resume goes on with them, --force overwrites them; or name another folder with -o",
                ),
                false => ("a run", "--force overwrites it; or name another folder with -o"),
            };
            return Err(Error::input(format!("{} contains {what}", folder.display()), hint));
        }
        std::fs::remove_dir_all(folder).map_err(refused)?;
    }
    Dir::own(folder, None).map_err(refused)
}

/// The folder of several runs to go on with; a new one where there is nothing yet.
pub(super) fn go_on(folder: &Path) -> Result<Dir, Error> {
    if !folder.join(BATCH).exists() {
        return make(folder, Purpose::Batch, false);
    }
    let refused = |error: std::io::Error| {
        Error::system(format!("{}: {error}", folder.display()), "name the folder of your own runs with -o")
    };
    Dir::own(&folder.canonicalize().map_err(refused)?, None).map_err(refused)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_replaces_one_and_never_several() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("b");
        let begun = |file: &str| write(&make(&place, Purpose::Batch, true).unwrap(), file, b"x").unwrap();
        begun(SCENARIO);
        assert!(make(&place, Purpose::Run, false).unwrap_err().what.ends_with("contains a run"));
        make(&place, Purpose::Run, true).unwrap();
        begun(BATCH);
        std::fs::create_dir(place.join("one")).unwrap();
        for force in [false, true] {
            let refused = make(&place, Purpose::Run, force).unwrap_err().what;
            assert!(refused.ends_with("contains several runs, and one run does not replace them"), "{refused}");
        }
        assert!(make(&place, Purpose::Batch, false).unwrap_err().what.ends_with("contains several runs"));
        assert!(place.join("one").exists());
        make(&place, Purpose::Batch, true).unwrap();
        assert!(!place.join("one").exists());
    }
}
