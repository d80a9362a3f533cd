//! Damaged files of a recording, and what is lost with them.

use crate::budget::Exceeded;
use crate::layout::{Folder, MANIFEST, OPEN, SealedPath, SegmentName};
use crate::sealed;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The damage that a reader has found so far, in the files that it had to read. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Damage(Arc<Mutex<BTreeSet<String>>>);

impl Damage {
    /// A sentence for each damaged file: which, why, what is lost.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(super) fn add(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(line);
    }

    /// Logs that a recorder found damaged and set aside when it sealed them.
    pub(super) fn look_for_logs(&self, folder: &Folder) -> io::Result<()> {
        let set_aside = |name: &&String| {
            let segment = name.strip_suffix(".damaged").map(|name| name.strip_suffix(".log").unwrap_or(name));
            segment.is_some_and(|stem| SegmentName::parse(stem).is_none_or(|name| folder.has_segment(&name)))
        };
        if folder.is_cut() {
            return Ok(());
        }
        for name in folder.dir().names(Path::new(OPEN))?.iter().filter(set_aside) {
            self.add(format!("{OPEN}/{name} is damaged: the samples after the damage are lost"));
        }
        Ok(())
    }

    pub(super) fn manifest(&self) {
        self.add(format!("{MANIFEST} is damaged: using the one in the last segment"));
    }
}

/// Whether a file is not opened because of what it is, which no recorder makes: a link, a FIFO, a folder, larger than any such file. Then it is
/// damaged, and the others can be read.
pub(super) fn is_foreign(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, Other};
    Exceeded::of(error).is_none() && matches!(error.kind(), FileTooLarge | InvalidInput | Other)
}

/// What is lost without a sealed file of a segment.
pub(super) fn cost(name: &SegmentName, kind: &str) -> String {
    match kind {
        sealed::SAMPLES => format!("all samples of segment {} are lost", name.text()),
        sealed::MARKS => format!("the marks of segment {} are lost", name.text()),
        table => format!("the {table} rows of segment {} are lost", name.text()),
    }
}

/// What is lost without this file.
pub(super) fn cost_of(file: &SealedPath) -> String {
    let kind = file.path.iter().next().unwrap_or_default().to_string_lossy();
    cost(&file.name, &kind)
}
