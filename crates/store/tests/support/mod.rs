//! What several tests of this crate need.
#![allow(dead_code, reason = "each test uses its part")]

use pagetide_core::{MarkKind, Recording, Table};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A file or folder in `fixtures/`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    assert!(path.exists(), "{} is part of the repository", path.display());
    path
}

/// The texts of the notes, in order.
pub(crate) fn notes(recording: &Recording) -> Vec<&str> {
    let texts = recording.marks.iter().filter_map(|mark| match &mark.kind {
        MarkKind::Note { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Every value by table, entity, metric and moment.
pub(crate) fn values(recording: &Recording) -> BTreeMap<(Table, String, String, i64), i64> {
    let mut all = BTreeMap::new();
    for table in Table::ALL {
        for (entity, _) in recording.entities(table) {
            for column in recording.metrics(table, entity) {
                let series = recording.series(table, entity, &column.name).unwrap();
                let key = |at| (table, entity.to_owned(), column.name.clone(), at);
                all.extend(series.points().map(|(at, value)| (key(at), value)));
            }
        }
    }
    all
}
