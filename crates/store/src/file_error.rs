//! File system errors as one line: what failed, where, and a hint.

use crate::budget::Exceeded;
use pagetide_core::{Error, os_text};
use std::io;
use std::path::Path;

/// Why something could not be read at `path`.
pub(crate) fn reading(doing: &str, path: &Path, error: &io::Error) -> Error {
    if let Some(exceeded) = Exceeded::of(error) {
        return exceeded.at(path);
    }
    let what = what(doing, path, error);
    match error.kind() {
        io::ErrorKind::PermissionDenied => Error::system(what, "run it as a user who may read it, or as root"),
        _ => Error::system(what, ""),
    }
}

/// Why something could not be written at `path`.
pub(crate) fn writing(doing: &str, path: &Path, error: &io::Error) -> Error {
    if let Some(exceeded) = Exceeded::of(error) {
        return exceeded.at(path);
    }
    let what = what(doing, path, error);
    match error.kind() {
        io::ErrorKind::PermissionDenied => Error::system(what, "use a folder that you may write to, or run it as root"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Error::system(what, "make room on that file system")
        }
        io::ErrorKind::ReadOnlyFilesystem => Error::system(what, "use a folder on a file system that can be written"),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Error::input(what, "a file is in the way: use another folder, or move the file")
        }
        _ => Error::system(what, ""),
    }
}

fn what(doing: &str, path: &Path, error: &io::Error) -> String {
    format!("{}: cannot {doing}: {}", path.display(), os_text(error).to_lowercase())
}

/// A recording of a newer pagetide.
pub(crate) fn newer(path: &Path, version: u32) -> Error {
    let known = crate::FORMAT_VERSION;
    Error::too_new(format!("{}: format version {version}, this pagetide reads up to {known}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::at_most;

    #[test]
    fn an_excess_is_wrong_input_however_it_comes_through() {
        let error: io::Error = at_most("rows", 2, 1).unwrap_err().into();
        let error = super::reading("read it", Path::new("/r"), &error);
        assert_eq!(error.kind, pagetide_core::ErrorKind::Input);
        assert!(error.what.starts_with("/r: damaged or hostile: 2 rows exceeds 1"), "{error}");
    }
}
