//! Progress of runs in tests.

use pagetide_lab::plan::RunsProgress;

/// Shows nothing and never stops.
pub(crate) struct Silent;

impl RunsProgress for Silent {
    fn done(&self, _: usize, _: usize) {}
    fn interrupted(&self) -> bool {
        false
    }
}
