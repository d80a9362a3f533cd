//! The tables of docs/REPRODUCE.md that tests write.

use std::path::{Path, PathBuf};

/// The top of the repository.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Checks the table between the page's marks of this name, or writes it anew with `UPDATE_DOCS=1`.
///
/// # Panics
/// The page says something else, or has no such marks.
pub(crate) fn has_table(name: &str, table: &str) {
    let page = top().join("docs/REPRODUCE.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = text.split_once(&begin).unwrap();
    let (is, after) = rest.split_once(&end).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&page, format!("{before}{begin}{table}{end}{after}")).unwrap();
        return;
    }
    let differ = is.lines().zip(table.lines()).find(|(is, wanted)| is != wanted);
    assert!(is == table, "UPDATE_DOCS=1 writes the table {name} anew; the first line that differs: {differ:?}");
}
