//! Errors of the file system as one clear line: what, where, and how to mend it.

use pagetide_core::Refusal;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Why something could not be done at `path`.
pub(crate) fn io(doing: &str, path: &Path, error: &Error) -> Refusal {
    let what = format!("{}: cannot {doing}: {}", path.display(), plain(error));
    match error.kind() {
        ErrorKind::PermissionDenied => Refusal::system(what, "use a folder that you may write to, or run it as root"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Refusal::system(what, "make room on that file system"),
        ErrorKind::ReadOnlyFilesystem => Refusal::system(what, "use a folder on a file system that can be written"),
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            Refusal::input(what, "a file is in the way: use another folder or move the file away")
        }
        _ => Refusal::system(what, ""),
    }
}

/// The error without Rust's `(os error 13)`.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// A recording of a newer pagetide.
pub(crate) fn newer(path: &Path, version: u32) -> Refusal {
    Refusal::input(
        format!("{}: format version {version}, this pagetide reads up to {}", path.display(), crate::FORMAT_VERSION),
        "use a newer pagetide",
    )
}
