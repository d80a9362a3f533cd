//! Text archives of kernel files: a line `== path` begins a file, and what follows is its text.

use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kernel")
}

/// The names of all archives, in order.
pub(crate) fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let name = |entry: std::fs::DirEntry| entry.file_name().to_str()?.strip_suffix(".tree").map(str::to_owned);
    let mut names: Vec<String> = entries.map(Result::unwrap).filter_map(name).collect();
    names.sort();
    names
}

/// The files of an archive: path and text.
pub(crate) fn files(name: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.tree"))).unwrap();
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("== "), files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), String::new())),
            (None, Some((_, text))) => text.extend([line, "\n"]),
            (None, None) => assert!(line.starts_with('#'), "{name}: a comment is expected: {line}"),
        }
    }
    files
}
